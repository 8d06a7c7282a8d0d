//! A pass that is wrong is caught: evidence is checked on the model as it was read.
//!
//! Each pass is applied to a model, and what it made is damaged in two ways, as a mistake in the pass
//! would do: a step is forgotten, or conditions are. An engine then finds a wrong verdict, whose
//! evidence goes back through the pass and must not be accepted.
#![allow(clippy::unwrap_used)]

use sectile_certify::Claim;
use sectile_driver::{Loaded, registry};
use sectile_engine::Settings;
use sectile_model::{
    Certificate, GraphChange, LocationId, Model, Property, Task, UnrolledProof, Verdict,
};
use sectile_solver_native::NativeBackend;
use sectile_testkit::driven::{read, task};
use sectile_testkit::verdicts::{accepted, claimed, run, seconds};
use sectile_transform::{
    ByContract, Cells, Clauses, ControlSplit, Deadlock, ErrorGraph, ErrorLocation, ExactSteps,
    Exactness, ExitBounds, LargeBlocks, Linear, Pass, PcEncoding, Pipeline, Proofs, Quotients,
    RecoverControl, Residues, run_engine,
};

/// A program that counts to three; the claim about the end is right or wrong.
fn program(claim: &str) -> Loaded {
    read(
        "imp",
        &format!(
            "var x, y : int;\nx := 0;\ny := 0;\n\
             while (x < 3) {{ x := x + 1; y := y + 2; }}\nassert safe: {claim}\n"
        ),
    )
}

/// A system with a program counter.
fn system(claim: &str) -> Loaded {
    read(
        "sct",
        &format!(
            "var pc : {{a, b, c}} = a\nvar x : int = 0\n\
             go: pc = a --> pc := b, x := 1\nup: pc = b and x < 5 --> x := x + 1\n\
             end: pc = b and x = 5 --> pc := c\ninvariant claim: {claim}\n"
        ),
    )
}

/// Clauses with a summary: the sum of the first numbers.
fn clauses(claim: &str) -> Loaded {
    read(
        "chc",
        &format!(
            "(set-logic HORN)\n(declare-fun sum (Int Int) Bool)\n(declare-fun twice (Int Int) Bool)\n\
             (assert (sum 0 0))\n\
             (assert (forall ((n Int) (s Int)) (=> (and (sum n s) (< n 4)) (sum (+ n 1) (+ s n 1)))))\n\
             (assert (forall ((n Int) (s Int) (t Int)) (=> (and (sum n s) (sum n t)) (twice n (+ s t)))))\n\
             (assert (forall ((n Int) (s Int)) (=> (and (twice n s) (not {claim})) false)))\n(check-sat)\n"
        ),
    )
}

/// Clauses as compilers write them: blocks, records with money that decides nothing, and a contract
/// about which everything is true.
fn contract(claim: &str) -> Loaded {
    read(
        "chc",
        &format!(
            "(set-logic HORN)\n(declare-datatypes ((State 0)) (((state (money (Array Int Int)) (total Int)))))\n\
             (declare-fun interface (State) Bool)\n(declare-fun header (State Int) Bool)\n\
             (declare-fun body (State Int) Bool)\n\
             (assert (forall ((s State)) (=> (= (select (money s) 2) 4) (interface s))))\n\
             (assert (forall ((s State) (t State)) (=> (and (interface s) (>= (total s) 0)\n\
               (= t (state (store (money s) 2 4) (total s)))) (interface t))))\n\
             (assert (forall ((s State)) (=> (interface s) (header s 0))))\n\
             (assert (forall ((s State) (t State) (n Int))\n\
               (=> (and (header s n) (< n 3) (= (total t) (+ (total s) 1))) (body t (+ n 1)))))\n\
             (assert (forall ((s State) (n Int)) (=> (body s n) (header s n))))\n\
             (assert (forall ((s State) (n Int)) (=> (and (header s n) (interface s) (not {claim})) false)))\n"
        ),
    )
}

