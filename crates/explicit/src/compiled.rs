//! A model ready for execution: plans for the initial states and for every step.

use crate::arrays::Candidates;
use crate::codec::{Codec, Extremes};
use crate::domain::Domain;
use crate::error::{Context, ExploreError, Interrupt};
use crate::layout::{Layout, Scope};
use crate::literal::{constant_range, equations};
use crate::machine::Machine;
use crate::plan::{Plan, Role, Unknown};
use crate::planner::{Wanted, plan};
use crate::solve::{Completeness, solve};
use crate::values::Choosing;
use crate::word::{Numbers, Word, is_wide};
use sectile_base::{Budget, Int};
use sectile_engine::shape::conjuncts;
use sectile_model::{Command, LocationId, Model, State};
use sectile_terms::{ArrayId, Sort, Stage, Symbol, Term, Terms, Value};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// A position in [`Compiled::moves`]: the command of a system, or the edge of a graph.
pub(crate) type MoveId = usize;

/// A model ready for execution.
pub(crate) struct Compiled {
    /// The slots of values.
    pub layout: Layout,
    /// How states are packed: location, variables, constants.
    pub codec: Codec,
    /// The commands or edges, in the order of the model.
    pub moves: Vec<Move>,
    /// The moves from each location; systems have one location.
    moves_from: Vec<Vec<MoveId>>,
    /// The choice of an initial state.
    initial: Move,
}

/// A command or an edge.
pub(crate) struct Move {
    /// The location to which it leads.
    pub target: usize,
    /// The slots and sorts of the inputs, in the order of the command.
    pub inputs: Vec<(usize, Sort)>,
    plan: Plan,
    /// The slots of the next values of all variables (for unchanged variables, those of the current
    /// values), and of the constants.
    sources: Vec<usize>,
    /// The slots of next values that may be outside of the user's domain.
    limited: Vec<usize>,
}

/// What an enumeration of successors left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Omission {
    /// A state outside of the domain was cut off.
    pub cut: bool,
    /// Values outside of the domain were not tried.
    pub clipped: bool,
}

impl Compiled {
    /// Compiles a model; returns it with the machine that executes it.
    pub(crate) fn new(
        terms: &Terms,
        model: &Model,
        budget: &Budget,
    ) -> Result<(Compiled, Machine), ExploreError> {
        let layout = Layout::new(terms, model);
        let (init, restrict) = (&model.init, &model.restrict);
        let restrict = conjuncts(terms, restrict.iter().copied());
        let extremes = extremes(terms, &layout, &restrict);
        let mut numbers = Numbers::default();
        let candidates = candidates(terms, model, &mut numbers);
        let mut compiler = Compiler {
            terms,
            layout: &layout,
            extremes: &extremes,
            restrict: &restrict,
            candidates: &candidates,
            numbers: &mut numbers,
            budget,
        };
        let initial = compiler.initial(init, model.entry.0)?;
        let mut moves = Vec::new();
        let mut moves_from = vec![Vec::new(); model.locations.len()];
        for (i, edge) in model.edges.iter().enumerate() {
            moves.push(compiler.step(&edge.command, edge.to.0)?);
            moves_from[edge.from.0].push(i);
        }
        let last = Int::from(model.locations.len().max(1) - 1);
        let mut components = vec![Extremes::Between(Int::ZERO, last)];
        components.extend(extremes.iter().cloned());
        let compiled = Compiled {
            codec: Codec::new(&components),
            moves,
            moves_from,
            initial,
            layout,
        };
        let machine = Machine::new(compiled.layout.slots(), numbers);
        Ok((compiled, machine))
    }

    /// The moves that leave a location.
    pub(crate) fn moves_from(&self, location: usize) -> &[MoveId] {
        &self.moves_from[location]
    }

    /// Loads a state into the slots of current values; returns its location.
    pub(crate) fn load(&self, machine: &mut Machine, row: &[u64]) -> usize {
        for i in 0..self.layout.width() {
            machine.registers[i] = self.codec.component(row, i + 1, &machine.numbers);
        }
        location_of(self.codec.component(row, 0, &machine.numbers))
    }

    /// A row as a state.
    pub(crate) fn state(&self, numbers: &Numbers, row: &[u64]) -> State {
        let location = self.codec.component(row, 0, numbers);
        State {
            location: LocationId(location_of(location)),
            values: self.values(numbers, row, 0..self.layout.variables.len()),
        }
    }

    /// The symbolic constants of a row.
    pub(crate) fn rigid(&self, numbers: &Numbers, row: &[u64]) -> Vec<Value> {
        let constants = self.layout.variables.len()..self.layout.width();
        self.values(numbers, row, constants)
    }

    fn values(&self, numbers: &Numbers, row: &[u64], range: Range<usize>) -> Vec<Value> {
        let value = |i: usize| {
            let word = self.codec.component(row, i + 1, numbers);
            numbers.value(word, self.layout.sorts[i])
        };
        range.map(value).collect()
    }

