//! Solvers as processes: answers, models, cores, scopes, limits and accidents.
//!
//! Every test runs with all solvers that are installed, and says which are not.
#![allow(clippy::print_stderr, reason = "skipped tests must be visible")]

use sectile_base::{Budget, Exhausted, Int, Rat};
use sectile_smtlib::{Scope, Undeclared, parse_term, read};
use sectile_solver::{Answer, Backend, Solver, SolverError, Undecided, scoped};
use sectile_solver_process::{Dialect, ProcessBackend, ProcessSolver, custom, dialects};
use sectile_terms::{Sort, Stage, SymbolKind, Term, Terms, Value};
use std::time::{Duration, Instant};

/// The dialects whose program is there.
fn installed() -> Vec<Dialect> {
    let mut found = Vec::new();
    for dialect in dialects() {
        match ProcessBackend::new(dialect.clone()).find_program() {
            Ok(_) => found.push(dialect),
            Err(_) => eprintln!("skipped: {} not found", dialect.name),
        }
    }
    found
}

/// A store with integers x, y, reals r, s, Booleans a, b, and pc of an enumeration.
fn store() -> Terms {
    let terms = Terms::new();
    let phase = terms.declare_enum("phase", &["idle", "busy", "done"].map(String::from));
    let sorts = [
        ("x", Sort::Int),
        ("y", Sort::Int),
        ("P[1].x'", Sort::Int),
        ("r", Sort::Real),
        ("s", Sort::Real),
        ("a", Sort::Bool),
        ("b", Sort::Bool),
        ("select", Sort::Bool),
        ("pc", Sort::Enum(phase)),
        ("qc", Sort::Enum(phase)),
    ];
    for (name, sort) in sorts {
        terms
            .declare(name, sort, SymbolKind::State)
            .expect("the name is free");
    }
    terms
}

fn parse(terms: &Terms, text: &str) -> Term {
    let tree = read(text).expect("the text is well-formed");
    let mut scope = Scope::new(Undeclared::FromStore);
    parse_term(terms, &tree, tree.roots()[0], &mut scope).expect("the text is a term")
}

fn value(terms: &Terms, answer: &Answer<'_>, name: &str) -> Option<Value> {
    let Answer::Sat(model) = answer else {
        panic!("there is no model");
    };
    model.value(terms.symbol(name).expect("it is declared"), Stage::Now)
}

#[test]
fn models_have_values_of_every_sort() {
    for dialect in installed() {
        let terms = store();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        for text in [
            "(= (+ x y) (- 3))",
            "(= x 123456789012345678901234567890)",
            "(= (* 3.0 r) (- 1.0))",
            "(= s 2.5)",
            "(and a (not b) select!now)",
            "(= pc 2)",
            "(= |P[1].x'| (- 7))",
            "(and (not (= qc 0)) (not (= qc 1)))",
        ] {
            solver.assert(parse(&terms, text)).unwrap();
        }
        let answer = solver.check(&[], &Budget::unlimited()).unwrap();
        let get = |name| value(&terms, &answer, name);
        let x: Int = "123456789012345678901234567890".parse().unwrap();
        assert_eq!(get("y"), Some(Value::Int(&Int::from(-3_i64) - &x)));
        assert_eq!(get("x"), Some(Value::Int(x)));
        assert_eq!(get("r"), Some(Value::Real(Rat::from_ratio(-1, 3))));
        assert_eq!(get("s"), Some(Value::Real(Rat::from_ratio(5, 2))));
        assert_eq!(get("a"), Some(Value::Bool(true)));
        assert_eq!(get("b"), Some(Value::Bool(false)));
        assert_eq!(get("select"), Some(Value::Bool(true)));
        assert_eq!(get("P[1].x'"), Some(Value::Int(Int::from(-7_i64))));
        for name in ["pc", "qc"] {
            assert!(matches!(get(name), Some(Value::Enum(_, 2))), "{name}");
        }
    }
}

#[test]
fn enumerations_have_no_further_values() {
    for dialect in installed() {
        let terms = store();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let text = "(and (not (= pc 0)) (not (= pc 1)) (not (= pc 2)))";
        solver.assert(parse(&terms, text)).unwrap();
        let answer = solver.check(&[], &Budget::unlimited()).unwrap();
        assert!(answer.is_unsat());
    }
}

