//! Kinds of permit files that once came out wrong without a word, imported by the command: each is
//! right, asked about, or named.

use std::path::Path;
use std::process::{Command, Output};

use gantry::service::{Storage, db};

/// What an import printed and stored.
pub struct Done {
    pub code: Option<i32>,
    pub text: String,
    /// Signals as `permit type day | address, city | cost`.
    pub signals: Vec<String>,
    /// Firms and people as `address: name, role`.
    pub firms: Vec<String>,
}

impl Done {
    #[track_caller]
    pub fn says(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for part in parts {
            assert!(self.text.contains(part), "{part}: {}", self.text);
        }
    }
}

pub fn query(home: &Path, sql: &str) -> Vec<String> {
    if !home.join("x.db").exists() {
        return Vec::new();
    }
    let conn = db::open_writer(&Storage::File(home.join("x.db"))).unwrap();
    conn.prepare(sql)
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// Imports a file of this name, with `--yes`.
pub fn import_in(home: &Path, file: &str, content: impl AsRef<[u8]>, arguments: &[&str]) -> Done {
    std::fs::write(home.join(file), content).unwrap();
    let output: Output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .args(["import", file, "--data", "x.db", "--yes"])
        .args(arguments)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    Done {
        code: output.status.code(),
        text: String::from_utf8_lossy(&printed).into_owned(),
        signals: query(
            home,
            "SELECT s.source_filing_id || ' ' || s.signal_type || ' ' || strftime('%Y-%m-%d', s.filed_at / 1000, 'unixepoch') || ' | '
            || ifnull(p.primary_address, '') || ', ' || ifnull(p.city, '') || ' | ' || ifnull(s.reported_cost_usd, '-')
            FROM signals s JOIN projects p ON p.id = s.project_id ORDER BY 1",
        ),
        firms: query(
            home,
            "SELECT p.primary_address || ': ' || a.name || ', ' || l.role FROM project_accounts l
            JOIN projects p ON p.id = l.project_id JOIN accounts a ON a.id = l.account_id
            UNION SELECT p.primary_address || ': ' || c.name || ', ' || ifnull(c.title, '') || ' ' || ifnull(c.phone, '') || ' ' || ifnull(c.email, '')
            FROM project_contacts l JOIN projects p ON p.id = l.project_id JOIN contacts c ON c.id = l.contact_id ORDER BY 1",
        ),
    }
}

/// The same in a new home, for a city that the file does not name.
fn import(content: impl AsRef<[u8]>) -> Done {
    let home = tempfile::tempdir().unwrap();
    import_in(
        home.path(),
        "permits.csv",
        content,
        &["--city", "Salem, OR"],
    )
}

const FIRST_FILE: &str = "Permit Number,Issue Date,Address,Valuation,Status\n\
    1,1/25/2025,1 Pine St,5000,Issued\n2,1/26/2025,3 Pine St,6000,Issued\n";

#[test]
fn a_status_that_a_remembered_layout_does_not_know_is_asked() {
    let home = tempfile::tempdir().unwrap();
    let city = ["--city", "Salem, OR"];
    import_in(home.path(), "may.csv", FIRST_FILE, &city).says(0, &[]);
    let next = "Permit Number,Issue Date,Address,Valuation,Status\n\
        5,2/25/2025,9 Pine St,5000,Issued\n6,2/26/2025,11 Pine St,6000,Scrapped\n\
        7,2/27/2025,13 Pine St,6000,Void\n8,2/28/2025,15 Pine St,6000,Scrapped\n";
    let asked = import_in(home.path(), "june.csv", next, &city);
    asked.says(
        2,
        &[
            "recognized as may",
            "Status: what does \"Scrapped\" mean for a permit (2 of 4 rows)? Answer with --status 'Scrapped=active' (or applied,",
            "1 question to answer, nothing was imported",
        ],
    );
    assert_eq!(asked.signals.len(), 2, "{:#?}", asked.signals);
    let answer = ["--city", "Salem, OR", "--status", "Scrapped=withdrawn"];
    let answered = import_in(home.path(), "june.csv", next, &answer);
    answered.says(0, &["recognized as may"]);
    assert_eq!(
        answered.signals[2..],
        [
            "5 permit_issued 2025-02-25 | 9 Pine St, Salem | 5000.0",
            "6 withdrawal 2025-02-26 | 11 Pine St, Salem | 6000.0",
            "7 withdrawal 2025-02-27 | 13 Pine St, Salem | 6000.0",
            "8 withdrawal 2025-02-28 | 15 Pine St, Salem | 6000.0",
        ]
    );
    // the answer is remembered
    import_in(home.path(), "july.csv", next, &city).says(0, &["recognized as may"]);
}

#[test]
fn dates_in_another_order_than_a_remembered_layout_says_are_asked() {
    let home = tempfile::tempdir().unwrap();
    let city = ["--city", "Salem, OR"];
    import_in(home.path(), "may.csv", FIRST_FILE, &city).says(0, &[]);
    let next = "Permit Number,Issue Date,Address,Valuation,Status\n\
        5,25/1/2025,9 Pine St,5000,Issued\n6,4/3/2025,11 Pine St,6000,Issued\n";
    let asked = import_in(home.path(), "june.csv", next, &city);
    asked.says(
        2,
        &[
            "Issue Date: 25/1/2025 can only be 25 January 2025, but the layout has the month first",
            "--dates dmy",
        ],
    );
    let answer = ["--city", "Salem, OR", "--dates", "dmy"];
    let answered = import_in(home.path(), "june.csv", next, &answer);
    answered.says(0, &["recognized as may"]);
    assert_eq!(
        answered.signals[2..],
        [
            "5 permit_issued 2025-01-25 | 9 Pine St, Salem | 5000.0",
            "6 permit_issued 2025-03-04 | 11 Pine St, Salem | 6000.0",
        ]
    );
}

#[test]
fn a_status_far_down_a_large_file_is_asked_too() {
    let mut text = "Permit Number,Issue Date,Address,Status,Notes\n".to_owned();
    for n in 0..4_000 {
        let status = if n == 1_500 { "Scrapped" } else { "Issued" };
        let notes = "words ".repeat(220);
        text += &format!("{n},2024-01-15,{n} Pine St,{status},{notes}\n");
    }
    import(text).says(
        2,
        &["what does \"Scrapped\" mean for a permit (1 of 4000 rows)?"],
    );
}

#[test]
fn whole_numbers_with_a_point_and_a_zero_are_whole() {
    let done = import(
        "permit_number,issue_date,street_number,st_name,city\n26001.0,2024-01-05,120.0,MAIN ST,Salem\n\
        26002.0,2024-01-06,122.0,MAIN ST,Salem\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "26001 permit_issued 2024-01-05 | 120 MAIN ST, Salem | -",
            "26002 permit_issued 2024-01-06 | 122 MAIN ST, Salem | -",
        ]
    );
}

#[test]
fn every_column_that_is_not_used_is_named() {
    import(
        "Permit Number,Issue Date,Address,MILESTONE,Lender Name,Loan Amount\n1,2024-01-05,1 Pine St,1753-01-01 00:00:00,First Prairie Bank NA,328000\n\
        2,2024-01-06,3 Pine St,2024-02-01 00:00:00,Longhorn Credit Union,91000\n",
    )
    .says(
        0,
        &[
            "not used otherwise: MILESTONE (a date)",
            "kept with each signal, and not read: Lender Name, Loan Amount",
        ],
    );
}

#[test]
fn a_status_with_its_day_in_the_cell_is_read() {
    let done = import(
        "Permit Number,Issue Date,Address,Status\n1,2024-01-15,1 Pine St,ISSUED 01/15/24\n\
        2,2024-01-16,3 Pine St,Void 2/20/24\n3,2024-01-17,5 Pine St,Applied 1/9/24; Denied 2/14/24\n",
    );
    done.says(0, &[]);
    let kinds: Vec<&str> = (done.signals.iter())
        .filter_map(|signal| signal.split(' ').nth(1))
        .collect();
    assert_eq!(kinds, ["permit_issued", "withdrawal", "entitlement_denial"]);
}

#[test]
fn a_date_or_a_yes_in_a_column_named_for_an_end_decides_what_happened() {
    let done = import(
        "Permit Number,Issue Date,Cancelled Date,Void Date,Denied Date,Expired Date,Address\n\
        1,2024-01-15,2024-02-01,,,,1 Pine St\n2,2024-01-16,,2024-02-02,,,3 Pine St\n\
        3,2024-01-17,,,2024-02-03,,5 Pine St\n4,2024-01-18,,,,2024-02-04,7 Pine St\n5,2024-01-19,,,,,9 Pine St\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 withdrawal 2024-02-01 | 1 Pine St, Salem | -",
            "2 withdrawal 2024-02-02 | 3 Pine St, Salem | -",
            "3 entitlement_denial 2024-02-03 | 5 Pine St, Salem | -",
            "4 expiration 2024-02-04 | 7 Pine St, Salem | -",
            "5 permit_issued 2024-01-19 | 9 Pine St, Salem | -",
        ]
    );
    let done = import(
        "Permit Number,Issue Date,Voided,Is Cancelled,Address\n1,2024-01-15,N,false,1 Pine St\n\
        2,2024-01-16,Y,false,3 Pine St\n3,2024-01-17,N,true,5 Pine St\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2024-01-15 | 1 Pine St, Salem | -",
            "2 withdrawal 2024-01-16 | 3 Pine St, Salem | -",
            "3 withdrawal 2024-01-17 | 5 Pine St, Salem | -",
        ]
    );
    // a day that every permit has is the one when it will end
    let done = import(
        "Permit Number,Issue Date,Expired Date,Address\n1,2024-01-15,2025-01-15,1 Pine St\n2,2024-01-16,2025-01-16,3 Pine St\n",
    );
    done.says(
        2,
        &[
            "Expired Date: nearly all permits have a date in it",
            "--column 'Expired Date=ended' or 'Expired Date=expires'",
        ],
    );
    // permits that go on by their status have one too: it is the one until which they are valid
    let done = import(
        "Permit Number,Status,Issue Date,Expired,Address\n1,Issued,2024-01-15,2025-01-15,1 Pine St\n\
        2,Expired,2023-01-16,2024-01-16,3 Pine St\n3,Issued,2024-01-17,,5 Pine St\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2024-01-15 | 1 Pine St, Salem | -",
            "2 expiration 2024-01-16 | 3 Pine St, Salem | -",
            "3 permit_issued 2024-01-17 | 5 Pine St, Salem | -",
        ]
    );
}

