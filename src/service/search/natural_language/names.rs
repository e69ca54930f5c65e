//! The phrases of a question that name a firm or an order, and those that no filter can express.

use super::dates::starts_date;
use super::lexicon::{
    ARTICLES, CLAUSE_STARTS, DATASET_ALIASES, NOT_STARTED, QUESTIONS, ROLE_PARTICIPLES,
    STARTED_STAGES, STOP_WORDS, UNTRANSLATABLE_PHRASES, negation_length, starts_with,
    starts_with_value,
};
use super::{Negation, QuestionParser};
use crate::service::dataset::Dataset;
use crate::service::search::SearchScope;
use crate::service::search::fields::{self, FilterDialect, FilterKind};

/// Superlatives of a size or a price, which the service does not sort by.
const SUPERLATIVES: &[&[&str]] = &[
    &["most", "expensive"],
    &["least", "expensive"],
    &["most", "valuable"],
    &["highest", "value"],
    &["highest", "cost"],
    &["lowest", "cost"],
    &["biggest"],
    &["largest"],
    &["tallest"],
    &["smallest"],
    &["cheapest"],
    &["priciest"],
    &["costliest"],
    &["highest"],
    &["lowest"],
    &["best"],
    &["hottest"],
];

/// Orders that the service knows: the words, the keys of which a dataset has one, and whether they
/// ascend.
const ORDERS: &[(&[&str], &[&str], bool)] = &[
    (
        &["most", "recent", "first"],
        &["last_signal_at", "filed_at"],
        false,
    ),
    (&["newest", "first"], &["last_signal_at", "filed_at"], false),
    (&["latest", "first"], &["last_signal_at", "filed_at"], false),
    (&["oldest", "first"], &["last_signal_at", "filed_at"], true),
    (&["most", "recently", "updated"], &["last_signal_at"], false),
    (&["most", "recent"], &["last_signal_at", "filed_at"], false),
    (&["newest"], &["last_signal_at", "filed_at"], false),
    (&["latest"], &["last_signal_at", "filed_at"], false),
    (&["oldest"], &["last_signal_at", "filed_at"], true),
    (&["most", "active"], &["signals_count"], false),
    (&["most", "signals"], &["signals_count"], false),
    (&["most", "projects"], &["projects_count"], false),
    (&["busiest"], &["projects_count"], false),
    (&["alphabetically"], &["name"], true),
    (&["alphabetical", "order"], &["name"], true),
];

/// What an order is named by: the words, the keys, and whether it naturally ascends.
const ORDER_NAMES: &[(&[&str], &[&str], bool)] = &[
    (&["name"], &["name"], true),
    (&["last", "signal"], &["last_signal_at"], false),
    (&["date"], &["last_signal_at", "filed_at"], false),
    (&["filing", "date"], &["filed_at"], false),
    (&["number", "of", "signals"], &["signals_count"], false),
    (&["signals"], &["signals_count"], false),
    (&["number", "of", "projects"], &["projects_count"], false),
    (&["projects"], &["projects_count"], false),
];

/// What "by" orders by, rather than who it names.
const SIZES: &[&str] = &[
    "budget", "cost", "date", "name", "price", "score", "size", "stories", "units", "value",
    "height", "area",
];

/// What "owned by" can name without naming anybody.
const NOBODY: &[&str] = &[
    "anybody", "anyone", "local", "nobody", "somebody", "someone", "whom",
];

/// Words before a place that the place is not in.
const NEAR: &[&[&str]] = &[
    &["near"],
    &["nearby"],
    &["close", "to"],
    &["next", "to"],
    &["outside", "downtown"],
    &["north", "of"],
    &["south", "of"],
    &["east", "of"],
    &["west", "of"],
    &["surrounding"],
    &["around"],
];

impl QuestionParser {
    /// Reports words as one phrase that makes no condition.
    pub(super) fn ignore(&mut self, words: &[String], count: usize) -> usize {
        let said = self.originals_of(words, count).join(" ").to_lowercase();
        let joint = if self.conjunction.as_deref() == Some("or") {
            "or "
        } else {
            ""
        };
        self.translation.unmatched.push(format!("{joint}{said}"));
        (self.after_unknown, self.last) = (true, None);
        self.conjunction = None;
        count
    }

