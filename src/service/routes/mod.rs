//! The handlers, one file per family: each reads the request, queries the database and responds. Never here: SQL, or
//! authorization, which [`super::auth`] has done before.

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
