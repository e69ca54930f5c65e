//! Values of permit files: dates, amounts, coordinates and names as cities write them, parsed and
//! normalized.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Utc};

use super::dates::{self, DateOrder};
use super::layout::{DecimalSign, PermitLayout};
use super::words::{self, PermitField};
use super::{address_cell, list_cell};

/// Parses a date as the layout says; the time of day is dropped, and the local day is taken as the
/// same day in UTC.
pub fn parse_date(text: &str, layout: &PermitLayout) -> Option<DateTime<Utc>> {
    let local = layout.local_midnight.and_then(|midnight| {
        dates::parse_instant(text)
            .filter(|moment| dates::is_local_midnight(*moment, midnight))
            .and_then(dates::day_beginning_at)
    });
    let written = || {
        layout
            .dates
            .iter()
            .find_map(|form| match DateOrder::from_word(form) {
                Some(order) => dates::parse_ordered(text, order),
                None if form.starts_with("%m/%d/%Y") => {
                    parse_us_date(text).or_else(|| parse_form(text, form))
                }
                None => parse_form(text, form),
            })
    };
    let date = local.or_else(written)?;
    (1850..=2150)
        .contains(&date.year())
        .then(|| date.and_time(NaiveTime::MIN).and_utc())
}

/// Whether a text says that there is no value: `N/A`, `NULL`, `-`, `TBD`.
pub fn is_nothing(text: &str) -> bool {
    let is_mark = |c: char| "-–—?.*_/# []{}".contains(c);
    text.chars().all(is_mark) || text.len() <= 16 && words::is_exact_word("nothing", text)
}

/// Whether a text is a yes, or a no; nothing if it is neither.
pub fn parse_yes_or_no(text: &str) -> Option<bool> {
    let text = words::normalize(text);
    let is_in = |list: &str| words::value_words(list).contains(&text);
    match (is_in("yes"), is_in("no")) {
        (false, false) => None,
        (is_yes, _) => Some(is_yes),
    }
}

/// The city of `Salem, OR 97301`, `Salem OR` or `City of Salem`; nothing if there is only a ZIP
/// code, or none.
pub fn city_name(text: &str) -> &str {
    city_and_state(text).0
}

/// The city of a text, and the code of the state behind it.
pub fn city_and_state<'t>(text: &'t str) -> (&'t str, &'t str) {
    let without_zip = |text: &'t str| {
        let (before, last) = text.rsplit_once(' ').unwrap_or(("", text));
        let is_zip = last.len() >= 5 && last.chars().all(|c| c.is_ascii_digit() || c == '-');
        if is_zip { before.trim_end() } else { text }
    };
    let (city, behind) = text.split_once(',').unwrap_or((text, ""));
    let (city, behind) = (without_zip(city.trim()), without_zip(behind.trim()));
    let is_code = |code: &str| code.len() == 2 && code.bytes().all(|c| c.is_ascii_uppercase());
    let (before, last) = city.rsplit_once(' ').unwrap_or(("", city));
    let is_apart = before.ends_with([' ', '-', '–']);
    let before = before.trim_end_matches([' ', '-', '–']);
    let is_state = |lists: &[&str]| lists.iter().any(|list| words::is_word_of(list, last));
    let is_state = is_code(last)
        && !before.is_empty()
        && (is_state(&["state_code"]) || is_apart && is_state(&["western_state"]));
    let (city, state) = match is_state {
        true => (before, last),
        false => (
            city,
            Some(behind)
                .filter(|code| is_code(code))
                .unwrap_or_default(),
        ),
    };
    let behind = |office: &str| {
        let (start, name) = city.split_at_checked(office.len())?;
        (start.eq_ignore_ascii_case(office) && !name.trim().is_empty()).then(|| name.trim())
    };
    let city = (words::exact_words("city_office").iter())
        .find_map(|office| behind(office))
        .unwrap_or(city);
    let is_none = words::is_exact_word("no_city", city);
    (if is_none { "" } else { city }, state)
}

