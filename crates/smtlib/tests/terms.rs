//! Printing and parsing of terms.

use crate::common;

use common::Garden;
use sectile_base::{Int, Rng};
use sectile_smtlib::{Scope, Undeclared, parse_term, print_term, read, read_script, script};
use sectile_terms::{Sort, Stage, SymbolKind, Term, Terms, Value, evaluate};

fn parse(terms: &Terms, text: &str) -> Result<Term, String> {
    let tree = read(text).map_err(|d| d.message)?;
    let mut scope = Scope::new(Undeclared::FromStore);
    parse_term(terms, &tree, tree.roots()[0], &mut scope)
        .map_err(|d| format!("{}-{}: {}", d.span.start, d.span.end, d.message))
}

/// A store with integers x, y, reals r, s and Booleans a, b.
fn store() -> Terms {
    let terms = Terms::new();
    for (names, sort) in [
        (["x", "y"], Sort::Int),
        (["r", "s"], Sort::Real),
        (["a", "b"], Sort::Bool),
    ] {
        for name in names {
            terms
                .declare(name, sort, SymbolKind::State)
                .expect("the name is free");
        }
    }
    terms
}

#[test]
fn what_is_printed_is_parsed_as_the_same_term() {
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let mut garden = Garden::new();
        let depth = 1 + (seed % 7) as u32;
        let t = garden.grow(&mut rng, Sort::Bool, depth);
        let text = print_term(&garden.terms, t);
        let lowered = garden.terms.lower_extrema(t);
        let back = parse(&garden.terms, &text);
        assert_eq!(back, Ok(lowered), "seed {seed}: {text}");
    }
}

#[test]
fn lowering_keeps_the_value() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let mut garden = Garden::new();
        let t = garden.grow(&mut rng, Sort::Bool, 5);
        let terms = &garden.terms;
        let back = parse(terms, &print_term(terms, t)).unwrap();
        let valuation = |symbol, stage| {
            let salt = symbol_salt(symbol, stage);
            Some(match terms.symbol_sort(symbol) {
                Sort::Bool => Value::Bool(salt % 2 == 0),
                Sort::Int => Value::Int(Int::from(salt % 11 - 5)),
                Sort::Real => Value::Real(sectile_base::Rat::from_ratio(salt % 13 - 6, 2)),
                Sort::Enum(id) => Value::Enum(id, (salt % 3) as u32),
                Sort::Array(_) => return None,
            })
        };
        assert_eq!(
            evaluate(terms, t, &valuation),
            evaluate(terms, back, &valuation)
        );
    }
}

fn symbol_salt(symbol: sectile_terms::Symbol, stage: Stage) -> i64 {
    let stage = match stage {
        Stage::Now => 1,
        Stage::Next => 2,
        Stage::At(k) => 3 + i64::from(k),
    };
    (symbol.index() as i64 * 31 + stage * 17) % 97
}

#[test]
fn texts_are_as_people_write_them() {
    let terms = store();
    let show = |text: &str| print_term(&terms, parse(&terms, text).unwrap());
    assert_eq!(show("(<= x 3)"), "(<= x 3)");
    assert_eq!(show("(>= x 3)"), "(> x 2)");
    assert_eq!(show("(< x y)"), "(< x y)");
    assert_eq!(show("(<= y x)"), "(>= x y)");
    assert_eq!(show("(= (- x y) (- 4))"), "(= (+ x 4) y)");
    assert_eq!(show("(= r 0.5)"), "(= r (/ 1.0 2.0))");
    assert_eq!(show("(+ r (/ 1 2))"), "(+ r (/ 1.0 2.0))");
    assert_eq!(show("(- 3)"), "(- 3)");
    assert_eq!(show("(- (/ 1 3))"), "(- (/ 1.0 3.0))");
    assert_eq!(show("(to_real 3)"), "3.0");
    assert_eq!(show("(=> a b)"), "(or (not a) b)");
    assert_eq!(show("x!next"), "x!next");
    assert_eq!(show("x!at7"), "x!at7");
    assert_eq!(show("(abs x)"), "(ite (<= x (- 1)) (* (- 1) x) x)");
}

