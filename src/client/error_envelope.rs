//! Turns error responses into one line for a person.

use std::borrow::Cow;

use reqwest::StatusCode;
use serde_json::Value;

use super::connection_state::needs_person;
use crate::domain::refusals;
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};

/// The code of a service that cannot tell whether it applied a write, whatever the status.
const OUTCOME_UNKNOWN: &str = "outcome_unknown";
/// Longest excerpt of the service's own message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// Builds the error from status and body.
pub(super) fn error_from_response(
    host: &str,
    route: &str,
    status: StatusCode,
    body: &str,
    retry_after: Option<std::time::Duration>,
) -> RequestError {
    let json: Option<Value> = serde_json::from_str(body.trim_start_matches('\u{feff}')).ok();
    let error = json.as_ref().and_then(|json| json.get("error"));
    let text = |name| {
        error
            .and_then(|error| error.get(name))
            .and_then(Value::as_str)
            .map(str::trim)
    };
    let said = text("message")
        .or_else(|| error?.as_str())
        .unwrap_or_default();
    let is_invalid = matches!(status.as_u16(), 400 | 422);
    let refusal = ServiceError {
        status: status.as_u16(),
        code: text("code").unwrap_or_default().to_owned(),
        message: json
            .as_ref()
            .map(|json| refusals::explain(said, json, is_invalid && error.is_some()))
            .unwrap_or_default(),
        retry_after,
        request_id: None,
        allowed: json
            .as_ref()
            .map(refusals::find_allowed_values)
            .unwrap_or_default()
            .into(),
    };
    let message = error_message(host, route, status, &refusal, json.as_ref(), body);
    let lost = status.is_server_error()
        || status == StatusCode::REQUEST_TIMEOUT
        || refusal.code == OUTCOME_UNKNOWN;
    RequestError {
        kind: if lost {
            RequestErrorKind::Ambiguous
        } else {
            RequestErrorKind::Rejected(refusal)
        },
        message,
    }
}

/// The error for a request that is not sent because its route is rate limited.
pub(super) fn throttled_error(host: &str, wait: std::time::Duration) -> RequestError {
    let message = format!(
        "rate limited by {host}; try again in {}",
        format_wait(wait.as_secs() + 1)
    );
    let refusal = ServiceError {
        status: 429,
        retry_after: Some(wait),
        ..ServiceError::default()
    };
    RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message,
    }
}

/// An `error` object in a 2xx.
pub(super) fn error_in_success(host: &str, route: &str, body: &str) -> Option<RequestError> {
    let json: Value = serde_json::from_str(body).ok()?;
    json.get("error")?.get("code")?;
    Some(error_from_response(host, route, StatusCode::OK, body, None))
}

/// The limit a service would accept instead of the rejected one, from "limit must be at most 50".
pub(super) fn accepted_limit(failure: &RequestError, refused: u32) -> Option<u32> {
    let is_about_it = matches!(failure.status(), Some(400 | 422))
        && failure.message.to_lowercase().contains("limit");
    let numbers = failure
        .message
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse::<u32>().ok());
    numbers
        .filter(|number| is_about_it && (1..refused).contains(number))
        .max()
}

fn error_message(
    host: &str,
    route: &str,
    status: StatusCode,
    refusal: &ServiceError,
    json: Option<&Value>,
    body: &str,
) -> String {
    let words = if !refusal.message.is_empty() {
        refusal.message.clone()
    } else if !refusal.code.is_empty() {
        refusal.code.replace('_', " ")
    } else if let Some(json) = json {
        if refusals::is_blank(json) {
            String::new()
        } else {
            json.to_string()
        }
    } else if is_html(body) {
        "a web page".to_owned()
    } else {
        body.to_owned()
    };
    let mut words = one_line(&words, MAX_MESSAGE_CHARS).into_owned();
    let is_mute = words.is_empty();
    if is_mute {
        let name = status
            .canonical_reason()
            .map_or_else(String::new, |name| format!(" {name}"));
        words = format!("{host} returned {}{name} without a reason", status.as_str());
    }
    let spoke = json.is_some_and(|json| json.get("error").is_some());
    let wait = |time: std::time::Duration| format_wait(time.as_secs());
    match status.as_u16() {
        401 if needs_person(route) => {
            format!(
                "{host} rejected the token: {words}; favorites need a person's token, not an API key"
            )
        }
        401 if spoke => {
            format!(
                "{host} rejected the token: {words}; check the token, or get a new join code from an owner or admin and run: gantry join"
            )
        }
        401 => format!(
            "{host} rejected the token; check the token, or get a new join code from an owner or admin and run: gantry join"
        ),
        // One code covers plan, membership, role and scope: if the service does not say which, list
        // them all.
        403 if ["plan", "token", "scope", "role", "member", "owner"]
            .iter()
            .any(|cause| words.to_lowercase().contains(cause)) =>
        {
            format!("not allowed: {words}")
        }
        403 if is_mute => format!(
            "{words} (check the workspace's plan, your membership and role, and the key's scopes)"
        ),
        403 => format!(
            "not allowed: {words} (check the workspace's plan, your membership and role, and the key's scopes)"
        ),
        404 if spoke => format!("not found: {words}"),
        404 => format!("{host} has no {route}; check the address, including /api/v1"),
        407 => format!("the proxy to {host} requires a password"),
        429 => match refusal.retry_after {
            Some(time) => format!("{words}; try again in {}", wait(time)),
            None => words,
        },
        511 => format!("a sign-in page answered instead of {host}; sign in to the network first"),
        500..=599 | 408 => {
            let later = refusal
                .retry_after
                .map_or_else(String::new, |time| format!("; try again in {}", wait(time)));
            if is_mute {
                words + &later
            } else {
                format!(
                    "{host} has a server error ({}): {words}{later}",
                    status.as_str()
                )
            }
        }
        _ if is_mute => format!("{words} for {route}"),
        _ if refusal.code == "bad_request" => format!("rejected: {words}"),
        _ if spoke => format!(
            "rejected ({}): {words}",
            if refusal.code.is_empty() {
                status.as_str()
            } else {
                &refusal.code
            }
        ),
        _ => format!("{host} returned {} for {route}: {words}", status.as_str()),
    }
}

