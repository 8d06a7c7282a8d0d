//! The search for clauses: candidates that no run falsifies, then their inductive subset.

use super::candidates::{Candidate, candidates};
use super::exchange::{Representatives, are_exchangeable};
use super::family::{Counter, EveryProof, Family, ReadInstance};
use super::words::Words;
use sectile_base::{Budget, Source};
use sectile_certify::every::{Instance, Qualified, extended};
use sectile_engine::{Guess, InductiveSteps, Proof, inductive_part};
use sectile_explicit::Simulator;
use sectile_model::{Command, Model, Task};
use sectile_solver::{Answer, Backend, Solver, SolverError, scoped};
use sectile_terms::{Stage, Substitution, Symbol, Term, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Number of random runs.
const WALKS: u64 = 12;
const STEPS: usize = 60;

/// Time limit of one run: far more than it needs, for busy machines.
const WALK_TIME: Duration = Duration::from_secs(20);

/// Time limit for removing unnecessary clauses.
const SHRINKING: Duration = Duration::from_secs(8);

/// The instance that stands for all larger ones, with auxiliary data.
pub struct Large<'f> {
    family: &'f Family,
    pub qualified: Qualified,
    /// The counters that clauses may use.
    pub counters: Vec<Counter>,
    pub read: ReadInstance,
    model: Model,
    counts: Substitution,
    /// Whether the order of processes matters.
    ordered: bool,
    representatives: Option<Representatives>,
    states: Vec<BTreeMap<Symbol, Value>>,
}

impl<'f> Large<'f> {
    /// Reads the instance for clauses with this many indices.
    pub fn new(
        family: &'f Family,
        stub: &EveryProof,
        width: usize,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> Result<Large<'f>, String> {
        let mut qualified = family.qualified(stub)?;
        qualified.width = qualified.width.max(width);
        let read = family.read(qualified.size(), stub)?;
        let (model, counts) = extended_model(&read, &stub.property, backend, budget)?;
        let states = states(&read, budget);
        let terms = &read.loaded.terms;
        let ordered = qualified.ordered && !are_exchangeable(terms, &model, &qualified);
        let representatives = match ordered {
            true => None,
            false => Representatives::of(terms, &model, &qualified),
        };
        Ok(Large {
            family,
            ordered,
            representatives,
            counters: stub.counters.clone(),
            qualified,
            model,
            counts,
            states,
            read,
        })
    }

    /// The instance, with numbers for the removed processes.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The state condition of the property.
    pub fn safe(&self, property: &str) -> Option<Term> {
        let module = &self.read.loaded.reading.module;
        let kind = &module.property(property)?.kind;
        kind.safe_at(&self.read.loaded.terms, module.model.entry)
    }

    /// The variables of the property.
    pub fn mentioned(&self, property: &str) -> BTreeSet<Symbol> {
        let safe = self.safe(property).into_iter();
        let variables = safe.flat_map(|s| self.read.loaded.terms.free_vars(s));
        variables.map(|v| v.0).collect()
    }

    /// Whether a state of a run violates the property.
    pub fn is_violated(&self, property: &str) -> bool {
        let safe = self.safe(property);
        safe.is_some_and(|safe| !self.holds_in_runs(safe))
    }

    /// Whether no state of a run violates it.
    pub fn holds_in_runs(&self, formula: Term) -> bool {
        let terms = &self.read.loaded.terms;
        self.states.iter().all(|state| {
            let value = |s: Symbol, _: Stage| state.get(&s).cloned();
            evaluate(terms, formula, &value) != Ok(Value::Bool(false))
        })
    }

    /// The values of the counters in the instance.
    pub fn counts(&self) -> &Substitution {
        &self.counts
    }

    /// A text parsed as a formula about the instance.
    pub fn formula(&self, text: &str) -> Option<Term> {
        let loaded = &self.read.loaded;
        let source = Source::new("clause", text);
        loaded.reading.scope.formula(&loaded.terms, &source).ok()
    }

    /// All candidates that no run falsifies; `thresholds` adds conditions whether shared numbers
    /// are positive.
    pub fn candidates(&self, property: &str, thresholds: bool) -> Vec<Candidate> {
        let safe: Vec<Term> = self.safe(property).into_iter().collect();
        let mut words = Words::of(&self.read.loaded, &self.qualified, &safe);
        if thresholds {
            words.add_thresholds();
        }
        candidates(&words, self.ordered, &|c| self.is_plausible(c))
    }

