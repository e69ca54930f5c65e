//! Dates and numbers with two possible readings: which one the values of a file allow, or that they
//! allow both.

use chrono::NaiveDate;

use crate::domain::number_format::group_digits;
use crate::service::import::dates::{self, DateOrder};
use crate::service::import::layout::DecimalSign;
use crate::service::import::values;

/// A reading of the values of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading<T> {
    /// The only one that fits, and why.
    Only(T, String),
    /// All readings give the same values.
    Irrelevant,
    /// Which readings are possible, in words: a question.
    Ambiguous(String),
}

/// A day in words, as in `3 April`.
fn day_in_words(date: NaiveDate) -> String {
    date.format("%-d %B %Y").to_string()
}

/// The order of day and month in columns, each with its name.
pub fn read_date_order(columns: &[(&str, Vec<&str>)]) -> Reading<DateOrder> {
    struct Value<'a> {
        column: &'a str,
        text: &'a str,
        readings: Vec<(DateOrder, NaiveDate)>,
    }
    let values: Vec<Value<'_>> = columns
        .iter()
        .flat_map(|(column, values)| values.iter().map(move |text| (column, text)))
        .map(|(column, text)| Value {
            column,
            text,
            readings: dates::possible_dates(text),
        })
        // numbers with the year first, and names of months, have the same readings
        .filter(|value| {
            value.readings.len() == 1
                || value
                    .readings
                    .iter()
                    .any(|(_, date)| *date != value.readings[0].1)
        })
        .collect();
    let Some(first) = values.first() else {
        return Reading::Irrelevant;
    };
    let fits = |value: &Value<'_>, order: DateOrder| {
        value.readings.iter().any(|(known, _)| *known == order)
    };
    let possible: Vec<DateOrder> = DateOrder::ALL
        .into_iter()
        .filter(|order| values.iter().all(|value| fits(value, *order)))
        .collect();
    match possible[..] {
        [only] => {
            let proof = values
                .iter()
                .find(|value| value.readings.len() == 1)
                .unwrap_or(first);
            Reading::Only(
                only,
                format!(
                    "because {} can only be {}",
                    proof.text,
                    day_in_words(proof.readings[0].1)
                ),
            )
        }
        [] => {
            let of = |order| {
                let those: Vec<&Value<'_>> = values
                    .iter()
                    .filter(|value| value.readings.len() == 1 && fits(value, order))
                    .collect();
                those.first().map(|value| {
                    format!(
                        "{} of {} are {} ({}: {})",
                        those.len(),
                        values.len(),
                        order.description(),
                        value.column,
                        value.text
                    )
                })
            };
            let parts: Vec<String> = DateOrder::ALL.into_iter().filter_map(of).collect();
            Reading::Ambiguous(format!("dates: {}", parts.join(", ")))
        }
        _ if possible.contains(&DateOrder::Dmy)
            && values
                .iter()
                .all(|value| value.text.matches('.').count() >= 2) =>
        {
            Reading::Only(
                DateOrder::Dmy,
                format!("as dates with dots are: {}", first.text),
            )
        }
        _ => {
            let differs = values
                .iter()
                .find(|value| value.readings.len() > 1)
                .unwrap_or(first);
            let mut readings: Vec<String> = differs
                .readings
                .iter()
                .filter(|(order, _)| possible.contains(order))
                .map(|(_, date)| day_in_words(*date))
                .collect();
            let last = readings.pop().unwrap_or_default();
            Reading::Ambiguous(format!(
                "{}: {} can be {} or {last}",
                differs.column,
                differs.text,
                readings.join(", ")
            ))
        }
    }
}

/// The values of a number, by decimal sign.
type NumberReadings = Vec<(DecimalSign, f64)>;

/// The readings of a number: one for each decimal sign with which it is a number.
fn decimal_signs(text: &str) -> NumberReadings {
    let signs = [DecimalSign::Point, DecimalSign::Comma];
    signs
        .into_iter()
        .filter_map(|sign| values::parse_number(text, sign).map(|number| (sign, number)))
        .collect()
}

