//! Signal types as arguments.

use crate::domain::signals::SignalType;
use crate::text;

/// Parses a signal type as people write it: `permit_issued`, `permit-issued` or `Permit issued`. A
/// word that is close to none is left to the service, which may know more types.
pub(super) fn parse_signal_type(typed: &str) -> Result<SignalType, String> {
    let name = typed.trim().to_lowercase().replace([' ', '-'], "_");
    let names: Vec<String> = SignalType::ALL.iter().map(ToString::to_string).collect();
    if names.contains(&name) {
        return Ok(name.as_str().into());
    }
    match text::closest_match(&name, names.iter().map(String::as_str)) {
        Some(near) => Err(format!(
            "there is no such signal type; did you mean {near}?"
        )),
        None => Ok(typed.trim().into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_signal_type_names_the_closest_one() {
        for typed in ["permit_issued", "permit-issued", " Permit Issued"] {
            assert_eq!(parse_signal_type(typed), Ok("permit_issued".into()));
        }
        let error = parse_signal_type("permit_isued").unwrap_err();
        assert_eq!(
            error,
            "there is no such signal type; did you mean permit_issued?"
        );
        let id = "018f4d3a-0000-7000-8000-000000000001";
        assert_eq!(
            parse_signal_type(id),
            Ok(id.into()),
            "an id, or a type of a newer service"
        );
    }
}
