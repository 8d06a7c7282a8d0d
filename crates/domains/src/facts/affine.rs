//! Affine hulls of points: the linear equations that all of them satisfy.

use sectile_base::Rat;

/// The smallest affine space that contains the points seen so far.
///
/// Directions are kept in reduced echelon form: each has a one where all others have a zero.
#[derive(Clone, Debug)]
pub(crate) struct AffineHull {
    base: Vec<Rat>,
    directions: Vec<(usize, Vec<Rat>)>,
}

/// `coefficients . point = constant`.
pub(crate) struct Equation {
    pub coefficients: Vec<Rat>,
    pub constant: Rat,
}

impl AffineHull {
    /// A single point.
    pub fn new(point: Vec<Rat>) -> AffineHull {
        AffineHull {
            base: point,
            directions: Vec::new(),
        }
    }

    /// Adds a point; false if it was inside already.
    pub fn add(&mut self, point: &[Rat]) -> bool {
        let pairs = point.iter().zip(&self.base);
        let mut direction: Vec<Rat> = pairs.map(|(p, b)| p - b).collect();
        for (pivot, known) in &self.directions {
            let factor = direction[*pivot].clone();
            subtract(&mut direction, known, &factor);
        }
        let Some(pivot) = direction.iter().position(|c| !c.is_zero()) else {
            return false;
        };
        let scale = &Rat::ONE / &direction[pivot];
        direction.iter_mut().for_each(|c| *c = &*c * &scale);
        for (_, known) in &mut self.directions {
            let factor = known[pivot].clone();
            subtract(known, &direction, &factor);
        }
        self.directions.push((pivot, direction));
        true
    }

    /// A basis of the equations that hold in the whole hull.
    pub fn equations(&self) -> Vec<Equation> {
        let is_pivot = |i: usize| self.directions.iter().any(|(p, _)| *p == i);
        let free = (0..self.base.len()).filter(|&i| !is_pivot(i));
        free.map(|i| self.equation(i)).collect()
    }

    /// The equation that determines a coordinate that is not a pivot.
    fn equation(&self, free: usize) -> Equation {
        let mut coefficients = vec![Rat::ZERO; self.base.len()];
        coefficients[free] = Rat::ONE;
        for (pivot, direction) in &self.directions {
            coefficients[*pivot] = -&direction[free];
        }
        let products = coefficients.iter().zip(&self.base).map(|(c, b)| c * b);
        let constant = products.fold(Rat::ZERO, |sum, p| &sum + &p);
        Equation {
            coefficients,
            constant,
        }
    }
}

fn subtract(from: &mut [Rat], what: &[Rat], factor: &Rat) {
    if factor.is_zero() {
        return;
    }
    for (a, b) in from.iter_mut().zip(what) {
        let product = b * factor;
        *a = &*a - &product;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(values: &[i64]) -> Vec<Rat> {
        values.iter().map(|&v| Rat::from(v)).collect()
    }

    #[test]
    fn points_of_a_plane_leave_its_equation() {
        // n = x + y + z, in the order x, y, z, n.
        let mut hull = AffineHull::new(point(&[1, 0, 0, 1]));
        assert!(hull.add(&point(&[2, 0, 0, 2])));
        assert!(hull.add(&point(&[1, 1, -1, 1])));
        assert!(!hull.add(&point(&[3, 2, -2, 3])));
        assert!(hull.add(&point(&[0, 0, 5, 5])));
        let equations = hull.equations();
        assert_eq!(equations.len(), 1);
        for p in [[4, 5, 6, 15], [0, 0, 0, 0]] {
            let pairs = equations[0].coefficients.iter().zip(point(&p));
            let sum = pairs.fold(Rat::ZERO, |s, (c, v)| &s + &(c * &v));
            assert_eq!(sum, equations[0].constant);
        }
        let pairs = equations[0].coefficients.iter().zip(point(&[1, 1, 1, 1]));
        let sum = pairs.fold(Rat::ZERO, |s, (c, v)| &s + &(c * &v));
        assert_ne!(sum, equations[0].constant);
    }
}
