//! Where commands work: the scopes, their names, and whose keys work in which.

use super::Command;

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Queue,
    /// A signal's detail.
    Detail,
    /// The list of Views.
    Views,
    /// The records of a View.
    ViewRecords,
    Book,
    /// Explore, both builder and results.
    Explore,
    /// The builder, in Explore or over a list.
    Builder,
    /// Only Explore's builder, not the builder over a list.
    Search,
    /// The builder over a list.
    ListFilter,
    /// Explore's results.
    Results,
    /// Every list of records.
    Records,
    /// A record's page.
    Record,
    /// Wherever records can be selected for annotation.
    Annotate,
    AnnotationForm,
    Subscriptions,
    Team,
    /// The list of Skills.
    Skills,
    /// An open Skill.
    Skill,
    /// Where Skills can be changed: the list and an open Skill.
    SkillEditing,
    /// The ledger.
    Credits,
    /// The dashboard.
    Watch,
    /// Every pane, unless the pane binds the key itself.
    Global,
}

impl Scope {
    /// In the order of help.
    pub const ALL: &[Scope] = &[
        Scope::Queue,
        Scope::Detail,
        Scope::Views,
        Scope::ViewRecords,
        Scope::Book,
        Scope::Explore,
        Scope::Builder,
        Scope::Search,
        Scope::ListFilter,
        Scope::Results,
        Scope::Records,
        Scope::Record,
        Scope::Annotate,
        Scope::AnnotationForm,
        Scope::Subscriptions,
        Scope::Team,
        Scope::Skills,
        Scope::Skill,
        Scope::SkillEditing,
        Scope::Credits,
        Scope::Watch,
        Scope::Global,
    ];

    /// The name shown to users.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Queue => "Queue",
            Scope::Detail => "Detail",
            Scope::Views => "Views",
            Scope::ViewRecords => "View",
            Scope::Book => "Book",
            Scope::Explore => "Explore",
            Scope::Builder => "Builder",
            Scope::Search => "Search",
            Scope::ListFilter => "Filter",
            Scope::Results => "Results",
            Scope::Records => "Records",
            Scope::Record => "Record",
            Scope::Annotate => "Annotate",
            Scope::AnnotationForm => "Annotation form",
            Scope::Subscriptions => "Subscriptions",
            Scope::Team => "Team",
            Scope::Skills => "Skills",
            Scope::Skill => "Skill",
            Scope::SkillEditing => "Skills and Skill",
            Scope::Credits => "Credits",
            Scope::Watch => "Watch",
            Scope::Global => "Everywhere",
        }
    }

    /// The scopes whose keys work here, innermost first.
    pub fn lookup_chain(self) -> &'static [Scope] {
        match self {
            Scope::Queue => &[Scope::Queue, Scope::Annotate, Scope::Global],
            Scope::Detail => &[Scope::Detail, Scope::Annotate, Scope::Global],
            Scope::Views => &[Scope::Views, Scope::Global],
            Scope::ViewRecords => &[Scope::ViewRecords, Scope::Records, Scope::Annotate, Scope::Global],
            Scope::Book => &[Scope::Book, Scope::Records, Scope::Annotate, Scope::Global],
            Scope::Explore => &[Scope::Explore, Scope::Global],
            Scope::Builder | Scope::Search => &[Scope::Search, Scope::Builder, Scope::Explore, Scope::Global],
            Scope::ListFilter => &[Scope::ListFilter, Scope::Builder, Scope::Global],
            Scope::Results => &[Scope::Results, Scope::Records, Scope::Annotate, Scope::Explore, Scope::Global],
            Scope::Records => &[Scope::Records, Scope::Annotate, Scope::Global],
            Scope::Record => &[Scope::Record, Scope::Annotate, Scope::Global],
            Scope::Annotate => &[Scope::Annotate, Scope::Global],
            // A form takes text: keys of other scopes do nothing there.
            Scope::AnnotationForm => &[Scope::AnnotationForm],
            Scope::Subscriptions => &[Scope::Subscriptions, Scope::Global],
            Scope::Team => &[Scope::Team, Scope::Global],
            Scope::Skills | Scope::SkillEditing => &[Scope::Skills, Scope::SkillEditing, Scope::Global],
            Scope::Skill => &[Scope::Skill, Scope::SkillEditing, Scope::Global],
            Scope::Credits => &[Scope::Credits, Scope::Global],
            Scope::Watch => &[Scope::Watch, Scope::Global],
            Scope::Global => &[Scope::Global],
        }
    }

    /// Whether a command's keys work here. No writing command works on the dashboard, which may run unattended.
    pub fn includes(self, command: &Command) -> bool {
        self.lookup_chain().contains(&command.scope) && !(self == Scope::Watch && command.writes)
    }
}
