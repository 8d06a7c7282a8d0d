//! What particular constructs mean, beyond the snapshots of whole files.

use crate::support;

use sectile_base::{Int, Source};
use sectile_frontend::sct::{print_ctl, print_module};
use sectile_frontend::{ReadOptions, Reading, frontends};
use sectile_model::{Command, Ctl, Expected, Family, Field, Model, PropertyKind};
use sectile_terms::{NativePrinter, Sort, SymbolKind, Term, Terms, Value};
use sectile_testkit::files::zoo_files;

fn read_with(terms: &Terms, text: &str, parameters: &[(&str, &str)]) -> Reading {
    let source = Source::new("models/test.sct", text);
    let parameters = parameters.iter();
    let parameters = parameters.map(|(n, v)| (n.to_string(), v.to_string()));
    let parameters: Vec<(String, String)> = parameters.collect();
    let reading = support::read_source(terms, &source, &parameters);
    reading.unwrap_or_else(|messages| panic!("{messages}"))
}

fn read(terms: &Terms, text: &str) -> Reading {
    read_with(terms, text, &[])
}

fn system(reading: &Reading) -> &Model {
    let model = &reading.module.model;
    assert!(model.is_system(), "the native language describes systems");
    model
}

fn command<'r>(reading: &'r Reading, name: &str) -> &'r Command {
    let position = system(reading).edge_named(name);
    &system(reading).edges[position.unwrap_or_else(|| panic!("no command `{name}`"))].command
}

fn print(terms: &Terms, term: Term) -> String {
    NativePrinter::new(terms).print(term)
}

fn texts(terms: &Terms, list: &[Term]) -> Vec<String> {
    list.iter().map(|t| print(terms, *t)).collect()
}

/// The updates that change something.
fn changes(terms: &Terms, command: &Command) -> Vec<String> {
    let changing = command
        .updates
        .iter()
        .filter(|u| u.value != terms.var(u.symbol));
    let texts = changing.map(|u| format!("{} := {}", terms.name(u.symbol), print(terms, u.value)));
    texts.collect()
}

const BAKERY: &str = include_str!("good/bakery.sct");

#[test]
fn bakery_elaborates_to_total_commands() {
    let terms = Terms::new();
    let reading = read_with(&terms, BAKERY, &[("n", "2")]);
    let system = system(&reading);
    assert_eq!(system.name, "test");
    let names: Vec<&str> = system.variables.iter().map(|v| terms.name(*v)).collect();
    assert_eq!(names, ["P[1].pc", "P[1].num", "P[2].pc", "P[2].num"]);
    let names: Vec<&str> = system.commands().map(|c| c.name.as_str()).collect();
    assert_eq!(
        &names[..4],
        ["P[1].request", "P[1].take", "P[1].enter", "P[1].leave"]
    );
    assert_eq!(names.len(), 8);
    for command in system.commands() {
        let assigned: Vec<_> = command.updates.iter().map(|u| u.symbol).collect();
        assert_eq!(
            assigned, system.variables,
            "the frame is explicit and in order"
        );
        assert!(command.relations.is_empty());
    }
    let take = command(&reading, "P[1].take");
    assert_eq!(
        texts(&terms, &take.guards),
        [
            "P[1].pc = requesting",
            "P[1].take.v > 0",
            "P[2].num < P[1].take.v"
        ]
    );
    assert_eq!(
        changes(&terms, take),
        ["P[1].pc := waiting", "P[1].num := P[1].take.v"]
    );
    assert_eq!(take.inputs.len(), 1);
    assert_eq!(terms.symbol_kind(take.inputs[0]), SymbolKind::Input);
    let source = Source::new("", BAKERY);
    assert!(source.slice(take.span).starts_with("take:"));
    assert!(source.slice(take.span).ends_with("pc := waiting"));
}

