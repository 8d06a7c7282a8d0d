//! `--report`: the page has what the JSON result has, for every engine and every input language.

use crate::common;

use common::{root, sectile, temporary, zoo};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Where the JSON of a page begins.
const BLOCK: &str = "<script id=\"data\" type=\"application/json\">";

/// Where a page is written.
pub fn target(name: &str) -> PathBuf {
    let unique = format!("sectile-test-{}-{name}.html", std::process::id());
    std::env::temp_dir().join(unique)
}

/// The JSON of a page.
pub fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(BLOCK).expect("the page has its data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).unwrap_or_else(|e| panic!("the data is JSON: {e}"))
}

/// Checks and writes a report: the page and the JSON result of the same run.
pub fn report(name: &str, args: &[&str]) -> (String, Value) {
    let file = target(name);
    let out = file.to_str().expect("the folder is text");
    let mut all = vec!["check"];
    all.extend(args);
    all.extend(["--report", out, "--format", "json", "-q"]);
    let ran = sectile(&all);
    assert!([0, 10, 20].contains(&ran.code), "{args:?}: {}", ran.err);
    let page = std::fs::read_to_string(&file).expect("the page was written");
    std::fs::remove_file(&file).expect("the page can be removed");
    let result = serde_json::from_str(&ran.out).expect("the result is JSON");
    (page, result)
}

/// The page says of every property what the result says, and adds to it.
fn agrees(args: &[&str], page: &str, result: &Value) -> Value {
    let data = data(page);
    assert_eq!(data["input"], result["input"], "{args:?}");
    let shown = data["properties"].as_array().expect("it is a list");
    let known = result["properties"].as_array().expect("it is a list");
    assert_eq!(shown.len(), known.len(), "{args:?}");
    for (shown, known) in shown.iter().zip(known) {
        let mut shown = shown.clone();
        let own = shown.as_object_mut().and_then(|o| o.remove("page"));
        assert!(own.is_some_and(|p| p.is_object()), "{args:?}");
        assert_eq!(&shown, known, "{args:?}");
    }
    for story in data["stories"].as_array().expect("it is a list") {
        graphs_have_their_sizes(args, story);
    }
    data
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is a number"))
}

