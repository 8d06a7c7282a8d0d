//! The states at one location: a polyhedron for each combination of conditions.

use crate::domain::Domain;
use crate::facts::piece::{Coordinates, is_huge};
use crate::linear::Constraint;
use crate::poly::Poly;
use sectile_terms::Term;
use std::collections::{BTreeMap, BTreeSet};

/// Number of exact unions before growing bounds are widened.
const EXACT_UNIONS: u32 = 3;
/// Maximum number of constraints of a polyhedron before it is extrapolated at once.
const MOST_CONSTRAINTS: usize = 24;

/// Units of work for a pair of constraints.
const UNITS_OF_A_PAIR: u64 = 8;

/// A growing polyhedron.
#[derive(Clone, Debug)]
struct Cell {
    poly: Poly,
    unions: u32,
}

/// The states known at a location, by the truth of the conditions.
#[derive(Clone, Debug, Default)]
pub struct Cells(BTreeMap<Vec<bool>, Cell>);

impl Cells {
    /// Adds states; with `thresholds` growth is extrapolated, and these are the bounds at which it
    /// may stop.
    ///
    /// Returns the amount of work, in checks of the clock.
    ///
    /// Paper: [CoHa78], with the widening of [Halb79] up to the conditions of the program.
    pub fn add(&mut self, key: Vec<bool>, states: Poly, thresholds: Option<&[Constraint]>) -> u64 {
        let states = plain(states);
        let Some(cell) = self.0.get_mut(&key) else {
            let poly = states;
            self.0.insert(key, Cell { poly, unions: 0 });
            return 0;
        };
        let hull = cell.poly.hull(&states);
        let sizes = [&cell.poly, &states, &hull].map(|p| p.constraints().len() as u64);
        let union = plain(hull);
        cell.unions += 1;
        let large = union.constraints().len() > MOST_CONSTRAINTS;
        let poly = match thresholds {
            Some(thresholds) if cell.unions > EXACT_UNIONS || large => {
                let wider = cell.poly.widened(&union);
                let bounds = thresholds.iter().zip(union.implied(thresholds));
                let bounds = bounds.filter(|(_, holds)| *holds);
                let bounds: Vec<Constraint> = bounds.map(|(t, _)| t.clone()).collect();
                wider.clone().assume_all(&bounds).unwrap_or(wider)
            }
            _ => union,
        };
        cell.poly = poly;
        // For every constraint, one simplex with all of them.
        sizes.iter().map(|s| s * s * UNITS_OF_A_PAIR).sum()
    }

    /// Intersects with other states.
    pub fn meet(&mut self, other: &Cells) {
        self.0.retain(|key, cell| {
            let met = other.0.get(key).and_then(|o| cell.poly.meet(&o.poly));
            let left = met.is_some();
            if let Some(poly) = met {
                cell.poly = poly;
            }
            left
        });
    }

    /// The same states as many small conditions, of which a proof may need only some: conditions
    /// common to all cells, conditions of single cells, and the disjunction of the cells.
    pub fn conditions(&self, coordinates: &Coordinates<'_>, conditions: &[Term]) -> Term {
        let terms = coordinates.terms;
        let all = self.0.values().flat_map(|c| c.poly.constraints());
        let all: BTreeSet<&Constraint> = all.collect();
        let everywhere = |c: &Constraint| self.0.values().all(|cell| cell.poly.implies(c));
        let common: BTreeSet<&Constraint> = all.into_iter().filter(|c| everywhere(c)).collect();
        let mut parts: Vec<Term> = common.iter().map(|c| coordinates.formula(c)).collect();
        let mut cubes = Vec::new();
        for (key, cell) in &self.0 {
            let literals = literals(coordinates, conditions, key);
            let cube = terms.and(literals);
            let single = cell
                .poly
                .constraints()
                .iter()
                .filter(|c| !common.contains(c));
            parts.extend(single.map(|c| terms.implies(cube, coordinates.formula(c))));
            cubes.push(cube);
        }
        parts.push(terms.or(cubes));
        terms.and(parts)
    }

    /// The states as a formula.
    pub fn formula(&self, coordinates: &Coordinates<'_>, conditions: &[Term]) -> Term {
        let terms = coordinates.terms;
        let cell = |(key, cell): (&Vec<bool>, &Cell)| {
            let literals = literals(coordinates, conditions, key);
            let bounds = cell.poly.constraints().iter();
            let bounds = bounds.map(|c| coordinates.formula(c));
            terms.and(literals.into_iter().chain(bounds))
        };
        terms.or(self.0.iter().map(cell))
    }
}

/// The polyhedron without constraints with huge numbers, which are useless and slow down all later
/// operations.
fn plain(poly: Poly) -> Poly {
    if !poly.constraints().iter().any(is_huge) {
        return poly;
    }
    let small = poly.constraints().iter().filter(|c| !is_huge(c));
    let small = small.cloned().collect();
    Poly::new(poly.numbers(), poly.variables(), small).unwrap_or(poly)
}

/// The conditions, negated where they do not hold.
fn literals(coordinates: &Coordinates<'_>, conditions: &[Term], key: &[bool]) -> Vec<Term> {
    let terms = coordinates.terms;
    let pairs = conditions.iter().zip(key);
    pairs
        .map(|(&c, &holds)| if holds { c } else { terms.not(c) })
        .collect()
}