pub(super) fn is_html(body: &str) -> bool {
    let start: String = body
        .trim_start_matches('\u{feff}')
        .trim_start()
        .chars()
        .take(15)
        .collect::<String>()
        .to_ascii_lowercase();
    start.starts_with("<!doctype")
        || start.starts_with("<html")
        || start.starts_with("<head")
        || start.starts_with("<body")
}

/// A text on one line, cut to `max` characters.
pub(super) fn one_line(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max && !text.contains(char::is_control) {
        return text.trim().into();
    }
    let mut line: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    if line.chars().count() > max {
        line = line.chars().take(max).collect();
        line.push_str("..");
    }
    line.into()
}

fn format_wait(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5_400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message_for(status: u16, body: &str) -> String {
        error_from_response(
            "signals.example",
            "GET /signals/queue",
            StatusCode::from_u16(status).unwrap(),
            body,
            None,
        )
        .message
    }

    #[test]
    fn an_error_message_repeats_the_services_words_and_says_what_to_do() {
        for (status, body, expected) in [
            (
                403,
                r#"{"error":{"code":"forbidden","message":"Forbidden"}}"#,
                "not allowed: Forbidden (check the workspace's plan",
            ),
            (
                404,
                r#"{"error":{"code":"not_found","message":"No such signal"}}"#,
                "not found: No such signal",
            ),
            (
                404,
                "<html>nginx</html>",
                "signals.example has no GET /signals/queue; check the address",
            ),
            (
                401,
                "",
                "signals.example rejected the token; check the token, or get a new join code from an owner or admin and run: gantry join",
            ),
            (
                502,
                "<html>Bad gateway</html>",
                "signals.example has a server error (502): a web page",
            ),
            (
                500,
                "",
                "signals.example returned 500 Internal Server Error without a reason",
            ),
            (
                418,
                "short\nand stout",
                "signals.example returned 418 for GET /signals/queue: short and stout",
            ),
            (
                409,
                r#"{"error":{"code":"ambiguous_match","message":"Two accounts"}}"#,
                "rejected (ambiguous_match): Two accounts",
            ),
            (
                400,
                r#"{"why":"because"}"#,
                r#"signals.example returned 400 for GET /signals/queue: {"why":"because"}"#,
            ),
        ] {
            let said = message_for(status, body);
            assert!(said.starts_with(expected), "{said}");
            assert!(!said.contains('\n'));
        }
    }

    #[test]
    fn a_rejected_token_of_favorites_is_not_taken_for_an_invalid_one() {
        let body = r#"{"error":{"code":"unauthorized","message":"User token required"}}"#;
        let failure = error_from_response(
            "h",
            "GET /workspace/favorite-views",
            StatusCode::UNAUTHORIZED,
            body,
            None,
        );
        let expected = "h rejected the token: User token required; favorites need a person's token, not an API key";
        assert_eq!(failure.message, expected);
    }

    #[test]
    fn an_error_without_a_reason_is_described_by_its_status() {
        for body in [
            "",
            "  \n",
            "{}",
            "null",
            r#"{"error":{}}"#,
            r#"{"error":null}"#,
            r#"{"error":{"code":"","message":" "}}"#,
        ] {
            for (status, expected) in [
                (
                    400,
                    "signals.example returned 400 Bad Request without a reason for GET /signals/queue",
                ),
                (
                    403,
                    "signals.example returned 403 Forbidden without a reason (check the workspace's plan, your membership and role",
                ),
                (
                    409,
                    "signals.example returned 409 Conflict without a reason",
                ),
                (
                    429,
                    "signals.example returned 429 Too Many Requests without a reason",
                ),
                (
                    503,
                    "signals.example returned 503 Service Unavailable without a reason",
                ),
                (599, "signals.example returned 599 without a reason"),
            ] {
                let said = message_for(status, body);
                assert!(said.starts_with(expected), "{body:?}: {said}");
            }
        }
        let limited = error_from_response(
            "h",
            "r",
            StatusCode::TOO_MANY_REQUESTS,
            "",
            Some(std::time::Duration::from_secs(30)),
        );
        assert_eq!(
            limited.message,
            "h returned 429 Too Many Requests without a reason; try again in 30 s"
        );
        assert_eq!(
            message_for(400, r#"{"error":"city is unknown"}"#),
            "rejected (400): city is unknown"
        );
    }

    #[test]
    fn the_accepted_limit_is_read_from_the_error_message() {
        let limit = |status, message: &str| {
            let body = serde_json::json!({"error": {"code": "bad_request", "message": message}})
                .to_string();
            accepted_limit(
                &error_from_response("h", "r", StatusCode::from_u16(status).unwrap(), &body, None),
                200,
            )
        };
        assert_eq!(limit(400, "limit must be at most 50"), Some(50));
        assert_eq!(
            limit(422, "limit: 200 is too big, it must be between 1 and 100"),
            Some(100)
        );
        assert_eq!(limit(400, "limit must be at most 500"), None, "not smaller");
        assert_eq!(
            limit(400, "at most 50 values"),
            None,
            "about something else"
        );
        assert_eq!(limit(429, "limit of 50 requests"), None);
    }

    #[test]
    fn allowed_values_are_listed_wherever_the_issue_is_in_the_body() {
        for body in [
            r#"{"error":{"code":"bad_request","message":"Invalid","issues":[{"code":"invalid_enum_value","path":["filters","stage","value"],"message":"no such stage","allowed":["approved","permitted"]}]}}"#,
            r#"{"error":{"code":"bad_request","message":"Invalid","details":{"a":[{"code":"invalid_enum_value","path":"filters.stage.value","message":"no such stage","options":["approved","permitted"]}]}}}"#,
        ] {
            assert_eq!(
                message_for(400, body),
                "rejected: Invalid: filters.stage.value no such stage (allowed: approved, permitted)"
            );
        }
    }

    #[test]
    fn an_issue_that_repeats_the_message_is_shown_once() {
        let twice = r#"{"error":{"code":"bad_request","message":"workspace_id: is required in the query",
            "issues":[{"code":"required","path":["workspace_id"],"message":"is required in the query"}]}}"#;
        assert_eq!(
            message_for(400, twice),
            "rejected: workspace_id: is required in the query"
        );
        let more = r#"{"error":{"code":"bad_request","message":"limit is too big",
            "issues":[{"code":"too_big","path":["limit"],"message":"limit is too big, at most 100"}]}}"#;
        assert_eq!(
            message_for(400, more),
            "rejected: limit is too big, at most 100"
        );
    }

    #[test]
    fn an_untrusted_message_becomes_one_short_line() {
        let body = format!(
            r#"{{"error":{{"code":"bad_request","message":"{}\u001b[2J\n"}}}}"#,
            "x".repeat(9_000)
        );
        let said = message_for(400, &body);
        assert!(said.chars().count() < MAX_MESSAGE_CHARS + 50 && !said.contains(char::is_control));
    }

    #[test]
    fn a_client_error_is_final_and_a_server_error_leaves_the_outcome_unknown() {
        let kind = |status| {
            error_from_response("h", "r", StatusCode::from_u16(status).unwrap(), "", None).kind
        };
        for lost in [408, 500, 502, 503, 504] {
            assert_eq!(kind(lost), RequestErrorKind::Ambiguous, "{lost}");
        }
        for known in [400, 401, 403, 404, 409, 413, 415, 422, 429] {
            assert!(
                matches!(kind(known), RequestErrorKind::Rejected(_)),
                "{known}"
            );
        }
        let unsure = r#"{"error":{"code":"outcome_unknown","message":"not confirmed"}}"#;
        for status in [200, 409, 504] {
            let failure = error_from_response(
                "h",
                "r",
                StatusCode::from_u16(status).unwrap(),
                unsure,
                None,
            );
            assert_eq!(
                failure.kind,
                RequestErrorKind::Ambiguous,
                "{status} with the code"
            );
        }
    }
}
