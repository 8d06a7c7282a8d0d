//! The portfolios of `auto`: engines, their options, and the weights of their turns.
//!
//! | table | measured in docs/evaluation.md under |
//! |---|---|
//! | [`SYSTEMS`] | Slicing abstractions, Everyday protocols |
//! | [`GRAPHS`], [`STRAIGHT`], [`ARRAYS`] | Programs |
//! | [`LINEAR_CLAUSES`], [`WIDE_CLAUSES`], [`CLAUSES`], [`ARRAY_CLAUSES`] | Horn clauses |
//! | [`CTL`] | Partial predicate abstraction, Everyday protocols |

/// An engine with options of its own and the weight of its turns.
pub type Attempt = (&'static str, &'static [(&'static str, &'static str)], u32);

/// A turn of weight one in a table is this many times as long as a turn of an engine in no table
/// for the task: eight such engines take a fifth of the time of the engines that were measured to
/// be best.
pub(crate) const TABLE_SHARE: u32 = 4;

/// Transition systems: cheap engines first, then lemmas and slices.
///
/// The work that `predabs` counts is up to three times the time that it takes, hence its weight.
pub(crate) const SYSTEMS: &[Attempt] = &[
    ("explicit", &[("states", "200000")], 2),
    ("kinduction", &[("depth", "5")], 1),
    ("bdd", &[], 3),
    ("bdd", &[("reach", "false")], 3),
    ("ctl", &[], 3),
    ("pdr", &[], 8),
    ("slab", &[], 3),
    ("predabs", &[], 12),
    ("kinduction", &[], 1),
];

/// Programs: first a few runs, then proofs, and long runs alongside.
///
/// A few runs end quickly, unless the program has no choices: then its only run may be long, and is
/// worth the time.
pub(crate) const GRAPHS: &[Attempt] = &[
    ("walk", &[("runs", "15")], 4),
    ("explicit", &[("states", "20000")], 1),
    ("kojak", &[], 8),
    ("elim", &[], 3),
    ("impact", &[], 3),
    ("walk", &[], 1),
    ("pdr", &[], 1),
    ("kinduction", &[], 1),
];

/// Programs without loops: one pass over all paths is enough.
pub(crate) const STRAIGHT: &[Attempt] = &[
    ("walk", &[("runs", "15")], 1),
    ("kojak", &[], 3),
    ("bmc", &[], 2),
    ("explicit", &[("states", "20000")], 1),
    ("impact", &[], 1),
];

/// Programs with arrays: engines for a few elements, and engines for whole arrays.
pub(crate) const ARRAYS: &[Attempt] = &[
    ("kojak", &[], 12),
    ("walk", &[("runs", "15")], 1),
    ("bmc", &[], 1),
    ("impact", &[], 2),
    ("elim", &[], 2),
    ("kinduction", &[], 1),
];

/// Horn clauses with several predicates in a body and arrays: a few array elements, in all
/// consequences of the clauses or along single paths.
pub(crate) const ARRAY_CLAUSES: &[Attempt] = &[
    ("horn", &[], 4),
    ("trees", &[], 3),
    ("kojak", &[], 4),
    ("walk", &[("runs", "15")], 1),
    ("bmc", &[], 2),
    ("impact", &[], 1),
];

/// CTL properties.
pub(crate) const CTL: &[Attempt] = &[
    ("explicit", &[("states", "3200000")], 2),
    ("bdd", &[], 4),
    ("bdd", &[("reach", "false")], 4),
    ("ctl", &[], 8),
    ("plans", &[], 4),
    ("poly", &[], 1),
];

/// Graphs of linear clauses: as for programs, and as clauses.
pub(crate) const LINEAR_CLAUSES: &[Attempt] = &[
    ("spacer", &[], 4),
    ("horn", &[], 3),
    ("walk", &[("runs", "15")], 1),
    ("explicit", &[("states", "20000")], 1),
    ("kojak", &[], 3),
    ("kinduction", &[], 4),
    ("pdkind", &[], 2),
    ("pdkind", &[("induction-steps", "1")], 2),
    ("pdr", &[], 3),
    ("elim", &[], 1),
    ("impact", &[], 1),
    ("walk", &[], 1),
];

/// A single loop with at least this many Booleans and reals is a circuit or a protocol with clocks,
/// not a program.
pub(crate) const MANY: usize = 24;

/// Graphs of linear clauses with one loop over [`MANY`] Booleans and reals. K-induction with small
/// k proves most of them, so it gets half of the time until it has reached that k. After that,
/// lemmas from single steps get the time.
pub(crate) const WIDE_CLAUSES: &[Attempt] = &[
    ("kinduction", &[("depth", "8")], 24),
    ("pdkind", &[("induction-steps", "1")], 6),
    ("kinduction", &[], 1),
    ("spacer", &[], 12),
    ("horn", &[], 2),
    ("walk", &[("runs", "15")], 1),
    ("explicit", &[("states", "20000")], 1),
    ("kojak", &[], 1),
    ("pdr", &[], 1),
    ("elim", &[], 1),
    ("impact", &[], 1),
];

/// Models whose exact meaning is clauses: engines for the clauses, and engines for the graph.
pub(crate) const CLAUSES: &[Attempt] = &[
    ("spacer", &[], 6),
    ("spacer", &[("lemmas-from", "interpolants")], 2),
    ("horn", &[], 4),
    ("kojak", &[], 2),
    ("impact", &[], 1),
    ("explicit", &[("states", "20000")], 1),
];

/// Engines whose proofs give models of clauses, in the order in which they are tried.
///
/// Arrays have no interpolants, so gaps between invariants cannot be filled with them; induction
/// may help there, since its lemmas come from the conditions of the steps.
pub const PROVERS: [&[&str]; 3] = [&["slab"], &["kojak", "horn", "impact"], &[PLAIN_PROVER.0]];

/// The engine with small models of clauses: its lemmas come from the conditions of the steps.
pub const PLAIN_PROVER: Attempt = ("kinduction", &[("depth", "1")], 1);

/// Engines with readable proofs, for models where a search would list states: conditions of the
/// steps, and facts about the numbers at each location.
pub const READABLE: &[Attempt] = &[PLAIN_PROVER, ("kojak", &[], 1)];

/// Engines whose invariants of a small instance consist of clauses that hold in larger ones, too.
pub const LIFTED: [&str; 2] = ["slab", "pdr"];

/// Engines that find equations between counters of processes.
pub const EQUATIONS: [&str; 2] = ["kojak", "impact"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn tables_name_engines_that_there_are() {
        let tables = [
            SYSTEMS,
            GRAPHS,
            STRAIGHT,
            ARRAYS,
            ARRAY_CLAUSES,
            CTL,
            LINEAR_CLAUSES,
            WIDE_CLAUSES,
            CLAUSES,
        ];
        let tables = tables.iter().copied().flatten().map(|a| a.0);
        let lists = PROVERS.concat().into_iter().chain(LIFTED).chain(EQUATIONS);
        let mut used = tables.chain(lists);
        assert!(used.all(|name| registry::engine(name).is_some()));
    }
}
