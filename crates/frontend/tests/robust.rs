//! Hostile and broken texts: a message in short time, never a panic, never an endless loop.

use crate::support;

use sectile_base::{Diagnostics, Rng, Source};
use sectile_frontend::{Frontend, ReadOptions, sct::Sct};
use sectile_terms::Terms;
use std::time::Instant;
use support::{files, seconds};

fn read(text: &str) -> Result<(), Diagnostics> {
    let source = Source::new("hostile.sct", text);
    let terms = Terms::new();
    let reading = Sct.read(&terms, &source, &ReadOptions::default());
    reading.map(|_| ()).inspect_err(|diagnostics| {
        assert!(diagnostics.has_errors());
        let rendered = diagnostics.render(&source);
        assert!(rendered.len() < 100_000, "messages stay short");
    })
}

fn timed(what: &str, limit: f64, text: &str) -> Result<(), Diagnostics> {
    let (start, wall) = (seconds(), Instant::now());
    let result = read(text);
    let used = seconds() - start;
    let limit = if cfg!(debug_assertions) {
        3.0 * limit
    } else {
        limit
    };
    assert!(
        used < limit,
        "{what}: {used} s, {:?} on the wall",
        wall.elapsed()
    );
    result
}

#[test]
fn ten_megabytes_of_brackets_are_refused_quickly() {
    const SIZE: usize = 10_000_000;
    for piece in ["(", "not ", "[", "x[", "\0", ") "] {
        assert!(timed(piece, 1.0, &piece.repeat(SIZE / piece.len())).is_err());
        let guard = format!("var x : int\nstep: {}", piece.repeat(SIZE / piece.len()));
        assert!(timed(piece, 1.0, &guard).is_err());
    }
    let half = SIZE / 2;
    let brackets = format!("{}x{} > 0 --> skip", "(".repeat(half), ")".repeat(half));
    assert!(timed("balanced", 1.0, &format!("var x : int\nstep: {brackets}")).is_err());
}

#[test]
fn repeated_pieces_are_refused_quickly() {
    const SIZE: usize = 500_000;
    let model = |guard: &str, end: &str| format!("var x : int\nstep: {guard}{end} --> skip\n");
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "x[",
        "P[1].x[",
        "not ",
        "-",
        "!",
        "if ",
        "if x then ",
        "x' ' ",
        "forall i in 1..1: ",
        "sum i in ",
        "abs(",
        "f(",
        "x in {",
        "=> ",
        "x ",
        "1 ",
        "' ",
        "`a` ",
        "`",
        "/*",
        "/",
        "\u{3b1}",
        "\u{2264}",
        "\0",
        "process P {\n",
        "step: ",
        "var ",
        "{}",
        "--> ",
        "x := ",
        "when ",
        "any v where ",
        "}\n",
        ", ",
        "AG ",
        "\n",
    ];
    for piece in pieces {
        let text = piece.repeat(SIZE / piece.len());
        assert!(timed(piece, 1.0, &text).is_err(), "{piece:?} alone");
        assert!(
            timed(piece, 1.0, &model(&text, "")).is_err() || piece == "\n",
            "{piece:?} in a guard"
        );
    }
    let temporal = format!("var x : int\nctl a: {}x = 0", "AG (".repeat(SIZE / 4));
    assert!(timed("AG", 1.0, &temporal).is_err());
}

#[test]
fn long_chains_are_no_nesting() {
    let chain = |operator: &str, operand: &str, n: usize| {
        let list: Vec<&str> = std::iter::repeat_n(operand, n).collect();
        list.join(operator)
    };
    let declared = "var x : int\nvar b : bool\n";
    for operator in [" and ", " or ", " => ", " <=> "] {
        let text = format!("{declared}step: {} --> skip", chain(operator, "b", 100_000));
        assert!(read(&text).is_ok(), "{operator}");
    }
    for operator in [" + ", " - ", " < "] {
        let text = format!(
            "{declared}step: x < {} --> skip",
            chain(operator, "x", 50_000)
        );
        assert!(read(&text).is_ok(), "{operator}");
    }
    let product = format!(
        "{declared}step: x > {} * x --> skip",
        chain(" * ", "1", 50_000)
    );
    assert!(read(&product).is_ok());
    let else_if = "if x = 1 then 2 else ".repeat(20_000);
    assert!(read(&format!("{declared}step: true --> x := {else_if} 3")).is_ok());
    let actions: Vec<String> = (0..20_000).map(|i| format!("f[{i}] := 0")).collect();
    let family = format!(
        "var f[i : 0..19999] : int\nstep: true --> {}",
        actions.join(", ")
    );
    assert!(read(&family).is_ok());
}

