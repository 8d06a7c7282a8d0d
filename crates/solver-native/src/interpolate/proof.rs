//! Sequence interpolants from one refutation.
//!
//! A refutation derives the empty clause from parts of the blocks and from valid clauses: every
//! named formula and every auxiliary variable is a term of the input, so definitions are valid. For
//! one cut, every step gets a partial interpolant by the colours of its literals; the one of the
//! empty clause is the interpolant. The colours of a literal go from *after* over *shared* to
//! *before* as the cut moves on, and shared literals are coloured the same way at all cuts, so each
//! interpolant with the block after it implies the next one.
//!
//! Each valid clause is assigned to one block with all its symbols. Lemmas that may have symbols of
//! several blocks are interpolated by their theory.
//!
//! Paper: [McMillan03]; colourings after D'Silva, Kroening, Purandare and Weissenbacher (VMCAI
//! 2010), several cuts of one refutation after Gurfinkel, Rollini and Sharygina (ATVA 2013).

use super::Obstacle;
use super::circuit::{Circuit, Wire};
use super::leaf::{Cuts, Leaf, PartialInterpolant};
use super::method::{Arithmetic, Labelling};
use super::spans::{Side, Span, Spans};
use crate::refutation::{Inference, ProofAtom, ProofLit, ProofStep, Refutation, Source};
use crate::theory;
use sectile_base::Budget;
use sectile_terms::{Term, Terms};

/// The colour of a literal at a cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    Before,
    After,
    Both,
}

/// The rule for the partial interpolant of a step.
enum Rule {
    /// A clause of a block.
    Clause(u32),
    /// A lemma, with its interpolant for each cut.
    Lemma(Vec<Wire>),
    /// A resolution, each with the literal of the clause so far that it removes.
    Chain(u32, Vec<(ProofLit, u32)>),
}

/// Reads a refutation of blocks that were asserted in order.
struct Reading<'a> {
    refutation: &'a Refutation,
    atoms: Vec<Span>,
    labelling: Labelling,
    circuit: Circuit,
}

/// One interpolant for each cut between the blocks.
pub(super) fn interpolate(
    terms: &Terms,
    blocks: &[Term],
    refutation: &Refutation,
    (labelling, arithmetic): (Labelling, Arithmetic),
    budget: &Budget,
) -> Result<Vec<Term>, Obstacle> {
    let mut spans = Spans::new(terms, blocks);
    let variables = refutation.variables.iter().map(|&t| spans.term(t));
    let variables: Vec<Span> = variables.collect();
    let atom = |atom: &ProofAtom| match atom {
        ProofAtom::Formula(t) => spans.term(*t),
        ProofAtom::Bound { sum, .. } => {
            let parts = sum.iter().map(|(v, _)| variables[*v as usize]);
            parts.reduce(Span::join).unwrap_or(spans.term(terms.tt()))
        }
    };
    let atoms: Vec<Span> = refutation.atoms.iter().map(atom).collect();
    if atoms.iter().any(|span| span.is_mixed()) {
        return Err(Obstacle::Mixed);
    }
    let cuts = blocks.len().saturating_sub(1) as u32;
    let passes: Vec<u32> = atoms.iter().map(|span| labelling.passes(*span)).collect();
    let mut reading = Reading {
        refutation,
        atoms,
        labelling,
        circuit: Circuit::new(),
    };
    let lemmas = Cuts {
        refutation,
        variables: &variables,
        count: cuts,
        arithmetic,
        passes: &passes,
    };
    let rules = reading.rules(&lemmas, budget)?;
    let mut roots = Vec::with_capacity(cuts as usize);
    for cut in 0..cuts {
        budget.check()?;
        roots.push(reading.interpolant(cut, &rules));
    }
    let leaf = |leaf: &Leaf| leaf.term(terms, refutation);
    Ok(reading.circuit.terms(terms, &roots, leaf))
}

