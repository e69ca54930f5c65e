//! Files with several rows for a permit, or several permits at an address, imported by the command:
//! the last word about each counts, whatever order the rows have and however often they are read.

use std::path::Path;

use super::import_kinds::{Done, import_in, query};

const SALEM: [&str; 2] = ["--city", "Salem, OR"];
const BY_NUMBER: [&str; 4] = ["--city", "Salem, OR", "--key", "number"];

/// Imports lines in a new home, twice: the second time changes nothing.
fn import_twice(lines: &[&str], arguments: &[&str]) -> Done {
    let home = tempfile::tempdir().unwrap();
    let text = lines.join("\n");
    let first = import_in(home.path(), "a.csv", &text, arguments);
    if first.code == Some(0) {
        let again = import_in(home.path(), "a.csv", &text, arguments);
        assert_eq!(again.signals, first.signals, "{}", again.text);
        assert!(again.text.contains("signals unchanged"), "{}", again.text);
    }
    first
}

/// The same with the rows in the order of the file and in the other.
#[track_caller]
fn assert_signals(header: &str, rows: &[&str], arguments: &[&str], expected: &[&str]) {
    let mut lines = vec![header];
    lines.extend(rows);
    for _ in 0..2 {
        let done = import_twice(&lines, arguments);
        done.says(0, &[]);
        assert_eq!(done.signals, expected, "{}", done.text);
        let new = format!("{} new signal", expected.len());
        assert!(done.text.contains(&new), "{new}: {}", done.text);
        lines[1..].reverse();
    }
}

/// Projects as `address: stage disposition cost`.
fn projects(home: &Path) -> Vec<String> {
    query(
        home,
        "SELECT primary_address || ': ' || stage || ' ' || disposition || ' ' || ifnull(cost_of_construction_usd, '-')
        FROM projects ORDER BY 1",
    )
}

const HEADER: &str = "Permit Number,Status,Issue Date,Address,Valuation";

#[test]
fn the_newest_row_of_a_permit_says_what_became_of_it() {
    assert_signals(
        HEADER,
        &[
            "1,Issued,2024-02-05,1 Pine St,10000",
            "2,Issued,2024-02-06,3 Pine St,20000",
            "2,Revoked,2024-03-12,3 Pine St,20000",
            "3,Refused,2024-02-13,5 Pine St,30000",
            "3,Issued,2024-04-20,5 Pine St,30000",
            "4,Issued,2024-02-07,7 Pine St,40000",
            "4,Revoked,2024-02-07,7 Pine St,40000",
            "5,Issued,2024-02-08,9 Pine St,50000",
            "5,Revoked,2024-03-08,9 Pine St,50000",
            "5,Reinstated,2024-04-08,9 Pine St,50000",
        ],
        &BY_NUMBER,
        &[
            "1 permit_issued 2024-02-05 | 1 Pine St, Salem | 10000.0",
            "2 withdrawal 2024-03-12 | 3 Pine St, Salem | 20000.0",
            "3 permit_issued 2024-04-20 | 5 Pine St, Salem | 30000.0",
            "4 withdrawal 2024-02-07 | 7 Pine St, Salem | 40000.0",
            "5 permit_issued 2024-02-08 | 9 Pine St, Salem | 50000.0",
        ],
    );
}

#[test]
fn an_amendment_leaves_the_first_issue_and_its_cost() {
    assert_signals(
        "Permit Number,Issue Date,Address,Valuation",
        &[
            "1,2024-02-05,1 Pine St,250000",
            "1,2024-03-11,1 Pine St,15000",
        ],
        &BY_NUMBER,
        &["1 permit_issued 2024-02-05 | 1 Pine St, Salem | 250000.0"],
    );
}

