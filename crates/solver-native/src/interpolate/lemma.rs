//! Interpolants of arithmetic lemmas, for all cuts at once.
//!
//! The negated literals of a lemma contradict each other. Walking along the cuts, each of them
//! passes from the later side to the earlier one, at the cut its [`Span`] tells.
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

use super::leaf::{Congruence, Inequality};
use super::null_space::rays;
use super::spans::Span;
use crate::refutation::{ProofAtom, ProofLit, Refutation};
use sectile_base::Rat;
use std::collections::BTreeMap;

/// A lemma is not of the shape it should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Malformed;

/// What is known about the parts of a refutation.
pub(super) struct Lemmas<'a> {
    pub refutation: &'a Refutation,
    /// By variable of the refutation.
    pub variables: &'a [Span],
    pub cuts: u32,
    /// Whether sums are split.
    pub decompose: bool,
}

/// An inequality that is used with a weight.
#[derive(Clone, Debug)]
struct Part {
    inequality: Inequality,
    weight: Rat,
}

impl Lemmas<'_> {
    fn parts(
        &self,
        clause: &[ProofLit],
        weights: &[Rat],
        passes: impl Fn(ProofLit) -> u32,
    ) -> Result<Vec<(u32, Part)>, Malformed> {
        let mut list = Vec::with_capacity(clause.len());
        for (&lit, weight) in clause.iter().zip(weights) {
            let inequality = Inequality::negated(self.refutation, lit).ok_or(Malformed)?;
            let weight = weight.clone();
            list.push((passes(lit), Part { inequality, weight }));
        }
        Ok(list)
    }

    /// For each cut the inequalities whose conjunction interpolates.
    pub fn farkas(
        &self,
        clause: &[ProofLit],
        weights: &[Rat],
        passes: impl Fn(ProofLit) -> u32,
    ) -> Result<Vec<Vec<Inequality>>, Malformed> {
        let parts = self.parts(clause, weights, passes)?;
        let mut found = Vec::with_capacity(self.cuts as usize);
        let mut present: Vec<Part> = Vec::new();
        for cut in 0..self.cuts {
            let passing = parts.iter().filter(|p| p.0 == cut);
            present.extend(passing.map(|p| p.1.clone()));
            let is_local = |v: u32| self.variables[v as usize].last <= cut;
            present = self.eliminate(present, is_local)?;
            found.push(present.iter().map(|p| p.inequality.clone()).collect());
        }
        Ok(found)
    }

    /// For each cut the inequalities whose disjunction interpolates.
    pub fn dual(
        &self,
        clause: &[ProofLit],
        weights: &[Rat],
        passes: impl Fn(ProofLit) -> u32,
    ) -> Result<Vec<Vec<Inequality>>, Malformed> {
        let parts = self.parts(clause, weights, passes)?;
        let mut found = Vec::with_capacity(self.cuts as usize);
        let staying = parts.iter().filter(|p| p.0 >= self.cuts);
        let mut present: Vec<Part> = staying.map(|p| p.1.clone()).collect();
        for cut in (0..self.cuts).rev() {
            let passing = parts.iter().filter(|p| p.0 == cut + 1 && p.0 < self.cuts);
            present.extend(passing.map(|p| p.1.clone()));
            let is_local = |v: u32| self.variables[v as usize].first > cut;
            present = self.eliminate(present, is_local)?;
            let complements = present.iter().map(|p| p.inequality.complement());
            found.push(complements.collect());
        }
        found.reverse();
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
        if self.decompose {
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
        let clean = |p: &Part| p.inequality.sum.iter().all(|(v, _)| !is_local(*v));
        found.iter().all(clean).then_some(found).ok_or(Malformed)
    }

    /// For each cut the congruence that interpolates.
    pub fn divisibility(
        &self,
        clause: &[ProofLit],
        multipliers: &[Rat],
        passes: impl Fn(ProofLit) -> u32,
    ) -> Result<Vec<Congruence>, Malformed> {
        let mut found = Vec::with_capacity(self.cuts as usize);
        let mut sum: BTreeMap<u32, Rat> = BTreeMap::new();
        let mut constant = Rat::ZERO;
        for cut in 0..self.cuts {
            for (&lit, multiplier) in clause.iter().zip(multipliers) {
                if multiplier.is_zero() || passes(lit) != cut {
                    continue;
                }
                let atom = &self.refutation.atoms[lit.atom as usize];
                let ProofAtom::Bound {
                    sum: form, bound, ..
                } = atom
                else {
                    return Err(Malformed);
                };
                // The multiplier stands with the upper bound, whose value is that of the form.
                if lit.positive {
                    return Err(Malformed);
                }
                constant.add_mul_assign(bound, multiplier);
                for (v, c) in form {
                    let coefficient = sum.entry(*v).or_default();
                    coefficient.add_mul_assign(&Rat::from(c), multiplier);
                }
            }
            found.push(self.congruence(cut, &sum, &constant)?);
        }
        Ok(found)
    }

    fn congruence(
        &self,
        cut: u32,
        sum: &BTreeMap<u32, Rat>,
        constant: &Rat,
    ) -> Result<Congruence, Malformed> {
        let mut shared = Vec::new();
        for (v, c) in sum {
            if self.variables[*v as usize].last <= cut {
                if !c.is_int() {
                    return Err(Malformed);
                }
                continue;
            }
            shared.push((*v, c.clone()));
        }
        Ok(Congruence {
            sum: shared,
            constant: constant.clone(),
        })
    }
}

/// For each part its coefficients of the local variables.
fn local_columns(parts: &[Part], is_local: impl Fn(u32) -> bool) -> Vec<Vec<Rat>> {
    let sums = parts.iter().flat_map(|p| &p.inequality.sum);
    let mut rows: Vec<u32> = sums.map(|m| m.0).filter(|v| is_local(*v)).collect();
    rows.sort_unstable();
    rows.dedup();
    let column = |p: &Part| rows.iter().map(|v| p.inequality.coefficient(*v)).collect();
    parts.iter().map(column).collect()
}
