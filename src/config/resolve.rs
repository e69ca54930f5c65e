//! Options, environment and profile become one [`Config`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::SecretString;

use super::file::{self, File, Profile};
use super::paths::is_usable;
use super::{Advance, Colours, Config, Console, Env, Options, Paths, Place, Sample, Theme, Wrong, secret};

/// The bounds of `poll`.
const POLL: std::ops::RangeInclusive<Duration> = Duration::from_secs(10)..=Duration::from_secs(300);

/// Decides where to work and how: an option beats the environment, which beats the profile, which beats the default.
///
/// # Errors
/// One line: a configuration file that cannot be read, a profile that does not exist, a token that cannot be had or that
/// belongs to another address.
pub fn resolve(options: &Options, env: Env<'_>) -> Result<Config, Wrong> {
    let paths = Paths::of(env);
    let file = file::read(&paths.config_file())?;
    let accessible = super::is_accessible(env);
    let settings = &file.console;
    let poll = options.poll.or(settings.poll).unwrap_or(Duration::from_secs(15));
    let mut notes = file.notes.clone();
    if !POLL.contains(&poll) {
        notes.push(format!("poll is held between {} s and {} s", POLL.start().as_secs(), POLL.end().as_secs()));
    }
    Ok(Config {
        place: place(options, env, &paths, &file)?,
        console: Console {
            poll: poll.clamp(*POLL.start(), *POLL.end()),
            advance: settings.advance.unwrap_or(Advance::Next),
            ascii: options.ascii || accessible || settings.ascii.unwrap_or(false),
            mouse: !options.no_mouse && settings.mouse.unwrap_or(true),
            preview: settings.preview.unwrap_or(true),
            theme: theme(options, env)?.or(settings.theme),
            read_only: options.read_only,
        },
        watch: file.watch.clone(),
        budgets: file.budgets,
        keys: file.keys.clone(),
        colours: colours(options, env),
        light: light(env),
        accessible,
        paths,
        notes,
    })
}

/// The theme that was said, on the command line or in the environment.
fn theme(options: &Options, env: Env<'_>) -> Result<Option<Theme>, Wrong> {
    let said = options.theme.clone().map(|name| ("--theme", name)).or(env("GANTRY_THEME").map(|name| ("GANTRY_THEME", name)));
    let Some((from, name)) = said else { return Ok(None) };
    let known = || Theme::WORDS.map(|(word, _)| word).join(", ");
    Theme::named(&name).map(Some).ok_or_else(|| Wrong::new(format!("{from} \"{name}\" is none of {}", known())))
}

/// How many colours the terminal says that it has, unless none are wanted.
fn colours(options: &Options, env: Env<'_>) -> Colours {
    let (term, colorterm) = (env("TERM").unwrap_or_default(), env("COLORTERM").unwrap_or_default());
    let plain = options.no_color || env("NO_COLOR").is_some() || env("CLICOLOR").is_some_and(|value| value == "0");
    let has = |names: &[&str]| names.iter().any(|name| term.contains(name));
    match () {
        () if plain || term == "dumb" => Colours::None,
        () if matches!(colorterm.as_str(), "truecolor" | "24bit") || has(&["direct"]) => Colours::Full,
        () if has(&["256color", "kitty", "alacritty", "foot", "ghostty", "wezterm"]) => Colours::Many,
        () => Colours::Sixteen,
    }
}

/// What `COLORFGBG` says of the ground: the number of its colour comes last.
fn light(env: Env<'_>) -> Option<bool> {
    let number: u8 = env("COLORFGBG")?.rsplit(';').next()?.parse().ok()?;
    Some(matches!(number, 7 | 9..=15))
}

