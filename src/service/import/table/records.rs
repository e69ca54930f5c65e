//! Splits text into records: separated values with quotes, as spreadsheets and offices write them.
//! A quote that is never closed swallows no rows: its line is read again with the quote as text.
//! The memory is bounded, whatever the file holds.

use std::io::{self, Read};

/// The longest record that is read; the rest of a longer line is passed over.
const MAX_RECORD_BYTES: usize = 4 << 20;
/// How much is read at once.
const BLOCK: usize = 1 << 17;

/// Something odd about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A quote is not closed, or text follows it: the line was read with its quotes as text.
    Quote,
    /// The line is longer than a record may be: it has no fields.
    TooLong,
}

/// Where a record begins, and what is odd about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordStart {
    pub line: u64,
    pub flaw: Option<Flaw>,
}

/// The records of a text in an encoding with ASCII separators.
pub struct RecordReader<R> {
    input: R,
    separator: u8,
    /// What was read; the next record begins at `start`.
    buffer: Vec<u8>,
    start: usize,
    is_at_end: bool,
    line: u64,
    /// How many fields a record has, once that is known.
    width: Option<usize>,
    /// A field without its quotes.
    field: Vec<u8>,
}

/// How quotes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// `""` is a quote within a field.
    Doubled,
    /// `\"` is one as well.
    Backslash,
    /// A quote is text: fields end at the next separator, the record at the next line end.
    None,
}

/// A record that ends within the buffer.
struct Parsed {
    /// The first byte behind it and its line end.
    end: usize,
    /// How many line ends it has, its own included.
    lines: u64,
    /// Every quoted field is closed, and a separator or a line end follows.
    is_well_formed: bool,
}

impl<R: Read> RecordReader<R> {
    pub fn new(input: R, separator: u8) -> RecordReader<R> {
        let (buffer, field) = (Vec::new(), Vec::new());
        RecordReader {
            input,
            separator,
            buffer,
            start: 0,
            is_at_end: false,
            line: 1,
            width: None,
            field,
        }
    }

    pub fn input(&self) -> &R {
        &self.input
    }

    /// The number of fields of the header: a record over several lines that has another may have
    /// swallowed rows.
    pub fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Reads the next record that is not an empty line; `None` at the end.
    pub fn read(&mut self, record: &mut csv::ByteRecord) -> io::Result<Option<RecordStart>> {
        if !self.skip_empty_lines()? {
            return Ok(None);
        }
        let line = self.line;
        let mut flaw = None;
        let parsed = match self.parse_quoted(record)? {
            Some(parsed) => parsed,
            None => match self.parse(Quoting::None, record)? {
                Some(parsed) => {
                    flaw = Some(Flaw::Quote);
                    parsed
                }
                None => {
                    record.clear();
                    self.pass_over_line()?;
                    return Ok(Some(RecordStart {
                        line,
                        flaw: Some(Flaw::TooLong),
                    }));
                }
            },
        };
        self.start = parsed.end;
        self.line += parsed.lines;
        Ok(Some(RecordStart { line, flaw }))
    }

    /// The next record, if its quotes make sense.
    fn parse_quoted(&mut self, record: &mut csv::ByteRecord) -> io::Result<Option<Parsed>> {
        for quoting in [Quoting::Doubled, Quoting::Backslash] {
            let Some(parsed) = self.parse(quoting, record)? else {
                continue;
            };
            if parsed.is_well_formed
                && (parsed.lines < 2 || !self.has_swallowed_rows(record.len())?)
            {
                return Ok(Some(parsed));
            }
        }
        Ok(None)
    }

    /// Whether a record over several lines has another number of fields than the header, while its
    /// second line by itself has just that number.
    fn has_swallowed_rows(&mut self, fields: usize) -> io::Result<bool> {
        let Some(width) = self.width.filter(|width| *width != fields) else {
            return Ok(false);
        };
        let begins = self.start;
        let mut line = csv::ByteRecord::new();
        if let Some(first) = self.parse(Quoting::None, &mut line)? {
            self.start = first.end;
            self.parse(Quoting::Doubled, &mut line)?;
        }
        self.start = begins;
        Ok(line.len() == width)
    }

    /// Parses the next record; `None` if it is longer than a record may be.
    fn parse(
        &mut self,
        quoting: Quoting,
        record: &mut csv::ByteRecord,
    ) -> io::Result<Option<Parsed>> {
        loop {
            if let Some(parsed) = self.parse_buffer(quoting, record) {
                return Ok(Some(parsed));
            }
            if self.buffer.len() - self.start >= MAX_RECORD_BYTES {
                return Ok(None);
            }
            self.read_more()?;
        }
    }

