//! Splits commands into cases: conjunctions of tests and constraints with an assignment each.

use crate::domain::Domain;
use crate::guarded::cubes::{Atom, Cube, Slot, all_values, cubes, limit, value_index};
use crate::guarded::program::{Case, Next, Program, inexpressible, mentioned};
use crate::linear::{Affine, Constraint, Relation};
use sectile_base::{Budget, Rat};
use sectile_model::{Command, Model};
use sectile_terms::{Node, Stage, Substitution, Symbol, SymbolKind, Term};
use std::collections::BTreeMap;

/// Next values that are known without a case distinction.
#[derive(Default)]
struct Known {
    discrete: BTreeMap<Symbol, Next>,
    numeric: BTreeMap<Symbol, Affine>,
}

/// Units of work per case.
const UNITS_OF_A_CASE: u64 = 8;

impl<D: Domain> Program<'_, D> {
    /// The cases of a command.
    pub(crate) fn command(
        &self,
        system: &Model,
        index: usize,
        command: &Command,
        budget: &Budget,
    ) -> Result<Vec<Case<D>>, String> {
        let terms = self.terms;
        let mut normal = command.clone();
        normal.normalise(terms);
        let mut roots = normal.guards.clone();
        let mut next = Substitution::default();
        let mut known = Known::default();
        for update in &normal.updates {
            next.insert(terms.next(update.symbol), update.value);
            if let Some(value) = self.simple_discrete(update.symbol, update.value) {
                known.discrete.insert(update.symbol, value);
            } else if let Some(value) = self.simple_numeric(update.value) {
                known.numeric.insert(update.symbol, value);
            } else {
                roots.push(terms.eq(terms.next(update.symbol), update.value));
            }
        }
        let restrict = system.restrict.iter().map(|&r| terms.prime(r));
        let after = normal.relations.iter().copied().chain(restrict);
        roots.extend(after.map(|t| terms.substitute(t, &next)));
        let mut found = Vec::new();
        for cube in cubes(terms, roots, budget)? {
            budget.poll_for(UNITS_OF_A_CASE).map_err(limit)?;
            found.extend(self.case(index, &cube, &known)?);
        }
        Ok(found)
    }

    /// A discrete update that needs no case distinction.
    fn simple_discrete(&self, symbol: Symbol, value: Term) -> Option<Next> {
        if !self.control.contains(&symbol) {
            return None;
        }
        if let Some(k) = value_index(self.terms, value) {
            return Some(Next::Any(1 << k));
        }
        match self.terms.node(value) {
            Node::Var(s, Stage::Now) => {
                let found = self.control.iter().position(|c| c == s);
                found.map(Next::Copy)
            }
            _ => None,
        }
    }

    /// A sum of variables and a number that the domain can assign.
    fn simple_numeric(&self, value: Term) -> Option<Affine> {
        if !self.terms.sort(value).is_numeric() {
            return None;
        }
        let linear = self.terms.linear(value);
        let mut sum = Affine {
            terms: Vec::new(),
            constant: self.scaled(linear.constant()),
        };
        for (m, c) in linear.monomials() {
            match self.terms.node(*m) {
                Node::Var(s, stage) => {
                    let position = self.position((*s, *stage))?;
                    sum.terms.push((position, c.clone()));
                }
                _ => return None,
            }
        }
        D::source(&sum).map(|_| sum)
    }

    /// One case; none if its constraints contradict each other.
    fn case(&self, command: usize, cube: &Cube, known: &Known) -> Result<Option<Case<D>>, String> {
        let mut places = Places {
            own: self.numeric.len(),
            chosen: Vec::new(),
        };
        let rigid = |s: &Symbol| self.terms.symbol_kind(*s) == SymbolKind::Rigid;
        let mut values = Vec::new();
        for (i, symbol) in self.numeric.iter().enumerate() {
            values.push(match known.numeric.get(symbol) {
                Some(value) => value.clone(),
                None if rigid(symbol) => Affine::variable(i),
                None => {
                    let found = self.determined(*symbol, cube, &mut places);
                    found.unwrap_or_else(|| places.of((*symbol, Stage::Next)))
                }
            });
        }
        for (slot, _) in cube.atoms.iter().flat_map(|a| &a.sum) {
            if slot.1 == Stage::Now && self.position(*slot).is_none() {
                places.of(*slot);
            }
        }
        let meaning = |slot: Slot| match (self.position(slot), slot.1) {
            (Some(position), _) => Some(Affine::variable(position)),
            (None, Stage::Next) => {
                let at = self.numeric.iter().position(|s| *s == slot.0)?;
                Some(values[at].clone())
            }
            _ => places.known(slot),
        };
        let variables = self.numeric.len() + places.chosen.len();
        let constraints = self.constraints(&cube.atoms, variables, &meaning)?;
        let constraints: Vec<Constraint> = constraints.into_iter().filter(says_something).collect();
        let guards = self.guards(&constraints)?;
        let universe = D::all(self.numbers, variables);
        if universe.assume_all(&guards).is_none() {
            return Ok(None);
        }
        let sources = values.iter().map(D::source);
        let sources: Option<Vec<D::Source>> = sources.collect();
        Ok(Some(Case {
            command,
            tests: self.tests(cube),
            guards,
            chosen: places.chosen,
            sources: sources.ok_or_else(|| inexpressible::<D>("an assignment"))?,
            reads: self.reads(&constraints, &values),
            values,
            next: self.next_control(cube, &known.discrete)?,
            inputs: self.discrete_inputs(cube),
        }))
    }

    /// The sum that an equation of the cube makes the next value, if the domain can assign it.
    fn determined(&self, symbol: Symbol, cube: &Cube, places: &mut Places) -> Option<Affine> {
        let next = (symbol, Stage::Next);
        for atom in &cube.atoms {
            let Some(others) = solved_for(atom, next) else {
                continue;
            };
            let before = places.chosen.len();
            let terms = others.iter().map(|(slot, c)| {
                let place = match self.position(*slot) {
                    Some(position) => position,
                    None => places.place(*slot),
                };
                (place, c.clone())
            });
            let sum = Affine {
                terms: terms.collect(),
                constant: self.scaled(&self.constant_of(atom, next)),
            };
            if D::source(&sum).is_some() && self.is_whole(&sum) {
                return Some(sum);
            }
            places.chosen.truncate(before);
        }
        None
    }

    /// Over the integers only sums with integer coefficients are values.
    fn is_whole(&self, sum: &Affine) -> bool {
        let mut numbers = sum.terms.iter().map(|(_, c)| c).chain([&sum.constant]);
        self.numbers == crate::linear::Numbers::Reals || numbers.all(Rat::is_int)
    }

    fn constant_of(&self, atom: &Atom, slot: Slot) -> Rat {
        let own = atom.sum.iter().find(|(s, _)| *s == slot);
        own.map_or(Rat::ZERO, |(_, c)| &atom.number / c)
    }

    fn next_control(
        &self,
        cube: &Cube,
        copies: &BTreeMap<Symbol, Next>,
    ) -> Result<Vec<Next>, String> {
        let mut next = Vec::new();
        for (i, symbol) in self.control.iter().enumerate() {
            let sort = self.terms.symbol_sort(*symbol);
            let rigid = self.terms.symbol_kind(*symbol) == SymbolKind::Rigid;
            next.push(match copies.get(symbol) {
                Some(known) => *known,
                None if rigid => Next::Copy(i),
                None => {
                    let slot = (*symbol, Stage::Next);
                    let bits = cube.discrete.get(&slot).copied();
                    Next::Any(bits.map_or_else(|| all_values(self.terms, sort), Ok)?)
                }
            });
        }
        Ok(next)
    }

    fn discrete_inputs(&self, cube: &Cube) -> BTreeMap<Symbol, u32> {
        let slots = cube
            .discrete
            .iter()
            .filter(|((s, stage), _)| *stage == Stage::Now && !self.control.contains(s));
        slots
            .map(|((s, _), bits)| (*s, bits.trailing_zeros()))
            .collect()
    }

    fn reads(&self, constraints: &[Constraint], values: &[Affine]) -> Vec<usize> {
        let own = self.numeric.len();
        let mut list = mentioned(constraints, own);
        for (i, value) in values.iter().enumerate() {
            if !is_kept(value, i) {
                list.extend(value.terms.iter().map(|(v, _)| *v).filter(|v| *v < own));
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// Whether a value is that of a variable plus a number.
pub fn is_kept(value: &Affine, variable: usize) -> bool {
    matches!(value.terms.as_slice(), [(v, c)] if *v == variable && c.is_one())
}

/// Whether a constraint is not trivially true.
fn says_something(constraint: &Constraint) -> bool {
    let constant = constraint.coefficients.iter().all(|c| c.is_zero());
    !(constant && constraint.holds_at(&[]))
}

/// The other side of an equation over the current state, solved for a next value.
fn solved_for(atom: &Atom, slot: Slot) -> Option<Vec<(Slot, Rat)>> {
    if atom.relation != Relation::Equal {
        return None;
    }
    let (_, own) = atom.sum.iter().find(|(s, _)| *s == slot)?;
    let others = atom.sum.iter().filter(|(s, _)| *s != slot);
    let side = |(s, c): &(Slot, Rat)| (s.1 == Stage::Now).then(|| (*s, -&(c / own)));
    others.map(side).collect()
}

/// Positions of chosen values, after the variables.
struct Places {
    own: usize,
    chosen: Vec<Slot>,
}

impl Places {
    fn place(&mut self, slot: Slot) -> usize {
        let found = self.chosen.iter().position(|s| *s == slot);
        let at = found.unwrap_or_else(|| {
            self.chosen.push(slot);
            self.chosen.len() - 1
        });
        self.own + at
    }

    fn of(&mut self, slot: Slot) -> Affine {
        Affine::variable(self.place(slot))
    }

    fn known(&self, slot: Slot) -> Option<Affine> {
        let at = self.chosen.iter().position(|s| *s == slot)?;
        Some(Affine::variable(self.own + at))
    }
}
