//! Where a table comes from: a file, a pipe, a compressed file, or JSON. Whatever is no plain table
//! is written to a temporary file as one first, a record at a time, so that it can be read twice
//! and takes no more memory than a table.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tempfile::NamedTempFile;

use super::ImportError;

/// Keys under which services send a list of records.
const LIST_KEYS: &[&str] = &[
    "features", "data", "results", "result", "records", "rows", "items", "value",
];
/// Keys under which a record has its fields.
const FIELD_KEYS: &[&str] = &["properties", "attributes"];
/// How deep the objects of a record become columns (`address.city`).
const MAX_DEPTH: usize = 3;
/// The longest geometry that can be a point.
const MAX_POINT: usize = 1_000;

/// What a compressed file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A table as a plain file.
pub struct TableSource {
    path: PathBuf,
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
            let table = convert_json(text)?;
            return Ok(TableSource {
                path: table.path().to_owned(),
                _temporary: Some(table),
            });
        }
        Ok(TableSource {
            path: text.to_owned(),
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
    let inner = text.strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    text.starts_with(b"{")
        || inner
            .and_then(<[u8]>::first)
            .is_some_and(|next| b"{]".contains(next))
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

/// Writes the records of JSON as a table: first their columns, then their rows.
fn convert_json(path: &Path) -> Result<NamedTempFile, ImportError> {
    let failed = |error| ImportError::File(path.to_owned(), error);
    let (mut names, mut known) = (Vec::<String>::new(), HashSet::new());
    for_each_record(path, &mut |record| {
        for (name, _) in record {
            if !known.contains(name) {
                known.insert(name.clone());
                names.push(name.clone());
            }
        }
        Ok(())
    })?;
    if names.is_empty() {
        return Err(ImportError::NotATable {
            kind: "JSON without records",
            instead: "download a list of records, or the table as CSV",
        });
    }
    let mut table = NamedTempFile::new().map_err(failed)?;
    let mut out = csv::Writer::from_writer(BufWriter::new(table.as_file_mut()));
    out.write_record(&names)?;
    for_each_record(path, &mut |record| {
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
    Ok(table)
}

/// The fields of a record, by column.
type Fields = Vec<(String, String)>;
type OnRecord<'a> = &'a mut dyn FnMut(&Fields) -> io::Result<()>;

/// Reads JSON Lines, a list, or an object with a list, one record at a time.
fn for_each_record(path: &Path, on_record: OnRecord<'_>) -> Result<(), ImportError> {
    let failed = |error| ImportError::File(path.to_owned(), error);
    let mut input = BufReader::new(File::open(path).map_err(failed)?);
    if io::BufRead::fill_buf(&mut input)
        .map_err(failed)?
        .starts_with(b"\xef\xbb\xbf")
    {
        io::BufRead::consume(&mut input, 3);
    }
    let mut json = serde_json::Deserializer::from_reader(input);
    loop {
        match Records(on_record).deserialize(&mut json) {
            Ok(()) => {}
            Err(error) if error.is_eof() && error.column() == 0 => return Ok(()),
            Err(error) => {
                let at = format!(
                    "the JSON cannot be read at line {}, column {}: {error}",
                    error.line(),
                    error.column()
                );
                return Err(failed(io::Error::new(io::ErrorKind::InvalidData, at)));
            }
        }
        if json.end().is_ok() {
            return Ok(());
        }
    }
}

/// A list of records, an object that has one, or a record.
struct Records<'a>(OnRecord<'a>);

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Records(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let mut fields = Fields::new();
        let mut had_list = false;
        while let Some(key) = object.next_key::<String>()? {
            if LIST_KEYS.contains(&key.as_str()) {
                // a field of this name may also be a plain value
                match object.next_value_seed(RecordsOrValue(&mut *self.0))? {
                    Some(value) => fields.push((key, value)),
                    None => had_list = true,
                }
                continue;
            }
            let value: Box<RawValue> = object.next_value()?;
            push_fields(&mut fields, &key, value.get(), 0);
        }
        if had_list || fields.is_empty() {
            Ok(())
        } else {
            (self.0)(&fields).map_err(serde::de::Error::custom)
        }
    }
}

/// A list of records, or a plain value, which is returned.
struct RecordsOrValue<'a>(OnRecord<'a>);

impl<'de> DeserializeSeed<'de> for RecordsOrValue<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RecordsOrValue<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records or a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<String>, A::Error> {
        Records(self.0).visit_seq(list).map(|()| None)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Option<String>, A::Error> {
        Records(self.0).visit_map(object).map(|()| None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<String>, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Option<String>, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Option<String>, E> {
        Ok(Some(String::new()))
    }
}

/// Adds the columns of a value: a text, a number, the fields of an object; a list stays JSON.
fn push_fields(fields: &mut Fields, name: &str, json: &str, depth: usize) {
    if name == "geometry" {
        return push_point(fields, json);
    }
    match json.as_bytes().first() {
        Some(b'n') => fields.push((name.to_owned(), String::new())),
        Some(b'"') => fields.push((
            name.to_owned(),
            serde_json::from_str(json).unwrap_or_default(),
        )),
        Some(b'{') if depth < MAX_DEPTH => {
            let Ok(object) = serde_json::from_str::<RawFields>(json) else {
                return;
            };
            for (key, value) in object.0 {
                let is_wrapped = depth == 0 && FIELD_KEYS.contains(&name);
                let column = if is_wrapped {
                    key
                } else {
                    format!("{name}.{key}")
                };
                push_fields(fields, &column, value.get(), depth + 1);
            }
        }
        _ => fields.push((name.to_owned(), json.to_owned())),
    }
}

/// A point as two columns; other shapes are no place.
fn push_point(fields: &mut Fields, json: &str) {
    #[derive(serde::Deserialize)]
    struct Point {
        coordinates: Option<(f64, f64)>,
        x: Option<f64>,
        y: Option<f64>,
    }
    let point = Some(json)
        .filter(|json| json.len() <= MAX_POINT)
        .and_then(|json| serde_json::from_str::<Point>(json).ok());
    let pair = point.and_then(|point| point.coordinates.or(point.x.zip(point.y)));
    if let Some((longitude, latitude)) = pair {
        fields.push(("longitude".to_owned(), longitude.to_string()));
        fields.push(("latitude".to_owned(), latitude.to_string()));
    }
}

/// The fields of an object in their order, as JSON.
struct RawFields(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for RawFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = RawFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<RawFields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = object.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
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
    fn geojson_keeps_the_properties_and_the_point() {
        let json = "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"id\":1},\
            \"geometry\":{\"type\":\"Point\",\"coordinates\":[-88.1,41.2]}},{\"type\":\"Feature\",\"properties\":{\"id\":2},\
            \"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[1,2],[3,4]]]}}]}";
        assert_eq!(
            table_of(json.as_bytes()).as_deref(),
            Ok("type,id,longitude,latitude\nFeature,1,-88.1,41.2\nFeature,2,,\n")
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
                .contains("the JSON cannot be read at line 1")
        );
    }
}
