//! Triage that could not leave because nothing answers: its rows stay marked, and it goes out when the service answers again.
//!
//! A row that is unmarked meanwhile stays as it is. Before anything is sent the list is read (`verify`): what a colleague did while
//! nothing answered is not done over. What waits at the end of the program, be it by a kill, is marked again at the next start and
//! goes out when the person says so. What is triaged among the rows of the run before waits for the first answer.
//!
//! Never here: what may have been applied, which is looked up and not held.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::format::plural;
use super::intent::Intent;
use super::notice::Notice;
use super::overlay::Overlay;
use super::overlay::choice::Choice;
use super::panes::queue::Tab;
use super::records::Load;
use super::{Advance, App, Screen};
use crate::domain::SignalId;
use crate::domain::failure::RequestError;
use crate::domain::health::Health;
use crate::domain::queue::TriageStatus;

/// The name under which what waits is kept.
pub(super) const KEPT: &str = "held";

/// What waits for the service.
#[derive(Clone, Debug, Default)]
pub struct Offline {
    away: bool,
    /// The service answers again, and not all that waited is sent.
    back: bool,
    /// Something waits for the first answer since the start.
    unheard: bool,
    held: Vec<(Tab, SignalId)>,
}

impl App {
    /// Keeps signals whose triage never left.
    pub(super) fn hold(&mut self, from: Tab, ids: &[SignalId]) {
        self.offline.held.retain(|(_, id)| !ids.contains(id));
        self.offline.held.extend(ids.iter().map(|id| (from, *id)));
        self.hint_at_held();
    }

    /// Keeps signals that are known of an earlier run alone: somebody may have triaged them since, so they go out by way of the list.
    /// Those that wait already are passed over, and where all do, what is under the cursor is meant.
    pub(super) fn hold_unheard(&mut self, from: Tab, ids: Vec<SignalId>) {
        let waits: Vec<SignalId> = self.waiting().map(|(_, id)| id).collect();
        let new = |ids: Vec<SignalId>| ids.into_iter().filter(|id| !waits.contains(id)).collect::<Vec<_>>();
        let ids = Some(new(ids)).filter(|ids| !ids.is_empty()).unwrap_or_else(|| new(self.queue.tab(from).under_cursor()));
        let take_back = if self.screen == Screen::Queue { "{queue.mark} takes it back" } else { "" };
        if ids.is_empty() {
            self.notice = Some(Notice::note("this waits already").with(take_back));
            return;
        }
        let words = self.describe(from, &ids);
        let tab = self.queue.tab_mut(from);
        tab.range = None;
        tab.marks.extend(&ids);
        let is_next = self.settings.advance == Advance::Next && tab.under_cursor().iter().any(|id| ids.contains(id));
        tab.scroll.cursor += usize::from(is_next && tab.scroll.cursor + 1 < tab.len());
        self.acts.last = Some(from);
        self.offline.unheard = true;
        self.notice = Some(Notice::warn(format!("waits for the service: {words}")).with(take_back));
        self.hold(from, &ids);
    }

    /// The service answered for the first time: what waited for that goes out.
    pub(super) fn send_unheard(&mut self) {
        if std::mem::take(&mut self.offline.unheard) {
            self.offline.back = true;
            self.send_held();
        }
    }

    /// Marks what waited when the program ended, and looks what became of it since.
    pub(super) fn restore_held(&mut self, kept: Value) {
        let kept: Vec<(TriageStatus, SignalId)> = serde_json::from_value(kept).unwrap_or_default();
        for from in [Tab::New, Tab::Done] {
            let ids: Vec<SignalId> = kept.iter().filter(|(status, _)| *status == from.status()).map(|(_, id)| *id).collect();
            if ids.is_empty() {
                continue;
            }
            self.queue.tab_mut(from).marks.extend(&ids);
            self.hold(from, &ids);
            self.verify.begin(from, &ids, 0);
            let text =
                format!("{} could not be sent before gantry ended: looking what became of them", plural(ids.len(), "signal"));
            self.notice = Some(Notice::warn(text));
            self.verify_if_due();
            // One list is looked through at a time; what is of the other stays marked.
            return;
        }
    }

