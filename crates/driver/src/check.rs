//! Running engines on properties.

use crate::classify::{attempted, interpolate_by, members};
use crate::lower::reduced;
use crate::portfolio::{Leader, Member, Outcome as PortfolioOutcome, Portfolio};
use crate::registry;
use crate::small;
use crate::tables::READABLE;
use crate::worker::{Ended, Job};
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_engine::inspect::{Inspection, Oddity};
use sectile_engine::{BlockSize, Board, Event, Interest, Observer, Settings, Silent};
use sectile_frontend::load::Loaded;
use sectile_model::{Certificate, Property, Task, Unknown};
use sectile_report::{
    CheckReport, GivenOption, PropertyReport, Request, Status, Warning, explain, lists_values,
    minimised,
};
use sectile_solver::Backend;
use sectile_solver_native::NativeBackend;
use sectile_solver_native::interpolate::Method;
use sectile_terms::{Copier, Different, Term, Terms};
use sectile_transform::{Applied, ErrorGraph, Pass, has_arrays, has_functions};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The request of the user.
#[derive(Clone)]
pub struct CheckOptions {
    /// Engines to try, in order; empty means automatic choice.
    pub engines: Vec<String>,
    /// Properties to check; empty means all.
    pub properties: Vec<String>,
    /// The time limit for each property.
    pub timeout: Option<Duration>,
    /// Time already spent on reading the file: the first property has less.
    pub spent: Duration,
    /// The memory limit of the process, in bytes.
    pub memory: Option<u64>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The solver.
    pub solver: String,
    /// How the embedded solver computes interpolants; the engines' choice if not given.
    pub interpolation: Option<Method>,
    /// Predicates over the state that engines should try first.
    pub predicates: Vec<Term>,
    /// Other predicates for single properties, by name.
    pub selected: BTreeMap<String, Vec<Term>>,
    /// Formulas that engines may try to prove and use.
    pub lemmas: Vec<Term>,
    /// Number of turns of every engine; unlimited by default.
    pub turns: Option<u32>,
    /// Whether invariants are minimised for readers.
    pub minimise: bool,
    /// Whether invariants are for readers: if one lists values, another proof is tried.
    pub readable: bool,
    /// Whether certificates are checked before a verdict is given.
    pub certify: bool,
    /// Options of engines.
    pub settings: Settings,
    /// How many engines work at the same time.
    pub jobs: usize,
    /// Whether engines work in threads of their own. Without threads they run one after the other,
    /// and restart with a longer time.
    pub threads: bool,
    /// Whether to stop after the first violated property.
    pub first_violation: bool,
    /// Whether to inspect the model for likely mistakes.
    pub warn: bool,
    /// The file and the options as typed, for suggested commands.
    pub typed: Option<(String, Vec<GivenOption>)>,
    /// Limits of the whole check, which may be cancelled from outside.
    pub budget: Budget,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            engines: Vec::new(),
            properties: Vec::new(),
            timeout: None,
            spent: Duration::ZERO,
            memory: None,
            seed: 0,
            solver: "native".to_string(),
            interpolation: None,
            predicates: Vec::new(),
            selected: BTreeMap::new(),
            lemmas: Vec::new(),
            turns: None,
            minimise: false,
            readable: false,
            certify: true,
            settings: Settings::default(),
            jobs: 1,
            threads: cfg!(not(target_family = "wasm")),
            first_violation: false,
            warn: true,
            typed: None,
            budget: Budget::unlimited(),
        }
    }
}

impl CheckOptions {
    /// The predicates for a property.
    pub(crate) fn predicates_for(&self, property: &str) -> &[Term] {
        self.selected.get(property).unwrap_or(&self.predicates)
    }

    /// The options of a check within this one, with this time limit. The file is already read, and
    /// warnings were given.
    pub fn within(&self, timeout: Option<Duration>) -> CheckOptions {
        CheckOptions {
            timeout,
            spent: Duration::ZERO,
            warn: false,
            ..self.clone()
        }
    }

