//! What the values of a column look like.

use crate::service::import::layout::DecimalSign;
use crate::service::import::permit_state::PermitState;
use crate::service::import::words::{self, PermitField};
use crate::service::import::{dates, values};

/// Sample values that are shown.
const SAMPLES: usize = 3;
/// Values in which firms are looked for.
const FIRM_SAMPLES: usize = 500;

/// How many values of a column look like what.
#[derive(Clone, Debug, Default)]
pub struct ColumnShape {
    /// Values that are not empty.
    pub filled: usize,
    distinct: usize,
    dates: usize,
    /// Dates with a word of a status: `Void 10/20/26`.
    dated_statuses: usize,
    /// Numbers that are dates in a column of dates.
    day_numbers: usize,
    years: usize,
    months: usize,
    /// Yes or no.
    flags: usize,
    numbers: usize,
    /// Numbers with a currency.
    amounts: usize,
    /// Texts of several words.
    sentences: usize,
    /// Texts with a number and a word.
    addresses: usize,
    /// Numbers with a fraction, within the range.
    latitudes: usize,
    longitudes: usize,
    points: usize,
    emails: usize,
    phones: usize,
    /// Words such as `RUE` and `AVE`.
    street_types: usize,
    /// Names with the legal form of a firm.
    firms: usize,
    with_letters: usize,
    with_digits: usize,
    /// Short texts with a word of a status.
    statuses: usize,
    /// Those of them that end a permit.
    ends: usize,
    /// The first different values.
    pub samples: Vec<String>,
}

