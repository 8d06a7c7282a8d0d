//! Exchanges of processes: numbers of representatives, evidence with renamings, and what the
//! checker says to wrong ones.
#![allow(clippy::unwrap_used)]

use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Obligation, Outcome};
use sectile_driver::{Loaded, certificates};
use sectile_engine::{Engine, Event, Interest, Observer, Run};
use sectile_engine_ctl::CtlZones;
use sectile_model::{
    Certificate, CtlProof, Property, PropertyKind, Renaming, Task, Trace, Verdict,
};
use sectile_solver_native::NativeBackend;
use sectile_testkit::driven::{task, zoo};
use sectile_testkit::verdicts::{outcome, run, settings};

/// Remembers the last number of nodes.
#[derive(Default)]
struct Nodes(u64);

impl Observer for Nodes {
    fn event(&mut self, event: &Event) {
        if let Event::Counter {
            name: "nodes",
            value,
        } = event
        {
            self.0 = *value;
        }
    }

    fn interest(&self) -> Interest {
        Interest::Counters
    }
}

fn verdict(task: &Task<'_>, symmetry: &str) -> (Verdict, u64) {
    let settings = settings(&[("symmetry", symmetry)]);
    let mut nodes = Nodes::default();
    let mut run = Run {
        observer: &mut nodes,
        ..run(&settings)
    };
    let verdict = CtlZones.run(task, &mut run).unwrap();
    (verdict, nodes.0)
}

/// All these properties hold, with accepted evidence and this many representatives.
fn holds(model: &str, n: &str, symmetry: &str, expected: &[(&str, u64)]) {
    let loaded = zoo(model, &[("n", n)]);
    for (property, nodes) in expected {
        let task = task(&loaded, property);
        let (found, count) = verdict(&task, symmetry);
        let Verdict::Holds(certificate) = found else {
            panic!("{model} {n} {property}: {found:?}");
        };
        assert_eq!(count, *nodes, "{model} {n} {property}");
        let outcome = outcome(&task, Claim::Holds, &certificate);
        let accepted = matches!(outcome, Outcome::Accepted { .. });
        assert!(accepted, "{model} {n} {property}: {outcome:?}");
    }
}

fn violation(loaded: &Loaded, property: &str) -> Trace {
    let task = task(loaded, property);
    let (found, _) = verdict(&task, "on");
    let Verdict::Violated(certificate) = found else {
        panic!("{property}: {found:?}");
    };
    let outcome = outcome(&task, Claim::Violated, &certificate);
    assert!(
        matches!(outcome, Outcome::Accepted { .. }),
        "{property}: {outcome:?}"
    );
    match certificate {
        Certificate::Trace(trace) => trace,
        other => panic!("{property}: no run: {other:?}"),
    }
}

fn proof(task: &Task<'_>) -> Box<CtlProof> {
    let (found, _) = verdict(task, "on");
    let Verdict::Holds(Certificate::Ctl(proof)) = found else {
        panic!("{}: {found:?}", task.property.name);
    };
    assert!(!proof.images.is_empty(), "processes are exchanged");
    proof
}

/// What the checker says to changed evidence about a task.
fn refused(task: &Task<'_>, proof: Box<CtlProof>) -> (Obligation, String) {
    match outcome(task, Claim::Holds, &Certificate::Ctl(proof)) {
        Outcome::Refused(refusal) => (refusal.obligation, refusal.because),
        other => panic!("it should be refused: {other:?}"),
    }
}

