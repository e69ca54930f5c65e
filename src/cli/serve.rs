//! `gantry serve`: runs the local service until a signal stops it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use secrecy::ExposeSecret as _;

use crate::config::{self, LogFormat, duration, process_env};
use crate::domain::quoting::quote_for_shell;
use crate::platform::processes;
use crate::service::db::sql::PostgresConfig;
use crate::service::{
    self, AddressRange, CertificateSource, MailDestination, PublicAddress, Storage,
};

use super::database::{self, DatabaseArgs};
use super::error::{CliError, Context};
use super::import_file::as_of_hint;
use super::options::GlobalOptions;
use super::print;

/// The variable that names a read replica.
const REPLICA_VARIABLE: &str = "GANTRY_READ_REPLICA_URL";

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry serve --listen 127.0.0.1:8484 --data desk.db --arrivals 30s\n\
    On PostgreSQL: gantry serve --data postgres://gantry@db.example/desk --database-password-file password"
)]
pub struct ServeArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8484")]
    listen: SocketAddr,
    /// Speak TLS on this machine too; beyond it that is the default
    #[arg(long)]
    tls: bool,
    #[command(flatten)]
    certificate: CertificateArgs,
    /// Speak plain http beyond this machine: others on the network can read the tokens
    #[arg(long, conflicts_with_all = ["tls", "cert"])]
    plain_http: bool,
    /// Name or address that colleagues use, if it is not the one that the service listens on
    #[arg(long, value_name = "HOST[:PORT]")]
    public_address: Option<PublicAddress>,
    /// Addresses of balancers whose X-Forwarded-For is believed: limits per address then apply to
    /// their clients. Or ranges: 10.0.0.0/8
    #[arg(long, value_name = "ADDRESS[,ADDRESS]", value_delimiter = ',')]
    trusted_proxy: Vec<AddressRange>,
    /// SQLite file, created with sample data if it does not exist, :memory:, or the address of a
    /// PostgreSQL database (postgres://USER@HOST/DATABASE) [default: :memory:] [env:
    /// GANTRY_DATABASE_URL, an address that may contain the password]
    #[arg(long, value_name = "FILE|URL")]
    data: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
    /// Address of a read replica of the PostgreSQL database, for searches [env:
    /// GANTRY_READ_REPLICA_URL]
    #[arg(long, value_name = "URL")]
    read_replica: Option<String>,
    /// Random seed for the sample data (with --projects)
    #[arg(long, value_name = "N", default_value_t = service::ServiceOptions::default().seed)]
    seed: u64,
    /// Approximate interval between new signals, or off
    #[arg(long, value_name = "DURATION", default_value = "off", value_parser = parse_arrival_interval)]
    arrivals: ArrivalInterval,
    #[command(flatten)]
    mail: MailArgs,
    /// Where operators read /metrics, over plain http and without credentials; nowhere by default
    #[arg(long, value_name = "HOST:PORT")]
    metrics_listen: Option<SocketAddr>,
    /// Write the log to standard error, with a line for each request
    #[arg(long, value_name = "FORMAT", value_parser = parse_log_format())]
    pub(super) log_format: Option<LogFormat>,
    /// How long requests in progress may take when the service is asked to stop
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration::parse)]
    drain: Duration,
    /// How long the service still accepts requests when it is asked to stop, while /readyz tells
    /// balancers to turn away
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = duration::parse)]
    drain_delay: Duration,
    /// File to write once the service is ready, mode 0600: its address, workspaces, keys and tokens
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
}

impl ServeArgs {
    /// Beyond this machine the service speaks TLS unless told otherwise.
    fn certificate_source(&self) -> Option<CertificateSource> {
        let given = self.certificate.files();
        given.or(
            (self.tls || !(self.plain_http || self.listen.ip().is_loopback()))
                .then_some(CertificateSource::Created),
        )
    }
}

