//! What was typed before into the palette and the prompts, the latest last. It is kept as a preference.

use crate::app::Context;

/// Older texts are forgotten.
const MAX_TYPED_TEXTS: usize = 50;

impl Context {
    /// What was typed under this name in this session and earlier ones.
    pub(in crate::app) fn typed_history(&self, name: &str) -> Vec<String> {
        self.preference(&preference_name(name)).lines().map(str::to_owned).collect()
    }

    /// Adds a text to the history of this name, as the latest one.
    pub(in crate::app) fn remember_typed(&mut self, name: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let mut texts = self.typed_history(name);
        texts.retain(|known| known != text);
        texts.push(text.replace('\n', " "));
        let oldest = texts.len().saturating_sub(MAX_TYPED_TEXTS);
        self.save_preference(&preference_name(name), &texts[oldest..].join("\n"));
    }
}

fn preference_name(name: &str) -> String {
    format!("history.{name}")
}