#[test]
fn a_later_file_that_ends_a_permit_or_brings_it_back_leaves_nothing_beside() {
    let home = tempfile::tempdir().unwrap();
    let file = |status: &str| format!("{HEADER}\n1,{status},2024-02-05,1 Pine St,10000\n");
    for (status, signal) in [
        ("Issued", "permit_issued"),
        ("Cancelled", "withdrawal"),
        ("Expired", "expiration"),
        ("Issued", "permit_issued"),
    ] {
        let done = import_in(home.path(), "a.csv", file(status), &SALEM);
        assert_eq!(
            done.signals,
            [format!(
                "1 {signal} 2024-02-05 | 1 Pine St, Salem | 10000.0"
            )],
            "{}",
            done.text
        );
    }
    assert_eq!(
        projects(home.path()),
        ["1 Pine St: permitted active 10000.0"]
    );
}

#[test]
fn a_permit_that_is_still_applied_for_is_filed_and_not_issued() {
    assert_signals(
        HEADER,
        &[
            "1,Issued,2024-02-05,1 Pine St,10000",
            "2,Application received,2024-02-06,3 Pine St,20000",
            "3,In review,2024-02-07,5 Pine St,20000",
            "4,Application received,2024-02-08,7 Pine St,20000",
            "4,Issued,2024-03-08,7 Pine St,20000",
        ],
        &BY_NUMBER,
        &[
            "1 permit_issued 2024-02-05 | 1 Pine St, Salem | 10000.0",
            "2 permit_filed 2024-02-06 | 3 Pine St, Salem | 20000.0",
            "3 permit_filed 2024-02-07 | 5 Pine St, Salem | 20000.0",
            "4 permit_filed 2024-02-08 | 7 Pine St, Salem | 20000.0",
            "4 permit_issued 2024-03-08 | 7 Pine St, Salem | 20000.0",
        ],
    );
}

#[test]
fn a_permit_that_ended_decides_nothing_for_others_at_its_address() {
    let home = tempfile::tempdir().unwrap();
    let key = ["--city", "Salem, OR", "--key", "number,Trade"];
    let text = "Permit Number,Trade,Issue Date,Address,Valuation,Status\n\
        1,BLDG,2024-02-05,44 Lake Dr,150000,Issued\n1,ELEC,2024-02-28,44 Lake Dr,18000,Issued\n\
        1,PLUM,2024-03-06,44 Lake Dr,22000,Cancelled\n2,BLDG,2024-02-06,46 Lake Dr,9000,Cancelled\n\
        2,PLUM,2024-02-07,46 Lake Dr,2000,Denied\n3,BLDG,2020-02-07,48 Lake Dr,900000,Issued\n\
        3,ROOF,2024-02-07,48 Lake Dr,7000,Issued\n4,BLDG,2024-02-07,50 Lake Dr,1000,Issued\n\
        4,PLUM,2024-02-08,50 Lake Dr,70000,Cancelled\n";
    import_in(home.path(), "a.csv", text, &key).says(0, &[]);
    assert_eq!(
        projects(home.path()),
        [
            "44 Lake Dr: permitted active 150000.0",
            "46 Lake Dr: proposed denied 9000.0",
            "48 Lake Dr: permitted active 7000.0",
            "50 Lake Dr: permitted active 1000.0",
        ]
    );
}

