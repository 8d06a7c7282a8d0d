//! The elimination method: removes pairs of abstract states from the full relation.

use crate::method::{Method, Recipe};
use crate::transition::{Abstractor, Effect, Transition};
use sectile_domains::bdd::Bdd;
use sectile_engine::Stop;
use sectile_model::Command;
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

/// The pairs in question: current values of `now`, next values of `next`.
struct Pairs<'p> {
    now: &'p [usize],
    next: &'p [usize],
    rows: Vec<Vec<Term>>,
    sets: bool,
}

impl<'t> Abstractor<'_, 't> {
    /// The rest of `known` after removal of all pairs that the formula excludes.
    ///
    /// With `sets`, a whole set of pairs is removed at once if the formula excludes it. When the
    /// query limit is reached, the rest stays.
    ///
    /// Paper: [BeGrLa, Lemma 1].
    pub fn eliminate(
        &mut self,
        formula: Term,
        now: &[usize],
        next: &[usize],
        known: Bdd,
        sets: bool,
    ) -> Result<Bdd, Stop> {
        let pairs = Pairs {
            now,
            next,
            rows: self.rows(now, next),
            sets,
        };
        self.prover.assume(formula)?;
        let result = match sets && !self.prover.spent() && !self.prover.ask()? {
            true => Ok(Bdd::FALSE),
            false => self.halves(&pairs, 0, known),
        };
        self.prover.retract();
        result
    }

    /// The pairs with the prefix of values assumed so far. The depth is the number of rows.
    fn halves(&mut self, pairs: &Pairs<'_>, position: usize, known: Bdd) -> Result<Bdd, Stop> {
        if known == Bdd::FALSE || self.prover.spent() {
            return Ok(known);
        }
        if position == pairs.rows.len() {
            let there = pairs.sets || self.prover.ask()?;
            return Ok(if there { known } else { Bdd::FALSE });
        }
        let mut parts = Vec::new();
        for value in 0..pairs.rows[position].len() {
            let here = self.value_of_row(pairs.now, pairs.next, position, value);
            let part = self.manager.and(known, here);
            if part != Bdd::FALSE {
                parts.push((value, part));
            }
        }
        let choices = parts.len();
        let mut result = Bdd::FALSE;
        for (value, part) in parts {
            if self.prover.spent() {
                result = self.manager.or(result, part);
                continue;
            }
            self.prover.assume(pairs.rows[position][value])?;
            // Without a choice, the query was answered before.
            let asked = pairs.sets && choices > 1;
            let left = match asked && !self.prover.ask()? {
                true => Ok(Bdd::FALSE),
                false => self.halves(pairs, position + 1, part),
            };
            self.prover.retract();
            result = self.manager.or(result, left?);
        }
        Ok(result)
    }

    /// The abstract states that are not excluded by pairs of values.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: dependences between concrete predicates.
    pub fn consistent(&mut self) -> Result<Bdd, Stop> {
        let variables = self.alpha.variables();
        let symbols: Vec<BTreeSet<Symbol>> = variables
            .iter()
            .map(|v| self.symbols(&v.meanings))
            .collect();
        let domain = self.system.restrict_formula(self.terms);
        let mut result = self.alpha.space().valid(self.manager, false);
        for a in 0..variables.len() {
            for b in a + 1..variables.len() {
                if symbols[a].is_disjoint(&symbols[b]) {
                    continue;
                }
                for (k, &p) in variables[a].meanings.iter().enumerate() {
                    for (l, &q) in variables[b].meanings.iter().enumerate() {
                        if self.prover.spent() {
                            return Ok(result);
                        }
                        let both = self.terms.and([domain, p, q]);
                        if !self.prover.satisfiable(both)? {
                            let space = self.alpha.space();
                            let x = space.value(self.manager, a, k, false);
                            let y = space.value(self.manager, b, l, false);
                            let both = self.manager.and(x, y);
                            result = self.manager.minus(result, both);
                        }
                    }
                }
            }
        }
        Ok(result)
    }

    /// The full relation without pairs that the speed-ups exclude. `consistent` are the relevant
    /// abstract states.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: independence, dependences, and next values that are constant.
    pub fn straightforward(
        &mut self,
        command: &Command,
        recipe: &Recipe,
        consistent: Bdd,
    ) -> Result<Bdd, Stop> {
        let space = self.alpha.space().clone();
        let after = space.prime(self.manager, consistent);
        let mut relation = self.manager.and(consistent, after);
        let map = self.constants_and_updates(command);
        for variable in 0..space.len() {
            let meanings = self.alpha.variables()[variable].meanings.clone();
            let effect = if recipe.independence && self.unchanged(command, &meanings) {
                Effect::Keep
            } else if recipe.constants {
                let after = self.alpha.after(self.terms, variable, &map);
                match self.constant_after(command, &after)? {
                    Some(value) => Effect::Value(value),
                    None => continue,
                }
            } else {
                continue;
            };
            let here = self.effect(variable, effect);
            relation = self.manager.and(relation, here);
        }
        Ok(relation)
    }

    /// Whether a command does not change the variables of some conditions.
    fn unchanged(&self, command: &Command, meanings: &[Term]) -> bool {
        let map = self.constants_and_updates(command);
        let used = self.terms.free_vars_of(meanings);
        used.iter().all(|&(symbol, _)| {
            let rigid = self.system.rigid.contains(&symbol);
            rigid || map.get(&self.terms.next(symbol)) == Some(&self.terms.var(symbol))
        })
    }

    /// The abstract transition of a command by elimination, for blocks of abstract variables.
    ///
    /// Paper: [BeGrLa, Lemma 1, Lemma 2].
    pub fn by_elimination(
        &mut self,
        command: &Command,
        recipe: &Recipe,
        consistent: Bdd,
    ) -> Result<Transition, Stop> {
        let known = self.straightforward(command, recipe, consistent)?;
        let formula = self.step(command);
        let everything: Vec<usize> = (0..self.alpha.space().len()).collect();
        let blocks = match &recipe.method {
            Method::Partition(blocks) => blocks.clone(),
            _ => vec![everything],
        };
        let mut relation = known;
        for block in blocks {
            let part = self.projected(known, &block, &block);
            let mut left = self.eliminate(formula, &block, &block, part, recipe.sets)?;
            if recipe.fewest {
                left = self.fewest(formula, &block, left)?;
            }
            relation = self.manager.and(relation, left);
        }
        Ok(self.finished(command, relation))
    }

    /// Removes redundant next states: those for which another next state is kept. There are some if
    /// values overlap. Later values are removed first.
    ///
    /// Paper: [BeGrLa, Def. 9]: simulation requires one related next state. The choices of two
    /// blocks need not be compatible, if they share a variable [BeGrLa, Lemma 2 and the text after
    /// it].
    fn fewest(&mut self, formula: Term, block: &[usize], relation: Bdd) -> Result<Bdd, Stop> {
        let overlap = self.alpha.relations();
        if !block.iter().any(|v| overlap.contains(v)) {
            return Ok(relation);
        }
        let mut result = relation;
        for source in self.value_tuples(block) {
            let (now, from) = self.cube(block, &source, false);
            let here = self.manager.and(relation, from);
            let mut kept = Vec::new();
            for target in self.value_tuples(block) {
                let (next, to) = self.cube(block, &target, true);
                if self.manager.and(here, to) != Bdd::FALSE {
                    kept.push((next, to));
                }
            }
            for k in (0..kept.len()).rev() {
                if self.prover.spent() {
                    return Ok(result);
                }
                let others = kept.iter().enumerate().filter(|(j, _)| *j != k);
                let elsewhere = self.terms.or(others.map(|(_, t)| t.0));
                let lost = [formula, now, kept[k].0, self.terms.not(elsewhere)];
                if !self.prover.satisfiable(self.terms.and(lost))? {
                    let (_, to) = kept.remove(k);
                    let pair = self.manager.and(from, to);
                    result = self.manager.minus(result, pair);
                }
            }
        }
        Ok(result)
    }

    /// All tuples of values of some variables.
    fn value_tuples(&self, block: &[usize]) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for &variable in block {
            let size = self.alpha.space().size(variable);
            let longer = |tuple: &Vec<usize>| {
                let tuple = tuple.clone();
                (0..size).map(move |value| [&tuple[..], &[value]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The meaning of some values of some variables, now or next, and the set of these states.
    fn cube(&mut self, block: &[usize], values: &[usize], next: bool) -> (Term, Bdd) {
        let mut meanings = Vec::new();
        let mut set = Bdd::TRUE;
        for (&variable, &value) in block.iter().zip(values) {
            let meaning = self.alpha.variables()[variable].meanings[value];
            meanings.push(match next {
                true => self.terms.prime(meaning),
                false => meaning,
            });
            let space = self.alpha.space();
            let is = space.value(self.manager, variable, value, next);
            set = self.manager.and(set, is);
        }
        (self.terms.and(meanings), set)
    }

    /// The same with models instead of queries about pairs.
    pub fn by_models(&mut self, command: &Command) -> Result<Transition, Stop> {
        let all: Vec<usize> = (0..self.alpha.space().len()).collect();
        let formula = self.step(command);
        let relation = self.enumerate(formula, &all, &all)?;
        let complete = relation.is_some();
        let mut transition = self.finished(command, relation.unwrap_or(Bdd::TRUE));
        transition.complete = complete;
        Ok(transition)
    }

    /// Substitution first, then elimination for the remaining blocks.
    ///
    /// Paper: [BeGrLa, Sect. 4.3, "Using substitutions"].
    pub fn by_substitution_first(
        &mut self,
        command: &Command,
        recipe: &Recipe,
        consistent: Bdd,
    ) -> Result<Transition, Stop> {
        let mut transition = self.prepare(command)?;
        let formula = self.step(command);
        let after = self.alpha.space().prime(self.manager, consistent);
        let both = self.manager.and(consistent, after);
        for block in &mut transition.blocks {
            let fixed = self.manager.and(both, transition.fixed);
            let known = self.projected(fixed, &block.sources, &block.open);
            block.found =
                self.eliminate(formula, &block.sources, &block.open, known, recipe.sets)?;
            block.explored = Bdd::TRUE;
        }
        transition.complete = !self.prover.spent();
        transition.assemble(self.manager);
        self.recognise(&mut transition);
        Ok(transition)
    }

    fn step(&self, command: &Command) -> Term {
        let step = self.system.step_formula(self.terms, command);
        self.terms.and2(self.within, step)
    }

    /// A relation with all other variables quantified away.
    fn projected(&mut self, relation: Bdd, now: &[usize], next: &[usize]) -> Bdd {
        let space = self.alpha.space();
        self.manager.exists(relation, &|level| {
            let (variable, primed) = space.variable_of(level);
            let kept = if primed { next } else { now };
            !kept.contains(&variable)
        })
    }

    /// A transition given by its relation only.
    pub fn finished(&mut self, command: &Command, relation: Bdd) -> Transition {
        let (guard, inexact) = self.guard(command);
        let all: Vec<usize> = (0..self.alpha.space().len()).collect();
        let mut transition = Transition {
            name: command.name.clone(),
            guard,
            exact_guard: inexact.is_empty(),
            effects: vec![Effect::Open; all.len()],
            open: all,
            relation,
            complete: !self.prover.spent(),
            fixed: relation,
            blocks: Vec::new(),
        };
        self.recognise(&mut transition);
        transition
    }
}
