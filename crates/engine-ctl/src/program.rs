//! Systems as guarded assignments over explicit control and zones.

use crate::cubes::{Atom, Compare, Cube, Slot, all_values, cubes, value_index};
use sectile_base::{Int, Rat};
use sectile_domains::zone::{Bound, Difference, Numbers, Source, Zone};
use sectile_model::{Command, Task, TransitionSystem};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms};
use std::collections::BTreeMap;

/// The values of the discrete variables, in the order of [`Program::control`].
pub type Control = std::rc::Rc<[u8]>;

/// Some values of a discrete variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The position of the variable.
    pub variable: usize,
    /// Its values, as bits.
    pub values: u64,
}

/// A set of states: some values of discrete variables, and a conjunction of bounds.
#[derive(Clone, Debug)]
pub struct StateCube {
    /// What the discrete variables must be.
    pub tests: Vec<Test>,
    /// What the numbers must satisfy.
    pub bounds: Vec<Difference>,
}

/// The next value of a discrete variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// That of a variable now.
    Copy(usize),
    /// One of these values.
    Any(u64),
}

/// One case of a command: tests, bounds, and a simultaneous assignment.
#[derive(Clone, Debug)]
pub struct Case {
    /// The command of the system.
    pub command: usize,
    /// What the discrete variables must be.
    pub tests: Vec<Test>,
    /// Bounds of the numbers and of what is chosen, which stands behind them.
    pub guards: Vec<Difference>,
    /// What is chosen: inputs, and next values that nothing determines.
    pub chosen: Vec<Slot>,
    /// The next values of the numbers.
    pub sources: Vec<Source>,
    /// The next values of the discrete variables.
    pub next: Vec<Next>,
    /// Values of discrete inputs.
    pub inputs: BTreeMap<Symbol, u32>,
    /// Numbers that the case reads, apart from those it only keeps.
    pub reads: Vec<usize>,
}

/// A system, ready for zones.
pub struct Program<'t> {
    /// The store of its formulas.
    pub terms: &'t Terms,
    /// Discrete variables and constants.
    pub control: Vec<Symbol>,
    /// Numeric variables and constants; their positions in zones are one more.
    pub numeric: Vec<Symbol>,
    /// What the numbers are.
    pub numbers: Numbers,
    /// By what numbers are multiplied so that all bounds are integers.
    pub scale: Int,
    /// The initial states.
    pub init: Vec<StateCube>,
    /// The cases of the commands, in their order.
    pub cases: Vec<Case>,
}

