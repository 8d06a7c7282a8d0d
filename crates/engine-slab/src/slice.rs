//! Slicing: removal of parts that cannot belong to a concrete error path.
//!
//! | operation | function |
//! |---|---|
//! | 1 Inconsistent Transition | `remove_inconsistent_transitions` |
//! | 2 Empty Edge | [`Abstraction::retain_arcs`](sectile_engine::Abstraction::retain_arcs) |
//! | 3 Inconsistent Node | `remove_inconsistent_nodes` |
//! | 4 Unreachable Node | `remove_unreachable_nodes` |
//! | 5 Simplify Transition | `simplify` |
//! | 6 Bypass Transition | `bypass` |

use crate::config::Bypass;
use crate::relation::RelationId;
use crate::search::Search;
use sectile_engine::{Event, Interest, NodeId, Run, SliceReason, Sliced, Stop};
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// Slices until a fixpoint. Only `touched` nodes and their edges are checked.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5].
    pub fn slice(&mut self, touched: &BTreeSet<NodeId>, run: &mut Run<'_>) -> Result<(), Stop> {
        self.remove_inconsistent_nodes(touched, run)?;
        if self.config.inconsistent {
            self.remove_inconsistent_transitions(touched, run)?;
        }
        if self.config.unreachable {
            self.remove_unreachable_nodes(run);
        }
        // No edge changes: variables can become dead only when relations lose conjuncts.
        while self.config.simplify && self.simplify(run)? {}
        Ok(())
    }

    /// Bypasses nodes as configured, and slices again.
    pub fn bypass_and_slice(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        if self.config.bypass == Bypass::Off {
            return Ok(());
        }
        let mut changed = false;
        while let Some(touched) = self.bypass(run)? {
            self.slice(&touched, run)?;
            changed = true;
        }
        if changed {
            self.show("bypass", run);
        }
        Ok(())
    }

    /// Paper: [BrDrFiWe07, Sect. 5, Inconsistent Transition]. Removes `τ` from `η(m, n)` if no step
    /// of `τ` leads from a state of `m` to a state of `n`. Empty edges go as well.
    fn remove_inconsistent_transitions(
        &mut self,
        touched: &BTreeSet<NodeId>,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        for (m, n, relation) in self.graph.open_at(touched.iter().copied()) {
            self.budget.check_for(0)?;
            match self.concrete_step(m, relation, n)? {
                Some(found) => self.graph.confirm(m, n, relation, Some(found)),
                None => {
                    self.graph.remove_arc(m, n, relation);
                    self.shed_arc(m, n, relation, SliceReason::Inconsistent, run);
                }
            }
        }
        Ok(())
    }

    /// Paper: [BrDrFiWe07, Sect. 5, Inconsistent Node]. Removes nodes with an unsatisfiable label.
    fn remove_inconsistent_nodes(
        &mut self,
        touched: &BTreeSet<NodeId>,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        for &n in touched {
            let node = self.graph.node(n);
            let is_set = node.alive && !node.own.role.start;
            if is_set && !self.consistent(&self.full_label(n))? {
                self.shed_node(n, SliceReason::Inconsistent, run);
            }
        }
        Ok(())
    }

    /// Paper: [BrDrFiWe07, Sect. 5, Unreachable Node]. Removes nodes that no path from an initial to
    /// an error node visits.
    ///
    /// The reasons are determined before anything is removed: a node that is cut off on both sides
    /// counts as unreachable from an initial node, which the proof relies on.
    pub fn remove_unreachable_nodes(&mut self, run: &mut Run<'_>) {
        let role = |n| self.graph.node(n).own.role;
        let reachable = self.graph.reachable(|n| role(n).initial);
        let co_reachable = self.graph.reaching(|n| role(n).error);
        let all: Vec<NodeId> = self.graph.nodes().collect();
        for n in all {
            if !reachable[n] {
                self.shed_node(n, SliceReason::ForwardUnreachable, run);
            } else if !co_reachable[n] {
                self.shed_node(n, SliceReason::BackwardUnreachable, run);
            }
        }
    }

    /// Removes a node and records the reason.
    fn shed_node(&mut self, n: NodeId, reason: SliceReason, run: &mut Run<'_>) {
        self.record.node(self.graph.node(n), reason);
        if run.wants(Interest::Pictures) {
            self.graph.note_removal(n, reason, &mut self.removed);
        }
        self.graph.remove_node(n);
        if run.wants(Interest::Steps) {
            let what = Sliced::Node { node: n + 1 };
            run.tell(Event::Sliced { what, reason });
        }
    }

    /// Records why a relation was removed from an edge.
    pub fn shed_arc(
        &mut self,
        from: NodeId,
        to: NodeId,
        relation: RelationId,
        reason: SliceReason,
        run: &mut Run<'_>,
    ) {
        if run.wants(Interest::Pictures) {
            self.removed.arcs.push((from, to, relation, reason));
        }
        if run.wants(Interest::Steps) {
            let name = self.relations.get(relation).command.name.clone();
            let what = Sliced::Relation {
                from: from + 1,
                to: to + 1,
                name,
            };
            run.tell(Event::Sliced { what, reason });
        }
    }
}
