//! The texts of records. Those of a long list share a few allocations: a hundred thousand small
//! ones would take longer than reading the texts.

use std::sync::Arc;

use uuid::Uuid;

use super::Record;

/// Bytes of text per allocation. It is freed with the last of its records, so a page is small
/// beside a list.
const PAGE_BYTES: usize = 64 << 10;

/// A part of a text that several records share.
#[derive(Clone)]
pub(super) struct SharedText {
    page: Arc<str>,
    start: u32,
    end: u32,
}

impl SharedText {
    pub(super) fn as_str(&self) -> &str {
        // The range was made from whole texts of this page.
        self.page
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> SharedText {
        SharedText {
            page: text.into(),
            start: 0,
            end: u32::try_from(text.len()).unwrap_or(u32::MAX),
        }
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for SharedText {}

impl std::fmt::Debug for SharedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// Collects the records of a long list from what was saved of them: their ids and their
/// [`Record::json`].
#[derive(Debug)]
pub struct RecordsBuilder {
    records: Vec<Record>,
    texts: String,
    /// The ids of the records in `texts`, and where their texts end.
    ends: Vec<(Uuid, u32)>,
}

impl RecordsBuilder {
    pub fn with_capacity(records: usize) -> RecordsBuilder {
        RecordsBuilder {
            records: Vec::with_capacity(records),
            texts: String::with_capacity(PAGE_BYTES),
            ends: Vec::new(),
        }
    }

    pub fn push(&mut self, id: Uuid, json: &str) {
        if self.texts.len() + json.len() > PAGE_BYTES {
            self.end_page();
        }
        self.texts.push_str(json);
        self.ends.push((id, self.texts.len() as u32));
    }

    pub fn finish(mut self) -> Vec<Record> {
        self.end_page();
        self.records
    }

    fn end_page(&mut self) {
        let page: Arc<str> = self.texts.as_str().into();
        let mut start = 0;
        for (id, end) in self.ends.drain(..) {
            self.records.push(Record {
                id,
                json: SharedText {
                    page: page.clone(),
                    start,
                    end,
                },
            });
            start = end;
        }
        self.texts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_share_a_page_keep_their_own_texts() {
        let long = format!("{{\"name\":\"{}\"}}", "ä".repeat(PAGE_BYTES));
        let texts: Vec<String> = (0..5_000)
            .map(|n| format!("{{\"name\":\"Tür {n}\"}}"))
            .chain([long, "{}".to_owned()])
            .collect();
        let mut builder = RecordsBuilder::with_capacity(texts.len());
        texts
            .iter()
            .zip(1..)
            .for_each(|(text, n)| builder.push(Uuid::from_u128(n), text));
        let records = builder.finish();
        assert!(
            records
                .iter()
                .map(Record::json)
                .eq(texts.iter().map(String::as_str))
        );
        assert!(
            records
                .iter()
                .map(|record| record.id.as_u128())
                .eq(1..=5_002)
        );
    }
}
