//! Every rule with clauses that it covers, and close ones that it does not.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Builder, numbers, plain, rat, variable};
use sectile_base::Int;
use sectile_proof::{Fault, Inference, Lemma, Rule, Source};
use sectile_terms::{Sort, SymbolKind, Term, Terms};

struct Names {
    p: Term,
    q: Term,
    r: Term,
    x: Term,
    y: Term,
    z: Term,
    u: Term,
    v: Term,
}

fn names(terms: &Terms) -> Names {
    let of = |name, sort| variable(terms, name, sort);
    Names {
        p: of("p", Sort::Bool),
        q: of("q", Sort::Bool),
        r: of("r", Sort::Bool),
        x: of("x", Sort::Int),
        y: of("y", Sort::Int),
        z: of("z", Sort::Int),
        u: of("u", Sort::Real),
        v: of("v", Sort::Real),
    }
}

/// Asserts a formula and asks for a clause of it, given as formulas.
fn input(terms: &Terms, assertion: Term, clause: &[Term]) -> Result<(), Fault> {
    let mut b = Builder::new(terms);
    b.assertions.push(assertion);
    let clause: Vec<_> = clause.iter().map(|&t| b.formula(t)).collect();
    b.lemma(&clause, Inference::Input(Source::Assertion(0)))
}

#[test]
fn inputs_are_disjunctions_among_the_conjuncts() {
    let terms = &Terms::new();
    let Names { p, q, r, x, .. } = names(terms);
    let or = terms.or2(p, q);
    // A conjunction that is kept inside a disjunction stays one literal.
    let nested = terms.and([or, terms.or2(r, terms.and2(p, q)), terms.not(p)]);
    assert_eq!(input(terms, nested, &[p, q]), Ok(()));
    assert_eq!(input(terms, nested, &[r, terms.and2(p, q)]), Ok(()));
    assert_eq!(input(terms, nested, &[terms.not(p)]), Ok(()));
    assert_eq!(input(terms, nested, &[or]), Ok(()));
    assert_eq!(input(terms, nested, &[nested]), Ok(()));
    assert_eq!(input(terms, nested, &[q, r, p]), Ok(()), "weakened");
    for wrong in [vec![p], vec![q], vec![p, terms.not(q)], vec![r], vec![r, p]] {
        assert_eq!(input(terms, nested, &wrong), Err(Fault::NotInSource));
    }
    assert_eq!(
        input(terms, or, &[terms.and2(p, q)]),
        Err(Fault::NotInSource)
    );
    let bound = terms.le(x, terms.int(3));
    assert_eq!(input(terms, bound, &[bound]), Ok(()));
    let other = terms.le(x, terms.int(2));
    assert_eq!(input(terms, bound, &[other]), Err(Fault::NotInSource));
    assert_eq!(input(terms, terms.ff(), &[p]), Ok(()), "false implies all");
    assert_eq!(input(terms, terms.tt(), &[p]), Err(Fault::NotInSource));
}

#[test]
fn long_conjunctions_are_taken_apart() {
    let terms = &Terms::new();
    let x = variable(terms, "x", Sort::Int);
    let at = |k: i64| terms.eq(x, terms.int(k));
    let long = |from: i64| terms.and((from..from + 20).map(|k| terms.not(at(k))));
    // More than is merged: the inner conjunctions stay as they are.
    let nested = terms.and([long(0), long(20), long(40)]);
    assert_eq!(input(terms, nested, &[terms.not(at(37))]), Ok(()));
    assert_eq!(input(terms, nested, &[long(20)]), Ok(()));
    assert_eq!(input(terms, nested, &[at(37)]), Err(Fault::NotInSource));
}

