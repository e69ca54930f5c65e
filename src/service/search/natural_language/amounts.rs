//! The amounts of a question: "more than 100 units", "$10M to $20M", "200-unit", "5 stories or
//! less".

use serde_json::{Value, json};

use super::lexicon::{
    HIGH_RISES, negation_length, parse_amount_number, scale_factor, starts_with, starts_with_value,
};
use super::{Negation, QuestionParser};
use crate::service::search::fields::FilterKind;

const COST: &str = "cost_of_construction_usd";
const AREA: &str = "gross_floor_area_sf";
const STORIES: &str = "stories";
const UNITS: &str = "residential_units";

/// The units of an amount, by key, longer ones first.
const AMOUNT_UNITS: &[(&str, &[&str])] = &[
    (
        UNITS,
        &[
            "residential units",
            "apartment units",
            "housing units",
            "dwelling units",
            "units",
            "unit",
            "homes",
            "apartments",
            "dwellings",
        ],
    ),
    (
        STORIES,
        &[
            "stories tall",
            "stories high",
            "floors tall",
            "stories",
            "story",
            "storeys",
            "storey",
            "floors",
            "floor",
        ],
    ),
    (
        AREA,
        &[
            "square feet",
            "square foot",
            "square ft",
            "sq feet",
            "sq ft",
            "sqft",
            "sf",
        ],
    ),
    (
        COST,
        &[
            "dollars in cost",
            "dollars in value",
            "in construction cost",
            "in construction costs",
            "construction cost",
            "in cost",
            "in value",
            "dollars",
            "dollar",
            "usd",
            "budgets",
            "budget",
        ],
    ),
    ("atlas_score", &["score", "points"]),
];

/// Nouns before an amount, by key, longer ones first.
const AMOUNT_NOUNS: &[(&str, &[&str])] = &[
    (
        COST,
        &[
            "cost of construction",
            "construction costs",
            "construction cost",
            "construction value",
            "project cost",
            "project value",
            "total cost",
            "valued",
            "costing",
            "costs",
            "cost",
            "budgets",
            "budget",
            "budgeted",
            "value",
            "valuation",
            "worth",
            "price",
            "priced",
        ],
    ),
    (
        UNITS,
        &[
            "residential units",
            "number of units",
            "unit count",
            "units",
        ],
    ),
    (
        STORIES,
        &["number of stories", "stories", "floors", "height"],
    ),
    (AREA, &["gross floor area", "floor area", "square footage"]),
    ("atlas_score", &["atlas score", "score"]),
];

/// What an amount of money can be that is not the cost of a project.
const OTHER_MONEY: &[&str] = &[
    "revenue", "revenues", "funding", "debt", "equity", "loan", "loans", "sales", "profit",
    "income", "rent", "assets",
];

/// Which numbers an amount allows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtLeast,
    MoreThan,
    AtMost,
    LessThan,
    Exactly,
}

impl Bound {
    fn opposite(self) -> Option<Bound> {
        match self {
            Bound::AtLeast => Some(Bound::LessThan),
            Bound::MoreThan => Some(Bound::AtMost),
            Bound::AtMost => Some(Bound::MoreThan),
            Bound::LessThan => Some(Bound::AtLeast),
            Bound::Exactly => None,
        }
    }
}

const BOUNDS_BEFORE: &[(&str, Bound)] = &[
    ("a minimum of", Bound::AtLeast),
    ("minimum of", Bound::AtLeast),
    ("minimum", Bound::AtLeast),
    ("min", Bound::AtLeast),
    ("at least", Bound::AtLeast),
    ("starting at", Bound::AtLeast),
    ("\u{2265}", Bound::AtLeast),
    ("in excess of", Bound::MoreThan),
    ("more than", Bound::MoreThan),
    ("greater than", Bound::MoreThan),
    ("bigger than", Bound::MoreThan),
    ("larger than", Bound::MoreThan),
    ("higher than", Bound::MoreThan),
    ("taller than", Bound::MoreThan),
    ("north of", Bound::MoreThan),
    ("exceeding", Bound::MoreThan),
    ("exceeds", Bound::MoreThan),
    ("exceed", Bound::MoreThan),
    ("upwards of", Bound::MoreThan),
    ("over", Bound::MoreThan),
    ("above", Bound::MoreThan),
    ("beyond", Bound::MoreThan),
    (">", Bound::MoreThan),
    ("a maximum of", Bound::AtMost),
    ("maximum of", Bound::AtMost),
    ("maximum", Bound::AtMost),
    ("max", Bound::AtMost),
    ("at most", Bound::AtMost),
    ("up to", Bound::AtMost),
    ("\u{2264}", Bound::AtMost),
    ("less than", Bound::LessThan),
    ("fewer than", Bound::LessThan),
    ("smaller than", Bound::LessThan),
    ("lower than", Bound::LessThan),
    ("shorter than", Bound::LessThan),
    ("cheaper than", Bound::LessThan),
    ("south of", Bound::LessThan),
    ("under", Bound::LessThan),
    ("below", Bound::LessThan),
    ("<", Bound::LessThan),
    ("exactly", Bound::Exactly),
];

