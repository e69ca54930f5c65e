//! Records of the index by id (interface: Data API), and what reads cost (Limits).

use crate::support::Desk;
use serde_json::{Value, json};

async fn project(desk: &Desk) -> String {
    let page = desk.get(&desk.key(0).naming(desk.id(0)), "/signals?limit=1").await.ok();
    page["signals"][0]["project_id"].as_str().unwrap().to_owned()
}

async fn used(desk: &Desk) -> i64 {
    desk.get(&desk.key(0), "/workspace/credits").await.ok()["data"]["used"].as_i64().unwrap()
}

#[tokio::test]
async fn a_get_costs_1_credit_whatever_is_included_and_a_refusal_none() {
    let desk = Desk::new().await;
    let id = project(&desk).await;
    let before = used(&desk).await;
    let path = format!("/data/projects/{id}?include=accounts&include=contacts&include=signals");
    assert_eq!(desk.get(&desk.key(0), &path).await.ok()["metadata"], json!({"credits": 1}));
    desk.get(&desk.key(0), "/data/projects/00000000-0000-4000-8000-000000000000").await.refused(404, "not_found");
    desk.get(&desk.key(0), "/data/projects/nonsense").await.refused(404, "not_found");
    desk.get(&desk.key(0), "/data/ships/nonsense").await.refused(404, "not_found");
    desk.get(&desk.key(0), &format!("/data/projects/{id}?include=ships")).await.refused(400, "bad_request");
    assert_eq!(used(&desk).await, before + 1);
}

#[tokio::test]
async fn embedded_arrays_are_complete_and_the_counts_of_a_record_equal_them() {
    let desk = Desk::new().await;
    let id = project(&desk).await;
    let get = async |path: String| desk.get(&desk.key(0), &path).await.ok()["data"].clone();
    let one = get(format!("/data/projects/{id}?include=accounts,contacts,signals")).await;
    let length = |record: &Value, key: &str| record[key].as_array().unwrap().len();
    for key in ["accounts", "contacts", "signals"] {
        assert_eq!(one[format!("{key}_count")], length(&one, key), "{key}");
    }
    assert!(length(&one, "accounts") > 0 && one["accounts"][0]["roles"][0].is_string());
    let firm = get(format!(
        "/data/accounts/{}?include=projects&include=contacts&include=signals",
        one["accounts"][0]["id"].as_str().unwrap()
    ))
    .await;
    assert_eq!(
        (&firm["projects_count"], &firm["contacts_count"]),
        (&json!(length(&firm, "projects")), &json!(length(&firm, "contacts")))
    );
    let signal =
        get(format!("/data/signals/{}?include=project&include=accounts", one["signals"][0]["id"].as_str().unwrap())).await;
    assert_eq!(signal["project"]["id"], one["id"]);
    assert_eq!(length(&signal, "accounts"), length(&one, "accounts"));
    assert!(signal.get("raw_data").is_none());
    assert_eq!(one["last_signal_at"].as_str().unwrap().len(), 10);
    let person =
        get(format!("/data/contacts/{}?include=account&include=projects", firm["contacts"][0]["id"].as_str().unwrap())).await;
    assert_eq!(person["account"]["id"], firm["id"]);
    assert_eq!(person["projects_count"], length(&person, "projects"));
}
