//! A board that the engines of a portfolio write to and read from while they work.
//!
//! The board holds formulas: lemmas that an engine has proved, and predicates that it uses. A
//! reader treats both as candidates and uses only what it can prove. The board also records up to
//! which number of steps there is no violation.
//!
//! Engines work in counted turns, and read and write only in their turns. So with one job, what an
//! engine reads does not depend on the machine.

use crate::info::{Accepts, Info};
use rustc_hash::FxHashMap;
use sectile_terms::{Copier, Term, Terms};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of formulas of one engine on the board.
const MOST_OF_ONE: usize = 400;

/// Maximum number of formulas that a reader gets at a time.
const MOST_AT_A_TIME: usize = 60;

/// Maximum size of formulas: larger ones do not help others.
const LARGEST: usize = 60;

/// An engine's view of the board.
pub struct Board {
    shared: Arc<Mutex<Posts>>,
    engine: &'static str,
    accepts: Accepts,
    seen: Cell<usize>,
    /// The author of each formula, in the store of the reader.
    origins: RefCell<FxHashMap<Term, &'static str>>,
}

/// The contents of the board.
struct Posts {
    /// Uses the names of the input: names that passes create are unknown to others.
    terms: Terms,
    list: Vec<Post>,
    known: FxHashMap<Term, usize>,
    bounds: Vec<(Accepts, u64)>,
}

struct Post {
    formula: Term,
    by: &'static str,
    proved: bool,
}

impl Board {
    /// An empty board with the names of the input.
    pub fn new(terms: Terms) -> Board {
        let posts = Posts {
            terms,
            list: Vec::new(),
            known: FxHashMap::default(),
            bounds: Vec::new(),
        };
        Board::at(Arc::new(Mutex::new(posts)), "", Accepts::SYSTEMS)
    }

    fn at(shared: Arc<Mutex<Posts>>, engine: &'static str, accepts: Accepts) -> Board {
        Board {
            shared,
            engine,
            accepts,
            seen: Cell::new(0),
            origins: RefCell::default(),
        }
    }

    /// The view of an engine that has read nothing yet.
    pub fn place_of(&self, engine: &Info) -> Board {
        Board::at(self.shared.clone(), engine.name, engine.accepts)
    }

    /// Ignores poisoning: a panic during a write leaves no partial data, because posts are added
    /// last.
    fn posts(&self) -> MutexGuard<'_, Posts> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a lemma (`proved`) or a predicate.
    pub(crate) fn post(&self, terms: &Terms, formula: Term, proved: bool) {
        if terms.post_order(&[formula]).len() > LARGEST {
            return;
        }
        let posts = &mut *self.posts();
        let ours = posts.list.iter().filter(|p| p.by == self.engine);
        if ours.count() >= MOST_OF_ONE {
            return;
        }
        // The others must not wait for the board until it is this engine's turn again.
        let Some(formula) = terms.uncounted(|| posts.read(terms, formula)) else {
            return;
        };
        if let Some(&at) = posts.known.get(&formula) {
            posts.list[at].proved |= proved;
            return;
        }
        posts.known.insert(formula, posts.list.len());
        posts.list.push(Post {
            formula,
            by: self.engine,
            proved,
        });
    }

    /// Formulas that others have written since the last call: lemmas first, up to a limit.
    pub fn news(&self, terms: &Terms) -> Vec<Term> {
        let posts = self.posts();
        let seen = self.seen.replace(posts.list.len());
        let fresh = || posts.list[seen..].iter().filter(|p| p.by != self.engine);
        let (proved, guessed) = (fresh().filter(|p| p.proved), fresh().filter(|p| !p.proved));
        let mut copier = Copier::new(&posts.terms, terms);
        let mut origins = self.origins.borrow_mut();
        let mut found = Vec::new();
        for post in proved.chain(guessed).take(MOST_AT_A_TIME) {
            if let Ok(formula) = terms.uncounted(|| copier.term(post.formula)) {
                origins.entry(formula).or_insert(post.by);
                found.push(formula);
            }
        }
        found
    }

