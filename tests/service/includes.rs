//! The include table: what each key embeds in a record (interface: Include keys for `GET
//! /data/{dataset}/{id}`).

use crate::service_with_file::ServiceWithFile;
use serde_json::{Value, json};

/// Checks that a key embeds what the file contains, for the records with the most and the fewest of
/// it. `from` is the SQL of the embedded records `x` of the record `r`.
async fn assert_embeds(dataset: &str, key: &str, from: &str) {
    let api = ServiceWithFile::new().await;
    let by_count = |order: &str| {
        api.query_ids(&format!("SELECT id FROM {dataset} r ORDER BY (SELECT count(*) FROM {from}) {order}, rowid LIMIT 4"))
    };
    let (mut least, mut most) = (usize::MAX, 0);
    for id in by_count("ASC").into_iter().chain(by_count("DESC")) {
        let mut expected = api.query_ids_of(
            &format!("SELECT x.id FROM {dataset} r, {from} AND r.id = ?1"),
            &id,
        );
        let reply = api
            .get(
                &api.api_key(0),
                &format!("/data/{dataset}/{id}?include={key}"),
            )
            .await
            .ok();
        assert_eq!(
            (&reply["data"]["id"], &reply["metadata"]),
            (&json!(id), &json!({"credits": 1}))
        );
        let embedded = &reply["data"][key];
        let one = [embedded.clone()];
        let rows = match embedded {
            Value::Array(rows) => rows.as_slice(),
            Value::Null => &[],
            _ => &one,
        };
        assert_eq!(
            embedded.is_array(),
            key.ends_with('s'),
            "{key} is {embedded}"
        );
        let mut found: Vec<String> = rows
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{dataset} {id} {key}");
        (least, most) = (least.min(found.len()), most.max(found.len()));
    }
    assert!(
        most > 0 && (least == 0 || dataset == "signals"),
        "{least} to {most} {key}: the sample does not vary"
    );
}

#[tokio::test]
async fn accounts_projects_are_the_projects_of_the_account() {
    assert_embeds(
        "accounts",
        "projects",
        "projects x WHERE x.id IN (SELECT project_id FROM project_accounts WHERE account_id = r.id)",
    )
    .await;
}

#[tokio::test]
async fn accounts_contacts_are_the_contacts_at_the_account() {
    assert_embeds(
        "accounts",
        "contacts",
        "contacts x WHERE x.account_id = r.id",
    )
    .await;
}

#[tokio::test]
async fn accounts_signals_are_the_signals_on_the_accounts_projects() {
    let from = "signals x WHERE x.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = r.id)";
    assert_embeds("accounts", "signals", from).await;
}

#[tokio::test]
async fn contacts_account_is_the_parent_account_or_null() {
    assert_embeds(
        "contacts",
        "account",
        "accounts x WHERE x.id = r.account_id",
    )
    .await;
}

#[tokio::test]
async fn contacts_projects_are_the_projects_the_contact_appears_on() {
    assert_embeds(
        "contacts",
        "projects",
        "projects x WHERE x.id IN (SELECT project_id FROM project_contacts WHERE contact_id = r.id)",
    )
    .await;
}

#[tokio::test]
async fn projects_accounts_are_the_accounts_on_the_project() {
    assert_embeds(
        "projects",
        "accounts",
        "accounts x WHERE x.id IN (SELECT account_id FROM project_accounts WHERE project_id = r.id)",
    )
    .await;
}

#[tokio::test]
async fn projects_contacts_are_the_contacts_on_the_project() {
    assert_embeds(
        "projects",
        "contacts",
        "contacts x WHERE x.id IN (SELECT contact_id FROM project_contacts WHERE project_id = r.id)",
    )
    .await;
}

#[tokio::test]
async fn projects_signals_are_the_timeline_signals() {
    assert_embeds("projects", "signals", "signals x WHERE x.project_id = r.id").await;
}

#[tokio::test]
async fn signals_project_is_the_project() {
    assert_embeds("signals", "project", "projects x WHERE x.id = r.project_id").await;
}

#[tokio::test]
async fn signals_accounts_are_the_accounts_of_the_signal() {
    let from = "accounts x WHERE x.id IN (SELECT account_id FROM project_accounts WHERE project_id = r.project_id)";
    assert_embeds("signals", "accounts", from).await;
}

/// The include keys of each dataset.
const INCLUDE_KEYS: [(&str, &str); 4] = [
    ("accounts", "projects contacts signals"),
    ("contacts", "account projects"),
    ("projects", "accounts contacts signals"),
    ("signals", "project accounts"),
];

#[tokio::test]
async fn an_unknown_include_key_is_400_and_lists_the_known_keys() {
    let api = ServiceWithFile::new().await;
    for (dataset, keys) in INCLUDE_KEYS {
        let id = api
            .query_ids(&format!("SELECT id FROM {dataset} LIMIT 1"))
            .remove(0);
        for key in [
            "account", "accounts", "contact", "contacts", "project", "projects", "signal",
            "signals", "raw_data", "PROJECTS",
        ] {
            let reply = api
                .get(
                    &api.api_key(0),
                    &format!("/data/{dataset}/{id}?include={key}"),
                )
                .await;
            if keys.split(' ').any(|one| one == key) {
                reply.ok();
            } else {
                let error = reply.expect_error(400, "bad_request");
                assert_eq!(
                    error["issues"][0]["allowed"],
                    json!(keys.split(' ').collect::<Vec<_>>()),
                    "{dataset} {key}"
                );
            }
        }
    }
}

