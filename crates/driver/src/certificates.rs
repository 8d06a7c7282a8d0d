//! Writing certificates to files and checking those that others wrote.

use crate::check::check_certificate;
use crate::load::Loaded;
use sectile_base::{Budget, Source};
use sectile_certify::{Claim, Outcome};
use sectile_frontend::certificate::{self, ReadCertificate};
use sectile_frontend::input::InputError;
use sectile_model::{Certificate, Task};
use sectile_solver::Backend;

/// The result of checking one certificate of a file.
pub struct CertificateResult {
    /// The property it is about.
    pub property: String,
    /// What it claims.
    pub claim: Claim,
    /// What the checker says, or how its solver failed.
    pub outcome: Result<Outcome, String>,
}

/// The parameters with which the model of a certificate is to be read.
pub fn parameters(source: &Source) -> Result<Vec<(String, String)>, InputError> {
    certificate::parameters(source).map_err(|d| InputError::of(&d, source))
}

/// Checks every certificate of a text against the model.
pub fn certify(
    loaded: &Loaded,
    source: &Source,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Vec<CertificateResult>, InputError> {
    let module = &loaded.reading.module;
    let scope = &loaded.reading.scope;
    let list = certificate::read(&loaded.terms, module, scope, source)
        .map_err(|d| InputError::of(&d, source))?;
    let mut results = Vec::new();
    for entry in list {
        let Some(property) = module.property(&entry.property) else {
            continue;
        };
        let task = Task::new(&loaded.terms, &module.model, property);
        let claim = if entry.holds {
            Claim::Holds
        } else {
            Claim::Violated
        };
        let outcome = check_certificate(&task, claim, &entry.certificate, backend, budget);
        results.push(CertificateResult {
            property: entry.property,
            claim,
            outcome,
        });
    }
    Ok(results)
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
            holds: claim == Claim::Holds,
            certificate: certificate.clone(),
        })
        .collect();
    let name = std::path::Path::new(loaded.source.name());
    let file = name.file_name().and_then(|n| n.to_str()).unwrap_or("-");
    certificate::print(&loaded.terms, &loaded.reading.module, file, &entries)
}
