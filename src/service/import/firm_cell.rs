//! What stands in a cell with the name of a firm or a person: a phone number, a license, an
//! address.

use super::address_cell;
use super::words;

/// The name in a cell, and what was beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirmCell<'t> {
    /// Empty if the cell has only something else.
    pub name: &'t str,
    pub phone: Option<&'t str>,
    pub email: Option<&'t str>,
    /// Whether a license, an address or a person was left out.
    pub is_cut: bool,
}

/// No name is longer: the text of a longer cell is something else.
const MAX_NAME: usize = 300;

/// Divides `CASCADE HOMES LLC (Lic# 921KD) 253-555-0142`.
pub fn split_firm(text: &str) -> FirmCell<'_> {
    let text = text.trim();
    let in_care_of = text
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("c/o "));
    let mut cell = FirmCell {
        name: if in_care_of { &text[4..] } else { text },
        phone: None,
        email: None,
        is_cut: false,
    };
    if text.len() > MAX_NAME {
        return cell;
    }
    loop {
        let cut = cut_license(cell.name).or_else(|| cut_address(cell.name));
        if let Some(name) = cut.or_else(|| cut_expiry(cell.name)) {
            cell.name = trim_separators(name);
            cell.is_cut = true;
        } else if let Some((name, email)) = cut_email(cell.name) {
            cell.name = trim_separators(name);
            cell.email = Some(email);
        } else if let Some((name, phone)) = cut_phone(cell.name) {
            cell.name = trim_separators(name);
            cell.phone = Some(phone);
        } else {
            break;
        }
    }
    // `Priority Signs LLC (Bob Ray 214-555-0155)`
    if let Some((name, inner)) = cell.name.rsplit_once('(')
        && !inner.contains(')')
    {
        cell.name = trim_separators(name);
        cell.is_cut = true;
    }
    cell
}

/// `Gamma Inc / Beta LLC` are two firms.
pub fn split_firms(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split(" / ").collect();
    match parts.iter().all(|part| words::has_legal_form(part)) {
        true => parts,
        false => vec![text],
    }
}

/// Whether a line below a name has its address or a person, and is no name itself.
pub fn is_beside_name(line: &str) -> bool {
    let line = line.trim();
    let normal = words::normalize(line);
    let first = normal.split(' ').next().unwrap_or_default();
    let is_number = line.starts_with(|c: char| c.is_ascii_digit());
    let mut words = normal.split(' ').skip(1);
    let is_street = is_number && words.any(|word| words::is_word_of("street_type", word));
    let is_beside = is_street
        || is_po_box(&normal)
        || words::is_word_of("attention", first)
        || address_cell::split_state(line).is_some();
    is_beside && !words::names_firm(line)
}

fn trim_separators(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "-–,/:;|".contains(c))
}

fn count_digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// A name before an e-mail address.
fn cut_email(text: &str) -> Option<(&str, &str)> {
    let (before, last) = text.rsplit_once(' ').unwrap_or(("", text));
    let email = last.trim_matches(['<', '>', '(', ')']);
    (email.contains('@') && email.contains('.')).then_some((before, email))
}

/// A name before the day on which its license ends: `Exp 03/31/2027`.
fn cut_expiry(text: &str) -> Option<&str> {
    let (before, last) = text.rsplit_once(' ')?;
    let before = before.trim_end();
    let (name, mark) = before.rsplit_once(' ').unwrap_or(("", before));
    let is_end = words::is_word_of("expiry_mark", mark) && count_digits(last) >= 4;
    is_end.then_some(name)
}

/// A name before a phone number of North America, with or without `Ph.` and an extension, or before a
/// local one: `489-0889`.
fn cut_phone(text: &str) -> Option<(&str, &str)> {
    let number_of = |text: &str| {
        let is_sign = |c: char| c.is_ascii_digit() || " ()-.+".contains(c);
        let run = text.trim_end_matches(is_sign).len();
        let starts = text[run..].char_indices().map(|(at, _)| run + at);
        let mut starts = starts.filter(|at| {
            let (before, number) = text.split_at(*at);
            let is_start = number.starts_with(|c: char| c == '(' || ('2'..='9').contains(&c));
            let is_apart = before.is_empty() || before.ends_with([' ', '/', ',', ':', '-', '.']);
            let is_divided = number.contains(['-', '.', ' ', ')']);
            is_start && is_apart && is_divided && count_digits(number) == 10
        });
        starts.next_back().or_else(|| find_local_phone(text))
    };
    // `x12`, `ext. 12`
    let end = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let before_extension = end
        .trim_end_matches(['.', ' '])
        .trim_end_matches(['e', 'E', 'x', 'X', 't', 'T'])
        .trim_end();
    let is_extension = end.len() > before_extension.len() && end.len() < text.len();
    let number = match is_extension {
        true => number_of(before_extension),
        false => None,
    };
    let start = number.or_else(|| number_of(text))?;
    // `+1 253`, `1-253`
    let before = text[..start].trim_end_matches(' ');
    let before = before
        .strip_suffix("+1")
        .or_else(|| before.strip_suffix("1-"))
        .unwrap_or(before);
    let name = trim_separators(before);
    let (shorter, last) = name.rsplit_once(' ').unwrap_or(("", name));
    let is_mark = words::is_word_of("phone_mark", last);
    Some((if is_mark { shorter } else { name }, text[start..].trim()))
}

