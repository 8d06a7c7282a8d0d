//! `abstract`, `prove`, `check --explain` and `check --counters` as users see them.

use crate::common;

use common::schema::Schema;
use common::{Ran, root, sectile, sectile_with_input};
use serde_json::Value;
use std::path::PathBuf;

fn abstracted(model: &str, args: &[&str]) -> Ran {
    let file = format!("models/{model}");
    let mut all = vec!["abstract", file.as_str()];
    all.extend(args);
    sectile(&all)
}

fn good(ran: Ran) -> String {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    ran.out
}

/// The number behind `prover calls:`.
fn calls(text: &str) -> u64 {
    let line = text.lines().find(|l| l.starts_with("prover calls:"));
    let line = line.unwrap_or_else(|| panic!("no calls in {text}"));
    let number: String = line.chars().filter(char::is_ascii_digit).collect();
    number.parse().expect("it is a number")
}

/// Abstraction as the Key, Section 4.1, Figure 3: guards are over predicates, the fourth state is not reached.
#[test]
fn readers_and_writers_have_the_printed_abstraction() {
    let text = good(abstracted("rw.sct", &["--predicates", "nw = 0; nr = 0"]));
    assert_eq!(
        text,
        "abstract variables
  a1: nw = 0
  a2: nr = 0
initial states
  a1, a2
transitions
  startW: a1 and a2 --> a1 := false   // substitution
  endW: not a1 --> a1 := ?   // elimination for a1
  startR: a1 --> a2 := false   // substitution
  endR: not a2 --> a2 := ?   // elimination for a2
reachable: 3 states
  not a1, a2
  a1, not a2
  a1, a2
formula: (not a1 => a2)
invariants
  nw != 0 => nr = 0
prover calls: 15
"
        .replace("formula: (not a1 => a2)", "formula: not a1 => a2")
    );
}

/// Abstraction as the Key, Section 4.1, Figure 4: the refined reachable set.
#[test]
fn the_refined_abstraction_proves_the_stronger_property() {
    let args = [
        "--predicates",
        "nw = 0; nr = 0; nw = 1",
        "--property",
        "strong",
    ];
    let text = good(abstracted("rw.sct", &args));
    assert!(
        text.contains("endW: not a1 --> a1 := a3, a3 := if a3 then false else ?"),
        "{text}"
    );
    assert!(text.contains("nw != 0 => nr = 0 and nw = 1"), "{text}");
    assert!(
        text.contains("strong: holds in the abstract system"),
        "{text}"
    );
    // Without it the property has an abstract counterexample, which is not real.
    let args = ["--predicates", "nw = 0; nr = 0", "--property", "strong"];
    let text = good(abstracted("rw.sct", &args));
    assert!(text.contains("it is spurious"), "{text}");
}

/// No line of the transitions names a concrete variable that is not copied.
#[test]
fn transitions_are_over_abstract_variables_only() {
    for (model, predicates, concrete) in [
        ("rw.sct", "nw <= 1; nr = 0", &["nw", "nr"][..]),
        ("lecture-a.imp", "0 <= i", &["x ", "N "]),
        ("fischer.sct", "lock = 0; P[0].c <= C1", &["lock =", ".c "]),
    ] {
        for method in ["auto", "elimination", "models"] {
            if method != "auto" && model == "fischer.sct" {
                continue;
            }
            let args = ["--predicates", predicates, "--method", method];
            let text = good(abstracted(model, &args));
            let rest = text
                .split("transitions\n")
                .nth(1)
                .expect("there are transitions");
            let rest = rest.split("reachable:").next().expect("there is an end");
            for line in rest.lines() {
                // The names of edges of programs have their statements in them.
                let line = line.rsplit_once(": ").map_or(line, |l| l.1);
                for name in concrete {
                    assert!(!line.contains(name), "{model} {method}: {line}");
                }
            }
        }
    }
}

