//! Where a PostgreSQL database is and how it is reached: its address, as libpq writes it, and what
//! a connection has to prove.
//!
//! Never here: where a password comes from, connecting.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};

use super::SqlError;

/// How long one attempt to connect takes at most, unless the address says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a server may acknowledge nothing, and how long a connection is idle before it is
/// probed: a server that was replaced without closing its connections is noticed.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const HOW_TO_WRITE: &str = "write it like postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full, special characters as %40";

/// The configuration of a connection: the driver's, and how a server's certificate is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresConfig {
    driver: tokio_postgres::Config,
    pub(super) verification: Verification,
}

/// Whether the certificate of a server that speaks TLS is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Encrypted, whoever answers.
    Nothing,
    /// Issuer and name, by the authorities that this machine trusts.
    Platform,
    /// Issuer and name, by the authorities of a file.
    Authorities(PathBuf),
}

/// Why an address is not accepted. It never repeats the address, which may contain a password.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPostgresUrl(String);

impl PostgresConfig {
    /// Whether a text is the address of a PostgreSQL database.
    pub fn is_url(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    pub fn has_password(&self) -> bool {
        self.get_password().is_some()
    }

    pub fn set_password(&mut self, password: &str) {
        self.driver.password(password);
    }

    /// Where the servers listen: a host name, an address or the folder of a socket, and a port.
    pub fn endpoints(&self) -> Vec<(String, u16)> {
        let ports = self.get_ports();
        let port = |nth: usize| ports.get(nth).or(ports.first()).copied().unwrap_or(5432);
        if self.get_hosts().is_empty() {
            return self
                .get_hostaddrs()
                .iter()
                .enumerate()
                .map(|(nth, ip)| (ip.to_string(), port(nth)))
                .collect();
        }
        self.get_hosts()
            .iter()
            .enumerate()
            .map(|(nth, host)| (host_name(host).into_owned(), port(nth)))
            .collect()
    }

    /// How long connecting may take: the time for one server, for each of them.
    pub(super) fn connect_limit(&self) -> Duration {
        let each = self
            .get_connect_timeout()
            .copied()
            .unwrap_or(CONNECT_TIMEOUT);
        each.saturating_mul(
            u32::try_from(self.endpoints().len())
                .unwrap_or(u32::MAX)
                .max(1),
        )
    }

    /// Whether all servers are on this machine.
    fn is_local(&self) -> bool {
        let is_local_name = |name: &str| {
            name == "localhost"
                || name.starts_with('/')
                || name
                    .parse()
                    .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        };
        self.get_hosts()
            .iter()
            .all(|host| is_local_name(&host_name(host)))
            && self
                .get_hostaddrs()
                .iter()
                .all(std::net::IpAddr::is_loopback)
    }

    pub(super) fn silence(&self) -> SqlError {
        SqlError::Silent {
            address: self.to_string(),
        }
    }

    /// Sets what `sslmode` and `sslrootcert` say. Without either, a server on another machine must
    /// prove who it is, because the password and all data go to whoever answers; one on this
    /// machine need not even speak TLS.
    fn set_verification(
        &mut self,
        mode: Option<&str>,
        authorities: Option<String>,
    ) -> Result<(), InvalidPostgresUrl> {
        let default = if self.is_local() && authorities.is_none() {
            "prefer"
        } else {
            "verify-full"
        };
        let (mode, verifies) = match mode.unwrap_or(default) {
            "disable" => (SslMode::Disable, false),
            "prefer" => (SslMode::Prefer, false),
            "require" => (SslMode::Require, authorities.is_some()),
            "verify-full" => (SslMode::Require, true),
            _ => {
                return Err(InvalidPostgresUrl(
                    "sslmode is one of disable, prefer, require and verify-full".to_owned(),
                ));
            }
        };
        self.driver.ssl_mode(mode);
        self.verification = match authorities.filter(|file| file != "system") {
            _ if !verifies => Verification::Nothing,
            None => Verification::Platform,
            Some(file) => Verification::Authorities(file.into()),
        };
        Ok(())
    }
}

impl FromStr for PostgresConfig {
    type Err = InvalidPostgresUrl;

    fn from_str(url: &str) -> Result<Self, InvalidPostgresUrl> {
        if !PostgresConfig::is_url(url) {
            return Err(InvalidPostgresUrl(HOW_TO_WRITE.to_owned()));
        }
        // a password ends at the first @, as the driver reads it, and may contain any other sign
        let host = url.find('@').unwrap_or_default();
        let (address, query) = url[host..].find('?').map_or((url, ""), |end| {
            (&url[..host + end], &url[host + end + 1..])
        });
        let (mut mode, mut authorities, mut others) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => authorities = Some(decode_percent(value)),
                _ => others.push(pair),
            }
        }
        let driver: tokio_postgres::Config = format!("{address}?{}", others.join("&"))
            .parse()
            .map_err(|error| {
                // The reason may repeat a part of what was typed, and without the @ of a password
                // it is certainly none of it.
                let reason = if url.contains('@') && url.matches(':').count() > 1 {
                    String::new()
                } else {
                    reason_of(&error)
                };
                InvalidPostgresUrl(format!("{reason}{HOW_TO_WRITE}"))
            })?;
        if driver.get_hosts().is_empty() && driver.get_hostaddrs().is_empty() {
            return Err(InvalidPostgresUrl(format!(
                "the host is missing; {HOW_TO_WRITE}"
            )));
        }
        let mut config = PostgresConfig::from(driver);
        config.set_verification(mode, authorities)?;
        Ok(config)
    }
}

