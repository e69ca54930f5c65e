//! The local service: the whole interface over HTTP, on axum and SQLite, for the demo, a desk of one's own and the tests.
//!
//! `router` is the table of all routes, `gate` decides who may ask what, `routes` holds one file a family, `db` and `search` are
//! the only rooms that know SQL, `server` accepts connections. The world of a service is its [`Options`]: nothing here reads the
//! environment, and time is the [`clock::Clock`] that was given. It knows the domain and nothing else of the program; the rest
//! of the program speaks to it over HTTP alone.
//!
//! # Secrets
//! API keys and access tokens are stored as SHA-256 digests, so nobody can read them back, this program included. Each start
//! therefore issues fresh ones for every workspace and member and hands them out once: in [`Running::ready`], which is also what
//! the ready file holds. Those of earlier starts hold for thirty days, so that a restart signs nobody out.

mod api_error;
mod auth;
mod body;
pub mod clock;
mod connection_limits;
pub mod db;
pub mod import;
pub mod mail;
mod request;
mod response;
mod router;
mod routes;
pub mod sample;
mod search;
mod server;
mod startup;
#[cfg(test)]
mod tests;
mod validation;
mod write_timeout;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

use crate::domain::WorkspaceId;

pub use auth::{AllowedCallers, AuthPolicy, WorkspaceSource};
pub use mail::MailDestination;
pub use router::{BASE_PATH, Route, routes};
pub use startup::{ApiKey, CREDENTIAL_LIFETIME_DAYS, StartupInfo, StartupMember, StartupWorkspace};

/// Where the service keeps its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Nowhere: gone when the service stops.
    Memory,
    /// In an SQLite file, made and filled with sample data when it does not exist, kept as it is when it holds a workspace.
    File(PathBuf),
}

/// The world of a service.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the data is.
    pub data: Storage,
    /// What the sample world is a function of, with `projects`.
    pub seed: u64,
    /// About how many projects a new sample world has.
    pub projects: u32,
    /// How many accounts the book of its first workspace holds; what such a team would keep when absent.
    pub book_size: Option<u32>,
    /// About how often a new signal is discovered; never when absent.
    pub arrival_interval: Option<Duration>,
    /// Where the service's clock starts; now when absent.
    pub as_of: Option<DateTime<Utc>>,
    /// Where alert mails go. A service that is not told leaves them to the one that is: it sends none, and drops none.
    pub mail: Option<MailDestination>,
    /// How often new signals are looked for to tell of them: what is found in between is one mail.
    pub mail_interval: Duration,
    /// How long after the start, and how often then, it is looked whether the file's backup of the day is there
    /// ([`db::backups`]): a service that lives shorter makes none.
    pub backup_interval: Duration,
    /// The file that says that the service is ready, and to whom it answers.
    pub ready_file: Option<PathBuf>,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            data: Storage::Memory,
            seed: 1,
            projects: 500,
            book_size: None,
            arrival_interval: None,
            as_of: None,
            mail: None,
            mail_interval: Duration::from_secs(60),
            backup_interval: Duration::from_secs(60),
            ready_file: None,
        }
    }
}

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken, or not one of this machine.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, #[source] std::io::Error),
    /// The database cannot be opened, read or filled.
    #[error("cannot use the database: {0}")]
    Database(#[from] db::DbError),
    /// There is no way for alert mails.
    #[error("cannot send alert mails: {0}")]
    Mail(String),
    /// The ready file cannot be written.
    #[error("cannot write {0}: {1}")]
    ReadyFile(PathBuf, #[source] std::io::Error),
}

/// What all requests share.
struct AppState {
    db: db::Database,
    clock: clock::Clock,
    body_budget: body::BodyBudget,
}

/// A service that answers.
pub struct RunningService {
    startup_info: StartupInfo,
    stop: CancellationToken,
    server_task: tokio::task::JoinHandle<()>,
    background_tasks: Vec<tokio::task::JoinHandle<()>>,
    state: Arc<AppState>,
}

impl RunningService {
    /// The address that all paths of the interface are relative to: `http://127.0.0.1:41233/api/v1`.
    pub fn base_url(&self) -> &str {
        &self.startup_info.base_url
    }

    /// Who can ask, with the secrets of this start.
    pub fn startup_info(&self) -> &StartupInfo {
        &self.startup_info
    }

    /// Stops: takes no new connection, finishes the requests under way (five seconds at most), closes the database.
    pub async fn stop(self) {
        self.stop.cancel();
        for task in std::iter::once(self.server_task).chain(self.background_tasks) {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task of the service broke");
            }
        }
        if let Some(desk) = Arc::into_inner(self.state) {
            let closed = tokio::task::spawn_blocking(move || desk.db.close()).await;
            if let Err(error) = closed {
                tracing::error!(%error, "the database did not close");
            }
        }
    }
}

