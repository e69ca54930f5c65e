//! gantry: arguments → console or a verb; the exit status.

fn main() {}
