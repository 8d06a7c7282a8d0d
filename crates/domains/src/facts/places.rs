//! Place invariants: sums of numbers and location indicators that no step changes.
//!
//! A state is a vector: the values of the numbers, and a one or a zero for every value of every
//! Boolean and enumeration. If a command adds the same vector in every state, sums orthogonal to
//! that vector are invariant. They count tokens, permits and processes, and are inductive on their
//! own.
//!
//! Paper: [Lautenbach75], for Petri nets.

use super::affine::AffineHull;
use sectile_base::Rat;
use sectile_model::{Command, Model};
use sectile_terms::{
    Linear, Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value,
};
use std::collections::BTreeSet;

/// Maximum number of cases of a command.
const MOST_CASES: usize = 64;

/// Maximum number of coordinates of a model.
const MOST_COORDINATES: usize = 400;

/// Sums that keep their initial value, as equations. Each is an invariant.
pub fn place_invariants(terms: &Terms, system: &Model) -> Vec<Term> {
    let Some(mut places) = Places::new(terms, system) else {
        return Vec::new();
    };
    for command in system.commands() {
        places.forget_what_is_open(command);
    }
    let mut hull = AffineHull::new(vec![Rat::ZERO; places.coordinates.len()]);
    for command in system.commands() {
        for change in places.changes(command) {
            hull.add(&change);
        }
    }
    // An unknown coordinate changes arbitrarily: no sum contains it.
    for lost in places.lost.clone() {
        let mut alone = vec![Rat::ZERO; places.coordinates.len()];
        alone[lost] = Rat::ONE;
        hull.add(&alone);
    }
    let equations = hull.equations().into_iter();
    equations
        .filter_map(|e| places.equation(&e.coefficients))
        .filter(|&t| terms.as_bool(t).is_none())
        .collect()
}

/// The meaning of a coordinate.
#[derive(Clone, Copy)]
enum Coordinate {
    /// The value of a number.
    Number(Symbol),
    /// One if a variable has this value, zero otherwise.
    Is(Symbol, u32),
}

struct Places<'t> {
    terms: &'t Terms,
    coordinates: Vec<Coordinate>,
    /// The initial value of each, over symbolic constants.
    start: Vec<Term>,
    /// Coordinates with unknown changes.
    lost: BTreeSet<usize>,
    variables: Vec<Symbol>,
}

