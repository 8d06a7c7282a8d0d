//! Equations between arrays, expressed by their elements.
//!
//! Two equal arrays have equal elements at every index that occurs: other indices cannot be
//! observed. Two different arrays differ at some index, which is a new input. An equation that
//! occurs neither only positively nor only negatively is replaced by a Boolean input, which implies
//! the consequences that are needed at its occurrences.

use super::Cell;
use super::eliminate::Eliminator;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of element comparisons in one step. Fewer comparisons allow more, which is sound.
const MOST_INSTANCES: usize = 600;

/// An equation between two arrays.
struct Equation {
    sides: [Term; 2],
    /// Its replacement.
    holds: Term,
    /// The indices at which the sides were compared.
    compared: BTreeSet<Vec<Term>>,
    /// Whether its consequences are needed.
    positive: bool,
}

/// All equations of a step.
pub(super) struct Equations {
    list: Vec<Equation>,
    groups: Groups,
    /// Arrays with the indices at which they are updated.
    stores: Vec<(Term, Term)>,
}

/// The polarity of an equation: it may have to be true, or false.
#[derive(Clone, Copy, Default)]
struct Signs {
    positive: bool,
    negative: bool,
}

impl Equations {
    /// Finds the equations in the conditions of a step and in its values, and replaces each by a
    /// cell, if there is one, or by an input. The `conditions` are assumed to hold.
    ///
    /// Returns the additional conditions for equations that do not hold.
    pub fn new(
        eliminator: &mut Eliminator<'_>,
        terms: &Terms,
        cells: &[Cell],
        conditions: &[Term],
        values: &[Term],
    ) -> (Equations, Vec<Term>) {
        let signs = signs(terms, conditions, values);
        let mut equations = Equations {
            list: Vec::new(),
            groups: Groups::default(),
            stores: Vec::new(),
        };
        let mut roots = conditions.to_vec();
        roots.extend(values);
        let mut leaves = Leaves::default();
        leaves.visit(terms, &roots);
        for (&t, sign) in &signs {
            let Node::Eq(a, b) = *terms.node(t) else {
                continue;
            };
            let cell = cells.iter().find(|c| c.meaning == t);
            let holds = match t {
                _ if cell.is_some() => cell.map_or(terms.tt(), |c| terms.var(c.symbol)),
                _ if conditions.contains(&t) => terms.tt(),
                _ if conditions.contains(&terms.not(t)) => terms.ff(),
                _ => eliminator.input("same", Sort::Bool),
            };
            eliminator.replace_equation(t, holds);
            equations.list.push(Equation {
                sides: [a, b],
                holds,
                compared: BTreeSet::new(),
                positive: sign.positive,
            });
            let both = [a, b].into_iter().flat_map(|side| leaves.of(side));
            equations.groups.join(both.map(|leaf| leaf.0));
        }
        if !equations.list.is_empty() {
            equations.stores = leaves.stores;
        }
        let negative = signs.values().map(|s| s.negative);
        let mut added = Vec::new();
        for (equation, _) in equations.list.iter().zip(negative).filter(|e| e.1) {
            added.push(differ(eliminator, terms, equation));
        }
        (equations, added)
    }

    /// The consequences of the equations for elements that were read, until no new reads occur.
    pub fn instances(&mut self, eliminator: &mut Eliminator<'_>, terms: &Terms) -> Vec<Term> {
        let mut added = Vec::new();
        loop {
            let before = added.len();
            for k in 0..self.list.len() {
                for path in self.paths(eliminator, terms, k) {
                    if added.len() >= MOST_INSTANCES {
                        return added;
                    }
                    let equation = &mut self.list[k];
                    if !equation.compared.insert(path.clone()) {
                        continue;
                    }
                    let [a, b] = equation.sides.map(|side| eliminator.element(side, &path));
                    added.push(terms.implies(equation.holds, terms.eq(a, b)));
                }
            }
            if added.len() == before {
                return added;
            }
        }
    }

    /// The relevant indices of an equation: those of all connected arrays.
    fn paths(&self, eliminator: &mut Eliminator<'_>, terms: &Terms, k: usize) -> Vec<Vec<Term>> {
        let equation = &self.list[k];
        if !equation.positive || terms.as_bool(equation.holds) == Some(false) {
            return Vec::new();
        }
        let sorts = index_sorts(terms, terms.sort(equation.sides[0]));
        let mut leaves = Leaves::default();
        leaves.visit(terms, &equation.sides);
        let here = leaves.of(equation.sides[0]);
        let here = here.chain(leaves.of(equation.sides[1])).map(|leaf| leaf.0);
        let members = self.groups.members(here);
        let mut found = all_values(terms, &sorts);
        for &array in &members {
            for read in eliminator.reads_of(array) {
                found.extend(suffix(terms, &read.path, &sorts));
            }
        }
        for (array, index) in &self.stores {
            if members.contains(array) && sorts.len() == 1 {
                found.extend(suffix(terms, &[eliminator.plain(*index)], &sorts));
            }
        }
        found
    }
}

