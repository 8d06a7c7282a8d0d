//! Lowering clauses to a model: predicates become locations, clauses become edges.

use super::horn::{Application, Clause, HornClauses};
use super::{equations, slots};
use crate::command::{Command, Update};
use crate::model::{Edge, Location, LocationId, Model, Premise};
use rustc_hash::FxHashSet;
use sectile_base::Span;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The edge of a clause.
#[derive(Clone, Debug)]
pub struct ClauseEdge {
    /// The edge.
    pub edge: Edge,
    /// The values of the variables of the clause, in order: terms over the state before, the state
    /// after and the inputs.
    pub values: Vec<Term>,
    /// The position in the body of the predicate where the edge starts.
    pub first: usize,
}

/// Assigns parameters to predicates: shared variables of a model.
pub fn name_parameters(terms: &Terms, clauses: &mut HornClauses, sorts: &[Vec<Sort>]) {
    let all = std::mem::take(&mut clauses.clauses);
    slots::assign(terms, clauses, &all, sorts);
    clauses.clauses = all;
}

/// The model of clauses: an entry, the predicates in order, and an error location at the end,
/// connected by one edge for each of `made`. `names` are the names of the edges.
pub fn model_of_clauses(
    terms: &Terms,
    clauses: &HornClauses,
    made: &[Clause],
    names: &dyn Fn(usize) -> String,
) -> (Model, Vec<ClauseEdge>) {
    let parameters = clauses.predicates.iter().flat_map(|p| &p.parameters);
    let variables: BTreeSet<Symbol> = parameters.copied().collect();
    let variables: Vec<Symbol> = variables.into_iter().collect();
    let numbered = made.iter().enumerate();
    let edges = numbered.map(|(k, c)| {
        let first = start_of(terms, c);
        edge_of_clause(terms, clauses, &variables, c, first, names(k))
    });
    let edges: Vec<ClauseEdge> = edges.collect();
    let defaults = variables.iter();
    let defaults = defaults.map(|&v| terms.eq(terms.var(v), default(terms, v)));
    let model = Model {
        name: clauses.name.clone(),
        init: defaults.collect(),
        locations: locations(clauses),
        edges: edges.iter().map(|e| e.edge.clone()).collect(),
        variables,
        ..Model::default()
    };
    (model, edges)
}

/// The position of the body predicate that shares most with the head and the conditions: the edge
/// starts there, and the others are its premises.
fn start_of(terms: &Terms, clause: &Clause) -> usize {
    let mut others = clause.constraint.clone();
    others.extend(clause.head.iter().flat_map(|h| h.arguments.clone()));
    let others = terms.free_vars_of(&others);
    let shared = |a: &Application| {
        let own = terms.free_vars_of(&a.arguments);
        own.iter().filter(|v| others.contains(*v)).count()
    };
    let best = clause.body.iter().enumerate();
    let best = best.max_by_key(|(i, a)| (shared(a), Reverse(*i)));
    best.map_or(0, |(i, _)| i)
}

fn locations(clauses: &HornClauses) -> Vec<Location> {
    let taken = |name: &str| clauses.predicates.iter().any(|p| p.name == name);
    let own = |wish: &str| {
        let mut name = wish.to_string();
        while taken(&name) {
            name.push('_');
        }
        Location {
            variables: Some(Vec::new()),
            ..Location::new(name, Span::default())
        }
    };
    let predicates = clauses.predicates.iter().map(|p| Location {
        variables: Some(p.parameters.clone()),
        ..Location::new(p.name.clone(), p.span)
    });
    let mut all = vec![own("start")];
    all.extend(predicates);
    all.push(own("error"));
    all
}

/// The value of a variable that is not an argument of the predicate.
fn default(terms: &Terms, variable: Symbol) -> Term {
    Value::some_of(terms, terms.symbol_sort(variable)).to_term(terms)
}

