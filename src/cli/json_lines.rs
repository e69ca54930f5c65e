//! Records to create, as JSON objects on standard input, one per line.

use std::fmt;

use serde::de::DeserializeOwned;

use super::batch::BatchTarget;
use super::dry_run::DryRun;
use super::error::CliError;
use super::ids::IdList;
use super::stdin;

/// An object and its line number.
#[derive(Debug)]
pub(super) struct JsonLine<T> {
    number: usize,
    pub(super) value: T,
}

impl<T> fmt::Display for JsonLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.number)
    }
}

impl<T> BatchTarget for JsonLine<T> {
    fn record_id(&self) -> Option<String> {
        None
    }
}

/// Reads the objects from standard input. One invalid line is a usage error, so that half a list is
/// never created.
pub(super) async fn read_json_lines<T: DeserializeOwned>(
    dry: DryRun,
) -> Result<IdList<JsonLine<T>>, CliError> {
    parse_json_lines(&stdin::read_all().await?, dry)
}

fn parse_json_lines<T: DeserializeOwned>(
    text: &str,
    dry: DryRun,
) -> Result<IdList<JsonLine<T>>, CliError> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let object = |(n, line): (usize, &str)| {
        let number = n + 1;
        let wrong = |why: String| {
            CliError::usage(format!("line {number} is invalid: {why}; nothing was sent"))
        };
        if !line.trim_start().starts_with('{') {
            return Err(wrong("not a JSON object".to_owned()));
        }
        Ok(JsonLine {
            number,
            value: serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?,
        })
    };
    let ids = lines.map(object).collect::<Result<_, _>>()?;
    Ok(IdList {
        is_piped: true,
        ..IdList::new(ids, dry)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn every_line_must_be_a_json_object_or_nothing_is_sent() {
        let given = parse_json_lines::<Value>(
            "{\"name\":\"a\"}\r\n\n{\"name\":\"b\"}\n",
            DryRun::default(),
        )
        .unwrap();
        let lines: Vec<_> = given
            .ids
            .iter()
            .map(|line| (line.to_string(), line.value["name"].clone()))
            .collect();
        assert_eq!(
            lines,
            [
                ("line 1".to_owned(), "a".into()),
                ("line 3".to_owned(), "b".into())
            ]
        );
        for wrong in ["{}\n7\n", "{}\n{\"name\":\n"] {
            let stop = parse_json_lines::<Value>(wrong, DryRun::default()).unwrap_err();
            assert!(
                stop.exit_status == 2
                    && stop
                        .message
                        .as_ref()
                        .is_some_and(|why| why.starts_with("line 2 is invalid: ")),
                "{stop:?}"
            );
        }
    }
}
