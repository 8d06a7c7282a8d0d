//! How fast terms are made, rewritten and evaluated.
//!
//! `cargo run --release -p sectile-terms --example terms_speed [COUNT]`

#![allow(clippy::print_stdout)] // a program that measures has to say what it measured

use sectile_base::{Int, Rat};
use sectile_terms::{
    NativePrinter, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate,
};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let count = std::env::args().nth(1).and_then(|a| a.parse().ok());
    let count: usize = count.unwrap_or(1_000_000);
    let terms = Terms::new();
    let symbols: Vec<Symbol> = (0..8)
        .map(|i| {
            terms
                .declare(&format!("x{i}"), Sort::Int, SymbolKind::State)
                .expect("the names differ")
        })
        .collect();
    let vars: Vec<Term> = symbols.iter().map(|&s| terms.var(s)).collect();

    let atoms = timed("new atoms a*x + y <= k", count, || {
        (0..count)
            .map(|k| atom(&terms, &vars, k))
            .collect::<Vec<_>>()
    });
    timed("the same atoms again", count, || {
        (0..count).for_each(|k| {
            black_box(atom(&terms, &vars, k));
        });
    });
    let conjunctions = timed("conjunctions of four atoms", count, || {
        (0..count)
            .map(|k| terms.and((0..4).map(|j| atoms[(k * 7 + j * 13) % atoms.len()])))
            .collect::<Vec<_>>()
    });
    let all = timed("one disjunction of all of them", count, || {
        terms.or(conjunctions.iter().copied())
    });
    timed("size of it (terms)", terms.size(all), || terms.size(all));
    let primed = timed("prime it (terms)", terms.size(all), || terms.prime(all));
    timed("unprime it (terms)", terms.size(primed), || {
        terms.unprime(primed)
    });
    let sum = terms.add(vars[1], terms.int(3));
    let map: Substitution = [(vars[0], sum)].into_iter().collect();
    timed("x0 := x1 + 3 in it (terms)", terms.size(all), || {
        terms.substitute(all, &map)
    });
    let value = |s: Symbol, _: Stage| Some(Value::Int(Int::from(s.index())));
    timed("evaluate it (terms)", terms.size(all), || {
        evaluate(&terms, all, &value).expect("all variables have values")
    });
    timed("evaluate small conjunctions", count, || {
        conjunctions.iter().for_each(|&c| {
            black_box(evaluate(&terms, c, &value).expect("all variables have values"));
        });
    });
    timed("evaluate the same few again", count, || {
        (0..count).for_each(|k| {
            let c = conjunctions[k % 16];
            black_box(evaluate(&terms, c, &value).expect("all variables have values"));
        });
    });
    timed("substitute in the same few again", count, || {
        (0..count).for_each(|k| {
            black_box(terms.substitute(conjunctions[k % 16], &map));
        });
    });
    timed("substitute in small conjunctions", count, || {
        conjunctions.iter().for_each(|&c| {
            black_box(terms.substitute(c, &map));
        });
    });
    timed("print small conjunctions", count, || {
        let printer = NativePrinter::new(&terms);
        conjunctions.iter().for_each(|&c| {
            black_box(printer.print(c));
        });
    });
    timed("simplify small conjunctions", count, || {
        conjunctions.iter().for_each(|&c| {
            black_box(terms.simplify(c));
        });
    });
    println!("{} terms in the store", terms.len());
    timed("drop them", terms.len(), || drop(terms));
}

/// A different atom for every number, over two of the variables.
fn atom(terms: &Terms, vars: &[Term], k: usize) -> Term {
    let left = terms.scale(vars[k % 8], &Rat::from((k % 5) as i64 + 1));
    let right = terms.sub(vars[(k / 8) % 8], terms.int((k / 64) as i64));
    terms.le(left, right)
}

/// Runs `f` and reports the time for one of `count` things.
fn timed<T>(what: &str, count: usize, f: impl FnOnce() -> T) -> T {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let result = black_box(f());
    let wall = wall.elapsed().as_secs_f64();
    let time = match (cpu, cpu_time()) {
        (Some(start), Some(end)) => end - start,
        _ => wall,
    };
    let each = time * 1e9 / count.max(1) as f64;
    println!("{what:<36} {count:>9} in {time:7.3} s, {each:7.0} ns each");
    result
}

/// Seconds that this process has run, where the system tells: others may be busy on the machine.
fn cpu_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
