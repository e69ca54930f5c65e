//! What can be asked of a dataset, as the service tells it (interface: `POST /data/fields/search`): kept for a day in the cache, so
//! that a filter is looked at before it is sent, and shells can complete it without asking anybody.
//!
//! Never here: how a filter is written (`domain::filters`), and the keys of the book, which the interface does not tell.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::{Client, data};
use crate::domain::WorkspaceId;
use crate::domain::book::Dataset;
use crate::domain::views::View;

/// A vocabulary is asked for again after so long.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// The most names that an error lists.
const LISTED: usize = 40;

/// A key that a dataset can be asked by; what is not told is empty.
#[derive(Debug, Deserialize)]
pub(super) struct Field {
    key: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    values: Vec<Value>,
    #[serde(default)]
    fields: Vec<Field>,
}

/// Where the vocabularies of a workspace are kept: of two services on one machine each has its own.
pub(super) fn folder(cache: &Path, host: &str, workspace: Option<WorkspaceId>) -> PathBuf {
    let host: String = host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let workspace = workspace.map_or("any".to_owned(), |id| id.to_string());
    cache.join("fields").join(format!("{host}-{workspace}"))
}

/// Looks at the filters of a search; with a service that tells no vocabulary nothing is said.
///
/// # Errors
/// The key or the value that is not there, and those that are.
pub(super) async fn check(client: &Client, folder: Option<&Path>, dataset: &Dataset, filters: &Value) -> Result<(), String> {
    let kept = folder.and_then(|folder| kept(folder, dataset));
    if kept.is_some_and(|fields| wrong(&fields, filters, dataset.as_str()).is_none()) {
        return Ok(());
    }
    // What was learnt yesterday may have a new word today.
    let Some(fields) = asked(client, folder, dataset).await else { return Ok(()) };
    wrong(&fields, filters, dataset.as_str()).map_or(Ok(()), Err)
}

/// The signal types that any of the services told lately.
pub(super) fn signal_types(cache: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(cache.join("fields")).into_iter().flatten().flatten();
    let fields = folders.flat_map(|folder| kept(&folder.path(), &Dataset::Signals).unwrap_or_default());
    fields.filter(|field| field.key == "signal_type").flat_map(|field| field.values).map(|value| words(&value)).collect()
}

/// Keeps a vocabulary. A cache that cannot be written is one that is asked for again.
pub(super) fn keep(folder: Option<&Path>, dataset: &Dataset, answer: &RawValue) {
    write(folder, dataset.as_str(), answer.get());
}

/// Keeps the ids and names of Views, so that shells can complete them.
pub(super) fn keep_views(folder: Option<&Path>, rows: &[Box<RawValue>]) {
    let views = rows.iter().filter_map(|row| serde_json::from_str(row.get()).ok());
    let names = views.map(|view: View| serde_json::json!({"id": view.id, "name": view.title()}));
    write(folder, "views", &Value::Array(names.collect()).to_string());
}

/// The Views that any of the services told lately: ids and names.
pub(super) fn views(cache: &Path) -> Vec<(String, String)> {
    let folders = std::fs::read_dir(cache.join("fields")).into_iter().flatten().flatten();
    let lists = folders.filter_map(|folder| serde_json::from_str::<Vec<View>>(&young(&folder.path(), "views")?).ok());
    lists.flatten().map(|view| (view.id.to_string(), view.title())).collect()
}

fn write(folder: Option<&Path>, name: &str, json: &str) {
    if let Some(folder) = folder
        && std::fs::create_dir_all(folder).is_ok()
        && let Ok(mut whole) = tempfile::NamedTempFile::new_in(folder)
        && whole.write_all(json.as_bytes()).is_ok()
    {
        let _ = whole.persist(file(folder, name));
    }
}

fn kept(folder: &Path, dataset: &Dataset) -> Option<Vec<Field>> {
    read(&young(folder, dataset.as_str())?)
}

/// What was kept under a name, unless it is too old.
fn young(folder: &Path, name: &str) -> Option<String> {
    let file = std::fs::File::open(file(folder, name)).ok()?;
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    if age > KEPT {
        return None;
    }
    std::io::read_to_string(file).ok()
}

