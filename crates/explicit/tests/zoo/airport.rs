//! M11, with tickets relative to `s` on demand so that the state space is finite.

use super::mutual::exclusion;
use super::{Builder, Words, af, ag, position};
use sectile_model::{Ctl, Module};
use sectile_terms::{Sort, Symbol, Term, Terms};

const PLACES: [&str; 9] = [
    "arFlow",
    "touchDown",
    "tryC3",
    "onC3",
    "onC4",
    "onB2",
    "onB7",
    "parked",
    "fly",
];

/// What is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AirportBug {
    None,
    /// The ticket is not compared.
    NoTicket,
    /// Planes land on an occupied runway.
    NoRunwayTest,
}

/// How tickets are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tickets {
    /// Upwards for ever.
    Absolute,
    /// Relative to `s`, which stays 0: finitely many states.
    Relative,
}

/// The airport with tickets.
pub fn airport(terms: &Terms, n: usize, bug: AirportBug) -> Module {
    airport_with(terms, n, bug, Tickets::Absolute)
}

/// The airport with tickets of either kind.
pub fn airport_with(terms: &Terms, n: usize, bug: AirportBug, tickets: Tickets) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let names: Vec<String> = PLACES.iter().map(|p| p.to_string()).collect();
    let place = terms.declare_enum("Place", &names);
    let index = |p: &str| position(&PLACES, p);
    let [rw, c3, c4, b2, b7] = ["numRW16R", "numC3", "numC4", "numB2A", "numB7A"].map(|v| b.int(v));
    for s in [rw, c4, b2, b7] {
        b.system.restrict.push(terms.ge(terms.var(s), w.n(0)));
    }
    let (s, t) = (b.int("s"), b.int("t"));
    let a: Vec<Symbol> = (0..n).map(|i| b.int(&format!("a[{i}]"))).collect();
    let pc: Vec<Symbol> = (0..n)
        .map(|i| b.var(&format!("pc[{i}]"), Sort::Enum(place)))
        .collect();
    for v in [rw, c3, c4, b2, b7, s, t].iter().chain(&a) {
        b.init(w.is(*v, 0));
    }
    for i in 0..n {
        b.init(w.at(pc[i], place, 0));
        let mut step = |name: &str, from: &str, guard: Term, sets: &[(Symbol, Term)], to: &str| {
            let mut all = sets.to_vec();
            all.push((pc[i], terms.variant(place, index(to))));
            let guards = [w.at(pc[i], place, index(from)), guard];
            b.command(&format!("{name}[{i}]"), &guards, &all);
        };
        let (inc, dec) = (|v| (v, w.plus(v, 1)), |v| (v, w.plus(v, -1)));
        let tt = terms.tt();
        let clear = if bug == AirportBug::NoRunwayTest {
            tt
        } else {
            w.is(rw, 0)
        };
        step("land", "arFlow", clear, &[inc(rw)], "touchDown");
        step(
            "reqC3",
            "touchDown",
            tt,
            &[(a[i], terms.var(t)), inc(t)],
            "tryC3",
        );
        let turn = terms.ge(terms.var(s), terms.var(a[i]));
        let turn = if bug == AirportBug::NoTicket {
            tt
        } else {
            turn
        };
        step("entC3", "tryC3", turn, &[dec(rw), inc(c3)], "onC3");
        step(
            "exitC4",
            "touchDown",
            w.is(c4, 0),
            &[dec(rw), inc(c4)],
            "onC4",
        );
        let mut sets = vec![dec(c3), inc(b2)];
        match tickets {
            Tickets::Absolute => sets.push(inc(s)),
            Tickets::Relative => {
                sets.extend([dec(t), (a[i], w.n(0))]);
                for j in (0..n).filter(|&j| j != i) {
                    let waits = terms.or2(
                        w.at(pc[j], place, index("tryC3")),
                        w.at(pc[j], place, index("onC3")),
                    );
                    sets.push((a[j], terms.ite(waits, w.plus(a[j], -1), w.n(0))));
                }
            }
        }
        step("xC3", "onC3", w.is(b2, 0), &sets, "onB2");
        step("xC4", "onC4", w.is(b7, 0), &[dec(c4), inc(b7)], "onB7");
        step("park2", "onB2", tt, &[dec(b2)], "parked");
        step("park7", "onB7", tt, &[dec(b7)], "parked");
        step("fly", "parked", tt, &[], "fly");
        step("back", "fly", tt, &[], "arFlow");
    }
    add_properties(&mut b, [rw, c3], &pc, |p, name| w.at(p, place, index(name)));
    b.module()
}

