//! The typed form of conditions: terms, and lines of terms and words.

use std::ops::Range;

use crate::domain::quoting::{LinePart, split_alternatives, split_line};
use crate::domain::vocabulary::{ValueKind, Vocabulary, VocabularyField};

use super::resolve::FieldPath;
use super::types::{ANY_VALUE, Conditions, RANGE_KEYS, Test};
use super::values::{read_boolean, read_bound, read_range, strict_bound};

const SYNTAX_HINT: &str = "is not a condition; write it like city=Austin, stage!=approved, stories>=5 or has_account.role=developer";

/// Reserved words of a criterion in the interface; they are not allowed as keys, because the key
/// would look like a relation.
const RESERVED_WORDS: &[&str] = &["value", "min", "max", "exact_match", "exclude"];

/// A typed line: words that are looked for in all texts, and conditions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionLine {
    pub words: Vec<Words>,
    pub conditions: Conditions,
}

/// Words that some text of a row contains, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub text: String,
    pub exclude: bool,
}

/// Why a line cannot be read, and where it is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// How to write it instead.
    pub message: String,
    /// The wrong part, in bytes of the line.
    pub place: Range<usize>,
}

impl From<LineError> for String {
    fn from(error: LineError) -> String {
        error.message
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    /// An older spelling for texts, which looked for a part of them.
    Similar,
    Exactly,
    AtLeast,
    AtMost,
    More,
    Less,
}

/// Longer ones first, as they are looked for.
const OPERATORS: &[(&str, Operator)] = &[
    ("==", Operator::Exactly),
    (">=", Operator::AtLeast),
    ("<=", Operator::AtMost),
    ("=", Operator::Equal),
    ("~", Operator::Similar),
    (">", Operator::More),
    ("<", Operator::Less),
];

const OPERATOR_CHARS: [char; 4] = ['=', '<', '>', '~'];

/// A condition as typed.
struct Term<'a> {
    name: &'a str,
    operator: Operator,
    exclude: bool,
    value: &'a str,
}

impl ConditionLine {
    /// Reads a line of words and conditions on these fields. A value with spaces is quoted:
    /// `city="San Francisco"`; what begins with a quote is always text. Names and values that the
    /// fields do not have are kept for [`Vocabulary::validate`].
    ///
    /// # Errors
    /// The first part that cannot be read, and how to write it.
    pub fn parse(line: &str, fields: &Vocabulary) -> Result<ConditionLine, LineError> {
        ConditionLine::parse_parts(line, fields, |_| Ok(()))
    }

    /// Reads a line and checks it.
    ///
    /// # Errors
    /// The first condition that the fields do not allow, and what they do.
    pub fn parse_checked(line: &str, fields: &Vocabulary) -> Result<ConditionLine, LineError> {
        ConditionLine::parse_parts(line, fields, |conditions| fields.check(conditions))
    }

    /// Reads a line, and checks the conditions after each part of it.
    fn parse_parts(
        line: &str,
        fields: &Vocabulary,
        check: impl Fn(&Conditions) -> Result<(), String>,
    ) -> Result<ConditionLine, LineError> {
        let mut read = ConditionLine::default();
        for part in join_operators(split_line(line)) {
            let added = read.add_part(&part, fields);
            added
                .and_then(|()| check(&read.conditions))
                .map_err(|message| LineError {
                    message,
                    place: part.place,
                })?;
        }
        Ok(read)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.conditions.is_empty()
    }

    /// The text and the conditions of a search.
    pub fn into_search(self) -> (String, Conditions) {
        let words = self.words.iter();
        let words: Vec<&str> = words
            .flat_map(|words| words.text.split_whitespace())
            .collect();
        (words.join(" "), self.conditions)
    }

    /// Adds the conditions of another line; a test of a field replaces the same kind of test here.
    pub fn add_line(mut self, more: ConditionLine) -> ConditionLine {
        self.words.retain(|words| !more.words.contains(words));
        self.words.extend(more.words);
        let known = &mut self.conditions.0;
        for (key, test) in more.conditions.0 {
            let is_replaced =
                |(name, other): &(String, Test)| *name == key && other.is_same_kind(&test);
            let replaced = known
                .iter()
                .position(is_replaced)
                .map(|at| known.remove(at));
            let test = match replaced {
                Some((_, other)) => test.or_bounds_of(other),
                None => test,
            };
            known.push((key, test));
        }
        self
    }

    fn add_part(&mut self, part: &LinePart, fields: &Vocabulary) -> Result<(), String> {
        if part.is_quoted {
            self.add_words(&part.text, false);
            Ok(())
        } else if let Some(term) = Term::split(&part.text) {
            self.conditions.add_term(&part.text, term, fields)
        } else {
            self.add_bare_word(&part.text, fields)
        }
    }

    fn add_words(&mut self, text: &str, exclude: bool) {
        self.words.push(Words {
            text: text.to_owned(),
            exclude,
        });
    }

