//! What maps in Boogie programs mean: programs are run many times with values by chance.
//!
//! Every program says in comments which of its claims fail: `// fails` on the line of the claim.

#![allow(clippy::unwrap_used)]

use crate::support;

use sectile_base::{Rat, Rng, Source};
use sectile_frontend::Reading;
use sectile_model::{Command, LocationId, Model, PropertyKind};
use sectile_terms::{
    ArrayValue, NativePrinter, Sort, Stage, Symbol, Term, Terms, Value, display_sort, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};
use support::{files, read, read_source};

type State = BTreeMap<Symbol, Value>;

/// Runs programs with values by chance.
struct Runner<'r> {
    terms: &'r Terms,
    graph: &'r Model,
    rng: Rng,
}

impl Runner<'_> {
    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.rng.chance(1, 2)),
            Sort::Int => Value::Int(self.rng.range(-1..=2).into()),
            Sort::Real => {
                let halves = Rat::from(self.rng.range(-1..=2));
                Value::Real(&halves / &Rat::from(2))
            }
            Sort::Enum(_) => panic!("programs have no enumerations"),
            Sort::Array(id) => {
                let (index, element) = self.terms.array_parts(id);
                let mut array = ArrayValue::filled(id, self.value(element));
                for _ in 0..self.rng.below(3) {
                    let (place, value) = (self.value(index), self.value(element));
                    array = array.with(self.terms, place, value);
                }
                Value::Array(Box::new(array))
            }
        }
    }

    fn any(&mut self, symbol: Symbol) -> Value {
        self.value(self.terms.symbol_sort(symbol))
    }

    fn eval(&self, term: Term, state: &State) -> Value {
        let valuation = |symbol: Symbol, _: Stage| state.get(&symbol).cloned();
        evaluate(self.terms, term, &valuation).unwrap()
    }

    fn holds(&self, conditions: &[Term], state: &State) -> bool {
        let mut values = conditions.iter().map(|&c| self.eval(c, state));
        values.all(|v| v.as_bool().unwrap())
    }

    fn after(&mut self, command: &Command, state: &State) -> State {
        let mut next = state.clone();
        for &symbol in &self.graph.variables {
            let value = match command.update_of(symbol) {
                Some(term) => self.eval(term, state),
                None => self.any(symbol),
            };
            next.insert(symbol, value);
        }
        next
    }

    /// Where one run ends.
    fn run(&mut self, steps: usize) -> LocationId {
        let symbols = self.graph.variables.iter().chain(&self.graph.rigid);
        let symbols: Vec<Symbol> = symbols.copied().collect();
        let mut state: State = symbols.into_iter().map(|s| (s, self.any(s))).collect();
        let mut here = self.graph.entry;
        if !self.holds(&self.graph.restrict, &state) {
            return here;
        }
        for _ in 0..steps {
            let edges = self.graph.edges.iter().filter(|e| e.from == here);
            let enabled = edges.filter(|e| self.holds(&e.command.guards, &state));
            let enabled: Vec<_> = enabled.collect();
            let Some(&edge) = self.rng.pick(&enabled) else {
                break;
            };
            state = self.after(&edge.command, &state);
            here = edge.to;
        }
        here
    }
}

fn graph(reading: &Reading) -> &Model {
    let model = &reading.module.model;
    assert!(!model.is_system(), "a program has locations");
    model
}

