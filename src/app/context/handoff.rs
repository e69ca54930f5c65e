//! The handoff: what was done from this machine, what is left of the loaded rows, and what it cost,
//! on a page. What is requested for it is this machine's own journal, and for the team's part the
//! Done list, which costs no more than the queue.

use chrono::Duration;

use crate::app::Context;
use crate::app::context::clock::Clock;
use crate::app::context::{Ui, Work};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::model::load_state::LoadState;
use crate::app::msg::{CallResult, payload};
use crate::app::overlay::Overlay;
use crate::app::overlay::text_page::TextPage;
use crate::app::requests::{DoneRows, Request};
use crate::domain::handoff::{
    Handoff, HandoffFormat, HandoffRequest, OpenWork, RecordedWork, TeamWork,
};
use crate::domain::pages::Page;
use crate::domain::past_time::start_of_week;
use crate::domain::person::Person;
use crate::domain::queue::{MAX_QUEUE_PAGE_ROWS, QueueFilter, QueueSignal, QueueTab, TriageStatus};
use crate::text;

const TITLE: &str = "Handoff";
/// At most this many pages of the Done list are read.
const MAX_DONE_PAGES: usize = 10;

impl Context {
    /// Shows the handoff of a period as the user writes it: `since 09:00`, `week`, `team`.
    pub(in crate::app) fn open_handoff(&mut self, text: &str) {
        match HandoffRequest::parse(text, &self.clock.local_now()) {
            Ok(request) => self.read_handoff(request),
            Err(why) => self.ui.warn(why),
        }
    }

    fn read_handoff(&mut self, request: HandoffRequest) {
        self.ui.overlay = Some(Overlay::Page(TextPage {
            handoff: Some(request),
            ..TextPage::loading(TITLE)
        }));
        let done = &self.queue.done;
        let is_loaded =
            !self.queue.is_filtered() && done.load == LoadState::Ready && done.unread_count() == 0;
        match request.with_team && !is_loaded && self.session.is_connected() {
            true => read_done_for_handoff(Vec::new(), &mut self.work),
            false => read_recorded_work(request, None, &self.clock, &mut self.work),
        }
    }

    pub(in crate::app) fn on_handoff_done_reply(
        &mut self,
        mut rows: Vec<QueueSignal>,
        result: CallResult,
    ) {
        let Some(request) = shown_handoff(&self.ui) else {
            return;
        };
        let Ok(page) = payload::<Page<QueueSignal>>(result) else {
            return read_recorded_work(request, None, &self.clock, &mut self.work);
        };
        let is_full = page.rows.len() >= MAX_QUEUE_PAGE_ROWS as usize;
        rows.extend(page.rows);
        let is_whole = page
            .total
            .map_or(!is_full, |total| total <= rows.len() as u64);
        let has_room = rows.len() < MAX_DONE_PAGES * MAX_QUEUE_PAGE_ROWS as usize;
        match !is_whole && is_full && has_room {
            true => read_done_for_handoff(rows, &mut self.work),
            false => {
                read_recorded_work(request, Some((rows, is_whole)), &self.clock, &mut self.work)
            }
        }
    }

    /// Adds what the team marked done to the page, or leaves it out.
    pub(in crate::app) fn toggle_handoff_team(&mut self) {
        if let Some(request) = shown_handoff(&self.ui) {
            self.read_handoff(HandoffRequest {
                with_team: !request.with_team,
                ..request
            });
        }
    }

    /// Covers the week, or the last 24 hours.
    pub(in crate::app) fn toggle_handoff_week(&mut self) {
        if let Some(request) = shown_handoff(&self.ui) {
            let now = self.clock.service_now();
            let monday = start_of_week(&now.with_timezone(&self.clock.utc_offset));
            let since = if request.since == monday {
                now - Duration::hours(24)
            } else {
                monday
            };
            self.read_handoff(HandoffRequest { since, ..request });
        }
    }

