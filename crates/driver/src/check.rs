//! Running engines on properties.

use crate::load::Loaded;
use crate::minimise::minimised;
use crate::registry;
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Engine, EngineError, Event, Interest, Observer, Run, Settings, Statistics};
use sectile_model::{Certificate, Model, Property, ReasonCode, Task, Unknown, Verdict};
use sectile_report::{Certified, CheckReport, PropertyReport, Status, describe};
use sectile_solver::{Backend, CountedBackend, Undecided};
use sectile_solver_native::interpolate::Method;
use sectile_terms::Term;
use sectile_transform::{Pass, PcEncoding, Pipeline};
use std::time::{Duration, Instant};

/// What the user asked for.
pub struct CheckOptions {
    /// Engines to try, in order; empty means to choose.
    pub engines: Vec<String>,
    /// Properties to check; empty means all.
    pub properties: Vec<String>,
    /// Time for each property.
    pub timeout: Option<Duration>,
    /// Memory of the process, in bytes.
    pub memory: Option<u64>,
    /// The seed of everything random.
    pub seed: u64,
    /// The solver.
    pub solver: String,
    /// How the embedded solver computes interpolants; the engines' choice if not given.
    pub interpolation: Option<Method>,
    /// Predicates over the state that engines should try first.
    pub predicates: Vec<Term>,
    /// Formulas that engines may try to prove and use.
    pub lemmas: Vec<Term>,
    /// Whether invariants are to be made smaller, for people to read.
    pub minimise: bool,
    /// Whether certificates are checked before a verdict is given.
    pub certify: bool,
    /// Options of engines.
    pub settings: Settings,
}

/// A report, with the certificates it speaks of.
pub struct Checked {
    /// The report.
    pub report: CheckReport,
    /// For each property of the report, the claim and its certificate about the model as read.
    pub certificates: Vec<Option<(Claim, Certificate)>>,
    /// Verdicts that did not pass their own check: each is a bug of ours.
    pub failures: Vec<String>,
}

/// The request itself makes no sense: an unknown property or engine.
#[derive(Clone, Debug)]
pub struct BadRequest(pub String);

impl std::fmt::Display for BadRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadRequest {}

/// An engine of `auto` with options that keep it from taking all the time.
type Attempt = (&'static str, &'static [(&'static str, &'static str)]);

/// What `auto` tries on transition systems, in order; each gets a growing share of the time.
const AUTO_SYSTEMS: &[Attempt] = &[
    ("explicit", &[("states", "200000")]),
    ("kinduction", &[("depth", "5")]),
    ("slab", &[]),
    ("kinduction", &[]),
    ("ctl", &[]),
];

/// What `auto` tries on programs: a few runs, proofs, and the long runs in the end.
const AUTO_GRAPHS: &[Attempt] = &[
    ("walk", &[("runs", "15")]),
    ("explicit", &[("states", "20000")]),
    ("kojak", &[]),
    ("elim", &[]),
    ("impact", &[]),
    ("walk", &[]),
];

/// Checks the properties of a file.
pub fn check(
    loaded: &Loaded,
    options: &CheckOptions,
    observer: &mut dyn Observer,
) -> Result<Checked, BadRequest> {
    let module = &loaded.reading.module;
    let properties = selected(&module.properties, &options.properties)?;
    let engines = chosen_engines(options, &module.model)?;
    let backend = match options.interpolation {
        Some(method) => registry::tuned_backend(&options.solver, method)?,
        None => registry::backend(&options.solver, options.memory)?,
    };
    let mut checked = Checked {
        report: summary(loaded),
        certificates: Vec::new(),
        failures: Vec::new(),
    };
    for property in properties {
        let counted = CountedBackend::new(backend.as_ref());
        let session = Session {
            loaded,
            options,
            backend: &counted,
            task: Task {
                terms: &loaded.terms,
                model: &module.model,
                property,
            },
        };
        let result = session.decide(&engines, observer);
        checked.failures.extend(result.failure);
        checked.report.properties.push(result.report);
        checked.certificates.push(result.certificate);
    }
    Ok(checked)
}

fn selected<'p>(all: &'p [Property], wanted: &[String]) -> Result<Vec<&'p Property>, BadRequest> {
    if all.is_empty() {
        return Err(BadRequest("the file states no property".to_string()));
    }
    if wanted.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        all.iter().find(|p| p.name == *name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
            BadRequest(format!(
                "there is no property `{name}`; there are {}",
                names.join(", ")
            ))
        })
    };
    wanted.iter().map(find).collect()
}

