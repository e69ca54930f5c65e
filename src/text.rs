//! Makes untrusted text safe to show: the single boundary between received data and a terminal.
//!
//! Filings, notes and names are written by strangers. [`sanitize_line()`] and [`sanitize_block()`]
//! remove every control character, direction override and invisible filler, so that a text cannot
//! move the cursor or reorder, hide or imitate other text; clean text is borrowed unchanged. The
//! rest measures and cuts text in what a terminal shows: grapheme clusters and cells.
//!
//! Never here: what a text means, colors, or the data itself, which stays as received.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub mod raw_fields;

/// Maximum number of bytes shown of one line.
const MAX_LINE_BYTES: usize = 4 * 1024;
/// Maximum number of bytes shown of one block.
const MAX_BLOCK_BYTES: usize = 256 * 1024;
/// Maximum number of characters shown of one grapheme cluster: more is a pile of combining marks.
const MAX_CLUSTER_CHARS: usize = 9;
/// Joins two emoji to one.
const JOINER: char = '\u{200d}';
/// Asks for the picture of the character before it.
const EMOJI_STYLE: char = '\u{fe0f}';
/// A key around the digit before it.
const KEYCAP: char = '\u{20e3}';

/// Whether every character is one cell wide, alone in its cluster, and shown as it is: most texts
/// are, and need no segmentation.
pub fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| (0x20..0x7f).contains(&b)) || text.chars().all(is_plain_char)
}

/// Printable ASCII, Latin letters, and the punctuation and shapes that gantry itself draws.
fn is_plain_char(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{2010}'..='\u{2027}' | '\u{203a}' | '\u{2500}'..='\u{25fc}')
}

/// The text on one line: line breaks become `⏎`, tabs a space, other control characters their
/// picture.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    sanitize(text, MAX_LINE_BYTES, |c| match c {
        '\n' => Some('⏎'),
        '\t' | '\r' => Some(' '),
        _ => None,
    })
}

/// The text on several lines: line feeds stay, tabs become a space, other control characters their
/// picture.
pub fn sanitize_block(text: &str) -> Cow<'_, str> {
    sanitize(text, MAX_BLOCK_BYTES, |c| match c {
        '\n' => Some('\n'),
        '\t' | '\r' => Some(' '),
        _ => None,
    })
}

/// A text that no spreadsheet treats as a formula: one that begins like a formula is prefixed with
/// `'`. Numbers are left alone.
pub fn escape_formula(text: &str) -> Cow<'_, str> {
    let begins = text.trim_start();
    match begins.starts_with(['=', '+', '-', '@']) && begins.trim_end().parse::<f64>().is_err() {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// How join codes, tokens and API keys begin.
const SECRET_PREFIXES: [&str; 3] = ["gj_", "gat_", "gak_"];

/// Where a text has a word that is a secret by how it begins; behind that beginning.
fn find_secret(text: &str) -> Option<usize> {
    let begins = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let find = |prefix: &str| {
        text.match_indices(prefix)
            .map(|(at, _)| at)
            .find(|at| begins(*at))
            .map(|at| at + prefix.len())
    };
    SECRET_PREFIXES.into_iter().filter_map(find).min()
}

/// Whether a word of the text is a secret.
pub fn has_secret(text: &str) -> bool {
    find_secret(text).is_some()
}

/// The text with its secrets masked, character by character.
pub fn mask_secrets(text: &str, mask: char) -> Cow<'_, str> {
    let Some(at) = find_secret(text) else {
        return Cow::Borrowed(text);
    };
    let (before, rest) = text.split_at(at);
    let (secret, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let masked = secret.chars().map(|_| mask);
    Cow::Owned(
        before
            .chars()
            .chain(masked)
            .chain(mask_secrets(after, mask).chars())
            .collect(),
    )
}

/// The host of a URL that is safe to open in a browser: http or https, an ASCII host that cannot be
/// mistaken for another, no user part, no invisible characters.
pub fn web_page_host(url: &str) -> Option<&str> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#']).next()?;
    let clear =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    let whole =
        matches!(sanitize_line(url), Cow::Borrowed(_)) && !url.contains(char::is_whitespace);
    (whole && !host.is_empty() && !host.starts_with('-') && host.chars().all(clear)).then_some(host)
}

