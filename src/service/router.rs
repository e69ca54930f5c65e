//! All routes of the interface, and the path of a request through authorization, handler and
//! metering.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::extract::{FromRequestParts, Query, RawPathParams, Request};
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Extension, Router};
use chrono::{DateTime, Utc};

use super::api_error::ApiError;
use super::auth::{AllowedCallers, AuthPolicy, WorkspaceSource};
use super::body;
use super::clock::Stopwatch;
use super::db::{self, Conn, DbErrorKind};
use super::incoming_request::{IncomingRequest, bearer_token};
use super::operations;
use super::reads;
use super::request::AuthorizedRequest;
use super::response::ApiResponse;
use super::routes::book::{Accounts, BookFamily, Contacts, Projects};
use super::routes::*;
use super::state::AppState;
use super::validation::StrictJson;
use super::writes::{self, WriteClaim};

/// The base of all paths.
pub const BASE_PATH: &str = "/api/v1";
/// The meter: it includes charges that are not in the database yet, so the router reads it.
const CREDITS_PATH: &str = "/workspace/credits";
/// What a request cost, also where the interface has no place for it in the body.
const CREDITS_HEADER: HeaderName = HeaderName::from_static("x-credits");
/// Where join codes are redeemed.
const JOIN_PATH: &str = "/join";

type Handler = fn(&Conn, &AuthorizedRequest) -> Result<ApiResponse, ApiError>;

/// A method and a path of the interface.
pub struct Route {
    pub method: Method,
    /// The path, relative to the base.
    pub path: &'static str,
    /// What it requires of its caller.
    pub auth: AuthPolicy,
    /// The query parameters it accepts besides `workspace_id`.
    pub params: &'static [&'static str],
    /// Whether it may take long: always, or with one of these query parameters.
    is_search: bool,
    search_params: &'static [&'static str],
    /// Whether it may be answered by a read replica, which is a moment behind.
    pub(super) reads_replica: bool,
    pub(super) handler: Handler,
}

