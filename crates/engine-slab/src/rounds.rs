//! The refinement loop: slice, find an error path, refute it, split, slice again.

use crate::path::Path;
use crate::relation::{Origin, RelationId};
use crate::search::Search;
use sectile_engine::{
    Event, Interest, NodeId, Picture, PictureEdge, PictureNode, Run, SliceReason, Stop, Unroller,
};
use sectile_model::{Model, Trace};
use sectile_solver::Answer;
use sectile_terms::{NativePrinter, Term};
use std::collections::BTreeSet;

/// The end of a loop.
pub enum Outcome {
    /// No error path is left.
    Empty,
    /// This path has a concrete run.
    ErrorPath(Path),
    /// The limit of refinements was reached.
    Paused,
}

impl Search<'_, '_> {
    /// Refines until the slice is empty or an error path is concretizable, within a limit.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6].
    pub fn refine(&mut self, most: u64, run: &mut Run<'_>) -> Result<Outcome, Stop> {
        let end = self.counters.iterations.saturating_add(most);
        let all: BTreeSet<NodeId> = self.graph.nodes().collect();
        self.show("initial abstraction", run);
        self.slice(&all, run)?;
        self.show("slice", run);
        self.bypass_and_slice(run)?;
        let guide = std::mem::take(&mut self.guide);
        self.split_as_told(&guide, run)?;
        while let Some(path) = self.error_path() {
            self.budget.check()?;
            self.tell_path(&path, run);
            let Some((first, last)) = self.infeasible_part(&path)? else {
                let steps = path.relations.len();
                run.tell(Event::PathConcretized { steps });
                return Ok(Outcome::ErrorPath(path));
            };
            if self.counters.iterations >= end {
                return Ok(Outcome::Paused);
            }
            self.counters.iterations += 1;
            let halves = self.refute(&path, first, last, run)?;
            self.slice(&halves, run)?;
            run.count("iterations", self.counters.iterations);
            run.count("splits", self.counters.splits);
            self.show("split and slice", run);
            self.bypass_and_slice(run)?;
        }
        // The proof needs this even where the option `unreachable` is off.
        self.remove_unreachable_nodes(run);
        Ok(Outcome::Empty)
    }

    fn tell_path(&self, path: &Path, run: &mut Run<'_>) {
        if run.wants(Interest::Steps) {
            let name = |&r: &RelationId| self.relations.get(r).command.name.clone();
            run.tell(Event::PathFound {
                nodes: path.nodes.iter().map(|n| n + 1).collect(),
                relations: path.relations.iter().map(name).collect(),
            });
        }
    }

    /// The concrete run along a concretizable path, by the original commands.
    ///
    /// Compositions are undone, and simplified relations are replaced by the original ones.
    pub fn concretize(
        &mut self,
        path: &Path,
        system: &Model,
        bad: Term,
        run: &Run<'_>,
    ) -> Result<Trace, Stop> {
        let terms = self.terms;
        let unroller = Unroller::new(terms, system);
        let mut solver = run.backend.solver(terms)?;
        solver.assert(unroller.start())?;
        let relations = path.relations.iter();
        let mut length = 0;
        for origin in relations.flat_map(|&r| &self.relations.get(r).origin) {
            if let Origin::Command(command) = *origin {
                let step = system.step_formula(terms, &system.edges[command].command);
                solver.assert(terms.at_step(step, length))?;
                length += 1;
            }
        }
        match solver.check(&[unroller.at(bad, length)], &self.budget)? {
            Answer::Sat(model) => Ok(unroller.trace(model, length)?),
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(_) => Err(Stop::incomplete(
                "a path that is concretizable after simplification has no run",
            )),
        }
    }

    /// Reports the size of the abstraction and, if requested, a picture.
    pub fn show(&mut self, title: &str, run: &mut Run<'_>) {
        self.step += 1;
        let (nodes, edges) = self.graph.size();
        run.tell(Event::Abstraction {
            step: self.step,
            nodes,
            edges,
            predicates: self.vocabulary.len(),
        });
        if run.wants(Interest::Pictures) {
            let picture = self.picture(title);
            run.tell(Event::Picture(Box::new(picture)));
        }
        self.removed = Default::default();
    }

    /// The label of a node, printed with the names of the model.
    pub fn label_words(&self, n: NodeId) -> Vec<String> {
        let printer = NativePrinter::new(self.terms);
        let label = self.graph.node(n).label.iter();
        label.map(|&p| printer.print(p)).collect()
    }

    /// The present abstraction, with everything removed in this step.
    fn picture(&self, title: &str) -> Picture {
        let node = |n: NodeId, removed: Option<SliceReason>| PictureNode {
            id: n + 1,
            label: self.label_words(n),
            initial: self.graph.node(n).own.role.initial,
            error: self.graph.node(n).own.role.error,
            labelled: false,
            removed,
        };
        let edge = |from: NodeId, to: NodeId, relation, removed| PictureEdge {
            from: from + 1,
            to: to + 1,
            relation: self.relations.get(relation).command.name.clone(),
            removed,
        };
        let (nodes, edges) = self.graph.picture(&self.removed, node, edge);
        Picture {
            step: self.step,
            title: title.to_string(),
            nodes,
            edges,
        }
    }
}
