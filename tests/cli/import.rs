//! Real permit files imported into a local service's database.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gantry::service::db::Conn;
use gantry::service::import::{
    self, CommitMode, ImportError, ImportOptions, ImportReport, import_run, layout::PermitLayout,
};
use gantry::service::{Storage, db};

fn empty_index() -> Conn {
    db::open_writer(&Storage::Memory).unwrap()
}

fn read_excerpt(name: &str) -> String {
    std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name),
    )
    .unwrap()
}

/// The full files, where available.
fn read_full_file(name: &str) -> Option<String> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("../shared/data"), here.join("../../shared/data")];
    folders
        .iter()
        .find_map(|folder| std::fs::read_to_string(folder.join(name)).ok())
}

fn import_text(conn: &Conn, layout: &str, text: &str) -> ImportReport {
    try_import(conn, layout, text.as_bytes(), None).unwrap()
}

fn try_import(
    conn: &Conn,
    layout: &str,
    bytes: &[u8],
    rejects: Option<&mut dyn std::io::Write>,
) -> Result<ImportReport, ImportError> {
    let layout = PermitLayout::find(layout, &[]).unwrap();
    import_run::read_file(
        conn,
        &layout,
        bytes,
        rejects,
        &mut |_| ControlFlow::Continue(()),
        CommitMode::Commit,
        "2026-07-09T16:20:00Z".parse().unwrap(),
    )
}

fn query_number(conn: &Conn, sql: &str) -> u64 {
    conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
}

/// The payload of the signal `s`.
const PAYLOAD: &str =
    "ifnull((SELECT payload FROM source_rows f WHERE f.rowid = s.source_row), s.raw_data)";

/// Every row of every table, as sorted text; signals with their payload, wherever it is stored.
fn dump_tables(conn: &Conn) -> BTreeMap<&'static str, Vec<String>> {
    let tables = [
        "accounts",
        "contacts",
        "projects",
        "signals",
        "project_accounts",
        "project_contacts",
        "sources",
    ];
    let mut out = BTreeMap::new();
    for table in tables {
        let payload = if table == "signals" {
            format!(", {PAYLOAD} AS payload")
        } else {
            String::new()
        };
        let mut statement = conn
            .prepare(&format!("SELECT *{payload} FROM {table} s"))
            .unwrap();
        let names = statement.column_names();
        let mut rows: Vec<String> = statement
            .query_map([], |row| {
                let cells = names
                    .iter()
                    .enumerate()
                    .filter(|(_, name)| !["rowid", "source_row"].contains(&name.as_str()));
                Ok(cells
                    .map(|(at, name)| format!("{name}={:?} ", row.get_ref(at).unwrap()))
                    .collect())
            })
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        rows.sort();
        out.insert(table, rows);
    }
    out
}

/// The rows of a file, read without the program's code.
fn csv_rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header: Vec<String> = csv
        .headers()
        .unwrap()
        .iter()
        .map(|name| name.trim().to_owned())
        .collect();
    csv.records()
        .map(|row| {
            header
                .iter()
                .cloned()
                .zip(row.unwrap().iter().map(str::to_owned))
                .collect()
        })
        .collect()
}

/// San Francisco's signals, derived independently: (permit, type) with the day as `YYYY-MM-DD`.
fn expected_san_francisco_signals(text: &str) -> BTreeMap<(String, &'static str), String> {
    let day = |date: &str| format!("{}-{}-{}", &date[6..10], &date[0..2], &date[3..5]);
    let mut out = BTreeMap::new();
    for row in csv_rows(text) {
        let permit = row["Permit Number"].clone();
        let mut put = |kind: &'static str, column: &str| {
            if !row[column].is_empty() {
                out.insert((permit.clone(), kind), day(&row[column]));
            }
        };
        if row["Permit Type"] == "6" {
            put(
                "demolition_permit",
                if row["Issued Date"].is_empty() {
                    "Filed Date"
                } else {
                    "Issued Date"
                },
            );
        } else {
            put("permit_filed", "Filed Date");
            put("permit_issued", "Issued Date");
        }
        put("completion", "Completed Date");
        match row["Current Status"].as_str() {
            "withdrawn" | "cancelled" => put("withdrawal", "Current Status Date"),
            "expired" => put("expiration", "Current Status Date"),
            _ => {}
        }
    }
    out
}

