//! The library, as programs of others use it. What its documentation shows is run as doctests.

use crate::common::root;
use sectile::{
    Cancel, Certificate, Certify, Check, Detail, Error, Expr, Judged, Language, Model, Reader,
    System, Type, Verdict, What, certify,
};
use std::time::{Duration, Instant};

#[path = "../examples/evidence.rs"]
#[allow(dead_code)]
mod evidence;
#[path = "../examples/patience.rs"]
#[allow(dead_code)]
mod patience;
#[path = "../examples/ring.rs"]
#[allow(dead_code)]
mod ring;
#[path = "../examples/traffic_light.rs"]
#[allow(dead_code)]
mod traffic_light;

#[test]
fn the_examples_print_what_they_should() {
    let light = traffic_light::report().expect("it runs");
    assert_eq!(
        light,
        "crowd: holds\nsafe: violated\n  \
         start   cars = green, walkers = red, waiting = 0\n  \
         arrive  cars = green, walkers = red, waiting = 1\n  \
         stop    cars = red, walkers = red, waiting = 1\n  \
         walk    cars = red, walkers = green, waiting = 0\n  \
         go      cars = green, walkers = green, waiting = 0\n  \
         `cars = red or walkers = red` is false: cars = green, walkers = green\n"
    );
    let ring = ring::report().expect("it runs");
    assert_eq!(
        ring,
        "2 careful processes: holds\n5 careful processes: holds\n\
         5 careless processes: violated after 3 steps\n"
    );
    let patience = patience::report().expect("it runs");
    assert_eq!(patience, "far: unknown (cancelled)\n");
    let evidence = evidence::report().expect("it runs");
    let (certificate, said) = evidence.split_once("as it is: ").expect("it is said");
    assert!(
        certificate.starts_with("sectile certificate 1\nmodel pool.sct\nparam size = 4\n"),
        "{certificate}"
    );
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(
        said[..2],
        [
            "accepted, never_more holds",
            "longer: accepted, never_more holds"
        ]
    );
    assert!(said[2].starts_with("wrong: refused, "), "{}", said[2]);
    assert_eq!(said[3], "of a larger pool: about size = 4");
}

/// A model that keeps every engine busy.
fn hard() -> Model {
    let reader = Reader::new(Language::Sct).define("n", 7);
    reader
        .open(root().join("models/fischer.sct"))
        .expect("it is a model")
}

#[test]
fn limits_hold_and_the_first_to_be_met_is_the_reason() {
    let model = hard();
    let begun = Instant::now();
    let short = Duration::from_millis(300);
    let outcome = Check::new(&model).timeout(short).run().expect("it runs");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(outcome.verdict(), Verdict::Unknown);
    assert_eq!(outcome.properties()[0].reason(), Some("timeout"));
    assert!(outcome.properties()[0].certificate().is_none());
    assert!(outcome.certificate().is_none());
    let outcome = Check::new(&model).memory(1).run().expect("it runs");
    assert_eq!(outcome.properties()[0].reason(), Some("memory limit"));
}

#[test]
fn one_handle_ends_what_runs_and_what_will() {
    let cancel = Cancel::new();
    let model = hard();
    let later = cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        later.cancel();
    });
    let begun = Instant::now();
    for _ in 0..2 {
        let outcome = Check::new(&model).cancel(&cancel).run().expect("it runs");
        assert_eq!(outcome.properties()[0].reason(), Some("cancelled"));
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
    stopper.join().expect("it ends");
    assert!(cancel.is_cancelled());
    let text = "var x : int = 0\nup: true --> x := x + 1\ninvariant p: x >= 0";
    let model = Model::read(Language::Sct, text).expect("it is a model");
    let outcome = Check::new(&model).run().expect("it runs");
    let evidence = outcome.certificate().expect("it is decided");
    let certification = Certify::new(&model, evidence).cancel(&cancel);
    let certification = certification.run().expect("it runs");
    assert!(!certification.is_accepted(), "nothing was looked at");
}

#[test]
fn models_can_be_sent_to_other_threads() {
    fn sendable<T: Send>(_: &T) {}
    fn shareable<T: Sync>(_: &T) {}
    let model = Model::open(root().join("models/bakery.sct")).expect("it is a model");
    sendable(&model);
    shareable(&Cancel::new());
    let outcome = std::thread::spawn(move || Check::new(&model).run())
        .join()
        .expect("it ends")
        .expect("it runs");
    sendable(&outcome);
    shareable(&outcome);
    assert_eq!(outcome.verdict(), Verdict::Holds);
}

