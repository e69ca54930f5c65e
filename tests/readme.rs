//! The README tells the truth: its table of keys is the command table.
//!
//! `BLESS=1 cargo test --test readme` writes the table anew.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use gantry::app::command::{self, Scope, keys};

const TABLE_BEGIN: &str = "<!-- keys: written by tests/readme.rs -->\n";
const TABLE_END: &str = "<!-- /keys -->";

fn keys_table() -> String {
    let mut out = String::new();
    for scope in Scope::ALL {
        out.push_str(&format!("\n**{}**\n\n| key | does |\n|---|---|\n", scope.title()));
        for row in command::all_commands().filter(|row| row.scope == *scope && !row.keys.is_empty()) {
            let keys: Vec<String> =
                row.keys.iter().map(|keys| format!("`{}`", keys::sequence_label(keys).replace('`', "\\`"))).collect();
            let cost = if row.cost.is_empty() { String::new() } else { format!(" ({})", row.cost) };
            out.push_str(&format!("| {} | {}{cost} |\n", keys.join(" "), row.description));
        }
    }
    out.push('\n');
    out
}

#[test]
fn the_readme_lists_the_keys_of_the_command_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let start = readme.find(TABLE_BEGIN).expect("the README has the beginning of the table") + TABLE_BEGIN.len();
    let end = start + readme[start..].find(TABLE_END).expect("the README has the end of the table");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, format!("{}{}{}", &readme[..start], keys_table(), &readme[end..])).unwrap();
    } else {
        assert_eq!(&readme[start..end], keys_table(), "the table is stale: BLESS=1 cargo test --test readme writes it");
    }
}
