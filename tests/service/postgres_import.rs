//! Permit files in PostgreSQL: the same records as in a file.
//!
//! `GANTRY_PERMITS` names another file of San Francisco than the excerpt.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;

use gantry::service::db::open_writer;
use gantry::service::db::sql::{Conn, PostgresConfig, Value};
use gantry::service::import::{self, ImportOptions, ImportReport};
use gantry::service::{ServiceOptions, Storage};
use serde_json::json;

use crate::support::TestService;
use crate::support::test_database::{
    create_postgres_database, database_url, postgres_server, with_connection,
};

const EXCERPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/san_francisco_400.csv"
);

/// What an import writes, without the numbers of rows.
const TABLES: [&str; 8] = [
    "SELECT id, slug, display_name, base_url FROM sources ORDER BY id",
    "SELECT id, name, account_types, city, state, hq_address, public_phone, created_at, projects_count FROM accounts ORDER BY id",
    "SELECT id, name, title, account_id, email, phone, created_at, projects_count FROM contacts ORDER BY id",
    "SELECT id, name, primary_address, city, state, neighborhood, primary_use, uses, stage, disposition, gross_floor_area_sf,
       residential_units, cost_of_construction_usd, stories, gc_status, lat, lng, first_signal_at, last_signal_at, signals_count, created_at
     FROM projects ORDER BY id",
    "SELECT s.id, s.project_id, s.source_id, s.signal_type, s.filed_at, s.discovered_at, s.source_filing_id, s.reported_cost_usd,
       s.reported_gross_floor_area_sf, s.raw_data, f.payload
     FROM signals s LEFT JOIN source_rows f ON f.rowid = s.source_row ORDER BY s.id",
    "SELECT payload FROM source_rows ORDER BY payload",
    "SELECT project_id, account_id, role FROM project_accounts ORDER BY project_id, account_id, role",
    "SELECT project_id, contact_id FROM project_contacts ORDER BY project_id, contact_id",
];

type Dump = Vec<Vec<Vec<Value>>>;

fn dump(conn: &Conn) -> Dump {
    let read = |sql: &&str| {
        let mut statement = conn.prepare(sql).unwrap();
        let columns = statement.column_names().len();
        let rows = statement
            .query_map([], |row| {
                (0..columns).map(|column| row.get(column)).collect()
            })
            .unwrap();
        rows.collect::<Result<Vec<_>, _>>().unwrap()
    };
    TABLES.iter().map(read).collect()
}

/// One database of each engine, and the options of an import.
struct BothEngines {
    options: ImportOptions,
    config: PostgresConfig,
    folder: tempfile::TempDir,
}

impl BothEngines {
    fn new() -> Option<BothEngines> {
        let config = create_postgres_database(&postgres_server()?, None);
        let folder = tempfile::tempdir().unwrap();
        let options = ImportOptions {
            file: PathBuf::new(),
            layout: import::layout::PermitLayout::find("san-francisco", &[]).unwrap(),
            data: Storage::File(folder.path().join("desk.db")),
            dry_run: false,
            rejects: None,
            now: "2018-03-10T12:00:00Z".parse().unwrap(),
        };
        Some(BothEngines {
            options,
            config,
            folder,
        })
    }

    /// Imports the lines of a file that are kept; both engines report and contain the same.
    fn import_lines(
        &self,
        permits: &Path,
        mut edit: impl FnMut(usize, &str) -> Option<String>,
    ) -> ImportReport {
        let text = std::fs::read_to_string(permits).unwrap();
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .filter_map(|(nth, line)| edit(nth, line))
            .collect();
        let file = self.folder.path().join("permits.csv");
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        let options = ImportOptions {
            file,
            ..self.options.clone()
        };
        let mut go_on = |_| ControlFlow::Continue(());
        let in_file = import::run_import(&options, &mut go_on).unwrap();
        let there = ImportOptions {
            data: Storage::Postgres(Box::new(self.config.clone())),
            ..options.clone()
        };
        let imported = std::thread::scope(|scope| {
            scope
                .spawn(|| import::run_import(&there, &mut |_| ControlFlow::Continue(())))
                .join()
                .unwrap()
        });
        assert_eq!(imported.unwrap(), in_file);
        let expected = dump(&open_writer(&options.data).unwrap());
        let found = with_connection(&self.config, dump);
        for (sql, (expected, found)) in TABLES.iter().zip(expected.iter().zip(&found)) {
            assert_eq!(expected.len(), found.len(), "{sql}");
            for (expected, found) in expected.iter().zip(found) {
                assert_eq!(expected, found, "{sql}");
            }
        }
        in_file
    }
}