const BOUNDS_AFTER: &[(&str, Bound)] = &[
    ("or more", Bound::AtLeast),
    ("or higher", Bound::AtLeast),
    ("or greater", Bound::AtLeast),
    ("or above", Bound::AtLeast),
    ("or over", Bound::AtLeast),
    ("or taller", Bound::AtLeast),
    ("or bigger", Bound::AtLeast),
    ("or larger", Bound::AtLeast),
    ("and up", Bound::AtLeast),
    ("and above", Bound::AtLeast),
    ("and over", Bound::AtLeast),
    ("and more", Bound::AtLeast),
    ("plus", Bound::AtLeast),
    ("minimum", Bound::AtLeast),
    ("at least", Bound::AtLeast),
    ("or less", Bound::AtMost),
    ("or fewer", Bound::AtMost),
    ("or under", Bound::AtMost),
    ("or below", Bound::AtMost),
    ("or lower", Bound::AtMost),
    ("or smaller", Bound::AtMost),
    ("and under", Bound::AtMost),
    ("and below", Bound::AtMost),
    ("and less", Bound::AtMost),
    ("maximum", Bound::AtMost),
    ("at most", Bound::AtMost),
];

const APPROXIMATIONS: &[&str] = &[
    "about",
    "approximately",
    "around",
    "roughly",
    "approx",
    "circa",
    "nearly",
    "almost",
    "some",
];

