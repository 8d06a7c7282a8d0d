//! The declarations and named sub-terms that a reader of SMT-LIB has received.

use crate::print::{Functions, print_body, print_sort, print_variable, range};
use crate::sharing::{self, Cut};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms};
use std::fmt::Write as _;

/// A term that the encoding of enumerations as integers does not cover.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotPortable(pub String);

/// The declarations and definitions in force in a growing script, scope by scope.
///
/// [`Vocabulary::introduce`] writes everything a reader needs before some terms;
/// [`Vocabulary::text`] then writes such a term. Definitions in a scope are removed at its end, as
/// in SMT-LIB.
pub struct Vocabulary<'t> {
    terms: &'t Terms,
    /// Numbers of defined terms.
    names: FxHashMap<Term, u32>,
    declared: FxHashSet<Term>,
    /// Declarations and definitions, in order.
    trail: Vec<Term>,
    /// Length of the trail at the start of every open scope.
    scopes: Vec<usize>,
    lowered: FxHashMap<Term, Term>,
    next: u32,
}

impl<'t> Vocabulary<'t> {
    /// An empty vocabulary.
    pub fn new(terms: &'t Terms) -> Vocabulary<'t> {
        Vocabulary {
            terms,
            names: FxHashMap::default(),
            declared: FxHashSet::default(),
            trail: Vec::new(),
            scopes: Vec::new(),
            lowered: FxHashMap::default(),
            next: 1,
        }
    }

    /// A scope begins.
    pub fn push(&mut self) {
        self.scopes.push(self.trail.len());
    }

    /// The innermost scope ends.
    pub fn pop(&mut self) {
        let length = self.scopes.pop().unwrap_or(0);
        for t in self.trail.drain(length..) {
            self.names.remove(&t);
            self.declared.remove(&t);
        }
    }

    /// A number for a name of the form `$...` that is used for nothing else.
    pub fn fresh_number(&mut self) -> u32 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Writes the declarations and definitions that the terms need, with the ranges of enumerations
    /// as assertions, one command per line.
    pub fn introduce(&mut self, roots: &[Term], out: &mut String) -> Result<(), NotPortable> {
        let roots: Vec<Term> = roots.iter().map(|&r| self.lower(r)).collect();
        let known = |t| self.names.contains_key(&t) || self.declared.contains(&t);
        let new = self.terms.post_order_unless(&roots, known);
        for &t in &new {
            check_portable(self.terms, t)?;
        }
        for t in new {
            if let Node::Var(symbol, stage) = *self.terms.node(t) {
                self.declare(t, symbol, stage, out);
            } else if self.terms.application(t).is_some() {
                self.declared.insert(t);
                self.trail.push(t);
            }
        }
        let known = |t: Term| self.names.contains_key(&t);
        let shared = sharing::to_name(self.terms, &roots, Cut::SharedOrDeep, known);
        for t in shared {
            let number = self.fresh_number();
            let sort = print_sort(self.terms, self.terms.sort(t));
            // Writing to a String cannot fail.
            let _ = write!(out, "(define-fun ${number} () {sort} ");
            print_body(self.terms, t, &self.names, Functions::Applied, out);
            out.push_str(")\n");
            self.names.insert(t, number);
            self.trail.push(t);
        }
        Ok(())
    }

    /// The text of an introduced term.
    pub fn text(&mut self, t: Term) -> String {
        let t = self.lower(t);
        if let Some(number) = self.names.get(&t) {
            return format!("${number}");
        }
        let mut out = String::new();
        print_body(self.terms, t, &self.names, Functions::Applied, &mut out);
        out
    }

    /// The variables that are declared now, in the order of their declaration.
    pub fn variables(&self) -> impl Iterator<Item = (Symbol, Stage)> {
        self.trail
            .iter()
            .filter_map(|&t| match *self.terms.node(t) {
                Node::Var(symbol, stage) => Some((symbol, stage)),
                _ => None,
            })
    }

    /// The applications of functions in order of introduction.
    pub fn applications(&self) -> impl Iterator<Item = Term> {
        let shown = self.trail.iter().copied();
        shown.filter(|&t| self.terms.application(t).is_some())
    }

    fn lower(&mut self, t: Term) -> Term {
        let terms = self.terms;
        *self
            .lowered
            .entry(t)
            .or_insert_with(|| terms.lower_extrema(t))
    }

    fn declare(&mut self, t: Term, symbol: Symbol, stage: Stage, out: &mut String) {
        let terms = self.terms;
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", declaration(terms, symbol, stage));
        if let Some(condition) = range(terms, symbol, stage) {
            let _ = writeln!(out, "(assert {condition})");
        }
        self.declared.insert(t);
        self.trail.push(t);
    }
}

/// The declaration of a variable or of a function.
pub fn declaration(terms: &Terms, symbol: Symbol, stage: Stage) -> String {
    let name = print_variable(terms, symbol, stage);
    let (arguments, result) = terms.signature(symbol);
    let arguments = arguments.iter().map(|&sort| print_sort(terms, sort));
    let arguments: Vec<String> = arguments.collect();
    let result = print_sort(terms, result);
    format!("(declare-fun {name} ({}) {result})", arguments.join(" "))
}

/// Whether the text of the term has the meaning of the term.
///
/// Enumerations as integers have additional values; conditions on variables exclude them, but not
/// in arrays of enumerations, or in results of functions.
pub fn check_portable(terms: &Terms, t: Term) -> Result<(), NotPortable> {
    let mut parts: Vec<Sort> = Vec::new();
    if let Some((index, element)) = terms.sort(t).array_parts(terms) {
        // Values of a function at invalid arguments of an enumeration are never used.
        if !terms.is_partial_application(t) || index.array_parts(terms).is_some() {
            parts.push(index);
        }
        parts.push(element);
    }
    while let Some(part) = parts.pop() {
        match part {
            Sort::Enum(_) => {
                let text = "arrays over enumerations have no SMT-LIB form here".to_string();
                return Err(NotPortable(text));
            }
            Sort::Array(id) => {
                let (index, element) = terms.array_parts(id);
                parts.extend([index, element]);
            }
            _ => {}
        }
    }
    Ok(())
}

/// A complete script that checks the satisfiability of the assertions.
///
/// Shared sub-terms are defined once for all assertions, so the script is linear in their number.
/// Used for logs, tests and other tools.
pub fn script(terms: &Terms, assertions: &[Term]) -> Result<String, NotPortable> {
    let mut vocabulary = Vocabulary::new(terms);
    let mut out = String::new();
    vocabulary.introduce(assertions, &mut out)?;
    let logic = Logic::of(terms, assertions);
    let mut text = format!("(set-logic {})\n{out}", logic.name());
    for &a in assertions {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "(assert {})", vocabulary.text(a));
    }
    text.push_str("(check-sat)\n");
    Ok(text)
}

