//! Valid files: what they are read as, and that printing and reading again changes nothing.

use crate::support;

use sectile_base::Source;
use sectile_frontend::sct::print_module;
use sectile_terms::Terms;
use support::{files, read, snapshot};

/// Every file under `tests/good` has the flat text it means beside it.
#[test]
fn files_mean_what_their_snapshots_say() {
    for path in files("good", "sct") {
        let terms = Terms::new();
        let reading = read(&terms, &path, &[]).unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        let text = print_module(&terms, &reading.module);
        snapshot(&path.with_extension("txt"), &text);
    }
}

#[test]
fn printing_and_reading_again_changes_nothing() {
    for path in files("good", "sct") {
        let terms = Terms::new();
        let reading = read(&terms, &path, &[]).unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        let text = print_module(&terms, &reading.module);
        let flat = Source::new(path.to_string_lossy(), text.clone());
        let again = support::read_source(&terms, &flat, &[]);
        let again = again.unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        support::assert_same(&reading.module, &again.module);
        // A new store orders its terms by the flat text; the text is the same nevertheless.
        let other = Terms::new();
        let fresh = support::read_source(&other, &flat, &[]);
        let fresh = fresh.unwrap_or_else(|e| panic!("{path:?}\n{e}"));
        assert_eq!(text, print_module(&other, &fresh.module));
    }
}

#[test]
fn reading_twice_gives_the_same() {
    for path in files("good", "sct") {
        let (one, two) = (Terms::new(), Terms::new());
        let a = read(&one, &path, &[]).expect("read before");
        let b = read(&two, &path, &[]).expect("read before");
        assert_eq!(format!("{:?}", a.module), format!("{:?}", b.module));
        assert_eq!(one.len(), two.len());
    }
}
