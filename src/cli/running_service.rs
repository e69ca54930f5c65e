//! The service that runs on a file already.

use std::time::Duration;

use crate::client::BaseUrl;
use crate::client::certificate_check::{CertificateStatus, check_certificate};
use crate::service::{Storage, team_file};

use super::stdin;

/// How long a service may take to present its certificate.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// The address of the service that used this file last, if it still answers there: its certificate
/// is the one that was created for the file.
pub(super) async fn find_running_service(data: &Storage) -> Option<String> {
    let opened = data.clone();
    let known = stdin::run_blocking(move || team_file::last_address(&opened)).await;
    let (base_url, fingerprint) = known.ok().flatten()?;
    let base = BaseUrl::parse(&base_url).ok()?;
    let checked = check_certificate(&base, Some(fingerprint));
    let status = tokio::time::timeout(ANSWER_TIMEOUT, checked).await;
    let is_running = matches!(status, Ok(Ok(CertificateStatus::Trusted)));
    is_running.then_some(base_url)
}
