//! Prints the time of the inner step of linear arithmetic on short numbers.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use sectile_base::num::{Int, Rat};
use sectile_base::rng::Rng;

const ROUNDS: u64 = 20_000_000;

/// Runs a step on cycling operands and prints nanoseconds per step.
fn measure<T>(name: &str, operands: &[T], mut step: impl FnMut(&T, &T)) {
    let start = Instant::now();
    let mut position = 0;
    for _ in 0..ROUNDS {
        let next = (position + 1) % operands.len();
        step(black_box(&operands[position]), black_box(&operands[next]));
        position = next;
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / ROUNDS as f64;
    println!("{name:<44} {each:7.2} ns");
}

/// Fractions with a denominator of at most `den`.
fn rationals(rng: &mut Rng, num: i64, den: i64) -> Vec<Rat> {
    let fraction = |_| Rat::from_ratio(rng.range(-num..=num), rng.range(1..=den));
    (0..64).map(fraction).collect()
}

fn main() {
    let mut rng = Rng::new(1);
    let ints: Vec<Int> = (0..64).map(|_| Int::from(rng.range(-99..=99))).collect();
    let mut total = Int::ZERO;
    measure("Int += Int * Int", &ints, |a, b| {
        total.add_mul_assign(a, b);
    });
    black_box(&total);

    for (name, den) in [
        ("integers", 1),
        ("denominators to 4", 4),
        ("denominators to 30", 30),
    ] {
        let operands = rationals(&mut rng, 99, den);
        let mut total = Rat::ZERO;
        measure(
            &format!("Rat += Rat * Rat, {name}, accumulated"),
            &operands,
            |a, b| {
                total.add_mul_assign(a, b);
                if den > 4 {
                    // Keeps the total short, as a pivot row would.
                    total = Rat::from_ratio(5, 6);
                }
            },
        );
        black_box(&total);
    }
    let operands = rationals(&mut rng, 99, 30);
    measure("Rat + Rat, denominators to 30", &operands, |a, b| {
        black_box(a + b);
    });
    measure("Rat * Rat, denominators to 30", &operands, |a, b| {
        black_box(a * b);
    });
    measure("Rat < Rat, denominators to 30", &operands, |a, b| {
        black_box(a < b);
    });
}
