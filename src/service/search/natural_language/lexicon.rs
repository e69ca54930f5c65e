//! The phrases that questions are made of: those of `assets/questions/words.toml`, and the values
//! of all enums.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::service::dataset::Dataset;
use crate::service::embedded_data::parse_table;
use crate::service::search::fields::{self, FilterDialect, FilterKind};
use crate::service::search::vocabulary::SKILL_ENUMS;

/// Words that are separated by one space, and what they mean.
pub(super) struct Phrase {
    pub text: String,
    pub meaning: String,
}

/// The phrases of each list.
static LEXICON: LazyLock<BTreeMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let file = include_str!("../../../../assets/questions/words.toml");
    let lists: BTreeMap<String, BTreeMap<String, Vec<String>>> = parse_table(file);
    let mut lexicon: BTreeMap<String, Vec<Phrase>> = BTreeMap::new();
    for (list, meanings) in lists {
        let phrases = lexicon.entry(list).or_default();
        for (meaning, texts) in meanings {
            phrases.extend(texts.iter().map(|text| Phrase::new(text, &meaning)));
        }
    }
    let keys = Dataset::ALL.map(|dataset| fields::filter_keys(dataset, FilterDialect::Definition));
    let values = keys.iter().flatten().flat_map(|field| match field.kind {
        FilterKind::Enum(values) => values.to_vec(),
        _ => Vec::new(),
    });
    let skill_values = SKILL_ENUMS.iter().flat_map(|(_, values, _)| *values);
    // "unknown" and "other" say too little without the name of their field
    let values = values.chain(skill_values.copied());
    let values = values.filter(|value| !["unknown", "other"].contains(value));
    let phrases = values.map(|value| Phrase::new(&value.replace('_', " "), value));
    lexicon
        .entry("values".to_owned())
        .or_default()
        .extend(phrases);
    lexicon
});

impl Phrase {
    pub fn new(text: &str, meaning: &str) -> Phrase {
        let (text, meaning) = (text.to_owned(), meaning.to_owned());
        Phrase { text, meaning }
    }

    /// The number of its words if a text begins with it, perhaps in the plural.
    pub fn match_words(&self, text: &str) -> Option<usize> {
        let rest = text.strip_prefix(&self.text)?;
        let ends = |plural| {
            rest.strip_prefix(plural)
                .is_some_and(|rest| rest.starts_with(' '))
        };
        let is_whole = ends("") || ends("s") || ends("es");
        is_whole.then(|| self.text.split(' ').count())
    }
}

pub(super) fn list_phrases(list: &str) -> &'static [Phrase] {
    LEXICON.get(list).map_or(&[], Vec::as_slice)
}