    /// The limits of one property, starting now.
    fn watch(&self, spent: Duration) -> Budget {
        let mut budget = self.budget.clone().restarted();
        if let Some(time) = self.timeout {
            budget = budget.with_time(time.saturating_sub(spent));
        }
        match self.memory {
            Some(bytes) => budget.with_memory(bytes),
            None => budget,
        }
    }

    /// The chosen solver with the chosen interpolation method.
    pub fn backend(&self) -> Result<Box<dyn Backend>, BadRequest> {
        match self.interpolation {
            Some(method) => registry::tuned_backend(&self.solver, method),
            None => registry::backend(&self.solver, self.memory),
        }
    }
}

/// A report with its certificates.
pub struct Checked {
    /// The report.
    pub report: CheckReport,
    /// For each property of the report, the claim and its certificate about the model as read.
    pub certificates: Vec<Option<(Claim, Certificate)>>,
    /// Verdicts whose own check failed: each is a bug in Sectile.
    pub failures: Vec<String>,
}

/// The request is invalid: an unknown property or engine.
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
    check_each(loaded, options, observer, &mut |_| {})
}

/// The progress of a check.
pub enum Progress<'r> {
    /// Engines were chosen and the model was inspected; limits apply from now on.
    Prepared,
    /// A property is decided, or its check ended without a verdict.
    Decided(&'r PropertyReport),
}

/// Checks the properties of a file and reports the progress to `tell`.
pub fn check_each(
    loaded: &Loaded,
    options: &CheckOptions,
    observer: &mut dyn Observer,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<Checked, BadRequest> {
    let begun = Instant::now();
    let module = &loaded.reading.module;
    let properties = selected(&module.properties, &options.properties)?;
    // A missing solver is reported before any work.
    options.backend()?;
    let mut checked = Checked {
        report: summary(loaded),
        certificates: Vec::new(),
        failures: Vec::new(),
    };
    let prepared: Vec<Prepared> = { properties.iter() }
        .map(|&position| Prepared::new(loaded, position))
        .collect();
    let tasks = prepared.iter().map(|prepared| Asked {
        loaded,
        options,
        prepared,
        task: loaded.task(prepared.position),
    });
    let tasks: Vec<Asked<'_>> = tasks.collect();
    let engines = tasks.iter().map(Asked::engines);
    let engines: Result<Vec<_>, BadRequest> = engines.collect();
    // The inspection uses a copy of the store, so that its terms do not affect the engines.
    let terms = loaded.copied_terms();
    let mut inspection = inspection(loaded, options, &terms);
    let warning = |o: &Oddity| Warning::of(o, &loaded.source);
    let found = inspection.as_mut().map(Inspection::model);
    let found = found.iter().flatten().map(warning);
    checked.report.warnings.extend(found);
    tell(Progress::Prepared);
    let mut spent = options.spent + begun.elapsed();
    let mut leader = None;
    for (asked, engines) in tasks.iter().zip(engines?) {
        let watch = options.watch(std::mem::take(&mut spent));
        let outcome = asked.decide(&engines, leader.as_ref(), &watch, observer)?;
        leader = outcome.last.clone().filter(|_| outcome.winner.is_some());
        asked.conclude(outcome, watch.elapsed(), &mut checked);
        let Some(last) = checked.report.properties.last_mut() else {
            continue;
        };
        if let Some(inspection) = inspection.as_mut().filter(|_| last.status == Status::Holds) {
            let odd = inspection.holding(asked.task.property);
            last.warnings.extend(odd.as_ref().map(warning));
        }
        if options.warn {
            let expected = module.expectation(&last.name, &loaded.parameters);
            let unexpected = expected.and_then(|e| Warning::unexpected(e, last.status));
            last.warnings.extend(unexpected);
        }
        observer.event(&Event::Decided {
            property: last.name.clone(),
            status: last.status.word(),
            reason: last.reason.clone(),
        });
        tell(Progress::Decided(last));
        if options.first_violation && last.status == Status::Violated {
            break;
        }
    }
    Ok(checked)
}

/// Inspects the model if requested. Horn clauses are not inspected: they have no initial states.
fn inspection<'t>(
    loaded: &'t Loaded,
    options: &CheckOptions,
    terms: &'t Terms,
) -> Option<Inspection<'t>> {
    let wanted = options.warn && !loaded.frontend.info().satisfiability;
    let inspection = wanted.then(|| Inspection::new(&loaded.reading.module, terms, &NativeBackend));
    inspection?.ok()
}

