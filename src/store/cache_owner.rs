//! Whose data it is that was read from a service.

use uuid::Uuid;

use crate::domain::WorkspaceId;

/// Whose data it is: a service, a workspace and a credential. Another one does not see it, because
/// what is sent may depend on what its reader is entitled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOwner(pub(super) Uuid);

impl CacheOwner {
    pub fn new(meter: &str, workspace: Option<WorkspaceId>, credential: &str) -> CacheOwner {
        let workspace = workspace.map(|id| id.to_string()).unwrap_or_default();
        let identity = format!("{}\n{workspace}\n{credential}", meter.trim_end_matches('/'));
        CacheOwner(Uuid::new_v5(&Uuid::NAMESPACE_URL, identity.as_bytes()))
    }
}
