//! Rules on the size of a type: how many methods it has, and in how many files.

use std::collections::{BTreeMap, BTreeSet};

use crate::console::{block_after, is_public};
use crate::imports::{MODULES, ModuleTree, Token, parse_files, path_at};

/// What a type may have: methods, public ones, and files with an `impl` block.
const MOST: [usize; 3] = [40, 25, 3];

/// The types that are larger, what they have, and why. The numbers may only fall.
const LARGE_TYPES: &[(&str, [usize; 3], &str)] = &[
    (
        "AnnotationForm",
        [29, 19, 5],
        "its parts are not divided yet",
    ),
    (
        "AnnotationFormPane",
        [40, 29, 6],
        "its commands, layout and drawing are methods",
    ),
    ("Client", [46, 36, 14], "one method for each route"),
    ("Conditions", [22, 21, 5], "one builder for all statements"),
    (
        "Conn",
        [30, 27, 1],
        "the connection of a request, with all that a handler sends",
    ),
    (
        "Console",
        [72, 51, 9],
        "hands out each kind of message, and draws each part of the frame",
    ),
    (
        "Context",
        [306, 244, 54],
        "what coordinates several subsystems still has to leave it",
    ),
    ("Conversation", [32, 8, 4], "its parts are not divided yet"),
    (
        "CreditsPane",
        [14, 5, 4],
        "its commands, layout and drawing are methods",
    ),
    (
        "ExplorePane",
        [99, 78, 12],
        "its commands, layout and drawing are methods",
    ),
    ("Inspection", [40, 21, 7], "its parts are not divided yet"),
    ("ListLines", [28, 28, 1], "a list has many commands"),
    (
        "Outbox",
        [39, 35, 3],
        "undo, offline writes and reconciliation are not divided yet",
    ),
    ("PendingWrite", [44, 42, 1], "the life cycle of all writes"),
    (
        "PressedKeys",
        [36, 33, 1],
        "counts, sequences and keys pressed ahead are not divided yet",
    ),
    ("Question", [25, 12, 4], "its parts are not divided yet"),
    (
        "QueuePane",
        [14, 9, 6],
        "its commands, layout and drawing are methods",
    ),
    (
        "QueueTabState",
        [66, 62, 4],
        "its parts are not divided yet",
    ),
    ("RecordList", [87, 82, 10], "its parts are not divided yet"),
    ("SignalList", [32, 26, 1], "its parts are not divided yet"),
    ("SignalQueue", [71, 65, 8], "its parts are not divided yet"),
    (
        "SkillsPane",
        [47, 32, 6],
        "its commands, layout and drawing are methods",
    ),
    (
        "Store",
        [39, 33, 15],
        "one method for each thing that is stored",
    ),
    (
        "SubscriptionsPane",
        [28, 8, 5],
        "its commands, layout and drawing are methods",
    ),
    (
        "TeamPane",
        [18, 8, 4],
        "its commands, layout and drawing are methods",
    ),
    ("Test", [9, 5, 4], "two types of this name"),
    (
        "Ui",
        [33, 28, 3],
        "what is over the panes and what has the focus are not divided yet",
    ),
    (
        "WatchPane",
        [23, 16, 5],
        "its commands, layout and drawing are methods",
    ),
];

/// The methods of each type by name, the public ones, and the files.
fn measure(tree: &ModuleTree) -> BTreeMap<String, [usize; 3]> {
    let mut types: BTreeMap<String, ([usize; 2], BTreeSet<&str>)> = BTreeMap::new();
    for module in tree.modules.values() {
        for (name, [methods, public]) in inherent_methods(&module.tokens) {
            let (counts, files) = types.entry(name).or_default();
            counts[0] += methods;
            counts[1] += public;
            files.insert(&module.file);
        }
    }
    types
        .into_iter()
        .map(|(name, ([methods, public], files))| (name, [methods, public, files.len()]))
        .collect()
}

/// The methods of each `impl` block that is not of a trait, and the public ones.
fn inherent_methods(tokens: &[Token]) -> Vec<(String, [usize; 2])> {
    let starts_item =
        |at: usize| at == 0 || matches!(tokens[at - 1].text, "}" | "{" | ";" | "]" | "unsafe");
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].text == "impl" && starts_item(*at)) {
        let block = block_after(tokens, at);
        let is_for = |at: usize| tokens[at].text == "for" && tokens[at + 1].text != "<";
        if (at..block.start).any(is_for) {
            continue;
        }
        let mut subject = at + 1;
        if tokens[subject].text == "<" {
            subject = (subject..block.start)
                .find(|at| tokens[*at].text == ">")
                .map_or(subject, |at| at + 1);
        }
        let Some(name) = path_at(tokens, subject)
            .last()
            .map(|name| (*name).to_owned())
        else {
            continue;
        };
        let (mut depth, mut counts) = (0, [0, 0]);
        for at in block {
            match tokens[at].text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "fn" if depth == 0 => {
                    counts[0] += 1;
                    let is_qualifier = |at: &usize| !matches!(tokens[*at].text, "const" | "async");
                    let start = (0..at).rev().find(is_qualifier).map_or(at, |at| at + 1);
                    counts[1] += usize::from(is_public(tokens, start));
                }
                _ => {}
            }
        }
        found.push((name, counts));
    }
    found
}

#[test]
fn a_type_has_few_methods_in_few_files() {
    let mut faults = String::new();
    for (name, measured) in measure(&MODULES) {
        let large = LARGE_TYPES.iter().find(|(large, ..)| *large == name);
        let most = large.map_or(MOST, |(_, most, _)| *most);
        let is_over = measured.iter().zip(most).any(|(now, most)| *now > most);
        let has_fallen = large.is_some() && measured != most && !is_over;
        if is_over || has_fallen {
            let what = if is_over {
                "too large"
            } else {
                "lower its limit"
            };
            faults.push_str(&format!(
                "    (\"{name}\", {measured:?}): {what}, limit {most:?}\n"
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "\nmethods, public methods and files of types:\n{faults}"
    );
}

#[test]
fn methods_of_traits_and_inner_functions_are_not_counted() {
    let files = parse_files(&[(
        "app/a.rs",
        "struct A;\nimpl A {\n    pub fn f(&self) { fn inner() {} }\n    fn g(&self) {}\n}\n\
         impl<T> B<T> {\n    pub(crate) const fn h() {}\n}\nimpl Drop for A {\n    fn drop(&mut self) {}\n}",
    )]);
    let measured = measure(&ModuleTree::new(&files));
    assert_eq!(measured["A"], [2, 1, 1]);
    assert_eq!(measured["B"], [1, 1, 1]);
    assert_eq!(measured.len(), 2);
}
