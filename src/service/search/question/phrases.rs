//! What can be said in a question: amounts, days, places, values of enums and related records.

use chrono::Days;
use serde_json::json;

use super::words::{MONEY_MIN, STATES, UNITS, bound, is_spelled, number, scale, spellings, starts_with};
use super::{Last, Negation, Reader};
use crate::service::db::{Conn, Error};
use crate::service::search::fields::{Field, Kind};
use crate::service::search::{Dataset, cities, fuzzy};

impl Reader<'_> {
    pub(super) fn is_amount_or_day(&mut self, words: &[String]) -> bool {
        bound(words).is_some() || matches!(words[0].as_str(), "since" | "after" | "before" | "until" | "last" | "past")
    }

    /// "more than 100 units", "over $5m", "no more than 4 stories".
    pub(super) fn amount(&mut self, words: &[String]) -> usize {
        let Some((end, start)) = bound(words).filter(|_| self.negation == Negation::None) else { return 0 };
        let Some((number, mut money)) = words.get(start).and_then(|word| number(word)) else { return 0 };
        let mut taken = start + 1;
        let mut scaled = number;
        if let Some(scale) = words.get(taken).and_then(|word| scale(word)) {
            (scaled, taken) = (number * scale, taken + 1);
        }
        let unit = words.get(taken).and_then(|word| UNITS.iter().find(|(_, names)| names.contains(&word.as_str())));
        money |= scaled >= MONEY_MIN;
        let key = match unit {
            Some((key, _)) => *key,
            None if money => "cost_of_construction_usd",
            None => return 0,
        };
        taken += usize::from(unit.is_some());
        taken += usize::from(matches!(words.get(taken).map(String::as_str), Some("feet" | "ft")) && key == "gross_floor_area_sf");
        let value = if scaled.fract() == 0.0 { json!(scaled as i64) } else { json!(scaled) };
        if self.end(|kind| matches!(kind, Kind::Number), Some(key), end, value) { taken } else { 0 }
    }

    /// "since 2026-03-01", "before 2026-03-01", "last 30 days", "past 2 weeks".
    pub(super) fn days(&mut self, words: &[String]) -> usize {
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
        if self.end(|kind| matches!(kind, Kind::Date), None, end, json!(day)) { taken } else { 0 }
    }

    /// A state or a city after "in" or "outside", or as one of several; a state also by itself.
    pub(super) fn place(&mut self, all: &[String]) -> Result<usize, Error> {
        if !self.known.iter().any(|field| field.key == "state") {
            return Ok(0);
        }
        let after = [&["outside", "of"][..], &["outside"], &["in"]].into_iter().find(|start| starts_with(all, start));
        let words = &all[after.map_or(0, <[_]>::len)..];
        let last = self.last.filter(Last::is_place);
        let listed = after.is_none() && last.is_some_and(|last| last.key == "city") && self.joint.is_some();
        let code_may_follow =
            after.is_some() || last.is_some() && !words.iter().take(1).any(|word| ["in", "me"].contains(&word.as_str()));
        let states = STATES.split(',').filter_map(|state| state.rsplit_once(' '));
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
                && let Some(city) = city_of(self.conn, self.dataset, &words[..count].join(" "))?
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
        self.value(None, key, &name, &all[..taken]);
        Ok(taken)
    }

    /// A word of an enum, of the records or of what is related to them; or a name in quotation marks.
    pub(super) fn word(&mut self, words: &[String]) -> usize {
        if let Some(name) = words[0].strip_prefix('"') {
            let relation = self.last.filter(|last| last.not && self.joint.is_none()).and_then(|last| last.relation);
            let inner = relation.map(|relation| relation.inner(self.place));
            if inner.unwrap_or_else(|| self.known.clone()).iter().any(|field| field.key == "name") {
                self.value(relation, "name", name, &words[..1]);
            } else {
                self.found.unmatched.push(name.to_owned());
            }
            return 1;
        }
        let own = self.known.iter().map(|field| (None, *field));
        let related =
            self.relations().flat_map(|field| field.inner(self.place).into_iter().map(move |inner| (Some(field), inner)));
        let mut best: Option<(usize, Option<&'static Field>, &'static Field, &'static str)> = None;
        for (relation, field) in own.chain(related) {
            let Kind::Enum(values) = &field.kind else { continue };
            for value in values.all() {
                let count = spellings(field.key, value).iter().filter(|spelled| is_spelled(words, spelled)).map(Vec::len).max();
                if let Some(count) = count
                    && best.is_none_or(|(most, ..)| count > most)
                {
                    best = Some((count, relation, field, value));
                }
            }
        }
        let Some((count, relation, field, value)) = best else { return 0 };
        self.value(relation, field.key, value, &words[..count]);
        count
    }

    pub(super) fn relations(&self) -> impl Iterator<Item = &'static Field> {
        self.known.iter().copied().filter(|field| matches!(&field.kind, Kind::Relation(relation) if !relation.negated))
    }

    /// "contacts" and the like: the records themselves, or, after "with" or a negation, that there are related ones.
    pub(super) fn noun(&mut self, words: &[String], having: bool) -> usize {
        let Some(dataset) = Dataset::ALL.into_iter().find(|dataset| is_spelled(words, &[dataset.singular()])) else { return 0 };
        let leads = |field: &&'static Field| matches!(&field.kind, Kind::Relation(relation) if relation.related == dataset);
        let follows = self.last.is_some_and(|last| last.relation.as_ref().is_some_and(leads)) && self.joint.is_none();
        if dataset == self.dataset || (follows && self.negation == Negation::None) {
            return 1;
        }
        let relation = self.relations().find(leads);
        let not = self.is_negated(relation, "");
        let key = match relation {
            Some(relation) if not => self.twin(relation),
            Some(relation) if having => Some(relation.key),
            _ => None,
        };
        match key {
            None if not => self.lose(&words[..1]),
            Some(key) if not && self.found.filters.contains_key(key) => self.lose(&words[..1]),
            None => {}
            Some(key) => {
                self.check_joint(relation, "", not);
                self.found.filters.entry(key).or_insert_with(|| json!({}));
                self.found.understood.push(key.replace('_', " "));
                self.negation = Negation::None;
                self.last = Some(Last { relation, key: "", not });
            }
        }
        1
    }
}

/// The city of this name, as the dataset spells it.
fn city_of(conn: &Conn, dataset: Dataset, name: &str) -> Result<Option<String>, Error> {
    let cities = cities(conn, dataset, &[name.to_owned()])?;
    Ok(cities.into_iter().find(|city| fuzzy::words(city) == fuzzy::words(name)))
}
