//! Lists prefetch one page, and never more.

use gantry::client::book::search;
use gantry::client::paging::Pager;
use gantry::client::{Client, Endpoint};
use gantry::client::{data, queue, signals};
use gantry::domain::book::Dataset;
use gantry::domain::book::RecordKind;
use gantry::domain::search::RecordSource;
use serde_json::json;
use serde_json::value::RawValue;

use crate::scripted_server::{ScriptedAction, ScriptedServer};

/// A page of a hundred rows with this cursor.
fn cursor_page(nth: usize, cursor: Option<&str>) -> ScriptedAction {
    let rows: Vec<_> = (0..100).map(|row| json!({"id": nth * 100 + row})).collect();
    ScriptedAction::json(
        &json!({"data": rows, "metadata": {"credits": 100, "total": 1000, "total_is_capped": true, "search_after": cursor}})
            .to_string(),
    )
}

fn start_pages(socket: &ScriptedServer, rows: u32) -> Pager<Box<RawValue>> {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    let client = Client::new(Endpoint {
        base_url: socket.base_url.clone(),
        token: "gk_canary".to_owned().into(),
        workspace,
        certificate: None,
    });
    Pager::new(
        &client.unwrap(),
        search(&RecordKind::Accounts, &Default::default()),
        rows,
        100,
    )
}

/// The cursors that were requested.
fn sent_cursors(socket: &ScriptedServer) -> Vec<String> {
    let cursor = |body: &str| {
        serde_json::from_str::<serde_json::Value>(body).unwrap()["search_after"]
            .as_str()
            .map(str::to_owned)
    };
    socket
        .requests()
        .iter()
        .map(|seen| cursor(&seen.body).unwrap_or_default())
        .collect()
}

#[tokio::test]
async fn only_the_next_page_is_prefetched() {
    let socket = ScriptedServer::start([
        cursor_page(0, Some("b")),
        cursor_page(1, Some("c")),
        cursor_page(2, Some("d")),
        cursor_page(3, None),
    ])
    .await;
    let mut pages = start_pages(&socket, u32::MAX);
    assert_eq!(
        socket.requests().len(),
        0,
        "nothing is requested before it is needed"
    );
    for looked_at in 1..=3 {
        assert_eq!(pages.next().await.unwrap().unwrap().value.rows.len(), 100);
        assert!(
            socket.requests().len() <= looked_at + 1,
            "{:?}",
            sent_cursors(&socket)
        );
        socket.wait_for_requests(looked_at + 1).await;
    }
    assert!(pages.next().await.unwrap().is_some() && pages.next().await.unwrap().is_none());
    assert!(pages.is_complete());
    assert_eq!(sent_cursors(&socket), ["", "b", "c", "d"]);
}

#[tokio::test]
async fn dropping_the_pager_cancels_the_prefetch() {
    let socket = ScriptedServer::start([cursor_page(0, Some("b")), ScriptedAction::Hang]).await;
    let mut pages = start_pages(&socket, u32::MAX);
    pages.next().await.unwrap();
    socket.wait_for_requests(2).await;
    drop(pages);
    socket.wait_for_disconnects(1).await;
    assert_eq!(socket.requests().len(), 2);
}

#[tokio::test]
async fn the_pager_requests_no_more_rows_than_wanted() {
    let socket = ScriptedServer::start([
        cursor_page(0, Some("b")),
        cursor_page(1, Some("c")),
        cursor_page(2, Some("d")),
    ])
    .await;
    let mut pages = start_pages(&socket, 250);
    while pages.next().await.unwrap().is_some() {}
    let limits: Vec<_> = socket
        .requests()
        .iter()
        .map(|seen| serde_json::from_str::<serde_json::Value>(&seen.body).unwrap()["limit"].clone())
        .collect();
    assert_eq!(limits, [100, 100, 50]);
}

#[tokio::test]
async fn a_list_with_a_capped_total_is_read_to_the_end() {
    let acts = (0..230)
        .map(|nth| cursor_page(nth, (nth < 229).then(|| format!("after {nth}")).as_deref()));
    let socket = ScriptedServer::start(acts).await;
    let mut pages = start_pages(&socket, u32::MAX);
    let mut rows = 0;
    while let Some(answer) = pages.next().await.unwrap() {
        rows += answer.value.rows.len();
    }
    assert_eq!((rows, pages.is_complete()), (23_000, true));
}

