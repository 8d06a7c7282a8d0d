//! Combines the results of the lines about one property, with evidence that the checker accepted.

use super::line::CheckLine;
use super::sheet::{Sheet, status};
use sectile_base::{Budget, Source};
use sectile_bench::work::Results;
use sectile_certify::Outcome;
use sectile_driver::Loaded;
use sectile_driver::certificates::{self, ReadCertificate, certify_entry, print_all};
use sectile_model::{Certificate, Invariants};
use sectile_report::Status;
use sectile_solver::Backend;

/// The combined result for a property.
pub struct Conclusion {
    pub property: String,
    pub status: Status,
    /// Why the verdict is unknown.
    pub reason: String,
    /// Lines without a verdict, by number.
    pub open: Vec<usize>,
    /// The lines whose evidence establishes the verdict, by number.
    pub lines: Vec<usize>,
    /// The accepted evidence.
    pub entries: Vec<ReadCertificate>,
    /// The number of obligations that the checker proved.
    pub obligations: usize,
    /// Lines whose evidence was refused, with the reason.
    pub refused: Vec<(usize, String)>,
    /// A bug, such as a contradiction between lines.
    pub failure: Option<String>,
}

/// Joins the lines about the properties of one instance.
pub struct Joiner<'j> {
    pub sheet: &'j Sheet,
    pub results: &'j Results<'j>,
    pub loaded: &'j Loaded,
    pub backend: &'j dyn Backend,
}

/// A line with its evidence.
struct Witness {
    number: usize,
    entry: ReadCertificate,
}