    /// What waits, to be kept: the list that each signal is in, and the signal.
    pub(super) fn held_to_keep(&self) -> impl Iterator<Item = (TriageStatus, SignalId)> {
        self.waiting().map(|(from, id)| (from.status(), id))
    }

    /// Takes how the service answers now.
    pub(super) fn health_is(&mut self, health: Health) {
        let back = self.offline.away && health == Health::Online;
        self.offline.away = matches!(health, Health::Offline { .. }) || self.offline.away && !back;
        if let Health::Offline { reason, .. } = &health {
            self.heard(Some(&RequestError::new_not_sent(reason.clone())));
        }
        self.connection.health = health;
        self.hint_at_held();
        if back {
            let is_held = self.held() > 0;
            self.offline.back = true;
            self.send_held();
            self.read_what_failed();
            self.drafts.is_heard = true;
            if !is_held {
                self.say_not_written();
            }
        }
    }

    /// Reads the lists again that could not be read: all of them are free.
    fn read_what_failed(&mut self) {
        let failed = |load: &Load| matches!(load, Load::Failed(_));
        if failed(&self.views.load) {
            self.read_views();
        }
        if failed(&self.subscriptions.load) {
            self.read_subscriptions();
        }
        if failed(&self.skills.load) {
            self.read_skills();
        }
        if failed(&self.team.load) || failed(&self.team.members_load) {
            self.read_team();
        }
    }

    /// Sends what waits, one list after the other, once the list was read.
    pub(super) fn send_held(&mut self) {
        if !self.offline.back || self.offline.away {
            return;
        }
        let Some((from, _)) = self.waiting().next() else {
            self.offline.back = false;
            // What was unmarked meanwhile is done with, whatever it is marked for later.
            self.offline.held.clear();
            return;
        };
        let ids: Vec<SignalId> = self.waiting().filter(|(tab, _)| *tab == from).map(|(_, id)| id).collect();
        self.offline.held.retain(|(tab, _)| *tab != from);
        self.verify.begin(from, &ids, 0).again = Some(DateTime::<Utc>::MAX_UTC);
        self.verify_if_due();
    }

    /// How many signals wait.
    pub(super) fn held(&self) -> usize {
        self.waiting().count()
    }

    /// Asks before the program ends with acts that wait: they are not sent by themselves then.
    pub(super) fn ask_about_held(&mut self) {
        let text = format!(
            "{} were not sent, because nothing answers. They are marked again at the next start.",
            plural(self.held(), "change")
        );
        self.overlay = Some(Overlay::Choice(Choice::confirm("Quit?", text, "quit all the same", Intent::Quit)));
    }

    /// What the person should know at the end.
    pub(super) fn held_line(&self) -> Option<String> {
        (self.held() > 0)
            .then(|| format!("gantry: {} of the queue were not sent: nothing answered", plural(self.held(), "change")))
    }

