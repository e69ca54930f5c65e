//! What the Views ask the user.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewsPrompt {
    /// The name of a new View.
    Name,
}