#[tokio::test]
async fn include_is_repeatable_and_embeds_each_key_once() {
    let api = ServiceWithFile::new().await;
    for (dataset, keys) in INCLUDE_KEYS {
        let id = api
            .query_ids(&format!(
                "SELECT id FROM {dataset} ORDER BY rowid LIMIT 1 OFFSET 3"
            ))
            .remove(0);
        let path = format!("/data/{dataset}/{id}");
        let bare = api.get(&api.api_key(0), &path).await.ok()["data"].clone();
        let repeated = keys
            .split(' ')
            .map(|key| format!("include={key}"))
            .collect::<Vec<_>>()
            .join("&");
        let reply = api
            .get(&api.api_key(0), &format!("{path}?{repeated}&{repeated}"))
            .await;
        let text = reply.text.clone();
        let reply = reply.ok();
        let mut expected = bare.clone();
        for key in keys.split(' ') {
            assert!(bare.get(key).is_none(), "{key} is only embedded on request");
            assert!(reply["data"].get(key).is_some(), "{dataset} {key}");
            expected[key] = reply["data"][key].clone();
        }
        assert_eq!(
            reply["data"], expected,
            "embedded records are properties of data, next to the record's own"
        );
        assert!(
            keys.split(' ')
                .all(|key| text.matches(&format!("\"{key}\":")).count() == 1),
            "{dataset}: once each"
        );
        let commas = api
            .get(
                &api.api_key(0),
                &format!("{path}?include={}", keys.replace(' ', ",")),
            )
            .await
            .ok();
        assert_eq!(commas, reply);
    }
}

#[tokio::test]
async fn a_get_costs_1_credit_with_any_number_of_include_keys() {
    let api = ServiceWithFile::new().await;
    for (dataset, keys) in INCLUDE_KEYS {
        let id = api
            .query_ids(&format!("SELECT id FROM {dataset} LIMIT 1"))
            .remove(0);
        for include in [
            "".to_owned(),
            format!("?include={}", keys.replace(' ', "&include=")),
        ] {
            let before = api.credits_used(0).await;
            let reply = api
                .get(&api.api_key(0), &format!("/data/{dataset}/{id}{include}"))
                .await
                .ok();
            assert_eq!(
                (&reply["metadata"], api.credits_used(0).await),
                (&json!({"credits": 1}), before + 1),
                "{dataset}{include}"
            );
        }
    }
}

#[tokio::test]
async fn embedded_signals_have_no_payload_and_no_triage_status() {
    let api = ServiceWithFile::new().await;
    for (dataset, count) in [
        ("projects", "signals_count"),
        ("accounts", "projects_count"),
    ] {
        let id = api
            .query_ids(&format!(
                "SELECT id FROM {dataset} ORDER BY {count} DESC LIMIT 1"
            ))
            .remove(0);
        let reply = api
            .get(
                &api.api_key(0),
                &format!("/data/{dataset}/{id}?include=signals"),
            )
            .await
            .ok();
        let signals = reply["data"]["signals"].as_array().unwrap();
        assert!(!signals.is_empty());
        for key in [
            "raw_data",
            "triage_status",
            "priority",
            "triaged_by",
            "triaged_at",
        ] {
            assert!(
                signals.iter().all(|signal| signal.get(key).is_none()),
                "{dataset} {key}"
            );
        }
    }
}

#[tokio::test]
async fn an_embedded_record_is_the_record_of_its_own_get() {
    let api = ServiceWithFile::new().await;
    for (dataset, keys) in INCLUDE_KEYS {
        for key in keys.split(' ') {
            let id = api
                .query_ids(&format!(
                    "SELECT id FROM {dataset} ORDER BY rowid LIMIT 1 OFFSET 5"
                ))
                .remove(0);
            let reply = api
                .get(
                    &api.api_key(0),
                    &format!("/data/{dataset}/{id}?include={key}"),
                )
                .await
                .ok();
            let Some(first) = reply["data"][key]
                .as_array()
                .map_or(Some(&reply["data"][key]), |rows| rows.first())
            else {
                continue;
            };
            let plural = if key.ends_with('s') {
                key.to_owned()
            } else {
                format!("{key}s")
            };
            let mut first = first.clone();
            let roles = first
                .as_object_mut()
                .and_then(|record| record.remove("roles"));
            assert_eq!(
                roles.is_some(),
                dataset == "projects" && key == "accounts",
                "the firm's roles in the project"
            );
            let own = api
                .get(
                    &api.api_key(0),
                    &format!("/data/{plural}/{}", first["id"].as_str().unwrap()),
                )
                .await
                .ok();
            assert_eq!(own["data"], first, "{dataset} {key}");
        }
    }
}
