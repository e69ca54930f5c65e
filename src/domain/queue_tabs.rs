//! Tabs of the queue that a user defines: a filter, conditions on loaded rows and an order, under a
//! name.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::conditions::{ConditionLine, Conditions, Test};
use super::field_kind::{ListSort, humanize_key};
use super::queue::{Priority, QueueFilter};
use super::row_columns::{find_column, parse_sort, queue_fields};
use super::rules::{RuleAction, RuleActionText};
use super::signals::SignalType;

/// Longest name of a tab, in characters.
pub const MAX_TAB_NAME_CHARS: usize = 40;

/// # Errors
/// Why a tab cannot have this name.
pub fn check_tab_name(name: &str) -> Result<(), String> {
    if name.chars().count() > MAX_TAB_NAME_CHARS {
        return Err(format!(
            "the name of a tab has at most {MAX_TAB_NAME_CHARS} letters"
        ));
    }
    Ok(())
}

/// Which signals a list shows, and in which order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListSettings {
    /// Applied by the service; its status is ignored.
    pub filter: QueueFilter,
    /// Tested on this machine.
    pub conditions: ConditionLine,
    /// The service's order if `None`.
    pub sort: Option<ListSort>,
}

/// A tab as a user defined it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedTab {
    pub name: String,
    pub settings: ListSettings,
    /// What it proposes for its rows.
    pub action: Option<RuleAction>,
}

impl SavedTab {
    /// # Errors
    /// Which condition, order or action is wrong.
    pub fn parse(
        name: &str,
        list: &ListSettingsText,
        action: &RuleActionText,
    ) -> Result<SavedTab, String> {
        let tab = SavedTab {
            name: name.to_owned(),
            settings: ListSettings::try_from(list)?,
            action: action.parse()?,
        };
        tab.check_settings(&tab.settings)?;
        Ok(tab)
    }

    /// Checks what the tab is to show: what acts must not match every row, nor rows that only the
    /// service can tell.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn check_settings(&self, settings: &ListSettings) -> Result<(), String> {
        let ListSettings {
            filter, conditions, ..
        } = settings;
        if self.action.is_none() {
            Ok(())
        } else if !filter.q.is_empty() {
            Err("it has then, so its words are conditions: where, not text".to_owned())
        } else if filter.is_empty() && conditions.is_empty() {
            Err("it has then, so it needs conditions: where = \"cost<10k\"".to_owned())
        } else {
            Ok(())
        }
    }
}

/// The settings of a list as texts: in `[[queue.tabs]]` of the configuration, and in the preference
/// that keeps the last filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListSettingsText {
    pub city: String,
    pub text: String,
    #[serde(rename = "type")]
    pub types: Vec<String>,
    #[serde(rename = "priority")]
    pub priorities: Vec<String>,
    #[serde(rename = "where")]
    pub conditions: String,
    pub sort: String,
}

impl ListSettings {
    pub fn is_empty(&self) -> bool {
        *self == ListSettings::default()
    }

    /// The same with these conditions instead. What the service filters by is replaced too, if they
    /// name it.
    pub fn with_conditions(mut self, conditions: ConditionLine) -> ListSettings {
        if conditions.conditions.values_of("city").is_some() {
            self.filter.city.clear();
        }
        if conditions.conditions.values_of("type").is_some() {
            self.filter.signal_type.clear();
        }
        self.conditions = conditions;
        self.with_service_filters()
    }

    /// Leaves to the service what it can filter by: it knows every row, of which this machine knows
    /// only some.
    pub fn with_service_filters(mut self) -> ListSettings {
        let conditions = &mut self.conditions.conditions;
        if self.filter.city.is_empty()
            && let Some([city]) = conditions.values_of("city").as_deref()
        {
            self.filter.city = (*city).to_owned();
            conditions.remove_values_of("city");
        }
        if self.filter.signal_type.is_empty()
            && let Some(types) = conditions.values_of("type")
        {
            self.filter.signal_type = types
                .into_iter()
                .map(|kind| SignalType::from(kind.to_lowercase().replace(' ', "_").as_str()))
                .collect();
            conditions.remove_values_of("type");
        }
        self
    }

    /// The conditions, with the city that the service filters by.
    pub fn local_conditions(&self) -> ConditionLine {
        let mut line = self.conditions.clone();
        if !self.filter.city.is_empty() {
            let is_there = Test::Values {
                values: vec![json!(self.filter.city)],
                exact: false,
                exclude: false,
            };
            let conditions = line.conditions.criteria_mut();
            conditions.push(("city".to_owned(), is_there));
        }
        line
    }

    /// What it shows, in a few words: `Austin, cost>=5M`.
    pub fn summarize(&self) -> String {
        let filter = &self.filter;
        let types = filter.signal_type.iter();
        let parts = std::iter::once(filter.city.clone())
            .chain(types.map(|kind| humanize_key(kind.as_str())))
            .chain(filter.priority.iter().map(ToString::to_string))
            .chain([filter.q.clone(), self.conditions.to_string()]);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        let order = || {
            let column = find_column(self.sort?.key)?;
            Some(format!("by {}", column.spec.title()))
        };
        if parts.is_empty() {
            order().unwrap_or_default()
        } else {
            parts.join(", ")
        }
    }

