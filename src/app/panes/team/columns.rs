//! The columns of the members and of the invitations.

use uuid::Uuid;

use super::TeamPane;
use super::side_panel::{format_ago, invitation_status};
use crate::app::Context;
use crate::app::list::{List, ListColumn, ListRow};
use crate::app::model::list_field::FieldKind;
use crate::app::model::list_table::ListLines;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, Member, Role};
use crate::domain::row_columns::RowValue;
use crate::domain::shared_columns::{EMAIL, INVITATION_STATUS, NAME, ROLE};
use crate::domain::writes::WriteOp;
use crate::ui::{TextRole, TextSpan, text_span};

pub(super) struct Members;

impl List for Members {
    type Pane = TeamPane;
    type Item = Member;

    const NAME: &'static str = "members";
    const STATE_WIDTH: u16 = 2;
    const WIDER_SEARCH: &'static str = "{team.switch} switches to the other list";
    const COLUMNS: &'static [ListColumn<Members>] = &[
        ListColumn::<Self>::from_column(NAME, (16, 0), |row| {
            // The address stands beside it.
            let name = row.item.name();
            let is_address = row.item.email.as_deref() == Some(name.as_str());
            (!is_address).then(|| RowValue::Text(name.into()))
        })
        .growing_to(22),
        ListColumn::<Self>::from_column(EMAIL, (30, 1), |row| {
            RowValue::text(row.item.email.as_deref())
        })
        .growing_to(64),
        ListColumn::<Self>::from_column(ROLE, (6, 0), |row| role_rank(row.item.role.as_ref()))
            .drawn(|row| role_cell(row.item.role.as_ref())),
        ListColumn::<Self>::date(("joined", "JOINED"), (10, 3), |row| {
            row.item.joined_at.as_ref()
        })
        .aligned_right(),
        ListColumn::<Self>::date(("active", "ACTIVE"), (7, 2), |row| {
            row.item.last_active_at.as_ref()
        })
        .aligned_right()
        .drawn(|row| {
            let active = row.item.last_active_at.as_ref();
            let ago = active.map(|at| format_ago(at, row.cx.clock.service_now()));
            text_span(TextRole::Muted, ago.unwrap_or_else(|| "never".to_owned()))
        }),
    ];

    fn items<'a>(_team: &'a TeamPane, cx: &'a Context) -> &'a [Member] {
        &cx.team.members
    }

    fn lines(team: &TeamPane) -> &ListLines {
        &team.member_lines
    }

    fn state(row: &ListRow<'_, Members>) -> Vec<TextSpan<'static>> {
        vec![state_span(row.pane, row.cx, row.item.id.0)]
    }
}

pub(super) struct Invitations;

impl List for Invitations {
    type Pane = TeamPane;
    type Item = Invitation;

    const NAME: &'static str = "invitations";
    const STATE_WIDTH: u16 = 2;
    const WIDER_SEARCH: &'static str = "{team.switch} switches to the other list";
    const COLUMNS: &'static [ListColumn<Invitations>] = &[
        ListColumn::<Self>::new(FieldKind::Name, ("address", "INVITED"), (18, 0), |row| {
            Some(RowValue::Text(row.item.name().into()))
        })
        .growing_to(40)
        .drawn(|row| {
            let role = if row.item.may_be_open(row.cx.clock.service_now()) {
                TextRole::Text
            } else {
                TextRole::Muted
            };
            text_span(role, row.item.name())
        }),
        ListColumn::<Self>::from_column(ROLE, (6, 0), |row| role_rank(row.item.role.as_ref()))
            .drawn(|row| role_cell(row.item.role.as_ref())),
        ListColumn::<Self>::from_column(INVITATION_STATUS, (19, 0), |row| {
            let (_, status) = invitation_status(row.item, row.cx);
            Some(RowValue::Text(status.into()))
        })
        .drawn(|row| {
            let (role, status) = invitation_status(row.item, row.cx);
            text_span(role, status)
        }),
        ListColumn::<Self>::date(("until", "UNTIL"), (10, 1), end_of_invitation).aligned_right(),
        ListColumn::<Self>::date(("sent", "SENT"), (10, 2), |row| {
            row.item.created_at.as_ref()
        })
        .aligned_right()
        .hidden(),
    ];

    fn items<'a>(team: &'a TeamPane, _cx: &'a Context) -> &'a [Invitation] {
        &team.invitations
    }

    fn lines(team: &TeamPane) -> &ListLines {
        &team.invitation_lines
    }

    fn state(row: &ListRow<'_, Invitations>) -> Vec<TextSpan<'static>> {
        vec![state_span(row.pane, row.cx, row.item.id.0)]
    }
}

/// When an invitation ends that is not over.
fn end_of_invitation<'a>(row: &ListRow<'a, Invitations>) -> Option<&'a DateOrDateTime> {
    let end = row.item.expires_at.as_ref();
    end.filter(|_| row.item.may_be_open(row.cx.clock.service_now()))
}

/// A failed change, or one in flight.
fn state_span(team: &TeamPane, cx: &Context, id: Uuid) -> TextSpan<'static> {
    let is_pending = cx.outbox.any_pending(
        |part| matches!(part, WriteOp::Team(act) if super::target_id(act) == Some(id)),
    );
    if team.write_errors.contains_key(&id) {
        text_span(TextRole::Error, "!")
    } else if is_pending {
        text_span(TextRole::Warning, "~")
    } else {
        text_span(TextRole::Text, " ")
    }
}

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

fn role_cell(role: Option<&Role>) -> TextSpan<'static> {
    let shade = match role {
        Some(Role::Owner) => TextRole::Strong,
        Some(Role::Admin) => TextRole::Text,
        _ => TextRole::Muted,
    };
    text_span(shade, role.map_or("?", Role::as_str).to_owned())
}
