//! Paths of the tree: runs, or interpolants that strengthen the labels.

use crate::config::Config;
use crate::tree::Tree;
use sectile_engine::{EngineError, Event, Interest, Run};
use sectile_model::Trace;
use sectile_solver::{
    Answer, Broken, Interpolation, Interpolator, Solver, Undecided, check_sequence,
};
use sectile_terms::{NativePrinter, Term};

/// So many refinements in a row use the same source of interpolants.
const TURN: u64 = 30;

/// What a path to an error turned out to be.
pub(crate) enum Refined {
    /// A run of the program.
    Run(Trace),
    /// Infeasible; the labels of these vertices became stronger.
    Strengthened(Vec<usize>),
    /// The solver could not tell.
    Unknown(Undecided),
}

/// Refutes paths.
pub(crate) struct Refiner<'g> {
    interpolators: Vec<Box<dyn Interpolator + 'g>>,
    infix: bool,
    audit: bool,
    pub refinements: u64,
}

impl<'g> Refiner<'g> {
    pub fn new(
        tree: &Tree<'g>,
        config: &Config,
        run: &Run<'_>,
    ) -> Result<Refiner<'g>, EngineError> {
        let terms = tree.formulas.terms();
        let mut interpolators = Vec::new();
        for method in &config.methods {
            let chosen = match method.as_str() {
                "proof" => run.backend.interpolator(terms),
                method => run.backend.interpolator_by(terms, method),
            };
            interpolators.push(match chosen {
                Err(_) if config.lenient => run.backend.interpolator(terms)?,
                other => other?,
            });
        }
        Ok(Refiner {
            interpolators,
            infix: config.infix,
            audit: config.audit,
            refinements: 0,
        })
    }

    /// Examines the path to a vertex at an error location.
    ///
    /// Paper: [McMillan06, Fig. 2, REFINE]. Differs: only a shortest infeasible part of the path
    /// is refuted, and what lies behind it is labelled `false`.
    pub fn refine(
        &mut self,
        tree: &mut Tree<'g>,
        error: usize,
        run: &mut Run<'_>,
    ) -> Result<Refined, EngineError> {
        let (vertices, edges) = tree.path(error);
        let terms = tree.formulas.terms();
        let mut parts: Vec<Term> = Vec::new();
        for (k, &v) in vertices.iter().enumerate() {
            let label = tree.formulas.at(tree.label(v), k);
            let step = edges
                .get(k)
                .map(|&e| tree.formulas.at(tree.formulas.step(e), k));
            parts.push(terms.and(step.into_iter().chain([label])));
        }
        let mut solver = run.backend.solver(terms)?;
        let core = match solver.check(&parts, &run.budget)? {
            Answer::Sat(model) => return Ok(Refined::Run(tree.formulas.trace(&edges, model)?)),
            Answer::Unknown(why) => return Ok(Refined::Unknown(why)),
            Answer::Unsat(refutation) => refutation.core(),
        };
        if edges.is_empty() {
            let nothing = [terms.ff()];
            return Ok(Refined::Strengthened(strengthen(tree, &vertices, &nothing)));
        }
        let (first, last) = if self.infix {
            let needed = |k: &usize| core.contains(&parts[*k]);
            // The label at the end may be part of the contradiction, too.
            let end = edges.len();
            let first = (0..=end).find(needed).unwrap_or(0);
            let last = (0..=end).rev().find(needed).unwrap_or(end);
            let first = first.min(end.saturating_sub(1));
            let last = (last + 1).min(end);
            shortest(&parts, (first, last), tree, &vertices, solver.as_mut(), run)?
        } else {
            (0, edges.len())
        };
        self.refinements += 1;
        let mut blocks = parts[first..last].to_vec();
        if let Some(end) = blocks.last_mut() {
            let label = tree.formulas.at(tree.label(vertices[last]), last);
            *end = terms.and2(*end, label);
        }
        let inner = match self.sequence(&blocks, run, tree)? {
            Ok(list) => list,
            Err(why) => return Ok(Refined::Unknown(why)),
        };
        let after = vertices[last..].iter().map(|_| terms.ff());
        let here = inner.iter().enumerate().map(|(i, &t)| {
            let k = first + 1 + i;
            tree.formulas.now(t, k)
        });
        let new: Vec<Term> = here.chain(after).collect();
        self.tell(tree, first, last, &new, run);
        Ok(Refined::Strengthened(strengthen(
            tree,
            &vertices[first + 1..],
            &new,
        )))
    }

    /// Makes the label of `v` strong enough to be covered by `w`, if that is possible.
    ///
    /// Paper: [McMillan06, Sect. 4, forced covering].
    pub fn force(
        &mut self,
        tree: &mut Tree<'g>,
        v: usize,
        w: usize,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<usize>>, EngineError> {
        let (vertices, edges) = tree.path(v);
        let terms = tree.formulas.terms();
        let first = tree.common_ancestor(v, w);
        let last = edges.len();
        if first == last {
            return Ok(None);
        }
        let mut blocks: Vec<Term> = (first..last)
            .map(|k| {
                let step = tree.formulas.at(tree.formulas.step(edges[k]), k);
                terms.and2(tree.formulas.at(tree.label(vertices[k]), k), step)
            })
            .collect();
        let goal = tree.formulas.at(tree.label(w), last);
        blocks.push(terms.not(goal));
        let mut solver = run.backend.solver(terms)?;
        for &block in &blocks {
            solver.assert(block)?;
        }
        if !solver.check(&[], &run.budget)?.is_unsat() {
            return Ok(None);
        }
        let Ok(sequence) = self.sequence(&blocks, run, tree)? else {
            return Ok(None);
        };
        let mut new: Vec<Term> = sequence
            .iter()
            .enumerate()
            .map(|(i, &t)| tree.formulas.now(t, first + 1 + i))
            .collect();
        // The last one implies the label of w; with that label itself the covering is plain.
        if let Some(end) = new.last_mut() {
            *end = terms.and2(*end, tree.label(w));
        }
        Ok(Some(strengthen(tree, &vertices[first + 1..], &new)))
    }

    fn sequence(
        &mut self,
        blocks: &[Term],
        run: &mut Run<'_>,
        tree: &Tree<'_>,
    ) -> Result<Result<Vec<Term>, Undecided>, EngineError> {
        let terms = tree.formulas.terms();
        // Which interpolants lead anywhere is a matter of luck, so the sources take turns.
        let turn = usize::try_from(self.refinements / TURN).unwrap_or(0) % self.interpolators.len();
        let interpolator = &mut self.interpolators[turn];
        Ok(match interpolator.sequence(blocks, &run.budget)? {
            Interpolation::Unknown(why) => Err(why),
            Interpolation::Sat(_) => {
                let text = "the solver and the interpolator disagree about a path";
                return Err(EngineError::Bug(text.to_string()));
            }
            Interpolation::Unsat(list) => {
                if self.audit {
                    let mut oracle = run.backend.solver(terms)?;
                    let oracle = oracle.as_mut();
                    let checked = check_sequence(terms, oracle, blocks, &list, &run.budget)?;
                    if let Err(broken) = checked
                        && !matches!(broken, Broken::Unknown(_))
                    {
                        let text = format!("an interpolant does not keep its contract: {broken:?}");
                        return Err(EngineError::Bug(text));
                    }
                }
                Ok(list)
            }
        })
    }

    fn tell(&self, tree: &Tree<'_>, first: usize, last: usize, new: &[Term], run: &mut Run<'_>) {
        if run.wants(Interest::Steps) {
            let printer = NativePrinter::new(tree.formulas.terms());
            let words = new.iter().enumerate();
            let interpolants = words.map(|(i, &t)| (first + 1 + i, printer.print(t)));
            run.tell(Event::PathRefuted {
                first,
                last,
                interpolants: interpolants.collect(),
            });
        }
    }
}

