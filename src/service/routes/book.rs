//! The three families of the book, `/workspace/accounts/*`, `/workspace/contacts/*` and
//! `/workspace/projects/*`: searches, gets, upserts, deletes and their batches (interface: Workspace:
//! book searches to batch writes).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use uuid::Uuid;

use super::data_search::search_context;
use super::{batch, data};
use crate::service::api_error::ApiError;
use crate::service::dataset::Dataset;
use crate::service::db::projection::Projection;
use crate::service::db::{self, Conn, natural_keys, projection};
use crate::service::request::AuthorizedRequest;
use crate::service::response::ApiResponse;
use crate::service::sample::vocabulary::ACCOUNT_TIERS;
use crate::service::search::{self, SearchContext, SearchScope, includes};
use crate::service::validation::{InputObject, InputValue};

/// Maximum length of `workspace_status`, in characters.
const MAX_STATUS_CHARS: usize = 200;
/// Maximum length of `notes`, in bytes.
const MAX_NOTES_BYTES: usize = 64 << 10;
/// Maximum length of a tag in characters, and maximum number of tags.
const MAX_TAG_CHARS: usize = 100;
const MAX_TAGS: usize = 100;

/// The saved accounts; they can also be found by domain, and only they have a tier and a score.
pub struct Accounts;

impl BookFamily for Accounts {
    const DATASET: Dataset = Dataset::Accounts;
    const ID_KEY: &'static str = "account_id";
    const NATURAL_KEY: Option<(&'static str, NaturalKeyLookup)> =
        Some(("domain", natural_keys::accounts_by_domain));
    const GET_PROJECTION: &'static Projection = &projection::BOOK_ACCOUNT;
    const UPSERT_PROJECTION: &'static Projection = &projection::BOOK_ACCOUNT;
}

/// The saved contacts; they can also be found by email address. Their upsert returns fewer fields
/// than their get.
pub struct Contacts;

impl BookFamily for Contacts {
    const DATASET: Dataset = Dataset::Contacts;
    const ID_KEY: &'static str = "contact_id";
    const NATURAL_KEY: Option<(&'static str, NaturalKeyLookup)> =
        Some(("email", natural_keys::contacts_by_email));
    const GET_PROJECTION: &'static Projection = &projection::BOOK_CONTACT;
    const UPSERT_PROJECTION: &'static Projection = &projection::BOOK_CONTACT_ROW;
}

/// The saved projects; they have no natural key.
pub struct Projects;

impl BookFamily for Projects {
    const DATASET: Dataset = Dataset::Projects;
    const ID_KEY: &'static str = "project_id";
    const NATURAL_KEY: Option<(&'static str, NaturalKeyLookup)> = None;
    const GET_PROJECTION: &'static Projection = &projection::BOOK_PROJECT;
    const UPSERT_PROJECTION: &'static Projection = &projection::BOOK_PROJECT;
}

/// Finds records by a natural key, at most two.
pub type NaturalKeyLookup = fn(&Conn, &str) -> db::sql::Result<Vec<Uuid>>;

/// How an upsert names its record.
pub enum RecordKey {
    Id(Uuid),
    Natural(String, NaturalKeyLookup),
}

impl RecordKey {
    fn id(&self) -> Option<Uuid> {
        match self {
            RecordKey::Id(id) => Some(*id),
            RecordKey::Natural(..) => None,
        }
    }
}

/// A family of the book.
pub trait BookFamily {
    const DATASET: Dataset;
    /// The key of its ids in an upsert.
    const ID_KEY: &'static str;
    /// The key within `match`, and the lookup by it.
    const NATURAL_KEY: Option<(&'static str, NaturalKeyLookup)>;
    /// The record of a get.
    const GET_PROJECTION: &'static Projection;
    /// The record of an upsert.
    const UPSERT_PROJECTION: &'static Projection;

    fn search_context<'a>(ask: &'a AuthorizedRequest) -> SearchContext<'a> {
        search_context(ask, Self::DATASET, SearchScope::Book)
    }

    fn not_found() -> ApiError {
        ApiError::not_found(format!("no such {} in the book", Self::DATASET.singular()))
    }

    fn search(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        let found = search::run_search(conn, &Self::search_context(ask), &ask.body)?;
        ApiResponse::with_metadata(&found.rows, &found.metadata, found.metadata.credits)
    }

