//! The console as a pure state machine: messages in, state, effects out, drawing.
//!
//! [`Console::update`] is the only entry point, [`Console::update_layout`] computes rectangles from size and state, and
//! [`Console::draw`] paints. [`Context`] is what the panes share. A failure is state, never an error of `update`; every effect is a
//! value that a test can read. Replies go to whoever asked ([`requests`]).
//!
//! Never here: tokio, HTTP, files, environment variables, a clock. Time comes with each message.

pub(crate) mod action;
pub(crate) mod annotation_cache;
mod budget_guard;
mod bulk_confirmation;
pub(crate) mod change;
pub mod command;
pub(crate) mod connection;
mod console;
pub(crate) mod drafts;
pub mod effect;
mod empty_state;
mod export;
pub(crate) mod format;
mod header;
pub(crate) mod layout;
pub(crate) mod model;
pub mod msg;
pub(crate) mod notice;
pub(crate) mod outbox;
pub(crate) mod overlay;
pub(crate) mod pane;
pub(crate) mod panes;
pub(crate) mod pending_writes;
mod privacy_screen;
pub(crate) mod prompt;
mod read_before_write;
pub(crate) mod reconcile;
pub(crate) mod records;
pub(crate) mod requests;
mod screen;
mod selection;
pub(crate) mod session;
pub(crate) mod triage;
mod triage_messages;
pub(crate) mod undo_journal;
mod write_batches;

#[cfg(test)]
pub(crate) mod testing;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};

pub use console::Console;
pub use effect::Effect;
pub use msg::Msg;
pub use panes::watch::{DashboardOptions, DashboardPage};
pub use panes::{all_commands, build_keymap};
pub use screen::Screen;
pub use session::{AfterTriage, AppSettings, ConsoleSession, ExitState};

use crate::domain::SignalId;
use crate::domain::credits::Credits;
use crate::domain::members::Member;
use crate::domain::queue::QueueStats;
use crate::domain::workspace::Workspace;
use action::Action;
use annotation_cache::CachedAnnotation;
use change::Change;
use command::keymap::Keymap;
use command::keys::Key;
use connection::ConnectionStatus;
use effect::{ListId, RecordKey, ServiceCall, Slot};
use layout::FrameLayout;
use model::record_lists::RecordLists;
use model::records::FetchedRecords;
use model::subscriptions::SubscriptionList;
use model::views::Views;
use msg::Token;
use notice::Notice;
use overlay::Overlay;
use panes::detail::DetailPane;
use panes::queue::{PreviewState, QueuePane};
use prompt::Prompt;
use requests::{Request, Requests};
use selection::Subject;
use uuid::Uuid;

pub struct Context {
    session: ConsoleSession,
    settings: AppSettings,
    keymap: Arc<Keymap>,
    size: (u16, u16),
    now: DateTime<Utc>,
    effects: Vec<Effect>,
    request_reason: &'static str,
    /// Why the overlay or the prompt was opened.
    question_reason: &'static str,
    requests: Requests,
    /// What the console performs once the current handler is done.
    actions: VecDeque<Action>,
    /// What every pane hears of once the current handler is done.
    changes: VecDeque<Change>,
    pressed_keys: Vec<Key>,
    prefix_count: u64,
    showing_continuations: bool,
    quit_arm_count: u64,

    screen: Screen,
    /// The scope of the pane on the screen, as the console last asked it.
    pane_scope: command::Scope,
    /// The list of records that has the focus, as the console last asked the pane on the screen.
    focused_list: Option<ListId>,
    /// The builder over a list has the keys.
    list_filter_open: bool,
    /// What the pane on the screen offers to commands that work on several screens.
    subject: Subject,
    /// The annotation form is open beside the pane and has the keys.
    is_annotating: bool,
    is_blank: bool,
    overlay: Option<Overlay>,
    notice: Option<Notice>,
    layout: FrameLayout,

    queue: QueuePane,
    detail: Option<DetailPane>,
    record_lists: RecordLists,
    views: Views,
    prompt: Option<Prompt>,
    drafts: drafts::DraftStore,
    /// What own writes and reads reported about annotations.
    annotation_cache: HashMap<RecordKey, CachedAnnotation>,
    /// Records that the service does not return. The user was told, so they are written without being read first.
    unreadable_records: HashSet<Uuid>,
    /// Names of records that were read before they were written.
    record_names: HashMap<Uuid, String>,
    /// The step to undo or redo once its records are read.
    after_preflight_records: Option<Action>,
    settings_preflight: Option<undo_journal::preflight::SettingsPreflight>,
    /// Commands that wait until pending writes are done.
    deferred_commands: std::collections::VecDeque<&'static command::Command>,
    exports: export::ExportState,
    /// The last search in loaded rows.
    last_find: String,
    previous_screen: Screen,
    pending_triages: triage::PendingTriages,
    pending_writes: pending_writes::PendingWrites,
    undo_history: undo_journal::UndoStack,
    reconciliation: reconcile::TriageReconciliation,
    retried_triage: reconcile::RetriedTriage,
    outbox: outbox::TriageOutbox,

