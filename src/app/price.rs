//! What something costs at most.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::Add;

use crate::app::format::format_count;

/// In order: a price that was shown stands for all before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Price {
    #[default]
    Free,
    Credits(u64),
    /// Only the service knows whether it takes them.
    AtMost(u64),
    /// The service does not state it.
    Unstated,
}

impl Price {
    pub fn of_credits(credits: u64) -> Price {
        if credits == 0 {
            Price::Free
        } else {
            Price::Credits(credits)
        }
    }

    fn rank(self) -> (u8, u64, bool) {
        match self {
            Price::Free => (0, 0, false),
            Price::Credits(credits) => (1, credits, false),
            Price::AtMost(credits) => (1, credits, true),
            Price::Unstated => (2, 0, false),
        }
    }

    /// The highest price that a text of this program names: `at most 50 cr`, `price not stated`.
    pub fn stated_in(text: &str) -> Price {
        let words: Vec<&str> = text.split([' ', '(']).collect();
        let credits = words
            .windows(2)
            .filter(|pair| pair[1].starts_with("cr"))
            .filter_map(|pair| pair[0].replace(',', "").parse().ok());
        match credits.max() {
            _ if text.contains("not stated") => Price::Unstated,
            credits => Price::of_credits(credits.unwrap_or(0)),
        }
    }

    /// In a sentence: `0 cr`, `1 cr`, `price not stated`.
    pub fn stated(self) -> String {
        match self {
            Price::Unstated => "price not stated".to_owned(),
            Price::Free => "0 cr".to_owned(),
            Price::Credits(credits) => format!("{} cr", format_count(credits)),
            Price::AtMost(credits) => format!("at most {} cr", format_count(credits)),
        }
    }

    /// What is drawn behind the name of a command.
    pub fn suffix(self) -> String {
        match self {
            Price::Free => String::new(),
            Price::Credits(credits) => format!(" {} cr", format_count(credits)),
            Price::AtMost(credits) => format!(" at most {} cr", format_count(credits)),
            Price::Unstated => " ? cr".to_owned(),
        }
    }
}

impl Ord for Price {
    fn cmp(&self, other: &Price) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Price) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for Price {
    type Output = Price;

    fn add(self, other: Price) -> Price {
        match (self, other) {
            (Price::Credits(one), Price::Credits(other)) => {
                Price::Credits(one.saturating_add(other))
            }
            (
                Price::Credits(one) | Price::AtMost(one),
                Price::Credits(other) | Price::AtMost(other),
            ) => Price::AtMost(one.saturating_add(other)),
            (one, other) => one.max(other),
        }
    }
}

impl Sum for Price {
    fn sum<I: Iterator<Item = Price>>(prices: I) -> Price {
        prices.fold(Price::Free, Add::add)
    }
}
