//! Executes the declarations and definitions of a script.

use crate::command::CommandKind;
use crate::parse::{parse_sort, parse_term_of};
use crate::scope::{Meaning, Scope};
use crate::sexp::{Sexp, Tree};
use sectile_base::{Diagnostic, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Terms};

/// Executes a declaration or definition at `span`.
///
/// A declared constant becomes a symbol of the given kind with the same name, or with a fresh name
/// if that name has another sort in the store; a function with arguments likewise becomes a rigid
/// symbol. The symbol is returned. Other commands do nothing here.
pub fn declare(
    terms: &Terms,
    tree: &Tree<'_>,
    command: &CommandKind<'_>,
    span: Span,
    kind: SymbolKind,
    scope: &mut Scope,
) -> Result<Option<Symbol>, Diagnostic> {
    match command {
        CommandKind::DeclareFun {
            name,
            arguments,
            result,
        } => {
            refuse_second(scope, name, span)?;
            let sort = parse_sort(terms, tree, *result, scope)?;
            if !arguments.is_empty() {
                let sorts = arguments.iter().map(|&a| parse_sort(terms, tree, a, scope));
                let sorts: Vec<Sort> = sorts.collect::<Result<_, _>>()?;
                let function = terms.declare_function(name, &sorts, sort);
                let function =
                    function.unwrap_or_else(|_| terms.fresh_function(name, &sorts, sort));
                scope.define(name, Meaning::Function(function));
                return Ok(Some(function));
            }
            let symbol = terms.declare(name, sort, kind);
            let symbol = symbol.unwrap_or_else(|_| terms.fresh(name, sort, kind));
            scope.define(name, Meaning::Term(terms.var(symbol)));
            Ok(Some(symbol))
        }
        CommandKind::DefineFun {
            name,
            parameters,
            result,
            body,
        } => {
            refuse_second(scope, name, span)?;
            let meaning = definition(terms, tree, (parameters, *result, *body), scope)?;
            scope.define(name, meaning);
            Ok(None)
        }
        CommandKind::DefineSort(name, sort) => {
            refuse_second_sort(scope, name, span)?;
            let sort = parse_sort(terms, tree, *sort, scope)?;
            scope.define_sort(name, sort);
            Ok(None)
        }
        CommandKind::DeclareSort(..) => {
            let message = "sorts of one's own are not supported";
            Err(Diagnostic::error("smt-unsupported", span, message))
        }
        _ => Ok(None),
    }
}

/// An error if a sort of this name was declared or defined.
pub fn refuse_second_sort(scope: &Scope, name: &str, span: Span) -> Result<(), Diagnostic> {
    if scope.sort(name).is_some() || matches!(name, "Bool" | "Int" | "Real" | "Array") {
        let message = format!("there is a sort `{name}` already");
        return Err(Diagnostic::error("smt-name", span, message));
    }
    Ok(())
}

fn refuse_second(scope: &Scope, name: &str, span: Span) -> Result<(), Diagnostic> {
    if scope.knows(name) {
        let message = format!("`{name}` is declared already");
        return Err(Diagnostic::error("smt-name", span, message));
    }
    Ok(())
}

/// The meaning of a definition: its body is parsed once, over variables for its parameters.
fn definition(
    terms: &Terms,
    tree: &Tree<'_>,
    (parameters, result, body): (&[(&str, Sexp)], Sexp, Sexp),
    scope: &mut Scope,
) -> Result<Meaning, Diagnostic> {
    let sort = parse_sort(terms, tree, result, scope)?;
    let sorts: Vec<Sort> = parameters
        .iter()
        .map(|p| parse_sort(terms, tree, p.1, scope))
        .collect::<Result<_, _>>()?;
    let mark = scope.mark();
    let mut variables = Vec::new();
    for ((name, _), sort) in parameters.iter().zip(sorts) {
        let symbol = terms.fresh(&format!("{name}!parameter"), sort, SymbolKind::Input);
        variables.push(terms.var(symbol));
        scope.define(name, Meaning::Term(terms.var(symbol)));
    }
    let parsed = parse_term_of(terms, tree, body, scope, sort);
    scope.undo_to(mark);
    let body = parsed?;
    Ok(if parameters.is_empty() {
        Meaning::Term(body)
    } else {
        Meaning::Macro {
            parameters: variables,
            body,
        }
    })
}
