//! Differential fuzzing against z3: random incremental scripts.
//!
//! Every answer is compared, every model evaluated, every `unsat` replayed by the kernel. Of each
//! fourth refuted check the assertions are interpolated by one of the methods, and of each eighth
//! script a formula is projected; both are checked by definition, every eighth of them by z3.
//!
//! `FUZZ_CASES` and `FUZZ_SEED` choose how many scripts to run and where to start;
//! `FUZZ_SOLVER` another command line that reads SMT-LIB from its input.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::common;
use crate::project_common;

use common::{Formula, Generator};
use sectile_base::Budget;
use sectile_smtlib::check_portable;
use sectile_solver::{
    Answer, Backend, Broken, Interpolation, Interpolator, Solver, SolverError, check_sequence,
};
use sectile_solver_native::interpolate::{Method, NativeInterpolator, Settings};
use sectile_solver_native::project::{Limits, exists};
use sectile_solver_native::{NativeSolver, ReplayedSolver};
use sectile_solver_process::{ProcessBackend, dialect};
use sectile_terms::{Stage, Symbol, Term, Terms, Value};
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
        let mut oracle = Oracle {
            child,
            input,
            output,
        };
        if std::env::var("FUZZ_SOLVER").is_err() {
            oracle.send("(set-option :timeout 3000)\n");
        }
        oracle.send("(set-logic ALL)\n");
        oracle.send(common::ENUMERATION);
        Some(oracle)
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }

    /// Answers of the check-sat commands of a script, in order.
    ///
    /// The process serves all scripts, each in a scope of its own: starting anew costs more than
    /// most scripts.
    fn run(&mut self, script: &str, checks: usize) -> Vec<String> {
        self.send("(push 1)\n");
        self.send(script);
        self.send("(pop 1)\n");
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

/// What was checked besides the answers.
#[derive(Default, Debug)]
struct Counts {
    replayed: u64,
    interpolated: u64,
    not_interpolated: u64,
    projected: u64,
    by_z3: u64,
}

fn budget() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(5))
}

/// Either solver behind one trait: without proofs for odd seeds, replayed for even ones.
fn solver_for(terms: &Terms, seed: u64) -> Box<dyn Solver + '_> {
    if seed & 1 == 0 {
        Box::new(ReplayedSolver::new(terms))
    } else {
        Box::new(NativeSolver::new(terms))
    }
}

/// Runs a random script on the native solver, checking what it can check by itself.
fn run_native(seed: u64, functions: bool, counts: &mut Counts) -> Script {
    let terms = Terms::new();
    let mut g = match functions {
        true => Generator::with_functions(&terms, seed),
        false => Generator::new(&terms, seed),
    };
    let mut solver = solver_for(&terms, seed);
    let mut text = g.declarations.clone();
    let mut answers = Vec::new();
    let mut stack: Vec<Vec<Formula>> = vec![Vec::new()];
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
                let assumptions = random_assumptions(&mut g, &mut earlier);
                text.push_str("(push 1)\n");
                for f in &assumptions {
                    text.push_str(&format!("(assert {})\n", f.text));
                }
                text.push_str("(check-sat)\n(pop 1)\n");
                let list: Vec<Term> = assumptions.iter().map(|f| f.term).collect();
                let mut core = None;
                let answer = solver.check(&list, &budget());
                answers.push(
                    match answer.unwrap_or_else(|e| panic!("seed {seed}: {e}")) {
                        Answer::Sat(model) => {
                            for f in stack.iter().flatten().chain(&assumptions) {
                                assert!(holds(&terms, model, f), "seed {seed}: {}\n{text}", f.text);
                            }
                            "sat"
                        }
                        Answer::Unsat(refutation) => {
                            core = Some(refutation.core());
                            "unsat"
                        }
                        Answer::Unknown(why) => {
                            eprintln!("seed {seed}: unknown, {why:?}");
                            "unknown"
                        }
                    },
                );
                if let Some(core) = core {
                    assert!(core.iter().all(|t| list.contains(t)), "seed {seed}");
                    let told: Vec<Term> = stack.iter().flatten().map(|f| f.term).collect();
                    check_core(&terms, &told, &core, seed, &text);
                    counts.replayed += 1;
                    if counts.replayed.is_multiple_of(4) {
                        let parts: Vec<Term> = told.into_iter().chain(core).collect();
                        check_interpolants(&terms, &parts, seed, counts);
                    }
                }
            }
        }
    }
    for _ in 1..stack.len() {
        text.push_str("(pop 1)\n");
    }
    if seed.is_multiple_of(8)
        && let Some(f) = earlier.first()
    {
        let some: Vec<Symbol> = g.symbols.iter().map(|s| s.0).collect();
        let kept = 1 + g.rng.below(some.len() as u64) as usize;
        check_projection(&terms, f.term, &some[..some.len() - kept], seed, counts);
    }
    Script { text, answers }
}

