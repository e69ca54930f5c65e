//! The text of alert mails and invitations: plain text that takes a minute to read, on a phone too.
//! Third-party text (names, numbers, links) is sanitized first. Pure: no clock, no network.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use lettre::Message;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};

use uuid::Uuid;

use crate::domain::members::Role;
use crate::domain::number_format;
use crate::service::db::invitation_mails::InvitationMail;
use crate::service::db::outbox::{DigestSignal, OutboxMail};
use crate::text;

/// Maximum width of a subject, in terminal columns.
const MAX_SUBJECT_WIDTH: usize = 120;

/// The mail, ready to be sent.
pub(super) fn build_message(
    mail: &OutboxMail,
    from: &Mailbox,
    now: DateTime<Utc>,
) -> Result<Message, String> {
    let envelope = Envelope {
        id: mail.key.id,
        email: &mail.email,
        name: mail.name.as_deref(),
        subject: subject(mail),
    };
    envelope.build(body(mail), from, now)
}

/// The mail that invites a person, with the code by which they join.
pub(super) fn build_invitation(
    mail: &InvitationMail,
    from: &Mailbox,
    now: DateTime<Utc>,
) -> Result<Message, String> {
    let workspace = text::sanitize_line(&mail.workspace_name);
    let subject = text::truncate(&format!("Join {workspace}"), MAX_SUBJECT_WIDTH, "…").into_owned();
    let envelope = Envelope {
        id: mail.key.id,
        email: &mail.email,
        name: None,
        subject,
    };
    envelope.build(invitation_body(mail), from, now)
}

fn invitation_body(mail: &InvitationMail) -> String {
    let workspace = text::sanitize_line(&mail.workspace_name);
    let inviter = mail.invited_by.as_deref().map(text::sanitize_line);
    format!(
        "{} invites you to {workspace} on gantry, as {}.\n\nOn your machine, run:\n\n  gantry join\n\n\
         and paste this code when it asks for it:\n\n{}\n\n\
         The code works once, until {}. Do not share it: whoever has it can join in your place.\n",
        inviter.as_deref().unwrap_or("A colleague"),
        if mail.role == Role::Member {
            "a member".to_owned()
        } else {
            format!("an {}", mail.role)
        },
        mail.join_code,
        mail.expires_at.format("%-d %B %Y")
    )
}

/// Whom a mail is for, and what identifies it.
struct Envelope<'a> {
    id: Uuid,
    email: &'a str,
    name: Option<&'a str>,
    subject: String,
}

impl Envelope<'_> {
    fn build(self, body: String, from: &Mailbox, now: DateTime<Utc>) -> Result<Message, String> {
        let address = self
            .email
            .parse()
            .map_err(|error| format!("{}: {error}", text::sanitize_line(self.email)))?;
        let name = self.name.map(|name| text::sanitize_line(name).into_owned());
        let mut message = Message::builder()
            .from(from.clone())
            .to(Mailbox::new(name, address))
            .subject(self.subject)
            .date(now.max(DateTime::UNIX_EPOCH).into())
            .message_id(Some(format!("<{}@{}>", self.id, from.email.domain())))
            .header(ContentType::TEXT_PLAIN)
            .body(body)
            .map_err(|error| error.to_string())?;
        // ask mail systems for no automatic replies
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        message
            .headers_mut()
            .insert_raw(HeaderValue::new(automatic, "auto-generated".to_owned()));
        Ok(message)
    }
}

/// One signal: what happened, and where. Several: how many, and on which projects.
fn subject(mail: &OutboxMail) -> String {
    let mut projects: Vec<_> = mail
        .signals
        .iter()
        .map(|signal| text::sanitize_line(&signal.project_name))
        .collect();
    projects.dedup();
    let line = match (&mail.signals[..], mail.total) {
        ([signal], 1) => format!(
            "{}: {}",
            signal_title(signal),
            text::sanitize_line(&signal.project_name)
        ),
        (_, total) => {
            let named = projects
                .iter()
                .take(2)
                .map(AsRef::as_ref)
                .collect::<Vec<_>>()
                .join(", ");
            let and_more = if projects.len() > 2 { " and more" } else { "" };
            format!("{total} new signals: {named}{and_more}")
        }
    };
    text::truncate(&line, MAX_SUBJECT_WIDTH, "…").into_owned()
}

