//! The fields of accounts, contacts, projects and signals (interface: Resources and fields;
//! decisions 2.11 to 2.13): the fields of each route, their types, and their consistency. Unknown
//! values are null.

use crate::fields::{FieldRow, assert_fields};
use crate::shared_service::{any_related, list_field, shared_service};
use crate::signals::SIGNAL_FIELDS;
use serde_json::{Value, json};

const ACCOUNT_FIELDS: &[FieldRow] = &[
    ("id", "uuid"),
    ("name", "string"),
    ("account_types", "string[]"),
    ("aliases", "string[]"),
    ("domains", "string[]"),
    ("website", "string?"),
    ("linkedin_url", "string?"),
    ("city", "string?"),
    ("state", "string?"),
    ("created_at", "moment"),
    ("projects_count", "integer"),
    ("contacts_count", "integer"),
    ("hq_address", "string?"),
    ("hq_location", "object?"),
    ("public_phone", "string?"),
    ("public_email", "string?"),
    ("specialties", "string[]"),
    ("description", "string?"),
    ("founded_year", "integer?"),
    ("account_types_source", "string?"),
];

const ICP_TIER_FIELD: FieldRow = ("icp_tier", "tier_1|tier_2|tier_3|disqualified?");
const ANNOTATION_FIELDS: &[FieldRow] = &[
    ("workspace_status", "string?"),
    ("notes", "string?"),
    ("tags", "string[]"),
];
const ATLAS_FIELDS: &[FieldRow] = &[("atlas_score", "integer?"), ("atlas_trend", "string?")];
const CONTACT_FIELDS: &[FieldRow] = &[
    ("id", "uuid"),
    ("name", "string"),
    ("title", "string?"),
    ("account_id", "uuid?"),
];
const GET_ONLY_FIELDS: &[FieldRow] = &[("created_at", "moment"), ("projects_count", "integer")];

const PROJECT_FIELDS: &[FieldRow] = &[
    ("id", "uuid"),
    ("name", "string"),
    ("primary_address", "string?"),
    ("city", "string?"),
    ("state", "string?"),
    ("neighborhood", "string?"),
    ("primary_use", "string?"),
    ("uses", "string[]"),
    ("stage", "string?"),
    ("disposition", "string?"),
    ("gross_floor_area_sf", "number?"),
    ("residential_units", "integer?"),
    ("cost_of_construction_usd", "number?"),
    ("stories", "integer?"),
    ("parking_spaces", "integer?"),
    ("gc_status", "string?"),
    ("height_ft", "number?"),
    ("hotel_rooms", "integer?"),
    ("affordable_units", "integer?"),
    ("land_area_sf", "number?"),
    ("unit_mix", "object?"),
    ("use_areas", "object[]?"),
    ("structure_types", "string[]"),
    ("regulatory_flags", "string[]"),
    ("far", "object?"),
    ("updates_last_30_days", "integer"),
    ("created_at", "moment"),
    ("accounts_count", "integer"),
    ("contacts_count", "integer"),
];

/// Checks that each record has exactly the fields of these tables, and that each field has a value
/// in some record.
#[track_caller]
fn assert_fields_of_all(records: &[Value], tables: &[&[FieldRow]]) {
    let table = tables.concat();
    assert!(!records.is_empty());
    records
        .iter()
        .for_each(|record| assert_fields(record, &table));
    for (key, _) in table {
        assert!(
            records
                .iter()
                .any(|record| !record[key].is_null() && record[key] != json!([])),
            "{key} is never known"
        );
    }
}

/// The gets of some records of the first workspace's book.
async fn get_book_records(family: &str) -> Vec<Value> {
    let mut records = Vec::new();
    for record in shared_service().records(&format!("/workspace/{family}")) {
        let path = format!("/workspace/{family}/{}", record["id"].as_str().unwrap());
        records.push(
            shared_service()
                .get(&shared_service().api_key(0), &path)
                .await
                .ok()["data"]
                .clone(),
        );
    }
    records
}

#[tokio::test]
async fn a_workspace_account_has_the_fields_of_its_table() {
    assert_fields_of_all(
        &get_book_records("accounts").await,
        &[
            ACCOUNT_FIELDS,
            &[ICP_TIER_FIELD],
            ANNOTATION_FIELDS,
            ATLAS_FIELDS,
        ],
    );
}

#[tokio::test]
async fn a_data_api_account_is_the_workspace_account_without_workspace_fields() {
    assert_fields_of_all(
        &shared_service()
            .search_all("/data/accounts", json!({}))
            .await,
        &[ACCOUNT_FIELDS],
    );
}

#[tokio::test]
async fn a_workspace_contact_has_the_fields_of_its_table() {
    assert_fields_of_all(
        &get_book_records("contacts").await,
        &[CONTACT_FIELDS, GET_ONLY_FIELDS, ANNOTATION_FIELDS],
    );
}

