//! Clauses made of others: what they say, and the instances of the others that they stand for.

use sectile_model::equations;
use sectile_model::horn::{Application, Clause, Derivation, HornClauses, Instance};
use sectile_terms::{Node as Shape, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::BTreeMap;

/// Constraints with more terms than this are not simplified as a whole.
const LARGEST_SIMPLIFIED: usize = 2_000;

/// A clause made of others.
#[derive(Clone, Debug)]
pub(super) struct Derived {
    pub clause: Clause,
    /// For each predicate of the body, the node and the place in its body where it stands.
    pub leaves: Vec<(usize, usize)>,
    /// The clauses it is made of; the first is the one whose head it has.
    pub nodes: Vec<Node>,
}

/// A clause inside another.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The position of the clause as it was.
    pub clause: usize,
    /// The values of its variables, over the variables of the whole.
    pub values: Vec<Term>,
    /// The nodes that prove the predicates of its body; the other ones are leaves.
    pub premises: Vec<Option<usize>>,
}

impl Derived {
    /// A clause that is nothing but itself.
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

    /// The clause with the body of `with`, whose variables are renamed, in place of its `i`-th
    /// predicate; `None` if its conditions contradict each other.
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

    /// Solves equations and merges conditions. Tells whether the conditions may hold.
    ///
    /// Variables of body predicates are replaced by variables and constants only, so that the
    /// arguments there stay simple.
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

    /// Puts values for variables into everything but the constraint, and forgets variables that
    /// do not occur any more.
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
        // Values speak of variables that are left, or of idle ones.
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

    /// How large the conditions and arguments are.
    pub fn size(&self, terms: &Terms) -> usize {
        let applications = self.clause.body.iter().chain(&self.clause.head);
        let arguments = applications.flat_map(|a| a.arguments.iter().copied());
        let all = arguments.chain(self.clause.constraint.iter().copied());
        terms.post_order(&all.collect::<Vec<Term>>()).len()
    }

    /// The instances of other clauses that an instance of this one stands for, premises first.
    /// `at` says where the instance of each predicate of the body is.
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

/// A constant that may stand for an argument.
pub(super) fn is_constant(terms: &Terms, t: Term) -> bool {
    match terms.node(t) {
        Shape::Bool(_) | Shape::Number(_) | Shape::Variant(..) => true,
        Shape::Filled(..) | Shape::Store(..) => Value::from_term(terms, t).is_some(),
        _ => false,
    }
}

/// Clauses made of others, all of them.
pub(super) struct Rewriting {
    pub derived: Vec<Derived>,
    /// Predicates that were put into the clauses that use them.
    pub inlined: Vec<usize>,
    /// Predicates that are true.
    pub total: Vec<usize>,
    /// The clauses as they are now.
    pub after: HornClauses,
}

impl Rewriting {
    /// A meaning of the predicates now, as one of the predicates before: arguments that are gone do
    /// not matter, and what was put into other clauses means what its clauses say.
    pub fn interpretation(&self, terms: &Terms, meanings: &[Option<Term>]) -> Vec<Option<Term>> {
        let mut all = meanings.to_vec();
        self.total.iter().for_each(|&p| all[p] = Some(terms.tt()));
        self.inlined.iter().for_each(|&p| all[p] = None);
        all
    }

    /// A derivation from the clauses now, as one from the clauses before.
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
