//! `gantry man`: manual pages generated from the argument definitions.

use std::path::PathBuf;

use clap::{Args, Command};

use super::error::{CliError, Context};
use super::print;

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry man | man -l -")]
pub struct ManArgs {
    /// Write a page for each command into this directory, instead of the main page to standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the main page of `program`, or writes a page for each of its commands.
pub(super) fn run(man: &ManArgs, program: Command) -> Result<(), CliError> {
    match &man.dir {
        Some(dir) => clap_mangen::generate_to(program, dir).context(&format!("write into {}", dir.display())),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(program).render(&mut page)?;
            Ok(print::write_data(&String::from_utf8_lossy(&page))?)
        }
    }
}
