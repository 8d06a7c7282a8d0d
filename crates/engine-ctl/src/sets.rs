//! Which sets of numbers to use: the option that all engines on guarded assignments have.

use sectile_engine::{BadOption, OptionSpec, Settings};

/// The option as users see it.
pub const DOMAIN: OptionSpec = OptionSpec {
    name: "domain",
    help: "sets of numbers: zones, polyhedra, or auto, which takes zones where they are enough",
    default: "auto",
};

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

impl Sets {
    /// What the settings say.
    pub fn read(settings: &Settings) -> Result<Sets, BadOption> {
        let values = ["auto", "zones", "polyhedra"];
        Ok(match settings.choice(DOMAIN.name, &values)? {
            Some("zones") => Sets::Zones,
            Some("polyhedra") => Sets::Polyhedra,
            _ => Sets::Chosen,
        })
    }
}
