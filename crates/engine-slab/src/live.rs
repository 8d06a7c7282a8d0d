//! Live variables, and removal of conditions on dead ones from relations.

use crate::relation::RelationId;
use crate::search::Search;
use rustc_hash::FxHashMap;
use sectile_engine::{NodeId, Run, SliceReason, Status, Stop};
use sectile_model::Command;
use sectile_terms::{Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A set of variables.
pub type Variables = BTreeSet<Symbol>;

/// A variable of a relation: current, next, or an input.
type Occurrence = (Symbol, Stage);

fn occurrences(terms: &Terms, t: Term) -> BTreeSet<Occurrence> {
    let vars = terms.free_vars(t).into_iter();
    vars.filter(|(s, _)| terms.symbol_kind(*s) != SymbolKind::Rigid)
        .collect()
}

/// The variables that occur with their current values.
fn current(terms: &Terms, occurrences: impl IntoIterator<Item = Occurrence>) -> Variables {
    let now = occurrences.into_iter().filter(|v| v.1 == Stage::Now);
    now.map(|v| v.0)
        .filter(|&s| terms.symbol_kind(s) == SymbolKind::State)
        .collect()
}

/// The variables of some state formulas.
fn state_variables(terms: &Terms, formulas: &[Term]) -> Variables {
    current(terms, terms.free_vars_of(formulas))
}

/// The variables that affect whether the step is possible.
///
/// Paper: [BrDrFiWe07, Sect. 5], `enabled(τ) = ∃V'. τ`. An assignment restricts nothing; for other
/// relations all their current variables are taken.
pub fn enabling(terms: &Terms, relation: &Command) -> Variables {
    let conditions = relation.guards.iter().chain(&relation.relations);
    current(terms, conditions.flat_map(|&c| terms.free_vars(c)))
}

/// The current variables on which the next values of `wanted` depend.
///
/// Paper: [BrDrFiWe07, Sect. 5], `depend_τ(X)`: the least `W` with `X' ⊆ W`, `vars(g_i) ⊆ W` for all
/// guards, and `vars(t_i) ⊆ W` for all relations that share a variable with `W`.
pub fn depend(terms: &Terms, relation: &Command, wanted: &Variables) -> Variables {
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
    current(terms, w)
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
            let mut own = state_variables(terms, &self.full_label(n));
            for arc in self.graph.edges_from(n).flat_map(|(_, arcs)| arcs) {
                own.extend(enabling(terms, &self.relations.get(arc.relation).command));
            }
            // Bypassed nodes are still visited: the variables of their states are live.
            for ghost in &self.graph.node(n).own.ghosts {
                let relation = &self.relations.get(ghost.relation).command;
                let inside = state_variables(terms, &ghost.label);
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
                            depend(terms, &self.relations.get(arc.relation).command, after)
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
    /// The dropped conjuncts must be satisfiable: assignments always are, others are checked.
    pub fn simplify(&mut self, run: &mut Run<'_>) -> Result<bool, Stop> {
        let live = self.live_variables();
        let mut changed = false;
        let all: Vec<NodeId> = self.graph.nodes().collect();
        for m in all {
            let edges = self.graph.edges_from(m);
            let edges = edges.flat_map(|(n, arcs)| arcs.iter().map(move |a| (n, a.relation)));
            for (n, relation) in edges.collect::<Vec<_>>() {
                let simpler = self.simplified(relation, &live[&m], &live[&n])?;
                let Some(simpler) = simpler else { continue };
                changed = true;
                self.counters.simplified += 1;
                self.shed_arc(m, n, relation, SliceReason::Simplified, run);
                self.graph.retain_arcs(m, n, |a| {
                    if a.relation == relation {
                        a.relation = simpler;
                        a.status = Status::Feasible(None);
                    }
                    true
                });
            }
        }
        Ok(changed)
    }

    /// The relation without conditions on dead variables, if there are any.
    fn simplified(
        &mut self,
        id: RelationId,
        before: &Variables,
        after: &Variables,
    ) -> Result<Option<RelationId>, Stop> {
        let terms = self.terms;
        let entry = self.relations.get(id);
        if entry.is_idle() {
            return Ok(None);
        }
        let relation = &entry.command;
        let dead = |t: Term| {
            occurrences(terms, t).iter().all(|(s, stage)| match stage {
                Stage::Next => !after.contains(s),
                _ => terms.symbol_kind(*s) == SymbolKind::State && !before.contains(s),
            })
        };
        let all = relation.relations.iter().copied();
        let (dropped, kept): (Vec<Term>, Vec<Term>) = all.partition(|&t| dead(t));
        // Other relations may mention the next value of an assigned variable; the assignment then
        // stays.
        let primed = terms.free_vars_of(&kept);
        let mut simpler = relation.clone();
        simpler.relations = kept;
        simpler
            .updates
            .retain(|u| after.contains(&u.symbol) || primed.contains(&(u.symbol, Stage::Next)));
        if simpler.updates.len() == relation.updates.len() && dropped.is_empty() {
            return Ok(None);
        }
        let origin = entry.origin.clone();
        if !dropped.is_empty() && !self.is_satisfiable(&dropped)? {
            return Ok(None);
        }
        if !simpler.name.ends_with('#') {
            simpler.name.push('#');
        }
        let assigned: Vec<Symbol> = simpler.updates.iter().map(|u| u.symbol).collect();
        let key = (id, assigned, simpler.relations.clone());
        if let Some(&known) = self.simpler.get(&key) {
            return Ok(Some(known));
        }
        let made = self.relations.enter(simpler, origin);
        self.simpler.insert(key, made);
        Ok(Some(made))
    }
}
