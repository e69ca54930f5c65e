//! What the user chooses on the dashboard and finds again at the next start: its pages, the line
//! for the room, the bell.

use crate::app::context::session;
use crate::app::overlay::Overlay;
use crate::app::overlay::choice::{Choice, ChoiceOption};
use crate::app::panes::watch::messages::{DashboardAction, DashboardPrompt};
use crate::app::panes::watch::state::WatchPane;
use crate::app::prompt::Prompt;
use crate::app::session::{
    DASHBOARD_MESSAGE_PREFERENCE, DASHBOARD_PAGES_PREFERENCE, DashboardPage,
};
use crate::app::{Context, DashboardOptions};

/// Set while the bell is on.
const BELL_PREFERENCE: &str = "watch.bell";

pub fn is_bell_on(cx: &Context) -> bool {
    cx.settings.preference(BELL_PREFERENCE) == "on"
}

pub fn toggle_bell(cx: &mut Context) {
    let on = !is_bell_on(cx);
    cx.settings
        .save_preference(BELL_PREFERENCE, if on { "on" } else { "" }, &mut cx.work);
    cx.ui.inform(if on {
        "bell on for high priority"
    } else {
        "bell off"
    });
}

/// Asks for the line for the room.
pub fn ask_message(cx: &mut Context) {
    let message = cx.settings.dashboard.message.clone();
    cx.ui.prompt = Some(Prompt::new("message", &message, DashboardPrompt::Message));
}

impl WatchPane {
    /// Lists the pages, each shown or not.
    pub(super) fn choose_pages(&self, selected: DashboardPage, cx: &mut Context) {
        let shown = self.pages(cx);
        let option = |page: DashboardPage| ChoiceOption {
            label: page.title().to_owned(),
            note: if shown.contains(&page) { "shown" } else { "" }.to_owned(),
            action: DashboardAction::TogglePage(page).into(),
        };
        let note = if cx.settings.dashboard.has_configured_pages {
            "for this session"
        } else {
            "saved"
        };
        let mut choice = Choice::new(
            "Pages of the dashboard",
            note,
            DashboardPage::ALL.map(option).into(),
        );
        choice.selected = DashboardPage::ALL
            .iter()
            .position(|page| *page == selected)
            .unwrap_or_default();
        cx.ui.overlay = Some(Overlay::Choice(choice));
    }

    pub fn perform(&mut self, action: DashboardAction, cx: &mut Context) {
        let DashboardAction::TogglePage(page) = action;
        let shown = self.pages(cx);
        let pages = DashboardPage::ALL
            .into_iter()
            .filter(|other| shown.contains(other) != (*other == page));
        let pages: Vec<DashboardPage> = pages.collect();
        if pages.is_empty() {
            cx.ui.inform("the dashboard needs a page");
        } else {
            let names: Vec<&str> = pages.iter().map(|page| page.name()).collect();
            if !cx.settings.dashboard.has_configured_pages {
                cx.settings.save_preference(
                    DASHBOARD_PAGES_PREFERENCE,
                    &names.join(","),
                    &mut cx.work,
                );
            }
            session::change_dashboard(
                |dashboard: &mut DashboardOptions| dashboard.pages = pages,
                &mut cx.settings,
            );
            self.page_index = 0;
        }
        self.choose_pages(page, cx);
    }

    pub fn set_message(&mut self, text: &str, cx: &mut Context) {
        let text = text.trim();
        let is_configured = cx.settings.dashboard.has_configured_message;
        if !is_configured {
            cx.settings
                .save_preference(DASHBOARD_MESSAGE_PREFERENCE, text, &mut cx.work);
        }
        session::change_dashboard(
            |dashboard| text.clone_into(&mut dashboard.message),
            &mut cx.settings,
        );
        let until = if is_configured {
            "; the next start shows the one of the configuration"
        } else {
            ""
        };
        let what = if text.is_empty() {
            "no message"
        } else {
            "message shown"
        };
        cx.ui.inform(format!("{what}{until}"));
    }
}