#[test]
fn operators_mean_what_the_standard_says() {
    let terms = store();
    let same = |a: &str, b: &str| {
        assert_eq!(parse(&terms, a), parse(&terms, b), "{a} against {b}");
        assert!(parse(&terms, a).is_ok(), "{a}");
    };
    same("(< x y 3)", "(and (< x y) (< y 3))");
    same("(= x y 3)", "(and (= x y) (= y 3))");
    same(
        "(distinct x y 3)",
        "(and (not (= x y)) (not (= x 3)) (not (= y 3)))",
    );
    same("(=> a b (= x 1))", "(=> a (=> b (= x 1)))");
    same("(xor a b a)", "(xor (xor a b) a)");
    same("(- x y 3)", "(- (- x y) 3)");
    same("(div x 2 3)", "(div (div x 2) 3)");
    same("(/ r 2 3)", "(/ r 6)");
    same("((_ divisible 3) x)", "(= (mod x 3) 0)");
    same("(is_int r)", "(= (to_real (to_int r)) r)");
    same("(let ((z x) (x y)) (+ z x))", "(+ x y)");
    same("(let ((x y)) (let ((x (+ x 1))) x))", "(+ y 1)");
    same("(! (= x 1) :named q :weight 3)", "(= x 1)");
    same("(= r x)", "(= r (to_real x))");
    same("(ite a 1 0.5)", "(ite a 1.0 0.5)");
    same("(div (- 7) 2)", "(- 4)");
    same("(mod (- 7) (- 2))", "1");
    same("(* 2 3 x)", "(* 6 x)");
    same("|x|", "x");
    same("0000000000000000000000000000001", "1");
}

#[test]
fn errors_say_where() {
    let terms = store();
    let fails = |text: &str, expected: &str| {
        assert_eq!(parse(&terms, text), Err(expected.to_string()), "{text}");
    };
    fails("(and a (* x y))", "7-14: this is not linear");
    fails("(div x y)", "0-9: this is not linear");
    fails("(div x 0)", "0-9: division by zero is not supported");
    fails("(/ r 0.0)", "0-9: division by zero is not supported");
    fails("(and a q)", "7-8: there is no `q`");
    fails("(and a x)", "0-9: `and` needs truth values");
    fails("(+ x a)", "0-7: `+` needs numbers");
    fails("(= x a)", "0-7: the arguments of `=` have different sorts");
    fails("(foo x)", "0-7: there is no operator `foo`");
    fails("(x 1)", "0-5: `x` has no arguments");
    fails("(not a b)", "0-9: `not` cannot have 2 arguments");
    fails("()", "0-2: `()` is not a term");
    fails(
        "(let ((x)) x)",
        "0-13: a `let` looks like (let ((name term) ...) term)",
    );
    fails(
        "(forall ((q Int)) a)",
        "0-20: quantifiers are not supported",
    );
    fails("#b0101", "0-6: bit-vectors are not supported");
    fails("(mod r 2)", "0-9: `mod` needs integers");
    fails(
        "((_ divisible 0) x)",
        "1-16: `divisible` needs a positive number",
    );
    fails("((_ extract 1) x)", "1-14: this operator is not supported");
}

#[test]
fn failed_parses_leave_no_local_names_behind() {
    let terms = store();
    let tree = read("(let ((q 1)) (+ q zz)) q").unwrap();
    let mut scope = Scope::new(Undeclared::FromStore);
    assert!(parse_term(&terms, &tree, tree.roots()[0], &mut scope).is_err());
    assert!(parse_term(&terms, &tree, tree.roots()[1], &mut scope).is_err());
}

#[test]
fn shared_terms_are_printed_once() {
    let terms = store();
    let mut t = parse(&terms, "(+ x y 5)").unwrap();
    let y = parse(&terms, "y").unwrap();
    // Without sharing this has 2^200 leaves.
    for k in 0..200 {
        let condition = terms.le(t, terms.int(k));
        t = terms.ite(condition, terms.add(t, y), terms.sub(t, terms.int(1)));
    }
    let text = print_term(&terms, t);
    assert!(text.len() < 40_000, "{}", text.len());
    assert_eq!(parse(&terms, &text), Ok(t));
    let query = script(&terms, &[terms.le(t, y)]).unwrap();
    assert!(query.len() < 40_000, "{}", query.len());
}

