//! Options.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// The options as users see them.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "tree-interpolation",
        help: "methods of interpolation, tried in turn",
        default: METHODS,
    },
    OptionSpec {
        name: "tree-restart",
        help: "refinements before the next method begins anew, doubled every round",
        default: "40",
    },
    OptionSpec {
        name: "resolve",
        help: "whether predicates that do not derive themselves are resolved away first",
        default: "true",
    },
];

const METHODS: &str = "decomposed,beautiful,mcmillan";

/// The options, read.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub methods: Vec<String>,
    pub restart: u64,
    pub eliminate: bool,
}

impl Config {
    pub fn read(settings: &Settings) -> Result<Config, BadOption> {
        let methods = settings.get("tree-interpolation").unwrap_or(METHODS);
        let methods: Vec<String> = methods.split(',').map(|m| m.trim().to_string()).collect();
        if methods.iter().any(String::is_empty) {
            return Err(BadOption {
                name: "tree-interpolation".to_string(),
                problem: "a method is missing".to_string(),
            });
        }
        Ok(Config {
            methods,
            restart: settings.number("tree-restart", 40)?.max(1),
            eliminate: settings.flag("resolve", true)?,
        })
    }
}
