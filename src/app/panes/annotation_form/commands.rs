//! The commands that open the annotation form, and those that work inside it.

use uuid::Uuid;

use crate::app::command::keymap::KeyLookup;
use crate::app::command::keys::Key;
use crate::app::command::{Availability, Command, Scope, require, shared};
use crate::app::format::humanize;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::CommandPalette;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::annotation_form::field_inputs::FormField;
use crate::app::panes::annotation_form::read_write::is_reading;
use crate::app::panes::annotation_form::{AnnotationForm, AnnotationFormPane};
use crate::app::price::Price;
use crate::app::{Context, Screen};
use crate::domain::book::{IcpTier, RecordKind};
use crate::ui::text_area::TextArea;
use crate::ui::text_input::PasteTooLong;

type Row = PaneCommand<AnnotationFormPane>;

/// The commands that open the form, in help order.
pub const OPEN_COMMANDS: &[Row] = &[
    Row::at("annotate.all", &shared::ANNOTATE, |form, cx| {
        form.open_chosen(None, cx);
    })
    .with_write()
    .with_hint_text(5, |_, cx| {
        (cx.ui.screen() != Screen::Queue).then_some("annotate")
    })
    .available_when(can_annotate),
    Row::new(
        "annotate.status",
        &["a s"],
        "status",
        "annotate the records, starting with the status",
        |form, cx| {
            form.open_chosen(Some(FormField::Status), cx);
        },
    )
    .with_write()
    .available_when(can_annotate),
    Row::new(
        "annotate.tags",
        &["a t"],
        "tags",
        "add or remove tags",
        |form, cx| {
            form.open_chosen(Some(FormField::Tags), cx);
        },
    )
    .with_write()
    .available_when(can_annotate),
    Row::new(
        "annotate.note",
        &["a n"],
        "note",
        "write a note on the records",
        |form, cx| {
            form.open_chosen(Some(FormField::Notes), cx);
        },
    )
    .with_write()
    .available_when(can_annotate),
    Row::new(
        "annotate.tier",
        &["a i"],
        "tier",
        "set the ICP tier of the accounts",
        |form, cx| {
            form.open_chosen(Some(FormField::Tier), cx);
        },
    )
    .with_write()
    .available_when(can_set_tier),
    Row::new(
        "annotate.editor",
        &["a e"],
        "edit as text",
        "annotate the record in your own editor, all fields at once",
        |form, cx| {
            form.open_chosen(None, cx);
            form.open_record_in_editor(cx);
        },
    )
    .with_write()
    .available_when(can_annotate),
];

