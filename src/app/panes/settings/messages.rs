//! What the pane asks the user for.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsPrompt {
    /// The new value of the setting that is being changed.
    Value,
}
