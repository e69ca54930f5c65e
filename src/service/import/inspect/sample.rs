//! Sample rows of a file: all of a small one, the beginning, the middle and the end of a large one.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use super::TableSample;
use crate::service::import::table::{Encoding, TableReader, decode_record};
use crate::service::import::{ImportError, rejected_rows, values};

/// A file up to this size is read to its end.
const MAX_WHOLE: u64 = 4 << 20;
/// The longest cell that is kept.
const MAX_CELL: usize = 4_000;
/// How many cells are kept of each place: a file may have more columns than rows.
const MAX_CELLS: usize = 400_000;
/// How much of a larger one is read at each place.
const PIECE: u64 = 1 << 20;

/// Reads the header and sample rows of a file of this length.
pub fn read_sample<R: Read + Seek>(
    file: &mut R,
    length: u64,
    encoding: Option<Encoding>,
) -> Result<TableSample, ImportError> {
    let is_whole = length <= MAX_WHOLE;
    let mut table = TableReader::open(
        file.by_ref().take(if is_whole { length } else { PIECE }),
        encoding,
        &|_| false,
    )?;
    let (mut row, mut rows) = (csv::ByteRecord::new(), Vec::new());
    let width = table.header.len();
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut last = 0;
    while table.read_row(&mut row)?.is_some() {
        last = row.len();
        *widths.entry(last).or_default() += 1;
        let record = shorten(&row);
        let is_filled = |cell: &&str| !values::is_nothing(cell.trim());
        let filled = record.iter().filter(is_filled).count();
        let is_total = rejected_rows::is_total_line(&record) && filled * 2 <= width;
        // a row of dashes under the header has none
        if record.len() == width && filled > 0 && !is_total && rows.len() * width <= MAX_CELLS {
            rows.push(record);
        }
    }
    // the last row of a piece is cut
    if let Some(rows) = widths.get_mut(&last).filter(|_| !is_whole) {
        *rows -= 1;
    }
    widths.retain(|_, rows| *rows > 0);
    match widths.iter().max_by_key(|(_, rows)| **rows) {
        None if !is_whole => {}
        None => return Err(ImportError::NoRows),
        Some((rows, _)) if *rows != width && !widths.contains_key(&width) => {
            return Err(ImportError::UnevenHeader {
                line: table.header_line,
                header: width,
                rows: *rows,
            });
        }
        Some(_) => {}
    }
    let format = table.format;
    let (header, header_line) = (
        table.header.iter().map(str::to_owned).collect(),
        table.header_line,
    );
    if !is_whole {
        rows.pop(); // cut
        for start in [length / 2, length - PIECE] {
            file.seek(SeekFrom::Start(start & !1))
                .map_err(csv::Error::from)?;
            let mut piece = Vec::new();
            file.by_ref()
                .take(PIECE)
                .read_to_end(&mut piece)
                .map_err(csv::Error::from)?;
            let text = format.encoding.to_ascii_compatible(&piece);
            let first_line = text
                .iter()
                .position(|byte| b"\r\n".contains(byte))
                .unwrap_or(text.len());
            let mut reader = format.records(&text[first_line..]);
            let mut records = Vec::new();
            while reader.read(&mut row).map_err(csv::Error::from)?.is_some() {
                records.extend(
                    (row.len() == width && records.len() * width <= MAX_CELLS)
                        .then(|| shorten(&row)),
                );
            }
            records.pop();
            rows.extend(records);
        }
        if rows.is_empty() {
            return Err(ImportError::LongRow);
        }
    }
    Ok(TableSample {
        format,
        header_line,
        header,
        rows,
    })
}

/// A row whose long cells are cut: what a column holds shows in their beginnings.
fn shorten(row: &csv::ByteRecord) -> csv::StringRecord {
    if row.iter().all(|cell| cell.len() <= MAX_CELL) {
        return decode_record(row);
    }
    let cut = |cell: &str| cell.chars().take(MAX_CELL / 4).collect::<String>();
    decode_record(row)
        .iter()
        .map(|cell| {
            if cell.len() > MAX_CELL {
                cut(cell)
            } else {
                cell.to_owned()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_file_of_many_columns_is_sampled_in_few_rows() {
        let row = |cell: &str| format!("{}\n", vec![cell; 10_000].join(","));
        let text = format!("{}{}", row("Name"), row("1").repeat(150));
        let length = text.len() as u64;
        let sample = read_sample(&mut Cursor::new(text.into_bytes()), length, None).unwrap();
        assert!(
            (1..50).contains(&sample.rows.len()),
            "{}",
            sample.rows.len()
        );
    }

    #[test]
    fn a_large_file_is_sampled_at_its_beginning_middle_and_end() {
        let mut text = String::from("No;Street;Cost\n");
        for n in 0..400_000 {
            text.push_str(&format!(
                "{n};{n} Main Street;1{}\n",
                if n == 399_990 { ",5" } else { "" }
            ));
        }
        let length = text.len() as u64;
        assert!(length > MAX_WHOLE);
        let sample = read_sample(&mut Cursor::new(text.into_bytes()), length, None).unwrap();
        let has = |n: &str| sample.rows.iter().any(|row| &row[0] == n);
        assert!(
            has("0") && has("399990") && sample.rows.len() < 200_000,
            "{}",
            sample.rows.len()
        );
        assert!(
            sample.rows.iter().any(|row| row[0].starts_with("23")),
            "the middle"
        );
    }
}
