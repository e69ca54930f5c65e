use chrono::TimeDelta;
use uuid::Uuid;

use super::super::cache_owner::CacheOwner;
use super::{CLOSE_TIMEOUT, StoreFolder, noon};
use crate::domain::description::Description;
use crate::domain::{SignalId, WorkspaceId};

fn signal(n: u128) -> SignalId {
    SignalId(Uuid::from_u128(n))
}

fn described(work: &str) -> Description {
    Description {
        work: Some(work.to_owned()),
        record_type: Some("Permit".to_owned()),
        city: Some("Austin".to_owned()),
    }
}

const ADDRESS: &str = "https://signals.example/api/v1";

#[tokio::test]
async fn descriptions_survive_a_restart_and_other_workspaces_and_tokens_do_not_see_them() {
    let folder = StoreFolder::new();
    let ours = Some(WorkspaceId(Uuid::from_u128(7)));
    let store = folder.store();
    let descriptions = store.descriptions(CacheOwner::new(ADDRESS, ours, "key"));
    descriptions.save(signal(1), described("Re-roof"), noon());
    descriptions.save(signal(1), described("Re-roof and solar"), noon());
    descriptions.save_free_reads(true, noon());
    store.close(CLOSE_TIMEOUT);

    let store = folder.store();
    let found = store
        .descriptions(CacheOwner::new(ADDRESS, ours, "key"))
        .find(vec![signal(1), signal(2)])
        .await
        .unwrap();
    assert_eq!(found, [(signal(1), described("Re-roof and solar"))]);
    assert!(
        store
            .descriptions(CacheOwner::new(ADDRESS, ours, "key"))
            .are_reads_free()
            .await
            .unwrap()
    );
    let others = [
        store.descriptions(CacheOwner::new(ADDRESS, ours, "another key")),
        store.descriptions(CacheOwner::new(
            ADDRESS,
            Some(WorkspaceId(Uuid::from_u128(8))),
            "key",
        )),
        store.descriptions(CacheOwner::new("https://other.example/api/v1", ours, "key")),
    ];
    for other in others {
        assert_eq!(other.find(vec![signal(1)]).await.unwrap(), []);
        assert!(!other.are_reads_free().await.unwrap());
    }
    store
        .descriptions(CacheOwner::new(ADDRESS, ours, "key"))
        .save_free_reads(false, noon());
    assert!(
        !store
            .descriptions(CacheOwner::new(ADDRESS, ours, "key"))
            .are_reads_free()
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn the_newest_twenty_thousand_descriptions_are_kept() {
    let folder = StoreFolder::new();
    let store = folder.store();
    let descriptions = store.descriptions(CacheOwner::new(ADDRESS, None, "key"));
    let last = super::super::descriptions::MAX_DESCRIPTIONS as u128 + 1_500;
    for n in 1..=last {
        descriptions.save(
            signal(n),
            described("Re-roof"),
            noon() + TimeDelta::milliseconds(n as i64),
        );
        if n % 200 == 0 {
            descriptions.find(Vec::new()).await.unwrap();
        }
    }
    let found = descriptions
        .find(vec![signal(1), signal(200), signal(last)])
        .await
        .unwrap();
    assert_eq!(
        found.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        [signal(last)]
    );
}
