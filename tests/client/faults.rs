//! The client against a server that stalls, cuts off, floods, redirects and lies.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gantry::client::book::RecordRef;
use gantry::client::{
    Client, Endpoint, Limits, api, book, data, favorites, invitations, subscriptions, views,
};
use gantry::domain::batch::BatchItemResult;
use gantry::domain::book::{Annotation, RecordKind};
use gantry::domain::credits::RequestCost;
use gantry::domain::health::Health;
use gantry::domain::journal::{OutgoingWrite, RequestRecorder, WriteCounts, WriteProgress};
use gantry::domain::members::Role;
use gantry::domain::queue::{Priority, QueueFilter, TriageStatus};
use gantry::domain::request_error::{RequestError, RequestErrorKind};
use gantry::domain::search::Search;
use gantry::domain::signals::SignalType;
use gantry::domain::{SignalId, WorkspaceId};
use tokio::time::Instant;
use uuid::Uuid;

use crate::scripted_server::{ScriptedAction, ScriptedServer};

const WORKSPACE_ID: &str = "018f4d3a-0000-7000-8000-00000000000a";
const SIGNAL_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const STATS_JSON: &str =
    r#"{"new_count":3,"high_priority_new_count":1,"done_count":2,"type_counts":[]}"#;

/// A client with timeouts long enough for a busy machine.
fn client(base_url: &str) -> Client {
    client_with_limits(
        base_url,
        Limits {
            has_own_budget: true,
            ..Limits::default()
        },
    )
}

/// A client with short timeouts, for a silent or slow server.
fn impatient_client(base_url: &str) -> Client {
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
    client_with_limits(base_url, limits)
}

fn client_with_limits(base_url: &str, limits: Limits) -> Client {
    let workspace: WorkspaceId = WORKSPACE_ID.parse().unwrap();
    let endpoint = Endpoint {
        base_url: base_url.to_owned(),
        token: "gk_canary".to_owned().into(),
        workspace: Some(workspace),
        certificate: None,
    };
    Client::with_limits(endpoint, limits).unwrap()
}

/// Requests the stats from a scripted server; returns the result and the number of requests.
async fn fetch_stats(
    acts: impl IntoIterator<Item = ScriptedAction>,
) -> (Result<u64, RequestError>, usize) {
    let socket = ScriptedServer::start(acts).await;
    let outcome = client(&socket.base_url)
        .queue_stats()
        .await
        .map(|answer| answer.value.new_count);
    (outcome, socket.requests().len())
}

/// Requests the queue, which may cost credits.
async fn fetch_queue(
    acts: impl IntoIterator<Item = ScriptedAction>,
) -> (Result<usize, RequestError>, usize) {
    let socket = ScriptedServer::start(acts).await;
    let outcome = client(&socket.base_url)
        .queue(&QueueFilter::default(), 0, 50)
        .await
        .map(|answer| answer.value.rows.len());
    (outcome, socket.requests().len())
}

async fn send_triage(socket: &ScriptedServer) -> Result<u64, RequestError> {
    let ids: [SignalId; 1] = [SIGNAL_ID.parse().unwrap()];
    client(&socket.base_url)
        .triage(&ids, &TriageStatus::Done)
        .await
        .map(|answer| answer.value)
}

