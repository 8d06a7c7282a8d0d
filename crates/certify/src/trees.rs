//! Invariants of some locations of a model with premises: a location without one is unfolded into
//! the edges that enter it.
//!
//! Derivations are trees, so each use of a location without an invariant is unfolded separately,
//! with its own copies of the variables. Nothing is shared: certificates omit only the invariants
//! of small definitions.

use crate::checker::{Checked, Stop};
use crate::lean;
use rustc_hash::FxHashSet;
use sectile_model::{Edge, LocationId, Model};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};

/// Maximum number of unfolded edges.
const MOST_EDGES: usize = 20_000;

/// Known facts about the states that edges rest on.
pub struct Trees<'t> {
    terms: &'t Terms,
    model: &'t Model,
    invariants: &'t [Option<Term>],
    /// Whether irrelevant conditions are removed.
    is_lean: bool,
    /// The number of edges that may still be unfolded.
    left: usize,
}

impl<'t> Trees<'t> {
    /// Every cycle must pass through a location with an invariant.
    pub fn new(
        terms: &'t Terms,
        model: &'t Model,
        invariants: &'t [Option<Term>],
        is_lean: bool,
    ) -> Trees<'t> {
        Trees {
            terms,
            model,
            invariants,
            is_lean,
            left: MOST_EDGES,
        }
    }

    /// Known facts about all states that an edge rests on. `copy` gives the copies of its own
    /// variables.
    ///
    /// It recurses on the nesting of locations without invariants, of which there are few.
    pub fn premises(&mut self, edge: &Edge, copy: &Substitution) -> Checked<Vec<Term>> {
        let terms = self.terms;
        let own = self.model.variables.iter().map(|&s| {
            let now = terms.var(s);
            (now, copy.get(&now).copied().unwrap_or(now))
        });
        let mut known = vec![self.reached(edge.from, own.collect())?];
        for premise in &edge.premises {
            let values = premise.values.iter();
            let values = values.map(|&(s, v)| (terms.var(s), terms.substitute(v, copy)));
            known.push(self.reached(premise.location, values.collect())?);
        }
        Ok(known)
    }

    /// The formula that a state with these values is reached at a location. Other variables are
    /// existential.
    fn reached(&mut self, location: LocationId, mut here: Substitution) -> Checked<Term> {
        let (terms, model) = (self.terms, self.model);
        for &s in &model.variables {
            here.entry(terms.var(s)).or_insert_with(|| self.fresh(s));
        }
        if let Some(invariant) = self.invariants[location.0] {
            return Ok(terms.substitute(invariant, &here));
        }
        let mut ways = Vec::new();
        if location == model.entry {
            ways.push(terms.substitute(model.init_formula(terms), &here));
        }
        for edge in model.edges.iter().filter(|e| e.to == location) {
            let Some(left) = self.left.checked_sub(1) else {
                return Err(Stop::shape(
                    "the definitions without invariants are too large",
                ));
            };
            self.left = left;
            ways.extend(self.way(edge, &here)?);
        }
        Ok(terms.or(ways))
    }

    /// The formula that an edge leads to a state with these values; `None` if it does not.
    ///
    /// Auxiliary variables that equations define are replaced at once: this may show that the edge
    /// is impossible before its premises are unfolded.
    fn way(&mut self, edge: &Edge, here: &Substitution) -> Checked<Option<Term>> {
        let (terms, model) = (self.terms, self.model);
        let mut copy = Substitution::default();
        let mut own: FxHashSet<Term> = FxHashSet::default();
        let variables = model.variables.iter().chain(&edge.command.inputs);
        for &s in variables {
            let fresh = self.fresh(s);
            own.insert(fresh);
            copy.insert(terms.var(s), fresh);
        }
        for &s in &model.variables {
            copy.insert(terms.next(s), here[&terms.var(s)]);
        }
        let step = model.step_formula(terms, &edge.command);
        let step = terms.substitute(step, &copy);
        let is_own = |t: Term| self.is_lean && own.contains(&t);
        let (step, values) = lean::solved(terms, step, &is_own);
        if step.contains(&terms.ff()) {
            return Ok(None);
        }
        for value in copy.values_mut() {
            *value = terms.substitute(*value, &values);
        }
        let mut known = self.premises(edge, &copy)?;
        known.extend(step);
        let mut known = terms.conjuncts(terms.and(known));
        if self.is_lean {
            let outside: Vec<Term> = here.values().copied().collect();
            known = lean::needed(terms, known, &outside);
        }
        Ok(Some(terms.and(known)))
    }

    fn fresh(&self, symbol: Symbol) -> Term {
        let sort = self.terms.symbol_sort(symbol);
        let copy = self.terms.fresh("certify.copy", sort, SymbolKind::Input);
        self.terms.var(copy)
    }
}
