//! One abstraction: abstract, run the engine below, and carry its answer over.

use crate::alpha::Abstraction;
use crate::candidates::property_predicates;
use crate::path::{Followed, abstract_path, follow};
use crate::picture::PathPicture;
use crate::proof::Concretiser;
use crate::queries::Queries;
use sectile_base::Budget;
use sectile_certify::{Claim, check};
use sectile_engine::shape::conjuncts;
use sectile_engine::{Engine, EngineError, Event, Run, Settings, Stop, violating_states};
use sectile_model::{Certificate, Model, Property, ReasonCode, Task, Unknown, Verdict};
use sectile_terms::{NativePrinter, Term, Terms};

/// The result of one abstraction.
pub enum Outcome {
    /// A verdict about the concrete system.
    Decided(Verdict),
    /// The abstract counterexample is spurious, with these interpolants.
    Spurious(Vec<Term>),
    /// The engine below could not decide the abstract property.
    Approximate(Unknown),
    /// The abstract answer could not be translated to the concrete system.
    Open(Unknown),
}

/// Maximum number of sets of states for the engine below if it is run several times.
const MOST_NODES: &str = "50000";

/// A question that is tried with several abstractions.
pub struct Question<'q, 't> {
    /// The task.
    pub task: &'q Task<'t>,
    /// Its system.
    pub system: &'q Model,
    /// The engine below.
    pub below: &'q dyn Engine,
    /// Options of the engine below.
    pub settings: &'q Settings,
}