#[test]
fn parameters_switch_commands_and_are_reported() {
    let terms = Terms::new();
    let reading = read_with(&terms, BAKERY, &[("bug", "1"), ("n", " 2 ")]);
    let expected = [
        ("n".to_string(), Int::from(2)),
        ("bug".to_string(), Int::ONE),
    ];
    assert_eq!(reading.module.parameters, expected);
    assert_eq!(command(&reading, "P[2].enter").guards.len(), 2);
}

#[test]
fn headers_are_read() {
    let terms = Terms::new();
    let module = read(&terms, BAKERY).module;
    let expected: Vec<_> = module.expectations.iter().map(|e| e.expected).collect();
    assert_eq!(
        expected,
        [
            Expected::Holds,
            Expected::Violated(Some(6)),
            Expected::Violated(None)
        ]
    );
    assert_eq!(module.expectations[2].parameters.len(), 2);
    let deque = read(&terms, include_str!("good/deque.sct")).module;
    assert_eq!(deque.state_spaces[1].states, 30);
    assert_eq!(deque.state_spaces[1].deadlocks, None);
}

#[test]
fn relations_leave_unmentioned_variables_free() {
    let terms = Terms::new();
    let reading = read(&terms, include_str!("good/elevator.sct"));
    let ready = command(&reading, "ready");
    assert_eq!(texts(&terms, &ready.guards), ["pc > 0", "current = req"]);
    assert_eq!(changes(&terms, ready), ["pc := 0"]);
    assert_eq!(texts(&terms, &ready.relations), ["input' <= Max"]);
    let request = command(&reading, "request");
    let free = request.unassigned(&system(&reading).variables);
    assert_eq!(
        free.iter().map(|v| terms.name(*v)).collect::<Vec<_>>(),
        ["input"]
    );
    let rigid = &system(&reading).rigid;
    assert_eq!(terms.symbol_kind(rigid[0]), SymbolKind::Rigid);
}

#[test]
fn clocks_advance_together_while_they_may_stay() {
    let terms = Terms::new();
    let reading = read(&terms, include_str!("good/fischer.sct"));
    let tick = system(&reading)
        .commands()
        .last()
        .expect("there are commands");
    assert_eq!(tick.name, "tick");
    assert_eq!(
        changes(&terms, tick),
        ["P[1].c := P[1].c + tick.d", "P[2].c := P[2].c + tick.d"]
    );
    assert_eq!(terms.symbol_sort(tick.inputs[0]), Sort::Real);
    assert_eq!(tick.guards.len(), 3);
    assert_eq!(
        print(&terms, tick.guards[1]),
        "P[1].pc != trying or P[1].c + tick.d <= C1"
    );
}

#[test]
fn ranges_restrict_and_havoc_is_an_input() {
    let terms = Terms::new();
    let text = "var x : 0..3 = 0\nvar y : nat\nlose: y > 0 --> havoc x, y := y - 1\n";
    let reading = read(&terms, text);
    let restrict = texts(&terms, &system(&reading).restrict);
    assert_eq!(restrict, ["x >= 0", "x <= 3", "y >= 0"]);
    let lose = command(&reading, "lose");
    assert_eq!(changes(&terms, lose), ["x := lose.x", "y := y - 1"]);
    assert_eq!(lose.guards.len(), 1);
}

#[test]
fn an_index_may_be_a_variable() {
    let terms = Terms::new();
    let text = "var p : 1..2 = 1\nvar f[i : 1..2] : bool = false\nset: not f[p] --> f[p] := true\n";
    let reading = read(&terms, text);
    let set = command(&reading, "set");
    assert_eq!(
        texts(&terms, &set.guards),
        ["not (if p = 1 then f[1] else f[2])"]
    );
    assert_eq!(
        changes(&terms, set),
        ["f[1] := p = 1 or f[1]", "f[2] := p = 2 or f[2]"]
    );
}

