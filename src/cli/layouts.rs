//! `gantry layouts`: the layouts of permit files that `gantry import` knows.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;

use crate::config;
use crate::service::import::layout::{self, PermitLayout};

use super::columns::{Column, NAME, hidden, text_column};
use super::error::CliError;
use super::list_args::ListArgs;
use super::output::Output;
use super::print;

const LAYOUT_COLUMNS: &[Column] = &[
    NAME,
    text_column("city", "CITY"),
    text_column("source", "SOURCE"),
    text_column("tested", "TESTED"),
    hidden("path"),
];

#[derive(Debug, Subcommand)]
pub enum LayoutsCommand {
    /// List the built-in layouts, and yours
    #[command(after_help = "Example: gantry layouts list --sort city")]
    List(ListArgs),
    /// Print a layout as TOML, for example to change it
    #[command(after_help = "Example: gantry layouts show chicago > chicago-2.toml")]
    Show {
        /// Name of a layout
        name: String,
    },
}

pub(super) fn run(verb: &LayoutsCommand, output: Output) -> Result<(), CliError> {
    let folder = config::Paths::from_env(&config::process_env).layouts_folder();
    match verb {
        LayoutsCommand::List(args) => list(folder.as_deref(), args, output),
        LayoutsCommand::Show { name } => {
            let text = layout::read_text(name, folder.as_slice())
                .map_err(|error| CliError::usage(error.to_string()))?;
            Ok(print::write_data(&text)?)
        }
    }
}

fn list(folder: Option<&Path>, args: &ListArgs, output: Output) -> Result<(), CliError> {
    let built_in = layout::BUILT_IN_LAYOUTS.iter().map(|(name, text)| {
        let tested = match layout::TESTED_LAYOUTS.contains(name) {
            true => "on real rows",
            false => "no, from the portal's description",
        };
        row(
            name,
            PermitLayout::parse(name, text).map_err(|error| error.to_string()),
            tested,
            None,
        )
    });
    let mut files: Vec<PathBuf> = folder
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    let own = files.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        row(
            &name,
            PermitLayout::from_file(path).map_err(|error| error.to_string()),
            "yours",
            Some(path),
        )
    });
    args.print_rows(built_in.chain(own), LAYOUT_COLUMNS, output)
}

fn row(
    name: &str,
    layout: Result<PermitLayout, String>,
    tested: &str,
    path: Option<&PathBuf>,
) -> serde_json::Value {
    match layout {
        Ok(layout) => {
            let place = [layout.city.as_str(), layout.state.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty());
            let place = place.collect::<Vec<_>>().join(", ");
            json!({"name": name, "city": place, "source": layout.source.display_name, "tested": tested, "path": path})
        }
        Err(error) => {
            json!({"name": name, "city": null, "source": error, "tested": "cannot be used", "path": path})
        }
    }
}
