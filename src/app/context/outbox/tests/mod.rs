//! Tests of many acts in a row.

mod held_keys;
mod interrupted;
mod random_acts;
mod random_kills;
