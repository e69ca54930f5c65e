//! Overlays: what covers the screen and has the keys. Palette and help, the filter form, the
//! explanation of a priority, a choice or confirmation, the column chooser, a picker. Each has its
//! rows in the command table. A dialog that is a list ([`list_dialog`]) lies below them: it is
//! searched, sorted and counted as the list of a pane is.

pub(crate) mod call_form;
pub(crate) mod choice;
pub(crate) mod column_list;
pub(crate) mod filter_form;
pub(crate) mod frequency_list;
pub(crate) mod join_code;
pub(crate) mod list_dialog;
pub(crate) mod palette;
pub(crate) mod picker;
pub(crate) mod text_page;

#[cfg(test)]
mod tests;

use ratatui::layout::Rect;

use super::command::Scope;
use super::command::keys::Key;
use super::format::humanize;
use crate::domain::conditions::capitalize;
use crate::domain::queue::QueueSignal;
use crate::domain::subscriptions::Subscription;
use crate::ui::text_input::PasteTooLong;
use call_form::CallForm;
use choice::Choice;
use column_list::ColumnList;
use filter_form::FilterForm;
use palette::CommandPalette;
use picker::Picker;
use text_page::TextPage;

pub(super) const PRIORITY_TITLE: &str = "Why this priority";

#[derive(Clone, Debug)]
pub enum Overlay {
    /// Commands, found by name, key or text; also help.
    Palette(CommandPalette),
    /// The queue's filter.
    Filter(FilterForm),
    /// The card with the first keys.
    FirstRun,
    Choice(Choice),
    /// A call to be logged.
    Call(CallForm),
    Columns(ColumnList),
    /// A list that is filtered as the user types.
    Picker(Picker),
    /// A page that is read, copied and saved.
    Page(TextPage),
    /// The first of the join codes that were not closed yet.
    JoinCode,
}

impl Overlay {
    /// The scope of its keys; `None` where any key closes it.
    pub fn scope(&self) -> Option<Scope> {
        Some(match self {
            Overlay::Palette(_) => Scope::Palette,
            Overlay::Filter(form) => form.scope(),
            Overlay::FirstRun => return None,
            Overlay::Choice(_) => Scope::Choice,
            Overlay::Call(form) => form.scope(),
            Overlay::Columns(_) => Scope::ColumnChooser,
            Overlay::Picker(picker) => picker.scope(),
            Overlay::Page(_) => Scope::TextPage,
            Overlay::JoinCode => Scope::JoinCode,
        })
    }

    /// Whether a key goes on with a text that is being typed, although it runs a command where none
    /// is.
    pub fn continues_text(&self, key: Key) -> bool {
        key.is_character()
            && match self {
                Overlay::Choice(choice) => !choice.typed.is_empty(),
                Overlay::Filter(form) => form.continues_text(key),
                Overlay::Picker(picker) => picker.continues_text(),
                _ => false,
            }
    }

    /// Types a key that runs no command.
    pub fn type_key(&mut self, key: Key) {
        match self {
            Overlay::Palette(palette) => palette.type_key(key),
            Overlay::Filter(form) => form.type_key(key),
            Overlay::Call(form) => form.type_key(key),
            Overlay::Picker(picker) => picker.type_key(key),
            Overlay::Choice(choice) => choice.type_key(key),
            Overlay::FirstRun | Overlay::Columns(_) | Overlay::Page(_) | Overlay::JoinCode => {}
        }
    }

    /// Moves the cursor of its list, or scrolls its text, by this many lines of a screen of this
    /// size.
    pub fn move_selection(&mut self, lines: isize, frame: Rect) {
        match self {
            Overlay::Palette(palette) => palette.move_selection(lines),
            Overlay::Choice(choice) => choice.move_selection(lines),
            Overlay::Columns(list) => list.move_cursor(lines),
            Overlay::Picker(picker) => picker.step(lines),
            Overlay::Page(page) => page.scroll_by(lines, frame),
            Overlay::Filter(_) | Overlay::FirstRun | Overlay::Call(_) | Overlay::JoinCode => {}
        }
    }

    /// Pastes into the overlay's text field; `None` when it has none.
    pub fn paste(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        match self {
            Overlay::Palette(palette) => Some(palette.paste(text)),
            Overlay::Filter(form) => form.paste(text),
            Overlay::Call(form) => form.paste(text),
            Overlay::Picker(picker) => Some(picker.paste(text)),
            Overlay::FirstRun
            | Overlay::Choice(_)
            | Overlay::Columns(_)
            | Overlay::Page(_)
            | Overlay::JoinCode => None,
        }
    }

    /// Nothing was entered in it, so that a click beside it may close it.
    pub fn is_dismissible(&self) -> bool {
        match self {
            Overlay::FirstRun | Overlay::Choice(_) | Overlay::Page(_) => true,
            Overlay::Palette(palette) => palette.field.text().is_empty(),
            Overlay::Call(form) => form.note.text().is_empty(),
            Overlay::Filter(_) | Overlay::Columns(_) | Overlay::Picker(_) | Overlay::JoinCode => {
                false
            }
        }
    }
}

/// Explains why a row has its priority; without subscriptions, says that they are being loaded.
pub fn explain_priority(
    row: &QueueSignal,
    subscriptions: Option<&[Subscription]>,
    relevance: Vec<String>,
) -> TextPage {
    let priority = row
        .priority
        .as_ref()
        .map_or("unknown", |priority| priority.as_str());
    let kind = row
        .signal
        .signal_type
        .as_ref()
        .map_or("unknown", |kind| kind.as_str());
    let (shown, kinds) = (capitalize(priority), plural_of_type(&humanize(kind)));
    let Some(subscriptions) = subscriptions else {
        let mut lines = vec![
            format!("{shown}."),
            "Loading the workspace's subscriptions…".to_owned(),
        ];
        lines.extend(relevance);
        return TextPage::of_sentences(PRIORITY_TITLE, lines);
    };
    let subscription = subscriptions
        .iter()
        .find(|s| Some(&s.signal_type) == row.signal.signal_type.as_ref());
    let mut lines = vec![match subscription {
        Some(subscription) if subscription.priority == row.priority => {
            format!("{shown}, because your team follows {kinds} as {priority}.")
        }
        Some(subscription) => format!(
            "{shown}, although your team follows {kinds} as {}: that changed after this row was loaded, or the service \
             sets the priority differently.",
            subscription
                .priority
                .as_ref()
                .map_or("nothing", |priority| priority.as_str()),
        ),
        None => format!(
            "{shown}. Your team no longer follows {kinds}; the row goes away at the next refresh."
        ),
    }];
    if let Some(since) = subscription
        .and_then(|s| s.created_at.as_ref())
        .map(super::format::format_full_day)
    {
        lines.push(format!("Subscribed since {since}."));
    }
    lines.push(
        "The service sorts the queue: new first, then by priority, then the newest filing."
            .to_owned(),
    );
    lines.extend(relevance);
    TextPage::of_sentences(PRIORITY_TITLE, lines)
}

/// `permits issued`, `construction loans`.
fn plural_of_type(kind: &str) -> String {
    match kind.split_once(' ') {
        Some((noun, event @ ("filed" | "issued"))) => format!("{noun}s {event}"),
        Some((noun, "prep")) => format!("{noun} preparations"),
        _ => format!("{kind}s"),
    }
}