#[test]
fn inputs_are_matched_by_what_they_say() {
    let terms = &Terms::new();
    let Names { x, y, u, .. } = names(terms);
    let mut b = Builder::new(terms);
    // x mod 3 <= 1 is x - 3 * (x div 3) <= 1.
    let three = Int::from(3);
    let (div, rest) = (terms.div(x, &three), terms.modulo(x, &three));
    b.assertions.push(terms.le(rest, terms.int(1)));
    // y as a real is y.
    let real = terms.add(terms.to_real(y), u);
    b.assertions
        .push(terms.lt(real, terms.number(rat(1, 2), Sort::Real)));
    let first = b.le(&[(1, x), (-3, div)], 1);
    let second = b.bound(&[(1, y), (1, u)], true, rat(1, 2));
    let weak = b.bound(&[(1, y), (1, u)], false, rat(1, 2));
    let of = |i| Inference::Input(Source::Assertion(i));
    assert_eq!(b.lemma(&[first], of(0)), Ok(()));
    assert_eq!(b.lemma(&[!first], of(0)), Err(Fault::NotInSource));
    assert_eq!(b.lemma(&[second], of(1)), Ok(()));
    assert_eq!(b.lemma(&[weak], of(1)), Err(Fault::NotInSource));
    assert_eq!(b.lemma(&[second], of(0)), Err(Fault::NotInSource));
}

/// A clause given as formulas, as part of the definition of a term.
fn definition(terms: &Terms, t: Term, clause: &[Term]) -> Result<(), Fault> {
    let mut b = Builder::new(terms);
    let clause: Vec<_> = clause.iter().map(|&t| b.formula(t)).collect();
    b.lemma(&clause, Inference::Definition(t))
}

/// The clauses of the first list are axioms, those of the second are not.
fn defines(terms: &Terms, t: Term, yes: &[&[Term]], no: &[&[Term]]) {
    for clause in yes {
        assert_eq!(definition(terms, t, clause), Ok(()));
    }
    for clause in no {
        assert_eq!(definition(terms, t, clause), Err(Fault::NotDefinition));
    }
}

#[test]
fn junctions() {
    let terms = &Terms::new();
    let Names { p, q, r, .. } = names(terms);
    let not = |t| terms.not(t);
    let and = terms.and([p, q, not(r)]);
    defines(
        terms,
        and,
        &[
            &[not(and), p],
            &[not(and), not(r)],
            &[and, not(p), not(q), r],
            &[not(and), q, r],
        ],
        &[
            &[not(and), r],
            &[and, p],
            &[and, not(p), not(q)],
            &[and, not(p), not(q), not(r)],
            &[p],
            &[not(and)],
        ],
    );
    let or = terms.or([p, q, not(r)]);
    defines(
        terms,
        or,
        &[&[or, not(p)], &[or, r], &[not(or), p, q, not(r)]],
        &[&[or, not(r)], &[not(or), p, q], &[not(or), p, q, r], &[or]],
    );
    defines(terms, terms.tt(), &[&[terms.tt()]], &[&[p]]);
    defines(terms, p, &[], &[&[p], &[not(p)]]);
}

#[test]
fn choices_and_equivalences() {
    let terms = &Terms::new();
    let Names { p, q, r, .. } = names(terms);
    let not = |t| terms.not(t);
    let ite = terms.ite(p, q, r);
    defines(
        terms,
        ite,
        &[
            &[not(ite), not(p), q],
            &[not(ite), p, r],
            &[ite, not(p), not(q)],
            &[ite, p, not(r)],
        ],
        &[
            &[not(ite), p, q],
            &[not(ite), not(p), r],
            &[ite, not(p), q],
            &[ite, not(p)],
            &[ite, not(q)],
        ],
    );
    let iff = terms.iff(p, q);
    defines(
        terms,
        iff,
        &[
            &[not(iff), not(p), q],
            &[not(iff), p, not(q)],
            &[iff, p, q],
            &[iff, not(p), not(q)],
        ],
        &[&[iff, p, not(q)], &[not(iff), p, q], &[iff, p]],
    );
}

