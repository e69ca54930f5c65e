//! The annotation sheet: what is to be written on the chosen records, what it makes of each of them, and the one batch that does it.
//!
//! The sheet lies beside or over the pane that it was opened from and has the keys until it is left. It is about records, not rows:
//! what the list does meanwhile changes nothing of it. Nothing is sent before the person applies it, nothing is read without a price
//! that stood there, and nothing of a colleague is overwritten unseen: each record is read again right before it is written.

pub mod arrange;
pub mod commands;
mod draft;
pub mod draw;
pub mod form;
mod plan;
mod read;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use uuid::Uuid;

use crate::app::effect::{Effect, Slot};
use crate::app::known::{AnnotationField, CachedAnnotation};
use crate::app::notice::Notice;
use crate::app::panes::record::name_of;
use crate::app::{App, Screen};
use crate::domain::book::{Dataset, IcpTier, RecordKind};
use crate::ui::editor::TextArea;
use crate::ui::field::TextInput as Input;
pub use draft::Draft;
use form::{Form, Line, Op, words};
pub use plan::Plan;

/// Rows of a list that are looked through for values to offer.
const SEEN_IN: usize = 2_000;

/// A record that the sheet is about.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// What is known of it: the base that a write is compared with.
    pub known: CachedAnnotation,
    /// Fields that stood otherwise when they were read again.
    pub changed: Vec<AnnotationField>,
    /// It has left the book since it was read.
    pub left: bool,
}

/// The sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// What the records are.
    pub shelf: RecordKind,
    /// The records, in the order of the list.
    pub rows: Vec<Row>,
    /// What is wanted.
    pub form: Form,
    /// The line that has the keys.
    pub at: Line,
    /// The note is being typed: arrows and Enter are the text's.
    pub in_note: bool,
    /// The first line of the preview on the screen.
    pub top: usize,
    /// What was typed for these records before, and not applied.
    pub draft: Option<Draft>,
    /// What stands in it is kept under this name, once something does.
    name: Option<String>,
    seen: BTreeMap<AnnotationField, Vec<String>>,
    /// What was typed before values were gone through, and the one that stands there.
    turning: Option<(String, usize)>,
    /// Of those that are being read one could not be.
    missed: bool,
}

/// Records and their names.
type Subjects<'a> = Box<dyn Iterator<Item = (Uuid, String)> + 'a>;

impl Sheet {
    /// The one record that it is about, when it is one.
    pub fn only(&self) -> Option<&Row> {
        if let [row] = self.rows.as_slice() { Some(row) } else { None }
    }

    /// A draft can be taken: nothing was typed over it.
    pub fn offers_draft(&self) -> bool {
        self.draft.is_some() && self.form.is_untouched()
    }

    /// Values that can stand in a line, those seen most often first: of a tier all, of tags to remove those of the records.
    pub fn offers(&self, line: Line) -> Vec<String> {
        let typed = self.turning.as_ref().map_or_else(|| self.form.text(line), |(typed, _)| typed.as_str());
        let all: Vec<String> = match line {
            Line::Notes => return Vec::new(),
            Line::Tier => return IcpTier::ALL.iter().map(|tier| tier.as_str().to_owned()).collect(),
            Line::Untag => frequent(self.rows.iter().filter_map(|row| row.known.value(AnnotationField::Tags)).flatten().cloned()),
            Line::Status | Line::Tags => self.seen.get(&line.field()).cloned().unwrap_or_default(),
        };
        let (before, stem) = stem(line, typed);
        let (taken, stem) = (words(before), stem.to_lowercase());
        let starts = |value: &&String| value.to_lowercase().starts_with(&stem) && **value != stem && !taken.contains(*value);
        all.iter().filter(starts).cloned().collect()
    }

    /// Whether a value that is being typed stands nowhere yet: a new one, or a slip.
    pub fn is_new(&self, line: Line) -> bool {
        let (_, typed) = stem(line, self.form.text(line));
        let seen = self.seen.get(&line.field());
        line != Line::Untag && !typed.is_empty() && seen.is_some_and(|seen| !seen.is_empty() && !seen.contains(&typed))
    }

