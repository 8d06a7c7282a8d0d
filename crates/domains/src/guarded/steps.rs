//! Images and preimages under the cases of commands.

use crate::domain::Domain;
use crate::guarded::program::{Case, Control, Next, Program, StateCube, Test};

/// Whether the discrete variables pass the tests.
pub fn passes(tests: &[Test], control: &[u8]) -> bool {
    tests
        .iter()
        .all(|t| t.values >> control[t.variable] & 1 == 1)
}

impl<D: Domain> StateCube<D> {
    /// The states of a set that are in the cube.
    pub fn within(&self, control: &[u8], set: &D) -> Option<D> {
        match passes(&self.tests, control) {
            true => set.clone().assume_all(&self.bounds),
            false => None,
        }
    }
}

impl<D: Domain> Case<D> {
    /// The points of a set with values chosen so that the case is possible.
    pub fn guarded(&self, set: &D) -> Option<D> {
        match self.chosen.len() {
            0 => set.clone().assume_all(&self.guards),
            more => set.extended(more).assume_all(&self.guards),
        }
    }

    /// The points of a set from which the case is possible.
    pub fn enabled(&self, set: &D) -> Option<D> {
        Some(self.guarded(set)?.projected(set.variables()))
    }

    /// All values of the discrete variables after the case.
    pub fn controls(&self, control: &[u8]) -> Vec<Control> {
        controls_among(self.next.iter().map(|next| match next {
            Next::Copy(from) => 1 << control[*from],
            Next::Any(bits) => *bits,
        }))
    }
}

impl<D: Domain> Program<'_, D> {
    /// The cases whose tests the discrete variables pass, with their positions.
    pub fn cases_at<'p>(&'p self, control: &'p [u8]) -> impl Iterator<Item = (usize, &'p Case<D>)> {
        let cases = self.cases.iter().enumerate();
        cases.filter(move |(_, case)| passes(&case.tests, control))
    }

    /// All values of the discrete variables that pass the tests.
    pub fn controls_of(&self, cube: &StateCube<D>) -> Vec<Control> {
        let variables = self.control.iter().enumerate();
        let allowed = variables.map(|(i, symbol)| {
            let sort = self.terms.symbol_sort(*symbol);
            // The sorts were checked when the program was made.
            let all = crate::guarded::cubes::all_values(self.terms, sort).unwrap_or(0);
            let tests = cube.tests.iter().filter(|t| t.variable == i);
            tests.fold(all, |bits, t| bits & t.values)
        });
        controls_among(allowed)
    }
}

/// All controls whose variables have values of these sets, a bit for each value.
pub fn controls_among(allowed: impl IntoIterator<Item = u64>) -> Vec<Control> {
    let mut found: Vec<Vec<u8>> = vec![Vec::new()];
    for bits in allowed {
        if bits.count_ones() == 1 {
            let value = bits.trailing_zeros() as u8;
            found.iter_mut().for_each(|c| c.push(value));
            continue;
        }
        let values: Vec<u8> = (0..64u8).filter(|k| bits >> k & 1 == 1).collect();
        let each = |c: Vec<u8>| {
            let with = values.iter().map(move |v| [c.as_slice(), &[*v]].concat());
            with.collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(each).collect();
    }
    found.into_iter().map(Control::from).collect()
}
