//! Merges two changes of a set, or of a text line by line (three-way merge).
//!
//! `base` is the common origin, `theirs` the colleague's version, `mine` the person's. Nothing of
//! either side is lost silently: where both changed the same lines the result contains both,
//! between conflict markers.

use similar::{Algorithm, DiffOp};

/// Precedes a colleague's lines in a conflict.
pub const CONFLICT_START: &str = "<<<<<<< in the book now";
/// Separates the two sides.
pub const CONFLICT_SEPARATOR: &str = "=======";
/// Follows the person's own lines.
pub const CONFLICT_END: &str = ">>>>>>> yours";

/// Above this many pairs of lines the texts are not compared, but conflict as a whole.
const MAX_LINE_PAIRS: usize = 4_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedText {
    pub text: String,
    /// Number of conflicts, each between markers.
    pub conflicts: usize,
}

/// Merges a set: additions and removals of both sides, in order.
pub fn merge_sets(base: &[String], theirs: &[String], mine: &[String]) -> Vec<String> {
    let kept = theirs
        .iter()
        .filter(|item| mine.contains(item) || !base.contains(item));
    let added = mine
        .iter()
        .filter(|item| !base.contains(item) && !theirs.contains(item));
    kept.chain(added).cloned().collect()
}

/// Merges the changes of both sides to a text.
pub fn merge_texts(base: &str, theirs: &str, mine: &str) -> MergedText {
    let (base, theirs, mine) = (split_lines(base), split_lines(theirs), split_lines(mine));
    let (to_theirs, to_mine) = (match_lines(&base, &theirs), match_lines(&base, &mine));
    let (mut out, mut conflicts, mut at) = (Vec::new(), 0, (0, 0, 0));
    // Lines common to all three anchor the merge; what is between two anchors was changed by one
    // side, or by both.
    let shared = (0..base.len()).filter_map(|n| Some((n, to_theirs[n]?, to_mine[n]?)));
    let mut settle = |until: (usize, usize, usize), out: &mut Vec<String>| {
        let (b, t, m) = (
            &base[at.0..until.0],
            &theirs[at.1..until.1],
            &mine[at.2..until.2],
        );
        if t == b || t == m {
            out.extend(m.iter().map(|line| (*line).to_owned()));
        } else if m == b {
            out.extend(t.iter().map(|line| (*line).to_owned()));
        } else {
            conflicts += 1;
            let both = [CONFLICT_START]
                .iter()
                .chain(t)
                .chain(&[CONFLICT_SEPARATOR])
                .chain(m)
                .chain(&[CONFLICT_END]);
            out.extend(both.map(|line| (*line).to_owned()));
        }
        at = (until.0 + 1, until.1 + 1, until.2 + 1);
    };
    for (b, t, m) in shared {
        settle((b, t, m), &mut out);
        out.push(base[b].to_owned());
    }
    settle((base.len(), theirs.len(), mine.len()), &mut out);
    MergedText {
        text: out.join("\n"),
        conflicts,
    }
}

/// Their text with the lines that the person replaced, if each of these still stands there once:
/// then it does not matter what a colleague wrote beside it. `None` if anything else was changed.
pub fn replace_lines(base: &str, theirs: &str, mine: &str) -> Option<String> {
    let (base, mine) = (split_lines(base), split_lines(mine));
    let mut merged: Vec<&str> = theirs.split('\n').collect();
    for op in similar::capture_diff_slices(Algorithm::Myers, &base, &mine) {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Replace {
                old_index,
                old_len: 1,
                new_index,
                new_len,
            } => {
                let replaced = base[old_index];
                let is_it = |n: &usize| merged[*n].trim_end_matches('\r') == replaced;
                let places: Vec<usize> = (0..merged.len()).filter(is_it).collect();
                let [at] = places[..] else {
                    return None;
                };
                merged.splice(
                    at..=at,
                    mine[new_index..new_index + new_len].iter().copied(),
                );
            }
            _ => return None,
        }
    }
    Some(merged.join("\n"))
}

/// Whether a text still contains conflict markers.
pub fn has_conflict_markers(text: &str) -> bool {
    text.lines()
        .any(|line| line == CONFLICT_START || line == CONFLICT_END)
}

