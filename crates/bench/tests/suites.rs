//! Suites that are right, and the messages for those that are not.

use sectile_base::Source;
use sectile_bench::Verdict;
use sectile_bench::plan::{Description, Plan, plan};
use sectile_bench::suite::{Program, Suite, read};
use std::path::{Path, PathBuf};

fn suite(text: &str) -> Suite {
    read(Source::new("s.toml", text)).unwrap_or_else(|e| panic!("{e}"))
}

fn message(text: &str) -> String {
    match read(Source::new("s.toml", text)) {
        Ok(_) => panic!("this should be refused:\n{text}"),
        Err(e) => e.to_string(),
    }
}

/// Models that exist by their name only: two safety properties and one other.
fn fake(file: &str, parameters: &[(String, String)]) -> Result<Description, String> {
    if file.ends_with("broken.sct") {
        return Err("error[sct]: nothing makes sense\n --> broken.sct:1:1".to_string());
    }
    let bug = parameters.iter().any(|(n, v)| n == "bug" && v == "1");
    let verdict = if bug {
        Verdict::Violated
    } else {
        Verdict::Holds
    };
    Ok(Description {
        safety: vec!["a".to_string(), "b".to_string()],
        others: vec!["live".to_string()],
        expected: vec![("a".to_string(), verdict)],
    })
}

