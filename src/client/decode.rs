//! From an answer's text to what was asked for. Rows are read one by one, so that a bad one costs itself and not its page.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::failure::RequestError;
use crate::domain::journal::WriteCounts;
use crate::domain::lenient;

use super::locate::{self, Object};
use super::request::Payload;
use super::transport::Answered;
use super::{Answer, Rows, refusal};

/// One value.
pub(super) fn value<T: DeserializeOwned>(host: &str, answered: &Answered, payload: Payload) -> Result<Answer<T>, RequestError> {
    let raw = find(host, answered, payload)?;
    let value = serde_json::from_str(raw.get()).map_err(|error| unexpected(host, answered, payload, &error.to_string()))?;
    Ok(Answer { value, credits: metadata(answered).credits, date: answered.date, repeated: answered.repeated })
}

/// Nothing that is needed; an error that comes with a 2xx is a refusal all the same.
pub(super) fn nothing(host: &str, answered: &Answered, _: Payload) -> Result<Answer<()>, RequestError> {
    match refusal::in_success(host, &answered.route, &answered.text) {
        Some(refused) => Err(refused),
        None => Ok(Answer { value: (), credits: None, date: answered.date, repeated: answered.repeated }),
    }
}

/// An array of rows; one that is missing is an error and not an empty list.
pub(super) fn rows<T: DeserializeOwned>(
    host: &str,
    answered: &Answered,
    payload: Payload,
) -> Result<Answer<Rows<T>>, RequestError> {
    let raw = find(host, answered, payload)?;
    let items: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| unexpected(host, answered, payload, "a list was expected"))?;
    let sent = items.len();
    let row = |item| match payload {
        Payload::List(_, one, id) => locate::row(item, one, id),
        _ => Cow::Borrowed(item),
    };
    let list: Vec<T> = items.into_iter().filter_map(|item| serde_json::from_str(row(item).get()).ok()).collect();
    let metadata = metadata(answered);
    let rows = Rows {
        unreadable: sent - list.len(),
        rows: list,
        offset: metadata.offset.and_then(|n| u32::try_from(n).ok()).unwrap_or_default(),
        total: metadata.total,
        total_is_capped: metadata.total_is_capped,
        search_after: metadata.search_after,
        tells_end: metadata.tells_end,
    };
    Ok(Answer { value: rows, credits: metadata.credits, date: answered.date, repeated: answered.repeated })
}

/// How many records an answer to a write says were changed and rejected (interface: batch writes; `POST /signals/triage`).
pub(super) fn counts(answered: &Answered) -> WriteCounts {
    let Ok(whole) = serde_json::from_str::<Value>(&answered.text) else { return WriteCounts::default() };
    if answered.route == "POST /signals/triage" {
        // What an earlier send may have changed is not counted.
        let changed = whole.get("updated").and_then(lenient::parse_count).filter(|_| !answered.repeated);
        return WriteCounts { changed, ..WriteCounts::default() };
    }
    let Some(items) = whole.pointer("/data/results").and_then(Value::as_array) else {
        let number = |name: &str| lenient::parse_count(whole.get("metadata")?.get(name)?);
        return WriteCounts { changed: number("succeeded"), rejected: number("failed"), rejection_reason: None };
    };
    let (done, failed): (Vec<_>, Vec<_>) = items.iter().partition(|item| item["status"] == "ok");
    let why = failed.iter().find_map(|item| item.pointer("/error/message")?.as_str()).map(str::to_owned);
    WriteCounts { changed: Some(done.len() as u64), rejected: Some(failed.len() as u64), rejection_reason: why }
}

fn find<'a>(host: &str, answered: &'a Answered, payload: Payload) -> Result<Cow<'a, RawValue>, RequestError> {
    if answered.text.is_empty() && payload.may_be_empty() {
        return Ok(Cow::Borrowed(RawValue::NULL));
    }
    let whole: &RawValue =
        serde_json::from_str(&answered.text).map_err(|error| unexpected(host, answered, payload, &error.to_string()))?;
    let step = |raw: &'a RawValue, name: &str| locate::object(raw)?.get(name).copied();
    let found = match payload {
        Payload::Bare => Some(Cow::Borrowed(whole)),
        Payload::Having(name) => step(whole, name).map(|_| Cow::Borrowed(whole)),
        Payload::Key(name) => step(whole, name).map(Cow::Borrowed),
        Payload::Data => step(whole, "data").map(Cow::Borrowed),
        Payload::In(name) => step(whole, "data").and_then(|data| step(data, name)).map(Cow::Borrowed),
        Payload::List(name, ..) => locate::list(whole, name).map(Cow::Borrowed),
        Payload::Object(name) => Some(locate::thing(whole, name)),
    };
    // Where anything will do, an error has to be looked for.
    let takes_all = matches!(payload, Payload::Bare | Payload::Object(_));
    match found.filter(|_| !takes_all || refusal::in_success(host, &answered.route, whole.get()).is_none()) {
        Some(found) => Ok(found),
        None => Err(refusal::in_success(host, &answered.route, whole.get())
            .unwrap_or_else(|| unexpected(host, answered, payload, "it was not there"))),
    }
}

