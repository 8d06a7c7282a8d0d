//! The kernel that replays refutations without search.
//!
//! A [`Refutation`] is a list of clauses, each with the reason why it holds, that ends with the
//! empty clause. [`replay`] checks every reason directly and never searches for one. The producer
//! of the refutation need not be trusted, and is not known here.
//!
//! What is trusted: this crate, exact numbers, and the term store with its normal forms.
//!
//! | rule | what is checked | file |
//! |---|---|---|
//! | all | numbers of atoms, variables, terms and steps are in range, sorts fit | `shape` |
//! | all | literals are equal or complementary by their meaning | `meaning` |
//! | input | the clause follows from one conjunct | `replay` |
//! | definition | the clause contains an axiom of the operator | `definition`, by theory |
//! | lemma | the rules of the theories | `rule` |
//! | trichotomy, Farkas, divisibility | a sum, exactly | `arithmetic` |
//! | distinct, exhaustive | the values of one variable | `enumeration` |
//! | element | the clause contains an axiom about elements of arrays | `array` |
//! | congruence | the clause contains the axiom about two applications | `function` |
//! | resolution | unit propagation: with the clause false, its steps from last to first leave one literal each, then none | `replay` |
//!
//! [`claims`] states every step as a query that any SMT solver can confirm. [`print()`] and
//! [`parse`] write and read refutations as text.

mod arithmetic;
mod array;
mod claims;
mod definition;
mod enumeration;
mod error;
mod function;
mod meaning;
mod refutation;
mod replay;
mod rule;
mod shape;
mod text;

pub use arithmetic::cases;
pub use array::array_axioms;
pub use claims::claims;
pub use error::{Fault, Place, ReplayError};
pub use function::congruence_axiom;
pub use refutation::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};
pub use replay::{Summary, replay};
pub use rule::{Arguments, Lemma, Rule};
pub use text::{SyntaxError, parse, print};