/// Time limit for a proof that is easier to read than a list.
pub const LONGEST_READABLE: Duration = Duration::from_secs(1);

/// Whether the proof lists values.
fn lists(ended: &Ended) -> bool {
    let formulas = ended
        .proof()
        .map(|p| p.at.iter().copied().flatten().collect());
    formulas.is_some_and(|list: Vec<Term>| lists_values(&ended.terms, &list))
}

/// What a pass made of a task, with its store.
type PassResult = (Terms, Applied);

/// Work done once for all engines of a property.
pub(crate) struct Prepared {
    /// The position of the property in the file.
    position: usize,
    /// The reduced task.
    reduced: Option<PassResult>,
    /// Graphs of blocks of the reduced task, which several engines share.
    graphs: RefCell<Vec<(BlockSize, Option<PassResult>)>>,
}

impl Prepared {
    fn new(loaded: &Loaded, position: usize) -> Prepared {
        let task = loaded.task(position);
        let reduced = task.model.is_clauses().then(|| {
            let terms = loaded.copied_terms();
            let task = Task {
                terms: &terms,
                ..task
            };
            let applied = reduced(&task)?;
            Some((terms, applied))
        });
        Prepared {
            position,
            reduced: reduced.flatten(),
            graphs: RefCell::default(),
        }
    }

    /// The graph of blocks of this size, made when an engine needs it for the first time. With
    /// arrays there is none, because engines then get other tasks.
    fn graph(&self, size: BlockSize) -> Option<(Terms, Applied)> {
        let (terms, reduced) = self.reduced.as_ref()?;
        let model = &reduced.model;
        if !model.is_linear() || has_arrays(terms, model) || has_functions(terms, model) {
            return None;
        }
        let mut graphs = self.graphs.borrow_mut();
        if graphs.iter().all(|(made, _)| *made != size) {
            let terms = terms.copy_at(&terms.mark());
            let graph = ErrorGraph { size }.apply(&reduced.task(&terms));
            graphs.push((size, graph.ok().map(|graph| (terms, graph))));
        }
        let (_, graph) = graphs.iter().find(|(made, _)| *made == size)?;
        graph
            .as_ref()
            .map(|(terms, graph)| (terms.copy_at(&terms.mark()), graph.clone()))
    }
}

/// One requested property.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub loaded: &'a Loaded,
    pub options: &'a CheckOptions,
    pub prepared: &'a Prepared,
    pub task: Task<'a>,
}

