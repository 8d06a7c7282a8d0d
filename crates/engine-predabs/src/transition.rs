//! The abstraction of one command: effects found by substitution, and blocks for the others.

use crate::alpha::Alpha;
use crate::blocks::{Block, close};
use crate::prover::Prover;
use crate::transformers::updates;
use sectile_domains::bdd::{Bdd, Manager};
use sectile_engine::Stop;
use sectile_model::{Command, Model};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// Maximum number of enumerated combinations: beyond that the relation over-approximates.
const MOST_COMBINATIONS: usize = 50_000;

/// The effect of a step on an abstract variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It keeps its value.
    Keep,
    /// It gets this value.
    Value(usize),
    /// It gets the value of another variable.
    Copy(usize),
    /// It gets the negation of a Boolean variable.
    Opposite(usize),
    /// Its next value is not a simple function of the current abstract state.
    Open,
}

/// The abstract transition for one command.
///
/// Paper: [BeGrLa, Sect. 4.3]: there is one abstract transition for every concrete one, so that
/// traces can be compared.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The name of the command.
    pub name: String,
    /// The abstract states in which it may be taken, as far as the guard is exact.
    pub guard: Bdd,
    /// Whether the abstract guard is exact.
    pub exact_guard: bool,
    /// The effect on each variable.
    pub effects: Vec<Effect>,
    /// The variables whose effect substitution did not determine.
    pub open: Vec<usize>,
    /// The transition as a relation between abstract states; unexplored states are related to all
    /// states.
    pub relation: Bdd,
    /// Whether the relation is the least one on explored states.
    pub complete: bool,
    /// The part determined by substitution.
    pub(crate) fixed: Bdd,
    /// The blocks of the other part.
    pub(crate) blocks: Vec<Block>,
}

impl Transition {
    /// Combines the fixed part and the blocks.
    pub(crate) fn assemble(&mut self, m: &mut Manager) {
        self.relation = self.fixed;
        for block in &self.blocks {
            let known = m.implies(block.explored, block.found);
            self.relation = m.and(self.relation, known);
        }
    }
}

/// Abstracts commands.
pub struct Abstractor<'a, 't> {
    /// The store.
    pub terms: &'t Terms,
    /// The concrete system.
    pub system: &'t Model,
    /// The abstraction relation.
    pub alpha: &'a Alpha,
    /// A condition on relevant states: successors of other states need not be sound.
    pub within: Term,
    /// Answers queries.
    pub prover: &'a mut Prover<'t>,
    /// The manager of the sets.
    pub manager: &'a mut Manager,
}