fn body(mail: &OutboxMail) -> String {
    let mut body = String::new();
    let workspace = text::sanitize_line(&mail.workspace_name);
    let signals = if mail.total == 1 {
        "One new signal".to_owned()
    } else {
        format!("{} new signals", mail.total)
    };
    let _ = writeln!(body, "{signals} for {workspace}.");
    let mut priority = "";
    for signal in &mail.signals {
        if signal.priority != priority {
            priority = signal.priority;
            let _ = writeln!(body, "\n{} PRIORITY", priority.to_uppercase());
        }
        write_signal(&mut body, signal);
    }
    let rest = mail.total - mail.signals.len();
    if rest > 0 {
        let _ = writeln!(body, "\nAnd {rest} more in the queue.");
    }
    let _ = writeln!(
        body,
        "\n-- \nYou get this mail because {workspace} subscribes to these signal types and sends alerts to you.\n\
         Any member can change that under Subscriptions."
    );
    body
}

fn write_signal(body: &mut String, signal: &DigestSignal) {
    let _ = writeln!(
        body,
        "\n{}: {}",
        signal_title(signal),
        text::sanitize_line(&signal.project_name)
    );
    // small projects are named after their address
    let address = signal
        .project_primary_address
        .as_deref()
        .filter(|address| *address != signal.project_name);
    let place = join_parts(&[address, signal.city.as_deref(), signal.state.as_deref()]);
    if !place.is_empty() {
        let _ = writeln!(body, "  {place}");
    }
    let filed = signal.filed_at.format("%-d %B %Y").to_string();
    let source = join_parts(&[
        Some(&filed),
        Some(&signal.source_display_name),
        signal.source_filing_id.as_deref(),
    ]);
    let _ = writeln!(body, "  filed {source}");
    if let Some(cost) = signal
        .reported_cost_usd
        .filter(|cost| cost.is_finite() && *cost > 0.0)
    {
        let _ = writeln!(
            body,
            "  reported cost ${}",
            number_format::group_digits(&format!("{cost:.0}"))
        );
    }
    if let Some(link) = signal
        .source_url
        .as_deref()
        .filter(|link| is_safe_link(link))
    {
        let _ = writeln!(body, "  {link}");
    }
}

/// A signal type in words: `permit_issued` is "Permit issued".
fn signal_title(signal: &DigestSignal) -> String {
    let word = signal.signal_type.as_str().replace('_', " ");
    let mut chars = word.chars();
    let first = chars
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    text::sanitize_line(&format!("{first}{}", chars.as_str())).into_owned()
}

fn join_parts(parts: &[Option<&str>]) -> String {
    let parts: Vec<_> = parts
        .iter()
        .flatten()
        .filter(|part| !part.trim().is_empty())
        .map(|part| text::sanitize_line(part))
        .collect();
    parts.join(", ")
}