    /// Adds a word without an operator. Of rows on this machine, the name of a field asks whether
    /// its value is known.
    fn add_bare_word(&mut self, part: &str, fields: &Vocabulary) -> Result<(), String> {
        let (word, exclude) = part
            .strip_prefix('!')
            .map_or((part, false), |word| (word, true));
        if word.trim().is_empty() {
            return Err("! needs a word that is excluded".to_owned());
        }
        if exclude && !fields.is_local {
            return Err(format!(
                "{part} cannot be searched: the service excludes no words"
            ));
        }
        match fields.find(word).filter(|_| fields.is_local) {
            Some(field) if exclude => drop(self.conditions.add(&field.key, Test::UNKNOWN)),
            Some(field) => drop(self.conditions.add(&field.key, Test::KNOWN)),
            None => self.add_words(word, exclude),
        }
        Ok(())
    }
}

impl From<Conditions> for ConditionLine {
    fn from(conditions: Conditions) -> Self {
        ConditionLine {
            words: Vec::new(),
            conditions,
        }
    }
}

impl Conditions {
    /// Reads terms of a search whose fields are not known yet.
    ///
    /// # Errors
    /// The invalid term and how to write it, in one line.
    pub fn parse<T: AsRef<str>>(terms: impl IntoIterator<Item = T>) -> Result<Conditions, String> {
        Conditions::parse_terms(terms, &Vocabulary::default())
    }

    /// Reads terms on these fields: one condition each, without quotes around its value.
    ///
    /// # Errors
    /// The invalid term and how to write it, in one line.
    pub fn parse_terms<T: AsRef<str>>(
        terms: impl IntoIterator<Item = T>,
        fields: &Vocabulary,
    ) -> Result<Conditions, String> {
        let mut conditions = Conditions::default();
        for text in terms {
            let text = text.as_ref();
            let term = Term::split(text).ok_or_else(|| format!("{text:?} {SYNTAX_HINT}"))?;
            conditions.add_term(text, term, fields)?;
        }
        Ok(conditions)
    }

    fn add_term(&mut self, text: &str, term: Term<'_>, fields: &Vocabulary) -> Result<(), String> {
        let path =
            FieldPath::find(term.name, fields).ok_or_else(|| format!("{text:?} {SYNTAX_HINT}"))?;
        let name = path.to_string();
        match path.relation.as_deref() {
            Some(range) if RANGE_KEYS.contains(&range) => {
                return Err(format!(
                    "{name} goes through {range}, which is a number or a date, not a relation"
                ));
            }
            Some(relation) if relation.contains('.') => {
                return Err(format!(
                    "{name} goes through two relations; only one is allowed"
                ));
            }
            Some(_) if RESERVED_WORDS.contains(&path.key.as_str()) => {
                return Err(format!(
                    "{name} uses {} as a key, which is a reserved word",
                    path.key
                ));
            }
            _ => {}
        }
        let mut values = split_alternatives(term.value);
        if values.next().is_some_and(|first| first.starts_with('=')) {
            return Err(format!("{text:?} {SYNTAX_HINT}"));
        }
        let kind = path.field.map(|field| &field.kind);
        let kind = kind.cloned().or_else(|| guess_kind(&path.key));
        let test = term.to_test(&name, &path.key, kind, path.field, fields.is_local)?;
        let is_required = |test: &Test| matches!(test, Test::Values { exclude: false, .. });
        let is_there = |(key, test): &(String, Test)| *key == path.key && is_required(test);
        // They meant both, and would mean either.
        if fields.is_local && is_required(&test) && self.0.iter().any(is_there) {
            return Err(format!(
                "{name} is there twice; write {name}=a,b for either"
            ));
        }
        let is_repeated = match path.relation {
            None => self.add(&path.key, test),
            Some(relation) => {
                let inner = Conditions(vec![(path.key, test)]);
                self.add(&relation, Test::Related(inner))
            }
        };
        if is_repeated && !fields.is_local {
            return Err(format!(
                "{name} conflicts with an earlier condition on it; use each field once"
            ));
        }
        Ok(())
    }
}