    /// What waits and was not taken out by unmarking it.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (Tab, SignalId)> {
        self.offline.held.iter().copied().filter(|(from, id)| self.queue.tab(*from).marks.contains(id))
    }

    fn hint_at_held(&mut self) {
        if self.offline.away
            && self.held() > 0
            && let Some(notice) = self.notice.as_mut().filter(|notice| notice.hint.is_empty())
        {
            notice.hint = "sent when the service answers; what is unmarked is not".into();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::app::effect::{Call, Effect};
    use crate::app::msg::{Msg, Push};
    use crate::app::testing::{Console, morning, signal_id};
    use crate::domain::failure::RequestError;
    use crate::domain::health::Health;

    fn away(console: Console) -> Console {
        let offline = Health::Offline { since: chrono::DateTime::UNIX_EPOCH, reason: "connection refused".to_owned() };
        console.send(Msg::Pushed(Push::Health(offline)))
    }

    fn back(console: Console) -> Console {
        console.send(Msg::Pushed(Push::Health(Health::Online))).serve()
    }

    /// Three signals are marked done while nobody listens.
    fn held() -> Console {
        let console =
            Console::over(morning()).press("Space Space Space e").fail(RequestError::new_not_sent("connection refused"));
        away(console)
    }

    fn triages(console: &Console) -> usize {
        console.calls.iter().filter(|call| matches!(call, Call::Triage { .. })).count()
    }

    #[test]
    fn what_could_not_be_read_is_read_again_when_the_service_is_back_or_somebody_looks() {
        let failed = |key: &str| {
            let mut console = Console::over(morning()).press(key);
            while !console.waiting.is_empty() {
                console = console.fail(RequestError::new_not_sent("connection refused"));
            }
            console
        };
        for (key, what) in
            [("2", "Austin GC watchlist"), ("4", "construction loan"), ("7", "permit-call-script"), ("6", "Ana R. ")]
        {
            let console = away(failed(key));
            let (asked, spent) = (console.calls.len(), console.desk.spent);
            let console = console.send(Msg::Pushed(Push::Health(Health::Online)));
            assert!((1..=3).contains(&(console.calls.len() - asked)), "{key}: {:?}", console.calls);
            let console = console.serve();
            assert!(console.screen().contains(what), "{}", console.screen());
            assert_eq!(console.desk.spent, spent, "for nothing");
            let console = failed(key).press("1").press(key).serve();
            assert!(console.screen().contains(what), "{}", console.screen());
        }
    }

    #[test]
    fn what_could_not_leave_goes_out_by_itself_when_the_service_answers_and_once() {
        let console = held();
        assert!(console.notice().contains("3 not sent, still marked"), "{}", console.notice());
        assert!(console.screen().contains("sent when the service answers"), "{}", console.screen());
        assert_eq!(console.new_in_service(), 16);
        let console = back(console);
        assert_eq!((console.new_in_service(), triages(&console)), (13, 2));
        let console = back(away(console));
        assert_eq!(triages(&console), 2, "it is done with");
        assert_eq!(console.press("z").serve().new_in_service(), 16, "and one step of undo");
    }

    #[test]
    fn what_waited_when_the_program_was_killed_is_marked_again_and_goes_out_when_that_is_said() {
        let console = held().restarted();
        assert!(console.notice().contains("0 done, 3 not and still marked"), "{}", console.notice());
        assert_eq!((console.new_in_service(), triages(&console)), (16, 0));
        let console = console.press("e").serve();
        assert_eq!(console.new_in_service(), 13);
        let console = console.restarted();
        assert!(!console.notice().contains("marked") && triages(&console) == 0, "{}", console.notice());
    }

    #[test]
    fn of_what_waited_at_the_end_only_what_is_still_to_do_is_marked_again() {
        let console = held().ben_does(&[1, 2]).restarted();
        assert!(console.notice().contains("2 done, 1 not and still marked"), "{}", console.notice());
    }

    #[test]
    fn what_a_colleague_did_meanwhile_is_not_done_over() {
        let console = back(held().ben_does(&[1, 2]));
        let Some(Call::Triage { ids, .. }) = console.calls.iter().rfind(|call| matches!(call, Call::Triage { .. })) else {
            panic!("nothing was sent")
        };
        assert_eq!(ids, &[signal_id(3)]);
    }

    #[test]
    fn what_is_unmarked_while_nothing_answers_is_taken_back() {
        let console = back(held().press("* n"));
        assert_eq!((console.new_in_service(), triages(&console)), (16, 1));
    }

    #[test]
    fn what_was_taken_back_stays_so_when_it_is_marked_again_for_something_else() {
        let console = back(away(back(held().press("* n")).press("* a")));
        assert_eq!((console.new_in_service(), triages(&console)), (16, 1));
    }

    #[test]
    fn what_was_not_sent_for_another_reason_waits_for_the_person() {
        let console = Console::over(morning()).press("e").fail(RequestError::new_not_sent("it could not be written down first"));
        let console = console.poll().serve();
        assert_eq!((console.new_in_service(), triages(&console)), (16, 1));
    }

    #[test]
    fn quitting_over_what_waits_asks_and_says_what_was_not_sent() {
        let console = held().press("q");
        assert!(console.screen().contains("3 changes were not sent") && !console.effects.contains(&Effect::Quit));
        let console = console.press("Enter");
        assert!(console.effects.contains(&Effect::Quit));
        assert_eq!(console.app.closing_lines(), ["gantry: 3 changes of the queue were not sent: nothing answered"]);
    }
}