/// A shortest part of the path without a run, of those the one nearest to its end.
fn shortest(
    parts: &[Term],
    known: (usize, usize),
    tree: &Tree<'_>,
    vertices: &[usize],
    solver: &mut dyn Solver,
    run: &mut Run<'_>,
) -> Result<(usize, usize), EngineError> {
    let length = parts.len() - 1;
    for edges in 1..known.1 - known.0 {
        for first in (0..=length - edges).rev() {
            let last = first + edges;
            let mut assumptions = parts[first..last].to_vec();
            assumptions.push(tree.formulas.at(tree.label(vertices[last]), last));
            match solver.check(&assumptions, &run.budget)? {
                Answer::Unsat(_) => return Ok((first, last)),
                Answer::Unknown(Undecided::Exhausted(_)) => return Ok(known),
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
    }
    Ok(known)
}

/// Adds formulas to labels; gives the vertices whose label changed.
fn strengthen(tree: &mut Tree<'_>, vertices: &[usize], formulas: &[Term]) -> Vec<usize> {
    let terms = tree.formulas.terms();
    let mut changed = Vec::new();
    for (&v, &formula) in vertices.iter().zip(formulas) {
        let before = tree.vertices[v].label.len();
        tree.vertices[v].label.extend(terms.conjuncts(formula));
        if tree.vertices[v].label.len() > before {
            changed.push(v);
        }
    }
    changed
}
