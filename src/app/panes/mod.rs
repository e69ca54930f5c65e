//! One folder per pane: state (`mod.rs`), commands, drawing, tests. [`all_commands`] chains the commands of panes and dialogs.

pub(crate) mod annotation_form;
pub(crate) mod book;
mod command_table;
pub(crate) mod credits;
pub(crate) mod detail;
pub(crate) mod explore;
pub(crate) mod fact_list;
pub(crate) mod feed;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod records;
pub(crate) mod skills;
pub(crate) mod start;
pub(crate) mod subscriptions;
pub(crate) mod team;
pub(crate) mod views;
pub(crate) mod watch;

pub use command_table::{all_commands, build_keymap, find_command};

use super::Screen;
use super::pane::Pane;

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
    pub record: record::RecordPane,
    pub skills: skills::SkillsPane,
    pub start: start::StartPane,
    pub subscriptions: subscriptions::SubscriptionsPane,
    pub team: team::TeamPane,
    pub views: views::ViewsPane,
    pub watch: watch::WatchPane,
}

impl Panes {
    /// The pane of a screen.
    pub fn get(&self, screen: Screen) -> Option<&dyn Pane> {
        match screen {
            Screen::Book => Some(&self.book),
            Screen::Credits => Some(&self.credits),
            Screen::Detail => Some(&self.detail),
            Screen::Explore => Some(&self.explore),
            Screen::Feed => Some(&self.feed),
            Screen::Record => Some(&self.record),
            Screen::Skills => Some(&self.skills),
            Screen::Start => Some(&self.start),
            Screen::Subscriptions => Some(&self.subscriptions),
            Screen::Team => Some(&self.team),
            Screen::Views => Some(&self.views),
            Screen::Watch => Some(&self.watch),
            _ => None,
        }
    }

    pub fn get_mut(&mut self, screen: Screen) -> Option<&mut dyn Pane> {
        match screen {
            Screen::Book => Some(&mut self.book),
            Screen::Credits => Some(&mut self.credits),
            Screen::Detail => Some(&mut self.detail),
            Screen::Explore => Some(&mut self.explore),
            Screen::Feed => Some(&mut self.feed),
            Screen::Record => Some(&mut self.record),
            Screen::Skills => Some(&mut self.skills),
            Screen::Start => Some(&mut self.start),
            Screen::Subscriptions => Some(&mut self.subscriptions),
            Screen::Team => Some(&mut self.team),
            Screen::Views => Some(&mut self.views),
            Screen::Watch => Some(&mut self.watch),
            _ => None,
        }
    }

    pub fn for_each(&mut self, mut act: impl FnMut(&mut dyn Pane)) {
        act(&mut self.book);
        act(&mut self.credits);
        act(&mut self.detail);
        act(&mut self.explore);
        act(&mut self.feed);
        act(&mut self.record);
        act(&mut self.skills);
        act(&mut self.start);
        act(&mut self.subscriptions);
        act(&mut self.team);
        act(&mut self.views);
        act(&mut self.watch);
        // Its notice about drafts is the one that stays.
        act(&mut self.annotation_form);
    }
}
