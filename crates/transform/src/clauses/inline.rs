//! Inlining of predicates into the clauses that use them, if that does not add clauses.
//!
//! Compilers write one predicate for each block of a program; most of them are used once.
//! Resolvents are simplified at once, and dropped if their conditions contradict each other, so
//! that the clauses become fewer and fewer.

use super::derived::Derived;
use sectile_base::digraph::Digraph;
use sectile_model::HornClauses;
use sectile_terms::Terms;
use std::collections::BTreeSet;

/// The maximum size, in terms, of a clause made by inlining.
const LARGEST: usize = 4_000;

/// If a clause uses a predicate more than once, maximum number of original clauses in a definition
/// that is inlined there: repeated copies double in size each time, and derivations no longer share
/// them.
const MOST_COPIED: usize = 1;

/// How many more clauses than before are tolerated while inlining: some of them contradict
/// themselves.
const SLACK: usize = 12;

/// Inlines predicates as long as that does not add clauses; returns the inlined predicates.
pub(super) fn inline(terms: &Terms, list: &mut Vec<Derived>, cycles: &mut Cycles) -> Vec<usize> {
    let mut gone = Vec::new();
    let mut blocked: BTreeSet<usize> = BTreeSet::new();
    while let Some(p) = cheapest(list, cycles.nodes(), &blocked) {
        blocked.insert(p);
        if cycles.may_go(p)
            && let Some(made) = without(terms, list, p)
        {
            let near = neighbours(list, p);
            replace(list, p, made);
            cycles.go(p);
            gone.push(p);
            // Definitions that were too large or too many may fit now that clauses have changed.
            blocked.retain(|q| cycles.is_gone(*q) || !near.contains(q));
        }
    }
    gone
}

/// The predicates that may lose their meaning: every cycle of the clauses as read must keep a
/// predicate with a meaning, because that is what a proof is about.
pub(super) struct Cycles {
    uses: Digraph,
    gone: Vec<bool>,
}

impl Cycles {
    pub fn new(clauses: &HornClauses) -> Cycles {
        let mut uses = Digraph::new(clauses.predicates.len());
        let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
        for clause in &clauses.clauses {
            let Some(head) = &clause.head else { continue };
            for body in &clause.body {
                if known.insert((body.predicate, head.predicate)) {
                    uses.add_edge(body.predicate, head.predicate);
                }
            }
        }
        let gone = vec![false; clauses.predicates.len()];
        Cycles { uses, gone }
    }

    fn nodes(&self) -> usize {
        self.gone.len()
    }

    fn is_gone(&self, p: usize) -> bool {
        self.gone[p]
    }

    /// Whether every cycle still has a predicate with a meaning if this one loses its own.
    pub fn may_go(&self, p: usize) -> bool {
        let mut seen = vec![false; self.gone.len()];
        let mut open: Vec<usize> = vec![p];
        while let Some(q) = open.pop() {
            for next in self.uses.successors(q) {
                if next == p {
                    return false;
                }
                if self.gone[next] && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        true
    }

    /// Marks a predicate as one without a meaning.
    pub fn go(&mut self, p: usize) {
        self.gone[p] = true;
    }
}

/// The clauses that define and use a predicate.
#[derive(Clone, Default)]
struct Uses {
    definitions: usize,
    /// For each clause that uses it, the number of its occurrences.
    counts: Vec<u32>,
    is_recursive: bool,
}

impl Uses {
    /// An upper bound of the number of clauses after inlining, and the number of clauses that these
    /// replace; `None` if the predicate has to stay.
    fn growth(&self) -> Option<(usize, usize)> {
        if self.is_recursive || self.definitions == 0 || self.counts.is_empty() {
            return None;
        }
        let made = { self.counts.iter() }.map(|&n| self.definitions.saturating_pow(n));
        let made = made.fold(0, usize::saturating_add);
        Some((made, self.definitions + self.counts.len()))
    }
}

/// The predicate whose inlining adds the fewest clauses.
fn cheapest(list: &[Derived], predicates: usize, blocked: &BTreeSet<usize>) -> Option<usize> {
    let mut uses: Vec<Uses> = vec![Uses::default(); predicates];
    for derived in list {
        let head = derived.clause.head.as_ref().map(|h| h.predicate);
        let mut used: Vec<usize> = derived.clause.body.iter().map(|b| b.predicate).collect();
        used.sort_unstable();
        for group in used.chunk_by(|a, b| a == b) {
            let p = group[0];
            uses[p].is_recursive |= head == Some(p);
            uses[p]
                .counts
                .push(u32::try_from(group.len()).unwrap_or(u32::MAX));
        }
        head.into_iter().for_each(|p| uses[p].definitions += 1);
    }
    let open = (0..predicates).filter(|p| !blocked.contains(p));
    let costs = open.filter_map(|p| {
        let (made, before) = uses[p].growth()?;
        (made <= before + SLACK).then_some((made as i64 - before as i64, p))
    });
    costs.min().map(|(_, p)| p)
}

fn defines(derived: &Derived, p: usize) -> bool {
    let head = derived.clause.head.as_ref();
    head.is_some_and(|h| h.predicate == p)
}

fn uses(derived: &Derived, p: usize) -> bool {
    derived.clause.body.iter().any(|b| b.predicate == p)
}

/// The predicates in clauses that define or use this one.
fn neighbours(list: &[Derived], p: usize) -> BTreeSet<usize> {
    let near = list.iter().filter(|d| defines(d, p) || uses(d, p));
    let applications = near.flat_map(|d| d.clause.body.iter().chain(&d.clause.head));
    applications.map(|a| a.predicate).collect()
}

/// The replacements of each clause that uses a predicate, if the predicate is inlined; `None` if
/// there would be more clauses than before, or clauses that are too large.
fn without(terms: &Terms, list: &[Derived], p: usize) -> Option<Vec<Vec<Derived>>> {
    let definitions: Vec<&Derived> = list.iter().filter(|d| defines(d, p)).collect();
    let users: Vec<&Derived> = list.iter().filter(|d| uses(d, p)).collect();
    let before = definitions.len() + users.len();
    let mut count = 0;
    let mut all = Vec::with_capacity(users.len());
    for user in users {
        let counts = { user.clause.body.iter() }.filter(|b| b.predicate == p);
        let counts = counts.count();
        let mut open = vec![user.clone()];
        let mut made = Vec::new();
        while let Some(next) = open.pop() {
            let body = &next.clause.body;
            let Some(i) = body.iter().position(|b| b.predicate == p) else {
                made.push(next);
                continue;
            };
            for definition in definitions.iter().rev() {
                let Some(mut resolvent) = next.resolved(terms, i, definition) else {
                    continue;
                };
                if !resolvent.simplify(terms) {
                    continue;
                }
                let copies = counts > 1 && resolvent.nodes.len() > MOST_COPIED;
                if copies || resolvent.size(terms) > LARGEST {
                    return None;
                }
                open.push(resolvent);
            }
            if count + made.len() + open.len() > before + SLACK {
                return None;
            }
        }
        count += made.len();
        all.push(made);
    }
    (count <= before).then_some(all)
}

/// Replaces the clauses that use a predicate by their resolvents, and drops its definitions.
fn replace(list: &mut Vec<Derived>, p: usize, made: Vec<Vec<Derived>>) {
    let mut made = made.into_iter();
    let old = std::mem::take(list);
    for derived in old {
        if uses(&derived, p) {
            list.extend(made.next().into_iter().flatten());
        } else if !defines(&derived, p) {
            list.push(derived);
        }
    }
}
