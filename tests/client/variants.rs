//! A service that answers in other ways than the local one where the interface does not show the shape.

use gantry::client::{Client, Endpoint, Request, favorites, invitations, members, skills, subscriptions, views};
use gantry::domain::book::Dataset;
use gantry::domain::failure::RequestErrorKind;
use gantry::domain::members::{Invitation, Member, Role};
use gantry::domain::records::Record;
use gantry::domain::search::{RecordSource, Search};
use gantry::domain::skills::{Skill, SkillFile};
use gantry::domain::views::{Favorite, View, ViewDraft};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::hostile::{Act, Hostile};

const ID: &str = "018f4d3a-0000-7000-8000-000000000001";
const OTHER: &str = "018f4d3a-0000-7000-8000-000000000002";

fn client(socket: &Hostile) -> Client {
    let workspace = Some("018f4d3a-0000-7000-8000-00000000000a".parse().unwrap());
    let token = "gk_canary".to_owned().into();
    Client::new(Endpoint { base_url: socket.base_url.clone(), token, workspace }).unwrap()
}

/// The rows that a request finds in an answer, and how many could not be read.
async fn rows<T: DeserializeOwned>(request: Request, answer: &Value) -> Result<(Vec<T>, usize), String> {
    let socket = Hostile::start([Act::json(&answer.to_string())]).await;
    let rows = client(&socket).fetch_rows::<T>(request).await.map_err(|failure| failure.message)?.value;
    Ok((rows.rows, rows.unreadable))
}

async fn value<T: DeserializeOwned>(request: Request, answer: &Value) -> Result<T, String> {
    let socket = Hostile::start([Act::json(&answer.to_string())]).await;
    client(&socket).fetch_value::<T>(request).await.map(|answer| answer.value).map_err(|failure| failure.message)
}

/// All the places where a service may put a list of this name.
fn wrapped(name: &str, list: &Value) -> Vec<Value> {
    vec![
        json!({"data": {name: list}, "metadata": {"credits": 0}}),
        json!({"data": list, "metadata": {"credits": 0}}),
        json!({"data": {"items": list}}),
        json!({"data": {"records": list}}),
        json!({"data": {"results": list, "warnings": []}}),
        json!({"data": {name: {"items": list, "count": 2}}}),
        json!({"data": {"workspace_id": ID, "list": list, "page": {"next": []}}}),
        json!({name: list, "metadata": {"credits": 0, "warnings": ["x"]}}),
        json!({"items": list}),
        json!(list),
    ]
}

#[tokio::test]
async fn a_list_whose_place_is_not_shown_is_found_in_any_wrapper() {
    let objects = json!([{"id": ID, "name": "Calder"}, {"id": OTHER, "name": "Weld"}]);
    let pointers = json!([{"view_id": ID}, {"view_id": OTHER}]);
    for answer in wrapped("views", &objects) {
        assert_eq!(rows::<View>(views::list(), &answer).await.map(|(rows, bad)| (rows.len(), bad)), Ok((2, 0)), "{answer}");
    }
    for answer in wrapped("favorites", &pointers) {
        assert_eq!(rows::<Favorite>(favorites::list(), &answer).await.map(|(rows, _)| rows.len()), Ok(2), "{answer}");
    }
    for answer in wrapped("invitations", &objects) {
        assert_eq!(rows::<Invitation>(invitations::list(), &answer).await.map(|(rows, _)| rows.len()), Ok(2), "{answer}");
    }
    for answer in wrapped("skills", &objects) {
        assert_eq!(
            rows::<Skill>(skills::list(&Default::default()), &answer).await.map(|(rows, _)| rows.len()),
            Ok(2),
            "{answer}"
        );
        assert_eq!(rows::<Skill>(skills::find("x"), &answer).await.map(|(rows, _)| rows.len()), Ok(2), "{answer}");
    }
    let request = || gantry::client::search::search_page(&RecordSource::Index(Dataset::Projects), &Search::default(), None, 25);
    for answer in wrapped("projects", &objects) {
        assert_eq!(rows::<Record>(request(), &answer).await.map(|(rows, _)| rows.len()), Ok(2), "{answer}");
    }
}

