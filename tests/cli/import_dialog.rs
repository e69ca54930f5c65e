//! `gantry import` without a layout: recognized, reported, or asked at a terminal.

use std::path::Path;
use std::process::{Command, Output};

use gantry::service::{Storage, db};

use crate::pty::gantry_program;

const UNDECIDED: &str = "Permit No;Bauort;Genehmigt am;Baukosten\n7/24;Hauptstr. 1;03/04/2024;95.000,00\n8/24;Mühlweg 3;05/04/2024;1.200,50\n";

fn run_import(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .arg("import")
        .args(arguments);
    command.output().unwrap()
}

fn signals(home: &Path, file: &str) -> Vec<String> {
    let conn = db::open_writer(&Storage::File(home.join(file))).unwrap();
    let sql = "SELECT s.source_filing_id || ' ' || strftime('%Y-%m-%d', filed_at / 1000, 'unixepoch') || ' ' || p.city || ' ' ||
        ifnull(reported_cost_usd, '-') FROM signals s JOIN projects p ON p.id = s.project_id ORDER BY 1";
    conn.prepare(sql)
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_script_gets_a_report_with_questions_and_imports_once_they_are_answered() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(home.join("town.csv"), UNDECIDED).unwrap();
    let asked = run_import(home, &["town.csv", "--data", "town.db"]);
    let text = error_text(&asked);
    assert_eq!(asked.status.code(), Some(2), "{text}");
    for part in [
        "Genehmigt am: 03/04/2024 can be 3 April 2024 or 4 March 2024: answer with --dates dmy or --dates mdy",
        "no column has the city: answer with --city 'Springfield, IL'",
        "2 questions to answer, nothing was imported",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!home.join("town.db").exists());
    assert!(
        text.contains("add --write-layout FILE to correct its layout by hand"),
        "{text}"
    );
    assert!(
        !home.join(".config").exists(),
        "nothing is written before the file is imported"
    );
    run_import(
        home,
        &[
            "town.csv",
            "--data",
            "town.db",
            "--write-layout",
            "mine.toml",
        ],
    );
    let written = std::fs::read_to_string(home.join("mine.toml")).unwrap();
    assert!(
        written.contains("dates = [\"?\"]") && written.contains("city = \"?\""),
        "{written}"
    );
    let unchanged = run_import(
        home,
        &["town.csv", "--data", "town.db", "--layout", "mine.toml"],
    );
    assert!(
        error_text(&unchanged).contains("is undecided (\"?\"): write its value"),
        "{}",
        error_text(&unchanged)
    );

    let json = run_import(home, &["town.csv", "--data", "town.db", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (
            json.status.code(),
            value["inspection"]["questions"].as_array().unwrap().len()
        ),
        (Some(2), 2)
    );

    let answers = [
        "--dates",
        "dmy",
        "--city",
        "Springfield, IL",
        "--data",
        "town.db",
    ];
    let reported = run_import(home, &[&["town.csv"], &answers[..]].concat());
    assert_eq!(
        (reported.status.code(), home.join("town.db").exists()),
        (Some(0), false),
        "{}",
        error_text(&reported)
    );
    assert!(!home.join(".config").exists());
    let imported = run_import(home, &[&["town.csv", "--yes"], &answers[..]].concat());
    assert_eq!(imported.status.code(), Some(0), "{}", error_text(&imported));
    assert_eq!(
        signals(home, "town.db"),
        [
            "7/24 2024-04-03 Springfield 95000.0",
            "8/24 2024-04-05 Springfield 1200.5"
        ]
    );

    // the layout is accepted unchanged, and the next file with this header is recognized
    let again = run_import(
        home,
        &["town.csv", "--data", "again.db", "--layout", "town"],
    );
    assert_eq!(again.status.code(), Some(0), "{}", error_text(&again));
    std::fs::write(home.join("may.csv"), UNDECIDED.replace("7/24", "9/24")).unwrap();
    let next = run_import(
        home,
        &["may.csv", "--data", "again.db", "--city", "Springfield, IL"],
    );
    assert!(
        error_text(&next).contains("recognized as town (Springfield Building Permits)"),
        "{}",
        error_text(&next)
    );
    assert_eq!(signals(home, "again.db").len(), 3);
}

#[test]
fn files_of_the_tested_cities_need_no_layout() {
    let home = tempfile::tempdir().unwrap();
    for (file, name) in [
        ("san_francisco_400.csv", "san-francisco"),
        ("chicago_60.csv", "chicago"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(file);
        let done = run_import(
            home.path(),
            &[path.to_str().unwrap(), "--data", "city.db", "--dry-run"],
        );
        assert!(
            error_text(&done).contains(&format!("recognized as {name} (")),
            "{}",
            error_text(&done)
        );
        assert_eq!(done.status.code(), Some(0));
    }
}

#[test]
fn at_a_terminal_questions_are_asked_and_columns_corrected_before_the_import() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("town.csv"), UNDECIDED).unwrap();
    let file = home.path().join("town.csv");
    let data = home.path().join("town.db");
    let arguments = [
        "import",
        file.to_str().unwrap(),
        "--data",
        data.to_str().unwrap(),
    ];
    let mut session = gantry_program(&arguments)
        .env("HOME", home.path().to_str().unwrap())
        .start();
    session.wait_for("City and state, such as");
    session.type_keys("Springfield, IL\r");
    session.wait_for("dmy for day first");
    session.type_keys("dmy\r");
    session.wait_for("Enter to import, a number to correct a column, q to quit:");
    session.type_keys("4\r");
    session.wait_for("Baukosten is:");
    session.type_keys("none\r");
    let prompts = |output: String| output.matches("Enter to import").count();
    session.wait_until("the second report", |session| {
        prompts(session.all_output()) == 2
    });
    session.type_keys("\r");
    assert_eq!(session.wait_for_exit(), 0);
    assert!(
        session.all_output().contains("imported 2 rows"),
        "{}",
        session.all_output()
    );
    assert_eq!(
        signals(home.path(), "town.db"),
        [
            "7/24 2024-04-03 Springfield -",
            "8/24 2024-04-05 Springfield -"
        ]
    );
}