#[test]
fn numeric_choices() {
    let terms = &Terms::new();
    let Names { p, x, y, u, v, .. } = names(terms);
    let (not, le) = (|t| terms.not(t), |a, b| terms.le(a, b));
    let ite = terms.ite(p, x, y);
    defines(
        terms,
        ite,
        &[
            &[not(p), le(ite, x)],
            &[not(p), le(x, ite)],
            &[p, le(ite, y)],
            &[p, le(y, ite)],
        ],
        &[
            &[p, le(ite, x)],
            &[not(p), le(y, ite)],
            &[le(ite, x)],
            &[not(p), terms.lt(ite, x)],
        ],
    );
    let abs = terms.abs(u);
    let zero = terms.number(rat(0, 1), Sort::Real);
    let (low, minus) = (le(u, zero), terms.neg(u));
    defines(
        terms,
        abs,
        &[
            &[not(low), le(abs, minus)],
            &[not(low), le(minus, abs)],
            &[low, le(abs, u)],
        ],
        &[
            &[low, le(abs, minus)],
            &[low, terms.lt(abs, u)],
            &[le(abs, minus)],
        ],
    );
    let (min, max, first) = (terms.min(u, v), terms.max(u, v), le(u, v));
    defines(
        terms,
        min,
        &[
            &[not(first), le(min, u)],
            &[not(first), le(u, min)],
            &[first, le(min, v)],
        ],
        &[&[first, le(min, u)], &[not(first), le(v, min)]],
    );
    defines(
        terms,
        max,
        &[&[not(first), le(max, v)], &[first, le(u, max)]],
        &[&[not(first), le(max, u)], &[first, le(v, max)]],
    );
}

#[test]
fn choices_in_branches() {
    let terms = &Terms::new();
    let Names { p, q, x, y, z, .. } = names(terms);
    let (not, le) = (|t| terms.not(t), |a, b| terms.le(a, b));
    let inner = terms.ite(q, y, z);
    let ite = terms.ite(p, x, inner);
    defines(
        terms,
        ite,
        &[
            &[not(p), le(ite, x)],
            &[p, le(inner, ite)],
            &[p, not(q), le(ite, y)],
            &[p, q, le(z, ite)],
        ],
        &[
            &[p, le(ite, y)],
            &[not(q), le(ite, y)],
            &[not(p), not(q), le(ite, y)],
            &[p, q, le(ite, y)],
            &[p, not(q), terms.lt(ite, y)],
        ],
    );
}

#[test]
fn comparisons_of_choices() {
    let terms = &Terms::new();
    let Names { p, x, y, z, .. } = names(terms);
    let not = |t| terms.not(t);
    let ite = terms.ite(p, x, y);
    let five = terms.int(5);
    let compared = |f: &dyn Fn(Term) -> Term| {
        let (t, with_x, with_y) = (f(ite), f(x), f(y));
        defines(
            terms,
            t,
            &[
                &[not(t), not(p), with_x],
                &[t, not(p), not(with_x)],
                &[not(t), p, with_y],
                &[t, p, not(with_y)],
            ],
            &[
                &[not(t), p, with_x],
                &[t, not(p), with_x],
                &[not(t), with_x],
                &[not(p), with_y],
            ],
        );
    };
    compared(&|t| terms.eq(t, five));
    compared(&|t| terms.eq(t, z));
    compared(&|t| terms.le(t, five));
    compared(&|t| terms.le(five, t));
    compared(&|t| terms.lt(t, z));
}

