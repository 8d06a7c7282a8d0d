//! Effects that substitution leaves open, in independent blocks that are enumerated by models.

use crate::alpha::Kind;
use crate::transformers::updates;
use crate::transition::{Abstractor, Transition};
use sectile_domains::bdd::{Bdd, Manager};
use sectile_engine::Stop;
use sectile_model::Command;
use sectile_terms::{Node, Substitution, Symbol, Term};
use std::collections::BTreeSet;

/// Abstract variables whose next values are computed together.
#[derive(Clone, Debug)]
pub struct Block {
    /// The variables whose current values are relevant.
    pub sources: Vec<usize>,
    /// The variables whose next values are not determined.
    pub open: Vec<usize>,
    /// The combinations found so far.
    pub found: Bdd,
    /// The sets of current values whose steps were all found.
    pub explored: Bdd,
    /// The values of each source, grouped if the step does not distinguish them.
    classes: Vec<Vec<Vec<usize>>>,
    /// The step, with assigned values substituted.
    step: Term,
    /// The meanings of the next values of the open variables, with assigned values substituted.
    after: Vec<Vec<Term>>,
}

impl Block {
    /// Takes over earlier results for a block, if the query is the same.
    pub(crate) fn reuse(&mut self, old: &[Block]) {
        let same = |o: &&Block| {
            o.sources == self.sources
                && o.open == self.open
                && o.step == self.step
                && o.classes == self.classes
        };
        if let Some(old) = old.iter().find(same) {
            self.found = old.found;
            self.explored = old.explored;
        }
    }
}

/// Conditions of a command on states before and after it, beyond its assignments.
struct Conditions {
    /// Conditions on the current state, inputs and next values.
    all: Vec<Term>,
    /// Those that abstract values do not express exactly.
    inexact: Vec<Term>,
    /// The same with consequences of the guard for single variables substituted: they connect
    /// variables.
    links: Vec<Term>,
}

