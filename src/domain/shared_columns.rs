//! The columns that the console and the command line have in common: what a field is called and
//! what its values are, once for both.

use super::column::{Column, column, text_column};
use super::field_kind::FieldKind;

pub const ID: Column = column("id", "ID", FieldKind::Id);
pub const NAME: Column = column("name", "NAME", FieldKind::Name);
pub const DESCRIPTION: Column = text_column("description", "DESCRIPTION");
pub const EMAIL: Column = text_column("email", "EMAIL");
pub const UPDATED_AT: Column = column("updated_at", "UPDATED", FieldKind::Date);

// What the team wrote.
pub const STATUS: Column = text_column("workspace_status", "STATUS");
pub const TAGS: Column = column("tags", "TAGS", FieldKind::List);

// Accounts, contacts and projects.
pub const ACCOUNT_TYPES: Column = column("account_types", "TYPES", FieldKind::List);
pub const TIER: Column = column("icp_tier", "TIER", FieldKind::Rank);
pub const SCORE: Column = column("atlas_score", "SCORE", FieldKind::Number);
pub const PROJECTS: Column = column("projects_count", "PROJECTS", FieldKind::Count);
pub const TITLE: Column = text_column("title", "TITLE");
pub const PHONE: Column = text_column("phone", "PHONE");
pub const CITY: Column = text_column("city", "CITY");
pub const STATE: Column = text_column("state", "STATE");
pub const STAGE: Column = column("stage", "STAGE", FieldKind::Word);
pub const PRIMARY_USE: Column = column("primary_use", "USE", FieldKind::Word);
pub const STORIES: Column = column("stories", "STORIES", FieldKind::Number);
pub const COST: Column = column("cost_of_construction_usd", "COST", FieldKind::Money);
pub const LAST_SIGNAL_AT: Column = column("last_signal_at", "LAST SIGNAL", FieldKind::Date);

// Signals, and subscriptions to them.
pub const SIGNAL_TYPE: Column = column("signal_type", "TYPE", FieldKind::Word);
pub const PRIORITY: Column = column("priority", "PRIORITY", FieldKind::Rank);
pub const FILED_AT: Column = column("filed_at", "FILED", FieldKind::Date);
pub const REPORTED_COST: Column = column("reported_cost_usd", "COST", FieldKind::Money);
pub const PROJECT: Column = column("project_name", "PROJECT", FieldKind::Name);
pub const PROJECT_ADDRESS: Column = text_column("project_primary_address", "ADDRESS");

// Views, Skills, members and invitations.
pub const VIEW_TYPE: Column = text_column("type", "TYPE");
pub const SKILL_SOURCE: Column = column("source", "SOURCE", FieldKind::Word);
pub const ROLE: Column = column("role", "ROLE", FieldKind::Rank);
pub const INVITATION_STATUS: Column = text_column("status", "STATUS");

// The ledger.
pub const CREDITS: Column = column("credits", "CR", FieldKind::Count);
pub const ROWS: Column = column("rows", "ROWS", FieldKind::Count);
pub const ROUTE: Column = text_column("route", "ROUTE");
pub const REASON: Column = text_column("reason", "WHY");
