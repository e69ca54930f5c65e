//! Reading the records of the sheet, and writing them: what a colleague changed in between is seen before it is written over.

use uuid::Uuid;

use super::Sheet;
use super::form::{Line, Op, words};
use crate::app::App;
use crate::app::effect::{Call, RecordKey, Slot};
use crate::app::format::{count, plural};
use crate::app::known::{Field, Known};
use crate::app::msg::Token;
use crate::app::notice::Notice;
use crate::domain::failure::{Failure, Kind};
use crate::domain::merge;
use crate::domain::records::Record;
use crate::ui::editor::Editor;
use crate::ui::field::Field as Input;

impl App {
    /// Reads records of the sheet from the book: a credit each.
    pub fn read_sheet(&mut self, ids: &[Uuid]) {
        let Some(shelf) = self.sheet.as_ref().map(|sheet| sheet.shelf.clone()) else { return };
        for id in ids {
            let key = RecordKey::of_book(&shelf, *id);
            let token = self.call(Slot::Sheet, Call::Record { key, again: true });
            self.reads.insert(token, (shelf.clone(), *id));
        }
        if let Some(sheet) = &mut self.sheet {
            sheet.missed = false;
        }
        self.notice = Some(Notice::note(format!("reading {}", plural(ids.len(), "record"))).with("Ctrl-c stops"));
    }

    /// Takes a record that was read for a sheet; false when the reply belongs to none.
    pub fn sheet_replied(&mut self, token: Token, result: Result<(Record, Option<u64>), Failure>) -> bool {
        let Some((shelf, id)) = self.reads.remove(&token) else { return false };
        let now = self.service_now();
        match result {
            Ok((record, credits)) => {
                let known = Known::of(&record.fields(), Some(true), now);
                self.keep_page(RecordKey::of_book(&shelf, id), record, credits, None);
                self.hear(&shelf, id, known.clone());
                self.rebase(id, known);
            }
            Err(failure) if failure.status() == Some(404) => {
                self.hear(&shelf, id, Known::outside(now));
                self.rebase(id, Known::outside(now));
            }
            Err(failure) => {
                self.sheet_read_failed(id, &failure);
                self.reads_then = None;
                return true;
            }
        }
        if self.reads.is_empty() && !self.read_and_then() {
            self.sheet_read();
        }
        true
    }

    /// Where nobody answers, the write would not arrive either: it is read the next time as well.
    fn sheet_read_failed(&mut self, id: Uuid, failure: &Failure) {
        let sends = self.sheet.as_mut().is_some_and(|sheet| {
            sheet.missed = true;
            std::mem::take(&mut sheet.sends)
        });
        match &failure.kind {
            Kind::Cancelled => self.notice = Some(Notice::note("the read was given up")),
            Kind::NotSent | Kind::Ambiguous if sends => {
                self.not_written(&[id]);
                self.failed("not written", failure, "{sheet.apply} tries again");
            }
            _ if sends => {
                if let Some(sheet) = &mut self.sheet {
                    sheet.insists = true;
                }
                self.failed("the record could not be read", failure, "{sheet.apply} writes all the same");
            }
            _ => self.failed("the record could not be read", failure, "{sheet.read} tries again"),
        }
    }

    /// Gives a record of the sheet a new base; what the form makes of it is made of that.
    fn rebase(&mut self, id: Uuid, newer: Known) {
        let Some(sheet) = &mut self.sheet else { return };
        let is_only = sheet.only().is_some();
        let overrides = |line: Line| matches!(sheet.form.op(line), Op::Set | Op::Clear);
        let overridden: Vec<Field> =
            sheet.form.entries().iter().map(|entry| entry.line).filter(|line| overrides(*line)).map(Line::field).collect();
        let Some(row) = sheet.rows.iter_mut().find(|row| row.id == id) else { return };
        let base = row.known.clone();
        row.left = base.in_book() == Some(true) && newer.in_book() == Some(false);
        row.changed = Field::ALL
            .into_iter()
            .filter(|field| match (base.value(*field), newer.value(*field)) {
                (Some(before), Some(after)) => !field.same(before, after),
                (None, Some(after)) => overridden.contains(field) && !after.is_empty(),
                (_, None) => false,
            })
            .collect();
        row.known.hear(newer);
        let (tags, note) = (row.known.value(Field::Tags).cloned(), row.known.value(Field::Notes).map(|note| note.join("\n")));
        if !is_only {
            return;
        }
        let form = &mut sheet.form;
        if form.op(Line::Tags) == Op::Set
            && let (Some(before), Some(theirs)) = (base.value(Field::Tags), tags)
        {
            let merged = merge::sets(before, &theirs, &words(form.text(Line::Tags)));
            if let Some(entry) = form.entry_mut(Line::Tags) {
                entry.input = Input::with(&merged.join(", "));
            }
        }
        if form.op(Line::Notes) == Op::Set
            && let (Some(base), Some(theirs)) = (form.note_base.clone(), note)
            && base != theirs
        {
            form.note = Editor::with(&merge::texts(&base, &theirs, form.note.text()).text);
            form.note_base = Some(theirs);
        }
    }

