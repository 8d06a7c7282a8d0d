//! A check that somebody ends from another thread, with what is heard of it meanwhile.

use sectile::{Cancel, Check, Error, Language, Model, What};
use std::fmt::Write as _;
use std::sync::mpsc;

/// Every number occurs, so that no engine proves it by looking, and none finds a violation soon.
const MODEL: &str = "
var x, y, z : int = 1
step: true --> x := y, y := x + z, z := y - 3 * x
invariant far: x < 1000000000000000000000000000000 or y + z != 12345
";

fn main() -> Result<(), Error> {
    print!("{}", report()?);
    Ok(())
}

/// What the example prints.
pub fn report() -> Result<String, Error> {
    let model = Model::read(Language::Sct, MODEL)?;
    let cancel = Cancel::new();
    let (sender, receiver) = mpsc::channel();
    let outcome = std::thread::scope(|scope| {
        // Somebody who waits for the third engine to begin.
        scope.spawn(|| {
            let _ = receiver.into_iter().nth(2);
            cancel.cancel();
        });
        Check::new(&model)
            .cancel(&cancel)
            .observe(move |event| {
                if let What::Started { engine, .. } = event.what() {
                    // Nobody listens any more after the third.
                    let _ = sender.send(engine.to_string());
                }
            })
            .run()
    })?;
    let mut text = String::new();
    for property in outcome.properties() {
        let (name, verdict) = (property.name(), property.verdict());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name}: {verdict} ({})",
            property.reason().unwrap_or("")
        );
    }
    Ok(text)
}
