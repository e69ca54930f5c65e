//! The client against a service that stalls, cuts, floods, redirects and lies.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gantry::client::book::RecordRef;
use gantry::client::{Client, Endpoint, Limits, book, data, favorites, invitations, subscriptions, views};
use gantry::domain::batch::BatchItemResult;
use gantry::domain::book::{Annotation, RecordKind};
use gantry::domain::credits::RequestCost;
use gantry::domain::failure::{RequestError, RequestErrorKind};
use gantry::domain::health::Health;
use gantry::domain::journal::{OutgoingWrite, RequestRecorder, WriteCounts, WriteProgress};
use gantry::domain::members::Role;
use gantry::domain::queue::{Priority, QueueFilter, TriageStatus};
use gantry::domain::search::Search;
use gantry::domain::signals::SignalType;
use gantry::domain::{SignalId, WorkspaceId};
use tokio::time::Instant;
use uuid::Uuid;

use crate::hostile::{Act, Hostile};

const WORKSPACE: &str = "018f4d3a-0000-7000-8000-00000000000a";
const SIGNAL: &str = "018f4d3a-0000-7000-8000-000000000001";
const STATS: &str = r#"{"new_count":3,"high_priority_new_count":1,"done_count":2,"type_counts":[]}"#;

/// A client that waits long enough for a busy machine.
fn client(base_url: &str) -> Client {
    limited(base_url, Limits { has_own_budget: true, ..Limits::default() })
}

/// A client that soon gives up: for a service that is silent or slow.
fn hasty(base_url: &str) -> Client {
    let limits = Limits {
        first_byte_timeout_read: Duration::from_millis(300),
        first_byte_timeout_write: Duration::from_millis(400),
        slow_after: Duration::from_millis(100),
        idle_timeout: Duration::from_millis(300),
        stall_window: Duration::from_millis(400),
        min_bytes_per_window: 64,
        total_timeout: Duration::from_secs(8),
        has_own_budget: true,
        ..Limits::default()
    };
    limited(base_url, limits)
}

fn limited(base_url: &str, limits: Limits) -> Client {
    let workspace: WorkspaceId = WORKSPACE.parse().unwrap();
    let endpoint = Endpoint { base_url: base_url.to_owned(), token: "gk_canary".to_owned().into(), workspace: Some(workspace) };
    Client::with_limits(endpoint, limits).unwrap()
}

/// The stats, asked of a socket that acts so: what came of it, and how often it was asked.
async fn stats(acts: impl IntoIterator<Item = Act>) -> (Result<u64, RequestError>, usize) {
    let socket = Hostile::start(acts).await;
    let outcome = client(&socket.base_url).queue_stats().await.map(|answer| answer.value.new_count);
    (outcome, socket.seen().len())
}

/// The queue, which may cost credits.
async fn queue(acts: impl IntoIterator<Item = Act>) -> (Result<usize, RequestError>, usize) {
    let socket = Hostile::start(acts).await;
    let outcome = client(&socket.base_url).queue(&QueueFilter::default(), 0, 50).await.map(|answer| answer.value.rows.len());
    (outcome, socket.seen().len())
}

async fn triage(socket: &Hostile) -> Result<u64, RequestError> {
    let ids: [SignalId; 1] = [SIGNAL.parse().unwrap()];
    client(&socket.base_url).triage(&ids, &TriageStatus::Done).await.map(|answer| answer.value)
}

