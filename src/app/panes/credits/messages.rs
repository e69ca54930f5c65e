//! What the pane asks the service and the user, and what it is asked to do.

use crate::domain::budgets::BudgetKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditsRequest {
    Ledger,
    SaveBudgets,
}

/// What a choice of this pane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditsAction {
    /// Ask for the new value of a budget.
    EditBudget(BudgetKind),
    /// Save the value of a budget; `None` removes it.
    SetBudget(BudgetKind, Option<u64>),
}

/// What this pane's prompts ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreditsPrompt {
    /// The value of a budget.
    Budget(BudgetKind),
}
