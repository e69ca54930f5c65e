//! The client against the local service in this process: its requests match the interface.

use gantry::client::book::RecordRef;
use gantry::client::paging::Pager;
use gantry::client::skills::{SkillAction, SkillFilter};
use gantry::client::{
    Client, Endpoint, Request, api, book, data, favorites, invitations, members, queue, signals,
    skills, subscriptions, views, workspace,
};
use gantry::domain::annotate::{AnnotationBaseline, AnnotationWrite, CHANGED_SINCE_CODE};
use gantry::domain::book::{Annotation, Dataset, IcpTier, RecordKind};
use gantry::domain::conditions::Conditions;
use gantry::domain::feed::FeedFilter;
use gantry::domain::members::Role;
use gantry::domain::patch::Patch;
use gantry::domain::queue::{QueueFilter, TriageStatus};
use gantry::domain::records::Record;
use gantry::domain::request_error::RequestErrorKind;
use gantry::domain::search::{Search, SortOrder};
use gantry::domain::signals::SignalType;
use gantry::domain::{InvitationId, SubscriptionId, UserId, ViewId};
use gantry::interface::{RouteId, routes};
use gantry::service::{self, RunningService};
use serde_json::json;
use serde_json::value::RawValue;
use uuid::Uuid;

/// A service over a small sample, with the owner's client and an API key's.
async fn start_service() -> (RunningService, Client, Client) {
    let running = service::start(service::ServiceOptions {
        projects: 120,
        ..service::ServiceOptions::default()
    })
    .await
    .unwrap();
    let workspace = &running.startup_info().workspaces[0];
    let client = |token: &str| {
        let endpoint = Endpoint {
            base_url: running.base_url().to_owned(),
            token: token.to_owned().into(),
            workspace: Some(workspace.id),
            certificate: None,
        };
        Client::new(endpoint).unwrap()
    };
    let owner = workspace
        .members
        .iter()
        .find(|member| member.role == Role::Owner)
        .unwrap();
    let (person, key) = (
        client(&owner.access_token),
        client(&workspace.api_keys[0].key),
    );
    (running, person, key)
}

#[tokio::test]
async fn every_console_request_is_served() {
    let (running, person, key) = start_service().await;
    for client in [&person, &key] {
        let workspace = client.workspace().await.unwrap();
        assert_eq!(workspace.value.id, client.workspace_id());
        assert!(workspace.date.is_some(), "the service reports its clock");
        assert!(client.credits().await.unwrap().value.remaining.is_some());
        assert!(client.members().await.unwrap().value.len() >= 4);
        assert!(!client.subscriptions().await.unwrap().value.is_empty());
    }
    let stats = person.queue_stats().await.unwrap().value;
    let page = person
        .queue(&QueueFilter::default(), 0, 500)
        .await
        .unwrap()
        .value;
    assert_eq!(
        (page.unreadable, page.total),
        (0, Some(stats.new_count + stats.done_count))
    );
    let row = &page.rows[0];
    let signal = person.signal(row.signal.id).await.unwrap().value;
    assert!(signal.raw_data.is_some() && signal.id == row.signal.id);
    let dossier = person
        .project_details(signal.project_id.unwrap())
        .await
        .unwrap();
    assert_eq!(dossier.credits, Some(1));
    assert!(
        dossier
            .value
            .signals
            .iter()
            .any(|embedded| embedded.id == signal.id)
    );
    running.stop().await;
}

#[tokio::test]
async fn a_triage_counts_what_changed_and_a_repeat_changes_nothing() {
    let (running, person, key) = start_service().await;
    let new = QueueFilter {
        status: [TriageStatus::New].into(),
        ..QueueFilter::default()
    };
    let ids: Vec<_> = person
        .queue(&new, 0, 3)
        .await
        .unwrap()
        .value
        .rows
        .iter()
        .map(|row| row.signal.id)
        .collect();
    assert_eq!(
        person
            .triage(&ids, &TriageStatus::Done)
            .await
            .unwrap()
            .value,
        3
    );
    assert_eq!(
        key.triage(&ids, &TriageStatus::Done).await.unwrap().value,
        0
    );
    assert_eq!(key.triage(&ids, &TriageStatus::New).await.unwrap().value, 3);
    running.stop().await;
}

