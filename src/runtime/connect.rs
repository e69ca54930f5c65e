//! Connects to the service that a person chose.
//!
//! A remote service is only addressed: the first response shows whether it is there. The local
//! service is started inside this process, on a free loopback port, and used over HTTP like any
//! other.
//!
//! Never here: which calls are made, and where an address or token is configured (`config`).

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};

use super::backend::{BackendConnection, BackendFuture, ConnectFn, ConnectOutcome};
use super::remote_backend::RemoteBackend;

use crate::app::effect::ConnectTarget;
use crate::app::msg::ConnectedService;
use crate::client::certificate_check::{CertificateStatus, check_certificate};
use crate::client::join::{self, Joined};
use crate::client::{BaseUrl, Client, Endpoint};
use crate::config::{
    self, BackendLocation, NewProfile, Paths, ProfileName, SampleOptions, save_profile,
};
use crate::domain::WorkspaceId;
use crate::domain::certificate::{CertificateChange, Fingerprint};
use crate::domain::join_code::JoinCode;
use crate::domain::queue::QueueSnapshot;
use crate::domain::queue_tabs::SavedTab;
use crate::domain::request_error::RequestError;
use crate::domain::rules::RuleAction;
use crate::service::{self, ServiceOptions, Storage};
use crate::store::Store;
use crate::store::queue::QueueFile;

/// The header's label for a location; `None` for nowhere.
pub fn location_label(place: &BackendLocation) -> Option<String> {
    match place {
        BackendLocation::Unconfigured => None,
        BackendLocation::Local { file: None, .. } => Some("demo".into()),
        BackendLocation::Local {
            file: Some(file), ..
        } => Some(
            file.file_name()
                .unwrap_or(file.as_os_str())
                .to_string_lossy()
                .into_owned(),
        ),
        BackendLocation::Remote { label, .. } => Some(label.clone()),
    }
}

/// Connects to a location; `None` for nowhere. With `read_only` every write is rejected.
pub fn connect_to_location(
    paths: &Paths,
    place: BackendLocation,
    read_only: bool,
) -> Option<BackendFuture<BackendConnection>> {
    let (label, remote) = (
        location_label(&place)?,
        remote_backend(paths, &place, read_only),
    );
    match place {
        BackendLocation::Unconfigured => None,
        BackendLocation::Local {
            file,
            as_of,
            sample,
            workspace,
        } => Some(Box::pin(start_local_service(
            label, remote, file, as_of, sample, workspace,
        ))),
        BackendLocation::Remote {
            base_url,
            token,
            workspace,
            certificate,
            ..
        } => Some(Box::pin(async move {
            let workspace = parse_workspace_id(workspace.as_deref())?;
            let client = new_client(&base_url, token, workspace, certificate)?;
            let client = if workspace.is_some() {
                client
            } else {
                in_found_workspace(&client).await?
            };
            Ok(BackendConnection::new(Arc::new(remote(client)), label))
        })),
    }
}

/// The last queue shown at a location, for a first frame before anything answers.
pub fn read_cached_queue(paths: &Paths, place: &BackendLocation) -> Option<QueueSnapshot> {
    queue_cache_file(paths, place)?.read()
}

/// The queue file of a location: only for a remote service with a known workspace, because a
/// service inside this process is always reachable.
fn queue_cache_file(paths: &Paths, place: &BackendLocation) -> Option<QueueFile> {
    let BackendLocation::Remote {
        base_url,
        token,
        workspace,
        ..
    } = place
    else {
        return None;
    };
    let workspace = parse_workspace_id(workspace.as_deref()).ok()??;
    Some(QueueFile::for_store(
        &paths.store_file(place)?,
        base_url.trim(),
        workspace.0,
        token.expose_secret().trim(),
    ))
}

/// Turns a client into the backend of a location, with its local store.
fn remote_backend(
    paths: &Paths,
    place: &BackendLocation,
    read_only: bool,
) -> impl FnOnce(Client) -> RemoteBackend + Send + use<> {
    let store = Store::new(paths.store_file(place), Utc::now());
    store.set_budgets(config::load_budgets(paths));
    let (meter, queue, paths) = (
        place.meter_id(),
        queue_cache_file(paths, place),
        paths.clone(),
    );
    let credential = match place {
        BackendLocation::Remote { token, .. } => token.expose_secret().trim().to_owned(),
        BackendLocation::Local { .. } | BackendLocation::Unconfigured => String::new(),
    };
    move |client| {
        RemoteBackend::new(
            client.with_read_only(read_only),
            store,
            &meter,
            &credential,
            paths,
        )
        .with_queue_file(queue)
    }
}

