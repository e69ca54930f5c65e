//! Why triaged signals did not change. This is read from the queue afterwards, because the service
//! reports only how many changed.
//!
//! Never here: writes, and guesses where the queue does not show which signals changed.

use std::collections::HashMap;

use serde::{Serialize, Serializer};

use crate::client::paging::Pager;
use crate::client::{Client, queue};
use crate::domain::SignalId;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::Member;
use crate::domain::person::Person;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, TriageStatus};
use crate::domain::request_error::RequestError;

/// The maximum number of queue rows searched.
const MAX_ROWS_SEARCHED: u32 = 10 * MAX_QUEUE_PAGE_ROWS;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct UnchangedSignal {
    pub(super) id: SignalId,
    pub(super) reason: UnchangedReason,
    /// Who had marked it: shown by the name of the member, or as the service names them if the
    /// members cannot be read.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_label"
    )]
    pub(super) by: Option<Person>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<DateOrDateTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum UnchangedReason {
    /// It already had the requested status.
    Already,
    /// It is not in the workspace's queue.
    NotInQueue,
}

/// The signals of one request, and how many of them changed.
pub(super) type SentBatch<'a> = (&'a [SignalId], u64);

/// The signals that did not change, as far as the queue shows which they are.
pub(super) async fn find_unchanged(
    client: &Client,
    sent: &[SentBatch<'_>],
    status: &TriageStatus,
) -> Result<Vec<UnchangedSignal>, RequestError> {
    let (rows, is_whole) = read_queue(client, status).await?;
    let mut unchanged = classify_unchanged(sent, &rows, is_whole);
    identify_members(
        client,
        unchanged.iter_mut().filter_map(|signal| signal.by.as_mut()),
    )
    .await;
    Ok(unchanged)
}

/// The queue's signals with a status, and whether these are all: no page was left and every row
/// could be read.
pub(super) async fn read_queue(
    client: &Client,
    status: &TriageStatus,
) -> Result<(HashMap<SignalId, QueueSignal>, bool), RequestError> {
    let filter = QueueFilter {
        status: [status.clone()].into(),
        ..QueueFilter::default()
    };
    let mut pages = Pager::<QueueSignal>::new(
        client,
        queue::list(&filter),
        MAX_ROWS_SEARCHED,
        MAX_QUEUE_PAGE_ROWS,
    );
    let (mut rows, mut unreadable) = (HashMap::new(), 0);
    while let Some(page) = pages.next().await? {
        unreadable += page.value.unreadable;
        rows.extend(page.value.rows.into_iter().map(|row| (row.signal.id, row)));
    }
    Ok((rows, pages.is_complete() && unreadable == 0))
}

/// Adds what the members say of people, where they can be read.
pub(super) async fn identify_members(client: &Client, people: impl Iterator<Item = &mut Person>) {
    let mut people = people.peekable();
    if people.peek().is_none() {
        return;
    }
    let members = client
        .members()
        .await
        .map(|members| members.value)
        .unwrap_or_default();
    for person in people {
        if let Some(member) = members
            .iter()
            .find(|member| member.is(person))
            .and_then(Member::person)
        {
            *person = member.filled_from(person);
        }
    }
}

fn serialize_label<S: Serializer>(
    person: &Option<Person>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    person
        .as_ref()
        .map(|person| person.label(None))
        .serialize(serializer)
}

fn classify_unchanged(
    sent: &[SentBatch<'_>],
    rows: &HashMap<SignalId, QueueSignal>,
    is_whole: bool,
) -> Vec<UnchangedSignal> {
    let mut unchanged = Vec::new();
    for (ids, changed) in sent {
        let (mut there, gone): (Vec<_>, Vec<_>) =
            ids.iter().copied().partition(|id| rows.contains_key(id));
        // The latest marks are ours. Signals set to new carry no mark, so which of several was new
        // before is unknown.
        let at = |id: &SignalId| {
            rows.get(id)
                .and_then(|row| row.triaged_at.as_ref()?.date_time())
        };
        there.sort_by_key(|id| std::cmp::Reverse(at(id)));
        let ours = usize::try_from(*changed).unwrap_or(usize::MAX);
        let is_known = ours == 0 || there.len() <= ours || there.iter().all(|id| at(id).is_some());
        for id in there.into_iter().skip(ours).filter(|_| is_known) {
            let row = rows.get(&id);
            let (by, at) = row
                .map(|row| (row.triaged_by.clone(), row.triaged_at.clone()))
                .unwrap_or_default();
            unchanged.push(UnchangedSignal {
                id,
                reason: UnchangedReason::Already,
                by,
                at,
            });
        }
        let missing = gone.into_iter().filter(|_| is_whole);
        unchanged.extend(missing.map(|id| UnchangedSignal {
            id,
            reason: UnchangedReason::NotInQueue,
            by: None,
            at: None,
        }));
    }
    unchanged
}

impl UnchangedSignal {
    /// "already done by Miriam Romero at 2026-11-22 06:59 UTC".
    pub(super) fn describe(&self, status: &TriageStatus) -> String {
        if self.reason == UnchangedReason::NotInQueue {
            return "not in this queue".to_owned();
        }
        let by = self
            .by
            .as_ref()
            .map_or_else(String::new, |by| format!(" by {}", by.label(None)));
        let at = self
            .at
            .as_ref()
            .and_then(DateOrDateTime::date_time)
            .map_or_else(String::new, |at| {
                at.format(" at %Y-%m-%d %H:%M UTC").to_string()
            });
        format!("already {status}{by}{at}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn signal_id(nth: u128) -> SignalId {
        SignalId(Uuid::from_u128(nth))
    }

    fn queue_rows(marked: &[(u128, Option<&str>)]) -> HashMap<SignalId, QueueSignal> {
        let row = |(nth, at): &(u128, Option<&str>)| {
            let row = serde_json::json!({"id": signal_id(*nth), "triaged_by": at.map(|_| "somebody"), "triaged_at": at});
            (signal_id(*nth), serde_json::from_value(row).unwrap())
        };
        marked.iter().map(row).collect()
    }

    fn reasons(unchanged: &[UnchangedSignal]) -> Vec<(u128, UnchangedReason)> {
        let mut reasons: Vec<_> = unchanged
            .iter()
            .map(|signal| (signal.id.0.as_u128(), signal.reason))
            .collect();
        reasons.sort_by_key(|(id, _)| *id);
        reasons
    }

    #[test]
    fn the_latest_marks_are_ours_and_earlier_ones_are_not() {
        let rows = queue_rows(&[
            (1, Some("2026-11-22T07:00:00Z")),
            (2, Some("2026-11-22T06:59:00Z")),
        ]);
        let ids = [signal_id(1), signal_id(2), signal_id(3)];
        let found = classify_unchanged(&[(&ids, 1)], &rows, true);
        assert_eq!(
            reasons(&found),
            [
                (2, UnchangedReason::Already),
                (3, UnchangedReason::NotInQueue)
            ]
        );
        assert_eq!(
            found[0].describe(&TriageStatus::Done),
            "already done by somebody at 2026-11-22 06:59 UTC"
        );
        assert_eq!(found[1].describe(&TriageStatus::Done), "not in this queue");
    }

    #[test]
    fn unchanged_signals_are_not_guessed_when_the_queue_cannot_tell() {
        let rows = queue_rows(&[(1, None), (2, None)]);
        let ids = [signal_id(1), signal_id(2), signal_id(3)];
        assert_eq!(
            reasons(&classify_unchanged(&[(&ids, 1)], &rows, true)),
            [(3, UnchangedReason::NotInQueue)],
            "one of two became new"
        );
        assert_eq!(
            reasons(&classify_unchanged(&[(&ids, 1)], &rows, false)),
            [],
            "the queue was not read to its end"
        );
        let all = [
            (1, UnchangedReason::Already),
            (2, UnchangedReason::Already),
            (3, UnchangedReason::NotInQueue),
        ];
        assert_eq!(reasons(&classify_unchanged(&[(&ids, 0)], &rows, true)), all);
        assert_eq!(
            reasons(&classify_unchanged(&[(&ids, 2)], &rows, true)),
            [(3, UnchangedReason::NotInQueue)],
            "both changed"
        );
    }
}
