//! Members and invitations: who has access to the workspace, who is invited, and who may change
//! that (interface: Member; Invitation; Workspace: members and invitations; Authentication).

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::aliased_fields::AliasedFields;
use super::join_code::JoinCode;
use super::lenient::DateOrDateTime;
use super::open_enum::open_enum;
use super::person::Person;
use super::{InvitationId, UserId};

open_enum! {
    Role {
        /// Everything, including other owners.
        Owner = "owner",
        /// Everything except owners.
        Admin = "admin",
        /// The book, Views and triage.
        Member = "member",
    }
}

/// A member of the workspace. A member with an unreadable id gets the nil id: shown, but not
/// changeable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AliasedFields")]
pub struct Member {
    pub id: UserId,
    pub email: Option<String>,
    pub first_name: Option<String>,
    pub display_name: Option<String>,
    pub role: Option<Role>,
    pub last_active_at: Option<DateOrDateTime>,
    pub joined_at: Option<DateOrDateTime>,
}

impl TryFrom<AliasedFields> for Member {
    type Error = &'static str;

    fn try_from(sent: AliasedFields) -> Result<Self, Self::Error> {
        let member = Member {
            id: sent.parse(&["id"]).unwrap_or(UserId(Uuid::nil())),
            email: sent.text(&["email"]),
            first_name: sent.text(&["first_name"]),
            display_name: sent.text(&["display_name"]),
            role: sent.text(&["role"]).map(|word| word.as_str().into()),
            last_active_at: sent.parse(&["last_active_at"]),
            joined_at: sent.parse(&["joined_at"]),
        };
        let is_anybody = member.has_id() || member.name() != member.id.to_string();
        if is_anybody {
            Ok(member)
        } else {
            Err("a member without an id and without a name")
        }
    }
}

impl Member {
    pub fn has_address(&self, email: &str) -> bool {
        self.email
            .as_deref()
            .is_some_and(|known| known.eq_ignore_ascii_case(email.trim()))
    }

    pub fn person(&self) -> Option<Person> {
        let name = [&self.display_name, &self.first_name]
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty());
        Person::new(
            Some(self.id).filter(|_| self.has_id()),
            self.email.as_deref(),
            name.map(String::as_str),
        )
    }

    /// Whether a service means this member.
    pub fn is(&self, person: &Person) -> bool {
        self.person()
            .is_some_and(|member| member.is_same(person) == Some(true))
    }

    /// The best available name: display name, first name, address, id.
    pub fn name(&self) -> String {
        [&self.display_name, &self.first_name, &self.email]
            .into_iter()
            .flatten()
            .find(|name| !name.trim().is_empty())
            .cloned()
            .unwrap_or_else(|| self.id.to_string())
    }

    /// Its id is usable.
    pub fn has_id(&self) -> bool {
        !self.id.0.is_nil()
    }
}

open_enum! {
    /// The status of an invitation. The interface shows pending, accepted and revoked.
    InvitationStatus {
        /// It can be accepted.
        Pending = "pending",
        Accepted = "accepted",
        /// It was revoked: its link is invalid.
        Revoked = "revoked",
        Expired = "expired",
    }
}

/// An invitation. The interface shows `id`, `email` and `revoked_at`; the rest is there if the
/// service reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AliasedFields")]
pub struct Invitation {
    pub id: InvitationId,
    pub email: Option<String>,
    /// The offered role.
    pub role: Option<Role>,
    /// As reported by the service.
    pub status: Option<InvitationStatus>,
    /// As reported by the service.
    pub invited_by: Option<Person>,
    pub created_at: Option<DateOrDateTime>,
    pub expires_at: Option<DateOrDateTime>,
    pub accepted_at: Option<DateOrDateTime>,
    pub revoked_at: Option<DateOrDateTime>,
    /// The service says that nobody has accepted it.
    #[serde(skip)]
    is_unaccepted: bool,
}

impl TryFrom<AliasedFields> for Invitation {
    type Error = &'static str;