impl Reading<'_> {
    fn span(&self, lit: ProofLit) -> Span {
        self.atoms[lit.atom as usize]
    }

    fn colour(&self, lit: ProofLit, cut: u32) -> Colour {
        match (self.span(lit).side(cut), self.labelling) {
            (Side::Before, _) | (Side::Shared, Labelling::Dual) => Colour::Before,
            (Side::After, _) | (Side::Shared, Labelling::McMillan) => Colour::After,
            (Side::Shared, Labelling::Pudlak) => Colour::Both,
            (Side::Mixed, _) => unreachable!("mixed literals are refused beforehand"),
        }
    }

    fn rules(&mut self, cuts: &Cuts<'_>, budget: &Budget) -> Result<Vec<Rule>, Obstacle> {
        let mut rules = Vec::with_capacity(self.refutation.steps.len());
        let mut clash = vec![None; self.refutation.atoms.len()];
        for step in &self.refutation.steps {
            budget.poll()?;
            rules.push(match &step.inference {
                Inference::Input(Source::Assertion(block)) => Rule::Clause(*block),
                Inference::Input(Source::Assumption(_)) => return Err(Obstacle::Malformed),
                Inference::Definition(_) => self.valid_clause(step)?,
                Inference::Lemma(lemma) => match theory::interpolate(lemma, &step.clause, cuts)? {
                    Some(list) => Rule::Lemma(list.into_iter().map(|p| self.join(p)).collect()),
                    None => self.valid_clause(step)?,
                },
                Inference::Resolution(list) => self.chain(list, &mut clash)?,
            });
        }
        Ok(rules)
    }

    /// Assigns a valid clause to a block with all its symbols.
    fn valid_clause(&self, step: &ProofStep) -> Result<Rule, Obstacle> {
        let spans = step.clause.iter().map(|&lit| self.span(lit));
        let Some(span) = spans.reduce(Span::join) else {
            return Err(Obstacle::Malformed);
        };
        if span.is_mixed() {
            return Err(Obstacle::Mixed);
        }
        Ok(Rule::Clause(self.labelling.passes(span)))
    }

    fn join(&mut self, partial: PartialInterpolant) -> Wire {
        let conjunction = partial.conjunction;
        let mut result = if conjunction { Wire::TRUE } else { Wire::FALSE };
        for leaf in partial.leaves {
            let wire = self.circuit.leaf(leaf);
            result = self.circuit.join(result, wire, conjunction);
        }
        result
    }

    /// Finds the pivots of a resolution. `clash` holds the sign of the clause so far by atom.
    fn chain(&self, list: &[u32], clash: &mut [Option<bool>]) -> Result<Rule, Obstacle> {
        let steps = &self.refutation.steps;
        let (&start, others) = list.split_first().ok_or(Obstacle::Malformed)?;
        let mut met: Vec<u32> = Vec::new();
        let mut pivots = Vec::with_capacity(others.len());
        let mut add = |clause: &[ProofLit], clash: &mut [Option<bool>]| {
            let mut pivot = None;
            for lit in clause {
                let entry = &mut clash[lit.atom as usize];
                if *entry == Some(!lit.positive) {
                    *entry = None;
                    pivot = Some(!*lit);
                } else {
                    *entry = Some(lit.positive);
                    met.push(lit.atom);
                }
            }
            pivot
        };
        add(&steps[start as usize].clause, clash);
        for &next in others {
            match add(&steps[next as usize].clause, clash) {
                Some(pivot) => pivots.push((pivot, next)),
                None => return Err(Obstacle::Malformed),
            }
        }
        for atom in met {
            clash[atom as usize] = None;
        }
        Ok(Rule::Chain(start, pivots))
    }

    fn interpolant(&mut self, cut: u32, rules: &[Rule]) -> Wire {
        let mut partial: Vec<Wire> = Vec::with_capacity(rules.len());
        let steps = &self.refutation.steps;
        for (step, rule) in steps.iter().zip(rules) {
            let wire = match rule {
                Rule::Lemma(list) => list[cut as usize],
                Rule::Clause(block) => self.clause(&step.clause, *block <= cut, cut),
                Rule::Chain(start, pivots) => {
                    let mut current = partial[*start as usize];
                    for (pivot, next) in pivots {
                        let other = partial[*next as usize];
                        current = self.resolve(current, other, *pivot, cut);
                    }
                    current
                }
            };
            partial.push(wire);
        }
        partial.last().copied().unwrap_or(Wire::TRUE)
    }

    fn clause(&mut self, clause: &[ProofLit], before: bool, cut: u32) -> Wire {
        let mut result = if before { Wire::FALSE } else { Wire::TRUE };
        for &lit in clause {
            let colour = self.colour(lit, cut);
            if colour
                == (if before {
                    Colour::After
                } else {
                    Colour::Before
                })
            {
                let own = if before { lit } else { !lit };
                let wire = self.circuit.leaf(Leaf::Literal(own));
                result = self.circuit.join(result, wire, !before);
            }
        }
        result
    }

    /// `pivot` occurs in the clause of `own`, its negation in that of `other`.
    fn resolve(&mut self, own: Wire, other: Wire, pivot: ProofLit, cut: u32) -> Wire {
        match self.colour(pivot, cut) {
            Colour::Before => self.circuit.or(own, other),
            Colour::After => self.circuit.and(own, other),
            Colour::Both => {
                let positive = self.circuit.leaf(Leaf::Literal(pivot));
                let negative = self.circuit.leaf(Leaf::Literal(!pivot));
                let left = self.circuit.or(positive, own);
                let right = self.circuit.or(negative, other);
                self.circuit.and(left, right)
            }
        }
    }
}