impl<'t> Places<'t> {
    fn new(terms: &'t Terms, system: &Model) -> Option<Places<'t>> {
        let mut places = Places {
            terms,
            coordinates: Vec::new(),
            start: Vec::new(),
            lost: BTreeSet::new(),
            variables: system.variables.clone(),
        };
        for &symbol in &system.variables {
            let start = start_of(terms, system, symbol);
            match values(terms, symbol) {
                // The first value is the case in which none of the others holds.
                Some(count) => {
                    for k in 1..count {
                        let here = start.map(|value| match indicator(terms, value, k) {
                            true => terms.int(1),
                            false => terms.int(0),
                        });
                        places.add(Coordinate::Is(symbol, k), here);
                    }
                }
                None if terms.symbol_sort(symbol) == Sort::Int => {
                    places.add(Coordinate::Number(symbol), start);
                }
                None => {}
            }
        }
        let fits = (2..=MOST_COORDINATES).contains(&places.coordinates.len());
        fits.then_some(places)
    }

    fn add(&mut self, coordinate: Coordinate, start: Option<Term>) {
        if start.is_none() {
            self.lost.insert(self.coordinates.len());
        }
        self.coordinates.push(coordinate);
        self.start.push(start.unwrap_or(self.terms.int(0)));
    }

    fn lose(&mut self, symbol: Symbol) {
        let all = self.coordinates.iter().enumerate();
        let its = all.filter(|(_, c)| match c {
            Coordinate::Number(s) | Coordinate::Is(s, _) => *s == symbol,
        });
        let its: Vec<usize> = its.map(|(i, _)| i).collect();
        self.lost.extend(its);
    }

    /// Marks variables as unknown that are not assigned, or assigned from chosen values.
    fn forget_what_is_open(&mut self, command: &Command) {
        for symbol in command.unassigned(&self.variables) {
            self.lose(symbol);
        }
        for update in &command.updates {
            let used = self.terms.free_vars(update.value);
            if used.iter().any(|(s, _)| command.inputs.contains(s)) {
                self.lose(update.symbol);
            }
        }
    }

    /// The vectors by which a command changes the state. Coordinates whose change depends on the
    /// state are marked as unknown.
    fn changes(&mut self, command: &Command) -> Vec<Vec<Rat>> {
        let mut found = Vec::new();
        for case in self.cases(command) {
            let mut change = vec![Rat::ZERO; self.coordinates.len()];
            for update in &command.updates {
                let value = self.terms.substitute(update.value, &case);
                let known = case.get(&self.terms.var(update.symbol)).copied();
                if !self.changed(update.symbol, known, value, &mut change) {
                    self.lose(update.symbol);
                }
            }
            found.push(change);
        }
        found
    }

    /// Adds the change of an assignment; false if it is unknown.
    fn changed(
        &self,
        symbol: Symbol,
        before: Option<Term>,
        after: Term,
        change: &mut [Rat],
    ) -> bool {
        let terms = self.terms;
        if after == terms.var(symbol) || before == Some(after) {
            return true;
        }
        let place = |k: u32| {
            let mut all = self.coordinates.iter();
            all.position(|c| matches!(c, Coordinate::Is(s, j) if *s == symbol && *j == k))
        };
        match values(terms, symbol) {
            Some(_) => {
                let index = |t: Term| Value::from_term(terms, t).and_then(|v| index_of(&v));
                let (Some(from), Some(to)) = (before.and_then(index), index(after)) else {
                    return false;
                };
                for (k, by) in [(from, -Rat::ONE), (to, Rat::ONE)] {
                    if let Some(place) = place(k) {
                        change[place] = &change[place] + &by;
                    }
                }
                true
            }
            None => {
                let mut all = self.coordinates.iter();
                let place = all.position(|c| matches!(c, Coordinate::Number(s) if *s == symbol));
                // Reals and arrays have no coordinates.
                let Some(place) = place else {
                    return true;
                };
                let difference = terms.linear(terms.sub(after, terms.var(symbol)));
                if difference.is_constant() {
                    change[place] = difference.constant().clone();
                }
                difference.is_constant()
            }
        }
    }

    /// The values of changed variables and of the conditions of a command, as far as its guards
    /// allow them.
    fn cases(&mut self, command: &Command) -> Vec<Substitution> {
        let terms = self.terms;
        let mut cases = vec![Substitution::default()];
        let guards = terms.and(command.guards.iter().copied());
        let conditions = conditions(terms, command);
        for &condition in &conditions {
            let both = [terms.tt(), terms.ff()];
            split(&mut cases, |case| {
                let also = |value: Term| with(case, condition, value);
                both.map(also).to_vec()
            });
        }
        for update in &command.updates {
            let symbol = update.symbol;
            let (Some(count), true) = (values(terms, symbol), update.value != terms.var(symbol))
            else {
                continue;
            };
            let all: Vec<Term> = (0..count).filter_map(|k| value(terms, symbol, k)).collect();
            let mut longer = cases.clone();
            split(&mut longer, |case| {
                let also = |&value: &Term| with(case, terms.var(symbol), value);
                let possible = |case: &Substitution| terms.substitute(guards, case) != terms.ff();
                all.iter().map(also).filter(possible).collect()
            });
            if longer.len() <= MOST_CASES {
                cases = longer;
            }
        }
        match cases.len() > MOST_CASES {
            true => {
                // Too many cases: all changed variables become unknown.
                for update in &command.updates {
                    if update.value != terms.var(update.symbol) {
                        self.lose(update.symbol);
                    }
                }
                Vec::new()
            }
            false => cases,
        }
    }

    /// The equation that the sum with these coefficients has its initial value.
    fn equation(&self, coefficients: &[Rat]) -> Option<Term> {
        let terms = self.terms;
        let (mut now, mut start) = (Linear::default(), Linear::default());
        // Small integer coefficients read better.
        let scale = Linear::from_monomials(
            Rat::ZERO,
            { coefficients.iter().enumerate() }
                .filter(|(_, c)| !c.is_zero())
                .map(|(i, c)| (i, c.clone()))
                .collect(),
        )
        .primitive_factor();
        for (i, factor) in coefficients.iter().enumerate() {
            if factor.is_zero() {
                continue;
            }
            let factor = factor * &scale;
            let here = match self.coordinates[i] {
                Coordinate::Number(symbol) => terms.var(symbol),
                Coordinate::Is(symbol, k) => {
                    let is = terms.eq(terms.var(symbol), value(terms, symbol, k)?);
                    terms.ite(is, terms.int(1), terms.int(0))
                }
            };
            now.add_scaled(&terms.linear(here), &factor);
            start.add_scaled(&terms.linear(self.start[i]), &factor);
        }
        let (now, start) = (terms.sum(now, Sort::Int), terms.sum(start, Sort::Int));
        Some(terms.eq(now, start))
    }
}

/// Splits every case into several.
fn split(cases: &mut Vec<Substitution>, of: impl Fn(&Substitution) -> Vec<Substitution>) {
    if cases.len() <= MOST_CASES {
        *cases = cases.iter().flat_map(of).collect();
    }
}

fn with(case: &Substitution, what: Term, value: Term) -> Substitution {
    let mut longer = case.clone();
    longer.insert(what, value);
    longer
}

/// The conditions of choices in the assignments of a command.
fn conditions(terms: &Terms, command: &Command) -> Vec<Term> {
    let mut found = Vec::new();
    let values: Vec<Term> = command.updates.iter().map(|u| u.value).collect();
    for t in terms.post_order(&values) {
        if let Node::Ite(c, ..) = *terms.node(t)
            && !found.contains(&c)
        {
            found.push(c);
        }
    }
    found
}

/// The number of values of a Boolean or enumeration variable.
fn values(terms: &Terms, symbol: Symbol) -> Option<u32> {
    match terms.symbol_sort(symbol) {
        sort @ (Sort::Bool | Sort::Enum(_)) => sort.cardinality(terms),
        _ => None,
    }
}

fn value(terms: &Terms, symbol: Symbol, k: u32) -> Option<Term> {
    let value = terms.symbol_sort(symbol).nth_value(terms, k)?;
    Some(value.to_term(terms))
}

fn index_of(value: &Value) -> Option<u32> {
    match value {
        Value::Bool(b) => Some(u32::from(*b)),
        Value::Enum(_, k) => Some(*k),
        _ => None,
    }
}

fn indicator(terms: &Terms, value: Term, k: u32) -> bool {
    let index = Value::from_term(terms, value).and_then(|v| index_of(&v));
    index == Some(k)
}

/// The value that the initial condition gives a variable, over symbolic constants.
fn start_of(terms: &Terms, system: &Model, symbol: Symbol) -> Option<Term> {
    let is_rigid = |t: Term| {
        let used = terms.free_vars(t);
        let mut kinds = used.iter().map(|(s, _)| terms.symbol_kind(*s));
        kinds.all(|k| k == SymbolKind::Rigid)
    };
    let own = |t: Term| *terms.node(t) == Node::Var(symbol, Stage::Now);
    let parts = system.init.iter().flat_map(|&i| terms.conjuncts(i));
    let value = |part: Term| {
        let (atom, negated) = terms.strip_not(part);
        match *terms.node(atom) {
            Node::Var(..) => own(atom).then(|| terms.bool(!negated)),
            Node::Eq(a, b) if !negated => own(a).then_some(b),
            Node::Zero(sum) if !negated => {
                let mut rest = terms.linear(sum);
                let factor = rest.coefficient(terms.var(symbol));
                // Only a variable with coefficient one is a sum of integers.
                let sign = (factor.signum() != 0).then(|| Rat::from(-factor.signum()))?;
                (&factor * &factor == Rat::ONE).then_some(())?;
                rest.add_term(terms.var(symbol), &-factor);
                rest.scale(&sign);
                Some(terms.sum(rest, Sort::Int))
            }
            _ => None,
        }
    };
    let mut found = parts.filter_map(value).filter(|&v| is_rigid(v));
    found.next()
}
