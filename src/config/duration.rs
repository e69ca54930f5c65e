//! Human-readable durations: `500ms`, `30s`, `5m`, `2h`.

use std::time::Duration;

/// Parses a duration: a number and one of `ms`, `s`, `m`, `h`; a bare number is seconds. The error
/// is a one-line message with examples.
pub fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let wrong = || format!("\"{text}\" is not a duration; write it like 500ms, 30s, 5m or 2h");
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let millis = match unit.trim() {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1_000),
        "m" | "min" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => return Err(wrong()),
    };
    millis.map(Duration::from_millis).ok_or_else(wrong)
}

/// Parses an interval: a duration, or `off`, which is zero.
pub fn parse_interval(text: &str) -> Result<Duration, String> {
    if text.trim() == "off" {
        Ok(Duration::ZERO)
    } else {
        parse(text)
    }
}

/// Parses how long to wait for the terminal.
pub fn parse_timeout(text: &str) -> Result<Duration, String> {
    let limits = Duration::from_millis(10)..=Duration::from_secs(5);
    let timeout = parse(text)?;
    if limits.contains(&timeout) {
        Ok(timeout)
    } else {
        Err(format!("\"{text}\" must be between 10ms and 5s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed_in_everyday_notation() {
        for (text, millis) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("30", 30_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            (" 1 s ", 1_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(parse_interval("off"), Ok(Duration::ZERO));
        assert_eq!(parse_timeout("150ms"), Ok(Duration::from_millis(150)));
        for wrong in ["9ms", "6s", "off"] {
            assert!(parse_timeout(wrong).is_err(), "{wrong}");
        }
        for wrong in ["off", "", "s", "-1s", "1.5s", "5d", "99999999999999999999h"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
