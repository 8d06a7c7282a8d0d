//! Export of refutations from the proof log.
//!
//! A [`Refutation`] is the part of the `ProofLog` that one `unsat` answer needs, made
//! self-contained: variables and atoms are given as terms, and the literals that only steer the
//! search (activation literals of scopes, guards of auxiliary definitions) are gone.
//!
//! Stripping guards. A guard is taken to be true: a clause in which it occurs positively is
//! trivial, and a negative occurrence is dropped. A chain that resolves on a guard therefore
//! continues with the clause in which it is negative. Clauses become stronger on the way, so later
//! pivots may be missing on one side; the resolvent is then the side without it.

use crate::proof_log::{Origin, ProofLog, Step, StepId};
use crate::sat::Lit;
use sectile_base::Rat;
use sectile_proof::Arguments;

pub use sectile_proof::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};

/// A clause of the log without steering literals.
#[derive(Clone, Copy)]
struct Stripped {
    /// All literals of the log's clause, as a part of the exporter's list.
    full: (u32, u32),
    /// The step that derives the stripped clause; `None` if that is trivial.
    at: Option<u32>,
}

/// A set of small numbers that can be listed and emptied quickly.
#[derive(Default)]
struct Marks {
    is_in: Vec<bool>,
    list: Vec<u32>,
}

impl Marks {
    fn insert(&mut self, code: u32) {
        if self.is_in.len() <= code as usize {
            self.is_in.resize(code as usize + 1, false);
        }
        if !self.is_in[code as usize] {
            self.is_in[code as usize] = true;
            self.list.push(code);
        }
    }

    fn contains(&self, code: u32) -> bool {
        self.is_in.get(code as usize).copied().unwrap_or(false)
    }

    fn remove(&mut self, code: u32) {
        if self.contains(code) {
            self.is_in[code as usize] = false;
        }
    }

    fn clear(&mut self) {
        for code in self.list.drain(..) {
            self.is_in[code as usize] = false;
        }
    }

    /// The numbers in increasing order.
    fn sorted(&mut self) -> Vec<u32> {
        // An element that was removed and inserted again is listed twice.
        self.list.sort_unstable();
        self.list.dedup();
        let present = self.list.iter().copied();
        present.filter(|&code| self.is_in[code as usize]).collect()
    }
}

/// Sorts as the literals do: by atom, the negative one first.
fn code(lit: ProofLit) -> u32 {
    lit.atom << 1 | u32::from(lit.positive)
}

fn decode(code: u32) -> ProofLit {
    ProofLit {
        atom: code >> 1,
        positive: code & 1 == 1,
    }
}

/// Writes the cone of a step as a refutation. `atom` numbers the atoms; literals that only steer the
/// search have none.
pub(crate) struct Exporter<'a, N> {
    log: &'a ProofLog,
    atom: N,
    steps: Vec<ProofStep>,
    done: Vec<Option<Stripped>>,
    /// The literals of the log's clauses.
    lits: Vec<Lit>,
    /// The present resolvent of a chain, with all literals.
    full: Marks,
    /// The same without steering literals.
    clause: Marks,
}

