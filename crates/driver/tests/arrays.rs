//! Programs and systems with arrays, by engines that see a few elements of them only.
#![allow(clippy::unwrap_used)]

use sectile_driver::{CheckOptions, Loaded, registry};
use sectile_engine::{Settings, Silent};
use sectile_report::{PropertyReport, Status};
use sectile_testkit::driven::{checked, options, read, report};
use sectile_testkit::files::shared;
use std::time::Duration;

fn program(text: &str) -> Loaded {
    read("boogie", text)
}

/// The report about the only property. No evidence fails its check.
fn decide(loaded: &Loaded, engine: &str, seconds: u64) -> PropertyReport {
    report(loaded, &options(engine, seconds, Settings::default()))
}

/// An element is set, then a range that may include it is overwritten by numbers below a bound.
fn range(bound: u32, asserted: &str) -> String {
    format!(
        "procedure main() {{
           var a : [int]int;
           var i, x, n : int;
           a[4711] := 5;
           i := 0;
           while (i < n) {{
             havoc x;
             assume x < {bound};
             a[i] := x;
             i := i + 1;
           }}
           assert {asserted};
         }}"
    )
}

/// The index of an update is an element of the same array.
fn nested_index(value: u32) -> String {
    format!(
        "procedure main() {{
           var a : [int]int;
           assume a[0] == 7;
           a[a[0]] := {value};
           assert a[0] == 7 && a[7] == 8;
         }}"
    )
}

/// Equal arrays have equal elements at equal indices.
fn equal_arrays(condition: &str) -> String {
    format!(
        "procedure main() {{
           var a, b : [int]int;
           var x, y, i, j : int;
           assume x == a[i];
           assume y != b[j];
           assume {condition};
           assume x == y;
           assert i != j;
         }}"
    )
}

#[test]
fn what_holds_of_the_elements_is_proved() {
    let programs = [
        range(77, "a[4711] < 77"),
        range(77, "n > 4711 || a[4711] == 5"),
        nested_index(8),
        equal_arrays("a == b"),
    ];
    for text in &programs {
        let loaded = program(text);
        for engine in ["auto", "kojak", "impact", "elim"] {
            let report = decide(&loaded, engine, 60);
            let why = &report.reached;
            assert_eq!(report.status, Status::Holds, "{engine}: {text}\n{why}");
        }
    }
}

#[test]
fn violations_are_runs_of_whole_arrays() {
    let programs = [
        range(78, "n > 3 || a[1] < 77"),
        range(77, "a[0] != 3 || n <= 2"),
        nested_index(9),
        equal_arrays("a[k] == b[k]").replace("i, j :", "i, j, k :"),
        equal_arrays("a != b"),
    ];
    for text in &programs {
        let loaded = program(text);
        for engine in ["auto", "kojak", "impact", "bmc"] {
            let report = decide(&loaded, engine, 60);
            let why = &report.reached;
            assert_eq!(report.status, Status::Violated, "{engine}: {text}\n{why}");
        }
    }
}

/// Nobody is wrong, whatever engine is asked.
#[test]
fn no_engine_is_wrong_about_arrays() {
    let programs = [
        (range(77, "a[4711] < 77"), Status::Violated),
        (nested_index(9), Status::Holds),
        (equal_arrays("a != b"), Status::Holds),
    ];
    for (text, wrong) in &programs {
        let loaded = program(text);
        for engine in registry::engines() {
            let name = engine.info().name;
            let report = decide(&loaded, name, 2);
            assert_ne!(report.status, *wrong, "{name}: {text}");
        }
    }
}

/// Nothing in the programs says `a[i + 5]`, but only that element tells that `j` finds the one that
/// was read first: without it there is a run of the elements that is none of the array. Where the claim
/// itself reads the element, its index is foreseen; where a step before it does, the element is added.
#[test]
fn elements_that_are_missing_are_added() {
    let text = |end: &str| {
        format!(
            "procedure main() {{
               var a : [int]int;
               var i, j, first, second : int;
               var odd : bool;
               first := a[i];
               i := i - 5;
               while (*) {{ odd := !odd; }}
               j := i + 5;
               while (*) {{ odd := !odd; }}
               {end}
             }}"
        )
    };
    let cells = |end: &str| {
        let report = decide(&program(&text(end)), "kojak", 60);
        assert_eq!(report.status, Status::Holds, "{}", report.reached);
        report.statistics["cells"]
    };
    assert!(cells("assert a[j] == first;") > 0);
    // The program itself has two, `a[i]` and `a[j]`.
    let before = "second := a[j]; while (*) { odd := !odd; } assert second == first;";
    assert!(cells(before) > 2);
}

