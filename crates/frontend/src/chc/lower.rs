//! From clauses to a program graph.

use super::unfold::{Linearised, Unfolded};
use super::{PROPERTY, equations};
use rustc_hash::FxHashSet;
use sectile_base::Span;
use sectile_model::horn::{Application, Clause};
use sectile_model::{
    ClauseOrigin, Command, Edge, EdgeOrigin, HornClauses, HornGraph, Location, LocationId, Model,
    NodePremise, Property, PropertyKind, Update,
};
use sectile_terms::{Node, Stage, Substitution, Symbol, Term, Terms, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The graph, what is to be shown of it, and where it comes from.
pub(super) struct Lowered {
    pub graph: Model,
    pub property: Property,
    pub origin: HornGraph,
    /// Edges that allow more than their clauses.
    pub approximate: BTreeSet<usize>,
}

/// The graph of clauses: the entry, the predicates in their order, the error.
///
/// A clause that is not linear becomes an edge from one of its predicates; the others may be true
/// of anything. So the graph allows more than the clauses do. `numbers` says where the clauses were
/// in the file, for their names.
pub(super) fn graph(
    terms: &Terms,
    clauses: HornClauses,
    linearised: Linearised,
    variables: Vec<Symbol>,
    numbers: &[usize],
) -> Lowered {
    let mut edges = Vec::new();
    let mut origins = Vec::new();
    let mut approximate = BTreeSet::new();
    for mut unfolded in linearised.clauses {
        let exact = unfolded.clause.body.len() <= 1;
        if !exact {
            keep_one(terms, &mut unfolded.clause);
        }
        if let Some((edge, origin)) = edge(terms, &clauses, &variables, &unfolded, numbers) {
            if !exact {
                approximate.insert(edges.len());
            }
            edges.push(edge);
            origins.push(exact.then_some(origin));
        }
    }
    let count = clauses.predicates.len();
    let error = LocationId(count + 1);
    let defaults = variables
        .iter()
        .map(|&v| terms.eq(terms.var(v), default(terms, v)));
    let graph = Model {
        name: clauses.name.clone(),
        init: defaults.collect(),
        variables,
        rigid: Vec::new(),
        restrict: Vec::new(),
        locations: locations(&clauses),
        entry: LocationId(0),
        edges,
        ..Model::default()
    };
    let property = Property {
        name: PROPERTY.to_string(),
        kind: PropertyKind::Unreachable(vec![error]),
        span: Span::default(),
    };
    let middle = (0..count).map(Some);
    let origin = HornGraph {
        predicates: [None].into_iter().chain(middle).chain([None]).collect(),
        clauses,
        reductions: Vec::new(),
        edges: origins,
        unfolded: linearised.replaced,
    };
    Lowered {
        graph,
        property,
        origin,
        approximate,
    }
}

/// Keeps the predicate of the body that has most in common with the head and the conditions.
fn keep_one(terms: &Terms, clause: &mut Clause) {
    let mut others = clause.constraint.clone();
    others.extend(clause.head.iter().flat_map(|h| h.arguments.clone()));
    let others = terms.free_vars_of(&others);
    let shared = |a: &Application| {
        let own = terms.free_vars_of(&a.arguments);
        own.iter().filter(|v| others.contains(*v)).count()
    };
    let best = clause.body.iter().enumerate();
    let best = best.max_by_key(|(i, a)| (shared(a), Reverse(*i)));
    if let Some((i, _)) = best {
        clause.body = vec![clause.body.swap_remove(i)];
    }
}

fn locations(clauses: &HornClauses) -> Vec<Location> {
    let taken = |name: &str| clauses.predicates.iter().any(|p| p.name == name);
    let own = |wish: &str| {
        let mut name = wish.to_string();
        while taken(&name) {
            name.push('_');
        }
        Location {
            name,
            span: Span::default(),
        }
    };
    let predicates = clauses.predicates.iter().map(|p| Location {
        name: p.name.clone(),
        span: p.span,
    });
    let mut all = vec![own("start")];
    all.extend(predicates);
    all.push(own("error"));
    all
}

/// The value of a variable where it is no argument of the predicate.
fn default(terms: &Terms, variable: Symbol) -> Term {
    Value::some_of(terms, terms.symbol_sort(variable)).to_term(terms)
}

/// The edge that a clause is; `None` if it never applies.
fn edge(
    terms: &Terms,
    clauses: &HornClauses,
    variables: &[Symbol],
    unfolded: &Unfolded,
    numbers: &[usize],
) -> Option<(Edge, EdgeOrigin)> {
    let clause = &unfolded.clause;
    let mut binding = Binding {
        terms,
        places: Substitution::default(),
        equations: Vec::new(),
    };
    let none = Vec::new();
    let side = |p: Option<usize>| p.map_or(&none, |p| &clauses.predicates[p].parameters);
    let body = clause.body.first();
    let head = clause.head.as_ref();
    let before = side(body.map(|a| a.predicate));
    let after = side(head.map(|a| a.predicate));
    if let Some(body) = body {
        binding.bind(&body.arguments, before, Stage::Now);
    }
    if let Some(head) = head {
        binding.bind(&head.arguments, after, Stage::Next);
    }
    let conjuncts = binding.conjuncts(clause);
    let unknowns = clause.variables.iter().map(|&v| terms.var(v));
    let unknowns: FxHashSet<Term> = unknowns
        .filter(|v| !binding.places.contains_key(v))
        .collect();
    let solved = equations::solve(terms, conjuncts, &unknowns);
    let conjuncts = &solved.conjuncts;
    if conjuncts.contains(&terms.ff()) {
        return None;
    }
    let mut roots = conjuncts.clone();
    roots.extend(solved.updates.iter().map(|u| u.1));
    let inputs = equations::occurring(terms, &roots, &clause.variables);
    let values = values(terms, clause, &binding.places, &solved, &inputs);
    let origin = origin(terms, unfolded, &values);
    let number = numbers[unfolded.nodes[0].clause] + 1;
    let mut command = Command::new(format!("clause {number}"), clause.span);
    command.inputs = inputs;
    for &c in conjuncts {
        let has_next = terms.free_vars(c).iter().any(|v| v.1 == Stage::Next);
        match has_next {
            true => command.relations.push(c),
            false => command.guards.push(c),
        }
    }
    let update = |(symbol, value): (Symbol, Term)| Update { symbol, value };
    command
        .updates
        .extend(solved.updates.into_iter().map(update));
    let idle = variables.iter().filter(|v| !after.contains(v));
    command
        .updates
        .extend(idle.map(|&v| update((v, default(terms, v)))));
    let location = |p: Option<usize>, other: usize| LocationId(p.map_or(other, |p| p + 1));
    let edge = Edge::new(
        location(body.map(|a| a.predicate), 0),
        location(head.map(|a| a.predicate), clauses.predicates.len() + 1),
        command,
    );
    Some((edge, origin))
}

/// Where the variables of a clause are.
struct Binding<'t> {
    terms: &'t Terms,
    /// Variables of the clause that are arguments, by the variables of the graph that those are.
    places: Substitution,
    /// Other arguments.
    equations: Vec<(Term, Term)>,
}

