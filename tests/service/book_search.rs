//! Searching the book (interface: Workspace: book searches, Filter grammar; decisions 2.13).

use crate::shelf::Shelf;
use serde_json::{Value, json};

/// The first workspace's book in SQL: `b` is the overlay, `r` the record.
fn book(word: &str) -> String {
    format!(
        "SELECT r.id FROM book b JOIN {word}s r ON r.id = b.record_id WHERE b.dataset = '{word}'
         AND b.workspace_id = (SELECT id FROM workspaces ORDER BY rowid LIMIT 1)"
    )
}

async fn search(shelf: &Shelf, word: &str, body: Value) -> Value {
    shelf.post(&shelf.key(0), &format!("/workspace/{word}s/search"), body).await.ok()
}

fn ids(said: &Value) -> Vec<String> {
    said["data"].as_array().expect("rows").iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

/// The filters find exactly those records of the book for which `condition` holds, and some but not all when `telling`.
#[track_caller]
fn finds(shelf: &Shelf, word: &str, said: &Value, condition: &str) {
    let mut expected = shelf.ids(&format!("{} AND ({condition})", book(word)));
    let mut found = ids(said);
    assert_eq!(said["metadata"]["total"], expected.len(), "{condition}: {said}");
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{condition}");
    assert!(!found.is_empty() && found.len() < shelf.ids(&book(word)).len(), "{condition} tells nothing apart");
}

#[tokio::test]
async fn an_empty_body_returns_the_first_25_rows_sorted_by_updated_at_descending() {
    let shelf = Shelf::new().await;
    for word in ["account", "contact", "project"] {
        let inputs: Vec<_> = shelf.unsaved(word, 20).into_iter().map(|id| json!({format!("{word}_id"): id})).collect();
        let path = format!("/workspace/{word}s/upsert/batch");
        shelf.post(&shelf.key(0), &path, json!({ "inputs": inputs })).await.ok();
        let order = shelf.ids(&format!("{} ORDER BY b.updated_at DESC, r.id DESC", book(word)));
        assert!(order.len() > 25);
        let before = shelf.used(0).await;
        let said = search(&shelf, word, json!({})).await;
        assert_eq!(ids(&said), order[..25]);
        assert_eq!(shelf.used(0).await, before + 25, "credits equal the rows returned");
        let mut metadata = said["metadata"].clone();
        assert!(metadata["search_after"].as_str().is_some_and(|cursor| !cursor.is_empty()));
        metadata["search_after"] = Value::Null;
        let expected = json!({"total": order.len(), "total_is_capped": false, "limit": 25, "offset": 0, "search_after": null, "credits": 25});
        assert_eq!(metadata, expected);
        let bodiless = shelf.ask(&shelf.key(0), "POST", &format!("/workspace/{word}s/search"), None).await.ok();
        assert_eq!(ids(&bodiless), order[..25]);
    }
}

#[tokio::test]
async fn a_book_search_row_carries_the_fields_of_the_interface() {
    let shelf = Shelf::new().await;
    for (word, fields) in [
        ("account", "id name account_types domains website icp_tier workspace_status notes tags atlas_score atlas_trend"),
        ("contact", "id name title account_id workspace_status notes tags"),
        ("project", "id name city state stage primary_use residential_units last_signal_at workspace_status notes tags"),
    ] {
        let said = search(&shelf, word, json!({"limit": 2})).await;
        let mut fields: Vec<_> = fields.split(' ').collect();
        fields.sort_unstable();
        for row in said["data"].as_array().unwrap() {
            let mut keys: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
            keys.sort_unstable();
            assert_eq!(keys, fields);
        }
    }
}

#[tokio::test]
async fn book_searches_never_return_records_outside_the_book() {
    let shelf = Shelf::new().await;
    for word in ["account", "contact", "project"] {
        let mut all = shelf.ids(&book(word));
        let mut found = Vec::new();
        let mut cursor = Value::Null;
        let mut offset = 0;
        loop {
            let mut body = json!({"limit": 7, "sort": {"field": "name", "order": "asc"}});
            let sliced = search(&shelf, word, json!({"limit": 7, "offset": offset, "sort": body["sort"]})).await;
            if cursor.is_string() {
                body["search_after"] = cursor;
            }
            let said = search(&shelf, word, body).await;
            assert_eq!(ids(&said), ids(&sliced), "a page by cursor is the page by offset");
            assert_eq!((&said["metadata"]["offset"], &said["metadata"]["total"]), (&json!(0), &json!(all.len())));
            assert_eq!(said["metadata"]["credits"], ids(&said).len());
            offset += ids(&said).len();
            found.extend(ids(&said));
            cursor = said["metadata"]["search_after"].clone();
            if cursor.is_null() {
                break;
            }
        }
        found.sort_unstable();
        all.sort_unstable();
        assert_eq!(found, all);
        let past = search(&shelf, word, json!({"offset": 9000})).await;
        assert_eq!((&past["data"], &past["metadata"]["credits"]), (&json!([]), &json!(0)));
        assert_eq!(past["metadata"]["search_after"], Value::Null);
    }
}

#[tokio::test]
async fn another_workspaces_book_is_never_found() {
    let shelf = Shelf::new().await;
    let id = shelf.unsaved("account", 1).remove(0);
    let body = json!({"account_id": id, "tags": ["only-theirs"]});
    shelf.post(&shelf.key(1), "/workspace/accounts/upsert", body).await.ok();
    let filter = json!({"filters": {"tags": {"value": "only-theirs"}}});
    assert_eq!(ids(&search(&shelf, "account", filter.clone()).await).len(), 0);
    let theirs = shelf.post(&shelf.key(1), "/workspace/accounts/search", filter).await.ok();
    assert_eq!(ids(&theirs), [id]);
    let cursor = search(&shelf, "account", json!({"limit": 1})).await["metadata"]["search_after"].clone();
    let body = json!({"limit": 1, "search_after": cursor});
    shelf.post(&shelf.key(1), "/workspace/accounts/search", body).await.refused(400, "bad_request");
}

#[tokio::test]
async fn a_body_that_breaks_a_rule_is_400_and_costs_nothing() {
    let shelf = Shelf::new().await;
    let (key, before) = (shelf.key(0), shelf.used(0).await);
    for (word, body) in [
        ("account", json!({"view_id": "00000000-0000-4000-8000-000000000000"})),
        ("account", json!({"query": ""})),
        ("account", json!({"limit": 0})),
        ("account", json!({"limit": 101})),
        ("account", json!({"offset": -1})),
        ("account", json!({"offset": 10_001})),
        ("account", json!({"sort": {"order": "asc"}})),
        ("account", json!({"sort": {"field": "notes"}})),
        ("account", json!({"sort": {"field": "name", "order": "up"}})),
        ("contact", json!({"sort": {"field": "atlas_score"}})),
        ("project", json!({"sort": {"field": "projects_count"}})),
        ("account", json!({"search_after": "made up"})),
        ("account", json!({"filters": {"icp_tier": {"value": "tier_9"}}})),
        ("account", json!({"filters": {"icp_tier": {"value": "tier_1", "exact_match": true}}})),
        ("account", json!({"filters": {"icp_tier": "tier_1"}})),
        ("account", json!({"filters": {"atlas_score": {"min": "2026-01-01"}}})),
        ("account", json!({"filters": {"colour": {"value": "red"}}})),
        ("account", json!({"filters": {"without_project": {}}})),
        ("account", json!({"filters": {"has_project": {"name": {"value": "x"}}}})),
        ("contact", json!({"filters": {"icp_tier": {"value": "tier_1"}}})),
        ("contact", json!({"filters": {"account_id": {"value": "x"}}})),
        ("project", json!({"filters": {"last_signal_at": {"min": 5}}})),
        ("project", json!([])),
    ] {
        shelf.post(&key, &format!("/workspace/{word}s/search"), body).await.refused(400, "bad_request");
    }
    assert_eq!(shelf.used(0).await, before);
    let said = shelf.post(&key, "/workspace/accounts/search", json!({"filters": {"icp_tier": {"value": "x"}}})).await;
    let issue = said.refused(400, "bad_request")["issues"][0].clone();
    assert_eq!((&issue["code"], &issue["received"]), (&json!("invalid_enum_value"), &json!("x")));
    assert_eq!(issue["allowed"], json!(["tier_1", "tier_2", "tier_3", "disqualified"]));
}

#[tokio::test]
async fn account_filters_find_what_they_say() {
    let shelf = Shelf::new().await;
    let status =
        shelf.text("SELECT workspace_status FROM book WHERE dataset = 'account' AND workspace_status IS NOT NULL LIMIT 1");
    let tag = shelf.text("SELECT t.value FROM book, json_each(tags) t WHERE dataset = 'account' LIMIT 1");
    let state = shelf.text(&format!("{} AND r.state IS NOT NULL LIMIT 1", book("account")).replacen("r.id", "r.state", 1));
    let largest = |column: &str| {
        let theirs =
            "JOIN project_accounts l ON l.account_id = r.id JOIN projects p ON p.id = l.project_id WHERE p.stage IS NOT NULL AND";
        let largest = book("account").replacen("r.id", column, 1).replacen("WHERE", theirs, 1);
        format!("{largest} ORDER BY p.residential_units DESC, p.id LIMIT 1")
    };
    let (stage, units) = (shelf.text(&largest("p.stage")), shelf.number(&largest("p.residential_units")));
    for (filters, condition) in [
        (json!({"icp_tier": {"value": "tier_1"}}), "b.icp_tier = 'tier_1'".to_owned()),
        (json!({"icp_tier": {"value": ["tier_1", "tier_3"]}}), "b.icp_tier IN ('tier_1', 'tier_3')".to_owned()),
        (json!({"icp_tier": {"value": "tier_1", "exclude": true}}), "b.icp_tier IS NOT 'tier_1'".to_owned()),
        (json!({"workspace_status": {"value": status}}), format!("b.workspace_status = '{status}'")),
        (
            json!({"tags": {"value": [tag, "no such tag"]}}),
            format!("EXISTS (SELECT 1 FROM json_each(b.tags) WHERE value = '{tag}')"),
        ),
        (json!({"atlas_score": {"min": 50}}), "b.atlas_score >= 50".to_owned()),
        (json!({"atlas_score": {"min": 40, "max": 60}}), "b.atlas_score BETWEEN 40 AND 60".to_owned()),
        (json!({"state": {"value": state}}), format!("r.state = '{state}'")),
        (json!({"account_type": {"value": ["developer"]}}), "r.account_types LIKE '%\"developer\"%'".to_owned()),
        (
            json!({"has_project": {"stage": {"value": stage}, "residential_units": {"min": units}}}),
            format!(
                "EXISTS (SELECT 1 FROM project_accounts l JOIN projects p ON p.id = l.project_id WHERE l.account_id = r.id
                 AND p.stage = '{stage}' AND p.residential_units >= {units})"
            ),
        ),
        (
            json!({"has_signal": {"signal_type": {"value": "completion"}}}),
            "EXISTS (SELECT 1 FROM project_accounts l JOIN signals s ON s.project_id = l.project_id WHERE l.account_id = r.id
             AND s.signal_type = 'completion')"
                .to_owned(),
        ),
        (
            json!({"icp_tier": {"value": "tier_2"}, "atlas_score": {"min": 0}}),
            "b.icp_tier = 'tier_2' AND b.atlas_score IS NOT NULL".to_owned(),
        ),
    ] {
        let said = search(&shelf, "account", json!({"filters": filters, "limit": 100})).await;
        finds(&shelf, "account", &said, &condition);
    }
}

