//! `gantry import` without a layout: recognizes the file, or inspects it, asks what it cannot know,
//! and writes the layout.
//!
//! Never here: how a column is recognized.

use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::service::import;
use crate::service::import::dates::DateOrder;
use crate::service::import::inspect::layout_text::{
    LayoutTitle, add_answers, list_unread_columns, slug_of, write_layout,
};
use crate::service::import::inspect::preview::{PreviewRow, preview_rows};
use crate::service::import::inspect::{
    self, Answers, Inspection, Question, QuestionSubject, TableSample,
};
use crate::service::import::layout::{self, KnownLayout, PermitLayout};
use crate::service::import::source::TableSource;
use crate::service::import::words::PermitField;

use super::error::CliError;
use super::import_args::{
    ImportArgs, parse_city, parse_decimal, parse_encoding, parse_key, parse_permit_state,
};
use super::import_file::{ImportRun, find_layout};
use super::import_report::report_lines;
use super::options::OutputFormat;
use super::output::Output;
use super::{print, stdin};

/// Rows of the preview.
const PREVIEW_ROWS: usize = 3;

/// What to do with a file that has no layout.
pub(super) enum Choice {
    /// Import it with this layout, and keep that in its file if it went well.
    Import {
        layout: Box<PermitLayout>,
        layout_file: Option<LayoutFile>,
    },
    /// It was only reported.
    Reported,
}

fn is_same_place(one: &(String, String), other: &(String, String)) -> bool {
    one.0.eq_ignore_ascii_case(&other.0) && one.1.eq_ignore_ascii_case(&other.1)
}

/// Finds the layout of a file: a known one with the same header, or a new one.
pub(super) async fn choose_layout(
    run: &ImportRun<'_>,
    source: &TableSource,
) -> Result<Choice, CliError> {
    let (args, folder, output) = (run.args, run.folder, run.output);
    let known_layout = |name: &str| {
        Ok(Choice::Import {
            layout: Box::new(find_layout(name, folder)?),
            layout_file: LayoutFile::open(name, folder),
        })
    };
    let read = |encoding| import::open_sample(source.path(), encoding).map_err(CliError::failed);
    let detected = read(None)?;
    // of the header as it is read without an answer, so that the next file is recognized
    let fingerprint = layout::header_fingerprint(&detected.header);
    let sample = if args.encoding.is_some() {
        read(args.encoding)?
    } else {
        detected
    };
    let mut answers = args.answers(&sample)?;
    let is_terminal = is_terminal(output);
    // a known layout takes the answers of these kinds
    let is_answered = args.answers_for_layout() != answers;
    if !is_answered && args.write_layout.is_none() {
        let mut known = layout::find_by_header(&sample.header, folder);
        if let Some(city) = &answers.city {
            // rows that name their city may all do so, and nobody has said where the others are
            known.retain(|layout| layout.place.0.is_empty() || is_same_place(&layout.place, city));
        }
        match known.as_slice() {
            [] => {}
            [
                KnownLayout {
                    name,
                    place: (city, state),
                    is_place_asked: true,
                    ..
                },
            ] if answers.city.is_none() => {
                let place = [city.as_str(), state]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join(", ");
                let told = format!(
                    "this header is known from {place}, and another city's file may have the same"
                );
                if !is_terminal || args.yes {
                    let hint = format!(
                        "add --layout {name} if it is from there, or --city 'CITY, STATE' if it is not"
                    );
                    return Err(CliError::usage(told).with_hint(hint));
                }
                print::write_note(&told);
                let prompt = format!(
                    "Enter if this file is from {place} too, or its city and state (q to quit): "
                );
                match read_answer(&prompt).await?.as_deref() {
                    None | Some("q" | "quit") => return quit(),
                    Some("") => return known_layout(name),
                    Some(line) => answers.city = Some(parse_city(line)),
                }
            }
            [KnownLayout { name, title, .. }] => {
                print::write_note(&format!(
                    "recognized as {name} ({title}); --layout chooses another layout"
                ));
                return known_layout(name);
            }
            several => {
                let names: Vec<&str> = several.iter().map(|layout| layout.name.as_str()).collect();
                return Err(CliError::usage(format!(
                    "several layouts have this header: choose one with --layout {}",
                    names.join(" or ")
                )));
            }
        }
    }
    if is_terminal && !args.yes {
        return ask(args, source, folder, &fingerprint, sample, &mut answers).await;
    }
    let report = Report::new(args, folder, &fingerprint, &sample, &answers)?;
    report.write_wanted(args)?;
    if output.format == OutputFormat::Table {
        report.print(&args.file, source.is_json);
    } else {
        let value = json!({
            "inspection": report.found, "preview": report.preview, "rejected": report.rejected, "layout": args.write_layout
        });
        output.print_json(&value)?;
    }
    write_questions(&report.found.questions);
    let correct = match &args.write_layout {
        Some(layout) => format!("correct {} and pass it with --layout", layout.display()),
        None => "add --write-layout FILE to correct its layout by hand".to_owned(),
    };
    if !report.found.is_decided() {
        return Err(undecided(&report.found.questions)
            .with_hint(format!("use the options above, or {correct}")));
    }
    if args.yes {
        return report.choice(args);
    }
    print::write_note(&format!(
        "nothing was imported: add --yes to import, or {correct}"
    ));
    Ok(Choice::Reported)
}