#[test]
fn addresses_inside_objects_of_json_are_read() {
    let done = import(
        r#"[{"permit_number":"1","issue_date":"2024-01-15","location":{"latitude":"44.9","longitude":"-123.0","human_address":"{\"address\": \"1 Pine St\", \"city\": \"Salem\", \"state\": \"OR\", \"zip\": \"97301\"}"}},
        {"permit_number":"2","issue_date":"2024-01-16","location":{"latitude":"44.8","longitude":"-123.1","human_address":"{\"address\": \"3 Pine St\", \"city\": \"Keizer\", \"state\": \"OR\", \"zip\": \"97303\"}"}}]"#,
    );
    done.says(0, &[]);
    let expected = [
        "1 permit_issued 2024-01-15 | 1 Pine St, Salem | -",
        "2 permit_issued 2024-01-16 | 3 Pine St, Keizer | -",
    ];
    assert_eq!(done.signals, expected);
    let home = tempfile::tempdir().unwrap();
    let done = import_in(
        home.path(),
        "cc.jsonl",
        "{\"permitNumber\":\"1\",\"issueDate\":\"2024-01-15\",\"siteAddress\":{\"line1\":\"1 Pine St\",\"city\":\"Salem\"},\"contractor\":{\"name\":\"Acme LLC\",\"address\":\"9 Far Rd\",\"city\":\"Boise\"}}\n\
        {\"permitNumber\":\"2\",\"issueDate\":\"2024-01-16\",\"siteAddress\":{\"line1\":\"3 Pine St\",\"city\":\"Keizer\"},\"contractor\":{\"name\":\"Wire LLC\",\"address\":\"8 Far Rd\",\"city\":\"Boise\"}}\n",
        &[],
    );
    done.says(0, &[]);
    assert_eq!(done.signals, expected);
    assert_eq!(
        done.firms,
        ["1 Pine St: Acme LLC, gc", "3 Pine St: Wire LLC, gc"]
    );
}

#[test]
fn dates_inside_objects_of_json_are_read() {
    let json = r#"[{"number":"1","dates":{"applied":"2026-01-20","issued":"2026-03-12"},
        "inspection":{"completed":"2026-02-01"},"address":"1 A St"}]"#;
    let done = import(json);
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_filed 2026-01-20 | 1 A St, Salem | -",
            "1 permit_issued 2026-03-12 | 1 A St, Salem | -",
        ]
    );
}

