//! What was typed in a sheet and not applied: kept as it is typed, offered again for the same records, gone when it was written.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::form::{Form, Line, Op, Typed, words};
use super::{Row, Sheet};
use crate::app::App;
use crate::app::format::pluralize;
use crate::app::intent::Action;
use crate::app::known::AnnotationField;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::Choice;
use crate::domain::book::RecordKind;
use crate::domain::{drafts, merge};
use crate::ui::editor::TextArea;
use crate::ui::field::TextInput as Input;

/// What was typed for some records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Its name in the store.
    #[serde(skip)]
    pub name: String,
    /// When it was typed last.
    #[serde(skip)]
    pub at: DateTime<Utc>,
    /// Another console has it open: this is a copy.
    #[serde(skip)]
    pub elsewhere: bool,
    /// What the records are.
    pub shelf: RecordKind,
    /// The records, with their names.
    pub rows: Vec<(Uuid, String)>,
    /// What was typed.
    pub typed: Typed,
    /// The tags that the one record had then: what a colleague did to them since is kept.
    tags: Option<Vec<String>>,
}

impl Draft {
    /// A draft as it was kept; none when it is of a form that this program does not know.
    pub fn read(kept: drafts::Draft) -> Option<Draft> {
        let draft: Draft = serde_json::from_value(kept.content).ok()?;
        Some(Draft { name: kept.name, at: kept.at, elsewhere: kept.is_open_elsewhere, ..draft })
    }

    /// Nothing stands in it.
    pub fn is_empty(&self) -> bool {
        Form::new(&self.shelf).with(self.typed.clone()).is_empty()
    }

    /// What it is for, in words.
    pub fn about(&self) -> String {
        if let [(_, name)] = self.rows.as_slice() { name.clone() } else { pluralize(self.rows.len(), self.shelf.singular_name()) }
    }

    /// The fields that something is to be done with, in words.
    pub fn fields(&self) -> Vec<&'static str> {
        Form::new(&self.shelf).with(self.typed.clone()).touched().into_iter().map(AnnotationField::title).collect()
    }

    fn is_of(&self, shelf: &RecordKind, rows: &[Row]) -> bool {
        self.shelf == *shelf && rows.iter().all(|row| self.rows.iter().any(|(id, _)| *id == row.id))
    }
}

impl App {
    /// The newest draft for these records.
    pub(in crate::app) fn draft_of(&self, shelf: &RecordKind, rows: &[Row]) -> Option<Draft> {
        self.drafts.annotations.iter().rev().find(|draft| draft.is_of(shelf, rows)).cloned()
    }

    /// Keeps what stands in the sheet, when it is not what was kept of it last.
    pub(in crate::app) fn keep_sheet(&mut self) {
        let Some(sheet) = &mut self.annotation_form else { return };
        let kept = self.drafts.annotations.iter().position(|draft| Some(&draft.name) == sheet.name.as_ref());
        if sheet.form.is_empty() {
            if let (Some(at), Some(name)) = (kept, sheet.name.take()) {
                self.drafts.annotations.remove(at);
                self.save_draft::<()>(&name, None);
            }
            return;
        }
        let typed = sheet.form.typed();
        let is_of_these = |draft: &Draft| draft.rows.iter().map(|(id, _)| *id).eq(sheet.rows.iter().map(|row| row.id));
        if kept.map(|at| &self.drafts.annotations[at]).is_some_and(|draft| draft.typed == typed && is_of_these(draft)) {
            return;
        }
        let name = sheet.name.get_or_insert_with(|| format!("sheet {}", self.now.timestamp_micros())).clone();
        let draft = Draft {
            name: name.clone(),
            at: self.now,
            elsewhere: false,
            shelf: sheet.shelf.clone(),
            rows: sheet.rows.iter().map(|row| (row.id, row.name.clone())).collect(),
            typed,
            tags: sheet.only().and_then(|row| row.known.value(AnnotationField::Tags).cloned()),
        };
        self.save_draft(&name, Some(&draft));
        match kept {
            Some(at) => self.drafts.annotations[at] = draft,
            None => self.drafts.annotations.push(draft),
        }
    }

    /// Whether something that was typed or staged would be lost with the program.
    pub(in crate::app) fn would_lose(&self) -> bool {
        let nothing = self.drafts.annotations.is_empty() && self.subscriptions.staged.is_empty();
        !nothing && !self.drafts.is_persistent
    }

    /// Asks before the program ends with what was typed and is kept nowhere.
    pub(in crate::app) fn ask_about_drafts(&mut self) {
        let records: usize = self.drafts.annotations.iter().map(|draft| draft.rows.len()).sum();
        let types = self.subscriptions.staged.len();
        let lost = [
            (records > 0).then(|| format!("what you typed for {}", pluralize(records, "record"))),
            (types > 0).then(|| format!("what you staged for {} of signals", pluralize(types, "type"))),
        ];
        let lost: Vec<String> = lost.into_iter().flatten().collect();
        let text = format!("Not written, and lost if you quit: {}.", lost.join(", and "));
        self.overlay = Some(Overlay::Choice(Choice::confirm("Quit?", text, "quit all the same", Action::Quit)));
    }