/// The commands of the form, in help order.
pub const COMMANDS: &[Row] = &[
    Row::at("form.apply", &shared::APPLY, AnnotationFormPane::apply)
        .with_keys(&["Ctrl-s", "Ctrl-Enter"])
        .with_description("save for everyone, as one change you can undo")
        .with_immediate_write()
        .with_price(
            "1 cr a record in the book: each is read again just before writing",
            |form, _| {
                form.form
                    .as_ref()
                    .map_or(Price::Free, AnnotationForm::write_price)
            },
        )
        .with_hint(1)
        .deferred_while(|form, cx| form.is_write_pending(cx))
        .available_when(can_apply),
    Row::at("form.next", &shared::DOWN, |form, _| {
        form.change(|form| form.step_line(true));
    })
    .with_keys(&["Tab"])
    .with_description("go to the next field")
    .with_title("field")
    .with_hint(2),
    Row::at("form.previous", &shared::UP, |form, _| {
        form.change(|form| form.step_line(false));
    })
    .with_keys(&["Shift-Tab"]),
    Row::at("form.op.next", &shared::NEXT_VALUE, |form, _| {
        form.change(|form| form.cycle_op(true));
    })
    .with_keys(&["Right"])
    .with_words("operation", "next operation (keep, set, clear, add, ...)")
    .with_hint(3)
    .available_when(is_outside_note),
    Row::at("form.op.previous", &shared::PREVIOUS_VALUE, |form, _| {
        form.change(|form| form.cycle_op(false));
    })
    .with_keys(&["Left"])
    .available_when(is_outside_note),
    Row::at("form.offer.next", &shared::COMPLETE, |form, _| {
        form.change(|form| form.cycle_suggestion(true));
    })
    .with_keys(&["Down", "Ctrl-n"])
    .with_title("values")
    .with_hint(4)
    .available_when(has_suggestions),
    Row::at("form.offer.previous", &shared::COMPLETE_BACK, |form, _| {
        form.change(|form| form.cycle_suggestion(false));
    })
    .with_keys(&["Up", "Ctrl-p"])
    .available_when(has_suggestions),
    Row::at("form.enter", &shared::ACCEPT, press_enter).with_words(
        "continue",
        "restore the draft, start the note, or go to the next field",
    ),
    Row::new(
        "form.forget",
        &["Ctrl-x"],
        "discard",
        "discard the offered draft, or what you typed (asks first)",
        |form, cx| {
            if form.form.as_ref().is_some_and(AnnotationForm::offers_draft) {
                form.discard_offered_draft(cx)
            } else {
                form.confirm_discard_draft(cx)
            }
        },
    )
    .available_when(has_input),
    Row::new(
        "form.read",
        &["Ctrl-r"],
        "refresh",
        "refresh the records",
        |form, cx| {
            form.read(&stale_records(form, cx), cx);
        },
    )
    .with_price("1 cr a record", |form, cx| {
        let stale = stale_records(form, cx);
        form.form
            .as_ref()
            .map_or(Price::Free, |open| open.read_price(&stale))
    })
    .with_hint(6)
    .available_when(can_read),
    Row::new(
        "form.editor",
        &["Ctrl-o"],
        "$EDITOR",
        "edit the note in your own editor; on another field, the whole record",
        AnnotationFormPane::open_editor,
    )
    .with_hint(7)
    .available_when(can_open_editor),
    Row::at("form.down", &shared::PAGE_DOWN, |form, _| {
        form.scroll(form.page());
    })
    .with_keys(&["PgDn"])
    .with_description("scroll the preview down")
    .with_title("preview down")
    .with_hint(8)
    .available_when(has_more),
    Row::at("form.up", &shared::PAGE_UP, |form, _| {
        form.scroll(-form.page());
    })
    .with_keys(&["PgUp"])
    .with_description("scroll the preview up"),
    Row::at("form.leave", &shared::BACK, AnnotationFormPane::leave)
        .with_description("close without saving; what you typed is kept")
        .with_hint(5),
    Row::at("form.help", &shared::HELP, |_, cx| {
        cx.ui.overlay = Some(Overlay::Palette(CommandPalette::for_help(
            Scope::AnnotationForm,
            &cx.keymap,
            cx.taught_commands(),
        )));
    })
    .with_keys(&["F1"])
    .with_hint(9),
];

/// The commands that work without the form.
pub const DRAFT_COMMANDS: &[Row] = &[Row::new(
    "go.typed",
    &["g t"],
    "drafts",
    "list unsaved annotation drafts",
    AnnotationFormPane::list_drafts,
)
.available_when(has_drafts)];

fn stale_records(form: &AnnotationFormPane, cx: &Context) -> Vec<Uuid> {
    form.form
        .as_ref()
        .map(|open| open.stale_records(cx.clock.service_now()))
        .unwrap_or_default()
}

fn has_drafts(form: &AnnotationFormPane, cx: &Context) -> Availability {
    let reason = match cx.drafts.has_persistent_drafts() {
        true => "no unsaved drafts",
        false => "no unsaved drafts; those of the sample end with the program",
    };
    require(!form.drafts.is_empty(), reason)
}

fn can_annotate(_: &AnnotationFormPane, cx: &Context) -> Availability {
    require(cx.has_chosen_record(), "there is no record here")
}

fn can_set_tier(form: &AnnotationFormPane, cx: &Context) -> Availability {
    can_annotate(form, cx)?;
    match cx.chosen_records() {
        Some((RecordKind::Accounts, _)) => Ok(()),
        _ => Err("only accounts have a tier".into()),
    }
}

fn can_apply(form: &AnnotationFormPane, cx: &Context) -> Availability {
    let Some(open) = &form.form else {
        return Err("no annotation form is open".into());
    };
    require(!is_reading(cx), "the records are still loading")?;
    if let Some(why) = open.inputs.tier_rejection() {
        let tiers: Vec<_> = IcpTier::ALL
            .iter()
            .map(|tier| humanize(tier.as_str()))
            .collect();
        return Err(format!("{why}: {}", tiers.join(", ")).into());
    }
    if open.inputs.touched_fields().is_empty() {
        let text =
            "nothing to write yet: type something, or choose an operation with {form.op.next}";
        return Err(text.into());
    }
    Ok(())
}

fn is_outside_note(form: &AnnotationFormPane, _: &Context) -> Availability {
    require(
        form.form.as_ref().is_some_and(|open| !open.is_editing_note),
        "you are editing the note; {form.leave} leaves it",
    )
}

