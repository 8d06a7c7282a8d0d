//! Sectile as a library: read a model, check it, inspect the evidence.
//!
//! A [`Model`] is read from a text in one of the [languages](Language) of the command line, or built
//! in Rust with a [`System`]. A [`Check`] runs engines on its properties, within limits; it can be
//! [cancelled](Cancel) and observed ([`Event`]). Its [`Outcome`] has a [`Verdict`] for every property,
//! and evidence: a [`Trace`] of a violation, the [invariants](Invariants) of a proof, and a
//! [`Certificate`], a text that [`certify`] checks without trusting its producer. No verdict leaves
//! the library before its certificate has passed that check.
//!
//! ```
//! use sectile::{Check, Language, Model, Verdict, certify};
//! use std::time::Duration;
//!
//! let model = Model::read(
//!     Language::Sct,
//!     "var x : int = 0
//!      up:   x < 10 --> x := x + 1
//!      down: x > 0  --> x := x - 1
//!      invariant small: x <= 10
//!      invariant even:  x != 3",
//! )?;
//! let outcome = Check::new(&model)
//!     .timeout(Duration::from_secs(10))
//!     .run()?;
//! assert_eq!(outcome.verdict_of("small"), Verdict::Holds);
//! assert_eq!(outcome.verdict_of("even"), Verdict::Violated);
//!
//! let trace = outcome.trace().expect("a violated invariant has a run");
//! assert_eq!(trace.states().len(), 4);
//! assert_eq!(trace.states()[3].value("x"), Some("3"));
//!
//! let evidence = outcome.certificate().expect("something is decided");
//! let certification = certify(&model, evidence)?;
//! assert!(certification.is_accepted());
//! # Ok::<(), sectile::Error>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | models from texts and files | [`Model`], [`Reader`], [`Language`] |
//! | models built in Rust | [`System`], [`Expr`], [`Type`], [`Step`] |
//! | checking | [`Check`], [`Cancel`], [`Event`], [`Detail`] |
//! | results | [`Outcome`], [`PropertyOutcome`], [`Verdict`], [`Trace`], [`Invariants`], [`Warning`] |
//! | evidence for others | [`Certificate`], [`Certify`], [`Certification`], [`Judgement`] |
//!
//! # What is stable
//!
//! What is documented here changes only with the version, by the rules of Cargo; enumerations that
//! may grow are `non_exhaustive`. The same is true of the text formats: certificates
//! (`docs/format/certificate.md`), results and events as JSON (`schemas/`). The crates `sectile-*`
//! that this one uses are internal and may change with every version.
//!
//! # Features
//!
//! `cli`, on by default, is for the program `sectile`. Programs that use the library can disable
//! it: `sectile = { version = "0.1", default-features = false }`.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod library;

/// The examples of the manual are run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Manual;

pub use library::build::{Step, System, Type};
pub use library::certify::{Certification, Certify, Differing, Judged, Judgement, certify};
pub use library::check::{Cancel, Check};
pub use library::error::Error;
pub use library::event::{Detail, Event, What};
pub use library::expr::Expr;
pub use library::model::{Language, Model, Reader};
pub use library::outcome::{Certificate, Invariants, Outcome, PropertyOutcome, Verdict, Warning};
pub use library::trace::{State, Trace};
