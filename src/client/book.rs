//! `/workspace/{accounts,contacts,projects}`: the book (interface: Workspace: book searches, gets,
//! upserts and deletes, batch writes). Reads cost 1 credit per row, or 1 per get whatever it
//! includes; writes are free.

use std::fmt::Display;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::domain::book::{Annotation, RecordKind};
use crate::domain::search::Search;
use crate::interface::RouteId;

use super::Request;
use super::request::encode_segment;
use super::search::search_body;

/// The record whose annotation is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordRef {
    Id(Uuid),
    Domain(String),
    Email(String),
}

impl RecordRef {
    /// The service resolves the other matches each time, so a retry may find a different record.
    fn is_id(&self) -> bool {
        matches!(self, RecordRef::Id(_))
    }
}

pub fn search(kind: &RecordKind, search: &Search) -> Request {
    use RouteId::{SearchAccounts, SearchContacts, SearchProjects};
    request_to(kind, [SearchAccounts, SearchContacts, SearchProjects], &[])
        .with_body(search_body(search))
}

/// A record with these includes. Contacts cannot include signals.
pub fn get<'a>(kind: &RecordKind, id: Uuid, include: impl IntoIterator<Item = &'a str>) -> Request {
    use RouteId::{ShowAccount, ShowContact, ShowProject};
    request_to(kind, [ShowAccount, ShowContact, ShowProject], &[&id]).query_each("include", include)
}

/// Adds the record to the book and writes what the annotation sets or clears.
pub fn upsert(kind: &RecordKind, who: &RecordRef, annotation: &Annotation) -> Request {
    use RouteId::{UpsertAccount, UpsertContact, UpsertProject};
    request_to(kind, [UpsertAccount, UpsertContact, UpsertProject], &[])
        .with_body(upsert_input(kind, who, annotation))
        .idempotent_if(who.is_id())
}

/// [`delete_batch`] with one id does the same and can be retried.
pub fn delete(kind: &RecordKind, id: Uuid) -> Request {
    use RouteId::{DeleteAccount, DeleteContact, DeleteProject};
    request_to(kind, [DeleteAccount, DeleteContact, DeleteProject], &[&id])
}

pub fn upsert_batch(kind: &RecordKind, inputs: &[(RecordRef, Annotation)]) -> Request {
    use RouteId::{UpsertAccounts, UpsertContacts, UpsertProjects};
    let are_ids = inputs.iter().all(|(who, _)| who.is_id());
    let inputs: Vec<_> = inputs
        .iter()
        .map(|(who, annotation)| upsert_input(kind, who, annotation))
        .collect();
    request_to(kind, [UpsertAccounts, UpsertContacts, UpsertProjects], &[])
        .with_body(json!({"inputs": inputs}))
        .idempotent_if(are_ids)
}

/// A record that is not in the book is `ok`.
pub fn delete_batch(kind: &RecordKind, ids: &[Uuid]) -> Request {
    use RouteId::{DeleteAccounts, DeleteContacts, DeleteProjects};
    request_to(kind, [DeleteAccounts, DeleteContacts, DeleteProjects], &[])
        .with_body(json!({"ids": ids}))
}

/// A request to the route of a kind, of those for accounts, contacts and projects.
fn request_to(
    kind: &RecordKind,
    [accounts, contacts, projects]: [RouteId; 3],
    id: &[&dyn Display],
) -> Request {
    match kind {
        RecordKind::Accounts => Request::new(accounts, id),
        RecordKind::Contacts => Request::new(contacts, id),
        RecordKind::Projects => Request::new(projects, id),
        RecordKind::Other(name) => {
            let request = Request::new(accounts, id);
            Request {
                path: request.path.replacen("accounts", &encode_segment(name), 1),
                ..request
            }
        }
    }
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
