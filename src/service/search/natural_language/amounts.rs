//! The amounts of a question: "more than 100 units", "$10M to $20M", "200-unit", "5 stories or
//! less".

use super::tokens::{COUNTS, Question, Range, RangeKind, ReadPart};

/// An amount of at least this size without a unit is money, as is one in thousands.
const MIN_UNITLESS_MONEY: f64 = 1e6;

/// A number as it was written, and the word after it.
struct Number {
    value: f64,
    /// A million in "5 million".
    scale: f64,
    is_money: bool,
    end: usize,
}

impl Question<'_> {
    /// "100", "1,200", "$2.5m", "twenty five", "two hundred", "half a million".
    fn read_number(&self, at: usize) -> Option<Number> {
        let is_money = self.word(at) == "$";
        let start = at + usize::from(is_money);
        let (tens, next) = self.take("tens", start);
        let (ones, mut end) = self.take("ones", next);
        let mut value = match (self.word(start), tens, ones) {
            (digits, None, None) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                end = start + 1;
                digits.parse::<f64>().ok()?
            }
            (_, None, None) => return None,
            _ => [tens, ones]
                .iter()
                .flatten()
                .map(|word| word.parse().unwrap_or(0.0))
                .sum(),
        };
        let mut scale = 1.0;
        while let Some((factor, after)) = self.find("scales", end) {
            (scale, end) = (scale * factor.parse::<f64>().ok()?, after);
        }
        value *= scale;
        Some(Number {
            value,
            scale,
            is_money,
            end,
        })
    }

    /// A number of days, rows and the like.
    pub fn read_count(&self, at: usize) -> Option<(u32, usize)> {
        let number = self.read_number(at)?;
        let is_count = !number.is_money && number.value.fract() == 0.0 && number.value <= 10_000.0;
        is_count.then_some((number.value as u32, number.end))
    }

    /// "more than", "no more than": a comparison, and the word after it.
    fn read_bound(&self, at: usize) -> Option<(&'static str, usize)> {
        let Some(("negation", start)) = self.find("particles", at) else {
            return self.find("bounds", at);
        };
        let (bound, end) = self.find("bounds", start)?;
        let opposites = [(">=", "<"), ("<", ">="), ("<=", ">"), (">", "<=")];
        let (_, opposite) = opposites.into_iter().find(|(one, _)| *one == bound)?;
        Some((opposite, end))
    }

    /// A number with a comparison before or after it, two numbers, or exactly so many units.
    pub fn read_amount(&self, at: usize) -> ReadPart {
        if let Some((amount, end)) = self.find("amounts", at) {
            let mut words = amount.split(' ');
            let (key, bound) = (words.next(), words.next()?);
            let number = words.next()?.parse().ok()?;
            return Some((
                Range::compare(key, RangeKind::Other, bound, [number; 2]),
                end,
            ));
        }
        let (noun, start) = self.take("measures", at);
        let bound = self.read_bound(start);
        let before = bound.map(|(bound, _)| bound);
        let start = bound.map_or(start, |(_, start)| start);
        let first = self.read_number(start)?;
        let is_joined = match self.word(first.end) {
            "to" | "through" => true,
            "and" => before == Some(".."),
            _ => false,
        };
        let second = self.read_number(first.end + 1).filter(|_| is_joined);
        let last = second.as_ref().unwrap_or(&first);
        // "under 5 stories or over 10" continues with another amount
        let is_other = |end: usize| self.word(end) == "than" || self.read_number(end).is_some();
        let (unit, end) = self.take("units", last.end);
        let after = self
            .find("bounds_after", end)
            .filter(|(_, end)| !is_other(*end));
        let end = after.map_or(end, |(_, end)| end);
        let (unit, end) = if unit.is_some() {
            (unit, end)
        } else {
            self.take("units", end)
        };
        let key = unit.or(noun);
        let is_count = key.is_some_and(|key| COUNTS.contains(&key));
        let is_range = second.is_some() || is_count;
        let after = after.map(|(bound, _)| bound);
        let bound = before.or(after).or(is_range.then_some("="))?;
        if bound == ".." && second.is_none() {
            return None;
        }
        let is_short = first.scale == 1.0 && first.value < 1000.0;
        let scale = if is_short { last.scale } else { first.scale };
        let ends = [first.value / first.scale * scale, last.value];
        let kind = match last.value {
            _ if first.is_money => RangeKind::Money,
            MIN_UNITLESS_MONEY.. => RangeKind::Large,
            _ if last.scale >= 1e3 => RangeKind::Large,
            _ => RangeKind::Other,
        };
        Some((Range::compare(key, kind, bound, ends), end))
    }
}
