//! Annotations that never overwrite unseen changes: compares what the person saw and wants with the
//! current record.
//!
//! The interface has no compare-and-set, so a record is read right before it is written, and the
//! write is computed from that read: additions and appended text never remove anything, and a value
//! that somebody else changed meanwhile is a conflict.

use uuid::Uuid;

use super::batch::BatchItemResult;
use super::book::{Annotation, IcpTier};
use super::merge;
use super::patch::Patch;
use super::records::{Record, RecordFields};

/// The code of an item that was not written because the record has changed meanwhile.
pub const CHANGED_SINCE_CODE: &str = "changed_since";
/// The code of an item that was not written because the record could not be read.
pub const UNREADABLE_CODE: &str = "unreadable";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationWrite {
    pub id: Uuid,
    pub desired: Annotation,
    /// What the person saw. Without it the annotation is written as desired, without reading the
    /// record.
    pub baseline: Option<AnnotationBaseline>,
}

/// What is added to the annotation of a record: its status is replaced, tags and a line of the note
/// are added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationAddition {
    pub status: Option<String>,
    pub tags: Vec<String>,
    pub note: Option<String>,
}

/// What a person saw of a record. A field that is [`Patch::Keep`] was not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationBaseline {
    /// Whether it was in the book, if known.
    pub in_book: Option<bool>,
    pub fields: Annotation,
}

/// The result of an item that was read first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedAnnotation {
    /// The record right before the write; `None` if it was not in the book.
    pub before: Option<Record>,
    /// What was sent; empty if nothing had to change.
    pub written: Annotation,
}

impl CheckedAnnotation {
    /// Nothing has to be sent.
    pub fn is_noop(&self) -> bool {
        self.before.is_some() && self.written.is_empty()
    }
}

impl AnnotationWrite {
    /// An annotation that is written without reading the record.
    pub fn new_unchecked(id: Uuid, wanted: Annotation) -> AnnotationWrite {
        AnnotationWrite {
            id,
            desired: wanted,
            baseline: None,
        }
    }

    /// Computes the write from the record as just read; `None` if it is not in the book.
    ///
    /// # Errors
    /// The item, rejected because it would overwrite an unseen change.
    pub fn check(&self, before: Option<Record>) -> Result<CheckedAnnotation, Box<BatchItemResult>> {
        match self.reconcile(before.as_ref().map(Record::fields).as_ref()) {
            Ok(written) => Ok(CheckedAnnotation { before, written }),
            Err(changed) => {
                let checked = Some(CheckedAnnotation {
                    before,
                    written: Annotation::default(),
                });
                Err(Box::new(BatchItemResult {
                    checked,
                    ..BatchItemResult::err(CHANGED_SINCE_CODE, changed)
                }))
            }
        }
    }

