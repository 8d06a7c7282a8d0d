//! A model as clauses, and the translation of evidence back to the model.

use super::horn::{Application, Clause, Derivation, HornClauses, Instance, Predicate};
use crate::certificate::Certificate;
use crate::model::{Edge, LocationId, Model};
use crate::trace::{State, Step, Trace};
use sectile_base::Span;
use sectile_terms::{Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate};
use std::collections::BTreeMap;

/// The Horn clauses of a model with unreachable locations as its property.
///
/// Locations are predicates over their relevant variables and the symbolic constants. An entry
/// without variables and without incoming edges is not a predicate: edges from it are facts. An
/// error without variables and without outgoing edges is not one either: edges into it are queries.
#[derive(Clone, Debug)]
pub struct ClauseView {
    model: Model,
    /// The clauses.
    pub clauses: HornClauses,
    /// The clauses without a head.
    pub queries: Vec<usize>,
    /// For each location its predicate, if any.
    pub predicates: Vec<Option<usize>>,
    /// For each clause its edge, if any.
    pub edges: Vec<Option<usize>>,
    /// The symbolic constants that are arguments of predicates.
    passed: Vec<Symbol>,
    /// The variables of the clauses: copies of those of the model, which serve as parameters.
    copies: BTreeMap<Symbol, Symbol>,
    /// The same as a substitution.
    now: Substitution,
}

impl ClauseView {
    /// The clauses of a model, usually one for each edge.
    pub fn new(terms: &Terms, model: &Model, errors: &[LocationId]) -> ClauseView {
        ClauseView::about(terms, model, errors, &model.rigid)
    }

    /// The same with symbolic constants that are not arguments of predicates, for files that
    /// declare functions: they stay free in the clauses and in the meanings of predicates.
    pub fn with_free_constants(terms: &Terms, model: &Model, errors: &[LocationId]) -> ClauseView {
        ClauseView::about(terms, model, errors, &[])
    }

    fn about(terms: &Terms, model: &Model, errors: &[LocationId], passed: &[Symbol]) -> ClauseView {
        let mut view = ClauseView {
            model: model.clone(),
            clauses: HornClauses {
                name: model.name.clone(),
                ..HornClauses::default()
            },
            queries: Vec::new(),
            predicates: Vec::new(),
            edges: Vec::new(),
            passed: passed.to_vec(),
            copies: BTreeMap::new(),
            now: Substitution::default(),
        };
        for &v in &model.variables {
            let copy = terms.fresh(terms.name(v), terms.symbol_sort(v), SymbolKind::Input);
            view.copies.insert(v, copy);
            view.now.insert(terms.var(v), terms.var(copy));
        }
        for l in (0..model.locations.len()).map(LocationId) {
            let is_silent = match l == model.entry {
                true => view.is_silent_entry(),
                false => errors.contains(&l) && view.is_silent_error(l),
            };
            view.add_predicate(l, is_silent);
        }
        if let Some(head) = view.here(terms, model.entry) {
            let init = model.init.iter().chain(&model.restrict);
            let init = init.map(|&c| view.copied(terms, c)).collect();
            view.add(
                None,
                Clause::closed(terms, Span::default(), Vec::new(), init, Some(head)),
            );
        }
        for (i, edge) in model.edges.iter().enumerate() {
            view.add_edge(terms, i, edge);
        }
        for &error in errors {
            if let Some(reached) = view.here(terms, error) {
                let span = model.locations[error.0].span;
                view.add(
                    None,
                    Clause::closed(terms, span, vec![reached], Vec::new(), None),
                );
            }
        }
        view
    }

    fn is_silent_entry(&self) -> bool {
        let entry = self.model.entry;
        self.has_no_state(entry) && self.model.edges_to(entry).next().is_none()
    }

    fn is_silent_error(&self, location: LocationId) -> bool {
        self.has_no_state(location) && self.model.edges_from(location).next().is_none()
    }

    /// Whether a location has no relevant state and is no premise.
    fn has_no_state(&self, location: LocationId) -> bool {
        let mut premises = self.model.edges.iter().flat_map(|e| &e.premises);
        let own = self.model.locations[location.0].variables.as_ref();
        own.is_some_and(Vec::is_empty)
            && self.passed.is_empty()
            && self.model.restrict.is_empty()
            && premises.all(|p| p.location != location)
    }

