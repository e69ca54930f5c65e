//! Annotations. Each record is read right before it is written, because the interface has no
//! compare-and-set.

use crate::domain::annotate::{AnnotationWrite, UNREADABLE_CODE};
use crate::domain::batch::BatchItemResult;
use crate::domain::book::RecordKind;
use crate::domain::records::Record;
use crate::domain::request_error::{RequestError, RequestErrorKind};

use super::Client;
use super::book::{self, RecordRef};

impl Client {
    /// Writes annotations. A record that the person has seen is read first (1 credit) and then
    /// written on its own; if somebody changed it meanwhile it is not overwritten and its item is
    /// an error. The others go out as one batch.
    ///
    /// # Errors
    /// As [`Client::fetch_rows`]. If a record cannot be read because nothing answers, no write was
    /// sent.
    pub async fn annotate(
        &self,
        kind: &RecordKind,
        items: &[AnnotationWrite],
    ) -> Result<Vec<BatchItemResult>, RequestError> {
        if items.iter().all(|item| item.baseline.is_none()) {
            let inputs: Vec<_> = items
                .iter()
                .map(|item| (RecordRef::Id(item.id), item.desired.clone()))
                .collect();
            return self.fetch_all(book::upsert_batch(kind, &inputs)).await;
        }
        let mut written = Vec::new();
        for (index, item) in items.iter().enumerate() {
            written.push(BatchItemResult {
                index,
                ..self.annotate_one(kind, item).await?
            });
        }
        Ok(written)
    }

    async fn annotate_one(
        &self,
        kind: &RecordKind,
        item: &AnnotationWrite,
    ) -> Result<BatchItemResult, RequestError> {
        let before = match self
            .fetch_value::<Record>(book::get(kind, item.id, []))
            .await
        {
            Ok(answer) => Some(answer.value),
            Err(failure) => match failure.kind {
                RequestErrorKind::Rejected(refusal) if refusal.status == 404 => None,
                RequestErrorKind::Rejected(_) => {
                    return Ok(BatchItemResult::err(
                        UNREADABLE_CODE,
                        format!("could not read it first: {}", failure.message),
                    ));
                }
                // Only the read failed; nothing was written.
                RequestErrorKind::Ambiguous => {
                    return Err(RequestError::new_not_sent(failure.message));
                }
                _ => return Err(failure),
            },
        };
        let checked = match item.check(before) {
            Ok(checked) => checked,
            Err(refused) => return Ok(*refused),
        };
        let answered = if checked.is_noop() {
            BatchItemResult::ok()
        } else {
            let request =
                book::upsert_batch(kind, &[(RecordRef::Id(item.id), checked.written.clone())]);
            let nothing_said =
                || RequestError::new_ambiguous("the service did not report the result");
            self.fetch_all::<BatchItemResult>(request)
                .await?
                .into_iter()
                .next()
                .ok_or_else(nothing_said)?
        };
        Ok(BatchItemResult {
            checked: Some(checked),
            ..answered
        })
    }
}
