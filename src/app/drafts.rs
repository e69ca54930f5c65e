//! What was typed and not sent: kept on this machine as it is typed, and back after any end of the program.
//!
//! After each message what stands in the sheet, in Explore's builder and in a prompt is held against what was kept last; the runtime
//! sees to it that the disk is not written with every key. A draft is offered where it was typed and never applied by itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::effect::Effect;
use super::export;
use super::format::plural;
use super::intent::Intent;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::{Choice, Pick};
use super::panes::explore::Built;
use super::panes::sheet::Draft;
use super::panes::skills;
use super::panes::subscriptions::Plan;
use super::prompt::{Prompt, Purpose};
use super::{App, Screen, offline};
use crate::domain::queue::TriageStatus;
use crate::domain::{SignalId, drafts};

/// The name of what stands in Explore's builder.
const BUILDER: &str = "explore";
/// The name of what is staged for subscriptions.
const SUBSCRIPTIONS: &str = "subscriptions";

/// The way on with what was typed.
pub(super) const GO_ON: &str = "{go.typed} goes on with it";

/// The drafts.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// What was typed in sheets, the oldest first.
    pub sheets: Vec<Draft>,
    /// They outlive the program.
    pub keeps: bool,
    /// Those that were to be written when nobody answered.
    unsent: BTreeSet<String>,
    /// Somebody answers again, and what is not written was not said yet.
    pub(super) is_heard: bool,
    prompts: BTreeMap<String, String>,
    builder: Built,
    plan: Plan,
    held: Vec<(TriageStatus, SignalId)>,
}

impl App {
    /// Takes over what was left by the runs of the program before.
    pub(super) fn restore_drafts(&mut self, left: Vec<drafts::Draft>, keeps: bool) {
        self.drafts.keeps = keeps;
        let mut sheets: Vec<Draft> = Vec::new();
        for draft in left {
            match draft.name.as_str() {
                BUILDER if !draft.is_open_elsewhere => {
                    // What was built since the start is newer.
                    if let Ok(built) = serde_json::from_value::<Built>(draft.content)
                        && self.explore.built() == Built::default()
                    {
                        self.explore.build(built.clone());
                        self.drafts.builder = built;
                    }
                }
                SUBSCRIPTIONS if !draft.is_open_elsewhere => {
                    if let Ok(plan) = serde_json::from_value::<Plan>(draft.content)
                        && self.subscriptions.restore(plan.clone())
                    {
                        self.drafts.plan = plan;
                        self.notice =
                            Some(Notice::note("what you staged for subscriptions is kept").with("{go.subscriptions} shows it"));
                    }
                }
                offline::KEPT if !draft.is_open_elsewhere => self.restore_held(draft.content),
                export::KEPT if !draft.is_open_elsewhere => self.restore_export(draft.content),
                skills::edit::KEPT => {
                    if let (false, Value::String(text)) = (draft.is_open_elsewhere, draft.content) {
                        self.skills.typed.get_or_insert(text);
                    }
                }
                name if Purpose::KEPT.iter().any(|kept| name.starts_with(kept)) => {
                    if let (false, Value::String(text)) = (draft.is_open_elsewhere, draft.content) {
                        self.drafts.prompts.entry(draft.name).or_insert(text);
                    }
                }
                _ => sheets.extend(Draft::read(draft)),
            }
        }
        let (empty, mut sheets): (Vec<Draft>, Vec<Draft>) = sheets.into_iter().partition(Draft::is_empty);
        empty.iter().filter(|draft| !draft.elsewhere).for_each(|draft| self.keep::<()>(&draft.name, None));
        self.offer_typed_skill();
        if let Some(last) = sheets.last() {
            let text = format!("{}: what you typed at {} is kept", names(&sheets), self.draft_time(last));
            self.notice = Some(Notice::note(text).with(GO_ON));
        }
        sheets.append(&mut self.drafts.sheets);
        self.drafts.sheets = sheets;
        let offered = self.sheet.as_ref().and_then(|sheet| self.draft_of(&sheet.shelf, &sheet.rows));
        if let Some(sheet) = &mut self.sheet {
            sheet.draft = sheet.draft.take().or(offered);
        }
    }

    /// Nobody answered when something was to be written on these records: that is said once somebody does. False when nothing that
    /// was typed for them is kept.
    pub(super) fn not_written(&mut self, records: &[Uuid]) -> bool {
        let is_theirs = |draft: &&Draft| draft.rows.iter().any(|(id, _)| records.contains(id));
        let names: Vec<String> = self.drafts.sheets.iter().filter(is_theirs).map(|draft| draft.name.clone()).collect();
        let is_kept = !names.is_empty();
        self.drafts.unsent.extend(names);
        is_kept
    }

