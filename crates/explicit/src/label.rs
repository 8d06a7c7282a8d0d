//! Labels states with CTL formulas: the textbook fixpoints, on graphs that may be incomplete.
//!
//! Every formula has two sets: the states where it certainly holds, whatever was omitted from the
//! graph, and the states where it may hold. On a complete graph the two are equal. Paths are
//! maximal: they end in states without successors.

use crate::bits::{Bits, ids};
use crate::compiled::Compiled;
use crate::formula::Formula;
use crate::graph::Graph;
use crate::machine::Machine;
use crate::table::{StateId, StateTable};
use sectile_model::Ctl;
use std::rc::Rc;

/// The states in which a formula holds.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The states where it certainly holds.
    pub surely: Rc<Bits>,
    /// The states where it may hold.
    pub maybe: Rc<Bits>,
}

impl Label {
    fn known(set: Bits) -> Label {
        let set = Rc::new(set);
        Label {
            surely: Rc::clone(&set),
            maybe: set,
        }
    }

    /// Whether the formula certainly has this truth value in a state.
    pub(crate) fn is(&self, id: StateId, value: bool) -> bool {
        if value {
            self.surely.contains(id)
        } else {
            !self.maybe.contains(id)
        }
    }

    /// The states where the formula certainly has this truth value.
    pub(crate) fn set(&self, value: bool) -> Bits {
        if value {
            (*self.surely).clone()
        } else {
            self.maybe.complement()
        }
    }

    fn not(&self) -> Label {
        if self.is_known() {
            return Label::known(self.surely.complement());
        }
        Label {
            surely: Rc::new(self.maybe.complement()),
            maybe: Rc::new(self.surely.complement()),
        }
    }

    fn and(&self, other: &Label) -> Label {
        self.zip(other, Bits::intersection)
    }

    fn or(&self, other: &Label) -> Label {
        self.zip(other, Bits::union)
    }

    fn zip(&self, other: &Label, with: impl Fn(&Bits, &Bits) -> Bits) -> Label {
        if self.is_known() && other.is_known() {
            return Label::known(with(&self.surely, &other.surely));
        }
        Label {
            surely: Rc::new(with(&self.surely, &other.surely)),
            maybe: Rc::new(with(&self.maybe, &other.maybe)),
        }
    }

    fn is_known(&self) -> bool {
        Rc::ptr_eq(&self.surely, &self.maybe)
    }
}

/// The assumption about unknown successors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// No unknown successor satisfies anything.
    Hostile,
    /// Some unknown successor satisfies everything.
    Helpful,
}

/// Computes the labels of all parts of a formula.
pub(crate) fn label(
    formula: &Formula<'_>,
    graph: &Graph,
    compiled: &Compiled,
    table: &StateTable,
    machine: &mut Machine,
) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::with_capacity(formula.parts.len());
    let all = || Label::known(Bits::empty(graph.len()).complement());
    for (ctl, code) in &formula.parts {
        let of = |part: &Ctl| &labels[formula.position(part)];
        let new = match ctl {
            Ctl::State(_) | Ctl::At(_) => Label::known(Bits::from_fn(graph.len(), |id| {
                let here = compiled.load(machine, table.row(id));
                match code {
                    Some(code) => machine.test(code),
                    None => matches!(ctl, Ctl::At(location) if location.0 == here),
                }
            })),
            Ctl::Not(a) => of(a).not(),
            Ctl::And(a, b) => of(a).and(of(b)),
            Ctl::Or(a, b) => of(a).or(of(b)),
            Ctl::Ex(a) => next(graph, of(a)),
            Ctl::Ax(a) => next(graph, &of(a).not()).not(),
            Ctl::Ef(a) => until(graph, &all(), of(a)),
            Ctl::Ag(a) => until(graph, &all(), &of(a).not()).not(),
            Ctl::Eg(a) => always(graph, of(a)),
            Ctl::Af(a) => always(graph, &of(a).not()).not(),
            Ctl::Eu(a, b) => until(graph, of(a), of(b)),
            Ctl::Ew(a, b) => until(graph, of(a), of(b)).or(&always(graph, of(a))),
            Ctl::Aw(a, b) => broken(graph, of(a), of(b)).not(),
            Ctl::Au(a, b) => {
                let never = always(graph, &of(b).not());
                broken(graph, of(a), of(b)).or(&never).not()
            }
        };
        labels.push(new);
    }
    labels
}

