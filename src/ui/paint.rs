//! Text into cells: the only way from a string to the buffer, through [`crate::text`].

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use super::theme::Glyphs;
use super::{TextRole, Theme, area};
use crate::text;

/// Wider than any terminal.
const MAX_WIDTH: u16 = 8_192;

/// A piece of text in one role.
#[derive(Clone, Debug)]
pub struct TextSpan<'a> {
    /// Unsanitized.
    pub text: Cow<'a, str>,
    pub role: TextRole,
}

pub fn text_span<'a>(role: TextRole, text: impl Into<Cow<'a, str>>) -> TextSpan<'a> {
    TextSpan {
        text: text.into(),
        role,
    }
}

impl Glyphs {
    /// The cursor of a list, or the space for it.
    pub fn cursor_span(&self, is_here: bool) -> TextSpan<'static> {
        text_span(TextRole::Focus, if is_here { self.cursor } else { " " })
    }
}

/// Draws a text at the start of a row of `area`, cut to its width; returns the cells used.
pub fn draw_text(buf: &mut Buffer, area: Rect, text: &str, style: Style, theme: &Theme) -> u16 {
    let area = area.intersection(buf.area);
    if area.is_empty() || text.is_empty() {
        return 0;
    }
    let clean = text::sanitize_line(text);
    let ellipsis = theme.glyphs().ellipsis;
    let (kept, mark) = text::cut_text(&clean, usize::from(area.width), ellipsis);
    if text::is_plain(kept) && !(theme.ascii && kept.contains(is_ornament)) {
        let start = buf.index_of(area.x, area.y);
        let chars = kept.chars().chain(mark.chars());
        let mut used = 0;
        for (cell, c) in buf.content[start..].iter_mut().zip(chars) {
            // A blank cell shows a space already.
            if c != ' ' || cell.symbol() != " " {
                cell.set_char(c);
            }
            cell.set_style(style);
            used += 1;
        }
        return used;
    }
    let mut x = area.x;
    for cluster in kept.graphemes(true).chain(mark.graphemes(true)) {
        let wide = u16::try_from(text::display_width(cluster)).unwrap_or(2);
        if wide == 0 {
            continue;
        }
        if x + wide > area.right() {
            break;
        }
        if theme.ascii && cluster.starts_with(is_ornament) {
            buf[(x, area.y)].set_symbol("?").set_style(style);
        } else {
            buf[(x, area.y)].set_symbol(cluster).set_style(style);
        }
        for covered in 1..wide {
            buf[(x + covered, area.y)].reset();
            buf[(x + covered, area.y)].set_symbol("").set_style(style);
        }
        x += wide;
    }
    x - area.x
}

/// Draws spans one after the other on the first row of `area`; returns the cells used.
pub fn draw_line(buf: &mut Buffer, area: Rect, pieces: &[TextSpan<'_>], theme: &Theme) -> u16 {
    let mut used = 0;
    for piece in pieces {
        used += draw_text(
            buf,
            area::area_after(area, used),
            &piece.text,
            theme.style(piece.role),
            theme,
        );
    }
    used
}

/// Draws lines of spans on the rows of `area`, as many as fit.
pub fn draw_lines<'a, L: AsRef<[TextSpan<'a>]>>(
    buf: &mut Buffer,
    area: Rect,
    lines: impl IntoIterator<Item = L>,
    theme: &Theme,
) {
    for (n, pieces) in (0..area.height).zip(lines) {
        draw_line(buf, row_rect(area, n), pieces.as_ref(), theme);
    }
}

