//! The sample data, as seen by a person who has just started the demo.

#![expect(clippy::unwrap_used, reason = "a failing test panics")]

use std::sync::Mutex;

use chrono::{DateTime, Duration, Utc};
use gantry::service::db::Conn;
use gantry::service::{Storage, db, sample};

fn now() -> DateTime<Utc> {
    "2026-07-09T16:20:00Z".parse().unwrap()
}

fn sample_world(seed: u64, projects: usize, now: DateTime<Utc>) -> Conn {
    let conn = db::open_writer(&Storage::Memory).unwrap();
    sample::fill_database(&conn, seed, projects, None, now).unwrap();
    conn
}

/// The demo's data, created once for the read-only tests.
fn with_demo_world<T>(look: impl FnOnce(&Conn) -> T) -> T {
    static DEMO: Mutex<Option<Conn>> = Mutex::new(None);
    let mut demo = DEMO.lock().unwrap_or_else(|broken| broken.into_inner());
    look(demo.get_or_insert_with(|| sample_world(1, 500, now())))
}

fn count(conn: &Conn, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The database as text, without the table of values generated per file (its cursor key).
fn dump_tables(conn: &Conn) -> Vec<String> {
    let tables: Vec<String> = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%' AND name <> 'remembered' ORDER BY 1")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let mut out = Vec::new();
    for table in tables {
        let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let width = statement.column_names().len();
        let rows = statement.query_map([], |row| {
            Ok((0..width)
                .map(|at| format!("{:?}|", row.get_ref(at).unwrap()))
                .collect::<String>())
        });
        out.extend(
            rows.unwrap()
                .map(|row| format!("{table}: {}", row.unwrap())),
        );
    }
    out
}

const FIRST_WORKSPACE_SQL: &str = "(SELECT id FROM workspaces ORDER BY rowid LIMIT 1)";
const SECOND_WORKSPACE_SQL: &str = "(SELECT id FROM workspaces ORDER BY rowid LIMIT 1 OFFSET 1)";

/// The rule of the queue.
fn queue_count_sql(workspace: &str, more: &str) -> String {
    format!(
        "SELECT count(*) FROM signals s JOIN subscriptions u ON u.signal_type = s.signal_type AND u.workspace_id = {workspace}
           LEFT JOIN triage t ON t.signal_id = s.id AND t.workspace_id = u.workspace_id
         WHERE s.discovered_at > u.watermark AND s.filed_at >= unixepoch('2026-07-09', '-90 days') * 1000 {more}"
    )
}

#[test]
fn five_hundred_projects_have_accounts_contacts_and_2000_signals() {
    with_demo_world(|conn| {
        assert!((500..520).contains(&count(conn, "SELECT count(*) FROM projects")));
        assert!(count(conn, "SELECT count(*) FROM signals") >= 2_000);
        assert!(count(conn, "SELECT count(*) FROM accounts") >= 250);
        assert!(count(conn, "SELECT count(*) FROM contacts") >= 400);
    });
}

#[test]
fn the_seed_determines_the_sample_world() {
    let (one, same, other) = (
        sample_world(7, 60, now()),
        sample_world(7, 60, now()),
        sample_world(8, 60, now()),
    );
    assert!(dump_tables(&one) == dump_tables(&same));
    assert!(dump_tables(&one) != dump_tables(&other));
}

#[test]
fn a_world_of_another_day_has_the_same_records_shifted_in_time() {
    let (today, later) = (
        sample_world(7, 60, now()),
        sample_world(7, 60, now() + Duration::days(700)),
    );
    for table in ["accounts", "contacts", "projects", "workspaces", "users"] {
        let sql = format!("SELECT group_concat(hex(id)) FROM (SELECT id FROM {table} ORDER BY id)");
        let ids = |conn: &Conn| {
            conn.query_row(&sql, [], |row| row.get::<_, String>(0))
                .unwrap()
        };
        assert_eq!(ids(&today), ids(&later), "{table}");
    }
}

#[test]
fn nothing_is_in_the_future_and_counts_are_right() {
    with_demo_world(|conn| {
        let now = now().timestamp_millis();
        for column in [
            "signals.filed_at",
            "signals.discovered_at",
            "projects.created_at",
            "accounts.created_at",
            "contacts.created_at",
            "book.updated_at",
            "triage.triaged_at",
            "views.created_at",
            "members.joined_at",
        ] {
            let table = column.split('.').next().unwrap();
            assert_eq!(
                count(
                    conn,
                    &format!("SELECT count(*) FROM {table} WHERE {column} > {now}")
                ),
                0,
                "{column}"
            );
        }
        let wrong =
            "SELECT count(*) FROM projects p WHERE signals_count <> (SELECT count(*) FROM signals s WHERE s.project_id = p.id)
            OR first_signal_at IS NOT (SELECT min(filed_at) FROM signals s WHERE s.project_id = p.id)
            OR last_signal_at IS NOT (SELECT max(filed_at) FROM signals s WHERE s.project_id = p.id)";
        assert_eq!(count(conn, wrong), 0);
        assert_eq!(
            count(
                conn,
                "SELECT count(*) FROM triage t JOIN signals s ON s.id = t.signal_id WHERE triaged_at < discovered_at"
            ),
            0
        );
        assert_eq!(
            count(conn, "SELECT count(*) FROM pragma_foreign_key_check"),
            0
        );
    });
}

#[test]
fn every_signal_type_occurs_and_comes_from_an_office_that_issues_it() {
    with_demo_world(|conn| {
        assert_eq!(
            count(conn, "SELECT count(DISTINCT signal_type) FROM signals"),
            17
        );
        let wrong = "SELECT count(*) FROM signals s JOIN sources o ON o.id = s.source_id
            WHERE signal_type IN ('permit_filed', 'permit_issued', 'completion') AND o.slug LIKE '%-deeds'
               OR signal_type = 'construction_loan' AND o.slug NOT LIKE '%-deeds'";
        assert_eq!(count(conn, wrong), 0);
        let twice =
            "SELECT count(*) FROM signals a JOIN signals b ON a.project_id = b.project_id AND a.signal_type = 'permit_filed'
            AND b.signal_type = 'permit_issued' WHERE a.source_filing_id <> b.source_filing_id";
        assert_eq!(
            count(conn, twice),
            0,
            "a permit is issued under its filing number"
        );
    });
}

#[test]
fn every_stage_disposition_contractor_state_and_use_occurs() {
    with_demo_world(|conn| {
        for (column, words) in [
            ("stage", 7),
            ("disposition", 6),
            ("gc_status", 4),
            ("primary_use", 13),
        ] {
            let sql = format!("SELECT count(DISTINCT {column}) FROM projects");
            assert_eq!(count(conn, &sql), words, "{column}");
        }
    });
}

#[test]
fn the_sample_includes_edge_case_records() {
    with_demo_world(|conn| {
        let shared = "SELECT count(*) FROM (SELECT 1 FROM accounts, json_each(domains) GROUP BY value HAVING count(*) > 1)";
        assert!(count(conn, shared) >= 1, "two accounts share a domain");
        assert!(
            count(
                conn,
                "SELECT count(*) FROM (SELECT 1 FROM contacts GROUP BY email HAVING email IS NOT NULL AND count(*) > 1)"
            ) >= 1
        );
        let idle = "SELECT count(*) FROM contacts c WHERE NOT EXISTS (SELECT 1 FROM project_contacts p WHERE p.contact_id = c.id)
            AND NOT EXISTS (SELECT 1 FROM book b WHERE b.record_id = c.id)";
        assert!(count(conn, idle) >= 10);
        for missing in [
            "stories",
            "residential_units",
            "gross_floor_area_sf",
            "cost_of_construction_usd",
            "last_signal_at",
        ] {
            assert!(
                count(
                    conn,
                    &format!("SELECT count(*) FROM projects WHERE {missing} IS NULL")
                ) >= 3,
                "{missing}"
            );
        }
        for some in ["unit_mix", "use_areas", "far"] {
            assert!(
                count(
                    conn,
                    &format!("SELECT count(*) FROM projects WHERE {some} IS NOT NULL")
                ) >= 20,
                "{some}"
            );
        }
        for (table, column) in [
            ("project_accounts", "a.project_id"),
            ("project_contacts", "a.project_id"),
            ("signals", "a.project_id"),
        ] {
            let sql = format!(
                "SELECT count(*) FROM projects p WHERE NOT EXISTS (SELECT 1 FROM {table} a WHERE {column} = p.id)"
            );
            assert!(count(conn, &sql) >= 3, "projects without {table}");
        }
    });
}

#[test]
fn many_index_records_are_in_neither_book() {
    with_demo_world(|conn| {
        for dataset in ["account", "contact", "project"] {
            let sql = format!(
                "SELECT count(*) FROM {dataset}s r WHERE NOT EXISTS (SELECT 1 FROM book b WHERE b.record_id = r.id)"
            );
            assert!(count(conn, &sql) >= 80, "{dataset}");
        }
    });
}

#[test]
fn the_first_workspace_looks_used_by_a_team() {
    with_demo_world(|conn| {
        let of = |table: &str, more: &str| {
            count(
                conn,
                &format!(
                    "SELECT count(*) FROM {table} WHERE workspace_id = {FIRST_WORKSPACE_SQL} {more}"
                ),
            )
        };
        for role in ["owner", "admin"] {
            assert_eq!(of("members", &format!("AND role = '{role}'")), 1);
        }
        assert!(of("members", "AND role = 'member'") >= 2);
        let known =
            "SELECT count(*) FROM book b JOIN accounts a ON a.id = b.record_id WHERE b.workspace_id = (SELECT id FROM workspaces
            ORDER BY rowid LIMIT 1) AND icp_tier IS NOT NULL AND atlas_score IS NOT NULL AND a.aliases <> '[]'";
        assert!(count(conn, known) >= 15);
        assert!(
            of("book", "AND dataset = 'contact'") >= 15
                && of("book", "AND dataset = 'project'") >= 15
        );
        for dataset in ["account", "contact", "project"] {
            assert!(
                of(
                    "views",
                    &format!("AND dataset = '{dataset}' AND kind = 'dynamic'")
                ) >= 1
            );
            let members = format!(
                "AND view_id IN (SELECT id FROM views WHERE dataset = '{dataset}' AND kind = 'static')"
            );
            assert!(of("view_records", &members) >= 5, "{dataset}");
        }
        assert!(of("favorites", "") >= 3);
        assert!(
            of(
                "invitations",
                "AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > unixepoch('2026-07-09') * 1000"
            ) >= 1
        );
        assert!(of("invitations", "AND accepted_at IS NOT NULL") >= 1);
    });
}