#[tokio::test]
async fn an_id_where_an_object_was_expected_stands_for_the_object() {
    let ids = json!([ID, OTHER]);
    for answer in wrapped("favorites", &ids) {
        let (found, unreadable) = rows::<Favorite>(favorites::list(), &answer).await.unwrap();
        assert_eq!((found[1].view_id.to_string().as_str(), unreadable), (OTHER, 0), "{answer}");
        let (found, _) = rows::<Box<RawValue>>(favorites::list(), &answer).await.unwrap();
        assert!(found[0].get().contains("view_id"), "a verb prints it as a row: {}", found[0]);
    }
    for answer in wrapped("views", &ids) {
        let (found, _) = rows::<View>(views::list(), &answer).await.unwrap();
        assert_eq!(found[0].id.to_string(), ID, "{answer}");
    }
}

#[tokio::test]
async fn a_favorite_names_its_view_in_any_of_four_ways() {
    for favorite in [
        json!({"view_id": ID, "id": OTHER}),
        json!({"viewId": ID}),
        json!({"view": {"id": ID, "name": "x"}, "id": OTHER}),
        json!({"view": ID}),
        json!({"id": ID, "name": "the View itself"}),
    ] {
        let (found, _) = rows::<Favorite>(favorites::list(), &json!({"data": [favorite]})).await.unwrap();
        assert_eq!(found.iter().map(|it| it.view_id.to_string()).collect::<Vec<_>>(), [ID], "{favorite}");
    }
}

#[tokio::test]
async fn a_list_that_the_interface_shows_is_read_where_it_shows_it_and_nowhere_else() {
    let list = json!([{"id": ID}]);
    for answer in [json!({"data": list}), json!({"data": {"items": list}}), json!({"members": list})] {
        assert!(rows::<Member>(members::list(), &answer).await.unwrap_err().contains("expected data.members"), "{answer}");
    }
    for answer in [json!({"data": {"views": null}}), json!({"data": {}}), json!({"data": null}), json!({}), json!("soon")] {
        assert!(rows::<View>(views::list(), &answer).await.is_err(), "a list that is missing is not empty: {answer}");
    }
    let two = json!({"data": {"mine": list, "theirs": list}});
    assert!(rows::<View>(views::list(), &two).await.is_err(), "which of two lists is meant cannot be known");
}

#[tokio::test]
async fn a_thing_is_found_one_level_deeper_and_keeps_what_stands_beside_it() {
    let skill = json!({"id": ID, "name": "First call"});
    for answer in [
        json!({"data": skill}),
        json!({"data": {"skill": skill}}),
        json!({"data": {"item": skill}}),
        json!({"data": [skill]}),
        json!({"skill": skill}),
        skill.clone(),
    ] {
        let found = value::<Skill>(skills::get(&ID.parse().unwrap()), &answer).await;
        assert_eq!(found.map(|skill| skill.name), Ok(Some("First call".to_owned())), "{answer}");
    }
    let beside = json!({"data": {"skill": skill, "files": [{"path": "SKILL.md", "size": 3}]}});
    let found: Skill = value(skills::get(&ID.parse().unwrap()), &beside).await.unwrap();
    assert_eq!((found.name.as_deref(), found.files.len()), (Some("First call"), 1));
    for answer in [
        json!({"data": {"path": "SKILL.md", "content": "Call."}}),
        json!({"data": {"file": {"path": "SKILL.md", "content": "Call."}}}),
        json!({"data": {"skill_id": ID, "file": {"path": "SKILL.md", "text": "Call."}}}),
        json!({"file": {"content": "Call."}}),
        json!({"data": "Call."}),
    ] {
        let found = value::<SkillFile>(skills::get_file(&ID.parse().unwrap(), "SKILL.md", None), &answer).await;
        assert_eq!(found.map(|file| file.content), Ok("Call.".to_owned()), "{answer}");
    }
}

/// A write, and what came of it, told by the value's own words.
async fn written(request: Request, acts: Vec<Act>) -> (Result<Value, String>, Vec<String>) {
    let socket = Hostile::start(acts).await;
    let outcome =
        client(&socket).fetch_value::<Value>(request).await.map(|answer| answer.value).map_err(|failure| failure.message);
    (outcome, socket.seen().into_iter().map(|seen| seen.line.split('?').next().unwrap_or_default().to_owned()).collect())
}