    pub(in crate::app) fn on_handoff_reply(
        &mut self,
        with_team: bool,
        done: Option<DoneRows>,
        result: CallResult,
    ) {
        if !matches!(&self.ui.overlay, Some(Overlay::Page(page)) if page.shown.is_none()) {
            return;
        }
        let request = shown_handoff(&self.ui);
        match payload::<Box<RecordedWork>>(result) {
            Ok(work) => {
                let handoff = self.handoff(*work, with_team, done);
                let zone = self.clock.utc_offset;
                let day = self
                    .clock
                    .service_now()
                    .with_timezone(&zone)
                    .format("%Y-%m-%d");
                self.ui.overlay = Some(Overlay::Page(TextPage {
                    shown: Some(handoff.to_page(HandoffFormat::Plain, &zone, text::sanitize_line)),
                    copied: handoff.to_page(HandoffFormat::Markdown, &zone, text::sanitize_line),
                    file_name: format!("handoff-{day}.md"),
                    handoff: request,
                    ..TextPage::loading(TITLE)
                }));
            }
            Err(failure) => {
                self.close_overlay();
                self.ui
                    .show_failure("could not read the journal", &failure, ":handoff retries");
            }
        }
    }

    fn handoff(&self, mut work: RecordedWork, with_team: bool, done: Option<DoneRows>) -> Handoff {
        let now = self.clock.service_now();
        work.shift_times(self.clock.skew);
        let rows = |tab: QueueTab| {
            self.queue
                .tab_state(tab)
                .list
                .loaded_rows()
                .map(|(_, row)| row)
        };
        let asleep = self.queue.snoozes.sleeping().map(|snooze| &snooze.row);
        work.learn_names(
            rows(QueueTab::New)
                .chain(rows(QueueTab::Done))
                .chain(asleep),
        );
        work.learn_names(done.iter().flat_map(|(rows, _)| rows));
        work.names.extend(
            self.outbox
                .record_names()
                .map(|(id, name)| (id, name.to_owned())),
        );
        let snoozes = self.queue.snoozes.sleeping();
        let open = OpenWork::new(self.stats.as_ref().cloned());
        let open = if self.queue.has_all_new_rows() {
            open.with_queue(rows(QueueTab::New), now)
        } else {
            open
        };
        let open = open.with_snoozes(snoozes, now).with_waiting(
            self.outbox
                .outbox_entries(&self.queue)
                .map(|(from, id)| (from.status(), id))
                .collect(),
        );
        let name = |person: &Person| self.queue.user_name(Some(person));
        let team = with_team.then(|| match &done {
            Some((rows, is_whole)) => TeamWork::of_rows(rows.iter(), *is_whole, work.since, name),
            None => {
                let is_whole = !self.queue.is_filtered() && self.queue.done.unread_count() == 0;
                TeamWork::of_rows(rows(QueueTab::Done), is_whole, work.since, name)
            }
        });
        Handoff::new(work, open, team)
    }

    /// Copies the page as Markdown.
    pub(in crate::app) fn copy_page(&mut self) {
        if let Some(Overlay::Page(page)) = &self.ui.overlay {
            let copied = Some(page.copied.clone()).filter(|text| !text.is_empty());
            self.copy_to_clipboard("Markdown", copied);
        }
    }
}

fn read_recorded_work(
    request: HandoffRequest,
    done: Option<DoneRows>,
    clock: &Clock,
    work: &mut Work,
) {
    let HandoffRequest { since, with_team } = request;
    work.call_service(
        Slot::Handoff,
        ServiceCall::RecordedWork(since - clock.skew),
        Request::Handoff { with_team, done },
    );
}

/// Reads the Done list on after these rows.
fn read_done_for_handoff(rows: Vec<QueueSignal>, work: &mut Work) {
    let call = ServiceCall::Queue {
        filter: QueueFilter::with_status(TriageStatus::Done),
        offset: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        limit: MAX_QUEUE_PAGE_ROWS,
    };
    work.call_service(Slot::Handoff, call, Request::HandoffDone(rows));
}

fn shown_handoff(ui: &Ui) -> Option<HandoffRequest> {
    match &ui.overlay {
        Some(Overlay::Page(page)) => page.handoff,
        _ => None,
    }
}