#[test]
fn quotients() {
    let terms = &Terms::new();
    let Names { x, y, u, .. } = names(terms);
    let a = terms.add(x, terms.scale(y, &rat(2, 1)));
    let q = terms.div(a, &Int::from(4));
    let rest = terms.sub(a, terms.scale(q, &rat(4, 1)));
    let at = |k| terms.int(k);
    defines(
        terms,
        q,
        &[&[terms.ge(rest, at(0))], &[terms.le(rest, at(3))]],
        &[
            &[terms.ge(rest, at(1))],
            &[terms.le(rest, at(2))],
            &[terms.le(rest, at(4))],
            &[terms.le(q, x)],
        ],
    );
    // The remainder is the same sum.
    let modulo = terms.modulo(a, &Int::from(4));
    assert_eq!(definition(terms, q, &[terms.le(modulo, at(3))]), Ok(()));
    let f = terms.floor(u);
    let rest = terms.sub(u, terms.to_real(f));
    let at = |k| terms.number(rat(k, 1), Sort::Real);
    defines(
        terms,
        f,
        &[&[terms.ge(rest, at(0))], &[terms.lt(rest, at(1))]],
        &[
            &[terms.gt(rest, at(0))],
            &[terms.le(rest, at(1))],
            &[terms.lt(rest, at(0))],
        ],
    );
}

#[test]
fn enumerations() {
    let terms = &Terms::new();
    let p = variable(terms, "p", Sort::Bool);
    let id = terms.declare_enum("E", &["a", "b", "c"].map(String::from));
    let e = variable(terms, "e", Sort::Enum(id));
    let f = variable(terms, "f", Sort::Enum(id));
    let is = |t: Term, k: u32| terms.eq(t, terms.variant(id, k));
    let not = |t| terms.not(t);
    let equal = terms.eq(e, f);
    defines(
        terms,
        equal,
        &[
            &[not(equal), not(is(e, 1)), is(f, 1)],
            &[not(equal), is(e, 2), not(is(f, 2))],
            &[equal, not(is(e, 0)), not(is(f, 0))],
        ],
        &[
            &[equal, is(e, 0), is(f, 0)],
            &[equal, not(is(e, 0)), not(is(f, 1))],
            &[not(equal), not(is(e, 1)), is(f, 2)],
        ],
    );
    let chosen = terms.ite(p, e, f);
    let by_cases = is(chosen, 0);
    defines(
        terms,
        by_cases,
        &[
            &[not(by_cases), not(p), is(e, 0)],
            &[by_cases, p, not(is(f, 0))],
        ],
        &[
            &[not(by_cases), not(p), is(f, 0)],
            &[by_cases, p, not(is(f, 1))],
        ],
    );
    let lemma = |clause: &[Term], inference: Inference| {
        let mut b = Builder::new(terms);
        let clause: Vec<_> = clause.iter().map(|&t| b.formula(t)).collect();
        b.lemma(&clause, inference)
    };
    let distinct = |clause: &[Term]| lemma(clause, plain(Rule::Distinct));
    assert_eq!(distinct(&[not(is(e, 0)), not(is(e, 2))]), Ok(()));
    assert_eq!(
        distinct(&[not(is(e, 0)), not(is(f, 2))]),
        Err(Fault::NotInstance(Rule::Distinct))
    );
    assert_eq!(
        distinct(&[not(is(e, 0)), not(is(e, 0))]),
        Err(Fault::NotInstance(Rule::Distinct))
    );
    assert_eq!(
        distinct(&[is(e, 0), not(is(e, 1))]),
        Err(Fault::NotInstance(Rule::Distinct))
    );
    let exhaustive = |clause: &[Term]| lemma(clause, plain(Rule::Exhaustive));
    assert_eq!(exhaustive(&[is(e, 0), is(e, 1), is(e, 2)]), Ok(()));
    assert_eq!(
        exhaustive(&[is(e, 0), is(e, 1), is(f, 2)]),
        Err(Fault::NotInstance(Rule::Exhaustive))
    );
    assert_eq!(
        exhaustive(&[is(e, 0), is(e, 1)]),
        Err(Fault::NotInstance(Rule::Exhaustive))
    );
    assert_eq!(
        exhaustive(&[is(e, 0), is(e, 1), not(is(e, 2))]),
        Err(Fault::NotInstance(Rule::Exhaustive))
    );
}

