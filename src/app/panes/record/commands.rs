//! The record page's rows of the command table.

use super::{embedded_dataset, name_of};
use crate::app::App;
use crate::app::command::{Can, Command, Scope};
use crate::app::effect::RecordKey;
use crate::app::writes::{ReversibleWrite, WriteOp};
use crate::domain::book::{Annotation, RecordKind};

/// The rows, in the order of help.
pub const COMMANDS: &[Command] = &[
    Command::new("record.open", &["Enter", "l", "Right"], "open", "open the record under the cursor", Scope::Record, open)
        .costing("1 cr once a record")
        .hinted(1)
        .when(has_related),
    Command::new("record.save", &["b"], "save", "save the record to the book, for everyone", Scope::Record, save)
        .hinted(3)
        .writing_at_once()
        .when(can_save),
    Command::new("record.reload", &["r"], "read again", "read the record again", Scope::Record, |app| {
        if let Some(key) = app.trail.page().map(|page| page.key.clone()) {
            app.read_record(key, true);
        }
    })
    .costing("1 cr")
    .hinted(5),
    Command::new(
        "record.switch",
        &["Tab", "Shift-Tab"],
        "pane",
        "go between the facts and the list beside",
        Scope::Record,
        |app| {
            if let Some(page) = app.trail.page_mut() {
                page.on_related = !page.on_related;
            }
        },
    )
    .hinted(4)
    .when(|app| {
        if app.areas.aside.is_empty() {
            Err(app.keymap.words("the lists are tabs at this width; {tab.next} goes there").into())
        } else {
            Ok(())
        }
    }),
    Command::new("record.back", &["h", "Left"], "back", "go back; it costs nothing", Scope::Record, App::back).hinted(2),
];

fn has_related(app: &App) -> Can {
    let at = app.trail.page().map_or(0, |page| page.related.cursor);
    if app.areas.keys_beside && app.related().get(at).is_some() {
        Ok(())
    } else {
        Err(app.keymap.words("there is no record under the cursor; {tab.next} shows the lists").into())
    }
}

fn open(app: &mut App) {
    let Some(page) = app.trail.page() else { return };
    let Some(include) = page.include() else { return };
    let dataset = embedded_dataset(include);
    let Some(record) = app.related().get(page.related.cursor) else { return };
    let (id, name) = (record.id, name_of(&record.fields()));
    app.open_page(RecordKey { dataset, id, in_book: false }, name);
}

fn can_save(app: &App) -> Can {
    app.can_write()?;
    match app.trail.page() {
        Some(page) if page.key.in_book => Err("this record is in the book already".into()),
        Some(page) if page.key.dataset == crate::domain::book::Dataset::Signals => {
            Err("signals are in no book; their projects are".into())
        }
        Some(_) => Ok(()),
        None => Err("there is no record here".into()),
    }
}

fn save(app: &mut App) {
    let Some(page) = app.trail.page() else { return };
    let (shelf, id, name): (RecordKind, _, _) = (page.key.dataset.as_str().into(), page.key.id, page.name.clone());
    let change = ReversibleWrite { forward: WriteOp::Annotate(shelf, id, Annotation::default()), back: None };
    app.write(format!("{name} saved to the book"), vec![change]);
}
