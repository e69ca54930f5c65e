//! The session of a command: connected to the configured service, or to a local one that runs in
//! this process with the command.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{OnceCell, watch};
use uuid::Uuid;

use crate::client::{Client, Endpoint, Limits, Request};
use crate::config::{self, BackendLocation, DashboardSettings};
use crate::domain::WorkspaceId;
use crate::domain::book::Dataset;
use crate::domain::budgets::BudgetExceeded;
use crate::domain::call_outcomes::CallOutcome;
use crate::domain::conditions::Conditions;
use crate::domain::exit_status;
use crate::domain::health::Health;
use crate::domain::journal::RequestSummary;
use crate::domain::request_error::RequestError;
use crate::domain::search::Search;
use crate::platform::tasks;
use crate::service::{self, RunningService, Storage};
use crate::store::Store;
use crate::store::cache_owner::CacheOwner;
use crate::store::descriptions::DescriptionStore;
use crate::store::journal::Journal;
use crate::store::ledger::Ledger;
use crate::store::named_searches::NamedSearchStore;
use crate::store::recorder::{ConfirmSpend, StoreRecorder};
use crate::store::records::RecordStore;

use super::columns::Column;
use super::error::{CliError, Context};
use super::import_file::as_of_hint;
use super::options::GlobalOptions;
use super::output::Output;
use super::{confirm, print, vocabulary_cache};

/// How long pending writes may take when the program ends: a disk may be busy with other programs.
pub(super) const STORE_CLOSE_TIMEOUT: Duration = Duration::from_secs(60);

/// The store that the command opened. It lives outside the command's future, so that it is closed
/// after an interruption too.
pub(super) type StoreCell = OnceLock<Store>;