#[test]
fn abstract_systems_are_written_for_programs_and_for_graphviz() {
    let args = [
        "--predicates",
        "nw = 0; nr = 0",
        "--format",
        "json",
        "--property",
        "exclusive",
    ];
    let text = good(abstracted("rw.sct", &args));
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    Schema::read("abstract.schema.json").check(&json);
    assert_eq!(json["version"], 1);
    assert_eq!(json["method"], "auto");
    assert_eq!(json["reachable"]["count"], 3.0);
    assert_eq!(json["transitions"][0]["guard"], "a1 and a2");
    assert_eq!(json["transitions"][0]["effects"]["a1"], "false");
    assert_eq!(json["transitions"][3]["eliminated"][0], "a2");
    assert_eq!(json["variables"][0]["values"][1]["meaning"], "nw = 0");
    assert_eq!(json["property"]["abstract"], "holds");
    let args = ["--predicates", "nw = 0; nr = 0", "--format", "dot"];
    let dot = good(abstracted("rw.sct", &args));
    assert!(dot.starts_with("digraph abstraction {"), "{dot}");
    assert_eq!(dot.matches("[label=\"").count(), 3 + 7, "{dot}");
    assert!(
        dot.contains("s2 [label=\"a1, a2\", peripheries=2];"),
        "{dot}"
    );
    let args = [
        "--predicates",
        "0 <= i",
        "--property",
        "end",
        "--format",
        "json",
    ];
    let text = good(abstracted("lecture-a.imp", &args));
    let json: Value = serde_json::from_str(&text).expect("it is JSON");
    Schema::read("abstract.schema.json").check(&json);
    assert_eq!(json["property"]["abstract"], "violated");
    assert_eq!(json["property"]["real"], true);
    assert_eq!(json["property"]["steps"].as_array().map(Vec::len), Some(2));
    assert!(json["property"]["run"].is_object());
}

/// I8 to I13: every method on the bakery, with the questions it asks.
#[test]
fn methods_are_chosen_by_name() {
    let predicates = "y1 = 0; y2 = 0; y1 <= y2";
    let run = |more: &[&str]| {
        let mut args = vec!["--predicates", predicates];
        args.extend(more);
        good(abstracted("bakery-001.sct", &args))
    };
    let mut asked = Vec::new();
    for method in ["auto", "substitution", "literals", "models", "elimination"] {
        let text = run(&["--method", method]);
        assert!(text.contains("reachable: 9 states"), "{method}: {text}");
        asked.push(calls(&text));
    }
    assert!(asked[0] < asked[1] && asked[1] < asked[4], "{asked:?}");
    let mut slower = asked[4];
    for parts in ["sets", "sets,dependences"] {
        let text = run(&["--method", "elimination", "--without", parts]);
        assert!(text.contains("reachable: 9 states"), "{text}");
        assert!(calls(&text) > slower, "{parts}");
        slower = calls(&text);
    }
    let text = run(&["--partition", "a1, pc1; a2, a3, pc2"]);
    assert!(
        text.contains("reachable: 13 states") && text.contains("// partition"),
        "{text}"
    );
    let text = run(&["--method", "elimination", "--calls", "50"]);
    assert!(text.contains("prover calls: 50 (the limit"), "{text}");
}

#[test]
fn variables_may_have_several_values() {
    let text = good(abstracted(
        "rw.sct",
        &["--data", "busy = nr + nw in 0..1", "--data", "w: nw = 0"],
    ));
    assert!(
        text.contains("busy: 0 [nr + nw = 0] | 1 [nr + nw = 1] | other ["),
        "{text}"
    );
    assert!(text.contains("w: [nw = 0] | other [nw != 0]"), "{text}");
    assert!(text.contains("busy = other, w = [nw = 0]"), "{text}");
    assert!(
        !text.contains("busy = other, w = other"),
        "two cannot write: {text}"
    );
}

#[test]
fn reachable_states_are_split_on_guards() {
    let args = ["--predicates", "nw = 0; nr = 0", "--split", "nw = 0"];
    let text = good(abstracted("rw.sct", &args));
    assert!(
        text.contains("by guards\n  nw = 0 => true\n  nw != 0 => a2\n"),
        "{text}"
    );
}

