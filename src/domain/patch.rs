//! What a partial update does with a field (interface: Partial-update rules).

/// Omitted, null, or a value: three cases that an `Option` cannot distinguish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is not sent and stays unchanged.
    #[default]
    Keep,
    /// An explicit null: the field is cleared.
    Clear,
    /// The field gets this value.
    Set(T),
}

impl<T> Patch<T> {
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Patch::Keep => Patch::Keep,
            Patch::Clear => Patch::Clear,
            Patch::Set(value) => Patch::Set(change(value)),
        }
    }

    /// The value after the update.
    pub fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Patch::Keep => before,
            Patch::Clear => None,
            Patch::Set(value) => Some(value),
        }
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Patch<T> {
    /// A present field is cleared by null and set by a value; an absent one needs
    /// `#[serde(default)]` to be kept.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Patch::Clear, Patch::Set))
    }
}

impl<T: serde::Serialize> serde::Serialize for Patch<T> {
    /// `null` for [`Patch::Clear`]; a kept field must be skipped by the containing struct.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Patch::Keep | Patch::Clear => serializer.serialize_none(),
            Patch::Set(value) => value.serialize(serializer),
        }
    }
}
