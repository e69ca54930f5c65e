//! What `include` embeds in a record: which records, in which shape and order (interface: the include table). Never here: which
//! routes may be asked for it.

use serde_json::value::RawValue;
use uuid::Uuid;

use super::rows::{DATA_ACCOUNT, DATA_CONTACT, DATA_PROJECT, PROJECT_ACCOUNT, SIGNAL, Shape};
use super::{Call, Dataset};
use crate::service::db::{Conn, Error};

/// One include key of a dataset.
struct Embed {
    of: Dataset,
    key: &'static str,
    /// A list, or one object or null.
    many: bool,
    shape: &'static Shape,
    /// SQL about the embedded record `r`, with `?1` for the id of the record that it is embedded in.
    condition: &'static str,
}

/// The include table.
static EMBEDS: &[Embed] = &[
    Embed {
        of: Dataset::Accounts,
        key: "projects",
        many: true,
        shape: &DATA_PROJECT,
        condition: "r.id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1) ORDER BY r.last_signal_at DESC NULLS LAST, r.id",
    },
    Embed {
        of: Dataset::Accounts,
        key: "contacts",
        many: true,
        shape: &DATA_CONTACT,
        condition: "r.account_id = ?1 ORDER BY r.name, r.id",
    },
    Embed {
        of: Dataset::Accounts,
        key: "signals",
        many: true,
        shape: &SIGNAL,
        condition: "r.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1) AND r.discovered_at <= q.now
          ORDER BY r.filed_at DESC, r.id",
    },
    Embed {
        of: Dataset::Contacts,
        key: "account",
        many: false,
        shape: &DATA_ACCOUNT,
        condition: "r.id = (SELECT account_id FROM contacts WHERE id = ?1)",
    },
    Embed {
        of: Dataset::Contacts,
        key: "projects",
        many: true,
        shape: &DATA_PROJECT,
        condition: "r.id IN (SELECT project_id FROM project_contacts WHERE contact_id = ?1) ORDER BY r.last_signal_at DESC NULLS LAST, r.id",
    },
    Embed {
        of: Dataset::Projects,
        key: "accounts",
        many: true,
        shape: &PROJECT_ACCOUNT,
        condition: "r.id IN (SELECT account_id FROM project_accounts WHERE project_id = ?1) ORDER BY r.name, r.id",
    },
    Embed {
        of: Dataset::Projects,
        key: "contacts",
        many: true,
        shape: &DATA_CONTACT,
        condition: "r.id IN (SELECT contact_id FROM project_contacts WHERE project_id = ?1) ORDER BY r.name, r.id",
    },
    Embed {
        of: Dataset::Projects,
        key: "signals",
        many: true,
        shape: &SIGNAL,
        condition: "r.project_id = ?1 AND r.discovered_at <= q.now ORDER BY r.filed_at DESC, r.id",
    },
    Embed {
        of: Dataset::Signals,
        key: "project",
        many: false,
        shape: &DATA_PROJECT,
        condition: "r.id = (SELECT project_id FROM signals WHERE id = ?1)",
    },
    Embed {
        of: Dataset::Signals,
        key: "accounts",
        many: true,
        shape: &DATA_ACCOUNT,
        condition:
            "r.id IN (SELECT a.account_id FROM signals s JOIN project_accounts a ON a.project_id = s.project_id WHERE s.id = ?1)
          ORDER BY r.name, r.id",
    },
];

/// The include keys of a dataset.
pub fn keys(dataset: Dataset) -> Vec<&'static str> {
    EMBEDS.iter().filter(|embed| embed.of == dataset).map(|embed| embed.key).collect()
}

/// What an include key of the call's dataset embeds in the record with this id: an array, complete, or an object or null.
///
/// # Errors
/// When the database refuses.
pub fn read(conn: &Conn, call: &Call<'_>, id: Uuid, key: &str) -> Result<Box<RawValue>, Error> {
    let Some(embed) = EMBEDS.iter().find(|embed| embed.of == call.dataset && embed.key == key) else {
        return Ok(RawValue::NULL.to_owned());
    };
    let mut records = embed.shape.read(conn, call, embed.condition, id)?;
    if embed.many {
        return serde_json::value::to_raw_value(&records).map_err(|_| rusqlite::Error::InvalidQuery.into());
    }
    Ok(records.pop().unwrap_or_else(|| RawValue::NULL.to_owned()))
}

/// The record with what is embedded in it.
///
/// # Errors
/// When the database refuses.
pub fn embed(conn: &Conn, call: &Call<'_>, record: &RawValue, id: Uuid, keys: &[&str]) -> Result<Box<RawValue>, Error> {
    let mut text = record.get().to_owned();
    for key in keys {
        let part = read(conn, call, id, key)?;
        text.pop(); // the closing brace
        text.push_str(&format!(",\"{key}\":{part}}}"));
    }
    Ok(RawValue::from_string(text).map_err(|_| rusqlite::Error::InvalidQuery)?)
}
