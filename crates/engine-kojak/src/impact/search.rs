//! The search strategy: depth first, errors before anything else.

use super::config::Config;
use super::cover::{Covering, candidates};
use super::refine::{Refined, Refiner};
use super::tree::Tree;
use sectile_base::digraph::Digraph;
use sectile_domains::facts::location_facts;
use sectile_engine::{EngineError, Event, PathFormulas, Run, Stop, weakened};
use sectile_model::{Certificate, Verdict};
use sectile_solver::{Answer, Solver};
use sectile_terms::Term;

/// The search with its unwinding.
struct Unwinding<'g> {
    tree: Tree<'g>,
    covering: Covering<'g>,
    refiner: Refiner<'g>,
    /// One solver for each edge, with its formula asserted.
    edges: Vec<Option<Box<dyn Solver + 'g>>>,
    /// Edges that allow a step and from which an error is reachable.
    useful: Vec<bool>,
    is_error: Vec<bool>,
    /// Locations from which such edges lead to an error.
    leads: Vec<bool>,
    force: usize,
    /// Vertices to visit, the next one last.
    pending: Vec<usize>,
    /// Number of reported pictures.
    told: u64,
}

/// Decides whether an error is reached.
///
/// Paper: [McMillan06, Fig. 2, UNWIND and DFS].
pub(crate) fn unwind(
    formulas: &PathFormulas<'_>,
    errors: &[usize],
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let graph = formulas.graph();
    let facts = if config.facts {
        location_facts(formulas, run)?
    } else {
        vec![formulas.terms().tt(); graph.locations.len()]
    };
    let tree = Tree::new(formulas, facts);
    let count = graph.locations.len();
    let mut search = Unwinding {
        covering: Covering::new(&tree, run)?,
        refiner: Refiner::new(&tree, config, run)?,
        edges: graph.edges.iter().map(|_| None).collect(),
        useful: vec![true; graph.edges.len()],
        is_error: (0..count).map(|l| errors.contains(&l)).collect(),
        leads: vec![true; count],
        force: config.force,
        pending: vec![0],
        told: 0,
        tree,
    };
    run.tell(Event::Phase { name: "unwinding" });
    search.slice(run)?;
    let mut step = 0;
    while let Some(v) = search.pending.pop() {
        step += 1;
        if step % 16 == 0 {
            search.report(run);
        }
        if let Err(limit) = run.budget.check() {
            return search.unknown(limit.into());
        }
        let verdict = match search.visit(v, run) {
            Ok(None) => continue,
            Ok(Some(verdict)) => verdict,
            Err(stop) => search.unknown(stop)?,
        };
        search.report(run);
        return Ok(verdict);
    }
    search.report(run);
    search.tell("everything is covered", run);
    let list = weakened(formulas, errors, search.invariants(), run)?;
    Ok(Verdict::Holds(Certificate::invariants(list)))
}

impl<'g> Unwinding<'g> {
    /// Finds the edges that allow a step at all and lie on a path to an error.
    fn slice(&mut self, run: &mut Run<'_>) -> Result<(), EngineError> {
        let graph = self.tree.formulas.graph();
        for e in 0..graph.edges.len() {
            self.useful[e] = self.is_possible(e, &[], run)?;
        }
        let mut back = Digraph::new(graph.locations.len());
        for (edge, _) in graph.edges.iter().zip(&self.useful).filter(|(_, u)| **u) {
            back.add_edge(edge.to.0, edge.from.0);
        }
        let errors = (0..graph.locations.len()).filter(|&l| self.is_error[l]);
        let leads = back.reachable_from(errors);
        for (e, edge) in graph.edges.iter().enumerate() {
            self.useful[e] &= leads[edge.to.0];
        }
        self.leads = leads;
        Ok(())
    }

    fn is_possible(
        &mut self,
        edge: usize,
        label: &[Term],
        run: &mut Run<'_>,
    ) -> Result<bool, EngineError> {
        let formulas = self.tree.formulas;
        let solver = match &mut self.edges[edge] {
            Some(solver) => solver,
            empty => {
                let mut solver = run.backend.solver(formulas.terms())?;
                solver.assert(formulas.step(edge))?;
                empty.insert(solver)
            }
        };
        let answer = solver.check(label, &run.budget)?;
        Ok(!matches!(answer, Answer::Unsat(_)))
    }

