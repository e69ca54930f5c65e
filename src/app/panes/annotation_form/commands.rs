//! The commands that open the annotation form, and those that work inside it.

use super::AnnotationForm;
use super::field_inputs::{FormField, tier_for_letter};
use crate::app::command::keymap::KeyLookup;
use crate::app::command::keys::Key;
use crate::app::command::{AppCommand, Availability, Command, Scope};
use crate::app::msg::EditorPurpose;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::CommandPalette;
use crate::app::{App, Effect};
use crate::domain::book::RecordKind;
use crate::ui::text_area::TextArea;
use crate::ui::text_input::{PasteTooLong, TextInput};

/// The commands that open the form, in help order.
pub const OPEN_COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "annotate.all",
        &["a a"],
        "annotate",
        "annotate the records: tier, status, tags and note",
        Scope::Annotate,
        |app| {
            app.open_annotation_form(None);
        },
    )
    .with_write()
    .with_hint(4)
    .available_when(can_annotate),
    AppCommand::new(
        "annotate.status",
        &["a s"],
        "status",
        "annotate the records, starting with the status",
        Scope::Annotate,
        |app| {
            app.open_annotation_form(Some(FormField::Status));
        },
    )
    .with_write()
    .available_when(can_annotate),
    AppCommand::new("annotate.tags", &["a t"], "tags", "add or remove tags", Scope::Annotate, |app| {
        app.open_annotation_form(Some(FormField::Tags));
    })
    .with_write()
    .available_when(can_annotate),
    AppCommand::new("annotate.note", &["a n"], "note", "write a note on the records", Scope::Annotate, |app| {
        app.open_annotation_form(Some(FormField::Notes));
    })
    .with_write()
    .available_when(can_annotate),
    AppCommand::new("annotate.tier", &["a i"], "tier", "set the ICP tier of the accounts", Scope::Annotate, |app| {
        app.open_annotation_form(Some(FormField::Tier));
    })
    .with_write()
    .available_when(can_set_tier),
];

/// The commands of the form, in help order.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "sheet.apply",
        &["Ctrl-s", "Ctrl-Enter"],
        "apply",
        "save for everyone, as one change you can undo",
        Scope::AnnotationForm,
        |app| {
            app.apply_annotation_form();
        },
    )
    .with_immediate_write()
    .with_cost("1 cr a record in the book: each is read again just before writing")
    .with_hint(1)
    .deferred_while(App::is_annotation_write_pending)
    .available_when(can_apply),
    AppCommand::new("sheet.next", &["Tab"], "field", "go to the next field", Scope::AnnotationForm, |app| {
        with_annotation_form(app, |sheet| sheet.step_line(true))
    })
    .with_hint(2),
    AppCommand::new(
        "sheet.previous",
        &["Shift-Tab"],
        "previous field",
        "go to the previous field",
        Scope::AnnotationForm,
        |app| {
            with_annotation_form(app, |sheet| sheet.step_line(false));
        },
    ),
    AppCommand::new(
        "sheet.op.next",
        &["Right"],
        "operation",
        "next operation (keep, set, clear, add, ...)",
        Scope::AnnotationForm,
        |app| {
            with_annotation_form(app, |sheet| sheet.cycle_op(true));
        },
    )
    .with_hint(3)
    .available_when(is_outside_note),
    AppCommand::new("sheet.op.previous", &["Left"], "previous operation", "previous operation", Scope::AnnotationForm, |app| {
        with_annotation_form(app, |sheet| sheet.cycle_op(false));
    })
    .available_when(is_outside_note),
    AppCommand::new(
        "sheet.offer.next",
        &["Down", "Ctrl-n"],
        "values",
        "suggest the next existing value",
        Scope::AnnotationForm,
        |app| {
            with_annotation_form(app, |sheet| sheet.cycle_suggestion(true));
        },
    )
    .with_hint(4)
    .available_when(has_suggestions),
    AppCommand::new(
        "sheet.offer.previous",
        &["Up", "Ctrl-p"],
        "previous value",
        "suggest the previous existing value",
        Scope::AnnotationForm,
        |app| {
            with_annotation_form(app, |sheet| sheet.cycle_suggestion(false));
        },
    )
    .available_when(has_suggestions),
    AppCommand::new(
        "sheet.enter",
        &["Enter"],
        "continue",
        "restore the draft, start the note, or go to the next field",
        Scope::AnnotationForm,
        press_enter,
    ),
    AppCommand::new(
        "sheet.forget",
        &["Ctrl-x"],
        "discard",
        "discard the offered draft, or what you typed (asks first)",
        Scope::AnnotationForm,
        |app| {
            if app.annotation_form.as_ref().is_some_and(AnnotationForm::offers_draft) {
                app.discard_offered_draft()
            } else {
                app.confirm_discard_draft()
            }
        },
    )
    .available_when(has_input),
    AppCommand::new("sheet.read", &["Ctrl-r"], "refresh", "refresh the records", Scope::AnnotationForm, |app| {
        let now = app.service_now();
        let ids = app.annotation_form.as_ref().map(|sheet| sheet.stale_records(now)).unwrap_or_default();
        app.read_annotated_records(&ids);
    })
    .with_cost("1 cr a record")
    .with_hint(6)
    .available_when(can_read),
    AppCommand::new("sheet.editor", &["Ctrl-o"], "$EDITOR", "edit the note in your own editor", Scope::AnnotationForm, |app| {
        with_annotation_form(app, AnnotationForm::start_note);
        let note = app.annotation_form.as_ref().map(|sheet| sheet.inputs.note.text().to_owned());
        app.effects.extend(note.map(|text| Effect::OpenEditor { purpose: EditorPurpose::Note, text }));
    })
    .with_hint(7)
    .available_when(is_on_note_line),
    AppCommand::new("sheet.down", &["PgDn"], "preview down", "scroll the preview down", Scope::AnnotationForm, |app| {
        let page = usize::from(app.layout.form_preview.height.max(1));
        with_annotation_form(app, |sheet| sheet.top = sheet.top.saturating_add(page));
    })
    .with_hint(8)
    .available_when(has_more),
    AppCommand::new("sheet.up", &["PgUp"], "preview up", "scroll the preview up", Scope::AnnotationForm, |app| {
        let page = usize::from(app.layout.form_preview.height.max(1));
        with_annotation_form(app, |sheet| sheet.top = sheet.top.saturating_sub(page));
    }),
    AppCommand::new(
        "sheet.leave",
        &["Esc"],
        "close",
        "close without saving; what you typed is kept",
        Scope::AnnotationForm,
        App::leave_annotation_form,
    )
    .with_hint(5),
    AppCommand::new("sheet.help", &["F1"], "help", "list the keys of this form", Scope::AnnotationForm, |app| {
        app.overlay = Some(Overlay::Palette(CommandPalette::for_help(Scope::AnnotationForm, &app.keymap)));
    })
    .with_hint(9),
];

