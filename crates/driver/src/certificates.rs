//! Writing and reading certificate files, and checking their certificates.

use crate::check::check_certificate;
use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Outcome};
use sectile_frontend::certificate;
pub use sectile_frontend::certificate::ReadCertificate;
use sectile_frontend::input::InputError;
use sectile_frontend::load::Loaded;
use sectile_model::{Certificate, Property, Task};
use sectile_solver::Backend;

/// The result of checking one certificate of a file.
pub struct CertificateResult {
    /// The property it is about.
    pub property: String,
    /// Its claim.
    pub claim: Claim,
    /// The answer of the checker, or the failure of its solver.
    pub outcome: Result<Outcome, String>,
}

/// The parameters recorded in a certificate.
pub fn parameters(source: &Source) -> Result<Vec<(String, String)>, InputError> {
    certificate::parameters(source).map_err(|d| InputError::of(&d, source))
}

/// The certificates of a text about the model.
pub fn read(loaded: &Loaded, source: &Source) -> Result<Vec<ReadCertificate>, InputError> {
    let (module, scope) = (&loaded.reading.module, &loaded.reading.scope);
    let list = certificate::read(&loaded.terms, module, scope, source);
    list.map_err(|d| InputError::of(&d, source))
}

/// Checks every certificate of a text against the model.
///
/// Certificates about parts of a property give one result for the whole property.
pub fn certify(
    loaded: &Loaded,
    source: &Source,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Vec<CertificateResult>, InputError> {
    let list = read(loaded, source)?;
    let mut results = Vec::new();
    for (k, entry) in list.iter().enumerate() {
        let is_same = |e: &&ReadCertificate| e.part.is_some() && e.property == entry.property;
        let together: Vec<&ReadCertificate> = match entry.part {
            None => vec![entry],
            Some(_) if list[..k].iter().any(|e| is_same(&e)) => continue,
            Some(_) => list.iter().filter(is_same).collect(),
        };
        let checker = PartChecker {
            loaded,
            backend,
            budget,
        };
        results.extend(checker.whole(&together));
    }
    Ok(results)
}

/// Checks one certificate on its own, about its part of the property.
pub fn certify_entry(
    loaded: &Loaded,
    entry: &ReadCertificate,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Outcome, String> {
    let property = loaded.reading.module.property(&entry.property);
    let narrow = property.and_then(|p| match &entry.part {
        None => Some(p.clone()),
        Some(part) => p.part(&loaded.terms, part),
    });
    let narrow = narrow.ok_or("there is no such property, or no such part of it")?;
    let task = Task::new(&loaded.terms, &loaded.reading.module.model, &narrow);
    let claim = match entry.holds {
        true => Claim::Holds,
        false => Claim::Violated,
    };
    check_certificate(&task, claim, &entry.certificate, backend, budget)
}

/// Checks the certificates about one property.
struct PartChecker<'c> {
    loaded: &'c Loaded,
    backend: &'c dyn Backend,
    budget: &'c Budget,
}

impl PartChecker<'_> {
    /// The combined result of several certificates of a property, or of a single one.
    fn whole(&self, list: &[&ReadCertificate]) -> Option<CertificateResult> {
        // A violation of a part violates the whole; nothing else is needed.
        let violated = list.iter().copied().find(|e| !e.holds);
        let list = violated.as_ref().map_or(list, std::slice::from_ref);
        let property = self
            .loaded
            .reading
            .module
            .property(&list.first()?.property)?;
        let claim = match violated {
            Some(_) => Claim::Violated,
            None => Claim::Holds,
        };
        Some(CertificateResult {
            property: property.name.clone(),
            claim,
            outcome: self.outcome(property, claim, list),
        })
    }

    fn outcome(
        &self,
        property: &Property,
        claim: Claim,
        list: &[&ReadCertificate],
    ) -> Result<Outcome, String> {
        let mut shown = 0;
        let mut parts = Vec::new();
        for entry in list {
            match certify_entry(self.loaded, entry, self.backend, self.budget)? {
                Outcome::Accepted { obligations } => shown += obligations,
                other => return Ok(other),
            }
            parts.extend(&entry.part);
        }
        if claim == Claim::Holds && !parts.is_empty() {
            let Loaded { terms, reading, .. } = self.loaded;
            let task = Task::new(terms, &reading.module.model, property);
            let solver = self.backend.certifying_solver(task.terms);
            let mut solver = solver.map_err(|e| e.to_string())?;
            let outcome = sectile_certify::compose(&task, &parts, solver.as_mut(), self.budget);
            match outcome.map_err(|e| e.to_string())? {
                Outcome::Accepted { obligations } => shown += obligations,
                other => return Ok(other),
            }
        }
        Ok(Outcome::Accepted { obligations: shown })
    }
}

/// The text of the certificates of a check.
pub fn print<'c>(
    loaded: &Loaded,
    list: impl IntoIterator<Item = (&'c str, Claim, &'c Certificate)>,
) -> String {
    let entries: Vec<ReadCertificate> = list
        .into_iter()
        .map(|(property, claim, certificate)| ReadCertificate {
            property: property.to_string(),
            part: None,
            holds: claim == Claim::Holds,
            certificate: certificate.clone(),
        })
        .collect();
    print_all(loaded, &entries)
}

/// The text of certificates about properties and parts of them.
pub fn print_all(loaded: &Loaded, entries: &[ReadCertificate]) -> String {
    let name = std::path::Path::new(loaded.source.name());
    let file = name.file_name().and_then(|n| n.to_str()).unwrap_or("-");
    certificate::print(&loaded.terms, &loaded.reading.module, file, entries)
}