fn unexpected(host: &str, answered: &Answered, payload: Payload, why: &str) -> RequestError {
    let expected = match payload {
        Payload::Bare => "an object".to_owned(),
        Payload::Having(name) | Payload::Key(name) | Payload::List(name, ..) | Payload::Object(name) => name.to_owned(),
        Payload::Data => "data".to_owned(),
        Payload::In(name) => format!("data.{name}"),
    };
    let why = refusal::one_line(why, 120);
    RequestError::new_ambiguous(format!("unexpected answer of {host} to {} (expected {expected}: {why})", answered.route))
}

/// `metadata` of the shared envelope, or `pagination` of the signal routes. A number that cannot be one is unknown.
#[derive(Default)]
struct Metadata {
    credits: Option<u64>,
    total: Option<u64>,
    total_is_capped: bool,
    offset: Option<u64>,
    search_after: Option<String>,
    tells_end: bool,
}

fn metadata(answered: &Answered) -> Metadata {
    fn read<T: DeserializeOwned>(part: &Object<'_>, name: &str) -> Option<T> {
        serde_json::from_str(part.get(name)?.get()).ok()
    }
    let whole = serde_json::from_str::<&RawValue>(&answered.text).ok().and_then(locate::object);
    let part = whole.and_then(|whole| locate::object(whole.get("metadata").or_else(|| whole.get("pagination"))?));
    let Some(part) = part else { return Metadata::default() };
    let number = |name| lenient::parse_count(&read(&part, name)?);
    Metadata {
        credits: number("credits"),
        total: number("total"),
        total_is_capped: read(&part, "total_is_capped").unwrap_or_default(),
        offset: number("offset"),
        search_after: read(&part, "search_after").filter(|cursor: &String| !cursor.is_empty()),
        tells_end: part.contains_key("search_after"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::queue::{QueueSignal, QueueStats};

    fn answered(text: &str) -> Answered {
        Answered { text: text.to_owned(), date: None, route: "GET /signals/queue".to_owned(), repeated: false }
    }

    const ID: &str = "018f4d3a-0000-7000-8000-000000000001";

    #[test]
    fn a_bad_row_costs_itself_and_not_its_page() {
        for bad in ["1e400", "null", "\"\\ud800\"", "{}", "{\"id\":7}", &"[".repeat(5_000).add_closed()] {
            let text = format!(r#"{{"signals":[{{"id":"{ID}"}},{bad}],"pagination":{{"limit":50,"offset":0,"total":2}}}}"#);
            let page = rows::<QueueSignal>("h", &answered(&text), Payload::Key("signals")).unwrap().value;
            assert_eq!((page.rows.len(), page.unreadable, page.total), (1, 1, Some(2)), "{bad:.20}");
        }
    }

    trait Closed {
        fn add_closed(self) -> String;
    }

    impl Closed for String {
        fn add_closed(self) -> String {
            let closed = "]".repeat(self.len());
            self + &closed
        }
    }

    #[test]
    fn a_list_that_is_missing_is_an_error_and_not_an_empty_list() {
        for text in ["{}", r#"{"signals":null}"#, r#"{"signals":{}}"#, "[]", "7"] {
            let failure = rows::<QueueSignal>("h", &answered(text), Payload::Key("signals")).unwrap_err();
            assert!(failure.message.contains("expected signals"), "{}", failure.message);
        }
    }

    #[test]
    fn an_error_that_comes_with_a_200_is_a_refusal() {
        let text = r#"{"error":{"code":"forbidden","message":"no"}}"#;
        let failure = value::<QueueStats>("h", &answered(text), Payload::Bare).unwrap_err();
        assert_eq!(failure.message, "refused (forbidden): no");
    }

    #[test]
    fn a_repeated_triage_that_changed_nothing_may_have_changed_something_the_first_time() {
        let once = Answered { route: "POST /signals/triage".to_owned(), ..answered(r#"{"updated":0}"#) };
        assert_eq!(counts(&once).changed, Some(0));
        assert_eq!(counts(&Answered { repeated: true, ..once }), WriteCounts::default());
    }

    #[test]
    fn credits_and_the_cursor_are_read_from_the_metadata() {
        let text =
            r#"{"data":[],"metadata":{"credits":3,"total":1000,"total_is_capped":true,"search_after":"abc","tomorrow":1e400}}"#;
        let answer = rows::<QueueSignal>("h", &answered(text), Payload::Data).unwrap();
        assert_eq!(
            (answer.credits, answer.value.total_is_capped, answer.value.search_after.as_deref()),
            (Some(3), true, Some("abc"))
        );
    }
}
