//! `gantry man`: manual pages generated from the argument definitions.

use std::path::PathBuf;

use clap::{Args as Arguments, CommandFactory};

use super::args::Args;
use super::exit::{CliError, Context};
use super::print;

#[derive(Debug, Arguments)]
#[command(after_help = "Example: gantry man | man -l -")]
pub struct ManArgs {
    /// Write a page for each command into this directory, instead of the main page to standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(super) fn run(man: &ManArgs) -> Result<(), CliError> {
    match &man.dir {
        Some(dir) => clap_mangen::generate_to(Args::command(), dir).context(&format!("write into {}", dir.display())),
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Args::command()).render(&mut page)?;
            Ok(print::write_data(&String::from_utf8_lossy(&page))?)
        }
    }
}
