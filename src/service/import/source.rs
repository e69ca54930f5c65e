//! Where a table comes from: a file, a pipe, a compressed file, or JSON. Whatever is no plain table
//! is written to a temporary file as one first, a record at a time, so that it can be read twice
//! and takes no more memory than a table.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tempfile::NamedTempFile;

use super::ImportError;
use super::json_survey::{
    JsonSurvey, RECORD_SEPARATOR, RECORDS, not_a_table, open_json, unreadable_json,
};
use crate::text::raw_fields::RawFields;

/// Keys under which a record has its fields.
const FIELD_KEYS: &[&str] = &["properties", "attributes"];
/// How deep the objects of a record become columns (`address.city`).
const MAX_DEPTH: usize = 3;

/// What a compressed file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A table as a plain file.
pub struct TableSource {
    path: PathBuf,
    /// It was records with names, and has no header.
    pub is_json: bool,
    /// What the file says about records that it lacks.
    pub further_records: Option<String>,
    /// Removed when it is dropped.
    _temporary: Option<NamedTempFile>,
}

impl TableSource {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// If it cannot be read, or its JSON is no list of records.
    pub fn open(path: &Path) -> Result<TableSource, ImportError> {
        let failed = |error| ImportError::File(path.to_owned(), error);
        let source = if path == Path::new("-") {
            Path::new("/dev/stdin")
        } else {
            path
        };
        let is_file = path != Path::new("-") && std::fs::metadata(path).map_err(failed)?.is_file();
        let is_plain = is_file && !read_head(path).map_err(failed)?.starts_with(GZIP);
        // a pipe cannot be looked at and then read
        let copy = if is_plain {
            None
        } else {
            Some(File::open(source).and_then(copy_plain).map_err(failed)?)
        };
        let text = copy.as_ref().map_or(path, NamedTempFile::path);
        if is_json(&read_head(text).map_err(failed)?) {
            let (table, further_records) = convert_json(text)?;
            return Ok(TableSource {
                path: table.path().to_owned(),
                is_json: true,
                further_records,
                _temporary: Some(table),
            });
        }
        Ok(TableSource {
            path: text.to_owned(),
            is_json: false,
            further_records: None,
            _temporary: copy,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn is_json(head: &[u8]) -> bool {
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let text = text
        .strip_prefix(&[RECORD_SEPARATOR])
        .unwrap_or(text)
        .trim_ascii_start();
    let inner = text.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    text.starts_with(b"{")
        || inner
            .and_then(<[u8]>::first)
            .is_some_and(|next| b"{[]".contains(next))
}

/// The first bytes of a file.
fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(1 << 10).read_to_end(&mut head)?;
    Ok(head)
}

/// Copies a pipe or a compressed file.
fn copy_plain(file: File) -> io::Result<NamedTempFile> {
    let mut input = BufReader::new(file);
    let is_compressed = io::BufRead::fill_buf(&mut input)?.starts_with(GZIP);
    let mut input: Box<dyn Read> = if is_compressed {
        Box::new(flate2::bufread::MultiGzDecoder::new(input))
    } else {
        Box::new(input)
    };
    let mut copy = NamedTempFile::new()?;
    io::copy(&mut input, &mut copy)?;
    copy.flush()?;
    Ok(copy)
}

/// Writes the records of JSON as a table: first their columns, then their rows. Returns also what
/// the JSON says about records that it lacks.
fn convert_json(path: &Path) -> Result<(NamedTempFile, Option<String>), ImportError> {
    let failed = |error| ImportError::File(path.to_owned(), error);
    let survey = JsonSurvey::read(path, &read_head(path).map_err(failed)?)?;
    let list = survey.list()?;
    // each with whether it has a value in any record
    let (mut names, mut known) = (Vec::<String>::new(), HashMap::<String, bool>::new());
    let mut rows = 0;
    for_each_record(path, list, &mut |record| {
        rows += 1;
        for (name, text) in record {
            match known.get_mut(name) {
                Some(is_filled) => *is_filled |= !text.is_empty(),
                None => {
                    known.insert(name.clone(), !text.is_empty());
                    names.push(name.clone());
                }
            }
        }
        Ok(())
    })?;
    // an object that is null in some records is no column
    let objects: HashSet<String> = names
        .iter()
        .flat_map(|name| name.match_indices('.').map(|(at, _)| name[..at].to_owned()))
        .collect();
    names.retain(|name| known[name] || !objects.contains(name));
    if names.is_empty() {
        return Err(not_a_table("JSON without records", RECORDS));
    }
    let mut table = NamedTempFile::new().map_err(failed)?;
    let mut out = csv::Writer::from_writer(BufWriter::new(table.as_file_mut()));
    out.write_record(&names)?;
    for_each_record(path, list, &mut |record| {
        let cell = |name: &String| {
            record
                .iter()
                .find(|(known, _)| known == name)
                .map_or("", |(_, text)| text.as_str())
        };
        out.write_record(names.iter().map(cell))
            .map_err(io::Error::other)
    })?;
    out.flush().map_err(failed)?;
    drop(out);
    let more = list.and_then(|_| survey.further_records(rows));
    Ok((table, more))
}

/// The fields of a record, by column.
type Fields = Vec<(String, String)>;
type OnRecord<'a> = &'a mut dyn FnMut(&Fields) -> io::Result<()>;
/// Reads JSON Lines, a list, or the list at a path of an object, one record at a time.
fn for_each_record(
    path: &Path,
    list: Option<&[String]>,
    on_record: OnRecord<'_>,
) -> Result<(), ImportError> {
    let mut json = open_json(path)?;
    loop {
        match RecordsAt(list.unwrap_or_default(), on_record).deserialize(&mut json) {
            Ok(()) => {}
            Err(error) if error.is_eof() && error.column() == 0 => return Ok(()),
            Err(error) => return Err(unreadable_json(path, &error)),
        }
        if json.end().is_ok() {
            return Ok(());
        }
    }
}

/// Records, or an object that has them at a path.
struct RecordsAt<'a>(&'a [String], OnRecord<'a>);

impl<'de> DeserializeSeed<'de> for RecordsAt<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RecordsAt<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list
            .next_element_seed(RecordsAt(&[], &mut *self.1))?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Some((next, rest)) = self.0.split_first() else {
            let mut fields = Fields::new();
            while let Some((key, value)) = object.next_entry::<String, Box<RawValue>>()? {
                let is_kind_of_shape = key == "type" && value.get() == "\"Feature\"";
                if !is_kind_of_shape {
                    push_fields(&mut fields, &key, value.get(), 0);
                }
            }
            return if fields.is_empty() {
                Ok(())
            } else {
                (self.1)(&fields).map_err(serde::de::Error::custom)
            };
        };
        while let Some(key) = object.next_key::<String>()? {
            if key == *next {
                object.next_value_seed(RecordsAt(rest, &mut *self.1))?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Adds the columns of a value: a text, a number, the fields of an object; a list stays JSON.
fn push_fields(fields: &mut Fields, name: &str, json: &str, depth: usize) {
    let is_shape = json.starts_with('{') && json.contains("\"coordinates\"");
    if name == "geometry" || is_shape {
        return push_point(fields, json);
    }
    match json.as_bytes().first() {
        Some(b'n') => fields.push((name.to_owned(), String::new())),
        Some(b'"') => {
            let text: String = serde_json::from_str(json).unwrap_or_default();
            // Socrata's human_address is an object in a text
            let is_object =
                text.starts_with('{') && serde_json::from_str::<&RawValue>(&text).is_ok();
            if is_object && depth < MAX_DEPTH {
                push_fields(fields, name, &text, depth);
            } else {
                fields.push((name.to_owned(), text));
            }
        }
        Some(b'{') if depth < MAX_DEPTH => {
            for (key, value) in RawFields::parse(json).iter() {
                let is_wrapped = depth == 0 && FIELD_KEYS.contains(&name);
                let column = if is_wrapped {
                    key.to_owned()
                } else {
                    format!("{name}.{key}")
                };
                push_fields(fields, &column, value.get(), depth + 1);
            }
        }
        _ => fields.push((name.to_owned(), json.to_owned())),
    }
}

/// A point as two columns; of another shape the middle.
fn push_point(fields: &mut Fields, json: &str) {
    #[derive(serde::Deserialize)]
    struct Shape<'j> {
        #[serde(borrow, alias = "rings", alias = "paths", alias = "points")]
        coordinates: Option<&'j RawValue>,
        x: Option<f64>,
        y: Option<f64>,
    }
    let Ok(shape) = serde_json::from_str::<Shape<'_>>(json) else {
        return;
    };
    let middle = || find_middle(shape.coordinates?.get());
    if let Some((longitude, latitude)) = shape.x.zip(shape.y).or_else(middle) {
        fields.push(("longitude".to_owned(), longitude.to_string()));
        fields.push(("latitude".to_owned(), latitude.to_string()));
    }
}

/// The middle of the positions in a list of lists, however deep: `[[[1, 2], [3, 4]]]`.
fn find_middle(json: &str) -> Option<(f64, f64)> {
    let position = |text: &str| -> Option<(f64, f64)> {
        let (x, rest) = text.split_once(',')?;
        let y = rest.split([',', ']']).next()?;
        Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
    };
    let mut positions = json.split('[').filter_map(position);
    let first = positions.next()?;
    let (low, high) = positions.fold((first, first), |(low, high), (x, y)| {
        ((x.min(low.0), y.min(low.1)), (x.max(high.0), y.max(high.1)))
    });
    Some((f64::midpoint(low.0, high.0), f64::midpoint(low.1, high.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table that a file with these bytes is read as.
    fn table_of(bytes: &[u8]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("permits");
        std::fs::write(&path, bytes).unwrap();
        let source = TableSource::open(&path).map_err(|error| error.to_string())?;
        Ok(std::fs::read_to_string(source.path()).unwrap())
    }

    #[test]
    fn json_of_portals_becomes_the_table_that_it_stands_for() {
        let table = "id,city,cost\n1,\"Bath, UK\",5.5\n2,,7\n";
        for json in [
            "{\"id\":\"1\",\"city\":\"Bath, UK\",\"cost\":5.5}\n{\"id\":\"2\",\"city\":null,\"cost\":7}\n",
            "[{\"id\":1,\"city\":\"Bath, UK\",\"cost\":5.5},{\"id\":2,\"cost\":7}]",
            "{\"meta\":1,\"data\":[{\"id\":1,\"city\":\"Bath, UK\",\"cost\":5.5},{\"id\":2,\"cost\":7}]}",
            "{\"result\":{\"records\":[{\"id\":1,\"city\":\"Bath, UK\",\"cost\":5.5},{\"id\":2,\"cost\":7}]}}",
            "{\"features\":[{\"attributes\":{\"id\":1,\"city\":\"Bath, UK\",\"cost\":5.5}},{\"attributes\":{\"id\":2,\"cost\":7}}]}",
        ] {
            assert_eq!(table_of(json.as_bytes()).as_deref(), Ok(table), "{json}");
        }
    }

    #[test]
    fn geojson_keeps_the_properties_and_the_point_or_the_middle_of_a_shape() {
        let json = "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"id\":1},\
            \"geometry\":{\"type\":\"Point\",\"coordinates\":[-88.1,41.2]}},{\"type\":\"Feature\",\"properties\":{\"id\":2},\
            \"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[1,2],[3,4]]]}}]}";
        assert_eq!(
            table_of(json.as_bytes()).as_deref(),
            Ok("id,longitude,latitude\n1,-88.1,41.2\n2,2,3\n")
        );
    }

    #[test]
    fn a_compressed_table_is_read_like_a_plain_one() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"id,city\n1,Bath\n").unwrap();
        assert_eq!(
            table_of(&packed.finish().unwrap()).as_deref(),
            Ok("id,city\n1,Bath\n")
        );
    }

    #[test]
    fn json_that_is_no_list_of_records_says_so() {
        assert!(
            table_of(b"[]")
                .unwrap_err()
                .contains("JSON without records")
        );
        assert!(
            table_of(b"[{\"id\":1},")
                .unwrap_err()
                .contains("line 1, column")
        );
    }
}