    /// Puts the next or previous offered value in place of what is being typed.
    pub fn turn(&mut self, forward: bool) {
        let line = self.at;
        let offers = self.offers(line);
        if offers.is_empty() {
            return;
        }
        let typed = self.form.text(line).to_owned();
        let stands = offers.iter().position(|offer| *offer == typed).filter(|_| line == Line::Tier);
        let (typed, at) = match self.turning.take() {
            Some((typed, at)) if forward => (typed, (at + 1) % offers.len()),
            Some((typed, at)) => (typed, (at + offers.len() - 1) % offers.len()),
            None => {
                let step = |at: usize| if forward { (at + 1) % offers.len() } else { (at + offers.len() - 1) % offers.len() };
                (typed, stands.map_or(if forward { 0 } else { offers.len() - 1 }, step))
            }
        };
        let (before, _) = stem(line, &typed);
        let text = if before.is_empty() { offers[at].clone() } else { format!("{before} {}", offers[at]) };
        if let Some(entry) = self.form.entry_mut(line) {
            entry.input = Input::with_text(&text);
        }
        self.means();
        self.turning = Some((typed, at));
    }

    /// Goes to another line.
    pub fn go(&mut self, line: Line) {
        self.at = line;
        self.in_note = false;
        self.turning = None;
    }

    /// Goes lines on or back.
    pub fn step(&mut self, forward: bool) {
        let lines: Vec<Line> = self.form.entries().iter().map(|entry| entry.line).collect();
        let at = lines.iter().position(|line| *line == self.at).unwrap_or(0);
        self.go(lines[(at + if forward { 1 } else { lines.len() - 1 }) % lines.len()]);
    }

    /// Takes the next or previous operation of the line.
    pub fn operate(&mut self, forward: bool) {
        let ops = self.at.ops();
        let at = ops.iter().position(|op| *op == self.form.op(self.at)).unwrap_or(0);
        self.set_op(ops[(at + if forward { 1 } else { ops.len() - 1 }) % ops.len()]);
    }

    /// Does this with the line. A note alone that is set is changed from what it is.
    pub fn set_op(&mut self, op: Op) {
        let line = self.at;
        if line == Line::Notes {
            let now = self.only().and_then(|row| row.known.value(AnnotationField::Notes)).map(|note| note.join("\n"));
            let form = &mut self.form;
            if op == Op::Set && form.note.text().is_empty() && now.is_some() {
                form.note = TextArea::with_text(now.as_deref().unwrap_or_default());
                form.note_base = now;
            } else if op != Op::Set && form.note_base.as_deref() == Some(form.note.text()) {
                (form.note, form.note_base) = (TextArea::default(), None);
            }
        }
        if let Some(entry) = self.form.entry_mut(line) {
            entry.op = op;
        }
    }

    /// What is typed is meant: a line that was kept is so no more.
    fn means(&mut self) {
        if self.form.op(self.at) == Op::Keep {
            self.set_op(self.at.ops()[1]);
        }
    }

    /// Begins to type the note.
    pub fn open_note(&mut self) {
        self.go(Line::Notes);
        self.means();
        self.in_note = true;
    }
}

/// What stands before the value that is being typed, and the beginning of that value: only tags hold several.
fn stem(line: Line, typed: &str) -> (&str, String) {
    let cut = match line {
        Line::Tags | Line::Untag => typed.rfind(',').map_or(0, |at| at + 1),
        _ => 0,
    };
    (&typed[..cut], typed[cut..].trim().to_owned())
}

