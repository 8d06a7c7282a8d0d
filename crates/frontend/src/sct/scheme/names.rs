//! Resolves names: indices, definitions, variables with their subscripts.

use super::{Context, DEEPEST, Lowering, at, data, other};
use crate::sct::ast::{Item, ProcessItem};
use crate::syntax::{Expr, Name, Reference};
use sectile_base::Span;
use sectile_model::scheme::{Use, UseKind};
use std::collections::BTreeMap;

impl<'i> Lowering<'i> {
    /// The body of a definition, with other names.
    pub(super) fn inside(
        &self,
        body: &'i Expr,
        own: Option<(&'i ProcessItem, Vec<Use>)>,
        names: BTreeMap<String, Use>,
        context: &Context<'i>,
    ) -> Use {
        if context.depth > DEEPEST {
            return other(body.span, "a definition inside of too many others");
        }
        let mut names = names;
        if let Some((process, indices)) = &own {
            let own = process.indices.iter().map(|b| b.name.text.to_string());
            names.extend(own.zip(indices.iter().cloned()));
        }
        let context = Context {
            names,
            own,
            depth: context.depth + 1,
        };
        self.used(body, &context)
    }

    #[allow(clippy::type_complexity)]
    pub(super) fn definition(
        &self,
        name: &Name,
        context: &Context<'i>,
    ) -> Option<(&'i [Name], &'i Expr, Option<(&'i ProcessItem, Vec<Use>)>)> {
        let find = |items: &'i [Item]| {
            items.iter().find_map(|item| match item {
                Item::Definition(n, parameters, body) if n.text == name.text => {
                    Some((&parameters[..], body))
                }
                _ => None,
            })
        };
        if let Some((process, indices)) = &context.own
            && let Some((parameters, body)) = find(&process.items)
        {
            let own = Some((*process, indices.clone()));
            return Some((parameters, body, own));
        }
        find(self.items).map(|(parameters, body)| (parameters, body, None))
    }

    pub(super) fn is_function(&self, name: &Name) -> bool {
        let mut items = self.items.iter();
        items.any(|item| matches!(item, Item::Function(f) if f.name.text == name.text))
    }

    pub(super) fn name(&self, name: &Name, context: &Context<'i>) -> Use {
        let (text, span) = (&*name.text, name.span);
        if let Some(known) = context.names.get(text) {
            return Use {
                span,
                ..known.clone()
            };
        }
        if let Some((parameters, body, own)) = self.definition(name, context) {
            return match parameters.is_empty() {
                true => self.inside(body, own, BTreeMap::new(), context),
                false => other(span, "a definition without its arguments"),
            };
        }
        if let Some((process, indices)) = &context.own
            && declares(&process.items, text)
        {
            let name = format!("{}.{text}", process.name.text);
            return at(span, UseKind::Variable(name, indices.clone()));
        }
        if text == self.size {
            return at(span, UseKind::Size);
        }
        if let Some(value) = self.given.get(text) {
            return at(span, UseKind::Number(*value));
        }
        let parameter = self.items.iter().find_map(|item| match item {
            Item::Parameter(p) if *p.name.text == *text => Some(&p.default),
            _ => None,
        });
        if let Some(default) = parameter {
            return self.inside(default, None, BTreeMap::new(), context);
        }
        if declares(self.items, text) {
            return at(span, UseKind::Variable(text.to_string(), Vec::new()));
        }
        match self.values.contains(text) || self.known.contains(text) {
            true => data(span),
            false => other(span, "a name that is not known"),
        }
    }

    pub(super) fn reference(
        &self,
        reference: &'i Reference,
        span: Span,
        context: &Context<'i>,
    ) -> Use {
        let base = &*reference.base.text;
        let indices =
            |list: &'i [Expr]| -> Vec<Use> { list.iter().map(|e| self.used(e, context)).collect() };
        if !reference.further.is_empty() {
            return other(span, "a name with several dots");
        }
        let process = self.items.iter().find_map(|item| match item {
            Item::Process(p) if *p.name.text == *base => Some(p),
            _ => None,
        });
        let own = indices(&reference.indices);
        match (process, &reference.member) {
            (Some(process), Some((member, more))) => {
                if declares(&process.items, &member.text) {
                    let name = format!("{base}.{}", member.text);
                    let all = own.into_iter().chain(indices(more)).collect();
                    return self.element(
                        name,
                        &process.items,
                        &member.text,
                        all,
                        process.indices.len(),
                        span,
                    );
                }
                let inside = Context {
                    own: Some((process, own)),
                    ..Context::default()
                };
                match self.definition(member, &inside) {
                    Some((parameters, body, Some(own)))
                        if parameters.is_empty() && more.is_empty() =>
                    {
                        self.inside(body, Some(own), BTreeMap::new(), context)
                    }
                    _ => other(span, "a member that is not known"),
                }
            }
            (None, None) => match &context.own {
                Some((process, outer)) if declares(&process.items, base) => {
                    let name = format!("{}.{base}", process.name.text);
                    let all = outer.iter().cloned().chain(own).collect();
                    self.element(name, &process.items, base, all, process.indices.len(), span)
                }
                _ if context.names.contains_key(base) && own.is_empty() => {
                    self.name(&reference.base, context)
                }
                _ if declares(self.items, base) => {
                    self.element(base.to_string(), self.items, base, own, 0, span)
                }
                _ => other(span, "a name that is not known"),
            },
            _ => other(span, "a record"),
        }
    }

    /// A variable with subscripts; those beyond its declared indices access an array.
    fn element(
        &self,
        name: String,
        items: &'i [Item],
        own: &str,
        subscripts: Vec<Use>,
        outer: usize,
        span: Span,
    ) -> Use {
        let declared = outer + dimensions(items, own);
        if subscripts.len() < declared {
            return other(span, "a variable without its indices");
        }
        let mut subscripts = subscripts;
        let rest = subscripts.split_off(declared);
        let variable = at(span, UseKind::Variable(name, subscripts));
        match rest.is_empty() {
            true => variable,
            false => {
                let parts = std::iter::once(variable).chain(rest).collect();
                at(span, UseKind::Data(parts))
            }
        }
    }
}

fn declares(items: &[Item], name: &str) -> bool {
    let mut items = items.iter();
    items.any(|item| match item {
        Item::Symbols(symbols) => symbols.declarators.iter().any(|d| &*d.name.text == name),
        _ => false,
    })
}

/// The number of indices in the declaration of a variable.
fn dimensions(items: &[Item], name: &str) -> usize {
    let found = items.iter().find_map(|item| match item {
        Item::Symbols(symbols) => symbols.declarators.iter().find(|d| &*d.name.text == name),
        _ => None,
    });
    found.map_or(0, |d| d.indices.len())
}