impl Binding<'_> {
    fn bind(&mut self, arguments: &[Term], parameters: &[Symbol], stage: Stage) {
        for (&argument, &parameter) in arguments.iter().zip(parameters) {
            let place = self.terms.var_at(parameter, stage);
            let is_variable = matches!(self.terms.node(argument), Node::Var(..));
            if is_variable && !self.places.contains_key(&argument) {
                self.places.insert(argument, place);
            } else {
                self.equations.push((place, argument));
            }
        }
    }

    /// Everything that the clause says, in the words of the graph.
    fn conjuncts(&self, clause: &Clause) -> Vec<Term> {
        let terms = self.terms;
        let said = |t: Term| terms.substitute(t, &self.places);
        let equations = self.equations.iter().map(|&(p, a)| terms.eq(p, said(a)));
        let constraint = clause.constraint.iter().map(|&c| said(c));
        terms.conjuncts(terms.and(equations.chain(constraint)))
    }
}

/// The clauses of an edge, premises first, in the words of the graph.
fn origin(terms: &Terms, unfolded: &Unfolded, values: &[Term]) -> EdgeOrigin {
    let pairs = unfolded.clause.variables.iter().zip(values);
    let map: Substitution = pairs.map(|(&v, &t)| (terms.var(v), t)).collect();
    // Nodes that prove premises come later in the list, so it is turned round.
    let last = unfolded.nodes.len() - 1;
    let nodes = unfolded.nodes.iter().rev().map(|node| {
        let values = node.values.iter();
        let premise = |p: &Option<usize>| match p {
            Some(n) => NodePremise::Node(last - n),
            None => NodePremise::State,
        };
        ClauseOrigin {
            clause: node.clause,
            values: values.map(|&t| terms.substitute(t, &map)).collect(),
            premises: node.premises.iter().map(premise).collect(),
        }
    });
    EdgeOrigin {
        nodes: nodes.collect(),
    }
}

/// The values of the variables of the clause, in the words of the graph.
fn values(
    terms: &Terms,
    clause: &Clause,
    places: &Substitution,
    solved: &equations::Solved,
    inputs: &[Symbol],
) -> Vec<Term> {
    // Variables on which nothing depends have any value.
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