impl Term<'_> {
    /// Splits a part of a line at its first operator; `None` if it has none.
    fn split(text: &str) -> Option<Term<'_>> {
        let (text, is_negated) = text
            .strip_prefix('!')
            .map_or((text, false), |text| (text, true));
        let (name, rest) = text.split_at(text.find(OPERATOR_CHARS)?);
        let (sign, operator) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
        let stripped = name.strip_suffix('!');
        Some(Term {
            name: stripped.unwrap_or(name),
            operator: *operator,
            exclude: is_negated != stripped.is_some(),
            value: rest[sign.len()..].trim(),
        })
    }

    fn to_test(
        &self,
        name: &str,
        key: &str,
        kind: Option<ValueKind>,
        field: Option<&VocabularyField>,
        is_local: bool,
    ) -> Result<Test, String> {
        let Term {
            operator,
            exclude,
            value,
            ..
        } = *self;
        let is_equal = matches!(
            operator,
            Operator::Equal | Operator::Similar | Operator::Exactly
        );
        if operator == Operator::Similar && is_local && kind == Some(ValueKind::Enum) {
            return Err(format!(
                "{name} is a word of a list: use = with the whole word"
            ));
        }
        let is_range = matches!(kind, Some(ValueKind::Number | ValueKind::Date)) || !is_equal;
        if kind == Some(ValueKind::Relation) {
            return match (operator, value) {
                (Operator::Equal, ANY_VALUE) if !exclude => {
                    Ok(Test::Related(Conditions::default()))
                }
                _ => Err(format!(
                    "{name} names no field of the related records; write {name}.name={value} or {name}=*"
                )),
            };
        }
        // A word is always compared as a whole.
        let is_exact = operator == Operator::Exactly
            && kind.as_ref().is_none_or(|kind| *kind == ValueKind::Text);
        let is_whether_known = is_equal && !is_exact && split_alternatives(value).eq([ANY_VALUE]);
        if exclude && !is_local && (is_range || is_whether_known) {
            return Err(match is_whether_known {
                true => format!("{name} is unknown: the service cannot be asked for that"),
                false => format!("{name} is a range; the service excludes no ranges"),
            });
        }
        if is_whether_known {
            return Ok(match exclude {
                true => Test::UNKNOWN,
                false => Test::KNOWN,
            });
        }
        if value.is_empty() {
            return Err(format!("{name} needs a value"));
        }
        let kind = kind.as_ref();
        let is_of_kind = |bound: &serde_json::Value| match kind {
            Some(ValueKind::Date) => bound.is_string(),
            Some(ValueKind::Number) => bound.is_number(),
            _ => true,
        };
        let bound = |is_min: bool| -> Result<Option<serde_json::Value>, String> {
            match kind {
                Some(ValueKind::Text) if read_bound(key, kind, value).is_err() => {
                    return Err(format!("{name} is a text: use ="));
                }
                _ => {}
            }
            let bound = read_bound(key, kind, value).map_err(|why| format!("{name} {why}"))?;
            Ok(Some(match operator {
                Operator::More | Operator::Less if is_of_kind(&bound) => {
                    strict_bound(&bound, key, is_min)
                }
                _ => bound,
            }))
        };
        let (min, max) = match operator {
            Operator::AtLeast | Operator::More => (bound(true)?, None),
            Operator::AtMost | Operator::Less => (None, bound(false)?),
            _ if is_range => read_range(key, kind, value).map_err(|why| format!("{name} {why}"))?,
            _ => return self.to_values(name, kind, field, is_exact),
        };
        Ok(Test::Range { min, max, exclude })
    }

    fn to_values(
        &self,
        name: &str,
        kind: Option<&ValueKind>,
        field: Option<&VocabularyField>,
        exact: bool,
    ) -> Result<Test, String> {
        let read = |text: String| match kind {
            Some(ValueKind::Boolean) => {
                read_boolean(&text).ok_or_else(|| format!("{name} must be true or false"))
            }
            _ => Ok(field.map_or_else(|| text.as_str().into(), |field| field.read_word(&text))),
        };
        let values: Vec<_> = split_alternatives(self.value)
            .map(read)
            .collect::<Result<_, _>>()?;
        if values.is_empty() {
            return Err(format!("{name} needs a value"));
        }
        Ok(Test::Values {
            values,
            exact,
            exclude: self.exclude,
        })
    }
}

/// The kind of a key of the interface while its vocabulary is not known.
fn guess_kind(key: &str) -> Option<ValueKind> {
    match key {
        "when" => Some(ValueKind::Date),
        _ if RANGE_KEYS.contains(&key) && key.ends_with("_at") => Some(ValueKind::Date),
        _ if RANGE_KEYS.contains(&key) => Some(ValueKind::Number),
        _ if key.ends_with("_known") => Some(ValueKind::Boolean),
        _ if is_relation(key) => Some(ValueKind::Relation),
        _ => None,
    }
}

/// Whether a key is a relation: in the interface its first word names the kind of relation.
fn is_relation(key: &str) -> bool {
    ["has_", "without_"]
        .iter()
        .any(|word| key.starts_with(word))
        || ["at_account", "on_project", "for_project", "for_account"].contains(&key)
}

/// Joins what was typed with spaces around an operator: `cost >= 5M`.
fn join_operators(parts: Vec<LinePart>) -> Vec<LinePart> {
    let begins = |part: &str| part.trim_start_matches('!').starts_with(OPERATOR_CHARS);
    let is_open = |part: &str| Term::split(part).is_some_and(|term| term.value.is_empty());
    let mut joined: Vec<LinePart> = Vec::new();
    for part in parts {
        let continues = |last: &LinePart| {
            let is_operator = begins(&part.text) && !last.text.contains(OPERATOR_CHARS);
            !last.is_quoted && (is_open(&last.text) || !part.is_quoted && is_operator)
        };
        match joined.last_mut().filter(|last| continues(last)) {
            Some(last) => {
                last.text.push_str(&part.text);
                last.place.end = part.place.end;
            }
            None => joined.push(part),
        }
    }
    joined
}