/// Whether a text stands in the place of an address and is none: `NO SITUS`, `0 VACANT LAND`.
pub fn is_no_address(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c == '0' || !c.is_alphanumeric());
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let is_plain = |text: &&str| !text.contains(|c: char| c.is_ascii_digit());
    // `N/A - new subdivision`
    let first = Some(text)
        .filter(is_plain)
        .and_then(|text| text.split_once(" - "));
    let first = first.map_or(text, |(first, _)| first);
    let first = first.trim_end_matches(|c: char| !c.is_alphanumeric());
    text.is_empty() || is_nothing(first) || words::is_word_of("no_address", text)
}

/// `LOT 7 BLOCK 2`, `L7 B2`: in every subdivision there is one.
pub fn is_plat(text: &str) -> bool {
    // as nearly every address does
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    // a longer number is a parcel's
    let is_number = |part: &str| part.parse::<u16>().is_ok();
    let is_letter = |part: &str| part.len() == 1;
    // `L7`, `4A`
    let is_code = |part: &str| {
        let (first, last) = (part.get(1..), part.get(..part.len() - 1));
        part.len() > 1 && (first.is_some_and(is_number) || last.is_some_and(is_number))
    };
    let is_word = |part: &str| words::is_word_of("plat", part);
    let is_start = |part: &str| {
        is_word(part) || !is_number(part) && is_code(part) && part.starts_with(['L', 'l'])
    };
    let is_part =
        |part: &&str| is_word(part) || is_number(part) || is_letter(part) || is_code(part);
    parts.len() > 1 && is_start(parts[0]) && parts.iter().all(is_part)
}

/// A number that a spreadsheet has rounded: `1.23457E+11`.
pub fn is_rounded(text: &str) -> bool {
    let parts = text.split_once(['E', 'e']);
    parts.is_some_and(|(number, power)| {
        let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
        number.contains('.') && is_number(number) && power.strip_prefix('+').is_some_and(is_number)
    })
}

/// Whether a text says that a permit has no firm of this kind: the owner builds, or nothing is
/// known. It is then no firm's name.
pub fn is_no_firm(name: &str) -> bool {
    // `N/A - owner`
    if let Some((_, behind)) = name.split_once(" - ").filter(|(word, _)| is_nothing(word)) {
        return is_no_firm(behind);
    }
    let key = name_key(name);
    // `Sin constructora`
    let is_denied = || {
        let (denial, role) = key.split_once(' ').unwrap_or_default();
        words::is_word_of("negation", denial) && words::is_named(role, PermitField::is_firm)
    };
    let is_nobody = |word: &str| words::is_word_of("nobody", word);
    let is_known = |word: &str| is_nobody(word) || words::is_word_of("beside_nobody", word);
    let mut parts = key.split(' ');
    key.len() <= 1
        || !key.contains(char::is_alphabetic)
        || words::is_word_of("no_firm", name)
        || is_nothing(name)
        || parts.clone().all(is_known) && parts.any(is_nobody)
        || is_denied()
}

/// The street in the cell of an address, without the city behind it.
pub fn street_in(text: &str) -> Cow<'_, str> {
    match list_cell::address_in(text) {
        Cow::Borrowed(text) => address_cell::split_address(text).street.into(),
        Cow::Owned(text) => address_cell::split_address(&text).street.to_owned().into(),
    }
}

/// The city behind the street in the cell of an address, and its state.
pub fn city_of_address(text: &str) -> Option<(&str, &str)> {
    let parts = address_cell::split_address(text);
    (!parts.city.is_empty()).then_some((parts.city, parts.state))
}

fn parse_form(text: &str, form: &str) -> Option<NaiveDate> {
    let moment = NaiveDateTime::parse_from_str(text, form).map(|moment| moment.date());
    moment
        .or_else(|_| NaiveDate::parse_from_str(text, form))
        .ok()
}

