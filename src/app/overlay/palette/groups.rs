//! The groups in which help lists the keys of a screen.

use crate::app::command::Command;

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpGroup {
    Act,
    Mark,
    Find,
    People,
    Copy,
    View,
    Go,
    Undo,
    Dialogs,
}

impl HelpGroup {
    /// In the order of help.
    pub const ALL: [HelpGroup; 9] = [
        HelpGroup::Act,
        HelpGroup::Mark,
        HelpGroup::Find,
        HelpGroup::People,
        HelpGroup::Copy,
        HelpGroup::View,
        HelpGroup::Go,
        HelpGroup::Undo,
        HelpGroup::Dialogs,
    ];

    pub fn title(self) -> &'static str {
        match self {
            HelpGroup::Act => "act on what is under the cursor",
            HelpGroup::Mark => "mark several rows",
            HelpGroup::Find => "find, filter, sort and count",
            HelpGroup::People => "people and notes",
            HelpGroup::Copy => "copy and export",
            HelpGroup::View => "change what is shown",
            HelpGroup::Go => "move and go elsewhere",
            HelpGroup::Undo => "undo, repeat, cancel",
            HelpGroup::Dialogs => "in lists, questions and forms that open",
        }
    }

    pub(super) fn classify(command: &Command) -> HelpGroup {
        let id = command.common_id();
        let is_one_of = |ids: &[&str]| ids.contains(&id);
        let begins_with = |starts: &[&str]| starts.iter().any(|start| id.starts_with(start));
        match () {
            () if command.scope.is_dialog() => HelpGroup::Dialogs,
            () if begins_with(&["undo", "redo", "repeat", "failures", "journal", "cancel"]) => {
                HelpGroup::Undo
            }
            () if begins_with(&["list.mark", "queue.mark", "detail.mark"])
                || id == "list.range" =>
            {
                HelpGroup::Mark
            }
            () if begins_with(&[
                "find",
                "filter",
                "list.filter",
                "search",
                "explore",
                "feed.",
            ]) || is_one_of(&[
                "list.sort",
                "list.frequency",
                "count",
                "queue.conditions",
                "queue.priority",
                "skills.find",
            ]) =>
            {
                HelpGroup::Find
            }
            () if begins_with(&["annotate", "team", "copy.phone", "copy.email"])
                || is_one_of(&["go.typed", "subscriptions.recipients", "subscriptions.all"]) =>
            {
                HelpGroup::People
            }
            () if begins_with(&["copy"]) || is_one_of(&["list.export"]) => HelpGroup::Copy,
            () if begins_with(&[
                "list.",
                "panel",
                "pane.",
                "queue.preview",
                "records.map",
                "refresh",
                "reload",
                "theme",
                "mouse",
                "blank",
                "redraw",
                "config",
                "definition",
                "watch",
            ]) =>
            {
                HelpGroup::View
            }
            () if begins_with(&["go.", "tab.", "promises", "source.open"])
                || is_one_of(&["back", "close", "help", "palette", "profile", "suspend"]) =>
            {
                HelpGroup::Go
            }
            () => HelpGroup::Act,
        }
    }
}
