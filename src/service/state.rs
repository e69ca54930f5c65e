//! The state shared by all requests and background tasks.

use super::body::BodyBudget;
use super::clock::Clock;
use super::db::Database;

pub struct AppState {
    pub db: Database,
    pub clock: Clock,
    pub body_budget: BodyBudget,
}