/// Where a phone number without an area code begins behind a name.
fn find_local_phone(text: &str) -> Option<usize> {
    let (before, number) = text.rsplit_once(' ')?;
    let (exchange, line) = number.split_once('-')?;
    let digits = [exchange, line].map(|part| (part.len(), count_digits(part)));
    let is_phone = digits == [(3, 3), (4, 4)] && exchange.starts_with(|c| ('2'..='9').contains(&c));
    let last = before.rsplit(' ').next().unwrap_or_default();
    let is_name = last.ends_with(|c: char| c.is_alphabetic() || ".,:".contains(c));
    let mut numbered = ["plain_number", "numbered"].iter();
    let is_other = numbered.any(|list| words::is_word_of(list, last));
    (is_phone && is_name && !is_other).then_some(before.len() + 1)
}

/// A name without the license before or behind it: `(EC-12345)`, `Lic# 921KD`, `12345 - `.
fn cut_license(text: &str) -> Option<&str> {
    if let Some((before, inner)) = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('))
        && (is_license(inner) || is_code(inner))
    {
        return Some(before);
    }
    for separator in [" - ", " – ", " / ", ", ", "\n"] {
        if let Some((before, behind)) = text.rsplit_once(separator)
            && (is_license(behind) || is_code(behind))
        {
            return Some(before);
        }
    }
    if let Some((number, name)) = text.split_once(" - ")
        && (is_code(number) || is_license(number))
    {
        return Some(name);
    }
    // without a separator
    let starts = text.match_indices(' ').map(|(at, _)| at);
    let mut starts = starts.filter(|at| {
        let behind = &text[*at + 1..];
        is_license(behind) || behind.starts_with('#') && is_code(behind)
    });
    starts
        .next()
        .map(|at| &text[..at])
        .or_else(|| is_license(text).then_some(""))
}

/// `Lic# 921KD`, `License No. 12345`: a word for a license and a number, and nothing else.
fn is_license(text: &str) -> bool {
    let text = text.trim().trim_end_matches(')');
    let mut parts = text
        .split(|c: char| c.is_whitespace() || "#:.".contains(c))
        .filter(|part| !part.is_empty());
    let is_mark = |word: &str| words::is_word_of("license_mark", word);
    let is_filler = |word: &&str| words::is_word_of("plain_number", word) || is_mark(word);
    let is_state = |word: &&str| word.eq_ignore_ascii_case("state");
    let first = parts.next();
    let first = first
        .filter(|word| !is_state(word))
        .or_else(|| parts.next());
    // not `ID 83702`, which is Idaho
    let has_id = text
        .get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("id:"));
    (has_id || first.is_some_and(is_mark))
        && matches!(
            parts.skip_while(is_filler).collect::<Vec<_>>()[..],
            [number] if count_digits(number) >= 2
        )
}

/// A number of at least four digits with capitals and dashes, and no year.
fn is_code(text: &str) -> bool {
    let text = text.trim().trim_start_matches('#');
    let is_year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    let is_sign = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '-';
    // a phone number is one of its own
    count_digits(text) >= 4 && count_digits(text) < 10 && !is_year && text.chars().all(is_sign)
}

fn is_po_box(normal: &str) -> bool {
    ["po box", "p o box"]
        .iter()
        .any(|mark| normal.starts_with(mark))
}