#[tokio::test]
async fn contact_and_project_filters_find_what_they_say() {
    let shelf = Shelf::new().await;
    let of = |word: &str, column: &str| {
        shelf.text(&format!("{} AND {column} IS NOT NULL LIMIT 1", book(word)).replacen("r.id", column, 1))
    };
    let (email, title) = (of("contact", "r.email"), of("contact", "r.title"));
    let firm = shelf.ids(&format!("{} LIMIT 1", book("contact").replacen("r.id", "r.account_id", 1))).remove(0);
    let city = of("project", "r.city");
    let on = "EXISTS (SELECT 1 FROM project_contacts l JOIN projects p ON p.id = l.project_id WHERE l.contact_id = r.id";
    for (word, filters, condition) in [
        ("contact", json!({"email": {"value": email.to_uppercase()}}), format!("r.email = '{email}'")),
        ("contact", json!({"account_id": {"value": firm}}), format!("lower(hex(r.account_id)) = '{}'", firm.replace('-', ""))),
        ("contact", json!({"title": {"value": title, "exact_match": true}}), format!("r.title = '{title}'")),
        ("contact", json!({"on_project": {"stage": {"value": "approved"}}}), format!("{on} AND p.stage = 'approved')")),
        (
            "contact",
            json!({"at_account": {"account_type": {"value": "developer"}}}),
            "EXISTS (SELECT 1 FROM accounts a WHERE a.id = r.account_id AND a.account_types LIKE '%\"developer\"%')".to_owned(),
        ),
        ("project", json!({"city": {"value": city, "exact_match": true}}), format!("r.city = '{city}'")),
        ("project", json!({"stories": {"min": 5}}), "r.stories >= 5".to_owned()),
        ("project", json!({"stage": {"value": ["approved", "permitted"]}}), "r.stage IN ('approved', 'permitted')".to_owned()),
        (
            "project",
            json!({"has_account": {"role": {"value": "gc"}}}),
            "EXISTS (SELECT 1 FROM project_accounts l WHERE l.project_id = r.id AND l.role = 'gc')".to_owned(),
        ),
    ] {
        let said = search(&shelf, word, json!({"filters": filters, "limit": 100})).await;
        finds(&shelf, word, &said, &condition);
    }
}