/// `MM/DD/YYYY`, by itself or before a time: a fast path for the most common format.
fn parse_us_date(text: &str) -> Option<NaiveDate> {
    let bytes = text.as_bytes();
    if bytes.len() < 10
        || bytes[2] != b'/'
        || bytes[5] != b'/'
        || bytes.get(10).is_some_and(|next| *next != b' ')
    {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
    NaiveDate::from_ymd_opt(number(6..10)? as i32, number(0..2)?, number(3..5)?)
}

/// A number that may have a currency sign and groups of three digits.
pub fn parse_number(text: &str, decimal: DecimalSign) -> Option<f64> {
    let text = text
        .trim_matches(|c: char| c.is_whitespace() || c == '"')
        .trim_start_matches(['~', '≈']);
    // Swiss francs without centimes: `1'250.–`
    let whole = text.trim_end_matches(['–', '—', '-']);
    let text = whole
        .strip_suffix('.')
        .filter(|_| whole.len() < text.len())
        .unwrap_or(text);
    // in accounting, parentheses are a minus
    if let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    {
        return parse_number(inner, decimal)
            .filter(|number| *number >= 0.0)
            .map(|number| -number);
    }
    let (text, factor) = split_multiple(text);
    parse_plain_number(text, decimal).map(|number| multiply(number, factor.unwrap_or(1.0)))
}

/// A number of a column whose numbers are multiplied, unless one says itself with what: `1.2M`.
pub fn parse_scaled(text: &str, decimal: DecimalSign, scale: f64) -> Option<f64> {
    let scale = if split_multiple(text).1.is_some() {
        1.0
    } else {
        scale
    };
    parse_number(text, decimal).map(|number| multiply(number, scale))
}

/// A product without the noise of binary fractions.
fn multiply(number: f64, factor: f64) -> f64 {
    match factor {
        1.0 => number,
        factor => (number * factor * 1e4).round() / 1e4,
    }
}

fn parse_plain_number(text: &str, decimal: DecimalSign) -> Option<f64> {
    // in `1 234,56` and `1'234.50` the groups are always thousands
    let plain = if text.contains(is_plain_group_sign) {
        ungroup(text, decimal)?
    } else {
        text.to_owned()
    };
    let text = plain.as_str();
    let (whole, places) = text
        .split_once(decimal.as_char())
        .map_or((text, ""), |(whole, places)| (whole, places));
    let mut groups = whole.split(decimal.opposite().as_char());
    let first = groups.next().unwrap_or_default();
    let rest: Vec<&str> = groups.collect();
    let is_grouped = rest.is_empty() || (1..=3).contains(&first.trim_start_matches('-').len());
    // in India the groups above the thousands have two digits: `1,00,000`
    let (last, middle) = rest
        .split_last()
        .map_or((3, &[][..]), |(last, middle)| (last.len(), middle));
    let size = if middle.iter().all(|group| group.len() == 2) {
        2
    } else {
        3
    };
    if !is_grouped
        || last != 3
        || middle.iter().any(|group| group.len() != size)
        || !places
            .bytes()
            .all(|place| place.is_ascii_digit() || rest.is_empty())
    {
        return None;
    }
    let number: f64 = format!(
        "{first}{}{}{places}",
        rest.concat(),
        if text.contains(decimal.as_char()) {
            "."
        } else {
            ""
        }
    )
    .parse()
    .ok()?;
    number.is_finite().then_some(number)
}

/// An amount without spaces and without a currency or a unit before or after it.
fn strip_currency(text: &str) -> &str {
    let is_around = |c: char| c.is_whitespace() || "$€£¥₹₽₩₪₺".contains(c);
    let mut text = text.trim_matches(is_around);
    if text.contains(char::is_alphabetic) || text.ends_with('-') {
        text = text
            .strip_suffix(",-")
            .or_else(|| text.strip_suffix(".-"))
            .unwrap_or(text);
        for unit in words::exact_words("amount_unit") {
            let inner = text
                .strip_prefix(unit)
                .or_else(|| text.strip_suffix(unit))
                .map(|inner| inner.trim_matches(is_around));
            text = inner
                .filter(|inner| inner.contains(|c: char| c.is_ascii_digit()))
                .unwrap_or(text);
        }
    }
    text
}

/// A number without its currency and its multiple, and the factor if there is one: `1.2M`, `1.5
/// million`, `500k`.
fn split_multiple(text: &str) -> (&str, Option<f64>) {
    fn split(text: &str) -> Option<(&str, Option<f64>)> {
        let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
        let (number, behind) = text.split_at(end);
        if behind.is_empty() {
            return None;
        }
        let factor = match behind.trim() {
            "k" | "K" => 1e3,
            // a small `m` may be meters
            "mm" | "MM" | "M" => 1e6,
            "bn" | "B" => 1e9,
            _ => words::multiple_in(behind)?,
        };
        Some((strip_currency(number), Some(factor)))
    }
    let plain = strip_currency(text);
    split(plain)
        .or_else(|| split(text))
        .unwrap_or((plain, None))
}

fn is_plain_group_sign(c: char) -> bool {
    matches!(c, ' ' | '\'' | '\u{a0}' | '\u{202f}' | '\u{2019}')
}

/// A number without spaces or apostrophes between its thousands.
fn ungroup(text: &str, decimal: DecimalSign) -> Option<String> {
    let (whole, places) = text
        .split_once(decimal.as_char())
        .map_or((text, None), |(whole, places)| (whole, Some(places)));
    let groups: Vec<&str> = whole.split(is_plain_group_sign).collect();
    let is_group =
        |group: &&str| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit());
    groups.iter().skip(1).all(is_group).then(|| {
        places.map_or_else(
            || groups.concat(),
            |places| format!("{}{}{places}", groups.concat(), decimal.as_char()),
        )
    })
}