/// A client, its store, and the local service if it runs in this process.
pub(super) struct Session {
    pub(super) client: Client,
    pub(super) store: Store,
    pub(super) output: Output,
    /// The vocabulary cache of the workspace; `None` for a local service, which ends with this run.
    pub(super) vocabulary_folder: Option<PathBuf>,
    /// The interval between two requests for the counts; `None` if polling is off.
    pub(super) poll_interval: Option<Duration>,
    /// What alerts the room, and when it does not.
    pub(super) dashboard: DashboardSettings,
    /// Nothing may be written: by an option, or by the profile.
    pub(super) is_read_only: bool,
    pub(super) call_outcomes: Vec<CallOutcome>,
    meter: String,
    cache_owner: CacheOwner,
    /// The command's names, recorded as the reason in ledger and journal.
    verb_path: String,
    confirm_spend: ConfirmSpend,
    show_request: Option<fn(&RequestSummary<'_>)>,
    local_service: Option<RunningService>,
}

impl Session {
    /// Connects to the service that options, environment and profile select. Its requests are
    /// recorded with `verb_path` as the reason.
    pub(super) async fn open(
        options: &GlobalOptions,
        verb_path: &str,
        store_cell: &StoreCell,
        output: Output,
    ) -> Result<Session, CliError> {
        let config = config::resolve(&options.to_cli_options(), &config::process_env)?;
        config
            .warnings
            .iter()
            .for_each(|note| print::write_note(note));
        let file = config.paths.store_file(&config.location);
        let store = store_cell.get_or_init(|| Store::new(file, Utc::now()));
        store.set_budgets(config.budgets);
        let meter = config.location.meter_id();
        let new_session = |client: Client, running: Option<RunningService>, credential: &str| {
            let (host, workspace) = (client.base_url().host(), client.workspace_id());
            let cache = config.paths.cache.as_deref().filter(|_| running.is_none());
            let session = Session {
                vocabulary_folder: cache
                    .map(|cache| vocabulary_cache::cache_folder(cache, &host, workspace)),
                cache_owner: CacheOwner::new(&meter, workspace, credential),
                client: client.with_read_only(config.read_only),
                store: store.clone(),
                output,
                poll_interval: config.poll,
                dashboard: config.dashboard.clone(),
                is_read_only: config.read_only,
                call_outcomes: config::read_call_outcomes(&config.texts.call_outcomes).0,
                meter: meter.clone(),
                verb_path: verb_path.to_owned(),
                confirm_spend: confirm_spend_once(options.yes),
                show_request: match options.verbose {
                    true => Some(print_request),
                    false => None,
                },
                local_service: running,
            };
            Session {
                client: session.client_for(Uuid::now_v7()),
                ..session
            }
        };
        match config.location {
            BackendLocation::Unconfigured => Err(CliError::new(
                exit_status::NOT_ALLOWED,
                "not signed in: no profile and no --base-url",
            )
            .with_hint("try it with --demo, or sign in with: gantry login")),
            BackendLocation::Local {
                file,
                as_of,
                sample,
                workspace,
            } => {
                let file_shown = file.clone();
                let data = file.map_or(Storage::Memory, Storage::File);
                let adds_sample = data == Storage::Memory;
                let running = service::start(service::ServiceOptions {
                    arrival_interval: arrival_interval(adds_sample, verb_path),
                    data,
                    as_of,
                    adds_sample,
                    book_size: sample.book,
                    projects: sample
                        .projects
                        .unwrap_or(service::ServiceOptions::default().projects),
                    is_private: true,
                    ..service::ServiceOptions::default()
                })
                .await;
                let running = running
                    .map_err(CliError::failed)
                    .context("start the local service")?;
                if running.is_sample() {
                    print::write_note(match file_shown {
                        Some(_) => "sample data",
                        None => "sample data, which ends with this command",
                    });
                }
                if let Some(newest) = running.fullest_day_of_old_signals()
                    && file_shown.is_some()
                    && verb_path.starts_with("queue")
                {
                    print::write_note(&as_of_hint(newest.date_naive()));
                }
                let (workspace, token) = running
                    .startup_info()
                    .default_sign_in(parse_workspace_id(workspace.as_deref())?)
                    .ok_or_else(|| {
                        CliError::not_found("the local database has no such workspace")
                    })?;
                let client = new_client(
                    running.base_url(),
                    None,
                    token.into(),
                    Some(workspace),
                    options,
                )?;
                Ok(new_session(client, Some(running), ""))
            }
            BackendLocation::Remote {
                base_url,
                token,
                workspace,
                certificate,
                ..
            } => {
                let named = parse_workspace_id(workspace.as_deref())?;
                let client = new_client(&base_url, certificate, token.clone(), named, options)?;
                if print::is_stderr_terminal() {
                    tasks::spawn(warn_when_slow(client.base_url().host(), client.health()));
                }
                let own = if named.is_none() {
                    find_own_workspace(&client, verb_path).await?
                } else {
                    None
                };
                let client = own.map_or(client.clone(), |own| client.in_workspace(own));
                Ok(new_session(client, None, token.expose_secret().trim()))
            }
        }
    }

    /// Fetches and prints one record and its price, to `what`.
    pub(super) async fn fetch_and_print(
        &self,
        request: Request,
        columns: &'static [Column],
        what: &str,
    ) -> Result<(), CliError> {
        let record = self.client.fetch_value::<Box<RawValue>>(request).await;
        let record = record.context(what)?;
        self.output.print_record(&record.value, columns)?;
        self.output.print_cost(record.credits);
        Ok(())
    }

    /// The search with filters of the types that the vocabulary has.
    pub(super) async fn resolve_search(
        &self,
        dataset: &Dataset,
        search: Search,
    ) -> Result<Search, CliError> {
        let folder = self.vocabulary_folder.as_deref();
        let resolved = vocabulary_cache::resolve_search(&self.client, folder, dataset, search);
        resolved.await.map_err(CliError::usage)
    }

