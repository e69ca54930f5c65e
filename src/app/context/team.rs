//! The workspace and its members, and what they allow the caller.

use std::collections::BTreeSet;

use crate::domain::members::{Member, MemberAction, Permissions, Role};
use crate::domain::person::Person;
use crate::domain::workspace::{CallerKind, Workspace};
use crate::domain::writes::WriteOp;

#[derive(Default)]
pub(in crate::app) struct Team {
    pub workspace: Option<Workspace>,
    pub members: Vec<Member>,
    /// Colleagues whose signals the user was asked about.
    pub asked_owners: BTreeSet<String>,
}

impl Team {
    /// The caller, or who issued its key, with all that is known of them.
    pub fn caller(&self) -> Option<Person> {
        let user = self.workspace.as_ref()?.caller.as_ref()?.user.clone()?;
        let member = self
            .members
            .iter()
            .find(|member| member.is(&user))
            .and_then(Member::person);
        Some(member.map_or_else(|| user.clone(), |member| member.filled_from(&user)))
    }

    /// The names by which the caller is known.
    pub fn own_names(&self) -> Vec<String> {
        let me = self.caller();
        let labels = me.iter().flat_map(Person::labels);
        labels.map(str::to_owned).collect()
    }

    /// Whether this is the name of somebody else. Before the members are known, every name but
    /// one's own is.
    pub fn is_colleague(&self, name: &str) -> bool {
        let is_me = self.caller().is_some_and(|me| me.is_called(name));
        let mut people = self.members.iter().filter_map(Member::person);
        !is_me && (self.members.is_empty() || people.any(|one| one.is_called(name)))
    }

    /// The caller's permissions, as far as the service reports them. API keys count as admins.
    pub fn caller_permissions(&self) -> Permissions {
        let Some(caller) = self
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.caller.as_ref())
        else {
            return Permissions::default();
        };
        let user = self.caller().and_then(|person| person.user_id());
        let listed = || {
            self.members
                .iter()
                .find(|member| Some(member.id) == user)
                .and_then(|member| member.role.clone())
        };
        Permissions {
            user,
            is_api_key: caller.is_api_key(),
            role: match caller.kind {
                Some(CallerKind::ApiKey) => Some(Role::Admin),
                Some(CallerKind::User) => caller.role.clone().or_else(listed),
                // It may be a key, which counts as an admin whoever issued it.
                _ => None,
            },
            cannot_write: caller.cannot_write(),
        }
    }

    /// Describes a member whose role changed since a step set it.
    pub fn role_conflict(&self, left: &WriteOp) -> Option<String> {
        let WriteOp::Team(MemberAction::SetRole(user, role)) = left else {
            return None;
        };
        let member = self.members.iter().find(|member| member.id == *user)?;
        let now = member.role.as_ref().filter(|now| *now != role)?;
        Some(format!("{} is {now}", member.name()))
    }
}
