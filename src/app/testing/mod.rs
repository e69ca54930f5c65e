//! A console without a runtime: a script of keys in, effects and screens out.
//!
//! The service is a list of rows that the test owns: `serve` answers the pending calls in order, as
//! a service would. A chain ends in an assertion; nothing here sleeps or draws by itself.

mod fake_machine;
pub(crate) mod fake_service;
pub(crate) mod fake_skills;
pub(crate) mod fake_workspace;
mod open_work;
mod rows;
pub(crate) mod scopes;
mod screen;
mod untrusted_text;

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use uuid::Uuid;

use super::command::keys::Key;
use super::effect::{Effect, ServiceCall, WriteRequest};
use super::msg::{ConnectReply, ConnectedService, Msg, Push, ReadCost, Reply, Timer, Token};
use super::{AppSettings, Console, ConsoleSession, Context};
use crate::domain::credits::Credits;
use crate::domain::export::ExportProgress;
use crate::domain::journal::SavedState;
use crate::domain::journal_lines::JournalLine;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueStats, SignalTypeCount, TriageStatus};
use crate::domain::record_history::RecordVersion;
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::runs::SavedSearchRun;
use crate::domain::signals::{Signal, SignalType};
use crate::domain::workspace::Workspace;
use crate::domain::{ProjectId, SignalId, UserId};
pub use rows::{many_rows, morning_queue, parse_time, queue_row, sample_meter, signal_id};
pub(crate) use screen::golden;

/// The time of every test: a Thursday morning.
pub const NOW: &str = "2026-07-09T09:20:14Z";

/// The console's user.
pub const ANA: u128 = 0xA;
/// Her colleague.
pub const BEN: u128 = 0xB;

/// A console, the service's rows and the calls that were made.
pub struct TestConsole {
    /// Boxed: it is moved with every key of a script.
    pub app: Box<Console>,
    /// The service's queue, in its order.
    pub rows: Vec<QueueSignal>,
    pub service: fake_service::FakeService,
    pub workspace: fake_workspace::FakeWorkspace,
    /// What this machine has stored.
    pub saved_state: SavedState,
    /// The lists of the book and of Views that this machine saved.
    pub saved_lists: Vec<SavedSearchRun>,
    /// What its journal has.
    pub journal: Vec<JournalLine>,
    /// Which of the consoles it is that ran on its machine, and how many did.
    number: u32,
    last_number: u32,
    /// Writes that were begun, in this machine's journal.
    started_writes: Vec<fake_machine::JournaledChange>,
    /// Triages that were sent, in this machine's journal: one for each act.
    sent_triages: Vec<fake_machine::SentTriage>,
    /// Records as they were when they were read.
    record_versions: HashMap<Uuid, Vec<RecordVersion>>,
    /// Calls without a reply.
    pub pending_calls: VecDeque<(Token, ServiceCall)>,
    /// All other effects, in order.
    pub effects: Vec<Effect>,
    /// All calls that were made, in order.
    pub calls: Vec<ServiceCall>,
    /// What each row of the queue costs, and what was spent so on the meter.
    pub row_price: u64,
    pub spent_on_rows: u64,
    /// What the service and its meter say about reading a signal.
    pub read_cost: Option<ReadCost>,
    now: DateTime<Utc>,
}

impl TestConsole {
    /// A console of 120 by 36 with these rows, after all calls of its start were answered.
    pub fn with_rows(rows: Vec<QueueSignal>) -> Self {
        TestConsole::with_size(rows, (120, 36), AppSettings::default())
            .poll()
            .serve()
    }

    /// A console of this size whose first calls are not answered yet.
    pub fn with_size(rows: Vec<QueueSignal>, size: (u16, u16), settings: AppSettings) -> Self {
        let session = ConsoleSession {
            label: "acme-west".to_owned(),
            connected: true,
            read_only: false,
            is_dashboard_only: false,
        };
        TestConsole::with_session(session, rows, size, settings)
    }

