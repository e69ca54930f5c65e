//! What the values of a column are, which decides how they are sorted, grouped, counted and drawn; an
//! order of rows by a column; and what a field is called.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Names and free text: nearly every row has another.
    Name,
    Text,
    /// Words of the interface, written with underscores.
    Word,
    /// Several such words, as tags are.
    List,
    /// Words with an order of their own.
    Rank,
    /// A number whose sum says something.
    Count,
    Number,
    /// US dollars.
    Money,
    /// Days until something happens.
    Days,
    Date,
    /// A date with its time of day.
    Time,
    /// What identifies a row: a part of it says nothing.
    Id,
}

impl FieldKind {
    /// Whether the beginning of a value says something, unlike that of a number or a date.
    pub fn is_text(self) -> bool {
        matches!(self, FieldKind::Name | FieldKind::Text) || self.is_word()
    }

    pub fn is_word(self) -> bool {
        matches!(self, FieldKind::Word | FieldKind::List | FieldKind::Rank)
    }

    pub const fn is_numeric(self) -> bool {
        matches!(
            self,
            FieldKind::Count | FieldKind::Number | FieldKind::Money | FieldKind::Days
        )
    }

    pub fn is_date(self) -> bool {
        matches!(self, FieldKind::Date | FieldKind::Time)
    }

    /// Whether a sum of its values says something.
    pub fn is_additive(self) -> bool {
        matches!(self, FieldKind::Count | FieldKind::Money)
    }

    /// Whether a sort begins with its largest or newest values, by default.
    pub fn descends(self) -> bool {
        self.is_date() || (self.is_numeric() && self != FieldKind::Days)
    }

    /// What comes first in an order.
    pub fn direction_label(self, is_descending: bool) -> &'static str {
        let [first, reversed] = match self {
            FieldKind::Name
            | FieldKind::Text
            | FieldKind::Word
            | FieldKind::List
            | FieldKind::Id => ["A to Z", "Z to A"],
            FieldKind::Rank => ["highest first", "lowest first"],
            FieldKind::Count | FieldKind::Number | FieldKind::Money => {
                ["smallest first", "largest first"]
            }
            FieldKind::Days => ["soonest first", "latest first"],
            FieldKind::Date | FieldKind::Time => ["oldest first", "newest first"],
        };
        if is_descending { reversed } else { first }
    }
}

/// An order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSort {
    /// The column or the field.
    pub key: &'static str,
    pub kind: FieldKind,
    pub is_descending: bool,
}

impl ListSort {
    /// In the direction that is usual for such values.
    pub fn usual_order(key: &'static str, kind: FieldKind) -> ListSort {
        ListSort {
            key,
            kind,
            is_descending: kind.descends(),
        }
    }

    pub fn reversed(self) -> ListSort {
        ListSort {
            is_descending: !self.is_descending,
            ..self
        }
    }

    /// What comes first.
    pub fn direction_label(self) -> &'static str {
        self.kind.direction_label(self.is_descending)
    }

    /// `cost`, `cost:asc` or `cost:desc`. `usual_sort` finds the column's usual order by its name.
    ///
    /// # Errors
    /// What is wrong with the direction, or that of `usual_sort`.
    pub fn parse(
        text: &str,
        usual_sort: impl FnOnce(&str) -> Result<ListSort, String>,
    ) -> Result<ListSort, String> {
        let (name, direction) = match text.split_once(':') {
            Some((name, direction)) => (name, Some(direction.trim())),
            None => (text, None),
        };
        let sort = usual_sort(name.trim())?;
        let is_descending = match direction {
            None => sort.is_descending,
            Some("asc") => false,
            Some("desc") => true,
            Some(other) => return Err(format!("the direction is asc or desc, not {other}")),
        };
        Ok(ListSort {
            is_descending,
            ..sort
        })
    }
}

/// As [`ListSort::parse`] reads it.
impl fmt::Display for ListSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)?;
        match (
            self.is_descending == self.kind.descends(),
            self.is_descending,
        ) {
            (true, _) => Ok(()),
            (false, true) => f.write_str(":desc"),
            (false, false) => f.write_str(":asc"),
        }
    }
}

/// A role in words: `gc` is a general contractor.
pub fn role_name(wire: &str) -> String {
    match wire {
        "gc" => "general contractor".to_owned(),
        wire => humanize_key(wire),
    }
}

/// A key in readable form: `primary use`, and `cost of construction` for one in `usd`.
pub fn humanize_key(key: &str) -> String {
    match key {
        "icp_tier" => "tier".to_owned(),
        "atlas_score" => "score".to_owned(),
        "atlas_trend" => "trend".to_owned(),
        "workspace_status" => "status".to_owned(),
        key => key.strip_suffix("_usd").unwrap_or(key).replace('_', " "),
    }
}