fn place(options: &Options, env: Env<'_>, paths: &Paths, file: &File) -> Result<Place, Wrong> {
    if options.demo || options.local.is_some() {
        let workspace = options.workspace.clone();
        return Ok(Place::Local { file: options.local.clone(), as_of: options.as_of, sample: options.sample, workspace });
    }
    if options.sample != Sample::default() {
        return Err(Wrong::new("--projects and --book are of a sample world: they go with --demo, --local and serve"));
    }
    let chosen = choose(options, env, paths, file)?;
    let profile = chosen.as_ref().map(|(_, profile)| *profile);
    let said = options.base_url.clone().or_else(|| env("GANTRY_BASE_URL"));
    let kept = profile.and_then(|profile| profile.base_url.clone());
    let Some(base_url) = said.clone().or_else(|| kept.clone()) else {
        return match chosen {
            Some((name, _)) => {
                Err(Wrong::new(format!("the profile {name} has no base_url; add one to {}", paths.config_file().display())))
            }
            None => Ok(Place::Nowhere),
        };
    };
    let token = match said_token(options, env)? {
        Some(token) => token,
        None => {
            let Some((name, profile)) = chosen.as_ref() else {
                return Err(Wrong::signed_out(format!(
                    "no token for {base_url}; give one with --token-file or GANTRY_TOKEN_FILE"
                )));
            };
            if kept.as_deref().is_none_or(|kept| origin(kept) != origin(&base_url)) {
                let home = kept.unwrap_or_else(|| "another address".to_owned());
                return Err(Wrong::new(format!(
                    "the token of the profile {name} belongs to {home}, not to {base_url}; give one with --token-file"
                )));
            }
            profile_token(name, profile, paths, env)?
        }
    };
    let label = match (&said, &chosen) {
        (None, Some((name, _))) => name.clone(),
        _ => origin(&base_url).rsplit('/').next().unwrap_or_default().to_owned(),
    };
    let workspace = options
        .workspace
        .clone()
        .or_else(|| env("GANTRY_WORKSPACE"))
        .or_else(|| profile.and_then(|profile| profile.workspace.clone()));
    Ok(Place::Service { label, base_url, token, workspace })
}

/// The profile: the one that was asked for, the file's default, the one called `default`, the only one.
fn choose<'f>(options: &Options, env: Env<'_>, paths: &Paths, file: &'f File) -> Result<Option<(String, &'f Profile)>, Wrong> {
    let asked = options.profile.clone().or_else(|| env("GANTRY_PROFILE")).or_else(|| file.default.clone());
    if let Some(name) = asked {
        let Some(profile) = file.profiles.get(&name) else {
            let known: Vec<_> = file.profiles.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none yet; gantry login makes one".to_owned() } else { known.join(", ") };
            return Err(Wrong::new(format!("no profile {name} in {} (known: {known})", paths.config_file().display())));
        };
        return Ok(Some((name, profile)));
    }
    let only = if file.profiles.len() == 1 { file.profiles.iter().next() } else { None };
    Ok(file.profiles.get_key_value("default").or(only).map(|(name, profile)| (name.clone(), profile)))
}

fn said_token(options: &Options, env: Env<'_>) -> Result<Option<SecretString>, Wrong> {
    let path = options.token_file.clone().or_else(|| env("GANTRY_TOKEN_FILE").map(PathBuf::from));
    match path {
        Some(path) => secret::from_file(&path).map(Some),
        None => Ok(env("GANTRY_TOKEN").map(Into::into)),
    }
}

fn profile_token(name: &str, profile: &Profile, paths: &Paths, env: Env<'_>) -> Result<SecretString, Wrong> {
    if let Some(file) = &profile.token_file {
        let path = match file.strip_prefix("~/") {
            Some(below) => Path::new(&env("HOME").unwrap_or_default()).join(below),
            None => paths.config.join(file),
        };
        if !is_usable(&path) {
            return Err(Wrong::new(format!("the token file {} is no file", path.display())));
        }
        return secret::from_file(&path);
    }
    if let Some(command) = &profile.token_command {
        return secret::from_command(command);
    }
    Err(Wrong::signed_out(format!(
        "the profile {name} has neither token_file nor token_command; run gantry login, or add one to {}",
        paths.config_file().display()
    )))
}

