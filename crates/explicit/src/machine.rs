//! Executes programs: with machine arithmetic if it suffices, otherwise with exact arithmetic.

use crate::code::{Code, Op, Register, Test};
use crate::word::{Numbers, Word, is_small, is_wide};
use sectile_base::{Int, Rat};

/// Registers and the numbers they refer to.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// The slots, then the results of operations.
    pub registers: Vec<Word>,
    /// Numbers that are not words.
    pub numbers: Numbers,
    slots: usize,
}

impl Machine {
    /// A machine with zero in all slots.
    pub(crate) fn new(slots: usize, numbers: Numbers) -> Machine {
        Machine {
            registers: vec![0; slots],
            numbers,
            slots,
        }
    }

    /// Whether a Boolean program evaluates to true.
    #[inline]
    pub(crate) fn test(&mut self, code: &Code) -> bool {
        self.run(code) != 0
    }

    /// The result of a program.
    pub(crate) fn run(&mut self, code: &Code) -> Word {
        let needed = self.slots + code.ops.len();
        if self.registers.len() < needed {
            self.registers.resize(needed, 0);
        }
        for (i, op) in code.ops.iter().enumerate() {
            let word = match self.quick(op, code) {
                Some(word) => word,
                None => self.exact(op, code),
            };
            self.registers[self.slots + i] = word;
        }
        self.at(code.result) ^ i64::from(code.negated)
    }

    #[inline]
    fn at(&self, register: Register) -> Word {
        self.registers[register as usize]
    }

    /// The operation on machine integers; `None` if these do not suffice.
    #[inline]
    fn quick(&self, op: &Op, code: &Code) -> Option<Word> {
        let is_true = |&r: &Register| self.at(r) != 0;
        Some(match *op {
            Op::Constant(word) => word,
            Op::Not(a) => self.at(a) ^ 1,
            Op::And(list) => i64::from(list.of(&code.operands).iter().all(is_true)),
            Op::Or(list) => i64::from(list.of(&code.operands).iter().any(is_true)),
            Op::Ite(c, a, b) => self.at(if self.at(c) != 0 { a } else { b }),
            Op::Same(a, b) => i64::from(self.at(a) == self.at(b)),
            Op::Is(a, word) => i64::from(self.at(a) == word),
            Op::Sum(constant, list) => {
                let sum = self.sum(constant, list.of(&code.summands))?;
                return is_small(sum).then_some(sum);
            }
            Op::Compare(test, constant, list) => {
                let sum = self.sum(constant, list.of(&code.summands))?;
                i64::from(test.holds(sum.cmp(&0)))
            }
            Op::WideSum(_) | Op::WideCompare(..) => return None,
            Op::Div(a, d) => {
                let divisor = code.divisors[d as usize].to_i64()?;
                return self.small(a)?.checked_div_euclid(divisor);
            }
            Op::Mod(a, d) => {
                // The remainder of a negative number can exceed the range of small numbers.
                let divisor = code.divisors[d as usize].to_i64()?;
                let remainder = self.small(a)?.checked_rem_euclid(divisor)?;
                return is_small(remainder).then_some(remainder);
            }
            Op::Abs(a) => self.small(a)?.abs(),
            Op::Min(a, b) => self.small(a)?.min(self.small(b)?),
            Op::Max(a, b) => self.small(a)?.max(self.small(b)?),
            Op::Floor(a) => self.small(a)?,
            Op::Select(a, i) => self.numbers.arrays.element(self.at(a), self.at(i)),
            Op::Filled(_) | Op::Store(..) => return None,
        })
    }

    /// The word of a register, if it is a small number.
    #[inline]
    fn small(&self, register: Register) -> Option<i64> {
        let word = self.at(register);
        (!is_wide(word)).then_some(word)
    }

