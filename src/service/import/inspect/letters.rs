//! Letters that no language has together: the file is in another encoding.

/// Whether a letter is beside a sign that stands for another letter in another encoding.
pub fn has_odd_letters(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let is_odd = |c: char| {
        matches!(
            c,
            '\u{80}'
                ..='\u{9f}'
                    | '\u{fffd}'
                    | '³'
                    | '¹'
                    | '¿'
                    | '¶'
                    | '£'
                    | '¥'
                    | '¦'
                    | '¬'
                    | '¯'
                    | '±'
                    | '‚'
                    | '„'
                    | '”'
                    | '¤'
                    | '¢'
                    | '¼'
                    | '½'
                    | '¾'
                    | '§'
        )
    };
    let is_accented = |c: &char| matches!(c, '\u{c0}'..='\u{ff}');
    let is_capital_inside =
        |three: &[char]| three[0].is_lowercase() && three[1].is_uppercase() && is_accented(&three[1]) && three[2].is_lowercase();
    // Latin words have few accents: this is another alphabet
    let letters = chars.iter().filter(|c| c.is_alphabetic()).count();
    let accented = chars.iter().filter(|c| is_accented(c)).count();
    if accented >= 4 && accented * 2 > letters || chars.windows(3).any(is_capital_inside) {
        return true;
    }
    chars.iter().any(|c| matches!(c, '\u{80}'..='\u{9f}' | '\u{fffd}'))
        || chars.windows(3).any(|three| three[0].is_alphabetic() && is_odd(three[1]) && three[2].is_alphabetic())
}
