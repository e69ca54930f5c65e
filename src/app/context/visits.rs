//! The last visit: when the queue was last looked at on this machine, and what came since.

use chrono::{DateTime, Duration, SecondsFormat, Utc};

use crate::app::action::Action;
use crate::app::context::Ui;
use crate::app::context::clock::Clock;
use crate::app::context::team::Team;
use crate::app::format::{format_count, format_time};
use crate::app::model::description_reads::SignalPrice;
use crate::app::model::queue::{MAX_ROWS_REFRESHED, SignalQueue};
use crate::app::notice::Notice;
use crate::app::{Context, Screen};
use crate::domain::queue::{LEAVING_SOON_DAYS, QueueTab};

/// After this long without a key or a click, a visit is over.
const VISIT_PAUSE: Duration = Duration::hours(1);
/// The visit is saved at most this often; a crash loses no more of it.
const SAVE_INTERVAL: Duration = Duration::minutes(3);

impl Context {
    /// Somebody presses a key or clicks. After a long pause this is another visit.
    pub(super) fn record_presence(&mut self) {
        self.visits.has_begun = true;
        let before = std::mem::replace(&mut self.visits.last_input_at, self.clock.now);
        if self.clock.now - before >= VISIT_PAUSE {
            let before = self.clock.to_service_time(before);
            self.queue.news.set_last_visit(before);
        }
    }

    /// The workspace is known: finds out when it was last looked at.
    pub(super) fn restore_last_visit(&mut self) {
        let Some(name) = visit_name(&self.team).filter(|_| self.visits.saved_at.is_none()) else {
            return;
        };
        self.visits.saved_at = Some(self.clock.now);
        if let Ok(at) = self.settings.preference(&name).parse::<DateTime<Utc>>() {
            self.queue.news.set_last_visit(at);
        }
    }

    /// The preference that remembers this visit: its name and value. Nothing is remembered of a
    /// service that ends with gantry.
    pub(in crate::app) fn visit_preference(&self) -> Option<(String, String)> {
        let name = visit_name(&self.team)
            .filter(|_| self.drafts.has_persistent_drafts() && !self.session.is_dashboard_only)?;
        let at = self
            .visits
            .last_input_at
            .checked_add_signed(self.clock.skew)?;
        Some((name, at.to_rfc3339_opts(SecondsFormat::Secs, true)))
    }

    /// Saves the visit now and then, while somebody is there.
    pub(super) fn save_visit_if_due(&mut self) {
        let Some(saved_at) = self
            .visits
            .saved_at
            .filter(|at| self.visits.last_input_at - *at >= SAVE_INTERVAL)
        else {
            return;
        };
        if let Some((name, value)) = self.visit_preference() {
            self.visits.saved_at = Some(saved_at.max(self.visits.last_input_at));
            self.settings.save_preference(&name, &value, &mut self.work);
        }
    }

    /// How many signals came since the last visit, in words and as short as possible; none when
    /// there are none.
    pub(in crate::app) fn news_labels(&self) -> Option<(String, String)> {
        let since = self.queue.news.announced_visit()?;
        let (count, is_more) = self.queue.news_count();
        let count = format!(
            "{}{}",
            format_count(count as u64),
            if is_more && count > 0 { "+" } else { "" }
        );
        (count != "0").then(|| {
            (
                format!("{count} new since {}", visit_time(since, &self.clock)),
                format!("{}{count}", self.settings.theme.glyphs().new_row),
            )
        })
    }

    /// Where reading is proved to be free and the visible rows are described, all rows of the list
    /// are read, so that counts and order are exact, unless they are too many.
    pub(super) fn read_all_where_free(&mut self) {
        let reads = &self.descriptions;
        let is_free = reads.price == SignalPrice::Free && reads.is_confirmed && !reads.is_halted;
        let list = match self.queue.tab {
            QueueTab::Done => &mut self.queue.done,
            QueueTab::New | QueueTab::Today => &mut self.queue.new,
        };
        if is_free
            && reads.is_rested()
            && reads.in_flight.is_empty()
            && self.ui.screen() == Screen::Queue
            && list.list.len() <= MAX_ROWS_REFRESHED
        {
            list.read_all_up_to = list.read_all_up_to.max(MAX_ROWS_REFRESHED);
        }
    }

    /// Goes to the first new signal; `n` and `N` go on from there.
    pub(in crate::app) fn go_to_news(&mut self) {
        if self.queue.start_news_walk() == 0 {
            let since = self
                .queue
                .news
                .since()
                .map(|at| format!(" since {}", visit_time(at, &self.clock)))
                .unwrap_or_default();
            let rows = match self.queue.has_all_new_rows() {
                true => String::new(),
                false => format!(
                    " among the {} loaded rows",
                    format_count(self.queue.new.list.loaded_count() as u64)
                ),
            };
            self.ui.inform(format!("Nothing new{since}{rows}."));
            return;
        }
        if self.ui.screen() != Screen::Queue {
            self.work.perform(Action::GoTo(Screen::Queue));
        }
        self.queue.show_tab_of(QueueTab::New);
        self.queue.go_to_first_news();
        self.report_news_place(0);
    }

