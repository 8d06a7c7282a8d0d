//! Checks inductive invariants of all locations, or of some if edges have premises.

use crate::Obligation;
use crate::checker::{Checked, Checker, Stop};
use crate::instances;
use crate::lean;
use crate::trees::Trees;
use sectile_base::digraph::Digraph;
use sectile_model::{Command, Edge, LocationId, Model, Task};
use sectile_terms::{Sort, Stage, Substitution, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Paper: [BeGrLa, Rule Inv], at every location. Initiation, consecution per edge, implication.
///
/// For a location without an invariant, the property is proved for every edge into it.
pub fn check(task: &Task<'_>, invariants: &[Option<Term>], checker: &mut Checker<'_>) -> Checked {
    let (terms, model) = (task.terms, task.model);
    let safe = well_formed(task, invariants)?;
    order_between(model, invariants)?;
    let goal = |l: LocationId| invariants[l.0].unwrap_or(safe[l.0]);
    let init = model.init_formula(terms);
    checker.implies(Obligation::Initiation, &[init], goal(model.entry))?;
    // Clauses with arrays come from compilers and contain many irrelevant conditions; others go to
    // the solver unchanged.
    let mut sorts = model.variables.iter().map(|&v| terms.symbol_sort(v));
    let is_lean = model.is_clauses() && sorts.any(|s| matches!(s, Sort::Array(_)));
    let mut trees = Trees::new(terms, model, invariants, is_lean);
    let parts = |l: LocationId| terms.conjuncts(invariants[l.0].unwrap_or(terms.tt()));
    for edge in &model.edges {
        let known: BTreeSet<Term> = parts(edge.from).into_iter().collect();
        let open = terms.conjuncts(goal(edge.to)).into_iter();
        let open = open.filter(|&p| !is_kept(terms, &edge.command, p, &known));
        let after = terms.and(open.map(|p| terms.prime(p)));
        let mut premises = Vec::new();
        let mut after = after;
        if after != terms.tt() {
            let step = model.step_formula(terms, &edge.command);
            let (step, values) = match is_lean {
                true => lean::solved(terms, step, &|_| true),
                false => (vec![step], Substitution::default()),
            };
            premises = trees.premises(edge, &values)?;
            premises.extend(step);
            after = terms.substitute(after, &values);
            premises = instances::added(terms, premises, after);
        }
        let obligation = Obligation::Consecution(edge_name(model, edge));
        let questions = match is_lean {
            true => lean::cases(terms, premises, after),
            false => vec![(premises, after)],
        };
        let shown = checker.shown;
        for (premises, conclusion) in questions {
            checker.implies(obligation.clone(), &premises, conclusion)?;
        }
        checker.shown = shown + 1;
    }
    let restrict = model.restrict_formula(terms);
    for (l, (invariant, &safe)) in invariants.iter().zip(&safe).enumerate() {
        if let Some(invariant) = *invariant {
            let name = (!model.is_system()).then(|| model.locations[l].name.clone());
            let premises = instances::added(terms, vec![invariant, restrict], safe);
            checker.implies(Obligation::Property(name), &premises, safe)?;
        }
    }
    Ok(())
}

/// The name of an edge in messages.
pub fn edge_name(model: &Model, edge: &Edge) -> String {
    let name = &edge.command.name;
    if model.is_system() {
        return name.clone();
    }
    let (from, to) = (model.location_name(edge.from), model.location_name(edge.to));
    format!("{from} -> {to} ({name})")
}

/// Checks that there is an entry for every location, and that all formulas are about states and
/// bound symbols. Returns the condition to prove at each location.
pub fn well_formed(task: &Task<'_>, invariants: &[Option<Term>]) -> Checked<Vec<Term>> {
    if invariants.len() != task.model.locations.len() {
        return Err(Stop::shape(
            "there must be one invariant for every location",
        ));
    }
    for &formula in invariants.iter().flatten() {
        mentions_only(task, formula, &|kind| kind == SymbolKind::Bound)?;
    }
    let safe = safe_at_locations(task);
    safe.ok_or_else(|| Stop::shape("invariants do not prove this kind of property"))
}

/// The locations without an invariant, in a topological order of the edges between them.
pub fn order_between(model: &Model, invariants: &[Option<Term>]) -> Checked<Vec<usize>> {
    let mut between = Digraph::new(model.locations.len());
    for edge in &model.edges {
        let sources = edge.premises.iter().map(|p| p.location).chain([edge.from]);
        for from in sources {
            if invariants[from.0].is_none() && invariants[edge.to.0].is_none() {
                between.add_edge(from.0, edge.to.0);
            }
        }
    }
    let Some(mut order) = between.topological_order() else {
        return Err(Stop::shape(
            "a cycle passes through no location with an invariant",
        ));
    };
    order.retain(|&l| invariants[l].is_none());
    Ok(order)
}

/// Whether the assignments of a command turn the formula into one of the known premises.
///
/// Most commands do not change most conjuncts of an invariant; these need no solver.
fn is_kept(terms: &Terms, command: &Command, formula: Term, known: &BTreeSet<Term>) -> bool {
    let mut values = Substitution::default();
    for (symbol, _) in terms.free_vars(formula) {
        if matches!(
            terms.symbol_kind(symbol),
            SymbolKind::Rigid | SymbolKind::Bound
        ) {
            continue;
        }
        match command.update_of(symbol) {
            Some(value) => values.insert(terms.var(symbol), value),
            None => return false,
        };
    }
    let before = terms.substitute(formula, &values);
    before == terms.tt() || known.contains(&before)
}

/// Whether the formula mentions only current variables and constants of the model.
pub fn is_state_formula(task: &Task<'_>, formula: Term) -> Checked {
    mentions_only(task, formula, &|_| false)
}

/// The same, with symbols of other kinds allowed.
fn mentions_only(task: &Task<'_>, formula: Term, other: &dyn Fn(SymbolKind) -> bool) -> Checked {
    let (terms, model) = (task.terms, task.model);
    for (symbol, stage) in terms.free_vars(formula) {
        let known = model.variables.contains(&symbol)
            || model.rigid.contains(&symbol)
            || other(terms.symbol_kind(symbol));
        if stage != Stage::Now || !known {
            let name = terms.name(symbol);
            return Err(Stop::shape(format!(
                "the invariant mentions `{name}`, which is no variable of the model"
            )));
        }
    }
    Ok(())
}

/// The condition at each location; `None` if the property is not about single states.
pub fn safe_at_locations(task: &Task<'_>) -> Option<Vec<Term>> {
    let locations = (0..task.model.locations.len()).map(LocationId);
    let safe = locations.map(|l| task.property.kind.safe_at(task.terms, l));
    safe.collect()
}
