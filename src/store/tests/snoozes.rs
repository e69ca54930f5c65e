//! Snoozes survive the end of the program and belong to one workspace.

use chrono::TimeDelta;
use serde_json::json;
use uuid::Uuid;

use super::super::Store;
use super::super::snoozes::SnoozeStore;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::SignalId;
use crate::domain::snooze::{Snooze, SnoozeUntil};

fn snooze_store(store: &Store) -> SnoozeStore {
    store.snoozes("m", None)
}

fn snooze(nth: u128, until: SnoozeUntil) -> Snooze {
    let row = json!({"id": Uuid::from_u128(nth), "project_name": format!("Project {nth}"), "filed_at": noon()});
    Snooze::new(serde_json::from_value(row).unwrap(), noon(), until)
}

async fn snoozed(store: &SnoozeStore) -> Vec<(u128, SnoozeUntil)> {
    let all = store.load_all().await.unwrap();
    all.into_iter()
        .map(|snooze| (snooze.row.signal.id.0.as_u128(), snooze.until))
        .collect()
}

#[tokio::test]
async fn snoozes_survive_a_restart_and_a_later_one_replaces_the_first() {
    let folder = StoreFolder::new();
    let store = folder.store();
    let monday = SnoozeUntil::Time(noon() + TimeDelta::days(3));
    snooze_store(&store).save(vec![
        snooze(1, monday),
        snooze(2, monday),
        snooze(3, monday),
    ]);
    snooze_store(&store).save(vec![snooze(2, SnoozeUntil::NextFiling)]);
    snooze_store(&store).remove(vec![SignalId(Uuid::from_u128(3))]);
    store.snoozes("another", None).save(vec![snooze(4, monday)]);
    store.close(CLOSE_TIMEOUT);
    let store = snooze_store(&folder.store());
    assert_eq!(
        snoozed(&store).await,
        [(1, monday), (2, SnoozeUntil::NextFiling)]
    );
}
