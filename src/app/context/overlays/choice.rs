//! The keys of a choice and of a confirmation.

use crate::app::Context;
use crate::app::command::shared;
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::pane_command::ContextCommand;

type Row = ContextCommand;

/// In the order of help.
pub const COMMANDS: &[Row] = &[Row::at("choice.accept", &shared::ACCEPT, accept)
    .with_description("do what the selected option says")
    .with_title("select")];

/// Does what the selected option says. A word that selects none is rejected, and the question
/// stays.
fn accept(cx: &mut Context) {
    let Some(Overlay::Choice(mut choice)) = cx.ui.overlay.take() else {
        return;
    };
    if let Some(why) = choice.rejection() {
        choice.typed.clear();
        let again = "{choice.accept} again takes the selected one";
        cx.ui.notice = Some(Notice::warning(why).with_hint(again));
        cx.ui.overlay = Some(Overlay::Choice(choice));
    } else if let Some(option) = choice.options.into_iter().nth(choice.selected) {
        cx.work.perform(option.action);
    }
}
