//! The proof log: the derivation of every clause.
//!
//! # Design
//!
//! The log is a list of steps, each of which made one clause.
//!
//! - A *leaf* stores its literals and an [`Origin`]: part of an assertion (with its partition), a
//!   definitional clause (Tseitin, `ite`, `div`, equality as two bounds, ...), or a theory lemma
//!   with the numbers that make it checkable without search.
//! - A *chain* stores only the steps it resolves, in order. The first clause is the start; each
//!   further one clashes with the running resolvent in exactly one literal, so pivots need not be
//!   stored. This holds because a chain resolves away literals in the reverse order of the trail:
//!   the running resolvent is false under the trail, and of a reason clause only the propagated
//!   literal is true.
//!
//! Antecedents always precede, so one pass over the steps visits a refutation in order: a kernel
//! replays it with one running clause, and an interpolator computes a partial interpolant per step
//! for every cut of the partition sequence at once (the leaves carry partitions, the theory leaves
//! the coefficients).
//!
//! Literals that only steer the search are hidden from readers: *activation literals* (one for each
//! open scope) and *guards* (the definition of an auxiliary variable is needed only while an atom
//! over it is assigned) are assumed, and are stripped by [`crate::refutation`].
//!
//! Theory lemmas are disjunctions of literals whose negations contradict each other. Each names
//! its rule, with what the kernel needs to check it (see [`sectile_proof::Rule`]).
//!
//! Integer branches need no step: `t <= c` and `t >= c + 1` are one atom and its negation, so a
//! branch is a decision on that atom.
//!
//! The log is compacted by mark and sweep from the live clauses; memory is therefore bounded by the
//! live clauses and their derivations.

use crate::sat::Lit;
use sectile_proof::Lemma;
use sectile_terms::Term;

/// Names a step of the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepId(pub u32);

impl StepId {
    /// The step of clauses made while the log is off.
    pub const NONE: StepId = StepId(u32::MAX);
}

impl Default for StepId {
    fn default() -> StepId {
        StepId::NONE
    }
}

/// The justification of a leaf clause.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// Part of the assertion (or assumption) with this number.
    Input(u32),
    /// A clause of the definition of this term.
    Definition(Term),
    /// A lemma of a theory. If its rule takes a number for each literal and none is given, all of
    /// them are 1.
    Lemma(Lemma),
}

/// The derivation of a clause.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step<'l> {
    /// A clause that needs no derivation.
    Leaf { lits: &'l [Lit], origin: &'l Origin },
    /// The resolvent of earlier clauses, in order.
    Chain(&'l [StepId]),
}

/// The range of literals of a leaf, or of antecedents of a chain.
#[derive(Clone, Copy)]
struct Record {
    start: u32,
    len: u32,
    /// The origin of a leaf; nothing for a chain.
    origin: Option<u32>,
}

impl Record {
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// All steps that may still matter.
#[derive(Default)]
pub struct ProofLog {
    records: Vec<Record>,
    lits: Vec<Lit>,
    antecedents: Vec<StepId>,
    origins: Vec<Origin>,
    size_after_sweep: usize,
}

impl ProofLog {
    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn leaf(&mut self, lits: &[Lit], origin: Origin) -> StepId {
        let record = Record {
            start: self.lits.len() as u32,
            len: lits.len() as u32,
            origin: Some(self.origins.len() as u32),
        };
        self.lits.extend_from_slice(lits);
        self.origins.push(origin);
        self.push(record)
    }

    /// Adds the resolvent of a chain. A chain of one step is that step.
    pub fn chain(&mut self, antecedents: &[StepId]) -> StepId {
        if let [only] = antecedents {
            return *only;
        }
        let record = Record {
            start: self.antecedents.len() as u32,
            len: antecedents.len() as u32,
            origin: None,
        };
        self.antecedents.extend_from_slice(antecedents);
        self.push(record)
    }

    fn push(&mut self, record: Record) -> StepId {
        let id = u32::try_from(self.records.len()).expect("fewer than 2^32 proof steps");
        self.records.push(record);
        StepId(id)
    }

    pub fn step(&self, id: StepId) -> Step<'_> {
        let record = self.records[id.0 as usize];
        match record.origin {
            Some(origin) => Step::Leaf {
                lits: &self.lits[record.range()],
                origin: &self.origins[origin as usize],
            },
            None => Step::Chain(&self.antecedents[record.range()]),
        }
    }

    /// The steps that the given ones depend on, themselves included.
    pub fn cone(&self, roots: &[StepId]) -> Vec<bool> {
        let mut needed = vec![false; self.records.len()];
        for root in roots {
            if *root != StepId::NONE {
                needed[root.0 as usize] = true;
            }
        }
        for i in (0..self.records.len()).rev() {
            if needed[i]
                && let Step::Chain(list) = self.step(StepId(i as u32))
            {
                list.iter().for_each(|a| needed[a.0 as usize] = true);
            }
        }
        needed
    }

    /// Whether a sweep pays.
    pub fn should_sweep(&self) -> bool {
        self.records.len() > 4096 && self.records.len() > 2 * self.size_after_sweep
    }

    /// Drops every step outside the cone of `roots`; returns the new name of each old step.
    pub fn sweep(&mut self, roots: &[StepId]) -> Vec<StepId> {
        let needed = self.cone(roots);
        let mut renamed = vec![StepId::NONE; self.records.len()];
        let (mut records, mut lits, mut antecedents, mut origins) = (0, 0, 0, 0);
        // Everything moves towards the front, so the steps can be copied in place.
        for i in 0..self.records.len() {
            if !needed[i] {
                continue;
            }
            let mut record = self.records[i];
            let from = record.range();
            if let Some(origin) = &mut record.origin {
                record.start = lits as u32;
                lits += from.len();
                self.lits.copy_within(from, record.start as usize);
                self.origins.swap(*origin as usize, origins);
                *origin = origins as u32;
                origins += 1;
            } else {
                record.start = antecedents as u32;
                for k in from {
                    self.antecedents[antecedents] = renamed[self.antecedents[k].0 as usize];
                    antecedents += 1;
                }
            }
            self.records[records] = record;
            renamed[i] = StepId(records as u32);
            records += 1;
        }
        self.records.truncate(records);
        self.lits.truncate(lits);
        self.antecedents.truncate(antecedents);
        self.origins.truncate(origins);
        self.size_after_sweep = records;
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::Var;

    #[test]
    fn sweeping_keeps_the_cone_and_renames() {
        let mut log = ProofLog::default();
        let a = Var(0).positive();
        let b = Var(1).positive();
        let unused = log.leaf(&[a], Origin::Input(0));
        let x = log.leaf(&[a, b], Origin::Input(1));
        let y = log.leaf(&[!b], Origin::Input(2));
        let z = log.chain(&[x, y]);
        let renamed = log.sweep(&[z]);
        assert_eq!(log.len(), 3);
        assert_eq!(renamed[unused.0 as usize], StepId::NONE);
        let Step::Chain(list) = log.step(renamed[z.0 as usize]) else {
            panic!("a chain stays a chain");
        };
        assert_eq!(list, [renamed[x.0 as usize], renamed[y.0 as usize]]);
    }
}
