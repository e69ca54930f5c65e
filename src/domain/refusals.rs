//! What a service says about a request that it rejects: its sentence, the fields it objects to, and
//! the values it accepts.
//!
//! The interface names the issues of a validation error but shows neither their place nor their
//! shape, so they are found by what they say: in a list of issues, in a list of errors that point
//! to a field, or in objects nested like the request.

use serde_json::{Map, Value};

use super::aliased_fields::names_match;

/// Most issues, and most accepted values of one of them, that are listed.
const MAX_LISTED: usize = 12;

/// Names that hold issues and are not part of a field's path.
const CONTAINERS: &[&str] = &[
    "error",
    "details",
    "detail",
    "causes",
    "cause",
    "union_errors",
];
/// The same, where a text is an issue too.
const TEXT_CONTAINERS: &[&str] = &[
    "errors",
    "_errors",
    "issues",
    "messages",
    "violations",
    "validation",
    "validation_errors",
    "field_errors",
    "form_errors",
    "field_violations",
    "invalid_params",
];
/// Names of the field that an issue is about.
const PATHS: &[&str] = &[
    "path",
    "field",
    "pointer",
    "loc",
    "instance_path",
    "parameter",
    "param",
    "property",
];
/// Names of the sentence.
const SENTENCES: &[&str] = &[
    "message",
    "detail",
    "msg",
    "reason",
    "description",
    "default_message",
    "_errors",
    "errors",
    "messages",
    "title",
];
/// Names of what is wrong, in a word.
const CODES: &[&str] = &["code", "keyword", "rule", "constraint"];
/// Names of the accepted values.
const ALLOWED: &[&str] = &[
    "allowed",
    "allowed_values",
    "options",
    "values",
    "expected",
    "accepted",
    "accepted_values",
    "valid_values",
    "choices",
    "enum",
];
/// Parts of an issue that say more about it.
const PARTS: &[&str] = &["source", "meta", "params", "ctx", "context"];
/// Parts of the envelope that are no issue.
const ENVELOPE: &[&str] = &[
    "code",
    "message",
    "status",
    "request_id",
    "trace_id",
    "timestamp",
    "type",
];

/// The service's sentence with what its issues add to it. What an invalid request gets in an
/// unknown shape is repeated as it is, so that it is not lost.
pub fn explain(sentence: &str, body: &Value, is_invalid: bool) -> String {
    let said = letters(sentence);
    let mut added: Vec<String> = Vec::new();
    for issue in find_issues(body) {
        let text = issue.to_string();
        if !said.contains(&letters(&text)) && !added.contains(&text) {
            added.push(text);
        }
    }
    if added.is_empty() && is_invalid && find_issues(body).is_empty() {
        added.extend(unread_details(body));
    }
    match added.join("; ") {
        nothing if nothing.is_empty() => sentence.to_owned(),
        // An issue repeats the sentence.
        issues if added.iter().any(|issue| letters(issue).contains(&said)) => issues,
        issues => format!("{sentence}: {issues}"),
    }
}

/// The first list of accepted values.
pub fn find_allowed_values(body: &Value) -> Vec<String> {
    let mut lists = find_issues(body).into_iter().map(|issue| issue.allowed);
    lists
        .find(|allowed| !allowed.is_empty())
        .unwrap_or_default()
        .into_iter()
        .take(MAX_LISTED)
        .collect()
}

