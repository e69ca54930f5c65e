//! Subscriptions: all signal types, which of them the workspace is subscribed to, and staged
//! changes.
//!
//! One set of subscriptions orders everybody's queue, so changes are reviewed before they are sent:
//! they are staged, their effect on the queue is previewed from the loaded rows, and Ctrl-s applies
//! them in the fewest calls ([`apply`]). All of it is free.

mod apply;
mod columns;
pub(crate) mod commands;
mod draw;
mod layout;
pub(in crate::app) mod messages;
mod side_panel;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Context;
use crate::app::change::Change;
use crate::app::command::Scope;
use crate::app::context::subscriptions;
use crate::app::drafts::{DraftName, RestoredDrafts};
use crate::app::effect::{Effect, ServiceCall, Slot};
use crate::app::focused_list::{self, FocusedList};
use crate::app::format::pluralize;
use crate::app::layout::FrameLayout;
use crate::app::list::{self, list_of};
use crate::app::list_change::ListChange;
use crate::app::model::list_table::ListLines;
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, payload};
use crate::app::notice::Notice;
use crate::app::pane::{ClickedRow, Pane, PaneEvent, PaneFocus};
use crate::app::panes::subscriptions::columns::Subscriptions;
use crate::app::panes::subscriptions::messages::SubscriptionsRequest;
use crate::domain::lenient::saturating_sum;
use crate::domain::queue::Priority;
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{StagedChange, Subscription, SubscriptionChange};
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// The subscriptions themselves are in the context.
#[derive(Clone, Debug, Default)]
pub struct SubscriptionsPane {
    staged: StagedChanges,
    /// Why a staged change failed.
    write_errors: BTreeMap<SignalType, String>,
    lines: ListLines,
    /// First visible line of the side panel.
    top: usize,
    /// The side panel replaces the list if there is room for only one of them.
    panel_open: bool,
}

/// Staged changes by type, each with the subscription as it was when its type was first changed.
type StagedChanges = BTreeMap<SignalType, (StagedChange, Option<Subscription>)>;

impl SubscriptionsPane {
    fn staged(&self, kind: &SignalType) -> Option<&StagedChange> {
        self.staged.get(kind).map(|(staged, _)| staged)
    }

    /// The staged changes by type.
    fn changes(&self) -> BTreeMap<SignalType, StagedChange> {
        self.staged
            .iter()
            .map(|(kind, (staged, _))| (kind.clone(), staged.clone()))
            .collect()
    }

    fn current_type(&self, cx: &Context) -> Option<SignalType> {
        cx.subscriptions
            .types()
            .get(self.lines.current_row())
            .cloned()
    }

    /// The subscription after the staged changes are applied, if any.
    fn subscription_after(&self, kind: &SignalType, cx: &Context) -> Option<Subscription> {
        let now = cx.subscriptions.get(kind);
        match self.staged(kind) {
            Some(staged) => staged.resulting_subscription(kind, now),
            None => now.cloned(),
        }
    }

    /// All subscriptions after the staged changes are applied.
    fn subscriptions_after(&self, cx: &Context) -> Vec<Subscription> {
        cx.subscriptions
            .types()
            .iter()
            .filter_map(|kind| self.subscription_after(kind, cx))
            .collect()
    }

    /// Whether unsubscribing is staged, so that only dropping the staged change is possible.
    fn is_ending(&self, kind: &SignalType) -> bool {
        self.staged(kind) == Some(&StagedChange::Unsubscribe)
    }

    /// Stages a change to a type; the parts that already hold are left out.
    fn stage(&mut self, kind: &SignalType, staged: &StagedChange, cx: &Context) {
        let now = cx.subscriptions.get(kind);
        let original = self
            .staged
            .remove(kind)
            .map_or_else(|| now.cloned(), |(_, original)| original);
        if let Some(left) = staged.remaining_change(now) {
            self.staged.insert(kind.clone(), (left, original));
        }
        self.write_errors.remove(kind);
    }