fn can_open_editor(form: &AnnotationFormPane, _: &Context) -> Availability {
    require(
        form.form.as_ref().is_some_and(|open| {
            open.current_line == FormField::Notes || open.single_record().is_some()
        }),
        "for several records, only the note; {form.next} goes there",
    )
}

fn has_input(form: &AnnotationFormPane, _: &Context) -> Availability {
    let has = form
        .form
        .as_ref()
        .is_some_and(|open| open.offers_draft() || !open.inputs.is_empty());
    require(has, "you have not typed anything")
}

fn has_suggestions(form: &AnnotationFormPane, cx: &Context) -> Availability {
    is_outside_note(form, cx)?;
    let has = form
        .form
        .as_ref()
        .is_some_and(|open| !open.suggestions(open.current_line).is_empty());
    require(has, "there is no other existing value")
}

fn can_read(form: &AnnotationFormPane, cx: &Context) -> Availability {
    require(!is_reading(cx), "the records are already loading")?;
    let unread = form
        .form
        .as_ref()
        .is_some_and(|open| !open.stale_records(cx.clock.service_now()).is_empty());
    require(unread, "the records were just read")
}

fn has_more(form: &AnnotationFormPane, _: &Context) -> Availability {
    require(
        form.preview_len > usize::from(form.preview_rows.height),
        "the whole preview is visible",
    )
}

fn press_enter(form: &mut AnnotationFormPane, cx: &mut Context) {
    let Some(open) = &mut form.form else { return };
    if open.offers_draft() {
        form.apply_offered_draft(cx);
    } else if open.current_line == FormField::Notes {
        open.start_note();
    } else {
        open.step_line(true);
    }
}

impl AnnotationFormPane {
    fn change(&mut self, change: impl FnOnce(&mut AnnotationForm)) {
        self.form.as_mut().map(change);
    }

    /// The height of the preview, for scrolling.
    fn page(&self) -> isize {
        isize::try_from(self.preview_rows.height.max(1)).unwrap_or(1)
    }

    /// Whether a record of the form is being written: the form's own writes come after that one.
    fn is_write_pending(&self, cx: &Context) -> bool {
        self.form.as_ref().is_some_and(|open| {
            open.records
                .iter()
                .any(|row| cx.outbox.is_record_pending(row.id))
        })
    }

    /// Handles a key in the form: text goes to the current line, everything else to the command
    /// table. Returns the command to run.
    pub fn on_key(&mut self, key: Key, cx: &mut Context) -> Option<&'static Command> {
        let open = self.form.as_mut()?;
        let event = key.to_event();
        if open.is_editing_note && TextArea::accepts_key(event) {
            open.inputs.note.handle_key(event);
            cx.ui.notice = None;
            return None;
        }
        if open.has_left_note && open.current_line == FormField::Notes && key.is_character() {
            cx.ui.notice = Some(
                Notice::info("You left the note.")
                    .with_hint("{form.enter} edits it, {form.leave} closes the form"),
            );
            return None;
        }
        if open.type_character(key) {
            cx.ui.notice = None;
            return None;
        }
        match cx.keymap.look_up(Scope::AnnotationForm, &[key]) {
            KeyLookup::Command(command) => return Some(command),
            _ => match cx.keymap.look_up(Scope::Global, &[key]) {
                KeyLookup::Command(command) if matches!(command.id, "suspend" | "redraw") => {
                    return Some(command);
                }
                _ => open.edit_field(key),
            },
        }
        None
    }
}

impl AnnotationForm {
    /// Types a character; false when the key is not one.
    fn type_character(&mut self, key: Key) -> bool {
        let event = key.to_event();
        if !key.is_character() {
            return false;
        }
        if self.current_line == FormField::Notes {
            self.start_note();
            self.inputs.note.handle_key(event);
        } else {
            self.edit_field(key);
        }
        true
    }

    /// Pastes into the current field.
    pub(super) fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        if self.current_line == FormField::Notes {
            self.start_note();
            return Some(self.inputs.note.paste(text));
        }
        let entry = self.inputs.entry_mut(self.current_line)?;
        let pasted = entry.input.paste(text);
        if pasted.is_ok() {
            self.mark_as_typed();
        }
        Some(pasted)
    }

    fn edit_field(&mut self, key: Key) {
        let changed = self
            .inputs
            .entry_mut(self.current_line)
            .is_some_and(|entry| entry.input.handle_key(key.to_event()));
        if changed {
            self.mark_as_typed();
        }
    }

    fn mark_as_typed(&mut self) {
        self.cycling = None;
        self.ensure_op();
    }
}