/// Saves what changed in the tabs of the queue in the configuration.
pub(super) fn save_queue_tabs(
    paths: &Paths,
    before: &[SavedTab],
    after: &[SavedTab],
) -> Result<(), config::ConfigError> {
    let settings = |tab: &SavedTab| config::QueueTabSettings {
        name: tab.name.clone(),
        list: tab.settings.to_text(),
        action: tab
            .action
            .as_ref()
            .map(RuleAction::to_text)
            .unwrap_or_default(),
        defined_at: String::new(),
    };
    let [before, after] = [before, after].map(|tabs| tabs.iter().map(settings).collect::<Vec<_>>());
    config::save_queue_tabs(paths, &before, &after)
}

/// The local service inside this process.
fn connect_local(
    paths: &Paths,
    file: Option<PathBuf>,
    read_only: bool,
) -> BackendFuture<BackendConnection> {
    let place = BackendLocation::Local {
        file,
        as_of: None,
        sample: SampleOptions::default(),
        workspace: None,
    };
    connect_to_location(paths, place, read_only).expect("a local service is somewhere")
}

/// Connects to a target chosen on the first screen.
pub fn target_connector(paths: Paths, read_only: bool) -> ConnectFn {
    Arc::new(move |target| {
        let paths = paths.clone();
        Box::pin(async move {
            match target {
                ConnectTarget::Demo => connect_local(&paths, None, read_only)
                    .await
                    .map(ConnectOutcome::Connected),
                ConnectTarget::Local(file) => {
                    config::check_local_file(&file)
                        .map_err(|missing| RequestError::new_not_sent(missing.message))?;
                    connect_local(&paths, Some(file), read_only)
                        .await
                        .map(ConnectOutcome::Connected)
                }
                ConnectTarget::Service {
                    base_url,
                    token,
                    workspace,
                    accepted,
                } => {
                    sign_in(
                        &paths,
                        &base_url,
                        SecretString::from(token.0),
                        &workspace,
                        accepted,
                        read_only,
                    )
                    .await
                }
                ConnectTarget::Join {
                    code,
                    name,
                    accepted,
                } => join_team(&paths, &code.0, &name, accepted, read_only).await,
            }
        })
    })
}

/// Connects to a service and saves the connection as a profile once it has answered. The token is
/// sent only to a service whose certificate this machine trusts or the person accepted; the profile
/// of this service accepts only its own.
async fn sign_in(
    paths: &Paths,
    base_url: &str,
    token: SecretString,
    workspace: &str,
    accepted: Option<CertificateChange>,
    read_only: bool,
) -> Result<ConnectOutcome, RequestError> {
    let base_url = strip_default_scheme(base_url);
    let named = parse_workspace_id(Some(workspace.trim()).filter(|text| !text.is_empty()))?;
    let address = BaseUrl::parse(base_url)?;
    let host = profile_name(base_url);
    let profiles = config::load_profiles(paths).unwrap_or_default();
    let earlier = profiles
        .iter()
        .find(|profile| profile.name == host && profile.is_at(base_url));
    let pinned =
        earlier.and_then(|earlier| earlier.certificate.as_deref()?.parse::<Fingerprint>().ok());
    if accepted.is_none()
        && address.is_https()
        && let CertificateStatus::Unknown {
            fingerprint,
            reason,
        } = check_certificate(&address, pinned).await?
    {
        let reason = match pinned {
            Some(_) => format!(
                "{} presents another certificate than the one that profile {host} accepts",
                address.host()
            ),
            None => reason,
        };
        return Ok(ConnectOutcome::UnknownCertificate {
            change: CertificateChange {
                new: Some(fingerprint),
                pinned,
            },
            reason,
        });
    }
    let certificate = accepted
        .map_or(pinned, |change| change.new)
        .map(|fingerprint| fingerprint.to_string());
    let client = new_client(base_url, token.clone(), named, certificate.clone())?;
    let client = match named {
        Some(_) => client.workspace().await.map(|_| client)?,
        None => in_found_workspace(&client).await?,
    };
    let name = earlier.map_or(ProfileName::New(&host), |earlier| {
        ProfileName::Exact(&earlier.name)
    });
    let workspace = client.workspace_id().map(|id| id.to_string());
    let replaced = accepted
        .and_then(|change| change.pinned)
        .map(|pinned| pinned.to_string());
    let profile = NewProfile {
        replaced_certificate: replaced.as_deref(),
        ..NewProfile::with_token(
            name,
            base_url,
            workspace.as_deref(),
            certificate.as_deref(),
            &token,
        )
    };
    let saved = save_profile(paths, &profile);
    let label = saved
        .as_ref()
        .map_or_else(|_| host.clone(), |saved| saved.name.clone());
    let base_url = base_url.to_owned();
    let place = BackendLocation::Remote {
        label: label.clone(),
        base_url,
        token,
        workspace,
        certificate,
    };
    let is_read_only = earlier.is_some_and(|earlier| earlier.read_only);
    let backend = remote_backend(paths, &place, read_only || is_read_only)(client);
    if let Err(error) = saved {
        backend.add_notice(format!("the connection is not saved as a profile: {error}"));
    }
    Ok(ConnectOutcome::Connected(connection(
        backend,
        label,
        is_read_only,
    )))
}

