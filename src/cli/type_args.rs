//! Signal types as arguments.

use crate::domain::exit_status;
use crate::domain::signals::SignalType;
use crate::text;

use super::error::CliError;

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

/// The long help of a filter by type.
pub(super) fn filter_help() -> String {
    let names: Vec<&str> = SignalType::ALL.iter().map(SignalType::as_str).collect();
    format!("Only signals of this type: {}", names.join(", "))
}

/// Adds to a refusal where the types are listed, if the request named one that gantry does not know.
pub(super) fn explain_types<T>(
    result: Result<T, CliError>,
    named: &[SignalType],
    command: &str,
) -> Result<T, CliError> {
    let is_unknown = |name: &SignalType| matches!(name, SignalType::Other(_));
    let may_be_why = |error: &CliError| {
        matches!(error.exit_status, exit_status::FAILED | exit_status::USAGE)
            && named.iter().any(is_unknown)
    };
    result.map_err(|error| match may_be_why(&error) {
        true => error.with_hint(format!("gantry {command} --help lists the types")),
        false => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_type_that_is_close_to_none_says_where_the_types_are_listed() {
        let refused = || Err::<(), _>(CliError::failed("refused"));
        let explained = |named: &str| {
            let error = explain_types(refused(), &[named.into()], "queue list").unwrap_err();
            error.to_line().unwrap_or_default()
        };
        assert_eq!(
            explained("nope"),
            "refused; gantry queue list --help lists the types"
        );
        assert_eq!(explained("permit_issued"), "refused");
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
