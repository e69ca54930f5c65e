//! Databases on the command line: a file, or the address of a PostgreSQL database. Its password is
//! never an argument.

use std::path::{Path, PathBuf};

use clap::Args;
use secrecy::ExposeSecret as _;

use crate::config::passfile::{DatabaseLogin, find_passfile, password_from_passfile};
use crate::config::{self, EnvLookup};
use crate::service::Storage;
use crate::service::db::sql::PostgresConfig;

use super::error::CliError;

/// The variable that names a database for commands without `--data`.
const DATABASE_VARIABLE: &str = "GANTRY_DATABASE_URL";

/// The password of a database, in the arguments of every command that opens one.
#[derive(Debug, Default, Args)]
pub(super) struct DatabaseArgs {
    /// File with the password of the PostgreSQL database, mode 0600 [env: PGPASSWORD has the
    /// password itself; also: ~/.pgpass]
    #[arg(long, value_name = "FILE")]
    pub(super) database_password_file: Option<PathBuf>,
}

/// Whether a path is the address of a PostgreSQL database.
pub(super) fn is_postgres_url(data: &Path) -> bool {
    data.to_str().is_some_and(PostgresConfig::is_url)
}

/// Where the data is: as `option` says, or the variable [`DATABASE_VARIABLE`]. `None` if neither is
/// given.
pub(super) fn find_storage(
    option: &str,
    data: Option<&Path>,
    args: &DatabaseArgs,
    env: EnvLookup<'_>,
) -> Result<Option<Storage>, CliError> {
    let file = args.database_password_file.as_deref();
    let storage = match (data, env(DATABASE_VARIABLE)) {
        (Some(data), _) => match data.to_str().filter(|text| PostgresConfig::is_url(text)) {
            Some(url) => Storage::Postgres(Box::new(find_postgres(option, url, file, env)?)),
            None if data.as_os_str() == ":memory:" => Storage::Memory,
            None => Storage::File(data.to_owned()),
        },
        (None, Some(url)) => {
            Storage::Postgres(Box::new(find_postgres(DATABASE_VARIABLE, &url, file, env)?))
        }
        (None, None) => return Ok(None),
    };
    if file.is_some() && !matches!(storage, Storage::Postgres(_)) {
        let example = "postgres://USER@HOST/DATABASE";
        return Err(CliError::usage(format!(
            "--database-password-file is for a PostgreSQL database: {option} {example}"
        )));
    }
    Ok(Some(storage))
}

/// A PostgreSQL database by its address, from an option or a variable, with its password.
pub(super) fn find_postgres(
    source: &str,
    url: &str,
    password_file: Option<&Path>,
    env: EnvLookup<'_>,
) -> Result<PostgresConfig, CliError> {
    let mut config: PostgresConfig = url
        .parse()
        .map_err(|error| CliError::usage(format!("{source}: {error}")))?;
    if source.starts_with('-') && config.has_password() {
        let hint = format!(
            "leave it out and use --database-password-file FILE, PGPASSWORD or ~/.pgpass, or put the whole address into \
             {DATABASE_VARIABLE}"
        );
        return Err(CliError::usage(format!(
            "other users of this machine can read a password in {source}"
        ))
        .with_hint(hint));
    }
    let password = match password_file {
        Some(file) => Some(config::password_from_file(file)?),
        None if config.has_password() => None,
        None => match env("PGPASSWORD") {
            Some(password) => Some(password.into()),
            None => find_in_passfile(&config, env)?,
        },
    };
    if let Some(password) = password {
        config.set_password(password.expose_secret());
    }
    Ok(config)
}

