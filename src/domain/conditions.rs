//! Filters as a person builds them: condition by condition, each held against the vocabulary before anything is sent.
//!
//! A condition has a place: at the top, or within a relation. What is wrong with one is said in words, and what can be built without
//! such words is a filter that the service takes (interface: Filter grammar).

use serde_json::Value;
use uuid::Uuid;

use super::filters::{Filter, Filters, shown};
use super::vocabulary::{Field, Kind, Vocabulary};

/// Where a condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its place, or that of the relation that it is in.
    pub at: usize,
    /// Its place within the relation.
    pub within: Option<usize>,
}

impl Place {
    /// At the top.
    pub fn top(at: usize) -> Place {
        Place { at, within: None }
    }
}

/// What is wrong with a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The condition.
    pub place: Place,
    /// In words that follow its name: `takes a range, from and to`.
    pub words: String,
}

impl Filters {
    /// Every condition, those of a relation after it.
    pub fn places(&self) -> Vec<Place> {
        let within = |at: usize, filter: &Filter| match filter {
            Filter::Relation(inner) => (0..inner.criteria().len()).map(|n| Place { at, within: Some(n) }).collect(),
            _ => Vec::new(),
        };
        let all = self.criteria().iter().enumerate();
        all.flat_map(|(at, (_, filter))| std::iter::once(Place::top(at)).chain(within(at, filter))).collect()
    }

    /// A condition.
    pub fn at(&self, place: Place) -> Option<(&str, &Filter)> {
        let (key, filter) = self.criteria().get(place.at)?;
        match (place.within, filter) {
            (None, _) => Some((key, filter)),
            (Some(n), Filter::Relation(inner)) => inner.at(Place::top(n)),
            (Some(_), _) => None,
        }
    }

    /// A condition, to be changed.
    pub fn at_mut(&mut self, place: Place) -> Option<&mut (String, Filter)> {
        let within = place.within;
        let there = self.criteria_mut().get_mut(place.at)?;
        match (within, there) {
            (None, there) => Some(there),
            (Some(n), (_, Filter::Relation(inner))) => inner.criteria_mut().get_mut(n),
            (Some(_), _) => None,
        }
    }

    /// Takes a condition out; a relation goes with what is in it.
    pub fn drop_at(&mut self, place: Place) {
        let list = match (place.within, self.criteria_mut()) {
            (None, list) => list,
            (Some(_), list) => match list.get_mut(place.at) {
                Some((_, Filter::Relation(inner))) => inner.criteria_mut(),
                _ => return,
            },
        };
        let at = place.within.unwrap_or(place.at);
        if at < list.len() {
            list.remove(at);
        }
    }

    /// Puts a blank condition on a key at the top, or into the relation at a place. A key is there once: one that is there already is
    /// answered as it is, and whether it is new.
    pub fn begin(&mut self, into: Option<usize>, field: &Field) -> (Place, bool) {
        let place = |n: usize| into.map_or(Place::top(n), |at| Place { at, within: Some(n) });
        let list = match into.map(|at| self.criteria_mut().get_mut(at)) {
            Some(Some((_, Filter::Relation(inner)))) => inner.criteria_mut(),
            _ => self.criteria_mut(),
        };
        if let Some(n) = list.iter().position(|(key, _)| *key == field.key) {
            return (place(n), false);
        }
        list.push((field.key.clone(), field.blank()));
        (place(list.len() - 1), true)
    }

    /// Turns a condition into its opposite: excluded or not, with such a related record or with none.
    ///
    /// # Errors
    /// Why it has none.
    pub fn flip(&mut self, place: Place, vocabulary: &Vocabulary) -> Result<(), String> {
        let Some((key, filter)) = self.at(place) else { return Err("there is no condition here".to_owned()) };
        let twin = vocabulary.field(key).and_then(|field| vocabulary.twin(field)).map(|twin| twin.key.clone());
        match (filter, twin) {
            (Filter::Field { .. }, _) => {}
            (Filter::Range { .. }, _) => return Err(format!("{} is a range; a range cannot be excluded", words(key))),
            (Filter::Relation(_), None) => return Err(format!("{} has no opposite here", words(key))),
            (Filter::Relation(_), Some(twin)) if self.criteria().iter().any(|(key, _)| *key == twin) => {
                return Err(format!("{} is there already; a key can be asked once", words(&twin)));
            }
            (Filter::Relation(_), Some(twin)) => {
                if let Some((key, _)) = self.at_mut(place) {
                    *key = twin;
                }
                return Ok(());
            }
        }
        if let Some((_, Filter::Field { exclude, .. })) = self.at_mut(place) {
            *exclude = !*exclude;
        }
        Ok(())
    }
}

