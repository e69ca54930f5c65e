//! Line numbers while a file is read. Needed because the CSV reader counts one line too few after CR LF.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};

/// A reader that knows the line numbers of the bytes it read recently.
pub struct LineTrackingReader<R> {
    file: R,
    read: u64,
    line: u64,
    /// Whether the last byte was a CR, and whether the current line is still empty.
    after_cr: bool,
    at_start: bool,
    /// Where non-empty lines begin, with their numbers.
    starts: RefCell<VecDeque<(u64, u64)>>,
}

impl<R> LineTrackingReader<R> {
    /// Starts at the beginning of a file.
    pub fn new(file: R) -> Self {
        LineTrackingReader { file, read: 0, line: 1, after_cr: false, at_start: true, starts: RefCell::default() }
    }

    pub fn get_ref(&self) -> &R {
        &self.file
    }

    /// The line of the record that begins at this byte, or after empty lines that begin there; 0 if it is unknown. Call it in the
    /// order of the records.
    pub fn line_at(&self, byte: u64) -> u64 {
        let mut starts = self.starts.borrow_mut();
        while starts.front().is_some_and(|(start, _)| *start < byte) {
            starts.pop_front();
        }
        starts.front().map_or(0, |(_, line)| *line)
    }
}

impl<R: Read> Read for LineTrackingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let starts = self.starts.get_mut();
        for (at, byte) in buffer[..count].iter().enumerate() {
            match byte {
                b'\n' if self.after_cr => {}
                b'\r' | b'\n' => (self.line, self.at_start) = (self.line + 1, true),
                _ if self.at_start => {
                    starts.push_back((self.read + at as u64, self.line));
                    self.at_start = false;
                }
                _ => {}
            }
            self.after_cr = *byte == b'\r';
        }
        self.read += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line numbers of the records, read a few bytes at a time.
    fn record_lines(text: &str) -> Vec<u64> {
        let file = LineTrackingReader::new(text.as_bytes());
        let mut csv = csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(5).from_reader(file);
        let (mut record, mut found) = (csv::ByteRecord::new(), Vec::new());
        while csv.read_byte_record(&mut record).unwrap() {
            found.push(csv.get_ref().line_at(record.position().unwrap().byte()));
        }
        found
    }

    #[test]
    fn a_record_has_the_line_number_of_its_start_for_any_line_ending() {
        for (text, expected) in [
            ("a,b\n1,2\n3,4\n", vec![1, 2, 3]),
            ("a,b\r\n1,2\r\n3,4\r\n", vec![1, 2, 3]),
            ("a,b\r1,2\r3,4\r", vec![1, 2, 3]),
            ("a,b\r\n\"1\r\nand more\",2\r\n3,4\r\n5,6", vec![1, 2, 4, 5]),
            ("a,b\n\"1\nand\n\nmore\",2\n3,4\n", vec![1, 2, 6]),
            ("a,b\r\n\r\n\r\n1,2\r\n\n3,4", vec![1, 4, 6]),
            ("\u{feff}a,b\r\n1,2\r\n", vec![1, 2]),
        ] {
            assert_eq!(record_lines(text), expected, "{text:?}");
        }
    }
}
