//! The environment of the programs that the console starts.

/// Keeps gantry's credentials out of the environment of a child process.
pub(super) fn remove_gantry_env(command: &mut std::process::Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GANTRY_") {
            command.env_remove(name);
        }
    }
}
