//! The sequence of simplification steps for clauses, and the back-translation of each step.

use super::derived::{Derived, Rewriting};
use super::inline::{self, Cycles};
use super::reduce;
use super::reduction::{Argument, PredicateFate, Reduction};
use super::{slice, total};
use sectile_model::HornClauses;
use sectile_model::horn::{Clause, Derivation};
use sectile_terms::{Sort, Term, Terms};

/// Maximum number of rounds of simplification.
const ROUNDS: usize = 12;

/// One step.
pub(super) enum Step {
    /// Drops arguments that are constant, equal to others, or irrelevant.
    Reduction(Reduction),
    /// Inlines predicates, and drops conditions.
    Rewriting(Rewriting),
}

impl Step {
    /// The clauses after the step.
    pub fn after(&self) -> &HornClauses {
        match self {
            Step::Reduction(r) => &r.after,
            Step::Rewriting(r) => &r.after,
        }
    }

    /// Maps a meaning of the predicates after the step to one of the predicates before it.
    pub fn interpretation(
        &self,
        terms: &Terms,
        before: &HornClauses,
        meanings: &[Option<Term>],
    ) -> Vec<Option<Term>> {
        match self {
            Step::Reduction(r) => r.interpretation(terms, before, meanings),
            Step::Rewriting(r) => r.interpretation(terms, meanings),
        }
    }

    /// Maps a derivation from the clauses after the step to one from the clauses before it.
    pub fn derivation(
        &self,
        terms: &Terms,
        before: &HornClauses,
        derivation: &Derivation,
    ) -> Option<Derivation> {
        match self {
            Step::Reduction(r) => r.derivation(terms, before, derivation),
            Step::Rewriting(r) => r.derivation(terms, derivation),
        }
    }

    /// Whether the step identifies states that were different.
    pub fn drops_state(&self) -> bool {
        match self {
            Step::Reduction(r) => r.predicates.iter().any(|s| match s {
                PredicateFate::Used(list) => list.contains(&Argument::Dead),
                PredicateFate::Never | PredicateFate::Irrelevant => false,
            }),
            Step::Rewriting(_) => true,
        }
    }

    /// Whether the step drops predicates from bodies.
    pub fn drops_predicates(&self) -> bool {
        match self {
            Step::Reduction(_) => false,
            Step::Rewriting(r) => !r.inlined.is_empty() || !r.total.is_empty(),
        }
    }

    /// For each clause after the step, the position of the clause before it that gives its head.
    fn positions(&self) -> Vec<usize> {
        match self {
            Step::Reduction(r) => r.origins.iter().map(|o| o.clause).collect(),
            Step::Rewriting(r) => r.derived.iter().map(|d| d.nodes[0].clause).collect(),
        }
    }
}

/// For each clause after all steps, its position among the clauses that were read.
pub(super) fn positions(steps: &[Step], clauses: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..clauses).collect();
    steps.iter().fold(all, |numbers, step| {
        step.positions().into_iter().map(|k| numbers[k]).collect()
    })
}

/// All steps that simplify some clauses.
pub(super) fn all(terms: &Terms, clauses: &HornClauses, cycles: &mut Cycles) -> Vec<Step> {
    let mut maker = Maker {
        terms,
        read: clauses,
        cycles,
        steps: Vec::new(),
    };
    maker.rewrite(false);
    maker.reduce();
    if !is_compiled(terms, maker.current()) {
        return maker.steps;
    }
    for _ in 0..ROUNDS {
        let before = measure(terms, maker.current());
        maker.rewrite(true);
        maker.reduce();
        if measure(terms, maker.current()) == before {
            break;
        }
    }
    maker.steps
}

/// Whether predicates should be inlined: in programs with calls or arrays, as compilers make them.
fn is_compiled(terms: &Terms, clauses: &HornClauses) -> bool {
    let mut list = clauses.clauses.iter();
    let arrays = |c: &Clause| {
        let mut variables = c.variables.iter();
        variables.any(|&v| matches!(terms.symbol_sort(v), Sort::Array(_)))
    };
    list.any(|c| c.body.len() > 1 || arrays(c))
}

/// The numbers of clauses, arguments and terms.
fn measure(terms: &Terms, clauses: &HornClauses) -> [usize; 3] {
    let arguments = clauses.predicates.iter().map(|p| p.parameters.len());
    let conditions = clauses.clauses.iter().flat_map(|c| &c.constraint);
    let conditions: Vec<Term> = conditions.copied().collect();
    [
        clauses.clauses.len(),
        arguments.sum(),
        terms.post_order(&conditions).len(),
    ]
}

struct Maker<'m> {
    terms: &'m Terms,
    read: &'m HornClauses,
    cycles: &'m mut Cycles,
    steps: Vec<Step>,
}

impl Maker<'_> {
    fn current(&self) -> &HornClauses {
        self.steps.last().map_or(self.read, Step::after)
    }

    /// Drops arguments that are constant, equal to others, or irrelevant.
    fn reduce(&mut self) {
        for reduction in reduce::reduce(self.terms, self.current()) {
            self.steps.push(Step::Reduction(reduction));
        }
    }

    /// Slices, after inlining predicates if `inlining` is set.
    fn rewrite(&mut self, inlining: bool) {
        let terms = self.terms;
        let before = self.steps.last().map_or(self.read, Step::after);
        let numbered = before.clauses.iter().enumerate();
        let derived = numbered.map(|(k, c)| Derived::plain(terms, k, c));
        let mut derived: Vec<Derived> = derived.collect();
        let mut predicates = before.predicates.clone();
        let mut inlined = Vec::new();
        let mut total = Vec::new();
        if inlining {
            derived.retain_mut(|d| d.simplify(terms));
            total = total::take_out(terms, &mut derived);
            inlined = inline::inline(terms, &mut derived, self.cycles);
        }
        let sliced = slice::slice(terms, &mut predicates, &mut derived);
        if !sliced && !inlining {
            return;
        }
        let after = HornClauses {
            name: before.name.clone(),
            predicates,
            clauses: derived.iter().map(|d| d.clause.clone()).collect(),
        };
        self.steps.push(Step::Rewriting(Rewriting {
            derived,
            inlined,
            total,
            after,
        }));
    }
}
