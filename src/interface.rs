//! The routes of the interface, each listed once: what client, service and command line know of
//! them.
//!
//! Never here: a host, a handler, what a response means.

use http::Method;

use crate::domain::batch::MAX_BATCH_ITEMS;
use crate::domain::queue::MAX_TRIAGE_SIGNALS;
use crate::domain::subscriptions::MAX_BULK_SUBSCRIPTIONS;

use PayloadPath::{Data, DataKey, Key, List, Object, Root, RootWithKey};
use RetryClass::{Idempotent, NonIdempotent, WithIdempotencyKey};
use WorkspaceParam::{Absent, Body, BodyRequired, Query, QueryOverride, QueryRequired};

/// A method and a path of the interface, and what they mean for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    /// The path, relative to the base.
    pub path: &'static str,
    /// The query parameters it accepts besides `workspace_id`.
    pub params: &'static [&'static str],
    pub workspace: WorkspaceParam,
    pub callers: AllowedCallers,
    pub retry_class: RetryClass,
    pub price: Price,
    /// Where its response contains the payload.
    pub payload: PayloadPath,
    /// The most items that one request may have.
    pub max_items: Option<usize>,
    /// Only gantry's own service has it; the interface does not.
    pub is_local: bool,
}

/// Where a route takes `workspace_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceParam {
    /// In the query; optional with an API key.
    Query,
    /// In the query of `GET /workspace/members`, where a key may name another workspace of its
    /// issuer.
    QueryOverride,
    /// In the query, always required (`/signals*`, `/signal-subscriptions*`: GET and DELETE).
    QueryRequired,
    /// In the body; optional with an API key (`/filters/ask`).
    Body,
    /// In the body, always required (the families of `QueryRequired`: POST and PUT).
    BodyRequired,
    Absent,
}

impl WorkspaceParam {
    pub fn is_in_query(self) -> bool {
        matches!(self, Query | QueryOverride | QueryRequired)
    }

    pub fn is_in_body(self) -> bool {
        matches!(self, Body | BodyRequired)
    }
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedCallers {
    /// Every member and every key.
    Everyone,
    /// Owners and admins; keys count as admins.
    Admins,
    /// Only user tokens (Favorites).
    Users,
}

/// How a route may be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryClass {
    /// A free read.
    FreeRead,
    /// A read that costs or may cost credits: a lost response is paid for at most once more.
    PaidRead,
    /// A write of absolute values: repeating it changes nothing.
    Idempotent,
    /// A single delete: a 404 after a lost response means that it was applied.
    Delete,
    /// A write with an idempotency key.
    WithIdempotencyKey,
    /// A write that is retried only if it certainly was not sent, or its check shows that it was
    /// not applied.
    NonIdempotent,
}

/// What a request costs (interface: Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    Free,
    /// 1 credit, whatever it includes.
    PerCall,
    /// 1 credit for each row.
    PerRow,
    /// The interface does not state it.
    Unknown,
}