fn reading(terms: &Terms, text: &str) -> Reading {
    let source = Source::new("test.bpl", text);
    read_source(terms, &source, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs a program and compares what fails with the comments.
fn check(text: &str) {
    let terms = Terms::new();
    let reading = reading(&terms, text);
    let mut runner = Runner {
        terms: &terms,
        graph: graph(&reading),
        rng: Rng::new(7),
    };
    let ends: BTreeSet<LocationId> = (0..4000).map(|_| runner.run(80)).collect();
    let source = Source::new("test.bpl", text);
    for property in &reading.module.properties {
        let PropertyKind::Unreachable(errors) = &property.kind else {
            panic!("claims are about error locations");
        };
        let line = source.position(property.span.start).line;
        let expected = source.line(line).contains("// fails");
        let violated = errors.iter().any(|e| ends.contains(e));
        assert_eq!(violated, expected, "{} of\n{text}", property.name);
    }
}

/// The body of a procedure with some variables.
fn body(statements: &str) {
    check(&format!(
        "var g, h : [int]int;\nprocedure main(i : int, j : int)\nmodifies g, h;\n{{\n  \
         var a, b : [int]int;\n  var m, n : [int][int]int;\n  var f, e : [bool]int;\n  \
         var q : [real]bool;\n  var t : [int, bool]int;\n  var x, y : int;\n{statements}\n}}\n"
    ));
}

#[test]
fn maps_have_any_value_at_the_start() {
    body("assert a[0] == 0; // fails");
    body("assert g == h; // fails");
    body("assert a[i] == a[j]; // fails");
    body("assert i == j ==> a[i] == a[j];");
}

#[test]
fn an_element_is_what_was_written() {
    body("a[i] := 5;\nassert a[i] == 5;\nassert a[j] == 5; // fails");
    body("b := a; a[i] := 5;\nassert i != j ==> a[j] == b[j];\nassert a[j] == b[j]; // fails");
    body("b := a; a[i] := a[i];\nassert a == b;");
    body("b := a; a[i] := 5; a[i] := b[i];\nassert a == b;");
    body("a[i] := 1; a[j] := 2;\nassert a[i] == 1; // fails\nassert a[j] == 2;");
}

#[test]
fn values_are_those_before_the_assignment() {
    body(
        "x := 1; y := 2; a[1] := 10; a[2] := 20;\na[x], x := a[y], a[x];\n\
         assert a[1] == 20 && a[2] == 20 && x == 10;\nassert a[1] == 10; // fails",
    );
    body("a[0] := 0; b[0] := 1;\na, b := b, a;\nassert a[0] == 1 && b[0] == 0;");
    body("x := 0; x, a[x] := 7, 8;\nassert a[0] == 8 && x == 7;\nassert a[7] == 8; // fails");
}

#[test]
fn updates_are_values() {
    body("assert a[i := 3][i] == 3;\nassert a[i := 3][i := 4] == a[i := 4];");
    body("b := a[i := 3];\nassert a == b; // fails\nassert b == a[i := 3];");
    body("assert a[i := 1][j := 2] == a[j := 2][i := 1]; // fails");
    body("assert i != j ==> a[i := 1][j := 2] == a[j := 2][i := 1];");
    body("assert (if i == 0 then a else b)[0 := 9][0] == 9;");
    body("assert a[i := a[j]][j := a[i]][i] == a[j];");
}

#[test]
fn maps_of_maps_and_several_indices() {
    body("n := m; m[i][j] := 5;\nassert m[i][j] == 5;\nassert x != i ==> m[x] == n[x];");
    body("n := m; m[i][j] := 5;\nassert m[i] == n[i]; // fails\nassert m[i] == n[i][j := 5];");
    body("m[i] := n[j];\nassert m[i] == n[j];\nassert m[i][0] == n[i][0]; // fails");
    body("t[i, true] := 4;\nassert t[i, true] == 4;\nassert t[i, false] == 4; // fails");
    body("assert t[i, true := 4] == t[i := t[i][true := 4]];");
    body("m[i], n[j] := n[j], m[i];\nassert m[i][3] == n[j][3]; // fails");
}

#[test]
fn indices_are_of_every_type() {
    body(
        "assume f[true] == e[true];\nassert f == e; // fails\nassume f[false] == e[false];\nassert f == e;",
    );
    body("q[0.5] := true; q[1.0] := false;\nassert q[0.5] && !q[1.0];\nassert q[0.0]; // fails");
    body("f[i == j] := 1;\nassert i == j ==> f[true] == 1;\nassert f[true] == 1; // fails");
    body("a[a[0]] := 3;\nassert a[0] == 3; // fails");
}

#[test]
fn havoc_forgets_a_map_and_keeps_the_rest() {
    body("a[0] := 7; b := a; havoc a;\nassert b[0] == 7;\nassert a[0] == b[0]; // fails");
    check(
        "procedure main() { var a : [int]int where a[0] == 0; var b : [int]int;\n\
         assert a[0] == 0;\na[0] := 1;\nassert a[0] == 1;\nhavoc a;\nassert a[0] == 0;\n\
         assert a[1] == 0; // fails\n}",
    );
}

#[test]
fn old_maps_are_those_at_the_entry() {
    body("g[i] := 5;\nassert old(g)[i] == 5; // fails\nassert old(g[j]) == g[j] || i == j;");
    check(
        "var g : [int]int;\nprocedure write(i : int, v : int)\nmodifies g;\n\
         ensures g == old(g)[i := v];\nensures g == old(g); // fails\n{ g[i] := v; }\n\
         procedure main() modifies g; { g[0] := 1; call write(1, 2);\n\
         assert g[0] == 1 && g[1] == 2; }\n",
    );
}

#[test]
fn maps_are_passed_and_returned() {
    check(
        "procedure with(a : [int]int, i : int) returns (r : [int]int)\n{ r := a[i := 9]; }\n\
         procedure main(a : [int]int) { var b : [int]int; call b := with(a, 3);\n\
         assert b == a[3 := 9];\nassert b == a; // fails\n}",
    );
    check(
        "var g : [int]int;\n\
         procedure unknown(a : [int]int) returns (r : [int]int);\nrequires a[0] == 0; // fails\n\
         modifies g;\nensures r[0] == a[0] && g[0] == 1 && g[1] == old(g)[1];\n\
         procedure main(a : [int]int) modifies g; { var b : [int]int; g[1] := 2;\n\
         call b := unknown(a);\nassert b[0] == 0 && g[1] == 2 && g[0] == 1;\n\
         assert b == a; // fails\n}",
    );
}

#[test]
fn constants_axioms_functions_and_abbreviations() {
    check(
        "type heap = [int]int; type heaps = [bool]heap;\nconst zero : heap;\n\
         axiom zero[0] == 0 && zero[1] == 0;\n\
         function get(h : heaps, b : bool, i : int) returns (int) { h[b][i] }\n\
         function set(h : heap, i : int) returns (heap) { h[i := 1] }\n\
         procedure main(h : heaps) { var k : heaps; k := h[true := zero];\n\
         assert get(k, true, 1) == 0;\nassert get(k, false, 1) == 0; // fails\n\
         assert set(zero, 2)[0] == 0;\nassert set(zero, 2) == zero; // fails\n}",
    );
    check(
        "const unique a, b : [int]int;\nprocedure main() {\nassert a != b;\n\
         assert a[0] != b[0]; // fails\n}",
    );
}

#[test]
fn loops_over_maps() {
    check(
        "procedure main(a : [int]int) { var i : int; var b : [int]int;\n\
         i := 0; while (i < 3) { b[i] := a[i] + 1; i := i + 1; }\n\
         assert b[0] == a[0] + 1 && b[1] == a[1] + 1 && b[2] == a[2] + 1;\n\
         assert b[3] == a[3] + 1; // fails\n}",
    );
}

fn variables(terms: &Terms, reading: &Reading) -> Vec<String> {
    let graph = graph(reading);
    let all = graph.variables.iter().chain(&graph.rigid);
    all.map(|&s| terms.name(s).to_string()).collect()
}

/// What nothing depends on is no variable: not every engine can do with maps.
#[test]
fn maps_that_decide_nothing_are_left_out() {
    let terms = Terms::new();
    let text = "var g, used : [int]int;\nprocedure main(x : int) modifies g; { var a : [int]int;\n\
        havoc a; g[x] := a[x]; a := g;\nassert x == used[0]; // fails\n}";
    let reading = reading(&terms, text);
    assert_eq!(variables(&terms, &reading), ["used", "x"]);
    let known = |text: &str| reading.scope.formula(&terms, &Source::new("p", text));
    assert!(known("used[x] = 1").is_ok());
    assert!(known("g[x] = 1").is_err());
    check(text);
}

/// A number from a map needs the map, even if no condition needs the number.
#[test]
fn maps_that_others_are_made_of_stay() {
    let terms = Terms::new();
    let text = "procedure main(x : int) { var f, g, h : [int]int; var y : int;\n\
        h := g; g := f; y := g[x];\nassert x == 0; // fails\n}";
    let reading = reading(&terms, text);
    assert_eq!(variables(&terms, &reading), ["g", "y", "x", "f"]);
    check(text);
}

/// Conditions and values are printed as certificates have them, and read back as they were.
#[test]
fn formulas_about_maps_are_read_back() {
    let mut count = 0;
    let shared = Terms::new();
    for path in files("good_boogie", "bpl") {
        let terms = if path.ends_with("maps.bpl") {
            &shared
        } else {
            &Terms::new()
        };
        let reading = read(terms, &path, &[]).unwrap();
        let printer = NativePrinter::new(terms);
        for edge in &graph(&reading).edges {
            for &guard in &edge.command.guards {
                let text = printer.print(guard);
                let again = reading.scope.formula(terms, &Source::new("p", &*text));
                let again = again.unwrap_or_else(|d| panic!("{text}: {d:?}"));
                assert_eq!(again, guard, "{text}");
                count += 1;
            }
            for update in &edge.command.updates {
                let text = printer.print(update.value);
                let source = Source::new("p", &*text);
                let again = reading.scope.term(terms, update.symbol, &source);
                let again = again.unwrap_or_else(|d| panic!("{text}: {d:?}"));
                assert_eq!(again, update.value, "{text}");
                count += 1;
            }
        }
    }
    assert!(count > 400, "{count}");
}

/// Values of every sort, as they stand in traces.
#[test]
fn values_of_maps_are_read_back() {
    let terms = Terms::new();
    let text = "procedure main(a : [int]int, b : [bool][int]real, c : [real]bool, d : [int][bool]int)\n\
        { assert a[0] == 0 && b[true][1] == 0.5 && c[0.5] && d[0][true] == 1; }";
    let reading = reading(&terms, text);
    let mut runner = Runner {
        terms: &terms,
        graph: graph(&reading),
        rng: Rng::new(3),
    };
    for &symbol in &runner.graph.rigid {
        for _ in 0..200 {
            let value = runner.any(symbol);
            let shown = sectile_terms::display_value(&terms, &value);
            let source = Source::new("v", &*shown);
            let again = reading.scope.value(&terms, symbol, &source);
            let sort = display_sort(&terms, terms.symbol_sort(symbol));
            let again = again.unwrap_or_else(|d| panic!("{shown} of {sort}: {d:?}"));
            assert_eq!(again, value, "{shown}");
        }
    }
}

/// Procedures that call themselves have summaries about maps.
#[test]
fn summaries_are_about_maps() {
    let terms = Terms::new();
    let text = "var g : [int]int;\n\
        procedure fill(a : [int]int, n : int) returns (r : [int]int) modifies g;\n\
        { var b : [int]int; if (n <= 0) { r := a; } else { g[n] := 0;\n\
        call b := fill(a[n := 1], n - 1); r := b; } }\n\
        procedure ULTIMATE.start() modifies g;\n\
        { var a, b : [int]int; call b := fill(a, 4); assert b[1] == 1; assert g[1] == 0; }\n";
    let reading = reading(&terms, text);
    let model = &reading.module.model;
    let sorts = |name: &str| {
        let parameters = model.variables_at(model.location(name).unwrap()).iter();
        let mut found: Vec<String> = parameters
            .map(|&s| {
                format!(
                    "{} : {}",
                    terms.name(s),
                    display_sort(&terms, terms.symbol_sort(s))
                )
            })
            .collect();
        found.sort_unstable();
        found.join(", ")
    };
    assert_eq!(
        sorts("fill.call"),
        "fill.a : [int]int, g : [int]int, n : int"
    );
    assert_eq!(
        sorts("fill.return"),
        "fill.a : [int]int, fill.old(g) : [int]int, g : [int]int, n : int, r : [int]int"
    );
}

/// Maps that decide nothing are not in the summaries either; those that do are, and have names.
#[test]
fn summaries_leave_out_maps_that_decide_nothing() {
    let text = |claim: &str| {
        format!(
            "var g : [int]int;\n\
             procedure walk(a : [int]int, n : int) returns (r : [int]int) modifies g;\n\
             {{ if (n <= 0) {{ r := a; }} else {{ g[n] := a[0];\n\
             call r := walk(a[n := 1], n - 1); }} }}\n\
             procedure ULTIMATE.start() modifies g;\n\
             {{ var a, b : [int]int; var x : int; call b := walk(a, x); assert {claim}; }}\n"
        )
    };
    let parameters = |claim: &str| {
        let terms = Terms::new();
        let reading = reading(&terms, &text(claim));
        let model = &reading.module.model;
        let found = model.variables_at(model.location("walk.return").unwrap());
        let mut names: Vec<String> = found.iter().map(|&s| terms.name(s).to_string()).collect();
        names.sort_unstable();
        for name in &names {
            let formula = Source::new("p", format!("`{name}` = `{name}`"));
            assert!(reading.scope.formula(&terms, &formula).is_ok(), "{name}");
        }
        names.join(" ")
    };
    assert_eq!(parameters("x > 0"), "n");
    assert_eq!(parameters("b[0] > 0"), "n r walk.a");
    assert_eq!(parameters("g[0] > 0"), "g n walk.a walk.old(g)");
}

/// Long chains of indices and types need no stack.
#[test]
fn long_chains_are_no_nesting() {
    let many = 20_000;
    let updates = "[1 := 2]".repeat(many);
    let terms = Terms::new();
    reading(
        &terms,
        &format!("procedure main(a : [int]int) {{ assert a{updates}[1] == 2; }}"),
    );
    let reads = format!(
        "procedure main(a : [int]int) {{ assert a{} == 2; }}",
        "[1]".repeat(many)
    );
    let source = Source::new("test.bpl", reads);
    assert!(read_source(&Terms::new(), &source, &[]).is_err());
    let mut types = String::from("type t0 = int;\n");
    for k in 1..2000 {
        types.push_str(&format!("type t{k} = [int]t{};\n", k - 1));
    }
    let text = format!("{types}procedure main(a : t1999, b : t1999) {{ assert a[0] == b[0]; }}");
    reading(&Terms::new(), &text);
    let doubled: String = (1..200)
        .map(|k| format!("type d{k} = [d0, d0]d{};\n", k - 1))
        .collect();
    let text = format!(
        "type d0 = int;\n{doubled}procedure main(a : d199) {{ assert a[1][2] == a[2, 1]; }}"
    );
    reading(&Terms::new(), &text);
}