/// Whether a number appears to use the other decimal sign: `1.234,56` where a point is expected.
/// `1.234` is ambiguous if the layout does not specify the sign.
pub fn seems_other_decimal_sign(text: &str, decimal: Option<DecimalSign>) -> bool {
    let (sign, other) = (
        decimal.unwrap_or_default(),
        decimal.unwrap_or_default().opposite(),
    );
    if parse_number(text, sign).is_none() {
        return parse_number(text, other).is_some();
    }
    let text = strip_currency(text);
    let is_group = |(whole, rest): (&str, &str)| {
        rest.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
    };
    decimal.is_none()
        && text.bytes().all(|c| c.is_ascii_digit() || c == b'.')
        && text.split_once(sign.as_char()).is_some_and(is_group)
}

/// A whole number, at least one.
pub fn parse_count(text: &str, decimal: DecimalSign) -> Option<i64> {
    parse_number(text, decimal)
        .filter(|count| *count >= 1.0 && *count < 1e6)
        .map(|count| count as i64)
}

/// A latitude or longitude: it has no thousands, so that both signs can only be the decimal sign.
pub fn parse_coordinate(text: &str) -> Option<f64> {
    text.trim()
        .replace(',', ".")
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// Latitude and longitude from `POINT (-122.4 37.8)` or `(37.8, -122.4)`.
pub fn parse_point(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix("POINT") {
        let (lng, lat) = inner
            .trim()
            .strip_prefix('(')?
            .strip_suffix(')')?
            .trim()
            .split_once(' ')?;
        return valid_point(parse_coordinate(lat)?, parse_coordinate(lng)?);
    }
    let (lat, lng) = text.trim_matches(['(', ')']).split_once(',')?;
    let decimal = |part: &str| {
        Some(part.trim())
            .filter(|part| part.contains('.'))
            .and_then(|part| part.parse().ok())
    };
    valid_point(decimal(lat)?, decimal(lng)?)
}

/// Valid coordinates; (0, 0) means that they are missing. No city is farther south than 60°: such
/// a latitude is a longitude of America.
pub fn valid_point(lat: f64, lng: f64) -> Option<(f64, f64)> {
    ((-60.0..=90.0).contains(&lat) && lng.abs() <= 180.0 && (lat, lng) != (0.0, 0.0))
        .then_some((lat, lng))
}

/// A phone number without a dangling extension: `(312)986-8000 x` becomes `(312) 986-8000`.
pub fn format_phone(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['x', 'X']).trim();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match digits.len() {
        10 => Some(format!(
            "({}) {}-{}",
            &digits[..3],
            &digits[3..6],
            &digits[6..]
        )),
        0..7 => None,
        _ => Some(text.to_owned()),
    }
}

