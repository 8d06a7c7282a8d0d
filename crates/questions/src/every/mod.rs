//! Proofs for every number of processes: `check --forall n`.
//!
//! Clauses are guessed: from the words of the file, and from invariants of small instances in
//! which numbers of processes are read as indices. Houdini keeps the inductive part of them in the
//! one instance that stands for all larger ones. The checker `certify::every` has the last word:
//! it judges the text, and checks that instance and all smaller ones.
//!
//! | file | what |
//! |---|---|
//! | `family.rs` | the file, read with any number of processes; proofs as texts |
//! | `words.rs`, `candidates.rs` | what clauses are guessed |
//! | `existing.rs` | those that say that a process exists |
//! | `exchange.rs` | steps up to the names of processes |
//! | `search.rs` | which of them are inductive |
//! | `potential.rs` | shared numbers that count processes |
//! | `counting.rs` | invariants of counters, as clauses with counters |
//! | `waiting.rs` | why those who wait are served |
//! | `text.rs` | the certificate as a text |

mod candidates;
mod counting;
mod exchange;
mod existing;
mod family;
mod potential;
mod search;
mod text;
mod waiting;
mod words;

pub use family::{Counter, EveryProof, Family, WaitingProof};
pub use text::{is_every, print, read};

use candidates::{Candidate, lifted, range};
use existing::somebody;
use family::Claimed;
use potential::Equation;
use search::Large;
use sectile_base::Budget;
use sectile_certify::{Claim, Outcome};
use sectile_driver::Loaded;
use sectile_driver::certificates;
use sectile_driver::{CheckOptions, Checked, LIFTED, check};
use sectile_engine::Silent;
use sectile_model::{Certificate, PropertyKind, Task};
use sectile_report::{Status, Warning};
use sectile_solver::{Backend, Solver};
use sectile_terms::{NativePrinter, Term};
use std::collections::BTreeMap;
use std::time::Duration;
use words::Words;

/// Clauses are guessed with this many indices.
const WIDTH: usize = 2;

/// Instances with more processes than this are not looked at.
const MOST_PROCESSES: i64 = 9;

/// Where nothing can be proved for every size, violations are looked for up to this one.
const FEW: i64 = 4;

/// How long the engines may look at one small instance.
const SMALL_TIME: Duration = Duration::from_secs(10);

/// How long the engines may look at the counter system: far more than they need, for machines that
/// do other things.
const COUNTER_TIME: Duration = Duration::from_secs(60);

/// What was found out about a property.
pub enum Found {
    /// It holds for every size from the first on.
    Proved {
        /// The evidence.
        proof: EveryProof,
        /// How many obligations the checker was shown.
        obligations: usize,
        /// The size of the instance that stands for all larger ones.
        size: i64,
    },
    /// It is violated at this size.
    Violated {
        /// The size.
        size: i64,
        /// Whether it holds at all smaller sizes.
        smallest: bool,
        /// The instance.
        instance: Box<Loaded>,
        /// The verdict about it.
        checked: Box<Checked>,
    },
    /// The text does not allow to conclude anything for every size; where and why.
    Refused(Warning),
    /// It was not found out; the reason.
    Unknown(String),
}

