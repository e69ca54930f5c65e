//! Merges options, environment and profile into one [`Config`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::SecretString;

use super::edit::is_same_certificate;
use super::file;
use super::paths::{check_local_file, home_folder, is_file_or_missing};
use super::settings::{ConfigFile, ProfileSection};
use super::{
    BackendLocation, CliOptions, ColorSupport, Config, ConfigError, EnvLookup, Paths,
    SampleOptions, secret,
};

/// The allowed range of `poll`.
pub(super) const POLL_INTERVAL_RANGE: std::ops::RangeInclusive<Duration> =
    Duration::from_secs(10)..=Duration::from_secs(300);

/// Resolves the configuration: an option beats the environment, which beats the profile, which
/// beats the default.
///
/// # Errors
/// A configuration file that cannot be read, an unknown profile, a token that is unavailable or
/// belongs to another address.
pub fn resolve(options: &CliOptions, env: EnvLookup<'_>) -> Result<Config, ConfigError> {
    let paths = Paths::from_env(env);
    let file = match file::load_config_file(&paths) {
        // Neither demo nor local file needs the configuration.
        Err(error) if options.demo || options.local.is_some() => without_file(error),
        read => read?,
    };
    let location = resolve_location(options, env, &paths, &file)?;
    resolve_settings(options, env, paths, &file, location)
}