#[test]
fn a_finished_part_finishes_no_project_while_another_permit_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let key = ["--city", "Salem, OR", "--key", "number,Trade"];
    let text = "Permit Number,Trade,Issue Date,Completed Date,Address,Valuation\n\
        1,DEMOLITION,2024-02-02,2024-04-01,44 Lake Dr,18000\n2,BLDG,2024-03-15,,44 Lake Dr,940000\n\
        3,BLDG,2024-03-13,,46 Lake Dr,2400000\n3,MECH,2024-03-25,2024-09-30,46 Lake Dr,120000\n\
        4,BLDG,2024-03-13,2025-01-10,48 Lake Dr,50000\n4,MECH,2024-03-25,2024-09-30,48 Lake Dr,5000\n\
        5,BLDG,2020-03-13,,50 Lake Dr,50000\n6,BLDG,2024-03-25,2024-09-30,50 Lake Dr,5000\n";
    import_in(home.path(), "a.csv", text, &key).says(0, &[]);
    let expected = [
        "44 Lake Dr: permitted active 940000.0",
        "46 Lake Dr: permitted active 2400000.0",
        "48 Lake Dr: completed completed 50000.0",
        // a permit of years ago says nothing about this one
        "50 Lake Dr: completed completed 5000.0",
    ];
    assert_eq!(projects(home.path()), expected);

    // one that was cancelled does not go on, and the rows of one permit are one
    let home = tempfile::tempdir().unwrap();
    let text = "Permit Number,Status,Issue Date,Completed Date,Address\n\
        1,Cancelled,2024-02-02,,44 Lake Dr\n2,Issued,2024-03-15,2024-06-01,44 Lake Dr\n\
        3,Issued,2024-03-13,,46 Lake Dr\n3,Finaled,2024-03-13,2024-09-30,46 Lake Dr\n";
    import_in(home.path(), "b.csv", text, &BY_NUMBER).says(0, &[]);
    assert_eq!(
        projects(home.path()),
        [
            "44 Lake Dr: completed completed -",
            "46 Lake Dr: completed completed -",
        ]
    );
}

#[test]
fn a_no_in_the_column_of_issues_issues_no_permit() {
    for heading in ["Issued", "Permit Issued?"] {
        let header = format!("Permit Number,Date,{heading},Address");
        let lines = [
            header.as_str(),
            "1,2024-03-13,Yes,1 Cove Rd",
            "2,2024-03-16,No,3 Cove Rd",
        ];
        let done = import_twice(&lines, &["--city", "Salem, OR", "--column", "Date=issued"]);
        done.says(0, &[]);
        assert_eq!(
            done.signals,
            [
                "1 permit_issued 2024-03-13 | 1 Cove Rd, Salem | -",
                "2 permit_filed 2024-03-16 | 3 Cove Rd, Salem | -",
            ]
        );
    }
}

#[test]
fn the_result_of_an_inspection_ends_no_permit() {
    for (heading, results) in [
        ("Result", ["Approved", "Denied", "Cancelled"]),
        ("Inspection Status", ["Pass", "Fail", "Cancelled"]),
    ] {
        let header = format!(
            "Inspection ID,Permit Number,Inspection Type,Inspection Date,{heading},Address"
        );
        let rows: Vec<String> = results
            .iter()
            .zip(1..)
            .map(|(result, n)| format!("{n},B{n},Footing,2024-03-1{n},{result},{n} Mill Rd"))
            .collect();
        let lines: Vec<&str> = std::iter::once(&header)
            .chain(&rows)
            .map(String::as_str)
            .collect();
        import_twice(&lines, &SALEM).says(
            2,
            &["these look like inspections, not permits: answer with --column 'HEADING=filed'"],
        );
        let answer = ["--city", "Salem, OR", "--column", "Inspection Date=issued"];
        let done = import_twice(&lines, &answer);
        done.says(0, &["this looks like inspections, not permits"]);
        assert_eq!(
            done.signals,
            [1, 2, 3].map(|n| format!("B{n} permit_issued 2024-03-1{n} | {n} Mill Rd, Salem | -"))
        );
    }
    // nor does one beside the day of the last inspection
    let lines = [
        "Permit Number,Issue Date,Address,Last Inspection Date,Result",
        "1,2024-03-13,1 Mill Rd,2024-04-01,Denied",
    ];
    assert_eq!(
        import_twice(&lines, &SALEM).signals,
        ["1 permit_issued 2024-03-13 | 1 Mill Rd, Salem | -"]
    );
    // the status of a permit is not that of its inspection
    let lines = [
        "Permit Number,Issue Date,Address,Inspection Result,Permit Status",
        "1,2024-03-13,1 Mill Rd,Denied,Issued",
        "2,2024-03-14,3 Mill Rd,Approved,Cancelled",
    ];
    assert_eq!(
        import_twice(&lines, &SALEM).signals,
        [
            "1 permit_issued 2024-03-13 | 1 Mill Rd, Salem | -",
            "2 withdrawal 2024-03-14 | 3 Mill Rd, Salem | -",
        ]
    );
}

