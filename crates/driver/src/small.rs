//! Lemmas from a smaller instance of a model.

use crate::check::{BadRequest, CheckOptions, check};
use crate::load::Loaded;
use sectile_base::Source;
use sectile_certify::Claim;
use sectile_engine::Silent;
use sectile_model::Certificate;
use sectile_terms::{NativePrinter, Term};

/// What proves the properties of a smaller instance, in the words of a larger one.
///
/// The smaller instance is checked with the same engines and limits. Formulas about processes that
/// only it has are left out; whether the others hold in the larger instance is not known.
pub fn lemmas(
    large: &Loaded,
    small: &Loaded,
    options: &CheckOptions,
) -> Result<Vec<Term>, BadRequest> {
    let options = CheckOptions {
        engines: options.engines.clone(),
        properties: options.properties.clone(),
        timeout: options.timeout,
        memory: options.memory,
        seed: options.seed,
        solver: options.solver.clone(),
        interpolation: options.interpolation,
        certify: options.certify,
        settings: options.settings.clone(),
        jobs: options.jobs,
        interrupt: options.interrupt.clone(),
        ..CheckOptions::default()
    };
    let checked = check(small, &options, &mut Silent)?;
    let printer = NativePrinter::new(&small.terms);
    let mut found = Vec::new();
    for (claim, certificate) in checked.certificates.iter().flatten() {
        let (Claim::Holds, Certificate::Invariants(proof)) = (claim, certificate) else {
            continue;
        };
        let invariants = proof
            .at
            .iter()
            .copied()
            .flatten()
            .filter(|_| proof.depth == 1);
        for part in invariants.flat_map(|i| small.terms.conjuncts(i)) {
            let text = Source::new("lemma", printer.print(part));
            found.extend(large.reading.scope.formula(&large.terms, &text));
        }
    }
    Ok(found)
}