/// Words joined by single spaces; `title` converts capitals to title case.
pub fn clean_text(text: &str, title: bool) -> String {
    let text = text.trim().trim_end_matches(',');
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        if title {
            push_title_case(word, &mut out)
        } else {
            out.push_str(word)
        }
    }
    out
}

fn push_title_case(word: &str, out: &mut String) {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let short = words::exact_words("capitals")
        .iter()
        .any(|word| word == bare);
    if short || bare.len() == 1 || word.contains(|c: char| c.is_ascii_digit()) && bare.len() <= 2 {
        return out.push_str(word);
    }
    let ordinal = word.chars().next().is_some_and(|c| c.is_ascii_digit());
    let mut start = !ordinal;
    let parts = word.matches('.').count() > 1;
    for c in word.chars() {
        if start || parts {
            out.extend(c.to_uppercase());
        } else {
            out.extend(c.to_lowercase());
        }
        start = match c {
            '-' | '/' | '(' | '&' | '.' => true,
            '\'' => out.len() <= 2 || start,
            c if !c.is_alphanumeric() => start,
            _ => false,
        };
    }
}

/// A name as a key: capitals and digits only, single spaces.
pub fn name_key(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_uppercase());
        } else if c != '\'' && c != '.' && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether a name is a person's: two to four words, no digits and no ampersand. Whether one of
/// them is a firm's is for the caller to say.
pub fn is_person(name: &str, is_firm: impl Fn(&str) -> bool) -> bool {
    let words: Vec<&str> = name
        .split(|c: char| c.is_whitespace() || c == ',' || c == '.')
        .filter(|word| !word.is_empty())
        .collect();
    is_couple(name, &words, &is_firm)
        || (2..=4).contains(&words.len())
            && !name.contains(|c: char| c.is_ascii_digit() || matches!(c, '&' | '/' | '#' | '@'))
            && !is_firm(name)
            && (words.len() < 4 || words.iter().any(|word| word.len() <= 2))
}

/// `Mr & Mrs Bell`, `HOBBS, JAMES T & ANNA`, `DAVIS R & M`; not `Smith & Sons` or `M & R Painting`.
fn is_couple(name: &str, words: &[&str], is_firm: impl Fn(&str) -> bool) -> bool {
    let position = |is_joiner: fn(&str) -> bool| words.iter().position(|word| is_joiner(word));
    let joiner =
        position(|word| word == "&").or_else(|| position(|word| words::is_word_of("couple", word)));
    let Some(at) = joiner else {
        return false;
    };
    let (before, behind) = (&words[..at], &words[at + 1..]);
    let is_titled = before.iter().all(|word| words::is_word_of("title", word));
    let is_initial = |word: &str| word.len() == 1;
    // `Skidmore, Owings & Merrill` is a firm
    let has_surname = name.find(',').is_some_and(|comma| {
        name[comma..].contains(words[at])
            && before.len() >= 2
            && behind.len() <= 2
            && before.iter().chain(behind).any(|word| is_initial(word))
    });
    let are_initials =
        before.len() == 2 && is_initial(before[1]) && behind.iter().all(|word| is_initial(word));
    !before.is_empty()
        && !behind.is_empty()
        && words.len() <= 6
        && (is_titled || has_surname || are_initials)
        && !name.contains(|c: char| c.is_ascii_digit())
        && !is_firm(name)
}

