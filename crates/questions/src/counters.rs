//! Counter systems in place of processes, and the translation of results to the processes.
//!
//! Engines work on the counter system. Their results are translated to the family of processes and
//! checked there; for results that cannot be, the report says what was checked instead.

use crate::every::Counter;
use sectile_base::{Budget, Int, Source};
use sectile_certify::{Claim, Outcome};
use sectile_driver::check::check_certificate;
use sectile_driver::{CheckOptions, Checked};
use sectile_driver::{Loaded, load_text};
use sectile_frontend::input::{InputError, read_text};
use sectile_frontend::sct::{CounterSystem, counter_system};
use sectile_frontend::{Frontend, ReadOptions, Reading, frontends};
use sectile_model::{Certificate, ReasonCode, Task};
use sectile_report::{Certified, PropertyReport, Status, Warning};
use sectile_terms::Symbol;
use sectile_transform::{CountedState, Counters, Pass};
use std::time::Duration;

/// Time limit for a check on the family if the user gives none: sums over many processes are hard
/// for the solver.
const CHECK_TIME: Duration = Duration::from_secs(10);

/// The family of processes from which a counter system was made.
pub struct Family {
    source: Source,
    /// The given parameters, as typed.
    parameters: Vec<(String, String)>,
    counted: CounterSystem,
}

/// The result of a check on the family.
enum Checkup {
    /// The whole verdict was checked.
    Whole,
    /// A part was not checked; the text says what was.
    Partly(String),
    /// The verdict, or its evidence, is wrong for the family.
    Wrong(String),
}

impl Family {
    fn read(
        file: &str,
        input: Option<&str>,
        parameters: &[(String, String)],
    ) -> Result<Family, InputError> {
        let is_native = match input {
            Some(name) => name == "sct",
            None => file.ends_with(".sct"),
        };
        if !is_native {
            return Err(InputError {
                message: "error[counters]: only models in the native language (.sct) have \
                          families of processes\n"
                    .to_string(),
            });
        }
        let (name, text) = read_text(file)?;
        Family::of_source(Source::new(name.as_str(), text), parameters)
    }

    fn of_source(source: Source, parameters: &[(String, String)]) -> Result<Family, InputError> {
        let parameters = parameters.to_vec();
        let options = ReadOptions {
            parameters: parameters.clone(),
            ..ReadOptions::default()
        };
        match counter_system(&source, &options) {
            Ok(counted) => Ok(Family {
                source,
                parameters,
                counted,
            }),
            Err(diagnostics) => Err(InputError::of(&diagnostics, &source)),
        }
    }

    /// Warnings about parts that could not be translated, such as omitted properties.
    pub fn warnings(&self) -> Vec<Warning> {
        let all = self.counted.warnings.iter();
        all.map(|d| Warning::at(d, &self.source)).collect()
    }

    /// The counters, if there is one family and its size is a parameter.
    pub(crate) fn counted(&self, size: &str) -> Option<Vec<Counter>> {
        if self.counted.sizes != [size] {
            return None;
        }
        let process = self.counted.process.as_ref()?;
        let counters = self.counted.counters.iter().map(|counted| {
            let values = counted.values.iter();
            let each = values.map(|(name, value)| format!("{}[i].{name} = {value}", process.0));
            Counter {
                name: counted.counter.clone(),
                text: format!(
                    "count i in {}: {}",
                    process.1,
                    each.collect::<Vec<_>>().join(" and ")
                ),
                witnesses: 0,
            }
        });
        Some(counters.collect())
    }

    /// The counter system as text, with comments about parts that could not be translated.
    fn text(&self) -> String {
        let notes = self.counted.warnings.render(&self.source);
        let comment: String = notes.lines().map(|l| format!("// {l}\n")).collect();
        comment + &self.counted.text
    }

    /// Checks verdicts about the counter system on the family.
    ///
    /// If the evidence is refused there, the verdict is withdrawn, and this is a bug in Sectile.
    pub fn certify(&self, loaded: &Loaded, options: &CheckOptions, checked: &mut Checked) {
        let reports = checked.report.properties.iter_mut();
        for (report, evidence) in reports.zip(&checked.certificates) {
            let Some((claim, certificate)) = evidence else {
                continue;
            };
            if report.certified != Certified::Yes {
                continue;
            }
            match self.checkup(loaded, options, &report.name, *claim, certificate) {
                Checkup::Whole => {}
                Checkup::Partly(how) => report.certified = Certified::Partly(how),
                Checkup::Wrong(why) => {
                    let failure = format!(
                        "{} said of the counters that {} {}, and on the family of processes the \
                         evidence failed the check ({why})",
                        report.engine,
                        report.name,
                        report.status.word()
                    );
                    refuse(report, &failure);
                    checked.failures.push(failure);
                }
            }
        }
    }

