//! The kernel that replays refutations without search.
