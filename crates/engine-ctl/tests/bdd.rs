//! Decision diagrams: verdicts agree with explicit search, and the checker believes no set that is wrong.

use sectile_base::Rng;
use sectile_certify::Claim;
use sectile_driver::CheckOptions;
use sectile_engine_ctl::DecisionDiagrams;
use sectile_model::{
    Certificate, Diagram, DiagramNode, DiagramProof, LocationId, NormalCtl, State, Verdict,
};
use sectile_report::{PropertyReport, Status};
use sectile_terms::Value;
use sectile_testkit::driven::{options, read, report};
use sectile_testkit::systems::{Example, HIGH, checked, example, verdict_of};
use sectile_testkit::verdicts::accepted;

#[test]
fn verdicts_agree_with_explicit_search_and_have_evidence() {
    let (mut holds, mut violated) = (0, 0);
    for seed in 0..1500 {
        let mut example = example(seed, seed % 2 == 0);
        // Among the reached states, and among all.
        let reach = if seed % 4 < 2 { "true" } else { "false" };
        let verdict = verdict_of(&DecisionDiagrams, &example.task(), &[("reach", reach)]);
        match checked(seed, &mut example, verdict) {
            Some(Claim::Holds) => holds += 1,
            Some(Claim::Violated) => violated += 1,
            None => panic!("seed {seed} is not decided"),
        }
    }
    assert!(
        holds > 200 && violated > 200,
        "{holds} hold, {violated} are violated"
    );
}

/// A diagram over the variables of a random example, with random sets for the parts of its formula.
fn random_proof(example: &Example, claim: Claim, rng: &mut Rng) -> DiagramProof {
    let variables = &example.model.variables;
    let mut diagram = Diagram::default();
    for &variable in variables.iter().rev() {
        for _ in 0..3 {
            let known = (diagram.nodes.len() + Diagram::FIRST) as u64;
            let values: Vec<Value> = match example.terms.name(variable) {
                "b" => vec![Value::Bool(false), Value::Bool(true)],
                _ => (0..=HIGH).map(|k| Value::Int(k.into())).collect(),
            };
            let children = values.into_iter().map(|v| {
                let child = match rng.chance(1, 2) {
                    true => Diagram::ALL,
                    false => rng.below(known) as usize,
                };
                (v, child)
            });
            let children = children.collect();
            diagram.add(DiagramNode { variable, children });
        }
    }
    let all = diagram.nodes.len() + Diagram::FIRST;
    let kind = &example.property.kind;
    let formula = NormalCtl::of_property(&example.terms, kind, claim == Claim::Holds)
        .expect("it has a normal form");
    let mut set = || match rng.chance(1, 2) {
        true => Diagram::ALL,
        false => rng.below(all as u64) as usize,
    };
    let sets = formula.parts.iter().map(|_| set()).collect();
    let initial = (claim == Claim::Violated).then(|| {
        let values = vec![
            Value::Bool(rng.chance(1, 2)),
            Value::Int(rng.range(0..=HIGH).into()),
            Value::Int(rng.range(0..=HIGH).into()),
        ];
        let location = LocationId(0);
        (Vec::new(), State { location, values })
    });
    DiagramProof {
        diagram,
        sets,
        initial,
    }
}

#[test]
fn no_diagrams_prove_what_is_wrong() {
    let mut rng = Rng::new(5);
    let mut tried = 0;
    for seed in 0..1200 {
        let example = example(seed, seed % 2 == 0);
        let wrong = match example.expected {
            Claim::Holds => Claim::Violated,
            Claim::Violated => Claim::Holds,
        };
        for _ in 0..20 {
            let proof = random_proof(&example, wrong, &mut rng);
            let certificate = Certificate::Diagrams(Box::new(proof));
            tried += 1;
            assert!(
                !accepted(&example.task(), wrong, &certificate),
                "seed {seed}: {:?}",
                example.property.kind
            );
        }
    }
    assert_eq!(tried, 24_000);
}

