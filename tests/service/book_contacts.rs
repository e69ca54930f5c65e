//! Each filter of the book's contacts (interface: book searches, Contact filters).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const BOOK_CONTACTS: &str = "/workspace/contacts";

#[tokio::test]
async fn workspace_status_of_contacts_matches_exactly() {
    let status = &shared_service().find_record(BOOK_CONTACTS, |contact| {
        contact["workspace_status"].is_string()
    })["workspace_status"];
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"workspace_status": {"value": status}}),
            |one| one["workspace_status"] == *status,
        )
        .await;
    let part = &status.as_str().unwrap()[..2];
    assert_eq!(
        shared_service()
            .search_all(
                BOOK_CONTACTS,
                json!({"filters": {"workspace_status": {"value": part}}})
            )
            .await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn an_array_of_contact_tags_means_or() {
    let tagged = |contact: &Value, tag: &Value| list_field(contact, "tags").contains(tag);
    let one = &shared_service().find_record(BOOK_CONTACTS, |contact| {
        !list_field(contact, "tags").is_empty()
    })["tags"][0];
    let other = &shared_service().find_record(BOOK_CONTACTS, |contact| {
        !list_field(contact, "tags").is_empty() && !tagged(contact, one)
    })["tags"][0];
    shared_service()
        .assert_filter_finds(BOOK_CONTACTS, json!({"tags": {"value": one}}), |contact| {
            tagged(contact, one)
        })
        .await;
    let either = |contact: &Value| tagged(contact, one) || tagged(contact, other);
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"tags": {"value": [one, other]}}),
            either,
        )
        .await;
}

#[tokio::test]
async fn name_of_contacts_is_fuzzy() {
    let contact = &shared_service().records(BOOK_CONTACTS)[4];
    let name = contact["name"].as_str().unwrap();
    for text in [
        name.to_uppercase(),
        name.split(' ').next_back().unwrap().to_owned(),
    ] {
        let rows = shared_service()
            .search_all(BOOK_CONTACTS, json!({"filters": {"name": {"value": text}}}))
            .await;
        assert!(
            rows.iter().any(|row| row["id"] == contact["id"]) && rows.len() < 10,
            "{text} finds {}",
            rows.len()
        );
    }
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"name": {"value": name, "exact_match": true}}),
            |one| one["name"] == name,
        )
        .await;
}

#[tokio::test]
async fn title_of_contacts_is_fuzzy() {
    let manager = |one: &Value| {
        one["title"]
            .as_str()
            .is_some_and(|title| title.split(' ').any(|word| word == "Manager"))
    };
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"title": {"value": "manger"}}),
            manager,
        )
        .await;
}

#[tokio::test]
async fn email_of_contacts_is_exact() {
    let email = shared_service().find_record(BOOK_CONTACTS, |contact| contact["email"].is_string())
        ["email"]
        .as_str()
        .unwrap();
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"email": {"value": email}}),
            |contact| contact["email"] == email,
        )
        .await;
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"email": {"value": email.to_uppercase()}}),
            |contact| contact["email"] == email,
        )
        .await;
    for part in [
        &email[1..],
        email.split('@').next().unwrap(),
        email.split('@').next_back().unwrap(),
    ] {
        assert_eq!(
            shared_service()
                .search_all(
                    BOOK_CONTACTS,
                    json!({"filters": {"email": {"value": part}}})
                )
                .await,
            [Value::Null; 0],
            "{part} is not {email}"
        );
    }
}

#[tokio::test]
async fn account_id_of_contacts_is_a_uuid() {
    let firm = &shared_service()
        .find_record(BOOK_CONTACTS, |contact| contact["account_id"].is_string())["account_id"];
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"account_id": {"value": firm}}),
            |contact| contact["account_id"] == *firm,
        )
        .await;
    for value in [
        json!("x"),
        json!(7),
        json!(["x"]),
        json!("00000000-0000-4000-8000-00000000000"),
    ] {
        let issues = shared_service()
            .refused_filter_issues(BOOK_CONTACTS, json!({"account_id": {"value": value}}))
            .await;
        assert_eq!(
            (&issues[0]["code"], &issues[0]["expected"]),
            (&json!("invalid_type"), &json!("uuid")),
            "{value}"
        );
    }
}

