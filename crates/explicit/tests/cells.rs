//! Cells with one state each: every formula about a finite system is decided with evidence, and
//! evidence that was changed is refused.

use crate::zoo;

use sectile_base::Budget;
use sectile_certify::{Claim, Outcome, check};
use sectile_explicit::Explicit;
use sectile_model::{
    Cell, CellClaim, Certificate, CtlProof, Initial, Model, PropertyKind, Task, Verdict,
};
use sectile_solver::{Answer, Solver, SolverError, Undecided};
use sectile_terms::{Term, Terms};
use sectile_testkit::files::root;
use sectile_testkit::models::read;
use sectile_testkit::systems::{HIGH, checked, example, verdict_of};
use sectile_testkit::verdicts::{accepted, claimed, says, settings};
use zoo::naive::{self, Naive};
use zoo::random::{self, Bounds};

/// How many random systems are looked at; `EXPLICIT_CASES` changes it.
fn cases(usual: u64) -> u64 {
    std::env::var("EXPLICIT_CASES").map_or(usual, |n| n.parse().expect("a number"))
}

fn expected(terms: &Terms, model: &Model, found: &Naive, kind: &PropertyKind) -> Claim {
    let holds = match kind {
        PropertyKind::Ctl(f) => {
            let label = found.label(terms, model, f);
            label[..found.initial].iter().all(|&l| l)
        }
        PropertyKind::Invariant(p) => {
            let mut states = 0..found.states.len();
            states.all(|s| found.satisfies(terms, model, *p, s))
        }
        _ => panic!("not generated"),
    };
    if holds { Claim::Holds } else { Claim::Violated }
}

#[test]
fn random_formulas_are_decided_with_evidence() {
    let mut kinds = [0; 3];
    for seed in 0..cases(1500) {
        let mut example = example(seed, seed % 2 == 0);
        let (terms, model) = (&example.terms, &example.model);
        let found = naive::explore(terms, model, 0, HIGH);
        let naive = expected(terms, model, &found, &example.property.kind);
        let verdict = verdict_of(&Explicit, &example.task(), &[]);
        kinds[match &verdict {
            Verdict::Holds(Certificate::Ctl(_)) => 0,
            Verdict::Violated(Certificate::Ctl(_)) => 1,
            _ => 2,
        }] += 1;
        let claim = checked(seed, &mut example, verdict);
        assert_eq!(claim, Some(naive), "seed {seed}");
    }
    assert!(kinds.iter().all(|&n| n > 30), "{kinds:?}");
}

/// Readers can be exchanged, and their counter has infinitely many values: a violation is a run of the system itself,
/// as short as without exchanges.
#[test]
fn violations_are_found_up_to_exchanges_of_processes() {
    let path = root().join("models/protocols/readers-writers.sct");
    let text = std::fs::read_to_string(path).expect("the model is there");
    let model = read("readers.sct", &text, &[("n", "3"), ("bug", "1")]);
    let mut steps = Vec::new();
    for property in &model.reading.module.properties {
        let task = Task::new(&model.terms, &model.reading.module.model, property);
        let verdict = says(&Explicit, &task, &settings(&[("states", "40000")]));
        let (claim, evidence) = claimed(&verdict).expect("it is decided");
        assert_eq!(claim, Claim::Violated, "{}", property.name);
        if let Certificate::Trace(run) = evidence {
            steps.push((property.name.as_str(), run.steps.len()));
        }
    }
    assert_eq!(steps[..2], [("exclusive", 13), ("single", 21)]);
}

/// Commands with inputs, relations and variables that are left open, of all finite types.
#[test]
fn random_systems_are_decided_with_evidence() {
    let mut answers = [0; 2];
    for seed in 0..cases(100) {
        for bounds in [Bounds::Restrict, Bounds::Commands] {
            let terms = Terms::new();
            let module = random::module(&terms, seed, bounds);
            let found = naive::explore(&terms, &module.model, 0, HIGH);
            for property in &module.properties {
                let task = Task {
                    terms: &terms,
                    model: &module.model,
                    property,
                };
                let verdict = says(&Explicit, &task, &settings(&[]));
                let claim = claimed(&verdict).map(|(claim, _)| claim);
                let naive = expected(&terms, &module.model, &found, &property.kind);
                assert_eq!(claim, Some(naive), "seed {seed}: {}", property.name);
                answers[usize::from(naive == Claim::Holds)] += 1;
            }
        }
    }
    assert!(answers.iter().all(|&n| n > 100), "{answers:?}");
}