    #[inline]
    fn sum(&self, constant: i64, summands: &[(i64, Register)]) -> Option<i64> {
        let mut sum = constant;
        for &(c, r) in summands {
            sum = sum.checked_add(c.checked_mul(self.small(r)?)?)?;
        }
        Some(sum)
    }

    /// The operation on exact numbers.
    #[cold]
    fn exact(&mut self, op: &Op, code: &Code) -> Word {
        if let Some(array) = self.array(op) {
            return array;
        }
        let number = |r: Register| self.numbers.number(self.at(r));
        let divide = |a: Register, d: u32| (number(a).numer(), &code.divisors[d as usize]);
        let result = match *op {
            Op::Sum(constant, list) => self.exact_sum(constant, list.of(&code.summands)),
            Op::WideSum(k) => self.wide_sum(code, k),
            Op::Compare(test, constant, list) => {
                return verdict(test, &self.exact_sum(constant, list.of(&code.summands)));
            }
            Op::WideCompare(test, k) => return verdict(test, &self.wide_sum(code, k)),
            Op::Div(a, d) => {
                let (a, d) = divide(a, d);
                Rat::from(a.div_euclid(d))
            }
            Op::Mod(a, d) => {
                let (a, d) = divide(a, d);
                Rat::from(a.rem_euclid(d))
            }
            Op::Abs(a) => number(a).abs(),
            Op::Min(a, b) => number(a).min(number(b)),
            Op::Max(a, b) => number(a).max(number(b)),
            Op::Floor(a) => Rat::from(number(a).floor()),
            Op::Constant(_)
            | Op::Not(_)
            | Op::And(_)
            | Op::Or(_)
            | Op::Ite(..)
            | Op::Same(..)
            | Op::Is(..)
            | Op::Filled(_)
            | Op::Select(..)
            | Op::Store(..) => unreachable!("these operations never need exact numbers"),
        };
        self.numbers.word(result)
    }

    /// The operation, if its result is an array.
    fn array(&mut self, op: &Op) -> Option<Word> {
        match *op {
            Op::Filled(a) => Some(self.numbers.arrays.filled(self.registers[a as usize])),
            Op::Store(a, i, v, places) => {
                let (a, i, v) = (self.at(a), self.at(i), self.at(v));
                Some(self.numbers.arrays.stored(a, i, v, places))
            }
            _ => None,
        }
    }

    fn exact_sum(&self, constant: i64, summands: &[(i64, Register)]) -> Rat {
        let mut sum = Rat::from(constant);
        for &(c, r) in summands {
            sum.add_mul_assign(&self.numbers.number(self.at(r)), &Rat::from(c));
        }
        sum
    }

    fn wide_sum(&self, code: &Code, k: u32) -> Rat {
        let wide = &code.wide[k as usize];
        let mut sum = wide.constant.clone();
        for (r, c) in &wide.summands {
            sum.add_mul_assign(&self.numbers.number(self.at(*r)), c);
        }
        sum
    }

    /// The quotient of a word and a positive integer.
    pub(crate) fn quotient(&mut self, word: Word, divisor: &Int) -> Word {
        if let (false, Some(d)) = (is_wide(word), divisor.to_i64())
            && word % d == 0
        {
            return word / d;
        }
        let quotient = &self.numbers.number(word) / &Rat::from(divisor);
        self.numbers.word(quotient)
    }

    /// Whether the number of a word is an integer.
    pub(crate) fn is_integer(&self, word: Word) -> bool {
        !is_wide(word) || self.numbers.number(word).is_int()
    }
}