impl Vocabulary {
    /// The key of a condition.
    pub fn field_at(&self, filters: &Filters, place: Place) -> Option<&Field> {
        let (key, _) = filters.at(Place::top(place.at))?;
        let field = self.field(key)?;
        if place.within.is_none() { Some(field) } else { field.field(filters.at(place)?.0) }
    }

    /// What is wrong, condition by condition. A vocabulary that could not be read knows of nothing.
    pub fn check(&self, filters: &Filters) -> Vec<Issue> {
        if self.fields.is_empty() {
            return Vec::new();
        }
        let wrong = |place: Place| {
            let (key, filter) = filters.at(place)?;
            let relation = self.field_at(filters, Place::top(place.at));
            if place.within.is_some() && relation.is_none_or(|relation| relation.fields.is_empty()) {
                return None;
            }
            let words = match self.field_at(filters, place) {
                Some(field) => field.wrong(filter)?,
                None => format!("is no key here{}", self.nearest(relation.filter(|_| place.within.is_some()), key)),
            };
            Some(Issue { place, words })
        };
        filters.places().into_iter().filter_map(wrong).collect()
    }

    /// A key that was perhaps meant.
    fn nearest(&self, relation: Option<&Field>, key: &str) -> String {
        let fields = relation.map_or(&self.fields, |relation| &relation.fields);
        let shares = |field: &&Field| field.key.split('_').any(|word| key.split('_').any(|other| word.starts_with(other)));
        fields.iter().find(shares).map(|field| format!("; {} is", field.key)).unwrap_or_default()
    }

    /// The same filters with each value as its key takes it: what was typed is a text until the vocabulary says what it is.
    pub fn settle(&self, mut filters: Filters) -> Filters {
        for place in filters.places() {
            let Some(field) = self.field_at(&filters, place).cloned() else { continue };
            if let Some((_, filter)) = filters.at_mut(place) {
                field.settle(filter);
            }
        }
        filters
    }
}

impl Field {
    /// What is wrong with a filter on this key.
    fn wrong(&self, filter: &Filter) -> Option<String> {
        match (&self.kind, filter) {
            (Kind::Other(_), _) | (Kind::Relation, Filter::Relation(_)) => None,
            (Kind::Relation, _) => Some("takes conditions of its own".to_owned()),
            (Kind::Number | Kind::Date, Filter::Range { min, max }) => {
                [min, max].into_iter().flatten().find_map(|bound| self.wrong_value(bound))
            }
            (Kind::Number | Kind::Date, _) => Some("takes a range, from and to".to_owned()),
            (_, Filter::Field { values, exact, .. }) => match values.as_slice() {
                [] => Some("needs a value".to_owned()),
                _ if *exact && !self.exact => Some("is compared as spelled; exactly is for texts".to_owned()),
                [_, _, ..] if !self.multi => Some("takes one value".to_owned()),
                values => values.iter().find_map(|value| self.wrong_value(value)),
            },
            (_, Filter::Range { .. }) => Some("takes values, not a range".to_owned()),
            (_, Filter::Relation(_)) => Some("has no conditions of its own".to_owned()),
        }
    }

    fn wrong_value(&self, value: &Value) -> Option<String> {
        let text = value.as_str();
        let (is_right, takes) = match &self.kind {
            Kind::Number => (value.is_number(), "a number"),
            Kind::Date => (text.is_some_and(is_day), "a day like 2026-07-02"),
            Kind::Boolean => (value.is_boolean(), "true or false"),
            Kind::Uuid => (text.is_some_and(|text| Uuid::try_parse(text).is_ok()), "the id of a record"),
            Kind::Text => (value.is_string(), "a text"),
            Kind::Enum if !self.values.is_empty() => {
                let known = text.is_some_and(|text| self.values.iter().any(|word| word == text));
                return (!known).then(|| format!("is never {}; it is {}", shown(value), either(&self.values)));
            }
            _ => return None,
        };
        (!is_right).then(|| format!("takes {takes}, not {}", shown(value)))
    }

