//! Coverage gaps among the loaded signals: what is known without a request, and what their keys do.

use uuid::Uuid;

use crate::app::action::Action;
use crate::app::annotation_cache::AnnotationField;
use crate::app::command::Availability;
use crate::app::context::bulk_confirmation::BULK_THRESHOLD;
use crate::app::context::{Ui, Work, records};
use crate::app::effect::RecordKey;
use crate::app::format::{format_count, pluralize};
use crate::app::model::coverage::{BookPlace, Coverage, CoverageGap};
use crate::app::model::known_records::KnownRecords;
use crate::app::model::load_state::LoadState;
use crate::app::model::queue::SignalQueue;
use crate::app::model::record_lists::RecordLists;
use crate::app::notice::Notice;
use crate::app::overlay::list_dialog::{DialogRows, GapSummary, ListDialog};
use crate::app::panes::annotation_form::messages::AnnotationAction;
use crate::app::price::Price;
use crate::app::{Context, focused_list};
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::search::RecordSource;
use crate::domain::writes::{ReversibleWrite, WriteOp};

/// So many records are checked at once.
const MAX_CHECKED: usize = 10;

impl Ui {
    /// The records that are checked next.
    fn unchecked_gaps(&self) -> &[RecordKey] {
        match self.counted_dialog() {
            Some(ListDialog::Gaps(_, summary)) => &summary.unchecked,
            _ => &[],
        }
    }

    fn listed_gaps(&self) -> Option<&DialogRows<CoverageGap>> {
        match self.list_dialog() {
            Some(ListDialog::Gaps(rows, _)) => Some(rows),
            _ => None,
        }
    }

    fn current_gap(&self) -> Option<&CoverageGap> {
        self.listed_gaps()?.current()
    }

    /// The marked gaps, or the one under the cursor.
    fn chosen_gaps(&self) -> Vec<CoverageGap> {
        let chosen = self
            .listed_gaps()
            .map_or_else(Vec::new, DialogRows::list_chosen);
        chosen.into_iter().cloned().collect()
    }
}

impl RecordLists {
    /// Whether all records of the book of this kind are loaded: then another one is not in it.
    fn has_whole_book(&self, kind: &RecordKind) -> bool {
        let is_whole = |list: &crate::app::model::record_list::RecordList| {
            matches!(list.source, RecordSource::Book(_))
                && list.load == LoadState::Ready
                && !list.has_more()
                && list.search.is_unfiltered()
                && list.total.is_some_and(|total| total <= list.len() as u64)
        };
        self.of_kind(kind).any(is_whole)
    }
}

impl Context {
    /// Lists the gaps that are known; reads nothing.
    pub(in crate::app) fn open_gaps(&mut self) {
        let coverage = known_coverage(&self.queue, &self.records);
        let summary = summarize_coverage(&coverage, &self.queue);
        let rows = DialogRows::new(coverage.gaps);
        self.open_list_dialog(ListDialog::Gaps(rows, summary));
    }

    /// Lists the gaps again after records were read, if they are listed. The cursor stays on its
    /// gap, and a frequency table over them stays as it is.
    pub(super) fn update_gaps(&mut self) {
        if !matches!(self.ui.counted_dialog(), Some(ListDialog::Gaps(..))) {
            return;
        }
        let coverage = known_coverage(&self.queue, &self.records);
        let now = summarize_coverage(&coverage, &self.queue);
        let table = self.ui.close_frequency_list();
        if let Some(ListDialog::Gaps(rows, summary)) = self.ui.list_dialogs.last_mut() {
            let current = rows.current().map(|gap| gap.id);
            rows.set_items(coverage.gaps);
            *summary = now;
            let row = rows.items.iter().position(|gap| Some(gap.id) == current);
            let row = row.unwrap_or(usize::MAX);
            self.update_list_dialog(|dialog, cx| focused_list::rearrange(dialog, row, cx));
        }
        self.ui.list_dialogs.extend(table);
    }