    /// Computes what to send, given the current record; `None` if it is not in the book.
    ///
    /// # Errors
    /// The unseen changes that would be overwritten, in words.
    fn reconcile(&self, now: Option<&RecordFields>) -> Result<Annotation, String> {
        let Some(seen) = &self.baseline else {
            return Ok(self.desired.clone());
        };
        let Some(now) = now else {
            let left = seen.in_book == Some(true);
            return if left {
                Err("it is no longer in the book".to_owned())
            } else {
                Ok(self.desired.clone())
            };
        };
        let text = |name: &str| {
            now.contains_field(name).then(|| {
                now.text(name)
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
            })
        };
        let tags = now.contains_field("tags").then(|| {
            now.list("tags")
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        let tier = now
            .contains_field("icp_tier")
            .then(|| now.text("icp_tier").map(IcpTier::from));
        let (wanted, seen) = (&self.desired, &seen.fields);
        let value = |name: &str| match now.list(name).join(", ") {
            list if !list.is_empty() => list,
            _ => now.text(name).unwrap_or_default().to_owned(),
        };
        let mut unseen = Vec::new();
        let annotation = Annotation {
            icp_tier: unwrap_or_conflict(
                reconcile_value(&wanted.icp_tier, &seen.icp_tier, tier),
                ("tier", value("icp_tier")),
                &mut unseen,
            ),
            workspace_status: unwrap_or_conflict(
                reconcile_value(
                    &wanted.workspace_status,
                    &seen.workspace_status,
                    text("workspace_status"),
                ),
                ("status", value("workspace_status")),
                &mut unseen,
            ),
            tags: unwrap_or_conflict(
                reconcile_tags(wanted.tags.as_deref(), seen.tags.as_deref(), tags),
                ("tags", value("tags")),
                &mut unseen,
            ),
            notes: unwrap_or_conflict(
                reconcile_note(&wanted.notes, &seen.notes, text("notes")),
                ("note", String::new()),
                &mut unseen,
            ),
        };
        if unseen.is_empty() {
            Ok(annotation)
        } else {
            Err(format!("the record has {}", unseen.join(" and ")))
        }
    }
}

/// The write would overwrite an unseen change.
struct WouldOverwrite;

fn unwrap_or_conflict<T: Default>(
    result: Result<T, WouldOverwrite>,
    (name, value): (&str, String),
    unseen: &mut Vec<String>,
) -> T {
    result.unwrap_or_else(|WouldOverwrite| {
        unseen.push(match (name, value.is_empty()) {
            ("note", _) => "another note now".to_owned(),
            (name, true) => format!("no {name} now"),
            (name, false) => format!("the {name} “{value}” now"),
        });
        T::default()
    })
}

/// Reconciles a single value. `now` is `None` where the record does not contain it.
fn reconcile_value<T: Clone + PartialEq>(
    wanted: &Patch<T>,
    seen: &Patch<T>,
    now: Option<Option<T>>,
) -> Result<Patch<T>, WouldOverwrite> {
    let (Some(now), false) = (now, wanted.is_keep()) else {
        return Ok(wanted.clone());
    };
    if wanted.clone().apply(None) == now {
        return Ok(Patch::Keep);
    }
    // If nothing was seen, only an empty field may be written.
    if seen.clone().apply(None) == now {
        Ok(wanted.clone())
    } else {
        Err(WouldOverwrite)
    }
}

/// Reconciles a note: appended lines go after the current text, other changes of both sides are
/// merged line by line.
fn reconcile_note(
    wanted: &Patch<String>,
    seen: &Patch<String>,
    now: Option<Option<String>>,
) -> Result<Patch<String>, WouldOverwrite> {
    let theirs = now.clone().flatten().unwrap_or_default();
    match (reconcile_value(wanted, seen, now), wanted) {
        (Err(WouldOverwrite), Patch::Set(mine)) if !seen.is_keep() => {
            let base = seen.clone().apply(None).unwrap_or_default();
            if let Some(added) = appended_lines(&base, mine) {
                return Ok(Patch::Set(append_note(&theirs, added)));
            }
            if let Some(replaced) = merge::replace_lines(&base, &theirs, mine) {
                return Ok(Patch::Set(replaced));
            }
            let merged = merge::merge_texts(&base, &theirs, mine);
            if merged.conflicts == 0 {
                Ok(Patch::Set(merged.text))
            } else {
                Err(WouldOverwrite)
            }
        }
        (result, _) => result,
    }
}

/// A note with a text after it, on a line of its own.
pub fn append_note(note: &str, text: &str) -> String {
    match note.trim_end() {
        "" => text.to_owned(),
        note => format!("{note}\n{text}"),
    }
}

/// The lines appended to `base`, if `text` begins with it.
fn appended_lines<'a>(base: &str, text: &'a str) -> Option<&'a str> {
    let base = base.trim_end();
    let added = text.strip_prefix(base)?;
    if base.is_empty() {
        Some(added)
    } else {
        added.strip_prefix('\n')
    }
}

