//! Letters that no language has together: the file is in another encoding. And which code page
//! makes words of them.
//!
//! Never here: decoding of files.

use super::{Inspection, PermitField, QuestionSubject, TableSample};
use crate::domain::list_import::windows_1252_char;
use crate::service::import::table::{CodePage, Encoding};

/// Signs that stand for a letter in another encoding if they are between letters.
const SIGNS: &str = "³¹¿¶£¥¦¬¯±‚„”¤¢¼½¾§ƒ";
/// Signs that are written for an apostrophe or by mistake, but not by a whole file.
const RARE_SIGNS: &str = "¨´¸°˙˛˝ˇ˘";

/// How many cells with odd letters a code page has to explain.
const MAX_ODD_CELLS: usize = 50;

impl Inspection {
    /// Letters that no language has together: the file is in an encoding that is not known.
    pub(super) fn check_text(&mut self, sample: &TableSample) {
        let used = |at: usize| self.columns[at].field != PermitField::Nothing;
        let cells = sample
            .rows
            .iter()
            .flat_map(|row| row.iter().enumerate())
            .filter(|(at, _)| *at < self.columns.len() && used(*at));
        let cells = cells
            .map(|(_, cell)| cell)
            .chain(sample.header.iter().map(String::as_str));
        let odd: Vec<&str> = cells
            .filter(|cell| has_odd_letters(cell))
            .take(MAX_ODD_CELLS)
            .collect();
        let Some(first) = odd.first() else { return };
        let shown = |cell: &str| -> String {
            let plain = cell
                .chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c });
            format!("\"{}\"", plain.take(40).collect::<String>())
        };
        let text = format!(
            "the encoding is not {}: {} is garbled",
            self.format.encoding.name(),
            shown(first)
        );
        let pages = match self.format.encoding {
            Encoding::Windows1252 => possible_pages(&odd),
            _ => Vec::new(),
        };
        let readings: Vec<String> = pages
            .iter()
            .map(|page| format!("{} in {}", shown(&read_as(first, *page)), page.name()))
            .collect();
        let names: Vec<&str> = pages.iter().map(|page| page.name()).collect();
        let as_it_is = format!(
            "--encoding {} if its letters are right as they are",
            self.format.encoding.name()
        );
        let (text, answer) = match pages.is_empty() {
            true => (
                text,
                format!("a file that was saved as UTF-8, or {as_it_is}"),
            ),
            false => (
                format!("{text}; it is {}", readings.join(", ")),
                format!("--encoding {}, or {as_it_is}", names.join(" or ")),
            ),
        };
        self.ask(QuestionSubject::Encoding, text, answer);
    }
}

/// Whether a letter is beside a sign that stands for another letter in another encoding.
fn has_odd_letters(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    // C1 controls, mathematics, boxes
    let is_never =
        |c: char| matches!(c, '\u{80}'..='\u{9f}' | '\u{fffd}' | '\u{2200}'..='\u{25ff}');
    let is_accented = |c: &char| matches!(c, '\u{c0}'..='\u{ff}');
    let is_capital_inside = |three: &[char]| {
        three[0].is_lowercase()
            && three[1].is_uppercase()
            && is_accented(&three[1])
            && three[2].is_lowercase()
    };
    // Latin words have few accents: this is another alphabet
    let letters = chars.iter().filter(|c| c.is_alphabetic()).count();
    let accented = chars.iter().filter(|c| is_accented(c)).count();
    let is_encoded = |code: &str| text.contains(code) && !text.contains(' ');
    let mut words = text.split('+');
    let number = words.next().unwrap_or_default();
    let is_address_in_a_url = !text.contains(' ')
        && words.count() >= 2
        && !number.is_empty()
        && number.bytes().all(|c| c.is_ascii_digit());
    is_address_in_a_url
        || ["%20", "%2F", "%26"].into_iter().any(is_encoded)
        || accented >= 4 && accented * 2 > letters
        || chars.iter().any(|c| is_never(*c))
        || chars.windows(3).any(is_capital_inside)
        || chars.windows(3).any(|three| {
            three[0].is_alphabetic() && SIGNS.contains(three[1]) && three[2].is_alphabetic()
        })
}

/// A text that was read as Windows-1252, in a code page.
fn read_as(text: &str, page: CodePage) -> String {
    let byte = |c: char| (0..=u8::MAX).find(|byte| windows_1252_char(*byte) == c);
    text.chars()
        .map(|c| byte(c).map_or(c, |byte| page.char_of(byte)))
        .collect()
}

/// The code pages in which these texts, read as Windows-1252, are words of one alphabet.
fn possible_pages(texts: &[&str]) -> Vec<CodePage> {
    let alphabet = |c: char| match c {
        '\u{370}'..='\u{3ff}' => "Greek",
        '\u{400}'..='\u{4ff}' => "Cyrillic",
        _ => "Latin",
    };
    let is_rare = |two: &[char]| {
        let is_mixed = || two[1].is_alphabetic() && alphabet(two[0]) != alphabet(two[1]);
        two[0].is_alphabetic() && (RARE_SIGNS.contains(two[1]) || is_mixed())
    };
    let fits = |page: &CodePage| {
        texts.iter().map(|text| read_as(text, *page)).all(|text| {
            let chars: Vec<char> = text.chars().collect();
            !has_odd_letters(&text) && !chars.windows(2).any(is_rare)
        })
    };
    CodePage::all().filter(fits).collect()
}