const NUMBER_WORDS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];
const TENS: &[&str] = &[
    "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// A building of so many stories is a high-rise.
const HIGH_RISE_STORIES: u32 = 12;

/// An amount of at least this size without a unit is money.
const MIN_UNITLESS_MONEY: f64 = 1e6;

/// A number as it was written.
#[derive(Clone, Copy, Debug)]
struct Number {
    value: f64,
    is_money: bool,
    /// It has a scale, like "5M" or "5 million".
    is_scaled: bool,
    /// It ends with a "+".
    has_plus: bool,
    /// How many words it takes.
    words: usize,
}

fn parse_phrase<T: Copy>(words: &[String], phrases: &[(&str, T)]) -> Option<(T, usize)> {
    let all = phrases
        .iter()
        .map(|(phrase, what)| (phrase.split(' ').collect::<Vec<_>>(), *what));
    all.filter(|(phrase, _)| starts_with(words, phrase))
        .map(|(phrase, what)| (what, phrase.len()))
        .max_by_key(|(_, count)| *count)
}

fn parse_key(words: &[String], names: &[(&'static str, &[&str])]) -> Option<(&'static str, usize)> {
    let each = names
        .iter()
        .flat_map(|(key, names)| names.iter().map(|name| (*name, *key)));
    parse_phrase(words, &each.collect::<Vec<_>>())
}

/// A number of days, weeks and the like: "30", "two", "a couple of" is none.
pub(super) fn parse_count(words: &[String]) -> Option<(u32, usize)> {
    let number = parse_number(words)
        .filter(|number| !number.is_money && !number.has_plus && number.value.fract() == 0.0)?;
    (number.value <= 10_000.0).then_some((number.value as u32, number.words))
}

fn parse_number(words: &[String]) -> Option<Number> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let (mut at, has_sign) = if word(0) == Some("$") {
        (1, true)
    } else {
        (0, false)
    };
    let mut number = Number {
        value: 0.0,
        is_money: has_sign,
        is_scaled: false,
        has_plus: false,
        words: 0,
    };
    let place = |list: &[&str], at: usize| {
        list.iter()
            .position(|name| word(at) == Some(name))
            .map(|at| at as f64)
    };
    if let Some((value, money)) = word(at).and_then(parse_amount_number) {
        number.is_scaled = word(at)?
            .trim_end_matches('+')
            .ends_with(|c: char| c.is_alphabetic());
        number.has_plus = word(at)?.ends_with('+');
        (number.value, number.is_money) = (value, money || has_sign);
    } else if let Some(value) = place(NUMBER_WORDS, at) {
        number.value = value;
        if let Some(ones) =
            place(NUMBER_WORDS, at + 1).filter(|ones| value == 20.0 && *ones < 10.0 && *ones > 0.0)
        {
            (number.value, at) = (value + ones, at + 1);
        }
    } else if let Some(tens) = place(TENS, at) {
        number.value = 30.0 + 10.0 * tens;
        if let Some(ones) = place(NUMBER_WORDS, at + 1).filter(|ones| *ones < 10.0 && *ones > 0.0) {
            (number.value, at) = (number.value + ones, at + 1);
        }
    } else if word(at) == Some("half")
        && word(at + 1) == Some("a")
        && word(at + 2).and_then(scale_factor).is_some()
    {
        (number.value, at) = (0.5, at + 1);
    } else if word(at) == Some("a")
        && word(at + 1).is_some_and(|next| next == "hundred" || scale_factor(next).is_some())
    {
        number.value = 1.0;
    } else {
        return None;
    }
    at += 1;
    if word(at) == Some("hundred") {
        (number.value, at) = (number.value * 100.0, at + 1);
    }
    if let Some(scale) = word(at)
        .map(|word| word.trim_end_matches('+'))
        .and_then(scale_factor)
        .filter(|_| !number.is_scaled)
    {
        number.has_plus |= word(at)?.ends_with('+');
        (number.value, number.is_scaled, at) = (number.value * scale, true, at + 1);
    }
    number.words = at;
    Some(number)
}

/// "more than", "no more than", "at most": which numbers, and the number of words.
fn parse_bound(words: &[String]) -> Option<(Bound, usize)> {
    let not = negation_length(words).unwrap_or(0);
    let (bound, count) = parse_phrase(words.get(not..)?, BOUNDS_BEFORE)?;
    let bound = if not > 0 { bound.opposite()? } else { bound };
    Some((bound, not + count))
}

/// Whether the words begin with a bound and a number.
pub(super) fn starts_amount(words: &[String]) -> bool {
    parse_bound(words).is_some_and(|(_, count)| words.get(count..).and_then(parse_number).is_some())
}

/// What was read of an amount: its ends, its key if it has one, and the words.
struct Amount {
    min: Option<f64>,
    max: Option<f64>,
    is_strict: bool,
    is_money: bool,
    is_large: bool,
    key: Option<&'static str>,
    words: usize,
}

impl QuestionParser {
    /// Parses an amount. One that is understood as a number but not as a condition is reported
    /// whole.
    pub(super) fn parse_amount(&mut self, words: &[String], after_unknown: bool) -> usize {
        if self.negation != Negation::None {
            return 0;
        }
        if APPROXIMATIONS.contains(&words[0].as_str())
            && let Some(number) = parse_number(&words[1..])
            && (number.is_money
                || number.is_scaled
                || parse_key(&words[1 + number.words..], AMOUNT_UNITS).is_some())
        {
            let after = 1 + number.words;
            return self.ignore(
                words,
                after + parse_key(&words[after..], AMOUNT_UNITS).map_or(0, |(_, count)| count),
            );
        }
        if let Some(tall) = HIGH_RISES
            .iter()
            .find(|tall| starts_with_value(words, tall))
        {
            let is_number = |kind: &FilterKind| matches!(kind, FilterKind::Number);
            let min = Some(json!(HIGH_RISE_STORIES));
            return match self.add_range(is_number, Some(STORIES), min, None) {
                true => tall.len(),
                false => 0,
            };
        }
        let Some(amount) = self.read_amount(words) else {
            return 0;
        };
        let rest = &words[amount.words..];
        let skipped = usize::from(matches!(
            rest.first().map(String::as_str),
            Some("in" | "of")
        ));
        if rest
            .get(skipped)
            .is_some_and(|word| OTHER_MONEY.contains(&word.as_str()))
        {
            return self.ignore(words, amount.words + skipped + 1);
        }
        let counts_unknown =
            amount.key.is_none() && rest.first().is_some_and(|_| !self.is_understood(rest));
        let of_signal = self.last.is_some_and(|last| {
            last.relation
                .is_some_and(|relation| relation.key.ends_with("_signal"))
        }) && self.conjunction.is_none();
        let key = match amount.key {
            Some(key) => key,
            None if amount.is_money && !of_signal => COST,
            None if amount.is_large && !counts_unknown && !after_unknown && !of_signal => COST,
            None => {
                let counted = counts_unknown
                    || self.find_value(rest).is_some()
                    || self.find_dataset(rest).is_some();
                return self.ignore(
                    words,
                    amount.words + usize::from(counted && !rest.is_empty()),
                );
            }
        };
        if key == COST && of_signal
            || (key == COST && amount.key.is_none() && after_unknown && !amount.is_money)
        {
            return self.ignore(words, amount.words);
        }
        let whole = |value: f64| {
            if value.fract() == 0.0 {
                json!(value as i64)
            } else {
                json!(value)
            }
        };
        let steps = amount.is_strict && matches!(key, UNITS | STORIES);
        let min = amount
            .min
            .map(|min| whole(if steps { min + 1.0 } else { min }));
        let max = amount
            .max
            .map(|max| whole(if steps { max - 1.0 } else { max }));
        if self.add_range(
            |kind| matches!(kind, FilterKind::Number),
            Some(key),
            min,
            max,
        ) {
            amount.words
        } else {
            self.ignore(words, amount.words)
        }
    }

    /// Reads an amount with its unit: a range, a bound, or exactly so many units or stories.
    fn read_amount(&self, words: &[String]) -> Option<Amount> {
        let (noun, mut at) =
            parse_key(words, AMOUNT_NOUNS).map_or((None, 0), |(key, count)| (Some(key), count));
        if noun.is_some() {
            let joins = |word: &&String| ["is", "are", "of", "at", "that"].contains(&word.as_str());
            at += if parse_bound(&words[at..]).is_some() {
                0
            } else {
                words[at..].iter().take_while(joins).count()
            };
        }
        let tail = words.get(at..)?;
        if let Some(range) = read_range(tail) {
            return Some(Amount {
                key: range.key.or(noun),
                words: at + range.words,
                ..range
            });
        }
        let (bound, count) =
            parse_bound(tail).map_or((None, 0), |(bound, count)| (Some(bound), count));
        let number = parse_number(&tail[count..])?;
        at += count + number.words;
        let mut later = None;
        let mut unit = None;
        for _ in 0..2 {
            if later.is_none()
                && let Some((bound, count)) = parse_phrase(&words[at..], BOUNDS_AFTER)
                // "under 5 stories or over 10" continues with another amount
                && words.get(at + count).is_none_or(|next| next != "than" && parse_number(&words[at + count..]).is_none())
            {
                (later, at) = (Some(bound), at + count);
            }
            if unit.is_none()
                && let Some((key, count)) = parse_key(&words[at..], AMOUNT_UNITS)
            {
                (unit, at) = (Some(key), at + count);
            }
        }
        let key = unit.or(noun);
        let bound = match bound
            .or(later)
            .or(number.has_plus.then_some(Bound::AtLeast))
        {
            Some(bound) => bound,
            None if matches!(key, Some(UNITS | STORIES)) => Bound::Exactly,
            None => return None,
        };
        let min = matches!(bound, Bound::AtLeast | Bound::MoreThan | Bound::Exactly)
            .then_some(number.value);
        let max = matches!(bound, Bound::AtMost | Bound::LessThan | Bound::Exactly)
            .then_some(number.value);
        let is_strict = matches!(bound, Bound::MoreThan | Bound::LessThan);
        let is_large = number.value >= MIN_UNITLESS_MONEY;
        Some(Amount {
            min,
            max,
            is_strict,
            is_money: number.is_money,
            is_large,
            key,
            words: at,
        })
    }
}

/// "between 5 and 10 million", "$5M to $10M", "10 to 20 stories".
fn read_range(words: &[String]) -> Option<Amount> {
    let start = usize::from(["between", "from"].contains(&words.first()?.as_str()));
    let mut first = parse_number(&words[start..])?;
    let joint = words.get(start + first.words)?;
    if joint != "to" && !(words[0] == "between" && joint == "and") && joint != "through" {
        return None;
    }
    let second = parse_number(words.get(start + first.words + 1..)?)?;
    let mut count = start + first.words + 1 + second.words;
    if second.is_scaled && !first.is_scaled {
        let scales = [1e3, 1e6, 1e9];
        first.value *= scales
            .into_iter()
            .filter(|scale| second.value >= *scale)
            .fold(1.0, f64::max);
    }
    let unit = parse_key(&words[count..], AMOUNT_UNITS);
    count += unit.map_or(0, |(_, count)| count);
    let (min, max) = (first.value.min(second.value), first.value.max(second.value));
    Some(Amount {
        min: Some(min),
        max: Some(max),
        is_strict: false,
        is_money: first.is_money || second.is_money,
        is_large: max >= MIN_UNITLESS_MONEY,
        key: unit.map(|(key, _)| key),
        words: count,
    })
}

/// The range of a key with these ends, added to the ends that it has; none if one is already there.
pub(super) fn merge_range(
    range: Option<&Value>,
    min: Option<&Value>,
    max: Option<&Value>,
) -> Option<Value> {
    let mut range = range.cloned().unwrap_or_else(|| json!({}));
    for (name, end) in [("min", min), ("max", max)] {
        let Some(end) = end else { continue };
        if range.get(name).is_some() {
            return None;
        }
        range[name] = end.clone();
    }
    Some(range)
}
