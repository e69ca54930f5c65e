//! The local service: the whole interface over HTTP, on axum over SQLite or PostgreSQL, for the
//! demo, for local databases and for tests.
//!
//! `router` is the table of all routes, `auth` decides who may call what, `routes` has one file per
//! family, `db` and `search` are the only modules that know SQL, and `server` accepts connections.
//! Everything a service depends on is in its [`ServiceOptions`]: nothing here reads the environment,
//! and time comes from a [`clock::Clock`]. The service knows the domain and nothing else of the
//! program; the rest of the program talks to it only over HTTP.
//!
//! # Secrets
//! API keys and access tokens are stored as SHA-256 digests, so nobody can read them back, not even
//! this program. Each start therefore issues new ones for every workspace and member and hands them
//! out once: in [`RunningService::startup_info`], which is also the content of the ready file.
//! Those of earlier starts stay valid for thirty days, and tokens as long as they are used, so that
//! a restart signs nobody out.

pub mod address;
mod api_error;
mod auth;
mod body;
pub(crate) mod clock;
mod connection_limits;
mod dataset;
pub mod db;
mod embedded_data;
pub mod import;
mod incoming_request;
pub(crate) mod mail;
mod metrics;
mod operations;
mod reads;
mod recent_callers;
mod request;
mod response;
mod router;
mod routes;
pub mod sample;
mod search;
mod server;
mod startup;
mod state;
pub mod team_file;
#[cfg(test)]
mod tests;
mod time_limits;
mod tls;
mod trusted_proxies;
mod validation;
mod write_timeout;
mod writes;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio_util::sync::CancellationToken;

use crate::domain::WorkspaceId;
use crate::platform::tasks;
use state::AppState;

pub use address::PublicAddress;
pub use db::Storage;
pub use mail::MailDestination;
pub use router::BASE_PATH;
pub use startup::{ApiKey, CREDENTIAL_LIFETIME_DAYS, StartupInfo, StartupMember, StartupWorkspace};
pub use time_limits::TimeLimits;
pub use tls::CertificateSource;
pub use trusted_proxies::AddressRange;

/// Average time between new signals in the demo: often enough to be noticed, rarely enough to keep
/// up.
pub const DEMO_ARRIVAL_INTERVAL: Duration = Duration::from_secs(20);

/// The configuration of a service.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    /// The address to listen on; port 0 picks a free port.
    pub listen: SocketAddr,
    /// The certificate to speak TLS with; `None` for plain http.
    pub certificate: Option<CertificateSource>,
    /// The name or address that colleagues use, if it is another one.
    pub public_address: Option<PublicAddress>,
    /// The balancers and proxies that are believed about the address of a client.
    pub trusted_proxies: Vec<AddressRange>,
    pub data: Storage,
    /// A read replica of the PostgreSQL database, for searches.
    pub read_replica: Option<Box<db::sql::PostgresConfig>>,
    /// Where operators read metrics, over plain http and without credentials; nowhere if `None`.
    pub metrics_listen: Option<SocketAddr>,
    pub time_limits: TimeLimits,
    /// Whether each request is logged: method, route, status, time and id.
    pub logs_requests: bool,
    /// How long a service that is asked to stop still accepts connections, while `/readyz` says
    /// that it wants none.
    pub drain_delay: Duration,
    /// How long the requests in progress may take from then on.
    pub drain_timeout: Duration,
    /// Whether a database without a workspace is filled with sample data; otherwise it is rejected.
    pub adds_sample: bool,
    /// Random seed of the sample data (together with `projects`).
    pub seed: u64,
    /// Approximate number of projects in a new sample world.
    pub projects: u32,
    /// Accounts in the book of its first workspace; by default as many as such a team would have.
    pub book_size: Option<u32>,
    /// Approximate interval between new signals; `None` for no new signals.
    pub arrival_interval: Option<Duration>,
    /// Start of the service's clock; now if `None`.
    pub as_of: Option<DateTime<Utc>>,
    /// Where alert mails go. A service without a destination neither sends nor drops mails, so that
    /// another service on the same file can send them.
    pub mail: Option<MailDestination>,
    /// How often the service looks for new signals to report; the signals found in one look share
    /// one mail.
    pub mail_interval: Duration,
    /// How long after the start, and how often from then on, the service checks whether today's
    /// backup exists ([`db::backups`]): shorter runs make none.
    pub backup_interval: Duration,
    /// The file that reports that the service is ready, with the credentials for it.
    pub ready_file: Option<PathBuf>,
    /// It ends with the command or the console that started it. Join codes for its file name the
    /// last service that did not.
    pub is_private: bool,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            certificate: None,
            public_address: None,
            trusted_proxies: Vec::new(),
            data: Storage::Memory,
            read_replica: None,
            metrics_listen: None,
            time_limits: TimeLimits::default(),
            logs_requests: false,
            drain_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(10),
            adds_sample: true,
            seed: 1,
            projects: 500,
            book_size: None,
            arrival_interval: None,
            as_of: None,
            mail: None,
            mail_interval: Duration::from_secs(60),
            backup_interval: Duration::from_secs(60),
            ready_file: None,
            is_private: false,
        }
    }
}

