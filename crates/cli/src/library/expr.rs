//! Expressions for models that are built in Rust.
//!
//! An expression is kept as text in the native language, with the precedence of its outermost
//! operator: parentheses are written only where they are needed, so that long chains stay flat.

use sectile_terms::native_name;
use std::ops::{Add, BitAnd, BitOr, Mul, Neg, Not, Sub};

/// The precedence of the outermost operator, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Level {
    /// Text with unknown operators.
    Text,
    Equivalence,
    Implication,
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Sign,
    Atom,
}

/// An expression over the variables of a [`System`](crate::System).
///
/// Numbers and truth values are expressions; `+`, `-`, `*`, `&`, `|` and `!` are the operators of the model.
/// Types are checked when the model is read.
///
/// ```
/// use sectile::Expr;
///
/// let (x, y) = (Expr::name("x"), Expr::name("y"));
/// let small = (&x + 1).le(2 * &y) & !x.equals(&y);
/// assert_eq!(small.to_string(), "x + 1 <= 2 * y and not x = y");
/// let either = (x.lt(0) | y.lt(0)) & Expr::text("x in {1, 2}");
/// assert_eq!(either.to_string(), "(x < 0 or y < 0) and (x in {1, 2})");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    text: String,
    level: Level,
}

impl Expr {
    fn new(text: String, level: Level) -> Expr {
        Expr { text, level }
    }

    /// A variable, a constant, or a value of an enumeration, by name.
    pub fn name(name: &str) -> Expr {
        Expr::new(quoted(name), Level::Atom)
    }

    /// Text in the native language (`docs/format/sct.md`), for everything without a method here.
    pub fn text(text: impl Into<String>) -> Expr {
        Expr::new(text.into(), Level::Text)
    }

    /// The conjunction.
    pub fn all(list: impl IntoIterator<Item = Expr>) -> Expr {
        chained(list, " and ", Level::And, true)
    }

    /// The disjunction.
    pub fn any(list: impl IntoIterator<Item = Expr>) -> Expr {
        chained(list, " or ", Level::Or, false)
    }

    /// `self` = `other`.
    pub fn equals(&self, other: impl Into<Expr>) -> Expr {
        self.compared("=", other.into())
    }

    /// `self` != `other`.
    pub fn differs(&self, other: impl Into<Expr>) -> Expr {
        self.compared("!=", other.into())
    }

    /// `self` < `other`.
    pub fn lt(&self, other: impl Into<Expr>) -> Expr {
        self.compared("<", other.into())
    }

    /// `self` <= `other`.
    pub fn le(&self, other: impl Into<Expr>) -> Expr {
        self.compared("<=", other.into())
    }

    /// `self` > `other`.
    pub fn gt(&self, other: impl Into<Expr>) -> Expr {
        self.compared(">", other.into())
    }

    /// `self` >= `other`.
    pub fn ge(&self, other: impl Into<Expr>) -> Expr {
        self.compared(">=", other.into())
    }

    /// The implication.
    pub fn implies(&self, other: impl Into<Expr>) -> Expr {
        let (left, right) = (self.above(Level::Implication), other.into());
        let right = right.at_least(Level::Implication);
        Expr::new(format!("{left} => {right}"), Level::Implication)
    }

    /// The equivalence.
    pub fn iff(&self, other: impl Into<Expr>) -> Expr {
        let (left, right) = (self.above(Level::Equivalence), other.into());
        let right = right.above(Level::Equivalence);
        Expr::new(format!("{left} <=> {right}"), Level::Equivalence)
    }

    /// `then` if `self` holds, and otherwise the other value.
    pub fn then_else(&self, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
        let (then, otherwise) = (then.into().text, otherwise.into().text);
        let text = format!("(if {} then {then} else {otherwise})", self.text);
        Expr::new(text, Level::Atom)
    }

    /// The quotient by a constant, rounded down for positive constants.
    pub fn div(&self, other: impl Into<Expr>) -> Expr {
        let right = other.into().above(Level::Product);
        let left = self.at_least(Level::Product);
        Expr::new(format!("{left} div {right}"), Level::Product)
    }

    /// The remainder by a constant, which is never negative.
    pub fn modulo(&self, other: impl Into<Expr>) -> Expr {
        let right = other.into().above(Level::Product);
        let left = self.at_least(Level::Product);
        Expr::new(format!("{left} mod {right}"), Level::Product)
    }

    /// The element of an array.
    pub fn at(&self, index: impl Into<Expr>) -> Expr {
        let array = self.at_least(Level::Atom);
        Expr::new(format!("{array}[{}]", index.into().text), Level::Atom)
    }

    /// The array with one element replaced.
    pub fn with(&self, index: impl Into<Expr>, value: impl Into<Expr>) -> Expr {
        let (index, value) = (index.into().text, value.into().text);
        let array = self.at_least(Level::Atom);
        Expr::new(format!("{array}[{index} := {value}]"), Level::Atom)
    }

    fn compared(&self, operator: &str, other: Expr) -> Expr {
        let left = self.above(Level::Comparison);
        let right = other.above(Level::Comparison);
        Expr::new(format!("{left} {operator} {right}"), Level::Comparison)
    }

