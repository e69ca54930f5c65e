//! How a table is written, found in its first bytes: encoding, separator, and where the header is
//! below its titles.

use std::collections::BTreeMap;
use std::io::Read;

use super::text_reader::Encoding;
use super::{RecordReader, column_names, decode_record, file_kind};
use crate::service::import::ImportError;

/// The separators that are tried. A file that fits several uses the first.
const SEPARATORS: &[u8] = b",;\t|";
/// How many records are looked at, and how many of them may be above the header.
const MAX_RECORDS: usize = 400;
const MAX_RECORDS_ABOVE: usize = 30;
/// A file with more NULs than one in this many bytes is no text.
const MIN_BYTES_PER_NUL: usize = 20;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TableFormat {
    pub encoding: Encoding,
    #[serde(serialize_with = "serialize_separator")]
    pub separator: u8,
    /// How many records are above the header: titles.
    pub records_above: usize,
    /// How many columns there are, if no line has their names.
    pub unnamed: Option<usize>,
}

fn serialize_separator<S: serde::Serializer>(
    separator: &u8,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_char(char::from(*separator))
}

impl TableFormat {
    /// Finds out how a file is written, in this encoding if somebody said so. The header is the
    /// first record that satisfies `is_header`, or else the first that appears to be one.
    pub fn detect(
        head: &[u8],
        is_whole: bool,
        encoding: Option<Encoding>,
        is_header: &dyn Fn(&csv::StringRecord) -> bool,
    ) -> Result<TableFormat, ImportError> {
        if head.trim_ascii().is_empty() {
            return Err(ImportError::Empty);
        }
        let (encoding, mark) =
            encoding.map_or_else(|| Encoding::detect(head), |encoding| (encoding, 0));
        if let Some((kind, instead)) = file_kind::other_kind(head) {
            let kind = kind.into();
            return Err(ImportError::NotATable { kind, instead });
        }
        let text = encoding.to_ascii_compatible(&head[mark..]);
        // some cells of a table may hold a NUL
        let nul_bytes = text.iter().filter(|byte| **byte == 0).count();
        if nul_bytes * MIN_BYTES_PER_NUL > text.len() {
            return Err(ImportError::NotATable {
                kind: "binary".into(),
                instead: "download the table as CSV",
            });
        }
        if text.trim_ascii().is_empty() {
            return Err(ImportError::Empty);
        }
        if !is_whole && !text.iter().any(|byte| b"\r\n".contains(byte)) {
            return Err(ImportError::LongHeader);
        }
        let named = named_separator(&text);
        let candidates = SEPARATORS
            .iter()
            .copied()
            .filter(|separator| named.is_none_or(|named| named == *separator));
        let mut best: Option<(Fit, TableFormat)> = None;
        for separator in candidates {
            let records = read_records(&text, separator, is_whole);
            let (fit, records_above) = Fit::of(&records, is_header);
            // the first of equals
            if best.is_none_or(|(best, _)| fit > best) {
                let unnamed = (!fit.has_header).then_some(fit.width);
                best = Some((
                    fit,
                    TableFormat {
                        encoding,
                        separator,
                        records_above,
                        unnamed,
                    },
                ));
            }
        }
        match best {
            Some((fit, _)) if fit.width < 2 && is_fixed_width(&text) => {
                Err(ImportError::NotATable {
                    kind: "text in columns of a fixed width".into(),
                    instead: "open it in a spreadsheet, which splits such columns, and save it as CSV UTF-8",
                })
            }
            Some((fit, _)) if fit.width < 2 => Err(ImportError::OneColumn),
            // prose has commas too
            Some((fit, _)) if !fit.has_header && fit.regular_tenths < 8 => {
                Err(ImportError::NoHeader)
            }
            Some((_, format)) => Ok(format),
            None => Err(ImportError::OneColumn),
        }
    }

    /// The records of a text, the titles included.
    pub fn records<R: Read>(&self, text: R) -> RecordReader<R> {
        RecordReader::new(text, self.separator)
    }

    /// The separator in words.
    pub fn separator_name(&self) -> &'static str {
        match self.separator {
            b',' => "comma",
            b';' => "semicolon",
            b'\t' => "tab",
            _ => "vertical bar",
        }
    }
}

/// Whether nearly all lines have words that are far apart.
fn is_fixed_width(text: &[u8]) -> bool {
    let lines = text
        .split(|byte| b"\r\n".contains(byte))
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    let is_spaced = |line: &[u8]| line.windows(2).any(|pair| pair == b"  ");
    let (spaced, all) = lines.fold((0, 0), |(spaced, all), line| {
        (spaced + usize::from(is_spaced(line)), all + 1)
    });
    all > 1 && spaced * 10 >= all * 8
}

/// The separator in a first line such as `sep=;`, which Excel writes.
fn named_separator(text: &[u8]) -> Option<u8> {
    let line = text
        .split(|byte| b"\r\n".contains(byte))
        .next()?
        .trim_ascii();
    match line {
        [b's', b'e', b'p', b'=', separator] => Some(*separator),
        b"sep=" => Some(b'\t'),
        _ => None,
    }
}