/// Scheme, host and port of an address, as far as a text tells.
fn origin(url: &str) -> String {
    let url = url.trim().to_ascii_lowercase();
    let after = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(after..).and_then(|rest| rest.find('/')).map_or(url.len(), |at| after + at);
    url.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;
    use std::collections::HashMap;

    /// A home with a configuration file and token files, and an environment.
    struct Desk {
        dir: tempfile::TempDir,
        env: HashMap<&'static str, String>,
    }

    impl Desk {
        fn new(config: &str) -> Desk {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join("gantry")).unwrap();
            std::fs::write(dir.path().join("gantry/config.toml"), config).unwrap();
            let env = HashMap::from([("XDG_CONFIG_HOME", dir.path().to_string_lossy().into_owned())]);
            Desk { dir, env }
        }

        fn with(mut self, name: &'static str, value: &str) -> Desk {
            self.env.insert(name, value.to_owned());
            self
        }

        fn token(&self, name: &str, token: &str, mode: u32) -> PathBuf {
            use std::os::unix::fs::PermissionsExt;
            let path = self.dir.path().join("gantry").join(name);
            std::fs::write(&path, token).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn resolve(&self, options: Options) -> Result<Config, Wrong> {
            resolve(&options, &|name| self.env.get(name).cloned())
        }

        /// Label, address, token and workspace.
        fn place(&self, options: Options) -> Result<(String, String, String, Option<String>), Wrong> {
            match self.resolve(options)?.place {
                Place::Service { label, base_url, token, workspace } => {
                    Ok((label, base_url, token.expose_secret().to_owned(), workspace))
                }
                other => panic!("{other:?}"),
            }
        }
    }

    const PROFILE: &str = "[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\nworkspace = \"w1\"\ntoken_file = \"t\"\n";

    #[test]
    fn nothing_said_and_nothing_kept_is_nowhere() {
        let config = Desk::new("").resolve(Options::default()).unwrap();
        assert!(matches!(config.place, Place::Nowhere));
    }

    #[test]
    fn an_option_beats_the_environment_which_beats_the_profile() {
        let desk = Desk::new(PROFILE);
        desk.token("t", "kept\n", 0o600);
        assert_eq!(
            desk.place(Options::default()).unwrap(),
            ("desk".to_owned(), "https://a.example/api/v1".to_owned(), "kept".to_owned(), Some("w1".to_owned()))
        );
        let desk =
            desk.with("GANTRY_BASE_URL", "https://b.example:1/api/v1").with("GANTRY_TOKEN", "env").with("GANTRY_WORKSPACE", "w2");
        assert_eq!(
            desk.place(Options::default()).unwrap(),
            ("b.example:1".to_owned(), "https://b.example:1/api/v1".to_owned(), "env".to_owned(), Some("w2".to_owned()))
        );
        let file = desk.token("o", "option", 0o600);
        let options = Options {
            base_url: Some("https://c.example/api/v1".to_owned()),
            token_file: Some(file),
            workspace: Some("w3".to_owned()),
            ..Options::default()
        };
        assert_eq!(
            desk.place(options).unwrap(),
            ("c.example".to_owned(), "https://c.example/api/v1".to_owned(), "option".to_owned(), Some("w3".to_owned()))
        );
    }

    #[test]
    fn a_profiles_token_goes_to_the_profiles_address_alone() {
        let desk = Desk::new(PROFILE);
        desk.token("t", "kept", 0o600);
        let elsewhere = Options { base_url: Some("https://evil.example/api/v1".to_owned()), ..Options::default() };
        let said = desk.place(elsewhere).unwrap_err().message;
        assert!(said.contains("belongs to https://a.example/api/v1, not to https://evil.example/api/v1"), "{said}");
        let same = Options { base_url: Some("https://A.example/api/v1/".to_owned()), ..Options::default() };
        assert_eq!(desk.place(same).unwrap().2, "kept");
    }

    #[test]
    fn a_token_file_that_others_can_read_is_refused_with_what_to_type() {
        let desk = Desk::new(PROFILE);
        let path = desk.token("t", "kept", 0o644);
        let said = desk.place(Options::default()).unwrap_err().message;
        assert!(said.ends_with(&format!("chmod 600 {}", path.display())) && !said.contains("kept"), "{said}");
    }

    #[test]
    fn a_token_command_reaches_any_keyring() {
        let desk = Desk::new(&PROFILE.replace("token_file = \"t\"", "token_command = \"printf 'from a keyring'\""));
        assert_eq!(desk.place(Options::default()).unwrap().2, "from a keyring");
        let desk = Desk::new(&PROFILE.replace("token_file = \"t\"", "token_command = \"exit 3\""));
        assert!(desk.place(Options::default()).unwrap_err().message.contains("failed"));
    }

    #[test]
    fn the_demo_needs_nothing_and_asks_for_no_token() {
        let desk = Desk::new(PROFILE).with("GANTRY_TOKEN", "x").with("GANTRY_BASE_URL", "https://b.example/api/v1");
        let config = desk.resolve(Options { demo: true, ..Options::default() }).unwrap();
        assert!(matches!(config.place, Place::Local { file: None, .. }));
    }

    #[test]
    fn a_profile_that_is_not_there_is_named_with_those_that_are() {
        let options = Options { profile: Some("dsek".to_owned()), ..Options::default() };
        let said = Desk::new(PROFILE).resolve(options).unwrap_err().message;
        assert!(said.contains("no profile dsek") && said.ends_with("(known: desk)"), "{said}");
    }

    #[test]
    fn colour_is_off_when_anything_says_so() {
        let colours = |name, value| {
            let desk = Desk::new("").with("TERM", "xterm-256color").with("COLORTERM", "truecolor").with(name, value);
            desk.resolve(Options::default()).unwrap().colours
        };
        for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            assert_eq!(colours(name, value), Colours::None, "{name}");
        }
        assert_eq!(colours("CLICOLOR", "1"), Colours::Full);
    }

    #[test]
    fn a_terminal_is_given_as_many_colours_as_it_names() {
        for (term, colorterm, has) in [
            ("xterm-256color", "truecolor", Colours::Full),
            ("xterm-256color", "24bit", Colours::Full),
            ("xterm-direct", "", Colours::Full),
            ("screen-256color", "", Colours::Many),
            ("xterm-kitty", "", Colours::Many),
            ("xterm", "", Colours::Sixteen),
            ("linux", "", Colours::Sixteen),
        ] {
            let config = Desk::new("").with("TERM", term).with("COLORTERM", colorterm).resolve(Options::default()).unwrap();
            assert_eq!(config.colours, has, "{term} {colorterm}");
        }
    }

    #[test]
    fn the_ground_is_what_the_environment_says_last() {
        for (said, light) in
            [("0;15", Some(true)), ("15;default;0", Some(false)), ("0;7", Some(true)), ("15;8", Some(false)), ("x", None)]
        {
            let config = Desk::new("").with("COLORFGBG", said).resolve(Options::default()).unwrap();
            assert_eq!(config.light, light, "{said}");
        }
        assert_eq!(Desk::new("").resolve(Options::default()).unwrap().light, None);
    }

    #[test]
    fn a_theme_is_an_options_before_it_is_the_environments_before_it_is_the_files() {
        let theme = |desk: &Desk, said: Option<&str>| {
            let options = Options { theme: said.map(str::to_owned), ..Options::default() };
            desk.resolve(options).map(|config| config.console.theme)
        };
        let desk = Desk::new("[console]\ntheme = \"high-contrast\"\n");
        assert_eq!(theme(&desk, None).unwrap(), Some(Theme::HighContrast));
        let desk = desk.with("GANTRY_THEME", "colour-blind");
        assert_eq!(theme(&desk, None).unwrap(), Some(Theme::ColourBlind));
        assert_eq!(theme(&desk, Some("light")).unwrap(), Some(Theme::Light));
        let wrong = theme(&desk.with("GANTRY_THEME", "gray"), None).unwrap_err().message;
        assert_eq!(wrong, "GANTRY_THEME \"gray\" is none of auto, dark, light, high-contrast, colour-blind, terminal");
        assert_eq!(theme(&Desk::new(""), None).unwrap(), None);
    }
}
