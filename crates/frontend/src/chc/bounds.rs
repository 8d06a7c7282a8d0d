//! Numbers with which variables are compared, in their own clause and in clauses that receive their
//! values.
//!
//! Variables and arguments that clauses copy to each other form a class, and a class has the
//! numbers of all its comparisons. These numbers are used only for guesses: which cases are tried,
//! and about which numbers facts are added. The facts hold for all numbers.

use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_model::equations;
use sectile_model::horn::Clause;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// For larger classes, only the smallest numbers are used, at most this many.
const MOST_NUMBERS: usize = 4;

/// A variable or an argument that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Argument(usize, usize),
    Variable(usize, Symbol),
}

/// The numbers of all classes.
pub(super) struct Bounds {
    nodes: FxHashMap<Place, usize>,
    parent: Vec<usize>,
    /// The number of nodes of each class.
    sizes: Vec<usize>,
    /// For each class, every `n` of a comparison with "at most `n`".
    numbers: Vec<BTreeSet<Rat>>,
    /// The definitions in the conditions of each clause.
    defined: Vec<Substitution>,
}

impl Bounds {
    pub fn new(terms: &Terms, clauses: &[Clause]) -> Bounds {
        let mut bounds = Bounds {
            nodes: FxHashMap::default(),
            parent: Vec::new(),
            sizes: Vec::new(),
            numbers: Vec::new(),
            defined: Vec::with_capacity(clauses.len()),
        };
        for (k, clause) in clauses.iter().enumerate() {
            bounds.read(terms, k, clause);
        }
        bounds
    }

    /// The numbers with which a term of a clause is compared, if it is a variable: each `n` of "at
    /// most `n`".
    pub fn of(&self, terms: &Terms, clause: usize, t: Term) -> Vec<Rat> {
        let Node::Var(symbol, Stage::Now) = *terms.node(self.put(terms, clause, t)) else {
            return Vec::new();
        };
        let Some(&node) = self.nodes.get(&Place::Variable(clause, symbol)) else {
            return Vec::new();
        };
        // Facts about these bounds are added for every operation anyway.
        let signs = [-&Rat::ONE, Rat::ZERO];
        let numbers = self.numbers[self.root(node)].iter();
        let mut numbers: Vec<Rat> = numbers.filter(|n| !signs.contains(n)).cloned().collect();
        numbers.sort_by_key(Rat::abs);
        numbers.truncate(MOST_NUMBERS);
        numbers
    }

    /// A term over the variables that no equation of the clause defines.
    pub fn put(&self, terms: &Terms, clause: usize, t: Term) -> Term {
        terms.substitute(t, &self.defined[clause])
    }

    fn read(&mut self, terms: &Terms, k: usize, clause: &Clause) {
        let conjuncts = clause.constraint.clone();
        let (left, defined) = equations::eliminate(terms, conjuncts, &|_| true, &|_, _| true);
        let mut roots = left;
        roots.extend(defined.values());
        roots.sort_unstable();
        self.defined.push(defined);
        for application in clause.body.iter().chain(&clause.head) {
            for (i, &argument) in application.arguments.iter().enumerate() {
                let argument = self.put(terms, k, argument);
                if let (&Node::Var(symbol, Stage::Now), Sort::Int) =
                    (terms.node(argument), terms.sort(argument))
                {
                    let place = self.node(Place::Argument(application.predicate, i));
                    let variable = self.node(Place::Variable(k, symbol));
                    self.join(place, variable);
                }
            }
        }
        for t in terms.post_order(&roots) {
            if let Some((symbol, number)) = comparison(terms, t) {
                let node = self.node(Place::Variable(k, symbol));
                let root = self.root(node);
                self.numbers[root].insert(number);
            }
        }
    }

    fn node(&mut self, place: Place) -> usize {
        let next = self.parent.len();
        let node = *self.nodes.entry(place).or_insert(next);
        if node == next {
            self.parent.push(next);
            self.sizes.push(1);
            self.numbers.push(BTreeSet::new());
        }
        node
    }

    fn root(&self, node: usize) -> usize {
        let mut root = node;
        while self.parent[root] != root {
            root = self.parent[root];
        }
        root
    }

    /// The larger class keeps its root, so that paths to roots stay short.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = match self.sizes[a] < self.sizes[b] {
            true => (a, b),
            false => (b, a),
        };
        self.parent[small] = large;
        self.sizes[large] += self.sizes[small];
        let numbers = std::mem::take(&mut self.numbers[small]);
        self.numbers[large].extend(numbers);
    }
}

/// The variable and the number `n` of a comparison that states or denies "at most `n`".
fn comparison(terms: &Terms, t: Term) -> Option<(Symbol, Rat)> {
    let Node::NonPos(sum) = *terms.node(t) else {
        return None;
    };
    let linear = terms.linear(sum);
    let [(variable, factor)] = linear.monomials() else {
        return None;
    };
    let &Node::Var(symbol, Stage::Now) = terms.node(*variable) else {
        return None;
    };
    if terms.sort(sum) != Sort::Int || !factor.abs().is_one() {
        return None;
    }
    let border = &-linear.constant() / factor;
    // "At least n" is the opposite of "at most n - 1".
    let number = match factor.is_negative() {
        true => &border - &Rat::ONE,
        false => border,
    };
    Some((symbol, number))
}
