//! Draws the team: members, invitations and the side panel.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::TeamPane;
use super::columns::{Invitations, Members};
use crate::app::Context;
use crate::app::focused_list::FocusedList;
use crate::app::format::format_count;
use crate::app::list::list_of;
use crate::app::model::load_state::LoadState;
use crate::domain::members::{Invitation, InvitationStatus, Member};
use crate::ui::{TextRole, area, paint, panel, text_span};

struct TeamList<'a, 'r> {
    title: &'a str,
    count: String,
    list: &'a dyn FocusedList<'r>,
    has_focus: bool,
    load: &'a LoadState,
    unread: &'a str,
    retry: &'a str,
    empty: &'a str,
}

pub fn draw(team: &TeamPane, cx: &Context, buf: &mut Buffer) {
    let (members, invitations) = team.split_lists(cx.frame.layout().panel, cx);
    let pending = team
        .invitations
        .iter()
        .filter(|it| it.status(cx.clock.service_now()) == Some(InvitationStatus::Pending))
        .count();
    let list = (
        list_of::<Members>(team, cx),
        list_of::<Invitations>(team, cx),
    );
    let lists = [
        (
            members,
            TeamList {
                title: "Members",
                count: format_count(cx.team.members.len() as u64),
                list: &list.0,
                has_focus: !team.invitations_focused,
                load: &team.members_load,
                unread: "could not load the members",
                retry: "{team.refresh} retries",
                empty: "no members",
            },
        ),
        (
            invitations,
            TeamList {
                title: "Invitations",
                count: format!("{} pending", format_count(pending as u64)),
                list: &list.1,
                has_focus: team.invitations_focused,
                load: &team.load,
                unread: "could not load the invitations",
                retry: match cx.team.caller_permissions().check_administer() {
                    Ok(()) => "{team.refresh} retries",
                    Err(_) => "",
                },
                empty: "no invitations yet; {team.invite} invites",
            },
        ),
    ];
    for (area, list) in lists {
        if !area.is_empty() {
            draw_list(cx, area, &list, buf);
        }
    }
    if !cx.frame.layout().side_panel.is_empty() {
        draw_side_panel(team, cx, cx.frame.layout().side_panel, buf);
    }
}

fn draw_side_panel(team: &TeamPane, cx: &Context, area: Rect, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let name = team
        .current_member(cx)
        .map(Member::name)
        .or(team.current_invitation().map(Invitation::name))
        .unwrap_or_default();
    let own = team.current_member(cx).is_some_and(|member| {
        Some(member.id) == cx.team.caller_permissions().user
            && !cx.team.caller_permissions().is_api_key
    });
    let mut title = vec![text_span(TextRole::Strong, name)];
    if own {
        title.push(text_span(TextRole::Muted, "  you"));
    }
    let inner = panel::draw_panel(
        buf,
        area,
        &title,
        &[],
        cx.frame.layout().panel.is_empty(),
        &theme,
    );
    let inner = area::inset_sides(inner, 1);
    paint::draw_lines(buf, inner, team.panel_lines(inner.width, cx), &theme);
}

fn draw_list(cx: &Context, area: Rect, list: &TeamList<'_, '_>, buf: &mut Buffer) {
    let theme = cx.settings.theme;
    let read = *list.load == LoadState::Ready;
    let mut title = vec![text_span(TextRole::Strong, list.title)];
    title.extend(read.then(|| text_span(TextRole::Muted, format!(" {}", list.count))));
    title.extend(cx.arrangement_label(list.list));
    panel::draw_panel(buf, area, &title, &[], list.has_focus, &theme);
    let rows = panel::rows_area(area);
    match list.load {
        _ if list.list.row_count() > 0 => {}
        LoadState::Failed(why) => {
            return cx.draw_error(buf, rows, list.unread, why, list.retry);
        }
        LoadState::Ready => return cx.draw_message(buf, rows, &[], &[list.empty]),
        _ => return cx.draw_message(buf, rows, &[], &["loading"]),
    }
    cx.draw_list(buf, list.list, (area, rows), list.has_focus);
}
