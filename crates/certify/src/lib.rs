//! The independent checker of certificates.