/// Reconciles tags: additions of both sides stay, removals of both sides go.
fn reconcile_tags(
    wanted: Option<&[String]>,
    seen: Option<&[String]>,
    now: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, WouldOverwrite> {
    let (Some(wanted), Some(now)) = (wanted, &now) else {
        return Ok(wanted.map(<[String]>::to_vec));
    };
    let after = match seen {
        Some(seen) => merge::merge_sets(seen, now, wanted),
        None if now.iter().all(|tag| wanted.contains(tag)) => wanted.to_vec(),
        None => return Err(WouldOverwrite),
    };
    let is_same = after.len() == now.len() && after.iter().all(|tag| now.contains(tag));
    Ok((!is_same).then_some(after))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn record_fields(value: Value) -> RecordFields {
        let mut value = value;
        value["id"] = json!(Uuid::nil());
        Record::try_from(&value).unwrap().fields()
    }

    fn parse_annotation(value: Value) -> Annotation {
        serde_json::from_value(value).unwrap()
    }

    /// What is sent for these seen, wanted and current values.
    fn reconciled_json(seen: Value, wanted: Value, now: Value) -> Result<Value, String> {
        let seen = Some(AnnotationBaseline {
            in_book: Some(true),
            fields: parse_annotation(seen),
        });
        let annotating = AnnotationWrite {
            id: Uuid::nil(),
            desired: parse_annotation(wanted),
            baseline: seen,
        };
        annotating
            .reconcile(Some(&record_fields(now)))
            .map(|annotation| json!(annotation))
    }

    #[test]
    fn a_field_nobody_else_changed_is_written_as_desired() {
        for (seen, wanted) in [
            (
                json!({"workspace_status": "cold"}),
                json!({"workspace_status": "called"}),
            ),
            (
                json!({"workspace_status": "cold"}),
                json!({"workspace_status": null}),
            ),
            (json!({"icp_tier": null}), json!({"icp_tier": "tier_1"})),
            (json!({"tags": ["a"]}), json!({"tags": ["b"]})),
            (json!({"notes": "one"}), json!({"notes": "two"})),
        ] {
            assert_eq!(
                reconciled_json(seen.clone(), wanted.clone(), seen),
                Ok(wanted)
            );
        }
    }

    #[test]
    fn appended_lines_and_added_tags_never_remove_what_a_colleague_wrote() {
        let now = json!({"notes": "met at the fair\nAnn: signed", "tags": ["austin", "theirs"]});
        for (seen, wanted, after) in [
            (
                json!({"notes": "met at the fair"}),
                json!({"notes": "met at the fair\ncall"}),
                json!({"notes": "met at the fair\nAnn: signed\ncall"}),
            ),
            (
                json!({"notes": null}),
                json!({"notes": "call"}),
                json!({"notes": "met at the fair\nAnn: signed\ncall"}),
            ),
            (
                json!({"tags": ["austin"]}),
                json!({"tags": ["austin", "mine"]}),
                json!({"tags": ["austin", "theirs", "mine"]}),
            ),
            (
                json!({"tags": ["austin"]}),
                json!({"tags": []}),
                json!({"tags": ["theirs"]}),
            ),
        ] {
            assert_eq!(reconciled_json(seen, wanted, now.clone()), Ok(after));
        }
    }

    #[test]
    fn a_value_that_a_colleague_changed_is_not_overwritten() {
        for (seen, wanted, now) in [
            (
                json!({"workspace_status": "cold"}),
                json!({"workspace_status": "called"}),
                json!({"workspace_status": "won"}),
            ),
            (
                json!({"workspace_status": "cold"}),
                json!({"workspace_status": null}),
                json!({"workspace_status": "won"}),
            ),
            (
                json!({}),
                json!({"workspace_status": "called"}),
                json!({"workspace_status": "won"}),
            ),
            (
                json!({}),
                json!({"tags": ["mine"]}),
                json!({"tags": ["theirs"]}),
            ),
            (
                json!({"icp_tier": "tier_1"}),
                json!({"icp_tier": "tier_2"}),
                json!({"icp_tier": "tier_3"}),
            ),
            (
                json!({"notes": "one"}),
                json!({"notes": "mine"}),
                json!({"notes": "theirs"}),
            ),
            (
                json!({"notes": "one"}),
                json!({"notes": null}),
                json!({"notes": "theirs"}),
            ),
            (
                json!({}),
                json!({"notes": "mine"}),
                json!({"notes": "theirs"}),
            ),
        ] {
            assert!(
                reconciled_json(seen, wanted.clone(), now)
                    .unwrap_err()
                    .starts_with("the record has "),
                "{wanted}"
            );
        }
    }

    #[test]
    fn notes_changed_on_different_lines_are_merged() {
        let now = json!({"notes": "one\ntwo, says Ann\nthree\nfour"});
        let merged = reconciled_json(
            json!({"notes": "one\ntwo\nthree\nfour"}),
            json!({"notes": "one\ntwo\nthree\n4"}),
            now,
        );
        assert_eq!(merged, Ok(json!({"notes": "one\ntwo, says Ann\nthree\n4"})));
    }

    #[test]
    fn a_value_that_is_already_current_is_not_sent() {
        let now = json!({"workspace_status": "called", "tags": ["b", "a"], "notes": null});
        let wanted = json!({"workspace_status": "called", "tags": ["a", "b"], "notes": null});
        assert_eq!(
            reconciled_json(
                json!({"workspace_status": "cold", "tags": ["a"], "notes": "x"}),
                wanted,
                now
            ),
            Ok(json!({}))
        );
    }

    #[test]
    fn a_field_missing_from_the_record_is_written() {
        assert_eq!(
            reconciled_json(json!({"notes": "one"}), json!({"notes": "two"}), json!({})),
            Ok(json!({"notes": "two"}))
        );
    }

    #[test]
    fn only_a_record_removed_from_the_book_meanwhile_is_a_conflict() {
        let wanted = parse_annotation(json!({"workspace_status": "called"}));
        let of = |in_book| {
            let seen = Some(AnnotationBaseline {
                in_book,
                fields: parse_annotation(json!({"workspace_status": null})),
            });
            AnnotationWrite {
                id: Uuid::nil(),
                desired: wanted.clone(),
                baseline: seen,
            }
            .reconcile(None)
        };
        assert!(
            of(Some(true))
                .unwrap_err()
                .contains("no longer in the book")
        );
        assert_eq!(
            (of(Some(false)), of(None)),
            (Ok(wanted.clone()), Ok(wanted.clone()))
        );
    }
}