impl<'a, N: FnMut(Lit) -> Option<u32>> Exporter<'a, N> {
    pub fn new(log: &'a ProofLog, atom: N) -> Exporter<'a, N> {
        Exporter {
            log,
            atom,
            steps: Vec::new(),
            done: vec![None; log.len()],
            lits: Vec::new(),
            full: Marks::default(),
            clause: Marks::default(),
        }
    }

    /// Derives the empty clause from a step whose literals are negated assumptions.
    pub fn export(mut self, last: StepId, assumptions: &[(u32, Lit)]) -> Vec<ProofStep> {
        let mut current: Option<u32> = None;
        if last != StepId::NONE {
            let cone = self.log.cone(&[last]);
            for (i, needed) in cone.iter().enumerate().take(last.0 as usize + 1) {
                if *needed {
                    self.export_step(i);
                }
            }
            current = self.done(last).at;
        }
        for &(position, lit) in assumptions {
            let Some(atom) = (self.atom)(lit) else {
                continue;
            };
            let own = ProofLit {
                atom,
                positive: lit.is_positive(),
            };
            let rest = current.map(|at| self.steps[at as usize].clause.clone());
            if rest.as_ref().is_some_and(|c| !c.contains(&!own)) {
                continue;
            }
            let inference = Inference::Input(Source::Assumption(position));
            let step = self.push(vec![own], inference);
            current = Some(match (current, rest) {
                (Some(before), Some(mut rest)) => {
                    rest.retain(|&l| l != !own);
                    self.push(rest, Inference::Resolution(vec![before, step]))
                }
                _ => step,
            });
        }
        debug_assert!(current.is_some_and(|at| self.steps[at as usize].clause.is_empty()));
        self.steps
    }

    fn push(&mut self, clause: Vec<ProofLit>, inference: Inference) -> u32 {
        self.steps.push(ProofStep { clause, inference });
        self.steps.len() as u32 - 1
    }

    fn export_step(&mut self, i: usize) {
        let log = self.log;
        let stripped = match log.step(StepId(i as u32)) {
            Step::Leaf { lits, origin } => self.export_leaf(lits, origin),
            Step::Chain(list) => self.export_chain(list),
        };
        self.done[i] = Some(stripped);
    }

    fn store(&mut self, lits: impl IntoIterator<Item = Lit>) -> (u32, u32) {
        let start = self.lits.len() as u32;
        self.lits.extend(lits);
        (start, self.lits.len() as u32)
    }

    fn export_leaf(&mut self, lits: &[Lit], origin: &Origin) -> Stripped {
        let mut clause = Vec::with_capacity(lits.len());
        let mut trivial = false;
        for &lit in lits {
            let positive = lit.is_positive();
            match (self.atom)(lit) {
                Some(atom) => clause.push(ProofLit { atom, positive }),
                None => trivial |= positive,
            }
        }
        let full = self.store(lits.iter().copied());
        if trivial {
            return Stripped { full, at: None };
        }
        let inference = match origin {
            Origin::Input(partition) => Inference::Input(Source::Assertion(*partition)),
            Origin::Definition(t) => Inference::Definition(*t),
            Origin::Lemma(lemma) => {
                let mut lemma = lemma.clone();
                let numbered = lemma.rule.arguments() == Arguments::NumberPerLiteral;
                if numbered && lemma.numbers.is_empty() {
                    lemma.numbers = vec![Rat::ONE; lits.len()].into();
                }
                Inference::Lemma(lemma)
            }
        };
        let at = Some(self.push(clause, inference));
        Stripped { full, at }
    }

    fn done(&self, step: StepId) -> Stripped {
        self.done[step.0 as usize].expect("antecedents come before the steps that use them")
    }

    /// Replaces the resolvent by the clause of a step.
    fn restart(&mut self, at: Option<u32>) {
        self.clause.clear();
        if let Some(at) = at {
            for &lit in &self.steps[at as usize].clause {
                self.clause.insert(code(lit));
            }
        }
    }

    /// Resolves the full clauses; returns the pivot as it stands in the next one.
    fn resolve_full(&mut self, next: Stripped) -> Lit {
        let other = next.full.0 as usize..next.full.1 as usize;
        let mut lits = self.lits[other.clone()].iter().copied();
        let pivot = lits.find(|&l| self.full.contains((!l).0));
        let pivot = pivot.expect("each clause of a chain clashes with the clause so far");
        self.full.remove((!pivot).0);
        for &lit in self.lits[other].iter().filter(|&&l| l != pivot) {
            self.full.insert(lit.0);
        }
        pivot
    }

    fn export_chain(&mut self, list: &[StepId]) -> Stripped {
        let first = self.done(list[0]);
        self.full.clear();
        for &lit in &self.lits[first.full.0 as usize..first.full.1 as usize] {
            self.full.insert(lit.0);
        }
        self.restart(first.at);
        // The steps to resolve; none if the clause so far is trivial.
        let mut chain: Vec<u32> = first.at.into_iter().collect();
        for &next in &list[1..] {
            let other = self.done(next);
            let pivot = self.resolve_full(other);
            let positive = pivot.is_positive();
            let Some(atom) = (self.atom)(pivot) else {
                // Continue with the side in which the steering literal is negative.
                if !positive {
                    chain = other.at.into_iter().collect();
                    self.restart(other.at);
                }
                continue;
            };
            let own = ProofLit { atom, positive };
            match other.at {
                _ if chain.is_empty() => {}
                None => chain.clear(),
                Some(at) => self.resolve(own, at, &mut chain),
            }
        }
        let mut at = chain.first().copied();
        if chain.len() > 1 {
            let clause = self.clause.sorted().into_iter().map(decode).collect();
            at = Some(self.push(clause, Inference::Resolution(chain)));
        }
        let full = self.full.sorted();
        let full = self.store(full.into_iter().map(Lit));
        Stripped { full, at }
    }

    /// Resolves the clause so far with that of a step, in which `own` is the pivot.
    fn resolve(&mut self, own: ProofLit, at: u32, chain: &mut Vec<u32>) {
        if !self.clause.contains(code(!own)) {
            return;
        }
        if !self.steps[at as usize].clause.contains(&own) {
            *chain = vec![at];
            return self.restart(Some(at));
        }
        chain.push(at);
        self.clause.remove(code(!own));
        for &lit in self.steps[at as usize].clause.iter().filter(|&&l| l != own) {
            self.clause.insert(code(lit));
        }
    }
}
