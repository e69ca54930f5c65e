//! The console as a pure machine: messages in, state, effects out, drawing.
//!
//! [`App::update`] is the only way in, [`App::arrange`] lays rectangles from size and state, [`App::draw`] paints. A failure is
//! state, never an error of `update`; every effect is a value that a test can read. Every reply carries the token of its call: of
//! reads of lists, records and pages the latest counts and a stale one is dropped, a write's reply is never dropped. What is small and
//! the workspace's or this machine's own (its name, meter, members, budgets, journal) is taken as it comes.
//!
//! Never here: tokio, HTTP, a file, an environment variable, a clock. Time comes with each message.

pub mod acts;
pub mod arrange;
mod blank;
mod bulk;
mod chrome;
pub mod command;
pub mod connection;
pub mod drafts;
pub mod effect;
pub mod export;
mod foot;
pub mod format;
mod input;
pub mod intent;
pub mod journal;
pub mod known;
mod mouse;
pub mod msg;
pub mod notice;
pub mod offline;
pub mod overlay;
pub mod panes;
mod paste;
pub mod prompt;
pub mod records;
mod reread;
mod screen;
pub mod session;
mod small;
mod spending;
mod vacant;
pub mod verify;
pub mod writes;

#[cfg(test)]
pub mod testing;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

pub use effect::Effect;
pub use msg::Msg;
pub use panes::watch::pages::{Page as WallPage, Wall};
pub use screen::Screen;
pub use session::{Advance, Exit, Session, Settings};

use crate::domain::SignalId;
use crate::domain::book::RecordKind;
use crate::domain::credits::Credits;
use crate::domain::failure::RequestError;
use crate::domain::members::Member;
use crate::domain::pages::Page;
use crate::domain::queue::{QueueSignal, QueueStats};
use crate::domain::records::Record;
use crate::domain::workspace::Workspace;
use arrange::Areas;
use command::keys::Key;
use command::{Keymap, Scope};
use connection::Connection;
use effect::{Call, RecordKey, Slot};
use intent::Intent;
use known::Known;
use msg::{Push, Reply, Token};
use notice::Notice;
use overlay::Overlay;
use panes::book::Book;
use panes::credits::Ledger;
use panes::detail::Detail;
use panes::explore::Explore;
use panes::queue::{Preview, Queue};
use panes::record::{Paid, Trail};
use panes::sheet::Sheet;
use panes::skills::Skills;
use panes::start::Start;
use panes::subscriptions::Subscriptions;
use panes::team::Team;
use panes::views::Views;
use panes::watch::Watch;
use prompt::Prompt;
use records::Load;
use uuid::Uuid;

/// The console.
pub struct App {
    session: Session,
    settings: Settings,
    keymap: Arc<Keymap>,
    size: (u16, u16),
    now: DateTime<Utc>,
    out: Vec<Effect>,
    reason: &'static str,
    /// Why the overlay or the prompt was opened.
    asking: &'static str,
    /// Why each call that has no reply yet was made.
    asked: HashMap<Token, &'static str>,
    next_token: u64,
    pressed: Vec<Key>,
    prefixes: u64,
    showing_continuations: bool,
    quit_armed: u64,

    screen: Screen,
    is_blank: bool,
    overlay: Option<Overlay>,
    notice: Option<Notice>,
    areas: Areas,

    start: Start,
    queue: Queue,
    detail: Option<Detail>,
    views: Views,
    book: Book,
    explore: Explore,
    skills: Skills,
    ledger: Ledger,
    watch: Watch,
    trail: Trail,
    prompt: Option<Prompt>,
    sheet: Option<Sheet>,
    drafts: drafts::Drafts,
    /// What own writes and reads told of records' annotations.
    told: HashMap<RecordKey, Known>,
    /// Records that the service does not show, which was said: they are written without being read first.
    unreadable: HashSet<Uuid>,
    /// Names of records that were read before they were written.
    record_names: HashMap<Uuid, String>,
    /// Records that are read for a sheet.
    reads: HashMap<Token, (RecordKind, Uuid)>,
    /// What is meant once they are read.
    reads_then: Option<Intent>,
    looks: Option<journal::earlier::Look>,
    refreshes: Option<journal::earlier::Refresh>,
    /// Acts of which some signals stood so already: which, is being read.
    checks: Vec<journal::changed::Check>,
    /// Commands that wait until what is being written is settled.
    queued: std::collections::VecDeque<&'static command::Command>,
    exports: export::Exports,
    /// What was looked for last in loaded rows.
    find: String,
    /// The screen before this one, for going back to it.
    before: Screen,
    acts: acts::Acts,
    writes: writes::Writes,
    journal: journal::Journal,
    verify: verify::Verify,
    resent: verify::Resent,
    offline: offline::Offline,