#[test]
fn one_page_of_an_interface_is_not_taken_for_the_whole() {
    let record = |n: u32| {
        format!(r#"{{"permit_number":"{n}","issue_date":"2024-01-15","address":"{n} Pine St"}}"#)
    };
    let records = format!("{},{}", record(1), record(2));
    let feature = |n: u32| format!(r#"{{"attributes":{}}}"#, record(n));
    for (json, named) in [
        (
            format!(r#"{{"result":{{"total":23456,"limit":2,"records":[{records}]}}}}"#),
            "one page: 2 of 23,456 records",
        ),
        (
            format!(
                r#"{{"exceededTransferLimit":true,"features":[{},{}]}}"#,
                feature(1),
                feature(2)
            ),
            "one page: 2 records, and the portal has more (exceededTransferLimit: true)",
        ),
        (
            format!(r#"{{"value":[{records}],"@odata.nextLink":"https://x.test/?$skip=2"}}"#),
            "one page: 2 records, and the portal has more (@odata.nextLink: https://x.test/?$skip=2)",
        ),
        (
            format!(r#"{{"page":1,"pages":3,"permits":[{records}]}}"#),
            "one page: 2 records, and the portal has more (page 1 of 3)",
        ),
        (
            format!(r#"{{"meta":{{"count":7,"next":null}},"permits":[{records}]}}"#),
            "one page: 2 of 7 records",
        ),
    ] {
        let done = import(&json);
        done.says(0, &[named]);
        assert_eq!(done.signals.len(), 2, "{json}");
    }
    let last = import(format!(
        r#"{{"result":{{"total":2,"_links":{{"next":"/api?offset=100"}},"records":[{records}]}}}}"#
    ));
    assert!(!last.text.contains("one page"), "{}", last.text);
    let whole = import(format!(
        r#"{{"total":2,"next":null,"exceededTransferLimit":false,"permits":[{records}]}}"#
    ));
    whole.says(0, &[]);
    assert!(!whole.text.contains("one page"), "{}", whole.text);
}

#[test]
fn rows_that_repeat_a_permit_for_each_firm_add_their_firms() {
    let done = import(
        "Permit Number,Issue Date,Address,Contractor,Valuation\n1,2024-01-15,1 Pine St,Acme LLC,5000\n\
        1,2024-01-15,1 Pine St,Wire LLC,5000\n2,2024-01-16,3 Pine St,Acme LLC,7000\n",
    );
    done.says(0, &["2 permits + 1 duplicate row merged"]);
    assert_eq!(
        done.firms,
        [
            "1 Pine St: Acme LLC, gc",
            "1 Pine St: Wire LLC, gc",
            "3 Pine St: Acme LLC, gc"
        ]
    );
    let done = import(
        "Permit Number,Issue Date,Address,Firm,Role\n1,2024-01-15,1 Pine St,Acme LLC,General Contractor\n\
        1,2024-01-15,1 Pine St,Wire LLC,Electrical Contractor\n1,2024-01-15,1 Pine St,Draw Studio,Architect\n\
        2,2024-01-16,3 Pine St,Acme LLC,General Contractor\n",
    );
    done.says(0, &["2 permits + 2 duplicate rows merged"]);
    assert_eq!(
        done.firms,
        [
            "1 Pine St: Acme LLC, gc",
            "1 Pine St: Draw Studio, architect",
            "1 Pine St: Wire LLC, subcontractor",
            "3 Pine St: Acme LLC, gc",
        ]
    );
}

#[test]
fn dates_in_the_future_and_moments_of_a_night_are_named() {
    let done =
        import("Permit Number,Issue Date,Address\n1,1/25/68,1 Pine St\n2,1/26/24,3 Pine St\n");
    done.says(
        0,
        &["1 row rejected: no readable date, first on line 2: \"1/25/68\""],
    );
    let done = import(
        "Permit Number,Issue Date,Address\n1,2024-01-16T03:30:00Z,1 Pine St\n2,2024-01-17T18:10:00Z,3 Pine St\n",
    );
    done.says(
        0,
        &["Issue Date has moments in UTC: 2024-01-16T03:30:00Z counts as 16 January"],
    );
    let done = import(
        "Permit Number,Filed Date,Issue Date,Address\n1,2024-02-15,2024-01-15,1 Pine St\n2,2024-01-17,2024-02-17,3 Pine St\n",
    );
    done.says(
        0,
        &["1 row with warnings: issued before it was filed, first on line 2"],
    );
}

#[test]
fn the_city_of_a_row_is_a_city_or_asked() {
    let rows = "Permit Number,Issue Date,Address,City\n1,2024-01-15,1 Pine St,CITY OF SALEM\n2,2024-01-16,3 Pine St,Salem\n3,2024-01-17,5 Pine St,\n";
    let home = tempfile::tempdir().unwrap();
    import_in(home.path(), "a.csv", rows, &[]).says(
        2,
        &["1 of 3 rows names no city", "--city 'Springfield, IL'"],
    );
    let done = import_in(home.path(), "a.csv", rows, &["--city", "Keizer, OR"]);
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2024-01-15 | 1 Pine St, Salem | -",
            "2 permit_issued 2024-01-16 | 3 Pine St, Salem | -",
            "3 permit_issued 2024-01-17 | 5 Pine St, Keizer | -",
        ]
    );
}

#[test]
fn amounts_that_are_no_cost_are_named_by_value() {
    let done = import(
        "Permit Number,Issue Date,Address,Valuation\n1,2024-01-15,1 Pine St,(500)\n2,2024-01-16,3 Pine St,-2500\n3,2024-01-17,5 Pine St,#######\n4,2024-01-18,7 Pine St,7000\n",
    );
    done.says(
        0,
        &[
            "a negative cost, ignored, first on line 2: \"(500)\", \"-2500\"",
            "an unreadable number, ignored, first on line 4: \"#######\"",
        ],
    );
}

#[test]
fn words_for_the_owner_are_no_firm_and_people_are_stored_or_named() {
    let done = import(
        "Permit Number,Issue Date,Address,Contractor,Owner\n1,2024-01-15,1 Pine St,Same as above,Self/Owner\n2,2024-01-16,3 Pine St,Acme LLC,see owner\n",
    );
    done.says(0, &[]);
    assert_eq!(done.firms, ["3 Pine St: Acme LLC, gc"]);
    let done = import(
        "Permit Number,Issue Date,Address,Applicant,Applicant Phone,Applicant Email\n1,2024-01-15,1 Pine St,Jane Roe,503-555-0100,jane@x.test\n2,2024-01-16,3 Pine St,Draw LLC,,\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "1 Pine St: Jane Roe, Applicant (503) 555-0100 jane@x.test",
            "3 Pine St: Draw LLC, consultant"
        ]
    );
    let done = import(
        "Permit Number,Issue Date,Address,Phone\n1,2024-01-15,1 Pine St,503-555-0100\n2,2024-01-16,3 Pine St,503-555-0101\n",
    );
    done.says(
        0,
        &["kept with each signal, and not used otherwise: Phone (phone)"],
    );
}

#[test]
fn the_kind_of_a_shape_is_no_permit_type_and_odd_coordinates_are_named() {
    let feature = |n: u32, point: &str| {
        format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":{point}}},"properties":{{"permit_number":"{n}","issue_date":"2024-01-1{n}","address":"{n} Pine St","type":"New"}}}}"#
        )
    };
    let json = format!(
        r#"{{"type":"FeatureCollection","features":[{},{},{}]}}"#,
        feature(1, "[-89.6,39.7]"),
        feature(2, "[39.7,-89.6]"),
        feature(3, "[-9974000.1,4823000.2]")
    );
    let done = import(json);
    done.says(0, &["coordinates that are no place in degrees, ignored, first on line 3: \"-89.6, 39.7\", \"4823000.2, -9974000.1\""]);
    assert!(
        done.text.contains("New") && !done.text.contains("Feature"),
        "{}",
        done.text
    );
}

#[test]
fn files_that_are_no_tables_are_named_in_one_sentence() {
    let fixed: String = (1..9)
        .map(|n| format!("B24-{n}      2024-01-1{n}  {n} PINE STREET         RE-ROOF\n"))
        .collect();
    for (bytes, says) in [
        (b"PAR1\x15\x04\x15\x10".as_slice(), "the file is Parquet, not a table: "),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "the file is a 7z archive, not a table: unpack it"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "the file is compressed with zstd, not a table: unpack it"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "the file is a pointer to a file in Git LFS, not a table: "),
        (b"<html xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><table><tr><td>Permit</td></tr></table>", "the file is a web page with a table, as some portals name .xls, not a table: open it in a spreadsheet"),
        (b"[[\"permit_number\",\"issue_date\"],[\"1\",\"2024-01-15\"]]", "the file is JSON with lists of values instead of records, not a table: "),
        (br#"{"meta":{"view":{"name":"Permits","columns":[{"name":"sid"}]}},"data":[["row-1","1"],["row-2","2"]]}"#, "the file is JSON with lists of values instead of records, not a table: "),
        (br#"{"error":{"code":400,"message":"Invalid query"}}"#, "the file is an error message of the portal (Invalid query), not a table: "),
        (br#"{"message":"API rate limit exceeded","documentation_url":"https://x.test"}"#, "the file is an error message of the portal (API rate limit exceeded), not a table: "),
        (br#"{"P-1":{"address":"1 Pine St"},"P-2":{"address":"3 Pine St"}}"#, "the file is JSON without a list of records, not a table: "),
        (fixed.as_bytes(), "the file is text in columns of a fixed width, not a table: open it in a spreadsheet"),
        (b"INSERT INTO permits VALUES (1, 'x');\nINSERT INTO permits VALUES (2, 'y');\n", "the file is SQL, not a table: "),
        (b"Permit Number,Address,Decision Date\n1,1 Pine St,2024-01-15\n2,3 Pine St,2024-01-16\n", "no column says what was decided"),
    ] {
        let done = import(bytes);
        assert!(
            matches!(done.code, Some(1 | 2)) && done.text.contains(says) && done.signals.is_empty(),
            "{says}: {:?} {}",
            done.code,
            done.text
        );
    }
}

#[test]
fn a_layout_that_is_named_takes_the_answers_too() {
    let home = tempfile::tempdir().unwrap();
    let rows =
        "Permit Number,Issue Date,Address,City,Status\n1,2024-01-15,1 Pine St,Salem,Issued\n";
    import_in(home.path(), "a.csv", rows, &[]).says(0, &[]);
    let next = "Permit Number,Issue Date,Address,City,Status\n2,2024-01-16,3 Pine St,,Zorp\n";
    let layout = ["--layout", "a"];
    import_in(home.path(), "b.csv", next, &layout).says(
        2,
        &[
            "1 of 1 rows name no city",
            "what does \"Zorp\" mean",
            "2 questions to answer",
        ],
    );
    let answers = [
        "--layout",
        "a",
        "--city",
        "Keizer, OR",
        "--status",
        "*=active",
    ];
    let done = import_in(home.path(), "b.csv", next, &answers);
    done.says(0, &[]);
    assert_eq!(
        done.signals[1],
        "2 permit_issued 2024-01-16 | 3 Pine St, Keizer | -"
    );
}

#[test]
fn the_same_columns_written_in_another_way_are_inspected_again() {
    let home = tempfile::tempdir().unwrap();
    let city = ["--city", "Salem, OR"];
    let table = "Permit Number,Issue Date,Address\n1,2024-01-15,1 Pine St\n";
    import_in(home.path(), "may.csv", table, &city).says(0, &[]);
    let json = r#"[{"permit_number":"2","issue_date":"2024-01-16","address":"3 Pine St"}]"#;
    import_in(home.path(), "june.json", json, &city).says(0, &["wrote"]);
}

#[test]
fn statuses_that_are_only_half_known_are_no_states_of_a_country() {
    let done = import(
        "Nº Expediente;Fecha concesión;Dirección;Estado\n1;15/01/2024;Calle Mayor 1;Concedida\n\
        2;16/01/2024;Calle Mayor 2;Denegada\n3;17/01/2024;Calle Mayor 3;Sobreseída\n4;18/01/2024;Calle Mayor 4;En espera\n",
    );
    done.says(
        2,
        &[
            "Estado: what does \"Sobreseída\" mean for a permit (1 of 4 rows)?",
            "\"En espera\"",
        ],
    );
}

#[test]
fn a_note_is_shown_to_its_end() {
    let done = import(
        "Permit Number,Issue Date,Address,Description,Zip,Expiration Date,Last Updated,Phone,Email Address\n\
        1,2024-01-15,1 Pine St,new roof,97301,2025-01-15,2024-01-16,503-555-0100,jane@x.test\n",
    );
    let text = done.text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Phone (phone), Email Address (email)"),
        "{}",
        done.text
    );
}

#[test]
fn a_place_that_a_corrected_address_leaves_has_no_signals() {
    let home = tempfile::tempdir().unwrap();
    for address in ["4 Oak St", "44 Oak St"] {
        let file = format!(
            "Permit Number,Address,City,State,Issued Date\nP-1,{address},Springfield,IL,2024-03-04\n"
        );
        let done = import_in(home.path(), "permits.csv", file, &["--city", "Salem, OR"]);
        assert_eq!(done.code, Some(0), "{}", done.text);
    }
    let places =
        "SELECT primary_address || ' ' || signals_count || ' ' || ifnull(last_signal_at, '-')
        FROM projects ORDER BY 1";
    assert_eq!(
        query(home.path(), places),
        ["4 Oak St 0 -", "44 Oak St 1 1709510400000"]
    );
}

/// A file with permits `A1`, `A2`, … of a heading and rows behind the permit number.
fn numbered(heading: &str, rows: &[&str]) -> String {
    let rows = rows.iter().zip(1..).map(|(row, n)| format!("A{n},{row}\n"));
    format!("Permit Number,{heading}\n{}", rows.collect::<String>())
}

#[test]
fn a_time_on_the_hour_moves_no_date_where_it_is_no_midnight() {
    let days = |heading: &str, rows: &[&str]| {
        let done = import(numbered(heading, rows));
        done.says(0, &[]);
        let days = done.signals.iter().map(|signal| {
            let (_, rest) = signal.split_once(' ').unwrap();
            rest.split(" | ").next().unwrap().to_owned()
        });
        (days.collect::<Vec<String>>(), done.text)
    };
    for time in ["11:00", "12:00", "13:00", "17:00", "22:00", "23:00"] {
        let row = |day: u32| format!("2024-03-{day}T{time}:00Z,{day} Main St,Milford,MA");
        let (found, text) = days("Issue Date,Address,City,State", &[&row(14), &row(18)]);
        let right = ["permit_issued 2024-03-14", "permit_issued 2024-03-18"];
        assert_eq!(found, right, "{time}");
        let note = format!("Issue Date: 2024-03-14T{time}:00Z counts as 14 March");
        assert!(text.contains(&note), "{text}");
    }
    // noon, where nothing says where the city is
    let rows = [
        "1709640000000,1 Main St,Milford",
        "1709726400000,3 Main St,Milford",
    ];
    let (found, _) = days("Issue Date,Address,City", &rows);
    assert_eq!(
        found,
        ["permit_issued 2024-03-05", "permit_issued 2024-03-06"]
    );
    // midnights in one column say nothing about the times of another
    let rows = [
        "2024-03-04T15:00:00Z,2024-03-13T23:00:00Z,1 Weg,Köln,13.4",
        "2024-03-05T15:30:00Z,2024-07-14T22:00:00Z,3 Weg,Köln,13.5",
    ];
    let (found, _) = days("Filed Date,Issue Date,Address,City,Longitude", &rows);
    assert_eq!(
        found,
        [
            "permit_filed 2024-03-04",
            "permit_issued 2024-03-14",
            "permit_filed 2024-03-05",
            "permit_issued 2024-07-15",
        ]
    );
    // the place says that it is midnight
    let rows = [
        "2024-03-13T13:00:00Z,1 Pitt St,Sydney,NSW",
        "2024-06-13T14:00:00Z,3 Pitt St,Sydney,NSW",
    ];
    let (found, _) = days("Issue Date,Address,City,State", &rows);
    assert_eq!(
        found,
        ["permit_issued 2024-03-14", "permit_issued 2024-06-14"]
    );
}

#[test]
fn a_cost_counts_in_what_its_heading_says() {
    for (heading, value, cost) in [
        ("Valuation ($000)", "250", "250000.0"),
        ("est_cost_in_thousands", "12.5", "12500.0"),
        ("Baukosten in TEUR", "385", "385000.0"),
        ("Baukosten (T€)", "385", "385000.0"),
        ("Coût des travaux (k€)", "40", "40000.0"),
        ("Presupuesto (miles de euros)", "40", "40000.0"),
        ("Valor da obra (R$ mil)", "40", "40000.0"),
        ("Construction Cost ($M)", "1.5", "1500000.0"),
        ("Bausumme in Mio. EUR", "1.5", "1500000.0"),
        ("Cost (万円)", "2500", "25000000.0"),
        ("Cost (Rs. Lakhs)", "12", "1200000.0"),
        ("EST-VAL-CENTS", "000004850000", "48500.0"),
        // what a value says itself counts
        ("Valuation ($000)", "1.2M", "1200000.0"),
        ("Valuation", "385 TEUR", "385000.0"),
        ("T.I. Cost", "500", "500.0"),
        ("Value of work over $50 000", "60000", "60000.0"),
    ] {
        let row = format!("2024-03-14,1 Main St,{value}");
        let done = import(numbered(&format!("Issue Date,Address,{heading}"), &[&row]));
        done.says(0, &[]);
        let right = format!("A1 permit_issued 2024-03-14 | 1 Main St, Salem | {cost}");
        assert_eq!(done.signals, [right], "{heading}: {}", done.text);
    }
    let done = import(numbered(
        "Issue Date,Address,Valuation ($000)",
        &["2024-03-14,1 Main St,250"],
    ));
    done.says(0, &["Valuation ($000) is in units of 1000: 250 is 250,000"]);
    let costs_in = |heading: &str, value: &str, money: &str| {
        let row = format!("2024-03-14,1 Main St,{value}");
        import(numbered(&format!("Issue Date,Address,{heading}"), &[&row]))
            .says(0, &[&format!("costs are in {money}; gantry keeps")]);
    };
    costs_in("Valuation", "£500", "pounds");
    costs_in("Cost (CHF)", "500", "Swiss francs");
    costs_in("Valor da obra", "R$ 500", "reais");
}

#[test]
fn areas_in_square_meters_become_square_feet() {
    let home = tempfile::tempdir().unwrap();
    let file = numbered(
        "Issue Date,Address,City,Surface (m²)",
        &["2024-03-14,1 Main St,Salem,100"],
    );
    import_in(home.path(), "a.csv", file, &[]).says(
        0,
        &["Surface (m²) is in units of 10.7639 square feet: 100 is 1,076.39"],
    );
    let area = "SELECT CAST(gross_floor_area_sf AS TEXT) FROM projects";
    assert_eq!(query(home.path(), area), ["1076.39"]);
}

#[test]
fn codes_in_a_status_column_are_asked_however_it_is_called() {
    for heading in [
        "STATUSCODE",
        "STATUSCD",
        "CURRSTATUS",
        "ETAT_DAU",
        "Antragsstatus",
        "ESTADO_LICENCIA",
        "Stato della pratica",
    ] {
        let done = import(numbered(
            &format!("Issue Date,Address,{heading}"),
            &["2024-03-14,1 Main St,1", "2024-03-15,3 Main St,3"],
        ));
        let question = format!("{heading}: what does \"3\" mean for a permit");
        done.says(2, &[&question]);
    }
}

#[test]
fn x_and_y_in_degrees_are_the_place_and_others_are_named() {
    let home = tempfile::tempdir().unwrap();
    let heading = "Issue Date,Address,City,X,Y";
    let degrees = numbered(heading, &["2024-03-14,1 Elm St,Norwood,-71.2,42.19"]);
    import_in(home.path(), "a.csv", degrees, &[]).says(0, &[]);
    let place = "SELECT lat || ' ' || lng FROM projects";
    assert_eq!(query(home.path(), place), ["42.19 -71.2"]);
    let feet = numbered(heading, &["2024-03-14,1 Elm St,Norwood,741200.5,2904111.2"]);
    import(feet).says(0, &["X is not used: its values are not degrees"]);
}

#[test]
fn every_part_of_a_street_is_in_its_address() {
    let addresses = |heading: &str, rows: &[&str]| {
        let done = import(numbered(&format!("Issue Date,{heading}"), rows));
        done.says(0, &["2 new projects"]);
        let address = |signal: &String| {
            let place = signal.split(" | ").nth(1).unwrap();
            place.strip_suffix(", Salem").unwrap().to_owned()
        };
        done.signals.iter().map(address).collect::<Vec<_>>()
    };
    for heading in [
        "ADR_NUM_TER,ADR_TYPEVOIE_TER,ADR_LIBVOIE_TER",
        "ADR_NUM,ADR_TYPEVOIE,ADR_LIBVOIE",
        "NUM_VOIE,TYPE_VOIE,NOM_VOIE",
        "Num vía,Tipo de vía,Nombre de vía",
        "Número predial,Tipo logradouro,Rua",
        // a name that says nothing: its values do
        "Num vía,Kind,Nombre de vía",
    ] {
        let rows = ["2024-02-05,12,RUE,BELLECOUR", "2024-02-13,12,PL,BELLECOUR"];
        let right = ["12 RUE BELLECOUR", "12 PL BELLECOUR"];
        assert_eq!(addresses(heading, &rows), right, "{heading}");
    }
    // what is left of the columns that can be the permit's number
    let rows = ["2024-02-05,7,BELLECOUR", "2024-02-13,9,BELLECOUR"];
    let right = ["7 BELLECOUR", "9 BELLECOUR"];
    assert_eq!(addresses("Número,Nombre de vía", &rows), right);
    import("Permit Number,Issue Date,Street\n1,2024-02-05,Main St\n2,2024-02-06,Main St\n")
        .says(0, &["no column has the street number"]);
    for heading in [
        "House Number,House Number Suffix,Street Name",
        "Huisnummer,Huisletter,Straatnaam",
        "Hausnummer,Hausnummerzusatz,Straße",
        "Numéro de voirie,Bis Ter,Nom de rue",
    ] {
        let rows = ["2024-02-05,12,,MAIN ST", "2024-02-13,12,A,MAIN ST"];
        assert_eq!(
            addresses(heading, &rows),
            ["12 MAIN ST", "12 A MAIN ST"],
            "{heading}"
        );
    }
}

#[test]
fn firms_are_found_under_bilingual_trade_and_grouped_headings() {
    let done = import(numbered(
        "Issue Date,Address,Entrepreneur / Contractor,Propriétaire/Owner,Electrical Contractor,Sub Contractor",
        &["2024-02-05,1 Elm St,Roy inc.,Bay LLC,Volt Inc,Pipe Co"],
    ));
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "1 Elm St: Bay LLC, owner",
            "1 Elm St: Pipe Co, subcontractor",
            "1 Elm St: Roy inc., gc",
            "1 Elm St: Volt Inc, subcontractor",
        ]
    );
    let done = import(numbered(
        "Issue Date,Address,Contractor",
        &["2024-02-05,1 Elm St,Propriétaire / Owner"],
    ));
    assert!(done.firms.is_empty(), "{:?}", done.firms);
    let done = import(
        "City report,,,,,,,,,\n,,,Owner,,,Contractor,,,\nPermit,Issued,Job Site,Name,Address,City,Name,Address,City,Amount\n\
        M-1,02/13/2024,10 Pond Rd,Jo Hall,PO Box 3,Boston,Top Build LLC,99 Far Way,Concord,\"35,000\"\n\
        M-2,02/14/2024,12 Pond Rd,Dover Homes Inc,1 Hall Rd,Boston,Roof Pros Inc,5 Elm St,Nashua,\"9,800\"\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "10 Pond Rd: Jo Hall, Owner  ",
            "10 Pond Rd: Top Build LLC, gc",
            "12 Pond Rd: Dover Homes Inc, owner",
            "12 Pond Rd: Roof Pros Inc, gc",
        ]
    );
    assert_eq!(
        done.signals[0],
        "M-1 permit_issued 2024-02-13 | 10 Pond Rd, Salem | 35000.0"
    );
    let rows = [
        "2024-02-05,1 Elm St,Roy inc.",
        "2024-02-06,3 Elm St,Bay LLC",
    ];
    import(numbered("Issue Date,Address,Responsible", &rows))
        .says(0, &["Responsible is not used; it looks like firms"]);
}

#[test]
fn a_firm_with_dots_in_its_legal_form_is_no_person() {
    let done = import(numbered(
        "Issue Date,Address,Owner",
        &[
            "2024-02-05,1 Elm St,INMOSOL S.L.",
            "2024-02-06,3 Elm St,Groupe Bâtir ltée",
            "2024-02-07,5 Elm St,Budimex Sp. z o.o.",
            "2024-02-08,7 Elm St,Ann B. Smith",
        ],
    ));
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "1 Elm St: INMOSOL S.L., owner",
            "3 Elm St: Groupe Bâtir ltée, owner",
            "5 Elm St: Budimex Sp. z o.o., owner",
            "7 Elm St: Ann B. Smith, Owner  ",
        ]
    );
}

