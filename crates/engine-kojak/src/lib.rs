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
//! | error paths, path formulas | `abstraction.rs` | [ErHoPoSc11, Def. 1] |
//! | sequences of interpolants, splitting by them | `refine.rs` | [ErHoPoSc11, Def. 3, Alg. 1] |
//! | invariants from what was sliced | `abstraction.rs` | |
//! | loops with exit bounds unrolled first | `elim.rs`, `sectile-transform` | |
//! | lazy abstraction, which the paper compares with | `impact` | [McMillan06] |
//! | blocks | `sectile-transform` | [ErHoPoSc11, Sect. 4] |

mod abstraction;
mod config;
mod elim;
mod impact;
mod picture;
mod refine;
mod sources;

pub use elim::Elim;
pub use impact::Impact;

use abstraction::{Abstraction, Path};
use config::Config;
use refine::Refiner;
use sectile_domains::facts::{location_facts, polyhedral_facts};
use sectile_engine::{
    Accepts, Engine, EngineError, Event, Examined, Info, Interest, Options, PathFormulas, Run,
    Stop, weakened,
};
use sectile_model::{Certificate, Task, Verdict};
use sectile_terms::Term;
use sectile_transform::ErrorGraph;

/// Slicing abstraction with path formulas.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kojak;

impl Engine for Kojak {
    fn info(&self) -> Info {
        Info {
            name: "kojak",
            summary: "slicing abstraction with path formulas and large blocks: proves and refutes",
            papers: &["ErHoPoSc11", "BrDrFiWe07"],
            accepts: Accepts {
                functions: true,
                ..Accepts::GRAPHS
            },
            uses_predicates: false,
            options: Config::OPTIONS.to_vec(),
        }
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), String> {
        ErrorGraph::fits(task)
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        run.tell(Event::Phase { name: "blocks" });
        let size = config.blocks;
        ErrorGraph { size }.decide(task, |graph, errors| {
            check(&PathFormulas::new(task.terms, graph), errors, &config, run)
        })
    }
}

/// Decides whether an error is reached in a graph of blocks.
///
/// Paper: [ErHoPoSc11, Alg. 1].
fn check(
    formulas: &PathFormulas<'_>,
    errors: &[usize],
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let mut facts = if config.facts {
        run.tell(Event::Phase { name: "facts" });
        location_facts(formulas, run)?
    } else {
        vec![formulas.terms().tt(); formulas.graph().locations.len()]
    };
    let mut patience = config.restart.max(1);
    for turn in 0.. {
        let mut attempt = Attempt {
            formulas,
            errors,
            facts: &facts,
            config,
            refuted: 0,
        };
        match attempt.decide(turn, patience, run) {
            Ok(Some(verdict)) => return Ok(verdict),
            Ok(None) => {}
            Err(stop) => {
                let refuted = attempt.refuted;
                return stop.verdict(format!("{refuted} paths to an error were refuted"));
            }
        }
        // What is not easy deserves a closer look at its loops.
        if config.facts && turn == 0 {
            run.tell(Event::Phase { name: "polyhedra" });
            facts = polyhedral_facts(formulas, &facts, run)?;
        }
        // Every source gets the same patience before any gets more.
        if (turn + 1) % config.sources.len().max(1) == 0 {
            patience = patience.saturating_mul(2);
        }
    }
    Err(EngineError::Bug("numbers have an end".to_string()))
}

/// One refinement loop.
///
/// Which interpolants a solver finds is a matter of luck: after a while it is better to begin
/// anew with those of another source.
struct Attempt<'a> {
    formulas: &'a PathFormulas<'a>,
    errors: &'a [usize],
    facts: &'a [Term],
    config: &'a Config,
    /// Paths that were refuted.
    refuted: u64,
}

impl Attempt<'_> {
    /// Refines with the sources from number `turn` on; no verdict if there is none after so many
    /// refinements.
    fn decide(
        &mut self,
        turn: usize,
        patience: u64,
        run: &mut Run<'_>,
    ) -> Result<Option<Verdict>, Stop> {
        let mut abstraction = Abstraction::new(self.formulas, self.errors, self.facts);
        let locations = self.formulas.graph().locations.len();
        let terms = self.formulas.terms();
        let mut refiner = Refiner::new(terms, self.config, turn, locations, run.backend)?;
        run.tell(Event::Phase { name: "refinement" });
        abstraction.check_edges(0, run)?;
        abstraction.prune(run);
        let holds = |list| Ok(Some(Verdict::Holds(Certificate::invariants(list))));
        while self.refuted < patience {
            report(&mut abstraction, &refiner, self.refuted, run);
            let Some(path) = abstraction.error_path() else {
                let list = abstraction.invariants(self.facts);
                return holds(weakened(self.formulas, self.errors, list, run)?);
            };
            tell_path(&abstraction, &path, run);
            let labelled = path.labelled(&abstraction);
            match labelled.examine(self.config.refuted, run)? {
                Examined::Feasible(trace) => {
                    let steps = trace.steps.len();
                    run.tell(Event::PathConcretized { steps });
                    return Ok(Some(Verdict::Violated(Certificate::Trace(trace))));
                }
                // The entry is an error, but no state is initial.
                Examined::Infeasible(_) if path.edges.is_empty() => {
                    return holds(vec![terms.ff(); locations]);
                }
                Examined::Infeasible(infix) => {
                    refiner.refine(&mut abstraction, &path, &labelled, infix, run)?;
                }
            }
            run.budget.check()?;
            abstraction.prune(run);
            if self.config.audit && is_left(&abstraction, &path) {
                return Err(Stop::bug("a refuted path is still part of the abstraction"));
            }
            self.refuted += 1;
        }
        run.count("restarts", turn as u64 + 1);
        Ok(None)
    }
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

fn report(abstraction: &mut Abstraction<'_>, refiner: &Refiner<'_>, step: u64, run: &mut Run<'_>) {
    let (nodes, edges) = abstraction.size();
    run.tell(Event::Abstraction {
        step,
        nodes,
        edges,
        predicates: refiner.predicates.len(),
    });
    if run.wants(Interest::Pictures) {
        let picture = abstraction.picture(step);
        run.tell(Event::Picture(Box::new(picture)));
    }
    run.count("iterations", step);
    run.count("splits", refiner.splits);
    run.count("predicates", refiner.predicates.len() as u64);
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
