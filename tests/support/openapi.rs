//! The OpenAPI description, and whether a value matches one of its schemas.
//!
//! A custom validator: the description uses a dozen keywords of JSON Schema, and the libraries that
//! support all of them take longer to build than the service's own dependencies. An unknown keyword
//! is an error in the description. The public tester (`tests/openapi_tester.sh`) checks the same
//! schemas with a complete library.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub struct OpenApiSpec(Value);

/// The properties of an object that some schema has described.
type PropertySet = BTreeSet<String>;

impl OpenApiSpec {
    pub fn load() -> OpenApiSpec {
        let text = include_str!("../../assets/openapi.yaml");
        OpenApiSpec(serde_yaml_ng::from_str(text).expect("the description is YAML"))
    }

    /// Any schema that uses no more keywords than the description does.
    pub fn from_value(schema: Value) -> OpenApiSpec {
        OpenApiSpec(schema)
    }

    /// Why a value does not match the schema itself.
    pub fn root_violations(&self, value: &Value) -> Vec<String> {
        self.violations(&self.0, value)
    }

    pub fn root(&self) -> &Value {
        &self.0
    }

    /// Every operation: method in upper case, path, the operation.
    pub fn operations(&self) -> impl Iterator<Item = (String, &str, &Value)> {
        let paths = self.0["paths"].as_object().into_iter().flatten();
        paths.flat_map(|(path, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods
                .map(move |(method, operation)| (method.to_uppercase(), path.as_str(), operation))
        })
    }

