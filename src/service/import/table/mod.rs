//! Table files: separated values in the encodings, separators and line ends that offices and
//! spreadsheets write, read row by row. Only the first bytes of a file are looked at to find out
//! how it is written.
//!
//! Never here: what a column means.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};

use unicode_normalization::UnicodeNormalization as _;

use super::{ImportError, words};
use crate::domain::list_import::windows_1252_char;

mod code_pages;
mod file_kind;
mod header;
mod records;
mod text_reader;

pub use code_pages::CodePage;
pub use header::TableFormat;
pub use records::{Flaw, RecordReader};
pub use text_reader::Encoding;

use text_reader::TextReader;

/// How much of a file is read to find out how it is written.
pub const HEAD_BYTES: u64 = 1 << 18;

/// A file whose first bytes were read already.
type HeadThenRest<R> = std::io::Chain<Cursor<Vec<u8>>, R>;

/// The rows of a table file, below its header.
pub struct TableReader<R: Read> {
    records: RecordReader<TextReader<HeadThenRest<R>>>,
    pub format: TableFormat,
    /// The header as written.
    pub raw_header: csv::ByteRecord,
    /// The line of the header; 0 if there is none, and the columns are numbered.
    pub header_line: u64,
    /// The names of the columns: trimmed, none of them empty or twice.
    pub header: csv::StringRecord,
    /// How many rows were read.
    pub rows: u64,
}

/// Where a row begins, and what is odd about it.
pub type RowStart = records::RecordStart;

impl<R: Read> TableReader<R> {
    /// Opens a file in an encoding, if somebody said which, whose header satisfies `is_header`, or
    /// else appears to be one.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a table.
    pub fn open(
        mut file: R,
        encoding: Option<Encoding>,
        is_header: &dyn Fn(&csv::StringRecord) -> bool,
    ) -> Result<Self, ImportError> {
        let mut head = Vec::new();
        file.by_ref()
            .take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(csv::Error::from)?;
        let is_whole = (head.len() as u64) < HEAD_BYTES;
        let format = TableFormat::detect(&head, is_whole, encoding, is_header)?;
        let mut records = format.records(TextReader::new(
            Cursor::new(head).chain(file),
            format.encoding,
        ));
        let (mut above, mut raw_header) = (csv::ByteRecord::new(), csv::ByteRecord::new());
        let mut header_line = 0;
        if let Some(columns) = format.unnamed {
            raw_header.extend((1..=columns).map(|number| format!("column {number}")));
        } else {
            for _ in 0..=format.records_above {
                above.clone_from(&raw_header);
                header_line = records
                    .read(&mut raw_header)
                    .map_err(csv::Error::from)?
                    .map_or(0, |start| start.line);
            }
        }
        let header = column_names(&decode_record(&above), &decode_record(&raw_header));
        records.set_width(header.len());
        Ok(TableReader {
            records,
            format,
            raw_header,
            header_line,
            header,
            rows: 0,
        })
    }

    /// Reads the next row that is not empty, and returns where it begins; `None` at the end.
    pub fn read_row(&mut self, row: &mut csv::ByteRecord) -> Result<Option<RowStart>, csv::Error> {
        while let Some(start) = self.records.read(row)? {
            // spreadsheets write empty cells to the right of the table
            if row.len() > self.header.len() && row.iter().skip(self.header.len()).all(is_blank) {
                row.truncate(self.header.len());
            }
            if start.flaw.is_some() || !row.iter().all(is_blank) {
                self.rows += 1;
                return Ok(Some(start));
            }
        }
        Ok(None)
    }

    /// How many bytes of the file were read, about.
    pub fn position(&self) -> u64 {
        self.records.input().position()
    }
}

fn is_blank(cell: &[u8]) -> bool {
    cell.trim_ascii().is_empty()
}

/// The record as text: what is not UTF-8 is Windows-1252, which contains ISO-8859-1.
pub fn decode_record(bytes: &csv::ByteRecord) -> csv::StringRecord {
    let text = |field: &[u8]| {
        field
            .iter()
            .map(|byte| windows_1252_char(*byte))
            .collect::<String>()
    };
    // a copy of the record would be as large as the largest that its buffer ever held
    match bytes
        .iter()
        .map(std::str::from_utf8)
        .collect::<Result<Vec<&str>, _>>()
    {
        Ok(cells) => cells.into_iter().map(clean_cell).collect(),
        Err(_) => bytes
            .iter()
            .map(|field| clean_cell(&text(field)).into_owned())
            .collect(),
    }
}

