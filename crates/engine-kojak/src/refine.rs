//! Refinement: interpolants for an infeasible part of a path, and splits by them.

use crate::abstraction::{Abstraction, Path};
use crate::config::{Config, Source, SplitWhere};

use crate::sources::{Question, joint, reuse};
use crate::stepwise::stepwise;
use sectile_base::Budget;
use sectile_engine::interpolation::{Method, audit_interpolants, path_interpolants};
use sectile_engine::{EngineError, Event, Infix, Interest, LabelledPath, Run, Stop};
use sectile_solver::{Answer, Backend, Interpolation, Interpolator, Solver, SolverError};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;

/// An interpolator with a call counter.
struct Calls<'g> {
    interpolator: Box<dyn Interpolator + 'g>,
    count: u64,
}

impl<'g> Calls<'g> {
    fn of(interpolator: Box<dyn Interpolator + 'g>) -> Calls<'g> {
        let count = 0;
        Calls {
            interpolator,
            count,
        }
    }
}

impl Interpolator for Calls<'_> {
    fn sequence(&mut self, blocks: &[Term], budget: &Budget) -> Result<Interpolation, SolverError> {
        self.count += 1;
        self.interpolator.sequence(blocks, budget)
    }
}

/// Finds interpolants and splits nodes by them.
pub(crate) struct Refiner<'g> {
    terms: &'g Terms,
    split: SplitWhere,
    sources: Vec<(Source, Calls<'g>)>,
    /// A solver for queries whether a label implies a formula or its negation.
    labels: Box<dyn Solver + 'g>,
    audit: bool,
    /// The formulas that nodes were split by.
    pub predicates: BTreeSet<Term>,
    /// The formulas that the nodes of each location were split by.
    known: Vec<Vec<Term>>,
    pub splits: u64,
}

impl<'g> Refiner<'g> {
    pub fn new(
        terms: &'g Terms,
        config: &Config,
        order: Vec<Source>,
        locations: usize,
        backend: &dyn Backend,
    ) -> Result<Refiner<'g>, EngineError> {
        let mut sources = Vec::new();
        for source in order {
            let method = match &source {
                Source::Reuse => &Method::Proof,
                Source::Joint(method) | Source::Steps(_, method) | Source::Solver(method) => method,
            };
            let interpolator = Calls::of(method.interpolator(terms, backend)?);
            sources.push((source, interpolator));
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

    /// Number of interpolation queries.
    pub fn interpolations(&self) -> u64 {
        self.sources.iter().map(|(_, calls)| calls.count).sum()
    }

    /// Refutes a part of a path and splits its inner nodes.
    ///
    /// Paper: [ErHoPoSc11, Alg. 1, lines 7 to 10]. A node that occurs at several positions is split
    /// by the formula of each, so that every part of it decides all of them.
    pub fn refine(
        &mut self,
        abstraction: &mut Abstraction<'g>,
        path: &Path,
        labelled: &LabelledPath<'_>,
        infix: Infix,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        if infix.last - infix.first == 1 {
            abstraction.drop_edge(path.edge(infix.first), run);
            return Ok(());
        }
        let blocks = labelled.blocks(infix);
        let nodes = path.nodes[infix.first..=infix.last].iter();
        let locations: Vec<usize> = nodes.map(|&n| abstraction.location(n)).collect();
        let question = Question {
            formulas: abstraction.formulas,
            blocks: &blocks,
            first: infix.first,
            locations: &locations,
        };
        let sequence = self.sequence(&question, run)?;
        let first = infix.first + 1;
        let formulas: Vec<(usize, Term)> = sequence
            .iter()
            .enumerate()
            .map(|(i, &t)| (first + i, abstraction.formulas.now(t, first + i)))
            .collect();
        if run.wants(Interest::Steps) {
            let words = formulas.iter().map(|&(k, t)| (k, abstraction.print(t)));
            run.tell(Event::PathRefuted {
                first: infix.first,
                last: infix.last,
                interpolants: words.collect(),
            });
        }
        for (position, formula) in formulas {
            for node in abstraction.descendants(path.nodes[position]) {
                self.split(abstraction, node, formula, run)?;
            }
        }
        Ok(())
    }

    /// Asks the sources in order, starting with the current one.
    fn sequence(&mut self, question: &Question<'_>, run: &Run<'_>) -> Result<Vec<Term>, Stop> {
        let mut last = Stop::incomplete("no source of interpolants has an answer");
        for (source, interpolator) in &mut self.sources {
            let sequence = match source {
                Source::Reuse => reuse(question, &self.known, run)?,
                Source::Joint(_) => joint(question, interpolator, run)?,
                Source::Steps(exists, _) => stepwise(question, *exists, interpolator, run)?,
                Source::Solver(_) => match path_interpolants(interpolator, question.blocks, run) {
                    Ok(sequence) => Some(sequence),
                    Err(stop) => {
                        last = stop.undecided()?.into();
                        None
                    }
                },
            };
            if let Some(sequence) = sequence {
                if self.audit {
                    audit_interpolants(self.terms, question.blocks, &sequence, run)?;
                }
                return Ok(sequence);
            }
        }
        run.budget.check()?;
        Err(last)
    }

    fn split(
        &mut self,
        abstraction: &mut Abstraction<'g>,
        node: usize,
        formula: Term,
        run: &mut Run<'_>,
    ) -> Result<(), EngineError> {
        let label = &abstraction.graph.node(node).label;
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
        let known = &mut self.known[abstraction.location(node)];
        if !known.contains(&formula) {
            known.push(formula);
        }
        if run.wants(Interest::Steps) {
            if new {
                run.born(self.terms, formula, "interpolant");
            }
            let predicate = abstraction.print(formula);
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