/// The width of a text in terminal cells.
pub fn display_width(text: &str) -> usize {
    match text {
        _ if text.is_ascii() => text.len(),
        _ if is_plain(text) => text.chars().count(),
        _ => text.graphemes(true).map(cluster_width).sum(),
    }
}

/// The longest prefix of a text that fits `cells`, ending in `mark` if something was cut off.
pub fn truncate<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    match cut_text(text, cells, mark) {
        (kept, "") => Cow::Borrowed(kept),
        (kept, mark) => Cow::Owned(format!("{kept}{mark}")),
    }
}

/// The parts of a truncated text: what is kept of it, and the mark where it ends in one.
pub fn cut_text<'a, 'm>(text: &'a str, cells: usize, mark: &'m str) -> (&'a str, &'m str) {
    if display_width(text) <= cells {
        return (text, "");
    }
    let (mark, room) = match cells.checked_sub(display_width(mark)) {
        Some(room) => (mark, room),
        None => ("", cells),
    };
    let mut used = 0;
    let mut is_beyond = |cluster: &str| {
        used += cluster_width(cluster);
        used > room
    };
    let end = match text.is_ascii() {
        true => room,
        false => text
            .grapheme_indices(true)
            .find(|(_, cluster)| is_beyond(cluster))
            .map_or(text.len(), |(at, _)| at),
    };
    (text.get(..end).unwrap_or(text).trim_end(), mark)
}

/// The text in lines of at most `cells`, broken at spaces where possible. `cells` of zero gives no
/// lines.
pub fn wrap_text(text: &str, cells: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if cells == 0 {
        return lines;
    }
    for paragraph in text.split('\n') {
        if display_width(paragraph) <= cells {
            lines.push(paragraph.trim_end().to_owned());
            continue;
        }
        let (mut current, mut used, mut continued) = (String::new(), 0, false);
        for word in paragraph
            .split_inclusive(' ')
            .flat_map(|word| [word.trim_end(), &word[word.trim_end().len()..]])
        {
            let mut needed = display_width(word);
            if used + needed > cells && used > 0 {
                lines.push(std::mem::take(&mut current).trim_end().to_owned());
                (used, continued) = (0, true);
            }
            if used == 0 && continued && word.trim().is_empty() {
                continue;
            }
            if needed > cells {
                for cluster in word.graphemes(true) {
                    if used + cluster_width(cluster) > cells {
                        lines.push(std::mem::take(&mut current));
                        used = 0;
                    }
                    current.push_str(cluster);
                    used += cluster_width(cluster);
                }
                needed = 0;
            } else {
                current.push_str(word);
            }
            used += needed;
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// The width of one cluster as most terminals count it: never more than two.
fn cluster_width(cluster: &str) -> usize {
    cluster.width().min(2)
}

fn sanitize(text: &str, max: usize, keep: fn(char) -> Option<char>) -> Cow<'_, str> {
    if text.len() <= max && is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(max));
    for cluster in text.graphemes(true) {
        if out.len() + cluster.len() > max {
            out.push('…');
            break;
        }
        visit_displayed(cluster, keep, |_, shown| out.extend(shown));
    }
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

/// Calls this with each character of a cluster and what is shown for it. What joins two emoji, or
/// asks for the picture of one, stays; elsewhere it would be invisible.
fn visit_displayed(
    cluster: &str,
    keep: fn(char) -> Option<char>,
    mut visit: impl FnMut(char, Option<char>),
) {
    let mut chars = cluster.chars().take(MAX_CLUSTER_CHARS).peekable();
    let mut before = None;
    while let Some(c) = chars.next() {
        let after = chars.peek().copied();
        let is_part_of_emoji = match c {
            JOINER => {
                before.is_some_and(|c| c == EMOJI_STYLE || is_emoji(c))
                    && after.is_some_and(is_emoji)
            }
            EMOJI_STYLE => {
                before.is_some_and(is_emoji)
                    || before.is_some_and(|c| c.is_ascii()) && after == Some(KEYCAP)
            }
            _ => false,
        };
        let shown = if is_part_of_emoji {
            Some(c)
        } else {
            keep(c).or_else(|| displayed_char(c))
        };
        before = shown.or(before);
        visit(c, shown);
    }
}

/// Whether a character may be shown as a picture.
fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21aa}'
            | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{25fe}' | '\u{2600}'..='\u{27bf}' | '\u{2934}' | '\u{2935}'
            | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}'
    )
}