#[test]
fn a_status_of_completion_completes_its_permit_without_a_completion_date() {
    let header = "Permit Number,Applied Date,Issue Date,Status Date,Finaled Date,Address,Status";
    let lines = [
        header,
        "1,2024-02-01,2024-02-10,2024-03-01,,1 Pine St,Issued",
        "2,2024-02-01,2024-02-10,2024-03-01,,3 Pine St,Finaled",
        "3,2024-02-01,2024-02-10,,,5 Pine St,Complete",
        "4,2024-02-01,2024-02-10,2024-03-01,2024-02-20,7 Pine St,Closed",
        "5,2024-02-01,2024-02-10,2024-03-01,,9 Pine St,Zorp",
        "6,2024-02-01,2024-02-10,2024-03-01,,11 Pine St,Temporary CO",
    ];
    let done = import_twice(
        &lines,
        &["--city", "Salem, OR", "--status", "Zorp=completed"],
    );
    done.says(0, &[]);
    let is_completion = |signal: &&String| signal.contains(" completion ");
    let completions: Vec<&String> = done.signals.iter().filter(is_completion).collect();
    assert_eq!(
        completions,
        [
            "2 completion 2024-03-01 | 3 Pine St, Salem | -",
            "3 completion 2024-02-10 | 5 Pine St, Salem | -",
            "4 completion 2024-02-20 | 7 Pine St, Salem | -",
            "5 completion 2024-03-01 | 9 Pine St, Salem | -",
        ]
    );
}

#[test]
fn a_granted_acceptance_completes_its_permit() {
    assert_signals(
        "Permit Number,Issue Date,Status Date,Address,Status",
        &[
            "1,2024-03-06,,1 Pine St,Recepción otorgada",
            "2,2024-03-07,2024-05-06,3 Pine St,Certificate of Occupancy Issued",
            "3,2024-03-08,2024-05-07,5 Pine St,Temporary CO issued",
            "4,2024-03-09,2024-05-08,7 Pine St,Pending CO issuance",
        ],
        &[
            "--city",
            "Salem, OR",
            "--status",
            "Temporary CO issued=active",
        ],
        &[
            "1 completion 2024-03-06 | 1 Pine St, Salem | -",
            "1 permit_issued 2024-03-06 | 1 Pine St, Salem | -",
            "2 completion 2024-05-06 | 3 Pine St, Salem | -",
            "2 permit_issued 2024-03-07 | 3 Pine St, Salem | -",
            "3 permit_issued 2024-03-08 | 5 Pine St, Salem | -",
            "4 permit_issued 2024-03-09 | 7 Pine St, Salem | -",
        ],
    );
}

#[test]
fn a_row_with_only_the_day_of_a_temporary_certificate_says_what_it_lacks() {
    let lines = [
        "Permit Number,CO Issued Date,Address,CO Status",
        "1,2024-02-13,1 Pine St,Temporary",
    ];
    import_twice(&lines, &SALEM).says(
        1,
        &["1 row rejected: only a completion date to come, or that of a certificate or inspection that completes nothing: --column 'HEADING=issued' names that of the permit, first on line 2"],
    );
}