/// Checks a proof with fresh solvers, on the family as it is read.
pub fn certify(
    family: &Family,
    proof: &EveryProof,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Outcome, String> {
    let claimed = Claimed::new(family, proof)?;
    sectile_certify::every::check(&claimed, backend, budget)
}

/// The parameter for every value of which an invariant may be proved, judged by the text alone.
pub fn offered(loaded: &Loaded, property: &str) -> Option<String> {
    let module = &loaded.reading.module;
    let kind = &module.property(property)?.kind;
    let is_invariant = matches!(kind, PropertyKind::Invariant(_) | PropertyKind::Error(_));
    if module.model.families.list.is_empty() || !is_invariant {
        return None;
    }
    let is_offered = |size: &str| {
        let family = Family::of(loaded, size).ok()?;
        let stub = EveryProof {
            property: property.to_string(),
            ..EveryProof::default()
        };
        let mut qualified = family.qualified(&stub).ok()?;
        qualified.width = qualified.width.max(WIDTH);
        (qualified.size() <= MOST_PROCESSES).then_some(())
    };
    let mut names = module.parameters.iter().map(|(name, _)| name);
    names.find(|name| is_offered(name).is_some()).cloned()
}

/// Looks for a proof for every size, or for the smallest size at which the property is violated.
pub fn find(
    family: &Family,
    property: &str,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Found, String> {
    let backend = options.backend().map_err(|e| e.to_string())?;
    // Formulas that were read for one instance say nothing about others.
    let options = &CheckOptions {
        predicates: Vec::new(),
        selected: BTreeMap::new(),
        lemmas: Vec::new(),
        ..options.clone()
    };
    // A file that names single processes cannot be read with fewer.
    let mut sizes = 1..=MOST_PROCESSES;
    let first = sizes.find(|n| family.load(*n).is_ok()).unwrap_or(1);
    let search = Search {
        first,
        family,
        property,
        options,
        budget,
        backend: backend.as_ref(),
    };
    search.run()
}

struct Search<'s> {
    /// The smallest size.
    first: i64,
    family: &'s Family,
    property: &'s str,
    options: &'s CheckOptions,
    budget: &'s Budget,
    backend: &'s dyn Backend,
}

impl Search<'_> {
    fn run(&self) -> Result<Found, String> {
        if let Some(why) = self.family.refusal(self.property) {
            return Ok(match self.small_violation()? {
                Some(violated) => violated,
                None => Found::Refused(why),
            });
        }
        if self.family.response(self.property).is_some() {
            return self.served();
        }
        let stub = self.stub();
        let large = Large::new(self.family, &stub, WIDTH, self.backend, self.budget)?;
        let size = large.qualified.size();
        if size > MOST_PROCESSES {
            let why = format!("{} = {size} would have to be looked at", self.family.size);
            return Ok(self.small_violation()?.unwrap_or(Found::Unknown(why)));
        }
        if large.is_violated(self.property) {
            return self.violation(size, "a random run violates the property");
        }
        let mut candidates = large.candidates(self.property, false);
        let known = match self.attempt(&large, &candidates)? {
            Attempt::Found(found) => return Ok(*found),
            Attempt::Open(known) => known,
        };
        let equations = self.equations(&large, &known)?;
        let mentioned = large.mentioned(self.property);
        let own = equations.iter().filter(|e| mentioned.contains(&e.number));
        if let Some(found) = self.with_equations(&own.collect::<Vec<_>>(), 1)? {
            return Ok(found);
        }
        if let Some(found) = self.counted()? {
            return Ok(found);
        }
        if let Some(found) = self.with_equations(&equations.iter().collect::<Vec<_>>(), 0)? {
            return Ok(found);
        }
        if let Some(found) = self.with_somebody(&large)? {
            return Ok(found);
        }
        for small in [2, 3] {
            match self.lifted(small, &large)? {
                Lifted::Violated => return self.violation(size, ""),
                Lifted::Clauses(more) => candidates.splice(0..0, more).for_each(drop),
            }
            if let Attempt::Found(found) = self.attempt(&large, &candidates)? {
                return Ok(*found);
            }
        }
        let why = "no clauses were found that are inductive for every number of processes";
        self.violation(size, why)
    }

    fn stub(&self) -> EveryProof {
        EveryProof {
            property: self.property.to_string(),
            first: self.first,
            ..EveryProof::default()
        }
    }

    /// Tries to prove the property with the inductive part of the candidates.
    fn attempt(&self, large: &Large<'_>, list: &[Candidate]) -> Result<Attempt, String> {
        let budget = self.budget;
        let inductive = large.inductive(list, self.solver(large)?.as_mut(), budget);
        let Some(inductive) = inductive.map_err(|e| e.to_string())? else {
            return Ok(Attempt::Open(Vec::new()));
        };
        let mut solver = self.solver(large)?;
        let clauses = large.proof(self.property, &inductive, solver.as_mut(), budget);
        if let Some(clauses) = clauses.map_err(|e| e.to_string())? {
            let found = self.completed(EveryProof {
                clauses,
                counters: large.counters.clone(),
                ..self.stub()
            })?;
            if let Some(found) = found {
                return Ok(Attempt::Found(Box::new(found)));
            }
        }
        Ok(Attempt::Open(inductive.survivors))
    }

    fn solver<'l>(&self, large: &'l Large<'_>) -> Result<Box<dyn Solver + 'l>, String> {
        let solver = self.backend.solver(&large.read.loaded.terms);
        solver.map_err(|e| e.to_string())
    }

    /// The shared numbers that count processes, under clauses that are known.
    fn equations(&self, large: &Large<'_>, known: &[Term]) -> Result<Vec<Equation>, String> {
        let mut solver = self.solver(large)?;
        let (size, solver) = (&self.family.size, solver.as_mut());
        let found = potential::equations(large, known, size, solver, self.budget);
        found.map_err(|e| e.to_string())
    }

    /// The same with numbers that count processes; this many witnesses are left of what is counted.
    fn with_equations(
        &self,
        equations: &[&Equation],
        witnesses: usize,
    ) -> Result<Option<Found>, String> {
        let mut counters: Vec<Counter> = Vec::new();
        for counter in equations.iter().flat_map(|e| &e.counters) {
            let counter = Counter {
                witnesses,
                ..counter.clone()
            };
            if !counters.contains(&counter) {
                counters.push(counter);
            }
        }
        let stub = EveryProof {
            counters,
            ..self.stub()
        };
        if stub.counters.is_empty() || self.family.qualified(&stub).is_err() {
            return Ok(None);
        }
        let large = Large::new(self.family, &stub, WIDTH, self.backend, self.budget)?;
        if large.qualified.size() > MOST_PROCESSES {
            return Ok(None);
        }
        // Without witnesses, what no process does has to be said of the numbers.
        let mut candidates = large.candidates(self.property, witnesses == 0);
        let said = equations.iter().map(|e| e.clause.clone());
        candidates.extend(said.map(|clause| Candidate::new(0, false, clause)));
        match self.attempt(&large, &candidates)? {
            Attempt::Found(found) => Ok(Some(*found)),
            Attempt::Open(_) => Ok(None),
        }
    }

    /// The same with clauses that say that a process exists.
    fn with_somebody(&self, large: &Large<'_>) -> Result<Option<Found>, String> {
        let words = Words::of(&large.read.loaded, &large.qualified, &[]);
        let mut texts = somebody(&words, &range(&self.family.size, &large.qualified));
        texts.retain(|t| large.formula(t).is_some_and(|f| large.holds_in_runs(f)));
        let stub = EveryProof {
            clauses: texts.first().cloned().into_iter().collect(),
            ..self.stub()
        };
        let size = self.family.qualified(&stub).map_or(i64::MAX, |q| q.size());
        if texts.is_empty() || size > MOST_PROCESSES {
            return Ok(None);
        }
        let large = Large::new(self.family, &stub, WIDTH, self.backend, self.budget)?;
        let mut candidates = large.candidates(self.property, false);
        let more = texts.into_iter();
        candidates.extend(more.map(|text| Candidate::new(0, false, text)));
        match self.attempt(&large, &candidates)? {
            Attempt::Found(found) => Ok(Some(*found)),
            Attempt::Open(_) => Ok(None),
        }
    }

    /// Proves small sizes for which the clauses are not enough, and has all of it checked.
    fn completed(&self, proof: EveryProof) -> Result<Option<Found>, String> {
        let mut proof = proof;
        let size = match self.family.qualified(&proof) {
            Ok(qualified) => qualified.size(),
            Err(_) => return Ok(None),
        };
        for small in proof.first..size {
            if self.proves_small(&proof, small)? {
                continue;
            }
            let (loaded, checked) = self.checked(small)?;
            let holds = checked.certificates.first();
            match (checked.report.properties.first().map(|p| p.status), holds) {
                (Some(Status::Violated), _) => return self.violation(size, "").map(Some),
                (Some(Status::Holds), Some(Some((claim, certificate)))) => {
                    let entry = [(self.property, *claim, certificate)];
                    proof.own.push((small, certificates::print(&loaded, entry)));
                }
                _ => return Ok(None),
            }
        }
        Ok(
            match certify(self.family, &proof, self.backend, self.budget)? {
                Outcome::Accepted { obligations } => Some(Found::Proved {
                    proof,
                    obligations,
                    size,
                }),
                Outcome::Refused(_) | Outcome::Undecided(..) => None,
            },
        )
    }

    /// Whether the clauses prove the property at a small size.
    fn proves_small(&self, proof: &EveryProof, size: i64) -> Result<bool, String> {
        let read = self.family.read(size, proof)?;
        let module = &read.loaded.reading.module;
        let Some(property) = module.property(self.property) else {
            return Ok(false);
        };
        let terms = &read.loaded.terms;
        let task = Task::new(terms, &module.model, property);
        let counts = read.counters.iter();
        let counts = counts.map(|c| (terms.var(c.symbol), c.count)).collect();
        let all = terms.substitute(terms.and(read.clauses.iter().copied()), &counts);
        let certificate = Certificate::invariant(all);
        let mut solver = self.backend.solver(terms).map_err(|e| e.to_string())?;
        let (claim, budget) = (Claim::Holds, self.budget);
        let outcome = sectile_certify::check(&task, claim, &certificate, solver.as_mut(), budget);
        Ok(matches!(outcome, Ok(Outcome::Accepted { .. })))
    }

    /// What the engines say about one size.
    fn checked(&self, size: i64) -> Result<(Loaded, Checked), String> {
        let loaded = self.family.load(size).map_err(|e| e.message)?;
        let left = self.budget.remaining().unwrap_or(SMALL_TIME);
        let options = CheckOptions {
            properties: vec![self.property.to_string()],
            ..self.options.within(Some(left.min(SMALL_TIME)))
        };
        let checked = check(&loaded, &options, &mut Silent).map_err(|e| e.to_string())?;
        Ok((loaded, checked))
    }

    /// Clauses of an invariant of a small size.
    fn lifted(&self, size: i64, large: &Large<'_>) -> Result<Lifted, String> {
        let loaded = self.family.load(size).map_err(|e| e.message)?;
        let left = self.budget.remaining().unwrap_or(SMALL_TIME);
        let options = CheckOptions {
            properties: vec![self.property.to_string()],
            engines: LIFTED.map(String::from).to_vec(),
            minimise: true,
            ..self.options.within(Some(left.min(SMALL_TIME)))
        };
        let checked = check(&loaded, &options, &mut Silent).map_err(|e| e.to_string())?;
        let mut found = Vec::new();
        match checked.certificates.first() {
            Some(Some((Claim::Violated, _))) => return Ok(Lifted::Violated),
            Some(Some((Claim::Holds, Certificate::Invariants(proof)))) => {
                let terms = &loaded.terms;
                let formulas = proof.at.iter().copied().flatten();
                for part in formulas.flat_map(|f| terms.conjuncts(f)) {
                    let text = NativePrinter::new(terms).print(part);
                    found.extend(lifted(&text, &large.qualified));
                }
            }
            _ => {}
        }
        Ok(Lifted::Clauses(found))
    }

    /// A violation of an invariant with few processes: it is one whatever the text looks like.
    fn small_violation(&self) -> Result<Option<Found>, String> {
        if !self.family.claims_invariant(self.property) {
            return Ok(None);
        }
        let left = self.budget.remaining().unwrap_or(SMALL_TIME);
        let budget = self.budget.clone().with_time(left.min(SMALL_TIME));
        let search = Search {
            budget: &budget,
            ..*self
        };
        let found = search.violation(self.first.max(FEW), "")?;
        Ok(matches!(found, Found::Violated { .. }).then_some(found))
    }

    /// The smallest size at which the property is violated.
    fn violation(&self, last: i64, why: &str) -> Result<Found, String> {
        let mut smallest = true;
        for size in self.first..=last {
            let (loaded, checked) = self.checked(size)?;
            match checked.report.properties.first().map(|p| p.status) {
                Some(Status::Violated) => {
                    return Ok(Found::Violated {
                        size,
                        smallest,
                        instance: Box::new(loaded),
                        checked: Box::new(checked),
                    });
                }
                Some(Status::Holds) => {}
                _ => smallest = false,
            }
        }
        Ok(Found::Unknown(why.to_string()))
    }

    /// Tries the invariant of the counter system.
    fn counted(&self) -> Result<Option<Found>, String> {
        let options = self.options;
        let left = self.budget.remaining().unwrap_or(COUNTER_TIME);
        let options = options.within(Some(left.min(COUNTER_TIME)));
        match counting::proof(self.family, self.property, &options) {
            Some(proof) => self.completed(EveryProof {
                first: self.first,
                ..proof
            }),
            None => Ok(None),
        }
    }
}

enum Attempt {
    Found(Box<Found>),
    /// No proof; what is inductive.
    Open(Vec<Term>),
}

enum Lifted {
    Violated,
    Clauses(Vec<Candidate>),
}
