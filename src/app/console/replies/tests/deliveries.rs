//! A service whose replies arrive when the test wants them to.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::asks::{reply_kind, request_name, sample_ledger};
use crate::app::effect::{ConnectTarget, ServiceCall, WriteRequest};
use crate::app::msg::{Msg, Reply, Token};
use crate::app::testing::fake_service::{account_id, view_id};
use crate::app::testing::fake_skills::skill_id;
use crate::app::testing::{TestConsole, morning_queue, sample_meter, signal_id};
use crate::domain::book::{Dataset, RecordKind};
use crate::domain::budgets::Budgets;
use crate::domain::credits::{Credits, LedgerReport};
use crate::domain::export::{ExportFormat, ExportRequest};
use crate::domain::feed::FeedFilter;
use crate::domain::queue::{QueueFilter, TriageStatus};
use crate::domain::records::RecordKey;
use crate::domain::request_error::RequestError;
use crate::domain::search::{RecordSource, Search};
use crate::domain::skills::{SkillFileRef, SkillFilter};

/// Words of a screen that waits for a reply.
const WAITING: [&str; 10] = [
    "loading",
    "Loading",
    "waiting for the service",
    "checking for",
    "checking who",
    "saving:",
    "marking done:",
    "exporting",
    "connecting",
    "   reading",
];

/// What becomes of a call.
pub enum Outcome {
    Right,
    /// The flag says whether the service did what was asked nevertheless.
    Failed(RequestError, bool),
    /// The service does what was asked, and replies something else.
    Wrong(Box<Reply>),
}

pub struct Deliveries {
    console: Option<TestConsole>,
    /// Replies that have not arrived, in the order of their calls.
    under_way: Vec<(Token, Result<Reply, RequestError>)>,
    answered: Vec<Token>,
    /// What the meter counts.
    used: u64,
    is_finished: bool,
}

impl Deliveries {
    pub fn new(console: TestConsole) -> Deliveries {
        let used = console.meter_used().or(sample_meter().used).unwrap_or(0);
        Deliveries {
            console: Some(console),
            under_way: Vec::new(),
            answered: Vec::new(),
            used,
            is_finished: false,
        }
    }

    pub fn console(&self) -> &TestConsole {
        self.console.as_ref().expect("a console")
    }

    pub fn console_mut(&mut self) -> &mut TestConsole {
        self.console.as_mut().expect("a console")
    }

    pub fn act(&mut self, step: impl FnOnce(TestConsole) -> TestConsole) {
        self.console = self.console.take().map(step);
    }

    /// The tokens of the replies that arrived.
    pub fn answered(&self) -> &[Token] {
        &self.answered
    }

    /// The tokens of the replies that have not arrived.
    pub fn under_way(&self) -> Vec<Token> {
        self.under_way.iter().map(|(token, _)| *token).collect()
    }

    /// The first reply that matches, after the service has answered all calls.
    pub fn first_under_way(&mut self, matches: impl Fn(Token) -> bool) -> Option<Token> {
        self.answer_pending();
        self.under_way().into_iter().find(|token| matches(*token))
    }

    /// The service answers all calls that were made.
    pub fn answer_pending(&mut self) {
        while let Some((token, call)) = self.console_mut().pending_calls.pop_front() {
            self.answer(token, &call, &Outcome::Right);
        }
    }

    /// The service answers a call of this request, and the others as it should; `None` when the
    /// outcome is no other than that.
    pub fn answer_request(&mut self, request: &str, outcome: &Outcome) -> Option<Token> {
        let calls: Vec<(Token, ServiceCall)> = self.console_mut().pending_calls.drain(..).collect();
        let is_asked = |token| {
            self.console()
                .is_open(token, |open| request_name(open) == request)
        };
        let asked = calls
            .iter()
            .map(|(token, _)| *token)
            .find(|token| is_asked(*token))
            .expect("an open request");
        let mut is_right = true;
        for (token, call) in calls {
            if token == asked {
                is_right = self.answer(token, &call, outcome);
            } else {
                self.answer(token, &call, &Outcome::Right);
            }
        }
        (!is_right).then_some(asked)
    }

    /// The service answers a call; returns whether as it should.
    fn answer(&mut self, token: Token, call: &ServiceCall, outcome: &Outcome) -> bool {
        if let Outcome::Failed(failure, false) = outcome {
            self.under_way.push((token, Err(failure.clone())));
            return false;
        }
        let right = self.console_mut().reply_to(call);
        self.used += right.as_ref().map_or(0, price);
        let meter = |meter: Credits| Credits {
            used: Some(self.used),
            ..meter
        };
        let right = right.map(|reply| match reply {
            Reply::Credits((credits, spent)) => Reply::Credits((meter(credits), spent)),
            Reply::Ledger(report) => Reply::Ledger(Box::new(LedgerReport {
                meter: report.meter.clone().map(meter),
                ..*report
            })),
            other => other,
        });
        let (reply, is_right) = match outcome {
            Outcome::Failed(failure, _) => (Err(failure.clone()), false),
            Outcome::Wrong(wrong)
                if right
                    .as_ref()
                    .is_ok_and(|right| reply_kind(right) != reply_kind(wrong)) =>
            {
                (Ok((**wrong).clone()), false)
            }
            Outcome::Right | Outcome::Wrong(_) => (right, true),
        };
        self.under_way.push((token, reply));
        is_right
    }

    /// The reply to a call arrives.
    pub fn deliver(&mut self, token: Token) {
        let at = self
            .under_way
            .iter()
            .position(|(of, _)| *of == token)
            .expect("a reply under way");
        let (token, reply) = self.under_way.remove(at);
        self.answered.push(token);
        self.act(|console| console.send(Msg::Replied(token, reply)));
    }

