//! All routes of the interface: its table of contents, and the way of a request through gates, handler and meter.

use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody;
use axum::extract::{FromRequestParts, Query, RawPathParams, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Extension, Router};
use serde_json::Value;

use super::Desk;
use super::answer::Answer;
use super::ask::Ask;
use super::body;
use super::db::{self, Conn};
use super::form::{At, Once};
use super::gate::{Access, Caller, Gate, Place, Who};
use super::refusal::Refusal;
use super::routes::*;

/// What all paths are relative to.
pub const BASE: &str = "/api/v1";

type Run = fn(&Conn, &Ask) -> Result<Answer, Refusal>;

/// A method and a path of the interface.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, relative to the base.
    pub path: &'static str,
    /// What it asks of its caller.
    pub gate: Gate,
    /// The query's parameters that it takes besides `workspace_id`.
    pub params: &'static [&'static str],
    scores: bool,
    run: Run,
}

/// The interface, family by family.
pub fn routes() -> Vec<Route> {
    use Place::{Body, BodyAlways, Overriding, QueryAlways};
    use Who::{Admins, Users};
    vec![
        // Data API
        get("/data/{dataset}/{id}", data::show).params(data::PARAMS),
        find("/data/{dataset}/search", data_search::search),
        find("/data/fields/search", fields::search),
        get("/data/fields/{dataset}/{key}", fields::show),
        get("/filters", filters::show).params(&["entity"]),
        find("/filters/ask", filters::translate).place(Body),
        // Workspace: meta reads
        get("/workspace", workspace::show),
        get("/workspace/credits", credits::show),
        // Workspace: members and invitations
        get("/workspace/members", members::list).place(Overriding),
        patch("/workspace/members/{userId}", members::change).who(Admins),
        delete("/workspace/members/{userId}", members::remove).who(Admins),
        post("/workspace/invitations", invitations::create).who(Admins),
        get("/workspace/invitations", invitations::list).who(Admins).params(&["status"]),
        delete("/workspace/invitations/{id}", invitations::revoke).who(Admins),
        // Workspace: the book
        find("/workspace/accounts/search", accounts::search),
        get("/workspace/accounts/{id}", accounts::show).params(data::PARAMS),
        post("/workspace/accounts/upsert", accounts::upsert).scores(),
        post("/workspace/accounts/upsert/batch", accounts::upsert_batch).scores(),
        delete("/workspace/accounts/{id}", accounts::remove),
        post("/workspace/accounts/delete/batch", accounts::remove_batch),
        find("/workspace/contacts/search", contacts::search),
        get("/workspace/contacts/{id}", contacts::show).params(data::PARAMS),
        post("/workspace/contacts/upsert", contacts::upsert),
        post("/workspace/contacts/upsert/batch", contacts::upsert_batch),
        delete("/workspace/contacts/{id}", contacts::remove),
        post("/workspace/contacts/delete/batch", contacts::remove_batch),
        find("/workspace/projects/search", projects::search),
        get("/workspace/projects/{id}", projects::show).params(data::PARAMS),
        post("/workspace/projects/upsert", projects::upsert),
        post("/workspace/projects/upsert/batch", projects::upsert_batch),
        delete("/workspace/projects/{id}", projects::remove),
        post("/workspace/projects/delete/batch", projects::remove_batch),
        // Workspace: Views (shared) and Favorites (personal)
        get("/workspace/views", views::list),
        get("/workspace/views/{id}", views::show),
        post("/workspace/views/upsert", views::upsert),
        post("/workspace/views/upsert/batch", views::upsert_batch),
        delete("/workspace/views/{id}", views::remove),
        post("/workspace/views/delete/batch", views::remove_batch),
        find("/workspace/views/{id}/records/search", view_records::search),
        post("/workspace/views/{id}/records/add", view_records::add),
        post("/workspace/views/{id}/records/add/batch", view_records::add_batch),
        delete("/workspace/views/{id}/records/{recordId}", view_records::remove),
        post("/workspace/views/{id}/records/delete/batch", view_records::remove_batch),
        get("/workspace/favorite-views", favorites::list).who(Users),
        post("/workspace/favorite-views/upsert", favorites::upsert).who(Users),
        post("/workspace/favorite-views/upsert/batch", favorites::upsert_batch).who(Users),
        delete("/workspace/favorite-views/{viewId}", favorites::remove).who(Users),
        post("/workspace/favorite-views/delete/batch", favorites::remove_batch).who(Users),
        // Workspace: signals
        get("/signals", signals::list).place(QueryAlways).params(signals::PARAMS),
        get("/signals/{id}", signals::show).place(QueryAlways),
        get("/signals/queue", queue::list).place(QueryAlways).params(queue::PARAMS),
        get("/signals/queue/stats", queue::stats).place(QueryAlways),
        post("/signals/triage", queue::triage).place(BodyAlways),
        // Workspace: signal subscriptions
        get("/signal-subscriptions", subscriptions::list).place(QueryAlways),
        put("/signal-subscriptions/{signal_type}", subscriptions::put).place(BodyAlways),
        delete("/signal-subscriptions/{signal_type}", subscriptions::remove).place(QueryAlways),
        post("/signal-subscriptions/bulk", subscriptions::bulk).place(BodyAlways),
        get("/workspace/signal-subscriptions", subscriptions::list_identified),
        post("/workspace/signal-subscriptions/upsert", subscriptions::upsert),
        delete("/workspace/signal-subscriptions/{id}", subscriptions::remove_identified),
        // Workspace: Skills, all POST
        find("/workspace/skills/find", skills::find),
        find("/workspace/skills/list", skills::list),
        find("/workspace/skills/get", skills::get),
        find("/workspace/skills/get-file", skills::get_file),
        find("/workspace/skills/revisions", skills::revisions),
        post("/workspace/skills/create", skills::create),
        post("/workspace/skills/create/batch", skills::create_batch),
        post("/workspace/skills/update", skills::update),
        post("/workspace/skills/update/batch", skills::update_batch),
        post("/workspace/skills/publish", skills::publish),
        post("/workspace/skills/publish/batch", skills::publish_batch),
        post("/workspace/skills/unpublish", skills::unpublish),
        post("/workspace/skills/unpublish/batch", skills::unpublish_batch),
        post("/workspace/skills/delete", skills::delete),
        post("/workspace/skills/delete/batch", skills::delete_batch),
        post("/workspace/skills/transfer", skills::transfer),
        post("/workspace/skills/transfer/batch", skills::transfer_batch),
        post("/workspace/skills/move", skills::r#move),
        post("/workspace/skills/move/batch", skills::move_batch),
        post("/workspace/skills/fork", skills::fork),
        post("/workspace/skills/fork/batch", skills::fork_batch),
        post("/workspace/skills/install", skills::install),
        post("/workspace/skills/install/batch", skills::install_batch),
        post("/workspace/skills/uninstall", skills::uninstall),
        post("/workspace/skills/uninstall/batch", skills::uninstall_batch),
    ]
}

fn route(method: Method, path: &'static str, writes: bool, run: Run) -> Route {
    Route { method, path, gate: Gate { place: Place::Query, writes, who: Who::Everyone }, params: &[], scores: false, run }
}

fn get(path: &'static str, run: Run) -> Route {
    route(Method::GET, path, false, run)
}

fn post(path: &'static str, run: Run) -> Route {
    route(Method::POST, path, true, run)
}

/// A search: a POST that reads.
fn find(path: &'static str, run: Run) -> Route {
    route(Method::POST, path, false, run)
}

fn put(path: &'static str, run: Run) -> Route {
    route(Method::PUT, path, true, run)
}

fn patch(path: &'static str, run: Run) -> Route {
    route(Method::PATCH, path, true, run)
}

fn delete(path: &'static str, run: Run) -> Route {
    route(Method::DELETE, path, true, run)
}

impl Route {
    /// The scores that are due are computed after the answer.
    fn scores(self) -> Self {
        Route { scores: true, ..self }
    }

    fn place(mut self, place: Place) -> Self {
        self.gate.place = place;
        self
    }

    fn who(mut self, who: Who) -> Self {
        self.gate.who = who;
        self
    }

    fn params(self, params: &'static [&'static str]) -> Self {
        Route { params, ..self }
    }

    /// Refuses a parameter of the query that it does not take: unread, it would be charged for all the same.
    fn only_params(&self, query: &[(String, String)]) -> Result<(), Refusal> {
        let allowed = [self.params, &["workspace_id"]].concat();
        match query.iter().find(|(key, _)| !allowed.contains(&key.as_str())) {
            Some((key, _)) => Err(Refusal::unknown_key(&[key.as_str().into()], &allowed)),
            None => Ok(()),
        }
    }

    /// The most bytes that its body may have: batches of texts and the files of Skills need room.
    fn room(&self) -> usize {
        const WIDE: [&str; 5] =
            ["/upsert/batch", "/skills/create", "/skills/create/batch", "/skills/update", "/skills/update/batch"];
        if WIDE.iter().any(|wide| self.path.ends_with(wide)) { 8 << 20 } else { 512 << 10 }
    }
}

