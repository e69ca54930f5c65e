//! Rules on the settings of the configuration: each is described once.

use crate::console::check;
use crate::imports::tokenize;
use crate::source::{SOURCES, SourceFile};

/// A flag, a program and a choice of words, which stand for all settings of a plain kind.
const EXAMPLES: &[&str] = &["hide_names", "sound_low", "date_format"];

/// A description in a second place could say something else. The code that uses the value names it
/// too, where the console gets its settings.
#[test]
fn a_setting_is_one_line_and_the_code_that_uses_its_value() {
    let described = places(|source| source.layer() != "runtime");
    check("lines that describe the example settings", &described);
    let used = places(|source| source.layer() == "runtime");
    check("lines that use the example settings", &used);
}

/// The lines that name one of the examples, as a part of the code or in a text.
fn places(is_searched: impl Fn(&SourceFile) -> bool) -> Vec<String> {
    let is_named = |text: &str| {
        text.split(['.', ' ', '`'])
            .any(|word| EXAMPLES.contains(&word))
    };
    let mut places = Vec::new();
    for source in SOURCES.iter().filter(|source| is_searched(source)) {
        let tokens = tokenize(&source.code);
        let in_code = tokens.iter().filter(|token| is_named(token.text));
        let in_texts = source.string_literals.iter();
        let lines = in_code.map(|token| token.line).chain(
            in_texts
                .filter(|(_, text)| is_named(text))
                .map(|(line, _)| *line),
        );
        places.extend(lines.map(|line| format!("src/{}:{line}", source.display_path())));
    }
    places
}
