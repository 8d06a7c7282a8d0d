//! The options of the engine.

use sectile_engine::{BadOption, OptionSpec, Settings};
use sectile_transform::BlockSize;

pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "blocks",
        help: "what becomes one edge: loops (all between loop heads), sequences, parallel, single",
        default: "loops",
    },
    OptionSpec {
        name: "infix",
        help: "what of a path is refuted: shortest (infeasible infix), path (all of it)",
        default: "shortest",
    },
    OptionSpec {
        name: "force",
        help: "how many vertices are tried for forced covering",
        default: "2",
    },
    OptionSpec {
        name: "refine",
        help: "the source of interpolants: proof (as --interpolation says), wp, sp, beautiful, mcmillan, ...",
        default: "decomposed",
    },
    OptionSpec {
        name: "audit",
        help: "whether every refinement is checked by its definition: on, off",
        default: "off",
    },
];

/// The options, read.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub blocks: BlockSize,
    /// Whether a shortest infeasible part of a path is refuted, not all of it.
    pub infix: bool,
    pub force: usize,
    /// The method of the solver; nothing stands for decomposed sums where it has them.
    pub method: Option<String>,
    pub audit: bool,
}

impl Config {
    pub fn read(settings: &Settings) -> Result<Config, BadOption> {
        let bad = |name: &str, problem: String| BadOption {
            name: name.to_string(),
            problem,
        };
        let choice = |name: &str, words: [&str; 2]| match settings.get(name) {
            None => Ok(false),
            Some(text) if text == words[0] => Ok(false),
            Some(text) if text == words[1] => Ok(true),
            Some(text) => {
                let problem = format!("`{text}` is not one of {}", words.join(", "));
                Err(bad(name, problem))
            }
        };
        let blocks = settings.get("blocks").unwrap_or("loops");
        let force = settings.number("force", 2)?;
        Ok(Config {
            blocks: blocks.parse().map_err(|e| bad("blocks", e))?,
            infix: !choice("infix", ["shortest", "path"])?,
            force: usize::try_from(force).unwrap_or(usize::MAX),
            method: settings.get("refine").map(str::to_string),
            audit: choice("audit", ["off", "on"])?,
        })
    }
}
