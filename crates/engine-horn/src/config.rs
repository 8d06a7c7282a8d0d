//! Options.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// The options as users see them.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "tree-interpolation",
        help: "methods of interpolation, tried in turn; `METHOD+atoms` begins with conditions of rules",
        default: METHODS,
    },
    OptionSpec {
        name: "tree-restart",
        help: "refinements before the next method begins anew, doubled every round",
        default: "30",
    },
    OptionSpec {
        name: "resolve",
        help: "whether predicates that do not derive themselves are resolved away first",
        default: "true",
    },
];

const METHODS: &str = "mcmillan,pudlak,mcmillan+atoms,decomposed";

/// A way of finding predicates.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// How interpolants are computed.
    pub name: String,
    /// Whether the conditions of the rules are predicates from the beginning.
    pub atoms: bool,
}

impl Method {
    fn read(text: &str) -> Method {
        let text = text.trim();
        let plain = text.strip_suffix("+atoms");
        Method {
            name: plain.unwrap_or(text).to_string(),
            atoms: plain.is_some(),
        }
    }
}

/// The options, read.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub methods: Vec<Method>,
    pub restart: u64,
    pub eliminate: bool,
}

impl Config {
    pub fn read(settings: &Settings) -> Result<Config, BadOption> {
        let methods = settings.get("tree-interpolation").unwrap_or(METHODS);
        let methods: Vec<Method> = methods.split(',').map(Method::read).collect();
        if methods.iter().any(|m| m.name.is_empty()) {
            return Err(BadOption {
                name: "tree-interpolation".to_string(),
                problem: "a method is missing".to_string(),
            });
        }
        Ok(Config {
            methods,
            restart: settings.number("tree-restart", 30)?.max(1),
            eliminate: settings.flag("resolve", true)?,
        })
    }
}