#[test]
fn a_state_behind_the_city_is_no_part_of_its_name() {
    let home = tempfile::tempdir().unwrap();
    let file = numbered(
        "Issue Date,Address,Municipality",
        &[
            "2024-02-05,12 Front St,Perth ON",
            "2024-02-06,14 Front St,\"Salem, OR 97301\"",
            "2024-02-07,16 Front St,El Paso TX 79901",
            "2024-02-08,18 Front St,São Paulo - SP",
            "2024-02-09,20 Front St,Coeur d'Alene",
        ],
    );
    import_in(home.path(), "a.csv", file, &[]).says(0, &[]);
    let cities = "SELECT city || ' | ' || ifnull(nullif(state, ''), '-') FROM projects ORDER BY primary_address";
    assert_eq!(
        query(home.path(), cities),
        [
            "Perth | ON",
            "Salem | OR",
            "El Paso | TX",
            "São Paulo | SP",
            "Coeur d'Alene | -",
        ]
    );
}

#[test]
fn words_instead_of_an_address_are_none() {
    let words = [
        "NO SITUS",
        "Unassigned",
        "0 VACANT LAND",
        "NO ADDRESS ASSIGNED",
        "00000 UNKNOWN",
        "Various locations",
        "Sans adresse",
        "Sin dirección",
        "TBD",
    ];
    let rows: Vec<String> = (words.iter().zip(1..))
        .map(|(word, n)| format!("2024-02-05,{word},00{n}"))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let done = import(numbered("Issue Date,Situs,APN", &rows));
    done.says(
        0,
        &[
            "9 new projects",
            "no address, only a parcel, first on line 2: \"NO SITUS\"",
        ],
    );
    assert_eq!(done.signals[0], "A1 permit_issued 2024-02-05 | , Salem | -");
    // in parts, and without a parcel
    import(numbered(
        "Issue Date,House Number,Street Name",
        &["2024-02-05,0,VACANT LAND", "2024-02-06,12,Vacant Land Rd"],
    ))
    .says(
        0,
        &[
            "1 permit",
            "no address or parcel, first on line 2: \"0 VACANT LAND\"",
        ],
    );
}

