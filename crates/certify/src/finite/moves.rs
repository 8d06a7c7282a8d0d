//! Commands as relations, with images and preimages.

use super::meaning::{Meaning, number_of};
use super::{Finite, NotFinite};
use sectile_base::bdd::{Bdd, Direction, Relation};
use sectile_base::{Budget, Exhausted, Rat};
use sectile_model::{Command, Model};
use sectile_terms::{Node, Stage, Symbol, Term, Value};

/// The steps of a command that leave the represented values.
pub(super) struct Leaving {
    /// The assignments of unrepresented values.
    outside: Vec<Outside>,
    /// The source states of these steps.
    states: Bdd,
}

/// An assignment of a value that is not represented.
#[derive(Clone)]
pub struct Outside {
    /// The variable.
    pub symbol: Symbol,
    /// The value; none if it is arbitrary.
    pub value: Option<Value>,
    states: Bdd,
}

impl Finite<'_> {
    /// The steps of a command of the model.
    pub(super) fn step_of(
        &mut self,
        model: &Model,
        edge: usize,
    ) -> Result<(Relation, Leaving), NotFinite> {
        let terms = self.terms;
        let command = &model.edges[edge].command;
        let changed: Vec<usize> = (0..self.variables.len())
            .filter(|&place| self.is_changed(command, place))
            .collect();
        let conditions = command.guards.iter().chain(&command.relations);
        let mut relation = self.inputs_of(command);
        for condition in conditions.flat_map(|&c| terms.conjuncts(c)) {
            let condition = self.set(condition)?;
            relation = self.manager.and(relation, condition);
        }
        let mut outside = Vec::new();
        let possible = relation;
        for &place in &changed {
            let assigned = self.assigned(command, place, possible, &mut outside)?;
            relation = self.manager.and(relation, assigned);
        }
        let is_changed_symbol = |s: Symbol| changed.iter().any(|&p| self.variables[p].symbol == s);
        let after: Vec<Term> = { model.restrict.iter() }
            .flat_map(|&r| terms.conjuncts(r))
            .filter(|&r| terms.free_vars(r).iter().any(|v| is_changed_symbol(v.0)))
            .map(|r| {
                terms.restage(r, |symbol, stage| match is_changed_symbol(symbol) {
                    true => Stage::Next,
                    false => stage,
                })
            })
            .collect();
        for condition in after {
            let condition = self.set(condition)?;
            relation = self.manager.and(relation, condition);
        }
        let inputs: Vec<usize> = { command.inputs.iter() }
            .filter_map(|i| self.places.get(i).copied())
            .collect();
        let relation = self.without(relation, &inputs);
        for part in &mut outside {
            // Conditions may be about next values; only the source states of such steps count.
            let possible = self.without(part.states, &inputs);
            part.states = self.manager.exists(possible, &|level| level % 2 == 1);
        }
        let states = self.manager.or_all(outside.iter().map(|o| o.states));
        let levels = changed.iter().flat_map(|&p| self.space.levels(p, false));
        // Bits have two levels, now and next.
        let bits: Vec<u32> = levels.map(|level| level / 2).collect();
        let relation = self.manager.relation(relation, bits);
        Ok((relation, Leaving { outside, states }))
    }

    /// Whether a command may change a variable.
    fn is_changed(&self, command: &Command, place: usize) -> bool {
        let variable = &self.variables[place];
        let keeps = |value: Term| *self.terms.node(value) == Node::Var(variable.symbol, Stage::Now);
        !variable.is_input
            && !variable.is_rigid
            && !command.update_of(variable.symbol).is_some_and(keeps)
    }

    /// Encodings of values of the inputs of a command.
    fn inputs_of(&mut self, command: &Command) -> Bdd {
        let mut found = Bdd::TRUE;
        for input in &command.inputs {
            if let Some(&place) = self.places.get(input) {
                let encoded = self.encodings(place, false);
                found = self.manager.and(found, encoded);
            }
        }
        found
    }

    /// The bit patterns that are values of a variable.
    pub(super) fn encodings(&mut self, place: usize, next: bool) -> Bdd {
        let Finite { space, manager, .. } = self;
        let values: Vec<Bdd> = (0..space.size(place))
            .map(|k| space.value(manager, place, k, next))
            .collect();
        manager.or_all(values)
    }

    /// Relates the next value of a variable to the command, wherever the command is possible.
    fn assigned(
        &mut self,
        command: &Command,
        place: usize,
        possible: Bdd,
        outside: &mut Vec<Outside>,
    ) -> Result<Bdd, NotFinite> {
        let (symbol, is_open) = (self.variables[place].symbol, self.variables[place].is_open);
        let Some(value) = command.update_of(symbol) else {
            if is_open {
                outside.push(Outside {
                    symbol,
                    value: None,
                    states: possible,
                });
            }
            return Ok(self.encodings(place, true));
        };
        let next = self.meaning(self.terms.next(symbol))?;
        match (self.meaning(value)?, next) {
            (Meaning::Truth(value), Meaning::Truth(next)) => Ok(self.manager.iff(value, next)),
            (Meaning::Cases(values), Meaning::Cases(next)) => {
                let mut found = Bdd::FALSE;
                for (number, &here) in values.iter() {
                    if let Some(&there) = next.get(number) {
                        let both = self.manager.and(here, there);
                        found = self.manager.or(found, both);
                        continue;
                    }
                    let states = self.manager.and(here, possible);
                    // A value out of range means that the step does not exist.
                    if is_open && states != Bdd::FALSE {
                        outside.push(Outside {
                            symbol,
                            value: self.value_like(place, number),
                            states,
                        });
                    }
                }
                Ok(found)
            }
            _ => {
                let why = "an assignment of another sort";
                Err(NotFinite::Unsupported(why.to_string()))
            }
        }
    }

    /// A number as a value of the sort of a variable.
    fn value_like(&self, place: usize, number: &Rat) -> Option<Value> {
        let variable = &self.variables[place];
        let value = match variable.values.first()? {
            Value::Int(_) if number.is_int() => Value::Int(number.numer()),
            Value::Real(_) => Value::Real(number.clone()),
            _ => return None,
        };
        number_of(&value).map(|_| value)
    }

    /// A set with some variables quantified away, now.
    fn without(&mut self, set: Bdd, places: &[usize]) -> Bdd {
        if places.is_empty() {
            return set;
        }
        let levels = places.iter().flat_map(|&p| self.space.levels(p, false));
        let levels: Vec<u32> = levels.collect();
        self.manager.exists(set, &|level| levels.contains(&level))
    }

    /// The number of commands.
    pub fn commands(&self) -> usize {
        self.moves.len()
    }

    /// The states that a command leads to from a set.
    pub fn after(&mut self, command: usize, set: Bdd) -> Bdd {
        let Finite { manager, moves, .. } = self;
        manager.image(&moves[command], Direction::Forwards, set)
    }

    /// The states from which a command can lead into a set.
    pub fn before(&mut self, command: usize, set: Bdd) -> Bdd {
        let Finite { manager, moves, .. } = self;
        manager.image(&moves[command], Direction::Backwards, set)
    }

    /// All states reachable from a set.
    pub fn reached_from(&mut self, set: Bdd, budget: &Budget) -> Result<Bdd, Exhausted> {
        let Finite { manager, moves, .. } = self;
        manager.closure(moves, Direction::Forwards, set, Bdd::TRUE, budget)
    }

    /// The states from which some step leads into a set.
    pub fn some_next(&mut self, set: Bdd) -> Bdd {
        let mut found = Bdd::FALSE;
        for command in 0..self.moves.len() {
            let before = self.before(command, set);
            found = self.manager.or(found, before);
        }
        self.manager.and(found, self.states)
    }

    /// The states of a set from which all steps lead into another set.
    pub fn all_next(&mut self, within: Bdd, set: Bdd) -> Bdd {
        let mut found = within;
        for command in 0..self.moves.len() {
            let after = self.after(command, found);
            let others = self.manager.minus(after, set);
            let lost = match others {
                Bdd::FALSE => Bdd::FALSE,
                others => self.before(command, others),
            };
            let lost = self.manager.or(lost, self.leaving[command].states);
            found = self.manager.minus(found, lost);
        }
        found
    }

    /// The states of a set, and the states of `within` from which a path through `within` leads
    /// there.
    pub fn leading_to(&mut self, set: Bdd, within: Bdd, budget: &Budget) -> Result<Bdd, Exhausted> {
        let Finite { manager, moves, .. } = self;
        manager.closure(moves, Direction::Backwards, set, within, budget)
    }

    /// The states of a closed set from which all paths satisfy `f` until they reach `g`, if ever:
    /// all but those from which a path violates that.
    pub fn always_unless(
        &mut self,
        within: Bdd,
        f: Bdd,
        g: Bdd,
        budget: &Budget,
    ) -> Result<Bdd, Exhausted> {
        let passed = self.manager.minus(f, g);
        let mut lost = self.manager.minus(within, f);
        lost = self.manager.minus(lost, g);
        for command in 0..self.leaving.len() {
            let leaves = self.manager.and(passed, self.leaving[command].states);
            lost = self.manager.or(lost, leaves);
        }
        let lost = self.leading_to(lost, passed, budget)?;
        let all = self.manager.or(f, g);
        Ok(self.manager.minus(all, lost))
    }

    /// The states from which there is a step. Steps to unrepresented values are not counted,
    /// because they may not exist.
    pub fn with_a_step(&mut self) -> Bdd {
        self.some_next(self.states)
    }

    /// The states of a set from which there is no step at all.
    pub fn without_a_step(&mut self, set: Bdd) -> Bdd {
        self.all_next(set, Bdd::FALSE)
    }

    /// The unrepresented values to which a step leads from a set.
    pub fn leaving(&mut self, set: Bdd) -> Vec<Outside> {
        let all: Vec<Outside> = { self.leaving.iter() }
            .flat_map(|m| m.outside.iter().cloned())
            .collect();
        let mut found = all;
        found.retain(|o| self.manager.and(o.states, set) != Bdd::FALSE);
        found
    }
}