/// Why a service did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is in use, or does not belong to this machine.
    #[error("cannot listen on {0}: {reason}", reason = listen_reason(.1))]
    Listen(SocketAddr, #[source] std::io::Error),
    /// The database cannot be opened, read or filled.
    #[error("cannot use the database: {0}{advice}", advice = .0.advice())]
    Database(#[from] db::DbError),
    /// The destination of alert mails is invalid.
    #[error("cannot send alert mails: {0}")]
    Mail(String),
    /// The certificate cannot be created, read or used.
    #[error("cannot use a certificate: {0}")]
    Certificate(String),
    /// The ready file cannot be written.
    #[error("cannot write {0}: {1}")]
    ReadyFile(PathBuf, #[source] std::io::Error),
}

/// A running service.
pub struct RunningService {
    startup_info: StartupInfo,
    /// When its clock started, if that is not now.
    as_of: Option<DateTime<Utc>>,
    fullest_day_of_old_signals: Option<DateTime<Utc>>,
    is_sample: bool,
    metrics_address: Option<SocketAddr>,
    drain_delay: Duration,
    stop: CancellationToken,
    background_tasks: Vec<tokio::task::JoinHandle<()>>,
    state: Arc<AppState>,
}

impl RunningService {
    /// The base address of all paths: `http://127.0.0.1:41233/api/v1`.
    pub fn base_url(&self) -> &str {
        &self.startup_info.base_url
    }

    /// The workspaces and members, with the credentials of this start.
    pub fn startup_info(&self) -> &StartupInfo {
        &self.startup_info
    }

    /// Where operators read metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// The day of the newest signal, if all are too old for the queue: a day to start the clock at.
    pub fn fullest_day_of_old_signals(&self) -> Option<DateTime<Utc>> {
        self.fullest_day_of_old_signals
    }

    /// Whether the database was created with sample data.
    pub fn is_sample(&self) -> bool {
        self.is_sample
    }

    /// Stops: tells balancers, then accepts no new connections, finishes the requests in progress
    /// as long as [`ServiceOptions::drain_timeout`] allows, and closes the database.
    pub async fn stop(self) {
        self.state.is_draining.store(true, Ordering::Relaxed);
        tokio::time::sleep(self.drain_delay).await;
        self.stop.cancel();
        for task in self.background_tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "a task of the service panicked");
            }
        }
        if let Some(start) = self.as_of {
            let reached = self.state.clock.now();
            let saved = self
                .state
                .db
                .write(move |tx| db::service_clock::save(tx, start, reached))
                .await;
            if let Err(error) = saved {
                tracing::error!(%error, "cannot save the clock");
            }
        }
        match Arc::into_inner(self.state) {
            None => tracing::error!("the database is still in use: it was not closed"),
            Some(state) => {
                if let Err(error) = tasks::run_blocking(move || state.db.close()).await {
                    tracing::error!(%error, "cannot close the database");
                }
            }
        }
    }
}

