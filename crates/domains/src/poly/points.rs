//! Points of polyhedra.

use super::Poly;
use super::simplex::{Range, Shifted, Simplex};
use crate::linear::Numbers;
use sectile_base::Rat;
use std::collections::VecDeque;

/// So many times a coordinate is cut before the search for integers is given up.
const MOST_CUTS: usize = 500;

impl Poly {
    /// A point of the polyhedron; over the integers one of integers, if one is found soon.
    pub fn point(&self) -> Option<Vec<Rat>> {
        let mut simplex = self.table(&[]);
        if self.numbers == Numbers::Reals {
            return simplex.check().then(|| simplex.point());
        }
        // First in, first out: in one direction alone the cuts may go on for ever.
        let mut open = VecDeque::from([simplex]);
        for _ in 0..MOST_CUTS {
            let mut simplex = open.pop_front()?;
            if !simplex.check() {
                continue;
            }
            let point = simplex.point();
            let Some(odd) = point.iter().position(|x| !x.is_int()) else {
                return Some(point);
            };
            let middle = &point[odd];
            let below = Rat::from(middle.floor());
            let above = &below + &Rat::ONE;
            let range = simplex.range(odd).clone();
            let mut other = simplex.clone();
            narrow(&mut other, odd, range.clone(), None, Some(below));
            narrow(&mut simplex, odd, range, Some(above), None);
            open.extend([other, simplex]);
        }
        None
    }

    /// Whether a point is in the polyhedron.
    pub fn contains(&self, point: &[Rat]) -> bool {
        self.constraints.iter().all(|c| c.holds_at(point))
    }
}

fn narrow(
    simplex: &mut Simplex,
    variable: usize,
    mut range: Range,
    low: Option<Rat>,
    high: Option<Rat>,
) {
    if let Some(low) = low {
        range.low = Some(Shifted::exact(low));
    }
    if let Some(high) = high {
        range.high = Some(Shifted::exact(high));
    }
    simplex.set_range(variable, range);
}
