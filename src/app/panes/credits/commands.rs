//! The Credits pane's commands, and changes to budgets.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::{Availability, require, shared};
use crate::app::effect::{ServiceCall, Slot};
use crate::app::format::format_count;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::overlay::text_page::TextPage;
use crate::app::pane_command::PaneCommand;
use crate::app::panes::credits::messages::{CreditsAction, CreditsPrompt, CreditsRequest};
use crate::app::panes::credits::{CreditsPane, describe_reason};
use crate::app::prompt::Prompt;
use crate::domain::budgets::BudgetKind;
use crate::domain::display_format;

type Row = PaneCommand<CreditsPane>;

/// In the order of the help screen.
pub const COMMANDS: &[Row] = &[
    Row::at("credits.show", &shared::OPEN, show_request)
        .with_title("request")
        .with_hint(1)
        .available_when(has_request),
    Row::at("credits.free", &shared::FILTER, |pane, cx| {
        pane.toggle_free(cx);
    })
    .with_words(
        "free ones",
        "list the requests that cost nothing too, or leave them out",
    )
    .with_hint_text(3, |pane, _| {
        Some(if pane.shows_free {
            "without free ones"
        } else {
            "free ones too"
        })
    }),
    Row::new(
        "credits.budget",
        &["b"],
        "budgets",
        "set budgets: gantry asks before it spends more, or refuses to",
        choose_budget,
    )
    .with_hint(2),
    Row::at("credits.refresh", &shared::REFRESH, CreditsPane::read).with_hint(5),
    Row::at("credits.next", &shared::NEXT_TAB, |_, cx| {
        cx.work.perform(Action::SwitchTab { forward: true })
    })
    .with_keys(&["Tab"])
    .with_hint(4),
    Row::at("credits.previous", &shared::PREVIOUS_TAB, |_, cx| {
        cx.work.perform(Action::SwitchTab { forward: false })
    })
    .with_keys(&["Shift-Tab"]),
];

fn has_request(pane: &CreditsPane, _: &Context) -> Availability {
    require(
        pane.current_entry().is_some(),
        "no single request here; {credits.next} changes the grouping",
    )
}

fn show_request(pane: &mut CreditsPane, cx: &mut Context) {
    let Some(entry) = pane.current_entry() else {
        return;
    };
    let at = cx.clock.to_display_time(entry.at);
    let at = format!(
        "{} {}",
        display_format::format_date(at.date_naive()),
        at.format("%H:%M:%S")
    );
    let price = match (entry.credits, entry.settled) {
        (Some(credits), false) => format!("It cost {} cr.", format_count(credits)),
        (Some(credits), true) => {
            format!(
                "The reply did not include its price; the meter later showed {} cr.",
                format_count(credits)
            )
        }
        (None, _) => {
            "Price unknown: the meter shows it only if no other request runs in between.".to_owned()
        }
    };
    let rows = entry
        .rows
        .map(|rows| format!("{} rows returned.", format_count(rows)));
    let sentences = [
        Some(describe_reason(&entry.reason, &cx.keymap)),
        Some(price),
        rows,
        Some(format!("{}, sent at {at}", entry.route)),
    ];
    let sentences = sentences.into_iter().flatten().collect();
    cx.ui.overlay = Some(Overlay::Page(TextPage::of_sentences("Request", sentences)));
}

fn choose_budget(_: &mut CreditsPane, cx: &mut Context) {
    let pick = |kind: &BudgetKind| ChoiceOption {
        label: kind.label().to_owned(),
        note: cx.settings.budgets.limit(*kind).map_or_else(
            || "none".to_owned(),
            |limit| format!("{} cr", format_count(limit)),
        ),
        action: CreditsAction::EditBudget(*kind).into(),
    };
    let picks = BudgetKind::ALL.iter().map(pick).collect();
    let text = "Above the first two, gantry asks before it spends more; above the others it refuses to. They hold for the console and the command line.";
    cx.ui.overlay = Some(Overlay::Choice(Choice {
        text: text.to_owned(),
        ..Choice::new("Budgets", "for this machine", picks)
    }));
}

impl CreditsPane {
    pub fn perform(&mut self, action: CreditsAction, cx: &mut Context) {
        let kind = match action {
            CreditsAction::SetBudget(kind, limit) => return save_budget(kind, limit, cx),
            CreditsAction::EditBudget(kind) => kind,
        };
        let now = cx
            .settings
            .budgets
            .limit(kind)
            .map(|limit| limit.to_string())
            .unwrap_or_default();
        cx.ui.inform("credits; leave empty for no budget");
        cx.ui.prompt = Some(Prompt::new(kind.label(), &now, CreditsPrompt::Budget(kind)));
    }

    /// Saves a budget; empty means none. Invalid input stays in the prompt.
    pub fn on_prompt(&mut self, prompt: CreditsPrompt, text: &str, cx: &mut Context) {
        let CreditsPrompt::Budget(kind) = prompt;
        let plain = text.replace([',', ' '], "");
        let limit = if plain.is_empty() {
            None
        } else {
            plain.parse().ok()
        };
        if limit.is_none() && !plain.is_empty() {
            cx.ui.ask_again(
                kind.label(),
                text,
                prompt,
                "a budget must be a number of credits, or empty",
            );
            return;
        }
        save_budget(kind, limit, cx);
    }
}

fn save_budget(kind: BudgetKind, limit: Option<u64>, cx: &mut Context) {
    let budgets = cx.settings.budgets.with_limit(kind, limit);
    cx.work.call_service(
        Slot::Budgets,
        ServiceCall::SetBudgets(budgets),
        CreditsRequest::SaveBudgets,
    );
}
