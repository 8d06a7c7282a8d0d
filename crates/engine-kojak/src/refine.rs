//! From an infeasible part of a path to formulas that its nodes are split by.

use crate::abstraction::Abstraction;
use crate::config::{Config, Source, SplitWhere};
use crate::path::{Infix, Path};
use crate::sources::{Question, joint, reuse};
use sectile_engine::{EngineError, Event, Interest, Run};
use sectile_solver::{
    Answer, Backend, Broken, Interpolation, Interpolator, Solver, Undecided, check_sequence,
};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;

/// A sequence of interpolants, or why there is none.
pub(crate) type Sequence = Result<Vec<Term>, Undecided>;

/// Finds interpolants and splits by them.
pub(crate) struct Refiner<'g> {
    terms: &'g Terms,
    split: SplitWhere,
    sources: Vec<(Source, Box<dyn Interpolator + 'g>)>,
    /// Decides whether a label decides a formula.
    labels: Box<dyn Solver + 'g>,
    audit: bool,
    predicates: BTreeSet<Term>,
    /// The formulas that the nodes of each location were split by.
    known: Vec<Vec<Term>>,
    pub splits: u64,
}

impl<'g> Refiner<'g> {
    pub fn new(
        terms: &'g Terms,
        config: &Config,
        turn: usize,
        locations: usize,
        backend: &dyn Backend,
    ) -> Result<Refiner<'g>, EngineError> {
        let mut sources = Vec::new();
        for source in &config.sources {
            let interpolator = match source {
                Source::Default(method) => match backend.interpolator_by(terms, method) {
                    Ok(interpolator) => interpolator,
                    Err(_) => backend.interpolator(terms)?,
                },
                Source::Reuse | Source::Proof => backend.interpolator(terms)?,
                Source::Joint(method) | Source::Method(method) => {
                    backend.interpolator_by(terms, method)?
                }
            };
            sources.push((source.clone(), interpolator));
        }
        if !sources.is_empty() {
            let turn = turn % sources.len();
            sources.rotate_left(turn);
        }
        Ok(Refiner {
            terms,
            split: config.split,
            sources,
            labels: backend.solver(terms)?,
            audit: config.audit,
            predicates: BTreeSet::new(),
            known: vec![Vec::new(); locations],
            splits: 0,
        })
    }

    /// Different formulas that nodes were split by.
    pub fn predicates(&self) -> usize {
        self.predicates.len()
    }

    /// Refutes a part of a path and splits its inner nodes.
    ///
    /// Paper: [ErHoPoSc11, Alg. 1, lines 7 to 10]. A node that occurs at several positions is
    /// split by the formula of each of them, so that every part of it decides all of them.
    pub fn refine(
        &mut self,
        abstraction: &mut Abstraction<'g>,
        path: &Path,
        infix: Infix,
        run: &mut Run<'_>,
    ) -> Result<Result<(), Undecided>, EngineError> {
        if infix.last - infix.first == 1 {
            abstraction.drop_edge(path.edges[infix.first], run);
            return Ok(Ok(()));
        }
        let blocks = path.blocks(abstraction, infix);
        let nodes = path.nodes[infix.first..=infix.last].iter();
        let locations: Vec<usize> = nodes.map(|&n| abstraction.nodes[n].location).collect();
        let question = Question {
            formulas: abstraction.formulas,
            blocks: &blocks,
            first: infix.first,
            locations: &locations,
        };
        let sequence = match self.sequence(&question, run)? {
            Ok(sequence) => sequence,
            Err(why) => return Ok(Err(why)),
        };
        let first = infix.first + 1;
        let formulas: Vec<(usize, Term)> = sequence
            .iter()
            .enumerate()
            .map(|(i, &t)| (first + i, abstraction.formulas.now(t, first + i)))
            .collect();
        if run.wants(Interest::Steps) {
            let words = formulas.iter().map(|&(k, t)| (k, abstraction.print(t)));
            let interpolants = words.collect();
            let Infix { first, last } = infix;
            run.tell(Event::PathRefuted {
                first,
                last,
                interpolants,
            });
        }
        for (position, formula) in formulas {
            for node in abstraction.descendants(path.nodes[position]) {
                self.split(abstraction, node, formula, run)?;
            }
        }
        Ok(Ok(()))
    }

    /// Asks the sources in order, beginning with the one whose turn it is.
    fn sequence(
        &mut self,
        question: &Question<'_>,
        run: &mut Run<'_>,
    ) -> Result<Sequence, EngineError> {
        let mut last = Undecided::Incomplete("no source of interpolants has an answer".to_string());
        for (source, interpolator) in &mut self.sources {
            let sequence = match source {
                Source::Reuse => reuse(question, &self.known, run)?,
                Source::Joint(_) => joint(question, interpolator.as_mut(), run)?,
                Source::Default(_) | Source::Proof | Source::Method(_) => {
                    match interpolator.sequence(question.blocks, &run.budget)? {
                        Interpolation::Unsat(sequence) => Some(sequence),
                        Interpolation::Sat(_) => {
                            let text = "the solver and the interpolator disagree about a path";
                            return Err(EngineError::Bug(text.to_string()));
                        }
                        Interpolation::Unknown(why) => {
                            last = why;
                            None
                        }
                    }
                }
            };
            if let Some(sequence) = sequence {
                if self.audit {
                    audit(self.terms, question.blocks, &sequence, run)?;
                }
                return Ok(Ok(sequence));
            }
        }
        Ok(Err(last))
    }

    fn split(
        &mut self,
        abstraction: &mut Abstraction<'g>,
        node: usize,
        formula: Term,
        run: &mut Run<'_>,
    ) -> Result<(), EngineError> {
        let label = &abstraction.nodes[node].label;
        let negation = self.terms.not(formula);
        let trivial = self.terms.as_bool(formula).is_some();
        let known = label.contains(&formula) || label.contains(&negation);
        if trivial
            || known
            || (self.split == SplitWhere::New && self.is_decided(label, formula, run)?)
        {
            return Ok(());
        }
        let halves = abstraction.split(node, formula, run)?;
        self.splits += 1;
        let new = self.predicates.insert(formula);
        let known = &mut self.known[abstraction.nodes[node].location];
        if !known.contains(&formula) {
            known.push(formula);
        }
        if run.wants(Interest::Steps) {
            let predicate = abstraction.print(formula);
            if new {
                run.tell(Event::PredicateBorn {
                    predicate: predicate.clone(),
                    source: "interpolant",
                });
            }
            run.tell(Event::Split {
                node,
                halves,
                predicate,
            });
        }
        Ok(())
    }

    /// Whether a label implies a formula or its negation.
    fn is_decided(
        &mut self,
        label: &[Term],
        formula: Term,
        run: &mut Run<'_>,
    ) -> Result<bool, EngineError> {
        for side in [formula, self.terms.not(formula)] {
            let mut assumptions = label.to_vec();
            assumptions.push(side);
            if let Answer::Unsat(_) = self.labels.check(&assumptions, &run.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Checks a sequence of interpolants by its definition.
fn audit(
    terms: &Terms,
    blocks: &[Term],
    sequence: &[Term],
    run: &mut Run<'_>,
) -> Result<(), EngineError> {
    let mut oracle = run.backend.solver(terms)?;
    let checked = check_sequence(terms, oracle.as_mut(), blocks, sequence, &run.budget)?;
    match checked {
        Ok(()) | Err(Broken::Unknown(_)) => Ok(()),
        Err(broken) => Err(EngineError::Bug(format!(
            "an interpolant does not keep its contract: {broken:?}"
        ))),
    }
}