#[test]
fn indices_behind_a_false_condition_may_be_out_of_range() {
    let terms = Terms::new();
    let text = "param n = 3\nvar f[i : 1..n] : int = i\n\
        invariant up: forall i in 1..n: i < n => f[i] < f[i + 1]\n\
        invariant same: f[if n = 3 then 1 else 9] = (if n = 3 then f[1] else f[7])\n";
    let reading = read(&terms, text);
    let PropertyKind::Invariant(up) = reading.module.properties[0].kind else {
        panic!("an invariant");
    };
    assert_eq!(print(&terms, up), "f[1] < f[2] and f[2] < f[3]");
}

#[test]
fn temporal_formulas_keep_state_formulas_whole() {
    let terms = Terms::new();
    let reading = read(&terms, include_str!("good/ticket.sct"));
    let live = reading.module.property("live").expect("it is declared");
    let PropertyKind::Ctl(formula) = &live.kind else {
        panic!("a CTL property");
    };
    assert!(matches!(formula, Ctl::And(..)));
    let text = print_ctl(&terms, formula);
    assert!(text.starts_with("AG(`P[0].pc` != try or AF(`P[0].pc` = cr)) and AG("));
}

#[test]
fn the_scope_reads_further_texts() {
    let terms = Terms::new();
    let reading = read_with(&terms, BAKERY, &[("n", "2")]);
    let formula = |text: &str| {
        let source = Source::new("<predicate>", text);
        let result = reading.scope.formula(&terms, &source);
        result
            .map(|t| print(&terms, t))
            .map_err(|d| d.render(&source))
    };
    assert_eq!(formula("P[1].num > n"), formula("P[1].num >= 3"));
    assert_eq!(formula("`P[1].num` > 0").as_deref(), Ok("P[1].num > 0"));
    assert_eq!(
        formula("exists i in 1..n: P[i].pc = idle").as_deref(),
        Ok("P[1].pc = idle or P[2].pc = idle")
    );
    assert!(formula("P[1].num").is_err());
    assert!(
        formula("P[1].num > 0 P[2].num")
            .unwrap_err()
            .contains("the end of the expression")
    );
    assert!(formula("").is_err());
    assert!(formula("P[1].num' = 0").is_err());
    let pc = terms.symbol("P[1].pc").expect("declared");
    let num = terms.symbol("P[1].num").expect("declared");
    let value = |symbol, text: &str| {
        let source = Source::new("<value>", text);
        reading.scope.value(&terms, symbol, &source).ok()
    };
    assert_eq!(value(num, "-17"), Some(Value::Int(Int::from(-17))));
    assert!(matches!(value(pc, "waiting"), Some(Value::Enum(_, 2))));
    assert_eq!(value(num, "P[1].num"), None);
    assert_eq!(value(num, "1/2"), None);
    assert_eq!(value(pc, "nowhere"), None);
}

#[test]
fn elements_of_a_flat_file_keep_their_names() {
    let terms = Terms::new();
    let reading = read_with(&terms, BAKERY, &[("n", "2")]);
    let flat = print_module(&terms, &reading.module);
    let other = Terms::new();
    let again = read(&other, &flat);
    for text in ["P[1].num < P[2].num", "`P[1].num` < `P[2].num`"] {
        let formula = again.scope.formula(&other, &Source::new("<p>", text));
        assert_eq!(
            print(&other, formula.expect("the names are known")),
            "P[1].num < P[2].num"
        );
    }
}

#[test]
fn sum_and_count_are_names_too() {
    let terms = Terms::new();
    let text = "var sum, count : int = 0\nvar f[i : 0..1] : bool\n\
        add: sum < 3 --> sum := sum + count, count := count i in 0..1: f[i]\n\
        invariant a: (sum i in 0..1: i) + sum >= count\n";
    let reading = read(&terms, text);
    let changes = changes(&terms, command(&reading, "add"));
    assert_eq!(changes[0], "sum := sum + count");
}