/// The text that a cell stands for: without Excel's guard of text (`="001"`), tags and entities of
/// HTML, marks of footnotes, NUL and signs without a width, its letters composed.
fn clean_cell(cell: &str) -> Cow<'_, str> {
    let text = cell.trim_ascii();
    let inner = text
        .strip_prefix("=\"")
        .and_then(|text| text.strip_suffix('"'));
    let mut text: Cow<'_, str> =
        inner.map_or(cell.into(), |inner| inner.replace("\"\"", "\"").into());
    // the mark of a footnote
    let marked = text.trim_ascii_end().strip_suffix(['†', '‡']);
    if let Some(marked) = marked.filter(|text| text.ends_with(|c: char| c.is_ascii_digit())) {
        text = marked.to_owned().into();
    }
    let is_unseen = |c: char| matches!(c, '\0' | '\u{feff}' | '\u{200b}'..='\u{200d}');
    if text.contains(is_unseen) {
        text = text.replace(is_unseen, "").into();
    }
    // `&amp;amp;` was encoded twice
    for _ in 0..2 {
        if text.contains('&') && text.contains(';') {
            text = decode_entities(&text).map_or(text, Cow::Owned);
        }
    }
    if text.contains('<') && text.contains('>') {
        text = strip_tags(&text).map_or(text, Cow::Owned);
    }
    if !text.is_ascii()
        && unicode_normalization::is_nfc_quick(text.chars())
            != unicode_normalization::IsNormalized::Yes
    {
        text = text.nfc().collect::<String>().into();
    }
    text
}

/// A text without its tags of HTML, if it has any: a tag that is not within a line ends it.
fn strip_tags(text: &str) -> Option<String> {
    const INLINE: &[&str] = &[
        "a", "b", "i", "u", "em", "strong", "span", "font", "small", "sup", "sub", "nobr",
    ];
    const BLOCK: &[&str] = &[
        "br", "p", "div", "li", "ul", "ol", "table", "tr", "td", "th", "tbody", "h1", "h2", "h3",
        "h4", "hr", "img",
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        let name_and_rest = behind.strip_prefix('/').unwrap_or(behind);
        let end = name_and_rest.find(|c: char| !c.is_ascii_alphanumeric());
        let name = &name_and_rest[..end.unwrap_or(name_and_rest.len())];
        let is_in = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        // not the address in `<a.smith@x.example>`
        let is_whole =
            end.is_none_or(|end| name_and_rest[end..].starts_with([' ', '/', '>', '\n']));
        let is_tag = is_whole && (is_in(INLINE) || is_in(BLOCK));
        let after = is_tag.then(|| behind.split_once('>')).flatten();
        let (mark, after) = match after.map(|(_, after)| after) {
            Some(after) => (if is_in(BLOCK) { "\n" } else { "" }, after),
            None => ("<", behind),
        };
        out.extend([before, mark]);
        rest = after;
    }
    out.push_str(rest);
    (out != text).then(|| out.trim().to_owned())
}

/// The longest name of an entity with its `;`.
const MAX_ENTITY: usize = 12;

/// A text whose entities are decoded, if it has any.
fn decode_entities(text: &str) -> Option<String> {
    const ACCENTS: &[(&str, char)] = &[
        ("acute", '\u{301}'),
        ("grave", '\u{300}'),
        ("circ", '\u{302}'),
        ("uml", '\u{308}'),
        ("tilde", '\u{303}'),
        ("cedil", '\u{327}'),
    ];
    // `eacute`: a letter and its accent, which are composed afterwards
    let accented = |name: &str| {
        let (letter, accent) = name.split_at_checked(1)?;
        let (_, accent) = ACCENTS.iter().find(|(known, _)| *known == accent)?;
        unicode_normalization::char::compose(letter.chars().next()?, *accent)
    };
    let decode = |name: &str| match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        name if !name.starts_with('#') => accented(name),
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?).filter(|c| !c.is_control() || c.is_whitespace())
        }
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        let end = behind.bytes().take(MAX_ENTITY).position(|c| c == b';');
        let entity = end
            .map(|end| (&behind[..end], &behind[end + 1..]))
            .and_then(|(name, behind)| Some((decode(name)?, behind)));
        rest = entity.map_or(behind, |(_, behind)| behind);
        out.push(entity.map_or('&', |(c, _)| c));
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// The names of columns below those of their groups: `Name` below `Contractor` is `Contractor
/// Name`.
fn column_names(above: &csv::StringRecord, header: &csv::StringRecord) -> csv::StringRecord {
    let mut group = "";
    let names = header.iter().enumerate().map(|(at, name)| {
        let own = above.get(at).map_or("", str::trim);
        group = if own.is_empty() { group } else { own };
        words::name_in_group(group, name).unwrap_or_else(|| name.to_owned())
    });
    unique_names(&names.collect())
}

