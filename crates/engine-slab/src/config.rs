//! The options of `slab`: the paper's procedure, and optimisations with an option each.

use crate::guided::Guide;
use sectile_engine::{BadOption, Options, Settings, choices, options};

/// Which transitions are bypassed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// None.
    Off,
    /// Nodes with one relation in and one out.
    Chains,
    /// Nodes for which the graph does not grow: `in * out <= in + out`.
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

/// The order in which the relations of an edge are tried on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those that change most variables of the error first.
    Relevance,
    /// As in the model.
    Model,
    /// The last of the model first.
    Reverse,
    /// By their names.
    Name,
}

choices!(Bypass {
    Off = "off",
    Chains = "chains",
    Profitable = "profitable",
});

choices!(SubPath {
    Earliest = "earliest",
    Latest = "latest",
});

choices!(Order {
    Relevance = "relevance",
    Model = "model",
    Reverse = "reverse",
    Name = "name",
});

options! {
    /// The options of `slab`; by default all optimisations are on.
    pub struct Config {
        /// work exactly as published (changes the other defaults)
        paper("slab-paper"): bool = false,
        /// one search for each disjunct of the error, as the first one reached
        decompose("decompose"): bool = true,
        /// check only one of several disjuncts of the error that exchanges of processes map to each
        /// other
        symmetry("symmetry"): bool = true,
        /// first split by the control variables of the error, into at most N nodes
        up_front("up-front"): u64 = 64,
        /// first guess and prove lemmas about two processes
        seeds("seeds"): bool = true,
        /// try known predicates before new interpolants
        reuse("reuse"): bool = true,
        /// split by one atom of a compound interpolant
        atomic("atomic"): bool = true,
        /// minimise the core of the last step before interpolation
        minimise("minimise"): bool = true,
        /// remove irrelevant conditions from a path before interpolation
        path_slice("path-slice"): bool = false,
        /// first split these nodes of the abstraction with four nodes, such as n2,n5, by the
        /// predicates of --predicates in their order
        guide("guide"): Guide = Guide::default(),
        /// keep concrete steps, so that edges need no query after a split
        witnesses("witnesses"): bool = true,
        /// test for syntactic contradictions before asking the solver
        syntactic("syntactic"): bool = true,
        /// which infeasible part of a path is refuted
        sub_path("sub-path"): SubPath = SubPath::Latest,
        /// which relation of an edge a path takes
        order("order"): Order = Order::Relevance,
        /// compose the relations into a node with those out of it: if there is one of each
        /// (chains), or if the graph does not grow (profitable)
        bypass("bypass"): Bypass = Bypass::Off,
        /// drop conditions on dead variables from relations
        simplify("simplify"): bool = false,
        /// remove relations that lead from no state of a node to a state of the next
        inconsistent("inconsistent"): bool = true,
        /// remove nodes that are on no path to an error at once, not only at the end
        unreachable("unreachable"): bool = true,
        /// start from the paper's four nodes; otherwise from a start node before one inner node
        four_nodes("four-nodes"): bool = false,
        /// add the idling transition
        idle("idle"): bool = false,
    }
}

impl Config {
    /// Exactly the paper.
    ///
    /// Paper: [BrDrFiWe07]. Witnesses and the syntactic test change no decision and stay on. Where
    /// the paper leaves choices open, these are the ones that come closest to its table
    /// (docs/slicing.md).
    pub fn paper() -> Config {
        Config {
            paper: true,
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
            sub_path: SubPath::Latest,
            order: Order::Name,
            ..Config::default()
        }
    }

    /// The user's settings, on top of the paper's procedure if requested.
    pub fn chosen(settings: &Settings) -> Result<Config, BadOption> {
        match Config::read(settings)? {
            config if config.paper => Config::paper().with(settings),
            config => Ok(config),
        }
    }
}