/// Whoever asks it anything gets no answer.
struct NoSolver;

impl Solver for NoSolver {
    fn push(&mut self) {}

    fn pop(&mut self) {}

    fn assert(&mut self, _: Term) -> Result<(), SolverError> {
        Ok(())
    }

    fn check<'s>(&'s mut self, _: &[Term], _: &Budget) -> Result<Answer<'s>, SolverError> {
        let why = "no solver should be asked".to_string();
        Ok(Answer::Unknown(Undecided::Incomplete(why)))
    }
}

/// A constant, an input, a variable that may become anything, an enumeration, several starts.
const SMALL: &str = "
enum Mode = {off, on, broken}
const n : 1..2
var mode : Mode = off
var x : 0..3
var b : bool = false
switch: mode = off --> mode := on
count:  mode = on and x < n --> x := x + 1
draw:   mode = on --> x := any v where v < 2, b := not b
forget: mode = on and b --> havoc b
fail:   mode = on and x = 2 --> mode := broken
ctl resets: AG (mode = broken or EF (x = 0 and mode = on))
ctl breaks: AF mode = broken
ctl back: AG EF mode = off
ctl nested: EG (AX x < 2) or AG EX x < 3
";

#[test]
fn evidence_is_checked_without_a_solver() {
    let model = read("small.sct", SMALL, &[]);
    let mut cells = 0;
    for property in &model.module().properties {
        let task = model.task_about(property);
        let verdict = says(&Explicit, &task, &settings(&[]));
        let (claim, certificate) = claimed(&verdict).expect("finite systems are decided");
        if let Certificate::Ctl(_) = certificate {
            let budget = Budget::unlimited();
            let outcome = check(&task, claim, certificate, &mut NoSolver, &budget).unwrap();
            assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
            cells += 1;
        }
    }
    assert!(cells >= 3, "{cells}");
}

fn cells(task: &Task<'_>) -> (Claim, CtlProof) {
    match says(&Explicit, task, &settings(&[])) {
        Verdict::Holds(Certificate::Ctl(proof)) => (Claim::Holds, *proof),
        Verdict::Violated(Certificate::Ctl(proof)) => (Claim::Violated, *proof),
        other => panic!("{other:?}"),
    }
}

/// Changes the proof in every way that `change` finds, which is told by a number; each is refused.
fn all_refused(
    task: &Task<'_>,
    what: &str,
    mut change: impl FnMut(&mut CtlProof, usize) -> Option<bool>,
) {
    let (claim, proof) = cells(task);
    let mut refused = 0;
    for number in 0.. {
        let mut changed = proof.clone();
        match change(&mut changed, number) {
            None => break,
            Some(false) => continue,
            Some(true) => {}
        }
        let certificate = Certificate::Ctl(Box::new(changed));
        assert!(!accepted(task, claim, &certificate), "{what} {number}");
        refused += 1;
    }
    assert!(refused > 3, "{what}: {refused}");
}

/// The claims of all parts, counted through.
fn claim_at(proof: &mut CtlProof, mut number: usize) -> Option<(usize, usize)> {
    for (part, list) in proof.claims.iter().enumerate() {
        match number.checked_sub(list.len()) {
            None => return Some((part, number)),
            Some(rest) => number = rest,
        }
    }
    None
}

