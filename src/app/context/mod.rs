//! What the panes share: settings, what is on the screen beside them, shared data, writes and undo.
//!
//! A pane calls the service, writes, opens a question or asks the console for something through it.
//! It never names a pane.

mod activity;
mod annotation_cache;
mod bookmarks;
mod budget_guard;
pub(in crate::app) mod bulk_confirmation;
mod cached_queue;
mod call_opening;
mod calls;
mod cancellation;
pub(in crate::app) mod clipboard;
mod configuration;
mod connection;
pub(in crate::app) mod copy_commands;
mod coverage;
mod custom_commands;
mod descriptions;
mod dispatch;
mod drafts;
mod empty_state;
mod export;
pub(in crate::app) mod global_commands;
mod handoff;
mod history_lists;
mod key_names;
mod layout;
pub(in crate::app) mod list_marks;
pub(in crate::app) mod list_tables;
mod new_view;
mod outbox;
pub(in crate::app) mod overlays;
mod preferences;
pub(in crate::app) mod pressed_keys;
mod prices;
mod privacy_screen;
pub(in crate::app) mod prompt;
mod queue;
mod queue_settings;
mod record_columns;
mod record_lists;
mod record_sorting;
mod records;
mod saved_lists;
mod selection;
mod session;
mod snooze;
mod subscriptions;
#[cfg(test)]
mod testing;
mod trail;
mod typed_history;
mod views;
pub(in crate::app) mod visits;
pub(in crate::app) mod work;

use crate::app::command::{Availability, require};
use custom_commands::ProgramRuns;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};

use crate::app::annotation_cache::CachedAnnotation;
use crate::app::command::keymap::Keymap;
use crate::app::connection::{ConnectionStatus, HeaderRequest};
use crate::app::context::new_view::NewViews;
use crate::app::context::pressed_keys::PressedKeys;
use crate::app::context::work::Work;
use crate::app::drafts::DraftStore;
use crate::app::effect::{ListId, RecordKey};
use crate::app::export::ExportState;
use crate::app::layout::{FrameLayout, PaneSize};
use crate::app::model::description_reads::DescriptionReads;
use crate::app::model::find::FindState;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::model::records::FetchedRecords;
use crate::app::model::subscriptions::SubscriptionList;
use crate::app::model::trail::Trail;
use crate::app::model::views::Views;
use crate::app::notice::Notice;
use crate::app::outbox::Outbox;
use crate::app::overlay::Overlay;
use crate::app::overlay::call_form::Calls;
use crate::app::overlay::join_code::NewJoinCode;
use crate::app::overlay::list_dialog::ListDialog;
use crate::app::prompt::Prompt;
use crate::app::selection::{Focus, Subject};
use crate::app::{AppSettings, ConsoleSession, ExitState, Screen};
use crate::domain::SignalId;
use crate::domain::credits::Credits;
use crate::domain::members::Member;
use crate::domain::queue::QueueStats;
use crate::domain::workspace::Workspace;

/// The visible fields are what a pane may change itself. The others it reads through a method of
/// the same name, or changes through a method that says what for.
pub struct Context {
    pub(in crate::app) work: Work,

    // What is on the screen beside the panes.
    pub(in crate::app) notice: Option<Notice>,
    pub(in crate::app) overlay: Option<Overlay>,
    pub(in crate::app) prompt: Option<Prompt>,
    /// The search in loaded rows.
    pub(in crate::app) find: FindState,

    // Shared data with methods of its own.
    pub(in crate::app) queue: SignalQueue,
    pub(in crate::app) record_lists: RecordLists,
    pub(in crate::app) views: Views,
    pub(in crate::app) subscriptions: SubscriptionList,
    pub(in crate::app) records: FetchedRecords,

    // Shared data that panes read.
    now: DateTime<Utc>,
    session: ConsoleSession,
    settings: AppSettings,
    keymap: Arc<Keymap>,
    size: (u16, u16),
    layout: FrameLayout,
    pane_size: PaneSize,
    /// How many columns of a list are hidden on the left, by the name of its columns' preference.
    skipped_columns: BTreeMap<String, usize>,
    screen: Screen,
    previous_screen: Screen,
    trail: Trail,
    focus: Focus,
    /// The one on top is shown.
    list_dialogs: Vec<ListDialog>,
    stats: Option<QueueStats>,
    workspace: Option<Workspace>,
    members: Vec<Member>,
    credits: Option<Credits>,
    connection: ConnectionStatus,
    outbox: Outbox,

