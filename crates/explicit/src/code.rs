//! Compiles terms to flat programs over registers.
//!
//! The first registers are the slots of the [`Layout`](crate::layout::Layout); every operation
//! writes one further register. A sub-term that occurs several times is computed once.

use crate::error::ExploreError;
use crate::layout::Scope;
use crate::word::{Numbers, Word, is_small};
use rustc_hash::FxHashMap;
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Term, Terms};

/// A register.
pub(crate) type Register = u32;

/// How a number is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// Equal.
    Zero,
    /// Not greater.
    NonPositive,
    /// Less.
    Negative,
}

impl Test {
    /// Whether a number with this sign passes the test.
    #[inline]
    pub(crate) fn holds(self, sign: std::cmp::Ordering) -> bool {
        match self {
            Test::Zero => sign.is_eq(),
            Test::NonPositive => sign.is_le(),
            Test::Negative => sign.is_lt(),
        }
    }
}

/// A range in one of the argument lists of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    start: u32,
    end: u32,
}

impl Operands {
    /// The arguments.
    #[inline]
    pub(crate) fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.start as usize..self.end as usize]
    }
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A constant.
    Constant(Word),
    /// Negation.
    Not(Register),
    /// Conjunction.
    And(Operands),
    /// Disjunction.
    Or(Operands),
    /// If-then-else.
    Ite(Register, Register, Register),
    /// Whether two words are equal.
    Same(Register, Register),
    /// Whether a word equals a constant.
    Is(Register, Word),
    /// A sum with small coefficients: the constant, then coefficients with registers.
    Sum(i64, Operands),
    /// A comparison of such a sum with zero.
    Compare(Test, i64, Operands),
    /// A sum with other coefficients.
    WideSum(u32),
    /// A comparison of such a sum with zero.
    WideCompare(Test, u32),
    /// Integer division.
    Div(Register, u32),
    /// Integer remainder.
    Mod(Register, u32),
    /// Absolute value.
    Abs(Register),
    /// Minimum.
    Min(Register, Register),
    /// Maximum.
    Max(Register, Register),
    /// Rounding down.
    Floor(Register),
    /// The array with the same element everywhere.
    Filled(Register),
    /// The element of an array at an index.
    Select(Register, Register),
    /// An array with the element at an index replaced, and the number of indices if that is finite.
    Store(Register, Register, Register, Option<u32>),
}

/// A sum whose coefficients are fractions or too large for words.
#[derive(Clone, Debug)]
pub(crate) struct WideSum {
    /// The constant.
    pub constant: Rat,
    /// Registers with their coefficients.
    pub summands: Vec<(Register, Rat)>,
}

/// A program that computes one term.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The operations; the first writes the register after the slots.
    pub ops: Vec<Op>,
    /// The arguments of conjunctions and disjunctions.
    pub operands: Vec<Register>,
    /// The summands of sums.
    pub summands: Vec<(i64, Register)>,
    /// Sums with unusual coefficients.
    pub wide: Vec<WideSum>,
    /// Divisors.
    pub divisors: Vec<Int>,
    /// The register of the result.
    pub result: Register,
    /// Whether the result, a truth value, is to be negated.
    pub negated: bool,
}

impl Code {
    /// Compiles a term.
    pub(crate) fn new(
        terms: &Terms,
        term: Term,
        scope: Scope<'_>,
        numbers: &mut Numbers,
    ) -> Result<Code, ExploreError> {
        let (root, negated) = terms.strip_not(term);
        let mut compiler = Compiler {
            terms,
            scope,
            numbers,
            code: Code {
                negated,
                ..Code::default()
            },
            registers: FxHashMap::default(),
        };
        for t in terms.post_order(&[root]) {
            compiler.add(t)?;
        }
        let mut code = compiler.code;
        code.result = compiler.registers[&root];
        Ok(code)
    }
}

struct Compiler<'a> {
    terms: &'a Terms,
    scope: Scope<'a>,
    numbers: &'a mut Numbers,
    code: Code,
    registers: FxHashMap<Term, Register>,
}

