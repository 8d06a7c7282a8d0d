//! Random formulas, as terms and as SMT-LIB text side by side.

#![allow(dead_code, clippy::unwrap_used)]

use sectile_base::{Int, Rat, Rng};
use sectile_terms::{EnumId, Sort, Stage, Symbol, SymbolKind, Term, Terms};

/// A term and the same formula as SMT-LIB text, written independently of the term builders.
#[derive(Clone)]
pub struct Formula {
    pub term: Term,
    pub text: String,
}

/// The sort that formulas may mention; readers are told once.
pub const ENUMERATION: &str = "(declare-datatypes ((Color 0)) (((red) (green) (blue))))\n";

/// Which theory the formulas belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Logic {
    Real,
    Int,
    Mixed,
}

pub struct Generator<'t> {
    pub terms: &'t Terms,
    pub rng: Rng,
    pub logic: Logic,
    pub symbols: Vec<(Symbol, Sort)>,
    pub declarations: String,
    /// Largest coefficient in use; a few are much larger if `tails`.
    pub tails: bool,
    enumeration: Option<EnumId>,
    functions: Vec<Symbol>,
    /// Conditionals that several comparisons share.
    conditionals: Vec<(Sort, Formula)>,
}

fn number_text(value: i64, sort: Sort) -> String {
    let digits = if sort == Sort::Real {
        format!("{}.0", value.unsigned_abs())
    } else {
        value.unsigned_abs().to_string()
    };
    if value < 0 {
        format!("(- {digits})")
    } else {
        digits
    }
}

fn sort_text(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::Real => "Real",
        _ => "Color",
    }
}

