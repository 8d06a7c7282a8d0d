//! Copying terms from one store to another, for threads that each have a store of their own.

use crate::node::{Node, Term};
use crate::store::{Symbol, Terms};
use crate::term_map::TermMap;
use rustc_hash::FxHashMap;

/// Copies terms between two stores in which the same text was read.
///
/// Enumerations and array sorts must have been declared in the same order in both; symbols are
/// found by their names. This is the case if the same front-end read the same text.
pub struct Copier<'a> {
    from: &'a Terms,
    to: &'a Terms,
    done: TermMap<Term>,
    symbols: FxHashMap<Symbol, Symbol>,
}

/// The stores do not declare the same things.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is declared differently in two stores")]
pub struct Different(pub String);

impl<'a> Copier<'a> {
    /// A copier that has copied nothing.
    pub fn new(from: &'a Terms, to: &'a Terms) -> Copier<'a> {
        Copier {
            from,
            to,
            done: TermMap::default(),
            symbols: FxHashMap::default(),
        }
    }

    /// The symbol with the same name, sort and kind.
    pub fn symbol(&mut self, symbol: Symbol) -> Result<Symbol, Different> {
        if let Some(&known) = self.symbols.get(&symbol) {
            return Ok(known);
        }
        let name = self.from.name(symbol);
        let sort = self.from.symbol_sort(symbol);
        sort.check_same(self.from, self.to)?;
        let kind = self.from.symbol_kind(symbol);
        let arity = self.from.arity(symbol);
        let found = self.to.declare_with_arity(name, sort, kind, arity);
        let found = found.map_err(|taken| Different(taken.0))?;
        self.symbols.insert(symbol, found);
        Ok(found)
    }

    /// The same term in the other store.
    pub fn term(&mut self, root: Term) -> Result<Term, Different> {
        let known = |t| self.done.contains(t);
        for t in self.from.post_order_unless(&[root], known) {
            let copy = self.copy(t)?;
            self.done.insert(t, copy);
        }
        Ok(self.done[root])
    }

    /// Copies a term whose arguments are copied.
    fn copy(&mut self, t: Term) -> Result<Term, Different> {
        let sort = self.from.sort(t);
        match self.from.node(t) {
            Node::Var(symbol, stage) => {
                let symbol = self.symbol(*symbol)?;
                return Ok(self.to.var_at(symbol, *stage));
            }
            // Sorts are indices of declarations, which must agree on both sides.
            Node::Variant(..) | Node::Filled(..) => sort.check_same(self.from, self.to)?,
            _ => {}
        }
        let node = self.from.node(t);
        Ok(self.to.build(node, sort, |c| self.done[c]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NativePrinter, Sort, Stage, SymbolKind};

    fn declared(first: &[&str]) -> Terms {
        let terms = Terms::new();
        terms.declare_enum("colour", &["red".to_string(), "green".to_string()]);
        for name in first {
            let declared = terms.declare(name, Sort::Int, SymbolKind::State);
            declared.expect("a new name");
        }
        terms
    }

    #[test]
    fn a_copy_reads_the_same_and_comes_back_as_itself() {
        let from = declared(&["x", "y"]);
        let to = declared(&["y", "z", "x"]);
        let enumeration = from.enums().next().expect("it was declared");
        let colour = from.declare("c", Sort::Enum(enumeration), SymbolKind::State);
        let colour = from.var(colour.expect("a new name"));
        let [x, y] = ["x", "y"].map(|n| from.symbol(n).expect("declared"));
        let sum = from.sub(
            from.var(x),
            from.add(from.var_at(y, Stage::At(3)), from.int(-7)),
        );
        let variant = from.variant(enumeration, 1);
        let big = from.or([
            from.le(sum, from.modulo(from.next(x), &sectile_base::Int::from(3))),
            from.and([
                from.eq(colour, variant),
                from.le(from.max(from.var(x), from.var(y)), from.int(1 << 40)),
            ]),
        ]);
        let copy = Copier::new(&from, &to).term(big).expect("the same text");
        let print = |terms: &Terms, t| NativePrinter::new(terms).print(t);
        assert_eq!(print(&from, big), print(&to, copy));
        assert_eq!(Copier::new(&to, &from).term(copy), Ok(big));
    }

    #[test]
    fn another_declaration_is_told() {
        let from = declared(&["x"]);
        let to = declared(&[]);
        to.declare("x", Sort::Real, SymbolKind::State)
            .expect("a new name");
        let x = from.symbol("x").expect("declared");
        let copied = Copier::new(&from, &to).term(from.var(x));
        assert_eq!(copied, Err(Different("x".to_string())));
    }

    #[test]
    fn stores_can_go_to_another_thread() {
        fn sent<T: Send>(_: &T) {}
        sent(&Terms::new());
    }
}
