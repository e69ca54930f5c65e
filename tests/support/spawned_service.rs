//! A separate service, served by the built program, and a shell configured for it.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "each test uses only a part of it"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// `gantry serve`, a home, and the environment in which the CLI calls it as the owner of its first
/// workspace.
pub struct SpawnedService {
    child: Child,
    pub env: Vec<(&'static str, String)>,
    pub home: tempfile::TempDir,
}

impl SpawnedService {
    /// Starts it with additional options.
    pub fn start(more: &[&str]) -> SpawnedService {
        let home = tempfile::tempdir().unwrap();
        let ready = home.path().join("ready.json");
        let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(["serve", "--listen", "127.0.0.1:0", "--ready-file"])
            .arg(&ready)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // It prints its address once it is ready; a service that fails to start closes the pipe.
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: serde_json::Value =
            serde_json::from_slice(&std::fs::read(ready).unwrap()).unwrap();
        let workspace = &ready["workspaces"][0];
        let owner = workspace["members"]
            .as_array()
            .unwrap()
            .iter()
            .find(|member| member["role"] == "owner")
            .unwrap();
        let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        assert_eq!(line.trim(), word(&ready["base_url"]));
        let folder = Path::new(env!("CARGO_BIN_EXE_gantry")).parent().unwrap();
        let env = vec![
            (
                "PATH",
                format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()),
            ),
            ("HOME", home.path().display().to_string()),
            ("GANTRY_BASE_URL", word(&ready["base_url"])),
            ("GANTRY_TOKEN", word(&owner["access_token"])),
            ("GANTRY_WORKSPACE", word(&workspace["id"])),
        ];
        SpawnedService { child, env, home }
    }

    pub fn base_url(&self) -> &str {
        self.env
            .iter()
            .find_map(|(name, value)| (*name == "GANTRY_BASE_URL").then_some(value))
            .unwrap()
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// A shell command line with this program as `gantry`.
    pub fn shell_command(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("set -e; {line}")])
            .env_clear()
            .envs(self.env.clone())
            .current_dir(self.home.path());
        command
    }

    /// Runs such a command line.
    pub fn run(&self, line: &str) -> Output {
        self.shell_command(line).output().unwrap()
    }
}

/// Creates a file with sample data, as `gantry serve` with these options does.
pub fn create_sample_file(file: &Path, more: &[&str]) {
    drop(SpawnedService::start(
        &[&["--data", file.to_str().unwrap()], more].concat(),
    ));
}

/// Whether a file that the console keeps below a home contains a text: what is there survives a
/// kill.
pub fn is_stored(home: &Path, text: &str) -> bool {
    let files = std::fs::read_dir(home.join(".local/state/gantry"))
        .into_iter()
        .flatten()
        .flatten();
    let mut contents = files.filter_map(|file| std::fs::read(file.path()).ok());
    contents.any(|bytes| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}

impl Drop for SpawnedService {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
