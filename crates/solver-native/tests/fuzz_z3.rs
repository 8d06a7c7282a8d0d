//! Differential fuzzing against z3: random incremental scripts, every model evaluated.
//!
//! `FUZZ_CASES` and `FUZZ_SEED` choose how many scripts to run and where to start;
//! `FUZZ_SOLVER` another command line that reads SMT-LIB from its input.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use common::{Formula, Generator};
use sectile_base::Budget;
use sectile_solver::{Answer, Solver};
use sectile_solver_native::{NativeSolver, Options};
use sectile_terms::{Terms, Value};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

struct Oracle {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    fn start() -> Option<Oracle> {
        let line = std::env::var("FUZZ_SOLVER").unwrap_or_else(|_| "z3 -in -T:0".to_string());
        let mut words = line.split_whitespace();
        let mut child = Command::new(words.next()?)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let output = BufReader::new(child.stdout.take()?);
        Some(Oracle {
            child,
            input,
            output,
        })
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }

    /// Answers of the check-sat commands of a script, in order.
    fn run(&mut self, script: &str, checks: usize) -> Vec<String> {
        self.send("(reset)\n");
        if std::env::var("FUZZ_SOLVER").is_err() {
            self.send("(set-option :timeout 3000)\n");
        }
        self.send(script);
        self.input.flush().unwrap();
        let mut answers = Vec::new();
        while answers.len() < checks {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the oracle died on\n{script}"
            );
            let line = line.trim();
            assert!(!line.starts_with("(error"), "{line}\n{script}");
            answers.push(line.to_string());
        }
        answers
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Script {
    text: String,
    answers: Vec<&'static str>,
}

fn holds(terms: &Terms, model: &dyn sectile_solver::ModelView, f: &Formula) -> bool {
    model.eval(terms, f.term) == Ok(Value::Bool(true))
}

/// Runs a random script on the native solver, checking what it can check by itself.
fn run_native(seed: u64) -> Script {
    let terms = Terms::new();
    let mut g = Generator::new(&terms, seed);
    let options = Options {
        proofs: seed & 1 == 0,
    };
    let mut solver = NativeSolver::with_options(&terms, options);
    let mut text = format!("(set-logic ALL)\n{}", g.declarations);
    let mut answers = Vec::new();
    let mut stack: Vec<Vec<Formula>> = vec![Vec::new()];
    let budget = || Budget::unlimited().with_time(Duration::from_secs(5));
    let mut commands = 2 + g.rng.below(10);
    let mut earlier: Vec<Formula> = Vec::new();
    while commands > 0 || answers.is_empty() {
        commands = commands.saturating_sub(1);
        match g.rng.below(6) {
            0 => {
                solver.push();
                text.push_str("(push 1)\n");
                stack.push(Vec::new());
            }
            1 if stack.len() > 1 => {
                solver.pop();
                text.push_str("(pop 1)\n");
                stack.pop();
            }
            2 | 3 => {
                let depth = 1 + g.rng.below(3) as u32;
                let f = g.boolean(depth);
                solver.assert(f.term).unwrap();
                text.push_str(&format!("(assert {})\n", f.text));
                earlier.push(f.clone());
                stack.last_mut().unwrap().push(f);
            }
            _ => {
                let mut assumptions = Vec::new();
                for _ in 0..g.rng.below(4) {
                    let again = g
                        .rng
                        .chance(1, 2)
                        .then(|| g.rng.pick(&earlier).cloned())
                        .flatten();
                    let f = again.unwrap_or_else(|| {
                        let depth = g.rng.below(3) as u32;
                        g.boolean(depth)
                    });
                    earlier.push(f.clone());
                    assumptions.push(f);
                }
                text.push_str("(push 1)\n");
                for f in &assumptions {
                    text.push_str(&format!("(assert {})\n", f.text));
                }
                text.push_str("(check-sat)\n(pop 1)\n");
                let list: Vec<_> = assumptions.iter().map(|f| f.term).collect();
                let mut core = Vec::new();
                answers.push(match solver.check(&list, &budget()).unwrap() {
                    Answer::Sat(model) => {
                        for f in stack.iter().flatten().chain(&assumptions) {
                            assert!(holds(&terms, model, f), "seed {seed}: {}\n{text}", f.text);
                        }
                        "sat"
                    }
                    Answer::Unsat(refutation) => {
                        core = refutation.core();
                        assert!(core.iter().all(|t| list.contains(t)), "seed {seed}");
                        "unsat"
                    }
                    Answer::Unknown(why) => {
                        eprintln!("seed {seed}: unknown, {why:?}");
                        "unknown"
                    }
                });
                if answers.last() == Some(&"unsat") && core.len() < list.len() {
                    let mut fresh = NativeSolver::new(&terms);
                    for f in stack.iter().flatten() {
                        fresh.assert(f.term).unwrap();
                    }
                    let answer = fresh.check(&core, &budget()).unwrap();
                    assert!(
                        !answer.is_sat(),
                        "seed {seed}: the core does not suffice\n{text}"
                    );
                }
            }
        }
    }
    Script { text, answers }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[test]
fn agrees_with_the_oracle() {
    let Some(mut oracle) = Oracle::start() else {
        eprintln!("SKIPPED: z3 is not installed");
        return;
    };
    let cases = number("FUZZ_CASES", 400);
    let start = number("FUZZ_SEED", 1);
    let mut counts = std::collections::BTreeMap::new();
    for seed in start..start + cases {
        let script = run_native(seed);
        if std::env::var("FUZZ_DUMP").is_ok() {
            eprintln!("{}", script.text);
        }
        let expected = oracle.run(&script.text, script.answers.len());
        for (ours, theirs) in script.answers.iter().zip(&expected) {
            *counts.entry(format!("{ours}/{theirs}")).or_insert(0u64) += 1;
            let known = *ours != "unknown" && theirs != "unknown" && theirs != "timeout";
            assert!(
                !known || ours == theirs,
                "seed {seed}: {ours} but {theirs}\n{}",
                script.text
            );
        }
        if seed % 5000 == 0 {
            eprintln!("seed {seed}: {counts:?}");
        }
    }
    eprintln!("{counts:?}");
    let unknown: u64 = counts
        .iter()
        .filter(|(k, _)| k.starts_with("unknown"))
        .map(|c| c.1)
        .sum();
    assert!(
        unknown * 100 <= cases,
        "too many unknown answers: {unknown}"
    );
}