#[test]
fn a_certificate_that_is_temporary_or_revoked_leaves_the_permit_open() {
    assert_signals(
        "Permit Number,Permit Issued Date,CO Issued Date,Address,CO Type",
        &[
            "1,2022-05-17,2024-02-13,1 Pine St,Final",
            "2,2022-06-20,2024-02-14,3 Pine St,Temporary",
            "3,2022-06-21,2024-02-15,5 Pine St,Revoked",
            "4,2022-06-22,2024-02-16,7 Pine St,Temporary",
            "4,2022-06-22,2024-03-21,7 Pine St,Final",
        ],
        &BY_NUMBER,
        &[
            "1 completion 2024-02-13 | 1 Pine St, Salem | -",
            "1 permit_issued 2022-05-17 | 1 Pine St, Salem | -",
            "2 permit_issued 2022-06-20 | 3 Pine St, Salem | -",
            "3 permit_issued 2022-06-21 | 5 Pine St, Salem | -",
            "4 completion 2024-03-21 | 7 Pine St, Salem | -",
            "4 permit_issued 2022-06-22 | 7 Pine St, Salem | -",
        ],
    );
    assert_signals(
        "Permit Number,Issue Date,Completed Date,Address,Status",
        &[
            "1,2022-05-17,2024-02-13,1 Pine St,Temporary certificate of occupancy",
            "2,2022-06-20,2024-02-14,3 Pine St,Certificate of occupancy",
        ],
        &SALEM,
        &[
            "1 permit_issued 2022-05-17 | 1 Pine St, Salem | -",
            "2 completion 2024-02-14 | 3 Pine St, Salem | -",
            "2 permit_issued 2022-06-20 | 3 Pine St, Salem | -",
        ],
    );
}

#[test]
fn a_list_of_decisions_is_imported_as_approvals_and_denials() {
    let expected = [
        "A1 entitlement_approval 2024-03-13 | 1 Pine St, Salem | -",
        "A2 entitlement_denial 2024-03-14 | 3 Pine St, Salem | -",
        "A3 entitlement_approval 2024-03-15 | 5 Pine St, Salem | -",
    ];
    assert_signals(
        "Permit Number,Decision Date,Address,Decision",
        &[
            "A1,13/03/2024,1 Pine St,Approved",
            "A2,14/03/2024,3 Pine St,Refused",
            "A3,15/03/2024,5 Pine St,Approved",
        ],
        &SALEM,
        &expected,
    );
    // another date is asked about, and may be left out
    let lines = [
        "Permit Number,Date Valid,Decision Date,Address,Decision",
        "A1,13/02/2024,13/03/2024,1 Pine St,Approved",
        "A2,14/02/2024,14/03/2024,3 Pine St,Refused",
        "A3,15/02/2024,15/03/2024,5 Pine St,Approved",
    ];
    import_twice(&lines, &SALEM).says(
        2,
        &[
            "Date Valid: is it the date when permits were filed, or issued?",
            "--column 'Date Valid=filed', 'Date Valid=issued' or 'Date Valid=none'",
        ],
    );
    let none = ["--city", "Salem, OR", "--column", "Date Valid=none"];
    assert_eq!(import_twice(&lines, &none).signals, expected);
    let filed = ["--city", "Salem, OR", "--column", "Date Valid=filed"];
    assert_eq!(
        import_twice(&lines, &filed).signals,
        [
            "A1 entitlement_approval 2024-03-13 | 1 Pine St, Salem | -",
            "A1 permit_filed 2024-02-13 | 1 Pine St, Salem | -",
            "A2 entitlement_denial 2024-03-14 | 3 Pine St, Salem | -",
            "A3 entitlement_approval 2024-03-15 | 5 Pine St, Salem | -",
            "A3 permit_filed 2024-02-15 | 5 Pine St, Salem | -",
        ]
    );
}