/// As deep as the limit allows, with as many levels of operators as possible in between.
#[test]
fn the_deepest_texts_fit_on_the_stack() {
    let around = [
        ("b <=> b => b or b and (", ")", "b"),
        ("not not b <=> b => b or not (", ")", "b"),
        ("b and x < x + 2 * (if b then 1 else ", ")", "2"),
        ("f[", "]", "0"),
        ("x + 2 * abs(", ")", "1"),
        ("max(x, 2 * -", ")", "1"),
        ("if (", ") then b else b", "b"),
        ("forall i in 1..1: b <=> b or b and (", ")", "b"),
        ("(count i in 1..1: b => b and ", ") > 0", "b"),
        ("d(", ")", "b"),
    ];
    let declared =
        "var x : 0..2\nvar b : bool\nvar f[i : 0..2] : 0..2\ndefine d(e) = not e <=> b\n";
    for (open, close, middle) in around {
        for depth in [20, 40, 62, 84, 100, 125, 127, 200, 250, 255, 256, 300] {
            let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            // Of some only one sort is right; the stack is used all the same.
            let _ = read(&format!("{declared}step: {text} --> skip"));
            let _ = read(&format!("{declared}step: x = {text} --> skip"));
            let _ = read(&format!("{declared}ctl a: {text}"));
            let _ = read(&format!("{declared}ctl a: AG({text} => AF b)"));
        }
    }
}

#[test]
fn chains_of_definitions_are_bounded() {
    let mut text = "var x : int\ndefine d0 = x\n".to_string();
    for i in 1..5000 {
        text.push_str(&format!("define d{i} = d{} + d{}\n", i - 1, i - 1));
    }
    assert!(timed("definitions", 1.0, &text).is_err());
    let few: String = text.lines().take(200).collect::<Vec<_>>().join("\n");
    assert!(timed("few definitions", 1.0, &few).is_ok());
    let mut squares = "var x : int\ndefine d0 = 3\n".to_string();
    for i in 1..60 {
        squares.push_str(&format!("define d{i} = d{} * d{}\n", i - 1, i - 1));
    }
    assert!(timed("squares", 1.0, &squares).is_err());
}

/// Byte flips, deletions, repetitions and shuffled tokens of valid files.
#[test]
fn mutated_files_never_panic() {
    let texts: Vec<String> = files("good", "sct")
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("the test file can be read"))
        .collect();
    let mut rng = Rng::new(20);
    let mut accepted = 0;
    for case in 0..2_000 {
        let text = &texts[case % texts.len()];
        let mutated = mutate(text, &mut rng);
        accepted += usize::from(timed("mutated", 5.0, &mutated).is_ok());
    }
    assert!(accepted > 20, "some mutations leave a valid file");
}

fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let pick = |n: usize, rng: &mut Rng| usize::try_from(rng.below(n.max(1) as u64)).unwrap_or(0);
    for _ in 0..=pick(4, rng) {
        let at = pick(bytes.len(), rng);
        match rng.below(6) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => {
                let end = (at + pick(8, rng) + 1).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let end = (at + pick(40, rng) + 1).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = pick(bytes.len(), rng);
                bytes.splice(to..to, piece);
            }
            3 => bytes.insert(at, b" (){}[].,:=<>'`+-*/0123456789n"[pick(30, rng)]),
            _ => bytes = shuffle(&bytes, rng),
        }
        if bytes.is_empty() {
            bytes.push(b'x');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Exchanges two words.
fn shuffle(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut words: Vec<&str> = text
        .split_inclusive([' ', '\n', '(', ')', '[', ']', ','])
        .collect();
    let n = words.len().max(1) as u64;
    let index = |rng: &mut Rng| usize::try_from(rng.below(n)).unwrap_or(0);
    let (a, b) = (index(rng), index(rng));
    if a < words.len() && b < words.len() {
        words.swap(a, b);
    }
    words.concat().into_bytes()
}