#[test]
fn scopes_forget_what_was_asserted_in_them() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let t = |text: &str| parse(&terms, text);
        solver.assert(t("(>= x 5)")).unwrap();
        for _ in 0..3 {
            let inner = scoped(&mut solver, |s| {
                s.assert(t("(and (= pc 1) (<= (+ x y) 4))")).unwrap();
                s.push();
                s.assert(t("(>= y 0)")).unwrap();
                let unsat = s.check(&[], &budget).unwrap().is_unsat();
                s.pop();
                let sat = s.check(&[], &budget).unwrap().is_sat();
                unsat && sat
            });
            assert!(inner);
        }
        // Assertions in empty scopes and assumptions over variables of closed scopes.
        solver.push();
        solver.push();
        assert!(solver.check(&[t("(= y 100)")], &budget).unwrap().is_sat());
        solver.assert(t("(<= x 4)")).unwrap();
        assert!(solver.check(&[], &budget).unwrap().is_unsat());
        solver.pop();
        solver.pop();
        assert!(solver.check(&[t("(= y 100)")], &budget).unwrap().is_sat());
    }
}

#[test]
fn cores_are_subsets_of_the_assumptions() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let t = |text: &str| parse(&terms, text);
        solver.assert(t("(=> a (>= x 3))")).unwrap();
        let assumptions = [t("b"), t("a"), t("(not b)"), t("(< x 3)"), t("(= y 1)")];
        let [b, a, not_b, small, other] = assumptions;
        let Answer::Unsat(refutation) = solver.check(&[other, a, small], &budget).unwrap() else {
            panic!("the assumptions contradict each other");
        };
        // Cores need not be minimal, but these two must be in it.
        let core = refutation.core();
        assert!(core.contains(&a) && core.contains(&small), "{core:?}");
        assert!(core.iter().all(|t| [other, a, small].contains(t)));
        assert!(solver.check(&[other, small], &budget).unwrap().is_sat());
        let Answer::Unsat(refutation) = solver.check(&[a, not_b, b], &budget).unwrap() else {
            panic!("the assumptions contradict each other");
        };
        let core = refutation.core();
        assert!(core.contains(&b) && core.contains(&not_b), "{core:?}");
        // Nothing assumed once is assumed for ever.
        assert!(solver.check(&[not_b], &budget).unwrap().is_sat());
        solver.assert(terms.ff()).unwrap();
        let Answer::Unsat(refutation) = solver.check(&[other], &budget).unwrap() else {
            panic!("false was asserted");
        };
        assert!(refutation.core().is_empty());
    }
}

/// No `holes` pigeons more than holes: a query that takes very long.
fn pigeons(terms: &Terms, holes: usize) -> Vec<Term> {
    let place = |p: usize, h: usize| {
        let name = format!("p{p}_{h}");
        let symbol = terms.declare(&name, Sort::Bool, SymbolKind::State);
        terms.var(symbol.expect("the name is free"))
    };
    let mut clauses = Vec::new();
    for p in 0..=holes {
        clauses.push(terms.or((0..holes).map(|h| place(p, h))));
        for q in 0..p {
            let apart = |h: usize| terms.or([terms.not(place(p, h)), terms.not(place(q, h))]);
            clauses.extend((0..holes).map(apart));
        }
    }
    clauses
}

#[test]
fn limits_of_time_are_kept_and_the_solver_goes_on() {
    for dialect in installed() {
        let terms = store();
        let mut solver = ProcessSolver::new(&terms, dialect.clone(), None);
        solver.assert(parse(&terms, "(= x 1)")).unwrap();
        solver.push();
        for clause in pigeons(&terms, 13) {
            solver.assert(clause).unwrap();
        }
        for _ in 0..2 {
            let start = Instant::now();
            let budget = Budget::unlimited().with_time(Duration::from_millis(200));
            let answer = solver.check(&[], &budget).unwrap();
            let Answer::Unknown(why) = answer else {
                panic!("{} is too good for this test", dialect.name);
            };
            assert_eq!(why, Undecided::Exhausted(Exhausted::Time));
            let took = start.elapsed();
            assert!(took < Duration::from_secs(1), "{}: {took:?}", dialect.name);
        }
        solver.pop();
        // Whether the process survived or not, the assertions did.
        let budget = Budget::unlimited();
        let answer = solver.check(&[], &budget).unwrap();
        assert_eq!(value(&terms, &answer, "x"), Some(Value::Int(Int::ONE)));
        let two = parse(&terms, "(= x 2)");
        assert!(solver.check(&[two], &budget).unwrap().is_unsat());
    }
}

