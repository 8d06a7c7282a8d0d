//! Assigns the arguments of predicates to variables of the graph.
//!
//! Predicates share variables: a graph with one variable for each argument of each predicate would
//! mostly copy them. If possible, an argument gets the variable from which clauses copy it, or to
//! which they do.

use super::horn::{Application, Clause, HornClauses};
use rustc_hash::FxHashMap;
use sectile_terms::{Node, Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Chooses the parameters of all predicates.
pub(super) fn assign(
    terms: &Terms,
    horn: &mut HornClauses,
    clauses: &[Clause],
    sorts: &[Vec<Sort>],
) {
    let mut slots = Slots {
        terms,
        copies: clauses.iter().map(|c| Copies::of(terms, c)).collect(),
        touching: touching(clauses, sorts.len()),
        chosen: vec![None; sorts.len()],
        variables: Vec::new(),
    };
    for p in order(clauses, sorts.len()) {
        let wishes = slots.wishes(clauses, p, sorts[p].len());
        slots.choose(clauses, p, &sorts[p], &wishes);
    }
    for (predicate, chosen) in horn.predicates.iter_mut().zip(slots.chosen) {
        predicate.parameters = chosen.unwrap_or_default();
    }
}

/// The clauses in which each predicate occurs.
fn touching(clauses: &[Clause], predicates: usize) -> Vec<Vec<usize>> {
    let mut touching = vec![Vec::new(); predicates];
    for (k, clause) in clauses.iter().enumerate() {
        let all = clause.body.iter().chain(&clause.head).map(|a| a.predicate);
        for p in all.collect::<BTreeSet<_>>() {
            touching[p].push(k);
        }
    }
    touching
}

/// Breadth-first order from the facts, so that neighbours come close together.
fn order(clauses: &[Clause], count: usize) -> Vec<usize> {
    let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let mut queue = VecDeque::new();
    for clause in clauses {
        let Some(head) = &clause.head else { continue };
        if clause.body.is_empty() {
            queue.push_back(head.predicate);
        }
        for b in &clause.body {
            after[b.predicate].insert(head.predicate);
        }
    }
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    let mut rest = 0..count;
    while let Some(p) = queue.pop_front().or_else(|| rest.next()) {
        if !std::mem::replace(&mut seen[p], true) {
            order.push(p);
            queue.extend(&after[p]);
        }
    }
    order
}

/// The variables of a clause that its conjuncts make equal syntactically.
struct Copies {
    same: FxHashMap<Term, Term>,
}

impl Copies {
    fn of(terms: &Terms, clause: &Clause) -> Copies {
        let mut copies = Copies {
            same: FxHashMap::default(),
        };
        for &c in &clause.constraint {
            if let Some((a, b)) = equal_variables(terms, c) {
                let (a, b) = (copies.find(a), copies.find(b));
                if a != b {
                    copies.same.insert(a, b);
                }
            }
        }
        copies
    }

    fn find(&self, mut t: Term) -> Term {
        while let Some(&next) = self.same.get(&t) {
            t = next;
        }
        t
    }
}

fn equal_variables(terms: &Terms, t: Term) -> Option<(Term, Term)> {
    let is_variable = |t: Term| matches!(terms.node(t), Node::Var(..));
    match *terms.node(t) {
        Node::Eq(a, b) if is_variable(a) && is_variable(b) => Some((a, b)),
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let [(a, x), (b, y)] = linear.monomials() else {
                return None;
            };
            let copies = linear.constant().is_zero() && (x + y).is_zero();
            (copies && is_variable(*a) && is_variable(*b)).then_some((*a, *b))
        }
        _ => None,
    }
}

struct Slots<'t> {
    terms: &'t Terms,
    copies: Vec<Copies>,
    touching: Vec<Vec<usize>>,
    chosen: Vec<Option<Vec<Symbol>>>,
    variables: Vec<Symbol>,
}

