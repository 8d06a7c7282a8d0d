//! Small incremental queries: does an edge of an abstraction have a concrete step?
//!
//! Each check is `pc=1 & x>=y+k & pc'=2 & x'=x+1 & y'=y & x'<=y'+c` for changing `k` and `c`,
//! under assumptions that are made once and reused: terms for ours, literals that imply them for
//! z3. The last variants are about what a long refinement leaves behind in a solver: queries
//! of five labels out of six thousand over one edge.

use crate::race::{Who, competitor, start, z3_version};
use anyhow::Context as _;
use sectile_base::{Budget, Rat, Rng};
use sectile_smtlib::{Logic, Vocabulary};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::NativeSolver;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

/// Checks in all; they are asked in blocks, the two solvers taking turns.
const CHECKS: usize = 10_000;
const BLOCK: usize = 100;
/// z3 is asked no further block once it has spent this time on a variant.
const LONGEST_VARIANT: Duration = Duration::from_secs(20);

/// What is asserted once, and assumed at each check.
struct Queries {
    name: String,
    asserted: Vec<Term>,
    checks: Vec<Vec<Term>>,
}

/// An edge with labels before and after it.
struct Edge {
    fixed: Vec<Term>,
    guards: Vec<Term>,
    targets: Vec<Term>,
}

fn edge(terms: &Terms, pc_sort: Sort) -> Edge {
    let declare = |name: &str, sort| {
        let symbol = terms.declare(name, sort, SymbolKind::State);
        symbol.expect("names are declared once with one sort")
    };
    let pc = declare(&format!("pc{pc_sort:?}"), pc_sort);
    let (x, y) = (declare("x", Sort::Int), declare("y", Sort::Int));
    let value = |k: u32| match pc_sort {
        Sort::Enum(id) => terms.variant(id, k),
        _ => terms.int(i64::from(k)),
    };
    let (now, next) = (|s| terms.var(s), |s| terms.next(s));
    let fixed = vec![
        terms.eq(now(pc), value(1)),
        terms.eq(next(pc), value(2)),
        terms.eq(next(x), terms.add(now(x), terms.int(1))),
        terms.eq(next(y), now(y)),
    ];
    let guard = |k: i64| terms.ge(now(x), terms.add(now(y), terms.int(k - 20)));
    let target = |c: i64| terms.le(next(x), terms.add(next(y), terms.int(c - 25)));
    Edge {
        fixed,
        guards: (0..40).map(guard).collect(),
        targets: (0..50).map(target).collect(),
    }
}

fn pick(edge: &Edge, i: usize) -> [Term; 2] {
    let k = (i * 7919) % edge.guards.len();
    let c = (i * 104_729) % edge.targets.len();
    [edge.guards[k], edge.targets[c]]
}

/// The variants for one sort of the program counter.
fn variants(edge: &Edge, pc: &str) -> Vec<Queries> {
    let checks = |assume: &dyn Fn([Term; 2]) -> Vec<Term>| -> Vec<Vec<Term>> {
        (0..CHECKS).map(|i| assume(pick(edge, i))).collect()
    };
    let fixed = &edge.fixed;
    vec![
        Queries {
            name: format!("{pc}, all assumed, edge first"),
            asserted: Vec::new(),
            checks: checks(&|labels| fixed.iter().copied().chain(labels).collect()),
        },
        Queries {
            name: format!("{pc}, all assumed, labels first"),
            asserted: Vec::new(),
            checks: checks(&|labels| labels.into_iter().chain(fixed.iter().copied()).collect()),
        },
        Queries {
            name: format!("{pc}, edge asserted"),
            asserted: fixed.clone(),
            checks: checks(&|labels| labels.to_vec()),
        },
    ]
}

/// Many different labels over one edge.
fn many_labels(terms: &Terms) -> Queries {
    let mut rng = Rng::new(1);
    let symbols: Vec<Symbol> = (0..6)
        .map(|i| {
            let symbol = terms.declare(&format!("v{i}"), Sort::Int, SymbolKind::State);
            symbol.expect("names are declared once")
        })
        .collect();
    let step = |(i, &s): (usize, &Symbol)| {
        let change = terms.int(i as i64 - 2);
        terms.eq(terms.next(s), terms.add(terms.var(s), change))
    };
    let asserted = symbols.iter().enumerate().map(step).collect();
    let mut label = || {
        let mut atom = || {
            let mut sum = terms.int(rng.range(-20..=20));
            for _ in 0..2 {
                let x = symbols[rng.below(6) as usize];
                let c = Rat::from(rng.range(-2..=2));
                sum = terms.add(sum, terms.scale(terms.var(x), &c));
            }
            terms.non_pos(sum)
        };
        let parts = [atom(), atom(), atom()];
        if rng.chance(1, 2) {
            terms.or(parts)
        } else {
            parts[0]
        }
    };
    let labels: Vec<Term> = (0..3000).map(|_| label()).collect();
    let primed: Vec<Term> = labels.iter().map(|&t| terms.prime(t)).collect();
    let mut query = || {
        let lists = [&labels, &labels, &labels, &primed, &primed];
        lists.map(|l| l[rng.below(3000) as usize]).to_vec()
    };
    Queries {
        name: "6000 labels over one edge".to_string(),
        asserted,
        checks: (0..CHECKS).map(|_| query()).collect(),
    }
}