impl Compiler<'_> {
    /// Finds or allocates the register of a term whose arguments have registers.
    fn add(&mut self, t: Term) -> Result<(), ExploreError> {
        let register = match self.terms.node(t) {
            Node::Var(symbol, stage) => {
                let slot = self.scope.slot(self.terms, *symbol, *stage)?;
                register(slot)
            }
            // An integer and the equal real number have the same word.
            Node::ToReal(inner) => self.registers[inner],
            node => {
                let op = self.operation(node)?;
                self.code.ops.push(op);
                register(self.scope.layout.slots() + self.code.ops.len() - 1)
            }
        };
        self.registers.insert(t, register);
        Ok(())
    }

    fn operation(&mut self, node: &Node) -> Result<Op, ExploreError> {
        let at = |t: &Term| self.registers[t];
        Ok(match node {
            Node::Bool(b) => Op::Constant(i64::from(*b)),
            Node::Number(value) => Op::Constant(self.numbers.word(value.clone())),
            Node::Variant(_, k) => Op::Constant(i64::from(*k)),
            Node::Not(a) => Op::Not(at(a)),
            Node::And(list) => Op::And(self.operands(list)),
            Node::Or(list) => Op::Or(self.operands(list)),
            Node::Ite(c, a, b) => Op::Ite(at(c), at(a), at(b)),
            Node::Eq(a, b) => match self.terms.node(*b) {
                Node::Variant(_, k) => Op::Is(at(a), i64::from(*k)),
                _ => Op::Same(at(a), at(b)),
            },
            Node::Zero(a) => self.comparison(Test::Zero, *a),
            Node::NonPos(a) => self.comparison(Test::NonPositive, *a),
            Node::Neg(a) => self.comparison(Test::Negative, *a),
            Node::Sum(linear) => match self.small_sum(linear) {
                Some((constant, part)) => Op::Sum(constant, part),
                None => Op::WideSum(self.wide_sum(linear)),
            },
            Node::Div(a, d) => Op::Div(at(a), self.divisor(d)),
            Node::Mod(a, d) => Op::Mod(at(a), self.divisor(d)),
            Node::Abs(a) => Op::Abs(at(a)),
            Node::Min(a, b) => Op::Min(at(a), at(b)),
            Node::Max(a, b) => Op::Max(at(a), at(b)),
            Node::Floor(a) => Op::Floor(at(a)),
            Node::Filled(_, a) => Op::Filled(at(a)),
            Node::Select(a, i) => Op::Select(at(a), at(i)),
            Node::Store(a, i, value) => {
                let places = self.terms.sort(*i).cardinality(self.terms);
                Op::Store(at(a), at(i), at(value), places)
            }
            Node::Difference(..) => return Err(unsupported("places at which arrays differ")),
            Node::Var(..) | Node::ToReal(_) => unreachable!("these have registers already"),
        })
    }

    /// A comparison includes the sum, so that most atoms are a single operation.
    fn comparison(&mut self, test: Test, sum: Term) -> Op {
        let linear = self.terms.linear(sum);
        match self.small_sum(&linear) {
            Some((constant, part)) => Op::Compare(test, constant, part),
            None => Op::WideCompare(test, self.wide_sum(&linear)),
        }
    }

    fn operands(&mut self, list: &[Term]) -> Operands {
        let start = self.code.operands.len();
        self.code
            .operands
            .extend(list.iter().map(|t| self.registers[t]));
        part(start, self.code.operands.len())
    }

    fn small_sum(&mut self, linear: &Linear) -> Option<(i64, Operands)> {
        let small = |r: &Rat| r.to_i64().filter(|&n| is_small(n));
        let constant = small(linear.constant())?;
        let start = self.code.summands.len();
        for (t, c) in linear.monomials() {
            let Some(c) = small(c) else {
                self.code.summands.truncate(start);
                return None;
            };
            self.code.summands.push((c, self.registers[t]));
        }
        Some((constant, part(start, self.code.summands.len())))
    }

    fn wide_sum(&mut self, linear: &Linear) -> u32 {
        let summands = linear.monomials().iter();
        self.code.wide.push(WideSum {
            constant: linear.constant().clone(),
            summands: summands
                .map(|(t, c)| (self.registers[t], c.clone()))
                .collect(),
        });
        register(self.code.wide.len() - 1)
    }

    fn divisor(&mut self, d: &Int) -> u32 {
        self.code.divisors.push(d.clone());
        register(self.code.divisors.len() - 1)
    }
}

fn part(start: usize, end: usize) -> Operands {
    Operands {
        start: register(start),
        end: register(end),
    }
}

fn register(index: usize) -> Register {
    Register::try_from(index).expect("programs are smaller than 2^32 operations")
}

fn unsupported(what: &str) -> ExploreError {
    ExploreError::Unsupported {
        what: what.to_string(),
    }
}
