//! Orders loaded rows by a column. A hundred thousand rows are ordered while the user waits, so
//! only the column's field is decoded.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::RecordList;
use crate::app::model::list_field::FieldKind;
use crate::domain::field_kind::ListSort;
use crate::domain::lenient::{DateOrDateTime, Number};
use crate::domain::records::Record;
use crate::domain::search::SortOrder;

impl RecordList {
    /// The order of the loaded rows that the user chose; `None` is the order in which they were
    /// read.
    pub fn sort(&self) -> Option<ListSort> {
        self.sort
    }

    /// Notes whether the loaded rows are in the order that was asked for.
    pub(super) fn check_order(&mut self) {
        self.ignores_sort = false;
        self.ignores_sort = self
            .sort_order()
            .is_some_and(|sort| !are_sorted(&self.rows, &sort));
    }

    /// Orders the loaded rows, now and as more arrive. The cursor stays on its record.
    pub fn set_sort(&mut self, sort: Option<ListSort>) {
        self.sort = sort;
        self.arrange_lines();
    }
}

/// The indexes of rows in an order: rows without a value come last, and those with the same value
/// stay as they are.
pub(super) fn sort_rows(rows: &[Record], sort: ListSort) -> Vec<usize> {
    match sort.kind {
        kind if kind.is_numeric() => {
            sort_by_key(rows, sort, |json| Some(ordered_bits(number(json)?)))
        }
        kind if kind.is_date() => sort_by_key(rows, sort, |json| {
            Some(
                DateOrDateTime::from(text(json)?.as_ref())
                    .date_time()?
                    .timestamp_millis(),
            )
        }),
        kind => sort_by_key(rows, sort, |json| text_key(json, kind)),
    }
}

/// Whether rows are in the order that the service was asked for, as far as their fields show.
/// Services compare texts in different ways, so texts are in order if they are by any of these, and
/// accents are not compared.
pub(super) fn are_sorted(rows: &[Record], sort: &SortOrder) -> bool {
    let fields = || rows.iter().filter_map(|row| row.field_json(&sort.field));
    if sort.field.ends_with("_count") || sort.field.ends_with("_score") {
        return are_ordered(
            &fields().filter_map(number).collect::<Vec<_>>(),
            sort.ascending,
            f64::total_cmp,
        );
    }
    let texts = fields().filter_map(text).filter(|text| text.is_ascii());
    if sort.field.ends_with("_at") {
        let second =
            |text: Cow<'_, str>| Some(DateOrDateTime::from(text.as_ref()).date_time()?.timestamp());
        return are_ordered(
            &texts.filter_map(second).collect::<Vec<_>>(),
            sort.ascending,
            i64::cmp,
        );
    }
    let texts: Vec<String> = texts.map(|text| text.trim().to_owned()).collect();
    let folded: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let letters: Vec<String> = folded
        .iter()
        .map(|text| text.chars().filter(|c| c.is_alphanumeric()).collect())
        .collect();
    [texts, folded, letters]
        .iter()
        .any(|texts| are_ordered(texts, sort.ascending, String::cmp))
}

fn are_ordered<K>(keys: &[K], is_ascending: bool, compare: impl Fn(&K, &K) -> Ordering) -> bool {
    let wrong = if is_ascending {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    keys.windows(2)
        .all(|pair| compare(&pair[0], &pair[1]) != wrong)
}

fn sort_by_key<K: Ord>(
    rows: &[Record],
    sort: ListSort,
    key: impl Fn(&str) -> Option<K>,
) -> Vec<usize> {
    let (mut known, mut unknown) = (Vec::with_capacity(rows.len()), Vec::new());
    for (row, record) in rows.iter().enumerate() {
        match record.field_json(sort.key).and_then(&key) {
            Some(key) => known.push((key, row)),
            None => unknown.push(row),
        }
    }
    known.sort_unstable_by(|(one, first), (other, second)| {
        let order = if sort.is_descending {
            other.cmp(one)
        } else {
            one.cmp(other)
        };
        order.then(first.cmp(second))
    });
    known
        .into_iter()
        .map(|(_, row)| row)
        .chain(unknown)
        .collect()
}

/// A number as an integer with the same order.
fn ordered_bits(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn number(json: &str) -> Option<f64> {
    match json.parse() {
        Ok(number) => Some(number),
        Err(_) => serde_json::from_str::<Number>(json).ok()?.as_f64(),
    }
}

/// A text as it is; the words of a list with commas between them.
fn text(json: &str) -> Option<Cow<'_, str>> {
    if let Some(plain) = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'))
        .filter(|plain| !plain.contains('\\'))
    {
        return Some(plain.into());
    }
    match serde_json::from_str(json).ok()? {
        Value::String(text) => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Array(items) => Some(
            items
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", ")
                .into(),
        ),
        _ => None,
    }
}

