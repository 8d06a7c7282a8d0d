//! Printing terms in SMT-LIB.
//!
//! Enumerations are printed as integers from 0 on, because all solvers support integers; [`range`]
//! gives the condition that a variable is one of them. `abs`, `min` and `max` become conditionals.
//! The parser of this crate reads everything else back as the same term.

use crate::naming;
use crate::sharing::{self, Cut};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_base::{Int, Rat};
use sectile_terms::{Linear, Node, Sort, Stage, Symbol, Syntax, Term, Terms, Value};
use std::fmt::Write as _;

/// The text of a sort. Enumerations are integers.
pub fn print_sort(terms: &Terms, sort: Sort) -> String {
    sort.name(terms, Syntax::SmtLib)
}

/// The text of a variable.
pub fn print_variable(terms: &Terms, symbol: Symbol, stage: Stage) -> String {
    naming::encode(terms.name(symbol), stage)
}

/// The condition that a variable of an enumeration has one of its values; `None` for other sorts.
pub fn range(terms: &Terms, symbol: Symbol, stage: Stage) -> Option<String> {
    let Sort::Enum(id) = terms.symbol_sort(symbol) else {
        return None;
    };
    let last = terms.enum_info(id).variants.len().saturating_sub(1);
    let name = print_variable(terms, symbol, stage);
    Some(format!("(and (<= 0 {name}) (<= {name} {last}))"))
}

/// The text of a number of a sort.
pub fn print_number(value: &Rat, sort: Sort) -> String {
    let point = if sort == Sort::Real { ".0" } else { "" };
    let size = value.abs();
    let text = if size.is_int() {
        format!("{size}{point}")
    } else {
        format!("(/ {}{point} {}{point})", size.numer(), size.denom())
    };
    if value.is_negative() {
        format!("(- {text})")
    } else {
        text
    }
}

/// The text of a value. Values of enumerations are their positions.
pub fn print_value(terms: &Terms, value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => print_number(&Rat::from(i), Sort::Int),
        Value::Real(r) => print_number(r, Sort::Real),
        Value::Enum(_, k) => k.to_string(),
        Value::Array(a) => print_term(terms, a.to_term(terms)),
    }
}

/// The text of a term; sub-terms that occur more than once are bound by `let` and printed once.
pub fn print_term(terms: &Terms, term: Term) -> String {
    print_with(terms, term, Functions::Applied)
}

/// The same with functions as arrays, for languages without function variables.
pub(crate) fn print_term_with_tables(terms: &Terms, term: Term) -> String {
    print_with(terms, term, Functions::Tables)
}

/// How applications of functions are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Functions {
    /// `(f a b)`.
    Applied,
    /// `(select (select f a) b)`.
    Tables,
}

fn print_with(terms: &Terms, term: Term, functions: Functions) -> String {
    let term = terms.lower_extrema(term);
    let named = sharing::to_name(terms, &[term], Cut::Shared, |_| false);
    let mut names: FxHashMap<Term, u32> = FxHashMap::default();
    let mut out = String::new();
    let levels = levels(terms, term, &named);
    for level in &levels {
        out.push_str("(let (");
        for (i, &t) in level.iter().enumerate() {
            let number = u32::try_from(names.len() + 1).unwrap_or(u32::MAX);
            let gap = if i > 0 { " " } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(out, "{gap}(${number} ");
            print_body(terms, t, &names, functions, &mut out);
            out.push(')');
            names.insert(t, number);
        }
        out.push_str(") ");
    }
    print_body(terms, term, &names, functions, &mut out);
    out.extend(std::iter::repeat_n(')', levels.len()));
    out
}

