//! Invariants of the counter system, as clauses with counters.
//!
//! Where processes have finitely many local states and are all alike, counters of them say
//! everything (`--counters`). An inductive invariant of the counter system is a clause without
//! indices about counters of the family.

use super::family::{Counter, EveryProof, Family};
use crate::counters;
use sectile_certify::Claim;
use sectile_driver::{CheckOptions, EQUATIONS, check};
use sectile_engine::Silent;
use sectile_model::Certificate;
use sectile_terms::{NativePrinter, Symbol};

/// The proof that the counter system gives, if the family has one and it is proved.
pub fn proof(family: &Family, property: &str, options: &CheckOptions) -> Option<EveryProof> {
    let (loaded, counted) = counters::of_source(family.source(), family.parameters()).ok()?;
    let options = CheckOptions {
        properties: vec![property.to_string()],
        engines: EQUATIONS.map(String::from).to_vec(),
        minimise: true,
        ..options.clone()
    };
    let checked = check(&loaded, &options, &mut Silent).ok()?;
    let (claim, certificate) = checked.certificates.first()?.as_ref()?;
    let Certificate::Invariants(proof) = certificate else {
        return None;
    };
    if *claim != Claim::Holds || !proof.is_inductive() {
        return None;
    }
    let terms = &loaded.terms;
    let counters = counted.counted(&family.size)?;
    let names: Vec<&str> = counters.iter().map(|c| c.name.as_str()).collect();
    let all = format!("({})", names.join(" + "));
    // The number of processes is the sum of all counters.
    let rename = |s: Symbol| (terms.name(s) == family.size.as_str()).then(|| all.clone());
    let formulas = proof.at.iter().copied().flatten();
    let parts = formulas.flat_map(|f| terms.conjuncts(f));
    let clauses = parts.map(|p| NativePrinter::renaming(terms, &rename).print(p));
    let mut clauses: Vec<String> = clauses.collect();
    // Nobody counts below zero.
    clauses.extend(names.iter().map(|n| format!("{n} >= 0")));
    Some(EveryProof {
        property: property.to_string(),
        first: 1,
        clauses,
        counters: counters
            .into_iter()
            .map(|c| Counter { witnesses: 0, ..c })
            .collect(),
        ..EveryProof::default()
    })
}
