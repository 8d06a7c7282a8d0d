//! Constructs abstract systems: initial states and commands without the hidden variables.

use crate::alpha::Abstraction;
use crate::parts::{Conjunct, Cut, Region, StepPart, parts};
use crate::queries::Queries;
use sectile_engine::Stop;
use sectile_engine::shape::conjuncts;
use sectile_model::{Command, Model, Update};
use sectile_terms::{Stage, Term, Terms};
use std::collections::BTreeSet;

/// A partially abstracted system.
#[derive(Clone, Debug)]
pub struct Abstracted {
    /// The abstract system; its commands are those of the concrete one, in the same order.
    pub system: Model,
    /// Whether it is the least one; otherwise elimination was inexact somewhere.
    pub exact: bool,
}

impl<'t> Abstraction<'t> {
    /// Abstracts a system.
    ///
    /// Paper: [YaMe, Sect. 2.0.1]. The result simulates the system [YaMe, Def. 4].
    pub fn system(&self, system: &Model, queries: &mut Queries<'t>) -> Result<Abstracted, Stop> {
        let restrict = flat(self.terms, &system.restrict);
        let mut exact = true;
        let mut commands = Vec::new();
        for command in system.commands() {
            let (abstracted, exactly) = self.command(command, &restrict, queries)?;
            exact &= exactly;
            commands.push(abstracted);
        }
        let init = flat(self.terms, &system.init);
        let kept = system.variables.iter().copied();
        let kept = kept.filter(|v| !self.hidden.contains(v));
        let predicates = self.predicates.iter().map(|p| p.symbol);
        let abstracted = Model {
            name: system.name.clone(),
            variables: kept.chain(predicates).collect(),
            rigid: system.rigid.clone(),
            init: self.conjunction(&init, &restrict, queries)?,
            restrict: self.restriction(&system.restrict, queries)?,
            families: system.families.clone(),
            ..Model::system(commands)
        };
        debug_assert!(abstracted.init.iter().all(|&f| !self.touches(f)));
        Ok(Abstracted {
            system: abstracted,
            exact,
        })
    }

    /// Abstracts a command, within the states that `restrict` allows; returns whether that is
    /// exact.
    ///
    /// Paper: [YaMe, Eq. 3]. The constraint CS follows, because unchanged variables are equal
    /// before and after the command.
    pub fn command(
        &self,
        command: &Command,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<(Command, bool), Stop> {
        let terms = self.terms;
        let (own, about) = (Conjunct::own, Conjunct::about);
        let conditions = [&command.guards[..], &command.relations].concat();
        let conditions = flat(terms, &conditions).into_iter();
        let equation = |u: &Update| terms.eq(terms.next(u.symbol), u.value);
        let equations: Vec<Term> = command.updates.iter().map(equation).collect();
        let mut conjuncts: Vec<Conjunct> = conditions.map(own).collect();
        conjuncts.extend(equations.iter().copied().map(own));
        let touching = restrict.iter().filter(|&&r| self.touches(r));
        for &formula in touching {
            conjuncts.extend([about(formula), about(terms.prime(formula))]);
        }
        let stages = [Stage::Now, Stage::Next];
        let cut = parts(self, &conjuncts, &command.inputs, &stages);
        let mut abstracted = self.kept(command, &equations, &cut);
        let mut exact = true;
        for part in cut.parts.iter().filter(|p| p.is_own()) {
            if self.keeps_all(part) {
                let now = part.literals.iter().filter(|l| l.1 == Stage::Now);
                abstracted.updates.extend(now.map(|&(i, _)| Update {
                    symbol: self.predicates[i].symbol,
                    value: self.variable_at(i, Stage::Now),
                }));
                continue;
            }
            let region = self.region(part, queries)?;
            exact &= region.exact;
            self.add_region(&mut abstracted, region);
        }
        Ok((abstracted, exact))
    }

    /// The conjuncts of a command without hidden variables.
    fn kept(&self, command: &Command, equations: &[Term], cut: &Cut) -> Command {
        let kept: BTreeSet<Term> = cut.kept.iter().map(|c| c.formula).collect();
        let mut result = Command::new(command.name.clone(), command.span);
        result.parts.clone_from(&command.parts);
        let inputs = command.inputs.iter().copied();
        result.inputs = inputs.filter(|i| !cut.inputs.contains(i)).collect();
        let updates = command.updates.iter().zip(equations);
        let updates = updates.filter(|(u, e)| kept.contains(e) && !self.hidden.contains(&u.symbol));
        result.updates = updates.map(|(u, _)| *u).collect();
        let conditions = cut.kept.iter().map(|c| c.formula);
        for formula in conditions.filter(|f| !equations.contains(f)) {
            self.add_condition(&mut result, formula);
        }
        result
    }

    fn add_condition(&self, command: &mut Command, formula: Term) {
        let slots = self.terms.free_vars(formula);
        match slots.iter().any(|s| s.1 == Stage::Next) {
            true => command.relations.push(formula),
            false => command.guards.push(formula),
        }
    }

    /// Whether a part only says that hidden variables are unchanged.
    fn keeps_all(&self, part: &StepPart) -> bool {
        let terms = self.terms;
        let hidden = part.hidden.iter();
        let frames = hidden.map(|&(s, _)| terms.eq(terms.next(s), terms.var(s)));
        let own = part.conjuncts.iter().filter(|c| c.own);
        frames.collect::<BTreeSet<Term>>() == own.map(|c| c.formula).collect()
    }

    /// Adds the region of a part: assignments if next values are determined, conditions otherwise.
    fn add_region(&self, command: &mut Command, mut region: Region) {
        let terms = self.terms;
        for place in (0..region.literals.len()).rev() {
            let (i, stage) = region.literals[place];
            if stage != Stage::Next {
                continue;
            }
            let before = region.literals.iter().position(|l| *l == (i, Stage::Now));
            let cubes = &region.cubes;
            let always = |sign: bool| cubes.iter().all(|(c, _)| c[place] == Some(sign));
            let copied = before.is_some_and(|b| {
                let same = |c: &[Option<bool>]| c[b].is_some() && c[b] == c[place];
                cubes.iter().all(|(c, _)| same(c))
            });
            let value = match cubes.is_empty() {
                true => None,
                false if copied => Some(self.variable_at(i, Stage::Now)),
                false if always(true) => Some(terms.tt()),
                false if always(false) => Some(terms.ff()),
                false => None,
            };
            if let Some(value) = value {
                let symbol = self.predicates[i].symbol;
                command.updates.push(Update { symbol, value });
                region.literals.remove(place);
                for (signs, _) in &mut region.cubes {
                    signs.remove(place);
                }
                region = region.merged();
            }
        }
        let formula = region.formula(self);
        for conjunct in conjuncts(terms, [formula]) {
            self.add_condition(command, conjunct);
        }
    }
}

fn flat(terms: &Terms, list: &[Term]) -> Vec<Term> {
    let parts = list.iter();
    parts.flat_map(|&f| conjuncts(terms, [f])).collect()
}
