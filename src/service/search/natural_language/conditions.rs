//! Turns the phrases of a question into filters, and reports the words that make none.

use super::FilterTranslation;
use super::subject::{QuestionSubject, Target};
use super::tokens::{Part, Question, Range, RangeKind};
use crate::domain::filters::Filters;
use crate::service::dataset::Dataset;

const COST: &str = "cost_of_construction_usd";

/// The state of a negation.
#[derive(Clone, Copy, PartialEq)]
enum Negation {
    None,
    /// What it negates is still to come; the place of its token.
    Pending(usize),
    /// What it negates was not understood: nothing makes a condition before the next clause.
    Unresolved,
    /// The same after a comma: an amount, a date or "in Austin" is no part of it.
    UnresolvedBeforeComma,
}

/// A condition that was understood: what it is about, and whether it is negated.
#[derive(Clone, Copy, PartialEq)]
struct Condition(Target, bool);

pub(super) struct ConditionBuilder<'a> {
    question: &'a Question<'a>,
    subject: &'a QuestionSubject,
    translation: FilterTranslation,
    /// The conditions, and how they are typed in a filter.
    conditions: Vec<Condition>,
    terms: Vec<String>,
    /// Which tokens make no condition.
    reported: Vec<bool>,
    negation: Negation,
    /// The last condition, if nothing came between.
    last: Option<Condition>,
    /// The "and", "or" or comma since the last condition, and its place.
    conjunction: Option<(&'static str, usize)>,
    /// "with" or "on" precedes.
    is_relating: bool,
    /// "top 20", until an order follows, and its place.
    top: Option<(u32, usize)>,
}