/// The routes as axum sees them, and the description of them, which is no part of the interface and asks for no credentials.
pub fn router(desk: Arc<Desk>) -> Router {
    let mut router = Router::new().route("/openapi.yaml", axum::routing::get(openapi::show));
    for route in routes() {
        let (path, filter) = (format!("{BASE}{}", route.path), MethodFilter::try_from(route.method.clone()));
        let (route, desk) = (Arc::new(route), desk.clone());
        let run = move |request: Request| {
            let (route, desk) = (route.clone(), desk.clone());
            async move {
                // axum brings a HEAD to what answers a GET, where it would be charged
                let asked =
                    if *request.method() == Method::HEAD { Err(not_this_method()) } else { answer(&desk, &route, request).await };
                asked.map_or_else(IntoResponse::into_response, send)
            }
        };
        router = router.route(&path, on(filter.expect("the table names methods that axum knows"), run));
    }
    router.method_not_allowed_fallback(async || not_this_method()).fallback(async || Refusal::not_found("no such route"))
}

fn not_this_method() -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "not this method here")
}

fn send(answer: Answer) -> Response {
    (Extension(Proven), [(CONTENT_TYPE, "application/json")], answer.body).into_response()
}

/// What a response says of its request, for the connection alone: it came with a valid token.
#[derive(Clone, Copy, Debug)]
pub struct Proven;

