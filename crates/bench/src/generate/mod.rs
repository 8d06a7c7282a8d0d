//! Generates random Boogie programs, deterministically for a given seed.
//!
//! A program is one procedure with five integers, conditionals and loops without nondeterminism,
//! and three assertions at its end, so the five initial values determine its run. Three numbers
//! determine its shape.
//!
//! | number | range | meaning |
//! |---|---|---|
//! | width | 1..5 | nesting of control statements: 2 levels of blocks up to width 2, 3 up to 4, 4 for 5 |
//! | height | 1..10 | number of groups of statements in the procedure |
//! | block | 1..3 | maximum number of consecutive assignments in a group or body |
//!
//! A group has as many statements as the block size says, each an assignment or a control statement
//! with equal probability, and one more control statement. The distributions are those of the
//! hundred programs behind the second table of the paper, as far as the programs reveal them.
//!
//! Paper: [ErHoPoSc11, Sect. 6].

mod text;

pub use text::print;

use sectile_base::Rng;

/// Names of the variables. The last one is never assigned.
pub const VARIABLES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The number of assertions at the end of a program.
pub const ASSERTIONS: usize = 3;

/// The numbers that determine the shape of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramSize {
    /// How deeply statements are nested.
    pub width: usize,
    /// The number of groups.
    pub height: usize,
    /// The number of statements in a group, besides the last one.
    pub block: usize,
}

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its shape.
    pub shape: ProgramSize,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The assertions at its end.
    pub assertions: Vec<Condition>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `x := e`
    Assign(usize, Sum),
    /// `if (c) { ... } else { ... }`
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// `while (c) { ... }`
    While(Condition, Vec<Statement>),
}

/// One comparison, or two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `(x < e)`
    One(Comparison),
    /// `(x < e) && (y > f)`
    Both(Comparison, Comparison),
    /// `(x < e) || (y > f)`
    Either(Comparison, Comparison),
}

/// `x < e` or `x > e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The variable.
    pub left: usize,
    /// Whether it is `<`.
    pub less: bool,
    /// The other side.
    pub right: Sum,
}

/// A sum of variables and constants: the first operand, and the others with their signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The first operand.
    pub first: Operand,
    /// The other operands, each with a flag that is true if it is subtracted.
    pub rest: Vec<(bool, Operand)>,
}

/// A variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A variable.
    Variable(usize),
    /// A number.
    Constant(i64),
}

/// A program with its name and its text.
#[derive(Clone, Debug)]
pub struct Numbered {
    /// The name of its file.
    pub name: String,
    /// The program.
    pub program: Program,
    /// The program as Boogie.
    pub text: String,
}

/// `count` programs of growing height.
///
/// Every program has its own seed: another `count` changes the heights of programs, but not their
/// first choices.
pub fn programs(count: usize, seed: u64) -> Vec<Numbered> {
    let digits = count.saturating_sub(1).to_string().len().max(3);
    let one = |number: usize| {
        let own = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64;
        let mut rng = Rng::new(own);
        let shape = ProgramSize {
            width: up_to(&mut rng, 5),
            height: number * 10 / count + 1,
            block: up_to(&mut rng, 3),
        };
        let program = program(&mut rng, shape);
        let comment = format!("random program {number} of {count}, seed {seed}");
        Numbered {
            name: format!("random-{number:0digits$}.bpl"),
            text: print(&program, &comment),
            program,
        }
    };
    (0..count).map(one).collect()
}

/// A program of this shape.
pub fn program(rng: &mut Rng, shape: ProgramSize) -> Program {
    let mut statements = Vec::new();
    let mut generator = Generator {
        rng,
        block: shape.block,
    };
    for _ in 0..shape.height {
        generator.group(shape.block, shape.width, Inside::Straight, &mut statements);
    }
    let assertions = (0..ASSERTIONS).map(|_| generator.condition()).collect();
    Program {
        shape,
        statements,
        assertions,
    }
}

/// A number from 1 to `most`.
fn up_to(rng: &mut Rng, most: usize) -> usize {
    usize::try_from(rng.below(most as u64)).map_or(1, |n| n + 1)
}

