//! Live variables, and the removal of what relations say about dead ones.

use crate::abstraction::{Arc, NodeId, Status};
use crate::relation::{Conjuncts, Relation, RelationId};
use crate::search::Search;
use rustc_hash::FxHashMap;
use sectile_engine::{Run, SliceReason, Stop, is_satisfiable};
use sectile_terms::{Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A set of variables.
pub type Variables = BTreeSet<Symbol>;

/// A variable of a relation: current, next, or chosen at the step.
type Occurrence = (Symbol, Stage);

fn occurrences(terms: &Terms, t: Term) -> BTreeSet<Occurrence> {
    let vars = terms.free_vars(t).into_iter();
    vars.filter(|(s, _)| terms.symbol_kind(*s) != SymbolKind::Rigid)
        .collect()
}

/// The state variables of a state formula.
fn state_variables(terms: &Terms, t: Term) -> impl Iterator<Item = Symbol> {
    let vars = terms.free_vars(t).into_iter().map(|(s, _)| s);
    let state: Vec<Symbol> = vars
        .filter(|&s| terms.symbol_kind(s) == SymbolKind::State)
        .collect();
    state.into_iter()
}

/// The variables on which the possibility of the step depends.
///
/// Paper: [BrDrFiWe07, Sect. 5], `enabled(τ) = ∃V'. τ`. An assignment restricts nothing; for other
/// relations all their current variables are taken.
pub fn enabling(terms: &Terms, relation: &Relation) -> Variables {
    let conditions = relation.guards.iter().chain(&relation.relations);
    let vars = conditions.flat_map(|&c| occurrences(terms, c));
    let current = vars
        .filter(|(s, stage)| *stage == Stage::Now && terms.symbol_kind(*s) == SymbolKind::State);
    current.map(|(s, _)| s).collect()
}

/// The current variables that matter for the next values of `wanted`.
///
/// Paper: [BrDrFiWe07, Sect. 5], `depend_τ(X)`: the least `W` with `X' ⊆ W`, `vars(g_i) ⊆ W` for all
/// guards, and `vars(t_i) ⊆ W` for all relations that share a variable with `W`.
pub fn depend(terms: &Terms, relation: &Relation, wanted: &Variables) -> Variables {
    let mut w: BTreeSet<Occurrence> = wanted.iter().map(|&v| (v, Stage::Next)).collect();
    for &guard in &relation.guards {
        w.extend(occurrences(terms, guard));
    }
    let equations = relation.updates.iter();
    let equations = equations.map(|u| terms.eq(terms.next(u.symbol), u.value));
    let mut others: Vec<BTreeSet<Occurrence>> = equations
        .chain(relation.relations.iter().copied())
        .map(|t| occurrences(terms, t))
        .collect();
    loop {
        let before = w.len();
        others.retain(|vars| {
            let meets = vars.iter().any(|v| w.contains(v));
            if meets {
                w.extend(vars.iter().copied());
            }
            !meets
        });
        if w.len() == before {
            break;
        }
    }
    w.into_iter()
        .filter(|(s, stage)| *stage == Stage::Now && terms.symbol_kind(*s) == SymbolKind::State)
        .map(|(s, _)| s)
        .collect()
}

impl Search<'_, '_> {
    /// The live variables of every node.
    ///
    /// Paper: [BrDrFiWe07, Sect. 5]: the least fixpoint of `L(n) ⊇ vars(ν(n))`, the enabling
    /// variables of relations that leave `n`, and `depend_τ(L(m))` for every `τ` from `n` to `m`.
    pub fn live_variables(&self) -> BTreeMap<NodeId, Variables> {
        let terms = self.terms;
        let mut live: BTreeMap<NodeId, Variables> = BTreeMap::new();
        for n in self.graph.nodes() {
            let label = self.full_label(n);
            let mut own: Variables = label
                .iter()
                .flat_map(|&p| state_variables(terms, p))
                .collect();
            for (_, arcs) in self.graph.edges_from(n) {
                for arc in arcs {
                    own.extend(enabling(terms, self.relations.get(arc.relation)));
                }
            }
            // Bypassed nodes are still visited: what their states depend on is needed.
            for ghost in &self.graph.node(n).ghosts {
                let relation = self.relations.get(ghost.relation);
                let label = ghost.label.iter();
                let inside: Variables = label.flat_map(|&p| state_variables(terms, p)).collect();
                own.extend(enabling(terms, relation));
                own.extend(depend(terms, relation, &inside));
            }
            live.insert(n, own);
        }
        let mut memo: FxHashMap<(RelationId, NodeId, usize), Variables> = FxHashMap::default();
        loop {
            let mut changed = false;
            for n in self.graph.nodes() {
                let mut own = live[&n].clone();
                let before = own.len();
                for (m, arcs) in self.graph.edges_from(n) {
                    let after = &live[&m];
                    for arc in arcs {
                        let key = (arc.relation, m, after.len());
                        let needed = memo.entry(key).or_insert_with(|| {
                            depend(terms, self.relations.get(arc.relation), after)
                        });
                        own.extend(needed.iter().copied());
                    }
                }
                if own.len() > before {
                    changed = true;
                    live.insert(n, own);
                }
            }
            if !changed {
                return live;
            }
        }
    }

    /// Paper: [BrDrFiWe07, Sect. 5, Simplify Transition]. On every edge, conjuncts about variables
    /// that are dead on both sides are dropped, and assignments to variables dead at the target.
    ///
    /// The conjuncts dropped must be satisfiable: assignments always are, others are asked for.
    pub fn simplify(&mut self, run: &mut Run<'_>) -> Result<bool, Stop> {
        let live = self.live_variables();
        let mut changed = false;
        let all: Vec<NodeId> = self.graph.nodes().collect();
        for m in all {
            let edges: Vec<(NodeId, Vec<Arc>)> = self
                .graph
                .edges_from(m)
                .map(|(n, arcs)| (n, arcs.to_vec()))
                .collect();
            for (n, arcs) in edges {
                for arc in arcs {
                    let simpler = self.simplified(arc.relation, &live[&m], &live[&n])?;
                    let Some(simpler) = simpler else { continue };
                    changed = true;
                    self.counters.simplified += 1;
                    self.shed_arc(m, n, arc.relation, SliceReason::Simplified, run);
                    self.graph.retain_arcs(m, n, |a| {
                        if a.relation == arc.relation {
                            a.relation = simpler;
                            a.status = Status::Feasible(None);
                        }
                        true
                    });
                }
            }
        }
        Ok(changed)
    }

    /// The relation without what it says about dead variables, if it says such a thing.
    fn simplified(
        &mut self,
        id: RelationId,
        before: &Variables,
        after: &Variables,
    ) -> Result<Option<RelationId>, Stop> {
        let terms = self.terms;
        let relation = self.relations.get(id);
        if relation.is_idle() {
            return Ok(None);
        }
        let dead = |t: Term| {
            occurrences(terms, t).iter().all(|(s, stage)| match stage {
                Stage::Next => !after.contains(s),
                _ => terms.symbol_kind(*s) == SymbolKind::State && !before.contains(s),
            })
        };
        let dropped: Vec<Term> = relation
            .relations
            .iter()
            .copied()
            .filter(|&t| dead(t))
            .collect();
        let mut parts = Conjuncts {
            inputs: relation.inputs.clone(),
            guards: relation.guards.clone(),
            updates: relation.updates.clone(),
            relations: relation.relations.clone(),
        };
        // A relation may also mention the next value of an assigned variable: then it stays.
        let primed: BTreeSet<Symbol> = relation
            .relations
            .iter()
            .filter(|t| !dropped.contains(t))
            .flat_map(|&t| occurrences(terms, t))
            .filter(|(_, stage)| *stage == Stage::Next)
            .map(|(s, _)| s)
            .collect();
        parts
            .updates
            .retain(|u| after.contains(&u.symbol) || primed.contains(&u.symbol));
        parts.relations.retain(|t| !dropped.contains(t));
        let same = parts.updates.len() == relation.updates.len() && dropped.is_empty();
        let (name, origin) = (relation.name.clone(), relation.origin.clone());
        if same || !self.satisfiable(&dropped)? {
            return Ok(None);
        }
        let name = if name.ends_with('#') {
            name
        } else {
            name + "#"
        };
        let kept: Vec<Symbol> = parts.updates.iter().map(|u| u.symbol).collect();
        let key = (id, kept, parts.relations.clone());
        if let Some(&known) = self.simpler.get(&key) {
            return Ok(Some(known));
        }
        let made = self.relations.enter(name, origin, parts);
        self.simpler.insert(key, made);
        Ok(Some(made))
    }

    fn satisfiable(&mut self, conjuncts: &[Term]) -> Result<bool, Stop> {
        if conjuncts.is_empty() {
            return Ok(true);
        }
        let (solver, budget) = self.solver();
        is_satisfiable(solver, conjuncts, budget)
    }
}
