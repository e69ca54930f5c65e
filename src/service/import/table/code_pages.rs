//! Encodings with one byte for each letter: what their upper halves stand for. As the Unicode
//! Consortium's mapping files have them.

const WINDOWS_1250: &str = "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\u{fffd}‘’“”•–—\u{fffd}™š›śťžź\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";
const WINDOWS_1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙı\u{2c6}˜¯˘˙˚¸˝˛ˇ";
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";
/// Where it differs from ISO-8859-1.
const ISO_8859_15: &[(u8, char)] = &[
    (0xa4, '€'),
    (0xa6, 'Š'),
    (0xa8, 'š'),
    (0xb4, 'Ž'),
    (0xb8, 'ž'),
    (0xbc, 'Œ'),
    (0xbd, 'œ'),
    (0xbe, 'Ÿ'),
];

/// An encoding with one byte for each letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CodePage {
    #[serde(rename = "Windows-1250")]
    Windows1250,
    #[serde(rename = "Windows-1251")]
    Windows1251,
    #[serde(rename = "ISO-8859-15")]
    Iso8859x15,
    MacRoman,
    #[serde(rename = "CP850")]
    Cp850,
}

impl CodePage {
    pub const ALL: [CodePage; 5] = [
        CodePage::Windows1250,
        CodePage::Windows1251,
        CodePage::Iso8859x15,
        CodePage::MacRoman,
        CodePage::Cp850,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CodePage::Windows1250 => "Windows-1250",
            CodePage::Windows1251 => "Windows-1251",
            CodePage::Iso8859x15 => "ISO-8859-15",
            CodePage::MacRoman => "MacRoman",
            CodePage::Cp850 => "CP850",
        }
    }

    /// What a byte stands for.
    pub fn char_of(self, byte: u8) -> char {
        let upper = match self {
            _ if byte < 0x80 => return char::from(byte),
            CodePage::Iso8859x15 => {
                let other = ISO_8859_15.iter().find(|(known, _)| *known == byte);
                return other.map_or(char::from(byte), |(_, c)| *c);
            }
            CodePage::Windows1250 => WINDOWS_1250,
            CodePage::Windows1251 => WINDOWS_1251,
            CodePage::MacRoman => MAC_ROMAN,
            CodePage::Cp850 => CP850,
        };
        upper
            .chars()
            .nth(usize::from(byte - 0x80))
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_every_code_page_has_its_letter() {
        for (page, byte, letter) in [
            (CodePage::Windows1250, 0xf8, 'ř'),
            (CodePage::Windows1251, 0xcc, 'М'),
            (CodePage::Iso8859x15, 0xa4, '€'),
            (CodePage::MacRoman, 0x9f, 'ü'),
            (CodePage::Cp850, 0x81, 'ü'),
            (CodePage::Cp850, b'A', 'A'),
        ] {
            assert_eq!(page.char_of(byte), letter, "{page:?}");
        }
        for upper in [WINDOWS_1250, WINDOWS_1251, MAC_ROMAN, CP850] {
            assert_eq!(upper.chars().count(), 128);
        }
    }
}
