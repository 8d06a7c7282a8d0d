//! The methods of interpolation, by name.

use super::spans::Span;
use std::fmt;
use std::str::FromStr;

/// The colour of shared literals when a refutation is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Labelling {
    /// As belonging to what comes after the cut: strong interpolants.
    McMillan,
    /// As belonging to both sides.
    Pudlak,
    /// As belonging to what comes before the cut: weak interpolants.
    Dual,
}

impl Labelling {
    /// The cut from which something is coloured as coming before it.
    pub fn passes(self, span: Span) -> u32 {
        match self {
            Labelling::McMillan | Labelling::Pudlak => span.last,
            Labelling::Dual => span.first,
        }
    }
}

/// How arithmetic lemmas are interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arithmetic {
    /// The weighted sum of what comes before the cut.
    Farkas,
    /// The complement of the weighted sum of what comes after it.
    DualFarkas,
    /// As many sums as there are independent ways to eliminate the local variables.
    Decomposed,
    /// The same for what comes after the cut.
    DualDecomposed,
}

/// A method of interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// From a refutation, McMillan's colouring, weighted sums.
    #[default]
    McMillan,
    /// From a refutation, Pudlak's symmetric colouring, weighted sums.
    Pudlak,
    /// From a refutation, the dual of McMillan's colouring, weighted sums.
    DualMcMillan,
    /// From a refutation, McMillan's colouring, complemented sums of the other side.
    DualFarkas,
    /// From a refutation, McMillan's colouring, decomposed sums.
    Decomposed,
    /// From a refutation, the dual of McMillan's colouring, complemented decomposed sums.
    DualDecomposed,
    /// Strongest postconditions over an unsatisfiable core, dead variables projected.
    StrongestPost,
    /// Weakest preconditions over an unsatisfiable core, dead variables projected.
    WeakestPre,
    /// Few half-spaces with small coefficients that separate samples of both sides.
    Beautiful,
    /// The disjunction of projected cubes; exact, and possibly large.
    Projection,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 10] = [
        Method::McMillan,
        Method::Pudlak,
        Method::DualMcMillan,
        Method::DualFarkas,
        Method::Decomposed,
        Method::DualDecomposed,
        Method::StrongestPost,
        Method::WeakestPre,
        Method::Beautiful,
        Method::Projection,
    ];

    /// Its position in [`Method::ALL`].
    pub fn position(self) -> usize {
        self as usize
    }

    /// The name for users.
    pub fn name(self) -> &'static str {
        match self {
            Method::McMillan => "mcmillan",
            Method::Pudlak => "pudlak",
            Method::DualMcMillan => "dual-mcmillan",
            Method::DualFarkas => "dual-farkas",
            Method::Decomposed => "decomposed",
            Method::DualDecomposed => "dual-decomposed",
            Method::StrongestPost => "sp",
            Method::WeakestPre => "wp",
            Method::Beautiful => "beautiful",
            Method::Projection => "projection",
        }
    }

    /// A description in one line.
    pub fn description(self) -> &'static str {
        match self {
            Method::McMillan => "from a proof: strong, one weighted sum for each lemma",
            Method::Pudlak => "from a proof: between strong and weak",
            Method::DualMcMillan => "from a proof: weak",
            Method::DualFarkas => "from a proof: strong, but sums of the later side complemented",
            Method::Decomposed => "from a proof: strongest, sums split into independent parts",
            Method::DualDecomposed => "from a proof: weakest, sums of the later side split",
            Method::StrongestPost => "strongest postconditions of an unsatisfiable core",
            Method::WeakestPre => "weakest preconditions of an unsatisfiable core",
            Method::Beautiful => "few half-spaces with small coefficients, without a proof",
            Method::Projection => "projected cubes of each prefix, without a proof",
        }
    }

    /// The labelling and arithmetic of methods that read a refutation.
    pub(super) fn reading(self) -> Option<(Labelling, Arithmetic)> {
        Some(match self {
            Method::McMillan => (Labelling::McMillan, Arithmetic::Farkas),
            Method::Pudlak => (Labelling::Pudlak, Arithmetic::Farkas),
            Method::DualMcMillan => (Labelling::Dual, Arithmetic::Farkas),
            Method::DualFarkas => (Labelling::McMillan, Arithmetic::DualFarkas),
            Method::Decomposed => (Labelling::McMillan, Arithmetic::Decomposed),
            Method::DualDecomposed => (Labelling::Dual, Arithmetic::DualDecomposed),
            Method::StrongestPost | Method::WeakestPre | Method::Beautiful | Method::Projection => {
                return None;
            }
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no method of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no interpolation method `{0}`; choose one of {names}",
    names = Method::ALL.map(Method::name).join(", ")
)]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Method, UnknownMethod> {
        let found = Method::ALL.into_iter().find(|m| m.name() == name);
        found.ok_or_else(|| UnknownMethod(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (place, method) in Method::ALL.into_iter().enumerate() {
            assert_eq!(method.position(), place);
            assert_eq!(method.name().parse(), Ok(method));
        }
        let error = "craig".parse::<Method>().expect_err("no such method");
        assert!(error.to_string().contains("mcmillan"));
    }
}