#[test]
fn representatives_are_few() {
    let airport = |nodes: u64| ["p1", "p2", "p3", "p4"].map(|p| (p, nodes));
    let driver = |nodes: u64| ["cdr", "mode1", "sem2"].map(|p| (p, nodes));
    let ticket = |nodes: u64| ["zbound", "mutex", "live"].map(|p| (p, nodes));
    for (n, nodes) in [("2", 5), ("3", 7), ("4", 9), ("6", 13), ("10", 21)] {
        holds("ticket", n, "on", &ticket(nodes));
    }
    for (n, nodes) in [("3", 104), ("4", 216)] {
        holds("airport-ticket", n, "on", &airport(nodes));
        holds("airport-bakery", n, "on", &airport(nodes));
    }
    for (n, nodes) in [("3", 131), ("4", 211)] {
        holds("chardriver", n, "on", &driver(nodes));
    }
}

#[test]
fn six_processes() {
    let some = [("p2", 584), ("p4", 584)];
    holds("airport-ticket", "6", "auto", &some);
    holds("airport-bakery", "6", "auto", &some);
    holds("chardriver", "6", "auto", &[("cdr", 425)]);
}

#[test]
fn a_property_about_one_process_leaves_the_others() {
    holds("airport-ticket", "3", "on", &[("c3live", 282)]);
    holds("airport-bakery", "4", "on", &[("c3live", 720)]);
}

#[test]
fn two_processes_are_not_worth_it_unless_asked_for() {
    holds("airport-ticket", "2", "auto", &[("p1", 73), ("p4", 73)]);
    holds("airport-ticket", "3", "off", &[("p1", 537), ("p4", 537)]);
}

#[test]
fn violations_are_runs_of_the_system() {
    // The runs were replayed; their lengths are those without exchanges.
    let broken = zoo("airport-ticket", &[("n", "3"), ("bug", "1")]);
    assert_eq!(violation(&broken, "mutex").steps.len(), 6);
    let broken = zoo("ticket", &[("n", "4"), ("bug", "1")]);
    assert_eq!(violation(&broken, "zbound").steps.len(), 4);
    let driver = zoo("chardriver", &[("n", "3")]);
    assert_eq!(violation(&driver, "nodeadlock").back_to, None);
    for model in ["airport-ticket", "airport-bakery"] {
        let starving = zoo(model, &[("n", "4")]);
        assert!(violation(&starving, "noc3starve").back_to.is_some());
    }
}

#[test]
fn evidence_with_renamings_is_read_as_it_was_written() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let certificate = Certificate::Ctl(proof(&task(&loaded, "live")));
    let text = certificates::print(&loaded, [("live", Claim::Holds, &certificate)]);
    assert!(text.contains("renaming 0\n") && text.contains(" by 0\n"));
    let source = Source::new("live.cert", text);
    let budget = Budget::unlimited();
    let results = certificates::certify(&loaded, &source, &NativeBackend, &budget);
    let results = results.unwrap_or_else(|_| panic!("it can be read"));
    let outcome = results[0].outcome.clone();
    let accepted = matches!(outcome, Ok(Outcome::Accepted { .. }));
    assert!(accepted, "{outcome:?}");
}

#[test]
fn renamings_must_keep_the_commands() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let task = task(&loaded, "live");
    // Control is exchanged, tickets are not.
    let mut halves = proof(&task);
    for renaming in &mut halves.renamings {
        let name = |s| loaded.terms.name(s);
        renaming
            .pairs
            .retain(|(from, _)| !name(*from).ends_with(".a"));
    }
    let (obligation, because) = refused(&task, halves);
    assert_eq!(obligation, Obligation::Shape);
    assert!(because.contains("does not become a command"), "{because}");
}

#[test]
fn renamings_must_be_bijections_of_variables_of_one_type() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let task = task(&loaded, "live");
    let symbol = |name: &str| loaded.terms.symbol(name).unwrap();
    let wrong = [
        vec![("P[0].pc", "P[1].pc")],
        vec![("P[0].pc", "P[1].pc"), ("P[1].pc", "P[1].pc")],
        vec![("s", "P[0].pc"), ("P[0].pc", "s")],
        vec![("s", "t"), ("t", "s")],
        vec![("s", "t"), ("s", "t"), ("t", "s")],
    ];
    for pairs in wrong {
        let mut changed = proof(&task);
        let pairs = pairs.iter().map(|(a, b)| (symbol(a), symbol(b)));
        changed.renamings[0] = Renaming {
            pairs: pairs.collect(),
        };
        let (obligation, because) = refused(&task, changed);
        assert_eq!(obligation, Obligation::Shape, "{because}");
    }
}