/// Every graph that is drawn has as many nodes and edges as the engine said.
fn graphs_have_their_sizes(args: &[&str], story: &Value) {
    let empty = Vec::new();
    for (k, step) in story["steps"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .enumerate()
    {
        let Some(scene) = step["scene"].as_u64() else {
            continue;
        };
        let scene = &story["scenes"][usize::try_from(scene).expect("it is small")];
        let k = k as u64;
        // First, last and reason are at these positions.
        let there = |list: &Value, first: usize| {
            let list = list.as_array().expect("it is a list").iter();
            let alive = list.filter(|n| number(&n[first]) <= k && k <= number(&n[first + 1]));
            let reason = |n: &&Value| number(&n[if first == 1 { 4 } else { 5 }]) > 0;
            alive
                .filter(|n| !(reason(n) && number(&n[first + 1]) == k))
                .cloned()
                .collect::<Vec<Value>>()
        };
        let what = format!("{args:?}: {} step {k}", story["engine"]);
        let nodes = there(&scene["nodes"], 1);
        assert_eq!(nodes.len() as u64, number(&step["nodes"]), "{what}: nodes");
        let cells: BTreeSet<(u64, u64)> = nodes
            .iter()
            .map(|n| &scene["shapes"][usize::try_from(number(&n[0])).expect("small")])
            .map(|s| (number(&s[1]), number(&s[2])))
            .collect();
        assert_eq!(
            cells.len(),
            nodes.len(),
            "{what}: nodes have their own places"
        );
        if story["engine"] == "slab" && step["title"] != "verification diagram" {
            let edges = there(&scene["edges"], 3).len() as u64;
            assert_eq!(edges, number(&step["edges"]), "{what}: edges");
        }
    }
}

#[test]
fn the_page_agrees_with_the_result_for_the_whole_zoo() {
    let mut languages = BTreeSet::new();
    let others =
        ["countdown.smt2", "twice.smt2", "counter.vmt"].map(|f| root().join("models").join(f));
    for (k, file) in zoo().into_iter().chain(others).enumerate() {
        let file = file.to_str().expect("names are text");
        let args = [file, "--timeout", "3s"];
        let (page, result) = report(&format!("zoo-{k}"), &args);
        let data = agrees(&args, &page, &result);
        languages.insert(data["input"]["language"].to_string());
        assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
    }
    assert!(languages.len() >= 5, "{languages:?}");
}

#[test]
fn every_engine_has_a_page() {
    let models = [
        "fig10.sct",
        "ticket.sct",
        "lecture-c.bpl",
        "twice.smt2",
        "counter.vmt",
    ];
    let mut told = BTreeSet::new();
    for engine in sectile_driver::registry::engines() {
        let name = engine.info().name;
        for model in models {
            let file = format!("models/{model}");
            let args = [file.as_str(), "--engine", name, "--timeout", "1s"];
            let (page, result) = report(&format!("engine-{name}"), &args);
            let data = agrees(&args, &page, &result);
            let stories = data["stories"].as_array().expect("it is a list");
            let drawn = stories
                .iter()
                .any(|s| s["scenes"].as_array().is_some_and(|s| !s.is_empty()));
            told.extend(drawn.then_some(name));
        }
    }
    for name in ["slab", "kojak", "impact", "horn", "pdr"] {
        assert!(told.contains(name), "{name} draws its graphs: {told:?}");
    }
}

/// Paper: [BrDrFiWe07, Figs 2 and 3].
#[test]
fn the_elevator_is_replayed_as_in_the_paper() {
    let args = [
        "models/elevator-dom.sct",
        "--engine",
        "slab",
        "--slab-paper",
        "--predicates",
        "pc = 1; pc = 2; req <= Max",
    ];
    let (page, result) = report("paper", &args);
    let data = agrees(&args, &page, &result);
    let story = &data["stories"][0];
    let steps = story["steps"].as_array().expect("it is a list");
    let nodes: Vec<u64> = steps.iter().map(|s| number(&s["nodes"])).collect();
    assert_eq!(nodes, [4, 3, 4, 4, 3, 0]);
    let titles: Vec<&str> = steps.iter().filter_map(|s| s["title"].as_str()).collect();
    let split = "split and slice";
    assert_eq!(
        titles,
        [
            "initial abstraction",
            "slice",
            split,
            split,
            "bypass",
            split
        ]
    );
    let splits: Vec<String> = { steps.iter() }
        .flat_map(|s| s["splits"].as_array().into_iter().flatten())
        .map(|s| format!("n{} by {}", s["node"], s["predicate"]))
        .collect();
    assert_eq!(
        splits,
        [
            "n2 by \"pc = 1\"",
            "n5 by \"pc = 2\"",
            "n5 by \"req <= Max\""
        ]
    );
    for predicate in story["predicates"].as_array().expect("it is a list") {
        assert_eq!(
            (&predicate["splits"], &predicate["used"]),
            (&1.into(), &true.into())
        );
    }
    // What n2 becomes stays in the place of n2.
    let scene = &story["scenes"][0];
    let regions = scene["regions"].as_array().expect("it is a list");
    let region = regions.iter().find(|r| r[0] == 1).expect("n2 has one");
    let [left, top, width, height] = [1, 2, 3, 4].map(|i| number(&region[i]));
    let shapes = scene["shapes"].as_array().expect("it is a list");
    for shape in shapes.iter().filter(|s| s[3] != -1) {
        let (x, y) = (number(&shape[1]), number(&shape[2]));
        assert!((left..left + width).contains(&x) && (top..top + height).contains(&y));
    }
}

#[test]
fn the_test_of_a_page_can_be_run() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_sectile"));
    let folder = program.parent().expect("it is in a folder");
    for (k, args) in [
        &["models/bakery.sct", "-D", "bug=1"][..],
        &["models/ticket.sct"],
        &["models/lecture-b.imp"],
    ]
    .into_iter()
    .enumerate()
    {
        let (page, _) = report(&format!("test-{k}"), args);
        for property in data(&page)["properties"].as_array().expect("it is a list") {
            let test = property["page"]["test"].as_str().expect("it has a test");
            let path = std::env::var("PATH").unwrap_or_default();
            let ran = Command::new("bash")
                .args(["-euc", test])
                .current_dir(root())
                .env("PATH", format!("{}:{path}", folder.display()))
                .output()
                .expect("there is a shell");
            let out = String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success(), "{test}: {out}");
            assert!(out.contains("accepted"), "{out}");
        }
    }
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let name = "</script><img src=x onerror=alert(1)>{{data}}<!--";
    let text = format!(
        "(declare-fun |{name}| () Int)\n(declare-fun n () Int)\n\
         (define-fun s () Int (! |{name}| :next n))\n\
         (define-fun i () Bool (! (= |{name}| 0) :init true))\n\
         (define-fun t () Bool (! (= n (+ |{name}| 1)) :trans true))\n\
         (define-fun p () Bool (! (< |{name}| 3) :invar-property 0))\n"
    );
    let file = temporary("hostile<b>&.vmt", &text);
    let args = [file.to_str().expect("it is text")];
    let (page, result) = report("hostile", &args);
    let data = agrees(&args, &page, &result);
    std::fs::remove_file(&file).expect("it can be removed");
    assert_eq!(data["properties"][0]["verdict"], "violated");
    assert_eq!(data["model"]["variables"][0]["name"], name);
    // One end for the data and one for the scripts.
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("<b>"));
}

#[test]
fn a_page_that_cannot_be_written_is_told_first() {
    let ran = sectile(&[
        "check",
        "models/rw.sct",
        "--report",
        "/no/such/folder/a.html",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "error: --report: there is no folder `/no/such/folder`\n"
    );
    let two = [
        "check",
        "models/rw.sct",
        "models/rw.sct",
        "--report",
        "a.html",
    ];
    assert_eq!(sectile(&two).code, 2);
}
