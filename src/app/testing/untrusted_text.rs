//! Untrusted text in every field of every screen: none of it controls the terminal.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{TestConsole, morning_queue};
use crate::app::command::Scope;
use crate::app::effect::ServiceCall;
use crate::app::msg::{Msg, Reply};
use crate::domain::request_error::RequestError;
use crate::text;

#[path = "../../../tests/support/untrusted_text.rs"]
mod pieces;
use pieces::UNTRUSTED_PIECES;

/// A source of hostile texts; the same seed gives the same texts.
struct UntrustedText(u64);

impl UntrustedText {
    fn next_index(&mut self, of: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % of
    }

    fn random_text(&mut self) -> String {
        let length = 1 + self.next_index(12);
        (0..length)
            .map(|_| UNTRUSTED_PIECES[self.next_index(UNTRUSTED_PIECES.len())])
            .collect()
    }

    /// Replaces all texts of a value except IDs, kinds and times.
    fn replace_texts(&mut self, value: Value) -> Value {
        match value {
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.replace_texts(item))
                .collect(),
            Value::Object(fields) => Value::Object(self.replace_fields(fields)),
            Value::String(text) if uuid::Uuid::try_parse(&text).is_ok() => Value::String(text),
            Value::String(_) => Value::String(self.random_text()),
            other => other,
        }
    }

    fn replace_fields(&mut self, fields: Map<String, Value>) -> Map<String, Value> {
        let stays = |name: &str| {
            ["triage_status", "type", "dataset", "priority"].contains(&name)
                || name.ends_with("_at")
        };
        fields
            .into_iter()
            .map(|(name, value)| {
                if stays(&name) {
                    (name, value)
                } else {
                    (name, self.replace_texts(value))
                }
            })
            .collect()
    }

    fn with_replaced_texts<T: Serialize + DeserializeOwned>(&mut self, value: &T) -> T {
        let Value::Object(fields) = json!(value) else {
            panic!("no record")
        };
        serde_json::from_value(Value::Object(self.replace_fields(fields)))
            .expect("the same record with other texts")
    }

    /// A console that shows only untrusted text.
    fn untrusted_console(&mut self) -> TestConsole {
        let rows = morning_queue()
            .iter()
            .map(|row| self.with_replaced_texts(row))
            .collect();
        let mut console = TestConsole::with_size(rows, (120, 36), super::AppSettings::default());
        let mut service = console.service.clone();
        for record in service.records.values_mut().flatten() {
            *record = self.replace_fields(std::mem::take(record));
        }
        for overlay in service.book.values_mut() {
            *overlay = self.replace_fields(std::mem::take(overlay));
        }
        service.views = service
            .views
            .iter()
            .map(|view| self.with_replaced_texts(view))
            .collect();
        console.service = service;
        console.poll().serve()
    }
}

/// No cell contains a control sequence or an invisible character.
fn assert_harmless(console: &TestConsole, what: &str) {
    for cell in console.draw_to_buffer().content() {
        let symbol = cell.symbol();
        assert!(
            matches!(text::sanitize_line(symbol), Cow::Borrowed(_)),
            "{what}: {symbol:?} on\n{}",
            console.screen_text()
        );
    }
}

#[test]
fn untrusted_text_never_reaches_a_screen_cell_unescaped() {
    for scope in Scope::ALL {
        for seed in 0..25 {
            let mut strangers = UntrustedText(seed);
            let console = strangers.untrusted_console().go_to_scope(*scope);
            let what = format!("{scope:?} of seed {seed}");
            assert_harmless(&console, &what);
            let console = console.send(Msg::Resized(60, 20));
            assert_harmless(&console, &what);
            let console = console.press("?");
            assert_harmless(&console, &what);
        }
    }
}

#[test]
fn error_messages_never_reach_a_screen_cell_unescaped() {
    for seed in 0..200 {
        let message = UntrustedText(seed).random_text();
        let console = TestConsole::with_rows(morning_queue())
            .press("e")
            .fail_next(RequestError::new_ambiguous(message.clone()));
        assert_harmless(&console, &format!("{message:?}"));
    }
}

#[test]
fn megabyte_long_notes_and_names_are_drawn_safely() {
    let mut console = TestConsole::with_rows(morning_queue());
    let long = |value: &str| Value::String(value.repeat((1 << 20) / value.len()));
    for record in console.service.records.values_mut().flatten() {
        record.insert("name".to_owned(), long("x"));
        record.insert("description".to_owned(), long("a word "));
    }
    for overlay in console.service.book.values_mut() {
        overlay.insert("notes".to_owned(), long("o\u{301}\u{302}\u{303}"));
    }
    for row in &mut console.rows {
        row.signal.project_name = Some("y".repeat(1 << 20));
    }
    let console = console.poll().press("R").serve();
    for scope in [Scope::Queue, Scope::Book, Scope::Record] {
        let drawn = TestConsole {
            service: console.service.clone(),
            rows: console.rows.clone(),
            ..TestConsole::with_rows(morning_queue())
        }
        .press("R")
        .serve()
        .go_to_scope(scope);
        assert_harmless(&drawn, &format!("{scope:?}"));
    }
}

#[test]
fn a_payload_of_any_shape_and_size_is_drawn_safely() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let wide: Value = (0..200_000)
        .map(|n| json!({ "n": n, "text": "x" }))
        .collect();
    for raw in [
        deep,
        wide,
        json!("y".repeat(5 << 20)),
        json!(null),
        json!({ "": { "\u{1b}[2J": "\u{202e}" } }),
    ] {
        let mut console = TestConsole::at_scope(Scope::Detail).press("]");
        while !matches!(
            console.pending_calls.front(),
            Some((_, ServiceCall::Signal { .. }))
        ) {
            console = console.serve().press("] Down Enter");
        }
        let (token, _) = console
            .pending_calls
            .pop_front()
            .expect("a call for the payload");
        let row = console.rows[2].signal.clone();
        let signal = crate::domain::signals::Signal {
            raw_data: Some(raw),
            ..row
        };
        let console = console.send(Msg::Replied(
            token,
            Ok(Reply::Signal((Box::new(signal), None))),
        ));
        assert_harmless(&console, "the payload");
        assert_harmless(&console.press("G"), "its end");
    }
}

#[test]
fn mouse_events_anywhere_are_harmless() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    for scope in Scope::ALL {
        let mut console = TestConsole::at_scope(*scope);
        for kind in [
            MouseEventKind::Down(MouseButton::Left),
            MouseEventKind::ScrollDown,
            MouseEventKind::ScrollUp,
            MouseEventKind::Moved,
        ] {
            for (column, row) in [
                (0, 0),
                (10, 5),
                (60, 20),
                (119, 35),
                (120, 36),
                (9_999, 9_999),
                (u16::MAX, u16::MAX),
                (3, u16::MAX),
            ] {
                console = console
                    .send(Msg::Mouse(MouseEvent {
                        kind,
                        column,
                        row,
                        modifiers: KeyModifiers::NONE,
                    }))
                    .serve();
                assert_harmless(&console, &format!("{scope:?} {kind:?} at {column}, {row}"));
            }
        }
    }
}