/// How many characters of a text are not shown as they are, but removed or replaced by a picture.
/// Whitespace does not count.
pub fn count_hidden_chars(text: &str) -> usize {
    let (mut count, keep) = (0, |c| matches!(c, '\n' | '\r' | '\t').then_some(c));
    text.graphemes(true).for_each(|cluster| {
        visit_displayed(cluster, keep, |c, shown| {
            count += usize::from(shown != Some(c))
        })
    });
    count
}

/// Whether a character may be shown as it is: it must not move, turn, hide or join anything but
/// parts of an emoji.
pub fn is_displayable(c: char) -> bool {
    matches!(c, JOINER | EMOJI_STYLE) || displayed_char(c) == Some(c)
}

/// What is shown for a character outside of an emoji: itself, a picture of it, or nothing.
fn displayed_char(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{2028}'
        | '\u{2029}' => Some('\u{fffd}'),
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{fff9}'..='\u{fffb}' => Some('\u{fffd}'),
        // Signs that enclose the digits after them: terminals disagree about where they are, and
        // whether.
        '\u{600}'..='\u{605}'
        | '\u{6dd}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8e2}'
        | '\u{110bd}'
        | '\u{110cd}' => Some('\u{fffd}'),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some('\u{fffd}'),
        // Noncharacters: programs may use them for their own purposes.
        '\u{fdd0}'..='\u{fdef}' => Some('\u{fffd}'),
        _ if u32::from(c) & 0xfffe == 0xfffe => Some('\u{fffd}'),
        // Blank Braille looks like a space.
        '\u{2800}' => Some(' '),
        '\u{ad}'
        | '\u{34f}'
        | '\u{70f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => None,
        '\u{200b}'..=JOINER
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}' => None,
        '\u{fe00}'..=EMOJI_STYLE
        | '\u{fff0}'..='\u{fff8}'
        | '\u{16fe4}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{13430}'..='\u{1343f}' => None,
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn noncharacters_and_invisible_fillers_do_not_reach_a_terminal() {
        for (text, shown) in [
            ("a\u{fdd0}b\u{fdef}", "a\u{fffd}b\u{fffd}"),
            (
                "\u{fffe}\u{ffff}\u{1fffe}\u{10ffff}",
                "\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("a\u{3164}\u{115f}\u{1160}\u{ffa0}\u{17b4}b", "ab"),
            ("a\u{2800}b", "a b"),
            ("a\u{1d159}\u{1d173}\u{1bca0}\u{13430}b", "ab"),
        ] {
            assert_eq!(sanitize_line(text), shown, "{text:?}");
            assert!(
                !text.chars().filter(|c| !c.is_ascii()).any(is_displayable),
                "{text:?}"
            );
        }
    }

    /// Characters that have no picture of their own: Unicode's category Cf, and others that can be
    /// ignored by default.
    const INVISIBLE_RANGES: &[(u32, u32)] = &[
        (0xad, 0xad),
        (0x34f, 0x34f),
        (0x600, 0x605),
        (0x61c, 0x61c),
        (0x6dd, 0x6dd),
        (0x70f, 0x70f),
        (0x890, 0x891),
        (0x8e2, 0x8e2),
        (0x115f, 0x1160),
        (0x17b4, 0x17b5),
        (0x180b, 0x180f),
        (0x200b, 0x200f),
        (0x2028, 0x202e),
        (0x2060, 0x206f),
        (0x3164, 0x3164),
        (0xfe00, 0xfe0f),
        (0xfeff, 0xfeff),
        (0xffa0, 0xffa0),
        (0xfff0, 0xfffb),
        (0x110bd, 0x110bd),
        (0x110cd, 0x110cd),
        (0x13430, 0x1343f),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0xe0000, 0xe0fff),
    ];

    #[test]
    fn no_character_without_a_picture_reaches_a_terminal() {
        for c in INVISIBLE_RANGES
            .iter()
            .flat_map(|(first, last)| *first..=*last)
            .filter_map(char::from_u32)
        {
            for text in [
                format!("{c}"),
                format!("a{c}b"),
                format!("1{c}"),
                format!("می{c}خواهم"),
                format!("👩{c}"),
                format!("{c}👩"),
            ] {
                let shown = sanitize_line(&text);
                // The picture of an emoji may be asked for.
                let is_style = c == EMOJI_STYLE && text.starts_with('👩');
                assert!(
                    is_style || !shown.contains(c),
                    "{c:?} in {text:?}: {shown:?}"
                );
                assert_eq!(
                    count_hidden_chars(&text),
                    usize::from(!is_style),
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn what_joins_emoji_stays_between_two_of_them_only() {
        for (text, shown) in [
            ("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧"),
            (
                "🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("👩\u{200d}a", "👩a"),
            ("👩\u{200d}\u{200d}👧", "👩👧"),
            ("a\u{fe0f}b\u{200d}c 1\u{fe0f}", "abc 1"),
        ] {
            assert_eq!(sanitize_line(text), shown, "{text:?}");
        }
    }

    #[test]
    fn a_plain_character_is_one_cell_beside_any_other() {
        let plain: Vec<char> = ('\0'..='\u{ffff}').filter(|c| is_plain_char(*c)).collect();
        for c in &plain {
            assert_eq!(
                (displayed_char(*c), cluster_width(&c.to_string())),
                (Some(*c), 1),
                "{c:?}"
            );
        }
        let all: String = plain.iter().chain(plain.iter().rev()).collect();
        assert_eq!(all.graphemes(true).count(), 2 * plain.len());
    }

    #[test]
    fn clean_text_is_borrowed_unchanged() {
        for text in [
            "",
            "Harbor Yard Lofts",
            "Müller & Söhne",
            "東京タワー",
            "שלום",
            "🏗️",
        ] {
            assert!(
                matches!(sanitize_line(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn terminal_control_characters_become_visible_symbols() {
        for (hostile, shown) in [
            ("\u{1b}[2J", "␛[2J"),
            ("\u{9b}2J", "\u{fffd}2J"),
            ("a\rb", "a b"),
            ("a\nb", "a⏎b"),
            ("re\u{202e}detcej", "re\u{fffd}detcej"),
            ("zero\u{200b}width", "zerowidth"),
            ("\u{7}", "␇"),
        ] {
            assert_eq!(sanitize_line(hostile), shown);
        }
        assert_eq!(sanitize_block("a\nb"), "a\nb");
    }

    #[test]
    fn invisible_characters_are_removed_and_counted_except_in_emoji() {
        let tags: String = "evil"
            .chars()
            .filter_map(|c| char::from_u32(0xe0000 + u32::from(c)))
            .collect();
        for (hostile, shown, count) in [
            ("Harbor Yard\nLofts\t2", "Harbor Yard⏎Lofts 2", 0),
            ("👩\u{200d}🚒 🏗\u{fe0f}", "👩\u{200d}🚒 🏗\u{fe0f}", 0),
            ("zero\u{200b}width\u{feff}", "zerowidth", 2),
            ("soft\u{ad}ly fill\u{3164}ed", "softly filled", 2),
            (&format!("tag{tags}s"), "tags", 4),
            ("\u{1b}[2J", "␛[2J", 1),
        ] {
            assert_eq!(
                (sanitize_line(hostile).as_ref(), count_hidden_chars(hostile)),
                (shown, count),
                "{hostile:?}"
            );
        }
    }

    #[test]
    fn secrets_are_masked_by_how_they_begin() {
        for (text, shown) in [
            ("gj_AQcx", "gj_****"),
            ("Lee gat_01 gak_é, Park", "Lee gat_** gak_** Park"),
            ("gj_", "gj_"),
            ("navigat_01 x_gj_1", "navigat_01 x_gj_1"),
            ("Lee Park", "Lee Park"),
        ] {
            assert_eq!(mask_secrets(text, '*'), shown);
            assert_eq!(
                mask_secrets(text, '*').chars().count(),
                text.chars().count()
            );
        }
    }

    #[test]
    fn only_a_url_with_an_unambiguous_host_is_a_web_page() {
        for (page, host) in [
            ("https://permits.example.org/p/1?x=y", "permits.example.org"),
            ("http://127.0.0.1:8484/", "127.0.0.1:8484"),
            ("https://[::1]:8484", "[::1]:8484"),
            (
                "https://xn--bcher-kva.example/a%20b#c",
                "xn--bcher-kva.example",
            ),
            ("https://a.example?user@other", "a.example"),
            ("https://a.example/\u{fc}ber", "a.example"),
        ] {
            assert_eq!(web_page_host(page), Some(host), "{page}");
        }
        let schemes = [
            "file",
            "javascript",
            "data",
            "ftp",
            "ssh",
            "mailto",
            "vbscript",
            "about",
            "blob",
            "HTTPS",
            "httpss",
            "x-apple",
        ];
        let odd = schemes
            .iter()
            .flat_map(|scheme| [format!("{scheme}:x"), format!("{scheme}://a.example/")]);
        let wrong = [
            "",
            "a",
            "//a.example",
            "/etc/passwd",
            "--help",
            "-",
            "http:",
            "http:/a",
            "https://",
            "https:///a",
            "https://?a",
            "https://#",
            "https:// a.example",
            "https://a b",
            "https://a.example/ b",
            "https://a\n",
            "https://a.example/\u{1b}[2J",
            "\u{1b}https://a",
            "https://a.example/\u{202e}gpj",
            "https://a\u{200b}.example",
            "https://a.example/\u{200b}",
            " https://a.example",
            "https://user@a.example",
            "https://user:pass@a.example/",
            "https://a.example@b.example",
            "https://b\u{fc}cher.example",
            "https://\u{430}pple.example",
            "https://a\\b",
            "https://a%2eexample",
            "https://-oProxy",
            "https://a;b",
            "https://a'b",
            "https://a\"b",
            "https://$(a)",
            "https://a`b`",
            "https://a|b",
            "https://a\u{2024}example",
        ];
        for other in wrong.map(str::to_owned).into_iter().chain(odd) {
            assert_eq!(web_page_host(&other), None, "{other:?}");
        }
    }

    #[test]
    fn stacked_combining_marks_are_limited() {
        let zalgo = format!("a{}", "\u{301}".repeat(10_000));
        assert!(sanitize_line(&zalgo).len() < 64);
    }

    #[test]
    fn a_truncated_text_fits_and_ends_in_the_mark() {
        assert_eq!(truncate("Harbor Yard Lofts", 9, ".."), "Harbor..");
        assert_eq!(truncate("東京タワー", 5, ".."), "東..");
        assert_eq!(truncate("abc", 1, ".."), "a");
        assert_eq!(truncate("abc", 0, ".."), "");
    }

    #[test]
    fn text_wraps_at_spaces_and_breaks_words_that_are_too_long() {
        assert_eq!(
            wrap_text("call after the permit", 10),
            ["call after", "the permit"]
        );
        assert_eq!(wrap_text("aaaaaaaa b", 3), ["aaa", "aaa", "aa", "b"]);
        assert_eq!(wrap_text("a\n\nb", 3), ["a", "", "b"]);
    }

    proptest! {
        #[test]
        fn a_sanitized_line_has_no_control_or_bidi_characters_and_is_stable(text in any::<String>()) {
            let once = sanitize_line(&text).into_owned();
            let bad = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
            prop_assert!(!once.chars().any(bad));
            prop_assert_eq!(sanitize_line(&once).into_owned(), once.clone());
        }

        #[test]
        fn truncated_text_never_exceeds_its_cells(text in any::<String>(), cells in 0usize..40) {
            let text = sanitize_line(&text).into_owned();
            prop_assert!(display_width(&truncate(&text, cells, "..")) <= cells);
        }

        #[test]
        fn a_wrapped_line_never_exceeds_its_cells(text in any::<String>(), cells in 2usize..40) {
            prop_assert!(wrap_text(&sanitize_line(&text), cells).iter().all(|l| display_width(l) <= cells));
        }
    }
}
