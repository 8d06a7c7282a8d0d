//! Abstract error paths: whether they have a concrete run, and which part of them has none.

use crate::abstraction::NodeId;
use crate::config::SubPath;
use crate::relation::RelationId;
use crate::search::Search;
use sectile_engine::Stop;
use sectile_solver::Answer;
use sectile_terms::Term;

/// A path of the abstraction: one relation between every two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// The relations between them.
    pub relations: Vec<RelationId>,
}

/// What the analysis of a path gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Some concrete run follows the path.
    Concretizable,
    /// None does: this part of it is infeasible, and every shorter part of the part is feasible.
    Spurious {
        /// Position of the first node.
        first: usize,
        /// Position of the last node.
        last: usize,
    },
}

impl Search<'_, '_> {
    /// A shortest error path, with the preferred relation on every edge.
    pub fn error_path(&self) -> Option<Path> {
        let nodes = self.graph.error_path()?;
        let relations = nodes.windows(2).map(|pair| {
            let arcs = self.graph.arcs(pair[0], pair[1]);
            arcs.first().map(|a| a.relation)
        });
        let relations = relations.collect::<Option<Vec<_>>>()?;
        Some(Path { nodes, relations })
    }

    /// The label of a node at a position of an unrolled path.
    pub fn label_at(&self, n: NodeId, position: usize) -> Vec<Term> {
        let label = self.full_label(n);
        label.iter().map(|&p| self.at(p, position)).collect()
    }

    /// A formula at a position of an unrolled path.
    pub fn at(&self, formula: Term, position: usize) -> Term {
        let step = u32::try_from(position).unwrap_or(u32::MAX - 1);
        self.terms.at_step(formula, step)
    }

    /// The conjuncts of the relation that leaves a position.
    pub fn relation_at(&self, relation: RelationId, position: usize) -> Vec<Term> {
        let conjuncts = self.relations.get(relation).conjuncts(self.terms);
        conjuncts.iter().map(|&c| self.at(c, position)).collect()
    }

    /// Finds a minimal infeasible part of the path, if there is an infeasible one.
    ///
    /// Paper: [BrDrFiWe07, Sect. 6.2]: the part is not concretizable, both one-shorter ones are.
    pub fn analyse(&mut self, path: &Path) -> Result<Analysis, Stop> {
        let end = path.nodes.len() - 1;
        let part = match self.config.sub_path {
            SubPath::Earliest => {
                let last = self.extend_forward(path, 0, end)?;
                match last {
                    None => None,
                    Some(last) => {
                        let first = self.extend_backward(path, last)?;
                        first.map(|first| (first, last))
                    }
                }
            }
            SubPath::Latest => match self.extend_backward(path, end)? {
                None => None,
                Some(first) => {
                    let last = self.extend_forward(path, first, end)?;
                    last.map(|last| (first, last))
                }
            },
        };
        Ok(match part {
            None => Analysis::Concretizable,
            Some((first, last)) => Analysis::Spurious { first, last },
        })
    }

    /// The first position up to which the path from `first` is infeasible.
    fn extend_forward(
        &mut self,
        path: &Path,
        first: usize,
        end: usize,
    ) -> Result<Option<usize>, Stop> {
        let order = (first..=end).map(|p| (p, p.checked_sub(1).filter(|&r| r >= first)));
        self.extend(path, order.collect())
    }

    /// The last position from which the path to `last` is infeasible.
    fn extend_backward(&mut self, path: &Path, last: usize) -> Result<Option<usize>, Stop> {
        let order = (0..=last).rev().map(|p| (p, (p < last).then_some(p)));
        self.extend(path, order.collect())
    }

    /// Adds positions, each with the relation that joins it, until the whole is infeasible.
    fn extend(
        &mut self,
        path: &Path,
        order: Vec<(usize, Option<usize>)>,
    ) -> Result<Option<usize>, Stop> {
        self.solver().0.push();
        let result = self.extend_in_scope(path, &order);
        self.solver().0.pop();
        result
    }

    fn extend_in_scope(
        &mut self,
        path: &Path,
        order: &[(usize, Option<usize>)],
    ) -> Result<Option<usize>, Stop> {
        // Single nodes of the slice are feasible, and so are its edges if they were checked.
        let feasible = if self.config.inconsistent { 2 } else { 1 };
        for (added, &(position, relation)) in order.iter().enumerate() {
            let mut conjuncts = self.label_at(path.nodes[position], position);
            if let Some(r) = relation {
                conjuncts.extend(self.relation_at(path.relations[r], r));
            }
            let (solver, budget) = self.solver();
            for c in conjuncts {
                solver.assert(c)?;
            }
            if added < feasible {
                continue;
            }
            match solver.check(&[], budget)? {
                Answer::Sat(_) => {}
                Answer::Unsat(_) => return Ok(Some(position)),
                Answer::Unknown(why) => return Err(why.into()),
            }
        }
        Ok(None)
    }
}
