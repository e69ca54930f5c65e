//! What the panes share: settings, what is on the screen beside them, shared data, writes and undo.
//!
//! A pane calls the service, writes, opens a question or asks the console for something through it.
//! It never names a pane.

pub(in crate::app) mod activity;
pub(in crate::app) mod annotation_cache;
pub(in crate::app) mod budget_guard;
pub(in crate::app) mod bulk_confirmation;
pub(in crate::app) mod cached_queue;
pub(in crate::app) mod call_opening;
pub(in crate::app) mod calls;
pub(in crate::app) mod cancellation;
pub(in crate::app) mod clipboard;
pub(in crate::app) mod clock;
pub(in crate::app) mod configuration;
pub(in crate::app) mod connection;
pub(in crate::app) mod copy_commands;
pub(in crate::app) mod coverage;
pub(in crate::app) mod custom_commands;
pub(in crate::app) mod descriptions;
pub(in crate::app) mod dispatch;
pub(in crate::app) mod drafts;
pub(in crate::app) mod empty_state;
pub(in crate::app) mod export;
pub(in crate::app) mod frame;
pub(in crate::app) mod global_commands;
pub(in crate::app) mod handoff;
pub(in crate::app) mod history_lists;
pub(in crate::app) mod key_names;
pub(in crate::app) mod list_marks;
pub(in crate::app) mod list_tables;
pub(in crate::app) mod new_view;
pub(in crate::app) mod outbox;
pub(in crate::app) mod overlays;
pub(in crate::app) mod preferences;
pub(in crate::app) mod pressed_keys;
pub(in crate::app) mod prices;
pub(in crate::app) mod promises;
pub(in crate::app) mod prompt;
pub(in crate::app) mod queue;
pub(in crate::app) mod queue_settings;
pub(in crate::app) mod record_columns;
pub(in crate::app) mod record_lists;
pub(in crate::app) mod record_sorting;
pub(in crate::app) mod records;
mod remembered;
pub(in crate::app) mod saved_lists;
pub(in crate::app) mod selection;
pub(in crate::app) mod session;
pub(in crate::app) mod snooze;
pub(in crate::app) mod subscriptions;
pub(in crate::app) mod team;
#[cfg(test)]
mod testing;
pub(in crate::app) mod trail;
pub(in crate::app) mod typed_history;
pub(in crate::app) mod ui;
pub(in crate::app) mod views;
pub(in crate::app) mod visits;
pub(in crate::app) mod work;

use std::collections::VecDeque;
use std::sync::Arc;

use chrono::{DateTime, Duration, FixedOffset, Utc};
use custom_commands::ProgramRuns;

use crate::app::command::keymap::Keymap;
use crate::app::command::{Availability, require};
use crate::app::connection::{ConnectionStatus, HeaderReads};
use crate::app::context::clock::Clock;
use crate::app::context::frame::Frame;
use crate::app::context::new_view::NewViews;
use crate::app::context::pressed_keys::PressedKeys;
use crate::app::context::remembered::{Snoozing, Visits};
use crate::app::context::team::Team;
use crate::app::context::ui::Ui;
use crate::app::context::work::Work;
use crate::app::drafts::DraftStore;
use crate::app::export::ExportState;
use crate::app::model::description_reads::DescriptionReads;
use crate::app::model::known_records::KnownRecords;
use crate::app::model::promises::Promises;
use crate::app::model::queue::SignalQueue;
use crate::app::model::subscriptions::SubscriptionList;
use crate::app::model::trail::Trail;
use crate::app::model::views::Views;
use crate::app::outbox::Outbox;
use crate::app::overlay::call_form::Calls;
use crate::app::overlay::join_code::NewJoinCode;
use crate::app::{AppSettings, ConsoleSession, ExitState, Screen};
use crate::domain::queue::QueueStats;

/// What the panes share. Each field is a part with methods of its own; a pane or feature borrows
/// the parts that it uses.
pub struct Context {
    pub(in crate::app) clock: Clock,
    pub(in crate::app) ui: Ui,
    pub(in crate::app) frame: Frame,
    pub(in crate::app) work: Work,

    // Shared data with methods of its own.
    pub(in crate::app) queue: SignalQueue,
    pub(in crate::app) views: Views,
    pub(in crate::app) subscriptions: SubscriptionList,
    pub(in crate::app) records: KnownRecords,

    // Shared data that panes read.
    pub(in crate::app) session: ConsoleSession,
    pub(in crate::app) settings: AppSettings,
    pub(in crate::app) keymap: Arc<Keymap>,
    pub(in crate::app) trail: Trail,
    pub(in crate::app) team: Team,
    pub(in crate::app) stats: Option<QueueStats>,
    pub(in crate::app) connection: ConnectionStatus,
    pub(in crate::app) outbox: Outbox,

    // What the subsystems keep to themselves.
    pub(in crate::app) pressed: PressedKeys,
    pub(in crate::app) drafts: DraftStore,
    pub(in crate::app) promises: Promises,
    /// Join codes that the user did not close yet.
    pub(in crate::app) join_codes: VecDeque<NewJoinCode>,
    pub(in crate::app) snoozing: Snoozing,
    pub(in crate::app) visits: Visits,
    pub(in crate::app) header: HeaderReads,
    pub(in crate::app) calls: Calls,
    pub(in crate::app) new_views: NewViews,
    pub(in crate::app) programs: ProgramRuns,
    pub(in crate::app) exports: ExportState,
    pub(in crate::app) descriptions: DescriptionReads,
    pub(in crate::app) exit_state: ExitState,
}

impl ConsoleSession {
    /// Whether other screens than the dashboard can be shown.
    pub(in crate::app) fn can_leave_dashboard(&self) -> Availability {
        require(
            !self.is_dashboard_only,
            "gantry watch shows only this screen; run gantry for the others",
        )
    }
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
            clock: Clock {
                now,
                skew: Duration::zero(),
                utc_offset: settings.utc_offset,
                is_simulated: settings.is_clock_simulated,
            },
            team: Team::default(),
            snoozing: Snoozing::default(),
            visits: Visits {
                last_input_at: now,
                has_begun: false,
                saved_at: None,
            },
            header: HeaderReads::default(),
            ui: Ui::new(match (connected, watches) {
                (true, true) => Screen::Watch,
                (true, false) => Screen::Queue,
                (false, _) => Screen::Start,
            }),
            frame: Frame::new(size),
            work: Work::default(),
            queue: SignalQueue::default(),
            views: Views::default(),
            subscriptions: SubscriptionList::unread(),
            records: KnownRecords::default(),
            session,
            settings,
            keymap,
            trail: Trail::default(),
            stats: None,
            connection: ConnectionStatus::default(),
            outbox: Outbox::default(),
            pressed: PressedKeys::default(),
            drafts: DraftStore::default(),
            promises: Promises::default(),
            join_codes: VecDeque::new(),
            calls: Calls::default(),
            new_views: NewViews::default(),
            programs: ProgramRuns::default(),
            exports: ExportState::default(),
            descriptions: DescriptionReads::default(),
            exit_state: ExitState::default(),
        };
        cx.restore_queue_settings();
        if let [first, rest @ ..] = cx.keymap.problems() {
            let more = if rest.is_empty() {
                String::new()
            } else {
                format!("; {} more: gantry keys", rest.len())
            };
            cx.ui.warn(format!("{first}{more}"));
        }
        cx
    }

    /// Offset of the user's clock from UTC, unless the configuration has a time zone.
    pub fn set_utc_offset(&mut self, offset: FixedOffset) {
        self.clock.utc_offset = self.settings.display.offset.unwrap_or(offset);
    }
}
