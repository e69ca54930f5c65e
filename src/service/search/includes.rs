//! What `include` embeds in a record: which records, with which fields and in which order
//! (interface: the include table). Never here: which routes accept it.

use serde_json::value::RawValue;
use uuid::Uuid;

use super::SearchContext;
use crate::service::dataset::Dataset;
use crate::service::db::Conn;
use crate::service::db::projection::{
    DATA_ACCOUNT, DATA_CONTACT, DATA_PROJECT, PROJECT_ACCOUNT, Projection, SIGNAL,
};
use crate::service::db::sql::{Result, SqlError};
use crate::service::db::values::raw_json;

/// One include key of a dataset.
struct Include {
    dataset: Dataset,
    key: &'static str,
    /// A list, or otherwise one object or null.
    is_list: bool,
    projection: &'static Projection,
    /// SQL on the embedded record `r`, with `?1` for the id of the record that embeds it.
    condition: &'static str,
}

static INCLUDES: &[Include] = &[
    Include {
        dataset: Dataset::Accounts,
        key: "projects",
        is_list: true,
        projection: &DATA_PROJECT,
        condition: "r.id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1) ORDER BY r.last_signal_at DESC NULLS LAST, r.id",
    },
    Include {
        dataset: Dataset::Accounts,
        key: "contacts",
        is_list: true,
        projection: &DATA_CONTACT,
        condition: "r.account_id = ?1 ORDER BY r.name, r.id",
    },
    Include {
        dataset: Dataset::Accounts,
        key: "signals",
        is_list: true,
        projection: &SIGNAL,
        condition: "r.project_id IN (SELECT project_id FROM project_accounts WHERE account_id = ?1) AND r.discovered_at <= q.now
          ORDER BY r.filed_at DESC, r.id",
    },
    Include {
        dataset: Dataset::Contacts,
        key: "account",
        is_list: false,
        projection: &DATA_ACCOUNT,
        condition: "r.id = (SELECT account_id FROM contacts WHERE id = ?1)",
    },
    Include {
        dataset: Dataset::Contacts,
        key: "projects",
        is_list: true,
        projection: &DATA_PROJECT,
        condition: "r.id IN (SELECT project_id FROM project_contacts WHERE contact_id = ?1) ORDER BY r.last_signal_at DESC NULLS LAST, r.id",
    },
    Include {
        dataset: Dataset::Projects,
        key: "accounts",
        is_list: true,
        projection: &PROJECT_ACCOUNT,
        condition: "r.id IN (SELECT account_id FROM project_accounts WHERE project_id = ?1) ORDER BY r.name, r.id",
    },
    Include {
        dataset: Dataset::Projects,
        key: "contacts",
        is_list: true,
        projection: &DATA_CONTACT,
        condition: "r.id IN (SELECT contact_id FROM project_contacts WHERE project_id = ?1) ORDER BY r.name, r.id",
    },
    Include {
        dataset: Dataset::Projects,
        key: "signals",
        is_list: true,
        projection: &SIGNAL,
        condition: "r.project_id = ?1 AND r.discovered_at <= q.now ORDER BY r.filed_at DESC, r.id",
    },
    Include {
        dataset: Dataset::Signals,
        key: "project",
        is_list: false,
        projection: &DATA_PROJECT,
        condition: "r.id = (SELECT project_id FROM signals WHERE id = ?1)",
    },
    Include {
        dataset: Dataset::Signals,
        key: "accounts",
        is_list: true,
        projection: &DATA_ACCOUNT,
        condition:
            "r.id IN (SELECT a.account_id FROM signals s JOIN project_accounts a ON a.project_id = s.project_id WHERE s.id = ?1)
          ORDER BY r.name, r.id",
    },
];

/// The include keys of a dataset.
pub fn include_keys(dataset: Dataset) -> Vec<&'static str> {
    INCLUDES
        .iter()
        .filter(|embed| embed.dataset == dataset)
        .map(|embed| embed.key)
        .collect()
}

/// What an include key embeds in the record with this id: a complete array, or an object or null.
pub fn read_include(
    conn: &Conn,
    call: &SearchContext<'_>,
    id: Uuid,
    key: &str,
) -> Result<Box<RawValue>> {
    let Some(embed) = INCLUDES
        .iter()
        .find(|embed| embed.dataset == call.dataset && embed.key == key)
    else {
        return Ok(RawValue::NULL.to_owned());
    };
    let mut records =
        embed
            .projection
            .read_records(conn, call.workspace, call.now, embed.condition, id)?;
    if embed.is_list {
        return serde_json::value::to_raw_value(&records).map_err(SqlError::from);
    }
    Ok(records.pop().unwrap_or_else(|| RawValue::NULL.to_owned()))
}

/// The record with everything embedded.
pub fn embed_includes(
    conn: &Conn,
    call: &SearchContext<'_>,
    record: &RawValue,
    id: Uuid,
    keys: &[&str],
) -> Result<Box<RawValue>> {
    let mut text = record.get().to_owned();
    for key in keys {
        let part = read_include(conn, call, id, key)?;
        text.pop(); // the closing brace
        text.push_str(&format!(",\"{key}\":{part}}}"));
    }
    raw_json(text)
}
