//! Horn clauses and their models in the format of CHC-COMP.
//!
//! Validators read models strictly: every declared predicate, names in bars if necessary, no helper
//! functions, nothing else.

use super::comment;
use super::signature::{Signature, definition};
use crate::naming::quote;
use crate::print::{print_sort, print_term};
use rustc_hash::FxHashMap;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause};
use sectile_terms::{Sort, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::fmt::Write as _;

/// Arguments with short names, the same for all predicates.
struct Arguments<'t> {
    terms: &'t Terms,
    pool: FxHashMap<(usize, Sort), Symbol>,
}

impl Arguments<'_> {
    fn of(&mut self, parameters: &[Symbol]) -> Vec<Symbol> {
        let terms = self.terms;
        let places = parameters.iter().enumerate();
        let own = places.map(|(k, &p)| {
            let sort = terms.symbol_sort(p);
            let entry = self.pool.entry((k, sort));
            *entry.or_insert_with(|| terms.fresh(&format!("a{k}"), sort, SymbolKind::Input))
        });
        own.collect()
    }
}

/// The text of a model: a `define-fun` for each function or constant of the file, with an arbitrary
/// meaning, and one for each predicate, in the order of their declarations.
///
/// `signatures` are the arguments as in the file, if those differ from ours. Fails with the reason
/// if a meaning cannot be expressed over those.
pub fn to_model(
    terms: &Terms,
    clauses: &HornClauses,
    signatures: &[Signature],
    functions: &[Symbol],
    interpretation: &[Term],
) -> Result<String, String> {
    let mut arguments = Arguments {
        terms,
        pool: FxHashMap::default(),
    };
    let mut out = String::from("(\n");
    for &f in functions {
        let (sorts, result) = terms.signature(f);
        let bound = sorts.iter().enumerate();
        let bound = bound.map(|(k, &s)| format!("(a{k} {})", print_sort(terms, s)));
        let bound: Vec<String> = bound.collect();
        let some = Value::some_of(terms, result).to_term(terms);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "  (define-fun {} ({}) {}\n    {})",
            quote(terms.name(f)),
            bound.join(" "),
            print_sort(terms, result),
            print_term(terms, some)
        );
    }
    for (k, (predicate, &formula)) in clauses.predicates.iter().zip(interpretation).enumerate() {
        if let Some(signature) = signatures.get(k) {
            let made = definition(terms, signature, &predicate.parameters, formula);
            let (bound, body) = made.map_err(|why| format!("`{}`: {why}", predicate.name))?;
            let name = quote(&predicate.name);
            let body = for_all(terms, formula, body);
            let _ = writeln!(out, "  (define-fun {name} ({bound}) Bool\n    {body})");
            continue;
        }
        let own = arguments.of(&predicate.parameters);
        let pairs = predicate.parameters.iter().zip(&own);
        let map: Substitution = pairs.map(|(&p, &a)| (terms.var(p), terms.var(a))).collect();
        let formula = terms.substitute(formula, &map);
        let bound: Vec<String> = own.iter().map(|&a| declaration(terms, a)).collect();
        let _ = writeln!(
            out,
            "  (define-fun {} ({}) Bool\n    {})",
            quote(&predicate.name),
            bound.join(" "),
            for_all(terms, formula, print_term(terms, formula))
        );
    }
    out.push_str(")\n");
    Ok(out)
}

/// The text of a formula, which holds for all values of its bound symbols.
fn for_all(terms: &Terms, formula: Term, text: String) -> String {
    let bound = terms.bound_symbols(&[formula]).into_iter();
    let bound: Vec<String> = bound.map(|s| declaration(terms, s)).collect();
    match bound.is_empty() {
        true => text,
        false => format!("(forall ({}) {text})", bound.join(" ")),
    }
}

fn declaration(terms: &Terms, symbol: Symbol) -> String {
    let name = print_term(terms, terms.var(symbol));
    format!("({name} {})", print_sort(terms, terms.symbol_sort(symbol)))
}

/// The clauses as a script that declares these functions and constants.
pub fn to_clauses(terms: &Terms, clauses: &HornClauses, functions: &[Symbol]) -> String {
    let mut out = format!("; {}\n(set-logic HORN)\n", comment(&clauses.name));
    for &f in functions {
        let (sorts, result) = terms.signature(f);
        let sorts: Vec<String> = sorts.iter().map(|&s| print_sort(terms, s)).collect();
        let (name, result) = (quote(terms.name(f)), print_sort(terms, result));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "(declare-fun {name} ({}) {result})", sorts.join(" "));
    }
    for predicate in &clauses.predicates {
        let sorts = predicate.parameters.iter();
        let sorts: Vec<String> = sorts
            .map(|&p| print_sort(terms, terms.symbol_sort(p)))
            .collect();
        let name = quote(&predicate.name);
        let _ = writeln!(out, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
    }
    for (k, clause) in clauses.clauses.iter().enumerate() {
        let text = print_clause(terms, clauses, clause);
        let _ = writeln!(out, "; clause {}\n(assert {text})", k + 1);
    }
    out.push_str("(check-sat)\n");
    out
}

fn print_clause(terms: &Terms, clauses: &HornClauses, clause: &Clause) -> String {
    let atom = |a: &Application| print_application(terms, clauses, a);
    let mut body: Vec<String> = clause.body.iter().map(atom).collect();
    let constraint = clause.constraint_formula(terms);
    if constraint != terms.tt() || body.is_empty() {
        body.push(print_term(terms, constraint));
    }
    let body = match body.as_slice() {
        [only] => only.clone(),
        _ => format!("(and {})", body.join(" ")),
    };
    let head = clause.head.as_ref().map_or("false".to_string(), atom);
    let bound = clause.variables.iter().map(|&v| declaration(terms, v));
    let bound: Vec<String> = bound.collect();
    match bound.is_empty() {
        true => format!("(=> {body} {head})"),
        false => format!("(forall ({})\n  (=> {body}\n    {head}))", bound.join(" ")),
    }
}

fn print_application(terms: &Terms, clauses: &HornClauses, application: &Application) -> String {
    let name = quote(&clauses.predicates[application.predicate].name);
    let arguments = application.arguments.iter();
    let arguments: Vec<String> = arguments.map(|&a| print_term(terms, a)).collect();
    match arguments.is_empty() {
        true => name.into_owned(),
        false => format!("({name} {})", arguments.join(" ")),
    }
}
