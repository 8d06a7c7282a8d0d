//! Printing in the native syntax, as in `.sct` files, certificates and reports.

use crate::linear::Linear;
use crate::names::is_plain;
use crate::node::{Node, Term};
use crate::sorts::{Sort, display_sort};
use crate::store::{Stage, Symbol, Terms};
use sectile_base::Rat;
use std::fmt::Write;

/// How tightly a construct binds; larger binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    Iff,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Atom,
}

/// Prints terms in the native syntax.
///
/// Primed variables get a `'`, variables of an unrolling `@k`. Names that the syntax could not read
/// are put in backquotes, except for names given by a renaming. The native parser reads the output
/// for a term without `@` as the same term.
pub struct NativePrinter<'t> {
    terms: &'t Terms,
    rename: Option<&'t dyn Fn(Symbol) -> Option<String>>,
}

enum Item<'t> {
    Term(Term, Level),
    Text(&'t str),
    Owned(String),
    Number(Rat),
}

impl<'t> NativePrinter<'t> {
    /// A printer that uses the declared names.
    pub fn new(terms: &'t Terms) -> NativePrinter<'t> {
        NativePrinter {
            terms,
            rename: None,
        }
    }

    /// A printer that tries a renaming of symbols first.
    pub fn renaming(
        terms: &'t Terms,
        rename: &'t dyn Fn(Symbol) -> Option<String>,
    ) -> NativePrinter<'t> {
        NativePrinter {
            terms,
            rename: Some(rename),
        }
    }

    /// The text of a term.
    pub fn print(&self, term: Term) -> String {
        let mut out = String::new();
        let mut stack = vec![Item::Term(term, Level::Any)];
        let mut parts = Vec::new();
        while let Some(item) = stack.pop() {
            match item {
                Item::Text(s) => out.push_str(s),
                Item::Owned(s) => out.push_str(&s),
                Item::Number(value) => {
                    write!(out, "{value}").expect("writing to a string does not fail");
                }
                Item::Term(t, level) => self.expand(t, level, &mut parts),
            }
            stack.extend(parts.drain(..).rev());
        }
        out
    }

    /// The text of a formula of a proof, with the symbols that are universally quantified in it.
    pub fn print_closed(&self, formula: Term) -> String {
        let bound = self.terms.bound_symbols(&[formula]).into_iter();
        let bound: Vec<String> = bound.map(|s| self.print(self.terms.var(s))).collect();
        let text = self.print(formula);
        match bound.is_empty() {
            true => text,
            false => format!("for all {}: {text}", bound.join(", ")),
        }
    }

    /// The pieces of a term, with parentheses where the context needs them.
    fn expand(&self, t: Term, context: Level, parts: &mut Vec<Item<'t>>) {
        let (t, negated) = self.terms.strip_not(t);
        let bracket = self.level(t, negated) < context;
        if bracket {
            parts.push(Item::Text("("));
        }
        self.pieces(t, negated, parts);
        if bracket {
            parts.push(Item::Text(")"));
        }
    }

    fn level(&self, t: Term, negated: bool) -> Level {
        match self.terms.node(t) {
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => Level::Compare,
            Node::Eq(a, _) if self.terms.sort(*a) != Sort::Bool => Level::Compare,
            Node::Eq(..) if !negated => Level::Iff,
            _ if negated => Level::Not,
            Node::And(_) => Level::And,
            Node::Or(_) => Level::Or,
            Node::Ite(..) => Level::Any,
            Node::Sum(linear) => match linear.monomials() {
                [(_, c)] if linear.constant().is_zero() && !c.is_negative() => Level::Product,
                _ => Level::Sum,
            },
            Node::Number(value) if value.is_negative() => Level::Sum,
            Node::Number(value) if !value.is_int() => Level::Product,
            Node::Div(..) | Node::Mod(..) => Level::Product,
            _ => Level::Atom,
        }
    }

    fn pieces(&self, t: Term, negated: bool, parts: &mut Vec<Item<'t>>) {
        let terms = self.terms;
        match terms.node(t) {
            Node::Zero(a) => return self.comparison(*a, if negated { "!=" } else { "=" }, parts),
            Node::NonPos(a) => return self.comparison(*a, if negated { ">" } else { "<=" }, parts),
            Node::Neg(a) => return self.comparison(*a, if negated { ">=" } else { "<" }, parts),
            Node::Eq(a, b) if terms.sort(*a) != Sort::Bool => {
                let op = if negated { " != " } else { " = " };
                return self.joined(&self.sides(*a, *b), op, Level::Sum, parts);
            }
            _ => {}
        }
        if negated {
            parts.push(Item::Text("not "));
            parts.push(Item::Term(t, Level::Not));
            return;
        }
        self.plain(t, parts);
    }

