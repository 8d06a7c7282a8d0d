//! Examines paths to errors: finds runs, or strengthens labels by interpolants.

use super::config::Config;
use super::tree::Tree;
use sectile_engine::interpolation::{audit_interpolants, path_interpolants};
use sectile_engine::{
    EngineError, Event, Examined, Infix, Interest, LabelledPath, Refuted, Run, Stop,
};
use sectile_model::Trace;
use sectile_solver::Interpolator;
use sectile_terms::{NativePrinter, Term};
use std::collections::BTreeSet;

/// Number of consecutive refinements with the same source of interpolants.
const TURN: u64 = 30;

/// The result of examining an error path.
pub(crate) enum Refined {
    /// A run of the program.
    Run(Trace),
    /// Infeasible; the labels of these vertices became stronger.
    Strengthened(Vec<usize>),
}

/// Refutes paths.
pub(crate) struct Refiner<'g> {
    interpolators: Vec<Box<dyn Interpolator + 'g>>,
    refuted: Refuted,
    audit: bool,
    pub refinements: u64,
    /// Reported conditions of interpolants.
    told: BTreeSet<Term>,
}

impl<'g> Refiner<'g> {
    pub fn new(
        tree: &Tree<'g>,
        config: &Config,
        run: &Run<'_>,
    ) -> Result<Refiner<'g>, EngineError> {
        let terms = tree.formulas.terms();
        let interpolators = config.methods.iter();
        let interpolators = interpolators.map(|m| m.interpolator(terms, run.backend));
        Ok(Refiner {
            interpolators: interpolators.collect::<Result<_, _>>()?,
            refuted: config.refuted,
            audit: config.audit,
            refinements: 0,
            told: BTreeSet::new(),
        })
    }

    /// Examines the path to a vertex at an error location.
    ///
    /// Paper: [McMillan06, Fig. 2, REFINE]. Differs: only a shortest infeasible part of the path is
    /// refuted, and everything after it is labelled `false`.
    pub fn refine(
        &mut self,
        tree: &mut Tree<'g>,
        error: usize,
        run: &mut Run<'_>,
    ) -> Result<Refined, Stop> {
        let (vertices, edges) = tree.path(error);
        let terms = tree.formulas.terms();
        let label = |k: usize| tree.formulas.at(tree.label(vertices[k]), k);
        let part = |label, step| terms.and2(step, label);
        let path = LabelledPath::new(tree.formulas, edges, label, part);
        let infix = match path.examine(self.refuted, run)? {
            Examined::Feasible(trace) => return Ok(Refined::Run(trace)),
            Examined::Infeasible(infix) => infix,
        };
        if vertices.len() == 1 {
            let nothing = [terms.ff()];
            return Ok(Refined::Strengthened(strengthen(tree, &vertices, &nothing)));
        }
        self.refinements += 1;
        let Infix { first, last } = infix;
        let inner = self.sequence(&path.blocks(infix), run, tree)?;
        let after = vertices[last..].iter().map(|_| terms.ff());
        let here = inner.iter().enumerate();
        let here = here.map(|(i, &t)| tree.formulas.now(t, first + 1 + i));
        let new: Vec<Term> = here.chain(after).collect();
        self.tell(tree, first, last, &new, run);
        let changed = strengthen(tree, &vertices[first + 1..], &new);
        Ok(Refined::Strengthened(changed))
    }

    /// Strengthens the label of `v` so that `w` covers it, if possible.
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
        let sequence = match self.sequence(&blocks, run, tree) {
            Ok(sequence) => sequence,
            Err(stop) => return stop.undecided().map(|_| None),
        };
        let new = sequence.iter().enumerate();
        let new = new.map(|(i, &t)| tree.formulas.now(t, first + 1 + i));
        let mut new: Vec<Term> = new.collect();
        // The last one implies the label of w; using that label itself makes the covering trivial.
        if let Some(end) = new.last_mut() {
            *end = terms.and2(*end, tree.label(w));
        }
        Ok(Some(strengthen(tree, &vertices[first + 1..], &new)))
    }

    fn sequence(
        &mut self,
        blocks: &[Term],
        run: &Run<'_>,
        tree: &Tree<'_>,
    ) -> Result<Vec<Term>, Stop> {
        // Which interpolants generalise is a matter of luck, so the sources take turns.
        let turn = usize::try_from(self.refinements / TURN).unwrap_or(0) % self.interpolators.len();
        let sequence = path_interpolants(self.interpolators[turn].as_mut(), blocks, run)?;
        if self.audit {
            audit_interpolants(tree.formulas.terms(), blocks, &sequence, run)?;
        }
        Ok(sequence)
    }

    fn tell(
        &mut self,
        tree: &Tree<'_>,
        first: usize,
        last: usize,
        new: &[Term],
        run: &mut Run<'_>,
    ) {
        if run.wants(Interest::Steps) {
            let printer = NativePrinter::new(tree.formulas.terms());
            let words = new.iter().enumerate();
            let interpolants = words.map(|(i, &t)| (first + 1 + i, printer.print(t)));
            run.tell(Event::PathRefuted {
                first,
                last,
                interpolants: interpolants.collect(),
            });
            let terms = tree.formulas.terms();
            for part in new.iter().flat_map(|&t| terms.conjuncts(t)) {
                if terms.as_bool(part).is_none() && self.told.insert(part) {
                    run.born(terms, part, "interpolant");
                }
            }
        }
    }
}

/// Adds formulas to labels; returns the vertices whose label changed.
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
