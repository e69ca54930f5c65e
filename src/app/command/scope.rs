//! Where commands work: the scopes, their names, and whose keys work in which.

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Queue,
    /// A signal's detail.
    Detail,
    /// All signals, subscribed or not.
    Feed,
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
    /// The start screen's list.
    Start,
    /// The text fields of a start screen's choice.
    StartForm,
    /// The palette, and help.
    Palette,
    /// A list of options, or a confirmation.
    Choice,
    ColumnChooser,
    /// The text fields of the queue's filter.
    FilterForm,
    /// The options of the queue's filter.
    FilterOptions,
    /// A list that is filtered as the user types.
    Picker,
    /// A picker in which several entries can be marked.
    MultiPicker,
    Prompt,
    /// Every pane, unless the pane binds the key itself.
    Global,
}

impl Scope {
    /// In the order of help.
    pub const ALL: &[Scope] = &[
        Scope::Queue,
        Scope::Detail,
        Scope::Feed,
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
        Scope::Palette,
        Scope::Choice,
        Scope::ColumnChooser,
        Scope::FilterForm,
        Scope::FilterOptions,
        Scope::Picker,
        Scope::MultiPicker,
        Scope::Prompt,
        Scope::Start,
        Scope::StartForm,
    ];

    /// The name shown to users.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Queue => "Queue",
            Scope::Detail => "Detail",
            Scope::Feed => "Feed",
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
            Scope::Palette => "Palette",
            Scope::Choice => "Choice",
            Scope::ColumnChooser => "Column chooser",
            Scope::FilterForm => "Filter form",
            Scope::FilterOptions => "Filter options",
            Scope::Picker => "Picker",
            Scope::MultiPicker => "Picker of several",
            Scope::Prompt => "Prompt",
            Scope::Start => "Start",
            Scope::StartForm => "Start form",
            Scope::Global => "Everywhere",
        }
    }

    /// The scopes whose keys work here, innermost first.
    pub fn lookup_chain(self) -> &'static [Scope] {
        match self {
            Scope::Queue => &[Scope::Queue, Scope::Annotate, Scope::Global],
            Scope::Detail => &[Scope::Detail, Scope::Annotate, Scope::Global],
            Scope::Feed => &[Scope::Feed, Scope::Global],
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
            // A dialog has the keys to itself.
            Scope::Palette => &[Scope::Palette],
            Scope::Choice => &[Scope::Choice],
            Scope::ColumnChooser => &[Scope::ColumnChooser],
            Scope::FilterForm => &[Scope::FilterForm],
            Scope::FilterOptions => &[Scope::FilterOptions, Scope::FilterForm],
            Scope::Picker => &[Scope::Picker],
            Scope::MultiPicker => &[Scope::MultiPicker, Scope::Picker],
            Scope::Prompt => &[Scope::Prompt],
            Scope::Start => &[Scope::Start],
            Scope::StartForm => &[Scope::StartForm],
            Scope::Global => &[Scope::Global],
        }
    }

    /// An overlay, the prompt or the start screen, rather than a pane.
    pub fn is_dialog(self) -> bool {
        matches!(
            self,
            Scope::Palette
                | Scope::Choice
                | Scope::ColumnChooser
                | Scope::FilterForm
                | Scope::FilterOptions
                | Scope::Picker
                | Scope::MultiPicker
                | Scope::Prompt
                | Scope::Start
                | Scope::StartForm
        )
    }

    /// Characters are typed into a text field, so they cannot be keys.
    pub fn takes_text(self) -> bool {
        matches!(
            self,
            Scope::AnnotationForm
                | Scope::Palette
                | Scope::FilterForm
                | Scope::Picker
                | Scope::MultiPicker
                | Scope::Prompt
                | Scope::StartForm
        )
    }
}
