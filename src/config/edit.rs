//! Edits sections of `config.toml`: saves and removes profiles, budgets and the tabs of the queue.
//! The rest of the file stays as the user wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::slice;

use secrecy::{ExposeSecret, SecretString};
use toml::de::{DeTable, DeValue};

use super::locked_config::{LockedConfig, create_private_folder, write_private_file};
use super::reader::TomlValue;
use super::resolve::url_origin;
use super::setting::WrittenTable;
use super::setting_tables::check_profile_name;
use super::settings::{ProfileSection, QueueTabSettings};
use super::{ConfigError, Paths, ProfileSummary, file, template};
use crate::domain::budgets::Budgets;

/// A profile to save.
#[derive(Clone, Copy, Debug)]
pub struct NewProfile<'a> {
    pub name: ProfileName<'a>,
    pub base_url: &'a str,
    pub workspace: Option<&'a str>,
    /// The fingerprint of the only certificate that the service may have.
    pub certificate: Option<&'a str>,
    /// The fingerprint that `certificate` replaces, as the person agreed.
    pub replaced_certificate: Option<&'a str>,
    pub token: ProfileToken<'a>,
    /// Nothing may be written with it.
    pub read_only: bool,
}

impl<'a> NewProfile<'a> {
    /// A profile whose token is saved in a file.
    pub fn with_token(
        name: ProfileName<'a>,
        base_url: &'a str,
        workspace: Option<&'a str>,
        certificate: Option<&'a str>,
        token: &'a SecretString,
    ) -> NewProfile<'a> {
        let token = ProfileToken::Value(token);
        NewProfile {
            name,
            base_url,
            workspace,
            certificate,
            replaced_certificate: None,
            token,
            read_only: false,
        }
    }
}