/// The edge of a clause, starting at the body predicate at position `first`.
///
/// The variables of the clause are not variables of the model: those that the states do not
/// determine become inputs.
pub fn edge_of_clause(
    terms: &Terms,
    clauses: &HornClauses,
    variables: &[Symbol],
    clause: &Clause,
    first: usize,
    name: String,
) -> ClauseEdge {
    debug_assert!(clause.variables.iter().all(|v| !variables.contains(v)));
    let mut binding = Binding {
        terms,
        clause,
        places: Substitution::default(),
        equations: Vec::new(),
    };
    let none = Vec::new();
    let side = |p: Option<usize>| p.map_or(&none, |p| &clauses.predicates[p].parameters);
    let body = clause.body.get(first);
    let head = clause.head.as_ref();
    let before = side(body.map(|a| a.predicate));
    let after = side(head.map(|a| a.predicate));
    if let Some(body) = body {
        binding.bind(&body.arguments, before, Stage::Now);
    }
    if let Some(head) = head {
        binding.bind(&head.arguments, after, Stage::Next);
    }
    let conjuncts = binding.conjuncts();
    let unknowns = clause.variables.iter().map(|&v| terms.var(v));
    let unknowns: FxHashSet<Term> = unknowns
        .filter(|v| !binding.places.contains_key(v))
        .collect();
    let solved = equations::solve(terms, conjuncts, &unknowns);
    let mut roots = solved.conjuncts.clone();
    roots.extend(solved.updates.iter().map(|u| u.1));
    let others = clause.body.iter().enumerate().filter(|(i, _)| *i != first);
    let others: Vec<&Application> = others.map(|(_, a)| a).collect();
    let passed = others.iter().flat_map(|a| &a.arguments);
    let said = |&t: &Term| terms.substitute(terms.substitute(t, &binding.places), &solved.values);
    roots.extend(passed.map(said));
    let inputs = equations::occurring(terms, &roots, &clause.variables);
    let values = values(terms, clause, &binding.places, &solved, &inputs);
    let mut command = Command::new(name, clause.span);
    command.inputs = inputs;
    for &c in &solved.conjuncts {
        let has_next = terms.free_vars(c).iter().any(|v| v.1 == Stage::Next);
        match has_next {
            true => command.relations.push(c),
            false => command.guards.push(c),
        }
    }
    let update = |(symbol, value): (Symbol, Term)| Update { symbol, value };
    let assigned = solved.updates.into_iter().map(update);
    command.updates.extend(assigned);
    let idle = variables.iter().filter(|v| !after.contains(v));
    let idle = idle.map(|&v| update((v, default(terms, v))));
    command.updates.extend(idle);
    let told = clause.variables.iter().zip(&values);
    let told: Substitution = told.map(|(&v, &t)| (terms.var(v), t)).collect();
    let premise = |a: &&Application| Premise {
        location: LocationId(a.predicate + 1),
        values: {
            let parameters = clauses.predicates[a.predicate].parameters.iter();
            let pairs = parameters.zip(&a.arguments);
            pairs
                .map(|(&p, &t)| (p, terms.substitute(t, &told)))
                .collect()
        },
    };
    let location = |p: Option<usize>, other: usize| LocationId(p.map_or(other, |p| p + 1));
    let legend = clause.names.iter().cloned().zip(values.iter().copied());
    ClauseEdge {
        edge: Edge {
            from: location(body.map(|a| a.predicate), 0),
            premises: others.iter().map(premise).collect(),
            to: location(head.map(|a| a.predicate), clauses.predicates.len() + 1),
            command,
            legend: legend.collect(),
            loose: false,
        },
        values,
        first,
    }
}

/// The representation of the variables of a clause.
struct Binding<'t> {
    terms: &'t Terms,
    clause: &'t Clause,
    /// Variables of the clause that are arguments, with the corresponding variables of the graph.
    places: Substitution,
    /// Other arguments.
    equations: Vec<(Term, Term)>,
}

impl Binding<'_> {
    fn bind(&mut self, arguments: &[Term], parameters: &[Symbol], stage: Stage) {
        for (&argument, &parameter) in arguments.iter().zip(parameters) {
            let place = self.terms.var_at(parameter, stage);
            // A symbolic constant is the same on both sides, so it is compared.
            let is_variable = match self.terms.node(argument) {
                Node::Var(symbol, _) => self.clause.variables.contains(symbol),
                _ => false,
            };
            if is_variable && !self.places.contains_key(&argument) {
                self.places.insert(argument, place);
            } else {
                self.equations.push((place, argument));
            }
        }
    }

    /// All conjuncts of the clause, over the variables of the graph.
    fn conjuncts(&self) -> Vec<Term> {
        let terms = self.terms;
        let said = |t: Term| terms.substitute(t, &self.places);
        let equations = self.equations.iter().map(|&(p, a)| terms.eq(p, said(a)));
        let constraint = self.clause.constraint.iter().map(|&c| said(c));
        terms.conjuncts(terms.and(equations.chain(constraint)))
    }
}

/// The values of the variables of the clause, over the variables of the graph.
fn values(
    terms: &Terms,
    clause: &Clause,
    places: &Substitution,
    solved: &equations::Solved,
    inputs: &[Symbol],
) -> Vec<Term> {
    // Irrelevant variables may have any value.
    let idle = clause.variables.iter().filter(|v| !inputs.contains(v));
    let defaults: Substitution = idle.map(|&v| (terms.var(v), default(terms, v))).collect();
    let value = |&v: &Symbol| {
        let variable = terms.var(v);
        let known = places
            .get(&variable)
            .or_else(|| solved.values.get(&variable));
        let known = known.copied().unwrap_or(variable);
        terms.substitute(known, &defaults)
    };
    clause.variables.iter().map(value).collect()
}
