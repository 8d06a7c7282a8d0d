//! Removal of arguments and conditions that one constant satisfies everywhere.
//!
//! Arguments and variables that clauses copy to each other form a class. Each class is given a
//! constant. A set of classes can be dropped if, with their constants put in, every condition about
//! them is true whatever the other variables are, and every argument at one of their positions
//! equals its constant. The largest such set is computed: it starts with all classes, and a
//! condition that does not become true removes all its classes from the set.
//!
//! The result has fewer conditions, so a meaning of the remaining predicates is one of the whole,
//! and a derivation extends to the whole with the constants put in. Arguments that no condition
//! mentions are dropped as well.

use super::derived::{Derived, is_constant};
use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_model::horn::Predicate;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms, Value};
use std::collections::BTreeMap;

/// Drops arguments and conditions. Returns whether there were any.
pub(super) fn slice(terms: &Terms, predicates: &mut [Predicate], list: &mut [Derived]) -> bool {
    let mut classes = Classes::new(terms, predicates, list);
    let constants = classes.constants(list);
    let out = Search::new(&classes, list, constants).run();
    out.apply(&classes, predicates, list)
}

/// A condition or an argument that must be satisfied for its classes to be dropped.
struct Item {
    term: Term,
    /// The class of the position, for an argument.
    position: Option<usize>,
    /// Its variables with their classes.
    variables: Vec<(Term, usize)>,
}

/// The classes of arguments and variables, as a union-find structure.
struct Classes<'t> {
    terms: &'t Terms,
    parent: Vec<usize>,
    /// The node of the first argument of each predicate.
    offsets: Vec<usize>,
    /// For each clause, the nodes of its variables.
    variables: Vec<FxHashMap<Symbol, usize>>,
}