/// A host name, an address, or the folder of a socket. The driver has sockets only on Unix.
fn host_name(host: &Host) -> Cow<'_, str> {
    match host {
        Host::Tcp(name) => name.into(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.to_string_lossy(),
    }
}

fn reason_of(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(String::new, |reason| format!("{reason}; "))
}

impl From<tokio_postgres::Config> for PostgresConfig {
    /// Without a verification of certificates.
    fn from(mut driver: tokio_postgres::Config) -> Self {
        if driver.get_connect_timeout().is_none() {
            driver.connect_timeout(CONNECT_TIMEOUT);
        }
        if driver.get_tcp_user_timeout().is_none() {
            driver.tcp_user_timeout(SILENCE_TIMEOUT);
        }
        if driver.get_application_name().is_none() {
            driver.application_name("gantry");
        }
        driver.keepalives_idle(driver.get_keepalives_idle().min(SILENCE_TIMEOUT));
        PostgresConfig {
            driver,
            verification: Verification::Nothing,
        }
    }
}

impl Deref for PostgresConfig {
    type Target = tokio_postgres::Config;

    fn deref(&self) -> &tokio_postgres::Config {
        &self.driver
    }
}

impl DerefMut for PostgresConfig {
    fn deref_mut(&mut self) -> &mut tokio_postgres::Config {
        &mut self.driver
    }
}

impl fmt::Display for PostgresConfig {
    /// The address without its password and its parameters. The folder of a socket is encoded, as
    /// an address needs it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = self
            .get_user()
            .map(|user| format!("{user}@"))
            .unwrap_or_default();
        let hosts: Vec<String> = self
            .endpoints()
            .into_iter()
            .map(|(host, port)| format!("{}:{port}", host.replace('/', "%2F")))
            .collect();
        write!(f, "postgres://{user}{}", hosts.join(","))?;
        self.get_dbname()
            .map_or(Ok(()), |name| write!(f, "/{name}"))
    }
}

fn decode_percent(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let code = text
            .get(at + 1..at + 3)
            .filter(|_| bytes[at] == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_another_machine_must_prove_who_it_is_unless_the_address_says_otherwise() {
        for (url, mode, verification) in [
            (
                "postgres://ann@db.example/desk",
                SslMode::Require,
                Verification::Platform,
            ),
            (
                "postgresql://db.example,db2.example/desk?connect_timeout=3",
                SslMode::Require,
                Verification::Platform,
            ),
            (
                "postgres://db.example/desk?sslmode=verify-full&sslrootcert=system",
                SslMode::Require,
                Verification::Platform,
            ),
            (
                "postgres://db.example?sslrootcert=%2Fetc%2Fca.pem",
                SslMode::Require,
                Verification::Authorities("/etc/ca.pem".into()),
            ),
            (
                "postgres://db.example/desk?sslmode=require",
                SslMode::Require,
                Verification::Nothing,
            ),
            (
                "postgres://db.example/desk?sslmode=prefer",
                SslMode::Prefer,
                Verification::Nothing,
            ),
            (
                "postgres://db.example/desk?sslmode=disable",
                SslMode::Disable,
                Verification::Nothing,
            ),
            (
                "postgres://localhost/desk",
                SslMode::Prefer,
                Verification::Nothing,
            ),
            (
                "postgres://127.0.0.1:5433/desk",
                SslMode::Prefer,
                Verification::Nothing,
            ),
            (
                "postgres://%2Frun%2Fpostgresql/desk",
                SslMode::Prefer,
                Verification::Nothing,
            ),
            (
                "postgres://localhost/desk?sslmode=verify-full",
                SslMode::Require,
                Verification::Platform,
            ),
            (
                "postgres://ann:a?b@db.example/desk?sslmode=disable",
                SslMode::Disable,
                Verification::Nothing,
            ),
        ] {
            let config: PostgresConfig = url.parse().unwrap();
            assert_eq!(
                (config.get_ssl_mode(), config.verification),
                (mode, verification),
                "{url}"
            );
        }
    }

    #[test]
    fn an_address_that_is_not_accepted_is_answered_in_one_line_without_the_password() {
        for (url, reason) in [
            ("postgres://ann:se@cret@db.example/desk", ""),
            (
                "postgres://ann:secret@db.example:port/desk",
                "write it like",
            ),
            ("postgres://ann:a?secret@db.example/desk", ""),
            ("postgres://db.example:port/desk", "port"),
            ("postgres://db.example/desk?speed=high", "speed"),
            (
                "postgres://db.example/desk?sslmode=verify-ca",
                "sslmode is one of",
            ),
            ("postgres:///desk", "the host is missing"),
            ("mysql://db.example/desk", "write it like postgres://"),
        ] {
            let Err(error) = url.parse::<PostgresConfig>() else {
                assert_eq!(reason, "", "{url}");
                continue;
            };
            let said = error.to_string();
            assert!(
                said.contains(reason) && !said.contains("secret") && !said.contains('\n'),
                "{url}: {said}"
            );
        }
    }

    #[test]
    fn an_address_is_shown_without_its_password_and_parameters() {
        for (url, shown) in [
            (
                "postgres://ann:secret@db.example/desk?sslmode=require",
                "postgres://ann@db.example:5432/desk",
            ),
            (
                "postgres://db.example:5433,db2.example:5434/desk?password=secret",
                "postgres://db.example:5433,db2.example:5434/desk",
            ),
            (
                "postgresql://%2Frun%2Fpostgresql/desk",
                "postgres://%2Frun%2Fpostgresql:5432/desk",
            ),
        ] {
            let config: PostgresConfig = url.parse().unwrap();
            assert_eq!(config.to_string(), shown);
            assert!(!format!("{config:?}").contains("secret"));
        }
    }
}