    /// What was written on a record while its sheet was open is no change of a colleague's.
    pub(in crate::app) fn rebase_on_own(&mut self, id: Uuid, written: Known) {
        self.rebase(id, written);
        let row = self.sheet.as_mut().and_then(|sheet| sheet.rows.iter_mut().find(|row| row.id == id));
        row.into_iter().for_each(|row| row.changed.clear());
    }

    /// All that was asked for was read: what was to be written is, unless something that it touches has changed meanwhile.
    fn sheet_read(&mut self) {
        let Some(sheet) = &mut self.sheet else { return };
        let sends = std::mem::take(&mut sheet.sends);
        let touched = sheet.form.touched();
        let moved: Vec<&super::Row> =
            sheet.rows.iter().filter(|row| row.left || row.changed.iter().any(|field| touched.contains(field))).collect();
        let Some(first) = moved.first() else {
            if sends {
                return self.send_sheet();
            }
            if sheet.missed {
                return;
            }
            self.notice = Some(Notice::good("read; this is how the records are now").with("{sheet.apply} writes"));
            return;
        };
        let what = match (sheet.only(), first.left) {
            (Some(row), true) => format!("{} has left the book since; writing saves it again", row.name),
            (Some(row), false) => {
                let fields: Vec<&str> =
                    row.changed.iter().filter(|field| touched.contains(field)).map(|field| field.title()).collect();
                format!("{} changed since it was read; look at it below", fields.join(" and "))
            }
            (None, _) => format!("{} changed since they were read; look at them below", count(moved.len() as u64)),
        };
        self.notice = Some(Notice::warn(what).with("{sheet.apply} writes all the same"));
    }

    /// Writes what the sheet wants, after what has to be read was read.
    pub fn apply_sheet(&mut self) {
        let now = self.service_now();
        let Some(sheet) = &mut self.sheet else { return };
        if sheet.form.op(Line::Notes) == Op::Set && merge::is_open(sheet.form.note.text()) {
            sheet.open_note();
            self.notice = Some(Notice::warn("the note still holds both texts and their marks; make one of them"));
            return;
        }
        let unread = sheet.unread(now);
        let depends = sheet.plan().iter().any(|plan| !plan.unknown.is_empty());
        let alone = sheet.only().is_some() && !unread.is_empty() && (depends || !sheet.insists);
        if alone {
            sheet.sends = true;
            return self.read_sheet(&unread);
        }
        if depends {
            let what = format!("{} have to be read first, or the change is not known", plural(unread.len(), "record"));
            self.notice = Some(Notice::warn(what).with("{sheet.read} reads them"));
            return;
        }
        self.send_sheet();
    }

    fn send_sheet(&mut self) {
        let Some(sheet) = &self.sheet else { return };
        let changes = sheet.changes();
        if changes.is_empty() {
            self.notice = Some(Notice::warn("nothing would change: all of it is so already"));
            return;
        }
        let words = sheet.words(changes.len());
        self.keep_sheet();
        self.sheet = None;
        self.write(words, changes);
    }
}

impl Sheet {
    /// A record alone is read again before it is written, for a credit.
    pub fn reads_first(&self, now: chrono::DateTime<chrono::Utc>) -> bool {
        self.only().is_some() && !self.insists && !self.form.touched().is_empty() && !self.unread(now).is_empty()
    }
}