#[test]
fn quitting_the_dialogue_imports_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (file, data) = (home.path().join("town.csv"), home.path().join("town.db"));
    std::fs::write(&file, UNDECIDED).unwrap();
    let arguments = [
        "import",
        file.to_str().unwrap(),
        "--data",
        data.to_str().unwrap(),
    ];
    let mut session = gantry_program(&arguments)
        .env("HOME", home.path().to_str().unwrap())
        .start();
    session.wait_for("City and state, such as");
    session.type_keys("q\r");
    assert_eq!((session.wait_for_exit(), data.exists()), (0, false));
}

#[test]
fn a_new_database_beside_another_one_is_announced() {
    let home = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/san_francisco_400.csv");
    let import = |data: &str| {
        error_text(&run_import(
            home.path(),
            &[path.to_str().unwrap(), "--data", data],
        ))
    };
    assert!(!import("desk.db").contains("is a new database"));
    let text = import("dek.db");
    assert!(
        text.contains("dek.db is a new database; desk.db is not changed"),
        "{text}"
    );
    assert!(!import("dek.db").contains("is a new database"));
}

#[test]
fn a_file_of_past_years_shows_the_command_for_its_queue() {
    let home = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/san_francisco_400.csv");
    let done = run_import(home.path(), &[path.to_str().unwrap(), "--data", "city.db"]);
    let text = error_text(&done);
    let hint = text
        .lines()
        .find(|line| line.contains("so today's queue is empty"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(
        hint.contains("gantry --local city.db --as-of 20")
            && hint.contains("gantry team up --data city.db --as-of 20"),
        "{hint}"
    );
    let listed = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path())
        .args(["--local", "city.db", "queue", "list"])
        .output()
        .unwrap();
    assert!(
        error_text(&listed).contains(", add --as-of 20"),
        "{}",
        error_text(&listed)
    );
}

#[test]
fn a_followed_directory_is_imported_when_its_files_change() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let row = |number: u32| format!("{number},{number} Main St,2024-04-03\n");
    let header = "Permit No,Address,Issued\n";
    std::fs::write(home.join("first.csv"), format!("{header}{}", row(1))).unwrap();
    let known = run_import(
        home,
        &[
            "first.csv",
            "--data",
            "town.db",
            "--city",
            "Town, TX",
            "--yes",
        ],
    );
    assert_eq!(known.status.code(), Some(0), "{}", error_text(&known));
    std::fs::create_dir(home.join("in")).unwrap();
    let arguments = [
        "in",
        "--data",
        "town.db",
        "--layout",
        "first",
        "--follow",
        "--follow-interval",
        "50ms",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .arg("import")
        .args(arguments);
    let mut running = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(running.stdout.take().unwrap()));
    // each line is one pickup
    for (text, count) in [
        (format!("{header}{}{}", row(1), row(2)), 2),
        (format!("{header}{}{}{}", row(1), row(2), row(3)), 3),
    ] {
        std::fs::write(home.join("in/may.csv"), text).unwrap();
        let line = lines.next().unwrap().unwrap();
        assert!(
            line.starts_with(&format!("may.csv: imported {count} rows")),
            "{line}"
        );
        assert_eq!(signals(home, "town.db").len(), count);
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&running),
        rustix::process::Signal::INT,
    )
    .unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(0));
}

