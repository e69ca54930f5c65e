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
use crate::interface::{Route, RouteId};

/// The base of all paths.
pub const BASE_PATH: &str = "/api/v1";
/// What a request cost, also where the interface has no place for it in the body.
const CREDITS_HEADER: HeaderName = HeaderName::from_static("x-credits");

type Handler = fn(&Conn, &AuthorizedRequest) -> Result<ApiResponse, ApiError>;

/// A route, and how this service answers it.
pub struct ServedRoute {
    pub route: Route,
    pub(super) handler: Handler,
    /// Whether it may take long: always, or with one of these query parameters.
    is_search: bool,
    search_params: &'static [&'static str],
    /// Whether it may be answered by a read replica, which is a moment behind.
    pub(super) reads_replica: bool,
    /// The maximum size of the body in bytes.
    body_limit: usize,
}

impl ServedRoute {
    /// `None` for the route that requires no credentials.
    fn new(id: RouteId) -> Option<ServedRoute> {
        use RouteId::*;
        let serve = |handler: Handler| ServedRoute {
            route: id.route(),
            handler,
            is_search: false,
            search_params: &[],
            reads_replica: false,
            body_limit: 512 << 10,
        };
        Some(match id {
            ShowRecord => serve(data::show),
            SearchRecords => serve(data_search::search).searching().reading_replica(),
            SearchFields => serve(fields::search),
            ShowField => serve(fields::show),
            ListFilters => serve(filters::show),
            AskQuestion => serve(filters::translate).searching(),
            ShowWorkspace => serve(workspace::show),
            ShowCredits => serve(credits::show),
            ListMembers => serve(members::list),
            SetMemberRole => serve(members::set_role),
            RemoveMember => serve(members::remove),
            CreateInvitation => serve(invitations::create),
            ListInvitations => serve(invitations::list),
            RevokeInvitation => serve(invitations::revoke),
            SearchAccounts => serve(Accounts::search).searching().reading_replica(),
            ShowAccount => serve(Accounts::show),
            UpsertAccount => serve(Accounts::upsert),
            UpsertAccounts => serve(Accounts::upsert_batch).with_large_body(),
            DeleteAccount => serve(Accounts::remove),
            DeleteAccounts => serve(Accounts::remove_batch),
            SearchContacts => serve(Contacts::search).searching().reading_replica(),
            ShowContact => serve(Contacts::show),
            UpsertContact => serve(Contacts::upsert),
            UpsertContacts => serve(Contacts::upsert_batch).with_large_body(),
            DeleteContact => serve(Contacts::remove),
            DeleteContacts => serve(Contacts::remove_batch),
            SearchProjects => serve(Projects::search).searching().reading_replica(),
            ShowProject => serve(Projects::show),
            UpsertProject => serve(Projects::upsert),
            UpsertProjects => serve(Projects::upsert_batch).with_large_body(),
            DeleteProject => serve(Projects::remove),
            DeleteProjects => serve(Projects::remove_batch),
            ListViews => serve(views::list).searching(), // counts the records of Dynamic Views
            ShowView => serve(views::show),
            UpsertView => serve(views::upsert),
            UpsertViews => serve(views::upsert_batch).with_large_body(),
            DeleteView => serve(views::remove),
            DeleteViews => serve(views::remove_batch),
            SearchViewRecords => serve(view_records::search).searching(),
            AddViewRecord => serve(view_records::add),
            AddViewRecords => serve(view_records::add_batch),
            RemoveViewRecord => serve(view_records::remove),
            RemoveViewRecords => serve(view_records::remove_batch),
            ListFavorites => serve(favorites::list),
            UpsertFavorite => serve(favorites::upsert),
            UpsertFavorites => serve(favorites::upsert_batch).with_large_body(),
            DeleteFavorite => serve(favorites::remove),
            DeleteFavorites => serve(favorites::remove_batch),
            ListSignals => serve(signals::list).searching_with(signals::SEARCH_PARAMS),
            ShowSignal => serve(signals::show),
            ListQueue => serve(queue::list).searching_with(queue::SEARCH_PARAMS),
            ShowQueueStats => serve(queue::stats),
            TriageSignals => serve(queue::triage),
            ListSubscriptions => serve(subscriptions::list),
            SetSubscription => serve(subscriptions::upsert_by_type),
            RemoveSubscription => serve(subscriptions::remove),
            SetSubscriptions => serve(subscriptions::subscribe_bulk),
            ListSubscriptionsWithIds => serve(subscriptions::list_with_ids),
            UpsertSubscription => serve(subscriptions::upsert),
            RemoveSubscriptionById => serve(subscriptions::remove_by_id),
            FindSkills => serve(skills::find),
            ListSkills => serve(skills::list),
            ShowSkill => serve(skills::get),
            ShowSkillFile => serve(skills::get_file),
            ListSkillRevisions => serve(skills::revisions),
            CreateSkill => serve(skills::create).with_large_body(),
            CreateSkills => serve(skills::create_batch).with_large_body(),
            UpdateSkill => serve(skills::update).with_large_body(),
            UpdateSkills => serve(skills::update_batch).with_large_body(),
            PublishSkill => serve(skills::publish),
            PublishSkills => serve(skills::publish_batch),
            UnpublishSkill => serve(skills::unpublish),
            UnpublishSkills => serve(skills::unpublish_batch),
            DeleteSkill => serve(skills::delete),
            DeleteSkills => serve(skills::delete_batch),
            TransferSkill => serve(skills::transfer),
            TransferSkills => serve(skills::transfer_batch),
            MoveSkill => serve(skills::r#move),
            MoveSkills => serve(skills::move_batch),
            ForkSkill => serve(skills::fork),
            ForkSkills => serve(skills::fork_batch),
            InstallSkill => serve(skills::install),
            InstallSkills => serve(skills::install_batch),
            UninstallSkill => serve(skills::uninstall),
            UninstallSkills => serve(skills::uninstall_batch),
            CreateJoinCode => serve(members::create_join_code),
            ListWalls => serve(walls::list),
            CreateWall => serve(walls::create),
            RevokeWall => serve(walls::revoke),
            RedeemJoinCode => return None,
        })
    }

    /// It may take long: it never delays the other reads.
    fn searching(self) -> Self {
        ServedRoute {
            is_search: true,
            ..self
        }
    }

    /// A search that need not see the latest writes.
    fn reading_replica(self) -> Self {
        ServedRoute {
            reads_replica: true,
            ..self
        }
    }

    /// It may take long if one of these query parameters is set.
    fn searching_with(self, search_params: &'static [&'static str]) -> Self {
        ServedRoute {
            search_params,
            ..self
        }
    }