impl Joiner<'_> {
    /// The combined result for the property of a line.
    pub fn conclude(&self, question: usize) -> Conclusion {
        let mut conclusion = Conclusion {
            property: self.sheet.lines[question].property.clone(),
            status: Status::Unknown,
            reason: String::new(),
            open: Vec::new(),
            lines: Vec::new(),
            entries: Vec::new(),
            obligations: 0,
            refused: Vec::new(),
            failure: None,
        };
        let units = self.sheet.units(question);
        let all = || units.iter().flatten().copied();
        if let Some(k) = all().find(|&k| self.status(k) == Some(Status::Violated)) {
            self.rest_on(&[k], Status::Violated, &mut conclusion);
            self.contradicted(k, &units, &mut conclusion);
            return conclusion;
        }
        let holding = |unit: &Vec<usize>| {
            let mut unit = unit.iter().copied();
            unit.find(|&k| self.status(k) == Some(Status::Holds))
        };
        let holding: Vec<Option<usize>> = units.iter().map(holding).collect();
        match holding.iter().copied().collect::<Option<Vec<usize>>>() {
            Some(lines) => self.rest_on(&lines, Status::Holds, &mut conclusion),
            None => {
                let open = units.iter().zip(&holding).filter(|(_, h)| h.is_none());
                let open: Vec<usize> = open.flat_map(|(unit, _)| unit.clone()).collect();
                conclusion.reason = self.reasons(&open);
                conclusion.failure = open.iter().find_map(|&k| self.failure(k));
                let ended = open.iter().filter(|&&k| self.status(k).is_some());
                conclusion.open = ended.map(|k| k + 1).collect();
            }
        }
        conclusion
    }

    fn status(&self, k: usize) -> Option<Status> {
        self.results.get(k + 1).map(status)
    }

    /// The reasons why lines have no verdict, without duplicates.
    fn reasons(&self, lines: &[usize]) -> String {
        let mut found: Vec<String> = Vec::new();
        for &k in lines {
            let reason = match self.results.get(k + 1) {
                None => "not done",
                Some(result) => result["reason"].as_str().unwrap_or("no reason given"),
            };
            if !found.iter().any(|r| r == reason) {
                found.push(reason.to_string());
            }
        }
        found.join(", ")
    }

    /// The failure of a line, if it is a bug of ours.
    fn failure(&self, k: usize) -> Option<String> {
        let failure = self.results.get(k + 1)?["failures"][0].as_str()?;
        Some(format!("line {}: {failure}", k + 1))
    }

    /// Sets the verdict, if the evidence of these lines is accepted for the whole property.
    fn rest_on(&self, lines: &[usize], claimed: Status, conclusion: &mut Conclusion) {
        let mut witnesses = Vec::new();
        for &k in lines {
            match self.entry(k) {
                Ok(entry) => witnesses.push(Witness {
                    number: k + 1,
                    entry,
                }),
                Err(why) => conclusion.refused.push((k + 1, why)),
            }
        }
        if !conclusion.refused.is_empty() {
            conclusion.reason = "its evidence is refused".to_string();
            return;
        }
        let mut why = String::new();
        for entries in self.candidates(&witnesses, claimed) {
            match self.accepted(&entries) {
                Ok(obligations) => {
                    conclusion.status = claimed;
                    conclusion.lines = witnesses.iter().map(|w| w.number).collect();
                    conclusion.entries = entries;
                    conclusion.obligations = obligations;
                    return;
                }
                Err(refusal) => why = refusal,
            }
        }
        for witness in &witnesses {
            let outcome = self.checked(&witness.entry);
            if let Err(why) = outcome {
                conclusion.refused.push((witness.number, why));
            }
        }
        conclusion.reason = "its evidence is refused".to_string();
        if conclusion.refused.is_empty() {
            conclusion.failure = Some(format!(
                "{}: all parts have evidence, but the whole is refused: {why}",
                conclusion.property
            ));
        }
    }

    /// Reports a failure if two lines contradict each other.
    fn contradicted(&self, violated: usize, units: &[Vec<usize>], conclusion: &mut Conclusion) {
        let unit = units.iter().find(|u| u.contains(&violated));
        let mut others = unit.into_iter().flatten().copied();
        let holds = others.find(|&k| self.status(k) == Some(Status::Holds));
        let Some(holds) = holds.filter(|_| conclusion.status == Status::Violated) else {
            return;
        };
        let entry = self.entry(holds);
        match entry.and_then(|e| self.checked(&e)) {
            Err(why) => conclusion.refused.push((holds + 1, why)),
            Ok(()) => {
                let (holds, violated) = (holds + 1, violated + 1);
                conclusion.failure = Some(format!(
                    "{}: lines {holds} and {violated} contradict each other, and both have evidence",
                    conclusion.property
                ));
            }
        }
    }

    /// The evidence of a line, if it refers to the property and part of the line.
    fn entry(&self, k: usize) -> Result<ReadCertificate, String> {
        let line: &CheckLine = &self.sheet.lines[k];
        let result = self.results.get(k + 1).ok_or("there is no result")?;
        let text = result["certificate"].as_str();
        let text = text.ok_or("there is no certificate in it")?;
        let source = Source::new(format!("the certificate of line {}", k + 1), text);
        let list = certificates::read(self.loaded, &source).map_err(|e| e.to_string())?;
        let is_own = |e: &ReadCertificate| {
            let part = line.part.as_ref().map(super::line::PartLine::part);
            let claimed = Some(e.holds) == self.status(k).map(|s| s == Status::Holds);
            e.property == line.property && e.part == part && claimed
        };
        match <[ReadCertificate; 1]>::try_from(list) {
            Ok([entry]) if is_own(&entry) => Ok(entry),
            _ => Err("its certificate is about something else".to_string()),
        }
    }

    /// Possible forms of the evidence for the whole, the best first: one certificate, or one for each
    /// part.
    fn candidates(&self, witnesses: &[Witness], claimed: Status) -> Vec<Vec<ReadCertificate>> {
        let parts: Vec<ReadCertificate> = witnesses.iter().map(|w| w.entry.clone()).collect();
        if parts.iter().all(|e| e.part.is_none()) {
            return vec![parts];
        }
        let one = match claimed {
            Status::Holds => self.conjoined(&parts),
            // A run that violates a part violates the whole.
            _ => parts.first().map(|e| e.certificate.clone()),
        };
        let whole = one.zip(parts.first()).map(|(certificate, first)| {
            vec![ReadCertificate {
                part: None,
                certificate,
                ..first.clone()
            }]
        });
        whole.into_iter().chain([parts]).collect()
    }

    fn conjoined(&self, parts: &[ReadCertificate]) -> Option<Certificate> {
        let invariants = parts.iter().map(|e| match &e.certificate {
            Certificate::Invariants(proof) => Some(proof),
            _ => None,
        });
        let invariants: Option<Vec<&Invariants>> = invariants.collect();
        let one = Invariants::conjoined(&self.loaded.terms, &invariants?)?;
        Some(Certificate::Invariants(one))
    }

    /// Checks evidence for a whole property, in the textual form in which it is written. Returns
    /// the number of obligations.
    fn accepted(&self, entries: &[ReadCertificate]) -> Result<usize, String> {
        let text = print_all(self.loaded, entries);
        let source = Source::new("the certificate of the whole", text);
        let budget = Budget::unlimited();
        let results = certificates::certify(self.loaded, &source, self.backend, &budget);
        let mut results = results.map_err(|e| e.to_string())?;
        match results.pop().map(|r| r.outcome) {
            Some(outcome) if results.is_empty() => obligations(outcome),
            _ => Err("it is not about one property".to_string()),
        }
    }

    /// Checks the evidence of one line.
    fn checked(&self, entry: &ReadCertificate) -> Result<(), String> {
        let outcome = certify_entry(self.loaded, entry, self.backend, &Budget::unlimited());
        obligations(outcome).map(|_| ())
    }
}

fn obligations(outcome: Result<Outcome, String>) -> Result<usize, String> {
    match outcome? {
        Outcome::Accepted { obligations } => Ok(obligations),
        Outcome::Refused(refusal) => Err(format!("{}: {}", refusal.obligation, refusal.because)),
        Outcome::Undecided(obligation, why) => {
            Err(format!("{obligation} could not be decided: {why:?}"))
        }
    }
}
