//! A service whose responses differ from the local one's where the interface does not show the
//! shape.

use gantry::client::{
    Client, Endpoint, Request, favorites, invitations, members, skills, subscriptions, views,
};
use gantry::domain::book::Dataset;
use gantry::domain::members::{Invitation, Member, Role};
use gantry::domain::records::Record;
use gantry::domain::request_error::RequestErrorKind;
use gantry::domain::search::{RecordSource, Search};
use gantry::domain::skills::{Skill, SkillFile};
use gantry::domain::views::{Favorite, View, ViewDraft};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::scripted_server::{ScriptedAction, ScriptedServer};

const FIRST_ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const SECOND_ID: &str = "018f4d3a-0000-7000-8000-000000000002";

fn client(socket: &ScriptedServer) -> Client {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    let token = "gk_canary".to_owned().into();
    Client::new(Endpoint {
        base_url: socket.base_url.clone(),
        token,
        workspace,
        certificate: None,
    })
    .unwrap()
}

/// The rows found in a response, and how many were unreadable.
async fn decode_rows<T: DeserializeOwned + Send>(
    request: Request,
    answer: &Value,
) -> Result<(Vec<T>, usize), String> {
    let socket = ScriptedServer::start([ScriptedAction::json(&answer.to_string())]).await;
    let rows = client(&socket)
        .fetch_rows::<T>(request)
        .await
        .map_err(|failure| failure.message)?
        .value;
    Ok((rows.rows, rows.unreadable))
}

async fn decode_value<T: DeserializeOwned + Send>(
    request: Request,
    answer: &Value,
) -> Result<T, String> {
    let socket = ScriptedServer::start([ScriptedAction::json(&answer.to_string())]).await;
    client(&socket)
        .fetch_value::<T>(request)
        .await
        .map(|answer| answer.value)
        .map_err(|failure| failure.message)
}

/// All places where a service may put a list of this name.
fn wrapped_variants(name: &str, list: &Value) -> Vec<Value> {
    vec![
        json!({"data": {name: list}, "metadata": {"credits": 0}}),
        json!({"data": list, "metadata": {"credits": 0}}),
        json!({"data": {"items": list}}),
        json!({"data": {"records": list}}),
        json!({"data": {"results": list, "warnings": []}}),
        json!({"data": {name: {"items": list, "count": 2}}}),
        json!({"data": {"workspace_id": FIRST_ID, "list": list, "page": {"next": []}}}),
        json!({name: list, "metadata": {"credits": 0, "warnings": ["x"]}}),
        json!({"items": list}),
        json!(list),
    ]
}

