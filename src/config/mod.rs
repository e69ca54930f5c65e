//! Profiles, secrets, paths and settings as one plain value.
//!
//! What the person said on the command line beats the environment, which beats the profile, which beats the default.
//!
//! Never here: a request, a terminal, another layer.

pub mod duration;