    /// The operation that matches a method and a concrete path.
    pub fn operation(&self, method: &str, asked: &str) -> Option<(&str, &Value)> {
        let path = asked.split('?').next().unwrap_or_default();
        let fits = |template: &str| {
            let (a, b): (Vec<&str>, Vec<&str>) =
                (template.split('/').collect(), path.split('/').collect());
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || a.starts_with('{'))
        };
        let fitting = self
            .operations()
            .filter(|(known, template, _)| known == method && fits(template));
        // `/signals/queue` goes before `/signals/{id}`
        let best = fitting.min_by_key(|(_, template, _)| template.matches('{').count());
        best.map(|(_, template, operation)| (template, operation))
    }

    /// The target of a `$ref`, or the value itself.
    pub fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(place) => {
                let target = self
                    .0
                    .pointer(place.trim_start_matches('#'))
                    .unwrap_or_else(|| panic!("{place} leads nowhere"));
                self.resolve(target)
            }
            None => value,
        }
    }

    /// The schema of an operation's response with this status; `None` if it does not describe one.
    pub fn response_schema<'a>(&'a self, operation: &'a Value, status: u16) -> Option<&'a Value> {
        let answer = self.resolve(operation["responses"].get(status.to_string())?);
        answer.pointer("/content/application~1json/schema")
    }

    /// The schema of an operation's request body.
    pub fn body_schema<'a>(&self, operation: &'a Value) -> Option<&'a Value> {
        operation.pointer("/requestBody/content/application~1json/schema")
    }

    /// Why a value does not match a schema.
    pub fn violations(&self, schema: &Value, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check_schema(schema, value, "", &mut faults);
        faults
    }

    fn matched_properties(
        &self,
        schema: &Value,
        value: &Value,
    ) -> Result<PropertySet, Vec<String>> {
        let mut faults = Vec::new();
        let seen = self.check_schema(schema, value, "", &mut faults);
        if faults.is_empty() {
            Ok(seen)
        } else {
            Err(faults)
        }
    }

    fn check_schema(
        &self,
        schema: &Value,
        value: &Value,
        at: &str,
        faults: &mut Vec<String>,
    ) -> PropertySet {
        let mut seen = PropertySet::new();
        let Some(rules) = schema.as_object() else {
            panic!("{at}: {schema} is no schema")
        };
        let mut fault =
            |what: String| faults.push(format!("{}: {what}", if at.is_empty() { "/" } else { at }));
        let number = |key: &str| rules.get(key).and_then(Value::as_f64);
        let length = value
            .as_str()
            .map(|text| text.chars().count())
            .or(value.as_array().map(Vec::len))
            .unwrap_or(0) as f64;
        let mut parts: Vec<&Value> = Vec::new();
        for (key, rule) in rules {
            match key.as_str() {
                "$ref" => parts.push(self.resolve(schema)),
                "type" => {
                    let any = rule
                        .as_array()
                        .map_or(std::slice::from_ref(rule), Vec::as_slice);
                    if !any
                        .iter()
                        .filter_map(Value::as_str)
                        .any(|word| is_of_type(word, value))
                    {
                        fault(format!("{value} is no {rule}"));
                    }
                }
                "const" if rule != value => fault(format!("{value} is not {rule}")),
                "enum" if !rule.as_array().is_some_and(|all| all.contains(value)) => {
                    fault(format!("{value} is none of {rule}"))
                }
                "minimum" if value.as_f64().is_some_and(|n| Some(n) < number(key)) => {
                    fault(format!("{value} is too small"))
                }
                "maximum" if value.as_f64().is_some_and(|n| Some(n) > number(key)) => {
                    fault(format!("{value} is too large"))
                }
                "minLength" if value.is_string() && Some(length) < number(key) => {
                    fault(format!("{value} is too short"))
                }
                "maxLength" if value.is_string() && Some(length) > number(key) => {
                    fault(format!("{value} is too long"))
                }
                "minItems" if value.is_array() && Some(length) < number(key) => {
                    fault("too few".into())
                }
                "maxItems" if value.is_array() && Some(length) > number(key) => {
                    fault("too many".into())
                }
                "format" if value.is_string() && !has_format(rule, value) => {
                    fault(format!("{value} is no {rule}"))
                }
                "required" if value.is_object() => {
                    for key in rule
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter_map(Value::as_str)
                        .filter(|k| value.get(k).is_none())
                    {
                        fault(format!("{key} is missing"));
                    }
                }
                "allOf" => parts.extend(rule.as_array().into_iter().flatten()),
                "anyOf" | "oneOf" => {
                    let tried: Vec<_> = rule
                        .as_array()
                        .into_iter()
                        .flatten()
                        .map(|part| self.matched_properties(part, value))
                        .collect();
                    let fitting = tried.iter().filter(|tried| tried.is_ok()).count();
                    if fitting == 0 || (key == "oneOf" && fitting > 1) {
                        fault(format!("{fitting} of {key} fit: {tried:?}"));
                    }
                    seen.extend(tried.into_iter().flatten().flatten());
                }
                "const"
                | "enum"
                | "minimum"
                | "maximum"
                | "minLength"
                | "maxLength"
                | "minItems"
                | "maxItems"
                | "format"
                | "required"
                | "properties"
                | "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "description"
                | "title"
                | "$schema"
                | "default"
                | "pattern"
                | "dependentSchemas" => {}
                other => panic!("{at}: the check does not know {other}"),
            }
        }
        for part in parts {
            seen.extend(self.check_schema(part, value, at, faults));
        }
        if let (Some(items), Some(schema)) = (value.as_array(), rules.get("items")) {
            for (nth, item) in items.iter().enumerate() {
                self.check_schema(schema, item, &format!("{at}/{nth}"), faults);
            }
        }
        if let Some(object) = value.as_object() {
            seen.extend(self.check_properties(rules, object, at, faults));
            for rule in ["additionalProperties", "unevaluatedProperties"] {
                if rules.get(rule) == Some(&Value::Bool(false)) {
                    let unknown = object.keys().filter(|key| !seen.contains(*key));
                    faults.extend(unknown.map(|key| format!("{at}: {key} is not described")));
                }
            }
        }
        seen
    }

    fn check_properties(
        &self,
        rules: &Map<String, Value>,
        object: &Map<String, Value>,
        at: &str,
        faults: &mut Vec<String>,
    ) -> PropertySet {
        let described = rules
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let mut seen = PropertySet::new();
        for (key, schema) in described {
            if let Some(value) = object.get(key) {
                self.check_schema(schema, value, &format!("{at}/{key}"), faults);
                seen.insert(key.clone());
            }
        }
        if let Some(schema) = rules
            .get("additionalProperties")
            .filter(|schema| schema.is_object())
        {
            for (key, value) in object.iter().filter(|(key, _)| !seen.contains(*key)) {
                self.check_schema(schema, value, &format!("{at}/{key}"), faults);
            }
        }
        seen
    }
}

fn is_of_type(word: &str, value: &Value) -> bool {
    match word {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("{other} is no type"),
    }
}

fn has_format(format: &Value, value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    match format.as_str() {
        Some("uuid") => text.len() == 36 && uuid::Uuid::try_parse(text).is_ok(),
        Some("date-time") => chrono::DateTime::parse_from_rfc3339(text).is_ok(),
        Some("date") => chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok(),
        other => panic!("{other:?} is no format"),
    }
}
