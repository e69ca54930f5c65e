//! Texts: the columns find and rank like plain Rust.

use serde_json::json;

use super::*;
use crate::domain::fuzzy::QueryText;

/// All texts of the records, by id.
fn column_texts(conn: &db::Conn, sql: &str) -> Vec<(String, String)> {
    let mut read = conn.prepare(sql).unwrap();
    let rows = read
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            ))
        })
        .unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn with_typo(word: &str, nth: usize) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = nth % letters.len();
    match nth % 4 {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, 'q'),
        2 => letters[at] = 'x',
        _ if at > 0 => letters.swap(at - 1, at),
        _ => letters.swap(0, 1),
    }
    letters.into_iter().collect()
}

#[test]
fn columns_and_plain_rust_find_the_same() {
    let conn = sample_connection(50);
    for (dataset, key, sql) in [
        (
            Dataset::Projects,
            "name",
            "SELECT uuid(id), name FROM projects",
        ),
        (
            Dataset::Projects,
            "city",
            "SELECT uuid(id), city FROM projects",
        ),
        (
            Dataset::Accounts,
            "name",
            "SELECT uuid(id), name FROM accounts",
        ),
        (
            Dataset::Contacts,
            "title",
            "SELECT uuid(id), title FROM contacts",
        ),
        (
            Dataset::Contacts,
            "email",
            "SELECT uuid(id), email FROM contacts",
        ),
    ] {
        let values = column_texts(&conn, sql);
        let words: Vec<&str> = values
            .iter()
            .flat_map(|(_, value)| value.split_whitespace())
            .collect();
        let mut sought: Vec<String> = ["Harbor", "the", "view", "ian", "St", "12", "1", "zzzzqq"]
            .map(str::to_owned)
            .into();
        sought.extend(values.iter().step_by(41).map(|(_, value)| value.clone()));
        sought.extend(words.iter().step_by(61).map(|word| (*word).to_owned()));
        sought.extend(
            words
                .iter()
                .step_by(37)
                .filter(|word| word.chars().count() > 4)
                .enumerate()
                .map(|(nth, word)| with_typo(word, nth)),
        );
        for text in sought {
            let plain = QueryText::new(&text);
            let mut expected: Vec<String> = values
                .iter()
                .filter(|(_, value)| plain.matches(value))
                .map(|(id, _)| id.clone())
                .collect();
            let mut found = fetch_all(
                &conn,
                &search_context(dataset, SearchScope::Data),
                &json!({"filters": {key: {"value": text}}}),
            );
            let mut excluded = fetch_all(
                &conn,
                &search_context(dataset, SearchScope::Data),
                &json!({"filters": {key: {"value": text, "exclude": true}}}),
            );
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{dataset:?} {key} {text:?}");
            excluded.extend(found);
            assert_eq!(excluded.len(), values.len(), "{dataset:?} {key} {text:?}");
        }
    }
}

#[test]
fn exact_match_is_the_same_text_in_any_case() {
    let conn = sample_connection(80);
    for (id, name) in column_texts(&conn, "SELECT uuid(id), name FROM accounts")
        .iter()
        .step_by(9)
    {
        let same = |text: &str| {
            fetch_all(
                &conn,
                &search_context(Dataset::Accounts, SearchScope::Data),
                &json!({"filters": {"name": {"value": text, "exact_match": true}}}),
            )
        };
        assert!(same(name).contains(id));
        assert!(same(&name.to_uppercase()).contains(id));
        assert!(!same(&name[..name.len() - 1]).contains(id), "{name}");
        assert!(!same(&with_typo(name, 2)).contains(id), "{name}");
    }
}

#[test]
fn a_query_ranks_best_first() {
    let conn = sample_connection(300);
    let accounts = search_context(Dataset::Accounts, SearchScope::Book);
    let (rows, _) = fetch_page(&conn, &accounts, &json!({"limit": 100}));
    let mut ranked = 0;
    for row in rows.iter().step_by(5) {
        let name = row["name"].as_str().unwrap();
        let (found, _) = fetch_page(&conn, &accounts, &json!({"query": name}));
        assert_eq!(
            found[0]["name"].as_str().unwrap().to_lowercase(),
            name.to_lowercase()
        );
        let first = name.split_whitespace().next().unwrap();
        let (found, _) = fetch_page(&conn, &accounts, &json!({"query": first}));
        let text = QueryText::new(first);
        let ranks: Vec<i64> = found
            .iter()
            .map(|row| text.rank(row["name"].as_str().unwrap()))
            .collect();
        assert!(ranks.is_sorted(), "{ranks:?}");
        ranked += usize::from(found.len() > 1);
    }
    assert!(ranked > 0);
}

#[test]
fn a_contact_is_found_by_name_title_email_phone_and_its_accounts_name() {
    let conn = sample_connection(100);
    let row = conn
        .query_row(
            "SELECT uuid(c.id), c.name, c.title, c.email, c.phone, a.name FROM contacts c JOIN accounts a ON a.id = c.account_id
             JOIN book b ON b.record_id = c.id AND b.workspace_id = ?1 WHERE c.title IS NOT NULL AND c.email IS NOT NULL AND c.phone IS NOT NULL",
            [WORKSPACE.0],
            |row| (0..6).map(|at| row.get::<_, String>(at)).collect::<Result<Vec<_>, _>>(),
        )
        .unwrap();
    for text in &row[1..] {
        assert!(
            fetch_all(
                &conn,
                &search_context(Dataset::Contacts, SearchScope::Book),
                &json!({"query": text})
            )
            .contains(&row[0]),
            "{text}"
        );
    }
}

#[test]
fn a_renamed_account_is_found_by_its_new_name() {
    let conn = sample_connection(30);
    conn.execute(
        "UPDATE accounts SET name = 'Zyxwvut Partners' WHERE rowid = 3",
        [],
    )
    .unwrap();
    let found = fetch_all(
        &conn,
        &search_context(Dataset::Accounts, SearchScope::Data),
        &json!({"filters": {"name": {"value": "zyxwvutt"}}}),
    );
    assert_eq!(found.len(), 1);
    conn.execute(
        "DELETE FROM book WHERE record_id IN (SELECT id FROM projects WHERE rowid = 1)",
        [],
    )
    .unwrap();
    let at: i64 = conn
        .query_row("SELECT count(*) FROM contacts WHERE account_id = (SELECT id FROM accounts WHERE rowid = 3)", [], |row| {
            row.get(0)
        })
        .unwrap();
    let staff = fetch_all(
        &conn,
        &search_context(Dataset::Contacts, SearchScope::Data),
        &json!({"filters": {"at_account": {"name": {"value": "Zyxwvut"}}}}),
    );
    assert_eq!(staff.len() as i64, at);
}