/// `E[not b U (not a and not b)]`: some path violates "`a` until `b`, or forever".
fn broken(graph: &Graph, a: &Label, b: &Label) -> Label {
    let neither = a.not().and(&b.not());
    until(graph, &b.not(), &neither)
}

/// Applies a function to both sets of a label, only once if they are equal.
fn both(graph: &Graph, known: bool, compute: impl Fn(Unseen) -> Bits) -> Label {
    if known && graph.incomplete.is_empty() {
        return Label::known(compute(Unseen::Hostile));
    }
    Label {
        surely: Rc::new(compute(Unseen::Hostile)),
        maybe: Rc::new(compute(Unseen::Helpful)),
    }
}

fn side(label: &Label, unseen: Unseen) -> &Bits {
    match unseen {
        Unseen::Hostile => &label.surely,
        Unseen::Helpful => &label.maybe,
    }
}

/// `EX a`.
fn next(graph: &Graph, a: &Label) -> Label {
    both(graph, a.is_known(), |unseen| {
        let set = side(a, unseen);
        Bits::from_fn(graph.len(), |id| {
            graph.successors(id).iter().any(|&t| set.contains(t))
                || (unseen == Unseen::Helpful && graph.incomplete.contains(id))
        })
    })
}

/// `E[a U b]`, a least fixpoint.
fn until(graph: &Graph, a: &Label, b: &Label) -> Label {
    both(graph, a.is_known() && b.is_known(), |unseen| {
        let stays = side(a, unseen);
        let mut reached = side(b, unseen).clone();
        if unseen == Unseen::Helpful {
            reached = reached.union(&stays.intersection(&graph.incomplete));
        }
        let mut work: Vec<StateId> = reached.iter().collect();
        while let Some(id) = work.pop() {
            for &p in graph.predecessors(id) {
                if stays.contains(p) && !reached.contains(p) {
                    reached.insert(p);
                    work.push(p);
                }
            }
        }
        reached
    })
}

/// `EG a`, a greatest fixpoint.
fn always(graph: &Graph, a: &Label) -> Label {
    both(graph, a.is_known(), |unseen| {
        greatest(graph, side(a, unseen), unseen)
    })
}

/// The greatest subset of a set in which every state has a successor in the subset, or ends a path.
pub(crate) fn greatest(graph: &Graph, set: &Bits, unseen: Unseen) -> Bits {
    let mut kept = set.clone();
    let mut ways: Vec<u32> = vec![0; graph.len()];
    let mut work: Vec<StateId> = Vec::new();
    let may_stay = |id: StateId| {
        graph.is_deadlock(id) || (unseen == Unseen::Helpful && graph.incomplete.contains(id))
    };
    for id in ids(graph.len()) {
        let inside = graph.successors(id).iter().filter(|&&t| set.contains(t));
        ways[id as usize] = u32::try_from(inside.count()).unwrap_or(u32::MAX);
        if set.contains(id) && ways[id as usize] == 0 && !may_stay(id) {
            kept.remove(id);
            work.push(id);
        }
    }
    while let Some(id) = work.pop() {
        for &p in graph.predecessors(id) {
            ways[p as usize] -= 1;
            if kept.contains(p) && ways[p as usize] == 0 && !may_stay(p) {
                kept.remove(p);
                work.push(p);
            }
        }
    }
    kept
}
