//! Boogie: graphs, names, what is refused, and texts that mean harm.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::support;

use sectile_base::{Rng, Source};
use sectile_frontend::imp::{Detail, print_graph};
use sectile_frontend::{Frontend, ReadOptions, Reading, boogie::Boogie};
use sectile_model::*;
use sectile_terms::*;
use sectile_testkit::files::{files_in, shared, zoo_files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::{edges, files, graph, read, read_source, seconds, snapshot};

fn given(terms: &Terms, text: &str) -> Result<Reading, String> {
    read_source(terms, &Source::new("dir/test.bpl", text), &[])
}

fn reading(terms: &Terms, text: &str) -> Reading {
    given(terms, text).unwrap_or_else(|e| panic!("{e}"))
}

fn property_names(reading: &Reading) -> Vec<&str> {
    let properties = reading.module.properties.iter();
    properties.map(|p| p.name.as_str()).collect()
}

/// Every file under `tests/good_boogie` has its graph and properties beside it.
#[test]
fn graphs_are_those_of_the_snapshots() {
    for path in files("good_boogie", "bpl") {
        let terms = Terms::new();
        let reading = read(&terms, &path, &[]).unwrap_or_else(|e| panic!("{e}"));
        let module = &reading.module;
        // Recursive calls by their contracts; premises are not shown.
        let (graph, properties) = match &module.model.contracts {
            Some(contracts) => (&contracts.model, &contracts.properties),
            None => (graph(&reading), &module.properties),
        };
        let mut text = print_graph(&terms, graph, Detail::Formulas);
        for property in properties {
            let PropertyKind::Unreachable(list) = &property.kind else {
                panic!("claims are about error locations");
            };
            let places = list.iter().map(|l| graph.location_name(*l));
            let places: Vec<&str> = places.collect();
            text.push_str(&format!("{}: {}\n", property.name, places.join(", ")));
        }
        for warning in reading.warnings.iter() {
            text.push_str(&format!("warning: {}\n", warning.message));
        }
        snapshot(&path.with_extension("txt"), &text);
    }
}

/// Every file under `tests/bad_boogie` has its messages beside it.
#[test]
fn mistakes_are_explained() {
    let all = files("bad_boogie", "bpl");
    assert!(all.len() >= 30);
    for path in all {
        let terms = Terms::new();
        let started = seconds();
        let messages = match read(&terms, &path, &[]) {
            Ok(_) => panic!("{path:?} was accepted"),
            Err(messages) => messages,
        };
        assert!(seconds() - started < 3.0, "{path:?}");
        snapshot(&path.with_extension("txt"), &messages);
    }
}

/// Procedures that call each other have summaries, which are premises of what follows a call.
#[test]
fn recursion_is_premises_with_summaries() {
    let terms = Terms::new();
    let text = "var g, h : int;\n\
        procedure even(n : int) returns (r : bool) modifies g;\n\
        { g := g + h; if (n == 0) { r := true; } else { call r := odd(n - 1); } }\n\
        procedure odd(n : int) returns (r : bool) modifies g;\n\
        { if (n == 0) { r := false; } else { call r := even(n - 1); } }\n\
        procedure ULTIMATE.start() modifies g;\n\
        { var b : bool; g := 0; call b := even(4); assert b; assert h >= g; }\n";
    let reading = reading(&terms, text);
    let model = &reading.module.model;
    assert!(reading.module.model.contracts.is_some());
    let words = |name: &str| {
        let location = model.location(name).expect("the location is there");
        let parameters = model.variables_at(location).iter();
        let mut words: Vec<&str> = parameters.map(|&p| terms.name(p)).collect();
        words.sort_unstable();
        words.join(" ")
    };
    assert_eq!(words("even.call"), "even.n g");
    assert_eq!(words("odd.call"), "g odd.n");
    assert_eq!(words("even.return"), "even.n even.old(g) even.r g");
    assert_eq!(words("odd.return"), "g odd.n odd.old(g) odd.r");
    let constants: Vec<&str> = model.rigid.iter().map(|&c| terms.name(c)).collect();
    assert_eq!(constants, ["h"], "it is the same everywhere");
    let calls = model.edges.iter().filter(|e| e.premises.len() == 1);
    assert_eq!(calls.count(), 3);
    // What a step chooses is no variable of the state.
    let mut inputs = model.commands().flat_map(|c| &c.inputs);
    assert!(inputs.all(|i| !model.variables.contains(i) && !model.rigid.contains(i)));
    for property in &reading.module.properties {
        let PropertyKind::Unreachable(list) = &property.kind else {
            panic!("{property:?}");
        };
        let [error] = list[..] else {
            panic!("{property:?}");
        };
        assert_eq!(model.edges_to(error).count(), 1);
    }
    let plain = "procedure main() { var x : int; x := 1; assert x == 1; }";
    let plain = crate::boogie::reading(&terms, plain);
    assert!(plain.module.model.is_linear() && plain.module.model.contracts.is_none());
}

#[test]
fn every_statement_is_an_edge_with_its_line() {
    let terms = Terms::new();
    let text = "procedure main()\n{\n  var x : int;\n  x := 1;\n  while (x < 3) {\n    x := x + 1;\n  }\n  assert x == 3;\n}\n";
    let reading = reading(&terms, text);
    assert_eq!(
        edges(&reading),
        [
            "L4->L5 x := 1",
            "L5->L6 assume x < 3",
            "L5->L8 assume !(x < 3)",
            "L6->L5 x := x + 1",
            "L8->L9 assert x == 3",
            "L8->error_8 assert x == 3 fails",
        ]
    );
    let source = Source::new("t", text);
    for edge in &graph(&reading).edges {
        let line = source.position(edge.command.span.start).line;
        let from = graph(&reading).location_name(edge.from);
        assert_eq!(from, format!("L{line}"));
    }
}

#[test]
fn claims_are_named_by_their_lines() {
    let terms = Terms::new();
    let text = "procedure p(x : int)\n  requires x > 0;\n  ensures x > 0;\n{\n  assert x > 0; assert x > 1;\n  while (*)\n    invariant x > 0;\n    free invariant x > 1;\n  { }\n}\nprocedure q() {\n  call p(1);\n}\n";
    let reading = reading(&terms, text);
    assert_eq!(
        property_names(&reading),
        [
            "requires_2",
            "ensures_3",
            "assert_5",
            "assert_5_2",
            "invariant_7"
        ]
    );
}

/// Variables that nothing assigns are constants: engines profit.
#[test]
fn what_is_never_assigned_is_rigid() {
    let terms = Terms::new();
    let text = "var g, h : int;\nconst c : int;\nprocedure main(p : int) modifies g; { var x, y : int; assume y == p && h == c; g := x; x := 1; assert g > 0; }";
    let reading = reading(&terms, text);
    let names = |list: &[Symbol]| -> Vec<String> {
        list.iter().map(|s| terms.name(*s).to_string()).collect()
    };
    assert_eq!(names(&graph(&reading).variables), ["g", "x"]);
    assert_eq!(names(&graph(&reading).rigid), ["h", "c", "p", "y"]);
}

/// Procedures in which nothing can fail are not looked at on their own.
#[test]
fn idle_entries_are_left_out() {
    let terms = Terms::new();
    let text = "procedure idle() { var x : int; x := 1; }\nprocedure main() { var y : int; call idle(); assert y > 0; }\nprocedure other(z : int) { assert z > 0; }";
    let reading = reading(&terms, text);
    let entries = graph(&reading).edges_from(graph(&reading).entry).count();
    assert_eq!(entries, 2);
}

#[test]
fn headers_and_labels_say_what_is_expected() {
    let terms = Terms::new();
    let program = "procedure main() { var x : int;\nassert x > 0;\nassert x > 1; }";
    let expected = |header: &str| {
        let reading = reading(&terms, &format!("{header}\n{program}"));
        let list = reading.module.expectations.iter();
        list.map(|e| (e.property.clone(), e.expected))
            .collect::<Vec<_>>()
    };
    let safe = [
        ("assert_3".to_string(), Expected::Holds),
        ("assert_4".to_string(), Expected::Holds),
    ];
    for header in ["//#Safe", "// #Safe", "/* #Safe */", "//#Safe #Terminating"] {
        assert_eq!(expected(header), safe, "{header}");
    }
    // Which of two claims fails is not said.
    assert_eq!(expected("//#Unsafe"), []);
    assert_eq!(
        expected("// expect: assert_3 violated in 1 step"),
        [("assert_3".to_string(), Expected::Violated(Some(1)))]
    );
    let one = reading(&terms, "//#Unsafe\nprocedure main() { assert false; }");
    assert_eq!(
        one.module.expectations[0].expected,
        Expected::Violated(None)
    );
}

#[test]
fn names_of_the_file_are_known_to_predicates() {
    let terms = Terms::new();
    let text = "var ~g~1 : int;\nprocedure main() modifies ~g~1; { var x : int; x := 1; ~g~1 := x; assert ~g~1 == 1; }\nprocedure f(x : int) { assert x > 0; }";
    let reading = reading(&terms, text);
    for (text, good) in [
        ("`~g~1` = 1 and `main.x` > 0", true),
        ("`f.x` == 1 && `main.x` >= 2", true),
        ("nothing > 0", false),
    ] {
        let formula = reading.scope.formula(&terms, &Source::new("p", text));
        assert_eq!(formula.is_ok(), good, "{text}");
    }
}

#[test]
fn reading_twice_gives_the_same() {
    for path in models() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (one, two) = (Terms::new(), Terms::new());
        let a = reading(&one, &text);
        let b = reading(&two, &text);
        assert_eq!(format!("{:?}", a.module), format!("{:?}", b.module));
        let again = reading(&one, &text);
        assert_eq!(a.module.model, again.module.model);
        assert!(!a.module.expectations.is_empty(), "{path:?}");
        assert!(a.warnings.is_empty(), "{path:?}");
    }
}