impl Slots<'_> {
    /// For each argument, its preferred variables, with the number of clauses that copy it from or
    /// to them.
    fn wishes(&self, clauses: &[Clause], p: usize, arity: usize) -> Vec<BTreeMap<Symbol, usize>> {
        let mut wishes = vec![BTreeMap::new(); arity];
        for &k in &self.touching[p] {
            let clause = &clauses[k];
            let sides: Vec<&Application> = clause.body.iter().chain(&clause.head).collect();
            for own in sides.iter().filter(|a| a.predicate == p) {
                for other in sides.iter().filter(|a| a.predicate != p) {
                    if let Some(symbols) = &self.chosen[other.predicate] {
                        self.wish(k, own, other, symbols, &mut wishes);
                    }
                }
            }
        }
        wishes
    }

    fn wish(
        &self,
        clause: usize,
        own: &Application,
        other: &Application,
        symbols: &[Symbol],
        wishes: &mut [BTreeMap<Symbol, usize>],
    ) {
        let copies = &self.copies[clause];
        let mut places: FxHashMap<Term, Symbol> = FxHashMap::default();
        for (&a, &s) in other.arguments.iter().zip(symbols) {
            places.entry(copies.find(a)).or_insert(s);
        }
        for (&a, wishes) in own.arguments.iter().zip(wishes) {
            if self.terms.as_number(a).is_none()
                && let Some(&s) = places.get(&copies.find(a))
            {
                *wishes.entry(s).or_default() += 1;
            }
        }
    }

    /// Assigns the strongest preferences first; other arguments get the remaining variables, or new
    /// ones.
    fn choose(
        &mut self,
        clauses: &[Clause],
        p: usize,
        sorts: &[Sort],
        wishes: &[BTreeMap<Symbol, usize>],
    ) {
        let mut ranked: Vec<(usize, usize, Symbol)> = Vec::new();
        for (i, list) in wishes.iter().enumerate() {
            ranked.extend(list.iter().map(|(&s, &n)| (n, i, s)));
        }
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut own: Vec<Option<Symbol>> = vec![None; sorts.len()];
        let mut taken = BTreeSet::new();
        for (_, i, s) in ranked {
            let fits = self.terms.symbol_sort(s) == sorts[i];
            if fits && own[i].is_none() && taken.insert(s) {
                own[i] = Some(s);
            }
        }
        for i in 0..sorts.len() {
            if own[i].is_some() {
                continue;
            }
            let fits = |s: &&Symbol| self.terms.symbol_sort(**s) == sorts[i] && !taken.contains(*s);
            let symbol = match self.variables.iter().find(fits) {
                Some(&free) => free,
                None => self.new_variable(clauses, p, i, sorts[i]),
            };
            taken.insert(symbol);
            own[i] = Some(symbol);
        }
        self.chosen[p] = Some(own.into_iter().flatten().collect());
    }

    /// A variable with the name of the argument in the file, if there is one.
    fn new_variable(&mut self, clauses: &[Clause], p: usize, i: usize, sort: Sort) -> Symbol {
        let called = self.touching[p].iter().find_map(|&k| {
            let clause = &clauses[k];
            let body = clause.body.iter().find(|a| a.predicate == p)?;
            let Node::Var(symbol, _) = self.terms.node(body.arguments[i]) else {
                return None;
            };
            let at = clause.variables.iter().position(|v| v == symbol)?;
            Some(clause.names[at].clone())
        });
        let number = self.variables.len();
        let hint = called.unwrap_or_else(|| format!("x{number}"));
        let symbol = match self.terms.symbol(&hint) {
            None => self.terms.fresh(&hint, sort, SymbolKind::State),
            Some(_) => {
                let numbered = format!("{hint}{number}");
                self.terms.fresh(&numbered, sort, SymbolKind::State)
            }
        };
        self.variables.push(symbol);
        symbol
    }
}
