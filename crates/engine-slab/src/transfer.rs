//! Lemmas that were proved for fewer processes, tried on more.
//!
//! A lemma about the processes 0 and 1 of a small instance is a candidate about every two
//! processes of a large one. Those candidates survive that hold initially and that no step
//! falsifies as long as all survivors hold (Houdini).

use crate::relation::{RelationId, Relations};
use crate::symmetry::canonical;
use indexmap::IndexSet;
use sectile_base::Budget;
use sectile_engine::{EngineError, Run, Stop};
use sectile_model::{Families, Field, Model};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// More images of one lemma than this are not tried.
const MANY_IMAGES: usize = 20_000;

/// The lemmas for all choices of processes instead of those they speak about.
pub fn instances(terms: &Terms, system: &Model, lemmas: &[Term]) -> Vec<Term> {
    let families = &system.families;
    let symbols = families.symbols();
    let all = system.variables.iter();
    let all: BTreeSet<i64> = all.filter_map(|&v| families.index(v)).collect();
    let mut found: IndexSet<Term> = IndexSet::new();
    for &lemma in lemmas {
        let own: BTreeSet<i64> = terms
            .free_vars(lemma)
            .iter()
            .filter_map(|v| families.index(v.0))
            .collect();
        let own: Vec<i64> = own.into_iter().collect();
        for choice in injections(own.len(), &all) {
            let image = |index: i64| {
                let position = own.iter().position(|&o| o == index);
                position.map_or(index, |p| choice[p])
            };
            if let Some(instance) = renamed(terms, families, &symbols, lemma, &image) {
                found.insert(canonical(terms, instance));
            }
        }
    }
    found.into_iter().collect()
}

/// All ways to choose so many different values, in order.
fn injections(count: usize, from: &BTreeSet<i64>) -> Vec<Vec<i64>> {
    let mut lists = vec![Vec::new()];
    for _ in 0..count {
        let longer = lists.iter().flat_map(|list: &Vec<i64>| {
            let unused = from.iter().filter(|v| !list.contains(v));
            unused.map(|&v| {
                let mut list = list.clone();
                list.push(v);
                list
            })
        });
        lists = longer.take(MANY_IMAGES).collect();
    }
    lists
}

fn renamed(
    terms: &Terms,
    families: &Families,
    symbols: &BTreeMap<&Field, Symbol>,
    formula: Term,
    image: &impl Fn(i64) -> i64,
) -> Option<Term> {
    let mut map = Substitution::default();
    for (symbol, _) in terms.free_vars(formula) {
        let field = families.field(symbol);
        if let Some(field) = field.filter(|_| terms.symbol_kind(symbol) == SymbolKind::State) {
            let to = *symbols.get(&field.with_indices(image))?;
            map.insert(terms.var(symbol), terms.var(to));
        }
    }
    Some(terms.substitute(formula, &map))
}

/// Keeps of a set of candidates what is inductive.
pub struct Houdini<'h, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'h Model,
    /// What holds before the first error.
    pub background: Vec<Term>,
}

impl<'t> Houdini<'_, 't> {
    /// The largest inductive part of the candidates.
    pub fn survivors(
        &self,
        candidates: Vec<Term>,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
        run: &Run<'_>,
    ) -> Result<Vec<Term>, Stop> {
        let mut alive: IndexSet<Term> = candidates.into_iter().collect();
        let mut solver = run.backend.solver(self.terms).map_err(EngineError::from)?;
        self.initially(&mut alive, solver.as_mut(), &run.budget)?;
        loop {
            solver.push();
            let lost = self.lost(&alive, relations, commands, solver.as_mut(), &run.budget);
            solver.pop();
            let lost = lost?;
            if lost.is_empty() {
                return Ok(alive.into_iter().collect());
            }
            alive.retain(|c| !lost.contains(c));
        }
    }

    /// Drops what does not hold initially.
    fn initially(
        &self,
        alive: &mut IndexSet<Term>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), Stop> {
        solver.push();
        solver.assert(self.system.init_formula(self.terms))?;
        let mut result = Ok(());
        alive.retain(|&c| match solver.check(&[self.terms.not(c)], budget) {
            Ok(Answer::Unsat(_)) => true,
            Ok(_) => false,
            Err(e) => {
                result = Err(Stop::from(e));
                false
            }
        });
        solver.pop();
        result
    }

    /// The candidates that some step falsifies, if all hold before it.
    fn lost(
        &self,
        alive: &IndexSet<Term>,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<BTreeSet<Term>, Stop> {
        for &formula in self.background.iter().chain(alive) {
            solver.assert(formula)?;
        }
        let mut lost = BTreeSet::new();
        for &command in commands {
            for &candidate in alive {
                let before = relations.precondition(command, candidate);
                let kept = before == self.terms.tt() || alive.contains(&before);
                if kept || lost.contains(&candidate) {
                    continue;
                }
                budget.check()?;
                let mut question = relations.get(command).conditions.clone();
                question.push(self.terms.not(before));
                match solver.check(&question, budget)? {
                    Answer::Unsat(_) => {}
                    Answer::Unknown(_) => {
                        lost.insert(candidate);
                    }
                    Answer::Sat(model) => {
                        lost.insert(candidate);
                        let fallen = alive.iter().filter(|&&c| {
                            let before = relations.precondition(command, c);
                            is_false(self.terms, model, before)
                        });
                        lost.extend(fallen.copied().collect::<Vec<_>>());
                    }
                }
            }
        }
        Ok(lost)
    }
}

fn is_false(terms: &Terms, model: &dyn ModelView, formula: Term) -> bool {
    let mentioned: Vec<(Symbol, Stage)> = terms.free_vars(formula).into_iter().collect();
    // A model need not say anything about other processes: then nothing is known.
    let complete = mentioned
        .iter()
        .all(|&(s, stage)| model.value(s, stage).is_some());
    complete && model.eval(terms, formula) == Ok(Value::Bool(false))
}