    /// The text as an operand, in parentheses if its operator binds more loosely than this level.
    fn at_least(&self, level: Level) -> String {
        match self.level >= level {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }

    /// The text as an operand, in parentheses unless its operator binds more tightly than this
    /// level.
    fn above(&self, level: Level) -> String {
        match self.level > level {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }
}

/// Expressions joined by an associative operator; `none` if there are no expressions.
fn chained(list: impl IntoIterator<Item = Expr>, sign: &str, level: Level, none: bool) -> Expr {
    let mut parts: Vec<Expr> = list.into_iter().collect();
    match (parts.pop(), parts.is_empty()) {
        (None, _) => none.into(),
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            let texts: Vec<String> = parts.iter().map(|p| p.at_least(level)).collect();
            Expr::new(texts.join(sign), level)
        }
    }
}

/// A name as it is written in a declaration.
pub(crate) fn quoted(name: &str) -> String {
    match name.contains(['.', '[']) {
        true => format!("`{name}`"),
        false => native_name(name).into_owned(),
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&Expr> for Expr {
    fn from(expr: &Expr) -> Expr {
        expr.clone()
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Expr {
        Expr::new(value.to_string(), Level::Atom)
    }
}

impl Not for Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        !&self
    }
}

impl Not for &Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        Expr::new(format!("not {}", self.at_least(Level::Not)), Level::Not)
    }
}

impl Neg for Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        -&self
    }
}

impl Neg for &Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        Expr::new(format!("-{}", self.at_least(Level::Atom)), Level::Sign)
    }
}

/// Numbers are expressions.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Expr {
            fn from(value: $number) -> Expr {
                let level = if value < 0 { Level::Sign } else { Level::Atom };
                Expr::new(value.to_string(), level)
            }
        }
    )*};
}

numbers!(i32, i64);

/// An operator between expressions. `$right` decides when the right operand needs parentheses.
macro_rules! operator {
    ($trait:ident, $method:ident, $sign:literal, $level:expr, $right:ident) => {
        impl<T: Into<Expr>> $trait<T> for &Expr {
            type Output = Expr;

            fn $method(self, other: T) -> Expr {
                let left = self.at_least($level);
                let right = other.into().$right($level);
                Expr::new(format!("{left} {} {right}", $sign), $level)
            }
        }

        impl<T: Into<Expr>> $trait<T> for Expr {
            type Output = Expr;

            fn $method(self, other: T) -> Expr {
                $trait::$method(&self, other)
            }
        }
    };
}

operator!(Add, add, "+", Level::Sum, above);
operator!(Sub, sub, "-", Level::Sum, above);
operator!(Mul, mul, "*", Level::Product, above);
operator!(BitAnd, bitand, "and", Level::And, at_least);
operator!(BitOr, bitor, "or", Level::Or, at_least);

/// An operator whose left operand is a number.
macro_rules! operator_of_numbers {
    ($trait:ident, $method:ident, $($number:ty),*) => {$(
        impl $trait<Expr> for $number {
            type Output = Expr;

            fn $method(self, other: Expr) -> Expr {
                $trait::$method(Expr::from(self), other)
            }
        }

        impl $trait<&Expr> for $number {
            type Output = Expr;

            fn $method(self, other: &Expr) -> Expr {
                $trait::$method(Expr::from(self), other)
            }
        }
    )*};
}

operator_of_numbers!(Add, add, i32, i64);
operator_of_numbers!(Sub, sub, i32, i64);
operator_of_numbers!(Mul, mul, i32, i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_stand_where_they_are_needed() {
        let (a, b, c) = (Expr::name("a"), Expr::name("b"), Expr::name("c"));
        let cases = [
            (&a - (&b - &c), "a - (b - c)"),
            (&a - &b - &c, "a - b - c"),
            (2 * (&a + 1), "2 * (a + 1)"),
            (-(&a + 1) * 3, "-(a + 1) * 3"),
            (&a - -3, "a - -3"),
            (!(&a & &b), "not (a and b)"),
            (!!&a & &b, "not not a and b"),
            (a.equals(!&b), "a = (not b)"),
            (a.implies(b.implies(&c)), "a => b => c"),
            (a.implies(&b).implies(&c), "(a => b) => c"),
            (a.iff(&b).iff(&c), "(a <=> b) <=> c"),
            (a.implies(&b) | &c, "(a => b) or c"),
            (
                a.gt(0).then_else(&b, &c) + 1,
                "(if a > 0 then b else c) + 1",
            ),
            (a.with(1, &b).at(2), "a[1 := b][2]"),
            (a.div(2).modulo(3), "a div 2 mod 3"),
            (Expr::all([]), "true"),
            (Expr::any([a.clone()]), "a"),
            (Expr::all([&a | &b, c.clone()]), "(a or b) and c"),
            (
                Expr::name("P[1].pc") + Expr::name("var"),
                "`P[1].pc` + `var`",
            ),
        ];
        for (expr, text) in cases {
            assert_eq!(expr.to_string(), text);
        }
    }
}
