//! The toolkit shared by all engines: the trait, the run, and the events.
//!
//! An engine is a value. It describes itself ([`Info`]), says whether it takes a task, and runs on
//! it with a [`Run`]: terms, a solver backend, a budget, a seed and an observer. Engines never see
//! each other; code that two of them need moves into this crate.

mod abstraction;
mod blocks;
mod board;
mod discrete;
mod event;
mod groups;
mod houdini;
mod info;
pub mod inspect;
pub mod interpolation;
mod options;
mod path;
mod run;
pub mod shape;
mod shrink;
mod stop;
pub mod symmetry;
mod unroll;

pub use abstraction::{Abstraction, Arc, End, Node, NodeId, Removed, Status};
pub use blocks::BlockSize;
pub use board::Board;
pub use discrete::Discrete;
pub use event::{
    Event, Interest, Observer, Picture, PictureEdge, PictureNode, Silent, SliceReason, Sliced,
    Statistics, value_map,
};
pub use groups::connected;
pub use houdini::{Guess, InductiveSteps, Settled, drop_falsified, inductive_part, remembered};
pub use info::{Accepts, Engine, EngineError, Info};
pub use options::{AtMost, BadOption, OptionSpec, OptionValue, Options, Settings};
pub use path::{Examined, Infix, LabelledPath, PathFormulas, Refuted, read_trace, step_number};
pub use run::Run;
pub use shrink::{Proof, weakened};
pub use stop::{Stop, is_satisfiable};
pub use unroll::{SafetyQuestion, Unroller, safety_question, violating_states};
