//! What JSON consists of, before its records are read: where they are, and what it says about
//! itself. Only numbers and short texts are kept of it.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{ImportError, words};
use crate::domain::number_format::group_digits;
use crate::text;

/// What to do with JSON that has no list of records.
pub const RECORDS: &str = "download the table as CSV, or as a list of records";
/// What each record of a JSON text sequence begins with.
pub const RECORD_SEPARATOR: u8 = 0x1e;
/// How deep lists are looked for.
const MAX_DEPTH: usize = 3;
/// How many values are kept, and how much of each.
const MAX_VALUES: usize = 200;
const MAX_WIDTH: usize = 80;

pub type JsonReader = serde_json::Deserializer<serde_json::de::IoRead<BufReader<JsonText>>>;

/// JSON without its mark, and without the signs that separate records in a sequence.
pub struct JsonText(File);

impl Read for JsonText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        for byte in buffer[..count]
            .iter_mut()
            .filter(|byte| **byte == RECORD_SEPARATOR)
        {
            *byte = b' ';
        }
        Ok(count)
    }
}

/// Opens a file of JSON.
///
/// # Errors
/// If it cannot be read.
pub fn open_json(path: &Path) -> Result<JsonReader, ImportError> {
    let failed = |error| ImportError::File(path.to_owned(), error);
    let mut input = BufReader::new(JsonText(File::open(path).map_err(failed)?));
    if io::BufRead::fill_buf(&mut input)
        .map_err(failed)?
        .starts_with(b"\xef\xbb\xbf")
    {
        io::BufRead::consume(&mut input, 3);
    }
    Ok(serde_json::Deserializer::from_reader(input))
}

/// Why JSON cannot be read, or that it holds no records.
pub fn unreadable_json(path: &Path, error: &serde_json::Error) -> ImportError {
    if error.is_data() && error.to_string().starts_with("invalid type") {
        return not_a_table("JSON with lists of values instead of records", RECORDS);
    }
    let at = format!("line {}, column {}: {error}", error.line(), error.column());
    let error = io::Error::new(io::ErrorKind::InvalidData, at);
    ImportError::File(path.to_owned(), error)
}

/// What a file is instead of a table.
pub fn not_a_table(kind: &str, instead: &'static str) -> ImportError {
    ImportError::NotATable {
        kind: kind.to_owned().into(),
        instead,
    }
}

/// A list in an object.
struct JsonList {
    path: Vec<String>,
    objects: usize,
    others: usize,
}

/// What an object consists of.
#[derive(Default)]
pub struct JsonSurvey {
    /// There is one object, and not a list or several.
    is_object: bool,
    lists: Vec<JsonList>,
    /// The plain values that are in no list, with their path.
    values: Vec<(Vec<String>, String)>,
}

impl JsonSurvey {
    /// Surveys a file whose first bytes are these.
    pub fn read(path: &Path, head: &[u8]) -> Result<JsonSurvey, ImportError> {
        let mut survey = JsonSurvey::default();
        let is_list = head.iter().find(|byte| b"[{".contains(byte)) == Some(&b'[');
        if is_list {
            return Ok(survey);
        }
        let mut json = open_json(path)?;
        let mut at = Vec::new();
        let part = SurveyedValue(&mut survey, &mut at);
        if let Err(error) = part.deserialize(&mut json) {
            return Err(unreadable_json(path, &error));
        }
        survey.is_object &= json.end().is_ok();
        Ok(survey)
    }

    /// The path of the list with the records, if there is one object.
    ///
    /// # Errors
    /// If that has no records.
    pub fn list(&self) -> Result<Option<&[String]>, ImportError> {
        if !self.is_object {
            return Ok(None);
        }
        let rank = |list: &&JsonList| {
            let is_usual = is_named(&list.path, "json_list");
            (is_usual, list.objects + list.others)
        };
        let is_candidate = |list: &&JsonList| {
            (list.objects > 0 || is_named(&list.path, "json_list"))
                && list.objects + list.others > 0
                && !is_named(&list.path, "json_other_list")
        };
        // the first of equals
        let best = self
            .lists
            .iter()
            .rev()
            .filter(is_candidate)
            .max_by_key(rank);
        match best {
            Some(list) if list.objects == 0 => Err(not_a_table(
                "JSON with lists of values instead of records",
                RECORDS,
            )),
            Some(list) => Ok(Some(&list.path)),
            None => match self.error_message() {
                Some(message) => {
                    let kind = format!("an error message of the portal ({message})");
                    Err(not_a_table(&kind, "download it again, or the table as CSV"))
                }
                None if !self.values.iter().any(|(path, _)| path.len() == 1) => {
                    Err(not_a_table("JSON without a list of records", RECORDS))
                }
                None => Ok(None),
            },
        }
    }

