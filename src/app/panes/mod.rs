//! One folder per pane: state (`mod.rs`), messages, commands, drawing, tests. A pane is registered
//! here and in `messages.rs`.
//!
//! Never here: what a pane does.

pub(crate) mod annotation_form;
pub(crate) mod book;
mod command_table;
pub(crate) mod credits;
pub(crate) mod detail;
pub(crate) mod explore;
pub(crate) mod fact_list;
pub(crate) mod feed;
pub(crate) mod group_heading;
pub(crate) mod import;
pub(crate) mod messages;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod start;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod watch;

pub use command_table::{all_commands, build_keymap, find_command};

use super::focused_list::FocusedList;
use super::pane::Pane;
use super::{Context, Screen};
use crate::app::command::Scope;
use crate::app::list_change::ListChange;
use crate::app::msg::CallResult;
use crate::domain::row_columns::{find_column, queue_fields};
use crate::domain::vocabulary::VocabularyField;
use command_table::{BoundCommand, CommandPane, bind};
use explore::messages::ExplorePrompt;
use messages::{PaneAction, PanePrompt, PaneRequest};
use queue::messages::QueuePrompt;
use settings::messages::SettingsPrompt;
use skills::messages::SkillsPrompt;
use watch::messages::DashboardPrompt;

/// All panes.
#[derive(Clone, Debug, Default)]
pub struct Panes {
    /// It lies beside the pane on the screen.
    pub annotation_form: annotation_form::AnnotationFormPane,
    pub book: book::BookPane,
    pub credits: credits::CreditsPane,
    pub detail: detail::DetailPane,
    pub explore: explore::ExplorePane,
    pub feed: feed::FeedPane,
    pub import: import::ImportPane,
    pub queue: queue::QueuePane,
    pub record: record::RecordPane,
    pub settings: settings::SettingsPane,
    pub skills: skills::SkillsPane,
    pub start: start::StartPane,
    pub subscriptions: subscriptions::SubscriptionsPane,
    pub team: team::TeamPane,
    pub views: views::ViewsPane,
    pub watch: watch::WatchPane,
}

/// Registers the panes that a screen shows, in the order of help: screen, field, type, and the
/// commands that help lists there.
macro_rules! register_panes {
    ($($screen:ident => $field:ident: $pane:ty, [$($scope:ident: $commands:path),+];)+) => {
        impl Panes {
            /// The pane of a screen.
            pub fn get(&self, screen: Screen) -> &dyn Pane {
                match screen {
                    $(Screen::$screen => &self.$field,)+
                }
            }

            pub fn get_mut(&mut self, screen: Screen) -> &mut dyn Pane {
                match screen {
                    $(Screen::$screen => &mut self.$field,)+
                }
            }

            pub fn for_each(&mut self, mut act: impl FnMut(&mut dyn Pane)) {
                $(act(&mut self.$field);)+
                // Its notice about drafts is the one that stays.
                act(&mut self.annotation_form);
            }
        }

        $(impl CommandPane for $pane {
            fn target(panes: &Panes) -> &Self {
                &panes.$field
            }

            fn target_mut(panes: &mut Panes) -> &mut Self {
                &mut panes.$field
            }
        })+

        /// The commands of the screens' panes.
        fn pane_commands() -> Vec<BoundCommand> {
            let mut all = Vec::new();
            $($(all.extend(bind(Scope::$scope, $commands));)+)+
            all
        }
    };
}

register_panes! {
    Queue => queue: queue::QueuePane, [Queue: queue::commands::COMMANDS];
    Detail => detail: detail::DetailPane, [Detail: detail::commands::COMMANDS];
    Views => views: views::ViewsPane, [Views: views::commands::COMMANDS];
    Book => book: book::BookPane, [Book: book::commands::COMMANDS];
    Import => import: import::ImportPane, [Import: import::commands::COMMANDS];
    Explore => explore: explore::ExplorePane, [Search: explore::commands::SEARCH_COMMANDS, Builder: explore::commands::BUILDER_COMMANDS, Results: explore::commands::RESULTS_COMMANDS, Explore: explore::commands::COMMANDS, ListFilter: explore::list_filter::COMMANDS, Records: records::commands::COMMANDS];
    Record => record: record::RecordPane, [Record: record::commands::COMMANDS, Annotate: annotation_form::commands::OPEN_COMMANDS];
    Subscriptions => subscriptions: subscriptions::SubscriptionsPane, [Subscriptions: subscriptions::commands::COMMANDS];
    Team => team: team::TeamPane, [Team: team::commands::COMMANDS];
    Skills => skills: skills::SkillsPane, [Skills: skills::commands::COMMANDS, Skill: skills::commands::SKILL_COMMANDS, SkillEditing: skills::commands::EDITING_COMMANDS];
    Credits => credits: credits::CreditsPane, [Credits: credits::commands::COMMANDS];
    Watch => watch: watch::WatchPane, [Watch: watch::commands::COMMANDS];
    Feed => feed: feed::FeedPane, [Feed: feed::commands::COMMANDS];
    Settings => settings: settings::SettingsPane, [Settings: settings::commands::COMMANDS];
    Start => start: start::StartPane, [Start: start::commands::COMMANDS, StartForm: start::commands::FORM_COMMANDS];
}

