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