    connection: Connection,
    stats: Option<QueueStats>,
    workspace: Option<Workspace>,
    credits: Option<Credits>,
    spending: spending::Spending,
    members: Vec<Member>,
    subscriptions: Subscriptions,
    team: Team,
    pages: HashMap<RecordKey, Paid>,
    page_load: Load,
    page_ask: Option<(Token, RecordKey)>,
    visited: HashSet<SignalId>,
    opened_at: Option<DateTime<Utc>>,

    raw_ask: Option<(Token, SignalId)>,
    taken: Option<(Token, Vec<SignalId>)>,
    why: Option<(Token, QueueSignal)>,
    meta_asked: bool,
    past_asked: bool,
    exit: Exit,
}

impl App {
    /// A console of this size, and what it wants first.
    pub fn new(session: Session, settings: Settings, size: (u16, u16), now: DateTime<Utc>) -> (App, Vec<Effect>) {
        let (connected, watches) = (session.connected, session.watches);
        let preview = Preview { hidden: !settings.preview, ..Preview::default() };
        let mut app = App {
            session,
            keymap: Keymap::of(&settings.keys),
            settings,
            size,
            now,
            out: Vec::new(),
            reason: "start",
            asking: "start",
            asked: HashMap::new(),
            next_token: 0,
            pressed: Vec::new(),
            prefixes: 0,
            showing_continuations: false,
            quit_armed: 0,
            screen: match (connected, watches) {
                (true, true) => Screen::Watch,
                (true, false) => Screen::Queue,
                (false, _) => Screen::Start,
            },
            is_blank: false,
            overlay: None,
            notice: None,
            areas: Areas::default(),
            start: Start::default(),
            queue: Queue { preview, ..Queue::default() },
            detail: None,
            views: Views::default(),
            book: Book::default(),
            explore: Explore::default(),
            skills: Skills::default(),
            ledger: Ledger::default(),
            watch: Watch::default(),
            trail: Trail::default(),
            prompt: None,
            sheet: None,
            drafts: drafts::Drafts::default(),
            told: HashMap::new(),
            unreadable: HashSet::new(),
            record_names: HashMap::new(),
            reads: HashMap::new(),
            reads_then: None,
            looks: None,
            refreshes: None,
            checks: Vec::new(),
            queued: std::collections::VecDeque::new(),
            exports: export::Exports::default(),
            find: String::new(),
            before: Screen::Queue,
            acts: acts::Acts::default(),
            writes: writes::Writes::default(),
            journal: journal::Journal::default(),
            verify: verify::Verify::default(),
            resent: None,
            offline: offline::Offline::default(),
            connection: Connection::default(),
            stats: None,
            workspace: None,
            credits: None,
            spending: spending::Spending::default(),
            members: Vec::new(),
            subscriptions: Subscriptions::default(),
            team: Team::default(),
            pages: HashMap::new(),
            page_load: Load::Idle,
            page_ask: None,
            visited: HashSet::new(),
            opened_at: None,
            raw_ask: None,
            taken: None,
            why: None,
            meta_asked: false,
            past_asked: false,
            exit: Exit::default(),
        };
        if let [first, rest @ ..] = app.keymap.problems() {
            let more = if rest.is_empty() { String::new() } else { format!("; {} more: gantry keys", rest.len()) };
            app.notice = Some(Notice::warn(format!("{first}{more}")));
        }
        if app.screen == Screen::Watch {
            app.tick();
        }
        app.arrange();
        app.read_queue();
        let effects = std::mem::take(&mut app.out);
        (app, effects)
    }

