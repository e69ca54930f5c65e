//! Hands web pages to the browser and texts to the terminal's clipboard.

use crate::app::context::Context;
use crate::app::effect::Effect;
use crate::app::format::pluralize;
use crate::app::notice::Notice;
use crate::text;

impl Context {
    pub(in crate::app) fn open_web_page(&mut self, url: String) {
        let host = text::web_page_host(&url).unwrap_or_default();
        self.notice = Some(Notice::info(format!("Opening a page of {host} in the browser: {url}")));
        self.effects.push(Effect::OpenUrl(url));
    }

    /// No browser opened: the URL goes to the clipboard instead.
    pub(in crate::app) fn on_browser_failed(&mut self, url: String, why: &str) {
        let text = format!("No browser opened ({why}). The URL was sent to the terminal's clipboard: {url}");
        self.notice = Some(Notice::warning(text));
        self.effects.push(Effect::CopyToClipboard(url));
    }

    pub(in crate::app) fn copy_to_clipboard(&mut self, what: &str, text: Option<String>) {
        match text {
            Some(text) => {
                // A control character from outside would be typed where this is pasted, and a line end would run it. JSON escapes
                // its own, and a page needs its own.
                let safe =
                    if matches!(what, "JSON" | "Markdown") { text::sanitize_block(&text) } else { text::sanitize_line(&text) };
                let shown = safe.lines().next().unwrap_or_default();
                self.notice = Some(match text::count_hidden_chars(&text) {
                    0 => Notice::info(format!("{what} sent to the terminal's clipboard: {shown}")),
                    n => Notice::warning(format!(
                        "{what} sent to the terminal's clipboard without {}: {shown}",
                        pluralize(n, "invisible character")
                    )),
                });
                self.effects.push(Effect::CopyToClipboard(safe.into_owned()));
            }
            None => self.notice = Some(Notice::warning(format!("no {what} here"))),
        }
    }
}
