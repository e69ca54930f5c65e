//! The messages of all panes, gathered for those who carry them: requests, actions and prompts each
//! go back to the pane they name.
//!
//! Plain data: nothing here names a pane's state or the context.

use super::{
    annotation_form, credits, detail, explore, feed, import, queue, record, settings, skills,
    start, subscriptions, team, views, watch,
};

/// Declares an enum with one variant per pane, and the conversion of each pane's own type.
macro_rules! pane_messages {
    ($(#[$attribute:meta])* $messages:ident { $($pane:ident($message:path),)+ }) => {
        $(#[$attribute])*
        pub enum $messages {
            $($pane($message),)+
        }

        $(impl From<$message> for $messages {
            fn from(message: $message) -> Self {
                $messages::$pane(message)
            }
        })+
    };
}

pane_messages! {
    /// What a pane called the service for.
    #[derive(Clone, Debug)]
    PaneRequest {
        AnnotationForm(annotation_form::messages::AnnotatedRecordRequest),
        Credits(credits::messages::CreditsRequest),
        Detail(detail::messages::PayloadRequest),
        Explore(explore::messages::ExploreRequest),
        Feed(feed::messages::FeedRequest),
        Import(import::messages::ImportRequest),
        Record(record::messages::HistoryRequest),
        Skills(skills::messages::SkillsRequest),
        Start(start::messages::ConnectRequest),
        Subscriptions(subscriptions::messages::SubscriptionsRequest),
        Team(team::messages::TeamRequest),
        Watch(watch::messages::DashboardRequest),
    }
}

pane_messages! {
    /// What a pane is asked to do.
    #[derive(Clone, Debug, PartialEq)]
    PaneAction {
        AnnotationForm(annotation_form::messages::AnnotationAction),
        Credits(credits::messages::CreditsAction),
        Explore(explore::messages::ExploreAction),
        Import(import::messages::ImportAction),
        Queue(queue::messages::QueueAction),
        Skills(skills::messages::SkillsAction),
        Start(start::messages::StartAction),
        Subscriptions(subscriptions::messages::SubscriptionsAction),
        Team(team::messages::TeamAction),
        Views(views::messages::ViewsAction),
        Watch(watch::messages::DashboardAction),
    }
}

pane_messages! {
    /// What a pane asked the user for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    PanePrompt {
        Credits(credits::messages::CreditsPrompt),
        Explore(explore::messages::ExplorePrompt),
        Feed(feed::messages::FeedPrompt),
        Import(import::messages::ImportPrompt),
        Queue(queue::messages::QueuePrompt),
        Settings(settings::messages::SettingsPrompt),
        Skills(skills::messages::SkillsPrompt),
        Team(team::messages::TeamPrompt),
        Views(views::messages::ViewsPrompt),
        Watch(watch::messages::DashboardPrompt),
    }
}
