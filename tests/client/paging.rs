//! A list is read one page ahead of who looks at it, and never further.

use gantry::client::book::search;
use gantry::client::paging::Pager;
use gantry::client::{Client, Endpoint};
use gantry::client::{data, queue, signals};
use gantry::domain::book::Dataset;
use gantry::domain::book::RecordKind;
use gantry::domain::search::RecordSource;
use serde_json::json;
use serde_json::value::RawValue;

use crate::hostile::{Act, Hostile};

/// A page of a hundred rows that leads to the next by this cursor.
fn page(nth: usize, cursor: Option<&str>) -> Act {
    let rows: Vec<_> = (0..100).map(|row| json!({"id": nth * 100 + row})).collect();
    Act::json(
        &json!({"data": rows, "metadata": {"credits": 100, "total": 1000, "total_is_capped": true, "search_after": cursor}})
            .to_string(),
    )
}

fn pages(socket: &Hostile, rows: u32) -> Pager<Box<RawValue>> {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    let client = Client::new(Endpoint { base_url: socket.base_url.clone(), token: "gk_canary".to_owned().into(), workspace });
    Pager::new(&client.unwrap(), search(&RecordKind::Accounts, &Default::default()), rows, 100)
}

/// The cursors that were sent.
fn cursors(socket: &Hostile) -> Vec<String> {
    let cursor =
        |body: &str| serde_json::from_str::<serde_json::Value>(body).unwrap()["search_after"].as_str().map(str::to_owned);
    socket.seen().iter().map(|seen| cursor(&seen.body).unwrap_or_default()).collect()
}

#[tokio::test]
async fn while_a_page_is_looked_at_the_next_one_is_on_its_way_and_no_other() {
    let socket = Hostile::start([page(0, Some("b")), page(1, Some("c")), page(2, Some("d")), page(3, None)]).await;
    let mut pages = pages(&socket, u32::MAX);
    assert_eq!(socket.seen().len(), 0, "nothing is asked before somebody wants it");
    for looked_at in 1..=3 {
        assert_eq!(pages.next().await.unwrap().unwrap().value.rows.len(), 100);
        assert!(socket.seen().len() <= looked_at + 1, "{:?}", cursors(&socket));
        socket.came(looked_at + 1).await;
    }
    assert!(pages.next().await.unwrap().is_some() && pages.next().await.unwrap().is_none());
    assert!(pages.is_complete());
    assert_eq!(cursors(&socket), ["", "b", "c", "d"]);
}

#[tokio::test]
async fn who_looks_no_further_takes_the_request_back() {
    let socket = Hostile::start([page(0, Some("b")), Act::Hang]).await;
    let mut pages = pages(&socket, u32::MAX);
    pages.next().await.unwrap();
    socket.came(2).await;
    drop(pages);
    socket.left(1).await;
    assert_eq!(socket.seen().len(), 2);
}

#[tokio::test]
async fn as_many_rows_as_were_asked_for_are_asked_for_and_not_one_more() {
    let socket = Hostile::start([page(0, Some("b")), page(1, Some("c")), page(2, Some("d"))]).await;
    let mut pages = pages(&socket, 250);
    while pages.next().await.unwrap().is_some() {}
    let limits: Vec<_> = socket
        .seen()
        .iter()
        .map(|seen| serde_json::from_str::<serde_json::Value>(&seen.body).unwrap()["limit"].clone())
        .collect();
    assert_eq!(limits, [100, 100, 50]);
}

#[tokio::test]
async fn a_list_of_which_only_the_cap_is_told_is_read_to_its_end() {
    let acts = (0..230).map(|nth| page(nth, (nth < 229).then(|| format!("after {nth}")).as_deref()));
    let socket = Hostile::start(acts).await;
    let mut pages = pages(&socket, u32::MAX);
    let mut rows = 0;
    while let Some(answer) = pages.next().await.unwrap() {
        rows += answer.value.rows.len();
    }
    assert_eq!((rows, pages.is_complete()), (23_000, true));
}

#[tokio::test]
async fn a_cursor_that_comes_back_ends_the_list() {
    let socket = Hostile::start([page(0, Some("b")), page(1, Some("b")), page(2, Some("b"))]).await;
    let mut pages = pages(&socket, u32::MAX);
    while pages.next().await.unwrap().is_some() {}
    assert_eq!(cursors(&socket), ["", "b"]);
}

#[tokio::test]
async fn a_page_that_failed_can_be_asked_for_again() {
    let refused = Act::refusal(400, "", "bad_request", "not today");
    let socket = Hostile::start([page(0, Some("b")), refused, page(1, None)]).await;
    let mut pages = pages(&socket, u32::MAX);
    pages.next().await.unwrap();
    assert_eq!(pages.next().await.unwrap_err().status(), Some(400));
    assert!(pages.next().await.unwrap().is_some() && pages.next().await.unwrap().is_none());
    assert_eq!(cursors(&socket), ["", "b", "b"]);
}

