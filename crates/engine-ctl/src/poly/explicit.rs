//! The algebra with explicit control: for each combination of discrete values, a union of sets of
//! numbers.

use crate::formulas::control_formula;
use crate::poly::algebra::{Algebra, Side, before};
use crate::poly::fixpoint::Missing;
use crate::poly::region::{Growing, Region};
use sectile_base::{Budget, Exhausted};
use sectile_domains::domain::{Domain, uncovered};
use sectile_domains::guarded::cubes::all_values;
use sectile_domains::guarded::program::{Case, Control, Next, Program, StateCube};
use sectile_domains::guarded::steps::controls_among;
use sectile_model::Model;
use sectile_terms::Term;

/// A program for backward steps, with controls one by one.
pub struct Explicit<'b, D: Domain> {
    program: &'b Program<'b, D>,
    all: Region<D>,
    /// The possible values of each discrete variable, as bits.
    values: Vec<u64>,
    restrict: Vec<StateCube<D>>,
    /// For every case, the points for which values can be chosen that make it possible.
    guarded: Vec<Option<D>>,
}

impl<'b, D: Domain> Explicit<'b, D> {
    /// Prepares a program; the error is what cannot be expressed.
    pub fn new(
        program: &'b Program<'b, D>,
        system: &Model,
        budget: &Budget,
    ) -> Result<Explicit<'b, D>, Missing> {
        let sorts = program.control.iter();
        let values: Result<Vec<u64>, String> = sorts
            .map(|s| all_values(program.terms, program.terms.symbol_sort(*s)))
            .collect();
        let values = values?;
        let bits = values.iter().map(|v| u64::from(v.count_ones()));
        let count = bits.fold(1u64, u64::saturating_mul);
        if count > MOST_CONTROLS {
            return Err(Missing::Refused(format!(
                "it lists all values of the discrete variables, and there are {count}"
            )));
        }
        let mut explicit = Explicit {
            program,
            all: Region::default(),
            values,
            restrict: program.state_cubes(&system.restrict)?,
            guarded: program
                .cases
                .iter()
                .map(|c| c.guarded(&program.universe()))
                .collect(),
        };
        explicit.all = explicit.cubes(&explicit.restrict, budget)?;
        Ok(explicit)
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
}

impl<D: Domain> Algebra<D> for Explicit<'_, D> {
    type Controls = Control;
    type Set = Region<D>;
    type Growing = Growing<D>;

    fn program(&self) -> &Program<'_, D> {
        self.program
    }

    fn all(&self) -> &Region<D> {
        &self.all
    }

    fn cubes(&self, cubes: &[StateCube<D>], budget: &Budget) -> Result<Region<D>, Exhausted> {
        let mut region = Region::default();
        for cube in cubes {
            if let Some(set) = self.program.universe().assume_all(&cube.bounds) {
                for control in self.program.controls_of(cube) {
                    budget.poll_for(D::EFFORT)?;
                    region.add(&control, set.clone());
                }
            }
        }
        Ok(region)
    }

    fn products<'s>(&self, region: &'s Region<D>) -> impl Iterator<Item = (Control, &'s D)>
    where
        D: 's,
    {
        let cells = region.cells.iter();
        cells.flat_map(|(control, sets)| sets.iter().map(|s| (control.clone(), s)))
    }

    fn products_at<'s>(
        &self,
        region: &'s Region<D>,
        control: &Control,
    ) -> impl Iterator<Item = (Control, &'s D)>
    where
        D: 's,
    {
        region.at(control).iter().map(|s| (control.clone(), s))
    }

    fn add(&self, region: &mut Region<D>, control: Control, set: D) {
        region.add(&control, set);
    }

    fn unknown(&self, region: &Region<D>, control: Control, set: &D) -> Option<Control> {
        let known = region.at(&control).iter().any(|s| s.includes(set));
        (!known).then_some(control)
    }

    fn uncovered(&self, region: &Region<D>, control: &Control, set: &D) -> Vec<(Control, D)> {
        let pieces = uncovered(set, region.at(control)).into_iter();
        pieces.map(|piece| (control.clone(), piece)).collect()
    }

    fn before_case(
        &self,
        index: usize,
        control: &Control,
        set: &D,
        side: Side,
    ) -> Vec<(Control, D)> {
        let case = &self.program.cases[index];
        let controls = self.controls_before(case, control);
        if controls.is_empty() {
            return Vec::new();
        }
        let guarded = self.guarded[index].as_ref();
        let Some(before) = before(self.program, case, guarded, set, side) else {
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

    fn growing(&self, start: &Region<D>, delay: usize) -> Growing<D> {
        Growing::from(start, delay)
    }

    fn grow_by(&self, growing: &mut Growing<D>, control: Control, set: D) -> bool {
        growing.add(control, set)
    }

    fn next(&self, growing: &mut Growing<D>) -> Option<(Control, D)> {
        growing.next()
    }

    fn grown<'g>(&self, growing: &'g Growing<D>) -> (&'g Region<D>, usize) {
        (&growing.region, growing.widenings)
    }

    fn formula(&self, control: &Control) -> Term {
        control_formula(self.program, control)
    }
}

/// Maximum number of combinations of values of the discrete variables.
const MOST_CONTROLS: u64 = 2_000_000;
