//! Finite systems as decision diagrams, the basis for checking evidence by diagrams.
//!
//! Every relevant variable gets a few bits, now and after a step. A formula becomes the set of
//! states where it holds, a command the relation between the states before and after it. Numbers
//! without a range have the values given by the caller: [`Finite::leaving`] records steps that lead
//! to others, and there are no claims about all steps from their source states.
//!
//! | what | where |
//! |---|---|
//! | relevant variables, their values and their order | `variables` |
//! | formulas as sets | `meaning` |
//! | commands as relations, steps forwards and backwards | `moves` |
//!
//! Paper: [Bryant86] for the diagrams.

mod meaning;
mod moves;
mod variables;

pub use moves::Outside;
pub use variables::mentioned_values;

use meaning::Meaning;
use moves::Leaving;
use rustc_hash::FxHashMap;
use sectile_base::bdd::{Bdd, Manager, Relation, Space};
use sectile_base::{Budget, Exhausted};
use sectile_model::Model;
use sectile_terms::{Symbol, Term, Terms, Value};
use std::collections::BTreeMap;
use variables::Variable;

/// The represented values of numbers without a range.
pub type NamedValues = BTreeMap<Symbol, Vec<Value>>;

/// Why a system has no diagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFinite {
    /// This symbol may have infinitely many values, and none are given.
    Values(Symbol, String),
    /// Something that diagrams do not support.
    Unsupported(String),
    /// The diagrams grow too large.
    TooLarge,
    /// A limit was reached.
    Exhausted(Exhausted),
}

impl std::fmt::Display for NotFinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotFinite::Values(_, name) => write!(f, "`{name}` may have infinitely many values"),
            NotFinite::Unsupported(why) => f.write_str(why),
            NotFinite::TooLarge => f.write_str("the decision diagrams are too large"),
            NotFinite::Exhausted(limit) => f.write_str(limit.code()),
        }
    }
}

/// A system over finitely many values.
pub struct Finite<'t> {
    terms: &'t Terms,
    manager: Manager,
    space: Space,
    variables: Vec<Variable>,
    places: FxHashMap<Symbol, usize>,
    meanings: FxHashMap<Term, Meaning>,
    /// The steps of every command.
    moves: Vec<Relation>,
    /// The steps that leave the represented values.
    leaving: Vec<Leaving>,
    /// All states: encodings of values that satisfy the restrictions.
    states: Bdd,
}