fn parse_log_format() -> impl TypedValueParser<Value = LogFormat> {
    let named = |name: String| {
        LogFormat::NAMES
            .into_iter()
            .find(|(known, _)| *known == name)
            .map(|(_, format)| format)
    };
    PossibleValuesParser::new(LogFormat::NAMES.map(|(name, _)| name))
        .try_map(move |name| named(name).ok_or("unknown format"))
}

/// The service's certificate, in the arguments of every command that starts one.
#[derive(Debug, Args)]
pub(super) struct CertificateArgs {
    /// Certificate in PEM, with its chain; without one the service creates a certificate beside the
    /// data file and keeps it
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(super) cert: Option<PathBuf>,
    /// Key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(super) key: Option<PathBuf>,
}

impl CertificateArgs {
    /// The files, if they are given.
    pub(super) fn files(&self) -> Option<CertificateSource> {
        let (certificate, key) = self.cert.clone().zip(self.key.clone())?;
        Some(CertificateSource::Files { certificate, key })
    }
}

/// The approximate interval between new signals; `None` for off.
#[derive(Clone, Copy, Debug)]
struct ArrivalInterval(Option<Duration>);

fn parse_arrival_interval(text: &str) -> Result<ArrivalInterval, String> {
    if text == "off" {
        Ok(ArrivalInterval(None))
    } else {
        duration::parse(text).map(|every| ArrivalInterval(Some(every)))
    }
}

/// Where a service sends emails, in the arguments of every command that starts one.
#[derive(Debug, Args)]
pub(super) struct MailArgs {
    /// Where to send alert emails: off, a folder for .eml files, smtp://HOST:PORT or
    /// smtps://USER@HOST?from=ADDRESS (env: GANTRY_MAIL, which may contain the password:
    /// smtps://USER:PASSWORD@HOST)
    #[arg(long, value_name = "WHERE")]
    mail: Option<String>,
    /// File with the password of the mail server, mode 0600
    #[arg(long, value_name = "FILE")]
    mail_password_file: Option<PathBuf>,
}

/// Where alert emails go: the option, or the variable.
pub(super) fn mail_destination(args: &MailArgs) -> Result<MailDestination, CliError> {
    if args
        .mail
        .as_deref()
        .and_then(mail_user)
        .is_some_and(|(_, user, _)| user.contains(':'))
    {
        return Err(CliError::usage("other users of this machine can read a password in --mail").with_hint(
            "put the same text into the variable GANTRY_MAIL, or use: --mail smtps://USER@HOST --mail-password-file FILE",
        ));
    }
    let target = args
        .mail
        .clone()
        .or_else(|| process_env("GANTRY_MAIL"))
        .unwrap_or_else(|| "off".to_owned());
    let target = match &args.mail_password_file {
        None => target,
        Some(file) => {
            let password = config::password_from_file(file)?;
            let (scheme, user, rest) = mail_user(&target).filter(|(_, user, _)| !user.contains(':')).ok_or_else(|| {
                CliError::usage("--mail-password-file needs a mail server with a user: --mail smtps://USER@HOST")
            })?;
            let encoded: String = password
                .expose_secret()
                .bytes()
                .map(|byte| format!("%{byte:02X}"))
                .collect();
            format!("{scheme}://{user}:{encoded}@{rest}")
        }
    };
    match target.as_str() {
        "off" => Ok(MailDestination::Off),
        url if url.starts_with("smtp://") || url.starts_with("smtps://") => Ok(MailDestination::Smtp(url.to_owned())),
        folder if Path::new(folder).is_dir() || !is_server_or_switch(folder) => Ok(MailDestination::Folder(folder.into())),
        other => Err(CliError::usage(format!("--mail {other:?} is neither off, a mail server nor a folder"))
            .with_hint("write a server like smtp://HOST:PORT or smtps://USER@HOST, and a folder with a slash, like ./mails")),
    }
}