/// A text without regard to case. Its first bytes are enough to order most rows.
fn text_key(json: &str, kind: FieldKind) -> Option<(u64, Box<str>)> {
    let text = text(json)?;
    let text = match text.trim() {
        "" => return None,
        // After every tier.
        "disqualified" if kind == FieldKind::Rank => "~",
        text => text,
    };
    let folded = text.to_lowercase();
    let mut first = [0; 8];
    first
        .iter_mut()
        .zip(folded.bytes())
        .for_each(|(to, from)| *to = from);
    Some((u64::from_be_bytes(first), folded.into()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn sorted(kind: FieldKind, is_descending: bool, fields: &[Value]) -> Vec<usize> {
        let record = |value: &Value| {
            Record::try_from(&json!({ "id": Uuid::nil(), "key": value })).expect("a record")
        };
        let rows: Vec<Record> = fields.iter().map(record).collect();
        sort_rows(
            &rows,
            ListSort {
                key: "key",
                kind,
                is_descending,
            },
        )
    }

    #[test]
    fn an_order_that_the_service_did_not_keep_is_noticed() {
        let is_sorted = |field: &str, ascending: bool, values: &[Value]| {
            let record = |value: &Value| {
                Record::try_from(&json!({ "id": Uuid::nil(), field: value })).expect("a record")
            };
            are_sorted(
                &values.iter().map(record).collect::<Vec<_>>(),
                &SortOrder {
                    field: field.to_owned(),
                    ascending,
                },
            )
        };
        let names = [
            json!("1200 Main"),
            json!("900"),
            json!("De Soto"),
            json!("Éclat"),
            json!("DeVry"),
            json!(null),
            json!("zen"),
        ];
        assert!(is_sorted("name", true, &names) && !is_sorted("name", false, &names));
        assert!(!is_sorted("name", true, &[json!("Weld"), json!("Calder")]));
        let days = [
            json!("2026-07-02"),
            json!("2026-07-02T10:00:00Z"),
            json!(null),
            json!("2026-07-01"),
        ];
        assert!(
            is_sorted("last_signal_at", false, &days[1..])
                && !is_sorted("last_signal_at", true, &days)
        );
        assert!(is_sorted(
            "projects_count",
            false,
            &[json!(12), json!(7.0), json!("7")]
        ));
        assert!(!is_sorted("atlas_score", false, &[json!(7), json!(12)]));
        assert!(
            is_sorted("updated_at", false, &[json!(null), json!(null)]),
            "what a row does not show is not denied"
        );
    }

    #[test]
    fn rows_are_ordered_by_what_a_column_holds_and_those_without_a_value_come_last() {
        let numbers = [
            json!(7),
            json!(null),
            json!(-2.5),
            json!(1e3),
            json!("12"),
            json!(7),
        ];
        assert_eq!(
            sorted(FieldKind::Number, false, &numbers),
            [2, 0, 5, 4, 3, 1]
        );
        assert_eq!(
            sorted(FieldKind::Number, true, &numbers),
            [3, 4, 0, 5, 2, 1],
            "equal values stay in their order"
        );
        let dates = [
            json!("2026-07-02T10:00:00+05:00"),
            json!("2026-07-02"),
            json!("soon"),
            json!("2026-06-30T23:00:00Z"),
        ];
        assert_eq!(sorted(FieldKind::Date, true, &dates), [0, 1, 3, 2]);
        let texts = [
            json!("pear"),
            json!("Apple tree two"),
            json!(["fig", "kiwi"]),
            json!(""),
            json!("apple tree one"),
            json!("\"q\""),
        ];
        assert_eq!(sorted(FieldKind::Text, false, &texts), [5, 4, 1, 2, 0, 3]);
        let tiers = [
            json!("disqualified"),
            json!("tier_2"),
            json!(null),
            json!("tier_1"),
        ];
        assert_eq!(sorted(FieldKind::Rank, false, &tiers), [3, 1, 0, 2]);
    }
}