#[tokio::test]
async fn the_token_the_workspace_and_the_body_go_where_the_interface_says() {
    let socket = Hostile::start([Act::json(r#"{"updated":1}"#)]).await;
    assert_eq!(triage(&socket).await.unwrap(), 1);
    client(&socket.base_url).queue_stats().await.unwrap_err();
    let seen = socket.seen();
    assert_eq!(seen[0].line, "POST /api/v1/signals/triage");
    assert!(seen[0].headers.contains("authorization: bearer gk_canary"));
    assert!(seen[0].headers.contains("accept-encoding: gzip\r\n") || seen[0].headers.ends_with("accept-encoding: gzip"));
    let body: serde_json::Value = serde_json::from_str(&seen[0].body).unwrap();
    assert_eq!(body, serde_json::json!({"workspace_id": WORKSPACE, "signal_ids": [SIGNAL], "status": "done"}));
    assert_eq!(seen[1].line, format!("GET /api/v1/signals/queue/stats?workspace_id={WORKSPACE}"));
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_its_host_is_named() {
    let trap = Hostile::start([Act::json(STATS)]).await;
    for status in [301, 302, 307, 308] {
        let location: &'static str =
            Box::leak(format!("location: {}/signals\r\n", trap.base_url.replace("127.0.0.1", "localhost")).into());
        let socket = Hostile::start([Act::Answer(status, location, Vec::new())]).await;
        let failure = triage(&socket).await.unwrap_err();
        assert!(failure.message.contains("sends this on to localhost"), "{}", failure.message);
        assert_eq!(socket.seen().len(), 1);
    }
    assert!(trap.seen().is_empty(), "neither token nor body reached the other origin");
}

#[tokio::test]
async fn a_service_that_says_nothing_is_given_up_in_time() {
    let socket = Hostile::start([Act::Hang]).await;
    let failure = hasty(&socket.base_url).queue_stats().await.unwrap_err();
    assert_eq!((failure.kind, socket.seen().len()), (RequestErrorKind::Ambiguous, 1));
    assert!(failure.message.contains("did not answer within 0.3 s"), "{}", failure.message);
    let socket = Hostile::start([Act::Hang]).await;
    let failure = hasty(&socket.base_url).triage(&[SIGNAL.parse().unwrap()], &TriageStatus::Done).await.unwrap_err();
    assert_eq!((failure.kind, socket.seen().len()), (RequestErrorKind::Ambiguous, 1));
}

#[tokio::test]
async fn a_repeat_has_what_is_left_of_the_time_and_no_time_of_its_own() {
    let cut_off = Act::Slowly(b"HTTP/1.1 200 OK\r\n".to_vec(), Duration::from_millis(25));
    let socket = Hostile::start([cut_off, Act::Hang]).await;
    let limits = Limits { first_byte_timeout_read: Duration::from_secs(2), has_own_budget: true, ..Limits::default() };
    let failure = limited(&socket.base_url, limits).queue_stats().await.unwrap_err();
    assert!(failure.message.contains("did not answer within 2 s"), "{}", failure.message);
    assert_eq!(socket.seen().len(), 2);
}

#[tokio::test]
async fn an_answer_that_drips_is_given_up_in_time() {
    let socket = Hostile::start([Act::Drip(Duration::from_millis(20))]).await;
    let failure = hasty(&socket.base_url).queue_stats().await.unwrap_err();
    assert!(failure.message.contains("stalled"), "{}", failure.message);
}

#[tokio::test]
async fn a_read_that_broke_is_asked_again_a_free_one_twice_a_paid_one_once() {
    let cut = Act::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"new_co".to_vec());
    assert_eq!(stats([Act::Close, cut.clone(), Act::json(STATS)]).await, (Ok(3), 3));
    let (outcome, sends) = queue([Act::Close, cut]).await;
    assert_eq!((outcome.unwrap_err().kind, sends), (RequestErrorKind::Ambiguous, 2));
}

#[tokio::test]
async fn a_triage_whose_answer_was_lost_is_sent_again_with_the_same_body() {
    let socket = Hostile::start([Act::Close, Act::refusal(504, "", "timeout", "later"), Act::json(r#"{"updated":0}"#)]).await;
    assert_eq!(triage(&socket).await.unwrap(), 0);
    let bodies: Vec<_> = socket.seen().into_iter().map(|seen| seen.body).collect();
    assert!(bodies.len() == 3 && bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn a_write_that_may_have_been_applied_never_becomes_one_that_was_not_sent() {
    let socket = Hostile::start([Act::Leave]).await;
    let failure = triage(&socket).await.unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
    assert!(failure.message.ends_with("whether it was applied is unknown"), "{}", failure.message);
}

#[tokio::test]
async fn a_write_that_may_have_been_applied_is_not_called_refused_when_only_its_repeat_was() {
    for (status, header, why) in [
        (429, "retry-after: 60\r\n", "no; try again in 60 s"),
        (403, "", "not allowed: no "),
        (401, "", "does not accept the token: no; check the token of this profile"),
    ] {
        let socket = Hostile::start([Act::Close, Act::refusal(status, header, "odd_code", "no")]).await;
        let failure = triage(&socket).await.unwrap_err();
        assert_eq!((failure.kind, socket.seen().len()), (RequestErrorKind::Ambiguous, 2), "{status}");
        assert!(failure.message.contains(why), "{}", failure.message);
        assert!(failure.message.ends_with("whether it was applied is unknown"), "{}", failure.message);
    }
}

/// What was booked, a line for each id with what is known of its price.
#[derive(Default)]
struct Booked(Mutex<BTreeMap<Uuid, Option<u64>>>, Option<usize>);

impl Booked {
    /// A budget for so many sends.
    fn with_budget(sends: usize) -> Arc<Booked> {
        Arc::new(Booked(Mutex::default(), Some(sends)))
    }

    fn prices(&self) -> Vec<Option<u64>> {
        let mut prices: Vec<_> = self.0.lock().unwrap().values().copied().collect();
        prices.sort();
        prices
    }

    fn book(&self, spending: RequestCost) {
        self.0.lock().unwrap().insert(spending.id, spending.credits);
    }
}

impl RequestRecorder for Booked {
    fn before_read(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        if self.1 == Some(self.0.lock().unwrap().len()) {
            return Box::pin(async { Err("the budget is used up".to_owned()) });
        }
        self.book(asked);
        Box::pin(async { Ok(()) })
    }

    fn before_retry(&self, asked: RequestCost) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.before_read(asked)
    }

    fn record_cost(&self, spending: RequestCost) {
        self.book(spending);
    }

    fn before_write(&self, _: OutgoingWrite) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        Box::pin(async { Ok(()) })
    }

    fn record_response(&self, _: Uuid, _: WriteCounts) {}

    fn record_outcome(&self, _: Uuid, _: WriteProgress, _: Option<String>) {}
}

#[tokio::test]
async fn each_send_of_a_paid_read_whose_answer_was_lost_is_booked_at_an_unknown_price() {
    let lost = || Act::Close;
    let refused = || Act::refusal(403, "", "forbidden", "no");
    let found = || Act::json(r#"{"data":[],"metadata":{"credits":7}}"#);
    for (acts, expected) in [
        (vec![refused()], vec![Some(0)]),
        (vec![lost(), refused()], vec![None, Some(0)]),
        (vec![Act::Leave], vec![None, Some(0)]),
        (vec![lost(), lost()], vec![None, None]),
        (vec![lost(), found()], vec![None, Some(7)]),
    ] {
        let socket = Hostile::start(acts.clone()).await;
        let booked = Arc::new(Booked::default());
        let search = book::search(&RecordKind::Accounts, &Search::default());
        let _ = client(&socket.base_url).with_recorder(booked.clone()).fetch_rows::<serde_json::Value>(search).await;
        assert_eq!(booked.prices(), expected, "{acts:?}");
    }
}

#[tokio::test]
async fn a_repeat_that_would_pass_a_hard_budget_is_not_sent() {
    let found = || Act::json(r#"{"data":[],"metadata":{"credits":7}}"#);
    let search = || book::search(&RecordKind::Accounts, &Search::default());
    let socket = Hostile::start([Act::Close, found()]).await;
    let booked = Booked::with_budget(1);
    let answer = client(&socket.base_url).with_recorder(booked.clone()).fetch_rows::<serde_json::Value>(search()).await;
    let failure = answer.unwrap_err();
    assert!(failure.message.ends_with("; it was not asked again: the budget is used up"), "{}", failure.message);
    assert_eq!((failure.kind, socket.seen().len(), booked.prices()), (RequestErrorKind::Ambiguous, 1, vec![None]));

    let socket = Hostile::start([Act::Close, found()]).await;
    let booked = Booked::with_budget(2);
    client(&socket.base_url).with_recorder(booked.clone()).fetch_rows::<serde_json::Value>(search()).await.unwrap();
    assert_eq!((socket.seen().len(), booked.prices()), (2, vec![None, Some(7)]), "what fits is sent");
}

#[tokio::test]
async fn a_question_in_words_is_booked_and_a_hard_budget_refuses_it_before_it_is_sent() {
    let understood = || Act::json(r#"{"data":{"entity":"projects","filters":{}},"metadata":{"credits":2}}"#);
    let ask = async |socket: &Hostile, booked: Arc<Booked>| {
        client(&socket.base_url)
            .with_recorder(booked)
            .fetch_value::<serde_json::Value>(data::ask_question("projects", "towers"))
            .await
    };
    let (socket, booked) = (Hostile::start([understood()]).await, Arc::new(Booked::default()));
    ask(&socket, booked.clone()).await.unwrap();
    assert_eq!(booked.prices(), [Some(2)]);
    let socket = Hostile::start([understood()]).await;
    let failure = ask(&socket, Booked::with_budget(0)).await.unwrap_err();
    assert_eq!((failure.kind, socket.seen().len()), (RequestErrorKind::OverBudget, 0), "{}", failure.message);
}

#[tokio::test]
async fn an_unsubscription_whose_answer_was_lost_is_done_and_what_remains_is_read() {
    let gone = || Act::refusal(404, "", "not_found", "not subscribed");
    let left = || Act::json(r#"{"subscriptions":[{"signal_type":"completion"}]}"#);
    for (acts, asked) in [
        (vec![left(), left()], vec!["DELETE", "GET"]),
        (vec![Act::Close, gone(), left()], vec!["DELETE", "DELETE", "GET"]),
        (vec![gone(), left()], vec!["DELETE", "GET"]),
        (vec![Act::Answer(204, "", Vec::new()), left()], vec!["DELETE", "GET"]),
    ] {
        let socket = Hostile::start(acts).await;
        let left = client(&socket.base_url).unsubscribe(&SignalType::PermitFiled).await.unwrap();
        assert_eq!((left.len(), methods(&socket)), (1, asked.iter().map(|method| (*method).to_owned()).collect()));
    }
    let socket = Hostile::start([left(), Act::Leave]).await;
    let failure = client(&socket.base_url).unsubscribe(&SignalType::PermitFiled).await.unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::Ambiguous, "it was sent: {}", failure.message);
}

#[tokio::test]
async fn a_write_that_is_not_known_to_be_harmless_is_sent_once() {
    let socket = Hostile::start([Act::Close]).await;
    let invite = invitations::create("new@northline.example", &Role::Member);
    assert_eq!(
        (client(&socket.base_url).execute(invite).await.unwrap_err().kind, socket.seen().len()),
        (RequestErrorKind::Ambiguous, 1)
    );
}

/// What was asked, by its method.
fn methods(socket: &Hostile) -> Vec<String> {
    socket.seen().iter().map(|seen| seen.line.split(' ').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_favorite_whose_answer_was_lost_is_looked_up_before_it_is_sent_again() {
    let favorites = |ids: &[&str]| {
        let all: Vec<_> = ids.iter().map(|id| serde_json::json!({"view_id": id, "position": 0})).collect();
        Act::json(&serde_json::json!({"data": {"favorites": all}, "metadata": {"credits": 0}}).to_string())
    };
    let view = SIGNAL.parse().unwrap();
    let socket = Hostile::start([Act::Close, favorites(&[WORKSPACE, SIGNAL])]).await;
    assert!(client(&socket.base_url).write_item(favorites::upsert(view)).await.unwrap().is_ok());
    assert_eq!(methods(&socket), ["POST", "GET"], "it was there: nothing is sent again");
    let made = Act::json(&format!(r#"{{"data":{{"view_id":"{SIGNAL}"}}}}"#));
    let socket = Hostile::start([Act::Close, favorites(&[WORKSPACE]), made]).await;
    assert!(client(&socket.base_url).write_item(favorites::upsert(view)).await.unwrap().is_ok());
    assert_eq!(methods(&socket), ["POST", "GET", "POST"], "it was not");
    let socket = Hostile::start([Act::Close]).await;
    assert_eq!(client(&socket.base_url).write_item(favorites::upsert(view)).await.unwrap_err().kind, RequestErrorKind::Ambiguous);
    assert_eq!(methods(&socket).iter().filter(|method| *method == "POST").count(), 1, "nobody knows: it is not sent again");
    let batch = || favorites::upsert_batch(&[view, WORKSPACE.parse().unwrap()]);
    let socket = Hostile::start([Act::Close, favorites(&[SIGNAL, WORKSPACE])]).await;
    assert_eq!(client(&socket.base_url).fetch_rows::<BatchItemResult>(batch()).await.unwrap().value.rows.len(), 2);
}

#[tokio::test]
async fn a_subscription_whose_answer_was_lost_is_looked_up_before_it_is_sent_again() {
    let subscribed = |priority: &str| {
        let all = serde_json::json!([{"signal_type": "permit_filed", "priority": priority, "channels": ["email"]}]);
        Act::json(&serde_json::json!({"subscriptions": all}).to_string())
    };
    let high =
        subscriptions::SubscriptionChange { priority: Some(Priority::High), ..subscriptions::SubscriptionChange::default() };
    let set = || subscriptions::set(&SignalType::PermitFiled, &high);
    let socket = Hostile::start([Act::Close, subscribed("high")]).await;
    let answer = client(&socket.base_url).fetch_rows::<serde_json::Value>(set()).await.unwrap();
    assert!(answer.value.rows.len() == 1 && answer.was_retried);
    assert_eq!(methods(&socket), ["PUT", "GET"]);
    let socket = Hostile::start([Act::Close, subscribed("low"), subscribed("high")]).await;
    client(&socket.base_url).fetch_rows::<serde_json::Value>(set()).await.unwrap();
    assert_eq!(methods(&socket), ["PUT", "GET", "PUT"], "it is as it was: the change was not applied");
    let socket = Hostile::start([Act::Close, subscribed("low"), Act::Close, subscribed("low"), Act::Close]).await;
    assert_eq!(
        client(&socket.base_url).fetch_rows::<serde_json::Value>(set()).await.unwrap_err().kind,
        RequestErrorKind::Ambiguous
    );
    assert_eq!(methods(&socket).iter().filter(|method| *method == "PUT").count(), 3, "never more than three times");
}

#[tokio::test]
async fn a_write_of_one_record_tells_what_its_batch_would() {
    let id = SIGNAL.parse().unwrap();
    let gone = || Act::refusal(404, "", "not_found", "no such account in the book");
    let socket = Hostile::start([gone()]).await;
    let delete = || book::delete(&RecordKind::Accounts, id);
    let error = client(&socket.base_url).write_item(delete()).await.unwrap().error.expect("what is not there was not deleted");
    assert_eq!(error.code, "not_found");
    let socket = Hostile::start([Act::Close, gone()]).await;
    assert!(client(&socket.base_url).write_item(delete()).await.unwrap().is_ok(), "the first send deleted it");
    let socket = Hostile::start([Act::Answer(204, "", Vec::new())]).await;
    assert!(
        client(&socket.base_url).write_item(views::remove_record(id.into(), id)).await.unwrap().is_ok(),
        "a delete may say nothing"
    );
    let socket = Hostile::start([gone()]).await;
    let upsert = book::upsert(&RecordKind::Accounts, &RecordRef::Id(id), &Annotation::default());
    let error = client(&socket.base_url).write_item(upsert.clone()).await.unwrap().error.unwrap();
    assert_eq!((error.code.as_str(), error.message.as_str()), ("not_found", "no such account in the book"));
    for (request, refusal) in [
        (views::add_record(id.into(), id), Act::refusal(404, "", "view_not_found", "no such View")),
        (upsert.clone(), Act::refusal(403, "", "forbidden", "not a member")),
        (upsert, Act::Answer(404, "content-type: text/html\r\n", b"<html>".to_vec())),
    ] {
        let socket = Hostile::start([refusal]).await;
        let name = request.to_string();
        let failure = client(&socket.base_url).write_item(request).await.expect_err(&name);
        assert!(matches!(failure.kind, RequestErrorKind::Rejected(_)), "{name}: it is not about the record");
    }
    let refused = r#"{"data":{"view_id":null,"results":[{"index":0,"status":"error","error":{"code":"record_not_visible"}}]}}"#;
    let socket = Hostile::start([Act::json(refused)]).await;
    let item = client(&socket.base_url).write_item(views::add_record(id.into(), id)).await.unwrap();
    assert_eq!(item.error.unwrap().code, "record_not_visible");
}

#[tokio::test]
async fn nobody_listening_is_not_sent_and_says_what_to_do() {
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let failure = client(&format!("http://{gone}/api/v1")).queue_stats().await.unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::NotSent);
    assert_eq!(
        failure.message,
        format!("cannot reach {gone}: connection refused; is the service running, and the address right?")
    );
}

#[tokio::test]
async fn a_short_retry_after_is_waited_for_and_a_long_one_is_told() {
    let later = |after: &'static str| Act::refusal(429, after, "rate_limited", "Too many requests");
    let begun = Instant::now();
    assert_eq!(stats([later("retry-after: 1\r\n"), Act::json(STATS)]).await, (Ok(3), 2));
    assert!(begun.elapsed() >= Duration::from_secs(1));
    for (after, expected) in [
        ("retry-after: 3600\r\n", 3600),
        ("date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:30:00 GMT\r\n", 120),
        ("", 30),
        ("retry-after: soon\r\n", 30),
    ] {
        let (outcome, sends) = stats([later(after)]).await;
        let RequestErrorKind::Rejected(refusal) = outcome.unwrap_err().kind else { panic!("a 429 is an answer") };
        assert_eq!((refusal.retry_after, sends), (Some(Duration::from_secs(expected)), 1), "{after}");
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_not_tried_again() {
    let (outcome, sends) = stats([Act::refusal(401, "", "unauthorized", "Unknown token")]).await;
    let failure = outcome.unwrap_err();
    assert!(failure.is_signed_out() && sends == 1);
    assert!(failure.message.contains("Unknown token; check the token"), "{}", failure.message);
    assert!(!failure.message.contains("canary"));
}

#[tokio::test]
async fn a_web_page_is_no_success_even_with_a_200() {
    let page = Act::Answer(200, "content-type: text/html\r\n", b"<!DOCTYPE html><title>Sign in</title>".to_vec());
    let socket = Hostile::start([page]).await;
    let failure = triage(&socket).await.unwrap_err();
    assert_eq!((failure.kind, socket.seen().len()), (RequestErrorKind::Ambiguous, 1));
    assert!(failure.message.starts_with("a web page answered instead of"), "{}", failure.message);
}

#[tokio::test]
async fn what_is_not_the_expected_json_is_ambiguous_and_the_message_says_where() {
    for (body, expected) in [
        ("", "empty answer"),
        (r#"{"new_count":"#, "no JSON at line 1"),
        (r#"{"new_count":NaN}"#, "no JSON at line 1, column 14"),
        ("[]", "unexpected answer"),
        ("{}", "unexpected answer"),
    ] {
        let (outcome, _) = stats([Act::json(body)]).await;
        let failure = outcome.unwrap_err();
        assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
        assert!(failure.message.contains(expected) && !failure.message.contains('\n'), "{}", failure.message);
    }
    let (outcome, sends) = queue([Act::json("{")]).await;
    assert!(outcome.is_err() && sends == 1, "it may have been paid for");
}

#[tokio::test]
async fn good_json_is_taken_whatever_it_is_labelled() {
    for act in [
        Act::Answer(200, "content-type: text/plain\r\n", STATS.into()),
        Act::Answer(200, "", STATS.into()),
        Act::json(&format!("\u{feff}{STATS}\n")),
    ] {
        assert_eq!(stats([act]).await, (Ok(3), 1));
    }
}

#[tokio::test]
async fn an_answer_is_measured_after_it_is_inflated() {
    let begun = Instant::now();
    for act in [Act::gzip_bomb(1000), Act::json(&"x".repeat(9 * 1024 * 1024))] {
        let (outcome, sends) = stats([act]).await;
        let message = outcome.unwrap_err().message;
        assert!(message.contains("too large (limit 8 MiB)"), "{message}");
        assert_eq!(sends, 1);
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn a_service_in_trouble_is_asked_a_few_times_and_then_told() {
    let storm = || [Act::refusal(503, "", "unavailable", "Back soon")];
    let (outcome, sends) = stats(storm()).await;
    assert!(outcome.unwrap_err().message.ends_with("is in trouble (503): Back soon"));
    assert_eq!(sends, 3);
    assert_eq!(queue(storm()).await.1, 2);
}

#[tokio::test]
async fn what_is_no_http_is_a_failure_and_its_bytes_are_not_shown() {
    let flood = format!("HTTP/1.1 200 OK\r\n{}\r\n{STATS}", "x-a: b\r\n".repeat(500));
    for bytes in [
        b"\x1b[2J garbage\r\n\r\n".to_vec(),
        flood.into_bytes(),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
    ] {
        let (outcome, _) = stats([Act::Bytes(bytes)]).await;
        let failure = outcome.unwrap_err();
        assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
        assert!(!failure.message.contains(char::is_control) && !failure.message.contains("garbage"), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_route_that_was_told_to_wait_is_not_asked_before_and_the_others_are() {
    let later = Act::refusal(429, "retry-after: 60\r\n", "rate_limited", "Too many requests");
    let socket = Hostile::start([later, Act::json(r#"{"data":{}}"#)]).await;
    let client = client(&socket.base_url);
    client.queue_stats().await.unwrap_err();
    for _ in 0..3 {
        let failure = client.queue_stats().await.unwrap_err();
        assert!(failure.message.contains("wants no such request yet; try again in "), "{}", failure.message);
    }
    client.workspace().await.unwrap();
    assert_eq!(socket.seen().len(), 2);
    assert!(matches!(*client.health().borrow(), Health::RateLimited { .. }));
}

#[tokio::test]
async fn after_a_refused_token_nothing_is_sent_until_the_person_acts() {
    let socket = Hostile::start([Act::refusal(401, "", "unauthorized", "Unknown token"), Act::json(STATS)]).await;
    let client = client(&socket.base_url);
    for _ in 0..3 {
        assert!(client.queue_stats().await.unwrap_err().is_signed_out());
        assert!(client.in_workspace(WORKSPACE.parse().unwrap()).credits().await.unwrap_err().is_signed_out());
    }
    assert_eq!((socket.seen().len(), client.health().borrow().clone()), (1, Health::SignedOut));
    client.retry_credential();
    client.queue_stats().await.unwrap();
    assert_eq!((socket.seen().len(), client.health().borrow().clone()), (2, Health::Online));
}

#[tokio::test]
async fn a_request_that_is_dropped_is_stopped_and_gives_its_place_back() {
    let socket = Hostile::start([Act::Hang, Act::Hang, Act::Hang, Act::Hang, Act::json(STATS)]).await;
    let client = client(&socket.base_url);
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.queue_stats().await })
        })
        .collect();
    let fifth = tokio::spawn(async move { client.queue_stats().await });
    while socket.seen().len() < 4 {
        tokio::task::yield_now().await;
    }
    asked.iter().for_each(tokio::task::JoinHandle::abort);
    socket.left(4).await;
    fifth.await.unwrap().unwrap();
    assert_eq!(socket.seen().len(), 5, "the fifth waited for a place");
}

#[tokio::test]
async fn in_an_outage_each_question_is_asked_once_and_repeats_run_out() {
    let socket = Hostile::start([Act::Close]).await;
    let client = client(&socket.base_url);
    client.queue_stats().await.unwrap_err();
    assert!(matches!(*client.health().borrow(), Health::Offline { .. }), "three in ten seconds");
    assert_eq!(socket.seen().len(), 3);
    client.queue_stats().await.unwrap_err();
    assert_eq!(socket.seen().len(), 4);
}

#[tokio::test]
async fn an_answer_that_is_long_in_coming_is_called_slow_before_it_is_given_up() {
    let socket = Hostile::start([Act::Hang, Act::json(STATS)]).await;
    let client = hasty(&socket.base_url);
    let mut health = client.health();
    let first = client.clone();
    let asked = tokio::spawn(async move { first.queue_stats().await });
    health.wait_for(|health| *health == Health::Slow).await.unwrap();
    asked.await.unwrap().unwrap_err();
    // The next answer is as quick as this machine is.
    while client.queue_stats().await.is_err() {}
    assert_eq!(*client.health().borrow(), Health::Online);
}