/// A name without the address behind it: `Bolt Electric Inc, 12 Trade St, Portland OR 97201`.
pub fn cut_address(text: &str) -> Option<&str> {
    if text.len() > MAX_NAME {
        return None;
    }
    address_cell::split_state(text)?;
    let is_street = |behind: &str| {
        let behind = behind.trim_start();
        let normal = words::normalize(behind);
        behind.starts_with(|c: char| c.is_ascii_digit()) || is_po_box(&normal)
    };
    let mut separators = text.match_indices([',', '\n']);
    let (start, _) = separators.find(|(at, _)| is_street(&text[at + 1..]))?;
    Some(&text[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_apart_from_what_stands_beside_it() {
        for (text, name, phone, is_cut) in [
            (
                "CASCADE HOMES LLC (Lic# CASCAHL921KD) 253-555-0142",
                "CASCADE HOMES LLC",
                Some("253-555-0142"),
                true,
            ),
            (
                "1419 ALEXANDER STREET  / State Lic: CT30385 / ID: 33427274 / PH: (808) 479-3333",
                "1419 ALEXANDER STREET",
                Some("(808) 479-3333"),
                true,
            ),
            (
                "Window World 489-0889",
                "Window World",
                Some("489-0889"),
                false,
            ),
            ("State 48 Homes", "State 48 Homes", None, false),
            ("Smith Trust 489-0889", "Smith Trust 489-0889", None, false),
            ("Interior ID 360", "Interior ID 360", None, false),
            (
                "CASCADE HOMES LLC - 253-555-0142",
                "CASCADE HOMES LLC",
                Some("253-555-0142"),
                false,
            ),
            (
                "CASCADE HOMES LLC Ph: (253) 555-0142",
                "CASCADE HOMES LLC",
                Some("(253) 555-0142"),
                false,
            ),
            (
                "CASCADE HOMES LLC +1 253 555 0142",
                "CASCADE HOMES LLC",
                Some("253 555 0142"),
                false,
            ),
            (
                "CASCADE HOMES LLC Lic# 921KD",
                "CASCADE HOMES LLC",
                None,
                true,
            ),
            (
                "Bolt Electric Inc (EC-12345)",
                "Bolt Electric Inc",
                None,
                true,
            ),
            (
                "Bolt Electric Inc / License 12345",
                "Bolt Electric Inc",
                None,
                true,
            ),
            (
                "Bolt Electric Inc, License No. C10-12345",
                "Bolt Electric Inc",
                None,
                true,
            ),
            ("12345 - Bolt Electric Inc", "Bolt Electric Inc", None, true),
            (
                "Bolt Electric Inc, 12 Trade St, Portland OR 97201",
                "Bolt Electric Inc",
                None,
                true,
            ),
            (
                "Bolt Electric Inc\n12 Trade St\nPortland, OR 97201",
                "Bolt Electric Inc",
                None,
                true,
            ),
            ("253-555-0142", "", Some("253-555-0142"), false),
            (
                "CASCADE HOMES LLC 253-555-0142 x12",
                "CASCADE HOMES LLC",
                Some("253-555-0142 x12"),
                false,
            ),
            ("CASCADE HOMES LLC #12345", "CASCADE HOMES LLC", None, true),
            (
                "CASCADE HOMES LLC bids@cascade.example",
                "CASCADE HOMES LLC",
                None,
                false,
            ),
            (
                "CASCADE HOMES LLC (Lic# 921KD) Exp 03/31/2027",
                "CASCADE HOMES LLC",
                None,
                true,
            ),
            ("Pier 1 253-555-0142", "Pier 1", Some("253-555-0142"), false),
            (
                "SMITH JOHN T 253-555-0142",
                "SMITH JOHN T",
                Some("253-555-0142"),
                false,
            ),
            ("Ann Smith <a.smith@x.example>", "Ann Smith", None, false),
            ("License 12345", "", None, true),
            ("C/O Jones LLC", "Jones LLC", None, false),
        ] {
            let cell = split_firm(text);
            assert_eq!(
                (cell.name, cell.phone, cell.is_cut),
                (name, phone, is_cut),
                "{text}"
            );
        }
        for text in [
            "84 Lumber",
            "Bolt Electric 0001234567",
            "Studio 54",
            "AMH 2014-1 Borrower LLC",
            "Trust 12345",
            "4011 Willow LLC",
            "Smith, John",
            "Smith & Sons (2019)",
            "1-800-GOT-JUNK",
            "Lic Homes LLC",
            "License to Build LLC",
            "Ridge 100 Partners, LP",
            "Acme Roofing - North",
            "",
        ] {
            let cell = split_firm(text);
            assert_eq!((cell.name, cell.phone, cell.is_cut), (text, None, false));
        }
    }
}