impl<'t> Question<'_, 't> {
    /// Whether the property holds in the abstract system for these predicates.
    pub fn holds_abstractly(&self, predicates: &[Term], run: &mut Run<'_>) -> Result<bool, Stop> {
        let mut queries = Queries::new(self.task.terms, run.backend, &run.budget)?;
        let alpha = self.expressive(predicates, &self.restrict(), &mut queries)?;
        let (verdict, _) = self.ask_below(&alpha, run, &mut queries)?;
        Ok(matches!(verdict, Verdict::Holds(_)))
    }

    /// Whether the property holds in the abstract system, with a proof that carries over.
    pub fn holds(&self, predicates: &[Term], run: &mut Run<'_>) -> Result<bool, Stop> {
        let outcome = self.decide(predicates, run)?;
        Ok(matches!(outcome, Outcome::Decided(Verdict::Holds(_))))
    }

    /// Decides with these predicates, adding the needed predicates of the property.
    pub fn decide(&self, predicates: &[Term], run: &mut Run<'_>) -> Result<Outcome, Stop> {
        let mut queries = Queries::new(self.task.terms, run.backend, &run.budget)?;
        let alpha = self.expressive(predicates, &self.restrict(), &mut queries)?;
        let (verdict, system) = self.ask_below(&alpha, run, &mut queries)?;
        match verdict {
            Verdict::Holds(certificate) => {
                self.carried_over(&alpha, &certificate, run, &mut queries)
            }
            Verdict::Violated(certificate) => self.violated(&alpha, &system, &certificate, run),
            Verdict::Unknown(unknown) => Ok(Outcome::Approximate(unknown)),
        }
    }

    /// The answer of the engine below, with the abstract system.
    fn ask_below(
        &self,
        alpha: &Abstraction<'t>,
        run: &mut Run<'_>,
        queries: &mut Queries<'t>,
    ) -> Result<(Verdict, Model), Stop> {
        run.tell(Event::Phase {
            name: "abstraction",
        });
        run.count("predicates", alpha.predicates.len() as u64);
        let system = alpha.system(self.system, queries)?.system;
        let kind = alpha.property(&self.task.property.kind, &self.restrict(), queries)?;
        let property = Property {
            kind,
            ..self.task.property.clone()
        };
        let task = Task {
            terms: self.task.terms,
            model: &system,
            property: &property,
        };
        // Evidence up to symmetry cannot be translated back.
        let mut settings = self.settings.clone();
        settings.set("symmetry", "off");
        let budget = run.budget.clone();
        let verdict = self.run_below(&task, &settings, budget, run)?;
        Ok((verdict, system))
    }

    fn run_below(
        &self,
        task: &Task<'_>,
        settings: &Settings,
        budget: Budget,
        run: &mut Run<'_>,
    ) -> Result<Verdict, Stop> {
        if let Err(why) = self.below.accepts(task) {
            return Ok(Verdict::Unknown(Unknown::new(ReasonCode::Unsupported, why)));
        }
        let mut run = run.part(settings, budget);
        Ok(self.below.run(task, &mut run)?)
    }

    /// For counterexamples that can be followed, but not for ever: a violation that the engine
    /// below finds in the concrete system, if it accepts it.
    ///
    /// If numbers grow, no run returns to an earlier state, and only sets of states show that one
    /// continues for ever.
    pub fn violated_concretely(&self, run: &mut Run<'_>) -> Result<Option<Verdict>, EngineError> {
        run.tell(Event::Phase { name: "concrete" });
        let budget = run.share(2, None);
        match self.run_below(self.task, &self.limited_settings(), budget, run) {
            Ok(verdict) => Ok(Some(verdict).filter(|v| matches!(v, Verdict::Violated(_)))),
            Err(stop) => stopped(stop).map(|_| None),
        }
    }

    /// The options of the engine below, with a limit on the sets of states unless one was set.
    pub fn limited_settings(&self) -> Settings {
        let mut settings = self.settings.clone();
        let options = self.below.info().options;
        if options.iter().any(|o| o.name == "nodes") && settings.get("nodes").is_none() {
            settings.set("nodes", MOST_NODES);
        }
        settings
    }

    fn carried_over(
        &self,
        alpha: &Abstraction<'t>,
        certificate: &Certificate,
        run: &mut Run<'_>,
        queries: &mut Queries<'t>,
    ) -> Result<Outcome, Stop> {
        run.tell(Event::Phase { name: "evidence" });
        let concretiser = Concretiser {
            alpha,
            system: self.system,
            property: &self.task.property.kind,
        };
        Ok(match concretiser.certificate(certificate, queries)? {
            Some(found) => Outcome::Decided(Verdict::Holds(found)),
            None => Outcome::Open(open(
                "the property holds in the abstract system, but its states may contain a concrete one without a step",
            )),
        })
    }

    /// The conjuncts of the restriction.
    pub fn restrict(&self) -> Vec<Term> {
        let list = self.system.restrict.iter();
        list.flat_map(|&r| conjuncts(self.task.terms, [r]))
            .collect()
    }

    /// The abstraction, with conditions of the property added that it cannot decide.
    fn expressive(
        &self,
        predicates: &[Term],
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Abstraction<'t>, Stop> {
        let mut list = predicates.to_vec();
        loop {
            let alpha = Abstraction::new(self.task.terms, &list);
            let Some(more) = self.missing(&alpha, restrict, queries)? else {
                return Ok(alpha);
            };
            list.push(more);
        }
    }

    /// A condition of the property about hidden variables that some abstract state does not decide.
    fn missing(
        &self,
        alpha: &Abstraction<'t>,
        restrict: &[Term],
        queries: &mut Queries<'t>,
    ) -> Result<Option<Term>, Stop> {
        let terms = self.task.terms;
        let known = alpha.predicates.iter();
        let known: Vec<Term> = known.map(|p| terms.strip_not(p.meaning).0).collect();
        for predicate in property_predicates(terms, &self.task.property.kind) {
            let (atom, _) = terms.strip_not(predicate);
            if known.contains(&atom) || !alpha.touches(atom) {
                continue;
            }
            let yes = alpha.states(atom, restrict, queries)?;
            let no = alpha.states(terms.not(atom), restrict, queries)?;
            if queries.satisfiable(&[yes, no])? {
                return Ok(Some(predicate));
            }
        }
        Ok(None)
    }

    /// Decides whether the abstract counterexample is real.
    fn violated(
        &self,
        alpha: &Abstraction<'t>,
        abstracted: &Model,
        certificate: &Certificate,
        run: &mut Run<'_>,
    ) -> Result<Outcome, Stop> {
        let terms = self.task.terms;
        let kind = &self.task.property.kind;
        let Some(path) = abstract_path(terms, abstracted, kind, &alpha.meanings(), certificate)
        else {
            return Ok(Outcome::Open(open(
                "the property fails in the abstract system, on no single path",
            )));
        };
        let followed = follow(terms, self.system, &path, run.backend, &run.budget)?;
        let picture = PathPicture {
            terms,
            system: self.system,
            path: path.followed(),
            predicates: alpha.predicates.len(),
        };
        picture.tell(&followed, run);
        Ok(match followed {
            Followed::Spurious(cuts) => Outcome::Spurious(cuts),
            Followed::Open => Outcome::Open(open(
                "the abstract counterexample can be followed, but not known for ever",
            )),
            Followed::Real(trace) => {
                let certificate = Certificate::Trace(*trace);
                match self.shows(&certificate, run)? {
                    true => Outcome::Decided(Verdict::Violated(certificate)),
                    false => Outcome::Open(open("one run alone does not show the violation")),
                }
            }
        })
    }

    /// Whether a run refutes the property: one to a violating state does; other runs have to be
    /// accepted by the checker of certificates.
    fn shows(&self, certificate: &Certificate, run: &Run<'_>) -> Result<bool, Stop> {
        let terms = self.task.terms;
        if violating_states(terms, &self.task.property.kind).is_some() {
            return Ok(true);
        }
        let mut solver = run.backend.solver(terms)?;
        let claim = Claim::Violated;
        let outcome = check(self.task, claim, certificate, solver.as_mut(), &run.budget)?;
        Ok(matches!(outcome, sectile_certify::Outcome::Accepted { .. }))
    }
}

fn open(why: &str) -> Unknown {
    Unknown::new(ReasonCode::Incomplete, why)
}

/// The reason of a stop; errors are returned as such.
pub fn stopped(stop: Stop) -> Result<Unknown, EngineError> {
    stop.unknown("the abstraction or the analysis of its counterexample was not finished")
}

/// Predicates, printed with the names of the model.
pub fn words(terms: &Terms, predicates: impl IntoIterator<Item = Term>) -> String {
    let printer = NativePrinter::new(terms);
    let list = predicates.into_iter().map(|p| printer.print(p));
    list.collect::<Vec<_>>().join("; ")
}