#[tokio::test]
async fn a_query_looks_through_names_and_what_belongs_to_them() {
    let shelf = Shelf::new().await;
    let alias = format!("{} AND r.aliases <> '[]' LIMIT 1", book("account"));
    let id = shelf.ids(&alias).remove(0);
    let text = shelf.text(&alias.replacen("r.id", "json_extract(r.aliases, '$[0]')", 1));
    let said = search(&shelf, "account", json!({"query": text, "limit": 100})).await;
    assert!(ids(&said).contains(&id), "{text}");
    let person = format!("{} AND r.email IS NOT NULL AND r.account_id IS NOT NULL LIMIT 1", book("contact"));
    let id = shelf.ids(&person).remove(0);
    for column in ["r.name", "r.title", "r.email", "r.phone", "(SELECT name FROM accounts WHERE id = r.account_id)"] {
        let text = shelf.text(&person.replacen("r.id", column, 1));
        let said = search(&shelf, "contact", json!({"query": text, "limit": 100})).await;
        assert!(ids(&said).contains(&id), "{column}: {text}");
    }
    for text in ["zzqqxxyy", "%", "_", "' OR 1=1 --", "\"", "NEAR(", "*"] {
        let said = search(&shelf, "account", json!({ "query": text })).await;
        assert_eq!(said["data"], json!([]), "{text}");
    }
}

