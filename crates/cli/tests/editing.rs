//! `sectile fmt`.

use crate::common;

use common::{sectile, sectile_with_input, temporary};

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