fn random_assumptions(g: &mut Generator, earlier: &mut Vec<Formula>) -> Vec<Formula> {
    let mut assumptions = Vec::new();
    for _ in 0..g.rng.below(4) {
        let again = g
            .rng
            .chance(1, 2)
            .then(|| g.rng.pick(earlier).cloned())
            .flatten();
        let f = again.unwrap_or_else(|| {
            let depth = g.rng.below(3) as u32;
            g.boolean(depth)
        });
        earlier.push(f.clone());
        assumptions.push(f);
    }
    assumptions
}

/// A fresh solver refutes the core, and the kernel accepts its refutation.
fn check_core(terms: &Terms, told: &[Term], core: &[Term], seed: u64, text: &str) {
    let mut fresh = ReplayedSolver::new(terms);
    for &f in told {
        fresh.assert(f).unwrap();
    }
    let answer = fresh.check(core, &budget());
    let answer = answer.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
    assert!(
        !answer.is_sat(),
        "seed {seed}: the core does not suffice\n{text}"
    );
}

/// Interpolants of contradictory formulas keep their contract.
fn check_interpolants(terms: &Terms, parts: &[Term], seed: u64, counts: &mut Counts) {
    let size = parts.len().div_ceil(4).max(1);
    let blocks: Vec<Term> = parts
        .chunks(size)
        .map(|c| terms.and(c.iter().copied()))
        .collect();
    if blocks.len() < 2 {
        return;
    }
    let method = Method::ALL[(counts.interpolated % Method::ALL.len() as u64) as usize];
    let settings = Settings {
        method,
        ..Settings::default()
    };
    let mut interpolator = NativeInterpolator::with_settings(terms, settings);
    let list = match interpolator.sequence(&blocks, &budget()).unwrap() {
        Interpolation::Unsat(list) => list,
        Interpolation::Sat(_) => panic!("seed {seed}: the interpolator finds a model"),
        Interpolation::Unknown(why) => {
            counts.not_interpolated += 1;
            return eprintln!("seed {seed}: {method}: {why:?}");
        }
    };
    assert_eq!(interpolator.statistics().broken, 0, "seed {seed}: {method}");
    let z3 = counts.interpolated.is_multiple_of(8);
    let backend = z3.then(|| ProcessBackend::new(dialect("z3").unwrap()));
    let mut oracle: Box<dyn Solver> = match backend.as_ref().map(|b| b.solver(terms)) {
        Some(Ok(solver)) => {
            counts.by_z3 += 1;
            solver
        }
        _ => Box::new(NativeSolver::new(terms)),
    };
    let verdict = check_sequence(terms, oracle.as_mut(), &blocks, &list, &budget());
    let verdict: Result<Result<(), Broken>, SolverError> = verdict;
    assert!(
        matches!(
            verdict,
            Ok(Ok(()) | Err(Broken::Unknown(_))) | Err(SolverError::Unsupported(_))
        ),
        "seed {seed}: {method}: {verdict:?}"
    );
    counts.interpolated += 1;
}

/// The projection of a formula is implied by it, is over the other variables, and if it is exact,
/// no stronger than that.
fn check_projection(terms: &Terms, f: Term, symbols: &[Symbol], seed: u64, counts: &mut Counts) {
    let vars: Vec<(Symbol, Stage)> = symbols.iter().map(|&s| (s, Stage::Now)).collect();
    let budget = Budget::unlimited().with_time(Duration::from_secs(1));
    let result = match exists(terms, f, &vars, &Limits::default(), &budget) {
        Ok(Ok(result)) => result,
        Ok(Err(_)) | Err(SolverError::Unsupported(_)) => return,
        Err(error) => panic!("seed {seed}: {error}"),
    };
    assert!(
        project_common::is_free_of(terms, result.formula, &vars),
        "seed {seed}"
    );
    let mut solver = ReplayedSolver::new(terms);
    solver.assert(f).unwrap();
    let answer = solver.check(&[terms.not(result.formula)], &budget);
    assert!(!answer.unwrap().is_sat(), "seed {seed}: not implied");
    // Integers in the place of enumerations are not enough for functions that give these.
    let all = terms.post_order(&[f]);
    let portable = all.iter().all(|&t| check_portable(terms, t).is_ok());
    if counts.projected.is_multiple_of(8)
        && result.exact
        && portable
        && let Some(mut oracle) = project_common::Oracle::start()
    {
        let note = project_common::note(terms, seed, &vars, f);
        oracle.equals_exists(terms, result.formula, &vars, f, &note);
        counts.by_z3 += 1;
    }
    counts.projected += 1;
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[test]
fn agrees_with_the_oracle() {
    compare_scripts(false);
}

/// The same for formulas with uninterpreted functions.
#[test]
fn agrees_with_the_oracle_on_functions() {
    compare_scripts(true);
}

fn compare_scripts(functions: bool) {
    let Some(mut oracle) = Oracle::start() else {
        eprintln!("SKIPPED: z3 is not installed");
        return;
    };
    let cases = number("FUZZ_CASES", 400);
    let start = number("FUZZ_SEED", 1);
    let mut counts = std::collections::BTreeMap::new();
    let mut besides = Counts::default();
    for seed in start..start + cases {
        let script = run_native(seed, functions, &mut besides);
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
            eprintln!("seed {seed}: {counts:?} {besides:?}");
        }
    }
    eprintln!("{counts:?} {besides:?}");
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