/// JSON without any text in it: `{}`, `{"error": {"message": ""}}`.
pub fn is_blank(json: &Value) -> bool {
    match json {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(fields) => fields.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What an error says besides its code and its message.
fn unread_details(body: &Value) -> Option<String> {
    let error = body.get("error").unwrap_or(body).as_object()?;
    let rest = error
        .iter()
        .filter(|(name, value)| !is_named(name, ENVELOPE) && !is_blank(value));
    let rest: Map<_, _> = rest
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!rest.is_empty()).then(|| Value::Object(rest).to_string())
}

/// An objection to a request.
#[derive(Debug, Default)]
struct Issue {
    /// The field, outermost name first; empty if the service does not say which.
    path: Vec<String>,
    /// Why, in the service's words.
    sentence: String,
    /// The accepted values, where they are listed.
    allowed: Vec<String>,
}

impl std::fmt::Display for Issue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (path, said) = (self.path.join("."), letters(&self.sentence));
        let named = if said.starts_with(&letters(&path)) {
            ""
        } else {
            path.as_str()
        };
        let is_listed = self
            .allowed
            .iter()
            .all(|value| said.contains(&letters(value)));
        let more = if self.allowed.len() > MAX_LISTED {
            ", .."
        } else {
            ""
        };
        let allowed = self
            .allowed
            .iter()
            .take(MAX_LISTED)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let allowed = if is_listed {
            String::new()
        } else {
            format!("(allowed: {allowed}{more})")
        };
        let parts = [named, self.sentence.as_str(), allowed.as_str()];
        f.write_str(
            &parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
        )
    }
}

fn find_issues(body: &Value) -> Vec<Issue> {
    let mut issues = Vec::new();
    collect_issues(body, &[], Place::Envelope, &mut issues);
    issues
}

/// Where a value is in an error body.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The body, or its `error`: an issue only if it names a field or values.
    Envelope,
    Details,
    /// A text is an issue.
    Texts,
}

fn collect_issues(value: &Value, path: &[String], place: Place, issues: &mut Vec<Issue>) {
    match value {
        _ if issues.len() >= MAX_LISTED => {}
        Value::Object(fields) => {
            let issue = read_issue(fields, path, place);
            let is_issue = issue.is_some();
            issues.extend(issue);
            for (name, value) in fields {
                let is_text_container = is_named(name, TEXT_CONTAINERS);
                let place = match place {
                    Place::Envelope if name == "error" => Place::Envelope,
                    _ if is_text_container && !is_issue => Place::Texts,
                    Place::Texts if !is_issue => Place::Texts,
                    _ => Place::Details,
                };
                if is_text_container || is_named(name, CONTAINERS) {
                    collect_issues(value, path, place, issues);
                } else if !(is_issue && is_named(name, PARTS)) {
                    collect_issues(
                        value,
                        &[path, std::slice::from_ref(name)].concat(),
                        place,
                        issues,
                    );
                }
            }
        }
        Value::Array(items) => {
            let place = if place == Place::Envelope {
                Place::Details
            } else {
                place
            };
            items
                .iter()
                .for_each(|item| collect_issues(item, path, place, issues));
        }
        Value::String(text) if place == Place::Texts && !text.trim().is_empty() => {
            issues.push(Issue {
                path: path.to_vec(),
                sentence: to_words(text),
                allowed: Vec::new(),
            });
        }
        _ => {}
    }
}

/// The issue that an object is, if it is one: it names a field, lists accepted values, has errors
/// of its own, or has a code.
fn read_issue(fields: &Map<String, Value>, path: &[String], place: Place) -> Option<Issue> {
    let parts = || {
        fields
            .iter()
            .filter(|(name, _)| is_named(name, PARTS))
            .filter_map(|(_, part)| part.as_object())
    };
    // The path of an envelope may be that of the request.
    let is_path = |path: &&Value| {
        place != Place::Envelope || !path.as_str().is_some_and(|path| path.starts_with('/'))
    };
    let own_path = std::iter::once(fields)
        .chain(parts())
        .find_map(|part| read_path(get_named(part, PATHS).filter(is_path)?));
    let allowed = std::iter::once(fields)
        .chain(parts())
        .find_map(|part| read_values(get_named(part, ALLOWED)?));
    let errors = fields.get("_errors").and_then(read_sentence);
    let message = get_named(fields, &["message", "msg"]).and_then(read_sentence);
    let code = get_named(fields, CODES)
        .and_then(Value::as_str)
        .map(to_words);
    let is_issue = own_path.is_some()
        || allowed.is_some()
        || errors.is_some()
        || place != Place::Envelope && code.is_some()
        || place == Place::Texts && message.is_some();
    let sentence = SENTENCES
        .iter()
        .find_map(|name| read_sentence(get_named(fields, &[name])?));
    is_issue.then(|| Issue {
        path: own_path.unwrap_or_else(|| path.to_vec()),
        sentence: sentence.or(code).unwrap_or_default(),
        allowed: allowed.unwrap_or_default(),
    })
}