#[test]
fn wrong_requests_are_told() {
    let wrong = |args: &[&str], code: i32, message: &str| {
        let ran = abstracted("rw.sct", args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty(), "{}", ran.out);
    };
    wrong(
        &[],
        2,
        "give --predicates, --data, --relation or --counters",
    );
    wrong(&["--predicates", "nx = 0"], 3, "nx");
    wrong(&["--predicates", "nw = "], 3, "<--predicates>:1:");
    wrong(
        &["--predicates", "nw = 0", "--property", "nothing"],
        2,
        "no property `nothing`",
    );
    wrong(
        &["--predicates", "nw = 0", "--partition", "a2"],
        2,
        "no abstract variable `a2`",
    );
    wrong(
        &["--predicates", "nw = 0", "--partition", "a1, a1"],
        2,
        "in a block twice",
    );
    wrong(
        &["--predicates", "nw = 0", "--fewest"],
        2,
        "--fewest belongs",
    );
    wrong(
        &["--predicates", "nw = 0", "--known", "nw = 0"],
        2,
        "is not established: `startW` fails",
    );
    wrong(
        &["--predicates", "nw = 0", "--method", "partition"],
        2,
        "--partition",
    );
    wrong(&["--predicates", "nw = 0", "--without", "luck"], 2, "luck");
    wrong(&["--data", "w nw"], 2, "--data is");
    wrong(&["--data", "w: nw >= 0"], 2, "the same value");
    wrong(
        &["--predicates", "nw = 0", "--split", "nr = 1"],
        2,
        "not a formula over",
    );
    let six = "nw = 0; nw = 1; nw = 2; nw = 3; nw = 4; nw = 5";
    wrong(&["--predicates", six, "--questions"], 2, "at most 5");
    let ran = abstracted(
        "ticket.sct",
        &["--predicates", "z = 0", "--property", "live"],
    );
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is not an invariant"), "{}", ran.err);
    let ran = abstracted("nothing.sct", &["--predicates", "z = 0"]);
    assert_eq!(ran.code, 3);
}