    /// The author of a formula that was read here.
    pub(crate) fn origin(&self, formula: Term) -> Option<&'static str> {
        self.origins.borrow().get(&formula).copied()
    }

    /// Writes that no violation has this many steps or fewer. Engines that take the same kind of
    /// models are given the same model, so steps mean the same.
    pub(crate) fn refute(&self, depth: u64) {
        let mut posts = self.posts();
        match { posts.bounds.iter_mut() }.find(|(a, _)| *a == self.accepts) {
            Some((_, bound)) => *bound = depth.max(*bound),
            None => posts.bounds.push((self.accepts, depth)),
        }
    }

    /// The number of steps up to which engines with the same model found no violation.
    pub(crate) fn refuted(&self) -> Option<u64> {
        let posts = self.posts();
        let found = posts.bounds.iter().find(|(a, _)| *a == self.accepts);
        found.map(|(_, bound)| *bound)
    }
}

impl Posts {
    /// The formula in the store of the board, if the input has all its names.
    fn read(&self, terms: &Terms, formula: Term) -> Option<Term> {
        let mut names = terms.free_vars(formula).into_iter();
        names
            .all(|(s, _)| self.terms.symbol(terms.name(s)).is_some())
            .then(|| Copier::new(terms, &self.terms).term(formula).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sectile_terms::{Sort, SymbolKind};

    fn store(names: &[&str]) -> (Terms, Vec<Term>) {
        let terms = Terms::new();
        let declared = names.iter().map(|n| {
            let symbol = terms.declare(n, Sort::Int, SymbolKind::State);
            terms.var(symbol.expect("a new name"))
        });
        let variables = declared.collect();
        (terms, variables)
    }

    #[test]
    fn others_read_what_one_engine_writes_once() {
        let (file, _) = store(&["x", "y"]);
        let board = Board::new(file);
        let (slab, kinduction) = (
            place(&board, "slab", Accepts::SYSTEMS),
            place(&board, "kinduction", Accepts::SYSTEMS),
        );
        let (ours, [y, x]) = store(&["y", "x"]).into_array();
        slab.post(&ours, ours.le(x, y), false);
        slab.post(&ours, ours.ge(x, ours.int(0)), true);
        slab.post(&ours, ours.ge(x, ours.int(0)), false);
        assert!(slab.news(&ours).is_empty());
        let (theirs, [a, b]) = store(&["x", "y"]).into_array();
        let read = kinduction.news(&theirs);
        assert_eq!(read, [theirs.ge(a, theirs.int(0)), theirs.le(a, b)]);
        assert_eq!(kinduction.origin(read[0]), Some("slab"));
        assert!(kinduction.news(&theirs).is_empty());
    }

    #[test]
    fn names_that_a_pass_made_stay_with_the_engine() {
        let (file, _) = store(&["x"]);
        let board = Board::new(file);
        let (terms, [x, pc]) = store(&["x", "pc"]).into_array();
        let kojak = place(&board, "kojak", Accepts::SYSTEMS);
        kojak.post(&terms, terms.eq(pc, x), true);
        assert!(
            place(&board, "slab", Accepts::SYSTEMS)
                .news(&terms)
                .is_empty()
        );
    }

    #[test]
    fn bounds_are_shared_by_engines_with_the_same_model() {
        let board = Board::new(Terms::new());
        let [bmc, kinduction, kojak] = [
            place(&board, "bmc", Accepts::SYSTEMS),
            place(&board, "kinduction", Accepts::SYSTEMS),
            place(&board, "kojak", Accepts::GRAPHS),
        ];
        bmc.refute(7);
        bmc.refute(3);
        assert_eq!(kinduction.refuted(), Some(7));
        assert_eq!(kojak.refuted(), None);
    }

    fn place(board: &Board, name: &'static str, accepts: Accepts) -> Board {
        board.place_of(&Info {
            name,
            accepts,
            ..Info::default()
        })
    }

    trait IntoArray {
        fn into_array<const N: usize>(self) -> (Terms, [Term; N]);
    }

    impl IntoArray for (Terms, Vec<Term>) {
        fn into_array<const N: usize>(self) -> (Terms, [Term; N]) {
            (self.0, self.1.try_into().expect("so many names"))
        }
    }
}