/// Starts a service and returns once it answers. Call it within a tokio runtime.
///
/// # Errors
/// When the address, the database or the ready file cannot be used; nothing is left running then.
pub async fn start(options: ServiceOptions) -> Result<RunningService, StartError> {
    let clock = options.as_of.map_or_else(clock::Clock::from_system_time, clock::Clock::starting_at);
    let listener = tokio::net::TcpListener::bind(options.listen).await.map_err(|e| StartError::Listen(options.listen, e))?;
    let address = listener.local_addr().map_err(|e| StartError::Listen(options.listen, e))?;
    let base_url = format!("http://{}{}", reachable_address(address), router::BASE_PATH);
    let mail = options.mail.as_ref();
    let carrier = mail.map(mail::transport::MailTransport::new).transpose().map_err(StartError::Mail)?.flatten();

    let data = options.data.clone();
    let opened = tokio::task::spawn_blocking(move || db::Database::open(&data)).await;
    let db = opened.unwrap_or(Err(db::DbError::Closed))?;
    let (now, mails) = (clock.now(), mail.map(|_| carrier.is_some()));
    let (seed, projects, book) = (options.seed, options.projects as usize, options.book_size.map(|book| book as usize));
    let ready = db
        .write(move |tx| {
            if db::workspaces::is_empty(tx)? {
                sample::fill_database(tx, seed, projects, book, now)?;
            }
            db::project_status::advance(tx, now)?;
            db::queue::advance(tx, now)?;
            db::atlas::compute_due_scores(tx, now)?;
            match mails {
                Some(true) => db::outbox::start_outbox(tx, now)?,
                Some(false) => db::outbox::stop_outbox(tx, now)?,
                None => {}
            }
            StartupInfo::issue(tx, base_url, now)
        })
        .await?;
    if let Some(path) = &options.ready_file {
        ready.write(path).map_err(|e| StartError::ReadyFile(path.clone(), e))?;
    }

    let stop = CancellationToken::new();
    let desk = Arc::new(AppState { db, clock, body_budget: body::BodyBudget::new() });
    let serving = tokio::spawn(server::serve(listener, router::build_router(desk.clone()), desk.clone(), stop.clone()));
    let chance = sample::rng::SampleRng::new(seed, now.timestamp_millis().unsigned_abs());
    let arriving = options.arrival_interval.map(|every| tokio::spawn(run_arrivals(desk.clone(), every, chance, stop.clone())));
    let every = options.mail_interval;
    let mailing = carrier.map(|carrier| tokio::spawn(mail::run_mailer(desk.clone(), carrier, every, stop.clone())));
    let copying = match options.data {
        Storage::Memory => None,
        Storage::File(path) => Some(tokio::spawn(run_daily_backups(path, options.backup_interval, stop.clone()))),
    };
    let beside = [arriving, mailing, copying].into_iter().flatten().collect();
    Ok(RunningService { startup_info: ready, stop, server_task: serving, background_tasks: beside, state: desk })
}

/// Lets a person into a workspace of a file, which a running service may be using at the same time. None when the file holds no
/// such workspace.
///
/// # Errors
/// When there is no such file, or it cannot be used.
pub fn admit_member(
    file: &std::path::Path,
    workspace: Option<WorkspaceId>,
    person: &db::members::NewMember,
    now: DateTime<Utc>,
) -> Result<Option<db::members::AdmittedMember>, db::DbError> {
    std::fs::metadata(file)?;
    db::members::admit(&mut db::open_writer(&Storage::File(file.to_owned()))?, workspace, person, now)
}

/// An address that a client can use: a service that listens everywhere is reached on this machine.
fn reachable_address(listening: SocketAddr) -> SocketAddr {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Lets a new signal be discovered about every so often, until `stop`.
async fn run_arrivals(desk: Arc<AppState>, every: Duration, mut chance: sample::rng::SampleRng, stop: CancellationToken) {
    loop {
        let pause = every.mul_f64(chance.float_between(0.5, 1.5)).max(Duration::from_millis(10));
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let now = desk.clock.now();
        let arrived = desk.db.write(move |tx| {
            sample::arrivals::write_arrival(&mut chance, tx, now)?;
            db::queue::advance(tx, now)?;
            Ok::<_, db::DbError>(chance)
        });
        match arrived.await {
            Ok(back) => chance = back,
            Err(error) => {
                tracing::error!(%error, "nothing arrives any more");
                return;
            }
        }
    }
}

/// Copies the file once a day, by the machine's own calendar, until `stop`.
async fn run_daily_backups(path: PathBuf, every: Duration, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        let (path, stopped) = (path.clone(), stop.clone());
        let today = clock::Clock::from_system_time().now().date_naive();
        let copied =
            tokio::task::spawn_blocking(move || db::backups::create_daily(&path, today, move || !stopped.is_cancelled()));
        if let Ok(Err(error)) = copied.await
            && !stop.is_cancelled()
        {
            tracing::error!(%error, "no backup was made");
        }
    }
}