    pub(in crate::app) fn open_gap(&mut self) {
        let Some(gap) = self.ui.current_gap().cloned() else {
            return self.fold_or_close_dialog();
        };
        self.close_overlay();
        self.work
            .perform(Action::OpenRecord(key_of(&gap), gap.name));
    }

    pub(in crate::app) fn gap_price(&self) -> Price {
        self.ui
            .current_gap()
            .map_or(Price::Free, |gap| self.records.record_price(key_of(gap)))
    }

    /// Saves the marked records, or the one under the cursor, to the book; they leave the list.
    pub(in crate::app) fn save_gaps(&mut self) {
        let mut gaps = self.ui.chosen_gaps();
        let first = gaps.first().map(|gap| gap.name.clone());
        gaps.retain(|gap| gap.place == BookPlace::Absent);
        let name = match (gaps.as_slice(), first) {
            (_, None) => return,
            ([], Some(name)) => {
                return self.ui.notice = Some(
                    Notice::warning(format!("{name} is already in the book"))
                        .with_hint("{gaps.annotate} annotates"),
                );
            }
            ([gap], _) => gap.name.clone(),
            (gaps, _) => pluralize(gaps.len(), "record"),
        };
        let asks = gaps.len() >= BULK_THRESHOLD;
        if let Some(ListDialog::Gaps(rows, _)) = self.ui.list_dialogs.last_mut().filter(|_| !asks) {
            rows.retain(|gap| !gaps.contains(gap));
        }
        self.rearrange_list_dialog();
        let changes = gaps.into_iter().map(|gap| ReversibleWrite {
            forward: WriteOp::Annotate(gap.kind, gap.id, Annotation::default()),
            back: None,
        });
        self.write_or_confirm(
            &format!("save {name} to the book"),
            "It cannot be undone.".to_owned(),
            format!("{name} saved to the book"),
            changes.collect(),
        );
    }

    /// Annotates the marked records, or the one under the cursor, if they are of one kind.
    pub(in crate::app) fn annotate_gaps(&mut self) {
        let gaps = self.ui.chosen_gaps();
        let Some(kind) = gaps.first().map(|gap| gap.kind.clone()) else {
            return;
        };
        if gaps.iter().any(|gap| gap.kind != kind) {
            let text = "annotate: mark only projects or only developers";
            return self.ui.warn(text);
        }
        self.close_overlay();
        let records = gaps.into_iter().map(|gap| (gap.id, gap.name)).collect();
        self.work.perform(AnnotationAction::Open(kind, records));
    }
}

fn known_coverage(queue: &SignalQueue, records: &KnownRecords) -> Coverage {
    let rows = queue.new.list.loaded_rows().map(|(_, row)| row);
    let firms = |row: &crate::domain::queue::QueueSignal| {
        records
            .fetched
            .project(row.signal.project_id)
            .map(|project| project.project_details.accounts.as_slice())
    };
    Coverage::new(rows, firms, |kind, id| book_place(kind, id, records))
}

/// What is known of a record's place in the book.
fn book_place(kind: &RecordKind, id: Uuid, records: &KnownRecords) -> BookPlace {
    let known = records.cached_annotation(kind, id);
    let status = known
        .value(AnnotationField::Status)
        .map(|status| status.iter().any(|text| !text.is_empty()));
    match (known.in_book(), status) {
        (Some(false), _) => BookPlace::Absent,
        (Some(true), Some(false)) => BookPlace::WithoutStatus,
        (Some(true), Some(true)) => BookPlace::Covered,
        (Some(true), None) => BookPlace::Present,
        (None, _) if records.lists.has_whole_book(kind) => BookPlace::Absent,
        (None, _) => BookPlace::Unknown,
    }
}

pub(in crate::app) fn can_check_gaps(ui: &Ui, work: &Work) -> Availability {
    match ui.unchecked_gaps().is_empty() {
        true => Err("the records are known; opening a project tells its developers".into()),
        false if records::is_reading_missing(work) => Err("records are still being read".into()),
        false => Ok(()),
    }
}