impl<'t> Classes<'t> {
    fn new(terms: &'t Terms, predicates: &[Predicate], list: &[Derived]) -> Classes<'t> {
        let mut count = 0;
        let mut offsets = Vec::new();
        for predicate in predicates {
            offsets.push(count);
            count += predicate.parameters.len();
        }
        let mut variables = Vec::new();
        for derived in list {
            let own = derived.clause.variables.iter();
            let numbered = own.enumerate().map(|(i, &v)| (v, count + i));
            variables.push(numbered.collect::<FxHashMap<_, _>>());
            count += derived.clause.variables.len();
        }
        let mut classes = Classes {
            terms,
            parent: (0..count).collect(),
            offsets,
            variables,
        };
        classes.unite(list);
        classes
    }

    fn unite(&mut self, list: &[Derived]) {
        let terms = self.terms;
        for (k, derived) in list.iter().enumerate() {
            let clause = &derived.clause;
            for a in clause.body.iter().chain(&clause.head) {
                for (i, &argument) in a.arguments.iter().enumerate() {
                    if let Some(node) = self.node(k, argument) {
                        self.join(self.offsets[a.predicate] + i, node);
                    }
                }
            }
            for &c in &clause.constraint {
                if let Some((a, b)) = equal_variables(terms, c)
                    && let (Some(a), Some(b)) = (self.node(k, a), self.node(k, b))
                {
                    self.join(a, b);
                }
            }
        }
        for node in 0..self.parent.len() {
            self.parent[node] = self.root(node);
        }
    }

    /// The node of a variable of a clause.
    fn node(&self, clause: usize, t: Term) -> Option<usize> {
        match *self.terms.node(t) {
            Node::Var(symbol, Stage::Now) => self.variables[clause].get(&symbol).copied(),
            _ => None,
        }
    }

    fn root(&mut self, node: usize) -> usize {
        let mut root = node;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    fn class_of_position(&self, predicate: usize, i: usize) -> usize {
        self.parent[self.offsets[predicate] + i]
    }

    /// The variables of a term with their classes. Other symbols have none.
    fn variables_of(&self, clause: usize, t: Term) -> Vec<(Term, usize)> {
        let terms = self.terms;
        let free = terms.free_vars(t).into_iter();
        let found = free.filter_map(|(symbol, stage)| {
            let variable = terms.var_at(symbol, stage);
            let node = self.node(clause, variable)?;
            Some((variable, self.parent[node]))
        });
        found.collect()
    }

    /// The constant of each class: one that it is compared with, or one within its bounds.
    fn constants(&mut self, list: &[Derived]) -> Vec<Term> {
        let terms = self.terms;
        let mut hints: Vec<Hints> = Vec::new();
        hints.resize_with(self.parent.len(), Hints::default);
        let mut sorts: Vec<Option<Sort>> = vec![None; self.parent.len()];
        for (k, derived) in list.iter().enumerate() {
            for (&symbol, &node) in &self.variables[k] {
                sorts[self.parent[node]] = Some(terms.symbol_sort(symbol));
            }
            for a in derived.clause.body.iter().chain(&derived.clause.head) {
                for (i, &argument) in a.arguments.iter().enumerate() {
                    let class = self.class_of_position(a.predicate, i);
                    sorts[class] = Some(terms.sort(argument));
                    if is_constant(terms, argument) {
                        hints[class].equal(argument);
                    }
                }
            }
            for &c in &derived.clause.constraint {
                self.hint(k, c, &mut hints);
            }
        }
        let all = hints.iter().zip(sorts);
        all.map(|(hints, sort)| hints.best(terms, sort.unwrap_or(Sort::Bool)))
            .collect()
    }

    /// Records what a condition implies for a single variable.
    fn hint(&self, clause: usize, c: Term, hints: &mut [Hints]) {
        let terms = self.terms;
        let (atom, negated) = terms.strip_not(c);
        let class = |t: Term| self.node(clause, t).map(|n| self.parent[n]);
        match *terms.node(atom) {
            Node::Var(..) => {
                if let Some(class) = class(atom) {
                    hints[class].equal(terms.bool(!negated));
                }
            }
            Node::Eq(a, b) if !negated => {
                for (x, value) in [(a, b), (b, a)] {
                    self.element_hint(clause, x, value, hints);
                    if let Some(class) = class(x)
                        && is_constant(terms, value)
                    {
                        hints[class].equal(value);
                    }
                }
            }
            Node::Zero(sum) | Node::NonPos(sum) => {
                let linear = terms.linear(sum);
                let [(x, factor)] = linear.monomials() else {
                    return;
                };
                if let (Node::Select(..), false) = (terms.node(*x), negated) {
                    let border = &-linear.constant() / factor;
                    let value = terms.number(border, terms.sort(*x));
                    self.element_hint(clause, *x, value, hints);
                }
                let Some(class) = class(*x) else {
                    return;
                };
                let border = &-linear.constant() / factor;
                let sort = terms.sort(*x);
                if sort == Sort::Int && !border.is_int() {
                    return;
                }
                let value = terms.number(border.clone(), sort);
                match (terms.node(atom), negated, factor.is_negative()) {
                    (Node::Zero(_), false, _) => hints[class].equal(value),
                    (Node::NonPos(_), false, false) => hints[class].at_most(border),
                    (Node::NonPos(_), false, true) => hints[class].at_least(border),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

impl Classes<'_> {
    /// Records what a condition implies for an array element at a constant index.
    fn element_hint(&self, clause: usize, element: Term, value: Term, hints: &mut [Hints]) {
        let terms = self.terms;
        if let Node::Select(array, index) = *terms.node(element)
            && let Some(node) = self.node(clause, array)
            && is_constant(terms, index)
            && is_constant(terms, value)
        {
            let known = &mut hints[self.parent[node]].elements;
            known.entry(index).or_insert(value);
        }
    }
}

/// Candidate values for the constant of a class.
#[derive(Default)]
struct Hints {
    /// Constants with their number of occurrences.
    equal: BTreeMap<Term, usize>,
    /// Elements of arrays.
    elements: BTreeMap<Term, Term>,
    low: Option<Rat>,
    high: Option<Rat>,
}

impl Hints {
    fn equal(&mut self, value: Term) {
        *self.equal.entry(value).or_default() += 1;
    }

    fn at_most(&mut self, value: Rat) {
        let tighter = self.high.as_ref().is_none_or(|h| value < *h);
        if tighter {
            self.high = Some(value);
        }
    }

    fn at_least(&mut self, value: Rat) {
        let tighter = self.low.as_ref().is_none_or(|l| value > *l);
        if tighter {
            self.low = Some(value);
        }
    }

    fn best(&self, terms: &Terms, sort: Sort) -> Term {
        let counted = self
            .equal
            .iter()
            .max_by_key(|(t, n)| (**n, std::cmp::Reverse(**t)));
        if let Some((&value, _)) = counted {
            return value;
        }
        if sort.is_numeric() {
            let mut value = Rat::ZERO;
            value = match &self.high {
                Some(high) if value > *high => high.clone(),
                _ => value,
            };
            value = match &self.low {
                Some(low) if value < *low => low.clone(),
                _ => value,
            };
            return terms.number(value, sort);
        }
        let mut value = Value::some_of(terms, sort).to_term(terms);
        for (&index, &element) in &self.elements {
            value = terms.store(value, index, element);
        }
        // The same array always becomes the same term.
        Value::from_term(terms, value).map_or(value, |v| v.to_term(terms))
    }
}

/// `v = w`, if a condition says that.
fn equal_variables(terms: &Terms, t: Term) -> Option<(Term, Term)> {
    match *terms.node(t) {
        Node::Eq(a, b) => Some((a, b)),
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let [(a, x), (b, y)] = linear.monomials() else {
                return None;
            };
            (linear.constant().is_zero() && (x + y).is_zero()).then_some((*a, *b))
        }
        _ => None,
    }
}

/// The search for the largest set of classes to drop.
struct Search<'t> {
    terms: &'t Terms,
    items: Vec<Item>,
    /// The items in which each class occurs.
    occurs: Vec<Vec<usize>>,
    constants: Vec<Term>,
    goes: Vec<bool>,
}

impl<'t> Search<'t> {
    fn new(classes: &Classes<'t>, list: &[Derived], constants: Vec<Term>) -> Self {
        let mut items = Vec::new();
        for (k, derived) in list.iter().enumerate() {
            let clause = &derived.clause;
            for &c in &clause.constraint {
                items.push(Item {
                    term: c,
                    position: None,
                    variables: classes.variables_of(k, c),
                });
            }
            for a in clause.body.iter().chain(&clause.head) {
                for (i, &argument) in a.arguments.iter().enumerate() {
                    items.push(Item {
                        term: argument,
                        position: Some(classes.class_of_position(a.predicate, i)),
                        variables: classes.variables_of(k, argument),
                    });
                }
            }
        }
        let count = constants.len();
        let mut occurs = vec![Vec::new(); count];
        for (n, item) in items.iter().enumerate() {
            let all = item.variables.iter().map(|v| v.1).chain(item.position);
            for class in all {
                if occurs[class].last() != Some(&n) {
                    occurs[class].push(n);
                }
            }
        }
        Search {
            terms: classes.terms,
            items,
            occurs,
            constants,
            goes: vec![true; count],
        }
    }

    fn run(mut self) -> Gone {
        let mut waiting = vec![true; self.items.len()];
        let mut pending: Vec<usize> = (0..self.items.len()).rev().collect();
        while let Some(n) = pending.pop() {
            waiting[n] = false;
            if self.is_right(&self.items[n]) {
                continue;
            }
            let item = &self.items[n];
            let classes = item.variables.iter().map(|v| v.1).chain(item.position);
            let classes: Vec<usize> = classes.filter(|&c| self.goes[c]).collect();
            for class in classes {
                self.goes[class] = false;
                for &other in &self.occurs[class] {
                    if !std::mem::replace(&mut waiting[other], true) {
                        pending.push(other);
                    }
                }
            }
        }
        Gone {
            goes: self.goes,
            constants: self.constants,
        }
    }

    /// Whether a condition is true, or an argument equal to its constant, with the constants put
    /// in.
    fn is_right(&self, item: &Item) -> bool {
        let going: Substitution = { item.variables.iter() }
            .filter(|v| self.goes[v.1])
            .map(|&(v, class)| (v, self.constants[class]))
            .collect();
        let wanted = match item.position {
            Some(position) if self.goes[position] => self.constants[position],
            Some(_) => return going.is_empty(),
            None if going.is_empty() => return true,
            None => self.terms.tt(),
        };
        self.terms.substitute(item.term, &going) == wanted
    }
}

/// The dropped classes, with their constants.
struct Gone {
    goes: Vec<bool>,
    constants: Vec<Term>,
}

impl Gone {
    fn apply(
        &self,
        classes: &Classes<'_>,
        predicates: &mut [Predicate],
        list: &mut [Derived],
    ) -> bool {
        let terms = classes.terms;
        let mut changed = false;
        for (k, derived) in list.iter_mut().enumerate() {
            let own = derived.clause.variables.iter().filter_map(|&v| {
                let class = classes.parent[classes.variables[k][&v]];
                self.goes[class].then_some((terms.var(v), self.constants[class]))
            });
            let values: Substitution = own.collect();
            changed |= !values.is_empty();
            let clause = &mut derived.clause;
            clause.constraint.retain(|&c| {
                let free = terms.free_vars(c).into_iter();
                { free }.all(|(s, stage)| !values.contains_key(&terms.var_at(s, stage)))
            });
            for a in clause.body.iter_mut().chain(&mut clause.head) {
                let p = a.predicate;
                let mut i = 0;
                a.arguments.retain(|_| {
                    i += 1;
                    !self.goes[classes.class_of_position(p, i - 1)]
                });
            }
            derived.substitute(terms, &values);
        }
        for (p, predicate) in predicates.iter_mut().enumerate() {
            let mut i = 0;
            predicate.parameters.retain(|_| {
                i += 1;
                let goes = self.goes[classes.class_of_position(p, i - 1)];
                changed |= goes;
                !goes
            });
        }
        changed
    }
}
