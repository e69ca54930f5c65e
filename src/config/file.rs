//! `config.toml`: profiles and console settings. A key that is not known is told with its line and the nearest name.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::paths::is_usable;
use super::{Advance, Budgets, Keys, Page, Rebound, Theme, Watch, Wrong, duration};
use crate::text;

/// The file as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) default: Option<String>,
    pub(super) profiles: BTreeMap<String, Profile>,
    pub(super) console: Settings,
    pub(super) watch: Watch,
    pub(super) budgets: Budgets,
    pub(super) keys: Keys,
    pub(super) notes: Vec<String>,
}

/// `[profiles.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    /// Where it stands: file and line.
    pub(super) at: String,
    pub(super) base_url: Option<String>,
    pub(super) workspace: Option<String>,
    pub(super) token_file: Option<String>,
    pub(super) token_command: Option<String>,
}

/// `[console]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) poll: Option<Duration>,
    pub(super) advance: Option<Advance>,
    pub(super) ascii: Option<bool>,
    pub(super) mouse: Option<bool>,
    pub(super) preview: Option<bool>,
    pub(super) theme: Option<Theme>,
}

/// Reads the file; one that does not exist is empty.
pub(super) fn read(path: &Path) -> Result<File, Wrong> {
    trust(path)?;
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => Err(Wrong::new(format!("cannot read {}: {error}", path.display()))),
    }
}

/// Refuses what is no file, and a file that others can change: it names commands to run and where tokens go.
pub(super) fn trust(path: &Path) -> Result<(), Wrong> {
    if !is_usable(path) {
        return Err(Wrong::new(format!("{} is no file", path.display())));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o022 != 0) {
            let path = path.display();
            return Err(Wrong::new(format!("others can change {path}; make it yours alone with: chmod go-w {path}")));
        }
    }
    Ok(())
}

pub(super) fn parse(path: &Path, text: &str) -> Result<File, Wrong> {
    let at = |span: Range<usize>| format!("{}:{}", path.display(), line(text, span.start));
    let reader = Reader { at: &at, notes: RefCell::default() };
    let table = DeTable::parse(text).map_err(|error| {
        let said = error.message().lines().next().unwrap_or_default().to_owned();
        Wrong::new(format!("{}: {said}", at(error.span().unwrap_or_default())))
    })?;
    let mut file = File::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "profile" => file.default = reader.or_default(reader.text(value)),
            "profiles" => {
                for (name, profile) in reader.entries(value) {
                    let profile = Profile { at: at(name.span()), ..reader.profile(profile)? };
                    file.profiles.insert(name.get_ref().to_string(), profile);
                }
            }
            "console" => file.console = reader.console(value),
            "watch" => file.watch = reader.watch(value),
            "budget" => file.budgets = reader.budgets(value)?,
            "keys" => file.keys = reader.keys(value),
            _ => reader.unknown(key.span(), key.get_ref(), &["profile", "profiles", "console", "watch", "budget", "keys"]),
        }
    }
    file.notes = reader.notes.into_inner();
    Ok(file)
}

struct Reader<'a> {
    at: &'a dyn Fn(Range<usize>) -> String,
    notes: RefCell<Vec<String>>,
}