fn verdict(test: Test, number: &Rat) -> Word {
    i64::from(test.holds(number.signum().cmp(&0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Context;
    use crate::layout::{Layout, Scope};
    use sectile_base::{Rng, Span};
    use sectile_model::{Command, Model};
    use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value, evaluate};

    fn model(variables: Vec<Symbol>) -> Model {
        Model {
            variables,
            ..Model::system(vec![Command::new("c", Span::default())])
        }
    }

    /// A random term over the variables; `sort` is Int or Real.
    fn number(terms: &Terms, rng: &mut Rng, vars: &[Symbol], sort: Sort, depth: u32) -> Term {
        if depth == 0 {
            let own: Vec<Symbol> = vars
                .iter()
                .copied()
                .filter(|&v| terms.symbol_sort(v) == sort)
                .collect();
            return terms.var(*rng.pick(&own).unwrap());
        }
        let mut part = |sort| number(terms, rng, vars, sort, depth - 1);
        let (a, b, real) = (part(sort), part(sort), part(Sort::Real));
        let int = part(Sort::Int);
        let edge = [i64::MAX, i64::MIN, 1 << 62, 3, -7][rng.below(5) as usize];
        let divisor = Int::from([2, 7, i64::MAX][rng.below(3) as usize]);
        match rng.below(11) {
            0 | 1 => terms.add(a, b),
            2 => terms.sub(a, b),
            3 => terms.scale(a, &Rat::from(edge)),
            4 => terms.min(a, terms.scale(b, &Rat::from(2))),
            5 => terms.max(a, terms.neg(b)),
            6 => terms.abs(a),
            7 => terms.ite(terms.lt(a, b), b, terms.add(a, a)),
            8 if sort == Sort::Int => terms.div(a, &divisor),
            9 if sort == Sort::Int => terms.modulo(a, &divisor),
            10 if sort == Sort::Int => terms.floor(real),
            8 => terms.scale(a, &Rat::from_ratio(1, 3)),
            9 => terms.to_real(int),
            _ => terms.sub(a, terms.number(Rat::from(edge), sort)),
        }
    }

    #[test]
    fn programs_give_what_evaluation_gives_across_the_edge_of_machine_integers() {
        let terms = Terms::new();
        let declare = |name, sort| terms.declare(name, sort, SymbolKind::State).unwrap();
        let vars = vec![
            declare("i", Sort::Int),
            declare("j", Sort::Int),
            declare("r", Sort::Real),
            declare("s", Sort::Real),
        ];
        let layout = Layout::new(&terms, &model(vars.clone()));
        let scope = Scope::of_states(&layout, &Context::Initial);
        let mut rng = Rng::new(17);
        let edges = [
            0,
            1,
            -1,
            5,
            1 << 30,
            (1 << 61) - 1,
            (1 << 62) - 1,
            1 << 62,
            i64::MAX,
            i64::MIN,
        ];
        for _ in 0..3_000 {
            let sort = if rng.chance(1, 2) {
                Sort::Int
            } else {
                Sort::Real
            };
            let root = number(&terms, &mut rng, &vars, sort, 3);
            let other = number(&terms, &mut rng, &vars, sort, 1);
            let roots = [
                root,
                terms.eq(root, other),
                terms.le(root, other),
                terms.gt(root, other),
            ];
            let mut machine = Machine::new(layout.slots(), Numbers::default());
            let mut values = Vec::new();
            for (slot, &var) in vars.iter().enumerate() {
                let n = Rat::from(*rng.pick(&edges).unwrap());
                let value = if terms.symbol_sort(var) == Sort::Int {
                    Value::Int(n.numer())
                } else {
                    Value::Real(&n / &Rat::from(rng.range(1..=3)))
                };
                machine.registers[slot] = machine.numbers.word(value.as_rat().unwrap());
                values.push(value);
            }
            let lookup = |symbol: Symbol, _: Stage| {
                let position = vars.iter().position(|&v| v == symbol)?;
                Some(values[position].clone())
            };
            for t in roots {
                let code = Code::new(&terms, t, scope, &mut machine.numbers).unwrap();
                let word = machine.run(&code);
                let expected = evaluate(&terms, t, &lookup).unwrap();
                assert_eq!(machine.numbers.value(word, terms.sort(t)), expected);
            }
        }
    }
}
