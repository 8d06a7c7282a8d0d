//! The abstraction of one command: by substitution where that is enough, else by enumeration.

use crate::alpha::Alpha;
use crate::prover::{Prover, Stop};
use crate::transformers::updates;
use sectile_domains::bdd::{Bdd, Manager};
use sectile_model::{Command, TransitionSystem};
use sectile_terms::{Node, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// More combinations than this are not enumerated: the relation stays an over-approximation.
const MOST_COMBINATIONS: usize = 50_000;

/// What a step does to an abstract variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It keeps its value.
    Keep,
    /// It gets this value.
    Value(usize),
    /// It gets the value of another variable.
    Copy(usize),
    /// It gets the opposite of the truth value of a variable.
    Opposite(usize),
    /// Its next value is no simple function of the current abstract state.
    Open,
}

/// An abstract transition, for one concrete one.
///
/// Paper: [BeGrLa, Sect. 4.3]: there is one abstract transition for every concrete one, so that
/// traces can be compared.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The name of the command.
    pub name: String,
    /// The abstract states in which it may be taken.
    pub guard: Bdd,
    /// Whether the guard says exactly what the concrete one says.
    pub exact_guard: bool,
    /// What happens to each variable.
    pub effects: Vec<Effect>,
    /// The variables whose effect substitution did not determine.
    pub open: Vec<usize>,
    /// The transition as a relation between abstract states.
    pub relation: Bdd,
    /// Whether the relation is the least one.
    pub complete: bool,
}

/// Abstracts commands.
pub struct Abstractor<'a, 't> {
    /// The store.
    pub terms: &'t Terms,
    /// The concrete system.
    pub system: &'t TransitionSystem,
    /// The abstraction relation.
    pub alpha: &'a Alpha,
    /// What only states that matter satisfy: successors of other states need not be right.
    pub within: Term,
    /// Answers questions.
    pub prover: &'a mut Prover<'t>,
    /// Owns the sets.
    pub manager: &'a mut Manager,
}

impl Abstractor<'_, '_> {
    /// The abstract states of a formula: `exists C. formula and alpha`.
    ///
    /// Variables that nothing connects are looked at apart: their values combine freely.
    pub fn image(&mut self, formula: Term) -> Result<Bdd, Stop> {
        if !self.prover.satisfiable(formula)? {
            return Ok(Bdd::FALSE);
        }
        let mut result = Bdd::TRUE;
        let mut rest: Vec<usize> = (0..self.alpha.space().len()).collect();
        let conjuncts = self.terms.conjuncts(formula);
        while let Some(&first) = rest.first() {
            let mut links: Vec<BTreeSet<Symbol>> = Vec::new();
            links.extend(conjuncts.iter().map(|&t| self.symbols(&[t])));
            let start = self.symbols(&self.alpha.variables()[first].meanings);
            let mut group = self.linked(links, start);
            // A variable over no concrete one belongs to no group but its own.
            group.retain(|v| rest.contains(v));
            if !group.contains(&first) {
                group.push(first);
            }
            if let Some(found) = self.enumerate(formula, &group, &[])? {
                result = self.manager.and(result, found);
            }
            rest.retain(|v| !group.contains(v));
        }
        Ok(result)
    }

    fn symbols(&self, list: &[Term]) -> BTreeSet<Symbol> {
        self.terms.free_vars_of(list).iter().map(|v| v.0).collect()
    }

    /// The abstract variables that links, and meanings of variables, connect with some symbols.
    fn linked(
        &self,
        mut links: Vec<BTreeSet<Symbol>>,
        mut reached: BTreeSet<Symbol>,
    ) -> Vec<usize> {
        let variables = self.alpha.variables();
        links.extend(variables.iter().map(|v| self.symbols(&v.meanings)));
        close(&links, &mut reached);
        let touches = |v: &usize| !self.symbols(&variables[*v].meanings).is_disjoint(&reached);
        (0..variables.len()).filter(touches).collect()
    }

