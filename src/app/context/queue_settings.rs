//! Which signals the queue shows: the last filter is kept for the next session.

use crate::app::action::Action;
use crate::app::change::Change;
use crate::app::context::outbox::undo;
use crate::app::context::{Ui, Work};
use crate::app::effect::Effect;
use crate::app::format::humanize;
use crate::app::model::list_table::ColumnSpec;
use crate::app::model::queue::SignalQueue;
use crate::app::notice::Notice;
use crate::app::overlay::palette::verbs::parse_filter;
use crate::app::{ConsoleSession, Context};
use crate::domain::cities::locate_city;
use crate::domain::conditions::ConditionLine;
use crate::domain::fuzzy::closest_match;
use crate::domain::queue::{Priority, QueueFilter, QueueTab};
use crate::domain::queue_tabs::{ListSettings, ListSettingsText, check_tab_name};
use crate::domain::row_columns::{RowColumn, find_column};
use crate::domain::signals::SignalType;

/// The preference that keeps what the rows are grouped by.
const GROUP_PREFERENCE: &str = "group.queue";

impl Context {
    /// Shows the queue's tabs, filter and order as they were in the last session.
    pub(super) fn restore_queue_settings(&mut self) {
        self.queue.set_saved_tabs(self.settings.queue_tabs.clone());
        let saved: Option<ListSettingsText> =
            serde_json::from_str(self.settings.preference(&list_preference(&self.session))).ok();
        if let Some(settings) = saved.and_then(|text| ListSettings::try_from(&text).ok()) {
            self.queue.set_list_settings(settings);
            if self.queue.is_narrowed() {
                let text = "the filter of your last session is still on";
                let hint = "{queue.filter.clear} shows all signals";
                self.ui.notice = Some(Notice::info(text).with_hint(hint));
            }
        }
        let group = find_column(self.settings.preference(GROUP_PREFERENCE));
        arrange_queue_groups(group, &mut self.queue);
    }

    /// Groups New and Done by a column, or ungroups them, also in the next session.
    pub(in crate::app) fn group_queue(&mut self, group: Option<&'static RowColumn>) {
        arrange_queue_groups(group, &mut self.queue);
        let group = group.map(ColumnSpec::from);
        self.save_group(GROUP_PREFERENCE, group.as_ref());
    }

    /// Shows other signals in the queue, also in the next session.
    pub(in crate::app) fn set_queue_settings(&mut self, settings: ListSettings) {
        self.queue.set_list_settings(settings);
        self.save_queue_settings();
    }

    /// Shows the signals that match a filter, in the same order; an empty filter also clears the
    /// conditions.
    pub(in crate::app) fn filter_queue(&mut self, mut filter: QueueFilter) {
        let now = self.queue.list_settings();
        // The rows of another city's filter say nothing about this one.
        let is_unfiltered = now.filter.city.is_empty();
        self.ui.notice = None;
        let near = is_unfiltered.then(|| nearest_filter_value(&filter.city, &self.queue));
        if let Some(near) = near.flatten() {
            let meant = parse_filter(&near);
            let is_city = !(meant.city.is_empty() && meant.q.is_empty());
            let name = if is_city {
                near.clone()
            } else {
                humanize(&near)
            };
            let tab = self.queue.current_tab();
            let are_all_read = tab.read_at.is_some() && tab.unread_count() == 0;
            let (text, hint) = if are_all_read {
                let text = format!("{} is not in the list; showing {name}", filter.city);
                (text, "{queue.filter.clear} shows all")
            } else {
                let text = format!("showing {}; did you mean {name}?", filter.city);
                (text, "{queue.filter} changes it")
            };
            self.ui.notice = Some(Notice::warning(text).with_hint(hint));
            if !are_all_read {
                // A row that was not read may have what was typed.
            } else if !is_city {
                // A priority or a type.
                filter.city.clear();
                filter.priority.extend(meant.priority);
                filter.signal_type.extend(meant.signal_type);
            } else {
                filter.city = near;
            }
        }
        let conditions = if filter.is_empty() {
            ConditionLine::default()
        } else {
            now.conditions
        };
        self.set_queue_settings(ListSettings {
            filter,
            conditions,
            ..now
        });
    }

