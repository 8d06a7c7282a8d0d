//! Interpolants of arithmetic lemmas, for all cuts at once.
//!
//! The negated literals of a lemma contradict each other. Along the sequence of cuts, each of them
//! moves from the later side to the earlier one, at the cut given by its span.
//!
//! - Farkas: the weighted sum of what has passed. Local variables vanish from it, because those
//!   that have not passed do not mention them. The next sum is this one and what passes next, so
//!   the interpolants of one lemma follow from each other along the sequence. The dual is the
//!   complement of the sum of what has not passed.
//! - Decomposed: instead of the sum, a conjunction of sums that each do without local variables.
//!   The weights are split into vectors of the null space of the local coefficients with the
//!   smallest support. To keep the sequence property, the parts found at one cut take the place of
//!   the literals they were made of at the next one.
//! - Divisibility: an integer combination of equations with a fractional right-hand side. The part
//!   that has passed, without its integer multiples of local variables, is an integer.
//!
//! Paper: [McMillan05, sums], [GrLeSe11, congruences]; decomposition after Blicha, Hyvarinen,
//! Kofron and Sharygina (TACAS 2019).

use super::fact::{Fact, Inequality};
use super::null_space::rays;
use crate::interpolate::{Arithmetic, Cuts, Leaf, Malformed, PartialInterpolant};
use crate::refutation::ProofLit;
use sectile_base::Rat;
use sectile_terms::Linear;

/// An inequality that is used with a weight.
#[derive(Clone, Debug)]
struct Part {
    inequality: Inequality,
    weight: Rat,
}

impl Cuts<'_> {
    /// For each cut the inequalities whose conjunction interpolates, or for the dual methods those
    /// whose disjunction does.
    pub(super) fn farkas(
        &self,
        clause: &[ProofLit],
        weights: &[Rat],
    ) -> Result<Vec<PartialInterpolant>, Malformed> {
        let mut parts = Vec::with_capacity(clause.len());
        for (&lit, weight) in clause.iter().zip(weights) {
            let inequality = Inequality::negated(self.refutation, lit).ok_or(Malformed)?;
            let weight = weight.clone();
            parts.push((self.passes(lit), Part { inequality, weight }));
        }
        let dual = matches!(
            self.arithmetic,
            Arithmetic::DualFarkas | Arithmetic::DualDecomposed
        );
        // The dual goes from right to left, over the literals that have not moved.
        let mut order: Vec<u32> = (0..self.count).collect();
        let arrives = |passes: u32, cut: u32| match dual {
            false => passes == cut,
            true if cut + 1 == self.count => passes > cut,
            true => passes == cut + 1,
        };
        if dual {
            order.reverse();
        }
        let mut found = Vec::with_capacity(order.len());
        let mut present: Vec<Part> = Vec::new();
        for cut in order {
            let arriving = parts.iter().filter(|p| arrives(p.0, cut));
            present.extend(arriving.map(|p| p.1.clone()));
            let is_local = |v: u32| {
                let span = self.variables[v as usize];
                if dual {
                    span.first > cut
                } else {
                    span.last <= cut
                }
            };
            present = self.eliminate(present, is_local)?;
            let leaf = |part: &Part| {
                let own = &part.inequality;
                let own = if dual { own.complement() } else { own.clone() };
                Leaf::Arithmetic(Fact::Inequality(own.normalised()))
            };
            found.push(PartialInterpolant {
                conjunction: !dual,
                leaves: present.iter().map(leaf).collect(),
            });
        }
        if dual {
            found.reverse();
        }
        Ok(found)
    }

    /// Sums without local variables whose weighted sum is that of the given ones.
    fn eliminate(
        &self,
        parts: Vec<Part>,
        is_local: impl Fn(u32) -> bool,
    ) -> Result<Vec<Part>, Malformed> {
        let combine = |weights: &[Rat]| {
            let mut sum = Inequality::default();
            for (part, weight) in parts.iter().zip(weights) {
                sum.add(&part.inequality, weight);
            }
            sum
        };
        let weights: Vec<Rat> = parts.iter().map(|p| p.weight.clone()).collect();
        let mut found = Vec::new();
        let decompose = matches!(
            self.arithmetic,
            Arithmetic::Decomposed | Arithmetic::DualDecomposed
        );
        if decompose {
            for (ray, weight) in rays(&local_columns(&parts, &is_local), &weights) {
                let inequality = combine(&ray);
                found.push(Part { inequality, weight });
            }
        } else {
            found.push(Part {
                inequality: combine(&weights),
                weight: Rat::ONE,
            });
        }
        let sums = found.iter().flat_map(|p| p.inequality.sum.monomials());
        let clean = !sums.map(|m| m.0).any(is_local);
        clean.then_some(found).ok_or(Malformed)
    }

    /// For each cut the congruence that interpolates.
    pub(super) fn divisibility(
        &self,
        clause: &[ProofLit],
        multipliers: &[Rat],
    ) -> Result<Vec<PartialInterpolant>, Malformed> {
        let mut found = Vec::with_capacity(self.count as usize);
        let mut sum: Linear<u32> = Linear::default();
        for cut in 0..self.count {
            for (&lit, multiplier) in clause.iter().zip(multipliers) {
                if multiplier.is_zero() || self.passes(lit) != cut {
                    continue;
                }
                // The multiplier belongs to the upper bound, whose value is that of the form.
                if lit.positive {
                    return Err(Malformed);
                }
                let bound = Inequality::negated(self.refutation, lit).ok_or(Malformed)?;
                sum.add_scaled(&bound.sum, multiplier);
            }
            let congruence = self.without_local(cut, &sum)?;
            found.push(PartialInterpolant {
                conjunction: true,
                leaves: vec![Leaf::Arithmetic(Fact::Congruence(congruence))],
            });
        }
        Ok(found)
    }

    /// A sum that is an integer, without its integer multiples of local variables.
    fn without_local(&self, cut: u32, sum: &Linear<u32>) -> Result<Linear<u32>, Malformed> {
        let is_local = |m: &(u32, Rat)| self.variables[m.0 as usize].last <= cut;
        let monomials = sum.monomials().iter().cloned();
        let (local, shared): (Vec<_>, Vec<_>) = monomials.partition(is_local);
        let integral = local.iter().all(|m| m.1.is_int());
        let rest = Linear::from_monomials(sum.constant().clone(), shared);
        integral.then_some(rest).ok_or(Malformed)
    }
}

/// For each part its coefficients of the local variables.
fn local_columns(parts: &[Part], is_local: impl Fn(u32) -> bool) -> Vec<Vec<Rat>> {
    let sums = parts.iter().flat_map(|p| p.inequality.sum.monomials());
    let mut rows: Vec<u32> = sums.map(|m| m.0).filter(|v| is_local(*v)).collect();
    rows.sort_unstable();
    rows.dedup();
    let column = |p: &Part| {
        rows.iter()
            .map(|v| p.inequality.sum.coefficient(*v))
            .collect()
    };
    parts.iter().map(column).collect()
}
