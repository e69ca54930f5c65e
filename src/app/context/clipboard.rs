//! Hands web pages to the browser and texts to the clipboard: one value, or one for each of the
//! rows that the user chose.

use crate::app::context::{Context, Ui, Work, prices, selection};
use crate::app::effect::Effect;
use crate::app::format::{format_count, pluralize};
use crate::app::msg::CopyResult;
use crate::app::notice::Notice;
use crate::app::price::Price;
use crate::app::secret::Secret;
use crate::app::selection::Subject;
use crate::app::{Screen, model::records::record_name};
use crate::domain::ProjectId;
use crate::domain::participants::Participant;
use crate::domain::queue::QueueSignal;
use crate::domain::records::{Record, RecordFields};
use crate::text;

impl Context {
    /// Copies one value, or says that there is none.
    pub(in crate::app) fn copy_to_clipboard(&mut self, what: &str, text: Option<String>) {
        match text {
            Some(text) => copy_values(what, vec![text], &mut self.ui, &mut self.work),
            None => self.ui.warn(format!("no {what} here")),
        }
    }

    /// Copies a value of each chosen signal or record: of the marked ones, or of the one under the
    /// cursor.
    pub(super) fn copy_chosen(
        &mut self,
        what: &str,
        of_signal: impl Fn(&QueueSignal) -> Option<String>,
        of_record: impl Fn(&Record) -> Option<String>,
    ) {
        let signals = self.chosen_signals();
        let values: Vec<Option<String>> = if signals.is_empty() {
            self.chosen_rows().into_iter().map(of_record).collect()
        } else {
            signals.into_iter().map(of_signal).collect()
        };
        let chosen = values.len();
        let values: Vec<String> = values.into_iter().flatten().collect();
        match chosen - values.len() {
            _ if values.is_empty() => self.ui.warn(format!("no {what} here")),
            0 => copy_values(what, values, &mut self.ui, &mut self.work),
            missing => copy_values(
                &format!(
                    "{what} ({} of {} have none)",
                    format_count(missing as u64),
                    format_count(chosen as u64)
                ),
                values,
                &mut self.ui,
                &mut self.work,
            ),
        }
    }

    /// Copies the phone or address of the firm or person under the cursor, or else of whom to reach
    /// first: of the project of the signal, or of the record under the cursor. Nothing is requested.
    pub(super) fn copy_contact(
        &mut self,
        what: &str,
        value_of: fn(&Participant) -> Option<&str>,
        of_record: &[&str],
    ) {
        let signal = self.current_signal();
        let project = match (signal, self.records.current_record(&self.ui.focus)) {
            (Some(signal), _) => signal.signal.project_id,
            (None, Some(record)) => Some(ProjectId(record.id)),
            (None, None) => None,
        };
        let people = match (
            &self.ui.focus.participant,
            self.records.fetched.project(project),
        ) {
            (Some(one), _) => vec![one.clone()],
            (None, Some(read)) => read.project_details.participants(),
            (None, None) => Vec::new(),
        };
        let found = people.iter().find_map(|one| {
            let value = value_of(one)?.to_owned();
            Some((one.name_or_unnamed().to_owned(), value))
        });
        let own = || {
            let record = self.records.current_record(&self.ui.focus)?;
            let fields = record.fields();
            let mut names = of_record.iter();
            let value = names.find_map(|name| {
                let indexed = || self.records.fetched.indexed_contact(record.id)?.text(name);
                fields.text(name).or_else(indexed)
            })?;
            Some((record_name(&fields), value.to_owned()))
        };
        if let Some((name, value)) = found.or_else(own) {
            let name = text::sanitize_line(&name);
            return copy_values(
                &format!("{what} of {name}"),
                vec![value],
                &mut self.ui,
                &mut self.work,
            );
        }
        let price = prices::project_price(project, &self.records.fetched);
        let why = match (signal, &self.ui.focus.participant) {
            (_, Some(one)) => {
                let name = text::sanitize_line(one.name_or_unnamed());
                format!("no {what} of {name} is known")
            }
            (Some(_), None) if price != Price::Free => {
                format!(
                    "the {what} is not read yet: {{queue.open}} reads it,{}",
                    price.suffix()
                )
            }
            (None, None) if self.ui.screen() != Screen::Record => {
                format!("no {what} in this list: opening the record reads more")
            }
            _ => format!("no {what} is known"),
        };
        self.ui.warn(self.keymap.expand_keys(&why));
    }

