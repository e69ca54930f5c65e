//! A list is read one page ahead of who looks at it, and never further.

use gantry::client::book::search;
use gantry::client::paging::Pages;
use gantry::client::{Client, Endpoint};
use gantry::domain::book::Shelf;
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

fn pages(socket: &Hostile, rows: u32) -> Pages<Box<RawValue>> {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    let client = Client::new(Endpoint { base_url: socket.base_url.clone(), token: "gk_canary".to_owned().into(), workspace });
    Pages::new(&client.unwrap(), search(&Shelf::Accounts, &Default::default()), rows, 100)
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
    assert!(pages.is_whole());
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
    assert_eq!((rows, pages.is_whole()), (23_000, true));
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
