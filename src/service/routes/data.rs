//! `GET /data/{dataset}/{id}`: a record of the index with what `include` embeds (interface: Data API).

use uuid::Uuid;

use crate::service::answer::Answer;
use crate::service::ask::Ask;
use crate::service::db::values::{Embedded, Json};
use crate::service::db::{self, Conn, accounts, contacts, projects, signals};
use crate::service::form::At;
use crate::service::refusal::Refusal;

type Get = fn(&Conn, Uuid) -> Result<Option<Json>, db::Error>;
/// Reads what an include key embeds.
pub type Embed = fn(&Conn, Uuid) -> Result<Embedded, db::Error>;

/// The include keys of accounts.
pub const ACCOUNTS: &[(&str, Embed)] = &[
    ("projects", |conn, id| accounts::projects(conn, id.into()).map(Embedded::Many)),
    ("contacts", |conn, id| accounts::contacts(conn, id.into()).map(Embedded::Many)),
    ("signals", |conn, id| accounts::signals(conn, id.into()).map(Embedded::Many)),
];

/// The include keys of contacts.
pub const CONTACTS: &[(&str, Embed)] = &[
    ("account", |conn, id| contacts::account(conn, id.into()).map(Embedded::One)),
    ("projects", |conn, id| contacts::projects(conn, id.into()).map(Embedded::Many)),
];

/// The include keys of projects.
pub const PROJECTS: &[(&str, Embed)] = &[
    ("accounts", |conn, id| projects::accounts(conn, id.into()).map(Embedded::Many)),
    ("contacts", |conn, id| projects::contacts(conn, id.into()).map(Embedded::Many)),
    ("signals", |conn, id| projects::signals(conn, id.into()).map(Embedded::Many)),
];

const SIGNALS: &[(&str, Embed)] = &[
    ("project", |conn, id| signals::project(conn, id.into()).map(Embedded::One)),
    ("accounts", |conn, id| signals::accounts(conn, id.into()).map(Embedded::Many)),
];

/// A record of the index. One credit, whatever is included.
pub fn show(conn: &Conn, ask: &Ask) -> Result<Answer, Refusal> {
    let (get, keys): (Get, _) = match ask.part("dataset") {
        "accounts" => (|conn, id| accounts::get(conn, id.into()), ACCOUNTS),
        "contacts" => (|conn, id| contacts::get(conn, id.into()), CONTACTS),
        "projects" => (|conn, id| projects::get(conn, id.into()), PROJECTS),
        "signals" => (|conn, id| signals::record(conn, id.into()), SIGNALS),
        _ => return Err(Refusal::not_found("no such dataset")),
    };
    let missing = || Refusal::not_found("no such record");
    let wanted = wanted(ask, keys)?;
    let id = ask.id("id", missing)?;
    let record = get(conn, id)?.ok_or_else(missing)?;
    Answer::data(embed(conn, record, id, &wanted)?, 1)
}

/// What `include` asks for, once each: repeated parameters or lists with commas.
pub fn wanted(ask: &Ask, keys: &[(&'static str, Embed)]) -> Result<Vec<(&'static str, Embed)>, Refusal> {
    let allowed: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
    let mut wanted: Vec<(&'static str, Embed)> = Vec::new();
    for text in ask.params("include").flat_map(|list| list.split(',')).map(str::trim).filter(|key| !key.is_empty()) {
        let word = At { value: &text.into(), path: vec!["include".into()] }.word(&allowed)?;
        if !wanted.iter().any(|(taken, _)| *taken == word) {
            wanted.extend(keys.iter().find(|(key, _)| *key == word));
        }
    }
    Ok(wanted)
}

/// The record with what was asked for.
pub fn embed(conn: &Conn, record: Json, id: Uuid, wanted: &[(&'static str, Embed)]) -> Result<Json, Refusal> {
    wanted.iter().try_fold(record, |record, (key, embed)| Ok(record.with(key, &embed(conn, id)?)?))
}