    /// A record of the book with what `include` requests; one credit, whatever is included.
    fn show(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        let included = data::include_keys(ask, Self::DATASET)?;
        let id: Uuid = ask.path_id("id", || Self::not_found())?;
        if !db::book::contains(conn, ask.access.workspace, Self::DATASET, id)? {
            return Err(Self::not_found());
        }
        let record = Self::GET_PROJECTION
            .read_record(conn, ask.access.workspace, ask.now, id)?
            .ok_or_else(|| Self::not_found())?;
        ApiResponse::with_credits(
            includes::embed_includes(conn, &Self::search_context(ask), &record, id, &included)?,
            1,
        )
    }

    /// One upsert; `data` is null if the record was written but cannot be read back.
    fn upsert(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        let (_, record) = Self::apply_upsert(conn, ask, &InputValue::root(&ask.body))?;
        ApiResponse::from_data(record)
    }

    fn upsert_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        let elements = batch::batch_elements(ask, "inputs")?;
        let ids = elements
            .iter()
            .filter_map(|at| at.value.get(Self::ID_KEY)?.as_str()?.parse::<Uuid>().ok());
        if ids.collect::<BTreeSet<_>>().len() < elements.len() {
            return batch::run_upserts(conn, ask, |at| {
                let (id, record) = Self::apply_upsert(conn, ask, at)?;
                Ok(record.unwrap_or_else(|| json!({ "id": id })))
            });
        }
        // each record is written once, so all can be looked up, written and read together
        let inputs = elements
            .iter()
            .map(|at| Self::parse_upsert(at))
            .collect::<Vec<_>>();
        let ids = inputs.iter().flatten().filter_map(|(key, _)| key.id());
        let existing = natural_keys::existing_records(conn, Self::DATASET, ids)?;
        let (mut changes, mut results) = (Vec::new(), Vec::new());
        for input in inputs {
            let id =
                input.and_then(
                    |(key, change)| match key.id().filter(|id| existing.contains(id)) {
                        Some(id) => {
                            changes.push((id, change));
                            Ok(id)
                        }
                        None => Err(Self::no_such_record()),
                    },
                );
            results.push(id.map(|id| json!({ "id": id })));
        }
        db::book::upsert_all(conn, ask.access.workspace, Self::DATASET, changes, ask.now)?;
        Self::read_back(conn, ask, &mut results);
        batch::batch_response(results)
    }

    /// Completes written records, of which only the ids are known. A read that fails must not end
    /// the transaction of the writes.
    fn read_back(conn: &Conn, ask: &AuthorizedRequest, results: &mut [Result<Value, ApiError>]) {
        let ids = results
            .iter()
            .flatten()
            .filter_map(|record| record["id"].as_str()?.parse().ok());
        let read = db::with_savepoint(conn, || {
            Self::UPSERT_PROJECTION.read_ids(conn, ask.access.workspace, ask.now, ids)
        });
        let read = read.unwrap_or_else(|error| {
            tracing::error!(%error, "cannot read back the written records");
            Vec::new()
        });
        let records = read
            .iter()
            .filter_map(|record| serde_json::from_str::<Value>(record.get()).ok());
        let mut records: BTreeMap<String, Value> = records
            .filter_map(|record| Some((record["id"].as_str()?.to_owned(), record)))
            .collect();
        for result in results.iter_mut().flatten() {
            if let Some(record) = result["id"].as_str().and_then(|id| records.remove(id)) {
                *result = record;
            }
        }
    }

    /// Removes a record from the book.
    fn remove(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        let id: Uuid = ask.path_id("id", || Self::not_found())?;
        if !db::book::remove(conn, ask.access.workspace, Self::DATASET, id)? {
            return Err(Self::not_found());
        }
        ApiResponse::from_data(json!({"deleted": true, "id": id}))
    }

    /// Removes many records from the book.
    fn remove_batch(conn: &Conn, ask: &AuthorizedRequest) -> Result<ApiResponse, ApiError> {
        batch::run_deletes(conn, ask, |id| {
            Ok(db::book::remove(conn, ask.access.workspace, Self::DATASET, id).map(drop)?)
        })
    }

