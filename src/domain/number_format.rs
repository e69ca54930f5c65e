//! Numbers as people read them, wherever a text contains one.

/// A number's digits in groups of three: `1,234,567`. A sign before the digits stays.
pub fn group_digits(number: &str) -> String {
    let sign_length = usize::from(number.starts_with('-'));
    let mut out = String::with_capacity(number.len() + number.len() / 3);
    for (at, digit) in number.char_indices() {
        if at > sign_length && (number.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_in_threes_and_a_sign_is_not_a_digit() {
        for (number, grouped) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567", "-1,234,567"),
            ("-100", "-100"),
        ] {
            assert_eq!(group_digits(number), grouped);
        }
    }
}
