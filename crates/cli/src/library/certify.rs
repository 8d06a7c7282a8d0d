//! Checks certificates of any origin.

use super::check::Cancel;
use super::error::Error;
use super::model::Model;
use super::outcome::{Certificate, Verdict};
use sectile_base::{Budget, Int, Source};
use sectile_certify::Outcome;
use sectile_driver::certificates::{self, CertificateResult};
use sectile_driver::registry;
use std::time::Duration;

/// The default name of certificates in messages.
const NAME: &str = "<certificate>";

/// Checks a certificate against a model, with the embedded solver and without limits; see
/// [`Certify`] for more.
///
/// ```
/// use sectile::{Certificate, Judged, Language, Model, Verdict, certify};
///
/// let model = Model::read(
///     Language::Sct,
///     "var x : int = 0\nup: x < 10 --> x := x + 2\ninvariant small: x <= 12",
/// )?;
/// let by_hand = |invariant: &str| {
///     Certificate::from(format!(
///         "sectile certificate 1\nproperty small\nholds\ninvariant\n  {invariant}\n"
///     ))
/// };
/// let good = certify(&model, &by_hand("x <= 11"))?;
/// assert_eq!(good.verdict_of("small"), Verdict::Holds);
///
/// let bad = certify(&model, &by_hand("x <= 9"))?;
/// assert_eq!(bad.verdict_of("small"), Verdict::Unknown);
/// let Judged::Refused { obligation, .. } = &bad.judgements()[0].judged else { panic!() };
/// assert_eq!(obligation, "consecution of up");
/// # Ok::<(), sectile::Error>(())
/// ```
pub fn certify(model: &Model, certificate: &Certificate) -> Result<Certification, Error> {
    Certify::new(model, certificate).run()
}

/// A check of a certificate, to be started by [`Certify::run`].
#[derive(Clone, Debug)]
pub struct Certify<'c> {
    model: &'c Model,
    certificate: &'c Certificate,
    name: &'c str,
    solver: String,
    memory: Option<u64>,
    budget: Budget,
}

impl<'c> Certify<'c> {
    /// A check of this certificate against this model.
    pub fn new(model: &'c Model, certificate: &'c Certificate) -> Certify<'c> {
        Certify {
            model,
            certificate,
            name: NAME,
            solver: "native".to_string(),
            memory: None,
            budget: Budget::unlimited(),
        }
    }

    /// Sets the name of the certificate in messages.
    pub fn name(mut self, name: &'c str) -> Certify<'c> {
        self.name = name;
        self
    }

    /// Limits the total time.
    pub fn timeout(mut self, time: Duration) -> Certify<'c> {
        self.budget = self.budget.with_time(time);
        self
    }

    /// Limits the memory of the whole process, in bytes.
    pub fn memory(mut self, bytes: u64) -> Certify<'c> {
        self.memory = Some(bytes);
        self.budget = self.budget.with_memory(bytes);
        self
    }

    /// Chooses the solver, as [`Check::solver`](crate::Check::solver) does. Refutations of the
    /// embedded solver are replayed by a kernel; other solvers are trusted.
    pub fn solver(mut self, solver: impl Into<String>) -> Certify<'c> {
        self.solver = solver.into();
        self
    }

    /// Sets a handle that ends the check.
    pub fn cancel(self, handle: &Cancel) -> Certify<'c> {
        handle.also_stops(self.budget.stopper());
        self
    }

    /// Checks the certificate.
    ///
    /// A certificate about another instance of the model, with other values of parameters, is not
    /// examined further: see [`Certification::differing`].
    pub fn run(self) -> Result<Certification, Error> {
        let text = self.certificate.as_str();
        let source = Source::new(self.name, text);
        let loaded = self.model.loaded();
        let claimed = certificates::parameters(&source)?;
        let differing = differing(&claimed, &loaded.reading.module.parameters);
        if !differing.is_empty() {
            return Ok(Certification {
                differing,
                judgements: Vec::new(),
            });
        }
        let backend = registry::backend(&self.solver, self.memory)?;
        let results = certificates::certify(loaded, &source, backend.as_ref(), &self.budget)?;
        Ok(Certification {
            differing,
            judgements: results.into_iter().map(Judgement::of).collect(),
        })
    }
}