#[test]
fn a_date_without_a_meaning_is_asked_where_rows_would_have_none() {
    let lines = [
        "Permit ID,Permit Start Date,Completed Date,Address,Valuation",
        "1,2024-02-05,,1 Pine St,5000",
        "2,2024-02-06,2024-05-01,3 Pine St,6000",
        "3,2024-02-07,,5 Pine St,6000",
    ];
    import_twice(&lines, &SALEM).says(
        2,
        &["Permit Start Date: is it the date when permits were filed, or issued? 2 of 3 rows have no other date"],
    );
    let issued = [
        "--city",
        "Salem, OR",
        "--column",
        "Permit Start Date=issued",
    ];
    assert_eq!(
        import_twice(&lines, &issued).signals,
        [
            "1 permit_issued 2024-02-05 | 1 Pine St, Salem | 5000.0",
            "2 completion 2024-05-01 | 3 Pine St, Salem | 6000.0",
            "2 permit_issued 2024-02-06 | 3 Pine St, Salem | 6000.0",
            "3 permit_issued 2024-02-07 | 5 Pine St, Salem | 6000.0",
        ]
    );
}

#[test]
fn a_permit_expires_on_its_expiration_date() {
    assert_signals(
        "Permit Number,Issue Date,Expiration Date,Address,Status",
        &[
            "1,2023-02-01,2023-07-31,1 Pine St,Expired",
            "2,2024-06-20,2024-12-14,3 Pine St,Issued",
            "3,2023-02-02,,5 Pine St,Expired",
        ],
        &SALEM,
        &[
            "1 expiration 2023-07-31 | 1 Pine St, Salem | -",
            "2 permit_issued 2024-06-20 | 3 Pine St, Salem | -",
            "3 expiration 2023-02-02 | 5 Pine St, Salem | -",
        ],
    );
}

#[test]
fn a_column_that_says_whether_a_permit_is_active_is_asked_or_read() {
    let lines = [
        "Permit Number,Issue Date,Address,Active (Y/N)",
        "1,2024-02-05,1 Pine St,Y",
        "2,2024-02-06,3 Pine St,N",
    ];
    import_twice(&lines, &SALEM).says(
        2,
        &["Active (Y/N): what does \"N\" mean for a permit (1 of 2 rows)?"],
    );
    let ended = ["--city", "Salem, OR", "--status", "N=withdrawn"];
    assert_eq!(
        import_twice(&lines, &ended).signals,
        [
            "1 permit_issued 2024-02-05 | 1 Pine St, Salem | -",
            "2 withdrawal 2024-02-06 | 3 Pine St, Salem | -",
        ]
    );
}

#[test]
fn a_first_row_of_many_megabytes_is_rejected_for_its_length() {
    let cell = "x".repeat(6 << 20);
    let header = "Permit Number,Issue Date,Notes,Address";
    let rows: String = (2..40_000)
        .map(|n| format!("{n},2024-01-15,short,{n} Pine St\n"))
        .collect();
    let home = tempfile::tempdir().unwrap();
    let text = format!("{header}\n1,2024-01-15,{cell},1 Pine St\n{rows}");
    import_in(home.path(), "a.csv", text, &SALEM).says(
        1,
        &["1 row rejected: a line of more than 4 MB, first on line 2"],
    );
    let text = format!("{header}\n1,2024-01-15,{cell},1 Pine St\n");
    import_in(home.path(), "b.csv", text, &SALEM).says(
        1,
        &["the first row has more than 1 MB, and no other one could be looked at"],
    );
}

#[test]
fn a_value_that_the_status_and_the_decision_share_is_understood_once() {
    assert_signals(
        "Permit Number,Received Date,Decision Date,Address,Status,Decision",
        &[
            "1,2024-02-12,2024-04-09,4 Elm Rd,Approved,Approved",
            "2,2024-02-13,2024-03-11,6 Elm Rd,Withdrawn,Withdrawn",
        ],
        &SALEM,
        &[
            "1 entitlement_approval 2024-04-09 | 4 Elm Rd, Salem | -",
            "1 permit_filed 2024-02-12 | 4 Elm Rd, Salem | -",
            "2 withdrawal 2024-03-11 | 6 Elm Rd, Salem | -",
        ],
    );
}