    /// Batches of texts and the files of Skills are large.
    fn with_large_body(self) -> Self {
        ServedRoute {
            body_limit: 8 << 20,
            ..self
        }
    }

    /// Whether a request may take long.
    pub(super) fn is_search(&self, query: &[(String, String)]) -> bool {
        let is_set = |(key, value): &(String, String)| {
            !value.is_empty() && self.search_params.contains(&key.as_str())
        };
        self.is_search || query.iter().any(is_set)
    }

    /// Rejects unknown query parameters: silently ignored, a misspelled filter would still be
    /// charged for.
    pub(super) fn reject_unknown_params(&self, query: &[(String, String)]) -> Result<(), ApiError> {
        let allowed = [self.route.params, &["workspace_id"]].concat();
        match query
            .iter()
            .find(|(key, _)| !allowed.contains(&key.as_str()))
        {
            Some((key, _)) => Err(ApiError::unknown_key(&[key.as_str().into()], &allowed)),
            None => Ok(()),
        }
    }
}

/// The routes for axum, their OpenAPI description, the route that redeems join codes, and those for
/// balancers: these require no credentials.
pub fn build_router(state: Arc<AppState>) -> Router {
    let joined = state.clone();
    let join_path = RouteId::RedeemJoinCode.route().path;
    let join = axum::routing::post(move |request: Request| async move {
        let redeemed = handle_join(&joined, request).await;
        (
            Extension(RouteTemplate(join_path)),
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
        .route(&format!("{BASE_PATH}{join_path}"), join);
    for served in RouteId::ALL.iter().copied().filter_map(ServedRoute::new) {
        let (path, filter) = (
            format!("{BASE_PATH}{}", served.route.path),
            MethodFilter::try_from(served.route.method.clone()),
        );
        let (served, state) = (Arc::new(served), state.clone());
        let run = move |request: Request| {
            let (served, state) = (served.clone(), state.clone());
            async move {
                // axum routes HEAD to GET handlers, which would charge for it
                let asked = if *request.method() == Method::HEAD {
                    Err(method_not_allowed())
                } else {
                    handle_request(&state, &served, request).await
                };
                (
                    Extension(RouteTemplate(served.route.path)),
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
    served: &Arc<ServedRoute>,
    request: Request,
) -> Result<ApiResponse, ApiError> {
    let (now, began) = (state.clock.now(), Stopwatch::start());
    let (mut parts, content) = request.into_parts();
    let size = body::declared_size(&parts.headers, served.body_limit)?;
    let (bytes, _held) = if content.is_end_stream() {
        (Vec::new(), None)
    } else {
        check_token(state, &parts.headers, now).await?;
        let held = state.body_budget.acquire(size).await?;
        (body::read_body(content, served.body_limit).await?, held)
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
        served: served.clone(),
        columns: state.columns.clone(),
        join_address: state.join_address.clone(),
        claim: WriteClaim::default(),
    };
    if !served.route.is_read() {
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
    // The meter includes charges that are not in the database yet.
    if served.route.path == RouteId::ShowCredits.route().path {
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