/// Pages of a list by offset, of this many rows each, whatever was asked for.
fn by_offset(name: &str, sizes: &[usize], total: Option<usize>) -> Vec<Act> {
    let mut from = 0;
    let page = |size: &usize| {
        let rows: Vec<_> = (from..from + size).map(|row| json!({"id": row})).collect();
        let answer = match name {
            "data" => json!({"data": rows, "metadata": {"credits": size, "total": total}}),
            _ => json!({name: rows, "pagination": {"limit": 200, "offset": from, "total": total}}),
        };
        from += size;
        Act::json(&answer.to_string())
    };
    sizes.iter().map(page).collect()
}

fn client(socket: &Hostile) -> Client {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    Client::new(Endpoint { base_url: socket.base_url.clone(), token: "gk_canary".to_owned().into(), workspace }).unwrap()
}

/// How many rows came, and how the list ended.
async fn read(mut pages: Pager<Box<RawValue>>) -> (usize, &'static str) {
    let mut rows = 0;
    while let Some(answer) = pages.next().await.unwrap() {
        rows += answer.value.rows.len();
    }
    let ends = [(pages.is_complete(), "whole"), (pages.is_withheld(), "withheld"), (pages.is_repeating(), "repeats")];
    (rows, ends.into_iter().find(|(is, _)| *is).map_or("open", |(_, word)| word))
}

/// The whole queue, from a service whose pages are so; how many rows came, how it ended and how often it was asked.
async fn queue_of(sizes: &[usize], total: Option<usize>) -> (usize, &'static str, usize) {
    let socket = Hostile::start(by_offset("signals", sizes, total)).await;
    let (rows, end) = read(Pager::new(&client(&socket), queue::list(&Default::default()), u32::MAX, 200)).await;
    (rows, end, socket.seen().len())
}

#[tokio::test]
async fn a_list_ends_by_its_total_and_not_by_a_short_or_an_empty_page() {
    assert_eq!(queue_of(&[7, 7, 7, 2], Some(23)).await, (23, "whole", 4), "pages shorter than the limit");
    assert_eq!(queue_of(&[0, 23], Some(23)).await, (23, "whole", 2), "a first empty page with more to come");
    assert_eq!(queue_of(&[20, 0, 3], Some(23)).await, (23, "whole", 3), "an empty page before the last");
    assert_eq!(queue_of(&[20, 0, 0, 3], Some(23)).await, (23, "whole", 4));
    assert_eq!(queue_of(&[0], Some(0)).await, (0, "whole", 1));
}

#[tokio::test]
async fn a_list_that_says_more_than_it_sends_is_left_and_said_to_be_cut() {
    assert_eq!(queue_of(&[20, 0, 0, 0, 0, 0, 0, 0], Some(23)).await, (20, "withheld", 4));
    assert_eq!(queue_of(&[0], Some(1 << 53)).await, (0, "withheld", 3));
}

#[tokio::test]
async fn a_list_without_a_total_goes_on_until_nothing_comes() {
    assert_eq!(queue_of(&[7, 200, 5, 0], None).await, (212, "whole", 4));
    let socket = Hostile::start(by_offset("signals", &[7, 5, 0], None)).await;
    let end = read(Pager::new(&client(&socket), signals::feed(&Default::default()), 10, 200)).await;
    assert_eq!((end, socket.seen().len()), ((12, "open"), 2), "no further than was asked for");
}

#[tokio::test]
async fn a_list_that_ignores_where_it_is_to_begin_is_left_at_once() {
    let same = || by_offset("signals", &[20], Some(153)).remove(0);
    let socket = Hostile::start([same(), same()]).await;
    let end = read(Pager::new(&client(&socket), queue::list(&Default::default()), u32::MAX, 200)).await;
    assert_eq!((end, socket.seen().len()), ((20, "repeats"), 2));
}

#[tokio::test]
async fn a_search_without_cursors_goes_on_by_offset() {
    let index = || data::search(&Dataset::Projects, &Default::default());
    for (sizes, total, expected) in [
        (&[100, 26][..], Some(126), (126, "whole")),
        (&[100, 26, 0], None, (126, "whole")),
        (&[100, 0, 26], Some(126), (126, "whole")),
        (&[30, 30, 30, 30, 6], Some(126), (126, "whole")),
    ] {
        let socket = Hostile::start(by_offset("data", sizes, total)).await;
        assert_eq!(read(Pager::new(&client(&socket), index(), u32::MAX, 100)).await, expected, "{sizes:?} {total:?}");
        let second: serde_json::Value = serde_json::from_str(&socket.seen()[1].body).unwrap();
        assert_eq!(second["offset"], sizes[0], "{sizes:?}");
    }
}