/// A folder with some files, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let unique = format!("sectile-suites-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        for (file, text) in [
            ("m.sct", ""),
            ("broken.sct", ""),
            ("p1.bpl", "//#Safe\n"),
            ("p2.bpl", "// header\n//#Unsafe\n"),
            ("p3.bpl", ""),
            (
                "v.tsv",
                "name\tfound\np1.bpl\tsafe\np2.bpl\tunsafe\np3.bpl\topen\n",
            ),
        ] {
            std::fs::write(folder.join(file), text).expect("the temporary folder can be written");
        }
        Folder(folder)
    }

    fn plan(&self, text: &str) -> Result<Plan, String> {
        plan(&suite(text), &self.0, &fake).map_err(|e| e.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.tasks.iter().map(|t| t.name.as_str()).collect()
}

#[test]
fn a_suite_is_read_whole() {
    let suite = suite(
        r#"
title = "T"
repeat = 3
reference = ["s"]

[limits]
cpu = "500ms"
memory = "1GiB"

[[contender]]
engine = "slab"
options = "--slab-paper --set 'x=a b'"

[[contender]]
name = "other"
command = "tool --in {file}"
answers = { holds = ["safe", "/proved.*/"], violated = "unsafe" }

[[task]]
file = "m.sct"
parameters = { n = "2..4", k = [1, "7..8"] }
reference = { s = [1, 2.50, "timeout"] }
"#,
    );
    assert_eq!((suite.repeat, suite.limits.memory), (3, 1 << 30));
    assert_eq!(suite.limits.cpu.as_millis(), 500);
    assert_eq!(suite.limits.wall().as_millis(), 1750);
    let Program::Engine { options, .. } = &suite.contenders[0].program else {
        panic!("it is an engine");
    };
    assert_eq!(options, &["--slab-paper", "--set", "x=a b"]);
    assert_eq!(suite.contenders[0].name, "slab");
    let entry = &suite.entries[0];
    let values: Vec<String> = entry
        .parameters
        .iter()
        .map(|(n, v)| format!("{n} {}", v.join(",")))
        .collect();
    assert_eq!(values, ["n 2,3,4", "k 1,7,8"]);
    assert_eq!(entry.reference[0].1, ["1", "2.50", "timeout"]);
}

#[test]
fn entries_stand_for_tasks() {
    let folder = Folder::new("entries");
    let plan = folder
        .plan(
            r#"
title = "T"
reference = ["s"]
[[task]]
file = "m.sct"
name = "M {n}, bug {bug}, {property}"
parameters = { n = "2..3", bug = [0, 1] }
properties = ["a", "live"]
reference = { s = [1, 2, 3, 4, 5, 6, 7, 8] }
[[task]]
file = "m.sct"
"#,
        )
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(plan.tasks.len(), 8 + 2);
    assert_eq!(
        names(&plan)[..3],
        ["M 2, bug 0, a", "M 2, bug 0, live", "M 2, bug 1, a"]
    );
    assert_eq!(names(&plan)[8..], ["m a", "m b"]);
    let last = &plan.tasks[7];
    assert_eq!(
        (last.family.as_str(), last.size),
        ("M, bug, live", Some(3.0))
    );
    assert_eq!(last.reference, ["8"]);
    let parameters: Vec<String> = last
        .parameters
        .iter()
        .map(|(n, v)| format!("{n}={v}"))
        .collect();
    assert_eq!(parameters, ["n=3", "bug=1"]);
    assert_eq!(plan.tasks[2].expected, Some(Verdict::Violated));
    assert_eq!(plan.tasks[1].expected, None);
}

#[test]
fn names_are_unique() {
    let folder = Folder::new("unique");
    let text = "title = \"T\"\n[[task]]\nfile = \"m.sct\"\nname = \"M\"\nparameters = { n = \"1..2\" }\nproperties = [\"a\"]\n";
    let error = folder.plan(text).unwrap_err();
    assert!(error.contains("there are two tasks called `M`"), "{error}");
    assert!(error.contains("s.toml:2:1"), "{error}");
}

#[test]
fn expectations_come_from_the_header_the_suite_a_table_or_words() {
    let folder = Folder::new("expect");
    let of = |expect: &str, file: &str, properties: &str| {
        let text = format!(
            "title = \"T\"\n[[task]]\nfile = \"{file}\"\nname = \"{{stem}}\"\nproperties = {properties}\n{expect}\n"
        );
        let plan = folder.plan(&text).unwrap_or_else(|e| panic!("{e}"));
        let expected = plan
            .tasks
            .iter()
            .map(|t| t.expected.map_or("-", |v| v.word()));
        expected.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("", "m.sct", "[\"a\", \"b\"]"), "holds -");
    assert_eq!(
        of("parameters = { bug = 1 }", "m.sct", "\"all\""),
        "violated"
    );
    assert_eq!(of("expect = \"violated\"", "m.sct", "[\"b\"]"), "violated");
    let table = "expect = { table = \"v.tsv\", key = \"name\", verdict = \"found\", holds = \"safe\", violated = \"unsafe\" }";
    assert_eq!(of(table, "p*.bpl", "\"all\""), "holds violated -");
    let safe = format!("{table}\nwhere = {{ found = [\"safe\", \"odd\"] }}");
    assert_eq!(of(&safe, "p*.bpl", "\"all\""), "holds");
    let words = "expect = { holds = \"#Safe\", violated = \"#Unsafe\" }";
    assert_eq!(of(words, "p?.bpl", "\"all\""), "holds violated -");
}

#[test]
fn files_that_are_not_there_are_skipped_or_reported() {
    let folder = Folder::new("absent");
    let plan = folder
        .plan("title = \"T\"\n[[task]]\nfile = \"nowhere/*.bpl\"\n")
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(plan.skipped, ["no file matches nowhere/*.bpl"]);
    let error = folder
        .plan("title = \"T\"\n[[task]]\nfile = \"nowhere.sct\"\n")
        .unwrap_err();
    assert_eq!(
        error,
        "error[bench-task]: there is no file nowhere.sct\n --> s.toml:3:8\n  |\n3 | file = \"nowhere.sct\"\n  |        ^^^^^^^^^^^^^\n  = help: files are relative to the folder of the suite"
    );
    let error = folder
        .plan("title = \"T\"\n[[task]]\nfile = \"broken.sct\"\n")
        .unwrap_err();
    assert!(error.contains("this model cannot be read"), "{error}");
    assert!(error.contains("nothing makes sense"), "{error}");
}

#[test]
fn what_contradicts_the_model_is_refused() {
    let folder = Folder::new("contradict");
    for (line, wanted) in [
        ("properties = [\"c\"]", "the model has no property `c`"),
        (
            "properties = [\"a\"]\nexpect = \"violated\"",
            "expects `holds`",
        ),
        (
            "reference = { s = [1, 2, 3] }",
            "`s` has 3 values, and the entry stands for 2 tasks",
        ),
        ("expect = { table = \"none.tsv\" }", "cannot be read"),
        (
            "expect = { table = \"v.tsv\", key = \"file\" }",
            "the table has no column `file`",
        ),
        (
            "expect = { table = \"v.tsv\", key = \"name\", verdict = \"found\" }\nwhere = { track = \"LIA\" }",
            "no table of verdicts has a column `track`",
        ),
        (
            "where = { track = \"LIA\" }",
            "no table of verdicts has a column `track`",
        ),
    ] {
        let text =
            format!("title = \"T\"\nreference = [\"s\"]\n[[task]]\nfile = \"m.sct\"\n{line}\n");
        let error = folder.plan(&text).unwrap_err();
        assert!(error.contains(wanted), "{line}: {error}");
        assert!(error.contains("--> s.toml:"), "{error}");
        assert!(error.contains('^'), "{error}");
    }
}

#[test]
fn mistakes_are_shown_at_their_place() {
    const TASK: &str = "[[task]]\nfile = \"m.sct\"\n";
    for (text, wanted) in [
        ("title = \"T\ntask", "s.toml:1:"),
        (TASK, "`title` is missing"),
        ("title = \"T\"\n", "the suite has no task"),
        (
            "title = 3\n[[task]]\nfile = \"m.sct\"\n",
            "`title` must be a text in quotes, not this integer",
        ),
        (
            "title = \"T\"\ntitel = 1\n[[task]]\nfile = \"m.sct\"\n",
            "a suite has no key `titel`",
        ),
        (
            "title = \"T\"\nlimits = { cpu = \"fast\" }\n[[task]]\nfile = \"m.sct\"\n",
            "does not start with a number",
        ),
        (
            "title = \"T\"\nlimits = { cpu = \"0s\" }\n[[task]]\nfile = \"m.sct\"\n",
            "no time is too little",
        ),
        (
            "title = \"T\"\nlimits = { memory = \"1 acre\" }\n[[task]]\nfile = \"m.sct\"\n",
            "no unit of memory",
        ),
        (
            "title = \"T\"\nrepeat = 0\n[[task]]\nfile = \"m.sct\"\n",
            "a positive whole number",
        ),
        ("title = \"T\"\ntask = 1\n", "a list of tables"),
        (
            "title = \"T\"\n[[task]]\nname = \"x\"\n",
            "`file` is missing",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\nparameters = { n = \"5..2\" }\n",
            "no value for the parameter `n`",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\nexpect = \"maybe\"\n",
            "`maybe` is no expectation",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\ncontenders = [\"x\"]\n",
            "there is no contender `x`",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\nreference = { s = 1 }\n",
            "there is no reference column `s`",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\nname = \"x\"\n",
            "either an `engine` or a `command`",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\ncommand = \"t {smt}\"\n",
            "no placeholder `{smt}`",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\ncommand = \"t {file}\"\n",
            "how to read the answers",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\ncommand = \"t 'x\"\n",
            "a quote is not closed",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\ncommand = \"t {chc}\"\nanswers = { holds = \"/(/\" }\n",
            "no regular expression",
        ),
        (
            "title = \"T\"\n[[task]]\nfile = \"m.sct\"\n[[contender]]\nengine = \"a\"\n[[contender]]\nengine = \"a\"\n",
            "two contenders called `a`",
        ),
    ] {
        let error = message(text);
        assert!(error.contains(wanted), "{text}\n{error}");
        assert!(
            error.contains("--> s.toml:") && error.contains('^'),
            "{error}"
        );
    }
    assert_eq!(
        message("title = \"T\"\n[[task]]\nfile = \"m.sct\"\nparameter = { n = 2 }\n"),
        "error[bench-suite]: a task has no key `parameter`\n --> s.toml:4:1\n  |\n4 | parameter = { n = 2 }\n  | ^^^^^^^^^\n  = help: the keys are file, name, family, parameters, properties, expect, where, reference, contenders"
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    let error = message("title = 1\nrepeat = -1\n[[task]]\nfile = 2\n");
    assert_eq!(error.matches("error[bench-suite]").count(), 3, "{error}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let whole = include_str!("../../../bench/slab.toml");
    for end in (0..whole.len())
        .filter(|i| whole.is_char_boundary(*i))
        .step_by(7)
    {
        let _ = read(Source::new("s.toml", &whole[..end]));
        let _ = read(Source::new(
            "s.toml",
            format!("{}[{}", &whole[..end], &whole[end..]),
        ));
    }
    let deep = format!("title = {}", "[".repeat(20_000));
    assert!(read(Source::new("s.toml", deep)).is_err());
}

#[test]
fn our_own_suites_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    for entry in std::fs::read_dir(folder).expect("the suites are there") {
        let path = entry.expect("the suites can be listed").path();
        if path.extension().is_some_and(|e| e == "toml") {
            let text = std::fs::read_to_string(&path).expect("the suites can be read");
            let suite = suite(&text);
            assert!(!suite.contenders.is_empty() && !suite.entries.is_empty());
        }
    }
}

#[test]
fn the_example_in_the_documents_is_right() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format/bench.md");
    let text = std::fs::read_to_string(document).expect("the document can be read");
    let (_, behind) = text.split_once("```toml\n").expect("it has an example");
    let (example, _) = behind.split_once("```").expect("the example ends");
    let suite = suite(example);
    assert_eq!((suite.entries.len(), suite.contenders.len()), (2, 2));
}
