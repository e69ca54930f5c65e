//! Draws the team: members, invitations and the side panel.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use uuid::Uuid;

use super::TeamPane;
use super::side_panel::{format_ago, invitation_status};
use crate::app::Context;
use crate::app::format::{format_count, format_day};
use crate::app::model::load_state::LoadState;

use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, InvitationStatus, Member, Role};
use crate::domain::writes::WriteOp;
use crate::ui::table::{Table, TableColumn};
use crate::ui::{TextRole, TextSpan, area, paint, panel, text_span};

const STATE_COLUMN: TableColumn = TableColumn { title: "", width: 2, max_width: 0, drop_order: 0, align_right: false };
const NAME_COLUMN: TableColumn = TableColumn { title: "NAME", width: 18, max_width: 34, drop_order: 0, align_right: false };
const EMAIL_COLUMN: TableColumn = TableColumn { title: "EMAIL", width: 18, max_width: 48, drop_order: 3, align_right: false };
const ROLE_COLUMN: TableColumn = TableColumn { title: "ROLE", width: 6, max_width: 0, drop_order: 0, align_right: false };
const JOINED_COLUMN: TableColumn = TableColumn { title: "JOINED", width: 10, max_width: 0, drop_order: 2, align_right: true };
const ACTIVE_COLUMN: TableColumn = TableColumn { title: "ACTIVE", width: 7, max_width: 0, drop_order: 1, align_right: true };
const MEMBER_COLUMNS: [TableColumn; 6] = [STATE_COLUMN, NAME_COLUMN, EMAIL_COLUMN, ROLE_COLUMN, JOINED_COLUMN, ACTIVE_COLUMN];

const ADDRESS_COLUMN: TableColumn = TableColumn { title: "INVITED", width: 18, max_width: 40, drop_order: 0, align_right: false };
const STATUS_COLUMN: TableColumn = TableColumn { title: "STATUS", width: 19, max_width: 0, drop_order: 0, align_right: false };
const EXPIRES_COLUMN: TableColumn = TableColumn { title: "UNTIL", width: 10, max_width: 0, drop_order: 1, align_right: true };
const INVITATION_COLUMNS: [TableColumn; 5] = [STATE_COLUMN, ADDRESS_COLUMN, ROLE_COLUMN, STATUS_COLUMN, EXPIRES_COLUMN];

struct TeamTable<'a> {
    title: &'a str,
    count: String,
    table: Table<'a>,
    cells: &'a dyn Fn(usize, bool) -> Vec<Vec<TextSpan<'static>>>,
    load: &'a LoadState,
    unread: &'a str,
    empty: &'a str,
}

pub fn draw(team: &TeamPane, cx: &Context, buf: &mut Buffer) {
    let (members, invitations) = team.split_lists(cx.layout().panel, cx);
    let pending = team.invitations.iter().filter(|it| it.status(cx.service_now()) == InvitationStatus::Pending).count();
    let lists = [
        (
            members,
            TeamTable {
                title: "Members",
                count: format_count(cx.members().len() as u64),
                table: Table {
                    columns: &MEMBER_COLUMNS,
                    scroll: team.members_scroll,
                    len: cx.members().len(),
                    has_focus: !team.invitations_focused,
                },
                cells: &|at, here| member_cells(team, cx, &cx.members()[at], here),
                load: &team.members_load,
                unread: "could not load the members",
                empty: "no members",
            },
        ),
        (
            invitations,
            TeamTable {
                title: "Invitations",
                count: format!("{} pending", format_count(pending as u64)),
                table: Table {
                    columns: &INVITATION_COLUMNS,
                    scroll: team.invitations_scroll,
                    len: team.invitations.len(),
                    has_focus: team.invitations_focused,
                },
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
    let name = team.current_member(cx).map(Member::name).or(team.current_invitation().map(Invitation::name)).unwrap_or_default();
    let own = team
        .current_member(cx)
        .is_some_and(|member| Some(member.id) == cx.caller_permissions().user && !cx.caller_permissions().is_api_key);
    let mut title = vec![text_span(TextRole::Strong, name)];
    if own {
        title.push(text_span(TextRole::Muted, "  you"));
    }
    let inner = panel::draw_panel(buf, area, &title, &[], cx.layout().panel.is_empty(), &theme);
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(buf, inner, team.panel_lines(inner.width, cx), &theme);
}

fn draw_list(cx: &Context, area: Rect, list: &TeamTable<'_>, buf: &mut Buffer) {
    let theme = cx.theme();
    let read = *list.load == LoadState::Ready;
    let mut title = vec![text_span(TextRole::Strong, list.title)];
    title.extend(read.then(|| text_span(TextRole::Muted, format!(" {}", list.count))));
    panel::draw_panel(buf, area, &title, &[], list.table.has_focus, &theme);
    let rows = panel::rows_area(area);
    match list.load {
        _ if list.table.len > 0 => {}
        LoadState::Failed(why) => return cx.draw_error(buf, rows, list.unread, why, "{team.refresh} retries"),
        LoadState::Ready => return cx.draw_message(buf, rows, &[], &[list.empty]),
        _ => return cx.draw_message(buf, rows, &[], &["loading"]),
    }
    list.table.draw(buf, area, rows, &theme, list.cells);
}

/// One symbol per row: a failed change, or one in flight.
fn state_cell(team: &TeamPane, cx: &Context, id: Uuid, here: bool) -> Vec<TextSpan<'static>> {
    let written = cx.outbox().any_pending(|part| matches!(part, WriteOp::Team(act) if super::target_id(act) == Some(id)));
    vec![
        if here { text_span(TextRole::Focus, cx.theme().glyphs().cursor) } else { text_span(TextRole::Text, " ") },
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
    vec![text_span(TextRole::Muted, when.map(|at| format_day(at, cx.service_now().date_naive())).unwrap_or_default())]
}

pub(super) fn member_cells(team: &TeamPane, cx: &Context, member: &Member, here: bool) -> Vec<Vec<TextSpan<'static>>> {
    let active = member.last_active_at.as_ref().map_or("never".to_owned(), |at| format_ago(at, cx.service_now()));
    vec![
        state_cell(team, cx, member.id.0, here),
        vec![text_span(TextRole::Text, member.name())],
        vec![text_span(TextRole::Muted, member.email.clone().unwrap_or_default())],
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
    let pending = invitation.status(cx.service_now()) == InvitationStatus::Pending;
    vec![
        state_cell(team, cx, invitation.id.0, here),
        vec![text_span(if pending { TextRole::Text } else { TextRole::Muted }, invitation.name())],
        vec![role_span(invitation.role.as_ref())],
        vec![text_span(role, status)],
        date_cell(cx, invitation.expires_at.as_ref().filter(|_| pending)),
    ]
}
