//! M3, M4, M6, M10.

use super::{Builder, Words, af, ag};
use sectile_model::{Ctl, Module};
use sectile_terms::{Sort, Symbol, Term, Terms};

/// No two are at the place.
pub fn exclusion(terms: &Terms, at: &[Term]) -> Term {
    let pairs = (0..at.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    terms.and(pairs.map(|(j, i)| terms.not(terms.and2(at[i], at[j]))))
}

/// M3; with `ticket_test` off the tickets are not compared.
pub fn bakery(terms: &Terms, n: usize, ticket_test: bool) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let pc: Vec<Symbol> = (0..n).map(|i| b.range(&format!("pc[{i}]"), 0, 3)).collect();
    let num: Vec<Symbol> = (0..n).map(|i| b.int(&format!("num[{i}]"))).collect();
    let v = b.input("v", Sort::Int);
    (0..n).for_each(|i| {
        b.init(w.is(pc[i], 0));
        b.init(w.is(num[i], 0));
    });
    for i in 0..n {
        let others = || (0..n).filter(move |&j| j != i);
        let mut higher = vec![w.is(pc[i], 1), terms.gt(terms.var(v), w.n(0))];
        higher.extend(others().map(|j| terms.gt(terms.var(v), terms.var(num[j]))));
        let mut turn = vec![w.is(pc[i], 2)];
        for j in others() {
            turn.push(terms.not(w.is(pc[j], 1)));
            if ticket_test {
                let less = terms.lt(terms.var(num[i]), terms.var(num[j]));
                turn.push(terms.or2(w.is(num[j], 0), less));
            }
        }
        b.command(&format!("req[{i}]"), &[w.is(pc[i], 0)], &[(pc[i], w.n(1))]);
        let sets = [(num[i], terms.var(v)), (pc[i], w.n(2))];
        b.command_with(&format!("take[{i}]"), &[v], &higher, &sets);
        b.command(&format!("enter[{i}]"), &turn, &[(pc[i], w.n(3))]);
        let sets = [(num[i], w.n(0)), (pc[i], w.n(0))];
        b.command(&format!("exit[{i}]"), &[w.is(pc[i], 3)], &sets);
    }
    let critical: Vec<Term> = pc.iter().map(|&p| w.is(p, 3)).collect();
    b.invariant("mutex", exclusion(terms, &critical));
    b.module()
}

/// M3, the fine-grained variant; with `choosing_test` off nobody waits for those who choose.
pub fn bakery_fine(terms: &Terms, n: usize, choosing_test: bool) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let critical = 3 + i64::try_from(n).unwrap();
    let pc: Vec<Symbol> = (0..n)
        .map(|i| b.range(&format!("pc[{i}]"), 0, critical))
        .collect();
    let num: Vec<Symbol> = (0..n).map(|i| b.int(&format!("num[{i}]"))).collect();
    let tmp: Vec<Symbol> = (0..n).map(|i| b.int(&format!("tmp[{i}]"))).collect();
    for i in 0..n {
        b.init(w.is(pc[i], 0));
        b.init(w.is(num[i], 0));
        b.init(w.is(tmp[i], 0));
    }
    for i in 0..n {
        let numbers = num.iter().map(|&s| terms.var(s));
        let highest = numbers.reduce(|x, y| terms.max(x, y)).unwrap();
        let ticket = terms.add(highest, w.n(1));
        b.command(
            &format!("choose[{i}]"),
            &[w.is(pc[i], 0)],
            &[(pc[i], w.n(1))],
        );
        let sets = [(tmp[i], ticket), (pc[i], w.n(2))];
        b.command(&format!("read[{i}]"), &[w.is(pc[i], 1)], &sets);
        let sets = [
            (num[i], terms.var(tmp[i])),
            (tmp[i], w.n(0)),
            (pc[i], w.n(3)),
        ];
        b.command(&format!("publish[{i}]"), &[w.is(pc[i], 2)], &sets);
        for j in 0..n {
            let here = 3 + i64::try_from(j).unwrap();
            let mut guards = vec![w.is(pc[i], here)];
            if j != i {
                if choosing_test {
                    guards.push(terms.not(w.is(pc[j], 1)));
                    guards.push(terms.not(w.is(pc[j], 2)));
                }
                let (mine, other) = (terms.var(num[i]), terms.var(num[j]));
                let before = if i < j {
                    terms.le(mine, other)
                } else {
                    terms.lt(mine, other)
                };
                guards.push(terms.or2(w.is(num[j], 0), before));
            }
            b.command(
                &format!("wait[{i},{j}]"),
                &guards,
                &[(pc[i], w.n(here + 1))],
            );
        }
        let sets = [(num[i], w.n(0)), (pc[i], w.n(0))];
        b.command(&format!("exit[{i}]"), &[w.is(pc[i], critical)], &sets);
    }
    let at: Vec<Term> = pc.iter().map(|&p| w.is(p, critical)).collect();
    b.invariant("mutex", exclusion(terms, &at));
    b.module()
}

