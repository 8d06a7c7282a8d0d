//! `sectile engines`: lists the engines.

use crate::exit::Exit;
use crate::output;
use sectile_driver::registry;
use sectile_engine::Accepts;
use std::fmt::Write as _;

/// Runs the command.
pub fn run() -> anyhow::Result<Exit> {
    let mut text = String::from("auto\n  gives the engines that fit turns (docs/portfolio.md)\n");
    for engine in registry::engines() {
        let info = engine.info();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}\n  {}", info.name, info.summary);
        let _ = writeln!(text, "  accepts {}", accepted(info.accepts));
        if !info.papers.is_empty() {
            let _ = writeln!(text, "  papers {}", info.papers.join(", "));
        }
        for option in info.options {
            let _ = writeln!(
                text,
                "  --set {}=...  {} ({}; default: {})",
                option.name,
                option.help,
                (option.wanted)(),
                (option.default)()
            );
        }
    }
    output::result(&text);
    Ok(Exit::Success)
}

fn accepted(accepts: Accepts) -> String {
    let models = match (accepts.systems, accepts.graphs) {
        (true, true) => "systems and programs",
        (true, false) => "systems (programs by program-counter encoding)",
        (false, true) => "programs",
        (false, false) => "nothing",
    };
    let properties = match (accepts.safety, accepts.ctl) {
        (true, true) => "safety and CTL",
        (true, false) => "safety",
        (false, true) => "CTL",
        (false, false) => "no property",
    };
    format!("{models}; {properties}")
}