    /// Phrases that change the meaning of what follows: reported with it. Questions about one
    /// record are reported whole.
    pub(super) fn parse_untranslatable(&mut self, words: &[String]) -> usize {
        // "who is building hotels" asks for the hotels and who is on them
        let asks_for_records = words.get(2).is_some_and(|verb| verb.ends_with("ing"));
        if QUESTIONS.iter().any(|phrase| starts_with(words, phrase))
            && !asks_for_records
            && !self.is_relative_clause(words)
        {
            self.mark_unmatched(&words[..1]);
            return 1;
        }
        if let Some(phrase) = NOT_STARTED.iter().find(|phrase| starts_with(words, phrase))
            && self.keys.iter().any(|field| field.key == "stage")
        {
            self.negation = Negation::Pending(phrase.join(" "));
            for value in STARTED_STAGES {
                self.add_value(None, "stage", value, &words[..phrase.len()]);
            }
            return phrase.len();
        }
        // "gc not selected" is a value; "gc not awarded" is neither a gc nor none
        let doubts = [
            &["gc", "not"][..],
            &["gc", "is", "not"],
            &["gc", "isn't"],
            &["gc", "hasn't"],
            &["gc", "has", "not"],
        ];
        if let Some(phrase) = doubts.iter().find(|phrase| {
            starts_with(words, phrase)
                && self.find_value(words).is_some_and(|(count, ..)| count == 1)
        }) {
            let rest = words[phrase.len()..]
                .iter()
                .take_while(|word| !is_boundary(word))
                .count()
                .min(2);
            return self.ignore(words, phrase.len() + rest);
        }
        if let Some(near) = NEAR.iter().find(|phrase| starts_with(words, phrase)) {
            let rest = &words[near.len()..];
            let place = self.find_place(rest, true).map_or(0, |(_, _, count)| count);
            let named = rest
                .iter()
                .take_while(|word| !is_boundary(word))
                .count()
                .min(1);
            return self.ignore(words, near.len() + place.max(named));
        }
        let miles = words
            .iter()
            .take(5)
            .position(|word| matches!(word.as_str(), "mile" | "miles" | "km" | "minutes"));
        if let Some(at) = miles.filter(|_| matches!(words[0].as_str(), "within" | "in")) {
            let of = at
                + 1
                + usize::from(
                    words
                        .get(at + 1)
                        .is_some_and(|word| word == "of" || word == "from"),
                );
            let place = self
                .find_place(&words[of..], true)
                .map_or(0, |(_, _, count)| count);
            return self.ignore(words, of + place);
        }
        let Some(phrase) = UNTRANSLATABLE_PHRASES
            .iter()
            .find(|phrase| starts_with(words, phrase))
        else {
            return 0;
        };
        let is_introduction = matches!(phrase, [one, ..] if ["need", "looking"].contains(one))
            && self.is_first_clause;
        if is_introduction {
            return phrase.len();
        }
        if self.negation != Negation::None {
            self.mark_unmatched(&words[..phrase.len()]);
            return phrase.len();
        }
        let articles = words[phrase.len()..]
            .iter()
            .take_while(|word| ARTICLES.contains(&word.as_str()))
            .count();
        let after = &words[phrase.len() + articles..];
        let next = match self.find_value(after) {
            _ if after.is_empty() => 0,
            Some((count, ..)) => count,
            None => usize::from(!is_boundary(&after[0])),
        };
        let said: Vec<String> = phrase
            .iter()
            .map(|word| (*word).to_owned())
            .chain(after[..next].iter().cloned())
            .collect();
        self.translation.unmatched.push(said.join(" "));
        (
            self.is_skipping,
            self.after_unknown,
            self.last,
            self.conjunction,
        ) = (true, true, None, None);
        phrase.len() + articles + next
    }

    /// "projects who have", "architects when": a question word inside a sentence joins a clause,
    /// except those that ask.
    fn is_relative_clause(&self, words: &[String]) -> bool {
        words[0] == "who" && words.len() < self.originals.len() && !self.is_first_clause
    }

