//! The parts of an address that is written with its city in one cell.

use super::words;

/// An address in its parts; what is not in the text is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressParts<'t> {
    /// The street and the number; all of the text if no city stands behind them.
    pub street: &'t str,
    pub city: &'t str,
    pub state: &'t str,
}

/// Divides `12 Oak St, Edison, NJ 08817` or `12 Oak St⏎Edison NJ`. Without a separator before the
/// city nobody can say where the street ends.
pub fn split_address(text: &str) -> AddressParts<'_> {
    let whole = AddressParts {
        street: text,
        city: "",
        state: "",
    };
    // most addresses have no city, and every row has one
    if !text.contains([',', '\n']) {
        return whole;
    }
    let without_zip = || {
        let street = split_zip(trim_separators(text))?;
        is_apart(street).then(|| AddressParts {
            street: trim_separators(street),
            ..whole
        })
    };
    let Some((place, state)) = split_state(text) else {
        return without_zip().unwrap_or(whole);
    };
    let Some((street, city)) = place.rsplit_once([',', '\n']) else {
        return whole;
    };
    let (street, city) = (trim_separators(street), city.trim());
    let is_in = |list: &str, word: &str| words::is_word_of(list, word);
    let is_unit = city
        .split(' ')
        .next()
        .is_some_and(|word| is_in("unit", word))
        || city.split(' ').all(|word| is_in("side", word));
    let is_city = city.chars().filter(|c| c.is_alphabetic()).count() >= 2
        && !city.contains(|c: char| c.is_ascii_digit())
        && !is_unit;
    match is_city && !street.is_empty() {
        true => AddressParts {
            street,
            city,
            state,
        },
        false => whole,
    }
}

/// A text that ends with a state and its ZIP code, or with a state behind a comma: what stands
/// before it, and the state.
pub fn split_state(text: &str) -> Option<(&str, &str)> {
    const COUNTRIES: &[&str] = &["USA", "US", "United States", "Canada"];
    let mut text = trim_separators(text);
    if let Some((before, last)) = text.rsplit_once(',')
        && COUNTRIES
            .iter()
            .any(|country| country.eq_ignore_ascii_case(last.trim()))
    {
        text = trim_separators(before);
    }
    let without_zip = split_zip(text);
    let place = trim_separators(without_zip.unwrap_or(text));
    let has_zip = without_zip.is_some();
    let (before, state) = place.rsplit_once([' ', ',', '\n'])?;
    let is_code = words::is_word_of("state_code", state)
        && (has_zip || state.bytes().all(|c| c.is_ascii_uppercase()));
    let is_behind = has_zip || is_apart(&place[..before.len() + 1]);
    if is_code && is_behind {
        return Some((trim_separators(before), state));
    }
    // `Missouri 65801`, `New York`
    let (before, state) = place.rsplit_once([',', '\n'])?;
    let state = state.trim();
    let is_name = state.len() > 3 && words::is_word_of("western_state", state);
    (is_name && has_zip).then(|| (trim_separators(before), state))
}

/// Whether a separator is at the end of this text.
fn is_apart(text: &str) -> bool {
    text.trim_end_matches(' ').ends_with([',', '\n'])
}

/// What stands before a ZIP code of the United States or a postal code of Canada.
fn split_zip(text: &str) -> Option<&str> {
    let is_spaced = |text: &str, form: &str| {
        text.len() == form.len()
            && text.bytes().zip(form.bytes()).all(|(c, form)| match form {
                b'9' => c.is_ascii_digit(),
                b'A' => c.is_ascii_uppercase(),
                form => c == form,
            })
    };
    ["99999", "99999-9999", "999999999", "A9A 9A9", "A9A9A9"]
        .iter()
        .find_map(|form| {
            let (before, code) = text.split_at_checked(text.len().checked_sub(form.len())?)?;
            (is_spaced(code, form) && before.ends_with([' ', ',', '\n'])).then_some(before)
        })
}

fn trim_separators(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_behind_a_street_is_told_apart() {
        for (text, street, city, state) in [
            ("12 Oak St, Edison, NJ 08817", "12 Oak St", "Edison", "NJ"),
            (
                "12 Oak St, Apt 4, Edison, NJ",
                "12 Oak St, Apt 4",
                "Edison",
                "NJ",
            ),
            (
                "12 Oak St, Edison NJ 08817-1234",
                "12 Oak St",
                "Edison",
                "NJ",
            ),
            (
                "1420 ALDER ST\nSanta Rosa, CA 95404",
                "1420 ALDER ST",
                "Santa Rosa",
                "CA",
            ),
            (
                "#305 555 W 12TH AVE, Vancouver, BC V6H 1C4",
                "#305 555 W 12TH AVE",
                "Vancouver",
                "BC",
            ),
            ("7 Elm St, Bath, ME 04530, USA", "7 Elm St", "Bath", "ME"),
            (
                "12 Oak St, Springfield, Mo 65801",
                "12 Oak St",
                "Springfield",
                "Mo",
            ),
            (
                "12 Oak St, Springfield, Missouri 65801",
                "12 Oak St",
                "Springfield",
                "Missouri",
            ),
            ("12 Oak St, 65801", "12 Oak St", "", ""),
        ] {
            let parts = AddressParts {
                street,
                city,
                state,
            };
            assert_eq!(split_address(text), parts, "{text}");
        }
        for text in [
            "12 Oak St",
            "12 Oak St, Unit 4",
            "12 Oak St, Unit CA",
            "1420 ALDER ST SANTA ROSA, CA 95404",
            "Salem, OR 97301",
            "12 Oak St, Apt 4, NJ 08817",
            "12 Oak St, Unit A, CO",
            "126 Main St, North Wing, IL 62703",
            "12 Oak St, Upper, NY 14201",
            "12 Oak St, Apt B Edison, NJ 08817",
            "Calle Mayor 3, Madrid",
            "",
            ", CA 95404",
        ] {
            assert_eq!(split_address(text).street, text);
        }
    }
}