struct Chosen {
    engine: Box<dyn Engine>,
    settings: Settings,
}

fn chosen_engines(options: &CheckOptions, model: &Model) -> Result<Vec<Chosen>, BadRequest> {
    let auto = options.engines.is_empty() || options.engines.iter().any(|e| e == "auto");
    let attempts: Vec<(&str, &[(&str, &str)])> = match (auto, model) {
        (true, Model::System(_)) => AUTO_SYSTEMS.to_vec(),
        (true, Model::Graph(_)) => AUTO_GRAPHS.to_vec(),
        (false, _) => options
            .engines
            .iter()
            .map(|e| (e.as_str(), &[][..]))
            .collect(),
    };
    let mut chosen = Vec::new();
    for (name, limits) in attempts {
        let engine = registry::engine(name).ok_or_else(|| {
            let known: Vec<&str> = registry::engines().iter().map(|e| e.info().name).collect();
            BadRequest(format!(
                "there is no engine `{name}`; there are auto, {}",
                known.join(", ")
            ))
        })?;
        let mut settings = options.settings.clone();
        for (option, value) in limits {
            if settings.get(option).is_none() {
                settings.set(*option, *value);
            }
        }
        engine
            .check_options(&settings)
            .map_err(|e| BadRequest(e.to_string()))?;
        chosen.push(Chosen { engine, settings });
    }
    let known = |name: &str| {
        let mut specs = chosen.iter().flat_map(|c| c.engine.info().options);
        specs.any(|o| o.name == name)
    };
    if let Some(odd) = options.settings.names().find(|n| !known(n)) {
        return Err(BadRequest(format!(
            "none of the engines has an option `{odd}`; `sectile engines` lists them"
        )));
    }
    Ok(chosen)
}

/// What is known about a check before it begins.
pub fn summary(loaded: &Loaded) -> CheckReport {
    let module = &loaded.reading.module;
    let (steps, locations) = match &module.model {
        Model::System(s) => (s.commands.len(), None),
        Model::Graph(g) => (g.edges.len(), Some(g.locations.len())),
    };
    let parameters = module.parameters.iter();
    CheckReport {
        file: loaded.source.name().to_string(),
        language: loaded.frontend.name(),
        parameters: parameters
            .map(|(n, v)| (n.clone(), v.to_string()))
            .collect(),
        variables: module.model.variables().len(),
        steps,
        locations,
        properties: Vec::new(),
    }
}

/// Work on one property.
struct Session<'s> {
    loaded: &'s Loaded,
    options: &'s CheckOptions,
    backend: &'s CountedBackend<'s>,
    task: Task<'s>,
}

struct Decided {
    report: PropertyReport,
    certificate: Option<(Claim, Certificate)>,
    failure: Option<String>,
}

/// Hears for the statistics and passes on.
struct Both<'o> {
    statistics: Statistics,
    other: &'o mut dyn Observer,
}

impl Observer for Both<'_> {
    fn event(&mut self, event: &Event) {
        self.statistics.event(event);
        self.other.event(event);
    }

    fn interest(&self) -> Interest {
        self.other.interest()
    }
}

