//! Signal types as arguments.

use super::vocabulary_cache;
use crate::config;
use crate::domain::fuzzy;
use crate::domain::signals::SignalType;

/// Parses a signal type as people write it: `permit_issued`, `permit-issued` or `Permit issued`. A
/// word that is close to none is left to the service, which may know more types.
pub(super) fn parse_signal_type(typed: &str) -> Result<SignalType, String> {
    let name = typed.trim().to_lowercase().replace([' ', '-'], "_");
    let names: Vec<String> = SignalType::ALL.iter().map(ToString::to_string).collect();
    if names.contains(&name) {
        return Ok(name.as_str().into());
    }
    match fuzzy::closest_match(&name, names.iter().map(String::as_str)) {
        Some(near) => Err(format!(
            "there is no such signal type; did you mean {near}?"
        )),
        None => Ok(typed.trim().into()),
    }
}

/// Parses the signal type of a filter, which is refused before anything is sent if it is unknown. The
/// help, which the refusal names, lists the types.
pub(super) fn parse_filter_type(typed: &str) -> Result<SignalType, String> {
    match parse_signal_type(typed)? {
        SignalType::Other(name) if !is_known_to_a_service(&name) => {
            Err("there is no such signal type".to_owned())
        }
        known => Ok(known),
    }
}

/// Whether a service that was used before has told of the type.
fn is_known_to_a_service(name: &str) -> bool {
    let cache = config::Paths::from_env(&config::process_env).cache;
    let known = vocabulary_cache::cached_signal_types(cache.as_deref());
    known.iter().any(|known| known == name)
}

/// The long help of a filter by type.
pub(super) fn filter_help() -> String {
    let names: Vec<&str> = SignalType::ALL.iter().map(SignalType::as_str).collect();
    format!("Only signals of this type: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_by_a_type_that_is_close_to_none_is_refused_and_the_help_lists_the_types() {
        assert_eq!(
            parse_filter_type("nope"),
            Err("there is no such signal type".to_owned())
        );
        assert_eq!(
            parse_filter_type("permit-issued"),
            Ok("permit_issued".into())
        );
        assert!(filter_help().contains("permit_issued"));
    }

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