#[test]
fn a_permit_issued_by_its_status_alone_is_named_or_has_the_date_of_the_status() {
    let lines = [
        "Permit Number,Received Date,Address,Status",
        "1,2024-02-12,4 Elm Rd,Issued",
        "2,2024-02-13,6 Elm Rd,Approved",
        "3,2024-02-13,8 Elm Rd,In Review",
    ];
    let done = import_twice(&lines, &SALEM);
    done.says(
        0,
        &["2 rows with warnings: issued or approved by its status, and no date says when: imported as filed, first on line 2: \"Issued\", \"Approved\""],
    );
    assert_signals(
        "Permit Number,Received Date,Address,Status,Status Changed",
        &[
            "1,2024-02-12,4 Elm Rd,Issued,2024-03-07",
            "2,2024-02-13,6 Elm Rd,Approved,2024-03-08",
            "3,2024-02-13,8 Elm Rd,In Review,2024-03-09",
        ],
        &SALEM,
        &[
            "1 permit_filed 2024-02-12 | 4 Elm Rd, Salem | -",
            "1 permit_issued 2024-03-07 | 4 Elm Rd, Salem | -",
            "2 entitlement_approval 2024-03-08 | 6 Elm Rd, Salem | -",
            "2 permit_filed 2024-02-13 | 6 Elm Rd, Salem | -",
            "3 permit_filed 2024-02-13 | 8 Elm Rd, Salem | -",
        ],
    );
}

#[test]
fn a_list_of_certificates_of_occupancy_completes_its_permits() {
    assert_signals(
        "CO Issue Date,CO Type,Permit Number,Application Date,Address",
        &[
            "2024-03-14,Final,1,2023-02-12,4 Elm Rd",
            "2024-03-15,Temporary,2,2023-02-13,6 Elm Rd",
        ],
        &SALEM,
        &[
            "1 completion 2024-03-14 | 4 Elm Rd, Salem | -",
            "1 permit_filed 2023-02-12 | 4 Elm Rd, Salem | -",
            "2 permit_filed 2023-02-13 | 6 Elm Rd, Salem | -",
        ],
    );
}

#[test]
fn a_permit_approved_and_issued_on_one_day_is_permitted() {
    let home = tempfile::tempdir().unwrap();
    let text = "Permit Number,Filed,Decision,Decision Date,Issue Date,Address\n\
        1,2024-01-08,Approved,2024-03-18,2024-03-18,4 Elm Rd\n";
    import_in(home.path(), "a.csv", text, &SALEM).says(0, &[]);
    assert_eq!(projects(home.path()), ["4 Elm Rd: permitted active -"]);
}

#[test]
fn a_demolition_that_is_not_permitted_yet_is_filed() {
    assert_signals(
        "Permit Number,Permit Type,Status,Applied Date,Issued Date,Address",
        &[
            "1,Demolition,Under Review,2024-03-19,,4 Elm Rd",
            "2,Demolition,Issued,2024-03-20,2024-04-02,6 Elm Rd",
            "3,Demolition,,2024-03-20,,8 Elm Rd",
        ],
        &SALEM,
        &[
            "1 permit_filed 2024-03-19 | 4 Elm Rd, Salem | -",
            "2 demolition_permit 2024-04-02 | 6 Elm Rd, Salem | -",
            "2 permit_filed 2024-03-20 | 6 Elm Rd, Salem | -",
            "3 permit_filed 2024-03-20 | 8 Elm Rd, Salem | -",
        ],
    );
}

#[test]
fn an_approval_of_the_plan_is_no_issue_of_the_permit() {
    assert_signals(
        "Permit Number,Status,Filed,Entitlement Approved,BP Issued,Address",
        &[
            "1,Issued,2021-03-15,2021-11-09,2022-08-19,4 Elm Rd",
            "2,Approved,2021-08-02,2023-07-18,,6 Elm Rd",
        ],
        &SALEM,
        &[
            "1 permit_filed 2021-03-15 | 4 Elm Rd, Salem | -",
            "1 permit_issued 2022-08-19 | 4 Elm Rd, Salem | -",
            "2 entitlement_approval 2023-07-18 | 6 Elm Rd, Salem | -",
            "2 permit_filed 2021-08-02 | 6 Elm Rd, Salem | -",
        ],
    );
}