/// Whether two arrays are equal is remembered as a whole.
#[test]
fn equal_arrays_stay_equal() {
    let text = "procedure main(n : int) {
           var a, saved, c : [int]int;
           var i : int;
           saved := a;
           i := 0;
           while (i < n) {
             c[i] := a[i];
             i := i + 1;
           }
           assert a == saved;
         }";
    for engine in ["kojak", "impact", "slab"] {
        let report = decide(&program(text), engine, 60);
        assert_eq!(report.status, Status::Holds, "{engine}: {}", report.reached);
        let changed = text.replace("c[i] := a[i];", "a[i] := c[i];");
        let report = decide(&program(&changed), engine, 60);
        assert_eq!(
            report.status,
            Status::Violated,
            "{engine}: {}",
            report.reached
        );
    }
}

/// The loop runs long, and its run is tried on whole arrays without a solver.
#[test]
fn long_runs_are_found() {
    let text = "procedure main() {
           var a : [int]int;
           var x : int;
           a[x] := 0;
           while (a[x] < 500) {
             a[x] := a[x] + 1;
           }
           assert a[0] != 1 || a[x] != 500;
         }";
    let report = decide(&program(text), "auto", 60);
    assert_eq!(report.status, Status::Violated, "{}", report.reached);
}

/// Systems have arrays as well; what is not about single states is refused.
#[test]
fn systems_with_arrays_are_decided() {
    let text = "
var a : [int]int
var i : int = 0
const n : int
fill: i < n --> a := a[i := 1], i := i + 1
invariant positive: not (0 <= n and n < i) and (n != 1 or i < 1 or a[0] = 1)
";
    let loaded = read("sct", text);
    for engine in ["slab", "kojak", "kinduction", "auto"] {
        let report = decide(&loaded, engine, 60);
        let why = &report.reached;
        assert_eq!(report.status, Status::Holds, "{engine}: {why}");
    }
    // Elements do not tell that arrays are equal, but one tells that they are not.
    let whole = "
var a : [int]int
var b : [int]int
var i : int = 1
init a[0] = 0 and b[0] = 1
copy: true --> a := a[i := b[i]], b := b, i := i + 1
invariant different: a != b
";
    for engine in ["kojak", "slab", "auto"] {
        let report = decide(&read("sct", whole), engine, 60);
        let why = &report.reached;
        assert_eq!(report.status, Status::Holds, "{engine}: {why}");
    }
    let branching = text.replace(
        &text[text.find("invariant").unwrap()..],
        "ctl possible: EF (a[0] = 1)\n",
    );
    let report = decide(&read("sct", &branching), "ctl", 5);
    assert_eq!(report.status, Status::Unknown);
    assert!(report.reached.contains("cells"), "{}", report.reached);
}

/// The programs with maps of a collection beside the project have the verdicts of its tables. Two
/// of them have many assertions and take minutes.
#[test]
fn programs_with_maps_are_decided_as_labelled() {
    let Some(shared) = shared("bench/boogie") else {
        return;
    };
    for set in ["tiny", "dev"] {
        let table = std::fs::read_to_string(shared.join(format!("{set}.tsv"))).unwrap();
        let rows = table.lines().map(|l| l.split('\t').collect::<Vec<_>>());
        let rows = rows.filter(|r| r[9] == "1" && !r[0].contains("speedup"));
        for row in rows {
            let text = std::fs::read_to_string(shared.join(set).join(row[0])).unwrap();
            let options = CheckOptions {
                timeout: Some(Duration::from_secs(60)),
                ..CheckOptions::default()
            };
            let checked = checked(&program(&text), &options, &mut Silent);
            let expected = match row[1] {
                "safe" => Status::Holds,
                _ => Status::Violated,
            };
            let all = checked.report.properties.iter();
            let worst = { all.clone() }.find(|p| p.status != Status::Holds);
            let worst = worst.or(all.clone().next()).unwrap();
            assert_eq!(worst.status, expected, "{}: {}", row[0], worst.reached);
        }
    }
}