impl<'t> Generator<'t> {
    pub fn new(terms: &'t Terms, seed: u64) -> Generator<'t> {
        let mut rng = Rng::new(seed);
        let logic = match rng.below(5) {
            0 | 1 => Logic::Real,
            2 | 3 => Logic::Int,
            _ => Logic::Mixed,
        };
        let tails = rng.chance(1, 4);
        let mut symbols = Vec::new();
        let mut declarations = String::new();
        let mut declare = |name: String, sort: Sort| {
            let symbol = terms.declare(&name, sort, SymbolKind::State).unwrap();
            declarations.push_str(&format!("(declare-const {name} {})\n", sort_text(sort)));
            symbols.push((symbol, sort));
        };
        let numbers = 2 + rng.below(5);
        for i in 0..numbers {
            let sort = match logic {
                Logic::Real => Sort::Real,
                Logic::Int => Sort::Int,
                Logic::Mixed if i % 2 == 0 => Sort::Int,
                Logic::Mixed => Sort::Real,
            };
            declare(format!("x{i}"), sort);
        }
        for i in 0..rng.below(3) {
            declare(format!("p{i}"), Sort::Bool);
        }
        let enumeration = rng.chance(1, 4).then(|| {
            let names: Vec<String> = ["red", "green", "blue"].map(String::from).to_vec();
            terms.declare_enum("Color", &names)
        });
        if let Some(id) = enumeration {
            for i in 0..2 {
                declare(format!("e{i}"), Sort::Enum(id));
            }
        }
        Generator {
            terms,
            rng,
            logic,
            symbols,
            declarations,
            tails,
            enumeration,
            functions: Vec::new(),
            conditionals: Vec::new(),
        }
    }

    /// The same with some uninterpreted functions.
    pub fn with_functions(terms: &'t Terms, seed: u64) -> Generator<'t> {
        let mut g = Generator::new(terms, seed);
        g.tails = false;
        for i in 0..1 + g.rng.below(3) {
            let arity = 1 + g.rng.below(3) / 2;
            let arguments: Vec<Sort> = (0..arity).map(|_| g.some_sort()).collect();
            let result = g.some_sort();
            let name = format!("f{i}");
            let function = terms.declare_function(&name, &arguments, result);
            g.functions.push(function.unwrap());
            let arguments: Vec<&str> = arguments.iter().map(|&s| sort_text(s)).collect();
            let (arguments, result) = (arguments.join(" "), sort_text(result));
            g.declarations
                .push_str(&format!("(declare-fun {name} ({arguments}) {result})\n"));
        }
        g
    }

    /// A sort for an argument or a result: most often of numbers.
    fn some_sort(&mut self) -> Sort {
        match (self.rng.below(8), self.enumeration) {
            (0, _) => Sort::Bool,
            (1, Some(id)) => Sort::Enum(id),
            _ => self.numeric_sort(),
        }
    }

    /// An application of a function with a result of this sort.
    fn application(&mut self, sort: Sort, depth: u32) -> Option<Formula> {
        let terms = self.terms;
        let fitting = self.functions.iter().copied();
        let fitting: Vec<Symbol> = fitting.filter(|&f| terms.signature(f).1 == sort).collect();
        let function = *self.rng.pick(&fitting)?;
        let sorts = terms.signature(function).0;
        let arguments: Vec<Formula> = sorts.iter().map(|&s| self.simple(s, depth)).collect();
        let parts: Vec<Term> = arguments.iter().map(|a| a.term).collect();
        let texts: Vec<&str> = arguments.iter().map(|a| a.text.as_str()).collect();
        Some(Formula {
            term: terms.apply(function, &parts),
            text: format!("({} {})", terms.name(function), texts.join(" ")),
        })
    }

    /// A variable, an application, or a small change of either.
    fn simple(&mut self, sort: Sort, depth: u32) -> Formula {
        if depth > 0
            && self.rng.chance(1, 2)
            && let Some(application) = self.application(sort, depth - 1)
        {
            return application;
        }
        match sort {
            Sort::Bool if self.rng.chance(1, 3) && depth > 0 => self.boolean(0),
            Sort::Bool => self.variable(sort).unwrap_or_else(|| {
                let value = self.rng.chance(1, 2);
                Formula {
                    term: self.terms.bool(value),
                    text: value.to_string(),
                }
            }),
            Sort::Enum(_) => self.enum_term(0),
            _ if self.rng.chance(1, 6) => self.numeric(sort, 1),
            _ => self.variable(sort).unwrap_or_else(|| self.constant(sort)),
        }
    }

    /// A comparison in which functions are likely to matter.
    fn comparison_of_simple(&mut self) -> Formula {
        let terms = self.terms;
        let sort = self.some_sort();
        let (a, b) = (self.simple(sort, 2), self.simple(sort, 1));
        let choice = if sort.is_numeric() {
            self.rng.below(6)
        } else {
            0
        };
        let (term, op) = match choice {
            0..=3 => (terms.eq(a.term, b.term), "="),
            4 => (terms.lt(a.term, b.term), "<"),
            _ => (terms.le(a.term, b.term), "<="),
        };
        Formula {
            term,
            text: format!("({op} {} {})", a.text, b.text),
        }
    }

    fn coefficient(&mut self) -> i64 {
        if self.tails && self.rng.chance(1, 8) {
            let bits = self.rng.range(3..=40);
            let sign = if self.rng.chance(1, 2) { 1 } else { -1 };
            sign * ((1i64 << bits) + self.rng.range(-3..=3))
        } else {
            self.rng.range(-5..=5)
        }
    }

    fn variable(&mut self, sort: Sort) -> Option<Formula> {
        let fitting: Vec<Symbol> = self
            .symbols
            .iter()
            .filter(|s| s.1 == sort)
            .map(|s| s.0)
            .collect();
        let symbol = *self.rng.pick(&fitting)?;
        Some(Formula {
            term: self.terms.var_at(symbol, Stage::Now),
            text: self.terms.name(symbol).to_string(),
        })
    }

    fn constant(&mut self, sort: Sort) -> Formula {
        let value = self.coefficient();
        Formula {
            term: self.terms.number(Rat::from(value), sort),
            text: number_text(value, sort),
        }
    }

    fn numeric_sort(&mut self) -> Sort {
        match self.logic {
            Logic::Real => Sort::Real,
            Logic::Int => Sort::Int,
            Logic::Mixed if self.rng.chance(1, 2) => Sort::Real,
            Logic::Mixed => Sort::Int,
        }
    }

    pub fn numeric(&mut self, sort: Sort, depth: u32) -> Formula {
        let terms = self.terms;
        let choice = if depth == 0 {
            self.rng.below(4)
        } else {
            self.rng.below(16)
        };
        if !self.functions.is_empty()
            && self.rng.chance(1, 4)
            && let Some(application) = self.application(sort, depth.min(1))
        {
            return application;
        }
        match choice {
            0 => self.constant(sort),
            1..=3 => self.variable(sort).unwrap_or_else(|| self.constant(sort)),
            4..=6 => {
                let (a, b) = (self.numeric(sort, depth - 1), self.numeric(sort, depth - 1));
                Formula {
                    term: terms.add(a.term, b.term),
                    text: format!("(+ {} {})", a.text, b.text),
                }
            }
            7 => {
                let (a, b) = (self.numeric(sort, depth - 1), self.numeric(sort, depth - 1));
                Formula {
                    term: terms.sub(a.term, b.term),
                    text: format!("(- {} {})", a.text, b.text),
                }
            }
            8..=10 => {
                let c = self.coefficient();
                let a = self.numeric(sort, depth - 1);
                Formula {
                    term: terms.scale(a.term, &Rat::from(c)),
                    text: format!("(* {} {})", number_text(c, sort), a.text),
                }
            }
            11 => {
                let c = self.boolean(depth - 1);
                let (a, b) = (self.numeric(sort, depth - 1), self.numeric(sort, depth - 1));
                Formula {
                    term: terms.ite(c.term, a.term, b.term),
                    text: format!("(ite {} {} {})", c.text, a.text, b.text),
                }
            }
            12 | 13 if sort == Sort::Int => self.division(depth, choice == 12),
            12 if self.logic == Logic::Mixed => {
                let a = self.numeric(Sort::Int, depth - 1);
                Formula {
                    term: terms.to_real(a.term),
                    text: format!("(to_real {})", a.text),
                }
            }
            13 if self.logic == Logic::Mixed => {
                let a = self.numeric(Sort::Real, depth - 1);
                let b = self.numeric(Sort::Int, depth - 1);
                Formula {
                    term: terms.to_real(terms.add(terms.floor(a.term), b.term)),
                    text: format!("(to_real (+ (to_int {}) {}))", a.text, b.text),
                }
            }
            14 => {
                let a = self.numeric(sort, depth - 1);
                let zero = number_text(0, sort);
                Formula {
                    term: terms.abs(a.term),
                    text: format!("(ite (< {0} {zero}) (- {0}) {0})", a.text),
                }
            }
            15 => {
                let (a, b) = (self.numeric(sort, depth - 1), self.numeric(sort, depth - 1));
                let smaller = self.rng.chance(1, 2);
                let op = if smaller { "<=" } else { ">=" };
                Formula {
                    term: if smaller {
                        terms.min(a.term, b.term)
                    } else {
                        terms.max(a.term, b.term)
                    },
                    text: format!("(ite ({op} {0} {1}) {0} {1})", a.text, b.text),
                }
            }
            _ => self.variable(sort).unwrap_or_else(|| self.constant(sort)),
        }
    }

    fn division(&mut self, depth: u32, quotient: bool) -> Formula {
        let a = self.numeric(Sort::Int, depth - 1);
        let mut d = self.rng.range(2..=7);
        if self.rng.chance(1, 4) {
            d = -d;
        }
        let divisor = Int::from(d);
        let text = number_text(d, Sort::Int);
        if quotient {
            Formula {
                term: self.terms.div(a.term, &divisor),
                text: format!("(div {} {text})", a.text),
            }
        } else {
            Formula {
                term: self.terms.modulo(a.term, &divisor),
                text: format!("(mod {} {text})", a.text),
            }
        }
    }

    /// A conditional: often one that was made before, so that its comparisons meet. Its branches are few
    /// numbers, variables and other conditionals, and its conditions come again inside of it.
    fn conditional(&mut self, sort: Sort) -> Formula {
        let known = self.conditionals.iter().filter(|(s, _)| *s == sort);
        let known: Vec<Formula> = known.map(|(_, f)| f.clone()).collect();
        if known.len() >= 4 || self.rng.chance(known.len() as u64, 4) {
            return self.rng.pick(&known).cloned().unwrap();
        }
        let condition = match self.rng.below(3) {
            0 => self.variable(Sort::Bool),
            1 if !known.is_empty() => Some(self.comparison_of_conditional(sort)),
            _ => None,
        };
        let condition = condition.unwrap_or_else(|| self.linear_atom(sort));
        let mut parts = vec![condition];
        for _ in 0..2 {
            let part = match self.rng.below(4) {
                0 => self.variable(sort).unwrap_or_else(|| self.small(sort)),
                1 if !known.is_empty() => self.rng.pick(&known).cloned().unwrap(),
                _ => self.small(sort),
            };
            parts.push(part);
        }
        if self.rng.chance(1, 3) {
            // Inside of a branch the condition is decided, and the other branch comes again.
            let last = parts.pop().unwrap();
            let again = self.chosen([&parts[0], &last, &parts[1]]);
            parts.push(again);
        }
        let made = self.chosen([&parts[0], &parts[1], &parts[2]]);
        self.conditionals.push((sort, made.clone()));
        made
    }

    fn chosen(&self, [c, a, b]: [&Formula; 3]) -> Formula {
        Formula {
            term: self.terms.ite(c.term, a.term, b.term),
            text: format!("(ite {} {} {})", c.text, a.text, b.text),
        }
    }

    /// One of few numbers.
    fn small(&mut self, sort: Sort) -> Formula {
        let value = self.rng.range(-1..=2);
        Formula {
            term: self.terms.number(Rat::from(value), sort),
            text: number_text(value, sort),
        }
    }

    /// A conditional, or a multiple or a sum of some, compared with a number, a variable or another one.
    fn comparison_of_conditional(&mut self, sort: Sort) -> Formula {
        let terms = self.terms;
        let mut left = self.conditional(sort);
        if self.rng.chance(1, 4) {
            let c = *self.rng.pick(&[-2, -1, 2]).unwrap();
            left = Formula {
                term: terms.scale(left.term, &Rat::from(c)),
                text: format!("(* {} {})", number_text(c, sort), left.text),
            };
        }
        if self.rng.chance(1, 3) {
            let other = match self.variable(sort) {
                Some(x) if self.rng.chance(1, 2) => x,
                _ => self.conditional(sort),
            };
            left = Formula {
                term: terms.add(left.term, other.term),
                text: format!("(+ {} {})", left.text, other.text),
            };
        }
        let right = match self.rng.below(6) {
            0 => self.variable(sort).unwrap_or_else(|| self.small(sort)),
            1 => self.conditional(sort),
            _ => self.small(sort),
        };
        let (a, b) = (left.term, right.term);
        let (term, op) = match self.rng.below(6) {
            0 => (terms.le(a, b), "<="),
            1 => (terms.lt(a, b), "<"),
            2 => (terms.ge(a, b), ">="),
            3 => (terms.gt(a, b), ">"),
            4 => (terms.eq(a, b), "="),
            _ => (terms.neq(a, b), "distinct"),
        };
        Formula {
            term,
            text: format!("({op} {} {})", left.text, right.text),
        }
    }

    fn enum_term(&mut self, depth: u32) -> Formula {
        let id = self.enumeration.unwrap();
        match self.rng.below(if depth == 0 { 4 } else { 5 }) {
            0 => {
                let k = self.rng.below(3) as u32;
                Formula {
                    term: self.terms.variant(id, k),
                    text: ["red", "green", "blue"][k as usize].to_string(),
                }
            }
            4 => {
                let c = self.boolean(depth - 1);
                let (a, b) = (self.enum_term(depth - 1), self.enum_term(depth - 1));
                Formula {
                    term: self.terms.ite(c.term, a.term, b.term),
                    text: format!("(ite {} {} {})", c.text, a.text, b.text),
                }
            }
            _ => self.variable(Sort::Enum(id)).unwrap(),
        }
    }

    /// A comparison of a sum over several variables with a constant.
    fn linear_atom(&mut self, sort: Sort) -> Formula {
        let terms = self.terms;
        let mut sum = terms.number(Rat::ZERO, sort);
        let mut text = String::from("(+");
        let fitting: Vec<Symbol> = self
            .symbols
            .iter()
            .filter(|s| s.1 == sort)
            .map(|s| s.0)
            .collect();
        for symbol in fitting {
            let c = self.coefficient();
            if self.rng.chance(2, 3) {
                let x = terms.var_at(symbol, Stage::Now);
                sum = terms.add(sum, terms.scale(x, &Rat::from(c)));
                text.push_str(&format!(
                    " (* {} {})",
                    number_text(c, sort),
                    terms.name(symbol)
                ));
            }
        }
        let zero = number_text(0, sort);
        text.push_str(&format!(" {zero} {zero})"));
        let b = self.constant(sort);
        let (term, op) = match self.rng.below(4) {
            0 => (terms.le(sum, b.term), "<="),
            1 => (terms.gt(sum, b.term), ">"),
            2 => (terms.eq(sum, b.term), "="),
            _ => (terms.ge(sum, b.term), ">="),
        };
        Formula {
            term,
            text: format!("({op} {text} {})", b.text),
        }
    }

    fn atom(&mut self, depth: u32) -> Formula {
        let terms = self.terms;
        if !self.functions.is_empty() {
            if self.rng.chance(1, 6)
                && let Some(p) = self.application(Sort::Bool, 1)
            {
                return p;
            }
            if self.rng.chance(3, 4) {
                return self.comparison_of_simple();
            }
        }
        if self.enumeration.is_some() && self.rng.chance(1, 4) {
            let (a, b) = (self.enum_term(depth.min(2)), self.enum_term(depth.min(2)));
            return Formula {
                term: terms.eq(a.term, b.term),
                text: format!("(= {} {})", a.text, b.text),
            };
        }
        if self.rng.chance(1, 6)
            && let Some(p) = self.variable(Sort::Bool)
        {
            return p;
        }
        let sort = self.numeric_sort();
        if self.rng.chance(1, 4) {
            return self.comparison_of_conditional(sort);
        }
        let depth = depth.min(3);
        if self.rng.chance(1, 2) {
            return self.linear_atom(sort);
        }
        let (a, b) = (self.numeric(sort, depth), self.numeric(sort, depth));
        let (term, op) = match self.rng.below(6) {
            0 => (terms.le(a.term, b.term), "<="),
            1 => (terms.lt(a.term, b.term), "<"),
            2 => (terms.ge(a.term, b.term), ">="),
            3 => (terms.gt(a.term, b.term), ">"),
            4 => (terms.eq(a.term, b.term), "="),
            _ => (terms.neq(a.term, b.term), "distinct"),
        };
        Formula {
            term,
            text: format!("({op} {} {})", a.text, b.text),
        }
    }

    pub fn boolean(&mut self, depth: u32) -> Formula {
        let terms = self.terms;
        let choice = if depth == 0 { 0 } else { self.rng.below(12) };
        match choice {
            0..=2 => self.atom(depth),
            3..=8 => {
                let n = 2 + self.rng.below(3) as usize;
                let parts: Vec<Formula> = (0..n).map(|_| self.boolean(depth - 1)).collect();
                let texts: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
                let list = parts.iter().map(|p| p.term);
                let conjunction = choice <= 5;
                Formula {
                    term: if conjunction {
                        terms.and(list)
                    } else {
                        terms.or(list)
                    },
                    text: format!(
                        "({} {})",
                        if conjunction { "and" } else { "or" },
                        texts.join(" ")
                    ),
                }
            }
            9 => {
                let a = self.boolean(depth - 1);
                Formula {
                    term: terms.not(a.term),
                    text: format!("(not {})", a.text),
                }
            }
            10 => {
                let (a, b) = (self.boolean(depth - 1), self.boolean(depth - 1));
                Formula {
                    term: terms.iff(a.term, b.term),
                    text: format!("(= {} {})", a.text, b.text),
                }
            }
            _ => {
                let parts = [
                    self.boolean(depth - 1),
                    self.boolean(depth - 1),
                    self.boolean(depth - 1),
                ];
                Formula {
                    term: terms.ite(parts[0].term, parts[1].term, parts[2].term),
                    text: format!(
                        "(ite {} {} {})",
                        parts[0].text, parts[1].text, parts[2].text
                    ),
                }
            }
        }
    }
}