    /// The person's clock, ahead of UTC, from now on.
    pub fn set_offset(&mut self, offset: FixedOffset) {
        self.settings.utc_offset = offset;
    }

    /// The only way in: takes a message at a moment, answers what is to be done.
    pub fn update(&mut self, msg: Msg, now: DateTime<Utc>) -> Vec<Effect> {
        self.now = now;
        let is_click = matches!(msg, Msg::Mouse(_));
        let (had_question, is_told) = (self.has_question(), matches!(msg, Msg::Pushed(_) | Msg::Replied(..)));
        self.reason = match &msg {
            Msg::Pushed(_) => "poll",
            Msg::Replied(token, _) => self.asked.remove(token).unwrap_or("console"),
            _ if had_question => self.asking,
            _ => "console",
        };
        match msg {
            msg if self.is_spent_on_blank(&msg) => {}
            Msg::Key(key) => {
                self.go_on_reading();
                self.key(key);
            }
            Msg::Paste(text) => self.paste(&text),
            Msg::Mouse(event) => self.mouse(event),
            Msg::Resized(width, height) => self.size = (width, height),
            Msg::Focused(true) => self.look_again(),
            Msg::Focused(false) | Msg::Resumed => {}
            Msg::Replied(token, result) => {
                let failure = result.as_ref().err().cloned();
                self.replied(token, result);
                self.refreshed(token, failure.as_ref());
            }
            Msg::Pushed(Push::Stats { result, skew }) => self.polled(result, skew),
            Msg::Pushed(Push::LastQueue(last)) => self.show_last(*last),
            Msg::Pushed(Push::Slept(time)) => self.woke(time),
            Msg::Pushed(Push::Said(line)) => self.warn_of_machine(line),
            Msg::Pushed(Push::Unkept(why)) => self.ask_to_send_unkept(&why),
            Msg::Pushed(Push::Health(health)) => self.health_is(health),
            Msg::Pushed(Push::Exporting(token, progress)) => self.export_went_on(token, progress),
            Msg::Pushed(Push::NotOpened { url, why }) => self.not_opened(url, &why),
            Msg::Pushed(Push::Unable(why)) => self.notice = Some(Notice::bad(why)),
            Msg::Elapsed(timer) => self.elapsed(timer),
            Msg::Edited(result) => self.edited(result),
            Msg::Ground(ground) => self.settings.theme.background = ground.unwrap_or(self.settings.theme.background),
        }
        self.run_queued();
        self.keep_typed();
        self.arrange();
        self.read_queue();
        self.hold_back(is_told);
        if is_click {
            self.hold_clicked();
        }
        self.hush();
        if self.has_question() && !(had_question && is_told) {
            self.asking = self.reason;
        }
        let calls =
            self.out.iter().filter_map(|effect| if let Effect::Call { token, .. } = effect { Some(*token) } else { None });
        self.asked.extend(calls.map(|token| (token, self.reason)));
        std::mem::take(&mut self.out)
    }

    /// Something is asked of the person: what the answer does is done for the reason of the question.
    pub fn has_question(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some()
    }

    fn replied(&mut self, token: Token, result: Result<Reply, RequestError>) {
        self.track_answer(token, result.as_ref().err());
        self.give_reply(token, result);
        self.reread_meter();
    }