    /// What of it a search of all signals of the index can say, and what it cannot.
    pub fn to_index_filters(&self) -> (Conditions, Vec<String>) {
        let QueueFilter {
            status: _,
            signal_type,
            priority,
            city,
            q,
        } = &self.filter;
        let mut criteria = Map::new();
        if !signal_type.is_empty() {
            criteria.insert("signal_type".to_owned(), json!({ "value": signal_type }));
        }
        if !city.is_empty() {
            let project = json!({ "city": { "value": [city] } });
            criteria.insert("for_project".to_owned(), project);
        }
        let priorities: Vec<String> = priority.iter().map(ToString::to_string).collect();
        let unsaid = [
            ("priority ", priorities.join(", ")),
            ("words ", q.clone()),
            ("", self.conditions.to_string()),
        ];
        let unsaid = unsaid.into_iter().filter(|(_, value)| !value.is_empty());
        let unsaid = unsaid.map(|(what, value)| format!("{what}{value}"));
        let filters = Conditions::from_json(&Value::Object(criteria)).unwrap_or_default();
        (filters, unsaid.collect())
    }

    pub fn to_text(&self) -> ListSettingsText {
        ListSettingsText {
            city: self.filter.city.clone(),
            text: self.filter.q.clone(),
            types: self
                .filter
                .signal_type
                .iter()
                .map(|kind| kind.as_str().to_owned())
                .collect(),
            priorities: self
                .filter
                .priority
                .iter()
                .map(|priority| priority.as_str().to_owned())
                .collect(),
            conditions: self.conditions.to_string(),
            sort: self.sort.map(|sort| sort.to_string()).unwrap_or_default(),
        }
    }
}

impl TryFrom<&ListSettingsText> for ListSettings {
    type Error = String;

    /// # Errors
    /// Which condition or order is wrong.
    fn try_from(text: &ListSettingsText) -> Result<Self, String> {
        let filter = QueueFilter {
            status: BTreeSet::new(),
            signal_type: text
                .types
                .iter()
                .map(|kind| SignalType::from(kind.as_str()))
                .collect(),
            priority: text
                .priorities
                .iter()
                .map(|priority| Priority::from(priority.as_str()))
                .collect(),
            city: text.city.trim().to_owned(),
            q: text.text.trim().to_owned(),
        };
        let sort = Some(text.sort.trim())
            .filter(|sort| !sort.is_empty())
            .map(parse_sort)
            .transpose()?;
        Ok(ListSettings {
            filter,
            conditions: ConditionLine::parse_checked(&text.conditions, queue_fields())
                .map_err(|error| format!("where: {}", error.message))?,
            sort,
        }
        .with_service_filters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_service_filters_by_the_only_city_of_the_conditions() {
        let settings = |conditions: &str, city: &str| {
            let text = ListSettingsText {
                conditions: conditions.to_owned(),
                city: city.to_owned(),
                ..ListSettingsText::default()
            };
            let text = ListSettings::try_from(&text).unwrap().to_text();
            (text.city, text.conditions)
        };
        let pair = |city: &str, conditions: &str| (city.to_owned(), conditions.to_owned());
        assert_eq!(
            settings("city=Austin cost>=5M", ""),
            pair("Austin", "cost>=5M")
        );
        assert_eq!(
            settings("city=Austin", "Dallas"),
            pair("Dallas", "city=Austin")
        );
        for conditions in ["city=Austin,Dallas", "city!=Austin", "city==Austin"] {
            assert_eq!(settings(conditions, "").0, "", "{conditions}");
        }
    }

    #[test]
    fn a_tab_that_acts_needs_conditions_because_it_would_match_every_row() {
        let done = RuleActionText {
            then: "done".to_owned(),
            ..RuleActionText::default()
        };
        let parse = |list: &ListSettingsText| SavedTab::parse("small", list, &done);
        let mut list = ListSettingsText {
            sort: "cost".to_owned(),
            ..ListSettingsText::default()
        };
        assert!(parse(&list).unwrap_err().contains("needs conditions"));
        list.city = "Austin".to_owned();
        let tab = parse(&list).unwrap();
        assert_eq!(tab.action, Some(RuleAction::Done));
        assert_eq!(tab.settings.local_conditions().to_string(), "city=Austin");
        list.text = "child care".to_owned();
        assert!(parse(&list).unwrap_err().ends_with("where, not text"));
    }

    #[test]
    fn settings_of_a_list_are_written_as_they_are_read() {
        let text = ListSettingsText {
            city: "Austin".to_owned(),
            types: vec!["permit_issued".to_owned()],
            priorities: vec!["high".to_owned()],
            conditions: "cost>=5M !account".to_owned(),
            sort: "cost:asc".to_owned(),
            ..ListSettingsText::default()
        };
        let settings = ListSettings::try_from(&text).unwrap();
        assert_eq!(settings.to_text(), text);
        assert!(
            !settings.is_empty()
                && ListSettings::try_from(&ListSettingsText::default())
                    .unwrap()
                    .is_empty()
        );
        let wrong = ListSettingsText {
            conditions: "size>5".to_owned(),
            ..text
        };
        assert!(
            ListSettings::try_from(&wrong)
                .unwrap_err()
                .starts_with("where: size is not a field")
        );
    }
}
