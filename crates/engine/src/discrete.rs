//! Discrete variables: those that a model only compares with constants and copies.
//!
//! Program counters and locks are often integers. An interpolant may then say `lock <= 1` where the
//! model says `lock = 2`, which is useless to a reader and to a symmetry that exchanges values. A
//! variable is discrete if it is Boolean or an enumeration, or an integer for which the model only
//! has equalities with constants, constant bounds, and assignments of constants and of other
//! discrete variables.

use crate::symmetry::equation;
use sectile_base::Rat;
use sectile_model::Model;
use sectile_terms::{Node, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The discrete variables of a system.
#[derive(Clone, Debug, Default)]
pub struct Discrete {
    /// The variables, with their values if these are few.
    variables: BTreeMap<Symbol, Option<Vec<Value>>>,
    /// The values that occur in the model, for variables that could have more.
    mentioned: BTreeMap<Symbol, BTreeSet<Value>>,
}

/// Maximum number of values of an integer range for a control variable.
const MANY_VALUES: i64 = 64;

impl Discrete {
    /// Finds the discrete variables.
    pub fn of(terms: &Terms, system: &Model, bad: Term) -> Discrete {
        let mut variables = BTreeMap::new();
        let mut integers: BTreeSet<Symbol> = BTreeSet::new();
        for &v in &system.variables {
            let values = match terms.symbol_sort(v) {
                Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                Sort::Enum(id) => {
                    let count = terms.enum_info(id).variants.len() as u32;
                    (0..count).map(|k| Value::Enum(id, k)).collect()
                }
                Sort::Int => {
                    integers.insert(v);
                    continue;
                }
                _ => continue,
            };
            variables.insert(v, Some(values));
        }
        let mut uses = Uses {
            terms,
            integers,
            bounds: BTreeMap::new(),
            mentioned: BTreeMap::new(),
        };
        uses.look_at(system, bad);
        variables.extend(uses.integers.iter().map(|&v| (v, uses.domain(v))));
        let mentioned = uses.mentioned;
        Discrete {
            variables,
            mentioned,
        }
    }

    /// Whether the variable is discrete.
    pub fn contains(&self, v: Symbol) -> bool {
        self.variables.contains_key(&v)
    }

    /// Whether the literal only tests the current value of one discrete variable.
    pub fn is_discrete(&self, terms: &Terms, literal: Term) -> bool {
        let (atom, _) = terms.strip_not(literal);
        match terms.node(atom) {
            Node::Var(symbol, stage) => *stage == Stage::Now && self.contains(*symbol),
            Node::Eq(..) | Node::Zero(_) => {
                let parts = equation(terms, atom);
                parts.is_some_and(|(symbol, stage, _)| stage == Stage::Now && self.contains(symbol))
            }
            _ => false,
        }
    }

    /// The only variable of the atom, if it is discrete.
    pub fn only_variable(&self, terms: &Terms, atom: Term) -> Option<Symbol> {
        let vars = terms.free_vars(atom);
        let mut symbols = vars.iter().map(|v| v.0);
        match (symbols.next(), symbols.next()) {
            (Some(symbol), None) if self.contains(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The values of a discrete variable that the model distinguishes: all values, if these are
    /// few, and otherwise those that occur in the model.
    pub fn values(&self, v: Symbol) -> Option<Vec<Value>> {
        let all = self.variables.get(&v)?;
        let mentioned = || self.mentioned.get(&v).into_iter().flatten();
        Some(
            all.clone()
                .unwrap_or_else(|| mentioned().cloned().collect()),
        )
    }

    /// The values of a variable, if they are few.
    pub fn domain(&self, v: Symbol) -> Option<&[Value]> {
        self.variables.get(&v)?.as_deref()
    }
}

/// The uses of integers in a system.
struct Uses<'t> {
    terms: &'t Terms,
    /// Discrete so far.
    integers: BTreeSet<Symbol>,
    /// Bounds from restrictions.
    bounds: BTreeMap<Symbol, (Option<Rat>, Option<Rat>)>,
    /// The values they are compared with or assigned.
    mentioned: BTreeMap<Symbol, BTreeSet<Value>>,
}

impl Uses<'_> {
    fn look_at(&mut self, system: &Model, bad: Term) {
        for &r in &system.restrict {
            for part in self.terms.conjuncts(r) {
                if !self.bound(part) {
                    self.formula(part);
                }
            }
        }
        for &i in &system.init {
            self.formula(i);
        }
        self.formula(bad);
        for command in system.commands() {
            for &c in command.guards.iter().chain(&command.relations) {
                self.formula(c);
            }
            for update in &command.updates {
                self.update(update.symbol, update.value);
            }
            // A variable that is not assigned may take any value.
            for v in command.unassigned(&system.variables) {
                self.integers.remove(&v);
            }
        }
        self.copies(system);
    }

    /// Records a bound of one variable; returns whether the formula is one.
    fn bound(&mut self, formula: Term) -> bool {
        let terms = self.terms;
        let (atom, negated) = terms.strip_not(formula);
        let Node::NonPos(sum) = terms.node(atom) else {
            return false;
        };
        let linear = terms.linear(*sum);
        let [(v, one)] = linear.monomials() else {
            return false;
        };
        let Node::Var(symbol, Stage::Now) = terms.node(*v) else {
            return false;
        };
        if *one != Rat::ONE || terms.symbol_kind(*symbol) != SymbolKind::State {
            return false;
        }
        let bounds = self.bounds.entry(*symbol).or_default();
        let limit = -linear.constant();
        if negated {
            bounds.0 = Some(&limit + &Rat::ONE);
        } else {
            bounds.1 = Some(limit);
        }
        true
    }

    /// Integers that occur outside of `v = c` are not discrete.
    fn formula(&mut self, formula: Term) {
        let terms = self.terms;
        let mut work = vec![formula];
        let mut seen = BTreeSet::new();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let Some((symbol, _, value)) = equation(terms, t) {
                self.mentioned.entry(symbol).or_default().insert(value);
                continue;
            }
            match terms.node(t) {
                Node::Var(symbol, _) => {
                    self.integers.remove(symbol);
                }
                node => node.for_each_child(|c| work.push(c)),
            }
        }
    }

    fn update(&mut self, symbol: Symbol, value: Term) {
        let terms = self.terms;
        match terms.node(value) {
            Node::Number(_) => {
                let value = Value::from_term(terms, value);
                self.mentioned.entry(symbol).or_default().extend(value);
            }
            Node::Var(source, _) if terms.symbol_kind(*source) == SymbolKind::State => {}
            _ => {
                self.integers.remove(&symbol);
                self.formula(value);
            }
        }
    }

    /// A copy of a variable that is not discrete is not either, and vice versa.
    fn copies(&mut self, system: &Model) {
        loop {
            let known = |u: &Self| u.mentioned.values().map(BTreeSet::len).sum::<usize>();
            let before = (self.integers.len(), known(self));
            for update in system.commands().flat_map(|c| &c.updates) {
                if let Node::Var(source, _) = self.terms.node(update.value) {
                    let from = self.mentioned.get(source).cloned().unwrap_or_default();
                    self.mentioned
                        .entry(update.symbol)
                        .or_default()
                        .extend(from);
                    if !self.integers.contains(source) {
                        self.integers.remove(&update.symbol);
                    } else if !self.integers.contains(&update.symbol) {
                        self.integers.remove(source);
                    }
                }
            }
            if (self.integers.len(), known(self)) == before {
                return;
            }
        }
    }

    fn domain(&self, v: Symbol) -> Option<Vec<Value>> {
        let (Some(low), Some(high)) = self.bounds.get(&v)? else {
            return None;
        };
        let (low, high) = (low.to_i64()?, high.to_i64()?);
        let count = high.checked_sub(low)?;
        let few = (0..MANY_VALUES).contains(&count);
        few.then(|| (low..=high).map(|k| Value::Int(k.into())).collect())
    }
}