#[tokio::test]
async fn rows_are_sorted_by_the_key_that_is_asked_for() {
    let shelf = Shelf::new().await;
    for (word, key, sql) in [
        ("account", "name", "r.name COLLATE NOCASE"),
        ("account", "created_at", "r.created_at"),
        ("account", "atlas_score", "ifnull(b.atlas_score, -1)"),
        ("account", "projects_count", "(SELECT count(DISTINCT project_id) FROM project_accounts WHERE account_id = r.id)"),
        ("contact", "projects_count", "(SELECT count(*) FROM project_contacts WHERE contact_id = r.id)"),
        ("project", "signals_count", "r.signals_count"),
        ("project", "last_signal_at", "ifnull(r.last_signal_at, -1)"),
    ] {
        let expected = shelf.ids(&format!("{} ORDER BY {sql} DESC, r.id DESC", book(word)));
        let said = search(&shelf, word, json!({"limit": 100, "sort": {"field": key}})).await;
        assert_eq!(ids(&said), expected, "{word} by {key}, descending unless said otherwise");
    }
}

#[tokio::test]
async fn with_a_project_filter_projects_count_counts_only_matching_projects() {
    let shelf = Shelf::new().await;
    let count = "(SELECT count(DISTINCT p.id) FROM project_accounts l JOIN projects p ON p.id = l.project_id
        WHERE l.account_id = r.id AND p.stage = 'approved')";
    let expected = shelf.ids(&format!("{} AND {count} > 0 ORDER BY {count} DESC, r.id DESC", book("account")));
    let body =
        json!({"limit": 100, "filters": {"has_project": {"stage": {"value": "approved"}}}, "sort": {"field": "projects_count"}});
    assert_eq!(ids(&search(&shelf, "account", body).await), expected);
}