/// Starts a service and returns once it accepts requests. Call it within a tokio runtime.
///
/// # Errors
/// If the address, the database or the ready file cannot be used; nothing keeps running in that
/// case.
pub async fn start(options: ServiceOptions) -> Result<RunningService, StartError> {
    let (socket, address) = reserve_address(options.listen)?;
    let metrics_socket = options.metrics_listen.map(reserve_address).transpose()?;
    let (tls, base_url) = match &options.certificate {
        None => (
            None,
            format!(
                "http://{}{}",
                address::local_address(address),
                router::BASE_PATH
            ),
        ),
        Some(source) => {
            let shared = address::shared_address(address, options.public_address.as_ref());
            let base_url = format!("https://{shared}{}", router::BASE_PATH);
            let names = certificate_names(&shared, address);
            let tls = tls::ServerTls::load(source, &options.data, names, base_url.clone())
                .map_err(StartError::Certificate)?;
            (Some(tls), base_url)
        }
    };
    let fingerprint = tls.as_ref().map(|tls| tls.fingerprint);
    let joining_url = match (&tls, &options.public_address) {
        // a proxy with https is in front of the service
        (None, Some(public)) => format!("https://{public}{}", router::BASE_PATH),
        _ => base_url.clone(),
    };
    let mail = options.mail.as_ref();
    let transport = mail
        .map(mail::transport::MailTransport::new)
        .transpose()
        .map_err(StartError::Mail)?
        .flatten();

    let data = options.data.clone();
    let opened = tasks::run_blocking(move || db::Database::open(&data)).await;
    let db = opened.unwrap_or(Err(db::sql::SqlError::Closed.into()))?;
    let clock = match options.as_of {
        None => clock::Clock::from_system_time(),
        Some(start) => {
            let machine = clock::Clock::from_system_time().now();
            let resume = move |tx: &db::Conn| db::service_clock::resume(tx, start, machine);
            clock::Clock::starting_at(db.write(resume).await.map_err(db::DbError::from)?)
        }
    };
    let (now, mails) = (clock.now(), mail.map(|_| transport.is_some()));
    let names_itself = !options.is_private || options.data == Storage::Memory;
    let join_address = names_itself.then(|| {
        Arc::new(db::join_codes::JoinAddress {
            base_url: joining_url,
            fingerprint,
        })
    });
    let saved_address = join_address.clone();
    let (seed, projects, book) = (
        options.seed,
        options.projects as usize,
        options.book_size.map(|book| book as usize),
    );
    let (is_present, adds_sample) = (options.as_of.is_none(), options.adds_sample);
    let (ready, fullest_day_of_old_signals, is_sample) = db
        .write_in(db::sql::WriteScope::Setup, move |tx| {
            db::migrate::check_complete(tx)?;
            if db::workspaces::is_empty(tx)? {
                if !adds_sample {
                    return Err(db::DbError::NoWorkspace);
                }
                sample::fill_database(tx, seed, projects, book, now)?;
            }
            db::advance::advance(tx, now)?;
            db::atlas::compute_due_scores(tx, now)?;
            db::columns::prune_changes(tx)?;
            match mails {
                Some(true) => db::outbox::start_outbox(tx, now)?,
                Some(false) => db::outbox::stop_outbox(tx, now)?,
                None => {}
            }
            if let Some(address) = &saved_address {
                db::join_codes::save_address(tx, address)?;
            }
            let newest = if is_present {
                db::service_clock::fullest_day_of_old_signals(tx, now)?
            } else {
                None
            };
            let ready = StartupInfo::issue(tx, base_url, fingerprint)?;
            Ok::<_, db::DbError>((ready, newest, db::workspaces::is_sample(tx)?))
        })
        .await?;
    let listener = socket
        .listen(LISTEN_BACKLOG)
        .map_err(|e| StartError::Listen(address, e))?;
    let operator_listener = match metrics_socket {
        None => None,
        Some((socket, address)) => {
            let listener = socket
                .listen(LISTEN_BACKLOG)
                .map_err(|e| StartError::Listen(address, e))?;
            Some((listener, address))
        }
    };
    if let Some(path) = &options.ready_file {
        ready
            .write(path)
            .map_err(|e| StartError::ReadyFile(path.clone(), e))?;
    }

    let stop = CancellationToken::new();
    let public_host = options.public_address.map(|address| address.host);
    let (body_budget, join_limiter) = (body::BodyBudget::new(), Default::default());
    let replica = options
        .read_replica
        .map(|config| db::replica::ReadReplica::new(*config));
    let state = Arc::new(AppState {
        db,
        replica,
        columns: Arc::default(),
        join_address,
        clock,
        body_budget,
        trusted_proxies: trusted_proxies::TrustedProxies(options.trusted_proxies),
        join_limiter,
        recent_callers: Default::default(),
        public_host,
        metrics: metrics::Metrics::default(),
        time_limits: options.time_limits,
        logs_requests: options.logs_requests,
        is_draining: AtomicBool::new(false),
    });
    let shutdown = server::Shutdown {
        stop: stop.clone(),
        drain_timeout: options.drain_timeout,
    };
    let router = router::build_router(state.clone());
    let serving = tasks::spawn(server::serve(
        listener,
        tls,
        router,
        state.clone(),
        shutdown.clone(),
    ));
    let (metrics_listener, metrics_address) = operator_listener.unzip();
    let measuring = metrics_listener.map(|listener| {
        tasks::spawn(server::serve(
            listener,
            None,
            operations::operator_routes(state.clone()),
            state.clone(),
            shutdown,
        ))
    });
    let rng = sample::rng::SampleRng::new(seed, now.timestamp_millis().unsigned_abs());
    let arriving = options
        .arrival_interval
        .map(|every| tasks::spawn(run_arrivals(state.clone(), every, rng, stop.clone())));
    let every = options.mail_interval;
    let mailing = transport.map(|transport| {
        tasks::spawn(mail::run_mailer(
            state.clone(),
            transport,
            every,
            stop.clone(),
        ))
    });
    let copying = match options.data {
        Storage::Memory | Storage::Postgres(_) => None,
        Storage::File(path) => Some(tasks::spawn(run_daily_backups(
            path,
            options.backup_interval,
            stop.clone(),
        ))),
    };
    let preloading = (!options.is_private && state.replica.is_none())
        .then(|| tasks::spawn(preload_columns(state.clone(), stop.clone())));
    let beside = [
        Some(serving),
        measuring,
        arriving,
        mailing,
        copying,
        preloading,
    ]
    .into_iter()
    .flatten()
    .collect();
    let as_of = options.as_of;
    Ok(RunningService {
        startup_info: ready,
        as_of,
        fullest_day_of_old_signals,
        is_sample,
        metrics_address,
        drain_delay: options.drain_delay,
        stop,
        background_tasks: beside,
        state,
    })
}

