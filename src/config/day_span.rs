//! Hours of the day as written: `18:00-8:00`.

/// Parses two times of the day as minutes after midnight. The error is a one-line message with an
/// example.
pub fn parse(text: &str) -> Result<(u16, u16), String> {
    let wrong = || format!("\"{text}\" are not hours; write them like 18:00-8:00");
    let (from, to) = text.split_once('-').ok_or_else(wrong)?;
    let minute = |time: &str| -> Option<u16> {
        let (hour, minute) = time.trim().split_once(':').unwrap_or((time.trim(), "0"));
        let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    };
    let span = minute(from).zip(minute(to)).ok_or_else(wrong)?;
    if span.0 == span.1 {
        Err(wrong())
    } else {
        Ok(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_two_times_of_the_day() {
        assert_eq!(parse("18:00-8:00"), Ok((1080, 480)));
        assert_eq!(parse(" 22 - 06:30 "), Ok((1320, 390)));
        for wrong in [
            "",
            "18:00",
            "24:00-8:00",
            "8:60-9:00",
            "a-b",
            "-1:00-2:00",
            "8:00-8:00",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
