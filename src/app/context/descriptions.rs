//! Describes signals: from what earlier sessions have read, and by reading payloads.
//!
//! The interface does not state what `GET /signals/{id}` costs. A reading of the meter before and
//! after a read that the user asked for shows it. Only where it is proved to be free are visible
//! rows described on their own: few at a time, once the cursor rests, each signal once. Elsewhere
//! the user asks for them, after the price.

use std::time::Duration;

use crate::app::action::Action;
use crate::app::context::{PressedKeys, Ui, Work, record_lists};
use crate::app::effect::{Effect, ServiceCall, Slot, StoredFactsQuery};
use crate::app::format::{humanize, pluralize};
use crate::app::model::description_reads::{DescriptionReads, SignalPrice};
use crate::app::model::queue::{MAX_ROWS_REFRESHED, SignalQueue};
use crate::app::msg::{CallResult, Msg, ReadCost, StoredFacts, Timer, payload};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::requests::Request;
use crate::app::{Context, Screen};
use crate::domain::SignalId;
use crate::domain::credits::Credits;
use crate::domain::description::Description;
use crate::domain::queue::QueueSignal;
use crate::domain::request_error::RequestErrorKind;
use crate::domain::row_matcher::need_descriptions;
use crate::domain::signals::Signal;

/// At most this many at a time, so that reads the user waits for find a free connection.
const MAX_CONCURRENT_READS: usize = 2;
/// A cursor that was not moved for this long rests.
const REST_DELAY: Duration = Duration::from_millis(250);

impl DescriptionReads {
    /// The user pressed a key or moved the mouse.
    pub(in crate::app) fn note_activity(&mut self, msg: &Msg) {
        if matches!(msg, Msg::Key(_) | Msg::Mouse(_)) {
            self.activity += 1;
        }
    }

    pub(in crate::app) fn on_rest_timer(&mut self, pressed: &PressedKeys) {
        if self.timer_set_at.take() == Some(self.activity) && !pressed.is_key_held() {
            self.rested_at = Some(self.activity);
        }
    }

    /// Whether a row is described only when the user asks for it.
    pub fn can_ask_for_descriptions(&self, row: &QueueSignal, queue: &SignalQueue) -> bool {
        self.price != SignalPrice::Free && !queue.facts.is_described(row.signal.id)
    }

    pub(in crate::app) fn start_descriptions(&mut self, ids: Vec<SignalId>, ui: &mut Ui) {
        self.is_halted = false;
        (self.asked, self.read) = (ids.len(), 0);
        ui.notice = Some(
            Notice::info(format!("reading {}", pluralize(ids.len(), "signal")))
                .with_hint("Ctrl-c stops"),
        );
        self.queued = ids.into();
    }

    /// Drops what was not sent; returns whether there was anything.
    pub(in crate::app) fn stop_descriptions(&mut self) -> bool {
        self.asked = 0;
        !std::mem::take(&mut self.queued).is_empty()
    }

    /// The call that reads a signal's payload. It is metered where the price is unknown.
    pub fn signal_call(&self, signal: SignalId) -> ServiceCall {
        ServiceCall::Signal {
            signal,
            is_metered: self.price == SignalPrice::Unknown,
        }
    }

    /// Takes the price that the service states, if it is free; the first read confirms it.
    pub(in crate::app) fn take_signal_price(&mut self, credits: &Credits) {
        let is_stated_free = credits.signal_read_credits == Some(0);
        if is_stated_free && self.price == SignalPrice::Unknown {
            self.price = SignalPrice::Free;
        }
    }

    pub(in crate::app) fn learn_signal_price(&mut self, cost: Option<ReadCost>, work: &mut Work) {
        let credits = match cost {
            Some(ReadCost::Reported(credits)) => credits,
            // Another read of this machine may have moved the meter, or hidden that this one did.
            Some(ReadCost::Metered { before, after })
                if work.was_only_read() && after >= before =>
            {
                after - before
            }
            _ => return,
        };
        let price = if credits == 0 {
            SignalPrice::Free
        } else {
            SignalPrice::Costs(credits)
        };
        self.is_confirmed = true;
        if std::mem::replace(&mut self.price, price) != price {
            work.emit(Effect::SaveFreeSignalReads(credits == 0));
        }
    }

