//! Splits a typed line into words, as a shell does, without a shell: quotes keep a word together, a
//! backslash takes the next character as it is.

/// The words of a line.
///
/// # Errors
/// A quote that is not closed.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => Err(format!("the quote {quote} is not closed")),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together_and_a_backslash_takes_the_next_character() {
        for (line, words) in [
            (
                "queue list --priority high",
                vec!["queue", "list", "--priority", "high"],
            ),
            (
                r#"  a "b c" 'd "e' f\ g "\"" "#,
                vec!["a", "b c", "d \"e", "f g", "\""],
            ),
            (r#"a'b c'd "" "#, vec!["ab cd", ""]),
            ("", vec![]),
        ] {
            assert_eq!(
                split_words(line),
                Ok(words.into_iter().map(str::to_owned).collect()),
                "{line}"
            );
        }
        assert_eq!(
            split_words("say 'it").unwrap_err(),
            "the quote ' is not closed"
        );
    }
}
