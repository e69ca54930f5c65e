//! What the start screen can open.
//!
//! Never here: connecting.

use std::path::PathBuf;

use super::secret::Secret;
use crate::domain::certificate::CertificateChange;

/// What the start screen can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectTarget {
    /// The sample data, in memory.
    Demo,
    /// A local database file.
    Local(PathBuf),
    /// A service elsewhere.
    Service {
        /// Up to and including `/api/v1`.
        base_url: String,
        /// An API key or a user token.
        token: Secret,
        workspace: String,
        /// The certificate that the user accepted, if no authority vouches for it.
        accepted: Option<CertificateChange>,
    },
    /// The service that a join code names.
    Join {
        code: Secret,
        /// As colleagues see it.
        name: String,
        /// The certificate that the user accepted in place of the one that a profile names.
        accepted: Option<CertificateChange>,
    },
}