    /// The combinations of current values of `now` and next values of `next` that the formula has.
    fn enumerate(
        &mut self,
        formula: Term,
        now: &[usize],
        next: &[usize],
    ) -> Result<Option<Bdd>, Stop> {
        let variables = self.alpha.variables();
        let mut rows: Vec<Vec<Term>> = Vec::new();
        rows.extend(now.iter().map(|&v| variables[v].meanings.clone()));
        for &v in next {
            let meanings = variables[v].meanings.iter();
            rows.push(meanings.map(|&t| self.terms.prime(t)).collect());
        }
        let found = self
            .prover
            .combinations(formula, &rows, MOST_COMBINATIONS)?;
        let Some(found) = found else {
            return Ok(None);
        };
        let mut set = Bdd::FALSE;
        for combination in found {
            let mut cube = Bdd::TRUE;
            for (i, &value) in combination.iter().enumerate().rev() {
                let (variable, primed) = match i < now.len() {
                    true => (now[i], false),
                    false => (next[i - now.len()], true),
                };
                let is = self
                    .alpha
                    .space()
                    .value(self.manager, variable, value, primed);
                cube = self.manager.and(is, cube);
            }
            set = self.manager.or(set, cube);
        }
        Ok(Some(set))
    }

    /// The abstract transition of a command.
    ///
    /// Paper: [BeGrLa, Sect. 4.3, "Using substitutions"], then elimination for what is left.
    pub fn transition(&mut self, command: &Command) -> Result<Transition, Stop> {
        let (guard, inexact) = self.guard(command);
        let map = self.constants_and_updates(command);
        let mut effects = Vec::new();
        let mut open = Vec::new();
        for variable in 0..self.alpha.space().len() {
            let effect = self.by_substitution(command, variable, &map)?;
            if effect == Effect::Open {
                open.push(variable);
            }
            effects.push(effect);
        }
        let mut relation = guard;
        for (variable, &effect) in effects.iter().enumerate() {
            let here = self.effect(variable, effect);
            relation = self.manager.and(relation, here);
        }
        let mut complete = true;
        let step = self.system.step_formula(self.terms, command);
        let formula = self.terms.and2(self.within, step);
        for block in self.blocks(command, &open, &inexact, &map) {
            match self.enumerate(formula, &block.sources, &block.open)? {
                Some(found) => {
                    relation = self.manager.and(relation, found);
                    for &v in &block.open {
                        effects[v] = self.recognised(found, v);
                    }
                }
                None => complete = false,
            }
        }
        Ok(Transition {
            name: command.name.clone(),
            guard,
            exact_guard: inexact.is_empty(),
            effects,
            open,
            relation,
            complete,
        })
    }

    /// The guard, as far as it is exact, and the conjuncts that are not.
    fn guard(&mut self, command: &Command) -> (Bdd, Vec<Term>) {
        let mut exact = Bdd::TRUE;
        let mut inexact = Vec::new();
        let conjuncts = command.guards.iter().flat_map(|&g| self.terms.conjuncts(g));
        for conjunct in conjuncts.collect::<Vec<_>>() {
            match self.alpha.exact(self.terms, self.manager, conjunct) {
                Some(set) => exact = self.manager.and(exact, set),
                None => inexact.push(conjunct),
            }
        }
        (exact, inexact)
    }

    /// The assigned values, with what the guard says about single variables put in.
    fn constants_and_updates(&self, command: &Command) -> Substitution {
        let mut constants = Substitution::default();
        let conjuncts = command.guards.iter().flat_map(|&g| self.terms.conjuncts(g));
        for conjunct in conjuncts {
            if let Node::Eq(a, b) = *self.terms.node(conjunct)
                && matches!(self.terms.node(a), Node::Var(..))
                && matches!(self.terms.node(b), Node::Variant(..) | Node::Bool(_))
            {
                constants.insert(a, b);
            }
        }
        let mut map = updates(self.terms, command);
        for value in map.values_mut() {
            *value = self.terms.substitute(*value, &constants);
        }
        map
    }

    /// The effect on a variable that substitution finds.
    fn by_substitution(
        &mut self,
        command: &Command,
        variable: usize,
        map: &Substitution,
    ) -> Result<Effect, Stop> {
        let after = self.alpha.after(self.terms, variable, map);
        let variables = self.alpha.variables();
        if let Some(value) = after
            .iter()
            .position(|&t| self.terms.as_bool(t) == Some(true))
        {
            return Ok(Effect::Value(value));
        }
        if after == variables[variable].meanings {
            return Ok(Effect::Keep);
        }
        if let Some(other) = variables.iter().position(|v| v.meanings == after) {
            return Ok(Effect::Copy(other));
        }
        let turned: Vec<Term> = after.iter().rev().copied().collect();
        let opposite = variables.iter().position(|v| v.meanings == turned);
        if let (Some(other), 2) = (opposite, after.len()) {
            return Ok(Effect::Opposite(other));
        }
        if self.depends_on_choices(command, &after) {
            return Ok(Effect::Open);
        }
        let premise = self.terms.and(
            [self.within, self.system.restrict_formula(self.terms)]
                .into_iter()
                .chain(command.guards.iter().copied()),
        );
        for (value, &claim) in after.iter().enumerate() {
            if self.prover.implies(premise, claim)? {
                return Ok(Effect::Value(value));
            }
        }
        Ok(Effect::Open)
    }