/// M4 with numbers for the two delays.
pub fn fischer(terms: &Terms, n: usize, c1: i64, c2: i64) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let last = i64::try_from(n).unwrap();
    let pc: Vec<Symbol> = (0..n).map(|i| b.range(&format!("pc[{i}]"), 0, 3)).collect();
    let lock = b.range("lock", 0, last);
    let clock: Vec<Symbol> = (0..n)
        .map(|i| b.var(&format!("c[{i}]"), Sort::Real))
        .collect();
    let delay = b.input("d", Sort::Real);
    let is_real = |s, k| terms.eq(terms.var(s), w.real(k));
    b.init(w.is(lock, 0));
    for i in 0..n {
        b.init(w.is(pc[i], 0));
        b.init(is_real(clock[i], 0));
    }
    let mut tick = vec![terms.gt(terms.var(delay), w.real(0))];
    let mut advance = Vec::new();
    for i in 0..n {
        let me = i64::try_from(i).unwrap() + 1;
        let c = terms.var(clock[i]);
        let (early, late) = (terms.le(c, w.real(c1)), terms.ge(c, w.real(c2)));
        let reset = (clock[i], w.real(0));
        let guards = [w.is(pc[i], 0), w.is(lock, 0)];
        b.command(&format!("try[{i}]"), &guards, &[(pc[i], w.n(1)), reset]);
        let sets = [(lock, w.n(me)), reset, (pc[i], w.n(2))];
        b.command(&format!("set[{i}]"), &[w.is(pc[i], 1), early], &sets);
        let guards = [w.is(pc[i], 2), late, w.is(lock, me)];
        b.command(&format!("enter[{i}]"), &guards, &[(pc[i], w.n(3))]);
        let guards = [w.is(pc[i], 2), late, terms.not(w.is(lock, me))];
        b.command(&format!("retry[{i}]"), &guards, &[(pc[i], w.n(0))]);
        let sets = [(lock, w.n(0)), (pc[i], w.n(0))];
        b.command(&format!("exit[{i}]"), &[w.is(pc[i], 3)], &sets);
        let after = terms.add(c, terms.var(delay));
        tick.push(terms.implies(w.is(pc[i], 1), terms.le(after, w.real(c1))));
        advance.push((clock[i], after));
    }
    b.command_with("tick", &[delay], &tick, &advance);
    let at: Vec<Term> = pc.iter().map(|&p| w.is(p, 3)).collect();
    b.invariant("mutex", exclusion(terms, &at));
    b.module()
}