#[tokio::test]
async fn at_account_of_contacts_takes_account_type() {
    let is = |contact: &Value| {
        contact["account"]["account_types"]
            .as_array()
            .is_some_and(|all| all.contains(&json!("developer")))
    };
    shared_service()
        .assert_filter_finds(
            BOOK_CONTACTS,
            json!({"at_account": {"account_type": {"value": "developer"}}}),
            is,
        )
        .await;
}

#[tokio::test]
async fn at_account_of_contacts_takes_name() {
    let name = &shared_service().find_record(BOOK_CONTACTS, |contact| {
        contact["account"]["name"].is_string()
    })["account"]["name"];
    let filter = json!({"at_account": {"name": {"value": name, "exact_match": true}}});
    shared_service()
        .assert_filter_finds(BOOK_CONTACTS, filter, |contact| {
            contact["account"]["name"] == *name
        })
        .await;
}

/// Checks that `on_project` finds the contacts with a project that satisfies `holds`.
async fn assert_on_project_finds(inner: Value, holds: impl Fn(&Value) -> bool) {
    shared_service()
        .assert_filter_finds(BOOK_CONTACTS, json!({"on_project": inner}), |contact| {
            any_related(contact, "projects", &holds)
        })
        .await;
}

#[tokio::test]
async fn on_project_of_contacts_takes_stage() {
    assert_on_project_finds(json!({"stage": {"value": "permitted"}}), |one| {
        one["stage"] == "permitted"
    })
    .await;
}

#[tokio::test]
async fn on_project_of_contacts_takes_primary_use() {
    assert_on_project_finds(
        json!({"primary_use": {"value": ["multifamily", "office"]}}),
        |one| one["primary_use"] == "multifamily" || one["primary_use"] == "office",
    )
    .await;
}

#[tokio::test]
async fn on_project_of_contacts_takes_city() {
    let city = &shared_service().find_record(BOOK_CONTACTS, |contact| {
        any_related(contact, "projects", |one| one["city"].is_string())
    })["projects"][0]["city"];
    assert_on_project_finds(
        json!({"city": {"value": city, "exact_match": true}}),
        |one| one["city"] == *city,
    )
    .await;
}

#[tokio::test]
async fn with_on_project_the_projects_count_of_contacts_counts_only_matching_projects() {
    let count = |contact: &Value| {
        list_field(contact, "projects")
            .iter()
            .filter(|one| one["stage"] != "completed")
            .count()
    };
    let filter = json!({"on_project": {"stage": {"value": "completed", "exclude": true}}});
    let rows = shared_service()
        .search_all(
            BOOK_CONTACTS,
            json!({"filters": filter, "sort": {"field": "projects_count"}}),
        )
        .await;
    let counts: Vec<usize> = rows
        .iter()
        .map(|row| count(shared_service().find_record(BOOK_CONTACTS, |one| one["id"] == row["id"])))
        .collect();
    assert!(
        counts.is_sorted_by(|a, b| a >= b)
            && counts.first() != counts.last()
            && !counts.contains(&0),
        "{counts:?}"
    );
}

#[tokio::test]
async fn book_contact_relations_have_exactly_the_documented_inner_keys() {
    for (key, expected) in [
        ("at_account", "account_type name"),
        ("on_project", "city primary_use stage"),
    ] {
        for other in ["state", "role", "stories", "residential_units", "title"] {
            let issues = shared_service()
                .refused_filter_issues(BOOK_CONTACTS, json!({key: {other: {"value": "x"}}}))
                .await;
            assert_eq!(
                (&issues[0]["code"], &issues[0]["path"]),
                (&json!("unknown_key"), &json!(["filters", key, other]))
            );
            let mut allowed: Vec<&str> = issues[0]["allowed"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            allowed.sort_unstable();
            assert_eq!(allowed.join(" "), expected, "{key}");
        }
    }
}

#[tokio::test]
async fn book_contacts_have_exactly_the_documented_filters() {
    for key in [
        "icp_tier",
        "atlas_score",
        "phone",
        "notes",
        "city",
        "has_project",
        "has_account",
        "without_project",
    ] {
        let issues = shared_service()
            .refused_filter_issues(BOOK_CONTACTS, json!({key: {}}))
            .await;
        let mut allowed: Vec<&str> = issues[0]["allowed"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        allowed.sort_unstable();
        assert_eq!(
            allowed.join(" "),
            "account_id at_account email name on_project tags title workspace_status",
            "{key}"
        );
    }
}
