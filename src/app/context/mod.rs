//! What the panes share: settings, what is on the screen beside them, shared data, writes and undo.
//!
//! A pane calls the service, writes, opens a question or asks the console for something through it. It never names a pane.

mod annotation_cache;
mod budget_guard;
pub(in crate::app) mod bulk_confirmation;
mod cached_queue;
mod clipboard;
mod connection;
mod drafts;
mod empty_state;
mod export;
mod key_names;
mod layout;
mod outbox;
pub(in crate::app) mod overlays;
mod privacy_screen;
pub(in crate::app) mod prompt;
mod queue;
mod record_columns;
mod record_lists;
mod records;
mod selection;
mod session;
mod subscriptions;
mod views;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};

use crate::app::action::Action;
use crate::app::annotation_cache::CachedAnnotation;
use crate::app::change::Change;
use crate::app::command::keymap::Keymap;
use crate::app::command::keys::Key;
use crate::app::connection::ConnectionStatus;
use crate::app::effect::{ListId, RecordKey, ServiceCall, Slot};
use crate::app::layout::FrameLayout;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::FetchedRecords;
use crate::app::model::subscriptions::SubscriptionList;
use crate::app::model::views::Views;
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::app::outbox::Outbox;
use crate::app::overlay::Overlay;
use crate::app::prompt::Prompt;
use crate::app::requests::{Request, Requests};
use crate::app::selection::Subject;
use crate::app::{AppSettings, ConsoleSession, Effect, ExitState, Screen};
use crate::domain::credits::Credits;
use crate::domain::members::Member;
use crate::domain::queue::QueueStats;
use crate::domain::workspace::Workspace;

pub struct Context {
    pub(in crate::app) session: ConsoleSession,
    pub(in crate::app) settings: AppSettings,
    pub(in crate::app) keymap: Arc<Keymap>,
    pub(in crate::app) size: (u16, u16),
    pub(in crate::app) now: DateTime<Utc>,
    pub(in crate::app) effects: Vec<Effect>,
    pub(in crate::app) request_reason: &'static str,
    /// Why the overlay or the prompt was opened.
    pub(in crate::app) question_reason: &'static str,
    pub(in crate::app) requests: Requests,
    /// What the console performs once the current handler is done.
    pub(in crate::app) actions: VecDeque<Action>,
    /// What every pane hears of once the current handler is done.
    pub(in crate::app) changes: VecDeque<Change>,
    pub(in crate::app) pressed_keys: Vec<Key>,
    pub(in crate::app) prefix_count: u64,
    pub(in crate::app) showing_continuations: bool,
    pub(in crate::app) quit_arm_count: u64,

    pub(in crate::app) screen: Screen,
    /// The scope of the pane on the screen, as the console last asked it.
    pub(in crate::app) pane_scope: crate::app::command::Scope,
    /// The list of records that has the focus, as the console last asked the pane on the screen.
    pub(in crate::app) focused_list: Option<ListId>,
    /// The builder over a list has the keys.
    pub(in crate::app) list_filter_open: bool,
    /// What the pane on the screen offers to commands that work on several screens.
    pub(in crate::app) subject: Subject,
    /// The annotation form is open beside the pane and has the keys.
    pub(in crate::app) is_annotating: bool,
    pub(in crate::app) is_blank: bool,
    pub(in crate::app) overlay: Option<Overlay>,
    pub(in crate::app) notice: Option<Notice>,
    pub(in crate::app) layout: FrameLayout,

    pub(in crate::app) queue: SignalQueue,
    pub(in crate::app) record_lists: RecordLists,
    pub(in crate::app) views: Views,
    pub(in crate::app) prompt: Option<Prompt>,
    pub(in crate::app) drafts: crate::app::drafts::DraftStore,
    /// What own writes and reads reported about annotations.
    pub(in crate::app) annotation_cache: HashMap<RecordKey, CachedAnnotation>,
    pub(in crate::app) exports: crate::app::export::ExportState,
    /// The last search in loaded rows.
    pub(in crate::app) last_find: String,
    pub(in crate::app) previous_screen: Screen,
    pub(in crate::app) outbox: Outbox,

    pub(in crate::app) connection: ConnectionStatus,
    pub(in crate::app) stats: Option<QueueStats>,
    pub(in crate::app) workspace: Option<Workspace>,
    pub(in crate::app) credits: Option<Credits>,
    pub(in crate::app) budget_guard: crate::app::budget_guard::BudgetGuard,
    pub(in crate::app) members: Vec<Member>,
    pub(in crate::app) subscriptions: SubscriptionList,
    pub(in crate::app) records: FetchedRecords,

    pub(in crate::app) header_data_requested: bool,
    pub(in crate::app) saved_state_requested: bool,
    pub(in crate::app) exit_state: ExitState,
}

impl Context {
    pub(in crate::app) fn new(
        session: ConsoleSession,
        settings: AppSettings,
        keymap: Arc<Keymap>,
        size: (u16, u16),
        now: DateTime<Utc>,
    ) -> Context {
        let (connected, watches) = (session.connected, session.is_dashboard_only);
        let mut app = Context {
            session,
            keymap,
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
            pane_scope: crate::app::command::Scope::Queue,
            focused_list: None,
            list_filter_open: false,
            subject: Subject::None,
            is_annotating: false,
            is_blank: false,
            overlay: None,
            notice: None,
            layout: FrameLayout::default(),
            queue: SignalQueue::default(),
            record_lists: RecordLists::default(),
            views: Views::default(),
            prompt: None,
            drafts: crate::app::drafts::DraftStore::default(),
            annotation_cache: HashMap::new(),
            exports: crate::app::export::ExportState::default(),
            last_find: String::new(),
            previous_screen: Screen::Queue,
            outbox: Outbox::default(),
            connection: ConnectionStatus::default(),
            stats: None,
            workspace: None,
            credits: None,
            budget_guard: crate::app::budget_guard::BudgetGuard::default(),
            members: Vec::new(),
            subscriptions: SubscriptionList::default(),
            records: FetchedRecords::default(),
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
    pub(crate) fn perform(&mut self, action: impl Into<Action>) {
        self.actions.push_back(action.into());
    }

    /// Tells every pane of a change of shared data, once the current handler is done.
    pub(crate) fn publish(&mut self, change: Change) {
        self.changes.push_back(change);
    }

    /// Calls the service. The reply goes to whoever made this request.
    pub(in crate::app) fn call_service(&mut self, slot: Slot, call: ServiceCall, request: impl Into<Request>) -> Token {
        let token = self.requests.open(slot.clone(), request.into(), self.request_reason);
        self.track_price(token, &call);
        self.effects.push(Effect::Call { token, slot, call, reason: self.request_reason });
        token
    }

    /// Cancels the reads of a slot. Nobody waits for their replies any longer.
    pub(in crate::app) fn abandon_slot(&mut self, slot: Slot) {
        self.requests.abandon(&slot);
        self.effects.push(Effect::Cancel(slot));
    }
}
