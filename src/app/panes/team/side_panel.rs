//! The side panel: the member or invitation under the cursor, and which changes are allowed, or why
//! not.

use chrono::{DateTime, Utc};

use super::TeamPane;
use crate::app::Context;
use crate::app::format::{format_count, format_day, format_full_day};
use crate::app::panes::fact_list::{FactLine, FactList};
use crate::domain::lenient::DateOrDateTime;
use crate::domain::members::{Invitation, InvitationStatus, Member, PermissionCheck};
use crate::domain::workspace::CallerKind;
use crate::ui::TextRole;

/// Width of the labels in cells.
const LABEL_WIDTH: usize = 13;

impl TeamPane {
    /// The panel's lines; the small panel below the lists omits what is visible elsewhere.
    pub(super) fn panel_lines(&self, width: u16, cx: &Context) -> Vec<FactLine> {
        let is_below = cx.frame.layout().preview_below;
        let mut list = FactList::new(width, LABEL_WIDTH);
        if let Some((email, why)) = &self.rejected_invitation {
            list.push_fact("not invited", TextRole::Error, format!("{email}: {why}"));
            list.push_gap();
        }
        match (self.current_member(cx), self.current_invitation()) {
            (Some(member), _) => self.write_member_facts(&mut list, member, cx),
            (None, Some(invitation)) => self.write_invitation_facts(&mut list, invitation, cx),
            (None, None) => {}
        }
        if !is_below {
            write_caller_rights(&mut list, cx);
        }
        list.into_lines()
    }

    fn write_member_facts(&self, list: &mut FactList, member: &Member, cx: &Context) {
        let is_below = cx.frame.layout().preview_below;
        if let Some(why) = self.write_errors.get(&member.id.0) {
            list.push_fact("not done", TextRole::Error, why.clone());
        }
        list.push_fact(
            "email",
            TextRole::Text,
            member.email.clone().unwrap_or_default(),
        );
        let role = member
            .role
            .as_ref()
            .map_or("unknown".to_owned(), |role| role.as_str().to_owned());
        list.push_fact("role", TextRole::Text, role);
        if !is_below {
            list.push_fact(
                "joined",
                TextRole::Text,
                member
                    .joined_at
                    .as_ref()
                    .map(format_full_day)
                    .unwrap_or_default(),
            );
            let seen = member
                .last_active_at
                .as_ref()
                .map_or("never".to_owned(), |at| full_moment(at, cx));
            list.push_fact("last active", TextRole::Text, seen);
        }
        list.push_fact("done today", TextRole::Text, member_done_today(member, cx));
        let permissions = cx.team.caller_permissions();
        if !is_below {
            list.push_heading("Rights", "");
        }
        write_permission(list, "change role", permissions.check_change_member(member));
        write_permission(
            list,
            "remove",
            permissions.check_set_role(member, None, &cx.team.members),
        );
    }

    fn write_invitation_facts(&self, list: &mut FactList, invitation: &Invitation, cx: &Context) {
        let is_below = cx.frame.layout().preview_below;
        if let Some(why) = self.write_errors.get(&invitation.id.0) {
            list.push_fact("not done", TextRole::Error, why.clone());
        }
        let (role, status) = invitation_status(invitation, cx);
        list.push_fact("status", role, status);
        if !is_below {
            list.push_fact(
                "role",
                TextRole::Text,
                invitation
                    .role
                    .as_ref()
                    .map(|role| role.as_str().to_owned())
                    .unwrap_or_default(),
            );
            list.push_fact(
                "invited",
                TextRole::Text,
                invitation
                    .created_at
                    .as_ref()
                    .map(|at| full_moment(at, cx))
                    .unwrap_or_default(),
            );
            list.push_fact(
                "by",
                TextRole::Text,
                invitation
                    .invited_by
                    .as_ref()
                    .map(|by| cx.queue.user_name(Some(by)))
                    .unwrap_or_default(),
            );
            list.push_fact(
                "until",
                TextRole::Text,
                invitation
                    .expires_at
                    .as_ref()
                    .map(|at| full_moment(at, cx))
                    .unwrap_or_default(),
            );
            list.push_heading("Rights", "");
        }
        write_permission(list, "revoke", check_revoke(invitation, cx));
        if !is_below {
            list.push_gap();
            let text = "Revoking is final: the link stops working at once; the record stays. You can send a new invitation.";
            list.push_paragraph(TextRole::Muted, text);
        }
    }
}