impl Asked<'_> {
    /// The engines for it, with the requested interpolation method.
    fn engines(&self) -> Result<Vec<Member>, BadRequest> {
        let settings = &self.options.settings;
        let mut members = self.members(&self.options.engines, settings)?;
        if let Some(method) = self.options.interpolation {
            let own = |m: &mut Member| interpolate_by(m, method.name(), settings);
            members.iter_mut().for_each(own);
        }
        Ok(members)
    }

    /// The given engines that take the task.
    fn members(&self, engines: &[String], settings: &Settings) -> Result<Vec<Member>, BadRequest> {
        let (terms, reduced) = &self.copied();
        let task = Task { terms, ..self.task };
        members(engines, settings, &task, reduced.clone())
    }

    /// A copy of the store, with the shared preparations, for one engine.
    fn copied(&self) -> (Terms, Option<Applied>) {
        match &self.prepared.reduced {
            None => (self.loaded.copied_terms(), None),
            Some((terms, applied)) => (terms.copy_at(&terms.mark()), Some(applied.clone())),
        }
    }

    /// Runs the engines. If a smaller instance of the model may help, it is tried after a few
    /// turns.
    fn decide(
        &self,
        engines: &[Member],
        leader: Option<&Leader>,
        watch: &Budget,
        observer: &mut dyn Observer,
    ) -> Result<PortfolioOutcome, BadRequest> {
        let small = (engines.len() > 1 && self.options.lemmas.is_empty())
            .then(|| small::instance(self.loaded, &self.task))
            .flatten();
        let portfolio = Portfolio::new(engines, self, watch).led_by(leader);
        let outcome = portfolio.beside(small).run(observer)?;
        let auto = self.options.engines.iter().all(|e| e == "auto");
        match self.options.readable && auto {
            true => self.readable(outcome, watch),
            false => Ok(outcome),
        }
    }

    /// Replaces a proof that lists values by another one, if one is found quickly.
    fn readable(
        &self,
        mut outcome: PortfolioOutcome,
        watch: &Budget,
    ) -> Result<PortfolioOutcome, BadRequest> {
        let Some(listed) = outcome.winner.take_if(|(_, e)| lists(e)) else {
            return Ok(outcome);
        };
        let plain = READABLE
            .iter()
            .map(|a| attempted(a, &self.options.settings));
        let watch = watch.clone().with_time(LONGEST_READABLE);
        let portfolio = Portfolio::new(&plain.collect::<Vec<_>>(), self, &watch);
        let other = portfolio.after(&listed).run(&mut Silent)?;
        outcome.failures.extend(other.failures);
        let better = other
            .winner
            .filter(|(_, e)| e.proof().is_some() && !lists(e));
        outcome.winner = Some(better.unwrap_or(listed));
        Ok(outcome)
    }

    /// A copy of the task for the thread of an engine.
    pub(crate) fn job(
        &self,
        member: &Member,
        lemmas: &[Term],
        board: Option<Board>,
        interest: Interest,
    ) -> Result<Job, Different> {
        let Loaded {
            reading, source, ..
        } = self.loaded;
        let (terms, reduced) = self.copied();
        // An engine that runs alone makes its graph itself, in its own time.
        let graph = board.as_ref().and_then(|_| {
            let engine = registry::engine(member.engine)?;
            self.prepared.graph(engine.blocks(&member.settings).ok()??)
        });
        let (terms, graph) = graph.map_or((terms, None), |(terms, graph)| (terms, Some(graph)));
        let mut copier = Copier::new(&self.loaded.terms, &terms);
        let mut copied = |list: &[Term]| -> Result<Vec<Term>, Different> {
            list.iter().map(|&t| copier.term(t)).collect()
        };
        let mut options = self.options.clone();
        options.predicates = copied(options.predicates_for(&self.task.property.name))?;
        options.selected.clear();
        options.lemmas = copied(&[&options.lemmas[..], lemmas].concat())?;
        Ok(Job {
            terms,
            module: reading.module.clone(),
            source: source.clone(),
            reduced,
            graph,
            position: self.prepared.position,
            options,
            interest,
            board,
            turns: None,
        })
    }

    /// Adds the result to the report.
    fn conclude(&self, outcome: PortfolioOutcome, elapsed: Duration, checked: &mut Checked) {
        let mut outcome = outcome;
        let answer = outcome.winner.take().or(outcome.refused.take());
        let work = outcome.last.as_ref().map_or(0, |last| last.work);
        let (mut report, certificate) = match answer {
            Some((engine, ended)) => self.answered(engine, *ended, work),
            None => {
                let status = Status::Unknown;
                (
                    PropertyReport::new(self.task.property, "auto", status),
                    None,
                )
            }
        };
        if report.status == Status::Unknown {
            self.explain(&mut report, &outcome);
        }
        report.seconds = elapsed.as_secs_f64();
        let decided = report.status != Status::Unknown;
        // A failure of one engine is a warning if another one proved its answer, unless they
        // contradict each other.
        for failure in outcome.failures {
            match failure.contradiction || !decided {
                true => checked.failures.push(failure.text),
                false => report
                    .warnings
                    .push(Warning::new("self-check", failure.text)),
            }
        }
        checked.report.properties.push(report);
        checked.certificates.push(certificate);
    }

    /// The answer of an engine, with its evidence in the store of the file.
    fn answered(
        &self,
        engine: &'static str,
        ended: Ended,
        work: u64,
    ) -> (PropertyReport, Option<(Claim, Certificate)>) {
        let Ok(decided) = ended.decided else {
            return (
                PropertyReport::new(self.task.property, engine, Status::Unknown),
                None,
            );
        };
        let mut report = decided.report;
        let counters = ended.statistics.counters().iter();
        report.statistics = counters.map(|(n, v)| ((*n).to_string(), *v)).collect();
        let calls = ended.solver_calls;
        report.statistics.insert("solver_calls".to_string(), calls);
        report.solver_seconds = ended.solver_seconds;
        if work > 0 {
            report.statistics.insert("work".to_string(), work);
        }
        let certificate = decided.certificate.and_then(|(claim, certificate)| {
            let copied =
                sectile_model::copied_certificate(&ended.terms, &self.loaded.terms, &certificate);
            copied.ok().map(|certificate| (claim, certificate))
        });
        (report, certificate)
    }

    fn explain(&self, report: &mut PropertyReport, outcome: &PortfolioOutcome) {
        let failed = outcome.unknowns.iter().find(|(_, u)| is_self_check(u));
        let unknowns = match failed {
            Some(failed) => std::slice::from_ref(failed),
            None => &outcome.unknowns,
        };
        let options = self.options;
        let parameters = self.loaded.reading.module.parameters.iter();
        let parameters: Vec<String> = parameters.map(|(name, _)| name.clone()).collect();
        let mut own = Vec::new();
        if !options.engines.is_empty() && options.engines != ["auto"] {
            own.push(("--engine".to_string(), Some(options.engines.join(","))));
        }
        let (file, given) = match &options.typed {
            Some((file, given)) => (file.as_str(), given.as_slice()),
            None => (self.loaded.source.name(), own.as_slice()),
        };
        let request = Request {
            file,
            property: &self.task.property.name,
            options: given,
            timeout: options.timeout,
            memory: options.memory,
            parameters: &parameters,
            setting: &|name| self.setting(name, outcome),
            takes: &|engines, settings| self.takes(engines, settings),
            reads: &|text| self.loaded.formulas("<--predicates>", text).is_ok(),
        };
        explain(report, &outcome.findings, unknowns, outcome.limit, &request);
    }
}