fn imported_signals(conn: &Conn) -> BTreeMap<(String, String), String> {
    conn.prepare("SELECT source_filing_id, signal_type, strftime('%Y-%m-%d', filed_at / 1000, 'unixepoch') FROM signals")
        .unwrap()
        .query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn excerpts() -> [(&'static str, String); 2] {
    [
        ("san-francisco", read_excerpt("san_francisco_400.csv")),
        ("chicago", read_excerpt("chicago_60.csv")),
    ]
}

fn assert_every_row_counted(conn: &Conn, report: &ImportReport, text: &str) {
    assert_eq!(report.rows, csv_rows(text).len() as u64);
    assert_eq!(
        report.rows,
        report.permits + report.further + report.rejected_rows(),
        "{report:?}"
    );
    assert_eq!(
        report.projects.new,
        query_number(conn, "SELECT count(*) FROM projects")
    );
    assert_eq!(
        report.signals.new,
        query_number(conn, "SELECT count(*) FROM signals")
    );
    assert_eq!(
        report.accounts.new,
        query_number(conn, "SELECT count(*) FROM accounts")
    );
    assert_eq!(
        report.contacts.new,
        query_number(conn, "SELECT count(*) FROM contacts")
    );
}

fn assert_signals_match_file(conn: &Conn, text: &str) {
    let by_hand: BTreeMap<(String, String), String> = expected_san_francisco_signals(text)
        .into_iter()
        .map(|((permit, kind), day)| ((permit, kind.to_owned()), day))
        .collect();
    assert!(
        imported_signals(conn) == by_hand,
        "{} signals instead of {}",
        imported_signals(conn).len(),
        by_hand.len()
    );
}

fn assert_queue_of_a_day(conn: &Conn, text: &str) {
    let window = "2018-09-02"..="2018-12-01";
    let mut by_hand: BTreeMap<&str, u64> = BTreeMap::new();
    for ((_, kind), day) in &expected_san_francisco_signals(text) {
        if window.contains(&day.as_str()) {
            *by_hand.entry(kind).or_default() += 1;
        }
    }
    assert!(by_hand["permit_issued"] > 10);
    for (kind, count) in by_hand {
        // The queue contains signals discovered by now and filed within 90 days.
        let sql = format!(
            "SELECT count(*) FROM signals WHERE signal_type = '{kind}' AND discovered_at <= unixepoch('2018-12-01') * 1000
             AND filed_at >= (unixepoch('2018-12-01') - 90 * 86400) * 1000"
        );
        assert_eq!(query_number(conn, &sql), count, "{kind}");
    }
}

fn assert_reimport_changes_nothing(conn: &Conn, layout: &str, text: &str, first: &ImportReport) {
    let before = dump_tables(conn);
    let second = import_text(conn, layout, text);
    assert!(dump_tables(conn) == before, "the database is unchanged");
    for tally in [
        second.projects,
        second.signals,
        second.accounts,
        second.contacts,
    ] {
        assert_eq!((tally.new, tally.changed), (0, 0), "{second:?}");
    }
    assert_eq!(
        (second.rows, second.permits, second.further),
        (first.rows, first.permits, first.further)
    );
}

#[test]
fn every_row_is_imported_or_counted_with_a_reason() {
    for (layout, text) in excerpts() {
        let conn = empty_index();
        let report = import_text(&conn, layout, &text);
        assert_every_row_counted(&conn, &report, &text);
    }
}

#[test]
fn san_francisco_signals_match_the_file_by_type_and_day() {
    let (conn, text) = (empty_index(), read_excerpt("san_francisco_400.csv"));
    import_text(&conn, "san-francisco", &text);
    assert_signals_match_file(&conn, &text);
}

#[test]
fn the_queue_of_2018_12_01_holds_the_filings_of_the_90_days_before() {
    let (conn, text) = (empty_index(), read_excerpt("san_francisco_400.csv"));
    import_text(&conn, "san-francisco", &text);
    assert_queue_of_a_day(&conn, &text);
}

#[test]
fn importing_the_same_file_again_changes_nothing() {
    for (layout, text) in excerpts() {
        let conn = empty_index();
        let first = import_text(&conn, layout, &text);
        assert_reimport_changes_nothing(&conn, layout, &text, &first);
    }
}

#[test]
fn the_full_files_pass_the_same_checks_where_available() {
    if let Some(text) = read_full_file("san_francisco_building_permits.csv") {
        let conn = empty_index();
        let report = import_text(&conn, "san-francisco", &text);
        assert_eq!(report.rows, 7_302);
        assert_every_row_counted(&conn, &report, &text);
        assert_signals_match_file(&conn, &text);
        assert_queue_of_a_day(&conn, &text);
        assert_reimport_changes_nothing(&conn, "san-francisco", &text, &report);
    }
    if let Some(text) = read_full_file("chicago_crane_permits.csv") {
        let conn = empty_index();
        let report = import_text(&conn, "chicago", &text);
        assert_every_row_counted(&conn, &report, &text);
        assert_reimport_changes_nothing(&conn, "chicago", &text, &report);
    }
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    for (layout, name) in [
        ("san-francisco", "san_francisco_400.csv"),
        ("chicago", "chicago_60.csv"),
    ] {
        let text = read_excerpt(name);
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1..].reverse();
        let (forwards, backwards) = (empty_index(), empty_index());
        import_text(&forwards, layout, &text);
        import_text(&backwards, layout, &lines.join("\n"));
        let (forwards, backwards) = (dump_tables(&forwards), dump_tables(&backwards));
        for table in ["signals", "project_accounts", "project_contacts"] {
            assert_eq!(forwards[table], backwards[table]);
        }
        let described = |rows: &[String]| -> BTreeSet<String> {
            rows.iter()
                .map(|row| {
                    row.split("created_at")
                        .next()
                        .unwrap_or_default()
                        .to_owned()
                })
                .collect()
        };
        assert_eq!(
            described(&forwards["projects"]),
            described(&backwards["projects"])
        );
    }
}

#[test]
fn a_newer_file_adds_and_updates() {
    let conn = empty_index();
    let text = read_excerpt("san_francisco_400.csv");
    let lines: Vec<&str> = text.lines().collect();
    import_text(&conn, "san-francisco", &lines[..300].join("\n"));
    let newer = text.replacen("06/26/2018", "06/27/2018", 1);
    let report = import_text(&conn, "san-francisco", &newer);
    assert!(
        report.signals.new > 100 && report.signals.same > 400,
        "{report:?}"
    );
    let fresh = empty_index();
    import_text(&fresh, "san-francisco", &newer);
    assert_eq!(
        dump_tables(&conn)["signals"],
        dump_tables(&fresh)["signals"],
        "both imports give the same signals"
    );
}

#[test]
fn a_number_that_is_used_again_in_a_later_file_moves_no_permit() {
    let conn = empty_index();
    let text = read_excerpt("san_francisco_400.csv");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    let first = rows.records().next().unwrap().unwrap();
    let file = |row: csv::StringRecord| {
        let mut file = csv::Writer::from_writer(Vec::new());
        file.write_record(&header).unwrap();
        file.write_record(&row).unwrap();
        String::from_utf8(file.into_inner().unwrap()).unwrap()
    };
    import_text(&conn, "san-francisco", &file(first.clone()));
    let before = dump_tables(&conn);
    let again = header.iter().zip(&first).map(|(name, value)| match name {
        "Block" | "Lot" | "Street Number" => "9999".to_owned(),
        name if name.ends_with("Date") => value.replace("/2018", "/2020").replace("/2017", "/2020"),
        _ => value.to_owned(),
    });
    let report = import_text(&conn, "san-francisco", &file(again.collect()));
    assert_eq!(
        (
            report.permits,
            report.signals.changed,
            report.rejected.len()
        ),
        (0, 0, 1),
        "{report:?}"
    );
    assert_eq!(dump_tables(&conn)["signals"], before["signals"]);
}

#[test]
fn the_signals_of_a_permit_share_one_stored_row() {
    let conn = empty_index();
    let text = read_excerpt("san_francisco_400.csv");
    import_text(&conn, "san-francisco", &text);
    let permits = query_number(
        &conn,
        "SELECT count(DISTINCT source_filing_id) FROM signals",
    );
    let stored = |sql: &str| {
        query_number(
            &conn,
            &format!("SELECT count(*) FROM source_rows f WHERE {sql}"),
        )
    };
    assert!(
        permits < query_number(&conn, "SELECT count(*) FROM signals"),
        "some permits have several signals"
    );
    assert_eq!(stored("1"), permits);
    import_text(
        &conn,
        "san-francisco",
        &text.replace("06/26/2018", "06/27/2018"),
    );
    assert_eq!(
        stored("1"),
        permits,
        "a changed row replaces the stored one"
    );
    assert_eq!(
        stored("NOT EXISTS (SELECT 1 FROM signals s WHERE s.source_row = f.rowid)"),
        0,
        "no row is unused"
    );
}

#[test]
fn a_permit_with_several_addresses_is_one_signal_at_its_main_address() {
    let conn = empty_index();
    let text = read_excerpt("san_francisco_400.csv");
    import_text(&conn, "san-francisco", &text);
    let all = csv_rows(&text);
    let mut several = 0;
    for row in all.iter().filter(|row| row["Primary Address Flag"] == "Y") {
        let others = all
            .iter()
            .filter(|other| other["Permit Number"] == row["Permit Number"])
            .count();
        if others > 1 {
            several += 1;
            let sql = format!(
                "SELECT count(*) FROM signals s WHERE source_filing_id = '{}' AND signal_type = 'permit_filed'
                 AND {PAYLOAD} ->> '$.\"Street Number\"' = '{}' AND {PAYLOAD} ->> 'Lot' = '{}'",
                row["Permit Number"], row["Street Number"], row["Lot"]
            );
            assert_eq!(query_number(&conn, &sql), 1, "{row:?}");
        }
    }
    assert!(several >= 10);
    assert_eq!(
        query_number(
            &conn,
            "SELECT count(*) FROM projects WHERE signals_count = 0"
        ),
        0
    );
}

#[test]
fn projects_take_their_values_from_their_newest_permit() {
    let conn = empty_index();
    import_text(
        &conn,
        "san-francisco",
        &read_excerpt("san_francisco_400.csv"),
    );
    let wrong =
        "SELECT count(*) FROM projects p WHERE signals_count <> (SELECT count(*) FROM signals s WHERE s.project_id = p.id)
        OR first_signal_at <> (SELECT min(filed_at) FROM signals s WHERE s.project_id = p.id)
        OR last_signal_at <> (SELECT max(filed_at) FROM signals s WHERE s.project_id = p.id)";
    assert_eq!(query_number(&conn, wrong), 0);
    assert!(
        query_number(
            &conn,
            "SELECT count(*) FROM projects WHERE primary_use = 'office'"
        ) > 60
    );
    assert_eq!(
        query_number(
            &conn,
            "SELECT count(*) FROM projects WHERE lat NOT BETWEEN 37 AND 38.5 OR lng NOT BETWEEN -123.2 AND -122"
        ),
        0
    );
    let stages = "SELECT count(*) FROM projects p WHERE stage = 'completed' AND NOT EXISTS
        (SELECT 1 FROM signals s WHERE s.project_id = p.id AND signal_type = 'completion')";
    assert_eq!(query_number(&conn, stages), 0);
}

#[test]
fn chicago_firms_become_accounts_with_roles_and_people_become_contacts() {
    let conn = empty_index();
    let text = read_excerpt("chicago_60.csv");
    let report = import_text(&conn, "chicago", &text);
    assert_eq!(report.rejected["no date"].rows, 4);
    let named = |kind: &str| {
        csv_rows(&text)
            .iter()
            .flat_map(|row| {
                (1..=15)
                    .map(|n| row[&format!("CONTRACTOR_{n}_TYPE")] == kind)
                    .collect::<Vec<_>>()
            })
            .filter(|yes| *yes)
            .count()
    };
    assert!(named("CONTRACTOR-GENERAL CONTRACTOR") > 30);
    let builder = "SELECT count(*) FROM accounts WHERE name = 'James Mchugh Construction Co' AND account_types = '[\"gc\"]'
        AND public_phone = '(312) 986-8000' AND state = 'IL' AND hq_address LIKE '1737 S Michigan Ave, Chicago, IL 60616%'";
    assert_eq!(query_number(&conn, builder), 1);
    assert_eq!(
        query_number(
            &conn,
            "SELECT count(*) FROM contacts WHERE name = 'Eamonn F. Connolly' AND title = 'Structural Engineer'"
        ),
        1
    );
    assert_eq!(
        query_number(
            &conn,
            "SELECT count(*) FROM projects WHERE gc_status = 'awarded'
        AND NOT EXISTS (SELECT 1 FROM project_accounts WHERE project_id = projects.id AND role = 'gc')"
        ),
        0
    );
}

#[test]
fn rejected_rows_are_written_out_unchanged() {
    let text = "Permit Number , Permit Type,Block,Lot,Street Number,Street Name,Street Suffix,Filed Date,Issued Date,Description,Primary Address Flag\n\
        1,8,0001,001,10,Main,St,01/02/2018 08:00:00 AM,,\"two\nlines, and a comma\",Y\n\
        ,8,0001,001,10,Main,St,01/02/2018,,no number,Y\n\
        3,8,,,,,,01/02/2018,,no place,Y\n\
        4,8,0001,001,10,Main,St,,,no date,Y\n\
        5,8,0001,001,10,Main,St,soon,,no real date,Y\n\
        6,8,0001,001,10,Main\n\
        7,8,0001,001,10,Main,St,01/03/2018,13/45/2018,half a date,Y\n";
    let conn = empty_index();
    let mut out = Vec::new();
    let report = try_import(&conn, "san-francisco", text.as_bytes(), Some(&mut out)).unwrap();
    let reasons: BTreeMap<&str, (u64, u64)> = report
        .rejected
        .iter()
        .map(|(why, at)| (*why, (at.rows, at.first_line)))
        .collect();
    assert_eq!(
        reasons,
        BTreeMap::from([
            ("no permit number", (1, 4)),
            ("no address or parcel", (1, 5)),
            ("no date", (1, 6)),
            ("no readable date", (1, 7)),
            ("a row with more or fewer fields than the header", (1, 8)),
        ])
    );
    assert_eq!(report.rejected["no readable date"].values, ["soon"]);
    assert_eq!(
        report.rejected["a row with more or fewer fields than the header"].values,
        ["6 fields"]
    );
    assert_eq!(report.permits, 2);
    assert_eq!(report.remarks["an unreadable date, ignored"].first_line, 9);
    assert_eq!(
        report.remarks["an unreadable date, ignored"].values,
        ["13/45/2018"]
    );
    let written = String::from_utf8(out).unwrap();
    assert_eq!(written.lines().count(), 6, "{written}");
    assert!(written.starts_with("Permit Number , Permit Type") && written.contains("no real date"));
    let kept: String = conn
        .query_row(
            &format!("SELECT {PAYLOAD} FROM signals s WHERE source_filing_id = '1'"),
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(
        kept.contains(r#""Description":"two\nlines, and a comma""#),
        "{kept}"
    );
}

#[test]
fn characters_of_older_encodings_survive() {
    let mut bytes = b"Permit Number,Street Number,Street Name,Street Suffix,Filed Date,Primary Address Flag\n1,10,Jos".to_vec();
    bytes.extend([0xE9]);
    bytes.extend(b" Sarria,Ct,01/02/2018,Y\n");
    let conn = empty_index();
    assert_eq!(
        try_import(&conn, "san-francisco", &bytes, None)
            .unwrap()
            .permits,
        1
    );
    let name: String = conn
        .query_row("SELECT name FROM projects", [], |row| row.get(0))
        .unwrap();
    assert_eq!(name, "10 José Sarria Ct");
}

#[test]
fn a_file_of_another_layout_is_rejected_with_its_missing_columns() {
    let conn = empty_index();
    let error = try_import(
        &conn,
        "chicago",
        read_excerpt("san_francisco_400.csv").as_bytes(),
        None,
    )
    .unwrap_err();
    assert!(error.to_string().contains("PERMIT#"), "{error}");
    assert!(matches!(
        try_import(&conn, "chicago", b"", None),
        Err(ImportError::Empty)
    ));
    assert_eq!(
        query_number(&conn, "SELECT count(*) FROM sources"),
        0,
        "nothing was written"
    );
}

/// A file of which each piece takes longer to read than a transaction may last. The pieces are
/// small: some are read before the first transaction begins.
struct SlowReader<'a>(&'a [u8]);

impl Read for SlowReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        std::thread::sleep(Duration::from_millis(60));
        let piece = buffer.len().min(4 << 10);
        self.0.read(&mut buffer[..piece])
    }
}