/// A program with an array.
fn array(claim: &str) -> Loaded {
    read(
        "boogie",
        &format!(
            "procedure main() {{ var a : [int]int; var i : int; a[7] := 1; i := 0;\n\
             while (i < 3) {{ a[i] := 2; i := i + 1; }} assert {claim}; }}"
        ),
    )
}

/// The verdict about the damaged task, told about the task as it was read.
fn told(read: &Task<'_>, pass: &dyn Pass, engine: &str, damage: fn(&mut Model)) -> Option<Verdict> {
    let applied = pass.apply(read).unwrap();
    let mut model = applied.model.clone();
    damage(&mut model);
    let property: Property = applied.property.clone();
    let task = Task::new(read.terms, &model, &property);
    let engine = registry::engine(engine).unwrap();
    let settings = Settings::default();
    let verdict = run_engine(engine.as_ref(), &task, &mut run(&settings)).unwrap();
    claimed(&verdict)?;
    Some(applied.verdict(read.terms, verdict))
}

/// Steps into the error, or into the last location, or all but the first two commands, are
/// forgotten.
fn forget_steps(model: &mut Model) {
    let last = LocationId(model.locations.len() - 1);
    let last = model.location("error").unwrap_or(last);
    match model.is_system() {
        true => model.edges.truncate(2),
        false => model.edges.retain(|e| e.to != last),
    }
}

/// Conditions are forgotten.
fn forget_guards(model: &mut Model) {
    for edge in &mut model.edges {
        edge.command.guards.clear();
    }
}

/// Both kinds of damage lead to wrong verdicts that are not accepted.
fn is_caught(make: fn(&str) -> Loaded, claims: [&str; 2], pass: &dyn Pass, engine: &str) {
    let [right, wrong] = claims;
    for (claim, damage, expected) in [
        (wrong, forget_steps as fn(&mut Model), Claim::Holds),
        (right, forget_guards, Claim::Violated),
    ] {
        let loaded = make(claim);
        let name = loaded.reading.module.properties[0].name.clone();
        let task = task(&loaded, &name);
        let honest = told(&task, pass, engine, |_| {});
        let exactness = pass.apply(&task).unwrap().exactness;
        assert_eq!(exactness, Exactness::Exact, "{}", pass.name());
        // Invariants of some locations only have no way back through every pass.
        if let Some((claim, certificate)) = honest.as_ref().and_then(claimed) {
            assert_ne!(claim, expected, "{}: the claim is as it says", pass.name());
            assert!(accepted(&task, claim, certificate), "{}", pass.name());
        }
        let verdict = told(&task, pass, engine, damage);
        let verdict = verdict.unwrap_or_else(|| panic!("{}: the engine is misled", pass.name()));
        if let Some((claim, certificate)) = claimed(&verdict) {
            assert_eq!(claim, expected, "{}: the damage matters", pass.name());
            let believed = accepted(&task, claim, certificate);
            assert!(!believed, "{}: a wrong verdict is accepted", pass.name());
        }
    }
}

/// Clauses of which one has a function: it counts for proofs only.
fn function_clauses(claim: &str) -> Loaded {
    read(
        "chc",
        &format!(
            "(set-logic HORN)\n(declare-fun f (Int) Int)\n(declare-fun p (Int) Bool)\n\
             (assert (p 0))\n(assert (forall ((x Int)) (=> (p x) (p (f x)))))\n\
             (assert (forall ((x Int)) (=> (and (p x) (< x 4)) (p (+ x 1)))))\n\
             (assert (forall ((x Int)) (=> (and (p x) (not {claim})) false)))\n(check-sat)\n"
        ),
    )
}

