//! The runs of graphs are the traces of programs.

use super::{Ending, Semantics, TraceOf, Valuation};
use crate::elaborate::combinations;
use crate::imp::ast::{Block, StatementKind};
use crate::imp::{declare, lower, parser};
use sectile_base::{Rng, Source, Span};
use sectile_model::{Edge, LocationId};
use sectile_terms::{Sort, Symbol, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

const STATES: usize = 6;

struct Program {
    terms: Terms,
    symbols: Vec<Symbol>,
    body: Block,
    expressions: BTreeMap<Span, Term>,
    flow: lower::ControlFlow,
}

fn read(text: &str) -> Program {
    let terms = Terms::new();
    let source = Source::new("test.imp", text);
    let (program, diagnostics, _) = parser::parse(&source);
    assert!(!diagnostics.has_errors(), "{}", diagnostics.render(&source));
    let options = crate::ReadOptions::default();
    let mut declared = declare::declare(&terms, &program, &options, diagnostics);
    let body = program.body;
    let flow = lower::lower(&mut declared, &source, &body, Span::default());
    let mut expressions = BTreeMap::new();
    body.for_each_statement(&mut |s| {
        let sort = match s.kind {
            StatementKind::Assign(..) => Sort::Int,
            _ => Sort::Bool,
        };
        for e in s.expressions() {
            expressions.extend(declared.elaborator().expect(e, sort).map(|t| (e.span, t)));
        }
    });
    let messages = declared.diagnostics.render(&source);
    assert!(!declared.diagnostics.has_errors(), "{messages}");
    let symbols = [&declared.model.variables[..], &declared.model.rigid[..]].concat();
    drop(declared);
    Program {
        symbols,
        body,
        expressions,
        flow,
        terms,
    }
}

impl Program {
    fn semantics(&self) -> Semantics<'_> {
        Semantics {
            terms: &self.terms,
            expressions: &self.expressions,
            choices: numbers(0..=1),
            most_states: STATES,
        }
    }

    /// All states over a small domain.
    fn starts(&self) -> Vec<Valuation> {
        let values = combinations(self.symbols.iter().map(|_| numbers(-1..=1))).into_iter();
        let state = |values: Vec<Value>| self.symbols.iter().copied().zip(values).collect();
        values.map(state).collect()
    }

    fn end(&self) -> LocationId {
        LocationId(self.flow.locations.len() - 1)
    }

    /// The sequences of states of the graph's runs, a state for the start and one more for every
    /// assignment; with whether they end at the end of the program, in a failed test, or go on.
    fn runs(&self, start: &Valuation) -> BTreeSet<TraceOf> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(LocationId(0), vec![start.clone()])];
        let ends = |states, ending| TraceOf { states, ending };
        while let Some((here, states)) = open.pop() {
            if !seen.insert((here, states.clone())) {
                continue;
            }
            if here == self.end() {
                found.insert(ends(states, Ending::Terminates));
                continue;
            }
            let leaving = self.flow.edges.iter().filter(|e| e.from == here);
            let moves: Vec<_> = leaving.flat_map(|e| self.along(e, &states)).collect();
            if moves.is_empty() {
                found.insert(ends(states, Ending::Fails));
                continue;
            }
            open.extend(moves.into_iter().filter(|m| m.1.len() <= STATES));
        }
        found
    }

    /// The ways to go along an edge.
    fn along(&self, edge: &Edge, states: &[Valuation]) -> Vec<(LocationId, Vec<Valuation>)> {
        let semantics = self.semantics();
        let last = &states[states.len() - 1];
        let command = &edge.command;
        let changes = |u: &&sectile_model::Update| u.value != self.terms.var(u.symbol);
        let change = command.updates.iter().find(changes);
        // An assignment `x := x` cannot be told from a test by its updates, but by its name.
        let assigns = command.name.contains(":=");
        let inputs = match command.inputs.first() {
            Some(&input) => numbers(0..=1)
                .into_iter()
                .map(|v| Some((input, v)))
                .collect(),
            None => vec![None],
        };
        let mut found = Vec::new();
        for input in inputs {
            let mut view = last.clone();
            view.extend(input);
            if !command.guards.iter().all(|&g| semantics.holds(g, &view)) {
                continue;
            }
            let mut next = last.clone();
            if let Some(update) = change {
                next.insert(update.symbol, semantics.value(update.value, &view));
            }
            let mut longer = states.to_vec();
            if assigns {
                longer.push(next);
            }
            found.push((edge.to, longer));
        }
        found
    }
}

fn numbers(range: std::ops::RangeInclusive<i64>) -> Vec<Value> {
    range.map(|i| Value::Int(i.into())).collect()
}

fn check(text: &str) {
    let program = read(text);
    for start in program.starts() {
        let mut expected = program.semantics().traces(&program.body, &start);
        expected.retain(|t| t.ending != Ending::Cut);
        assert_eq!(program.runs(&start), expected, "from {start:?} in\n{text}");
    }
}

