//! Slicing abstraction with path formulas and large blocks.
//!
//! The abstraction is the graph of the program's blocks, each node labelled with a formula. While
//! it has a path to an error, that path is a run of the program, or a part of it is infeasible:
//! then the nodes on that part are split by interpolants, and edges and nodes that are on no
//! feasible path any more are sliced away. When no path to an error is left, the nodes that were
//! sliced because nothing bad can come after them are an inductive invariant.
//!
//! Papers: [ErHoPoSc11]; slicing abstraction is from [BrDrFiWe07].
//!
//! | idea | where | paper |
//! |---|---|---|
//! | labelled graph, split, slice | `abstraction.rs` | [ErHoPoSc11, Sect. 5] |
//! | error paths, path formulas, infeasible infixes | `path.rs` | [ErHoPoSc11, Def. 1] |
//! | sequences of interpolants, splitting by them | `refine.rs` | [ErHoPoSc11, Def. 3, Alg. 1] |
//! | invariants from what was sliced | `proof.rs` | |
//! | loops with exit bounds unrolled first | `elim.rs`, `sectile-transform` | |
//! | blocks | `sectile-transform` | [ErHoPoSc11, Sect. 4] |

mod abstraction;
mod config;
mod elim;
mod path;
mod proof;
mod refine;
mod sources;

pub use elim::Elim;

use abstraction::Abstraction;
use config::{Config, OPTIONS};
use path::{Examined, Path};
use refine::Refiner;
use sectile_domains::facts::{location_facts, polyhedral_facts};
use sectile_engine::{
    Accepts, BadOption, Engine, EngineError, Event, Info, Interest, PathFormulas, Run, Settings,
    weakened,
};
use sectile_model::{Certificate, Model, ReasonCode, Task, Unknown, Verdict};
use sectile_solver::Undecided;
use sectile_terms::{Term, Terms};
use sectile_transform::{ErrorGraph, Pass};

/// Slicing abstraction with path formulas.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kojak;

impl Engine for Kojak {
    fn info(&self) -> Info {
        Info {
            name: "kojak",
            summary: "slicing abstraction with path formulas and large blocks: proves and refutes",
            papers: &["ErHoPoSc11", "BrDrFiWe07"],
            accepts: Accepts::GRAPHS,
            uses_predicates: false,
            options: OPTIONS,
        }
    }

    fn check_options(&self, settings: &Settings) -> Result<(), BadOption> {
        Config::read(settings).map(|_| ())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        ErrorGraph::fits(task.terms, task.model, task.property)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings).map_err(|e| EngineError::Bug(e.to_string()))?;
        run.tell(Event::Phase { name: "blocks" });
        let pass = ErrorGraph {
            size: config.blocks,
        };
        let applied = pass.apply(task.terms, task.model, task.property);
        let applied = applied.map_err(|why| EngineError::Bug(why.to_string()))?;
        let blocks = applied.error_graph();
        let (graph, errors) = blocks.map_err(|why| EngineError::Bug(why.to_string()))?;
        let verdict = check(task.terms, graph, &errors, &config, run)?;
        Ok(applied.verdict(task.terms, verdict))
    }
}

/// Decides whether an error is reached in a graph of blocks.
///
/// Paper: [ErHoPoSc11, Alg. 1].
fn check(
    terms: &Terms,
    graph: &Model,
    errors: &[usize],
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let formulas = PathFormulas::new(terms, graph);
    let mut facts = if config.facts {
        run.tell(Event::Phase { name: "facts" });
        location_facts(&formulas, run)?
    } else {
        vec![terms.tt(); graph.locations.len()]
    };
    let mut patience = config.restart;
    for turn in 0.. {
        let attempt = attempt(&formulas, errors, &facts, config, turn, patience, run)?;
        if let Some(verdict) = attempt {
            return Ok(verdict);
        }
        // What is not easy deserves a closer look at its loops.
        if config.facts && turn == 0 {
            run.tell(Event::Phase { name: "polyhedra" });
            facts = polyhedral_facts(&formulas, &facts, run)?;
        }
        // Every source gets the same patience before any gets more.
        if (turn + 1) % config.sources.len().max(1) == 0 {
            patience = patience.saturating_mul(2);
        }
    }
    Err(EngineError::Bug("numbers have an end".to_string()))
}

