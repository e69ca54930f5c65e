//! What the values of a column are, which decides how they are sorted, grouped, counted and drawn; and
//! what a field is called.

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
}

impl FieldKind {
    pub fn is_word(self) -> bool {
        matches!(self, FieldKind::Word | FieldKind::List | FieldKind::Rank)
    }

    pub const fn is_numeric(self) -> bool {
        matches!(
            self,
            FieldKind::Count | FieldKind::Number | FieldKind::Money | FieldKind::Days
        )
    }

    /// Whether a sum of its values says something.
    pub fn is_additive(self) -> bool {
        matches!(self, FieldKind::Count | FieldKind::Money)
    }

    /// Whether a sort begins with its largest or newest values, by default.
    pub fn descends(self) -> bool {
        self == FieldKind::Date || (self.is_numeric() && self != FieldKind::Days)
    }

    /// What comes first in an order.
    pub fn direction_label(self, is_descending: bool) -> &'static str {
        let [first, reversed] = match self {
            FieldKind::Name | FieldKind::Text | FieldKind::Word | FieldKind::List => {
                ["A to Z", "Z to A"]
            }
            FieldKind::Rank => ["highest first", "lowest first"],
            FieldKind::Count | FieldKind::Number | FieldKind::Money => {
                ["smallest first", "largest first"]
            }
            FieldKind::Days => ["soonest first", "latest first"],
            FieldKind::Date => ["oldest first", "newest first"],
        };
        if is_descending { reversed } else { first }
    }
}

/// A key in readable form: `primary use`, and `cost of construction` for one in `usd`.
pub fn humanize_key(key: &str) -> String {
    key.trim_end_matches("_usd").replace('_', " ")
}
