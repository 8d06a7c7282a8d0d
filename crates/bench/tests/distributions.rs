//! Random programs have the shapes they should have, and the Boogie front-end reads them all.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use sectile_base::Source;
use sectile_bench::generate::*;
use sectile_frontend::{Frontend, ReadOptions, boogie::Boogie};
use sectile_model::PropertyKind;
use sectile_terms::Terms;
use sectile_testkit::files::shared;

/// Counts of one set of programs.
#[derive(Debug, Default)]
struct Counts {
    programs: usize,
    loops: usize,
    conditionals: usize,
    deepest: usize,
    assignments: usize,
    top: usize,
    top_assignments: usize,
    empty_bodies: usize,
    bodies: usize,
    bounded_loops: usize,
}

fn count(list: &[Statement], depth: usize, in_loop: bool, counts: &mut Counts) {
    counts.deepest = counts.deepest.max(depth);
    for statement in list {
        if depth == 1 {
            counts.top += 1;
        }
        match statement {
            Statement::Assign(target, sum) => {
                counts.assignments += 1;
                counts.top_assignments += usize::from(depth == 1);
                assert!(*target < 4, "the last variable is never assigned");
                assert!((1..=4).contains(&sum.rest.len()));
                if !in_loop {
                    assert_eq!(sum.first, Operand::Variable(*target));
                    assert!(sum.rest.iter().all(|(minus, _)| !minus));
                }
            }
            Statement::If(_, then, otherwise) => {
                counts.conditionals += 1;
                for body in [then, otherwise] {
                    counts.bodies += 1;
                    counts.empty_bodies += usize::from(body.is_empty());
                    count(body, depth + 1, in_loop, counts);
                }
            }
            Statement::While(condition, body) => {
                counts.loops += 1;
                let (Condition::One(first)
                | Condition::Both(first, _)
                | Condition::Either(first, _)) = condition;
                let last = first.right.rest.last().map(|(_, o)| *o);
                let bounded = last == Some(Operand::Constant(100));
                assert_eq!(bounded, !in_loop);
                counts.bounded_loops += usize::from(bounded);
                count(body, depth + 1, true, counts);
            }
        }
    }
}

fn counts(programs: &[Numbered]) -> Counts {
    let mut counts = Counts::default();
    for numbered in programs {
        counts.programs += 1;
        count(&numbered.program.statements, 1, false, &mut counts);
    }
    counts
}

#[test]
fn the_shape_is_the_one_asked_for() {
    for numbered in programs(200, 3) {
        let ProgramSize {
            width,
            height,
            block,
        } = numbered.program.shape;
        assert!((1..=5).contains(&width) && (1..=10).contains(&height));
        assert!((1..=3).contains(&block));
        assert_eq!(numbered.program.statements.len(), height * (block + 1));
        assert_eq!(numbered.program.assertions.len(), ASSERTIONS);
        let mut own = Counts::default();
        count(&numbered.program.statements, 1, false, &mut own);
        assert!(own.deepest <= [2, 2, 3, 3, 4][width - 1], "width {width}");
        let last = numbered.program.statements.chunks(block + 1);
        for group in last {
            let control = !matches!(group.last(), Some(Statement::Assign(..)));
            assert!(control, "a group ends with a control statement");
        }
    }
}

#[test]
fn heights_are_spread_evenly() {
    let heights: Vec<usize> = programs(100, 0)
        .iter()
        .map(|n| n.program.shape.height)
        .collect();
    for height in 1..=10 {
        assert_eq!(heights.iter().filter(|h| **h == height).count(), 10);
    }
}

/// The means lie where those of the hundred programs of the paper lie: 16.7 loops, 16.5
/// conditionals and 41.3 assignments a program, half of what may be an assignment is one, and
/// about a third of the bodies of conditionals is empty.
#[test]
fn the_means_are_those_of_the_known_programs() {
    let counts = counts(&programs(2000, 11));
    let mean = |n: usize| n as f64 / counts.programs as f64;
    let near = |what: &str, found: f64, known: f64, tolerance: f64| {
        assert!(
            (found - known).abs() <= tolerance,
            "{what}: {found} instead of {known}"
        );
    };
    near("loops", mean(counts.loops), 16.7, 3.0);
    near("conditionals", mean(counts.conditionals), 16.5, 3.0);
    near("assignments", mean(counts.assignments), 41.3, 7.0);
    let choices = counts.top as f64 - 5.5 * counts.programs as f64;
    near(
        "assignments of the choices",
        counts.top_assignments as f64 / choices,
        0.5,
        0.03,
    );
    let empty = counts.empty_bodies as f64 / counts.bodies as f64;
    near("empty bodies", empty, 0.30, 0.06);
    let bounded = counts.bounded_loops as f64 / counts.loops as f64;
    near("loops outside of loops", bounded, 0.64, 0.08);
}

/// The same counts on the programs of the paper, where they are present.
#[test]
fn the_known_programs_have_these_means() {
    let Some(folder) = shared("bench/boogie/random") else {
        return;
    };
    let (mut programs, mut loops, mut conditionals, mut assignments) = (0.0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        programs += 1.0;
        loops += text.matches("while (").count();
        conditionals += text.matches("if (").count();
        assignments += text.matches(":=").count();
    }
    assert!((loops as f64 / programs - 16.7).abs() < 0.1);
    assert!((conditionals as f64 / programs - 16.5).abs() < 0.1);
    assert!((assignments as f64 / programs - 41.3).abs() < 0.1);
}

#[test]
fn the_same_seed_gives_the_same_programs() {
    let texts = |seed| -> Vec<String> { programs(30, seed).into_iter().map(|n| n.text).collect() };
    assert_eq!(texts(5), texts(5));
    assert_ne!(texts(5), texts(6));
    let all = texts(5);
    let different: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!(different.len(), 30);
}

#[test]
fn every_program_is_read() {
    let (mut edges, mut statements) = (0, 0);
    for seed in 0..4 {
        for numbered in programs(60, seed) {
            let source = Source::new(numbered.name.clone(), numbered.text);
            let terms = Terms::new();
            let reading = Boogie.read(&terms, &source, &ReadOptions::default());
            let reading = reading.unwrap_or_else(|e| panic!("{}", e.render(&source)));
            assert!(reading.warnings.is_empty());
            let graph = &reading.module.model;
            // Behind a loop that is never left nothing is reached.
            edges += graph.edges.len();
            statements += numbered.program.statements.len();
            assert_eq!(reading.module.properties.len(), ASSERTIONS);
            for property in &reading.module.properties {
                assert!(matches!(&property.kind, PropertyKind::Unreachable(l) if l.len() == 1));
            }
        }
    }
    assert!(
        edges > 2 * statements,
        "{edges} edges of {statements} statements"
    );
}
