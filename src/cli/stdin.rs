//! Standard input, read on a blocking thread so that ^C still works.

use std::io::Read;

use super::error::CliError;
use crate::platform::tasks;

/// Reads the next line.
pub(super) async fn read_line() -> Result<String, CliError> {
    run_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        read.map(|_| line).map_err(describe_error)
    })
    .await
}

/// Reads everything as text without its byte order mark: UTF-8, or UTF-16 that begins with one.
pub(super) async fn read_all() -> Result<String, CliError> {
    let bytes = run_blocking(|| {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(describe_error)
    });
    decode_text(bytes.await?).ok_or_else(|| {
        CliError::usage("standard input is not UTF-8 text")
            .with_hint("convert it, for example with: iconv -t UTF-8")
    })
}

fn describe_error(error: std::io::Error) -> String {
    format!("cannot read standard input: {error}")
}

/// Runs what waits, on a thread that may wait.
pub(super) async fn run_blocking<T: Send + 'static, E: std::fmt::Display + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, CliError> {
    let done = tasks::run_blocking(work).await;
    done.map_err(CliError::failed)?.map_err(CliError::failed)
}

fn decode_text(bytes: Vec<u8>) -> Option<String> {
    let from_utf16 = |unit: fn([u8; 2]) -> u16| {
        let (units, rest) = bytes[2..].as_chunks();
        let text =
            String::from_utf16(&units.iter().map(|pair| unit(*pair)).collect::<Vec<_>>()).ok();
        text.filter(|_| rest.is_empty())
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => from_utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => from_utf16(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, text @ ..] => String::from_utf8(text.to_vec()).ok(),
        _ => String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains('\0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_unicode_encoding_with_its_mark_is_read() {
        let utf16 = |unit: fn(u16) -> [u8; 2]| {
            "\u{feff}Zürich\n"
                .encode_utf16()
                .flat_map(unit)
                .collect::<Vec<u8>>()
        };
        for bytes in [
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
            "\u{feff}Zürich\n".into(),
            "Zürich\n".into(),
        ] {
            assert_eq!(
                decode_text(bytes.clone()).as_deref(),
                Some("Zürich\n"),
                "{bytes:x?}"
            );
        }
        let (unmarked, cut) = (
            utf16(u16::to_le_bytes)[2..].to_vec(),
            utf16(u16::to_le_bytes)[..7].to_vec(),
        );
        for bytes in [unmarked, cut, b"Z\xfcrich\n".to_vec()] {
            assert_eq!(decode_text(bytes.clone()), None, "{bytes:x?}");
        }
    }
}