    /// The service responds again.
    pub(in crate::app) fn resume_descriptions(&mut self) {
        self.is_halted = false;
    }

    /// Those rows of which nothing is known and nothing is being read.
    fn undescribed<'a>(
        &self,
        rows: impl Iterator<Item = &'a QueueSignal>,
        queue: &SignalQueue,
    ) -> Vec<SignalId> {
        let facts = &queue.facts;
        let rows = rows.filter(|row| {
            facts.description(&row.signal).is_none() && !facts.is_described(row.signal.id)
        });
        let mut ids: Vec<SignalId> = rows.map(|row| row.signal.id).collect();
        ids.retain(|id| !self.in_flight.contains(id));
        ids
    }

    /// Whether what a search looks at and the loaded rows lack is read without being asked for.
    pub(in crate::app) fn reads_what_a_search_lacks(&self, ui: &Ui, queue: &SignalQueue) -> bool {
        let is_unread = |row: &QueueSignal| {
            let id = row.signal.id;
            !queue.facts.is_described(id) && (self.can_read(id) || self.in_flight.contains(&id))
        };
        ui.screen() == Screen::Queue
            && self.price == SignalPrice::Free
            && !self.is_halted
            && loaded_rows(queue).any(is_unread)
    }
}

fn loaded_rows(queue: &SignalQueue) -> impl Iterator<Item = &QueueSignal> {
    let rows = queue.current_tab().list.loaded_rows();
    rows.map(|(_, row)| row).take(MAX_ROWS_REFRESHED)
}

