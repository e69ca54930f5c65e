//! Text in searches (interface: `query`, text fields; decisions 1): fuzzy matches, and what is
//! taken literally.

use crate::shared_service::{any_related, list_field, record_ids, shared_service};
use serde_json::{Value, json};

const BOOK_ACCOUNTS: &str = "/workspace/accounts";
const BOOK_CONTACTS: &str = "/workspace/contacts";
const BOOK_PROJECTS: &str = "/workspace/projects";

/// The ids that a query finds, best first.
async fn query_ids(place: &str, query: impl Into<Value>) -> Vec<String> {
    let reply = shared_service()
        .search_page(place, json!({"query": query.into(), "limit": 100}))
        .await
        .ok();
    record_ids(reply["data"].as_array().unwrap())
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn assert_found(found: &[String], record: &Value, text: &Value) {
    assert!(
        found.iter().any(|id| record["id"] == *id),
        "{text} finds {record}"
    );
}

/// A text with two letters swapped in its longest word.
fn misspelled(text: &str) -> String {
    let longest = text.split(' ').max_by_key(|word| word.len()).unwrap();
    let mut letters: Vec<char> = longest.chars().collect();
    let middle = letters.len() / 2;
    assert!(
        letters.len() > 4 && letters.iter().all(char::is_ascii_alphabetic),
        "{longest} is long enough for a typo"
    );
    letters.swap(middle, middle + 1);
    text.replacen(longest, &letters.into_iter().collect::<String>(), 1)
}

#[tokio::test]
async fn the_account_query_searches_names() {
    for account in shared_service().records(BOOK_ACCOUNTS).iter().step_by(6) {
        assert_found(
            &query_ids(BOOK_ACCOUNTS, account["name"].clone()).await,
            account,
            &account["name"],
        );
    }
}

#[tokio::test]
async fn the_account_query_searches_aliases() {
    let mut renamed = 0;
    for account in shared_service()
        .records(BOOK_ACCOUNTS)
        .iter()
        .filter(|account| !list_field(account, "aliases").is_empty())
        .take(8)
    {
        let alias = &account["aliases"][0];
        assert_found(
            &query_ids(BOOK_ACCOUNTS, alias.clone()).await,
            account,
            alias,
        );
        renamed += usize::from(alias != &account["name"]);
    }
    assert!(renamed > 0, "an alias differs from the name");
}

#[tokio::test]
async fn the_account_query_searches_no_other_fields() {
    let account = shared_service().find_record(BOOK_ACCOUNTS, |account| {
        account["city"].is_string() && account["notes"].is_string()
    });
    for key in ["city", "website", "notes"] {
        let found = query_ids(BOOK_ACCOUNTS, account[key].clone()).await;
        let named = |one: &&Value| {
            one["name"]
                .as_str()
                .unwrap()
                .contains(account[key].as_str().unwrap())
        };
        let allowed: Vec<&str> = shared_service()
            .records(BOOK_ACCOUNTS)
            .iter()
            .filter(named)
            .map(|one| one["id"].as_str().unwrap())
            .collect();
        assert!(
            found.iter().all(|id| allowed.contains(&id.as_str())),
            "{key} {}",
            account[key]
        );
    }
}

/// Checks that a contact of the book is found by its own text.
async fn assert_contacts_found_by(text: impl Fn(&Value) -> Value) {
    let contacts = shared_service()
        .records(BOOK_CONTACTS)
        .iter()
        .filter(|contact| text(contact).is_string());
    let mut tried = 0;
    for contact in contacts.take(5) {
        assert_found(
            &query_ids(BOOK_CONTACTS, text(contact)).await,
            contact,
            &text(contact),
        );
        tried += 1;
    }
    assert!(tried > 0);
}

#[tokio::test]
async fn the_contact_query_searches_names() {
    assert_contacts_found_by(|contact| contact["name"].clone()).await;
}

#[tokio::test]
async fn the_contact_query_searches_titles() {
    assert_contacts_found_by(|contact| contact["title"].clone()).await;
}

#[tokio::test]
async fn the_contact_query_searches_email_addresses() {
    assert_contacts_found_by(|contact| contact["email"].clone()).await;
}

#[tokio::test]
async fn the_contact_query_searches_phone_numbers() {
    assert_contacts_found_by(|contact| contact["phone"].clone()).await;
}

#[tokio::test]
async fn the_contact_query_searches_account_names() {
    assert_contacts_found_by(|contact| contact["account"]["name"].clone()).await;
}

#[tokio::test]
async fn the_contact_query_is_fuzzy() {
    let contact = shared_service().find_record(BOOK_CONTACTS, |contact| {
        let words = contact["name"].as_str().unwrap();
        words.is_ascii()
            && words
                .split(' ')
                .any(|word| word.len() > 5 && word.chars().all(char::is_alphabetic))
    });
    let slip = misspelled(contact["name"].as_str().unwrap());
    assert_found(
        &query_ids(BOOK_CONTACTS, slip.clone()).await,
        contact,
        &json!(slip),
    );
}

#[tokio::test]
async fn the_project_query_searches_names_and_addresses() {
    let project = shared_service().find_record(BOOK_PROJECTS, |project| {
        project["primary_address"].is_string()
    });
    for key in ["name", "primary_address"] {
        assert_found(
            &query_ids(BOOK_PROJECTS, project[key].clone()).await,
            project,
            &project[key],
        );
    }
}

#[tokio::test]
async fn the_minimum_query_length_is_1() {
    for place in [BOOK_ACCOUNTS, BOOK_CONTACTS, BOOK_PROJECTS] {
        let issue = shared_service()
            .search_page(place, json!({"query": ""}))
            .await
            .expect_error(400, "bad_request")["issues"][0]
            .clone();
        assert_eq!(
            (&issue["code"], &issue["path"], &issue["minimum"]),
            (&json!("too_small"), &json!(["query"]), &json!(1)),
            "{place}"
        );
        shared_service()
            .search_page(place, json!({"query": "a"}))
            .await
            .ok();
        for query in [json!(1), json!(["a"]), json!({}), Value::Null] {
            let issue = shared_service()
                .search_page(place, json!({ "query": query }))
                .await
                .expect_error(400, "bad_request")["issues"][0]
                .clone();
            assert_eq!(
                (&issue["code"], &issue["path"]),
                (&json!("invalid_type"), &json!(["query"])),
                "{place} {query}"
            );
        }
    }
}

#[tokio::test]
async fn the_data_api_rejects_a_query() {
    for dataset in ["accounts", "contacts", "projects", "signals"] {
        let reply = shared_service()
            .search_page(&format!("/data/{dataset}"), json!({"query": "a"}))
            .await;
        assert_eq!(
            reply.expect_error(400, "bad_request")["issues"][0]["code"],
            "unknown_key",
            "{dataset}"
        );
    }
}

#[tokio::test]
async fn a_query_and_filters_combine_with_and() {
    let account = &shared_service().records(BOOK_ACCOUNTS)[3];
    let body =
        |state: &Value| json!({"query": account["name"], "filters": {"state": {"value": state}}});
    let reply = shared_service()
        .search_page(BOOK_ACCOUNTS, body(&account["state"]))
        .await
        .ok();
    assert!(
        reply["data"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["id"] == account["id"])
    );
    let elsewhere = shared_service()
        .search_page(BOOK_ACCOUNTS, body(&json!("ZZ")))
        .await
        .ok();
    assert_eq!(elsewhere["data"], json!([]));
}

#[tokio::test]
async fn a_query_ranks_the_best_match_first_unless_sorted() {
    for account in shared_service().records(BOOK_ACCOUNTS).iter().step_by(9) {
        let found = query_ids(BOOK_ACCOUNTS, account["name"].clone()).await;
        let first = shared_service().find_record(BOOK_ACCOUNTS, |one| one["id"] == found[0]);
        assert_eq!(first["name"], account["name"]);
    }
    let body =
        json!({"query": "partners", "sort": {"field": "name", "order": "desc"}, "limit": 100});
    let reply = shared_service().search_page(BOOK_ACCOUNTS, body).await.ok();
    let rows = reply["data"].as_array().unwrap();
    let names: Vec<String> = rows
        .iter()
        .map(|row| row["name"].as_str().unwrap().to_lowercase())
        .collect();
    assert!(
        names.len() > 1 && names.is_sorted_by(|a, b| a >= b),
        "{names:?}"
    );
}

#[tokio::test]
async fn query_pages_continue_where_the_last_one_ended() {
    let whole = query_ids(BOOK_CONTACTS, "manager").await;
    assert!(whole.len() > 4);
    let first = shared_service()
        .search_page(BOOK_CONTACTS, json!({"query": "manager", "limit": 3}))
        .await
        .ok();
    let body = json!({"query": "manager", "limit": 100, "search_after": first["metadata"]["search_after"]});
    let rest = shared_service().search_page(BOOK_CONTACTS, body).await.ok();
    let both = [
        first["data"].as_array().unwrap().clone(),
        rest["data"].as_array().unwrap().clone(),
    ]
    .concat();
    assert_eq!(record_ids(&both), whole);
}

/// The names of the records that a text finds.
async fn names_found(place: &str, text: &str) -> Vec<String> {
    let rows = shared_service()
        .search_all(place, json!({"filters": {"name": {"value": text}}}))
        .await;
    rows.iter()
        .map(|row| row["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn fuzzy_text_ignores_case_accents_and_width() {
    let account = shared_service().find_record("/data/accounts", |one| {
        any_related(one, "account_types", |word| word == "architect")
    });
    let name = account["name"].as_str().unwrap();
    let wide: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() {
                char::from_u32(c as u32 + 0xfee0).unwrap()
            } else {
                c
            }
        })
        .collect();
    let accented = name
        .replacen('a', "á", 1)
        .replacen('e', "ê", 1)
        .replacen('o', "o\u{308}", 1);
    for spelled in [name.to_uppercase(), name.to_lowercase(), wide, accented] {
        assert!(
            names_found("/data/accounts", &spelled)
                .await
                .contains(&name.to_owned()),
            "{spelled} finds {name}"
        );
    }
}

#[tokio::test]
async fn fuzzy_text_matches_any_of_its_words() {
    for project in shared_service()
        .records("/data/projects")
        .iter()
        .step_by(40)
    {
        let name = project["name"].as_str().unwrap();
        for word in name
            .split(' ')
            .filter(|word| word.len() > 2 && word.chars().all(char::is_alphanumeric))
        {
            assert!(
                names_found("/data/projects", word)
                    .await
                    .contains(&name.to_owned()),
                "{word} of {name}"
            );
        }
    }
}

#[tokio::test]
async fn fuzzy_text_tolerates_one_typo_and_two_in_a_long_word() {
    let long = |word: &str| word.len() > 8 && word.chars().all(|c| c.is_ascii_alphabetic());
    let project = shared_service().find_record("/data/projects", |one| {
        one["name"].as_str().unwrap().split(' ').any(long)
    });
    let name = project["name"].as_str().unwrap();
    let word = name.split(' ').find(|word| long(word)).unwrap();
    let (head, tail) = word.split_at(4);
    for spelled in [
        format!("{head}x{tail}"),
        format!("{head}{}", &tail[1..]),
        format!("{}x{}{}", &head[..3], tail, "q"),
        misspelled(word),
    ] {
        assert!(
            names_found("/data/projects", &spelled)
                .await
                .contains(&name.to_owned()),
            "{spelled} finds {word}"
        );
    }
    let three = format!("x{}zq", &word[1..word.len() - 2]);
    assert!(
        !names_found("/data/projects", &three)
            .await
            .contains(&name.to_owned()),
        "{three} does not find {word}"
    );
}

#[tokio::test]
async fn absent_fuzzy_text_finds_nothing() {
    for text in [
        "zzqqxxyy",
        "qwertzuiop",
        "7777777",
        "東京",
        "",
        " ",
        "--",
        "\u{1f3d7}",
    ] {
        assert_eq!(
            names_found("/data/projects", text).await,
            [""; 0],
            "{text:?}"
        );
        assert_eq!(
            names_found("/data/accounts", text).await,
            [""; 0],
            "{text:?}"
        );
    }
}

#[tokio::test]
async fn wildcards_quotes_and_operators_are_plain_text() {
    for text in [
        "%",
        "_",
        "*",
        "a*",
        "\"",
        "'",
        "' OR 1=1 --",
        "NEAR(",
        "name:a",
        "a OR b",
        "x NOT y",
        "{",
        "(",
        "^a",
        "\\",
        "\u{0}",
        "a AND",
    ] {
        for place in [BOOK_ACCOUNTS, BOOK_CONTACTS, BOOK_PROJECTS] {
            assert!(
                query_ids(place, text).await.len() < shared_service().records(place).len() / 2,
                "{place} {text:?}"
            );
        }
        assert!(
            names_found("/data/contacts", text).await.len() < 50,
            "{text:?}"
        );
    }
}
