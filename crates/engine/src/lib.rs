//! What every engine shares: the trait, the run, the events.
