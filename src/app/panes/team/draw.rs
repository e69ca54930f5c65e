//! Drawing of the team: members, invitations, and beside them the one under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::sheet::ago;
use crate::app::App;
use crate::app::format::{format_count, format_day};
use crate::app::panes::records::draw::rows_area;
use crate::app::records::LoadState;
use crate::app::writes::WriteOp;
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, InvitationStatus, Member, Role as Position};
use crate::ui::table::{Table, TableColumn};
use crate::ui::{TextRole, TextSpan, area, paint, panel, text_span};
use uuid::Uuid;

const STATE: TableColumn = TableColumn { title: "", width: 2, max_width: 0, drop_order: 0, align_right: false };
const NAME: TableColumn = TableColumn { title: "NAME", width: 18, max_width: 34, drop_order: 0, align_right: false };
const EMAIL: TableColumn = TableColumn { title: "E-MAIL", width: 18, max_width: 48, drop_order: 3, align_right: false };
const ROLE: TableColumn = TableColumn { title: "ROLE", width: 6, max_width: 0, drop_order: 0, align_right: false };
const JOINED: TableColumn = TableColumn { title: "JOINED", width: 10, max_width: 0, drop_order: 2, align_right: true };
const ACTIVE: TableColumn = TableColumn { title: "ACTIVE", width: 7, max_width: 0, drop_order: 1, align_right: true };
const MEMBERS: [TableColumn; 6] = [STATE, NAME, EMAIL, ROLE, JOINED, ACTIVE];

const ADDRESS: TableColumn = TableColumn { title: "INVITED", width: 18, max_width: 40, drop_order: 0, align_right: false };
const STATUS: TableColumn = TableColumn { title: "STATUS", width: 19, max_width: 0, drop_order: 0, align_right: false };
const UNTIL: TableColumn = TableColumn { title: "UNTIL", width: 10, max_width: 0, drop_order: 1, align_right: true };
const INVITATIONS: [TableColumn; 5] = [STATE, ADDRESS, ROLE, STATUS, UNTIL];

/// A list of the team.
struct List<'a> {
    title: &'a str,
    count: String,
    table: Table<'a>,
    cells: &'a dyn Fn(usize, bool) -> Vec<Vec<TextSpan<'static>>>,
    load: &'a LoadState,
    unread: &'a str,
    empty: &'a str,
}

/// Draws the pane: what of it has room.
pub fn draw(app: &App, buf: &mut Buffer) {
    let (members, invitations) = app.split_team(app.layout.panel);
    let team = &app.team;
    let pending = team.invitations.iter().filter(|it| it.status(app.service_now()) == InvitationStatus::Pending).count();
    let lists = [
        (
            members,
            List {
                title: "Members",
                count: format_count(app.members.len() as u64),
                table: Table {
                    columns: &MEMBERS,
                    scroll: team.at_member,
                    len: app.members.len(),
                    has_focus: !team.on_invitations,
                },
                cells: &|at, here| member_cells(app, &app.members[at], here),
                load: &team.members_load,
                unread: "the members could not be read",
                empty: "nobody is a member",
            },
        ),
        (
            invitations,
            List {
                title: "Invitations",
                count: format!("{} pending", format_count(pending as u64)),
                table: Table {
                    columns: &INVITATIONS,
                    scroll: team.at_invitation,
                    len: team.invitations.len(),
                    has_focus: team.on_invitations,
                },
                cells: &|at, here| invitation_cells(app, &team.invitations[at], here),
                load: &team.load,
                unread: "the invitations could not be read",
                empty: "nobody was invited yet; {team.invite} invites",
            },
        ),
    ];
    for (area, list) in lists {
        if !area.is_empty() {
            draw_list(app, area, &list, buf);
        }
    }
    if !app.layout.side_panel.is_empty() {
        draw_aside(app, app.layout.side_panel, buf);
    }
}