impl<'t> Program<'t> {
    /// Translates the system of a task, or says what zones cannot express.
    pub fn new(task: &Task<'t>, system: &TransitionSystem) -> Result<Program<'t>, String> {
        let terms = task.terms;
        let all = system.variables.iter().chain(&system.rigid).copied();
        let (numeric, control): (Vec<Symbol>, Vec<Symbol>) =
            all.partition(|&s| terms.symbol_sort(s).is_numeric());
        for &symbol in &control {
            all_values(terms, terms.symbol_sort(symbol))?;
        }
        let numbers = numbers_of(terms, &numeric, system)?;
        let mut program = Program {
            terms,
            control,
            numeric,
            numbers,
            scale: scale(terms, system, numbers),
            init: Vec::new(),
            cases: Vec::new(),
        };
        let init = system.init.iter().chain(&system.restrict).copied();
        program.init = program.state_cubes(&init.collect::<Vec<_>>())?;
        for (index, command) in system.commands.iter().enumerate() {
            let cases = program.command(system, index, command);
            let cases = cases.map_err(|why| format!("`{}`: {why}", command.name))?;
            program.cases.extend(cases);
        }
        Ok(program)
    }

    /// The cubes of the conjunction of state formulas.
    pub fn state_cubes(&self, formulas: &[Term]) -> Result<Vec<StateCube>, String> {
        let list = cubes(self.terms, formulas.iter().copied())?;
        let mut found = Vec::new();
        for cube in list {
            let state = StateCube {
                tests: self.tests(&cube),
                bounds: self.bounds(&cube.atoms, &|slot| self.position(slot).map(source))?,
            };
            if self.universe().assume_all(&state.bounds).is_some() {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// All points.
    pub fn universe(&self) -> Zone {
        Zone::all(self.numbers, self.numeric.len())
    }

    /// The largest number in the program, without its sign, if it is a word.
    pub fn largest(&self) -> i64 {
        let guards = self.cases.iter().flat_map(|c| &c.guards);
        let bounds = guards.chain(self.init.iter().flat_map(|c| &c.bounds));
        let bounds = bounds.filter_map(|d| d.bound.value());
        let offsets = self
            .cases
            .iter()
            .flat_map(|c| &c.sources)
            .map(|s| &s.offset);
        let values = bounds.chain(offsets).map(Int::abs);
        values.max().and_then(|v| v.to_i64()).unwrap_or(0)
    }

    fn position(&self, slot: Slot) -> Option<usize> {
        let found = self.numeric.iter().position(|s| *s == slot.0);
        found.filter(|_| slot.1 == Stage::Now).map(|i| i + 1)
    }

    fn tests(&self, cube: &Cube) -> Vec<Test> {
        let slots = cube.discrete.iter();
        let now = slots.filter(|((_, stage), _)| *stage == Stage::Now);
        now.filter_map(|((symbol, _), &values)| {
            let variable = self.control.iter().position(|s| s == symbol)?;
            Some(Test { variable, values })
        })
        .collect()
    }

    /// Comparisons as bounds, through the values that slots stand for.
    fn bounds(
        &self,
        atoms: &[Atom],
        value: &dyn Fn(Slot) -> Option<Source>,
    ) -> Result<Vec<Difference>, String> {
        let mut found = Vec::new();
        for atom in atoms {
            let side = |slot: Option<Slot>| match slot {
                None => Ok(source(0)),
                Some(slot) => value(slot).ok_or("it mentions an unknown variable"),
            };
            let (left, right) = (side(atom.left)?, side(atom.right)?);
            let number = &self.scaled(&atom.number)? + &(&right.offset - &left.offset);
            let difference = |left: &Source, right: &Source, bound| Difference {
                left: left.variable,
                right: right.variable,
                bound,
            };
            match atom.compare {
                Compare::AtMost => found.push(difference(&left, &right, Bound::AtMost(number))),
                Compare::Below => found.push(difference(&left, &right, Bound::Below(number))),
                Compare::Equal => {
                    found.push(difference(&left, &right, Bound::AtMost(number.clone())));
                    found.push(difference(&right, &left, Bound::AtMost(-&number)));
                }
            }
        }
        Ok(found)
    }

    fn scaled(&self, number: &Rat) -> Result<Int, String> {
        let scaled = number * &Rat::from(&self.scale);
        scaled
            .to_int()
            .ok_or_else(|| "a number is not whole".to_string())
    }

    /// The cases of a command.
    fn command(
        &self,
        system: &TransitionSystem,
        index: usize,
        command: &Command,
    ) -> Result<Vec<Case>, String> {
        let terms = self.terms;
        let mut normal = command.clone();
        normal.normalise(terms);
        let mut roots = normal.guards.clone();
        let mut next = Substitution::default();
        let (mut copies, mut values) = (BTreeMap::new(), BTreeMap::new());
        for update in &normal.updates {
            next.insert(terms.next(update.symbol), update.value);
            if let Some(known) = self.simple_discrete(update.symbol, update.value) {
                copies.insert(update.symbol, known);
            } else if let Some(known) = self.simple_numeric(update.value)? {
                values.insert(update.symbol, known);
            } else {
                roots.push(terms.eq(terms.next(update.symbol), update.value));
            }
        }
        let restrict = system.restrict.iter().map(|&r| terms.prime(r));
        let after = normal.relations.iter().copied().chain(restrict);
        roots.extend(after.map(|t| terms.substitute(t, &next)));
        let mut found = Vec::new();
        for cube in cubes(terms, roots)? {
            found.extend(self.case(index, &cube, &copies, &values)?);
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

    /// A number, or a variable plus a number.
    fn simple_numeric(&self, value: Term) -> Result<Option<Source>, String> {
        if !self.terms.sort(value).is_numeric() {
            return Ok(None);
        }
        let linear = self.terms.linear(value);
        let offset = match self.scaled(linear.constant()) {
            Ok(offset) => offset,
            Err(_) => return Ok(None),
        };
        let variable = match linear.monomials() {
            [] => 0,
            [(m, c)] if c.is_one() => match self.terms.node(*m) {
                Node::Var(s, stage) => match self.position((*s, *stage)) {
                    Some(position) => position,
                    None => return Ok(None),
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(Source { variable, offset }))
    }

    /// One case; none if its bounds contradict each other.
    fn case(
        &self,
        command: usize,
        cube: &Cube,
        copies: &BTreeMap<Symbol, Next>,
        values: &BTreeMap<Symbol, Source>,
    ) -> Result<Option<Case>, String> {
        let mut chosen: Vec<Slot> = Vec::new();
        let place = |slot: Slot, chosen: &mut Vec<Slot>| {
            let found = chosen.iter().position(|s| *s == slot);
            let at = found.unwrap_or_else(|| {
                chosen.push(slot);
                chosen.len() - 1
            });
            source(self.numeric.len() + 1 + at)
        };
        let rigid = |s: &Symbol| self.terms.symbol_kind(*s) == sectile_terms::SymbolKind::Rigid;
        let mut sources = Vec::new();
        for (i, symbol) in self.numeric.iter().enumerate() {
            sources.push(match values.get(symbol) {
                Some(known) => known.clone(),
                None if rigid(symbol) => source(i + 1),
                None => match self.determined(*symbol, cube) {
                    Some((slot, offset)) => {
                        let mut found = match slot.and_then(|s| self.position(s)) {
                            Some(position) => source(position),
                            None => slot.map_or(source(0), |s| place(s, &mut chosen)),
                        };
                        found.offset = self.scaled(&offset)?;
                        found
                    }
                    None => place((*symbol, Stage::Next), &mut chosen),
                },
            });
        }
        for slot in cube.atoms.iter().flat_map(|a| [a.left, a.right]).flatten() {
            if slot.1 == Stage::Now && self.position(slot).is_none() {
                place(slot, &mut chosen);
            }
        }
        let meaning = |slot: Slot| match (self.position(slot), slot.1) {
            (Some(position), _) => Some(source(position)),
            (None, Stage::Next) => {
                let at = self.numeric.iter().position(|s| *s == slot.0)?;
                Some(sources[at].clone())
            }
            _ => {
                let at = chosen.iter().position(|s| *s == slot)?;
                Some(source(self.numeric.len() + 1 + at))
            }
        };
        let guards = self.bounds(&cube.atoms, &meaning)?;
        let universe = Zone::all(self.numbers, self.numeric.len() + chosen.len());
        if universe.assume_all(&guards).is_none() {
            return Ok(None);
        }
        let guards: Vec<Difference> = guards.into_iter().filter(|d| d.left != d.right).collect();
        let reads = self.reads(&guards, &sources);
        Ok(Some(Case {
            command,
            tests: self.tests(cube),
            guards,
            chosen,
            sources,
            next: self.next_control(cube, copies)?,
            inputs: self.discrete_inputs(cube),
            reads,
        }))
    }

    /// The variable and the number whose sum an equation of the cube makes the next value.
    fn determined(&self, symbol: Symbol, cube: &Cube) -> Option<(Option<Slot>, Rat)> {
        let next = Some((symbol, Stage::Next));
        let known = |slot: Option<Slot>| slot.is_none_or(|s| s.1 == Stage::Now);
        let equations = cube.atoms.iter().filter(|a| a.compare == Compare::Equal);
        equations.into_iter().find_map(|a| {
            if a.left == next && known(a.right) {
                Some((a.right, a.number.clone()))
            } else if a.right == next && known(a.left) {
                Some((a.left, -&a.number))
            } else {
                None
            }
        })
    }

    fn next_control(
        &self,
        cube: &Cube,
        copies: &BTreeMap<Symbol, Next>,
    ) -> Result<Vec<Next>, String> {
        let mut next = Vec::new();
        for (i, symbol) in self.control.iter().enumerate() {
            let sort = self.terms.symbol_sort(*symbol);
            let rigid = self.terms.symbol_kind(*symbol) == sectile_terms::SymbolKind::Rigid;
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

    fn reads(&self, guards: &[Difference], sources: &[Source]) -> Vec<usize> {
        let limits = 1..=self.numeric.len();
        let in_guards = guards.iter().flat_map(|d| [d.left, d.right]);
        let moved = sources.iter().enumerate();
        let moved = moved
            .filter(|(i, s)| s.variable != i + 1)
            .map(|(_, s)| s.variable);
        let mut list: Vec<usize> = in_guards
            .chain(moved)
            .filter(|v| limits.contains(v))
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The term of a discrete value.
    pub fn discrete_term(&self, symbol: Symbol, index: u32) -> Term {
        match self.terms.symbol_sort(symbol) {
            Sort::Enum(id) => self.terms.variant(id, index),
            _ => self.terms.bool(index == 1),
        }
    }
}

fn source(variable: usize) -> Source {
    Source {
        variable,
        offset: Int::ZERO,
    }
}

/// Integers or reals, not both.
fn numbers_of(
    terms: &Terms,
    numeric: &[Symbol],
    system: &TransitionSystem,
) -> Result<Numbers, String> {
    let inputs = system.commands.iter().flat_map(|c| c.inputs.iter());
    let sorts = numeric.iter().chain(inputs).map(|&s| terms.symbol_sort(s));
    let mut found = None;
    for sort in sorts {
        let numbers = match sort {
            Sort::Int => Numbers::Integers,
            Sort::Real => Numbers::Reals,
            Sort::Bool | Sort::Enum(_) => continue,
            Sort::Array(_) => return Err("zones have no arrays".to_string()),
        };
        if found.is_some_and(|f| f != numbers) {
            return Err("zones of integers and reals together are not supported".to_string());
        }
        found = Some(numbers);
    }
    Ok(found.unwrap_or(Numbers::Integers))
}

/// The common denominator of all numbers in a system of reals.
fn scale(terms: &Terms, system: &TransitionSystem, numbers: Numbers) -> Int {
    if numbers == Numbers::Integers {
        return Int::ONE;
    }
    let mut roots: Vec<Term> = system
        .init
        .iter()
        .chain(&system.restrict)
        .copied()
        .collect();
    for command in &system.commands {
        roots.extend(command.conjuncts(terms));
    }
    let mut common = Int::ONE;
    for t in terms.post_order(&roots) {
        match terms.node(t) {
            Node::Number(number) => common = common.lcm(&number.denom()),
            Node::Sum(linear) => common = common.lcm(&linear.constant().denom()),
            _ => {}
        }
    }
    common
}