    fn give_reply(&mut self, token: Token, result: Result<Reply, RequestError>) {
        if let Err(failure) = &result {
            self.heard(Some(failure));
        } else {
            self.heard(None);
        }
        let unexpected = || RequestError::new_ambiguous("the answer was to another question");
        if self.acts.open.iter().any(|act| act.is_waiting_for(token)) {
            let result = result.and_then(|reply| if let Reply::Triaged(n) = reply { Ok(n) } else { Err(unexpected()) });
            self.triaged(token, result);
            return;
        }
        match result {
            Ok(Reply::Queue(page)) => {
                self.page_replied(token, Ok(page));
            }
            Ok(Reply::Record { record, read_at, credits }) => {
                let read = Ok((*record, credits));
                let _ = self.sheet_replied(token, read.clone()) || self.record_replied(token, read, read_at);
            }
            Ok(Reply::Found(found)) => {
                self.records_replied(token, Ok(found));
            }
            Ok(Reply::Fields(vocabulary)) => {
                self.fields_replied(token, Ok(vocabulary));
            }
            Ok(Reply::Understood(understood)) => {
                self.understood(token, Ok(understood));
            }
            Ok(Reply::Views(views)) => {
                self.views_replied(token, Ok(views));
            }
            Ok(Reply::Favorites(favorites)) => {
                self.favorites_replied(token, Ok(favorites));
            }
            Ok(Reply::Exported(done)) => {
                self.exported(token, Ok(done));
            }
            Ok(Reply::Written(items)) => {
                self.write_replied(token, Ok(items));
            }
            Ok(Reply::Signal(signal)) => {
                self.raw_replied(token, Ok(*signal));
            }
            Ok(Reply::Connected { label }) => self.connected(token, Ok(label)),
            Ok(Reply::Workspace(workspace)) => self.workspace = Some(workspace),
            Ok(Reply::Credits(credits, spent)) => {
                self.meter_replied(token, credits);
                self.spending.know(spent);
            }
            Ok(Reply::Skills(skills)) => {
                self.skills_replied(token, Ok(skills));
            }
            Ok(Reply::Skill(skill, revisions)) => {
                let read = Ok(*skill);
                if !self.edit_read(token, &read) {
                    self.skill_replied(token, read.map(|skill| (skill, revisions)));
                }
            }
            Ok(Reply::SkillText(texts)) => {
                self.skill_text_replied(token, Ok(texts));
            }
            Ok(Reply::Ledger(statement)) => {
                self.ledger_replied(token, Ok(*statement));
            }
            Ok(Reply::Budgets(budgets)) => self.budgets_kept(budgets),
            Ok(Reply::Past(past)) => self.restore(*past),
            Ok(Reply::Members(members)) => self.members_replied(token, members),
            Ok(Reply::Invitations(invitations)) => self.invitations_replied(token, invitations),
            Ok(Reply::Subscriptions(subscriptions)) => self.subscribed(token, subscriptions),
            Ok(Reply::Triaged(_)) => {}
            Err(failure) => {
                let _ = self.page_replied(token, Err(failure.clone()))
                    || self.sheet_replied(token, Err(failure.clone()))
                    || self.record_replied(token, Err(failure.clone()), None)
                    || self.records_replied(token, Err(failure.clone()))
                    || self.fields_replied(token, Err(failure.clone()))
                    || self.understood(token, Err(failure.clone()))
                    || self.views_replied(token, Err(failure.clone()))
                    || self.favorites_replied(token, Err(failure.clone()))
                    || self.ledger_replied(token, Err(failure.clone()))
                    || self.skills_replied(token, Err(failure.clone()))
                    || self.edit_read(token, &Err(failure.clone()))
                    || self.skill_replied(token, Err(failure.clone()))
                    || self.skill_text_replied(token, Err(failure.clone()))
                    || self.budgets_failed(token, &failure)
                    || self.write_replied(token, Err(failure.clone()))
                    || self.exported(token, Err(failure.clone()))
                    || self.raw_replied(token, Err(failure.clone()))
                    || self.why_failed(token, &failure)
                    || self.subscriptions_failed(token, &failure)
                    || self.team_failed(token, &failure)
                    || self.start_failed(token, failure);
            }
        }
    }

    fn page_replied(&mut self, token: Token, page: Result<Page<QueueSignal>, RequestError>) -> bool {
        self.verified(token, &page)
            || self.looked(token, &page)
            || self.check_replied(token, &page)
            || self.taken_replied(token, &page)
            || self.wall_replied(token, &page)
            || self.queue_replied(token, page)
    }

    /// Why the last update wants what it wants, for the ledger: the id of the command that it ran or that what was answered came of, or
    /// what kind of thing happened.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// Rectangles and scroll, from size and state.
    pub fn arrange(&mut self) {
        self.lay_out();
    }

    /// Draws everything; answers where the text cursor stands.
    pub fn draw(&self, buf: &mut Buffer) -> Option<Position> {
        self.paint(buf)
    }

