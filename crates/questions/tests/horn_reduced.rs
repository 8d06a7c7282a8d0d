//! Random clauses, plain and with arguments that say nothing new: the same answers, and evidence
//! that passes its check on the clauses with all their arguments.

use sectile_base::Rng;
use sectile_driver::check::{CheckOptions, check};
use sectile_engine::Silent;
use sectile_model::Certificate;
use sectile_questions::horn::{HornAnswer, answer};
use sectile_testkit::driven::read;
use std::fmt::Write as _;
use std::time::Duration;

/// What stands for an application in a body, and what for one in a head.
struct Padding {
    on: bool,
    /// Variables that were made for the clause at hand.
    fresh: Vec<String>,
}

impl Padding {
    /// `(P a b)` in a body, with a dead argument, a constant and a copy of `a` beside them.
    fn body(&mut self, a: &str, b: &str) -> String {
        if !self.on {
            return format!("(P {a} {b})");
        }
        let n = self.fresh.len();
        let [d, k, c] = ["d", "k", "c"].map(|name| format!("{name}{n}"));
        self.fresh.extend([d.clone(), k.clone(), c.clone()]);
        format!("(P {a} {d} {k} {b} {c})")
    }

    fn head(&self, a: &str, b: &str) -> String {
        if !self.on {
            return format!("(P {a} {b})");
        }
        let dead = match self.fresh.first() {
            Some(d) => format!("(+ {d} {a} 1)"),
            None => "5".to_string(),
        };
        let constant = self.fresh.get(1).map_or("7", String::as_str);
        format!("(P {a} {dead} {constant} {b} {a})")
    }

    /// A condition on the copy of `a` where there is one.
    fn copy<'s>(&'s self, a: &'s str) -> &'s str {
        self.fresh.get(2).map_or(a, String::as_str)
    }

    fn clause(&mut self, variables: &str, body: &str, head: &str) -> String {
        let mut bound = variables.to_string();
        for v in self.fresh.drain(..) {
            let _ = write!(bound, " ({v} Int)");
        }
        format!("(assert (forall ({bound}) (=> (and true {body}) {head})))\n")
    }
}

/// A few steps between small numbers and a question; some steps need two facts.
fn script(seed: u64, on: bool) -> String {
    let mut rng = Rng::new(seed);
    let mut plain = |low: i64, high: i64| {
        let number = rng.range(low..=high);
        match number < 0 {
            true => format!("(- {})", -number),
            false => number.to_string(),
        }
    };
    let mut padding = Padding {
        on,
        fresh: Vec::new(),
    };
    let sorts = if on { "Int Int Int Int Int" } else { "Int Int" };
    let mut text = format!("(declare-fun P ({sorts}) Bool)\n");
    let head = padding.head(&plain(0, 2), "b");
    let bound = plain(0, 3);
    text += &padding.clause("(b Int)", &format!("(<= 0 b) (<= b {bound})"), &head);
    for _ in 0..2 {
        let fact = padding.body("a", "b");
        let (limit, more, change) = (plain(2, 6), plain(1, 2), plain(-1, 1));
        let head = padding.head(&format!("(+ a {more})"), &format!("(+ b {change})"));
        let guard = format!("(< {} {limit})", padding.copy("a"));
        text += &padding.clause("(a Int) (b Int)", &format!("{fact} {guard}"), &head);
    }
    if plain(0, 1) == "1" {
        let (first, second) = (padding.body("a", "b"), padding.body("x", "y"));
        let apart = plain(1, 3);
        let head = padding.head("x", "(- b y)");
        let body = format!("{first} {second} (= a (+ x {apart})) (< b 4)");
        text += &padding.clause("(a Int) (b Int) (x Int) (y Int)", &body, &head);
    }
    let fact = padding.body("a", "b");
    let (low, high) = (plain(-3, 3), plain(3, 9));
    let question = format!("{fact} (< b {low}) (<= {} {high})", padding.copy("a"));
    text + &padding.clause("(a Int) (b Int)", &question, "false")
}

/// The answer, and whether there is a derivation that passed its check.
fn answered(text: &str) -> (HornAnswer, bool) {
    let loaded = read("chc", text);
    let options = CheckOptions {
        engines: vec!["horn".to_string(), "walk".to_string()],
        timeout: Some(Duration::from_secs(4)),
        ..CheckOptions::default()
    };
    let checked = check(&loaded, &options, &mut Silent);
    let checked = checked.unwrap_or_else(|e| panic!("{text}\n{}", e.0));
    let derived = checked.certificates.iter().flatten();
    let derived = derived.filter(|(_, c)| matches!(c, Certificate::Trace(_)));
    let answer = answer(&loaded, &checked, &options, true).expect("there are clauses");
    (answer, derived.count() == 1)
}

#[test]
fn arguments_that_say_nothing_new_change_nothing() {
    let mut counts = [0; 3];
    for seed in 0..100 {
        let plain = answered(&script(seed, false));
        let text = script(seed, true);
        let padded = answered(&text);
        for &(ref given, derived) in [&plain, &padded] {
            assert_eq!(given.failure, None, "{text}");
            assert_eq!(given.no_model, None, "{text}");
            let model = given.satisfiable == Some(true);
            assert_eq!(given.model.is_some(), model, "{text}");
            let violated = given.satisfiable == Some(false);
            assert_eq!(derived, violated, "{text}");
        }
        match (plain.0.satisfiable, padded.0.satisfiable) {
            (Some(a), Some(b)) => {
                assert_eq!(a, b, "{text}");
                counts[usize::from(a)] += 1;
            }
            _ => counts[2] += 1,
        }
    }
    let [derived, satisfiable, open] = counts;
    assert!(derived >= 5 && satisfiable >= 5, "{counts:?}");
    assert!(open <= 10, "{counts:?}");
}