    /// Adds to the staged change of a type.
    fn stage_change(
        &mut self,
        kind: &SignalType,
        cx: &Context,
        change: impl FnOnce(&mut SubscriptionChange),
    ) {
        let mut wanted = match self.staged(kind) {
            Some(StagedChange::Set(change)) => change.clone(),
            _ => SubscriptionChange::default(),
        };
        change(&mut wanted);
        self.stage(kind, &StagedChange::Set(wanted), cx);
    }

    fn unstage(&mut self, kind: &SignalType) {
        self.staged.remove(kind);
        self.write_errors.remove(kind);
    }

    /// Drops what already holds.
    fn unstage_done(&mut self, cx: &Context) {
        self.staged.retain(|kind, (staged, _)| {
            let left = staged.remaining_change(cx.subscriptions.get(kind));
            left.map(|left| *staged = left).is_some()
        });
        self.write_errors
            .retain(|kind, _| self.staged.contains_key(kind));
    }

    /// New signals of each priority: now, and after the staged changes.
    fn priority_counts(&self, cx: &Context) -> [(u64, u64); 3] {
        let after = self.subscriptions_after(cx);
        [Priority::High, Priority::Medium, Priority::Low].map(|priority| {
            let new = |list: &[Subscription]| {
                saturating_sum(
                    list.iter()
                        .filter(|it| it.priority.as_ref() == Some(&priority))
                        .filter_map(|it| it.new_count),
                )
            };
            (new(cx.subscriptions.all()), new(&after))
        })
    }

    pub fn on_reply(
        &mut self,
        request: SubscriptionsRequest,
        result: CallResult,
        cx: &mut Context,
    ) {
        match (request, payload::<Vec<Subscription>>(result)) {
            (SubscriptionsRequest::List, Ok(list)) => {
                subscriptions::store_subscriptions(list, &mut cx.work, &mut cx.subscriptions)
            }
            (SubscriptionsRequest::List, Err(failure)) if cx.subscriptions.all().is_empty() => {
                cx.subscriptions.load = LoadState::Failed(failure.message);
            }
            (SubscriptionsRequest::List, Err(failure)) => {
                cx.ui.show_failure(
                    "could not load the subscriptions",
                    &failure,
                    "{subscriptions.refresh} retries",
                );
            }
            (SubscriptionsRequest::Check, Ok(list)) => {
                let changed = self.changed_since_staging(&list);
                subscriptions::store_subscriptions(list, &mut cx.work, &mut cx.subscriptions);
                self.unstage_done(cx);
                self.on_checked(&changed, cx);
            }
            (SubscriptionsRequest::Check, Err(failure)) => {
                cx.ui.show_failure(
                    "nothing sent: could not load the subscriptions",
                    &failure,
                    "{subscriptions.apply} retries",
                );
            }
        }
    }

    /// Unstages applied changes; failed ones stay staged with their reason.
    fn on_written(
        &mut self,
        applied: &[ReversibleWrite],
        failed: &[(ReversibleWrite, String)],
        cx: &mut Context,
    ) {
        let kind = |change: &ReversibleWrite| match &change.forward {
            WriteOp::Subscription(kind, _) => Some(kind.clone()),
            _ => None,
        };
        let done: Vec<SignalType> = applied.iter().filter_map(kind).collect();
        let left: Vec<(SignalType, String)> = failed
            .iter()
            .filter_map(|(change, why)| Some((kind(change)?, why.clone())))
            .collect();
        if done.is_empty() && left.is_empty() {
            return;
        }
        done.iter().for_each(|kind| self.unstage(kind));
        if !left.is_empty() {
            // The result of an interrupted call is read, never guessed.
            read(cx);
        }
        self.write_errors.extend(left);
        cx.queue.mark_stale();
        cx.work.emit(Effect::Poll);
    }
}

