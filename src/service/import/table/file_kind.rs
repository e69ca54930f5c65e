//! Files that are no tables, recognized by their first bytes.

/// What the file is, and what to do instead.
pub fn other_kind(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const SHEET: &str = "open it in a spreadsheet and save the sheet of permits as CSV UTF-8";
    let contains = |needle: &[u8]| {
        head.windows(needle.len())
            .take(8_192)
            .any(|window| window == needle)
    };
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let lower: Vec<u8> = text
        .iter()
        .take(2_048)
        .map(u8::to_ascii_lowercase)
        .collect();
    let begins = |words: &[&[u8]]| words.iter().any(|word| lower.starts_with(word));
    Some(match head {
        [b'%', b'P', b'D', b'F', ..] => ("a PDF document", "download the table as CSV"),
        [b'P', b'K', 3, 4, ..] if contains(b"xl/") => ("an Excel workbook", SHEET),
        [b'P', b'K', 3, 4, ..] if contains(b"[Content_Types].xml") => ("an Office document", SHEET),
        [b'P', b'K', 3, 4, ..] if contains(b"opendocument.spreadsheet") => {
            ("an OpenDocument spreadsheet", SHEET)
        }
        [b'P', b'K', 3 | 5, ..] => ("a ZIP archive", "unpack it"),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => ("an old Excel workbook", SHEET),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => {
            ("an image", "download the table as CSV")
        }
        _ if head.starts_with(b"SQLite format 3\0") => {
            ("a SQLite database", "export the table as CSV")
        }
        _ if begins(&[b"<!doctype html", b"<html", b"<head", b"<body", b"<table"]) => (
            "a web page",
            "the link may need a login; download the table as CSV",
        ),
        _ if begins(&[b"<"]) => ("XML", "download the table as CSV"),
        _ => return None,
    })
}
