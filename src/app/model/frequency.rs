//! How often values occur: words of a text field, and the frequency table of a column.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono::{Datelike, Days, Months, NaiveDate};

use super::list_field::{FieldKind, RowValues, ValueBin};
use crate::domain::row_columns::RowValue;

/// Up to this many different numbers or days have a line each; more are counted in ranges.
const MAX_SINGLE_VALUES: usize = 12;
/// About this many ranges.
const RANGES: f64 = 8.0;
/// Numbers that differ by more than this factor are counted in ranges that grow.
const WIDE_SPREAD: f64 = 50.0;
/// Dates further apart are counted by year.
const MAX_MONTHS: i32 = 36;

/// The values with the number of times that they occur: the most frequent first, equally frequent
/// ones in their order.
pub fn count_values<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values
        .into_iter()
        .for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<(T, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}

/// The frequency table of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrequencyTable {
    /// Texts by their count, ranges in their order; the rows without a value come last.
    pub lines: Vec<FrequencyLine>,
    /// How many rows were counted.
    pub rows: usize,
    /// The sum of the amounts of all rows.
    pub amount: f64,
    /// Of a column of numbers.
    pub statistics: Option<Statistics>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FrequencyLine {
    pub bin: ValueBin,
    pub count: usize,
    /// The sum of the amounts of its rows.
    pub amount: f64,
}

/// Numbers in summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// How many are known.
    pub known: usize,
    pub sum: f64,
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Statistics {
    /// `None` if there are no numbers.
    pub fn from_numbers(mut numbers: Vec<f64>) -> Option<Statistics> {
        numbers.retain(|number| number.is_finite());
        let (known, middle) = (numbers.len(), numbers.len() / 2);
        if known == 0 {
            return None;
        }
        let (below, upper, _) = numbers.select_nth_unstable_by(middle, f64::total_cmp);
        let upper = *upper;
        let lower = if known % 2 == 0 {
            below.iter().copied().fold(f64::NEG_INFINITY, f64::max)
        } else {
            upper
        };
        let (min, max) = numbers
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), n| {
                (min.min(*n), max.max(*n))
            });
        Some(Statistics {
            known,
            sum: numbers.iter().sum(),
            median: f64::midpoint(lower, upper),
            min,
            max,
        })
    }
}

