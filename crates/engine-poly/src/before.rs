//! The states before a step.

use crate::region::Region;
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::Domain;
use sectile_guarded::cubes::all_values;
use sectile_guarded::program::{Case, Control, Next, Program, StateCube};
use sectile_model::TransitionSystem;

/// Whether states are counted that perhaps have no such step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// All states that have one, and perhaps others.
    Outside,
    /// Only states that have one, perhaps not all.
    Inside,
}

/// A system backwards.
pub struct Backwards<'b, D: Domain> {
    /// The program.
    pub program: &'b Program<'b, D>,
    /// All states.
    pub all: Region<D>,
    /// The values of each discrete variable, as bits.
    values: Vec<u64>,
    restrict: Vec<StateCube<D>>,
    /// For every case, the points with values chosen so that it is possible.
    guarded: Vec<Option<D>>,
}

impl<'b, D: Domain> Backwards<'b, D> {
    /// Prepares a program, or says what cannot be expressed.
    pub fn new(
        program: &'b Program<'b, D>,
        system: &TransitionSystem,
    ) -> Result<Backwards<'b, D>, String> {
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
        let mut backwards = Backwards {
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
        backwards.all = backwards.region(&backwards.restrict);
        Ok(backwards)
    }

    /// The states of some cubes.
    pub fn region(&self, cubes: &[StateCube<D>]) -> Region<D> {
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
        let mut found: Vec<Vec<u8>> = vec![Vec::new()];
        for bits in bits {
            let values: Vec<u8> = (0..64u8).filter(|k| bits >> k & 1 == 1).collect();
            let each = |c: Vec<u8>| {
                let with = values.iter().map(move |v| [c.as_slice(), &[*v]].concat());
                with.collect::<Vec<_>>()
            };
            found = found.into_iter().flat_map(each).collect();
        }
        found.into_iter().map(Control::from).collect()
    }

    /// The states from which a case leads into a set: their controls, their numbers.
    pub fn before_case(&self, index: usize, control: &Control, set: &D, side: Side) -> Found<D> {
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

    /// The states from which some step leads into a region.
    pub fn before(
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

    /// The states in which no step is possible, and perhaps others.
    pub fn stuck(&self, budget: &Budget) -> Result<Region<D>, Exhausted> {
        self.all
            .minus(&self.before(&self.all, Side::Inside, budget)?, budget)
    }
}

/// Sets of numbers with their controls.
pub type Found<D> = Vec<(Control, D)>;

/// More values of the discrete variables than this are not listed.
const MOST_CONTROLS: u64 = 2_000_000;