#[test]
fn the_first_queue_holds_hundreds_of_new_and_done_signals_of_every_priority() {
    with_demo_world(|conn| {
        assert!(
            count(
                conn,
                &queue_count_sql(FIRST_WORKSPACE_SQL, "AND t.signal_id IS NULL")
            ) >= 150
        );
        assert!(
            count(
                conn,
                &queue_count_sql(FIRST_WORKSPACE_SQL, "AND t.signal_id IS NOT NULL")
            ) >= 100
        );
        for priority in 0..3 {
            assert!(
                count(
                    conn,
                    &queue_count_sql(
                        FIRST_WORKSPACE_SQL,
                        &format!("AND t.signal_id IS NULL AND u.priority = {priority}")
                    )
                ) >= 25
            );
        }
    });
}

#[test]
fn the_second_workspace_is_not_subscribed_to_frequent_types() {
    with_demo_world(|conn| {
        let unsubscribed = format!(
            "SELECT count(DISTINCT signal_type) FROM signals WHERE discovered_at > unixepoch('2026-07-09', '-14 days') * 1000
             AND signal_type NOT IN (SELECT signal_type FROM subscriptions WHERE workspace_id = {SECOND_WORKSPACE_SQL})"
        );
        assert!(count(conn, &unsubscribed) >= 3);
        assert!(
            count(
                conn,
                &format!(
                    "SELECT count(*) FROM members WHERE workspace_id = {SECOND_WORKSPACE_SQL} AND role = 'member'"
                )
            ) >= 2
        );
        assert!(
            count(
                conn,
                &format!("SELECT count(*) FROM book WHERE workspace_id = {SECOND_WORKSPACE_SQL}")
            ) >= 40
        );
        assert!(
            count(
                conn,
                &queue_count_sql(SECOND_WORKSPACE_SQL, "AND t.signal_id IS NULL")
            ) >= 50
        );
    });
}

