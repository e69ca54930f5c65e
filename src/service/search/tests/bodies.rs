//! Bodies of searches over the whole vocabulary of the Data API, the same for the same seed. The
//! property test checks their results and `benches/searches.rs` measures them, so this file names
//! nothing of the crate: the fields come from field discovery, the values from records.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The datasets, each with its sort keys.
pub const DATASETS: [(&str, &[&str]); 4] = [
    (
        "projects",
        &["last_signal_at", "name", "created_at", "signals_count"],
    ),
    ("accounts", &["name", "created_at", "projects_count"]),
    ("contacts", &["name", "created_at", "projects_count"]),
    ("signals", &["filed_at", "discovered_at"]),
];

/// What bodies are made of.
pub struct BodyGenerator {
    /// The fields of each dataset, as returned by field discovery.
    pub fields: BTreeMap<String, Vec<Value>>,
    /// Some records of each dataset.
    pub records: BTreeMap<String, Vec<Value>>,
    random: u64,
}

impl BodyGenerator {
    pub fn new(
        fields: BTreeMap<String, Vec<Value>>,
        records: BTreeMap<String, Vec<Value>>,
        seed: u64,
    ) -> BodyGenerator {
        BodyGenerator {
            fields,
            records,
            random: seed,
        }
    }

    /// The next body, and the dataset it searches.
    pub fn next_body(&mut self) -> (&'static str, Value) {
        let (dataset, sort_keys) = DATASETS[self.below(DATASETS.len())];
        let mut body =
            json!({ "filters": self.filters(dataset, &self.fields[dataset].clone(), 1) });
        if self.below(2) == 0 {
            let order = *self.one_of(&["asc", "desc"]);
            body["sort"] = json!({"field": self.one_of(sort_keys), "order": order});
        }
        if self.below(5) == 0 {
            body["offset"] = json!(self.one_of(&[10, 500, 2000, 9000]));
        }
        (dataset, body)
    }

    /// SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// From `least` to three filters, in an order that does not matter.
    fn filters(&mut self, dataset: &str, fields: &[Value], least: usize) -> Value {
        let wanted = least + self.below(4 - least);
        let mut filters = Map::new();
        for _ in 0..wanted {
            let field = self.one_of(fields).clone();
            let filter = self.filter(dataset, &field);
            filters.insert(field["key"].as_str().unwrap_or_default().to_owned(), filter);
        }
        Value::Object(filters)
    }

    fn filter(&mut self, dataset: &str, field: &Value) -> Value {
        match field["kind"].as_str().unwrap_or_default() {
            "relation" => {
                let related = field["related"].as_str().unwrap_or_default().to_owned();
                self.filters(
                    &related,
                    field["fields"].as_array().map_or(&[], Vec::as_slice),
                    0,
                )
            }
            "number" | "date" => self.range(dataset, field),
            kind => {
                let mut values = vec![self.value(dataset, field, kind)];
                if field["multi"] == true && self.below(3) == 0 {
                    values.push(self.value(dataset, field, kind));
                }
                let mut filter = json!({"value": if values.len() == 1 { values.remove(0) } else { json!(values) }});
                if self.below(6) == 0 {
                    filter["exclude"] = json!(true);
                }
                if field["exact_match"] == true && self.below(6) == 0 {
                    filter["exact_match"] = json!(true);
                }
                filter
            }
        }
    }

    fn range(&mut self, dataset: &str, field: &Value) -> Value {
        let mut ends = [
            self.known_value(dataset, field),
            self.known_value(dataset, field),
        ]
        .map(|end| {
            end.unwrap_or_else(|| {
                json!(if field["kind"] == "date" {
                    json!("2026-01-01")
                } else {
                    json!(3)
                })
            })
        });
        let key = |end: &Value| {
            (
                end.as_f64().map_or(0, |end| end as i64),
                end.as_str().unwrap_or_default().to_owned(),
            )
        };
        ends.sort_by_key(key);
        let [min, max] = ends;
        match self.below(3) {
            0 => json!({ "min": min }),
            1 => json!({ "max": max }),
            _ => json!({ "min": min, "max": max }),
        }
    }

    /// A value of an enum, a word or the whole of a text, an id, a boolean.
    fn value(&mut self, dataset: &str, field: &Value, kind: &str) -> Value {
        match kind {
            "enum" => self
                .one_of(field["values"].as_array().map_or(&[][..], Vec::as_slice))
                .clone(),
            "boolean" => json!(self.below(2) == 0),
            "uuid" => self
                .known_value(dataset, field)
                .unwrap_or_else(|| json!("00000000-0000-0000-0000-000000000000")),
            _ => {
                let value = self
                    .known_value(dataset, field)
                    .unwrap_or_else(|| json!("tower"));
                let words: Vec<&str> = value
                    .as_str()
                    .unwrap_or_default()
                    .split_whitespace()
                    .collect();
                let is_part = field["key"] != "city"
                    && kind == "text"
                    && words.len() > 1
                    && self.below(3) > 0;
                if is_part {
                    json!(self.one_of(&words))
                } else {
                    value
                }
            }
        }
    }

    /// The value of a record, if it has one.
    fn known_value(&mut self, dataset: &str, field: &Value) -> Option<Value> {
        let key = field["key"].as_str().unwrap_or_default();
        let nth = self.below(self.records[dataset].len());
        let found = self.records[dataset][nth].get(key)?.clone();
        match found {
            Value::Null => None,
            Value::String(text) if field["kind"] == "date" => Some(json!(text.get(..10)?)),
            found => Some(found),
        }
    }
}