#[test]
fn the_certificate_is_that_of_the_command_line() {
    let file = root().join("models/bakery.sct");
    let model = Model::open(&file).expect("it is a model");
    let outcome = Check::new(&model).run().expect("it runs");
    let name = file.to_string_lossy();
    let certificate = outcome.certificate().expect("it is decided");
    let kept = crate::common::temporary("library.cert", certificate.as_str());
    let ran = crate::common::sectile(&["certify", &name, &kept.to_string_lossy()]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("mutex: accepted (holds"), "{}", ran.out);
    assert_eq!(outcome.properties()[0].certificate(), outcome.certificate());
    let document: serde_json::Value = serde_json::from_str(&outcome.to_json()).expect("it is JSON");
    assert_eq!(document["properties"][0]["verdict"], "holds");
}

#[test]
fn events_are_typed_and_json() {
    let text = "var x, y : int = 0\nup: x < 5 --> x := x + 1, y := y + 2\ninvariant p: y = 2 * x";
    let model = Model::read(Language::Sct, text).expect("it is a model");
    let mut decided = Vec::new();
    let mut lines = Vec::new();
    let outcome = Check::new(&model)
        .engine("slab")
        .detail(Detail::Pictures)
        .observe(|event| {
            lines.push(event.to_json());
            if let What::Decided { property, verdict } = event.what() {
                decided.push(format!("{property} {verdict}"));
            }
        })
        .run()
        .expect("it runs");
    assert_eq!(outcome.verdict(), Verdict::Holds);
    assert_eq!(decided, ["p holds"]);
    let kinds = lines.iter().map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        event["event"].as_str().map(ToString::to_string)
    });
    let kinds: Vec<_> = kinds.flatten().collect();
    assert_eq!(kinds.len(), lines.len());
    assert!(kinds.contains(&"picture".to_string()), "{kinds:?}");
}

#[test]
fn requests_without_sense_are_told() {
    let text = "var x : int = 0\nup: true --> x := x + 1\ninvariant p: x >= 0";
    let model = Model::read(Language::Sct, text).expect("it is a model");
    let wrong = [
        Check::new(&model).property("q").run(),
        Check::new(&model).engine("none").run(),
        Check::new(&model).solver("no such program").run(),
    ];
    for outcome in wrong {
        assert!(matches!(outcome, Err(Error::Request(_))), "{outcome:?}");
    }
    let outcome = Check::new(&model).predicates("y > 0").run();
    assert!(matches!(outcome, Err(Error::Input(_))), "{outcome:?}");
    let clauses = "(set-logic HORN)\n(check-sat)\n";
    let read = Reader::new(Language::Chc).termination().read(clauses);
    assert!(matches!(read, Err(Error::Request(_))), "{read:?}");
    let read = Reader::new(Language::Sct).define("n", 1).read(text);
    assert!(matches!(read, Err(Error::Input(_))), "{read:?}");
    assert!("latin".parse::<Language>().is_err());
    assert!(Model::open("no such file.sct").is_err());
}

#[test]
fn termination_and_infinite_paths_are_read_as_on_the_command_line() {
    let text = "var x : int = 5\ndown: x > 0 --> x := x - 1\nctl moves: AG EX true";
    let ends = Reader::new(Language::Sct).termination().read(text);
    let ends = ends.expect("it is a model");
    assert_eq!(ends.properties().collect::<Vec<_>>(), ["terminates"]);
    let outcome = Check::new(&ends).run().expect("it runs");
    assert_eq!(outcome.verdict(), Verdict::Holds);
    let finite = Model::read(Language::Sct, text).expect("it is a model");
    let outcome = Check::new(&finite).run().expect("it runs");
    assert_eq!(outcome.verdict(), Verdict::Violated);
    let infinite = Reader::new(Language::Sct).infinite_paths().read(text);
    let infinite = infinite.expect("it is a model");
    let outcome = Check::new(&infinite).run().expect("it runs");
    assert_eq!(outcome.verdict(), Verdict::Holds);
}