/// The file of a layout, and what it should have.
pub(super) struct LayoutFile {
    path: PathBuf,
    text: String,
    /// How the next file uses a layout that is new.
    use_for_the_next: Option<&'static str>,
}

impl LayoutFile {
    /// The file of a layout that is known and not built in.
    pub(super) fn open(name: &str, folder: Option<&Path>) -> Option<LayoutFile> {
        let folders: Vec<PathBuf> = folder.map(Path::to_owned).into_iter().collect();
        let path = layout::layout_file(name, &folders).ok()?;
        let text = fs::read_to_string(&path).ok()?;
        Some(LayoutFile {
            path,
            text,
            use_for_the_next: None,
        })
    }

    /// Writes a new layout, or one that these answers change.
    pub(super) fn keep(&mut self, answers: &Answers) -> Result<(), CliError> {
        let text = add_answers(&self.text, answers);
        let is_changed = text != self.text && PermitLayout::parse("", &text).is_ok();
        if is_changed {
            self.text = text;
        }
        if let Some(used) = self.use_for_the_next {
            self.write()?;
            print::write_note(&format!("wrote {}; {used}", self.path.display()));
        } else if is_changed {
            self.write()?;
            print::write_note(&format!("added the answers to {}", self.path.display()));
        }
        Ok(())
    }

    fn write(&self) -> Result<(), CliError> {
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let written = folder
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&self.path, &self.text));
        written.map_err(|error| {
            CliError::failed(format!(
                "cannot write the layout {}: {error}",
                self.path.display()
            ))
        })
    }
}

/// The name of a new layout, part of every id, and its file: named after the permit file, unless
/// that name has another header or another place.
fn name_layout(
    args: &ImportArgs,
    folder: Option<&Path>,
    fingerprint: &str,
    answers: &Answers,
) -> Result<(String, PathBuf), CliError> {
    let stem = args
        .file
        .file_stem()
        .map(|stem| slug_of(&stem.to_string_lossy()))
        .filter(|stem| !stem.is_empty());
    let stem = stem.unwrap_or_else(|| "permits".to_owned());
    let is_free = |path: &Path| {
        let is_same = |known: &PermitLayout| {
            let place = (known.city.clone(), known.state.clone());
            known.file.header.as_deref() == Some(fingerprint)
                && answers
                    .city
                    .as_ref()
                    .is_none_or(|city| is_same_place(&place, city))
        };
        !path.exists() || PermitLayout::from_file(path).is_ok_and(|known| is_same(&known))
    };
    let named = |name: &String| Some(folder?.join(format!("{name}.toml")));
    let is_known = |name: &str| {
        layout::BUILT_IN_LAYOUTS
            .iter()
            .any(|(known, _)| *known == name)
    };
    let name = std::iter::once(stem.clone())
        .chain((2..).map(|n| format!("{stem}-{n}")))
        .find(|name| !is_known(name) && named(name).is_none_or(|path| is_free(&path)))
        .unwrap_or(stem);
    let missing = || {
        let line = "there is no folder for the layout";
        CliError::usage(line).with_hint(
            "set HOME or XDG_CONFIG_HOME to an absolute path, or add --write-layout FILE",
        )
    };
    let path = args
        .write_layout
        .clone()
        .or_else(|| named(&name))
        .ok_or_else(missing)?;
    Ok((name, path))
}

