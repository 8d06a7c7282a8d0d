//! Resolves names: a name refers to the declaration with the innermost scope around it.

use super::collect::Collector;
use super::{OutlineKind, OutlineSymbol, Use};
use crate::syntax::Token;
use sectile_base::Span;
use std::collections::BTreeMap;

/// The symbols and the uses of their names.
pub(super) fn resolved(all: Collector<'_>, implicit: bool) -> (Vec<OutlineSymbol>, Vec<Use>) {
    let mut declared: BTreeMap<Span, usize> = all.also.iter().copied().collect();
    let mut named: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, symbol) in all.symbols.iter().enumerate() {
        declared.entry(symbol.span).or_insert(i);
        named.entry(symbol.name.clone()).or_default().push(i);
    }
    let mut resolver = Resolver {
        all,
        declared,
        named,
        found: BTreeMap::new(),
    };
    let mut uses = Vec::new();
    for k in 0..resolver.all.tokens.len() {
        let token = resolver.all.tokens[k];
        if !token.is_name() {
            continue;
        }
        let Some(symbol) = resolver.meaning(k, implicit) else {
            continue;
        };
        resolver.found.insert(k, symbol);
        uses.push(Use {
            span: token.span,
            symbol,
            written: resolver.all.written.contains(&token.span),
            declares: resolver.declared.contains_key(&token.span),
        });
    }
    (resolver.all.symbols, uses)
}

struct Resolver<'s> {
    all: Collector<'s>,
    /// Declarations by the positions of their names.
    declared: BTreeMap<Span, usize>,
    named: BTreeMap<String, Vec<usize>>,
    /// The symbols of the tokens that have been resolved.
    found: BTreeMap<usize, usize>,
}

impl Resolver<'_> {
    fn meaning(&mut self, k: usize, implicit: bool) -> Option<usize> {
        let token = self.all.tokens[k];
        if let Some(&symbol) = self.declared.get(&token.span) {
            return Some(symbol);
        }
        if self.before(k).is_some_and(|t| t.is(".")) {
            return self.member(k);
        }
        if let Some(field) = self.field_of_record(k) {
            return Some(field);
        }
        let known = self.innermost(token);
        if known.is_some() || !implicit || self.is_operator(k) {
            return known;
        }
        Some(self.first_use(token))
    }

    fn before(&self, k: usize) -> Option<Token<'_>> {
        k.checked_sub(1).map(|b| self.all.tokens[b])
    }

    fn behind(&self, k: usize) -> Option<Token<'_>> {
        self.all.tokens.get(k + 1).copied()
    }

    /// The declaration with the smallest scope around the token.
    fn innermost(&self, token: Token<'_>) -> Option<usize> {
        let known = self.named.get(token.text)?.iter().copied();
        let known = known.filter(|&i| {
            let symbol = &self.all.symbols[i];
            let inside =
                symbol.scope.start <= token.span.start && token.span.end <= symbol.scope.end;
            inside && symbol.kind != OutlineKind::Field
        });
        known.min_by_key(|&i| {
            let scope = self.all.symbols[i].scope;
            // Commands and properties have no values: prefer a variable of the same name.
            let valueless = matches!(
                self.all.symbols[i].kind,
                OutlineKind::Command | OutlineKind::Property
            );
            (valueless, scope.end - scope.start)
        })
    }

    /// Resolves members: `P[j].num`, `Mode.slow`, `m.kind`, `head(c).kind`.
    fn member(&self, k: usize) -> Option<usize> {
        let name = self.all.tokens[k].text;
        let owner = self.owner(k).and_then(|o| self.found.get(&o).copied());
        let candidates = self.named.get(name)?;
        let symbols = &self.all.symbols;
        let of_owner = owner.and_then(|owner| {
            let sort = &symbols[owner].sort;
            let mut all = candidates.iter().copied();
            all.find(|&i| match symbols[i].parent {
                Some(parent) => parent == owner || symbols[parent].name == *sort,
                None => {
                    symbols[i].kind == OutlineKind::Value && symbols[i].sort == symbols[owner].name
                }
            })
        });
        let parts = [OutlineKind::Field, OutlineKind::Value];
        let some = |i: &usize| parts.contains(&symbols[*i].kind);
        of_owner.or_else(|| candidates.iter().copied().find(some))
    }

    /// The name before the dot and its indices.
    fn owner(&self, k: usize) -> Option<usize> {
        let mut at = k.checked_sub(2)?;
        let mut depth = 0_usize;
        loop {
            let token = self.all.tokens[at];
            if token.is("]") || token.is(")") {
                depth += 1;
            } else if token.is("[") || token.is("(") {
                depth = depth.checked_sub(1)?;
            } else if depth == 0 {
                return token.is_name().then_some(at);
            }
            at = at.checked_sub(1)?;
        }
    }

    /// Resolves `kind` in `{kind = ask, from = i}`.
    fn field_of_record(&self, k: usize) -> Option<usize> {
        let opens = self.before(k)?;
        let listed = opens.is("{") || opens.is(",");
        if !listed || !self.behind(k)?.is("=") {
            return None;
        }
        let mut depth = 0_i32;
        let before = self.all.tokens[..k].iter().rev();
        let mut opening = before.filter(|t| {
            let (opens, closes) = (["(", "[", "{"], [")", "]", "}"]);
            depth += i32::from(closes.iter().any(|s| t.is(s)));
            depth -= i32::from(opens.iter().any(|s| t.is(s)));
            depth < 0
        });
        if !opening.next()?.is("{") {
            return None;
        }
        let fields = self.named.get(self.all.tokens[k].text)?;
        let is_field = |i: &usize| self.all.symbols[*i].kind == OutlineKind::Field;
        fields.iter().copied().find(is_field)
    }

    /// Whether a name is at a position where it may be a temporal operator.
    fn is_operator(&self, k: usize) -> bool {
        const OPERATORS: &[&str] = &[
            "AX", "EX", "AF", "EF", "AG", "EG", "A", "E", "U", "W", "X", "F", "G", "R",
        ];
        let called = self.behind(k).is_some_and(|t| t.is("("));
        OPERATORS.contains(&self.all.tokens[k].text) || called
    }

    /// Declares a variable at its first use: variables of programs need no declaration.
    fn first_use(&mut self, token: Token<'_>) -> usize {
        let index = self.all.symbols.len();
        self.all.symbols.push(OutlineSymbol {
            name: token.text.to_string(),
            kind: OutlineKind::Variable,
            span: token.span,
            whole: self.all.declaration(token.span),
            parent: None,
            sort: "int".to_string(),
            scope: Span::new(0, self.all.source.text().len()),
        });
        self.named
            .entry(token.text.to_string())
            .or_default()
            .push(index);
        index
    }
}
