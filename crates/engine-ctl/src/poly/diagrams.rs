//! Backward steps with controls as decision diagrams.

use crate::poly::algebra::{Algebra, Side, before};
use crate::poly::fixpoint::Missing;
use crate::poly::pairs::Pairs;
use crate::poly::pairs_growing::PairsGrowing;
use sectile_base::{Budget, Exhausted};
use sectile_domains::bdd::{Bdd, Manager, Space};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::cubes::all_values;
use sectile_domains::guarded::program::{Case, Next, Program, StateCube, Test};
use sectile_model::Model;
use sectile_terms::Term;
use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;

/// Backward steps, with sets of controls as diagrams.
pub struct Diagrams<'b, D: Domain> {
    program: &'b Program<'b, D>,
    space: Space,
    manager: RefCell<Manager>,
    all: Pairs<D>,
    restrict: Vec<(Bdd, Vec<D::Guard>)>,
    cases: Vec<Step<D>>,
    /// The formulas of diagrams, memoised.
    formulas: RefCell<BTreeMap<Bdd, Term>>,
}

/// A case of a command.
struct Step<D> {
    /// The relation between controls before and after.
    relation: Bdd,
    /// The points for which values can be chosen that make it possible.
    guarded: Option<D>,
}

impl<'b, D: Domain> Diagrams<'b, D> {
    /// Prepares a program; the error is what cannot be expressed.
    pub fn new(
        program: &'b Program<'b, D>,
        system: &Model,
        budget: &Budget,
    ) -> Result<Diagrams<'b, D>, Missing> {
        let sorts = program.control.iter();
        let sizes: Result<Vec<usize>, String> = sorts
            .map(|s| {
                let values = all_values(program.terms, program.terms.symbol_sort(*s))?;
                Ok(values.count_ones() as usize)
            })
            .collect();
        let mut diagrams = Diagrams {
            program,
            space: Space::new(sizes?),
            manager: RefCell::new(Manager::new().on(budget)),
            all: Pairs::default(),
            restrict: Vec::new(),
            cases: Vec::new(),
            formulas: RefCell::default(),
        };
        let restrict = program.state_cubes(&system.restrict)?;
        diagrams.all = diagrams.cubes(&restrict, budget)?;
        for cube in restrict {
            let tests = diagrams.tests(&mut diagrams.manager.borrow_mut(), &cube.tests);
            diagrams.restrict.push((tests, cube.bounds));
        }
        for case in &program.cases {
            let relation = diagrams.relation(&mut diagrams.manager.borrow_mut(), case);
            let guarded = case.guarded(&program.universe());
            diagrams.cases.push(Step { relation, guarded });
        }
        Ok(diagrams)
    }

    /// The manager of the diagrams.
    pub fn manager(&self) -> Ref<'_, Manager> {
        self.manager.borrow()
    }

    /// The cases: the relation between controls, and the condition on numbers.
    pub fn relations(&self) -> Vec<(Bdd, Option<&D>)> {
        let cases = self.cases.iter();
        cases.map(|c| (c.relation, c.guarded.as_ref())).collect()
    }

    /// The controls in which a variable has one of the given values.
    fn values(&self, m: &mut Manager, variable: usize, values: u64, next: bool) -> Bdd {
        let chosen = (0..self.space.size(variable)).filter(|v| values >> v & 1 == 1);
        let each: Vec<Bdd> = chosen
            .map(|v| self.space.value(m, variable, v, next))
            .collect();
        m.or_all(each)
    }

    /// The controls that satisfy tests.
    fn tests(&self, m: &mut Manager, tests: &[Test]) -> Bdd {
        let mut result = self.space.valid(m, false);
        for test in tests {
            let here = self.values(m, test.variable, test.values, false);
            result = m.and(result, here);
        }
        result
    }

    /// The relation between controls before and after a case.
    fn relation(&self, m: &mut Manager, case: &Case<D>) -> Bdd {
        let mut result = self.tests(m, &case.tests);
        for (variable, next) in case.next.iter().enumerate().rev() {
            let step = match next {
                Next::Copy(from) if *from == variable => self.space.unchanged(m, variable),
                Next::Copy(from) => {
                    let mut same = Bdd::FALSE;
                    for value in 0..self.space.size(*from) {
                        let now = self.space.value(m, *from, value, false);
                        let then = self.space.value(m, variable, value, true);
                        let both = m.and(now, then);
                        same = m.or(same, both);
                    }
                    same
                }
                Next::Any(values) => self.values(m, variable, *values, true),
            };
            result = m.and(result, step);
        }
        result
    }

    /// A set of controls as a formula that shares subformulas. The recursion depth is the number of
    /// variables.
    fn formula_of(&self, m: &mut Manager, controls: Bdd) -> Term {
        let terms = self.program.terms;
        let Some(level) = m.level(controls) else {
            return terms.bool(controls == Bdd::TRUE);
        };
        if let Some(known) = self.formulas.borrow().get(&controls) {
            return *known;
        }
        let (variable, _) = self.space.variable_of(level);
        let symbol = self.program.control[variable];
        let mut values: BTreeMap<Bdd, Vec<Term>> = BTreeMap::new();
        for value in 0..self.space.size(variable) {
            let rest = self.space.cofactor(m, controls, variable, value);
            let value = self.program.discrete_term(symbol, value as u32);
            let equal = terms.eq(terms.var(symbol), value);
            values.entry(rest).or_default().push(equal);
        }
        let mut cases = Vec::new();
        for (rest, list) in values {
            let all = list.len() == self.space.size(variable);
            let here = if all { terms.tt() } else { terms.or(list) };
            let rest = self.formula_of(m, rest);
            cases.push(terms.and2(here, rest));
        }
        let result = terms.or(cases);
        self.formulas.borrow_mut().insert(controls, result);
        result
    }
}