impl<'t> Finite<'t> {
    /// The part of a system that is relevant to some formulas, with at most this many nodes.
    pub fn new(
        terms: &'t Terms,
        model: &Model,
        formulas: &[Term],
        named: &NamedValues,
        most_nodes: usize,
        budget: &Budget,
    ) -> Result<Finite<'t>, NotFinite> {
        let is_exact = model.edges.iter().all(|e| !e.loose);
        if !model.is_system() || !model.is_linear() || !is_exact {
            let why = "decision diagrams are about systems whose steps are known";
            return Err(NotFinite::Unsupported(why.to_string()));
        }
        let variables = variables::of(terms, model, formulas, named)?;
        let sizes = variables.iter().map(|v| v.values.len());
        let places = variables.iter().enumerate().map(|(i, v)| (v.symbol, i));
        let mut finite = Finite {
            terms,
            manager: Manager::with_limit(most_nodes).on(budget),
            space: Space::new(sizes),
            places: places.collect(),
            variables,
            meanings: FxHashMap::default(),
            moves: Vec::new(),
            leaving: Vec::new(),
            states: Bdd::TRUE,
        };
        let mut states = finite.valid();
        for part in model.restrict.iter().flat_map(|&r| terms.conjuncts(r)) {
            // The rest is about symbolic constants only, which never change.
            if finite.knows(part) {
                let part = finite.set(part)?;
                states = finite.manager.and(states, part);
            }
        }
        finite.states = states;
        for edge in 0..model.edges.len() {
            let (steps, leaving) = finite.step_of(model, edge)?;
            finite.moves.push(steps);
            finite.leaving.push(leaving);
            finite.check(budget).map_err(NotFinite::Exhausted)?;
        }
        match finite.manager.is_full() {
            true => Err(NotFinite::TooLarge),
            false => Ok(finite),
        }
    }

    /// Encodings of values of all variables but the inputs, now.
    fn valid(&mut self) -> Bdd {
        let mut found = Bdd::TRUE;
        for place in (0..self.variables.len()).rev() {
            if !self.variables[place].is_input {
                let encoded = self.encodings(place, false);
                found = self.manager.and(encoded, found);
            }
        }
        found
    }

    /// Whether all symbols of a formula are relevant.
    fn knows(&self, formula: Term) -> bool {
        let symbols = self.terms.free_vars(formula);
        symbols.iter().all(|(s, _)| self.places.contains_key(s))
    }

    /// All states.
    pub fn states(&self) -> Bdd {
        self.states
    }

    /// The diagrams.
    pub fn manager(&mut self) -> &mut Manager {
        &mut self.manager
    }

    /// Whether a node could not be created; then all results are meaningless.
    pub fn is_full(&self) -> bool {
        self.manager.is_full()
    }

    /// Fails if a limit is reached.
    pub fn check(&self, budget: &Budget) -> Result<(), Exhausted> {
        if self.is_full() {
            return Err(Exhausted::Memory);
        }
        budget.check()
    }

    /// The initial states, projected to the relevant variables.
    pub fn initial(&mut self, model: &Model) -> Result<Bdd, NotFinite> {
        let terms = self.terms;
        let mut found = self.states;
        for part in model.init.iter().flat_map(|&i| terms.conjuncts(i)) {
            if self.knows(part) {
                let part = self.set(part)?;
                found = self.manager.and(found, part);
            }
        }
        Ok(found)
    }

    /// The states in which a formula about the current state holds.
    pub fn states_of(&mut self, formula: Term) -> Result<Bdd, NotFinite> {
        let set = self.set(formula)?;
        Ok(self.manager.and(set, self.states))
    }

    /// The relevant symbols, with their represented values, and whether there may be others.
    pub fn symbols(&self) -> impl Iterator<Item = (Symbol, &[Value], bool)> {
        let states = self.variables.iter().filter(|v| !v.is_input);
        states.map(|v| (v.symbol, &v.values[..], v.is_open))
    }

    /// The states in which a symbol has a value; none if it is not represented.
    pub fn having(&mut self, symbol: Symbol, value: &Value) -> Option<Bdd> {
        let place = *self.places.get(&symbol)?;
        let position = self.variables[place].position(value)?;
        let Finite { space, manager, .. } = self;
        Some(space.value(manager, place, position, false))
    }

    /// Whether a state, given by the values of symbols, is in a set.
    pub fn contains(&self, set: Bdd, value: impl Fn(Symbol) -> Option<Value>) -> bool {
        let mut tuple = Vec::new();
        for variable in &self.variables {
            if variable.is_input {
                tuple.push(0);
                continue;
            }
            let position = value(variable.symbol).and_then(|v| variable.position(&v));
            let Some(position) = position else {
                return false;
            };
            tuple.push(position);
        }
        !self.is_full() && self.space.contains(&self.manager, set, &tuple)
    }

    /// Some state of a set, by the values of the relevant symbols.
    pub fn some_state(&mut self, set: Bdd) -> Option<Vec<(Symbol, Value)>> {
        let Finite { space, manager, .. } = self;
        let tuple = space.tuples(manager, set, 1).pop()?;
        let all = self.variables.iter().zip(tuple);
        let states = all.filter(|(v, _)| !v.is_input);
        Some(
            states
                .map(|(v, k)| (v.symbol, v.values[k].clone()))
                .collect(),
        )
    }

    /// The number of states of a set, projected to the relevant variables.
    pub fn count(&self, set: Bdd) -> f64 {
        // The bits of inputs are free in a set of states.
        let inputs = self
            .variables
            .iter()
            .enumerate()
            .filter(|(_, v)| v.is_input);
        let bits: usize = inputs
            .map(|(i, _)| self.space.levels(i, false).count())
            .sum();
        self.space.count(&self.manager, set) / 2f64.powi(i32::try_from(bits).unwrap_or(i32::MAX))
    }

    /// The topmost variable of a set, with the child for each of its values.
    pub fn cases(&self, set: Bdd) -> Option<(Symbol, Vec<(Value, Bdd)>)> {
        let (place, _) = self.space.variable_of(self.manager.level(set)?);
        let variable = &self.variables[place];
        let levels: Vec<u32> = self.space.levels(place, false).collect();
        let child = |k: usize| {
            let bits = levels.iter().rev().enumerate().rev();
            bits.fold(set, |at, (bit, &level)| {
                self.manager.half(at, level, k >> bit & 1 == 1)
            })
        };
        let values = variable.values.iter().enumerate();
        let children = values.map(|(k, v)| (v.clone(), child(k)));
        Some((variable.symbol, children.collect()))
    }
}