#[tokio::test]
async fn a_repeated_cursor_ends_the_list() {
    let socket = ScriptedServer::start([
        cursor_page(0, Some("b")),
        cursor_page(1, Some("b")),
        cursor_page(2, Some("b")),
    ])
    .await;
    let mut pages = start_pages(&socket, u32::MAX);
    while pages.next().await.unwrap().is_some() {}
    assert_eq!(sent_cursors(&socket), ["", "b"]);
}

#[tokio::test]
async fn a_failed_page_can_be_retried() {
    let refused = ScriptedAction::error_response(400, "", "bad_request", "not today");
    let socket =
        ScriptedServer::start([cursor_page(0, Some("b")), refused, cursor_page(1, None)]).await;
    let mut pages = start_pages(&socket, u32::MAX);
    pages.next().await.unwrap();
    assert_eq!(pages.next().await.unwrap_err().status(), Some(400));
    assert!(pages.next().await.unwrap().is_some() && pages.next().await.unwrap().is_none());
    assert_eq!(sent_cursors(&socket), ["", "b", "b"]);
}

/// Pages of a list by offset with this many rows each, whatever limit was requested.
fn offset_pages(name: &str, sizes: &[usize], total: Option<usize>) -> Vec<ScriptedAction> {
    let mut from = 0;
    let page = |size: &usize| {
        let rows: Vec<_> = (from..from + size).map(|row| json!({"id": row})).collect();
        let answer = match name {
            "data" => json!({"data": rows, "metadata": {"credits": size, "total": total}}),
            _ => json!({name: rows, "pagination": {"limit": 200, "offset": from, "total": total}}),
        };
        from += size;
        ScriptedAction::json(&answer.to_string())
    };
    sizes.iter().map(page).collect()
}

fn client(socket: &ScriptedServer) -> Client {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    Client::new(Endpoint {
        base_url: socket.base_url.clone(),
        token: "gk_canary".to_owned().into(),
        workspace,
        certificate: None,
    })
    .unwrap()
}

/// How many rows were received, and how the list ended.
async fn read_to_end(mut pages: Pager<Box<RawValue>>) -> (usize, &'static str) {
    let mut rows = 0;
    while let Some(answer) = pages.next().await.unwrap() {
        rows += answer.value.rows.len();
    }
    let ends = [
        (pages.is_complete(), "whole"),
        (pages.is_withheld(), "withheld"),
        (pages.is_repeating(), "repeats"),
    ];
    (
        rows,
        ends.into_iter()
            .find(|(is, _)| *is)
            .map_or("open", |(_, word)| word),
    )
}

/// Reads the whole queue with pages of these sizes; returns the number of rows, how it ended and
/// the number of requests.
async fn read_queue(sizes: &[usize], total: Option<usize>) -> (usize, &'static str, usize) {
    let socket = ScriptedServer::start(offset_pages("signals", sizes, total)).await;
    let (rows, end) = read_to_end(Pager::new(
        &client(&socket),
        queue::list(&Default::default()),
        u32::MAX,
        200,
    ))
    .await;
    (rows, end, socket.requests().len())
}

#[tokio::test]
async fn a_list_ends_at_its_total_not_at_a_short_or_empty_page() {
    assert_eq!(
        read_queue(&[7, 7, 7, 2], Some(23)).await,
        (23, "whole", 4),
        "pages shorter than the limit"
    );
    assert_eq!(
        read_queue(&[0, 23], Some(23)).await,
        (23, "whole", 2),
        "a first empty page with more to come"
    );
    assert_eq!(
        read_queue(&[20, 0, 3], Some(23)).await,
        (23, "whole", 3),
        "an empty page before the last"
    );
    assert_eq!(read_queue(&[20, 0, 0, 3], Some(23)).await, (23, "whole", 4));
    assert_eq!(read_queue(&[0], Some(0)).await, (0, "whole", 1));
}

#[tokio::test]
async fn a_list_that_sends_less_than_its_total_is_reported_as_truncated() {
    assert_eq!(
        read_queue(&[20, 0, 0, 0, 0, 0, 0, 0], Some(23)).await,
        (20, "withheld", 4)
    );
    assert_eq!(read_queue(&[0], Some(1 << 53)).await, (0, "withheld", 3));
}

#[tokio::test]
async fn a_list_without_a_total_ends_at_an_empty_page() {
    assert_eq!(read_queue(&[7, 200, 5, 0], None).await, (212, "whole", 4));
    let socket = ScriptedServer::start(offset_pages("signals", &[7, 5, 0], None)).await;
    let end = read_to_end(Pager::new(
        &client(&socket),
        signals::feed(&Default::default()),
        10,
        200,
    ))
    .await;
    assert_eq!(
        (end, socket.requests().len()),
        ((12, "open"), 2),
        "not beyond the requested rows"
    );
}

