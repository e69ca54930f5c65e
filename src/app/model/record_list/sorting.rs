//! Orders loaded rows by a column. A hundred thousand rows are ordered while the user waits, so only the column's field is decoded.

use std::borrow::Cow;

use serde_json::Value;

use super::RecordList;
use crate::app::model::list_table::{ColumnValues, ListSort};
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::records::Record;

impl RecordList {
    /// The order of the loaded rows that the user chose; `None` is the order in which they were read.
    pub fn sort(&self) -> Option<ListSort> {
        self.sort
    }

    /// Orders the loaded rows, now and as more arrive. The cursor stays on its record.
    pub fn set_sort(&mut self, sort: Option<ListSort>) {
        self.sort = sort;
        self.arrange_lines();
    }
}

/// The indexes of rows in an order: rows without a value come last, and those with the same value stay as they are.
pub(super) fn sort_rows(rows: &[Record], sort: ListSort) -> Vec<usize> {
    match sort.values {
        ColumnValues::Number => sort_by_key(rows, sort, |json| Some(ordered_bits(number(json)?))),
        ColumnValues::Date => {
            sort_by_key(rows, sort, |json| Some(DateOrDateTime::from(text(json)?.as_ref()).date_time()?.timestamp_millis()))
        }
        ColumnValues::Text | ColumnValues::Rank => sort_by_key(rows, sort, |json| text_key(json, sort.values)),
    }
}

fn sort_by_key<K: Ord>(rows: &[Record], sort: ListSort, key: impl Fn(&str) -> Option<K>) -> Vec<usize> {
    let (mut known, mut unknown) = (Vec::with_capacity(rows.len()), Vec::new());
    for (row, record) in rows.iter().enumerate() {
        match record.field_json(sort.key).and_then(&key) {
            Some(key) => known.push((key, row)),
            None => unknown.push(row),
        }
    }
    known.sort_unstable_by(|(one, first), (other, second)| {
        let order = if sort.is_descending { other.cmp(one) } else { one.cmp(other) };
        order.then(first.cmp(second))
    });
    known.into_iter().map(|(_, row)| row).chain(unknown).collect()
}

/// A number as an integer with the same order.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(json: &str) -> Option<f64> {
    match json.parse() {
        Ok(number) => Some(number),
        Err(_) => serde_json::from_str::<Number>(json).ok()?.as_f64(),
    }
}

/// A text as it is; the words of a list with commas between them.
fn text(json: &str) -> Option<Cow<'_, str>> {
    if let Some(plain) = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).filter(|plain| !plain.contains('\\')) {
        return Some(plain.into());
    }
    match serde_json::from_str(json).ok()? {
        Value::String(text) => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ").into()),
        _ => None,
    }
}

/// A text without regard to case. Its first bytes are enough to order most rows.
fn text_key(json: &str, values: ColumnValues) -> Option<(u64, Box<str>)> {
    let text = text(json)?;
    let text = match text.trim() {
        "" => return None,
        // After every tier.
        "disqualified" if values == ColumnValues::Rank => "~",
        text => text,
    };
    let folded = text.to_lowercase();
    let mut first = [0; 8];
    first.iter_mut().zip(folded.bytes()).for_each(|(to, from)| *to = from);
    Some((u64::from_be_bytes(first), folded.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn sorted(values: ColumnValues, is_descending: bool, fields: &[Value]) -> Vec<usize> {
        let record = |value: &Value| Record::try_from(&json!({ "id": Uuid::nil(), "key": value })).expect("a record");
        let rows: Vec<Record> = fields.iter().map(record).collect();
        sort_rows(&rows, ListSort { key: "key", values, is_descending })
    }

    #[test]
    fn rows_are_ordered_by_what_a_column_holds_and_those_without_a_value_come_last() {
        let numbers = [json!(7), json!(null), json!(-2.5), json!(1e3), json!("12"), json!(7)];
        assert_eq!(sorted(ColumnValues::Number, false, &numbers), [2, 0, 5, 4, 3, 1]);
        assert_eq!(sorted(ColumnValues::Number, true, &numbers), [3, 4, 0, 5, 2, 1], "equal values stay in their order");
        let dates = [json!("2026-07-02T10:00:00+05:00"), json!("2026-07-02"), json!("soon"), json!("2026-06-30T23:00:00Z")];
        assert_eq!(sorted(ColumnValues::Date, true, &dates), [0, 1, 3, 2]);
        let texts =
            [json!("pear"), json!("Apple tree two"), json!(["fig", "kiwi"]), json!(""), json!("apple tree one"), json!("\"q\"")];
        assert_eq!(sorted(ColumnValues::Text, false, &texts), [5, 4, 1, 2, 0, 3]);
        let tiers = [json!("disqualified"), json!("tier_2"), json!(null), json!("tier_1")];
        assert_eq!(sorted(ColumnValues::Rank, false, &tiers), [3, 1, 0, 2]);
    }
}
