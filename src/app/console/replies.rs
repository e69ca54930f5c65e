//! Replies: each is handed to whoever asked for it.
//!
//! Never here: what an asker does with its reply.

use super::Console;
use crate::app::context::{budget_guard, dispatch, handoff};
use crate::app::msg::{CallResult, Token};
use crate::app::requests::Request;

impl Console {
    pub(super) fn on_reply(&mut self, token: Token, result: CallResult) {
        self.cx.record_response(result.as_ref().err());
        let may_have_cost = self
            .cx
            .work
            .budget
            .track_reply(token, result.as_ref().err());
        let spends = self.cx.work.budget.spend_count();
        if let Some((slot, request)) =
            dispatch::take_request(token, &mut self.cx.ui, &mut self.cx.work)
        {
            let before = self.cx.ui.notice.clone();
            self.deliver(request, result);
            dispatch::remember_shown_failure(
                slot,
                before.as_ref(),
                &mut self.cx.ui,
                &mut self.cx.work,
            );
        }
        if may_have_cost && self.cx.work.budget.spend_count() == spends {
            self.cx.work.budget.distrust_meter();
        }
        budget_guard::reread_meter(&mut self.cx.work);
    }

    fn deliver(&mut self, request: Request, result: CallResult) {
        match request {
            Request::Pane(request) => self.panes.on_reply(request, result, &mut self.cx),
            Request::Header(request) => self.cx.on_header_reply(request, result),
            Request::SavedState => self.on_saved_state_reply(result),
            Request::Journal => self.cx.on_journal_reply(result),
            Request::Handoff { with_team, done } => {
                self.cx.on_handoff_reply(with_team, done, result)
            }
            Request::HandoffDone(rows) => self.cx.on_handoff_done_reply(rows, result),
            Request::SaveText => handoff::on_text_saved(result, &mut self.cx.ui),
            Request::CallOpening(read) => {
                self.cx
                    .calls
                    .on_call_opening_reply(read, result, &mut self.cx.work)
            }
            Request::Queue(request) => self.cx.on_queue_reply(request, result),
            Request::Description(id) => self.cx.on_description_reply(id, result),
            Request::Record(key) => self.cx.on_record_reply(key, result),
            Request::MissingRecord(key) => self.cx.on_missing_record(key, result),
            Request::Records(list) => self.cx.on_records_reply(list, result),
            Request::Views(request) => self.cx.on_views_reply(request, result),
            Request::Priority(row) => self.cx.on_priority_reply(&row, result),
            Request::Export => self.cx.on_export_reply(result),
            Request::Write(part) => self.cx.on_write_reply(part, result),
            Request::Reconcile => self.cx.on_reconcile_reply(result),
            Request::Undo(request) => self.cx.on_undo_reply(request, result),
        }
    }
}

#[cfg(test)]
mod tests;
