//! The nouns of the interface as plain data.
//!
//! What a signal, a project, a page or a failure *is*, in the interface's terms, and the small pure
//! rules that apply to them everywhere (an order, an age, a description). One file per noun; the
//! same file name in every other layer contains what that layer does with it.
//!
//! Never here: I/O, a clock, a URL, a color. Enums preserve unknown values, a missing field is
//! unknown and not zero, and a text is kept as received: it is made safe only where it leaves the
//! program ([`crate::text`]).

pub mod named_searches;
pub mod number_format;
mod open_enum;

pub(crate) mod accounts;
pub(crate) mod aliased_fields;
pub mod annotate;
mod base64;
pub mod batch;
pub mod book;
pub(crate) mod budgets;
pub(crate) mod cache;
pub mod call_opening;
pub mod call_outcomes;
pub mod certificate;
pub mod cities;
pub mod clock_skew;
pub mod column;
pub mod conditions;
pub(crate) mod contacts;
pub mod credits;
pub mod description;
pub mod display_format;
pub(crate) mod drafts;
pub mod email_address;
pub mod exit_status;
pub mod export;
pub mod feed;
pub mod field_kind;
pub mod fuzzy;
pub mod handoff;
pub mod health;
pub mod high_arrivals;
pub(crate) mod ids;
pub mod join_code;
pub mod journal;
pub mod journal_lines;
pub mod json_field;
pub(crate) mod lenient;
pub mod list_import;
pub mod members;
pub(crate) mod merge;
pub mod pages;
pub mod participants;
pub mod past_time;
pub mod patch;
pub mod period;
pub mod person;
pub mod program_template;
pub(crate) mod projects;
pub mod promises;
pub mod queue;
pub mod queue_tabs;
pub mod quiet_hours;
pub mod quoting;
pub mod record_history;
pub mod records;
pub mod refusals;
pub mod request_error;
pub mod row_columns;
pub mod row_matcher;
pub mod rules;
pub mod runs;
pub mod search;
pub mod sentence;
pub mod settings;
pub mod shared_columns;
pub mod signals;
pub mod skills;
pub mod snooze;
pub mod subscriptions;
pub mod text_query;
pub mod views;
pub mod vocabulary;
pub mod workspace;
pub(crate) mod writes;

pub use ids::{
    AccountId, ContactId, InvitationId, ProjectId, SignalId, SkillId, SubscriptionId, UserId,
    ViewId, WorkspaceId,
};
