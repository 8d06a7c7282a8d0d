//! Invariants of some locations of a model with premises: where there is none, the edges into the
//! location stand for it, one inside the other.
//!
//! Derivations are trees, so a location without an invariant is put in place of each of its uses,
//! with its own copies of the variables. Nothing is shared: certificates leave out the invariants
//! of small definitions only.

use crate::invariant::{Checked, Checker, Stop, edge_name, safe_at_locations, well_formed};
use crate::{Obligation, Outcome};
use sectile_base::Budget;
use sectile_base::digraph::Digraph;
use sectile_model::{Edge, LocationId, Model, Task};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};

/// More edges than this, one inside the other, are not put together.
const MOST_EDGES: usize = 20_000;

/// One obligation for every edge into a location with an invariant or with a property.
pub fn check(
    task: &Task<'_>,
    invariants: &[Option<Term>],
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Outcome, SolverError> {
    let mut checker = Checker::new(task.terms, solver, budget);
    let result = prove(task, invariants, &mut checker)?;
    Ok(checker.outcome(result))
}

fn prove(task: &Task<'_>, invariants: &[Option<Term>], checker: &mut Checker<'_>) -> Checked {
    let refused = |because: &str| Ok(Err(Stop::shape(because)));
    let (terms, model) = (task.terms, task.model);
    if let Err(why) = well_formed(task, invariants.iter().copied()) {
        return refused(&why);
    }
    let Some(safe) = safe_at_locations(task) else {
        return refused("invariants do not prove this kind of property");
    };
    if !has_no_open_cycle(model, invariants) {
        return refused("a cycle passes through no location with an invariant");
    }
    let mut trees = Trees {
        terms,
        model,
        invariants,
        left: MOST_EDGES,
    };
    let init = model.init_formula(terms);
    let restrict = model.restrict_formula(terms);
    let at = |l: LocationId| terms.and([invariants[l.0].unwrap_or(terms.tt()), safe[l.0]]);
    let start = checker.implies(Obligation::Initiation, &[init], at(model.entry))?;
    if start.is_err() {
        return Ok(start);
    }
    for edge in &model.edges {
        let after = terms.prime(at(edge.to));
        if after == terms.tt() {
            continue;
        }
        let Some(mut known) = trees.premises(edge, &Substitution::default()) else {
            return refused("the definitions without invariants are too large");
        };
        known.push(model.step_formula(terms, &edge.command));
        let obligation = Obligation::Consecution(edge_name(model, edge));
        let stop = checker.implies(obligation, &known, after)?;
        if stop.is_err() {
            return Ok(stop);
        }
    }
    for (l, invariant) in invariants.iter().enumerate() {
        let Some(invariant) = invariant else { continue };
        let name = model.locations[l].name.clone();
        let obligation = Obligation::Property(Some(name));
        let stop = checker.implies(obligation, &[*invariant, restrict], safe[l])?;
        if stop.is_err() {
            return Ok(stop);
        }
    }
    Ok(Ok(()))
}

fn has_no_open_cycle(model: &Model, invariants: &[Option<Term>]) -> bool {
    let mut between = Digraph::new(model.locations.len());
    for edge in &model.edges {
        let sources = edge.premises.iter().map(|p| p.location).chain([edge.from]);
        for from in sources {
            if invariants[from.0].is_none() && invariants[edge.to.0].is_none() {
                between.add_edge(from.0, edge.to.0);
            }
        }
    }
    between.topological_order().is_some()
}

struct Trees<'t> {
    terms: &'t Terms,
    model: &'t Model,
    invariants: &'t [Option<Term>],
    /// How many edges may still be put in.
    left: usize,
}

impl Trees<'_> {
    /// What is known of all states that an edge rests on. `copy` says what its own variables are.
    ///
    /// It recurses on the nesting of locations without invariants, of which there are few.
    fn premises(&mut self, edge: &Edge, copy: &Substitution) -> Option<Vec<Term>> {
        let terms = self.terms;
        let here = |&s: &Symbol| {
            let now = terms.var(s);
            (s, copy.get(&now).copied().unwrap_or(now))
        };
        let own: Vec<(Symbol, Term)> = self.model.variables.iter().map(here).collect();
        let mut known = vec![self.reached(edge.from, &own)?];
        for premise in &edge.premises {
            let values = premise.values.iter();
            let values = values.map(|&(s, v)| (s, terms.substitute(v, copy)));
            let values: Vec<(Symbol, Term)> = values.collect();
            known.push(self.reached(premise.location, &values)?);
        }
        Some(known)
    }

    /// That a state with these values is reached at a location.
    fn reached(&mut self, location: LocationId, values: &[(Symbol, Term)]) -> Option<Term> {
        let terms = self.terms;
        let given = |s: Symbol| values.iter().find(|v| v.0 == s).map(|v| v.1);
        if let Some(invariant) = self.invariants[location.0] {
            let variables = self.model.variables.iter();
            let map = variables.map(|&s| {
                let some = || self.fresh(s);
                (terms.var(s), given(s).unwrap_or_else(some))
            });
            let map: Substitution = map.collect();
            return Some(terms.substitute(invariant, &map));
        }
        let mut ways = Vec::new();
        if location == self.model.entry {
            let map = values.iter().map(|&(s, v)| (terms.var(s), v));
            let mut map: Substitution = map.collect();
            for &s in &self.model.variables {
                map.entry(terms.var(s)).or_insert_with(|| self.fresh(s));
            }
            ways.push(terms.substitute(self.model.init_formula(terms), &map));
        }
        let model = self.model;
        for edge in model.edges.iter().filter(|e| e.to == location) {
            self.left = self.left.checked_sub(1)?;
            let mut copy = Substitution::default();
            for &s in &model.variables {
                copy.insert(terms.var(s), self.fresh(s));
                let next = given(s).unwrap_or_else(|| self.fresh(s));
                copy.insert(terms.next(s), next);
            }
            for &input in &edge.command.inputs {
                copy.insert(terms.var(input), self.fresh(input));
            }
            let mut known = self.premises(edge, &copy)?;
            let step = model.step_formula(terms, &edge.command);
            known.push(terms.substitute(step, &copy));
            ways.push(terms.and(known));
        }
        Some(terms.or(ways))
    }

    fn fresh(&self, symbol: Symbol) -> Term {
        let sort = self.terms.symbol_sort(symbol);
        let copy = self.terms.fresh("certify.copy", sort, SymbolKind::Input);
        self.terms.var(copy)
    }
}
