//! Corner cases of projection.

#![allow(clippy::unwrap_used)]

use crate::project_common;

use project_common::*;
use sectile_base::{Budget, Int, Rat};
use sectile_solver::{Assignment, Backend, Eliminator, ModelView, Projection};
use sectile_solver_native::NativeBackend;
use sectile_solver_native::project::{Limits, NativeEliminator, implicant, mbp};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms, Value};

struct Scene {
    terms: Terms,
}

impl Scene {
    fn new() -> Scene {
        Scene {
            terms: Terms::new(),
        }
    }

    fn var(&self, name: &str, sort: Sort) -> (Symbol, Term) {
        let symbol = self.terms.declare(name, sort, SymbolKind::State).unwrap();
        (symbol, self.terms.var(symbol))
    }

    fn scaled(&self, c: i64, t: Term) -> Term {
        self.terms.scale(t, &Rat::from(c))
    }

    fn real(&self, n: i64) -> Term {
        self.terms.number(Rat::from(n), Sort::Real)
    }

    fn project(&self, f: Term, vars: &[Symbol]) -> Projection {
        let vars: Vars = vars.iter().map(|&s| (s, Stage::Now)).collect();
        let mut eliminator = NativeBackend.eliminator(&self.terms).unwrap();
        let result = eliminator.project(f, &vars, &Budget::unlimited());
        result.unwrap().unwrap()
    }

    fn exactly(&self, f: Term, vars: &[Symbol]) -> Term {
        let result = self.project(f, vars);
        assert!(result.exact);
        result.formula
    }
}

#[test]
fn an_unconstrained_variable_vanishes() {
    let s = Scene::new();
    let (x, _) = s.var("x", Sort::Int);
    let (_, y) = s.var("y", Sort::Int);
    let f = s.terms.le(y, s.terms.int(3));
    assert_eq!(s.exactly(f, &[x]), f);
    assert_eq!(s.exactly(s.terms.tt(), &[x]), s.terms.tt());
}

#[test]
fn contradictions_stay_contradictions() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (p, tp) = s.var("p", Sort::Bool);
    let f = s.terms.and2(
        s.terms.lt(tx, s.terms.int(0)),
        s.terms.gt(tx, s.terms.int(0)),
    );
    assert_eq!(s.exactly(f, &[x]), s.terms.ff());
    let g = s.terms.and2(tp, s.terms.not(s.terms.or2(tp, f)));
    assert_eq!(s.exactly(g, &[p]), s.terms.ff());
    assert_eq!(s.exactly(s.terms.ff(), &[x, p]), s.terms.ff());
}

#[test]
fn strict_real_bounds_leave_strict_bounds() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Real);
    let (_, y) = s.var("y", Sort::Real);
    let (_, z) = s.var("z", Sort::Real);
    let f = s.terms.and2(s.terms.lt(y, tx), s.terms.le(tx, z));
    assert_eq!(s.exactly(f, &[x]), s.terms.lt(y, z));
    let g = s.terms.and2(s.terms.le(y, tx), s.terms.le(tx, z));
    assert_eq!(s.exactly(g, &[x]), s.terms.le(y, z));
    // One point that is excluded makes a closed interval an open one.
    let h = s.terms.and2(g, s.terms.neq(tx, y));
    assert_eq!(s.exactly(h, &[x]), s.terms.lt(y, z));
}

#[test]
fn equalities_alone_are_solved() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (_, y) = s.var("y", Sort::Int);
    let (z, tz) = s.var("z", Sort::Int);
    // 2x = y and 3z = y: y is a multiple of six.
    let f = s.terms.and2(
        s.terms.eq(s.scaled(2, tx), y),
        s.terms.eq(s.scaled(3, tz), y),
    );
    let result = s.exactly(f, &[x, z]);
    for v in -12..=12 {
        let mut model = Assignment::default();
        model.set(
            s.terms.symbol("y").unwrap(),
            Stage::Now,
            Value::Int(Int::from(v)),
        );
        assert_eq!(holds(&s.terms, &model, result), v % 6 == 0, "{v}");
    }
}