#[test]
fn an_interrupted_import_is_completed_by_the_next_run() {
    let text = read_excerpt("san_francisco_400.csv");
    let layout = PermitLayout::find("san-francisco", &[]).unwrap();
    let (halved, straight) = (empty_index(), empty_index());
    let (first, second) = text.as_bytes().split_at(text.len() / 2);
    let file = first.chain(SlowReader(second));
    let report = import_run::read_file(
        &halved,
        &layout,
        file,
        None,
        &mut |_| ControlFlow::Break(()),
        CommitMode::Commit,
        "2026-07-09T16:20:00Z".parse().unwrap(),
    )
    .unwrap();
    assert!(report.stopped && report.rows < 400);
    assert_eq!(
        query_number(
            &halved,
            "SELECT count(*) FROM projects WHERE signals_count = 0"
        ),
        0,
        "no project is incomplete"
    );
    import_text(&halved, "san-francisco", &text);
    import_text(&straight, "san-francisco", &text);
    assert_eq!(
        dump_tables(&halved)["signals"],
        dump_tables(&straight)["signals"]
    );
}

#[test]
fn an_import_that_dies_anywhere_is_completed_by_the_next_run() {
    let excerpt = read_excerpt("san_francisco_400.csv");
    let (header, rows) = excerpt.split_once('\n').unwrap();
    let copy = |n: u32| {
        rows.lines()
            .map(|line| format!("{n}{line}\n"))
            .collect::<String>()
    };
    let text = format!("{header}\n{}{}", copy(1), copy(2));
    let layout = PermitLayout::find("san-francisco", &[]).unwrap();
    let straight = empty_index();
    let whole = import_text(&straight, "san-francisco", &text);
    let expected = dump_tables(&straight);
    for part in [7, 8, 9] {
        let conn = empty_index();
        // an error behind the first rows ends the import like a kill: what is not committed is lost
        let file = text.as_bytes()[..text.len() * part / 10].chain(BrokenReader);
        import_run::read_file(
            &conn,
            &layout,
            file,
            None,
            &mut |_| ControlFlow::Continue(()),
            CommitMode::Commit,
            "2026-07-09T16:20:00Z".parse().unwrap(),
        )
        .unwrap_err();
        let report = import_text(&conn, "san-francisco", &text);
        assert!(
            report.is_balanced() && report.permits == whole.permits,
            "{report:?}"
        );
        let found = dump_tables(&conn);
        assert_eq!(
            (&found["signals"], &found["projects"]),
            (&expected["signals"], &expected["projects"]),
            "{part}"
        );
    }
}

