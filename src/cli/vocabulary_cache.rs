//! The filterable fields of each dataset (interface: `POST /data/fields/search`), cached for a day,
//! so that a filter is checked before it is sent and shells can complete it offline.
//!
//! Never here: the language of conditions (`domain::conditions`), and the fields of the book, which the interface
//! does not list.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::{Client, data};
use crate::domain::WorkspaceId;
use crate::domain::book::Dataset;
use crate::domain::conditions::Conditions;
use crate::domain::conditions::view_definition::definition_of;
use crate::domain::search::Search;
use crate::domain::views::View;
use crate::domain::vocabulary::Vocabulary;

/// A cached vocabulary is fetched again after this time.
const CACHE_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache folder of a workspace. Host and port are part of the name, so that two services on one
/// machine do not share it.
pub(super) fn cache_folder(cache: &Path, host: &str, workspace: Option<WorkspaceId>) -> PathBuf {
    let host: String = host
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let workspace = workspace.map_or("any".to_owned(), |id| id.to_string());
    cache.join("fields").join(format!("{host}-{workspace}"))
}

/// Checks the filters of a search and converts each value to its field's type. Without a vocabulary
/// from the service, and with filters outside the grammar, the search is returned unchanged.
///
/// # Errors
/// An unknown field with the known ones, or an invalid value.
pub(super) async fn resolve_search(
    client: &Client,
    folder: Option<&Path>,
    dataset: &Dataset,
    search: Search,
) -> Result<Search, String> {
    // Filters given as JSON are sent unchanged.
    let coerced = |vocabulary: &Vocabulary| match &search.raw_filters {
        Some(raw) => Conditions::from_json(raw).unwrap_or_default(),
        None => vocabulary.resolve(&search.filters),
    };
    if search.criteria().is_none() {
        return Ok(search);
    }
    let is_valid = |vocabulary: &Vocabulary| vocabulary.check(&coerced(vocabulary)).is_ok();
    let Some(vocabulary) = find_vocabulary(client, folder, dataset, is_valid).await else {
        return Ok(search);
    };
    let filters = coerced(&vocabulary);
    vocabulary.check(&filters)?;
    Ok(Search { filters, ..search })
}

/// The definition of a Dynamic View whose records meet conditions.
///
/// # Errors
/// The condition that is wrong, or that a View cannot express.
pub(super) async fn define_view(
    client: &Client,
    folder: Option<&Path>,
    dataset: &Dataset,
    filters: &Conditions,
) -> Result<Value, String> {
    let is_valid = |vocabulary: &Vocabulary| vocabulary.check(&vocabulary.resolve(filters)).is_ok();
    let vocabulary = find_vocabulary(client, folder, dataset, is_valid).await;
    let vocabulary =
        vocabulary.ok_or_else(|| format!("the service does not list the fields of {dataset}"))?;
    let filters = vocabulary.resolve(filters);
    vocabulary.check(&filters)?;
    definition_of(&filters, &vocabulary.fields)
}

/// The cached vocabulary of a dataset if it is recent and valid, otherwise that of the service: the
/// cached one may be outdated.
async fn find_vocabulary(
    client: &Client,
    folder: Option<&Path>,
    dataset: &Dataset,
    is_valid: impl Fn(&Vocabulary) -> bool,
) -> Option<Vocabulary> {
    let cached = folder.and_then(|folder| read_cached(folder, dataset));
    match cached.filter(is_valid) {
        Some(vocabulary) => Some(vocabulary),
        None => fetch_vocabulary(client, folder, dataset).await,
    }
}

/// The signal types from the cached vocabularies of all services.
pub(super) fn cached_signal_types(cache: Option<&Path>) -> Vec<String> {
    let folders = list_folders(cache);
    let vocabularies = folders.filter_map(|folder| read_cached(&folder.path(), &Dataset::Signals));
    vocabularies
        .flat_map(|vocabulary| {
            vocabulary
                .field("signal_type")
                .map(|field| field.values.clone())
                .unwrap_or_default()
        })
        .collect()
}

/// Caches a vocabulary. A failed write is ignored: the vocabulary is then fetched again next time.
pub(super) fn save_vocabulary(folder: Option<&Path>, dataset: &Dataset, answer: &RawValue) {
    write_cache_file(folder, dataset.as_str(), answer.get());
}

/// Caches the ids and names of Views for shell completion.
pub(super) fn save_views(folder: Option<&Path>, rows: &[Box<RawValue>]) {
    let views = rows
        .iter()
        .filter_map(|row| serde_json::from_str(row.get()).ok());
    let names = views.map(|view: View| serde_json::json!({"id": view.id, "name": view.title()}));
    write_cache_file(folder, "views", &Value::Array(names.collect()).to_string());
}

/// The ids and names of the cached Views of all services.
pub(super) fn cached_views(cache: Option<&Path>) -> Vec<(String, String)> {
    let folders = list_folders(cache);
    let lists = folders.filter_map(|folder| {
        serde_json::from_str::<Vec<View>>(&read_fresh(&folder.path(), "views")?).ok()
    });
    lists
        .flatten()
        .map(|view| (view.id.to_string(), view.title()))
        .collect()
}

