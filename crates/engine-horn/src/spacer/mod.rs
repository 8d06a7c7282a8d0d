//! The Spacer procedure: lemmas and facts of predicates, derived from each other.
//!
//! Paper: [KomuravelliGurfinkelChaki14]. A lemma holds of everything that trees up to a height
//! derive, a fact is certainly derivable. An obligation is a set of arguments from which `false`
//! follows: either facts derive some of them, which gives a new fact, or lemmas exclude them, which
//! gives a new lemma, or one predicate in the body of a rule is the next obligation. Facts are
//! shared by all uses of a predicate, so trees may be exponentially larger than the work done.
//!
//! | idea | where |
//! |---|---|
//! | lemmas and facts | `summary.rs` |
//! | queries about one step | `steps.rs` |
//! | obligations, pushing of lemmas | `search.rs` |
//! | generalisation of lemmas | `learn.rs` |
//! | common patterns of lemmas | `guide.rs` |
//! | sums with diverging coefficients | `concretise.rs` |
//! | projection of rules | `project.rs` |
//! | from facts to a derivation | `derive.rs` |

mod concretise;
mod derive;
mod guide;
mod learn;
mod project;
mod search;
mod steps;
mod summary;

use crate::eliminate::{eliminate, give_meanings};
use crate::rule::{Rules, rules};
use crate::{Decision, verdict_by, with_own_parameters};
use search::{Found, Search};
use sectile_engine::{
    Accepts, BlockSize, Engine, EngineError, Event, Info, Options, Run, Stop, interpolation,
    options,
};
use sectile_model::{HornClauses, Task, Verdict};
use sectile_terms::Terms;

options! {
    /// The options of `spacer`.
    pub(crate) struct Config {
        /// how the interpolants for lemmas are computed
        method("lemma-interpolation"): interpolation::Method
            = interpolation::Method::Preferred("mcmillan".to_string()),
        /// where lemmas come from first: literals of the excluded states, interpolants, or
        /// alternating
        order("lemmas-from"): Order = Order::Literals,
        /// generalise from what several lemmas have in common, which keeps them from diverging
        guidance("guidance"): bool = true,
    }
}

/// The first source of lemmas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Literals,
    Interpolants,
    Alternating,
}

sectile_engine::choices!(Order {
    Literals = "literals",
    Interpolants = "interpolants",
    Alternating = "alternating",
});

/// Lemmas and facts of Horn clauses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spacer;

impl Engine for Spacer {
    fn info(&self) -> Info {
        Info {
            name: "spacer",
            summary: "lemmas and facts of Horn clauses, recursion too: proves and refutes",
            papers: &["KomuravelliGurfinkelChaki14", "HariChenShohamGurfinkel20"],
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

/// Decides whether `false` follows from the clauses by one of the queries.
fn decide(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    run: &mut Run<'_>,
) -> Result<Decision, EngineError> {
    let config = Config::read(run.settings)?;
    let (own, back) = with_own_parameters(terms, clauses);
    match search(terms, &own, queries, &config, run) {
        Ok(decision) => Ok(decision.told_back(terms, &back)),
        Err(stop) => {
            let reached = "no meaning of the predicates and no derivation of false was found";
            stop.unknown(reached).map(Decision::Unknown)
        }
    }
}

fn search(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Decision, Stop> {
    run.tell(Event::Phase { name: "rules" });
    let mut rules = rules(terms, clauses, queries);
    let gone = eliminate(terms, clauses, &mut rules, &run.budget);
    run.count("rules", rules.len() as u64);
    run.tell(Event::Phase { name: "search" });
    let rules = Rules {
        terms,
        clauses,
        list: &rules,
    };
    let interpolator = config.method.interpolator(terms, run.backend)?;
    let mut search = Search::new(rules, interpolator, config, run)?;
    match search.decide(run)? {
        Found::Derived(derivation) => Ok(Decision::Derived(derivation)),
        Found::Closed(mut meanings) => {
            let interpolator = search.interpolator.as_mut();
            give_meanings(
                terms,
                clauses,
                &gone,
                &mut meanings,
                interpolator,
                &run.budget,
            )?;
            Ok(Decision::Satisfiable(meanings))
        }
    }
}