/// How many connections wait to be accepted.
const LISTEN_BACKLOG: u32 = 1024;

/// Finds out whether a service could listen on an address.
///
/// # Errors
/// It is in use, or does not belong to this machine.
pub fn check_address(wanted: SocketAddr) -> Result<(), StartError> {
    reserve_address(wanted).map(drop)
}

fn listen_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "another program listens there".to_owned(),
        std::io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    }
}

/// Takes an address without listening: until the database is ready, connections are refused, and a
/// balancer chooses another instance.
fn reserve_address(wanted: SocketAddr) -> Result<(tokio::net::TcpSocket, SocketAddr), StartError> {
    let reserve = || {
        let socket = if wanted.is_ipv4() {
            tokio::net::TcpSocket::new_v4()
        } else {
            tokio::net::TcpSocket::new_v6()
        }?;
        socket.set_reuseaddr(true)?;
        socket.bind(wanted)?;
        let address = socket.local_addr()?;
        Ok((socket, address))
    };
    reserve().map_err(|error| StartError::Listen(wanted, error))
}

/// Adds a member to a workspace of a database, which a running service may be using at the same
/// time. `None` if it has no such workspace. It must not be called on a thread of an asynchronous
/// runtime.
pub fn admit_member(
    data: &Storage,
    workspace: Option<WorkspaceId>,
    person: &db::members::NewMember,
    now: DateTime<Utc>,
) -> Result<Option<db::members::AdmittedMember>, db::DbError> {
    if let Storage::File(file) = data {
        std::fs::metadata(file)?;
    }
    Ok(db::members::admit(
        &db::open_writer(data)?,
        workspace,
        person,
        now,
    )?)
}