/// A file on a disk that fails.
struct BrokenReader;

impl Read for BrokenReader {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("the disk failed"))
    }
}

fn import_options(folder: &Path, dry_run: bool) -> ImportOptions {
    ImportOptions {
        file: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/san_francisco_400.csv"),
        layout: PermitLayout::find("san-francisco", &[]).unwrap(),
        data: Storage::File(folder.join("permits.db")),
        dry_run,
        rejects: None,
        now: "2026-07-09T16:20:00Z".parse().unwrap(),
    }
}

#[test]
fn a_new_database_gets_one_workspace_subscribed_to_everything() {
    let folder = tempfile::tempdir().unwrap();
    let options = import_options(folder.path(), false);
    let mut progress = Vec::new();
    for _ in 0..2 {
        import::run_import(&options, &mut |at| {
            progress.push(at);
            ControlFlow::Continue(())
        })
        .unwrap();
    }
    let conn = db::open_writer(&options.data).unwrap();
    assert_eq!(
        query_number(&conn, "SELECT count(*) FROM workspaces WHERE plan = 'pro'"),
        1
    );
    assert_eq!(
        query_number(
            &conn,
            "SELECT count(*) FROM subscriptions WHERE watermark < (SELECT min(discovered_at) FROM signals)"
        ),
        17
    );
    assert_eq!(
        query_number(&conn, "SELECT count(*) FROM members WHERE role = 'owner'"),
        1
    );
}