#[tokio::test]
async fn a_contact_of_the_data_api_has_an_address_and_a_telephone() {
    let reached: &[FieldRow] = &[("email", "string?"), ("phone", "string?")];
    assert_fields_of_all(
        &shared_service()
            .search_all("/data/contacts", json!({}))
            .await,
        &[CONTACT_FIELDS, GET_ONLY_FIELDS, reached],
    );
}

#[tokio::test]
async fn a_project_of_the_data_api_has_the_fields_of_its_table() {
    let own: &[FieldRow] = &[
        ("lat", "number?"),
        ("lng", "number?"),
        ("first_signal_at", "date?"),
        ("last_signal_at", "date?"),
        ("signals_count", "integer"),
    ];
    assert_fields_of_all(
        &shared_service()
            .search_all("/data/projects", json!({}))
            .await,
        &[PROJECT_FIELDS, own],
    );
}

#[tokio::test]
async fn a_project_of_the_workspace_has_the_fields_of_its_table() {
    let records = get_book_records("projects").await;
    let rare = [
        "hotel_rooms",
        "affordable_units",
        "far",
        "unit_mix",
        "regulatory_flags",
    ];
    let table = [
        PROJECT_FIELDS,
        &[("last_signal_at", "moment?")],
        ANNOTATION_FIELDS,
    ]
    .concat();
    records
        .iter()
        .for_each(|record| assert_fields(record, &table));
    for (key, _) in table.iter().filter(|(key, _)| !rare.contains(key)) {
        assert!(
            records.iter().any(|record| !record[key].is_null()),
            "{key} is never known"
        );
    }
}

#[tokio::test]
async fn a_signal_has_the_fields_of_its_table() {
    assert_fields_of_all(
        &shared_service()
            .search_all("/data/signals", json!({}))
            .await,
        &[&SIGNAL_FIELDS],
    );
}

#[tokio::test]
async fn a_book_account_row_has_the_11_documented_fields() {
    let row: &[FieldRow] = &[
        ("id", "uuid"),
        ("name", "string"),
        ("account_types", "string[]"),
        ("domains", "string[]"),
        ("website", "string?"),
    ];
    assert_fields_of_all(
        &shared_service()
            .search_all("/workspace/accounts", json!({}))
            .await,
        &[row, &[ICP_TIER_FIELD], ANNOTATION_FIELDS, ATLAS_FIELDS],
    );
}

#[tokio::test]
async fn created_at_and_projects_count_of_a_workspace_contact_are_on_the_get_only() {
    assert_fields_of_all(
        &shared_service()
            .search_all("/workspace/contacts", json!({}))
            .await,
        &[CONTACT_FIELDS, ANNOTATION_FIELDS],
    );
}

#[tokio::test]
async fn a_row_of_the_books_projects_has_its_fields() {
    let row: &[FieldRow] = &[
        ("id", "uuid"),
        ("name", "string"),
        ("city", "string?"),
        ("state", "string?"),
        ("stage", "string?"),
        ("primary_use", "string?"),
        ("residential_units", "integer?"),
        ("last_signal_at", "moment?"),
    ];
    assert_fields_of_all(
        &shared_service()
            .search_all("/workspace/projects", json!({}))
            .await,
        &[row, ANNOTATION_FIELDS],
    );
}

#[tokio::test]
async fn a_state_is_a_state_code() {
    for place in ["/data/accounts", "/data/projects"] {
        for record in shared_service().records(place) {
            let state = record["state"].as_str().unwrap();
            assert!(
                state.len() == 2 && state.chars().all(|c| c.is_ascii_uppercase()),
                "{state}"
            );
        }
    }
}

#[tokio::test]
async fn hq_location_is_an_object_of_the_numbers_lat_and_lng() {
    let known = shared_service()
        .records("/data/accounts")
        .iter()
        .filter(|account| !account["hq_location"].is_null());
    for account in known {
        assert_fields(
            &account["hq_location"],
            &[("lat", "number"), ("lng", "number")],
        );
    }
}

#[tokio::test]
async fn unit_mix_has_the_keys_studio_or_1br_two_br_and_three_br_plus() {
    let projects = shared_service()
        .records("/data/projects")
        .iter()
        .filter(|project| !project["unit_mix"].is_null());
    let count = projects.map(|project| {
        assert_fields(
            &project["unit_mix"],
            &[
                ("studio_or_1br", "integer"),
                ("two_br", "integer"),
                ("three_br_plus", "integer"),
            ],
        );
    });
    assert!(count.count() > 0);
}

#[tokio::test]
async fn use_areas_is_an_array_of_use_type_and_floor_area_sf() {
    let projects = shared_service()
        .records("/data/projects")
        .iter()
        .filter_map(|project| project["use_areas"].as_array());
    let areas: Vec<&Value> = projects.flatten().collect();
    assert!(!areas.is_empty());
    areas.into_iter().for_each(|area| {
        assert_fields(area, &[("use_type", "string"), ("floor_area_sf", "number")])
    });
}