    fn checkup(
        &self,
        loaded: &Loaded,
        options: &CheckOptions,
        property: &str,
        claim: Claim,
        certificate: &Certificate,
    ) -> Checkup {
        let only = |why: String| Checkup::Partly(format!("on the counter system only: {why}"));
        let (terms, system) = (&loaded.terms, &loaded.reading.module.model);
        let mut parameters = self.parameters.clone();
        if let Certificate::Trace(trace) = certificate {
            parameters.extend(self.counted.sizes_of_run(terms, system, trace));
        }
        let family = match self.family(loaded, parameters) {
            Ok(family) => family,
            Err(why) => return only(why),
        };
        let module = &family.module;
        let Some(property) = module.property(property) else {
            return only("the family has no such property".to_string());
        };
        let task = Task {
            terms: &loaded.terms,
            model: &module.model,
            property,
        };
        let constants = self.counted.constants(terms, system, module);
        let pass = self.pass(loaded, constants.clone());
        let told = match pass.made(&task) {
            Ok(applied) => applied.back.certificate(task.terms, certificate),
            Err(why) => return only(why),
        };
        let outcome = match told {
            Ok(told) => checked_outcome(&task, claim, &told, options),
            // Every run of counters corresponds to one of processes.
            Err(lost) if claim == Claim::Violated => return Checkup::Wrong(lost.0),
            Err(lost) => return only(lost.0),
        };
        match outcome {
            Ok(Outcome::Accepted { .. }) if claim == Claim::Violated || constants.is_empty() => {
                Checkup::Whole
            }
            Ok(Outcome::Accepted { .. }) => Checkup::Partly(format!(
                "for {}; for other numbers of processes on the counter system only",
                equations(loaded, &constants)
            )),
            Ok(Outcome::Refused(refusal)) => {
                Checkup::Wrong(format!("{}: {}", refusal.obligation, refusal.because))
            }
            Ok(Outcome::Undecided(obligation, _)) => {
                only(format!("{obligation} could not be decided on the family"))
            }
            Err(error) => only(error),
        }
    }

    /// The family with these parameters, in the store of the counter system.
    fn family(
        &self,
        loaded: &Loaded,
        parameters: Vec<(String, String)>,
    ) -> Result<Reading, String> {
        let most = Counters::MOST_PROCESSES as i64;
        if let Some((name, value)) = self.counted.more_processes(&parameters, most) {
            // Larger families are not even read, because that alone may take long.
            return Err(format!("{name} = {value} is more than {most} processes"));
        }
        let options = ReadOptions {
            parameters,
            ..ReadOptions::default()
        };
        let read = native().read(&loaded.terms, &self.source, &options);
        read.map_err(|_| "the family cannot be read with these parameters".to_string())
    }

    fn pass(&self, loaded: &Loaded, constants: Vec<(Symbol, Int)>) -> Counters {
        let module = &loaded.reading.module;
        let counters = self.counted.counters.iter().filter_map(|counted| {
            Some(CountedState {
                counter: loaded.terms.symbol(&counted.counter)?,
                family: counted.family,
                values: counted.values.clone(),
            })
        });
        Counters {
            system: module.model.clone(),
            properties: module.properties.clone(),
            counters: counters.collect(),
            constants,
        }
    }
}

/// `n = 3, m = 2`.
fn equations(loaded: &Loaded, constants: &[(Symbol, Int)]) -> String {
    let each = constants.iter();
    let each = each.map(|(s, value)| format!("{} = {value}", loaded.terms.name(*s)));
    each.collect::<Vec<_>>().join(", ")
}

/// The checker's result for evidence about the family.
fn checked_outcome(
    task: &Task<'_>,
    claim: Claim,
    certificate: &Certificate,
    options: &CheckOptions,
) -> Result<Outcome, String> {
    let backend = options.backend().map_err(|e| e.to_string())?;
    let budget = Budget::unlimited().with_time(options.timeout.unwrap_or(CHECK_TIME));
    check_certificate(task, claim, certificate, backend.as_ref(), &budget)
}

/// Withdraws a verdict.
fn refuse(report: &mut PropertyReport, failure: &str) {
    report.status = Status::Unknown;
    report.reason = ReasonCode::SelfCheck.code().to_string();
    report.reached = failure.to_string();
    report.certified = Certified::NotApplicable;
    report.evidence = None;
}

fn native() -> &'static dyn Frontend {
    let native = frontends().iter().find(|f| f.info().name == "sct");
    native.copied().expect("the native language is registered")
}

/// The text of the counter system of a file, in the native language.
pub fn translate(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<String, InputError> {
    Ok(Family::read(file, input, parameters)?.text())
}

/// The counter system of a text.
pub(crate) fn of_source(
    source: &Source,
    parameters: &[(String, String)],
) -> Result<(Loaded, Family), InputError> {
    loaded(Family::of_source(source.clone(), parameters)?, parameters)
}

/// Reads the counter system of a file, with the family that it counts.
pub fn load(
    file: &str,
    input: Option<&str>,
    parameters: &[(String, String)],
) -> Result<(Loaded, Family), InputError> {
    loaded(Family::read(file, input, parameters)?, parameters)
}

fn loaded(family: Family, parameters: &[(String, String)]) -> Result<(Loaded, Family), InputError> {
    let name = format!("{} (counters)", family.source.name());
    let loaded = load_text(&name, family.text(), native(), parameters)?;
    Ok((loaded, family))
}
