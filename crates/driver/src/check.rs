//! Running engines on properties.

use crate::classify::members;
use crate::limits::{Interrupt, Watch};
use crate::load::Loaded;
use crate::lower::with_runs;
use crate::portfolio::{Member, Outcome as PortfolioOutcome, Portfolio, SharedFacts};
use crate::registry;
use crate::session::{Care, blank_report, contracts_task};
use crate::small;
use crate::worker::{Ended, Orders};
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_engine::{Observer, OptionValue, Settings};
use sectile_model::{Certificate, Module, Property, Task, Unknown};
use sectile_report::{CheckReport, PropertyReport, Request, Status, explain};
use sectile_solver::Backend;
use sectile_solver_native::interpolate::Method;
use sectile_terms::Term;
use sectile_transform::Pass;
use std::collections::BTreeMap;
use std::time::Duration;

/// What the user asked for.
#[derive(Clone)]
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
    /// For single properties, by name, other predicates.
    pub selected: BTreeMap<String, Vec<Term>>,
    /// Formulas that engines may try to prove and use.
    pub lemmas: Vec<Term>,
    /// Whether invariants are to be made smaller, for people to read.
    pub minimise: bool,
    /// Whether certificates are checked before a verdict is given.
    pub certify: bool,
    /// Options of engines.
    pub settings: Settings,
    /// How many engines work at the same time.
    pub jobs: usize,
    /// Whether the first violated property is the last one that is looked at.
    pub first_violation: bool,
    /// Ends the check from outside.
    pub interrupt: Interrupt,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            engines: Vec::new(),
            properties: Vec::new(),
            timeout: None,
            memory: None,
            seed: 0,
            solver: "native".to_string(),
            interpolation: None,
            predicates: Vec::new(),
            selected: BTreeMap::new(),
            lemmas: Vec::new(),
            minimise: false,
            certify: true,
            settings: Settings::default(),
            jobs: 1,
            first_violation: false,
            interrupt: Interrupt::default(),
        }
    }
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

/// Checks the properties of a file.
pub fn check(
    loaded: &Loaded,
    options: &CheckOptions,
    observer: &mut dyn Observer,
) -> Result<Checked, BadRequest> {
    let module = &loaded.reading.module;
    let properties = selected(&module.properties, &options.properties)?;
    // A solver that is not there is told before anything is begun.
    registry::chosen_backend(&options.solver, options.interpolation, options.memory)?;
    let mut checked = Checked {
        report: summary(loaded),
        certificates: Vec::new(),
        failures: Vec::new(),
    };
    let tasks = properties.into_iter().map(|position| Asked {
        loaded,
        options,
        position,
        task: Task {
            terms: &loaded.terms,
            model: &module.model,
            property: &module.properties[position],
        },
    });
    let tasks: Vec<Asked<'_>> = tasks.collect();
    let engines: Result<Vec<_>, BadRequest> = tasks
        .iter()
        .map(|t| members(&options.engines, &options.settings, module, &t.task))
        .collect();
    for (asked, engines) in tasks.iter().zip(engines?) {
        let watch = Watch::new(options.timeout, options.memory, options.interrupt.clone());
        let outcome = asked.decide(&engines, &watch, observer)?;
        asked.conclude(outcome, watch.elapsed(), &mut checked);
        let last = checked.report.properties.last();
        if options.first_violation && last.is_some_and(|p| p.status == Status::Violated) {
            break;
        }
    }
    Ok(checked)
}

/// One property that was asked for.
struct Asked<'a> {
    loaded: &'a Loaded,
    options: &'a CheckOptions,
    position: usize,
    task: Task<'a>,
}

