//! `config.toml`: profiles and console settings. A key that is not known is told with its line and the nearest name.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Advance, Budgets, Page, Theme, Watch, Wrong, duration};

/// The file as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) default: Option<String>,
    pub(super) profiles: BTreeMap<String, Profile>,
    pub(super) console: Settings,
    pub(super) watch: Watch,
    pub(super) budgets: Budgets,
    pub(super) notes: Vec<String>,
}

/// `[profiles.NAME]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
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
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
        Err(error) => Err(Wrong::new(format!("cannot read {}: {error}", path.display()))),
    }
}

pub(super) fn parse(path: &Path, text: &str) -> Result<File, Wrong> {
    let at = |span: Range<usize>| format!("{}:{}", path.display(), line(text, span.start));
    let mut reader = Reader { at: &at, notes: Vec::new() };
    let table = DeTable::parse(text).map_err(|error| {
        let said = error.message().lines().next().unwrap_or_default().to_owned();
        Wrong::new(format!("{}: {said}", at(error.span().unwrap_or_default())))
    })?;
    let mut file = File::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "profile" => file.default = Some(reader.text(value)?),
            "profiles" => {
                for (name, profile) in reader.table(value)? {
                    file.profiles.insert(name.get_ref().to_string(), reader.profile(profile)?);
                }
            }
            "console" => file.console = reader.console(value)?,
            "watch" => file.watch = reader.watch(value)?,
            "budget" => file.budgets = reader.budgets(value)?,
            _ => reader.unknown(key.span(), key.get_ref(), &["profile", "profiles", "console", "watch", "budget"]),
        }
    }
    file.notes = reader.notes;
    Ok(file)
}

struct Reader<'a> {
    at: &'a dyn Fn(Range<usize>) -> String,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn profile(&mut self, value: &Spanned<DeValue<'_>>) -> Result<Profile, Wrong> {
        let mut profile = Profile::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "base_url" => profile.base_url = Some(self.text(value)?),
                "workspace" => profile.workspace = Some(self.text(value)?),
                "token_file" => profile.token_file = Some(self.text(value)?),
                "token_command" => profile.token_command = Some(self.text(value)?),
                "token" => {
                    let why = "a token does not belong here; keep it in a file of mode 0600 and name it with token_file";
                    return Err(self.wrong(key.span(), why));
                }
                _ => self.unknown(key.span(), key.get_ref(), &["base_url", "workspace", "token_file", "token_command"]),
            }
        }
        Ok(profile)
    }

    fn console(&mut self, value: &Spanned<DeValue<'_>>) -> Result<Settings, Wrong> {
        let mut console = Settings::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "poll" => {
                    let text = self.text(value)?;
                    console.poll = Some(duration::parse(&text).map_err(|why| self.wrong(value.span(), &why))?);
                }
                "advance" => {
                    let words = [("next", Advance::Next), ("stay", Advance::Stay), ("back", Advance::Back)];
                    console.advance = Some(self.word(value, &words)?);
                }
                "theme" => console.theme = Some(self.word(value, &Theme::WORDS)?),
                "ascii" => console.ascii = Some(self.flag(value)?),
                "mouse" => console.mouse = Some(self.flag(value)?),
                "preview" => console.preview = Some(self.flag(value)?),
                _ => self.unknown(key.span(), key.get_ref(), &["poll", "advance", "ascii", "mouse", "preview", "theme"]),
            }
        }
        Ok(console)
    }

    fn watch(&mut self, value: &Spanned<DeValue<'_>>) -> Result<Watch, Wrong> {
        let mut watch = Watch::default();
        for (key, value) in self.table(value)? {
            match key.get_ref().as_ref() {
                "pages" => {
                    let pages = value.get_ref().as_array().ok_or_else(|| self.wrong(value.span(), "a list was expected"))?;
                    let words = [("counts", Page::Counts), ("waiting", Page::Waiting), ("team", Page::Team)];
                    watch.pages = pages.iter().map(|page| self.word(page, &words)).collect::<Result<_, _>>()?;
                }
                "hide_names" => watch.hide_names = self.flag(value)?,
                _ => self.unknown(key.span(), key.get_ref(), &["pages", "hide_names"]),
            }
        }
        Ok(watch)
    }

    fn budgets(&mut self, value: &Spanned<DeValue<'_>>) -> Result<Budgets, Wrong> {
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

    fn unknown(&mut self, span: Range<usize>, key: &str, known: &[&str]) {
        let near = known.iter().map(|name| (distance(key, name), name)).min().filter(|(distance, _)| *distance <= 3);
        let hint = match near {
            Some((_, name)) => format!("did you mean {name}?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.notes.push(format!("{}: the key {key} is not known; {hint}", (self.at)(span)));
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Letters to change, add or take away to come from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((b, above), diagonal) in to.iter().zip(row.iter().skip(1)).zip(&row) {
            let left = next.last().copied().unwrap_or_default();
            next.push((diagonal + usize::from(a != *b)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
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
    fn a_wrong_value_is_refused_with_its_line() {
        for (text, expected) in [
            ("[console]\nadvance = \"up\"", "config.toml:2: \"up\" is none of next, stay, back"),
            ("[console]\nmouse = 1", "config.toml:2: true or false was expected"),
            ("profiles = 1", "config.toml:1: a table was expected"),
            ("[budget]\nhard_day = -1", "config.toml:2: a number of credits was expected"),
            ("[budget]\nhard_dya = 5", "config.toml:2: the budget hard_dya is not known"),
            ("[profiles.a]\ntoken = \"gk_1\"", "config.toml:2: a token does not belong here; keep it in a file"),
            ("[watch]\npages = [\"counts\", \"notes\"]", "config.toml:2: \"notes\" is none of counts, waiting, team"),
            ("[console]\npoll = \"often\"", "config.toml:2: \"often\" is no length of time"),
            ("a = \n", "config.toml:1: "),
        ] {
            let said = read(text).unwrap_err().message;
            assert!(said.starts_with(expected), "{said}");
            assert!(!said.contains("gk_1") && !said.contains('\n'));
        }
    }
}
