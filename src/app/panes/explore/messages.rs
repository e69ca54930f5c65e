//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::conditions::ConditionPath;
use crate::domain::named_searches::NamedSearch;
use crate::domain::search::SortOrder;

/// What was chosen or confirmed in Explore or in the builder over a list.
#[derive(Clone, Debug, PartialEq)]
pub enum ExploreAction {
    /// Run the search in the builder.
    Run,
    /// Add a condition on a field, inside the relation at this place.
    AddCondition(Option<usize>, String),
    SetConditionValues(ConditionPath, Vec<String>),
    /// Ask for the name of a Dynamic View of what is shown.
    NameView,
    /// Create the View that was named.
    CreateView,
    /// Save this search in place of the one of its name.
    ReplaceSaved(Box<NamedSearch>),
    /// Sort the search being built.
    SetSort(SortOrder),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplorePrompt {
    /// Words that filter a list of records.
    ListQuery,
    /// The value of a condition.
    Condition(ConditionPath),
    /// All conditions, as text.
    Conditions,
    /// A question in plain words.
    Question,
    /// The name of a search that is saved.
    SearchName,
    /// The name of a Dynamic View of what is shown.
    ViewName,
}

/// By the index of the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExploreRequest {
    Vocabulary(usize),
    Question(usize),
}