/// Sets that were made larger by one value prove what is right, or nothing.
#[test]
fn damaged_sets_are_refused_or_prove_what_is_right() {
    let mut refused = 0;
    for seed in 0..400 {
        let mut example = example(seed, false);
        let (claim, certificate) = match verdict_of(&DecisionDiagrams, &example.task(), &[]) {
            Verdict::Holds(c) => (Claim::Holds, c),
            Verdict::Violated(c) => (Claim::Violated, c),
            Verdict::Unknown(why) => panic!("seed {seed}: {why:?}"),
        };
        let Certificate::Diagrams(mut proof) = certificate else {
            continue;
        };
        let nodes = proof.diagram.nodes.len() as u64;
        if nodes == 0 {
            continue;
        }
        let node = &mut proof.diagram.nodes[example.rng.below(nodes) as usize];
        node.children.iter_mut().for_each(|c| c.1 = Diagram::ALL);
        let certificate = Certificate::Diagrams(proof);
        refused += u32::from(!accepted(&example.task(), claim, &certificate));
    }
    assert!(refused > 50, "only {refused} were refused");
}

fn says(text: &str) -> PropertyReport {
    let options: CheckOptions = options("bdd", 60, Default::default());
    report(&read("sct", text), &options)
}

#[test]
fn numbers_without_a_range_get_the_values_they_reach() {
    let text = "var x : int = 5\nvar y : int = 0\nup: y < 5 --> y := y + 1, x := x - 2\n";
    let holds = says(&format!("{text}invariant i: x >= -5"));
    assert_eq!(holds.status, Status::Holds);
    let violated = says(&format!("{text}invariant i: x >= -4"));
    assert_eq!(violated.status, Status::Violated);
    let ctl = says(&format!("{text}ctl f: AF AG x = -5"));
    assert_eq!(ctl.status, Status::Holds);
}

#[test]
fn numbers_that_grow_for_ever_are_left_to_others_unless_they_do_not_matter() {
    let text = "var t : int = 0\nvar b : bool = false\nstep: true --> t := t + 1, b := not b\n";
    let unknown = says(&format!("{text}invariant i: t >= 0"));
    assert_eq!(unknown.status, Status::Unknown);
    assert!(unknown.reached.contains("`t`"), "{}", unknown.reached);
    let holds = says(&format!("{text}ctl f: AG (AF b and AF not b)"));
    assert_eq!(holds.status, Status::Holds);
}

#[test]
fn what_starts_with_any_number_is_left_to_others() {
    let unknown = says("var x : int\nstep: x > 0 --> x := x - 1\ninvariant i: x < 10\n");
    assert_eq!(unknown.status, Status::Unknown);
}

#[test]
fn values_that_are_chosen_in_steps_are_found_again() {
    let text = "var x : 0..9 = 0\nvar sum : int = 0\n\
                relation add any v : int: 0 <= v <= 3 and sum < 8 and x' = v and sum' = sum + v\n";
    let violated = says(&format!("{text}invariant i: not (sum = 10 and x = 3)"));
    assert_eq!(violated.status, Status::Violated);
    let holds = says(&format!("{text}invariant i: sum <= 10"));
    assert_eq!(holds.status, Status::Holds);
}

#[test]
fn numbers_that_a_relation_leaves_open_leave_what_is_looked_at() {
    // What comes next is bounded together, and `x` may be anything then.
    let text = "var a : bool = false\nvar b : bool = false\nvar x : int = 0\n\
                relation turn: (a' or b') and x < 3\nrelation back: (not a' or b) and x' = x\n";
    let ctl = format!("{text}ctl q: AG (a or b or x = 0)");
    assert_eq!(says(&ctl).status, Status::Unknown);
    let violated = format!("{text}invariant i: not (a and b)");
    assert_eq!(says(&violated).status, Status::Violated);
}