#[test]
fn depth_is_no_problem() {
    const DEPTH: i64 = 100_000;
    let terms = store();
    let (x, a) = (parse(&terms, "x").unwrap(), parse(&terms, "a").unwrap());
    let mut t = a;
    for k in 0..DEPTH {
        let atom = terms.le(x, terms.int(k));
        t = if k % 2 == 0 {
            terms.and([atom, t])
        } else {
            terms.or([atom, t])
        };
    }
    let text = print_term(&terms, t);
    assert_eq!(parse(&terms, &text), Ok(t));
    let query = script(&terms, &[t]).unwrap();
    let commands = read_script(&query).unwrap().commands.len();
    assert!(commands > 400, "deep terms are cut into definitions");
    let valuation = |symbol, _| {
        Some(match terms.symbol_sort(symbol) {
            Sort::Bool => Value::Bool(true),
            _ => Value::Int(Int::ZERO),
        })
    };
    assert_eq!(evaluate(&terms, t, &valuation), Ok(Value::Bool(true)));
}

#[test]
fn deep_lets_and_deep_macros_are_no_problem() {
    let terms = store();
    let depth = 50_000;
    let mut text = String::new();
    for k in 0..depth {
        let before = if k == 0 {
            "x".to_string()
        } else {
            format!("v{}", k - 1)
        };
        text.push_str(&format!("(let ((v{k} (+ {before} 1))) "));
    }
    text.push_str(&format!("v{}", depth - 1));
    text.push_str(&")".repeat(depth));
    assert_eq!(
        parse(&terms, &text),
        parse(&terms, &format!("(+ x {depth})"))
    );
}

#[test]
fn enumeration_values_come_back_from_numbers() {
    let garden = Garden::new();
    let terms = &garden.terms;
    let pc = terms.var(terms.symbol("pc").unwrap());
    let busy = terms.variant(garden.phase, 1);
    assert_eq!(parse(terms, "(= pc 1)"), Ok(terms.eq(pc, busy)));
    assert_eq!(parse(terms, "(= 1 pc)"), Ok(terms.eq(pc, busy)));
    // Any arithmetic about positions is understood.
    let below = parse(terms, "(<= (+ pc 1) 2)").unwrap();
    for k in 0..3 {
        let valuation = |_, _| Some(Value::Enum(garden.phase, k));
        assert_eq!(evaluate(terms, below, &valuation), Ok(Value::Bool(k <= 1)));
    }
    let never = parse(terms, "(= pc 7)").unwrap();
    let valuation = |_, _| Some(Value::Enum(garden.phase, 2));
    assert_eq!(evaluate(terms, never, &valuation), Ok(Value::Bool(false)));
}

#[test]
fn scripts_are_complete() {
    let garden = Garden::new();
    let terms = &garden.terms;
    let a = parse(terms, "(and (= pc 1) (<= (* 2.0 r) (to_real |P[1].num|)))").unwrap();
    let text = script(terms, &[a]).unwrap();
    let expected = "(set-logic QF_LIRA)\n(declare-fun pc () Int)\n(assert (and (<= 0 pc) (<= pc 2)))\n(declare-fun r () Real)\n(declare-fun |P[1].num| () Int)\n(assert (and (= pc 1) ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("(check-sat)\n"));
}

#[test]
fn rubbish_is_refused_without_panic() {
    let words: Vec<&str> =
        "x y r s a b m true 0 1 2 2.5 (- 3) and or not => xor = distinct ite < <= \
        + - * / div mod abs to_real to_int is_int select store let ! :named q (_ divisible 2) \
        (_ divisible 0) forall _ as ((q x)) ((x 1)) \"s\" #x1"
            .split_whitespace()
            .collect();
    let terms = store();
    let sort = terms.array_sort(Sort::Int, Sort::Real);
    terms.declare("m", sort, SymbolKind::State).unwrap();
    let mut accepted = 0;
    for seed in 0..60_000 {
        let mut rng = Rng::new(seed);
        let mut text = String::new();
        let mut open = 0;
        for _ in 0..1 + rng.below(14) {
            match rng.below(4) {
                0 => {
                    text.push('(');
                    open += 1;
                }
                1 if open > 0 => {
                    text.push_str(") ");
                    open -= 1;
                }
                _ => {
                    text.push_str(rng.pick(&words).unwrap());
                    text.push(' ');
                }
            }
        }
        text.push_str(&")".repeat(open));
        let Ok(tree) = read(&text) else { continue };
        let mut scope = Scope::new(Undeclared::FromStore);
        for &e in tree.roots() {
            if let Ok(t) = parse_term(&terms, &tree, e, &mut scope) {
                accepted += 1;
                let lowered = terms.lower_extrema(t);
                assert_eq!(parse(&terms, &print_term(&terms, t)), Ok(lowered), "{text}");
            }
        }
    }
    assert!(accepted > 1000);
}