impl<'t> Abstractor<'_, 't> {
    /// The independent groups of abstract variables under a formula: their values combine freely.
    pub fn groups(&self, formula: Term) -> Vec<Vec<usize>> {
        let mut groups = Vec::new();
        let variables = self.alpha.variables().iter();
        let meanings: Vec<BTreeSet<Symbol>> =
            variables.map(|v| self.symbols(&v.meanings)).collect();
        let conjuncts = self.terms.conjuncts(formula).into_iter();
        let mut links: Vec<BTreeSet<Symbol>> = conjuncts.map(|t| self.symbols(&[t])).collect();
        links.extend(meanings.iter().cloned());
        let mut rest: Vec<usize> = (0..meanings.len()).collect();
        while let Some(&first) = rest.first() {
            let mut reached = meanings[first].clone();
            close(&links, &mut reached);
            let touched = |v: &usize| !meanings[*v].is_disjoint(&reached);
            let mut group: Vec<usize> = rest.iter().copied().filter(touched).collect();
            // A variable without concrete variables forms a group of its own.
            if !group.contains(&first) {
                group.push(first);
            }
            rest.retain(|v| !group.contains(v));
            groups.push(group);
        }
        groups
    }

    pub(crate) fn symbols(&self, list: &[Term]) -> BTreeSet<Symbol> {
        self.terms.free_vars_of(list).iter().map(|v| v.0).collect()
    }

    /// The meanings of the values of variables, now and next.
    pub(crate) fn rows(&self, now: &[usize], next: &[usize]) -> Vec<Vec<Term>> {
        let variables = self.alpha.variables();
        let mut rows: Vec<Vec<Term>> = Vec::new();
        rows.extend(now.iter().map(|&v| variables[v].meanings.clone()));
        for &v in next {
            let meanings = variables[v].meanings.iter();
            rows.push(meanings.map(|&t| self.terms.prime(t)).collect());
        }
        rows
    }

    /// The combinations of current values of `now` and next values of `next` under the formula;
    /// `None` if there are too many of them, or the query limit is reached.
    pub(crate) fn enumerate(
        &mut self,
        formula: Term,
        now: &[usize],
        next: &[usize],
    ) -> Result<Option<Bdd>, Stop> {
        let mut rows = Vec::new();
        for (i, terms) in self.rows(now, next).into_iter().enumerate() {
            let sets = (0..terms.len()).map(|value| self.value_of_row(now, next, i, value));
            rows.push(terms.into_iter().zip(sets.collect::<Vec<_>>()).collect());
        }
        self.enumerate_rows(formula, &rows)
    }

    /// The combinations of conditions, one of each row, in models of the formula, as a set; every
    /// condition comes with its set.
    pub(crate) fn enumerate_rows(
        &mut self,
        formula: Term,
        rows: &[Vec<(Term, Bdd)>],
    ) -> Result<Option<Bdd>, Stop> {
        let conditions = rows.iter().map(|row| row.iter().map(|r| r.0).collect());
        let conditions: Vec<Vec<Term>> = conditions.collect();
        let found = self
            .prover
            .combinations(formula, &conditions, MOST_COMBINATIONS)?;
        let Some(found) = found else {
            return Ok(None);
        };
        let mut set = Bdd::FALSE;
        for combination in found {
            let mut cube = Bdd::TRUE;
            for (row, &value) in rows.iter().zip(&combination).rev() {
                cube = self.manager.and(row[value].1, cube);
            }
            set = self.manager.or(set, cube);
        }
        Ok(Some(set))
    }

    /// The abstract states, or steps, in which row `i` of [`Abstractor::rows`] has a value.
    pub(crate) fn value_of_row(
        &mut self,
        now: &[usize],
        next: &[usize],
        i: usize,
        value: usize,
    ) -> Bdd {
        let (variable, primed) = match i < now.len() {
            true => (now[i], false),
            false => (next[i - now.len()], true),
        };
        let space = self.alpha.space();
        space.value(self.manager, variable, value, primed)
    }

    /// The abstract transition of a command, with nothing computed yet for the effects that
    /// substitution does not determine.
    ///
    /// Paper: [BeGrLa, Sect. 4.3, "Using substitutions"].
    pub fn prepare(&mut self, command: &Command) -> Result<Transition, Stop> {
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
        let mut fixed = guard;
        for (variable, &effect) in effects.iter().enumerate() {
            let here = self.effect(variable, effect);
            fixed = self.manager.and(fixed, here);
        }
        let blocks = self.blocks(command, &open, &inexact, &map);
        Ok(Transition {
            name: command.name.clone(),
            guard,
            exact_guard: inexact.is_empty(),
            effects,
            open,
            relation: fixed,
            complete: true,
            fixed,
            blocks,
        })
    }

    /// Recognises simple effects of the relation on open variables, for display.
    pub fn recognise(&mut self, transition: &mut Transition) {
        for &v in &transition.open.clone() {
            transition.effects[v] = self.recognised(transition.relation, v);
        }
    }

    /// The exact part of the guard, and the other conjuncts.
    pub(crate) fn guard(&mut self, command: &Command) -> (Bdd, Vec<Term>) {
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

    /// The assigned values, with consequences of the guard for single variables substituted.
    pub(crate) fn constants_and_updates(&self, command: &Command) -> Substitution {
        let mut constants = Substitution::default();
        let conjuncts = command.guards.iter().flat_map(|&g| self.terms.conjuncts(g));
        for conjunct in conjuncts {
            if let Node::Eq(a, b) = *self.terms.node(conjunct)
                && matches!(self.terms.node(a), Node::Var(..))
                && matches!(self.terms.node(b), Node::Variant(..) | Node::Bool(_))
            {
                constants.insert(a, b);
            }
            if let Node::Zero(sum) = *self.terms.node(conjunct)
                && let Some((variable, value)) = self.number(sum)
            {
                constants.insert(variable, value);
            }
        }
        let mut map = updates(self.terms, command);
        for value in map.values_mut() {
            *value = self.terms.substitute(*value, &constants);
        }
        map
    }

    /// The variable and its value, if a sum with one variable is zero.
    fn number(&self, sum: Term) -> Option<(Term, Term)> {
        let sum = self.terms.linear(sum);
        let [(variable, factor)] = sum.monomials() else {
            return None;
        };
        let value = -(sum.constant() / factor);
        let sort = self.terms.sort(*variable);
        let is_variable = matches!(self.terms.node(*variable), Node::Var(..));
        (is_variable && (sort == Sort::Real || value.is_int()))
            .then(|| (*variable, self.terms.number(value, sort)))
    }

    /// The effect on a variable, by substitution.
    fn by_substitution(
        &mut self,
        command: &Command,
        variable: usize,
        map: &Substitution,
    ) -> Result<Effect, Stop> {
        let variables = self.alpha.variables();
        let plain = self
            .alpha
            .after(self.terms, variable, &updates(self.terms, command));
        if plain == variables[variable].meanings {
            return Ok(Effect::Keep);
        }
        let after = self.alpha.after(self.terms, variable, map);
        if let Some(value) = after
            .iter()
            .position(|&t| self.terms.as_bool(t) == Some(true))
        {
            return Ok(Effect::Value(value));
        }
        if let Some(other) = variables.iter().position(|v| v.meanings == after) {
            return Ok(Effect::Copy(other));
        }
        let turned: Vec<Term> = after.iter().rev().copied().collect();
        let opposite = variables.iter().position(|v| v.meanings == turned);
        if let (Some(other), 2) = (opposite, after.len()) {
            return Ok(Effect::Opposite(other));
        }
        let value = self.constant_after(command, &after)?;
        Ok(value.map_or(Effect::Open, Effect::Value))
    }

    /// The value that every step of a command gives to a variable, independent of the others.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: `x := 0` makes `x > 0` false.
    pub(crate) fn constant_after(
        &mut self,
        command: &Command,
        after: &[Term],
    ) -> Result<Option<usize>, Stop> {
        if self.depends_on_choices(command, after) {
            return Ok(None);
        }
        let premise = self.terms.and(
            [self.within, self.system.restrict_formula(self.terms)]
                .into_iter()
                .chain(command.guards.iter().copied()),
        );
        for (value, &claim) in after.iter().enumerate() {
            if !self.prover.spent() && self.prover.implies(premise, claim)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn depends_on_choices(&self, command: &Command, after: &[Term]) -> bool {
        let used = self.terms.free_vars_of(after);
        let chosen = |s: &(Symbol, Stage)| s.1 == Stage::Next || command.inputs.contains(&s.0);
        used.iter().any(chosen)
    }

    /// The relation of an effect.
    pub(crate) fn effect(&mut self, variable: usize, effect: Effect) -> Bdd {
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

    /// The simple effect of a relation on a variable, if there is one.
    pub(crate) fn recognised(&mut self, found: Bdd, variable: usize) -> Effect {
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
}
