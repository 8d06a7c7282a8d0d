//! M1, M2, M5.

use super::{Builder, Words};
use sectile_model::Module;
use sectile_terms::{Sort, Terms};

/// M2. `negative` is the variant with a disjunctive guard.
pub fn deque(terms: &Terms, n: usize, negative: bool) -> Module {
    let mut b = Builder::new(terms);
    let f: Vec<_> = (0..n).map(|i| b.boolean(&format!("f[{i}]"))).collect();
    let v = |i: usize| terms.var(f[i % n]);
    b.init(v(0));
    (1..n).for_each(|i| b.init(terms.not(v(i))));
    for i in 0..n {
        let (left, right) = (v(i + n - 1), v(i + 1));
        let guard = if negative {
            terms.or2(left, right)
        } else {
            terms.neq(left, right)
        };
        b.command(
            &format!("toggle[{i}]"),
            &[guard],
            &[(f[i], terms.not(v(i)))],
        );
    }
    b.error("safe", terms.and((0..n).map(v)));
    b.module()
}

/// M2 with integers 0 and 1.
pub fn deque_int(terms: &Terms, n: usize) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let f: Vec<_> = (0..n).map(|i| b.int(&format!("f[{i}]"))).collect();
    b.init(w.is(f[0], 1));
    (1..n).for_each(|i| b.init(w.is(f[i], 0)));
    for i in 0..n {
        let (left, right) = (f[(i + n - 1) % n], f[(i + 1) % n]);
        let guard = terms.neq(terms.var(left), terms.var(right));
        let flipped = terms.sub(w.n(1), terms.var(f[i]));
        b.command(&format!("toggle[{i}]"), &[guard], &[(f[i], flipped)]);
    }
    b.error("safe", terms.and(f.iter().map(|&x| w.is(x, 1))));
    b.module()
}

/// What is wrong with an elevator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ElevatorBug {
    None,
    /// The first input may exceed the maximum.
    Init,
    /// It moves up one floor too far.
    MoveUp,
}

/// M1, by relations.
pub fn elevator(terms: &Terms, bug: ElevatorBug) -> Module {
    let mut b = Builder::new(terms);
    let [pc, current, req, input] = ["pc", "current", "req", "input"].map(|n| b.int(n));
    let max = b.constant("Max", Sort::Int);
    let w = Words(terms);
    let (now, next) = (|s| terms.var(s), |s| terms.next(s));
    let keep = |s| terms.eq(next(s), now(s));
    let go = |k| terms.eq(next(pc), w.n(k));
    b.init(w.is(pc, 0));
    b.init(terms.le(now(current), now(max)));
    if bug != ElevatorBug::Init {
        b.init(terms.le(now(input), now(max)));
    }
    let higher = terms.gt(now(req), now(current));
    let lower = terms.lt(now(req), now(current));
    let up = if bug == ElevatorBug::MoveUp {
        terms.ge(now(req), now(current))
    } else {
        higher
    };
    let request = terms.eq(next(req), now(input));
    b.relation("request", &[w.is(pc, 0), go(1), keep(current), request]);
    b.relation(
        "ready",
        &[
            terms.ge(now(pc), w.n(1)),
            terms.eq(now(req), now(current)),
            go(0),
            keep(current),
            keep(req),
            terms.le(next(input), now(max)),
        ],
    );
    b.relation(
        "up",
        &[w.is(pc, 1), higher, go(2), keep(current), keep(req)],
    );
    b.relation(
        "down",
        &[w.is(pc, 1), lower, go(3), keep(current), keep(req)],
    );
    let moved = |d| terms.eq(next(current), w.plus(current, d));
    b.relation("moveUp", &[w.is(pc, 2), up, go(2), moved(1), keep(req)]);
    b.relation("moveDn", &[w.is(pc, 3), lower, go(3), moved(-1), keep(req)]);
    b.relation("idle", &[keep(pc), keep(current), keep(req), keep(input)]);
    b.error("safe", terms.gt(now(current), now(max)));
    b.module()
}

/// M5.
pub fn readers_writers(terms: &Terms) -> Module {
    let mut b = Builder::new(terms);
    let (nr, nw) = (b.nat("nr"), b.nat("nw"));
    let w = Words(terms);
    let positive = |s| terms.gt(terms.var(s), w.n(0));
    b.init(w.is(nr, 0));
    b.init(w.is(nw, 0));
    b.command("start-w", &[w.is(nw, 0), w.is(nr, 0)], &[(nw, w.n(1))]);
    b.command("end-w", &[positive(nw)], &[(nw, w.plus(nw, -1))]);
    b.command("start-r", &[w.is(nw, 0)], &[(nr, w.plus(nr, 1))]);
    b.command("end-r", &[positive(nr)], &[(nr, w.plus(nr, -1))]);
    b.invariant("exclusive", terms.implies(positive(nr), w.is(nw, 0)));
    let one = terms.and2(w.is(nr, 0), terms.le(terms.var(nw), w.n(1)));
    b.invariant("strong", terms.or2(w.is(nw, 0), one));
    let printed = terms.and2(w.is(nr, 0), terms.lt(terms.var(nw), w.n(1)));
    b.invariant("printed", terms.or2(w.is(nw, 0), printed));
    b.module()
}