/// Whether it looks like a mistyped server or `off`, and not like a folder: mails would vanish into
/// it.
fn is_server_or_switch(target: &str) -> bool {
    let is_name = !target.contains(std::path::is_separator);
    let is_switch = || {
        ["none", "no", "off", "on", "yes", "true", "false"]
            .contains(&target.to_ascii_lowercase().as_str())
    };
    target.contains("://") || is_name && (target.contains(['.', ':']) || is_switch())
}

/// Scheme, user with or without a password, and the rest of a mail server's URL.
fn mail_user(url: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = url
        .split_once("://")
        .filter(|(scheme, _)| matches!(*scheme, "smtp" | "smtps"))?;
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let user = &authority[..authority.rfind('@')?];
    Some((scheme, user, &rest[user.len() + 1..]))
}

pub(super) async fn run(serve: &ServeArgs, options: &GlobalOptions) -> Result<(), CliError> {
    // Installed before the service is ready, so that no signal is missed in between.
    let end = processes::shutdown_signal().context("handle shutdown signals")?;
    let data = database::find_storage(
        "--data",
        serve.data.as_deref(),
        &serve.database,
        &process_env,
    )?
    .unwrap_or(Storage::Memory);
    let is_new_file = matches!(&data, Storage::File(file) if !file.exists());
    let service_options = service::ServiceOptions {
        listen: serve.listen,
        certificate: serve.certificate_source(),
        public_address: serve.public_address.clone(),
        trusted_proxies: serve.trusted_proxy.clone(),
        data: data.clone(),
        read_replica: read_replica(serve, &data)?,
        metrics_listen: serve.metrics_listen,
        logs_requests: serve.log_format.is_some(),
        drain_delay: serve.drain_delay,
        drain_timeout: serve.drain,
        seed: serve.seed,
        projects: options
            .projects
            .unwrap_or(service::ServiceOptions::default().projects),
        book_size: options.book,
        arrival_interval: serve.arrivals.0,
        as_of: options.as_of,
        mail: Some(mail_destination(&serve.mail)?),
        ready_file: serve.ready_file.clone(),
        ..service::ServiceOptions::default()
    };
    let running = service::start(service_options)
        .await
        .map_err(CliError::failed)
        .context("serve")?;
    let certificate = running.startup_info().certificate;
    // A log in JSON contains nothing else.
    let note = |text: &str| match serve.log_format {
        None => print::write_note(text),
        Some(_) => tracing::info!("{text}"),
    };
    match certificate {
        Some(fingerprint) => note(&format!("the service's certificate is {fingerprint}")),
        None if !serve.listen.ip().is_loopback() => note(&format!(
            "warning: other machines can reach this service on {} over plain http, so tokens and data can be read on the way. Put an \
             https proxy in front of it; gantry on another machine rejects plain http",
            serve.listen.ip()
        )),
        None => {}
    }
    if let Some(address) = running.metrics_address() {
        note(&format!("metrics are at http://{address}/metrics"));
    }
    if running.is_sample() {
        note(match is_new_file {
            true => "sample data; a new file without it: gantry team up --data FILE",
            false => "sample data",
        });
    }
    note(&second_user_hint(&data, options.as_of));
    if let (Some(day), true) = (
        running.fullest_day_of_old_signals(),
        data != Storage::Memory,
    ) {
        note(&as_of_hint(day.date_naive()));
    }
    let written = print::write_data(&format!("{}\n", running.base_url()));
    if written.is_ok() {
        end.await;
    }
    // Whoever asks again does not wait for requests in progress.
    let again = processes::shutdown_signal().context("handle shutdown signals")?;
    tokio::select! {
        () = running.stop() => {}
        () = again => note("stopped without waiting for requests in progress"),
    }
    Ok(written?)
}