#[tokio::test]
async fn an_empty_page_with_a_cursor_is_passed_over_and_an_endless_row_of_them_is_left() {
    let empty = |cursor: &str| Act::json(&json!({"data": [], "metadata": {"credits": 0, "search_after": cursor}}).to_string());
    let socket = Hostile::start([page(0, Some("b")), empty("c"), page(2, None)]).await;
    assert_eq!(read(pages(&socket, u32::MAX)).await, (200, "whole"));
    let socket = Hostile::start((0..9).map(|nth| empty(&nth.to_string()))).await;
    assert_eq!((read(pages(&socket, u32::MAX)).await, socket.seen().len()), ((0, "withheld"), 3));
}

#[tokio::test]
async fn a_page_of_a_search_says_where_the_next_one_begins_with_a_cursor_or_without() {
    let found = |answers: Vec<serde_json::Value>, after: Option<&'static str>| async move {
        let socket = Hostile::start(answers.iter().map(|answer| Act::json(&answer.to_string()))).await;
        let request = gantry::client::search::search_page(&RecordSource::Index(Dataset::Projects), &Default::default(), after, 2);
        let found = client(&socket).search_page(request, 2).await.unwrap().value;
        (found.rows.len(), found.search_after, socket.seen().last().unwrap().body.clone())
    };
    let row = |n: u8| json!({"id": format!("018f4d3a-0000-7000-8000-0000000000{n:02}")});
    let two = || json!([row(1), row(2)]);
    let (rows, after, _) = found(vec![json!({"data": two(), "metadata": {"search_after": "b"}})], None).await;
    assert_eq!((rows, after.as_deref()), (2, Some("b")));
    let (_, after, _) = found(vec![json!({"data": two(), "metadata": {"search_after": null}})], None).await;
    assert_eq!(after, None);
    let (_, after, _) = found(vec![json!({"data": two()})], None).await;
    assert_eq!(after.as_deref(), Some("gantry-offset=2"), "whether there is more is not told: there may be");
    let (rows, after, body) = found(vec![json!({"data": [row(3)]})], Some("gantry-offset=2")).await;
    assert_eq!((rows, after.as_deref()), (1, Some("gantry-offset=3")));
    assert!(body.contains(r#""offset":2"#) && !body.contains("search_after"), "{body}");
    let (rows, after, _) = found(vec![json!({"data": []})], Some("gantry-offset=3")).await;
    assert_eq!((rows, after), (0, None));
    let empty = json!({"data": [], "metadata": {"credits": 0, "search_after": "c"}});
    let (rows, after, _) = found(vec![empty, json!({"data": two(), "metadata": {"search_after": null}})], Some("b")).await;
    assert_eq!((rows, after), (2, None), "an empty page is passed over");
}

#[tokio::test]
async fn a_service_with_a_smaller_limit_is_asked_again_with_its_own_and_remembered() {
    let refused = Act::refusal(400, "", "bad_request", "limit must be at most 50");
    let mut acts = vec![refused];
    acts.extend(by_offset("signals", &[50, 50, 23], Some(123)));
    let socket = Hostile::start(acts).await;
    let client = client(&socket);
    assert_eq!(read(Pager::new(&client, queue::list(&Default::default()), u32::MAX, 200)).await, (123, "whole"));
    let limits = || -> Vec<String> {
        let limit = |line: &str| line.split(['?', '&']).find_map(|part| part.strip_prefix("limit=")).unwrap().to_owned();
        socket.seen().iter().map(|seen| limit(&seen.line)).collect()
    };
    assert_eq!(limits(), ["200", "50", "50", "50"]);
    let _ = client.queue(&Default::default(), 0, 100).await;
    assert_eq!(limits()[4], "50", "the console knows it too");
    let refused = Act::refusal(400, "", "bad_request", "limit is below 3");
    let socket = Hostile::start([refused]).await;
    let failure = self::client(&socket).queue(&Default::default(), 0, 100).await.unwrap_err();
    assert_eq!((failure.status(), socket.seen().len()), (Some(400), 2), "a service that never has enough is not asked for ever");
}

#[tokio::test]
async fn a_window_of_the_queue_is_filled_however_small_the_pages_are() {
    let page = |from: usize, size: usize| {
        let id = |row: usize| format!("018f4d3a-0000-7000-8000-{row:012}");
        let rows: Vec<_> = (from..from + size).map(|row| json!({"id": id(row)})).collect();
        Act::json(&json!({"signals": rows, "pagination": {"total": 153}}).to_string())
    };
    let socket = Hostile::start([page(0, 60), page(60, 0), page(60, 40)]).await;
    let window = client(&socket).queue(&Default::default(), 0, 100).await.unwrap().value;
    assert_eq!((window.rows.len(), window.total, window.offset), (100, Some(153), 0));
    assert_eq!(socket.seen().len(), 3);
}