/// How long a read may take, with the time that it waits for others.
const READ: Duration = Duration::from_secs(10);

/// The way of a request: read it, pass the gates, run the handler in one transaction, charge what it cost. Where there is no room to
/// write, reads go on: the queue is shown as it was, and nothing is charged.
async fn answer(desk: &Desk, route: &Arc<Route>, request: Request) -> Result<Answer, Refusal> {
    let now = desk.clock.now();
    let (mut parts, content) = request.into_parts();
    let size = body::declared(&parts.headers, route.room())?;
    let (bytes, _held) = if content.is_end_stream() {
        (Vec::new(), None)
    } else {
        admit(desk, &parts.headers).await?;
        let held = desk.buffers.hold(size).await?;
        (body::read(content, route.room()).await?, held)
    };
    let asked = Asked {
        now,
        path: match RawPathParams::from_request_parts(&mut parts, &()).await {
            Ok(params) => params.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            Err(_) => Vec::new(), // a part that is no text is no id either: the family says so
        },
        query: Query::try_from_uri(&parts.uri).map(|Query(query)| query).unwrap_or_default(),
        body: match bytes.is_empty() {
            true => Ok(None),
            false => serde_json::from_slice(&bytes).map(|Once(body)| Some(body)).map_err(|error| error.to_string()),
        },
        headers: parts.headers,
        route: route.clone(),
    };
    if route.gate.writes {
        let (_, answer) = desk
            .db
            .write(move |tx| {
                asked.catch_up(tx)?;
                asked.run(tx)
            })
            .await?;
        if route.scores {
            desk.db.later("scores", move |tx| db::atlas::settle(tx, now).map(drop));
        }
        return Ok(answer);
    }
    let asked = Arc::new(asked);
    let run = |is_behind_too: bool| {
        let asked = asked.clone();
        let read = desk.db.read(move |tx| match asked.behind(tx)? && !is_behind_too {
            true => Ok(None),
            false => asked.run(tx).map(Some),
        });
        in_time(read)
    };
    let done = match run(false).await? {
        Some(done) => Some(done),
        None => {
            let ahead = asked.clone();
            match desk.db.write(move |tx| ahead.catch_up(tx)).await {
                Err(refusal) if !refusal.is_full() => return Err(refusal),
                _ => run(true).await?,
            }
        }
    };
    let (access, answer) = done.ok_or_else(took_too_long)?;
    if answer.credits > 0 {
        let spent = answer.credits;
        match desk.db.write(move |tx| db::credits::charge(tx, access.workspace, spent, now)?.map_err(Refusal::from)).await {
            Err(refusal) if refusal.is_full() => tracing::warn!(spent, "there is no room to write down what was spent"),
            charged => charged?,
        }
    }
    Ok(answer)
}