/// The width of spans in cells, capped above any terminal's width so that sums do not overflow.
pub fn spans_width(pieces: &[TextSpan<'_>]) -> u16 {
    let cells: usize = pieces
        .iter()
        .map(|piece| text::display_width(&text::sanitize_line(&piece.text)))
        .sum();
    u16::try_from(cells).unwrap_or(MAX_WIDTH).min(MAX_WIDTH)
}

/// Draws spans so that they end at the right edge of `area`; returns the column where they begin.
pub fn draw_line_right(
    buf: &mut Buffer,
    area: Rect,
    pieces: &[TextSpan<'_>],
    theme: &Theme,
) -> u16 {
    let width = spans_width(pieces).min(area.width);
    let x = area.right().saturating_sub(width);
    draw_line(buf, Rect { x, width, ..area }, pieces, theme);
    x
}

/// Whether something is chosen among others.
pub fn check_box(is_checked: bool) -> TextSpan<'static> {
    if is_checked {
        text_span(TextRole::Marked, "[x] ")
    } else {
        text_span(TextRole::Faint, "[ ] ")
    }
}

/// Draws a line, cut where the spans at its right end begin.
pub fn draw_two_sided_line(
    buf: &mut Buffer,
    area: Rect,
    left: &[TextSpan<'_>],
    right: &[TextSpan<'_>],
    theme: &Theme,
) {
    let edge = draw_line_right(buf, area, right, theme);
    draw_line(buf, super::area::area_before(area, edge), left, theme);
}

/// Draws a message in an empty area: wrapped, centered, a third of the way down.
pub fn draw_centered_message(
    buf: &mut Buffer,
    area: Rect,
    lines: &[Vec<TextSpan<'_>>],
    theme: &Theme,
) {
    let wrapped: Vec<_> = lines
        .iter()
        .flat_map(|line| wrap_spans(line, usize::from(area.width.saturating_sub(4))))
        .collect();
    let top = area.y
        + (area.height / 3).min(
            area.height
                .saturating_sub(u16::try_from(wrapped.len()).unwrap_or(0)),
        );
    for (y, words) in (top..area.bottom()).zip(wrapped) {
        let width = spans_width(&words).min(area.width);
        let row = Rect {
            x: area.x + (area.width - width) / 2,
            y,
            width,
            height: 1,
        };
        draw_line(buf, row, &words, theme);
    }
}

/// Wraps spans into lines of at most `cells`, keeping each one's role.
pub fn wrap_spans(pieces: &[TextSpan<'_>], cells: usize) -> Vec<Vec<TextSpan<'static>>> {
    let clean: Vec<_> = pieces
        .iter()
        .map(|piece| (text::sanitize_block(&piece.text), piece.role))
        .collect();
    let whole: String = clean.iter().map(|(text, _)| text.as_ref()).collect();
    // Wrapping drops only blanks: the lines contain the characters of the spans, in order.
    let mut left = clean
        .iter()
        .flat_map(|(text, role)| text.chars().map(move |c| (c, *role)));
    text::wrap_text(&whole, cells)
        .iter()
        .map(|words| {
            let mut line: Vec<TextSpan<'static>> = Vec::new();
            for c in words.chars() {
                let Some((_, role)) = left.find(|(whose, _)| *whose == c) else {
                    break;
                };
                match line.last_mut().filter(|last| last.role == role) {
                    Some(last) => last.text.to_mut().push(c),
                    None => line.push(text_span(role, c.to_string())),
                }
            }
            line
        })
        .collect()
}

/// Row `index` of an area; empty when there is none.
pub fn row_rect(area: Rect, index: u16) -> Rect {
    if index >= area.height {
        return Rect { height: 0, ..area };
    }
    Rect {
        y: area.y + index,
        height: 1,
        ..area
    }
}

/// Control pictures and similar symbols that an ASCII terminal cannot show; letters of any script
/// stay.
fn is_ornament(c: char) -> bool {
    ('\u{2190}'..='\u{2bff}').contains(&c) || c == '\u{fffd}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw_to_string(text: &str, width: u16) -> String {
        let theme = Theme::default();
        let mut buf = Buffer::empty(Rect::new(0, 0, width, 1));
        draw_text(
            &mut buf,
            Rect::new(0, 0, width, 1),
            text,
            Style::new(),
            &theme,
        );
        buf.content().iter().map(|cell| cell.symbol()).collect()
    }

    #[test]
    fn text_is_truncated_at_the_edge_without_splitting_wide_characters() {
        assert_eq!(
            draw_to_string("Harbor Yard", 8),
            "Harbor…  ".trim_end().to_owned() + " "
        );
        assert_eq!(draw_to_string("東京タワー", 5), "東京…");
        assert_eq!(draw_to_string("東京", 3), "東…");
    }

    #[test]
    fn spans_keep_their_role_when_wrapped() {
        let words = [
            text_span(TextRole::Muted, "c counts  them, "),
            text_span(TextRole::Key, "f"),
            text_span(TextRole::Muted, " narrows them"),
        ];
        let lines: Vec<Vec<_>> = wrap_spans(&words, 16)
            .into_iter()
            .map(|line| {
                line.into_iter()
                    .map(|p| (p.text.into_owned(), p.role))
                    .collect()
            })
            .collect();
        let styled = |role, text: &str| (text.to_owned(), role);
        assert_eq!(
            lines,
            [
                vec![styled(TextRole::Muted, "c counts  them,")],
                vec![
                    styled(TextRole::Key, "f"),
                    styled(TextRole::Muted, " narrows them")
                ],
            ]
        );
    }

    #[test]
    fn control_characters_are_never_drawn() {
        assert!(
            !draw_to_string("\u{1b}]52;c;aGk=\u{7}", 20)
                .chars()
                .any(char::is_control)
        );
    }

    #[test]
    fn drawing_outside_the_buffer_does_nothing() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 2, 1));
        assert_eq!(
            draw_text(
                &mut buf,
                Rect::new(5, 5, 10, 1),
                "x",
                Style::new(),
                &Theme::default()
            ),
            0
        );
    }
}
