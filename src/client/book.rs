//! `/workspace/{accounts,contacts,projects}`: the book (interface: Workspace: book searches, gets,
//! upserts and deletes, batch writes). Reads cost 1 credit per row, or 1 per get whatever it
//! includes; writes are free.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::book::{Annotation, RecordKind};
use crate::domain::search::Search;

use super::{PayloadPath, Request, RetryClass, search};

/// The record whose annotation is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordRef {
    Id(Uuid),
    Domain(String),
    Email(String),
}

/// `POST /workspace/{kind}/search`.
pub fn search(kind: &RecordKind, search: &Search) -> Request {
    let payload = if *kind == RecordKind::Projects {
        PayloadPath::List("projects", "project", "id")
    } else {
        PayloadPath::Data
    };
    search::search_request(format!("/workspace/{kind}/search"), search, payload)
}

/// `GET /workspace/{kind}/{id}` with these includes. Contacts cannot include signals.
pub fn get<'a>(kind: &RecordKind, id: Uuid, include: impl IntoIterator<Item = &'a str>) -> Request {
    Request::get_paid(format!("/workspace/{kind}/{id}"), PayloadPath::Data)
        .query_each("include", include)
}

/// `POST /workspace/{kind}/upsert`: adds the record to the book and writes what the annotation
/// sets or clears.
pub fn upsert(kind: &RecordKind, who: &RecordRef, annotation: &Annotation) -> Request {
    // The service resolves the match each time, so a retry may find a different record.
    let class = if matches!(who, RecordRef::Id(_)) {
        RetryClass::Idempotent
    } else {
        RetryClass::NonIdempotent
    };
    Request::post(
        format!("/workspace/{kind}/upsert"),
        upsert_input(kind, who, annotation),
        class,
        PayloadPath::Object("record"),
    )
}

/// `DELETE /workspace/{kind}/{id}`. [`delete_batch`] with one id does the same and can be retried.
pub fn delete(kind: &RecordKind, id: Uuid) -> Request {
    Request::delete(format!("/workspace/{kind}/{id}"))
}

/// `POST /workspace/{kind}/upsert/batch`, 1 to 100 records.
pub fn upsert_batch(kind: &RecordKind, inputs: &[(RecordRef, Annotation)]) -> Request {
    let class = if inputs
        .iter()
        .all(|(who, _)| matches!(who, RecordRef::Id(_)))
    {
        RetryClass::Idempotent
    } else {
        RetryClass::NonIdempotent
    };
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(who, annotation)| upsert_input(kind, who, annotation))
        .collect();
    Request::post_batch(
        format!("/workspace/{kind}/upsert/batch"),
        json!({"inputs": inputs}),
        class,
    )
}

/// `POST /workspace/{kind}/delete/batch`, 1 to 100 records; a record that is not in the book is
/// `ok`.
pub fn delete_batch(kind: &RecordKind, ids: &[Uuid]) -> Request {
    Request::post_batch(
        format!("/workspace/{kind}/delete/batch"),
        json!({"ids": ids}),
        RetryClass::Idempotent,
    )
}

fn upsert_input(kind: &RecordKind, who: &RecordRef, annotation: &Annotation) -> Value {
    let mut input = json!(annotation);
    if let Some(object) = input.as_object_mut() {
        let (name, value) = match who {
            RecordRef::Id(id) => (format!("{}_id", kind.singular_name()), json!(id)),
            RecordRef::Domain(domain) => ("match".to_owned(), json!({"domain": domain})),
            RecordRef::Email(email) => ("match".to_owned(), json!({"email": email})),
        };
        object.insert(name, value);
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::patch::Patch;

    #[test]
    fn an_upsert_names_its_record_by_id_or_by_its_natural_key() {
        let id = Uuid::nil();
        let clear = Annotation {
            notes: Patch::Clear,
            ..Annotation::default()
        };
        for (kind, who, expected) in [
            (
                RecordKind::Accounts,
                RecordRef::Id(id),
                json!({"account_id": id, "notes": null}),
            ),
            (
                RecordKind::Accounts,
                RecordRef::Domain("a.example".to_owned()),
                json!({"match": {"domain": "a.example"}, "notes": null}),
            ),
            (
                RecordKind::Contacts,
                RecordRef::Email("a@a.example".to_owned()),
                json!({"match": {"email": "a@a.example"}, "notes": null}),
            ),
            (
                RecordKind::Projects,
                RecordRef::Id(id),
                json!({"project_id": id, "notes": null}),
            ),
        ] {
            assert_eq!(upsert(&kind, &who, &clear).body.unwrap(), expected);
        }
    }
}
