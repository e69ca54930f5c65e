//! Draws the team: members, invitations and the side panel.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use uuid::Uuid;

use super::side_panel::{format_ago, invitation_status};
use super::{TeamPane, columns};
use crate::app::Context;
use crate::app::format::{format_count, format_day};
use crate::app::model::list_table::{ListLines, ListTable};
use crate::app::model::load_state::LoadState;

use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, InvitationStatus, Member, Role};
use crate::domain::writes::WriteOp;
use crate::ui::{TextRole, TextSpan, area, paint, panel, text_span};

struct TeamList<'a> {
    title: &'a str,
    count: String,
    table: &'a ListTable,
    lines: &'a ListLines,
    has_focus: bool,
    cells: &'a dyn Fn(usize, bool) -> Vec<Vec<TextSpan<'static>>>,
    load: &'a LoadState,
    unread: &'a str,
    empty: &'a str,
}

pub fn draw(team: &TeamPane, cx: &Context, buf: &mut Buffer) {
    let (members, invitations) = team.split_lists(cx.layout().panel, cx);
    let pending = team
        .invitations
        .iter()
        .filter(|it| it.status(cx.service_now()) == Some(InvitationStatus::Pending))
        .count();
    let lists = [
        (
            members,
            TeamList {
                title: "Members",
                count: format_count(cx.members().len() as u64),
                table: &columns::MEMBERS,
                lines: &team.member_lines,
                has_focus: !team.invitations_focused,
                cells: &|at, here| member_cells(team, cx, &cx.members()[at], here),
                load: &team.members_load,
                unread: "could not load the members",
                empty: "no members",
            },
        ),
        (
            invitations,
            TeamList {
                title: "Invitations",
                count: format!("{} pending", format_count(pending as u64)),
                table: &columns::INVITATIONS,
                lines: &team.invitation_lines,
                has_focus: team.invitations_focused,
                cells: &|at, here| invitation_cells(team, cx, &team.invitations[at], here),
                load: &team.load,
                unread: "could not load the invitations",
                empty: "no invitations yet; {team.invite} invites",
            },
        ),
    ];
    for (area, list) in lists {
        if !area.is_empty() {
            draw_list(cx, area, &list, buf);
        }
    }
    if !cx.layout().side_panel.is_empty() {
        draw_side_panel(team, cx, cx.layout().side_panel, buf);
    }
}

fn draw_side_panel(team: &TeamPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.theme();
    let name = team
        .current_member(cx)
        .map(Member::name)
        .or(team.current_invitation().map(Invitation::name))
        .unwrap_or_default();
    let own = team.current_member(cx).is_some_and(|member| {
        Some(member.id) == cx.caller_permissions().user && !cx.caller_permissions().is_api_key
    });
    let mut title = vec![text_span(TextRole::Strong, name)];
    if own {
        title.push(text_span(TextRole::Muted, "  you"));
    }
    let inner = panel::draw_panel(buf, area, &title, &[], cx.layout().panel.is_empty(), &theme);
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(buf, inner, team.panel_lines(inner.width, cx), &theme);
}

fn draw_list(cx: &Context, area: Rect, list: &TeamList<'_>, buf: &mut Buffer) {
    let theme = cx.theme();
    let read = *list.load == LoadState::Ready;
    let mut title = vec![text_span(TextRole::Strong, list.title)];
    title.extend(read.then(|| text_span(TextRole::Muted, format!(" {}", list.count))));
    title.extend(cx.arrangement_label(list.table, list.lines));
    panel::draw_panel(buf, area, &title, &[], list.has_focus, &theme);
    let rows = panel::rows_area(area);
    match list.load {
        _ if list.lines.row_count() > 0 => {}
        LoadState::Failed(why) => {
            return cx.draw_error(buf, rows, list.unread, why, "{team.refresh} retries");
        }
        LoadState::Ready => return cx.draw_message(buf, rows, &[], &[list.empty]),
        _ => return cx.draw_message(buf, rows, &[], &["loading"]),
    }
    cx.draw_list(
        buf,
        (list.table, list.lines),
        (area, rows),
        list.has_focus,
        list.cells,
    );
}

/// One symbol per row: a failed change, or one in flight.
fn state_cell(team: &TeamPane, cx: &Context, id: Uuid, here: bool) -> Vec<TextSpan<'static>> {
    let written = cx.outbox().any_pending(
        |part| matches!(part, WriteOp::Team(act) if super::target_id(act) == Some(id)),
    );
    vec![
        if here {
            text_span(TextRole::Focus, cx.theme().glyphs().cursor)
        } else {
            text_span(TextRole::Text, " ")
        },
        if team.write_errors.contains_key(&id) {
            text_span(TextRole::Error, "!")
        } else if written {
            text_span(TextRole::Warning, "~")
        } else {
            text_span(TextRole::Text, " ")
        },
    ]
}

fn role_span(role: Option<&Role>) -> TextSpan<'static> {
    let shade = match role {
        Some(Role::Owner) => TextRole::Strong,
        Some(Role::Admin) => TextRole::Text,
        _ => TextRole::Muted,
    };
    text_span(shade, role.map_or("?", Role::as_str).to_owned())
}

fn date_cell(cx: &Context, when: Option<&DateOrDateTime>) -> Vec<TextSpan<'static>> {
    vec![text_span(
        TextRole::Muted,
        when.map(|at| format_day(at, cx.service_now().date_naive()))
            .unwrap_or_default(),
    )]
}

pub(super) fn member_cells(
    team: &TeamPane,
    cx: &Context,
    member: &Member,
    here: bool,
) -> Vec<Vec<TextSpan<'static>>> {
    let active = member
        .last_active_at
        .as_ref()
        .map_or("never".to_owned(), |at| format_ago(at, cx.service_now()));
    vec![
        state_cell(team, cx, member.id.0, here),
        vec![text_span(TextRole::Text, member.name())],
        vec![text_span(
            TextRole::Muted,
            member.email.clone().unwrap_or_default(),
        )],
        vec![role_span(member.role.as_ref())],
        date_cell(cx, member.joined_at.as_ref()),
        vec![text_span(TextRole::Muted, active)],
    ]
}

pub(super) fn invitation_cells(
    team: &TeamPane,
    cx: &Context,
    invitation: &Invitation,
    here: bool,
) -> Vec<Vec<TextSpan<'static>>> {
    let (role, status) = invitation_status(invitation, cx);
    let may_be_open = invitation.may_be_open(cx.service_now());
    vec![
        state_cell(team, cx, invitation.id.0, here),
        vec![text_span(
            if may_be_open {
                TextRole::Text
            } else {
                TextRole::Muted
            },
            invitation.name(),
        )],
        vec![role_span(invitation.role.as_ref())],
        vec![text_span(role, status)],
        date_cell(cx, columns::end_of_invitation(cx, invitation)),
        date_cell(cx, invitation.created_at.as_ref()),
    ]
}
