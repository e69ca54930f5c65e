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
    pub queue: queue::QueuePane,
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
    pub fn get(&self, screen: Screen) -> &dyn Pane {
        match screen {
            Screen::Book => &self.book,
            Screen::Credits => &self.credits,
            Screen::Detail => &self.detail,
            Screen::Explore => &self.explore,
            Screen::Feed => &self.feed,
            Screen::Queue => &self.queue,
            Screen::Record => &self.record,
            Screen::Skills => &self.skills,
            Screen::Start => &self.start,
            Screen::Subscriptions => &self.subscriptions,
            Screen::Team => &self.team,
            Screen::Views => &self.views,
            Screen::Watch => &self.watch,
        }
    }

    pub fn get_mut(&mut self, screen: Screen) -> &mut dyn Pane {
        match screen {
            Screen::Book => &mut self.book,
            Screen::Credits => &mut self.credits,
            Screen::Detail => &mut self.detail,
            Screen::Explore => &mut self.explore,
            Screen::Feed => &mut self.feed,
            Screen::Queue => &mut self.queue,
            Screen::Record => &mut self.record,
            Screen::Skills => &mut self.skills,
            Screen::Start => &mut self.start,
            Screen::Subscriptions => &mut self.subscriptions,
            Screen::Team => &mut self.team,
            Screen::Views => &mut self.views,
            Screen::Watch => &mut self.watch,
        }
    }

    pub fn for_each(&mut self, mut act: impl FnMut(&mut dyn Pane)) {
        act(&mut self.book);
        act(&mut self.credits);
        act(&mut self.detail);
        act(&mut self.explore);
        act(&mut self.feed);
        act(&mut self.queue);
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