#[tokio::test]
async fn far_is_an_object_of_value_and_derived_from() {
    let known: Vec<&Value> = shared_service()
        .records("/data/projects")
        .iter()
        .map(|project| &project["far"])
        .filter(|far| !far.is_null())
        .collect();
    assert!(!known.is_empty());
    known
        .into_iter()
        .for_each(|far| assert_fields(far, &[("value", "number"), ("derived_from", "string")]));
}

#[tokio::test]
async fn a_records_counts_match_its_embedded_records() {
    for (place, counts) in [
        ("/data/accounts", ["projects", "contacts"].as_slice()),
        ("/data/contacts", &["projects"]),
        ("/data/projects", &["accounts", "contacts", "signals"]),
        ("/workspace/accounts", &["projects", "contacts"]),
        ("/workspace/contacts", &["projects"]),
        ("/workspace/projects", &["accounts", "contacts"]),
    ] {
        for record in shared_service().records(place) {
            for key in counts {
                assert_eq!(
                    record[format!("{key}_count")],
                    list_field(record, key).len(),
                    "{place} {key} of {}",
                    record["id"]
                );
            }
        }
    }
}

#[tokio::test]
async fn first_and_last_signal_at_are_the_days_of_the_first_and_the_last_filing() {
    for project in shared_service().records("/data/projects") {
        let filed = list_field(project, "signals")
            .iter()
            .map(|signal| signal["filed_at"].as_str().unwrap());
        let days = |at: Option<&str>| at.map_or(Value::Null, |at| json!(at[..10]));
        assert_eq!(
            project["first_signal_at"],
            days(filed.clone().min()),
            "{}",
            project["id"]
        );
        assert_eq!(
            project["last_signal_at"],
            days(filed.max()),
            "{}",
            project["id"]
        );
    }
}

#[tokio::test]
async fn last_signal_at_is_a_datetime_in_the_workspace_of_the_same_day_as_in_the_data_api() {
    for project in get_book_records("projects").await {
        let index =
            shared_service().find_record("/data/projects", |one| one["id"] == project["id"]);
        let day = project["last_signal_at"]
            .as_str()
            .map_or(Value::Null, |at| json!(at[..10]));
        assert_eq!(index["last_signal_at"], day, "{}", project["id"]);
    }
}

#[tokio::test]
async fn updates_last_30_days_counts_the_filings_of_30_days() {
    let mut some = 0;
    for project in shared_service().records("/data/projects") {
        let recent = |signal: &&Value| signal["filed_at"].as_str().unwrap() > "2026-06-09T16:20";
        let count = list_field(project, "signals").iter().filter(recent).count();
        assert_eq!(project["updates_last_30_days"], count, "{}", project["id"]);
        some += count;
    }
    assert!(some > 0);
}

#[tokio::test]
async fn a_signal_names_its_project_and_its_source() {
    for signal in shared_service().records("/data/signals") {
        let project = &signal["project"];
        assert_eq!(
            (&signal["project_name"], &signal["project_primary_address"]),
            (&project["name"], &project["primary_address"])
        );
    }
    let mut sources: Vec<String> = shared_service()
        .records("/data/signals")
        .iter()
        .map(|one| {
            [
                "source_id",
                "source_slug",
                "source_display_name",
                "source_base_url",
                "source_logo_domain",
            ]
            .map(|key| one[key].to_string())
            .join(" ")
        })
        .collect();
    sources.sort_unstable();
    sources.dedup();
    let ids = sources
        .iter()
        .map(|source| source.split(' ').next().unwrap());
    assert_eq!(
        ids.collect::<std::collections::BTreeSet<_>>().len(),
        sources.len(),
        "a source is the same everywhere"
    );
}

#[tokio::test]
async fn data_api_records_have_no_annotations() {
    for dataset in ["accounts", "contacts", "projects", "signals"] {
        let saved = dataset != "signals";
        let id = if saved {
            &shared_service().records(&format!("/workspace/{dataset}"))[0]["id"]
        } else {
            &shared_service().records("/data/signals")[0]["id"]
        };
        let reply = shared_service()
            .get(
                &shared_service().api_key(0),
                &format!("/data/{dataset}/{}", id.as_str().unwrap()),
            )
            .await
            .ok();
        for key in [
            "workspace_status",
            "notes",
            "tags",
            "icp_tier",
            "atlas_score",
            "atlas_trend",
            "updated_at",
        ] {
            assert!(reply["data"].get(key).is_none(), "{dataset} {key}");
        }
    }
}

#[tokio::test]
async fn an_account_embedded_in_a_project_lists_its_roles() {
    let project = shared_service().find_record("/data/projects", |project| {
        list_field(project, "accounts").len() > 2
    });
    assert!(
        list_field(project, "accounts")
            .iter()
            .all(|account| any_related(account, "roles", Value::is_string))
    );
}