/// What was found out, and the layout that follows.
struct Report {
    found: Inspection,
    name: String,
    layout: LayoutFile,
    preview: Vec<PreviewRow>,
    rejected: usize,
}

impl Report {
    fn new(
        args: &ImportArgs,
        folder: Option<&Path>,
        fingerprint: &str,
        sample: &TableSample,
        answers: &Answers,
    ) -> Result<Report, CliError> {
        let mut found = inspect::inspect(sample, answers);
        let (name, path) = name_layout(args, folder, fingerprint, answers)?;
        let file = args
            .file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let title = LayoutTitle {
            name: &name,
            file: &file,
            fingerprint: fingerprint.to_owned(),
        };
        let text = write_layout(&found, &title);
        found.notes.extend(list_unread_columns(&found, &text));
        let (preview, rejected) = match PermitLayout::parse(&name, &text) {
            Ok(layout) => preview_rows(&layout, sample, PREVIEW_ROWS, chrono::Utc::now()),
            Err(_) => (Vec::new(), 0),
        };
        let use_for_the_next = match layout::is_numbered(&sample.header) {
            true => "pass it with --layout for the next file, which has no header either",
            false => "the next file with this header uses it",
        };
        Ok(Report {
            found,
            name,
            layout: LayoutFile {
                path,
                text,
                use_for_the_next: Some(use_for_the_next),
            },
            preview,
            rejected,
        })
    }

    /// Writes the layout if it was asked for, also with what is undecided.
    fn write_wanted(&self, args: &ImportArgs) -> Result<(), CliError> {
        if args.write_layout.is_some() {
            self.layout.write()
        } else {
            Ok(())
        }
    }

    /// The import with this layout.
    fn choice(self, args: &ImportArgs) -> Result<Choice, CliError> {
        let layout = PermitLayout::parse(&self.name, &self.layout.text);
        let layout = layout.map_err(CliError::failed)?;
        let layout_file = Some(self.layout).filter(|_| args.write_layout.is_none());
        Ok(Choice::Import {
            layout: Box::new(layout),
            layout_file,
        })
    }

    fn print(&self, file: &Path, is_json: bool) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let width = usize::from(print::terminal_width().unwrap_or(100)).max(40) - 1;
        print::write_report(&report_lines(
            &name,
            is_json,
            &self.found,
            &self.preview,
            self.rejected,
            width,
        ));
    }
}

fn write_questions(questions: &[Question]) {
    for question in questions {
        print::write_note(&question.in_full());
    }
}

/// Asks what a known layout does not say about a file: at a terminal, or with the options that
/// answer it. Returns whether to go on.
pub(super) async fn answer_questions(
    run: &ImportRun<'_>,
    questions: &[Question],
    answers: &mut Answers,
) -> Result<bool, CliError> {
    if !is_terminal(run.output) || run.args.yes {
        if run.output.format != OutputFormat::Table {
            run.output.print_json(&json!({ "questions": questions }))?;
        }
        write_questions(questions);
        return Err(undecided(questions).with_hint("use the options above"));
    }
    for question in questions {
        print::write_report(&[String::new(), format!("? {}", question.text)]);
        loop {
            match read_answer(prompt(question.about)).await?.as_deref() {
                None | Some("q" | "quit") => return quit().map(|_| false),
                Some(line) => match take_value(line, question, answers) {
                    Ok(()) => break,
                    Err(why) => print::write_note(&why),
                },
            }
        }
    }
    Ok(true)
}

fn undecided(questions: &[Question]) -> CliError {
    let count = print::pluralize(questions.len(), "question");
    CliError::usage(format!("{count} to answer, nothing was imported"))
}

fn is_terminal(output: Output) -> bool {
    std::io::stdin().is_terminal()
        && print::is_stderr_terminal()
        && output.format == OutputFormat::Table
}

fn prompt(about: QuestionSubject) -> &'static str {
    match about {
        QuestionSubject::Dates => "dmy for day first, mdy for month first, q to quit: ",
        QuestionSubject::Decimal => "The decimal sign, . or , (q to quit): ",
        QuestionSubject::City => "City and state, such as Springfield, IL (q to quit): ",
        QuestionSubject::Column => "The number of the column to correct, q to quit: ",
        QuestionSubject::Status => {
            "applied, active, approved, completed, withdrawn, denied or expired (q to quit): "
        }
        QuestionSubject::Key => {
            "number if they are, number,HEADING or number,year if not (q to quit): "
        }
        QuestionSubject::Encoding => "The encoding, such as CP850 or MacRoman (q to quit): ",
    }
}

