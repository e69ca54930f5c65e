//! Rules of a user: what is proposed for new signals that match conditions. Nothing happens before
//! the user has seen the proposal.

use super::annotate::AnnotationAddition;
use super::book::RecordKind;
use super::conditions::ConditionLine;
use super::row_columns::queue_fields;
use super::snooze::check_snooze_text;

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: String,
    pub conditions: ConditionLine,
    pub action: RuleAction,
}

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

/// A rule as it is written; empty texts were not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleText {
    pub name: String,
    pub conditions: String,
    pub then: String,
    pub until: String,
    /// What is annotated: `project` or `account`.
    pub on: String,
    pub status: String,
    pub tags: Vec<String>,
    pub note: String,
}

impl Rule {
    /// Reads a rule: its conditions, what it does, until when it snoozes, and what it annotates.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(rule: &RuleText) -> Result<Rule, String> {
        let conditions = ConditionLine::parse_checked(&rule.conditions, queue_fields())
            .map_err(|error| format!("where: {error}"))?;
        if conditions.is_empty() {
            return Err("it needs conditions: where = \"cost<10k\"".to_owned());
        }
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let tags = rule.tags.iter().filter_map(|tag| text(tag)).collect();
        let addition = AnnotationAddition {
            status: text(&rule.status),
            tags,
            note: text(&rule.note),
        };
        let (then, until) = (rule.then.trim(), rule.until.trim());
        if then != "snooze" && !until.is_empty() {
            return Err("until is only for snooze".to_owned());
        }
        if then != "annotate" && (addition != AnnotationAddition::default() || !rule.on.is_empty())
        {
            return Err("on, status, tags and note are only for annotate".to_owned());
        }
        let action = match then {
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
                let record = match rule.on.trim() {
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
        Ok(Rule {
            name: rule.name.clone(),
            conditions,
            action,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(then: &str, until: &str) -> RuleText {
        let [name, conditions, then, until] = ["small", "cost<10k", then, until].map(str::to_owned);
        RuleText {
            name,
            conditions,
            then,
            until,
            ..RuleText::default()
        }
    }

    #[test]
    fn a_rule_is_read_or_says_what_is_wrong() {
        let action = |then, until| Rule::parse(&rule(then, until)).map(|rule| rule.action);
        assert_eq!(action("done", ""), Ok(RuleAction::Done));
        assert_eq!(
            action("snooze", "3d"),
            Ok(RuleAction::Snooze("3d".to_owned()))
        );
        assert_eq!(
            action("done", "3d").unwrap_err(),
            "until is only for snooze"
        );
        assert_eq!(
            action("snooze", " ").unwrap_err(),
            "snooze needs a time: until = \"3d\""
        );
        assert_eq!(
            action("call", "").unwrap_err(),
            "then must be done, snooze or annotate, not \"call\""
        );
        assert!(
            action("snooze", "someday")
                .unwrap_err()
                .starts_with("until: \"someday\" is not a time")
        );
        let conditions = |text: &str| {
            Rule::parse(&RuleText {
                conditions: text.to_owned(),
                ..rule("done", "")
            })
            .unwrap_err()
        };
        assert!(
            conditions("").starts_with("it needs conditions"),
            "a rule without conditions would match every row"
        );
        assert!(conditions("size>5").starts_with("where: size is not a field"));
    }

    #[test]
    fn an_annotation_says_what_it_writes_and_on_what() {
        let status = |then: &str, on: &str| RuleText {
            on: on.to_owned(),
            status: "check".to_owned(),
            ..rule(then, "")
        };
        let read = |text: &RuleText| Rule::parse(text).map(|rule| rule.action);
        let addition = AnnotationAddition {
            status: Some("check".to_owned()),
            ..AnnotationAddition::default()
        };
        assert_eq!(
            read(&status("annotate", "")),
            Ok(RuleAction::Annotate(RecordKind::Projects, addition.clone()))
        );
        assert_eq!(
            read(&status("annotate", "account")),
            Ok(RuleAction::Annotate(RecordKind::Accounts, addition))
        );
        assert_eq!(
            read(&status("annotate", "contact")).unwrap_err(),
            "on must be project or account, not \"contact\""
        );
        assert_eq!(
            read(&status("done", "")).unwrap_err(),
            "on, status, tags and note are only for annotate"
        );
        assert!(
            read(&rule("annotate", ""))
                .unwrap_err()
                .starts_with("annotate needs a status, tags or a note")
        );
    }
}
