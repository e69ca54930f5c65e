//! Data that several panes or subsystems read.

pub(crate) mod column_choice;
pub(crate) mod completion;
pub mod coverage;
pub(crate) mod description_reads;
pub(crate) mod find;
pub(crate) mod frequency;
pub(crate) mod known_records;
pub(crate) mod line_order;
pub(crate) mod list_field;
pub(crate) mod list_table;
pub(crate) mod load_state;
pub(crate) mod promises;
pub(crate) mod queue;
pub(crate) mod record_list;
pub(crate) mod record_lists;
pub(crate) mod records;
pub(crate) mod signal_dates;
pub(crate) mod signal_facts;
pub(crate) mod signal_list;
pub(crate) mod subscriptions;
pub(crate) mod trail;
pub(crate) mod type_ahead;
pub(crate) mod views;
