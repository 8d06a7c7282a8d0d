//! The trace semantics of programs, straight from its definition, and the comparison of graphs with it.
//!
//! Traces are enumerated from given initial states, over small domains and up to a bound on the
//! number of states: longer ones are cut and marked as such, and so are loops that turn without
//! adding a state.

use super::ast::{Block, Statement, StatementKind};
use super::{declare, lower, parser};
use crate::elaborate::combinations;
use crate::syntax::{Arm, Expr, Name};
use sectile_base::{Rng, Source, Span};
use sectile_model::{Edge, LocationId};
use sectile_terms::{Sort, Stage, Symbol, Term, Terms, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// A state: the values of all variables and constants.
type Valuation = BTreeMap<Symbol, Value>;

/// How a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    /// In its last state.
    Terminates,
    /// In a failed test, the state written as a capital lambda.
    Fails,
    /// It goes on: the bound was reached, or nothing will ever change.
    Cut,
}

/// A trace: at least one state, and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TraceOf {
    states: Vec<Valuation>,
    ending: Ending,
}

/// Traces with more states are cut.
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
    let parser::Text {
        program,
        diagnostics,
        ..
    } = parser::parse(&source);
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
            if !command.guards.iter().all(|&g| self.holds(g, &view)) {
                continue;
            }
            let mut next = last.clone();
            if let Some(update) = change {
                next.insert(update.symbol, self.value(update.value, &view));
            }
            let mut longer = states.to_vec();
            if assigns {
                longer.push(next);
            }
            found.push((edge.to, longer));
        }
        found
    }

    /// The traces of a program that start in a state.
    ///
    /// Paper: [Fr23, Def. 1].
    fn traces(&self, start: &Valuation) -> BTreeSet<TraceOf> {
        let empty = TraceOf {
            states: vec![start.clone()],
            ending: Ending::Terminates,
        };
        self.sequence(&self.body, empty).into_iter().collect()
    }

    /// `σ ∘ ς` for all given σ: those that terminate go on, the others stay as they are.
    fn then(&self, before: Vec<TraceOf>, run: impl Fn(TraceOf) -> Vec<TraceOf>) -> Vec<TraceOf> {
        let extended = before.into_iter().flat_map(|trace| match trace.ending {
            Ending::Terminates => run(trace),
            Ending::Fails | Ending::Cut => vec![trace],
        });
        let distinct: BTreeSet<TraceOf> = extended.collect();
        distinct.into_iter().collect()
    }

    fn sequence(&self, block: &Block, trace: TraceOf) -> Vec<TraceOf> {
        let statements = block.statements.iter();
        statements.fold(vec![trace], |traces, statement| {
            self.then(traces, |trace| self.statement(statement, trace))
        })
    }

    fn statement(&self, statement: &Statement, trace: TraceOf) -> Vec<TraceOf> {
        let last = &trace.states[trace.states.len() - 1];
        let to = |name: &Name, value: Value| {
            let mut next = last.clone();
            next.insert(self.terms.symbol(&name.text).unwrap(), value);
            self.extend(&trace, next)
        };
        match &statement.kind {
            StatementKind::Assign(name, value) => {
                vec![to(name, self.value(self.expressions[&value.span], last))]
            }
            StatementKind::Havoc(name) => numbers(0..=1).into_iter().map(|v| to(name, v)).collect(),
            StatementKind::Test(q) if self.may(Some(q), true, last) => vec![trace],
            StatementKind::Test(_) => vec![TraceOf {
                ending: Ending::Fails,
                ..trace
            }],
            StatementKind::Assert(..) | StatementKind::Skip => vec![trace],
            StatementKind::If(arms, otherwise) => self.conditional(arms, otherwise.as_ref(), trace),
            StatementKind::While(condition, body) => self.rounds(condition.as_ref(), body, trace),
            StatementKind::Loop(body) => self.rounds(None, body, trace),
            StatementKind::Block(inner) => self.sequence(inner, trace),
        }
    }

    /// Whether a condition may be decided like this; without one, the choice is free.
    fn may(&self, condition: Option<&Expr>, wanted: bool, state: &Valuation) -> bool {
        condition.is_none_or(|q| self.holds(self.expressions[&q.span], state) == wanted)
    }

    fn conditional(
        &self,
        arms: &[Arm<Block>],
        otherwise: Option<&Block>,
        trace: TraceOf,
    ) -> Vec<TraceOf> {
        let last = trace.states[trace.states.len() - 1].clone();
        let mut found = Vec::new();
        for arm in arms {
            if self.may(arm.condition.as_ref(), true, &last) {
                found.extend(self.sequence(&arm.body, trace.clone()));
            }
            if !self.may(arm.condition.as_ref(), false, &last) {
                return found;
            }
        }
        match otherwise {
            Some(block) => found.extend(self.sequence(block, trace)),
            None => found.push(trace),
        }
        found
    }

    /// Zero rounds, finitely many, or as many as the bound allows.
    fn rounds(&self, condition: Option<&Expr>, body: &Block, trace: TraceOf) -> Vec<TraceOf> {
        let mut done = Vec::new();
        let mut seen: BTreeSet<TraceOf> = BTreeSet::new();
        let mut open = vec![trace];
        while let Some(trace) = open.pop() {
            if !seen.insert(trace.clone()) {
                let ending = Ending::Cut;
                done.push(TraceOf { ending, ..trace });
                continue;
            }
            let last = &trace.states[trace.states.len() - 1];
            if self.may(condition, false, last) {
                done.push(trace.clone());
            }
            if !self.may(condition, true, last) {
                continue;
            }
            for next in self.sequence(body, trace) {
                match next.ending {
                    Ending::Terminates => open.push(next),
                    Ending::Fails | Ending::Cut => done.push(next),
                }
            }
        }
        done
    }

    fn extend(&self, trace: &TraceOf, next: Valuation) -> TraceOf {
        let mut trace = trace.clone();
        if trace.states.len() == STATES {
            trace.ending = Ending::Cut;
        } else {
            trace.states.push(next);
        }
        trace
    }

    fn holds(&self, t: Term, state: &Valuation) -> bool {
        self.value(t, state) == Value::Bool(true)
    }

    fn value(&self, t: Term, state: &Valuation) -> Value {
        let value = |symbol: Symbol, _: Stage| state.get(&symbol).cloned();
        evaluate(&self.terms, t, &value).unwrap()
    }
}

fn numbers(range: std::ops::RangeInclusive<i64>) -> Vec<Value> {
    range.map(|i| Value::Int(i.into())).collect()
}

fn check(text: &str) {
    let program = read(text);
    for start in program.starts() {
        let mut expected = program.traces(&start);
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
            let traces = p.traces(start).into_iter();
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
        let traces = program.traces(&start(y));
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
        let traces = program.traces(start);
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
