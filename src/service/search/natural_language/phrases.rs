//! The phrases of a question: amounts, dates, places, values of enums and related records.

use chrono::Days;
use serde_json::json;

use super::lexicon::{
    AMOUNT_UNITS, MIN_UNITLESS_MONEY, STATE_NAMES, parse_amount_number, parse_bound, scale_factor, spellings, starts_with,
    starts_with_value,
};
use super::{LastCondition, Negation, QuestionParser};
use crate::service::dataset::Dataset;
use crate::service::db::{Conn, DbError, full_text};
use crate::service::fuzzy;
use crate::service::search::fields::{FilterKey, FilterKind};

impl QuestionParser<'_> {
    pub(super) fn starts_amount_or_date(&mut self, words: &[String]) -> bool {
        parse_bound(words).is_some() || matches!(words[0].as_str(), "since" | "after" | "before" | "until" | "last" | "past")
    }

    /// "more than 100 units", "over $5m", "no more than 4 stories".
    pub(super) fn parse_amount(&mut self, words: &[String]) -> usize {
        let Some((end, start)) = parse_bound(words).filter(|_| self.negation == Negation::None) else { return 0 };
        let Some((number, mut money)) = words.get(start).and_then(|word| parse_amount_number(word)) else { return 0 };
        let mut taken = start + 1;
        let mut scaled = number;
        if let Some(scale) = words.get(taken).and_then(|word| scale_factor(word)) {
            (scaled, taken) = (number * scale, taken + 1);
        }
        let unit = words.get(taken).and_then(|word| AMOUNT_UNITS.iter().find(|(_, names)| names.contains(&word.as_str())));
        money |= scaled >= MIN_UNITLESS_MONEY;
        let key = match unit {
            Some((key, _)) => *key,
            None if money => "cost_of_construction_usd",
            None => return 0,
        };
        taken += usize::from(unit.is_some());
        taken += usize::from(matches!(words.get(taken).map(String::as_str), Some("feet" | "ft")) && key == "gross_floor_area_sf");
        let value = if scaled.fract() == 0.0 { json!(scaled as i64) } else { json!(scaled) };
        if self.add_range_end(|kind| matches!(kind, FilterKind::Number), Some(key), end, value) { taken } else { 0 }
    }

    /// "since 2026-03-01", "before 2026-03-01", "last 30 days", "past 2 weeks".
    pub(super) fn parse_dates(&mut self, words: &[String]) -> usize {
        if self.negation != Negation::None {
            return 0;
        }
        let is_day = |word: &&String| word.len() == 10 && word.parse::<chrono::NaiveDate>().is_ok();
        let (end, day, taken) = match words[0].as_str() {
            "since" | "after" | "from" => ("min", words.get(1).filter(is_day).cloned(), 2),
            "before" | "until" => ("max", words.get(1).filter(is_day).cloned(), 2),
            "last" | "past" => {
                let count: u64 = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
                let more = usize::from(words.get(1).is_some_and(|word| word.parse::<u64>().is_ok()));
                let unit = words.get(1 + more).map(|word| word.trim_end_matches('s'));
                let days = match unit {
                    Some("day") => 1,
                    Some("week") => 7,
                    Some("month") => 30,
                    Some("year") => 365,
                    _ => 0,
                };
                let day = count
                    .checked_mul(days)
                    .filter(|days| *days > 0)
                    .and_then(|days| self.now.date_naive().checked_sub_days(Days::new(days)));
                ("min", day.map(|day| day.to_string()), 2 + more)
            }
            _ => return 0,
        };
        let Some(day) = day else { return 0 };
        if self.add_range_end(|kind| matches!(kind, FilterKind::Date), None, end, json!(day)) { taken } else { 0 }
    }

    /// A state or a city after "in" or "outside", or as one of several; a state also by itself.
    pub(super) fn parse_place(&mut self, all: &[String]) -> Result<usize, DbError> {
        if !self.keys.iter().any(|field| field.key == "state") {
            return Ok(0);
        }
        let after = [&["outside", "of"][..], &["outside"], &["in"]].into_iter().find(|start| starts_with(all, start));
        let words = &all[after.map_or(0, <[_]>::len)..];
        let last = self.last.filter(LastCondition::is_place);
        let listed = after.is_none() && last.is_some_and(|last| last.key == "city") && self.conjunction.is_some();
        let code_may_follow =
            after.is_some() || last.is_some() && !words.iter().take(1).any(|word| ["in", "me"].contains(&word.as_str()));
        let states = STATE_NAMES.split(',').filter_map(|state| state.rsplit_once(' '));
        let mut named = states.filter_map(|(name, code)| {
            let spelled: Vec<&str> = name.split(' ').collect();
            let short = code_may_follow && starts_with(words, &[&code.to_lowercase()]);
            (starts_with(words, &spelled) || short).then_some((code, if short { 1 } else { spelled.len() }))
        });
        let state = named.next();
        let mut found = state.map(|(code, count)| ("state", code.to_owned(), count));
        for count in (1..=3.min(words.len())).rev() {
            if (after.is_some() || listed)
                && state.is_none_or(|(_, spelled)| count > spelled)
                && let Some(city) = find_city(self.conn, self.dataset, &words[..count].join(" "))?
            {
                found = Some(("city", city, count));
                break;
            }
        }
        let Some((key, name, count)) = found else { return Ok(0) };
        if all[0] == "outside" {
            self.negation = Negation::Pending("outside".to_owned());
        }
        let taken = all.len() - words.len() + count;
        self.add_value(None, key, &name, &all[..taken]);
        Ok(taken)
    }

    /// A value of an enum, of the records or their related records; or a name in quotation marks.
    pub(super) fn parse_value(&mut self, words: &[String]) -> usize {
        if let Some(name) = words[0].strip_prefix('"') {
            let relation = self.last.filter(|last| last.is_negated && self.conjunction.is_none()).and_then(|last| last.relation);
            let inner = relation.map(|relation| relation.inner_keys(self.grammar));
            if inner.unwrap_or_else(|| self.keys.clone()).iter().any(|field| field.key == "name") {
                self.add_value(relation, "name", name, &words[..1]);
            } else {
                self.translation.unmatched.push(name.to_owned());
            }
            return 1;
        }
        let own = self.keys.iter().map(|field| (None, *field));
        let related =
            self.relations().flat_map(|field| field.inner_keys(self.grammar).into_iter().map(move |inner| (Some(field), inner)));
        let mut best: Option<(usize, Option<&'static FilterKey>, &'static FilterKey, &'static str)> = None;
        for (relation, field) in own.chain(related) {
            let FilterKind::Enum(values) = &field.kind else { continue };
            for value in values.to_vec() {
                let count =
                    spellings(field.key, value).iter().filter(|spelled| starts_with_value(words, spelled)).map(Vec::len).max();
                if let Some(count) = count
                    && best.is_none_or(|(most, ..)| count > most)
                {
                    best = Some((count, relation, field, value));
                }
            }
        }
        let Some((count, relation, field, value)) = best else { return 0 };
        self.add_value(relation, field.key, value, &words[..count]);
        count
    }

    pub(super) fn relations(&self) -> impl Iterator<Item = &'static FilterKey> {
        self.keys.iter().copied().filter(|field| matches!(&field.kind, FilterKind::Relation(relation) if !relation.negated))
    }

    /// "contacts" and the like: the records themselves, or, after "with" or a negation, their related records.
    pub(super) fn parse_noun(&mut self, words: &[String], having: bool) -> usize {
        let Some(dataset) = Dataset::ALL.into_iter().find(|dataset| starts_with_value(words, &[dataset.singular()])) else {
            return 0;
        };
        let leads =
            |field: &&'static FilterKey| matches!(&field.kind, FilterKind::Relation(relation) if relation.related == dataset);
        let follows = self.last.is_some_and(|last| last.relation.as_ref().is_some_and(leads)) && self.conjunction.is_none();
        if dataset == self.dataset || (follows && self.negation == Negation::None) {
            return 1;
        }
        let relation = self.relations().find(leads);
        let not = self.is_negated(relation, "");
        let key = match relation {
            Some(relation) if not => self.negated_relation(relation),
            Some(relation) if having => Some(relation.key),
            _ => None,
        };
        match key {
            None if not => self.mark_unmatched(&words[..1]),
            Some(key) if not && self.translation.filters.contains_key(key) => self.mark_unmatched(&words[..1]),
            None => {}
            Some(key) => {
                self.check_conjunction(relation, "", not);
                self.translation.filters.entry(key).or_insert_with(|| json!({}));
                self.translation.understood.push(key.replace('_', " "));
                self.negation = Negation::None;
                self.last = Some(LastCondition { relation, key: "", is_negated: not });
            }
        }
        1
    }
}

/// The city with this name, as the dataset spells it.
fn find_city(conn: &Conn, dataset: Dataset, name: &str) -> Result<Option<String>, DbError> {
    let cities = full_text::matching_cities(conn, dataset, &[name.to_owned()])?;
    Ok(cities.into_iter().find(|city| fuzzy::tokenize(city) == fuzzy::tokenize(name)))
}
