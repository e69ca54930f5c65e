//! Drawing of the team: members, invitations, and beside them the one under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::sheet::ago;
use crate::app::App;
use crate::app::format::{count, day};
use crate::app::panes::records::draw::rows_area;
use crate::app::records::Load;
use crate::app::writes::Part;
use crate::domain::lenient::When;
use crate::domain::members::{Invitation, InvitationStatus, Member, Role as Position};
use crate::ui::table::{Column, Table};
use crate::ui::{Piece, Role, area, paint, panel, piece};
use uuid::Uuid;

const STATE: Column = Column { title: "", width: 2, grow_to: 0, leaves: 0, right: false };
const NAME: Column = Column { title: "NAME", width: 18, grow_to: 34, leaves: 0, right: false };
const EMAIL: Column = Column { title: "E-MAIL", width: 18, grow_to: 48, leaves: 3, right: false };
const ROLE: Column = Column { title: "ROLE", width: 6, grow_to: 0, leaves: 0, right: false };
const JOINED: Column = Column { title: "JOINED", width: 10, grow_to: 0, leaves: 2, right: true };
const ACTIVE: Column = Column { title: "ACTIVE", width: 7, grow_to: 0, leaves: 1, right: true };
const MEMBERS: [Column; 6] = [STATE, NAME, EMAIL, ROLE, JOINED, ACTIVE];

const ADDRESS: Column = Column { title: "INVITED", width: 18, grow_to: 40, leaves: 0, right: false };
const STATUS: Column = Column { title: "STATUS", width: 19, grow_to: 0, leaves: 0, right: false };
const UNTIL: Column = Column { title: "UNTIL", width: 10, grow_to: 0, leaves: 1, right: true };
const INVITATIONS: [Column; 5] = [STATE, ADDRESS, ROLE, STATUS, UNTIL];

/// A list of the team.
struct List<'a> {
    title: &'a str,
    count: String,
    table: Table<'a>,
    cells: &'a dyn Fn(usize, bool) -> Vec<Vec<Piece<'static>>>,
    load: &'a Load,
    unread: &'a str,
    empty: &'a str,
}

/// Draws the pane: what of it has room.
pub fn draw(app: &App, buf: &mut Buffer) {
    let (members, invitations) = app.split_team(app.areas.panel);
    let team = &app.team;
    let pending = team.invitations.iter().filter(|it| it.status(app.service_now()) == InvitationStatus::Pending).count();
    let lists = [
        (
            members,
            List {
                title: "Members",
                count: count(app.members.len() as u64),
                table: Table {
                    columns: &MEMBERS,
                    scroll: team.at_member,
                    len: app.members.len(),
                    has_keys: !team.on_invitations,
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
                count: format!("{} pending", count(pending as u64)),
                table: Table {
                    columns: &INVITATIONS,
                    scroll: team.at_invitation,
                    len: team.invitations.len(),
                    has_keys: team.on_invitations,
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
    if !app.areas.aside.is_empty() {
        draw_aside(app, app.areas.aside, buf);
    }
}

fn draw_aside(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = app.theme();
    let name = app.member().map(Member::name).or(app.team.invitation().map(Invitation::name)).unwrap_or_default();
    let own = app.member().is_some_and(|member| Some(member.id) == app.who_asks().user && !app.who_asks().is_key);
    let mut title = vec![piece(Role::Strong, name)];
    if own {
        title.push(piece(Role::Muted, "  you"));
    }
    let inner = panel::panel(buf, area, &title, &[], app.areas.panel.is_empty(), &theme);
    let inner = area::padded(inner, 1);
    paint::lines(buf, inner, app.team_lines(inner.width, app.areas.preview_below), &theme);
}

fn draw_list(app: &App, area: Rect, list: &List<'_>, buf: &mut Buffer) {
    let theme = app.theme();
    let read = *list.load == Load::Ready;
    let mut title = vec![piece(Role::Strong, list.title)];
    title.extend(read.then(|| piece(Role::Muted, format!(" {}", list.count))));
    panel::panel(buf, area, &title, &[], list.table.has_keys, &theme);
    let rows = rows_area(area);
    match list.load {
        _ if list.table.len > 0 => {}
        Load::Failed(why) => return app.say_failed(buf, rows, list.unread, why, "{team.refresh} tries again"),
        Load::Ready => return app.say(buf, rows, &[], &[list.empty]),
        _ => return app.say(buf, rows, &[], &["reading"]),
    }
    list.table.draw(buf, area, rows, &theme, list.cells);
}

/// One mark a row: a change that failed, or one that is on its way.
fn state(app: &App, id: Uuid, here: bool) -> Vec<Piece<'static>> {
    let written = app.writes.has(|part| matches!(part, Part::Team(act) if super::subject(act) == Some(id)));
    vec![
        if here { piece(Role::Focus, app.theme().glyphs().cursor) } else { piece(Role::Text, " ") },
        if app.team.reasons.contains_key(&id) {
            piece(Role::Bad, "!")
        } else if written {
            piece(Role::Warn, "~")
        } else {
            piece(Role::Text, " ")
        },
    ]
}

fn position(role: Option<&Position>) -> Piece<'static> {
    let shade = match role {
        Some(Position::Owner) => Role::Strong,
        Some(Position::Admin) => Role::Text,
        _ => Role::Muted,
    };
    piece(shade, role.map_or("?", Position::as_str).to_owned())
}

fn day_of(app: &App, when: Option<&When>) -> Vec<Piece<'static>> {
    vec![piece(Role::Muted, when.map(|at| day(at, app.service_now().date_naive())).unwrap_or_default())]
}

fn member_cells(app: &App, member: &Member, here: bool) -> Vec<Vec<Piece<'static>>> {
    let active = member.last_active_at.as_ref().map_or("never".to_owned(), |at| ago(at, app.service_now()));
    vec![
        state(app, member.id.0, here),
        vec![piece(Role::Text, member.name())],
        vec![piece(Role::Muted, member.email.clone().unwrap_or_default())],
        vec![position(member.role.as_ref())],
        day_of(app, member.joined_at.as_ref()),
        vec![piece(Role::Muted, active)],
    ]
}

fn invitation_cells(app: &App, invitation: &Invitation, here: bool) -> Vec<Vec<Piece<'static>>> {
    let (role, status) = app.status_of(invitation);
    let pending = invitation.status(app.service_now()) == InvitationStatus::Pending;
    vec![
        state(app, invitation.id.0, here),
        vec![piece(if pending { Role::Text } else { Role::Muted }, invitation.name())],
        vec![position(invitation.role.as_ref())],
        vec![piece(role, status)],
        day_of(app, invitation.expires_at.as_ref().filter(|_| pending)),
    ]
}