/// The suffix of a list of indices that fits these sorts.
fn suffix(terms: &Terms, path: &[Term], sorts: &[Sort]) -> Option<Vec<Term>> {
    let start = path.len().checked_sub(sorts.len())?;
    let end = &path[start..];
    let fits = end.iter().zip(sorts).all(|(&t, &s)| terms.sort(t) == s);
    fits.then(|| end.to_vec())
}

/// All indices of an array with one dimension and few of them.
fn all_values(terms: &Terms, sorts: &[Sort]) -> Vec<Vec<Term>> {
    match sorts {
        [Sort::Bool] => [false, true].map(|b| vec![terms.bool(b)]).to_vec(),
        [Sort::Enum(id)] => {
            let count = u32::try_from(terms.enum_info(*id).variants.len()).unwrap_or(0);
            (0..count).map(|k| vec![terms.variant(*id, k)]).collect()
        }
        _ => Vec::new(),
    }
}

/// The sorts of the indices of an array, the outermost first.
pub(super) fn index_sorts(terms: &Terms, sort: Sort) -> Vec<Sort> {
    let mut sorts = Vec::new();
    let mut sort = sort;
    while let Sort::Array(id) = sort {
        let (index, element) = terms.array_parts(id);
        sorts.push(index);
        sort = element;
    }
    sorts
}

/// The condition that the arrays differ at some index if the equation is false.
fn differ(eliminator: &mut Eliminator<'_>, terms: &Terms, equation: &Equation) -> Term {
    let sorts = index_sorts(terms, terms.sort(equation.sides[0]));
    let place = sorts
        .into_iter()
        .map(|sort| eliminator.input("place", sort));
    let place: Vec<Term> = place.collect();
    let [a, b] = equation.sides.map(|side| eliminator.element(side, &place));
    terms.or([equation.holds, terms.neq(a, b)])
}

/// The equations between arrays in the order of their terms, with their polarities.
fn signs(terms: &Terms, conditions: &[Term], values: &[Term]) -> BTreeMap<Term, Signs> {
    let mut found: BTreeMap<Term, Signs> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut stack: Vec<(Term, bool)> = conditions.iter().map(|&t| (t, true)).collect();
    stack.extend(values.iter().flat_map(|&t| [(t, true), (t, false)]));
    while let Some((t, sign)) = stack.pop() {
        if !seen.insert((t, sign)) {
            continue;
        }
        let mut both = |c: Term| stack.extend([(c, true), (c, false)]);
        match terms.node(t) {
            Node::Not(a) => stack.push((*a, !sign)),
            Node::And(list) | Node::Or(list) => stack.extend(list.iter().map(|&c| (c, sign))),
            Node::Ite(c, a, b) => {
                both(*c);
                stack.extend([(*a, sign), (*b, sign)]);
            }
            Node::Eq(a, b) if matches!(terms.sort(*a), Sort::Array(_)) => {
                let signs = found.entry(t).or_default();
                signs.positive |= sign;
                signs.negative |= !sign;
                both(*a);
                both(*b);
            }
            node => node.for_each_child(both),
        }
    }
    found
}

/// The array variables that occur in an array, with the indices that lead to them.
#[derive(Default)]
pub(super) struct Leaves {
    known: BTreeMap<Term, BTreeSet<(Term, Vec<Term>)>>,
    /// For every update, the variables that it may update, with its index.
    pub stores: Vec<(Term, Term)>,
}

impl Leaves {
    /// Visits all arrays in some terms.
    pub fn visit(&mut self, terms: &Terms, roots: &[Term]) {
        for t in terms.post_order(roots) {
            if !matches!(terms.sort(t), Sort::Array(_)) || self.known.contains_key(&t) {
                continue;
            }
            let leaves: BTreeSet<(Term, Vec<Term>)> = match *terms.node(t) {
                Node::Var(..) => [(t, Vec::new())].into(),
                Node::Store(a, i, v) => {
                    let inner = self.known[&a].clone();
                    self.stores.extend(inner.iter().map(|leaf| (leaf.0, i)));
                    let element = self.known.get(&v).into_iter().flatten();
                    inner.iter().chain(element).cloned().collect()
                }
                Node::Ite(_, a, b) => self.known[&a].union(&self.known[&b]).cloned().collect(),
                Node::Select(a, i) => {
                    let into = |(leaf, path): &(Term, Vec<Term>)| {
                        let mut path = path.clone();
                        path.push(i);
                        (*leaf, path)
                    };
                    self.known[&a].iter().map(into).collect()
                }
                Node::Filled(_, v) => self.known.get(&v).cloned().unwrap_or_default(),
                _ => BTreeSet::new(),
            };
            self.known.insert(t, leaves);
        }
    }

