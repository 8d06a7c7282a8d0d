//! Only what is reachable, and only single values: the construction of abstract state graphs.

use crate::method::Recipe;
use crate::transition::{Abstractor, Transition};
use sectile_domains::bdd::Bdd;
use sectile_engine::Stop;
use sectile_terms::Term;

impl<'t> Abstractor<'_, 't> {
    /// The values that each variable may have where a formula holds, given what is known, as a
    /// product: which values go together is not asked.
    ///
    /// Paper: [BeGrLa, Sect. 4.3]: target sets of the form "predicate i is true" or "is false".
    fn product(&mut self, formula: Term, known: Bdd, next: bool) -> Result<Bdd, Stop> {
        self.prover.assume(formula)?;
        let result = self.product_inside(known, next);
        self.prover.retract();
        result
    }

    fn product_inside(&mut self, known: Bdd, next: bool) -> Result<Bdd, Stop> {
        if self.prover.spent() {
            return Ok(known);
        }
        if known == Bdd::FALSE || !self.prover.ask()? {
            return Ok(Bdd::FALSE);
        }
        let mut result = known;
        let space = self.alpha.space();
        for variable in 0..space.len() {
            for value in 0..space.size(variable) {
                let is = space.value(self.manager, variable, value, next);
                let with = self.manager.and(result, is);
                let is_decided = with == Bdd::FALSE || with == result;
                if is_decided || self.prover.spent() {
                    continue;
                }
                let meaning = self.alpha.variables()[variable].meanings[value];
                let there = if next {
                    self.terms.prime(meaning)
                } else {
                    meaning
                };
                self.prover.assume(there)?;
                let there = self.prover.ask();
                self.prover.retract();
                if !there? {
                    result = self.manager.minus(result, is);
                }
            }
        }
        Ok(result)
    }

    /// The initial states and the transitions. From states that are not reached, everything stays
    /// possible.
    ///
    /// Paper: [BeGrLa, Sect. 4.3], step 2: start states which have been found reachable only.
    pub fn by_literals(
        &mut self,
        recipe: &Recipe,
        consistent: Bdd,
    ) -> Result<(Bdd, Vec<Transition>), Stop> {
        let (terms, system) = (self.terms, self.system);
        let initial = self.product(system.init_formula(terms), consistent, false)?;
        let mut relations = Vec::new();
        for command in system.commands() {
            relations.push(self.straightforward(command, recipe, consistent)?);
        }
        let mut reached = Bdd::FALSE;
        let mut waiting = initial;
        while waiting != Bdd::FALSE && !self.prover.spent() {
            self.prover.budget().check()?;
            let space = self.alpha.space().clone();
            let Some(state) = space.tuples(self.manager, waiting, 1).pop() else {
                break;
            };
            let source = space.tuple(self.manager, &state, false);
            reached = self.manager.or(reached, source);
            let meaning = self.alpha.meaning(terms, &state);
            let meaning = terms.and2(meaning, self.within);
            for (relation, command) in relations.iter_mut().zip(system.commands()) {
                let known = self.manager.and_exists(*relation, source, &|l| l % 2 == 0);
                let step = terms.and2(meaning, system.step_formula(terms, command));
                let after = self.product(step, known, true)?;
                let not_here = self.manager.not(source);
                let allowed = self.manager.or(not_here, after);
                *relation = self.manager.and(*relation, allowed);
                let after = space.unprime(self.manager, after);
                let new = self.manager.minus(after, reached);
                waiting = self.manager.or(waiting, new);
            }
            waiting = self.manager.minus(waiting, reached);
        }
        let commands = system.commands().zip(relations);
        let transitions = commands.map(|(c, relation)| self.finished(c, relation));
        Ok((initial, transitions.collect()))
    }
}