impl<'a> ConditionBuilder<'a> {
    pub fn new(question: &'a Question<'a>) -> ConditionBuilder<'a> {
        ConditionBuilder {
            question,
            subject: &question.subject,
            translation: FilterTranslation::default(),
            conditions: Vec::new(),
            terms: Vec::new(),
            reported: vec![false; question.tokens.len()],
            negation: Negation::None,
            last: None,
            conjunction: None,
            is_relating: false,
            top: None,
        }
    }

    pub fn build(mut self) -> FilterTranslation {
        for at in 0..self.question.tokens.len() {
            self.add_token(at);
        }
        self.add_sign(self.question.tokens.len(), ".");
        if let Some((_, at)) = self.top {
            self.reported[at] = true;
        }
        self.translation.unmatched = self.write_reports();
        self.translation
    }

    fn add_token(&mut self, at: usize) {
        let part = &self.question.tokens[at].part;
        let is_relating = matches!(part, Part::Particle("with" | "on"));
        let was_relating = std::mem::replace(&mut self.is_relating, is_relating);
        let added = match part {
            Part::Particle("noise") => return self.is_relating = was_relating,
            Part::Particle(particle) => return self.add_particle(at, particle),
            Part::Top(count) => return self.top = Some((*count, at)),
            _ if self.is_skipping(at) => None,
            Part::Values(target, values) => self.add_values(at, *target, values),
            Part::Place(key, name) => self.add_place(at, key, name),
            Part::Range(range) => self.add_range(at, range),
            Part::Name(kind, name) => self.add_name(at, kind, name),
            Part::Records(relation) => self.add_records(at, relation, was_relating),
            Part::Order(order) => self.add_order(order),
            Part::Unclear | Part::Unknown => None,
        };
        if added.is_none() {
            self.report(at);
        }
    }

    fn add_particle(&mut self, at: usize, particle: &'static str) {
        match particle {
            "and" | "or" => self.conjunction = Some((particle, at)),
            "," | "." => self.add_sign(at, particle),
            "question" => self.give_up(at),
            "negation" => {
                // "not without" means "with"
                let is_double = matches!(self.negation, Negation::Pending(_));
                self.negation = match is_double {
                    true => Negation::None,
                    false => Negation::Pending(at),
                };
                (self.last, self.conjunction) = (None, None);
            }
            "with" | "but" => {
                self.last = None;
                if !matches!(self.negation, Negation::Pending(_)) {
                    self.negation = Negation::None;
                }
            }
            _ => {}
        }
    }

    fn add_sign(&mut self, at: usize, sign: &'static str) {
        if let Negation::Pending(negation) = self.negation {
            self.reported[negation] = true;
        }
        if self.negation != Negation::None {
            self.negation = Negation::UnresolvedBeforeComma;
        }
        self.conjunction = self.conjunction.or(Some((sign, at)));
        if sign == "." {
            self.negation = Negation::None;
            (self.last, self.conjunction) = (None, None);
        }
    }

    /// Whether a token belongs to a negation that was not understood.
    fn is_skipping(&mut self, at: usize) -> bool {
        let token = &self.question.tokens[at];
        let is_separate = match token.part {
            Part::Range(_) => true,
            Part::Place(..) => self.question.is_after_in(token.start),
            _ => false,
        };
        if is_separate && self.negation == Negation::UnresolvedBeforeComma {
            self.negation = Negation::None;
        }
        !matches!(self.negation, Negation::None | Negation::Pending(_))
    }

    /// Reports a token, with the "or" or the negation before it.
    fn report(&mut self, at: usize) {
        let is_alternative = self.is_joined() && matches!(self.last, Some(Condition(_, true)));
        if let Negation::Pending(negation) = self.negation {
            self.reported[negation] = true;
        }
        if is_alternative || matches!(self.negation, Negation::Pending(_)) {
            self.negation = Negation::Unresolved;
        }
        self.take_conjunction(Some("or"));
        self.reported[at] = true;
        self.last = None;
    }

    /// Reports a token, and what follows it in its clause.
    fn give_up(&mut self, at: usize) {
        self.report(at);
        self.negation = Negation::Unresolved;
    }

    /// The reported words as they were written. Those with nothing but words without a meaning
    /// between them are one phrase.
    fn write_reports(&self) -> Vec<String> {
        let tokens = self.question.tokens.iter().zip(&self.reported);
        let tokens = tokens.filter(|(token, is_reported)| **is_reported || !token.is_filler());
        let tokens: Vec<_> = tokens.collect();
        let phrases = tokens.chunk_by(|one, next| *one.1 && *next.1);
        let phrases = phrases.filter(|phrase| *phrase[0].1);
        let phrases = phrases.map(|phrase| {
            let (first, last) = (phrase[0].0, phrase[phrase.len() - 1].0);
            let written = self.question.written(first.start, last.end).to_lowercase();
            let is_word = phrase.len() == 1 && matches!(first.part, Part::Unknown);
            match self.question.suggest_word(first.start).filter(|_| is_word) {
                Some(hint) => format!("{written} ({hint})"),
                None => written,
            }
        });
        phrases.collect()
    }

    /// Whether the words just before were not understood. A place that is not known ends where
    /// something known begins.
    fn is_after_unknown(&self, at: usize) -> bool {
        let before = self.question.tokens[..at].iter().rev();
        let unknown = before.take_while(|token| matches!(token.part, Part::Unknown));
        let first = unknown.last();
        let is_place = first.is_some_and(|first| self.question.is_after_in(first.start));
        at > 0 && self.reported[at - 1] && !is_place
    }

    /// Whether an "and" or "or" precedes.
    fn is_joined(&self) -> bool {
        matches!(self.conjunction, Some(("and" | "or", _)))
    }

    /// Takes the conjunction before a condition, and reports one that filters cannot express.
    fn take_conjunction(&mut self, wrong: Option<&str>) {
        let conjunction = self.conjunction.take();
        if let Some((_, at)) = conjunction.filter(|(joint, _)| Some(*joint) == wrong) {
            self.reported[at] = true;
        }
    }

    /// The last condition, if the question goes on about its related records: nothing joins them,
    /// or this is another value of its key.
    fn find_related(&self, key: &str) -> Option<Condition> {
        let is_related = |last: &Condition| last.0.0.is_some();
        let goes_on = |last: &Condition| self.conjunction.is_none() || last.0.1 == key;
        self.last.filter(is_related).filter(goes_on)
    }

    /// Whether a condition is negated: by the words before it, or as one of several ("without a gc
    /// or an architect").
    fn is_negated(&self, target: Target) -> bool {
        if let (Negation::None, Some(Condition(last, true))) = (self.negation, self.last) {
            let are_related = target.0.is_some() && last.0.is_some();
            let are_places = target.is_place() && last.is_place();
            return last.is_like(target) || self.is_joined() && (are_related || are_places);
        }
        self.negation != Negation::None
    }

    /// Whether a value would change the meaning of another condition, or belongs to another search:
    /// "hotels in Austin, offices in Dallas".
    fn is_in_conflict(&self, condition: Condition) -> bool {
        let Condition(target, is_negated) = condition;
        let is_beside = |one: &&Condition| one.0.0 == target.0 && one.1 == is_negated;
        let mut beside = self.conditions.iter().filter(is_beside);
        if target.0.is_none() {
            let is_like = |last: Target| last == target || last.is_place() && target.is_place();
            let follows = self.last.is_some_and(|last| is_like(last.0));
            return !is_negated && !follows && beside.any(|one| one.0 == target);
        }
        let related = self.find_related(target.1);
        let related = related.filter(|_| self.negation == Negation::None);
        let is_attached = related.is_some_and(|last| is_beside(&&last));
        !is_attached && beside.any(|one| !is_negated || one.0 != target)
    }

    /// Adds a condition if a filter can express it.
    fn add_condition(&mut self, condition: Condition, test: &str) -> Option<()> {
        let Condition(target, is_negated) = condition;
        let block = self.subject.find_block(target, is_negated)?;
        let key = match (block, target.1) {
            (Some(block), "") => block.to_owned(),
            (Some(block), key) => format!("{block}.{key}"),
            (None, key) if is_negated => format!("{key}!"),
            (None, key) => key.to_owned(),
        };
        let term = format!("{key}{test}");
        let mut terms = self.terms.clone();
        terms.retain(|one| *one != term);
        terms.push(term);
        self.translation.filters = Filters::parse(&terms).ok()?;
        self.terms = terms;
        // conditions must all match, but of related records one that matches any of the values
        let last = self.last.filter(|last| last.1 == is_negated);
        let is_alternative = last.is_some_and(|last| is_negated || last.0.is_like(target));
        self.take_conjunction(match is_alternative {
            false => Some("or"),
            true => Some("and").filter(|_| target.0.is_some() && !is_negated),
        });
        self.conditions.push(condition);
        self.last = Some(condition);
        self.negation = Negation::None;
        Some(())
    }

    /// Adds values of a key. What does not fit is reported with the rest of its clause.
    fn add_value(&mut self, at: usize, target: Target, value: &str) -> Option<()> {
        let condition = Condition(target, self.is_negated(target));
        let is_added = !self.is_in_conflict(condition)
            && self
                .add_condition(condition, &format!("={value}"))
                .is_some();
        if !is_added {
            self.give_up(at);
        }
        Some(())
    }

    fn add_values(&mut self, at: usize, target: Target, values: &str) -> Option<()> {
        // "electrical contractors" and "a local architect" are not any of them
        let word = self.question.word(self.question.tokens[at].end - 1);
        let may_be_narrower = target.0.is_some() || word.starts_with("contractor");
        let is_narrower = may_be_narrower && self.is_after_unknown(at);
        // "looking for a gc or an architect"
        let conjunction = self.conjunction.filter(|_| self.is_joined());
        let is_joined = conjunction.is_some_and(|(_, at)| self.is_after_unknown(at));
        match is_narrower || is_joined {
            true => None,
            false => self.add_value(at, target, values),
        }
    }

    /// Adds a place: of the related records just mentioned, of the records, or of their project.
    fn add_place(&mut self, at: usize, key: &'static str, name: &str) -> Option<()> {
        let find_key = |relation| self.subject.find_key(relation, key);
        let related = self.find_related(key).and_then(|last| find_key(last.0.0));
        let related = related.filter(|_| self.subject.dataset != Some(Dataset::Projects));
        let own = find_key(None).or_else(|| find_key(Some("for_project")));
        let is_city = self.last == Some(Condition(Target(None, "city"), true));
        // "not in Austin, Texas": excluding all of Texas would be more than was asked for
        match is_city && key == "state" && !self.is_joined() {
            true => None,
            false => self.add_value(at, related.or(own)?, name),
        }
    }

    /// Adds a name: of the records or the related records just mentioned, or of a firm in a role.
    fn add_name(&mut self, at: usize, kind: &str, name: &str) -> Option<()> {
        let is_own = ["name", "tags"].contains(&kind);
        let relation = match is_own {
            true => self.find_related("").and_then(|last| last.0.0),
            false => self.subject.find_relation("accounts"),
        };
        let find_key = |key| self.subject.find_key(relation, key);
        let target = find_key(if is_own { kind } else { "name" })?;
        if !is_own {
            // a firm is another one than those before
            self.last = None;
        }
        if !is_own && kind != "anyone" {
            self.add_value(at, find_key("role")?, kind)?;
        }
        match self.reported[at] {
            true => Some(()),
            false => self.add_value(at, target, name),
        }
    }

    /// Adds related records, after "with" or a negation.
    fn add_records(&mut self, at: usize, relation: &'static str, is_relating: bool) -> Option<()> {
        let target = Target(Some(relation), "");
        let is_pending = self.negation != Negation::None;
        let related = self.find_related("").filter(|_| !is_pending);
        // "hotel projects" are the projects just mentioned
        if related.is_some_and(|last| last.0.0 == target.0) {
            return Some(());
        }
        let next = self.question.tokens.get(at + 1).map(|next| &next.part);
        let is_dated = relation == "has_signal" && matches!(next, Some(Part::Range(_)));
        let is_related = (is_relating || is_dated) && !self.is_after_unknown(at);
        match is_related || self.is_negated(target) {
            true => self.add_value(at, target, "*"),
            false => None,
        }
    }

    /// What a range is about: the related records just mentioned, or else the records. What it counts
    /// or dates must be understood.
    fn find_range(&self, at: usize, range: &Range) -> Option<Condition> {
        let last = self.last.filter(|_| self.conjunction.is_none());
        let related = last.filter(|last| last.0.0.is_some());
        let is_of_signal = related.is_some_and(|last| last.0.0 == Some("has_signal"));
        let mut conditions = self.conditions.iter().rev();
        let signal = conditions.find(|one| one.0.0 == Some("has_signal"));
        let next = self.question.tokens.get(at + 1).map(|next| &next.part);
        let keys: &[&str] = match (range.key, range.kind) {
            (None, RangeKind::Money) if !is_of_signal => &[COST],
            _ if self.is_after_unknown(at) => return None,
            // "over 5 million visitors"
            (None, RangeKind::Large) if matches!(next, Some(Part::Unknown)) => return None,
            (None, RangeKind::Large) if !is_of_signal => &[COST],
            // "completed in 2025" is not known, only what is completed and when its last signal was
            (_, RangeKind::Days) if last.is_some_and(|last| last.0 == Target(None, "stage")) => {
                return None;
            }
            (Some(key), _) => &[key],
            (None, RangeKind::Days) => match (signal, related) {
                // "permits issued in Austin since May"
                (Some(last), _) => return Some(Condition(Target(last.0.0, "filed_at"), last.1)),
                // "without a gc since March" says nothing about the last signal
                (None, Some(Condition(_, true))) => &["filed_at"],
                (None, _) => &["filed_at", "last_signal_at"],
            },
            _ => return None,
        };
        keys.iter().find_map(|key| {
            let find_key = |relation| self.subject.find_key(relation, key);
            let related = related.and_then(|last| Some(Condition(find_key(last.0.0)?, last.1)));
            let signal = || find_key(Some("has_signal")).filter(|_| range.key.is_some());
            let own = || find_key(None).or_else(signal);
            related.or_else(|| Some(Condition(own()?, false)))
        })
    }

    /// Adds a range, unless it is negated. "Under 5 stories or over 10" is two ranges.
    fn add_range(&mut self, at: usize, range: &Range) -> Option<()> {
        let condition = self.find_range(at, range)?;
        let is_second = self.conditions.contains(&condition);
        let is_alternative = matches!(self.conjunction, Some(("or", _))) && is_second;
        match is_alternative || self.negation != Negation::None {
            true => None,
            false => self.add_condition(condition, &range.test),
        }
    }

    /// Sets the order, and with it the number of rows, if the service has it.
    fn add_order(&mut self, order: &str) -> Option<()> {
        let mut words = order.split(' ');
        let is_ascending = words.next_back() == Some("asc");
        let mut keys = words.filter_map(|word| {
            let known = self.subject.sort_keys.iter();
            known.map(|sort| sort.key).find(|key| *key == word)
        });
        let key = keys.next()?;
        if self.translation.sort.is_some() || self.negation != Negation::None {
            return None;
        }
        self.translation.sort = Some((key, is_ascending));
        self.translation.limit = self.top.take().map(|(count, _)| count);
        Some(())
    }
}
