//! Exports of hand-built models, read by other tools where those are installed.
#![allow(clippy::print_stderr, reason = "skipped tests must be visible")]

#[path = "common/models.rs"]
mod models;

use models::{counting, elevator, property, readers_writers, tickets};
use sectile_model::{Ctl, Module, PropertyKind};
use sectile_smtlib::export::{ExportError, to_chc, to_dot, to_vmt};
use sectile_smtlib::{read, read_script};
use sectile_terms::{Sort, SymbolKind, Terms};
use sectile_testkit::files::ask;

/// Z3's answer to a script, with a limit of ten seconds.
fn z3(text: &str) -> Option<String> {
    ask("z3", &["-in", "-T:10"], text)
}

fn chc_verdict(terms: &Terms, module: &Module, name: &str, expected: &str) {
    let property = module.property(name).expect("the property is there");
    let text = to_chc(terms, module, property).expect("it can be exported");
    read(&text).expect("the text is well-formed");
    if let Some(answer) = z3(&text) {
        assert_eq!(answer, expected, "{name}:\n{text}");
    }
}

#[test]
fn horn_clauses_of_systems_have_the_right_verdicts() {
    let terms = Terms::new();
    chc_verdict(&terms, &elevator(&terms, true), "safe", "sat");
    let terms = Terms::new();
    chc_verdict(&terms, &elevator(&terms, false), "safe", "unsat");
    let terms = Terms::new();
    let module = readers_writers(&terms);
    chc_verdict(&terms, &module, "exclusive", "sat");
    chc_verdict(&terms, &module, "few", "unsat");
    chc_verdict(&terms, &module, "one", "sat");
    let terms = Terms::new();
    let module = tickets(&terms);
    chc_verdict(&terms, &module, "mutex", "sat");
    chc_verdict(&terms, &module, "alone", "unsat");
}

#[test]
fn horn_clauses_of_programs_have_the_right_verdicts() {
    let terms = Terms::new();
    let module = counting(&terms);
    for (name, expected) in [
        ("end", "sat"),
        ("never", "sat"),
        ("nowhere", "unsat"),
        ("small", "unsat"),
        ("inside", "sat"),
        ("outside", "unsat"),
    ] {
        chc_verdict(&terms, &module, name, expected);
    }
}

#[test]
fn horn_clauses_look_as_chc_comp_wants_them() {
    let terms = Terms::new();
    let module = counting(&terms);
    let small = module.property("small").unwrap();
    let text = to_chc(&terms, &module, small).unwrap();
    let tree = read(&text).unwrap();
    let count = |needle: &str| text.matches(needle).count();
    assert_eq!(tree.list(tree.roots()[0]).unwrap().len(), 2);
    assert!(text.contains("\n(set-logic HORN)\n"));
    // The location `i` has the name of a variable, so its predicate has another one.
    assert!(
        text.contains("(declare-fun i_2 (Int Real Int) Bool)"),
        "{text}"
    );
    assert_eq!(count("\n    false)"), 1, "one query");
    assert_eq!(count("declare-fun"), 5, "four locations and the error");
    assert!(!text.lines().any(|line| line.trim() == ";"));
    assert!(text.ends_with("(check-sat)\n"));
}

#[test]
fn shared_terms_in_clauses_are_bound_once() {
    let terms = Terms::new();
    let mut module = readers_writers(&terms);
    let big = "(+ nr (* 2 nw) (mod nr 3) 7)";
    let text = format!("(=> (> {big} 0) (<= (abs {big}) (* 9 {big})))");
    let shared = models::formula(&terms, &text);
    module.model.edges[0].command.guards.push(shared);
    let text = to_chc(&terms, &module, &module.properties[0]).unwrap();
    assert!(text.contains("(let (($1 "), "{text}");
    chc_verdict(&terms, &module, "exclusive", "sat");
}

#[test]
fn free_enumeration_variables_stay_in_their_ranges() {
    let terms = Terms::new();
    let mut module = tickets(&terms);
    // A step that says nothing about the next phase of the first process.
    let pc = terms.symbol("P[1].pc").unwrap();
    module.model.edges[0]
        .command
        .updates
        .retain(|u| u.symbol != pc);
    let inside = models::formula(&terms, "(<= |P[1].pc| 2)");
    let range = "(or (= |P[1].pc| 0) (= |P[1].pc| 1) (= |P[1].pc| 2))";
    let range = models::formula(&terms, range);
    let properties = [("inside", inside), ("range", range)];
    for (name, formula) in properties {
        module
            .properties
            .push(property(name, PropertyKind::Invariant(formula)));
        chc_verdict(&terms, &module, name, "sat");
    }
    chc_verdict(&terms, &module, "mutex", "unsat");
}

#[test]
fn what_is_not_safety_is_refused() {
    let terms = Terms::new();
    let mut module = readers_writers(&terms);
    let live = module.property("live").unwrap();
    let error = to_chc(&terms, &module, live).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the property `live` cannot be exported: of CTL only AG p is, with p without temporal operators"
    );
    let elsewhere = PropertyKind::Unreachable(vec![sectile_model::LocationId(7)]);
    let elsewhere = property("elsewhere", elsewhere);
    let error = to_chc(&terms, &module, &elsewhere).unwrap_err();
    assert!(matches!(error, ExportError::NoSuchLocation { .. }));
    // A system is at its only location always, and never at another one.
    for (name, location) in [("here", 0), ("there", 1)] {
        let at = Ctl::Ag(Box::new(Ctl::At(sectile_model::LocationId(location))));
        module
            .properties
            .push(property(name, PropertyKind::Ctl(at)));
    }
    chc_verdict(&terms, &module, "here", "sat");
    chc_verdict(&terms, &module, "there", "unsat");
}