    fn add_predicate(&mut self, l: LocationId, is_silent: bool) {
        if is_silent {
            self.predicates.push(None);
            return;
        }
        self.predicates.push(Some(self.clauses.predicates.len()));
        let location = &self.model.locations[l.0];
        self.clauses.predicates.push(Predicate {
            name: location.name.clone(),
            parameters: self.state(l),
            span: location.span,
        });
    }

    /// The state at a location: variables and constants.
    fn state(&self, location: LocationId) -> Vec<Symbol> {
        let variables = self.model.variables_at(location).iter();
        variables.chain(&self.passed).copied().collect()
    }

    /// A formula about the state before a step, over the copies.
    fn copied(&self, terms: &Terms, formula: Term) -> Term {
        terms.substitute(formula, &self.now)
    }

    /// The predicate of a location, applied to the state before a step.
    fn here(&self, terms: &Terms, location: LocationId) -> Option<Application> {
        self.at(location, &|s| terms.var(*self.copies.get(&s).unwrap_or(&s)))
    }

    fn at(&self, location: LocationId, value: &dyn Fn(Symbol) -> Term) -> Option<Application> {
        let predicate = self.predicates[location.0]?;
        let arguments = self.state(location).into_iter().map(value);
        Some(Application {
            predicate,
            arguments: arguments.collect(),
        })
    }

    fn add(&mut self, edge: Option<usize>, mut clause: Clause) {
        let is_free = |v: &Symbol| self.model.rigid.contains(v) && !self.passed.contains(v);
        let named = clause.variables.into_iter().zip(clause.names);
        let own = named.filter(|(v, _)| !is_free(v));
        (clause.variables, clause.names) = own.unzip();
        if clause.head.is_none() {
            self.queries.push(self.clauses.clauses.len());
        }
        self.clauses.clauses.push(clause);
        self.edges.push(edge);
    }

    fn add_edge(&mut self, terms: &Terms, index: usize, edge: &Edge) {
        let command = &edge.command;
        let free = |v: Symbol, name: &str| {
            terms.var(terms.fresh(name, terms.symbol_sort(v), SymbolKind::State))
        };
        let copied = |t: Term| self.copied(terms, t);
        let variables = self.model.variables.iter();
        let next = variables.map(|&v| {
            let value = command.update_of(v).map(copied);
            (terms.next(v), value.unwrap_or_else(|| free(v, "next")))
        });
        let next: Substitution = next.collect();
        let after = |s: Symbol| next.get(&terms.next(s)).copied().unwrap_or(terms.var(s));
        let told = |t: Term| terms.substitute(copied(t), &next);
        let restrict = &self.model.restrict;
        let before = command.guards.iter().chain(restrict).copied();
        let relations = command.relations.iter().copied();
        let later = relations.chain(restrict.iter().map(|&r| terms.prime(r)));
        let constraint: Vec<Term> = before.chain(later).map(told).collect();
        let mut body: Vec<Application> = self.here(terms, edge.from).into_iter().collect();
        for premise in &edge.premises {
            let value = |s: Symbol| {
                let given = premise.values.iter().find(|(p, _)| *p == s);
                match given {
                    Some((_, value)) => told(*value),
                    None if terms.symbol_kind(s) == SymbolKind::Rigid => terms.var(s),
                    None => free(s, "some"),
                }
            };
            body.extend(self.at(premise.location, &value));
        }
        let head = self.at(edge.to, &after);
        self.add(
            Some(index),
            Clause::closed(terms, command.span, body, constraint, head),
        );
    }

    /// Meanings of the predicates as invariants of the locations.
    pub fn invariants(&self, terms: &Terms, meanings: &[Option<Term>]) -> Certificate {
        Certificate::cut_points(self.formulas(terms, meanings))
    }

    /// Meanings of the predicates as formulas of the locations.
    pub fn formulas(&self, terms: &Terms, meanings: &[Option<Term>]) -> Vec<Option<Term>> {
        let silent = |l: usize| match LocationId(l) == self.model.entry {
            true => Some(terms.tt()),
            false => Some(terms.ff()),
        };
        let predicates = self.predicates.iter().enumerate();
        let at = predicates.map(|(l, p)| p.map_or_else(|| silent(l), |p| meanings[p]));
        at.collect()
    }