/// What a created certificate is valid for: the shared address, the one that the service listens
/// on, and this machine's own.
fn certificate_names(shared: &str, listening: SocketAddr) -> Vec<String> {
    let host = shared
        .rsplit_once(':')
        .map_or(shared, |(host, _)| host)
        .trim_start_matches('[')
        .trim_end_matches(']');
    let mut names = vec![
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        "::1".to_owned(),
        host.to_owned(),
    ];
    names.extend((!listening.ip().is_unspecified()).then(|| listening.ip().to_string()));
    names.sort_unstable();
    names.dedup();
    names
}

/// Discovers a new signal about once per interval, until `stop`. Instances on one database take
/// part in the same arrivals.
async fn run_arrivals(
    state: Arc<AppState>,
    every: Duration,
    mut rng: sample::rng::SampleRng,
    stop: CancellationToken,
) {
    let draw_pause = |rng: &mut sample::rng::SampleRng| {
        every
            .mul_f64(rng.draw_from((0.5, 1.5)))
            .max(Duration::from_millis(10))
    };
    let mut pause = draw_pause(&mut rng);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let (now, next) = (state.clock.now(), draw_pause(&mut rng));
        let mut draws = rng.split();
        match state
            .db
            .write(move |tx| sample::arrivals::write_due_arrival(&mut draws, tx, now, next))
            .await
        {
            Ok(wait) => pause = wait,
            // the database may be busy, or away for a while
            Err(error) => {
                tracing::warn!(%error, "a new signal is late");
                pause = next;
            }
        }
    }
}

/// Reads what searches keep in memory. Whoever starts a service for a single command searches once;
/// what a read replica is asked is read there when a search first needs it.
async fn preload_columns(state: Arc<AppState>, stop: CancellationToken) {
    let run = async {
        let columns = state.columns.clone();
        let plan = move |conn: &db::Conn| search::preload::plan_steps(conn, &columns);
        for step in state.db.search(WorkspaceId::default(), plan).await? {
            let columns = state.columns.clone();
            let load = move |conn: &db::Conn| step.load(conn, &columns);
            state.db.search(WorkspaceId::default(), load).await?;
        }
        Ok::<_, db::sql::SqlError>(())
    };
    tokio::select! {
        () = stop.cancelled() => {}
        done = run => {
            if let Err(error) = done {
                tracing::warn!(%error, "columns are read when a search needs them");
            }
        }
    }
}

/// Backs the file up once a day (UTC) until `stop`.
async fn run_daily_backups(path: PathBuf, every: Duration, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        let (path, stopped) = (path.clone(), stop.clone());
        let today = clock::Clock::from_system_time().now().date_naive();
        let copied = tasks::run_blocking(move || {
            db::backups::create_daily(&path, today, move || !stopped.is_cancelled())
        });
        if let Ok(Err(error)) = copied.await
            && !stop.is_cancelled()
        {
            tracing::error!(%error, "today's backup failed");
        }
    }
}
