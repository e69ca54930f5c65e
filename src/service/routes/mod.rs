//! The handlers, one file per family: each reads the request, queries the database and responds.
//! Never here: SQL, or authorization, which [`super::auth`] has done before.

mod batch;
pub(crate) mod book;
pub(crate) mod credits;
pub(crate) mod data;
pub(crate) mod data_search;
pub(crate) mod favorites;
pub(crate) mod fields;
pub(crate) mod filters;
pub(crate) mod invitations;
pub(crate) mod join;
pub(crate) mod members;
pub(crate) mod openapi;
pub(crate) mod queue;
pub(crate) mod signals;
pub(crate) mod skills;
pub(crate) mod subscriptions;
pub(crate) mod view_records;
pub(crate) mod views;
pub(crate) mod walls;
pub(crate) mod workspace;
