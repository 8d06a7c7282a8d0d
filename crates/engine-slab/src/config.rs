//! Options: the paper's procedure, and what was added to make it fast, each with a switch.

use crate::guided::Guide;
use sectile_engine::{BadOption, Options, Settings, choices, options};

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
    /// How the engine works; the defaults are everything that makes it fast.
    pub struct Config {
        /// work exactly as the paper does (changes the defaults of the others)
        paper("slab-paper"): bool = false,
        /// one run for every disjunct of the error, as the first error
        decompose("decompose"): bool = true,
        /// of disjuncts that exchanging processes maps to each other, check one
        symmetry("symmetry"): bool = true,
        /// split by the control variables of the error first, into at most N nodes
        up_front("up-front"): u64 = 64,
        /// guess and prove lemmas about two processes first
        seeds("seeds"): bool = true,
        /// try known predicates before new interpolants
        reuse("reuse"): bool = true,
        /// split by one atom of a compound interpolant
        atomic("atomic"): bool = true,
        /// minimise the core of the last step before interpolation
        minimise("minimise"): bool = true,
        /// leave out what cannot matter on a path before interpolation
        path_slice("path-slice"): bool = false,
        /// split these nodes of the abstraction with four nodes first, such as n2,n5, by the predicates
        /// of --predicates in their order
        guide("guide"): Guide = Guide::default(),
        /// keep concrete steps, to inherit edges in a split
        witnesses("witnesses"): bool = true,
        /// test for plain contradictions before the solver
        syntactic("syntactic"): bool = true,
        /// which infeasible part of a path is refuted
        sub_path("sub-path"): SubPath = SubPath::Latest,
        /// which relation of an edge a path takes
        order("order"): Order = Order::Relevance,
        /// compose what leads into a node with what leaves it: where there is one relation each
        /// (chains), or where the graph does not grow (profitable)
        bypass("bypass"): Bypass = Bypass::Off,
        /// drop what relations say about dead variables
        simplify("simplify"): bool = false,
        /// remove relations that lead from no state of a node to one of the next
        inconsistent("inconsistent"): bool = true,
        /// remove nodes that are on no path to an error at once, not only in the end
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
    /// Paper: [BrDrFiWe07]. Witnesses and the quick test change no decision and stay on. Of what the
    /// paper leaves open, this is the reading that comes closest to its table (docs/slicing.md).
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

    /// What the user set, on top of the paper's procedure if that is asked for.
    pub fn chosen(settings: &Settings) -> Result<Config, BadOption> {
        match Config::read(settings)? {
            config if config.paper => Config::paper().with(settings),
            config => Ok(config),
        }
    }
}