/// What a profile is called.
#[derive(Clone, Copy, Debug)]
pub enum ProfileName<'a> {
    /// This; an earlier profile of this name is replaced.
    Exact(&'a str),
    /// A name made from these words that no other profile has.
    New(&'a str),
}

/// Where the token of a profile is.
#[derive(Clone, Copy, Debug)]
pub enum ProfileToken<'a> {
    /// Here: it is saved in a file of mode 0600.
    Value(&'a SecretString),
    /// Where this command of the shell finds it.
    Command(&'a str),
}

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedProfile {
    pub name: String,
    pub token_file: Option<PathBuf>,
}

/// Saves a profile: its section in `config.toml`, and its token in a file of mode 0600 in a
/// directory of mode 0700. The first profile becomes the default; of an earlier profile with this
/// name, what is not part of the connection stays.
///
/// # Errors
/// Also fails if an earlier profile of this name and address accepts only another certificate, and
/// nobody agreed to replace it.
pub fn save_profile(paths: &Paths, profile: &NewProfile<'_>) -> Result<SavedProfile, ConfigError> {
    if let ProfileName::Exact(name) = profile.name {
        check_profile_name(name)?;
    }
    let config = LockedConfig::open(paths)?;
    let known = config.parse()?;
    let name = match profile.name {
        ProfileName::Exact(name) => name.to_owned(),
        ProfileName::New(words) => unused_name(&known.profiles, words),
    };
    let earlier = known.profiles.get(&name);
    check_replaced_certificate(&name, earlier, profile)?;
    let token_file = format!("{name}.token");
    let token_path = config.folder.join(&token_file);
    let (saved_file, command) = match profile.token {
        ProfileToken::Value(_) => (Some(token_file), None),
        ProfileToken::Command(command) => (None, Some(command.to_owned())),
    };
    let earlier = earlier.cloned().unwrap_or_default();
    let section = ProfileSection {
        base_url: Some(profile.base_url.to_owned()),
        workspace: profile.workspace.map(str::to_owned),
        certificate: profile.certificate.map(str::to_owned),
        token_file: saved_file,
        token_command: command,
        read_only: profile.read_only || earlier.read_only,
        ..earlier
    };
    let mut text = remove_entry(&config.text, &["profiles", &name]);
    if known.profile.is_none() && known.profiles.is_empty() {
        let default = toml::Value::from(name.as_str());
        text = format!(
            "profile = {default}\n{}{text}",
            if text.is_empty() { "" } else { "\n" }
        );
    }
    push_section(&mut text, &format!("[profiles.{name}]"), &section);
    file::parse_config(&config.path, &text)?;
    if let ProfileToken::Value(token) = profile.token {
        write_private_file(&token_path, &format!("{}\n", token.expose_secret().trim()))?;
    }
    config.write(&text)?;
    if let ProfileToken::Command(_) = profile.token {
        // A token file of an earlier profile with this name is no longer used.
        let _ = std::fs::remove_file(&token_path);
        return Ok(SavedProfile {
            name,
            token_file: None,
        });
    }
    Ok(SavedProfile {
        name,
        token_file: Some(token_path),
    })
}

/// Rejects a profile that would accept another certificate of the same service than its
/// predecessor, unless somebody agreed.
fn check_replaced_certificate(
    name: &str,
    earlier: Option<&ProfileSection>,
    profile: &NewProfile<'_>,
) -> Result<(), ConfigError> {
    let is_here = |url: &String| url_origin(url) == url_origin(profile.base_url);
    let earlier = earlier.filter(|earlier| earlier.base_url.as_ref().is_some_and(is_here));
    let Some(pinned) = earlier.and_then(|earlier| earlier.certificate.as_deref()) else {
        return Ok(());
    };
    let agreed = [profile.certificate, profile.replaced_certificate];
    if agreed
        .into_iter()
        .flatten()
        .any(|certificate| is_same_certificate(certificate, pinned))
    {
        return Ok(());
    }
    let new = profile
        .certificate
        .map_or_else(|| "any that this machine trusts".to_owned(), str::to_owned);
    Err(ConfigError::new(format!(
        "profile {name} accepts only the certificate {pinned}, and the new one is {new}; nothing was changed: if whoever runs the \
         service confirms the new one, run gantry logout {name} first"
    )))
}

/// The profile that would have to accept another certificate of this service: the one of this name,
/// or one that a join code could renew.
pub fn find_replaced_pin<'p>(
    profiles: &'p [ProfileSummary],
    name: Option<&str>,
    base_url: &str,
    certificate: Option<&str>,
) -> Option<(&'p ProfileSummary, &'p str)> {
    let candidates = profiles.iter().filter(|profile| match name {
        Some(name) => profile.name == name,
        None => !profile.read_only && profile.token == Some("file"),
    });
    let here = candidates.filter(|profile| profile.is_at(base_url));
    let mut pinned = here.filter_map(|profile| Some((profile, profile.certificate.as_deref()?)));
    pinned.find(|(_, pinned)| {
        certificate.is_none_or(|certificate| !is_same_certificate(certificate, pinned))
    })
}

/// Whether two fingerprints are the same, however they are written.
pub(super) fn is_same_certificate(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.to_ascii_lowercase().replace([':', ' '], "");
    digits(one.trim()) == digits(other.trim())
}

/// Makes sure that a profile can be saved: with this name, if one is given.
pub fn prepare_profiles(paths: &Paths, name: Option<&str>) -> Result<(), ConfigError> {
    name.map_or(Ok(()), check_profile_name)?;
    file::load_config_file(paths)?;
    let folder = paths.config_folder()?;
    create_private_folder(folder)?;
    let probe = tempfile::NamedTempFile::new_in(folder);
    probe
        .map(drop)
        .map_err(|error| ConfigError::new(format!("cannot write in {}: {error}", folder.display())))
}

/// A name made from these words that no profile has.
fn unused_name(known: &BTreeMap<String, ProfileSection>, words: &str) -> String {
    let words = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let name = if name.is_empty() {
        "team".to_owned()
    } else {
        name
    };
    let others = (2..).map(|n| format!("{name}-{n}"));
    let free = std::iter::once(name.clone())
        .chain(others)
        .find(|name| !known.contains_key(name));
    free.unwrap_or(name)
}

/// Changes the budgets in the section `[budget]`, and returns them; without a budget the section is
/// removed.
pub fn change_budgets(
    paths: &Paths,
    change: impl FnOnce(Budgets) -> Budgets,
) -> Result<Budgets, ConfigError> {
    let config = LockedConfig::open(paths)?;
    let file = config.parse()?;
    file.budget.problem.map_or(Ok(()), Err)?;
    let budgets = change(file.budget.limits);
    if budgets == file.budget.limits {
        return Ok(budgets);
    }
    let mut text = remove_entry(&config.text, &["budget"]);
    if budgets != Budgets::default() {
        push_section(&mut text, "[budget]", &budgets);
    }
    config.write(&text).map(|()| budgets)
}

/// Saves what a console changed in the tabs of the queue, each in a section `[[queue.tabs]]`; tabs
/// that it did not know stay.
///
/// # Errors
/// Also fails if the file has tabs that are not written as sections: nothing is changed then.
pub fn save_queue_tabs(
    paths: &Paths,
    before: &[QueueTabSettings],
    after: &[QueueTabSettings],
) -> Result<(), ConfigError> {
    let config = LockedConfig::open(paths)?;
    let tabs = merge_tabs(config.parse()?.into_texts().queue_tabs, before, after);
    let mut text = config.text.clone();
    while let Some(section) = find_tab_section(&text) {
        text = remove_lines(&text, &section);
    }
    if !file::parse_config(&config.path, &text)?
        .into_texts()
        .queue_tabs
        .is_empty()
    {
        let why = "the tabs of the queue are not sections [[queue.tabs]] or [[rules]]; nothing was changed";
        return Err(ConfigError::new(format!(
            "{}: {why}",
            config.path.display()
        )));
    }
    for tab in &tabs {
        push_section(&mut text, "[[queue.tabs]]", tab);
    }
    config.write(&text)
}

/// The tabs of the file with the changes between two lists. Their order changes only if the file
/// has no other tabs.
fn merge_tabs(
    in_file: Vec<QueueTabSettings>,
    before: &[QueueTabSettings],
    after: &[QueueTabSettings],
) -> Vec<QueueTabSettings> {
    fn names(tabs: &[QueueTabSettings]) -> Vec<&str> {
        tabs.iter().map(|tab| tab.name.as_str()).collect()
    }
    fn find<'t>(tabs: &'t [QueueTabSettings], name: &str) -> Option<&'t QueueTabSettings> {
        tabs.iter().find(|tab| tab.name == name)
    }
    if names(&in_file) == names(before) {
        return after.to_vec();
    }
    let added = after
        .iter()
        .filter(|tab| find(before, &tab.name) != Some(*tab) && find(&in_file, &tab.name).is_none())
        .cloned();
    let added: Vec<_> = added.collect();
    // Only the first tab of a name is used; another one is left out, and stays in the file.
    let mut seen = BTreeSet::new();
    let kept = in_file.into_iter().filter_map(|tab| {
        if !seen.insert(tab.name.clone()) {
            return Some(tab);
        }
        match (find(before, &tab.name), find(after, &tab.name)) {
            (Some(_), None) => None,
            (earlier, Some(new)) if earlier != Some(new) => Some(new.clone()),
            _ => Some(tab),
        }
    });
    kept.chain(added).collect()
}