fn models() -> Vec<PathBuf> {
    let found = zoo_files(&["bpl"]);
    assert!(found.len() >= 7);
    found
}

/// Files of the benchmark folder: read, or refused with a reason and its line.
#[test]
fn other_peoples_programs_are_read_or_refused() {
    let Some(folder) = shared("bench/boogie") else {
        return;
    };
    let mut found = String::new();
    for part in ["tiny", "dev", "random", "handwritten"] {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in files_in(&folder.join(part), &["bpl"]) {
            let reason = match read(&Terms::new(), &path, &[]) {
                Ok(reading) => {
                    assert!(!reading.module.properties.is_empty(), "{path:?}");
                    "read".to_string()
                }
                Err(messages) => refusal(&path, &messages),
            };
            *counts.entry(reason).or_default() += 1;
        }
        found.push_str(&format!("{part}: {counts:?}\n"));
    }
    let expected = "\
tiny: {\"read\": 15}
dev: {\"read\": 60}
random: {\"read\": 100}
handwritten: {\"read\": 23}
";
    assert_eq!(found, expected);
}

/// The reason of the first message, which must have a place.
fn refusal(path: &Path, messages: &str) -> String {
    let mut lines = messages.lines();
    let message = lines.next().unwrap_or_default();
    let place = lines.next().unwrap_or_default();
    let place = place
        .rsplit(':')
        .take(2)
        .all(|n| n.parse::<usize>().is_ok());
    assert!(place, "{path:?}: {messages}");
    assert!(messages.contains("= help: "), "{path:?}: {messages}");
    let code = message.split(": ").next().unwrap_or_default();
    let reason = ["maps"].iter().find(|r| message.contains(**r));
    format!(
        "{code}: {}",
        reason.unwrap_or_else(|| panic!("{path:?}: {message}"))
    )
}

#[test]
fn huge_texts_are_refused_quickly() {
    let many = 300_000;
    let inside = |text: String| format!("procedure main() {{ var x : int; var b : bool;\n{text}");
    let texts = [
        "(".repeat(10 * many),
        "{".repeat(10 * many),
        "procedure ".repeat(many),
        "procedure p() {".repeat(many),
        "var x : ".repeat(many),
        "axiom ".repeat(many),
        "[int]".repeat(many),
        "/*".repeat(many),
        "\0".repeat(many),
        inside("{".repeat(many)),
        inside("if (b) {".repeat(many)),
        inside("while (*) {".repeat(many)),
        inside("x := ".repeat(many)),
        inside(format!("x := {}1;", "-".repeat(many))),
        inside(format!("x := {}1;", "(".repeat(many))),
        inside(format!("x := 1{}", " + ".repeat(many))),
        inside(format!("x := x{};", "[x".repeat(many))),
        inside("l: ".repeat(many)),
        inside("call ".repeat(many)),
        inside("{:a ".repeat(many)),
        inside("}".repeat(many)),
        inside("(forall i : int :: ".repeat(many)),
        inside("x := (if b then ".repeat(many)),
    ];
    for text in texts {
        let start: String = text.chars().take(70).collect();
        let started = seconds();
        assert!(given(&Terms::new(), &text).is_err(), "{start}");
        let used = seconds() - started;
        assert!(used < 5.0, "{start}: {used} s");
    }
}

#[test]
fn long_programs_are_read() {
    let program = |body: &str| {
        let text = format!("procedure main() {{ var x : int; var b : bool;\n{body}\n}}");
        let terms = Terms::new();
        let reading = reading(&terms, &text);
        graph(&reading).edges.len()
    };
    assert_eq!(program(&"x := x + 1;\n".repeat(3000)), 3000);
    let chain = format!("if (x == 0) {{ }}{}", " else if (x == 1) { }".repeat(2000));
    assert_eq!(program(&chain), 2 * 2001);
    let nested = format!(
        "{}x := 1;{}",
        "while (x > 0) {".repeat(200),
        "}".repeat(200)
    );
    assert_eq!(program(&nested), 401);
    let sum = vec!["x"; 20_000].join(" + ");
    assert_eq!(program(&format!("x := {sum};")), 1);
    let and = vec!["b"; 20_000].join(" && ");
    assert_eq!(program(&format!("assume {and};")), 1);
    let deep = format!("x := {}x{};", "(1 + ".repeat(250), ")".repeat(250));
    assert_eq!(program(&deep), 1);
}

/// Procedures that call the next one twice would be copied exponentially often.
#[test]
fn inlining_has_a_limit() {
    let mut text = "procedure p0() { assert true; }\n".to_string();
    for i in 1..40 {
        let below = i - 1;
        text.push_str(&format!(
            "procedure p{i}() {{ call p{below}(); call p{below}(); }}\n"
        ));
    }
    text.push_str("procedure ULTIMATE.start() { call p39(); }");
    let started = seconds();
    let messages = given(&Terms::new(), &text).err().unwrap();
    assert!(messages.contains("error[size]"), "{messages}");
    assert!(seconds() - started < 20.0);
}

/// A long chain of procedures is no nesting, and neither is one of functions up to a limit.
#[test]
fn chains_of_calls_are_followed() {
    let mut text = "procedure p0() { assert true; }\n".to_string();
    for i in 1..3000 {
        text.push_str(&format!("procedure p{i}() {{ call p{}(); }}\n", i - 1));
    }
    text.push_str("procedure ULTIMATE.start() { call p2999(); }");
    let terms = Terms::new();
    assert_eq!(graph(&reading(&terms, &text)).edges.len(), 3001);
    let mut functions = "function f0(x : int) returns (int) { x }\n".to_string();
    for i in 1..2000 {
        let below = i - 1;
        functions.push_str(&format!(
            "function f{i}(x : int) returns (int) {{ f{below}(x) + f{below}(x) }}\n"
        ));
    }
    let used =
        |k: usize| format!("{functions}procedure main() {{ var x : int; assert f{k}(x) > 0; }}");
    assert!(given(&Terms::new(), &used(100)).is_ok());
    assert!(given(&Terms::new(), &used(1999)).is_err());
    let itself = "function f(x : int) returns (bool) { f(x + 1) && f(x + 2) }\nprocedure main() { assert f(1); }";
    let messages = given(&Terms::new(), itself).err().unwrap();
    assert!(messages.contains("nested too deep"), "{messages}");
}

/// Texts with random damage are read or refused; nothing panics.
#[test]
fn damaged_texts_do_no_harm() {
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        ";",
        ":",
        ":=",
        "*",
        "if",
        "else",
        "while",
        "l1:",
        "x",
        "0",
        "assert",
        "==>",
        "&&",
        "var",
        "procedure",
        "call",
        "old(",
        "[",
        "]",
        "forall",
        "where",
        "/*",
        "//",
        "'",
        "\u{0}",
        "é",
        "-",
        "1.5",
        "goto",
        "break",
        "return",
        "ensures",
        "invariant",
        "havoc",
        "function",
        "const",
        "modifies",
        "free",
        "div",
        "int",
        "real",
        "bool",
        ",",
    ];
    let mut sources: Vec<String> = models()
        .iter()
        .map(|p| std::fs::read_to_string(p).unwrap())
        .collect();
    for path in files("good_boogie", "bpl") {
        sources.push(std::fs::read_to_string(path).unwrap());
    }
    let mut rng = Rng::new(17);
    let mut accepted = 0;
    for round in 0..4000 {
        let mut text = sources[round % sources.len()].clone();
        for _ in 0..=rng.below(4) {
            let mut at = rng.below(text.len() as u64 + 1) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if rng.chance(1, 3) {
                let mut end = (at + rng.below(30) as usize).min(text.len());
                while !text.is_char_boundary(end) {
                    end += 1;
                }
                text.replace_range(at..end, "");
            } else {
                text.insert_str(at, rng.pick(&pieces).unwrap());
            }
        }
        let source = Source::new("t.bpl", text);
        let terms = Terms::new();
        match Boogie.read(&terms, &source, &ReadOptions::default()) {
            Ok(_) => accepted += 1,
            Err(messages) => {
                assert!(messages.has_errors());
                assert!(messages.render(&source).len() < 100_000);
            }
        }
    }
    assert!(accepted > 20, "some damage does no harm: {accepted}");
}
