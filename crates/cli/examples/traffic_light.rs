//! A model that is read from text: verdicts, and the run of a violation.

use sectile::{Check, Error, Language, Model};
use std::fmt::Write as _;
use std::time::Duration;

const MODEL: &str = "
enum Light = {red, green}
var cars    : Light = green
var walkers : Light = red
var waiting : int = 0

arrive: waiting < 3 --> waiting := waiting + 1
stop:   cars = green and waiting > 0 --> cars := red
walk:   cars = red --> walkers := green, waiting := 0
halt:   walkers = green --> walkers := red
go:     true --> cars := green

invariant crowd: waiting <= 3
invariant safe:  cars = red or walkers = red
";

fn main() -> Result<(), Error> {
    print!("{}", report()?);
    Ok(())
}

/// What the example prints.
pub fn report() -> Result<String, Error> {
    let model = Model::read(Language::Sct, MODEL)?;
    let outcome = Check::new(&model).timeout(Duration::from_secs(10)).run()?;
    let mut text = String::new();
    // Writing to a String cannot fail.
    for property in outcome.properties() {
        let _ = writeln!(text, "{}: {}", property.name(), property.verdict());
    }
    if let Some(trace) = outcome.trace() {
        for state in trace.states() {
            let values: Vec<String> = state.values().map(|(n, v)| format!("{n} = {v}")).collect();
            let _ = writeln!(text, "  {:7} {}", state.action(), values.join(", "));
        }
        let _ = writeln!(text, "  {}", trace.conclusion());
    }
    Ok(text)
}