    /// Calls `found` with the row of every initial state.
    pub(crate) fn initial_states(
        &self,
        machine: &mut Machine,
        choosing: &mut Choosing<'_>,
        budget: &Budget,
        found: impl FnMut(&[u64], &mut Machine) -> ControlFlow<()>,
    ) -> Result<Omission, Interrupt> {
        let mut row = vec![0; self.codec.width];
        self.follow(&self.initial, machine, choosing, budget, &mut row, found)
    }

    /// Calls `found` with the row of every successor of the loaded state by a move.
    pub(crate) fn successors(
        &self,
        id: MoveId,
        machine: &mut Machine,
        choosing: &mut Choosing<'_>,
        budget: &Budget,
        row: &mut [u64],
        found: impl FnMut(&[u64], &mut Machine) -> ControlFlow<()>,
    ) -> Result<Omission, Interrupt> {
        self.follow(&self.moves[id], machine, choosing, budget, row, found)
    }

    fn follow(
        &self,
        step: &Move,
        machine: &mut Machine,
        choosing: &mut Choosing<'_>,
        budget: &Budget,
        row: &mut [u64],
        mut found: impl FnMut(&[u64], &mut Machine) -> ControlFlow<()>,
    ) -> Result<Omission, Interrupt> {
        let target = Word::try_from(step.target).expect("there are fewer than 2^63 locations");
        let domain = match choosing {
            Choosing::All(domain) => *domain,
            Choosing::Some(sampling) => sampling.domain,
        };
        let mut cut = false;
        let done = solve(&step.plan, machine, choosing, budget, |machine| {
            if is_outside(machine, &step.limited, domain) {
                cut = true;
                return ControlFlow::Continue(());
            }
            let Machine {
                registers, numbers, ..
            } = machine;
            let values = step.sources.iter().map(|&slot| registers[slot]);
            let state = std::iter::once(target).chain(values);
            self.codec.pack(state, numbers, row);
            found(row, machine)
        })?;
        Ok(Omission {
            cut,
            clipped: done == Completeness::Clipped,
        })
    }

    /// The inputs of a move in the last solution.
    pub(crate) fn input_values(&self, id: MoveId, machine: &Machine) -> Vec<Value> {
        let inputs = self.moves[id].inputs.iter();
        let value =
            |&(slot, sort): &(usize, Sort)| machine.numbers.value(machine.registers[slot], sort);
        inputs.map(value).collect()
    }
}

/// The location in the first component of a state.
pub(crate) fn location_of(word: Word) -> usize {
    usize::try_from(word).expect("locations are packed as positions")
}

/// Whether one of the slots has a value outside of the domain.
#[inline]
fn is_outside(machine: &Machine, slots: &[usize], domain: Option<&Domain>) -> bool {
    let Some(domain) = domain else {
        return false;
    };
    slots.iter().any(|&slot| {
        let word = machine.registers[slot];
        match (domain.low.to_i64(), domain.high.to_i64()) {
            (Some(low), Some(high)) if !is_wide(word) => word < low || high < word,
            _ => !domain.contains(&machine.numbers.number(word)),
        }
    })
}

/// The ranges of the components of a state, from their sorts and the conditions on all states.
fn extremes(terms: &Terms, layout: &Layout, restrict: &[Term]) -> Vec<Extremes> {
    let symbols = layout.variables.iter().chain(&layout.rigid);
    let of = |(&symbol, &sort): (&Symbol, &Sort)| match size_of(terms, sort) {
        Some(size) => Extremes::Between(Int::ZERO, Int::from(i64::from(size.max(1)) - 1)),
        None if sort == Sort::Int => match constant_range(terms, restrict, terms.var(symbol)) {
            Some((low, high)) => Extremes::Between(low, high),
            None => Extremes::Unlimited,
        },
        None => Extremes::Unlimited,
    };
    symbols.zip(&layout.sorts).map(of).collect()
}

fn size_of(terms: &Terms, sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bool => Some(2),
        Sort::Enum(id) => u32::try_from(terms.enum_info(id).variants.len()).ok(),
        Sort::Int | Sort::Real | Sort::Array(_) => None,
    }
}

/// The arrays that are tried for unknown ones, for every array sort of variables and inputs.
fn candidates(
    terms: &Terms,
    model: &Model,
    numbers: &mut Numbers,
) -> BTreeMap<ArrayId, Candidates> {
    let inputs = model.commands().flat_map(|c| &c.inputs);
    let symbols = model.variables.iter().chain(&model.rigid).chain(inputs);
    let mut found = BTreeMap::new();
    for &symbol in symbols {
        if let Sort::Array(id) = terms.symbol_sort(symbol)
            && !found.contains_key(&id)
        {
            numbers.arrays.declare(terms, Sort::Array(id));
            found.insert(id, numbers.candidates(terms, id));
        }
    }
    found
}

struct Compiler<'a> {
    terms: &'a Terms,
    layout: &'a Layout,
    extremes: &'a [Extremes],
    restrict: &'a [Term],
    candidates: &'a BTreeMap<ArrayId, Candidates>,
    numbers: &'a mut Numbers,
    budget: &'a Budget,
}