    /// Gives a tab another name.
    ///
    /// # Errors
    /// Why it cannot have that name.
    pub(in crate::app) fn rename_queue_tab(&mut self, name: &str, to: &str) -> Result<(), String> {
        check_tab_name(to)?;
        if self.queue.find_saved_tab(to).is_some() {
            return Err(format!("there is already a tab {to}; choose another name"));
        }
        self.queue.rename_saved_tab(name, to);
        save_queue_tabs(&mut self.work, &self.queue);
        let text = format!("tab {name} renamed to {to}, on this machine");
        self.ui.notice = Some(Notice::success(text));
        Ok(())
    }

    pub(in crate::app) fn delete_queue_tab(&mut self, name: &str) {
        self.queue.remove_saved_tab(name);
        self.save_queue_settings();
        save_queue_tabs(&mut self.work, &self.queue);
        let text = format!("tab deleted: {name}");
        undo::note_final_act(text.clone(), &mut self.outbox);
        self.ui.notice = Some(Notice::success(text).passing());
    }

    /// Keeps what New and Done show for the next session; saved tabs are in the configuration.
    pub(in crate::app) fn save_queue_settings(&mut self) {
        let own = self.queue.own_settings();
        let text = if own.is_empty() {
            String::new()
        } else {
            serde_json::to_string(&own.to_text()).unwrap_or_default()
        };
        let preference = list_preference(&self.session);
        if text != self.settings.preference(&preference) {
            self.settings
                .save_preference(&preference, &text, &mut self.work);
        }
    }
}

fn arrange_queue_groups(group: Option<&'static RowColumn>, queue: &mut SignalQueue) {
    for tab in [QueueTab::New, QueueTab::Done] {
        queue.arrange(tab, |arrangement| arrangement.group = group);
    }
}

/// What may be meant by a city that no loaded row has, if a value is near and it is none of the
/// known cities.
fn nearest_filter_value(city: &str, queue: &SignalQueue) -> Option<String> {
    let cities = queue.text_values(find_column("city")?);
    let typed = city.to_lowercase();
    if typed.is_empty()
        || locate_city(city).is_some()
        || cities
            .iter()
            .any(|known| known.to_lowercase().contains(&typed))
    {
        return None;
    }
    let priorities = Priority::ALL.iter().map(Priority::as_str);
    let types = SignalType::ALL.iter().map(SignalType::as_str);
    let fixed = priorities.chain(types).map(str::to_owned);
    let values: Vec<(String, String)> = cities
        .into_iter()
        .chain(fixed)
        .map(|value| (value.to_lowercase(), value))
        .collect();
    let lower = || values.iter().map(|(lower, _)| lower.as_str());
    let near = closest_match(&typed, lower())
        .or_else(|| lower().find(|value| value.split('_').any(|word| word == typed)))?;
    let (_, value) = values.iter().find(|(lower, _)| lower == near)?;
    Some(value.clone())
}

/// Writes the tabs into the configuration.
pub(in crate::app) fn save_queue_tabs(work: &mut Work, queue: &SignalQueue) {
    let tabs = queue.saved_tabs().to_vec();
    work.emit(Effect::SaveQueueTabs(tabs));
    work.publish(Change::Views);
}

pub(in crate::app) fn confirm_tab_deletion(name: &str, ui: &mut Ui, queue: &SignalQueue) {
    let tab = queue.find_saved_tab(name);
    let action = tab.and_then(|tab| tab.action.as_ref());
    let rule = action.map_or_else(String::new, |action| {
        format!(
            " It is a rule ({}), which is deleted with it.",
            action.label()
        )
    });
    let text =
        format!("The tab {name} is deleted from your configuration.{rule} No signal changes.");
    let verb = format!("delete the tab {name}");
    ui.confirm_change(&verb, text, Action::DeleteQueueTab(name.to_owned()));
}

/// The preference that keeps the last filter, conditions and order: those of the demo would
/// hide the rows of another service.
fn list_preference(session: &ConsoleSession) -> String {
    format!("queue.list.{}", session.label)
}
