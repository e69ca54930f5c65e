//! Annotations: each record is read right before it is written, as the interface has no compare-and-set.

use crate::domain::annotate::{Annotating, UNREADABLE};
use crate::domain::batch::Item;
use crate::domain::book::Shelf;
use crate::domain::failure::{Failure, Kind};
use crate::domain::records::Record;

use super::Client;
use super::book::{self, Who};

impl Client {
    /// Writes annotations. Those of records that the person saw are read one by one, for a credit each, and written at once; what
    /// somebody else changed meanwhile is not overwritten, which is the item's error. The others leave as one batch.
    ///
    /// # Errors
    /// As [`Client::rows`]. When a record cannot be read for want of an answer, nothing of it was sent.
    pub async fn annotate(&self, shelf: &Shelf, items: &[Annotating]) -> Result<Vec<Item>, Failure> {
        if items.iter().all(|item| item.seen.is_none()) {
            let inputs: Vec<_> = items.iter().map(|item| (Who::Id(item.id), item.wanted.clone())).collect();
            return Ok(self.rows(book::upsert_batch(shelf, &inputs)).await?.value.rows);
        }
        let mut written = Vec::new();
        for (index, item) in items.iter().enumerate() {
            written.push(Item { index, ..self.annotate_one(shelf, item).await? });
        }
        Ok(written)
    }

    async fn annotate_one(&self, shelf: &Shelf, item: &Annotating) -> Result<Item, Failure> {
        let before = match self.value::<Record>(book::get(shelf, item.id, [])).await {
            Ok(answer) => Some(answer.value),
            Err(failure) => match failure.kind {
                Kind::Answered(refusal) if refusal.status == 404 => None,
                Kind::Answered(_) => {
                    return Ok(Item::refused(UNREADABLE, format!("it could not be read first: {}", failure.message)));
                }
                // It was a read: whatever became of it, nothing was written.
                Kind::Ambiguous => return Err(Failure::not_sent(failure.message)),
                _ => return Err(failure),
            },
        };
        let checked = match item.check(before) {
            Ok(checked) => checked,
            Err(refused) => return Ok(*refused),
        };
        let answered = if checked.is_so_already() {
            Item::ok()
        } else {
            let request = book::upsert_batch(shelf, &[(Who::Id(item.id), checked.written.clone())]);
            let nothing_said = || Failure::ambiguous("the service did not say what came of it");
            self.rows::<Item>(request).await?.value.rows.into_iter().next().ok_or_else(nothing_said)?
        };
        Ok(Item { checked: Some(checked), ..answered })
    }
}