/// Ours in process: how long a block takes, and how many of its checks are satisfiable.
fn ask_ours(
    solver: &mut NativeSolver<'_>,
    block: &[Vec<Term>],
) -> anyhow::Result<(Duration, usize)> {
    let budget = Budget::unlimited();
    let mut satisfiable = 0;
    let begun = Instant::now();
    for assumptions in block {
        if let Answer::Sat(_) = solver.check(assumptions, &budget)? {
            satisfiable += 1;
        }
    }
    Ok((begun.elapsed(), satisfiable))
}

/// z3 as a process that has been told the assertions, and a literal for each assumption.
struct Z3 {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    literals: BTreeMap<Term, usize>,
}

impl Z3 {
    fn start(terms: &Terms, queries: &Queries) -> anyhow::Result<Z3> {
        let mut child = start(Who::Z3)?;
        let input = child.stdin.take().context("the input was piped")?;
        let output = child.stdout.take().context("the output was piped")?;
        let mut literals = BTreeMap::new();
        for &t in queries.checks.iter().flatten() {
            let next = literals.len();
            literals.entry(t).or_insert(next);
        }
        let mut roots = queries.asserted.clone();
        roots.extend(literals.keys());
        let mut vocabulary = Vocabulary::new(terms);
        let mut text = format!("(set-logic {})\n", Logic::of(terms, &roots).name());
        vocabulary.introduce(&roots, &mut text)?;
        for &t in &queries.asserted {
            text.push_str(&format!("(assert {})\n", vocabulary.text(t)));
        }
        for (&t, i) in &literals {
            let meaning = vocabulary.text(t);
            text.push_str(&format!(
                "(declare-fun b{i} () Bool)\n(assert (=> b{i} {meaning}))\n"
            ));
        }
        let mut z3 = Z3 {
            child,
            input,
            output: BufReader::new(output),
            literals,
        };
        z3.talk(&text)?;
        Ok(z3)
    }

    /// Sends commands and reads the answers until all are done.
    fn talk(&mut self, text: &str) -> anyhow::Result<Vec<String>> {
        self.input.write_all(text.as_bytes())?;
        self.input.write_all(b"(echo \"done\")\n")?;
        self.input.flush()?;
        let mut answers = Vec::new();
        loop {
            let mut line = String::new();
            anyhow::ensure!(self.output.read_line(&mut line)? > 0, "z3 has ended");
            anyhow::ensure!(!line.starts_with("(error"), "z3 says {line}");
            if line.trim() == "done" {
                return Ok(answers);
            }
            answers.push(line.trim().to_string());
        }
    }

    fn ask(&mut self, block: &[Vec<Term>]) -> anyhow::Result<(Duration, usize)> {
        let mut text = String::new();
        for assumptions in block {
            let names = assumptions.iter().map(|t| format!("b{}", self.literals[t]));
            let names: Vec<String> = names.collect();
            text.push_str(&format!("(check-sat-assuming ({}))\n", names.join(" ")));
        }
        let begun = Instant::now();
        let answers = self.talk(&text)?;
        let time = begun.elapsed();
        Ok((time, answers.iter().filter(|a| *a == "sat").count()))
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        // It waits for input; nothing is lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn measure(terms: &Terms, queries: &Queries, with_z3: bool) -> anyhow::Result<()> {
    let mut solver = NativeSolver::new(terms);
    for &t in &queries.asserted {
        solver.assert(t)?;
    }
    let mut z3 = if with_z3 {
        Some(Z3::start(terms, queries)?)
    } else {
        None
    };
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut satisfiable, mut same, mut asked) = (0, true, 0);
    for block in queries.checks.chunks(BLOCK) {
        let (time, sat) = ask_ours(&mut solver, block)?;
        ours += time;
        satisfiable += sat;
        if let Some(z3) = z3.as_mut().filter(|_| theirs < LONGEST_VARIANT) {
            let (time, theirs_sat) = z3.ask(block)?;
            theirs += time;
            asked += block.len();
            same &= sat == theirs_sat;
        }
    }
    let each = |time: Duration, checks: usize| time.as_secs_f64() * 1e6 / checks as f64;
    let note = if asked < queries.checks.len() {
        format!(" (the first {asked})")
    } else {
        String::new()
    };
    println!(
        "| {} | {:.2} us | {} | {satisfiable} | {} |",
        queries.name,
        each(ours, queries.checks.len()),
        z3.map_or("-".to_string(), |_| {
            format!("{:.1} us{note}", each(theirs, asked))
        }),
        if same { "yes" } else { "NO" },
    );
    Ok(())
}

/// Prints the table.
pub fn run() -> anyhow::Result<()> {
    let version = z3_version();
    println!("{}\n", competitor(version.as_deref()));
    println!("| {CHECKS} checks | ours, each | z3, each | satisfiable | same answers |");
    println!("|---|---|---|---|---|");
    let terms = Terms::new();
    let locations: Vec<String> = (0..8).map(|i| format!("L{i}")).collect();
    let enumeration = Sort::Enum(terms.declare_enum("Location", &locations));
    let mut all = variants(&edge(&terms, Sort::Int), "pc an integer");
    all.extend(variants(&edge(&terms, enumeration), "pc an enumeration"));
    all.push(many_labels(&terms));
    for queries in &all {
        measure(&terms, queries, version.is_some())?;
    }
    Ok(())
}