/// The amount of a row: the sum of its numbers.
pub fn amount_of(values: &[RowValue<'_>]) -> f64 {
    values
        .iter()
        .map(|value| {
            if let RowValue::Number(number) = value {
                *number
            } else {
                0.0
            }
        })
        .sum()
}

/// Counts the values of a column. `amounts` is what is summed beside the counts, for each row;
/// empty for nothing.
pub fn tabulate(values: &[RowValues<'_>], amounts: &[f64], kind: FieldKind) -> FrequencyTable {
    let bins = Bins::of(values, kind);
    let mut counter = BinCounter::new(&bins);
    let mut lines: Vec<FrequencyLine> = Vec::new();
    let mut add = |at: usize, row: usize| {
        if lines.len() <= at {
            lines.resize(
                at + 1,
                FrequencyLine {
                    bin: ValueBin::Unknown,
                    count: 0,
                    amount: 0.0,
                },
            );
        }
        lines[at].count += 1;
        lines[at].amount += amounts.get(row).copied().unwrap_or(0.0);
    };
    for (row, values) in values.iter().enumerate() {
        if values.is_empty() {
            add(UNKNOWN, row);
        }
        values
            .iter()
            .filter_map(|value| counter.place(value))
            .for_each(|at| add(at, row));
    }
    lines
        .iter_mut()
        .zip(counter.into_bins())
        .for_each(|(line, bin)| line.bin = bin);
    let lines = in_order(lines, |line| (&line.bin, line.count), kind);
    let statistics = kind
        .is_numeric()
        .then(|| Statistics::from_numbers(numbers(values).collect()))
        .flatten();
    FrequencyTable {
        lines,
        rows: values.len(),
        amount: amounts.iter().sum(),
        statistics,
    }
}

/// Groups rows by their values in a column, each row once: texts by their count, ranges in their
/// order, rows without a value last.
pub fn group_rows(
    rows: &[usize],
    values: &[RowValues<'_>],
    kind: FieldKind,
) -> Vec<(ValueBin, Vec<usize>)> {
    let bins = Bins::of(values, kind);
    let mut counter = BinCounter::new(&bins);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        let at = match values.get(*row).map(Vec::as_slice) {
            Some([value]) => counter.place(value).unwrap_or(UNKNOWN),
            Some([]) | None => UNKNOWN,
            Some(several) => {
                let texts: Vec<&str> = several.iter().filter_map(RowValue::as_text).collect();
                counter
                    .place(&RowValue::Text(texts.join(", ").into()))
                    .unwrap_or(UNKNOWN)
            }
        };
        if groups.len() <= at {
            groups.resize(at + 1, Vec::new());
        }
        groups[at].push(*row);
    }
    let groups: Vec<(ValueBin, Vec<usize>)> = counter.into_bins().into_iter().zip(groups).collect();
    in_order(groups, |(bin, rows)| (bin, rows.len()), kind)
}

/// Lines that count something: texts by their count and then the alphabet, ranges in their order,
/// what is not known last.
fn in_order<T>(
    mut lines: Vec<T>,
    bin_and_count: impl Fn(&T) -> (&ValueBin, usize),
    kind: FieldKind,
) -> Vec<T> {
    lines.retain(|line| bin_and_count(line).1 > 0);
    lines.sort_by_cached_key(|line| match bin_and_count(line) {
        (ValueBin::Text(text), count) => (
            false,
            Reverse(count),
            if kind.is_word() {
                text.replace('_', " ")
            } else {
                text.to_lowercase()
            },
        ),
        (bin, _) => (*bin == ValueBin::Unknown, Reverse(0), String::new()),
    });
    lines
}

/// Where the rows without a value are counted.
const UNKNOWN: usize = 0;

/// Finds the bin of a value; texts get one when they first occur.
struct BinCounter<'b> {
    bins: &'b Bins,
    texts: HashMap<String, usize>,
}

impl<'b> BinCounter<'b> {
    fn new(bins: &'b Bins) -> Self {
        BinCounter {
            bins,
            texts: HashMap::new(),
        }
    }

    fn place(&mut self, value: &RowValue<'_>) -> Option<usize> {
        match (self.bins, value) {
            // The first range begins at or below the number, and ranges come after what is not
            // known.
            (Bins::Numbers(bins), RowValue::Number(number)) => {
                Some(bins.partition_point(|(from, _)| from <= number))
            }
            (Bins::Days(bins), RowValue::Date(at)) => {
                Some(bins.partition_point(|(from, _)| *from <= at.date_naive()))
            }
            (Bins::Texts, value) => {
                let text = value.as_text()?;
                let next = self.texts.len() + 1;
                Some(match self.texts.get(text) {
                    Some(at) => *at,
                    None => *self.texts.entry(text.to_owned()).or_insert(next),
                })
            }
            _ => None,
        }
    }

    /// What is not known, followed by the bins in the order of their places.
    fn into_bins(self) -> Vec<ValueBin> {
        let unknown = std::iter::once(ValueBin::Unknown);
        match self.bins {
            Bins::Numbers(bins) => unknown
                .chain(
                    bins.iter()
                        .map(|(from, below)| ValueBin::Numbers(*from, *below)),
                )
                .collect(),
            Bins::Days(bins) => unknown
                .chain(
                    bins.iter()
                        .map(|(from, before)| ValueBin::Days(*from, *before)),
                )
                .collect(),
            Bins::Texts => {
                let mut texts: Vec<(String, usize)> = self.texts.into_iter().collect();
                texts.sort_unstable_by_key(|(_, at)| *at);
                unknown
                    .chain(texts.into_iter().map(|(text, _)| ValueBin::Text(text)))
                    .collect()
            }
        }
    }
}

/// What the values of a column are counted by.
enum Bins {
    Texts,
    Numbers(Vec<(f64, f64)>),
    Days(Vec<(NaiveDate, NaiveDate)>),
}

impl Bins {
    fn of(values: &[RowValues<'_>], kind: FieldKind) -> Bins {
        match kind {
            _ if kind.is_numeric() => Bins::Numbers(number_bins(values)),
            _ if kind.is_date() => Bins::Days(day_bins(values)),
            _ => Bins::Texts,
        }
    }
}

fn numbers<'a>(values: &'a [RowValues<'_>]) -> impl Iterator<Item = f64> + 'a {
    values.iter().flatten().filter_map(|value| {
        if let RowValue::Number(number) = value {
            Some(*number)
        } else {
            None
        }
    })
}

/// The different values, unless there are too many.
fn few_values<T: PartialEq>(values: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
            if found.len() > MAX_SINGLE_VALUES {
                return None;
            }
        }
    }
    Some(found)
}

/// Few numbers one by one, many in ranges: of the same size, or growing where the numbers differ
/// much.
fn number_bins(values: &[RowValues<'_>]) -> Vec<(f64, f64)> {
    let finite = || numbers(values).filter(|number| number.is_finite());
    if let Some(mut few) = few_values(finite()) {
        few.sort_by(f64::total_cmp);
        return few.into_iter().map(|number| (number, number)).collect();
    }
    let (min, max) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), n| {
        (min.min(n), max.max(n))
    });
    let smallest = finite()
        .filter(|number| *number > 0.0)
        .fold(f64::INFINITY, f64::min);
    let edges = if min >= 0.0 && max / smallest > WIDE_SPREAD {
        growing_edges(min, smallest, max)
    } else {
        even_edges(min, max)
    };
    edges.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// `0, 1M, 5M, 10M, 50M, 100M`; over many magnitudes, one edge for each.
fn growing_edges(min: f64, smallest: f64, max: f64) -> Vec<f64> {
    let lowest = smallest.log10().floor() as i32;
    let highest = max.log10().floor() as i32;
    let factors: &[f64] = if highest - lowest > 5 {
        &[1.0]
    } else {
        &[1.0, 5.0]
    };
    let all = (lowest..=highest + 1)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    let mut edges: Vec<f64> = all.collect();
    // The last edge below the smallest number, and the first above the largest one.
    while edges.get(1).is_some_and(|edge| *edge <= smallest) {
        edges.remove(0);
    }
    let end = edges
        .iter()
        .position(|edge| *edge > max)
        .map_or(edges.len(), |at| at + 1);
    edges.truncate(end);
    if min < smallest {
        edges.insert(0, 0.0);
    }
    edges
}

fn even_edges(min: f64, max: f64) -> Vec<f64> {
    let raw = (max - min) / RANGES;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= raw)
        .unwrap_or(raw);
    let first = (min / step).floor();
    let count = ((max / step).floor() - first) as u32 + 1;
    (0..=count).map(|n| (first + f64::from(n)) * step).collect()
}