fn draw_aside(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let name = app.member().map(Member::name).or(app.team.invitation().map(Invitation::name)).unwrap_or_default();
    let own = app.member().is_some_and(|member| Some(member.id) == app.who_asks().user && !app.who_asks().is_api_key);
    let mut title = vec![text_span(TextRole::Strong, name)];
    if own {
        title.push(text_span(TextRole::Muted, "  you"));
    }
    let inner = panel::draw_panel(buf, area, &title, &[], app.layout.panel.is_empty(), &theme);
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(buf, inner, app.team_lines(inner.width, app.layout.preview_below), &theme);
}

fn draw_list(app: &App, area: Rect, list: &List<'_>, buf: &mut Buffer) {
    let theme = app.theme();
    let read = *list.load == LoadState::Ready;
    let mut title = vec![text_span(TextRole::Strong, list.title)];
    title.extend(read.then(|| text_span(TextRole::Muted, format!(" {}", list.count))));
    panel::draw_panel(buf, area, &title, &[], list.table.has_focus, &theme);
    let rows = rows_area(area);
    match list.load {
        _ if list.table.len > 0 => {}
        LoadState::Failed(why) => return app.draw_error(buf, rows, list.unread, why, "{team.refresh} tries again"),
        LoadState::Ready => return app.draw_message(buf, rows, &[], &[list.empty]),
        _ => return app.draw_message(buf, rows, &[], &["reading"]),
    }
    list.table.draw(buf, area, rows, &theme, list.cells);
}

/// One mark a row: a change that failed, or one that is on its way.
fn state(app: &App, id: Uuid, here: bool) -> Vec<TextSpan<'static>> {
    let written = app.pending_writes.any_pending(|part| matches!(part, WriteOp::Team(act) if super::subject(act) == Some(id)));
    vec![
        if here { text_span(TextRole::Focus, app.theme().glyphs().cursor) } else { text_span(TextRole::Text, " ") },
        if app.team.reasons.contains_key(&id) {
            text_span(TextRole::Error, "!")
        } else if written {
            text_span(TextRole::Warning, "~")
        } else {
            text_span(TextRole::Text, " ")
        },
    ]
}

fn position(role: Option<&Position>) -> TextSpan<'static> {
    let shade = match role {
        Some(Position::Owner) => TextRole::Strong,
        Some(Position::Admin) => TextRole::Text,
        _ => TextRole::Muted,
    };
    text_span(shade, role.map_or("?", Position::as_str).to_owned())
}

fn day_of(app: &App, when: Option<&DateOrDateTime>) -> Vec<TextSpan<'static>> {
    vec![text_span(TextRole::Muted, when.map(|at| format_day(at, app.service_now().date_naive())).unwrap_or_default())]
}

fn member_cells(app: &App, member: &Member, here: bool) -> Vec<Vec<TextSpan<'static>>> {
    let active = member.last_active_at.as_ref().map_or("never".to_owned(), |at| ago(at, app.service_now()));
    vec![
        state(app, member.id.0, here),
        vec![text_span(TextRole::Text, member.name())],
        vec![text_span(TextRole::Muted, member.email.clone().unwrap_or_default())],
        vec![position(member.role.as_ref())],
        day_of(app, member.joined_at.as_ref()),
        vec![text_span(TextRole::Muted, active)],
    ]
}

fn invitation_cells(app: &App, invitation: &Invitation, here: bool) -> Vec<Vec<TextSpan<'static>>> {
    let (role, status) = app.status_of(invitation);
    let pending = invitation.status(app.service_now()) == InvitationStatus::Pending;
    vec![
        state(app, invitation.id.0, here),
        vec![text_span(if pending { TextRole::Text } else { TextRole::Muted }, invitation.name())],
        vec![position(invitation.role.as_ref())],
        vec![text_span(role, status)],
        day_of(app, invitation.expires_at.as_ref().filter(|_| pending)),
    ]
}