/// Whether a link is safe to make clickable: a web address without anything that hides where it
/// leads.
fn is_safe_link(link: &str) -> bool {
    let web = link.starts_with("https://") || link.starts_with("http://");
    web && link.len() <= 2_000
        && !link.contains(|c: char| c.is_whitespace() || c == '@')
        && text::sanitize_line(link) == link
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::db::outbox::{MailKey, Outbox};

    fn test_signal(project_name: &str) -> DigestSignal {
        DigestSignal {
            signal_type: "permit_issued".into(),
            priority: "high",
            project_name: project_name.to_owned(),
            project_primary_address: Some("12 Quay Street".to_owned()),
            city: Some("Austin".to_owned()),
            state: Some("TX".to_owned()),
            filed_at: "2026-07-07T00:00:00Z".parse().unwrap(),
            source_display_name: "City of Austin".to_owned(),
            source_filing_id: Some("BP-2026-0123".to_owned()),
            source_url: Some("https://permits.example/BP-2026-0123".to_owned()),
            reported_cost_usd: Some(31_400_000.4),
        }
    }

    fn test_mail(signals: Vec<DigestSignal>) -> OutboxMail {
        OutboxMail {
            key: MailKey {
                outbox: Outbox::Digests,
                workspace: uuid::Uuid::nil().into(),
                id: uuid::Uuid::nil(),
            },
            workspace_name: "Northline Builders".to_owned(),
            email: "ana@northline.example".to_owned(),
            name: Some("Ana R.".to_owned()),
            total: signals.len(),
            signals,
        }
    }

    #[test]
    fn a_mail_about_one_signal_says_what_where_when_how_much_and_has_the_link() {
        let mail = test_mail(vec![test_signal("Harbor Yard Lofts")]);
        assert_eq!(subject(&mail), "Permit issued: Harbor Yard Lofts");
        assert_eq!(
            body(&mail),
            "One new signal for Northline Builders.\n\nHIGH PRIORITY\n\nPermit issued: Harbor Yard Lofts\n  \
             12 Quay Street, Austin, TX\n  filed 7 July 2026, City of Austin, BP-2026-0123\n  reported cost $31,400,000\n  \
             https://permits.example/BP-2026-0123\n\n-- \nYou get this mail because Northline Builders subscribes to these \
             signal types and sends alerts to you.\nAny member can change that under Subscriptions.\n"
        );
    }

    #[test]
    fn several_signals_make_one_mail_by_priority_without_unknown_fields() {
        let low = DigestSignal {
            priority: "low",
            project_primary_address: None,
            city: Some(" ".to_owned()),
            state: None,
            source_filing_id: None,
            source_url: None,
            reported_cost_usd: None,
            ..test_signal("Pier 9")
        };
        let mail = OutboxMail {
            total: 64,
            ..test_mail(vec![
                test_signal("A"),
                test_signal("A"),
                test_signal("B"),
                low,
            ])
        };
        assert_eq!(subject(&mail), "64 new signals: A, B and more");
        let body = body(&mail);
        assert!(
            body.contains("\nLOW PRIORITY\n\nPermit issued: Pier 9\n  filed 7 July 2026, City of Austin\n\nAnd 60 more"),
            "{body}"
        );
        assert_eq!(body.matches("HIGH PRIORITY").count(), 1);
    }

    #[test]
    fn untrusted_text_cannot_add_lines_headers_control_characters_or_links() {
        let hostile = DigestSignal {
            source_url: Some("javascript:alert(1)".to_owned()),
            source_filing_id: Some("1\u{1b}[2J\u{202e}x".to_owned()),
            ..test_signal("Lofts\r\nBcc: all@x.example\r\n\r\nHIGH PRIORITY")
        };
        let trap = DigestSignal {
            source_url: Some("https://bank.example@evil.example/".to_owned()),
            ..test_signal("Trap")
        };
        let from = Mailbox::new(None, "alerts@localhost".parse().unwrap());
        let message =
            build_message(&test_mail(vec![hostile, trap]), &from, DateTime::UNIX_EPOCH).unwrap();
        let bytes = String::from_utf8(message.formatted()).unwrap();
        assert!(
            !bytes.contains("\nBcc:") && !bytes.contains("javascript") && !bytes.contains("evil"),
            "{bytes}"
        );
        assert!(
            bytes
                .chars()
                .all(|c| c == '\r' || c == '\n' || !c.is_control()),
            "{bytes}"
        );
        assert_eq!(message.envelope().to().len(), 1);
    }
}
