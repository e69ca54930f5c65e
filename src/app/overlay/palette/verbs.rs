//! Commands with an argument, typed in the palette: `budget day 2000`, `view Q3 call list`. One row
//! each.
//!
//! A row reads its argument and says which actions follow, or what is wrong with it. It sees
//! nothing else.

use std::time::Duration;

use crate::app::Screen;
use crate::app::action::Action;
use crate::app::overlay::picker::USUAL_ORDER;
use crate::app::panes::credits::messages::CreditsAction;
use crate::app::panes::queue::messages::QueueAction;
use crate::app::prompt::PromptKind;
use crate::domain::budgets::{BudgetKind, BudgetPeriod, Enforcement};
use crate::domain::cities::strip_state;
use crate::domain::queue::{LEAVING_SOON_DAYS, Priority, QueueFilter, parse_days};
use crate::domain::row_columns::parse_sort;
use crate::domain::signals::SignalType;
use crate::domain::snooze::{check_snooze_text, split_snooze_reason};
use crate::ui::ColorScheme;

/// A command with an argument.
#[derive(Debug)]
pub struct PaletteVerb {
    pub name: &'static str,
    /// The whole line, as an example; the name alone for a command without an argument.
    pub example: &'static str,
    /// What it does: a sentence without a full stop.
    pub description: &'static str,
    /// What an argument does, or what is wrong with it.
    pub parse: fn(&str) -> Result<Vec<Action>, String>,
}

impl PaletteVerb {
    pub fn takes_no_argument(&self) -> bool {
        self.example == self.name
    }
}

/// In the order in which they are listed.
pub const VERBS: &[PaletteVerb] = &[
    PaletteVerb {
        name: "view",
        example: "view Q3 call list",
        description: "go to the View of this name; reads no records",
        parse: |name| needs(name, "a View's name").map(|name| vec![Action::OpenView(name)]),
    },
    PaletteVerb {
        name: "filter",
        example: "filter high Austin",
        description: "filter the queue by priority, type and city; in quotes, by text; nothing clears it",
        parse: |text| {
            Ok(vec![
                Action::GoTo(Screen::Queue),
                Action::FilterQueue(Box::new(parse_filter(text))),
            ])
        },
    },
    PaletteVerb {
        name: "sort",
        example: "sort cost",
        description: "sort the loaded rows of the queue, free",
        parse: |text| {
            let field = needs(text, "a column: days-left, cost, filed, city, or usual")?;
            if field != USUAL_ORDER {
                parse_sort(&field)?;
            }
            Ok(vec![
                Action::GoTo(Screen::Queue),
                Action::AnswerPrompt(PromptKind::Sort, field),
            ])
        },
    },
    PaletteVerb {
        name: "aging",
        example: "aging",
        description: "show what leaves the queue within 7 days, or as many as you type, soonest first",
        parse: |text| {
            let days = if text.is_empty() {
                LEAVING_SOON_DAYS
            } else {
                parse_days(text)?
            };
            Ok(vec![
                Action::GoTo(Screen::Queue),
                QueueAction::ShowAging(days).into(),
            ])
        },
    },
    PaletteVerb {
        name: "mine",
        example: "mine",
        description: "show the new signals whose account or project has the tag owner: and your name, as far as it is loaded",
        parse: |_| {
            Ok(vec![
                Action::GoTo(Screen::Queue),
                QueueAction::ShowMine.into(),
            ])
        },
    },
    PaletteVerb {
        name: "snooze",
        example: "snooze 3d",
        description: "snooze the marked signals, or the one under the cursor, on this machine only",
        parse: |text| match text {
            "" => Ok(vec![Action::RunCommand("queue.snooze")]),
            text => check_snooze_text(split_snooze_reason(text).0)
                .map(|()| vec![QueueAction::Snooze(text.to_owned()).into()]),
        },
    },
    PaletteVerb {
        name: "gaps",
        example: "gaps",
        description: "list signals of high priority that nobody in the book covers, as far as it is known; reads nothing",
        parse: |_| Ok(vec![Action::OpenGaps]),
    },
    PaletteVerb {
        name: "handoff",
        example: "handoff",
        description: "show my day or yesterday: what was done in 24 hours and what is left; or type since 09:00, week, team",
        parse: |text| Ok(vec![Action::OpenHandoff(text.to_owned())]),
    },
    PaletteVerb {
        name: "budget",
        example: "budget day 2000",
        description: "set a budget in credits: [hard] day or session, then a number or none",
        parse: |text| {
            parse_budget(text)
                .map(|(kind, limit)| vec![CreditsAction::SetBudget(kind, limit).into()])
        },
    },
    PaletteVerb {
        name: "poll",
        example: "poll off",
        description: "read the counts at this interval, 10s to 5m, or not by itself: off",
        parse: |text| parse_poll(text).map(|interval| vec![Action::SetPollInterval(interval)]),
    },
    PaletteVerb {
        name: "profile",
        example: "profile other",
        description: "switch to another profile; the console starts again",
        parse: |name| {
            needs(name, "a profile's name, or choose the command profile")
                .map(|name| vec![Action::SwitchProfile(name)])
        },
    },
    PaletteVerb {
        name: "theme",
        example: "theme light",
        description: "switch to a color theme",
        parse: |name| {
            // The user's own are known when it is switched to.
            let own = || {
                needs(name, "a theme's name, or choose the command colors")
                    .map(Action::SetCustomTheme)
            };
            Ok(vec![
                ColorScheme::from_name(name)
                    .map_or_else(own, |scheme| Ok(Action::SetTheme(scheme)))?,
            ])
        },
    },
    PaletteVerb {
        name: "q",
        example: "q",
        description: "quit",
        parse: |_| Ok(vec![Action::QuitIfSaved]),
    },
    PaletteVerb {
        name: "quit",
        example: "quit",
        description: "quit",
        parse: |_| Ok(vec![Action::QuitIfSaved]),
    },
];