/// The read replica of the option, or of the variable.
fn read_replica(
    serve: &ServeArgs,
    data: &Storage,
) -> Result<Option<Box<PostgresConfig>>, CliError> {
    let (source, url) = match (&serve.read_replica, process_env(REPLICA_VARIABLE)) {
        (Some(url), _) => ("--read-replica", url.clone()),
        (None, Some(url)) => (REPLICA_VARIABLE, url),
        (None, None) => return Ok(None),
    };
    if !matches!(data, Storage::Postgres(_)) {
        return Err(CliError::usage(format!(
            "{source} needs a PostgreSQL database: --data postgres://USER@HOST/DATABASE"
        )));
    }
    let file = serve.database.database_password_file.as_deref();
    Ok(Some(Box::new(database::find_postgres(
        source,
        &url,
        file,
        &process_env,
    )?)))
}

/// Explains how another person joins.
fn second_user_hint(data: &Storage, as_of: Option<DateTime<Utc>>) -> String {
    let (sign_in, local) = match data {
        Storage::File(file) => {
            let clock = as_of.map(|as_of| as_of.format(" --as-of %Y-%m-%dT%H:%M:%SZ").to_string());
            let clock = clock.unwrap_or_default();
            let file = quote_for_shell(&file.display().to_string());
            let clock = clock.trim_end_matches("T00:00:00Z");
            ("", format!(" --local {file}{clock}"))
        }
        Storage::Memory | Storage::Postgres(_) => (
            "sign in with a token from the ready file (--ready-file PATH), then ",
            String::new(),
        ),
    };
    format!(
        "to add a second person, {sign_in}run gantry invitations create EMAIL{local}, which prints a join code, or mails it. With it they \
         run: gantry join"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_mail_server_is_not_taken_for_a_folder() {
        let to = |mail: &str| {
            mail_destination(&MailArgs {
                mail: Some(mail.to_owned()),
                mail_password_file: None,
            })
        };
        for mistyped in [
            "smpt://mail.example",
            "none",
            "OFF",
            "mail.example",
            "mail.example:25",
            "https://mail.example/a",
        ] {
            let refused = to(mistyped).unwrap_err();
            assert!(
                refused
                    .message
                    .is_some_and(|words| words.contains("neither off, a mail server nor a folder")),
                "{mistyped}"
            );
        }
        for folder in ["./mail.example", "/var/mail/gantry", "mails", "."] {
            assert!(
                matches!(to(folder), Ok(MailDestination::Folder(_))),
                "{folder}"
            );
        }
        assert!(matches!(
            to("smtp://mail.example:25"),
            Ok(MailDestination::Smtp(_))
        ));
    }

    #[test]
    fn the_command_that_invites_has_the_clock_of_the_service() {
        let hint = |as_of: &str| {
            let as_of = as_of.parse().ok();
            second_user_hint(&Storage::File("sf.db".into()), as_of)
        };
        for (as_of, command) in [
            ("", "EMAIL --local sf.db, which"),
            (
                "2018-04-16T00:00:00Z",
                "EMAIL --local sf.db --as-of 2018-04-16, which",
            ),
            (
                "2018-04-16T09:30:00Z",
                "EMAIL --local sf.db --as-of 2018-04-16T09:30:00Z, which",
            ),
        ] {
            assert!(hint(as_of).contains(command), "{}", hint(as_of));
        }
    }

    #[test]
    fn the_user_of_a_mail_server_is_found_with_and_without_a_password() {
        for (url, found) in [
            (
                "smtps://ana@mail.example?from=a@b.example",
                Some(("smtps", "ana", "mail.example?from=a@b.example")),
            ),
            (
                "smtp://ana:p@ss:word@mail.example:587",
                Some(("smtp", "ana:p@ss:word", "mail.example:587")),
            ),
            ("smtp://127.0.0.1:25", None),
            ("smtp://mail.example?from=a:b@c.example", None),
            ("off", None),
            ("/var/mail/a@b:c", None),
        ] {
            assert_eq!(mail_user(url), found, "{url}");
        }
    }
}
