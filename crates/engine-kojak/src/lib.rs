//! Slicing abstraction with path formulas and large blocks.
//!
//! The abstraction is the graph of the program's blocks, each node labelled with a formula. As long
//! as it has a path to an error, either that path is a run of the program, or a part of it is
//! infeasible: then the nodes on that part are split by interpolants, and edges and nodes on no
//! feasible path are sliced away. When no path to an error is left, the nodes that were sliced
//! because they reach no error are an inductive invariant.
//!
//! Papers: [ErHoPoSc11]; slicing abstraction is from [BrDrFiWe07].
//!
//! | idea | where | paper |
//! |---|---|---|
//! | labelled graph, split, slice | `abstraction.rs` | [ErHoPoSc11, Sect. 5] |
//! | error paths, path formulas | `abstraction.rs` | [ErHoPoSc11, Def. 1] |
//! | sequences of interpolants, splitting by them | `refine.rs` | [ErHoPoSc11, Def. 3, Alg. 1] |
//! | interpolants one after the other | `stepwise.rs` | [ErHoPoSc11, Sect. 3] |
//! | invariants from sliced nodes | `abstraction.rs` | |
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
mod stepwise;

pub use elim::Elim;
pub use impact::Impact;

use abstraction::{Abstraction, Path};
use config::{Config, Source};
use refine::Refiner;
use sectile_base::Exhausted;
use sectile_domains::facts::{location_facts, polyhedral_facts};
use sectile_engine::{
    Accepts, BadOption, BlockSize, Engine, EngineError, Event, Examined, Info, Interest, NodeId,
    Options, PathFormulas, Run, Settings, Stop, weakened,
};
use sectile_model::{Certificate, Task, Trace, Verdict};
use sectile_solver::Undecided;
use sectile_terms::Term;
use std::time::Duration;

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
            options: Config::OPTIONS.to_vec(),
            ..Info::default()
        }
    }

    fn blocks(&self, settings: &Settings) -> Result<Option<BlockSize>, BadOption> {
        Ok(Some(Config::read(settings)?.blocks))
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let config = Config::read(run.settings)?;
        let errors = task.errors().map_err(EngineError::bug)?;
        let formulas = PathFormulas::new(task.terms, task.model);
        check(&formulas, &errors, &config, run)
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
    let sources = config.rotation();
    let mut patience = config.restart.max(1);
    let mut earlier = Effort::default();
    for turn in 0.. {
        let mut attempt = Attempt {
            formulas,
            errors,
            facts: &facts,
            config,
            turn,
            // A single source is never given up: after a restart it would find the same again.
            patience: (sources.len() > 1 || (config.facts && turn == 0)).then_some(patience),
            earlier,
            own: Effort::default(),
        };
        match attempt.decide(&sources, run) {
            Ok(Ended::Holds(list)) => {
                let list = weakened(formulas, errors, list, run)?;
                return Ok(Verdict::Holds(Certificate::invariants(list)));
            }
            Ok(Ended::Violated(trace)) => {
                return Ok(Verdict::Violated(Certificate::Trace(trace)));
            }
            Ok(Ended::Over) => {}
            Err(stop) => {
                let refuted = earlier.refuted + attempt.own.refuted;
                return stop.verdict(format!("{refuted} paths to an error were refuted"));
            }
        }
        earlier.refuted += attempt.own.refuted;
        earlier.asked += attempt.own.asked;
        run.count("restarts", turn as u64 + 1);
        // For tasks that are not easy, loops are analysed more closely.
        if config.facts && turn == 0 {
            run.tell(Event::Phase { name: "polyhedra" });
            facts = polyhedral_facts(formulas, &facts, run)?;
        }
        // Every source gets the same number of refinements before any gets more.
        if (turn + 1) % sources.len().max(1) == 0 {
            patience = patience.saturating_mul(2);
        }
    }
    Err(EngineError::Bug("numbers have an end".to_string()))
}

/// The work allowed for one refinement, on the clock of the run. If refinements take longer, fewer
/// of them are allowed: diverging interpolants of a path take all the time long before there are
/// many.
const REFINEMENT_WORK: Duration = Duration::from_millis(40);

/// The work allowed for one of the first refinements: if they take longer, loops are better analysed
/// more closely, which is cheap for the loops for which it helps.
const FIRST_REFINEMENT_WORK: Duration = Duration::from_millis(10);

/// One refinement loop.
///
/// Which interpolants a solver finds is a matter of luck: after a while it is better to restart
/// with those of another source.
struct Attempt<'a> {
    formulas: &'a PathFormulas<'a>,
    errors: &'a [usize],
    facts: &'a [Term],
    config: &'a Config,
    /// The number of the attempt; the source with this number is asked first.
    turn: usize,
    /// Maximum number of refinements, or the work allowed for as many, before it is given up.
    patience: Option<u64>,
    /// The effort of earlier attempts.
    earlier: Effort,
    /// The effort of this one.
    own: Effort,
}