impl Reader<'_> {
    /// A value, or a note of what is wrong with it: a slip in one setting is no reason to do nothing at all.
    fn or_default<T>(&self, value: Result<T, Wrong>) -> Option<T> {
        value.map_err(|wrong| self.notes.borrow_mut().push(format!("{wrong}; the default is used"))).ok()
    }

    /// The entries of a table; none, and a note, of what is none.
    fn entries<'v, 'i>(
        &self,
        value: &'v Spanned<DeValue<'i>>,
    ) -> impl Iterator<Item = (&'v Spanned<DeString<'i>>, &'v Spanned<DeValue<'i>>)> {
        self.or_default(self.table(value)).into_iter().flatten()
    }

    fn profile(&self, value: &Spanned<DeValue<'_>>) -> Result<Profile, Wrong> {
        let mut profile = Profile::default();
        for (key, value) in self.entries(value) {
            match key.get_ref().as_ref() {
                "base_url" => profile.base_url = self.or_default(self.text(value)),
                "workspace" => profile.workspace = self.or_default(self.text(value)),
                "token_file" => profile.token_file = self.or_default(self.text(value)),
                "token_command" => profile.token_command = self.or_default(self.text(value)),
                "token" => {
                    let why = "a token does not belong here; keep it in a file of mode 0600 and name it with token_file";
                    return Err(self.wrong(key.span(), why));
                }
                _ => self.unknown(key.span(), key.get_ref(), &["base_url", "workspace", "token_file", "token_command"]),
            }
        }
        Ok(profile)
    }

    fn console(&self, value: &Spanned<DeValue<'_>>) -> Settings {
        let mut console = Settings::default();
        for (key, value) in self.entries(value) {
            match key.get_ref().as_ref() {
                "poll" => console.poll = self.or_default(self.length(value)),
                "advance" => {
                    let words = [("next", Advance::Next), ("stay", Advance::Stay), ("back", Advance::Back)];
                    console.advance = self.or_default(self.word(value, &words));
                }
                "theme" => console.theme = self.or_default(self.word(value, &Theme::WORDS)),
                "ascii" => console.ascii = self.or_default(self.flag(value)),
                "mouse" => console.mouse = self.or_default(self.flag(value)),
                "preview" => console.preview = self.or_default(self.flag(value)),
                _ => self.unknown(key.span(), key.get_ref(), &["poll", "advance", "ascii", "mouse", "preview", "theme"]),
            }
        }
        console
    }

    fn length(&self, value: &Spanned<DeValue<'_>>) -> Result<Duration, Wrong> {
        duration::parse(&self.text(value)?).map_err(|why| self.wrong(value.span(), &why))
    }

    fn watch(&self, value: &Spanned<DeValue<'_>>) -> Watch {
        let mut watch = Watch::default();
        for (key, value) in self.entries(value) {
            match key.get_ref().as_ref() {
                "pages" => {
                    let list = value.get_ref().as_array().ok_or_else(|| self.wrong(value.span(), "a list was expected"));
                    let words = [("counts", Page::Counts), ("waiting", Page::Waiting), ("team", Page::Team)];
                    let pages = self.or_default(list).into_iter().flatten();
                    watch.pages = pages.filter_map(|page| self.or_default(self.word(page, &words))).collect();
                }
                // Who wrote something here wants names hidden: a slip must not show them.
                "hide_names" => watch.hide_names = self.or_default(self.flag(value)).unwrap_or(true),
                _ => self.unknown(key.span(), key.get_ref(), &["pages", "hide_names"]),
            }
        }
        watch
    }

    fn budgets(&self, value: &Spanned<DeValue<'_>>) -> Result<Budgets, Wrong> {
        let mut budgets = Budgets::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "soft_session" => budgets.soft_session = Some(self.credits(value)?),
                "soft_day" => budgets.soft_day = Some(self.credits(value)?),
                "hard_session" => budgets.hard_session = Some(self.credits(value)?),
                "hard_day" => budgets.hard_day = Some(self.credits(value)?),
                // A budget that is not kept because of a slip would be worse than none.
                other => {
                    let why =
                        format!("the budget {other} is not known; there are soft_session, soft_day, hard_session and hard_day");
                    return Err(self.wrong(key.span(), &why));
                }
            }
        }
        Ok(budgets)
    }

    fn credits(&self, value: &Spanned<DeValue<'_>>) -> Result<u64, Wrong> {
        let number = value.get_ref().as_integer().and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok());
        number.ok_or_else(|| self.wrong(value.span(), "a number of credits was expected"))
    }

    /// Commands and their keys. `queue.done` without quotes is a table in a table: both are read.
    fn keys(&self, value: &Spanned<DeValue<'_>>) -> Keys {
        let (mut keys, mut rebound) = (Keys::default(), Vec::new());
        let mut waiting: Vec<_> = self.or_default(self.table(value)).map(|table| (String::new(), table)).into_iter().collect();
        while let Some((before, table)) = waiting.pop() {
            for (key, value) in table {
                let id = format!("{before}{}", key.get_ref());
                let names = match value.get_ref() {
                    DeValue::Table(inner) => {
                        waiting.push((format!("{id}."), inner));
                        continue;
                    }
                    DeValue::Array(names) => names.iter().map(|name| self.text(name)).collect(),
                    _ if id == "preset" => {
                        let preset = self.or_default(self.word(value, &Keys::PRESETS.map(|name| (name, name))));
                        keys.preset = preset.map(str::to_owned);
                        continue;
                    }
                    _ => self.text(value).map(|name| vec![name]),
                };
                let Some(names) = self.or_default(names) else { continue };
                rebound.push((key.span().start, Rebound { id, keys: names, at: (self.at)(key.span()) }));
            }
        }
        // In the order of the file, whatever the order of its tables.
        rebound.sort_by_key(|(at, _)| *at);
        Keys { rebound: rebound.into_iter().map(|(_, row)| row).collect(), ..keys }
    }

    fn table<'v, 'i>(&self, value: &'v Spanned<DeValue<'i>>) -> Result<&'v DeTable<'i>, Wrong> {
        value.get_ref().as_table().ok_or_else(|| self.wrong(value.span(), "a table was expected"))
    }

    fn text(&self, value: &Spanned<DeValue<'_>>) -> Result<String, Wrong> {
        value.get_ref().as_str().map(str::to_owned).ok_or_else(|| self.wrong(value.span(), "a text in quotes was expected"))
    }

    fn flag(&self, value: &Spanned<DeValue<'_>>) -> Result<bool, Wrong> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong(value.span(), "true or false was expected"))
    }

    fn word<T: Copy>(&self, value: &Spanned<DeValue<'_>>, words: &[(&str, T)]) -> Result<T, Wrong> {
        let text = self.text(value)?;
        words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.wrong(value.span(), &format!("\"{text}\" is none of {}", words.join(", ")))
        })
    }

    fn wrong(&self, span: Range<usize>, why: &str) -> Wrong {
        Wrong::new(format!("{}: {why}", (self.at)(span)))
    }

    fn unknown(&self, span: Range<usize>, key: &str, known: &[&str]) {
        let hint = match text::nearest(key, known.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.notes.borrow_mut().push(format!("{}: the key {key} is not known; {hint}", (self.at)(span)));
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<File, Wrong> {
        parse(Path::new("config.toml"), text)
    }

    #[test]
    fn profiles_and_settings_are_read() {
        let file = read(
            "profile = \"desk\"\n[profiles.desk]\nbase_url = \"https://a.example/api/v1\"\ntoken_file = \"desk.token\"\n\
             [console]\npoll = \"30s\"\nadvance = \"stay\"\nmouse = false\ntheme = \"light\"\n",
        )
        .unwrap();
        assert_eq!(file.default.as_deref(), Some("desk"));
        assert_eq!(file.profiles["desk"].token_file.as_deref(), Some("desk.token"));
        assert_eq!(file.console.poll, Some(Duration::from_secs(30)));
        assert_eq!(
            (file.console.advance, file.console.mouse, file.console.theme),
            (Some(Advance::Stay), Some(false), Some(Theme::Light))
        );
        assert!(file.notes.is_empty());
    }

    #[test]
    fn keys_are_read_with_their_lines_in_the_order_of_the_file() {
        let file = read(
            "[keys]\npreset = \"vim\"\nqueue.done = \"d d\"\n\"queue.mark\" = [\"x\", \"Space\"]\nundo = []\n\"queue.mark.all\" = \"A\"\n",
        )
        .unwrap();
        assert_eq!(file.keys.preset.as_deref(), Some("vim"));
        let row = |id: &str, keys: &[&str], line: usize| Rebound {
            id: id.to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            at: format!("config.toml:{line}"),
        };
        assert_eq!(
            file.keys.rebound,
            [
                row("queue.done", &["d d"], 3),
                row("queue.mark", &["x", "Space"], 4),
                row("undo", &[], 5),
                row("queue.mark.all", &["A"], 6)
            ]
        );
        let notes = read("[keys]\npreset = \"emacs\"\n").unwrap().notes;
        assert_eq!(notes, ["config.toml:2: \"emacs\" is none of default, vim, gmail, mutt; the default is used"]);
    }

    #[test]
    fn an_unknown_key_is_told_with_its_line_and_the_nearest_name() {
        let file = read("[console]\n\nadvanse = \"next\"\n[profiles.a]\nquux = 1\n").unwrap();
        assert_eq!(
            file.notes,
            [
                "config.toml:3: the key advanse is not known; did you mean advance?",
                "config.toml:5: the key quux is not known; known here: base_url, workspace, token_file, token_command",
            ]
        );
    }

    #[test]
    fn a_wrong_value_is_a_note_with_its_line_and_the_rest_is_read() {
        for (text, expected) in [
            ("[console]\nadvance = \"up\"", "config.toml:2: \"up\" is none of next, stay, back"),
            ("[console]\nmouse = 1", "config.toml:2: true or false was expected"),
            ("profiles = 1", "config.toml:1: a table was expected"),
            ("profile = 1", "config.toml:1: a text in quotes was expected"),
            ("[profiles.a]\nbase_url = 1", "config.toml:2: a text in quotes was expected"),
            ("console = []", "config.toml:1: a table was expected"),
            ("[watch]\npages = [\"counts\", \"notes\"]", "config.toml:2: \"notes\" is none of counts, waiting, team"),
            ("[watch]\nhide_names = \"no\"", "config.toml:2: true or false was expected"),
            ("[keys]\nundo = 5", "config.toml:2: a text in quotes was expected"),
            ("[console]\npoll = \"often\"", "config.toml:2: \"often\" is no length of time"),
        ] {
            let file = read(&format!("{text}\n[budget]\nhard_day = 5\n")).unwrap();
            let [note] = file.notes.as_slice() else { panic!("{text}: {:?}", file.notes) };
            assert!(note.starts_with(expected) && note.ends_with("; the default is used") && !note.contains('\n'), "{note}");
            assert_eq!(file.budgets.hard_day, Some(5), "{text}");
        }
        let watch = read("[watch]\npages = [\"notes\", \"team\"]\nhide_names = 1\n").unwrap().watch;
        assert_eq!(watch, Watch { pages: vec![Page::Team], hide_names: true }, "a slip shows no names");
    }

    #[test]
    fn what_would_spend_or_show_a_secret_is_refused_with_its_line() {
        for (text, expected) in [
            ("[budget]\nhard_day = -1", "config.toml:2: a number of credits was expected"),
            ("[budget]\nhard_dya = 5", "config.toml:2: the budget hard_dya is not known"),
            ("[profiles.a]\ntoken = \"gk_1\"", "config.toml:2: a token does not belong here; keep it in a file"),
            ("a = \n", "config.toml:1: "),
        ] {
            let said = read(text).unwrap_err().message;
            assert!(said.starts_with(expected), "{said}");
            assert!(!said.contains("gk_1") && !said.contains('\n'));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_change_is_refused_and_a_pipe_is_not_waited_for() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[console]\nmouse = false\n").unwrap();
        for (mode, is_read) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = super::read(&path);
            assert_eq!(read.is_ok(), is_read, "{mode:o}");
            assert!(is_read || read.unwrap_err().message.contains("chmod go-w"), "{mode:o}");
        }
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(super::read(&pipe).unwrap_err().message.ends_with("pipe is no file"));
    }
}
