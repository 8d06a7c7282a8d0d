//! Random recursive programs against the same programs with the recursion written out.
//!
//! The one is read as clauses with summaries, the other one as a graph with inlined calls: two
//! ways through the front-end that share little.

#![allow(clippy::unwrap_used)]

use sectile_base::Rng;
use sectile_certify::Claim;
use sectile_engine::{Run, Settings};
use sectile_engine_horn::Horn;
use sectile_model::Task;
use sectile_testkit::models::{Read, read};
use sectile_testkit::verdicts::{claimed, decide, run, seconds};
use std::fmt::Write as _;

/// The recursion ends here.
const DEPTH: usize = 2;

/// Writes statements that both programs have; `@` stands for the name of the procedure called.
struct Writer {
    rng: Rng,
    out: String,
}

impl Writer {
    fn value(&mut self) -> String {
        let words = ["a", "n", "r", "t", "g", "h", "1", "2"];
        let a = *self.rng.pick(&words).unwrap();
        match self.rng.below(3) {
            0 => format!("{a} + {}", self.rng.pick(&words).unwrap()),
            1 => format!("{a} - {}", self.rng.pick(&words).unwrap()),
            _ => a.to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let sign = *self.rng.pick(&["<", "<=", "==", "!=", ">"]).unwrap();
        format!("{} {sign} {}", self.value(), self.value())
    }

    fn call(&mut self) {
        let (target, value) = (*self.rng.pick(&["r", "t", "g"]).unwrap(), self.value());
        let _ = write!(self.out, "call {target} := @({value}, n - 1); ");
    }

    fn statement(&mut self, depth: u64) {
        match self.rng.below(8) {
            0 | 1 => self.call(),
            2 if depth > 0 => {
                let condition = self.condition();
                let _ = write!(self.out, "if ({condition}) {{ ");
                self.statement(depth - 1);
                self.out.push_str("} else { ");
                self.statement(depth - 1);
                self.out.push_str("} ");
            }
            3 if depth > 0 => {
                self.out.push_str("if (*) { ");
                self.statement(depth - 1);
                self.out.push_str("} ");
            }
            4 => {
                let condition = self.condition();
                let _ = write!(self.out, "assume {condition} || h == 0; ");
            }
            5 => self.out.push_str("t := old(g) + t; "),
            _ => {
                let (target, value) = (*self.rng.pick(&["r", "t", "g"]).unwrap(), self.value());
                let _ = write!(self.out, "{target} := {value}; ");
            }
        }
    }

    fn body(&mut self) -> String {
        self.out.clear();
        self.out.push_str("t := 0; r := a; if (n > 0) { ");
        for _ in 0..self.rng.range(1..=3) {
            self.statement(2);
        }
        self.out.push_str("} ");
        if self.rng.chance(1, 3) {
            self.out.push_str("else { g := g + 1; } ");
        }
        std::mem::take(&mut self.out)
    }
}

/// The program with recursion, and the one without.
fn programs(seed: u64) -> [String; 2] {
    let mut writer = Writer {
        rng: Rng::new(seed),
        out: String::new(),
    };
    let body = writer.body();
    let claim = {
        let bound = writer.rng.range(-3..=6);
        let sign = *writer.rng.pick(&["<", "!=", ">=", "<="]).unwrap();
        let term = *writer.rng.pick(&["r", "g", "r + g", "r - g"]).unwrap();
        format!("{term} {sign} {bound}")
    };
    let procedure = |name: &str, callee: &str| {
        let body = body.replace('@', callee);
        format!(
            "procedure {name}(a : int, n : int) returns (r : int) modifies g; \
             {{ var t : int; {body}}}\n"
        )
    };
    let start = |callee: &str| {
        format!(
            "var g, h : int;\nprocedure ULTIMATE.start() modifies g; {{ var r : int; \
             assume h >= 0; g := 0; call r := {callee}(1, {DEPTH}); assert {claim}; }}\n"
        )
    };
    let recursive = format!("{}{}", start("f"), procedure("f", "f"));
    let mut written_out = start(&format!("f{DEPTH}"));
    for k in 1..=DEPTH {
        written_out.push_str(&procedure(&format!("f{k}"), &format!("f{}", k - 1)));
    }
    // With zero left nothing is called any more.
    written_out.push_str(&procedure("f0", "never"));
    written_out.push_str(
        "procedure never(a : int, n : int) returns (r : int) modifies g; { assume false; }\n",
    );
    [recursive, written_out]
}

/// The verdict about the only claim of a program, with or without recursion; `None` without
/// recursion where it is wanted.
fn verdict(text: &str, recursive: bool) -> Option<Claim> {
    let Read { terms, reading } = read("test.bpl", text, &[]);
    let module = &reading.module;
    assert_eq!(module.properties.len(), 1, "{text}");
    assert!(module.model.edges.iter().all(|e| !e.loose), "it is exact");
    if recursive && module.model.is_linear() {
        return None;
    }
    assert_eq!(module.model.is_linear(), !recursive, "{text}");
    let task = Task {
        terms: &terms,
        model: &module.model,
        property: &module.properties[0],
    };
    let settings = Settings::default();
    let budget = seconds(120);
    let verdict = decide(
        &Horn,
        &task,
        Run {
            budget,
            ..run(&settings)
        },
    );
    let claim = claimed(&verdict).map(|(claim, _)| claim);
    Some(claim.unwrap_or_else(|| panic!("{text}\n{verdict:?}")))
}

#[test]
fn recursion_and_the_same_written_out_have_the_same_verdict() {
    let mut counts = [0, 0];
    for seed in 0..60 {
        let [recursive, written_out] = programs(seed);
        let Some(found) = verdict(&recursive, true) else {
            continue;
        };
        let expected = verdict(&written_out, false).unwrap();
        assert_eq!(found, expected, "seed {seed}\n{recursive}\n{written_out}");
        counts[usize::from(expected == Claim::Holds)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 8), "both verdicts: {counts:?}");
}
