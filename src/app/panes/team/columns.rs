//! The columns of the members and of the invitations.

use crate::app::Context;
use crate::app::model::list_table::{ListColumn, ListTable};
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, Member, Role};
use crate::domain::row_fields::RowValue;

pub(super) const MEMBERS: ListTable = ListTable {
    name: "members",
    state_width: 2,
    columns: &[
        ListColumn::text("name", "NAME", 18, 0).growing_to(34),
        ListColumn::text("email", "EMAIL", 18, 3).growing_to(48),
        ListColumn::rank("role", "ROLE", 6, 0),
        ListColumn::date("joined", "JOINED", 10, 2).aligned_right(),
        ListColumn::date("active", "ACTIVE", 7, 1).aligned_right(),
    ],
};

pub(super) const INVITATIONS: ListTable = ListTable {
    name: "invitations",
    state_width: 2,
    columns: &[
        ListColumn::text("address", "INVITED", 18, 0).growing_to(40),
        ListColumn::rank("role", "ROLE", 6, 0),
        ListColumn::text("status", "STATUS", 19, 0),
        ListColumn::date("until", "UNTIL", 10, 1).aligned_right(),
        ListColumn::date("sent", "SENT", 10, 2)
            .aligned_right()
            .hidden(),
    ],
};

fn role_rank(role: Option<&Role>) -> Option<RowValue<'static>> {
    let role = role?;
    let rank = match role {
        Role::Owner => 0,
        Role::Admin => 1,
        Role::Member => 2,
        Role::Other(_) => 3,
    };
    Some(RowValue::Ranked(rank, role.to_string().into()))
}

fn date(when: Option<&DateOrDateTime>) -> Option<RowValue<'static>> {
    when?.date_time().map(RowValue::Date)
}

/// What a member has in a column.
pub(super) fn member_value<'a>(member: &'a Member, key: &str) -> Option<RowValue<'a>> {
    match key {
        "name" => Some(RowValue::Text(member.name().into())),
        "email" => RowValue::text(member.email.as_deref()),
        "role" => role_rank(member.role.as_ref()),
        "joined" => date(member.joined_at.as_ref()),
        _ => date(member.last_active_at.as_ref()),
    }
}

/// What an invitation has in a column.
pub(super) fn invitation_value<'a>(
    cx: &Context,
    invitation: &'a Invitation,
    key: &str,
) -> Option<RowValue<'a>> {
    match key {
        "address" => Some(RowValue::Text(invitation.name().into())),
        "role" => role_rank(invitation.role.as_ref()),
        "status" => Some(RowValue::Text(
            super::side_panel::invitation_status(invitation, cx)
                .1
                .into(),
        )),
        "until" => date(end_of_invitation(cx, invitation)),
        _ => date(invitation.created_at.as_ref()),
    }
}

/// When an invitation ends that is not over.
pub(super) fn end_of_invitation<'a>(
    cx: &Context,
    invitation: &'a Invitation,
) -> Option<&'a DateOrDateTime> {
    invitation
        .expires_at
        .as_ref()
        .filter(|_| invitation.may_be_open(cx.service_now()))
}