    pub(super) async fn define_view(
        &self,
        dataset: &Dataset,
        filters: &Conditions,
    ) -> Result<Value, CliError> {
        let folder = self.vocabulary_folder.as_deref();
        let definition = vocabulary_cache::define_view(&self.client, folder, dataset, filters);
        definition.await.map_err(CliError::usage)
    }

    /// The time on the service's clock, if it answers.
    pub(super) async fn service_time(&self) -> Option<DateTime<Utc>> {
        self.client.queue_stats().await.ok()?.date
    }

    /// The ledger of this session's service and workspace.
    pub(super) fn ledger(&self) -> Ledger {
        self.store.ledger(&self.meter, self.client.workspace_id())
    }

    /// Identifies the service in the store.
    pub(super) fn meter(&self) -> &str {
        &self.meter
    }

    /// The journal of this session's service and workspace.
    pub(super) fn journal(&self) -> Journal {
        self.store.journal(&self.meter, self.client.workspace_id())
    }

    /// The stored records, already paid for, as read with this session's credential.
    pub(super) fn record_store(&self) -> RecordStore {
        self.store.records(self.cache_owner)
    }

    /// What signals are about, as read with this session's credential.
    pub(super) fn description_store(&self) -> DescriptionStore {
        self.store.descriptions(self.cache_owner)
    }

    /// Whether the service runs in this process.
    pub(super) fn is_local(&self) -> bool {
        self.local_service.is_some()
    }

    /// Whether reading a signal is known to be free: a service in this process charges nothing, and
    /// of others the console's meter may have shown it.
    pub(super) async fn are_signal_reads_free(&self) -> bool {
        self.is_local()
            || self
                .description_store()
                .are_reads_free()
                .await
                .unwrap_or_default()
    }

    /// The saved searches of this session's credential.
    pub(super) fn named_search_store(&self) -> NamedSearchStore {
        self.store.named_searches(self.cache_owner)
    }

    /// The client for one of several changes of this run, recorded under its own operation id.
    pub(super) fn client_for(&self, op: Uuid) -> Client {
        let recorder = self.store.recorder(
            &self.meter,
            self.client.workspace_id(),
            &self.verb_path,
            op,
            Utc::now,
        );
        let (confirm_spend, show_request) = (Some(self.confirm_spend.clone()), self.show_request);
        self.client.with_recorder(Arc::new(StoreRecorder {
            confirm_spend,
            show_request,
            ..recorder
        }))
    }

    /// Stops the local service, if there is one. Completed writes are on disk.
    pub(super) async fn close(self) {
        if let Some(running) = self.local_service {
            running.stop().await;
        }
    }
}

/// The demo's wall has the console's arrivals. A command that ends by itself has none, so that it
/// prints the same every time.
fn arrival_interval(is_demo: bool, verb_path: &str) -> Option<Duration> {
    (is_demo && verb_path == "watch").then_some(service::DEMO_ARRIVAL_INTERVAL)
}

/// Prints a finished request and its price for `--verbose`. It contains no token, no id and nothing
/// that is searched for.
fn print_request(request: &RequestSummary<'_>) {
    let result = match request.outcome {
        Ok(Some(credits)) => print::pluralize(credits, "credit"),
        Ok(None) if request.is_free => "free".to_owned(),
        Ok(None) => "price not reported".to_owned(),
        Err(why) => format!("failed: {why}"),
    };
    print::write_error(&format!(
        "{} ({} ms): {result}",
        request.route,
        request.took.as_millis()
    ));
}

/// Opens the store of the service that options, environment and profile select.
pub(super) fn store_for_options<'k>(
    options: &GlobalOptions,
    store_cell: &'k StoreCell,
) -> Result<&'k Store, CliError> {
    let config = config::resolve(&options.to_cli_options(), &config::process_env)?;
    if matches!(config.location, BackendLocation::Unconfigured) {
        let line = "no service and no file is chosen: there is no profile";
        let error = CliError::new(exit_status::NOT_ALLOWED, line);
        return Err(error.with_hint("name one with --local FILE or --base-url URL"));
    }
    let file = config.paths.store_file(&config.location);
    Ok(store_cell.get_or_init(|| Store::new(file, Utc::now())))
}

