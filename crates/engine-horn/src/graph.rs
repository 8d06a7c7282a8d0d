//! A graph as linear clauses, and the way back.

use crate::Decision;
use sectile_base::Span;
use sectile_engine::EngineError;
use sectile_model::horn::{Application, Clause, Derivation, Predicate};
use sectile_model::{Certificate, Edge, HornClauses, Model, State, Step, Trace, Verdict};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms, Value};

/// A graph as clauses: predicates are locations, clauses are edges behind the first one.
pub(crate) struct GraphClauses<'g> {
    terms: &'g Terms,
    graph: &'g Model,
    pub clauses: HornClauses,
    pub queries: Vec<usize>,
}

impl<'g> GraphClauses<'g> {
    /// The clauses of a graph in which the given locations must not be reached.
    pub fn new(terms: &'g Terms, graph: &'g Model, errors: &[usize]) -> GraphClauses<'g> {
        let mut made = GraphClauses {
            terms,
            graph,
            clauses: HornClauses {
                name: graph.name.clone(),
                ..HornClauses::default()
            },
            queries: Vec::new(),
        };
        let parameters: Vec<Symbol> = made.state();
        let predicates = graph.locations.iter().map(|l| Predicate {
            name: l.name.clone(),
            parameters: parameters.clone(),
            span: l.span,
        });
        made.clauses.predicates = predicates.collect();
        let here = |l: usize| made.at(l, |s| terms.var(s));
        let init = graph.init.iter().chain(&graph.restrict).copied();
        let mut all = vec![made.clause(
            Span::default(),
            None,
            init.collect(),
            Some(here(graph.entry.0)),
        )];
        all.extend(graph.edges.iter().map(|e| made.edge(e)));
        let mut queries = Vec::new();
        for &error in errors {
            queries.push(all.len());
            let span = graph.locations[error].span;
            all.push(made.clause(span, Some(here(error)), Vec::new(), None));
        }
        made.clauses.clauses = all;
        made.queries = queries;
        made
    }

    /// What a state consists of: the variables and the constants.
    fn state(&self) -> Vec<Symbol> {
        let variables = self.graph.variables.iter();
        variables.chain(&self.graph.rigid).copied().collect()
    }

    fn at(&self, location: usize, value: impl Fn(Symbol) -> Term) -> Application {
        Application {
            predicate: location,
            arguments: self.state().into_iter().map(value).collect(),
        }
    }

    fn edge(&self, edge: &Edge) -> Clause {
        let terms = self.terms;
        let command = &edge.command;
        let next: Substitution = self
            .graph
            .variables
            .iter()
            .map(|&v| {
                let free = || {
                    let sort = terms.symbol_sort(v);
                    terms.var(terms.fresh("next", sort, SymbolKind::State))
                };
                let value = command.update_of(v).unwrap_or_else(free);
                (terms.next(v), value)
            })
            .collect();
        let after = |s: Symbol| next.get(&terms.next(s)).copied().unwrap_or(terms.var(s));
        let restrict = &self.graph.restrict;
        let mut constraint = command.guards.clone();
        constraint.extend(restrict.iter().copied());
        let relations = command.relations.iter().copied();
        let later = relations.chain(restrict.iter().map(|&r| terms.prime(r)));
        constraint.extend(later.map(|t| terms.substitute(t, &next)));
        let from = self.at(edge.from.0, |s| terms.var(s));
        let to = self.at(edge.to.0, after);
        self.clause(command.span, Some(from), constraint, Some(to))
    }

    fn clause(
        &self,
        span: Span,
        body: Option<Application>,
        constraint: Vec<Term>,
        head: Option<Application>,
    ) -> Clause {
        let body: Vec<Application> = body.into_iter().collect();
        Clause::closed(self.terms, span, body, constraint, head)
    }

    /// What is found out about the clauses, told about the graph.
    pub fn verdict(&self, decision: Decision) -> Result<Verdict, EngineError> {
        Ok(match decision {
            Decision::Satisfiable(list) => Verdict::Holds(Certificate::invariants(list)),
            Decision::Unknown(unknown) => Verdict::Unknown(unknown),
            Decision::Derived(derivation) => {
                let trace = self.trace(&derivation);
                let lost = || EngineError::Bug("a derivation is no run".to_string());
                Verdict::Violated(Certificate::Trace(trace.ok_or_else(lost)?))
            }
        })
    }

    fn trace(&self, derivation: &Derivation) -> Option<Trace> {
        let (terms, clauses) = (self.terms, &self.clauses);
        let width = self.graph.variables.len();
        let mut trace = Trace {
            rigid: Vec::new(),
            states: Vec::new(),
            steps: Vec::new(),
            back_to: None,
        };
        for instance in &derivation.instances {
            let Some(head) = &clauses.clauses[instance.clause].head else {
                continue;
            };
            let mut values = instance.arguments(terms, clauses, head)?;
            trace.rigid = values.split_off(width);
            trace.states.push(State {
                location: sectile_model::LocationId(head.predicate),
                values,
            });
            let Some(edge) = instance.clause.checked_sub(1) else {
                continue;
            };
            let inputs = self.graph.edges[edge].command.inputs.iter();
            let variables = &clauses.clauses[instance.clause].variables;
            let inputs: Option<Vec<Value>> = inputs
                .map(|i| match variables.iter().position(|v| v == i) {
                    Some(at) => instance.values.get(at).cloned(),
                    None => Some(Value::some_of(terms, terms.symbol_sort(*i))),
                })
                .collect();
            trace.steps.push(Step::new(edge, inputs?));
        }
        Some(trace)
    }
}
