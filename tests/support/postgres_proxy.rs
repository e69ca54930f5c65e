//! A proxy in front of a PostgreSQL server that stops passing on answers: the server hears
//! everything, and is heard no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gantry::service::db::sql::PostgresConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

/// What the proxy does with what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostgresFault {
    /// Passes everything on.
    Forward,
    /// Keeps the answers of the server until it forwards again.
    HoldAnswers,
    /// Passes a COMMIT on, and ends the connection before its answer.
    CutAtCommit,
}

pub struct PostgresProxy {
    /// The database behind the proxy.
    pub config: PostgresConfig,
    fault: Arc<watch::Sender<PostgresFault>>,
}

impl PostgresProxy {
    /// A proxy to a database.
    pub async fn start(database: &PostgresConfig) -> PostgresProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (user, name) = (
            database.get_user().unwrap_or("postgres"),
            database.get_dbname().expect("its name"),
        );
        let mut config: PostgresConfig =
            format!("postgres://{user}@{address}/{name}?sslmode=disable")
                .parse()
                .unwrap();
        if let Some(password) = database.get_password() {
            config.set_password(&String::from_utf8_lossy(password));
        }
        let (host, port) = database.endpoints().remove(0);
        let fault = Arc::new(watch::Sender::new(PostgresFault::Forward));
        let faults = fault.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (host, faults) = (host.clone(), faults.clone());
                tokio::spawn(async move {
                    if host.starts_with('/') {
                        let server = UnixStream::connect(format!("{host}/.s.PGSQL.{port}"))
                            .await
                            .unwrap();
                        relay(client, server, &faults).await;
                    } else {
                        relay(
                            client,
                            TcpStream::connect((host, port)).await.unwrap(),
                            &faults,
                        )
                        .await;
                    }
                });
            }
        });
        PostgresProxy { config, fault }
    }

    pub fn set_fault(&self, fault: PostgresFault) {
        self.fault.send_replace(fault);
    }
}

/// Passes on what either side sends until one of them closes, or the proxy cuts the connection.
async fn relay(
    mut client: TcpStream,
    server: impl AsyncRead + AsyncWrite,
    faults: &watch::Sender<PostgresFault>,
) {
    let (mut requests, mut client) = client.split();
    let (mut answers, mut server) = tokio::io::split(server);
    let is_cut = AtomicBool::new(false);
    let to_server = async {
        let mut part = [0; 16 << 10];
        while let Ok(length @ 1..) = requests.read(&mut part).await {
            let is_last = *faults.borrow() == PostgresFault::CutAtCommit
                && part[..length].windows(6).any(|word| word == b"COMMIT");
            is_cut.store(is_last, Ordering::SeqCst);
            if server.write_all(&part[..length]).await.is_err() {
                return;
            }
            if is_last {
                let _ = server.shutdown().await; // the server ends once it has committed
                std::future::pending::<()>().await;
            }
        }
    };
    let to_client = async {
        let (mut part, mut fault) = ([0; 16 << 10], faults.subscribe());
        while let Ok(length @ 1..) = answers.read(&mut part).await {
            let _ = fault
                .wait_for(|fault| *fault != PostgresFault::HoldAnswers)
                .await;
            if !is_cut.load(Ordering::SeqCst) && client.write_all(&part[..length]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = to_server => {}
        () = to_client => {}
    }
}
