//! Horn clauses and VMT that are cut off or damaged: a message with a place, never a panic.

#![allow(clippy::print_stderr)]

use crate::support;

use sectile_base::{Rng, Source};
use sectile_frontend::{Frontend, ReadOptions, chc::Chc, vmt::Vmt};
use sectile_terms::Terms;
use sectile_testkit::files::{files_in, shared, zoo_files};
use std::path::PathBuf;
use support::seconds;

/// How far apart the places are at which texts are cut off.
const STRIDE: usize = 50;

/// Reads a text. Where it is refused, every message has a place inside of it.
fn reads(frontend: &dyn Frontend, text: &str) -> bool {
    let source = Source::new("broken.smt2", text);
    let terms = Terms::new();
    let Err(diagnostics) = frontend.read(&terms, &source, &ReadOptions::default()) else {
        return true;
    };
    assert!(diagnostics.has_errors());
    for diagnostic in diagnostics.iter() {
        let (start, end) = (diagnostic.span.start, diagnostic.span.end);
        assert!(start <= end && end as usize <= text.len(), "{diagnostic:?}");
        let place = source.position(start);
        let rendered = diagnostic.render(&source);
        let wanted = format!("broken.smt2:{}:{}", place.line, place.column);
        assert!(rendered.contains(&wanted), "{rendered}");
    }
    false
}

/// Whether every bracket is closed outside of comments, strings and quoted names.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i64;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let closing = match c {
            '(' => {
                depth += 1;
                continue;
            }
            ')' => {
                depth -= 1;
                continue;
            }
            ';' => '\n',
            '"' | '|' => c,
            _ => continue,
        };
        if !rest.any(|d| d == closing) && c != ';' {
            return false;
        }
    }
    depth == 0
}

fn prefixes(text: &str) -> impl Iterator<Item = &str> {
    let ends = (0..text.len()).step_by(STRIDE);
    ends.filter(|&e| text.is_char_boundary(e))
        .map(|e| &text[..e])
}

/// Our own models, and the smallest files of the collection where it is there.
fn files(ending: &str) -> Vec<PathBuf> {
    let mut all = zoo_files(&[ending]);
    let others = shared("bench/chc/tiny").map(|folder| files_in(&folder, &[ending]));
    let mut others = others.unwrap_or_default();
    let length = |p: &PathBuf| std::fs::metadata(p).map_or(0, |m| m.len());
    others.sort_by_key(length);
    all.extend(others.into_iter().take(6));
    all
}

#[test]
fn texts_that_are_cut_off() {
    let start = seconds();
    let mut cut = 0;
    for (frontend, ending) in [(&Chc as &dyn Frontend, "smt2"), (&Vmt, "vmt")] {
        for path in files(ending) {
            let text = std::fs::read_to_string(&path).expect("the file can be read");
            assert!(is_balanced(&text), "{path:?}");
            for prefix in prefixes(&text) {
                cut += 1;
                let ok = reads(frontend, prefix);
                assert!(!ok || is_balanced(prefix), "{path:?}\n{prefix}");
            }
        }
    }
    eprintln!("{cut} texts in {:.1} s", seconds() - start);
    assert!(cut >= 20);
}

/// Brackets, words and whole pieces are left out, doubled or exchanged.
#[test]
fn texts_that_are_damaged() {
    let mut rng = Rng::new(7);
    let mut refused = 0;
    for path in files("smt2") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let mut words: Vec<&str> = Vec::new();
        let mut start = 0;
        for (i, c) in text.char_indices() {
            if c.is_whitespace() || c == '(' || c == ')' {
                words.push(&text[start..i]);
                words.push(&text[i..i + c.len_utf8()]);
                start = i + c.len_utf8();
            }
        }
        words.retain(|w| !w.is_empty());
        for _ in 0..60 {
            let mut damaged = words.clone();
            let any = |rng: &mut Rng, n: usize| {
                usize::try_from(rng.below(n as u64)).expect("it was one before")
            };
            let (i, j) = (any(&mut rng, damaged.len()), any(&mut rng, damaged.len()));
            match rng.below(3) {
                0 => drop(damaged.remove(i)),
                1 => damaged.insert(j, words[i]),
                _ => damaged.swap(i, j),
            }
            refused += usize::from(!reads(&Chc, &damaged.concat()));
        }
    }
    assert!(refused > 20, "most damage is noticed: {refused}");
}