/// The parameters on which the certificate and the model disagree.
fn differing(claimed: &[(String, String)], known: &[(String, Int)]) -> Vec<Differing> {
    let all = claimed.iter().map(|(name, value)| Differing {
        name: name.clone(),
        certificate: value.clone(),
        model: { known.iter() }
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.to_string()),
    });
    let same = |d: &Differing| {
        let value = |text: &str| text.parse::<Int>().ok();
        let model = d.model.as_deref().and_then(value);
        model.is_some() && value(&d.certificate) == model
    };
    all.filter(|d| !same(d)).collect()
}

/// A parameter whose value in the certificate differs from that in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Differing {
    /// The parameter.
    pub name: String,
    /// Its value in the certificate.
    pub certificate: String,
    /// Its value in the model, if there is such a parameter.
    pub model: Option<String>,
}

/// The result of the checker for a certificate.
#[derive(Clone, Debug)]
pub struct Certification {
    differing: Vec<Differing>,
    judgements: Vec<Judgement>,
}

impl Certification {
    /// Whether the certificate makes claims and all of them were accepted.
    pub fn is_accepted(&self) -> bool {
        let mut all = self.judgements.iter();
        !self.judgements.is_empty() && all.all(Judgement::is_accepted)
    }

    /// The verdict that the certificate establishes for a property: unknown, unless it contains an
    /// accepted claim about it.
    pub fn verdict_of(&self, property: &str) -> Verdict {
        let about = { self.judgements.iter() }.filter(|j| j.property == property);
        let mut shown = about.filter(|j| j.is_accepted()).map(|j| j.claim);
        shown.next().unwrap_or(Verdict::Unknown)
    }

    /// The result for each claim.
    pub fn judgements(&self) -> &[Judgement] {
        &self.judgements
    }

    /// The parameters whose values differ from those of the model. If there are any, the
    /// certificate is refused as a whole.
    pub fn differing(&self) -> &[Differing] {
        &self.differing
    }
}

/// The result of the checker for one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// The property that the claim is about.
    pub property: String,
    /// The claimed verdict.
    pub claim: Verdict,
    /// The result.
    pub judged: Judged,
}

/// Whether a claim was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Judged {
    /// The claim is accepted.
    Accepted {
        /// The number of obligations.
        obligations: usize,
    },
    /// The evidence is wrong, which says nothing about the property.
    Refused {
        /// The first obligation that does not hold.
        obligation: String,
        /// The reason.
        because: String,
    },
    /// An obligation could not be decided.
    Undecided {
        /// The obligation.
        obligation: String,
        /// The reason, in a few words.
        because: String,
    },
    /// The solver failed.
    Failed {
        /// The reason.
        because: String,
    },
}

impl Judgement {
    fn of(result: CertificateResult) -> Judgement {
        Judgement {
            property: result.property,
            claim: Verdict::of_claim(result.claim),
            judged: match result.outcome {
                Ok(outcome) => Judged::from(outcome),
                Err(because) => Judged::Failed { because },
            },
        }
    }

    /// Whether the claim is accepted.
    pub fn is_accepted(&self) -> bool {
        matches!(self.judged, Judged::Accepted { .. })
    }
}

#[doc(hidden)]
impl From<Outcome> for Judged {
    fn from(outcome: Outcome) -> Judged {
        match outcome {
            Outcome::Accepted { obligations } => Judged::Accepted { obligations },
            Outcome::Refused(refusal) => Judged::Refused {
                obligation: refusal.obligation.to_string(),
                because: refusal.because,
            },
            Outcome::Undecided(obligation, why) => Judged::Undecided {
                obligation: obligation.to_string(),
                because: format!("{why:?}"),
            },
        }
    }
}
