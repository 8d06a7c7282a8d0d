//! Polyhedra at the locations of a program, by symbolic abstraction.
//!
//! A step that leaves the known states gives a model; the model gives a convex piece of the states
//! after the step; the piece is joined with the known states. No transfer function is needed, so
//! blocks may have any shape, and the search is over when the solver finds no such step. States are
//! partitioned by flags and by the conditions of the program: a loop with two phases has one
//! polyhedron for each of them.
//!
//! Papers: [CoHa78]; [ReSaYo04] for abstraction by models.

use crate::facts::cells::Cells;
use crate::facts::partition;
use crate::facts::piece::Coordinates;
use crate::facts::steps::Steps;
use crate::linear::Constraint;
use crate::poly::Poly;
use sectile_base::Budget;
use sectile_engine::{EngineError, PathFormulas, Run};
use sectile_solver::Answer;
use sectile_terms::{Sort, Stage, Symbol, Term, Terms, Value};
use std::collections::BTreeSet;

/// Maximum number of numbers: with more, polyhedra become too slow.
const MOST_NUMBERS: usize = 9;
/// Number of descending iterations after extrapolation.
const DESCENTS: usize = 2;

/// A formula for every location that implies the known one, together inductive.
///
/// Facts that are not found within the budget are left out.
pub fn polyhedral_facts(
    formulas: &PathFormulas<'_>,
    known: &[Term],
    budget: &Budget,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let terms = formulas.terms();
    let mut facts = known.to_vec();
    for sort in [Sort::Int, Sort::Real] {
        let coordinates = Coordinates {
            terms,
            numbers: numbers(formulas, sort),
            sort,
        };
        if coordinates.numbers.is_empty() || coordinates.numbers.len() > MOST_NUMBERS {
            continue;
        }
        let flags = partition::flags(formulas);
        let comparisons = partition::comparisons(formulas, &coordinates);
        let finer = partition::conditions(&flags, &comparisons, &coordinates);
        let mut ways = vec![flags];
        if finer != ways[0] {
            ways.push(finer);
        }
        for conditions in ways {
            let thresholds = thresholds(&coordinates, &comparisons);
            let analysis = Analysis {
                steps: Steps::new(formulas, run)?,
                terms,
                coordinates: &coordinates,
                known: &facts,
                conditions: &conditions,
            };
            let Some(found) = analysis.run(&thresholds, budget)? else {
                return Ok(facts);
            };
            let both = facts.iter().zip(found);
            facts = both.map(|(&f, g)| terms.and2(f, g)).collect();
        }
    }
    Ok(facts)
}

/// The numbers whose value is read somewhere after it was computed.
fn numbers(formulas: &PathFormulas<'_>, sort: Sort) -> Vec<Symbol> {
    let terms = formulas.terms();
    let graph = formulas.graph();
    let steps: Vec<Term> = (0..graph.edges.len()).map(|e| formulas.step(e)).collect();
    let used: BTreeSet<Symbol> = terms
        .free_vars_of(&steps)
        .iter()
        .filter(|v| v.1 == Stage::Now)
        .map(|v| v.0)
        .collect();
    let all = graph.variables.iter().chain(&graph.rigid).copied();
    all.filter(|s| terms.symbol_sort(*s) == sort && used.contains(s))
        .collect()
}

/// The bounds at which growth may stop: both sides of every comparison.
fn thresholds(coordinates: &Coordinates<'_>, comparisons: &[Term]) -> Vec<Constraint> {
    let domain = coordinates.domain();
    let sides = comparisons
        .iter()
        .filter_map(|&c| coordinates.constraint(c));
    sides
        .flat_map(|c| {
            let mut list = c.negations(domain);
            list.push(c);
            list
        })
        .collect()
}

struct Analysis<'a> {
    steps: Steps<'a>,
    terms: &'a Terms,
    coordinates: &'a Coordinates<'a>,
    known: &'a [Term],
    conditions: &'a [Term],
}

/// States after a step that are not known yet.
enum Outside {
    Piece(Vec<bool>, Poly),
    Nothing,
    Unknown,
}

