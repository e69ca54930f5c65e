//! One line of text that is asked for at the foot of the screen; what is shown above it stays where it is.

use std::borrow::Cow;

use super::App;
use super::command::Can;
use super::command::keys::Key;
use crate::domain::budgets;
use crate::domain::conditions::ConditionPath;
use crate::ui::field::{PasteTooLong, TextInput};

/// A question at the foot.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked for, in a word.
    pub label: Cow<'static, str>,
    /// What was typed.
    pub field: TextInput,
    /// What the answer is for.
    pub purpose: Purpose,
}

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A text to find in the queue's loaded rows.
    FindSignals,
    /// A text to find in the loaded records.
    FindRecords,
    /// Words that narrow a list of records.
    Words,
    /// The file of an export.
    ExportTo,
    /// The name of a new View.
    NameView,
    /// What a condition says.
    Condition(ConditionPath),
    /// All conditions, as text.
    Conditions,
    /// A question in words.
    Question,
    /// What narrows the Skills.
    FilterSkills,
    /// Words to find Skills by.
    FindSkills,
    /// The name of a fork.
    ForkSkill,
    /// What a budget is to be.
    Budget(budgets::BudgetKind),
    /// A text to find among the people of the team.
    FindPeople,
    /// The address that is invited.
    Invite,
    /// The name of whom an access is taken from.
    Removal,
}

impl Purpose {
    /// What the names of kept texts begin with. What is short, and typed again in a moment, is not kept.
    pub const KEPT: &[&str] = &["ask ", "conditions ", "line", "words", "view name", "invite"];
}

impl Prompt {
    /// A prompt with something in it.
    pub fn new(label: impl Into<Cow<'static, str>>, text: &str, purpose: Purpose) -> Prompt {
        Prompt { label: label.into(), field: TextInput::with_text(text), purpose }
    }

    /// What was typed.
    pub fn text(&self) -> String {
        self.field.text().to_owned()
    }
}

impl App {
    /// Gives a key to the prompt.
    pub(super) fn key_in_prompt(&mut self, mut prompt: Prompt, key: Key) {
        match key {
            key if Some(key) == Key::parse("Esc") => self.notice = None,
            key if Some(key) == Key::parse("Enter") => {
                self.notice = None;
                if let Some(name) = self.draft_name(prompt.purpose) {
                    self.forget_prompt(&name);
                }
                self.prompted(prompt.purpose, prompt.field.text().trim());
            }
            key => {
                prompt.field.handle_key(key.event());
                self.prompt = Some(prompt);
            }
        }
    }

    /// The name under which what is typed for this is kept.
    pub(super) fn draft_name(&self, purpose: Purpose) -> Option<String> {
        Some(match purpose {
            Purpose::Question => format!("ask {}", self.explore.dataset()),
            Purpose::Conditions if self.explore.narrow.is_some() => "line".to_owned(),
            Purpose::Words => "words".to_owned(),
            Purpose::Conditions => format!("conditions {}", self.explore.dataset()),
            Purpose::NameView => "view name".to_owned(),
            Purpose::Invite => "invite".to_owned(),
            _ => return None,
        })
    }

    /// What stands in a prompt of this name before anything is typed.
    pub(super) fn standing(&self, name: &str) -> String {
        let words = self.explore.narrow.as_ref().map(|narrow| narrow.query.clone()).unwrap_or_default();
        match name.split_once(' ') {
            None if name == "line" => self.explore.draft().filters.to_line(&words),
            None if name == "words" => words,
            Some(("ask", _)) => self.explore.question.as_ref().map(|question| question.text.clone()).unwrap_or_default(),
            Some(("conditions", _)) => self.explore.draft().filters.to_line(""),
            None if name == "invite" => self.team.typed.clone(),
            _ => String::new(),
        }
    }

    /// Whether something was looked for that can be found again.
    pub(super) fn has_find(&self) -> Can {
        if self.find.is_empty() { Err("nothing was looked for yet".into()) } else { Ok(()) }
    }

    fn prompted(&mut self, purpose: Purpose, text: &str) {
        match purpose {
            Purpose::FindSignals | Purpose::FindRecords | Purpose::FindPeople if text.is_empty() => {}
            Purpose::FindPeople => {
                self.find = text.to_owned();
                self.find_person(true);
            }
            Purpose::FindSignals => {
                self.find = text.to_owned();
                self.find_signal(true);
            }
            Purpose::FindRecords => {
                self.find = text.to_owned();
                self.find_record(true);
            }
            Purpose::Words => self.set_words(text),
            Purpose::ExportTo => self.export_to(text),
            Purpose::NameView => self.name_view(text),
            Purpose::Condition(place) => self.set_condition(place, text),
            Purpose::Conditions => self.set_conditions(text),
            Purpose::Invite => self.invite(text),
            Purpose::Removal => self.typed_name(text),
            Purpose::Question if text.is_empty() => {}
            Purpose::Question => self.ask_in_words(text),
            Purpose::FilterSkills => self.filter_skills(text),
            Purpose::FindSkills => self.find_skills(text),
            Purpose::ForkSkill => self.fork_skill(text),
            Purpose::Budget(kind) => self.set_budget(kind, text),
        }
    }

    /// A paste goes into the prompt, as one line.
    pub(super) fn paste_in_prompt(&mut self, text: &str) -> Option<Result<(), PasteTooLong>> {
        self.prompt.as_mut().map(|prompt| prompt.field.paste(text))
    }
}
