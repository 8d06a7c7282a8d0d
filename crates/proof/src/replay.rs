//! Replay: the loop over the steps, input clauses, and resolution.

use crate::error::{Fault, Place, ReplayError};
use crate::meaning::{Clause, Lit, Meanings};
use crate::refutation::{Inference, ProofStep, Refutation, Source};
use crate::{definition, shape};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_terms::{Node, Term, Terms};
use std::collections::BTreeSet;

/// The result of a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Steps in all.
    pub steps: usize,
    /// Resolution chains among them.
    pub resolutions: usize,
    /// The assertions and assumptions that were used: these alone are contradictory.
    pub sources: BTreeSet<Source>,
}

/// Checks that a refutation shows the assertions and assumptions to be contradictory.
///
/// Assertions and assumptions are named by their positions in the lists. The caller puts `true` in
/// the place of an assertion that is no longer in force. All terms belong to the given store, in
/// which the check may make new ones.
///
/// # Errors
/// The first fault. A malformed refutation gives an error too.
pub fn replay(
    terms: &Terms,
    assertions: &[Term],
    assumptions: &[Term],
    refutation: &Refutation,
) -> Result<Summary, ReplayError> {
    shape::check(terms, assertions, assumptions, refutation)?;
    let mut meanings = Meanings::new(terms);
    let mut kernel = Kernel {
        atoms: meanings.of_atoms(refutation),
        meanings,
        assertions,
        assumptions,
        inputs: FxHashMap::default(),
        clauses: Vec::with_capacity(refutation.steps.len()),
        assumed: Assumed::default(),
    };
    for (i, step) in refutation.steps.iter().enumerate() {
        let place = Place::Step(i);
        let checked = kernel.check(step);
        let clause = checked.map_err(|fault| ReplayError { place, fault })?;
        kernel.clauses.push(clause);
    }
    let is_resolution = |s: &&ProofStep| matches!(s.inference, Inference::Resolution(_));
    Ok(Summary {
        steps: refutation.steps.len(),
        resolutions: refutation.steps.iter().filter(is_resolution).count(),
        sources: refutation.sources(),
    })
}

struct Kernel<'t> {
    meanings: Meanings<'t>,
    /// Indexed by atoms of the refutation.
    atoms: Vec<Lit>,
    assertions: &'t [Term],
    assumptions: &'t [Term],
    /// The clauses of requested sources.
    inputs: FxHashMap<Source, InputClauses>,
    /// The clauses of the steps so far, all of which hold.
    clauses: Vec<Clause>,
    assumed: Assumed,
}

/// Literals that are assumed to hold, as marks that are reset quickly.
#[derive(Default)]
struct Assumed {
    /// Indexed by literal.
    holds: Vec<bool>,
    list: Vec<Lit>,
}

impl Assumed {
    fn holds(&self, lit: Lit) -> bool {
        self.holds.get(lit.index()) == Some(&true)
    }

    fn assume(&mut self, lit: Lit) {
        if self.holds.len() <= lit.index() {
            self.holds.resize(lit.index() + 1, false);
        }
        self.holds[lit.index()] = true;
        self.list.push(lit);
    }

    fn clear(&mut self) {
        for lit in self.list.drain(..) {
            self.holds[lit.index()] = false;
        }
    }
}

impl Kernel<'_> {
    /// The clause of a step, if its reason is valid.
    fn check(&mut self, step: &ProofStep) -> Result<Clause, Fault> {
        let lits = step.clause.iter().map(|l| {
            let positive = self.atoms[l.atom as usize];
            if l.positive { positive } else { !positive }
        });
        let lits: Vec<Lit> = lits.collect();
        let clause = Clause::new(lits.clone());
        let m = &mut self.meanings;
        match &step.inference {
            Inference::Resolution(chain) => self.resolve(chain, &clause)?,
            // A comparison may become a truth value once its sums are computed.
            _ if clause.contains(Lit::TRUE) => {}
            Inference::Input(source) => self.check_input(*source, &clause)?,
            Inference::Definition(t) => {
                if !definition::is_instance(m, *t, &clause) {
                    return Err(Fault::NotDefinition);
                }
            }
            Inference::Lemma(lemma) => lemma.check(m, &lits, &clause)?,
        }
        Ok(clause)
    }

    fn check_input(&mut self, source: Source, clause: &Clause) -> Result<(), Fault> {
        let formula = match source {
            Source::Assertion(i) => self.assertions[i as usize],
            Source::Assumption(i) => self.assumptions[i as usize],
        };
        let m = &mut self.meanings;
        let inputs = self.inputs.entry(source);
        let inputs = inputs.or_insert_with(|| InputClauses::new(m, formula));
        inputs.imply(clause).then_some(()).ok_or(Fault::NotInSource)
    }

    /// Unit propagation: with all literals of a resolvent false, the clauses of its chain, from
    /// last to first, leave one literal each that must hold, until one has none left.
    ///
    /// So it does not matter if atoms that the search distinguished have the same meaning: then
    /// literals that it resolved on one by one disappear at once, or become complementary in one
    /// clause.
    fn resolve(&mut self, chain: &[u32], resolvent: &Clause) -> Result<(), Fault> {
        let Kernel {
            clauses, assumed, ..
        } = self;
        assumed.clear();
        assumed.assume(Lit::TRUE);
        resolvent.lits().iter().for_each(|&l| assumed.assume(!l));
        for (i, &step) in chain.iter().enumerate().rev() {
            let lits = clauses[step as usize].lits();
            let mut open = lits.iter().filter(|&&l| !assumed.holds(!l));
            match (open.next(), open.next()) {
                (None, _) => return Ok(()),
                (Some(&only), None) => assumed.assume(only),
                _ => return Err(Fault::ManyOpen(i)),
            }
        }
        Err(Fault::NotResolvent)
    }
}

/// The clauses of a formula: every conjunct, however nested, as one literal, and as the list of its
/// disjuncts.
struct InputClauses(FxHashSet<Clause>);

impl InputClauses {
    /// Splits a formula.
    fn new(meanings: &mut Meanings<'_>, formula: Term) -> InputClauses {
        let terms = meanings.terms;
        let mut clauses = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match terms.node(t) {
                Node::And(list) => stack.extend(list.iter()),
                Node::Or(list) => {
                    let disjuncts = list.iter().map(|&d| meanings.of_term(d));
                    clauses.insert(Clause::new(disjuncts.collect()));
                }
                _ => {}
            }
            clauses.insert(Clause::new(vec![meanings.of_term(t)]));
        }
        InputClauses(clauses)
    }

    /// Whether one of the clauses implies the given one, literal by literal.
    fn imply(&self, clause: &Clause) -> bool {
        let stronger = |own: &Clause| clause.covers(own.lits());
        // Most clauses are used unchanged.
        self.0.contains(clause) || self.0.iter().any(stronger)
    }
}