    /// "owned by Hines", "by Turner Construction", "named Maple Court".
    pub(super) fn parse_name(&mut self, words: &[String]) -> usize {
        let (role, start) = match ROLE_PARTICIPLES
            .iter()
            .find(|(verb, _)| starts_with(words, &[verb, "by"]))
        {
            Some((_, role)) => (Some(*role), 2),
            None if words[0] == "by" && self.conjunction.is_none() => (None, 1),
            None if ["named", "called"].contains(&words[0].as_str()) => {
                return self.parse_own_name(words);
            }
            None => return 0,
        };
        let count = self.name_length(words, start);
        let relation = self
            .relations()
            .find(|relation| matches!(&relation.kind, FilterKind::Relation(kind) if kind.related == Dataset::Accounts));
        let relation = relation.filter(|relation| {
            let has = |key: &str| {
                relation
                    .inner_keys(self.grammar)
                    .iter()
                    .any(|field| field.key == key)
            };
            has("name") && (role.is_none() || has("role"))
        });
        let block = relation.and_then(|relation| {
            let not = self.negation != Negation::None;
            if not {
                self.negated_relation(relation)
            } else {
                Some(relation.key)
            }
        });
        let free = block.is_some_and(|block| !self.translation.filters.contains_key(block));
        // "by" is also "by quarter": a name that it introduces is written like one
        let is_name = role.is_some()
            || self
                .originals_of(&words[start..], 1)
                .iter()
                .any(|word| word.starts_with(|c: char| c == '"' || c.is_uppercase()));
        let is_place = role.is_none()
            && words
                .get(start..)
                .is_some_and(|rest| self.find_place(rest, true).is_some());
        let is_nobody = is_place
            || words.get(start).is_some_and(|word| {
                STOP_WORDS.contains(&word.as_str()) || NOBODY.contains(&word.as_str())
            });
        let (Some(relation), true, true) = (relation, free && is_name && !is_nobody, count > 0)
        else {
            if self.negation != Negation::None {
                self.mark_unmatched(&words[..start + count]);
                return start + count;
            }
            return self.ignore(words, start + count);
        };
        let name = self.originals_of(&words[start..], count).join(" ");
        if let Some(role) = role {
            self.add_value(Some(relation), "role", role, &words[..start]);
        }
        self.add_value(
            Some(relation),
            "name",
            name.trim_start_matches('"'),
            &words[..start + count],
        );
        start + count
    }

    fn parse_own_name(&mut self, words: &[String]) -> usize {
        let count = self.name_length(words, 1);
        let relation = self
            .last
            .filter(|_| self.conjunction.is_none())
            .and_then(|last| last.relation);
        let keys = relation.map_or_else(
            || self.keys.clone(),
            |relation| relation.inner_keys(self.grammar),
        );
        if count == 0 || !keys.iter().any(|field| field.key == "name") {
            return self.ignore(words, 1 + count);
        }
        let name = self.originals_of(&words[1..], count).join(" ");
        self.add_value(
            relation,
            "name",
            name.trim_start_matches('"'),
            &words[..1 + count],
        );
        1 + count
    }