    /// The leaves of a visited array.
    pub fn of(&self, array: Term) -> impl Iterator<Item = &(Term, Vec<Term>)> {
        self.known.get(&array).into_iter().flatten()
    }
}

/// Array variables that equations connect.
#[derive(Default)]
pub(super) struct Groups {
    parent: BTreeMap<Term, Term>,
}

impl Groups {
    /// The representative of a group.
    fn root(&self, array: Term) -> Term {
        let mut array = array;
        while let Some(&up) = self.parent.get(&array) {
            array = up;
        }
        array
    }

    /// Merges arrays into one group.
    pub fn join(&mut self, arrays: impl Iterator<Item = Term>) {
        let mut first = None;
        for array in arrays {
            let root = self.root(array);
            match first {
                None => first = Some(root),
                Some(one) if one != root => {
                    self.parent.insert(root, one);
                }
                Some(_) => {}
            }
        }
    }

    /// Whether two arrays are in one group.
    pub fn are_joined(&self, a: Term, b: Term) -> bool {
        self.root(a) == self.root(b)
    }

    /// All members of the groups of some arrays.
    fn members(&self, arrays: impl Iterator<Item = Term>) -> BTreeSet<Term> {
        let given: BTreeSet<Term> = arrays.collect();
        let roots: BTreeSet<Term> = given.iter().map(|&a| self.root(a)).collect();
        let others = self.parent.keys().chain(self.parent.values()).copied();
        let joined = others.filter(|&a| roots.contains(&self.root(a)));
        joined.chain(given.iter().copied()).collect()
    }
}

/// Substitutes arrays that are local to this step by the other side of an equation, as long as
/// there are any; those equations are removed.
pub(super) fn solve(terms: &Terms, conditions: &mut Vec<Term>, values: &mut [Term]) {
    loop {
        let split = conditions.iter().flat_map(|&c| terms.conjuncts(c));
        *conditions = split.collect();
        let found = conditions.iter().enumerate();
        let Some((position, (array, meaning))) = found
            .filter_map(|(k, &c)| Some((k, definition(terms, c)?)))
            .next()
        else {
            return;
        };
        conditions.remove(position);
        let map: Substitution = [(array, meaning)].into_iter().collect();
        for t in conditions.iter_mut().chain(values.iter_mut()) {
            *t = terms.substitute(*t, &map);
        }
    }
}

/// An array that is chosen in a step, with the equation that defines it.
fn definition(terms: &Terms, condition: Term) -> Option<(Term, Term)> {
    let Node::Eq(a, b) = *terms.node(condition) else {
        return None;
    };
    let is_chosen = |t: Term| match terms.node(t) {
        Node::Var(symbol, stage) => {
            *stage == Stage::Next || terms.symbol_kind(*symbol) == SymbolKind::Input
        }
        _ => false,
    };
    let is_free_of = |meaning: Term, array: Term| !terms.post_order(&[meaning]).contains(&array);
    let is_array = matches!(terms.sort(a), Sort::Array(_));
    let mut ways = [(a, b), (b, a)].into_iter();
    ways.find(|&(x, meaning)| is_array && is_chosen(x) && is_free_of(meaning, x))
}

/// Whether a term is an array or contains one.
pub(super) fn mentions_arrays(terms: &Terms, roots: &[Term]) -> bool {
    let all = terms.post_order(roots);
    let mut sorts = all.iter().map(|&t| terms.sort(t));
    sorts.any(|sort| matches!(sort, Sort::Array(_)))
}

/// Whether a symbol is an array.
pub(super) fn is_array(terms: &Terms, symbol: Symbol) -> bool {
    matches!(terms.symbol_sort(symbol), Sort::Array(_))
}

/// Whether indices of this sort are not arrays themselves.
pub(super) fn has_plain_indices(terms: &Terms, sort: Sort) -> bool {
    let sorts = index_sorts(terms, sort);
    !sorts.iter().any(|s| matches!(s, Sort::Array(_)))
}
