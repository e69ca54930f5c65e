//! What is known of the workspace's annotation of a record, merged from rows, pages, own writes and
//! reads: the newest value of each field wins.
//!
//! A View row has no note and an index row has no annotation at all. A field that was not reported
//! is unknown, which is not the same as empty.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use crate::domain::annotate::AnnotationAddition;
use crate::domain::book::{Annotation, IcpTier, RecordKind};
use crate::domain::patch::Patch;
use crate::domain::records::{RecordFields, RecordKey};

/// A field of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnnotationField {
    /// ICP tier; accounts only.
    Tier,
    Status,
    Tags,
    Notes,
}

/// The value of a field: one text, empty for null, any number of tags.
pub type AnnotationValue = Vec<String>;

/// A value and when it was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedValue {
    pub value: AnnotationValue,
    /// On the service's clock.
    pub observed_at: DateTime<Utc>,
}

/// What own writes and reads reported about annotations.
pub type AnnotationCache = HashMap<RecordKey, CachedAnnotation>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CachedAnnotation {
    in_book: Option<(bool, DateTime<Utc>)>,
    observed: BTreeMap<AnnotationField, ObservedValue>,
}

impl AnnotationField {
    /// In the order of the form.
    pub const ALL: [AnnotationField; 4] = [
        AnnotationField::Tier,
        AnnotationField::Status,
        AnnotationField::Tags,
        AnnotationField::Notes,
    ];

    /// The fields that records of this kind have.
    pub fn for_kind(record_kind: &RecordKind) -> Vec<AnnotationField> {
        AnnotationField::ALL
            .into_iter()
            .filter(|field| *field != AnnotationField::Tier || *record_kind == RecordKind::Accounts)
            .collect()
    }

    /// The JSON field name.
    pub fn wire_name(self) -> &'static str {
        match self {
            AnnotationField::Tier => "icp_tier",
            AnnotationField::Status => "workspace_status",
            AnnotationField::Tags => "tags",
            AnnotationField::Notes => "notes",
        }
    }

    /// The label on the screen.
    pub fn title(self) -> &'static str {
        match self {
            AnnotationField::Tier => "tier",
            AnnotationField::Status => "status",
            AnnotationField::Tags => "tags",
            AnnotationField::Notes => "note",
        }
    }

    /// The field's value in a record; `None` when the record does not report the field.
    pub fn read_from(self, fields: &RecordFields) -> Option<AnnotationValue> {
        if !fields.contains_field(self.wire_name()) {
            return None;
        }
        Some(match self {
            AnnotationField::Tags => fields.list("tags").into_iter().map(str::to_owned).collect(),
            _ => fields
                .text(self.wire_name())
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
                .into_iter()
                .collect(),
        })
    }

    /// Tags are compared as a set, other fields exactly.
    pub fn values_equal(self, one: &[String], other: &[String]) -> bool {
        match self {
            AnnotationField::Tags => {
                one.iter().all(|tag| other.contains(tag))
                    && other.iter().all(|tag| one.contains(tag))
            }
            _ => one == other,
        }
    }
}

impl CachedAnnotation {
    /// From the fields of a record that was read at `at`.
    pub fn from_fields(
        fields: &RecordFields,
        in_book: Option<bool>,
        at: DateTime<Utc>,
    ) -> CachedAnnotation {
        let observed = AnnotationField::ALL.into_iter().filter_map(|field| {
            Some((
                field,
                ObservedValue {
                    value: field.read_from(fields)?,
                    observed_at: at,
                },
            ))
        });
        CachedAnnotation {
            in_book: in_book.map(|is| (is, at)),
            observed: observed.collect(),
        }
    }

    /// A record that is not in the book: all fields are known to be empty.
    pub fn not_in_book(at: DateTime<Utc>) -> CachedAnnotation {
        let observed = AnnotationField::ALL.into_iter().map(|field| {
            (
                field,
                ObservedValue {
                    value: AnnotationValue::new(),
                    observed_at: at,
                },
            )
        });
        CachedAnnotation {
            in_book: Some((false, at)),
            observed: observed.collect(),
        }
    }

    /// From an annotation that was written at `at`.
    pub fn from_annotation(annotation: &Annotation, at: DateTime<Utc>) -> CachedAnnotation {
        let observed = annotation_values(annotation)
            .into_iter()
            .map(|(field, value)| {
                (
                    field,
                    ObservedValue {
                        value,
                        observed_at: at,
                    },
                )
            });
        CachedAnnotation {
            in_book: Some((true, at)),
            observed: observed.collect(),
        }
    }

    /// Merges newer observations; the newer value of each field wins.
    pub fn merge(&mut self, other: CachedAnnotation) {
        if other
            .in_book
            .is_some_and(|(_, at)| self.in_book.is_none_or(|(_, known)| known <= at))
        {
            self.in_book = other.in_book;
        }
        for (field, observed) in other.observed {
            if self
                .observed
                .get(&field)
                .is_none_or(|known| known.observed_at <= observed.observed_at)
            {
                self.observed.insert(field, observed);
            }
        }
    }