impl<D: Domain> Algebra<D> for Diagrams<'_, D> {
    type Controls = Bdd;
    type Set = Pairs<D>;
    type Growing = PairsGrowing<D>;

    fn program(&self) -> &Program<'_, D> {
        self.program
    }

    fn all(&self) -> &Pairs<D> {
        &self.all
    }

    fn cubes(&self, cubes: &[StateCube<D>], budget: &Budget) -> Result<Pairs<D>, Exhausted> {
        let m = &mut self.manager.borrow_mut();
        let mut pairs = Pairs::default();
        for cube in cubes {
            budget.poll_for(D::EFFORT)?;
            if let Some(set) = self.program.universe().assume_all(&cube.bounds) {
                let controls = self.tests(m, &cube.tests);
                pairs.add(m, controls, set);
            }
        }
        Ok(pairs)
    }

    fn products<'s>(&self, pairs: &'s Pairs<D>) -> impl Iterator<Item = (Bdd, &'s D)>
    where
        D: 's,
    {
        pairs.list.iter().map(|(controls, set)| (*controls, set))
    }

    fn products_at<'s>(
        &self,
        pairs: &'s Pairs<D>,
        controls: &Bdd,
    ) -> impl Iterator<Item = (Bdd, &'s D)>
    where
        D: 's,
    {
        let both = pairs.list.iter().map(|(there, set)| {
            let both = self.manager.borrow_mut().and(*controls, *there);
            (both, set)
        });
        both.filter(|(both, _)| *both != Bdd::FALSE)
    }

    fn add(&self, pairs: &mut Pairs<D>, controls: Bdd, set: D) {
        pairs.add(&mut self.manager.borrow_mut(), controls, set);
    }

    fn unknown(&self, pairs: &Pairs<D>, controls: Bdd, set: &D) -> Option<Bdd> {
        let rest = pairs.unknown(&mut self.manager.borrow_mut(), controls, set);
        (rest != Bdd::FALSE).then_some(rest)
    }

    fn uncovered(&self, pairs: &Pairs<D>, controls: &Bdd, set: &D) -> Vec<(Bdd, D)> {
        pairs.uncovered(&mut self.manager.borrow_mut(), *controls, set)
    }

    fn before_case(&self, case: usize, controls: &Bdd, set: &D, side: Side) -> Vec<(Bdd, D)> {
        let m = &mut self.manager.borrow_mut();
        let step = &self.cases[case];
        let controls = self.space.preimage(m, *controls, step.relation);
        if controls == Bdd::FALSE {
            return Vec::new();
        }
        let case = &self.program.cases[case];
        let Some(before) = before(self.program, case, step.guarded.as_ref(), set, side) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (tests, bounds) in &self.restrict {
            let here = m.and(controls, *tests);
            if here != Bdd::FALSE
                && let Some(set) = before.clone().assume_all(bounds)
            {
                found.push((here, set));
            }
        }
        found
    }

    fn growing(&self, start: &Pairs<D>, delay: usize) -> PairsGrowing<D> {
        PairsGrowing::from(start, delay)
    }

    fn grow_by(&self, growing: &mut PairsGrowing<D>, controls: Bdd, set: D) -> bool {
        growing.add(&mut self.manager.borrow_mut(), controls, &set)
    }

    fn next(&self, growing: &mut PairsGrowing<D>) -> Option<(Bdd, D)> {
        growing.next(&mut self.manager.borrow_mut())
    }

    fn grown<'g>(&self, growing: &'g PairsGrowing<D>) -> (&'g Pairs<D>, usize) {
        (&growing.pairs, growing.widenings)
    }

    fn formula(&self, controls: &Bdd) -> Term {
        self.formula_of(&mut self.manager.borrow_mut(), *controls)
    }
}