#[test]
fn dates_without_a_year_and_marks_of_footnotes_are_named_or_dropped() {
    import(numbered(
        "DATE,Address",
        &["3/4,10 Church St", "3/12,12 Church St"],
    ))
    .says(2, &["DATE: its dates have no year, such as 3/4"]);
    let done = import("Permit Number,Issue Date,Address\n24-1†,2024-02-05,12 Front St\n");
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        ["24-1 permit_issued 2024-02-05 | 12 Front St, Salem | -"]
    );
    let home = tempfile::tempdir().unwrap();
    let file = numbered("Issue Date,Address,City", &["2024-02-05,1 Elm St,Norwood"]);
    import_in(home.path(), "a.csv", file, &[]).says(0, &["no column has the state"]);
}

#[test]
fn the_address_of_the_site_is_that_of_no_owner_and_of_no_applicant() {
    let done = import(numbered(
        "Issue Date,House No,Street Name,Owner Street Address",
        &["2026-03-10,350,5 AVENUE,12 OCEAN BLVD"],
    ));
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        ["A1 permit_issued 2026-03-10 | 350 5 AVENUE, Salem | -"]
    );
    let done = import(numbered(
        "Issue Date,Address,Job Location",
        &["2026-01-14,PO Box 12,44 Bay Rd"],
    ));
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        ["A1 permit_issued 2026-01-14 | 44 Bay Rd, Salem | -"]
    );
}

#[test]
fn a_review_that_is_completed_completes_no_permit() {
    let done = import(numbered(
        "Filed Date,Issue Date,Address,Plan Review Completed Date",
        &["2026-01-08,2026-04-14,1 Main St,2026-01-22"],
    ));
    done.says(0, &[]);
    assert!(
        done.signals
            .iter()
            .all(|signal| !signal.contains("completion")),
        "{:?}",
        done.signals
    );
}

#[test]
fn a_decision_counts_when_the_procedure_is_closed() {
    let done = import(numbered(
        "Filed Date,Decision Date,Address,Application Status,Decision",
        &["2026-01-12,2026-03-06,1 Quay,APPLICATION FINALISED,Approved"],
    ));
    done.says(0, &[]);
    assert!(
        done.signals
            .contains(&"A1 entitlement_approval 2026-03-06 | 1 Quay, Salem | -".to_owned()),
        "{:?}",
        done.signals
    );
}

#[test]
fn a_permit_that_the_decision_says_is_issued_is_approved() {
    let text = "Numéro,Date de dépôt,Date de décision,Adresse,Commune,Décision\n\
        1,2026-09-01,2026-10-05,1 rue Elm,Lyon,Permis délivré\n\
        2,2026-09-02,2026-10-06,3 rue Elm,Lyon,Permis refusé\n\
        3,2026-09-03,2026-10-07,5 rue Elm,Lyon,Development permit issued\n\
        4,2026-09-03,2026-10-07,7 rue Elm,Lyon,Decision issued\n";
    let home = tempfile::tempdir().unwrap();
    let city = ["--city", "Salem, OR"];
    import_in(home.path(), "a.csv", text, &city)
        .says(2, &["Décision: what does \"Decision issued\" mean"]);
    let answer = ["--city", "Salem, OR", "--status", "Decision issued=applied"];
    let done = import_in(home.path(), "a.csv", text, &answer);
    done.says(0, &[]);
    let has = |signal: &str| done.signals.iter().any(|line| line.starts_with(signal));
    assert!(
        has("1 entitlement_approval 2026-10-05")
            && has("2 entitlement_denial 2026-10-06")
            && has("3 entitlement_approval 2026-10-07")
            && !has("4 entitlement_approval"),
        "{:?}",
        done.signals
    );
}

#[test]
fn a_status_about_something_else_than_the_permit_is_asked() {
    for status in [
        "Advice issued",
        "Correction letter issued",
        "Notice of violation issued",
        "Issued in error",
        "Reissue of void permit",
        "Renewal of expired permit",
        "Objection withdrawn",
        "Cancelled inspection",
        "Disposed of under Art 40",
    ] {
        let rows = format!("2026-03-10,1 Hill St,{status}");
        import(numbered("Issue Date,Address,Status", &[&rows]))
            .says(2, &[&format!("\"{status}\"")]);
    }
    // headings that decide, in other languages and in feeds of changes
    for heading in ["Resultat", "change_type"] {
        import(numbered(
            &format!("Issue Date,Address,{heading}"),
            &["2026-03-10,1 Hill St,Avslag"],
        ))
        .says(2, &["\"Avslag\""]);
    }
}

#[test]
fn a_list_in_a_cell_is_its_texts() {
    let address = |cell: &str| {
        let row = format!("2026-03-12,\"{}\"", cell.replace('"', "\"\""));
        let done = import(numbered("Issue Date,Address", &[&row]));
        done.says(0, &[]);
        done.signals
    };
    for (cell, street) in [
        (r#"["101 Main St","103 Main St"]"#, "101 Main St"),
        (r#"["12 Caf\u00e9 St"]"#, "12 Café St"),
        ("['101 Main St', '103 Main St']", "101 Main St"),
        ("{101 Main St,103 Main St}", "101 Main St"),
        (
            r#"[{"primary":false,"street":"9 Bill Ave"},{"primary":true,"street":"14 Site Ln"}]"#,
            "14 Site Ln",
        ),
        (r#"{"city":"Salem","address":"16 Site Ln"}"#, "16 Site Ln"),
        (
            r#"[{"street_number":18,"street":"Site Ln","city":"Salem"}]"#,
            "18 Site Ln",
        ),
    ] {
        let right = format!("A1 permit_issued 2026-03-12 | {street}, Salem | -");
        assert_eq!(address(cell), [right], "{cell}");
    }
    let json = r#"[{"number":"1","issued":"2026-03-12","address":["1 A St","2 A St"],"contractors":[
        {"name":"Acme Builders LLC","role":"General"},{"name":"Volt Electric Inc","role":"Electrical"}]},
        {"number":"2","issued":"2026-03-13","address":"3 A St","contractors":[]}]"#;
    let done = import(json);
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "1 A St: Acme Builders LLC, gc",
            "1 A St: Volt Electric Inc, gc"
        ]
    );
    let json = r#"[{"number":"1","issued":"2026-03-12","addresses":[
        {"primary":false,"street":"9 Bill Ave"},{"primary":true,"street":"14 Site Ln"}]}]"#;
    let done = import(json);
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        ["1 permit_issued 2026-03-12 | 14 Site Ln, Salem | -"]
    );
    // what has no address is named, and is none
    let row = r#"2026-03-12,"[{""id"":7}]""#;
    import(numbered("Issue Date,Address", &[row])).says(1, &["no address or parcel"]);
}

