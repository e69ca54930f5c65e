//! What lies over the screen and has the keys: palette and help, the filter form, the reason for a priority, a choice or a
//! confirmation, the columns of a list, a picker.

pub mod choice;
pub mod column_list;
pub mod draw;
pub mod filter_form;
pub mod palette;
pub mod picker;

use super::App;
use super::action::Action;
use super::command::Command;
use super::command::keys::Key;
use super::format::humanize;
use crate::domain::queue::{QueueFilter, QueueSignal};
use crate::domain::subscriptions::Subscription;
use crate::ui::text_input::PasteTooLong;
use choice::Choice;
use column_list::ColumnList;
use filter_form::FilterForm;
use palette::CommandPalette;
use picker::Picker;

/// The title over the reason for a priority.
const PRIORITY_TITLE: &str = "Why this priority";

/// An overlay.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// Commands, found by name, key or sentence.
    Palette(CommandPalette),
    /// What narrows the queue.
    Filter(FilterForm),
    /// Something to read, under a title.
    Text(&'static str, Vec<String>),
    /// Things to choose from, or one to confirm.
    Choice(Choice),
    /// The columns of a list, to be chosen and put in order.
    Columns(ColumnList),
    /// A list that narrows as one types.
    Picker(Picker),
}

impl App {
    /// Keys are on their way into something: a late answer that asked now would take them for its own.
    pub(super) fn is_typing(&self) -> bool {
        self.overlay.is_some() || self.prompt.is_some() || self.annotation_form.is_some()
    }
}

/// What a key did to an overlay.
pub enum OverlayOutcome {
    /// It stays.
    Stay,
    /// It closes.
    Close,
    /// It closes and a command runs.
    RunCommand(&'static Command),
    /// It closes and the queue is narrowed.
    ApplyFilter(QueueFilter),
    /// It closes and this is done.
    Perform(Action),
}

impl Overlay {
    /// Gives a key to the overlay.
    pub fn handle_key(&mut self, key: Key, app: &App) -> OverlayOutcome {
        match self {
            Overlay::Palette(palette) => palette.handle_key(key, app),
            Overlay::Filter(form) => form.handle_key(key),
            Overlay::Text(..) => OverlayOutcome::Close,
            Overlay::Choice(choice) => choice.handle_key(key),
            Overlay::Columns(columns) => columns.handle_key(key),
            Overlay::Picker(picker) => picker.handle_key(key),
        }
    }

    /// Gives a paste to the overlay's field; none where there is no field.
    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        match self {
            Overlay::Palette(palette) => Some(palette.paste(text)),
            Overlay::Filter(form) => form.paste(text),
            Overlay::Picker(picker) => Some(picker.paste(text)),
            Overlay::Text(..) | Overlay::Choice(_) | Overlay::Columns(_) => None,
        }
    }

    /// Nothing was typed or put together in it: it can be closed by the way.
    pub fn is_dismissible(&self) -> bool {
        match self {
            Overlay::Text(..) | Overlay::Choice(_) => true,
            Overlay::Palette(palette) => palette.field.text().is_empty(),
            Overlay::Filter(_) | Overlay::Columns(_) | Overlay::Picker(_) => false,
        }
    }

    /// Why a row has its priority; without subscriptions, that they are being read.
    pub fn priority_explanation(row: &QueueSignal, subscriptions: Option<&[Subscription]>) -> Overlay {
        let priority = row.priority.as_ref().map_or("unknown", |priority| priority.as_str());
        let kind = row.signal.signal_type.as_ref().map_or("unknown", |kind| kind.as_str());
        let mut lines = vec![format!("This {} signal has priority {priority}.", humanize(kind))];
        let Some(subscriptions) = subscriptions else {
            lines.push("Loading the workspace's subscriptions…".to_owned());
            return Overlay::Text(PRIORITY_TITLE, lines);
        };
        let subscription = subscriptions.iter().find(|s| Some(&s.signal_type) == row.signal.signal_type.as_ref());
        lines.push(match subscription {
            Some(subscription) if subscription.priority == row.priority => {
                format!("The workspace is subscribed to {} with this priority, for everyone.", humanize(kind))
            }
            Some(subscription) => format!(
                "The workspace's subscription to {} says {}: it changed after this row was loaded, or the service sets the \
                 priority differently.",
                humanize(kind),
                subscription.priority.as_ref().map_or("nothing", |priority| priority.as_str()),
            ),
            None => {
                format!("The workspace is no longer subscribed to {}; the row goes away at the next refresh.", humanize(kind))
            }
        });
        if let Some(since) = subscription.and_then(|s| s.created_at.as_ref()).map(super::format::format_full_day) {
            lines.push(format!("Subscribed since {since}."));
        }
        lines.push("The service sorts the queue: new first, then by priority, then the newest filing.".to_owned());
        Overlay::Text(PRIORITY_TITLE, lines)
    }
}
