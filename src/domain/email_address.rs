//! Email addresses, as far as they can be checked without sending anything.

const MAX_EMAIL_BYTES: usize = 254;
/// What stands around an address, or between several.
const OUTER_SIGNS: &str = "<>,;:\"()[]\\@";

/// One address, `somebody@somewhere.example`, in lower case. Whether it exists only shows when a
/// mail is sent.
pub fn parse_email(text: &str) -> Option<String> {
    let email = text.trim().to_lowercase();
    let (name, host) = email.split_once('@')?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || OUTER_SIGNS.contains(c);
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_host = host.contains('.') && host.split('.').all(is_label);
    (!name.is_empty() && !name.contains(is_odd) && is_host && email.len() <= MAX_EMAIL_BYTES)
        .then_some(email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_name_and_a_host_with_a_dot() {
        for text in [
            "ana@example.com",
            " O'Neil+bids@Mail.Example.com ",
            "jörg@buecher.example",
            "a.b_c@x-y.co",
        ] {
            assert_eq!(parse_email(text), Some(text.trim().to_lowercase()));
        }
        let long = format!("{}@example.com", "a".repeat(250));
        for text in [
            "",
            "ana",
            "ana@",
            "@example.com",
            "ana@example",
            "ana@.com",
            "ana@example..com",
            "a b@example.com",
            "ana@b@example.com",
        ]
        .into_iter()
        .chain([
            "<ana@example.com>",
            "ana@example.com,ben@example.com",
            &long,
        ]) {
            assert_eq!(parse_email(text), None, "{text:?}");
        }
    }
}
