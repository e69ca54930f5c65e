//! A page of text that is read, copied and saved.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::command::keymap::Keymap;
use crate::app::notice::Notice;
use crate::domain::handoff::HandoffRequest;
use crate::text;
use crate::ui::popup::Popup;
use crate::ui::{TextRole, Theme, paint, scroll, text_span};

/// Cells of the border and the margins beside the text.
const SIDE_CELLS: u16 = 6;
const MAX_WIDTH: u16 = 104;
/// The width of a page of a few sentences.
const NARROW_WIDTH: u16 = 66;

#[derive(Clone, Debug)]
pub struct TextPage {
    pub title: &'static str,
    /// What is shown; none while it is read.
    pub shown: Option<String>,
    /// What is copied and saved.
    pub copied: String,
    /// The name of the file that it is saved to.
    pub file_name: String,
    /// The first visible line.
    pub top: usize,
    /// What it covers, if it is a handoff.
    pub handoff: Option<HandoffRequest>,
    /// In cells, with its frame.
    pub max_width: u16,
}

impl TextPage {
    /// A page whose text is being read.
    pub fn loading(title: &'static str) -> TextPage {
        TextPage {
            title,
            shown: None,
            copied: String::new(),
            file_name: String::new(),
            top: 0,
            handoff: None,
            max_width: MAX_WIDTH,
        }
    }

    /// A page of a few sentences, of which the first says most.
    pub fn of_sentences(title: &'static str, mut sentences: Vec<String>) -> TextPage {
        sentences.retain(|sentence| !sentence.is_empty());
        TextPage {
            shown: Some(sentences.join("\n  ")),
            copied: sentences.join("\n\n"),
            file_name: format!("{}.md", title.to_lowercase().replace(' ', "-")),
            max_width: NARROW_WIDTH,
            ..TextPage::loading(title)
        }
    }

    fn lines(&self, width: u16) -> Vec<String> {
        let shown = self.shown.as_deref().unwrap_or("Reading…");
        let wrap = |line: &str| match line.is_empty() {
            true => vec![String::new()],
            false => {
                let indent = &line[..line.len() - line.trim_start().len()];
                let room = usize::from(width).saturating_sub(2 * indent.len()).max(1);
                let pieces = text::wrap_text(line.trim_start(), room)
                    .into_iter()
                    .enumerate();
                pieces
                    .map(|(n, piece)| format!("{indent}{}{piece}", if n > 0 { indent } else { "" }))
                    .collect()
            }
        };
        text::sanitize_block(shown).lines().flat_map(wrap).collect()
    }

    fn width(&self, screen: Rect) -> u16 {
        self.max_width.min(screen.width)
    }

    /// Its frame around a text of so many lines.
    fn popup(&self, lines: usize, screen: Rect) -> Popup<'_> {
        Popup {
            min_height: 10,
            margin: 2,
            rows: lines,
            keys: vec![Vec::new()],
            ..Popup::new(self.title, self.width(screen))
        }
    }

    /// The lines of the text on a screen of this size.
    fn wrapped_lines(&self, screen: Rect) -> Vec<String> {
        self.lines(self.width(screen).saturating_sub(SIDE_CELLS))
    }

    /// Scrolls by lines on a screen of this size.
    pub fn scroll_by(&mut self, rows: isize, screen: Rect) {
        let lines = self.wrapped_lines(screen).len();
        let popup = self.popup(lines, screen);
        let last_top = lines.saturating_sub(popup.body_height(screen).into());
        self.top = self.top.saturating_add_signed(rows).min(last_top);
    }

    /// Draws it with its keys, or with what the last of them did, which it would cover.
    pub fn draw(
        &self,
        screen: Rect,
        keymap: &Keymap,
        notice: Option<&Notice>,
        buf: &mut Buffer,
        theme: &Theme,
    ) {
        let keys = match self.handoff {
            Some(HandoffRequest { with_team, .. }) => format!(
                "{{page.team}} {}   {{page.week}} day or week   {{page.copy}} copy   {{page.save}} save   {{dialog.close}} close",
                if with_team { "mine" } else { "team" }
            ),
            None => "{page.copy} copy   {page.save} save   {dialog.close} close".to_owned(),
        };
        let width = self.width(screen).saturating_sub(SIDE_CELLS);
        let keys = match notice.filter(|notice| !notice.is_read) {
            Some(notice) => {
                let text = [text_span(notice.role, notice.text.as_str())];
                paint::wrap_spans(&text, width.into())
            }
            None => vec![keymap.expand_keys_styled(TextRole::Muted, &keys)],
        };
        let lines = self.lines(width);
        let popup = Popup {
            keys,
            ..self.popup(lines.len(), screen)
        };
        let areas = popup.draw(screen, buf, theme);
        // A line that is not indented is a heading.
        let role = |line: &String| TextRole::strong_if(!line.starts_with(' '));
        let lines: Vec<_> = lines
            .iter()
            .map(|line| [text_span(role(line), line.as_str())])
            .collect();
        scroll::draw_scrolled_lines(buf, areas.frame, areas.body, &lines, self.top, theme);
    }
}
