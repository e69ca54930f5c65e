//! Fuzz targets: what is done with arbitrary bytes and which invariants hold, one function each.
//! `cargo test` runs them over a bounded number of mutated seeds, `cargo fuzz` without bound.

use std::path::Path;

use gantry::client::read_rows;
use gantry::domain::batch::BatchItemResult;
use gantry::domain::conditions::{ConditionLine, Conditions};
use gantry::domain::queue::QueueSignal;
use gantry::domain::records::Record;
use gantry::domain::sentence::describe_search;
use gantry::domain::signals::Signal;
use gantry::domain::subscriptions::Subscription;
use gantry::domain::views::View;
use gantry::domain::vocabulary::{NlTranslation, Vocabulary};
use gantry::interface::PayloadPath;
use gantry::{config, text};
use serde::de::DeserializeOwned;

#[path = "console.rs"]
mod console;
#[path = "../support/untrusted_text.rs"]
pub mod untrusted_text;
pub use console::keys;
use untrusted_text::is_harmless;

/// A response is decoded or reported as unexpected; the fields of a decoded one can be read.
pub fn decode(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    fn decode_rows<T: DeserializeOwned>(text: &str, payload: PayloadPath) -> Vec<T> {
        read_rows(text.to_owned(), payload)
            .map(|rows| rows.rows)
            .unwrap_or_default()
    }
    for row in decode_rows::<QueueSignal>(&text, PayloadPath::Key("signals")) {
        let _ = row.days_left(chrono::DateTime::UNIX_EPOCH);
    }
    for record in decode_rows::<Record>(&text, PayloadPath::Data) {
        let fields = record.fields();
        for include in ["accounts", "contacts", "projects", "signals", "account"] {
            fields.embedded_records(include);
        }
        let again: Record =
            serde_json::from_str(&serde_json::to_string(&record).expect("a record is JSON"))
                .expect("it was read");
        assert_eq!(again.id, record.id);
    }
    decode_rows::<Signal>(&text, PayloadPath::Key("signals"));
    decode_rows::<Subscription>(&text, PayloadPath::Key("subscriptions"));
    decode_rows::<View>(&text, PayloadPath::Data);
    decode_rows::<BatchItemResult>(&text, PayloadPath::DataKey("results"));
    let _ = serde_json::from_str::<Vocabulary>(&text);
    let _ = serde_json::from_str::<NlTranslation>(&text);
}

/// A sanitized text cannot control a terminal and has the reported width.
pub fn safe_text(data: &[u8]) {
    let wild = String::from_utf8_lossy(data);
    let (cells, wild) = (
        usize::from(data.first().copied().unwrap_or(40)),
        wild.as_ref(),
    );
    let line = text::sanitize_line(wild);
    assert!(line.chars().all(is_harmless), "{line:?}");
    let block = text::sanitize_block(wild);
    assert!(
        block.split('\n').all(|line| line.chars().all(is_harmless)),
        "{block:?}"
    );
    assert!(text::display_width(&text::truncate(&line, cells, "…")) <= cells);
    for wrapped in text::wrap_text(&block, cells) {
        assert!(
            cells < 2 || text::display_width(&wrapped) <= cells,
            "{wrapped:?} is wider than {cells}"
        );
    }
}

/// A typed filter is parsed or rejected with a reason; a parsed one is written back unchanged.
pub fn filter(data: &[u8]) {
    let typed = String::from_utf8_lossy(data);
    let read = |text: &str| {
        ConditionLine::parse(text, &Vocabulary::default()).map(ConditionLine::into_search)
    };
    match read(&typed) {
        Ok((query, filters)) => {
            let again = read(&filters.to_line(&query)).expect("a written filter can be parsed");
            assert_eq!(again, (query, filters.clone()), "{typed:?}");
            let json = filters.to_json();
            assert_eq!(
                Conditions::from_json(&json).map(|read| read.to_json()),
                Ok(json),
                "{typed:?}"
            );
            describe_search("projects", &filters, "", &Vocabulary::default());
        }
        Err(why) => {
            assert!(!why.message.trim().is_empty() && typed.get(why.place).is_some());
        }
    }
    if let Ok(json) = serde_json::from_slice(data)
        && let Ok(filters) = Conditions::from_json(&json)
    {
        filters.to_line("");
        describe_search("accounts", &filters, "", &Vocabulary::default());
    }
}

/// A configuration file is accepted, or rejected in one line with its location and no secret.
pub fn configuration(data: &[u8]) {
    let written = String::from_utf8_lossy(data);
    match config::validate_config(Path::new("config.toml"), &written) {
        Ok(notes) => assert!(notes.iter().all(|note| note.starts_with("config.toml:"))),
        Err(wrong) => assert!(
            wrong.message.starts_with("config.toml:"),
            "{}",
            wrong.message
        ),
    }
}
