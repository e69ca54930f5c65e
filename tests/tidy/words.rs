//! Rules on words: names of types and functions, and the text that people read.

use std::collections::BTreeMap;

use crate::source::check_sources;

/// Words that only look like it.
const KEY_LOOKALIKES: &[(&str, &str)] = &[("b", "means")];
/// Where keys are parsed: the configuration's, and the emergency key `Ctrl-c`.
const KEY_PARSER_PATHS: &[&str] = &["app/command/", "app/console/input.rs", "app/testing/"];

#[test]
fn keys_are_looked_up_in_the_command_table() {
    check_sources("add a row to the command table", |source, faults| {
        if source.is_in(&["app/"]) && !source.is_in(KEY_PARSER_PATHS) {
            for line in source.lines_containing("Key::parse") {
                faults.add(line, "a key by hand".to_owned());
            }
        }
    });
}

#[test]
fn console_messages_take_key_names_from_the_keymap() {
    check_sources(
        "write {command}: Notice::with and Keymap::words put its key there",
        |source, faults| {
            if source.is_in(&["app/"]) {
                for (line, text) in &source.string_literals {
                    if let Some((key, verb)) = literal_key_hint(text)
                        .filter(|(key, verb)| !KEY_LOOKALIKES.contains(&(*key, *verb)))
                    {
                        faults.add(*line, format!("a key by hand: {key} {verb}"));
                    }
                }
            }
        },
    );
    assert_eq!(
        literal_key_hint("done: one signal; z undoes"),
        Some(("z", "undoes"))
    );
    assert_eq!(literal_key_hint("gt goes on with it"), Some(("gt", "goes")));
    assert_eq!(
        literal_key_hint("{undo} undoes, Ctrl-c stops, a list grows"),
        None
    );
}

/// A key and what it does, as in `z undoes`.
fn literal_key_hint(text: &str) -> Option<(&str, &str)> {
    let named = [
        "Enter", "Esc", "Space", "Tab", "Up", "Down", "Left", "Right", "aa", "gt", "gp",
    ];
    let is_key = |word: &str| match word {
        "a" | "A" | "I" | "Ctrl-c" | "-" | ";" => false,
        word if word.len() == 1 => {
            word.is_ascii() && !word.starts_with(|c: char| c.is_ascii_digit())
        }
        word => {
            named.contains(&word)
                || word.starts_with("Ctrl-")
                || (word.len() == 2 && word.starts_with(['m', 'y', '*']))
        }
    };
    let is_verb = |word: &str| {
        word.len() > 3 && word.ends_with('s') && word.chars().all(|c| c.is_ascii_lowercase())
    };
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    let pairs = words
        .iter()
        .zip(words.iter().skip(1))
        .map(|(key, verb)| (*key, verb.trim_end_matches([',', ';', '.'])));
    pairs
        .into_iter()
        .find(|(key, verb)| is_key(key) && is_verb(verb) && *key != "my")
}

/// Names that more than two types of `src` may share, and why.
const SHARED_TYPE_NAMES: &[(&str, &str)] = &[(
    "Row",
    "a row of the command table that acts on the pane of its file",
)];

#[test]
fn a_type_name_occurs_at_most_twice() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    check_sources("", |source, _| {
        for (line, text) in source.code.lines().enumerate() {
            let text = text.trim_start();
            let text = text.strip_prefix("pub").map_or(text, |rest| {
                rest.trim_start_matches(|c: char| c == '(' || c == ')' || c.is_lowercase())
                    .trim_start()
            });
            for keyword in ["struct ", "enum ", "trait ", "union ", "type "] {
                // An associated type of an impl has the name that its trait gives it.
                if let Some(rest) = text.strip_prefix(keyword).filter(|_| {
                    keyword != "type " || !source.code.lines().nth(line).unwrap().starts_with(' ')
                }) {
                    let name: String = rest
                        .chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect();
                    // A macro names its type by an argument.
                    if name.is_empty() {
                        continue;
                    }
                    owners.entry(name).or_default().push(format!(
                        "{}:{}",
                        source.display_path(),
                        line + 1
                    ));
                }
            }
        }
    });
    let shared: Vec<_> = owners
        .iter()
        .filter(|(name, places)| {
            places.len() > 2 && !SHARED_TYPE_NAMES.iter().any(|(shared, _)| shared == name)
        })
        .collect();
    assert!(
        shared.is_empty(),
        "qualify these names by what they belong to: {shared:#?}"
    );
}

