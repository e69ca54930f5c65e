//! The fields of a JSON object as they are written.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The raw fields of an object in their original order; empty if the value is not an object.
#[derive(Debug, Default)]
pub struct RawFields(Vec<(String, Box<RawValue>)>);

impl RawFields {
    pub fn from_raw(json: &RawValue) -> RawFields {
        RawFields::parse(json.get())
    }

    pub fn parse(json: &str) -> RawFields {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// A field; of duplicates the last.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0
            .iter()
            .rev()
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_ref())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_ref()))
    }
}

impl<'de> Deserialize<'de> for RawFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawFieldsVisitor;
        impl<'de> Visitor<'de> for RawFieldsVisitor {
            type Value = RawFields;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(RawFieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_their_order_and_the_last_duplicate_wins() {
        let raw = serde_json::from_str::<Box<RawValue>>(r#"{"b":1,"a":2,"b":3}"#).unwrap();
        let fields = RawFields::from_raw(&raw);
        assert_eq!(
            fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            ["b", "a", "b"]
        );
        assert_eq!(fields.get("b").unwrap().get(), "3");
    }
}
