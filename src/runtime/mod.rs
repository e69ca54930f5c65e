//! The imperative shell: terminal, event loop, executor of effects, polling task.
