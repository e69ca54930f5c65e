//! Conditions as the interface's JSON (interface: Filter grammar).

use serde_json::{Map, Value};

use super::types::{Conditions, RANGE_KEYS, Test};

impl Conditions {
    /// Parses the `filters` object of a body.
    ///
    /// # Errors
    /// What is not valid in the grammar, in one line.
    pub fn from_json(json: &Value) -> Result<Conditions, String> {
        let object = json.as_object().ok_or("the filters are not an object")?;
        let read =
            |(key, value): (&String, &Value)| Ok((key.clone(), Test::from_json(key, value)?));
        object
            .iter()
            .map(read)
            .collect::<Result<_, String>>()
            .map(Conditions)
    }

    /// The `filters` object of a body.
    pub fn to_json(&self) -> Value {
        Value::Object(
            self.0
                .iter()
                .map(|(key, test)| (key.clone(), test.to_json()))
                .collect(),
        )
    }
}

impl Test {
    fn from_json(key: &str, json: &Value) -> Result<Test, String> {
        let object = json
            .as_object()
            .ok_or_else(|| format!("{key} is not a filter"))?;
        let flag = |name: &str| {
            object
                .get(name)
                .and_then(Value::as_bool)
                .unwrap_or_default()
        };
        if let Some(value) = object.get("value") {
            let values = value
                .as_array()
                .cloned()
                .unwrap_or_else(|| vec![value.clone()]);
            if values
                .iter()
                .any(|value| value.is_object() || value.is_array() || value.is_null())
            {
                return Err(format!(
                    "{key} has a value that is not text, a number or a boolean"
                ));
            }
            return Ok(Test::Values {
                values,
                exact: flag("exact_match"),
                exclude: flag("exclude"),
            });
        }
        let bound = |name: &str| object.get(name).filter(|bound| !bound.is_null()).cloned();
        if object.contains_key("min") || object.contains_key("max") || RANGE_KEYS.contains(&key) {
            return Ok(Test::Range {
                min: bound("min"),
                max: bound("max"),
                exclude: flag("exclude"),
            });
        }
        Conditions::from_json(json).map(Test::Related)
    }

    fn to_json(&self) -> Value {
        let (entries, flags) = match self {
            Test::Values {
                values,
                exact,
                exclude,
            } => {
                let value = match values.as_slice() {
                    [one] => one.clone(),
                    values => values.into(),
                };
                (
                    vec![("value", Some(value))],
                    [("exact_match", *exact), ("exclude", *exclude)],
                )
            }
            // A service refuses an excluded range, which is better than the opposite of it.
            Test::Range { min, max, exclude } => (
                vec![("min", min.clone()), ("max", max.clone())],
                [("exact_match", false), ("exclude", *exclude)],
            ),
            Test::Related(inner) => return inner.to_json(),
        };
        let entries = entries
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let flags = flags
            .into_iter()
            .filter(|(_, flag)| *flag)
            .map(|(name, _)| (name.to_owned(), true.into()));
        Value::Object(entries.chain(flags).collect::<Map<_, _>>())
    }
}