#[test]
fn synchronous_steps_are_combinations() {
    let terms = Terms::new();
    let reading = read(&terms, include_str!("good/synchronous.sct"));
    let names: Vec<&str> = system(&reading)
        .commands()
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "toggle & A.step & B.copy",
            "toggle & A.step & B.jump",
            "toggle & A.stop & B.copy",
            "toggle & A.stop & B.jump",
            "tick"
        ]
    );
}

#[test]
fn the_registry_knows_the_language() {
    let sct = frontends().iter().find(|f| f.info().name == "sct");
    assert_eq!(sct.expect("it is registered").info().ending, "sct");
    assert!(ReadOptions::default().parameters.is_empty());
}

/// The models of the repository: they are read without a warning and survive printing.
#[test]
fn the_zoo_survives_printing() {
    for path in zoo_files(&["sct"]) {
        let terms = Terms::new();
        let reading = support::read(&terms, &path, &[]);
        let reading = reading.unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        assert!(
            reading.warnings.is_empty(),
            "{path:?}: {:?}",
            reading.warnings
        );
        let text = print_module(&terms, &reading.module);
        let again = support::read_source(&terms, &Source::new("flat.sct", text), &[]);
        let again = again.unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        support::assert_same(&reading.module, &again.module);
    }
}

#[test]
fn variables_and_commands_know_their_processes() {
    let terms = Terms::new();
    let text = "param n = 2
var g : int = 0
var turn[k : 0..2] : int
var grid[x : 0..1, y : 0..1] : int
process P[i : 1..n] {
  var pc : bool = true
  var seen[j : 1..n] : bool
  step: pc --> pc := false
  ask[j : 1..n]: pc --> seen[j] := true
}
process Q {
  var y : int
  move: true --> y := 1
}
reset: true --> g := 0
";
    let reading = read(&terms, text);
    let model = system(&reading);
    let indexed = |process, name: &str, elements: &[i64]| Field {
        process,
        name: name.to_string(),
        elements: elements.to_vec(),
    };
    let field =
        |process, name: &str, element: Option<i64>| indexed(process, name, element.as_slice());
    let of = |name: &str| {
        model
            .families
            .field(terms.symbol(name).expect(name))
            .cloned()
    };
    let family = Family {
        name: "P".to_string(),
        range: (1, 2),
    };
    assert_eq!(model.families.list, [family]);
    assert_eq!(of("P[2].pc"), Some(field(Some((0, 2)), "pc", None)));
    let seen = field(Some((0, 2)), "seen", Some(1));
    assert_eq!(of("P[2].seen[1]"), Some(seen));
    assert_eq!(of("turn[2]"), Some(field(None, "turn", Some(2))));
    let grid = indexed(None, "grid", &[0, 1]);
    assert_eq!(of("grid[0,1]"), Some(grid));
    for name in ["g", "Q.y"] {
        assert_eq!(of(name), None, "{name}");
    }
    let parts = |name: &str| command(&reading, name).parts.clone();
    assert_eq!(parts("P[1].step"), [field(Some((0, 1)), "step", None)]);
    let ask = field(Some((0, 1)), "ask", Some(2));
    assert_eq!(parts("P[1].ask[2]"), [ask]);
    assert_eq!(parts("Q.move"), [field(None, "Q.move", None)]);
    assert_eq!(parts("reset"), [field(None, "reset", None)]);
}