#[test]
fn there_are_a_starter_and_a_free_workspace_with_people() {
    with_demo_world(|conn| {
        for plan in ["starter", "free"] {
            let sql = format!(
                "SELECT count(*) FROM members m JOIN workspaces w ON w.id = m.workspace_id WHERE plan = '{plan}'"
            );
            assert!(count(conn, &sql) >= 1);
        }
    });
}

#[test]
fn small_sample_worlds_are_complete() {
    for projects in [0, 1, 5, 30] {
        let conn = sample_world(3, projects, now());
        assert!(count(&conn, "SELECT count(*) FROM projects") >= projects as i64);
        assert!(count(&conn, "SELECT count(*) FROM book WHERE dataset = 'account'") >= 15);
    }
}

#[test]
fn arriving_signals_are_plausible_next_steps_discovered_now() {
    let conn = sample_world(5, 120, now());
    let mut rng = sample::SampleRng::new(5, 99);
    let before = count(&conn, "SELECT count(*) FROM signals");
    for nth in 1..=200 {
        let moment = now() + Duration::minutes(7 * nth);
        let signal = sample::write_arrival(&mut rng, &conn, moment)
            .unwrap()
            .unwrap();
        assert_eq!(signal.discovered_at, moment);
        assert!(signal.filed_at <= moment && signal.filed_at > moment - Duration::days(7));
    }
    assert_eq!(count(&conn, "SELECT count(*) FROM signals"), before + 200);
    let wrong =
        "SELECT count(*) FROM projects p WHERE signals_count <> (SELECT count(*) FROM signals s WHERE s.project_id = p.id)
        OR last_signal_at IS NOT (SELECT max(filed_at) FROM signals s WHERE s.project_id = p.id)
        OR stage = 'completed' AND NOT EXISTS (SELECT 1 FROM signals s WHERE s.project_id = p.id AND signal_type = 'completion')";
    assert_eq!(count(&conn, wrong), 0);
    let early = "SELECT count(*) FROM signals i WHERE signal_type = 'permit_issued' AND NOT EXISTS (SELECT 1 FROM signals f
        WHERE f.project_id = i.project_id AND f.signal_type = 'permit_filed' AND f.filed_at <= i.filed_at)";
    assert_eq!(count(&conn, early), 0);
}