/// Resolves the configuration for the console: a file that cannot be used, be it the configuration
/// or the profile's token, does not keep it from starting. It asks for a service then, unless one
/// was requested, which could be one that the file protects.
///
/// # Errors
/// As for [`resolve`].
pub fn resolve_for_console(
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Result<Config, ConfigError> {
    let is_requested = options.profile.is_some()
        || options.base_url.is_some()
        || options.token_file.is_some()
        || ["GANTRY_PROFILE", "GANTRY_BASE_URL", "GANTRY_TOKEN_FILE"]
            .into_iter()
            .any(|name| env(name).is_some());
    resolve(options, env).or_else(|error| {
        if is_requested
            || options.demo
            || options.local.is_some()
            || options.sample != SampleOptions::default()
        {
            return Err(error);
        }
        let paths = Paths::from_env(env);
        let mut file = file::load_config_file(&paths).unwrap_or_else(|_| ConfigFile::default());
        file.warnings
            .retain(|warning| !warning.starts_with(&error.message));
        file.warnings
            .insert(0, format!("{error}; no service is connected"));
        resolve_settings(options, env, paths, &file, BackendLocation::Unconfigured)
    })
}

/// The defaults in place of a file that cannot be used, with the reason as a warning.
fn without_file(error: ConfigError) -> ConfigFile {
    ConfigFile {
        warnings: vec![format!("{error}; using the defaults")],
        ..ConfigFile::default()
    }
}

/// Reads the settings again while the console runs. Its connection stays: no token is read and no
/// command is run for one.
///
/// # Errors
/// A configuration file that cannot be read.
pub fn reload(
    options: &CliOptions,
    env: EnvLookup<'_>,
    connected_to: &BackendLocation,
) -> Result<Config, ConfigError> {
    let paths = Paths::from_env(env);
    let file = file::load_config_file(&paths)?;
    let mut config = resolve_settings(options, env, paths, &file, connected_to.clone())?;
    if let BackendLocation::Remote {
        label, base_url, ..
    } = connected_to
        && let Some(profile) = file.profiles.get(label)
        && profile.base_url.as_ref() != Some(base_url)
    {
        config.warnings.push(format!(
            "profile {label} has another address now; to connect to it, type :profile {label}"
        ));
    }
    Ok(config)
}

fn resolve_settings(
    options: &CliOptions,
    env: EnvLookup<'_>,
    paths: Paths,
    file: &ConfigFile,
    location: BackendLocation,
) -> Result<Config, ConfigError> {
    let accessible = super::is_accessible(env);
    let mut console = file.console.clone();
    console.poll = options.poll.or(console.poll);
    console.theme = resolve_theme(options, env, file)?.or(console.theme);
    console.mouse &= !options.no_mouse;
    let ascii = console
        .ascii
        .unwrap_or(super::non_utf8_locale(env).is_some());
    let poll = console.poll.unwrap_or(Duration::from_secs(15));
    let poll = Some(poll).filter(|every| !every.is_zero());
    let mut notes = file.warnings.clone();
    if poll.is_some_and(|every| !POLL_INTERVAL_RANGE.contains(&every)) {
        notes.push(format!(
            "poll must be off, or between {} s and {} s; using the nearest",
            POLL_INTERVAL_RANGE.start().as_secs(),
            POLL_INTERVAL_RANGE.end().as_secs()
        ));
    }
    let profile = match &location {
        BackendLocation::Remote { label, .. } => file.profiles.get(label),
        _ => None,
    };
    Ok(Config {
        profile_color: profile.and_then(|profile| profile.color),
        location,
        poll: poll
            .map(|every| every.clamp(*POLL_INTERVAL_RANGE.start(), *POLL_INTERVAL_RANGE.end())),
        ascii: options.ascii || accessible || ascii,
        read_only: options.read_only || read_only_profile_in(options, env, &paths, file).is_some(),
        console,
        dashboard: file.watch.clone(),
        display: file.display,
        themes: file.theme.clone(),
        budgets: file.budget.limits,
        texts: file.clone().into_texts(),
        color_support: detect_color_support(options, env),
        light_background: detect_light_background(env),
        accessible,
        paths,
        warnings: notes,
    })
}

/// The name of the profile that is used, if nothing may be written with it.
///
/// # Errors
/// A configuration file that cannot be read.
pub fn read_only_profile(
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Result<Option<String>, ConfigError> {
    if options.demo || options.local.is_some() {
        return Ok(None);
    }
    let paths = Paths::from_env(env);
    let file = file::load_config_file(&paths)?;
    Ok(read_only_profile_in(options, env, &paths, &file))
}

fn read_only_profile_in(
    options: &CliOptions,
    env: EnvLookup<'_>,
    paths: &Paths,
    file: &ConfigFile,
) -> Option<String> {
    if options.demo || options.local.is_some() {
        return None;
    }
    // An unknown profile is reported when the service is looked for.
    let (name, profile) = choose_profile(options, env, paths, file).ok().flatten()?;
    profile.read_only.then_some(name)
}

/// The theme from the command line or the environment.
fn resolve_theme(
    options: &CliOptions,
    env: EnvLookup<'_>,
    file: &ConfigFile,
) -> Result<Option<String>, ConfigError> {
    let requested = options
        .theme
        .clone()
        .map(|name| ("--theme", name))
        .or(env("GANTRY_THEME").map(|name| ("GANTRY_THEME", name)));
    match requested {
        Some((from, name)) if !file::is_theme(&name, &file.theme) => Err(ConfigError::new(
            file::unknown_theme(from, &name, &file.theme),
        )),
        requested => Ok(requested.map(|(_, name)| name)),
    }
}

/// The colors that the terminal reports to support, unless they are turned off.
fn detect_color_support(options: &CliOptions, env: EnvLookup<'_>) -> ColorSupport {
    let (term, colorterm) = (
        env("TERM").unwrap_or_default(),
        env("COLORTERM").unwrap_or_default(),
    );
    let plain = options.no_color
        || env("NO_COLOR").is_some()
        || env("CLICOLOR").is_some_and(|value| value == "0");
    let has = |names: &[&str]| names.iter().any(|name| term.contains(name));
    match () {
        () if plain || term == "dumb" => ColorSupport::None,
        () if matches!(colorterm.as_str(), "truecolor" | "24bit") || has(&["direct"]) => {
            ColorSupport::TrueColor
        }
        () if has(&[
            "256color",
            "kitty",
            "alacritty",
            "foot",
            "ghostty",
            "wezterm",
        ]) =>
        {
            ColorSupport::Indexed256
        }
        () => ColorSupport::Ansi16,
    }
}

/// Whether `COLORFGBG` reports a light background: its last field is the background color's number.
fn detect_light_background(env: EnvLookup<'_>) -> Option<bool> {
    let number: u8 = env("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
    Some(matches!(number, 7 | 9..=15))
}

fn resolve_location(
    options: &CliOptions,
    env: EnvLookup<'_>,
    paths: &Paths,
    file: &ConfigFile,
) -> Result<BackendLocation, ConfigError> {
    if let Some(url) = options.local.as_deref().and_then(Path::to_str)
        && url
            .split_once("://")
            .is_some_and(|(scheme, _)| matches!(scheme, "postgres" | "postgresql"))
    {
        return Err(ConfigError::new(
            "--local opens files; for a PostgreSQL database run gantry serve --data with its address, and sign in with gantry login",
        ));
    }
    if options.sample != SampleOptions::default() && !options.demo {
        return Err(ConfigError::new(
            "--projects and --book set the size of sample data; use them with --demo or serve",
        ));
    }
    if let Some(file) = &options.local {
        check_local_file(file)?;
    }
    if options.demo || options.local.is_some() {
        let workspace = options.workspace.clone();
        return Ok(BackendLocation::Local {
            file: options.local.clone(),
            as_of: options.as_of,
            sample: options.sample,
            workspace,
        });
    }
    let chosen = choose_profile(options, env, paths, file)?;
    let profile = chosen.as_ref().map(|(_, profile)| *profile);
    let explicit_url = options.base_url.clone().or_else(|| env("GANTRY_BASE_URL"));
    let profile_url = profile.and_then(|profile| profile.base_url.clone());
    let Some(base_url) = explicit_url.clone().or_else(|| profile_url.clone()) else {
        return match chosen {
            Some((name, _)) => Err(ConfigError::new(format!(
                "profile {name} has no base_url; add one to {}",
                paths.config_file()?.display()
            ))),
            None => Ok(BackendLocation::Unconfigured),
        };
    };
    let token = match explicit_token(options, env)? {
        Some(token) => token,
        None => {
            let Some((name, profile)) = chosen.as_ref() else {
                return Err(ConfigError::missing_token(format!(
                    "no token for {base_url}; give one with --token-file or GANTRY_TOKEN_FILE"
                )));
            };
            if profile_url
                .as_deref()
                .is_none_or(|profile_url| url_origin(profile_url) != url_origin(&base_url))
            {
                let home = profile_url.unwrap_or_else(|| "another address".to_owned());
                return Err(ConfigError::new(format!(
                    "the token of profile {name} belongs to {home}, not to {base_url}; give one with --token-file"
                )));
            }
            load_profile_token(name, profile, paths, env)?
        }
    };
    let label = match (&explicit_url, &chosen) {
        (None, Some((name, _))) => name.clone(),
        _ => url_origin(&base_url)
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    let workspace = options
        .workspace
        .clone()
        .or_else(|| env("GANTRY_WORKSPACE"))
        .or_else(|| profile.and_then(|profile| profile.workspace.clone()));
    let is_of_profile = profile_url
        .as_deref()
        .is_some_and(|profile_url| url_origin(profile_url) == url_origin(&base_url));
    let pinned = profile
        .filter(|_| is_of_profile)
        .and_then(|profile| profile.certificate.clone());
    let given = env("GANTRY_CERTIFICATE");
    if let (Some((name, _)), Some(pinned), Some(given)) = (&chosen, &pinned, &given)
        && !is_same_certificate(pinned, given)
    {
        return Err(ConfigError::new(format!(
            "profile {name} accepts only the certificate {pinned}, but GANTRY_CERTIFICATE is {given}: unset it, or replace the \
             certificate of the profile with gantry --profile {name} login"
        )));
    }
    let certificate = given.or(pinned);
    Ok(BackendLocation::Remote {
        label,
        base_url,
        token,
        workspace,
        certificate,
    })
}

/// Chooses the profile: the requested one, else the file's default, the one named `default`, or the
/// only one.
fn choose_profile<'f>(
    options: &CliOptions,
    env: EnvLookup<'_>,
    paths: &Paths,
    file: &'f ConfigFile,
) -> Result<Option<(String, &'f ProfileSection)>, ConfigError> {
    let requested = options
        .profile
        .clone()
        .or_else(|| env("GANTRY_PROFILE"))
        .or_else(|| file.profile.clone());
    if let Some(name) = requested {
        let Some(profile) = file.profiles.get(&name) else {
            return Err(file.unknown_profile(&name, &paths.config_file()?));
        };
        return usable((name, profile)).map(Some);
    }
    let only = if file.profiles.len() == 1 {
        file.profiles.iter().next()
    } else {
        None
    };
    let chosen = file.profiles.get_key_value("default").or(only);
    chosen
        .map(|(name, profile)| usable((name.clone(), profile)))
        .transpose()
}

/// The profile, if it can be used.
fn usable(
    (name, profile): (String, &ProfileSection),
) -> Result<(String, &ProfileSection), ConfigError> {
    profile.problem.clone().map_or(Ok((name, profile)), Err)
}

fn explicit_token(
    options: &CliOptions,
    env: EnvLookup<'_>,
) -> Result<Option<SecretString>, ConfigError> {
    match token_file_of_options(options, env) {
        Some(path) => secret::token_from_file(&path).map(Some),
        None => Ok(env("GANTRY_TOKEN").map(Into::into)),
    }
}

fn token_file_of_options(options: &CliOptions, env: EnvLookup<'_>) -> Option<PathBuf> {
    let file = options.token_file.clone();
    file.or_else(|| env("GANTRY_TOKEN_FILE").map(PathBuf::from))
}

fn load_profile_token(
    name: &str,
    profile: &ProfileSection,
    paths: &Paths,
    env: EnvLookup<'_>,
) -> Result<SecretString, ConfigError> {
    if let Some(file) = &profile.token_file {
        let path = token_file_path(file, paths, env)?;
        if !is_file_or_missing(&path) {
            return Err(ConfigError::new(format!(
                "the token file {} is not a regular file",
                path.display()
            )));
        }
        return secret::token_from_file(&path);
    }
    if let Some(command) = &profile.token_command {
        return secret::token_from_command(command);
    }
    Err(ConfigError::missing_token(format!(
        "profile {name} has neither token_file nor token_command; run gantry login, or add one to {}",
        paths.config_file()?.display()
    )))
}

fn token_file_path(file: &str, paths: &Paths, env: EnvLookup<'_>) -> Result<PathBuf, ConfigError> {
    let Some(below) = file.strip_prefix("~/") else {
        return Ok(paths.config_folder()?.join(file));
    };
    let missing = || {
        ConfigError::new(format!(
            "the token file {file} cannot be found; set HOME to an absolute path"
        ))
    };
    Ok(home_folder(env).ok_or_else(missing)?.join(below))
}

/// Where the token that is used comes from: the file or the variable. `None` where it comes from a
/// command.
pub fn describe_token_source(options: &CliOptions, env: EnvLookup<'_>) -> Option<String> {
    if let Some(file) = token_file_of_options(options, env) {
        return Some(format!("in {}", file.display()));
    }
    if env("GANTRY_TOKEN").is_some() {
        return Some("in GANTRY_TOKEN".to_owned());
    }
    let paths = Paths::from_env(env);
    let file = file::load_config_file(&paths).ok()?;
    let (name, profile) = choose_profile(options, env, &paths, &file).ok()??;
    let file = token_file_path(profile.token_file.as_deref()?, &paths, env).ok()?;
    Some(format!("of profile {name} in {}", file.display()))
}

/// Scheme, host and port of an address, found without a full URL parser.
pub(super) fn url_origin(url: &str) -> String {
    let url = url.trim().to_ascii_lowercase();
    let after = url.find("://").map_or(0, |at| at + 3);
    let end = url
        .get(after..)
        .and_then(|rest| rest.find('/'))
        .map_or(url.len(), |at| after + at);
    url.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;
    use std::collections::HashMap;

    /// A home with a configuration file and token files, and an environment.
    struct TestHome {
        dir: tempfile::TempDir,
        env: HashMap<&'static str, String>,
    }

    impl TestHome {
        fn new(config: &str) -> TestHome {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join("gantry")).unwrap();
            std::fs::write(dir.path().join("gantry/config.toml"), config).unwrap();
            let env =
                HashMap::from([("XDG_CONFIG_HOME", dir.path().to_string_lossy().into_owned())]);
            TestHome { dir, env }
        }

        fn with_env(mut self, name: &'static str, value: &str) -> TestHome {
            self.env.insert(name, value.to_owned());
            self
        }

        fn write_token(&self, name: &str, token: &str, mode: u32) -> PathBuf {
            use std::os::unix::fs::PermissionsExt;
            let path = self.dir.path().join("gantry").join(name);
            std::fs::write(&path, token).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn resolve(&self, options: CliOptions) -> Result<Config, ConfigError> {
            resolve(&options, &|name| self.env.get(name).cloned())
        }

        /// Label, address, token and workspace.
        fn resolve_remote(
            &self,
            options: CliOptions,
        ) -> Result<(String, String, String, Option<String>), ConfigError> {
            match self.resolve(options)?.location {
                BackendLocation::Remote {
                    label,
                    base_url,
                    token,
                    workspace,
                    ..
                } => Ok((label, base_url, token.expose_secret().to_owned(), workspace)),
                other => panic!("{other:?}"),
            }
        }
    }

    const PROFILE_TOML: &str = "[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\nworkspace = \"w1\"\ntoken_file = \"t\"\n";

    #[test]
    fn a_token_is_known_by_its_file_or_its_variable() {
        let mut home = TestHome::new(PROFILE_TOML);
        let found = |home: &TestHome| {
            let env = |name: &str| home.env.get(name).cloned();
            describe_token_source(&CliOptions::default(), &env).unwrap()
        };
        let file = home.dir.path().join("gantry/t");
        assert_eq!(
            found(&home),
            format!("of profile desk in {}", file.display())
        );
        home = home.with_env("GANTRY_TOKEN", "gk_1");
        assert_eq!(found(&home), "in GANTRY_TOKEN");
        home = home.with_env("GANTRY_TOKEN_FILE", "/run/token");
        assert_eq!(found(&home), "in /run/token");
    }

    #[test]
    fn no_options_and_no_profiles_is_unconfigured() {
        let config = TestHome::new("").resolve(CliOptions::default()).unwrap();
        assert!(matches!(config.location, BackendLocation::Unconfigured));
    }

    #[test]
    fn the_console_starts_without_a_profile_that_cannot_be_used_and_says_why() {
        let desk = "[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\n";
        for (text, why) in [
            ("[profiles\n".to_owned(), "config.toml:1: "),
            (
                "profile = \"gone\"\n".to_owned(),
                "unknown profile gone in ",
            ),
            (
                desk.replace("base_url", "token = \"gk_1\"\nbase_url"),
                "config.toml:2: a token does not belong here",
            ),
            (
                desk.to_owned(),
                "profile desk has neither token_file nor token_command",
            ),
            (
                format!("{desk}token_file = \"missing\"\n"),
                "cannot read the token file ",
            ),
            (
                format!("{desk}token_command = \"exit 3\"\n"),
                "the token_command \"exit 3\" failed",
            ),
        ] {
            let home = TestHome::new(&text);
            let env = |name: &str| home.env.get(name).cloned();
            let config = resolve_for_console(&CliOptions::default(), &env).unwrap();
            let [warning] = config.warnings.as_slice() else {
                panic!("{why}: {:?}", config.warnings)
            };
            assert!(
                warning.contains(why) && !warning.contains('\n') && !warning.contains("gk_1"),
                "{warning}"
            );
            assert!(matches!(config.location, BackendLocation::Unconfigured));
            // One that was asked for is not replaced by a question, and neither is the service of a
            // command.
            let named = CliOptions {
                profile: Some("desk".to_owned()),
                ..CliOptions::default()
            };
            assert!(
                resolve_for_console(&named, &env).is_err()
                    && home.resolve(CliOptions::default()).is_err(),
                "{why}"
            );
        }
    }

    #[test]
    fn a_mistake_in_another_profile_or_in_a_budget_does_not_keep_a_command_from_its_service() {
        let home = TestHome::new(&format!(
            "profile = \"desk\"\n{PROFILE_TOML}[profiles.other]\ncertificate = 1\n[budget]\nhard_day = -1\n"
        ));
        home.write_token("t", "kept", 0o600);
        let config = home.resolve(CliOptions::default()).unwrap();
        assert!(matches!(config.location, BackendLocation::Remote { .. }));
        assert_eq!(
            (config.warnings.len(), config.budgets.hard_session),
            (2, Some(0)),
            "{:?}",
            config.warnings
        );
        let other = CliOptions {
            profile: Some("other".to_owned()),
            ..CliOptions::default()
        };
        assert!(
            home.resolve(other)
                .unwrap_err()
                .message
                .contains("config.toml:7: expected a string in quotes")
        );
    }

    #[test]
    fn polling_is_off_only_when_asked_for_and_an_option_beats_the_file() {
        let off = TestHome::new("[console]\npoll = \"off\"\n");
        let poll = |home: &TestHome, poll| {
            let config = home
                .resolve(CliOptions {
                    poll,
                    ..CliOptions::default()
                })
                .unwrap();
            assert_eq!(config.warnings, [""; 0]);
            (config.poll, config.console.poll.is_some())
        };
        assert_eq!(poll(&off, None), (None, true));
        assert_eq!(
            poll(&off, Some(Duration::from_secs(20))),
            (Some(Duration::from_secs(20)), true)
        );
        assert_eq!(
            poll(&TestHome::new(""), None),
            (Some(Duration::from_secs(15)), false)
        );
    }

    #[test]
    fn an_option_beats_the_environment_which_beats_the_profile() {
        let home = TestHome::new(PROFILE_TOML);
        home.write_token("t", "kept\n", 0o600);
        assert_eq!(
            home.resolve_remote(CliOptions::default()).unwrap(),
            (
                "desk".to_owned(),
                "https://a.example/api/v1".to_owned(),
                "kept".to_owned(),
                Some("w1".to_owned())
            )
        );
        let home = home
            .with_env("GANTRY_BASE_URL", "https://b.example:1/api/v1")
            .with_env("GANTRY_TOKEN", "env")
            .with_env("GANTRY_WORKSPACE", "w2");
        assert_eq!(
            home.resolve_remote(CliOptions::default()).unwrap(),
            (
                "b.example:1".to_owned(),
                "https://b.example:1/api/v1".to_owned(),
                "env".to_owned(),
                Some("w2".to_owned())
            )
        );
        let file = home.write_token("o", "option", 0o600);
        let options = CliOptions {
            base_url: Some("https://c.example/api/v1".to_owned()),
            token_file: Some(file),
            workspace: Some("w3".to_owned()),
            ..CliOptions::default()
        };
        assert_eq!(
            home.resolve_remote(options).unwrap(),
            (
                "c.example".to_owned(),
                "https://c.example/api/v1".to_owned(),
                "option".to_owned(),
                Some("w3".to_owned())
            )
        );
    }

    #[test]
    fn a_profiles_token_is_sent_only_to_the_profiles_address() {
        let home = TestHome::new(PROFILE_TOML);
        home.write_token("t", "kept", 0o600);
        let elsewhere = CliOptions {
            base_url: Some("https://evil.example/api/v1".to_owned()),
            ..CliOptions::default()
        };
        let message = home.resolve_remote(elsewhere).unwrap_err().message;
        assert!(
            message.contains(
                "belongs to https://a.example/api/v1, not to https://evil.example/api/v1"
            ),
            "{message}"
        );
        let same = CliOptions {
            base_url: Some("https://A.example/api/v1/".to_owned()),
            ..CliOptions::default()
        };
        assert_eq!(home.resolve_remote(same).unwrap().2, "kept");
    }

    #[test]
    fn a_token_file_readable_by_others_is_rejected_with_the_fix() {
        let home = TestHome::new(PROFILE_TOML);
        let path = home.write_token("t", "kept", 0o644);
        let message = home
            .resolve_remote(CliOptions::default())
            .unwrap_err()
            .message;
        assert!(
            message.ends_with(&format!("chmod 600 {}", path.display()))
                && !message.contains("kept"),
            "{message}"
        );
    }

    #[test]
    fn a_token_command_supplies_the_token() {
        let home = TestHome::new(&PROFILE_TOML.replace(
            "token_file = \"t\"",
            "token_command = \"printf 'from a keyring'\"",
        ));
        assert_eq!(
            home.resolve_remote(CliOptions::default()).unwrap().2,
            "from a keyring"
        );
        let home = TestHome::new(
            &PROFILE_TOML.replace("token_file = \"t\"", "token_command = \"exit 3\""),
        );
        assert!(
            home.resolve_remote(CliOptions::default())
                .unwrap_err()
                .message
                .contains("failed")
        );
    }

    #[test]
    fn the_demo_needs_nothing_and_asks_for_no_token() {
        let home = TestHome::new(PROFILE_TOML)
            .with_env("GANTRY_TOKEN", "x")
            .with_env("GANTRY_BASE_URL", "https://b.example/api/v1");
        let config = home
            .resolve(CliOptions {
                demo: true,
                ..CliOptions::default()
            })
            .unwrap();
        assert!(matches!(
            config.location,
            BackendLocation::Local { file: None, .. }
        ));
    }

    #[test]
    fn a_missing_profile_error_lists_the_known_profiles() {
        let options = CliOptions {
            profile: Some("dsek".to_owned()),
            ..CliOptions::default()
        };
        let message = TestHome::new(PROFILE_TOML)
            .resolve(options)
            .unwrap_err()
            .message;
        assert!(
            message.contains("unknown profile dsek") && message.ends_with("(known: desk)"),
            "{message}"
        );
    }

    #[test]
    fn color_is_off_when_any_setting_disables_it() {
        let color_support = |name, value| {
            let home = TestHome::new("")
                .with_env("TERM", "xterm-256color")
                .with_env("COLORTERM", "truecolor")
                .with_env(name, value);
            home.resolve(CliOptions::default()).unwrap().color_support
        };
        for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            assert_eq!(color_support(name, value), ColorSupport::None, "{name}");
        }
        assert_eq!(color_support("CLICOLOR", "1"), ColorSupport::TrueColor);
    }

    #[test]
    fn color_support_follows_the_terminal_variables() {
        for (term, colorterm, has) in [
            ("xterm-256color", "truecolor", ColorSupport::TrueColor),
            ("xterm-256color", "24bit", ColorSupport::TrueColor),
            ("xterm-direct", "", ColorSupport::TrueColor),
            ("screen-256color", "", ColorSupport::Indexed256),
            ("xterm-kitty", "", ColorSupport::Indexed256),
            ("xterm", "", ColorSupport::Ansi16),
            ("linux", "", ColorSupport::Ansi16),
        ] {
            let config = TestHome::new("")
                .with_env("TERM", term)
                .with_env("COLORTERM", colorterm)
                .resolve(CliOptions::default())
                .unwrap();
            assert_eq!(config.color_support, has, "{term} {colorterm}");
        }
    }

    #[test]
    fn the_background_is_the_last_field_of_colorfgbg() {
        for (value, light) in [
            ("0;15", Some(true)),
            ("15;default;0", Some(false)),
            ("0;7", Some(true)),
            ("15;8", Some(false)),
            ("x", None),
        ] {
            let config = TestHome::new("")
                .with_env("COLORFGBG", value)
                .resolve(CliOptions::default())
                .unwrap();
            assert_eq!(config.light_background, light, "{value}");
        }
        assert_eq!(
            TestHome::new("")
                .resolve(CliOptions::default())
                .unwrap()
                .light_background,
            None
        );
    }

    #[test]
    fn a_locale_without_utf8_draws_with_ascii_unless_the_user_says_otherwise() {
        let draws_ascii = |file: &str, locale: &[(&'static str, &str)]| {
            let home = locale
                .iter()
                .fold(TestHome::new(file), |home, (name, value)| {
                    home.with_env(name, value)
                });
            home.resolve(CliOptions::default()).unwrap().ascii
        };
        for (locale, is_ascii) in [
            (&[][..], false),
            (&[("LANG", "C")], true),
            (&[("LANG", "POSIX")], true),
            (&[("LANG", "C.UTF-8")], false),
            (&[("LANG", "de_DE.utf8@euro")], false),
            (&[("LANG", "de_DE.ISO-8859-1")], true),
            (&[("LANG", "de_DE@euro")], true),
            (&[("LC_CTYPE", "UTF-8"), ("LANG", "C")], false),
            (
                &[
                    ("LC_ALL", "C"),
                    ("LC_CTYPE", "UTF-8"),
                    ("LANG", "en_US.UTF-8"),
                ],
                true,
            ),
            (&[("LC_ALL", "en_US.UTF-8"), ("LANG", "C")], false),
        ] {
            assert_eq!(draws_ascii("", locale), is_ascii, "{locale:?}");
        }
        assert!(!draws_ascii(
            "[console]\nascii = false\n",
            &[("LC_ALL", "C")]
        ));
        assert!(draws_ascii(
            "[console]\nascii = true\n",
            &[("LANG", "en_US.UTF-8")]
        ));
    }

    #[test]
    fn theme_option_beats_environment_beats_file() {
        let theme = |home: &TestHome, option: Option<&str>| {
            let options = CliOptions {
                theme: option.map(str::to_owned),
                ..CliOptions::default()
            };
            home.resolve(options).map(|config| config.console.theme)
        };
        let home = TestHome::new("[console]\ntheme = \"high-contrast\"\n");
        assert_eq!(
            theme(&home, None).unwrap(),
            Some("high-contrast".to_owned())
        );
        let home = home.with_env("GANTRY_THEME", "colour-blind");
        assert_eq!(theme(&home, None).unwrap(), Some("colour-blind".to_owned()));
        assert_eq!(
            theme(&home, Some("light")).unwrap(),
            Some("light".to_owned())
        );
        let wrong = theme(&home.with_env("GANTRY_THEME", "gray"), None)
            .unwrap_err()
            .message;
        assert_eq!(
            wrong,
            "unknown GANTRY_THEME \"gray\": use auto, dark, light, high-contrast, colour-blind, terminal"
        );
        let home =
            TestHome::new("[theme.night]\nbase = \"dark\"\n").with_env("GANTRY_THEME", "night");
        assert_eq!(theme(&home, None).unwrap().as_deref(), Some("night"));
        assert_eq!(theme(&TestHome::new(""), None).unwrap(), None);
    }
}
