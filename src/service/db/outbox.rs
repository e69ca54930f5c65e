//! The outbox of alert mails: which signals were processed, whom to notify, and the result
//! (interface: Events 2).
//!
//! [`enqueue_digests`] processes each signal once: what was written or discovered since the last
//! call becomes one digest per recipient, in the same transaction that moves the watermark.
//! [`claim_due_mail`] checks again who may still be notified, just before a mail is sent, and
//! reserves the mail for the caller: other services on the same database leave it alone until it is
//! finished or postponed, or until the caller has been silent for [`CLAIM_DURATION`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::sql::{Result, Row, params};
use super::values::{from_millis, new_id, parse_json, to_millis};
use super::{Conn, members, remembered, subscriptions};
use crate::domain::queue::QUEUE_HISTORY_DAYS;
use crate::domain::signals::SignalType;
use crate::domain::{UserId, WorkspaceId};

/// Maximum number of signals listed in a digest.
pub const MAX_DIGEST_SIGNALS: usize = 25;
/// How long delivery is retried.
pub(super) const DELIVERY_WINDOW: TimeDelta = TimeDelta::hours(24);
/// How long a mail is reserved for the service that sends it: longer than a delivery can take.
pub const CLAIM_DURATION: TimeDelta = TimeDelta::minutes(5);
/// How long a finished mail is kept.
const MAIL_RETENTION: TimeDelta = TimeDelta::days(30);

/// An outbox.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outbox {
    Digests,
    Invitations,
}

impl Outbox {
    /// Its table.
    fn table(self) -> &'static str {
        match self {
            Outbox::Digests => "mails",
            Outbox::Invitations => "invitation_mails",
        }
    }

    pub fn has_due(self, conn: &Conn, now: DateTime<Utc>) -> Result<bool> {
        let table = self.table();
        let sql = format!("SELECT 1 FROM {table} WHERE ended_at IS NULL AND next_try_at <= ?1");
        conn.exists(&sql, [to_millis(now)])
    }

    /// Drops unsent mails: mail is off.
    fn stop(self, conn: &Conn, now: DateTime<Utc>) -> Result<()> {
        let table = self.table();
        let sql =
            format!("UPDATE {table} SET ended_at = ?1, outcome = 'dropped' WHERE ended_at IS NULL");
        conn.execute(&sql, [to_millis(now)]).map(drop)
    }
}

/// A mail in an outbox.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MailKey {
    pub outbox: Outbox,
    pub workspace: WorkspaceId,
    /// Stays the same across retries.
    pub id: Uuid,
}

impl MailKey {
    /// The statement that changes it: ?1 and ?2 are its workspace and its id.
    fn build_update(self, changes: &str) -> String {
        let id = match self.outbox {
            Outbox::Digests => "id",
            Outbox::Invitations => "invitation_id",
        };
        let table = self.outbox.table();
        format!("UPDATE {table} SET {changes} WHERE workspace_id = ?1 AND {id} = ?2")
    }

    /// Reserves it for the caller.
    pub(super) fn claim(self, conn: &Conn, now: DateTime<Utc>) -> Result<()> {
        let sql = self.build_update("next_try_at = ?3");
        let until = to_millis(now + CLAIM_DURATION);
        conn.execute(&sql, params![self.workspace.0, self.id, until])
            .map(drop)
    }

    /// Finishes it: `sent`, `refused` or `dropped`.
    pub fn finish(self, conn: &Conn, outcome: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = self.build_update("ended_at = ?3, outcome = ?4, tries = tries + 1");
        let ended = to_millis(now);
        conn.execute(&sql, params![self.workspace.0, self.id, ended, outcome])
            .map(drop)
    }

    /// Postpones a mail that could not be sent: by `pause`, doubled each time up to one hour. It is
    /// given up after a day.
    pub fn postpone(self, conn: &Conn, pause: TimeDelta, now: DateTime<Utc>) -> Result<()> {
        let sql = self.build_update(
            "tries = tries + 1, next_try_at = ?3 + min(CAST(?4 AS BIGINT) << CAST(min(tries, 20) AS INTEGER), 3600000),
             ended_at = CASE WHEN made_at < ?5 THEN ?3 END, outcome = CASE WHEN made_at < ?5 THEN 'expired' END",
        );
        conn.prepare(&sql)?.execute(params![
            self.workspace.0,
            self.id,
            to_millis(now),
            pause.num_milliseconds(),
            to_millis(now - DELIVERY_WINDOW)
        ])?;
        Ok(())
    }
}

/// A mail that is due.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxMail {
    pub key: MailKey,
    pub workspace_name: String,
    pub email: String,
    /// The recipient's name, if known.
    pub name: Option<String>,
    /// The listed signals, in the order of the queue.
    pub signals: Vec<DigestSignal>,
    /// Number of signals, including those not listed.
    pub total: usize,
}

/// A signal as listed in a mail (interface: Signal).
#[derive(Clone, Debug, PartialEq)]
pub struct DigestSignal {
    pub signal_type: SignalType,
    pub priority: &'static str,
    pub project_name: String,
    pub project_primary_address: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub filed_at: DateTime<Utc>,
    pub source_display_name: String,
    pub source_filing_id: Option<String>,
    pub source_url: Option<String>,
    pub reported_cost_usd: Option<f64>,
}