    fn apply_upsert(
        conn: &Conn,
        ask: &AuthorizedRequest,
        at: &InputValue<'_>,
    ) -> Result<(Uuid, Option<Value>), ApiError> {
        let id = Self::write_annotations(conn, ask, at)?;
        // a read that fails must not end the transaction of the write
        let read = db::with_savepoint(conn, || {
            Self::UPSERT_PROJECTION.read_record(conn, ask.access.workspace, ask.now, id)
        });
        let read = read.unwrap_or_else(|error| {
            tracing::error!(%error, "cannot read back a written record");
            None
        });
        Ok((
            id,
            read.and_then(|record| serde_json::from_str(record.get()).ok()),
        ))
    }

    fn write_annotations(
        conn: &Conn,
        ask: &AuthorizedRequest,
        at: &InputValue<'_>,
    ) -> Result<Uuid, ApiError> {
        let (key, change) = Self::parse_upsert(at)?;
        let id = Self::find_record(conn, &key)?;
        db::book::upsert(
            conn,
            ask.access.workspace,
            Self::DATASET,
            id,
            change,
            ask.now,
        )?;
        Ok(id)
    }

    /// The record of an upsert, by either its id or its natural key, and its annotations.
    fn parse_upsert(
        at: &InputValue<'_>,
    ) -> Result<(RecordKey, db::book::AnnotationChange), ApiError> {
        let mut keys = vec![Self::ID_KEY, "workspace_status", "notes", "tags"];
        keys.extend(Self::NATURAL_KEY.map(|_| "match"));
        keys.extend((Self::DATASET == Dataset::Accounts).then_some("icp_tier"));
        let form = at.object()?.reject_unknown_keys(&keys)?;
        let change = annotation_change(&form)?;
        let id = form.optional_field(Self::ID_KEY, |at| at.id::<Uuid>())?;
        let natural = Self::NATURAL_KEY
            .zip(form.get("match"))
            .map(|((key, lookup), at)| {
                let text = at
                    .object()?
                    .reject_unknown_keys(&[key])?
                    .required_field(key)?
                    .text()?
                    .trim()
                    .to_owned();
                if text.is_empty() {
                    Err(at.child(key, at.value).issue(
                        "too_small",
                        "must not be empty",
                        json!({"minimum": 1}),
                    ))
                } else {
                    Ok((text, lookup))
                }
            });
        let key = match (id, natural.transpose()?) {
            (Some(id), None) => RecordKey::Id(id),
            (None, Some((text, lookup))) => RecordKey::Natural(text, lookup),
            (Some(_), Some(_)) => {
                let message = format!("use either {} or match, not both", Self::ID_KEY);
                return Err(form.location().issue("not_allowed", message, Value::Null));
            }
            (None, None) => {
                RecordKey::Id(form.required_field(Self::ID_KEY).and_then(|at| at.id())?)
            }
        };
        Ok((key, change))
    }

    fn find_record(conn: &Conn, key: &RecordKey) -> Result<Uuid, ApiError> {
        match key {
            RecordKey::Id(id) if natural_keys::record_exists(conn, Self::DATASET, *id)? => Ok(*id),
            RecordKey::Id(_) => Err(Self::no_such_record()),
            RecordKey::Natural(text, lookup) => match lookup(conn, text)?.as_slice() {
                [id] => Ok(*id),
                [] => Err(ApiError::not_found(format!(
                    "no {} matches",
                    Self::DATASET.singular()
                ))),
                _ => {
                    let message = format!(
                        "more than one {} matches: use {} instead",
                        Self::DATASET.singular(),
                        Self::ID_KEY
                    );
                    Err(ApiError::conflict("ambiguous_match", message))
                }
            },
        }
    }

    fn no_such_record() -> ApiError {
        ApiError::not_found(format!("no such {}", Self::DATASET.singular()))
    }
}

/// The annotations of an upsert.
fn annotation_change(form: &InputObject<'_>) -> Result<db::book::AnnotationChange, ApiError> {
    Ok(db::book::AnnotationChange {
        icp_tier: form.patch("icp_tier", |at| at.one_of(ACCOUNT_TIERS).map(str::to_owned))?,
        workspace_status: form.patch("workspace_status", |at| {
            at.text_of_length(0, MAX_STATUS_CHARS).map(str::to_owned)
        })?,
        notes: form.patch("notes", |at| {
            at.text_of_bytes(MAX_NOTES_BYTES).map(str::to_owned)
        })?,
        tags: form.optional_field("tags", |at| {
            at.items(0, MAX_TAGS)?
                .iter()
                .map(|tag| tag.text_of_length(1, MAX_TAG_CHARS).map(str::to_owned))
                .collect()
        })?,
    })
}