/// The routes of the interface, family by family.
pub fn routes() -> Vec<Route> {
    use AllowedCallers::{Admins, Users};
    use WorkspaceSource::{Body, BodyRequired, QueryOverride, QueryRequired};
    vec![
        // Data API
        get("/data/{dataset}/{id}", data::show).params(data::RECORD_PARAMS),
        post_search("/data/{dataset}/search", data_search::search).reading_replica(),
        post_read("/data/fields/search", fields::search),
        get("/data/fields/{dataset}/{key}", fields::show),
        get("/filters", filters::show).params(&["entity"]),
        post_search("/filters/ask", filters::translate).workspace_in(Body),
        // Workspace: meta reads
        get("/workspace", workspace::show),
        get(CREDITS_PATH, credits::show),
        // Workspace: members and invitations
        get("/workspace/members", members::list).workspace_in(QueryOverride),
        patch("/workspace/members/{userId}", members::set_role).allow(Admins),
        delete("/workspace/members/{userId}", members::remove).allow(Admins),
        post("/workspace/invitations", invitations::create).allow(Admins),
        get("/workspace/invitations", invitations::list)
            .allow(Admins)
            .params(&["status"]),
        delete("/workspace/invitations/{id}", invitations::revoke).allow(Admins),
        // Workspace: the book
        post_search("/workspace/accounts/search", Accounts::search).reading_replica(),
        get("/workspace/accounts/{id}", Accounts::show).params(data::RECORD_PARAMS),
        post("/workspace/accounts/upsert", Accounts::upsert),
        post("/workspace/accounts/upsert/batch", Accounts::upsert_batch),
        delete("/workspace/accounts/{id}", Accounts::remove),
        post("/workspace/accounts/delete/batch", Accounts::remove_batch),
        post_search("/workspace/contacts/search", Contacts::search).reading_replica(),
        get("/workspace/contacts/{id}", Contacts::show).params(data::RECORD_PARAMS),
        post("/workspace/contacts/upsert", Contacts::upsert),
        post("/workspace/contacts/upsert/batch", Contacts::upsert_batch),
        delete("/workspace/contacts/{id}", Contacts::remove),
        post("/workspace/contacts/delete/batch", Contacts::remove_batch),
        post_search("/workspace/projects/search", Projects::search).reading_replica(),
        get("/workspace/projects/{id}", Projects::show).params(data::RECORD_PARAMS),
        post("/workspace/projects/upsert", Projects::upsert),
        post("/workspace/projects/upsert/batch", Projects::upsert_batch),
        delete("/workspace/projects/{id}", Projects::remove),
        post("/workspace/projects/delete/batch", Projects::remove_batch),
        // Workspace: Views (shared) and Favorites (personal)
        get("/workspace/views", views::list).searching(), // counts the records of every Dynamic View
        get("/workspace/views/{id}", views::show),
        post("/workspace/views/upsert", views::upsert),
        post("/workspace/views/upsert/batch", views::upsert_batch),
        delete("/workspace/views/{id}", views::remove),
        post("/workspace/views/delete/batch", views::remove_batch),
        post_search("/workspace/views/{id}/records/search", view_records::search),
        post("/workspace/views/{id}/records/add", view_records::add),
        post(
            "/workspace/views/{id}/records/add/batch",
            view_records::add_batch,
        ),
        delete(
            "/workspace/views/{id}/records/{recordId}",
            view_records::remove,
        ),
        post(
            "/workspace/views/{id}/records/delete/batch",
            view_records::remove_batch,
        ),
        get("/workspace/favorite-views", favorites::list).allow(Users),
        post("/workspace/favorite-views/upsert", favorites::upsert).allow(Users),
        post(
            "/workspace/favorite-views/upsert/batch",
            favorites::upsert_batch,
        )
        .allow(Users),
        delete("/workspace/favorite-views/{viewId}", favorites::remove).allow(Users),
        post(
            "/workspace/favorite-views/delete/batch",
            favorites::remove_batch,
        )
        .allow(Users),
        // Workspace: signals
        get("/signals", signals::list)
            .workspace_in(QueryRequired)
            .params(signals::FEED_PARAMS)
            .searching_with(signals::SEARCH_PARAMS),
        get("/signals/{id}", signals::show).workspace_in(QueryRequired),
        get("/signals/queue", queue::list)
            .workspace_in(QueryRequired)
            .params(queue::QUEUE_PARAMS)
            .searching_with(queue::SEARCH_PARAMS),
        get("/signals/queue/stats", queue::stats).workspace_in(QueryRequired),
        post("/signals/triage", queue::triage).workspace_in(BodyRequired),
        // Workspace: signal subscriptions
        get("/signal-subscriptions", subscriptions::list).workspace_in(QueryRequired),
        put(
            "/signal-subscriptions/{signal_type}",
            subscriptions::upsert_by_type,
        )
        .workspace_in(BodyRequired),
        delete("/signal-subscriptions/{signal_type}", subscriptions::remove)
            .workspace_in(QueryRequired),
        post("/signal-subscriptions/bulk", subscriptions::subscribe_bulk)
            .workspace_in(BodyRequired),
        get(
            "/workspace/signal-subscriptions",
            subscriptions::list_with_ids,
        ),
        post(
            "/workspace/signal-subscriptions/upsert",
            subscriptions::upsert,
        ),
        delete(
            "/workspace/signal-subscriptions/{id}",
            subscriptions::remove_by_id,
        ),
        // Workspace: Skills, all POST
        post_read("/workspace/skills/find", skills::find),
        post_read("/workspace/skills/list", skills::list),
        post_read("/workspace/skills/get", skills::get),
        post_read("/workspace/skills/get-file", skills::get_file),
        post_read("/workspace/skills/revisions", skills::revisions),
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

/// The routes of this service that are outside the interface: no other service has them.
pub fn local_routes() -> Vec<Route> {
    use AllowedCallers::Admins;
    vec![
        post(
            "/workspace/members/{userId}/join-code",
            members::create_join_code,
        )
        .allow(Admins),
        get("/workspace/walls", walls::list).allow(Admins),
        post("/workspace/walls", walls::create).allow(Admins),
        delete("/workspace/walls/{id}", walls::revoke).allow(Admins),
    ]
}

fn new_route(method: Method, path: &'static str, writes: bool, run: Handler) -> Route {
    Route {
        method,
        path,
        auth: AuthPolicy {
            workspace_source: WorkspaceSource::Query,
            needs_write_scope: writes,
            allowed_callers: AllowedCallers::Everyone,
        },
        params: &[],
        is_search: false,
        search_params: &[],
        reads_replica: false,
        handler: run,
    }
}

fn get(path: &'static str, run: Handler) -> Route {
    new_route(Method::GET, path, false, run)
}

fn post(path: &'static str, run: Handler) -> Route {
    new_route(Method::POST, path, true, run)
}

/// A POST that only reads.
fn post_read(path: &'static str, run: Handler) -> Route {
    new_route(Method::POST, path, false, run)
}

/// A POST that reads whatever its filters ask for.
fn post_search(path: &'static str, run: Handler) -> Route {
    post_read(path, run).searching()
}

fn put(path: &'static str, run: Handler) -> Route {
    new_route(Method::PUT, path, true, run)
}

fn patch(path: &'static str, run: Handler) -> Route {
    new_route(Method::PATCH, path, true, run)
}

fn delete(path: &'static str, run: Handler) -> Route {
    new_route(Method::DELETE, path, true, run)
}

impl Route {
    /// It may take long: it never delays the other reads.
    fn searching(self) -> Self {
        Route {
            is_search: true,
            ..self
        }
    }

    /// A search that need not see the latest writes.
    fn reading_replica(self) -> Self {
        Route {
            reads_replica: true,
            ..self
        }
    }

    /// The same if one of these query parameters is set.
    fn searching_with(self, search_params: &'static [&'static str]) -> Self {
        Route {
            search_params,
            ..self
        }
    }

    /// Whether a request may take long.
    pub(super) fn is_search(&self, query: &[(String, String)]) -> bool {
        self.is_search
            || query
                .iter()
                .any(|(key, value)| !value.is_empty() && self.search_params.contains(&key.as_str()))
    }

    fn workspace_in(mut self, place: WorkspaceSource) -> Self {
        self.auth.workspace_source = place;
        self
    }

    fn allow(mut self, who: AllowedCallers) -> Self {
        self.auth.allowed_callers = who;
        self
    }

    fn params(self, params: &'static [&'static str]) -> Self {
        Route { params, ..self }
    }

    /// Rejects unknown query parameters: silently ignored, a misspelled filter would still be
    /// charged for.
    pub(super) fn reject_unknown_params(&self, query: &[(String, String)]) -> Result<(), ApiError> {
        let allowed = [self.params, &["workspace_id"]].concat();
        match query
            .iter()
            .find(|(key, _)| !allowed.contains(&key.as_str()))
        {
            Some((key, _)) => Err(ApiError::unknown_key(&[key.as_str().into()], &allowed)),
            None => Ok(()),
        }
    }

    /// The maximum size of the body in bytes: batches of texts and the files of Skills are large.
    fn body_limit(&self) -> usize {
        const LARGE_BODY_PATHS: [&str; 5] = [
            "/upsert/batch",
            "/skills/create",
            "/skills/create/batch",
            "/skills/update",
            "/skills/update/batch",
        ];
        if LARGE_BODY_PATHS
            .iter()
            .any(|wide| self.path.ends_with(wide))
        {
            8 << 20
        } else {
            512 << 10
        }
    }
}

