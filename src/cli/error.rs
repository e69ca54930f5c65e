//! CLI errors: an exit status and a message of one line, or JSON for programs.

use std::io;
use std::process::ExitCode;

use serde_json::{Map, Value};

use crate::config::{CliOptions, ConfigError, describe_token_source, process_env};
use crate::domain::exit_status;
use crate::domain::fuzzy;
use crate::domain::request_error::{RequestError, RequestErrorKind};

use super::print;

/// Why a command failed. The message says what failed and why (in the service's words), the hint
/// what to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CliError {
    pub exit_status: u8,
    /// `None` if there is nothing to print: the output already says it, or nobody reads it.
    pub message: Option<String>,
    hint: Option<String>,
    /// The service's code for the error.
    code: Option<String>,
    /// The service's name for the request that failed.
    request_id: Option<String>,
}

impl CliError {
    pub fn new(status: u8, line: impl Into<String>) -> Self {
        CliError {
            exit_status: status,
            message: Some(line.into()),
            ..CliError::default()
        }
    }

    pub fn usage(line: impl Into<String>) -> Self {
        CliError::new(exit_status::USAGE, line)
    }

    /// What was asked for was rejected, or did not work.
    pub fn failed(why: impl ToString) -> Self {
        CliError::new(exit_status::FAILED, why.to_string())
    }

    pub(super) fn not_found(line: impl Into<String>) -> Self {
        CliError::new(exit_status::NOT_FOUND, line)
    }

    /// A request that cannot be sent as it was asked for.
    pub(super) fn unusable(failure: RequestError) -> Self {
        CliError::from_line(exit_status::USAGE, failure.message)
    }

    /// An error whose line may end with what to do, after a semicolon.
    pub(super) fn from_line(status: u8, line: impl Into<String>) -> Self {
        let is_hint = |tail: &str| !FACTS.iter().any(|fact| tail.starts_with(fact));
        CliError::from_line_with(status, line.into(), is_hint)
    }

    fn from_line_with(status: u8, line: String, is_hint: impl Fn(&str) -> bool) -> Self {
        match line
            .rsplit_once("; ")
            .filter(|(what, tail)| !what.ends_with('?') && is_hint(tail))
        {
            Some((what, hint)) => CliError::new(status, what).with_hint(hint),
            None => CliError::new(status, line),
        }
    }

    /// An error that what was printed already explains.
    pub(super) fn silent(status: u8) -> Self {
        CliError {
            exit_status: status,
            ..CliError::default()
        }
    }

    /// Adds what to do.
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        CliError {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// Says what was probably meant instead, if one of these names is close to the one that was
    /// typed.
    pub(super) fn with_closest<'n>(
        self,
        typed: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        match fuzzy::closest_match(typed, names) {
            Some(name) => self.with_hint(format!("did you mean {name}?")),
            None => self,
        }
    }

    /// Says where the token is that the service rejected.
    pub(super) fn explain_token(self, options: &CliOptions) -> Self {
        let hint = self.hint.map(|hint| locate_token(&hint, options));
        CliError { hint, ..self }
    }

    /// Prints the message to standard error, and returns the exit status.
    pub fn report(self) -> ExitCode {
        match self.to_line() {
            Some(_) if print::reports_json() => print::write_json_error(&self.to_json()),
            Some(line) => print::write_error(&line),
            None => {}
        }
        ExitCode::from(self.exit_status)
    }

    /// Message and hint on one line.
    pub(super) fn to_line(&self) -> Option<String> {
        let message = self.message.as_ref()?;
        Some(match &self.hint {
            None => message.clone(),
            Some(hint) if message.ends_with('?') => {
                let (first, rest) = hint.split_at(hint.chars().next().map_or(0, char::len_utf8));
                format!("{message} {}{rest}", first.to_uppercase())
            }
            Some(hint) => format!("{message}; {hint}"),
        })
    }

    /// `{"error": {"code": …, "message": …}}`, with the hint and the request's id if there are any.
    fn to_json(&self) -> Value {
        let code = self.code.as_deref().unwrap_or(match self.exit_status {
            exit_status::USAGE => "usage",
            exit_status::NOT_ALLOWED => "not_allowed",
            exit_status::NOT_FOUND => "not_found",
            exit_status::UNREACHABLE => "unreachable",
            exit_status::INTERRUPTED => "interrupted",
            _ => "failed",
        });
        let fields = [
            ("code", Some(code)),
            ("message", self.message.as_deref()),
            ("hint", self.hint.as_deref()),
            ("request_id", self.request_id.as_deref()),
        ];
        let fields = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))));
        serde_json::json!({"error": fields.collect::<Map<_, _>>()})
    }
}

/// How what happened begins, where a line could end with what to do.
const FACTS: [&str; 2] = ["nothing ", "whether "];
/// How what to do begins in the line of a request that the service rejected.
const ADVICE_ON_REFUSALS: [&str; 3] = ["check the ", "try again in ", "sign in to "];