/// The airport with bakery numbers.
pub fn airport_bakery(terms: &Terms, n: usize) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let names: Vec<String> = PLACES.iter().map(|p| p.to_string()).collect();
    let place = terms.declare_enum("Place", &names);
    let index = |p: &str| position(&PLACES, p);
    let [rw, c4, b2, b7] = ["numRW16R", "numC4", "numB2A", "numB7A"].map(|v| b.nat(v));
    let c3 = b.int("numC3");
    let a: Vec<Symbol> = (0..n).map(|i| b.nat(&format!("a[{i}]"))).collect();
    let pc: Vec<Symbol> = (0..n)
        .map(|i| b.var(&format!("pc[{i}]"), Sort::Enum(place)))
        .collect();
    let v = b.input("v", Sort::Int);
    for x in [rw, c3, c4, b2, b7].iter().chain(&a) {
        b.init(w.is(*x, 0));
    }
    for i in 0..n {
        b.init(w.at(pc[i], place, 0));
        let mut step = |name: &str,
                        from: &str,
                        inputs: &[Symbol],
                        guards: &[Term],
                        sets: &[(Symbol, Term)],
                        to: &str| {
            let mut sets = sets.to_vec();
            sets.push((pc[i], terms.variant(place, index(to))));
            let mut all = vec![w.at(pc[i], place, index(from))];
            all.extend(guards);
            b.command_with(&format!("{name}[{i}]"), inputs, &all, &sets);
        };
        let (inc, dec) = (|v| (v, w.plus(v, 1)), |v| (v, w.plus(v, -1)));
        let others = || (0..n).filter(move |&j| j != i);
        step(
            "land",
            "arFlow",
            &[],
            &[w.is(rw, 0)],
            &[inc(rw)],
            "touchDown",
        );
        let mut higher = vec![terms.gt(terms.var(v), w.n(0))];
        higher.extend(others().map(|j| terms.gt(terms.var(v), terms.var(a[j]))));
        step(
            "reqC3",
            "touchDown",
            &[v],
            &higher,
            &[(a[i], terms.var(v))],
            "tryC3",
        );
        let turn: Vec<Term> = others()
            .map(|j| terms.or2(w.is(a[j], 0), terms.lt(terms.var(a[i]), terms.var(a[j]))))
            .collect();
        step("entC3", "tryC3", &[], &turn, &[dec(rw), inc(c3)], "onC3");
        step(
            "exitC4",
            "touchDown",
            &[],
            &[w.is(c4, 0)],
            &[dec(rw), inc(c4)],
            "onC4",
        );
        let sets = [dec(c3), inc(b2), (a[i], w.n(0))];
        step("xC3", "onC3", &[], &[w.is(b2, 0)], &sets, "onB2");
        step(
            "xC4",
            "onC4",
            &[],
            &[w.is(b7, 0)],
            &[dec(c4), inc(b7)],
            "onB7",
        );
        step("park2", "onB2", &[], &[], &[dec(b2)], "parked");
        step("park7", "onB7", &[], &[], &[dec(b7)], "parked");
        step("fly", "parked", &[], &[], &[], "fly");
        step("back", "fly", &[], &[], &[], "arFlow");
    }
    add_properties(&mut b, [rw, c3], &pc, |p, name| w.at(p, place, index(name)));
    b.module()
}

fn add_properties(
    b: &mut Builder<'_>,
    [rw, c3]: [Symbol; 2],
    pc: &[Symbol],
    at: impl Fn(Symbol, &str) -> Term,
) {
    let (terms, w) = (b.terms, Words(b.terms));
    b.invariant("p1", terms.le(terms.var(rw), w.n(1)));
    let on: Vec<Term> = pc.iter().map(|&p| at(p, "onC3")).collect();
    b.invariant("p2", exclusion(terms, &on));
    b.invariant("p3", terms.le(terms.var(c3), w.n(1)));
    let leads = |p: Term, q: Term| ag(Ctl::implies(Ctl::State(p), af(Ctl::State(q))));
    b.ctl("p4", leads(w.is(rw, 1), w.is(rw, 0)));
    b.ctl("c3live", leads(at(pc[0], "tryC3"), at(pc[0], "onC3")));
    b.ctl("noc3starve", leads(w.is(c3, 1), w.is(c3, 0)));
}
