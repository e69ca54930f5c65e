//! Rules of a user: what is proposed for new signals that match conditions. Nothing happens before the user has seen the proposal.

use super::row_conditions::RowConditions;
use super::snooze::check_snooze_text;

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: String,
    pub conditions: RowConditions,
    pub action: RuleAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAction {
    /// Mark done for everyone.
    Done,
    /// Snooze on this machine until this time as it was written; which time that is depends on the clock.
    Snooze(String),
}

impl Rule {
    /// Reads a rule: its conditions, `done` or `snooze`, and until when it snoozes.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(name: &str, conditions: &str, then: &str, until: &str) -> Result<Rule, String> {
        let conditions = RowConditions::parse(conditions).map_err(|error| format!("where: {error}"))?;
        if conditions.is_empty() {
            return Err("it needs conditions: where = \"cost<10k\"".to_owned());
        }
        let until = until.trim();
        let action = match (then.trim(), until) {
            ("done", "") => RuleAction::Done,
            ("done", _) => return Err("until is only for snooze".to_owned()),
            ("snooze", "") => return Err("snooze needs a time: until = \"3d\"".to_owned()),
            ("snooze", _) => {
                check_snooze_text(until).map_err(|error| format!("until: {error}"))?;
                RuleAction::Snooze(until.to_owned())
            }
            (other, _) => return Err(format!("then must be done or snooze, not \"{other}\"")),
        };
        Ok(Rule { name: name.to_owned(), conditions, action })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_or_says_what_is_wrong() {
        let action = |then, until| Rule::parse("small", "cost<10k", then, until).map(|rule| rule.action);
        assert_eq!(action("done", ""), Ok(RuleAction::Done));
        assert_eq!(action("snooze", "3d"), Ok(RuleAction::Snooze("3d".to_owned())));
        assert_eq!(action("done", "3d").unwrap_err(), "until is only for snooze");
        assert_eq!(action("snooze", " ").unwrap_err(), "snooze needs a time: until = \"3d\"");
        assert_eq!(action("annotate", "").unwrap_err(), "then must be done or snooze, not \"annotate\"");
        assert!(action("snooze", "someday").unwrap_err().starts_with("until: \"someday\" is not a time"));
        let conditions = |text| Rule::parse("small", text, "done", "").unwrap_err();
        assert!(conditions("").starts_with("it needs conditions"), "a rule without conditions would match every row");
        assert!(conditions("size>5").starts_with("where: size is not a field"));
    }
}