/// A path as a list of names, a JSON pointer or a text.
fn read_path(value: &Value) -> Option<Vec<String>> {
    let names: Vec<String> = match value {
        Value::Array(parts) => parts.iter().map(plain_text).collect(),
        Value::String(text) if text.trim_start_matches('#').starts_with('/') => {
            text.split('/').map(str::to_owned).collect()
        }
        Value::String(text) => vec![text.clone()],
        _ => return None,
    };
    let is_part = |name: &String| !matches!(name.as_str(), "" | "#" | "body");
    Some(names.into_iter().filter(is_part).collect()).filter(|names: &Vec<_>| !names.is_empty())
}

/// Accepted values: a list of them, of objects that name them, or `'approved' | 'permitted'`.
fn read_values(value: &Value) -> Option<Vec<String>> {
    let values: Vec<String> = match value {
        Value::Array(items) => {
            let name = |item: &Value| {
                ["value", "id", "name"]
                    .iter()
                    .find_map(|name| item.get(name).map(plain_text))
            };
            items
                .iter()
                .map(|item| name(item).unwrap_or_else(|| plain_text(item)))
                .collect()
        }
        Value::String(text) if text.contains('|') => text
            .split('|')
            .map(|value| value.trim_matches([' ', '\'', '"']).to_owned())
            .collect(),
        _ => return None,
    };
    Some(values).filter(|values| !values.is_empty())
}

/// A sentence, or several.
fn read_sentence(value: &Value) -> Option<String> {
    let texts: Vec<String> = match value {
        Value::String(text) => vec![to_words(text)],
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .map(to_words)
            .collect(),
        _ => return None,
    };
    Some(texts.join("; ")).filter(|text| !text.is_empty())
}

/// A code as words: `invalid_enum_value` is an invalid enum value.
fn to_words(text: &str) -> String {
    let text = text.trim();
    if text.contains(char::is_whitespace) {
        text.to_owned()
    } else {
        text.replace('_', " ")
    }
}

fn get_named<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| {
        fields
            .iter()
            .find(|(sent, _)| names_match(sent, name))
            .map(|(_, value)| value)
    })
}

fn is_named(sent: &str, names: &[&str]) -> bool {
    names.iter().any(|name| names_match(sent, name))
}