    /// Parses the record at the start of the buffer; `None` if it may go on behind the buffer.
    fn parse_buffer(&mut self, quoting: Quoting, record: &mut csv::ByteRecord) -> Option<Parsed> {
        record.clear();
        let bytes = &self.buffer[self.start..];
        let byte = |at: usize| bytes.get(at).copied();
        let is_break = |byte: u8| byte == b'\n' || byte == b'\r';
        let (mut at, mut lines, mut is_well_formed) = (0, 0, true);
        loop {
            let mut begin = at;
            if quoting != Quoting::None {
                while byte(begin).is_some_and(|byte| byte == b' ' && byte != self.separator) {
                    begin += 1;
                }
            }
            if quoting != Quoting::None && byte(begin) == Some(b'"') {
                at = begin + 1;
                self.field.clear();
                loop {
                    match byte(at) {
                        None if self.is_at_end => {
                            is_well_formed = false;
                            break;
                        }
                        None => return None,
                        Some(b'"') if byte(at + 1) == Some(b'"') => {
                            self.field.push(b'"');
                            at += 2;
                        }
                        Some(b'"') if byte(at + 1).is_none() && !self.is_at_end => return None,
                        Some(b'"') => {
                            at += 1;
                            break;
                        }
                        Some(b'\\')
                            if quoting == Quoting::Backslash && byte(at + 1) == Some(b'"') =>
                        {
                            self.field.push(b'"');
                            at += 2;
                        }
                        Some(other) => {
                            lines += u64::from(
                                other == b'\n' || other == b'\r' && byte(at + 1) != Some(b'\n'),
                            );
                            self.field.push(other);
                            at += 1;
                        }
                    }
                }
                while byte(at).is_some_and(|byte| byte == b' ' && byte != self.separator) {
                    at += 1;
                }
                // text behind the quote belongs to the field, but somebody meant something else
                while byte(at).is_some_and(|byte| byte != self.separator && !is_break(byte)) {
                    is_well_formed = false;
                    self.field.extend(byte(at));
                    at += 1;
                }
                record.push_field(&self.field);
            } else {
                let length = bytes[at..]
                    .iter()
                    .position(|byte| *byte == self.separator || is_break(*byte));
                let end = length.map_or(bytes.len(), |length| at + length);
                record.push_field(&bytes[at..end]);
                at = end;
            }
            match byte(at) {
                Some(separator) if separator == self.separator => at += 1,
                None if !self.is_at_end => return None,
                None => {
                    return Some(Parsed {
                        end: self.start + at,
                        lines: lines + 1,
                        is_well_formed,
                    });
                }
                Some(b'\r') if byte(at + 1).is_none() && !self.is_at_end => return None,
                Some(b'\r') if byte(at + 1) == Some(b'\n') => {
                    return Some(Parsed {
                        end: self.start + at + 2,
                        lines: lines + 1,
                        is_well_formed,
                    });
                }
                Some(_) => {
                    return Some(Parsed {
                        end: self.start + at + 1,
                        lines: lines + 1,
                        is_well_formed,
                    });
                }
            }
        }
    }

    /// Skips empty lines, and returns whether a record follows.
    fn skip_empty_lines(&mut self) -> io::Result<bool> {
        loop {
            match self.buffer.get(self.start) {
                Some(b'\n') => (self.start, self.line) = (self.start + 1, self.line + 1),
                Some(b'\r') if self.start + 1 == self.buffer.len() && !self.is_at_end => {
                    self.read_more()?
                }
                Some(b'\r') => {
                    let length = if self.buffer.get(self.start + 1) == Some(&b'\n') {
                        2
                    } else {
                        1
                    };
                    (self.start, self.line) = (self.start + length, self.line + 1);
                }
                Some(_) => return Ok(true),
                None if self.is_at_end => return Ok(false),
                None => self.read_more()?,
            }
        }
    }

