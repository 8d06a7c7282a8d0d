//! Formulas as disjunctions of cubes: sets of values of discrete variables, and linear
//! constraints on numbers.

use crate::linear::Relation;
use sectile_base::{Budget, Exhausted, Rat};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// A variable at a stage; inputs are at the stage of the current state.
pub type Slot = (Symbol, Stage);

/// A sum of multiples of variables compared with a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The variables with their factors.
    pub sum: Vec<(Slot, Rat)>,
    /// The relation.
    pub relation: Relation,
    /// The number it is compared with.
    pub number: Rat,
}

/// A conjunction: for some discrete variables a set of values, and comparisons of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cube {
    /// Sets of values, as bits.
    pub discrete: BTreeMap<Slot, u64>,
    /// Comparisons.
    pub atoms: Vec<Atom>,
}

/// Maximum number of cubes.
const MOST_CUBES: usize = 5_000;

/// Number of cubes from which disjoint ones are tried: they may be fewer.
const FEW_CUBES: usize = 32;

/// Maximum number of literals copied from case to case: if most cases are contradictory there are
/// few cubes, but finding them takes long.
const MOST_COPIED: usize = 4_000_000;

/// Cubes whose disjunction is the conjunction of the formulas, or the reason why there are none.
///
/// Cubes may overlap. If there are too many, they are made disjoint: then most cases contradict the
/// known conditions, for example conditions on the location of another process.
pub fn cubes(
    terms: &Terms,
    roots: impl IntoIterator<Item = Term>,
    budget: &Budget,
) -> Result<Vec<Cube>, String> {
    let pending: Vec<(Term, bool)> = roots
        .into_iter()
        .map(|t| (terms.lower_extrema(t), true))
        .collect();
    let start = |is_disjoint: bool| Partial {
        cube: Cube::default(),
        pending: pending.clone(),
        met: BTreeMap::new(),
        is_disjoint,
    };
    match all_cubes(terms, start(false), budget) {
        Ok(found) if found.len() <= FEW_CUBES => Ok(found),
        Ok(found) => match all_cubes(terms, start(true), budget) {
            Ok(disjoint) if disjoint.len() < found.len() => Ok(disjoint),
            _ => Ok(found),
        },
        Err(_) => all_cubes(terms, start(true), budget),
    }
}

/// The error when a limit is reached.
pub(super) fn limit(_: Exhausted) -> String {
    "a limit was met while cases were told apart".to_string()
}

/// Literals that are copied in a unit of work.
const COPIED_IN_A_UNIT: usize = 16;

fn all_cubes(terms: &Terms, start: Partial, budget: &Budget) -> Result<Vec<Cube>, String> {
    let mut work = vec![start];
    let mut found = Vec::new();
    let mut copied = 0;
    while let Some(partial) = work.pop() {
        match partial.step(terms)? {
            Step::Done(cube) => found.push(cube),
            Step::Branch(mut cases) => {
                cases.reverse();
                let size = cases.iter().map(Partial::size).sum::<usize>();
                let units = size / COPIED_IN_A_UNIT;
                budget.poll_for(units as u64).map_err(limit)?;
                copied += size;
                work.extend(cases);
            }
        }
        if found.len() + work.len() > MOST_CUBES || copied > MOST_COPIED {
            return Err("a condition has too many cases".to_string());
        }
    }
    Ok(found)
}

/// All values of a discrete sort, as bits.
pub fn all_values(terms: &Terms, sort: Sort) -> Result<u64, String> {
    let count = match sort {
        Sort::Bool => 2,
        Sort::Enum(id) => terms.enum_info(id).variants.len(),
        _ => return Err("a variable is neither discrete nor a number".to_string()),
    };
    match count {
        0..64 => Ok((1 << count) - 1),
        _ => Err("an enumeration has more than 63 values".to_string()),
    }
}

/// A value of a discrete sort as its number.
pub fn value_index(terms: &Terms, value: Term) -> Option<u32> {
    match terms.node(value) {
        Node::Bool(b) => Some(u32::from(*b)),
        Node::Variant(_, k) => Some(*k),
        _ => None,
    }
}

#[derive(Clone)]
struct Partial {
    cube: Cube,
    pending: Vec<(Term, bool)>,
    /// The conditions decided so far: a repeated condition makes no new cases.
    met: BTreeMap<Term, bool>,
    /// Whether the cases are pairwise disjoint.
    is_disjoint: bool,
}

enum Step {
    Done(Cube),
    Branch(Vec<Partial>),
}