    /// Drafts for records that were all written are done with.
    pub(in crate::app) fn drop_drafts(&mut self, written: &[Uuid]) {
        self.forget_drafts(|draft| draft.rows.iter().all(|(id, _)| written.contains(id)));
    }

    fn forget_drafts(&mut self, is_done: impl Fn(&Draft) -> bool) {
        let (done, left) = std::mem::take(&mut self.drafts.annotations).into_iter().partition(|draft| is_done(draft));
        self.drafts.annotations = left;
        let done: Vec<Draft> = done;
        done.iter().for_each(|draft| self.save_draft::<()>(&draft.name, None));
    }

    /// Takes the draft that is offered.
    pub fn take_draft(&mut self) {
        let Some(sheet) = &mut self.annotation_form else { return };
        let Some(draft) = sheet.draft.take() else { return };
        let is_copy = draft.elsewhere;
        sheet.take(draft);
        self.notice = is_copy.then(|| Notice::warning("another console has this open: yours is a copy"));
    }

    /// Forgets the draft that is offered; the one before it is offered then.
    pub(super) fn forget_draft(&mut self) {
        let Some(draft) = self.annotation_form.as_mut().and_then(|sheet| sheet.draft.take()) else { return };
        self.forget_drafts(|known| known.name == draft.name);
        let older = self.annotation_form.as_ref().and_then(|sheet| self.draft_of(&sheet.shelf, &sheet.rows));
        if let Some(sheet) = &mut self.annotation_form {
            sheet.draft = older;
        }
        self.notice = Some(Notice::info(format!("what was typed for {} is forgotten", draft.about())));
    }

    /// Forgets what was typed under this name.
    pub(in crate::app) fn discard_draft(&mut self, name: &str) {
        if self.annotation_form.as_ref().is_some_and(|sheet| sheet.name.as_deref() == Some(name)) {
            self.annotation_form = None;
        }
        self.forget_drafts(|draft| draft.name == name);
        self.notice = Some(Notice::info("What you typed was discarded. Nothing was written."));
    }

    /// Asks before what was typed in the open sheet is forgotten.
    pub(super) fn ask_to_discard(&mut self) {
        let Some(draft) =
            self.annotation_form.as_ref().and_then(|sheet| self.drafts.annotations.iter().find(|draft| sheet.is_over(draft)))
        else {
            return;
        };
        let text = format!("What you typed for {} was not written, and is lost then.", draft.about());
        let then = Action::DiscardDraft(draft.name.clone());
        self.overlay = Some(Overlay::Choice(Choice::confirm("Discard what you typed?", text, "discard it", then)));
    }

    /// Goes on with what was typed under this name, wherever the person is.
    pub(in crate::app) fn resume(&mut self, name: &str) {
        let Some(draft) = self.drafts.annotations.iter().find(|draft| draft.name == name).cloned() else { return };
        self.open_sheet_over(draft.shelf.clone(), draft.rows.clone(), None);
        if let Some(sheet) = &mut self.annotation_form {
            // A note is gone on with where it was left.
            sheet.at = if draft.fields().contains(&AnnotationField::Notes.title()) { Line::Notes } else { sheet.at };
            sheet.draft = Some(draft);
        }
        self.take_draft();
    }
}

impl Sheet {
    /// What stands in it is kept as this draft.
    pub(in crate::app) fn is_over(&self, draft: &Draft) -> bool {
        self.name.as_ref() == Some(&draft.name)
    }

    /// Fills the form with a draft. What a colleague did to the tags of the one record since is kept.
    fn take(&mut self, draft: Draft) {
        self.name = (!draft.elsewhere).then_some(draft.name);
        self.form = Form::new(&self.shelf).with(draft.typed);
        let now = self.only().and_then(|row| row.known.value(AnnotationField::Tags));
        if let (Op::Set, Some(before), Some(now)) = (self.form.op(Line::Tags), draft.tags, now) {
            let merged = merge::merge_sets(&before, now, &words(self.form.text(Line::Tags)));
            if let Some(entry) = self.form.entry_mut(Line::Tags) {
                entry.input = Input::with_text(&merged.join(", "));
            }
        }
        // So is what they did to the note.
        let note = self.only().and_then(|row| row.known.value(AnnotationField::Notes)).map(|note| note.join("\n"));
        let form = &mut self.form;
        if let (Op::Set, Some(base), Some(theirs)) = (form.op(Line::Notes), form.note_base.clone(), note)
            && base != theirs
        {
            form.note = TextArea::with_text(&merge::merge_texts(&base, &theirs, form.note.text()).text);
            form.note_base = Some(theirs);
        }
        if self.at == Line::Notes {
            self.open_note();
        }
    }
}
