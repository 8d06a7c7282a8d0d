//! The representation of systems as guarded assignments over explicit control and sets of numbers.

use crate::domain::Domain;
use crate::guarded::cubes::{Atom, Cube, Slot, all_values, cubes};
use crate::linear::{Affine, Constraint, Normal, Numbers};
use sectile_base::{Budget, Int, Rat};
use sectile_model::{Model, Task};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms};
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

/// A set of states: some values of discrete variables, and a conjunction of constraints.
#[derive(Clone, Debug)]
pub struct StateCube<D: Domain> {
    /// The conditions on discrete variables.
    pub tests: Vec<Test>,
    /// The conditions on numbers.
    pub bounds: Vec<D::Guard>,
    /// The numbers in the bounds.
    pub reads: Vec<usize>,
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
pub struct Case<D: Domain> {
    /// The command of the system.
    pub command: usize,
    /// The conditions on discrete variables.
    pub tests: Vec<Test>,
    /// Constraints on the numbers and on chosen values, which come after them.
    pub guards: Vec<D::Guard>,
    /// Chosen values: inputs, and undetermined next values.
    pub chosen: Vec<Slot>,
    /// The next values of the numbers.
    pub sources: Vec<D::Source>,
    /// The same, as sums.
    pub values: Vec<Affine>,
    /// The next values of the discrete variables.
    pub next: Vec<Next>,
    /// Values of discrete inputs.
    pub inputs: BTreeMap<Symbol, u32>,
    /// Numbers that the case reads, apart from those it only keeps or shifts by a constant.
    pub reads: Vec<usize>,
}

/// A system prepared for a domain.
pub struct Program<'t, D: Domain> {
    /// The store of its formulas.
    pub terms: &'t Terms,
    /// Discrete variables and constants.
    pub control: Vec<Symbol>,
    /// Numeric variables and constants, in the order of the domain.
    pub numeric: Vec<Symbol>,
    /// Whether the numbers are integers or reals.
    pub numbers: Numbers,
    /// The factor that makes all bounds integers.
    pub scale: Int,
    /// The initial states.
    pub init: Vec<StateCube<D>>,
    /// The cases of the commands, in their order.
    pub cases: Vec<Case<D>>,
    /// The largest absolute value of bounds and offsets.
    pub largest: Int,
}

impl<'t, D: Domain> Program<'t, D> {
    /// Translates the system of a task; the error is what the domain cannot express.
    ///
    /// There may be many cases: their construction counts on the budget, and a limit is an error as
    /// well.
    pub fn new(task: &Task<'t>, system: &Model, budget: &Budget) -> Result<Program<'t, D>, String> {
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
            largest: Int::ZERO,
        };
        let init = system.init.iter().chain(&system.restrict).copied();
        program.init = program.limited_cubes(&init.collect::<Vec<_>>(), budget)?;
        for (index, command) in system.commands().enumerate() {
            let cases = program.command(system, index, command, budget);
            let cases = cases.map_err(|why| format!("`{}`: {why}", command.name))?;
            program.cases.extend(cases);
        }
        program.largest = largest(terms, system, &program.scale);
        Ok(program)
    }

    /// The cubes of the conjunction of state formulas.
    pub fn state_cubes(&self, formulas: &[Term]) -> Result<Vec<StateCube<D>>, String> {
        self.limited_cubes(formulas, &Budget::unlimited())
    }

