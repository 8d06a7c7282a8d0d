//! Results of a check.

use super::error::Error;
use super::model::Model;
use super::trace::Trace;
use sectile_certify::Claim;
use sectile_driver::{Checked, certificates};
use sectile_report::{Certified, CheckReport, Evidence, LocationWords, PropertyReport, Status};
use std::collections::BTreeMap;
use std::time::Duration;

/// The verdict about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// The property is undecided.
    Unknown,
}

impl Verdict {
    /// The verdict as the command line writes it: `holds`, `violated` or `unknown`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        }
    }

    pub(crate) fn of_claim(claim: Claim) -> Verdict {
        match claim {
            Claim::Holds => Verdict::Holds,
            Claim::Violated => Verdict::Violated,
        }
    }

    /// The verdict about several properties: violated if one is, else unknown if one is.
    pub(crate) fn of_all(all: impl Iterator<Item = Verdict>) -> Verdict {
        all.fold(Verdict::Holds, |one, other| match (one, other) {
            (Verdict::Violated, _) | (_, Verdict::Violated) => Verdict::Violated,
            (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
            _ => Verdict::Holds,
        })
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// Evidence as a text, for [`certify`](crate::certify()) or `sectile certify`, in the format of
/// `docs/format/certificate.md`.
///
/// ```
/// let text = "sectile certificate 1\nmodel counter.sct\n";
/// let certificate = sectile::Certificate::from(text.to_string());
/// assert_eq!(certificate.as_str(), text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Certificate(String);

impl Certificate {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Certificate {
    fn from(text: String) -> Certificate {
        Certificate(text)
    }
}

impl std::fmt::Display for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The invariants of a location, or of the whole state if there are no locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    /// The location, for programs.
    pub location: Option<String>,
    /// Formulas in the language of the model, all of which hold.
    pub conjuncts: Vec<String>,
}

impl Invariants {
    fn of(evidence: &Evidence) -> Vec<Invariants> {
        let at = |words: &LocationWords| Invariants {
            location: Some(words.location.clone()),
            conjuncts: words.conjuncts.clone(),
        };
        match evidence {
            Evidence::Invariant { conjuncts } => vec![Invariants {
                location: None,
                conjuncts: conjuncts.clone(),
            }],
            Evidence::Locations { locations } => locations.iter().map(at).collect(),
            // These contain only the two kinds above.
            Evidence::KInduction { invariants, .. } | Evidence::Unrolled { invariants, .. } => {
                Invariants::of(invariants)
            }
            Evidence::Cells(_)
            | Evidence::Diagrams { .. }
            | Evidence::EverySize(_)
            | Evidence::Trace(_) => Vec::new(),
        }
    }
}

/// A warning about a probable mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The kind of warning, as one word (`docs/warnings.md`).
    pub code: String,
    /// The warning in a sentence.
    pub message: String,
    /// The line of the text that it refers to.
    pub line: Option<usize>,
}

impl Warning {
    pub(crate) fn of(warning: &sectile_report::Warning) -> Warning {
        Warning {
            code: warning.code.to_string(),
            message: warning.message.clone(),
            line: warning.line,
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Outcome {
    report: CheckReport,
    properties: Vec<PropertyOutcome>,
    certificate: Option<Certificate>,
}

impl Outcome {
    pub(crate) fn new(model: &Model, checked: Checked) -> Result<Outcome, Error> {
        if !checked.failures.is_empty() {
            return Err(Error::Internal(checked.failures.join("\n")));
        }
        let reports = checked.report.properties.iter();
        let pairs = reports.zip(&checked.certificates);
        let entries = pairs.clone().filter_map(|(report, evidence)| {
            let (claim, certificate) = evidence.as_ref()?;
            Some((report.name.as_str(), *claim, certificate))
        });
        let entries: Vec<_> = entries.collect();
        let text = |list: &[_]| Certificate(certificates::print(model.loaded(), list.to_vec()));
        let certificate = (!entries.is_empty()).then(|| text(&entries));
        let properties = pairs.map(|(report, _)| {
            let own = entries.iter().filter(|(name, ..)| *name == report.name);
            let own: Vec<_> = own.copied().collect();
            PropertyOutcome {
                certificate: match (own.len(), entries.len()) {
                    (0, _) => None,
                    (1, 1) => certificate.clone(),
                    _ => Some(text(&own)),
                },
                trace: report.evidence.as_ref().and_then(Trace::of),
                warnings: report.warnings.iter().map(Warning::of).collect(),
                report: report.clone(),
            }
        });
        Ok(Outcome {
            properties: properties.collect(),
            certificate,
            report: checked.report,
        })
    }

    /// The verdict about all properties together: violated if one is, else unknown if one is.
    pub fn verdict(&self) -> Verdict {
        Verdict::of_all(self.properties.iter().map(PropertyOutcome::verdict))
    }

    /// The verdict about a property; unknown for those that were not checked.
    pub fn verdict_of(&self, property: &str) -> Verdict {
        let found = self.property(property);
        found.map_or(Verdict::Unknown, PropertyOutcome::verdict)
    }

    /// The results for each property that was checked, in the order of the model.
    pub fn properties(&self) -> &[PropertyOutcome] {
        &self.properties
    }

    /// The result for the property of this name.
    pub fn property(&self, name: &str) -> Option<&PropertyOutcome> {
        self.properties.iter().find(|p| p.name() == name)
    }

    /// The run of the first violated property that has one.
    pub fn trace(&self) -> Option<&Trace> {
        let violated = |p: &&PropertyOutcome| p.verdict() == Verdict::Violated;
        let mut violated = self.properties.iter().filter(violated);
        violated.find_map(PropertyOutcome::trace)
    }

    /// The evidence for all verdicts, as one text. Unknown properties have none; `None` if all are
    /// unknown.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// Warnings about the model; those about single properties are in their results.
    pub fn warnings(&self) -> Vec<Warning> {
        self.report.warnings.iter().map(Warning::of).collect()
    }

    /// The results as `sectile check --format json` writes them (`schemas/check.schema.json`).
    pub fn to_json(&self) -> String {
        sectile_report::to_json(&self.report)
    }
}

/// The result for one property.
#[derive(Clone, Debug)]
pub struct PropertyOutcome {
    report: PropertyReport,
    trace: Option<Trace>,
    warnings: Vec<Warning>,
    certificate: Option<Certificate>,
}

impl PropertyOutcome {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.report.name
    }

    /// `invariant`, `unreachable` or `ctl`.
    pub fn kind(&self) -> &str {
        self.report.kind
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.report.status {
            Status::Holds => Verdict::Holds,
            Status::Violated => Verdict::Violated,
            Status::Unknown => Verdict::Unknown,
        }
    }

    /// Why the verdict is unknown, in a few words, such as `timeout` or `cancelled`.
    pub fn reason(&self) -> Option<&str> {
        (self.verdict() == Verdict::Unknown).then_some(self.report.reason.as_str())
    }

    /// Partial results for an unknown verdict, in sentences; empty otherwise.
    pub fn reached(&self) -> &str {
        &self.report.reached
    }

    /// The engine that decided.
    pub fn engine(&self) -> &str {
        &self.report.engine
    }

    /// The time of the check.
    pub fn time(&self) -> Duration {
        Duration::try_from_secs_f64(self.report.seconds).unwrap_or_default()
    }

    /// Whether the independent checker accepted the evidence, with nothing else trusted.
    pub fn is_certified(&self) -> bool {
        self.report.certified == Certified::Yes
    }

    /// A run that violates the property.
    ///
    /// A violation of a CTL formula that no single run shows has no run, or one up to a loop; the
    /// certificate has the rest.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The invariants that prove the property, in readable form; empty if it is not proved by
    /// invariants.
    pub fn invariants(&self) -> Vec<Invariants> {
        let evidence = self.report.evidence.as_ref();
        evidence.map(Invariants::of).unwrap_or_default()
    }

    /// The evidence for the verdict; `None` if it is unknown.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// Counters of the engine and its solver.
    pub fn statistics(&self) -> &BTreeMap<String, u64> {
        &self.report.statistics
    }

    /// Warnings about the property.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}
