//! Every exit code of the contract, and what goes to which stream.

use crate::common;

use common::{sectile, sectile_with_input, temporary};

const HOLDS: &str = "var x : 0..3 = 0\nup: x < 3 --> x := x + 1\ninvariant small: x <= 3\n";
const VIOLATED: &str = "var x : 0..3 = 0\nup: x < 3 --> x := x + 1\ninvariant tiny: x <= 1\n";

#[test]
fn everything_holds_is_0() {
    let ran = sectile_with_input(&["check", "-", "--input", "sct"], HOLDS);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("small: holds\n", 0),
        "{}",
        ran.err
    );
}

#[test]
fn a_violation_is_10_even_beside_an_unknown() {
    let ran = sectile_with_input(&["check", "-", "--input", "sct"], VIOLATED);
    assert_eq!((ran.out.as_str(), ran.code), ("tiny: violated\n", 10));
    let both =
        "var x : int = 0\nup: true --> x := x + 1\ninvariant a: x != -1\ninvariant b: x <= 1\n";
    let args = [
        "check", "-", "--input", "sct", "--engine", "bmc", "--set", "depth=5",
    ];
    let ran = sectile_with_input(&args, both);
    assert_eq!(ran.code, 10, "{}", ran.out);
    assert!(
        ran.out.contains("a: unknown (bound reached)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("b: violated"));
}

#[test]
fn unknown_is_20_with_a_reason_and_a_hint() {
    let args = [
        "check",
        "models/fig10.sct",
        "--engine",
        "bmc",
        "--set",
        "depth=3",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 20);
    assert!(
        ran.out.starts_with("safe: unknown (bound reached)\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("reached: no violation has 3 steps or fewer")
    );
    assert!(ran.out.contains("try: "));
}

#[test]
fn a_timeout_is_20_and_is_honoured() {
    let started = std::time::Instant::now();
    let args = [
        "check",
        "models/ticket.sct",
        "-D",
        "n=4",
        "--property",
        "mutex",
        "--engine",
        "bmc",
        "--timeout",
        "1s",
    ];
    let ran = sectile(&args);
    assert_eq!(ran.code, 20, "{}", ran.out);
    assert!(
        ran.out.starts_with("mutex: unknown (timeout)"),
        "{}",
        ran.out
    );
    assert!(
        started.elapsed().as_secs_f64() < 5.0,
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn wrong_usage_is_2() {
    for args in [
        &["check"][..],
        &["frobnicate"],
        &["check", "models/rw.sct", "--engine", "warp"],
        &["check", "models/rw.sct", "--property", "nothing"],
        &["check", "models/rw.sct", "--set", "warp=9"],
        &[
            "check",
            "models/rw.sct",
            "--engine",
            "bmc",
            "--set",
            "depth=deep",
        ],
        &["check", "models/rw.sct", "--timeout", "soon"],
        &["check", "models/rw.sct", "--solver", "no-such-program"],
        &["explore", "models/rw.sct", "--domain", "few"],
    ] {
        let ran = sectile(args);
        assert_eq!(ran.code, 2, "{args:?}: {} {}", ran.out, ran.err);
        assert_eq!(ran.out, "", "{args:?} prints no result");
        assert!(!ran.err.is_empty(), "{args:?} says why");
    }
}

#[test]
fn bad_input_is_3_with_a_place() {
    let file = temporary("bad.sct", "var x : int\nstep: x > y --> x := 0\n");
    let path = file.to_str().expect("the path is text");
    let ran = sectile(&["check", path]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 3));
    assert!(ran.err.contains("bad.sct:2:11"), "{}", ran.err);
    assert!(
        ran.err.contains('^') && ran.err.contains("help"),
        "{}",
        ran.err
    );
    for args in [
        &["check", "no/such/file.sct"][..],
        &["check", "models/README.md"],
        &["check", "-"],
        &["check", "models/rw.sct", "-D", "nothing=1"],
        &["explore", "models/bakery.sct"],
    ] {
        let ran = sectile(args);
        assert_eq!(
            (ran.out.as_str(), ran.code),
            ("", 3),
            "{args:?}: {}",
            ran.err
        );
        assert!(ran.err.starts_with("error["), "{args:?}: {}", ran.err);
    }
    std::fs::remove_file(file).expect("the file can be removed");
}

#[test]
fn binary_input_is_3() {
    let file = std::env::temp_dir().join(format!("sectile-test-{}-binary.sct", std::process::id()));
    std::fs::write(&file, [0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0, 1]).expect("it can be written");
    let ran = sectile(&["check", file.to_str().expect("the path is text")]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 3), "{}", ran.err);
    assert!(ran.err.contains("not UTF-8"), "{}", ran.err);
    std::fs::remove_file(file).expect("the file can be removed");
}

#[test]
fn help_and_version_are_0() {
    for args in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["certify", "--help"],
        &["show", "--help"],
        &["simulate", "--help"],
        &["explore", "--help"],
        &["export", "--help"],
        &["engines"],
    ] {
        let ran = sectile(args);
        assert_eq!(ran.code, 0, "{args:?}");
        assert!(!ran.out.is_empty(), "{args:?}");
    }
}

#[test]
fn without_certification_the_result_says_so() {
    let ran = sectile(&["check", "models/rw.sct", "--no-certify"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out
            .contains("exclusive: holds [not certified: --no-certify]"),
        "{}",
        ran.out
    );
}

#[test]
fn a_person_can_walk_through_a_model() {
    let args = ["simulate", "models/deque.sct", "--interactive"];
    // Start, one step, nonsense, another step, back, the other step, end.
    let ran = sectile_with_input(&args, "0\n0\nwhat\n1\nb\n0\nq\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let labels: Vec<&str> = ran.out.lines().collect();
    assert_eq!(labels.len(), 3, "{}", ran.out);
    assert!(
        labels[0].contains("start") && labels[1].contains("toggle["),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("q to end"), "{}", ran.err);
}

#[test]
fn a_person_types_the_value_of_what_the_model_leaves_open() {
    let model = temporary(
        "open.sct",
        "var x : int = 0\nvar y : bool\nvar k : 0..2 = 0\n\
         pick: k < 2 --> x := any v where v > 0, k := k + 1\nflip: true --> y := any b\n\
         invariant p: x >= 0\n",
    );
    let args = [
        "simulate",
        "--interactive",
        model.to_str().expect("it is text"),
    ];
    // A start, a value that is not offered, two values to choose from, one of them, nonsense, a
    // state that no step leads to, the end.
    let typed = "1\nx = 1234\nx > 10 and x < 13\n1\nfoo\nk = 1\nq\n";
    let ran = sectile_with_input(&args, typed);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run: Vec<&str> = ran.out.lines().collect();
    assert_eq!(run.len(), 3, "{}", ran.out);
    assert!(run[1].contains("x = 1234"), "{}", ran.out);
    assert!(run[2].contains("x = 12,"), "{}", ran.out);
    for told in [
        // What all choices of a command have in common, and what differs.
        "     start  x = 0, k = 0\n  0    y = false\n  1    y = true\n",
        "start> ",
        "step 1> ",
        "     pick  k = 2\n  0    x = 11\n  1    x = 12\n",
        "unknown name `foo`",
        "no step leads to such a state",
        "step 3> ",
    ] {
        assert!(ran.err.contains(told), "{told}\n{}", ran.err);
    }
}

#[test]
fn explicit_search_knows_arrays_that_are_determined_or_few() {
    let text = "enum Id = {p, q}\nvar a : [int]int = [int -> 0]\nvar b : [Id]bool\n\
                var h, t : 0..3 = 0\n\
                put: t < 3 --> a := a[t := t + 5], t := t + 1\n\
                take: h < t --> h := h + 1, b := b[p := true]\n\
                invariant values: h < t => a[h] = h + 5\ninvariant some: not (b[p] and b[q])\n\
                invariant same: a = [int -> 0] or t > 0\n";
    let model = temporary("arrays.sct", text);
    let name = model.to_str().expect("it is text");
    let ran = sectile(&["explore", name]);
    assert!(
        ran.out.starts_with("states 28\ninitial states 4\n"),
        "{}",
        ran.out
    );
    let verdicts = "values: holds\nsome: violated in 0 steps\nsame: holds\n";
    assert!(
        ran.out.contains("search exact\n") && ran.out.contains(verdicts),
        "{}",
        ran.out
    );
    let ran = sectile(&["simulate", name, "--steps", "6"]);
    assert!(
        ran.out.contains("a = [int -> 0][0 := 5][1 := 6]"),
        "{}",
        ran.out
    );
    // One of infinitely many arrays is no start for a search, but for a run.
    let open = temporary(
        "open-arrays.sct",
        &text.replace(" = [int -> 0]\nvar b", "\nvar b"),
    );
    let name = open.to_str().expect("it is text");
    let ran = sectile(&["explore", name]);
    let told = "`a` can be one of infinitely many arrays in the initial states";
    assert!(ran.err.contains(told) && ran.code != 0, "{}", ran.err);
    assert_eq!(sectile(&["simulate", name]).code, 0);
}

#[test]
fn the_same_call_gives_the_same_text() {
    let args = ["check", "models/bakery.sct", "-D", "bug=1", "--trace"];
    assert_eq!(sectile(&args).out, sectile(&args).out);
    let args = [
        "simulate",
        "models/fischer.sct",
        "--seed",
        "7",
        "--steps",
        "12",
    ];
    assert_eq!(sectile(&args).out, sectile(&args).out);
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let ran = sectile(&["completions", "bash"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for word in ["certify", "--slab-paper", "bench", "completions"] {
        assert!(ran.out.contains(word), "{word}");
    }
    assert_eq!(sectile(&["completions", "nonsense"]).code, 2);
    let folder = std::env::temp_dir().join(format!("sectile-man-{}", std::process::id()));
    let shown = folder.to_str().expect("the path is text");
    assert_eq!(sectile(&["man", shown]).code, 0);
    for (page, word) in [("sectile.1", "prove"), ("sectile-check.1", "property")] {
        let text = std::fs::read_to_string(folder.join(page)).expect("the page is there");
        assert!(text.contains(".TH") && text.contains(word), "{text}");
    }
    assert!(!folder.join("sectile-bench-supervise.1").exists());
    std::fs::remove_dir_all(folder).expect("it can be removed");
    assert_eq!(sectile(&["man", "models/rw.sct/man"]).code, 4);
}
