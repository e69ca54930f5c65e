//! A PostgreSQL server for the tests of one process, in a temporary folder. It ends with the
//! process, however that ends, and leaves nothing.
#![allow(dead_code, reason = "each test uses only a part of it")]

use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

/// Creates and starts a server in `$1` with the programs in `$2`, and stops it when standard input
/// is closed. A ^C ends the tests, which closes it.
const RUN_SERVER: &str = r#"
    trap "" INT TERM HUP
    {
        "$2/initdb" -D "$1/data" -U postgres -A trust --locale=C -E UTF8 --no-sync &&
        "$2/pg_ctl" -D "$1/data" -l "$1/log" -w start -o "-k '$1' -c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c max_wal_size=4GB -c autovacuum=off -c max_connections=400"
    } > "$1/out" 2>&1 < /dev/null && echo ready || cat "$1/out" "$1/log"
    read -r _
    "$2/pg_ctl" -D "$1/data" -m immediate stop > /dev/null 2>&1
    rm -rf "$1"
"#;

/// The address of the server, which the first caller starts; `None` if PostgreSQL is not installed.
pub fn temporary_cluster() -> Option<&'static str> {
    static CLUSTER: OnceLock<Option<(String, Child)>> = OnceLock::new();
    CLUSTER
        .get_or_init(|| find_programs().map(|programs| start_server(&programs)))
        .as_ref()
        .map(|(url, _)| url.as_str())
}

/// The folder with the programs of PostgreSQL: of the `PATH`, or Debian's of the newest version.
fn find_programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut debian: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|versions| {
            versions
                .flatten()
                .map(|version| version.path().join("bin"))
                .collect()
        })
        .unwrap_or_default();
    let number = |bin: &PathBuf| {
        bin.parent()
            .and_then(Path::file_name)?
            .to_str()?
            .parse::<u32>()
            .ok()
    };
    debian.sort_by_key(|bin| std::cmp::Reverse(number(bin)));
    std::env::split_paths(&path)
        .chain(debian)
        .find(|bin| bin.join("initdb").is_file())
}

fn start_server(programs: &Path) -> (String, Child) {
    // not in TMPDIR: another user may have to reach it, and the name of a socket is short
    let folder = tempfile::Builder::new()
        .prefix("gantry-postgres-")
        .tempdir_in("/tmp")
        .expect("a folder")
        .keep();
    let mut command = Command::new("sh");
    command
        .args(["-c", RUN_SERVER, "sh"])
        .arg(&folder)
        .arg(programs)
        .current_dir("/");
    if let Some((user, group)) = other_user() {
        chown(&folder, Some(user), Some(group)).expect("the folder changes hands");
        command.uid(user).gid(group);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let told = child.stdout.take().map(read_first_line).unwrap_or_default();
    assert_eq!(told.trim_end(), "ready", "PostgreSQL does not start");
    (
        format!(
            "postgres://postgres@{}/postgres",
            folder.display().to_string().replace('/', "%2F")
        ),
        child,
    )
}

fn read_first_line(output: ChildStdout) -> String {
    let mut line = String::new();
    let _ = BufReader::new(output).read_line(&mut line);
    line
}

/// For root, whom PostgreSQL rejects: the ids of somebody else.
fn other_user() -> Option<(u32, u32)> {
    if !Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout == b"0\n")
    {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    ["postgres", "nobody"].into_iter().find_map(|name| {
        let fields: Vec<&str> = users
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
            .find(|user| user[0] == name)?;
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    })
}
