//! A model that is built in Rust: a token goes round in a ring of processes, as many as are asked for.

use sectile::{Check, Error, Expr, System, Type, Verdict};
use std::fmt::Write as _;

fn main() -> Result<(), Error> {
    print!("{}", report()?);
    Ok(())
}

/// Processes that work only with the token; `careless` ones keep working when they pass it on.
fn ring(size: usize, careless: bool) -> System {
    let mut system = System::new();
    let last = i64::try_from(size).unwrap_or(i64::MAX) - 1;
    let token = system.var("token", Type::Range(0, last));
    let works: Vec<Expr> = { 0..size }
        .map(|i| system.var(&format!("works{i}"), Type::Bool))
        .collect();
    system.init(token.equals(0) & !Expr::any(works.clone()));
    for (i, own) in (0..).zip(&works) {
        let name = format!("works{i}");
        let has_token = token.equals(i);
        system
            .step(&format!("begin{i}"))
            .when(&has_token)
            .set(&name, true);
        let pass = system.step(&format!("pass{i}"));
        pass.when(has_token & own)
            .set("token", (&token + 1).modulo(last + 1));
        if !careless {
            pass.set(&name, false);
        }
    }
    let pairs = (0..size).flat_map(|i| (0..i).map(move |j| (i, j)));
    let one = pairs.map(|(i, j)| !(&works[i] & &works[j]));
    system.invariant("one", Expr::all(one));
    system
}

/// What the example prints.
pub fn report() -> Result<String, Error> {
    let mut text = String::new();
    for (size, careless) in [(2, false), (5, false), (5, true)] {
        let model = ring(size, careless).model()?;
        let outcome = Check::new(&model).property("one").run()?;
        let property = &outcome.properties()[0];
        let kind = if careless { "careless" } else { "careful" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{size} {kind} processes: {}", property.verdict());
        let steps = property.trace().map(|t| t.states().len() - 1);
        let _ = match (property.verdict(), steps) {
            (Verdict::Violated, Some(steps)) => writeln!(text, " after {steps} steps"),
            _ => writeln!(text),
        };
    }
    Ok(text)
}
