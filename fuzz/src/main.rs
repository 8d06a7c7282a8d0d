//! A fuzzer for the parsers: `cargo run --release -p sectile-fuzz -- TARGET SECONDS [SEED]`.
//!
//! Texts of the zoo and of the tests with mistakes are mutated: bytes flipped, pieces deleted,
//! repeated, moved, spliced with other texts, words of the language inserted. Whatever comes out
//! must be read or refused: a panic, or a text that takes longer than ten seconds, is a failure,
//! and the text is written to a file. The same seed gives the same texts.

mod mutate;
mod targets;

use mutate::Mutator;
use sectile_base::Rng;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A text that takes longer than this is a failure.
const SLOW: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = targets::TARGETS.iter().map(|t| t.name).collect();
    let usage = format!("usage: sectile-fuzz {} SECONDS [SEED]", names.join("|"));
    let target = args
        .first()
        .and_then(|name| targets::TARGETS.iter().find(|t| t.name == name));
    let seconds = args.get(1).and_then(|s| s.parse().ok());
    let (Some(target), Some(seconds)) = (target, seconds) else {
        eprintln!("{usage}");
        return ExitCode::from(2);
    };
    let seed = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpus = targets::corpus(&root, target);
    let mut mutator = Mutator::new(corpus, target.words, Rng::new(seed));
    std::panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut texts, mut read) = (0_u64, 0_u64);
    while Instant::now() < end {
        let text = mutator.next_text();
        let started = Instant::now();
        let outcome = std::panic::catch_unwind(|| (target.run)(&text));
        let slow = started.elapsed() > SLOW;
        if outcome.is_err() || slow {
            let file = std::env::temp_dir().join(format!("sectile-fuzz-{}.txt", target.name));
            let saved = std::fs::write(&file, &text);
            let what = if slow { "took too long" } else { "panicked" };
            eprintln!(
                "text {texts} (seed {seed}) {what}; {} {saved:?}",
                file.display()
            );
            return ExitCode::FAILURE;
        }
        texts += 1;
        read += u64::from(outcome.unwrap_or(false));
    }
    println!(
        "{}: {texts} texts, {read} of them understood, seed {seed}",
        target.name
    );
    ExitCode::SUCCESS
}
