//! Replies: each goes to the pane that asked for it, and the ones that carry small data of the workspace to the console itself.
//!
//! Never here: what a pane does with its reply.

use super::App;
use super::msg::{Reply, Token};
use crate::domain::pages::Page;
use crate::domain::queue::QueueSignal;
use crate::domain::request_error::RequestError;

impl App {
    pub(super) fn on_reply(&mut self, token: Token, result: Result<Reply, RequestError>) {
        self.track_reply(token, result.as_ref().err());
        self.dispatch_reply(token, result);
        self.reread_meter();
    }

    fn dispatch_reply(&mut self, token: Token, result: Result<Reply, RequestError>) {
        if let Err(failure) = &result {
            self.record_response(Some(failure));
        } else {
            self.record_response(None);
        }
        let unexpected = || RequestError::new_ambiguous("unexpected response");
        if self.pending_triages.in_flight.iter().any(|act| act.is_waiting_for(token)) {
            let result = result.and_then(|reply| if let Reply::Triaged(n) = reply { Ok(n) } else { Err(unexpected()) });
            self.on_triage_reply(token, result);
            return;
        }
        match result {
            Ok(Reply::Queue(page)) => {
                self.dispatch_queue_page(token, Ok(page));
            }
            Ok(Reply::Record { record, read_at, credits }) => {
                let read = Ok((*record, credits));
                let _ = self.on_annotated_record_reply(token, read.clone()) || self.on_record_reply(token, read, read_at);
            }
            Ok(Reply::SearchPage(found)) => {
                self.on_records_reply(token, Ok(found));
            }
            Ok(Reply::Fields(vocabulary)) => {
                self.on_vocabulary_reply(token, Ok(vocabulary));
            }
            Ok(Reply::QuestionTranslated(understood)) => {
                self.on_question_reply(token, Ok(understood));
            }
            Ok(Reply::Views(views)) => {
                self.on_views_reply(token, Ok(views));
            }
            Ok(Reply::Favorites(favorites)) => {
                self.on_favorites_reply(token, Ok(favorites));
            }
            Ok(Reply::Exported(done)) => {
                self.on_export_reply(token, Ok(done));
            }
            Ok(Reply::Written(items)) => {
                self.on_write_reply(token, Ok(items));
            }
            Ok(Reply::Signal(signal)) => {
                self.on_raw_payload_reply(token, Ok(*signal));
            }
            Ok(Reply::Connected { label }) => self.on_connect_reply(token, Ok(label)),
            Ok(Reply::Workspace(workspace)) => self.workspace = Some(workspace),
            Ok(Reply::Credits(credits, spent)) => {
                self.on_meter_reply(token, Some(credits));
                self.budget_guard.update_spent(spent);
            }
            Ok(Reply::Skills(skills)) => {
                self.on_skills_reply(token, Ok(skills));
            }
            Ok(Reply::Skill(skill, revisions)) => {
                let read = Ok(*skill);
                if !self.on_skill_for_editor_reply(token, &read) {
                    self.on_skill_reply(token, read.map(|skill| (skill, revisions)));
                }
            }
            Ok(Reply::SkillText(texts)) => {
                self.on_skill_texts_reply(token, Ok(texts));
            }
            Ok(Reply::Ledger(statement)) => {
                self.on_meter_reply(token, statement.meter.as_ref().ok().cloned());
                self.on_ledger_reply(token, Ok(*statement));
            }
            Ok(Reply::Budgets(budgets)) => self.on_budgets_saved(budgets),
            Ok(Reply::SavedState(past)) => self.restore_saved_state(*past),
            Ok(Reply::Members(members)) => self.on_members_reply(token, members),
            Ok(Reply::Invitations(invitations)) => self.on_invitations_reply(token, invitations),
            Ok(Reply::Subscriptions(subscriptions)) => self.on_subscriptions_reply(token, subscriptions),
            Ok(Reply::Triaged(_)) => {}
            Err(failure) => {
                let _ = self.dispatch_queue_page(token, Err(failure.clone()))
                    || self.on_annotated_record_reply(token, Err(failure.clone()))
                    || self.on_record_reply(token, Err(failure.clone()), None)
                    || self.on_records_reply(token, Err(failure.clone()))
                    || self.on_vocabulary_reply(token, Err(failure.clone()))
                    || self.on_question_reply(token, Err(failure.clone()))
                    || self.on_views_reply(token, Err(failure.clone()))
                    || self.on_favorites_reply(token, Err(failure.clone()))
                    || self.on_ledger_reply(token, Err(failure.clone()))
                    || self.on_skills_reply(token, Err(failure.clone()))
                    || self.on_skill_for_editor_reply(token, &Err(failure.clone()))
                    || self.on_skill_reply(token, Err(failure.clone()))
                    || self.on_skill_texts_reply(token, Err(failure.clone()))
                    || self.on_budgets_failed(token, &failure)
                    || self.on_write_reply(token, Err(failure.clone()))
                    || self.on_export_reply(token, Err(failure.clone()))
                    || self.on_raw_payload_reply(token, Err(failure.clone()))
                    || self.on_priority_failed(token, &failure)
                    || self.on_subscriptions_failed(token, &failure)
                    || self.on_team_failed(token, &failure)
                    || self.on_connect_failed(token, failure);
            }
        }
    }

    fn dispatch_queue_page(&mut self, token: Token, page: Result<Page<QueueSignal>, RequestError>) -> bool {
        self.on_reconcile_page(token, &page)
            || self.on_preflight_page(token, &page)
            || self.on_attribution_page(token, &page)
            || self.on_who_triaged_reply(token, &page)
            || self.on_dashboard_reply(token, &page)
            || self.on_queue_reply(token, page)
    }
}
