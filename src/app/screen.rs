//! Where the user is: the screens, and the scopes whose keys work there. Both are tables of one
//! line per name.

/// Declares the screens, each with the name shown to users.
macro_rules! screens {
    ($($(#[$doc:meta])* $screen:ident: $title:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The Views and their records, and the user's own searches and tabs.
    Views: "Saved";
    Book: "Book";
    Subscriptions: "Subs";
    /// Search of the whole index.
    Explore: "Explore";
    Team: "Team";
    Record: "Record";
    /// Import of a list.
    Import: "Import";
    Skills: "Skills";
    Credits: "Credits";
    /// The dashboard.
    Watch: "Watch";
    /// The settings of the configuration.
    Settings: "Settings";
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

/// Declares the scopes in the order of help: the name shown to users, the scopes whose keys work
/// there, innermost first, and for help what the screen is for and what is free there.
macro_rules! scopes {
    ($($(#[$doc:meta])* $scope:ident: $title:literal, [$($inner:ident),+] $(, $purpose:literal)?;)+) => {
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

            /// What the screen is for, and what is free there; empty for a dialog.
            pub fn purpose(self) -> &'static str {
                match self {
                    $(Scope::$scope => concat!("" $(, $purpose)?),)+
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
    Queue: "Queue", [Queue, Annotate, Global],
        "The signals that your team has to look at. What you mark done is done for everyone. Reading, sorting and marking \
         are free; opening a signal reads its project, 1 credit once.";
    /// A promise on the Today tab.
    Promise: "Promise", [Promise, Queue, Annotate, Global],
        "What your team promised for records: lines of their notes, which everyone sees. Writing one reads its record right \
         before, 1 credit.";
    /// A signal's detail.
    Detail: "Detail", [Detail, Annotate, Global],
        "One signal with its project, firms, people and timeline. The project costs 1 credit once; what was read stays on \
         this machine.";
    /// All signals, subscribed or not.
    Feed: "Feed", [Feed, Global],
        "All signals of the index, subscribed or not. A page may cost credits, so one is read only when you \
         ask for it.";
    /// The list of what is saved.
    Views: "Saved", [Views, Global],
        "The Views of your team, and your own searches and queue tabs on this machine. The list itself is free. Running a \
         View costs 1 credit a row; rows that are loaded are free.";
    /// The records of a View.
    ViewRecords: "View", [ViewRecords, Records, Annotate, Global],
        "Accounts, contacts and projects that your team saved. Reading a row costs 1 credit; finding and marking loaded \
         rows is free. Whatever else costs something shows its price first.";
    Book: "Book", [Book, Records, Annotate, Global],
        "Accounts, contacts and projects that your team saved. Reading a row costs 1 credit; finding and marking loaded \
         rows is free. Whatever else costs something shows its price first.";
    /// Explore, both builder and results.
    Explore: "Explore", [Explore, Global],
        "A search of the whole index. Building conditions is free; a count costs 1 credit, and so does each row of a \
         result. Earlier results are free.";
    /// The builder, in Explore or over a list.
    Builder: "Builder", [Search, Builder, Explore, Global],
        "A search of the whole index. Building conditions is free; a count costs 1 credit, and so does each row of a \
         result. Earlier results are free.";
    /// Only Explore's builder, not the builder over a list.
    Search: "Search", [Search, Builder, Explore, Global],
        "A search of the whole index. Building conditions is free; a count costs 1 credit, and so does each row of a \
         result. Earlier results are free.";
    /// The builder over a list.
    ListFilter: "Filter", [ListFilter, Builder, Global],
        "Conditions for the list beside it. Building them is free; the rows that match cost 1 credit each.";
    /// Explore's results.
    Results: "Results", [Results, Records, Annotate, Explore, Global],
        "A search of the whole index. Building conditions is free; a count costs 1 credit, and so does each row of a \
         result. Earlier results are free.";
    /// Every list of records.
    Records: "Records", [Records, Annotate, Global],
        "Accounts, contacts and projects that your team saved. Reading a row costs 1 credit; finding and marking loaded \
         rows is free. Whatever else costs something shows its price first.";
    /// A record's page.
    Record: "Record", [Record, Annotate, Global],
        "One record with everything around it, 1 credit once. Coming back to a page is free.";
    /// Wherever records can be selected for annotation.
    Annotate: "Annotate", [Annotate, Global],
        "Accounts, contacts and projects that your team saved. Reading a row costs 1 credit; finding and marking loaded \
         rows is free. Whatever else costs something shows its price first.";
    /// A form takes text: keys of other scopes do nothing there.
    AnnotationForm: "Annotation form", [AnnotationForm],
        "What you write on records, for the whole team. Nothing is sent before you apply it. Each record of the book is \
         read again right before, 1 credit.";
    Import: "Import", [Import, Global],
        "A list from a file, matched with the index line by line. Reading the file is free; matching costs at most 5 credits \
         a line, shown before it starts. Saving is free and happens only when you say so.";
    Subscriptions: "Subscriptions", [Subscriptions, Global],
        "Which types of signals enter the queue, with which priority, and who gets mail; for the whole team. Changes are \
         staged and sent together. Free.";
    Team: "Team", [Team, Global],
        "The members of the workspace and who is invited. Your role decides what you may change. Free.";
    /// The list of Skills.
    Skills: "Skills", [Skills, SkillEditing, Global],
        "Bundles of instructions that the workspace shares, with their revisions. Free.";
    /// An open Skill.
    Skill: "Skill", [Skill, SkillEditing, Global],
        "Bundles of instructions that the workspace shares, with their revisions. Free.";
    /// Where Skills can be changed: the list and an open Skill.
    SkillEditing: "Skills and Skill", [Skills, SkillEditing, Global],
        "Bundles of instructions that the workspace shares, with their revisions. Free.";
    /// The ledger.
    Credits: "Credits", [Credits, Global],
        "What was spent, on what, and the budgets that ask or block before more is spent. Free.";
    /// The dashboard.
    Watch: "Watch", [Watch, Global],
        "The counts of the queue, to be read from across a room. Free; no key here changes anything for others.";
    Settings: "Settings", [Settings, Global],
        "The settings of this machine, with where each value comes from. A change is written to the configuration file and \
         applied at once where that is possible. Free.";
    /// Every list, in a pane or a dialog. Its keys work wherever those of every pane do.
    List: "Lists", [List];
    /// Every pane, unless the pane binds the key itself.
    Global: "Everywhere", [Global];
    // A dialog has the keys to itself.
    /// Every list or page in a dialog.
    DialogList: "Dialogs", [DialogList];
    /// Every list that is filtered as the user types.
    FilteredList: "Lists with a search", [FilteredList];
    /// The palette, and help.
    Palette: "Palette", [Palette, FilteredList];
    /// A list of options, or a confirmation.
    Choice: "Choice", [Choice, DialogList];
    ColumnChooser: "Column chooser", [ColumnChooser, DialogList];
    /// The note of a call.
    CallNote: "Call", [CallNote];
    /// The outcome of a call.
    CallOutcome: "Outcome of a call", [CallOutcome];
    /// The text fields of the queue's filter.
    FilterForm: "Filter form", [FilterForm];
    /// The options of the queue's filter.
    FilterOptions: "Filter options", [FilterOptions, FilterForm];
    /// A list that is filtered as the user types.
    Picker: "Picker", [Picker, FilteredList];
    /// A picker in which several entries can be marked.
    MultiPicker: "Picker of several", [MultiPicker, Picker, FilteredList];
    /// The lists of past writes.
    History: "Past writes", [History, List, DialogList];
    Failures: "Failures", [Failures, History, List, DialogList];
    Journal: "Journal", [Journal, History, List, DialogList];
    /// A page that is read, copied and saved.
    TextPage: "Page of text", [TextPage, DialogList];
    /// The join code of a new invitation.
    JoinCode: "Join code", [JoinCode];
    /// The list of coverage gaps.
    Gaps: "Coverage gaps", [Gaps, List, DialogList];
    /// The frequency table of a column.
    Frequency: "Frequency table", [Frequency, List, DialogList];
    Prompt: "Prompt", [Prompt];
    /// The start screen's list.
    Start: "Start", [Start];
    /// The text fields of a start screen's choice.
    StartForm: "Start form", [StartForm];
}

impl Scope {
    /// How far out the keys of a scope are here, from 0 for the innermost; `None` where they do not
    /// work. Those of lists are as far out as those of every pane.
    pub fn find_depth(self, keys: Scope) -> Option<usize> {
        let chain = self.lookup_chain();
        let has_keys =
            |scope: &Scope| *scope == keys || (*scope, keys) == (Scope::Global, Scope::List);
        chain.iter().position(has_keys)
    }

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
                | Scope::List
                | Scope::Global
        );
        !is_shared && !self.is_dialog()
    }

    /// The numbered screen that it is on; `None` for a dialog, and for what is opened from a row.
    pub fn screen(self) -> Option<Screen> {
        Some(match self {
            Scope::Queue | Scope::Promise => Screen::Queue,
            Scope::Views | Scope::ViewRecords => Screen::Views,
            Scope::Book | Scope::Records | Scope::Annotate => Screen::Book,
            Scope::Explore | Scope::Builder | Scope::Search | Scope::Results => Screen::Explore,
            Scope::Subscriptions => Screen::Subscriptions,
            Scope::Team => Screen::Team,
            Scope::Skills | Scope::Skill | Scope::SkillEditing => Screen::Skills,
            Scope::Credits => Screen::Credits,
            Scope::Watch => Screen::Watch,
            _ => return None,
        })
    }

    /// An overlay, the prompt or the start screen, rather than a pane.
    pub fn is_dialog(self) -> bool {
        matches!(
            self,
            Scope::DialogList
                | Scope::FilteredList
                | Scope::Palette
                | Scope::Choice
                | Scope::ColumnChooser
                | Scope::CallNote
                | Scope::CallOutcome
                | Scope::FilterForm
                | Scope::FilterOptions
                | Scope::Picker
                | Scope::MultiPicker
                | Scope::History
                | Scope::Failures
                | Scope::Journal
                | Scope::TextPage
                | Scope::JoinCode
                | Scope::Gaps
                | Scope::Frequency
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
                | Scope::FilteredList
                | Scope::Palette
                | Scope::CallNote
                | Scope::FilterForm
                | Scope::Picker
                | Scope::MultiPicker
                | Scope::Prompt
                | Scope::StartForm
        )
    }
}