    /// Says, once the service answers again and nothing else has to be said, what could not be written meanwhile. It is not sent by
    /// itself: what a colleague wrote since is looked at first, which may cost something and may want an answer.
    pub(super) fn say_not_written(&mut self) {
        if !std::mem::take(&mut self.drafts.is_heard) {
            return;
        }
        let unsent = std::mem::take(&mut self.drafts.unsent);
        let left: Vec<Draft> = self.drafts.sheets.iter().filter(|draft| unsent.contains(&draft.name)).cloned().collect();
        if left.is_empty() {
            return;
        }
        let is_open = self.sheet.as_ref().is_some_and(|sheet| left.iter().any(|draft| sheet.is_over(draft)));
        let hint = if is_open { "{sheet.apply} writes it" } else { GO_ON };
        self.notice = Some(Notice::warn(format!("what you typed waits: {}", names(&left))).with(hint));
    }

    /// Keeps what was typed since it was kept last.
    pub(super) fn keep_typed(&mut self) {
        self.keep_sheet();
        // What stands as it was kept is compared where it stands, and copied only when it is kept anew.
        if self.screen == Screen::Explore && !self.explore.is_built(&self.drafts.builder) {
            let built = self.explore.built();
            self.keep(BUILDER, (built != Built::default()).then_some(&built));
            self.drafts.builder = built;
        }
        if !self.held_to_keep().eq(self.drafts.held.iter().cloned()) {
            let held: Vec<_> = self.held_to_keep().collect();
            self.keep(offline::KEPT, (!held.is_empty()).then_some(&held));
            self.drafts.held = held;
        }
        if !self.subscriptions.is_planned(&self.drafts.plan) {
            let plan = self.subscriptions.plan();
            self.keep(SUBSCRIPTIONS, (plan != Plan::default()).then_some(&plan));
            self.drafts.plan = plan;
        }
        let Some((name, text)) = self.prompt.as_ref().and_then(|prompt| Some((self.draft_name(prompt.purpose)?, prompt.text())))
        else {
            return;
        };
        let is_new = !text.trim().is_empty() && text != self.standing(&name);
        if is_new && self.drafts.prompts.get(&name) != Some(&text) {
            self.keep(&name, Some(&text));
            self.drafts.prompts.insert(name, text);
        } else if !is_new {
            self.forget_prompt(&name);
        }
    }

    /// Opens a prompt with what was typed in it before, or else with what stands there now.
    pub(super) fn prompt_for(&mut self, label: &'static str, purpose: Purpose) {
        let name = self.draft_name(purpose).unwrap_or_default();
        let text = self.drafts.prompts.get(&name).cloned().unwrap_or_else(|| self.standing(&name));
        self.prompt = Some(Prompt::new(label, &text, purpose));
    }

    /// What was typed in a prompt was taken.
    pub(super) fn forget_prompt(&mut self, name: &str) {
        if self.drafts.prompts.remove(name).is_some() {
            self.keep::<()>(name, None);
        }
    }

    /// Keeps what was typed under a name in the place of what was kept there; with nothing, drops it.
    pub(super) fn keep<T: Serialize>(&mut self, name: &str, typed: Option<&T>) {
        let typed = typed.and_then(|typed| serde_json::to_value(typed).ok());
        self.out.push(Effect::Keep { name: name.to_owned(), typed });
    }

    /// When a draft was left, on the person's clock.
    pub fn draft_time(&self, draft: &Draft) -> String {
        self.when(draft.at)
    }

    /// Lists what was typed for records, the newest first; choosing one goes on with it.
    pub(super) fn list_drafts(&mut self) {
        let pick = |draft: &Draft| Pick {
            label: format!("{}: {}", draft.about(), draft.fields().join(", ")),
            note: self.draft_time(draft),
            then: Intent::Resume(draft.name.clone()),
        };
        let picks: Vec<Pick> = self.drafts.sheets.iter().rev().map(pick).collect();
        self.overlay = Some(Overlay::Choice(Choice::new("Typed and not written", "0 cr", picks)));
    }

    /// What the person should know at the end: where what was typed is.
    pub(super) fn drafts_line(&self) -> Option<String> {
        let records: usize = self.drafts.sheets.iter().map(|draft| draft.rows.len()).sum();
        let is_kept = records > 0 && self.drafts.keeps;
        is_kept.then(|| {
            format!(
                "gantry: what you typed for {} is kept; {} goes on with it",
                plural(records, "record"),
                self.key_name("go.typed")
            )
        })
    }
}