#[test]
fn a_query_can_be_stopped_from_outside() {
    for dialect in installed() {
        let terms = Terms::new();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        for clause in pigeons(&terms, 13) {
            solver.assert(clause).unwrap();
        }
        let budget = Budget::unlimited();
        let stopper = budget.stopper();
        let start = Instant::now();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            stopper.stop();
        });
        let answer = solver.check(&[], &budget).unwrap();
        let expected = Undecided::Exhausted(Exhausted::Cancelled);
        assert!(matches!(answer, Answer::Unknown(why) if why == expected));
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}

#[test]
fn limits_of_memory_are_kept() {
    for dialect in installed() {
        let terms = Terms::new();
        let mut solver = ProcessSolver::new(&terms, dialect.clone(), Some(24 << 20));
        for clause in pigeons(&terms, 40) {
            solver.assert(clause).unwrap();
        }
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let answer = solver.check(&[], &budget).unwrap();
        let Answer::Unknown(why) = answer else {
            panic!("{} is too good for this test", dialect.name);
        };
        assert_eq!(why, Undecided::Exhausted(Exhausted::Memory));
    }
}

fn is_gone(process: u32) -> bool {
    !std::path::Path::new(&format!("/proc/{process}")).exists()
}

fn kill(process: u32) {
    let status = std::process::Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    assert!(status.is_ok_and(|s| s.success()));
}

#[test]
fn killed_processes_are_replaced() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        solver.assert(parse(&terms, "(= x 1)")).unwrap();
        solver.push();
        solver.assert(parse(&terms, "(= y (+ x 1))")).unwrap();
        assert!(solver.check(&[], &budget).unwrap().is_sat());
        let first = solver.process_id().unwrap();
        kill(first);
        // The system may take a moment to tell; a query that finds the pipe closed is an error,
        // and the one after it has a new process.
        std::thread::sleep(Duration::from_millis(50));
        let answer = solver.check(&[], &budget).unwrap();
        assert_eq!(
            value(&terms, &answer, "y"),
            Some(Value::Int(Int::from(2_i64)))
        );
        let second = solver.process_id().unwrap();
        assert_ne!(first, second);
        assert!(is_gone(first), "no zombie is left");
        drop(solver);
        assert!(is_gone(second), "no zombie is left");
    }
}

#[test]
fn a_process_killed_in_the_middle_of_a_query_is_an_error() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        assert!(solver.check(&[], &budget).unwrap().is_sat());
        let process = solver.process_id().unwrap();
        solver.push();
        for clause in pigeons(&terms, 13) {
            solver.assert(clause).unwrap();
        }
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            kill(process);
        });
        let Err(SolverError::Broken(text)) = solver.check(&[], &budget) else {
            panic!("the process was killed");
        };
        assert!(text.contains("signal: 9"), "{text}");
        solver.pop();
        assert!(solver.check(&[], &budget).unwrap().is_sat());
    }
}

#[test]
fn missing_programs_are_named() {
    let mut dialect = dialects().remove(0);
    dialect.program = "no-such-z3".to_string();
    let backend = ProcessBackend::new(dialect.clone());
    let terms = Terms::new();
    let why = backend.solver(&terms).err().unwrap().0;
    let expected = "no-such-z3 was not found; install it (for example Debian package z3) or choose --solver native";
    assert_eq!(why, expected);
    let mut solver = ProcessSolver::new(&terms, dialect, None);
    let error = solver.check(&[], &Budget::unlimited()).err().unwrap();
    assert_eq!(error, SolverError::Broken(expected.to_string()));
    let missing = ProcessBackend::new(custom("/no/such/program -x").unwrap());
    let why = missing.solver(&terms).err().unwrap().0;
    assert!(why.starts_with("/no/such/program was not found"), "{why}");
}

