//! Unfolding of premises, to make clauses linear if possible.
//!
//! A non-recursive predicate in a body can be replaced by the bodies of its clauses. Calls of
//! non-recursive functions disappear in this way.

use super::derived::Derived;
use super::inline::Cycles;
use sectile_base::digraph::Digraph;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause};
use sectile_terms::Terms;
use std::collections::BTreeSet;

/// Maximum number of clauses.
const MOST: usize = 2_000;

/// Predicates whose complete unfolding has more clauses than this are not unfolded.
const LARGEST: usize = 100;

/// After this many attempts that made too many clauses, nothing is unfolded.
const ATTEMPTS: usize = 4;

/// All clauses, as linear as they get, and the predicates that were replaced.
#[derive(Default)]
pub(super) struct Linearised {
    pub clauses: Vec<Derived>,
    /// Ordered so that each depends only on earlier ones.
    pub replaced: Vec<usize>,
}

/// Unfolds non-recursive predicates in clauses that are not linear.
///
/// `cycles` determines which of them may be replaced everywhere. A clause that would become too
/// many clauses is left unchanged: if it were unfolded only in part, the result would still not be
/// a program, and would be much larger.
pub(super) fn linearise(terms: &Terms, clauses: &HornClauses, cycles: &mut Cycles) -> Linearised {
    let mut order = order(clauses);
    for (p, rank) in order.iter_mut().enumerate().filter(|(_, r)| r.is_some()) {
        match cycles.may_go(p) {
            true => cycles.go(p),
            false => *rank = None,
        }
    }
    let numbered = clauses.clauses.iter().enumerate();
    let plain = numbered.map(|(k, clause)| Derived::plain(terms, k, clause));
    let plain: Vec<Derived> = plain.collect();
    for _ in 0..ATTEMPTS {
        match unfolded(terms, &plain, &order) {
            Ok(done) => return done,
            Err(k) => {
                let body = plain[k].clause.body.iter();
                body.for_each(|b| order[b.predicate] = None);
            }
        }
    }
    let clauses = plain;
    Linearised {
        clauses,
        ..Linearised::default()
    }
}

/// The clauses, where those that are not linear have all predicates with a position in `order`
/// replaced. If that makes too many clauses, returns the position of the clause that becomes the
/// most.
fn unfolded(
    terms: &Terms,
    plain: &[Derived],
    order: &[Option<usize>],
) -> Result<Linearised, usize> {
    let mut done = Vec::new();
    let mut replaced = BTreeSet::new();
    let mut most = (0, 0);
    for (k, clause) in plain.iter().enumerate() {
        let others = done.len();
        let mut open = vec![clause.clone()];
        while let Some(next) = open.pop() {
            let body = &next.clause.body;
            let candidate = (body.len() > 1).then(|| best(body, order)).flatten();
            let Some(i) = candidate else {
                done.push(next);
                continue;
            };
            let count = done.len() + open.len();
            if count > MOST {
                return Err(most.max((count - others, k)).1);
            }
            let predicate = body[i].predicate;
            replaced.insert(predicate);
            let before = open.len();
            for definition in plain {
                let defines = definition.clause.head.as_ref();
                if defines.is_some_and(|h| h.predicate == predicate) {
                    open.extend(next.resolved(terms, i, definition));
                }
            }
            open[before..].reverse();
        }
        most = most.max((done.len() - others, k));
    }
    let mut replaced: Vec<usize> = replaced.into_iter().collect();
    replaced.sort_by_key(|&p| order[p]);
    Ok(Linearised {
        clauses: done,
        replaced,
    })
}

/// For each predicate that can be unfolded, its position in an order in which definitions come
/// first.
fn order(clauses: &HornClauses) -> Vec<Option<usize>> {
    let count = clauses.predicates.len();
    let mut uses: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for clause in &clauses.clauses {
        if let Some(head) = &clause.head {
            uses[head.predicate].extend(clause.body.iter().map(|b| b.predicate));
        }
    }
    let mut flow = Digraph::new(count);
    for (p, used) in uses.iter().enumerate() {
        for &q in used {
            flow.add_edge(q, p);
        }
    }
    let mut rank = vec![None; count];
    let mut depth = vec![0_usize; count];
    let mut cyclic: Vec<bool> = (0..count).map(|p| uses[p].contains(&p)).collect();
    for component in flow.strongly_connected_components() {
        if component.len() > 1 {
            component.iter().for_each(|&p| cyclic[p] = true);
        }
    }
    // The longest path from a fact or a cycle; at most one round per predicate is needed.
    for _ in 0..count {
        let mut changed = false;
        for p in (0..count).filter(|&p| !cyclic[p]) {
            let used = uses[p].iter().filter(|&&q| !cyclic[q]);
            let longest = used.map(|&q| depth[q] + 1).max().unwrap_or(0);
            changed |= std::mem::replace(&mut depth[p], longest) != longest;
        }
        if !changed {
            break;
        }
    }
    let weight = weights(clauses, &cyclic, &depth);
    for p in (0..count).filter(|&p| !cyclic[p] && weight[p] <= LARGEST) {
        rank[p] = Some(depth[p]);
    }
    rank
}

/// This many additional variables weigh as much as one additional clause.
const VARIABLES_A_CLAUSE: usize = 64;

/// The maximum number of clauses that stand for each predicate after complete unfolding.
fn weights(clauses: &HornClauses, cyclic: &[bool], depth: &[usize]) -> Vec<usize> {
    let mut weight = vec![0_usize; cyclic.len()];
    let mut defining: Vec<Vec<&Clause>> = vec![Vec::new(); cyclic.len()];
    for clause in &clauses.clauses {
        if let Some(head) = &clause.head {
            defining[head.predicate].push(clause);
        }
    }
    let mut order: Vec<usize> = (0..cyclic.len()).filter(|&p| !cyclic[p]).collect();
    order.sort_by_key(|&p| depth[p]);
    for p in order {
        let below = |c: &&Clause| {
            let body = c.body.iter().map(|a| weight[a.predicate]);
            // A clause that was itself made by resolution counts for several.
            let own = 1 + c.variables.len() / VARIABLES_A_CLAUSE;
            body.fold(own, usize::saturating_add)
        };
        weight[p] = defining[p].iter().map(below).max().unwrap_or(0);
    }
    weight
}

/// The predicate of a body to unfold: the one with the shortest path from the facts.
fn best(body: &[Application], order: &[Option<usize>]) -> Option<usize> {
    let candidates = body.iter().enumerate();
    let ranked = candidates.filter_map(|(i, a)| Some((order[a.predicate]?, i)));
    ranked.min().map(|(_, i)| i)
}