#[test]
fn exact_steps() {
    is_caught(
        function_clauses,
        ["(<= x 4)", "(<= x 3)"],
        &ExactSteps,
        "kojak",
    );
    // What holds of a part of the steps says nothing of all.
    let loaded = function_clauses("(<= x 4)");
    let task = task(&loaded, "satisfiable");
    let verdict = told(&task, &ExactSteps, "kojak", |_| {}).unwrap();
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[test]
fn the_program_counter() {
    is_caught(program, ["y = 6", "y = 5"], &PcEncoding, "slab");
}

#[test]
fn error_locations() {
    is_caught(program, ["y = 6", "y = 5"], &ErrorLocation, "kojak");
}

#[test]
fn blocks() {
    let blocks = Pipeline::new()
        .then(ErrorLocation)
        .then(LargeBlocks::default());
    is_caught(program, ["y = 6", "y = 5"], &blocks, "kojak");
    is_caught(
        program,
        ["y = 6", "y = 5"],
        &ErrorGraph::default(),
        "impact",
    );
}

/// A loop, and one that nobody leaves after more than one round, wherever it begins.
fn short_loop(claim: &str) -> Loaded {
    read(
        "imp",
        &format!(
            "var x, y, z : int;\nx := 1;\ny := 0;\nz := 0;\n\
             while (z < 3) {{ z := z + 1; y := y + 1; }}\n\
             while (x != 0) {{ x := 0; y := y + 2; }}\nassert safe: {claim}\n"
        ),
    )
}

#[test]
fn exit_bounds() {
    let bounds = |proofs| ExitBounds {
        backend: &NativeBackend,
        budget: seconds(20),
        most_rounds: 5,
        proofs,
    };
    for proofs in [Proofs::Unrolled, Proofs::Invariants] {
        let pass = Pipeline::new().then(ErrorLocation).then(bounds(proofs));
        is_caught(short_loop, ["y = 5", "y = 4"], &pass, "kojak");
    }
    // The evidence itself is damaged: a round too few, or a location that is said not to matter.
    let loaded = short_loop("y = 5");
    let task = task(&loaded, "safe");
    let pass = Pipeline::new().then(ErrorLocation);
    let pass = pass.then(bounds(Proofs::Unrolled));
    let verdict = told(&task, &pass, "kojak", |_| {}).unwrap();
    let Verdict::Holds(Certificate::Unrolled(honest)) = &verdict else {
        panic!("{verdict:?}")
    };
    let unrolled = |proof: &UnrolledProof| Certificate::Unrolled(Box::new(proof.clone()));
    assert!(accepted(&task, Claim::Holds, &unrolled(honest)));
    let mut damaged = 0;
    for k in 0..honest.changes.len() {
        let mut short = honest.clone();
        let mut cut = honest.clone();
        let GraphChange::Unroll(unrolling) = &mut short.changes[k] else {
            continue;
        };
        unrolling.exits.iter_mut().for_each(|e| e.1 -= 1);
        let head = unrolling.head;
        assert!(!accepted(&task, Claim::Holds, &unrolled(&short)));
        let error = LocationId(task.model.locations.len());
        let mut kept = task.model.loop_heads();
        kept.extend([task.model.entry, error]);
        cut.changes.insert(
            k,
            GraphChange::Cut {
                kept,
                unreached: vec![head],
                harmless: Vec::new(),
            },
        );
        assert!(!accepted(&task, Claim::Holds, &unrolled(&cut)));
        damaged += 1;
    }
    assert!(damaged > 0, "a loop was unrolled");
}

/// Formulas are about infinite paths, and whoever forgets that is caught: the only step to `x = 1`
/// leads to where no path goes on.
#[test]
fn infinite_paths() {
    for (formula, expected) in [("EF x = 1", Claim::Violated), ("AG x = 0", Claim::Holds)] {
        let text = format!(
            "var x : int = 0\ngo: x = 0 --> x := 1\nwait: x = 0 --> x := 0\nctl p: {formula}\n"
        );
        let loaded = read("sct", &text);
        let maximal = task(&loaded, "p");
        let mut module = loaded.reading.module.clone();
        module.use_infinite_paths(&loaded.terms);
        let infinite = Task::new(&loaded.terms, &module.model, &module.properties[0]);
        for engine in ["ctl", "explicit"] {
            let engine = registry::engine(engine).unwrap();
            let settings = Settings::default();
            let honest = engine.run(&infinite, &mut run(&settings)).unwrap();
            let (claim, certificate) = claimed(&honest).unwrap();
            assert_eq!(claim, expected, "{formula}");
            assert!(accepted(&infinite, claim, certificate), "{formula}");
            assert!(!accepted(&maximal, claim, certificate), "{formula}");
            let wrong = engine.run(&maximal, &mut run(&settings)).unwrap();
            let (claim, certificate) = claimed(&wrong).unwrap();
            assert_ne!(claim, expected, "{formula}");
            assert!(accepted(&maximal, claim, certificate), "{formula}");
            assert!(!accepted(&infinite, claim, certificate), "{formula}");
        }
    }
}

/// Freedom of deadlocks as an invariant: `{claim}` is when the last command is possible.
#[test]
fn deadlocks() {
    let make = |claim: &str| {
        read(
            "sct",
            &format!(
                "var x : int = 0\na: x = 0 --> x := 1\nb: x = 1 --> x := 0\nc: x = 1 --> x := x + 1\n\
                 d: {claim} --> x := 0\nctl free: AG EX true\n"
            ),
        )
    };
    is_caught(make, ["x = 2", "x = 3"], &Deadlock, "pdr");
}

#[test]
fn control() {
    let split = ControlSplit::automatic();
    is_caught(
        system,
        ["pc = c => x = 5", "pc = c => x = 4"],
        &split,
        "kojak",
    );
}

#[test]
fn control_in_booleans() {
    let make = |claim: &str| {
        read(
            "chc",
            &format!(
                "(set-logic HORN)\n(declare-fun P (Bool Bool Int) Bool)\n(assert (P false false 0))\n\
                 (assert (forall ((x Int)) (=> (P false false x) (P true false (+ x 2)))))\n\
                 (assert (forall ((x Int)) (=> (P true false x) (P true true (+ x 1)))))\n\
                 (assert (forall ((x Int)) (=> (and (P true true x) (not {claim})) false)))\n(check-sat)\n"
            ),
        )
    };
    let recover = RecoverControl {
        fewest_locations: 1,
        ..RecoverControl::default()
    };
    let pass = Pipeline::new().then(Clauses).then(recover);
    is_caught(make, ["(= x 3)", "(= x 2)"], &pass, "kojak");
}

#[test]
fn clauses_and_premises() {
    is_caught(clauses, ["(<= s 20)", "(<= s 19)"], &Clauses, "horn");
    // Without premises two sums of the same number may differ: only the proof comes back.
    let loaded = clauses("(>= s 0)");
    let task = task(&loaded, "satisfiable");
    let exactness = Linear.apply(&task).unwrap().exactness;
    assert_eq!(exactness, Exactness::AllowsMore);
    let verdict = told(&task, &Linear, "kojak", |_| {}).unwrap();
    if let Some((claim, certificate)) = claimed(&verdict) {
        assert_eq!(claim, Claim::Holds);
        assert!(accepted(&task, claim, certificate));
    }
    let loaded = clauses("(<= s 19)");
    let task = sectile_testkit::driven::task(&loaded, "satisfiable");
    let verdict = told(&task, &Linear, "kojak", forget_steps).unwrap();
    let (claim, certificate) = claimed(&verdict).unwrap();
    assert_eq!(claim, Claim::Holds);
    assert!(!accepted(&task, claim, certificate), "a clause is missing");
}

/// A recursive program by its contract: proofs come back and are checked there, and a run through the
/// contract is believed neither by the pass nor by the checker.
#[test]
fn contracts() {
    let make = |claim: &str| {
        read(
            "boogie",
            &format!(
                "procedure f(n : int) returns (r : int)\n requires n >= 0;\n ensures r >= 0;\n\
                 {{ if (n == 0) {{ r := 0; }} else {{ call r := f(n - 1); }} }}\n\
                 procedure main() {{ var r : int; call r := f(3);\n assert {claim}; }}\n"
            ),
        )
    };
    let (right, wrong) = (make("r >= 0"), make("r == 0"));
    let asked = task(&right, "assert_6");
    let exactness = ByContract.apply(&asked).unwrap().exactness;
    assert_eq!(exactness, Exactness::AllowsMore);
    let verdict = told(&asked, &ByContract, "kojak", |_| {}).unwrap();
    let (claim, certificate) = claimed(&verdict).unwrap();
    assert_eq!(claim, Claim::Holds);
    assert!(accepted(&asked, claim, certificate));
    let asked = task(&wrong, "assert_6");
    let verdict = told(&asked, &ByContract, "kojak", forget_steps).unwrap();
    let (claim, certificate) = claimed(&verdict).unwrap();
    assert_eq!(claim, Claim::Holds);
    assert!(!accepted(&asked, claim, certificate), "a step is missing");
    // What the contract allows, and never happens.
    assert!(matches!(
        told(&asked, &ByContract, "impact", |_| {}),
        Some(Verdict::Unknown(_))
    ));
    let by_contract = asked.by_contract().unwrap();
    let engine = registry::engine("impact").unwrap();
    let settings = Settings::default();
    let run = engine.run(&by_contract, &mut run(&settings)).unwrap();
    let (claim, trace) = claimed(&run).unwrap();
    assert_eq!(claim, Claim::Violated);
    assert!(!accepted(&by_contract, claim, trace));
    let modular = Certificate::Modular(Box::new(trace.clone()));
    assert!(!accepted(&asked, claim, &modular));
}

#[test]
fn slices_and_predicates_that_are_gone() {
    is_caught(contract, ["(<= n 3)", "(<= n 2)"], &Clauses, "horn");
    // Nothing is left of the records, of the contract, and of the block that is used once.
    let loaded = contract("(<= n 3)");
    let applied = Clauses.apply(&task(&loaded, "satisfiable")).unwrap();
    assert_eq!(applied.model.variables.len(), 1);
    assert_eq!(applied.model.edges.len(), 3);
}

#[test]
fn cells_of_arrays() {
    let blocks = Pipeline::new()
        .then(ErrorLocation)
        .then(LargeBlocks::default())
        .then(Cells::default());
    let loaded = array("a[7] == 2");
    let name = loaded.reading.module.properties[0].name.clone();
    let task = task(&loaded, &name);
    let exactness = blocks.apply(&task).unwrap().exactness;
    assert_eq!(exactness, Exactness::AllowsMore, "a pipeline says it too");
    let verdict = told(&task, &blocks, "kojak", forget_steps).unwrap();
    let (claim, certificate) = claimed(&verdict).unwrap();
    assert_eq!(claim, Claim::Holds);
    assert!(!accepted(&task, claim, certificate));
}

/// A number that goes down to 2, from where a last step leads to 0.
fn halved(claim: &str) -> Loaded {
    read(
        "sct",
        &format!(
            "var x : int\ninit x = 40\nhalve: x > 3 --> x := x div 2\n\
             more: x = 3 --> x := 2\nlast: x = 2 --> x := 0\nctl claim: {claim}\n"
        ),
    )
}

#[test]
fn chosen_quotients() {
    is_caught(halved, ["AF x = 0", "AG x > 0"], &Quotients, "ctl");
}

/// The same for any number, by steps that tell even from odd.
fn counted_down(claim: &str) -> Loaded {
    read(
        "sct",
        &format!(
            "var x : int\ninit x > 3\neven: x > 3 and x mod 2 = 0 --> x := x - 2\n\
             odd: x > 3 and x mod 2 = 1 --> x := x - 1\nlast: x = 2 --> x := 0\nctl claim: {claim}\n"
        ),
    )
}

#[test]
fn remainders_of_any_number() {
    is_caught(counted_down, ["AF x = 0", "AG x > 0"], &Residues, "ctl");
}
