//! Options: the paper's procedure, and what was added to make it fast, each with a switch.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// Which transitions are bypassed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// None.
    Off,
    /// Nodes with one relation in and one out.
    Chains,
    /// Nodes where the graph does not grow: `in * out <= in + out`.
    Profitable,
}

/// Which infeasible part of a spurious path is refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubPath {
    /// The part with the earliest end.
    Earliest,
    /// The part with the latest start.
    Latest,
}

/// In which order the relations of an edge are tried on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those first that change most variables of the error.
    Relevance,
    /// As in the model.
    Model,
    /// The last of the model first.
    Reverse,
}

/// How the engine works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The initial abstraction of the paper, with four nodes; otherwise a start node before one
    /// inner node.
    pub four_nodes: bool,
    /// The idling transition belongs to the system.
    pub idle: bool,
    /// One run for every disjunct of the error, as the first error.
    pub decompose: bool,
    /// Processes that can be exchanged share their disjuncts.
    pub symmetry: bool,
    /// At most so many nodes by the control variables of the error before the first path.
    pub up_front: u64,
    /// Concrete steps are kept and decide which half of a split inherits an edge.
    pub witnesses: bool,
    /// The quick test before the solver.
    pub syntactic: bool,
    /// Known predicates are tried before new ones.
    pub reuse: bool,
    /// Compound interpolants are split by one of their atoms.
    pub atomic: bool,
    /// The core of the last step is minimised before interpolation.
    pub minimise: bool,
    /// Lemmas about one or two processes are guessed and proved first.
    pub seeds: bool,
    /// Relations that lead from no state of a node to one of the next are removed.
    pub inconsistent: bool,
    /// Nodes that no path from an initial to an error node visits are removed at once.
    pub unreachable: bool,
    /// Dead variables are removed from relations.
    pub simplify: bool,
    /// Bypassing.
    pub bypass: Bypass,
    /// The part of a spurious path to refute.
    pub sub_path: SubPath,
    /// The order of relations.
    pub order: Order,
}

impl Config {
    /// Everything that makes it fast.
    pub fn fast() -> Config {
        Config {
            four_nodes: false,
            idle: false,
            decompose: true,
            symmetry: true,
            up_front: 64,
            witnesses: true,
            syntactic: true,
            reuse: true,
            atomic: true,
            minimise: true,
            seeds: true,
            inconsistent: true,
            unreachable: true,
            simplify: false,
            bypass: Bypass::Off,
            sub_path: SubPath::Latest,
            order: Order::Relevance,
        }
    }

    /// Exactly the paper.
    ///
    /// Paper: [BrDrFiWe07]. Witnesses and the quick test change no decision and stay on.
    pub fn paper() -> Config {
        Config {
            four_nodes: true,
            idle: true,
            decompose: false,
            symmetry: false,
            up_front: 0,
            reuse: false,
            atomic: false,
            minimise: false,
            seeds: false,
            simplify: true,
            bypass: Bypass::Chains,
            sub_path: SubPath::Earliest,
            order: Order::Reverse,
            ..Config::fast()
        }
    }

    /// What the user set.
    pub fn from_settings(settings: &Settings) -> Result<Config, BadOption> {
        let paper = settings.flag("slab-paper", false)?;
        let base = if paper {
            Config::paper()
        } else {
            Config::fast()
        };
        let flag = |name: &str, default: bool| settings.flag(name, default);
        Ok(Config {
            four_nodes: flag("four-nodes", base.four_nodes)?,
            idle: flag("idle", base.idle)?,
            decompose: flag("decompose", base.decompose)?,
            symmetry: flag("symmetry", base.symmetry)?,
            up_front: settings.number("up-front", base.up_front)?,
            witnesses: flag("witnesses", base.witnesses)?,
            syntactic: flag("syntactic", base.syntactic)?,
            reuse: flag("reuse", base.reuse)?,
            atomic: flag("atomic", base.atomic)?,
            minimise: flag("minimise", base.minimise)?,
            seeds: flag("seeds", base.seeds)?,
            inconsistent: flag("inconsistent", base.inconsistent)?,
            unreachable: flag("unreachable", base.unreachable)?,
            simplify: flag("simplify", base.simplify)?,
            bypass: match settings.choice("bypass", &["off", "chains", "profitable"])? {
                Some("off") => Bypass::Off,
                Some("chains") => Bypass::Chains,
                Some(_) => Bypass::Profitable,
                None => base.bypass,
            },
            sub_path: match settings.choice("sub-path", &["earliest", "latest"])? {
                Some("earliest") => SubPath::Earliest,
                Some(_) => SubPath::Latest,
                None => base.sub_path,
            },
            order: match settings.choice("order", &["relevance", "model", "reverse"])? {
                Some("relevance") => Order::Relevance,
                Some("model") => Order::Model,
                Some(_) => Order::Reverse,
                None => base.order,
            },
        })
    }
}

const fn spec(name: &'static str, help: &'static str, default: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        help,
        default,
    }
}

/// The options as users see them; defaults are those of the fast configuration.
pub const OPTIONS: &[OptionSpec] = &[
    spec(
        "slab-paper",
        "work exactly as the paper does (changes the defaults of the others)",
        "false",
    ),
    spec(
        "decompose",
        "one run for every disjunct of the error, as the first error",
        "true",
    ),
    spec(
        "symmetry",
        "of disjuncts that exchanging processes maps to each other, check one",
        "true",
    ),
    spec(
        "up-front",
        "split by the control variables of the error first, into at most N nodes",
        "64",
    ),
    spec(
        "seeds",
        "guess and prove lemmas about two processes first",
        "true",
    ),
    spec(
        "reuse",
        "try known predicates before new interpolants",
        "true",
    ),
    spec(
        "atomic",
        "split by one atom of a compound interpolant",
        "true",
    ),
    spec(
        "minimise",
        "minimise the core of the last step before interpolation",
        "true",
    ),
    spec(
        "witnesses",
        "keep concrete steps, to inherit edges in a split",
        "true",
    ),
    spec(
        "syntactic",
        "test for plain contradictions before the solver",
        "true",
    ),
    spec(
        "sub-path",
        "which infeasible part of a path is refuted: earliest or latest",
        "latest",
    ),
    spec(
        "order",
        "which relation of an edge a path takes: relevance, model or reverse",
        "relevance",
    ),
    spec(
        "bypass",
        "compose what leads into a node with what leaves it: off, chains, profitable",
        "off",
    ),
    spec(
        "simplify",
        "drop what relations say about dead variables",
        "false",
    ),
    spec(
        "inconsistent",
        "remove relations that lead from no state of a node to one of the next",
        "true",
    ),
    spec(
        "unreachable",
        "remove nodes that are on no path to an error at once, not only in the end",
        "true",
    ),
    spec("four-nodes", "start from the paper's four nodes", "false"),
    spec("idle", "add the idling transition", "false"),
];
