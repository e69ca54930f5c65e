//! Base64 in its two alphabets. It protects nothing.

/// For addresses and names, written without padding.
pub const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// For the content of files, written with padding.
pub const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes without padding.
pub fn encode(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        text.extend(
            (0..=chunk.len())
                .map(|place| char::from(alphabet[(bits >> (18 - 6 * place)) as usize & 63])),
        );
    }
    text
}

/// Decodes a text without padding; `None` if it has another character or ends within one.
pub fn decode(text: &str, alphabet: &[u8; 64]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for chunk in text.as_bytes().chunks(4) {
        let digits = chunk
            .iter()
            .map(|letter| alphabet.iter().position(|known| known == letter))
            .collect::<Option<Vec<_>>>()?;
        if digits.len() == 1 {
            return None;
        }
        let bits = digits
            .iter()
            .fold(0, |bits, digit| bits << 6 | *digit as u32)
            << (6 * (4 - digits.len()));
        bytes.extend(&bits.to_be_bytes()[1..digits.len()]);
    }
    Some(bytes)
}

/// Encodes the content of a file, with padding.
pub fn encode_file(bytes: &[u8]) -> String {
    let text = encode(bytes, STANDARD);
    let padding = (4 - text.len() % 4) % 4;
    text + &"=".repeat(padding)
}

/// Decodes the content of a file: in either alphabet, with or without padding and line breaks.
pub fn decode_file(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let digits = digits.trim_end_matches('=');
    decode(digits, STANDARD).or_else(|| decode(digits, URL_SAFE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_in_every_spelling() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xfb\xff\xfe", "+//+"),
        ] {
            assert_eq!(encode_file(bytes), text);
            assert_eq!(decode_file(text).as_deref(), Some(bytes), "{text}");
            assert_eq!(
                decode_file(text.trim_end_matches('=')).as_deref(),
                Some(bytes),
                "{text}"
            );
        }
        assert_eq!(decode_file("-__-"), decode_file("+//+"));
        assert_eq!(
            decode_file("Zm9v\r\nZm8=\n").as_deref(),
            Some(&b"foofo"[..])
        );
        for wrong in ["Zm9vZ", "Zm 9v!", "Zm=9v"] {
            assert_eq!(decode_file(wrong), None, "{wrong}");
        }
    }
}
