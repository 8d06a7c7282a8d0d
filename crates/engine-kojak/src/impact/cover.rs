//! Covering: which vertices need not be continued.

use super::tree::Tree;
use sectile_engine::{EngineError, Event, Interest, Run};
use sectile_solver::{Answer, Assignment, Solver};
use sectile_terms::{Stage, Symbol, Term, Value, evaluate};
use std::collections::BTreeMap;

/// As many states are remembered for each vertex.
const MOST_HINTS: usize = 4;

/// Decides implications between labels.
pub(crate) struct Covering<'g> {
    solver: Box<dyn Solver + 'g>,
    known: BTreeMap<(Term, Term), bool>,
    pub covers: u64,
}

impl<'g> Covering<'g> {
    pub fn new(tree: &Tree<'g>, run: &Run<'_>) -> Result<Covering<'g>, EngineError> {
        Ok(Covering {
            solver: run.backend.solver(tree.formulas.terms())?,
            known: BTreeMap::new(),
            covers: 0,
        })
    }

    /// Whether the label of one vertex implies that of another. What is not decided is not so.
    pub fn implies(
        &mut self,
        tree: &mut Tree<'g>,
        v: usize,
        w: usize,
        run: &Run<'_>,
    ) -> Result<bool, EngineError> {
        if tree.vertices[w].label.is_subset(&tree.vertices[v].label) {
            return Ok(true);
        }
        let (strong, weak) = (tree.label(v), tree.label(w));
        if let Some(&known) = self.known.get(&(strong, weak)) {
            return Ok(known);
        }
        if refuted_by_hint(tree, v, strong, weak) {
            return Ok(false);
        }
        let terms = tree.formulas.terms();
        let answer = match self.solver.check(&[strong, terms.not(weak)], &run.budget)? {
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => return Ok(false),
            Answer::Sat(model) => {
                let variables: Vec<_> = terms.free_vars_of(&[strong, weak]).into_iter().collect();
                let hints = &mut tree.vertices[v].hints;
                if hints.len() == MOST_HINTS {
                    hints.remove(0);
                }
                hints.push(model.snapshot(terms, &variables));
                false
            }
        };
        self.known.insert((strong, weak), answer);
        Ok(answer)
    }

    /// Tries to cover a vertex by an earlier one of the same location.
    ///
    /// Paper: [McMillan06, Fig. 2, COVER and CLOSE].
    pub fn close(
        &mut self,
        tree: &mut Tree<'g>,
        v: usize,
        run: &mut Run<'_>,
    ) -> Result<Vec<usize>, EngineError> {
        for w in candidates(tree, v) {
            if self.implies(tree, v, w, run)? {
                return Ok(self.cover(tree, v, w, run));
            }
        }
        Ok(Vec::new())
    }

    /// Covers `v` by `w`. Gives the vertices that are not covered any more: what lies behind `v`
    /// must not cover anything.
    pub fn cover(
        &mut self,
        tree: &mut Tree<'g>,
        v: usize,
        w: usize,
        run: &mut Run<'_>,
    ) -> Vec<usize> {
        self.covers += 1;
        tree.vertices[v].covered_by = Some(w);
        if run.wants(Interest::Steps) {
            run.tell(Event::Covered { vertex: v, by: w });
        }
        let behind = tree.subtree(v);
        let mut open = Vec::new();
        for (x, vertex) in tree.vertices.iter_mut().enumerate() {
            if x != v && vertex.covered_by.is_some_and(|by| behind.contains(&by)) {
                vertex.covered_by = None;
                open.push(x);
            }
        }
        open
    }

    /// After labels became stronger: gives the vertices that are not covered any more.
    pub fn recheck(
        &mut self,
        tree: &mut Tree<'g>,
        strengthened: &[usize],
        run: &Run<'_>,
    ) -> Result<Vec<usize>, EngineError> {
        let mut open = Vec::new();
        for x in 0..tree.vertices.len() {
            let by = tree.vertices[x].covered_by;
            let Some(w) = by.filter(|w| strengthened.contains(w)) else {
                continue;
            };
            if !self.implies(tree, x, w, run)? {
                tree.vertices[x].covered_by = None;
                open.push(x);
            }
        }
        Ok(open)
    }
}

/// Vertices that may cover a vertex: earlier ones of its location that are not covered, the last
/// one first.
pub(crate) fn candidates(tree: &Tree<'_>, v: usize) -> Vec<usize> {
    let there = tree.at[tree.vertices[v].location].iter().rev().copied();
    let earlier = there.filter(|&w| w < v && tree.vertices[w].expanded);
    earlier.filter(|&w| !tree.is_covered(w)).collect()
}

/// Whether a remembered state of the label of `v` is outside of the weaker formula.
fn refuted_by_hint(tree: &Tree<'_>, v: usize, strong: Term, weak: Term) -> bool {
    let terms = tree.formulas.terms();
    tree.vertices[v].hints.iter().any(|hint| {
        let value = |symbol: Symbol, stage: Stage| {
            let known = Assignment::get(hint, symbol, stage).cloned();
            known.or_else(|| Some(Value::some_of(terms, terms.symbol_sort(symbol))))
        };
        let is = |t: Term, wanted: bool| evaluate(terms, t, &value) == Ok(Value::Bool(wanted));
        is(weak, false) && is(strong, true)
    })
}