/// The routes for axum, their OpenAPI description, the route that redeems join codes, and those for
/// balancers: these require no credentials.
pub fn build_router(state: Arc<AppState>) -> Router {
    let joined = state.clone();
    let join = axum::routing::post(move |request: Request| async move {
        let redeemed = handle_join(&joined, request).await;
        (
            Extension(RouteTemplate(JOIN_PATH)),
            redeemed.map_or_else(IntoResponse::into_response, into_http_response),
        )
    });
    let describe = async || {
        (
            Extension(RouteTemplate("/openapi.yaml")),
            openapi::show().await,
        )
    };
    let mut router = operations::health_routes(state.clone())
        .route("/openapi.yaml", axum::routing::get(describe))
        .route(&format!("{BASE_PATH}{JOIN_PATH}"), join);
    for route in routes().into_iter().chain(local_routes()) {
        let (path, filter) = (
            format!("{BASE_PATH}{}", route.path),
            MethodFilter::try_from(route.method.clone()),
        );
        let (route, state) = (Arc::new(route), state.clone());
        let run = move |request: Request| {
            let (route, state) = (route.clone(), state.clone());
            async move {
                // axum routes HEAD to GET handlers, which would charge for it
                let asked = if *request.method() == Method::HEAD {
                    Err(method_not_allowed())
                } else {
                    handle_request(&state, &route, request).await
                };
                (
                    Extension(RouteTemplate(route.path)),
                    asked.map_or_else(IntoResponse::into_response, into_http_response),
                )
            }
        };
        router = router.route(
            &path,
            on(
                filter.expect("the table only contains methods that axum knows"),
                run,
            ),
        );
    }
    router
        .method_not_allowed_fallback(async || method_not_allowed())
        .fallback(async || ApiError::not_found("no such route"))
}

fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "method not allowed on this route",
    )
}

