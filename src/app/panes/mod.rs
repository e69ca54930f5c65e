//! One folder per pane: state (`mod.rs`), commands, drawing, tests. [`all_commands`] chains the commands of panes and dialogs.

pub(crate) mod annotation_form;
pub(crate) mod book;
pub(crate) mod credits;
pub(crate) mod detail;
pub(crate) mod explore;
pub(crate) mod fact_list;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod skills;
pub(crate) mod start;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod watch;

use super::Screen;
use super::command::{Command, CommandTarget, global};
use super::pane::Pane;
use super::{overlay, prompt};

/// All panes.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    pub credits: credits::CreditsPane,
    pub team: team::TeamPane,
}

impl Panes {
    /// The pane of a screen.
    pub fn get(&self, screen: Screen) -> Option<&dyn Pane> {
        match screen {
            Screen::Credits => Some(&self.credits),
            Screen::Team => Some(&self.team),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, screen: Screen) -> Option<&mut dyn Pane> {
        match screen {
            Screen::Credits => Some(&mut self.credits),
            Screen::Team => Some(&mut self.team),
            _ => None,
        }
    }

    pub fn for_each(&mut self, mut act: impl FnMut(&mut dyn Pane)) {
        act(&mut self.credits);
        act(&mut self.team);
    }
}

/// The panes as the targets of their commands.
macro_rules! command_targets {
    ($($field:ident: $pane:ty),+) => {
        $(impl CommandTarget for $pane {
            fn target(panes: &Panes) -> &Self {
                &panes.$field
            }

            fn target_mut(panes: &mut Panes) -> &mut Self {
                &mut panes.$field
            }
        })+
    };
}

command_targets!(credits: credits::CreditsPane, team: team::TeamPane);

/// All commands, pane by pane and then dialog by dialog, in the order of help.
pub fn all_commands() -> impl Iterator<Item = Command> {
    commands(queue::commands::COMMANDS)
        .chain(commands(detail::commands::COMMANDS))
        .chain(commands(views::commands::COMMANDS))
        .chain(commands(book::commands::COMMANDS))
        .chain(commands(explore::commands::COMMANDS))
        .chain(commands(explore::list_filter::COMMANDS))
        .chain(commands(records::commands::COMMANDS))
        .chain(commands(record::commands::COMMANDS))
        .chain(commands(annotation_form::commands::OPEN_COMMANDS))
        .chain(commands(annotation_form::commands::COMMANDS))
        .chain(commands(subscriptions::commands::COMMANDS))
        .chain(commands(team::commands::COMMANDS))
        .chain(commands(skills::commands::COMMANDS))
        .chain(commands(credits::commands::COMMANDS))
        .chain(commands(watch::commands::COMMANDS))
        .chain(commands(global::COMMANDS))
        .chain(commands(overlay::palette::COMMANDS))
        .chain(commands(overlay::choice::COMMANDS))
        .chain(commands(overlay::column_list::COMMANDS))
        .chain(commands(overlay::filter_form::COMMANDS))
        .chain(commands(overlay::picker::COMMANDS))
        .chain(commands(prompt::COMMANDS))
        .chain(commands(start::commands::COMMANDS))
}

fn commands<T>(rows: &'static [T]) -> impl Iterator<Item = Command>
where
    Command: From<&'static T>,
{
    rows.iter().map(Command::from)
}
