//! Each filter key of contacts in the Data API (interface: Filter grammar, Datasets).

use crate::room::{any, list, room};
use serde_json::{Value, json};

const CONTACTS: &str = "/data/contacts";

#[tokio::test]
async fn name_finds_contacts_by_a_word_of_their_name() {
    let contact = room().one(CONTACTS, |contact| contact["name"].as_str().unwrap().len() > 12);
    let last = contact["name"].as_str().unwrap().split(' ').next_back().unwrap();
    let found = room().all(CONTACTS, json!({"filters": {"name": {"value": last.to_uppercase()}}})).await;
    assert!(found.iter().any(|row| row["id"] == contact["id"]), "{last}");
    assert!(found.len() < room().records(CONTACTS).len() / 4, "{last} tells nothing apart");
    let whole = json!({"name": {"value": contact["name"], "exact_match": true}});
    room().finds(CONTACTS, whole, |one| one["name"] == contact["name"]).await;
}

#[tokio::test]
async fn title_finds_contacts_by_their_title() {
    let manager = |contact: &Value| contact["title"].as_str().is_some_and(|title| title.split(' ').any(|word| word == "Manager"));
    room().finds(CONTACTS, json!({"title": {"value": "manager"}}), manager).await;
    let whole = json!({"title": {"value": "office manager", "exact_match": true}});
    room().finds(CONTACTS, whole, |contact| contact["title"] == "Office Manager").await;
}

#[tokio::test]
async fn email_finds_contacts_by_their_address() {
    let contact = room().one(CONTACTS, |contact| contact["email"].is_string());
    let same = |one: &Value| one["email"] == contact["email"];
    room().finds(CONTACTS, json!({"email": {"value": contact["email"], "exact_match": true}}), same).await;
    let loud = contact["email"].as_str().unwrap().to_uppercase();
    room().finds(CONTACTS, json!({"email": {"value": loud, "exact_match": true}}), same).await;
    let found = room().all(CONTACTS, json!({"filters": {"email": {"value": contact["email"]}}})).await;
    assert!(found.iter().any(|row| row["id"] == contact["id"]), "also when it may be like it");
}

#[tokio::test]
async fn account_id_finds_the_contacts_of_an_account() {
    let firm = &room().one("/data/accounts", |account| list(account, "contacts").len() > 1)["id"];
    room().finds(CONTACTS, json!({"account_id": {"value": firm}}), |contact| contact["account_id"] == *firm).await;
    let other = &room().one("/data/accounts", |account| list(account, "contacts").len() == 1)["id"];
    let either = json!({"account_id": {"value": [firm, other]}});
    room().finds(CONTACTS, either, |contact| contact["account_id"] == *firm || contact["account_id"] == *other).await;
    assert_eq!(room().refuses(CONTACTS, json!({"account_id": {"value": "no id"}})).await[0]["expected"], "uuid");
}

#[tokio::test]
async fn at_account_finds_contacts_whose_account_is_such() {
    room().finds(CONTACTS, json!({"at_account": {}}), |contact| !contact["account"].is_null()).await;
    let texan = json!({"at_account": {"state": {"value": "TX"}}});
    room().finds(CONTACTS, texan, |contact| contact["account"]["state"] == "TX").await;
}

#[tokio::test]
async fn on_project_finds_contacts_on_such_a_project() {
    room().finds(CONTACTS, json!({"on_project": {}}), |contact| !list(contact, "projects").is_empty()).await;
    let tall = json!({"on_project": {"stories": {"min": 30}}});
    room().finds(CONTACTS, tall, |contact| any(contact, "projects", |one| one["stories"].as_i64() >= Some(30))).await;
}

#[tokio::test]
async fn contacts_have_no_range_keys() {
    for key in ["name", "title", "email", "account_id"] {
        let issues = room().refuses(CONTACTS, json!({key: {"max": 1}})).await;
        assert!(
            issues.iter().any(|issue| issue["code"] == "unknown_key" && issue["path"] == json!(["filters", key, "max"])),
            "{key}"
        );
    }
    let issues = room().refuses(CONTACTS, json!({"projects_count": {"min": 1}})).await;
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
        let issues = room().refuses(CONTACTS, json!({key: {"value": "x"}})).await;
        assert_eq!((issues.len(), &issues[0]["code"]), (1, &json!("unknown_key")), "{key}");
    }
}