#[tokio::test]
async fn lists_are_read_to_the_end_by_cursor_and_by_offset() {
    let (running, person, _) = start_service().await;
    let sort = Some(SortOrder {
        field: "name".to_owned(),
        ascending: true,
    });
    let request = book::search(
        &RecordKind::Accounts,
        &Search {
            sort,
            ..Search::default()
        },
    );
    let mut pages = Pager::<Box<RawValue>>::new(&person, request, u32::MAX, 10);
    let (mut rows, mut credits, mut total) = (0, 0, None);
    while let Some(page) = pages.next().await.unwrap() {
        rows += page.value.rows.len() as u64;
        credits += page.credits.unwrap();
        total = page.value.total;
    }
    assert!(pages.is_complete() && rows > 10);
    assert_eq!((Some(rows), credits), (total, rows));

    let mut pages =
        Pager::<Box<RawValue>>::new(&person, queue::list(&QueueFilter::default()), 25, 10);
    let mut sizes = Vec::new();
    while let Some(page) = pages.next().await.unwrap() {
        sizes.push(page.value.rows.len());
    }
    assert_eq!((sizes, pages.is_complete()), (vec![10, 10, 5], false));
    running.stop().await;
}

/// Every request of the client: each route exists and accepts its shape.
#[tokio::test]
async fn the_client_and_the_service_agree_on_every_route() {
    let (running, person, _) = start_service().await;
    let (id, view, user) = (Uuid::nil(), ViewId(Uuid::nil()), UserId(Uuid::nil()));
    let search = Search {
        filters: Conditions::parse(["name=yard"]).unwrap(),
        ..Search::default()
    };
    let annotation = Annotation {
        workspace_status: Patch::Set("called".to_owned()),
        notes: Patch::Clear,
        ..Annotation::default()
    };
    let tiered = Annotation {
        icp_tier: Patch::Set(IcpTier::One),
        ..Annotation::default()
    };
    let draft = gantry::domain::views::ViewDraft {
        name: Some("Towers".to_owned()),
        dataset: Some("project".to_owned()),
        kind: Some("static".to_owned()),
        ..gantry::domain::views::ViewDraft::default()
    };
    let loan = SignalType::ConstructionLoan;
    let subscription = subscriptions::SubscriptionChange {
        notify_all_members: Some(false),
        ..subscriptions::SubscriptionChange::default()
    };
    let mut requests: Vec<Request> = vec![
        workspace::get(),
        workspace::get_credits(),
        queue::list(&QueueFilter::default()),
        queue::stats(),
        queue::triage(&[gantry::domain::SignalId(id)], &TriageStatus::Done),
        signals::feed(&FeedFilter::default()),
        signals::get(gantry::domain::SignalId(id)),
        subscriptions::list(),
        subscriptions::set(&loan, &subscription),
        subscriptions::set_bulk(&[(loan.clone(), gantry::domain::queue::Priority::Medium)]),
        subscriptions::remove(&loan),
        subscriptions::list_with_ids(),
        subscriptions::upsert(&loan, &subscription),
        subscriptions::remove_by_id(SubscriptionId(id)),
        members::list(),
        members::set_role(user, &Role::Member),
        members::remove(user),
        invitations::list(),
        invitations::create("new@northline.example", &Role::Member),
        invitations::revoke(InvitationId(id)),
        data::filters("skill"),
        data::ask_question("projects", "towers in Austin"),
        data::field(&Dataset::Projects, "stage"),
        views::list(),
        views::get(view),
        views::upsert(&draft),
        views::delete(view),
        views::upsert_batch(std::slice::from_ref(&draft)),
        views::delete_batch(&[view]),
        views::search_records(view, &search),
        views::add_record(view, id),
        views::add_records(view, &[id]),
        views::remove_record(view, id),
        views::remove_records(view, &[id]),
        favorites::list(),
        favorites::upsert(view),
        favorites::delete(view),
        favorites::upsert_batch(&[view]),
        favorites::delete_batch(&[view]),
        skills::find("permit"),
        skills::list(&SkillFilter {
            source: vec!["custom".to_owned()],
            ..SkillFilter::default()
        }),
        skills::get(&id.into()),
        skills::get_file(&id.into(), "SKILL.md", Some(1)),
        skills::revisions(&id.into()),
    ];
    for kind in RecordKind::ALL {
        let who = book::RecordRef::Id(id);
        let annotation = if *kind == RecordKind::Accounts {
            &tiered
        } else {
            &annotation
        };
        requests.extend([
            book::search(kind, &search),
            book::get(
                kind,
                id,
                Dataset::from(kind).available_includes().iter().copied(),
            ),
            book::upsert(kind, &who, annotation),
            book::delete(kind, id),
            book::upsert_batch(kind, &[(who, annotation.clone())]),
            book::delete_batch(kind, &[id]),
        ]);
    }
    for dataset in Dataset::ALL {
        requests.push(data::get(
            dataset,
            id,
            dataset.available_includes().iter().copied(),
        ));
        requests.push(data::fields(dataset));
        let search = if *dataset == Dataset::Signals {
            Search::default()
        } else {
            search.clone()
        };
        requests.push(data::search(dataset, &search));
    }
    let create = json!({"name": "First call", "description": "How we open", "files": [{"path": "SKILL.md", "content": "Call."}]});
    for (change, body) in [
        (SkillAction::Create, create),
        (
            SkillAction::Update,
            json!({"skill_id": id, "description": "x"}),
        ),
        (SkillAction::Publish, json!({"skill_id": id})),
        (SkillAction::Unpublish, json!({"skill_id": id})),
        (SkillAction::Delete, json!({"skill_id": id})),
        (
            SkillAction::Transfer,
            json!({"skill_id": id, "user_id": id}),
        ),
        (
            SkillAction::Move,
            json!({"skill_id": id, "audience": "personal"}),
        ),
        (SkillAction::Fork, json!({"skill_id": id})),
        (SkillAction::Install, json!({"skill_id": id})),
        (SkillAction::Uninstall, json!({"skill_id": id})),
    ] {
        requests.push(skills::change(change, Uuid::new_v4(), body.clone()));
        requests.push(skills::change_batch(change, [(Uuid::new_v4(), body)]));
    }
    let route_of = |request: &Request| {
        let line = request.to_string();
        let (method, path) = line.split_once(' ')?;
        RouteId::find(method, path).map(RouteId::route)
    };
    let asked: Vec<_> = requests.iter().filter_map(route_of).collect();
    let mut missing = routes();
    missing.retain(|route| !asked.contains(route));
    assert!(missing.is_empty(), "no request for {missing:?}");
    let mut wrong = Vec::new();
    for request in requests {
        let name = request.to_string();
        // The nil id does not exist; any other error would be ours.
        match person.fetch_value::<Box<RawValue>>(request).await {
            Err(failure)
                if !matches!(failure.status(), Some(404)) || failure.message.contains("route") =>
            {
                wrong.push(format!("{name}: {}", failure.message));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    running.stop().await;
}

#[tokio::test]
async fn a_read_only_client_sends_reads_but_no_writes() {
    let (running, person, _) = start_service().await;
    let ids: Vec<_> = person
        .queue(&QueueFilter::default(), 0, 1)
        .await
        .unwrap()
        .value
        .rows
        .iter()
        .map(|row| row.signal.id)
        .collect();
    let reader = person.with_read_only(true);
    assert!(reader.queue_stats().await.is_ok());
    assert!(
        reader
            .fetch_rows::<Box<RawValue>>(data::search(&Dataset::Projects, &Search::default()))
            .await
            .is_ok(),
        "a search is a read"
    );
    assert!(
        reader
            .skills::<Box<RawValue>, _>(&SkillFilter::default(), ToString::to_string)
            .await
            .is_ok()
    );
    assert!(
        reader
            .fetch_value::<Box<RawValue>>(data::ask_question("projects", "towers in Austin"))
            .await
            .is_ok()
    );
    let listed =
        api::raw_request("POST", "/workspace/skills/list", vec![], Some(json!({}))).unwrap();
    assert!(reader.fetch_value::<Box<RawValue>>(listed).await.is_ok());
    let before = person.queue_stats().await.unwrap().value;
    for status in [TriageStatus::Done, TriageStatus::New] {
        let failure = reader.triage(&ids, &status).await.unwrap_err();
        assert_eq!(
            (&failure.kind, failure.message.contains("--read-only")),
            (&RequestErrorKind::ReadOnly, true),
            "{failure:?}"
        );
    }
    let id = Uuid::nil();
    for request in [
        book::delete(&RecordKind::Accounts, id),
        views::delete_batch(&[ViewId(id)]),
        favorites::upsert(ViewId(id)),
        invitations::create("a@b.example", &Role::Member),
        members::remove(UserId(id)),
        subscriptions::remove(&SignalType::from("permit_filed")),
        skills::change(SkillAction::Delete, id, json!({})),
        api::raw_request("post", "/signals/triage?x=/search", vec![], Some(json!({}))).unwrap(),
        api::raw_request("HEAD", "/workspace", vec![], None).unwrap(),
    ] {
        let failure = reader.execute(request.clone()).await.unwrap_err();
        assert_eq!(failure.kind, RequestErrorKind::ReadOnly, "{request}");
    }
    assert_eq!(person.queue_stats().await.unwrap().value, before);
    running.stop().await;
}

#[tokio::test]
async fn an_annotation_never_overwrites_a_colleagues_later_change() {
    let (running, mine, theirs) = start_service().await;
    let page = mine
        .fetch_rows::<Record>(book::search(&RecordKind::Accounts, &Search::default()))
        .await
        .unwrap()
        .value
        .rows;
    let id = page[0].id;
    let annotation =
        |value: serde_json::Value| serde_json::from_value::<Annotation>(value).unwrap();
    let upsert = |value| {
        book::upsert(
            &RecordKind::Accounts,
            &RecordRef::Id(id),
            &annotation(value),
        )
    };
    let seen = json!({"workspace_status": "cold", "tags": ["austin"], "notes": "met"});
    theirs
        .fetch_value::<Record>(upsert(seen.clone()))
        .await
        .unwrap();
    let fields = async || {
        mine.fetch_value::<Record>(book::get(&RecordKind::Accounts, id, []))
            .await
            .unwrap()
            .value
            .fields()
    };
    let write = async |wanted| {
        let seen = Some(AnnotationBaseline {
            in_book: Some(true),
            fields: annotation(seen.clone()),
        });
        let annotating = AnnotationWrite {
            id,
            desired: annotation(wanted),
            baseline: seen,
        };
        mine.annotate(&RecordKind::Accounts, &[annotating])
            .await
            .unwrap()
            .remove(0)
    };
    theirs
        .fetch_value::<Record>(upsert(json!({"workspace_status": "won", "tags": ["austin", "theirs"], "notes": "met\nsigned"})))
        .await
        .unwrap();

    let refused = write(json!({"workspace_status": "called"})).await;
    assert!(
        refused.has_code(CHANGED_SINCE_CODE)
            && refused
                .checked
                .is_some_and(|checked| checked.before.is_some())
    );
    assert_eq!(fields().await.text("workspace_status"), Some("won"));
    assert!(
        write(json!({"tags": ["austin", "mine"], "notes": "met\ncall"}))
            .await
            .is_ok()
    );
    let now = fields().await;
    assert_eq!(
        (now.list("tags"), now.text("notes")),
        (vec!["austin", "theirs", "mine"], Some("met\nsigned\ncall"))
    );

    mine.execute(book::delete(&RecordKind::Accounts, id))
        .await
        .unwrap();
    assert!(
        write(json!({"workspace_status": "called"}))
            .await
            .has_code(CHANGED_SINCE_CODE),
        "it is no longer in the book"
    );
    running.stop().await;
}
