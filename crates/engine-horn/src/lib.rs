//! Constrained Horn clauses, linear or not: predicate abstraction with tree interpolants.
//!
//! Abstract facts say of each predicate which abstraction predicates hold of its arguments. While
//! `false` follows from them, the tree of rules that derives it is a derivation, or interpolants
//! of the tree are new abstraction predicates. When it does not follow any more, the facts are a
//! meaning of the predicates that makes all clauses true.
//!
//! | idea | where |
//! |---|---|
//! | clauses as rules that know where they come from | `rule.rs` |
//! | predicates resolved away, and their meaning afterwards | `eliminate.rs` |
//! | what a rule derives from abstract facts | `image.rs` |
//! | abstract facts, subsumption | `search.rs` |
//! | predicates to begin with | `seeds.rs` |
//! | derivation trees: feasible, or with interpolants | `tree.rs` |
//! | the loop | `cegar.rs` |
//! | programs and systems as linear clauses | `graph.rs` |

mod cegar;
mod config;
mod eliminate;
mod graph;
mod image;
mod rule;
mod search;
mod seeds;
mod tree;

use config::Config;
use graph::GraphClauses;
use sectile_engine::{
    Accepts, ClauseEngine, Engine, EngineError, Info, Options, Run, accepts_blocks, decide_blocks,
};
use sectile_model::horn::{Derivation, Interpretation};
use sectile_model::{Certificate, ClauseEvidence, ClauseTask, HornClauses, Task, Unknown, Verdict};
use sectile_terms::{Substitution, Symbol, SymbolKind, Terms};
use sectile_transform::BlockSize;

/// Predicate abstraction of Horn clauses; a graph is a set of linear clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Horn;

impl Engine for Horn {
    fn info(&self) -> Info {
        Info {
            name: "horn",
            summary: "predicate abstraction of Horn clauses, recursion too: proves and refutes",
            papers: &[],
            accepts: Accepts::SAFETY,
            uses_predicates: false,
            options: Config::OPTIONS.to_vec(),
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        accepts_blocks(task)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        decide_blocks(task, BlockSize::default(), |graph, errors| {
            let clauses = GraphClauses::new(task.terms, graph, errors);
            let decision = decide(task.terms, &clauses.clauses, &clauses.queries, run)?;
            clauses.verdict(decision)
        })
    }

    fn clauses(&self) -> Option<&dyn ClauseEngine> {
        Some(self)
    }
}

impl ClauseEngine for Horn {
    fn run_clauses(
        &self,
        task: &ClauseTask<'_>,
        run: &mut Run<'_>,
    ) -> Result<Verdict, EngineError> {
        let certificate = |e: ClauseEvidence| Certificate::Clauses(Box::new(e));
        Ok(match decide(task.terms, task.clauses, task.queries, run)? {
            Decision::Satisfiable(meanings) => {
                Verdict::Holds(certificate(ClauseEvidence::Meanings(meanings)))
            }
            Decision::Derived(derivation) => {
                Verdict::Violated(certificate(ClauseEvidence::Derivation(derivation)))
            }
            Decision::Unknown(unknown) => Verdict::Unknown(unknown),
        })
    }
}

/// What is found out about clauses.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A meaning of the predicates makes all clauses true.
    Satisfiable(Interpretation),
    /// `false` follows.
    Derived(Derivation),
    /// It could not be found out.
    Unknown(Unknown),
}

/// Decides whether `false` follows from the clauses by one of the queries, which are clauses
/// without a head; other queries do not count.
pub fn decide(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    run: &mut Run<'_>,
) -> Result<Decision, EngineError> {
    let config = Config::read(run.settings)?;
    let (own, back) = with_own_parameters(terms, clauses);
    match cegar::decide(terms, &own, queries, &config, run) {
        Ok(Decision::Satisfiable(meanings)) => {
            let meanings = meanings.iter().zip(&back);
            let meanings = meanings.map(|(&t, back)| terms.simplify(terms.substitute(t, back)));
            Ok(Decision::Satisfiable(meanings.collect()))
        }
        Ok(decision) => Ok(decision),
        Err(stop) => {
            let reached = "no meaning of the predicates and no derivation of false was found";
            stop.unknown(reached).map(Decision::Unknown)
        }
    }
}

/// The same clauses with parameters that have stages, whatever those of the source are for; and
/// for each predicate, the way back.
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
