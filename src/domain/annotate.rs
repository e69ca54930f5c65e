//! Annotations that overwrite nothing unseen: what the person saw of a record and what they want of it, against what stands there now.
//!
//! The interface has no compare-and-set. So a record is read right before it is written, and the write is computed from that read:
//! additions and appended text never remove anything, and a value that somebody else changed meanwhile is a conflict.

use uuid::Uuid;

use super::batch::Item;
use super::book::{Annotation, Tier};
use super::merge;
use super::patch::Patch;
use super::records::{Fields, Record};

/// The code of an item that was not written because the record changed meanwhile.
pub const CHANGED: &str = "changed_since";
/// The code of an item that was not written because the record could not be read.
pub const UNREADABLE: &str = "unreadable";

/// An annotation of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotating {
    /// The record.
    pub id: Uuid,
    /// What is to be written.
    pub wanted: Annotation,
    /// What the person saw. Without it the record is not read, and written as it is wanted.
    pub seen: Option<Seen>,
}

/// What a person saw of a record. A field that is [`Patch::Keep`] was not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whether it was in the book, where that was known.
    pub in_book: Option<bool>,
    /// The fields.
    pub fields: Annotation,
}

/// What was found and written, of an item that was read first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The record right before the write; none when it was not in the book.
    pub before: Option<Record>,
    /// What was sent; empty when all of it was so already.
    pub written: Annotation,
}

impl Checked {
    /// Nothing has to be sent: all of it is so already.
    pub fn is_so_already(&self) -> bool {
        self.before.is_some() && self.written.is_empty()
    }
}

impl Annotating {
    /// An annotation that is written without a look at the record.
    pub fn unchecked(id: Uuid, wanted: Annotation) -> Annotating {
        Annotating { id, wanted, seen: None }
    }

    /// What is to be written on a record that was read right before; none being one that is not in the book.
    ///
    /// # Errors
    /// The item, refused: what would be overwritten unseen.
    pub fn check(&self, before: Option<Record>) -> Result<Checked, Box<Item>> {
        match self.reconcile(before.as_ref().map(Record::fields).as_ref()) {
            Ok(written) => Ok(Checked { before, written }),
            Err(changed) => {
                let checked = Some(Checked { before, written: Annotation::default() });
                Err(Box::new(Item { checked, ..Item::refused(CHANGED, changed) }))
            }
        }
    }

    /// What is to be sent to a record that stands so now, none being one that is not in the book.
    ///
    /// # Errors
    /// What would be overwritten unseen, in words.
    fn reconcile(&self, now: Option<&Fields>) -> Result<Annotation, String> {
        let Some(seen) = &self.seen else { return Ok(self.wanted.clone()) };
        let Some(now) = now else {
            let left = seen.in_book == Some(true);
            return if left { Err("it has left the book since".to_owned()) } else { Ok(self.wanted.clone()) };
        };
        let text = |name: &str| now.has(name).then(|| now.text(name).filter(|text| !text.is_empty()).map(str::to_owned));
        let tags = now.has("tags").then(|| now.list("tags").into_iter().map(str::to_owned).collect::<Vec<_>>());
        let tier = now.has("icp_tier").then(|| now.text("icp_tier").map(Tier::from));
        let (wanted, seen) = (&self.wanted, &seen.fields);
        let mut changed = Vec::new();
        let annotation = Annotation {
            icp_tier: or_changed(value(&wanted.icp_tier, &seen.icp_tier, tier), "tier", &mut changed),
            workspace_status: or_changed(
                value(&wanted.workspace_status, &seen.workspace_status, text("workspace_status")),
                "status",
                &mut changed,
            ),
            tags: or_changed(set(wanted.tags.as_deref(), seen.tags.as_deref(), tags), "tags", &mut changed),
            notes: or_changed(note(&wanted.notes, &seen.notes, text("notes")), "note", &mut changed),
        };
        if changed.is_empty() { Ok(annotation) } else { Err(format!("{} changed since", changed.join(" and "))) }
    }
}

/// It would be overwritten unseen.
struct Overwritten;

fn or_changed<T: Default>(result: Result<T, Overwritten>, name: &'static str, changed: &mut Vec<&'static str>) -> T {
    result.unwrap_or_else(|Overwritten| {
        changed.push(name);
        T::default()
    })
}

/// A value that becomes another one. `now` is none where the record does not tell it.
fn value<T: Clone + PartialEq>(wanted: &Patch<T>, seen: &Patch<T>, now: Option<Option<T>>) -> Result<Patch<T>, Overwritten> {
    let (Some(now), false) = (now, wanted.is_keep()) else { return Ok(wanted.clone()) };
    if wanted.clone().apply(None) == now {
        return Ok(Patch::Keep);
    }
    // Where nothing was seen, only an empty field can be written.
    if seen.clone().apply(None) == now { Ok(wanted.clone()) } else { Err(Overwritten) }
}

/// A note: what was appended goes behind what stands there now, other changes of both sides are merged by their lines.
fn note(wanted: &Patch<String>, seen: &Patch<String>, now: Option<Option<String>>) -> Result<Patch<String>, Overwritten> {
    let theirs = now.clone().flatten().unwrap_or_default();
    match (value(wanted, seen, now), wanted) {
        (Err(Overwritten), Patch::Set(mine)) if !seen.is_keep() => {
            let base = seen.clone().apply(None).unwrap_or_default();
            if let Some(added) = appended(&base, mine) {
                let before = theirs.trim_end();
                return Ok(Patch::Set(if before.is_empty() { added.to_owned() } else { format!("{before}\n{added}") }));
            }
            let merged = merge::texts(&base, &theirs, mine);
            if merged.conflicts == 0 { Ok(Patch::Set(merged.text)) } else { Err(Overwritten) }
        }
        (result, _) => result,
    }
}

