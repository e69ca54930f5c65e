//! Which signals the queue shows: the last filter is kept for the next session.

use crate::app::Context;
use crate::app::effect::Effect;
use crate::app::notice::Notice;
use crate::domain::queue::{QueueFilter, QueueTab};
use crate::domain::queue_tabs::{ListSettings, ListSettingsText, SavedTab};
use crate::domain::row_conditions::RowConditions;
use crate::domain::row_fields::RowField;

/// The preference that keeps the last filter, conditions and order.
const PREFERENCE: &str = "queue.list";
/// The preference that keeps what the rows are grouped by.
const GROUP_PREFERENCE: &str = "group.queue";

impl Context {
    /// Shows the queue's tabs, filter and order as they were in the last session.
    pub(super) fn restore_queue_settings(&mut self) {
        self.queue.set_saved_tabs(self.settings.queue_tabs.clone());
        let saved: Option<ListSettingsText> =
            serde_json::from_str(self.preference(PREFERENCE)).ok();
        if let Some(settings) = saved.and_then(|text| ListSettings::try_from(&text).ok()) {
            self.queue.set_list_settings(settings);
        }
        let group = RowField::parse(self.preference(GROUP_PREFERENCE));
        self.arrange_queue_groups(group);
    }

    /// Groups New and Done by a field, or ungroups them, also in the next session.
    pub(in crate::app) fn group_queue(&mut self, group: Option<RowField>) {
        self.arrange_queue_groups(group);
        self.save_preference(GROUP_PREFERENCE, group.map_or("", RowField::name));
        self.notice = Some(match group {
            Some(field) => Notice::info(format!("grouped by {}", field.title()))
                .with_hint("{list.group} ungroups"),
            None => Notice::info("not grouped"),
        });
    }

    /// By project the rows become threads.
    fn arrange_queue_groups(&mut self, group: Option<RowField>) {
        for tab in [QueueTab::New, QueueTab::Done] {
            self.queue.arrange(tab, |arrangement| {
                arrangement.is_threaded = group == Some(RowField::Project);
                arrangement.group = group.filter(|field| *field != RowField::Project);
            });
        }
    }

    /// Shows other signals in the queue, also in the next session.
    pub(in crate::app) fn set_queue_settings(&mut self, settings: ListSettings) {
        self.queue.set_list_settings(settings);
        self.save_queue_settings();
    }

    /// Shows the signals that match a filter, in the same order; an empty filter also clears the
    /// conditions.
    pub(in crate::app) fn filter_queue(&mut self, filter: QueueFilter) {
        let now = self.queue.list_settings();
        let conditions = if filter.is_empty() {
            RowConditions::default()
        } else {
            now.conditions
        };
        self.set_queue_settings(ListSettings {
            filter,
            conditions,
            ..now
        });
    }

    /// Saves the tabs in the configuration.
    pub(in crate::app) fn save_queue_tabs(&mut self, tabs: Vec<SavedTab>) {
        self.effects.push(Effect::SaveQueueTabs(tabs));
    }

    /// Keeps what New and Done show for the next session; saved tabs are in the configuration.
    pub(in crate::app) fn save_queue_settings(&mut self) {
        let own = self.queue.own_settings();
        let text = if own.is_empty() {
            String::new()
        } else {
            serde_json::to_string(&own.to_text()).unwrap_or_default()
        };
        if text != self.preference(PREFERENCE) {
            self.save_preference(PREFERENCE, &text);
        }
    }
}
