//! Which sets of numbers to use: a choice that all engines on guarded assignments have.

/// How sets of numbers are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sets {
    /// Zones if they can express the model, polyhedra otherwise.
    Chosen,
    /// Zones.
    Zones,
    /// Polyhedra.
    Polyhedra,
}

sectile_engine::choices!(Sets {
    Chosen = "auto",
    Zones = "zones",
    Polyhedra = "polyhedra",
});