#[test]
fn trichotomy() {
    let terms = &Terms::new();
    let Names { x, y, u, v, .. } = names(terms);
    let mut b = Builder::new(terms);
    let equal = b.formula(terms.eq(terms.add(x, terms.int(1)), y));
    let most = b.le(&[(1, x), (-1, y)], -1);
    let less = b.le(&[(1, x), (-1, y)], -2);
    let check = |clause: &[_], expected| {
        assert_eq!(b.lemma(clause, plain(Rule::Trichotomy)), expected);
    };
    let wrong = Err(Fault::NotInstance(Rule::Trichotomy));
    check(&[!equal, most], Ok(()));
    check(&[!equal, !less], Ok(()));
    check(&[equal, !most, less], Ok(()));
    check(&[!equal, less], wrong);
    check(&[!equal, !most], wrong);
    check(&[equal, most, !less], wrong);
    check(&[equal, !most], wrong);
    check(&[most, !less], wrong);
    let mut b = Builder::new(terms);
    let equal = b.formula(terms.eq(u, v));
    let most = b.le(&[(1, u), (-1, v)], 0);
    let less = b.lt(&[(1, u), (-1, v)], 0);
    let check = |clause: &[_], expected| {
        assert_eq!(b.lemma(clause, plain(Rule::Trichotomy)), expected);
    };
    check(&[!equal, most], Ok(()));
    check(&[!equal, !less], Ok(()));
    check(&[equal, !most, less], Ok(()));
    check(&[equal, !most], wrong);
    check(&[!equal, less], wrong);
}

#[test]
fn farkas() {
    let terms = &Terms::new();
    let Names { p, x, y, u, v, .. } = names(terms);
    let mut b = Builder::new(terms);
    // 2x + y <= 3, x >= 1, y >= 2 cannot be: the last two are negations of x <= 0, y <= 1.
    let (sum, low, lower) = (
        b.le(&[(2, x), (1, y)], 3),
        b.le(&[(1, x)], 0),
        b.le(&[(1, y)], 1),
    );
    let flag = b.formula(p);
    let check = |b: &Builder<'_>, clause: &[_], list: &[i64], expected| {
        let list = list.iter().map(|&c| rat(c, 1)).collect();
        assert_eq!(b.lemma(clause, numbers(Rule::Farkas, list)), expected);
    };
    let wrong = Err(Fault::NoContradiction);
    check(&b, &[!sum, low, lower], &[1, 2, 1], Ok(()));
    check(&b, &[!sum, low, lower], &[2, 4, 2], Ok(()));
    check(&b, &[!sum, low, lower], &[1, 1, 1], wrong);
    check(&b, &[!sum, low, lower], &[1, 2, 2], wrong);
    check(&b, &[sum, low, lower], &[1, 2, 1], wrong);
    check(
        &b,
        &[!sum, low, lower],
        &[-1, -2, -1],
        Err(Fault::NotPositive),
    );
    check(&b, &[!sum, low, lower], &[1, 2, 0], Err(Fault::NotPositive));
    check(&b, &[!sum, low, flag], &[1, 2, 1], Err(Fault::NotBound(2)));
    // One less is possible.
    let loose = b.le(&[(1, y)], 0);
    check(&b, &[!sum, low, loose], &[1, 2, 1], wrong);
    // Over reals, the negation of a weak bound is strict: u < v and v < u, but not u <= v <= u.
    let weak = [b.le(&[(1, u), (-1, v)], 0), b.le(&[(1, v), (-1, u)], 0)];
    let strict = [b.lt(&[(1, u), (-1, v)], 0), b.lt(&[(1, v), (-1, u)], 0)];
    check(&b, &weak, &[1, 1], Ok(()));
    check(&b, &[weak[0], strict[1]], &[1, 1], Ok(()));
    check(&b, &strict, &[1, 1], wrong);
    // Over integers, x - y < 1 and x - y > 0 leave nothing, however the former is written.
    let most = b.le(&[(1, x), (-1, y)], 0);
    let below = b.lt(&[(1, x), (-1, y)], 1);
    check(&b, &[most, !below], &[1, 1], Ok(()));
    let below = b.lt(&[(1, x), (-1, y)], 2);
    check(&b, &[most, !below], &[1, 1], wrong);
}