    /// Invariants of locations as meanings of the predicates, over their parameters only.
    ///
    /// Irrelevant variables have any value at a location, so one value is enough.
    pub fn meanings(&self, terms: &Terms, at: &[Option<Term>]) -> Vec<Option<Term>> {
        let mut meanings = vec![None; self.clauses.predicates.len()];
        for (l, predicate) in self.predicates.iter().enumerate() {
            let Some(p) = *predicate else { continue };
            meanings[p] = at[l].map(|t| self.model.formula_at(terms, LocationId(l), t));
        }
        meanings
    }

    /// The run, or the derivation, of the model that corresponds to a derivation from the clauses.
    pub fn trace(&self, terms: &Terms, derivation: &Derivation) -> Option<Trace> {
        let mut trace = Trace::default();
        let entry = self.model.entry;
        if self.predicates[entry.0].is_none() {
            let some = |&v: &Symbol| Value::some_of(terms, terms.symbol_sort(v));
            trace.states.push(State {
                location: entry,
                values: self.model.variables.iter().map(some).collect(),
            });
            trace.rigid = self.model.rigid.iter().map(some).collect();
        }
        let mut state_of = Vec::with_capacity(derivation.instances.len());
        for instance in &derivation.instances {
            let last = trace.states.len();
            match self.edges.get(instance.clause)? {
                Some(edge) => self.step(terms, instance, *edge, &state_of, &mut trace)?,
                // The start; a query only says that a state was reached.
                None if self.clauses.clauses[instance.clause].head.is_some() => {
                    let head = self.clauses.clauses[instance.clause].head.as_ref()?;
                    let mut values = instance.arguments(terms, &self.clauses, head)?;
                    let own = self.model.variables_at(entry);
                    trace.rigid = values.split_off(own.len());
                    let values = self.values(terms, entry, &values, &|_| None);
                    let location = entry;
                    trace.states.push(State { location, values });
                }
                None => {}
            }
            state_of.push(last.min(trace.states.len() - 1));
        }
        Some(trace)
    }

    /// The values of all variables, given those that are relevant at a location.
    fn values(
        &self,
        terms: &Terms,
        location: LocationId,
        known: &[Value],
        other: &dyn Fn(Symbol) -> Option<Value>,
    ) -> Vec<Value> {
        let own = self.model.variables_at(location);
        let value = |&v: &Symbol| {
            let at = own.iter().position(|o| *o == v);
            let known = at.and_then(|i| known.get(i).cloned());
            let some = || Value::some_of(terms, terms.symbol_sort(v));
            known.or_else(|| other(v)).unwrap_or_else(some)
        };
        self.model.variables.iter().map(value).collect()
    }

    fn step(
        &self,
        terms: &Terms,
        instance: &Instance,
        index: usize,
        state_of: &[usize],
        trace: &mut Trace,
    ) -> Option<()> {
        let edge = &self.model.edges[index];
        let clause = &self.clauses.clauses[instance.clause];
        let known = match &clause.head {
            Some(head) => instance.arguments(terms, &self.clauses, head)?,
            None => Vec::new(),
        };
        let valuation = |symbol: Symbol, _: Stage| {
            let copy = *self.copies.get(&symbol).unwrap_or(&symbol);
            let at = clause.variables.iter().position(|v| *v == copy)?;
            instance.values.get(at).cloned()
        };
        let assigned = |v: Symbol| evaluate(terms, edge.command.update_of(v)?, &valuation).ok();
        let values = self.values(terms, edge.to, &known, &assigned);
        let some = |i: Symbol| Value::some_of(terms, terms.symbol_sort(i));
        let inputs = edge.command.inputs.iter();
        let inputs = inputs.map(|&i| valuation(i, Stage::Now).unwrap_or_else(|| some(i)));
        let before = instance.premises.iter().map(|&p| state_of.get(p).copied());
        let mut rests_on: Vec<usize> = before.collect::<Option<_>>()?;
        if self.predicates[edge.from.0].is_none() {
            rests_on.insert(0, 0);
        }
        // In a run every step starts where the previous one ended.
        if rests_on == [trace.states.len() - 1] {
            rests_on.clear();
        }
        trace.steps.push(Step {
            command: index,
            inputs: inputs.collect(),
            rests_on,
        });
        trace.states.push(State {
            location: edge.to,
            values,
        });
        Some(())
    }
}
