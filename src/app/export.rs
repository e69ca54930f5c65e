//! The export being set up, the running one, and the one that stopped: plain data.

use serde::{Deserialize, Serialize};

use crate::domain::export::{ExportProgress, ExportRequest};

/// The export being set up, the running one, and the one that stopped.
#[derive(Clone, Debug, Default)]
pub struct ExportState {
    pub(in crate::app) draft: Option<ExportJob>,
    pub(in crate::app) running: Option<ExportJob>,
    pub(in crate::app) stopped: Option<ExportJob>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::app) struct ExportJob {
    pub(in crate::app) export: ExportRequest,
    /// `None` when unknown.
    pub(in crate::app) total: Option<u64>,
    pub(in crate::app) progress: ExportProgress,
}

impl ExportState {
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }
}