    /// `None` when unknown.
    pub fn in_book(&self) -> Option<bool> {
        self.in_book.map(|(is, _)| is)
    }

    /// Whether it has all that would be added.
    pub fn includes(&self, addition: &AnnotationAddition) -> bool {
        let value = |field| self.value(field).map(Vec::as_slice).unwrap_or_default();
        let has_note = |note: &String| {
            value(AnnotationField::Notes)
                .iter()
                .any(|text| text.contains(note.as_str()))
        };
        addition
            .status
            .as_ref()
            .is_none_or(|status| value(AnnotationField::Status).contains(status))
            && addition
                .tags
                .iter()
                .all(|tag| value(AnnotationField::Tags).contains(tag))
            && addition.note.as_ref().is_none_or(has_note)
    }

    pub fn observed(&self, field: AnnotationField) -> Option<&ObservedValue> {
        self.observed.get(&field)
    }

    pub fn value(&self, field: AnnotationField) -> Option<&AnnotationValue> {
        self.observed(field).map(|observed| &observed.value)
    }
}

pub fn annotation_from_values(
    values: impl IntoIterator<Item = (AnnotationField, AnnotationValue)>,
) -> Annotation {
    let mut annotation = Annotation::default();
    for (field, value) in values {
        let text = || {
            value
                .first()
                .map_or(Patch::Clear, |text| Patch::Set(text.clone()))
        };
        match field {
            AnnotationField::Status => annotation.workspace_status = text(),
            AnnotationField::Notes => annotation.notes = text(),
            AnnotationField::Tier => {
                annotation.icp_tier = value.first().map_or(Patch::Clear, |tier| {
                    Patch::Set(IcpTier::from(tier.as_str()))
                })
            }
            AnnotationField::Tags => annotation.tags = Some(value),
        }
    }
    annotation
}

/// The fields that an annotation writes, with their values.
pub fn annotation_values(annotation: &Annotation) -> Vec<(AnnotationField, AnnotationValue)> {
    fn value<T: ToString>(patch: &Patch<T>) -> Option<AnnotationValue> {
        match patch {
            Patch::Keep => None,
            Patch::Clear => Some(AnnotationValue::new()),
            Patch::Set(value) => Some(vec![value.to_string()]),
        }
    }
    let all = [
        (AnnotationField::Tier, value(&annotation.icp_tier)),
        (AnnotationField::Status, value(&annotation.workspace_status)),
        (AnnotationField::Tags, annotation.tags.clone()),
        (AnnotationField::Notes, value(&annotation.notes)),
    ];
    all.into_iter()
        .filter_map(|(field, value)| Some((field, value?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::records::Record;

    fn at_minute(minute: u32) -> DateTime<Utc> {
        format!("2026-07-09T09:{minute:02}:00Z").parse().unwrap()
    }

    fn fields(value: serde_json::Value) -> RecordFields {
        let mut value = value;
        value["id"] = json!("018f4d3a-0000-7000-8000-000000000001");
        Record::try_from(&value).unwrap().fields()
    }

    #[test]
    fn a_missing_field_is_unknown_and_null_is_empty() {
        let known = CachedAnnotation::from_fields(
            &fields(json!({ "tags": ["q3"], "workspace_status": null })),
            Some(true),
            at_minute(1),
        );
        assert_eq!(
            known.value(AnnotationField::Tags),
            Some(&vec!["q3".to_owned()])
        );
        assert_eq!(
            (
                known.value(AnnotationField::Status),
                known.value(AnnotationField::Notes)
            ),
            (Some(&AnnotationValue::new()), None)
        );
    }

    #[test]
    fn the_newer_value_of_each_field_wins() {
        let mut known = CachedAnnotation::from_fields(
            &fields(json!({ "tags": ["old"], "notes": "a note" })),
            Some(true),
            at_minute(1),
        );
        known.merge(CachedAnnotation::from_fields(
            &fields(json!({ "tags": ["new"] })),
            Some(true),
            at_minute(2),
        ));
        known.merge(CachedAnnotation::from_fields(
            &fields(json!({ "tags": ["older"] })),
            None,
            at_minute(0),
        ));
        assert_eq!(
            known.value(AnnotationField::Tags),
            Some(&vec!["new".to_owned()])
        );
        assert_eq!(
            known.value(AnnotationField::Notes),
            Some(&vec!["a note".to_owned()])
        );
        known.merge(CachedAnnotation::not_in_book(at_minute(3)));
        assert_eq!(
            (known.in_book(), known.value(AnnotationField::Notes)),
            (Some(false), Some(&AnnotationValue::new()))
        );
    }

    #[test]
    fn annotation_values_round_trip() {
        let written = [
            (AnnotationField::Tier, vec!["tier_1".to_owned()]),
            (AnnotationField::Status, vec![]),
            (AnnotationField::Tags, vec![]),
        ];
        let annotation = annotation_from_values(written.clone());
        assert_eq!(
            json!(annotation),
            json!({ "icp_tier": "tier_1", "workspace_status": null, "tags": [] })
        );
        assert_eq!(annotation_values(&annotation), written);
    }
}
