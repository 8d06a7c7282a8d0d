//! Explicit control: for every value of the discrete variables a union of sets of numbers.

use crate::poly::algebra::{Algebra, Side};
use crate::poly::formulas::state_formula;
use crate::poly::growing::Growing;
use crate::poly::region::Region;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_domains::guarded::cubes::all_values;
use sectile_domains::guarded::program::{Case, Control, Next, Program, StateCube};
use sectile_domains::guarded::steps::controls_among;
use sectile_model::Model;
use sectile_terms::Term;

/// A system backwards, with controls one by one.
pub struct Explicit<'b, D: Domain> {
    program: &'b Program<'b, D>,
    all: Region<D>,
    /// The values of each discrete variable, as bits.
    values: Vec<u64>,
    restrict: Vec<StateCube<D>>,
    /// For every case, the points with values chosen so that it is possible.
    guarded: Vec<Option<D>>,
}

impl<'b, D: Domain> Explicit<'b, D> {
    /// Prepares a program, or says what cannot be expressed.
    pub fn new(program: &'b Program<'b, D>, system: &Model) -> Result<Explicit<'b, D>, String> {
        let sorts = program.control.iter();
        let values: Result<Vec<u64>, String> = sorts
            .map(|s| all_values(program.terms, program.terms.symbol_sort(*s)))
            .collect();
        let values = values?;
        let bits = values.iter().map(|v| u64::from(v.count_ones()));
        let count = bits.fold(1u64, u64::saturating_mul);
        if count > MOST_CONTROLS {
            return Err(format!(
                "it lists all values of the discrete variables, and there are {count}"
            ));
        }
        let mut explicit = Explicit {
            program,
            all: Region::empty(),
            values,
            restrict: program.state_cubes(&system.restrict)?,
            guarded: program
                .cases
                .iter()
                .map(|c| c.guarded(&program.universe()))
                .collect(),
        };
        explicit.all = explicit.region(&explicit.restrict);
        Ok(explicit)
    }

    /// The states of some cubes.
    fn region(&self, cubes: &[StateCube<D>]) -> Region<D> {
        let mut region = Region::empty();
        for cube in cubes {
            if let Some(set) = self.program.universe().assume_all(&cube.bounds) {
                for control in self.program.controls_of(cube) {
                    region.add(&control, set.clone());
                }
            }
        }
        region
    }

    /// The controls from which a case leads to a control.
    fn controls_before(&self, case: &Case<D>, after: &Control) -> Vec<Control> {
        let mut bits = self.values.clone();
        for test in &case.tests {
            bits[test.variable] &= test.values;
        }
        for (next, &value) in case.next.iter().zip(after.iter()) {
            match next {
                Next::Copy(from) => bits[*from] &= 1 << value,
                Next::Any(values) if values >> value & 1 == 1 => {}
                Next::Any(_) => return Vec::new(),
            }
        }
        controls_among(bits)
    }

    /// The states from which a case leads into a set: their controls, their numbers.
    fn before_case(&self, index: usize, control: &Control, set: &D, side: Side) -> Found<D> {
        let case = &self.program.cases[index];
        let controls = self.controls_before(case, control);
        if controls.is_empty() {
            return Vec::new();
        }
        let guarded = self.guarded[index].as_ref();
        let Some(before) = guarded.and_then(|g| set.preimage(g, &case.sources)) else {
            return Vec::new();
        };
        let variables = self.program.numeric.len();
        let before = match side {
            Side::Outside => Some(before.projected(variables)),
            Side::Inside => before.surely_projected(variables),
        };
        let Some(before) = before else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for cube in &self.restrict {
            for control in &controls {
                if let Some(set) = cube.within(control, &before) {
                    found.push((control.clone(), set));
                }
            }
        }
        found
    }
}

impl<D: Domain> Algebra<D> for Explicit<'_, D> {
    type Set = Region<D>;
    type Growing = Growing<D>;

    fn program(&self) -> &Program<'_, D> {
        self.program
    }

    fn all(&self) -> &Region<D> {
        &self.all
    }

    fn empty(&self) -> Region<D> {
        Region::empty()
    }

    fn cubes(&self, cubes: &[StateCube<D>]) -> Region<D> {
        self.region(cubes)
    }

    fn and(&self, a: &Region<D>, b: &Region<D>, budget: &Budget) -> Result<Region<D>, Exhausted> {
        a.and(b, budget)
    }

    fn or(&self, a: &Region<D>, b: &Region<D>) -> Region<D> {
        a.or(b)
    }

    fn minus(&self, a: &Region<D>, b: &Region<D>, budget: &Budget) -> Result<Region<D>, Exhausted> {
        a.minus(b, budget)
    }

    fn includes(&self, a: &Region<D>, b: &Region<D>, budget: &Budget) -> Result<bool, Exhausted> {
        a.includes(b, budget)
    }

    fn before(
        &self,
        region: &Region<D>,
        side: Side,
        budget: &Budget,
    ) -> Result<Region<D>, Exhausted> {
        let mut result = Region::empty();
        for (control, set) in region.iter() {
            budget.poll()?;
            for case in 0..self.program.cases.len() {
                for (control, set) in self.before_case(case, control, set, side) {
                    result.add(&control, set);
                }
            }
        }
        Ok(result)
    }

    fn growing(&self, delay: usize) -> Growing<D> {
        Growing::new(delay)
    }

    fn grow(&self, growing: &mut Growing<D>, region: &Region<D>) -> bool {
        let mut grows = false;
        for (control, set) in region.iter() {
            grows |= growing.add(control.clone(), set.clone());
        }
        grows
    }

    fn close(
        &self,
        growing: &mut Growing<D>,
        through: &Region<D>,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        while let Some((control, set)) = growing.next() {
            budget.poll()?;
            for case in 0..self.program.cases.len() {
                for (control, set) in self.before_case(case, &control, &set, Side::Outside) {
                    for inside in through.at(&control) {
                        if let Some(both) = set.meet(inside) {
                            growing.add(control.clone(), both);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn grown<'g>(&self, growing: &'g Growing<D>) -> (&'g Region<D>, usize) {
        (&growing.region, growing.widenings)
    }

    fn len(&self, region: &Region<D>) -> usize {
        region.len()
    }

    fn has_point(&self, region: &Region<D>) -> bool {
        region.iter().any(|(_, set)| set.point().is_some())
    }

    fn complement(&self, region: &Region<D>) -> Term {
        let terms = self.program.terms;
        let discrete = |control: &Control| {
            let values = self.program.control.iter().zip(control.iter());
            let equal = values.map(|(&symbol, &value)| {
                let value = self.program.discrete_term(symbol, u32::from(value));
                terms.eq(terms.var(symbol), value)
            });
            terms.and(equal.collect::<Vec<_>>())
        };
        let sets = region.iter();
        let outside = sets.map(|(c, set)| terms.not(state_formula(self.program, discrete(c), set)));
        terms.and(outside.collect::<Vec<_>>())
    }
}

/// Sets of numbers with their controls.
type Found<D> = Vec<(Control, D)>;

/// More values of the discrete variables than this are not listed.
const MOST_CONTROLS: u64 = 2_000_000;