/// the lecture: the questions behind the edges of the first example, and E14's edge that is not
/// there.
#[test]
fn lectures_show_the_question_behind_every_edge() {
    let text = good(abstracted(
        "lecture-a.imp",
        &["--predicates", "0 <= i", "--property", "end"],
    ));
    let edges = text.matches(", edge\n").count();
    assert_eq!(edges, 13, "{text}");
    assert_eq!(
        text.matches(": valid, no edge\n").count(),
        20 - 13,
        "{text}"
    );
    for line in [
        "i < 0 -> [] not (i < 0), that is i < 0 -> N >= 0: not valid for ",
        "i < 0 -> [] not (i >= 0), that is i < 0 -> i <= 0: valid, no edge",
        "i >= 0 -> [] not (i < 0), that is i >= 0 and x >= 0 and N > x -> i >= 0: valid, no edge",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(
        text.contains("it is real: this run takes these steps"),
        "{text}"
    );
}

/// L6 and L7 in words: the spurious path of the second example is told as such.
#[test]
fn spurious_paths_are_told() {
    let args = ["--predicates", "0 <= i", "--property", "end"];
    let text = good(abstracted("lecture-b.imp", &args));
    assert!(
        text.contains("it is spurious: no run takes these steps"),
        "{text}"
    );
    let all = "0 <= i; i >= abs(N) - abs(x); i > abs(N) - abs(x); 0 <= x and x < N";
    let text = good(abstracted(
        "lecture-b.imp",
        &["--predicates", all, "--property", "end"],
    ));
    assert!(text.contains("end: holds in the abstract system"), "{text}");
}

/// I11: blocks that overlap are sound for functions, and so are relations; both together are not.
#[test]
fn overlapping_blocks_are_checked() {
    let function = ["--predicates", "x = 2; y = 0", "--partition", "a1, a2; a1"];
    let text = good(abstracted("overlap.sct", &function));
    let sound = "simulation: every step has an abstract one\n";
    assert!(text.contains(sound), "{text}");
    let relation = [
        "--relation",
        "r: x <= 1 | x >= 1",
        "--predicates",
        "x = 2; y = 0",
        "--property",
        "small",
        "--fewest",
        "--partition",
    ];
    let with =
        |blocks: &'static str| abstracted("overlap.sct", &[&relation[..], &[blocks]].concat());
    assert!(good(with("r, a1; a2")).contains(sound));
    let ran = with("r, a1; r, a2");
    assert_eq!(ran.code, 20, "{}", ran.err);
    for line in [
        "simulation: this is not an abstraction: `simulation, go",
        "  from x = 0",
        "  to   x = 1",
        "small: holds in the abstract system, which is not an abstraction: nothing follows",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    let json = [&relation[..], &["r, a1; r, a2", "--format", "json"]].concat();
    let document: serde_json::Value =
        serde_json::from_str(&abstracted("overlap.sct", &json).out).expect("it is JSON");
    Schema::read("abstract.schema.json").check(&document);
    assert_eq!(document["simulation"]["holds"], false);
    assert_eq!(document["variables"][0]["kind"], "predicate");
}

/// F4: known invariants, and steps that are certain.
#[test]
fn known_invariants_and_must_steps_are_shown() {
    let known = "nw = 0 or nr = 0 and nw <= 1";
    let args = ["--predicates", "nw != 2", "--known", known];
    assert!(good(abstracted("rw.sct", &args)).contains("reachable: 1 state"));
    assert!(good(abstracted("rw.sct", &args[..2])).contains("reachable: 2 states"));
    let args = ["--predicates", "nw = 0; nr = 0", "--must"];
    let text = good(abstracted("rw.sct", &args));
    assert!(
        text.contains(
            "must steps: 3 of 7\n  a1, not a2 -- startR --> a1, not a2\n  \
             a1, a2 -- startW --> not a1, a2\n  a1, a2 -- startR --> a1, not a2\n\
             reached by must steps: 3 of 3 states\n"
        ),
        "{text}"
    );
    let dot = good(abstracted(
        "rw.sct",
        &[&args[..], &["--format", "dot"]].concat(),
    ));
    assert_eq!(dot.matches("style=dashed").count(), 4, "{dot}");
    let json = [&args[..], &["--format", "json"]].concat();
    let document: serde_json::Value =
        serde_json::from_str(&good(abstracted("rw.sct", &json))).expect("it is JSON");
    Schema::read("abstract.schema.json").check(&document);
    assert_eq!(document["must"]["may"], 7);
    // A violation is seen without a counterexample.
    let text = "var x : int = 0\nup: true --> x := x + 1\nerror big: x >= 2\n";
    let args = [
        "abstract",
        "-",
        "--input",
        "sct",
        "--property",
        "big",
        "--must",
    ];
    let predicates = ["--predicates", "x = 0; x = 1; x >= 2"];
    let ran = sectile_with_input(&[&args[..], &predicates].concat(), text);
    let reached = "a run reaches not a1, not a2, a3, where the property fails";
    assert!(ran.out.contains(reached), "{}{}", ran.out, ran.err);
}

/// I21: by the guards of the commands.
#[test]
fn reachable_states_are_split_on_the_guards_of_commands() {
    let args = ["--predicates", "nw = 0; nr = 0", "--split", "guards"];
    let text = good(abstracted("rw.sct", &args));
    // Two guards are formulas over the predicates, and one of them implies the other.
    let cases = text.split("by guards\n").nth(1).unwrap_or_default();
    let cases = cases.lines().take_while(|l| l.starts_with("  ")).count();
    assert_eq!(cases, 4, "{text}");
    assert!(text.contains("  in all other cases => false\n"), "{text}");
}

#[test]
fn abstractions_may_be_relative_to_a_property() {
    let base = ["--predicates", "nw = 0; nr = 0", "--property", "exclusive"];
    let mut relative = base.to_vec();
    relative.push("--relative");
    let text = good(abstracted("rw.sct", &relative));
    assert!(
        text.contains("exclusive: holds in the abstract system"),
        "{text}"
    );
    let ran = abstracted("rw.sct", &["--predicates", "nw = 0", "--relative"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    // A formula of one's own: no step leaves the states outside of it.
    let args = [&base[..2], &["--relative", "nr > 0 => nw = 0", "--must"]].concat();
    let text = good(abstracted("rw.sct", &args));
    assert!(text.contains("reachable: 3 states"), "{text}");
}

/// I16, I17: weak simulation, a weaker Q, partitions, and the system of two states.
#[test]
fn inv_uni_has_all_its_parts() {
    let prove = |args: &[&str]| sectile(&[&["prove", "models/rw.sct"], args].concat());
    let using = ["--property", "strong", "--using", "nw = 0; nr = 0"];
    let commands = "  startW: valid\n  endW: valid\n  startR: valid\n  endR: valid\nproved\n";
    let more: [&[&str]; 4] = [
        &["--relative", "nr > 0 => nw = 0"],
        &["--relative"],
        &["--parts", "apart"],
        &["--parts", "states"],
    ];
    for args in more {
        let ran = prove(&[&using[..], args].concat());
        assert_eq!(ran.code, 0, "{args:?} {}{}", ran.out, ran.err);
        assert!(ran.out.ends_with(commands), "{}", ran.out);
    }
    let ran = prove(&[&using[..], &["--weaker", "nw = 0 or nr = 0"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.contains("rule: Inv-Uni\n  reachable: valid\n"),
        "{}",
        ran.out
    );
    let ran = prove(&[&using[..], &["--weaker", "nw = 0"]].concat());
    assert_eq!(ran.code, 20, "{}", ran.out);
    assert!(ran.out.contains("  reachable: fails\n"), "{}", ran.out);
    // Rule Inv by the system of two states.
    let known = ["--known", "nw = 0 or nr = 0 and nw <= 1"];
    let ran = prove(&[&["--property", "exclusive"], &known[..]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for line in [
        "known invariant: nw = 0 or nr = 0 and nw <= 1\n",
        "rule: Inv-Uni\n  simulation, initial: valid\n  simulation, startW: valid\n",
        "  initial: valid\n  property: valid\n",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    let ran = prove(&["--property", "exclusive", "--known", "nw = 0"]);
    assert_eq!(ran.code, 20, "{}", ran.out);
    assert!(
        ran.out.contains("  simulation, startW: fails\n"),
        "{}",
        ran.out
    );
    let ran = prove(&[&using[..], &known[..]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

/// L3: the structure of the lecture is total with a step from the final location to itself.
#[test]
fn the_final_location_may_have_a_self_loop() {
    let shown = sectile(&["show", "models/lecture-c.imp", "--total"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(
        shown.out.ends_with("l13\n  -> l13: ?true\n"),
        "{}",
        shown.out
    );
    let plain = sectile(&["show", "models/lecture-c.imp"]);
    assert_eq!(plain.out + "  -> l13: ?true\n", shown.out);
    let dot = sectile(&["show", "models/lecture-c.imp", "--total", "--format", "dot"]);
    assert!(dot.out.contains("[label=\"?true\"]"), "{}", dot.out);
    let system = sectile(&["show", "models/rw.sct", "--total"]);
    assert_eq!(system.code, 2, "{}", system.err);
}

fn folder(name: &str) -> PathBuf {
    let unique = format!("sectile-test-{}-{name}", std::process::id());
    let path = std::env::temp_dir().join(unique);
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn proofs_show_their_obligations() {
    let psi = "nw = 0 or nr = 0 and nw <= 1";
    let args = [
        "prove",
        "models/rw.sct",
        "--invariant",
        psi,
        "--property",
        "strong",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.out,
        "invariant: nw = 0 or nr = 0 and nw <= 1\nrule: Inv\n  initial: valid\n  property: valid\n  \
         startW: valid\n  endW: valid\n  startR: valid\n  endR: valid\nproved\n"
    );
    // Rule Inv-Uni with Q = (nw = 0 or nr = 0): docs/papers.md, I16.
    let args = [
        "prove",
        "models/rw.sct",
        "--property",
        "strong",
        "--using",
        "nw = 0; nr = 0",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("known invariant: nr = 0 or nw = 0\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("rule: Inv-Uni"));
}

#[test]
fn failed_proofs_come_with_a_counterexample_to_induction() {
    let ran = sectile(&["prove", "models/rw.sct", "--invariant", "nr <= 3"]);
    assert_eq!(ran.code, 20);
    let expected = "  startR: fails\n    from nr = 3, nw = 0\n    to   nr = 4, nw = 0\n";
    assert!(ran.out.contains(expected), "{}", ran.out);
    assert!(ran.out.ends_with("not proved\n"), "{}", ran.out);
    let args = [
        "prove",
        "models/rw.sct",
        "--invariant",
        "nr <= 3",
        "--format",
        "json",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 20);
    let json: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    Schema::read("prove.schema.json").check(&json);
    assert_eq!(json["proved"], false);
    assert_eq!(json["rule"], "Inv");
    let list = json["obligations"].as_array().expect("a list");
    let failed = list
        .iter()
        .find(|o| o["answer"] == "fails")
        .expect("one fails");
    assert_eq!(failed["name"], "startR");
    assert_eq!(failed["from"]["nr"], "3");
    assert_eq!(failed["to"]["nr"], "4");
}

#[test]
fn proofs_may_be_strengthened_backwards() {
    let args = [
        "prove",
        "models/bakery-001.sct",
        "--property",
        "mutex",
        "--backward",
        "9",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.starts_with("backward procedure: fixpoint after "),
        "{}",
        ran.out
    );
    let args = [
        "prove",
        "models/fig10.sct",
        "--property",
        "safe",
        "--backward",
        "3",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 20);
    assert!(
        ran.out
            .starts_with("backward procedure: no fixpoint after 3 iterations")
    );
}

/// I30: every obligation as a script that other solvers read.
#[test]
fn obligations_are_exported() {
    let folder = folder("obligations");
    let path = folder.to_str().expect("the path is text");
    let args = [
        "prove",
        "models/rw.sct",
        "--invariant",
        "nr <= 3",
        "--export",
        path,
    ];
    assert_eq!(sectile(&args).code, 20);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|e| e.expect("it can be listed").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 5);
    for file in &files {
        let name = file.file_name().and_then(|n| n.to_str()).expect("a name");
        let ran = sectile(&["smt", file.to_str().expect("the path is text")]);
        let expected = if name.contains("startR") {
            "sat"
        } else {
            "unsat"
        };
        assert_eq!(ran.out.trim(), expected, "{name}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn wrong_proofs_are_told() {
    let ran = sectile(&["prove", "models/rw.sct"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("give --invariant"), "{}", ran.err);
    let ran = sectile(&["prove", "models/rw.sct", "--invariant", "nr <"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("<--invariant>:1:"), "{}", ran.err);
    let ran = sectile(&["prove", "models/rw.sct", "--property", "nothing"]);
    assert_eq!(ran.code, 2);
}

/// Figure 10 of Abstraction as the Key, told: the path, its formula, the loop, where it ends, the predicate.
#[test]
fn explanations_tell_every_round() {
    let ran = sectile(&[
        "check",
        "models/fig10.sct",
        "--engine",
        "predabs",
        "--explain",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        ran.out,
        "safe, explained by predabs
  First predicate, of weakest preconditions of the property: x = y
  Round 1: with 1 predicate, 5 abstract states are reached.
  An error is among them, on this path:
    0: pc = l0, x != y
       then a
    1: pc = l1, x != y
       then b
    2: pc = l1, x = y
       then c
    3: pc = l2, x = y
  It is spurious exactly if this is valid:
    pc = l0 -> [a; b; c] pc != l2
  Going backwards from the error, these states lead to it along the path:
    at 3: pc = l2
    at 2: x = y
    at 2: x <= y
    at 1: x <= y
    at 0: false
  The loop b (from 1 to 2) is taken any number of times at once.
  No state at 0 leads on by a to the states at 1: the path is spurious.
  New predicate, of these preconditions of any number of rounds: x <= y
  Round 2: with 2 predicates, 4 abstract states are reached.
  No error is among them: what they have in common is an invariant.
safe: holds
  invariant
    pc = l0 and (x != y or x = y and x <= y) or pc = l1 and x != y and x > y
"
    );
    // Without acceleration the predicates are those of the paper: x + 1 = y and so on.
    let args = [
        "check",
        "models/fig10.sct",
        "--engine",
        "predabs",
        "--explain",
        "--set",
        "acceleration=false",
        "--set",
        "rounds=2",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 20, "{}", ran.err);
    for predicate in ["x + 1 = y", "x + 2 = y"] {
        let line = format!("New predicate, of these weakest preconditions: {predicate}\n");
        assert!(ran.out.contains(&line), "{}", ran.out);
    }
}

#[test]
fn explanations_end_with_the_run() {
    let ran = sectile(&[
        "check",
        "models/lecture-a.imp",
        "--engine",
        "predabs",
        "--explain",
    ]);
    assert_eq!(ran.code, 10, "{}", ran.err);
    assert!(
        ran.out
            .contains("It is real: a run of 2 steps takes it.\nend: violated\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("`i >= 0` is false: i = -1"), "{}", ran.out);
    // Every engine may be listened to.
    let ran = sectile(&["check", "models/rw.sct", "--engine", "slab", "--explain"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out.contains("exclusive, explained by slab"),
        "{}",
        ran.out
    );
    let args = ["check", "models/rw.sct", "--explain", "--format", "json"];
    assert_eq!(sectile(&args).code, 2);
}

/// I29: the counters of a family, and what they prove for every number of processes.
#[test]
fn families_become_counters() {
    let text = good(sectile(&["abstract", "models/semaphore.sct", "--counters"]));
    assert_eq!(
        text,
        "// Counters for the processes P: how many are in each local state.
const n : int
assume n >= 1
param bug = 0
var free : int = 1
var P_idle, P_waiting, P_critical : nat
restrict P_idle + P_waiting + P_critical = n
init P_waiting = 0
init P_critical = 0
want_idle: P_idle >= 1 --> P_idle := P_idle - 1, P_waiting := P_waiting + 1
enter_waiting: (P_waiting >= 1) and (free >= 1) --> free := (free - 1), P_waiting := P_waiting - 1, P_critical := P_critical + 1
leave_critical: P_critical >= 1 --> free := (if (bug = 1) then (free + 2) else (free + 1)), P_idle := P_idle + 1, P_critical := P_critical - 1
invariant mutex: ((P_critical >= 1) => (not (P_critical >= 2)))
invariant permissions: ((bug = 0) => ((free + P_critical) = 1))
"
    );
    let ran = sectile(&["check", "models/semaphore.sct", "--counters"]);
    let how = "[certified for n = 3; for other numbers of processes on the counter system only]";
    let text = format!("mutex: holds {how}\npermissions: holds {how}\n");
    assert_eq!(ran.out, text, "{}", ran.err);
    let ran = sectile(&["check", "models/semaphore.sct", "--counters", "-D", "n=4"]);
    assert_eq!(ran.out, "mutex: holds\npermissions: holds\n", "{}", ran.err);
    // A family that the file itself makes very large is not read.
    let many = "param n = 1000000\nprocess P[i : 1..n] {\n  var s : 0..3 = 0\n  go: s < 3 --> s := s + 1\n}\n\
                invariant a: forall i in 1..n: P[i].s <= 3\n";
    let ran = sectile_with_input(&["check", "-", "--input", "sct", "--counters"], many);
    let how = "on the counter system only: n = 1000000 is more than 50 processes";
    assert_eq!(
        ran.out,
        format!("a: holds [certified {how}]\n"),
        "{}",
        ran.err
    );
    let ran = sectile(&[
        "check",
        "models/semaphore.sct",
        "--counters",
        "-D",
        "bug=1",
        "--trace",
    ]);
    assert_eq!(ran.code, 10);
    assert!(ran.out.contains("constants n = "), "{}", ran.out);
    let args = [
        "abstract",
        "models/readers.sct",
        "--counters",
        "--predicates",
        "P_inside_writes >= 1; P_inside_not_writes >= 1",
        "--property",
        "exclusive",
    ];
    let text = good(sectile(&args));
    assert!(text.contains("exclusive: "), "{text}");
}

/// Counters say of n processes what explicit search says of the processes themselves.
#[test]
fn counters_agree_with_the_processes_they_count() {
    let mut violated = 0;
    for model in ["semaphore.sct", "readers.sct"] {
        let file = format!("models/{model}");
        for bug in ["bug=0", "bug=1"] {
            for n in 1..=4 {
                let size = format!("n={n}");
                let plain = [
                    "explore", &file, "-D", &size, "-D", bug, "--domain", "-1..6",
                ];
                let counted = ["abstract", &file, "--counters", "-D", &size, "-D", bug];
                let text = good(sectile(&counted));
                let more = [
                    "explore", "-", "--input", "sct", "-D", &size, "-D", bug, "--domain", "-1..6",
                ];
                // Bounded searches say less of what holds, but all of what is violated.
                let of = |ran: Ran| -> Vec<String> {
                    assert!(ran.out.contains("states "), "{}", ran.err);
                    let lines = ran.out.lines().filter(|l| l.contains(": violated"));
                    lines.map(str::to_string).collect()
                };
                let (a, b) = (of(sectile(&plain)), of(sectile_with_input(&more, &text)));
                assert_eq!(a, b, "{model} {bug} {size}");
                violated += a.len();
            }
        }
    }
    assert_eq!(violated, 6, "both bugs show with two processes or more");
}

#[test]
fn what_cannot_be_counted_is_refused_at_its_place() {
    let refused = |text: &str, message: &str| {
        let args = ["abstract", "-", "--input", "sct", "--counters"];
        let ran = sectile_with_input(&args, text);
        assert_eq!(ran.code, 3, "{text}: {}", ran.out);
        assert!(ran.err.contains("error[counters]"), "{}", ran.err);
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
    };
    let family = |inside: &str, outside: &str| {
        format!(
            "param n = 3\nprocess P[i : 1..n] {{\n  var pc : {{a, b}} = a\n  {inside}\n}}\n{outside}\n"
        )
    };
    refused(
        "var x : int = 0\ns: true --> x := 1\n",
        "no family of processes",
    );
    refused(
        &family("var k : int = 0", ""),
        "does not have finitely many values",
    );
    refused(
        &family(
            "s: pc = a --> pc := b",
            "var l : int = 0\nt: P[1].pc = a --> l := 1",
        ),
        "distinguish processes by number",
    );
    refused(
        &family("s: l = i --> pc := b", "var l : int = 0"),
        "the index `i` is used as a number",
    );
    refused(
        &family(
            "s: (forall j in 1..n: j < i => P[j].pc = a) --> pc := b",
            "",
        ),
        "by their order",
    );
    refused(
        &family("s: (forall j in 2..n: P[j].pc = a) --> pc := b", ""),
        "does not range over all",
    );
    refused(
        &family(
            "s: pc = a --> pc := b",
            "process Q[i : 1..n] { var x : bool\n t: P[i].pc = a --> x := true }",
        ),
        "processes of different families",
    );
    refused(
        &family(
            "s: pc = a --> pc := b",
            "process Q[i : 1..n] { var x : bool }\n\
             invariant q: forall i in 1..n, j in 1..n: i != j => P[i].pc = a or Q[j].x",
        ),
        "processes of different families",
    );
    refused(&family("clock c", ""), "clock");
    refused(&family("relation r: pc = a and pc' = b", ""), "relation");
    refused(
        &family("s: pc = a --> pc := b", "compose synchronous"),
        "step together",
    );
    refused(
        &family(
            "s: (max j in 1..n: if P[j].pc = a then 1 else 0) = 1 --> pc := b",
            "",
        ),
        "largest",
    );
    refused(
        &family("s: pc = a --> pc := b", "var f[k : 1..n] : bool"),
        "array",
    );
    assert!(root().join("models/semaphore.sct").exists());
    let ran = sectile(&["check", "models/lecture-a.imp", "--counters"]);
    assert_eq!(ran.code, 3);
}