#[tokio::test]
async fn a_window_says_where_the_list_goes_on_however_many_rows_came() {
    let down = || ScriptedAction::error_response(503, "", "unavailable", "busy");
    for (mut pages, failing, expected) in [
        (
            offset_pages("signals", &[7, 43], None),
            false,
            (50, Some(50)),
        ),
        (offset_pages("signals", &[7], None), true, (7, Some(7))),
        (offset_pages("signals", &[7, 0], None), false, (7, None)),
        (offset_pages("signals", &[7], Some(7)), false, (7, None)),
    ] {
        pages.extend(failing.then(down));
        let socket = ScriptedServer::start(pages).await;
        let window = client(&socket)
            .feed(&Default::default(), 0, 50)
            .await
            .unwrap()
            .value;
        assert_eq!(
            (window.rows.len() + window.unreadable, window.next_offset),
            expected
        );
    }
}

#[tokio::test]
async fn a_list_that_ignores_the_offset_is_stopped_at_once() {
    let same = || offset_pages("signals", &[20], Some(153)).remove(0);
    let socket = ScriptedServer::start([same(), same()]).await;
    let end = read_to_end(Pager::new(
        &client(&socket),
        queue::list(&Default::default()),
        u32::MAX,
        200,
    ))
    .await;
    assert_eq!((end, socket.requests().len()), ((20, "repeats"), 2));
}

#[tokio::test]
async fn rows_that_arrive_meanwhile_move_the_others_and_do_not_end_a_list_with_an_error() {
    let page = |ids: std::ops::Range<usize>| {
        let rows: Vec<_> = ids.map(|id| json!({"id": id})).collect();
        ScriptedAction::json(
            &json!({"signals": rows, "pagination": {"limit": 200, "total": null}}).to_string(),
        )
    };
    for (pages, expected) in [
        (vec![page(0..7), page(6..7), page(0..0)], (7, "whole")),
        (
            vec![page(0..7), page(5..7), page(6..7), page(0..0)],
            (7, "whole"),
        ),
        (
            vec![page(0..7), page(6..7), page(6..7), page(6..7), page(6..7)],
            (7, "repeats"),
        ),
    ] {
        let socket = ScriptedServer::start(pages).await;
        let feed = Pager::new(
            &client(&socket),
            signals::feed(&Default::default()),
            u32::MAX,
            200,
        );
        assert_eq!(read_to_end(feed).await, expected);
    }
}

#[tokio::test]
async fn a_search_without_cursors_continues_by_offset() {
    let index = || data::search(&Dataset::Projects, &Default::default());
    for (sizes, total, expected) in [
        (&[100, 26][..], Some(126), (126, "whole")),
        (&[100, 26, 0], None, (126, "whole")),
        (&[100, 0, 26], Some(126), (126, "whole")),
        (&[30, 30, 30, 30, 6], Some(126), (126, "whole")),
    ] {
        let socket = ScriptedServer::start(offset_pages("data", sizes, total)).await;
        assert_eq!(
            read_to_end(Pager::new(&client(&socket), index(), u32::MAX, 100)).await,
            expected,
            "{sizes:?} {total:?}"
        );
        let second: serde_json::Value = serde_json::from_str(&socket.requests()[1].body).unwrap();
        assert_eq!(second["offset"], sizes[0], "{sizes:?}");
    }
}

#[tokio::test]
async fn empty_pages_with_a_cursor_are_skipped_up_to_a_limit() {
    let empty = |cursor: &str| {
        ScriptedAction::json(
            &json!({"data": [], "metadata": {"credits": 0, "search_after": cursor}}).to_string(),
        )
    };
    let socket =
        ScriptedServer::start([cursor_page(0, Some("b")), empty("c"), cursor_page(2, None)]).await;
    assert_eq!(
        read_to_end(start_pages(&socket, u32::MAX)).await,
        (200, "whole")
    );
    let socket = ScriptedServer::start((0..9).map(|nth| empty(&nth.to_string()))).await;
    assert_eq!(
        (
            read_to_end(start_pages(&socket, u32::MAX)).await,
            socket.requests().len()
        ),
        ((0, "withheld"), 3)
    );
}

