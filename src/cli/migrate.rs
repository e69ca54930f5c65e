//! `gantry migrate`: moves all data of a service to another database.
//!
//! Never here: how rows are moved.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::config::process_env;
use crate::service::Storage;
use crate::service::db::migrate::{MovedTable, move_data};

use super::database::{self, DatabaseArgs};
use super::error::{CliError, Context};
use super::output::Output;
use super::{print, stdin};

/// After how many rows of a table its progress is reported.
const REPORTED_ROWS: u64 = 100_000;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: gantry migrate --from desk.db --to postgres://gantry@db.example/desk\n\n\
    Stop the services that use either database first. What was interrupted continues when the command is run again. In the end the rows \
    of both databases are counted and compared; the source stays as it is."
)]
pub struct MigrateArgs {
    /// Where the data is: an SQLite file, or the address of a PostgreSQL database [env:
    /// GANTRY_DATABASE_URL]
    #[arg(long, value_name = "FILE|URL", required_unless_present = "to")]
    from: Option<PathBuf>,
    /// Where to move it: a new SQLite file, or the address of an empty PostgreSQL database [env:
    /// GANTRY_DATABASE_URL]
    #[arg(long, value_name = "FILE|URL", required_unless_present = "from")]
    to: Option<PathBuf>,
    #[command(flatten)]
    database: DatabaseArgs,
}

pub(super) async fn run(migrate: &MigrateArgs, output: Output) -> Result<(), CliError> {
    let find = |option: &str, named: &Option<PathBuf>| {
        // The password file is for the side that has a password; a file has none.
        let is_file = named
            .as_deref()
            .is_some_and(|named| !database::is_postgres_url(named));
        let none = DatabaseArgs::default();
        let args = if is_file { &none } else { &migrate.database };
        match database::find_storage(option, named.as_deref(), args, &process_env)? {
            Some(Storage::Memory) => Err(CliError::usage(format!(
                "{option} :memory: is not a database that lasts"
            ))),
            Some(storage) => Ok(storage),
            None => Err(CliError::usage(format!(
                "{option} is missing, and GANTRY_DATABASE_URL is not set"
            ))),
        }
    };
    let (from, to) = (find("--from", &migrate.from)?, find("--to", &migrate.to)?);
    if from == to {
        return Err(CliError::usage("--from and --to are the same database"));
    }
    let what = format!("move {from} to {to}");
    let summary = format!("moved {from} to {to}");
    let moving = stdin::run_blocking(move || {
        move_data(&from, &to, &mut |table, rows| {
            if rows % REPORTED_ROWS == 0 {
                print::write_note(&format!("{table}: {rows} rows"));
            }
        })
    });
    let moved: Vec<MovedTable> = moving.await.context(&what)?;
    let rows: u64 = moved.iter().map(|table| table.rows).sum();
    output.print_summary(
        &format!(
            "{summary}: {rows} rows in {} tables, which are the same in both",
            moved.len()
        ),
        &json!({ "rows": rows, "tables": moved }),
    )
}