    fn try_from(sent: AliasedFields) -> Result<Self, Self::Error> {
        use InvitationStatus::{Accepted, Expired, Revoked};
        let flags = [
            (Revoked, "revoked"),
            (Accepted, "accepted"),
            (Expired, "expired"),
        ];
        let by_flag = || {
            flags
                .into_iter()
                .find(|(_, flag)| sent.get(&[flag]) == Some(&true.into()))
                .map(|(status, _)| status)
        };
        Ok(Invitation {
            id: sent
                .parse(&["id", "invitation_id", "uuid"])
                .ok_or("an invitation without an id")?,
            email: sent.text(&["email", "email_address", "address", "recipient"]),
            role: sent
                .text(&["role", "member_role"])
                .map(|word| Role::parse_lenient(&word)),
            status: sent
                .text(INVITATION_STATUS_FIELDS)
                .map(|word| InvitationStatus::parse_lenient(&word))
                .or_else(by_flag),
            invited_by: sent.parse(&["invited_by", "inviter", "created_by", "sender"]),
            created_at: sent.parse(&["created_at", "invited_at", "sent_at"]),
            expires_at: sent.parse(INVITATION_END_FIELDS),
            accepted_at: sent.parse(INVITATION_ACCEPTANCE_FIELDS),
            revoked_at: sent.parse(&["revoked_at"]),
            is_unaccepted: sent.contains(INVITATION_ACCEPTANCE_FIELDS)
                || sent.get(&["accepted"]) == Some(&false.into()),
        })
    }
}

/// Field names that services use for the status of an invitation.
pub const INVITATION_STATUS_FIELDS: &[&str] = &["status", "state", "invitation_status"];

/// Field names that services use for the end of an invitation.
const INVITATION_END_FIELDS: &[&str] = &["expires_at", "expires", "valid_until"];

/// Field names that services use for when an invitation was accepted.
const INVITATION_ACCEPTANCE_FIELDS: &[&str] = &["accepted_at", "joined_at"];

impl Invitation {
    /// The status: as reported, otherwise as the dates prove it. `None` if they prove nothing.
    pub fn status(&self, now: DateTime<Utc>) -> Option<InvitationStatus> {
        let is_over = self
            .expires_at
            .as_ref()
            .and_then(DateOrDateTime::date_time)
            .is_some_and(|until| until < now);
        match &self.status {
            Some(status) => Some(status.clone()),
            None if self.revoked_at.is_some() => Some(InvitationStatus::Revoked),
            None if self.accepted_at.is_some() => Some(InvitationStatus::Accepted),
            None if !self.is_unaccepted => None,
            None if is_over => Some(InvitationStatus::Expired),
            None => Some(InvitationStatus::Pending),
        }
    }

    /// Whether it can still be accepted, as far as the service says.
    pub fn may_be_open(&self, now: DateTime<Utc>) -> bool {
        matches!(self.status(now), None | Some(InvitationStatus::Pending))
    }

    /// Whether somebody who is not a member yet can accept it. A join code for a member is an
    /// invitation too.
    pub fn awaits_newcomer(&self, members: &[Member], now: DateTime<Utc>) -> bool {
        let is_member = |email: &str| members.iter().any(|member| member.has_address(email));
        self.may_be_open(now) && !self.email.as_deref().is_some_and(is_member)
    }