    /// Visits a vertex: covers it, refines, or expands it.
    fn visit(&mut self, v: usize, run: &mut Run<'_>) -> Result<Option<Verdict>, Stop> {
        let terms = self.tree.formulas.terms();
        if self.tree.vertices[v].expanded
            || self.tree.is_covered(v)
            || self.tree.vertices[v].label.contains(&terms.ff())
        {
            return Ok(None);
        }
        if self.is_error[self.tree.vertices[v].location] {
            return self.refine(v, run);
        }
        let open = self.covering.close(&mut self.tree, v, run)?;
        self.reopen(open);
        if self.tree.vertices[v].covered_by.is_some() || self.force_cover(v, run)? {
            return Ok(None);
        }
        self.expand(v, run)?;
        Ok(None)
    }

    fn expand(&mut self, v: usize, run: &mut Run<'_>) -> Result<(), EngineError> {
        let graph = self.tree.formulas.graph();
        self.tree.vertices[v].expanded = true;
        let location = sectile_model::LocationId(self.tree.vertices[v].location);
        let mut leaving: Vec<usize> = graph.edges_from(location).collect();
        leaving.retain(|&e| self.useful[e]);
        // The last one pushed is visited next: errors come last.
        leaving.sort_by_key(|&e| self.is_error[graph.edges[e].to.0]);
        let label: Vec<Term> = self.tree.vertices[v].label.iter().copied().collect();
        for e in leaving {
            if self.is_possible(e, &label, run)? {
                let child = self.tree.add_child(v, e);
                self.pending.push(child);
            }
        }
        Ok(())
    }

    /// Refutes the path to an error, or finds a run along it.
    fn refine(&mut self, v: usize, run: &mut Run<'_>) -> Result<Option<Verdict>, Stop> {
        self.tell("an error is reached", run);
        self.tree.tell_path(v, run);
        let changed = match self.refiner.refine(&mut self.tree, v, run)? {
            Refined::Run(trace) => {
                let steps = trace.steps.len();
                run.tell(Event::PathConcretized { steps });
                return Ok(Some(Verdict::Violated(Certificate::Trace(trace))));
            }
            Refined::Strengthened(changed) => changed,
        };
        self.strengthened(&changed, run)?;
        // If a vertex on the path is covered now, nothing after it needs a visit.
        for v in self.tree.path(v).0 {
            if self.tree.is_covered(v) {
                break;
            }
            if changed.contains(&v) {
                let open = self.covering.close(&mut self.tree, v, run)?;
                self.reopen(open);
            }
        }
        Ok(None)
    }

    fn strengthened(&mut self, changed: &[usize], run: &mut Run<'_>) -> Result<(), EngineError> {
        let open = self.covering.recheck(&mut self.tree, changed, run)?;
        self.reopen(open);
        Ok(())
    }

    fn force_cover(&mut self, v: usize, run: &mut Run<'_>) -> Result<bool, EngineError> {
        let tried = candidates(&self.tree, v);
        for w in tried.into_iter().take(self.force) {
            let Some(changed) = self.refiner.force(&mut self.tree, v, w, run)? else {
                continue;
            };
            self.strengthened(&changed, run)?;
            if !self.tree.is_covered(w) && self.covering.implies(&mut self.tree, v, w, run)? {
                let open = self.covering.cover(&mut self.tree, v, w, run);
                self.reopen(open);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Schedules vertices that are no longer covered, and the leaves below them.
    fn reopen(&mut self, open: Vec<usize>) {
        for v in open {
            let behind = self.tree.subtree(v).into_iter();
            let leaves = behind.filter(|&x| !self.tree.vertices[x].expanded);
            self.pending.extend(leaves);
        }
    }

    /// For each location, the labels of its uncovered vertices; `true` at locations that reach no
    /// error.
    fn invariants(&self) -> Vec<Term> {
        let terms = self.tree.formulas.terms();
        let at = |(vertices, leads): (&Vec<usize>, &bool)| {
            if !*leads {
                return terms.tt();
            }
            let open = vertices.iter().filter(|&&v| !self.tree.is_covered(v));
            terms.or(open.map(|&v| self.tree.label(v)))
        };
        self.tree.at.iter().zip(&self.leads).map(at).collect()
    }

    fn tell(&mut self, title: &str, run: &mut Run<'_>) {
        self.told += 1;
        self.tree.tell(self.told, title, &self.is_error, run);
    }

    fn report(&self, run: &mut Run<'_>) {
        run.count("iterations", self.refiner.refinements);
        run.count("vertices", self.tree.vertices.len() as u64);
        run.count("covers", self.covering.covers);
    }

    fn unknown(&self, stop: Stop) -> Result<Verdict, EngineError> {
        stop.verdict(format!(
            "{} vertices, {} paths to an error refuted",
            self.tree.vertices.len(),
            self.refiner.refinements
        ))
    }
}