/// What the caller may do.
fn write_caller_rights(list: &mut FactList, cx: &Context) {
    let permissions = cx.team.caller_permissions();
    list.push_heading("You", "");
    let role = permissions
        .role
        .as_ref()
        .map_or("role unknown", |role| role.as_str());
    let kind = match cx
        .team
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.caller.as_ref()?.kind.as_ref())
    {
        Some(CallerKind::ApiKey) => {
            "API key, acts as an admin; to revoke access, type the address".to_owned()
        }
        Some(CallerKind::User) => role.to_owned(),
        Some(CallerKind::Other(kind)) => format!("{kind}; the service decides when you try"),
        None => "unknown; the service decides when you try".to_owned(),
    };
    list.push_fact("role", TextRole::Text, kind);
    write_permission(list, "invite", permissions.check_administer());
    let favorites = if permissions.is_api_key {
        Err("needs a user token".to_owned())
    } else {
        Ok(())
    };
    write_permission(list, "favorites", favorites);
}

pub(super) fn check_revoke(invitation: &Invitation, cx: &Context) -> PermissionCheck {
    cx.team.caller_permissions().check_administer()?;
    match invitation.status(cx.clock.service_now()) {
        Some(InvitationStatus::Accepted) => {
            Err("already accepted: remove the member instead".to_owned())
        }
        Some(InvitationStatus::Revoked) => Err("already revoked".to_owned()),
        _ => Ok(()),
    }
}

/// An invitation's status and its date.
pub(super) fn invitation_status(invitation: &Invitation, cx: &Context) -> (TextRole, String) {
    let today = cx.clock.service_now().date_naive();
    let on = |when: &Option<DateOrDateTime>| {
        when.as_ref()
            .map(|at| format!(" {}", format_day(at, today)))
            .unwrap_or_default()
    };
    let Some(status) = invitation.status(cx.clock.service_now()) else {
        let is_member = invitation
            .email
            .as_deref()
            .is_some_and(|email| cx.team.members.iter().any(|it| it.has_address(email)));
        return if is_member {
            (TextRole::Success, "joined".to_owned())
        } else {
            (TextRole::Muted, "unknown".to_owned())
        };
    };
    match status {
        InvitationStatus::Pending => (TextRole::Medium, "pending".to_owned()),
        InvitationStatus::Accepted => (
            TextRole::Success,
            format!("accepted{}", on(&invitation.accepted_at)),
        ),
        InvitationStatus::Revoked => (
            TextRole::Muted,
            format!("revoked{}", on(&invitation.revoked_at)),
        ),
        InvitationStatus::Expired => (
            TextRole::Muted,
            format!("expired{}", on(&invitation.expires_at)),
        ),
        InvitationStatus::Other(word) => (TextRole::Text, word.into()),
    }
}

/// What a member did today according to the loaded Done rows; empty if nothing.
fn member_done_today(member: &Member, cx: &Context) -> String {
    let today = cx.clock.service_now().date_naive();
    let rows = cx.queue.done.list.loaded_rows().map(|(_, row)| row);
    let rows = rows.filter(|row| row.triaged_by.as_ref().is_some_and(|by| member.is(by)));
    let times: Vec<DateTime<Utc>> = rows
        .filter_map(|row| row.triaged_time())
        .filter(|at| at.date_naive() == today)
        .collect();
    let Some(last) = times.iter().max() else {
        return String::new();
    };
    let last = cx.clock.format_time(*last);
    format!(
        "{} of the loaded Done rows, the last at {last}",
        format_count(times.len() as u64)
    )
}

/// The time in full, in the user's time zone.
fn full_moment(when: &DateOrDateTime, cx: &Context) -> String {
    when.date_time()
        .map_or_else(|| format_full_day(when), |at| cx.clock.format_time(at))
}

fn write_permission(list: &mut FactList, what: &'static str, may: PermissionCheck) {
    match may {
        Ok(()) => list.push_fact(what, TextRole::Text, "allowed"),
        Err(why) => list.push_fact(what, TextRole::Muted, why),
    }
}

/// How long ago somebody was active: `now`, `12 min`, `5 h`, `2 d`; a date after a month.
pub fn format_ago(when: &DateOrDateTime, now: DateTime<Utc>) -> String {
    let Some(at) = when.date_time() else {
        return format_full_day(when);
    };
    let minutes = (now - at).num_minutes();
    match minutes {
        ..=1 => "now".to_owned(),
        2..60 => format!("{minutes} min"),
        60..1_440 => format!("{} h", minutes / 60),
        1_440..43_200 => format!("{} d", minutes / 1_440),
        _ => format_full_day(when),
    }
}
