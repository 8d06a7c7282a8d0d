//! The check that a computed system is an abstraction, where the construction does not guarantee
//! it.

use super::picture::Picture;
use crate::commands::prove::values;
use sectile_engine_predabs::Discharge;
use sectile_terms::Stage;
use serde_json::{Value, json};

impl Picture<'_> {
    /// As text.
    pub fn simulation_text(&self) -> String {
        match &self.simulation {
            None => String::new(),
            Some(Ok(())) => "simulation: every step has an abstract one\n".to_string(),
            Some(Err((obligation, answer))) => {
                let head = format!(
                    "simulation: this is not an abstraction: `{}` ",
                    obligation.name
                );
                head + &match answer {
                    Discharge::Unknown(why) => format!("is open ({why})\n"),
                    Discharge::Valid => String::new(),
                    Discharge::Fails(model) => {
                        let terms = &self.loaded.terms;
                        let at =
                            |stage| values(terms, model.iter().filter(|((_, s), _)| *s == stage));
                        let (from, to) = (at(Stage::Now), at(Stage::Next));
                        let arrow = match to.is_empty() {
                            true => String::new(),
                            false => format!("\n  to   {to}"),
                        };
                        format!("fails\n  from {from}{arrow}\n")
                    }
                }
            }
        }
    }

    /// As JSON.
    pub fn simulation_json(&self) -> Option<Value> {
        self.simulation.as_ref().map(|s| match s {
            Ok(()) => json!({ "holds": true }),
            Err((obligation, _)) => json!({ "holds": false, "fails": obligation.name }),
        })
    }
}