    /// The same for JSON: one value is laid out, several are a line each.
    pub(super) fn copy_chosen_json(&mut self) {
        let is_single = self.chosen_signals().len().max(self.chosen_rows().len()) == 1;
        let signal = |row: &QueueSignal| {
            if is_single {
                serde_json::to_string_pretty(row)
            } else {
                serde_json::to_string(row)
            }
            .ok()
        };
        let record = |row: &Record| {
            if is_single {
                serde_json::to_string_pretty(row)
            } else {
                serde_json::to_string(row)
            }
            .ok()
        };
        self.copy_chosen("JSON", signal, record);
    }

    /// The signals that a copy is of. Marked ones that are not loaded are left out.
    pub(super) fn chosen_signals(&self) -> Vec<&QueueSignal> {
        match self.ui.subject() {
            Subject::None if self.ui.screen() == Screen::Queue => {
                selection::triage_targets(&self.ui, &self.queue)
                    .into_iter()
                    .filter_map(|id| self.queue.current_tab().list.row(id))
                    .collect()
            }
            _ => self.current_signal().into_iter().collect(),
        }
    }

    /// The records that a copy is of.
    fn chosen_rows(&self) -> Vec<&Record> {
        match (
            self.ui.subject(),
            self.records.lists.shown_list(self.ui.focused_list()),
        ) {
            (Subject::None, Some(list)) => list
                .selection()
                .into_iter()
                .filter_map(|id| list.row(id))
                .collect(),
            _ => self
                .records
                .current_record(&self.ui.focus)
                .into_iter()
                .collect(),
        }
    }
}

pub(in crate::app) fn open_web_page(url: String, ui: &mut Ui, work: &mut Work) {
    let host = text::web_page_host(&url).unwrap_or_default();
    ui.inform(format!("Opening a page of {host} in the browser: {url}"));
    work.emit(Effect::OpenUrl(url));
}

/// No browser opened: the URL goes to the clipboard instead.
pub(in crate::app) fn on_browser_failed(url: String, why: &str, ui: &mut Ui, work: &mut Work) {
    ui.warn(format!("no browser opened ({why}): {url}"));
    work.emit(Effect::CopyToClipboard {
        what: format!("{url} (no browser opened)"),
        text: Secret(url),
    });
}

/// Copies values, one per line. A control character from outside would be typed where this is
/// pasted, and a line end would run it: only JSON, which escapes its own, and a page keep
/// theirs.
pub(in crate::app) fn copy_values(what: &str, values: Vec<String>, ui: &mut Ui, work: &mut Work) {
    let keeps_lines = matches!(what, "JSON" | "Markdown");
    let safe = |text: &String| {
        if keeps_lines {
            text::sanitize_block(text)
        } else {
            text::sanitize_line(text)
        }
        .into_owned()
    };
    let hidden: usize = values
        .iter()
        .map(|text| text::count_hidden_chars(text))
        .sum();
    let without = if hidden > 0 {
        format!(" without {}", pluralize(hidden, "invisible character"))
    } else {
        String::new()
    };
    let text = values.iter().map(safe).collect::<Vec<_>>().join("\n");
    let what = match values.len() {
        1 => format!(
            "{what}{without}: {}",
            text.lines().next().unwrap_or_default()
        ),
        rows => format!(
            "{} of {}, {}{without}",
            plural_of(what),
            pluralize(rows, "row"),
            characters(&text)
        ),
    };
    copy_text(what, text, ui, work);
}

/// Copies a text that is safe. `what` describes it.
pub(in crate::app) fn copy_text(what: String, text: String, ui: &mut Ui, work: &mut Work) {
    ui.inform(format!("copying {what}"));
    work.emit(Effect::CopyToClipboard {
        what,
        text: Secret(text),
    });
}

pub(in crate::app) fn on_copied(what: &str, result: CopyResult, ui: &mut Ui) {
    ui.notice = Some(match result {
        CopyResult::Program(program) => {
            Notice::info(format!("copied with {program}: {what}")).passing()
        }
        CopyResult::Terminal => Notice::info(format!(
            "copied through the terminal, which does not confirm it: {what}"
        ))
        .passing(),
        CopyResult::Saved(path, why) => Notice::warning(format!(
            "not copied, {why}; saved as {}: {what}",
            path.display()
        )),
        CopyResult::Failed(why) => Notice::error(format!("not copied, {why}: {what}")),
    });
}

/// The address of an account or a project.
pub(super) fn address_of(fields: &RecordFields) -> Option<String> {
    let street = fields
        .text("primary_address")
        .or_else(|| fields.text("hq_address"))?;
    let place = ["city", "state"]
        .into_iter()
        .filter_map(|name| fields.text(name))
        .filter(|part| !street.contains(part));
    Some(
        std::iter::once(street)
            .chain(place)
            .collect::<Vec<_>>()
            .join(", "),
    )
}

pub(super) fn name_of(record: &Record) -> Option<String> {
    Some(record_name(&record.fields()))
}

