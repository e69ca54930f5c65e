//! Views, members and Skills by name, wherever a command takes an id.
//!
//! An id is used as it is. A name is looked up in the list of its kind, which is free; capital
//! letters make no difference.
//!
//! Never here: what is done with the id.

use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;

use uuid::Uuid;

use crate::client::{Request, members, skills, views};
use crate::domain::members::Member;
use crate::domain::skills::{Skill, SkillFilter};
use crate::domain::views::View;
use crate::domain::{SkillId, UserId, ViewId};

use super::error::{CliError, Context};
use super::session::Session;

/// An id whose record has a name that people know it by.
pub(super) trait NamedId: FromStr + Display + Clone + Eq + Hash {
    type Row: serde::de::DeserializeOwned + Send;
    /// What it is called, in the singular and in the plural.
    const NOUNS: (&'static str, &'static str);

    /// `None` if the text cannot be an id.
    fn parse_id(typed: &str) -> Option<Self> {
        Uuid::try_parse(typed)
            .ok()
            .and_then(|id| id.to_string().parse().ok())
    }

    fn list() -> Request;
    fn id(row: &Self::Row) -> Self;
    fn names(row: &Self::Row) -> Vec<String>;
}

impl NamedId for ViewId {
    type Row = View;
    const NOUNS: (&'static str, &'static str) = ("View", "Views");

    fn list() -> Request {
        views::list()
    }

    fn id(row: &View) -> ViewId {
        row.id
    }

    fn names(row: &View) -> Vec<String> {
        vec![row.title()]
    }
}

impl NamedId for UserId {
    type Row = Member;
    const NOUNS: (&'static str, &'static str) = ("member", "members");

    fn list() -> Request {
        members::list()
    }

    fn id(row: &Member) -> UserId {
        row.id
    }

    fn names(row: &Member) -> Vec<String> {
        row.display_name.iter().chain(&row.email).cloned().collect()
    }
}

impl NamedId for SkillId {
    type Row = Skill;
    const NOUNS: (&'static str, &'static str) = ("Skill", "Skills");

    /// It need not be a UUID: whatever has neither spaces nor capital letters.
    fn parse_id(typed: &str) -> Option<SkillId> {
        typed
            .parse()
            .ok()
            .filter(|_| Uuid::try_parse(typed).is_ok() || !typed.contains(char::is_uppercase))
    }

    fn list() -> Request {
        skills::list(&SkillFilter::default())
    }

    fn id(row: &Skill) -> SkillId {
        row.id.clone()
    }

    fn names(row: &Skill) -> Vec<String> {
        row.name.iter().chain(&row.slug).cloned().collect()
    }
}

/// The id that a person typed, or the one of the name that they typed.
///
/// # Errors
/// Nothing has the name, or several have it: their ids are listed.
pub(super) async fn find_id<T: NamedId>(typed: &str, session: &Session) -> Result<T, CliError> {
    match T::parse_id(typed.trim()) {
        Some(id) => Ok(id),
        None => choose_by_name(typed, &list_rows::<T>(session).await?),
    }
}

/// The same for several; their list is read once.
pub(super) async fn find_ids<T: NamedId>(
    typed: &[String],
    session: &Session,
) -> Result<Vec<T>, CliError> {
    let mut rows: Option<Vec<T::Row>> = None;
    let mut ids = Vec::new();
    for typed in typed {
        ids.push(match (T::parse_id(typed.trim()), &mut rows) {
            (Some(id), _) => id,
            (None, Some(rows)) => choose_by_name(typed, rows)?,
            (None, rows) => choose_by_name(typed, rows.insert(list_rows::<T>(session).await?))?,
        });
    }
    Ok(ids)
}

async fn list_rows<T: NamedId>(session: &Session) -> Result<Vec<T::Row>, CliError> {
    session
        .client
        .fetch_all(T::list())
        .await
        .context(&format!("list the {}", T::NOUNS.1))
}

fn choose_by_name<T: NamedId>(typed: &str, rows: &[T::Row]) -> Result<T, CliError> {
    let wanted = typed.trim().to_lowercase();
    let has_name = |row: &&T::Row| {
        T::names(row)
            .iter()
            .any(|name| name.trim().to_lowercase() == wanted)
    };
    let mut ids: Vec<T> = rows.iter().filter(has_name).map(T::id).collect();
    let (one, many) = T::NOUNS;
    match ids.len() {
        1 => Ok(ids.remove(0)),
        0 => {
            let names: Vec<String> = rows.iter().flat_map(T::names).collect();
            let line = format!("no {one} is called {typed:?}, and it is not an id");
            let names = names.iter().map(String::as_str);
            Err(CliError::not_found(line).with_closest(typed.trim(), names))
        }
        count => {
            let ids = ids
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ");
            Err(
                CliError::usage(format!("{count} {many} are called {typed:?}"))
                    .with_hint(format!("use an id: {ids}")),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn views(names: &[&str]) -> Vec<View> {
        let rows = names.iter().enumerate().map(|(n, name)| {
            serde_json::from_value(
                json!({"id": format!("018f4d3a-0000-7000-8000-00000000000{n}"), "name": name}),
            )
            .unwrap()
        });
        rows.collect()
    }

    fn choose(typed: &str, names: &[&str]) -> Result<String, String> {
        choose_by_name::<ViewId>(typed, &views(names))
            .map(|id| id.to_string())
            .map_err(|error| error.to_line().unwrap())
    }

    #[test]
    fn what_may_be_an_id_is_not_looked_up() {
        let uuid = "018F4D3A-0000-7000-8000-000000000000";
        assert!(ViewId::parse_id(uuid).is_some() && ViewId::parse_id("towers").is_none());
        for (typed, is_id) in [
            (uuid, true),
            ("call-script", true),
            ("Opening", false),
            ("call script", false),
        ] {
            assert_eq!(SkillId::parse_id(typed).is_some(), is_id, "{typed}");
        }
    }

    #[test]
    fn a_name_stands_for_the_id_of_the_only_one_that_has_it() {
        let ids = [
            "018f4d3a-0000-7000-8000-000000000000",
            "018f4d3a-0000-7000-8000-000000000001",
        ];
        assert_eq!(
            choose("q3 call list ", &["Towers", "Q3 call list"]),
            Ok(ids[1].to_owned())
        );
        let ambiguous = choose("Towers", &["Towers", "towers"]);
        assert_eq!(
            ambiguous,
            Err(format!(
                "2 Views are called \"Towers\"; use an id: {}, {}",
                ids[0], ids[1]
            ))
        );
        let unknown = choose("Q3 call lst", &["Towers", "Q3 call list"]);
        assert_eq!(unknown, Err("no View is called \"Q3 call lst\", and it is not an id; did you mean Q3 call list?".to_owned()));
    }
}
