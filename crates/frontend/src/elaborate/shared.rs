//! Definitions that are used often, as terms over their parameters.
//!
//! A definition is expanded where it is used, since more is allowed of an argument that is a
//! number: it may be a factor, a divisor or an index. After many uses its body is turned into a
//! term over parameters once, if it makes sense without knowing the arguments, and the arguments
//! of further uses are substituted.

use sectile_terms::{Sort, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// How often a definition is expanded before its body becomes a term.
const EXPANSIONS: usize = 50;

/// How many nodes substitution may visit in all. Beyond that the limit on expansions decides.
const MOST_NODES: usize = 1_000_000;

/// The definitions of a file, by keys that tell them and the sorts of their arguments apart.
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
    /// By expansion; before that, these parameters stand for the arguments once.
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
                // Until there is a body, uses inside of it are expanded.
                self.bodies.insert(key.clone(), None);
                let parameter = |sort: Sort| terms.fresh("!parameter", sort, SymbolKind::Rigid);
                let sorts = arguments.iter().map(|&a| terms.sort(a));
                Way::Share(sorts.map(parameter).collect())
            }
        }
    }

    /// Remembers a body over these parameters.
    pub fn share(&mut self, terms: &Terms, key: K, parameters: Vec<Symbol>, term: Term) {
        let body = Body {
            parameters,
            term,
            size: terms.size(term),
        };
        self.bodies.insert(key, Some(body));
    }
}
