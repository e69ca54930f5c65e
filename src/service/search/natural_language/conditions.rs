//! Turns the phrases of a question into filters, and reports the words that make none.

use super::FilterTranslation;
use super::tokens::{COST, Part, Question, Range, RangeKind, Token};
use crate::domain::conditions::Conditions;
use crate::service::search::vocabulary::{FilterEntity, KeyPath};

/// A condition that was understood: what it is about, and whether it is negated.
#[derive(Clone, Copy, PartialEq)]
struct Condition(KeyPath, bool);

fn are_places(paths: [KeyPath; 2]) -> bool {
    paths.iter().all(|path| ["city", "state"].contains(&path.1))
}

/// Whether values of both are alternatives: "a gc or an architect".
fn are_alike(one: KeyPath, other: KeyPath) -> bool {
    one == other || one.0.is_some() && one.0 == other.0
}

pub(super) struct ConditionBuilder<'a> {
    question: &'a Question<'a>,
    translation: FilterTranslation,
    /// The conditions, and how they are typed in a filter.
    conditions: Vec<Condition>,
    terms: Vec<String>,
    /// Which tokens make no condition.
    reported: Vec<bool>,
    /// A negation of what is still to come; the place of its token.
    negation: Option<usize>,
    /// Until the next clause, what is said belongs to something that was not understood.
    is_lost: bool,
    /// The last condition, if nothing came between.
    last: Option<Condition>,
    /// The "and", "or" or comma since the last condition, and its place.
    conjunction: Option<(&'a str, usize)>,
}

impl<'a> ConditionBuilder<'a> {
    pub fn build(question: &'a Question<'a>) -> FilterTranslation {
        let mut builder = ConditionBuilder {
            question,
            translation: FilterTranslation::default(),
            conditions: Vec::new(),
            terms: Vec::new(),
            reported: vec![false; question.tokens.len()],
            negation: None,
            is_lost: false,
            last: None,
            conjunction: None,
        };
        for (at, token) in question.tokens.iter().enumerate() {
            builder.add_token(at, &token.part);
        }
        builder.add_sign(question.tokens.len(), ".");
        if builder.translation.sort.is_none() {
            builder.translation.limit = None;
            for (token, is_reported) in question.tokens.iter().zip(&mut builder.reported) {
                *is_reported |= matches!(token.part, Part::Top(_));
            }
        }
        builder.translation.unmatched = builder.write_reports();
        builder.translation
    }

    fn add_token(&mut self, at: usize, part: &Part<'a>) {
        let added = match part {
            Part::Particle(particle) => return self.add_particle(at, particle),
            Part::Top(count) => return self.translation.limit = Some(*count),
            _ if self.is_lost => None,
            Part::Value(relation, key, test) => self.add_value(at, *relation, key, test),
            Part::Range(range) => self.add_range(at, range),
            Part::Name(kind, name) => self.add_name(kind, name),
            Part::Records(relation) => self.add_records(at, relation),
            Part::Order(order) => self.add_order(order),
            Part::Unknown => None,
        };
        if added.is_none() {
            self.report(at);
        }
    }

    fn add_particle(&mut self, at: usize, particle: &'a str) {
        match particle {
            "and" | "or" => self.conjunction = Some((particle, at)),
            "," | "." => self.add_sign(at, particle),
            "question" => {
                self.report(at);
                self.is_lost = true;
            }
            "negation" => {
                // "not without" means "with"
                self.negation = Some(at).filter(|_| self.negation.is_none());
                (self.last, self.conjunction, self.is_lost) = (None, None, false);
            }
            "with" | "but" => (self.last, self.is_lost) = (None, false),
            _ => {}
        }
    }

    fn add_sign(&mut self, at: usize, sign: &'a str) {
        self.report_negation();
        // an amount, a date or "in Austin" after a comma is no part of what was not understood
        let mut next = self.question.tokens.iter().skip(at + 1);
        let next = next.find(|next| !matches!(next.part, Part::Particle("noise")));
        let is_separate = next.is_some_and(|next| match &next.part {
            Part::Range(_) => true,
            Part::Value(_, "city" | "state", _) => self.question.is_after_in(next.start),
            _ => false,
        });
        self.is_lost &= sign != "." && !is_separate;
        self.conjunction = self.conjunction.or(Some((sign, at)));
        if sign == "." {
            (self.last, self.conjunction) = (None, None);
        }
    }

