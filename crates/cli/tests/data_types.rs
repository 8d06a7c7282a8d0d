//! Horn clauses over data types, bit-vectors and arrays of all kinds: right answers, compared with
//! z3, and models over the types of the file that z3 accepts.
#![allow(clippy::print_stderr)]

use crate::common;

use common::clauses::{Said, ask};
use common::{installed, sectile, sectile_with_input};
use sectile_testkit::files::shared;
use std::process::Command;

/// The answer, and a claim.
type Case = (&'static str, &'static str);

/// A pair that counts: the second part is twice the first.
const PAIR: &str = "(declare-datatypes ((Pair 0)) (((pair (fst Int) (snd Int)))))
(declare-fun P (Pair Bool) Bool)
(assert (forall ((b Bool)) (P (pair 0 0) b)))
(assert (forall ((p Pair) (q Pair) (b Bool))
  (=> (and (P p b) (< (fst p) 5) (= q (ite b (pair (+ (fst p) 1) (+ (snd p) 2)) p))) (P q (not b)))))";

/// A list of accounts, each a record: whoever is paid has more.
const ACCOUNTS: &str = "(declare-datatypes ((Account 0)) (((account (owner Int) (money Int)))))
(declare-datatypes ((Bank 0)) (((bank (accounts (Array Int Account)) (count Int)))))
(declare-fun S (Bank Int) Bool)
(assert (forall ((a (Array Int Account)) (i Int))
  (=> (= (money (select a i)) 3) (S (bank a 1) i))))
(assert (forall ((b Bank) (c Bank) (i Int))
  (=> (and (S b i)
           (= c (bank (store (accounts b) i
                             (account 7 (+ (money (select (accounts b) i)) 1))) (count b))))
      (S c i))))";

/// A table whose index is a record.
const TABLE: &str = "(declare-datatypes ((Key 0)) (((key (row Int) (column Int)))))
(declare-fun T ((Array Key Int) Key) Bool)
(assert (forall ((k Key)) (T (store ((as const (Array Key Int)) 0) k 5) k)))
(assert (forall ((t (Array Key Int)) (k Key) (j Key))
  (=> (and (T t k) (distinct j k)) (T (store t j 9) k))))";

/// Shapes with several constructors.
const SHAPES: &str = "(declare-datatypes ((Shape 0))
  (((circle (radius Int)) (box (wide Int) (high Int)) (point))))
(declare-fun D (Shape) Bool)
(assert (D point))
(assert (forall ((s Shape)) (=> (and (D s) ((_ is point) s)) (D (circle 4)))))
(assert (forall ((s Shape)) (=> (and (D s) ((_ is circle) s)) (D (box (radius s) 1)))))
(assert (forall ((s Shape)) (=> (and (D s) ((_ is box) s) (< (high s) 3))
  (D (box (wide s) (+ (high s) 1))))))";

/// An enumeration, and a record that has nothing in it, as an argument and as an index.
const LIGHTS: &str = "(declare-datatypes ((Light 0) (Unit 0)) (((red) (green) (yellow)) ((unit))))
(declare-fun L (Light Unit (Array Unit Int)) Bool)
(assert (forall ((a (Array Unit Int))) (L red unit (store a unit 1))))
(assert (forall ((u Unit) (a (Array Unit Int))) (=> (L red u a) (L green u a))))
(assert (forall ((u Unit) (a (Array Unit Int)) (l Light))
  (=> (and (L l u a) (= l green)) (L red u (store a u (+ (select a u) 2))))))";