    fn value(&self, list: &str) -> Option<(&str, &str)> {
        let (path, value) = self.values.iter().find(|(path, value)| {
            is_named(path, list) && !["", "false", "0"].contains(&value.as_str())
        })?;
        Some((path.last()?, value))
    }

    fn error_message(&self) -> Option<&str> {
        let is_error = |(path, _): &(Vec<String>, String)| {
            path.first()
                .is_some_and(|first| plain(first).starts_with("error"))
                || path.len() == 1 && is_named(path, "json_error")
        };
        let is_short = self.values.len() <= 12;
        let named = self.values.iter().any(is_error) && is_short;
        named.then(|| {
            self.value("json_error")
                .map_or("without a text", |(_, text)| text)
        })
    }

    /// What the file says about records behind these.
    pub fn further_records(&self, rows: usize) -> Option<String> {
        let total = self
            .value("json_total")
            .and_then(|(name, total)| Some((plain(name), total.parse::<usize>().ok()?)));
        // some services name a next page behind the last one, and others count one page
        if total
            .as_ref()
            .is_some_and(|(name, total)| *total <= rows && name != "count")
        {
            return None;
        }
        let total = total.map(|(_, total)| total).filter(|total| *total > rows);
        let pages = || {
            let (_, pages) = self.value("json_pages")?;
            let page = self.value("json_page").map_or("1", |(_, page)| page);
            let is_last = pages.parse::<usize>().ok()? <= page.parse().unwrap_or(1);
            (!is_last).then(|| format!("page {page} of {pages}"))
        };
        let next = || {
            let (name, value) = self.value("json_next")?;
            Some(format!("{name}: {value}"))
        };
        let rows = group_digits(&rows.to_string());
        let what = match total {
            Some(total) => format!("{rows} of {} records", group_digits(&total.to_string())),
            None => format!(
                "{rows} records, and the portal has more ({})",
                pages().or_else(next)?
            ),
        };
        Some(format!(
            "the file is one page: {what}; download all of them to import the others"
        ))
    }
}

/// A name without case and signs, and without what is before a dot: `@odata.nextLink`.
fn plain(name: &str) -> String {
    let name = name.rsplit('.').next().unwrap_or(name);
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn is_named(path: &[String], list: &str) -> bool {
    (path.last()).is_some_and(|last| words::is_exact_word(list, &plain(last)))
}

/// A value at a path.
struct SurveyedValue<'a>(&'a mut JsonSurvey, &'a mut Vec<String>);

impl SurveyedValue<'_> {
    fn keep(self, text: &str) {
        if self.0.values.len() < MAX_VALUES {
            let text = text::truncate(&text::sanitize_line(text), MAX_WIDTH, "…").into_owned();
            self.0.values.push((self.1.clone(), text));
        }
    }
}

impl<'de> DeserializeSeed<'de> for SurveyedValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SurveyedValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let SurveyedValue(survey, path) = self;
        survey.is_object |= path.is_empty();
        while let Some(key) = object.next_key::<String>()? {
            if path.len() < MAX_DEPTH {
                path.push(key);
                object.next_value_seed(SurveyedValue(survey, path))?;
                path.pop();
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (mut objects, mut others) = (0, 0);
        while let Some(element) = list.next_element::<Box<RawValue>>()? {
            if element.get().starts_with('{') {
                objects += 1;
            } else {
                others += 1;
            }
        }
        if self.0.lists.len() < MAX_VALUES {
            self.0.lists.push(JsonList {
                path: self.1.clone(),
                objects,
                others,
            });
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.keep(text);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.keep(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.keep(&value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.keep(&value.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.keep(&value.to_string());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.keep("");
        Ok(())
    }
}