impl Partial {
    /// Processes literals until none is left or there are several cases.
    fn step(mut self, terms: &Terms) -> Result<Step, String> {
        while let Some((t, sign)) = self.take(terms) {
            if has_parts(terms, t) {
                match self.met.insert(t, sign) {
                    Some(known) if known == sign => continue,
                    Some(_) => return Ok(Step::Branch(Vec::new())),
                    None => {}
                }
            }
            match terms.node(t) {
                Node::Bool(b) if *b == sign => {}
                Node::Bool(_) => return Ok(Step::Branch(Vec::new())),
                Node::Not(a) => self.pending.push((*a, !sign)),
                Node::And(list) if sign => self.pending.extend(list.iter().map(|&a| (a, true))),
                Node::Or(list) if !sign => self.pending.extend(list.iter().map(|&a| (a, false))),
                Node::And(list) | Node::Or(list) if self.is_disjoint => {
                    return Ok(Step::Branch(self.disjoint(terms, list, sign)));
                }
                Node::And(list) | Node::Or(list) => {
                    let case = |&a: &Term| self.with(&[(a, sign)]);
                    return Ok(Step::Branch(list.iter().map(case).collect()));
                }
                Node::Ite(c, a, b) => {
                    let cases = [[(*c, true), (*a, sign)], [(*c, false), (*b, sign)]];
                    return Ok(Step::Branch(cases.iter().map(|l| self.with(l)).collect()));
                }
                Node::Var(symbol, stage) => {
                    let bits = if sign { 0b10 } else { 0b01 };
                    if !self.restrict(terms, (*symbol, *stage), bits)? {
                        return Ok(Step::Branch(Vec::new()));
                    }
                }
                Node::Eq(a, b) => {
                    if let Some(cases) = self.equation(terms, *a, *b, sign)? {
                        return Ok(Step::Branch(cases));
                    }
                }
                Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => {
                    if let Some(cases) = self.comparison(terms, t, sign)? {
                        return Ok(Step::Branch(cases));
                    }
                }
                _ => return Err("a condition is of a kind that is not supported".to_string()),
            }
        }
        Ok(Step::Done(self.cube))
    }

    /// The cases of a disjunction: one of its parts holds, and none before it. Parts about discrete
    /// variables come first, and are used at once.
    fn disjoint(&self, terms: &Terms, list: &[Term], sign: bool) -> Vec<Partial> {
        let mut list = list.to_vec();
        list.sort_by_key(|&t| !is_discrete(terms, t));
        let mut rest = self.clone();
        let mut cases = Vec::new();
        for part in list {
            cases.push(rest.with(&[(part, sign)]));
            rest.pending.push((part, !sign));
        }
        cases
    }

    /// The next literal to process: for disjoint cases, all literals before other formulas.
    fn take(&mut self, terms: &Terms) -> Option<(Term, bool)> {
        let mut pending = self.pending.iter();
        let plain = match self.is_disjoint {
            true => pending.rposition(|&(t, sign)| !has_cases(terms, t, sign)),
            false => None,
        };
        match plain {
            Some(at) => Some(self.pending.remove(at)),
            None => self.pending.pop(),
        }
    }

    fn size(&self) -> usize {
        self.pending.len() + self.met.len() + self.cube.discrete.len()
    }

    fn with(&self, more: &[(Term, bool)]) -> Partial {
        let mut case = self.clone();
        case.pending.extend_from_slice(more);
        case
    }

    /// Restricts a discrete variable to some values; false if none is left.
    fn restrict(&mut self, terms: &Terms, slot: Slot, bits: u64) -> Result<bool, String> {
        let all = all_values(terms, terms.symbol_sort(slot.0))?;
        let entry = self.cube.discrete.entry(slot).or_insert(all);
        *entry &= bits;
        Ok(*entry != 0)
    }

