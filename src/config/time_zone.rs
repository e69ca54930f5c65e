//! A time zone as written: `local`, `utc`, or an offset such as `+02:00`.

use chrono::FixedOffset;

/// Parses a time zone; `None` is the one of this machine. The error is a one-line message with
/// examples.
pub fn parse(text: &str) -> Result<Option<FixedOffset>, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "local" => Ok(None),
        "utc" => Ok(FixedOffset::east_opt(0)),
        offset if offset.starts_with(['+', '-']) && offset.len() == 6 => {
            offset.parse().map(Some).map_err(|_| wrong(text))
        }
        _ => Err(wrong(text)),
    }
}

fn wrong(text: &str) -> String {
    format!(
        "\"{text}\" is not a time zone here; write local, utc, or an offset such as +02:00. Names such as Europe/Berlin go into the variable TZ"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_is_that_of_the_machine_or_an_offset() {
        assert_eq!(parse("local"), Ok(None));
        assert_eq!(parse("UTC"), Ok(FixedOffset::east_opt(0)));
        assert_eq!(parse("+02:00"), Ok(FixedOffset::east_opt(7_200)));
        assert_eq!(parse("-05:30"), Ok(FixedOffset::east_opt(-19_800)));
        for wrong in ["", "+2", "+25:00", "Europe/Berlin", "02:00"] {
            assert!(parse(wrong).unwrap_err().contains("TZ"), "{wrong}");
        }
    }
}