async fn asked(client: &Client, folder: Option<&Path>, dataset: &Dataset) -> Option<Vec<Field>> {
    let answer = client.value::<Box<RawValue>>(data::fields(dataset)).await.ok()?.value;
    let fields = read(answer.get())?;
    keep(folder, dataset, &answer);
    Some(fields)
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

fn read(json: &str) -> Option<Vec<Field>> {
    #[derive(Deserialize)]
    struct Answer {
        fields: Vec<Field>,
    }
    serde_json::from_str::<Answer>(json).ok().map(|answer| answer.fields).filter(|fields| !fields.is_empty())
}

/// What of the filters is not in the vocabulary.
fn wrong(fields: &[Field], filters: &Value, place: &str) -> Option<String> {
    for (key, filter) in filters.as_object()? {
        let Some(field) = fields.iter().find(|field| field.key == *key) else {
            let keys = fields.iter().map(|field| field.key.clone());
            return Some(format!("{place} cannot be asked for {key:?}; there are: {}", listed(keys)));
        };
        if !field.fields.is_empty() {
            if let Some(wrong) = wrong(&field.fields, filter, key) {
                return Some(wrong);
            }
        } else if field.kind == "enum" && !field.values.is_empty() {
            let given = filter.get("value")?;
            let mut given = given.as_array().map_or(std::slice::from_ref(given), Vec::as_slice).iter();
            if let Some(odd) = given.find(|value| !field.values.contains(value)) {
                return Some(format!("{key} has no value {odd}; there are: {}", listed(field.values.iter().map(words))));
            }
        }
    }
    None
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<_> = names.collect();
    let more = names.len() > LISTED;
    names.truncate(LISTED);
    format!("{}{}", names.join(", "), if more { ", .." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields() -> Vec<Field> {
        read(
            r#"{"dataset":"projects","fields":[
                {"key":"stage","kind":"enum","values":["approved","permitted"],"tomorrow":1},
                {"key":"city","kind":"text"},
                {"key":"stories","kind":"number"},
                {"key":"has_account","kind":"relation","fields":[{"key":"role","kind":"enum","values":["developer","gc"]}]}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn a_key_or_a_value_that_is_not_there_is_told_with_those_that_are() {
        for (filters, expected) in [
            (json!({"stage": {"value": ["approved", "permitted"]}, "stories": {"min": 5}, "city": {"value": "anywhere"}}), None),
            (json!({"has_account": {"role": {"value": "gc"}}}), None),
            (
                json!({"stge": {"value": "approved"}}),
                Some(r#"projects cannot be asked for "stge"; there are: stage, city, stories, has_account"#),
            ),
            (
                json!({"stage": {"value": ["approved", "aproved"]}}),
                Some(r#"stage has no value "aproved"; there are: approved, permitted"#),
            ),
            (
                json!({"has_account": {"role": {"value": "owner"}}}),
                Some(r#"role has no value "owner"; there are: developer, gc"#),
            ),
            (json!({"has_account": {"rle": {"value": "gc"}}}), Some(r#"has_account cannot be asked for "rle"; there are: role"#)),
        ] {
            assert_eq!(wrong(&fields(), &filters, "projects").as_deref(), expected);
        }
    }

    #[test]
    fn a_vocabulary_is_kept_for_a_service_and_a_workspace_and_one_of_yesterday_is_none() {
        let room = tempfile::tempdir().unwrap();
        let place = folder(room.path(), "127.0.0.1:8484", None);
        assert_ne!(place, folder(room.path(), "127.0.0.1:8485", None));
        assert_ne!(place, folder(room.path(), "127.0.0.1:8484", Some(WorkspaceId(uuid::Uuid::nil()))));
        std::fs::create_dir_all(&place).unwrap();
        let file = file(&place, "projects");
        std::fs::write(
            &file,
            r#"{"fields":[{"key":"stage","kind":"enum","values":["approved"]},{"key":"has_account","fields":[{"key":"role"}]}]}"#,
        )
        .unwrap();
        assert_eq!(kept(&place, &Dataset::Projects).unwrap().len(), 2);
        let yesterday = std::time::SystemTime::now() - KEPT - Duration::from_secs(60);
        std::fs::File::open(&file).unwrap().set_modified(yesterday).unwrap();
        assert!(kept(&place, &Dataset::Projects).is_none());
    }
}