    fn plain(&self, t: Term, parts: &mut Vec<Item<'t>>) {
        match self.terms.node(t) {
            Node::Bool(b) => parts.push(Item::Text(if *b { "true" } else { "false" })),
            Node::Number(value) => parts.push(Item::Number(value.clone())),
            Node::Variant(id, k) => {
                self.name(&self.terms.enum_info(*id).variants[*k as usize], parts);
            }
            Node::Var(symbol, stage) => self.variable(*symbol, *stage, parts),
            Node::And(list) => self.joined(list, " and ", Level::Not, parts),
            Node::Or(list) => self.joined(list, " or ", Level::And, parts),
            Node::Ite(c, a, b) => self.conditional(*c, *a, *b, parts),
            Node::Eq(a, b) => self.joined(&self.sides(*a, *b), " <=> ", Level::Or, parts),
            Node::Sum(linear) => self.linear(linear, parts),
            Node::Div(a, d) => {
                let by = Item::Owned(format!(" div {d}"));
                parts.extend([Item::Term(*a, Level::Atom), by]);
            }
            Node::Mod(a, d) => {
                let by = Item::Owned(format!(" mod {d}"));
                parts.extend([Item::Term(*a, Level::Atom), by]);
            }
            Node::Abs(a) => self.call("abs(", &[*a], parts),
            Node::Min(a, b) => self.call("min(", &[*a, *b], parts),
            Node::Max(a, b) => self.call("max(", &[*a, *b], parts),
            Node::ToReal(a) => self.call("real(", &[*a], parts),
            Node::Floor(a) => self.call("floor(", &[*a], parts),
            Node::Select(a, i) => {
                if let Some((function, arguments)) = self.terms.application(t) {
                    self.variable(function, Stage::Now, parts);
                    return self.call("(", &arguments, parts);
                }
                parts.extend([Item::Term(*a, Level::Atom), Item::Text("[")]);
                parts.extend([Item::Term(*i, Level::Any), Item::Text("]")]);
            }
            Node::Store(a, i, v) => {
                parts.extend([Item::Term(*a, Level::Atom), Item::Text("[")]);
                parts.extend([Item::Term(*i, Level::Any), Item::Text(" := ")]);
                parts.extend([Item::Term(*v, Level::Any), Item::Text("]")]);
            }
            Node::Filled(id, v) => {
                let index = display_sort(self.terms, self.terms.array_parts(*id).0);
                parts.push(Item::Owned(format!("[{index} -> ")));
                parts.extend([Item::Term(*v, Level::Any), Item::Text("]")]);
            }
            Node::Difference(a, b) => self.call("difference(", &[*a, *b], parts),
            Node::Not(_) | Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => {
                unreachable!("negations and comparisons are printed by `pieces`")
            }
        }
    }

    fn conditional(&self, c: Term, a: Term, b: Term, parts: &mut Vec<Item<'t>>) {
        parts.push(Item::Text("if "));
        parts.push(Item::Term(c, Level::Iff));
        parts.push(Item::Text(" then "));
        match (self.terms.node(a), self.terms.node(b)) {
            // Between two integers nothing else would show that the terms are real.
            (Node::Number(x), Node::Number(y))
                if self.terms.sort(a) == Sort::Real && x.is_int() && y.is_int() =>
            {
                parts.push(Item::Number(x.clone()));
                parts.push(Item::Text(".0"));
            }
            _ => parts.push(Item::Term(a, Level::Iff)),
        }
        parts.push(Item::Text(" else "));
        parts.push(Item::Term(b, Level::Any));
    }

    fn joined(
        &self,
        list: &[Term],
        between: &'static str,
        level: Level,
        parts: &mut Vec<Item<'t>>,
    ) {
        for (i, &t) in list.iter().enumerate() {
            if i > 0 {
                parts.push(Item::Text(between));
            }
            parts.push(Item::Term(t, level));
        }
    }

    fn call(&self, open: &'static str, args: &[Term], parts: &mut Vec<Item<'t>>) {
        parts.push(Item::Text(open));
        self.joined(args, ", ", Level::Any, parts);
        parts.push(Item::Text(")"));
    }

    fn variable(&self, symbol: Symbol, stage: Stage, parts: &mut Vec<Item<'t>>) {
        match self.rename.and_then(|f| f(symbol)) {
            Some(name) => parts.push(Item::Owned(name)),
            None => self.name(self.terms.name(symbol), parts),
        }
        match stage {
            Stage::Now => {}
            Stage::Next => parts.push(Item::Text("'")),
            Stage::At(k) => parts.push(Item::Owned(format!("@{k}"))),
        }
    }