#[tokio::test]
async fn a_search_page_knows_the_next_position_with_or_without_a_cursor() {
    let found = |answers: Vec<serde_json::Value>, after: Option<&'static str>| async move {
        let socket = ScriptedServer::start(
            answers
                .iter()
                .map(|answer| ScriptedAction::json(&answer.to_string())),
        )
        .await;
        let request = gantry::client::search::search_page(
            &RecordSource::Index(Dataset::Projects),
            &Default::default(),
            after,
            2,
        );
        let found = client(&socket).search_page(request, 2).await.unwrap().value;
        (
            found.rows.len(),
            found.search_after,
            socket.requests().last().unwrap().body.clone(),
        )
    };
    let row = |n: u8| json!({"id": format!("018f4d3a-0000-7000-8000-0000000000{n:02}")});
    let two = || json!([row(1), row(2)]);
    let (rows, after, _) = found(
        vec![json!({"data": two(), "metadata": {"search_after": "b"}})],
        None,
    )
    .await;
    assert_eq!((rows, after.as_deref()), (2, Some("b")));
    let (_, after, _) = found(
        vec![json!({"data": two(), "metadata": {"search_after": null}})],
        None,
    )
    .await;
    assert_eq!(after, None);
    let (_, after, _) = found(vec![json!({"data": two()})], None).await;
    assert_eq!(
        after.as_deref(),
        Some("gantry-offset=2"),
        "unknown whether there is more, so there may be"
    );
    let (rows, after, body) = found(vec![json!({"data": [row(3)]})], Some("gantry-offset=2")).await;
    assert_eq!((rows, after.as_deref()), (1, Some("gantry-offset=3")));
    assert!(
        body.contains(r#""offset":2"#) && !body.contains("search_after"),
        "{body}"
    );
    let (rows, after, _) = found(vec![json!({"data": []})], Some("gantry-offset=3")).await;
    assert_eq!((rows, after), (0, None));
    let empty = json!({"data": [], "metadata": {"credits": 0, "search_after": "c"}});
    let (rows, after, _) = found(
        vec![
            empty,
            json!({"data": two(), "metadata": {"search_after": null}}),
        ],
        Some("b"),
    )
    .await;
    assert_eq!((rows, after), (2, None), "an empty page is skipped");
}

#[tokio::test]
async fn a_smaller_page_limit_of_the_service_is_adopted_and_remembered() {
    let refused =
        ScriptedAction::error_response(400, "", "bad_request", "limit must be at most 50");
    let mut acts = vec![refused];
    acts.extend(offset_pages("signals", &[50, 50, 23], Some(123)));
    let socket = ScriptedServer::start(acts).await;
    let client = client(&socket);
    assert_eq!(
        read_to_end(Pager::new(
            &client,
            queue::list(&Default::default()),
            u32::MAX,
            200
        ))
        .await,
        (123, "whole")
    );
    let limits = || -> Vec<String> {
        let limit = |line: &str| {
            line.split(['?', '&'])
                .find_map(|part| part.strip_prefix("limit="))
                .unwrap()
                .to_owned()
        };
        socket
            .requests()
            .iter()
            .map(|seen| limit(&seen.line))
            .collect()
    };
    assert_eq!(limits(), ["200", "50", "50", "50"]);
    let _ = client.queue(&Default::default(), 0, 100).await;
    assert_eq!(limits()[4], "50", "the limit is remembered");
    let refused = ScriptedAction::error_response(400, "", "bad_request", "limit is below 3");
    let socket = ScriptedServer::start([refused]).await;
    let failure = self::client(&socket)
        .queue(&Default::default(), 0, 100)
        .await
        .unwrap_err();
    assert_eq!(
        (failure.status(), socket.requests().len()),
        (Some(400), 2),
        "a service that never has enough is not asked for ever"
    );
}

#[tokio::test]
async fn a_queue_window_is_filled_from_pages_of_any_size() {
    let page = |from: usize, size: usize| {
        let id = |row: usize| format!("018f4d3a-0000-7000-8000-{row:012}");
        let rows: Vec<_> = (from..from + size)
            .map(|row| json!({"id": id(row)}))
            .collect();
        ScriptedAction::json(&json!({"signals": rows, "pagination": {"total": 153}}).to_string())
    };
    let socket = ScriptedServer::start([page(0, 60), page(60, 0), page(60, 40)]).await;
    let window = client(&socket)
        .queue(&Default::default(), 0, 100)
        .await
        .unwrap()
        .value;
    assert_eq!(
        (window.rows.len(), window.total, window.offset),
        (100, Some(153), 0)
    );
    assert_eq!(socket.requests().len(), 3);
}
