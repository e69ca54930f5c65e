//! Profiles, secrets, paths and settings as one plain value.