impl Session<'_> {
    /// Tries the engines in order until one decides.
    fn decide(&self, engines: &[Chosen], observer: &mut dyn Observer) -> Decided {
        let started = Instant::now();
        let mut budget = Budget::unlimited();
        if let Some(limit) = self.options.timeout {
            budget = budget.with_time(limit);
        }
        if let Some(bytes) = self.options.memory {
            budget = budget.with_memory(bytes);
        }
        let mut both = Both {
            statistics: Statistics::default(),
            other: observer,
        };
        let mut last = None;
        for (i, chosen) in engines.iter().enumerate() {
            let slice = share(&budget, engines.len() - i);
            let name = chosen.engine.info().name;
            let verdict = self.run(chosen, slice, &mut both);
            let decided = match verdict {
                Ok(Verdict::Unknown(unknown)) => {
                    last = better(last, (name, unknown));
                    None
                }
                Ok(Verdict::Holds(c)) => Some((Claim::Holds, c)),
                Ok(Verdict::Violated(c)) => Some((Claim::Violated, c)),
                Err(error) => {
                    let unknown = Unknown::new(ReasonCode::Incomplete, error.to_string());
                    last = better(last, (name, unknown));
                    None
                }
            };
            if let Some((claim, certificate)) = decided {
                let decided = self.certified(name, claim, certificate, &budget);
                return self.finish(decided, both.statistics, started);
            }
        }
        let (name, unknown) = last.unwrap_or_else(|| {
            let why = "no engine takes this task";
            ("auto", Unknown::new(ReasonCode::Unsupported, why))
        });
        self.finish(self.unknown(name, unknown), both.statistics, started)
    }

    /// Adds times and counters; the queries of the certificate's check count too.
    fn finish(&self, mut decided: Decided, statistics: Statistics, started: Instant) -> Decided {
        let report = &mut decided.report;
        report.seconds = started.elapsed().as_secs_f64();
        report.solver_seconds = self.backend.count().time().as_secs_f64();
        let counters = statistics.counters().iter();
        report.statistics = counters.map(|(n, v)| ((*n).to_string(), *v)).collect();
        let calls = self.backend.count().calls();
        report.statistics.insert("solver_calls".to_string(), calls);
        decided
    }

    /// Runs one engine, through the passes it needs, and translates its certificate back.
    fn run(
        &self,
        chosen: &Chosen,
        budget: Budget,
        observer: &mut dyn Observer,
    ) -> Result<Verdict, EngineError> {
        let mut run = Run {
            backend: self.backend,
            budget,
            seed: self.options.seed,
            settings: &chosen.settings,
            predicates: &self.options.predicates,
            lemmas: &self.options.lemmas,
            observer,
        };
        run.tell(Event::Started {
            engine: chosen.engine.info().name,
            property: self.task.property.name.clone(),
        });
        let accepts = chosen.engine.info().accepts;
        let is_graph = matches!(self.task.model, Model::Graph(_));
        if !is_graph || accepts.graphs {
            return match chosen.engine.accepts(&self.task) {
                Ok(()) => chosen.engine.run(&self.task, &mut run),
                Err(why) => Ok(refused(&why)),
            };
        }
        let passes = Pipeline::new().then(PcEncoding);
        let applied = match passes.apply(self.task.terms, self.task.model, self.task.property) {
            Ok(applied) => applied,
            Err(why) => return Ok(refused(&why.to_string())),
        };
        let task = Task {
            terms: self.task.terms,
            model: &applied.model,
            property: &applied.property,
        };
        if let Err(why) = chosen.engine.accepts(&task) {
            return Ok(refused(&why));
        }
        let verdict = chosen.engine.run(&task, &mut run)?;
        let verdict = applied.verdict(self.task.terms, verdict);
        verdict.map_err(|lost| EngineError::Bug(format!("evidence was lost: {}", lost.0)))
    }

    /// Has the certificate checked, and reports what may be reported.
    fn certified(
        &self,
        engine: &str,
        claim: Claim,
        certificate: Certificate,
        budget: &Budget,
    ) -> Decided {
        let status = match claim {
            Claim::Holds => Status::Holds,
            Claim::Violated => Status::Violated,
        };
        if leaves_the_program(self.loaded, &certificate) {
            let reached = format!(
                "{engine} found a run to a violation, but it goes through a call that is understood by a contract, which may allow more than the procedure does"
            );
            let hint = "state more in the contracts of recursive procedures";
            let unknown = Unknown::new(ReasonCode::Incomplete, reached).hint(hint);
            return self.unknown(engine, unknown);
        }
        let mut report = self.report(engine, status);
        report.evidence = Some(describe(&self.task, &self.loaded.source, &certificate));
        if !self.options.certify {
            report.certified = Certified::No("--no-certify".to_string());
            return Decided {
                report,
                certificate: Some((claim, certificate)),
                failure: None,
            };
        }
        let outcome = check_certificate(&self.task, claim, &certificate, self.backend, budget);
        let problem = match outcome {
            Ok(Outcome::Accepted { .. }) => {
                let certificate = self.smaller(claim, certificate, budget);
                report.evidence = Some(describe(&self.task, &self.loaded.source, &certificate));
                report.certified = Certified::Yes;
                return Decided {
                    report,
                    certificate: Some((claim, certificate)),
                    failure: None,
                };
            }
            Ok(Outcome::Undecided(obligation, Undecided::Exhausted(limit))) => {
                let reached = format!(
                    "{engine} found that the property {}, but {obligation} of its evidence could not be checked within the limits",
                    status.word()
                );
                let code = ReasonCode::Exhausted(limit);
                return self.unknown(engine, Unknown::new(code, reached));
            }
            Ok(Outcome::Undecided(obligation, why)) => format!("{obligation}: {why:?}"),
            Ok(Outcome::Refused(refusal)) => {
                format!("{}: {}", refusal.obligation, refusal.because)
            }
            Err(error) => error,
        };
        let failure = format!(
            "{engine} said that {} {}, and its evidence failed the check ({problem})",
            self.task.property.name,
            status.word()
        );
        let unknown = Unknown::new(ReasonCode::SelfCheck, failure.clone());
        let mut decided = self.unknown(engine, unknown);
        decided.failure = Some(failure);
        decided.certificate = Some((claim, certificate));
        decided
    }

    /// The certificate with fewer conditions, if that was asked for and passes the check as well.
    fn smaller(&self, claim: Claim, certificate: Certificate, budget: &Budget) -> Certificate {
        let wanted = self.options.minimise && claim == Claim::Holds;
        let found = wanted.then(|| minimised(&self.task, &certificate, self.backend, budget));
        let Some(smaller) = found.flatten() else {
            return certificate;
        };
        match check_certificate(&self.task, claim, &smaller, self.backend, budget) {
            Ok(Outcome::Accepted { .. }) => smaller,
            _ => certificate,
        }
    }

    fn unknown(&self, engine: &str, unknown: Unknown) -> Decided {
        let mut report = self.report(engine, Status::Unknown);
        report.reason = unknown.code.code().to_string();
        report.reached = unknown.reached;
        report.hint = unknown.hint;
        Decided {
            report,
            certificate: None,
            failure: None,
        }
    }

    fn report(&self, engine: &str, status: Status) -> PropertyReport {
        PropertyReport {
            name: self.task.property.name.clone(),
            kind: self.task.property.kind.label(),
            status,
            reason: String::new(),
            reached: String::new(),
            hint: String::new(),
            engine: engine.to_string(),
            seconds: 0.0,
            certified: Certified::NotApplicable,
            evidence: None,
            statistics: Default::default(),
            solver_seconds: 0.0,
        }
    }
}

