//! What the tests share: files, snapshots, reading.
#![allow(dead_code)]

use sectile_base::Source;
use sectile_frontend::{ReadOptions, Reading, frontends};
use sectile_model::{Model, Module};
use sectile_terms::Terms;
use std::path::{Path, PathBuf};

/// The files of a folder of `tests` with this ending, sorted.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of test files exists");
    let paths = entries.map(|e| e.expect("the folder can be read").path());
    let mut found: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

/// Compares with a stored text, or stores it if `UPDATE_SNAPSHOTS` is set.
pub fn snapshot(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, text).expect("the snapshot can be written");
        return;
    }
    let stored = std::fs::read_to_string(path)
        .unwrap_or_else(|_| panic!("{path:?} is missing; set UPDATE_SNAPSHOTS=1 to make it"));
    assert!(
        stored == text,
        "{path:?} differs; set UPDATE_SNAPSHOTS=1 to accept\n--- stored\n{stored}\n--- now\n{text}"
    );
}

/// Reads a file of the tests under its bare name.
pub fn read(
    terms: &Terms,
    path: &Path,
    parameters: &[(String, String)],
) -> Result<Reading, String> {
    let bytes = std::fs::read(path).expect("the test file can be read");
    let name = path
        .file_name()
        .expect("a file has a name")
        .to_string_lossy();
    let source = Source::new(name, String::from_utf8_lossy(&bytes));
    read_source(terms, &source, parameters)
}

/// Reads a text; the mistakes come rendered.
pub fn read_source(
    terms: &Terms,
    source: &Source,
    parameters: &[(String, String)],
) -> Result<Reading, String> {
    let options = ReadOptions {
        parameters: parameters.to_vec(),
        ..ReadOptions::default()
    };
    let ending = source.name().rsplit('.').next().unwrap_or("sct");
    let frontend = frontends().iter().find(|f| f.info().ending == ending);
    let frontend = frontend.expect("there is a front-end for the ending");
    let reading = frontend.read(terms, source, &options);
    reading.map_err(|diagnostics| diagnostics.render(source))
}

/// The same system and properties, leaving aside places in the text, and families, which a flat
/// text does not have.
pub fn assert_same(a: &Module, b: &Module) {
    let (x, y) = (&a.model, &b.model);
    assert!(x.is_system() && y.is_system());
    assert_eq!(x.variables, y.variables);
    assert_eq!(x.rigid, y.rigid);
    assert_eq!(x.init, y.init);
    assert_eq!(x.restrict, y.restrict);
    assert_eq!(x.edges.len(), y.edges.len());
    for (c, d) in x.commands().zip(y.commands()) {
        let mut d = d.clone();
        d.span = c.span;
        d.parts.clone_from(&c.parts);
        assert_eq!(*c, d);
    }
    assert_eq!(a.properties.len(), b.properties.len());
    for (p, q) in a.properties.iter().zip(&b.properties) {
        assert_eq!((&p.name, &p.kind), (&q.name, &q.kind));
    }
}

/// Processor time of this thread, which a busy machine does not stretch.
pub fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks: Vec<f64> = fields
        .skip(11)
        .take(2)
        .filter_map(|f| f.parse().ok())
        .collect();
    ticks.iter().sum::<f64>() / 100.0
}

/// The graph of a program.
pub fn graph(reading: &Reading) -> &Model {
    assert!(!reading.module.model.is_system(), "a program is a graph");
    &reading.module.model
}

/// `from->to statement`, for every edge.
pub fn edges(reading: &Reading) -> Vec<String> {
    let graph = graph(reading);
    let name = |id| graph.location_name(id);
    let edges = graph.edges.iter();
    edges
        .map(|e| format!("{}->{} {}", name(e.from), name(e.to), e.command.name))
        .collect()
}
