//! A list as a file: its encoding, its separator, its header and its rows.

use serde::{Deserialize, Serialize};

use super::columns::{self, ColumnRole};
use super::lines::{LineTerms, ListLine};
use crate::domain::book::RecordKind;

/// The largest file that is read, in bytes.
pub const MAX_LIST_BYTES: usize = 4 << 20;
/// The longest list.
pub const MAX_LIST_LINES: usize = 2_000;
/// Sample values of a column.
const SAMPLES: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFile {
    /// `UTF-8`, `UTF-16` or `Latin-1`.
    pub encoding: String,
    /// `None` for a list of one column.
    pub separator: Option<char>,
    /// The headings, if the first row has them.
    pub header: Option<Vec<String>>,
    pub roles: Vec<ColumnRole>,
    pub kind: RecordKind,
    /// The number of the line of each row, and its cells.
    rows: Vec<(u64, Vec<String>)>,
}

impl ListFile {
    /// Reads a file with one row per line: CSV, tab-separated, or just names.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(bytes: &[u8]) -> Result<ListFile, String> {
        if bytes.len() > MAX_LIST_BYTES {
            return Err(format!(
                "the file is larger than {} MB; split it",
                MAX_LIST_BYTES >> 20
            ));
        }
        let (text, encoding) = decode(bytes)?;
        let separator = guess_separator(&text);
        if let Some(line) = find_unclosed_quote(&text, separator.unwrap_or('\0')) {
            return Err(format!(
                "the quotation mark at the start of a cell on line {line} is not closed; close or remove it"
            ));
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator.map_or(b'\0', |separator| separator as u8))
            .from_reader(text.as_bytes());
        let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| error.to_string())?;
            let line = record.position().map_or(0, csv::Position::line);
            let cells: Vec<String> = record
                .iter()
                .map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push((line, cells));
            }
            if rows.len() > MAX_LIST_LINES + 1 {
                return Err(format!(
                    "the list has more than {MAX_LIST_LINES} lines; split it"
                ));
            }
        }
        let header = rows
            .first()
            .filter(|(_, cells)| columns::is_header(cells))
            .map(|(_, cells)| cells.clone());
        if header.is_some() {
            rows.remove(0);
        }
        if rows.is_empty() {
            return Err("the file has no rows".to_owned());
        }
        let mut file = ListFile {
            encoding: encoding.to_owned(),
            separator,
            header,
            roles: Vec::new(),
            kind: RecordKind::Accounts,
            rows,
        };
        let values: Vec<Vec<&str>> = (0..file.column_count())
            .map(|at| file.values(at).collect())
            .collect();
        let kind = columns::guess_kind(file.header.as_deref(), &values);
        let roles = columns::guess_roles(file.header.as_deref(), &values);
        (file.kind, file.roles) = (kind, roles);
        Ok(file)
    }

    pub fn column_count(&self) -> usize {
        let widest = self
            .rows
            .iter()
            .map(|(_, cells)| cells.len())
            .max()
            .unwrap_or(0);
        widest.max(self.header.as_ref().map_or(0, Vec::len))
    }

    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .map(move |(_, cells)| cells.get(column).map(String::as_str).unwrap_or_default())
    }

    /// The heading of a column, or its number.
    pub fn heading(&self, column: usize) -> String {
        let heading = self
            .header
            .as_ref()
            .and_then(|header| header.get(column))
            .filter(|heading| !heading.is_empty());
        heading
            .cloned()
            .unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// The first different values of a column.
    pub fn samples(&self, column: usize) -> Vec<&str> {
        let mut samples: Vec<&str> = Vec::new();
        for value in self.values(column) {
            if !value.is_empty() && !samples.contains(&value) {
                samples.push(value);
            }
            if samples.len() == SAMPLES {
                break;
            }
        }
        samples
    }

    /// Sets what a column holds. Except for names, only one column holds it.
    pub fn set_role(&mut self, column: usize, role: ColumnRole) {
        if !matches!(role, ColumnRole::Name | ColumnRole::Ignored) {
            self.roles
                .iter_mut()
                .filter(|other| **other == role)
                .for_each(|other| *other = ColumnRole::Ignored);
        }
        if let Some(own) = self.roles.get_mut(column) {
            *own = role;
        }
    }

    /// The lines to match. Rows that have nothing to look for, and repeated ones, are left out.
    pub fn lines(&self) -> Vec<ListLine> {
        let mut lines: Vec<ListLine> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (number, cells) in &self.rows {
            let of_role = |role: ColumnRole| {
                let cells = cells
                    .iter()
                    .zip(&self.roles)
                    .filter(|(cell, known)| **known == role && !cell.is_empty());
                cells
                    .map(|(cell, _)| cell.as_str())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let terms = LineTerms {
                name: of_role(ColumnRole::Name),
                domain: columns::host_of(&of_role(ColumnRole::Domain)),
                email: of_role(ColumnRole::Email).to_lowercase(),
                address: of_role(ColumnRole::Address),
                city: of_role(ColumnRole::City),
                state: of_role(ColumnRole::State).to_uppercase(),
            };
            if terms.can_match(&self.kind) && seen.insert(terms.clone()) {
                lines.push(ListLine::new(*number, terms));
            }
        }
        lines
    }
}

/// The text of a file, and its encoding.
fn decode(bytes: &[u8]) -> Result<(String, &'static str), String> {
    let utf16 = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        (
            char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
            "UTF-16",
        )
    };
    let zeros = |odd: usize| {
        bytes
            .iter()
            .skip(odd)
            .step_by(2)
            .take(200)
            .filter(|byte| **byte == 0)
            .count()
    };
    // Latin letters in UTF-16 are every second byte.
    let many = bytes.len().min(400) / 8;
    match bytes {
        [0xff, 0xfe, rest @ ..] => Ok(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Ok(utf16(rest, u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => Ok((String::from_utf8_lossy(rest).into_owned(), "UTF-8")),
        _ if many > 0 && zeros(1) > many => Ok(utf16(bytes, u16::from_le_bytes)),
        _ if many > 0 && zeros(0) > many => Ok(utf16(bytes, u16::from_be_bytes)),
        _ if bytes.contains(&0) => Err("the file is not text; save the sheet as CSV".to_owned()),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok((text.to_owned(), "UTF-8")),
            Err(_) => Ok((
                bytes.iter().map(|byte| windows_1252_char(*byte)).collect(),
                "Latin-1",
            )),
        },
    }
}

/// A byte of Windows-1252: Latin-1 with the quotes, dashes and signs that spreadsheets write.
pub fn windows_1252_char(byte: u8) -> char {
    const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    match byte {
        0x80..=0x9f => WINDOWS
            .chars()
            .nth(usize::from(byte - 0x80))
            .unwrap_or(char::REPLACEMENT_CHARACTER),
        _ => char::from(byte),
    }
}

/// Follows quotes as the reader of CSV does: one opens only at the start of a cell, elsewhere it
/// stands for itself (inches).
struct Quotes {
    is_open: bool,
    may_open: bool,
}

/// The line of a quote that opens and never closes: the reader would take the rest of the file for
/// one cell.
fn find_unclosed_quote(text: &str, separator: char) -> Option<usize> {
    let (mut quotes, mut line, mut opened) = (Quotes::default(), 1, 1);
    for c in text.chars() {
        let was_open = quotes.is_open;
        quotes.is_outside(c, separator);
        if quotes.is_open && !was_open {
            opened = line;
        }
        line += usize::from(c == '\n');
    }
    quotes.is_open.then_some(opened)
}

impl Default for Quotes {
    fn default() -> Self {
        Quotes {
            is_open: false,
            may_open: true,
        }
    }
}

impl Quotes {
    /// Reads the next character, and returns whether it is outside quotes.
    fn is_outside(&mut self, c: char, separator: char) -> bool {
        let is_quote = c == '"' && (self.is_open || self.may_open);
        // a quote that closes may be doubled
        self.may_open = if is_quote {
            self.is_open
        } else {
            !self.is_open && (c == separator || c == '\n')
        };
        self.is_open ^= is_quote;
        !self.is_open && !is_quote
    }
}

/// How many lines show the separator.
const LINES_TO_GUESS: usize = 10;

/// The separator that is in every one of the first lines, most often.
fn guess_separator(text: &str) -> Option<char> {
    let least = |separator: char| {
        let (mut quotes, mut counts, mut count, mut is_blank) =
            (Quotes::default(), Vec::new(), 0, true);
        for c in text.chars().chain(['\n']) {
            let is_outside = quotes.is_outside(c, separator);
            is_blank &= c.is_whitespace();
            count += usize::from(is_outside && c == separator);
            if is_outside && c == '\n' {
                counts.extend((!is_blank).then_some(count));
                (count, is_blank) = (0, true);
            }
            if counts.len() == LINES_TO_GUESS {
                break;
            }
        }
        counts.into_iter().min().unwrap_or(0)
    };
    let best = ['\t', ';', '|', ',']
        .into_iter()
        .map(|separator| (least(separator), separator))
        .max_by_key(|(least, _)| *least);
    best.filter(|(least, _)| *least > 0)
        .map(|(_, separator)| separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ListFile {
        ListFile::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_quotation_mark_within_a_cell_is_text_and_one_that_does_not_close_is_reported() {
        let pipes = parse("Company;City\nArbor Development Group;Miami\nThe 6\" Pipe Co;Austin\n");
        assert_eq!((pipes.separator, pipes.rows.len()), (Some(';'), 2));
        assert_eq!(
            pipes.values(0).collect::<Vec<_>>(),
            ["Arbor Development Group", "The 6\" Pipe Co"]
        );
        let quoted =
            parse("Company,City\n\"Calder, \"\"the\"\" firm\",Austin\n\"Two\nlines\",Miami\n");
        assert_eq!(
            quoted.values(0).collect::<Vec<_>>(),
            ["Calder, \"the\" firm", "Two lines"]
        );
        let unclosed =
            ListFile::parse(b"Company,City\nCalder,Austin\n\"Arbor,Miami\nStratton,Phoenix\n")
                .unwrap_err();
        assert!(unclosed.contains("on line 3 is not closed"), "{unclosed}");
    }

    #[test]
    fn columns_are_guessed_from_headings_and_values() {
        use ColumnRole::*;
        let cases: &[(&str, RecordKind, &[ColumnRole])] = &[
            (
                "Company,Website,City,State\nCalder,calder.example,Austin,TX\n",
                RecordKind::Accounts,
                &[Name, Domain, City, State],
            ),
            (
                "First Name;Last Name;Company;E-Mail\nMaria;Diaz;Calder;m@calder.example\n",
                RecordKind::Contacts,
                &[Name, Name, Ignored, Email],
            ),
            (
                "Project\tStreet Address\tCity\nHarbor Yard\t1 Main St\tAustin\n",
                RecordKind::Projects,
                &[Name, Address, City],
            ),
            (
                "calder.example\nhttps://www.volt.example/about\n",
                RecordKind::Accounts,
                &[Domain],
            ),
            (
                "12 Main St\n415 Mission Street\n",
                RecordKind::Projects,
                &[Address],
            ),
            ("Calder, Inc.\nVolt\n", RecordKind::Accounts, &[Name]),
            (
                "7,Calder,TX\n8,Volt,CA\n",
                RecordKind::Accounts,
                &[Ignored, Name, State],
            ),
        ];
        for (text, kind, roles) in cases {
            let file = parse(text);
            assert_eq!(
                (&file.kind, file.roles.as_slice()),
                (kind, *roles),
                "{text}"
            );
        }
    }

    #[test]
    fn lines_keep_their_number_and_repeated_and_empty_ones_are_left_out() {
        let file = parse(
            "Company,Website\n\"Calder, Inc.\",https://www.Calder.example/x\n\n,\n\"Calder, Inc.\",calder.example\nVolt,\n",
        );
        let lines = file.lines();
        let found: Vec<_> = lines
            .iter()
            .map(|line| {
                (
                    line.number,
                    line.terms.name.as_str(),
                    line.terms.domain.as_str(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [(2, "Calder, Inc.", "calder.example"), (6, "Volt", "")]
        );
        assert_eq!(file.samples(0), ["Calder, Inc.", "Volt"]);
    }

    #[test]
    fn every_encoding_that_spreadsheets_write_is_read() {
        let text = "Name\nMüller – Söhne\n";
        let utf16 =
            |write: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(write).collect::<Vec<u8>>();
        let with = |bom: &[u8], bytes: Vec<u8>| [bom, &bytes].concat();
        for (bytes, encoding) in [
            (text.as_bytes().to_vec(), "UTF-8"),
            (with(b"\xef\xbb\xbf", text.as_bytes().to_vec()), "UTF-8"),
            (with(b"\xff\xfe", utf16(u16::to_le_bytes)), "UTF-16"),
            (with(b"\xfe\xff", utf16(u16::to_be_bytes)), "UTF-16"),
            (utf16(u16::to_le_bytes), "UTF-16"),
            (b"Name\nM\xfcller \x96 S\xf6hne\n".to_vec(), "Latin-1"),
        ] {
            let file = ListFile::parse(&bytes).unwrap();
            assert_eq!(
                (file.encoding.as_str(), file.lines()[0].terms.name.as_str()),
                (encoding, "Müller – Söhne")
            );
        }
    }

    #[test]
    fn a_file_that_is_not_a_list_says_why() {
        let error = |bytes: &[u8]| ListFile::parse(bytes).unwrap_err();
        assert_eq!(error(b"Company\n"), "the file has no rows");
        assert_eq!(
            error(b"PK\x03\x04\x00\x00\x08binary"),
            "the file is not text; save the sheet as CSV"
        );
        assert_eq!(
            error(&vec![b'x'; MAX_LIST_BYTES + 1]),
            "the file is larger than 4 MB; split it"
        );
        assert!(
            error("a b\n".repeat(MAX_LIST_LINES + 2).as_bytes())
                .starts_with("the list has more than 2000 lines")
        );
    }
}