    /// The address, or the id if there is none.
    pub fn name(&self) -> String {
        self.email.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// How a new invitation reaches the person, as far as the service reports it. The code is shown
/// once and stored nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "AliasedFields")]
pub struct InvitationDelivery {
    pub join_code: Option<JoinCode>,
    /// The code was sent by mail instead.
    pub is_mailed: bool,
    pub expires_at: Option<DateOrDateTime>,
}

impl From<AliasedFields> for InvitationDelivery {
    fn from(sent: AliasedFields) -> InvitationDelivery {
        InvitationDelivery {
            join_code: sent
                .text(&["join_code"])
                .and_then(|code| JoinCode::parse(&code).ok()),
            is_mailed: sent.parse(&["is_mailed"]).unwrap_or(false),
            expires_at: sent.parse(INVITATION_END_FIELDS),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberAction {
    /// Invites an address.
    Invite { email: String, role: Role },
    /// Revokes an invitation: its link becomes invalid at once, the record is kept.
    Revoke(InvitationId),
    /// Changes a member's role.
    SetRole(UserId, Role),
    /// Ends a membership.
    Remove(UserId),
}

/// The caller's permissions, as far as the service reports them. What is unknown forbids nothing:
/// the service decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The user; for an API key, its issuer.
    pub user: Option<UserId>,
    /// API keys count as admins, whoever issued them.
    pub is_api_key: bool,
    pub role: Option<Role>,
    /// The credential is known to lack the scope `workspace:write`.
    pub cannot_write: bool,
}

/// `Err` with the reason if something is not allowed.
pub type PermissionCheck = Result<(), String>;

impl Permissions {
    /// Whether writes are allowed at all.
    pub fn check_write(&self) -> PermissionCheck {
        if self.cannot_write {
            Err("this credential lacks the scope workspace:write".to_owned())
        } else {
            Ok(())
        }
    }

    /// Whether members and invitations may be changed.
    pub fn check_administer(&self) -> PermissionCheck {
        self.check_write()?;
        match &self.role {
            Some(Role::Member) => {
                Err("only owners and admins may do this; you are a member".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Whether this member may be changed or removed.
    pub fn check_change_member(&self, member: &Member) -> PermissionCheck {
        self.check_administer()?;
        if !member.has_id() {
            return Err("the service reported no usable id for this member".to_owned());
        }
        if member.role == Some(Role::Owner) {
            self.check_owner("only owners can change an owner")
        } else {
            Ok(())
        }
    }

    /// Whether this member may be given a role; `None` stands for leaving the workspace.
    pub fn check_set_role(
        &self,
        member: &Member,
        role: Option<&Role>,
        all: &[Member],
    ) -> PermissionCheck {
        self.check_change_member(member)?;
        if role.is_some() && member.role.as_ref() == role {
            return Err("this is already the role".to_owned());
        }
        if role == Some(&Role::Owner) {
            self.check_owner("only owners can appoint owners")?;
        }
        let owners = all
            .iter()
            .filter(|other| other.role == Some(Role::Owner))
            .count();
        if member.role == Some(Role::Owner) && owners < 2 {
            return Err("this is the only owner: make someone else an owner first".to_owned());
        }
        Ok(())
    }

    fn check_owner(&self, rule: &str) -> PermissionCheck {
        match &self.role {
            Some(Role::Owner) | None => Ok(()),
            Some(_) if self.is_api_key => Err(format!("{rule}; an API key counts as an admin")),
            Some(role) => Err(format!(
                "{rule}; you are {}",
                if *role == Role::Admin {
                    "an admin"
                } else {
                    "a member"
                }
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn test_member(n: u128, role: &str) -> Member {
        serde_json::from_value(json!({ "id": Uuid::from_u128(n), "role": role })).unwrap()
    }

    fn permissions_of(role: Role) -> Permissions {
        Permissions {
            role: Some(role),
            ..Permissions::default()
        }
    }

    #[test]
    fn only_owners_change_owners_and_the_last_owner_stays() {
        let all = [
            test_member(1, "owner"),
            test_member(2, "admin"),
            test_member(3, "member"),
        ];
        let (owner, admin) = (permissions_of(Role::Owner), permissions_of(Role::Admin));
        assert!(
            owner
                .check_set_role(&all[0], None, &all)
                .unwrap_err()
                .contains("only owner")
        );
        assert!(
            owner
                .check_set_role(&all[1], Some(&Role::Owner), &all)
                .is_ok()
        );
        assert!(
            admin
                .check_set_role(&all[1], Some(&Role::Owner), &all)
                .unwrap_err()
                .contains("you are an admin")
        );
        assert!(
            admin
                .check_set_role(&all[0], Some(&Role::Member), &all)
                .is_err()
        );
        assert!(admin.check_set_role(&all[2], None, &all).is_ok());
        let two = [test_member(1, "owner"), test_member(2, "owner")];
        assert!(
            owner
                .check_set_role(&two[0], Some(&Role::Member), &two)
                .is_ok()
        );
    }

    #[test]
    fn an_api_key_counts_as_an_admin_and_a_member_changes_nobody() {
        let key = Permissions {
            is_api_key: true,
            ..permissions_of(Role::Admin)
        };
        assert!(key.check_administer().is_ok());
        assert!(
            key.check_change_member(&test_member(1, "owner"))
                .unwrap_err()
                .contains("API key")
        );
        assert!(
            permissions_of(Role::Member)
                .check_administer()
                .unwrap_err()
                .contains("you are a member")
        );
    }

    #[test]
    fn a_malformed_member_is_shown_as_far_as_readable_and_is_read_only() {
        let read = |value: serde_json::Value| serde_json::from_value::<Member>(value);
        for odd in [json!(7), json!(null), json!("u_1"), json!({})] {
            let member =
                read(json!({ "id": odd, "email": "ben@a.example", "role": 7, "joined_at": [], "first_name": null })).unwrap();
            assert_eq!(
                (member.name().as_str(), member.has_id()),
                ("ben@a.example", false),
                "{odd}"
            );
            assert!(
                permissions_of(Role::Owner)
                    .check_change_member(&member)
                    .unwrap_err()
                    .contains("no usable id")
            );
        }
        assert!(read(json!({ "id": 7 })).is_err() && read(json!(7)).is_err());
    }

    #[test]
    fn an_unknown_caller_is_denied_only_what_everyone_is_denied() {
        let all = [test_member(1, "owner"), test_member(2, "member")];
        let unknown = Permissions::default();
        assert!(
            unknown
                .check_set_role(&all[1], Some(&Role::Owner), &all)
                .is_ok()
        );
        assert!(unknown.check_set_role(&all[0], None, &all).is_err());
        assert!(
            Permissions {
                cannot_write: true,
                ..unknown
            }
            .check_administer()
            .unwrap_err()
            .contains("workspace:write")
        );
    }

    #[test]
    fn an_invitation_without_a_status_has_the_one_that_its_dates_prove_or_none() {
        let id = Uuid::from_u128(1);
        let status = |more: serde_json::Value| {
            let mut sent = json!({ "id": id, "email": "a@b.example" });
            sent.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            let invitation: Invitation = serde_json::from_value(sent).unwrap();
            let status = invitation.status("2026-07-09T12:00:00Z".parse().unwrap());
            status.map_or_else(|| "unknown".to_owned(), |status| status.to_string())
        };
        for (more, expected) in [
            (json!({}), "unknown"),
            (json!({ "revoked_at": null }), "unknown"),
            (json!({ "expires_at": "2026-07-20T00:00:00Z" }), "unknown"),
            (json!({ "expires_at": "2026-07-09" }), "unknown"),
            (
                json!({ "status": null, "revoked_at": null, "accepted_at": null }),
                "pending",
            ),
            (
                json!({ "accepted_at": null, "expires_at": "2026-07-20T00:00:00Z" }),
                "pending",
            ),
            (
                json!({ "accepted_at": null, "expires_at": "2026-07-09" }),
                "expired",
            ),
            (
                json!({ "revoked_at": "2026-07-01T00:00:00Z", "expires_at": "2026-07-02" }),
                "revoked",
            ),
            (json!({ "accepted_at": "2026-07-01T00:00:00" }), "accepted"),
            (json!({ "expired": true }), "expired"),
            (json!({ "accepted": false }), "pending"),
            (json!({ "state": "Accepted" }), "accepted"),
            (json!({ "Status": "PENDING" }), "pending"),
            (json!({ "status": "bounced" }), "bounced"),
        ] {
            assert_eq!(status(more.clone()), expected, "{more}");
        }
        let bare: Invitation =
            serde_json::from_value(json!({ "id": id, "inviter": { "name": "Miriam" }, "role": 7 }))
                .unwrap();
        assert_eq!(
            (
                bare.name(),
                bare.invited_by.as_ref().map(|by| by.label(None))
            ),
            (id.to_string(), Some("Miriam"))
        );
    }
}