    /// Goes to the next or previous new signal.
    pub(in crate::app) fn walk_news(&mut self, forward: bool) {
        self.queue.show_tab_of(QueueTab::New);
        if let Some((at, _)) = self.queue.walk_news(forward) {
            self.report_news_place(at);
        }
    }

    fn report_news_place(&mut self, at: usize) {
        let Some(since) = self.queue.news.since() else {
            return;
        };
        let all = self.queue.news.walk_len();
        let more = if self.queue.has_all_new_rows() {
            ""
        } else {
            " in the loaded rows"
        };
        let text = format!(
            "{} of {} new since {}{more}",
            at + 1,
            format_count(all as u64),
            visit_time(since, &self.clock)
        );
        self.ui.notice = Some(Notice::info(text).with_hint("{find.next} {find.previous}"));
    }
}

/// The same in words and as short as possible; none where none leaves. While it is unknown, as
/// under a filter, blanks keep its place.
pub(in crate::app) fn queue_leaving_labels(
    clock: &Clock,
    queue: &SignalQueue,
) -> Option<(String, String)> {
    match leaving_soon(clock, queue) {
        Some(count) => leaving_labels(count),
        None => {
            let (long, short) = leaving_labels(queue.news.last_leaving?)?;
            Some((" ".repeat(long.len()), " ".repeat(short.len())))
        }
    }
}

fn visit_name(team: &Team) -> Option<String> {
    Some(format!("visit.{}", team.workspace.as_ref()?.id?))
}

/// A time as people say it: `17:10`, `yesterday 17:10`, `Fri 17:10`, otherwise with the date.
fn visit_time(at: DateTime<Utc>, clock: &Clock) -> String {
    let zone = clock.utc_offset;
    let (then, now) = (
        at.with_timezone(&zone),
        clock.service_now().with_timezone(&zone),
    );
    match (now.date_naive() - then.date_naive()).num_days() {
        0 => then.format("%H:%M").to_string(),
        1 => then.format("yesterday %H:%M").to_string(),
        2..=6 => then.format("%a %H:%M").to_string(),
        _ => format_time(at, clock.service_now(), zone),
    }
}

/// How many signals leave the queue soon; unknown while not all that are new are loaded.
pub(in crate::app) fn leaving_soon(clock: &Clock, queue: &SignalQueue) -> Option<usize> {
    let dates = queue.new.list.dates();
    queue
        .has_all_new_rows()
        .then(|| dates.leaving_count(LEAVING_SOON_DAYS, clock.service_now()))
}

/// Remembers how many leave the queue soon, for when that is unknown.
pub(in crate::app) fn remember_leaving(clock: &Clock, queue: &mut SignalQueue) {
    if let Some(count) = leaving_soon(clock, queue) {
        queue.news.last_leaving = Some(count);
    }
}

/// Whether `n` and `N` go on to the next new signal here.
pub(in crate::app) fn is_walking_news(ui: &Ui, queue: &SignalQueue) -> bool {
    ui.screen() == Screen::Queue && ui.list_dialogs.is_empty() && queue.news.is_walking()
}

