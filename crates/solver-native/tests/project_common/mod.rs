//! What the tests of projection share: an oracle for quantified formulas, random conjunctions.

#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::{Budget, Int, Rat, Rng};
use sectile_smtlib::{declaration, print_sort, print_term, print_variable, range};
use sectile_solver::{Answer, Assignment, ModelView, Solver};
use sectile_solver_native::NativeSolver;
use sectile_terms::{EnumId, NativePrinter, Sort, Stage, Symbol, SymbolKind, Term, Terms, Value};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub type Vars = Vec<(Symbol, Stage)>;

/// z3 as a process that decides quantified linear arithmetic.
pub struct Oracle {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub unknown: usize,
}

impl Oracle {
    /// The process, or a visible note that there is none.
    pub fn start() -> Option<Oracle> {
        let command = Command::new("z3")
            .args(["-in", "-T:0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut child) = command else {
            eprintln!("SKIPPED: z3 is not installed, quantified queries are not compared");
            return None;
        };
        let input = child.stdin.take()?;
        let output = BufReader::new(child.stdout.take()?);
        Some(Oracle {
            child,
            input,
            output,
            unknown: 0,
        })
    }

    /// Whether assertions over the given formulas are unsatisfiable; `None` where z3 cannot tell.
    fn is_unsat(&mut self, terms: &Terms, mentioned: &[Term], assertion: &str) -> Option<bool> {
        let mut text = String::from("(reset)\n(set-option :timeout 800)\n(set-logic ALL)\n");
        for (symbol, stage) in terms.free_vars_of(mentioned) {
            text.push_str(&declaration(terms, symbol, stage));
            text.push('\n');
            if let Some(range) = range(terms, symbol, stage) {
                text.push_str(&format!("(assert {range})\n"));
            }
        }
        text.push_str(&format!("(assert {assertion})\n(check-sat)\n"));
        self.input.write_all(text.as_bytes()).unwrap();
        self.input.flush().unwrap();
        let mut line = String::new();
        assert!(
            self.output.read_line(&mut line).unwrap() > 0,
            "z3 died on\n{text}"
        );
        match line.trim() {
            "unsat" => Some(true),
            "sat" => Some(false),
            "unknown" | "timeout" => {
                self.unknown += 1;
                None
            }
            other => panic!("{other}\n{text}"),
        }
    }

    /// Asserts that one formula implies another, after quantifying variables in the latter.
    pub fn implies_exists(&mut self, terms: &Terms, a: Term, vars: &Vars, b: Term, note: &str) {
        let assertion = format!(
            "(and {} (not {}))",
            print_term(terms, a),
            quantified(terms, vars, b)
        );
        let answer = self.is_unsat(terms, &[a, b], &assertion);
        assert_ne!(
            answer,
            Some(false),
            "{note}: {} does not imply it",
            show(terms, a)
        );
    }

    /// Asserts that a formula is equivalent to the quantification of another.
    pub fn equals_exists(&mut self, terms: &Terms, a: Term, vars: &Vars, b: Term, note: &str) {
        let assertion = format!(
            "(not (= {} {}))",
            print_term(terms, a),
            quantified(terms, vars, b)
        );
        let answer = self.is_unsat(terms, &[a, b], &assertion);
        assert_ne!(
            answer,
            Some(false),
            "{note}: {} is not equivalent",
            show(terms, a)
        );
    }

    /// Asserts that a formula implies another one.
    pub fn implies(&mut self, terms: &Terms, a: Term, b: Term, note: &str) {
        let assertion = format!(
            "(and {} (not {}))",
            print_term(terms, a),
            print_term(terms, b)
        );
        let answer = self.is_unsat(terms, &[a, b], &assertion);
        assert_ne!(
            answer,
            Some(false),
            "{note}: it does not imply {}",
            show(terms, b)
        );
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn quantified(terms: &Terms, vars: &Vars, body: Term) -> String {
    if vars.is_empty() {
        return print_term(terms, body);
    }
    let mut bound = String::new();
    let mut ranges = String::new();
    for &(symbol, stage) in vars {
        let name = print_variable(terms, symbol, stage);
        let sort = print_sort(terms, terms.symbol_sort(symbol));
        bound.push_str(&format!("({name} {sort})"));
        ranges.push_str(&range(terms, symbol, stage).unwrap_or_default());
    }
    format!(
        "(exists ({bound}) (and true {ranges} {}))",
        print_term(terms, body)
    )
}

pub fn show(terms: &Terms, t: Term) -> String {
    NativePrinter::new(terms).print(t)
}

/// A note for a failing case.
pub fn note(terms: &Terms, seed: u64, vars: &Vars, f: Term) -> String {
    let names: Vec<&str> = vars.iter().map(|v| terms.name(v.0)).collect();
    format!(
        "seed {seed}: exists {}. {}",
        names.join(", "),
        show(terms, f)
    )
}

/// A model of a formula, if there is one.
pub fn model_of(terms: &Terms, f: Term) -> Option<Assignment> {
    let vars: Vars = terms.free_vars(f).into_iter().collect();
    let mut solver = NativeSolver::new(terms);
    solver.assert(f).unwrap();
    match solver.check(&[], &Budget::unlimited()).unwrap() {
        Answer::Sat(model) => Some(model.snapshot(terms, &vars)),
        _ => None,
    }
}

pub fn holds(terms: &Terms, model: &dyn ModelView, f: Term) -> bool {
    model.eval(terms, f) == Ok(Value::Bool(true))
}

/// Whether no variable of the list is free in a formula.
pub fn is_free_of(terms: &Terms, f: Term, vars: &Vars) -> bool {
    let free = terms.free_vars(f);
    vars.iter().all(|v| !free.contains(v))
}

/// Random conjunctions of literals.
pub struct Conjunctions<'t> {
    pub terms: &'t Terms,
    pub rng: Rng,
    pub symbols: Vec<Symbol>,
    colors: EnumId,
}

/// Which literals occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theory {
    Real,
    Int,
    Mixed,
}

impl<'t> Conjunctions<'t> {
    pub fn new(terms: &'t Terms, seed: u64, theory: Theory) -> Conjunctions<'t> {
        let mut rng = Rng::new(seed);
        let names = ["red", "green", "blue"].map(String::from);
        let colors = terms.declare_enum("Color", &names);
        let mut symbols = Vec::new();
        let mut declare = |name: String, sort| {
            symbols.push(terms.declare(&name, sort, SymbolKind::State).unwrap());
        };
        for i in 0..rng.range(2..=4) {
            let sort = match theory {
                Theory::Real => Sort::Real,
                Theory::Int => Sort::Int,
                Theory::Mixed if i % 2 == 0 => Sort::Int,
                Theory::Mixed => Sort::Real,
            };
            declare(format!("x{i}"), sort);
        }
        if rng.chance(1, 3) {
            declare("p".to_string(), Sort::Bool);
            for i in 0..3 {
                declare(format!("e{i}"), Sort::Enum(colors));
            }
        }
        Conjunctions {
            terms,
            rng,
            symbols,
            colors,
        }
    }

    /// Some of the variables, to be eliminated.
    pub fn some_vars(&mut self) -> Vars {
        let mut vars: Vars = self.symbols.iter().map(|&s| (s, Stage::Now)).collect();
        self.rng.shuffle(&mut vars);
        let count = self.rng.range(1..=vars.len().min(3) as i64) as usize;
        vars.truncate(count);
        vars
    }

    fn numeric(&mut self, sort: Sort) -> Term {
        let terms = self.terms;
        let mut sum = terms.number(Rat::from(self.rng.range(-9..=9)), sort);
        for symbol in self.symbols.clone() {
            let own = terms.symbol_sort(symbol);
            let x = match (own, sort) {
                (Sort::Int, Sort::Real) => terms.to_real(terms.var(symbol)),
                (a, b) if a == b => terms.var(symbol),
                _ => continue,
            };
            if self.rng.chance(2, 3) {
                let c = if self.rng.chance(1, 2) {
                    self.rng.range(-1..=1)
                } else {
                    self.rng.range(-5..=5)
                };
                sum = terms.add(sum, terms.scale(x, &Rat::from(c)));
            }
        }
        sum
    }

    pub fn literal(&mut self) -> Term {
        let terms = self.terms;
        let symbol = *self.rng.pick(&self.symbols).unwrap();
        let sort = terms.symbol_sort(symbol);
        let atom = match sort {
            Sort::Bool => terms.var(symbol),
            Sort::Enum(_) => {
                let mut same = self.symbols.clone();
                same.retain(|&s| terms.symbol_sort(s) == sort);
                let other = if self.rng.chance(1, 2) {
                    terms.var(*self.rng.pick(&same).unwrap())
                } else {
                    terms.variant(self.colors, self.rng.below(3) as u32)
                };
                terms.eq(terms.var(symbol), other)
            }
            _ => {
                let sum = self.numeric(sort);
                let zero = terms.number(Rat::ZERO, sort);
                match self.rng.below(9) {
                    0 => terms.eq(sum, zero),
                    1 => terms.neq(sum, zero),
                    2 | 3 if sort == Sort::Int => {
                        terms.divides(&Int::from(self.rng.range(2..=6)), sum)
                    }
                    2..=5 => terms.le(sum, zero),
                    _ => terms.lt(sum, zero),
                }
            }
        };
        if self.rng.chance(1, 4) {
            terms.not(atom)
        } else {
            atom
        }
    }

    /// Bounds of one integer from both sides that are close together and round differently.
    fn sandwich(&mut self, literals: &mut Vec<Term>) {
        let terms = self.terms;
        let mut integers = self.symbols.clone();
        integers.retain(|&s| terms.symbol_sort(s) == Sort::Int);
        let (Some(&x), Some(&y)) = (integers.first(), integers.get(1)) else {
            return;
        };
        let (x, y) = (terms.var(x), terms.var(y));
        let multiple = |t: Term, c: i64| terms.scale(t, &Rat::from(c));
        for _ in 0..self.rng.range(1..=2) {
            let (a, b) = (self.rng.range(2..=5), self.rng.range(2..=5));
            let middle = multiple(y, self.rng.range(-3..=3));
            let gap = terms.int(self.rng.range(0..=7));
            // middle <= b * x and a * x * b <= a * middle + gap.
            literals.push(terms.le(middle, multiple(x, b)));
            let high = terms.add(multiple(middle, a), gap);
            literals.push(terms.le(multiple(x, a * b), high));
            if self.rng.chance(1, 2) {
                let shift = terms.int(self.rng.range(-4..=4));
                literals.push(terms.le(multiple(x, a), terms.add(middle, shift)));
            }
        }
    }

    /// A variable of an enumeration that differs from many things.
    fn crowd(&mut self, literals: &mut Vec<Term>) {
        let terms = self.terms;
        let mut members = self.symbols.clone();
        members.retain(|&s| terms.symbol_sort(s) == Sort::Enum(self.colors));
        let Some((&first, rest)) = members.split_first() else {
            return;
        };
        for &other in rest {
            literals.push(terms.neq(terms.var(first), terms.var(other)));
        }
        let excluded = terms.variant(self.colors, self.rng.below(3) as u32);
        literals.push(terms.neq(terms.var(first), excluded));
    }

    pub fn conjunction(&mut self) -> Vec<Term> {
        let count = self.rng.range(1..=6);
        let mut literals: Vec<Term> = (0..count).map(|_| self.literal()).collect();
        if self.rng.chance(1, 3) {
            literals.truncate(2);
            self.sandwich(&mut literals);
            self.crowd(&mut literals);
        }
        literals
    }
}
