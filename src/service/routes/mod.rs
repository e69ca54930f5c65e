//! The handlers, one file a family: each reads what the request says, asks the database and answers. Never here: SQL, or a
//! decision about who may ask, which [`super::gate`] has taken before.

pub mod accounts;
mod batch;
mod book;
pub mod contacts;
pub mod credits;
pub mod data;
pub mod data_search;
pub mod favorites;
pub mod fields;
pub mod filters;
pub mod invitations;
pub mod members;
pub mod openapi;
pub mod projects;
pub mod queue;
pub mod signals;
pub mod skills;
pub mod subscriptions;
pub mod view_records;
pub mod views;
pub mod workspace;
