//! A set of rows of one table, a bit for each row id. In SQL it is a blob, in which `in_rows(set,
//! rowid)` tests a row, or a list, of which `json_each(list, '$')` returns the rows.

use crate::service::db::sql::{Conn, Params, Result};

#[derive(Clone, Debug, Default)]
pub struct RowSet {
    words: Vec<u64>,
}

impl RowSet {
    /// The rows below `end` that pass a test.
    pub fn from_test(end: usize, mut test: impl FnMut(usize) -> bool) -> RowSet {
        let word = |nth: usize| {
            let first = nth * 64;
            (first..end.min(first + 64))
                .fold(0, |word, row| word | u64::from(test(row)) << (row - first))
        };
        RowSet {
            words: (0..end.div_ceil(64)).map(word).collect(),
        }
    }

    /// The rows of a statement of row ids.
    pub fn query(conn: &Conn, sql: &str, values: impl Params) -> Result<RowSet> {
        conn.query_rows(sql, values, |row| row.get::<_, u32>(0))
    }

    pub fn contains(&self, row: u32) -> bool {
        self.words
            .get(row as usize / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub fn insert(&mut self, row: u32) {
        let at = row as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        self.words[at] |= 1 << (row % 64);
    }

    pub fn remove(&mut self, row: u32) {
        if let Some(word) = self.words.get_mut(row as usize / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    /// The list of its rows in SQL.
    pub fn to_list(&self) -> String {
        serde_json::json!(self.rows().collect::<Vec<_>>()).to_string()
    }

    /// The set in SQL.
    pub fn to_blob(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// How many rows it has.
    pub fn count_rows(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Keeps the rows that the other one has as well.
    pub fn intersect(&mut self, other: &RowSet) {
        self.words.truncate(other.words.len());
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= other);
    }

    /// Adds the rows of the other one.
    pub fn unite(&mut self, other: &RowSet) {
        self.words
            .resize(self.words.len().max(other.words.len()), 0);
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word |= other);
    }

    /// Removes the rows of the other one.
    pub fn subtract(&mut self, other: &RowSet) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= !other);
    }

    /// The rows in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(nth, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(nth as u32 * 64 + bit)
            })
        })
    }
}

impl FromIterator<u32> for RowSet {
    fn from_iter<T: IntoIterator<Item = u32>>(rows: T) -> RowSet {
        let mut set = RowSet::default();
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_lengths_are_combined() {
        let set = |rows: &[u32]| rows.iter().copied().collect::<RowSet>();
        let (short, long) = (set(&[1, 3, 63]), set(&[3, 64, 1000]));
        let combined = |work: fn(&mut RowSet, &RowSet), of: &RowSet, with: &RowSet| {
            let mut done = of.clone();
            work(&mut done, with);
            assert_eq!(done.count_rows(), done.rows().count());
            done.rows().collect::<Vec<_>>()
        };
        for (one, other) in [(&short, &long), (&long, &short)] {
            assert_eq!(combined(RowSet::intersect, one, other), [3]);
            assert_eq!(combined(RowSet::unite, one, other), [1, 3, 63, 64, 1000]);
        }
        assert_eq!(combined(RowSet::subtract, &short, &long), [1, 63]);
        assert_eq!(combined(RowSet::subtract, &long, &short), [64, 1000]);
        assert_eq!(
            RowSet::from_test(130, |row| row % 64 == 1)
                .rows()
                .collect::<Vec<_>>(),
            [1, 65, 129]
        );
        let conn = crate::service::db::open_writer(&crate::service::Storage::Memory).unwrap();
        for row in [-1, 0, 3, 4, 64, 1000, 1001, 9999] {
            let found: bool = conn
                .query_row("SELECT in_rows(?1, ?2)", (long.to_blob(), row), |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(found, [3, 64, 1000].contains(&row), "{row}");
        }
        assert!(!short.contains(64) && long.contains(64) && set(&[]).is_empty());
    }
}
