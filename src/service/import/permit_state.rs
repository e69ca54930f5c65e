//! What the status of a permit means, by the words of the table `assets/import/words.toml`.

use serde::Deserialize;

use super::dates;
use super::words::{contains_words, has_value_word, normalize, value_words};

/// What the status of a permit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PermitState {
    /// Not issued yet.
    Applied,
    /// Issued, or nothing is known.
    Active,
    Approved,
    Completed,
    Withdrawn,
    Denied,
    Expired,
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|c| c.is_ascii_digit())
}

impl PermitState {
    /// In the order in which the words of a status are looked for: `Closed - Withdrawn` is
    /// withdrawn.
    const ALL: [PermitState; 7] = [
        PermitState::Denied,
        PermitState::Withdrawn,
        PermitState::Expired,
        PermitState::Completed,
        PermitState::Approved,
        PermitState::Active,
        PermitState::Applied,
    ];

    pub fn word(self) -> &'static str {
        match self {
            PermitState::Applied => "applied",
            PermitState::Active => "active",
            PermitState::Approved => "approved",
            PermitState::Completed => "completed",
            PermitState::Withdrawn => "withdrawn",
            PermitState::Denied => "denied",
            PermitState::Expired => "expired",
        }
    }

    pub fn from_word(word: &str) -> Option<PermitState> {
        PermitState::ALL
            .into_iter()
            .find(|state| state.word() == word)
    }

    /// What a status means by its words. Unknown if they deny it (`nicht genehmigt`) or tell of a
    /// permit that came back (`Expired - Renewed`), and unless all words of an approval, a
    /// completion or an end are known: it may be that of something else than the permit (`License
    /// expired`, `Foundation complete`), or not have happened yet (`Recommended for approval`).
    pub fn of_status(status: &str) -> Option<PermitState> {
        let is_clear = !has_value_word("unclear", status);
        let state = PermitState::find_in(status).filter(|_| is_clear)?;
        let is_open = matches!(state, PermitState::Active | PermitState::Applied);
        (is_open || state.explains(status, "of_no_matter")).then_some(state)
    }

    /// Whether a status is that the permit was issued: not `Decision issued`, and not `Corrections
    /// issued`.
    pub fn is_issued(status: &str) -> bool {
        PermitState::find_in(status) == Some(PermitState::Active)
            && has_value_word("given", status)
            && !has_value_word("ruling", status)
            && PermitState::Active.explains(status, "of_no_matter")
    }

    /// Whether these are all words of this state, or of a list that says nothing beside them.
    fn explains(self, status: &str, of_no_matter: &str) -> bool {
        // what came before the end: `Applied 9/9/26; Denied 10/14/26`
        let has_days = self.ends_permit() && status.contains(|c: char| c.is_ascii_digit());
        let history = has_days.then_some("applied");
        let beside: &[&str] = match self {
            PermitState::Approved => &[
                "approved",
                "given",
                "condition",
                "by_whom",
                "not_issued_yet",
            ],
            PermitState::Completed if has_value_word("completion_certificate", status) => {
                &["completed", "completion_certificate", "given", "passed"]
            }
            PermitState::Completed => &["completed", "acceptance", "passed"],
            PermitState::Active => &["given", "condition", "by_whom"],
            _ => &[
                "denied",
                "withdrawn",
                "expired",
                "closing",
                "by_whom",
                "reason",
            ],
        };
        let lists = beside.iter().copied().chain([of_no_matter]).chain(history);
        let mut rest = format!(" {} ", normalize(status));
        let mut phrases: Vec<&String> = lists.flat_map(value_words).collect();
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        for phrase in phrases {
            // twice, because two phrases share the space between them
            let (phrase, gap) = (format!(" {phrase} "), " ");
            rest = rest.replace(&phrase, gap).replace(&phrase, gap);
        }
        // of a date or a code: not `1 of 4 complete`
        let numbers = || rest.split_whitespace().filter(|word| is_number(word));
        let has_date = self.ends_permit() || matches!(numbers().count(), 0 | 3);
        let is_part_of_date = |word: &str| is_number(word) || dates::month_number(word).is_some();
        !status.contains('%') && has_date && rest.split_whitespace().all(is_part_of_date)
    }

    /// The state that the words of a text name, whatever else it says.
    pub fn find_in(text: &str) -> Option<PermitState> {
        let status = normalize(text);
        let has = |name: &str| {
            value_words(name)
                .iter()
                .find(|word| contains_words(&status, word))
        };
        let has_certificate = || has("completion_certificate").filter(|_| has("given").is_some());
        let accepted = has("acceptance").or_else(has_certificate);
        // `Plan Review Complete`, `Final Inspection`
        let is_of_step = |word: &str| {
            let beside = |step: &String| [format!("{step} {word}"), format!("{word} {step}")];
            let mut pairs = value_words("step").iter().flat_map(beside);
            pairs.any(|pair| contains_words(&status, &pair))
        };
        let is_whole = |word: &&String| contains_words(&status, word) && !is_of_step(word);
        let word_of = |state: PermitState| match state {
            PermitState::Completed if has("temporary").is_some() => None,
            PermitState::Completed => {
                accepted.or_else(|| value_words(state.word()).iter().find(is_whole))
            }
            state => has(state.word()),
        };
        let (state, word) = PermitState::ALL
            .into_iter()
            .find_map(|state| Some((state, word_of(state)?)))?;
        let denies = |denial: &String| !contains_words(word, denial);
        let is_denied = has("negation").is_some_and(denies);
        let is_over = state.ends_permit() || state == PermitState::Completed && accepted.is_none();
        let is_reversed = is_over && has("reversal").is_some() || has("refund").is_some();
        let is_of_certificate = || {
            let lists = ["certificate", "completion_certificate"];
            state.ends_permit() && lists.iter().any(|list| has(list).is_some())
        };
        let is_other_matter = has("other_matter").is_some() || is_of_certificate();
        let is_coming = state == PermitState::Active && has("not_issued_yet").is_some();
        // `CO pending`: what was permitted is built
        let awaits_certificate = state == PermitState::Applied
            && has("awaited").is_some()
            && has("completion_certificate").is_some()
            && status.split(' ').count() <= 3;
        let state = match state {
            _ if is_coming => PermitState::Applied,
            _ if awaits_certificate => PermitState::Active,
            state => state,
        };
        (!is_denied && !is_reversed && !is_other_matter).then_some(state)
    }

    /// Whether a status is that of a certificate for a while, or for a part: the permit goes on.
    pub fn is_temporary(status: &str) -> bool {
        has_value_word("temporary", status)
    }

    /// How permits with a day, or a yes, in the column of this heading ended.
    pub fn of_end(heading: &str) -> Option<PermitState> {
        let state = PermitState::find_in(heading).filter(|state| state.ends_permit())?;
        state.explains(heading, "of_heading").then_some(state)
    }

    /// Whether nothing is built with a permit of this state.
    pub fn ends_permit(self) -> bool {
        matches!(
            self,
            PermitState::Denied | PermitState::Withdrawn | PermitState::Expired
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_understood_by_all_of_its_words_or_not_at_all() {
        for (status, state) in [
            ("Cancelled", PermitState::Withdrawn),
            ("Closed - Withdrawn", PermitState::Withdrawn),
            ("VOID", PermitState::Withdrawn),
            ("Revoked", PermitState::Withdrawn),
            ("Not approved", PermitState::Denied),
            ("Refusé", PermitState::Denied),
            ("Expired", PermitState::Expired),
            ("Finaled", PermitState::Completed),
            ("Approved with conditions", PermitState::Approved),
            ("Permit Issued", PermitState::Active),
            ("In Plan Check", PermitState::Applied),
            ("Application received", PermitState::Applied),
            ("Issued - fees pending", PermitState::Active),
            ("Temporary certificate of occupancy", PermitState::Active),
            ("Recepción otorgada", PermitState::Completed),
            ("Recepción definitiva", PermitState::Completed),
            ("Final acceptance granted", PermitState::Completed),
            ("Schlussabnahme erteilt", PermitState::Completed),
            ("Habite-se emitido", PermitState::Completed),
            ("Agibilità rilasciata", PermitState::Completed),
            ("Conformité accordée", PermitState::Completed),
            ("Opgeleverd", PermitState::Completed),
            ("Final CO Issued", PermitState::Completed),
            ("CCC Issued", PermitState::Completed),
            ("Code Compliance Certificate Issued", PermitState::Completed),
            ("Completion Certificate Issued", PermitState::Completed),
            ("Certificate of Completion granted", PermitState::Completed),
            ("Closed - Final Inspection Passed", PermitState::Completed),
            ("Plan Review Complete", PermitState::Applied),
            ("Application Complete", PermitState::Applied),
            ("Inspections Complete", PermitState::Active),
            ("TCO Issued", PermitState::Active),
            ("Ready to Issue", PermitState::Applied),
            ("To Be Issued", PermitState::Applied),
            ("Occupation Certificate Issued", PermitState::Completed),
            ("Construction Completed", PermitState::Completed),
            ("Permit Closed", PermitState::Completed),
            ("Conditionally Approved", PermitState::Approved),
            ("Approved - Ready to Issue", PermitState::Approved),
            ("Approved by Council", PermitState::Approved),
            ("Granted (Conditions)", PermitState::Approved),
            ("Prior Approval Granted", PermitState::Approved),
            ("Accordé avec prescriptions", PermitState::Approved),
            ("CofO Issued", PermitState::Completed),
            ("Occupancy Certificate Issued", PermitState::Completed),
            ("Finaled OK", PermitState::Completed),
            ("Final Inspection Passed", PermitState::Completed),
            ("Travaux terminés", PermitState::Completed),
            ("Concesión", PermitState::Approved),
            ("Denegación", PermitState::Denied),
            ("Desistimiento", PermitState::Withdrawn),
        ] {
            assert_eq!(PermitState::of_status(status), Some(state), "{status}");
        }
        for status in [
            "Z9",
            "nicht genehmigt",
            "non accordé",
            "não aprovado",
            "Not Issued",
            "Never issued",
            "Approved/Not Issued",
            "Not cancelled",
            "Refund issued",
            "Extension denied",
            "Appeal denied",
            "Denial overturned",
            "Issued (Refused 1st)",
            "Revoked - reissued",
            "Cancellation requested",
            "Pending cancellation",
            "Expired - Renewed",
            "Rejected - resubmitted",
            "License Expired",
            "Contractor License Revoked",
            "Bond Expired",
            "Insurance Lapsed",
            "Fee Waiver Denied",
            "CO Denied",
            "TCO Expired",
            "CCC Refused",
            "Certificate of Occupancy Revoked",
            "Certificate of Occupancy pending",
            "Closed - Reopened",
            "Recepción parcial otorgada",
            "Plan Review Cancelled",
            "Building 1 of 4 complete",
            "In Final",
            "At Final",
            "Archived",
            "Inactive",
            "Final Denied",
            "Finaled - Expired",
            "Cancelled/Completed",
            "Closed by Applicant",
            "Closed - Approved",
            "Pending Approval",
            "Recommended for Approval",
            "Recommended Refusal",
            "Minded to Grant",
            "Draft Approval",
            "Approved by Staff - Pending Council",
            "Ready for Final",
            "Awaiting Final",
            "Final Failed",
            "Foundation Complete",
            "50% Complete",
            "Submittal Complete",
            "Accepted as Complete",
            "Complete - Ready to Issue",
            "Closed for Comments",
            "Closed - Duplicate",
            "Verfahren abgeschlossen",
            "About to Expire",
            "Delay Expired",
            "Hearing Cancelled",
            "Contractor Withdrawn",
            "Stop Work Withdrawn",
            "Variance Denied",
            "Payment Denied",
            "Workers Comp Expired",
            "Violation Closed",
            "Escrow Closed",
        ] {
            assert_eq!(PermitState::of_status(status), None, "{status}");
        }
        for status in [
            "Application Withdrawn",
            "Permit Application Denied",
            "Permit Expired",
            "Void 10/20/26",
            "Withdrawn by applicant",
            "Withdrawn by Contractor",
            "Null and Void",
            "Void - Duplicate",
            "Closed - Withdrawn",
            "Refused (Delegated)",
            "Listed Building Consent Refused",
            "Refus",
            "Antrag abgelehnt",
        ] {
            assert!(
                PermitState::of_status(status).is_some_and(PermitState::ends_permit),
                "{status}"
            );
        }
        for heading in [
            "Void Date",
            "PERMIT_CANCELLED_DT",
            "Is Withdrawn",
            "Fecha de caducado",
        ] {
            assert!(PermitState::of_end(heading).is_some(), "{heading}");
        }
        for heading in [
            "License Expired Date",
            "Bond Expired",
            "Insurance Expired",
            "Contractor License Revoked",
        ] {
            assert_eq!(PermitState::of_end(heading), None, "{heading}");
        }
    }
}
