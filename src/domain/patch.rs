//! What a partial update intends with a field (interface: Partial-update rules).

/// Omitted, null, or a value: three intentions that an `Option` cannot tell apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is not sent and stays as it is.
    #[default]
    Keep,
    /// An explicit null: the field is cleared.
    Clear,
    /// The field becomes this.
    Set(T),
}

impl<T> Patch<T> {
    /// Nothing is sent.
    pub fn is_keep(&self) -> bool {
        matches!(self, Patch::Keep)
    }

    /// What the field is after the update.
    pub fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Patch::Keep => before,
            Patch::Clear => None,
            Patch::Set(value) => Some(value),
        }
    }
}

impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Patch<T> {
    /// What is there is cleared by a null and set by a value; what is not there has to be kept by a default.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Patch::Clear, Patch::Set))
    }
}

impl<T: serde::Serialize> serde::Serialize for Patch<T> {
    /// `null` for [`Patch::Clear`]; a field that is kept has to be skipped where it is serialized.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Patch::Keep | Patch::Clear => serializer.serialize_none(),
            Patch::Set(value) => value.serialize(serializer),
        }
    }
}
