//! Each filter key of contacts in the Data API (interface: Filter grammar, Datasets).

use crate::shared_service::{any_related, list_field, shared_service};
use serde_json::{Value, json};

const DATA_CONTACTS: &str = "/data/contacts";

#[tokio::test]
async fn name_finds_contacts_by_a_word_of_their_name() {
    let contact = shared_service().find_record(DATA_CONTACTS, |contact| {
        contact["name"].as_str().unwrap().len() > 12
    });
    let last = contact["name"]
        .as_str()
        .unwrap()
        .split(' ')
        .next_back()
        .unwrap();
    let found = shared_service()
        .search_all(
            DATA_CONTACTS,
            json!({"filters": {"name": {"value": last.to_uppercase()}}}),
        )
        .await;
    assert!(found.iter().any(|row| row["id"] == contact["id"]), "{last}");
    assert!(
        found.len() < shared_service().records(DATA_CONTACTS).len() / 4,
        "{last} matches too many contacts"
    );
    let whole = json!({"name": {"value": contact["name"], "exact_match": true}});
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, whole, |one| one["name"] == contact["name"])
        .await;
}

#[tokio::test]
async fn title_finds_contacts_by_their_title() {
    let manager = |contact: &Value| {
        contact["title"]
            .as_str()
            .is_some_and(|title| title.split(' ').any(|word| word == "Manager"))
    };
    shared_service()
        .assert_filter_finds(
            DATA_CONTACTS,
            json!({"title": {"value": "manager"}}),
            manager,
        )
        .await;
    let whole = json!({"title": {"value": "office manager", "exact_match": true}});
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, whole, |contact| {
            contact["title"] == "Office Manager"
        })
        .await;
}

#[tokio::test]
async fn email_finds_contacts_by_their_address() {
    let contact =
        shared_service().find_record(DATA_CONTACTS, |contact| contact["email"].is_string());
    let same = |one: &Value| one["email"] == contact["email"];
    shared_service()
        .assert_filter_finds(
            DATA_CONTACTS,
            json!({"email": {"value": contact["email"], "exact_match": true}}),
            same,
        )
        .await;
    let loud = contact["email"].as_str().unwrap().to_uppercase();
    shared_service()
        .assert_filter_finds(
            DATA_CONTACTS,
            json!({"email": {"value": loud, "exact_match": true}}),
            same,
        )
        .await;
    let found = shared_service()
        .search_all(
            DATA_CONTACTS,
            json!({"filters": {"email": {"value": contact["email"]}}}),
        )
        .await;
    assert!(
        found.iter().any(|row| row["id"] == contact["id"]),
        "fuzzy matching finds the exact value too"
    );
}

#[tokio::test]
async fn account_id_finds_the_contacts_of_an_account() {
    let firm = &shared_service().find_record("/data/accounts", |account| {
        list_field(account, "contacts").len() > 1
    })["id"];
    shared_service()
        .assert_filter_finds(
            DATA_CONTACTS,
            json!({"account_id": {"value": firm}}),
            |contact| contact["account_id"] == *firm,
        )
        .await;
    let other = &shared_service().find_record("/data/accounts", |account| {
        list_field(account, "contacts").len() == 1
    })["id"];
    let either = json!({"account_id": {"value": [firm, other]}});
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, either, |contact| {
            contact["account_id"] == *firm || contact["account_id"] == *other
        })
        .await;
    assert_eq!(
        shared_service()
            .refused_filter_issues(DATA_CONTACTS, json!({"account_id": {"value": "no id"}}))
            .await[0]["expected"],
        "uuid"
    );
}

#[tokio::test]
async fn at_account_finds_contacts_with_a_matching_account() {
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, json!({"at_account": {}}), |contact| {
            !contact["account"].is_null()
        })
        .await;
    let texan = json!({"at_account": {"state": {"value": "TX"}}});
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, texan, |contact| {
            contact["account"]["state"] == "TX"
        })
        .await;
}

#[tokio::test]
async fn on_project_finds_contacts_on_a_matching_project() {
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, json!({"on_project": {}}), |contact| {
            !list_field(contact, "projects").is_empty()
        })
        .await;
    let tall = json!({"on_project": {"stories": {"min": 30}}});
    shared_service()
        .assert_filter_finds(DATA_CONTACTS, tall, |contact| {
            any_related(contact, "projects", |one| {
                one["stories"].as_i64() >= Some(30)
            })
        })
        .await;
}

#[tokio::test]
async fn contacts_have_no_range_keys() {
    for key in ["name", "title", "email", "account_id"] {
        let issues = shared_service()
            .refused_filter_issues(DATA_CONTACTS, json!({key: {"max": 1}}))
            .await;
        assert!(
            issues.iter().any(|issue| issue["code"] == "unknown_key"
                && issue["path"] == json!(["filters", key, "max"])),
            "{key}"
        );
    }
    let issues = shared_service()
        .refused_filter_issues(DATA_CONTACTS, json!({"projects_count": {"min": 1}}))
        .await;
    assert_eq!(issues[0]["code"], "unknown_key");
}

#[tokio::test]
async fn keys_of_other_datasets_and_of_the_book_are_unknown_to_contacts() {
    for key in [
        "phone",
        "city",
        "state",
        "stage",
        "account_type",
        "signal_type",
        "workspace_status",
        "tags",
        "notes",
        "has_account",
        "has_project",
        "without_project",
        "not_at_account",
        "for_account",
        "account",
    ] {
        let issues = shared_service()
            .refused_filter_issues(DATA_CONTACTS, json!({key: {"value": "x"}}))
            .await;
        assert_eq!(
            (issues.len(), &issues[0]["code"]),
            (1, &json!("unknown_key")),
            "{key}"
        );
    }
}
