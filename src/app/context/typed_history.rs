//! What was typed before into the palette and the prompts, the latest last. It is kept as a
//! preference.

use crate::app::AppSettings;
use crate::app::context::Work;

/// Longer texts are not kept.
const MAX_KEPT_CHARS: usize = 400;

impl AppSettings {
    /// What was typed under this preference in this session and earlier ones.
    pub(in crate::app) fn typed_history(&self, preference: &str) -> Vec<String> {
        self.preference(preference)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Adds a text to the history of this preference, as the latest one, and forgets the oldest
    /// ones.
    pub(in crate::app) fn remember_typed(
        &mut self,
        preference: &str,
        text: &str,
        max_texts: usize,
        work: &mut Work,
    ) {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > MAX_KEPT_CHARS {
            return;
        }
        let mut texts = self.typed_history(preference);
        texts.retain(|known| known != text);
        texts.push(text.replace('\n', " "));
        let oldest = texts.len().saturating_sub(max_texts);
        self.save_preference(preference, &texts[oldest..].join("\n"), work);
    }
}