fn into_http_response(answer: ApiResponse) -> Response {
    (
        Extension(Authenticated),
        [(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
        [(CREDITS_HEADER, HeaderValue::from(answer.credits))],
        answer.body,
    )
        .into_response()
}

/// Redeems a join code, which takes the place of credentials.
async fn handle_join(state: &AppState, request: Request) -> Result<ApiResponse, ApiError> {
    let (now, began) = (state.clock.now(), Stopwatch::start());
    let client = request.extensions().get::<join::ClientAddress>().copied();
    state.join_limiter.check(client, now)?;
    let bytes = body::read_body(request.into_body(), join::MAX_BODY_BYTES).await?;
    let StrictJson(body) = serde_json::from_slice(&bytes)
        .map_err(|_| ApiError::bad_request("the body is not valid JSON"))?;
    let claim = Arc::new(WriteClaim::default());
    let write = claim.clone();
    let redeem = move |tx: &Conn| {
        write.check()?;
        let redeemed = join::redeem(tx, &body, now)?;
        write.commit()?;
        Ok(redeemed)
    };
    let limit = state.time_limits.write_after(began.elapsed());
    let redeemed = writes::with_write_timeout(&claim, limit, state.db.write(redeem)).await;
    state.join_limiter.record(&redeemed, client, now);
    redeemed
}

/// The route of a response, for metrics and the log: its path without ids.
#[derive(Clone, Copy, Debug)]
pub struct RouteTemplate(pub &'static str);

/// Marks a response, for the connection limits only, as the answer to a request with a valid token.
#[derive(Clone, Copy, Debug)]
pub struct Authenticated;

/// Handles a request: reads it, authorizes it, runs the handler in one transaction, and charges for
/// it. If the disk is full or another process holds the file, reads still work: the queue is shown
/// as it was, and charges are written later.
async fn handle_request(
    state: &AppState,
    route: &Arc<Route>,
    request: Request,
) -> Result<ApiResponse, ApiError> {
    let (now, began) = (state.clock.now(), Stopwatch::start());
    let (mut parts, content) = request.into_parts();
    let size = body::declared_size(&parts.headers, route.body_limit())?;
    let (bytes, _held) = if content.is_end_stream() {
        (Vec::new(), None)
    } else {
        check_token(state, &parts.headers, now).await?;
        let held = state.body_budget.acquire(size).await?;
        (body::read_body(content, route.body_limit()).await?, held)
    };
    let asked = IncomingRequest {
        now,
        path: match RawPathParams::from_request_parts(&mut parts, &()).await {
            Ok(params) => params
                .iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            Err(_) => Vec::new(), // a part that is not UTF-8 is not an id either: the family answers 404
        },
        query: Query::try_from_uri(&parts.uri)
            .map(|Query(query)| query)
            .unwrap_or_default(),
        body: match bytes.is_empty() {
            true => Ok(None),
            false => serde_json::from_slice(&bytes)
                .map(|StrictJson(body)| Some(body))
                .map_err(|error| error.to_string()),
        },
        headers: parts.headers,
        route: route.clone(),
        columns: state.columns.clone(),
        join_address: state.join_address.clone(),
        claim: WriteClaim::default(),
    };
    if route.auth.needs_write_scope {
        let asked = Arc::new(asked);
        let limit = state.time_limits.write_after(began.elapsed());
        let (access, answer) = writes::run_write(state, &asked, limit).await?;
        asked.record_caller(&state.recent_callers, &access);
        return Ok(answer);
    }
    let asked = Arc::new(asked);
    let done = match reads::run_read(state, &asked, false).await? {
        Some(done) => Some(done),
        None => {
            let ahead = asked.clone();
            match state.db.write(move |tx| ahead.catch_up(tx)).await {
                Err(refusal) if !refusal.is_unwritable() => return Err(refusal),
                _ => reads::run_read(state, &asked, true).await?,
            }
        }
    };
    let (access, answer) =
        done.ok_or_else(|| reads::read_timed_out(state.time_limits.read, true))?;
    asked.record_caller(&state.recent_callers, &access);
    if access.is_use_due {
        state
            .db
            .enqueue_write("use of a token", access.workspace, move |tx| {
                asked.record_token_use(tx)
            });
    }
    if answer.credits > 0 {
        let charged = state.db.charge(access.workspace, answer.credits, now).await;
        charged.map_err(|error| match error.kind() {
            // the caller wrote nothing whose outcome could be unknown
            DbErrorKind::CommitUnknown => {
                ApiError::unavailable("the charge for this read was not confirmed")
            }
            _ => error.into(),
        })??;
        state.metrics.add_credits(answer.credits);
    }
    if route.path == CREDITS_PATH {
        return ApiResponse::from_data(state.db.read_meter(access.workspace, now).await?);
    }
    Ok(answer)
}

/// Rejects callers without a valid token before any of the body is read.
async fn check_token(
    state: &AppState,
    headers: &HeaderMap,
    now: DateTime<Utc>,
) -> Result<(), ApiError> {
    let token = bearer_token(headers)
        .ok_or_else(ApiError::unauthorized)?
        .to_owned();
    if state.recent_callers.contains(&token, now) {
        return Ok(());
    }
    let found = state
        .db
        .read(move |tx| Ok::<_, ApiError>(db::secrets::find_caller(tx, &token, None, now)?))
        .await?;
    found.map(drop).ok_or_else(ApiError::unauthorized)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_batches_and_skill_files_may_send_megabytes() {
        let wide: Vec<&str> = routes()
            .iter()
            .filter(|route| route.body_limit() > 512 << 10)
            .map(|route| route.path)
            .collect();
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
}
