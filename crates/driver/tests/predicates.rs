//! Prescribed predicates: read in the words of the model, and valid after its passes.

use sectile_driver::Loaded;
use sectile_model::Task;
use sectile_terms::{NativePrinter, Stage, Term};
use sectile_testkit::driven::read;
use sectile_transform::{Pass as _, PcEncoding};

const LOOP: &str = "\
l0: x := 0;
l1: while (x < N) {
l2:   x := x + 1;
    }
l3:

always end: l3 => 0 <= x
";

fn printed(loaded: &Loaded, list: &[Term]) -> Vec<String> {
    let printer = NativePrinter::new(&loaded.terms);
    list.iter().map(|&t| printer.print(t)).collect()
}

#[test]
fn blank_pieces_are_nothing() {
    let loaded = read("imp", LOOP);
    let read = |text| loaded.formulas("<here>", text).expect("they are right");
    assert!(read("").is_empty());
    assert!(read(" ; ;\n").is_empty());
    assert_eq!(
        printed(&loaded, &read("x >= 0;;\n x <= N ;")),
        ["x >= 0", "x <= N"]
    );
}

#[test]
fn places_count_characters_and_lines() {
    let loaded = read("imp", LOOP);
    for (text, place) in [
        ("x >= 0;\n   y > 0", "<here>:2:4"),
        ("x >= 0; /* β */ x <= N;\n   y > 0", "<here>:2:4"),
        ("/* β */ x >= 0; y > 0", "<here>:1:17"),
    ] {
        let error = loaded.formulas("<here>", text).expect_err("there is no y");
        assert!(error.message.contains(place), "{text}: {}", error.message);
    }
}

#[test]
fn after_the_encoding_of_the_program_counter_the_symbols_are_the_same() {
    let loaded = read("imp", LOOP);
    let list = loaded
        .formulas("<here>", "x >= 0; x <= N")
        .expect("they are right");
    let module = &loaded.reading.module;
    let property = &module.properties[0];
    let applied = PcEncoding
        .apply(&Task::new(&loaded.terms, &module.model, property))
        .expect("programs can be encoded");
    for predicate in list {
        for (symbol, stage) in loaded.terms.free_vars(predicate) {
            assert_eq!(stage, Stage::Now);
            let model = &applied.model;
            assert!(model.variables.contains(&symbol) || model.rigid.contains(&symbol));
        }
    }
}