fn with_annotation_form(app: &mut App, change: impl FnOnce(&mut AnnotationForm)) {
    if let Some(sheet) = &mut app.annotation_form {
        change(sheet);
    }
}

fn can_annotate(app: &App) -> Availability {
    app.can_write()?;
    let has_one = app.annotation_targets().is_some_and(|(_, mut subjects)| subjects.next().is_some());
    if has_one { Ok(()) } else { Err("there is no record here".into()) }
}

fn can_set_tier(app: &App) -> Availability {
    can_annotate(app)?;
    match app.annotation_targets() {
        Some((RecordKind::Accounts, _)) => Ok(()),
        _ => Err("only accounts have a tier".into()),
    }
}

fn can_apply(app: &App) -> Availability {
    app.can_write()?;
    let Some(sheet) = &app.annotation_form else { return Err("no annotation form is open".into()) };
    if app.is_reading_annotated_records() {
        return Err("the records are still loading".into());
    }
    if sheet.inputs.touched_fields().is_empty() {
        return Err(app
            .keymap
            .expand_keys("nothing to write yet: type something, or choose an operation with {sheet.op.next}")
            .into());
    }
    Ok(())
}

fn is_outside_note(app: &App) -> Availability {
    if app.annotation_form.as_ref().is_some_and(|sheet| !sheet.is_editing_note) {
        Ok(())
    } else {
        Err(app.keymap.expand_keys("you are editing the note; {sheet.leave} leaves it").into())
    }
}

fn is_on_note_line(app: &App) -> Availability {
    if app.annotation_form.as_ref().is_some_and(|sheet| sheet.current_line == FormField::Notes) {
        Ok(())
    } else {
        Err(app.keymap.expand_keys("only for the note; {sheet.next} goes there").into())
    }
}

fn has_input(app: &App) -> Availability {
    let has = app.annotation_form.as_ref().is_some_and(|sheet| sheet.offers_draft() || !sheet.inputs.is_empty());
    if has { Ok(()) } else { Err("you have not typed anything".into()) }
}

