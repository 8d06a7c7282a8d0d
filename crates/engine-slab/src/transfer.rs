//! Transfer of lemmas from fewer processes to more.
//!
//! A lemma about the processes 0 and 1 of a small instance is a candidate about every two processes
//! of a large one. Those candidates survive that hold initially and that no step falsifies as long
//! as all survivors hold (Houdini).

use crate::relation::{RelationId, Relations};
use crate::symmetry::canonical;
use indexmap::IndexSet;
use sectile_base::Budget;
use sectile_engine::{Run, Stop};
use sectile_model::{Families, Field, Model};
use sectile_solver::{Answer, Solver, scoped};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of images of one lemma.
const MANY_IMAGES: usize = 20_000;

/// The lemmas instantiated for all choices of processes.
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

/// All ways to choose this many different values, in order.
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

/// The largest inductive subset of the candidates, assuming the background before every step.
pub fn survivors<'t>(
    system: &Model,
    background: &[Term],
    candidates: Vec<Term>,
    relations: &mut Relations<'t>,
    commands: &[RelationId],
    run: &Run<'_>,
) -> Result<Vec<Term>, Stop> {
    let terms = relations.terms;
    let mut solver = run.backend.solver(terms)?;
    let mut alive: IndexSet<Term> = IndexSet::new();
    scoped(solver.as_mut(), |solver| -> Result<(), Stop> {
        solver.assert(system.init_formula(terms))?;
        for candidate in candidates {
            let fails = terms.not(candidate);
            if solver.check(&[fails], &run.budget)?.is_unsat() {
                alive.insert(candidate);
            }
        }
        Ok(())
    })?;
    loop {
        let lost = scoped(solver.as_mut(), |solver| {
            let known = background.iter().chain(&alive);
            known.copied().try_for_each(|t| solver.assert(t))?;
            lost(&alive, relations, commands, solver, &run.budget)
        })?;
        if lost.is_empty() {
            return Ok(alive.into_iter().collect());
        }
        alive.retain(|c| !lost.contains(c));
    }
}

/// The candidates that some step falsifies if all hold before it.
///
/// One query for each is faster than one for all: most are refuted by the other candidates before
/// the step, and the rest is small.
fn lost(
    alive: &IndexSet<Term>,
    relations: &mut Relations<'_>,
    commands: &[RelationId],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<BTreeSet<Term>, Stop> {
    let terms = relations.terms;
    let mut lost = BTreeSet::new();
    for &command in commands {
        for &candidate in alive {
            let before = relations.precondition(command, candidate);
            let kept = before == terms.tt() || alive.contains(&before);
            if kept || lost.contains(&candidate) {
                continue;
            }
            budget.check_for(0)?;
            let mut question = relations.get(command).conditions.clone();
            question.push(terms.not(before));
            match solver.check(&question, budget)? {
                Answer::Unsat(_) => continue,
                Answer::Unknown(_) => {}
                Answer::Sat(model) => {
                    lost.extend(alive.iter().copied().filter(|&c| {
                        let before = relations.precondition(command, c);
                        // A model may leave variables of other processes open: then nothing is
                        // known.
                        let mut symbols = terms.free_vars(before).into_iter();
                        symbols.all(|(s, stage)| model.value(s, stage).is_some())
                            && model.eval(terms, before) == Ok(Value::Bool(false))
                    }));
                }
            }
            lost.insert(candidate);
        }
    }
    Ok(lost)
}