impl Context {
    /// Asks this machine what it knows of signals that arrived.
    pub(in crate::app) fn look_up_facts<'a>(&mut self, signals: impl Iterator<Item = &'a Signal>) {
        let reads = &mut self.descriptions;
        let mut wanted = StoredFactsQuery {
            includes_book: reads.looked_up.is_empty(),
            ..StoredFactsQuery::default()
        };
        for signal in signals.filter(|signal| reads.looked_up.insert(signal.id)) {
            self.queue.facts.learn_row(signal);
            wanted.signals.push(signal.id);
            wanted.projects.extend(signal.project_id);
        }
        wanted.projects.sort_unstable();
        wanted.projects.dedup();
        if !wanted.signals.is_empty() {
            reads.open_lookups += 1;
            self.work.emit(Effect::LoadFacts(wanted));
        }
    }

    pub(in crate::app) fn on_stored_facts(&mut self, facts: StoredFacts) {
        self.descriptions.open_lookups = self.descriptions.open_lookups.saturating_sub(1);
        if facts.has_free_signal_reads && self.descriptions.price == SignalPrice::Unknown {
            self.descriptions.price = SignalPrice::Free;
        }
        for (signal, description) in facts.descriptions {
            if !self.queue.facts.is_described(signal) {
                let row = self
                    .queue
                    .new
                    .list
                    .row(signal)
                    .or_else(|| self.queue.done.list.row(signal));
                let project = row.and_then(|row| row.signal.project_id);
                self.queue
                    .facts
                    .describe_signal(signal, project, description);
            }
        }
        for (key, record) in facts.records {
            // What was read in this session is newer.
            if self.records.fetched.get(&key).is_none() {
                self.queue
                    .facts
                    .learn_record(&key.dataset, &record, key.in_book.then_some(true));
            }
        }
        record_lists::on_facts_changed(&mut self.queue, &self.records.lists);
    }

    /// Reads what the user asked for, and where that is free what the visible rows lack.
    pub(in crate::app) fn read_descriptions(&mut self) {
        if !self.session.is_connected() {
            return;
        }
        // The first read shows the price of the others. One that was proved in an earlier session
        // may have changed.
        let is_metered = match self.descriptions.price {
            SignalPrice::Free => !self.descriptions.is_confirmed,
            SignalPrice::Unknown => true,
            SignalPrice::Costs(_) => false,
        };
        let most = if is_metered { 1 } else { MAX_CONCURRENT_READS };
        while self.descriptions.in_flight.len() < most {
            let queued = self.descriptions.queued.pop_front();
            let Some(signal) = queued.or_else(|| self.next_visible_signal()) else {
                return self.read_all_where_free();
            };
            self.descriptions.in_flight.insert(signal);
            let call = ServiceCall::Description { signal, is_metered };
            self.work
                .call_service(Slot::Description, call, Request::Description(signal));
        }
    }

    /// The next visible row to be described without being asked.
    fn next_visible_signal(&mut self) -> Option<SignalId> {
        let reads = &self.descriptions;
        if reads.price != SignalPrice::Free || reads.is_halted || reads.open_lookups > 0 {
            return None;
        }
        match self.ui.screen() {
            Screen::Queue => {}
            screen => {
                let is_next =
                    |id: &&SignalId| !self.queue.facts.is_described(**id) && reads.can_read(**id);
                return reads.listed.get(&screen)?.iter().find(is_next).copied();
            }
        }
        let next = self.rows_to_describe().map(|row| row.signal.id);
        let next = next
            .into_iter()
            .find(|id| !self.queue.facts.is_described(*id) && reads.can_read(*id))?;
        if reads.is_rested() {
            return Some(next);
        }
        let reads = &mut self.descriptions;
        if reads.timer_set_at.is_none() {
            reads.timer_set_at = Some(reads.activity);
            self.work.set_timer(Timer::CursorRest, REST_DELAY);
        }
        None
    }

    /// Has the signals that a screen other than the queue lists described while it is shown, where
    /// that is free.
    pub(in crate::app) fn describe_listed<'a>(
        &mut self,
        screen: Screen,
        signals: impl Iterator<Item = &'a Signal> + Clone,
    ) {
        let ids = signals.clone().map(|signal| signal.id).collect();
        self.descriptions.listed.insert(screen, ids);
        self.look_up_facts(signals);
    }

    /// The rows on the screen.
    fn visible_rows(&self) -> impl Iterator<Item = &QueueSignal> {
        let tab = self.queue.current_tab();
        let (top, height) = (tab.scroll.top, usize::from(self.frame.layout().rows.height));
        (top..top + height).filter_map(|line| tab.row_at(line))
    }

    /// The visible rows; while a search or conditions test descriptions, every loaded row: any of
    /// them may match.
    fn rows_to_describe(&self) -> Box<dyn Iterator<Item = &QueueSignal> + '_> {
        let arrangement = self.queue.current_tab().arrangement();
        match arrangement.query.is_some() || need_descriptions(&arrangement.conditions) {
            true => Box::new(loaded_rows(&self.queue)),
            false => Box::new(self.visible_rows()),
        }
    }

    /// Those rows of which nothing is known.
    pub fn undescribed_rows(&self) -> Vec<SignalId> {
        let rows = self.rows_to_describe();
        self.descriptions.undescribed(rows, &self.queue)
    }

    /// Describes the visible rows, after a search also all loaded ones: at once where that is free,
    /// otherwise after showing what it asks and at what price.
    pub fn offer_descriptions(&mut self) {
        let visible = self.undescribed_rows();
        // What was searched for may be in any of them.
        let loaded = match std::mem::take(&mut self.ui.find.offers_reading) {
            true => self
                .descriptions
                .undescribed(loaded_rows(&self.queue), &self.queue),
            false => Vec::new(),
        };
        let mut choices = vec![visible, loaded];
        choices.dedup_by_key(|ids| ids.len());
        choices.retain(|ids| !ids.is_empty());
        let Some(most) = choices.last().cloned() else {
            self.ui
                .inform(match self.descriptions.in_flight.is_empty() {
                    true => "everything that these filings say was read already",
                    false => "reading the rows",
                });
            return;
        };
        let price = match self.descriptions.price {
            SignalPrice::Free => return self.descriptions.start_descriptions(most, &mut self.ui),
            SignalPrice::Unknown => {
                "The price is not stated: if the first read costs anything, gantry stops and tells you.".to_owned()
            }
            SignalPrice::Costs(credits) => {
                let credits = pluralize(credits, "credit");
                format!("The last read cost {credits}, so each may cost as much.")
            }
        };
        let option = |ids: Vec<SignalId>| ChoiceOption {
            note: match self.descriptions.price {
                SignalPrice::Costs(credits) => {
                    format!("up to {} cr", credits.saturating_mul(ids.len() as u64))
                }
                _ => String::new(),
            },
            ..ChoiceOption::new(
                format!("yes, read {}", pluralize(ids.len(), "signal")),
                Action::DescribeRows(ids),
            )
        };
        let text =
            format!("gantry reads what is being built, one signal after the other.\n\n{price}");
        let options = choices.into_iter().map(option).collect();
        let choice = Choice::question("Describe the rows", text, "no", options);
        self.ui.overlay = Some(Overlay::Choice(choice));
    }

    /// After the first signal that was opened, offers once to describe the rows.
    pub(in crate::app) fn offer_descriptions_once(&mut self) {
        let row = self.queue.current_tab().current_row();
        let is_wanted = row.is_some_and(|row| !self.queue.facts.is_described(row.signal.id))
            && self.descriptions.price == SignalPrice::Unknown
            && self.ui.notice.is_none();
        if is_wanted && !std::mem::replace(&mut self.descriptions.is_offered, true) {
            let text = "the rows do not say yet what is being built";
            let hint = "{queue.describe} reads it, and stops if it is not free";
            self.ui.notice = Some(Notice::info(text).with_hint(hint));
        }
    }

    /// Takes a signal that was read for any reason: what its payload says, and what it cost.
    pub fn take_signal(&mut self, (signal, cost): (Box<Signal>, Option<ReadCost>)) -> Signal {
        self.descriptions.learn_signal_price(cost, &mut self.work);
        if let Some(payload) = &signal.raw_data {
            let description = Description::from_payload(payload);
            self.queue
                .facts
                .describe_signal(signal.id, signal.project_id, description.clone());
            self.work
                .emit(Effect::SaveDescription(signal.id, description));
            record_lists::on_facts_changed(&mut self.queue, &self.records.lists);
        }
        *signal
    }

    /// A page's read of a payload has ended, or nobody waits for it any longer.
    pub(in crate::app) fn finish_payload_read(&mut self, id: SignalId) {
        self.descriptions.in_flight.remove(&id);
        self.report_descriptions();
    }

    pub(in crate::app) fn on_description_reply(&mut self, id: SignalId, result: CallResult) {
        self.descriptions.in_flight.remove(&id);
        match payload::<(Box<Signal>, Option<ReadCost>)>(result) {
            Ok(read) => {
                let expected = self.descriptions.price;
                self.descriptions.read += 1;
                self.take_signal(read);
                let has_more = !self.descriptions.queued.is_empty();
                if let SignalPrice::Costs(credits) = self.descriptions.price
                    && self.descriptions.price != expected
                    && has_more
                {
                    self.stop_at_price(credits);
                }
            }
            Err(failure) if failure.kind == RequestErrorKind::Cancelled => {
                self.descriptions.stop_descriptions();
            }
            // The signal has left the queue.
            Err(failure) if failure.status() == Some(404) => {}
            Err(failure) => {
                self.descriptions.is_halted = true;
                if self.descriptions.asked > 0 {
                    self.descriptions.stop_descriptions();
                    self.ui.show_failure(
                        "could not describe the rows",
                        &failure,
                        "{queue.describe} retries",
                    );
                }
            }
        }
        self.descriptions.done.insert(id);
        self.report_descriptions();
    }

    /// The first read was not free: the user decides about the others.
    fn stop_at_price(&mut self, credits: u64) {
        let left = self.descriptions.queued.len();
        self.descriptions.stop_descriptions();
        self.work.read_meter();
        let price = pluralize(credits, "credit");
        let text = format!(
            "stopped: a read cost {price}, {} left",
            pluralize(left, "row")
        );
        self.ui.notice = Some(Notice::warning(text).with_hint("{queue.describe} goes on"));
    }

    /// Once what the user asked for is read: how many, and what they cost.
    fn report_descriptions(&mut self) {
        let reads = &mut self.descriptions;
        if reads.asked == 0 || !reads.queued.is_empty() || !reads.in_flight.is_empty() {
            return;
        }
        let read = pluralize(reads.read, "signal");
        reads.asked = 0;
        let text = match reads.price {
            SignalPrice::Free => {
                format!("{read} read, 0 credits; visible rows are described from now on")
            }
            SignalPrice::Costs(credits) => {
                format!("{read} read, {} each", pluralize(credits, "credit"))
            }
            SignalPrice::Unknown => format!("{read} read, price unknown"),
        };
        if reads.price != SignalPrice::Free {
            self.work.read_meter();
        }
        self.ui.inform(text);
    }
}