impl Panes {
    /// The list that has the focus, of a dialog or of the pane of the screen.
    pub fn list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        match cx.ui.list_dialog() {
            Some(dialog) => dialog.list(cx),
            None => self.get(cx.ui.screen()).list(cx),
        }
    }

    /// The list that a frequency table counts: the focused one, or the one below the open table.
    pub fn counted_list<'a>(&'a self, cx: &'a Context) -> Option<Box<dyn FocusedList<'a> + 'a>> {
        match cx.ui.counted_dialog() {
            Some(dialog) => dialog.list(cx),
            None => self.get(cx.ui.screen()).list(cx),
        }
    }

    /// Changes the list that has the focus.
    pub fn change_list(&mut self, change: ListChange<'_>, cx: &mut Context) {
        self.act_on_focused(cx, |pane, cx| pane.change_list(change, cx));
    }

    /// Has the dialog that is a list do something, else the pane of the screen.
    pub fn act_on_focused(
        &mut self,
        cx: &mut Context,
        act: impl FnOnce(&mut dyn Pane, &mut Context),
    ) {
        if cx.ui.list_dialog().is_some() {
            cx.update_list_dialog(|dialog, cx| act(dialog, cx));
        } else {
            act(self.get_mut(cx.ui.screen()), cx);
        }
    }

    /// Hands a reply to the pane that called the service.
    pub fn on_reply(&mut self, request: PaneRequest, result: CallResult, cx: &mut Context) {
        match request {
            PaneRequest::AnnotationForm(request) => {
                self.annotation_form.on_reply(request, result, cx)
            }
            PaneRequest::Credits(request) => self.credits.on_reply(request, result, cx),
            PaneRequest::Detail(request) => self.detail.on_reply(request, result, cx),
            PaneRequest::Explore(request) => self.explore.on_reply(request, result, cx),
            PaneRequest::Feed(request) => self.feed.on_reply(request, result, cx),
            PaneRequest::Import(request) => self.import.on_reply(request, result, cx),
            PaneRequest::Record(request) => self.record.on_reply(request, result, cx),
            PaneRequest::Skills(request) => self.skills.on_reply(request, result, cx),
            PaneRequest::Start(request) => self.start.on_reply(request, result, cx),
            PaneRequest::Subscriptions(request) => self.subscriptions.on_reply(request, result, cx),
            PaneRequest::Team(request) => self.team.on_reply(request, result, cx),
            PaneRequest::Watch(request) => self.watch.on_reply(request, result, cx),
        }
    }

    /// Hands the answer of a prompt to the pane that asked.
    pub fn on_prompt(&mut self, prompt: PanePrompt, text: &str, cx: &mut Context) {
        match prompt {
            PanePrompt::Credits(prompt) => self.credits.on_prompt(prompt, text, cx),
            PanePrompt::Explore(prompt) => self.explore.on_prompt(prompt, text, cx),
            PanePrompt::Feed(prompt) => self.feed.on_prompt(prompt, text, cx),
            PanePrompt::Import(prompt) => self.import.on_prompt(prompt, text, cx),
            PanePrompt::Queue(prompt) => self.queue.on_prompt(prompt, text, cx),
            PanePrompt::Settings(SettingsPrompt::Value) => self.settings.change(text, cx),
            PanePrompt::Skills(prompt) => self.skills.on_prompt(prompt, text, cx),
            PanePrompt::Team(prompt) => self.team.on_prompt(prompt, text, cx),
            PanePrompt::Views(prompt) => self.views.on_prompt(prompt, text, cx),
            PanePrompt::Watch(DashboardPrompt::Message) => self.watch.set_message(text, cx),
        }
    }

    /// The words known without a request that may complete a word of a prompt.
    pub fn complete_word(&self, prompt: PanePrompt, word: &str, cx: &Context) -> Vec<String> {
        match prompt {
            PanePrompt::Explore(ExplorePrompt::Conditions) => {
                let state = self.explore.vocabulary_state();
                let values = |field: &VocabularyField| field.values.clone();
                state.vocabulary.complete_word(word, values)
            }
            PanePrompt::Queue(QueuePrompt::Conditions) => {
                queue_fields().complete_word(word, |field| {
                    let column = find_column(&field.key).into_iter();
                    let values = column.flat_map(|column| cx.queue.text_values(column));
                    values.collect()
                })
            }
            PanePrompt::Skills(SkillsPrompt::Filter) => skills::filter::complete_word(),
            _ => Vec::new(),
        }
    }

    /// Has a pane do what the user chose, or what another part asks of it.
    pub fn perform(&mut self, action: PaneAction, cx: &mut Context) {
        match action {
            PaneAction::AnnotationForm(action) => {
                if action.opens_form() && !cx.ui.has_open_question() {
                    self.explore.leave_list_filter(cx);
                }
                self.annotation_form.perform(action, cx);
            }
            PaneAction::Credits(action) => self.credits.perform(action, cx),
            PaneAction::Explore(action) => self.explore.perform(action, cx),
            PaneAction::Import(action) => self.import.perform(action, cx),
            PaneAction::Queue(action) => self.queue.perform(action, cx),
            PaneAction::Skills(action) => self.skills.perform(action, cx),
            PaneAction::Start(action) => self.start.perform(action, cx),
            PaneAction::Subscriptions(action) => self.subscriptions.perform(action, cx),
            PaneAction::Team(action) => self.team.perform(action, cx),
            PaneAction::Views(action) => self.views.perform(action, cx),
            PaneAction::Watch(action) => self.watch.perform(action, cx),
        }
    }
}
