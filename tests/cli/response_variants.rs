//! Commands against a service whose responses differ from the local one's, where the interface does
//! not specify them.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::scripted_server::{ScriptedAction, ScriptedServer};

const FIRST_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const SECOND_ID: &str = "018f4d3a-0000-7000-8000-000000000002";

fn run_at(socket: &ScriptedServer, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gantry"))
        .env_clear()
        .env("HOME", crate::home())
        .env("GANTRY_TOKEN", "gk_canary")
        .env("GANTRY_WORKSPACE", "018f4d3a-0000-7000-8000-00000000000a")
        .env("GANTRY_BASE_URL", &socket.base_url)
        .stdin(Stdio::null())
        .args(args)
        .output()
        .unwrap()
}

/// Runs a command against a scripted service: its status, standard output and standard error.
async fn run_against(
    actions: impl IntoIterator<Item = ScriptedAction>,
    args: &[&str],
) -> (Option<i32>, String, String) {
    let socket = ScriptedServer::start(actions).await;
    let output = run_at(&socket, args);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let host = socket.base_url.split('/').nth(2).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr).replace(host, "HOST"),
    )
}

fn json_response(answer: &Value) -> ScriptedAction {
    ScriptedAction::json(&answer.to_string())
}

/// The cells of the first row of a table.
fn first_row_cells(table: &str) -> Vec<String> {
    let line = table.lines().nth(1).unwrap_or_default();
    line.split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .map(str::to_owned)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_found_under_any_wrapper() {
    let rows = json!([{"id": FIRST_ID, "view_id": FIRST_ID, "name": "Calder"}, {"id": SECOND_ID, "view_id": SECOND_ID, "name": "Weld"}]);
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
            let (status, out, err) = run_against([json_response(&answer)], &args).await;
            assert_eq!(
                (status, out.lines().count()),
                (Some(0), 2),
                "{verb:?} {answer}: {err}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_accept_other_names_for_view_skill_and_invitation_fields() {
    let view = json!({"data": [{"viewId": FIRST_ID, "title": "Calder", "entity": "Account", "view_type": "Static", "recordCount": "1,234"}]});
    let (_, out, err) = run_against([json_response(&view)], &["views", "list"]).await;
    assert_eq!(
        first_row_cells(&out),
        [FIRST_ID, "Account", "Static", "1,234", "Calder"],
        "{out}{err}"
    );
    let skill = json!({"data": {"items": [{"skill_id": "call-script", "title": "Call script", "status": "Draft"}]}, "metadata": {"total": 1}});
    let (_, out, err) = run_against([json_response(&skill)], &["skills", "list"]).await;
    assert_eq!(
        first_row_cells(&out),
        ["call-script", "-", "Draft", "-", "-", "Call script"],
        "{out}{err}"
    );
    for (fields, expected) in [
        (json!({}), "unknown"),
        (
            json!({"status": null, "revoked_at": "2026-07-02T09:05"}),
            "revoked",
        ),
        (json!({"accepted_at": "2026-07-02"}), "accepted"),
        (json!({"expires_at": "2001-07-02T09:05:00"}), "unknown"),
        (json!({"state": "Pending"}), "pending"),
    ] {
        let mut invitation = json!({"id": FIRST_ID, "email": "new@a.example"});
        invitation
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let (_, out, err) = run_against(
            [json_response(&json!({"data": [invitation]}))],
            &["invitations", "list"],
        )
        .await;
        assert_eq!(
            first_row_cells(&out)[1],
            expected,
            "{invitation}: {out}{err}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_with_an_empty_response_is_reported_as_done() {
    let there = |name: &str, row: Value| json_response(&json!({"data": {name: [row]}}));
    let not_found = || ScriptedAction::error_response(404, "", "not_found", "no such route");
    for status in [201, 202, 204] {
        let empty = || ScriptedAction::Respond(status, "", Vec::new());
        for (args, reread, expected) in [
            (
                &["members", "set", FIRST_ID, "--role", "admin"][..],
                there("members", json!({"id": FIRST_ID, "role": "admin"})),
                "admin",
            ),
            (
                &["members", "set", FIRST_ID, "--role", "admin"],
                not_found(),
                "018f4d3a-0000-7000-8000-000000000001 is now admin",
            ),
            (
                &["invitations", "create", "a@b.example"],
                there(
                    "invitations",
                    json!({"id": SECOND_ID, "email": "a@b.example"}),
                ),
                "a@b.example, member: invited",
            ),
            (
                &["invitations", "create", "a@b.example"],
                not_found(),
                "invited a@b.example as member",
            ),
            (
                &["views", "create", "Calder", "--dataset", "account"],
                there("views", json!({"id": SECOND_ID, "name": "Calder"})),
                SECOND_ID,
            ),
            (
                &["views", "create", "Calder", "--dataset", "account"],
                not_found(),
                "created the View Calder",
            ),
            (&["favorites", "add", FIRST_ID], not_found(), "1 added"),
            (
                &["subscriptions", "set", "permit_filed"],
                json_response(&json!({"subscriptions": [{"signal_type": "permit_filed"}]})),
                "permit_filed",
            ),
            (
                &["skills", "publish", "call-script"],
                not_found(),
                "1 published",
            ),
            (
                &["skills", "fork", "call-script"],
                not_found(),
                "copied the Skill",
            ),
            (&["members", "remove", FIRST_ID], not_found(), "removed"),
            (
                &["book", "accounts", "set", FIRST_ID, "--status", "x"],
                not_found(),
                "",
            ),
        ] {
            let (code, out, err) = run_against([empty(), reread], args).await;
            assert_eq!(code, Some(0), "{status} {args:?}: {out}{err}");
            assert!(out.contains(expected), "{status} {args:?}: {out}{err}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_and_its_file_are_found_one_level_deeper() {
    let skill = json!({"data": {"skill": {"id": "call-script", "name": "Call script"}, "files": [{"path": "SKILL.md"}]}});
    let (status, out, err) =
        run_against([json_response(&skill)], &["skills", "show", "call-script"]).await;
    assert!(
        status == Some(0) && out.contains("Call script") && out.contains("SKILL.md"),
        "{out}{err}"
    );
    for file in [
        json!({"data": {"file": {"path": "SKILL.md", "content": "Call first.\n"}}}),
        json!({"data": {"file": {"path": "SKILL.md", "text": "Call first.\n"}}}),
        json!({"data": "Call first.\n"}),
    ] {
        let (status, out, err) = run_against(
            [json_response(&file)],
            &["skills", "file", "call-script", "SKILL.md"],
        )
        .await;
        assert_eq!(
            (status, out.as_str()),
            (Some(0), "Call first.\n"),
            "{file}: {err}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_list_says_so_and_a_list_of_short_pages_is_complete() {
    let page = |from: usize, rows: usize, total: Value| {
        let rows: Vec<_> = (from..from + rows)
            .map(|n| json!({"id": format!("018f4d3a-0000-7000-8000-{n:012}")}))
            .collect();
        json_response(
            &json!({"signals": rows, "pagination": {"limit": 200, "offset": from, "total": total}}),
        )
    };
    let all = &["queue", "list", "--all", "--format", "jsonl"];
    let mut short: Vec<ScriptedAction> = (0..21).map(|nth| page(nth * 7, 7, json!(153))).collect();
    short.push(page(147, 6, json!(153)));
    let (status, out, err) = run_against(short, all).await;
    assert_eq!(
        (status, out.lines().count(), err.as_str()),
        (Some(0), 153, "")
    );
    let (status, out, err) =
        run_against([page(0, 7, json!(153)), page(7, 0, json!(153))], all).await;
    assert_eq!((status, out.lines().count()), (Some(0), 7));
    assert_eq!(
        err,
        "gantry: 7 of 153: the service sent no more rows; the list may be incomplete\n"
    );
    let (_, out, err) = run_against(
        [page(0, 50, json!(null))],
        &["queue", "list", "--limit", "50", "--format", "jsonl"],
    )
    .await;
    assert_eq!(out.lines().count(), 50);
    assert_eq!(
        err,
        "gantry: showing the first 50, there may be more; use --limit for more or --all for everything\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_without_a_message_is_reported_by_its_status() {
    let limited = ScriptedAction::Respond(429, "retry-after: 30\r\n", Vec::new());
    let (status, _, err) = run_against([limited], &["skills", "list"]).await;
    let words = "gantry: cannot list Skills: HOST returned 429 Too Many Requests without a reason; try again in 30 s\n";
    assert_eq!((status, err.as_str()), (Some(1), words));
    let (status, _, err) = run_against(
        [ScriptedAction::Respond(503, "", Vec::new())],
        &["skills", "list"],
    )
    .await;
    let words =
        "gantry: cannot list Skills: HOST returned 503 Service Unavailable without a reason\n";
    assert_eq!((status, err.as_str()), (Some(5), words));
}

/// Runs a command; returns the bodies of its writes, without the workspace.
async fn writes_of(actions: impl IntoIterator<Item = ScriptedAction>, args: &[&str]) -> Vec<Value> {
    let socket = ScriptedServer::start(actions).await;
    let output = run_at(&socket, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    let body = |text: &str| {
        let mut body: Value = serde_json::from_str(text).unwrap();
        body.as_object_mut().unwrap().remove("workspace_id");
        body
    };
    let written = socket
        .requests()
        .into_iter()
        .filter(|request| !request.line.starts_with("GET "));
    written.map(|request| body(&request.body)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_keeps_the_channels_and_the_priority_that_were_not_changed() {
    let subscriptions = || {
        json_response(&json!({"subscriptions": [
            {"signal_type": "permit_filed", "priority": "high", "channels": ["pager", "email"]},
            {"signal_type": "completion", "priority": "low", "channels": ["pager"]},
        ]}))
    };
    let both = || [subscriptions(), subscriptions()];
    for (args, expected) in [
        (
            vec!["set", "permit_filed", "--no-email"],
            json!({"channels": ["pager"]}),
        ),
        (
            vec!["set", "completion", "--email"],
            json!({"channels": ["email", "pager"]}),
        ),
        (
            vec!["set", "permit_filed", "--email", "--priority", "low"],
            json!({"priority": "low"}),
        ),
        (
            vec!["set", "withdrawal", "--email"],
            json!({"channels": ["email"]}),
        ),
        (
            vec!["set", "permit_filed", "--notify-all"],
            json!({"notify_all_members": true}),
        ),
        (
            vec!["bulk", "permit_filed", "completion=medium", "withdrawal"],
            json!({"subscriptions": [
                {"signal_type": "permit_filed", "priority": "high"},
                {"signal_type": "completion", "priority": "medium"},
                {"signal_type": "withdrawal", "priority": "medium"},
            ]}),
        ),
    ] {
        let written = writes_of(both(), &[&["subscriptions"], args.as_slice()].concat()).await;
        assert_eq!(written, [expected], "{args:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_a_skill_is_printed_for_what_it_is() {
    let file = |content: &str| {
        json_response(
            &json!({"data": {"result": {"file": {"path": "a.md", "content": content, "encoding": "base64"}}}}),
        )
    };
    let run = async |content, format| {
        run_against(
            [file(content)],
            &["skills", "file", FIRST_ID, "a.md", "--format", format],
        )
        .await
    };
    let (status, out, err) = run("Q2FsbCBmaXJzdC4K", "table").await;
    assert_eq!((status, out.as_str()), (Some(0), "Call first.\n"), "{err}");
    let (_, out, _) = run("Q2FsbCBmaXJzdC4K", "csv").await;
    assert!(out.contains("Call first."), "{out}");
    let (status, out, err) = run("AAEC", "table").await;
    assert_eq!(
        (status, out.as_bytes()),
        (Some(0), &b"\0\x01\x02"[..]),
        "the bytes go into a pipe: {err}"
    );
}