/// Adds a section at the end of a text, after an empty line.
fn push_section(text: &mut String, header: &str, table: &impl WrittenTable) {
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&format!("{header}\n{}", table.write_settings()));
}

/// Where the first section `[[queue.tabs]]`, or `[[rules]]`, which are tabs too, is.
fn find_tab_section(text: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let queue = root.get_ref().get("queue");
    let queue = queue.and_then(|queue| queue.get_ref().as_table()?.get("tabs"));
    let lists = queue.into_iter().chain(root.get_ref().get("rules"));
    let mut tabs = lists.filter_map(|list| list.get_ref().as_array()).flatten();
    let start = tabs.find(|tab| is_header(text, tab))?.span().start;
    Some(start..section_end(text, root.get_ref(), start))
}

/// Removes a profile: its section, its token file if [`save_profile`] created it, and the default
/// if it names the profile.
///
/// # Errors
/// Also fails for a profile that is not written as [`save_profile`] writes it: nothing is changed
/// then.
pub fn remove_profile(paths: &Paths, name: &str) -> Result<(), ConfigError> {
    let config = LockedConfig::open(paths)?;
    let known = config.parse()?;
    let Some(profile) = known.profiles.get(name) else {
        return Err(ConfigError::new(format!(
            "unknown profile {name} in {}",
            config.path.display()
        )));
    };
    let mut text = remove_entry(&config.text, &["profiles", name]);
    if known.profile.as_deref() == Some(name) {
        text = remove_entry(&text, &["profile"]);
    }
    if file::parse_config(&config.path, &text)?
        .profiles
        .contains_key(name)
    {
        let what = "nothing was changed; remove it there by hand";
        return Err(ConfigError::new(format!(
            "{}: profile {name} is not a section [profiles.{name}]: {what}",
            profile.defined_at
        )));
    }
    let own = format!("{name}.token");
    if profile.token_file.as_deref() == Some(own.as_str()) {
        match std::fs::remove_file(config.folder.join(&own)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(ConfigError::new(format!(
                    "cannot delete the token file: {error}"
                )));
            }
            _ => {}
        }
    }
    config.write(&text)
}