#[tokio::test]
async fn a_list_is_found_in_any_wrapper() {
    let objects = json!([{"id": FIRST_ID, "name": "Calder"}, {"id": SECOND_ID, "name": "Weld"}]);
    let pointers = json!([{"view_id": FIRST_ID}, {"view_id": SECOND_ID}]);
    for answer in wrapped_variants("views", &objects) {
        assert_eq!(
            decode_rows::<View>(views::list(), &answer)
                .await
                .map(|(rows, bad)| (rows.len(), bad)),
            Ok((2, 0)),
            "{answer}"
        );
    }
    for answer in wrapped_variants("favorites", &pointers) {
        assert_eq!(
            decode_rows::<Favorite>(favorites::list(), &answer)
                .await
                .map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
    }
    for answer in wrapped_variants("invitations", &objects) {
        assert_eq!(
            decode_rows::<Invitation>(invitations::list(), &answer)
                .await
                .map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
    }
    for answer in wrapped_variants("skills", &objects) {
        assert_eq!(
            decode_rows::<Skill>(skills::list(&Default::default()), &answer)
                .await
                .map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
        assert_eq!(
            decode_rows::<Skill>(skills::find("x"), &answer)
                .await
                .map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
    }
    let request = || {
        gantry::client::search::search_page(
            &RecordSource::Index(Dataset::Projects),
            &Search::default(),
            None,
            25,
        )
    };
    for answer in wrapped_variants("projects", &objects) {
        assert_eq!(
            decode_rows::<Record>(request(), &answer)
                .await
                .map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn an_id_is_accepted_in_place_of_an_object() {
    let ids = json!([FIRST_ID, SECOND_ID]);
    for answer in wrapped_variants("favorites", &ids) {
        let (found, unreadable) = decode_rows::<Favorite>(favorites::list(), &answer)
            .await
            .unwrap();
        assert_eq!(
            (found[1].view_id.to_string().as_str(), unreadable),
            (SECOND_ID, 0),
            "{answer}"
        );
        let (found, _) = decode_rows::<Box<RawValue>>(favorites::list(), &answer)
            .await
            .unwrap();
        assert!(
            found[0].get().contains("view_id"),
            "a verb prints it as a row: {}",
            found[0]
        );
    }
    for answer in wrapped_variants("views", &ids) {
        let (found, _) = decode_rows::<View>(views::list(), &answer).await.unwrap();
        assert_eq!(found[0].id.to_string(), FIRST_ID, "{answer}");
    }
}

#[tokio::test]
async fn a_favorites_view_is_read_from_four_spellings() {
    for favorite in [
        json!({"view_id": FIRST_ID, "id": SECOND_ID}),
        json!({"viewId": FIRST_ID}),
        json!({"view": {"id": FIRST_ID, "name": "x"}, "id": SECOND_ID}),
        json!({"view": FIRST_ID}),
        json!({"id": FIRST_ID, "name": "the View itself"}),
    ] {
        let (found, _) = decode_rows::<Favorite>(favorites::list(), &json!({"data": [favorite]}))
            .await
            .unwrap();
        assert_eq!(
            found
                .iter()
                .map(|it| it.view_id.to_string())
                .collect::<Vec<_>>(),
            [FIRST_ID],
            "{favorite}"
        );
    }
}

#[tokio::test]
async fn a_documented_list_is_read_only_from_its_documented_place() {
    let list = json!([{"id": FIRST_ID}]);
    for answer in [
        json!({"data": list}),
        json!({"data": {"items": list}}),
        json!({"members": list}),
    ] {
        assert!(
            decode_rows::<Member>(members::list(), &answer)
                .await
                .unwrap_err()
                .contains("expected data.members"),
            "{answer}"
        );
    }
    for answer in [
        json!({"data": {"views": null}}),
        json!({"data": {}}),
        json!({"data": null}),
        json!({}),
        json!("soon"),
    ] {
        assert!(
            decode_rows::<View>(views::list(), &answer).await.is_err(),
            "a list that is missing is not empty: {answer}"
        );
    }
    let two = json!({"data": {"mine": list, "theirs": list}});
    assert!(
        decode_rows::<View>(views::list(), &two).await.is_err(),
        "it is ambiguous which of the two lists is meant"
    );
}

#[tokio::test]
async fn an_object_is_found_one_level_deeper_and_keeps_its_siblings() {
    let skill = json!({"id": FIRST_ID, "name": "First call"});
    for answer in [
        json!({"data": skill}),
        json!({"data": {"skill": skill}}),
        json!({"data": {"item": skill}}),
        json!({"data": [skill]}),
        json!({"skill": skill}),
        skill.clone(),
    ] {
        let found = decode_value::<Skill>(skills::get(&FIRST_ID.parse().unwrap()), &answer).await;
        assert_eq!(
            found.map(|skill| skill.name),
            Ok(Some("First call".to_owned())),
            "{answer}"
        );
    }
    let beside = json!({"data": {"skill": skill, "files": [{"path": "SKILL.md", "size": 3}]}});
    let found: Skill = decode_value(skills::get(&FIRST_ID.parse().unwrap()), &beside)
        .await
        .unwrap();
    assert_eq!(
        (found.name.as_deref(), found.files.len()),
        (Some("First call"), 1)
    );
    for answer in [
        json!({"data": {"path": "SKILL.md", "content": "Call."}}),
        json!({"data": {"file": {"path": "SKILL.md", "content": "Call."}}}),
        json!({"data": {"skill_id": FIRST_ID, "file": {"path": "SKILL.md", "text": "Call."}}}),
        json!({"file": {"content": "Call."}}),
        json!({"data": "Call."}),
    ] {
        let found = decode_value::<SkillFile>(
            skills::get_file(&FIRST_ID.parse().unwrap(), "SKILL.md", None),
            &answer,
        )
        .await;
        assert_eq!(
            found.map(|file| file.content),
            Ok("Call.".to_owned()),
            "{answer}"
        );
    }
}

/// A write and its result as text.
async fn send_write(
    request: Request,
    acts: Vec<ScriptedAction>,
) -> (Result<Value, String>, Vec<String>) {
    let socket = ScriptedServer::start(acts).await;
    let outcome = client(&socket)
        .fetch_value::<Value>(request)
        .await
        .map(|answer| answer.value)
        .map_err(|failure| failure.message);
    (
        outcome,
        socket
            .requests()
            .into_iter()
            .map(|seen| seen.line.split('?').next().unwrap_or_default().to_owned())
            .collect(),
    )
}

#[tokio::test]
async fn a_write_with_an_empty_response_is_done_and_read_back_if_free() {
    let draft = ViewDraft {
        name: Some("Calder".to_owned()),
        ..ViewDraft::default()
    };
    let change = || ViewDraft {
        view_id: Some(FIRST_ID.parse().unwrap()),
        ..draft.clone()
    };
    let user = FIRST_ID.parse().unwrap();
    let there =
        |list: &str, row: Value| ScriptedAction::json(&json!({"data": {list: [row]}}).to_string());
    let subscribed = ScriptedAction::json(
        &json!({"subscriptions": [{"signal_type": "permit_filed"}]}).to_string(),
    );
    let subscription_change = subscriptions::SubscriptionChange::default();
    for status in [200, 201, 202, 204] {
        let empty = || ScriptedAction::Respond(status, "", Vec::new());
        for (request, reread, name, expected) in [
            (
                members::set_role(user, &Role::Admin),
                there("members", json!({"id": FIRST_ID, "role": "admin"})),
                "GET /api/v1/workspace/members",
                json!({"id": FIRST_ID, "role": "admin"}),
            ),
            (
                invitations::create("New@a.example", &Role::Member),
                there(
                    "invitations",
                    json!({"id": FIRST_ID, "email": "new@a.example"}),
                ),
                "GET /api/v1/workspace/invitations",
                json!({"id": FIRST_ID, "email": "new@a.example"}),
            ),
            (
                views::upsert(&draft),
                there("views", json!({"id": FIRST_ID, "name": "Calder"})),
                "GET /api/v1/workspace/views",
                json!({"id": FIRST_ID, "name": "Calder"}),
            ),
            (
                views::upsert(&change()),
                ScriptedAction::json(
                    &json!({"data": {"id": FIRST_ID, "name": "Calder"}}).to_string(),
                ),
                "GET /api/v1/workspace/views/018f4d3a-0000-7000-8000-000000000001",
                json!({"id": FIRST_ID, "name": "Calder"}),
            ),
            (
                favorites::upsert(FIRST_ID.parse().unwrap()),
                there("favorites", json!({"view_id": FIRST_ID})),
                "GET /api/v1/workspace/favorite-views",
                json!({"view_id": FIRST_ID}),
            ),
        ] {
            let what = request.to_string();
            let (outcome, asked) = send_write(request, vec![empty(), reread]).await;
            assert_eq!(outcome, Ok(expected), "{status} {what}");
            assert_eq!(asked[1..], [name], "{status} {what}");
        }
        let socket = ScriptedServer::start([empty(), subscribed.clone()]).await;
        let request = subscriptions::set(&"permit_filed".into(), &subscription_change);
        assert_eq!(
            client(&socket)
                .fetch_rows::<Value>(request)
                .await
                .unwrap()
                .value
                .rows
                .len(),
            1,
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_done_write_stays_done_when_reading_it_back_fails() {
    let refusal = ScriptedAction::error_response(403, "", "forbidden", "not for you");
    let request = invitations::create("new@a.example", &Role::Member);
    assert_eq!(
        send_write(
            request,
            vec![ScriptedAction::Respond(202, "", Vec::new()), refusal]
        )
        .await
        .0,
        Ok(Value::Null)
    );
    let request = skills::change(
        skills::SkillAction::Delete,
        uuid::Uuid::nil(),
        json!({"skill_id": FIRST_ID}),
    );
    let (outcome, asked) =
        send_write(request, vec![ScriptedAction::Respond(204, "", Vec::new())]).await;
    assert_eq!((outcome, asked.len()), (Ok(Value::Null), 1));
}

#[tokio::test]
async fn reads_and_displayed_writes_require_a_response_body() {
    let socket = ScriptedServer::start([ScriptedAction::Respond(204, "", Vec::new())]).await;
    let failure = client(&socket)
        .triage(&[FIRST_ID.parse().unwrap()], &"done".into())
        .await
        .unwrap_err();
    assert_eq!(
        failure.kind,
        RequestErrorKind::Ambiguous,
        "{}",
        failure.message
    );
    let socket = ScriptedServer::start([ScriptedAction::Respond(200, "", Vec::new())]).await;
    assert!(
        client(&socket)
            .fetch_rows::<View>(views::list())
            .await
            .unwrap_err()
            .message
            .contains("empty response")
    );
}

#[tokio::test]
async fn an_error_body_with_status_200_is_not_success() {
    let error = || ScriptedAction::json(r#"{"error":{"code":"forbidden","message":"no"}}"#);
    let socket = ScriptedServer::start([error()]).await;
    let outcome = client(&socket)
        .execute(members::remove(FIRST_ID.parse().unwrap()))
        .await;
    assert_eq!(outcome.unwrap_err().message, "rejected (forbidden): no");
    let socket = ScriptedServer::start([error()]).await;
    assert!(
        client(&socket)
            .write_item(views::delete(FIRST_ID.parse().unwrap()))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn skill_lists_use_the_documented_fields_and_are_read_to_the_end() {
    let list = |ids: &[&str], total: Value| {
        let rows: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
        ScriptedAction::json(
            &json!({"data": {"skills": rows}, "metadata": {"credits": 0, "total": total}})
                .to_string(),
        )
    };
    let read = |acts: Vec<ScriptedAction>| async move {
        let socket = ScriptedServer::start(acts).await;
        let rows = client(&socket)
            .skills(&Default::default(), |skill: &Skill| skill.id.clone())
            .await
            .unwrap();
        let ids: Vec<_> = rows.rows.iter().map(|skill| skill.id.to_string()).collect();
        (
            ids.join(" "),
            socket
                .requests()
                .iter()
                .map(|seen| seen.body.clone())
                .collect::<Vec<_>>(),
        )
    };
    let refused = || ScriptedAction::error_response(400, "", "bad_request", "offset: unknown key");
    let (ids, bodies) = read(vec![list(&["call-script", "skl_2"], json!(2))]).await;
    assert_eq!(
        (ids.as_str(), bodies),
        ("call-script skl_2", vec!["{}".to_owned()]),
        "ids are not UUIDs, and no field is invented"
    );
    let (ids, bodies) = read(vec![
        list(&["a", "b"], json!(null)),
        list(&["b", "c"], json!(null)),
        list(&[], json!(null)),
    ])
    .await;
    assert_eq!(
        (ids.as_str(), bodies[1].as_str()),
        ("a b c", r#"{"offset":2}"#)
    );
    let (ids, bodies) = read(vec![list(&["a", "b"], json!(null)), refused()]).await;
    assert_eq!(
        (ids.as_str(), bodies.len()),
        ("a b", 2),
        "a service without offsets has sent everything"
    );
}

#[tokio::test]
async fn a_skill_id_need_not_be_a_uuid() {
    let skill = json!({"data": {"id": "call-script", "name": "Call script"}});
    let socket = ScriptedServer::start([ScriptedAction::json(&skill.to_string())]).await;
    let id = "call-script".parse().unwrap();
    let found: Skill = client(&socket)
        .fetch_value(skills::get(&id))
        .await
        .unwrap()
        .value;
    assert_eq!(
        (found.id, socket.requests()[0].body.as_str()),
        (id, r#"{"skill_id":"call-script"}"#)
    );
}

#[tokio::test]
async fn an_unreadable_number_becomes_unknown_and_loses_no_row() {
    for number in [
        "0",
        "-1",
        "2147483648",
        "9223372036854775808",
        "1e300",
        "1e400",
        "\"soon\"",
        "null",
        "[]",
    ] {
        let row = |fields: &str| fields.replace("N", number);
        let view = row(&format!(
            r#"{{"data":{{"views":[{{"id":"{FIRST_ID}","records_count":N,"updated_at":N}}]}},"metadata":{{"credits":N,"total":N}}}}"#
        ));
        let skill =
            row(r#"{"data":{"skills":[{"id":"a","revision":N,"files":[{"path":"x","size":N}]}]}}"#);
        let subscription = row(
            r#"{"subscriptions":[{"signal_type":"permit_filed","new_count":N,"notify_all_members":N}]}"#,
        );
        let search = row(&format!(
            r#"{{"data":[{{"id":"{FIRST_ID}","stories":N,"lat":N}}],"metadata":{{"credits":N,"total":N,"limit":N,"offset":N,"search_after":N}}}}"#
        ));
        let queue = row(&format!(
            r#"{{"signals":[{{"id":"{FIRST_ID}","reported_cost_usd":N,"filed_at":N}}],"pagination":{{"limit":N,"offset":N,"total":N}}}}"#
        ));
        // serde_json rejects numbers that are too large, which costs the row.
        let one = if number == "1e400" { 0 } else { 1 };
        let raw = |body: String| async move {
            ScriptedServer::start([
                ScriptedAction::json(&body),
                ScriptedAction::json(r#"{"signals":[],"data":[]}"#),
            ])
            .await
        };
        let socket = raw(view).await;
        assert_eq!(
            client(&socket)
                .fetch_rows::<View>(views::list())
                .await
                .unwrap()
                .value
                .rows
                .len(),
            one,
            "{number}"
        );
        let socket = raw(skill).await;
        assert_eq!(
            client(&socket)
                .fetch_rows::<Skill>(skills::find("x"))
                .await
                .unwrap()
                .value
                .rows
                .len(),
            one,
            "{number}"
        );
        let socket = raw(subscription).await;
        assert_eq!(
            client(&socket).subscriptions().await.unwrap().value.len(),
            one,
            "{number}"
        );
        let socket = raw(search).await;
        let request = gantry::client::search::search_page(
            &RecordSource::Index(Dataset::Projects),
            &Search::default(),
            None,
            25,
        );
        assert_eq!(
            client(&socket)
                .search_page(request, 25)
                .await
                .unwrap()
                .value
                .rows
                .len(),
            one,
            "{number}"
        );
        let socket = raw(queue).await;
        assert_eq!(
            client(&socket)
                .queue(&Default::default(), 0, 50)
                .await
                .unwrap()
                .value
                .rows
                .len(),
            one,
            "{number}"
        );
        assert!(
            socket.requests().len() <= 4,
            "{number}: {} requests",
            socket.requests().len()
        );
        let socket = raw(row(
            r#"{"data":{"limit":N,"used":N,"remaining":N,"next_release_at":N}}"#,
        ))
        .await;
        let _ = client(&socket).credits().await;
        let socket = raw(row(
            r#"{"new_count":N,"high_priority_new_count":N,"done_count":N,"type_counts":[{"signal_type":"x","new_count":N}]}"#,
        ))
        .await;
        let _ = client(&socket).queue_stats().await;
        let socket = raw(row(r#"{"updated":N}"#)).await;
        let _ = client(&socket)
            .triage(&[FIRST_ID.parse().unwrap()], &"done".into())
            .await;
    }
}
