//! The table of the papers (docs/papers.md): no row is missing, its commands do what it says, and its
//! tests exist.

use crate::common::{Ran, root, sectile};
use crate::documents::arguments;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The ids: a letter, and the last number of it.
const IDS: [(char, usize); 9] = [
    ('C', 9),
    ('S', 19),
    ('I', 30),
    ('U', 17),
    ('A', 17),
    ('L', 10),
    ('X', 5),
    ('E', 15),
    ('F', 7),
];

/// A command of a row, with its exit code and pieces of its output.
struct Shown {
    line: String,
    code: i32,
    pieces: Vec<String>,
}

struct Row {
    id: String,
    commands: Vec<Shown>,
    tests: Vec<String>,
    paper: String,
}

/// A text and the spans of code in it, in turns: every second one is code.
fn spans(cell: &str) -> Vec<&str> {
    let spans: Vec<&str> = cell.split('`').collect();
    assert_eq!(spans.len() % 2, 1, "code that does not end: {cell}");
    spans
}

/// `(10)` after a command is its exit code, 0 if there is none.
fn exit_code(text: &str) -> i32 {
    let number = text.trim_start().strip_prefix('(');
    let number = number.and_then(|rest| rest.split(')').next());
    number.map_or(0, |n| n.parse().expect("a code is a number"))
}

fn commands(cell: &str) -> Vec<Shown> {
    let spans = spans(cell);
    let mut commands: Vec<Shown> = Vec::new();
    for pair in spans[1..].chunks_exact(2) {
        match commands.last_mut() {
            _ if pair[0].starts_with("sectile ") => commands.push(Shown {
                line: pair[0].to_string(),
                code: exit_code(pair[1]),
                pieces: Vec::new(),
            }),
            Some(command) => command.pieces.push(pair[0].to_string()),
            None => panic!("a piece without a command: {cell}"),
        }
    }
    commands
}

/// The row of a line, if the line is one.
fn row(line: &str) -> Option<Row> {
    // A bar inside a cell is written as \|.
    let line = line.replace("\\|", "\u{1}");
    let inner = line.strip_prefix("| ")?;
    let cells: Vec<String> = inner
        .trim_end_matches('|')
        .split(" | ")
        .map(|c| c.trim().replace('\u{1}', "|"))
        .collect();
    let numbered = cells[0].strip_prefix(|c: char| c.is_ascii_uppercase())?;
    numbered.parse::<usize>().ok()?;
    assert_eq!(cells.len(), 5, "the cells of {}", cells[0]);
    Some(Row {
        id: cells[0].clone(),
        commands: commands(&cells[1]),
        tests: spans(&cells[2])
            .into_iter()
            .skip(1)
            .step_by(2)
            .map(ToString::to_string)
            .collect(),
        paper: cells[3].clone(),
    })
}

fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(root().join("docs/papers.md"));
    let page = page.expect("the page can be read");
    page.lines().filter_map(row).collect()
}

#[test]
fn every_id_has_a_row() {
    let rows = rows();
    let found: Vec<&str> = rows.iter().map(|r| r.id.as_str()).collect();
    let of = |(letter, last): (char, usize)| (1..=last).map(move |k| format!("{letter}{k}"));
    let expected: Vec<String> = IDS.into_iter().flat_map(of).collect();
    assert_eq!(found, expected);
    for row in rows {
        let id = row.id;
        assert!(!row.commands.is_empty(), "{id} has no command");
        assert!(!row.tests.is_empty(), "{id} has no test");
        assert!(!row.paper.is_empty(), "{id} does not say what it is");
    }
}

/// The files that a module of a crate may be.
fn files(name: &str) -> (Vec<PathBuf>, &str) {
    let mut parts: Vec<&str> = name.split("::").collect();
    let function = parts.pop().expect("a name is not empty");
    let (crate_name, module) = parts.split_first().expect("a test is in a crate");
    let folder = root().join("crates").join(crate_name);
    let module = module.join("/");
    let files = ["tests", "src"].map(|f| folder.join(f).join(format!("{module}.rs")));
    (files.into(), function)
}

/// Whether a text has a test of this name.
fn has_test(text: &str, function: &str) -> bool {
    let Some((before, _)) = text.split_once(&format!("fn {function}(")) else {
        return false;
    };
    let above = before.trim_end().lines().rev().map(str::trim);
    let mut attributes = above.take_while(|l| l.starts_with("#["));
    attributes.any(|l| l == "#[test]")
}

#[test]
fn every_test_of_the_table_exists() {
    for row in rows() {
        for test in &row.tests {
            let (files, function) = files(test);
            let texts = files.iter().filter_map(|f| std::fs::read_to_string(f).ok());
            let found = texts.into_iter().any(|text| has_test(&text, function));
            assert!(found, "{}: there is no test {test}", row.id);
        }
    }
}

/// A folder of our own for what the commands of a row write.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let unique = format!("sectile-papers-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(line: &str, out: &Folder) -> Ran {
    let arguments = arguments(line).expect("it is a command");
    let folder = out.0.to_str().expect("the path is text");
    let arguments: Vec<String> = arguments.iter().map(|a| a.replace("OUT", folder)).collect();
    let mut list: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // What is shown must end by itself; a limit keeps a mistake from hanging the tests.
    if ["check", "explore"].contains(&list[0]) && !list.contains(&"--timeout") {
        list.extend(["--timeout", "60s"]);
    }
    sectile(&list)
}

#[test]
fn every_command_of_the_table_does_what_it_says() {
    let mut known: BTreeMap<String, Ran> = BTreeMap::new();
    for row in rows() {
        let out = Folder::new(&row.id);
        for Shown { line, code, pieces } in row.commands {
            // What writes files is run for every row; all else once.
            if line.contains("OUT") {
                known.remove(&line);
            }
            let ran = known
                .entry(line.clone())
                .or_insert_with(|| run(&line, &out));
            assert_eq!(ran.code, code, "{}: `{line}`: {}", row.id, ran.err);
            for piece in pieces {
                let shown = ran.out.lines().any(|l| l.contains(&piece));
                assert!(shown, "{}: `{line}` lacks `{piece}`:\n{}", row.id, ran.out);
            }
        }
    }
}

/// Paper: [BrDrFiWe07, Fig. 4]: nodes grow much more slowly than combinations of predicates.
#[test]
fn abstractions_stay_far_below_all_combinations() {
    let out = Folder::new("growth");
    let line = "sectile check models/bakery.sct -D n=3 --engine slab --slab-paper --dot OUT";
    assert_eq!(run(line, &out).code, 0);
    let table = std::fs::read_to_string(out.0.join("abstraction.csv")).expect("it was written");
    let mut steps = 0;
    for line in table.lines().skip(1) {
        let numbers: Vec<u32> = line.split(',').take(3).flat_map(str::parse).collect();
        let (predicates, nodes) = (numbers[1], numbers[2]);
        // Beside the predicates, nodes are told apart by `init` and `error`.
        let combinations = 2_u32.saturating_pow(predicates + 2);
        assert!(nodes <= combinations, "{line}");
        if predicates >= 10 {
            assert!(nodes * 32 < combinations, "{line}");
            steps += 1;
        }
    }
    assert!(steps > 10, "{table}");
}