    fn limited_cubes(
        &self,
        formulas: &[Term],
        budget: &Budget,
    ) -> Result<Vec<StateCube<D>>, String> {
        let list = cubes(self.terms, formulas.iter().copied(), budget)?;
        let mut found = Vec::new();
        for cube in list {
            let own = |slot: Slot| self.position(slot).map(Affine::variable);
            let constraints = self.constraints(&cube.atoms, self.numeric.len(), &own)?;
            let state = StateCube {
                tests: self.tests(&cube),
                bounds: self.guards(&constraints)?,
                reads: mentioned(&constraints, self.numeric.len()),
            };
            if self.universe().assume_all(&state.bounds).is_some() {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// All points.
    pub fn universe(&self) -> D {
        D::all(self.numbers, self.numeric.len())
    }

    /// The position of a variable, or of a constant.
    pub fn position(&self, slot: Slot) -> Option<usize> {
        let found = self.numeric.iter().position(|s| *s == slot.0);
        found.filter(|_| slot.1 == Stage::Now)
    }

    /// The conditions on discrete variables in the current state.
    pub fn tests(&self, cube: &Cube) -> Vec<Test> {
        let slots = cube.discrete.iter();
        let now = slots.filter(|((_, stage), _)| *stage == Stage::Now);
        now.filter_map(|((symbol, _), &values)| {
            let variable = self.control.iter().position(|s| s == symbol)?;
            Some(Test { variable, values })
        })
        .collect()
    }

    /// Comparisons as constraints, with the values that slots stand for.
    pub fn constraints(
        &self,
        atoms: &[Atom],
        variables: usize,
        value: &dyn Fn(Slot) -> Option<Affine>,
    ) -> Result<Vec<Constraint>, String> {
        let mut found = Vec::new();
        for atom in atoms {
            let mut coefficients = vec![Rat::ZERO; variables];
            let mut bound = self.scaled(&atom.number);
            for (slot, factor) in &atom.sum {
                let value = value(*slot).ok_or("it mentions an unknown variable")?;
                for (variable, c) in &value.terms {
                    coefficients[*variable] += &(c * factor);
                }
                bound -= &(&value.constant * factor);
            }
            found.push(Constraint::from_rationals(
                &coefficients,
                atom.relation,
                &bound,
            ));
        }
        Ok(found)
    }

    /// Constraints in the representation of the domain.
    pub fn guards(&self, constraints: &[Constraint]) -> Result<Vec<D::Guard>, String> {
        let mut found = Vec::new();
        for constraint in constraints {
            let guard = match constraint.clone().normal(self.numbers) {
                Normal::True => continue,
                Normal::False => D::guard(constraint),
                Normal::Says(constraint) => D::guard(&constraint),
            };
            found.extend(guard.ok_or_else(|| inexpressible::<D>("a condition"))?);
        }
        Ok(found)
    }

    /// A number in the units of the domain.
    pub fn scaled(&self, number: &Rat) -> Rat {
        number * &Rat::from(&self.scale)
    }

    /// The term of a discrete value.
    pub fn discrete_term(&self, symbol: Symbol, index: u32) -> Term {
        match self.terms.symbol_sort(symbol) {
            Sort::Enum(id) => self.terms.variant(id, index),
            _ => self.terms.bool(index == 1),
        }
    }
}

/// The error for a system that the domain cannot express.
pub fn inexpressible<D: Domain>(what: &str) -> String {
    format!("{} cannot express {what}", D::NAME)
}

/// The first variables that constraints mention.
pub fn mentioned(constraints: &[Constraint], variables: usize) -> Vec<usize> {
    let used = |v: &usize| constraints.iter().any(|c| !c.coefficients[*v].is_zero());
    (0..variables).filter(used).collect()
}

/// Whether the numbers are integers or reals; an error for both.
fn numbers_of(terms: &Terms, numeric: &[Symbol], system: &Model) -> Result<Numbers, String> {
    let inputs = system.commands().flat_map(|c| c.inputs.iter());
    let sorts = numeric.iter().chain(inputs).map(|&s| terms.symbol_sort(s));
    let mut found = None;
    for sort in sorts {
        let numbers = match sort {
            Sort::Int => Numbers::Integers,
            Sort::Real => Numbers::Reals,
            Sort::Bool | Sort::Enum(_) => continue,
            Sort::Array(_) => return Err("arrays are not supported".to_string()),
        };
        if found.is_some_and(|f| f != numbers) {
            return Err("integers and reals together are not supported".to_string());
        }
        found = Some(numbers);
    }
    Ok(found.unwrap_or(Numbers::Integers))
}

/// The numbers in the formulas of a system.
fn constants(terms: &Terms, system: &Model) -> Vec<Rat> {
    let states = system.init.iter().chain(&system.restrict).copied();
    let steps = system.commands().flat_map(|c| c.conjuncts(terms));
    let roots: Vec<Term> = states.chain(steps).collect();
    let constant = |t: Term| match terms.node(t) {
        Node::Number(number) => Some(number.clone()),
        Node::Sum(linear) => Some(linear.constant().clone()),
        _ => None,
    };
    let all = terms.post_order(&roots);
    all.into_iter().filter_map(constant).collect()
}

/// The common denominator of all numbers in a system of reals.
fn scale(terms: &Terms, system: &Model, numbers: Numbers) -> Int {
    if numbers == Numbers::Integers {
        return Int::ONE;
    }
    let all = constants(terms, system);
    all.iter().fold(Int::ONE, |a, b| a.lcm(&b.denom()))
}

fn largest(terms: &Terms, system: &Model, scale: &Int) -> Int {
    let all = constants(terms, system);
    let scaled = all.iter().map(|c| (&c.abs() * &Rat::from(scale)).ceil());
    scaled.max().unwrap_or(Int::ZERO)
}
