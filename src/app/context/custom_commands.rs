//! The user's own commands: programs that run on a row. The user wrote the program and pressed its
//! key, so nothing is asked.

use crate::app::Context;
use crate::app::action::Action;
use crate::app::command::Availability;
use crate::app::command::custom::{CustomAction, CustomCommand};
use crate::app::context::Ui;
use crate::app::effect::Effect;
use crate::app::model::records::record_name;
use crate::app::msg::{ProgramEnd, ProgramOutput};
use crate::app::notice::Notice;
use crate::app::overlay::Overlay;
use crate::app::overlay::text_page::TextPage;
use crate::app::selection::Subject;
use crate::domain::row_columns::{RowValue, find_column};
use crate::text;

/// Programs of custom commands.
#[derive(Default)]
pub(in crate::app) struct ProgramRuns {
    /// The names of the commands whose programs run.
    running: Vec<&'static str>,
    last_output: Option<TextPage>,
}

impl ProgramRuns {
    pub(in crate::app) fn has_program_output(&self) -> Availability {
        self.last_output
            .as_ref()
            .map(|_| ())
            .ok_or_else(|| "no program has written anything yet".into())
    }

    /// A program has ended: shows what it wrote, unless the user is at something else.
    pub(in crate::app) fn on_program_ended(
        &mut self,
        name: &'static str,
        output: &ProgramOutput,
        ui: &mut Ui,
    ) {
        self.running.retain(|running| *running != name);
        let outcome = match &output.end {
            ProgramEnd::Succeeded => Notice::success(format!("{name}: done")),
            ProgramEnd::Failed(why) => Notice::error(format!("{name} failed: {why}")),
            ProgramEnd::StillRunning => Notice::warning(format!(
                "{name}: the program is still running after 10 seconds; what it writes is no longer read"
            )),
        };
        let shown = page_text(&outcome.text, output);
        if output.stdout.trim().is_empty() && output.stderr.trim().is_empty() {
            ui.notice = Some(outcome);
            return;
        }
        let page = TextPage {
            copied: text::sanitize_block(&shown).into_owned(),
            shown: Some(shown),
            file_name: "command-output.txt".to_owned(),
            ..TextPage::loading(name)
        };
        self.last_output = Some(page);
        if ui.has_open_question() {
            ui.notice = Some(outcome.with_hint("{program.output} shows what it wrote"));
        } else {
            ui.notice = Some(outcome);
            self.show_program_output(ui);
        }
    }

    pub(in crate::app) fn show_program_output(&self, ui: &mut Ui) {
        ui.overlay = self.last_output.clone().map(Overlay::Page);
    }
}

impl Context {
    /// Whether a custom command can run here; if not, why.
    pub(in crate::app) fn can_run_custom(&self, custom: &CustomCommand) -> Availability {
        if self.pressed.is_replaying() {
            return Err("one custom command cannot run another".into());
        }
        match &custom.action {
            CustomAction::Press(_) => Ok(()),
            CustomAction::Run(_) if self.programs.running.contains(&custom.command.title) => {
                Err("it is still running".into())
            }
            CustomAction::Run(template) => template
                .fill(|name| self.placeholder_value(name))
                .map(|_| ())
                .map_err(Into::into),
        }
    }

    /// Runs a custom command; keys are pressed by the console.
    pub(in crate::app) fn run_custom(&mut self, custom: &CustomCommand) {
        let name = custom.command.title;
        match &custom.action {
            CustomAction::Press(keys) => self.work.perform(Action::PressKeys(name, keys.clone())),
            CustomAction::Run(template) => {
                let Ok(arguments) = template.fill(|name| self.placeholder_value(name)) else {
                    return;
                };
                self.ui
                    .inform(format!("{name}: running {}", arguments.join(" ")));
                self.programs.running.push(name);
                self.work.emit(Effect::RunProgram { name, arguments });
            }
        }
    }

    /// What a placeholder stands for: of the signal under the cursor or open, or else of the
    /// record.
    fn placeholder_value(&self, name: &str) -> Option<String> {
        let Some(row) = self.current_signal() else {
            return match (name, &self.ui.focus.subject) {
                ("id", Subject::Record(key, _)) => Some(key.id.to_string()),
                ("name", Subject::Record(_, name)) => Some(name.clone()),
                ("id", _) => self
                    .records
                    .current_record(&self.ui.focus)
                    .map(|record| record.id.to_string()),
                ("name", _) => self
                    .records
                    .current_record(&self.ui.focus)
                    .map(|record| record_name(&record.fields())),
                _ => None,
            };
        };
        let column = match name {
            "id" => return Some(row.signal.id.to_string()),
            "project" => return row.signal.project_id.map(|id| id.to_string()),
            "name" => "project",
            "what" => "description",
            "address" | "city" | "cost" | "type" => name,
            _ => return None,
        };
        Some(
            match self.queue.describe_row(row).value(find_column(column)?)? {
                RowValue::Number(number) => number.to_string(),
                RowValue::Text(text) | RowValue::Ranked(_, text) => text.into_owned(),
                RowValue::Date(date) => date.date_naive().to_string(),
            },
        )
    }
}

