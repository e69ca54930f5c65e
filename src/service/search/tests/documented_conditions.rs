//! The table of conditions in docs/scripting.md. The tests of the command line read it too.

const SCRIPTING: &str = include_str!("../../../../docs/scripting.md");

/// Each condition, and where it works.
pub fn documented_conditions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let (_, table) = SCRIPTING
        .split_once("| condition | meaning | works in |\n|---|---|---|\n")
        .expect("the table");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        (cells[0].trim_matches('`'), cells[2])
    })
}