/// What drafts are for: the newest by its name.
fn names(drafts: &[Draft]) -> String {
    let last = drafts.last().map(Draft::about).unwrap_or_default();
    if drafts.len() > 1 { format!("{last} and {} more", drafts.len() - 1) } else { last }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use serde_json::{Value, json};

    use crate::app::effect::{Call, Write};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::desk::account_id;
    use crate::app::testing::{Console, moment, morning};
    use crate::domain::failure::RequestError;
    use crate::domain::health::Health;

    fn book() -> Console {
        Console::over(morning()).press("3").serve().press("Enter").serve()
    }

    fn refused() -> RequestError {
        RequestError::new_not_sent("connection refused")
    }

    fn away(console: Console) -> Console {
        let offline = Health::Offline { since: moment("2026-07-09T09:20:14Z"), reason: "connection refused".to_owned() };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn back(console: Console) -> Console {
        console.send(Msg::Pushed(Push::Health(Health::Online))).poll().serve()
    }

    fn writes(console: &Console) -> usize {
        console.calls.iter().filter(|call| matches!(call, Call::Write(Write::Annotate { .. }))).count()
    }

    fn field<'a>(console: &'a Console, name: &str) -> &'a Value {
        &console.desk.book[&account_id(1)][name]
    }

    /// A status of a record that was read a while ago could not be written.
    fn unwritten() -> Console {
        away(book().after(Duration::minutes(3)).press("a s").type_in("called").press("Ctrl-s").fail(refused()))
    }

    #[test]
    fn what_could_not_be_written_is_said_once_when_the_service_answers_again_and_is_not_sent_by_itself() {
        let console = unwritten();
        assert_eq!(console.notice(), "status of Brightline GC: not sent: connection refused");
        let mut console = back(console.press("Esc"));
        assert_eq!(console.notice(), "what you typed waits: Brightline GC");
        assert!(console.screen().contains("gt goes on with it"), "{}", console.screen());
        assert_eq!(writes(&console), 1, "the one that failed");
        console = back(away(console.press("Esc j")));
        assert_eq!(console.notice(), "", "once");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!((field(&console, "workspace_status"), writes(&console)), (&json!("called"), 2));
    }

    #[test]
    fn a_sheet_that_is_still_open_is_gone_on_with_where_it_stands() {
        let console = back(unwritten().press("g t Enter"));
        assert!(console.screen().contains("Ctrl-s writes it"), "{}", console.screen());
        let console = console.press("Ctrl-s").serve();
        assert_eq!(field(&console, "workspace_status"), "called");
    }

    #[test]
    fn what_a_colleague_wrote_while_nothing_answered_is_seen_before_it_is_written_over() {
        let theirs = |mut console: Console, name: &str, value: Value| {
            console.desk.book.get_mut(&account_id(1)).unwrap().insert(name.into(), value);
            console
        };
        for resumed in [unwritten(), unwritten().press("g t Enter Ctrl-s").fail(refused())] {
            let console = back(theirs(resumed, "workspace_status", json!("won"))).press("g t Enter Ctrl-s").serve();
            assert!(console.notice().contains("status changed since"), "{}", console.notice());
            assert_eq!(field(&console, "workspace_status"), "won", "asked");
        }
        let tags = book().after(Duration::minutes(3)).press("a t").type_in("mine").press("Ctrl-s").fail(refused());
        let console =
            back(theirs(away(tags.press("Esc")), "tags", json!(["austin", "theirs"]))).press("g t Enter Ctrl-s").serve();
        let console = console.press("Ctrl-s").serve();
        assert_eq!(field(&console, "tags"), &json!(["austin", "theirs", "mine"]), "merged");
    }

    #[test]
    fn many_records_that_could_not_be_written_are_one_draft_that_waits() {
        let console = book().press("Space Space Space a t").type_in("q3").press("Ctrl-s");
        let console = console.fail(refused()).fail(refused()).fail(refused());
        assert!(console.notice().contains("still marked: not sent: connection refused"), "{}", console.notice());
        assert!(console.screen().contains("gt goes on with it"), "{}", console.screen());
        let console = back(away(console.press("Esc")));
        assert_eq!(console.notice(), "what you typed waits: 3 accounts");
        let console = console.press("g t Enter Ctrl-s").serve();
        assert_eq!((writes(&console), field(&console, "tags")), (6, &json!(["austin", "q3"])));
    }

    #[test]
    fn what_waits_of_the_queue_goes_out_first_and_what_was_typed_is_said_when_the_line_is_free() {
        let console = unwritten().press("Esc 1 e").fail(refused());
        let console = back(console);
        assert!(console.notice().starts_with("done:"), "{}", console.notice());
        let console = console.press("Esc Esc").poll();
        assert!(console.notice().contains("what you typed waits"), "{}", console.notice());
    }

    #[test]
    fn what_was_forgotten_meanwhile_is_not_said() {
        let console = back(unwritten().press("Esc a s Ctrl-x Esc"));
        assert_eq!(console.notice(), "");
    }
}