impl Compiler<'_> {
    fn initial(&mut self, init: &[Term], entry: usize) -> Result<Move, ExploreError> {
        let symbols = self.layout.variables.iter().chain(&self.layout.rigid);
        let wanted = symbols.enumerate().map(|(i, &symbol)| {
            let unknown = self.unknown(symbol, i, None, self.role(i));
            (self.terms.var(symbol), unknown)
        });
        let wanted: Vec<Wanted> = wanted.collect();
        let constraints: Vec<Term> = init.iter().chain(self.restrict).copied().collect();
        let scope = Scope::of_states(self.layout, &Context::Initial);
        let all = 0..self.layout.width();
        let unlimited = |i: &usize| self.is_unlimited(*i);
        Ok(Move {
            target: entry,
            inputs: Vec::new(),
            limited: all.clone().filter(unlimited).collect(),
            sources: all.collect(),
            plan: plan(
                self.terms,
                scope,
                self.numbers,
                wanted,
                &constraints,
                self.budget,
            )?,
        })
    }

    fn step(&mut self, command: &Command, target: usize) -> Result<Move, ExploreError> {
        let terms = self.terms;
        let mut constraints = conjuncts(terms, command.conjuncts(terms));
        let kept = self.take_kept(&mut constraints);
        let changed = |i: &usize| !kept[*i];
        let changing: Vec<usize> = (0..kept.len()).filter(changed).collect();
        let touched = |r: &Term| {
            let vars = terms.free_vars(*r);
            vars.iter()
                .any(|(s, _)| changing.iter().any(|&i| self.layout.variables[i] == *s))
        };
        let restrict = self.restrict.iter().filter(|r| touched(r));
        constraints.extend(restrict.map(|&r| terms.prime(r)));
        let next = changing.iter().map(|&i| {
            let symbol = self.layout.variables[i];
            let unknown = self.unknown(symbol, self.layout.next(i), Some(i), self.role(i));
            (terms.next(symbol), unknown)
        });
        let inputs = command.inputs.iter().enumerate().map(|(k, &symbol)| {
            let unknown = self.unknown(symbol, self.layout.input(k), None, Role::Input);
            (terms.var(symbol), unknown)
        });
        let wanted: Vec<Wanted> = next.chain(inputs).collect();
        let slots = command.inputs.iter().enumerate();
        let slots = slots
            .map(|(k, &s)| (self.layout.input(k), terms.symbol_sort(s)))
            .collect();
        let unlimited = changing.iter().filter(|&&i| self.is_unlimited(i));
        let limited = unlimited.map(|&i| self.layout.next(i)).collect();
        let context = Context::Command(command.name.clone());
        let scope = Scope {
            layout: self.layout,
            inputs: &command.inputs,
            kept: &kept,
            context: &context,
        };
        let plan = plan(
            terms,
            scope,
            self.numbers,
            wanted,
            &constraints,
            self.budget,
        )?;
        let source = |(i, &kept): (usize, &bool)| if kept { i } else { self.layout.next(i) };
        let rigid = self.layout.variables.len()..self.layout.width();
        Ok(Move {
            target,
            inputs: slots,
            plan,
            sources: kept.iter().enumerate().map(source).chain(rigid).collect(),
            limited,
        })
    }

    /// Removes the constraints `v' = v`; returns for each variable whether there was one.
    fn take_kept(&self, constraints: &mut Vec<Term>) -> Vec<bool> {
        let mut kept = vec![false; self.layout.variables.len()];
        constraints.retain(|&t| {
            let frame = equations(self.terms, t).into_iter().find_map(|e| {
                let sectile_terms::Node::Var(symbol, Stage::Next) = *self.terms.node(e.unknown)
                else {
                    return None;
                };
                let same = e.divisor.is_one() && e.value == self.terms.var(symbol);
                same.then(|| self.layout.position(symbol)).flatten()
            });
            if let Some(position) = frame {
                kept[position] = true;
            }
            frame.is_none()
        });
        kept
    }

    /// Whether a component is a number without a range.
    fn is_unlimited(&self, component: usize) -> bool {
        self.layout.sorts[component].is_numeric() && self.extremes[component] == Extremes::Unlimited
    }

    fn role(&self, component: usize) -> Role {
        match self.extremes[component] {
            Extremes::Between(..) => Role::Ranged,
            Extremes::Unlimited => Role::State,
        }
    }

    fn unknown(&self, symbol: Symbol, slot: usize, origin: Option<usize>, role: Role) -> Unknown {
        let sort = self.terms.symbol_sort(symbol);
        Unknown {
            name: self.terms.name(symbol).to_string(),
            slot,
            origin,
            sort,
            role,
            size: size_of(self.terms, sort),
            arrays: match sort {
                Sort::Array(id) => self.candidates.get(&id).cloned(),
                _ => None,
            },
        }
    }
}
