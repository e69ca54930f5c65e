//! Things that are to be made, as JSON objects on standard input, one a line.

use std::fmt;

use serde::de::DeserializeOwned;

use super::batch::Thing;
use super::dry::DryRun;
use super::ids::Given;
use super::stdin;
use super::stop::Stop;

/// An object, by the number of its line.
#[derive(Debug)]
pub(super) struct Line<T> {
    number: usize,
    pub(super) value: T,
}

impl<T> fmt::Display for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.number)
    }
}

impl<T> Thing for Line<T> {
    fn id(&self) -> Option<String> {
        None
    }
}

/// The objects of standard input. One that cannot be read is wrong usage: half a list is not made.
pub(super) async fn read<T: DeserializeOwned>(dry: DryRun) -> Result<Given<Line<T>>, Stop> {
    lines(&stdin::read().await?, dry)
}

fn lines<T: DeserializeOwned>(text: &str, dry: DryRun) -> Result<Given<Line<T>>, Stop> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let object = |(n, line): (usize, &str)| {
        let number = n + 1;
        let wrong = |why: String| Stop::usage(format!("line {number} cannot be used: {why}; nothing was sent"));
        if !line.trim_start().starts_with('{') {
            return Err(wrong("it is no JSON object".to_owned()));
        }
        Ok(Line { number, value: serde_json::from_str(line).map_err(|error| wrong(error.to_string()))? })
    };
    let ids = lines.map(object).collect::<Result<_, _>>()?;
    Ok(Given { ids, missing: Vec::new(), ok_if_missing: false, piped: true, dry, doubles: 0, bad: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn each_line_is_an_object_and_one_that_is_none_stops_all() {
        let given = lines::<Value>("{\"name\":\"a\"}\r\n\n{\"name\":\"b\"}\n", DryRun::default()).unwrap();
        let told: Vec<_> = given.ids.iter().map(|line| (line.to_string(), line.value["name"].clone())).collect();
        assert_eq!(told, [("line 1".to_owned(), "a".into()), ("line 3".to_owned(), "b".into())]);
        for wrong in ["{}\n7\n", "{}\n{\"name\":\n"] {
            let stop = lines::<Value>(wrong, DryRun::default()).unwrap_err();
            assert!(stop.line.starts_with("line 2 cannot be used: ") && stop.status == 2, "{}", stop.line);
        }
    }
}