impl Asked<'_> {
    /// The value of an engine option: the user's value, or the default of an engine that gave up.
    fn setting(&self, name: &str, outcome: &PortfolioOutcome) -> Option<u64> {
        if let Some(value) = self.options.settings.get(name) {
            return value.parse().ok();
        }
        let mut engines = outcome.unknowns.iter();
        engines.find_map(|(engine, _)| {
            let info = registry::engine(engine)?.info();
            let option = info.options.iter().find(|o| o.name == name)?;
            (option.default)().parse().ok()
        })
    }

    /// Whether engines with these names have these options.
    fn takes(&self, engines: &[String], settings: &[String]) -> bool {
        let names = engines.iter().flat_map(|list| list.split(','));
        let names: Vec<String> = names.map(ToString::to_string).collect();
        let mut given = Settings::default();
        for (name, value) in settings.iter().filter_map(|s| s.split_once('=')) {
            given.set(name, value);
        }
        self.members(&names, &given).is_ok()
    }
}

fn is_self_check(unknown: &Unknown) -> bool {
    unknown.code == sectile_model::ReasonCode::SelfCheck
}

/// The positions of the requested properties.
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

/// The report of a check before it begins.
pub fn summary(loaded: &Loaded) -> CheckReport {
    let module = &loaded.reading.module;
    let model = &module.model;
    let is_program = !model.is_system();
    let parameters = module.parameters.iter();
    CheckReport {
        file: loaded.source.name().to_string(),
        language: loaded.frontend.info().name,
        parameters: parameters
            .map(|(n, v)| (n.clone(), v.to_string()))
            .collect(),
        variables: module.model.variables.len(),
        steps: model.edges.len(),
        locations: is_program.then_some(model.locations.len()),
        loops: is_program.then(|| model.loop_heads().len()),
        warnings: { loaded.reading.warnings.iter() }
            .map(|d| Warning::at(d, &loaded.source))
            .collect(),
        properties: Vec::new(),
    }
}

