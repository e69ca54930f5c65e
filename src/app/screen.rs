//! The screens, their digits and their names.

/// The pane that has the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// Nothing is configured: demo, file or sign-in.
    Start,
    /// The queue.
    Queue,
    /// A signal.
    Detail,
    /// The Views and their records.
    Views,
    /// The book.
    Book,
    /// What the queue is made of.
    Subscriptions,
    /// The whole index.
    Explore,
    /// Who has access.
    Team,
    /// A record.
    Record,
    /// Skills.
    Skills,
    /// What was spent, and what may be.
    Credits,
    /// The wallboard.
    Watch,
}

impl Screen {
    /// The screens that a digit goes to, with their digits.
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

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Screen::Start => "Start",
            Screen::Queue => "Queue",
            Screen::Detail => "Signal",
            Screen::Views => "Views",
            Screen::Book => "Book",
            Screen::Subscriptions => "Subs",
            Screen::Explore => "Explore",
            Screen::Team => "Team",
            Screen::Record => "Record",
            Screen::Skills => "Skills",
            Screen::Credits => "Credits",
            Screen::Watch => "Watch",
        }
    }
}