#[test]
fn capabilities_are_asked_before() {
    for dialect in dialects() {
        let backend = ProcessBackend::new(dialect);
        let terms = Terms::new();
        let interpolator = backend.interpolator(&terms).err().unwrap();
        assert!(interpolator.0.starts_with(backend.name()));
        assert!(interpolator.0.contains("interpolants"));
        let eliminator = backend.eliminator(&terms).err().unwrap();
        assert!(eliminator.0.contains("elimination"));
    }
}

#[test]
fn programs_that_talk_nonsense_are_errors() {
    let terms = store();
    let cases = [
        ("echo hello", "answered `hello`"),
        ("sh -c 'echo Segfault >&2; exit 3'", "Segfault"),
        (
            "sh -c 'echo \"(error \\\"I do not like this\\\")\"; sleep 5'",
            "I do not like this",
        ),
        ("true", "the process ended"),
    ];
    for (command, expected) in cases {
        let dialect = custom(command).unwrap();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        solver.assert(parse(&terms, "(= x 1)")).unwrap();
        let budget = Budget::unlimited().with_time(Duration::from_secs(10));
        match solver.check(&[], &budget) {
            Err(SolverError::Broken(text)) => assert!(text.contains(expected), "{text}"),
            _ => panic!("{command} is no solver"),
        }
    }
}

#[test]
fn programs_that_do_not_read_cannot_hang_us() {
    let terms = Terms::new();
    let mut solver = ProcessSolver::new(&terms, custom("sleep 100").unwrap(), None);
    // More than a pipe holds.
    for clause in pigeons(&terms, 25) {
        solver.assert(clause).unwrap();
    }
    let start = Instant::now();
    let budget = Budget::unlimited().with_time(Duration::from_millis(100));
    let answer = solver.check(&[], &budget).unwrap();
    assert!(matches!(
        answer,
        Answer::Unknown(Undecided::Exhausted(Exhausted::Time))
    ));
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn custom_commands_get_a_fitting_logic() {
    if installed().iter().all(|d| d.name != "z3") {
        return;
    }
    let terms = store();
    let budget = Budget::unlimited();
    // Called through another program, so that nothing is known about it.
    let dialect = custom("env z3 -in -smt2").unwrap();
    assert_eq!(dialect.name, "env z3 -in -smt2");
    let mut solver = ProcessSolver::new(&terms, dialect, None);
    solver.assert(parse(&terms, "(= x 1)")).unwrap();
    assert!(solver.check(&[], &budget).unwrap().is_sat());
    let first = solver.process_id();
    solver.push();
    solver
        .assert(parse(&terms, "(> (to_real x) (+ r 0.5))"))
        .unwrap();
    solver.assert(parse(&terms, "(> r 0.25)")).unwrap();
    assert!(solver.check(&[], &budget).unwrap().is_sat());
    assert_ne!(
        first,
        solver.process_id(),
        "the larger logic needs a new process"
    );
    let core = match solver
        .check(&[parse(&terms, "(> r 0.75)")], &budget)
        .unwrap()
    {
        Answer::Unsat(refutation) => refutation.core(),
        _ => panic!("r is less than a half"),
    };
    assert_eq!(core.len(), 1);
}

#[test]
fn arrays_work_and_arrays_of_enumerations_are_refused() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited();
        let sort = terms.array_sort(Sort::Int, Sort::Int);
        let m = terms.declare("m", sort, SymbolKind::State).unwrap();
        let phase = terms.symbol_sort(terms.symbol("pc").unwrap());
        let odd = terms.array_sort(Sort::Int, phase);
        let odd = terms.declare("odd", odd, SymbolKind::State).unwrap();
        let (m, odd) = (terms.var(m), terms.var(odd));
        let x = parse(&terms, "x");
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let stored = terms.store(m, x, terms.int(7));
        let read = terms.select(stored, parse(&terms, "y"));
        solver.assert(terms.eq(read, terms.int(8))).unwrap();
        {
            // The model tells the array, too: its own values make the formula true.
            let answer = solver.check(&[], &budget).unwrap();
            let [m, x, y] = ["m", "x", "y"].map(|name| value(&terms, &answer, name));
            let Some(Value::Array(m)) = m else {
                panic!("the array has no value");
            };
            assert_ne!(x, y);
            assert_eq!(m.get(&y.unwrap()), &Value::Int(Int::from(8_i64)));
        }
        let same = parse(&terms, "(= x y)");
        assert!(solver.check(&[same], &budget).unwrap().is_unsat());
        let pc = parse(&terms, "pc");
        solver.assert(terms.eq(terms.select(odd, x), pc)).unwrap();
        let error = solver.check(&[], &budget).err();
        assert!(matches!(error, Some(SolverError::Unsupported(_))));
    }
}

