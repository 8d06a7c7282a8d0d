//! The scheme of a text: how it uses indices, for `--forall n`.
//!
//! Definitions are expanded, and parameters other than the number of processes are replaced by
//! their values. Unsupported constructs become `Other`, which is refused when the scheme is
//! examined.
//!
//! | file | what |
//! |---|---|
//! | `items.rs` | declarations, commands and properties |
//! | `expressions.rs` | expressions |
//! | `names.rs` | the meaning of names |

mod expressions;
mod items;
mod names;

use super::ast::{Item, ProcessItem, Symbols};
use super::parse::{DIALECT, parse};
use crate::ReadOptions;
use crate::syntax::{Binder, Name, Parser, TypeItem};
use sectile_base::{Diagnostics, Source, Span};
use sectile_model::scheme::{IndexBinder, Scheme, Use, UseKind};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum nesting of definitions.
const DEEPEST: usize = 200;

/// The scheme of a text, for every value of the parameter `size`.
pub fn scheme(source: &Source, options: &ReadOptions, size: &str) -> Result<Scheme, Diagnostics> {
    let parsed = parse(source);
    if parsed.diagnostics.has_errors() {
        return Err(parsed.diagnostics);
    }
    Ok(Lowering::new(&parsed.items, options, size, &[]).scheme())
}

/// A formula in the scope of a text. The names in `known` are additional data.
pub fn scheme_formula(
    source: &Source,
    options: &ReadOptions,
    size: &str,
    known: &[String],
    formula: &Source,
) -> Result<Use, Diagnostics> {
    let parsed = parse(source);
    if parsed.diagnostics.has_errors() {
        return Err(parsed.diagnostics);
    }
    let mut parser = Parser::new(formula, DIALECT);
    let expr = parser.expression();
    if expr.is_ok() && !parser.at_end() {
        parser.unexpected("the end of the expression", None);
    }
    let (diagnostics, _) = parser.finish();
    let lowering = Lowering::new(&parsed.items, options, size, known);
    match expr {
        Ok(expr) if !diagnostics.has_errors() => Ok(lowering.used(&expr, &Context::default())),
        _ => Err(diagnostics),
    }
}

/// The meaning of names in an expression.
#[derive(Clone, Default)]
struct Context<'i> {
    /// Indices, arguments and chosen values.
    names: BTreeMap<String, Use>,
    /// The enclosing process, with its indices.
    own: Option<(&'i ProcessItem, Vec<Use>)>,
    depth: usize,
}

struct Lowering<'i> {
    items: &'i [Item],
    given: BTreeMap<String, i64>,
    size: String,
    known: BTreeSet<String>,
    values: BTreeSet<String>,
    indices: Cell<usize>,
}

fn at(span: Span, kind: UseKind) -> Use {
    Use { kind, span }
}

fn data(span: Span) -> Use {
    at(span, UseKind::Data(Vec::new()))
}

fn truth(span: Span, value: bool) -> Use {
    at(span, UseKind::Truth(value))
}

impl<'i> Lowering<'i> {
    fn new(items: &'i [Item], options: &ReadOptions, size: &str, known: &[String]) -> Lowering<'i> {
        let given = options.parameters.iter().filter(|(n, _)| n != size);
        let given = given.filter_map(|(n, v)| Some((n.clone(), v.trim().parse().ok()?)));
        let mut values = BTreeSet::new();
        let inner = items.iter().flat_map(|item| match item {
            Item::Process(process) => &process.items[..],
            _ => &[],
        });
        for item in items.iter().chain(inner) {
            let named = match item {
                Item::Enumeration(_, names) => names,
                Item::Symbols(Symbols {
                    sort: TypeItem::Values(names),
                    ..
                }) => names,
                _ => continue,
            };
            values.extend(named.iter().map(|n| n.text.to_string()));
        }
        Lowering {
            items,
            given: given.collect(),
            size: size.to_string(),
            known: known.iter().cloned().collect(),
            values,
            indices: Cell::new(0),
        }
    }

    fn scheme(&self) -> Scheme {
        let mut scheme = Scheme {
            size: self.size.clone(),
            ..Scheme::default()
        };
        for item in self.items {
            self.item(item, &Context::default(), &[], &mut scheme);
        }
        scheme
    }

    /// Indices with their ranges, and the context in which they are declared.
    fn bound(
        &self,
        binders: &'i [Binder],
        context: &Context<'i>,
    ) -> (Vec<IndexBinder>, Context<'i>) {
        let mut inner = context.clone();
        let mut found = Vec::new();
        for binder in binders {
            let id = self.indices.replace(self.indices.get() + 1);
            found.push(IndexBinder {
                id,
                low: self.used(&binder.low, &inner),
                high: self.used(&binder.high, &inner),
            });
            let index = at(binder.name.span, UseKind::Index(id));
            inner.names.insert(binder.name.text.to_string(), index);
        }
        (found, inner)
    }

    fn full_name(&self, name: &Name, context: &Context<'i>) -> String {
        match &context.own {
            Some((process, _)) => format!("{}.{}", process.name.text, name.text),
            None => name.text.to_string(),
        }
    }
}

fn other(span: Span, what: &'static str) -> Use {
    at(span, UseKind::Other(what))
}