/// Loads the list, and the members as possible recipients.
fn read(cx: &mut Context) {
    if cx.subscriptions.load != LoadState::Ready {
        cx.subscriptions.load = LoadState::Loading;
    }
    let request = SubscriptionsRequest::List;
    cx.work
        .call_service(Slot::Subscriptions, ServiceCall::Subscriptions, request);
    if cx.team.members.is_empty() {
        cx.work.read_members();
    }
}

impl SubscriptionsPane {
    /// Restores changes staged in an earlier session, unless something is already staged.
    fn restore_drafts(&mut self, drafts: &RestoredDrafts, cx: &mut Context) {
        if self.staged.is_empty()
            && let Some(staged) = drafts.content(&DraftName::Subscriptions)
        {
            self.staged = staged;
            cx.ui.notice = Some(
                Notice::info("staged subscription changes were restored")
                    .with_hint("{go.subscriptions} shows it"),
            );
        }
    }
}

impl Pane for SubscriptionsPane {
    fn focus(&self, _cx: &Context) -> PaneFocus {
        Scope::Subscriptions.into()
    }

    fn layout(&mut self, areas: &mut FrameLayout, body: Rect, cx: &mut Context) {
        self.lay_out(areas, body, cx);
    }

    fn draw(&self, cx: &Context, buf: &mut Buffer) -> Option<Position> {
        draw::draw(self, cx, buf);
        None
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &mut Context) {
        match event {
            PaneEvent::Opened if cx.subscriptions.load.needs_load() => read(cx),
            PaneEvent::Changed(Change::Subscriptions(before)) => {
                self.unstage_done(cx);
                let here = before
                    .get(self.lines.current_row())
                    .filter(|_| self.lines.scroll.cursor > 0);
                self.lines = list::arrange::<Subscriptions>(self, cx);
                self.lines.move_to_row(here.and_then(|here| {
                    cx.subscriptions
                        .types()
                        .iter()
                        .position(|kind| kind == here)
                }));
            }
            PaneEvent::Changed(Change::Written(write)) => {
                self.on_written(&write.applied, &write.failed, cx)
            }
            PaneEvent::Changed(Change::Reconnected) if cx.subscriptions.load.is_failed() => {
                read(cx)
            }
            PaneEvent::DraftsRestored(drafts) => self.restore_drafts(drafts, cx),
            PaneEvent::MessageHandled => {
                let staged = (!self.staged.is_empty()).then_some(&self.staged);
                cx.drafts
                    .save_draft(&DraftName::Subscriptions, staged, &mut cx.work);
            }
            // Closes the side panel, or asks whether to discard the staged changes.
            PaneEvent::Back => {
                if std::mem::take(&mut self.panel_open) && cx.frame.layout().panel.is_empty() {
                } else if self.staged.is_empty() {
                    cx.ui.notice = None;
                } else {
                    self.confirm_discard(cx);
                }
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, rows: isize, cx: &mut Context) {
        if cx.frame.layout().panel.is_empty() {
            self.top = self.top.saturating_add_signed(rows.clamp(-1_000, 1_000));
        } else {
            self.lines.move_cursor(rows);
            self.top = 0;
        }
    }

    fn click_row(&mut self, row: ClickedRow, _cx: &mut Context) -> Option<&'static str> {
        self.lines.click(row.line).then_some("subscriptions.open")
    }

    fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        let is_covered = self.panel_open && cx.frame.layout().panel.is_empty();
        let is_drawn = cx.subscriptions.load == LoadState::Ready && !is_covered;
        is_drawn.then(|| Box::new(list_of::<Subscriptions>(self, cx)) as Box<dyn FocusedList>)
    }

    fn list_lines_mut(&mut self) -> Option<&mut ListLines> {
        Some(&mut self.lines)
    }

    fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        self.top = 0;
        focused_list::change_list(self, change, cx);
    }

    fn unsaved_input(&self) -> Option<String> {
        let types = self.staged.len();
        (types > 0).then(|| format!("what you staged for {}", pluralize(types, "signal type")))
    }
}