#[test]
fn a_decision_that_was_issued_is_asked_unless_it_is_the_permit() {
    let text = "Permit Number,Filed,Address,Decision,Decision Date\n\
        1,2024-01-15,4 Elm Rd,NOD issued,2024-05-28\n\
        2,2024-01-22,6 Elm Rd,Permit Issued with conditions,2024-06-12\n";
    let home = tempfile::tempdir().unwrap();
    let asked = import_in(home.path(), "a.csv", text, &SALEM);
    asked.says(
        2,
        &[
            "Decision: what does \"NOD issued\" mean",
            "1 question to answer",
        ],
    );
    let answer = ["--city", "Salem, OR", "--status", "NOD issued=approved"];
    let done = import_in(home.path(), "a.csv", text, &answer);
    done.says(0, &[]);
    assert_eq!(
        done.signals,
        [
            "1 entitlement_approval 2024-05-28 | 4 Elm Rd, Salem | -",
            "1 permit_filed 2024-01-15 | 4 Elm Rd, Salem | -",
            "2 entitlement_approval 2024-06-12 | 6 Elm Rd, Salem | -",
            "2 permit_filed 2024-01-22 | 6 Elm Rd, Salem | -",
        ]
    );
}

#[test]
fn a_demolition_without_a_decision_yet_is_filed() {
    assert_signals(
        "Reference,Received Date,Application Type,Decision,Decision Date,Address",
        &[
            "1,2026-06-16,Demolition,,,14 Oak St",
            "2,2026-06-16,Demolition,Approved,2026-07-20,16 Oak St",
        ],
        &SALEM,
        &[
            "1 permit_filed 2026-06-16 | 14 Oak St, Salem | -",
            "2 entitlement_approval 2026-07-20 | 16 Oak St, Salem | -",
            "2 permit_filed 2026-06-16 | 16 Oak St, Salem | -",
        ],
    );
}

#[test]
fn a_column_that_is_called_like_a_status_is_named_if_it_is_not_read() {
    let lines = [
        "Permit Number,Status,Issued,On Hold,Address",
        "1,Issued,2026-05-11,,118 Oak St",
        "2,On Hold,2026-04-17,2026-06-20,54 Oak St",
    ];
    let done = import_twice(&lines, &SALEM);
    done.says(0, &["not used otherwise: On Hold (a date)"]);
}

#[test]
fn a_permit_completed_or_ended_by_its_status_alone_is_named() {
    let lines = [
        "Permit Number,Status,Issued,Address",
        "1,Issued,2026-05-11,118 Oak St",
        "2,Finaled,2026-04-17,54 Oak St",
        "3,Withdrawn,2026-04-18,56 Oak St",
    ];
    let done = import_twice(&lines, &SALEM);
    done.says(
        0,
        &["2 rows with warnings: completed or ended by its status, and no date says when: on its last day, first on line 3: \"Finaled\", \"Withdrawn\""],
    );
}

#[test]
fn the_date_of_an_approval_beside_the_issue_approves() {
    assert_signals(
        "Permit Number,Permit Status,Application Date,Approved Date,Issued Date,Address",
        &[
            "1,Issued,2026-04-02,2026-05-06,2026-05-12,1044 Fort St",
            "2,Approved,2026-04-14,2026-06-01,,519 Superior St",
        ],
        &SALEM,
        &[
            "1 permit_filed 2026-04-02 | 1044 Fort St, Salem | -",
            "1 permit_issued 2026-05-12 | 1044 Fort St, Salem | -",
            "2 entitlement_approval 2026-06-01 | 519 Superior St, Salem | -",
            "2 permit_filed 2026-04-14 | 519 Superior St, Salem | -",
        ],
    );
}