/// The theories used by some terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logic {
    /// Integers, or enumerations, which are printed as such.
    pub ints: bool,
    /// Reals.
    pub reals: bool,
    /// Arrays.
    pub arrays: bool,
    /// Uninterpreted functions.
    pub functions: bool,
}

impl Logic {
    /// The theories that the terms need.
    pub fn of(terms: &Terms, roots: &[Term]) -> Logic {
        let mut logic = Logic::default();
        for t in terms.post_order(roots) {
            match terms.sort(t) {
                Sort::Bool => {}
                Sort::Int | Sort::Enum(_) => logic.ints = true,
                Sort::Real => logic.reals = true,
                Sort::Array(_) if terms.is_partial_application(t) => logic.functions = true,
                Sort::Array(_) => logic.arrays = true,
            }
        }
        logic
    }

    /// The union of both.
    pub fn join(self, other: Logic) -> Logic {
        Logic {
            ints: self.ints || other.ints,
            reals: self.reals || other.reals,
            arrays: self.arrays || other.arrays,
            functions: self.functions || other.functions,
        }
    }

    /// The name of the smallest usual quantifier-free logic with these theories.
    pub fn name(self) -> &'static str {
        match (self.arrays, self.functions, self.ints, self.reals) {
            (false, false, _, false) => "QF_LIA",
            (false, false, false, true) => "QF_LRA",
            (false, false, true, true) => "QF_LIRA",
            (false, true, _, false) => "QF_UFLIA",
            (false, true, false, true) => "QF_UFLRA",
            (true, false, _, false) => "QF_ALIA",
            (true, true, _, false) => "QF_AUFLIA",
            (true, _, _, true) | (false, true, true, true) => "ALL",
        }
    }
}
