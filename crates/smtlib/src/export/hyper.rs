//! The derivation of `false` from Horn clauses as a proof by hyper-resolution, in the format of
//! z3's `(get-proof)`.
//!
//! `((_ hyper-res 0 0 0 1) (asserted CLAUSE) PREMISE FACT)` is a step: a clause, the proofs of the
//! facts in its body, and the derived fact. An additional fact, `query!0`, stands before `false`.

use super::signature::Signature;
use crate::naming::quote;
use crate::print::print_value;
use crate::{Tree, read};
use rustc_hash::FxHashMap;
use sectile_base::Source;
use sectile_model::{LocationId, Model, State, Trace};
use sectile_terms::{Symbol, Terms};
use std::fmt::Write as _;

/// The text of the proof. Fails with the reason if a value cannot be expressed over the types of
/// the file.
pub fn to_proof(
    terms: &Terms,
    source: &Source,
    model: &Model,
    signatures: &[Signature],
    trace: &Trace,
) -> Result<String, String> {
    let places = model.variables.iter().enumerate();
    let writer = Writer {
        terms,
        model,
        signatures,
        places: places.map(|(k, &v)| (v, k)).collect(),
    };
    let mut facts = vec![String::new()];
    let mut out = String::from("((set-logic HORN)\n(declare-fun query!0 () Bool)\n(proof\n");
    let last = trace.steps.len().saturating_sub(1);
    for (k, step) in trace.steps.iter().enumerate() {
        let (Some(edge), Some(after)) = (model.edges.get(step.command), trace.states.get(k + 1))
        else {
            return Err("the derivation does not fit the clauses".to_string());
        };
        let rests_on = match step.rests_on.is_empty() {
            true => vec![k],
            false => step.rests_on.clone(),
        };
        let premises: Vec<usize> = rests_on.into_iter().filter(|s| *s > 0).collect();
        let (fact, clause) = match k == last {
            false => {
                let text = source.slice(edge.command.span);
                (writer.fact(after)?, formula(text))
            }
            true => {
                let premises: Vec<&str> = premises.iter().map(|&p| facts[p].as_str()).collect();
                ("query!0".to_string(), query(&premises))
            }
        };
        // Writing to a String cannot fail.
        let _ = write!(out, "(let ((@x{} ((_ hyper-res 0 0", k + 1);
        for literal in 1..=premises.len() {
            let _ = write!(out, " 0 {literal}");
        }
        let _ = write!(out, ") (asserted {clause})");
        for premise in premises {
            let _ = write!(out, " @x{premise}");
        }
        let _ = writeln!(out, " {fact})))");
        facts.push(fact);
    }
    let root = trace.steps.len();
    let _ = write!(out, "(mp @x{root} (asserted (=> query!0 false)) false)");
    out.extend(std::iter::repeat_n(')', root));
    out.push_str("))\n");
    Ok(out)
}

/// The formula that a command asserts.
fn formula(command: &str) -> String {
    let asserted = |tree: &Tree<'_>| match tree.list(*tree.roots().first()?)? {
        [_, formula] => Some(tree.source(*formula).to_string()),
        _ => None,
    };
    let found = read(command).ok().and_then(|tree| asserted(&tree));
    found.unwrap_or_else(|| "true".to_string())
}

/// The instance of the query that was used, without its constraint.
fn query(premises: &[&str]) -> String {
    match premises {
        [] => "query!0".to_string(),
        [only] => format!("(=> {only} query!0)"),
        _ => format!("(=> (and {}) query!0)", premises.join(" ")),
    }
}

struct Writer<'w> {
    terms: &'w Terms,
    model: &'w Model,
    signatures: &'w [Signature],
    places: FxHashMap<Symbol, usize>,
}

impl Writer<'_> {
    /// A predicate with its arguments.
    fn fact(&self, state: &State) -> Result<String, String> {
        let name = quote(self.model.location_name(state.location));
        let own = self.model.variables_at(state.location).iter();
        let values = own.filter_map(|v| state.values.get(*self.places.get(v)?));
        let values: Vec<_> = values.cloned().collect();
        let LocationId(location) = state.location;
        // The first location is the entry; then come the predicates.
        let arguments = match self.signatures.get(location.wrapping_sub(1)) {
            Some(signature) => {
                let made = signature.values(self.terms, &values);
                made.ok_or_else(|| format!("a value of `{name}` cannot be written"))?
            }
            None => values.iter().map(|v| print_value(self.terms, v)).collect(),
        };
        Ok(match arguments.is_empty() {
            true => name.into_owned(),
            false => format!("({name} {})", arguments.join(" ")),
        })
    }
}