/// Redeems a join code, saves the connection as a profile and uses it. Whatever could keep the
/// profile from being saved is found before the code is used, because it works once.
async fn join_team(
    paths: &Paths,
    code: &str,
    name: &str,
    accepted: Option<CertificateChange>,
    read_only: bool,
) -> Result<ConnectOutcome, RequestError> {
    let not_sent = |error: config::ConfigError| RequestError::new_not_sent(error.to_string());
    let code =
        JoinCode::parse(code).map_err(|error| RequestError::new_not_sent(error.to_string()))?;
    config::prepare_profiles(paths, None).map_err(not_sent)?;
    let certificate = code.fingerprint.map(|fingerprint| fingerprint.to_string());
    let profiles = config::load_profiles(paths).map_err(not_sent)?;
    let replaced =
        config::find_replaced_pin(&profiles, None, &code.base_url, certificate.as_deref());
    if let (Some((profile, pinned)), None) = (replaced, accepted) {
        let reason = format!(
            "profile {} accepts another certificate of this service than the join code names",
            profile.name
        );
        let change = CertificateChange {
            new: code.fingerprint,
            pinned: pinned.parse().ok(),
        };
        return Ok(ConnectOutcome::UnknownCertificate { change, reason });
    }
    // As the token of the client, the secret is removed from every message.
    let client = new_client(
        &code.base_url,
        code.secret.encode().into(),
        None,
        certificate.clone(),
    )?;
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    let joined = client
        .fetch_value::<Joined>(join::redeem(&code.secret, name))
        .await;
    let joined = joined.map_err(|failure| {
        let message = match failure.status() {
            Some(400) if name.is_none() => "the code is for a person: enter your name".to_owned(),
            _ => join::refusal_message(&failure),
        };
        RequestError { message, ..failure }
    })?;
    let joined = joined.value;
    let is_wall = joined.is_wall();
    let token = SecretString::from(joined.token);
    let id = joined.workspace.id;
    let workspace = id.to_string();
    let replaced = replaced.filter(|(profile, _)| profile.workspace.as_ref() == Some(&workspace));
    let name = replaced.map_or(ProfileName::New(&joined.workspace.name), |(profile, _)| {
        ProfileName::Exact(&profile.name)
    });
    let profile = NewProfile {
        read_only: is_wall,
        replaced_certificate: replaced.map(|(_, pinned)| pinned),
        ..NewProfile::with_token(
            name,
            &code.base_url,
            Some(&workspace),
            certificate.as_deref(),
            &token,
        )
    };
    let label = save_profile(paths, &profile).map_err(not_sent)?.name;
    let client = new_client(&code.base_url, token.clone(), Some(id), certificate.clone())?;
    let (base_url, workspace) = (code.base_url, Some(workspace));
    let place = BackendLocation::Remote {
        label: label.clone(),
        base_url,
        token,
        workspace,
        certificate,
    };
    let backend = remote_backend(paths, &place, read_only || is_wall)(client);
    Ok(ConnectOutcome::Connected(connection(
        backend, label, is_wall,
    )))
}

/// The connection to a service elsewhere.
fn connection(backend: RemoteBackend, label: String, is_read_only: bool) -> BackendConnection {
    let connection = BackendConnection::new(Arc::new(backend), label);
    BackendConnection {
        service: ConnectedService {
            is_read_only,
            ..connection.service
        },
        ..connection
    }
}

/// The intended address: if one was pasted after the `https://` already in the field, the pasted
/// one.
fn strip_default_scheme(typed: &str) -> &str {
    let typed = typed.trim();
    let pasted = typed.strip_prefix("https://").map(str::trim_start);
    pasted
        .filter(|rest| rest.starts_with("http://") || rest.starts_with("https://"))
        .unwrap_or(typed)
}