/// Saves the page in the current folder, beside older ones of this name.
pub(in crate::app) fn save_page(ui: &Ui, work: &mut Work) {
    if let Some(Overlay::Page(page)) = &ui.overlay
        && page.shown.is_some()
    {
        let call = ServiceCall::SaveText {
            file_name: page.file_name.clone(),
            text: page.copied.clone(),
        };
        work.call_service(Slot::SaveText, call, Request::SaveText);
    }
}

pub(in crate::app) fn on_text_saved(result: CallResult, ui: &mut Ui) {
    match payload::<std::path::PathBuf>(result) {
        Ok(path) => ui.inform(format!("Saved as {}", path.display())),
        Err(failure) => ui.show_failure("could not save the text", &failure, "nothing was written"),
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Effect;
    use crate::app::msg::Msg;
    use crate::app::testing::{TestConsole, morning_queue};

    fn handoff(command: &str) -> TestConsole {
        let console = TestConsole::with_rows(morning_queue())
            .poll()
            .serve()
            .press("e")
            .serve()
            .press(":")
            .type_text(command);
        console.press("Enter").serve()
    }

    #[test]
    fn a_typed_command_shows_what_was_done_and_what_is_left() {
        let console = handoff("handoff");
        let screen = console.screen_text();
        assert!(
            screen.contains("marked done: ") && screen.contains("1 leaves the queue within 7 days"),
            "{screen}"
        );
        assert!(!console.press("Esc").screen_text().contains("Handoff"));
    }

    #[test]
    fn the_page_is_copied_and_saved_as_markdown() {
        let console = handoff("handoff since 09:00").press("y");
        let is_copy = |effect: &&Effect| matches!(effect, Effect::CopyToClipboard { text, .. } if text.0.starts_with("# Handoff\n"));
        assert_eq!(console.effects.iter().filter(is_copy).count(), 1);
        let console = console.press("w").serve();
        assert_eq!(
            console.notice_text(),
            "Saved as /home/ana/handoff-2026-07-09.md"
        );
    }

    #[test]
    fn the_page_itself_says_where_it_was_saved_and_that_it_was_copied() {
        for (width, height) in [(200, 60), (120, 36), (80, 24), (60, 20)] {
            let page = || handoff("handoff").send(Msg::Resized(width, height));
            let saved = page().press("w").serve().screen_text();
            assert!(
                saved.contains("│  Saved as /home/ana/handoff-2026-07-09.md"),
                "{saved}"
            );
            let copied = page().press("y").screen_text();
            assert!(copied.contains("│  copying Markdown"), "{copied}");
            let keys = page().press("w").serve().press("j").screen_text();
            assert!(keys.contains("w save"), "the next key: {keys}");
        }
    }

    #[test]
    fn keys_switch_between_mine_and_the_team_and_between_day_and_week() {
        let console = handoff("handoff").press("t").serve();
        assert!(
            console.screen_text().contains("Marked done by the team"),
            "{}",
            console.screen_text()
        );
        let console = console.press("t d").serve();
        let screen = console.screen_text();
        assert!(
            screen.contains("Since 6 July 2026, from") && !screen.contains("by the team"),
            "{screen}"
        );
        assert!(
            console
                .press("d")
                .serve()
                .screen_text()
                .contains("Since 8 July 2026, 09:20")
        );
    }

    #[test]
    fn a_time_that_cannot_be_is_reported_and_nothing_opens() {
        let console = handoff("handoff since 25:00");
        assert!(
            console.screen_text().contains("is not a time"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn why_a_signal_is_snoozed_is_handed_over() {
        let console = TestConsole::with_rows(morning_queue())
            .poll()
            .serve()
            .press(":")
            .type_text("snooze 3d, waiting for the lender");
        let console = console
            .press("Enter")
            .serve()
            .press(":")
            .type_text("handoff")
            .press("Enter")
            .serve();
        let screen = console.screen_text();
        assert!(
            screen.contains("until 12 July 2026 (waiting") && !screen.contains("00:00"),
            "{screen}"
        );
    }

    #[test]
    fn for_the_teams_part_the_done_list_is_read() {
        let screen = handoff("handoff team").screen_text();
        assert!(
            screen.contains("Marked done by the team") && !screen.contains("not all of"),
            "{screen}"
        );
    }
}