#[tokio::test]
async fn token_workspace_and_body_are_sent_where_the_api_expects_them() {
    let socket = ScriptedServer::start([ScriptedAction::json(r#"{"updated":1}"#)]).await;
    assert_eq!(send_triage(&socket).await.unwrap(), 1);
    client(&socket.base_url).queue_stats().await.unwrap_err();
    let seen = socket.requests();
    assert_eq!(seen[0].line, "POST /api/v1/signals/triage");
    assert!(seen[0].headers.contains("authorization: bearer gk_canary"));
    assert!(
        seen[0].headers.contains("accept-encoding: gzip\r\n")
            || seen[0].headers.ends_with("accept-encoding: gzip")
    );
    let body: serde_json::Value = serde_json::from_str(&seen[0].body).unwrap();
    assert_eq!(
        body,
        serde_json::json!({"workspace_id": WORKSPACE_ID, "signal_ids": [SIGNAL_ID], "status": "done"})
    );
    assert_eq!(
        seen[1].line,
        format!("GET /api/v1/signals/queue/stats?workspace_id={WORKSPACE_ID}")
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_its_host_is_reported() {
    let trap = ScriptedServer::start([ScriptedAction::json(STATS_JSON)]).await;
    for status in [301, 302, 307, 308] {
        let location: &'static str = Box::leak(
            format!(
                "location: {}/signals\r\n",
                trap.base_url.replace("127.0.0.1", "localhost")
            )
            .into(),
        );
        let socket =
            ScriptedServer::start([ScriptedAction::Respond(status, location, Vec::new())]).await;
        let failure = send_triage(&socket).await.unwrap_err();
        assert!(
            failure.message.contains("redirects to localhost"),
            "{}",
            failure.message
        );
        assert_eq!(socket.requests().len(), 1);
    }
    assert!(
        trap.requests().is_empty(),
        "neither token nor body reached the other origin"
    );
}

#[tokio::test]
async fn a_silent_service_times_out() {
    let socket = ScriptedServer::start([ScriptedAction::Hang]).await;
    let failure = impatient_client(&socket.base_url)
        .queue_stats()
        .await
        .unwrap_err();
    assert_eq!(
        (failure.kind, socket.requests().len()),
        (RequestErrorKind::Ambiguous, 1)
    );
    assert!(
        failure.message.contains("did not answer within 0.3 s"),
        "{}",
        failure.message
    );
    let socket = ScriptedServer::start([ScriptedAction::Hang]).await;
    let failure = impatient_client(&socket.base_url)
        .triage(&[SIGNAL_ID.parse().unwrap()], &TriageStatus::Done)
        .await
        .unwrap_err();
    assert_eq!(
        (failure.kind, socket.requests().len()),
        (RequestErrorKind::Ambiguous, 1)
    );
}

#[tokio::test]
async fn a_retry_shares_the_deadline_of_the_first_attempt() {
    let cut_off =
        ScriptedAction::SendSlowly(b"HTTP/1.1 200 OK\r\n".to_vec(), Duration::from_millis(25));
    let socket = ScriptedServer::start([cut_off, ScriptedAction::Hang]).await;
    let limits = Limits {
        first_byte_timeout_read: Duration::from_secs(2),
        has_own_budget: true,
        ..Limits::default()
    };
    let failure = client_with_limits(&socket.base_url, limits)
        .queue_stats()
        .await
        .unwrap_err();
    assert!(
        failure.message.contains("did not answer within 2 s"),
        "{}",
        failure.message
    );
    assert_eq!(socket.requests().len(), 2);
}

#[tokio::test]
async fn a_trickling_response_times_out() {
    let socket = ScriptedServer::start([ScriptedAction::Trickle(Duration::from_millis(20))]).await;
    let failure = impatient_client(&socket.base_url)
        .queue_stats()
        .await
        .unwrap_err();
    assert!(failure.message.contains("stalled"), "{}", failure.message);
}

#[tokio::test]
async fn a_failed_read_is_retried_twice_if_free_and_once_if_paid() {
    let cut = ScriptedAction::SendBytes(
        b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"new_co".to_vec(),
    );
    assert_eq!(
        fetch_stats([
            ScriptedAction::Close,
            cut.clone(),
            ScriptedAction::json(STATS_JSON)
        ])
        .await,
        (Ok(3), 3)
    );
    let (outcome, sends) = fetch_queue([ScriptedAction::Close, cut]).await;
    assert_eq!(
        (outcome.unwrap_err().kind, sends),
        (RequestErrorKind::Ambiguous, 2)
    );
}

#[tokio::test]
async fn a_triage_with_a_lost_response_is_retried_with_the_same_body() {
    let socket = ScriptedServer::start([
        ScriptedAction::Close,
        ScriptedAction::error_response(504, "", "timeout", "later"),
        ScriptedAction::json(r#"{"updated":0}"#),
    ])
    .await;
    assert_eq!(send_triage(&socket).await.unwrap(), 0);
    let bodies: Vec<_> = socket
        .requests()
        .into_iter()
        .map(|seen| seen.body)
        .collect();
    assert!(bodies.len() == 3 && bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn a_possibly_applied_write_is_never_reported_as_not_sent() {
    let socket = ScriptedServer::start([ScriptedAction::Shutdown]).await;
    let failure = send_triage(&socket).await.unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
    assert!(
        failure
            .message
            .ends_with("whether it was applied is unknown"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_possibly_applied_write_is_not_reported_as_rejected_by_its_retry() {
    for (status, header, why) in [
        (429, "retry-after: 60\r\n", "no; try again in 60 s"),
        (403, "", "not allowed: no "),
        (
            401,
            "",
            "rejected the token: no; check the token, or get a new join code from an owner or admin and run: gantry join",
        ),
    ] {
        let socket = ScriptedServer::start([
            ScriptedAction::Close,
            ScriptedAction::error_response(status, header, "odd_code", "no"),
        ])
        .await;
        let failure = send_triage(&socket).await.unwrap_err();
        assert_eq!(
            (failure.kind, socket.requests().len()),
            (RequestErrorKind::Ambiguous, 2),
            "{status}"
        );
        assert!(failure.message.contains(why), "{}", failure.message);
        assert!(
            failure
                .message
                .ends_with("whether it was applied is unknown"),
            "{}",
            failure.message
        );
    }
}

/// The recorded costs: one entry per id with its latest price.
#[derive(Default)]
struct SpendingRecorder(Mutex<BTreeMap<Uuid, Option<u64>>>, Option<usize>);

impl SpendingRecorder {
    /// A budget for this many sends.
    fn with_budget(sends: usize) -> Arc<SpendingRecorder> {
        Arc::new(SpendingRecorder(Mutex::default(), Some(sends)))
    }

    fn prices(&self) -> Vec<Option<u64>> {
        let mut prices: Vec<_> = self.0.lock().unwrap().values().copied().collect();
        prices.sort();
        prices
    }

    fn record_spending(&self, spending: RequestCost) {
        self.0.lock().unwrap().insert(spending.id, spending.credits);
    }
}

impl RequestRecorder for SpendingRecorder {
    fn before_read(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        if self.1 == Some(self.0.lock().unwrap().len()) {
            return Box::pin(async { Err("the budget is used up".to_owned()) });
        }
        self.record_spending(asked);
        Box::pin(async { Ok(()) })
    }

    fn before_retry(
        &self,
        asked: RequestCost,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        self.before_read(asked)
    }

    fn record_service_time(&self, _: DateTime<Utc>) {}

    fn record_cost(&self, spending: RequestCost) {
        self.record_spending(spending);
    }

    fn before_write(
        &self,
        _: OutgoingWrite,
    ) -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
        Box::pin(async { Ok(()) })
    }

    fn record_response(&self, _: Uuid, _: WriteCounts) {}

    fn record_outcome(&self, _: Uuid, _: WriteProgress, _: Option<String>) {}
}

#[tokio::test]
async fn every_attempt_of_a_paid_read_with_a_lost_response_has_an_unknown_price() {
    let lost = || ScriptedAction::Close;
    let refused = || ScriptedAction::error_response(403, "", "forbidden", "no");
    let found = || ScriptedAction::json(r#"{"data":[],"metadata":{"credits":7}}"#);
    for (acts, expected) in [
        (vec![refused()], vec![Some(0)]),
        (vec![lost(), refused()], vec![None, Some(0)]),
        (vec![ScriptedAction::Shutdown], vec![None, Some(0)]),
        (vec![lost(), lost()], vec![None, None]),
        (vec![lost(), found()], vec![None, Some(7)]),
    ] {
        let socket = ScriptedServer::start(acts.clone()).await;
        let booked = Arc::new(SpendingRecorder::default());
        let search = book::search(&RecordKind::Accounts, &Search::default());
        let _ = client(&socket.base_url)
            .with_recorder(booked.clone())
            .fetch_rows::<serde_json::Value>(search)
            .await;
        assert_eq!(booked.prices(), expected, "{acts:?}");
    }
}

#[tokio::test]
async fn a_retry_that_would_exceed_a_hard_budget_is_not_sent() {
    let found = || ScriptedAction::json(r#"{"data":[],"metadata":{"credits":7}}"#);
    let search = || book::search(&RecordKind::Accounts, &Search::default());
    let socket = ScriptedServer::start([ScriptedAction::Close, found()]).await;
    let booked = SpendingRecorder::with_budget(1);
    let answer = client(&socket.base_url)
        .with_recorder(booked.clone())
        .fetch_rows::<serde_json::Value>(search())
        .await;
    let failure = answer.unwrap_err();
    assert!(
        failure
            .message
            .ends_with("; not retried: the budget is used up"),
        "{}",
        failure.message
    );
    assert_eq!(
        (failure.kind, socket.requests().len(), booked.prices()),
        (RequestErrorKind::Ambiguous, 1, vec![None])
    );

    let socket = ScriptedServer::start([ScriptedAction::Close, found()]).await;
    let booked = SpendingRecorder::with_budget(2);
    client(&socket.base_url)
        .with_recorder(booked.clone())
        .fetch_rows::<serde_json::Value>(search())
        .await
        .unwrap();
    assert_eq!(
        (socket.requests().len(), booked.prices()),
        (2, vec![None, Some(7)]),
        "what fits the budget is sent"
    );
}

#[tokio::test]
async fn a_natural_language_query_counts_towards_the_budget_before_it_is_sent() {
    let understood = || {
        ScriptedAction::json(
            r#"{"data":{"entity":"projects","filters":{}},"metadata":{"credits":2}}"#,
        )
    };
    let ask = async |socket: &ScriptedServer, booked: Arc<SpendingRecorder>| {
        client(&socket.base_url)
            .with_recorder(booked)
            .fetch_value::<serde_json::Value>(data::ask_question("projects", "towers"))
            .await
    };
    let (socket, booked) = (
        ScriptedServer::start([understood()]).await,
        Arc::new(SpendingRecorder::default()),
    );
    ask(&socket, booked.clone()).await.unwrap();
    assert_eq!(booked.prices(), [Some(2)]);
    let socket = ScriptedServer::start([understood()]).await;
    let failure = ask(&socket, SpendingRecorder::with_budget(0))
        .await
        .unwrap_err();
    assert_eq!(
        (failure.kind, socket.requests().len()),
        (RequestErrorKind::OverBudget, 0),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_question_or_search_that_meets_a_bad_gateway_is_sent_again_because_it_changes_nothing() {
    let raw = |path| {
        api::raw_request(
            "POST",
            path,
            Vec::new(),
            Some(serde_json::json!({"limit": 1})),
        )
        .unwrap()
    };
    for request in [
        data::ask_question("projects", "towers"),
        raw("/filters/ask"),
        raw("/api/v1/data/projects/search"),
        raw("/workspace/skills/list"),
    ] {
        let bad_gateway =
            ScriptedAction::error_response(502, "", "bad_gateway", "upstream is restarting");
        let answer = ScriptedAction::json(r#"{"data":{"filters":{}},"metadata":{"credits":0}}"#);
        let socket = ScriptedServer::start([bad_gateway.clone(), answer]).await;
        let outcome = client(&socket.base_url)
            .fetch_value::<serde_json::Value>(request.clone())
            .await;
        assert!(outcome.is_ok(), "{request}: {outcome:?}");
        let socket = ScriptedServer::start([bad_gateway]).await;
        let failure = client(&socket.base_url)
            .fetch_value::<serde_json::Value>(request.clone())
            .await
            .unwrap_err();
        assert_eq!(socket.requests().len(), 2, "{request}");
        assert!(!failure.message.contains("applied"), "{}", failure.message);
    }
}

#[tokio::test]
async fn an_unsubscribe_with_a_lost_response_is_confirmed_by_reading_the_list() {
    let gone = || ScriptedAction::error_response(404, "", "not_found", "not subscribed");
    let left = || ScriptedAction::json(r#"{"subscriptions":[{"signal_type":"completion"}]}"#);
    for (acts, asked) in [
        (vec![left(), left()], vec!["DELETE", "GET"]),
        (
            vec![ScriptedAction::Close, gone(), left()],
            vec!["DELETE", "DELETE", "GET"],
        ),
        (vec![gone(), left()], vec!["DELETE", "GET"]),
        (
            vec![ScriptedAction::Respond(204, "", Vec::new()), left()],
            vec!["DELETE", "GET"],
        ),
    ] {
        let socket = ScriptedServer::start(acts).await;
        let left = client(&socket.base_url)
            .unsubscribe(&SignalType::PermitFiled)
            .await
            .unwrap();
        assert_eq!(
            (left.len(), request_methods(&socket)),
            (1, asked.iter().map(|method| (*method).to_owned()).collect())
        );
    }
    let socket = ScriptedServer::start([left(), ScriptedAction::Shutdown]).await;
    let failure = client(&socket.base_url)
        .unsubscribe(&SignalType::PermitFiled)
        .await
        .unwrap_err();
    assert_eq!(
        failure.kind,
        RequestErrorKind::Ambiguous,
        "it was sent: {}",
        failure.message
    );
}

#[tokio::test]
async fn a_write_that_may_not_be_idempotent_is_sent_once() {
    let socket = ScriptedServer::start([ScriptedAction::Close]).await;
    let invite = invitations::create("new@northline.example", &Role::Member);
    assert_eq!(
        (
            client(&socket.base_url)
                .execute(invite)
                .await
                .unwrap_err()
                .kind,
            socket.requests().len()
        ),
        (RequestErrorKind::Ambiguous, 1)
    );
}

/// The HTTP methods of the requests.
fn request_methods(socket: &ScriptedServer) -> Vec<String> {
    socket
        .requests()
        .iter()
        .map(|seen| seen.line.split(' ').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_favorite_with_a_lost_response_is_checked_before_it_is_retried() {
    let favorites = |ids: &[&str]| {
        let all: Vec<_> = ids
            .iter()
            .map(|id| serde_json::json!({"view_id": id, "position": 0}))
            .collect();
        ScriptedAction::json(
            &serde_json::json!({"data": {"favorites": all}, "metadata": {"credits": 0}})
                .to_string(),
        )
    };
    let view = SIGNAL_ID.parse().unwrap();
    let socket =
        ScriptedServer::start([ScriptedAction::Close, favorites(&[WORKSPACE_ID, SIGNAL_ID])]).await;
    assert!(
        client(&socket.base_url)
            .write_item(favorites::upsert(view))
            .await
            .unwrap()
            .is_ok()
    );
    assert_eq!(
        request_methods(&socket),
        ["POST", "GET"],
        "it had been applied: not sent again"
    );
    let made = ScriptedAction::json(&format!(r#"{{"data":{{"view_id":"{SIGNAL_ID}"}}}}"#));
    let socket =
        ScriptedServer::start([ScriptedAction::Close, favorites(&[WORKSPACE_ID]), made]).await;
    assert!(
        client(&socket.base_url)
            .write_item(favorites::upsert(view))
            .await
            .unwrap()
            .is_ok()
    );
    assert_eq!(
        request_methods(&socket),
        ["POST", "GET", "POST"],
        "it had not been applied"
    );
    let socket = ScriptedServer::start([ScriptedAction::Close]).await;
    assert_eq!(
        client(&socket.base_url)
            .write_item(favorites::upsert(view))
            .await
            .unwrap_err()
            .kind,
        RequestErrorKind::Ambiguous
    );
    assert_eq!(
        request_methods(&socket)
            .iter()
            .filter(|method| *method == "POST")
            .count(),
        1,
        "unknown: it is not sent again"
    );
    let batch = || favorites::upsert_batch(&[view, WORKSPACE_ID.parse().unwrap()]);
    let socket =
        ScriptedServer::start([ScriptedAction::Close, favorites(&[SIGNAL_ID, WORKSPACE_ID])]).await;
    assert_eq!(
        client(&socket.base_url)
            .fetch_rows::<BatchItemResult>(batch())
            .await
            .unwrap()
            .value
            .rows
            .len(),
        2
    );
}

#[tokio::test]
async fn a_subscription_with_a_lost_response_is_checked_before_it_is_retried() {
    let subscribed = |priority: &str| {
        let all = serde_json::json!([{"signal_type": "permit_filed", "priority": priority, "channels": ["email"]}]);
        ScriptedAction::json(&serde_json::json!({"subscriptions": all}).to_string())
    };
    let high = subscriptions::SubscriptionChange {
        priority: Some(Priority::High),
        ..subscriptions::SubscriptionChange::default()
    };
    let set = || subscriptions::set(&SignalType::PermitFiled, &high);
    let socket = ScriptedServer::start([ScriptedAction::Close, subscribed("high")]).await;
    let answer = client(&socket.base_url)
        .fetch_rows::<serde_json::Value>(set())
        .await
        .unwrap();
    assert!(answer.value.rows.len() == 1 && answer.was_retried);
    assert_eq!(request_methods(&socket), ["PUT", "GET"]);
    let socket =
        ScriptedServer::start([ScriptedAction::Close, subscribed("low"), subscribed("high")]).await;
    client(&socket.base_url)
        .fetch_rows::<serde_json::Value>(set())
        .await
        .unwrap();
    assert_eq!(
        request_methods(&socket),
        ["PUT", "GET", "PUT"],
        "unchanged: the write had not been applied"
    );
    let socket = ScriptedServer::start([
        ScriptedAction::Close,
        subscribed("low"),
        ScriptedAction::Close,
        subscribed("low"),
        ScriptedAction::Close,
    ])
    .await;
    assert_eq!(
        client(&socket.base_url)
            .fetch_rows::<serde_json::Value>(set())
            .await
            .unwrap_err()
            .kind,
        RequestErrorKind::Ambiguous
    );
    assert_eq!(
        request_methods(&socket)
            .iter()
            .filter(|method| *method == "PUT")
            .count(),
        3,
        "never more than three times"
    );
}

#[tokio::test]
async fn a_single_record_write_reports_like_its_batch() {
    let id = SIGNAL_ID.parse().unwrap();
    let gone =
        || ScriptedAction::error_response(404, "", "not_found", "no such account in the book");
    let socket = ScriptedServer::start([gone()]).await;
    let delete = || book::delete(&RecordKind::Accounts, id);
    let error = client(&socket.base_url)
        .write_item(delete())
        .await
        .unwrap()
        .error
        .expect("a missing record was not deleted");
    assert_eq!(error.code, "not_found");
    let socket = ScriptedServer::start([ScriptedAction::Close, gone()]).await;
    assert!(
        client(&socket.base_url)
            .write_item(delete())
            .await
            .unwrap()
            .is_ok(),
        "the first send deleted it"
    );
    let socket = ScriptedServer::start([ScriptedAction::Respond(204, "", Vec::new())]).await;
    assert!(
        client(&socket.base_url)
            .write_item(views::remove_record(id.into(), id))
            .await
            .unwrap()
            .is_ok(),
        "a delete may say nothing"
    );
    let socket = ScriptedServer::start([gone()]).await;
    let upsert = book::upsert(
        &RecordKind::Accounts,
        &RecordRef::Id(id),
        &Annotation::default(),
    );
    let error = client(&socket.base_url)
        .write_item(upsert.clone())
        .await
        .unwrap()
        .error
        .unwrap();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("not_found", "no such account in the book")
    );
    for (request, refusal) in [
        (
            views::add_record(id.into(), id),
            ScriptedAction::error_response(404, "", "view_not_found", "no such View"),
        ),
        (
            upsert.clone(),
            ScriptedAction::error_response(403, "", "forbidden", "not a member"),
        ),
        (
            upsert,
            ScriptedAction::Respond(404, "content-type: text/html\r\n", b"<html>".to_vec()),
        ),
    ] {
        let socket = ScriptedServer::start([refusal]).await;
        let name = request.to_string();
        let failure = client(&socket.base_url)
            .write_item(request)
            .await
            .expect_err(&name);
        assert!(
            matches!(failure.kind, RequestErrorKind::Rejected(_)),
            "{name}: it is not about the record"
        );
    }
    let refused = r#"{"data":{"view_id":null,"results":[{"index":0,"status":"error","error":{"code":"record_not_visible"}}]}}"#;
    let socket = ScriptedServer::start([ScriptedAction::json(refused)]).await;
    let item = client(&socket.base_url)
        .write_item(views::add_record(id.into(), id))
        .await
        .unwrap();
    assert_eq!(item.error.unwrap().code, "record_not_visible");
}

#[tokio::test]
async fn a_refused_connection_is_not_sent_and_says_what_to_do() {
    // a port that no other test can get
    let gone = "127.0.0.1:1";
    let failure = client(&format!("http://{gone}/api/v1"))
        .queue_stats()
        .await
        .unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::NotSent);
    assert_eq!(
        failure.message,
        format!(
            "cannot reach {gone}: connection refused; check the address and that the service is running"
        )
    );
}

#[tokio::test]
async fn a_short_retry_after_is_waited_for_and_a_long_one_is_reported() {
    let later = |after: &'static str| {
        ScriptedAction::error_response(429, after, "rate_limited", "Too many requests")
    };
    let begun = Instant::now();
    assert_eq!(
        fetch_stats([
            later("retry-after: 1\r\n"),
            ScriptedAction::json(STATS_JSON)
        ])
        .await,
        (Ok(3), 2)
    );
    assert!(begun.elapsed() >= Duration::from_secs(1));
    for (after, expected) in [
        ("retry-after: 3600\r\n", 3600),
        (
            "date: Wed, 21 Oct 2026 07:28:00 GMT\r\nretry-after: Wed, 21 Oct 2026 07:30:00 GMT\r\n",
            120,
        ),
        ("", 30),
        ("retry-after: soon\r\n", 30),
    ] {
        let (outcome, sends) = fetch_stats([later(after)]).await;
        let RequestErrorKind::Rejected(refusal) = outcome.unwrap_err().kind else {
            panic!("a 429 is an answer")
        };
        assert_eq!(
            (refusal.retry_after, sends),
            (Some(Duration::from_secs(expected)), 1),
            "{after}"
        );
    }
}

#[tokio::test]
async fn a_rejected_token_is_not_retried() {
    let (outcome, sends) = fetch_stats([ScriptedAction::error_response(
        401,
        "",
        "unauthorized",
        "Unknown token",
    )])
    .await;
    let failure = outcome.unwrap_err();
    assert!(failure.is_unauthorized() && sends == 1);
    assert!(
        failure.message.contains(
            "Unknown token; check the token, or get a new join code from an owner or admin and run: gantry join"
        ),
        "{}",
        failure.message
    );
    assert!(!failure.message.contains("canary"));
}

#[tokio::test]
async fn a_web_page_is_an_error_even_with_status_200() {
    let page = ScriptedAction::Respond(
        200,
        "content-type: text/html\r\n",
        b"<!DOCTYPE html><title>Sign in</title>".to_vec(),
    );
    let socket = ScriptedServer::start([page]).await;
    let failure = send_triage(&socket).await.unwrap_err();
    assert_eq!(
        (failure.kind, socket.requests().len()),
        (RequestErrorKind::Ambiguous, 1)
    );
    assert!(
        failure
            .message
            .starts_with("a web page answered instead of"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn unexpected_json_is_ambiguous_and_the_message_says_where() {
    for (body, expected) in [
        ("", "empty response"),
        (r#"{"new_count":"#, "invalid JSON at line 1"),
        (r#"{"new_count":NaN}"#, "invalid JSON at line 1, column 14"),
        ("[]", "unexpected response"),
        ("{}", "unexpected response"),
    ] {
        let (outcome, _) = fetch_stats([ScriptedAction::json(body)]).await;
        let failure = outcome.unwrap_err();
        assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
        assert!(
            failure.message.contains(expected) && !failure.message.contains('\n'),
            "{}",
            failure.message
        );
    }
    let (outcome, sends) = fetch_queue([ScriptedAction::json("{")]).await;
    assert!(outcome.is_err() && sends == 1, "it may have been paid for");
}

#[tokio::test]
async fn valid_json_is_accepted_with_any_content_type() {
    for act in [
        ScriptedAction::Respond(200, "content-type: text/plain\r\n", STATS_JSON.into()),
        ScriptedAction::Respond(200, "", STATS_JSON.into()),
        ScriptedAction::json(&format!("\u{feff}{STATS_JSON}\n")),
    ] {
        assert_eq!(fetch_stats([act]).await, (Ok(3), 1));
    }
}

#[tokio::test]
async fn the_size_limit_applies_after_decompression() {
    let begun = Instant::now();
    for act in [
        ScriptedAction::gzip_bomb(1000),
        ScriptedAction::json(&"x".repeat(9 * 1024 * 1024)),
    ] {
        let (outcome, sends) = fetch_stats([act]).await;
        let message = outcome.unwrap_err().message;
        assert!(message.contains("too large (limit 8 MiB)"), "{message}");
        assert_eq!(sends, 1);
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn a_failing_service_is_retried_a_few_times_then_reported() {
    let storm = || {
        [ScriptedAction::error_response(
            503,
            "",
            "unavailable",
            "Back soon",
        )]
    };
    let (outcome, sends) = fetch_stats(storm()).await;
    assert!(
        outcome
            .unwrap_err()
            .message
            .ends_with("has a server error (503): Back soon")
    );
    assert_eq!(sends, 3);
    assert_eq!(fetch_queue(storm()).await.1, 2);
}

#[tokio::test]
async fn a_response_that_is_not_http_fails_without_showing_its_bytes() {
    let flood = format!(
        "HTTP/1.1 200 OK\r\n{}\r\n{STATS_JSON}",
        "x-a: b\r\n".repeat(500)
    );
    for bytes in [
        b"\x1b[2J garbage\r\n\r\n".to_vec(),
        flood.into_bytes(),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
    ] {
        let (outcome, _) = fetch_stats([ScriptedAction::SendBytes(bytes)]).await;
        let failure = outcome.unwrap_err();
        assert_eq!(failure.kind, RequestErrorKind::Ambiguous);
        assert!(
            !failure.message.contains(char::is_control) && !failure.message.contains("garbage"),
            "{}",
            failure.message
        );
    }
}

#[tokio::test]
async fn a_rate_limited_route_waits_while_other_routes_go_on() {
    let later = ScriptedAction::error_response(
        429,
        "retry-after: 60\r\n",
        "rate_limited",
        "Too many requests",
    );
    let socket = ScriptedServer::start([later, ScriptedAction::json(r#"{"data":{}}"#)]).await;
    let client = client(&socket.base_url);
    client.queue_stats().await.unwrap_err();
    for _ in 0..3 {
        let failure = client.queue_stats().await.unwrap_err();
        assert!(
            failure.message.contains("rate limited by "),
            "{}",
            failure.message
        );
    }
    client.workspace().await.unwrap();
    assert_eq!(socket.requests().len(), 2);
    assert!(matches!(
        *client.health().borrow(),
        Health::RateLimited { .. }
    ));
}

#[tokio::test]
async fn nothing_is_sent_after_a_rejected_token_until_the_user_acts() {
    let socket = ScriptedServer::start([
        ScriptedAction::error_response(401, "", "unauthorized", "Unknown token"),
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    let client = client(&socket.base_url);
    for _ in 0..3 {
        assert!(client.queue_stats().await.unwrap_err().is_unauthorized());
        assert!(
            client
                .in_workspace(WORKSPACE_ID.parse().unwrap())
                .credits()
                .await
                .unwrap_err()
                .is_unauthorized()
        );
    }
    assert_eq!(
        (socket.requests().len(), client.health().borrow().clone()),
        (1, Health::SignedOut)
    );
    client.retry_credential();
    client.queue_stats().await.unwrap();
    assert_eq!(
        (socket.requests().len(), client.health().borrow().clone()),
        (2, Health::Online)
    );
}

#[tokio::test]
async fn a_dropped_request_is_cancelled_and_frees_its_slot() {
    let socket = ScriptedServer::start([
        ScriptedAction::Hang,
        ScriptedAction::Hang,
        ScriptedAction::Hang,
        ScriptedAction::Hang,
        ScriptedAction::json(STATS_JSON),
    ])
    .await;
    let client = client(&socket.base_url);
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.queue_stats().await })
        })
        .collect();
    let fifth = tokio::spawn(async move { client.queue_stats().await });
    while socket.requests().len() < 4 {
        tokio::task::yield_now().await;
    }
    asked.iter().for_each(tokio::task::JoinHandle::abort);
    socket.wait_for_disconnects(4).await;
    fifth.await.unwrap().unwrap();
    assert_eq!(
        socket.requests().len(),
        5,
        "the fifth waited for a free slot"
    );
}

#[tokio::test]
async fn in_an_outage_requests_are_sent_once_and_the_retry_budget_runs_out() {
    let socket = ScriptedServer::start([ScriptedAction::Close]).await;
    let client = client(&socket.base_url);
    client.queue_stats().await.unwrap_err();
    assert!(
        matches!(*client.health().borrow(), Health::Offline { .. }),
        "three in ten seconds"
    );
    assert_eq!(socket.requests().len(), 3);
    client.queue_stats().await.unwrap_err();
    assert_eq!(socket.requests().len(), 4);
}

#[tokio::test]
async fn a_late_response_is_reported_as_slow_before_it_times_out() {
    let socket =
        ScriptedServer::start([ScriptedAction::Hang, ScriptedAction::json(STATS_JSON)]).await;
    let client = impatient_client(&socket.base_url);
    let mut health = client.health();
    let first = client.clone();
    let asked = tokio::spawn(async move { first.queue_stats().await });
    health
        .wait_for(|health| *health == Health::Slow)
        .await
        .unwrap();
    asked.await.unwrap().unwrap_err();
    // The next response depends on how fast this machine is.
    while client.queue_stats().await.is_err() {}
    assert_eq!(*client.health().borrow(), Health::Online);
}