impl From<RequestError> for CliError {
    fn from(failure: RequestError) -> Self {
        let status = failure.exit_status();
        match failure.kind {
            // The line has the service's words too.
            RequestErrorKind::Rejected(refusal) => {
                let is_hint = |tail: &str| {
                    ADVICE_ON_REFUSALS
                        .iter()
                        .any(|advice| tail.starts_with(advice))
                };
                CliError {
                    code: Some(refusal.code).filter(|code| !code.is_empty()),
                    request_id: refusal.request_id.map(|id| id.0),
                    ..CliError::from_line_with(status, failure.message, is_hint)
                }
            }
            _ => CliError::from_line(status, failure.message),
        }
    }
}

impl From<crate::store::StoreError> for CliError {
    fn from(error: crate::store::StoreError) -> Self {
        CliError::failed(error)
    }
}

impl From<ConfigError> for CliError {
    fn from(wrong: ConfigError) -> Self {
        CliError::from_line(
            if wrong.is_missing_token {
                exit_status::NOT_ALLOWED
            } else {
                exit_status::USAGE
            },
            wrong.message,
        )
    }
}

impl From<io::Error> for CliError {
    /// A closed standard output is not an error: `gantry queue list | head` ends quietly.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CliError::silent(0);
        }
        CliError::failed(format!("cannot write: {error}"))
    }
}

/// Adds the failed action to an error message.
pub(super) trait Context<T> {
    /// `Err` becomes "cannot `what`: why".
    fn context(self, what: &str) -> Result<T, CliError>;
}

impl<T, E: Into<CliError>> Context<T> for Result<T, E> {
    fn context(self, what: &str) -> Result<T, CliError> {
        self.map_err(|error| {
            let error = error.into();
            let message = error
                .message
                .as_ref()
                .map(|why| format!("cannot {what}: {why}"));
            CliError { message, ..error }
        })
    }
}

/// Adds to the words about a rejected token where it is.
pub fn locate_token(text: &str, options: &CliOptions) -> String {
    let words = "check the token";
    let source = text
        .contains(words)
        .then(|| describe_token_source(options, &process_env));
    match source.flatten() {
        Some(source) => text.replacen(words, &format!("{words} {source}"), 1),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::request_error::{RequestId, ServiceError};

    use super::*;

    #[test]
    fn a_program_reads_code_message_hint_and_request_id() {
        let refusal = ServiceError {
            status: 404,
            code: "view_not_found".to_owned(),
            request_id: Some(Box::new(RequestId("r-7".to_owned()))),
            ..ServiceError::default()
        };
        let failure = RequestError {
            kind: RequestErrorKind::Rejected(refusal),
            message: "not found: no such View".to_owned(),
        };
        let error = Err::<(), _>(failure).context("show the View").unwrap_err();
        let message = "cannot show the View: not found: no such View";
        let expected = serde_json::json!({"error": {"code": "view_not_found", "message": message, "request_id": "r-7"}});
        assert_eq!(
            (error.exit_status, error.to_json()),
            (exit_status::NOT_FOUND, expected)
        );
        for (line, hint) in [
            (
                "others can read the file t; run: chmod 600 t",
                Some("run: chmod 600 t"),
            ),
            ("keys.a: both are bound to d; nothing was changed", None),
            ("no reply; whether it was applied is unknown", None),
            ("is it this?; or that", None),
        ] {
            let error = CliError::from_line(exit_status::USAGE, line);
            assert_eq!(
                (error.hint.as_deref(), error.to_line().as_deref()),
                (hint, Some(line))
            );
        }
        let refused = |message: &str| {
            let kind = RequestErrorKind::Rejected(ServiceError {
                status: 401,
                ..ServiceError::default()
            });
            CliError::from(RequestError {
                kind,
                message: message.to_owned(),
            })
            .hint
        };
        assert_eq!(
            refused("h rejected the token; check the token, or get a new join code from an owner or admin and run: gantry join").as_deref(),
            Some("check the token, or get a new join code from an owner or admin and run: gantry join")
        );
        assert_eq!(
            refused("rejected: no city; no state"),
            None,
            "the service's words"
        );
        let error = CliError::usage("no").with_hint("try again");
        let expected =
            serde_json::json!({"error": {"code": "usage", "message": "no", "hint": "try again"}});
        assert_eq!(
            (error.to_line().as_deref(), error.to_json()),
            (Some("no; try again"), expected)
        );
    }

    #[test]
    fn whoever_reads_that_the_token_is_rejected_reads_where_it_is() {
        let options = CliOptions {
            token_file: Some("desk.token".into()),
            ..CliOptions::default()
        };
        let said = "gantry: h rejected the token; check the token, or get a new join code";
        assert_eq!(
            locate_token(said, &options),
            "gantry: h rejected the token; check the token in desk.token, or get a new join code"
        );
        let other = "gantry: your draft for 1 record is kept";
        assert_eq!(locate_token(other, &options), other);
    }
}
