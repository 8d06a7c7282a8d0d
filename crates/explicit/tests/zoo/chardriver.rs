//! M12.

use super::{Builder, Words, ag, position};
use sectile_model::{Ctl, Module};
use sectile_terms::{Sort, Symbol, Term, Terms};

const PLACES: [&str; 22] = [
    "idle", "op1", "op2", "opened", "rel1", "rd0", "wr0", "c2a", "c1a", "rdM1", "rdM2", "wrM1",
    "wrM2", "c2w", "c2b", "c2d", "c1w", "c1b", "c1s", "c1d", "unused1", "unused2",
];

/// Which fault is built in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DriverBug {
    None,
    /// `op2` does not wait for the second semaphore.
    NoWait,
    /// The change to mode 2 does not look at the counter.
    NoCount,
}

pub fn chardriver(terms: &Terms, n: usize, bug: DriverBug) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let names: Vec<String> = PLACES.iter().map(|p| p.to_string()).collect();
    let place = terms.declare_enum("Place", &names);
    let index = |p: &str| position(&PLACES, p);
    let [sem1, sem2, count1, count2] = ["sem1", "sem2", "count1", "count2"].map(|v| b.int(v));
    let mode = b.range("mode", 1, 2);
    let pc: Vec<Symbol> = (0..n)
        .map(|i| b.var(&format!("pc[{i}]"), Sort::Enum(place)))
        .collect();
    for (s, k) in [(sem1, 1), (sem2, 1), (count1, 0), (count2, 0), (mode, 1)] {
        b.init(w.is(s, k));
    }
    pc.iter().for_each(|&p| b.init(w.at(p, place, 0)));
    let free = |s: Symbol| terms.gt(terms.var(s), w.n(0));
    let (m1, m2) = (w.is(mode, 1), w.is(mode, 2));
    let many = |s: Symbol| terms.gt(terms.var(s), w.n(1));
    for (i, &p) in pc.iter().enumerate() {
        let mut step = |from: &str, guards: &[Term], changes: &[(Symbol, i64)], to: &str| {
            let mut all = vec![w.at(p, place, index(from))];
            all.extend(guards);
            let mut sets = vec![(p, terms.variant(place, index(to)))];
            for &(s, d) in changes {
                let value = if s == mode { w.n(d) } else { w.plus(s, d) };
                sets.push((s, value));
            }
            b.command(&format!("{from}-{to}[{i}]"), &all, &sets);
        };
        let (up1, down1) = ((sem1, 1), (sem1, -1));
        let (up2, down2) = ((sem2, 1), (sem2, -1));
        step("idle", &[free(sem1)], &[down1], "op1");
        step("op1", &[m1], &[(count1, 1), up1], "op2");
        step("op1", &[m2], &[(count2, 1), up1], "opened");
        match bug {
            DriverBug::NoWait => step("op2", &[], &[], "opened"),
            _ => step("op2", &[free(sem2)], &[down2], "opened"),
        }
        for to in ["rel1", "rd0", "wr0", "c2a", "c1a"] {
            step("opened", &[free(sem1)], &[down1], to);
        }
        step("rel1", &[m1], &[(count1, -1), up2, up1], "idle");
        step("rel1", &[m2], &[(count2, -1), up1], "idle");
        for k in ["rd", "wr"] {
            step(&format!("{k}0"), &[m1], &[up1], &format!("{k}M1"));
            step(&format!("{k}0"), &[m2], &[], &format!("{k}M2"));
            step(&format!("{k}M1"), &[], &[], "opened");
            step(&format!("{k}M2"), &[], &[up1], "opened");
        }
        let waits = if bug == DriverBug::NoCount {
            terms.ff()
        } else {
            many(count1)
        };
        step("c2a", &[m2], &[up1], "opened");
        step("c2a", &[m1, waits], &[up1], "c2w");
        let change = [(mode, 2), (count1, -1), (count2, 1), up2];
        step("c2a", &[m1, terms.not(waits)], &change, "c2d");
        step("c2w", &[w.is(count1, 1)], &[], "c2b");
        step("c2b", &[free(sem1)], &[down1], "c2a");
        step("c2d", &[], &[up1], "opened");
        step("c1a", &[m1], &[up1], "opened");
        step("c1a", &[m2, many(count2)], &[up1], "c1w");
        let change = [(mode, 1), (count2, -1), (count1, 1)];
        step("c1a", &[m2, terms.not(many(count2))], &change, "c1s");
        step("c1w", &[w.is(count2, 1)], &[], "c1b");
        step("c1b", &[free(sem1)], &[down1], "c1a");
        step("c1s", &[free(sem2)], &[down2], "c1d");
        step("c1d", &[], &[up1], "opened");
    }
    let at = |p: Symbol, list: &[&str]| terms.or(list.iter().map(|k| w.at(p, place, index(k))));
    let pairs = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .filter(|(i, j)| i != j);
    let race = pairs.map(|(i, j)| {
        let one = at(pc[i], &["rdM1", "wrM1"]);
        terms.not(terms.and2(one, at(pc[j], &["rdM1", "wrM1", "rdM2", "wrM2"])))
    });
    let race = terms.and(race);
    b.invariant("cdr", race);
    b.invariant("mode1", terms.implies(m1, w.is(count2, 0)));
    b.invariant("mode2", terms.implies(m2, w.is(count1, 0)));
    b.invariant("sem1", terms.le(terms.var(sem1), w.n(1)));
    b.invariant("sem2", terms.le(terms.var(sem2), w.n(1)));
    b.ctl("nodeadlock", ag(Ctl::Ex(Box::new(Ctl::State(terms.tt())))));
    b.module()
}