    fn depends_on_choices(&self, command: &Command, after: &[Term]) -> bool {
        let used = self.terms.free_vars_of(after);
        let chosen = |s: &(Symbol, Stage)| s.1 == Stage::Next || command.inputs.contains(&s.0);
        used.iter().any(chosen)
    }

    /// The relation that an effect is.
    fn effect(&mut self, variable: usize, effect: Effect) -> Bdd {
        let space = self.alpha.space();
        let m = &mut *self.manager;
        let from = match effect {
            Effect::Open => return Bdd::TRUE,
            Effect::Keep => return space.unchanged(m, variable),
            Effect::Value(value) => return space.value(m, variable, value, true),
            Effect::Copy(other) | Effect::Opposite(other) => other,
        };
        let size = space.size(variable);
        let mut cases = Vec::new();
        for value in 0..size {
            let now = space.value(m, from, value, false);
            let target = match effect {
                Effect::Opposite(_) => size - 1 - value,
                _ => value,
            };
            let next = space.value(m, variable, target, true);
            cases.push(m.and(now, next));
        }
        m.or_all(cases)
    }

    /// The simple effect that an enumerated relation has on a variable, if it has one.
    fn recognised(&mut self, found: Bdd, variable: usize) -> Effect {
        let size = self.alpha.space().size(variable);
        let same_size = |other: &usize| self.alpha.space().size(*other) == size;
        let others: Vec<usize> = (0..self.alpha.space().len()).filter(same_size).collect();
        let mut candidates = vec![Effect::Keep];
        candidates.extend((0..size).map(Effect::Value));
        candidates.extend(others.iter().map(|&o| Effect::Copy(o)));
        if size == 2 {
            candidates.extend(others.iter().map(|&o| Effect::Opposite(o)));
        }
        for candidate in candidates {
            let relation = self.effect(variable, candidate);
            if self.manager.is_subset(found, relation) {
                return candidate;
            }
        }
        Effect::Open
    }

    /// The open variables and the guards that are not exact, in groups that nothing connects, each
    /// with the current values it may depend on.
    ///
    /// Paper: [BeGrLa, Lemma 2, Lemma 3]: a partition of the abstract variables, which loses
    /// nothing because the conditions decompose in the same way.
    fn blocks(
        &self,
        command: &Command,
        open: &[usize],
        inexact: &[Term],
        map: &Substitution,
    ) -> Vec<Block> {
        let terms = self.terms;
        let variables = self.alpha.variables();
        let mut links: Vec<BTreeSet<Symbol>> = Vec::new();
        links.extend(variables.iter().map(|v| self.symbols(&v.meanings)));
        links.extend(inexact.iter().map(|&t| self.symbols(&[t])));
        let relations = command.relations.iter().flat_map(|&t| terms.conjuncts(t));
        links.extend(relations.map(|t| self.symbols(&[t])));
        let within = terms.conjuncts(self.within);
        links.extend(within.iter().map(|&t| self.symbols(&[t])));
        for &conjunct in &self.system.restrict {
            links.push(self.symbols(&[conjunct]));
            let after = terms.substitute(terms.prime(conjunct), map);
            links.push(self.symbols(&[after]));
        }
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
            let block = Block {
                sources: (0..variables.len()).filter(touches).collect(),
                open: after
                    .iter()
                    .filter(|a| !a.1.is_disjoint(&reached))
                    .map(|a| a.0)
                    .collect(),
            };
            blocks.push((reached, block));
        }
        blocks.into_iter().map(|b| b.1).collect()
    }
}

/// Abstract variables that are enumerated together.
struct Block {
    sources: Vec<usize>,
    open: Vec<usize>,
}

/// Adds what links connect with what is reached.
fn close(links: &[BTreeSet<Symbol>], reached: &mut BTreeSet<Symbol>) {
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
