//! The options of `horn`.

use sectile_engine::{OptionValue, interpolation, options};

options! {
    /// The options of `horn`.
    pub(crate) struct Config {
        /// methods of interpolation, tried in turn; `METHOD+atoms` starts with conditions of rules
        methods("tree-interpolation"): Vec<Method> = vec![
            Method::new("mcmillan", false),
            Method::new("pudlak", false),
            Method::new("mcmillan", true),
            Method::new("decomposed", false),
        ],
        /// refinements before a restart with the next method, doubled every round
        restart("tree-restart"): u64 = 30,
        /// resolve away predicates that do not depend on themselves
        eliminate("resolve"): bool = true,
    }
}

/// A method of finding predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Method {
    /// The interpolation method.
    name: String,
    /// Whether the conditions of the rules are initial predicates.
    pub atoms: bool,
}

impl Method {
    fn new(name: &str, atoms: bool) -> Method {
        let name = name.to_string();
        Method { name, atoms }
    }

    /// The interpolation method if the solver has it, or else its default.
    pub fn interpolation(&self) -> interpolation::Method {
        interpolation::Method::Preferred(self.name.clone())
    }
}

impl OptionValue for Method {
    const INTERPOLATES: bool = true;

    fn wanted() -> String {
        "METHOD or METHOD+atoms".to_string()
    }

    fn read(text: &str) -> Option<Method> {
        let plain = text.strip_suffix("+atoms");
        let name = plain.unwrap_or(text);
        (!name.is_empty()).then(|| Method::new(name, plain.is_some()))
    }

    fn text(&self) -> String {
        let suffix = if self.atoms { "+atoms" } else { "" };
        format!("{}{suffix}", self.name)
    }
}
