//! Goals that can always be reached: verdicts agree with explicit search, and where numbers grow for ever there
//! is evidence, too.

use sectile_certify::{Claim, Outcome};
use sectile_engine_ctl::Plans;
use sectile_model::{Certificate, Ctl, CtlProof, PropertyKind, Verdict};
use sectile_terms::Term;
use sectile_testkit::models::{Read, read};
use sectile_testkit::systems::{Example, checked, example, verdict_of};
use sectile_testkit::verdicts::outcome;

/// The same random system with another formula, made of conditions of its commands.
fn with_goal(seed: u64) -> Example {
    let Example {
        terms, model, rng, ..
    } = example(seed, seed.is_multiple_of(2));
    let guards = model.commands().flat_map(|c| &c.guards);
    let guards: Vec<Term> = guards.chain(&model.init).copied().collect();
    let (first, last) = (guards[0], guards[guards.len() - 1]);
    let goal = || Box::new(Ctl::Ef(Box::new(Ctl::State(last))));
    let body = match seed % 3 {
        0 => *goal(),
        1 => Ctl::Or(Box::new(Ctl::State(terms.not(first))), goal()),
        _ => Ctl::And(goal(), Box::new(Ctl::Ef(Box::new(Ctl::State(first))))),
    };
    let kind = PropertyKind::Ctl(Ctl::Ag(Box::new(body)));
    Example::new(terms, model, kind, rng)
}

#[test]
fn verdicts_agree_with_explicit_search() {
    let (mut proved, mut all) = (0, 0);
    for seed in 0..600 {
        let mut example = with_goal(seed);
        all += usize::from(example.expected == Claim::Holds);
        let verdict = verdict_of(&Plans, &example.task(), &[]);
        assert!(!matches!(verdict, Verdict::Violated(_)), "seed {seed}");
        proved += usize::from(checked(seed, &mut example, verdict).is_some());
    }
    // For the others, clauses of what the model asks exclude too few states.
    assert!(
        all > 300 && proved * 4 > all * 3,
        "{proved} of {all} that hold"
    );
}

/// Who is behind hears the highest term first, and needs some votes in a term of its own.
const TERMS: &str = "
    param n = 3
    process N[i : 1..n] {
      var leads : bool = false
      var term : int = 0
      var votes : 0..n = 0
      lead: votes = n --> leads := true
    }
    raise[i : 1..n]: true --> N[i].term := N[i].term + 1, N[i].votes := 1, N[i].leads := false
    hear[i : 1..n, j : 1..n] when i != j:
      N[i].term < N[j].term --> N[i].term := N[j].term, N[i].votes := 0, N[i].leads := false
    vote[i : 1..n, j : 1..n] when i != j:
      N[j].term < N[i].term and 0 < N[i].votes < n
      --> N[i].votes := N[i].votes + 1, N[j].term := N[i].term, N[j].votes := 0, N[j].leads := false
    ctl can: forall i in 1..n: AG EF N[i].leads
    ctl again: AG (N[1].leads => EF N[2].leads)
    ctl never: AG EF (N[1].term < 0)
";

fn proof(model: &Read, property: &str) -> CtlProof {
    match verdict_of(&Plans, &model.task(property), &[]) {
        Verdict::Holds(Certificate::Ctl(proof)) => *proof,
        other => panic!("{property}: {other:?}"),
    }
}

#[test]
fn goals_are_reached_whatever_the_numbers_are() {
    for n in ["2", "3", "4"] {
        let model = read("terms.sct", TERMS, &[("n", n)]);
        for property in ["can", "again"] {
            let proof = proof(&model, property);
            let cells = proof.cells.len();
            assert!(cells < 200, "{cells} cells");
            let whole = Certificate::Ctl(Box::new(proof.clone()));
            let accepted = outcome(&model.task(property), Claim::Holds, &whole);
            assert!(matches!(accepted, Outcome::Accepted { .. }), "{accepted:?}");
            // Without one of its steps a cell of reachable states has states from which none is known.
            let mut wrong = proof;
            wrong.cells[0].choices.truncate(1);
            let claims = wrong.claims.iter_mut().flatten().filter(|c| c.cell == 0);
            claims.for_each(|c| c.choices.retain(|&k| k == 0));
            let wrong = Certificate::Ctl(Box::new(wrong));
            let refused = outcome(&model.task(property), Claim::Holds, &wrong);
            assert!(matches!(refused, Outcome::Refused(_)), "{refused:?}");
        }
        let never = verdict_of(&Plans, &model.task("never"), &[("steps", "4")]);
        assert!(matches!(never, Verdict::Unknown(_)), "{never:?}");
    }
}

/// Some states have no way to the goal, and a clause excludes them all.
#[test]
fn states_that_cannot_be_reached_are_excluded() {
    let text = "var a, b, stuck : bool = false\nvar x : int = 0\n\
                up: not stuck --> a := true, b := true, x := x + 1\n\
                down: not stuck and a and b --> a := false, b := false\n\
                stop: a and not b --> stuck := true\n\
                ctl home: AG EF (not a and not b)\n";
    let model = read("home.sct", text, &[]);
    let proof = proof(&model, "home");
    let whole = Certificate::Ctl(Box::new(proof));
    let accepted = outcome(&model.task("home"), Claim::Holds, &whole);
    assert!(matches!(accepted, Outcome::Accepted { .. }), "{accepted:?}");
}
