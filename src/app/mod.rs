//! The console as a pure machine: messages in, state, effects out, drawing.

pub mod effect;
pub mod msg;
