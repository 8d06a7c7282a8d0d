//! What a reader of SMT-LIB has been told: declarations and names of shared sub-terms.

use crate::print::{Functions, print_body, print_sort, print_variable, range};
use crate::sharing::{self, Cut};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms};
use std::fmt::Write as _;

/// A term that the encoding of enumerations as integers does not cover.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotPortable(pub String);

/// The declarations and definitions that are in force in a growing script, scope by scope.
///
/// [`Vocabulary::introduce`] writes what a reader must know before it is shown some terms;
/// [`Vocabulary::text`] then writes such a term. What is introduced in a scope is forgotten at its
/// end, as SMT-LIB readers forget it.
pub struct Vocabulary<'t> {
    terms: &'t Terms,
    /// Numbers of defined terms.
    names: FxHashMap<Term, u32>,
    declared: FxHashSet<Term>,
    /// What was declared or defined, in order.
    trail: Vec<Term>,
    /// Length of the trail at the start of every open scope.
    scopes: Vec<usize>,
    lowered: FxHashMap<Term, Term>,
    next: u32,
}

impl<'t> Vocabulary<'t> {
    /// Nothing known yet.
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

    /// A number for a name of the form `$...` that this vocabulary gives to nothing else.
    pub fn fresh_number(&mut self) -> u32 {
        let number = self.next;
        self.next += 1;
        number
    }

    /// Writes declarations and definitions that the terms need, with the ranges of enumerations
    /// as assertions, each command on a line.
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

    /// The text of a term that was introduced.
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

    /// The applications of functions that were shown, in this order.
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

/// Whether the text of the term means what the term means.
///
/// Enumerations as integers have more values than they should; conditions on variables repair
/// that, but nothing repairs arrays of them, or functions whose results they are.
pub fn check_portable(terms: &Terms, t: Term) -> Result<(), NotPortable> {
    let mut parts: Vec<Sort> = Vec::new();
    if let Some((index, element)) = terms.sort(t).array_parts(terms) {
        // What a function says of arguments that are no values of an enumeration is never asked.
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

/// A complete script that asks whether the assertions are satisfiable together.
///
/// Shared sub-terms are defined once for all assertions, so that the script is linear in their
/// number. Used for logs, tests and handing queries to other tools.
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

/// The theories that some terms need.
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
    /// What the terms need.
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

    /// What either needs.
    pub fn join(self, other: Logic) -> Logic {
        Logic {
            ints: self.ints || other.ints,
            reals: self.reals || other.reals,
            arrays: self.arrays || other.arrays,
            functions: self.functions || other.functions,
        }
    }

    /// The name of the smallest usual quantifier-free logic that has them.
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