/// The decimal sign of columns, each with its name.
pub fn read_decimal_sign(columns: &[(&str, Vec<&str>)]) -> Reading<DecimalSign> {
    let values: Vec<(&str, &str, NumberReadings)> = columns
        .iter()
        .flat_map(|(column, values)| {
            values
                .iter()
                .map(move |text| (*column, *text, decimal_signs(text)))
        })
        .filter(|(.., readings)| match readings.as_slice() {
            [(_, one), (_, other)] => one != other,
            readings => readings.len() == 1,
        })
        .collect();
    let only = |sign: DecimalSign| {
        values
            .iter()
            .filter(move |(.., readings)| readings.len() == 1 && readings[0].0 == sign)
    };
    let like = |sign| match sign {
        DecimalSign::Point => "1,234.56",
        DecimalSign::Comma => "1.234,56",
    };
    // a sign before one, two or more than three digits, once, is decimal, although it could be a
    // mistake: `12,5`
    let (points, commas) = (
        only(DecimalSign::Point).count(),
        only(DecimalSign::Comma).count(),
    );
    match (points, commas) {
        (0, 0) => match values.first() {
            None => Reading::Irrelevant,
            Some((column, text, readings)) => {
                let readings: Vec<String> = readings
                    .iter()
                    .map(|(_, number)| group_thousands(*number))
                    .collect();
                Reading::Ambiguous(format!("{column}: {text} can be {}", readings.join(" or ")))
            }
        },
        (_, 0) | (0, _) => {
            let sign = if points > 0 {
                DecimalSign::Point
            } else {
                DecimalSign::Comma
            };
            let (column, text) = only(sign)
                .next()
                .map_or(("", ""), |(column, text, _)| (*column, *text));
            // amounts that would be plain thousands with the other sign: `2,001`
            let is_fraction = |(_, text, readings): &&(&str, &str, NumberReadings)| {
                readings.len() > 1
                    && text.contains(sign.as_char())
                    && !text.contains(sign.opposite().as_char())
            };
            let fractions = values.iter().filter(is_fraction).count();
            match values.iter().find(is_fraction) {
                Some((_, other, _)) if points.max(commas) * 10 < fractions => {
                    Reading::Ambiguous(format!(
                        "{column}: {text} looks like {}; {} others like {other} can be thousands or fractions",
                        like(sign),
                        group_thousands(fractions as f64)
                    ))
                }
                _ => Reading::Only(sign, format!("as in {text}")),
            }
        }
        _ => {
            let rarer = if points > commas {
                DecimalSign::Comma
            } else {
                DecimalSign::Point
            };
            let column = only(rarer).next().map_or("", |(column, ..)| column);
            let those = only(rarer).filter(|(known, ..)| *known == column).count();
            let rows = values.iter().filter(|(known, ..)| *known == column).count();
            let other = only(rarer.opposite())
                .next()
                .map_or("", |(_, text, _)| text);
            Reading::Ambiguous(format!(
                "{column}: {those} of {rows} rows look like {}, others like {other}",
                like(rarer)
            ))
        }
    }
}

/// `95,000` and `95`.
pub fn group_thousands(number: f64) -> String {
    let whole = group_digits(&format!("{:.0}", number.trunc()));
    let places = format!("{:.3}", number.fract().abs());
    format!(
        "{}{}",
        whole,
        places
            .trim_start_matches('0')
            .trim_end_matches('0')
            .trim_end_matches('.')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(values: &[&str]) -> Reading<DateOrder> {
        read_date_order(&[("issued", values.to_vec())])
    }

    #[test]
    fn the_order_of_dates_follows_from_all_values_or_is_a_question() {
        let order = |values: &[&str]| match dates(values) {
            Reading::Only(order, _) => Some(order),
            _ => None,
        };
        assert_eq!(order(&["03/04/2024", "13/04/2024"]), Some(DateOrder::Dmy));
        assert_eq!(order(&["03/04/2024", "04/13/2024"]), Some(DateOrder::Mdy));
        assert_eq!(order(&["03.04.2024"]), Some(DateOrder::Dmy));
        assert_eq!(
            dates(&["2024-04-03", "3 April 2024", "04/04/2024", "soon"]),
            Reading::Irrelevant
        );
        let ambiguous = "issued: 03/04/2024 can be 3 April 2024 or 4 March 2024";
        assert_eq!(
            dates(&["05/05/2024", "03/04/2024"]),
            Reading::Ambiguous(ambiguous.to_owned())
        );
        let mixed = "dates: 2 of 3 are day first (issued: 13/04/2024), 1 of 3 are month first (issued: 04/13/2024)";
        assert_eq!(
            dates(&["13/04/2024", "04/13/2024", "14/04/2024"]),
            Reading::Ambiguous(mixed.to_owned())
        );
    }

    #[test]
    fn the_decimal_sign_follows_from_all_values_or_is_a_question() {
        let read = |values: &[&str]| read_decimal_sign(&[("cost", values.to_vec())]);
        let sign = |values: &[&str]| match read(values) {
            Reading::Only(sign, _) => Some(sign),
            _ => None,
        };
        assert_eq!(sign(&["95.000", "780.500,50"]), Some(DecimalSign::Comma));
        assert_eq!(sign(&["95,000", "1200.50"]), Some(DecimalSign::Point));
        assert_eq!(sign(&["1.234.567"]), Some(DecimalSign::Comma));
        assert_eq!(read(&["12", "n/a", "95000", "$0"]), Reading::Irrelevant);
        assert_eq!(
            read(&["95.000"]),
            Reading::Ambiguous("cost: 95.000 can be 95 or 95,000".to_owned())
        );
        let mixed = "cost: 1 of 3 rows look like 1.234,56, others like 1,234.56";
        assert_eq!(
            read(&["1,234.56", "95.000,00", "2,000.10"]),
            Reading::Ambiguous(mixed.to_owned())
        );
    }
}
