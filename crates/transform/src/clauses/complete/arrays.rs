//! Consequences of conditions over arrays, without some of their variables.
//!
//! Array elements and equations between arrays are replaced by fresh variables, and the result is
//! projected. This loses dependencies between elements, except those that equations imply for the
//! elements mentioned. So the result is weaker than the conditions; callers must check whether it
//! is strong enough.

use super::between;
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::Budget;
use sectile_model::equations;
use sectile_solver::Backend;
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};

/// The precision of consequences about arrays. Files with data types often need only single
/// elements, and more precision makes projections slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Equations between arrays.
    pub equations: bool,
    /// Consequences of equations and writes for the elements mentioned.
    pub elements: bool,
}

impl Detail {
    /// All levels, least precise first.
    pub const ALL: [Detail; 4] = [
        Detail::new(false, false),
        Detail::new(true, false),
        Detail::new(false, true),
        Detail::new(true, true),
    ];

    const fn new(equations: bool, elements: bool) -> Detail {
        Detail {
            equations,
            elements,
        }
    }
}

/// A consequence of a formula that does not mention `gone`.
pub(super) fn consequence(
    terms: &Terms,
    backend: &dyn Backend,
    detail: Detail,
    formula: Term,
    gone: &[(Symbol, Stage)],
    budget: &Budget,
) -> Result<Term, String> {
    let unknown = gone.iter().map(|&(s, stage)| terms.var_at(s, stage));
    let unknown: FxHashSet<Term> = unknown.collect();
    let conjuncts = terms.conjuncts(formula);
    let is_unknown = |t: Term| unknown.contains(&t);
    let (mut conjuncts, _) = equations::eliminate(terms, conjuncts, &is_unknown, &|_, _| true);
    if detail.elements {
        let said = elements(terms, &conjuncts);
        conjuncts.extend(said);
    }
    let mut opaque = Opaque {
        terms,
        unknown: &unknown,
        detail,
        names: FxHashMap::default(),
        back: Substitution::default(),
        gone: Vec::new(),
    };
    let mut kept = Vec::new();
    let mut mixed = Vec::new();
    for conjunct in conjuncts {
        let plain = opaque.named(conjunct);
        match opaque.is_free_of_unknowns(plain) {
            true => kept.push(plain),
            false => mixed.push(plain),
        }
    }
    let scalar = |v: &(Symbol, Stage)| !matches!(terms.symbol_sort(v.0), Sort::Array(_));
    let mut scalars = opaque.gone.clone();
    scalars.extend(gone.iter().copied().filter(scalar));
    // Only conditions with unknowns need a projection.
    if let Ok(found) = between::projected(terms, backend, terms.and(mixed), &scalars, budget) {
        kept.push(found.formula);
    }
    Ok(terms.substitute(terms.and(kept), &opaque.back))
}

/// Maximum number of facts about elements: more would make the projection slow.
const MOST: usize = 64;

/// Facts about the elements mentioned in conditions: consequences of equations between arrays, and
/// elements of updated arrays.
fn elements(terms: &Terms, conditions: &[Term]) -> Vec<Term> {
    let (mut indices, mut equal, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for t in terms.post_order(conditions) {
        match *terms.node(t) {
            Node::Select(array, index) => {
                let element = read(terms, array, index, DEEPEST);
                if element != t {
                    said.push(terms.eq(t, element));
                }
                indices.push(index);
            }
            Node::Store(_, index, _) => indices.push(index),
            Node::Eq(a, b) if matches!(terms.sort(a), Sort::Array(_)) => equal.push((t, a, b)),
            _ => {}
        }
    }
    indices.sort_unstable();
    indices.dedup();
    while let Some((equation, a, b)) = equal.pop() {
        let Sort::Array(id) = terms.sort(a) else {
            continue;
        };
        let (of, element) = terms.array_parts(id);
        for &index in indices.iter().filter(|&&i| terms.sort(i) == of) {
            let pair = [a, b].map(|side| read(terms, side, index, DEEPEST));
            let same = terms.eq(pair[0], pair[1]);
            if matches!(element, Sort::Array(_)) && same != terms.tt() {
                equal.push((equation, pair[0], pair[1]));
            }
            said.push(terms.implies(equation, same));
            if said.len() > MOST {
                return said;
            }
        }
    }
    said
}

/// Maximum nesting of writes and conditionals.
const DEEPEST: usize = 8;

/// An element of an array, looked up through writes and conditionals.
fn read(terms: &Terms, array: Term, index: Term, depth: usize) -> Term {
    let inner = |array: Term| read(terms, array, index, depth - 1);
    match *terms.node(array) {
        Node::Store(rest, i, value) if depth > 0 => {
            terms.ite(terms.eq(i, index), value, inner(rest))
        }
        Node::Ite(choice, yes, no) if depth > 0 => terms.ite(choice, inner(yes), inner(no)),
        _ => terms.select(array, index),
    }
}

/// Terms about arrays, replaced by variables.
struct Opaque<'o> {
    terms: &'o Terms,
    unknown: &'o FxHashSet<Term>,
    detail: Detail,
    names: FxHashMap<Term, Term>,
    /// The meaning of the variables that may stay.
    back: Substitution,
    /// The variables to project.
    gone: Vec<(Symbol, Stage)>,
}

impl Opaque<'_> {
    /// A formula with array terms replaced by variables.
    fn named(&mut self, formula: Term) -> Term {
        let terms = self.terms;
        let mut map = Substitution::default();
        let mut open = vec![formula];
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            let is_opaque = match *terms.node(t) {
                Node::Select(..) => true,
                Node::Eq(a, _) => matches!(terms.sort(a), Sort::Array(_)),
                _ => false,
            };
            match is_opaque {
                true => drop(map.insert(t, self.name(t))),
                false => terms.node(t).for_each_child(|child| open.push(child)),
            }
        }
        terms.substitute(formula, &map)
    }

    fn name(&mut self, t: Term) -> Term {
        if let Some(&known) = self.names.get(&t) {
            return known;
        }
        let terms = self.terms;
        let symbol = terms.fresh("opaque", terms.sort(t), SymbolKind::Input);
        let name = terms.var(symbol);
        let is_said = self.detail.equations || matches!(terms.node(t), Node::Select(..));
        match is_said && self.is_free_of_unknowns(t) {
            true => drop(self.back.insert(name, t)),
            false => self.gone.push((symbol, Stage::Now)),
        }
        self.names.insert(t, name);
        name
    }

    fn is_free_of_unknowns(&self, t: Term) -> bool {
        let free = self.terms.free_vars(t);
        !free.iter().any(|&(s, stage)| {
            self.unknown.contains(&self.terms.var_at(s, stage)) || self.gone.contains(&(s, stage))
        })
    }
}
