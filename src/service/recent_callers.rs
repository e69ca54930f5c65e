//! Who was authorized a moment ago. Such a caller is not authorized before the body is read, nor
//! before the request waits for its turn: its handler authorizes it in any case, in the transaction
//! of the answer, and refuses a token that was revoked meanwhile.
//!
//! Never here: what a caller may do.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

use super::db::secrets::hash_secret;
use crate::domain::WorkspaceId;

/// For how long a caller counts as recent.
const RECENT: TimeDelta = TimeDelta::seconds(60);
/// How many tokens are kept; beyond that all are forgotten.
const MAX_TOKENS: usize = 10_000;

/// Tokens by their digests.
#[derive(Default)]
pub struct RecentCallers(Mutex<HashMap<Vec<u8>, RecentToken>>);

struct RecentToken {
    authorized_at: DateTime<Utc>,
    /// What requests named as their workspace, and the workspace that they were for.
    workspaces: Vec<(Option<WorkspaceId>, WorkspaceId)>,
}

impl RecentToken {
    fn is_recent(&self, now: DateTime<Utc>) -> bool {
        now - self.authorized_at < RECENT
    }
}

impl RecentCallers {
    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, RecentToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn contains(&self, token: &str, now: DateTime<Utc>) -> bool {
        self.lock()
            .get(&hash_secret(token))
            .is_some_and(|known| known.is_recent(now))
    }

    /// The workspace of a request that names `asked`.
    pub fn find_workspace(
        &self,
        token: &str,
        asked: Option<WorkspaceId>,
        now: DateTime<Utc>,
    ) -> Option<WorkspaceId> {
        let tokens = self.lock();
        let known = tokens
            .get(&hash_secret(token))
            .filter(|known| known.is_recent(now))?;
        known
            .workspaces
            .iter()
            .find(|(named, _)| *named == asked)
            .map(|(_, workspace)| *workspace)
    }

    pub fn record(
        &self,
        token: &str,
        asked: Option<WorkspaceId>,
        workspace: WorkspaceId,
        now: DateTime<Utc>,
    ) {
        let mut tokens = self.lock();
        if tokens.len() >= MAX_TOKENS {
            tokens.clear();
        }
        let known = tokens
            .entry(hash_secret(token))
            .or_insert_with(|| RecentToken {
                authorized_at: now,
                workspaces: Vec::new(),
            });
        known.authorized_at = now;
        if !known.workspaces.contains(&(asked, workspace)) {
            known.workspaces.push((asked, workspace));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_caller_is_recent_for_a_minute_and_only_where_they_were_authorized() {
        let [own, other] = [1, 2].map(|id| WorkspaceId(Uuid::from_u128(id)));
        let callers = RecentCallers::default();
        let now: DateTime<Utc> = "2026-07-09T09:00:00Z".parse().unwrap();
        assert!(!callers.contains("gat_1", now));
        callers.record("gat_1", Some(own), own, now);
        assert!(callers.contains("gat_1", now) && !callers.contains("gat_2", now));
        assert_eq!(callers.find_workspace("gat_1", Some(own), now), Some(own));
        assert_eq!(callers.find_workspace("gat_1", Some(other), now), None);
        assert_eq!(
            callers.find_workspace("gat_1", None, now),
            None,
            "only a key may leave it out"
        );
        callers.record("gak_1", None, own, now);
        assert_eq!(callers.find_workspace("gak_1", None, now), Some(own));
        let later = now + TimeDelta::minutes(2);
        assert!(
            !callers.contains("gat_1", later)
                && callers.find_workspace("gak_1", None, later).is_none()
        );
    }
}