#[test]
fn the_runs_of_the_lecture_programs_are_their_traces() {
    check("i := N; while (0 <= x < N) { i := i - 1; x := x + 1; }");
    check("i := abs(N) + 1; while (0 <= x < N) { i := i - 1; x := x + 1; }");
    check(
        "L := 0; C := 0; while (t > 0) { b := *; if (b >= 1) { L := 1; C := C + 1; } \
         if (C > 0) L := 0; t := t - 1; }",
    );
}

#[test]
fn the_runs_of_awkward_programs_are_their_traces() {
    check("x := 0; { { x := x + 1 }* y := 0; }* z := 1");
    check("while (x > 0) { { x := x - 1 }* }");
    check("while (x > 0) { loop { while (y > 0) y := y - 1 } x := x - 1 }");
    check("if (*) { while (x > 0) x := x - 1 } else { loop { x := x + 1 } } ?x = 0");
    check("if (x > 0) { } else { { } } x := 1; { } skip; assert x = 1; while (*) { }");
    check("if (x = 1) x := 0 else if (x = 0) x := 1 else if (*) x := 5; y := x");
    check("?x > 0; assume y > 0; x := x; y := *; ?y = x");
}

/// On traces that terminate, `while (Q) a` is `(?Q; a)*; ?not Q`.
#[test]
fn a_while_loop_is_a_star_with_tests() {
    let bodies = [
        "x := x - 1",
        "x := x - 1; y := y + 1",
        "if (y > 0) x := x - 1 else x := *",
        "?y > 0; x := x - 1",
        "while (y > 0) y := y - 1; x := x - 1",
        "{ x := x - 1 }* y := 0",
    ];
    for body in bodies {
        let long = read(&format!("y := y; while (x > 0) {{ {body} }}"));
        let star = read(&format!("y := y; {{ ?(x > 0); {body} }}* ?not (x > 0)"));
        let terminating = |p: &Program, start: &Valuation| -> BTreeSet<Vec<Valuation>> {
            let traces = p.semantics().traces(&p.body, start).into_iter();
            let ended = traces.filter(|t| t.ending == Ending::Terminates);
            ended.map(|t| t.states).collect()
        };
        let mut compared = 0;
        for (a, b) in long.starts().iter().zip(star.starts()) {
            let expected = terminating(&long, a);
            compared += expected.len();
            assert_eq!(expected, terminating(&star, &b), "for {body}");
        }
        assert!(compared > 5, "for {body}");
    }
}

#[test]
fn failed_tests_end_in_lambda() {
    let program = read("x := 1; ?x = y; x := 2");
    let start = |y: i64| -> Valuation {
        let values = [Value::Int(0.into()), Value::Int(y.into())];
        program.symbols.iter().copied().zip(values).collect()
    };
    let ends = |y| -> Vec<(usize, Ending)> {
        let traces = program.semantics().traces(&program.body, &start(y));
        traces
            .into_iter()
            .map(|t| (t.states.len(), t.ending))
            .collect()
    };
    assert_eq!(ends(0), [(2, Ending::Fails)]);
    assert_eq!(ends(1), [(3, Ending::Terminates)]);
}

#[test]
fn loops_that_do_not_end_are_cut() {
    for text in ["while (true) x := x + 1", "x := 0; while (true) { skip }"] {
        let program = read(text);
        let start = &program.starts()[0];
        let traces = program.semantics().traces(&program.body, start);
        assert!(traces.iter().all(|t| t.ending == Ending::Cut), "for {text}");
    }
}

/// A random statement; `depth` bounds the nesting.
fn statement(rng: &mut Rng, depth: usize) -> String {
    let variable = |rng: &mut Rng| if rng.chance(1, 2) { "x" } else { "y" };
    let v = variable(rng);
    let condition = match rng.below(4) {
        0 => "*".to_string(),
        1 => format!("{v} > 0"),
        2 => "x = y".to_string(),
        _ => format!("{v} <= 0"),
    };
    let inner = |rng: &mut Rng| {
        let count = rng.below(3);
        let list: Vec<String> = (0..count).map(|_| statement(rng, depth - 1)).collect();
        list.join("; ")
    };
    match rng.below(if depth == 0 { 5 } else { 10 }) {
        0 => format!("{v} := {v} - 1"),
        1 => format!("{v} := 1"),
        2 => format!("{v} := *"),
        3 => format!("?{v} > 0"),
        4 => "skip".to_string(),
        5 => format!("if ({condition}) {{ {} }}", inner(rng)),
        6 => format!(
            "if ({condition}) {{ {} }} else {{ {} }}",
            inner(rng),
            inner(rng)
        ),
        7 => format!("while ({condition}) {{ {} }}", inner(rng)),
        8 => format!("{{ {} }}*", inner(rng)),
        _ => format!("{{ {} }}", inner(rng)),
    }
}

#[test]
fn the_runs_of_random_programs_are_their_traces() {
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let count = 1 + rng.below(3);
        let list: Vec<String> = (0..count).map(|_| statement(&mut rng, 2)).collect();
        check(&format!("x := x; {}", list.join("; ")));
    }
}
