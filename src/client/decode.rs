//! Decodes responses. Rows are decoded one by one, so that a bad row costs only itself and not its
//! page.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::journal::WriteCounts;
use crate::domain::lenient;
use crate::domain::request_error::RequestError;
use crate::domain::search::MAX_REPORTED_TOTAL;

use super::payload_lookup::{self, RawObject};
use super::transport::RawResponse;
use super::{Response, Rows, error_envelope};
use crate::interface::PayloadPath;

pub(super) fn decode_value<T: DeserializeOwned>(
    host: &str,
    answered: &RawResponse,
    payload: PayloadPath,
) -> Result<Response<T>, RequestError> {
    let raw = find_payload(host, answered, payload)?;
    let value = serde_json::from_str(raw.get())
        .map_err(|error| unexpected_response(host, answered, payload, &error.to_string()))?;
    Ok(answered.with_value(value, decode_metadata(answered).credits))
}

/// Decodes nothing, because nothing is needed; an error object in a 2xx is still a rejection.
pub(super) fn decode_empty(
    host: &str,
    answered: &RawResponse,
    _: PayloadPath,
) -> Result<Response<()>, RequestError> {
    match error_envelope::error_in_success(host, &answered.route, &answered.text) {
        Some(refused) => Err(refused),
        None => Ok(answered.with_value((), answered.credits)),
    }
}

/// Decodes the payload of a write that was applied, if it is shown as expected.
pub(super) fn decode_if_shown<T: DeserializeOwned>(
    host: &str,
    answered: &RawResponse,
    payload: PayloadPath,
) -> Result<Response<Option<T>>, RequestError> {
    let applied = decode_empty(host, answered, payload)?;
    Ok(applied.map(|()| {
        decode_value(host, answered, payload)
            .ok()
            .map(|shown| shown.value)
    }))
}

/// Decodes an array of rows; a missing array is an error, not an empty list.
pub(super) fn decode_rows<T: DeserializeOwned>(
    host: &str,
    answered: &RawResponse,
    payload: PayloadPath,
) -> Result<Response<Rows<T>>, RequestError> {
    let raw = find_payload(host, answered, payload)?;
    let items: Vec<&RawValue> = serde_json::from_str(raw.get())
        .map_err(|_| unexpected_response(host, answered, payload, "not a list"))?;
    let sent = items.len();
    let row = |item| match payload {
        PayloadPath::List(_, one, id) => payload_lookup::row_object(item, one, id),
        _ => Cow::Borrowed(item),
    };
    let list: Vec<T> = items
        .into_iter()
        .filter_map(|item| serde_json::from_str(row(item).get()).ok())
        .collect();
    let metadata = decode_metadata(answered);
    let rows = Rows {
        unreadable: sent - list.len(),
        rows: list,
        offset: metadata
            .offset
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or_default(),
        total: metadata.total,
        total_is_capped: metadata.total_is_capped,
        search_after: metadata.search_after,
        reports_end: metadata.reports_end,
    };
    Ok(answered.with_value(rows, metadata.credits))
}

/// How many records a write changed and rejected, from its response (interface: batch writes; `POST
/// /signals/triage`).
pub(super) fn decode_write_counts(answered: &RawResponse) -> WriteCounts {
    let Ok(whole) = serde_json::from_str::<Value>(&answered.text) else {
        return WriteCounts::default();
    };
    if answered.route == "POST /signals/triage" {
        // After a retry the count does not include what the earlier send changed, so it is unknown.
        let changed = whole
            .get("updated")
            .and_then(lenient::parse_count)
            .filter(|_| !answered.was_retried);
        return WriteCounts {
            changed,
            ..WriteCounts::default()
        };
    }
    let Some(items) = whole.pointer("/data/results").and_then(Value::as_array) else {
        let number = |name: &str| lenient::parse_count(whole.get("metadata")?.get(name)?);
        return WriteCounts {
            changed: number("succeeded"),
            rejected: number("failed"),
            rejection_reason: None,
        };
    };
    let (done, failed): (Vec<_>, Vec<_>) = items.iter().partition(|item| item["status"] == "ok");
    let why = failed
        .iter()
        .find_map(|item| item.pointer("/error/message")?.as_str())
        .map(str::to_owned);
    WriteCounts {
        changed: Some(done.len() as u64),
        rejected: Some(failed.len() as u64),
        rejection_reason: why,
    }
}