fn plain_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A text reduced to what is compared to avoid repeating it.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_issue_names_its_field_and_the_values_in_whatever_shape_it_is_sent() {
        let values = json!(["approved", "permitted"]);
        let error = |more: Value| {
            let mut error = json!({"code": "bad_request", "message": "Invalid"});
            error
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            json!({ "error": error })
        };
        let issue = json!({"code": "invalid_enum_value", "path": ["filters", "stage", "value"], "message": "no such stage",
            "allowed": values});
        let nested = json!({"_errors": [], "filters": {"_errors": [], "stage": {"value": {"_errors": ["no such stage"],
            "expected": values}}}});
        let pointing = json!([{"status": "400", "source": {"pointer": "/filters/stage/value"}, "title": "Invalid",
            "detail": "no such stage", "meta": {"allowed_values": values}}]);
        for body in [
            error(json!({"issues": [issue]})),
            error(json!({"details": [issue]})),
            error(
                json!({"details": {"a": [{"code": "x", "path": "filters.stage.value", "message": "no such stage", "options": values}]}}),
            ),
            error(json!({ "details": nested })),
            error(
                json!({"details": {"filters": {"stage": {"value": {"_errors": [
                {"code": "invalid_enum_value", "message": "no such stage", "expected": values}]}}}}}),
            ),
            error(
                json!({"path": "filters.stage.value", "details": "no such stage", "message": "no such stage", "allowed": values}),
            ),
            error(json!({ "errors": pointing })),
            json!({"error": {"code": "bad_request", "message": "Invalid"}, "errors": pointing}),
            error(
                json!({"errors": {"filters": {"stage": {"value": {"message": "no such stage", "allowedValues": values}}}}}),
            ),
            error(
                json!({"detail": [{"loc": ["body", "filters", "stage", "value"], "msg": "no such stage", "ctx": {"expected": values}}]}),
            ),
            error(
                json!({"details": [{"instancePath": "/filters/stage/value", "keyword": "enum", "message": "no such stage",
                "params": {"allowedValues": values}}]}),
            ),
            error(
                json!({"fieldViolations": [{"field": "filters.stage.value", "description": "no such stage",
                "expected": "'approved' | 'permitted'"}]}),
            ),
        ] {
            let expected = "filters.stage.value no such stage (allowed: approved, permitted)";
            let explained = explain(body["error"]["message"].as_str().unwrap(), &body, true);
            assert!(
                explained == expected || explained == format!("Invalid: {expected}"),
                "{body}: {explained}"
            );
            assert_eq!(
                find_allowed_values(&body),
                ["approved", "permitted"],
                "{body}"
            );
        }
    }

    #[test]
    fn texts_by_field_are_issues_and_each_is_shown_once() {
        let explained = |more: Value| {
            explain(
                "Invalid",
                &json!({"error": {"message": "Invalid", "errors": more}}),
                true,
            )
        };
        assert_eq!(
            explained(json!({"stage": ["is not a stage"], "limit": "is too big"})),
            "Invalid: limit is too big; stage is not a stage"
        );
        assert_eq!(
            explained(json!(["stage is not a stage"])),
            "Invalid: stage is not a stage"
        );
        assert_eq!(
            explained(json!({"stage": {"_errors": ["invalid_enum_value"]}})),
            "stage invalid enum value"
        );
        let twice = json!([{"field": "limit", "message": "Invalid"}, {"field": "limit", "message": "Invalid"}]);
        assert_eq!(explained(twice), "limit Invalid");
        let listed = json!([{"field": "stage", "message": "stage must be approved or permitted", "allowed": ["approved", "permitted"]}]);
        assert_eq!(
            explained(listed),
            "Invalid: stage must be approved or permitted"
        );
    }

    #[test]
    fn an_unknown_shape_is_repeated_and_the_envelope_is_not_an_issue() {
        let body = json!({"error": {"code": "bad_request", "message": "Invalid", "hint": {"try": "approved"}, "request_id": "r1"}});
        assert_eq!(
            explain("Invalid", &body, true),
            r#"Invalid: {"hint":{"try":"approved"}}"#
        );
        assert_eq!(explain("Invalid", &body, false), "Invalid");
        for plain in [
            json!({"error": {"code": "credit_limit_exceeded", "message": "Invalid", "details": {"limit": 5, "used": 5, "unit": "credits"}}}),
            json!({"error": {"code": "bad_request", "message": "Invalid", "details": {}, "request_id": "r1"}}),
            json!({"code": "bad_request", "message": "Invalid"}),
            json!({"status": 400, "error": "Bad Request", "message": "Invalid", "path": "/api/v1/data/projects/search"}),
            json!("Invalid"),
        ] {
            assert_eq!(
                explain("Invalid", &plain, plain["error"]["code"] == "bad_request"),
                "Invalid",
                "{plain}"
            );
        }
    }
}