/// The names of columns: a second `Date` becomes `Date (2)`, and a column without a name `column
/// 7`.
fn unique_names(header: &csv::StringRecord) -> csv::StringRecord {
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    // how often a name was met, or the number that it has when it is met next
    let mut taken: HashMap<String, usize> = HashMap::with_capacity(header.len());
    for (at, name) in header.iter().enumerate() {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = name.trim_start_matches('\u{feff}').trim();
        let name = if name.is_empty() {
            format!("column {}", at + 1)
        } else {
            name.to_owned()
        };
        let mut number = taken.get(&name.to_ascii_lowercase()).copied().unwrap_or(1);
        let mut unique = if number == 1 {
            name.clone()
        } else {
            format!("{name} ({number})")
        };
        while taken.contains_key(&unique.to_ascii_lowercase()) {
            number += 1;
            unique = format!("{name} ({number})");
        }
        taken.insert(name.to_ascii_lowercase(), number + 1);
        taken.entry(unique.to_ascii_lowercase()).or_insert(1);
        names.push(unique);
    }
    names.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header, and the rows with their lines.
    fn read(bytes: &[u8]) -> (Vec<String>, Vec<(u64, Vec<String>)>) {
        let mut table = TableReader::open(bytes, None, &|_| false).unwrap();
        let (mut row, mut rows) = (csv::ByteRecord::new(), Vec::new());
        while let Some(start) = table.read_row(&mut row).unwrap() {
            rows.push((
                start.line,
                decode_record(&row).iter().map(str::to_owned).collect(),
            ));
        }
        (table.header.iter().map(str::to_owned).collect(), rows)
    }

    #[test]
    fn every_separator_line_end_and_encoding_gives_the_same_rows() {
        let table = "Number;Straße;Cost\n7;Müller – Weg 3;\"1,5\"\n8;\"a\nb\";2\n";
        let utf16 = |text: &str, write: fn(u16) -> [u8; 2]| {
            text.encode_utf16().flat_map(write).collect::<Vec<u8>>()
        };
        let windows: Vec<u8> = table
            .chars()
            .map(|c| match c {
                '–' => 0x96,
                c => u8::try_from(u32::from(c)).unwrap(),
            })
            .collect();
        let mut files: Vec<(String, Vec<u8>, Vec<u64>)> = Vec::new();
        for separator in [",", ";", "\t", "|"] {
            files.push((
                separator.to_owned(),
                table.replace(';', separator).into_bytes(),
                vec![2, 3],
            ));
        }
        for end in ["\r\n", "\r"] {
            files.push((
                format!("{end:?}"),
                table.replace('\n', end).into_bytes(),
                vec![2, 3],
            ));
        }
        let bom = |text: &str| format!("\u{feff}{text}");
        files.push((
            "UTF-8 with a mark".to_owned(),
            bom(table).into_bytes(),
            vec![2, 3],
        ));
        files.push(("Windows-1252".to_owned(), windows, vec![2, 3]));
        files.push((
            "UTF-16LE".to_owned(),
            utf16(&bom(table), u16::to_le_bytes),
            vec![2, 3],
        ));
        files.push((
            "UTF-16BE".to_owned(),
            utf16(&bom(table), u16::to_be_bytes),
            vec![2, 3],
        ));
        files.push((
            "UTF-16LE without a mark".to_owned(),
            utf16(table, u16::to_le_bytes),
            vec![2, 3],
        ));
        files.push((
            "sep=".to_owned(),
            format!("sep=;\r\n{table}").into_bytes(),
            vec![3, 4],
        ));
        files.push((
            "titles".to_owned(),
            format!("Permits of 2024\n\nAs of;1 May\n{table};;\n").into_bytes(),
            vec![5, 6],
        ));
        for (name, bytes, lines) in files {
            let (header, rows) = read(&bytes);
            assert_eq!(header, ["Number", "Straße", "Cost"], "{name}");
            let cells: Vec<(u64, Vec<String>)> = rows
                .into_iter()
                .map(|(line, row)| {
                    (
                        line,
                        row.into_iter()
                            .map(|cell| cell.replace("\r\n", "\n").replace('\r', "\n"))
                            .collect(),
                    )
                })
                .collect();
            let expected = [vec!["7", "Müller – Weg 3", "1,5"], vec!["8", "a\nb", "2"]];
            let expected: Vec<(u64, Vec<String>)> = lines
                .into_iter()
                .zip(expected)
                .map(|(line, row)| (line, row.into_iter().map(str::to_owned).collect()))
                .collect();
            assert_eq!(cells, expected, "{name}");
        }
    }

    #[test]
    fn columns_without_a_name_and_with_the_same_name_are_told_apart() {
        let (header, rows) = read(b"No,Date,,date,Street,,,\n1,2,3,4,5,,,\n2,,,,,,,\n");
        assert_eq!(
            header[..6],
            ["No", "Date", "column 3", "date (2)", "Street", "column 6"]
        );
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn the_first_permit_of_a_file_without_a_header_is_a_row() {
        for text in [
            "1,2024-01-02,500\n2,2024-01-03,700\n",
            "B-1001,12 Oak Street,Acme LLC,roof\nB-1002,7 Elm Street,Smith Inc,new house\n",
        ] {
            let (header, rows) = read(text.as_bytes());
            assert_eq!(
                (header[0].as_str(), rows.len(), rows[0].0),
                ("column 1", 2, 1),
                "{text}"
            );
        }
        let (header, rows) = read(b"Permit,Address 1,Unit\n1,5 Oak St,2a\n2,7 Oak St,\n");
        assert_eq!((header[1].as_str(), rows.len()), ("Address 1", 2));
    }

    #[test]
    fn a_hundred_thousand_columns_of_one_name_are_told_apart_one_by_one() {
        let names = unique_names(&csv::StringRecord::from(vec!["Date"; 100_000]));
        assert_eq!(
            (&names[0], &names[1], &names[99_999]),
            ("Date", "Date (2)", "Date (100000)")
        );
    }

    #[test]
    fn a_file_that_is_not_a_table_is_named_for_what_it_is() {
        let error = |bytes: &[u8]| {
            TableReader::open(bytes, None, &|_| false)
                .err()
                .unwrap()
                .to_string()
        };
        for (bytes, what) in [
            (
                b"%PDF-1.7 ...".as_slice(),
                "the file is a PDF document, not a table",
            ),
            (
                b"PK\x03\x04....xl/workbook.xml",
                "the file is an Excel workbook, not a table: open it in a spreadsheet and save the sheet of permits as CSV UTF-8",
            ),
            (
                b"PK\x03\x04....permits.csv",
                "the file is a ZIP archive, not a table: unpack it",
            ),
            (b"\xd0\xcf\x11\xe0rest", "the file is an old Excel workbook"),
            (
                b"<!DOCTYPE html><html>",
                "the file is a web page, not a table",
            ),
            (
                b"<?xml version='1.0'?><rows/>",
                "the file is XML, not a table",
            ),
            (
                b"SQLite format 3\0",
                "the file is a SQLite database, not a table",
            ),
            (
                b"\x7fELF\0\0\x01\x02\x00\x00",
                "the file is binary, not a table",
            ),
            (b"", "the file is empty"),
            (b"\n\n  \n", "the file is empty"),
            (
                b"just a letter\nwith lines\nof prose\n",
                "the file has 1 column",
            ),
            (b"1,2,3\n4,5,6\n7,8\n9,10\n", "the file has no header"),
        ] {
            assert!(error(bytes).starts_with(what), "{what}: {}", error(bytes));
        }
        let endless = "Name,".repeat(100_000);
        assert!(
            error(endless.as_bytes()).starts_with("the first line has more than 256 KB"),
            "{}",
            error(endless.as_bytes())
        );
    }
}