fn find_payload<'a>(
    host: &str,
    answered: &'a RawResponse,
    payload: PayloadPath,
) -> Result<Cow<'a, RawValue>, RequestError> {
    if answered.text.is_empty() && payload.may_be_empty() {
        return Ok(Cow::Borrowed(RawValue::NULL));
    }
    let whole: &RawValue = serde_json::from_str(&answered.text)
        .map_err(|error| unexpected_response(host, answered, payload, &error.to_string()))?;
    let step =
        |raw: &'a RawValue, name: &str| payload_lookup::parse_object(raw)?.get(name).copied();
    let found = match payload {
        PayloadPath::Root => Some(Cow::Borrowed(whole)),
        PayloadPath::RootWithKey(name) => step(whole, name).map(|_| Cow::Borrowed(whole)),
        PayloadPath::Key(name) => step(whole, name).map(Cow::Borrowed),
        PayloadPath::Data => step(whole, "data").map(Cow::Borrowed),
        PayloadPath::DataKey(name) => step(whole, "data")
            .and_then(|data| step(data, name))
            .map(Cow::Borrowed),
        PayloadPath::List(name, ..) => payload_lookup::find_list(whole, name).map(Cow::Borrowed),
        PayloadPath::Object(name) => Some(payload_lookup::find_object(whole, name)),
    };
    // These payloads match any object, so look for an error object as well.
    let takes_all = matches!(payload, PayloadPath::Root | PayloadPath::Object(_));
    match found.filter(|_| {
        !takes_all || error_envelope::error_in_success(host, &answered.route, whole.get()).is_none()
    }) {
        Some(found) => Ok(found),
        None => Err(
            error_envelope::error_in_success(host, &answered.route, whole.get())
                .unwrap_or_else(|| unexpected_response(host, answered, payload, "missing")),
        ),
    }
}

fn unexpected_response(
    host: &str,
    answered: &RawResponse,
    payload: PayloadPath,
    why: &str,
) -> RequestError {
    let expected = match payload {
        PayloadPath::Root => "an object".to_owned(),
        PayloadPath::RootWithKey(name)
        | PayloadPath::Key(name)
        | PayloadPath::List(name, ..)
        | PayloadPath::Object(name) => name.to_owned(),
        PayloadPath::Data => "data".to_owned(),
        PayloadPath::DataKey(name) => format!("data.{name}"),
    };
    let why = error_envelope::one_line(why, 120);
    RequestError::new_ambiguous(format!(
        "unexpected response from {host} to {} (expected {expected}: {why})",
        answered.route
    ))
}

/// `metadata` of the shared envelope, or `pagination` of the signal routes. An invalid number
/// counts as unknown.
#[derive(Default)]
struct PageMetadata {
    credits: Option<u64>,
    total: Option<u64>,
    total_is_capped: bool,
    offset: Option<u64>,
    search_after: Option<String>,
    reports_end: bool,
}