/// Whether statements are generated inside a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Straight,
    Loop,
}

struct Generator<'r> {
    rng: &'r mut Rng,
    block: usize,
}

impl Generator<'_> {
    /// Generates statements, each an assignment with probability one half, and a control statement
    /// after them.
    fn group(&mut self, size: usize, width: usize, inside: Inside, into: &mut Vec<Statement>) {
        for _ in 0..size {
            let statement = match self.rng.chance(1, 2) {
                true => self.assignment(inside),
                false => self.control(width, inside),
            };
            into.push(statement);
        }
        into.push(self.control(width, inside));
    }

    /// A conditional or a loop. The body of a loop is two levels less wide; a branch of a
    /// conditional may be even less wide. Recursion ends with the width.
    fn control(&mut self, width: usize, inside: Inside) -> Statement {
        let deeper = width.saturating_sub(2);
        if self.rng.chance(1, 2) {
            let condition = match inside {
                Inside::Straight => self.bounded(),
                Inside::Loop => self.condition(),
            };
            let body = self.body(deeper, Inside::Loop);
            return Statement::While(condition, body);
        }
        let condition = self.condition();
        let mut branch = || {
            let width = self.rng.below(deeper as u64 + 1);
            self.body(usize::try_from(width).unwrap_or(0), inside)
        };
        let (then, otherwise) = (branch(), branch());
        Statement::If(condition, then, otherwise)
    }

    /// A block: a group, or at the innermost level only its assignments.
    fn body(&mut self, width: usize, inside: Inside) -> Vec<Statement> {
        let mut statements = Vec::new();
        let size = up_to(self.rng, self.block);
        if width > 0 {
            self.group(size, width, inside, &mut statements);
            return statements;
        }
        for _ in 0..size {
            if self.rng.chance(1, 2) {
                statements.push(self.assignment(inside));
            }
        }
        statements
    }

    /// `x := x + ...` outside of loops, `x := e` inside.
    fn assignment(&mut self, inside: Inside) -> Statement {
        let target = self.target();
        let mut sum = self.sum();
        if inside == Inside::Straight {
            sum.first = Operand::Variable(target);
            sum.rest.iter_mut().for_each(|(minus, _)| *minus = false);
        }
        Statement::Assign(target, sum)
    }

    fn condition(&mut self) -> Condition {
        let first = self.comparison();
        self.joined(first)
    }

    /// The condition of an outermost loop: its first part is `x < ... + 100`.
    fn bounded(&mut self) -> Condition {
        let mut first = self.comparison();
        first.less = true;
        first
            .right
            .rest
            .iter_mut()
            .for_each(|(minus, _)| *minus = false);
        first.right.rest.push((false, Operand::Constant(100)));
        self.joined(first)
    }

    fn joined(&mut self, first: Comparison) -> Condition {
        match (self.rng.chance(1, 2), self.rng.chance(1, 2)) {
            (true, _) => Condition::One(first),
            (false, true) => Condition::Both(first, self.comparison()),
            (false, false) => Condition::Either(first, self.comparison()),
        }
    }

    fn comparison(&mut self) -> Comparison {
        Comparison {
            left: self.target(),
            less: self.rng.chance(1, 2),
            right: self.sum(),
        }
    }

    /// Any variable but the last.
    fn target(&mut self) -> usize {
        up_to(self.rng, VARIABLES.len() - 1) - 1
    }

    /// Two to five operands.
    fn sum(&mut self) -> Sum {
        let count = up_to(self.rng, 4);
        let first = self.operand();
        let rest = (0..count).map(|_| (self.rng.chance(1, 2), self.operand()));
        Sum {
            first,
            rest: rest.collect(),
        }
    }

    fn operand(&mut self) -> Operand {
        match self.rng.chance(1, 2) {
            true => Operand::Variable(up_to(self.rng, VARIABLES.len()) - 1),
            false => Operand::Constant(self.rng.range(0..=99)),
        }
    }
}