const MAILED_ROW: &str = "mailed_row";
pub(super) const MAILED_UNTIL: &str = "mailed_until";

/// Starts processing: existing signals are not reported. Resumes at the watermark if mails were on
/// before.
pub fn start_outbox(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    if load_watermark(conn)?.is_none() {
        save_watermark(conn, now)
    } else {
        Ok(())
    }
}

/// Stops processing: what is discovered until mails are on again is not reported, and unsent mails
/// are dropped.
pub fn stop_outbox(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    remembered::remove(conn, MAILED_ROW)?;
    remembered::remove(conn, MAILED_UNTIL)?;
    Outbox::Digests.stop(conn, now)?;
    Outbox::Invitations.stop(conn, now)
}

/// The number of mails that were not sent yet, in all workspaces.
pub fn count_waiting(conn: &Conn) -> Result<i64> {
    let sql = "SELECT (SELECT count(*) FROM mails WHERE ended_at IS NULL) + (SELECT count(*) FROM invitation_mails WHERE ended_at IS NULL)";
    conn.query_row(sql, [], |row| row.get(0))
}

/// Whether there are signals to process or mails to send.
pub fn has_pending(conn: &Conn, now: DateTime<Utc>) -> Result<bool> {
    let Some((row, until)) = load_watermark(conn)? else {
        return Ok(false);
    };
    let sql = "SELECT EXISTS (SELECT 1 FROM signals WHERE rowid > ?1)
             OR EXISTS (SELECT 1 FROM signals WHERE discovered_at > ?2 AND discovered_at <= ?3)
             OR EXISTS (SELECT 1 FROM mails WHERE ended_at IS NULL AND next_try_at <= ?3)";
    conn.query_row(sql, params![row, until, to_millis(now)], |row| row.get(0))
}

/// Creates the digests of what was written or discovered since the last call, and returns their
/// number.
pub fn enqueue_digests(conn: &Conn, now: DateTime<Utc>) -> Result<usize> {
    let Some((row, until)) = load_watermark(conn)? else {
        return Ok(0);
    };
    // Follows the rule of the queue: a signal written before its discovery is reported when it is
    // discovered.
    let mut sql = conn.prepare(
        "SELECT n.workspace_id, n.notify_all_members, n.recipient_user_ids, s.id
         FROM signals s JOIN subscriptions n ON n.signal_type = s.signal_type
         JOIN workspaces w ON w.id = n.workspace_id AND w.plan = 'pro'
         WHERE (s.rowid > ?1 OR s.discovered_at > ?2) AND s.discovered_at <= ?3 AND s.discovered_at > n.watermark
           AND s.filed_at >= ?4 AND EXISTS (SELECT 1 FROM json_each(n.channels) WHERE value = 'email')
         ORDER BY n.priority, s.filed_at DESC, s.id",
    )?;
    let oldest = to_millis(now - TimeDelta::days(QUEUE_HISTORY_DAYS));
    let mut rows = sql.query([row, until, to_millis(now), oldest])?;
    let mut people: BTreeMap<Uuid, Vec<UserId>> = BTreeMap::new();
    let mut digests: BTreeMap<(Uuid, UserId), (Vec<Uuid>, usize)> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (workspace, all, signal) = (row.get(0)?, row.get::<_, bool>(1)?, row.get(3)?);
        let chosen: Vec<UserId> = parse_json(&row.get::<_, String>(2)?);
        let everybody = match people.entry(workspace) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let list = members::list(conn, WorkspaceId(workspace))?;
                new.insert(list.iter().map(|member| member.id).collect())
            }
        };
        for user in everybody.iter().filter(|user| all || chosen.contains(user)) {
            let (signals, total) = digests.entry((workspace, *user)).or_default();
            *total += 1;
            if signals.len() < MAX_DIGEST_SIGNALS {
                signals.push(signal);
            }
        }
    }
    let mut made = conn.prepare(
        "INSERT INTO mails (workspace_id, id, user_id, signals, total, made_at, next_try_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
    )?;
    for ((workspace, user), (signals, total)) in &digests {
        let signals = serde_json::json!(signals).to_string();
        made.execute(params![
            workspace,
            new_id(now),
            user.0,
            signals,
            *total as i64,
            to_millis(now)
        ])?;
    }
    let sql = "DELETE FROM mails WHERE ended_at < ?1";
    conn.execute(sql, [to_millis(now - MAIL_RETENTION)])?;
    save_watermark(conn, now)?;
    Ok(digests.len())
}

