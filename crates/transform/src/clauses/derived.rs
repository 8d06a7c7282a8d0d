//! Clauses made by resolution, with the instances of the original clauses that they stand for.

use sectile_model::equations;
use sectile_model::horn::{Application, Clause, Derivation, HornClauses, Instance};
use sectile_terms::{Node as Shape, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::BTreeMap;

/// The maximum size, in terms, of constraints that are simplified as a whole.
const LARGEST_SIMPLIFIED: usize = 2_000;

/// A clause made by resolution.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub clause: Clause,
    /// For each predicate of the body, its node and its position in the body of that node.
    pub leaves: Vec<(usize, usize)>,
    /// The clauses it is made of; the first is the one that gives the head.
    pub nodes: Vec<Node>,
}

/// An original clause inside a derived one.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The number of the original clause.
    pub clause: usize,
    /// The values of its variables, over the variables of the derived clause.
    pub values: Vec<Term>,
    /// The nodes that prove the predicates of its body; `None` for leaves.
    pub premises: Vec<Option<usize>>,
}

impl Derived {
    /// An original clause as a derived one.
    pub fn plain(terms: &Terms, k: usize, clause: &Clause) -> Derived {
        Derived {
            clause: clause.clone(),
            leaves: (0..clause.body.len()).map(|i| (0, i)).collect(),
            nodes: vec![Node {
                clause: k,
                values: clause.variables.iter().map(|&v| terms.var(v)).collect(),
                premises: vec![None; clause.body.len()],
            }],
        }
    }

    /// Resolves the `i`-th predicate of the body with the clause `with`, whose variables are
    /// renamed; `None` if the conditions contradict each other.
    pub fn resolved(&self, terms: &Terms, i: usize, with: &Derived) -> Option<Derived> {
        let mut result = self.clone();
        let mut map = Substitution::default();
        let clause = &mut result.clause;
        for (&v, name) in with.clause.variables.iter().zip(&with.clause.names) {
            let copy = terms.fresh(terms.name(v), terms.symbol_sort(v), SymbolKind::Input);
            map.insert(terms.var(v), terms.var(copy));
            clause.variables.push(copy);
            clause.names.push(name.clone());
        }
        let put = |t: Term| terms.substitute(t, &map);
        let replaced = clause.body.remove(i);
        let head = with.clause.head.as_ref()?;
        let equations = replaced.arguments.iter().zip(&head.arguments);
        let equations = equations.map(|(&a, &h)| terms.eq(a, put(h)));
        let conditions = with.clause.constraint.iter().map(|&c| put(c));
        let old = clause.constraint.iter().copied();
        let all: Vec<Term> = old.chain(equations).chain(conditions).collect();
        clause.constraint = terms.conjuncts(terms.and(all));
        if clause.constraint.contains(&terms.ff()) {
            return None;
        }
        for b in &with.clause.body {
            clause.body.push(Application {
                predicate: b.predicate,
                arguments: b.arguments.iter().map(|&a| put(a)).collect(),
            });
        }
        let first = result.nodes.len();
        let (parent, place) = result.leaves.remove(i);
        result.nodes[parent].premises[place] = Some(first);
        let leaves = with.leaves.iter();
        result
            .leaves
            .extend(leaves.map(|&(node, k)| (first + node, k)));
        result.nodes.extend(with.nodes.iter().map(|node| {
            Node {
                clause: node.clause,
                values: node.values.iter().map(|&v| put(v)).collect(),
                premises: { node.premises.iter() }
                    .map(|p| p.map(|n| first + n))
                    .collect(),
            }
        }));
        Some(result)
    }

    /// Solves equations and merges conditions. Returns false if the conditions are contradictory.
    ///
    /// Variables of body predicates are replaced only by variables and constants, so that arguments
    /// there stay simple.
    pub fn simplify(&mut self, terms: &Terms) -> bool {
        for _ in 0..2 {
            if !self.solve(terms) {
                return false;
            }
            let whole = terms.and(self.clause.constraint.iter().copied());
            if terms.size(whole) > LARGEST_SIMPLIFIED {
                return true;
            }
            let simpler = terms.simplify(whole);
            if simpler == whole {
                return true;
            }
            self.clause.constraint = terms.conjuncts(simpler);
        }
        self.solve(terms)
    }

    fn solve(&mut self, terms: &Terms) -> bool {
        let clause = &mut self.clause;
        let own: rustc_hash::FxHashSet<Term> =
            { clause.variables.iter() }.map(|&v| terms.var(v)).collect();
        let arguments = clause.body.iter().flat_map(|a| a.arguments.iter().copied());
        let body = terms.free_vars_of(&arguments.collect::<Vec<Term>>());
        let in_body = |t: Term| match *terms.node(t) {
            Shape::Var(symbol, stage) => body.contains(&(symbol, stage)),
            _ => false,
        };
        let is_unknown = |t: Term| own.contains(&t);
        let is_definition =
            |x: Term, value: Term| !in_body(x) || in_body(value) || is_constant(terms, value);
        let conjuncts = std::mem::take(&mut clause.constraint);
        let (conjuncts, values) =
            equations::eliminate(terms, conjuncts, &is_unknown, &is_definition);
        clause.constraint = conjuncts;
        self.substitute(terms, &values);
        !self.clause.constraint.contains(&terms.ff())
    }

