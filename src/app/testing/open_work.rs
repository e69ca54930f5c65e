//! What the console is still doing: all that a test of replies needs to know of its state.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::TestConsole;
use crate::app::model::load_state::LoadState;
use crate::app::msg::Token;
use crate::app::outbox::undo_history::{StepItems, UndoStep};
use crate::app::requests::Request;
use crate::domain::ViewId;
use crate::domain::members::Member;
use crate::domain::queue::QueueTab;
use crate::domain::subscriptions::Subscription;
use crate::domain::views::View;

impl TestConsole {
    /// The requests without a reply, by the name that `name` gives them.
    pub fn open_requests(&self, name: impl Fn(&Request) -> &'static str) -> Vec<&'static str> {
        let names = RefCell::new(Vec::new());
        self.context().work.requests().is_open(|request| {
            names.borrow_mut().push(name(request));
            false
        });
        names.into_inner()
    }

    /// Whether a call that matches has no reply yet.
    pub fn is_open(&self, token: Token, matches: impl Fn(&Request) -> bool) -> bool {
        self.context()
            .work
            .requests()
            .clone()
            .take(token)
            .is_some_and(|open| matches(&open.request))
    }

    /// Everything that looks as if it were still waiting for a reply.
    pub fn unfinished(&self) -> Vec<String> {
        let (app, panes) = (self.context(), self.app.panes());
        let panes = [
            ("queue", format!("{:?}", app.queue)),
            ("views", format!("{:?}", app.views)),
            ("lists", format!("{:?}", app.records.lists)),
            ("subscriptions", format!("{:?}", app.subscriptions)),
            ("panes", format!("{:?}", panes)),
            ("records", format!("{:?}", app.records.fetched)),
        ];
        let waiting = [
            ": Loading",
            "pending_read: Some",
            "pending_page: Some",
            "is_connecting: true",
            "explanation: None",
        ];
        let loading = panes.iter().filter_map(|(pane, state)| {
            Some(format!(
                "{pane} has {}",
                waiting.iter().find(|words| state.contains(**words))?
            ))
        });
        let busy = [
            ("an export", app.is_exporting()),
            ("a write", app.outbox.is_writing()),
            ("an undo after reads", app.outbox.after_reads.is_some()),
            (
                "a deferred command",
                !app.outbox.deferred_commands.is_empty(),
            ),
        ];
        loading
            .chain(
                busy.iter()
                    .filter(|(_, is)| *is)
                    .map(|(what, _)| format!("{what} is not done")),
            )
            .collect()
    }

    /// What is loaded and up to date, and yet not as the service has it.
    pub fn differences_from_service(&self) -> Vec<String> {
        let (app, service, workspace) = (self.context(), &self.service, &self.workspace);
        let mut found = Vec::new();
        for tab in [QueueTab::New, QueueTab::Done] {
            let (state, status) = (app.queue.tab_state(tab), tab.status());
            let is_current =
                state.load == LoadState::Ready && !state.stale && !app.queue.is_filtered();
            let shown: Vec<_> = state
                .list
                .loaded_rows()
                .map(|(_, row)| row.signal.id)
                .collect();
            let is_there = |id| {
                self.rows
                    .iter()
                    .any(|row| row.signal.id == id && row.triage_status.as_ref() == Some(&status))
            };
            let there = self
                .rows
                .iter()
                .filter(|row| row.triage_status.as_ref() == Some(&status))
                .count();
            if is_current
                && !(shown.iter().all(|id| is_there(*id)) && state.list.total() == there as u64)
            {
                found.push(format!("{tab:?} has other signals than the service"));
            }
        }
        let mut compare = |what: &str, load: &LoadState, shown: Vec<String>, there: Vec<String>| {
            let (shown, there): (BTreeSet<_>, BTreeSet<_>) =
                (shown.into_iter().collect(), there.into_iter().collect());
            if *load == LoadState::Ready && shown != there {
                found.push(format!(
                    "the {what} are not the service's: {shown:?}, {there:?}"
                ));
            }
        };
        let views = |views: &[View]| views.iter().map(|view| format!("{:?}", view.id)).collect();
        let load = app.views.load();
        compare(
            "Views",
            load,
            views(app.views.list()),
            views(&service.views),
        );
        let favorites = |is_favorite: &dyn Fn(ViewId) -> bool| {
            service
                .views
                .iter()
                .filter(|view| is_favorite(view.id))
                .map(|view| format!("{:?}", view.id))
                .collect()
        };
        let (shown, there) = (
            favorites(&|id| app.views.is_favorite(id)),
            favorites(&|id| service.favorites.contains(&id)),
        );
        compare("favorites", load, shown, there);
        let members = |all: &[Member]| {
            all.iter()
                .map(|member| format!("{:?} {:?}", member.id, member.role))
                .collect()
        };
        compare(
            "members",
            &LoadState::Ready,
            members(&app.team.members),
            members(&workspace.members),
        );
        let subscriptions = |all: &[Subscription]| {
            all.iter()
                .map(|it| format!("{} {:?}", it.signal_type, it.priority))
                .collect()
        };
        let (shown, there) = (
            subscriptions(app.subscriptions.all()),
            subscriptions(&workspace.subscriptions),
        );
        compare("subscriptions", &app.subscriptions.load, shown, there);
        found
    }

    /// How many signals of interrupted triages were not checked.
    pub fn unconfirmed_count(&self) -> usize {
        self.context().queue.new.unconfirmed.len() + self.context().queue.done.unconfirmed.len()
    }

    /// Credits used, as the header shows them.
    pub fn meter_used(&self) -> Option<u64> {
        self.context().work.budget.credits.as_ref()?.used
    }

    /// What can be undone, then what can be redone. The changes of a step are sorted.
    pub fn undo_steps(&self) -> [Vec<String>; 2] {
        let describe = |step: &UndoStep| {
            let mut changes: Vec<String> = match &step.items {
                StepItems::Signals(signals) => signals
                    .rows
                    .iter()
                    .map(|row| format!("{:?}", row.id))
                    .collect(),
                StepItems::Changes(changes) => {
                    changes.iter().map(|change| format!("{change:?}")).collect()
                }
                StepItems::Snoozes(changes) => {
                    changes.iter().map(|change| format!("{change:?}")).collect()
                }
            };
            changes.sort();
            format!("{}: {}", step.description, changes.join(", "))
        };
        [
            &self.context().outbox.history.done,
            &self.context().outbox.history.undone,
        ]
        .map(|steps| steps.iter().map(describe).collect())
    }

    /// What is open above the screen.
    pub fn overlay_state(&self) -> String {
        format!("{:?}", self.context().ui.overlay)
    }

    /// Whether keys go into a text or a choice.
    pub fn is_typing(&self) -> bool {
        self.context().ui.is_typing()
    }

    /// The screen without the notice, which depends on the order of the replies.
    pub fn golden_without_notice(&mut self) -> String {
        let notice = self.context_mut().ui.notice.take();
        let golden = self.golden();
        self.context_mut().ui.notice = notice;
        golden
    }
}
