//! Shell completion: commands and options from the arguments, profiles from the configuration,
//! signal types and Views from the cache, methods and paths from the list of routes.
//!
//! Never here: requests and tokens. Pressing Tab contacts no service and runs no token command.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use clap::Command;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, CompletionCandidate, Shell};

use crate::config::{self, Paths, ThemeName, process_env};
use crate::domain::signals::SignalType;
use crate::interface::RouteId;
use crate::text;

use super::error::CliError;
use super::vocabulary_cache;

/// The variable that a shell sets to request completions.
const COMPLETION_ENV_VAR: &str = "GANTRY_COMPLETE";

/// zsh loads a script from its `fpath` at the first Tab, which the script then has to answer
/// itself.
const ZSH_FIRST_COMPLETION: &str =
    "if [ \"$funcstack[1]\" = _gantry ]; then _clap_dynamic_completer_gantry \"$@\"; fi\n";

/// Answers a completion request and exits; returns if there is none.
pub(super) fn answer_completion_request(program: fn() -> Command) {
    CompleteEnv::with_factory(program)
        .var(COMPLETION_ENV_VAR)
        .complete();
}

/// The script that registers the completions in a shell.
pub(super) fn registration_script(shell: Shell) -> Result<String, CliError> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(&shell.to_string()) {
        completer.write_registration(
            COMPLETION_ENV_VAR,
            "gantry",
            "gantry",
            "gantry",
            &mut script,
        )?;
    }
    if shell == Shell::Zsh {
        script.extend_from_slice(ZSH_FIRST_COMPLETION.as_bytes());
    }
    String::from_utf8(script).map_err(CliError::failed)
}

/// Completes profile names.
pub(super) fn profiles(typed: &OsStr) -> Vec<CompletionCandidate> {
    let profiles = config::load_profiles(&Paths::from_env(&process_env)).unwrap_or_default();
    matching_candidates(profiles.into_iter().map(|profile| profile.name), typed)
}

/// Completes themes: those of gantry, and those of the configuration.
pub(super) fn themes(typed: &OsStr) -> Vec<CompletionCandidate> {
    let own = config::load_theme_names(&Paths::from_env(&process_env));
    matching_candidates(
        ThemeName::NAMES
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .chain(own),
        typed,
    )
}

/// Completes signal types: those of the interface, and further ones from cached vocabularies.
pub(super) fn signal_types(typed: &OsStr) -> Vec<CompletionCandidate> {
    let mut types: Vec<String> = SignalType::ALL.iter().map(ToString::to_string).collect();
    types.extend(vocabulary_cache::cached_signal_types(
        Paths::from_env(&process_env).cache.as_deref(),
    ));
    types.sort();
    types.dedup();
    matching_candidates(types.into_iter(), typed)
}

/// Completes recently listed Views, by the start of the id or a part of the name.
pub(super) fn views(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy().to_lowercase();
    let views =
        vocabulary_cache::cached_views(Paths::from_env(&process_env).cache.as_deref()).into_iter();
    let wanted =
        views.filter(|(id, name)| id.starts_with(&typed) || name.to_lowercase().contains(&typed));
    wanted
        .map(|(id, name)| {
            CompletionCandidate::new(id).help(Some(text::sanitize_line(&name).into_owned().into()))
        })
        .collect()
}

/// Completes the methods of routes.
pub(super) fn methods(typed: &OsStr) -> Vec<CompletionCandidate> {
    let methods: BTreeSet<_> = RouteId::ALL
        .iter()
        .map(|id| id.route().method.to_string())
        .collect();
    matching_candidates(methods.into_iter(), typed)
}

/// Completes the paths of routes.
pub(super) fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    let paths: BTreeSet<_> = RouteId::ALL
        .iter()
        .map(|id| id.route().path.to_owned())
        .collect();
    matching_candidates(paths.into_iter(), typed)
}

fn matching_candidates(
    names: impl Iterator<Item = String>,
    typed: &OsStr,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    names
        .filter(|name| name.starts_with(&*typed))
        .map(CompletionCandidate::new)
        .collect()
}