    fn name(&self, name: &'t str, parts: &mut Vec<Item<'t>>) {
        if is_plain(name) {
            parts.push(Item::Text(name));
        } else {
            parts.extend(["`", name, "`"].map(Item::Text));
        }
    }

    /// `t op 0` with positive parts on the left and negative ones on the right.
    fn comparison(&self, t: Term, op: &'static str, parts: &mut Vec<Item<'t>>) {
        let alone;
        let sum = match self.terms.node(t) {
            Node::Sum(linear) => linear,
            _ => {
                alone = Linear::term(t);
                &alone
            }
        };
        let side = |positive: bool| {
            let monomials = sum.monomials().iter();
            let own = monomials.filter(|m| m.1.is_positive() == positive);
            Linear::from_monomials(Rat::ZERO, own.map(|(m, c)| (*m, c.abs())).collect())
        };
        let (mut left, mut right) = (side(true), side(false));
        let constant = sum.constant();
        let (shift, op) = match self.terms.sort(t) {
            Sort::Int => friendlier(op, constant, right.is_constant()),
            _ => (Rat::ZERO, op),
        };
        let constant = &shift + constant;
        if constant.is_negative() || right.is_constant() {
            right.add_constant(&-constant);
        } else {
            left.add_constant(&constant);
        }
        let (left, op, right) = match right.monomials() {
            [(m, _)] if self.is_next(*m) && !left.monomials().iter().any(|m| self.is_next(m.0)) => {
                (right, mirrored(op), left)
            }
            _ => (left, op, right),
        };
        self.linear(&left, parts);
        parts.extend([" ", op, " "].map(Item::Text));
        self.linear(&right, parts);
    }

    /// Whether a term is a primed variable. An assignment reads best with it on the left.
    fn is_next(&self, t: Term) -> bool {
        matches!(self.terms.node(t), Node::Var(_, Stage::Next))
    }

    /// Both sides of an equality, in the order in which they are printed.
    fn sides(&self, a: Term, b: Term) -> [Term; 2] {
        if self.is_next(b) && !self.is_next(a) {
            [b, a]
        } else {
            [a, b]
        }
    }

    /// A sum that starts, if possible, with a positive summand.
    fn linear(&self, sum: &Linear, parts: &mut Vec<Item<'t>>) {
        let (constant, monomials) = (sum.constant(), sum.monomials());
        let first = monomials.iter().position(|m| m.1.is_positive());
        let constant_first = first.is_none() && (constant.is_positive() || monomials.is_empty());
        if constant_first {
            parts.push(Item::Number(constant.clone()));
        }
        let first = first.unwrap_or(0);
        let rest = monomials.iter().enumerate().filter(|(i, _)| *i != first);
        let ordered = monomials.get(first).into_iter().chain(rest.map(|(_, m)| m));
        for (i, (m, c)) in ordered.enumerate() {
            self.monomial(*m, c, i == 0 && !constant_first, parts);
        }
        if !constant_first && !constant.is_zero() {
            let sign = if constant.is_negative() { " - " } else { " + " };
            parts.push(Item::Text(sign));
            parts.push(Item::Number(constant.abs()));
        }
    }

    /// One summand with its sign.
    fn monomial(&self, m: Term, c: &Rat, first: bool, parts: &mut Vec<Item<'t>>) {
        match (first, c.is_negative()) {
            (true, false) => {}
            (true, true) => parts.push(Item::Text("-")),
            (false, false) => parts.push(Item::Text(" + ")),
            (false, true) => parts.push(Item::Text(" - ")),
        }
        let size = c.abs();
        // A sign binds tighter than `mod`: -(x mod 3) is not -x mod 3.
        let alone = size.is_one() && !(first && c.is_negative());
        if !size.is_one() {
            parts.extend([Item::Number(size), Item::Text(" * ")]);
        }
        let level = if alone { Level::Product } else { Level::Atom };
        parts.push(Item::Term(m, level));
    }
}

/// The comparison operator for exchanged sides.
fn mirrored(op: &'static str) -> &'static str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        _ => op,
    }
}

/// Another way to write `left + constant op right` over the integers: the number to add to the
/// constant, and the operator. `alone` means that there is no variable on the right.
///
/// Of the orders only `<=` and `>` occur in integer terms. Readers prefer `x < y` to `x + 1 <= y`,
/// `x >= 0` to `x > -1`, and `x + 3 >= y` to `x + 4 > y`.
fn friendlier(op: &'static str, constant: &Rat, alone: bool) -> (Rat, &'static str) {
    match op {
        "<=" if constant.is_one() => (Rat::MINUS_ONE, "<"),
        ">" if constant.is_positive() => (Rat::MINUS_ONE, ">="),
        ">" if alone && constant.is_negative() => (Rat::MINUS_ONE, ">="),
        _ => (Rat::ZERO, op),
    }
}