fn has_suggestions(app: &App) -> Availability {
    is_outside_note(app)?;
    let has = app.annotation_form.as_ref().is_some_and(|sheet| !sheet.suggestions(sheet.current_line).is_empty());
    if has { Ok(()) } else { Err("there is no other existing value".into()) }
}

fn can_read(app: &App) -> Availability {
    if app.is_reading_annotated_records() {
        return Err("the records are already loading".into());
    }
    let unread = app.annotation_form.as_ref().is_some_and(|sheet| !sheet.stale_records(app.service_now()).is_empty());
    if unread { Ok(()) } else { Err("the records were just read".into()) }
}

fn has_more(app: &App) -> Availability {
    if app.layout.form_preview_lines > usize::from(app.layout.form_preview.height) {
        Ok(())
    } else {
        Err("the whole preview is visible".into())
    }
}

fn press_enter(app: &mut App) {
    let Some(sheet) = &mut app.annotation_form else { return };
    if sheet.offers_draft() {
        app.apply_offered_draft();
    } else if sheet.current_line == FormField::Notes {
        sheet.start_note();
    } else {
        sheet.step_line(true);
    }
}

impl App {
    /// Whether a record of the form is being written: the form's own writes come after that one.
    fn is_annotation_write_pending(&self) -> bool {
        self.annotation_form.as_ref().is_some_and(|sheet| sheet.records.iter().any(|row| self.pending_writes.is_pending(row.id)))
    }

    /// Handles a key in the form: text goes to the current line, everything else to the command table. Returns the command to
    /// run.
    pub(in crate::app) fn key_in_annotation_form(&mut self, key: Key) -> Option<&'static Command> {
        let sheet = self.annotation_form.as_mut()?;
        let event = key.to_event();
        if sheet.is_editing_note && TextArea::accepts_key(event) {
            sheet.inputs.note.handle_key(event);
            self.notice = None;
            return None;
        }
        if sheet.type_character(key) {
            self.notice = None;
            return None;
        }
        match self.keymap.look_up(Scope::AnnotationForm, &[key]) {
            KeyLookup::Command(command) => return Some(command),
            _ => match self.keymap.look_up(Scope::Global, &[key]) {
                KeyLookup::Command(command) if matches!(command.id, "suspend" | "redraw") => return Some(command),
                _ => {
                    if let Some(sheet) = &mut self.annotation_form {
                        sheet.edit_field(key);
                    }
                }
            },
        }
        None
    }

    /// Takes over the note from the user's editor.
    pub(in crate::app) fn take_edited_note(&mut self, text: &str) {
        if let Some(sheet) = &mut self.annotation_form {
            sheet.inputs.note = TextArea::with_text(text.trim_end());
            self.notice = None;
        }
    }

    /// Pastes into the current field.
    pub(in crate::app) fn paste_in_annotation_form(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        let sheet = self.annotation_form.as_mut()?;
        if sheet.current_line == FormField::Notes {
            sheet.start_note();
            return Some(sheet.inputs.note.paste(text));
        }
        // A tier is chosen, not pasted.
        let entry = sheet.inputs.entry_mut(sheet.current_line).filter(|entry| entry.line != FormField::Tier)?;
        let pasted = entry.input.paste(text);
        if pasted.is_ok() {
            sheet.mark_as_typed();
        }
        Some(pasted)
    }
}

impl AnnotationForm {
    /// Types a character; false when the key is not one.
    fn type_character(&mut self, key: Key) -> bool {
        use crossterm::event::{KeyCode, KeyModifiers};
        let event = key.to_event();
        let KeyCode::Char(c) = event.code else { return false };
        if event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return false;
        }
        match self.current_line {
            FormField::Tier => {
                if let (Some(tier), Some(entry)) = (tier_for_letter(c), self.inputs.entry_mut(FormField::Tier)) {
                    entry.input = TextInput::with_text(tier.as_str());
                    self.mark_as_typed();
                }
            }
            FormField::Notes => {
                self.start_note();
                self.inputs.note.handle_key(event);
            }
            _ => self.edit_field(key),
        }
        true
    }

    fn edit_field(&mut self, key: Key) {
        if self.current_line == FormField::Tier {
            return;
        }
        let changed = self.inputs.entry_mut(self.current_line).is_some_and(|entry| entry.input.handle_key(key.to_event()));
        if changed {
            self.mark_as_typed();
        }
    }

    fn mark_as_typed(&mut self) {
        self.cycling = None;
        self.ensure_op();
    }
}
