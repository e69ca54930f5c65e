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
    const CSV: &str = "download the table as CSV";
    const UNPACK: &str = "unpack it";
    let is_page = begins(&[b"<!doctype html", b"<html", b"<head", b"<body", b"<table"]);
    Some(match head {
        [b'%', b'P', b'D', b'F', ..] => ("a PDF document", CSV),
        [b'P', b'K', 3, 4, ..] if contains(b"xl/") => ("an Excel workbook", SHEET),
        [b'P', b'K', 3, 4, ..] if contains(b"[Content_Types].xml") => ("an Office document", SHEET),
        [b'P', b'K', 3, 4, ..] if contains(b"opendocument.spreadsheet") => {
            ("an OpenDocument spreadsheet", SHEET)
        }
        [b'P', b'K', 3 | 5, ..] => ("a ZIP archive", UNPACK),
        [b'P', b'A', b'R', b'1', ..] => ("Parquet", CSV),
        [b'7', b'z', 0xbc, 0xaf, ..] => ("a 7z archive", UNPACK),
        [b'R', b'a', b'r', b'!', ..] => ("a RAR archive", UNPACK),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => ("compressed with zstd", UNPACK),
        [b'B', b'Z', b'h', ..] if head.contains(&0) => ("compressed with bzip2", UNPACK),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("compressed with xz", UNPACK),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => ("an old Excel workbook", SHEET),
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => ("an image", CSV),
        _ if head.starts_with(b"SQLite format 3\0") => {
            ("a SQLite database", "export the table as CSV")
        }
        _ if begins(&[b"version https://git-lfs"]) => (
            "a pointer to a file in Git LFS",
            "download the file itself, with git lfs pull or from its page",
        ),
        _ if begins(&[
            b"insert into ",
            b"create table ",
            b"-- mysql dump",
            b"--\n-- postgresql",
        ]) =>
        {
            ("SQL", "export the table as CSV")
        }
        _ if is_page && contains(b"<td") && !contains(b"<form") => {
            ("a web page with a table, as some portals name .xls", SHEET)
        }
        _ if is_page => (
            "a web page",
            "the link may need a login; download the table as CSV",
        ),
        _ if begins(&[b"<"]) => ("XML", CSV),
        _ => return None,
    })
}
