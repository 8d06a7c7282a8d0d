//! Refutations: what a reader of a proof sees.
//!
//! A [`Refutation`] is the part of the [`ProofLog`] that one `unsat` answer needs, made
//! self-contained: variables and atoms are given as terms, and the literals that only steer the
//! search (activation literals of scopes, guards of auxiliary definitions) are gone.
//!
//! Stripping guards. A guard is taken to be true: a clause in which it occurs positively says
//! nothing, a negative occurrence is dropped. A chain that resolves on a guard therefore goes on
//! with the clause in which it was negative. Clauses become stronger on the way, so later pivots
//! may be missing on one side; the resolvent is then the side without it.

use crate::proof_log::{Origin, ProofLog, Step, StepId};
use crate::sat::Lit;
use std::collections::BTreeSet;

pub use sectile_proof::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};

/// What the literal of a propositional variable is to a reader.
pub(crate) enum Meaning {
    /// An atom by its number.
    Atom(u32),
    /// True by assumption: an activation literal or a guard.
    Steering,
}

/// Names atoms for the exporter.
pub(crate) trait Namer {
    /// The meaning of a variable; atoms are numbered as they are met.
    fn meaning(&mut self, lit: Lit) -> Meaning;
}

/// A clause of the log without steering literals; nothing if it is trivially true.
#[derive(Clone)]
struct Stripped {
    /// All literals of the log's clause.
    full: BTreeSet<Lit>,
    /// Where the stripped clause is derived, and its literals; `None` if it says nothing.
    at: Option<(u32, BTreeSet<ProofLit>)>,
}

/// Writes the cone of a step as a refutation.
pub(crate) struct Exporter<'a, N> {
    log: &'a ProofLog,
    namer: &'a mut N,
    steps: Vec<ProofStep>,
    done: Vec<Option<Stripped>>,
}

impl<'a, N: Namer> Exporter<'a, N> {
    pub fn new(log: &'a ProofLog, namer: &'a mut N) -> Exporter<'a, N> {
        Exporter {
            log,
            namer,
            steps: Vec::new(),
            done: vec![None; log.len()],
        }
    }

    /// Derives the empty clause from a step whose literals are negated assumptions.
    pub fn export(mut self, last: StepId, assumptions: &[(u32, Lit)]) -> Vec<ProofStep> {
        let mut current: Option<(u32, BTreeSet<ProofLit>)> = None;
        if last != StepId::NONE {
            let cone = self.log.cone(&[last]);
            for (i, needed) in cone.iter().enumerate().take(last.0 as usize + 1) {
                if *needed {
                    self.export_step(i);
                }
            }
            current = self.done[last.0 as usize].take().and_then(|s| s.at);
        }
        for &(position, lit) in assumptions {
            let Meaning::Atom(atom) = self.namer.meaning(lit) else {
                continue;
            };
            let own = ProofLit {
                atom,
                positive: lit.is_positive(),
            };
            let clause = BTreeSet::from([own]);
            let relevant = current.as_ref().is_none_or(|(_, c)| c.contains(&!own));
            if relevant {
                let inference = Inference::Input(Source::Assumption(position));
                let step = self.push(vec![own], inference);
                current = Some(match current.take() {
                    None => (step, clause),
                    Some((before, mut rest)) => {
                        rest.remove(&!own);
                        let list = rest.iter().copied().collect();
                        (
                            self.push(list, Inference::Resolution(vec![before, step])),
                            rest,
                        )
                    }
                });
            }
        }
        debug_assert!(current.is_some_and(|(_, c)| c.is_empty()));
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

    fn export_leaf(&mut self, lits: &[Lit], origin: &Origin) -> Stripped {
        let mut clause = Vec::with_capacity(lits.len());
        let mut trivial = false;
        for &lit in lits {
            match self.namer.meaning(lit) {
                Meaning::Atom(atom) => clause.push(ProofLit {
                    atom,
                    positive: lit.is_positive(),
                }),
                Meaning::Steering => trivial |= lit.is_positive(),
            }
        }
        let full = lits.iter().copied().collect();
        if trivial {
            return Stripped { full, at: None };
        }
        let inference = match origin {
            Origin::Input(partition) => Inference::Input(Source::Assertion(*partition)),
            Origin::Definition(t) => Inference::Definition(*t),
            Origin::Trichotomy => Inference::Trichotomy,
            Origin::Farkas(list) => Inference::Farkas(list.to_vec()),
            Origin::Divisibility(list) => Inference::Divisibility(list.to_vec()),
            Origin::Distinct => Inference::Distinct,
            Origin::Exhaustive => Inference::Exhaustive,
        };
        let set = clause.iter().copied().collect();
        let at = self.push(clause, inference);
        Stripped {
            full,
            at: Some((at, set)),
        }
    }

    fn done(&self, step: StepId) -> &Stripped {
        self.done[step.0 as usize]
            .as_ref()
            .expect("antecedents come before the steps that use them")
    }

    fn export_chain(&mut self, list: &[StepId]) -> Stripped {
        let first = self.done(list[0]).clone();
        let mut full = first.full;
        let mut chain: Vec<u32> = first.at.iter().map(|(at, _)| *at).collect();
        let mut current = first.at.map(|(_, clause)| clause);
        for &next in &list[1..] {
            let other = self.done(next).clone();
            let pivot = other.full.iter().copied().find(|&l| full.contains(&!l));
            let pivot = pivot.expect("each clause of a chain clashes with the clause so far");
            full.remove(&!pivot);
            full.extend(other.full.iter().copied().filter(|&l| l != pivot));
            let atom = match self.namer.meaning(pivot) {
                Meaning::Atom(atom) => ProofLit {
                    atom,
                    positive: pivot.is_positive(),
                },
                Meaning::Steering => {
                    // Go on with the side in which the steering literal is negative.
                    if !pivot.is_positive() {
                        chain = other.at.iter().map(|(at, _)| *at).collect();
                        current = other.at.map(|(_, clause)| clause);
                    }
                    continue;
                }
            };
            match (&mut current, other.at) {
                (None, _) => {}
                (Some(_), None) => {
                    chain.clear();
                    current = None;
                }
                (Some(clause), Some((at, with))) => {
                    if !clause.contains(&!atom) {
                        continue;
                    }
                    if !with.contains(&atom) {
                        chain = vec![at];
                        *clause = with;
                        continue;
                    }
                    chain.push(at);
                    clause.remove(&!atom);
                    clause.extend(with.into_iter().filter(|&l| l != atom));
                }
            }
        }
        let at = current.map(|clause| match chain.as_slice() {
            [only] => (*only, clause),
            _ => {
                let list = clause.iter().copied().collect();
                (self.push(list, Inference::Resolution(chain)), clause)
            }
        });
        Stripped { full, at }
    }
}
