//! One record of the book, read and then annotated: written down before it is sent, so that the
//! console can undo it.

use chrono::Utc;
use uuid::Uuid;

use crate::client::Client;
use crate::domain::annotate::AnnotationWrite;
use crate::domain::batch::BatchItemResult;
use crate::domain::book::{Annotation, RecordKind};
use crate::domain::journal::{EntryCause, JournalChange, JournalEntry};
use crate::domain::person::Person;
use crate::domain::records::RecordFields;
use crate::domain::request_error::RequestError;
use crate::domain::writes::ReversibleWrite;

use super::session::Session;
use super::unchanged_signals::identify_members;

/// A record as it was just read; `before` is `None` if it is not in the book.
pub(super) struct ReadRecord<'a> {
    pub(super) kind: &'a RecordKind,
    pub(super) id: Uuid,
    pub(super) before: Option<&'a RecordFields>,
}

impl ReadRecord<'_> {
    /// Writes an annotation. Its result is missing if the service's answer does not have it.
    pub(super) async fn annotate(
        &self,
        after: Annotation,
        reason: &str,
        description: String,
        session: &Session,
    ) -> Result<Option<BatchItemResult>, RequestError> {
        let op = Uuid::now_v7();
        let change =
            ReversibleWrite::annotate_record(self.kind, self.id, self.before, after.clone());
        session.journal().record_entry(JournalEntry {
            op,
            at: Utc::now(),
            cause: EntryCause::New,
            original_op: None,
            group: None,
            reason: reason.to_owned(),
            description,
            change: JournalChange::Write {
                things: 1,
                changes: vec![change],
            },
        });
        let write = AnnotationWrite::new_unchecked(self.id, after);
        let sent = session.client_for(op).annotate(self.kind, &[write]).await;
        session.record_store().remove(vec![self.id]);
        Ok(sent?.into_iter().next())
    }
}

/// The user, with all that the members' list says of them. It costs nothing.
pub(super) async fn find_caller(client: &Client) -> Result<Option<Person>, RequestError> {
    let workspace = client.workspace().await?.value;
    let mut me = workspace.caller.and_then(|caller| caller.user);
    identify_members(client, me.iter_mut()).await;
    Ok(me)
}