fn needs(text: &str, what: &str) -> Result<String, String> {
    if text.is_empty() {
        Err(format!("type {what}"))
    } else {
        Ok(text.to_owned())
    }
}

/// `day 2000`, `hard session 500`, `day none`.
fn parse_budget(text: &str) -> Result<(BudgetKind, Option<u64>), String> {
    let lower = text.to_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    let enforcement = match words.first() {
        Some(&"hard") => Enforcement::Hard,
        _ => Enforcement::Soft,
    };
    words.retain(|word| !matches!(*word, "hard" | "soft"));
    let [period, number] = words.as_slice() else {
        return Err("type for example: day 2000, hard day 5000, session none".to_owned());
    };
    let period = match *period {
        "day" => BudgetPeriod::Day,
        "session" => BudgetPeriod::Session,
        other => return Err(format!("{other} is not day or session")),
    };
    let limit = match *number {
        "none" => None,
        number => Some(
            number
                .replace(',', "")
                .parse()
                .map_err(|_| format!("{number} is not a number of credits"))?,
        ),
    };
    Ok((BudgetKind(enforcement, period), limit))
}

/// `off`, `30s`, `2m`; a bare number is seconds.
fn parse_poll(text: &str) -> Result<Option<Duration>, String> {
    if text == "off" {
        return Ok(None);
    }
    let wrong = || "type off, or an interval from 10s to 5m".to_owned();
    let (number, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit.trim() {
        "" | "s" => number,
        "m" | "min" => number.saturating_mul(60),
        _ => return Err(wrong()),
    };
    if (10..=300).contains(&seconds) {
        Ok(Some(Duration::from_secs(seconds)))
    } else {
        Err(wrong())
    }
}

/// Words that name a priority or a signal type, a text in quotes, and a city.
pub(in crate::app) fn parse_filter(text: &str) -> QueueFilter {
    let mut filter = QueueFilter::default();
    let mut city = Vec::new();
    let (plain, quoted) = match text.split_once('"') {
        Some((before, rest)) => (before, rest.trim_end_matches('"')),
        None => (text, ""),
    };
    quoted.clone_into(&mut filter.q);
    let mut after_value = true;
    for (nth, word) in join_type_words(plain).split_whitespace().enumerate() {
        let lower = word.to_lowercase();
        // `city Austin`, `priority high`, `high priority`; but `Kansas City`.
        let names_field = |word: &str| match word {
            "city" => nth == 0,
            "type" | "priority" => after_value,
            _ => false,
        };
        let priorities = [
            ("high", Priority::High),
            ("medium", Priority::Medium),
            ("low", Priority::Low),
        ];
        let priority = priorities
            .into_iter()
            .find(|(name, _)| *name == lower)
            .map(|(_, priority)| priority);
        let kind = SignalType::ALL
            .iter()
            .find(|kind| kind.as_str() == lower.replace('-', "_"));
        let is_value = priority.is_some() || kind.is_some();
        match (priority, kind) {
            (Some(priority), _) => drop(filter.priority.insert(priority)),
            (None, Some(kind)) => drop(filter.signal_type.insert(kind.clone())),
            (None, None) if names_field(&lower) => {}
            (None, None) => city.push(word.to_owned()),
        }
        after_value = is_value;
    }
    strip_state(&city.join(" ")).clone_into(&mut filter.city);
    filter
}

/// The text with types as one word each: `permit issued` is `permit_issued`.
fn join_type_words(text: &str) -> String {
    let mut text = text.to_owned();
    for kind in SignalType::ALL {
        let words = kind.as_str().replace('_', " ");
        if let Some(at) = text.to_ascii_lowercase().find(&words) {
            text.replace_range(at..at + words.len(), kind.as_str());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_understood_and_begins_with_its_name() {
        for verb in VERBS {
            let argument = verb
                .example
                .strip_prefix(verb.name)
                .unwrap_or_else(|| panic!("{}", verb.example))
                .trim();
            assert!(
                (verb.parse)(argument).is_ok_and(|actions| !actions.is_empty()),
                "{}",
                verb.example
            );
        }
    }

    #[test]
    fn a_filter_names_priorities_types_and_a_city_with_or_without_the_field() {
        for (text, city, has_priority) in [
            ("high Dallas", "Dallas", true),
            ("high priority", "", true),
            ("priority high city", "city", true),
            ("city Austin", "Austin", false),
            ("Kansas City", "Kansas City", false),
        ] {
            let filter = parse_filter(text);
            assert_eq!(
                (filter.city.as_str(), !filter.priority.is_empty()),
                (city, has_priority),
                "{text}"
            );
        }
    }

    #[test]
    fn a_budget_names_its_period_and_its_limit() {
        let soft_day = BudgetKind(Enforcement::Soft, BudgetPeriod::Day);
        assert_eq!(parse_budget("day 2,000"), Ok((soft_day, Some(2_000))));
        assert_eq!(parse_budget("day none"), Ok((soft_day, None)));
        assert_eq!(
            parse_budget("hard session 5"),
            Ok((
                BudgetKind(Enforcement::Hard, BudgetPeriod::Session),
                Some(5)
            ))
        );
        for wrong in ["", "2000", "week 5", "day many", "day -1"] {
            assert!(parse_budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_poll_interval_is_within_its_range_or_off() {
        assert_eq!(parse_poll("off"), Ok(None));
        for (text, seconds) in [("15s", 15), ("15", 15), ("2m", 120), ("5 min", 300)] {
            assert_eq!(
                parse_poll(text),
                Ok(Some(Duration::from_secs(seconds))),
                "{text}"
            );
        }
        for wrong in ["", "often", "9s", "6m", "1h", "-15s"] {
            assert!(parse_poll(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_filter_takes_priorities_types_a_city_and_a_text() {
        let filter = parse_filter("high permit-issued San Francisco \"crane\"");
        assert_eq!(
            (filter.city.as_str(), filter.q.as_str()),
            ("San Francisco", "crane")
        );
        assert!(
            filter.priority.contains(&Priority::High)
                && filter.signal_type.contains(&SignalType::PermitIssued)
        );
        assert_eq!(parse_filter(""), QueueFilter::default());
    }
}
