//! Collects the declarations of a text.

use super::resolve::resolved;
use super::{Outline, OutlineKind, OutlineSymbol};
use crate::syntax::{Binder, Expr, ExprKind, Language, Lexer, Name, Token, TokenKind, TypeItem};
use sectile_base::{Diagnostics, Source, Span};
use std::collections::BTreeSet;

/// The declarations found so far.
pub(crate) struct Collector<'s> {
    pub source: &'s Source,
    pub tokens: Vec<Token<'s>>,
    /// The positions where declarations and statements begin.
    pub starts: BTreeSet<u32>,
    pub symbols: Vec<OutlineSymbol>,
    /// Names that are assigned where they occur.
    pub written: BTreeSet<Span>,
    /// Further positions where a symbol is declared: values of several enumerations.
    pub also: Vec<(Span, usize)>,
    /// The process, type or enumeration that is being read, and the scope of its names.
    pub parent: Option<usize>,
    pub scope: Span,
    language: Language,
}

impl<'s> Collector<'s> {
    pub fn new(source: &'s Source, language: Language, starts: BTreeSet<u32>) -> Collector<'s> {
        let mut lexer = Lexer::new(source, language);
        let mut ignored = Diagnostics::new();
        let next = std::iter::from_fn(|| Some(lexer.next(&mut ignored)));
        let tokens = next.take_while(|t| t.kind != TokenKind::End).collect();
        Collector {
            source,
            tokens,
            starts,
            symbols: Vec::new(),
            written: BTreeSet::new(),
            also: Vec::new(),
            parent: None,
            scope: Span::new(0, source.text().len()),
            language,
        }
    }

    /// Adds a declaration with the scope of its surroundings.
    pub fn declare(&mut self, name: &Name, kind: OutlineKind, sort: String) -> usize {
        self.symbols.push(OutlineSymbol {
            name: name.text.to_string(),
            kind,
            span: name.span,
            whole: self.declaration(name.span),
            parent: self.parent,
            sort,
            scope: self.scope,
        });
        self.symbols.len() - 1
    }

    /// Adds a name whose scope is a part of the text.
    pub fn declare_in(&mut self, name: &Name, sort: String, scope: Span) {
        let index = self.declare(name, OutlineKind::Local, sort);
        self.symbols[index].scope = scope;
    }

    /// Adds indices whose scope is a part of the text.
    pub fn binders(&mut self, binders: &[Binder], scope: Span) {
        for binder in binders {
            let low = self.source.slice(binder.low.span);
            let high = self.source.slice(binder.high.span);
            self.declare_in(&binder.name, format!("{low}..{high}"), scope);
            self.expression(&binder.low);
            self.expression(&binder.high);
        }
    }

    /// Adds the values of an enumeration, or the fields of a record.
    pub fn parts(&mut self, sort: &TypeItem) {
        match sort {
            TypeItem::Values(values) => self.values(values, ""),
            TypeItem::Record(fields, _) => {
                for (name, sort) in fields {
                    self.declare(name, OutlineKind::Field, type_text(self.source, sort));
                    self.parts(sort);
                }
            }
            TypeItem::Array(index, element, _) => {
                self.parts(index);
                self.parts(element);
            }
            _ => {}
        }
    }

    /// Adds values of an enumeration, which are global. A name may be a value of several
    /// enumerations; its uses do not tell which, so they are one symbol.
    pub fn values(&mut self, values: &[Name], of: &str) {
        let (parent, scope) = (self.parent, self.scope);
        self.parent = None;
        self.scope = Span::new(0, self.source.text().len());
        for value in values {
            let same =
                |s: &OutlineSymbol| s.kind == OutlineKind::Value && s.name.as_str() == &*value.text;
            match self.symbols.iter().position(same) {
                Some(known) => self.also.push((value.span, known)),
                None => _ = self.declare(value, OutlineKind::Value, of.to_string()),
            }
        }
        (self.parent, self.scope) = (parent, scope);
    }

    /// Finds indices that quantifiers declare, and primed variables.
    pub fn expression(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Quantified(q) => self.binders(&q.binders, q.span.to(q.body.span)),
            ExprKind::Reference(r) if r.prime.is_some() => self.write(expression),
            ExprKind::Keep(list) => list.iter().for_each(|e| self.write(e)),
            _ => {}
        }
        expression.for_each_part(&mut |part| self.expression(part));
    }

    /// Records an assignment of a variable.
    pub fn write(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => _ = self.written.insert(name.span),
            ExprKind::Reference(r) => {
                let names = r.member.iter().chain(&r.further).map(|(name, _)| name.span);
                let names: Vec<Span> = std::iter::once(r.base.span).chain(names).collect();
                self.written.extend(names);
            }
            _ => {}
        }
    }

    /// The span of the declaration or statement around a position, up to the next one.
    pub fn declaration(&self, at: Span) -> Span {
        let start = self.starts.range(..=at.start).next_back();
        let start = start.copied().unwrap_or(at.start);
        let next = self.starts.range(at.end..).next();
        let next = next.copied().unwrap_or(u32::MAX);
        let first = self.tokens.partition_point(|t| t.span.start < start);
        let mut end = at.end;
        let mut open = 0_i32;
        for token in &self.tokens[first..] {
            open += i32::from(token.is("{")) - i32::from(token.is("}"));
            if token.span.start >= next || open < 0 {
                break;
            }
            end = end.max(token.span.end);
        }
        Span { start, end }
    }

    /// The span from a position to the bracket that closes the first one after it.
    pub fn block_behind(&self, at: Span) -> Span {
        let first = self.tokens.partition_point(|t| t.span.start < at.end);
        let mut depth = 0_i32;
        for token in &self.tokens[first..] {
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            if token.is("}") && depth == 0 {
                return at.to(token.span);
            }
        }
        at.to(Span::new(0, self.source.text().len()))
    }

    /// Determines the meaning of all names. Undeclared names become variables if `implicit` is set.
    pub fn finish(self, implicit: bool) -> Outline {
        let words = self.language.words.iter().copied().flatten().copied();
        let keywords = words.collect();
        let (symbols, uses) = resolved(self, implicit);
        Outline {
            symbols,
            uses,
            keywords,
        }
    }
}

/// The text of a type as written.
pub(crate) fn type_text(source: &Source, sort: &TypeItem) -> String {
    match sort {
        TypeItem::Bool => "bool".to_string(),
        TypeItem::Int => "int".to_string(),
        TypeItem::Nat => "nat".to_string(),
        TypeItem::Real => "real".to_string(),
        TypeItem::Range(low, high) => {
            format!("{}..{}", source.slice(low.span), source.slice(high.span))
        }
        TypeItem::Named(name) => name.text.to_string(),
        TypeItem::Values(values) => {
            let values: Vec<&str> = values.iter().map(|v| &*v.text).collect();
            format!("{{{}}}", values.join(", "))
        }
        TypeItem::Array(_, _, span) | TypeItem::Record(_, span) => source.slice(*span).to_string(),
    }
}
