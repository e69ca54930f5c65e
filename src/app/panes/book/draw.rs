//! Drawing of the book: its datasets as tabs, and the list of the one that is shown.

use ratatui::buffer::Buffer;

use crate::app::App;
use crate::app::format::words;
use crate::app::panes::records;
use crate::domain::book::Shelf;
use crate::ui::{Piece, Role, piece};

/// The labels of the tabs: how many records there are stands behind a name, where it is known.
pub fn tabs(app: &App) -> Vec<(Vec<Piece<'static>>, usize)> {
    Shelf::ALL
        .iter()
        .enumerate()
        .map(|(n, shelf)| {
            let list = app.book.list(shelf).filter(|list| list.search.is_whole());
            let total = list.and_then(records::draw::total_words).map(|total| format!(" {total}")).unwrap_or_default();
            let mut name = words(shelf.as_str());
            name[..1].make_ascii_uppercase();
            let role = if n == app.book.tab { Role::Chosen } else { Role::Muted };
            (vec![piece(role, format!("{name}{total}"))], n)
        })
        .collect()
}

/// Draws the pane.
pub fn draw(app: &App, buf: &mut Buffer) {
    let title = vec![piece(Role::Strong, format!("Book {} {}", app.theme().glyphs().into, app.book.shelf()))];
    records::draw::draw(app, &app.book.shown(), title, app.areas.panel, true, buf);
}