fn find_in_passfile(
    config: &PostgresConfig,
    env: EnvLookup<'_>,
) -> Result<Option<secrecy::SecretString>, CliError> {
    let Some(file) = find_passfile(env) else {
        return Ok(None);
    };
    let user = config.get_user().unwrap_or_default();
    let login = DatabaseLogin {
        endpoints: &config.endpoints(),
        database: config.get_dbname().unwrap_or(user),
        user,
    };
    Ok(password_from_passfile(&file, login)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::domain::exit_status;

    fn find(
        data: Option<&str>,
        file: Option<&Path>,
        env: &[(&str, &str)],
    ) -> Result<Option<Storage>, CliError> {
        let args = DatabaseArgs {
            database_password_file: file.map(Path::to_owned),
        };
        let lookup = |name: &str| {
            env.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        };
        find_storage("--data", data.map(Path::new), &args, &lookup)
    }

    fn password(found: Result<Option<Storage>, CliError>) -> Option<String> {
        match found.unwrap() {
            Some(Storage::Postgres(config)) => config
                .get_password()
                .map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            other => panic!("{other:?}"),
        }
    }

    fn write_private(file: PathBuf, text: &str) -> PathBuf {
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        file
    }

    #[test]
    fn the_option_comes_before_the_variable_and_both_may_name_postgresql() {
        let url = (
            "GANTRY_DATABASE_URL",
            "postgres://ann:secret@localhost/desk",
        );
        assert_eq!(find(None, None, &[]).unwrap(), None);
        assert_eq!(
            find(Some(":memory:"), None, &[url]).unwrap(),
            Some(Storage::Memory)
        );
        assert_eq!(
            find(Some("desk.db"), None, &[url]).unwrap(),
            Some(Storage::File("desk.db".into()))
        );
        assert_eq!(
            password(find(None, None, &[url])).as_deref(),
            Some("secret")
        );
        assert_eq!(
            password(find(Some("postgres://ann@localhost/desk"), None, &[url])),
            None
        );
    }

    #[test]
    fn a_password_comes_from_a_file_a_variable_or_the_password_file_of_postgresql() {
        let folder = tempfile::tempdir().unwrap();
        let file = write_private(folder.path().join("password"), "of the file\n");
        let passfile = write_private(
            folder.path().join("pgpass"),
            "localhost:5432:desk:ann:of pgpass\n",
        );
        let (variable, known) = (
            ("PGPASSWORD", "of the variable"),
            ("PGPASSFILE", passfile.to_str().unwrap()),
        );
        let url = Some("postgres://ann@localhost/desk");
        let named = (
            "GANTRY_DATABASE_URL",
            "postgres://ann:of-the-address@localhost/desk",
        );
        for (data, file, env, expected) in [
            (
                url,
                Some(file.as_path()),
                &[variable, known][..],
                Some("of the file"),
            ),
            (url, None, &[variable, known], Some("of the variable")),
            (url, None, &[known], Some("of pgpass")),
            (Some("postgres://ben@localhost/desk"), None, &[known], None),
            (None, None, &[named, variable], Some("of-the-address")),
            (None, Some(file.as_path()), &[named], Some("of the file")),
        ] {
            assert_eq!(
                password(find(data, file, env)).as_deref(),
                expected,
                "{data:?} {env:?}"
            );
        }
    }

    #[test]
    fn a_password_in_an_argument_is_rejected_with_what_to_do_and_not_repeated() {
        for url in [
            "postgres://ann:secret@localhost/desk",
            "postgres://localhost/desk?user=ann&password=secret",
        ] {
            let error = find(Some(url), None, &[]).unwrap_err();
            let said = error.to_line().unwrap();
            assert_eq!(error.exit_status, exit_status::USAGE);
            assert!(
                said.contains("GANTRY_DATABASE_URL") && said.contains("--database-password-file"),
                "{said}"
            );
            assert!(!said.contains("secret") && !said.contains('\n'), "{said}");
        }
        let said = find(Some("desk.db"), Some(Path::new("password")), &[])
            .unwrap_err()
            .message
            .unwrap();
        assert!(
            said.contains("--database-password-file is for a PostgreSQL database"),
            "{said}"
        );
    }
}
