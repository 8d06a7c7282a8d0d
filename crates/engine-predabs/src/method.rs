//! The methods of computing an abstraction, by name, with their optional parts.

/// How the abstract transitions are computed.
///
/// Paper: [BeGrLa, Sect. 4.3].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Substitution, then models for what it leaves open.
    #[default]
    Auto,
    /// Pairs of abstract states, and of sets of them, are eliminated from the full relation.
    Elimination,
    /// Only from reachable states, with single values as targets.
    Literals,
    /// Elimination for every block of a partition of the abstract variables, given by positions.
    Partition(Vec<Vec<usize>>),
    /// Substitution, then elimination for what it leaves open.
    Substitution,
    /// Models of the whole transition.
    Models,
}

impl Method {
    /// The name for users.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Elimination => "elimination",
            Method::Literals => "literals",
            Method::Partition(_) => "partition",
            Method::Substitution => "substitution",
            Method::Models => "models",
        }
    }
}

/// A method, with switches for its optional parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The method.
    pub method: Method,
    /// Values over variables that a command does not change stay without a query.
    pub independence: bool,
    /// Values that exclude each other are found first.
    pub dependences: bool,
    /// Constant next values are found first.
    pub constants: bool,
    /// Sets of pairs are tried before single pairs.
    pub sets: bool,
    /// If values overlap, as few next states are kept as simulation needs.
    pub fewest: bool,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe::new(Method::Auto)
    }
}

impl Recipe {
    /// The method with all speed-ups.
    pub fn new(method: Method) -> Recipe {
        Recipe::with_all(method, true)
    }

    /// The method as the paper first states it, without speed-ups.
    pub fn plain(method: Method) -> Recipe {
        Recipe::with_all(method, false)
    }

    fn with_all(method: Method, on: bool) -> Recipe {
        Recipe {
            method,
            independence: on,
            dependences: on,
            constants: on,
            sets: on,
            fewest: false,
        }
    }

    /// Switches a part off by name; returns false if there is no such part.
    pub fn without(&mut self, part: &str) -> bool {
        match part {
            "independence" => self.independence = false,
            "dependences" => self.dependences = false,
            "constants" => self.constants = false,
            "sets" => self.sets = false,
            _ => return false,
        }
        true
    }
}
