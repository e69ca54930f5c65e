//! Programs in the language of jq, run without jq.

use jaq_core::load::{Arena, File, Loader, parse};
use jaq_core::{Compiler, Ctx, Filter, Vars, data, unwrap_valr};
use jaq_json::Val;

use crate::export::json::format_json;

use super::error::CliError;

/// Formats of jq that jaq leaves to its own program.
const FORMATS: &str = r#"
def @csv: [.[] | if . == null then "" elif type == "string" then "\"" + (split("\"") | join("\"\"")) + "\"" else tojson end] | join(",");
def @tsv: [.[] | if . == null then "" elif type == "string" then
    split("\\") | join("\\\\") | split("\t") | join("\\t") | split("\n") | join("\\n") | split("\r") | join("\\r")
  else tojson end] | join("\t");
"#;

/// A compiled program.
pub(super) struct JqProgram(Filter<data::JustLut<Val>>);

impl JqProgram {
    /// Compiles a program.
    ///
    /// # Errors
    /// A usage error with the place that cannot be read.
    pub(super) fn compile(program: &str) -> Result<JqProgram, CliError> {
        let arena = Arena::default();
        let formats = parse(FORMATS, |parser| parser.defs())
            .expect("they are constant, and a test uses each");
        let loader = Loader::new(
            jaq_core::defs()
                .chain(jaq_std::defs())
                .chain(jaq_json::defs())
                .chain(formats),
        );
        let modules = loader.load(
            &arena,
            File {
                code: program,
                path: (),
            },
        );
        let modules = modules.map_err(|errors| {
            wrong(
                program,
                errors.first().map(|(_, error)| unreadable_part(error)),
            )
        })?;
        let functions = jaq_core::funs()
            .chain(jaq_std::base_funs())
            .chain(jaq_std::extra_funs())
            .chain(jaq_json::funs());
        let filter = Compiler::default().with_funs(functions).compile(modules);
        let filter = filter.map_err(|errors| {
            let unknown = errors.first().and_then(|(_, undefined)| undefined.first());
            wrong(
                program,
                unknown.map(|(name, _)| format!("nothing is called {name}")),
            )
        })?;
        Ok(JqProgram(filter))
    }

    /// Runs the program on a value. Each result is a line: a text as it is, anything else as JSON.
    pub(super) fn run(&self, json: &str) -> Result<String, CliError> {
        let failed = |why: String| CliError::failed(format!("--jq: {why}"));
        let input = jaq_json::read::parse_single(json.as_bytes())
            .map_err(|error| failed(error.to_string()))?;
        let context = Ctx::<data::JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        let mut lines = String::new();
        for result in self.0.id.run((context, input)).map(unwrap_valr) {
            match result.map_err(|error| failed(shorten(&error.to_string())))? {
                Val::TStr(text) => lines.push_str(&String::from_utf8_lossy(&text)),
                value => lines.push_str(&format_json(&value.to_string(), false)),
            }
            lines.push('\n');
        }
        Ok(lines)
    }
}

/// The message without most of the data that it quotes.
fn shorten(message: &str) -> String {
    const KEPT: usize = 60;
    let (start, end) = (
        message.floor_char_boundary(KEPT),
        message.ceil_char_boundary(message.len().saturating_sub(KEPT)),
    );
    if start >= end {
        message.to_owned()
    } else {
        format!("{} … {}", &message[..start], &message[end..])
    }
}

fn wrong(program: &str, why: Option<String>) -> CliError {
    let why = why.unwrap_or_else(|| "it cannot be read".to_owned());
    CliError::usage(format!("--jq {program:?} is not valid: {why}"))
}

/// The part of a program that cannot be read.
fn unreadable_part(error: &jaq_core::load::Error<&str>) -> String {
    use jaq_core::load::Error;
    let (what, at) = match error {
        Error::Io(errors) => (
            errors.first().map(|(path, why)| format!("{path}: {why}")),
            None,
        ),
        Error::Lex(errors) => (
            errors
                .first()
                .map(|(expected, _)| format!("expected {}", expected.as_str())),
            errors.first().map(|(_, at)| *at),
        ),
        Error::Parse(errors) => (
            errors
                .first()
                .map(|(expected, _)| format!("expected {}", expected.as_str())),
            errors.first().map(|(_, at)| *at),
        ),
    };
    let what = what.unwrap_or_else(|| "it cannot be read".to_owned());
    match at {
        Some("") => format!("{what} at the end"),
        Some(at) => format!("{what} at {at:?}"),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::exit_status;

    fn run(program: &str, json: &str) -> String {
        JqProgram::compile(program).unwrap().run(json).unwrap()
    }

    #[test]
    fn a_program_prints_texts_as_they_are_and_values_as_json() {
        let json = r#"[{"id":"a","cost":5},{"id":"b","cost":7}]"#;
        assert_eq!(run(".[].id", json), "a\nb\n");
        assert_eq!(run("map(.cost) | add", json), "12\n");
        assert_eq!(
            run(".[] | select(.cost > 5) | {id}", json),
            "{\"id\":\"b\"}\n"
        );
        assert_eq!(run(".[] | [.id, .cost] | @tsv", json), "a\t5\nb\t7\n");
        assert_eq!(
            run(". | @tsv", r#"["a\tb\\", null, true]"#),
            "a\\tb\\\\\t\ttrue\n"
        );
        assert_eq!(
            run(". | @csv", r#"["a \"b\"", null, 1.5]"#),
            "\"a \"\"b\"\"\",,1.5\n"
        );
        assert_eq!(run("group_by(.cost) | length", json), "2\n");
        assert_eq!(
            run("\"2026-07-02T00:00:00Z\" | fromdate", "null"),
            "1782950400\n"
        );
    }

    #[test]
    fn a_wrong_program_is_explained() {
        for (program, part) in [
            (".[", "expected"),
            (".id | unheard_of", "unheard_of"),
            ("1 +", "expected"),
        ] {
            let error = JqProgram::compile(program).err().unwrap();
            let message = error.message.unwrap();
            assert!(
                error.exit_status == exit_status::USAGE && message.contains(part),
                "{message}"
            );
        }
        let error = JqProgram::compile(".id").unwrap().run("[1]").unwrap_err();
        assert!(
            error.exit_status == exit_status::FAILED
                && error.message.as_ref().unwrap().starts_with("--jq: "),
            "{error:?}"
        );
    }
}
