//! What the three families of the book have in common: searches, gets, upserts, deletes and their batches (interface: Workspace: book
//! searches to batch writes). The files of the families say what is different.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{batch, data};
use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::{self, Conn, natural_keys};
use crate::service::form::{At, Form};
use crate::service::refusal::Refusal;
use crate::service::search::rows::Shape;
use crate::service::search::{self, Base, Call, Dataset, embeds};

/// The longest `workspace_status`, in characters.
const STATUS_MAX: usize = 200;
/// The longest `notes`, in bytes.
const NOTES_MAX: usize = 64 << 10;
/// The longest tag, in characters, and the most tags.
const TAG_MAX: usize = 100;
const TAGS_MAX: usize = 100;
const TIERS: [&str; 4] = ["tier_1", "tier_2", "tier_3", "disqualified"];

/// A family of the book.
pub struct Family {
    /// Its dataset.
    pub dataset: Dataset,
    /// The key of its ids in an upsert.
    pub id_key: &'static str,
    /// The key within `match`, and what finds records by it.
    pub natural_key: Option<(&'static str, Lookup)>,
    /// The record of a get.
    pub shown: &'static Shape,
    /// The record of an upsert.
    pub written: &'static Shape,
}

/// Finds records by a natural key, two at most.
pub type Lookup = fn(&Conn, &str) -> Result<Vec<Uuid>, db::Error>;

impl Family {
    fn call(&self, ask: &Ask) -> Call<'static> {
        Call { workspace: ask.access.workspace, now: ask.now, dataset: self.dataset, base: Base::Book }
    }

    fn absent(&self) -> Refusal {
        Refusal::not_found(format!("no such {} in the book", self.dataset.singular()))
    }

    /// A page of the book.
    pub fn search(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        let found = search::run(conn, &self.call(ask), &ask.body)?;
        Answer::with(&found.rows, &found.metadata, found.metadata.credits)
    }

    /// A record of the book with what `include` asks for; one credit, whatever is included.
    pub fn show(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        let included = data::included(ask, self.dataset)?;
        let id: Uuid = ask.id("id", || self.absent())?;
        if !db::book::has(conn, ask.access.workspace, self.dataset, id)? {
            return Err(self.absent());
        }
        let record = self.shown.record(conn, &self.call(ask), id)?.ok_or_else(|| self.absent())?;
        Answer::data(embeds::embed(conn, &self.call(ask), &record, id, &included)?, 1)
    }

    /// One upsert; `data` is null when the record was written and cannot be read back.
    pub fn upsert(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        let (_, record) = self.write(conn, ask, &At::root(&ask.body))?;
        Answer::free(record)
    }

    /// Many upserts.
    pub fn upsert_batch(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        batch::upserts(conn, ask, |at| {
            let (id, record) = self.write(conn, ask, at)?;
            Ok(record.unwrap_or_else(|| json!({ "id": id })))
        })
    }

    /// Takes a record out of the book.
    pub fn remove(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        let id: Uuid = ask.id("id", || self.absent())?;
        if !db::book::remove(conn, ask.access.workspace, self.dataset, id)? {
            return Err(self.absent());
        }
        Answer::free(json!({"deleted": true, "id": id}))
    }

    /// Takes many records out of the book.
    pub fn remove_batch(&self, conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
        batch::deletes(conn, ask, |id| Ok(db::book::remove(conn, ask.access.workspace, self.dataset, id).map(drop)?))
    }

    fn write(&self, conn: &Conn, ask: &Ask, at: &At<'_>) -> Result<(Uuid, Option<Value>), Refusal> {
        let mut keys = vec![self.id_key, "workspace_status", "notes", "tags"];
        keys.extend(self.natural_key.map(|_| "match"));
        keys.extend((self.dataset == Dataset::Accounts).then_some("icp_tier"));
        let form = at.object()?.only(&keys)?;
        let change = change(&form)?;
        let id = self.resolve(conn, &form)?;
        db::book::put(conn, ask.access.workspace, self.dataset, id, change, ask.now)?;
        let read = self.written.record(conn, &self.call(ask), id).unwrap_or_else(|error| {
            tracing::error!(%error, "a record that was written cannot be read back");
            None
        });
        Ok((id, read.and_then(|record| serde_json::from_str(record.get()).ok())))
    }

    /// The record that an upsert is about: by its id or by its natural key, one of the two.
    fn resolve(&self, conn: &Conn, form: &Form<'_>) -> Result<Uuid, Refusal> {
        let id = form.read(self.id_key, |at| at.id::<Uuid>())?;
        let natural = self.natural_key.zip(form.get("match")).map(|((key, lookup), at)| {
            let text = at.object()?.only(&[key])?.need(key)?.text()?.trim().to_owned();
            if text.is_empty() {
                Err(at.step(key, at.value).issue("too_small", "is empty", json!({"minimum": 1})))
            } else {
                Ok((text, lookup))
            }
        });
        match (id, natural.transpose()?) {
            (Some(id), None) if natural_keys::exists(conn, self.dataset, id)? => Ok(id),
            (Some(_), None) => Err(Refusal::not_found(format!("no such {}", self.dataset.singular()))),
            (None, Some((text, lookup))) => match lookup(conn, &text)?.as_slice() {
                [id] => Ok(*id),
                [] => Err(Refusal::not_found(format!("no {} matches", self.dataset.singular()))),
                _ => {
                    let message = format!("more than one {} matches: name one with {}", self.dataset.singular(), self.id_key);
                    Err(Refusal::conflict("ambiguous_match", message))
                }
            },
            (Some(_), Some(_)) => {
                Err(form.at().issue("not_allowed", format!("takes {} or match, not both", self.id_key), Value::Null))
            }
            (None, None) => form.need(self.id_key).and_then(|at| at.id()),
        }
    }
}

/// The annotations of an upsert.
fn change(form: &Form<'_>) -> Result<db::book::Change, Refusal> {
    Ok(db::book::Change {
        icp_tier: form.patch("icp_tier", |at| at.word(&TIERS).map(str::to_owned))?,
        workspace_status: form.patch("workspace_status", |at| at.text_of(0, STATUS_MAX).map(str::to_owned))?,
        notes: form.patch("notes", |at| match at.text()? {
            text if text.len() > NOTES_MAX => {
                Err(at.issue("too_big", format!("takes at most {NOTES_MAX} bytes"), json!({"maximum": NOTES_MAX})))
            }
            text => Ok(text.to_owned()),
        })?,
        tags: form
            .read("tags", |at| at.items(0, TAGS_MAX)?.iter().map(|tag| tag.text_of(1, TAG_MAX).map(str::to_owned)).collect())?,
    })
}