/// Words that are no name of a function that others call: they say neither what is done nor to
/// what.
const BARE_WORDS: &[&str] = &[
    "about",
    "above",
    "after",
    "again",
    "ahead",
    "alone",
    "anew",
    "around",
    "aside",
    "away",
    "back",
    "before",
    "behind",
    "below",
    "beside",
    "besides",
    "beyond",
    "by",
    "far",
    "for",
    "here",
    "in",
    "near",
    "of",
    "off",
    "on",
    "out",
    "over",
    "past",
    "so",
    "soon",
    "there",
    "those",
    "through",
    "to",
    "under",
    "until",
    "up",
    "via",
    "with",
    "within",
    "without",
    "answered",
    "asked",
    "began",
    "broken",
    "built",
    "chosen",
    "done",
    "ended",
    "found",
    "given",
    "gone",
    "heard",
    "held",
    "kept",
    "known",
    "lent",
    "looked",
    "lost",
    "made",
    "meant",
    "moved",
    "named",
    "said",
    "seen",
    "sent",
    "settled",
    "shown",
    "sought",
    "spent",
    "spoken",
    "taken",
    "told",
    "turned",
    "typed",
    "understood",
    "verified",
    "woke",
    "hear",
    "hold",
    "lay",
    "tell",
    "say",
];

#[test]
fn no_public_function_is_a_lone_preposition_or_participle() {
    check_sources("name it by a verb and its object", |source, faults| {
        for (line, text) in source.code.lines().enumerate() {
            let text = text.trim_start();
            if let Some((_, rest)) = text
                .split_once("fn ")
                .filter(|(before, _)| before.starts_with("pub"))
            {
                let name: String = rest
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if BARE_WORDS.contains(&name.as_str()) {
                    faults.add(line + 1, format!("fn {name}"));
                }
            }
        }
    });
}

/// Phrases that no user should read, each with its plain form.
const WORDS_TO_AVOID: &[(&str, &str)] = &[
    ("anew", "again"),
    ("unless said", "by default"),
    ("so long", "for a duration"),
    ("what became of", "the result of"),
    ("who asks", "the caller"),
    ("is no id", "is not a valid id"),
    ("are nowhere", "say what is loaded"),
    ("is told", "is shown"),
    ("not told", "unknown"),
    ("does not tell", "does not report"),
    ("taken back", "undone"),
    ("takes back", "undoes"),
    ("broke off", "was interrupted"),
    ("the way to", "the connection to"),
    ("goes on with", "resumes"),
    ("go on with", "resume"),
    ("none is taken", "none is accepted"),
    ("not to be had", "unavailable"),
    ("come free", "are released"),
    ("of its own", "its own"),
    ("it is so already", "no change needed"),
    ("all the same", "anyway"),
    ("a word on", "a note about"),
];

#[test]
fn text_for_people_uses_plain_words() {
    check_sources("use the plain form", |source, faults| {
        if matches!(
            source.layer(),
            "app" | "cli" | "client" | "config" | "runtime" | "store" | "domain" | "service"
        ) {
            for (line, text) in source
                .string_literals
                .iter()
                .filter(|(_, text)| text.contains(' '))
            {
                let text = text.to_lowercase();
                for (phrase, plain) in WORDS_TO_AVOID {
                    if text.contains(phrase) {
                        faults.add(*line, format!("{phrase:?}: {plain}"));
                    }
                }
            }
        }
    });
}
