//! The meanings of names during parsing.

use crate::naming;
use rustc_hash::FxHashMap;
use sectile_terms::{Sort, Symbol, Term, Terms};

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A constant, a definition without parameters, or a local name.
    Term(Term),
    /// A definition with parameters, which are variables of the body.
    Macro {
        /// The parameters, as variables that occur nowhere else.
        parameters: Vec<Term>,
        /// The body over them.
        body: Term,
    },
    /// An uninterpreted function with arguments.
    Function(Symbol),
    /// The sort that a name denotes.
    Sort(Sort),
}

/// The treatment of undeclared names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undeclared {
    /// They are errors.
    Refused,
    /// They are the store's variables, as the printer of this crate names them.
    FromStore,
}

/// The names in force, scope by scope.
#[derive(Clone, Debug)]
pub struct Scope {
    undeclared: Undeclared,
    meanings: FxHashMap<String, Meaning>,
    /// Every change: the name, and what it meant before.
    trail: Vec<(String, Option<Meaning>)>,
    scopes: Vec<usize>,
}

impl Scope {
    /// Only the built-in names.
    pub fn new(undeclared: Undeclared) -> Scope {
        Scope {
            undeclared,
            meanings: FxHashMap::default(),
            trail: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.scopes.push(self.trail.len());
    }

    /// Closes the innermost scope and removes its names. Returns whether there was one.
    pub fn pop(&mut self) -> bool {
        let Some(length) = self.scopes.pop() else {
            return false;
        };
        self.undo_to(length);
        true
    }

    /// How many scopes are open.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Gives a name a meaning, which hides an earlier one until the scope ends.
    pub fn define(&mut self, name: &str, meaning: Meaning) {
        let old = self.meanings.insert(name.to_string(), meaning);
        self.trail.push((name.to_string(), old));
    }

    /// Names a sort until the scope ends. Sorts have a name space of their own.
    pub fn define_sort(&mut self, name: &str, sort: Sort) {
        self.define(&sort_key(name), Meaning::Sort(sort));
    }

    /// The sort that a name stands for.
    pub fn sort(&self, name: &str) -> Option<Sort> {
        match self.meanings.get(&sort_key(name)) {
            Some(Meaning::Sort(sort)) => Some(*sort),
            _ => None,
        }
    }

    /// Whether the name was declared or defined.
    pub fn knows(&self, name: &str) -> bool {
        self.meanings.contains_key(name)
    }

    /// The meaning of a name, if it has one.
    pub fn meaning(&self, terms: &Terms, name: &str) -> Option<Meaning> {
        if let Some(found) = self.meanings.get(name) {
            return Some(found.clone());
        }
        if self.undeclared == Undeclared::Refused {
            return None;
        }
        let (own, stage) = naming::decode(name)?;
        let symbol = terms.symbol(&own)?;
        if terms.is_function(symbol) {
            return Some(Meaning::Function(symbol));
        }
        Some(Meaning::Term(terms.var_at(symbol, stage)))
    }

    /// The present length of the trail, for local names.
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all changes since the mark.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        for (name, old) in self.trail.drain(mark..).rev() {
            match old {
                Some(meaning) => self.meanings.insert(name, meaning),
                None => self.meanings.remove(&name),
            };
        }
    }
}

/// The key for the name of a sort, which is different from every symbol of a script.
fn sort_key(name: &str) -> String {
    format!("\0{name}")
}
