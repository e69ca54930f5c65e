//! Values as PostgreSQL receives and sends them: the type of a parameter is what the server infers.

use std::borrow::Cow;
use std::error::Error;

use rusqlite::types::{Value, ValueRef};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// What is stored instead of the character NUL, which the texts of PostgreSQL cannot contain.
const NUL_SUBSTITUTE: &str = "\u{fffd}";

/// A text as both engines can store it.
pub fn storable_text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', NUL_SUBSTITUTE).into()
    } else {
        text.into()
    }
}

type BoxedError = Box<dyn Error + Sync + Send>;

/// A value for a parameter.
#[derive(Debug)]
pub struct Parameter(pub Value);

impl ToSql for Parameter {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match &self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Integer(number) => match *ty {
                Type::INT8 => out.extend_from_slice(&number.to_be_bytes()),
                Type::INT4 => out.extend_from_slice(&i32::try_from(*number)?.to_be_bytes()),
                Type::INT2 => out.extend_from_slice(&i16::try_from(*number)?.to_be_bytes()),
                Type::BOOL => out.extend_from_slice(&[u8::from(*number != 0)]),
                Type::FLOAT8 => out.extend_from_slice(&(*number as f64).to_be_bytes()),
                Type::TEXT | Type::VARCHAR => out.extend_from_slice(number.to_string().as_bytes()),
                _ => return Err(wrong_type("a number", ty)),
            },
            Value::Real(number) => match *ty {
                Type::FLOAT8 => out.extend_from_slice(&number.to_be_bytes()),
                _ => return Err(wrong_type("a number with a fraction", ty)),
            },
            Value::Text(text) => match *ty {
                Type::TEXT | Type::VARCHAR | Type::JSON | Type::UNKNOWN => {
                    out.extend_from_slice(storable_text(text).as_bytes());
                }
                _ => return Err(wrong_type("a text", ty)),
            },
            Value::Blob(bytes) => match *ty {
                Type::UUID if bytes.len() == 16 => out.extend_from_slice(bytes),
                Type::BYTEA => out.extend_from_slice(bytes),
                // a value of `remembered`
                Type::TEXT => {
                    let digits = bytes
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect::<String>();
                    out.extend_from_slice(format!("\\x{digits}").as_bytes());
                }
                _ => return Err(wrong_type("bytes", ty)),
            },
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn wrong_type(value: &str, ty: &Type) -> BoxedError {
    format!("{value} was bound where {ty} is expected").into()
}

/// Writes a value as the text format of COPY wants it. A blob of 16 bytes is an id.
pub fn encode_copy_value(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"\\N"),
        ValueRef::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Real(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Blob(bytes) => {
            if bytes.len() != 16 {
                out.extend_from_slice(b"\\\\x");
            }
            bytes.iter().for_each(|byte| {
                out.extend_from_slice(&[hex_digit(byte >> 4), hex_digit(byte & 15)])
            });
        }
        ValueRef::Text(text) => {
            for byte in text {
                match byte {
                    b'\\' => out.extend_from_slice(b"\\\\"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    0 => out.extend_from_slice(NUL_SUBSTITUTE.as_bytes()),
                    byte => out.push(*byte),
                }
            }
        }
    }
}

fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value)]
}

/// A value of a row, as PostgreSQL sends it.
pub struct PostgresValue<'r>(pub ValueRef<'r>);

impl<'r> FromSql<'r> for PostgresValue<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, BoxedError> {
        Ok(PostgresValue(match *ty {
            Type::BOOL => ValueRef::Integer(i64::from(raw != [0])),
            Type::INT8 => ValueRef::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => ValueRef::Integer(i32::from_be_bytes(raw.try_into()?).into()),
            Type::INT2 => ValueRef::Integer(i16::from_be_bytes(raw.try_into()?).into()),
            Type::FLOAT8 => ValueRef::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::UUID | Type::BYTEA => ValueRef::Blob(raw),
            Type::TEXT | Type::VARCHAR | Type::JSON | Type::UNKNOWN | Type::NAME => {
                ValueRef::Text(raw)
            }
            _ => return Err(format!("columns of type {ty} are not read").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, BoxedError> {
        Ok(PostgresValue(ValueRef::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_written_for_a_copy_so_that_it_is_read_back() {
        let mut line = Vec::new();
        let values = [
            ValueRef::Null,
            ValueRef::Integer(-7),
            ValueRef::Real(0.5),
            ValueRef::Blob(&[1, 0xab]),
            ValueRef::Blob(&[0xcd; 16]),
            ValueRef::Text(b"a\tb\\N\r\n\0"),
        ];
        values
            .into_iter()
            .for_each(|value| (encode_copy_value(value, &mut line), line.push(b'|')).1);
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "\\N|-7|0.5|\\\\x01ab|cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd|a\\tb\\\\N\\r\\n\u{fffd}|"
        );
    }
}
