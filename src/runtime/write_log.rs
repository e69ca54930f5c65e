//! What the log says of a write: its kind, the ids of its records, and its result.
//!
//! Never here: names, notes, tags, addresses.

use std::fmt::Display;

use crate::app::effect::{ServiceCall, WriteRequest};
use crate::app::msg::Reply;
use crate::domain::members::MemberAction;

/// Ids that a line has room for.
const MAX_IDS: usize = 20;

/// A write as it is logged; `None` for a call that reads.
pub(super) fn describe_write(call: &ServiceCall) -> Option<String> {
    let write = match call {
        ServiceCall::Triage { ids, status, .. } => {
            return Some(format!(
                "triage {} {}",
                status.as_str(),
                list_ids(ids.iter().map(|id| id.0))
            ));
        }
        ServiceCall::Write(write) => write,
        _ => return None,
    };
    Some(match write {
        WriteRequest::Annotate { record_kind, items } => {
            format!(
                "annotate {} {}",
                record_kind.as_str(),
                list_ids(items.iter().map(|item| item.id))
            )
        }
        WriteRequest::Forget { record_kind, ids } => {
            format!("remove {} {}", record_kind.as_str(), list_ids(ids))
        }
        WriteRequest::Add { view, ids } => format!("add to View {view}: {}", list_ids(ids)),
        WriteRequest::Remove { view, ids } => format!("remove from View {view}: {}", list_ids(ids)),
        WriteRequest::SaveView(_) => "save a View".to_owned(),
        WriteRequest::DeleteView(view) => format!("delete View {view}"),
        WriteRequest::Skills(calls) => format!("change {} Skills", calls.len()),
        WriteRequest::Favorite { view, is_favorite } => {
            format!(
                "{} View {view}",
                if *is_favorite {
                    "favorite"
                } else {
                    "unfavorite"
                }
            )
        }
        WriteRequest::Subscription(call) => {
            format!("change subscriptions {}", list_ids(call.signal_types()))
        }
        WriteRequest::Team(MemberAction::Invite { .. }) => "invite".to_owned(),
        WriteRequest::Team(MemberAction::Revoke(invitation)) => {
            format!("revoke invitation {invitation}")
        }
        WriteRequest::Team(MemberAction::SetRole(user, _)) => format!("set the role of {user}"),
        WriteRequest::Team(MemberAction::Remove(user)) => format!("remove member {user}"),
    })
}

/// How many items of a write were done, and how many were not.
pub(super) fn describe_result(reply: &Reply) -> String {
    match reply {
        Reply::Written(items) => {
            let failed = items.iter().filter(|item| item.error.is_some()).count();
            if failed == 0 {
                "done".to_owned()
            } else {
                format!("{failed} of {} failed", items.len())
            }
        }
        Reply::Triaged(Some(changed)) => format!("{changed} changed"),
        _ => "done".to_owned(),
    }
}

fn list_ids(ids: impl IntoIterator<Item = impl Display>) -> String {
    let all: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
    let more = if all.len() > MAX_IDS {
        format!(" and {} more", all.len() - MAX_IDS)
    } else {
        String::new()
    };
    format!(
        "{}{more}",
        all.iter()
            .take(MAX_IDS)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    )
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::domain::SignalId;
    use crate::domain::members::Role;
    use crate::domain::queue::TriageStatus;

    #[test]
    fn a_write_is_logged_with_its_ids_and_without_what_it_writes() {
        let ids: Vec<SignalId> = (0..25).map(|n| SignalId(Uuid::from_u128(n))).collect();
        let triage = ServiceCall::Triage {
            ids,
            status: TriageStatus::Done,
            acts: Vec::new(),
        };
        let line = describe_write(&triage).unwrap();
        assert!(
            line.starts_with("triage done 00000000-0000-0000-0000-000000000000 ")
                && line.ends_with(" and 5 more"),
            "{line}"
        );
        let invite = MemberAction::Invite {
            email: "eva@example.com".to_owned(),
            role: Role::Member,
        };
        assert_eq!(
            describe_write(&ServiceCall::Write(WriteRequest::Team(invite))).as_deref(),
            Some("invite")
        );
        assert_eq!(describe_write(&ServiceCall::Views), None);
        assert_eq!(describe_result(&Reply::Triaged(Some(3))), "3 changed");
    }
}