/// The folders of all workspaces.
fn list_folders(cache: Option<&Path>) -> impl Iterator<Item = std::fs::DirEntry> {
    cache
        .and_then(|cache| std::fs::read_dir(cache.join("fields")).ok())
        .into_iter()
        .flatten()
        .flatten()
}

fn write_cache_file(folder: Option<&Path>, name: &str, json: &str) {
    if let Some(folder) = folder
        && std::fs::create_dir_all(folder).is_ok()
        && let Ok(mut whole) = tempfile::NamedTempFile::new_in(folder)
        && whole.write_all(json.as_bytes()).is_ok()
    {
        let _ = whole.persist(cache_file(folder, name));
    }
}

fn read_cached(folder: &Path, dataset: &Dataset) -> Option<Vocabulary> {
    parse_vocabulary(&read_fresh(folder, dataset.as_str())?)
}

/// Reads a cache file unless it has expired.
fn read_fresh(folder: &Path, name: &str) -> Option<String> {
    let file = std::fs::File::open(cache_file(folder, name)).ok()?;
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    if age > CACHE_TTL {
        return None;
    }
    std::io::read_to_string(file).ok()
}

async fn fetch_vocabulary(
    client: &Client,
    folder: Option<&Path>,
    dataset: &Dataset,
) -> Option<Vocabulary> {
    let answer = client
        .fetch_value::<Box<RawValue>>(data::fields(dataset))
        .await
        .ok()?
        .value;
    let vocabulary = parse_vocabulary(answer.get())?;
    save_vocabulary(folder, dataset, &answer);
    Some(vocabulary)
}

fn cache_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

fn parse_vocabulary(json: &str) -> Option<Vocabulary> {
    serde_json::from_str(json)
        .ok()
        .filter(|vocabulary: &Vocabulary| !vocabulary.fields.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn vocabulary() -> Vocabulary {
        parse_vocabulary(
            r#"{"dataset":"projects","fields":[
                {"key":"stage","kind":"enum","values":["approved","permitted"],"tomorrow":1},
                {"key":"city","kind":"text"},
                {"key":"stories","kind":"number"},
                {"key":"has_account","kind":"relation","fields":[{"key":"role","kind":"enum","values":["developer","gc"]}]}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn an_unknown_key_or_value_is_reported_with_what_was_probably_meant() {
        for (filters, expected) in [
            (
                json!({"stage": {"value": ["approved", "permitted"]}, "stories": {"min": 5}, "city": {"value": "anywhere"}}),
                None,
            ),
            (json!({"has_account": {"role": {"value": "gc"}}}), None),
            (
                json!({"zoning": {"value": "R4"}}),
                Some("zoning is not a field; the fields are stage, city, stories, has_account"),
            ),
            (
                json!({"cty": {"value": "Austin"}}),
                Some("cty is not a field; did you mean city?"),
            ),
            (
                json!({"account": {"value": "Calder"}}),
                Some("account is not a field; did you mean has_account?"),
            ),
            (
                json!({"stage": {"value": ["approved", "aproved"]}}),
                Some(
                    "stage has no value aproved (did you mean approved?); use approved or permitted",
                ),
            ),
            (
                json!({"has_account": {"role": {"value": "owner"}}}),
                Some("has_account.role has no value owner; use developer or gc"),
            ),
            (
                json!({"stage": {"value": "approved"}, "stories": {"min": "many"}}),
                Some("stories needs a number like 14, not many"),
            ),
            (
                json!({"has_account": {"rle": {"value": "gc"}}}),
                Some("has_account.rle is not a field; did you mean role?"),
            ),
        ] {
            let filters = Conditions::from_json(&filters).unwrap();
            assert_eq!(vocabulary().check(&filters).err().as_deref(), expected);
        }
    }

    #[test]
    fn the_vocabulary_cache_is_per_workspace_and_expires_after_a_day() {
        let room = tempfile::tempdir().unwrap();
        let place = cache_folder(room.path(), "127.0.0.1:8484", None);
        assert_ne!(place, cache_folder(room.path(), "127.0.0.1:8485", None));
        assert_ne!(
            place,
            cache_folder(
                room.path(),
                "127.0.0.1:8484",
                Some(WorkspaceId(uuid::Uuid::nil()))
            )
        );
        std::fs::create_dir_all(&place).unwrap();
        let file = cache_file(&place, "projects");
        std::fs::write(
            &file,
            r#"{"fields":[{"key":"stage","kind":"enum","values":["approved"]},{"key":"has_account","fields":[{"key":"role"}]}]}"#,
        )
        .unwrap();
        assert_eq!(
            read_cached(&place, &Dataset::Projects)
                .unwrap()
                .fields
                .len(),
            2
        );
        let yesterday = std::time::SystemTime::now() - CACHE_TTL - Duration::from_secs(60);
        std::fs::File::open(&file)
            .unwrap()
            .set_modified(yesterday)
            .unwrap();
        assert!(read_cached(&place, &Dataset::Projects).is_none());
    }
}