/// Groups the shared terms so that each group mentions earlier groups only: one `let` a group
/// keeps the nesting shallow.
fn levels(terms: &Terms, root: Term, named: &[Term]) -> Vec<Vec<Term>> {
    let mut level: FxHashMap<Term, usize> = FxHashMap::default();
    let is_named: FxHashSet<Term> = named.iter().copied().collect();
    let mut groups: Vec<Vec<Term>> = Vec::new();
    for t in terms.post_order(&[root]) {
        let mut own = 0;
        sharing::for_each_shown(terms, t, |c| own = own.max(level[&c]));
        if is_named.contains(&t) && t != root {
            if groups.len() <= own {
                groups.push(Vec::new());
            }
            groups[own].push(t);
            own += 1;
        }
        level.insert(t, own);
    }
    groups
}

/// Pending output.
enum Item {
    Term(Term),
    /// A coefficient times a term.
    Product(Rat, Term, Sort),
    Text(&'static str),
    Owned(String),
}

/// Writes a term; named sub-terms (but not the term itself) are written as `$name`.
pub(crate) fn print_body(
    terms: &Terms,
    root: Term,
    names: &FxHashMap<Term, u32>,
    functions: Functions,
    out: &mut String,
) {
    let mut printer = Printer {
        terms,
        names,
        functions,
        stack: Vec::new(),
    };
    let mut parts = Vec::new();
    printer.node(root, &mut parts);
    printer.stack.extend(parts.drain(..).rev());
    while let Some(item) = printer.stack.pop() {
        match item {
            Item::Text(s) => out.push_str(s),
            Item::Owned(s) => out.push_str(&s),
            Item::Term(t) => printer.reference(t, &mut parts),
            Item::Product(c, t, sort) => {
                out.push_str("(* ");
                out.push_str(&print_number(&c, sort));
                parts.extend([Item::Text(" "), Item::Term(t), Item::Text(")")]);
            }
        }
        printer.stack.extend(parts.drain(..).rev());
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    names: &'a FxHashMap<Term, u32>,
    functions: Functions,
    stack: Vec<Item>,
}

impl Printer<'_> {
    fn reference(&self, t: Term, parts: &mut Vec<Item>) {
        match self.names.get(&t) {
            Some(number) => parts.push(Item::Owned(format!("${number}"))),
            None => self.node(t, parts),
        }
    }

    fn node(&self, t: Term, parts: &mut Vec<Item>) {
        let terms = self.terms;
        match terms.node(t) {
            Node::Bool(true) => parts.push(Item::Text("true")),
            Node::Bool(false) => parts.push(Item::Text("false")),
            Node::Number(value) => parts.push(Item::Owned(print_number(value, terms.sort(t)))),
            Node::Variant(_, k) => parts.push(Item::Owned(k.to_string())),
            Node::Var(symbol, stage) => {
                parts.push(Item::Owned(print_variable(terms, *symbol, *stage)));
            }
            Node::Not(a) => self.negation(*a, parts),
            Node::And(list) => call("(and", list, parts),
            Node::Or(list) => call("(or", list, parts),
            Node::Ite(c, a, b) => call("(ite", &[*c, *a, *b], parts),
            Node::Eq(a, b) => call("(=", &[*a, *b], parts),
            Node::Zero(a) => self.comparison("(= ", *a, parts),
            Node::NonPos(a) => self.comparison("(<= ", *a, parts),
            Node::Neg(a) => self.comparison("(< ", *a, parts),
            Node::Sum(sum) => self.sum(sum, terms.sort(t), parts),
            Node::Div(a, d) => quotient("(div ", *a, d, parts),
            Node::Mod(a, d) => quotient("(mod ", *a, d, parts),
            Node::ToReal(a) => call("(to_real", &[*a], parts),
            Node::Floor(a) => call("(to_int", &[*a], parts),
            Node::Select(a, i) => match terms.application(t) {
                Some((function, arguments)) => self.application(function, &arguments, parts),
                None => call("(select", &[*a, *i], parts),
            },
            Node::Store(a, i, v) => call("(store", &[*a, *i, *v], parts),
            Node::Filled(_, v) => {
                let sort = print_sort(terms, terms.sort(t));
                let open = Item::Owned(format!("((as const {sort}) "));
                parts.extend([open, Item::Term(*v), Item::Text(")")]);
            }
            // Not in the standard; this is z3's name.
            Node::Difference(a, b) => call("(array-ext", &[*a, *b], parts),
            Node::Abs(_) | Node::Min(..) | Node::Max(..) => {
                unreachable!("the callers lower abs, min and max")
            }
        }
    }

    fn application(&self, function: Symbol, arguments: &[Term], parts: &mut Vec<Item>) {
        let name = print_variable(self.terms, function, Stage::Now);
        if self.functions == Functions::Applied {
            parts.push(Item::Owned(format!("({name}")));
            return call("", arguments, parts);
        }
        parts.push(Item::Owned("(select ".repeat(arguments.len()) + &name));
        for &a in arguments {
            parts.extend([Item::Text(" "), Item::Term(a), Item::Text(")")]);
        }
    }

    fn negation(&self, a: Term, parts: &mut Vec<Item>) {
        match self.terms.node(a) {
            _ if self.names.contains_key(&a) => call("(not", &[a], parts),
            Node::NonPos(sum) => self.comparison("(> ", *sum, parts),
            Node::Neg(sum) => self.comparison("(>= ", *sum, parts),
            _ => call("(not", &[a], parts),
        }
    }

    /// `t op 0` with positive parts on the left and negative ones on the right.
    fn comparison(&self, open: &'static str, t: Term, parts: &mut Vec<Item>) {
        let sort = self.terms.sort(t);
        let whole = self.terms.linear(t);
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (m, c) in whole.monomials() {
            if c.is_negative() {
                right.add_term(*m, &-c);
            } else {
                left.add_term(*m, c);
            }
        }
        let constant = whole.constant();
        // Over the integers x + 1 <= y reads better as x < y, and its negation as x >= y.
        let shift = sort == Sort::Int && constant.is_one() && !right.is_constant();
        let open = match open {
            "(<= " if shift => "(< ",
            "(> " if shift => "(>= ",
            _ => {
                if constant.is_negative() || right.is_constant() {
                    right.add_constant(&-constant);
                } else {
                    left.add_constant(constant);
                }
                open
            }
        };
        parts.push(Item::Text(open));
        self.sum(&left, sort, parts);
        parts.push(Item::Text(" "));
        self.sum(&right, sort, parts);
        parts.push(Item::Text(")"));
    }

    fn sum(&self, sum: &Linear, sort: Sort, parts: &mut Vec<Item>) {
        let constant = sum.constant();
        if sum.is_constant() {
            parts.push(Item::Owned(print_number(constant, sort)));
            return;
        }
        let several = sum.monomials().len() + usize::from(!constant.is_zero()) > 1;
        if several {
            parts.push(Item::Text("(+ "));
        }
        for (i, (m, c)) in sum.monomials().iter().enumerate() {
            if i > 0 {
                parts.push(Item::Text(" "));
            }
            if c.is_one() {
                parts.push(Item::Term(*m));
            } else {
                parts.push(Item::Product(c.clone(), *m, sort));
            }
        }
        if !constant.is_zero() {
            parts.push(Item::Text(" "));
            parts.push(Item::Owned(print_number(constant, sort)));
        }
        if several {
            parts.push(Item::Text(")"));
        }
    }
}

fn call(open: &'static str, arguments: &[Term], parts: &mut Vec<Item>) {
    parts.push(Item::Text(open));
    for &a in arguments {
        parts.push(Item::Text(" "));
        parts.push(Item::Term(a));
    }
    parts.push(Item::Text(")"));
}

fn quotient(open: &'static str, a: Term, divisor: &Int, parts: &mut Vec<Item>) {
    parts.extend([
        Item::Text(open),
        Item::Term(a),
        Item::Owned(format!(" {divisor})")),
    ]);
}