/// Few days one by one, many by month or by year.
fn day_bins(values: &[RowValues<'_>]) -> Vec<(NaiveDate, NaiveDate)> {
    let days = || {
        values.iter().flatten().filter_map(|value| {
            if let RowValue::Date(at) = value {
                Some(at.date_naive())
            } else {
                None
            }
        })
    };
    if let Some(mut few) = few_values(days()) {
        few.sort_unstable();
        return few
            .into_iter()
            .filter_map(|day| Some((day, day.checked_add_days(Days::new(1))?)))
            .collect();
    }
    let (Some(first), Some(last)) = (days().min(), days().max()) else {
        return Vec::new();
    };
    let months = (last.year() - first.year()) * 12 + last.month0() as i32 - first.month0() as i32;
    let (start, step) = match months {
        ..=MAX_MONTHS => (first.with_day(1), Months::new(1)),
        _ => (NaiveDate::from_ymd_opt(first.year(), 1, 1), Months::new(12)),
    };
    let next = |day: &NaiveDate| day.checked_add_months(step);
    let starts = std::iter::successors(start, next).take_while(|day| *day <= last);
    starts.filter_map(|day| Some((day, next(&day)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers_of(numbers: &[f64]) -> Vec<RowValues<'static>> {
        numbers
            .iter()
            .map(|number| vec![RowValue::Number(*number)])
            .collect()
    }

    fn labels(table: &FrequencyTable, kind: FieldKind) -> Vec<(String, usize)> {
        table
            .lines
            .iter()
            .map(|line| (line.bin.label(kind), line.count))
            .collect()
    }

    fn pairs(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
        expected
            .iter()
            .map(|(label, count)| ((*label).to_owned(), *count))
            .collect()
    }

    #[test]
    fn the_most_frequent_values_come_first_and_equally_frequent_ones_in_their_order() {
        assert_eq!(
            count_values(["b", "c", "a", "c"]),
            [("c", 2), ("a", 1), ("b", 1)]
        );
    }

    #[test]
    fn texts_are_counted_with_the_sum_of_their_amounts_and_unknown_ones_come_last() {
        let text = |text: &'static str| RowValue::Text(text.into());
        let rows = [
            vec![text("on_hold")],
            vec![],
            vec![text("design")],
            vec![text("on_hold"), text("design")],
            vec![],
            vec![text("on_hold")],
        ];
        let table = tabulate(&rows, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], FieldKind::Word);
        assert_eq!(
            labels(&table, FieldKind::Word),
            pairs(&[("on hold", 3), ("design", 2), ("not known", 2)])
        );
        let amounts: Vec<f64> = table.lines.iter().map(|line| line.amount).collect();
        assert_eq!(
            (amounts, table.rows, table.amount),
            (vec![41.0, 12.0, 18.0], 6, 63.0)
        );
    }

    #[test]
    fn few_numbers_have_a_line_each_and_many_are_counted_in_ranges() {
        let table = tabulate(&numbers_of(&[3.0, 1.0, 3.0]), &[], FieldKind::Number);
        assert_eq!(
            labels(&table, FieldKind::Number),
            pairs(&[("1", 1), ("3", 2)])
        );
        let even: Vec<f64> = (10..90).map(f64::from).collect();
        let table = tabulate(&numbers_of(&even), &[], FieldKind::Number);
        assert_eq!(
            labels(&table, FieldKind::Number)[..2],
            pairs(&[("10 to 20", 10), ("20 to 30", 10)])
        );
        let costs: Vec<f64> = (0..40).map(|n| 40_000.0 * 1.25f64.powi(n)).collect();
        let table = tabulate(&numbers_of(&costs), &[], FieldKind::Money);
        assert_eq!(
            labels(&table, FieldKind::Money)[..3],
            pairs(&[
                ("$10k to $50k", 1),
                ("$50k to $100k", 4),
                ("$100k to $500k", 7)
            ])
        );
    }

    #[test]
    fn every_number_is_in_the_range_that_counts_it_and_no_row_is_lost() {
        for numbers in [
            vec![],
            vec![0.0; 3],
            (0..200).map(|n| f64::from(n * n)).collect(),
            (-50..50).map(f64::from).collect::<Vec<_>>(),
        ] {
            let values = numbers_of(&numbers);
            let table = tabulate(&values, &[], FieldKind::Number);
            assert_eq!(
                table.lines.iter().map(|line| line.count).sum::<usize>(),
                numbers.len()
            );
            for line in &table.lines {
                assert_eq!(
                    values
                        .iter()
                        .filter(|values| line.bin.contains(values))
                        .count(),
                    line.count,
                    "{line:?}"
                );
            }
        }
    }

    #[test]
    fn dates_are_counted_by_month_and_over_many_years_by_year() {
        let date = |text: &str| vec![RowValue::Date(format!("{text}T00:00:00Z").parse().unwrap())];
        let months: Vec<_> = (1..=12)
            .flat_map(|month| {
                [
                    date(&format!("2026-{month:02}-01")),
                    date(&format!("2026-{month:02}-28")),
                ]
            })
            .collect();
        let table = tabulate(&months, &[], FieldKind::Date);
        assert_eq!(
            labels(&table, FieldKind::Date)[..2],
            pairs(&[("2026-01", 2), ("2026-02", 2)])
        );
        let years: Vec<_> = (2001..=2026)
            .map(|year| date(&format!("{year}-06-01")))
            .collect();
        assert_eq!(
            labels(&tabulate(&years, &[], FieldKind::Date), FieldKind::Date)[0],
            ("2001".to_owned(), 1)
        );
    }

    #[test]
    fn statistics_ignore_what_is_not_known() {
        let statistics = tabulate(
            &[numbers_of(&[4.0, 1.0, 3.0, 2.0]), vec![vec![]]].concat(),
            &[],
            FieldKind::Money,
        )
        .statistics;
        assert_eq!(
            statistics,
            Some(Statistics {
                known: 4,
                sum: 10.0,
                median: 2.5,
                min: 1.0,
                max: 4.0
            })
        );
        assert_eq!(tabulate(&[vec![]], &[], FieldKind::Money).statistics, None);
    }
}
