//! Tests of many acts in a row.

mod held_keys;
mod random_acts;