#[test]
fn a_column_of_currencies_says_what_costs_are_in() {
    let note = |rows: &[&str], heading: &str| {
        import(numbered(
            &format!("Issue Date,Address,Value{heading}"),
            rows,
        ))
        .text
    };
    let mixed = [
        "2026-03-10,1 A St,125000,EUR",
        "2026-03-11,3 A St,4500000,ALL",
        "2026-03-12,5 A St,80000,USD",
    ];
    for heading in [",Currency", ",Currency Code", ",Moneda"] {
        let text = note(&mixed, heading);
        let right =
            "some costs are in euros, ALL; gantry keeps the figures and shows them as dollars";
        assert!(text.contains(right), "{text}");
    }
    let mixed = [
        "2026-03-10,1 A St,EUR 125000",
        "2026-03-12,5 A St,CHF 80000",
    ];
    let text = note(&mixed, "");
    assert!(
        text.contains("costs are in euros, Swiss francs; gantry"),
        "{text}"
    );
    let text = note(&["2026-03-10,1 A St,125000,USD"], ",Currency");
    assert!(!text.contains("costs are in"), "{text}");
}

#[test]
fn a_state_whose_values_are_statuses_is_the_status() {
    for (heading, status) in [("Estado", "En trámite"), ("State", "Pending")] {
        let first = if heading == "State" {
            "Issued"
        } else {
            "Vigente"
        };
        let rows = [
            format!("2026-03-05,Av. Uno 1,{first}"),
            format!("2026-03-06,Av. Uno 3,{status}"),
        ];
        let done = import(numbered(
            &format!("Issue Date,Address,{heading}"),
            &[&rows[0], &rows[1]],
        ));
        done.says(0, &[]);
        assert_eq!(
            done.signals,
            [
                "A1 permit_issued 2026-03-05 | Av. Uno 1, Salem | -",
                "A2 permit_filed 2026-03-06 | Av. Uno 3, Salem | -",
            ]
        );
    }
    for state in ["New York", "Nuevo León"] {
        let row = format!("2026-03-05,1 A St,{state}");
        let home = tempfile::tempdir().unwrap();
        import_in(
            home.path(),
            "a.csv",
            numbered("Issue Date,Address,State", &[&row]),
            &["--city", "Salem"],
        )
        .says(0, &[]);
        assert_eq!(query(home.path(), "SELECT state FROM projects"), [state]);
    }
}

#[test]
fn a_table_that_is_no_list_of_permits_is_named_as_that() {
    import(
        "Survey Date,County,Place Name,1-unit Bldgs,Total Value\n202603,Travis,Austin,212,61000\n",
    )
    .says(
        2,
        &["this may not be a list of permits: no column has a permit number or an address"],
    );
}

#[test]
fn a_license_and_a_phone_beside_a_contractor_are_no_part_of_its_name() {
    let cells = [
        "CASCADE HOMES LLC (Lic# CASCAHL921KD) 253-555-0142",
        "CASCADE HOMES LLC - 253-555-0142",
        "CASCADE HOMES LLC",
        "CASCADE HOMES LLC Lic# 921KD",
        "\"CASCADE HOMES LLC\n253-555-0142\"",
        "\"CASCADE HOMES LLC, 12 Trade St, Tacoma WA 98402\"",
        "CASCADE HOMES LLC (Lic# 921KD) Exp 03/31/2027",
        "C/O CASCADE HOMES LLC",
    ];
    let row = |(nth, cell): (usize, &&str)| format!("2026-03-12,{nth} Elm St,{cell}");
    let rows: Vec<String> = cells.iter().enumerate().map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let home = tempfile::tempdir().unwrap();
    let text = numbered("Issue Date,Address,Contractor", &rows);
    let done = import_in(home.path(), "a.csv", text, &["--city", "Tacoma, WA"]);
    done.says(
        0,
        &["a license, an address or a person beside a name, left out"],
    );
    assert_eq!(
        query(
            home.path(),
            "SELECT name || ', ' || public_phone FROM accounts"
        ),
        ["CASCADE HOMES LLC, (253) 555-0142"]
    );
    // a firm in each line, each with its own phone
    let rows = ["2026-03-12,1 Elm St,\"Pine LLC 253-555-0142\nOak LLC 253-555-0199\""];
    let home = tempfile::tempdir().unwrap();
    let text = numbered("Issue Date,Address,Contractor", &rows);
    import_in(home.path(), "a.csv", text, &["--city", "Tacoma, WA"]).says(0, &[]);
    assert_eq!(
        query(
            home.path(),
            "SELECT name || ', ' || public_phone FROM accounts ORDER BY 1"
        ),
        ["Oak LLC, (253) 555-0199", "Pine LLC, (253) 555-0142"]
    );
}

#[test]
fn a_city_behind_the_street_is_the_city() {
    let home = tempfile::tempdir().unwrap();
    let rows = [
        "2026-10-05,\"12 Oak St, Edison, NJ 08817\"",
        "2026-10-06,\"40 Bay Ave\nPerth Amboy, NJ 08861\"",
        "2026-10-07,\"12 Oak St, Perth Amboy, NJ 08861\"",
    ];
    import_in(
        home.path(),
        "a.csv",
        numbered("Issue Date,Site Address", &rows),
        &[],
    )
    .says(0, &[]);
    let places = "SELECT primary_address || ', ' || city || ', ' || state FROM projects ORDER BY 1";
    let wanted = [
        "12 Oak St, Edison, NJ",
        "12 Oak St, Perth Amboy, NJ",
        "40 Bay Ave, Perth Amboy, NJ",
    ];
    assert_eq!(query(home.path(), places), wanted);
    // the next file has the same place, and one row without a city
    let row = "2026-10-08,99 Pine St";
    let next = numbered("Issue Date,Site Address", &[rows[0], row]);
    import_in(home.path(), "b.csv", next, &[]).says(2, &["1 of 2 rows name no city"]);
    // a column has the city too
    let home = tempfile::tempdir().unwrap();
    let rows = [
        "2026-10-05,\"12 Oak St, Edison, NJ 08817\",Edison,NJ",
        "2026-10-06,12 Oak St,Edison,NJ",
    ];
    let text = numbered("Issue Date,Address,City,State", &rows);
    import_in(home.path(), "a.csv", text, &[]).says(0, &[]);
    assert_eq!(query(home.path(), places), wanted[..1]);
}

#[test]
fn years_of_two_digits_are_named_with_their_century() {
    import(numbered("Issue Date,Address", &["3/14/23,218 Oak St"])).says(
        0,
        &["years have two digits: 3/14/23 in Issue Date is in 2023"],
    );
}

#[test]
fn greek_in_its_code_page_is_offered_with_its_letters() {
    let text = "No;Issue Date;Address\n1;2026-03-12;Αθήνα οδός 12\n";
    let greek = |c: char| match c {
        c if c.is_ascii() => c as u8,
        'ή' => 0xde,
        'ό' => 0xfc,
        'ς' => 0xf2,
        c => (c as u32 - 0x391) as u8 + 0xc1,
    };
    let bytes: Vec<u8> = text.chars().map(greek).collect();
    import(bytes).says(2, &["\"Αθήνα οδός 12\" in Windows-1253"]);
}

#[test]
fn a_row_of_dashes_below_the_header_raises_no_question() {
    let rows = [
        "----------,--------------------,----------",
        "2026-03-12,1 Lake Rd,Acton",
    ];
    let text = format!(
        "Number,Issue Date,Address,City\n--,{}\nA1,{}\n",
        rows[0], rows[1]
    );
    let home = tempfile::tempdir().unwrap();
    let done = import_in(home.path(), "a.csv", text, &[]);
    done.says(0, &["1 row rejected: no permit number"]);
    assert_eq!(
        done.signals,
        ["A1 permit_issued 2026-03-12 | 1 Lake Rd, Acton | -"]
    );
}

#[test]
fn a_city_behind_the_street_that_is_another_than_that_of_the_row_stays() {
    let home = tempfile::tempdir().unwrap();
    let rows = [
        "2026-10-05,\"10 Main St, Chatham, IL 62629\",Springfield,IL",
        "2026-10-06,\"10 Main St, Auburn, IL 62615\",Springfield,IL",
    ];
    let text = numbered("Issue Date,Address,City,State", &rows);
    import_in(home.path(), "a.csv", text, &[]).says(0, &[]);
    assert_eq!(
        query(
            home.path(),
            "SELECT primary_address FROM projects ORDER BY 1"
        ),
        [
            "10 Main St, Auburn, IL 62615",
            "10 Main St, Chatham, IL 62629"
        ]
    );
}

#[test]
fn the_same_lot_of_two_subdivisions_is_no_place() {
    let rows = [
        "2026-10-05,LOT 7 BLOCK 2,R1",
        "2026-10-06,LOT 7 BLOCK 2,R2",
        "2026-10-07,Various Lots,",
        "2026-10-08,*** REDACTED ***,1.23457E+11",
    ];
    let done = import(numbered("Issue Date,Address,SBL", &rows));
    done.says(
        0,
        &[
            "no address, only a parcel",
            "2 rows rejected: no address or parcel",
        ],
    );
    assert_eq!(done.signals.len(), 2);
}

