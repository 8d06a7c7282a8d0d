//! Shares definitions that are used often, as terms over their parameters.
//!
//! A definition is normally expanded at its uses, because an argument that is a number may serve as
//! a factor, a divisor or an index. After many uses its body is turned into a term over its
//! parameters once, if it is valid for arbitrary arguments; further uses substitute their
//! arguments.

use sectile_terms::{Sort, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// The number of expansions of a definition before its body becomes a term.
const EXPANSIONS: usize = 50;

/// The total number of nodes that substitution may visit. After that, the limit on expansions
/// applies.
const MOST_NODES: usize = 1_000_000;

/// The definitions of a file, by keys that include the sorts of their arguments.
#[derive(Clone, Debug, Default)]
pub struct Shared<K> {
    uses: BTreeMap<K, usize>,
    bodies: BTreeMap<K, Option<Body>>,
    visited: usize,
}

/// A body and its parameters.
#[derive(Clone, Debug)]
struct Body {
    parameters: Vec<Symbol>,
    term: Term,
    size: usize,
}

/// How a use becomes a term.
pub enum Way {
    /// By expansion.
    Expand,
    /// By expansion; first, these parameters are used as arguments once, to share the body.
    Share(Vec<Symbol>),
    /// By substitution.
    Known(Term),
}

impl<K: Ord + Clone> Shared<K> {
    /// How the next use of a definition becomes a term.
    pub fn way(&mut self, terms: &Terms, key: &K, arguments: &[Term]) -> Way {
        match self.bodies.get(key) {
            Some(Some(body)) if self.visited < MOST_NODES => {
                self.visited += body.size;
                let parameters = body.parameters.iter().map(|&p| terms.var(p));
                let map: Substitution = parameters.zip(arguments.iter().copied()).collect();
                Way::Known(terms.substitute(body.term, &map))
            }
            Some(_) => Way::Expand,
            None => {
                let uses = self.uses.entry(key.clone()).or_insert(0);
                *uses += 1;
                if *uses <= EXPANSIONS {
                    return Way::Expand;
                }
                // Until the body exists, recursive uses are expanded.
                self.bodies.insert(key.clone(), None);
                let parameter = |sort: Sort| terms.fresh("!parameter", sort, SymbolKind::Rigid);
                let sorts = arguments.iter().map(|&a| terms.sort(a));
                Way::Share(sorts.map(parameter).collect())
            }
        }
    }

    /// Stores a body over these parameters.
    pub fn share(&mut self, terms: &Terms, key: K, parameters: Vec<Symbol>, term: Term) {
        let body = Body {
            parameters,
            term,
            size: terms.size(term),
        };
        self.bodies.insert(key, Some(body));
    }
}