/// The dialogue at a terminal: questions first, then corrections, until it is imported or given up.
async fn ask(
    args: &ImportArgs,
    source: &TableSource,
    folder: Option<&Path>,
    fingerprint: &str,
    mut sample: TableSample,
    answers: &mut Answers,
) -> Result<Choice, CliError> {
    loop {
        let report = Report::new(args, folder, fingerprint, &sample, answers)?;
        report.print(&args.file, source.is_json);
        let question = report.found.questions.first();
        let (lines, prompt) = match question {
            None => (
                Vec::new(),
                "Enter to import, a number to correct a column, q to quit: ",
            ),
            Some(question) => (
                vec![String::new(), format!("? {}", question.text)],
                prompt(question.about),
            ),
        };
        print::write_report(&lines);
        let Some(line) = read_answer(prompt).await? else {
            return quit();
        };
        match (line.as_str(), question.map(|question| question.about)) {
            ("q" | "quit", _) => return quit(),
            ("", None) => {
                report.write_wanted(args)?;
                return report.choice(args);
            }
            ("", Some(_)) => {}
            (line, _) => {
                let encoding = answers.encoding;
                if let Err(why) = take_answer(line, question, &sample, answers).await? {
                    print::write_note(&why);
                }
                if answers.encoding != encoding {
                    sample = import::open_sample(source.path(), answers.encoding)
                        .map_err(CliError::failed)?;
                }
            }
        }
    }
}

fn quit() -> Result<Choice, CliError> {
    print::write_note("nothing was imported");
    Ok(Choice::Reported)
}

/// The next line, trimmed; `None` at the end of the input.
async fn read_answer(prompt: &str) -> Result<Option<String>, CliError> {
    print::write_prompt(prompt);
    let line = stdin::read_line().await?;
    Ok((!line.is_empty()).then(|| line.trim().to_owned()))
}

/// Takes an answer to the question, or the number of a column.
async fn take_answer(
    line: &str,
    question: Option<&Question>,
    sample: &TableSample,
    answers: &mut Answers,
) -> Result<Result<(), String>, CliError> {
    if let Ok(number) = line.parse::<usize>() {
        let Some(name) = number.checked_sub(1).and_then(|at| sample.header.get(at)) else {
            return Ok(Err(format!("there is no column {number}")));
        };
        let words = PermitField::words().collect::<Vec<_>>().join(", ");
        print::write_report(&crate::text::wrap_text(
            &format!("A column can be: {words}"),
            78,
        ));
        let Some(word) = read_answer(&format!("{name} is: ")).await? else {
            return Ok(Ok(()));
        };
        return Ok(match PermitField::from_word(&word.to_lowercase()) {
            Some(field) => {
                answers.columns.retain(|(at, _)| at + 1 != number);
                answers.columns.push((number - 1, field));
                Ok(())
            }
            None => Err(format!("unknown field {word:?}")),
        });
    }
    Ok(match question {
        Some(question) if question.about == QuestionSubject::Key => {
            parse_key(line, sample).map(|key| answers.key = Some(key))
        }
        Some(question) => take_value(line, question, answers),
        None => Err("write the number of a column, or q".to_owned()),
    })
}

/// Takes an answer that needs no column.
fn take_value(line: &str, question: &Question, answers: &mut Answers) -> Result<(), String> {
    match question.about {
        QuestionSubject::Status => {
            let state = parse_permit_state(line)?;
            let status = question.status.clone();
            answers
                .statuses
                .extend(status.map(|status| (status, state)));
        }
        QuestionSubject::Dates => {
            answers.dates = Some(DateOrder::from_word(line).ok_or("write dmy, mdy or ymd")?);
        }
        QuestionSubject::Encoding => answers.encoding = Some(parse_encoding(line)?),
        QuestionSubject::Decimal => answers.decimal = Some(parse_decimal(line)?),
        QuestionSubject::City => answers.city = Some(parse_city(line)),
        QuestionSubject::Column | QuestionSubject::Key => {
            return Err("write the number of a column, or q".to_owned());
        }
    }
    Ok(())
}