#[test]
fn parity_is_found() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (_, y) = s.var("y", Sort::Int);
    let even = s.terms.eq(s.scaled(2, tx), y);
    assert_eq!(s.exactly(even, &[x]), s.terms.divides(&Int::from(2), y));
    // 2x is between y and y: the same without an equality, and 3y <= 6x <= 3y + 3 is always.
    let between = s.terms.and2(
        s.terms.le(y, s.scaled(2, tx)),
        s.terms.le(s.scaled(2, tx), s.terms.add(y, s.terms.int(1))),
    );
    assert_eq!(s.exactly(between, &[x]), s.terms.tt());
    let odd = s.terms.not(s.terms.divides(&Int::from(2), tx));
    let f = s.terms.and([odd, s.terms.le(y, tx), s.terms.le(tx, y)]);
    let result = s.exactly(f, &[x]);
    let expected = s.terms.not(s.terms.divides(&Int::from(2), y));
    let query = s.terms.not(s.terms.iff(result, expected));
    assert_eq!(model_of(&s.terms, query), None);
}

#[test]
fn integers_with_wide_coefficients_are_exact() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (y, ty) = s.var("y", Sort::Int);
    // 3x is between y and y + 1.
    let f = s.terms.and2(
        s.terms.le(ty, s.scaled(3, tx)),
        s.terms.le(s.scaled(3, tx), s.terms.add(ty, s.terms.int(1))),
    );
    let result = s.exactly(f, &[x]);
    for v in -9..=9i64 {
        let mut model = Assignment::default();
        model.set(y, Stage::Now, Value::Int(Int::from(v)));
        let expected = v.rem_euclid(3) != 1;
        assert_eq!(holds(&s.terms, &model, result), expected, "{v}");
    }
}

#[test]
fn enumerations_run_out_of_values() {
    let s = Scene::new();
    let names = ["a", "b", "c"].map(String::from);
    let sort = Sort::Enum(s.terms.declare_enum("E", &names));
    let (x, tx) = s.var("x", sort);
    let others: Vec<Term> = ["u", "v", "w"].iter().map(|n| s.var(n, sort).1).collect();
    let differ = |n: usize| s.terms.and(others[..n].iter().map(|&o| s.terms.neq(tx, o)));
    assert_eq!(s.exactly(differ(2), &[x]), s.terms.tt());
    // A fourth value does not exist: two of the three must be equal.
    let result = s.exactly(differ(3), &[x]);
    let equal = s.terms.not(s.terms.distinct(&others));
    let query = s.terms.not(s.terms.iff(result, equal));
    assert_eq!(model_of(&s.terms, query), None);
}

#[test]
fn integers_between_reals_are_exact() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (y, ty) = s.var("y", Sort::Real);
    let (_, z) = s.var("z", Sort::Real);
    let real = s.terms.to_real(tx);
    let f = s.terms.and2(s.terms.le(ty, real), s.terms.lt(real, z));
    let result = s.exactly(f, &[x]);
    let value = |t: Term| s.terms.as_number(t).unwrap().clone();
    for (a, b, expected) in [(0, 0, false), (0, 1, true), (1, 1, false), (1, 3, true)] {
        let mut model = Assignment::default();
        let half = |n: i64| &value(s.real(n)) / &Rat::from(2);
        model.set(y, Stage::Now, Value::Real(half(a)));
        model.set(
            s.terms.symbol("z").unwrap(),
            Stage::Now,
            Value::Real(half(b)),
        );
        assert_eq!(holds(&s.terms, &model, result), expected, "{a}/2 {b}/2");
    }
    // That a real is an integer can be said.
    let integral = s.exactly(s.terms.eq(real, ty), &[x]);
    for (n, expected) in [(4, true), (3, false), (-2, true), (-1, false)] {
        let mut model = Assignment::default();
        model.set(y, Stage::Now, Value::Real(&Rat::from(n) / &Rat::from(2)));
        assert_eq!(holds(&s.terms, &model, integral), expected, "{n}/2");
    }
    // A real under `floor`: floor(y) >= 3 for some y below w.
    let (_, w) = s.var("w", Sort::Real);
    let g = s.terms.and2(
        s.terms.ge(s.terms.floor(ty), s.terms.int(3)),
        s.terms.lt(ty, w),
    );
    assert_eq!(s.exactly(g, &[y]), s.terms.gt(w, s.real(3)));
}