/// `61 characters`.
pub(in crate::app) fn characters(text: &str) -> String {
    pluralize(text.chars().count(), "character")
}

/// The plural of a word that is copied.
fn plural_of(what: &str) -> String {
    match what.split_once(' ') {
        _ if matches!(what, "JSON" | "Markdown") => what.to_owned(),
        Some((noun, rest)) if rest.starts_with('(') => format!("{} {rest}", plural_of(noun)),
        _ if what.ends_with('s') => format!("{what}es"),
        _ => format!("{what}s"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crate::app::effect::Effect;
    use crate::app::msg::{CopyResult, Msg, Push};
    use crate::app::testing::{TestConsole, morning_queue};

    fn copied(console: &TestConsole) -> (&str, &str) {
        let copy = console
            .effects
            .iter()
            .rev()
            .find_map(|effect| match effect {
                Effect::CopyToClipboard { what, text } => Some((what.as_str(), text.0.as_str())),
                _ => None,
            });
        copy.expect("something was copied")
    }

    #[test]
    fn the_phone_of_whom_to_call_first_is_copied_in_three_keys() {
        let console = TestConsole::with_rows(morning_queue()).press("y p");
        let notice = console.notice_text();
        assert!(
            notice.contains("is not read yet: Enter reads it, 1 cr"),
            "{notice}"
        );
        let console = console.press("Enter").serve().press("y p");
        assert_eq!(
            copied(&console),
            ("phone of Calder Residential: 512-555-0142", "512-555-0142")
        );
        let console = console.press("y e");
        assert_eq!(copied(&console).1, "d.okafor@calder.example");
        let console = console.press("] y p j y e");
        assert_eq!(
            copied(&console).0,
            "e-mail address of D. Okafor: d.okafor@calder.example"
        );
        assert_eq!(
            console.press("j y p").notice_text(),
            "no phone of Moss & Vale is known"
        );
    }

    #[test]
    fn every_copy_is_of_all_marked_rows() {
        let queue = || TestConsole::with_rows(morning_queue()).press("Space Space Space");
        for (keys, what) in [
            ("y i", "ids"),
            ("y n", "names"),
            ("y a", "addresses"),
            ("y u", "URLs"),
            ("y j", "JSON"),
            ("y y c Enter", "curl commands"),
            ("y y g Enter", "commands"),
        ] {
            let console = queue().press(keys);
            let (described, text) = copied(&console);
            assert!(
                described.starts_with(what) && described.contains(" character"),
                "{keys}: {described}"
            );
            assert!((2..=3).contains(&text.lines().count()), "{keys}: {text}");
        }
        let console = queue().press("y i");
        let (described, text) = copied(&console);
        assert_eq!(
            (described, text.lines().count()),
            ("ids of 3 rows, 110 characters", 3)
        );
        assert_eq!(
            console.notice_text(),
            "copying ids of 3 rows, 110 characters"
        );
        let book = TestConsole::with_rows(morning_queue())
            .press("3")
            .serve()
            .press("Enter")
            .serve()
            .press("Space Space y n");
        assert_eq!(copied(&book).1.lines().count(), 2, "{:?}", copied(&book));
    }

    #[test]
    fn what_is_said_of_a_copy_ends_with_the_next_key() {
        let console = TestConsole::with_rows(morning_queue()).press("y n");
        let (what, result) = ("name".to_owned(), CopyResult::Program("wl-copy"));
        let console = console.send(Msg::Pushed(Push::Copied { what, result }));
        assert_eq!(console.notice_text(), "copied with wl-copy: name");
        assert_eq!(console.press("j").notice_text(), "");
    }

    #[test]
    fn the_notice_reports_what_happened_to_a_copy() {
        let result = |result| {
            let console = TestConsole::with_rows(morning_queue()).press("y n");
            let what = copied(&console).0.to_owned();
            console
                .send(Msg::Pushed(Push::Copied { what, result }))
                .notice_text()
        };
        let name = "name: ";
        assert!(
            result(CopyResult::Program("wl-copy"))
                .starts_with(&format!("copied with wl-copy: {name}"))
        );
        assert!(
            result(CopyResult::Terminal)
                .starts_with("copied through the terminal, which does not confirm it: name")
        );
        let saved = CopyResult::Saved(
            PathBuf::from("/tmp/gantry-copy.txt"),
            "80,000 bytes are too many for the terminal".to_owned(),
        );
        assert!(
            result(saved)
                .starts_with("not copied, 80,000 bytes are too many for the terminal; saved as /tmp/gantry-copy.txt: name")
        );
        assert!(
            result(CopyResult::Failed("the disk is full".to_owned()))
                .starts_with("not copied, the disk is full: name")
        );
    }
}
