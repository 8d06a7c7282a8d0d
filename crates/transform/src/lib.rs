//! Passes that change a task and carry the way back.