#[test]
fn tags_and_signs_without_a_width_are_no_part_of_a_value() {
    let text = "Permit,Issue Date,Address,Contractor\n\
        <a href=\"\"/p?id=8\"\">B-1</a>,2026-10-05,<p>12 Main St</p><p>Unit 2</p>,<b>Smith &amp;amp; Sons LLC</b>\n\
        \u{feff}2,2026-10-06,\u{200b}7 Elm St <rear>,Caf&eacute; LLC <a@cafe.example>\n";
    let done = import(text);
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "2 permit_issued 2026-10-06 | 7 Elm St <rear>, Salem | -",
            "B-1 permit_issued 2026-10-05 | 12 Main St Unit 2, Salem | -",
        ]
    );
    assert_eq!(
        done.firms,
        [
            "12 Main St Unit 2: Smith & Sons LLC, gc",
            "7 Elm St <rear>: Café LLC, gc"
        ]
    );
    for address in ["1204%20W%20Oak%20St", "12+Main+St"] {
        let encoded = numbered("Issue Date,Address", &[&format!("2026-10-05,{address}")]);
        import(encoded).says(2, &[&format!("\"{address}\" is garbled")]);
    }
}

#[test]
fn a_header_in_another_order_is_named() {
    let text = "Number,Issue Date,Address,Owner,Contractor\n\
        1,2026-09-14,1 Lake Rd,Fox LLC,Pine Builders LLC\n\
        Number,Issue Date,Address,Contractor,Owner\n\
        2,2026-10-14,7 Lake Rd,Bear Homes Inc,Owl LLC\n";
    import(text).says(1, &["a header with its columns in another order"]);
}

#[test]
fn a_column_that_does_not_hold_what_its_name_says_is_named() {
    let rows = [
        "2026-09-14,1 Lake Rd,Pine Builders LLC",
        "2026-09-15,3 Lake Rd,\"81,000\"",
        "2026-09-16,5 Lake Rd,12000",
    ];
    import(numbered("Issue Date,Address,Contractor", &rows)).says(
        0,
        &["Contractor is not used as the contractor: only 1 of its 3 values fits"],
    );
    let rows = [
        "2026-10-13,1 Depot St,Yes",
        "2026-10-14,2 Depot St,",
        "2026-10-15,3 Depot St,No",
    ];
    import(numbered("Permit Date,Address,Issued", &rows)).says(
        0,
        &["Issued is not used, because only 2 of 3 rows say yes or no"],
    );
}

#[test]
fn a_permit_date_with_another_word_is_no_issue_date_beside_one() {
    let rows = ["2026-10-05,2026-11-13,210 Redbud Ln"];
    for heading in ["Permit Issued On", "Permit Issued", "Date Permit Issued"] {
        let text = numbered(&format!("{heading},Operation Permit Date,Address"), &rows);
        let done = import(text);
        assert_eq!(
            done.signals,
            ["A1 permit_issued 2026-10-05 | 210 Redbud Ln, Salem | -"],
            "{}",
            done.text
        );
    }
}

#[test]
fn a_street_without_its_name_is_no_place() {
    let done = import(
        "Permit,Issued,APN,SITUS_HOUSE,SITUS_STREET,SITUS_TYPE\n1,2024-01-15,11,1820,OSBORN,RD\n\
        2,2024-01-16,12,900,CAMELBACK,RD\n3,2024-01-17,13,4700,VIA LINDA,\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2024-01-15 | 1820 OSBORN RD, Salem | -",
            "2 permit_issued 2024-01-16 | 900 CAMELBACK RD, Salem | -",
            "3 permit_issued 2024-01-17 | 4700 VIA LINDA, Salem | -",
        ]
    );
    let home = tempfile::tempdir().unwrap();
    let done = import_in(
        home.path(),
        "a.csv",
        "Permit,Issued,APN,Street Type\n1,2024-01-15,11,RD\n2,2024-01-16,12,RD\n",
        &["--city", "Salem, OR"],
    );
    done.says(0, &["kept with each signal, and not read: Street Type"]);
    let places = query(home.path(), "SELECT name FROM projects");
    assert_eq!(places.len(), 2, "{places:?}");
}

#[test]
fn a_phone_belongs_to_the_firm_that_its_heading_names() {
    let header = "Permit,Issued,Address,Owner,Installer";
    for (heading, whose) in [
        ("Installer Phone", "Sun Inc"),
        ("Installer's Work Phone", "Sun Inc"),
        ("Owner Phone", "Acme LLC"),
        ("Phone", "Sun Inc"),
        ("Inspector Phone", ""),
        ("Agent Phone", ""),
        ("Contact Phone", ""),
    ] {
        let home = tempfile::tempdir().unwrap();
        let text = format!(
            "{header},{heading}\n1,2024-01-15,1 Pine St,Acme LLC,Sun Inc,503-555-0101\n\
            2,2024-01-16,3 Pine St,Acme LLC,Sun Inc,503-555-0101\n"
        );
        let done = import_in(home.path(), "a.csv", text, &["--city", "Salem, OR"]);
        done.says(0, &[]);
        let reached = "SELECT name FROM accounts WHERE public_phone IS NOT NULL";
        assert_eq!(query(home.path(), reached).concat(), whose, "{heading}");
        if whose.is_empty() {
            done.says(0, &[&format!("not used otherwise: {heading} (phone)")]);
        }
    }
}

#[test]
fn the_state_behind_an_address_counts_beside_a_column_of_cities() {
    let home = tempfile::tempdir().unwrap();
    let text = "Permit,Issued,Site Address,City\n1,2024-03-25,\"1 Rainier Ct, Lakewood, WA 98498\",Lakewood\n";
    import_in(home.path(), "a.csv", text, &[]).says(0, &[]);
    let place = query(
        home.path(),
        "SELECT primary_address || ', ' || city || ', ' || state FROM projects",
    );
    assert_eq!(place, ["1 Rainier Ct, Lakewood, WA"]);
}

#[test]
fn firms_and_couples_are_told_apart() {
    let header = "Permit,Issued,Address,Owner\n";
    for (name, is_firm) in [
        ("Gastro Franken GmbH", true),
        ("Huber e.K.", true),
        ("Nord ApS", true),
        ("Smith & Sons", true),
        ("Mr & Mrs Tawhai", false),
        ("\"HOBBS, JAMES T & ANNA\"", false),
        ("DAVIS E & M", false),
        ("M & R Painting", true),
        ("\"Skidmore, Owings & Merrill\"", true),
        ("DAVIS R & M", false),
    ] {
        let home = tempfile::tempdir().unwrap();
        let text = format!("{header}1,2024-01-15,1 Pine St,{name}\n");
        import_in(home.path(), "a.csv", text, &["--city", "Salem, OR"]).says(0, &[]);
        let firms = query(home.path(), "SELECT name FROM accounts");
        assert_eq!(!firms.is_empty(), is_firm, "{name}");
    }
}

#[test]
fn what_stands_below_or_beside_a_firm_is_no_firm() {
    let home = tempfile::tempdir().unwrap();
    let text = "Permit,Issued,Address,Contractor\n\
        1,2024-01-15,1 Pine St,\"WHITE PINE LLC\nPO BOX 44, DOVER MA 02030\n(508) 555-0112\"\n\
        2,2024-01-16,2 Pine St,\"BAY INC\n11 MILL ST\nNATICK, MA 01760\nATTN: JOE SMITH\nExp 06/30/2025\"\n\
        3,2024-01-17,3 Pine St,Signs LLC (Bob Ray 214-555-0155)\n\
        4,2024-01-18,4 Pine St,Gamma Inc 214-555-0158 / Beta LLC 214-555-0159\n\
        5,2024-01-19,5 Pine St,Self build\n6,2024-01-20,6 Pine St,Property owner to perform work\n";
    import_in(home.path(), "a.csv", text, &["--city", "Salem, OR"]).says(0, &[]);
    let firms = query(
        home.path(),
        "SELECT name || ' ' || ifnull(public_phone, '-') FROM accounts ORDER BY 1",
    );
    assert_eq!(
        firms,
        [
            "BAY INC -",
            "Beta LLC (214) 555-0159",
            "Gamma Inc (214) 555-0158",
            "Signs LLC (214) 555-0155",
            "WHITE PINE LLC (508) 555-0112",
        ]
    );
}

#[test]
fn a_number_of_the_house_beside_the_street_is_part_of_the_address() {
    let done = import(
        "Permit,Issued,Logradouro,Número\n1,2024-01-15,Rua XV,120\n2,2024-01-16,Rua XV,98\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2024-01-15 | Rua XV 120, Salem | -",
            "2 permit_issued 2024-01-16 | Rua XV 98, Salem | -",
        ]
    );
}

#[test]
fn people_keep_the_role_that_a_column_names() {
    let done = import(
        "Permit No,Issued Date,Address,Contact Type,Contact Name\n1,2026-04-22,1 Fox Rd,Owner,Rachel Stone\n\
        1,2026-04-22,1 Fox Rd,Architect,Sue Ames\n1,2026-04-22,1 Fox Rd,Contractor,Six Degrees LLC\n",
    );
    done.says(0, &[]);
    assert_eq!(
        done.firms,
        [
            "1 Fox Rd: Rachel Stone, Owner  ",
            "1 Fox Rd: Six Degrees LLC, gc",
            "1 Fox Rd: Sue Ames, Architect  ",
        ]
    );
}