/// M10; `first` is the ticket at which everything starts.
pub fn ticket(terms: &Terms, n: usize, first: i64) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let names: Vec<String> = ["think", "try", "cr"].map(String::from).to_vec();
    let place = terms.declare_enum("Place", &names);
    let (s, t, z) = (b.int("s"), b.int("t"), b.int("z"));
    let a: Vec<Symbol> = (0..n).map(|i| b.int(&format!("a[{i}]"))).collect();
    let pc: Vec<Symbol> = (0..n)
        .map(|i| b.var(&format!("pc[{i}]"), Sort::Enum(place)))
        .collect();
    b.init(w.is(s, first));
    b.init(terms.eq(terms.var(s), terms.var(t)));
    b.init(w.is(z, 0));
    for i in 0..n {
        b.init(w.at(pc[i], place, 0));
        b.init(w.is(a[i], 0));
        let go = |k| (pc[i], terms.variant(place, k));
        let sets = [(a[i], terms.var(t)), (t, w.plus(t, 1)), go(1)];
        b.command(&format!("try[{i}]"), &[w.at(pc[i], place, 0)], &sets);
        let guards = [
            w.at(pc[i], place, 1),
            terms.ge(terms.var(s), terms.var(a[i])),
        ];
        b.command(&format!("cr[{i}]"), &guards, &[(z, w.plus(z, 1)), go(2)]);
        let sets = [(s, w.plus(s, 1)), (z, w.plus(z, -1)), go(0)];
        b.command(&format!("think[{i}]"), &[w.at(pc[i], place, 2)], &sets);
    }
    b.invariant("zbound", terms.le(terms.var(z), w.n(1)));
    let at: Vec<Term> = pc.iter().map(|&p| w.at(p, place, 2)).collect();
    b.invariant("mutex", exclusion(terms, &at));
    let (trying, inside) = (w.at(pc[0], place, 1), w.at(pc[0], place, 2));
    let live = Ctl::implies(Ctl::State(trying), af(Ctl::State(inside)));
    b.ctl("live", ag(live));
    b.module()
}

/// M10 with all tickets relative to `s`, which makes it finite.
pub fn relative_ticket(terms: &Terms, n: usize) -> Module {
    let (mut b, w) = (Builder::new(terms), Words(terms));
    let d = b.int("d");
    let z = b.int("z");
    let a: Vec<Symbol> = (0..n).map(|i| b.int(&format!("a[{i}]"))).collect();
    let pc: Vec<Symbol> = (0..n).map(|i| b.range(&format!("pc[{i}]"), 0, 2)).collect();
    b.init(w.is(d, 0));
    b.init(w.is(z, 0));
    for i in 0..n {
        b.init(w.is(pc[i], 0));
        b.init(w.is(a[i], 0));
        let sets = [(a[i], terms.var(d)), (d, w.plus(d, 1)), (pc[i], w.n(1))];
        b.command(&format!("try[{i}]"), &[w.is(pc[i], 0)], &sets);
        let guards = [w.is(pc[i], 1), terms.le(terms.var(a[i]), w.n(0))];
        b.command(
            &format!("cr[{i}]"),
            &guards,
            &[(z, w.plus(z, 1)), (pc[i], w.n(2))],
        );
        // Everybody else's ticket comes one nearer; an unused ticket is zero.
        let mut sets = vec![
            (d, w.plus(d, -1)),
            (z, w.plus(z, -1)),
            (pc[i], w.n(0)),
            (a[i], w.n(0)),
        ];
        for j in (0..n).filter(|&j| j != i) {
            let idle = w.is(pc[j], 0);
            sets.push((a[j], terms.ite(idle, w.n(0), w.plus(a[j], -1))));
        }
        b.command(&format!("think[{i}]"), &[w.is(pc[i], 2)], &sets);
    }
    b.invariant("zbound", terms.le(terms.var(z), w.n(1)));
    let at: Vec<Term> = pc.iter().map(|&p| w.is(p, 2)).collect();
    b.invariant("mutex", exclusion(terms, &at));
    let live = Ctl::implies(Ctl::State(w.is(pc[0], 1)), af(Ctl::State(w.is(pc[0], 2))));
    b.ctl("live", ag(live));
    b.module()
}