/// The effort of refinement.
#[derive(Clone, Copy, Default)]
struct Effort {
    /// Number of refuted paths.
    refuted: u64,
    /// Number of interpolation queries.
    asked: u64,
}

/// The end of a refinement loop.
enum Ended {
    /// No error is reachable, with these invariants.
    Holds(Vec<Term>),
    /// A run to an error.
    Violated(Trace),
    /// The limit of the attempt was reached.
    Over,
}

impl Attempt<'_> {
    /// Refines within its limits.
    fn decide(&mut self, sources: &[Source], run: &mut Run<'_>) -> Result<Ended, Stop> {
        let mut budget = run.budget.clone();
        if let Some(patience) = self.patience {
            let factor = u32::try_from(patience).unwrap_or(u32::MAX);
            let work = match self.config.facts && self.turn == 0 {
                true => FIRST_REFINEMENT_WORK,
                false => REFINEMENT_WORK,
            };
            budget = budget.with_time(work.saturating_mul(factor));
        }
        let mut own = Run {
            budget,
            observer: &mut *run.observer,
            ..*run
        };
        let ended = self.refine(sources, &mut own);
        match ended {
            // This limit belongs to the attempt, not to the run.
            Err(Stop::Undecided(Undecided::Exhausted(Exhausted::Time)))
                if self.patience.is_some() && run.budget.check().is_ok() =>
            {
                Ok(Ended::Over)
            }
            other => other,
        }
    }

    fn refine(&mut self, sources: &[Source], run: &mut Run<'_>) -> Result<Ended, Stop> {
        let mut abstraction = Abstraction::new(self.formulas, self.errors, self.facts);
        let locations = self.formulas.graph().locations.len();
        let terms = self.formulas.terms();
        let mut sources = sources.to_vec();
        let first = self.turn % sources.len().max(1);
        sources.rotate_left(first);
        let mut refiner = Refiner::new(terms, self.config, sources, locations, run.backend)?;
        run.tell(Event::Phase { name: "refinement" });
        abstraction.check_all_edges(run)?;
        abstraction.prune(run);
        while self.patience.is_none_or(|most| self.own.refuted < most) {
            let step = self.earlier.refuted + self.own.refuted;
            report(&mut abstraction, &refiner, step, run);
            run.count("interpolations", self.earlier.asked + self.own.asked);
            let Some(path) = abstraction.error_path() else {
                return Ok(Ended::Holds(abstraction.invariants(self.facts)));
            };
            tell_path(&abstraction, &path, run);
            let labelled = path.labelled(&abstraction);
            match labelled.examine(self.config.refuted, run)? {
                Examined::Feasible(trace) => {
                    let steps = trace.steps.len();
                    run.tell(Event::PathConcretized { steps });
                    return Ok(Ended::Violated(trace));
                }
                // The entry is an error, but there is no initial state.
                Examined::Infeasible(_) if path.blocks.is_empty() => {
                    return Ok(Ended::Holds(vec![terms.ff(); locations]));
                }
                Examined::Infeasible(infix) => {
                    refiner.refine(&mut abstraction, &path, &labelled, infix, run)?;
                    self.own.asked = refiner.interpolations();
                }
            }
            run.budget.check()?;
            abstraction.prune(run);
            if self.config.audit && is_left(&abstraction, &path) {
                return Err(Stop::bug("a refuted path is still part of the abstraction"));
            }
            self.own.refuted += 1;
        }
        Ok(Ended::Over)
    }
}

/// Whether the blocks of a path can still be followed through the descendants of its nodes.
///
/// Paper: [ErHoPoSc11, Thm. 3]: they cannot.
fn is_left(abstraction: &Abstraction<'_>, path: &Path) -> bool {
    let mut here = abstraction.descendants(path.nodes[0]);
    for (k, block) in path.blocks.iter().enumerate() {
        let allowed = abstraction.descendants(path.nodes[k + 1]);
        let mut next: Vec<NodeId> = Vec::new();
        for node in here {
            let edges = abstraction.graph.edges_from(node);
            let along = edges.filter(|(_, arcs)| arcs.iter().any(|a| a.relation == *block));
            next.extend(along.map(|(to, _)| to));
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|n| allowed.contains(n));
        here = next;
    }
    !here.is_empty()
}

fn report(abstraction: &mut Abstraction<'_>, refiner: &Refiner<'_>, step: u64, run: &mut Run<'_>) {
    let (nodes, edges) = abstraction.graph.size();
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
        let name = |&block: &usize| graph.edges[block].command.name.clone();
        run.tell(Event::PathFound {
            nodes: path.nodes.clone(),
            relations: path.blocks.iter().map(name).collect(),
        });
    }
}
