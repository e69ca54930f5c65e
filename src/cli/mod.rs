//! The verbs for scripts: arguments to client to stdout.
