//! Control as decision diagrams: the program backwards on pairs.

use crate::poly::algebra::{Algebra, Side};
use crate::poly::formulas::state_formula;
use crate::poly::pairs::Pairs;
use crate::poly::pairs_growing::PairsGrowing;
use sectile_base::{Budget, Exhausted};
use sectile_domains::bdd::{Bdd, Manager, Space};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::cubes::all_values;
use sectile_domains::guarded::program::{Case, Next, Program, StateCube, Test};
use sectile_model::Model;
use sectile_terms::Term;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A system backwards, with sets of controls as diagrams.
pub struct Diagrams<'b, D: Domain> {
    program: &'b Program<'b, D>,
    space: Space,
    manager: RefCell<Manager>,
    all: Pairs<D>,
    restrict: Vec<(Bdd, Vec<D::Guard>)>,
    cases: Vec<Step<D>>,
}

/// A case of a command.
struct Step<D> {
    /// From which controls it leads to which.
    relation: Bdd,
    /// The points with values chosen so that it is possible.
    guarded: Option<D>,
}

impl<'b, D: Domain> Diagrams<'b, D> {
    /// Prepares a program, or says what cannot be expressed.
    pub fn new(program: &'b Program<'b, D>, system: &Model) -> Result<Diagrams<'b, D>, String> {
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
            manager: RefCell::new(Manager::new()),
            all: Pairs::empty(),
            restrict: Vec::new(),
            cases: Vec::new(),
        };
        let restrict = program.state_cubes(&system.restrict)?;
        diagrams.all = diagrams.cubes(&restrict);
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

    /// A variable has one of these values.
    fn values(&self, m: &mut Manager, variable: usize, values: u64, next: bool) -> Bdd {
        let chosen = (0..self.space.size(variable)).filter(|v| values >> v & 1 == 1);
        let each: Vec<Bdd> = chosen
            .map(|v| self.space.value(m, variable, v, next))
            .collect();
        m.or_all(each)
    }

    /// The controls that pass tests.
    fn tests(&self, m: &mut Manager, tests: &[Test]) -> Bdd {
        let mut result = self.space.valid(m, false);
        for test in tests {
            let here = self.values(m, test.variable, test.values, false);
            result = m.and(result, here);
        }
        result
    }

    /// From which controls a case leads to which.
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

    /// The states from which a case leads into a product.
    fn before_case(
        &self,
        m: &mut Manager,
        step: &Step<D>,
        sources: &[D::Source],
        (controls, set): (Bdd, &D),
        side: Side,
    ) -> Vec<(Bdd, D)> {
        let controls = self.space.preimage(m, controls, step.relation);
        if controls == Bdd::FALSE {
            return Vec::new();
        }
        let before = step.guarded.as_ref();
        let before = before.and_then(|g| set.preimage(g, sources));
        let variables = self.program.numeric.len();
        let before = before.and_then(|b| match side {
            Side::Outside => Some(b.projected(variables)),
            Side::Inside => b.surely_projected(variables),
        });
        let Some(before) = before else {
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

    /// A set of controls as a formula, shared parts once.
    fn formula(&self, m: &mut Manager, controls: Bdd, done: &mut BTreeMap<Bdd, Term>) -> Term {
        let terms = self.program.terms;
        let Some(level) = m.level(controls) else {
            return terms.bool(controls == Bdd::TRUE);
        };
        if let Some(known) = done.get(&controls) {
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
            let rest = self.formula(m, rest, done);
            cases.push(terms.and2(here, rest));
        }
        let result = terms.or(cases);
        done.insert(controls, result);
        result
    }
}

impl<D: Domain> Algebra<D> for Diagrams<'_, D> {
    type Set = Pairs<D>;
    type Growing = PairsGrowing<D>;

    fn program(&self) -> &Program<'_, D> {
        self.program
    }

    fn all(&self) -> &Pairs<D> {
        &self.all
    }

    fn empty(&self) -> Pairs<D> {
        Pairs::empty()
    }

    fn cubes(&self, cubes: &[StateCube<D>]) -> Pairs<D> {
        let m = &mut self.manager.borrow_mut();
        let mut pairs = Pairs::empty();
        for cube in cubes {
            if let Some(set) = self.program.universe().assume_all(&cube.bounds) {
                let controls = self.tests(m, &cube.tests);
                pairs.add(m, controls, set);
            }
        }
        pairs
    }

    fn and(&self, a: &Pairs<D>, b: &Pairs<D>, budget: &Budget) -> Result<Pairs<D>, Exhausted> {
        a.and(&mut self.manager.borrow_mut(), b, budget)
    }

    fn or(&self, a: &Pairs<D>, b: &Pairs<D>) -> Pairs<D> {
        a.or(&mut self.manager.borrow_mut(), b)
    }

    fn minus(&self, a: &Pairs<D>, b: &Pairs<D>, budget: &Budget) -> Result<Pairs<D>, Exhausted> {
        a.minus(&mut self.manager.borrow_mut(), b, budget)
    }

    fn includes(&self, a: &Pairs<D>, b: &Pairs<D>, budget: &Budget) -> Result<bool, Exhausted> {
        a.includes(&mut self.manager.borrow_mut(), b, budget)
    }

    fn before(&self, pairs: &Pairs<D>, side: Side, budget: &Budget) -> Result<Pairs<D>, Exhausted> {
        let m = &mut self.manager.borrow_mut();
        let mut result = Pairs::empty();
        for (controls, set) in &pairs.list {
            budget.poll()?;
            for (step, case) in self.cases.iter().zip(&self.program.cases) {
                let product = (*controls, set);
                for (controls, set) in self.before_case(m, step, &case.sources, product, side) {
                    result.add(m, controls, set);
                }
            }
        }
        Ok(result)
    }

    fn growing(&self, delay: usize) -> PairsGrowing<D> {
        PairsGrowing::new(delay)
    }

    fn grow(&self, growing: &mut PairsGrowing<D>, pairs: &Pairs<D>) -> bool {
        let m = &mut self.manager.borrow_mut();
        let mut grows = false;
        for (controls, set) in &pairs.list {
            grows |= growing.add(m, *controls, set);
        }
        grows
    }

    fn close(
        &self,
        growing: &mut PairsGrowing<D>,
        through: &Pairs<D>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let m = &mut self.manager.borrow_mut();
        while let Some((controls, set)) = growing.next(m) {
            budget.poll()?;
            for (step, case) in self.cases.iter().zip(&self.program.cases) {
                let product = (controls, &set);
                let before = self.before_case(m, step, &case.sources, product, Side::Outside);
                for (controls, set) in before {
                    for (there, inside) in &through.list {
                        let both = m.and(controls, *there);
                        if both != Bdd::FALSE
                            && let Some(set) = set.meet(inside)
                        {
                            growing.add(m, both, &set);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn grown<'g>(&self, growing: &'g PairsGrowing<D>) -> (&'g Pairs<D>, usize) {
        (&growing.pairs, growing.widenings)
    }

    fn len(&self, pairs: &Pairs<D>) -> usize {
        pairs.list.len()
    }

    fn has_point(&self, pairs: &Pairs<D>) -> bool {
        pairs.list.iter().any(|(_, set)| set.point().is_some())
    }

    fn complement(&self, pairs: &Pairs<D>) -> Term {
        let m = &mut self.manager.borrow_mut();
        let terms = self.program.terms;
        let mut done = BTreeMap::new();
        let mut outside = Vec::new();
        for (controls, set) in &pairs.list {
            let discrete = self.formula(m, *controls, &mut done);
            outside.push(terms.not(state_formula(self.program, discrete, set)));
        }
        terms.and(outside)
    }
}