pub(in crate::app) fn gap_check_price(ui: &Ui) -> Price {
    Price::of_credits(ui.unchecked_gaps().len() as u64)
}

pub(in crate::app) fn check_gaps(ui: &Ui, work: &mut Work) {
    records::read_missing_records(ui.unchecked_gaps().to_vec(), work);
}

fn summarize_coverage(coverage: &Coverage, queue: &SignalQueue) -> GapSummary {
    let unknown = coverage.unknown_records.iter();
    let keys = unknown.map(|(kind, id)| RecordKey::for_book(kind, *id));
    GapSummary {
        lines: describe_coverage(coverage, queue),
        unchecked: keys.take(MAX_CHECKED).collect(),
    }
}

fn describe_coverage(coverage: &Coverage, queue: &SignalQueue) -> Vec<String> {
    let Coverage {
        gaps,
        projects,
        unread_projects,
        unknown_records,
    } = coverage;
    let loaded = if queue.has_all_new_rows() {
        ""
    } else {
        "; more rows are not loaded"
    };
    let of = format!(
        "{} of loaded signals of high priority{loaded}.",
        pluralize(*projects, "project")
    );
    let found = if gaps.is_empty() {
        "No gap is known".to_owned()
    } else {
        format!("{} known", pluralize(gaps.len(), "gap"))
    };
    let mut lines = vec![format!("{found} among {of}")];
    if !unknown_records.is_empty() {
        lines.push(format!(
            "It is not known which of {} are in the book with a status.",
            pluralize(unknown_records.len(), "record")
        ));
    }
    if *unread_projects > 0 {
        lines.push(format!(
            "The developers of {} are not known.",
            pluralize(*unread_projects, "project")
        ));
    }
    if coverage.price() > 0 {
        lines.push(format!(
            "Checking all of them costs at most {} credits, 1 for each record. The whole book costs 1 credit a row.",
            format_count(coverage.price() as u64)
        ));
    }
    lines
}

fn key_of(gap: &CoverageGap) -> RecordKey {
    RecordKey {
        in_book: gap.place != BookPlace::Absent,
        ..RecordKey::for_book(&gap.kind, gap.id)
    }
}

#[cfg(test)]
mod tests {
    use crate::app::context::coverage::known_coverage;
    use crate::app::effect::ServiceCall;
    use crate::app::testing::{TestConsole, morning_queue};

    fn gaps(console: TestConsole) -> TestConsole {
        console.press(":").type_text("gaps").press("Enter").serve()
    }

    #[test]
    fn where_nothing_was_read_nothing_is_claimed_and_the_price_of_checking_is_said() {
        let console = TestConsole::with_rows(morning_queue()).serve();
        let calls = console.calls.len();
        let console = gaps(console);
        let screen = console.screen_text();
        assert!(
            screen.contains("No gap is known among") && screen.contains("costs at most"),
            "{screen}"
        );
        assert_eq!(console.calls.len(), calls, "looking costs nothing");
    }

    #[test]
    fn one_key_checks_the_first_ten_at_the_price_that_it_shows() {
        let read = TestConsole::with_rows(morning_queue())
            .press("Enter")
            .serve();
        let console = gaps(read.press("Esc"));
        let unknown = known_coverage(&console.context().queue, &console.context().records)
            .unknown_records
            .len();
        let checked = unknown.min(10);
        let screen = console.screen_text();
        let label = format!("r check {checked} more {checked} cr");
        assert!(screen.contains(&label), "{screen}");
        let calls = console.calls.len();
        let console = console.press("r").serve();
        let of_book =
            |call: &&ServiceCall| matches!(call, ServiceCall::Record { key, .. } if key.in_book);
        let reads = console.calls[calls..].iter().filter(of_book).count();
        assert_eq!(reads, checked);
        assert!(
            known_coverage(&console.context().queue, &console.context().records)
                .unknown_records
                .len()
                < unknown
        );
    }
}
