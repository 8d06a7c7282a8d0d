//! Models without loose steps, for the search for violations.

use crate::cells::Decide;
use crate::pass::{Applied, BackTranslate, Lost, Pass};
use sectile_engine::{EngineError, Run, Silent};
use sectile_model::{Certificate, Model, PropertyKind, Task, Trace, Verdict};
use sectile_terms::{Symbol, Term, Terms, Value};
use std::collections::BTreeSet;

/// Removes loose edges, and the symbolic constants that occur only in them.
///
/// The new model allows less: its runs are runs of the old one without loose edges. Its invariants
/// say nothing about the old one, and have no way back.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSteps;

impl Pass for ExactSteps {
    fn name(&self) -> &'static str {
        "exact steps"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let model = task.model;
        if !matches!(task.property.kind, PropertyKind::Unreachable(_)) {
            return Err("the property is not about locations".to_string());
        }
        let kept = model.edges.iter().enumerate().filter(|(_, e)| !e.loose);
        let kept: Vec<usize> = kept.map(|(i, _)| i).collect();
        if kept.len() == model.edges.len() {
            return Err("no step allows more than the input does".to_string());
        }
        let mut exact = Model {
            edges: kept.iter().map(|&i| model.edges[i].clone()).collect(),
            contracts: None,
            ..model.clone()
        };
        let spoken_of = symbols(task.terms, &exact);
        exact.rigid.retain(|s| spoken_of.contains(s));
        let back = KeptPositions {
            kept,
            rigid: model.rigid.clone(),
            of: exact.rigid.clone(),
        };
        Ok(Applied::new(exact, task.property.clone(), back))
    }
}

/// A violation without loose steps, if there are such steps and `decide` finds one. All other
/// results of `decide` are discarded: they are not true of all steps.
pub fn violated_exactly(
    task: &Task<'_>,
    run: &mut Run<'_>,
    decide: &mut Decide<'_>,
) -> Result<Option<Verdict>, EngineError> {
    let Ok(exact) = ExactSteps.apply(task) else {
        return Ok(None);
    };
    let mut own = Run {
        budget: run.budget.clone(),
        board: None,
        observer: &mut Silent,
        ..*run
    };
    let verdict = decide(&exact.task(task.terms), &mut own)?;
    let violated = matches!(verdict, Verdict::Violated(_));
    Ok(violated.then(|| exact.verdict(task.terms, verdict)))
}

/// The symbols that occur in a model.
fn symbols(terms: &Terms, model: &Model) -> BTreeSet<Symbol> {
    let mut all: Vec<Term> = model.init.iter().chain(&model.restrict).copied().collect();
    for edge in &model.edges {
        all.push(edge.command.formula(terms));
        all.extend(edge.premises.iter().flat_map(|p| &p.values).map(|v| v.1));
    }
    terms.free_vars_of(&all).iter().map(|v| v.0).collect()
}

/// Restores the positions of edges and constants from those of the kept ones.
struct KeptPositions {
    kept: Vec<usize>,
    rigid: Vec<Symbol>,
    of: Vec<Symbol>,
}

impl BackTranslate for KeptPositions {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let Certificate::Trace(trace) = certificate else {
            return Err(Lost("it is about only some of the steps".to_string()));
        };
        let mut steps = trace.steps.clone();
        for step in &mut steps {
            let known = self.kept.get(step.command).copied();
            step.command = known.ok_or(Lost("it takes a step that is not there".to_string()))?;
        }
        // The other constants are irrelevant.
        let value = |s: &Symbol| {
            let at = self.of.iter().position(|o| o == s);
            let known = at.and_then(|i| trace.rigid.get(i).cloned());
            known.unwrap_or_else(|| Value::some_of(terms, terms.symbol_sort(*s)))
        };
        Ok(Certificate::Trace(Trace {
            steps,
            rigid: self.rigid.iter().map(value).collect(),
            ..trace.clone()
        }))
    }
}