fn split_lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// For each line of one text its partner in a longest common subsequence with another.
fn match_lines(one: &[&str], other: &[&str]) -> Vec<Option<usize>> {
    let mut partners = vec![None; one.len()];
    if one.len().saturating_mul(other.len()) <= MAX_LINE_PAIRS {
        for op in similar::capture_diff_slices(Algorithm::Myers, one, other) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                (0..len).for_each(|n| partners[old_index + n] = Some(new_index + n));
            }
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn string_set(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn a_set_keeps_what_either_side_added_and_loses_what_either_side_removed() {
        let merged = merge_sets(
            &string_set(&["a", "b", "c"]),
            &string_set(&["a", "c", "x"]),
            &string_set(&["b", "c", "y"]),
        );
        assert_eq!(merged, string_set(&["c", "x", "y"]));
    }

    #[test]
    fn changes_on_different_lines_are_merged_without_conflict() {
        let base = "met at the fair\nlikes steel\ncall in May\nsmall";
        let theirs = "met at the fair\nlikes steel\ncalled in May\nsmall";
        let mine = "met in Austin\nlikes steel\ncall in May\nsmall\nbudget: 2M";
        let merged = merge_texts(base, theirs, mine);
        assert_eq!(
            merged.text,
            "met in Austin\nlikes steel\ncalled in May\nsmall\nbudget: 2M"
        );
        assert_eq!(merged.conflicts, 0);
    }

    #[test]
    fn a_replaced_line_is_replaced_whatever_was_written_beside_it() {
        let base = "met at the fair\n> call Ann";
        let mine = "met at the fair\nx call Ann (moved)\n> call Ben";
        let replaced = |theirs| replace_lines(base, theirs, mine);
        assert_eq!(
            replaced("met in May\n> call Ann\nAnn: signed").as_deref(),
            Some("met in May\nx call Ann (moved)\n> call Ben\nAnn: signed")
        );
        for theirs in ["met at the fair\nx call Ann", "> call Ann\n> call Ann"] {
            assert_eq!(replaced(theirs), None, "{theirs}");
        }
    }

    #[test]
    fn changes_to_the_same_line_are_a_conflict_with_both_texts() {
        let merged = merge_texts("call in May", "call in June", "call in July");
        assert_eq!(
            merged.text,
            format!(
                "{CONFLICT_START}\ncall in June\n{CONFLICT_SEPARATOR}\ncall in July\n{CONFLICT_END}"
            )
        );
        assert!(
            merged.conflicts == 1
                && has_conflict_markers(&merged.text)
                && !has_conflict_markers("call =======")
        );
    }

    #[test]
    fn the_same_change_on_both_sides_is_one_change() {
        assert_eq!(
            merge_texts("a\nb", "a\nc", "a\nc"),
            MergedText {
                text: "a\nc".to_owned(),
                conflicts: 0
            }
        );
    }

    proptest! {
        #[test]
        fn an_unchanged_side_yields_the_other(base in "[ab\n]{0,20}", mine in "[abc\n]{0,20}") {
            let normal = |text: &str| text.lines().collect::<Vec<_>>().join("\n");
            prop_assert_eq!(merge_texts(&base, &base, &mine), MergedText { text: normal(&mine), conflicts: 0 });
            prop_assert_eq!(merge_texts(&base, &mine, &base), MergedText { text: normal(&mine), conflicts: 0 });
        }

        #[test]
        fn no_line_that_a_side_added_is_lost(base in "[ab\n]{0,20}", theirs in "[abx\n]{0,20}", mine in "[aby\n]{0,20}") {
            let merged = merge_texts(&base, &theirs, &mine).text;
            let holds = |line: &str| merged.lines().any(|merged| merged == line);
            prop_assert!(theirs.lines().chain(mine.lines()).filter(|line| line.contains(['x', 'y'])).all(holds));
        }

        #[test]
        fn sets_merge_the_same_from_either_side(
            base in proptest::collection::btree_set("[a-e]", 0..5),
            theirs in proptest::collection::btree_set("[a-h]", 0..5),
            mine in proptest::collection::btree_set("[a-h]", 0..5),
        ) {
            let [base, theirs, mine] = [base, theirs, mine].map(|set| set.into_iter().collect::<Vec<String>>());
            let sorted = |mut set: Vec<String>| { set.sort(); set };
            prop_assert_eq!(sorted(merge_sets(&base, &theirs, &mine)), sorted(merge_sets(&base, &mine, &theirs)));
        }
    }
}
