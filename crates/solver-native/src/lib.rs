//! The embedded SMT solver for linear arithmetic.
//!
//! A CDCL(T) solver for quantifier-free linear arithmetic over reals and integers, Booleans,
//! enumerations and arrays: incremental, deterministic, and able to write down why its answers
//! hold. A SAT core (`sat`) decides and learns; a general simplex (`simplex`) with integer
//! reasoning (`lia`) checks conjunctions of bounds; `context` translates terms, and checks models
//! against the axioms of arrays. No clock and no random source is read except through the budget.
//!
//! Papers: [DutertreMoura06] simplex for DPLL(T); [DilligDilligAiken09] cuts from proofs;
//! [PlaistedGreenbaum86] one-sided definitions; [EenSorensson03], [AudemardSimon09] the SAT core.
//!
//! | what | where |
//! |---|---|
//! | the `Solver` trait, translation of terms | [`NativeSolver`] |
//! | the proof log and its design | `proof_log` |
//! | refutations for kernels and interpolators | [`refutation`] |
//! | refutations replayed by the kernel, for certificates | [`ReplayedSolver`] |
//! | projection, quantifier elimination | [`project`] |
//! | sequence interpolants | [`interpolate`] |
//! | theories: arithmetic, enumerations, arrays | `theory` |
//! | the SAT core, generic over a theory | `sat` |
//!
//! ```
//! use sectile_base::Budget;
//! use sectile_solver::Solver;
//! use sectile_solver_native::NativeSolver;
//! use sectile_terms::{Sort, SymbolKind, Terms};
//!
//! let terms = Terms::new();
//! let mut var = |name| {
//!     let symbol = terms.declare(name, Sort::Int, SymbolKind::State);
//!     terms.var(symbol.expect("names are new"))
//! };
//! let (x, y, a) = (var("x"), var("y"), var("a"));
//! let twice = |t| terms.add(t, t);
//! let mut solver = NativeSolver::new(&terms);
//! // a is even, and a is odd: decided although nothing is bounded.
//! solver.assert(terms.eq(twice(x), a)).expect("linear");
//! solver.assert(terms.eq(terms.add(twice(y), terms.int(1)), a)).expect("linear");
//! let answer = solver.check(&[], &Budget::unlimited()).expect("linear");
//! assert!(answer.is_unsat());
//! ```

mod backend;
mod context;
pub mod interpolate;
mod lia;
mod meter;
pub mod project;
mod proof_log;
mod purify;
pub mod refutation;
mod replayed;
mod sat;
mod simplex;
mod theory;

pub use backend::{NativeBackend, TunedBackend};
pub use context::{NativeSolver, Options, Statistics};
pub use replayed::ReplayedSolver;