#[test]
fn divisibility() {
    let terms = &Terms::new();
    let Names { x, y, z, u, .. } = names(terms);
    let mut b = Builder::new(terms);
    // 2x = z and 2y + 1 = z: half of the difference is x - y = 1/2.
    let even = [b.le(&[(2, x), (-1, z)], 0), b.le(&[(2, x), (-1, z)], -1)];
    let odd = [b.le(&[(2, y), (-1, z)], -1), b.le(&[(2, y), (-1, z)], -2)];
    let clause = [!even[0], even[1], !odd[0], odd[1]];
    let check = |b: &Builder<'_>, clause: &[_], list: &[(i64, i64)], expected| {
        let list = list.iter().map(|&(n, d)| rat(n, d)).collect();
        assert_eq!(b.lemma(clause, numbers(Rule::Divisibility, list)), expected);
    };
    check(&b, &clause, &[(1, 2), (0, 1), (-1, 2), (0, 1)], Ok(()));
    // The multiplier may stand with the lower bound, whose sum has the other sign.
    check(&b, &clause, &[(1, 2), (0, 1), (0, 1), (1, 2)], Ok(()));
    let wrong = Err(Fault::NotDivisibility);
    check(&b, &clause, &[(1, 2), (0, 1), (1, 2), (0, 1)], Ok(()));
    check(&b, &clause, &[(1, 1), (0, 1), (-1, 1), (0, 1)], wrong);
    check(&b, &clause, &[(1, 2), (0, 1), (-1, 4), (0, 1)], wrong);
    check(&b, &clause, &[(1, 2), (0, 1), (0, 1), (0, 1)], wrong);
    check(
        &b,
        &clause[..3],
        &[(1, 2), (0, 1), (-1, 2)],
        Err(Fault::NotEquation(2)),
    );
    let flipped = [!even[0], even[1], !odd[0], !odd[1]];
    check(
        &b,
        &flipped,
        &[(1, 2), (0, 1), (-1, 2), (0, 1)],
        Err(Fault::NotEquation(2)),
    );
    check(&b, &clause, &[(1, 2), (0, 1)], Err(Fault::WrongCount));
    // 2y + 2 = z is possible.
    let two = [b.le(&[(2, y), (-1, z)], -2), b.le(&[(2, y), (-1, z)], -3)];
    let clause = [!even[0], even[1], !two[0], two[1]];
    check(&b, &clause, &[(1, 2), (0, 1), (-1, 2), (0, 1)], wrong);
    // And so is u = 1/2 for a real.
    let real = [
        b.bound(&[(1, u)], false, rat(1, 2)),
        b.bound(&[(1, u)], true, rat(1, 2)),
    ];
    check(&b, &[!real[0], real[1]], &[(1, 1), (0, 1)], wrong);
}