/// Asks once per run whether a soft budget may be exceeded. Without a terminal it prints a note and
/// continues.
fn confirm_spend_once(assumes_yes: bool) -> ConfirmSpend {
    let agreed = Arc::new(OnceCell::new());
    Arc::new(move |passed: BudgetExceeded| {
        let agreed = agreed.clone();
        Box::pin(async move {
            let ask = || async {
                if assumes_yes {
                    return true;
                }
                if !confirm::can_ask() {
                    print::write_note(&format!(
                        "{passed}; continuing, because there is no terminal to ask at"
                    ));
                    return true;
                }
                confirm::ask(&format!("{passed}; continue?"))
                    .await
                    .unwrap_or_default()
            };
            *agreed.get_or_init(ask).await
        })
    })
}

pub(super) fn new_client(
    base_url: &str,
    certificate: Option<String>,
    token: SecretString,
    workspace: Option<WorkspaceId>,
    options: &GlobalOptions,
) -> Result<Client, CliError> {
    // An invalid address or token is a usage error: no request has been made yet.
    let endpoint = Endpoint {
        base_url: base_url.to_owned(),
        token,
        workspace,
        certificate,
    };
    Client::with_limits(endpoint, Limits::with_total_timeout(options.timeout))
        .map_err(CliError::unusable)
}

/// Notes once that a response is slow. Waits a second first, because a retry may already have ended
/// the delay.
async fn warn_when_slow(host: String, mut health: watch::Receiver<Health>) {
    while health
        .wait_for(|health| *health == Health::Slow)
        .await
        .is_ok()
    {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if *health.borrow() == Health::Slow {
            return print::write_note(&format!("{host} is slow to respond; Ctrl-C cancels"));
        }
    }
}

/// Finds the workspace of a token when none is configured. Most routes need it. Verbs that stay
/// open wait until the service can answer.
async fn find_own_workspace(
    client: &Client,
    verb_path: &str,
) -> Result<Option<WorkspaceId>, CliError> {
    let answer = match verb_path {
        "watch" | "triage" => await_first_answer(async || client.find_workspace().await).await,
        _ => client.find_workspace().await,
    };
    match answer {
        Ok(workspace) => Ok(workspace),
        Err(failure) if failure.status() == Some(400) => Err(CliError::unusable(failure)),
        Err(failure) => Err(failure).context("find the workspace"),
    }
}

/// Sends the first request of a verb that stays open again while its failure passes by itself, and
/// says what it waits for.
pub(super) async fn await_first_answer<T>(
    send: impl AsyncFn() -> Result<T, RequestError>,
) -> Result<T, RequestError> {
    loop {
        let failure = match send().await {
            Err(failure) => failure,
            answer => return answer,
        };
        let Some(pause) = failure.retry_pause(false, None) else {
            return Err(failure);
        };
        print::write_note(&format!("{}; waiting, Ctrl-C ends", failure.message));
        tokio::time::sleep(pause).await;
    }
}

/// Parses a workspace id.
pub(super) fn parse_workspace_id(text: Option<&str>) -> Result<Option<WorkspaceId>, CliError> {
    text.map(|text| {
        text.parse()
            .map_err(|_| CliError::usage(format!("the workspace {text:?} is not a UUID")))
    })
    .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_arrive_on_the_wall_of_the_demo_only() {
        let interval = Some(service::DEMO_ARRIVAL_INTERVAL);
        assert_eq!(arrival_interval(true, "watch"), interval);
        assert_eq!(arrival_interval(false, "watch"), None);
        assert_eq!(arrival_interval(true, "queue list"), None);
    }
}
