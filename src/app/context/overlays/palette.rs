//! The keys of the palette and of help.

use std::collections::HashSet;

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Command, shared};
use crate::app::context::Ui;
use crate::app::effect::RecordKey;
use crate::app::model::records::record_name;
use crate::app::overlay::Overlay;
use crate::app::overlay::palette::{CommandPalette, Destination, PaletteEntry};
use crate::app::pane_command::ContextCommand;
use crate::app::panes::team::messages::TeamAction;
use crate::app::panes::views::messages::ViewsAction;

/// The name of its history.
const HISTORY: &str = "history.palette";
/// Older texts are forgotten.
const MAX_HISTORY: usize = 50;
/// At most this many loaded records can be found by name.
const MAX_RECORDS: usize = 500;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[Row::at("palette.run", &shared::ACCEPT, run_selected)
    .with_words("run", "run the selected command; open or close the group")];

fn run_selected(cx: &mut Context) {
    let Some(Overlay::Palette(palette)) = &mut cx.ui.overlay else {
        return;
    };
    palette.toggle_group();
    let typed = palette.field.text().to_owned();
    let actions = match palette.selected_entry().cloned() {
        Some(PaletteEntry::Command(found)) if found.works_here => {
            vec![Action::RunFromPalette(found.command)]
        }
        Some(PaletteEntry::Command(found)) if found.command.scope.screen().is_some() => {
            vec![Action::GoToCommand(found.command)]
        }
        Some(PaletteEntry::Verb(verb)) if verb.takes_no_argument() => {
            let actions = (verb.parse)("").unwrap_or_default();
            [vec![Action::CloseOverlay], actions].concat()
        }
        Some(PaletteEntry::Verb(verb)) => vec![Action::TypeInPalette(format!("{} ", verb.name))],
        Some(PaletteEntry::Destination(place)) => vec![Action::CloseOverlay, place.action],
        Some(PaletteEntry::Line(_, Ok(actions))) => [vec![Action::CloseOverlay], actions].concat(),
        Some(
            PaletteEntry::Command(_) | PaletteEntry::Group { .. } | PaletteEntry::Line(_, Err(_)),
        )
        | None => {
            palette.is_refused = true;
            return;
        }
    };
    if !matches!(actions.first(), Some(Action::TypeInPalette(_))) {
        cx.settings
            .remember_typed(HISTORY, &typed, MAX_HISTORY, &mut cx.work);
    }
    actions
        .into_iter()
        .for_each(|action| cx.work.perform(action));
}

impl Context {
    /// Opens the palette, with what was read so far.
    pub(in crate::app) fn open_palette(&mut self) {
        let (destinations, history) = (self.destinations(), self.settings.typed_history(HISTORY));
        let palette = CommandPalette::for_commands(
            self.ui.focus.scope(),
            &self.keymap,
            destinations,
            history,
        );
        self.ui.overlay = Some(Overlay::Palette(palette));
    }

    /// The commands in the footer. Before the frame of another screen is drawn, that is none.
    pub(in crate::app) fn taught_commands(&self) -> Vec<&'static Command> {
        let hints = self.keymap.hints(self.ui.focus.scope());
        let targets = self
            .frame
            .layout()
            .hint_targets()
            .map(|(_, command)| command);
        let shown: Vec<_> = targets.collect();
        let is_here = shown.iter().all(|command| hints.contains(command));
        if is_here { shown } else { Vec::new() }
    }

    /// The Views, the records of the loaded lists and the members, by name.
    fn destinations(&self) -> Vec<Destination> {
        let views = self.views.list().iter().map(|view| Destination {
            name: view.title(),
            kind: "View".to_owned(),
            cost: "",
            action: ViewsAction::Show(view.id).into(),
        });
        let members = self.team.members.iter().map(|member| Destination {
            name: member.name(),
            kind: "member".to_owned(),
            cost: "",
            action: TeamAction::Show(member.id).into(),
        });
        let rows = self
            .records
            .lists
            .values()
            .flat_map(|list| list.rows().iter().map(move |row| (list, row)));
        let mut seen = HashSet::new();
        let records = rows
            .take(MAX_RECORDS)
            .filter(|(_, row)| seen.insert(row.id))
            .map(|(list, row)| {
                let dataset = list.source.dataset();
                let key = RecordKey {
                    dataset: dataset.clone(),
                    id: row.id,
                    in_book: list.is_in_book(row),
                };
                let name = record_name(&row.fields());
                let cost = if self.records.fetched.get(&key).is_some() {
                    ""
                } else {
                    "1 cr once per record"
                };
                let kind = dataset.as_str().trim_end_matches('s').to_owned();
                Destination {
                    action: Action::OpenRecord(key, name.clone()),
                    name,
                    kind,
                    cost,
                }
            });
        views.chain(members).chain(records).collect()
    }
}

/// Puts a text into the field of the palette.
pub(in crate::app) fn type_in_palette(text: &str, ui: &mut Ui) {
    if let Some(Overlay::Palette(palette)) = &mut ui.overlay {
        palette.set_text(text);
    }
}

#[cfg(test)]
mod tests {
    use crate::app::command::Scope;
    use crate::app::testing::{TestConsole, morning_queue};

    #[test]
    fn help_before_the_next_frame_does_not_teach_the_keys_of_the_screen_before() {
        let mut console = TestConsole::with_rows(morning_queue()).serve();
        let cx = console.context_mut();
        assert!(!cx.taught_commands().is_empty());
        cx.ui.focus.pane_scope = Scope::Subscriptions;
        assert!(cx.taught_commands().is_empty());
    }
}
