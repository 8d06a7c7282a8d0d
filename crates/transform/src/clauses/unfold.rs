//! Clauses with several predicates in their bodies become linear where that is possible.
//!
//! A predicate that does not depend on itself can be replaced, where it stands in a body, by the
//! bodies of its own clauses. Functions that are called and not recursive disappear in this way.

use sectile_base::digraph::Digraph;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Clause};
use sectile_terms::{Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// More clauses than this are not made.
const MOST: usize = 2_000;

/// Predicates that would be replaced by more clauses than this, one inside the other, stay.
const LARGEST: usize = 100;

/// A clause made of others.
#[derive(Clone, Debug)]
pub(super) struct Unfolded {
    pub clause: Clause,
    /// For each predicate of the body, the node and the place in its body where it stands.
    pub leaves: Vec<(usize, usize)>,
    /// The clauses it is made of; the first is the one whose head it has.
    pub nodes: Vec<Node>,
}

/// A clause inside another.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The position of the clause as it was read.
    pub clause: usize,
    /// The values of its variables, over the variables of the whole.
    pub values: Vec<Term>,
    /// The nodes that prove the predicates of its body; the other ones are leaves.
    pub premises: Vec<Option<usize>>,
}

/// All clauses, as linear as they get, and the predicates that were replaced.
pub(super) struct Linearised {
    pub clauses: Vec<Unfolded>,
    /// In an order in which each depends on earlier ones only.
    pub replaced: Vec<usize>,
}

/// Unfolds predicates that do not depend on themselves in clauses that are not linear.
pub(super) fn linearise(terms: &Terms, clauses: &HornClauses) -> Linearised {
    let order = order(clauses);
    let mut done = Vec::new();
    let mut replaced = BTreeSet::new();
    let mut open: Vec<Unfolded> = clauses
        .clauses
        .iter()
        .enumerate()
        .map(|(k, clause)| plain(terms, k, clause))
        .collect();
    open.reverse();
    while let Some(next) = open.pop() {
        let body = &next.clause.body;
        let full = done.len() + open.len() > MOST;
        let candidate = (body.len() > 1 && !full)
            .then(|| best(body, &order))
            .flatten();
        let Some(i) = candidate else {
            done.push(next);
            continue;
        };
        let predicate = body[i].predicate;
        replaced.insert(predicate);
        let before = open.len();
        for (k, clause) in clauses.clauses.iter().enumerate() {
            let defines = clause.head.as_ref();
            if defines.is_some_and(|h| h.predicate == predicate) {
                open.extend(resolve(terms, &next, i, k, clause));
            }
        }
        open[before..].reverse();
    }
    let mut replaced: Vec<usize> = replaced.into_iter().collect();
    replaced.sort_by_key(|&p| order[p]);
    Linearised {
        clauses: done,
        replaced,
    }
}

fn plain(terms: &Terms, k: usize, clause: &Clause) -> Unfolded {
    Unfolded {
        clause: clause.clone(),
        leaves: (0..clause.body.len()).map(|i| (0, i)).collect(),
        nodes: vec![Node {
            clause: k,
            values: clause.variables.iter().map(|&v| terms.var(v)).collect(),
            premises: vec![None; clause.body.len()],
        }],
    }
}

/// For each predicate that does not depend on itself, its place in an order in which definitions
/// come first.
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
    // The longest way from a fact or a cycle; it grows at most as often as there are predicates.
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

/// How many clauses stand for each predicate at most, when everything in it is replaced.
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
            body.fold(1_usize, usize::saturating_add)
        };
        weight[p] = defining[p].iter().map(below).max().unwrap_or(0);
    }
    weight
}

/// The predicate of a body to replace: the one with the shortest way from the facts.
fn best(body: &[Application], order: &[Option<usize>]) -> Option<usize> {
    let candidates = body.iter().enumerate();
    let ranked = candidates.filter_map(|(i, a)| Some((order[a.predicate]?, i)));
    ranked.min().map(|(_, i)| i)
}

/// The clause with the body of `with` in place of its `i`-th predicate.
fn resolve(
    terms: &Terms,
    whole: &Unfolded,
    i: usize,
    position: usize,
    with: &Clause,
) -> Option<Unfolded> {
    let mut result = whole.clone();
    let mut map = Substitution::default();
    let mut fresh: Vec<Symbol> = Vec::new();
    for &v in &with.variables {
        let sort = terms.symbol_sort(v);
        let copy = terms.fresh(terms.name(v), sort, SymbolKind::Input);
        fresh.push(copy);
        map.insert(terms.var(v), terms.var(copy));
    }
    let put = |t: Term| terms.substitute(t, &map);
    let clause = &mut result.clause;
    clause.variables.extend(&fresh);
    clause.names.extend(with.names.iter().cloned());
    let replaced = clause.body.remove(i);
    let head = with.head.as_ref()?;
    let equations = replaced.arguments.iter().zip(&head.arguments);
    let equations = equations.map(|(&a, &h)| terms.eq(a, put(h)));
    let conditions = with.constraint.iter().map(|&c| put(c));
    let old = clause.constraint.iter().copied();
    let all: Vec<Term> = old.chain(equations).chain(conditions).collect();
    clause.constraint = terms.conjuncts(terms.and(all));
    if clause.constraint.contains(&terms.ff()) {
        return None;
    }
    let node = result.nodes.len();
    let (parent, place) = result.leaves.remove(i);
    result.nodes[parent].premises[place] = Some(node);
    for (k, b) in with.body.iter().enumerate() {
        result.leaves.push((node, k));
        clause.body.push(Application {
            predicate: b.predicate,
            arguments: b.arguments.iter().map(|&a| put(a)).collect(),
        });
    }
    result.nodes.push(Node {
        clause: position,
        values: with.variables.iter().map(|&v| put(terms.var(v))).collect(),
        premises: vec![None; with.body.len()],
    });
    Some(result)
}
