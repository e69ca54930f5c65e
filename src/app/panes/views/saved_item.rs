//! What the list holds: the team's Views, and the searches and queue tabs that the user saved on
//! this machine.

use std::borrow::Cow;

use serde_json::Value;

use crate::app::Context;
use crate::app::model::load_state::LoadState;
use crate::app::model::record_list::{RecordList, RowCount};
use crate::domain::ViewId;
use crate::domain::conditions::view_definition::describe_definition;
use crate::domain::named_searches::NamedSearch;
use crate::domain::queue_tabs::SavedTab;
use crate::domain::sentence::describe_search;
use crate::domain::views::{View, ViewType};
use crate::domain::vocabulary::Vocabulary;

/// A row of the list. What is on this machine has no other id than its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SavedId {
    View(ViewId),
    Search(String),
    Tab(String),
}

#[derive(Clone, Copy)]
pub enum SavedItem<'a> {
    View(&'a View),
    Search(&'a NamedSearch),
    /// With its place among the tabs.
    Tab(usize, &'a SavedTab),
}

impl SavedId {
    /// In the usual order: the team's, then the user's own.
    pub fn list_all(cx: &Context) -> Vec<SavedId> {
        let views = cx.views.list().iter().map(|view| SavedId::View(view.id));
        let searches = cx.views.searches().iter();
        let searches = searches.map(|search| SavedId::Search(search.name.clone()));
        let tabs = cx.queue.saved_tabs().iter();
        let tabs = tabs.map(|tab| SavedId::Tab(tab.name.clone()));
        views.chain(searches).chain(tabs).collect()
    }

    pub fn find<'a>(&self, cx: &'a Context) -> Option<SavedItem<'a>> {
        match self {
            SavedId::View(id) => cx.views.get(*id).map(SavedItem::View),
            SavedId::Search(name) => cx.views.search(name).map(SavedItem::Search),
            SavedId::Tab(name) => {
                let mut tabs = cx.queue.saved_tabs().iter().enumerate();
                let (at, tab) = tabs.find(|(_, tab)| tab.name == *name)?;
                Some(SavedItem::Tab(at, tab))
            }
        }
    }

    pub fn view_id(&self) -> Option<ViewId> {
        match self {
            SavedId::View(id) => Some(*id),
            _ => None,
        }
    }
}

impl<'a> SavedItem<'a> {
    pub fn name(self) -> Cow<'a, str> {
        match self {
            SavedItem::View(view) => view.title().into(),
            SavedItem::Search(search) => search.name.as_str().into(),
            SavedItem::Tab(_, tab) => tab.name.as_str().into(),
        }
    }

    pub fn kind_label(self) -> Cow<'static, str> {
        match self {
            SavedItem::View(view) => type_label(view).to_lowercase().into(),
            SavedItem::Search(_) => "search".into(),
            SavedItem::Tab(..) => "queue tab".into(),
        }
    }

    pub fn owner_label(self) -> &'static str {
        match self {
            SavedItem::View(_) => "team",
            _ => "mine",
        }
    }

    /// What it holds, in the plural.
    pub fn records_label(self) -> String {
        match self {
            SavedItem::View(view) => view.record_kind().to_string(),
            SavedItem::Search(search) => search.dataset.to_string(),
            SavedItem::Tab(..) => "signals".to_owned(),
        }
    }

    /// How many it holds, as far as that is known.
    pub fn count(self, cx: &Context) -> Option<RowCount> {
        match self {
            SavedItem::View(view) => cx.records.lists.count_of_view(view),
            SavedItem::Search(search) => search.last_count().map(|count| RowCount {
                total: count.total,
                is_capped: count.is_capped,
            }),
            SavedItem::Tab(at, _) => cx.queue.saved_count(at).map(|total| RowCount {
                total,
                is_capped: false,
            }),
        }
    }

    /// What it looks for in a sentence, or why that has no words; `None` if it holds what somebody
    /// added.
    pub fn describe(self) -> Option<Result<String, String>> {
        match self {
            SavedItem::View(view) => {
                let definition = view.definition.as_ref().filter(|it| !it.is_null())?;
                Some(describe_definition(view.record_kind().as_str(), definition))
            }
            SavedItem::Search(search) => Some(Ok(describe_search(
                search.dataset.as_str(),
                &search.filters,
                "",
                &Vocabulary::default(),
            ))),
            SavedItem::Tab(_, tab) => {
                let mut text = match tab.settings.summarize().as_str() {
                    "" => "All new signals of the queue.".to_owned(),
                    what => format!("New signals of the queue: {what}."),
                };
                if let Some(action) = &tab.action {
                    text.push_str(&format!(" Proposes: {}.", action.label()));
                }
                Some(Ok(text))
            }
        }
    }

    /// The same as JSON.
    pub fn conditions_json(self) -> Option<Value> {
        match self {
            SavedItem::View(view) => view.definition.clone().filter(|it| !it.is_null()),
            SavedItem::Search(search) => Some(search.filters.to_json()),
            SavedItem::Tab(_, tab) => serde_json::to_value(tab.settings.to_text()).ok(),
        }
    }
}

/// The results of a saved search that has read some.
pub fn find_results<'a>(cx: &'a Context, search: &NamedSearch) -> Option<&'a RecordList> {
    let (_, list) = cx
        .records
        .lists
        .find_run(&search.source(), &search.search())?;
    (list.load == LoadState::Ready).then_some(list)
}

/// How a View selects its records, in a word.
pub fn type_label(view: &View) -> String {
    match &view.kind {
        Some(ViewType::Dynamic) => "Dynamic".to_owned(),
        Some(ViewType::Static) => "Static".to_owned(),
        other => other.as_ref().map(ToString::to_string).unwrap_or_default(),
    }
}
