//! Where the user is: the screens, and the scopes whose keys work there. Both are tables of one line per name.

/// Declares the screens, each with the name shown to users.
macro_rules! screens {
    ($($(#[$doc:meta])* $screen:ident: $title:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Screen {
            $($(#[$doc])* $screen,)+
        }

        impl Screen {
            pub const ALL: &[Screen] = &[$(Screen::$screen),+];

            /// The name shown to users.
            pub fn title(self) -> &'static str {
                match self {
                    $(Screen::$screen => $title,)+
                }
            }
        }
    };
}

screens! {
    /// Nothing is configured: demo, file or sign-in.
    Start: "Start";
    Queue: "Queue";
    Detail: "Signal";
    /// All signals, subscribed or not.
    Feed: "Feed";
    /// The Views and their records.
    Views: "Views";
    Book: "Book";
    Subscriptions: "Subs";
    /// Search of the whole index.
    Explore: "Explore";
    Team: "Team";
    Record: "Record";
    Skills: "Skills";
    Credits: "Credits";
    /// The dashboard.
    Watch: "Watch";
}

impl Screen {
    /// The screens with their digits.
    pub const WITH_DIGITS: &[(char, Screen)] = &[
        ('1', Screen::Queue),
        ('2', Screen::Views),
        ('3', Screen::Book),
        ('4', Screen::Subscriptions),
        ('5', Screen::Explore),
        ('6', Screen::Team),
        ('7', Screen::Skills),
        ('8', Screen::Credits),
        ('9', Screen::Watch),
    ];

    /// Whether the header is above it.
    pub fn has_header(self) -> bool {
        !matches!(self, Screen::Start | Screen::Watch)
    }
}

/// Declares the scopes in the order of help: the name shown to users, and the scopes whose keys work there, innermost first.
macro_rules! scopes {
    ($($(#[$doc:meta])* $scope:ident: $title:literal, [$($inner:ident),+];)+) => {
        /// Where a command works.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Scope {
            $($(#[$doc])* $scope,)+
        }

        impl Scope {
            /// In the order of help.
            pub const ALL: &[Scope] = &[$(Scope::$scope),+];

            /// The name shown to users.
            pub fn title(self) -> &'static str {
                match self {
                    $(Scope::$scope => $title,)+
                }
            }

            /// The scopes whose keys work here, innermost first.
            pub fn lookup_chain(self) -> &'static [Scope] {
                match self {
                    $(Scope::$scope => &[$(Scope::$inner),+],)+
                }
            }
        }
    };
}

scopes! {
    Queue: "Queue", [Queue, Annotate, Global];
    /// A signal's detail.
    Detail: "Detail", [Detail, Annotate, Global];
    /// All signals, subscribed or not.
    Feed: "Feed", [Feed, Global];
    /// The list of Views.
    Views: "Views", [Views, Global];
    /// The records of a View.
    ViewRecords: "View", [ViewRecords, Records, Annotate, Global];
    Book: "Book", [Book, Records, Annotate, Global];
    /// Explore, both builder and results.
    Explore: "Explore", [Explore, Global];
    /// The builder, in Explore or over a list.
    Builder: "Builder", [Search, Builder, Explore, Global];
    /// Only Explore's builder, not the builder over a list.
    Search: "Search", [Search, Builder, Explore, Global];
    /// The builder over a list.
    ListFilter: "Filter", [ListFilter, Builder, Global];
    /// Explore's results.
    Results: "Results", [Results, Records, Annotate, Explore, Global];
    /// Every list of records.
    Records: "Records", [Records, Annotate, Global];
    /// A record's page.
    Record: "Record", [Record, Annotate, Global];
    /// Wherever records can be selected for annotation.
    Annotate: "Annotate", [Annotate, Global];
    /// A form takes text: keys of other scopes do nothing there.
    AnnotationForm: "Annotation form", [AnnotationForm];
    Subscriptions: "Subscriptions", [Subscriptions, Global];
    Team: "Team", [Team, Global];
    /// The list of Skills.
    Skills: "Skills", [Skills, SkillEditing, Global];
    /// An open Skill.
    Skill: "Skill", [Skill, SkillEditing, Global];
    /// Where Skills can be changed: the list and an open Skill.
    SkillEditing: "Skills and Skill", [Skills, SkillEditing, Global];
    /// The ledger.
    Credits: "Credits", [Credits, Global];
    /// The dashboard.
    Watch: "Watch", [Watch, Global];
    /// Every pane, unless the pane binds the key itself.
    Global: "Everywhere", [Global];
    // A dialog has the keys to itself.
    /// The palette, and help.
    Palette: "Palette", [Palette];
    /// A list of options, or a confirmation.
    Choice: "Choice", [Choice];
    ColumnChooser: "Column chooser", [ColumnChooser];
    /// The text fields of the queue's filter.
    FilterForm: "Filter form", [FilterForm];
    /// The options of the queue's filter.
    FilterOptions: "Filter options", [FilterOptions, FilterForm];
    /// A list that is filtered as the user types.
    Picker: "Picker", [Picker];
    /// A picker in which several entries can be marked.
    MultiPicker: "Picker of several", [MultiPicker, Picker];
    /// The lists of past writes.
    History: "Past writes", [History];
    Prompt: "Prompt", [Prompt];
    /// The start screen's list.
    Start: "Start", [Start];
    /// The text fields of a start screen's choice.
    StartForm: "Start form", [StartForm];
}

impl Scope {
    /// A screen or a part of it, rather than what several of them have in common.
    pub fn is_place(self) -> bool {
        let is_shared = matches!(
            self,
            Scope::Explore
                | Scope::Builder
                | Scope::Records
                | Scope::Annotate
                | Scope::SkillEditing
                | Scope::Watch
                | Scope::Global
        );
        !is_shared && !self.is_dialog()
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
                | Scope::History
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
