//! The bytes of a file as UTF-8, or as an encoding that has ASCII separators. UTF-16 is converted
//! while it is read.

use std::io::{self, Read};

use super::code_pages::CodePage;

/// How a file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Encoding {
    #[serde(rename = "UTF-8")]
    Utf8,
    /// Contains ISO-8859-1.
    #[serde(rename = "Windows-1252")]
    Windows1252,
    #[serde(rename = "UTF-16LE")]
    Utf16Le,
    #[serde(rename = "UTF-16BE")]
    Utf16Be,
    /// Never detected: somebody has to say so.
    #[serde(untagged)]
    CodePage(CodePage),
}

impl Encoding {
    /// The encoding of the first bytes of a file, and the length of its mark. Windows-1252 if they
    /// are not UTF-8.
    pub fn detect(head: &[u8]) -> (Encoding, usize) {
        let zeros = |odd: usize| {
            head.iter()
                .skip(odd)
                .step_by(2)
                .take(200)
                .filter(|byte| **byte == 0)
                .count()
        };
        // Latin letters in UTF-16 are every second byte.
        let many = head.len().min(400) / 8;
        match head {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
            _ if many > 0 && zeros(1) > many && zeros(0) == 0 => (Encoding::Utf16Le, 0),
            _ if many > 0 && zeros(0) > many && zeros(1) == 0 => (Encoding::Utf16Be, 0),
            // the last character may be cut
            _ if std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some()) => {
                (Encoding::Windows1252, 0)
            }
            _ => (Encoding::Utf8, 0),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Windows1252 => "Windows-1252",
            Encoding::Utf16Le => "UTF-16LE",
            Encoding::Utf16Be => "UTF-16BE",
            Encoding::CodePage(page) => page.name(),
        }
    }

    pub fn all() -> impl Iterator<Item = Encoding> {
        let pages = CodePage::all().map(Encoding::CodePage);
        [
            Encoding::Utf8,
            Encoding::Windows1252,
            Encoding::Utf16Le,
            Encoding::Utf16Be,
        ]
        .into_iter()
        .chain(pages)
    }

    /// The encoding of a name, however it is written: `Mac Roman`, `iso8859-15`.
    pub fn from_name(name: &str) -> Option<Encoding> {
        let plain = |name: &str| {
            name.to_lowercase()
                .replace(|c: char| !c.is_alphanumeric(), "")
        };
        Encoding::all().find(|encoding| plain(encoding.name()) == plain(name))
    }

    /// How the two bytes of a unit are read, in UTF-16.
    fn unit_reader(self) -> Option<fn([u8; 2]) -> u16> {
        match self {
            Encoding::Utf16Le => Some(u16::from_le_bytes),
            Encoding::Utf16Be => Some(u16::from_be_bytes),
            Encoding::Utf8 | Encoding::Windows1252 | Encoding::CodePage(_) => None,
        }
    }

    /// Text with ASCII separators: UTF-16 and code pages become UTF-8, anything else stays.
    pub fn to_ascii_compatible(self, bytes: &[u8]) -> Vec<u8> {
        if let Encoding::CodePage(page) = self {
            return bytes
                .iter()
                .map(|byte| page.char_of(*byte))
                .collect::<String>()
                .into_bytes();
        }
        let Some(read) = self.unit_reader() else {
            return bytes.to_vec();
        };
        let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
            .into_bytes()
    }
}

/// A file without its mark, in an encoding with ASCII separators.
pub struct TextReader<R> {
    file: R,
    encoding: Encoding,
    read: u64,
    /// Bytes of UTF-16 that are not converted: half a character.
    rest: Vec<u8>,
    /// Converted text that nobody has read.
    text: io::Cursor<Vec<u8>>,
    is_at_start: bool,
}

impl<R: Read> TextReader<R> {
    pub fn new(file: R, encoding: Encoding) -> Self {
        TextReader {
            file,
            encoding,
            read: 0,
            rest: Vec::new(),
            text: io::Cursor::default(),
            is_at_start: true,
        }
    }

    /// How many bytes of the file were read.
    pub fn position(&self) -> u64 {
        self.read
    }

    /// Reads and converts some more. Without more the text is empty.
    fn convert_more(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.rest);
        let kept = bytes.len();
        bytes.resize(kept + (1 << 16), 0);
        let count = self.file.read(&mut bytes[kept..])?;
        self.read += count as u64;
        bytes.truncate(kept + count);
        if self.is_at_start && count > 0 {
            let mark: &[u8] = match self.encoding {
                Encoding::Utf8 => b"\xef\xbb\xbf",
                Encoding::Utf16Le => b"\xff\xfe",
                Encoding::Utf16Be => b"\xfe\xff",
                Encoding::Windows1252 | Encoding::CodePage(_) => b"",
            };
            if bytes.starts_with(mark) {
                bytes.drain(..mark.len());
            }
            self.is_at_start = false;
        }
        if let Some(read) = self.encoding.unit_reader()
            && count > 0
        {
            let mut whole = bytes.len() & !1;
            let is_high = |at: usize| (0xd800..0xdc00).contains(&read([bytes[at], bytes[at + 1]]));
            if whole >= 2 && is_high(whole - 2) {
                whole -= 2;
            }
            self.rest = bytes.split_off(whole);
        }
        self.text = io::Cursor::new(match self.encoding {
            Encoding::Utf8 | Encoding::Windows1252 => bytes,
            _ => self.encoding.to_ascii_compatible(&bytes),
        });
        Ok(())
    }
}

impl<R: Read> Read for TextReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.text.read(buffer)?;
            let before = self.read;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.convert_more()?;
            if self.read == before && self.text.get_ref().is_empty() {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_converted_whatever_the_size_of_the_pieces() {
        struct Pieces<'a>(&'a [u8]);
        impl Read for Pieces<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(3);
                self.0.read(&mut buffer[..count])
            }
        }
        let text = "Straße 🏗 1\r\n\u{20ac}";
        for (encoding, write) in [
            (Encoding::Utf16Le, u16::to_le_bytes as fn(u16) -> [u8; 2]),
            (Encoding::Utf16Be, u16::to_be_bytes),
        ] {
            let bytes: Vec<u8> = format!("\u{feff}{text}")
                .encode_utf16()
                .flat_map(write)
                .collect();
            for pieces in [true, false] {
                let mut read = String::new();
                let file: Box<dyn Read> = if pieces {
                    Box::new(Pieces(&bytes))
                } else {
                    Box::new(bytes.as_slice())
                };
                TextReader::new(file, encoding)
                    .read_to_string(&mut read)
                    .unwrap();
                assert_eq!(read, text);
            }
        }
    }

    #[test]
    fn a_character_cut_at_the_end_of_the_sample_is_still_utf_8() {
        let text = "Straße".as_bytes();
        assert_eq!(Encoding::detect(&text[..5]).0, Encoding::Utf8);
        assert_eq!(Encoding::detect(b"Stra\xdfe 1").0, Encoding::Windows1252);
    }
}
