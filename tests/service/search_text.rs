//! Text in searches (interface: `query`, text fields; decisions 1): what is like what, and what stays plain text.

use crate::room::{any, ids, list, room};
use serde_json::{Value, json};

const BOOK_ACCOUNTS: &str = "/workspace/accounts";
const BOOK_CONTACTS: &str = "/workspace/contacts";
const BOOK_PROJECTS: &str = "/workspace/projects";

/// The ids that a query finds, best first.
async fn found(place: &str, query: impl Into<Value>) -> Vec<String> {
    let said = room().search(place, json!({"query": query.into(), "limit": 100})).await.ok();
    ids(said["data"].as_array().unwrap()).into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn has(found: &[String], record: &Value, text: &Value) {
    assert!(found.iter().any(|id| record["id"] == *id), "{text} finds {record}");
}

/// A text with two letters exchanged in its longest word.
fn slipped(text: &str) -> String {
    let longest = text.split(' ').max_by_key(|word| word.len()).unwrap();
    let mut letters: Vec<char> = longest.chars().collect();
    let middle = letters.len() / 2;
    assert!(letters.len() > 4 && letters.iter().all(char::is_ascii_alphabetic), "{longest} has room for a slip");
    letters.swap(middle, middle + 1);
    text.replacen(longest, &letters.into_iter().collect::<String>(), 1)
}

#[tokio::test]
async fn the_query_of_accounts_looks_through_their_names() {
    for account in room().records(BOOK_ACCOUNTS).iter().step_by(6) {
        has(&found(BOOK_ACCOUNTS, account["name"].clone()).await, account, &account["name"]);
    }
}

#[tokio::test]
async fn the_query_of_accounts_looks_through_their_aliases() {
    let mut told = 0;
    for account in room().records(BOOK_ACCOUNTS).iter().filter(|account| !list(account, "aliases").is_empty()).take(8) {
        let alias = &account["aliases"][0];
        has(&found(BOOK_ACCOUNTS, alias.clone()).await, account, alias);
        told += usize::from(alias != &account["name"]);
    }
    assert!(told > 0, "an alias is another name");
}

#[tokio::test]
async fn the_query_of_accounts_does_not_look_through_what_else_there_is() {
    let account = room().one(BOOK_ACCOUNTS, |account| account["city"].is_string() && account["notes"].is_string());
    for key in ["city", "website", "notes"] {
        let found = found(BOOK_ACCOUNTS, account[key].clone()).await;
        let named = |one: &&Value| one["name"].as_str().unwrap().contains(account[key].as_str().unwrap());
        let allowed: Vec<&str> =
            room().records(BOOK_ACCOUNTS).iter().filter(named).map(|one| one["id"].as_str().unwrap()).collect();
        assert!(found.iter().all(|id| allowed.contains(&id.as_str())), "{key} {}", account[key]);
    }
}

/// A contact of the book is found by this text of its own.
async fn finds_contacts_by(text: impl Fn(&Value) -> Value) {
    let contacts = room().records(BOOK_CONTACTS).iter().filter(|contact| text(contact).is_string());
    let mut tried = 0;
    for contact in contacts.take(5) {
        has(&found(BOOK_CONTACTS, text(contact)).await, contact, &text(contact));
        tried += 1;
    }
    assert!(tried > 0);
}

#[tokio::test]
async fn the_query_of_contacts_looks_through_names() {
    finds_contacts_by(|contact| contact["name"].clone()).await;
}

#[tokio::test]
async fn the_query_of_contacts_looks_through_titles() {
    finds_contacts_by(|contact| contact["title"].clone()).await;
}

#[tokio::test]
async fn the_query_of_contacts_looks_through_email_addresses() {
    finds_contacts_by(|contact| contact["email"].clone()).await;
}

#[tokio::test]
async fn the_query_of_contacts_looks_through_phone_numbers() {
    finds_contacts_by(|contact| contact["phone"].clone()).await;
}

#[tokio::test]
async fn the_query_of_contacts_looks_through_the_name_of_their_account() {
    finds_contacts_by(|contact| contact["account"]["name"].clone()).await;
}

#[tokio::test]
async fn the_query_of_contacts_is_fuzzy() {
    let contact = room().one(BOOK_CONTACTS, |contact| {
        let words = contact["name"].as_str().unwrap();
        words.is_ascii() && words.split(' ').any(|word| word.len() > 5 && word.chars().all(char::is_alphabetic))
    });
    let slip = slipped(contact["name"].as_str().unwrap());
    has(&found(BOOK_CONTACTS, slip.clone()).await, contact, &json!(slip));
}

#[tokio::test]
async fn the_query_of_projects_looks_through_names_and_addresses() {
    let project = room().one(BOOK_PROJECTS, |project| project["primary_address"].is_string());
    for key in ["name", "primary_address"] {
        has(&found(BOOK_PROJECTS, project[key].clone()).await, project, &project[key]);
    }
}

#[tokio::test]
async fn the_least_length_of_a_query_is_1() {
    for place in [BOOK_ACCOUNTS, BOOK_CONTACTS, BOOK_PROJECTS] {
        let issue = room().search(place, json!({"query": ""})).await.refused(400, "bad_request")["issues"][0].clone();
        assert_eq!(
            (&issue["code"], &issue["path"], &issue["minimum"]),
            (&json!("too_small"), &json!(["query"]), &json!(1)),
            "{place}"
        );
        room().search(place, json!({"query": "a"})).await.ok();
        for query in [json!(1), json!(["a"]), json!({}), Value::Null] {
            let issue = room().search(place, json!({ "query": query })).await.refused(400, "bad_request")["issues"][0].clone();
            assert_eq!((&issue["code"], &issue["path"]), (&json!("invalid_type"), &json!(["query"])), "{place} {query}");
        }
    }
}

#[tokio::test]
async fn the_data_api_takes_no_query() {
    for dataset in ["accounts", "contacts", "projects", "signals"] {
        let said = room().search(&format!("/data/{dataset}"), json!({"query": "a"})).await;
        assert_eq!(said.refused(400, "bad_request")["issues"][0]["code"], "unknown_key", "{dataset}");
    }
}

#[tokio::test]
async fn a_query_and_filters_combine_with_and() {
    let account = &room().records(BOOK_ACCOUNTS)[3];
    let body = |state: &Value| json!({"query": account["name"], "filters": {"state": {"value": state}}});
    let said = room().search(BOOK_ACCOUNTS, body(&account["state"])).await.ok();
    assert!(said["data"].as_array().unwrap().iter().any(|row| row["id"] == account["id"]));
    let elsewhere = room().search(BOOK_ACCOUNTS, body(&json!("ZZ"))).await.ok();
    assert_eq!(elsewhere["data"], json!([]));
}

#[tokio::test]
async fn a_query_ranks_the_best_first_unless_a_sort_is_said() {
    for account in room().records(BOOK_ACCOUNTS).iter().step_by(9) {
        let found = found(BOOK_ACCOUNTS, account["name"].clone()).await;
        let first = room().one(BOOK_ACCOUNTS, |one| one["id"] == found[0]);
        assert_eq!(first["name"], account["name"]);
    }
    let body = json!({"query": "partners", "sort": {"field": "name", "order": "desc"}, "limit": 100});
    let said = room().search(BOOK_ACCOUNTS, body).await.ok();
    let rows = said["data"].as_array().unwrap();
    let names: Vec<String> = rows.iter().map(|row| row["name"].as_str().unwrap().to_lowercase()).collect();
    assert!(names.len() > 1 && names.is_sorted_by(|a, b| a >= b), "{names:?}");
}

#[tokio::test]
async fn the_pages_of_a_query_go_on_where_the_first_ended() {
    let whole = found(BOOK_CONTACTS, "manager").await;
    assert!(whole.len() > 4);
    let first = room().search(BOOK_CONTACTS, json!({"query": "manager", "limit": 3})).await.ok();
    let body = json!({"query": "manager", "limit": 100, "search_after": first["metadata"]["search_after"]});
    let rest = room().search(BOOK_CONTACTS, body).await.ok();
    let both = [first["data"].as_array().unwrap().clone(), rest["data"].as_array().unwrap().clone()].concat();
    assert_eq!(ids(&both), whole);
}

/// The records of a place whose name is found by a text.
async fn named(place: &str, text: &str) -> Vec<String> {
    let rows = room().all(place, json!({"filters": {"name": {"value": text}}})).await;
    rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn fuzzy_text_is_found_in_any_case_accent_and_width() {
    let account = room().one("/data/accounts", |one| any(one, "account_types", |word| word == "architect"));
    let name = account["name"].as_str().unwrap();
    let wide: String =
        name.chars().map(|c| if c.is_ascii_graphic() { char::from_u32(c as u32 + 0xfee0).unwrap() } else { c }).collect();
    let accented = name.replacen('a', "á", 1).replacen('e', "ê", 1).replacen('o', "o\u{308}", 1);
    for spelled in [name.to_uppercase(), name.to_lowercase(), wide, accented] {
        assert!(named("/data/accounts", &spelled).await.contains(&name.to_owned()), "{spelled} is {name}");
    }
}

#[tokio::test]
async fn fuzzy_text_is_found_by_any_of_its_words() {
    for project in room().records("/data/projects").iter().step_by(40) {
        let name = project["name"].as_str().unwrap();
        for word in name.split(' ').filter(|word| word.len() > 2 && word.chars().all(char::is_alphanumeric)) {
            assert!(named("/data/projects", word).await.contains(&name.to_owned()), "{word} of {name}");
        }
    }
}

#[tokio::test]
async fn fuzzy_text_is_found_with_a_slip_in_a_word_and_with_two_in_a_long_one() {
    let long = |word: &str| word.len() > 8 && word.chars().all(|c| c.is_ascii_alphabetic());
    let project = room().one("/data/projects", |one| one["name"].as_str().unwrap().split(' ').any(long));
    let name = project["name"].as_str().unwrap();
    let word = name.split(' ').find(|word| long(word)).unwrap();
    let (head, tail) = word.split_at(4);
    for spelled in
        [format!("{head}x{tail}"), format!("{head}{}", &tail[1..]), format!("{}x{}{}", &head[..3], tail, "q"), slipped(word)]
    {
        assert!(named("/data/projects", &spelled).await.contains(&name.to_owned()), "{spelled} is like {word}");
    }
    let three = format!("x{}zq", &word[1..word.len() - 2]);
    assert!(!named("/data/projects", &three).await.contains(&name.to_owned()), "{three} is another word than {word}");
}

#[tokio::test]
async fn fuzzy_text_that_occurs_nowhere_finds_nothing() {
    for text in ["zzqqxxyy", "qwertzuiop", "7777777", "東京", "", " ", "--", "\u{1f3d7}"] {
        assert_eq!(named("/data/projects", text).await, [""; 0], "{text:?}");
        assert_eq!(named("/data/accounts", text).await, [""; 0], "{text:?}");
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
            assert!(found(place, text).await.len() < room().records(place).len() / 2, "{place} {text:?}");
        }
        assert!(named("/data/contacts", text).await.len() < 50, "{text:?}");
    }
}