    /// The moment on the service's clock.
    pub fn service_now(&self) -> DateTime<Utc> {
        self.now.checked_add_signed(self.connection.skew).unwrap_or(self.now)
    }

    /// Where keys are looked up.
    pub fn scope(&self) -> Scope {
        if self.sheet.is_some() {
            return Scope::Sheet;
        }
        if self.explore.narrow.is_some() {
            return Scope::Narrow;
        }
        match self.screen {
            Screen::Detail => Scope::Detail,
            Screen::Views if self.views.on_records => Scope::ViewRecords,
            Screen::Views => Scope::Views,
            Screen::Book => Scope::Book,
            Screen::Explore if self.explore.on_results => Scope::Results,
            Screen::Explore => Scope::Builder,
            Screen::Subscriptions => Scope::Subscriptions,
            Screen::Team => Scope::Team,
            Screen::Record => Scope::Record,
            Screen::Skills if self.skills.on_skill => Scope::Skill,
            Screen::Skills => Scope::Skills,
            Screen::Credits => Scope::Credits,
            Screen::Watch => Scope::Watch,
            Screen::Queue | Screen::Start => Scope::Queue,
        }
    }

    /// Whether keys go to the pane, and not to the sheet or the builder beside it.
    pub(crate) fn pane_has_keys(&self) -> bool {
        self.sheet.is_none() && self.explore.narrow.is_none()
    }

    /// The signal under the cursor, or the open one.
    pub fn signal(&self) -> Option<&QueueSignal> {
        match self.screen {
            Screen::Detail => self.detail.as_ref().map(|detail| &detail.row),
            Screen::Queue => self.queue.shown().current(),
            _ => None,
        }
    }

    /// The record under the cursor, or the open one.
    pub fn record(&self) -> Option<&Record> {
        match self.screen {
            Screen::Record => self.trail.page().and_then(|page| self.page(&page.key)).map(|paid| &paid.record),
            _ => self.records()?.current(),
        }
    }

    /// Goes to one of the numbered screens; what it shows is read only where that is free.
    pub fn go(&mut self, screen: Screen) {
        if self.session.watches {
            self.notice = Some(Notice::note("gantry watch stays on this screen; gantry opens the others"));
            return;
        }
        if self.screen != screen {
            self.leave_narrow();
            self.before = self.screen;
            self.screen = screen;
            self.notice = None;
            if screen == Screen::Watch {
                self.tick();
                self.read_wall();
            }
        }
        if self.is_connected() && self.views.load.is_unread() && matches!(screen, Screen::Views | Screen::Book | Screen::Explore)
        {
            self.read_views();
        }
        if self.is_connected() {
            match screen {
                Screen::Explore => self.read_fields(false),
                Screen::Subscriptions => self.open_subscriptions(),
                Screen::Team => self.open_team(),
                Screen::Skills if self.skills.load.is_unread() => self.read_skills(),
                Screen::Credits => self.read_ledger(),
                _ => {}
            }
        }
    }

    /// What an act would be about.
    pub fn chosen(&self) -> Vec<SignalId> {
        match self.screen {
            Screen::Detail => self.signal().map(|row| row.signal.id).into_iter().collect(),
            _ => self.queue.shown().chosen(),
        }
    }

    /// The open signal is no longer where it was opened from.
    pub fn has_left(&self, detail: &Detail) -> bool {
        self.queue.tab(detail.from).list.row(detail.row.signal.id).is_none()
    }

    /// Who a user is, as colleagues know them: by the members list, else as the service put it.
    pub fn who(&self, user: Option<&str>) -> String {
        let Some(user) = user else { return "somebody".to_owned() };
        let member = self.members.iter().find(|member| member.id.to_string() == user);
        member.map_or_else(|| user.to_owned(), Member::name)
    }

    fn token(&mut self) -> Token {
        self.next_token += 1;
        Token(self.next_token)
    }

    fn call(&mut self, slot: Slot, call: Call) -> Token {
        let token = self.token();
        self.track_price(token, &call);
        self.out.push(Effect::Call { token, slot, call });
        token
    }
}