    /// All replies arrive, and those to the calls that follow, in the order of their calls.
    pub fn deliver_all(&mut self) {
        loop {
            self.answer_pending();
            let Some((token, _)) = self.under_way.first() else {
                return;
            };
            self.deliver(*token);
        }
    }

    /// All replies arrive in a random order, some of them twice. Returns what a repeated one
    /// changed.
    pub fn deliver_shuffled(&mut self, random: &mut ChaCha8Rng) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            self.answer_pending();
            if self.under_way.is_empty() {
                return found;
            }
            let (token, reply) =
                self.under_way[random.random_range(0..self.under_way.len())].clone();
            self.deliver(token);
            if random.random_bool(0.5) {
                self.answer_pending();
                let before = self.console().golden();
                self.act(|console| console.send(Msg::Replied(token, reply)));
                if self.console().golden() != before || !self.console().pending_calls.is_empty() {
                    found.push("a repeated reply changes something".to_owned());
                }
            }
        }
    }

    /// A colleague changes something of everything.
    pub fn change_as_colleague(&mut self) {
        self.act(|console| console.ben_marks_done(&[9]));
        let console = self.console_mut();
        console.workspace.members[1].display_name = Some("Benjamin K.".to_owned());
        console.workspace.invitations.pop();
        console.workspace.subscriptions.pop();
        console.service.views[0].name = Some("Austin builders".to_owned());
        console.service.favorites.insert(view_id(1));
        console.service.skills[0].skill.name = Some("monthly digest".to_owned());
    }

    /// All replies arrive, and those to what a last poll brings about.
    pub fn finish(&mut self) {
        self.deliver_all();
        if !std::mem::replace(&mut self.is_finished, true) {
            self.act(TestConsole::poll);
            self.deliver_all();
        }
    }

    /// What does not hold once all replies have arrived.
    pub fn problems(&mut self) -> Vec<String> {
        self.finish();
        let console = self.console();
        let mut found = console.unfinished();
        found.extend(
            console
                .open_requests(request_name)
                .iter()
                .map(|request| format!("{request} is open")),
        );
        let screen = console.screen_text();
        found.extend(
            WAITING
                .iter()
                .filter(|words| screen.contains(**words))
                .map(|words| format!("the screen says {words:?}\n{screen}")),
        );
        if console.unconfirmed_count() > 0 {
            found.push("a triage was not checked".to_owned());
        }
        if console.meter_used().is_some_and(|shown| shown != self.used) {
            found.push(format!(
                "the meter shows {:?} of {}",
                console.meter_used(),
                self.used
            ));
        }
        found
    }
}

/// What the service charges for a reply.
fn price(reply: &Reply) -> u64 {
    match reply {
        Reply::Record((_, _, credits)) => credits.unwrap_or(0),
        Reply::SearchPage(page) => page.credits.unwrap_or(0),
        Reply::Written(items) => items
            .iter()
            .filter(|item| {
                item.checked
                    .as_ref()
                    .is_some_and(|checked| checked.before.is_some())
            })
            .count() as u64,
        _ => 0,
    }
}

/// A reply of every kind.
pub fn every_reply() -> Vec<Reply> {
    let mut console = TestConsole::with_rows(morning_queue());
    console.service.ledger = Some(sample_ledger());
    let accounts = RecordSource::Book(RecordKind::Accounts);
    let file = SkillFileRef {
        skill: skill_id(1),
        revision: 1,
        path: "SKILL.md".to_owned(),
    };
    let export = ExportRequest {
        path: "accounts.csv".into(),
        format: ExportFormat::Csv,
        fields: Vec::new(),
        rows: Vec::new(),
        rest: None,
        written: None,
    };
    let filter = QueueFilter {
        status: [TriageStatus::New].into(),
        ..QueueFilter::default()
    };
    let calls = [
        ServiceCall::Connect(ConnectTarget::Demo),
        ServiceCall::Workspace,
        ServiceCall::Credits,
        ServiceCall::Ledger,
        ServiceCall::SetBudgets(Budgets::default()),
        ServiceCall::SavedState,
        ServiceCall::Journal,
        ServiceCall::RecordHistory(account_id(1), chrono::Duration::zero()),
        ServiceCall::Members,
        ServiceCall::Subscriptions,
        ServiceCall::Invitations,
        ServiceCall::Queue {
            filter,
            offset: 0,
            limit: 10,
        },
        ServiceCall::Signal {
            signal: signal_id(1),
            is_metered: false,
        },
        ServiceCall::Feed {
            filter: FeedFilter::default(),
            offset: 0,
            limit: 10,
        },
        ServiceCall::Record {
            key: RecordKey::for_book(&RecordKind::Accounts, account_id(1)),
            bypass_cache: false,
        },
        ServiceCall::Search {
            source: accounts.clone(),
            search: Search::default(),
            after: None,
            limit: 10,
        },
        ServiceCall::SavedSearch {
            source: accounts,
            search: Search::default(),
        },
        ServiceCall::Fields(Dataset::Projects),
        ServiceCall::AskQuestion {
            dataset: Dataset::Projects,
            question: "towers in Austin".to_owned(),
        },
        ServiceCall::Views,
        ServiceCall::Favorites,
        ServiceCall::Skills(SkillFilter::default()),
        ServiceCall::Skill(skill_id(1)),
        ServiceCall::SkillText(vec![file]),
        ServiceCall::Export(Box::new(export)),
        ServiceCall::Write(WriteRequest::Favorite {
            view: view_id(1),
            is_favorite: true,
        }),
        ServiceCall::Triage {
            ids: Vec::new(),
            status: TriageStatus::Done,
            acts: Vec::new(),
        },
    ];
    calls
        .iter()
        .map(|call| console.reply_to(call).expect("a reply"))
        .collect()
}
