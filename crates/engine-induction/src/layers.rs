//! Bounded model checking of block graphs, layer by layer.
//!
//! Layer `k` has the locations that some run reaches after exactly `k` blocks. Each is queried
//! separately: a location that is unreachable in a layer is left out of the next ones, so the
//! formulas follow the program and not all its unrollings. The search finds a violation with the
//! fewest blocks, and proves nothing.
//!
//! Papers: [BiCiClZh99]; blocks as in [ErHoPoSc11].

use sectile_engine::{
    Accepts, AtMost, BlockSize, Engine, EngineError, Info, Options, PathFormulas, Run, options,
};
use sectile_model::{Certificate, ReasonCode, Task, Trace, Unknown, Verdict};
use sectile_solver::{Answer, ModelView, Solver, Undecided};
use sectile_terms::{Sort, SymbolKind, Term, Value};
use std::collections::BTreeMap;

options! {
    /// The options of `layers`.
    pub(crate) struct Config {
        /// the largest number of layers
        depth("layers"): AtMost = AtMost::UNLIMITED,
    }
}

/// Bounded model checking, layer by layer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers;

impl Engine for Layers {
    fn info(&self) -> Info {
        Info {
            name: "layers",
            summary: "bounded model checking of large blocks, layer by layer: finds violations, proves nothing",
            papers: &["BiCiClZh99", "ErHoPoSc11"],
            accepts: Accepts {
                functions: true,
                ..Accepts::GRAPHS
            },
            options: Config::OPTIONS.to_vec(),
            blocks: Some(BlockSize::Loops),
            ..Info::default()
        }
    }

    fn run(&self, task: &Task<'_>, run: &mut Run<'_>) -> Result<Verdict, EngineError> {
        let AtMost(limit) = Config::read(run.settings)?.depth;
        let errors = task.errors().map_err(EngineError::bug)?;
        let formulas = PathFormulas::new(task.terms, task.model);
        let mut search = BlockSearch::new(&formulas, errors, run)?;
        Ok(match search.search(limit, run)? {
            Ok(trace) => Verdict::Violated(Certificate::Trace(trace)),
            Err(code) => {
                let reached = format!("no violation has {} blocks or fewer", search.depth);
                let unknown = Unknown::new(code, reached);
                Verdict::Unknown(unknown.hint("--engine kojak"))
            }
        })
    }
}

/// A violation, or why there is none.
type Found = Result<Trace, ReasonCode>;

struct BlockSearch<'g> {
    formulas: &'g PathFormulas<'g>,
    errors: Vec<usize>,
    solver: Box<dyn Solver + 'g>,
    /// For each layer, the reachable locations, with the Boolean that says that the run is there.
    layers: Vec<BTreeMap<usize, Term>>,
    depth: usize,
}

impl<'g> BlockSearch<'g> {
    fn new(
        formulas: &'g PathFormulas<'g>,
        errors: Vec<usize>,
        run: &Run<'_>,
    ) -> Result<BlockSearch<'g>, EngineError> {
        let mut solver = run.backend.solver(formulas.terms())?;
        solver.assert(formulas.at(formulas.init(), 0))?;
        let entry = formulas.graph().entry.0;
        Ok(BlockSearch {
            formulas,
            errors,
            solver,
            layers: vec![BTreeMap::from([(entry, formulas.terms().tt())])],
            depth: 0,
        })
    }

    fn search(&mut self, limit: u64, run: &mut Run<'_>) -> Result<Found, EngineError> {
        if self.errors.contains(&self.formulas.graph().entry.0)
            && let Answer::Sat(model) = self.solver.check(&[], &run.budget)?
        {
            return Ok(Ok(self.formulas.trace(&[], model)));
        }
        while (self.depth as u64) < limit {
            if let Some(found) = self.next_layer(run)? {
                return Ok(found);
            }
            self.depth += 1;
            run.refuted(self.depth as u64);
            // Every run ends before that: there is no violation, but no proof to show either.
            if self.layers[self.depth].is_empty() {
                return Ok(Err(ReasonCode::Incomplete));
            }
        }
        Ok(Err(ReasonCode::Bounded))
    }

    /// Finds the locations of the next layer; errors first, so that a violation is found early.
    fn next_layer(&mut self, run: &mut Run<'_>) -> Result<Option<Found>, EngineError> {
        let terms = self.formulas.terms();
        let graph = self.formulas.graph();
        let last = self.depth;
        let mut ways: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for (e, edge) in graph.edges.iter().enumerate() {
            if let Some(&here) = self.layers[last].get(&edge.from.0) {
                let step = self.formulas.at(self.formulas.step(e), last);
                let way = terms.and2(here, step);
                ways.entry(edge.to.0).or_default().push(way);
            }
        }
        let mut targets: Vec<(usize, Vec<Term>)> = ways.into_iter().collect();
        targets.sort_by_key(|(l, _)| !self.errors.contains(l));
        self.layers.push(BTreeMap::new());
        for (location, ways) in targets {
            let name = terms.fresh("layer", Sort::Bool, SymbolKind::Rigid);
            let here = terms.var(name);
            self.solver.assert(terms.implies(here, terms.or(ways)))?;
            let is_error = self.errors.contains(&location);
            match self.solver.check(&[here], &run.budget)? {
                Answer::Unsat(_) => {}
                Answer::Unknown(Undecided::Exhausted(limit)) => {
                    return Ok(Some(Err(ReasonCode::Exhausted(limit))));
                }
                // Unreachable locations may stay in a layer without changing the meaning of the
                // next ones.
                Answer::Unknown(_) if is_error => return Ok(Some(Err(ReasonCode::Incomplete))),
                Answer::Sat(model) if is_error => {
                    let edges = way_back(self.formulas, &self.layers, location, model);
                    let lost = || EngineError::bug("a run through the layers takes no edge");
                    let trace = self.formulas.trace(&edges.ok_or_else(lost)?, model);
                    return Ok(Some(Ok(trace)));
                }
                Answer::Sat(_) | Answer::Unknown(_) => {
                    self.layers[last + 1].insert(location, here);
                }
            }
        }
        Ok(None)
    }
}

/// The edges of the run in a model, found backwards from its end.
fn way_back(
    formulas: &PathFormulas<'_>,
    layers: &[BTreeMap<usize, Term>],
    end: usize,
    model: &dyn ModelView,
) -> Option<Vec<usize>> {
    let terms = formulas.terms();
    let graph = formulas.graph();
    let holds = |t: Term| model.eval(terms, t) == Ok(Value::Bool(true));
    let mut edges = Vec::new();
    let mut here = end;
    for k in (0..layers.len() - 1).rev() {
        let taken = graph.edges.iter().enumerate().find(|(e, edge)| {
            let before = layers[k].get(&edge.from.0);
            edge.to.0 == here
                && before.is_some_and(|&b| holds(b))
                && holds(formulas.at(formulas.step(*e), k))
        });
        let (e, edge) = taken?;
        edges.push(e);
        here = edge.from.0;
    }
    edges.reverse();
    Some(edges)
}