/// The client for the workspace that the service reports for the token.
async fn in_found_workspace(client: &Client) -> Result<Client, RequestError> {
    match client.find_workspace().await? {
        Some(id) => Ok(client.in_workspace(id)),
        None => Err(RequestError::new_not_sent(
            "the service did not report the token's workspace; use --workspace",
        )),
    }
}

fn new_client(
    base_url: &str,
    token: SecretString,
    workspace: Option<WorkspaceId>,
    certificate: Option<String>,
) -> Result<Client, RequestError> {
    Client::new(Endpoint {
        base_url: base_url.to_owned(),
        token,
        workspace,
        certificate,
    })
}

fn parse_workspace_id(text: Option<&str>) -> Result<Option<WorkspaceId>, RequestError> {
    text.map(|text| text.trim().parse::<uuid::Uuid>().map(WorkspaceId))
        .transpose()
        .map_err(|_| {
            RequestError::new_not_sent(
                "the workspace must be a UUID like 018f4d3a-0000-7000-8000-000000000001",
            )
        })
}

/// Derives a profile name from the host of the address.
fn profile_name(base_url: &str) -> String {
    let host = base_url
        .trim()
        .rsplit("://")
        .next()
        .unwrap_or_default()
        .split(['/', ':', '?'])
        .next()
        .unwrap_or_default();
    let name: String = host
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    if name.is_empty() {
        "default".into()
    } else {
        name
    }
}

