//! VMT files: annotations, inputs, several properties.

use sectile_base::Source;
use sectile_frontend::vmt::Vmt;
use sectile_frontend::{Frontend, ReadOptions, Reading};
use sectile_model::{Ctl, Edge, Model, PropertyKind};
use sectile_terms::Terms;

fn read(terms: &Terms, text: &str) -> Reading {
    let source = Source::new("test.vmt", text);
    let reading = Vmt.read(terms, &source, &ReadOptions::default());
    reading.unwrap_or_else(|d| panic!("{}", d.render(&source)))
}

fn system(reading: &Reading) -> &Model {
    let model = &reading.module.model;
    assert!(model.is_system());
    model
}

const COUNTER: &str = "
; the next value is declared before its variable
(set-logic QF_LIA)
(declare-fun |x'| () Int)
(declare-fun x () Int)
(declare-fun step () Int)
(define-fun .x () Int (! x :next |x'|))
(define-fun small () Bool (and (<= 1 step) (<= step 2)))
(define-fun .init () Bool (! (= x 0) :init true))
(define-fun .trans () Bool (! (and small (= |x'| (+ x step))) :trans true))
(define-fun .never-negative () Bool (! (>= x 0) :invar-property 0))
(define-fun small-forever () Bool (! (<= x 10) :invar-property 1))
(assert true)
";

#[test]
fn annotations_make_a_system() {
    let terms = Terms::new();
    let reading = read(&terms, COUNTER);
    let system = system(&reading);
    let names: Vec<&str> = system.variables.iter().map(|&v| terms.name(v)).collect();
    assert_eq!(names, ["x"]);
    let [Edge { command: step, .. }] = system.edges.as_slice() else {
        panic!("there is one step");
    };
    assert_eq!(step.inputs.len(), 1, "`step` is chosen");
    assert_eq!((step.updates.len(), step.guards.len()), (1, 2));
    let properties: Vec<&str> = reading
        .module
        .properties
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    assert_eq!(properties, ["never-negative", "small-forever"]);
}

#[test]
fn alternatives_are_steps() {
    let terms = Terms::new();
    let text = COUNTER.replace(
        "(and small (= |x'| (+ x step)))",
        "(and small (or (= |x'| (+ x step)) (and (> x 5) (= |x'| 0))))",
    );
    let reading = read(&terms, &text);
    let names: Vec<&str> = system(&reading)
        .commands()
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(names, ["trans1", "trans2"]);
}

#[test]
fn what_holds_from_some_time_on_is_ctl_where_there_is_one_run() {
    let terms = Terms::new();
    let text = "(declare-fun x () Int)\n(declare-fun y () Int)
(define-fun s () Int (! x :next y))
(define-fun i () Bool (! (= x 5) :init true))
(define-fun t () Bool (! (= y (ite (> x 0) (- x 1) x)) :trans true))
(define-fun p () Bool (! (= x 0) :live-property 0))";
    let reading = read(&terms, text);
    let kind = &reading.module.properties[0].kind;
    assert!(matches!(kind, PropertyKind::Ctl(Ctl::Af(inner)) if matches!(**inner, Ctl::Ag(_))));
}

/// A counter that may fall, with a property.
fn with_property(property: &str) -> String {
    format!(
        "(declare-fun x () Int)\n(declare-fun y () Int)\n(declare-fun go () Bool)
(define-fun s () Int (! x :next y))
(define-fun i () Bool (! (= x 5) :init true))
(define-fun t () Bool (! (= y (ite (and go (> x 0)) (- x 1) x)) :trans true))
{property}"
    )
}

#[test]
fn what_holds_from_some_time_on_has_a_monitor_where_there_are_several_runs() {
    let terms = Terms::new();
    let text = with_property("(define-fun p () Bool (! (= x 0) :live-property 0))");
    let reading = read(&terms, &text);
    let monitored = &reading.module.model.monitored;
    assert_eq!(monitored.len(), 1);
    assert_eq!(monitored[0].0, "p");
}

#[test]
fn formulas_of_linear_time_are_read_also_inside_let() {
    let terms = Terms::new();
    let text = with_property(
        "(define-fun a () Bool (! (ltl.G (=> (> x 3) (ltl.F (<= x 3)))) :ltl-property 0))
(define-fun b () Bool (let ((d (ltl.U (> x 0) (= x 0)))) (! (or d (ltl.G (> x 0))) :ltl-property 1)))
(define-fun c () Bool (ltl.R (> x 9) (<= x 5)))
(define-fun d () Bool (! c :ltl-property 2))",
    );
    let reading = read(&terms, &text);
    let properties = &reading.module.properties;
    let names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "d"]);
    // One path shows that `a` and `d` are false; `b` needs a monitor.
    let monitored = reading.module.model.monitored.iter();
    let monitored: Vec<&str> = monitored.map(|(name, _)| name.as_str()).collect();
    assert_eq!(monitored, ["b"]);
    let PropertyKind::Ctl(Ctl::Aw(..)) = &properties[2].kind else {
        panic!("`a R b` is `b W (a and b)`: {:?}", properties[2].kind);
    };
}

#[test]
fn what_linear_time_does_not_have_is_refused() {
    for (formula, code) in [
        ("(ltl.H (> x 0))", "vmt-unsupported"),
        ("(ltl.G (> y 0))", "vmt-state"),
        ("(ltl.G x)", "smt-sort"),
        ("(ltl.U (> x 0))", "smt-sort"),
        ("(> (ite (ltl.F (= x 0)) 1 x) 0)", "vmt-unsupported"),
    ] {
        let terms = Terms::new();
        let text = format!("(define-fun p () Bool (! {formula} :ltl-property 0))");
        let source = Source::new("test.vmt", with_property(&text));
        let found = Vmt.read(&terms, &source, &ReadOptions::default());
        let found = found.err().map(|d| d.render(&source)).unwrap_or_default();
        assert!(found.contains(code), "{formula}: {found}");
    }
    let terms = Terms::new();
    let text = with_property("(define-fun p () Bool (! (ltl.G (> x 0)) :invar-property 0))");
    let source = Source::new("test.vmt", text);
    assert!(Vmt.read(&terms, &source, &ReadOptions::default()).is_err());
}