/// A request before the gates.
struct Asked {
    now: chrono::DateTime<chrono::Utc>,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Result<Option<Value>, String>,
    route: Arc<Route>,
}

impl Asked {
    /// Whether time has moved the queues or the projects on since they were last looked at.
    fn behind(&self, conn: &Conn) -> Result<bool, Refusal> {
        Ok(db::queue::is_behind(conn, self.now)? || db::standing::is_behind(conn, self.now)?)
    }

    /// Moves the queues and the projects on, for a caller who may ask.
    fn catch_up(&self, conn: &Conn) -> Result<(), Refusal> {
        if self.behind(conn)? {
            self.pass(conn)?;
            db::standing::advance(conn, self.now)?;
            db::queue::advance(conn, self.now)?;
        }
        Ok(())
    }

    fn pass(&self, conn: &Conn) -> Result<Access, Refusal> {
        let query = self.query.iter().rev().find(|(key, _)| key == "workspace_id");
        let caller = Caller {
            token: bearer(&self.headers),
            query: query.map(|(_, value)| value.as_str()),
            body: self.body.as_ref().ok().and_then(Option::as_ref),
        };
        self.route.gate.pass(conn, &caller)
    }

    fn run(&self, conn: &Conn) -> Result<(Access, Answer), Refusal> {
        let access = self.pass(conn)?;
        self.route.only_params(&self.query)?;
        let body = self.body.clone().map_err(|error| Refusal::bad_request(format!("the body is no JSON: {error}")))?;
        if let Some(body) = &body {
            At::root(body).object()?; // `null` is no object either: only no body at all is as good as an empty one
        }
        let body = body.unwrap_or(Value::Null);
        let key = self.headers.get("idempotency-key").and_then(|key| key.to_str().ok()).map(str::to_owned);
        let ask = Ask { access, now: self.now, path: self.path.clone(), query: self.query.clone(), body, idempotency_key: key };
        let answer = (self.route.run)(conn, &ask)?;
        Ok((ask.access, answer))
    }
}

/// The bearer's token, when there is exactly one `Authorization` header and it holds one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim()).filter(|token| !token.is_empty() && token.len() <= 512)
}

/// What a read answers, unless it takes too long; it is broken off then.
async fn in_time<T>(read: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
    tokio::time::timeout(READ, read).await.unwrap_or_else(|_| Err(took_too_long()))
}

fn took_too_long() -> Refusal {
    Refusal::unavailable(format!("reading took longer than {} seconds: ask for less", READ.as_secs()))
}

/// Refuses who has no valid token, before anything of a body is read.
async fn admit(desk: &Desk, headers: &HeaderMap) -> Result<(), Refusal> {
    let token = bearer(headers).ok_or_else(Refusal::unauthorized)?.to_owned();
    let found = desk.db.read(move |tx| Ok::<_, Refusal>(db::secrets::find(tx, &token)?)).await?;
    found.map(drop).ok_or_else(Refusal::unauthorized)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_batches_of_texts_and_the_files_of_skills_have_room_for_megabytes() {
        let wide: Vec<&str> = routes().iter().filter(|route| route.room() > 512 << 10).map(|route| route.path).collect();
        assert_eq!(
            wide,
            [
                "/workspace/accounts/upsert/batch",
                "/workspace/contacts/upsert/batch",
                "/workspace/projects/upsert/batch",
                "/workspace/views/upsert/batch",
                "/workspace/favorite-views/upsert/batch",
                "/workspace/skills/create",
                "/workspace/skills/create/batch",
                "/workspace/skills/update",
                "/workspace/skills/update/batch",
            ]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_that_takes_too_long_is_503_and_says_so() {
        let refusal = in_time(std::future::pending::<Result<(), Refusal>>()).await.unwrap_err();
        assert_eq!(
            (refusal.status.as_u16(), refusal.message.as_str()),
            (503, "reading took longer than 10 seconds: ask for less")
        );
        assert_eq!(in_time(std::future::ready(Ok(7))).await, Ok(7));
    }
}