#[test]
fn families_are_assigned_at_once() {
    let terms = Terms::new();
    let text = "param n = 3\nvar w : 0..n-1 = 0\nprocess P[i : 0..n-1] {\n  var x : 0..3 = 0\n\
                  all: true --> x := 1, forall j in 0..n-1 with j != i: P[j].x := 0\n\
                  some: w != i --> x := 1, P[w].x := 2\n\
                  upto: true --> forall j in 0..n-1 with P[j].x > 0: P[j].x := P[j].x - 1\n}\n\
                pair[i : 0..n-1, j : 0..n-1]: i != j and w = i --> P[i].x := 1, P[j].x := 2\n\
                away: true --> forall i in 0..n-1: havoc P[i].x\n\
                shift: true --> forall i in 0..n-1 with i < n-1: P[i].x := P[i+1].x\n";
    let reading = read(&terms, text);
    let changes = |name| changes(&terms, command(&reading, name));
    let all = ["P[0].x := 0", "P[1].x := 1", "P[2].x := 0"];
    assert_eq!(changes("P[1].all"), all);
    let some = [
        "P[0].x := 1",
        "P[1].x := if w = 1 then 2 else P[1].x",
        "P[2].x := if w = 2 then 2 else P[2].x",
    ];
    assert_eq!(changes("P[0].some"), some);
    let upto = "P[2].x := if P[2].x <= 0 then P[2].x else P[2].x - 1";
    assert_eq!(changes("P[0].upto")[2], upto);
    assert_eq!(changes("pair[2,0]"), ["P[0].x := 2", "P[2].x := 1"]);
    // A copy that cannot happen and assigns twice is left out.
    assert!(system(&reading).edge_named("pair[1,1]").is_none());
    assert_eq!(command(&reading, "away").inputs.len(), 3);
    assert_eq!(changes("shift"), ["P[0].x := P[1].x", "P[1].x := P[2].x"]);
}

#[test]
fn branches_are_conditional_assignments() {
    let terms = Terms::new();
    let text = "var x, y : int = 0\nvar b : bool = false\nparam k = 1\n\
                one: true --> if x > 0 then {y := 1, x := 0} else if b then y := 2 else y := 3\n\
                two: not b --> y := 5, if b then y := 6\n\
                pick: true --> if b then x := any v where v > y\n\
                known: true --> if k = 1 then x := 1 else x := unknown[7]\n";
    let reading = read(&terms, text);
    let changes = |name| changes(&terms, command(&reading, name));
    assert_eq!(changes("one")[0], "x := if x <= 0 then x else 0");
    assert_eq!(changes("two"), ["y := 5"]);
    assert_eq!(changes("pick"), ["x := if b then pick.v else x"]);
    let guards = texts(&terms, &command(&reading, "pick").guards);
    assert_eq!(guards, ["not b or y < pick.v"]);
    assert_eq!(changes("known"), ["x := 1"]);
}

#[test]
fn parameters_stay_in_their_ranges() {
    let text = "param bug : 0..1 = 0\nparam n : bug..3 = 2\nvar x : int = n\n";
    let given = |name: &str, value: &str| {
        let source = Source::new("test.sct", text);
        let parameters = [(name.to_string(), value.to_string())];
        support::read_source(&Terms::new(), &source, &parameters)
    };
    assert!(given("n", "0").is_ok());
    let messages = given("bug", "2").err().unwrap_or_default();
    assert!(
        messages.contains("`-D bug=2`: 2 lies outside of 0..1"),
        "{messages}"
    );
    assert!(given("n", "4").is_err());
}

/// The whole files in the reference are read, and mean the same when they are printed.
#[test]
fn examples_of_the_reference_are_read() {
    let path = sectile_testkit::files::root().join("docs/format/sct.md");
    let text = std::fs::read_to_string(path).expect("the reference is there");
    let examples: Vec<&str> = text.split("```sct\n").skip(1).collect();
    assert!(examples.len() >= 2);
    for example in examples {
        let example = example.split("```").next().unwrap_or_default();
        let terms = Terms::new();
        let reading = read(&terms, example);
        assert!(reading.warnings.iter().next().is_none(), "{example}");
        let flat = print_module(&terms, &reading.module);
        support::assert_same(&reading.module, &read(&terms, &flat).module);
    }
}

