//! Constrained Horn clauses, linear or not: predicate abstraction with tree interpolants.
//!
//! Abstract facts record which abstraction predicates hold for the arguments of each predicate. As
//! long as `false` follows from them, the tree of rules that derives it is either a real
//! derivation, or its interpolants yield new abstraction predicates. When `false` no longer
//! follows, the facts are meanings of the predicates that make all clauses true.
//!
//! | idea | where |
//! |---|---|
//! | clauses as rules with their origins | `rule.rs` |
//! | elimination of predicates, and their meanings | `eliminate.rs` |
//! | abstract images of rules | `image.rs` |
//! | abstract facts, subsumption | `search.rs` |
//! | derivation trees: feasible, or with interpolants | `tree.rs` |
//! | the loop, initial predicates | `cegar.rs` |
//! | a second engine, `trees`: all trees up to a height at once | `unfolding.rs` |
//! | a third one, `spacer`: lemmas and facts derived from each other | `spacer` |

mod cegar;
mod config;
mod eliminate;
mod image;
mod picture;
mod rule;
mod search;
mod spacer;
mod tree;
mod unfolding;

pub use spacer::Spacer;
pub use unfolding::Trees;

use config::Config;
use sectile_engine::{Accepts, BlockSize, Engine, EngineError, Info, Options, Run};
use sectile_model::horn::{Derivation, Interpretation};
use sectile_model::{
    Certificate, ClauseView, HornClauses, LocationId, Model, Task, Unknown, Verdict,
};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};

/// Predicate abstraction of Horn clauses; a graph is a set of linear clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Horn;

impl Engine for Horn {
    fn info(&self) -> Info {
        Info {
            name: "horn",
            summary: "predicate abstraction of Horn clauses, recursion too: proves and refutes",
            papers: &[],
            accepts: Accepts {
                premises: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            blocks: Some(BlockSize::Loops),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        verdict_by(task, run, decide)
    }
}

/// The procedure of an engine that decides clauses.
type Decide = fn(&Terms, &HornClauses, &[usize], &mut Run<'_>) -> Result<Decision, EngineError>;

/// The verdict about a task, treated as clauses.
fn verdict_by(task: &Task<'_>, run: &mut Run<'_>, decide: Decide) -> Result<Verdict, EngineError> {
    let errors = task.errors().map_err(EngineError::bug)?;
    let errors: Vec<LocationId> = errors.into_iter().map(LocationId).collect();
    decide_model(task.terms, task.model, &errors, run, decide)
}

/// Decides whether one of the locations is reachable; the evidence is about the model.
fn decide_model(
    terms: &Terms,
    model: &Model,
    errors: &[LocationId],
    run: &mut Run<'_>,
    decide: Decide,
) -> Result<Verdict, EngineError> {
    let view = ClauseView::new(terms, model, errors);
    Ok(match decide(terms, &view.clauses, &view.queries, run)? {
        Decision::Satisfiable(meanings) => {
            let meanings: Vec<Option<Term>> = meanings.into_iter().map(Some).collect();
            Verdict::Holds(view.invariants(terms, &meanings))
        }
        Decision::Derived(derivation) => {
            let trace = view.trace(terms, &derivation.shared(terms, &view.clauses));
            let lost =
                || EngineError::Bug("a derivation could not be translated to a run".to_string());
            Verdict::Violated(Certificate::Trace(trace.ok_or_else(lost)?))
        }
        Decision::Unknown(unknown) => Verdict::Unknown(unknown),
    })
}

/// The result for clauses.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A meaning of the predicates makes all clauses true.
    Satisfiable(Interpretation),
    /// `false` follows.
    Derived(Derivation),
    /// Undecided.
    Unknown(Unknown),
}

impl Decision {
    /// Translates the meanings back to the parameters of the original clauses.
    fn told_back(self, terms: &Terms, back: &[Substitution]) -> Decision {
        let Decision::Satisfiable(meanings) = self else {
            return self;
        };
        let meanings = meanings.iter().zip(back);
        let meanings = meanings.map(|(&t, back)| terms.simplify(terms.substitute(t, back)));
        Decision::Satisfiable(meanings.collect())
    }
}

/// Decides whether `false` follows from the clauses by one of the given queries (clauses without a
/// head). Other queries are ignored.
pub fn decide(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    run: &mut Run<'_>,
) -> Result<Decision, EngineError> {
    let config = Config::read(run.settings)?;
    let (own, back) = with_own_parameters(terms, clauses);
    match cegar::decide(terms, &own, queries, &config, run) {
        Ok(decision) => Ok(decision.told_back(terms, &back)),
        Err(stop) => {
            let reached = "no meaning of the predicates and no derivation of false was found";
            stop.unknown(reached).map(Decision::Unknown)
        }
    }
}

/// The same clauses with new parameters that have stages, and for each predicate the substitution
/// back.
fn with_own_parameters(terms: &Terms, clauses: &HornClauses) -> (HornClauses, Vec<Substitution>) {
    let mut own = clauses.clone();
    let mut back = Vec::new();
    for predicate in &mut own.predicates {
        let fresh = |&p: &Symbol| terms.fresh("p", terms.symbol_sort(p), SymbolKind::State);
        let renamed: Vec<Symbol> = predicate.parameters.iter().map(fresh).collect();
        let pairs = renamed.iter().zip(&predicate.parameters);
        back.push(pairs.map(|(&n, &o)| (terms.var(n), terms.var(o))).collect());
        predicate.parameters = renamed;
    }
    (own, back)
}