#[test]
fn another_citys_file_with_the_same_header_is_asked_for_its_place_and_moves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let header = "Record Number,Created Date,Address,Project Cost\n";
    let rows = |street: &str| {
        (1..=3)
            .map(|n| format!("B-{n},03/1{}/2024,{n} {street},1000\n", n + 3))
            .collect::<String>()
    };
    std::fs::write(
        home.join("tacoma.csv"),
        format!("{header}{}", rows("Alpha St")),
    )
    .unwrap();
    std::fs::write(
        home.join("permits.csv"),
        format!("{header}{}", rows("Beta Ave")),
    )
    .unwrap();
    let first = run_import(
        home,
        &[
            "tacoma.csv",
            "--data",
            "x.db",
            "--city",
            "Tacoma, WA",
            "--yes",
        ],
    );
    assert_eq!(first.status.code(), Some(0), "{}", error_text(&first));
    let asked = run_import(home, &["permits.csv", "--data", "x.db", "--yes"]);
    let text = error_text(&asked);
    assert_eq!(asked.status.code(), Some(2), "{text}");
    assert!(
        text.contains("known from Tacoma, WA")
            && text.contains("--city 'CITY, STATE' if it is not"),
        "{text}"
    );
    let second = run_import(
        home,
        &[
            "permits.csv",
            "--data",
            "x.db",
            "--city",
            "Oakland, CA",
            "--yes",
        ],
    );
    assert_eq!(second.status.code(), Some(0), "{}", error_text(&second));
    let again = run_import(
        home,
        &["tacoma.csv", "--data", "x.db", "--city", "Tacoma, WA"],
    );
    assert!(
        error_text(&again).contains("recognized as tacoma"),
        "{}",
        error_text(&again)
    );
    assert_eq!(
        signals(home, "x.db"),
        [
            "B-1 2024-03-14 Oakland 1000.0",
            "B-1 2024-03-14 Tacoma 1000.0",
            "B-2 2024-03-15 Oakland 1000.0",
            "B-2 2024-03-15 Tacoma 1000.0",
            "B-3 2024-03-16 Oakland 1000.0",
            "B-3 2024-03-16 Tacoma 1000.0",
        ]
    );
}

#[test]
fn a_file_whose_rows_name_their_city_moves_no_permit_of_another_city() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for (file, city) in [("tacoma.csv", "Tacoma"), ("oakland.csv", "Oakland")] {
        let text =
            format!("Permit Number,Address,City,Issued Date\nB-1,1 Main St,{city},2024-03-01\n");
        std::fs::write(home.join(file), text).unwrap();
        let done = run_import(home, &[file, "--data", "x.db", "--yes"]);
        assert_eq!(done.status.code(), Some(0), "{}", error_text(&done));
    }
    let once = ["B-1 2024-03-01 Oakland -", "B-1 2024-03-01 Tacoma -"];
    assert_eq!(signals(home, "x.db"), once);
    // next month's file of the same source, by another name
    std::fs::copy(home.join("tacoma.csv"), home.join("april.csv")).unwrap();
    let next = run_import(
        home,
        &[
            "april.csv",
            "--data",
            "x.db",
            "--city",
            "Tacoma, WA",
            "--yes",
        ],
    );
    assert!(
        error_text(&next).contains("recognized as tacoma"),
        "{}",
        error_text(&next)
    );
    assert_eq!(signals(home, "x.db"), once);
}