    fn settle(&self, filter: &mut Filter) {
        if matches!((&self.kind, &*filter), (Kind::Number | Kind::Date, Filter::Field { exclude: false, .. }))
            && let Ok(range) = self.blank().with_text(&filter.text())
        {
            *filter = range;
        }
        if let Filter::Field { values, .. } = filter {
            for value in values.iter_mut().filter(|value| value.is_string()) {
                match (&self.kind, value.as_str()) {
                    (Kind::Boolean, Some("true" | "yes")) => *value = true.into(),
                    (Kind::Boolean, Some("false" | "no")) => *value = false.into(),
                    (Kind::Enum, Some(text)) => {
                        let wanted = text.to_lowercase().replace(' ', "_");
                        if let Some(word) = self.values.iter().find(|word| word.to_lowercase() == wanted) {
                            *value = word.as_str().into();
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// `YYYY-MM-DD`, and nothing that only looks like it.
fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<chrono::NaiveDate>().is_ok()
}

/// A key for people: `primary use`.
pub(super) fn words(key: &str) -> String {
    key.replace('_', " ")
}

/// `a, b or c`.
pub(super) fn either(words: &[String]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn projects() -> Vocabulary {
        let inner = json!([{"key": "role", "kind": "enum", "values": ["developer", "gc"]}, {"key": "name", "kind": "text"}]);
        serde_json::from_value(json!([
            {"key": "stage", "kind": "enum", "values": ["approved", "permitted"]}, {"key": "city", "kind": "text"},
            {"key": "stories", "kind": "number"}, {"key": "last_signal_at", "kind": "date"},
            {"key": "stories_known", "kind": "boolean", "multi": false}, {"key": "account_id", "kind": "uuid"},
            {"key": "has_account", "kind": "relation", "fields": inner}, {"key": "without_account", "kind": "relation", "fields": inner},
            {"key": "on_site", "kind": "relation", "fields": []},
        ]))
        .unwrap()
    }

    fn said(json: Value) -> Vec<String> {
        projects().check(&Filters::from_json(&json).unwrap()).into_iter().map(|issue| issue.words).collect()
    }

    #[test]
    fn what_the_vocabulary_does_not_take_is_said_in_words() {
        for (filters, words) in [
            (json!({"stage": {"value": "built"}}), "is never built; it is approved or permitted"),
            (json!({"stage": {"value": "approved", "exact_match": true}}), "exactly is for texts"),
            (json!({"stories": {"min": "2026-01-01"}}), "takes a number, not 2026-01-01"),
            (json!({"last_signal_at": {"max": 5}}), "takes a day like 2026-07-02, not 5"),
            (json!({"last_signal_at": {"max": "2026-02-31"}}), "takes a day"),
            (json!({"stories": {"value": 5}}), "takes a range, from and to"),
            (json!({"city": {"min": 5}}), "takes values, not a range"),
            (json!({"city": {"value": []}}), "needs a value"),
            (json!({"stories_known": {"value": [true, false]}}), "takes one value"),
            (json!({"account_id": {"value": "7"}}), "takes the id of a record"),
            (json!({"town": {"value": "Austin"}}), "is no key here"),
            (json!({"account": {"value": "Austin"}}), "is no key here; account_id is"),
            (json!({"has_account": {"role": {"value": "plumber"}}}), "is never plumber; it is developer or gc"),
            (json!({"has_account": {"stage": {"value": "approved"}}}), "is no key here"),
        ] {
            let said = said(filters.clone());
            assert!(said.len() == 1 && said[0].contains(words), "{filters}: {said:?}");
        }
        let right = json!({"stage": {"value": ["approved"], "exclude": true}, "stories": {}, "has_account": {},
            "without_account": {"role": {"value": "gc"}}, "on_site": {"anything": {"value": "x"}}});
        assert_eq!(said(right), [""; 0]);
    }

    #[test]
    fn a_condition_is_added_once_flipped_and_dropped() {
        let vocabulary = projects();
        let mut filters = Filters::default();
        let relation = filters.begin(None, vocabulary.field("has_account").unwrap()).0;
        let role = vocabulary.field("has_account").unwrap().field("role").unwrap();
        let (place, _) = filters.begin(Some(relation.at), role);
        *filters.at_mut(place).unwrap() = ("role".to_owned(), role.blank().with_text("gc").unwrap());
        assert_eq!(filters.begin(Some(relation.at), role), (place, false));
        filters.flip(place, &vocabulary).unwrap();
        filters.flip(relation, &vocabulary).unwrap();
        assert_eq!(filters.to_json(), json!({"without_account": {"role": {"value": "gc", "exclude": true}}}));
        let stories = filters.begin(None, vocabulary.field("stories").unwrap()).0;
        assert!(filters.flip(stories, &vocabulary).unwrap_err().contains("cannot be excluded"));
        filters.begin(None, vocabulary.field("has_account").unwrap());
        assert!(filters.flip(relation, &vocabulary).unwrap_err().contains("there already"));
        filters.drop_at(place);
        filters.drop_at(stories);
        assert_eq!(filters.to_json(), json!({"without_account": {}, "has_account": {}}));
    }

    #[test]
    fn what_was_typed_is_read_as_its_key_takes_it() {
        let (_, typed) = Filters::parse_line("stage=Approved stories_known=yes stories=5 has_account.role=GC").unwrap();
        let expected = json!({"stage": {"value": "approved"}, "stories_known": {"value": true}, "stories": {"min": 5, "max": 5},
            "has_account": {"role": {"value": "gc"}}});
        assert_eq!(projects().settle(typed).to_json(), expected);
    }
}
