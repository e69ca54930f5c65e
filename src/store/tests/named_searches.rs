//! Saved searches on disk.

use super::{CLOSE_TIMEOUT, StoreFolder};
use crate::domain::book::Dataset;
use crate::domain::conditions::Conditions;
use crate::domain::named_searches::{NamedSearch, SearchCount};
use crate::store::cache_owner::CacheOwner;

fn search(name: &str) -> NamedSearch {
    let terms = ["city=Austin", "without_account.role=gc"];
    let at = "2026-07-09T09:20:14Z".parse().unwrap();
    NamedSearch {
        name: name.to_owned(),
        dataset: Dataset::Projects,
        filters: Conditions::parse(terms).unwrap(),
        sort: None,
        limit: Some(20),
        saved_at: at,
        counts: vec![SearchCount {
            at,
            total: 43,
            is_capped: false,
        }],
    }
}

#[tokio::test]
async fn saved_searches_survive_a_restart_and_no_other_credential_sees_them() {
    let folder = StoreFolder::new();
    let owner = |credential: &str| CacheOwner::new("https://a", None, credential);
    let store = folder.store();
    let saved = store.named_searches(owner("key"));
    saved.save("b".to_owned(), Some(search("b")));
    saved.save("A".to_owned(), Some(search("A")));
    saved.save("gone".to_owned(), Some(search("gone")));
    saved.save("gone".to_owned(), None);
    store.close(CLOSE_TIMEOUT);
    let store = folder.store();
    assert_eq!(
        store.named_searches(owner("key")).load_all().await.unwrap(),
        [search("A"), search("b")]
    );
    assert_eq!(
        store
            .named_searches(owner("another key"))
            .load_all()
            .await
            .unwrap(),
        []
    );
}