/// Each value once, the most frequent first.
fn frequent(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut all: Vec<(String, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter().map(|(value, _)| value).collect()
}

impl App {
    /// The records that an annotation would be about, with their names: what is marked, or under the cursor; of signals their
    /// projects. They are read as they are asked for: whether there is one is known from the first.
    pub fn subjects(&self) -> Option<(RecordKind, Subjects<'_>)> {
        match self.screen {
            Screen::Record => {
                let page = self.page_stack.page().filter(|page| page.key.dataset != Dataset::Signals)?;
                Some((page.key.dataset.as_str().into(), Box::new(std::iter::once((page.key.id, page.name.clone())))))
            }
            Screen::Queue | Screen::Detail => {
                let rows = self
                    .triage_targets()
                    .into_iter()
                    .filter_map(|id| self.queue.shown().list.row(id))
                    .chain(self.current_signal().filter(|_| self.screen == Screen::Detail));
                let mut seen = HashSet::new();
                let projects = rows.filter_map(move |row| {
                    let id = row.signal.project_id.filter(|id| seen.insert(*id))?;
                    Some((id.0, row.signal.project_name.clone().unwrap_or_else(|| "unnamed".to_owned())))
                });
                Some((RecordKind::Projects, Box::new(projects)))
            }
            _ => {
                let list = self.records()?;
                let rows = list.chosen().into_iter().filter_map(|id| list.row(id)).map(|row| (row.id, name_of(&row.fields())));
                Some((list.source.record_kind()?, Box::new(rows)))
            }
        }
    }

    /// Opens the sheet over the chosen records, at a line; at the first one when none is named.
    pub fn open_sheet(&mut self, line: Option<Line>) {
        let Some((shelf, subjects)) = self.subjects() else { return };
        let subjects = subjects.collect();
        self.open_sheet_over(shelf, subjects, line);
    }

    fn open_sheet_over(&mut self, shelf: RecordKind, subjects: Vec<(Uuid, String)>, line: Option<Line>) {
        self.leave_narrow();
        let rows: Vec<Row> = subjects
            .into_iter()
            .map(|(id, name)| Row { id, name, known: self.cached_annotation(&shelf, id), changed: Vec::new(), left: false })
            .collect();
        let form = Form::new(&shelf);
        let draft = self.draft_of(&shelf, &rows);
        let seen = self.seen(&shelf);
        let at = line.or(form.entries().first().map(|entry| entry.line)).unwrap_or(Line::Status);
        let mut sheet =
            Sheet { shelf, rows, form, at, in_note: false, top: 0, draft, name: None, seen, turning: None, missed: false };
        if at == Line::Notes && sheet.draft.is_none() {
            sheet.open_note();
        }
        self.notice = None;
        self.annotation_form = Some(sheet);
    }

    /// The statuses and tags of loaded rows, those seen most often first.
    fn seen(&self, shelf: &RecordKind) -> BTreeMap<AnnotationField, Vec<String>> {
        let lists = self.lists().filter(|list| list.source.record_kind().as_ref() == Some(shelf));
        let fields: Vec<_> = lists.flat_map(|list| list.rows().iter().take(SEEN_IN)).map(|row| row.fields()).collect();
        let of = |field: AnnotationField| frequent(fields.iter().filter_map(|fields| field.read_from(fields)).flatten());
        [AnnotationField::Status, AnnotationField::Tags].into_iter().map(|field| (field, of(field))).collect()
    }

    /// Leaves the note for the form, or the form for the pane; what was typed is kept.
    pub fn leave_sheet(&mut self) {
        let Some(mut sheet) = self.annotation_form.take() else { return };
        if sheet.in_note {
            sheet.in_note = false;
            self.annotation_form = Some(sheet);
            return;
        }
        if !self.record_reads.is_empty() {
            self.effects.push(Effect::Cancel(Slot::Sheet));
        }
        self.notice = None;
        if !sheet.form.is_empty() {
            let long = if self.drafts.is_persistent { "" } else { " until gantry ends" };
            // The sheet may be about other records than those that annotating would be about here.
            let here: Vec<Uuid> = self.subjects().into_iter().flat_map(|(_, subjects)| subjects.map(|(id, _)| id)).collect();
            let is_here = sheet.rows.iter().map(|row| row.id).eq(here);
            let back = if is_here { "{annotate.all} brings it back" } else { "{go.typed} brings it back" };
            self.notice = Some(Notice::info(format!("Nothing was written. What you typed is kept{long}.")).with_hint(back));
        }
    }
}