/// Whether a run takes an edge that allows more than the program does.
pub(crate) fn leaves_the_program(loaded: &Loaded, certificate: &Certificate) -> bool {
    let approximate = &loaded.reading.approximate;
    match certificate {
        Certificate::Trace(trace) => {
            let mut steps = trace.steps.iter();
            steps.any(|step| approximate.contains(&step.command))
        }
        _ => false,
    }
}

fn refused(why: &str) -> Verdict {
    Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why))
}

/// The share of the remaining time for the first of so many engines.
fn share(budget: &Budget, engines: usize) -> Budget {
    match budget.remaining() {
        Some(rest) if engines > 1 => {
            let engines = u32::try_from(engines).unwrap_or(u32::MAX);
            budget.clone().with_time(rest / (engines * 2))
        }
        _ => budget.clone(),
    }
}

/// Of two reasons, the one that tells more: a refusal tells less than a failed attempt.
fn better<'e>(
    old: Option<(&'e str, Unknown)>,
    new: (&'e str, Unknown),
) -> Option<(&'e str, Unknown)> {
    match old {
        Some(old) if new.1.code == ReasonCode::Unsupported => Some(old),
        _ => Some(new),
    }
}

/// Checks a certificate with a fresh solver, whose refutations the kernel replays if it is ours.
pub fn check_certificate(
    task: &Task<'_>,
    claim: Claim,
    certificate: &Certificate,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Outcome, String> {
    let solver = backend.certifying_solver(task.terms);
    let mut solver = solver.map_err(|e| e.to_string())?;
    let outcome = sectile_certify::check(task, claim, certificate, solver.as_mut(), budget);
    outcome.map_err(|e| e.to_string())
}

/// The graph of blocks that engines on programs work with.
pub fn blocks(
    loaded: &Loaded,
    property: &Property,
    size: &str,
) -> Result<sectile_model::ProgramGraph, BadRequest> {
    let size = size.parse().map_err(BadRequest)?;
    let pass = sectile_transform::ErrorGraph { size };
    let applied = pass.apply(&loaded.terms, &loaded.reading.module.model, property);
    match applied.map_err(|why| BadRequest(why.to_string()))?.model {
        Model::Graph(graph) => Ok(graph),
        Model::System(_) => Err(BadRequest("the blocks are no graph".to_string())),
    }
}
