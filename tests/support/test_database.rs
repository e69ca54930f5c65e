//! The databases of test services: files, or databases of the PostgreSQL server that
//! `GANTRY_TEST_DATABASE` names (`postgres://user@host/database`).
#![allow(dead_code, reason = "each test uses only a part of it")]

#[path = "temporary_cluster.rs"]
pub mod temporary_cluster;

use gantry::service::Storage;
use gantry::service::db::sql::{Conn, PostgresConfig, PostgresConn};
use uuid::Uuid;

/// The server, if the tests run on PostgreSQL.
pub fn postgres_server() -> Option<PostgresConfig> {
    let url = std::env::var("GANTRY_TEST_DATABASE").ok()?;
    Some(
        url.parse()
            .expect("GANTRY_TEST_DATABASE is the address of a PostgreSQL database"),
    )
}

/// Creates a database: empty, or a copy of another one that nobody uses.
pub fn create_postgres_database(server: &PostgresConfig, template: Option<&str>) -> PostgresConfig {
    let name = format!("gantry_test_{}", Uuid::now_v7().simple());
    let sql = match template {
        Some(template) => format!("CREATE DATABASE {name} TEMPLATE {template}"),
        None => format!("CREATE DATABASE {name} TEMPLATE template0"),
    };
    let mut tries = 0;
    // the connections to a template end a moment after its service
    while let Err(error) = with_connection(server, |conn| conn.execute_batch(&sql)) {
        tries += 1;
        assert!(tries < 100, "{error}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut config = server.clone();
    config.dbname(name);
    config
}

/// The address of a database on the server of the tests, as a command reads it.
pub fn database_url(config: &PostgresConfig) -> String {
    let server = std::env::var("GANTRY_TEST_DATABASE").expect("it is set");
    format!(
        "{}/{}",
        server.rsplit_once('/').expect("a path").0,
        config.get_dbname().expect("its name")
    )
}

/// A database of a test, dropped after it.
pub struct TestDatabase(PostgresConfig);

impl TestDatabase {
    /// The database of a service, unless that is a file.
    pub fn of(data: &Storage) -> Option<TestDatabase> {
        match data {
            Storage::Postgres(config) => Some(TestDatabase(PostgresConfig::clone(config))),
            _ => None,
        }
    }
}

impl Drop for TestDatabase {
    /// In the background: connections of its service may still be open, and nobody waits.
    fn drop(&mut self) {
        let (Some(server), Some(name)) =
            (postgres_server(), self.0.get_dbname().map(str::to_owned))
        else {
            return;
        };
        std::thread::spawn(move || {
            let conn = PostgresConn::connect(server).map(Conn::from_postgres);
            let _ = conn.and_then(|conn| {
                conn.execute_batch(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
            });
        });
    }
}

/// Runs statements on a thread of their own, because they wait for the server.
pub fn with_connection<T: Send>(
    config: &PostgresConfig,
    work: impl FnOnce(&Conn) -> T + Send,
) -> T {
    std::thread::scope(|scope| {
        let connect =
            || Conn::from_postgres(PostgresConn::connect(config.clone()).expect("a connection"));
        scope
            .spawn(move || work(&connect()))
            .join()
            .expect("the statements do not panic")
    })
}

/// Where a service of a test keeps its data that has no file.
pub fn without_file(data: Storage) -> Storage {
    match (data, postgres_server()) {
        (Storage::Memory, Some(server)) => {
            Storage::Postgres(Box::new(create_postgres_database(&server, None)))
        }
        (data, _) => data,
    }
}
