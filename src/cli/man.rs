//! `gantry man`: manual pages generated from the argument definitions.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::error::{CliError, Context};
use super::print;
use super::topics::{ENVIRONMENT, EXIT_CODES, FILES, Topic};

#[derive(Debug, Args)]
#[command(after_help = "Example: gantry man | man -l -")]
pub struct ManArgs {
    /// Write a page for each command into this directory, instead of the main page to standard
    /// output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the main page of `program`, or writes a page for each of its commands.
pub(super) fn run(man: &ManArgs, mut program: Command) -> Result<(), CliError> {
    match &man.dir {
        Some(dir) => {
            let write = |(name, page)| std::fs::write(dir.join(name), page);
            render_pages(program)?
                .into_iter()
                .try_for_each(write)
                .context(&format!("write into {}", dir.display()))
        }
        None => {
            program.build();
            Ok(print::write_data(&render_page(&program)?)?)
        }
    }
}

/// The pages of a program and all its commands, with their file names.
pub(super) fn render_pages(mut program: Command) -> io::Result<Vec<(String, String)>> {
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)?;
    Ok(pages)
}

fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    pages.push((
        Man::new(command.clone()).get_filename(),
        render_page(command)?,
    ));
    command
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .try_for_each(|verb| add_pages(verb, pages))
}

/// The page of a command. What concerns all of them, variables and files, is only on the main page.
fn render_page(command: &Command) -> io::Result<String> {
    // Its last lines are sections of their own.
    let man = Man::new(command.clone().after_help(None::<&str>));
    let is_main = command
        .get_display_name()
        .is_none_or(|name| name == "gantry");
    let has_subcommands = command.get_subcommands().next().is_some();
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::new();
    if is_main || !command.is_subcommand_required_set() {
        add_topic(&mut roff, "EXIT STATUS", &EXIT_CODES);
    }
    if is_main {
        add_topic(&mut roff, "ENVIRONMENT", &ENVIRONMENT);
        add_topic(&mut roff, "FILES", &FILES);
    }
    let help = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let help = if is_main {
        "Example: gantry --demo\nExample: gantry queue list --json".to_owned()
    } else {
        help
    };
    if help.starts_with("Example") {
        roff.control("SH", ["EXAMPLES"]);
    }
    for line in help.lines().filter(|line| *line != "Examples:") {
        let example = line.strip_prefix("Example: ").or(line.strip_prefix("  "));
        roff.control("PP", []);
        roff.text([example.map_or_else(|| roman(line), bold)]);
    }
    if !is_main {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([
            bold("gantry"),
            roman("(1), which explains environment variables and files"),
        ]);
    }
    page.extend(roff.render().into_bytes());
    String::from_utf8(page).map_err(io::Error::other)
}

fn add_topic(roff: &mut Roff, title: &str, topic: &Topic) {
    roff.control("SH", [title]);
    for (what, meaning) in topic.rows() {
        roff.control("TP", []);
        roff.text([bold(what)]);
        roff.text([roman(meaning)]);
    }
    roff.control("PP", []);
    roff.text([roman(topic.text)]);
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args;

    /// Each page and whether it is of a command that does something.
    fn pages(command: &Command, pages: &mut Vec<(String, bool, String)>) {
        let page = render_page(command).unwrap();
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned();
        pages.push((name, !command.is_subcommand_required_set(), page));
        command
            .get_subcommands()
            .for_each(|verb| self::pages(verb, pages));
    }

    #[test]
    fn every_page_has_the_sections_that_apply_to_it() {
        let (mut program, mut all) = (args::Args::command(), Vec::new());
        program.build();
        pages(&program, &mut all);
        for (name, is_verb, page) in all {
            let is_main = name == "gantry";
            let has = |title: &str| {
                page.contains(&format!("\n.SH {title}\n"))
                    || page.contains(&format!("\n.SH \"{title}\"\n"))
            };
            assert_eq!(
                (has("EXIT STATUS"), has("EXAMPLES")),
                (is_verb, is_verb),
                "{name}:\n{page}"
            );
            assert_eq!(
                (has("ENVIRONMENT"), has("FILES"), has("SEE ALSO")),
                (is_main, is_main, !is_main),
                "{name}"
            );
            assert!(!has("EXTRA"), "{name}");
        }
    }
}
