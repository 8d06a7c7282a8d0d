//! Files with mistakes, and the messages they get.

use crate::support;

use sectile_base::Source;
use sectile_frontend::{ReadOptions, frontends};
use sectile_terms::Terms;
use std::path::Path;
use support::{files, seconds, snapshot};

/// Every file under `tests/bad` has its messages beside it. A first line `// -D NAME=VALUE` (or
/// several) stands for the option.
#[test]
fn mistakes_get_the_messages_of_the_snapshots() {
    for path in files("bad", "sct") {
        let start = seconds();
        let text = messages(&path);
        let used = seconds() - start;
        let limit = if cfg!(debug_assertions) { 3.0 } else { 1.0 };
        assert!(used < limit, "{path:?} took {used} s");
        snapshot(&path.with_extension("txt"), &text);
    }
}

fn messages(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("the test file can be read");
    let name = path
        .file_name()
        .expect("a file has a name")
        .to_string_lossy();
    let source = Source::new(name, String::from_utf8_lossy(&bytes));
    let definitions = source.text().lines();
    let definitions = definitions.map_while(|line| line.strip_prefix("// -D "));
    let options = ReadOptions {
        parameters: definitions
            .filter_map(|d| d.split_once('='))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        ..ReadOptions::default()
    };
    let terms = Terms::new();
    match frontends()[0].read(&terms, &source, &options) {
        Err(diagnostics) => diagnostics.render(&source),
        Ok(reading) if reading.warnings.is_empty() => "nothing is wrong\n".to_string(),
        Ok(reading) => reading.warnings.render(&source),
    }
}
