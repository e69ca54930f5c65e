//! A column: a field of the rows of a list, what its values are, and what people call it.

use super::field_kind::{FieldKind, ListSort, humanize_key};

/// A column as plain data: of a table of the command line, or, with its layout on the screen, of a
/// list of the console.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column<Layout = ()> {
    /// Its name in options and preferences, and in words for the user. In records, the field's name
    /// in the interface.
    pub key: &'static str,
    /// Its name for the user, if that is not its key.
    pub name: Option<&'static str>,
    pub heading: &'static str,
    pub kind: FieldKind,
    /// Whether it is shown by default. CSV has the others too.
    pub is_shown: bool,
    /// Other possible names of the field, where the interface does not specify one.
    pub aliases: &'static [&'static str],
    /// The field with the web page that a cell links to.
    pub link_field: Option<&'static str>,
    pub layout: Layout,
}

pub const fn column(key: &'static str, heading: &'static str, kind: FieldKind) -> Column {
    Column {
        key,
        name: None,
        heading,
        kind,
        is_shown: true,
        aliases: &[],
        link_field: None,
        layout: (),
    }
}

pub const fn text_column(key: &'static str, heading: &'static str) -> Column {
    column(key, heading, FieldKind::Text)
}

impl Column {
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Column {
        Column { aliases, ..self }
    }

    pub const fn with_link(self, field: &'static str) -> Column {
        Column {
            link_field: Some(field),
            ..self
        }
    }

    pub const fn with_layout<Layout>(self, layout: Layout) -> Column<Layout> {
        Column {
            key: self.key,
            name: self.name,
            heading: self.heading,
            kind: self.kind,
            is_shown: self.is_shown,
            aliases: self.aliases,
            link_field: self.link_field,
            layout,
        }
    }
}

impl<Layout: Copy> Column<Layout> {
    /// The same column with another name for the user than its key.
    pub const fn with_name(self, name: &'static str) -> Column<Layout> {
        Column {
            name: Some(name),
            ..self
        }
    }

    /// The same column, shown only when it is chosen.
    pub const fn hidden(self) -> Column<Layout> {
        Column {
            is_shown: false,
            ..self
        }
    }

    /// Its name for the user.
    pub fn title(&self) -> String {
        self.name
            .map_or_else(|| humanize_key(self.key), str::to_owned)
    }

    /// Sorted by it, in the usual direction first.
    pub fn usual_sort(&self) -> ListSort {
        ListSort::usual_order(self.key, self.kind)
    }
}
