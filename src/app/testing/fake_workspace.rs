//! The workspace's settings in console tests: subscriptions, members and invitations, as a service
//! keeps them.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{ANA, BEN, NOW};
use crate::domain::batch::BatchItemResult;
use crate::domain::members::{
    Invitation, InvitationDelivery, InvitationStatus, Member, MemberAction,
};
use crate::domain::request_error::{RequestError, RequestErrorKind, ServiceError};
use crate::domain::signals::SignalType;
use crate::domain::subscriptions::{
    StagedChange, Subscription, SubscriptionCall, SubscriptionChange,
};
use crate::domain::{InvitationId, UserId};

#[derive(Clone, Debug)]
pub struct FakeWorkspace {
    pub subscriptions: Vec<Subscription>,
    pub members: Vec<Member>,
    pub invitations: Vec<Invitation>,
    /// The caller as `GET /workspace` reports it.
    pub caller: Value,
    /// Whether an invitation reaches anybody, as the service reports it.
    pub sends_invitations: Option<bool>,
    /// How new invitations reach the person, as the service reports it.
    pub delivery: Option<InvitationDelivery>,
    /// The error that every write gets.
    pub write_failure: Option<RequestError>,
}

pub fn rejection(status: u16, code: &str, message: &str) -> RequestError {
    let refusal = ServiceError {
        status,
        code: code.into(),
        message: message.into(),
        ..ServiceError::default()
    };
    RequestError {
        kind: RequestErrorKind::Rejected(refusal),
        message: format!("rejected ({code}): {message}"),
    }
}

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a valid workspace")
}

fn user_id(n: u128) -> UserId {
    UserId(Uuid::from_u128(n))
}

impl Default for FakeWorkspace {
    /// Ten of seventeen types, three members, an invitation of each kind; the caller is Ana, the
    /// owner.
    fn default() -> FakeWorkspace {
        let subscription = |kind: &str,
                            priority: &str,
                            new: u64,
                            channels: Value,
                            all: bool,
                            people: &[u128]| {
            from_json::<Subscription>(
                json!({ "signal_type": kind, "priority": priority, "channels": channels, "notify_all_members": all,
                "recipient_user_ids": people.iter().map(|n| user_id(*n)).collect::<Vec<_>>(), "new_count": new,
                "created_at": "2026-03-14T00:00:00Z" }),
            )
        };
        let mail = || json!(["email"]);
        let none = || json!([]);
        let member = |n: u128, name: &str, role: &str, active: Value| {
            let first = name.split(' ').next().unwrap_or_default().to_lowercase();
            from_json::<Member>(
                json!({ "id": user_id(n), "display_name": name, "role": role, "email": format!("{first}@example.com"),
                "joined_at": "2026-02-01T00:00:00Z", "last_active_at": active }),
            )
        };
        let invitation = |n: u128, email: &str, status: &str, of: &str| {
            from_json::<Invitation>(
                json!({ "id": Uuid::from_u128(0x6000 + n), "email": email, "role": "member", "status": status,
                "invited_by": user_id(ANA), "created_at": "2026-07-01T00:00:00Z", "expires_at": "2026-07-15T00:00:00Z", of: "2026-07-02T00:00:00Z" }),
            )
        };
        FakeWorkspace {
            subscriptions: vec![
                subscription("permit_issued", "high", 4, mail(), true, &[]),
                subscription(
                    "entitlement_approval",
                    "high",
                    1,
                    mail(),
                    false,
                    &[ANA, BEN],
                ),
                subscription("construction_loan", "high", 2, none(), false, &[]),
                subscription("permit_filed", "medium", 3, none(), false, &[]),
                subscription(
                    "site_acquisition",
                    "medium",
                    1,
                    mail(),
                    false,
                    &[BEN, 0xDEAD],
                ),
                subscription("entitlement_application", "medium", 1, none(), false, &[]),
                subscription("demolition_permit", "medium", 1, none(), false, &[]),
                subscription("team_update", "low", 1, none(), false, &[]),
                subscription("public_review", "low", 1, none(), false, &[]),
                subscription("withdrawal", "low", 1, none(), false, &[]),
            ],
            members: vec![
                member(ANA, "Ana R.", "owner", json!("2026-07-09T09:20:00Z")),
                member(BEN, "Ben K.", "admin", json!("2026-07-09T09:08:00Z")),
                member(0xC, "Chloe T.", "member", Value::Null),
            ],
            invitations: vec![
                invitation(1, "sam@example.com", "pending", "updated_at"),
                invitation(2, "lee@example.com", "accepted", "accepted_at"),
                invitation(3, "kim@example.com", "revoked", "revoked_at"),
            ],
            caller: json!({ "kind": "user", "user_id": user_id(ANA) }),
            sends_invitations: None,
            delivery: None,
            write_failure: None,
        }
    }
}