/// Why a signal concerns the team, as far as data already read can tell, and what it costs to
/// find out more.
pub fn explain_relevance(row: &QueueSignal, queue: &SignalQueue) -> Vec<String> {
    let facts = &queue.facts;
    let list = &queue.current_tab().list;
    let mut lines = Vec::new();
    if let Some(found) = facts.book_match(row) {
        let tier = found
            .tier
            .map(|tier| format!(" ({})", humanize(tier)))
            .unwrap_or_default();
        lines.push(format!(
            "Why for us: {}{tier} is in the book and on this project.",
            found.name
        ));
    } else {
        lines.push(match row.signal.project_id.map(|project| facts.involved_count(project)) {
            None => "It names no project, so nobody on it is known.".to_owned(),
            Some(None) => "Who is on this project is not known yet: reading it costs 1 credit, once.".to_owned(),
            Some(Some(0)) => "No firms or people of this project are known.".to_owned(),
            Some(Some(count)) => format!(
                "None of the {count} firms and people on this project is known to be in the book; records that were not read \
                 are not known."
            ),
        });
    }
    let read = facts
        .projects_with_firms()
        .filter(|project| list.project_count(*project) > 0)
        .count();
    let unread = list.distinct_project_count().saturating_sub(read);
    if unread > 0 {
        let price = pluralize(unread, "credit");
        lines.push(format!(
            "Checking the loaded rows costs up to {price}: 1 credit per project, {} not read.",
            pluralize(unread, "project")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::effect::RecordKey;
    use crate::app::msg::Push;
    use crate::app::testing::{TestConsole, many_rows, morning_queue, parse_time, signal_id};
    use crate::domain::book::RecordKind;
    use crate::domain::queue::TriageStatus;
    use crate::domain::request_error::RequestError;

    fn reads(console: &TestConsole) -> Vec<(SignalId, bool)> {
        let read = |call: &ServiceCall| match call {
            ServiceCall::Description { signal, is_metered } => Some((*signal, *is_metered)),
            _ => None,
        };
        console.calls.iter().filter_map(read).collect()
    }

    /// The timer of a resting cursor elapses as often as it was set.
    fn rest(console: TestConsole) -> TestConsole {
        console
            .send(Msg::Elapsed(Timer::CursorRest))
            .send(Msg::Elapsed(Timer::CursorRest))
            .serve()
    }

    fn free() -> Msg {
        Msg::Pushed(Push::StoredFacts(Box::new(StoredFacts {
            has_free_signal_reads: true,
            ..StoredFacts::default()
        })))
    }

    /// Answers reads of signals with this cost.
    fn with_cost(mut console: TestConsole, cost: ReadCost) -> TestConsole {
        console.read_cost = Some(cost);
        console
    }

    const UNCHANGED: ReadCost = ReadCost::Metered {
        before: 1_284,
        after: 1_284,
    };

    #[test]
    fn where_the_price_is_unknown_nothing_is_read_on_its_own() {
        let console = rest(TestConsole::with_rows(morning_queue()).press("j j"));
        let console = rest(
            console
                .press("Enter")
                .serve()
                .press("Esc 2 1 ] [")
                .serve()
                .poll(),
        );
        assert_eq!(reads(&console), []);
    }

    #[test]
    fn where_reading_is_free_all_new_signals_are_read_so_that_their_counts_are_exact() {
        let loaded = |console: &TestConsole| console.context().queue.new.list.loaded_count();
        let console = rest(TestConsole::with_rows(many_rows(500)).press("j"));
        assert!(
            loaded(&rest(console.press("k"))) < 500,
            "the price is unknown"
        );
        let console = with_cost(
            TestConsole::with_rows(many_rows(500)),
            ReadCost::Reported(0),
        )
        .send(free());
        let console = rest(console.press("j")).press("k").serve();
        assert_eq!(loaded(&console), 500);
    }

    #[test]
    fn a_search_reads_what_the_rows_below_the_screen_lack_where_that_is_free() {
        let console = TestConsole::with_rows(many_rows(60)).send(free());
        let console = console.press("/").type_text("restaurant").press("Enter");
        let text = console.notice_text();
        assert!(
            text.starts_with("0 of 60 loaded rows match so far"),
            "{text}"
        );
        let console = rest(console);
        assert_eq!(reads(&console).len(), 60, "also those below the screen");
        let paid = TestConsole::with_rows(many_rows(60)).press("/");
        let paid = paid.type_text("restaurant").press("Enter");
        let text = paid.notice_text();
        assert!(text.starts_with("not found in 60 loaded rows"), "{text}");
        let screen = paid.press("i").screen_text();
        assert!(
            screen.contains("yes, read 60 signals"),
            "as the hint said: {screen}"
        );
    }

    #[test]
    fn where_reading_is_free_the_visible_rows_are_described_once_the_cursor_rests() {
        let console = with_cost(
            TestConsole::with_rows(many_rows(500)),
            ReadCost::Reported(0),
        );
        let console = console.send(free()).press("j").serve();
        assert_eq!(reads(&console), [], "the cursor moves");
        let console = rest(console);
        let visible = usize::from(console.context().frame.layout().rows.height);
        assert_eq!(reads(&console).len(), visible);
        assert!(
            console.screen_text().contains("Interior remodel, new HVAC"),
            "{}",
            console.screen_text()
        );
        let console = rest(rest(console.press("k j")).press("R").serve());
        assert_eq!(reads(&console).len(), visible, "each signal is read once");
        let saved = |effect: &&Effect| matches!(effect, Effect::SaveDescription(..));
        assert_eq!(console.effects.iter().filter(saved).count(), visible);
    }

    #[test]
    fn nothing_is_described_while_a_key_is_held_or_while_earlier_sessions_may_know_it() {
        let console = TestConsole::with_rows(many_rows(500));
        let mut console = console
            .send(Msg::Pushed(Push::StoredFacts(Box::default())))
            .send(free())
            .press("j");
        console.app.set_key_held(true);
        let mut console = rest(console);
        assert_eq!(reads(&console), []);
        console.app.set_key_held(false);
        assert!(!reads(&rest(console)).is_empty());

        let facts = StoredFacts {
            descriptions: vec![(
                signal_id(1),
                Description {
                    work: Some("Re-roof".to_owned()),
                    ..Description::default()
                },
            )],
            has_free_signal_reads: true,
            ..StoredFacts::default()
        };
        let console = TestConsole::with_rows(morning_queue()).press("j");
        let console = rest(console);
        assert_eq!(reads(&console), [], "this machine has not answered yet");
        let console = rest(
            console
                .send(Msg::Pushed(Push::StoredFacts(Box::new(facts))))
                .press("k"),
        );
        assert!(!reads(&console).iter().any(|(id, _)| *id == signal_id(1)));
        assert!(
            console.screen_text().contains("Re-roof"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn describing_rows_shows_how_many_it_reads_and_that_the_price_is_unknown_before_anything_is_sent()
     {
        let console = TestConsole::with_rows(morning_queue()).press("i");
        let screen = console.screen_text();
        assert!(
            screen.contains("yes, read 16 signals")
                && screen.contains("The price is not stated: if the first read"),
            "{screen}"
        );
        assert_eq!(reads(&console.press("Esc").serve()), []);
    }

    #[test]
    fn a_meter_that_did_not_move_proves_that_reading_is_free() {
        let console = with_cost(
            TestConsole::with_rows(morning_queue()).send(free_unknown()),
            UNCHANGED,
        );
        let console = console.press("i y Enter");
        assert_eq!(
            reads(&console),
            [(signal_id(1), true)],
            "the others wait for the price"
        );
        let console = console.serve();
        assert_eq!(reads(&console).len(), 16);
        assert_eq!(
            reads(&console)
                .iter()
                .filter(|(_, is_metered)| *is_metered)
                .count(),
            1
        );
        assert!(console.effects.contains(&Effect::SaveFreeSignalReads(true)));
        assert!(
            console
                .notice_text()
                .starts_with("16 signals read, 0 credits"),
            "{}",
            console.notice_text()
        );
    }

    /// This machine knows nothing.
    fn free_unknown() -> Msg {
        Msg::Pushed(Push::StoredFacts(Box::default()))
    }

    #[test]
    fn a_meter_that_moved_shows_the_price_and_nothing_is_read_unasked() {
        let console = with_cost(
            TestConsole::with_rows(many_rows(500)),
            ReadCost::Metered {
                before: 10,
                after: 11,
            },
        );
        let console = console.send(free_unknown()).press("i y Enter").serve();
        let asked = reads(&console).len();
        assert_eq!(asked, 1, "it stopped");
        let notice = console.notice_text();
        assert!(
            notice.starts_with("stopped: a read cost 1 credit, "),
            "{notice}"
        );
        let console = rest(console.press("G").serve());
        assert_eq!(reads(&console).len(), asked);
        let screen = console.press("i").screen_text();
        assert!(
            screen.contains("The last read cost 1 credit") && screen.contains("up to 28 cr"),
            "{screen}"
        );
    }

    #[test]
    fn a_payload_opened_by_the_user_proves_the_price_unless_another_read_overlaps() {
        let console = TestConsole::with_rows(morning_queue()).send(free_unknown());
        let console = with_cost(console, UNCHANGED)
            .press("Enter")
            .serve()
            .press("] ] Down Enter")
            .serve();
        assert!(console.effects.contains(&Effect::SaveFreeSignalReads(true)));

        let console = TestConsole::with_rows(morning_queue()).send(free_unknown());
        let console = with_cost(console, UNCHANGED)
            .press("Enter ] ] Down Enter")
            .serve();
        assert!(console.calls.iter().any(|call| matches!(
            call,
            ServiceCall::Signal {
                is_metered: true,
                ..
            }
        )));
        assert!(!console.effects.contains(&Effect::SaveFreeSignalReads(true)));
    }

    #[test]
    fn done_begins_with_what_was_done_last_where_rows_are_free() {
        let mut rows = many_rows(325);
        for (n, row) in (0..).zip(&mut rows) {
            let at = parse_time("2026-07-01T08:00:00Z") + chrono::Duration::minutes(n);
            row.triage_status = Some(TriageStatus::Done);
            row.triaged_at = serde_json::from_value(at.to_rfc3339().into()).ok();
        }
        let console = with_cost(TestConsole::with_rows(rows).poll().serve(), UNCHANGED);
        let console = rest(console.press("]").serve().send(free()));
        let done = &console.context().queue.done;
        assert_eq!(
            (done.list.loaded_count(), console.cursor_id()),
            (325, signal_id(325)),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_price_that_was_free_in_an_earlier_session_is_confirmed_by_the_first_read() {
        let console = with_cost(
            TestConsole::with_rows(many_rows(500)),
            ReadCost::Metered {
                before: 10,
                after: 12,
            },
        );
        let console = rest(console.send(free()).press("j"));
        assert_eq!(reads(&console).len(), 1);
        assert!(
            console
                .effects
                .contains(&Effect::SaveFreeSignalReads(false))
        );
    }

    /// This machine kept an account of the book that is on the project of the first row.
    fn kept_account(tier: &str) -> Msg {
        let id = uuid::Uuid::from_u128(0x3001);
        let record = serde_json::json!({ "id": id, "name": "Calder Residential", "icp_tier": tier, "tags": [], "updated_at": "2026-07-01T00:00:00Z" });
        let key = RecordKey::for_book(&RecordKind::Accounts, id);
        let records = vec![(key, serde_json::from_value(record).expect("an account"))];
        Msg::Pushed(Push::StoredFacts(Box::new(StoredFacts {
            records,
            ..StoredFacts::default()
        })))
    }

    #[test]
    fn a_signal_whose_project_involves_an_account_of_the_book_is_starred_and_explained() {
        let explanation = |console: &TestConsole| match &console.context().ui.overlay {
            Some(Overlay::Page(page)) => page.copied.clone(),
            other => panic!("{other:?}"),
        };
        let console = TestConsole::with_rows(morning_queue()).press("W").serve();
        let text = explanation(&console);
        assert!(text.contains("reading it costs 1 credit, once"), "{text}");
        assert!(
            text.contains("costs up to 12 credits: 1 credit per project, 12 projects not read"),
            "{text}"
        );

        let console = console.press("Esc").send(kept_account("tier_1"));
        assert!(
            !console.screen_text().contains('★'),
            "who is on the project is not known"
        );
        let console = console.press("Enter").serve().press("Esc").serve();
        let screen = console.screen_text();
        assert_eq!(
            screen.matches("★ Harbor Yard").count(),
            2,
            "both signals of the project: {screen}"
        );
        assert!(screen.contains("★ Calder Residential, tier 1"), "{screen}");
        let text = explanation(&console.press("W").serve());
        assert!(
            text.contains(
                "Why for us: Calder Residential (tier 1) is in the book and on this project."
            ),
            "{text}"
        );
        assert!(text.contains("11 projects not read"), "{text}");
    }

    #[test]
    fn a_duplicate_filing_is_marked_and_the_preview_counts_the_others() {
        let mut rows = morning_queue();
        rows[2].signal.source_filing_id = rows[0].signal.source_filing_id.clone();
        let screen = TestConsole::with_rows(rows).screen_text();
        assert_eq!(screen.matches('≡').count(), 2, "{screen}");
        assert!(screen.contains("same filing as 1 other row"), "{screen}");
    }

    #[test]
    fn descriptions_are_offered_once_after_the_first_signal_that_was_opened() {
        let console = TestConsole::with_rows(morning_queue()).send(free_unknown());
        let console = console.press("Enter").serve().press("Esc");
        let offer = "the rows do not say yet what is being built";
        let notice = console.notice_text();
        assert!(notice.starts_with(offer), "{notice}");
        let again = console.press("j Enter").serve().press("Esc");
        assert!(!again.notice_text().starts_with(offer));
    }

    #[test]
    fn a_failed_read_stops_the_others_and_is_reported() {
        let console = TestConsole::with_rows(morning_queue())
            .send(free_unknown())
            .press("i y Enter");
        let console = console
            .fail_next(RequestError::new_not_sent("connection refused"))
            .serve();
        assert!(
            console.notice_text().contains("connection refused"),
            "{}",
            console.notice_text()
        );
        assert_eq!(reads(&console).len(), 1);
    }
}