/// Words of eight bits that wrap around.
const WORDS: &str = "(declare-fun W ((_ BitVec 8) Int) Bool)
(assert (W #x00 0))
(assert (forall ((w (_ BitVec 8)) (n Int))
  (=> (W w n) (W (bvadd w #x02) (bv2nat (bvand w #x0f))))))";

/// A function that shifts by what its callers say, and these.
const CALLS: &str = "(declare-fun Exit (Int Int Int) Bool)
(declare-fun Called (Int Int) Bool)
(assert (forall ((x Int) (k Int) (y Int))
  (=> (and (<= 0 x 255) (<= 0 k)
           (= y (bv2nat (bvshl ((_ int2bv 8) x) ((_ int2bv 8) k)))))
      (Exit x k y))))
(assert (forall ((y Int)) (=> (Exit 3 1 y) (Called 1 y))))
(assert (forall ((y Int)) (=> (Exit 3 3 y) (Called 3 y))))";

/// Division as compilers say it, by a number that is itself a quotient.
const QUOTIENTS: &str = "(declare-fun Q (Int Int) Bool)
(assert (forall ((d Int) (r Int) (q Int) (s Int))
  (=> (and (= (+ (* 2 d) r) 10) (<= 0 r) (< r 2)
           (= (+ (* q d) s) 17) (<= 0 s) (< s d))
      (Q q s))))";

/// A fee in ten thousandths, of which something is known elsewhere only.
const FEES: &str = "(declare-fun Fee (Int) Bool)
(declare-fun Paid (Int Int) Bool)
(assert (Fee 30))
(assert (forall ((f Int) (g Int)) (=> (and (Fee f) (<= 0 g 100)) (Fee g))))
(assert (forall ((v Int) (f Int) (c Int) (r Int))
  (=> (and (Fee f) (<= 0 v) (= (* v f) (+ (* 10000 c) r)) (<= 0 r) (< r 10000)) (Paid v c))))";

/// A part of an amount, by a product and a quotient with variables only.
const PARTS: &str = "(declare-fun Part (Int Int) Bool)
(assert (forall ((a Int) (t Int) (all Int) (c Int) (r Int))
  (=> (and (<= 0 a) (<= 0 t) (< t all) (= (* a t) (+ (* c all) r)) (<= 0 c) (<= 0 r) (< r all))
      (Part a c))))";

/// Bits of two variables.
const FLAGS: &str = "(declare-fun F (Int Int Int) Bool)
(assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)))
  (=> (bvult x #xf0) (F (bv2nat x) (bv2nat (bvand x y)) (bv2nat (bvor y x))))))";

/// A number that is computed bit by bit and never looked at.
const MIXED: &str = "(declare-fun M (Int (_ BitVec 16)) Bool)
(assert (forall ((w (_ BitVec 16))) (M 0 w)))
(assert (forall ((n Int) (w (_ BitVec 16)) (v (_ BitVec 16)))
  (=> (M n w) (M (+ n 1) (bvxor (bvmul w v) ((_ int2bv 16) n))))))";

/// What is decided has nothing to do with the money, which has its bounds and its updates.
const BALANCES: &str =
    "(declare-datatypes ((State 0)) (((state (balances (Array Int Int)) (total Int)))))
(declare-fun I (State Int) Bool)
(assert (forall ((s State)) (=> (and (>= (total s) 0) (= (select (balances s) 3) 11)) (I s 0))))
(assert (forall ((s State) (t State) (who Int) (n Int))
  (=> (and (I s n) (>= (select (balances s) who) 0)
           (= (balances t) (store (balances s) who (+ (select (balances s) who) 1)))
           (= (total t) (total s)))
      (I t (ite (= n 2) 0 (+ n 1))))))";

/// A table of hashes: its index is an array.
const HASHES: &str =
    "(declare-datatypes ((Bytes 0)) (((bytes (content (Array Int Int)) (size Int)))))
(declare-fun H ((Array Bytes Int) Bytes Bytes) Bool)
(assert (forall ((h (Array Bytes Int)) (b Bytes)) (H h b b)))
(assert (forall ((h (Array Bytes Int)) (a Bytes) (b Bytes))
  (=> (H h a b) (H h a (bytes (content b) (size b))))))";

/// A record inside another, declared behind it.
const ORDER: &str = "(declare-datatypes ((Outer 0) (Inner 0))
  (((outer (inner Inner) (label Int))) ((inner0 (value Int) (flag Bool)))))
(declare-fun O (Outer) Bool)
(assert (forall ((v Int)) (=> (> v 0) (O (outer (inner0 v true) v)))))
(assert (forall ((o Outer) (p Outer))
  (=> (and (O o) (= (value (inner p)) (+ (value (inner o)) 1)) (= (label p) (value (inner p)))
           (= (flag (inner p)) (flag (inner o)))) (O p))))";

const CASES: &[(&str, &str, &[Case])] = &[
    (
        "calls",
        CALLS,
        &[
            (
                "sat",
                "(forall ((n Int) (y Int)) (=> (Called n y) (= y (ite (= n 1) 6 24))))",
            ),
            (
                "unsat",
                "(forall ((n Int) (y Int)) (=> (Called n y) (distinct y 24)))",
            ),
        ],
    ),
    (
        "quotients",
        QUOTIENTS,
        &[
            (
                "sat",
                "(forall ((q Int) (s Int)) (=> (Q q s) (and (= q 3) (= s 2))))",
            ),
            ("unsat", "(forall ((q Int) (s Int)) (=> (Q q s) (< q 3)))"),
        ],
    ),
    (
        "fees",
        FEES,
        &[
            ("sat", "(forall ((v Int) (c Int)) (=> (Paid v c) (<= c v)))"),
            (
                "unsat",
                "(forall ((v Int) (c Int)) (=> (and (Paid v c) (> v 0)) (< (* 100 c) v)))",
            ),
        ],
    ),
    (
        "parts",
        PARTS,
        &[
            ("sat", "(forall ((a Int) (c Int)) (=> (Part a c) (<= c a)))"),
            (
                "unsat",
                "(forall ((a Int) (c Int)) (=> (and (Part a c) (> a 9)) (= c a)))",
            ),
        ],
    ),
    (
        "flags",
        FLAGS,
        &[(
            "sat",
            "(forall ((x Int) (a Int) (o Int)) (=> (F x a o) (and (<= a x) (<= x o) (< a 240))))",
        )],
    ),
    (
        "pair",
        PAIR,
        &[
            (
                "sat",
                "(forall ((p Pair) (b Bool)) (=> (P p b) (= (snd p) (* 2 (fst p)))))",
            ),
            (
                "unsat",
                "(forall ((p Pair) (b Bool)) (=> (P p b) (distinct p (pair 3 6))))",
            ),
        ],
    ),
    (
        "accounts",
        ACCOUNTS,
        &[
            (
                "sat",
                "(forall ((b Bank) (i Int)) (=> (S b i) (>= (money (select (accounts b) i)) 3)))",
            ),
            (
                "sat",
                "(forall ((b Bank) (i Int)) (=> (S b i) (= (count b) 1)))",
            ),
            (
                "unsat",
                "(forall ((b Bank) (i Int)) (=> (S b i) (distinct (select (accounts b) i) (account 7 5))))",
            ),
        ],
    ),
    (
        "table",
        TABLE,
        &[
            (
                "sat",
                "(forall ((t (Array Key Int)) (k Key)) (=> (T t k) (= (select t k) 5)))",
            ),
            (
                "unsat",
                "(forall ((t (Array Key Int)) (k Key)) (=> (T t k) (= (select t (key 1 2)) 0)))",
            ),
        ],
    ),
    (
        "shapes",
        SHAPES,
        &[
            (
                "sat",
                "(forall ((s Shape)) (=> (and (D s) ((_ is box) s)) (and (= (wide s) 4) (<= (high s) 3))))",
            ),
            (
                "unsat",
                "(forall ((s Shape)) (=> (D s) (distinct s (box 4 3))))",
            ),
        ],
    ),
    (
        "lights",
        LIGHTS,
        &[
            (
                "sat",
                "(forall ((l Light) (u Unit) (a (Array Unit Int))) (=> (L l u a) (distinct l yellow)))",
            ),
            (
                "unsat",
                "(forall ((l Light) (u Unit) (a (Array Unit Int))) (=> (and (L l u a) (= l green)) (distinct (select a u) 5)))",
            ),
        ],
    ),
    (
        "words",
        WORDS,
        &[
            (
                "sat",
                "(forall ((w (_ BitVec 8)) (n Int)) (=> (W w n) (<= n 15)))",
            ),
            (
                "unsat",
                "(forall ((w (_ BitVec 8)) (n Int)) (=> (W w n) (distinct w #x04)))",
            ),
        ],
    ),
    (
        "mixed",
        MIXED,
        &[(
            "sat",
            "(forall ((n Int) (w (_ BitVec 16))) (=> (M n w) (>= n 0)))",
        )],
    ),
    (
        "balances",
        BALANCES,
        &[
            ("sat", "(forall ((s State) (n Int)) (=> (I s n) (<= n 2)))"),
            ("unsat", "(forall ((s State) (n Int)) (=> (I s n) (< n 2)))"),
        ],
    ),
    (
        "hashes",
        HASHES,
        &[
            (
                "sat",
                "(forall ((h (Array Bytes Int)) (a Bytes) (b Bytes)) (=> (H h a b) (= (select h a) (select h b))))",
            ),
            (
                "unsat",
                "(forall ((h (Array Bytes Int)) (a Bytes) (b Bytes)) (=> (H h a b) (= (select h a) 0)))",
            ),
        ],
    ),
    (
        "order",
        ORDER,
        &[
            (
                "sat",
                "(forall ((o Outer)) (=> (O o) (and (flag (inner o)) (> (label o) 0))))",
            ),
            ("unsat", "(forall ((o Outer)) (=> (O o) (< (label o) 4)))"),
        ],
    ),
];

fn script(declared: &str, claim: &str) -> String {
    format!("(set-logic HORN)\n{declared}\n(assert {claim})\n(check-sat)\n")
}

/// What z3 says about a script, if it is installed and knows.
fn z3(script: &str) -> Option<String> {
    let file = std::env::temp_dir().join(format!("sectile-types-{}.smt2", std::process::id()));
    std::fs::write(&file, script).ok()?;
    let output = Command::new("z3").arg("-T:10").arg(&file).output();
    let _ = std::fs::remove_file(&file);
    let text = String::from_utf8_lossy(&output.ok()?.stdout).into_owned();
    let first = text.lines().next().unwrap_or_default().to_string();
    ["sat", "unsat"].contains(&first.as_str()).then_some(first)
}

#[test]
fn answers_are_right_and_models_are_over_the_types_of_the_file() {
    let solver = installed("z3");
    for (name, declared, claims) in CASES {
        for (expected, claim) in *claims {
            let text = script(declared, claim);
            let arguments = [
                "check",
                "-",
                "--input",
                "chc",
                "--timeout",
                "60s",
                "--model",
                "--trace",
            ];
            let ran = sectile_with_input(&arguments, &text);
            let (answer, evidence) = ran.out.split_once('\n').unwrap_or(("", ""));
            assert_eq!(answer, *expected, "{name}: {claim}\n{}{}", ran.out, ran.err);
            if !solver {
                continue;
            }
            if let Some(other) = z3(&text) {
                assert_eq!(other, *expected, "z3 on {name}: {claim}");
            }
            if answer == "sat" && !evidence.is_empty() {
                let said = ask("z3", &text, evidence, &format!("types-{name}"), 60);
                let refused = matches!(said, Said::Refused(_));
                assert!(!refused, "{said:?} on {name}: {claim}\n{evidence}");
            } else if answer == "sat" {
                eprintln!("{name}: no model is printed: {}", ran.err.trim());
            }
        }
    }
}

#[test]
fn a_sort_may_be_used_before_it_is_declared() {
    let declared = "(declare-datatypes ((A 0)) (((a (b B)))))\n(declare-datatype B ((b0 (n Int))))
(declare-fun P (A) Bool)\n(assert (P (a (b0 1))))";
    for (claim, expected) in [("(= (n (b x)) 1)", "sat\n"), ("(= (n (b x)) 2)", "unsat\n")] {
        let text = script(declared, &format!("(forall ((x A)) (=> (P x) {claim}))"));
        let ran = sectile_with_input(&["check", "-", "--input", "chc"], &text);
        assert_eq!(ran.out, expected, "{}", ran.err);
    }
}

/// The clauses of the Solidity compiler among the files beside the project: enough of them are
/// decided within a few seconds, and none of them wrongly.
#[test]
fn clauses_of_the_solidity_compiler_are_decided() {
    let Some(folder) = shared("bench/chc/wide") else {
        return;
    };
    let Some(table) = shared("bench/chc/wide.tsv") else {
        return;
    };
    let table = std::fs::read_to_string(table).expect("the table can be read");
    let rows = table
        .lines()
        .skip(1)
        .map(|l| l.split('\t').collect::<Vec<_>>());
    let rows: Vec<Vec<&str>> = rows.filter(|r| r[0].starts_with("solidity")).collect();
    let mut decided = 0;
    // Every fourth file: the rest is for a longer run.
    let sample: Vec<&Vec<&str>> = rows.iter().step_by(4).collect();
    for row in &sample {
        let file = folder.join(row[0]);
        let ran = sectile(&[
            "check",
            &file.to_string_lossy(),
            "--timeout",
            "30s",
            "--quiet",
        ]);
        let answer = ran.out.lines().next().unwrap_or_default();
        assert_ne!(ran.code, 4, "{}: {}", row[0], ran.err);
        if answer == "sat" || answer == "unsat" {
            assert_eq!(answer, row[2], "{}", row[0]);
            decided += 1;
        }
    }
    eprintln!("{decided} of {} are decided", sample.len());
    assert!(
        decided * 10 >= sample.len() * 9,
        "{decided} of {}",
        sample.len()
    );
}