impl<'t> Abstractor<'_, 't> {
    /// Computes the transitions from the states of a set. Returns whether anything was new.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: only successors of states found reachable.
    pub fn explore(&mut self, transition: &mut Transition, set: Bdd) -> Result<bool, Stop> {
        let set = self.manager.and(set, transition.guard);
        let mut new = false;
        for block in &mut transition.blocks {
            let here = self.sources_in(block, set);
            let todo = self.manager.minus(here, block.explored);
            if todo == Bdd::FALSE {
                continue;
            }
            new = true;
            let found = match self.steps_from(block, todo)? {
                // Repeated combinations do not matter.
                Some(found) => self.manager.and(found, todo),
                None => {
                    transition.complete = false;
                    todo
                }
            };
            block.found = self.manager.or(block.found, found);
            block.explored = self.manager.or(block.explored, todo);
        }
        if new {
            transition.assemble(self.manager);
        }
        Ok(new)
    }

    /// The projection of a set to the sources of a block, up to values that the step does not
    /// distinguish.
    fn sources_in(&mut self, block: &Block, set: Bdd) -> Bdd {
        let space = self.alpha.space();
        let mut here = self.manager.exists(set, &|level| {
            !block.sources.contains(&space.variable_of(level).0)
        });
        for (&variable, classes) in block.sources.iter().zip(&block.classes) {
            if classes.len() == space.size(variable) {
                continue;
            }
            let mut parts = Vec::new();
            for class in classes {
                let is = values(self.manager, space, variable, class);
                let part = self.manager.and(here, is);
                let rest = space.forget(self.manager, part, variable);
                parts.push(self.manager.and(rest, is));
            }
            here = self.manager.or_all(parts);
        }
        here
    }

    /// The combinations of current and next values of steps from a set; `None` if there are too
    /// many.
    fn steps_from(&mut self, block: &Block, set: Bdd) -> Result<Option<Bdd>, Stop> {
        let terms = self.terms;
        let from = self.alpha.concrete(terms, self.manager, set);
        let formula = terms.and2(block.step, from);
        let space = self.alpha.space();
        let mut rows: Vec<Vec<(Term, Bdd)>> = Vec::new();
        for (&variable, classes) in block.sources.iter().zip(&block.classes) {
            if classes.len() < 2 {
                continue;
            }
            let meanings = &self.alpha.variables()[variable].meanings;
            let mut row = Vec::new();
            for class in classes {
                let is = terms.or(class.iter().map(|&v| meanings[v]));
                row.push((is, values(self.manager, space, variable, class)));
            }
            rows.push(row);
        }
        for (&variable, after) in block.open.iter().zip(&block.after) {
            let mut row = Vec::new();
            for (value, &is) in after.iter().enumerate() {
                row.push((is, space.value(self.manager, variable, value, true)));
            }
            rows.push(row);
        }
        self.enumerate_rows(formula, &rows)
    }

    /// The open variables and the inexact guards, in independent groups, each with the current
    /// values it may depend on.
    ///
    /// Paper: [BeGrLa, Lemma 2, Lemma 3]: a partition of the abstract variables, which loses
    /// nothing because the conditions decompose in the same way.
    pub(crate) fn blocks(
        &self,
        command: &Command,
        open: &[usize],
        inexact: &[Term],
        map: &Substitution,
    ) -> Vec<Block> {
        let terms = self.terms;
        let variables = self.alpha.variables();
        let conditions = self.conditions(command, inexact, map);
        let mut links: Vec<BTreeSet<Symbol>> = Vec::new();
        links.extend(variables.iter().map(|v| self.symbols(&v.meanings)));
        links.extend(conditions.links.iter().map(|&t| self.symbols(&[t])));
        let after: Vec<(usize, BTreeSet<Symbol>)> = open
            .iter()
            .map(|&v| (v, self.symbols(&self.alpha.after(terms, v, map))))
            .collect();
        links.extend(after.iter().map(|a| a.1.clone()));
        let starts = after.iter().map(|a| a.1.clone());
        let starts = starts.chain(inexact.iter().map(|&t| self.symbols(&[t])));
        let mut blocks: Vec<(BTreeSet<Symbol>, Block)> = Vec::new();
        for mut reached in starts {
            if blocks.iter().any(|(seen, _)| !seen.is_disjoint(&reached)) {
                continue;
            }
            close(&links, &mut reached);
            let touches = |v: &usize| !self.symbols(&variables[*v].meanings).is_disjoint(&reached);
            let sources: Vec<usize> = (0..variables.len()).filter(touches).collect();
            let open = after.iter().filter(|a| !a.1.is_disjoint(&reached));
            let open: Vec<usize> = open.map(|a| a.0).collect();
            let block = self.block(command, sources, open, &conditions);
            blocks.push((reached, block));
        }
        blocks.into_iter().map(|b| b.1).collect()
    }

    fn block(
        &self,
        command: &Command,
        sources: Vec<usize>,
        open: Vec<usize>,
        conditions: &Conditions,
    ) -> Block {
        let assigned = updates(self.terms, command);
        let after = open.iter();
        let after = after.map(|&v| self.alpha.after(self.terms, v, &assigned));
        let after: Vec<Vec<Term>> = after.collect();
        let mut relevant = conditions.inexact.clone();
        relevant.extend(after.iter().flatten());
        for &source in &sources {
            let variable = &self.alpha.variables()[source];
            if !matches!(variable.kind, Kind::Copy(_)) {
                relevant.extend(&variable.meanings);
            }
        }
        let classes = sources.iter().map(|&v| self.classes(v, &relevant));
        Block {
            classes: classes.collect(),
            sources,
            open,
            found: Bdd::FALSE,
            explored: Bdd::FALSE,
            step: self.terms.and(conditions.all.iter().copied()),
            after,
        }
    }

    fn conditions(&self, command: &Command, inexact: &[Term], map: &Substitution) -> Conditions {
        let terms = self.terms;
        let restrict = self.system.restrict.iter().copied();
        let after = restrict.clone().map(|t| terms.prime(t));
        let of_steps: Vec<Term> = command.relations.iter().copied().chain(after).collect();
        let others = |values: &Substitution| -> Vec<Term> {
            let steps = of_steps.iter().map(|&t| terms.substitute(t, values));
            let all = restrict.clone().chain([self.within]).chain(steps);
            all.flat_map(|t| terms.conjuncts(t)).collect()
        };
        let assigned = others(&updates(terms, command));
        let inexact = inexact.iter().copied();
        Conditions {
            all: command.guards.iter().chain(&assigned).copied().collect(),
            links: inexact.clone().chain(others(map)).collect(),
            inexact: inexact.chain(assigned).collect(),
        }
    }

    /// The values of a variable, grouped if no condition distinguishes them: for a copy that is
    /// compared with some of its values only.
    fn classes(&self, variable: usize, conditions: &[Term]) -> Vec<Vec<usize>> {
        let terms = self.terms;
        let size = self.alpha.space().size(variable);
        let all = (0..size).map(|v| vec![v]).collect();
        let Kind::Copy(symbol) = self.alpha.variables()[variable].kind else {
            return all;
        };
        let copied = terms.var(symbol);
        let mut named = BTreeSet::new();
        for t in terms.post_order(conditions) {
            let node = terms.node(t);
            if let Node::Eq(a, b) = node
                && (*a == copied || *b == copied)
                && let Node::Variant(_, value) = terms.node(if *a == copied { *b } else { *a })
            {
                named.insert(*value as usize);
                continue;
            }
            let mut uses = t == copied && conditions.contains(&t);
            node.for_each_child(|c| uses |= c == copied);
            if uses {
                return all;
            }
        }
        let mut classes: Vec<Vec<usize>> = named.iter().map(|&v| vec![v]).collect();
        let rest: Vec<usize> = (0..size).filter(|v| !named.contains(v)).collect();
        if !rest.is_empty() {
            classes.push(rest);
        }
        classes
    }
}

/// The states in which a variable currently has one of the given values.
fn values(
    m: &mut Manager,
    space: &sectile_domains::bdd::Space,
    variable: usize,
    class: &[usize],
) -> Bdd {
    let mut parts = Vec::new();
    for &value in class {
        parts.push(space.value(m, variable, value, false));
    }
    m.or_all(parts)
}

/// Adds everything that links connect with the reached variables.
pub(crate) fn close(links: &[BTreeSet<Symbol>], reached: &mut BTreeSet<Symbol>) {
    loop {
        let before = reached.len();
        for link in links {
            if !link.is_disjoint(reached) {
                reached.extend(link.iter().copied());
            }
        }
        if reached.len() == before {
            break;
        }
    }
}