#[tokio::test]
async fn a_write_that_is_answered_without_a_body_is_done_and_read_where_reading_is_free() {
    let draft = ViewDraft { name: Some("Calder".to_owned()), ..ViewDraft::default() };
    let change = || ViewDraft { view_id: Some(ID.parse().unwrap()), ..draft.clone() };
    let user = ID.parse().unwrap();
    let there = |list: &str, row: Value| Act::json(&json!({"data": {list: [row]}}).to_string());
    let subscribed = Act::json(&json!({"subscriptions": [{"signal_type": "permit_filed"}]}).to_string());
    let subscription_change = subscriptions::SubscriptionChange::default();
    for status in [200, 201, 202, 204] {
        let empty = || Act::Answer(status, "", Vec::new());
        for (request, reread, name, expected) in [
            (
                members::set_role(user, &Role::Admin),
                there("members", json!({"id": ID, "role": "admin"})),
                "GET /api/v1/workspace/members",
                json!({"id": ID, "role": "admin"}),
            ),
            (
                invitations::create("New@a.example", &Role::Member),
                there("invitations", json!({"id": ID, "email": "new@a.example"})),
                "GET /api/v1/workspace/invitations",
                json!({"id": ID, "email": "new@a.example"}),
            ),
            (
                views::upsert(&draft),
                there("views", json!({"id": ID, "name": "Calder"})),
                "GET /api/v1/workspace/views",
                json!({"id": ID, "name": "Calder"}),
            ),
            (
                views::upsert(&change()),
                Act::json(&json!({"data": {"id": ID, "name": "Calder"}}).to_string()),
                "GET /api/v1/workspace/views/018f4d3a-0000-7000-8000-000000000001",
                json!({"id": ID, "name": "Calder"}),
            ),
            (
                favorites::upsert(ID.parse().unwrap()),
                there("favorites", json!({"view_id": ID})),
                "GET /api/v1/workspace/favorite-views",
                json!({"view_id": ID}),
            ),
        ] {
            let what = request.to_string();
            let (outcome, asked) = written(request, vec![empty(), reread]).await;
            assert_eq!(outcome, Ok(expected), "{status} {what}");
            assert_eq!(asked[1..], [name], "{status} {what}");
        }
        let socket = Hostile::start([empty(), subscribed.clone()]).await;
        let request = subscriptions::set(&"permit_filed".into(), &subscription_change);
        assert_eq!(client(&socket).fetch_rows::<Value>(request).await.unwrap().value.rows.len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_write_that_is_done_stays_done_when_it_cannot_be_read_afterwards() {
    let refusal = Act::refusal(403, "", "forbidden", "not for you");
    let request = invitations::create("new@a.example", &Role::Member);
    assert_eq!(written(request, vec![Act::Answer(202, "", Vec::new()), refusal]).await.0, Ok(Value::Null));
    let request = skills::change(skills::SkillAction::Delete, uuid::Uuid::nil(), json!({"skill_id": ID}));
    let (outcome, asked) = written(request, vec![Act::Answer(204, "", Vec::new())]).await;
    assert_eq!((outcome, asked.len()), (Ok(Value::Null), 1));
}

#[tokio::test]
async fn a_read_and_a_write_whose_answer_is_shown_need_that_answer() {
    let socket = Hostile::start([Act::Answer(204, "", Vec::new())]).await;
    let failure = client(&socket).triage(&[ID.parse().unwrap()], &"done".into()).await.unwrap_err();
    assert_eq!(failure.kind, RequestErrorKind::Ambiguous, "{}", failure.message);
    let socket = Hostile::start([Act::Answer(200, "", Vec::new())]).await;
    assert!(client(&socket).fetch_rows::<View>(views::list()).await.unwrap_err().message.contains("empty answer"));
}

#[tokio::test]
async fn an_error_that_comes_with_a_200_is_not_done() {
    let error = || Act::json(r#"{"error":{"code":"forbidden","message":"no"}}"#);
    let socket = Hostile::start([error()]).await;
    let outcome = client(&socket).execute(members::remove(ID.parse().unwrap())).await;
    assert_eq!(outcome.unwrap_err().message, "refused (forbidden): no");
    let socket = Hostile::start([error()]).await;
    assert!(client(&socket).write_item(views::delete(ID.parse().unwrap())).await.is_err());
}

#[tokio::test]
async fn a_list_of_skills_is_asked_for_with_the_fields_that_the_interface_shows_and_read_to_its_end() {
    let list = |ids: &[&str], total: Value| {
        let rows: Vec<_> = ids.iter().map(|id| json!({"id": id})).collect();
        Act::json(&json!({"data": {"skills": rows}, "metadata": {"credits": 0, "total": total}}).to_string())
    };
    let read = |acts: Vec<Act>| async move {
        let socket = Hostile::start(acts).await;
        let rows = client(&socket).skills(&Default::default(), |skill: &Skill| skill.id.clone()).await.unwrap();
        let ids: Vec<_> = rows.rows.iter().map(|skill| skill.id.to_string()).collect();
        (ids.join(" "), socket.seen().iter().map(|seen| seen.body.clone()).collect::<Vec<_>>())
    };
    let refused = || Act::refusal(400, "", "bad_request", "offset: unknown key");
    let (ids, bodies) = read(vec![list(&["call-script", "skl_2"], json!(2))]).await;
    assert_eq!((ids.as_str(), bodies), ("call-script skl_2", vec!["{}".to_owned()]), "ids are no UUIDs, and no field is made up");
    let (ids, bodies) = read(vec![list(&["a", "b"], json!(null)), list(&["b", "c"], json!(null)), list(&[], json!(null))]).await;
    assert_eq!((ids.as_str(), bodies[1].as_str()), ("a b c", r#"{"offset":2}"#));
    let (ids, bodies) = read(vec![list(&["a", "b"], json!(null)), refused()]).await;
    assert_eq!((ids.as_str(), bodies.len()), ("a b", 2), "a service that takes no offset has sent all");
}

#[tokio::test]
async fn a_skill_whose_id_is_no_uuid_is_read_and_changed() {
    let skill = json!({"data": {"id": "call-script", "name": "Call script"}});
    let socket = Hostile::start([Act::json(&skill.to_string())]).await;
    let id = "call-script".parse().unwrap();
    let found: Skill = client(&socket).fetch_value(skills::get(&id)).await.unwrap().value;
    assert_eq!((found.id, socket.seen()[0].body.as_str()), (id, r#"{"skill_id":"call-script"}"#));
}

#[tokio::test]
async fn any_number_in_an_answer_is_read_or_unknown_and_costs_no_row() {
    for number in ["0", "-1", "2147483648", "9223372036854775808", "1e300", "1e400", "\"soon\"", "null", "[]"] {
        let row = |fields: &str| fields.replace("N", number);
        let view = row(&format!(
            r#"{{"data":{{"views":[{{"id":"{ID}","records_count":N,"updated_at":N}}]}},"metadata":{{"credits":N,"total":N}}}}"#
        ));
        let skill = row(r#"{"data":{"skills":[{"id":"a","revision":N,"files":[{"path":"x","size":N}]}]}}"#);
        let subscription = row(r#"{"subscriptions":[{"signal_type":"permit_filed","new_count":N,"notify_all_members":N}]}"#);
        let search = row(&format!(
            r#"{{"data":[{{"id":"{ID}","stories":N,"lat":N}}],"metadata":{{"credits":N,"total":N,"limit":N,"offset":N,"search_after":N}}}}"#
        ));
        let queue = row(&format!(
            r#"{{"signals":[{{"id":"{ID}","reported_cost_usd":N,"filed_at":N}}],"pagination":{{"limit":N,"offset":N,"total":N}}}}"#
        ));
        // serde_json holds no number beyond all measure: it costs its row there.
        let one = if number == "1e400" { 0 } else { 1 };
        let raw =
            |body: String| async move { Hostile::start([Act::json(&body), Act::json(r#"{"signals":[],"data":[]}"#)]).await };
        let socket = raw(view).await;
        assert_eq!(client(&socket).fetch_rows::<View>(views::list()).await.unwrap().value.rows.len(), one, "{number}");
        let socket = raw(skill).await;
        assert_eq!(client(&socket).fetch_rows::<Skill>(skills::find("x")).await.unwrap().value.rows.len(), one, "{number}");
        let socket = raw(subscription).await;
        assert_eq!(client(&socket).subscriptions().await.unwrap().value.len(), one, "{number}");
        let socket = raw(search).await;
        let request = gantry::client::search::search_page(&RecordSource::Index(Dataset::Projects), &Search::default(), None, 25);
        assert_eq!(client(&socket).search_page(request, 25).await.unwrap().value.rows.len(), one, "{number}");
        let socket = raw(queue).await;
        assert_eq!(client(&socket).queue(&Default::default(), 0, 50).await.unwrap().value.rows.len(), one, "{number}");
        assert!(socket.seen().len() <= 4, "{number}: {} requests", socket.seen().len());
        let socket = raw(row(r#"{"data":{"limit":N,"used":N,"remaining":N,"next_release_at":N}}"#)).await;
        let _ = client(&socket).credits().await;
        let socket = raw(row(
            r#"{"new_count":N,"high_priority_new_count":N,"done_count":N,"type_counts":[{"signal_type":"x","new_count":N}]}"#,
        ))
        .await;
        let _ = client(&socket).queue_stats().await;
        let socket = raw(row(r#"{"updated":N}"#)).await;
        let _ = client(&socket).triage(&[ID.parse().unwrap()], &"done".into()).await;
    }
}