    /// Reports a negation of what is not understood.
    fn report_negation(&mut self) {
        if let Some(negation) = self.negation.take() {
            self.reported[negation] = true;
            self.is_lost = true;
        }
    }

    /// Reports a token, with the "or" or the negation before it.
    fn report(&mut self, at: usize) {
        self.report_negation();
        self.is_lost |= self.is_joined() && matches!(self.last, Some(Condition(_, true)));
        self.take_conjunction("or");
        self.reported[at] = true;
        self.last = None;
    }

    /// The reported words as they were written. Those with nothing but words without a meaning
    /// between them are one phrase, unless one may be misspelled.
    fn write_reports(&self) -> Vec<String> {
        let is_filler =
            |token: &Token<'_>| matches!(token.part, Part::Particle("noise" | "on" | "and" | "or"));
        let tokens = self.question.tokens.iter().zip(&self.reported);
        let tokens = tokens.filter(|(token, is_reported)| **is_reported || !is_filler(token));
        let tokens = tokens.map(|(token, is)| (token, *is, self.question.suggest_word(token)));
        let tokens: Vec<_> = tokens.collect();
        let is_plain = |one: &(&Token<'_>, bool, Option<String>)| one.1 && one.2.is_none();
        let phrases = tokens.chunk_by(|one, next| is_plain(one) && is_plain(next));
        let phrases = phrases.filter(|phrase| phrase[0].1).map(|phrase| {
            let (first, last) = (&phrase[0], &phrase[phrase.len() - 1]);
            let written = self.question.written(first.0.start, last.0.end);
            let hint = first.2.as_ref().map(|hint| format!(" ({hint})"));
            written.to_lowercase() + &hint.unwrap_or_default()
        });
        phrases.collect()
    }

    /// Whether the words just before were not understood. A place that is not known ends where
    /// something known begins; so does an amount that no filter has ("loans over $20M since May").
    fn is_after_unknown(&self, at: usize) -> bool {
        let tokens = &self.question.tokens[..at];
        let unknown = tokens.iter().rev();
        let unknown = unknown.take_while(|token| matches!(token.part, Part::Unknown));
        let first = unknown.last();
        let is_place = first.is_some_and(|first| self.question.is_after_in(first.start));
        let is_known = |range: &Range<'_>| range.kind != RangeKind::Other;
        let is_range =
            matches!(tokens.last(), Some(Token { part: Part::Range(one), .. }) if is_known(one));
        at > 0 && self.reported[at - 1] && !is_place && !is_range
    }

    /// Whether an "and" or "or" precedes.
    fn is_joined(&self) -> bool {
        matches!(self.conjunction, Some(("and" | "or", _)))
    }

    /// Takes the conjunction before a condition, and reports one that filters cannot express.
    fn take_conjunction(&mut self, wrong: &str) {
        match self.conjunction.take() {
            Some((joint, at)) if joint == wrong => self.reported[at] = true,
            _ => {}
        }
    }

    /// The last condition, if the question goes on about its related records: nothing joins them,
    /// or this is another value of its key.
    fn find_related(&self, key: &str) -> Option<Condition> {
        let goes_on = |last: &Condition| self.conjunction.is_none() || last.0.1 == key;
        let related = self.last.filter(|last| last.0.0.is_some());
        related.filter(goes_on)
    }

    /// Whether a condition is negated: by the words before it, or as one of several ("without a gc
    /// or an architect").
    fn is_negated(&self, target: KeyPath) -> bool {
        let Some(Condition(last, true)) = self.last.filter(|_| self.negation.is_none()) else {
            return self.negation.is_some();
        };
        let are_related = target.0.is_some() && last.0.is_some();
        let are_together = are_related || are_places([last, target]);
        are_alike(last, target) || self.is_joined() && are_together
    }

    /// Whether a value would change the meaning of another condition, or belongs to another search:
    /// "hotels in Austin, offices in Dallas".
    fn is_in_conflict(&self, condition: Condition) -> bool {
        let Condition(target, is_negated) = condition;
        let is_beside = |one: &Condition| one.1 == is_negated && are_alike(one.0, target);
        let is_like = |one: KeyPath| one == target || are_places([one, target]);
        let changes = |one: &Condition| match is_negated {
            // "with projects in Dallas but not in Houston" is about places of projects
            true => is_beside(one) && one.0 != target || is_like(one.0) && one.0.0 != target.0,
            false => is_beside(one),
        };
        let related = self.find_related(target.1);
        let related = related.filter(|last| self.negation.is_none() && is_beside(last));
        let follows = match target.0 {
            Some(_) => related.is_some(),
            None => self.last.is_some_and(|last| is_like(last.0)),
        };
        !follows && self.conditions.iter().any(changes)
    }

    /// How the key of a condition is typed in a filter. Not every negation has a key.
    fn write_key(&self, KeyPath(relation, key): KeyPath, is_negated: bool) -> Option<String> {
        let block = match relation {
            None if is_negated && self.question.keys.entity == FilterEntity::Skill => return None,
            None if is_negated => return Some(format!("{key}!")),
            None => return Some(key.to_owned()),
            Some(relation) if is_negated => format!("without_{}", relation.strip_prefix("has_")?),
            Some(relation) => relation.to_owned(),
        };
        self.question.keys.find_key(&[None], &block)?;
        Some(format!("{block}.{key}").trim_end_matches('.').to_owned())
    }

    /// Adds a condition if a filter can express it.
    fn add_condition(&mut self, condition: Condition, test: &str) -> Option<()> {
        let Condition(target, is_negated) = condition;
        let term = self.write_key(target, is_negated)? + test;
        let mut terms = self.terms.clone();
        terms.retain(|one| *one != term);
        terms.push(term);
        // terms that contradict each other are none
        self.translation.filters = Conditions::parse(&terms).ok()?;
        self.terms = terms;
        // conditions must all match, but of related records one that matches any of the values
        let last = self.last.filter(|last| last.1 == is_negated);
        let is_alternative = last.is_some_and(|last| is_negated || are_alike(last.0, target));
        self.take_conjunction(match is_alternative {
            false => "or",
            true if target.0.is_some() && !is_negated => "and",
            true => "",
        });
        self.conditions.push(condition);
        (self.last, self.negation) = (Some(condition), None);
        Some(())
    }

    /// Adds a test of values. If it does not fit, neither does the rest of its clause.
    fn add_test(&mut self, target: KeyPath, test: &str) -> Option<()> {
        let condition = Condition(target, self.is_negated(target));
        let is_free = !self.is_in_conflict(condition);
        let added = is_free.then(|| self.add_condition(condition, test));
        self.is_lost |= added.flatten().is_none();
        added.flatten()
    }

    /// Adds values or a place: of the related records just mentioned, of the records, or of others.
    fn add_value(&mut self, at: usize, others: Option<&str>, key: &str, test: &str) -> Option<()> {
        let question = self.question;
        // a "20-story tower" says how high it is
        let says =
            |token: &Token<'_>| matches!(&token.part, Part::Range(one) if one.key == Some(key));
        if question.tokens.iter().any(says) {
            return Some(());
        }
        let is_place = ["city", "state"].contains(&key);
        // "with a gc in Austin" says where the project is
        let is_of_project = is_place && question.keys.entity.plural() == "projects";
        let related = self.find_related(key).filter(|_| !is_of_project);
        let related = related.and_then(|last| last.0.0);
        let target = question.keys.find_key(&[related, None, others], key)?;
        // "electrical contractors", "a local architect" and "2 towers" are not any of them
        let word = question.word(question.tokens[at].end - 1);
        let is_broad = target.0.is_none() && key != "stories" && !word.starts_with("contractor");
        // "looking for a gc or an architect"
        let joint = self.conjunction.filter(|_| self.is_joined());
        let is_part = (!is_broad || joint.is_some()) && !is_place;
        let is_doubtful = is_part && self.is_after_unknown(joint.map_or(at, |(_, at)| at));
        // "not in Austin, Texas": excluding all of Texas would be more than was asked for
        let is_city = self.last == Some(Condition(KeyPath(None, "city"), true));
        let is_its_state = is_city && key == "state" && !self.is_joined();
        (!is_doubtful && !is_its_state).then(|| self.add_test(target, test))?
    }

    /// Adds a name: of the records or the related records just mentioned, or of a firm in a role.
    fn add_name(&mut self, kind: &str, name: &str) -> Option<()> {
        let keys = &self.question.keys;
        let name = format!("={name}");
        if let "name" | "tags" = kind {
            let related = self.find_related("").and_then(|last| last.0.0);
            return self.add_test(keys.find_key(&[related, None], kind)?, &name);
        }
        let relation = [Some(keys.find_word("accounts")?.1)];
        // a firm is another one than those before
        self.last = None;
        if !matches!(kind, "anyone" | "employer") {
            self.add_test(keys.find_key(&relation, "role")?, &format!("={kind}"))?;
        }
        self.add_test(keys.find_key(&relation, "name")?, &name)
    }

    /// Adds related records, after "with" or a negation.
    fn add_records(&mut self, at: usize, relation: &'static str) -> Option<()> {
        let target = KeyPath(Some(relation), "");
        let related = self.find_related("").filter(|_| self.negation.is_none());
        // "hotel projects" are the projects just mentioned
        if related.is_some_and(|last| last.0.0 == target.0) {
            return Some(());
        }
        let before = self.question.tokens[..at].iter().rev();
        let mut before = before.map(|token| &token.part);
        let before = before.find(|part| !matches!(part, Part::Particle("noise")));
        let is_relating = matches!(before, Some(Part::Particle("with" | "on")));
        let next = self.question.tokens.get(at + 1).map(|next| &next.part);
        let is_dated = relation == "has_signal" && matches!(next, Some(Part::Range(_)));
        let is_related = is_relating || is_dated || self.is_negated(target);
        // "project managers" are no projects
        let is_compound = self.is_after_unknown(at) || matches!(next, Some(Part::Unknown));
        (is_related && !is_compound).then(|| self.add_test(target, "=*"))?
    }

    /// What a range is about: the related records just mentioned, or else the records. What it counts
    /// or dates must be understood.
    fn find_range(&self, at: usize, range: &Range<'_>) -> Option<Condition> {
        let last = self.last.filter(|_| self.conjunction.is_none());
        let related = last.filter(|last| last.0.0.is_some());
        let is_of_signal = |one: &Condition| one.0.0 == Some("has_signal");
        let signal = self.conditions.iter().copied().rfind(is_of_signal);
        let is_after_signal = related.as_ref().is_some_and(is_of_signal);
        let next = self.question.tokens.get(at + 1).map(|next| &next.part);
        let (related, keys): (_, &[&str]) = match (range.kind, range.key) {
            // "loans over $20M"
            (RangeKind::Money | RangeKind::Large, None) if is_after_signal => return None,
            (RangeKind::Money, None) => (related, &[COST]),
            _ if self.is_after_unknown(at) => return None,
            // "over 5 million visitors"
            (RangeKind::Large, None) if matches!(next, Some(Part::Unknown)) => return None,
            (RangeKind::Large, None) => (related, &[COST]),
            // "completed in 2025" is not known, only what is completed and when its last signal was
            (RangeKind::Days, _) if last.is_some_and(|last| last.0.1 == "stage") => return None,
            // "permits issued in Austin since May"
            (RangeKind::Days, None) if signal.is_some() => (signal, &["filed_at"]),
            // "without a gc since March" says nothing about the last signal
            (RangeKind::Days, None) if related.is_some_and(|last| last.1) => return None,
            (RangeKind::Days, None) => (related, &["filed_at", "last_signal_at"]),
            _ => (related, range.key.as_slice()),
        };
        let fallback = range.key.map(|_| "has_signal");
        let relations = [related.and_then(|last| last.0.0), None, fallback];
        let find_key = |key: &&str| self.question.keys.find_key(&relations, key);
        let path = keys.iter().find_map(find_key)?;
        let related = related.filter(|last| last.0.0 == path.0);
        Some(Condition(path, related.is_some_and(|last| last.1)))
    }

    /// Adds a range, unless it is negated. "Under 5 stories or over 10" is two ranges.
    fn add_range(&mut self, at: usize, range: &Range<'_>) -> Option<()> {
        let condition = self.find_range(at, range)?;
        let is_second = self.conditions.contains(&condition);
        let is_alternative = matches!(self.conjunction, Some(("or", _))) && is_second;
        let is_free = !is_alternative && self.negation.is_none();
        is_free.then(|| self.add_condition(condition, &range.test))?
    }

    /// Sets the order, if the service has it.
    fn add_order(&mut self, order: &str) -> Option<()> {
        let (keys, direction) = order.rsplit_once(' ')?;
        let sort_keys = self.question.keys.entity.sort_keys();
        let find_key = |key| sort_keys.iter().find(|sort| sort.key == key);
        let key = keys.split(' ').find_map(find_key)?.key;
        let is_free = self.translation.sort.is_none() && self.negation.is_none();
        is_free.then(|| self.translation.sort = Some((key, direction == "asc")))
    }
}
