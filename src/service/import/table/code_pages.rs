//! Encodings with one byte for each letter: what their upper halves stand for. As the Unicode
//! Consortium's mapping files have them.

const WINDOWS_1250: &str = "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\u{fffd}‘’“”•–—\u{fffd}™š›śťžź\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";
const WINDOWS_1251: &str = "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя";
const WINDOWS_1253: &str = "€\u{fffd}‚ƒ„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{a0}΅Ά£¤¥¦§¨©\u{fffd}«¬\u{ad}®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{fffd}ΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{fffd}";
const WINDOWS_1254: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}\u{fffd}\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}\u{fffd}Ÿ\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ";
const WINDOWS_1257: &str = "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}¨ˇ¸\u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}¯˛\u{fffd}\u{a0}\u{fffd}¢£¤\u{fffd}¦§Ø©Ŗ«¬\u{ad}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙";
const ISO_8859_2: &str = "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙";
const ISO_8859_15: &str = "\u{80}\u{81}\u{82}\u{83}\u{84}\u{85}\u{86}\u{87}\u{88}\u{89}\u{8a}\u{8b}\u{8c}\u{8d}\u{8e}\u{8f}\u{90}\u{91}\u{92}\u{93}\u{94}\u{95}\u{96}\u{97}\u{98}\u{99}\u{9a}\u{9b}\u{9c}\u{9d}\u{9e}\u{9f}\u{a0}¡¢£€¥Š§š©ª«¬\u{ad}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";
const MAC_ROMAN: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙı\u{2c6}˜¯˘˙˚¸˝˛ˇ";
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// An encoding with one byte for each letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CodePage {
    #[serde(rename = "Windows-1250")]
    Windows1250,
    #[serde(rename = "Windows-1251")]
    Windows1251,
    #[serde(rename = "Windows-1253")]
    Windows1253,
    #[serde(rename = "Windows-1254")]
    Windows1254,
    #[serde(rename = "Windows-1257")]
    Windows1257,
    #[serde(rename = "ISO-8859-2")]
    Iso8859x2,
    #[serde(rename = "ISO-8859-15")]
    Iso8859x15,
    MacRoman,
    #[serde(rename = "CP850")]
    Cp850,
}

/// The code pages, with their names and what their upper halves stand for.
const CODE_PAGES: [(CodePage, &str, &str); 9] = [
    (CodePage::Windows1250, "Windows-1250", WINDOWS_1250),
    (CodePage::Windows1251, "Windows-1251", WINDOWS_1251),
    (CodePage::Windows1253, "Windows-1253", WINDOWS_1253),
    (CodePage::Windows1254, "Windows-1254", WINDOWS_1254),
    (CodePage::Windows1257, "Windows-1257", WINDOWS_1257),
    (CodePage::Iso8859x2, "ISO-8859-2", ISO_8859_2),
    (CodePage::Iso8859x15, "ISO-8859-15", ISO_8859_15),
    (CodePage::MacRoman, "MacRoman", MAC_ROMAN),
    (CodePage::Cp850, "CP850", CP850),
];

impl CodePage {
    pub fn all() -> impl Iterator<Item = CodePage> {
        CODE_PAGES.into_iter().map(|(page, ..)| page)
    }

    pub fn name(self) -> &'static str {
        CODE_PAGES[self as usize].1
    }

    /// What a byte stands for.
    pub fn char_of(self, byte: u8) -> char {
        let Some(at) = byte.checked_sub(0x80) else {
            return char::from(byte);
        };
        CODE_PAGES[self as usize]
            .2
            .chars()
            .nth(usize::from(at))
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
            (CodePage::Windows1253, 0xd9, 'Ω'),
            (CodePage::Windows1254, 0xfe, 'ş'),
            (CodePage::Windows1257, 0xeb, 'ė'),
            (CodePage::Iso8859x2, 0xb3, 'ł'),
            (CodePage::Iso8859x15, 0xa4, '€'),
            (CodePage::MacRoman, 0x9f, 'ü'),
            (CodePage::Cp850, 0x81, 'ü'),
            (CodePage::Cp850, b'A', 'A'),
        ] {
            assert_eq!(page.char_of(byte), letter, "{page:?}");
        }
        for (at, (page, name, upper)) in CODE_PAGES.into_iter().enumerate() {
            assert_eq!((page as usize, upper.chars().count()), (at, 128), "{name}");
        }
    }
}