    connection: ConnectionStatus,
    stats: Option<QueueStats>,
    workspace: Option<Workspace>,
    credits: Option<Credits>,
    budget_guard: budget_guard::BudgetGuard,
    members: Vec<Member>,
    subscriptions: SubscriptionList,
    records: FetchedRecords,
    visited_signals: HashSet<SignalId>,
    opened_at: Option<DateTime<Utc>>,

    header_data_requested: bool,
    saved_state_requested: bool,
    exit_state: ExitState,
}

impl Context {
    fn new(session: ConsoleSession, settings: AppSettings, size: (u16, u16), now: DateTime<Utc>) -> Context {
        let (connected, watches) = (session.connected, session.is_dashboard_only);
        let preview = PreviewState { hidden: !settings.preview_enabled, ..PreviewState::default() };
        let mut app = Context {
            session,
            keymap: build_keymap(&settings.key_overrides),
            settings,
            size,
            now,
            effects: Vec::new(),
            request_reason: "start",
            question_reason: "start",
            requests: Requests::default(),
            actions: VecDeque::new(),
            changes: VecDeque::new(),
            pressed_keys: Vec::new(),
            prefix_count: 0,
            showing_continuations: false,
            quit_arm_count: 0,
            screen: match (connected, watches) {
                (true, true) => Screen::Watch,
                (true, false) => Screen::Queue,
                (false, _) => Screen::Start,
            },
            pane_scope: command::Scope::Queue,
            focused_list: None,
            list_filter_open: false,
            subject: Subject::None,
            is_annotating: false,
            is_blank: false,
            overlay: None,
            notice: None,
            layout: FrameLayout::default(),
            queue: QueuePane { preview, ..QueuePane::default() },
            detail: None,
            record_lists: RecordLists::default(),
            views: Views::default(),
            prompt: None,
            drafts: drafts::DraftStore::default(),
            annotation_cache: HashMap::new(),
            unreadable_records: HashSet::new(),
            record_names: HashMap::new(),
            after_preflight_records: None,
            settings_preflight: None,
            deferred_commands: std::collections::VecDeque::new(),
            exports: export::ExportState::default(),
            last_find: String::new(),
            previous_screen: Screen::Queue,
            pending_triages: triage::PendingTriages::default(),
            pending_writes: pending_writes::PendingWrites::default(),
            undo_history: undo_journal::UndoStack::default(),
            reconciliation: reconcile::TriageReconciliation::default(),
            retried_triage: None,
            outbox: outbox::TriageOutbox::default(),
            connection: ConnectionStatus::default(),
            stats: None,
            workspace: None,
            credits: None,
            budget_guard: budget_guard::BudgetGuard::default(),
            members: Vec::new(),
            subscriptions: SubscriptionList::default(),
            records: FetchedRecords::default(),
            visited_signals: HashSet::new(),
            opened_at: None,
            header_data_requested: false,
            saved_state_requested: false,
            exit_state: ExitState::default(),
        };
        if let [first, rest @ ..] = app.keymap.problems() {
            let more = if rest.is_empty() { String::new() } else { format!("; {} more: gantry keys", rest.len()) };
            app.notice = Some(Notice::warning(format!("{first}{more}")));
        }
        app
    }

    /// Offset of the user's clock from UTC.
    pub fn set_utc_offset(&mut self, offset: FixedOffset) {
        self.settings.utc_offset = offset;
    }

    /// Whether the user is being asked something. What the answer does is attributed to the reason of the question.
    pub fn has_open_question(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some()
    }

    /// Why the last update made its calls, for the ledger: the ID of the command that caused them, or the kind of event.
    pub fn request_reason(&self) -> &'static str {
        self.request_reason
    }

    /// The current time on the service's clock.
    pub fn service_now(&self) -> DateTime<Utc> {
        self.now.checked_add_signed(self.connection.clock_skew).unwrap_or(self.now)
    }

    /// Whether the pane has the keys, rather than the annotation form or the builder beside it.
    pub(crate) fn pane_has_focus(&self) -> bool {
        !self.is_annotating && !self.list_filter_open
    }

    /// Has the console perform an action once the current handler is done.
    pub(crate) fn perform(&mut self, action: Action) {
        self.actions.push_back(action);
    }

    /// Tells every pane of a change of shared data, once the current handler is done.
    pub(crate) fn publish(&mut self, change: Change) {
        self.changes.push_back(change);
    }

    /// Calls the service. The reply goes to whoever made this request.
    fn call_service(&mut self, slot: Slot, call: ServiceCall, request: Request) -> Token {
        let token = self.requests.open(slot.clone(), request, self.request_reason);
        self.track_price(token, &call);
        self.effects.push(Effect::Call { token, slot, call, reason: self.request_reason });
        token
    }

    /// Cancels the reads of a slot. Nobody waits for their replies any longer.
    fn abandon_slot(&mut self, slot: Slot) {
        self.requests.abandon(&slot);
        self.effects.push(Effect::Cancel(slot));
    }
}