#[test]
fn rejects_never_overwrite_the_permit_file_or_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let (permits, link) = (folder.path().join("p.csv"), folder.path().join("link.csv"));
    std::fs::copy(import_options(folder.path(), false).file, &permits).unwrap();
    std::os::unix::fs::symlink(&permits, &link).unwrap();
    let written = std::fs::read(&permits).unwrap();
    let rejecting = |rejects: &Path| {
        let options = ImportOptions {
            file: permits.clone(),
            rejects: Some(rejects.to_owned()),
            ..import_options(folder.path(), false)
        };
        import::run_import(&options, &mut |_| ControlFlow::Continue(()))
    };
    let aside = folder.path().join("aside.csv");
    for _ in 0..2 {
        rejecting(&aside).unwrap(); // the rejects of an earlier run may be overwritten
    }
    for over in [&permits, &link, &folder.path().join("permits.db")] {
        let error = rejecting(over).unwrap_err().to_string();
        assert!(
            error.contains(&over.display().to_string()) && error.ends_with("name another file"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read(&permits).unwrap(), written);
    rejecting(&aside).unwrap(); // the database is intact
}

#[test]
fn the_rejects_file_is_private_and_free_of_formulas() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (permits, aside) = (folder.path().join("p.csv"), folder.path().join("aside.csv"));
    let mut rows = std::fs::read(import_options(folder.path(), false).file).unwrap();
    rows.extend(b"\n=cmd|' /C calc'!A1,-5,@sum,\xff\n=\xff1,plain\n");
    std::fs::write(&permits, rows).unwrap();
    std::fs::write(&aside, "of an earlier run").unwrap();
    std::fs::set_permissions(&aside, std::fs::Permissions::from_mode(0o644)).unwrap();
    let options = ImportOptions {
        file: permits,
        rejects: Some(aside.clone()),
        ..import_options(folder.path(), false)
    };
    import::run_import(&options, &mut |_| ControlFlow::Continue(())).unwrap();
    let kept = String::from_utf8_lossy(&std::fs::read(&aside).unwrap()).into_owned();
    for cell in ["'=cmd|' /C calc'!A1,-5,'@sum", "'=\u{fffd}1,plain"] {
        assert!(kept.contains(cell), "{cell}: {kept}");
    }
    assert_eq!(
        std::fs::metadata(&aside).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_dry_run_reports_everything_and_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let proceed = &mut |_| ControlFlow::Continue(());
    let dry = import::run_import(&import_options(folder.path(), true), proceed).unwrap();
    assert!(!folder.path().join("permits.db").exists());
    let done = import::run_import(&import_options(folder.path(), false), proceed).unwrap();
    assert_eq!(dry, done);
    let again = import::run_import(&import_options(folder.path(), true), proceed).unwrap();
    assert_eq!(
        (again.signals.new, again.signals.same),
        (0, done.signals.new)
    );
}
