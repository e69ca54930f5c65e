//! The commands of the book.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::format::pluralize;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::book::BookPane;
use crate::domain::writes::{ReversibleWrite, WriteOp};

type Row = PaneCommand<BookPane>;

/// In help order.
pub const COMMANDS: &[Row] = &[Row::at("book.remove", &shared::DELETE, remove)
    .with_words("remove", "remove the records from the book, for everyone")
    .with_hint_text(10, |_, cx| {
        (cx.frame.layout().frame.width >= 100).then_some("remove")
    })
    .with_write()
    .available_when(can_remove)];

fn can_remove(book: &BookPane, cx: &Context) -> Availability {
    require(
        book.list(cx)
            .is_some_and(|list| list.current_record().is_some()),
        "there is no row here",
    )
}

fn remove(book: &mut BookPane, cx: &mut Context) {
    let kind = book.current_kind();
    let Some(list) = book.list(cx) else { return };
    let ids = list.selection();
    let what = pluralize(ids.len(), kind.singular_name());
    let names: Vec<String> = ids
        .iter()
        .take(5)
        .filter_map(|id| list.row(*id)?.fields().text("name").map(str::to_owned))
        .collect();
    let more = if ids.len() > names.len() {
        format!(" and {} more", ids.len() - names.len())
    } else {
        String::new()
    };
    let text = format!(
        "{}{more}: status, tags, notes and tier go too. {} restores what was loaded here.\n\n{}",
        names.join(", "),
        cx.keymap.label_or_palette_name("undo"),
        list.describe_scope(ids.len()),
    );
    let changes = ids
        .into_iter()
        .map(|id| ReversibleWrite {
            forward: WriteOp::Forget(kind.clone(), id),
            back: cx
                .records
                .restorable_annotation(kind, id)
                .map(|known| WriteOp::Annotate(kind.clone(), id, known)),
        })
        .collect();
    let then = Action::Write(format!("{what} removed from the book"), changes);
    cx.ui.confirm_change(
        &format!("remove {what} from the book for everyone"),
        text,
        then,
    );
}
