//! The commands of the record page.

use super::{embedded_dataset, record_name};
use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::effect::RecordKey;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};
use crate::domain::book::{Annotation, RecordKind};

/// In help order.
pub const COMMANDS: &[AppCommand] = &[
    AppCommand::new(
        "record.open",
        &["Enter", "l", "Right"],
        "open",
        "open the record under the cursor",
        Scope::Record,
        open_related,
    )
    .with_cost("1 cr once per record")
    .with_hint(1)
    .available_when(has_related),
    AppCommand::new("record.save", &["b"], "save", "save the record to the book, for everyone", Scope::Record, save_record)
        .with_hint(3)
        .with_immediate_write()
        .available_when(can_save_record),
    AppCommand::new("record.reload", &["r"], "refresh", "refresh the record", Scope::Record, |app| {
        if let Some(key) = app.page_stack.page().map(|page| page.key.clone()) {
            app.read_record(key, true);
        }
    })
    .with_cost("1 cr")
    .with_hint(5),
    AppCommand::new(
        "record.switch",
        &["Tab", "Shift-Tab"],
        "pane",
        "switch between the facts and the side list",
        Scope::Record,
        |app| {
            if let Some(page) = app.page_stack.page_mut() {
                page.related_focused = !page.related_focused;
            }
        },
    )
    .with_hint(4)
    .available_when(|app| {
        if app.layout.side_panel.is_empty() {
            Err(app.keymap.expand_keys("the lists are tabs at this width; {tab.next} goes there").into())
        } else {
            Ok(())
        }
    }),
    AppCommand::new("record.back", &["h", "Left"], "back", "go back, for free", Scope::Record, |app| app.perform(Action::GoBack))
        .with_hint(2),
];

fn has_related(app: &App) -> Availability {
    let at = app.page_stack.page().map_or(0, |page| page.related_scroll.cursor);
    if app.layout.side_has_focus && app.related_records().get(at).is_some() {
        Ok(())
    } else {
        Err(app.keymap.expand_keys("there is no record under the cursor; {tab.next} shows the lists").into())
    }
}

fn open_related(app: &mut App) {
    let Some(page) = app.page_stack.page() else { return };
    let Some(include) = page.current_include() else { return };
    let dataset = embedded_dataset(include);
    let Some(record) = app.related_records().get(page.related_scroll.cursor) else { return };
    let (id, name) = (record.id, record_name(&record.fields()));
    app.open_record_page(RecordKey { dataset, id, in_book: false }, name);
}

fn can_save_record(app: &App) -> Availability {
    app.can_write()?;
    match app.page_stack.page() {
        Some(page) if page.key.in_book => Err("already in the book".into()),
        Some(page) if page.key.dataset == crate::domain::book::Dataset::Signals => {
            Err("signals cannot be saved; save their projects".into())
        }
        Some(_) => Ok(()),
        None => Err("there is no record here".into()),
    }
}

fn save_record(app: &mut App) {
    let Some(page) = app.page_stack.page() else { return };
    let (shelf, id, name): (RecordKind, _, _) = (page.key.dataset.as_str().into(), page.key.id, page.name.clone());
    let change = ReversibleWrite { forward: WriteOp::Annotate(shelf, id, Annotation::default()), back: None };
    app.write_changes(format!("{name} saved to the book"), vec![change]);
}
