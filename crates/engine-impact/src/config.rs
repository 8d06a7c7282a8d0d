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
        help: "sources of interpolants, which take turns: proof (as --interpolation says), wp, sp, beautiful, mcmillan, ...",
        default: "decomposed,proof,wp",
    },
    OptionSpec {
        name: "facts",
        help: "whether linear equations and bounds are looked for at all locations first: on, off",
        default: "on",
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
    /// Methods of the solver that take turns.
    pub methods: Vec<String>,
    /// Whether a method that the solver lacks is replaced by what it has.
    pub lenient: bool,
    pub facts: bool,
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
        let methods = settings.get("refine").unwrap_or("decomposed,proof,wp");
        let force = settings.number("force", 2)?;
        Ok(Config {
            blocks: blocks.parse().map_err(|e| bad("blocks", e))?,
            infix: !choice("infix", ["shortest", "path"])?,
            force: usize::try_from(force).unwrap_or(usize::MAX),
            methods: methods.split(',').map(|m| m.trim().to_string()).collect(),
            lenient: settings.get("refine").is_none(),
            facts: !choice("facts", ["on", "off"])?,
            audit: choice("audit", ["off", "on"])?,
        })
    }
}