/// Makes a profile the one that is used when none is named.
pub fn set_default_profile(paths: &Paths, name: &str) -> Result<(), ConfigError> {
    let config = LockedConfig::open(paths)?;
    let known = config.parse()?;
    if !known.profiles.contains_key(name) {
        return Err(known.unknown_profile(name, &config.path));
    }
    let text = remove_entry(&config.text, &["profile"]);
    let text = format!("profile = {}\n{text}", toml::Value::from(name));
    config.write(&text)
}

/// Creates a configuration file that only its owner can read, with all settings as comments, unless
/// there is one. Returns its path.
pub fn create_config_file(paths: &Paths) -> Result<PathBuf, ConfigError> {
    let config = LockedConfig::open(paths)?;
    if !config.path.exists() {
        config.write(&template::write_template())?;
    }
    Ok(config.path)
}

/// Removes a key, or a section up to the next header; comments are kept. Inline tables and dotted
/// keys are left as they are.
fn remove_entry(text: &str, path: &[&str]) -> String {
    find_entry(text, path).map_or_else(|| text.to_owned(), |removed| remove_lines(text, &removed))
}

/// Removes the lines of a part of the text; comments are kept.
pub(super) fn remove_lines(text: &str, removed: &Range<usize>) -> String {
    let mut line_end = 0;
    let kept = text.split_inclusive('\n').filter(|line| {
        let line_start = line_end;
        line_end += line.len();
        line_end <= removed.start || removed.end <= line_start || line.trim_start().starts_with('#')
    });
    kept.collect()
}

/// Where an entry is: a key with its value, or a section from its header to the line of the next
/// header.
fn find_entry(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let (name, parents) = path.split_last()?;
    let mut table = root.get_ref();
    for parent in parents {
        table = table.get(*parent)?.get_ref().as_table()?;
    }
    let (key, value) = table.get_key_value(*name)?;
    if !value.get_ref().is_table() {
        return Some(key.span().start..value.span().end);
    }
    let start = is_header(text, value).then_some(value.span().start)?;
    Some(start..section_end(text, root.get_ref(), start))
}

/// Where the section whose header is at `start` ends: at the line of the next header.
pub(super) fn section_end(text: &str, root: &DeTable<'_>, start: usize) -> usize {
    let next = header_starts(text, root)
        .into_iter()
        .filter(|header| *header > start)
        .min();
    let line_of = |header: usize| text[..header].rfind('\n').map_or(0, |newline| newline + 1);
    next.map_or(text.len(), line_of)
}

/// Where the headers of a table's sections begin.
fn header_starts(text: &str, table: &DeTable<'_>) -> Vec<usize> {
    let mut starts = Vec::new();
    for value in table.values().flat_map(|value| {
        value
            .get_ref()
            .as_array()
            .map_or(slice::from_ref(value), |items| items)
    }) {
        if let DeValue::Table(table) = value.get_ref() {
            starts.extend(is_header(text, value).then_some(value.span().start));
            starts.extend(header_starts(text, table));
        }
    }
    starts
}

