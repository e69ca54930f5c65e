//! Arguments that are words of the interface.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses one of these words.
pub(super) fn parse_word<T>(
    words: impl Into<PossibleValuesParser>,
) -> impl TypedValueParser<Value = T>
where
    T: for<'w> From<&'w str> + Clone + Send + Sync + 'static,
{
    words.into().map(|word| T::from(word.as_str()))
}

/// Parses one of these words; the help says what each means.
pub(super) fn parse_explained_word<T, const N: usize>(
    words: [(&'static str, &'static str); N],
) -> impl TypedValueParser<Value = T>
where
    T: for<'w> From<&'w str> + Clone + Send + Sync + 'static,
{
    parse_word(words.map(|(word, meaning)| PossibleValue::new(word).help(meaning)))
}
