//! The commands of the book.

use crate::app::App;
use crate::app::action::Action;
use crate::app::command::{AppCommand, Availability, Scope};
use crate::app::format::pluralize;
use crate::app::pending_writes::{ReversibleWrite, WriteOp};

/// In help order.
pub const COMMANDS: &[AppCommand] =
    &[AppCommand::new("book.remove", &["D"], "remove", "remove the records from the book, for everyone", Scope::Book, remove)
        .with_hint(10)
        .with_write()
        .available_when(can_remove)];

fn can_remove(app: &App) -> Availability {
    app.can_write()?;
    if app.displayed_list().is_some_and(|list| list.current_record().is_some()) {
        Ok(())
    } else {
        Err("there is no row here".into())
    }
}

fn remove(app: &mut App) {
    let shelf = app.book.current_kind();
    let Some(list) = app.displayed_list() else { return };
    let ids = list.selection();
    let what = pluralize(ids.len(), shelf.singular_name());
    let names: Vec<String> =
        ids.iter().take(5).filter_map(|id| list.row(*id)?.fields().text("name").map(str::to_owned)).collect();
    let more = if ids.len() > names.len() { format!(" and {} more", ids.len() - names.len()) } else { String::new() };
    let text = format!(
        "{}{more}: status, tags, notes and tier go too. {} restores what was loaded here.\n\n{}",
        names.join(", "),
        app.command_key_name("undo"),
        list.describe_scope(ids.len()),
    );
    let changes = ids
        .into_iter()
        .map(|id| ReversibleWrite {
            forward: WriteOp::Forget(shelf.clone(), id),
            back: app.restorable_annotation(shelf, id).map(|known| WriteOp::Annotate(shelf.clone(), id, known)),
        })
        .collect();
    let then = Action::Write(format!("{what} removed from the book"), changes);
    app.confirm_change(&format!("remove {what} from the book for everyone"), text, then);
}