impl Asked<'_> {
    /// Predicates for this property, or those for all.
    fn predicates(&self) -> &[Term] {
        let own = self.options.selected.get(&self.task.property.name);
        own.unwrap_or(&self.options.predicates)
    }

    /// Runs the engines. Where a smaller instance of the model may help, they first have a few turns,
    /// and then try what proves that instance.
    fn decide(
        &self,
        engines: &[Member],
        watch: &Watch,
        observer: &mut dyn Observer,
    ) -> Result<PortfolioOutcome, BadRequest> {
        let options = self.options;
        let portfolio = |lemmas, observer: &dyn Observer| {
            let shared = SharedFacts {
                terms: &self.loaded.terms,
                predicates: self.predicates(),
                lemmas,
            };
            let orders = self.orders(observer);
            Portfolio::new(engines, options.jobs, orders, shared, watch)
        };
        let small = (engines.len() > 1 && options.lemmas.is_empty())
            .then(|| small::instance(self.loaded, &self.task))
            .flatten();
        let Some(small) = small else {
            return Ok(portfolio(&options.lemmas, observer).run(observer));
        };
        let first = portfolio(&[], observer).with_turns(small::TURNS_BEFORE);
        let outcome = first.run(observer);
        if outcome.winner.is_some() || outcome.limit.is_some() {
            return Ok(outcome);
        }
        let smaller = CheckOptions {
            properties: vec![self.task.property.name.clone()],
            timeout: watch.remaining(),
            ..options.clone()
        };
        let lemmas = small::lemmas(self.loaded, &small, &smaller)?;
        Ok(portfolio(&lemmas, observer).run(observer))
    }

    /// What all engines are told.
    fn orders(&self, observer: &dyn Observer) -> Orders {
        let options = self.options;
        Orders {
            name: self.loaded.source.name().to_string(),
            text: self.loaded.source.text().to_string(),
            frontend: self.loaded.frontend,
            parameters: self.loaded.parameters.clone(),
            infinite_paths: self.loaded.infinite_paths,
            property: self.position,
            solver: options.solver.clone(),
            interpolation: options.interpolation,
            memory: options.memory,
            seed: options.seed,
            care: Care {
                certify: options.certify,
                minimise: options.minimise,
            },
            interest: observer.interest(),
        }
    }

    /// Adds the result to the report.
    fn conclude(&self, outcome: PortfolioOutcome, elapsed: Duration, checked: &mut Checked) {
        let mut outcome = outcome;
        let (mut report, certificate) = match outcome.winner.take() {
            Some((engine, ended)) => self.answered(engine, *ended, &mut outcome),
            None => {
                let status = Status::Unknown;
                (blank_report(&self.task, "auto", status), None)
            }
        };
        if report.status == Status::Unknown {
            self.explain(&mut report, &outcome);
        }
        report.seconds = elapsed.as_secs_f64();
        let decided = report.status != Status::Unknown;
        checked.report.properties.push(report);
        checked.certificates.push(certificate);
        // What went wrong in one engine is no matter where another one proved its answer, unless
        // they contradict each other.
        let serious = |f: &crate::portfolio::Failure| f.contradiction || !decided;
        let failures = outcome.failures.into_iter().filter(serious);
        checked.failures.extend(failures.map(|f| f.text));
    }

    /// The answer of an engine, with its evidence in the store of the file.
    fn answered(
        &self,
        engine: &'static str,
        ended: Ended,
        outcome: &mut PortfolioOutcome,
    ) -> (PropertyReport, Option<(Claim, Certificate)>) {
        let Ok(decided) = ended.decided else {
            return (blank_report(&self.task, engine, Status::Unknown), None);
        };
        let mut report = decided.report;
        let counters = ended.statistics.counters().iter();
        report.statistics = counters.map(|(n, v)| ((*n).to_string(), *v)).collect();
        let calls = ended.solver_calls;
        report.statistics.insert("solver_calls".to_string(), calls);
        report.solver_seconds = ended.solver_seconds;
        if outcome.work > 0 {
            report.statistics.insert("work".to_string(), outcome.work);
        }
        outcome
            .unknowns
            .extend(decided.unknown.map(|u| (engine, u)));
        let certificate = decided.certificate.and_then(|(claim, certificate)| {
            let copied =
                sectile_model::copied_certificate(&ended.terms, &self.loaded.terms, &certificate);
            copied.ok().map(|certificate| (claim, certificate))
        });
        (report, certificate)
    }

    fn explain(&self, report: &mut PropertyReport, outcome: &PortfolioOutcome) {
        let failed = outcome.unknowns.last().filter(|(_, u)| is_self_check(u));
        let unknowns = match failed {
            Some(failed) => std::slice::from_ref(failed),
            None => &outcome.unknowns,
        };
        let request = Request {
            file: self.loaded.source.name(),
            timeout: self.options.timeout,
            memory: self.options.memory,
            property: &self.task.property.name,
        };
        explain(report, &outcome.findings, unknowns, outcome.limit, &request);
    }
}

fn is_self_check(unknown: &Unknown) -> bool {
    unknown.code == sectile_model::ReasonCode::SelfCheck
}

/// The positions of the properties that were asked for.
fn selected(all: &[Property], wanted: &[String]) -> Result<Vec<usize>, BadRequest> {
    if all.is_empty() {
        return Err(BadRequest("the file states no property".to_string()));
    }
    if wanted.is_empty() {
        return Ok((0..all.len()).collect());
    }
    let find = |name: &String| {
        all.iter().position(|p| p.name == *name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
            BadRequest(format!(
                "there is no property `{name}`; there are {}",
                names.join(", ")
            ))
        })
    };
    wanted.iter().map(find).collect()
}

/// What is known about a check before it begins.
pub fn summary(loaded: &Loaded) -> CheckReport {
    let module = &loaded.reading.module;
    let model = &module.model;
    let is_program = !model.is_system();
    let parameters = module.parameters.iter();
    CheckReport {
        file: loaded.source.name().to_string(),
        language: loaded.frontend.name(),
        parameters: parameters
            .map(|(n, v)| (n.clone(), v.to_string()))
            .collect(),
        variables: module.model.variables.len(),
        steps: model.edges.len(),
        locations: is_program.then_some(model.locations.len()),
        loops: is_program.then(|| model.loop_heads().len()),
        properties: Vec::new(),
    }
}

/// Checks a certificate with a fresh solver, whose refutations the kernel replays if it is ours.
///
/// Evidence about contracts is checked on the program with contracts.
pub fn check_certificate(
    module: &Module,
    task: &Task<'_>,
    claim: Claim,
    certificate: &Certificate,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Outcome, String> {
    let contracts = contracts_task(module, task);
    let (task, certificate) = match (certificate, contracts) {
        (Certificate::Modular(inner), Some(contracts)) => (contracts, &**inner),
        _ => (*task, certificate),
    };
    let solver = backend.certifying_solver(task.terms);
    let mut solver = solver.map_err(|e| e.to_string())?;
    let outcome = sectile_certify::check(&task, claim, certificate, solver.as_mut(), budget);
    outcome.map_err(|e| e.to_string())
}

/// The graph of blocks that engines on programs work with.
pub fn blocks(
    loaded: &Loaded,
    property: &Property,
    size: &str,
) -> Result<sectile_model::Model, BadRequest> {
    let unknown = || {
        let wanted = sectile_transform::BlockSize::wanted();
        BadRequest(format!("there are no blocks `{size}`; choose {wanted}"))
    };
    let size = OptionValue::read(size).ok_or_else(unknown)?;
    let pass = sectile_transform::ErrorGraph { size };
    let module = with_runs(&loaded.terms, &loaded.reading.module);
    let property = module.property(&property.name).unwrap_or(property);
    let applied = pass.apply(&Task::new(&loaded.terms, &module.model, property));
    Ok(applied.map_err(BadRequest)?.model)
}