    pub fn with_session(
        session: ConsoleSession,
        rows: Vec<QueueSignal>,
        size: (u16, u16),
        settings: AppSettings,
    ) -> Self {
        let now = parse_time(NOW);
        let (app, effects) = Console::new(session, settings, size, now);
        let mut console = TestConsole {
            app: Box::new(app),
            rows,
            service: fake_service::FakeService::new(),
            workspace: fake_workspace::FakeWorkspace::default(),
            saved_state: SavedState::default(),
            saved_lists: Vec::new(),
            journal: Vec::new(),
            number: 0,
            last_number: 0,
            started_writes: Vec::new(),
            sent_triages: Vec::new(),
            record_versions: HashMap::new(),
            pending_calls: VecDeque::new(),
            effects: Vec::new(),
            calls: Vec::new(),
            row_price: 0,
            spent_on_rows: 0,
            read_cost: None,
            now,
        };
        console.collect_effects(effects);
        console
    }

    pub fn context(&self) -> &Context {
        self.app.context()
    }

    pub fn context_mut(&mut self) -> &mut Context {
        self.app.context_mut()
    }

    fn collect_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Call { token, call, .. } => {
                    self.store_sent_triage(token, &call);
                    self.calls.push(call.clone());
                    self.pending_calls.push_back((token, call));
                }
                other => {
                    self.store_effect(&other);
                    self.effects.push(other);
                }
            }
        }
    }

    pub fn send(mut self, msg: Msg) -> Self {
        if let Msg::Replied(token, result) = &msg {
            self.store_reply(*token, result);
        }
        let effects = self.app.update(msg, self.now);
        self.collect_effects(effects);
        self
    }

    /// Presses keys, separated by spaces: `j j e`. A digit is pressed long enough before the next
    /// key not to be a count, and what a key opens is looked at.
    pub fn press(mut self, keys: &str) -> Self {
        for name in keys.split(' ') {
            self = self.type_keys(name);
            while let Some(at) = self.effects.iter().position(is_key_timer) {
                if let Effect::SetTimer { timer, .. } = self.effects.remove(at) {
                    self = self.send(Msg::Elapsed(timer));
                }
            }
        }
        self
    }

    /// How many searches were sent.
    pub fn count_searches(&self) -> usize {
        let is_search = |call: &&ServiceCall| matches!(call, ServiceCall::Search { .. });
        self.calls.iter().filter(is_search).count()
    }

    /// Presses keys in quick succession.
    pub fn type_keys(mut self, keys: &str) -> Self {
        for name in keys.split(' ') {
            let key = Key::parse(name).unwrap_or_else(|| panic!("no key is called {name}"));
            self = self.send(Msg::Key(key.to_event()));
        }
        self
    }

    pub fn type_text(mut self, text: &str) -> Self {
        for c in text.chars() {
            let key = crossterm::event::KeyEvent::new(
                crossterm::event::KeyCode::Char(c),
                crossterm::event::KeyModifiers::NONE,
            );
            self = self.send(Msg::Key(key));
        }
        self
    }

    pub fn advance_time(mut self, duration: Duration) -> Self {
        self.now += duration;
        self
    }

    /// Answers all pending calls, and those that follow, as a service with these rows would.
    pub fn serve(mut self) -> Self {
        while let Some((token, call)) = self.pending_calls.pop_front() {
            let reply = self.reply_to(&call);
            self = self.send(Msg::Replied(token, reply));
        }
        self
    }

    /// Fails the oldest pending call.
    pub fn fail_next(self, failure: RequestError) -> Self {
        self.answer_next(Err(failure))
    }

    /// Answers the oldest pending call with this.
    pub fn answer_next(mut self, result: Result<Reply, RequestError>) -> Self {
        let (token, _) = self.pending_calls.pop_front().expect("a pending call");
        self.send(Msg::Replied(token, result))
    }

    /// Answers the oldest pending call.
    pub fn serve_next(mut self) -> Self {
        let (token, call) = self.pending_calls.pop_front().expect("a pending call");
        let reply = self.reply_to(&call);
        self.send(Msg::Replied(token, reply))
    }

    /// The text that was copied last.
    pub fn copied_text(&self) -> Option<&str> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::CopyToClipboard { text, .. } => Some(text.0.as_str()),
            _ => None,
        })
    }

    pub fn poll(self) -> Self {
        let stats = self.stats();
        self.send(Msg::Pushed(Push::Stats {
            result: Ok(stats),
            skew: Duration::zero(),
        }))
    }

    /// Changes the service's rows as a colleague would.
    pub fn edit_rows(mut self, change: impl FnOnce(&mut Vec<QueueSignal>)) -> Self {
        change(&mut self.rows);
        self
    }

    /// Marks rows done in the service, as Ben.
    pub fn ben_marks_done(self, ids: &[usize]) -> Self {
        self.user_marks_done(BEN, ids)
    }

    /// Marks rows done in the service, as this user.
    pub fn user_marks_done(self, user: u128, ids: &[usize]) -> Self {
        let ids: Vec<SignalId> = ids.iter().map(|n| signal_id(*n)).collect();
        let now = self.now;
        self.edit_rows(|rows| mark_triaged(rows, &ids, &TriageStatus::Done, user, now))
    }

    fn stats(&self) -> QueueStats {
        let new: Vec<&QueueSignal> = self
            .rows
            .iter()
            .filter(|row| row.triage_status == Some(TriageStatus::New))
            .collect();
        let high = new
            .iter()
            .filter(|row| row.priority.as_ref().is_some_and(|p| p.as_str() == "high"))
            .count();
        let count = |kind: &SignalType| {
            new.iter()
                .filter(|row| row.signal.signal_type.as_ref() == Some(kind))
                .count() as u64
        };
        QueueStats {
            new_count: new.len() as u64,
            high_priority_new_count: high as u64,
            done_count: (self.rows.len() - new.len()) as u64,
            type_counts: SignalType::ALL
                .iter()
                .map(|kind| SignalTypeCount {
                    signal_type: kind.clone(),
                    new_count: count(kind),
                })
                .collect(),
        }
    }

    /// What a service with these rows would reply.
    pub fn reply_to(&mut self, call: &ServiceCall) -> Result<Reply, RequestError> {
        Ok(match call {
            ServiceCall::Queue { filter, offset, limit } => {
                let matches = |row: &&QueueSignal| {
                    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(&filter.q));
                    row.triage_status.as_ref().is_some_and(|status| filter.status.contains(status))
                        && (filter.signal_type.is_empty() || row.signal.signal_type.as_ref().is_some_and(|kind| filter.signal_type.contains(kind)))
                        && (filter.priority.is_empty() || row.priority.as_ref().is_some_and(|p| filter.priority.contains(p)))
                        && (filter.q.is_empty() || has(&row.signal.project_name) || has(&row.signal.source_filing_id))
                };
                let all: Vec<&QueueSignal> = self.rows.iter().filter(matches).collect();
                let rows: Vec<_> = all.iter().skip(*offset as usize).take(*limit as usize).map(|row| (*row).clone()).collect();
                self.spent_on_rows += self.row_price * rows.len() as u64;
                let end = *offset + u32::try_from(rows.len()).unwrap_or(u32::MAX);
                let next_offset = (all.len() > end as usize).then_some(end);
                Reply::Queue(Page { rows, unreadable: 0, offset: *offset, total: Some(all.len() as u64), next_offset })
            }
            ServiceCall::Feed { filter, offset, limit } => {
                let matches = |signal: &&Signal| {
                    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| text.contains(&filter.q));
                    (filter.signal_type.is_none() || filter.signal_type == signal.signal_type)
                        && (filter.project_id.is_none() || filter.project_id == signal.project_id)
                        && (filter.q.is_empty() || has(&signal.project_name) || has(&signal.source_filing_id))
                };
                let mut all: Vec<Signal> = self.rows.iter().map(|row| row.signal.clone()).collect();
                all.sort_by_key(|signal| std::cmp::Reverse(signal.filed_at.as_ref().and_then(|when| when.date_time())));
                let rows: Vec<Signal> = all.iter().filter(matches).skip(*offset as usize).take(*limit as usize).cloned().collect();
                // Without a total, only an empty page shows the end.
                let next_offset = (rows.len() == *limit as usize).then_some(offset + limit);
                Reply::Feed((Page { rows, unreadable: 0, offset: *offset, total: None, next_offset }, None))
            }
            ServiceCall::Triage { ids, status, .. } => {
                let before = self.rows.clone();
                mark_triaged(&mut self.rows, ids, status, ANA, self.now);
                Reply::Triaged(Some(
                    before.iter().zip(&self.rows).filter(|(a, b)| a.triage_status != b.triage_status).count() as u64
                ))
            }
            ServiceCall::Record { key, .. } if self.rows.iter().any(|row| row.signal.project_id.is_some_and(|id| id.0 == key.id)) => {
                self.service.spent += 1;
                Reply::Record((self.project_details(ProjectId(key.id)), None, Some(1)))
            }
            ServiceCall::Record { key, .. } => match self.service.get_record(key) {
                Some(record) => {
                    self.store_version(key, &record);
                    Reply::Record((record, None, Some(1)))
                }
                None => return Err(not_found()),
            },
            ServiceCall::Search { source, search, after, limit } => {
                Reply::SearchPage(self.service.search(source, search, after.as_deref(), *limit))
            }
            ServiceCall::SavedSearch { source, search } => Reply::SavedSearch(self.saved_list(source, search)),
            ServiceCall::Export(export) => {
                let progress = ExportProgress { path: export.path.clone(), rows: export.rows.len() as u64, ..ExportProgress::default() };
                Reply::Exported(progress)
            }
            ServiceCall::Fields(dataset) => Reply::Fields(fake_service::vocabulary(dataset)),
            ServiceCall::AskQuestion { question, .. } => Reply::QuestionTranslated(fake_service::translate_question(question)),
            ServiceCall::Views => Reply::Views(self.service.views.clone()),
            ServiceCall::Favorites => Reply::Favorites(self.service.favorites()),
            ServiceCall::Invitations => Reply::Invitations(self.workspace.invitations.clone()),
            ServiceCall::Write(WriteRequest::Subscription(order)) => Reply::Subscriptions(self.workspace.apply_subscription_call(order)?),
            ServiceCall::Write(WriteRequest::Team(act)) => Reply::Written(self.workspace.apply_team_change(act)?),
            ServiceCall::Skills(filter) => Reply::Skills(self.service.list_skills(filter)),
            ServiceCall::FindSkills(words) => Reply::Skills(self.service.find_skills(words)),
            ServiceCall::Skill(id) => match self.service.get_skill(id) {
                Some((skill, revisions)) => Reply::Skill((Box::new(skill), revisions)),
                None => return Err(not_found()),
            },
            ServiceCall::SkillText(wanted) => Reply::SkillText(self.service.skill_text(wanted)),
            ServiceCall::Write(write) => Reply::Written(self.service.apply_write(write)),
            ServiceCall::Signal { signal: id, .. } | ServiceCall::Description { signal: id, .. } => {
                let row = self.rows.iter().find(|row| row.signal.id == *id).expect("a signal");
                let mut raw =
                    json!({ "permit": row.signal.source_filing_id, "status": "issued", "valuation": { "total": 41_200_000 } });
                if let ServiceCall::Description { .. } = call {
                    raw["WORK_DESC"] = json!("INTERIOR REMODEL, NEW HVAC");
                }
                Reply::Signal((Box::new(Signal { raw_data: Some(raw), ..row.signal.clone() }), self.read_cost))
            }
            ServiceCall::Journal => Reply::Journal(self.journal.clone()),
            ServiceCall::RecordedWork(since) => Reply::RecordedWork(Box::new(self.recorded_work(*since))),
            ServiceCall::RecordHistory(id, _) => Reply::RecordHistory(self.record_history(*id)),
            ServiceCall::SaveText { file_name, .. } => Reply::TextSaved(Path::new("/home/ana").join(file_name)),
            ServiceCall::ReadFile(path) => match self.service.files.get(path) {
                Some(bytes) => Reply::FileRead(bytes.clone()),
                None => return Err(RequestError::new_not_sent("there is no such file")),
            },
            ServiceCall::SavedState => Reply::SavedState(Box::new(self.saved_state.clone())),
            ServiceCall::Members => Reply::Members(self.workspace.members.clone()),
            ServiceCall::Credits => Reply::Credits((
                Credits { used: sample_meter().used.map(|used| used + self.spent_on_rows), ..sample_meter() },
                self.service.ledger.as_ref().map(|ledger| ledger.spent))),
            ServiceCall::Ledger => match &self.service.ledger {
                Some(statement) => Reply::Ledger(Box::new(statement.clone())),
                None => return Err(RequestError::new_not_sent("the local database is closed")),
            },
            ServiceCall::SetBudgets(budgets) => Reply::Budgets(*budgets),
            ServiceCall::Workspace => Reply::Workspace(
                serde_json::from_value::<Workspace>(json!({
                    "id": Uuid::from_u128(0x77), "name": "Acme West", "plan": "pro", "caller": self.workspace.caller, "sends_invitations": self.workspace.sends_invitations
                }))
                .expect("a workspace"),
            ),
            ServiceCall::Subscriptions => Reply::Subscriptions(self.workspace.subscriptions.clone()),
            ServiceCall::Connect(_) => Reply::Connect(ConnectReply::Connected(ConnectedService { label: "demo".to_owned(), ..ConnectedService::default() })),
        })
    }

    fn project_details(&self, project: ProjectId) -> Record {
        let signals: Vec<_> = self
            .rows
            .iter()
            .filter(|row| row.signal.project_id == Some(project))
            .map(|row| &row.signal)
            .collect();
        let older = json!([
            { "id": Uuid::from_u128(0x9001), "signal_type": "entitlement_approval", "filed_at": "2026-03-02" },
            { "id": Uuid::from_u128(0x9002), "signal_type": "pre_application", "filed_at": "2025-11-18" },
        ]);
        let mut all = json!(signals).as_array().cloned().unwrap_or_default();
        all.extend(older.as_array().cloned().unwrap_or_default());
        serde_json::from_value(json!({
            "id": project, "name": "Harbor Yard Lofts", "city": "Austin", "state": "TX", "neighborhood": "East Riverside",
            "stage": "permitted", "primary_use": "multifamily", "gc_status": "unknown", "stories": 6, "residential_units": 214,
            "gross_floor_area_sf": 212_400, "cost_of_construction_usd": 41_200_000, "parking_spaces": 260,
            "accounts": [
                { "id": Uuid::from_u128(0x3001), "name": "Calder Residential", "account_types": ["developer"], "city": "Austin", "state": "TX", "public_phone": "512-555-0142" },
                { "id": Uuid::from_u128(0x3002), "name": "Moss & Vale", "account_types": ["engineer"], "city": "Dallas", "state": "TX" },
            ],
            "contacts": [{ "id": Uuid::from_u128(0x4001), "name": "D. Okafor", "title": "VP Development", "account_id": Uuid::from_u128(0x3001), "email": "d.okafor@calder.example" }],
            "signals": all,
        }))
        .expect("a dossier")
    }

    /// The text of the notice line.
    pub fn notice_text(&self) -> String {
        self.context()
            .ui
            .notice
            .as_ref()
            .map(|notice| notice.text.clone())
            .unwrap_or_default()
    }

    /// The ID of the row under the cursor.
    pub fn cursor_id(&self) -> SignalId {
        self.context()
            .queue
            .current_tab()
            .current_row()
            .expect("a row under the cursor")
            .signal
            .id
    }

    /// The triage calls that were made: number of signals and new status.
    pub fn triage_calls(&self) -> Vec<(usize, TriageStatus)> {
        let triage = |call: &ServiceCall| {
            if let ServiceCall::Triage { ids, status, .. } = call {
                Some((ids.len(), status.clone()))
            } else {
                None
            }
        };
        self.calls.iter().filter_map(triage).collect()
    }

    /// How many of the service's rows are New.
    pub fn service_new_count(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| row.triage_status == Some(TriageStatus::New))
            .count()
    }
}

fn is_key_timer(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::SetTimer {
            timer: Timer::HeldDigits(_) | Timer::Look(_),
            ..
        }
    )
}

fn not_found() -> RequestError {
    RequestError {
        kind: crate::domain::request_error::RequestErrorKind::Rejected(
            crate::domain::request_error::ServiceError {
                status: 404,
                code: "not_found".into(),
                ..Default::default()
            },
        ),
        message: "rejected (not_found): no such record".into(),
    }
}

fn mark_triaged(
    rows: &mut [QueueSignal],
    ids: &[SignalId],
    status: &TriageStatus,
    user: u128,
    at: DateTime<Utc>,
) {
    for row in rows
        .iter_mut()
        .filter(|row| ids.contains(&row.signal.id) && row.triage_status.as_ref() != Some(status))
    {
        let done = *status == TriageStatus::Done;
        row.triage_status = Some(status.clone());
        row.triaged_by = done.then(|| UserId(Uuid::from_u128(user)).into());
        row.triaged_at = done.then(|| at.into());
    }
}