#[test]
fn a_damaged_file_ends_with_a_status_that_a_script_notices() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let import = |text: &str| {
        std::fs::write(home.join("town.csv"), text).unwrap();
        let done = run_import(
            home,
            &[
                "town.csv", "--data", "town.db", "--city", "Town, TX", "--yes",
            ],
        );
        (
            done.status.code(),
            format!(
                "{}{}",
                String::from_utf8_lossy(&done.stdout),
                error_text(&done)
            ),
        )
    };
    let header = "Permit No,Address,Issued,Description\n";
    let (status, text) = import(&format!(
        "{header}1,1 A St,2024-03-01,\"12' deck\n2,2 A St,2024-03-02,roof\n3,3 A St,2024-03-03\n"
    ));
    assert_eq!(status, Some(1), "{text}");
    for part in [
        "imported 3 rows: 2 permits + 0 duplicate rows merged + 1 rejected",
        "1 row with warnings: a quotation mark that is not closed, read as text, first on line 2: \"\"12' deck\"",
        "1 row rejected: a row with more or fewer fields than the header, first on line 4: \"3 fields\"",
        "2 rows of the file are damaged",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let layout = home.join(".config/gantry/layouts/town.toml");
    assert!(!layout.exists(), "a damaged file leaves no layout behind");
    for (text, why) in [
        (header.to_owned(), "the file has a header and no rows"),
        (
            "Permit No,Address,Issued\n1,7,1 A St,2024-03-01\n2,8,2 A St,2024-03-02\n".to_owned(),
            "the rows have 4 fields, the header on line 1 has 3",
        ),
    ] {
        let (status, told) = import(&text);
        assert_eq!((status, layout.exists()), (Some(1), false), "{told}");
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_damaged_file_in_a_followed_directory_is_named() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    std::fs::write(
        home.join("town.csv"),
        "Permit No,Address,Issued\n1,1 A St,2024-03-01\n",
    )
    .unwrap();
    let known = run_import(
        home,
        &[
            "town.csv", "--data", "town.db", "--city", "Town, TX", "--yes",
        ],
    );
    assert_eq!(known.status.code(), Some(0), "{}", error_text(&known));
    std::fs::create_dir(home.join("in")).unwrap();
    std::fs::write(
        home.join("in/may.csv"),
        "Permit No,Address,Issued\n2,2 A St,2024-03-02\n3,3 A St\n4,4 A St,soon\n",
    )
    .unwrap();
    let arguments = [
        "import",
        "in",
        "--data",
        "town.db",
        "--layout",
        "town",
        "--follow",
        "--follow-interval",
        "50ms",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .args(arguments)
        .stdout(std::process::Stdio::null());
    let mut running = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(running.stderr.take().unwrap()))
        .map(Result::unwrap);
    let told: Vec<String> = lines.skip(1).take(3).collect();
    assert_eq!(
        told,
        [
            "gantry: may.csv: 1 row rejected: a row with more or fewer fields than the header, first on line 3: \"2 fields\"",
            "gantry: may.csv: 1 row rejected: no readable date, first on line 4: \"soon\"",
            "gantry: may.csv: 1 row of the file is damaged; the others are imported; mend the lines above and import the file again",
        ]
    );
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&running),
        rustix::process::Signal::INT,
    )
    .unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(0));
}

#[test]
fn numbers_that_are_used_again_are_kept_apart_or_asked_about() {
    let (yearly_home, unclear_home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let import = |home: &Path, text: &str, more: &[&str]| {
        std::fs::write(home.join("town.csv"), text).unwrap();
        let done = run_import(
            home,
            &[
                &[
                    "town.csv", "--data", "town.db", "--city", "Town, TX", "--yes",
                ],
                more,
            ]
            .concat(),
        );
        (done.status.code(), error_text(&done))
    };
    let header = "Permit Number,Address,Issued Date,Estimated Cost\n";
    let yearly = format!(
        "{header}1,10 Oak St,2023-03-01,1000\n2,20 Oak St,2023-03-02,2000\n1,99 Elm St,2024-03-01,3000\n"
    );
    let (status, text) = import(yearly_home.path(), &yearly, &[]);
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("numbers are used again; a permit is its number and year"),
        "{text}"
    );
    assert_eq!(signals(yearly_home.path(), "town.db").len(), 3);
    let unclear = format!("{header}1,10 Oak St,2023-03-01,1000\n1,99 Elm St,2023-05-01,3000\n");
    let (status, text) = import(unclear_home.path(), &unclear, &[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("1 row has the same number as another row"),
        "{text}"
    );
    let (status, text) = import(unclear_home.path(), &unclear, &["--key", "number,Address"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn a_pipe_and_json_lines_are_imported_like_a_file() {
    let home = tempfile::tempdir().unwrap();
    let json = "{\"permit_number\":\"1\",\"address\":\"1 Oak St\",\"issued_date\":\"2024-03-01\",\"cost\":5000}\n";
    let mut command = Command::new(env!("CARGO_BIN_EXE_gantry"));
    command
        .env_clear()
        .env("HOME", home.path())
        .current_dir(home.path());
    command.args([
        "import", "-", "--data", "x.db", "--city", "Town, TX", "--yes",
    ]);
    command
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut running = command.spawn().unwrap();
    std::io::Write::write_all(&mut running.stdin.take().unwrap(), json.as_bytes()).unwrap();
    let done = running.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", error_text(&done));
    assert_eq!(signals(home.path(), "x.db"), ["1 2024-03-01 Town 5000.0"]);
}