    // What the subsystems keep to themselves.
    pressed: PressedKeys,
    is_key_held: bool,
    is_scrollbar_held: bool,
    quit_arm_count: u64,
    is_blank: bool,
    drafts: DraftStore,
    /// The signals that the open prompt is about to snooze.
    snoozing: Vec<SignalId>,
    /// Pages read to find signals that have returned from a snooze, since the last one did.
    snooze_reads: u8,
    /// When this console last saved snoozes.
    snoozes_saved_at: Option<DateTime<Utc>>,
    /// Join codes that the user did not close yet.
    join_codes: VecDeque<NewJoinCode>,
    calls: Calls,
    new_views: NewViews,
    programs: ProgramRuns,
    exports: ExportState,
    descriptions: DescriptionReads,
    /// What own writes and reads reported about annotations.
    annotation_cache: HashMap<RecordKey, CachedAnnotation>,
    header_data_requested: bool,
    /// What the header still lacks, the next one last: read one after the other, on one connection.
    header_reads: Vec<HeaderRequest>,
    saved_state_requested: bool,
    exit_state: ExitState,
    /// When a key was last pressed or the mouse used.
    last_input_at: DateTime<Utc>,
    /// When this visit was last saved, or the last one was looked up.
    visit_saved_at: Option<DateTime<Utc>>,
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
        let mut cx = Context {
            work: Work::default(),
            notice: None,
            overlay: None,
            prompt: None,
            find: FindState::default(),
            queue: SignalQueue::default(),
            record_lists: RecordLists::default(),
            views: Views::default(),
            subscriptions: SubscriptionList::unread(),
            records: FetchedRecords::default(),
            now,
            session,
            settings,
            keymap,
            size,
            layout: FrameLayout::default(),
            pane_size: PaneSize::default(),
            skipped_columns: BTreeMap::new(),
            screen: match (connected, watches) {
                (true, true) => Screen::Watch,
                (true, false) => Screen::Queue,
                (false, _) => Screen::Start,
            },
            previous_screen: Screen::Queue,
            trail: Trail::default(),
            focus: Focus::default(),
            list_dialogs: Vec::new(),
            stats: None,
            workspace: None,
            members: Vec::new(),
            credits: None,
            connection: ConnectionStatus::default(),
            outbox: Outbox::default(),
            pressed: PressedKeys::default(),
            is_key_held: false,
            is_scrollbar_held: false,
            quit_arm_count: 0,
            is_blank: false,
            drafts: DraftStore::default(),
            snoozing: Vec::new(),
            snooze_reads: 0,
            snoozes_saved_at: None,
            join_codes: VecDeque::new(),
            calls: Calls::default(),
            new_views: NewViews::default(),
            programs: ProgramRuns::default(),
            exports: ExportState::default(),
            descriptions: DescriptionReads::default(),
            annotation_cache: HashMap::new(),
            header_data_requested: false,
            header_reads: Vec::new(),
            saved_state_requested: false,
            exit_state: ExitState::default(),
            last_input_at: now,
            visit_saved_at: None,
        };
        cx.restore_queue_settings();
        if let [first, rest @ ..] = cx.keymap.problems() {
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!("; {} more: gantry keys", rest.len())
            };
            cx.notice = Some(Notice::warning(format!("{first}{more}")));
        }
        cx
    }

    pub(in crate::app) fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub(in crate::app) fn session(&self) -> &ConsoleSession {
        &self.session
    }

    pub(in crate::app) fn settings(&self) -> &AppSettings {
        &self.settings
    }

    pub(in crate::app) fn keymap(&self) -> &Arc<Keymap> {
        &self.keymap
    }

    pub(in crate::app) fn size(&self) -> (u16, u16) {
        self.size
    }

    pub(in crate::app) fn layout(&self) -> &FrameLayout {
        &self.layout
    }

    pub(in crate::app) fn screen(&self) -> Screen {
        self.screen
    }

    pub(in crate::app) fn previous_screen(&self) -> Screen {
        self.previous_screen
    }

    /// The list of records that has the focus.
    pub(in crate::app) fn focused_list(&self) -> Option<&ListId> {
        self.focus.list.as_ref()
    }

    pub(in crate::app) fn subject(&self) -> &Subject {
        &self.focus.subject
    }

    /// The dialog that is a list, if one is open.
    pub(in crate::app) fn list_dialog(&self) -> Option<&ListDialog> {
        self.list_dialogs.last()
    }

    pub(in crate::app) fn stats(&self) -> Option<&QueueStats> {
        self.stats.as_ref()
    }

    pub(in crate::app) fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    pub(in crate::app) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The meter of the workspace.
    pub(in crate::app) fn credits(&self) -> Option<&Credits> {
        self.credits.as_ref()
    }

    pub(in crate::app) fn connection(&self) -> &ConnectionStatus {
        &self.connection
    }

    pub(in crate::app) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Offset of the user's clock from UTC, unless the configuration has a time zone.
    pub fn set_utc_offset(&mut self, offset: FixedOffset) {
        self.settings.utc_offset = self.settings.display.offset.unwrap_or(offset);
    }

    /// Whether the user is being asked something. What the answer does is attributed to the reason
    /// of the question.
    pub fn has_open_question(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some() || self.list_dialog().is_some()
    }

    /// Whether other screens than the dashboard can be shown.
    pub(in crate::app) fn can_leave_dashboard(&self) -> Availability {
        require(
            !self.session.is_dashboard_only,
            "gantry watch shows only this screen; run gantry for the others",
        )
    }

    /// The current time on the service's clock.
    pub fn service_now(&self) -> DateTime<Utc> {
        self.to_service_time(self.now)
    }

    /// Converts a time of this machine's clock, as its journal and ledger store it, to the
    /// service's clock.
    pub(in crate::app) fn to_service_time(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        at.checked_add_signed(self.connection.clock_skew)
            .unwrap_or(at)
    }

    /// Whether the pane has the keys, rather than the annotation form or the builder beside it.
    pub(crate) fn pane_has_focus(&self) -> bool {
        !self.focus.is_annotating && !self.focus.list_filter_open
    }

    /// Whether a dialog that is a list has the keys, rather than what was opened from it.
    pub(in crate::app) fn dialog_has_keys(&self) -> bool {
        self.list_dialog().is_some() && self.overlay.is_none() && self.prompt.is_none()
    }

    /// Whether the focused list has the keys, or what was opened from it: a dialog's, or the pane's.
    pub(in crate::app) fn list_has_focus(&self) -> bool {
        self.list_dialog().is_some() || self.pane_has_focus()
    }

    /// Shows a pane's screen. The screen that is left is not one to come back to.
    pub(in crate::app) fn show_screen(&mut self, screen: Screen) {
        self.screen = screen;
    }

    /// The pages of a screen were closed: the user cannot come back to it.
    pub(in crate::app) fn forget_screen(&mut self, screen: Screen) {
        if self.previous_screen == screen {
            self.previous_screen = Screen::Queue;
        }
    }
}