/// The outcome, what the program wrote, and its errors. Lines that are not indented are headings.
fn page_text(outcome: &str, output: &ProgramOutput) -> String {
    let indent = |text: &str| {
        text::sanitize_block(text)
            .lines()
            .map(|line| format!(" {line}\n"))
            .collect::<String>()
    };
    let mut page = format!("{outcome}\n");
    for (heading, text) in [("Output", &output.stdout), ("Errors", &output.stderr)] {
        if !text.trim().is_empty() {
            page.push_str(&format!("\n{heading}\n{}", indent(text)));
        }
    }
    if output.is_cut {
        page.push_str("\nOnly the beginning is shown: the program wrote more than 64 KiB.\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use crate::app::Effect;
    use crate::app::command::custom::{CustomCommandText, read_custom_commands};
    use crate::app::command::keymap::KeyOverrides;
    use crate::app::msg::{Msg, ProgramEnd, ProgramOutput, Push};
    use crate::app::testing::{TestConsole, morning_queue};
    use crate::app::{AppSettings, build_keymap};

    fn text(name: &str, key: &str, run: &[&str], keys: &str) -> CustomCommandText {
        CustomCommandText {
            name: name.to_owned(),
            key: key.to_owned(),
            run: run.iter().map(|argument| (*argument).to_owned()).collect(),
            keys: keys.to_owned(),
            defined_at: "config.toml:3".to_owned(),
        }
    }

    fn console_with(texts: &[CustomCommandText]) -> TestConsole {
        let mut key_overrides = KeyOverrides::default();
        let (custom_commands, custom_problems) =
            read_custom_commands(texts, &build_keymap(&key_overrides));
        key_overrides.custom_commands = custom_commands
            .iter()
            .map(|custom| custom.command)
            .collect();
        key_overrides.custom_problems = custom_problems;
        let settings = AppSettings {
            key_overrides,
            custom_commands,
            ..AppSettings::default()
        };
        TestConsole::with_size(morning_queue(), (120, 36), settings)
            .poll()
            .serve()
    }

    fn programs(console: &TestConsole) -> Vec<Vec<String>> {
        let program = |effect: &Effect| match effect {
            Effect::RunProgram { arguments, .. } => Some(arguments.clone()),
            _ => None,
        };
        console.effects.iter().filter_map(program).collect()
    }

    fn ended(console: TestConsole, end: ProgramEnd, stdout: &str, stderr: &str) -> TestConsole {
        let output = ProgramOutput {
            end,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            is_cut: false,
        };
        console.send(Msg::Pushed(Push::ProgramEnded("map", Box::new(output))))
    }

    #[test]
    fn its_key_or_its_name_runs_the_program_on_the_row_under_the_cursor() {
        let console = console_with(&[text("map", ", m", &["echo", "{name}", "{id}"], "")]);
        let row = console.context().current_signal().unwrap().signal.clone();
        let expected = vec![
            "echo".to_owned(),
            row.project_name.unwrap(),
            row.id.to_string(),
        ];
        let console = console.press(", m");
        assert_eq!(programs(&console), std::slice::from_ref(&expected));
        assert!(
            console.notice_text().starts_with("map: running echo "),
            "{}",
            console.notice_text()
        );
        let console = console.press(", m");
        assert_eq!(console.notice_text(), "map: it is still running");
        let console = ended(console, ProgramEnd::Succeeded, "", "");
        assert_eq!(console.notice_text(), "map: done");
        let console = console.press(":").type_text("map").press("Enter");
        assert_eq!(programs(&console), [expected.clone(), expected]);
    }

    #[test]
    fn what_it_writes_is_shown_and_does_not_interrupt_typing() {
        let console = || console_with(&[text("map", ", m", &["echo"], "")]).press(", m");
        let shown = ended(
            console(),
            ProgramEnd::Failed("exit status: 3".to_owned()),
            "some\u{1b}[31m text",
            "no map",
        );
        let screen = shown.screen_text();
        assert!(
            screen.contains("map failed: exit status: 3") && screen.contains("no map"),
            "{screen}"
        );
        assert!(!screen.contains('\u{1b}'), "{screen}");
        let typing = ended(
            console().press("/").type_text("tow"),
            ProgramEnd::Succeeded,
            "found it",
            "",
        );
        assert!(
            !typing.screen_text().contains("found it"),
            "{}",
            typing.screen_text()
        );
        let later = typing
            .press("Esc Esc :")
            .type_text("last output")
            .press("Enter");
        assert!(
            later.screen_text().contains("found it"),
            "{}",
            later.screen_text()
        );
    }

    #[test]
    fn a_value_that_is_not_known_is_named_and_nothing_runs() {
        let console = console_with(&[text("map", ", m", &["echo", "{what}"], "")]).press(", m");
        assert_eq!(
            (console.notice_text().as_str(), programs(&console).len()),
            ("map: {what} is not known here", 0)
        );
    }

    #[test]
    fn keys_are_pressed_as_if_typed() {
        let console = console_with(&[text("third", ", t", &[], "g g j j Space")]);
        let third = console
            .context()
            .queue
            .new
            .list
            .loaded_rows()
            .nth(2)
            .unwrap()
            .1
            .signal
            .id;
        let console = console.press(", t");
        assert!(
            console.context().queue.new.marks.contains(&third),
            "{}",
            console.screen_text()
        );
    }

    #[test]
    fn the_palette_runs_it_at_once_only_by_its_whole_name_and_does_not_call_it_harmless() {
        let typed = |query: &str| {
            console_with(&[text("map it", "", &["echo"], "")])
                .press(":")
                .type_text(query)
        };
        assert_eq!(programs(&typed("map i").press("Enter")).len(), 0);
        let console = typed("map it");
        let screen = console.screen_text();
        assert!(
            screen.contains("map it: run echo") && !screen.contains("changes nothing for others"),
            "{screen}"
        );
        assert_eq!(programs(&console.press("Enter")).len(), 1);
    }

    #[test]
    fn keys_do_not_stop_where_a_key_that_can_cost_is_free_now() {
        let macros = [text("macro", ", t", &[], "Tab j Enter")];
        let console = console_with(&macros).press("Enter").serve().press(", t");
        let notice = console.notice_text();
        assert!(!notice.contains("may cost"), "{notice}");
    }

    #[test]
    fn keys_stop_at_a_question_a_refusal_and_a_price() {
        let stopped = |keys: &str| console_with(&[text("macro", ", t", &[], keys)]).press(", t");
        let console = stopped("Ctrl-y e");
        assert_eq!(
            console.notice_text(),
            "macro stopped after Ctrl-y, key 1 of 2: no shortcut Ctrl-y here"
        );
        assert_eq!(console.triage_calls().len(), 0);
        let console = stopped("Enter e");
        assert!(
            console
                .notice_text()
                .starts_with("macro stopped before Enter, key 1 of 2: it may cost "),
            "{}",
            console.notice_text()
        );
        assert_eq!(console.triage_calls().len(), 0);
        let console = stopped("W e");
        assert_eq!(
            console.notice_text(),
            "macro stopped after W, key 1 of 2: it opened a text"
        );
        assert_eq!(console.triage_calls().len(), 0);
        let console = stopped(", t");
        assert_eq!(
            console.notice_text(),
            "macro stopped after t, key 2 of 2: macro: one custom command cannot run another"
        );
    }

    #[test]
    fn keys_go_on_in_a_picker_that_asks_nothing() {
        let macros = [text("show command", ", t", &[], "y y g Enter")];
        let console = console_with(&macros).press(", t");
        let copied = console.copied_text().unwrap_or_default().to_owned();
        assert!(
            copied.starts_with("gantry signals show "),
            "{copied}: {}",
            console.notice_text()
        );
    }

    #[test]
    fn wrong_commands_are_reported_with_their_line_and_the_others_work() {
        let texts = [
            text("both", "", &["echo"], "j"),
            text("none", "", &[], ""),
            text("", "", &["echo"], ""),
            text("odd", "", &["echo", "{adress}"], ""),
            text("unknown", "", &[], "j Hyper-x"),
            text("taken", "e", &["echo"], ""),
            text("prefix", "g", &["echo"], ""),
            text("hidden", "X m", &["echo"], ""),
            text("map", ", m", &["echo"], ""),
            text("map", "", &["echo"], ""),
            text("longer", ", m m", &["echo"], ""),
        ];
        let (read, problems) =
            read_custom_commands(&texts, &build_keymap(&KeyOverrides::default()));
        let expected = [
            "config.toml:3: the command both is left out: it has both run and keys",
            "config.toml:3: the command none is left out: it needs run or keys",
            "config.toml:3: the command  is left out: it needs a name",
            "config.toml:3: the command odd is left out: unknown placeholder {adress}; there are {id}",
            "config.toml:3: the command unknown is left out: keys has an invalid key \"Hyper-x\"",
            "config.toml:3: the command taken has no key: e is queue.done in Queue",
            "config.toml:3: the command prefix has no key: g begins other commands in Queue",
            "config.toml:3: the command hidden has no key: X is list.export in Queue",
            "config.toml:3: the command map is left out: there is another of this name",
            "config.toml:3: the command longer has no key: , m is command.map",
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:#?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.starts_with(expected), "{problem}");
        }
        assert_eq!(
            read.iter()
                .map(|custom| custom.command.title)
                .collect::<Vec<_>>(),
            ["taken", "prefix", "hidden", "map", "longer"]
        );
        let console = console_with(&texts);
        assert!(
            console.notice_text().ends_with("; 9 more: gantry keys"),
            "{}",
            console.notice_text()
        );
        assert_eq!(programs(&console.press(", m")).len(), 1);
    }
}
