//! The book's rows of the command table.

use crate::app::App;
use crate::app::command::{Can, Command, Scope};
use crate::app::format::plural;
use crate::app::intent::Intent;
use crate::app::writes::{ReversibleWrite, WriteOp};

/// The rows, in the order of help.
pub const COMMANDS: &[Command] =
    &[Command::new("book.remove", &["D"], "remove", "take the records out of the book, for everyone", Scope::Book, remove)
        .hinted(10)
        .writing()
        .when(can_remove)];

fn can_remove(app: &App) -> Can {
    app.can_write()?;
    if app.records().is_some_and(|list| list.current().is_some()) { Ok(()) } else { Err("there is no row here".into()) }
}

fn remove(app: &mut App) {
    let shelf = app.book.shelf();
    let Some(list) = app.records() else { return };
    let ids = list.chosen();
    let what = plural(ids.len(), shelf.singular_name());
    let names: Vec<String> =
        ids.iter().take(5).filter_map(|id| list.row(*id)?.fields().text("name").map(str::to_owned)).collect();
    let more = if ids.len() > names.len() { format!(" and {} more", ids.len() - names.len()) } else { String::new() };
    let text = format!(
        "{}{more}: gone with status, tags, notes and tier. {} brings back what was read of them here.\n\n{}",
        names.join(", "),
        app.key_name("undo"),
        list.scope(ids.len()),
    );
    let changes = ids
        .into_iter()
        .map(|id| ReversibleWrite {
            forward: WriteOp::Forget(shelf.clone(), id),
            back: app.known_annotation(shelf, id).map(|known| WriteOp::Annotate(shelf.clone(), id, known)),
        })
        .collect();
    let then = Intent::Write(format!("{what} removed from the book"), changes);
    app.ask_first(&format!("remove {what} from the book for everyone"), text, then);
}