#[test]
fn channels_keep_the_order() {
    let terms = Terms::new();
    let text = "type msg = record {id : 0..3, last : bool}\nchan c : 2 of msg\nvar m : msg\n\
                put: true --> send(c, {last = true, id = 2})\nget: true --> receive(c, m)\n";
    let reading = read(&terms, text);
    let changes = |name| changes(&terms, command(&reading, name));
    let put = [
        "c.len := c.len + 1",
        "c.slot0.id := if c.len = 0 then 2 else c.slot0.id",
        "c.slot0.last := c.len = 0 or c.slot0.last",
        "c.slot1.id := if c.len = 1 then 2 else c.slot1.id",
        "c.slot1.last := c.len = 1 or c.slot1.last",
    ];
    assert_eq!(changes("put"), put);
    let get = [
        "c.len := c.len - 1",
        "c.slot0.id := c.slot1.id",
        "c.slot0.last := c.slot1.last",
        "c.slot1.id := 0",
        "c.slot1.last := false",
        "m.id := c.slot0.id",
        "m.last := c.slot0.last",
    ];
    assert_eq!(changes("get"), get);
    assert_eq!(
        texts(&terms, &command(&reading, "put").guards),
        ["c.len <= 1"]
    );
    assert_eq!(
        texts(&terms, &command(&reading, "get").guards),
        ["c.len > 0"]
    );
}

/// Fields belong to the processes as other variables do; the slots of a channel are no processes.
#[test]
fn fields_belong_to_families() {
    let terms = Terms::new();
    let text = "type msg = record {id : 0..3, ok : bool}\nchan c[i : 0..1] : 2 of msg\n\
                process P[i : 0..1] {\n  var m : msg\n  chan d : 2 of bool\n\
                  go: true --> send(c[i], m), P[i].m.ok := false\n}\n";
    let reading = read(&terms, text);
    let families = &system(&reading).families;
    let field = |name: &str| {
        let symbol = reading.module.model.variables.iter();
        let symbol = symbol.copied().find(|s| terms.name(*s) == name);
        families.fields[&symbol.unwrap_or_else(|| panic!("no variable `{name}`"))].clone()
    };
    let of = |process, name: &str, element: Option<i64>| Field {
        process,
        name: name.to_string(),
        elements: element.into_iter().collect(),
    };
    assert_eq!(field("P[1].m.ok"), of(Some((0, 1)), "m.ok", None));
    assert_eq!(field("P[0].d.slot1"), of(Some((0, 0)), "d.slot1", None));
    assert_eq!(field("c[1].slot0.id"), of(None, "c.slot0.id", Some(1)));
}

#[test]
fn counters_say_what_they_do_not_count() {
    let refused = |text: &str| {
        let source = Source::new("test.sct", text);
        let found = sectile_frontend::sct::counter_system(&source, &ReadOptions::default());
        let wrong = found.err().expect("it is refused");
        wrong.iter().map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    let process = "process P[i : 1..n] {\n  var b : bool = false\n";
    let text = format!("param n = 2\n{process}a: b --> forall j in 1..n: P[j].b := false\n}}\n");
    assert_eq!(
        refused(&text),
        ["assignments to all processes at once are not counted"]
    );
    let text = format!("param n = 2\n{process}chan c : 2 of bool\n}}\n");
    assert_eq!(refused(&text), ["channels are not counted"]);
    let text = format!("param n = 2\ntype t = 0..3\n{process}}}\n");
    assert_eq!(refused(&text).len(), 1);
    // Branches become commands of their own.
    let text = format!(
        "param n : 2..5 = 2\nvar x : int = 0\n\
         {process}a: true --> if x > 0 then b := true else if b then x := 1\n}}\n\
         invariant i: forall j in 1..n: x = 0 => not P[j].b\n"
    );
    let source = Source::new("test.sct", &*text);
    let found = sectile_frontend::sct::counter_system(&source, &ReadOptions::default());
    let Ok(counted) = found else {
        panic!("branches are counted");
    };
    assert!(
        counted.text.contains("assume 2 <= n <= 5"),
        "{}",
        counted.text
    );
    read(&Terms::new(), &counted.text);
}