    /// Substitutes in everything but the constraint, and drops variables that no longer occur.
    pub fn substitute(&mut self, terms: &Terms, values: &Substitution) {
        let clause = &mut self.clause;
        for a in clause.body.iter_mut().chain(&mut clause.head) {
            for argument in &mut a.arguments {
                *argument = terms.substitute(*argument, values);
            }
        }
        let applications = clause.body.iter().chain(&clause.head);
        let mut roots: Vec<Term> = applications.flat_map(|a| a.arguments.clone()).collect();
        roots.extend(&clause.constraint);
        let occurring = terms.free_vars_of(&roots);
        let occurs = |v: Symbol| occurring.contains(&(v, sectile_terms::Stage::Now));
        let mut all = values.clone();
        let mut idle = Substitution::default();
        let names = std::mem::take(&mut clause.names);
        let variables = std::mem::take(&mut clause.variables);
        for (v, name) in variables.into_iter().zip(names) {
            if occurs(v) {
                clause.variables.push(v);
                clause.names.push(name);
            } else {
                let some = Value::some_of(terms, terms.symbol_sort(v)).to_term(terms);
                idle.insert(terms.var(v), some);
            }
        }
        // Values may also mention idle variables, which get a default value.
        for value in all.values_mut() {
            *value = terms.substitute(*value, &idle);
        }
        for (v, some) in idle {
            all.entry(v).or_insert(some);
        }
        for node in &mut self.nodes {
            for value in &mut node.values {
                *value = terms.substitute(*value, &all);
            }
        }
    }

    /// The size of the conditions and arguments.
    pub fn size(&self, terms: &Terms) -> usize {
        let applications = self.clause.body.iter().chain(&self.clause.head);
        let arguments = applications.flat_map(|a| a.arguments.iter().copied());
        let all = arguments.chain(self.clause.constraint.iter().copied());
        terms.post_order(&all.collect::<Vec<Term>>()).len()
    }

    /// The instances of original clauses that an instance of this one stands for, premises first.
    /// `at` gives the instance of each predicate of the body.
    fn instances(
        &self,
        terms: &Terms,
        instance: &Instance,
        at: &dyn Fn(usize) -> Option<usize>,
        into: &mut Vec<Instance>,
    ) -> Option<()> {
        let values = self.clause.variables.iter().copied().zip(&instance.values);
        let values: BTreeMap<Symbol, &Value> = values.collect();
        let valuation =
            |symbol: Symbol, _: sectile_terms::Stage| values.get(&symbol).map(|v| (*v).clone());
        let mut places = vec![usize::MAX; self.nodes.len()];
        // Nodes that prove premises come later in the list.
        for (n, node) in self.nodes.iter().enumerate().rev() {
            let premise = |(place, p): (usize, &Option<usize>)| match *p {
                Some(other) => Some(places[other]),
                None => {
                    let leaf = self.leaves.iter().position(|l| *l == (n, place))?;
                    at(leaf)
                }
            };
            let premises = node.premises.iter().enumerate().map(premise);
            let premises = premises.collect::<Option<_>>()?;
            let values = node.values.iter();
            let values = values.map(|&t| sectile_terms::evaluate(terms, t, &valuation).ok());
            places[n] = into.len();
            into.push(Instance {
                clause: node.clause,
                values: values.collect::<Option<_>>()?,
                premises,
            });
        }
        Some(())
    }
}

/// Whether a term is a constant that can replace an argument.
pub(super) fn is_constant(terms: &Terms, t: Term) -> bool {
    match terms.node(t) {
        Shape::Bool(_) | Shape::Number(_) | Shape::Variant(..) => true,
        Shape::Filled(..) | Shape::Store(..) => Value::from_term(terms, t).is_some(),
        _ => false,
    }
}

/// The result of rewriting a set of clauses.
pub(super) struct Rewriting {
    pub derived: Vec<Derived>,
    /// Predicates that were inlined into the clauses that use them.
    pub inlined: Vec<usize>,
    /// Predicates that are true for all arguments.
    pub total: Vec<usize>,
    /// The clauses after rewriting.
    pub after: HornClauses,
}

impl Rewriting {
    /// Maps meanings of the predicates after rewriting to meanings before: dropped arguments are
    /// irrelevant, and inlined predicates have no meaning yet.
    pub fn interpretation(&self, terms: &Terms, meanings: &[Option<Term>]) -> Vec<Option<Term>> {
        let mut all = meanings.to_vec();
        self.total.iter().for_each(|&p| all[p] = Some(terms.tt()));
        self.inlined.iter().for_each(|&p| all[p] = None);
        all
    }

    /// Maps a derivation after rewriting to one before.
    pub fn derivation(&self, terms: &Terms, derivation: &Derivation) -> Option<Derivation> {
        let mut instances: Vec<Instance> = Vec::new();
        let mut ends: Vec<usize> = Vec::with_capacity(derivation.instances.len());
        for instance in &derivation.instances {
            let derived = self.derived.get(instance.clause)?;
            let at = |leaf: usize| {
                let premise = *instance.premises.get(leaf)?;
                ends.get(premise).copied()
            };
            derived.instances(terms, instance, &at, &mut instances)?;
            ends.push(instances.len() - 1);
        }
        Some(Derivation { instances })
    }
}