#[test]
fn implicants_leave_out_what_does_not_matter() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (_, y) = s.var("y", Sort::Int);
    let small = s.terms.le(tx, s.terms.int(3));
    let big = s
        .terms
        .and2(s.terms.ge(tx, y), s.terms.ge(y, s.terms.int(-5)));
    let mut model = Assignment::default();
    model.set(x, Stage::Now, Value::Int(Int::from(1)));
    let view: &dyn ModelView = &model;
    let found = implicant(&s.terms, s.terms.or2(big, small), view).unwrap();
    assert_eq!(found, vec![small]);
    // x mod 3 = x div 3 + 1 at x = 1: the residue is one.
    let three = Int::from(3);
    let f = s.terms.eq(
        s.terms.modulo(tx, &three),
        s.terms.add(s.terms.div(tx, &three), s.terms.int(1)),
    );
    let found = implicant(&s.terms, f, view).unwrap();
    let together = s.terms.and(found);
    assert!(holds(&s.terms, view, together));
    let query = s.terms.and2(together, s.terms.not(f));
    assert_eq!(model_of(&s.terms, query), None);
}

#[test]
fn a_counter_that_wraps_around_is_in_one_of_few_cases() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (y, ty) = s.var("y", Sort::Int);
    let many = Int::from(1000);
    let next = s.terms.add(tx, s.terms.int(1));
    let sum = s
        .terms
        .add(s.terms.modulo(next, &many), s.terms.div(next, &many));
    let f = s.terms.eq(ty, sum);
    for (before, after) in [(7, 8), (998, 999), (999, 1), (-1, 0), (-5, 995), (5000, 6)] {
        let mut model = Assignment::default();
        model.set(x, Stage::Now, Value::Int(Int::from(before)));
        model.set(y, Stage::Now, Value::Int(Int::from(after)));
        let found = s.terms.and(implicant(&s.terms, f, &model).unwrap());
        assert!(holds(&s.terms, &model, found));
        let wrong = s.terms.and2(found, s.terms.not(f));
        assert_eq!(model_of(&s.terms, wrong), None);
        // Before it wraps, all values are one case.
        let other = s.terms.and2(s.terms.eq(tx, s.terms.int(500)), found);
        let alike = (-1..999).contains(&before);
        assert_eq!(model_of(&s.terms, other).is_some(), alike, "{before}");
    }
}

#[test]
fn a_model_of_something_else_is_refused() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let f = s.terms.ge(tx, s.terms.int(1));
    let model = Assignment::default();
    assert!(implicant(&s.terms, f, &model).is_err());
    assert!(mbp(&s.terms, &[f], &[(x, Stage::Now)], &model).is_err());
}

#[test]
fn long_formulas_do_not_exhaust_the_stack() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (y, ty) = s.var("y", Sort::Int);
    let mut t = tx;
    for k in 0..20_000 {
        let c = s.terms.le(t, s.terms.int(k));
        t = s.terms.ite(c, s.terms.add(ty, s.terms.int(k)), t);
    }
    let f = s.terms.ge(t, s.terms.int(0));
    let mut model = Assignment::default();
    model.set(y, Stage::Now, Value::Int(Int::from(5)));
    let found = implicant(&s.terms, f, &model).unwrap();
    let rest = mbp(&s.terms, &found, &[(x, Stage::Now)], &model).unwrap();
    assert!(holds(&s.terms, &model, s.terms.and(rest)));
}

#[test]
fn a_limit_gives_an_answer_that_is_implied() {
    let s = Scene::new();
    let (x, tx) = s.var("x", Sort::Int);
    let (_, y) = s.var("y", Sort::Int);
    let (_, z) = s.var("z", Sort::Int);
    let parts = [7, 11, 13].map(|d| {
        let sum = s.terms.add(s.scaled(2, tx), s.scaled(d, y));
        s.terms.divides(&Int::from(d * d), sum)
    });
    let f = s.terms.and([
        s.terms.and(parts),
        s.terms.le(y, tx),
        s.terms.le(s.scaled(3, tx), z),
    ]);
    let limits = Limits {
        disjuncts: 4,
        ..Limits::default()
    };
    let mut eliminator = NativeEliminator::with_limits(&s.terms, limits);
    let result = eliminator.project(f, &[(x, Stage::Now)], &Budget::unlimited());
    let result = result.unwrap().unwrap();
    assert!(!result.exact);
    assert!(is_free_of(&s.terms, result.formula, &vec![(x, Stage::Now)]));
    assert_ne!(result.formula, s.terms.tt());
    let query = s.terms.and2(f, s.terms.not(result.formula));
    assert_eq!(model_of(&s.terms, query), None);
    // A budget that is spent is said to be.
    let mut eliminator = NativeBackend.eliminator(&s.terms).unwrap();
    let spent = Budget::unlimited().with_steps(0);
    let vars = [(x, Stage::Now)];
    assert!(eliminator.project(f, &vars, &spent).unwrap().is_err());
}