/// The first records; a last one that is cut is left out.
fn read_records(text: &[u8], separator: u8, is_whole: bool) -> Vec<csv::StringRecord> {
    let mut reader = RecordReader::new(text, separator);
    let (mut record, mut records) = (csv::ByteRecord::new(), Vec::new());
    while records.len() < MAX_RECORDS && matches!(reader.read(&mut record), Ok(Some(_))) {
        records.push(decode_record(&record));
    }
    if !is_whole && records.len() < MAX_RECORDS {
        records.pop();
    }
    records
}

/// How well a separator fits: compared from the first field to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// The header is the one that was asked for.
    is_wanted: bool,
    has_header: bool,
    /// How many of ten records have the usual width, if that is not 1.
    regular_tenths: usize,
    width: usize,
}

impl Fit {
    /// The fit, and how many records are above the header.
    fn of(
        records: &[csv::StringRecord],
        is_header: &dyn Fn(&csv::StringRecord) -> bool,
    ) -> (Fit, usize) {
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        records
            .iter()
            .for_each(|record| *widths.entry(filled_width(record)).or_default() += 1);
        let is_many = |width: &usize| {
            records
                .iter()
                .filter(|record| record.len() >= *width)
                .count()
                * 2
                > records.len()
        };
        // the widest that most records reach
        let width = records
            .iter()
            .map(csv::StringRecord::len)
            .filter(is_many)
            .max()
            .unwrap_or(1);
        let regular = records
            .iter()
            .filter(|record| record.len() == width || filled_width(record) == width)
            .count();
        let top = || records.iter().take(MAX_RECORDS_ABOVE).enumerate();
        let none = csv::StringRecord::new();
        let wanted = top().find(|(at, record)| {
            let above = at.checked_sub(1).and_then(|above| records.get(above));
            is_header(&column_names(above.unwrap_or(&none), record))
        });
        let count_filled = |record: &csv::StringRecord| {
            record.iter().filter(|cell| !cell.trim().is_empty()).count()
        };
        let seems = |at: usize, record: &csv::StringRecord| {
            let others = records
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, other)| other);
            seems_header(record, width) && !is_like_rows(record, others)
        };
        let named: Vec<(usize, &csv::StringRecord)> =
            top().filter(|(at, record)| seems(*at, record)).collect();
        let most = named
            .iter()
            .map(|(_, record)| count_filled(record))
            .max()
            .unwrap_or_default();
        // a title of several cells has fewer than the header
        let seems = named
            .into_iter()
            .find(|(_, record)| count_filled(record) * 10 >= most * 8);
        let fit = Fit {
            is_wanted: wanted.is_some(),
            has_header: wanted.or(seems).is_some() && width > 1,
            regular_tenths: if width < 2 {
                0
            } else {
                regular * 10 / records.len().max(1)
            },
            width,
        };
        (fit, wanted.or(seems).map_or(0, |(at, _)| at))
    }
}

/// The width of a record without the empty cells at its end.
fn filled_width(record: &csv::StringRecord) -> usize {
    (0..record.len())
        .rev()
        .find(|at| !record[*at].trim().is_empty())
        .map_or(0, |last| last + 1)
}

/// Whether a cell with digits is written like nearly all others of its column, such as `B-1001`. It
/// is no name of a column.
fn is_like_rows<'r>(
    record: &csv::StringRecord,
    others: impl Iterator<Item = &'r csv::StringRecord> + Clone,
) -> bool {
    record
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.contains(|c: char| c.is_ascii_digit()))
        .any(|(at, cell)| {
            let pattern = pattern_of(cell);
            let cells = others
                .clone()
                .filter_map(|row| row.get(at))
                .filter(|cell| !cell.trim().is_empty());
            let (count, like) = cells.fold((0, 0), |(count, like), cell| {
                (count + 1, like + usize::from(pattern_of(cell) == pattern))
            });
            count > 0 && like * 10 >= count * 9
        })
}

/// How a cell is written: `B-1001` as `a-9`.
fn pattern_of(cell: &str) -> String {
    let mut pattern = String::new();
    for c in cell.trim().chars() {
        let kind = match c {
            c if c.is_ascii_digit() => '9',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if !pattern.ends_with(kind) {
            pattern.push(kind);
        }
    }
    pattern
}

/// Whether a record has names in most of its cells, and no values.
fn seems_header(record: &csv::StringRecord, width: usize) -> bool {
    let filled: Vec<&str> = record
        .iter()
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect();
    let is_value = |cell: &&&str| {
        let digits = cell.chars().filter(char::is_ascii_digit).count();
        digits > 0 && digits * 2 >= cell.chars().filter(|c| !c.is_whitespace()).count()
    };
    let values = filled.iter().filter(is_value).count();
    filled.len() >= 2 && filled.len() * 2 >= width && values * 4 <= filled.len()
}
