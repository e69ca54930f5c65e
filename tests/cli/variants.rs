//! The verbs against a service that answers in other ways than the local one, where the interface does not show how.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::hostile::{Act, Hostile};

const A: &str = "018f4d3a-0000-7000-8000-000000000001";
const B: &str = "018f4d3a-0000-7000-8000-000000000002";

/// What a verb says to a service that acts so: its status, standard output and standard error.
async fn met(acts: impl IntoIterator<Item = Act>, args: &[&str]) -> (Option<i32>, String, String) {
    let socket = Hostile::start(acts).await;
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")
        .env("GANTRY_BASE_URL", &socket.base_url)
        .stdin(Stdio::null())
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let host = socket.base_url.split('/').nth(2).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr).replace(host, "HOST"))
}

fn sent(answer: &Value) -> Act {
    Act::json(&answer.to_string())
}

/// The cells of the first row of a table.
fn cells(table: &str) -> Vec<String> {
    let line = table.lines().nth(1).unwrap_or_default();
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_whose_place_is_not_shown_is_listed_from_any_wrapper() {
    let rows = json!([{"id": A, "view_id": A, "name": "Calder"}, {"id": B, "view_id": B, "name": "Weld"}]);
    for (verb, name) in [
        (&["views", "list"][..], "views"),
        (&["favorites", "list"], "favorites"),
        (&["invitations", "list"], "invitations"),
        (&["skills", "list"], "skills"),
        (&["skills", "find", "x"], "skills"),
        (&["data", "search", "projects"], "projects"),
        (&["book", "projects", "search"], "projects"),
        (&["subscriptions", "list", "--ids"], "subscriptions"),
    ] {
        let metadata = json!({"credits": 0, "total": 2, "search_after": null});
        for answer in [
            json!({"data": rows, "metadata": metadata}),
            json!({"data": {"items": rows}, "metadata": metadata}),
            json!({"data": {"records": rows}, "metadata": metadata}),
            json!({"data": {name: rows}, "metadata": metadata}),
            json!({"data": {name: {"items": rows}}, "metadata": metadata}),
            json!({name: rows, "metadata": metadata}),
        ] {
            let args = [verb, &["--format", "jsonl"]].concat();
            let (status, out, err) = met([sent(&answer)], &args).await;
            assert_eq!((status, out.lines().count()), (Some(0), 2), "{verb:?} {answer}: {err}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_shows_a_view_a_skill_and_an_invitation_under_other_names() {
    let view =
        json!({"data": [{"viewId": A, "title": "Calder", "entity": "Account", "view_type": "Static", "recordCount": "1,234"}]});
    let (_, out, err) = met([sent(&view)], &["views", "list"]).await;
    assert_eq!(cells(&out), [A, "Account", "Static", "1,234", "Calder"], "{out}{err}");
    let skill = json!({"data": {"items": [{"skill_id": "call-script", "title": "Call script", "status": "Draft"}]}, "metadata": {"total": 1}});
    let (_, out, err) = met([sent(&skill)], &["skills", "list"]).await;
    assert_eq!(cells(&out), ["call-script", "-", "Draft", "-", "-", "Call script"], "{out}{err}");
    for (fields, expected) in [
        (json!({}), "pending"),
        (json!({"status": null, "revoked_at": "2026-07-02T09:05"}), "revoked"),
        (json!({"accepted_at": "2026-07-02"}), "accepted"),
        (json!({"expires_at": "2001-07-02T09:05:00"}), "expired"),
        (json!({"state": "Pending"}), "pending"),
    ] {
        let mut invitation = json!({"id": A, "email": "new@a.example"});
        invitation.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let (_, out, err) = met([sent(&json!({"data": [invitation]}))], &["invitations", "list"]).await;
        assert_eq!(cells(&out)[1], expected, "{invitation}: {out}{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_is_answered_without_a_body_is_done_and_says_so() {
    let there = |name: &str, row: Value| sent(&json!({"data": {name: [row]}}));
    let refused = || Act::refusal(404, "", "not_found", "no such route");
    for status in [201, 202, 204] {
        let empty = || Act::Answer(status, "", Vec::new());
        for (args, reread, expected) in [
            (&["members", "set", A, "--role", "admin"][..], there("members", json!({"id": A, "role": "admin"})), "admin"),
            (&["members", "set", A, "--role", "admin"], refused(), "018f4d3a-0000-7000-8000-000000000001 is admin now"),
            (&["invitations", "create", "a@b.example"], there("invitations", json!({"id": B, "email": "a@b.example"})), B),
            (&["invitations", "create", "a@b.example"], refused(), "invited a@b.example as member"),
            (&["views", "create", "Calder", "--dataset", "account"], there("views", json!({"id": B, "name": "Calder"})), B),
            (&["views", "create", "Calder", "--dataset", "account"], refused(), "made the View Calder"),
            (&["favorites", "add", A], refused(), "1 added"),
            (
                &["subscriptions", "set", "permit_filed"],
                sent(&json!({"subscriptions": [{"signal_type": "permit_filed"}]})),
                "permit_filed",
            ),
            (&["skills", "publish", "call-script"], refused(), "1 published"),
            (&["skills", "fork", "call-script"], refused(), "copied the Skill"),
            (&["members", "remove", A], refused(), "removed"),
            (&["book", "accounts", "set", A, "--notes", "x"], refused(), ""),
        ] {
            let (code, out, err) = met([empty(), reread], args).await;
            assert_eq!(code, Some(0), "{status} {args:?}: {out}{err}");
            assert!(out.contains(expected), "{status} {args:?}: {out}{err}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_and_its_file_are_shown_from_one_level_deeper() {
    let skill = json!({"data": {"skill": {"id": "call-script", "name": "Call script"}, "files": [{"path": "SKILL.md"}]}});
    let (status, out, err) = met([sent(&skill)], &["skills", "show", "call-script"]).await;
    assert!(status == Some(0) && out.contains("Call script") && out.contains("SKILL.md"), "{out}{err}");
    for file in [
        json!({"data": {"file": {"path": "SKILL.md", "content": "Call first.\n"}}}),
        json!({"data": {"file": {"path": "SKILL.md", "text": "Call first.\n"}}}),
        json!({"data": "Call first.\n"}),
    ] {
        let (status, out, err) = met([sent(&file)], &["skills", "file", "call-script", "SKILL.md"]).await;
        assert_eq!((status, out.as_str()), (Some(0), "Call first.\n"), "{file}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_cut_says_so_and_one_of_short_pages_is_whole() {
    let page = |from: usize, rows: usize, total: Value| {
        let rows: Vec<_> = (from..from + rows).map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")})).collect();
        sent(&json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": total}}))
    };
    let all = &["queue", "list", "--all", "--format", "jsonl"];
    let mut short: Vec<Act> = (0..21).map(|nth| page(nth * 7, 7, json!(153))).collect();
    short.push(page(147, 6, json!(153)));
    let (status, out, err) = met(short, all).await;
    assert_eq!((status, out.lines().count(), err.as_str()), (Some(0), 153, ""));
    let (status, out, err) = met([page(0, 7, json!(153)), page(7, 0, json!(153))], all).await;
    assert_eq!((status, out.lines().count()), (Some(0), 7));
    assert_eq!(err, "gantry: 7 of 153: the service sent no more; the list may be incomplete\n");
    let (_, out, err) = met([page(0, 50, json!(null))], &["queue", "list", "--limit", "50", "--format", "jsonl"]).await;
    assert_eq!(out.lines().count(), 50);
    assert_eq!(err, "gantry: the first 50; there may be more: --all lists all, --limit more\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_without_a_reason_is_said_by_its_status() {
    let limited = Act::Answer(429, "retry-after: 30\r\n", Vec::new());
    let (status, _, err) = met([limited], &["skills", "list"]).await;
    let words = "gantry: cannot list Skills: HOST answered 429 Too Many Requests without a reason; try again in 30 s\n";
    assert_eq!((status, err.as_str()), (Some(1), words));
    let (status, _, err) = met([Act::Answer(503, "", Vec::new())], &["skills", "list"]).await;
    let words = "gantry: cannot list Skills: HOST answered 503 Service Unavailable without a reason\n";
    assert_eq!((status, err.as_str()), (Some(5), words));
}
