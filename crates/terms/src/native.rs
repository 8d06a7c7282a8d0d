//! Printing in the native syntax: what `.sct` files, certificates and reports show.

use crate::eval::Value;
use crate::linear::Linear;
use crate::node::{Node, Term};
use crate::sort::Sort;
use crate::store::{Stage, Symbol, Terms};

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
/// Primed variables get a `'`, variables of an unrolling `@k`. The output of a term without `@`
/// is read back by the native parser as the same term.
pub struct NativePrinter<'t> {
    terms: &'t Terms,
    rename: Option<&'t dyn Fn(Symbol) -> Option<String>>,
}

enum Item {
    Term(Term, Level),
    Negated(Term, Level),
    Text(&'static str),
    Owned(String),
}

impl<'t> NativePrinter<'t> {
    /// A printer that uses the declared names.
    pub fn new(terms: &'t Terms) -> NativePrinter<'t> {
        NativePrinter {
            terms,
            rename: None,
        }
    }

    /// A printer that asks for other names first.
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
                Item::Term(t, level) => self.expand(t, false, level, &mut parts),
                Item::Negated(t, level) => self.expand(t, true, level, &mut parts),
            }
            stack.extend(parts.drain(..).rev());
        }
        out
    }

    /// The pieces of a term (or of its negation), with parentheses where the context needs them.
    fn expand(&self, t: Term, negated: bool, context: Level, parts: &mut Vec<Item>) {
        let own = self.level(t, negated);
        let bracket = own < context;
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
            Node::Not(a) if !negated => self.level(*a, true),
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

    fn pieces(&self, t: Term, negated: bool, parts: &mut Vec<Item>) {
        let terms = self.terms;
        match terms.node(t) {
            Node::Not(a) if !negated => return self.pieces(*a, true, parts),
            Node::Zero(a) => return self.comparison(*a, if negated { "!=" } else { "=" }, parts),
            Node::NonPos(a) => return self.comparison(*a, if negated { ">" } else { "<=" }, parts),
            Node::Neg(a) => return self.comparison(*a, if negated { ">=" } else { "<" }, parts),
            Node::Eq(a, b) if terms.sort(*a) != Sort::Bool => {
                parts.push(Item::Term(*a, Level::Sum));
                parts.push(Item::Text(if negated { " != " } else { " = " }));
                parts.push(Item::Term(*b, Level::Sum));
                return;
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

    fn plain(&self, t: Term, parts: &mut Vec<Item>) {
        match self.terms.node(t) {
            Node::Bool(b) => parts.push(Item::Text(if *b { "true" } else { "false" })),
            Node::Number(value) => parts.push(Item::Owned(value.to_string())),
            Node::Variant(id, k) => {
                let name = &self.terms.enum_info(*id).variants[*k as usize];
                parts.push(Item::Owned(name.clone()));
            }
            Node::Var(symbol, stage) => parts.push(Item::Owned(self.variable(*symbol, *stage))),
            Node::Not(a) => parts.push(Item::Negated(*a, Level::Not)),
            Node::And(list) => self.joined(list, " and ", Level::Not, parts),
            Node::Or(list) => self.joined(list, " or ", Level::And, parts),
            Node::Ite(c, a, b) => {
                parts.push(Item::Text("if "));
                parts.push(Item::Term(*c, Level::Iff));
                parts.push(Item::Text(" then "));
                parts.push(Item::Term(*a, Level::Iff));
                parts.push(Item::Text(" else "));
                parts.push(Item::Term(*b, Level::Any));
            }
            Node::Eq(a, b) => self.joined(&[*a, *b], " <=> ", Level::Or, parts),
            Node::Sum(linear) => self.linear(linear, parts),
            Node::Div(a, d) => {
                parts.push(Item::Term(*a, Level::Atom));
                parts.push(Item::Owned(format!(" div {d}")));
            }
            Node::Mod(a, d) => {
                parts.push(Item::Term(*a, Level::Atom));
                parts.push(Item::Owned(format!(" mod {d}")));
            }
            Node::Abs(a) => self.call("abs(", &[*a], parts),
            Node::Min(a, b) => self.call("min(", &[*a, *b], parts),
            Node::Max(a, b) => self.call("max(", &[*a, *b], parts),
            Node::ToReal(a) => self.call("real(", &[*a], parts),
            Node::Floor(a) => self.call("floor(", &[*a], parts),
            Node::Select(a, i) => self.call("select(", &[*a, *i], parts),
            Node::Store(a, i, v) => self.call("store(", &[*a, *i, *v], parts),
            Node::Zero(_) | Node::NonPos(_) | Node::Neg(_) => {
                unreachable!("comparisons are printed by `pieces`")
            }
        }
    }

    fn joined(&self, list: &[Term], between: &'static str, level: Level, parts: &mut Vec<Item>) {
        for (i, &t) in list.iter().enumerate() {
            if i > 0 {
                parts.push(Item::Text(between));
            }
            parts.push(Item::Term(t, level));
        }
    }

    fn call(&self, open: &'static str, args: &[Term], parts: &mut Vec<Item>) {
        parts.push(Item::Text(open));
        self.joined(args, ", ", Level::Any, parts);
        parts.push(Item::Text(")"));
    }

    fn variable(&self, symbol: Symbol, stage: Stage) -> String {
        let renamed = self.rename.and_then(|f| f(symbol));
        let name = renamed.unwrap_or_else(|| self.terms.name(symbol).to_string());
        match stage {
            Stage::Now => name,
            Stage::Next => format!("{name}'"),
            Stage::At(k) => format!("{name}@{k}"),
        }
    }

    /// `t op 0` with positive parts on the left and negative ones on the right.
    fn comparison(&self, t: Term, op: &'static str, parts: &mut Vec<Item>) {
        let sum = self.terms.linear(t);
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (m, c) in sum.monomials() {
            if c.is_negative() {
                right.add_term(*m, &-c);
            } else {
                left.add_term(*m, c);
            }
        }
        let mut op = op;
        let constant = sum.constant();
        // Over the integers x + 1 <= y reads better as x < y, and its negation as x >= y.
        let shift = self.terms.sort(t) == Sort::Int && constant.is_one() && !right.is_constant();
        match op {
            "<=" if shift => op = "<",
            ">" if shift => op = ">=",
            _ if constant.is_negative() || right.is_constant() => right.add_constant(&-constant),
            _ => left.add_constant(constant),
        }
        self.linear(&left, parts);
        parts.push(Item::Text(" "));
        parts.push(Item::Text(op));
        parts.push(Item::Text(" "));
        self.linear(&right, parts);
    }

    fn linear(&self, sum: &Linear, parts: &mut Vec<Item>) {
        if sum.is_constant() {
            parts.push(Item::Owned(sum.constant().to_string()));
            return;
        }
        for (i, (m, c)) in sum.monomials().iter().enumerate() {
            match (i, c.is_negative()) {
                (0, false) => {}
                (0, true) => parts.push(Item::Text("-")),
                (_, false) => parts.push(Item::Text(" + ")),
                (_, true) => parts.push(Item::Text(" - ")),
            }
            let size = c.abs();
            if size.is_one() {
                parts.push(Item::Term(*m, Level::Product));
            } else {
                parts.push(Item::Owned(format!("{size} * ")));
                parts.push(Item::Term(*m, Level::Atom));
            }
        }
        let constant = sum.constant();
        if !constant.is_zero() {
            let sign = if constant.is_negative() { " - " } else { " + " };
            parts.push(Item::Text(sign));
            parts.push(Item::Owned(constant.abs().to_string()));
        }
    }
}

/// A value as the native syntax writes it.
pub fn display_value(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Real(r) => r.to_string(),
        Value::Enum(id, k) => terms.enum_info(*id).variants[*k as usize].clone(),
    }
}
