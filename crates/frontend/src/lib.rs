//! The input languages.
