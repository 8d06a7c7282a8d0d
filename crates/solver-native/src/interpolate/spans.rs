//! Spans of symbols along the blocks, and the resulting side of a term at a cut.
//!
//! Every operator, named formula and auxiliary variable of a refutation *is* a term of the input,
//! so the symbols of a term decide on which side of a cut it may be mentioned. A term of one block
//! is never mixed: its symbols all occur in that block.

use rustc_hash::FxHashMap;
use sectile_terms::{Node, Stage, Symbol, Term, Terms};

/// The range of blocks in which a term is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    /// The first block after which all symbols of the term have occurred.
    pub first: u32,
    /// The last block up to which none of its symbols has had its last occurrence.
    pub last: u32,
}

/// The side of a term at a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// It has a symbol that only occurs before the cut.
    Before,
    /// It has a symbol that only occurs after the cut.
    After,
    /// All its symbols occur on both sides.
    Shared,
    /// It has symbols of both kinds, so no interpolant may mention it and neither side knows it.
    Mixed,
}

impl Span {
    /// The side of the cut between block `cut` and the next one.
    pub fn side(self, cut: u32) -> Side {
        match (self.first <= cut, self.last > cut) {
            (true, true) => Side::Shared,
            (true, false) => Side::Before,
            (false, true) => Side::After,
            (false, false) => Side::Mixed,
        }
    }

    /// Whether there is a cut at which the term is mixed.
    pub fn is_mixed(self) -> bool {
        self.first > self.last
    }

    /// The span of everything in two terms.
    pub fn join(self, other: Span) -> Span {
        Span {
            first: self.first.max(other.first),
            last: self.last.min(other.last),
        }
    }
}

/// The spans of terms over the symbols of a sequence of blocks.
pub(super) struct Spans<'t> {
    terms: &'t Terms,
    anywhere: Span,
    symbols: FxHashMap<(Symbol, Stage), Span>,
    done: FxHashMap<Term, Span>,
}

impl<'t> Spans<'t> {
    pub fn new(terms: &'t Terms, blocks: &[Term]) -> Spans<'t> {
        let mut symbols: FxHashMap<(Symbol, Stage), Span> = FxHashMap::default();
        for (i, &block) in blocks.iter().enumerate() {
            let here = i as u32;
            for variable in terms.free_vars(block) {
                let span = symbols.entry(variable).or_insert(Span {
                    first: here,
                    last: here,
                });
                span.last = here;
            }
        }
        Spans {
            terms,
            anywhere: Span {
                first: 0,
                last: blocks.len() as u32,
            },
            symbols,
            done: FxHashMap::default(),
        }
    }

    /// The span of a symbol that occurs in some block.
    pub fn symbol(&self, variable: &(Symbol, Stage)) -> Option<Span> {
        self.symbols.get(variable).copied()
    }

    /// The span of a term. A term without symbols may be mentioned anywhere; one with a symbol
    /// that occurs in no block is mixed everywhere.
    pub fn term(&mut self, root: Term) -> Span {
        if let Some(&span) = self.done.get(&root) {
            return span;
        }
        let terms = self.terms;
        for t in terms.post_order_unless(&[root], |t| self.done.contains_key(&t)) {
            let mut span = self.anywhere;
            match terms.node(t) {
                Node::Var(symbol, stage) => {
                    let unknown = Span {
                        first: self.anywhere.last,
                        last: 0,
                    };
                    span = self.symbol(&(*symbol, *stage)).unwrap_or(unknown);
                }
                node => node.for_each_child(|c| span = span.join(self.done[&c])),
            }
            self.done.insert(t, span);
        }
        self.done[&root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::{Sort, SymbolKind};

    #[test]
    fn sides_follow_the_occurrences() {
        let terms = Terms::new();
        let var = |name: &str| terms.var(terms.fresh(name, Sort::Int, SymbolKind::State));
        let [x, y, z] = ["x", "y", "z"].map(var);
        let blocks = [terms.le(x, y), terms.le(y, z), terms.le(z, terms.int(0))];
        let mut spans = Spans::new(&terms, &blocks);
        let sides = |span: Span| [span.side(0), span.side(1)];
        assert_eq!(sides(spans.term(x)), [Side::Before, Side::Before]);
        assert_eq!(sides(spans.term(y)), [Side::Shared, Side::Before]);
        assert_eq!(sides(spans.term(z)), [Side::After, Side::Shared]);
        let mixed = spans.term(terms.add(x, z));
        assert_eq!(sides(mixed), [Side::Mixed, Side::Before]);
        assert!(mixed.is_mixed());
        assert!(!spans.term(blocks[1]).is_mixed());
        let constant = spans.term(terms.tt());
        assert_eq!(sides(constant), [Side::Shared, Side::Shared]);
    }
}