/// `CONNOLLY EAMONN F.` becomes `EAMONN F. CONNOLLY`.
pub fn first_name_first(name: &str) -> String {
    match name.trim().split_once(' ') {
        Some((last, first)) => format!("{} {}", first.trim(), last.trim_end_matches(',')),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_supported_format() {
        let mut layout = PermitLayout::find("san-francisco", &[]).unwrap();
        layout.dates = vec![
            "%m/%d/%Y %I:%M:%S %p".to_owned(),
            "%Y-%m-%dT%H:%M:%S".to_owned(),
        ];
        let forms = layout;
        let third = "2018-10-03T00:00:00Z".parse().ok();
        assert_eq!(parse_date("10/03/2018 08:38:41 AM", &forms), third);
        assert_eq!(parse_date("10/03/2018", &forms), third);
        assert_eq!(parse_date("2018-10-03T23:59:00", &forms), third);
        assert_eq!(parse_date("13/40/2018", &forms), None);
        assert_eq!(parse_date("10/03/0201", &forms), None);
    }

    #[test]
    fn amounts_points_and_phone_numbers_are_read_as_cities_write_them() {
        let number = |text: &str| parse_number(text, DecimalSign::Point);
        assert_eq!(number("$20000.00"), Some(20_000.0));
        assert_eq!(number("1,250"), Some(1_250.0));
        assert_eq!(number("-1,250.5"), Some(-1_250.5));
        assert_eq!(number("1e6"), Some(1e6));
        assert_eq!(number("n/a"), None);
        assert_eq!(number(""), None);
        assert_eq!(
            parse_point("POINT (-122.401764 37.789806)"),
            Some((37.789806, -122.401764))
        );
        assert_eq!(
            format_phone("(312)986-8000 x").as_deref(),
            Some("(312) 986-8000")
        );
        assert_eq!(format_phone(""), None);
    }

    #[test]
    fn the_layout_sets_the_decimal_sign_and_the_other_sign_separates_thousands() {
        for (text, point, comma) in [
            ("95.000,00", None, Some(95_000.0)),
            ("4.250.000,00", None, Some(4_250_000.0)),
            ("780.500,50 €", None, Some(780_500.5)),
            ("1,5", None, Some(1.5)),
            ("95,000.00", Some(95_000.0), None),
            ("$4,250,000", Some(4_250_000.0), None),
            ("95.000", Some(95.0), Some(95_000.0)),
            ("95,000", Some(95_000.0), Some(95.0)),
            ("1234,56", None, Some(1_234.56)),
            ("1,2345", None, Some(1.2345)),
            ("12", Some(12.0), Some(12.0)),
            ("1 234,56", None, Some(1_234.56)),
            ("1'234.50", Some(1_234.5), None),
            ("EUR 95.000,00", None, Some(95_000.0)),
            ("1 250 m\u{b2}", Some(1_250.0), Some(1_250.0)),
            ("12 500,-", Some(12_500.0), Some(12_500.0)),
            ("1 2", None, None),
            ("-37.5", Some(-37.5), None),
        ] {
            assert_eq!(
                (
                    parse_number(text, DecimalSign::Point),
                    parse_number(text, DecimalSign::Comma)
                ),
                (point, comma),
                "{text}"
            );
        }
        assert_eq!(
            (
                parse_coordinate(" -122,401764"),
                parse_coordinate("37.789"),
                parse_coordinate("north")
            ),
            (Some(-122.401764), Some(37.789), None)
        );
    }

    #[test]
    fn amounts_are_read_as_people_write_them_or_not_at_all() {
        let number = |text: &str| parse_number(text, DecimalSign::Point);
        for (text, value) in [
            ("(1,250.00)", -1_250.0),
            ("$1.2M", 1_200_000.0),
            ("1.5 million", 1_500_000.0),
            ("500k", 500_000.0),
            ("$ 1,234,567.89", 1_234_567.89),
            ("USD 1,000", 1_000.0),
            ("1,00,000", 100_000.0),
            ("~ 20000", 20_000.0),
            ("1 234 567", 1_234_567.0),
            ("£12,000", 12_000.0),
            ("¥1200000", 1_200_000.0),
            ("CA$5,000", 5_000.0),
            ("5000 USD", 5_000.0),
            ("\"1,000\"", 1_000.0),
            ("3.5 Mio. €", 3_500_000.0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in [
            "1,250,000 - 1,500,000",
            ">1000000",
            "$1,234,56",
            "$5,000+",
            "1.2.3M",
            "M",
            "k",
            "12 m",
            "1,00,00",
            "10,00,00,00",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn words_for_nothing_are_no_values() {
        for text in [
            "N/A",
            "null",
            "\\N",
            "-",
            "--",
            "None",
            "TBD",
            "To Be Determined",
            "UNKNOWN",
            "NA",
            "?",
            "keine Angabe",
            "…".trim_matches('…'),
            "[]",
            "{ }",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in ["0", "N", "A-1", "Nantes", "1/2", "Noneville", "-1"] {
            assert!(!is_nothing(text), "{text}");
        }
        assert!(
            ["Owner", "OWNER/BUILDER", "0", "self"]
                .iter()
                .all(|name| is_no_firm(name))
        );
        for name in [
            "Sin constructora",
            "SIN EMPRESA CONSTRUCTORA",
            "No Contractor",
            "No general contractor",
            "Ohne Architekt",
            "sans entrepreneur",
            "Sem construtora",
            "Senza impresa",
            "geen aannemer",
            "Not assigned",
            "Por definir",
            "à définir",
            "NOT SELECTED YET",
            "NO CONTRACTOR LISTED",
            "x",
            "N/A - OWNER",
            "OWNER IS CONTRACTOR",
            "CONTRACTOR TO BE DETERMINED",
            "TO BE BID",
            "WITHHELD",
            "REDACTED",
            "OCCUPANT",
            "VARIOUS",
            "VACANT",
            "TENANT",
            "CURRENT OWNER",
            "SELF - HOMEOWNER",
            "not listed",
            "To be assigned",
        ] {
            assert!(is_no_firm(name), "{name}");
        }
        for address in [
            "REDACTED",
            "Confidential",
            "Withheld",
            "N/A - NEW SUBDIVISION",
        ] {
            assert!(is_no_address(address), "{address}");
        }
        assert!(!is_no_address("Unknown - 12 Oak St"));
        for name in [
            "Owner Services LLC",
            "Self Storage Inc",
            "Same Day Roofing",
            "No Limit Construction",
            "Sin Fronteras Constructora",
            "Non Stop Builders",
            "N/A - Acme",
            "Vacant Land Partners",
        ] {
            assert!(!is_no_firm(name), "{name}");
        }
    }

    #[test]
    fn an_ambiguous_amount_is_detected() {
        let (point, comma) = (Some(DecimalSign::Point), Some(DecimalSign::Comma));
        for (text, decimal, seems) in [
            ("95.000,00", None, true),
            ("95.000,00", point, true),
            ("95.000,00", comma, false),
            ("95,000.00", comma, true),
            ("95.000", None, true),
            ("95.000", point, false),
            ("95.000", comma, false),
            ("95,000", None, false),
            ("0.125", None, false),
            ("1234.567", None, false),
            ("20000.00", None, false),
            ("n/a", None, false),
        ] {
            assert_eq!(
                seems_other_decimal_sign(text, decimal),
                seems,
                "{text} {decimal:?}"
            );
        }
    }

    #[test]
    fn names_in_capitals_become_title_case() {
        assert_eq!(
            clean_text("BULLEY & ANDREWS, L.L.C.", true),
            "Bulley & Andrews, L.L.C."
        );
        assert_eq!(
            clean_text("  1737 S  MICHIGAN AVE", true),
            "1737 S Michigan Ave"
        );
        assert_eq!(clean_text("W 23RD ST", true), "W 23rd St");
        assert_eq!(
            clean_text("JAMES MCHUGH CONSTRUCTION CO", true),
            "James Mchugh Construction Co"
        );
        assert_eq!(
            clean_text("LEND LEASE (US) CONSTRUCTION,", true),
            "Lend Lease (US) Construction"
        );
        assert_eq!(
            clean_text("O'BRIEN KELSO-BURNETT", true),
            "O'Brien Kelso-Burnett"
        );
    }

    #[test]
    fn people_and_firms_are_distinguished_by_their_words() {
        let is_person = |name| is_person(name, words::names_firm);
        assert!(is_person("EVAN MEISTER"));
        assert!(is_person("CONNOLLY EAMONN F."));
        assert!(!is_person("1035 WEST VAN BUREN"));
        assert!(!is_person("PATRICK AYLWARD STERLING BAY, INC."));
        assert!(!is_person("NORTHWESTERN MEMORIAL HOSPITAL"));
        assert!(!is_person("INMOSOL S.L."));
        assert_eq!(first_name_first("CONNOLLY EAMONN F."), "EAMONN F. CONNOLLY");
    }
}
