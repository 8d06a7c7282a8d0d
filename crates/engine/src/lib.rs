//! What every engine shares: the trait, the run it is given, and the events it tells.
//!
//! An engine is a value. It says what it is ([`Info`]), whether it takes a task, and runs on it
//! with a [`Run`]: terms, a solver backend, a budget, a seed and an observer. Engines never see
//! each other; what two of them need moves into this crate.

mod event;
mod houdini;
mod info;
mod options;
mod path;
mod question;
mod run;
mod shrink;
pub mod symmetry;
mod unroll;

pub use event::{
    Event, Interest, Observer, Picture, PictureEdge, PictureNode, Silent, SliceReason, Sliced,
    Statistics,
};
pub use houdini::{Guess, Settled, drop_falsified};
pub use info::{Accepts, Engine, EngineError, Info};
pub use options::{BadOption, OptionSpec, Settings};
pub use path::PathFormulas;
pub use question::{SafetyQuestion, safety_question};
pub use run::Run;
pub use shrink::{Proof, weakened};
pub use unroll::{Unroller, violating_states};