/// Starts the local service and signs in as a person, so that changes carry a name.
async fn start_local_service(
    label: String,
    remote: impl FnOnce(Client) -> RemoteBackend,
    file: Option<PathBuf>,
    as_of: Option<DateTime<Utc>>,
    sample: SampleOptions,
    workspace: Option<String>,
) -> Result<BackendConnection, RequestError> {
    let is_demo = file.is_none();
    let data = file.map_or(Storage::Memory, Storage::File);
    let adds_sample = data == Storage::Memory;
    let projects = sample
        .projects
        .unwrap_or(ServiceOptions::default().projects);
    let options = ServiceOptions {
        data,
        arrival_interval: is_demo.then_some(service::DEMO_ARRIVAL_INTERVAL),
        as_of,
        adds_sample,
        projects,
        book_size: sample.book,
        is_private: true,
        ..ServiceOptions::default()
    };
    let running = service::start(options)
        .await
        .map_err(|error| RequestError::new_not_sent(format!("the local service: {error}")))?;
    let is_sample = running.is_sample();
    let (workspace, token) = running
        .startup_info()
        .default_sign_in(parse_workspace_id(workspace.as_deref())?)
        .ok_or_else(|| RequestError::new_not_sent("the local service has no such workspace"))?;
    let client = new_client(running.base_url(), token.into(), Some(workspace), None)?;
    let busiest_day = running
        .fullest_day_of_old_signals()
        .filter(|_| !is_demo)
        .map(|at| at.date_naive());
    let backend = Arc::new(remote(client).with_local_service(running, is_demo));
    Ok(BackendConnection {
        backend,
        service: ConnectedService {
            label,
            is_read_only: false,
            is_sample,
            is_local: true,
            busiest_day,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::{RecordKey, ServiceCall, StoredFactsQuery};
    use crate::app::msg::Reply;
    use crate::domain::SignalId;
    use crate::domain::description::Description;
    use crate::domain::queue::{QueueFilter, TriageStatus};
    use crate::domain::snooze::{Snooze, SnoozeUntil};
    use crate::runtime::backend::{Backend, CacheEntry, CallContext, LocalWrite};

    #[test]
    fn a_profile_is_named_after_its_host() {
        for (url, name) in [
            ("https://signals.example/api/v1", "signals-example"),
            ("http://127.0.0.1:8484/api/v1", "127-0-0-1"),
            ("", "default"),
        ] {
            assert_eq!(profile_name(url), name);
        }
    }

    #[test]
    fn an_address_pasted_after_the_default_scheme_replaces_it() {
        for typed in [
            "https://a.example/api/v1",
            "https://https://a.example/api/v1",
            " https://a.example/api/v1\n",
        ] {
            assert_eq!(strip_default_scheme(typed), "https://a.example/api/v1");
        }
        assert_eq!(
            strip_default_scheme("https://http://127.0.0.1:8484/api/v1"),
            "http://127.0.0.1:8484/api/v1"
        );
    }

    #[test]
    fn a_workspace_that_is_not_a_uuid_is_rejected_before_anything_is_sent() {
        assert!(
            parse_workspace_id(Some("our team"))
                .unwrap_err()
                .message
                .contains("must be a UUID")
        );
        assert_eq!(parse_workspace_id(None).unwrap(), None);
    }

    /// A local service of twenty projects: of a file, or the demo.
    async fn connect_locally(paths: &Paths, file: Option<PathBuf>) -> Arc<dyn Backend> {
        let sample = SampleOptions {
            projects: Some(20),
            ..SampleOptions::default()
        };
        if let Some(file) = &file {
            let options = ServiceOptions {
                data: Storage::File(file.clone()),
                projects: 20,
                ..ServiceOptions::default()
            };
            service::start(options).await.unwrap().stop().await;
        }
        let place = BackendLocation::Local {
            file,
            as_of: None,
            sample,
            workspace: None,
        };
        connect_to_location(paths, place, false)
            .unwrap()
            .await
            .unwrap()
            .backend
    }

    async fn call(backend: &Arc<dyn Backend>, call: ServiceCall) -> Reply {
        let context = CallContext {
            reason: "test",
            op: uuid::Uuid::now_v7(),
            shares: Vec::new(),
        };
        backend.clone().call(call, context).await.unwrap()
    }

    #[tokio::test]
    async fn the_demo_keeps_for_its_session_what_a_file_keeps() {
        let home = tempfile::tempdir().unwrap();
        let paths =
            Paths::from_env(&|name| (name == "HOME").then(|| home.path().display().to_string()));
        for file in [None, Some(home.path().join("desk.db"))] {
            let of = format!("{file:?}");
            let backend = connect_locally(&paths, file.clone()).await;
            let queue = ServiceCall::Queue {
                filter: QueueFilter::default(),
                offset: 0,
                limit: 1,
            };
            let Reply::Queue(page) = call(&backend, queue).await else {
                panic!("{of}: no queue")
            };
            let row = page.rows.into_iter().next().unwrap();
            let (id, now) = (row.signal.id, Utc::now());
            let snooze = Snooze::new(row.clone(), now, SnoozeUntil::NextFiling);
            backend.save_local(LocalWrite::Snoozes(vec![snooze], Vec::new()));
            let kept = backend.clone().load_snoozes().await.unwrap();
            assert_eq!(
                kept.iter()
                    .map(|snooze| snooze.row.signal.id)
                    .collect::<Vec<_>>(),
                [id],
                "{of}"
            );

            let description = Description {
                work: Some("a tower".to_owned()),
                ..Description::default()
            };
            backend.save_local(LocalWrite::Cached(
                CacheEntry::Description(id, description.clone()),
                now,
            ));
            let project = row.signal.project_id.unwrap();
            let wanted = StoredFactsQuery {
                signals: vec![id],
                projects: vec![project],
                includes_book: false,
            };
            let facts = backend.clone().load_facts(wanted).await;
            assert_eq!(facts.descriptions, [(id, description)], "{of}");

            let record = || ServiceCall::Record {
                key: RecordKey::of_project(project),
                bypass_cache: false,
            };
            call(&backend, record()).await;
            let Reply::Record((_, read_at, _)) = call(&backend, record()).await else {
                panic!("{of}: no record")
            };
            assert!(read_at.is_some(), "{of}: a record is paid for once");

            let Reply::SavedState(state) = call(&backend, ServiceCall::SavedState).await else {
                panic!("{of}: no state")
            };
            assert_eq!(
                (state.snoozes.len(), state.is_persistent),
                (1, file.is_some()),
                "{of}"
            );
            backend.close().await;
        }
    }

    #[tokio::test]
    async fn a_console_without_a_place_for_its_files_sends_changes_and_says_so() {
        let home = tempfile::tempdir().unwrap();
        let paths =
            Paths::from_env(&|name| (name == "HOME").then(|| home.path().display().to_string()));
        std::fs::create_dir_all(home.path().join(".local")).unwrap();
        std::fs::write(home.path().join(".local/state"), "not a folder").unwrap();
        let backend = connect_locally(&paths, None).await;
        let triage = ServiceCall::Triage {
            ids: vec![SignalId(uuid::Uuid::from_u128(1))],
            status: TriageStatus::Done,
            acts: Vec::new(),
        };
        call(&backend, triage).await;
        let notices = backend.take_notices();
        assert!(
            notices
                .iter()
                .any(|notice| notice.contains("changes are not saved")),
            "{notices:?}"
        );
        assert_eq!(backend.take_journal_error(), None);
        backend.close().await;
    }
}