#[test]
fn an_object_of_json_that_is_null_in_one_record_hides_nothing() {
    let done = import(
        r#"[{"permit_number":"1","issued_at":"2026-01-15","address":"1 Pine St","contractor":{"name":"Ace LLC","phone":"503-555-0101"}},
        {"permit_number":"2","issued_at":"2026-01-16","address":"2 Pine St","contractor":null}]"#,
    );
    done.says(0, &[]);
    assert_eq!(done.firms, ["1 Pine St: Ace LLC, gc"]);
}

#[test]
fn codes_that_look_like_kinds_of_streets_are_none_away_from_the_street() {
    let done = import(
        "Permit No,Insp,Street No,Street Name,Issued\n1,DR,12,Main St,2026-09-14\n\
        2,DR,14,Oak Ave,2026-09-15\n3,CT,17,Elm Dr,2026-09-16\n",
    );
    done.says(0, &["not read: Insp"]);
    assert_eq!(
        done.signals[0],
        "1 permit_issued 2026-09-14 | 12 Main St, Salem | -"
    );
}

#[test]
fn a_phone_beside_a_column_of_roles_reaches_each_of_its_firms() {
    let home = tempfile::tempdir().unwrap();
    let text = "Permit,Issued,Address,Contact Type,Contact Name,Contact Phone\n\
        1,2026-07-28,1 Cedar Ln,Contractor,Armstead Inc,970-555-0102\n\
        1,2026-07-28,1 Cedar Ln,Owner,Marcy Bloom,970-555-0101\n";
    import_in(home.path(), "a.csv", text, &["--city", "Salem, OR"]).says(0, &[]);
    let phones = query(
        home.path(),
        "SELECT name || ' ' || public_phone FROM accounts UNION SELECT name || ' ' || phone FROM contacts ORDER BY 1",
    );
    assert_eq!(
        phones,
        ["Armstead Inc (970) 555-0102", "Marcy Bloom (970) 555-0101"]
    );
}

#[test]
fn a_planned_completion_and_an_inspection_that_may_have_failed_complete_nothing() {
    let done = import(
        "Permit Number,Status,Issued Date,Completion Date,Address\n\
        1,Issued,2026-02-05,2099-07-31,1 Oak St\n2,Under Construction,2026-02-06,2026-05-01,2 Oak St\n\
        3,Issued,2026-02-07,2026-05-02,3 Oak St\n",
    );
    let what = "a completion date to come, or that of an inspection or certificate that completes nothing: left out";
    done.says(0, &[what]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2026-02-05 | 1 Oak St, Salem | -",
            "2 permit_issued 2026-02-06 | 2 Oak St, Salem | -",
            "3 completion 2026-05-02 | 3 Oak St, Salem | -",
            "3 permit_issued 2026-02-07 | 3 Oak St, Salem | -",
        ]
    );
    let done = import(
        "Permit Number,Status,Issued Date,Final Inspection Date,Final Inspection Result,Address\n\
        1,Active,2026-01-05,2026-02-05,Corrections Required,1 Oak St\n\
        3,Final Inspection Complete,2026-01-07,2026-02-07,Passed,3 Oak St\n\
        2,Final,2026-01-06,2026-02-06,Passed,2 Oak St\n",
    );
    done.says(0, &[what]);
    assert_eq!(
        done.signals,
        [
            "1 permit_issued 2026-01-05 | 1 Oak St, Salem | -",
            "2 completion 2026-02-06 | 2 Oak St, Salem | -",
            "2 permit_issued 2026-01-06 | 2 Oak St, Salem | -",
            "3 completion 2026-02-07 | 3 Oak St, Salem | -",
            "3 permit_issued 2026-01-07 | 3 Oak St, Salem | -",
        ]
    );
}

#[test]
fn the_day_of_an_approval_ends_no_permit_and_counts_until_it_is_issued() {
    let done = import(
        "Permit Number,Status,Application Date,Approved Date,Issued Date,Address\n\
        1,Issued,2026-01-06,2026-01-20,2026-01-22,1 Oak St\n2,Cancelled,2026-01-08,2026-01-25,,2 Oak St\n\
        3,Ready to Issue,2026-01-13,2026-02-03,,3 Oak St\n",
    );
    done.says(
        0,
        &[
            "Approved Date counts for permits that have no date in Issued Date",
            "completed or ended by its status, and no date says when: on its last day",
        ],
    );
    assert_eq!(
        done.signals,
        [
            "1 permit_filed 2026-01-06 | 1 Oak St, Salem | -",
            "1 permit_issued 2026-01-22 | 1 Oak St, Salem | -",
            "2 withdrawal 2026-01-25 | 2 Oak St, Salem | -",
            "3 entitlement_approval 2026-02-03 | 3 Oak St, Salem | -",
            "3 permit_filed 2026-01-13 | 3 Oak St, Salem | -",
        ]
    );
}

#[test]
fn who_builds_without_a_firm_is_none() {
    let mut text = "Permit Number,Issued,Address,Contractor\n".to_owned();
    let nobody = [
        "myself",
        "me",
        "In-house",
        "Unlicensed",
        "HOMEOWNER EXEMPT",
        "Applicant",
    ];
    for (n, name) in nobody.iter().enumerate() {
        text += &format!("{n},2026-01-05,{n} Oak St,{name}\n");
    }
    text += "9,2026-01-05,9 Oak St,ME Builders\n";
    assert_eq!(import(text).firms, ["9 Oak St: ME Builders, gc"]);
}

#[test]
fn phones_and_e_mail_addresses_in_a_json_list_of_firms_are_read() {
    let home = tempfile::tempdir().unwrap();
    let json = r#"[{"permit_number":"1","issued_at":"2026-01-15","address":"1 Pine St","contractors":[
        {"name":"Ace LLC","phone":"503-555-0101","email":"office@ace.example"},{"name":"Bee Inc","phoneNo":"5035550102"}]},
        {"permit_number":"2","issued_at":"2026-01-16","address":"2 Pine St","contractors":[]}]"#;
    import_in(home.path(), "a.json", json, &["--city", "Salem, OR"]).says(0, &[]);
    let firms = query(
        home.path(),
        "SELECT name || ' ' || public_phone || ' ' || coalesce(public_email, '') FROM accounts ORDER BY 1",
    );
    assert_eq!(
        firms,
        [
            "Ace LLC (503) 555-0101 office@ace.example",
            "Bee Inc (503) 555-0102 "
        ]
    );
}

#[test]
fn a_temporary_certificate_beside_a_status_completes_nothing() {
    let done = import(
        "Permit Number,Site Address,Issued Date,CO Issued Date,CO Type,Status\n\
        1,12 Bay St,2026-02-12,2026-03-14,Final,CO Issued\n\
        2,80 Carteret St,2026-03-04,2026-03-28,Temporary,CO Issued\n",
    );
    done.says(
        0,
        &["a completion date to come, or that of an inspection or certificate that completes nothing: left out"],
    );
    assert_eq!(
        done.signals,
        [
            "1 completion 2026-03-14 | 12 Bay St, Salem | -",
            "1 permit_issued 2026-02-12 | 12 Bay St, Salem | -",
            "2 permit_issued 2026-03-04 | 80 Carteret St, Salem | -",
        ]
    );
    let done = import(
        "Job Number,Address,C O Issue Date,Application Status,Filing Status Raw\n\
        1,12 Bay St,2026-03-14,CO Issued,FINAL CERTIFICATE OF OCCUPANCY ISSUED\n\
        2,80 Carteret St,2026-03-28,CO Issued,TEMPORARY CERTIFICATE OF OCCUPANCY ISSUED\n",
    );
    assert_eq!(
        done.signals,
        ["1 completion 2026-03-14 | 12 Bay St, Salem | -"]
    );
}

#[test]
fn a_closed_application_is_asked_and_an_unissued_status_beside_an_issue_is_named() {
    import(
        "Permit Number,Status,Issued Date,Address\n1,Permit application closed,2026-02-14,1 Oak St\n",
    )
    .says(2, &["what does \"Permit application closed\" mean for a permit"]);
    let done =
        import("Permit Number,Status,Issued Date,Address\n1,Under Review,2026-02-14,1 Oak St\n");
    done.says(
        0,
        &["an issue date, but a status that says it is not issued yet: imported as filed, first on line 2: \"Under Review\""],
    );
}

#[test]
fn a_firm_in_idaho_keeps_its_name_and_a_note_about_a_company_is_no_certificate() {
    let done = import(
        "Permit Number,Status,Issued Date,Completed Date,Address,Contractor,Notes\n\
        1,Finaled,2026-02-14,2026-03-14,1 Oak St,\"Bolt Electric Inc, 12 Trade St, Boise, ID 83702\",Temp fence by Smith Co\n\
        2,Finaled,2026-02-15,2026-03-15,2 Oak St,,temp power pole; final passed\n",
    );
    assert_eq!(done.firms, ["1 Oak St: Bolt Electric Inc, gc"]);
    let is_completion = |signal: &&String| signal.contains(" completion ");
    assert_eq!(done.signals.iter().filter(is_completion).count(), 2);
}
