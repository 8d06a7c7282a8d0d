//! Examination of abstract error paths: feasible, or with a minimal infeasible part.

use crate::abstraction::error_path;
use crate::config::SubPath;
use crate::relation::RelationId;
use crate::search::Search;
use sectile_engine::{NodeId, Stop, step_number};
use sectile_terms::Term;

/// A path of the abstraction, with one relation between any two consecutive nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The relations between them.
    pub relations: Vec<RelationId>,
}

impl Search<'_, '_> {
    /// A shortest error path, with the preferred relation on every edge.
    pub fn error_path(&self) -> Option<Path> {
        let nodes = error_path(&self.graph)?;
        let relations = nodes.windows(2).map(|pair| {
            let arcs = self.graph.arcs(pair[0], pair[1]);
            arcs.first().map(|a| a.relation)
        });
        let relations = relations.collect::<Option<Vec<_>>>()?;
        Some(Path { nodes, relations })
    }

    /// The label of a node at a given position of an unrolled path.
    pub fn label_at(&self, n: NodeId, position: usize) -> Vec<Term> {
        let label = self.full_label(n);
        label.iter().map(|&p| self.at(p, position)).collect()
    }

    /// A formula at a given position of an unrolled path.
    pub fn at(&self, formula: Term, position: usize) -> Term {
        self.terms.at_step(formula, step_number(position))
    }

    /// The conjuncts of the relation that leaves a given position.
    pub fn relation_at(&self, relation: RelationId, position: usize) -> Vec<Term> {
        let conjuncts = self.relations.get(relation).command.conjuncts(self.terms);
        conjuncts.iter().map(|&c| self.at(c, position)).collect()
    }

    /// The positions of the first and last node of a minimal infeasible part of the path; `None` if
    /// the path is feasible.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2]: the part is not concretizable, both one-shorter ones are.
    pub fn infeasible_part(&mut self, path: &Path) -> Result<Option<(usize, usize)>, Stop> {
        let end = path.nodes.len() - 1;
        Ok(match self.config.sub_path {
            SubPath::Earliest => match self.extend_forward(path, 0, end)? {
                Some(last) => self.extend_backward(path, last)?.map(|first| (first, last)),
                None => None,
            },
            SubPath::Latest => match self.extend_backward(path, end)? {
                Some(first) => {
                    let last = self.extend_forward(path, first, end)?;
                    last.map(|last| (first, last))
                }
                None => None,
            },
        })
    }

    /// The first position up to which the path from `first` is infeasible, if any.
    fn extend_forward(
        &mut self,
        path: &Path,
        first: usize,
        end: usize,
    ) -> Result<Option<usize>, Stop> {
        let order = (first..=end).map(|p| (p, p.checked_sub(1).filter(|&r| r >= first)));
        self.extend(path, order)
    }

    /// The last position from which the path to `last` is infeasible, if any.
    fn extend_backward(&mut self, path: &Path, last: usize) -> Result<Option<usize>, Stop> {
        let order = (0..=last).rev().map(|p| (p, (p < last).then_some(p)));
        self.extend(path, order)
    }

    /// Adds positions, each with its relation, until the whole is infeasible.
    fn extend(
        &mut self,
        path: &Path,
        order: impl Iterator<Item = (usize, Option<usize>)>,
    ) -> Result<Option<usize>, Stop> {
        // Single nodes of the slice are feasible, and so are its edges if inconsistent ones are
        // removed.
        let feasible = if self.config.inconsistent { 2 } else { 1 };
        self.in_scope(&[], |search| {
            for (added, (position, relation)) in order.enumerate() {
                let mut conjuncts = search.label_at(path.nodes[position], position);
                if let Some(r) = relation {
                    conjuncts.extend(search.relation_at(path.relations[r], r));
                }
                for c in conjuncts {
                    search.solver.assert(c)?;
                }
                if added >= feasible && !search.is_satisfiable(&[])? {
                    return Ok(Some(position));
                }
            }
            Ok(None)
        })
    }
}