#[test]
fn resolution() {
    let terms = &Terms::new();
    let Names { p, q, r, .. } = names(terms);
    let mut b = Builder::new(terms);
    let [lp, lq, lr] = [p, q, r].map(|t| b.formula(t));
    let first = b.input(terms.or([p, q]), &[lp, lq]);
    let second = b.input(terms.or([terms.not(p), r]), &[!lp, lr]);
    let both = b.input(terms.or([terms.not(p), terms.not(q)]), &[!lp, !lq]);
    let check = |clause: &[_], chain: &[u32], expected| {
        let inference = Inference::Resolution(chain.to_vec());
        assert_eq!(b.lemma(clause, inference), expected);
    };
    check(&[lq, lr], &[first, second], Ok(()));
    check(&[lq, lr], &[second, first], Ok(()));
    check(&[lq, lr, lp], &[first, second], Ok(()));
    check(&[lp, lq], &[first], Ok(()));
    check(&[lq, lr], &[first, second, second], Ok(()));
    check(&[lq], &[first, second], Err(Fault::ManyOpen(1)));
    check(&[lq, !lr], &[first, second], Err(Fault::ManyOpen(1)));
    check(&[lp], &[first], Err(Fault::NotResolvent));
    check(&[lp, lr], &[first, second], Err(Fault::NotResolvent));
    check(&[lp, lq], &[first, both], Err(Fault::ManyOpen(1)));
    check(&[lq], &[], Err(Fault::EmptyChain));
    check(&[lq], &[first, 3], Err(Fault::NotEarlier(3)));
    check(&[lq], &[first, u32::MAX], Err(Fault::NotEarlier(u32::MAX)));
}

/// Two atoms that say the same: a chain that resolves on one after the other.
#[test]
fn resolution_on_atoms_that_say_the_same() {
    let terms = &Terms::new();
    let Names { p, q, r, x, .. } = names(terms);
    let mut b = Builder::new(terms);
    let small = terms.le(x, terms.int(2));
    let [one, lp, lq, lr] = [small, p, q, r].map(|t| b.formula(t));
    let two = b.le(&[(1, x)], 2);
    let either = b.input(terms.or([small, p]), &[one, two, lp]);
    let neither = b.input(terms.or([terms.not(small), q]), &[!one, lq]);
    let nor = b.input(terms.or([terms.not(small), r]), &[!two, lr]);
    let check = |clause: &[_], chain: &[u32], expected| {
        let inference = Inference::Resolution(chain.to_vec());
        assert_eq!(b.lemma(clause, inference), expected);
    };
    check(&[lp, lq, lr], &[either, neither, nor], Ok(()));
    check(&[lp, lq], &[either, neither], Ok(()));
    check(
        &[lp, two, lr],
        &[either, neither, nor],
        Err(Fault::ManyOpen(1)),
    );
    check(&[lp, lr], &[either, neither], Err(Fault::ManyOpen(1)));
    check(&[lp], &[either, either], Err(Fault::NotResolvent));
}

#[test]
fn elements_of_arrays() {
    let terms = &Terms::new();
    let sort = terms.array_sort(Sort::Int, Sort::Int);
    let var = |n: &str, s: Sort| terms.var(terms.declare(n, s, SymbolKind::State).unwrap());
    let (a, b) = (var("a", sort), var("b", sort));
    let [i, j, v] = ["i", "j", "v"].map(|n| var(n, Sort::Int));
    let p = var("p", Sort::Bool);
    let lemma = |clause: &[Term], parts: [Term; 3]| {
        let mut builder = Builder::new(terms);
        let clause: Vec<_> = clause.iter().map(|&t| builder.formula(t)).collect();
        builder.lemma(
            &clause,
            Inference::Lemma(Lemma::with_terms(Rule::Element, parts)),
        )
    };
    let at = |array: Term, index: Term| terms.select(array, index);
    let wrong = Err(Fault::NotInstance(Rule::Element));
    let update = terms.store(a, i, v);
    let (same, other) = (terms.eq(i, j), terms.neq(i, j));
    let is_v = terms.eq(at(update, j), v);
    let is_old = terms.eq(at(update, j), at(a, j));
    assert_eq!(lemma(&[other, is_v], [update, j, j]), Ok(()));
    assert_eq!(lemma(&[same, is_old], [update, j, j]), Ok(()));
    assert_eq!(lemma(&[same, is_old, p], [update, j, j]), Ok(()));
    assert_eq!(lemma(&[same, is_v], [update, j, j]), wrong);
    assert_eq!(lemma(&[other, is_old], [update, j, j]), wrong);
    assert_eq!(lemma(&[is_old], [update, j, j]), wrong);
    let chosen = terms.ite(p, a, b);
    let is_a = terms.eq(at(chosen, j), at(a, j));
    assert_eq!(lemma(&[terms.not(p), is_a], [chosen, j, j]), Ok(()));
    assert_eq!(lemma(&[p, is_a], [chosen, j, j]), wrong);
    let equal = terms.eq(a, b);
    let agree = |k: Term| terms.eq(at(a, k), at(b, k));
    assert_eq!(lemma(&[terms.not(equal), agree(j)], [equal, j, j]), Ok(()));
    assert_eq!(lemma(&[equal, terms.not(agree(j))], [equal, j, j]), wrong);
    let k = terms.differing_index(a, b);
    assert_eq!(lemma(&[equal, terms.not(agree(k))], [equal, k, k]), Ok(()));
    assert_eq!(lemma(&[equal, agree(k)], [equal, k, k]), wrong);
    let elements = terms.eq(at(a, i), at(a, j));
    assert_eq!(lemma(&[other, elements], [a, i, j]), Ok(()));
    assert_eq!(lemma(&[same, elements], [a, i, j]), wrong);
    assert_eq!(
        lemma(&[other, terms.eq(at(a, i), at(b, j))], [a, i, j]),
        wrong
    );
    // No array, and indices of another sort.
    assert_eq!(lemma(&[other, elements], [i, i, j]), Err(Fault::WrongSort));
    assert_eq!(lemma(&[other, elements], [a, p, j]), Err(Fault::WrongSort));
}

