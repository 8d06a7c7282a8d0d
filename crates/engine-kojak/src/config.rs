//! The options of the engine.

use sectile_engine::{BadOption, OptionSpec, Settings};
use sectile_transform::BlockSize;

/// The options of `elim`: one of its own, and those of `kojak`.
pub(crate) const ELIM_OPTIONS: &[OptionSpec] = &{
    let [blocks, split, infix, refine, restart, facts, audit] = KOJAK_OPTIONS;
    let proof = OptionSpec {
        name: "proof",
        help: "what shows that a property holds: any (invariants, unless they would be too large), invariants, unrolled (the loops that are unrolled, and what holds then)",
        default: "any",
    };
    [proof, blocks, split, infix, refine, restart, facts, audit]
};

/// The options of `kojak`.
pub(crate) const OPTIONS: &[OptionSpec] = &KOJAK_OPTIONS;

const KOJAK_OPTIONS: [OptionSpec; 7] = [
    OptionSpec {
        name: "blocks",
        help: "what becomes one edge: loops (all between loop heads), sequences, parallel, single",
        default: "loops",
    },
    OptionSpec {
        name: "split",
        help: "which nodes of a refuted path are split: new (where the label does not decide the interpolant), all",
        default: "new",
    },
    OptionSpec {
        name: "infix",
        help: "what of a path is refuted: shortest (infeasible infix), path (all of it)",
        default: "shortest",
    },
    OptionSpec {
        name: "refine",
        help: "sources of interpolants, tried in order: proof (as --interpolation says), wp, sp, beautiful, mcmillan, decomposed, ..., reuse, joint, joint-METHOD",
        default: "decomposed,proof,wp",
    },
    OptionSpec {
        name: "restart",
        help: "begin anew with the next source after this many refinements; twice as many when all had their turn, ...",
        default: "40",
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

/// On the programs of the paper the first one converges most often. A solver without it is asked
/// for whatever interpolants it has.
const DEFAULT_SOURCE: &str = "decomposed-or-proof,proof,wp-or-proof";

/// Which nodes of a refuted path are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitWhere {
    /// Those whose label does not decide the interpolant.
    New,
    /// All of them.
    All,
}

/// Which part of a path is refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refuted {
    /// A shortest part without a run.
    Infix,
    /// The whole path.
    Path,
}

/// A source of interpolants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Predicates that are known at the locations.
    Reuse,
    /// One formula for all visits of a location, by the named method.
    Joint(String),
    /// The named method where the solver has it, and otherwise what it has.
    Default(&'static str),
    /// What the solver does if nothing is said.
    Proof,
    /// The named method of the solver.
    Method(String),
}

/// The options, read.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub blocks: BlockSize,
    pub split: SplitWhere,
    pub refuted: Refuted,
    pub sources: Vec<Source>,
    pub restart: u64,
    pub facts: bool,
    pub audit: bool,
}

impl Config {
    pub fn read(settings: &Settings) -> Result<Config, BadOption> {
        let bad = |name: &str, problem: String| BadOption {
            name: name.to_string(),
            problem,
        };
        let blocks = settings.get("blocks").unwrap_or("loops");
        let choice = |name: &str, default: &str, words: [&str; 2]| {
            let text = settings.get(name).unwrap_or(default).to_string();
            match words.iter().position(|w| *w == text) {
                Some(i) => Ok(i),
                None => Err(bad(
                    name,
                    format!("`{text}` is not one of {}", words.join(", ")),
                )),
            }
        };
        let refine = settings.get("refine").unwrap_or(DEFAULT_SOURCE);
        Ok(Config {
            blocks: blocks.parse().map_err(|e| bad("blocks", e))?,
            split: [SplitWhere::New, SplitWhere::All][choice("split", "new", ["new", "all"])?],
            refuted: [Refuted::Infix, Refuted::Path]
                [choice("infix", "shortest", ["shortest", "path"])?],
            sources: refine.split(',').map(|s| source(s.trim())).collect(),
            restart: settings.number("restart", 40)?.max(1),
            facts: choice("facts", "on", ["off", "on"])? == 1,
            audit: choice("audit", "off", ["off", "on"])? == 1,
        })
    }
}

fn source(text: &str) -> Source {
    match text {
        "decomposed-or-proof" => Source::Default("decomposed"),
        "wp-or-proof" => Source::Default("wp"),
        "proof" => Source::Proof,
        "reuse" => Source::Reuse,
        "joint" => Source::Joint("beautiful".to_string()),
        other => match other.strip_prefix("joint-") {
            Some(method) => Source::Joint(method.to_string()),
            None => Source::Method(other.to_string()),
        },
    }
}
