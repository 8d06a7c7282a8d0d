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
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Sort, Term, Terms};
use std::collections::BTreeSet;

/// A literal of a refutation: an atom by its number, and a sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProofLit {
    /// Index into [`Refutation::atoms`].
    pub atom: u32,
    /// False for the negation.
    pub positive: bool,
}

impl std::ops::Not for ProofLit {
    type Output = ProofLit;

    fn not(self) -> ProofLit {
        ProofLit {
            positive: !self.positive,
            ..self
        }
    }
}

/// What an atom says.
#[derive(Clone, PartialEq, Debug)]
pub enum ProofAtom {
    /// A Boolean variable, an equality, or a formula named by a definition.
    Formula(Term),
    /// `sum <= bound`, or `sum < bound` if strict. If the sum is integral, so is the bound, and
    /// the negation says `sum >= bound + 1`.
    Bound {
        /// Coprime integer coefficients of [`Refutation::variables`], by their number.
        sum: Vec<(u32, Int)>,
        /// The limit.
        bound: Rat,
        /// Whether equality is excluded.
        strict: bool,
        /// Whether all variables of the sum are integers.
        integral: bool,
    },
}

/// Where a clause comes from that was asserted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// The assertion with this partition number.
    Assertion(u32),
    /// The assumption at this position of the check.
    Assumption(u32),
}

/// Why a clause holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Inference {
    /// A disjunct of a conjunct of what was asserted or assumed.
    Input(Source),
    /// One clause of the definition of a term: a Boolean operator named by its atom, or a numeric
    /// operator that is one of the variables.
    Definition(Term),
    /// An equality is two bounds.
    Trichotomy,
    /// Positive coefficients of the negated literals, whose sum is contradictory.
    Farkas(Vec<Rat>),
    /// Multipliers of equations `t = c`, each given by the negated literals `t <= c` (where the
    /// multiplier stands) and `t >= c` (zero). The combination has integer coefficients on integer
    /// variables, none on reals, and a right-hand side that is no integer.
    Divisibility(Vec<Rat>),
    /// Two values of an enumeration differ.
    Distinct,
    /// A variable has one of the values of its enumeration.
    Exhaustive,
    /// The resolvent of earlier steps, in order: the first is the start, each further one clashes
    /// with the running clause in exactly one literal.
    Resolution(Vec<u32>),
}

/// One clause with its justification.
#[derive(Clone, PartialEq, Debug)]
pub struct ProofStep {
    /// The clause; for Farkas and divisibility in the order of the coefficients.
    pub clause: Vec<ProofLit>,
    /// Why it holds.
    pub inference: Inference,
}

/// A derivation of the empty clause. The last step is the empty clause.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Refutation {
    /// Numeric variables: variables of the input and operators (`ite`, `div`, ...) that have their
    /// own variable.
    pub variables: Vec<Term>,
    /// Atoms.
    pub atoms: Vec<ProofAtom>,
    /// Steps, antecedents first.
    pub steps: Vec<ProofStep>,
}

impl Refutation {
    /// The term of a literal.
    pub fn literal_term(&self, terms: &Terms, lit: ProofLit) -> Term {
        let term = match &self.atoms[lit.atom as usize] {
            ProofAtom::Formula(t) => *t,
            ProofAtom::Bound {
                sum,
                bound,
                strict,
                integral,
            } => {
                let sort = if *integral { Sort::Int } else { Sort::Real };
                let mut linear = Linear::constant_only(-bound);
                for (v, c) in sum {
                    let mut variable = self.variables[*v as usize];
                    if sort == Sort::Real && terms.sort(variable) == Sort::Int {
                        variable = terms.to_real(variable);
                    }
                    linear.add_scaled(&terms.linear(variable), &Rat::from(c));
                }
                let t = terms.sum(linear, sort);
                if *strict {
                    terms.negative(t)
                } else {
                    terms.non_pos(t)
                }
            }
        };
        if lit.positive { term } else { terms.not(term) }
    }

    /// The assertions and assumptions that were used.
    pub fn sources(&self) -> BTreeSet<Source> {
        let sources = self.steps.iter().filter_map(|s| match s.inference {
            Inference::Input(source) => Some(source),
            _ => None,
        });
        sources.collect()
    }
}

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