impl ColumnShape {
    pub fn from_values<'v>(values: impl Iterator<Item = &'v str>) -> ColumnShape {
        let mut shape = ColumnShape::default();
        let mut seen: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
        for value in values
            .map(str::trim)
            .filter(|value| !values::is_nothing(value))
        {
            shape.filled += 1;
            let rows = seen.entry(value).or_default();
            *rows += 1;
            if *rows == 1 && shape.samples.len() < SAMPLES {
                shape
                    .samples
                    .push(value.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            let within = |limit: f64| {
                values::parse_coordinate(value)
                    .is_some_and(|number| number.abs() <= limit && number.fract() != 0.0)
            };
            let count = |counter: &mut usize, is: bool| *counter += usize::from(is);
            let is_date = !dates::possible_dates(value).is_empty() || dates::is_of_no_time(value);
            count(&mut shape.dates, is_date);
            count(&mut shape.dated_statuses, is_date && is_dated_status(value));
            count(&mut shape.day_numbers, dates::is_number_of_a_day(value));
            count(
                &mut shape.years,
                value.len() == 4
                    && value
                        .parse()
                        .is_ok_and(|year: u32| (1900..2100).contains(&year)),
            );
            count(&mut shape.months, dates::month_number(value).is_some());
            count(
                &mut shape.flags,
                value.len() <= 8 && values::parse_yes_or_no(value).is_some(),
            );
            count(&mut shape.numbers, is_number(value));
            count(
                &mut shape.amounts,
                is_number(value) && value.contains(['$', '€', '£', '¥']),
            );
            let is_list = value.starts_with(['{', '[']);
            let is_sentence = value.split_whitespace().count() >= 4 && !is_list;
            count(&mut shape.sentences, is_sentence);
            count(&mut shape.addresses, is_address(value));
            count(&mut shape.latitudes, within(90.0));
            count(&mut shape.longitudes, within(180.0));
            count(&mut shape.points, values::parse_point(value).is_some());
            count(&mut shape.emails, is_email(value));
            count(&mut shape.phones, is_phone(value));
            count(
                &mut shape.firms,
                shape.filled <= FIRM_SAMPLES && is_firm(value),
            );
            count(
                &mut shape.with_letters,
                value.chars().filter(|c| c.is_alphabetic()).count() >= 2,
            );
            count(
                &mut shape.with_digits,
                value.contains(|c: char| c.is_ascii_digit()),
            );
        }
        shape.distinct = seen.len();
        // Ever new texts are no statuses: their words are not looked up.
        if shape.has_few_values() {
            for (value, rows) in seen {
                let is_short = value.split_whitespace().count() <= 4
                    && !value.contains(|c: char| c.is_ascii_digit());
                let is_place = |value: &&str| {
                    let lists = ["state_code", "western_state", "eastern_state"];
                    lists.iter().any(|list| words::is_word_of(list, value))
                };
                let state = Some(value)
                    .filter(|value| is_short && !is_place(value))
                    .and_then(PermitState::find_in);
                shape.statuses += state.map_or(0, |_| rows);
                shape.street_types += match words::is_word_of("street_type", value) {
                    true => rows,
                    false => 0,
                };
                shape.ends += state
                    .filter(|state| state.ends_permit())
                    .map_or(0, |_| rows);
            }
        }
        shape
    }

    /// How many of the values can be a value of this field.
    pub fn count_fitting(&self, field: PermitField) -> usize {
        match field {
            field if field.is_date() => self.dates + self.day_numbers,
            PermitField::Ended => self.flags.max(self.dates + self.day_numbers),
            PermitField::Year => self.years,
            PermitField::Month => self.months,
            PermitField::Cost | PermitField::Area | PermitField::Stories | PermitField::Units => {
                self.numbers
            }
            PermitField::Latitude => self.latitudes,
            PermitField::Longitude => self.longitudes,
            PermitField::Point => self.points,
            PermitField::Email => self.emails,
            PermitField::Phone => self.phones,
            // a permit may have several rows
            PermitField::Id if self.distinct * 8 < self.filled => 0,
            PermitField::Id => self.with_digits,
            PermitField::City if self.samples.iter().all(|sample| is_office(sample)) => 0,
            PermitField::StreetNumber | PermitField::Parcel | PermitField::Zip => self.with_digits,
            PermitField::Address => self
                .with_letters
                .min(self.filled - self.dates)
                .saturating_sub(self.points),
            // no state of a country is called like that of a permit
            PermitField::State if self.ends > 0 || self.is_mainly_statuses() => 0,
            PermitField::StreetName
            | PermitField::City
            | PermitField::Contractor
            | PermitField::Subcontractor
            | PermitField::Owner
            | PermitField::Architect
            | PermitField::Engineer
            | PermitField::Applicant => self.with_letters.min(self.filled - self.dates),
            PermitField::Description | PermitField::ProjectName => self.filled - self.dates,
            PermitField::Status | PermitField::Decision => {
                self.filled + self.dated_statuses - self.dates
            }
            _ => self.filled,
        }
    }

    /// Whether at least two of three values can be values of this field. Rows with other values are
    /// rejected or reported.
    pub fn fits(&self, field: PermitField) -> bool {
        self.count_fitting(field) * 3 >= self.filled * 2
    }

    /// What a column without a known name holds, if its values say so.
    pub fn field(&self) -> Option<PermitField> {
        let fields = [
            (PermitField::Email, self.emails),
            (PermitField::Point, self.points),
            (PermitField::AnyDate, self.dates),
        ];
        fields
            .into_iter()
            .find(|(_, fitting)| self.is_mostly(*fitting))
            .map(|(field, _)| field)
    }

    /// Whether the column holds statuses, some of which end a permit. What the others mean is asked.
    pub fn is_status(&self) -> bool {
        self.ends > 0 && self.statuses * 2 >= self.filled && self.has_few_values()
    }

    /// Whether most of its values are statuses.
    pub fn is_mainly_statuses(&self) -> bool {
        self.statuses * 2 > self.filled
    }

    /// Whether the column says what kind of streets they are. Single letters are something else.
    pub fn is_street_type(&self) -> bool {
        self.is_mostly(self.street_types) && self.samples.iter().any(|value| value.len() > 1)
    }

    fn has_few_values(&self) -> bool {
        self.distinct * 3 <= self.filled.max(36)
    }

    /// Whether the column holds yes and no.
    pub fn is_flags(&self) -> bool {
        self.is_mostly(self.flags)
    }

    /// Whether the column holds years, without months.
    pub fn is_years(&self) -> bool {
        self.is_mostly(self.years)
    }

    /// What a column that is not used may be, in words.
    pub fn likely_kind(&self) -> Option<&'static str> {
        let kinds = [
            ("amounts of money", self.amounts),
            ("dates", self.dates),
            ("addresses", self.addresses),
            (
                "descriptions",
                self.sentences.saturating_sub(self.addresses),
            ),
        ];
        kinds
            .into_iter()
            .find(|(_, fitting)| self.is_mostly(*fitting))
            .map(|(kind, _)| kind)
            // the others are people
            .or(
                (self.firms > 0 && self.firms * 2 >= self.filled.min(FIRM_SAMPLES))
                    .then_some("firms"),
            )
            .or((self.ends > 0).then_some("statuses, some of which end a permit"))
    }

    fn is_mostly(&self, count: usize) -> bool {
        self.filled > 0 && count * 10 >= self.filled * 9
    }
}

/// `Void 10/20/26`, and not `Tue Oct 20 2026`.
fn is_dated_status(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default();
    first.len() > 3
        && first.chars().all(char::is_alphabetic)
        && PermitState::find_in(value).is_some()
}

/// `12 Oak St`, `Hauptstraße 7`.
fn is_address(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 6;
    (2..=8).contains(&words.len())
        && (words.first().is_some_and(is_number) || words.last().is_some_and(is_number))
        && words
            .iter()
            .any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3)
}

/// `Roy inc.`
fn is_firm(value: &str) -> bool {
    (2..=8).contains(&value.split_whitespace().count()) && words::has_legal_form(value)
}

/// `Department of Buildings`: who keeps the file, and no city.
fn is_office(value: &str) -> bool {
    words::has_value_word("office", value)
}

fn is_number(value: &str) -> bool {
    [DecimalSign::Point, DecimalSign::Comma]
        .iter()
        .any(|sign| values::parse_number(value, *sign).is_some())
}

fn is_email(value: &str) -> bool {
    let parts = value.split_once('@');
    parts.is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !value.contains(char::is_whitespace)
    })
}

fn is_phone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    (7..=15).contains(&digits)
        && value
            .chars()
            .all(|c| c.is_ascii_digit() || " +-().x/#".contains(c) || c.is_ascii_alphabetic())
        && digits * 2 > value.len()
}