    /// An equation of Booleans or enumeration values: the cases, if there are several.
    fn equation(
        &mut self,
        terms: &Terms,
        a: Term,
        b: Term,
        sign: bool,
    ) -> Result<Option<Vec<Partial>>, String> {
        for (one, other) in [(a, b), (b, a)] {
            if let Node::Ite(c, x, y) = terms.node(one) {
                let case = |condition: bool, value: Term| {
                    self.with(&[(*c, condition), (terms.eq(value, other), sign)])
                };
                return Ok(Some(vec![case(true, *x), case(false, *y)]));
            }
        }
        if terms.sort(a) == Sort::Bool {
            let case = |value: bool| self.with(&[(a, value), (b, value == sign)]);
            return Ok(Some(vec![case(true), case(false)]));
        }
        let all = all_values(terms, terms.sort(a))?;
        match (terms.node(a), terms.node(b)) {
            (Node::Var(s, stage), Node::Variant(_, k)) => {
                let bit = 1 << *k;
                let bits = if sign { bit } else { all & !bit };
                let possible = self.restrict(terms, (*s, *stage), bits)?;
                Ok((!possible).then(Vec::new))
            }
            (Node::Var(s, one), Node::Var(r, two)) => {
                let mut cases = Vec::new();
                for k in 0..all.count_ones() {
                    let bit = 1 << k;
                    let mut case = self.clone();
                    let others = if sign { bit } else { all & !bit };
                    if case.restrict(terms, (*s, *one), bit)?
                        && case.restrict(terms, (*r, *two), others)?
                    {
                        cases.push(case);
                    }
                }
                Ok(Some(cases))
            }
            _ => Err("an equation is of a kind that is not supported".to_string()),
        }
    }

    /// A comparison of numbers: the cases, if there are several.
    fn comparison(
        &mut self,
        terms: &Terms,
        t: Term,
        sign: bool,
    ) -> Result<Option<Vec<Partial>>, String> {
        let (sum, relation) = match terms.node(t) {
            Node::Zero(sum) => (*sum, Relation::Equal),
            Node::NonPos(sum) => (*sum, Relation::AtMost),
            Node::Neg(sum) => (*sum, Relation::Below),
            _ => return Err("not a comparison".to_string()),
        };
        let linear = terms.linear(sum);
        for (m, _) in linear.monomials() {
            if let Node::Ite(c, x, y) = terms.node(*m) {
                let case = |condition: bool, value: Term| {
                    let replace: Substitution = [(*m, value)].into_iter().collect();
                    self.with(&[(*c, condition), (terms.substitute(t, &replace), sign)])
                };
                return Ok(Some(vec![case(true, *x), case(false, *y)]));
            }
        }
        let atom = atom(terms, &linear, relation)?;
        if sign {
            self.cube.atoms.push(atom);
            return Ok(None);
        }
        let opposite = |relation: Relation| Atom {
            sum: atom.sum.iter().map(|(s, c)| (*s, -c)).collect(),
            relation,
            number: -&atom.number,
        };
        match relation {
            Relation::AtMost => self.cube.atoms.push(opposite(Relation::Below)),
            Relation::Below => self.cube.atoms.push(opposite(Relation::AtMost)),
            Relation::Equal => {
                let (mut low, mut high) = (self.clone(), self.clone());
                high.cube.atoms.push(opposite(Relation::Below));
                low.cube.atoms.push(Atom {
                    relation: Relation::Below,
                    ..atom
                });
                return Ok(Some(vec![low, high]));
            }
        }
        Ok(None)
    }
}

/// Whether the truth of a formula is worth recording.
fn has_parts(terms: &Terms, t: Term) -> bool {
    let is_literal = matches!(
        terms.node(t),
        Node::Bool(_) | Node::Not(_) | Node::Var(..) | Node::Eq(..)
    );
    !is_literal
}

/// Whether a formula may make several cases.
fn has_cases(terms: &Terms, t: Term, sign: bool) -> bool {
    let has_choice = |sum: Term| {
        let linear = terms.linear(sum);
        let mut parts = linear.monomials().iter();
        parts.any(|(m, _)| matches!(terms.node(*m), Node::Ite(..)))
    };
    match *terms.node(t) {
        Node::And(_) => !sign,
        Node::Or(_) => sign,
        Node::Ite(..) => true,
        Node::Eq(_, b) => !matches!(terms.node(b), Node::Variant(..)),
        Node::Zero(sum) => !sign || has_choice(sum),
        Node::NonPos(sum) | Node::Neg(sum) => has_choice(sum),
        _ => false,
    }
}

/// Whether a literal is about a discrete variable.
fn is_discrete(terms: &Terms, t: Term) -> bool {
    let (atom, _) = terms.strip_not(t);
    matches!(terms.node(atom), Node::Var(..) | Node::Eq(..))
}

/// A linear sum compared with zero.
fn atom(terms: &Terms, linear: &sectile_terms::Linear, relation: Relation) -> Result<Atom, String> {
    let mut sum = Vec::new();
    for (m, c) in linear.monomials() {
        match terms.node(*m) {
            Node::Var(symbol, stage) => sum.push(((*symbol, *stage), c.clone())),
            _ => return Err("a number is not computed linearly".to_string()),
        }
    }
    Ok(Atom {
        sum,
        relation,
        number: -linear.constant(),
    })
}