#[test]
fn any_name_will_do() {
    let names = [
        "x'",
        "P[1].pc",
        "a b",
        "a:b",
        "",
        "3",
        "é",
        "a|b",
        "a\\b",
        "line\nbreak",
        "!",
        "_",
        "let",
        "and",
        "is",
        "update",
        "bvadd",
        "set.empty",
        "check-sat",
        "declare-fun",
        "true",
        "Int",
        "$1",
        "$a1",
        ".x",
        "@y",
        "x!next",
        "x!now",
        "x!at3",
        "RNE",
        "exp",
        "char",
        ";",
        "\"",
        "#x1",
    ];
    for dialect in installed() {
        let terms = Terms::new();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let stages = [Stage::Now, Stage::Next, Stage::At(3)];
        let mut expected = Vec::new();
        for name in names {
            let symbol = terms.declare(name, Sort::Int, SymbolKind::State).unwrap();
            for stage in stages {
                let number = expected.len() as i64;
                let var = terms.var_at(symbol, stage);
                solver.assert(terms.eq(var, terms.int(number))).unwrap();
                expected.push((symbol, stage, Value::Int(Int::from(number))));
            }
        }
        let Answer::Sat(model) = solver.check(&[], &Budget::unlimited()).unwrap() else {
            panic!("all variables are different");
        };
        for (symbol, stage, value) in expected {
            let name = terms.name(symbol);
            assert_eq!(model.value(symbol, stage), Some(value), "{name} {stage:?}");
        }
    }
}

#[test]
fn long_and_deep_formulas_are_decided() {
    for dialect in installed() {
        let terms = store();
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let (x, mut t) = (parse(&terms, "x"), parse(&terms, "a"));
        for k in 0..20_000 {
            let atom = terms.le(x, terms.int(k));
            t = if k % 2 == 0 {
                terms.and([atom, t])
            } else {
                terms.or([terms.not(atom), t])
            };
        }
        let name = dialect.name.clone();
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        solver.assert(t).unwrap();
        solver.assert(terms.eq(x, terms.int(0))).unwrap();
        let answer = solver.check(&[], &budget).unwrap();
        let a = value(&terms, &answer, "a");
        assert_eq!(a, Some(Value::Bool(true)), "{name}");
    }
}

/// A model has tables of the functions, and satisfies what was asserted.
#[test]
fn functions_have_tables() {
    for dialect in installed() {
        let terms = store();
        let two = terms.declare_function("f", &[Sort::Int, Sort::Bool], Sort::Real);
        two.expect("the name is free");
        let one = terms.declare_function("p", &[Sort::Int], Sort::Bool);
        one.expect("the name is free");
        let mut solver = ProcessSolver::new(&terms, dialect, None);
        let texts = [
            "(and (p x) (not (p y)))",
            "(= (f x true) (+ (f y true) 1.5))",
            "(= (f (+ x 1) (p 7)) 2.5)",
        ];
        let formulas = texts.map(|text| parse(&terms, text));
        for formula in formulas {
            solver.assert(formula).expect("the process runs");
        }
        let budget = Budget::unlimited();
        let Answer::Sat(model) = solver.check(&[], &budget).expect("it answers") else {
            panic!("there is a model");
        };
        for formula in formulas {
            assert_eq!(model.eval(&terms, formula), Ok(Value::Bool(true)));
        }
        solver.push();
        let same = parse(&terms, "(= x y)");
        solver.assert(same).expect("the process runs");
        assert!(solver.check(&[], &budget).expect("it answers").is_unsat());
    }
}
