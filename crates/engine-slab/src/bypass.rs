//! Bypassing: removes a node by composing the relations that enter it with those that leave it.

use crate::abstraction::{Arc, Ghost};
use crate::config::Bypass;
use crate::relation::{RelationId, inputs_of};
use crate::search::Search;
use sectile_engine::{NodeId, Run, SliceReason, Stop};
use sectile_model::Command;
use sectile_terms::{Stage, Symbol, Term};
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// Bypasses one node, if the configuration selects one; returns the nodes around it.
    ///
    /// The node must be neither initial nor an error, and must have no self-loop except idling,
    /// which runs can do without.
    pub fn bypass(&mut self, run: &mut Run<'_>) -> Result<Option<BTreeSet<NodeId>>, Stop> {
        let found = self.graph.nodes().find(|&n| self.is_worth_bypassing(n));
        let Some(n) = found else {
            return Ok(None);
        };
        let incoming = self.graph.incoming(n).map(|(m, arcs)| (m, arcs.to_vec()));
        let incoming: Vec<(NodeId, Vec<Arc>)> = incoming.collect();
        let mut touched = BTreeSet::new();
        for (m, arcs) in incoming {
            touched.insert(m);
            for arc in arcs {
                self.bypass_transition(m, arc.relation, n, run)?;
            }
        }
        touched.extend(self.graph.edges_from(n).map(|(to, _)| to));
        Ok(Some(touched))
    }

    fn is_worth_bypassing(&self, n: NodeId) -> bool {
        let role = self.graph.node(n).own.role;
        if role.initial || role.error || role.start {
            return false;
        }
        let idles = |a: &Arc| self.relations.get(a.relation).is_idle();
        if !self.graph.arcs(n, n).iter().all(idles) {
            return false;
        }
        let into: usize = self.graph.incoming(n).map(|(_, arcs)| arcs.len()).sum();
        let out: usize = self.graph.leaving(n).map(|(_, arcs)| arcs.len()).sum();
        match self.config.bypass {
            Bypass::Off => false,
            Bypass::Chains => into * out == 1,
            Bypass::Profitable => into > 0 && into * out <= into + out,
        }
    }

    /// Paper: [BrDrFiWe07, Sect. 5, Bypass Transition]. Removes `τ` from `η(m, n)` and adds
    /// `τ ∘_n τ2` to `η(m, n')` for every `τ2` of every edge from `n` to `n'`.
    ///
    /// Differs: the states that a run visits in `n` are recorded at `m` as a ghost, because without
    /// them the remaining labels are not closed under steps. Ghosts of `n` itself are seen from `m`
    /// through the composition.
    fn bypass_transition(
        &mut self,
        m: NodeId,
        relation: RelationId,
        n: NodeId,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        let label = self.full_label(n);
        let leaving = self.graph.leaving(n).map(|(to, arcs)| (to, arcs.to_vec()));
        let leaving: Vec<(NodeId, Vec<Arc>)> = leaving.collect();
        for (to, arcs) in leaving {
            for arc in arcs {
                let composed = self.composed(relation, &label, arc.relation)?;
                self.graph.add_arc(m, to, Arc::open(composed));
                self.counters.bypassed += 1;
            }
        }
        let behind = self.graph.node(n).own.ghosts.clone();
        let mut ghosts = vec![Ghost {
            relation,
            label: label.clone(),
        }];
        for ghost in behind {
            ghosts.push(Ghost {
                relation: self.composed(relation, &label, ghost.relation)?,
                label: ghost.label,
            });
        }
        self.graph.node_mut(m).own.ghosts.extend(ghosts);
        self.graph.remove_arc(m, n, relation);
        self.shed_arc(m, n, relation, SliceReason::Bypassed, run);
        Ok(())
    }

    /// The composition, after eliminating inputs that no assignment uses.
    fn composed(
        &mut self,
        first: RelationId,
        between: &[Term],
        second: RelationId,
    ) -> Result<RelationId, Stop> {
        let (mut command, origin) = self.relations.compose(first, between, second);
        self.eliminate(&mut command)?;
        Ok(self.relations.enter(command, origin))
    }

    /// Eliminates inputs in guards that occur in no assignment, if that is exact.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5]: the quantifiers of the general form of bypassing.
    fn eliminate(&mut self, parts: &mut Command) -> Result<(), Stop> {
        let terms = self.terms;
        let values: Vec<_> = parts.updates.iter().map(|u| u.value).collect();
        let needed: BTreeSet<Symbol> = terms.free_vars_of(&values).iter().map(|v| v.0).collect();
        let spare: Vec<(Symbol, Stage)> = parts
            .inputs
            .iter()
            .filter(|i| !needed.contains(i))
            .map(|&i| (i, Stage::Now))
            .collect();
        if spare.is_empty() {
            return Ok(());
        }
        let is_spare = |t: &Term| {
            let vars = terms.free_vars(*t);
            vars.iter().any(|v| spare.contains(v))
        };
        let (with, without): (Vec<_>, Vec<_>) = parts.guards.iter().copied().partition(is_spare);
        let formula = terms.and(with);
        let projection = self.eliminator.project(formula, &spare, &self.budget)??;
        if projection.exact {
            parts.guards = without;
            parts.guards.extend(terms.conjuncts(projection.formula));
            parts.guards.retain(|&g| g != terms.tt());
            parts.inputs = inputs_of(terms, parts);
        }
        Ok(())
    }
}