/// Whether a table begins with a header: `[name]`.
pub(super) fn is_header(text: &str, table: &TomlValue<'_>) -> bool {
    text[table.span()].starts_with('[')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{BackendLocation, CliOptions, resolve};
    use super::*;
    use crate::domain::queue_tabs::ListSettingsText;
    use crate::domain::rules::RuleActionText;

    fn paths_in(dir: &Path) -> Paths {
        let dir = dir.to_string_lossy().into_owned();
        Paths::from_env(&move |name| (name == "XDG_CONFIG_HOME").then(|| dir.clone()))
    }

    fn test_profile<'a>(name: &'a str, token: &'a SecretString) -> NewProfile<'a> {
        NewProfile::with_token(
            ProfileName::Exact(name),
            "https://a.example/api/v1",
            Some("w"),
            None,
            token,
        )
    }

    fn save_test_profile(paths: &Paths, name: &str, token: &str) {
        save_profile(paths, &test_profile(name, &token.to_owned().into())).unwrap();
    }

    #[test]
    fn a_saved_profile_is_resolved_and_the_rest_of_the_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        let mut text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        text.push_str("\n# mine\n[console]\nmouse = false\n");
        std::fs::write(paths.config_file().unwrap(), &text).unwrap();
        save_test_profile(&paths, "desk", "two");
        save_test_profile(&paths, "other", "three");
        let text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        assert!(
            text.contains("# mine\n[console]\nmouse = false\n"),
            "{text}"
        );
        assert_eq!(text.matches("[profiles.desk]").count(), 1);
        let home = dir.path().to_string_lossy().into_owned();
        let config = resolve(&CliOptions::default(), &|name| {
            (name == "XDG_CONFIG_HOME").then(|| home.clone())
        })
        .unwrap();
        let BackendLocation::Remote { label, token, .. } = config.location else {
            panic!("{config:?}")
        };
        assert_eq!((label.as_str(), token.expose_secret()), ("desk", "two"));
    }

    #[test]
    fn signing_in_again_replaces_pin_and_token_and_keeps_color_and_read_only() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        let mut text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        text.push_str("color = \"red\"\nread_only = true\n");
        std::fs::write(paths.config_file().unwrap(), text).unwrap();
        let token = "two".to_owned().into();
        let again = NewProfile {
            certificate: Some("sha256:00"),
            token: ProfileToken::Command("pass show desk"),
            ..test_profile("desk", &token)
        };
        assert_eq!(save_profile(&paths, &again).unwrap().token_file, None);
        let section = "base_url = \"https://a.example/api/v1\"\nworkspace = \"w\"\ncertificate = \"sha256:00\"\n\
                       token_command = \"pass show desk\"\ncolor = \"red\"\nread_only = true\n";
        let text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        assert!(
            text.ends_with(&format!("[profiles.desk]\n{section}")),
            "{text}"
        );
        assert!(!paths.config_folder().unwrap().join("desk.token").exists());
    }

    #[test]
    fn a_profile_that_only_reads_is_saved_as_such_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let (paths, token) = (paths_in(dir.path()), "one".to_owned().into());
        save_profile(
            &paths,
            &NewProfile {
                read_only: true,
                ..test_profile("wall", &token)
            },
        )
        .unwrap();
        let home = dir.path().to_string_lossy().into_owned();
        let config = resolve(&CliOptions::default(), &|name| {
            (name == "XDG_CONFIG_HOME").then(|| home.clone())
        })
        .unwrap();
        assert!(config.read_only);
    }

    #[cfg(unix)]
    #[test]
    fn a_token_file_is_readable_only_by_its_owner() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (
                mode(&paths.config_folder().unwrap().join("desk.token")),
                mode(paths.config_folder().unwrap())
            ),
            (0o600, 0o700)
        );
    }

    #[test]
    fn a_removed_profile_leaves_no_section_and_no_token_file() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        save_test_profile(&paths, "other", "two");
        remove_profile(&paths, "desk").unwrap();
        let text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        assert!(
            !text.contains("desk") && text.contains("[profiles.other]"),
            "{text}"
        );
        assert!(!paths.config_folder().unwrap().join("desk.token").exists());
        assert!(remove_profile(&paths, "desk").is_err());
    }

    #[test]
    fn a_profile_not_in_a_section_is_left_untouched_and_its_line_reported() {
        for text in [
            "profiles.desk.base_url = \"https://a.example/api/v1\"\nprofiles.desk.token_file = \"desk.token\"\n",
            "[profiles]\ndesk = { base_url = \"https://a.example/api/v1\", token_file = \"desk.token\" }\n",
            "[profiles]\ndesk.token_file = \"desk.token\"\n[console]\nmouse = false\n",
        ] {
            let dir = tempfile::tempdir().unwrap();
            let paths = paths_in(dir.path());
            create_private_folder(paths.config_folder().unwrap()).unwrap();
            let token = paths.config_folder().unwrap().join("desk.token");
            std::fs::write(paths.config_file().unwrap(), text).unwrap();
            std::fs::write(&token, "one").unwrap();
            let line = if text.starts_with("[profiles]") { 2 } else { 1 };
            let message = remove_profile(&paths, "desk").unwrap_err().message;
            assert!(
                message.contains(&format!(
                    "config.toml:{line}: profile desk is not a section"
                )),
                "{message}"
            );
            assert!(save_profile(&paths, &test_profile("desk", &"two".to_owned().into())).is_err());
            let left = [paths.config_file().unwrap(), token]
                .map(|file| std::fs::read_to_string(file).unwrap());
            assert_eq!(left, [text, "one"]);
        }
    }

    #[test]
    fn lines_that_look_like_a_header_or_a_key_are_left_in_other_sections() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        let desk = "[profiles.desk]\r\ntoken_command = \"\"\"\n[ -f token ] && cat token\n\"\"\"\n# of the desk\n\n";
        let depot = " [profiles . 'depot']\r\ntoken_command = \"\"\"\n[profiles.desk]\nprofile = x\n\"\"\" # cat\r\n[[unknown]]\nx = 1\n";
        create_private_folder(paths.config_folder().unwrap()).unwrap();
        std::fs::write(
            paths.config_file().unwrap(),
            format!("# mine\nprofile = \"desk\" # default\n{desk}{depot}"),
        )
        .unwrap();
        remove_profile(&paths, "desk").unwrap();
        assert_eq!(
            std::fs::read_to_string(paths.config_file().unwrap()).unwrap(),
            format!("# mine\n# of the desk\n{depot}")
        );
        remove_profile(&paths, "depot").unwrap();
        assert_eq!(
            std::fs::read_to_string(paths.config_file().unwrap()).unwrap(),
            "# mine\n# of the desk\n[[unknown]]\nx = 1\n"
        );
    }

    #[test]
    fn a_profile_becomes_the_default_and_the_rest_of_the_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        save_test_profile(&paths, "other", "two");
        set_default_profile(&paths, "other").unwrap();
        let defaults = super::super::load_profiles(&paths).unwrap();
        assert_eq!(
            defaults
                .iter()
                .map(|profile| (profile.name.as_str(), profile.default))
                .collect::<Vec<_>>(),
            [("desk", false), ("other", true)]
        );
        let text = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        assert_eq!(text.matches("profile = ").count(), 1, "{text}");
        assert!(
            set_default_profile(&paths, "nobody")
                .unwrap_err()
                .message
                .contains("known: desk, other")
        );
    }

    #[test]
    fn saving_budgets_leaves_the_rest_of_the_file_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        save_test_profile(&paths, "desk", "one");
        let before = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        let budgets = Budgets {
            soft_day: Some(2_000),
            hard_day: Some(5_000),
            ..Budgets::default()
        };
        change_budgets(&paths, |_| budgets).unwrap();
        assert_eq!(super::super::load_budgets(&paths), budgets);
        change_budgets(&paths, |_| Budgets {
            hard_day: Some(9),
            ..Budgets::default()
        })
        .unwrap();
        assert_eq!(
            super::super::load_budgets(&paths),
            Budgets {
                hard_day: Some(9),
                ..Budgets::default()
            }
        );
        change_budgets(&paths, |_| Budgets::default()).unwrap();
        assert_eq!(
            std::fs::read_to_string(paths.config_file().unwrap())
                .unwrap()
                .trim(),
            before.trim()
        );
    }

    #[test]
    fn saved_tabs_are_read_back_and_the_rest_of_the_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths_in(dir.path());
        create_private_folder(paths.config_folder().unwrap()).unwrap();
        let before = "# mine\n[console]\npoll = \"20s\"\n\n[[queue.tabs]]\nname = \"Old\" # kept no longer\n\n[keys]\nqueue.done = \"x\"\n\n\
            [[rules]]\nname = \"small\"\nwhere = \"cost<10k\"\nthen = \"snooze\"\nuntil = \"3d\"\n";
        std::fs::write(paths.config_file().unwrap(), before).unwrap();
        let tab = |name: &str, conditions: &str| QueueTabSettings {
            name: name.to_owned(),
            list: ListSettingsText {
                types: vec!["permit_issued".to_owned()],
                conditions: conditions.to_owned(),
                ..ListSettingsText::default()
            },
            ..QueueTabSettings::default()
        };
        let later = QueueTabSettings {
            name: "small".to_owned(),
            list: ListSettingsText {
                conditions: "cost<10k".to_owned(),
                ..ListSettingsText::default()
            },
            action: RuleActionText {
                then: "snooze".to_owned(),
                until: "3d".to_owned(),
                ..RuleActionText::default()
            },
            ..QueueTabSettings::default()
        };
        let tabs = [
            later.clone(),
            tab("Austin \"big\"", "cost>=5M"),
            tab("Mine", "account"),
        ];
        let read = || {
            let tabs = file::load_config_file(&paths)
                .unwrap()
                .into_texts()
                .queue_tabs;
            tabs.into_iter()
                .map(|tab| QueueTabSettings {
                    defined_at: String::new(),
                    ..tab
                })
                .collect::<Vec<_>>()
        };
        let old = [
            QueueTabSettings {
                name: "Old".to_owned(),
                ..QueueTabSettings::default()
            },
            later,
        ];
        for before in [old.as_slice(), &tabs] {
            save_queue_tabs(&paths, before, &tabs).unwrap();
            assert_eq!(read(), tabs);
        }
        save_queue_tabs(&paths, &tabs, &[]).unwrap();
        assert_eq!(read(), []);
        let after = std::fs::read_to_string(paths.config_file().unwrap()).unwrap();
        assert_eq!(
            after.trim_end(),
            "# mine\n[console]\npoll = \"20s\"\n\n[keys]\nqueue.done = \"x\""
        );
    }

    #[test]
    fn the_tabs_that_another_console_saved_meanwhile_stay() {
        let tab = |name: &str, city: &str| QueueTabSettings {
            name: name.to_owned(),
            list: ListSettingsText {
                city: city.to_owned(),
                ..ListSettingsText::default()
            },
            ..QueueTabSettings::default()
        };
        let (before, theirs) = (
            [tab("A", ""), tab("B", ""), tab("C", "")],
            tab("Theirs", "Austin"),
        );
        let after = [tab("D", ""), tab("C", ""), tab("A", "Austin")];
        let merged = merge_tabs(
            [before.as_slice(), std::slice::from_ref(&theirs)].concat(),
            &before,
            &after,
        );
        assert_eq!(
            merged,
            [tab("A", "Austin"), tab("C", ""), theirs, tab("D", "")]
        );
        assert_eq!(merge_tabs(before.to_vec(), &before, &after), after);
        assert_eq!(
            merge_tabs(vec![tab("A", "Bend")], &before, &before),
            [tab("A", "Bend")],
            "only changes are saved"
        );
        let twice = [tab("A", ""), tab("B", ""), tab("C", ""), tab("A", "Bend")];
        assert_eq!(
            merge_tabs(twice.to_vec(), &before, &before[1..]),
            [tab("B", ""), tab("C", ""), tab("A", "Bend")],
            "a second tab of the name was never shown"
        );
    }

    #[test]
    fn a_profile_name_that_escapes_the_directory_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["", "../x", "a b", "a]"] {
            assert!(
                save_profile(
                    &paths_in(dir.path()),
                    &test_profile(name, &"t".to_owned().into())
                )
                .is_err()
            );
        }
    }
}