/// Reserves the next due mail. Mails whose recipient is no longer a member, or whose subscriptions
/// have ended, are dropped.
pub fn claim_due_mail(conn: &Conn, now: DateTime<Utc>) -> Result<Option<OutboxMail>> {
    let mut next = conn.prepare(
        "SELECT o.workspace_id, o.id, o.user_id, o.signals, o.total, w.name
         FROM mails o JOIN workspaces w ON w.id = o.workspace_id
         WHERE o.ended_at IS NULL AND o.next_try_at <= ?1 ORDER BY o.next_try_at, o.made_at LIMIT 1",
    )?;
    let read = |row: &Row<'_>| {
        let key = MailKey {
            outbox: Outbox::Digests,
            workspace: WorkspaceId(row.get(0)?),
            id: row.get(1)?,
        };
        let (user, ids) = (UserId(row.get(2)?), row.get::<_, String>(3)?);
        Ok((key, user, ids, row.get::<_, i64>(4)?, row.get(5)?))
    };
    while let Some((key, user, ids, total, workspace_name)) =
        next.find_row([to_millis(now)], read)?
    {
        let ids: Vec<Uuid> = parse_json(&ids);
        let gone = ids.len();
        let signals = ids
            .into_iter()
            .filter_map(|id| digest_signal(conn, key.workspace, id).transpose())
            .collect::<Result<Vec<_>, _>>()?;
        match members::get(conn, key.workspace, user)? {
            Some(member) if !signals.is_empty() => {
                // nothing is known any more about the signals that are not listed
                let total = if signals.len() == gone {
                    total.unsigned_abs() as usize
                } else {
                    signals.len()
                };
                let name = member.display_name.or(member.first_name);
                key.claim(conn, now)?;
                return Ok(Some(OutboxMail {
                    key,
                    workspace_name,
                    email: member.email,
                    name,
                    signals,
                    total,
                }));
            }
            _ => key.finish(conn, "dropped", now)?,
        }
    }
    Ok(None)
}

/// A signal, if its type's subscription still sends mails.
fn digest_signal(
    conn: &Conn,
    workspace: WorkspaceId,
    signal: Uuid,
) -> Result<Option<DigestSignal>> {
    let sql = "SELECT s.signal_type, n.priority, p.name, p.primary_address, p.city, p.state, s.filed_at, o.display_name,
           s.source_filing_id, s.source_url, s.reported_cost_usd
         FROM signals s JOIN projects p ON p.id = s.project_id JOIN sources o ON o.id = s.source_id
         JOIN subscriptions n ON n.workspace_id = ?1 AND n.signal_type = s.signal_type
         WHERE s.id = ?2 AND EXISTS (SELECT 1 FROM json_each(n.channels) WHERE value = 'email')";
    conn.find_row(sql, [workspace.0, signal], |row| {
        Ok(DigestSignal {
            signal_type: row.get::<_, String>(0)?.as_str().into(),
            priority: subscriptions::priority_name(row.get(1)?),
            project_name: row.get(2)?,
            project_primary_address: row.get(3)?,
            city: row.get(4)?,
            state: row.get(5)?,
            filed_at: from_millis(row.get(6)?),
            source_display_name: row.get(7)?,
            source_filing_id: row.get(8)?,
            source_url: row.get(9)?,
            reported_cost_usd: row.get(10)?,
        })
    })
}

/// The watermark: the last processed row of the signals, and the moment until which discoveries
/// were processed.
fn load_watermark(conn: &Conn) -> Result<Option<(i64, i64)>> {
    let row = remembered::load_number(conn, MAILED_ROW)?;
    Ok(row.zip(remembered::load_number(conn, MAILED_UNTIL)?))
}

fn save_watermark(conn: &Conn, now: DateTime<Utc>) -> Result<()> {
    let last: Option<i64> =
        conn.query_row("SELECT max(rowid) FROM signals", [], |row| row.get(0))?;
    remembered::save(conn, MAILED_ROW, last.unwrap_or(0))?;
    remembered::save(conn, MAILED_UNTIL, to_millis(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::{Storage, db, sample};

    #[test]
    fn a_mail_is_reserved_for_one_service_until_it_has_been_silent_for_long() {
        let conn = db::open_writer(&Storage::Memory).unwrap();
        let now = "2026-07-09T16:20:00Z".parse().unwrap();
        sample::fill_database(&conn, 1, 60, None, now).unwrap();
        conn.execute_batch("UPDATE subscriptions SET channels = '[\"email\"]'")
            .unwrap();
        let mail = "INSERT INTO mails (workspace_id, id, user_id, signals, total, made_at, next_try_at)
            SELECT m.workspace_id, m.user_id, m.user_id, json_array(uuid(s.id)), 1, ?1, ?1
            FROM members m JOIN subscriptions n ON n.workspace_id = m.workspace_id JOIN signals s ON s.signal_type = n.signal_type LIMIT 1";
        assert_eq!(conn.execute(mail, [to_millis(now)]).unwrap(), 1);
        let claim = |at: DateTime<Utc>| claim_due_mail(&conn, at).unwrap();
        let first = claim(now).expect("it is due");
        assert_eq!(
            claim(now + CLAIM_DURATION - TimeDelta::seconds(1)),
            None,
            "another service leaves it alone"
        );
        let late = now + CLAIM_DURATION;
        assert_eq!(
            claim(late),
            Some(first.clone()),
            "the first service was killed"
        );
        first.key.finish(&conn, "sent", late).unwrap();
        assert_eq!(claim(late + CLAIM_DURATION), None);
    }
}