/// The lines that a text has behind another one that it begins with.
fn appended<'a>(base: &str, text: &'a str) -> Option<&'a str> {
    let base = base.trim_end();
    let added = text.strip_prefix(base)?;
    if base.is_empty() { Some(added) } else { added.strip_prefix('\n') }
}

/// Tags: what either side added stays, and what either side removed goes.
fn set(wanted: Option<&[String]>, seen: Option<&[String]>, now: Option<Vec<String>>) -> Result<Option<Vec<String>>, Overwritten> {
    let (Some(wanted), Some(now)) = (wanted, &now) else { return Ok(wanted.map(<[String]>::to_vec)) };
    let after = match seen {
        Some(seen) => merge::sets(seen, now, wanted),
        None if now.iter().all(|tag| wanted.contains(tag)) => wanted.to_vec(),
        None => return Err(Overwritten),
    };
    let is_same = after.len() == now.len() && after.iter().all(|tag| now.contains(tag));
    Ok((!is_same).then_some(after))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fields(value: Value) -> Fields {
        let mut value = value;
        value["id"] = json!(Uuid::nil());
        Record::try_from(&value).unwrap().fields()
    }

    fn annotation(value: Value) -> Annotation {
        serde_json::from_value(value).unwrap()
    }

    /// What is sent when a person saw one thing, wants another, and a third stands there.
    fn sent(seen: Value, wanted: Value, now: Value) -> Result<Value, String> {
        let seen = Some(Seen { in_book: Some(true), fields: annotation(seen) });
        let annotating = Annotating { id: Uuid::nil(), wanted: annotation(wanted), seen };
        annotating.reconcile(Some(&fields(now))).map(|annotation| json!(annotation))
    }

    #[test]
    fn what_nobody_changed_is_written_as_it_was_wanted() {
        for (seen, wanted) in [
            (json!({"workspace_status": "cold"}), json!({"workspace_status": "called"})),
            (json!({"workspace_status": "cold"}), json!({"workspace_status": null})),
            (json!({"icp_tier": null}), json!({"icp_tier": "tier_1"})),
            (json!({"tags": ["a"]}), json!({"tags": ["b"]})),
            (json!({"notes": "one"}), json!({"notes": "two"})),
        ] {
            assert_eq!(sent(seen.clone(), wanted.clone(), seen), Ok(wanted));
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
            (json!({"notes": null}), json!({"notes": "call"}), json!({"notes": "met at the fair\nAnn: signed\ncall"})),
            (json!({"tags": ["austin"]}), json!({"tags": ["austin", "mine"]}), json!({"tags": ["austin", "theirs", "mine"]})),
            (json!({"tags": ["austin"]}), json!({"tags": []}), json!({"tags": ["theirs"]})),
        ] {
            assert_eq!(sent(seen, wanted, now.clone()), Ok(after));
        }
    }

    #[test]
    fn a_value_that_a_colleague_changed_is_not_overwritten() {
        for (seen, wanted, now) in [
            (json!({"workspace_status": "cold"}), json!({"workspace_status": "called"}), json!({"workspace_status": "won"})),
            (json!({"workspace_status": "cold"}), json!({"workspace_status": null}), json!({"workspace_status": "won"})),
            (json!({}), json!({"workspace_status": "called"}), json!({"workspace_status": "won"})),
            (json!({}), json!({"tags": ["mine"]}), json!({"tags": ["theirs"]})),
            (json!({"icp_tier": "tier_1"}), json!({"icp_tier": "tier_2"}), json!({"icp_tier": "tier_3"})),
            (json!({"notes": "one"}), json!({"notes": "mine"}), json!({"notes": "theirs"})),
            (json!({"notes": "one"}), json!({"notes": null}), json!({"notes": "theirs"})),
            (json!({}), json!({"notes": "mine"}), json!({"notes": "theirs"})),
        ] {
            assert!(sent(seen, wanted.clone(), now).unwrap_err().ends_with("changed since"), "{wanted}");
        }
    }

    #[test]
    fn a_note_that_both_changed_in_different_lines_is_merged() {
        let now = json!({"notes": "one\ntwo, says Ann\nthree\nfour"});
        let merged = sent(json!({"notes": "one\ntwo\nthree\nfour"}), json!({"notes": "one\ntwo\nthree\n4"}), now);
        assert_eq!(merged, Ok(json!({"notes": "one\ntwo, says Ann\nthree\n4"})));
    }

    #[test]
    fn what_is_so_already_is_not_sent() {
        let now = json!({"workspace_status": "called", "tags": ["b", "a"], "notes": null});
        let wanted = json!({"workspace_status": "called", "tags": ["a", "b"], "notes": null});
        assert_eq!(sent(json!({"workspace_status": "cold", "tags": ["a"], "notes": "x"}), wanted, now), Ok(json!({})));
    }

    #[test]
    fn a_field_that_the_service_does_not_tell_is_written() {
        assert_eq!(sent(json!({"notes": "one"}), json!({"notes": "two"}), json!({})), Ok(json!({"notes": "two"})));
    }

    #[test]
    fn a_record_that_left_the_book_is_not_saved_again_and_one_that_was_never_in_it_is() {
        let wanted = annotation(json!({"workspace_status": "called"}));
        let of = |in_book| {
            let seen = Some(Seen { in_book, fields: annotation(json!({"workspace_status": null})) });
            Annotating { id: Uuid::nil(), wanted: wanted.clone(), seen }.reconcile(None)
        };
        assert!(of(Some(true)).unwrap_err().contains("left the book"));
        assert_eq!((of(Some(false)), of(None)), (Ok(wanted.clone()), Ok(wanted.clone())));
    }
}