#[test]
fn undeclared_variables_are_refused() {
    let terms = Terms::new();
    let mut module = readers_writers(&terms);
    models::declare(&terms, &["stray"], Sort::Bool, SymbolKind::State);
    let stray = models::formula(&terms, "stray");
    module.model.edges[0].command.guards.push(stray);
    let error = to_chc(&terms, &module, &module.properties[0]).unwrap_err();
    let text = "the command `start-w` mentions `stray`, which is not declared there";
    assert_eq!(error.to_string(), text);
    assert_eq!(to_vmt(&terms, &module).unwrap_err().to_string(), text);
}

#[test]
fn models_without_variables_are_exported() {
    let terms = Terms::new();
    let mut module = counting(&terms);
    let graph = &mut module.model;
    graph.variables.clear();
    graph.rigid.clear();
    for edge in &mut graph.edges {
        edge.command.guards.clear();
        edge.command.updates.clear();
    }
    chc_verdict(&terms, &module, "never", "unsat");
}

/// Every VMT file of the tests: its text, and the verdicts of its properties.
fn vmt_files() -> Vec<(String, usize, Vec<String>)> {
    let makers: [fn(&Terms) -> Module; 5] = [
        |t| elevator(t, true),
        |t| elevator(t, false),
        readers_writers,
        tickets,
        counting,
    ];
    let mut files = Vec::new();
    for make in makers {
        let terms = Terms::new();
        let module = make(&terms);
        let vmt = to_vmt(&terms, &module).expect("it can be exported");
        let count = module.properties.len() - vmt.omitted.len();
        files.push((vmt.text, count, vmt.omitted));
    }
    files
}

#[test]
fn vmt_files_name_what_they_leave_out() {
    let files = vmt_files();
    assert_eq!(files[2].2, ["live"]);
    assert!(
        files[2]
            .0
            .contains("; left out, not a safety property: live\n")
    );
    assert_eq!(files[4].2, ["ends"]);
    for (text, count, _) in &files {
        let properties = (0..*count).map(|k| format!(" :invar-property {k})"));
        assert!(properties.into_iter().all(|p| text.contains(&p)));
        assert_eq!(text.matches(":init true").count(), 1);
        assert_eq!(text.matches(":trans true").count(), 1);
        assert!(read_script(text).is_ok());
    }
}

/// Splits `(define-fun NAME () Bool (! FORMULA :KEY ...))` definitions out of a VMT file.
fn defined(text: &str, key: &str) -> String {
    let script = read_script(text).expect("the file is well-formed");
    let tree = &script.tree;
    for command in &script.commands {
        if let sectile_smtlib::CommandKind::DefineFun { name, body, .. } = command.kind {
            let mut found = sectile_smtlib::annotations(tree, body);
            if found.any(|(k, v)| format!(":{k} {}", v.map_or("", |v| tree.source(v))) == key) {
                return sectile_smtlib::naming::quote(name).into_owned();
            }
        }
    }
    panic!("there is no {key}");
}

#[test]
fn vmt_formulas_are_accepted_by_z3() {
    let expectations = [
        // Whether some initial state has a step, and whether property 0 fails at the start.
        ("sat", "unsat"),
        ("sat", "unsat"),
        ("sat", "unsat"),
        ("sat", "unsat"),
        ("sat", "unsat"),
    ];
    for ((text, ..), (step, start)) in vmt_files().iter().zip(expectations) {
        // The annotations are for VMT readers; Z3 warns that it does not know them.
        let init = defined(text, ":init true");
        let trans = defined(text, ":trans true");
        let bad = defined(text, ":invar-property 0");
        let query = format!(
            "{text}(push)(assert (and {init} {trans}))(check-sat)(pop)\n(assert (and {init} (not {bad})))(check-sat)"
        );
        if let Some(answer) = z3(&query) {
            assert_eq!(answer, format!("{step}\n{start}"), "{query}");
        }
    }
}

#[test]
fn vmt_files_are_accepted_by_pyvmt() {
    // A Python with pyvmt, such as that of a virtual environment.
    let python = std::env::var("SECTILE_TEST_PYTHON").unwrap_or("python3".to_string());
    let Some(answer) = ask(&python, &["-c", "import pyvmt; print('there')"], "") else {
        return;
    };
    if answer != "there" {
        eprintln!("skipped: pyvmt not found (set SECTILE_TEST_PYTHON to a Python that has it)");
        return;
    }
    let program = "import sys
from pyvmt.vmtlib.reader import read
model = read(sys.stdin)
model.get_trans_constraint()
print(len(model.get_all_properties()), len(model.get_state_vars()), len(model.get_input_vars()))";
    let expected = ["1 5 0", "1 5 0", "3 2 0", "2 4 1", "6 4 0"];
    for ((text, ..), expected) in vmt_files().iter().zip(expected) {
        let answer = ask(&python, &["-c", program], text).expect("Python is there");
        assert_eq!(answer, expected, "{text}");
    }
}

#[test]
fn pictures_are_small_and_well_formed() {
    let terms = Terms::new();
    let text = to_dot(&terms, &counting(&terms));
    assert!(text.starts_with("digraph \"counting\" {\n"));
    assert!(text.contains("  n3 [label=\"bad\", color=red, peripheries=2];\n"));
    assert!(text.contains("  n1 -> n1 [label=\"loop\"];\n"));
    assert!(text.ends_with("}\n"));
    let terms = Terms::new();
    let text = to_dot(&terms, &elevator(&terms, true));
    assert!(text.contains("label=\"moveUp\\npc = 2 and "), "{text}");
    assert!(text.contains("style=dashed"), "the input is free");
    let balanced = text.matches('[').count() == text.matches(']').count();
    assert!(balanced && text.matches('"').count() & 1 == 0);
}