#[test]
fn horn_clauses_are_satisfiable_if_their_property_holds() {
    let clauses = |bound: u32| {
        format!(
            "(set-logic HORN)\n(declare-fun p (Int) Bool)\n\
             (assert (forall ((x Int)) (=> (= x 0) (p x))))\n\
             (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))\n\
             (assert (forall ((x Int)) (=> (and (p x) (> x {bound})) false)))\n(check-sat)\n"
        )
    };
    for (bound, verdict) in [(5, Verdict::Holds), (4, Verdict::Violated)] {
        let model = Model::read(Language::Chc, clauses(bound)).expect("they can be read");
        let outcome = Check::new(&model).run().expect("it runs");
        assert_eq!(outcome.verdict(), verdict);
        let evidence = outcome.certificate().expect("it is decided");
        let certification = certify(&model, evidence).expect("it runs");
        assert!(certification.is_accepted(), "{certification:?}");
    }
}

#[test]
fn evidence_is_refused_where_it_shows_nothing() {
    let text = "param n = 3\nvar x : int = 0\nup: x < n --> x := x + 1\ninvariant p: x <= n";
    let model = Model::read(Language::Sct, text).expect("it is a model");
    let empty = certify(
        &model,
        &Certificate::from("sectile certificate 1\n".to_string()),
    );
    assert!(matches!(empty, Err(Error::Input(_))), "{empty:?}");
    let about = |lines: &str| Certificate::from(format!("sectile certificate 1\n{lines}"));
    let claim = "property p\nviolated\nstate\n  x = 0\n";
    let certification = certify(&model, &about(claim)).expect("it is a certificate");
    assert!(matches!(
        certification.judgements()[0].judged,
        Judged::Refused { .. }
    ));
    assert_eq!(certification.verdict_of("p"), Verdict::Unknown);
    let other = "param m = 3\nproperty p\nholds\ninvariant\n  x <= 3\n";
    let certification = certify(&model, &about(other)).expect("it is a certificate");
    assert!(!certification.is_accepted());
    assert_eq!(certification.differing()[0].model, None);
    let unknown = certify(&model, &about("property q\nholds\ninvariant\n  true\n"));
    assert!(matches!(unknown, Err(Error::Input(_))), "{unknown:?}");
}

#[test]
fn built_models_are_texts_that_can_be_read_again() {
    let mut system = System::new();
    let pc = system.var("the counter", Type::of_names(["not yet", "done"]));
    let cells = system.var("cells", Type::array(Type::Int, Type::Int));
    let x = system.var("x", Type::Range(-2, 7));
    let limit = system.constant("limit", Type::Int);
    system.assume(limit.ge(3) & limit.le(5));
    system.init(
        pc.equals(Expr::name("not yet")) & x.equals(-2) & cells.equals(Expr::text("[int -> 0]")),
    );
    system.restrict(x.differs(7));
    system
        .step("var")
        .when(pc.equals(Expr::name("not yet")))
        .when(x.lt(&limit))
        .set("x", &x + 1)
        .set("cells", cells.with(&x, &limit));
    system
        .step("end")
        .when(x.ge(&limit))
        .set("the counter", Expr::name("done"))
        .havoc("x");
    system.step("wait");
    system.invariant(
        "bounded",
        pc.equals(Expr::name("not yet")).implies(x.le(&limit)),
    );
    system.error("large", cells.at(0).gt(&limit));
    let text = system.text();
    let model = system.model_named("built.sct").expect("it is a model");
    assert_eq!(model.text(), text);
    let again = Model::read(Language::Sct, text).expect("it is a model");
    for model in [model, again] {
        let outcome = Check::new(&model).run().expect("it runs");
        assert_eq!(outcome.verdict(), Verdict::Holds, "{}", outcome.to_json());
        let evidence = outcome.certificate().expect("it is decided");
        let certification = certify(&model, evidence).expect("it runs");
        assert!(certification.is_accepted(), "{certification:?}");
    }
}

#[test]
fn names_that_cannot_be_written_are_refused() {
    for wrong in ["", "a`b", "a\nvar b : int", "a\rb"] {
        let mut systems = [System::new(), System::new(), System::new(), System::new()];
        systems[0].var(wrong, Type::Int);
        systems[1].var("x", Type::of_names(["y", wrong]));
        systems[2].var("x", Type::Int);
        systems[2].step("s").set(wrong, 1);
        systems[3].var("x", Type::Int);
        systems[3].invariant(wrong, true);
        for system in systems {
            let model = system.model();
            assert!(
                matches!(model, Err(Error::Request(_))),
                "{wrong:?} {model:?}"
            );
        }
    }
    let mut system = System::new();
    system.var("x", Type::Int);
    system.invariant("p", Expr::name("y"));
    let Err(Error::Input(message)) = system.model() else {
        panic!("there is no such variable")
    };
    assert!(message.contains("<system>:2:"), "{message}");
}
