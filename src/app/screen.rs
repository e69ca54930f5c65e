//! The screens, their digits and their names.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// Nothing is configured: demo, file or sign-in.
    Start,
    Queue,
    Detail,
    /// All signals, subscribed or not.
    Feed,
    /// The Views and their records.
    Views,
    Book,
    Subscriptions,
    /// Search of the whole index.
    Explore,
    Team,
    Record,
    Skills,
    Credits,
    /// The dashboard.
    Watch,
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

    /// The name shown to users.
    pub fn title(self) -> &'static str {
        match self {
            Screen::Start => "Start",
            Screen::Queue => "Queue",
            Screen::Detail => "Signal",
            Screen::Feed => "Feed",
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