impl FakeWorkspace {
    pub fn subscription(&self, kind: &SignalType) -> Option<&Subscription> {
        self.subscriptions.iter().find(|it| it.signal_type == *kind)
    }

    /// Changes subscriptions; returns the whole list.
    pub fn apply_subscription_call(
        &mut self,
        order: &SubscriptionCall,
    ) -> Result<Vec<Subscription>, RequestError> {
        if let Some(failure) = &self.write_failure {
            return Err(failure.clone());
        }
        match order {
            SubscriptionCall::Bulk(types) => types.iter().for_each(|(kind, priority)| {
                self.set_subscription(
                    kind,
                    &SubscriptionChange {
                        priority: Some(priority.clone()),
                        ..SubscriptionChange::default()
                    },
                )
            }),
            SubscriptionCall::Put(kind, change) => self.set_subscription(kind, change),
            SubscriptionCall::Delete(kind) => {
                self.subscriptions.retain(|it| it.signal_type != *kind)
            }
        }
        Ok(self.subscriptions.clone())
    }

    /// Changes a subscription as a colleague would.
    pub fn set_subscription(&mut self, kind: &SignalType, change: &SubscriptionChange) {
        let at = self
            .subscriptions
            .iter()
            .position(|it| it.signal_type == *kind);
        let now = at.map(|at| self.subscriptions.remove(at));
        self.subscriptions
            .extend(StagedChange::Set(change.clone()).resulting_subscription(kind, now.as_ref()));
    }

    pub fn apply_team_change(
        &mut self,
        act: &MemberAction,
    ) -> Result<Vec<BatchItemResult>, RequestError> {
        if let Some(failure) = &self.write_failure {
            return Err(failure.clone());
        }
        match act {
            MemberAction::Invite { email, role } => {
                if self
                    .members
                    .iter()
                    .any(|member| member.email.as_ref() == Some(email))
                {
                    return Err(rejection(
                        409,
                        "already_exists",
                        "this address is a member's",
                    ));
                }
                let id = InvitationId(Uuid::from_u128(0x6100 + self.invitations.len() as u128));
                let made = json!({ "id": id, "email": email, "role": role, "status": "pending", "created_at": NOW });
                self.invitations.insert(0, from_json(made));
                return Ok(vec![BatchItemResult {
                    delivery: self.delivery.clone().map(Box::new),
                    ..BatchItemResult::ok()
                }]);
            }
            MemberAction::Revoke(id) => {
                let known = self.invitations.iter_mut().filter(|it| it.id == *id);
                known.for_each(|it| it.status = Some(InvitationStatus::Revoked));
            }
            MemberAction::SetRole(id, role) => {
                let known = self.members.iter_mut().filter(|member| member.id == *id);
                known.for_each(|member| member.role = Some(role.clone()));
            }
            MemberAction::Remove(id) => self.members.retain(|member| member.id != *id),
        }
        Ok(vec![BatchItemResult::ok()])
    }
}