    /// The number of words of the name: those in capitals, or up to the next word that means
    /// something else.
    fn name_length(&self, words: &[String], start: usize) -> usize {
        let rest = &words[start..];
        let written = self.originals_of(rest, rest.len());
        let is_capital = |word: &&String| {
            word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '&')
        };
        if rest.first().is_some_and(|word| word.starts_with('"')) {
            return 1;
        }
        if written
            .first()
            .is_some_and(|word| word.starts_with(char::is_uppercase))
        {
            return written.iter().take_while(is_capital).count();
        }
        let today = self.now.date_naive();
        let ends = |at: usize| {
            is_boundary(&rest[at])
                || super::amounts::starts_amount(&rest[at..])
                || starts_date(&rest[at..], today)
        };
        (0..rest.len().min(4))
            .find(|at| ends(*at))
            .unwrap_or(rest.len().min(4))
    }

    /// "newest first", "sorted by name", "top 20 by cost", "biggest".
    pub(super) fn parse_order(&mut self, words: &[String]) -> usize {
        let mut at = 0;
        let is_top = words[0] == "top";
        if is_top {
            let counted = words.get(1).is_some_and(|word| word.parse::<u32>().is_ok());
            let numbered = super::amounts::parse_count(&words[1..]).map_or(0, |(_, count)| count);
            at = 1 + if counted { 1 } else { numbered };
            let noun = words.get(at..).map_or(0, |rest| {
                usize::from(!rest.is_empty() && self.find_dataset(rest).is_some())
            });
            if words.get(at + noun).is_some_and(|word| word == "by") {
                at += noun;
            }
        }
        let named =
            ["sorted", "sort", "ordered", "order", "ranked", "rank"].contains(&words[0].as_str());
        let by = at + usize::from(named);
        if words.get(by).is_some_and(|word| word == "by") && (is_top || named) {
            let rest = &words[by + 1..];
            let order = ORDER_NAMES
                .iter()
                .find(|(name, ..)| starts_with(rest, name));
            if let Some((name, keys, ascending)) = order
                && self.set_order(keys, *ascending)
            {
                self.translation.limit = words.get(1).and_then(|count| count.parse().ok());
                return by + 1 + name.len();
            }
            let count = rest
                .iter()
                .take_while(|word| !is_boundary(word))
                .count()
                .min(3);
            return self.ignore_order(words, by + 1 + count);
        }
        if words[0] == "by"
            && (self.is_ranked
                || words
                    .get(1)
                    .is_some_and(|word| SIZES.contains(&word.as_str())))
        {
            let count = words[1..]
                .iter()
                .take_while(|word| !is_boundary(word))
                .count()
                .min(3);
            return self.ignore_order(words, 1 + count);
        }
        if is_top && at > 1 {
            self.is_ranked = true;
            return self.ignore_order(words, at);
        }
        if let Some((phrase, keys, ascending)) = ORDERS
            .iter()
            .find(|(phrase, ..)| starts_with(words, phrase))
        {
            return if self.set_order(keys, *ascending) {
                phrase.len()
            } else {
                self.ignore_order(words, phrase.len())
            };
        }
        let superlative = SUPERLATIVES
            .iter()
            .find(|phrase| starts_with(words, phrase));
        superlative.map_or(0, |phrase| self.ignore_order(words, phrase.len()))
    }

    /// Reports an order that the service does not have. The words after it are still understood.
    fn ignore_order(&mut self, words: &[String], count: usize) -> usize {
        let said = self.originals_of(words, count).join(" ").to_lowercase();
        self.translation.unmatched.push(said);
        count
    }

    fn set_order(&mut self, keys: &[&str], ascending: bool) -> bool {
        let scope = if self.grammar == FilterDialect::Book {
            SearchScope::Book
        } else {
            SearchScope::Data
        };
        let known = fields::sort_keys(self.dataset, &scope).0;
        let Some(key) = known.iter().find(|known| keys.contains(&known.key)) else {
            return false;
        };
        if self.translation.sort.is_some() || self.negation != Negation::None {
            return false;
        }
        self.translation.sort = Some((key.key, ascending));
        true
    }

    /// The dataset that a noun names.
    pub(super) fn find_dataset(&self, words: &[String]) -> Option<Dataset> {
        let named = |(_, names): &&(Dataset, &[&str])| {
            names.iter().any(|name| starts_with_value(words, &[name]))
        };
        DATASET_ALIASES
            .iter()
            .find(named)
            .map(|(dataset, _)| *dataset)
    }

    /// Whether the words begin with something that makes a condition, or that carries no meaning.
    pub(super) fn is_understood(&self, words: &[String]) -> bool {
        let word = words[0].as_str();
        is_boundary(word)
            || STOP_WORDS.contains(&word)
            || negation_length(words).is_some()
            || self.find_value(words).is_some()
            || self.find_dataset(words).is_some()
            || self.find_place(words, true).is_some()
            || super::amounts::starts_amount(words)
            || starts_date(words, self.now.date_naive())
            || ROLE_PARTICIPLES.iter().any(|(verb, _)| *verb == word)
    }
}

/// Words that end a name.
fn is_boundary(word: &str) -> bool {
    matches!(
        word,
        "," | "."
            | "and"
            | "or"
            | "&"
            | "plus"
            | "in"
            | "since"
            | "before"
            | "after"
            | "that"
            | "who"
            | "which"
            | "where"
            | "over"
            | "under"
            | "by"
    ) || CLAUSE_STARTS.contains(&word)
        || negation_length(&[word.to_owned()]).is_some()
}