#[test]
fn the_renaming_of_an_image_matters() {
    let loaded = zoo("airport-ticket", &[("n", "3")]);
    let task = task(&loaded, "p4");
    let right = proof(&task);
    for image in 0..right.images.len() {
        let mut changed = right.clone();
        let count = changed.renamings.len();
        let own = changed.images[image].renaming;
        changed.images[image].renaming = (own + 1) % count;
        let (obligation, _) = refused(&task, changed);
        let step = matches!(
            obligation,
            Obligation::CellStep { .. } | Obligation::Claim { .. }
        );
        assert!(step, "{obligation:?}");
    }
}

#[test]
fn images_must_exist() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let task = task(&loaded, "mutex");
    let mut changed = proof(&task);
    changed.images[0].renaming = 1_000;
    assert_eq!(refused(&task, changed).0, Obligation::Shape);
    let mut changed = proof(&task);
    changed.images[0].cell = 1_000;
    assert_eq!(refused(&task, changed).0, Obligation::Shape);
    let mut changed = proof(&task);
    changed.images.clear();
    assert_eq!(refused(&task, changed).0, Obligation::Shape);
}

#[test]
fn a_system_with_one_special_process_has_no_symmetry() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let symmetric = task(&loaded, "mutex");
    let right = proof(&symmetric);
    // The last process does not look at the display; the cells have it first or not at all.
    let mut system = loaded.reading.module.model.clone();
    let command = system.edge_named("P[2].r_cr").unwrap();
    system.edges[command].command.guards.truncate(1);
    system.edges[command].command.guards[0] = loaded.terms.tt();
    let special = Task {
        model: &system,
        ..symmetric
    };
    let (obligation, because) = refused(&special, right);
    assert_eq!(obligation, Obligation::Shape);
    assert!(because.contains("does not become a command"), "{because}");
    // And the engine does not use it: mutual exclusion is lost.
    let (found, _) = verdict(&special, "on");
    let Verdict::Violated(certificate) = found else {
        panic!("{found:?}");
    };
    let outcome = outcome(&special, Claim::Violated, &certificate);
    assert!(matches!(outcome, Outcome::Accepted { .. }), "{outcome:?}");
}

#[test]
fn claims_about_one_process_do_not_carry_over() {
    let loaded = zoo("ticket", &[("n", "3")]);
    let symmetric = task(&loaded, "mutex");
    let right = proof(&symmetric);
    // The cells are those of states in which processes are sorted by their control. That the
    // first one is never the only one in its section is true of them and false of the system.
    let terms = &loaded.terms;
    let pc = |i: usize| terms.var(terms.symbol(&format!("P[{i}].pc")).unwrap());
    let sort = terms.sort(pc(0));
    let sectile_terms::Sort::Enum(id) = sort else {
        panic!("control is an enumeration");
    };
    let inside = |i: usize| terms.eq(pc(i), terms.variant(id, 2));
    let others = terms.or([inside(1), inside(2)]);
    let formula = terms.implies(inside(0), others);
    let property = Property {
        name: "first".to_string(),
        kind: PropertyKind::Invariant(formula),
        ..symmetric.property.clone()
    };
    let first = Task {
        property: &property,
        ..symmetric
    };
    let (obligation, _) = refused(&first, right);
    assert!(
        matches!(obligation, Obligation::Claim { .. }),
        "{obligation:?}"
    );
    let (found, _) = verdict(&first, "on");
    assert!(matches!(found, Verdict::Violated(_)), "{found:?}");
}