#[test]
fn congruence_of_functions() {
    let terms = &Terms::new();
    let int = |n: &str| terms.var(terms.declare(n, Sort::Int, SymbolKind::State).unwrap());
    let [x, y, u, v] = ["x", "y", "u", "v"].map(int);
    let f = terms.declare_function("f", &[Sort::Int, Sort::Int], Sort::Int);
    let g = terms.declare_function("g", &[Sort::Int, Sort::Int], Sort::Int);
    let (f, g) = (f.unwrap(), g.unwrap());
    let lemma = |clause: &[Term], parts: &[Term]| {
        let mut builder = Builder::new(terms);
        let clause: Vec<_> = clause.iter().map(|&t| builder.formula(t)).collect();
        builder.lemma(
            &clause,
            Inference::Lemma(Lemma::with_terms(Rule::Congruence, parts)),
        )
    };
    let wrong = Err(Fault::NotInstance(Rule::Congruence));
    let (s, t) = (terms.apply(f, &[x, y]), terms.apply(f, &[u, v]));
    let [first, second, same] = [terms.neq(x, u), terms.neq(y, v), terms.eq(s, t)];
    assert_eq!(lemma(&[first, second, same], &[s, t]), Ok(()));
    assert_eq!(lemma(&[first, second, same], &[t, s]), Ok(()));
    assert_eq!(lemma(&[first, same], &[s, t]), wrong);
    assert_eq!(lemma(&[first, second], &[s, t]), wrong);
    assert_eq!(lemma(&[terms.eq(x, u), second, same], &[s, t]), wrong);
    assert_eq!(lemma(&[first, second, terms.not(same)], &[s, t]), wrong);
    // An argument that is the same needs no literal.
    let near = terms.apply(f, &[x, v]);
    assert_eq!(lemma(&[second, terms.eq(s, near)], &[s, near]), Ok(()));
    // Another function, no application, a part of one, too few terms.
    let other = terms.apply(g, &[u, v]);
    let mixed = terms.eq(s, other);
    assert_eq!(lemma(&[first, second, mixed], &[s, other]), wrong);
    assert_eq!(lemma(&[first, second, same], &[x, u]), wrong);
    let part = terms.select(terms.var(f), x);
    assert_eq!(lemma(&[first, second, same], &[part, part]), wrong);
    assert_eq!(lemma(&[first, same], &[s]), Err(Fault::WrongCount));
}