/// The refinement loop; no verdict if there is none after so many refinements.
///
/// Which interpolants a solver finds is a matter of luck: after a while it is better to begin
/// anew with those of another source.
fn attempt(
    formulas: &PathFormulas<'_>,
    errors: &[usize],
    facts: &[Term],
    config: &Config,
    turn: usize,
    patience: u64,
    run: &mut Run<'_>,
) -> Result<Option<Verdict>, EngineError> {
    let mut abstraction = Abstraction::new(formulas, errors, facts);
    let locations = formulas.graph().locations.len();
    let mut refiner = Refiner::new(formulas.terms(), config, turn, locations, run.backend)?;
    run.tell(Event::Phase { name: "refinement" });
    abstraction.check_edges(0, run)?;
    abstraction.prune(run);
    for step in 0..patience {
        report(&abstraction, &refiner, step, run);
        let Some(path) = path::find(&abstraction) else {
            let list = proof::invariants(&abstraction, facts);
            let list = weakened(formulas, errors, list, run)?;
            let certificate = Certificate::invariants(list);
            return Ok(Some(Verdict::Holds(certificate)));
        };
        tell_path(&abstraction, &path, run);
        let undecided = match path.examine(&abstraction, config.refuted, run)? {
            Examined::Feasible(trace) => {
                let steps = trace.steps.len();
                run.tell(Event::PathConcretized { steps });
                return Ok(Some(Verdict::Violated(Certificate::Trace(trace))));
            }
            // The entry is an error, but no state is initial.
            Examined::Infeasible(_) if path.edges.is_empty() => {
                let list = vec![formulas.terms().ff(); locations];
                let certificate = Certificate::invariants(list);
                return Ok(Some(Verdict::Holds(certificate)));
            }
            Examined::Unknown(why) => Some(why),
            Examined::Infeasible(infix) => {
                refiner.refine(&mut abstraction, &path, infix, run)?.err()
            }
        };
        if let Some(why) = undecided {
            return Ok(Some(unknown(why, step)));
        }
        if let Err(limit) = run.budget.check() {
            return Ok(Some(unknown(Undecided::Exhausted(limit), step)));
        }
        abstraction.prune(run);
        if config.audit && is_left(&abstraction, &path) {
            let text = "a refuted path is still part of the abstraction";
            return Err(EngineError::Bug(text.to_string()));
        }
    }
    run.count("restarts", turn as u64 + 1);
    Ok(None)
}

/// Whether the blocks of a path can still be followed through what its nodes have become.
///
/// Paper: [ErHoPoSc11, Thm. 3]: they cannot.
fn is_left(abstraction: &Abstraction<'_>, path: &Path) -> bool {
    let mut here = abstraction.descendants(path.nodes[0]);
    for (k, &e) in path.edges.iter().enumerate() {
        let block = abstraction.edges[e].block;
        let allowed = abstraction.descendants(path.nodes[k + 1]);
        let mut next: Vec<usize> = Vec::new();
        for node in here {
            let steps = abstraction.edges_from(node).map(|e| &abstraction.edges[e]);
            next.extend(steps.filter(|e| e.block == block).map(|e| e.to));
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|n| allowed.contains(n));
        here = next;
    }
    !here.is_empty()
}

fn report(abstraction: &Abstraction<'_>, refiner: &Refiner<'_>, step: u64, run: &mut Run<'_>) {
    let (nodes, edges) = abstraction.size();
    run.tell(Event::Abstraction {
        step,
        nodes,
        edges,
        predicates: refiner.predicates(),
    });
    run.count("iterations", step);
    run.count("splits", refiner.splits);
    run.count("predicates", refiner.predicates() as u64);
    run.count("edge_checks", abstraction.edge_checks);
}

fn tell_path(abstraction: &Abstraction<'_>, path: &Path, run: &mut Run<'_>) {
    if run.wants(Interest::Steps) {
        let graph = abstraction.formulas.graph();
        let name = |&e: &usize| graph.edges[abstraction.edges[e].block].command.name.clone();
        run.tell(Event::PathFound {
            nodes: path.nodes.clone(),
            relations: path.edges.iter().map(name).collect(),
        });
    }
}

fn unknown(why: Undecided, step: u64) -> Verdict {
    let reached = format!("{step} paths to an error were refuted");
    let (code, reached) = match why {
        Undecided::Exhausted(limit) => (ReasonCode::Exhausted(limit), reached),
        Undecided::Incomplete(text) => (ReasonCode::Incomplete, format!("{reached}; {text}")),
    };
    Verdict::Unknown(Unknown::new(code, reached))
}