/// Checks a certificate with a fresh solver. The kernel replays the refutations of the embedded
/// solver.
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

/// Time limit for a smaller proof, including its check: the verdict waits for it.
const SMALLER: Duration = Duration::from_secs(5);

/// A proof with fewer conditions that also passes the check, if one is found quickly.
pub fn smaller_proof(
    task: &Task<'_>,
    proof: &Certificate,
    backend: &dyn Backend,
    budget: &Budget,
) -> Option<Certificate> {
    let budget = budget.clone().with_time(SMALLER);
    let smaller = minimised(task, proof, backend, &budget)?;
    let outcome = check_certificate(task, Claim::Holds, &smaller, backend, &budget);
    matches!(outcome, Ok(Outcome::Accepted { .. })).then_some(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::Failure;
    use sectile_frontend::load::load_text;

    /// A test result of a property that induction decides, with an additional failure.
    fn concluded(contradiction: bool) -> Checked {
        let text = "var x : int = 0\nup: x < 3 --> x := x + 1\ninvariant p: x <= 3\n";
        let native = sectile_frontend::frontends()[0];
        let loaded = load_text("<text>", text.to_string(), native, &[]).expect("it is a model");
        let options = CheckOptions {
            engines: vec!["kinduction".to_string()],
            ..CheckOptions::default()
        };
        let asked = Asked {
            loaded: &loaded,
            options: &options,
            prepared: &Prepared::new(&loaded, 0),
            task: loaded.task(0),
        };
        let engines = asked.engines().expect("there is such an engine");
        let watch = options.watch(Duration::ZERO);
        let decided = asked.decide(&engines, None, &watch, &mut Silent);
        let mut outcome = decided.expect("it can be asked");
        outcome.failures.push(Failure {
            text: "slab said that p is violated, and its evidence failed the check".to_string(),
            contradiction,
        });
        let mut checked = Checked {
            report: summary(&loaded),
            certificates: Vec::new(),
            failures: Vec::new(),
        };
        asked.conclude(outcome, Duration::ZERO, &mut checked);
        checked
    }

    #[test]
    fn a_failure_beside_a_verdict_is_a_warning() {
        let checked = concluded(false);
        let property = &checked.report.properties[0];
        assert_eq!(property.status, Status::Holds);
        assert!(checked.failures.is_empty());
        assert_eq!(property.warnings[0].code, "self-check");
        assert!(property.warnings[0].message.starts_with("slab said"));
    }

    #[test]
    fn a_contradiction_is_a_failure() {
        let checked = concluded(true);
        assert_eq!(checked.failures.len(), 1);
        assert!(checked.report.properties[0].warnings.is_empty());
    }
}