fn decode_metadata(answered: &RawResponse) -> PageMetadata {
    fn read_field<T: DeserializeOwned>(part: &RawObject<'_>, name: &str) -> Option<T> {
        serde_json::from_str(part.get(name)?.get()).ok()
    }
    let whole = serde_json::from_str::<&RawValue>(&answered.text)
        .ok()
        .and_then(payload_lookup::parse_object);
    let part = whole.and_then(|whole| {
        payload_lookup::parse_object(whole.get("metadata").or_else(|| whole.get("pagination"))?)
    });
    let Some(part) = part else {
        return PageMetadata {
            credits: answered.credits,
            ..PageMetadata::default()
        };
    };
    let number = |name| lenient::parse_count(&read_field(&part, name)?);
    let total = number("total");
    PageMetadata {
        credits: number("credits").or(answered.credits),
        total,
        total_is_capped: match read_field(&part, "total_is_capped")
            .filter(|flag: &Value| !flag.is_null())
        {
            Some(flag) => lenient::parse_flag(&flag),
            // A search that does not say so counts no further either.
            None => total == Some(MAX_REPORTED_TOTAL) && part.contains_key("search_after"),
        },
        offset: number("offset"),
        search_after: read_field(&part, "search_after")
            .filter(|cursor: &String| !cursor.is_empty()),
        reports_end: part.contains_key("search_after"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::queue::{QueueSignal, QueueStats};

    fn raw_response(text: &str) -> RawResponse {
        RawResponse {
            text: text.to_owned(),
            date: None,
            credits: None,
            route: "GET /signals/queue".to_owned(),
            was_retried: false,
        }
    }

    const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";

    #[test]
    fn an_unreadable_row_is_counted_and_the_rest_of_the_page_is_kept() {
        for bad in [
            "1e400",
            "null",
            "\"\\ud800\"",
            "{}",
            "{\"id\":7}",
            &"[".repeat(5_000).close_arrays(),
        ] {
            let text = format!(
                r#"{{"signals":[{{"id":"{SIGNAL_ID}"}},{bad}],"pagination":{{"limit":50,"offset":0,"total":2}}}}"#
            );
            let page =
                decode_rows::<QueueSignal>("h", &raw_response(&text), PayloadPath::Key("signals"))
                    .unwrap()
                    .value;
            assert_eq!(
                (page.rows.len(), page.unreadable, page.total),
                (1, 1, Some(2)),
                "{bad:.20}"
            );
        }
    }

    trait CloseArrays {
        fn close_arrays(self) -> String;
    }

    impl CloseArrays for String {
        fn close_arrays(self) -> String {
            let closed = "]".repeat(self.len());
            self + &closed
        }
    }

    #[test]
    fn a_missing_list_is_an_error_and_not_an_empty_list() {
        for text in ["{}", r#"{"signals":null}"#, r#"{"signals":{}}"#, "[]", "7"] {
            let failure =
                decode_rows::<QueueSignal>("h", &raw_response(text), PayloadPath::Key("signals"))
                    .unwrap_err();
            assert!(
                failure.message.contains("expected signals"),
                "{}",
                failure.message
            );
        }
    }

    #[test]
    fn an_error_object_with_status_200_is_an_error() {
        let text = r#"{"error":{"code":"forbidden","message":"no"}}"#;
        let failure =
            decode_value::<QueueStats>("h", &raw_response(text), PayloadPath::Root).unwrap_err();
        assert_eq!(failure.message, "rejected (forbidden): no");
    }

    #[test]
    fn a_retried_triage_reports_no_count_of_changes() {
        let once = RawResponse {
            route: "POST /signals/triage".to_owned(),
            ..raw_response(r#"{"updated":0}"#)
        };
        assert_eq!(decode_write_counts(&once).changed, Some(0));
        assert_eq!(
            decode_write_counts(&RawResponse {
                was_retried: true,
                ..once
            }),
            WriteCounts::default()
        );
    }

    #[test]
    fn a_total_that_may_go_on_is_capped() {
        let is_capped = |metadata: &str| {
            let text = format!(r#"{{"data":[],"metadata":{metadata}}}"#);
            decode_rows::<QueueSignal>("h", &raw_response(&text), PayloadPath::Data)
                .unwrap()
                .value
                .total_is_capped
        };
        for metadata in [
            r#"{"total":1000,"total_is_capped":true}"#,
            r#"{"total":1000,"total_is_capped":"true"}"#,
            r#"{"total":1000,"search_after":"abc"}"#,
            r#"{"total":"1,000","total_is_capped":null,"search_after":null}"#,
        ] {
            assert!(is_capped(metadata), "{metadata}");
        }
        for metadata in [
            r#"{"total":1000,"total_is_capped":false,"search_after":"abc"}"#,
            r#"{"total":1000}"#,
            r#"{"total":999,"search_after":"a"}"#,
        ] {
            assert!(!is_capped(metadata), "{metadata}");
        }
    }

    #[test]
    fn credits_and_the_cursor_are_read_from_the_metadata() {
        let text = r#"{"data":[],"metadata":{"credits":3,"total":1000,"total_is_capped":true,"search_after":"abc","tomorrow":1e400}}"#;
        let answer =
            decode_rows::<QueueSignal>("h", &raw_response(text), PayloadPath::Data).unwrap();
        assert_eq!(
            (
                answer.credits,
                answer.value.total_is_capped,
                answer.value.search_after.as_deref()
            ),
            (Some(3), true, Some("abc"))
        );
    }
    #[test]
    fn what_the_body_does_not_say_of_the_credits_is_read_from_the_header() {
        let told = |text: &str| {
            let answered = RawResponse {
                credits: Some(0),
                ..raw_response(text)
            };
            let rows = decode_rows::<QueueSignal>("h", &answered, PayloadPath::Data);
            rows.unwrap().credits
        };
        assert_eq!(told(r#"{"data":[]}"#), Some(0));
        assert_eq!(told(r#"{"data":[],"metadata":{"total":0}}"#), Some(0));
        assert_eq!(told(r#"{"data":[],"metadata":{"credits":3}}"#), Some(3));
    }
}
