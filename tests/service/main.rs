//! The local service from outside, over HTTP: one module per family of routes, and its behavior
//! under attack, fault and restart.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot continue fails by panicking"
)]

#[path = "../support/balancer.rs"]
mod balancer;
#[path = "../support/fields.rs"]
mod fields;
#[path = "../support/openapi.rs"]
mod openapi;
#[path = "../support/postgres_proxy.rs"]
mod postgres_proxy;
#[path = "../support/service_with_file.rs"]
mod service_with_file;
#[path = "../support/shared_service.rs"]
mod shared_service;
#[path = "../support/smtp_server.rs"]
mod smtp_server;
#[path = "../support/spawned_service.rs"]
mod spawned_service;
#[path = "../support/test_service.rs"]
mod support;

mod abuse;
mod access;
mod as_of;
mod book;
mod book_accounts;
mod book_batches;
mod book_contacts;
mod book_gets;
mod book_projects;
mod book_search;
mod book_writes;
mod connections;
mod crash;
mod credits;
mod data;
mod description;
mod envelope;
mod error_responses;
mod every_route;
mod explore;
mod faults;
mod favorites;
mod file_backed;
mod filters;
mod filters_accounts;
mod filters_contacts;
mod filters_projects;
mod filters_relations;
mod filters_signals;
mod includes;
mod instances;
mod invitations;
mod join;
mod mail;
mod members;
mod migrate;
mod operations;
mod paging;
mod postgres;
mod postgres_import;
mod queue;
mod replacement;
mod resources;
mod restart;
mod search;
mod search_text;
mod shards;
mod signals;
mod silent_database;
mod skill_keys;
mod skill_list;
mod skills;
mod stress;
mod subscription_bulk;
mod subscriptions;
mod triage;
mod view_paging;
mod view_records;
mod view_search;
mod views;
mod vocabulary;
