//! The amounts of a question: "more than 100 units", "$10M to $20M", "200-unit", "5 stories or
//! less".

use super::tokens::{COST, COUNTS, Part, Question, Range, RangeKind, ReadPart, write_test};

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

impl<'a> Question<'a> {
    /// "100", "1,200", "$2.5m", "twenty five", "two hundred", "half a million".
    fn read_number(&self, at: usize) -> Option<Number> {
        let is_money = self.word(at) == "$";
        let start = at + usize::from(is_money);
        let (value, mut end) = match self.find("numbers", start) {
            Some((number, end)) => (number.parse().ok()?, end),
            None => (self.word(start).parse::<f64>().ok()?, start + 1),
        };
        let mut scale = 1.0;
        while let Some((factor, after)) = self.find("scales", end) {
            (scale, end) = (scale * factor.parse::<f64>().ok()?, after);
        }
        // "nan" is a number too
        value.is_finite().then_some(Number {
            value: value * scale,
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

    /// A number with a comparison before or after it, two numbers, or exactly so many units.
    pub fn read_amount(&self, at: usize) -> ReadPart<'a> {
        let (noun, start) = self.take("measures", at);
        let (before, start) = self.take("bounds", start);
        let first = self.read_number(start)?;
        let joint = self.word(first.end);
        let is_joined =
            ["to", "through"].contains(&joint) || joint == "and" && before == Some("..");
        let second = self.read_number(first.end + 1).filter(|_| is_joined);
        let last = second.as_ref().unwrap_or(&first);
        // "under 5 stories or over 10" continues with another amount
        let is_other = |end: usize| self.word(end) == "than" || self.read_number(end).is_some();
        let (unit, end) = self.take("units", last.end);
        let after = self.find("bounds_after", end);
        let (after, after_end) = after.filter(|(_, end)| !is_other(*end)).unzip();
        let end = after_end.unwrap_or(end);
        // "5 or more stories"
        let (unit, end) = match unit {
            Some(unit) => (Some(unit), end),
            None => self.take("units", end),
        };
        let key = unit.or(noun);
        let is_count = key.is_some_and(|key| COUNTS.contains(&key));
        let is_exact = second.is_some() || is_count;
        let bound = before.or(after).or(is_exact.then_some("="))?;
        // "worth more than 10" leaves out the millions
        let is_short_cost = key == Some(COST) && last.value < 1000.0 && !first.is_money;
        if is_short_cost || bound == ".." && second.is_none() {
            return None;
        }
        let is_short = first.scale == 1.0 && first.value < 1000.0;
        let scale = if is_short { last.scale } else { first.scale };
        let least = first.value / first.scale * scale;
        let step = f64::from(is_count);
        let test = write_test(bound, [least - step, least, last.value, last.value + step]);
        let kind = match last.value {
            _ if first.is_money => RangeKind::Money,
            MIN_UNITLESS_MONEY.. => RangeKind::Large,
            _ if last.scale >= 1e3 => RangeKind::Large,
            _ => RangeKind::Other,
        };
        Some((Part::Range(Range { key, kind, test }), end))
    }
}
