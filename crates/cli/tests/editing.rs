//! `sectile fmt` and `sectile watch`.

use crate::common;

use common::{sectile, sectile_with_input, temporary};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

#[test]
fn files_are_formatted_in_place_and_checked_without_writing() {
    let untidy = temporary("untidy.sct", "var x:int=0\nstep:x>=0-->x:=x+1\n");
    let name = untidy.to_string_lossy().into_owned();
    let ran = sectile(&["fmt", "--check", &name, "models/bakery.sct"]);
    assert_eq!((ran.code, ran.out.trim()), (10, name.as_str()));
    assert_eq!(sectile(&["fmt", &name]).code, 0);
    let text = std::fs::read_to_string(&untidy).expect("it is still there");
    assert_eq!(text, "var x : int = 0\nstep: x >= 0 --> x := x + 1\n");
    let ran = sectile(&["fmt", "--check", &name]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    std::fs::remove_file(untidy).expect("the file was there");
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    let ran = sectile_with_input(&["fmt", "-", "--input", "imp"], "x:=1;\nassert x>0");
    assert_eq!((ran.code, ran.out.as_str()), (0, "x := 1;\nassert x > 0\n"));
    let ran = sectile_with_input(&["fmt", "-", "--input", "sct"], "var x :");
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("<stdin>:1:8"), "{}", ran.err);
    let ran = sectile(&["fmt", "models/elevator.bpl"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("sct and imp have one"), "{}", ran.err);
}

#[test]
fn a_file_is_checked_again_when_it_changes() {
    let text = |limit: u32, more: &str| {
        let step = "step: x < 3 --> x := x + 1";
        format!("var x : int = 0\n{step}\ninvariant small: x <= {limit}\n{more}")
    };
    let file = temporary("watched.sct", &text(3, "invariant old: x >= 0\n"));
    // As a whole: half a file would be a text of its own.
    let write = |text: &str| {
        let new = temporary("watched.new", text);
        std::fs::rename(new, &file).expect("it can be replaced");
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_sectile"))
        .args(["watch", "--rounds", "4", "--quiet"])
        .arg(&file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let out = BufReader::new(child.stdout.take().expect("it has an output"));
    let mut lines = out.lines().map(|l| l.expect("the output is text"));
    let mut next = |n: usize| -> Vec<String> { lines.by_ref().take(n).collect() };
    let name = file.display();
    assert_eq!(
        next(3),
        [
            &format!("--- {name}, check 1"),
            "small: holds",
            "old: holds"
        ]
    );
    write(&text(2, ""));
    assert_eq!(
        next(3),
        [
            &format!("--- {name}, check 2"),
            "small: violated (was: holds)",
            "old: no longer there"
        ]
    );
    write("var x : ");
    assert_eq!(next(1), [format!("--- {name}, check 3")]);
    write(&text(4, ""));
    // The third check may see the new text already, and is ended then.
    let rest: Vec<String> = lines.collect();
    let last = rest.last().map(String::as_str);
    assert_eq!(last, Some("small: holds (was: violated)"), "{rest:?}");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    std::fs::remove_file(file).expect("the file was there");
}