    /// Passes over the rest of the line.
    fn pass_over_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(length) = self.buffer[self.start..]
                .iter()
                .position(|byte| b"\r\n".contains(byte))
            {
                self.start += length;
                return Ok(());
            }
            self.start = self.buffer.len();
            if self.is_at_end {
                return Ok(());
            }
            self.read_more()?;
        }
    }

    /// Reads another block behind the buffer, without what was used of it.
    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + BLOCK.max(kept), 0);
        let count = self.input.read(&mut self.buffer[kept..])?;
        self.buffer.truncate(kept + count);
        self.buffer.shrink_to(2 * MAX_RECORD_BYTES);
        self.is_at_end = count == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives a few bytes at a time.
    struct Pieces<'a>(&'a [u8]);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(3).min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    /// The records with their lines and flaws.
    fn read(text: &str, width: usize) -> Vec<(u64, Vec<String>, Option<Flaw>)> {
        let mut reader = RecordReader::new(Pieces(text.as_bytes()), b',');
        reader.set_width(width);
        let (mut record, mut found) = (csv::ByteRecord::new(), Vec::new());
        while let Some(start) = reader.read(&mut record).unwrap() {
            let fields = record
                .iter()
                .map(|field| String::from_utf8_lossy(field).into_owned())
                .collect();
            found.push((start.line, fields, start.flaw));
        }
        found
    }

    fn lines(text: &str) -> Vec<u64> {
        read(text, 2).into_iter().map(|(line, ..)| line).collect()
    }

    fn fields(text: &str, width: usize) -> Vec<Vec<String>> {
        read(text, width)
            .into_iter()
            .map(|(_, fields, flaw)| (fields, assert_eq!(flaw, None)).0)
            .collect()
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
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn quotes_are_read_as_they_are_written() {
        assert_eq!(fields("1,\"a, b\"\n", 2), [["1", "a, b"]]);
        assert_eq!(
            fields("1, \"a, b\" \n", 2),
            [["1", "a, b"]],
            "spaces around the quotes"
        );
        assert_eq!(fields("1,\"12\"\" deep\"\n", 2), [["1", "12\" deep"]]);
        assert_eq!(
            fields("1,\"the \\\"old\\\" mill\"\n", 2),
            [["1", "the \"old\" mill"]],
            "backslashes"
        );
        assert_eq!(
            fields("1,a \"b\" c\n\"\",\n", 2),
            [["1", "a \"b\" c"], ["", ""]]
        );
        assert_eq!(fields("1,\"a\nb\"\n2,c", 2), [["1", "a\nb"], ["2", "c"]]);
    }

    #[test]
    fn a_quote_that_is_not_closed_swallows_no_rows() {
        let rows = |text: &str| {
            read(text, 3)
                .into_iter()
                .map(|(line, fields, flaw)| (line, fields.join("|"), flaw))
                .collect::<Vec<_>>()
        };
        let plain = |line, text: &str| (line, text.to_owned(), None);
        let odd = |line, text: &str| (line, text.to_owned(), Some(Flaw::Quote));
        assert_eq!(
            rows("1,a,\"Roof 12' deck\n2,b,c\n3,d,e\n"),
            [
                odd(1, "1|a|\"Roof 12' deck"),
                plain(2, "2|b|c"),
                plain(3, "3|d|e")
            ]
        );
        assert_eq!(
            rows("1,a,\"deck\n2,b,\"porch\"\n3,d,\"attic\"\n"),
            [
                odd(1, "1|a|\"deck"),
                plain(2, "2|b|porch"),
                plain(3, "3|d|attic")
            ],
            "the next quote does not close it"
        );
        assert_eq!(
            rows("1,\"a,b\n2,b,c\n3,\"d\",e\n"),
            [odd(1, "1|\"a|b"), plain(2, "2|b|c"), plain(3, "3|d|e")],
            "the fields are too few, and the second line is a row"
        );
        assert_eq!(
            rows("1,\"two\nlines\",c,d,e\n"),
            [plain(1, "1|two\nlines|c|d|e")],
            "fields too many"
        );
    }

    #[test]
    fn a_line_without_end_is_passed_over_in_bounded_memory() {
        let mut text = b"1,a\n2,\"".to_vec();
        text.resize(text.len() + 3 * MAX_RECORD_BYTES, b'x');
        text.extend(b"\n3,c\n");
        let mut reader = RecordReader::new(text.as_slice(), b',');
        let (mut record, mut found) = (csv::ByteRecord::new(), Vec::new());
        while let Some(start) = reader.read(&mut record).unwrap() {
            found.push((start.line, start.flaw, record.len()));
            assert!(
                reader.buffer.capacity() <= 3 * MAX_RECORD_BYTES,
                "{}",
                reader.buffer.capacity()
            );
        }
        assert_eq!(
            found,
            [(1, None, 2), (2, Some(Flaw::TooLong), 0), (3, None, 2)]
        );
    }
}