/// How many signals leave the queue soon, in words and as short as possible; none for none.
pub(in crate::app) fn leaving_labels(count: usize) -> Option<(String, String)> {
    let verb = if count == 1 { "leaves" } else { "leave" };
    let number = format_count(count as u64);
    (count > 0).then(|| {
        (
            format!("{number} {verb} within {LEAVING_SOON_DAYS} days"),
            format!("{number} {verb} in {LEAVING_SOON_DAYS}d"),
        )
    })
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use crate::app::testing::{TestConsole, many_rows, morning_queue, signal_id};
    use crate::app::{AppSettings, Effect};

    /// A console that was last looked at yesterday at 17:10, when three of its sixteen signals were
    /// not discovered yet.
    fn next_morning(size: (u16, u16)) -> TestConsole {
        let mut rows = morning_queue();
        for n in [1, 7, 12] {
            rows[n].signal.discovered_at =
                serde_json::from_value("2026-07-09T04:00:00Z".into()).unwrap();
        }
        let mut settings = AppSettings::default();
        let name = format!("visit.{}", uuid::Uuid::from_u128(0x77));
        settings
            .preferences
            .insert(name, "2026-07-08T17:10:00Z".to_owned());
        TestConsole::with_size(rows, size, settings).poll().serve()
    }

    #[test]
    fn a_filter_moves_no_word_of_the_header() {
        let console = TestConsole::with_rows(morning_queue()).poll().serve();
        let before = header(&console);
        assert!(before.contains("leaves in 7d"), "{before}");
        let console = console
            .press("f")
            .type_text("city=Austin")
            .press("Enter")
            .serve();
        assert_eq!(console.context().queue.filter.city, "Austin");
        let after = header(&console);
        assert!(!after.contains("leaves"), "it is not known under a filter");
        assert_eq!(after.find("NEW"), before.find("NEW"), "{before}\n{after}");
    }

    fn header(console: &TestConsole) -> String {
        console
            .screen_text()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn the_header_says_how_many_signals_came_since_the_last_visit() {
        let console = next_morning((140, 36));
        assert!(
            header(&console).contains("3 new since yesterday 17:10"),
            "{}",
            console.screen_text()
        );
        let console = next_morning((80, 24));
        assert!(header(&console).contains("+3"), "{}", console.screen_text());
    }

    #[test]
    fn new_signals_are_marked_and_walked_from_one_to_the_next() {
        let console = next_morning((120, 36));
        let row =
            |console: &TestConsole, n| console.context().queue.news.contains(&console.rows[n]);
        assert!(row(&console, 7) && !row(&console, 2));
        let console = console.press("G g n");
        assert_eq!(
            console.cursor_id(),
            signal_id(2),
            "{}",
            console.screen_text()
        );
        let console = console.press("n");
        assert_eq!(console.cursor_id(), signal_id(8));
        assert!(
            console
                .notice_text()
                .contains("2 of 3 new since yesterday 17:10"),
            "{}",
            console.notice_text()
        );
        let console = console.press("n N N");
        assert_eq!(console.cursor_id(), signal_id(2));
        assert!(
            !header(&console).contains("new since"),
            "all were walked: {}",
            console.screen_text()
        );
    }

    #[test]
    fn escape_dismisses_what_is_new() {
        let console = next_morning((120, 36)).press("Esc");
        assert!(
            !header(&console).contains("new since"),
            "{}",
            console.screen_text()
        );
        assert_eq!(
            console.press("g n").cursor_id(),
            signal_id(2),
            "it can still be walked"
        );
    }

    #[test]
    fn a_visit_is_saved_while_somebody_is_there_and_at_the_end() {
        let mut console = next_morning((120, 36));
        console.saved_state.is_persistent = true;
        let console = console.restart().advance_time(Duration::minutes(4));
        let saved = |console: &TestConsole| {
            let is_visit = |effect: &&Effect| matches!(effect, Effect::SavePreference(name, _) if name.starts_with("visit."));
            console.effects.iter().filter(is_visit).count()
        };
        let console = console.poll().serve();
        assert_eq!(saved(&console), 0, "nobody was there");
        let console = console.press("j").poll().serve().poll().serve();
        assert_eq!(saved(&console), 1);
        let (_, value) = console.context().visit_preference().unwrap();
        assert_eq!(value, "2026-07-09T10:24:14Z");
    }

    #[test]
    fn after_an_hour_without_a_key_the_next_one_begins_another_visit() {
        let console = TestConsole::with_rows(morning_queue())
            .press("j")
            .advance_time(Duration::hours(2));
        let console = console.edit_rows(|rows| {
            rows[3].signal.discovered_at =
                serde_json::from_value("2026-07-09T10:00:00Z".into()).unwrap();
        });
        let console = console.press("R").poll().serve();
        assert!(
            header(&console).contains("1 new since 09:20"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn a_count_of_new_signals_is_not_exact_while_rows_are_missing() {
        let console = TestConsole::with_rows(many_rows(400))
            .press("j")
            .advance_time(Duration::hours(2));
        let console = console.edit_rows(|rows| {
            rows[3].signal.discovered_at =
                serde_json::from_value("2026-07-09T10:00:00Z".into()).unwrap();
        });
        let console = console.press("R").poll().serve();
        assert!(
            header(&console).contains("1+ new since 09:20"),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_header_of_every_screen_counts_what_leaves_the_queue_within_a_week() {
        let console = TestConsole::with_size(morning_queue(), (140, 36), AppSettings::default())
            .poll()
            .serve();
        assert!(
            header(&console).contains("1 leaves within 7 days"),
            "{}",
            console.screen_text()
        );
        let console = console.press("8").serve();
        assert!(
            header(&console).contains("1 leaves within 7 days"),
            "{}",
            console.screen_text()
        );
        let console = console.press("1 j j j j j j e").serve();
        assert!(
            !header(&console).contains("leave"),
            "{}",
            console.screen_text()
        );
        assert!(header(&console.press("z").serve()).contains("1 leaves within 7 days"));
        let console = TestConsole::with_size(morning_queue(), (80, 24), AppSettings::default())
            .poll()
            .serve();
        assert!(
            header(&console).contains(" 1 leaves "),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn what_leaves_is_counted_only_where_all_new_signals_are_loaded() {
        let mut rows = many_rows(400);
        rows[3].signal.filed_at = serde_json::from_value("2026-04-12".into()).unwrap();
        let console = TestConsole::with_size(rows, (140, 36), AppSettings::default())
            .poll()
            .serve();
        assert!(
            !header(&console).contains("leave"),
            "{}",
            console.screen_text()
        );
        let console = TestConsole::with_size(morning_queue(), (140, 36), AppSettings::default())
            .poll()
            .serve();
        assert!(
            header(&console).contains("1 leaves within 7 days"),
            "{}",
            console.screen_text()
        );
        let console = console.press("!").serve();
        assert!(
            !header(&console).contains("leave"),
            "a filter's rows are not all of them: {}",
            console.screen_text()
        );
    }
}
