//! Running engines, and checking their claims.

use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, Run, Settings, Silent};
use sectile_explicit::{Answer, explore};
use sectile_model::{Certificate, Module, ReasonCode, Task, Verdict};
use sectile_solver::Backend as _;
use sectile_solver_native::NativeBackend;
use sectile_transform::run_engine;
use std::time::Duration;

/// Options of engines.
pub fn settings(list: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    list.iter().for_each(|(n, v)| settings.set(*n, *v));
    settings
}

/// A budget of this many seconds.
pub fn seconds(limit: u64) -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(limit))
}

/// A run with the embedded solver, no limits and a silent observer. Tests change the fields they
/// need: `Run { budget: seconds(20), ..run(&settings) }`.
pub fn run(settings: &Settings) -> Run<'_> {
    Run {
        backend: &NativeBackend,
        budget: Budget::unlimited(),
        seed: 0,
        settings,
        predicates: &[],
        lemmas: &[],
        board: None,
        // It has size zero, so nothing is leaked.
        observer: Box::leak(Box::new(Silent)),
    }
}

/// The result of checking evidence, with every refutation replayed by the kernel.
pub fn outcome(task: &Task<'_>, claim: Claim, certificate: &Certificate) -> Outcome {
    let mut solver = NativeBackend.certifying_solver(task.terms).unwrap();
    let budget = Budget::unlimited();
    sectile_certify::check(task, claim, certificate, solver.as_mut(), &budget).unwrap()
}

/// Whether the checker accepts evidence.
pub fn accepted(task: &Task<'_>, claim: Claim, certificate: &Certificate) -> bool {
    matches!(outcome(task, claim, certificate), Outcome::Accepted { .. })
}

/// The claim with its evidence; none for an unknown verdict.
pub fn claimed(verdict: &Verdict) -> Option<(Claim, &Certificate)> {
    match verdict {
        Verdict::Holds(c) => Some((Claim::Holds, c)),
        Verdict::Violated(c) => Some((Claim::Violated, c)),
        Verdict::Unknown(_) => None,
    }
}

/// Runs an engine on a task that it takes; its claim must pass the checker.
pub fn decide(engine: &dyn Engine, task: &Task<'_>, mut run: Run<'_>) -> Verdict {
    let verdict = run_engine(engine, task, &mut run).unwrap();
    let refused = matches!(&verdict, Verdict::Unknown(u) if u.code == ReasonCode::Unsupported);
    assert!(!refused, "{verdict:?}");
    if let Some((claim, certificate)) = claimed(&verdict) {
        let outcome = outcome(task, claim, certificate);
        assert!(
            matches!(outcome, Outcome::Accepted { .. }),
            "{outcome:?} {certificate:?}"
        );
    }
    verdict
}

/// The verdict of an engine within a minute, checked.
pub fn says(engine: &dyn Engine, task: &Task<'_>, settings: &Settings) -> Verdict {
    let budget = seconds(60);
    decide(
        engine,
        task,
        Run {
            budget,
            seed: 1,
            ..run(settings)
        },
    )
}

/// The verdict of explicit search, and the number of states.
pub fn explored(task: &Task<'_>) -> (Claim, usize) {
    let module = Module {
        model: task.model.clone(),
        properties: vec![task.property.clone()],
        parameters: Vec::new(),
        expectations: Vec::new(),
        state_spaces: Vec::new(),
    };
    let found = explore(
        task.terms,
        &module,
        &Default::default(),
        &Budget::unlimited(),
    );
    let found = found.unwrap();
    let claim = match found.properties[0].answer {
        Answer::Holds => Claim::Holds,
        Answer::Violated => Claim::Violated,
        other => panic!("explicit search says {other:?}"),
    };
    (claim, found.states)
}