    /// Whether no run falsifies it for the first processes.
    fn is_plausible(&self, candidate: &Candidate) -> bool {
        let low = self.qualified.low;
        let ways: &[[i64; 3]] = match (candidate.width, candidate.ordered) {
            (2, false) => &[[0, 1, 2], [1, 0, 2], [2, 1, 0]],
            (2, true) => &[[0, 1, 2], [1, 2, 0]],
            (3, _) => &[[0, 1, 2], [1, 2, 0], [2, 0, 1]],
            _ => &[[0, 1, 2], [1, 2, 0]],
        };
        let processes = i64::try_from(self.qualified.processes()).unwrap_or(i64::MAX);
        let exist = |w: &&[i64; 3]| w[..candidate.width].iter().all(|k| *k < processes);
        let ways = ways.iter().filter(exist);
        let mut ways = ways.map(|w| placed(&candidate.body, &w.map(|k| low + k)));
        ways.all(|text| self.formula(&text).is_some_and(|f| self.holds_in_runs(f)))
    }

    /// The inductive subset of the candidates; none if the solver gives up.
    pub fn inductive(
        &self,
        list: &[Candidate],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Inductive>, SolverError> {
        let terms = &self.read.loaded.terms;
        let mut said = CandidateFormulas::default();
        let mut guesses = Vec::new();
        let mut known = BTreeSet::new();
        for candidate in list {
            let Some(claim) = self.say(candidate, &mut said) else {
                continue;
            };
            if claim == terms.tt() || !known.insert(claim) {
                continue;
            }
            let weaker = candidate.weaker.iter();
            let weaker = weaker.filter_map(|w| self.say(w, &mut said)).collect();
            guesses.push(Guess { claim, weaker });
        }
        let identity = |t: Term| t;
        let primed = |t: Term| terms.prime(said.goal(t));
        let steps = self.steps().into_iter();
        let steps = InductiveSteps {
            entry: 0,
            init: self.model.init_formula(terms),
            list: steps.map(|s| (0, 0, vec![s])).collect(),
            before: &identity,
            after: &primed,
        };
        let found = inductive_part(terms, &steps, vec![guesses], solver, budget)?;
        let Some(mut survivors) = found.and_then(|mut f| f.pop()) else {
            return Ok(None);
        };
        survivors.dedup();
        Ok(Some(Inductive { said, survivors }))
    }

    /// The part of an inductive list that the property needs; none if the list does not prove the
    /// property.
    pub fn proof(
        &self,
        property: &str,
        inductive: &Inductive,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Option<Vec<String>>, SolverError> {
        let terms = &self.read.loaded.terms;
        let Some(safe) = self.safe(property) else {
            return Ok(None);
        };
        let bad = terms.and2(self.model.restrict_formula(terms), terms.not(safe));
        let all = inductive.survivors.iter().copied().chain([bad]);
        let all: Vec<Term> = all.collect();
        if !solver.check(&all, budget)?.is_unsat() {
            return Ok(None);
        }
        let survivors = self.cores(inductive, &[], vec![bad], solver, budget)?;
        let proof = Proof {
            terms,
            conditions: vec![survivors.clone()],
            bad: vec![bad],
            steps: self.steps().into_iter().map(|s| (0, 0, s)).collect(),
        };
        let needed = proof.needed_within(SHRINKING, solver, budget)?;
        let needed = needed.and_then(|mut n| n.pop()).unwrap_or(survivors);
        let texts = &inductive.said.texts;
        let texts = needed.iter().filter_map(|t| texts.get(t).cloned());
        Ok(Some(texts.collect()))
    }
}

/// Clauses that are inductive together.
pub struct Inductive {
    said: CandidateFormulas,
    /// The clauses.
    pub survivors: Vec<Term>,
}

impl Inductive {
    /// The text of a clause.
    pub fn text(&self, clause: Term) -> Option<&str> {
        self.said.texts.get(&clause).map(String::as_str)
    }
}

/// Candidates as formulas.
#[derive(Default)]
struct CandidateFormulas {
    /// The text of each candidate.
    texts: BTreeMap<Term, String>,
    /// The obligation for each candidate after a step, if it is weaker than the candidate.
    goals: BTreeMap<Term, Term>,
}

impl CandidateFormulas {
    fn goal(&self, claim: Term) -> Term {
        self.goals.get(&claim).copied().unwrap_or(claim)
    }
}

impl Large<'_> {
    /// The commands whose steps are considered.
    fn commands(&self) -> Vec<&Command> {
        match &self.representatives {
            Some(some) => {
                let each = some.commands.iter();
                each.filter_map(|&k| self.model.command(k)).collect()
            }
            None => self.model.commands().collect(),
        }
    }

    /// Their formulas.
    fn steps(&self) -> Vec<Term> {
        let terms = &self.read.loaded.terms;
        let commands = self.commands().into_iter();
        commands
            .map(|c| self.model.step_formula(terms, c))
            .collect()
    }

    /// Reads a candidate.
    fn say(&self, candidate: &Candidate, said: &mut CandidateFormulas) -> Option<Term> {
        let terms = &self.read.loaded.terms;
        let text = candidate.clause(&self.family.size, &self.qualified);
        let claim = terms.substitute(self.formula(&text)?, &self.counts);
        said.texts.entry(claim).or_insert(text);
        if let Some(some) = &self.representatives
            && candidate.width > 0
        {
            let choices = some.choices(candidate).into_iter();
            let bodies = choices.map(|indices| self.formula(&placed(&candidate.body, &indices)));
            if let Some(bodies) = bodies.collect::<Option<Vec<Term>>>() {
                let goal = terms.substitute(terms.and(bodies), &self.counts);
                said.goals.insert(claim, goal);
            }
        }
        Some(claim)
    }

    /// Whether a command may change variables of a formula.
    fn changes(&self, command: &Command, formula: Term) -> bool {
        let terms = &self.read.loaded.terms;
        let mut symbols = terms.free_vars(formula).into_iter().map(|v| v.0);
        symbols.any(|s| {
            let is_kept = command.update_of(s) == Some(terms.var(s));
            !is_kept && !self.model.rigid.contains(&s)
        })
    }

    /// The clauses of an inductive list that refute the queries, the clauses that make these
    /// inductive, and so on; some are always included.
    pub fn cores(
        &self,
        inductive: &Inductive,
        anyway: &[Term],
        questions: Vec<Term>,
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<Vec<Term>, SolverError> {
        let terms = &self.read.loaded.terms;
        let Inductive { said, survivors } = inductive;
        let mut needed: Vec<Term> = anyway.to_vec();
        let mut open: Vec<Term> = anyway.to_vec();
        let mut questions = questions;
        loop {
            for question in questions {
                let core = scoped(solver, |solver| {
                    solver.assert(question)?;
                    needed.iter().try_for_each(|&t| solver.assert(t))?;
                    if solver.check(&[], budget)?.is_unsat() {
                        return Ok(Some(Vec::new()));
                    }
                    let rest = survivors.iter().copied();
                    let rest: Vec<Term> = rest.filter(|t| !needed.contains(t)).collect();
                    Ok::<_, SolverError>(match solver.check(&rest, budget)? {
                        Answer::Unsat(refutation) => Some(refutation.core()),
                        _ => None,
                    })
                })?;
                let Some(core) = core else {
                    return Ok(survivors.clone());
                };
                open.extend(core.iter().copied());
                needed.extend(core);
            }
            let Some(goal) = open.pop().map(|claim| said.goal(claim)) else {
                return Ok(needed);
            };
            let fails = terms.not(terms.prime(goal));
            let steps = self.commands().into_iter().zip(self.steps());
            let steps = steps.filter(|(command, _)| self.changes(command, goal));
            questions = steps.map(|(_, s)| terms.and2(s, fails)).collect();
        }
    }
}

/// The instance with numbers for the removed processes.
fn extended_model(
    read: &ReadInstance,
    property: &str,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<(Model, Substitution), String> {
    let module = &read.loaded.reading.module;
    let property = module.property(property);
    let property = property.ok_or("there is no such property")?;
    let terms = &read.loaded.terms;
    let instance = Instance {
        task: Task::new(terms, &module.model, property),
        clauses: Vec::new(),
        counters: read.counters.clone(),
        numbers: read.numbers.clone(),
        served: None,
        own: None,
    };
    let mut solver = backend.solver(terms).map_err(|e| e.to_string())?;
    extended(&instance, solver.as_mut(), budget).map_err(|e| e.to_string())
}

/// A body instantiated for single processes.
fn placed(body: &str, indices: &[i64; 3]) -> String {
    let mut text = body.to_string();
    for (name, index) in ["i", "j", "k"].iter().zip(indices) {
        text = text.replace(&format!("[{name}]"), &format!("[{index}]"));
        text = text.replace(&format!(" {name} + "), &format!(" {index} + "));
        text = text.replace(&format!("= {name} "), &format!("= {index} "));
        text = text.replace(&format!("= {name})"), &format!("= {index})"));
    }
    text
}

/// States of random runs.
fn states(read: &ReadInstance, budget: &Budget) -> Vec<BTreeMap<Symbol, Value>> {
    let model = &read.loaded.reading.module.model;
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let Ok(mut simulator) = Simulator::new(&read.loaded.terms, model, None, budget) else {
        return found;
    };
    for seed in 0..WALKS {
        let limited = budget.clone().with_time(WALK_TIME);
        let Ok(run) = simulator.random_run(STEPS, seed, &limited) else {
            return found;
        };
        let rigid = model.rigid.iter().copied().zip(run.trace.rigid);
        let rigid: BTreeMap<Symbol, Value> = rigid.collect();
        for state in run.trace.states {
            let values = model.variables.iter().copied().zip(state.values);
            let mut values: BTreeMap<Symbol, Value> = values.collect();
            values.extend(rigid.clone());
            if seen.insert(format!("{values:?}")) {
                found.push(values);
            }
        }
    }
    found
}
