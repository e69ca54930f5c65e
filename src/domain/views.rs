//! Views: saved record sets, shared by a workspace, and a person's pointers to them (interface: Views and Favorites).
//!
//! The interface shows id, dataset and type of a View; the other fields are those of our own service and may be missing elsewhere.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ViewId;
use super::book::Shelf;
use super::lenient::{self, When};
use super::open_enum::open_enum;
use super::sent::Sent;

open_enum! {
    /// How a View knows its records.
    ViewType {
        /// By an explicit list of members.
        Static = "static",
        /// By a stored filter definition.
        Dynamic = "dynamic",
    }
}

/// A View.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Its id.
    pub id: ViewId,
    /// Its name.
    #[serde(default, deserialize_with = "lenient::option")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "lenient::option")]
    pub description: Option<String>,
    /// `account`, `contact` or `project`.
    #[serde(default, deserialize_with = "lenient::option")]
    pub dataset: Option<String>,
    /// Static or Dynamic.
    #[serde(default, rename = "type", deserialize_with = "lenient::option")]
    pub kind: Option<ViewType>,
    /// The stored filter of a Dynamic View, in its own grammar.
    #[serde(default)]
    pub definition: Option<Value>,
    /// How many records it holds, where that is known.
    #[serde(default, deserialize_with = "lenient::some_count")]
    pub records_count: Option<u64>,
    /// When it was changed last.
    #[serde(default, deserialize_with = "lenient::option")]
    pub updated_at: Option<When>,
}

impl View {
    /// The dataset of its records.
    pub fn shelf(&self) -> Shelf {
        format!("{}s", self.dataset.as_deref().unwrap_or_default()).as_str().into()
    }

    /// Its name, or its id where it has none.
    pub fn title(&self) -> String {
        self.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| self.id.to_string())
    }

    /// Whether records can be added to it and removed from it.
    pub fn is_static(&self) -> bool {
        self.kind == Some(ViewType::Static)
    }
}

/// A person's pointer to a View. The interface does not show how it names the View.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Sent")]
pub struct Favorite {
    /// The View.
    pub view_id: ViewId,
}

impl TryFrom<Sent> for Favorite {
    type Error = &'static str;

    /// Its View by the field of that name, be it an id or the View; else it is the View itself.
    fn try_from(sent: Sent) -> Result<Self, Self::Error> {
        let view = sent.get(&["view_id", "view", "favorite_view_id"]);
        let id = match view {
            Some(Value::Object(view)) => view.get("id").cloned(),
            Some(view) => Some(view.clone()),
            None => sent.get(&["id"]).cloned(),
        };
        let view_id = id.and_then(|id| serde_json::from_value(id).ok()).ok_or("it names no View")?;
        Ok(Favorite { view_id })
    }
}

/// A View as it is written; the interface shows no body, so these are the names of our own service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// The View that is changed; a new one without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_id: Option<ViewId>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `account`, `contact` or `project`; fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// `static` or `dynamic`; fixed.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The stored filter definition of a Dynamic View, in its own grammar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<Value>,
}