/// Where a response contains its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadPath {
    /// The response itself is the payload.
    Root,
    /// The response itself, if it has this key at the top (the stats of the queue).
    RootWithKey(&'static str),
    /// Under a key at the top (`{signals, pagination}`).
    Key(&'static str),
    /// In `data` of the shared envelope.
    Data,
    /// Under a key of `data` (`data: {members: []}`).
    DataKey(&'static str),
    /// A list whose place the interface does not show: its name, the name of one row, and the name
    /// of its id.
    List(&'static str, &'static str, &'static str),
    /// An object whose place the interface does not show, by name. A write does not need it.
    Object(&'static str),
}

impl PayloadPath {
    /// The interface does not show the response, so a write may be answered without a body.
    pub fn may_be_empty(self) -> bool {
        matches!(self, List(..) | Object(_))
    }
}

const RECORD_PARAMS: &[&str] = &["include"];
#[rustfmt::skip]
const FEED_PARAMS: &[&str] = &[
    "project_id", "account_id", "signal_type", "filed_after", "filed_before", "discovered_after",
    "q", "city", "limit", "offset",
];
#[rustfmt::skip]
const QUEUE_PARAMS: &[&str] = &[
    "status", "signal_type", "priority", "city", "q", "limit", "offset",
];

const RECORDS: PayloadPath = List("records", "record", "id");
const VIEWS: PayloadPath = List("views", "view", "id");
const FAVORITES: PayloadPath = List("favorites", "favorite", "view_id");
const SUBSCRIPTIONS: PayloadPath = List("subscriptions", "subscription", "id");
const INVITATIONS: PayloadPath = List("invitations", "invitation", "id");
const SKILLS: PayloadPath = List("skills", "skill", "id");
const REVISIONS: PayloadPath = List("revisions", "revision", "revision");
const RESULTS: PayloadPath = DataKey("results");

macro_rules! routes {
    ($($id:ident = $route:expr;)+) => {
        /// The name of a route.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum RouteId {
            $($id,)+
        }

        impl RouteId {
            pub const ALL: &[RouteId] = &[$(RouteId::$id,)+];

            pub fn route(self) -> Route {
                match self {
                    $(RouteId::$id => $route,)+
                }
            }
        }
    };
}

routes! {
    // Data API
    ShowRecord = get("/data/{dataset}/{id}", Price::PerCall, Data).params(RECORD_PARAMS);
    SearchRecords = search("/data/{dataset}/search", RECORDS);
    SearchFields = ask("/data/fields/search", Price::Unknown, Data);
    ShowField = get("/data/fields/{dataset}/{key}", Price::Unknown, Data);
    ListFilters = get("/filters", Price::Unknown, Data).params(&["entity"]);
    AskQuestion = ask("/filters/ask", Price::Unknown, Data).workspace_in(Body);
    // Workspace: meta reads
    ShowWorkspace = get("/workspace", Price::Free, Object("workspace"));
    ShowCredits = get("/workspace/credits", Price::Free, Object("credits"));
    // Workspace: members and invitations
    ListMembers =
        get("/workspace/members", Price::Free, DataKey("members")).workspace_in(QueryOverride);
    SetMemberRole =
        write(Method::PATCH, "/workspace/members/{userId}", NonIdempotent, Object("member")).admins();
    RemoveMember =
        write(Method::DELETE, "/workspace/members/{userId}", NonIdempotent, Root).admins();
    CreateInvitation = post("/workspace/invitations", NonIdempotent, Object("invitation")).admins();
    ListInvitations =
        get("/workspace/invitations", Price::Free, INVITATIONS).admins().params(&["status"]);
    RevokeInvitation = delete("/workspace/invitations/{id}").admins();
    // Workspace: the book
    SearchAccounts = search("/workspace/accounts/search", Data);
    ShowAccount = get("/workspace/accounts/{id}", Price::PerCall, Data).params(RECORD_PARAMS);
    UpsertAccount = post("/workspace/accounts/upsert", NonIdempotent, Object("record"));
    UpsertAccounts = batch("/workspace/accounts/upsert/batch", NonIdempotent);
    DeleteAccount = delete("/workspace/accounts/{id}");
    DeleteAccounts = batch("/workspace/accounts/delete/batch", Idempotent);
    SearchContacts = search("/workspace/contacts/search", Data);
    ShowContact = get("/workspace/contacts/{id}", Price::PerCall, Data).params(RECORD_PARAMS);
    UpsertContact = post("/workspace/contacts/upsert", NonIdempotent, Object("record"));
    UpsertContacts = batch("/workspace/contacts/upsert/batch", NonIdempotent);
    DeleteContact = delete("/workspace/contacts/{id}");
    DeleteContacts = batch("/workspace/contacts/delete/batch", Idempotent);
    SearchProjects = search("/workspace/projects/search", List("projects", "project", "id"));
    ShowProject = get("/workspace/projects/{id}", Price::PerCall, Data).params(RECORD_PARAMS);
    UpsertProject = post("/workspace/projects/upsert", NonIdempotent, Object("record"));
    UpsertProjects = batch("/workspace/projects/upsert/batch", NonIdempotent);
    DeleteProject = delete("/workspace/projects/{id}");
    DeleteProjects = batch("/workspace/projects/delete/batch", Idempotent);
    // Workspace: Views (shared) and Favorites (personal)
    ListViews = get("/workspace/views", Price::Free, VIEWS);
    ShowView = get("/workspace/views/{id}", Price::Free, Object("view"));
    UpsertView = post("/workspace/views/upsert", NonIdempotent, Object("view"));
    UpsertViews = batch("/workspace/views/upsert/batch", NonIdempotent);
    DeleteView = delete("/workspace/views/{id}");
    DeleteViews = batch("/workspace/views/delete/batch", Idempotent);
    SearchViewRecords = search("/workspace/views/{id}/records/search", DataKey("records"));
    AddViewRecord = post("/workspace/views/{id}/records/add", Idempotent, RESULTS);
    AddViewRecords = batch("/workspace/views/{id}/records/add/batch", Idempotent);
    RemoveViewRecord = delete("/workspace/views/{id}/records/{recordId}").payload(RESULTS);
    RemoveViewRecords = batch("/workspace/views/{id}/records/delete/batch", Idempotent);
    ListFavorites = get("/workspace/favorite-views", Price::Free, FAVORITES).users();
    UpsertFavorite =
        post("/workspace/favorite-views/upsert", NonIdempotent, Object("favorite")).users();
    UpsertFavorites = batch("/workspace/favorite-views/upsert/batch", NonIdempotent).users();
    DeleteFavorite = delete("/workspace/favorite-views/{viewId}").users();
    DeleteFavorites = batch("/workspace/favorite-views/delete/batch", Idempotent).users();
    // Workspace: signals
    ListSignals = get("/signals", Price::Unknown, Key("signals"))
        .workspace_in(QueryRequired).params(FEED_PARAMS);
    ShowSignal = get("/signals/{id}", Price::Unknown, Key("signal")).workspace_in(QueryRequired);
    ListQueue = get("/signals/queue", Price::Unknown, Key("signals"))
        .workspace_in(QueryRequired).params(QUEUE_PARAMS);
    ShowQueueStats = get("/signals/queue/stats", Price::Free, RootWithKey("new_count"))
        .workspace_in(QueryRequired);
    TriageSignals = post("/signals/triage", Idempotent, Key("updated"))
        .workspace_in(BodyRequired).max_items(MAX_TRIAGE_SIGNALS);
    // Workspace: signal subscriptions
    ListSubscriptions = get("/signal-subscriptions", Price::Free, Key("subscriptions"))
        .workspace_in(QueryRequired);
    SetSubscription =
        write(Method::PUT, "/signal-subscriptions/{signal_type}", NonIdempotent, SUBSCRIPTIONS)
            .workspace_in(BodyRequired);
    RemoveSubscription = delete("/signal-subscriptions/{signal_type}").workspace_in(QueryRequired);
    SetSubscriptions = post("/signal-subscriptions/bulk", Idempotent, SUBSCRIPTIONS)
        .workspace_in(BodyRequired).max_items(MAX_BULK_SUBSCRIPTIONS);
    ListSubscriptionsWithIds = get("/workspace/signal-subscriptions", Price::Free, SUBSCRIPTIONS);
    UpsertSubscription =
        post("/workspace/signal-subscriptions/upsert", NonIdempotent, Object("subscription"));
    RemoveSubscriptionById = delete("/workspace/signal-subscriptions/{id}");
    // Workspace: Skills, all POST
    FindSkills = ask("/workspace/skills/find", Price::Free, SKILLS);
    ListSkills = ask("/workspace/skills/list", Price::Free, SKILLS);
    ShowSkill = ask("/workspace/skills/get", Price::Free, Object("skill"));
    ShowSkillFile = ask("/workspace/skills/get-file", Price::Free, Object("file"));
    ListSkillRevisions = ask("/workspace/skills/revisions", Price::Free, REVISIONS);
    CreateSkill = skill("/workspace/skills/create");
    CreateSkills = batch("/workspace/skills/create/batch", WithIdempotencyKey);
    UpdateSkill = skill("/workspace/skills/update");
    UpdateSkills = batch("/workspace/skills/update/batch", WithIdempotencyKey);
    PublishSkill = skill("/workspace/skills/publish");
    PublishSkills = batch("/workspace/skills/publish/batch", WithIdempotencyKey);
    UnpublishSkill = skill("/workspace/skills/unpublish");
    UnpublishSkills = batch("/workspace/skills/unpublish/batch", WithIdempotencyKey);
    DeleteSkill = skill("/workspace/skills/delete");
    DeleteSkills = batch("/workspace/skills/delete/batch", WithIdempotencyKey);
    TransferSkill = skill("/workspace/skills/transfer");
    TransferSkills = batch("/workspace/skills/transfer/batch", WithIdempotencyKey);
    MoveSkill = skill("/workspace/skills/move");
    MoveSkills = batch("/workspace/skills/move/batch", WithIdempotencyKey);
    ForkSkill = skill("/workspace/skills/fork");
    ForkSkills = batch("/workspace/skills/fork/batch", WithIdempotencyKey);
    InstallSkill = skill("/workspace/skills/install");
    InstallSkills = batch("/workspace/skills/install/batch", WithIdempotencyKey);
    UninstallSkill = skill("/workspace/skills/uninstall");
    UninstallSkills = batch("/workspace/skills/uninstall/batch", WithIdempotencyKey);
    // Only of gantry's own service
    CreateJoinCode =
        post("/workspace/members/{userId}/join-code", NonIdempotent, Object("invitation"))
            .admins().local();
    ListWalls = get("/workspace/walls", Price::Free, DataKey("walls")).admins().local();
    CreateWall = post("/workspace/walls", NonIdempotent, Data).admins().local();
    RevokeWall = delete("/workspace/walls/{id}").admins().local();
    RedeemJoinCode = post("/join", NonIdempotent, Data).workspace_in(Absent).local();
}

impl RouteId {
    /// The route of a request: the most specific that matches.
    pub fn find(method: &str, path: &str) -> Option<RouteId> {
        let parts: Vec<&str> = path.split('/').collect();
        let matches = |id: &&RouteId| {
            let route = id.route();
            let template = route.path.split('/');
            route.method == method
                && template.clone().count() == parts.len()
                && template.zip(&parts).all(|(name, part)| {
                    name == *part || (name.starts_with('{') && !part.is_empty())
                })
        };
        RouteId::ALL
            .iter()
            .filter(matches)
            .min_by_key(|id| id.route().path.matches('{').count())
            .copied()
    }
}

/// The routes that every service of the interface has.
pub fn routes() -> Vec<Route> {
    let all = RouteId::ALL.iter().map(|id| id.route());
    all.filter(|route| !route.is_local).collect()
}

impl std::fmt::Display for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl Route {
    fn new(
        method: Method,
        path: &'static str,
        retry_class: RetryClass,
        price: Price,
        payload: PayloadPath,
    ) -> Route {
        Route {
            method,
            path,
            params: &[],
            workspace: Query,
            callers: AllowedCallers::Everyone,
            retry_class,
            price,
            payload,
            max_items: None,
            is_local: false,
        }
    }

    /// Whether it changes nothing, like searches and questions, although they are sent by POST.
    pub fn is_read(&self) -> bool {
        self.retry_class.is_read()
    }

    /// The first part of the path.
    pub fn family(&self) -> &'static str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    fn params(self, params: &'static [&'static str]) -> Route {
        Route { params, ..self }
    }

    fn workspace_in(self, workspace: WorkspaceParam) -> Route {
        Route { workspace, ..self }
    }

    fn admins(self) -> Route {
        let callers = AllowedCallers::Admins;
        Route { callers, ..self }
    }

    fn users(self) -> Route {
        let callers = AllowedCallers::Users;
        Route { callers, ..self }
    }

    fn payload(self, payload: PayloadPath) -> Route {
        Route { payload, ..self }
    }

    fn max_items(self, items: usize) -> Route {
        let max_items = Some(items);
        Route { max_items, ..self }
    }

    fn local(self) -> Route {
        let is_local = true;
        Route { is_local, ..self }
    }
}

impl RetryClass {
    pub fn is_read(self) -> bool {
        matches!(self, RetryClass::FreeRead | RetryClass::PaidRead)
    }
}

fn read(method: Method, path: &'static str, price: Price, payload: PayloadPath) -> Route {
    let class = match price {
        Price::Free => RetryClass::FreeRead,
        _ => RetryClass::PaidRead,
    };
    Route::new(method, path, class, price, payload)
}

fn get(path: &'static str, price: Price, payload: PayloadPath) -> Route {
    read(Method::GET, path, price, payload)
}

/// A read that is sent by POST.
fn ask(path: &'static str, price: Price, payload: PayloadPath) -> Route {
    read(Method::POST, path, price, payload)
}

/// A search of records.
fn search(path: &'static str, payload: PayloadPath) -> Route {
    ask(path, Price::PerRow, payload)
}

fn write(method: Method, path: &'static str, class: RetryClass, payload: PayloadPath) -> Route {
    Route::new(method, path, class, Price::Free, payload)
}

fn post(path: &'static str, class: RetryClass, payload: PayloadPath) -> Route {
    write(Method::POST, path, class, payload)
}

/// A write that is answered with a result for each item.
fn batch(path: &'static str, class: RetryClass) -> Route {
    post(path, class, RESULTS).max_items(MAX_BATCH_ITEMS)
}

/// A change of a Skill, which returns a receipt.
fn skill(path: &'static str) -> Route {
    post(path, WithIdempotencyKey, Object("receipt"))
}

/// A single delete. The interface shows few of their responses, so any 2xx is accepted.
fn delete(path: &'static str) -> Route {
    write(Method::DELETE, path, RetryClass::Delete, Root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_finds_its_most_specific_route() {
        for (method, path, expected) in [
            ("GET", "/signals/queue", Some(RouteId::ListQueue)),
            ("GET", "/signals/1", Some(RouteId::ShowSignal)),
            ("POST", "/data/fields/search", Some(RouteId::SearchFields)),
            (
                "POST",
                "/data/projects/search",
                Some(RouteId::SearchRecords),
            ),
            ("GET", "/signals/", None),
            ("HEAD", "/workspace", None),
            ("GET", "/signalsmith", None),
        ] {
            assert_eq!(RouteId::find(method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn each_route_of_the_interface_is_listed_once() {
        for id in RouteId::ALL {
            let route = id.route();
            assert_eq!(RouteId::find(route.method.as_str(), route.path), Some(*id));
        }
        assert_eq!(routes().len(), 85);
    }

    #[test]
    fn the_reads_whose_price_the_interface_does_not_state_are_these() {
        let all = RouteId::ALL.iter().copied();
        let unknown: Vec<RouteId> = all
            .filter(|id| id.route().price == Price::Unknown)
            .collect();
        assert_eq!(
            unknown,
            [
                RouteId::SearchFields,
                RouteId::ShowField,
                RouteId::ListFilters,
                RouteId::AskQuestion,
                RouteId::ListSignals,
                RouteId::ShowSignal,
                RouteId::ListQueue,
            ]
        );
    }

    #[test]
    fn a_get_of_a_record_costs_a_credit_and_a_search_one_a_row() {
        for id in RouteId::ALL {
            let route = id.route();
            let price = match id {
                RouteId::ShowRecord
                | RouteId::ShowAccount
                | RouteId::ShowContact
                | RouteId::ShowProject => Price::PerCall,
                RouteId::SearchRecords
                | RouteId::SearchAccounts
                | RouteId::SearchContacts
                | RouteId::SearchProjects
                | RouteId::SearchViewRecords => Price::PerRow,
                _ if route.price == Price::Unknown => continue,
                _ => Price::Free,
            };
            assert_eq!(route.price, price, "{route}");
        }
    }
}