#[test]
fn a_permit_that_a_later_file_ends_loses_its_issue() {
    let Some(mut both) = BothEngines::new() else {
        return;
    };
    let layout = "name = \"salem\"\ncity = \"Salem\"\ndates = [\"ymd\"]\n[source]\nslug = \"salem\"\n\
        display_name = \"Salem\"\n[permit]\nid = \"No\"\n[place]\nkey = [[\"Street\"]]\naddress = [\"Street\"]\n\
        [[signal]]\ntype = \"permit_issued\"\non = [\"Issued\"]\n[status]\ncolumns = [\"Status\"]\n";
    both.options.layout = import::layout::PermitLayout::parse("salem", layout).unwrap();
    let permits = both.folder.path().join("all.csv");
    let rows =
        "No,Street,Issued,Status\n1,1 Pine St,2018-03-01,Issued\n2,3 Pine St,2018-03-02,Issued\n";
    std::fs::write(&permits, rows).unwrap();
    let as_it_is = |_: usize, line: &str| Some(line.to_owned());
    let cancelled = |nth: usize, line: &str| {
        let word = if nth == 1 { "Cancelled" } else { "Issued" };
        Some(line.replace("Issued", if nth == 0 { "Issued" } else { word }))
    };
    assert_eq!(both.import_lines(&permits, as_it_is).signals.new, 2);
    let report = both.import_lines(&permits, cancelled);
    assert_eq!((report.signals.new, report.signals.changed), (1, 1));
    let types = "SELECT signal_type FROM signals ORDER BY filed_at";
    let found = with_connection(&both.config, |conn| {
        let mut statement = conn.prepare(types).unwrap();
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .unwrap();
        rows.collect::<Result<Vec<_>, _>>().unwrap()
    });
    assert_eq!(found, ["withdrawal", "permit_issued"]);
    // and back again
    let report = both.import_lines(&permits, as_it_is);
    assert_eq!((report.signals.new, report.signals.changed), (1, 1));
}

#[test]
fn an_import_into_postgresql_leaves_the_records_of_an_import_into_a_file() {
    let Some(engines) = BothEngines::new() else {
        return;
    };
    let permits =
        std::env::var_os("GANTRY_PERMITS").map_or_else(|| PathBuf::from(EXCERPT), PathBuf::from);
    let all = |_, line: &str| Some(line.to_owned());
    let half = engines.import_lines(&permits, |nth, line| {
        (nth == 0 || nth % 2 == 1).then(|| line.to_owned())
    });
    assert!(
        half.signals.new > 200 && half.signals.changed == 0,
        "{half:?}"
    );
    let rest = engines.import_lines(&permits, all);
    assert!(
        rest.signals.new > 200 && rest.signals.same > 200,
        "{rest:?}"
    );
    let again = engines.import_lines(&permits, all);
    assert_eq!(
        (again.signals.new, again.signals.changed, again.projects.new),
        (0, 0, 0),
        "{again:?}"
    );
    // other amounts and other streets: signals change, and move to other places
    let edited = engines.import_lines(&permits, |nth, line| {
        let edited = if nth % 3 == 1 {
            line.replace("issued", "complete")
        } else {
            line.to_owned()
        };
        Some(if nth % 5 == 1 {
            edited
                .replace("Mission", "Valencia")
                .replace("Market", "Howard")
        } else {
            edited
        })
    });
    assert!(edited.signals.changed > 20, "{edited:?}");
}

#[tokio::test]
async fn a_service_shows_what_is_imported_into_its_postgresql_database() {
    let Some(engines) = BothEngines::new() else {
        return;
    };
    engines.import_lines(Path::new(EXCERPT), |_, line| Some(line.to_owned()));
    let data = Storage::Postgres(Box::new(engines.config.clone()));
    let as_of = Some("2018-03-10T12:00:00Z".parse().unwrap());
    let service = TestService::with_options(ServiceOptions {
        data,
        as_of,
        ..ServiceOptions::default()
    })
    .await;
    let key = service.api_key(0);
    let new = async || {
        let stats = service
            .get(
                &key.with_workspace(service.workspace_id(0)),
                "/signals/queue/stats",
            )
            .await
            .ok();
        stats["new_count"].as_i64().unwrap()
    };
    let before = new().await;
    assert!(before > 25, "{before}");
    engines.import_lines(Path::new(EXCERPT), |_, line| {
        Some(line.replace("20180", "99180").replace("20171", "99171"))
    });
    assert!(new().await > before);
    let found = service
        .post(
            &key,
            "/data/projects/search",
            json!({"filters": {"name": {"value": "mission"}}}),
        )
        .await
        .ok();
    assert!(!found["data"].as_array().unwrap().is_empty());
}

#[test]
fn the_command_finds_the_database_in_the_environment_and_shows_how_to_see_the_queue_of_an_old_file()
{
    let Some(engines) = BothEngines::new() else {
        return;
    };
    let (url, password) = (
        database_url(&engines.config),
        engines.folder.path().join("password"),
    );
    std::fs::write(&password, "not asked for\n").unwrap();
    std::fs::set_permissions(
        &password,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let import = |options: &[&str], variable: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
        command
            .args(["import", EXCERPT, "--layout", "san-francisco"])
            .args(options);
        command
            .env_remove("GANTRY_DATABASE_URL")
            .env("HOME", engines.folder.path());
        command
            .envs(variable.map(|url| ("GANTRY_DATABASE_URL", url)))
            .output()
            .unwrap()
    };
    let password = password.display().to_string();
    let with_variable = import(&["--database-password-file", &password], Some(&url));
    let with_option = import(
        &["--data", &url, "--database-password-file", &password],
        Some("postgres://nobody@localhost:1/none"),
    );
    for (done, command) in [
        (with_variable, "gantry serve --as-of 20"),
        (with_option, "gantry serve --data "),
    ] {
        let notes = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && notes.contains(command), "{notes}");
    }
    assert!(
        with_connection(&engines.config, dump)[4].len() > 400,
        "signals"
    );
    let nowhere = import(&[], None);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&nowhere.stderr)
            .contains("add --data FILE, or set GANTRY_DATABASE_URL")
    );
}