#[test]
fn changed_evidence_is_refused() {
    let model = read("small.sct", SMALL, &[]);
    let task = model.task("resets");
    all_refused(&task, "a state is another one", |proof, k| {
        let formulas: Vec<Term> = proof.cells.iter().map(|c| c.formula).collect();
        let cell = proof.cells.get_mut(k)?;
        cell.formula = formulas[(k + 1) % formulas.len()];
        Some(true)
    });
    all_refused(&task, "a claim is dropped", |proof, k| {
        let (part, position) = claim_at(proof, k)?;
        proof.claims[part].remove(position);
        Some(true)
    });
    all_refused(&task, "steps are dropped", |proof, k| {
        let cell: &mut Cell = proof.cells.get_mut(k / 8)?;
        let there = k % 8 < cell.successors.len();
        if there {
            cell.successors.remove(k % 8);
        }
        Some(there)
    });
    all_refused(&task, "one step is dropped", |proof, k| {
        let cell: &mut Cell = proof.cells.get_mut(k / 8)?;
        let last = cell.successors.get_mut(k % 8);
        Some(last.is_some_and(|s| s.cells.pop().is_some()))
    });
    all_refused(&task, "a rank is too small", |proof, k| {
        let (part, position) = claim_at(proof, k)?;
        let claim: &mut CellClaim = &mut proof.claims[part][position];
        let positive = claim.rank > 0;
        claim.rank = 0;
        Some(positive)
    });
    all_refused(&task, "a choice leads elsewhere", |proof, k| {
        let count = proof.cells.len();
        let cell = proof.cells.get_mut(k)?;
        let first = cell.choices.first_mut();
        Some(first.is_some_and(|c| {
            c.target = (c.target + 1) % count;
            true
        }))
    });
    all_refused(&task, "a choice is another command", |proof, k| {
        let cell = proof.cells.get_mut(k)?;
        let first = cell.choices.first_mut();
        Some(first.is_some_and(|c| {
            // No other command of the system does the same in the same state.
            c.command = (c.command + 1) % 5;
            c.values.clear();
            true
        }))
    });
    all_refused(&task, "an initial state is dropped", |proof, k| {
        let Initial::All(list) = &mut proof.initial else {
            panic!("it holds");
        };
        (k < list.len()).then(|| list.remove(k)).map(|_| true)
    });
    all_refused(
        &task,
        "a state formula is claimed everywhere",
        |proof, k| {
            let claimed: Vec<usize> = proof.claims[1].iter().map(|c| c.cell).collect();
            let there = k < proof.cells.len() && !claimed.contains(&k);
            proof.claims[1].push(CellClaim {
                cell: k.min(proof.cells.len() - 1),
                rank: 0,
                measures: Vec::new(),
                choices: Vec::new(),
            });
            (k < proof.cells.len()).then_some(there)
        },
    );
}

#[test]
fn a_nested_violation_has_cells() {
    let text = "
var x : 0..3 = 0
a: x = 0 --> x := 1
b: x = 1 --> x := 0
c: x = 0 --> x := 2
d: x = 2 --> x := 3
e: x = 3 --> x := 2
ctl one: AG EF x = 1
ctl two: AG EF x = 1 and AG EF x = 0
ctl three: (EG (AX x = 0)) => x = 1
";
    let model = read("nested.sct", text, &[]);
    for name in ["one", "two"] {
        let (claim, proof) = cells(&model.task(name));
        assert_eq!(claim, Claim::Violated);
        assert_eq!(proof.cells.len(), 3, "0, and 2 and 3 for ever");
    }
    says(&Explicit, &model.task("three"), &settings(&[]));
}

#[test]
fn many_states_are_decided() {
    let text = "
var a, b, c, d, e : 0..7 = 0
a: true --> a := (a + 1) mod 8
b: true --> b := (b + 1) mod 8
c: true --> c := (c + 1) mod 8
d: true --> d := (d + 1) mod 8
e: a = b --> e := (e + 1) mod 8
invariant safe: a + b + c + d + e < 36
ctl home: AG EF (a = 0 and b = 0 and c = 0 and d = 0 and e = 0)
";
    let model = read("many.sct", text, &[]);
    for name in ["safe", "home"] {
        let (claim, proof) = cells(&model.task(name));
        assert_eq!((claim, proof.cells.len()), (Claim::Holds, 8_usize.pow(5)));
    }
}
