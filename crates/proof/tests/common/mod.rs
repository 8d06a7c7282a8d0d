//! Building refutations by hand, asking z3, and refutations of random formulas.

#![allow(dead_code, clippy::unwrap_used)]

pub mod random;
pub mod z3;

use sectile_base::{Int, Rat};
use sectile_proof::{
    Fault, Inference, Lemma, Place, ProofAtom, ProofLit, ProofStep, Refutation, ReplayError, Rule,
    Source, Summary, replay,
};
use sectile_terms::{Sort, SymbolKind, Term, Terms};

pub fn variable(terms: &Terms, name: &str, sort: Sort) -> Term {
    terms.var(terms.declare(name, sort, SymbolKind::State).unwrap())
}

/// How many cases to draw: the given number, or as many times it as `SECTILE_PROOF_FUZZ` says.
pub fn cases(number: u64) -> u64 {
    let factor = std::env::var("SECTILE_PROOF_FUZZ").ok();
    number * factor.and_then(|f| f.parse::<u64>().ok()).unwrap_or(1)
}

pub fn rat(n: i64, d: i64) -> Rat {
    Rat::from_ratio(n, d)
}

/// A refutation that grows, with the assertions it is about.
pub struct Builder<'t> {
    pub terms: &'t Terms,
    pub assertions: Vec<Term>,
    pub refutation: Refutation,
}

impl<'t> Builder<'t> {
    pub fn new(terms: &'t Terms) -> Builder<'t> {
        Builder {
            terms,
            assertions: Vec::new(),
            refutation: Refutation::default(),
        }
    }

    fn atom(&mut self, atom: ProofAtom) -> ProofLit {
        let list = &mut self.refutation.atoms;
        let number = list.iter().position(|a| *a == atom).unwrap_or_else(|| {
            list.push(atom);
            list.len() - 1
        });
        ProofLit {
            atom: number as u32,
            positive: true,
        }
    }

    /// The literal of a formula that is taken as it is.
    pub fn formula(&mut self, t: Term) -> ProofLit {
        let (t, negated) = self.terms.strip_not(t);
        let lit = self.atom(ProofAtom::Formula(t));
        if negated { !lit } else { lit }
    }

    fn variable(&mut self, t: Term) -> u32 {
        let list = &mut self.refutation.variables;
        let number = list.iter().position(|v| *v == t).unwrap_or_else(|| {
            list.push(t);
            list.len() - 1
        });
        number as u32
    }

    /// `sum <= bound`, or `sum < bound`.
    pub fn bound(&mut self, sum: &[(i64, Term)], strict: bool, bound: Rat) -> ProofLit {
        let integers = sum.iter().all(|m| self.terms.sort(m.1) == Sort::Int);
        let integral = integers && !strict && bound.is_int();
        let sum = sum
            .iter()
            .map(|(c, t)| (self.variable(*t), Int::from(*c)))
            .collect();
        self.atom(ProofAtom::Bound {
            sum,
            bound,
            strict,
            integral,
        })
    }

    pub fn le(&mut self, sum: &[(i64, Term)], bound: i64) -> ProofLit {
        self.bound(sum, false, Rat::from(bound))
    }

    pub fn lt(&mut self, sum: &[(i64, Term)], bound: i64) -> ProofLit {
        self.bound(sum, true, Rat::from(bound))
    }

    pub fn step(&mut self, clause: &[ProofLit], inference: Inference) -> u32 {
        self.refutation.steps.push(ProofStep {
            clause: clause.to_vec(),
            inference,
        });
        self.refutation.steps.len() as u32 - 1
    }

    /// Asserts a formula and takes a clause of it.
    pub fn input(&mut self, assertion: Term, clause: &[ProofLit]) -> u32 {
        self.assertions.push(assertion);
        let number = self.assertions.len() as u32 - 1;
        self.step(clause, Inference::Input(Source::Assertion(number)))
    }

    /// Asserts the negations of a step's literals, and derives the empty clause from them.
    pub fn finish(&mut self, step: u32) {
        let mut chain = vec![step];
        let mut clause = self.refutation.steps[step as usize].clause.clone();
        clause.sort();
        clause.dedup();
        for lit in clause {
            let unit = self.refutation.literal_term(self.terms, !lit);
            chain.push(self.input(unit, &[!lit]));
        }
        self.step(&[], Inference::Resolution(chain));
    }

    pub fn replay(&self) -> Result<Summary, ReplayError> {
        replay(self.terms, &self.assertions, &[], &self.refutation)
    }

    /// Replays a refutation that needs the given lemma; what became of the lemma.
    pub fn lemma(&self, clause: &[ProofLit], inference: Inference) -> Result<(), Fault> {
        let mut whole = Builder {
            terms: self.terms,
            assertions: self.assertions.clone(),
            refutation: self.refutation.clone(),
        };
        let step = whole.step(clause, inference);
        whole.finish(step);
        match whole.replay() {
            Ok(_) => Ok(()),
            Err(e) => {
                assert_eq!(e.place, Place::Step(step as usize), "{e}");
                Err(e.fault)
            }
        }
    }
}

/// A lemma by a rule without arguments.
pub fn plain(rule: Rule) -> Inference {
    Inference::Lemma(Lemma::plain(rule))
}

/// A lemma by a rule with numbers.
pub fn numbers(rule: Rule, list: Vec<Rat>) -> Inference {
    Inference::Lemma(Lemma::with_numbers(rule, list))
}
