//! What a tab of the queue proposes for its rows: a tab with an action is a rule. Nothing happens
//! before the user has seen the proposal.

use super::annotate::AnnotationAddition;
use super::book::RecordKind;
use super::snooze::check_snooze_text;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Mark done for everyone.
    Done,
    /// Snooze on this machine until this time as it was written; which time that is depends on the
    /// clock.
    Snooze(String),
    /// Annotate the signal's project or account for everyone.
    Annotate(RecordKind, AnnotationAddition),
}

/// An action as it is written in a tab; empty texts were not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleActionText {
    pub then: String,
    pub until: String,
    /// What is annotated: `project` or `account`.
    pub on: String,
    pub status: String,
    pub tags: Vec<String>,
    pub note: String,
}

impl RuleActionText {
    /// Reads what is done, until when it snoozes, and what it annotates; `None` if nothing is done.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(&self) -> Result<Option<RuleAction>, String> {
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let addition = AnnotationAddition {
            status: text(&self.status),
            tags: self.tags.iter().filter_map(|tag| text(tag)).collect(),
            note: text(&self.note),
        };
        let (then, until) = (self.then.trim(), self.until.trim());
        if then != "snooze" && !until.is_empty() {
            return Err("until is only for snooze".to_owned());
        }
        if then != "annotate" && (addition != AnnotationAddition::default() || !self.on.is_empty())
        {
            return Err("on, status, tags and note are only for annotate".to_owned());
        }
        let action = match then {
            "" => return Ok(None),
            "done" => RuleAction::Done,
            "snooze" if until.is_empty() => {
                return Err("snooze needs a time: until = \"3d\"".to_owned());
            }
            "snooze" => {
                check_snooze_text(until).map_err(|error| format!("until: {error}"))?;
                RuleAction::Snooze(until.to_owned())
            }
            "annotate" if addition == AnnotationAddition::default() => {
                return Err(
                    "annotate needs a status, tags or a note: status = \"check\"".to_owned(),
                );
            }
            "annotate" => {
                let record = match self.on.trim() {
                    "" | "project" => RecordKind::Projects,
                    "account" => RecordKind::Accounts,
                    other => return Err(format!("on must be project or account, not \"{other}\"")),
                };
                RuleAction::Annotate(record, addition)
            }
            other => {
                return Err(format!(
                    "then must be done, snooze or annotate, not \"{other}\""
                ));
            }
        };
        Ok(Some(action))
    }
}

impl RuleAction {
    pub fn to_text(&self) -> RuleActionText {
        let then = |then: &str| RuleActionText {
            then: then.to_owned(),
            ..RuleActionText::default()
        };
        match self {
            RuleAction::Done => then("done"),
            RuleAction::Snooze(until) => RuleActionText {
                until: until.clone(),
                ..then("snooze")
            },
            RuleAction::Annotate(kind, addition) => RuleActionText {
                on: kind.singular_name().to_owned(),
                status: addition.status.clone().unwrap_or_default(),
                tags: addition.tags.clone(),
                note: addition.note.clone().unwrap_or_default(),
                ..then("annotate")
            },
        }
    }

    /// `done`, `snooze 3d` or `annotate`
    pub fn label(&self) -> String {
        match self {
            RuleAction::Done => "done".to_owned(),
            RuleAction::Snooze(until) => format!("snooze {until}"),
            RuleAction::Annotate(..) => "annotate".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(then: &str, until: &str) -> RuleActionText {
        RuleActionText {
            then: then.to_owned(),
            until: until.to_owned(),
            ..RuleActionText::default()
        }
    }

    #[test]
    fn an_action_is_read_or_says_what_is_wrong() {
        let action = |then, until| text(then, until).parse();
        assert_eq!(action("", ""), Ok(None));
        assert_eq!(action("done", ""), Ok(Some(RuleAction::Done)));
        assert_eq!(
            action("snooze", "3d"),
            Ok(Some(RuleAction::Snooze("3d".to_owned())))
        );
        for (then, until, why) in [
            ("done", "3d", "until is only for snooze"),
            ("snooze", " ", "snooze needs a time: until = \"3d\""),
            (
                "call",
                "",
                "then must be done, snooze or annotate, not \"call\"",
            ),
        ] {
            assert_eq!(action(then, until).unwrap_err(), why);
        }
        assert!(
            action("snooze", "someday")
                .unwrap_err()
                .starts_with("until: \"someday\" is not a time")
        );
    }

    #[test]
    fn an_annotation_says_what_it_writes_and_on_what() {
        let status = |then: &str, on: &str| RuleActionText {
            on: on.to_owned(),
            status: "check".to_owned(),
            ..text(then, "")
        };
        let addition = AnnotationAddition {
            status: Some("check".to_owned()),
            ..AnnotationAddition::default()
        };
        for (on, kind) in [
            ("", RecordKind::Projects),
            ("account", RecordKind::Accounts),
        ] {
            let action = RuleAction::Annotate(kind, addition.clone());
            assert_eq!(status("annotate", on).parse(), Ok(Some(action.clone())));
            assert_eq!(action.to_text().parse(), Ok(Some(action)));
        }
        for (action, why) in [
            (
                status("annotate", "contact"),
                "on must be project or account, not \"contact\"",
            ),
            (
                status("done", ""),
                "on, status, tags and note are only for annotate",
            ),
            (
                text("annotate", ""),
                "annotate needs a status, tags or a note: status = \"check\"",
            ),
        ] {
            assert_eq!(action.parse().unwrap_err(), why);
        }
    }
}