impl Analysis<'_> {
    /// The polyhedra as formulas; none if the budget was used up before they were inductive.
    fn run(
        mut self,
        thresholds: &[Constraint],
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, EngineError> {
        let locations = self.known.len();
        let mut cells = vec![Cells::default(); locations];
        while let Some(changed) = self.ascend(&mut cells, thresholds, budget)? {
            if changed {
                continue;
            }
            for _ in 0..DESCENTS {
                match self.image(&cells, budget)? {
                    Some(smaller) => {
                        let both = cells.iter_mut().zip(&smaller);
                        both.for_each(|(all, some)| all.meet(some));
                    }
                    None => break,
                }
            }
            let each = cells.iter();
            let found = each.map(|c| c.conditions(self.coordinates, self.conditions));
            return Ok(Some(found.collect()));
        }
        Ok(None)
    }

    /// Visits every edge once; returns whether anything was added, or none at the end of the
    /// budget.
    fn ascend(
        &mut self,
        cells: &mut [Cells],
        thresholds: &[Constraint],
        budget: &Budget,
    ) -> Result<Option<bool>, EngineError> {
        let mut changed = false;
        // The start is treated as an edge into the entry without a source.
        for edge in (0..self.steps.solvers.len()).rev() {
            let target = self.steps.target(edge);
            loop {
                let before = self.before(edge, cells);
                let after = cells[target].formula(self.coordinates, self.conditions);
                match self.outside(edge, before, after, budget)? {
                    Outside::Nothing => break,
                    Outside::Unknown => return Ok(None),
                    Outside::Piece(key, poly) => {
                        let work = cells[target].add(key, poly, Some(thresholds));
                        if budget.check_for(work).is_err() {
                            return Ok(None);
                        }
                    }
                }
                changed = true;
            }
        }
        Ok(Some(changed))
    }

    /// The states after all steps from the given ones, without extrapolation.
    fn image(
        &mut self,
        cells: &[Cells],
        budget: &Budget,
    ) -> Result<Option<Vec<Cells>>, EngineError> {
        let mut found = vec![Cells::default(); cells.len()];
        for edge in 0..self.steps.solvers.len() {
            let target = self.steps.target(edge);
            let before = self.before(edge, cells);
            loop {
                let after = found[target].formula(self.coordinates, self.conditions);
                match self.outside(edge, before, after, budget)? {
                    Outside::Nothing => break,
                    Outside::Unknown => return Ok(None),
                    Outside::Piece(key, poly) => {
                        let work = found[target].add(key, poly, None);
                        if budget.check_for(work).is_err() {
                            return Ok(None);
                        }
                    }
                }
            }
        }
        Ok(Some(found))
    }

    /// The known states before a step; none before the start.
    fn before(&self, edge: usize, cells: &[Cells]) -> Option<Term> {
        let from = self.steps.source(edge)?;
        let states = cells[from].formula(self.coordinates, self.conditions);
        Some(self.terms.and2(self.known[from], states))
    }

    /// States after a step that are not known yet.
    fn outside(
        &mut self,
        edge: usize,
        before: Option<Term>,
        after: Term,
        budget: &Budget,
    ) -> Result<Outside, EngineError> {
        let terms = self.terms;
        if before == Some(terms.ff()) {
            return Ok(Outside::Nothing);
        }
        if budget.check().is_err() {
            return Ok(Outside::Unknown);
        }
        let stage = before.map_or(Stage::Now, |_| Stage::Next);
        let conditions = self.conditions.iter().map(|&c| self.steps.behind(edge, c));
        let conditions: Vec<Term> = conditions.collect();
        let formula = self.steps.formula(edge);
        Ok(match self.steps.outside(edge, before, after, budget)? {
            Answer::Unsat(_) => Outside::Nothing,
            Answer::Unknown(_) => Outside::Unknown,
            Answer::Sat(model) => {
                let holds = |&c: &Term| model.eval(terms, c) == Ok(Value::Bool(true));
                let key: Vec<bool> = conditions.iter().map(holds).collect();
                let sides = conditions.iter().zip(&key);
                let sides = sides.map(|(&c, &holds)| if holds { c } else { terms.not(c) });
                let mut reasons: Vec<Term> = vec![formula];
                reasons.extend(before);
                reasons.extend(sides);
                let piece = self.coordinates.piece(&reasons, stage, model)?;
                Outside::Piece(key, piece)
            }
        })
    }
}
