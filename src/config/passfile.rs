//! The password file of PostgreSQL's own programs (`~/.pgpass`): one line
//! `host:port:database:user:password` for each login.
//!
//! Never here: other sources of a password, connecting.

use std::path::{Path, PathBuf};

use secrecy::SecretString;

use super::EnvLookup;
use super::config_error::ConfigError;
use super::paths::home_folder;
use super::secret::read_private_file;

/// Who signs in where.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseLogin<'l> {
    /// Hosts, or folders of sockets, with their ports.
    pub endpoints: &'l [(String, u16)],
    pub database: &'l str,
    pub user: &'l str,
}

/// The password file: `PGPASSFILE`, or `~/.pgpass`. `None` if it does not exist.
pub fn find_passfile(env: EnvLookup<'_>) -> Option<PathBuf> {
    let named = env("PGPASSFILE").map(PathBuf::from);
    named
        .or_else(|| Some(home_folder(env)?.join(".pgpass")))
        .filter(|file| file.exists())
}

/// The password of the first line that matches the login.
///
/// # Errors
/// If the file cannot be read, or others can read it.
pub fn password_from_passfile(
    file: &Path,
    login: DatabaseLogin<'_>,
) -> Result<Option<SecretString>, ConfigError> {
    let lines = read_private_file(file, "password file")?;
    let matches = |line: &&str| {
        let fields = split_fields(line);
        let [host, port, database, user, _] = fields.as_slice() else {
            return false;
        };
        let is = |field: &str, value: &str| field == "*" || field == value;
        let is_there = |(name, number): &(String, u16)| {
            let is_host = is(host, name) || host == "localhost" && name.starts_with('/');
            is_host && is(port, &number.to_string())
        };
        login.endpoints.iter().any(is_there) && is(database, login.database) && is(user, login.user)
    };
    let found = lines
        .lines()
        .filter(|line| !line.starts_with('#'))
        .find(matches);
    Ok(found
        .and_then(|line| split_fields(line).pop())
        .map(SecretString::from))
}

/// The fields of a line. In a field, `\` takes the next character as it is.
fn split_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        let is_password = fields.len() == 5;
        match (c, fields.last_mut()) {
            (':', _) if !is_password => fields.push(String::new()),
            ('\\', Some(field)) => field.extend(characters.next()),
            (c, Some(field)) => field.push(c),
            (_, None) => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use secrecy::ExposeSecret as _;

    use super::*;

    const PASSFILE: &str = "# host:port:database:user:password\n\
        db.example:5432:desk:ann:one\n\
        db.example:*:*:ann:t\\:w\\\\o:three\n\
        localhost:5432:*:ben:socket\n\
        *:*:*:eva:every where\n\
        *:*:*:short\n";

    fn write_passfile(folder: &Path, mode: u32) -> PathBuf {
        let file = folder.join(".pgpass");
        std::fs::write(&file, PASSFILE).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_first_line_that_matches_host_port_database_and_user_has_the_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = write_passfile(folder.path(), 0o600);
        for (host, port, database, user, password) in [
            ("db.example", 5432, "desk", "ann", Some("one")),
            ("db.example", 5433, "desk", "ann", Some("t:w\\o:three")),
            ("db2.example", 5432, "desk", "ann", None),
            ("/run/postgresql", 5432, "desk", "ben", Some("socket")),
            ("db.example", 5432, "desk", "ben", None),
            ("other.example", 1, "any", "eva", Some("every where")),
        ] {
            let endpoints = [(host.to_owned(), port)];
            let found = password_from_passfile(
                &file,
                DatabaseLogin {
                    endpoints: &endpoints,
                    database,
                    user,
                },
            )
            .unwrap();
            assert_eq!(
                found.as_ref().map(|secret| secret.expose_secret()),
                password,
                "{host}:{port}:{database}:{user}"
            );
        }
    }

    #[test]
    fn a_password_file_that_others_can_read_is_rejected_with_the_command_that_fixes_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = write_passfile(folder.path(), 0o640);
        let login = DatabaseLogin {
            endpoints: &[],
            database: "desk",
            user: "ann",
        };
        let said = password_from_passfile(&file, login)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("others can read the password file") && said.contains("chmod 600"),
            "{said}"
        );
    }

    #[test]
    fn pgpassfile_comes_before_the_file_in_the_home_directory() {
        let folder = tempfile::tempdir().unwrap();
        let file = write_passfile(folder.path(), 0o600);
        let home = folder.path().display().to_string();
        let env = |named: Option<&str>| {
            let (named, home) = (named.map(str::to_owned), home.clone());
            find_passfile(&move |name| match name {
                "PGPASSFILE" => named.clone(),
                "HOME" => Some(home.clone()),
                _ => None,
            })
        };
        assert_eq!(env(None), Some(file.clone()));
        assert_eq!(env(file.to_str()), Some(file));
        assert_eq!(env(Some("/nowhere/pgpass")), None);
    }
}
