//! Finds states that are not covered, runs from them, and the preconditions of these runs.

use super::Config;
use super::exclude::Excluder;
use super::proof;
use super::shape::{Clause, Shape};
use sectile_domains::facts::place_invariants;
use sectile_engine::{EngineError, Event, Guess, Run, SafetyQuestion, Stop, Unroller, step_number};
use sectile_model::{Certificate, Command, Model, State, Step, Task, Trace, Verdict};
use sectile_solver::{Answer, Solver};
use sectile_terms::{
    Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value, evaluate,
};
use std::time::Duration;

/// States from which the goal can be reached: they satisfy it, or one step leads into another way.
pub struct Way {
    /// The states.
    pub formula: Term,
    /// The maximum number of steps to the goal.
    pub rank: u64,
    /// The step; `None` for the goal.
    pub step: Option<Taken>,
}

/// A command, the values that it chooses, and the number of the way into which it leads.
pub type Taken = (usize, Vec<(Symbol, Term)>, usize);

/// The ways found for a clause.
pub struct Covered {
    /// The goal comes first; every other way leads into an earlier one.
    pub ways: Vec<Way>,
}

/// Everything that the evidence needs.
pub struct Found {
    /// The invariant.
    pub invariant: Term,
    /// The parts of the formula by which cells are split.
    pub split: Vec<usize>,
    /// For each clause, its ways.
    pub covered: Vec<Covered>,
}

/// The maximum number of parts by which cells are split.
const MOST_SPLITS: usize = 6;

/// Runs of up to this many steps are tried before anything else.
const FEW_STEPS: usize = 6;

/// Proves the formula, or reports how far the search came.
pub fn decide(
    task: &Task<'_>,
    shape: &Shape,
    config: Config,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let mut ways = 0;
    let found = Search::new(task, shape, config, run)
        .map_err(Stop::from)
        .and_then(|mut search| {
            let found = search.run(run);
            ways = search.covered.iter().map(|c| c.ways.len()).sum();
            found
        });
    match found {
        Ok(found) => {
            let proof = proof::proof(task, shape, &found);
            Ok(Verdict::Holds(Certificate::Ctl(Box::new(proof))))
        }
        Err(stop) => stop.verdict(format!("{ways} preconditions of runs to the goals")),
    }
}

struct Search<'t, 's> {
    terms: &'t Terms,
    system: &'t Model,
    shape: &'s Shape,
    config: Config,
    unroller: Unroller<'t>,
    /// Has the restrictions asserted.
    states: Box<dyn Solver + 't>,
    /// Has the restrictions at step 0 asserted, and the steps under switches.
    steps: Box<dyn Solver + 't>,
    switches: Vec<Term>,
    excluder: Excluder<'t>,
    split: Vec<usize>,
    covered: Vec<Covered>,
}

impl<'t, 's> Search<'t, 's> {
    fn new(
        task: &Task<'t>,
        shape: &'s Shape,
        config: Config,
        run: &Run<'_>,
    ) -> Result<Search<'t, 's>, EngineError> {
        let (terms, system) = (task.terms, task.system().map_err(EngineError::Bug)?);
        let unroller = Unroller::new(terms, system);
        let parts = (0..shape.formula.parts.len()).filter_map(|p| shape.state(p));
        let asked = SafetyQuestion {
            system,
            bad: terms.or(parts),
        };
        let guesses = place_invariants(terms, system);
        let guesses = guesses.into_iter().map(Guess::alone).collect();
        let mut states = run.backend.solver(terms)?;
        let budget = run.share(8, Some(Duration::from_secs(1)));
        let known = unroller.inductive_part(guesses, states.as_mut(), &budget)?;
        let excluder = Excluder::new(terms, &asked, known.unwrap_or_default(), run)?;
        let mut states = run.backend.solver(terms)?;
        states.assert(system.restrict_formula(terms))?;
        let mut steps = run.backend.solver(terms)?;
        steps.assert(unroller.any_state(0))?;
        let goal = |c: &Clause| {
            let goal = c.goal.and_then(|(_, goal)| shape.state(goal));
            let goal = goal.map(|formula| Way {
                formula,
                rank: 0,
                step: None,
            });
            Covered {
                ways: goal.into_iter().collect(),
            }
        };
        let covered = shape.clauses.iter().map(goal).collect();
        Ok(Search {
            terms,
            system,
            shape,
            config,
            unroller,
            states,
            steps,
            switches: Vec::new(),
            excluder,
            split: Vec::new(),
            covered,
        })
    }

    fn run(&mut self, run: &mut Run<'_>) -> Result<Found, Stop> {
        for clause in 0..self.covered.len() {
            while let Some(state) = self.uncovered(clause, run)? {
                self.cover(clause, &state, run)?;
                let ways: usize = self.covered.iter().map(|c| c.ways.len()).sum();
                run.count("ways", ways as u64);
                run.count("clauses", self.excluder.invariant.len() as u64);
                run.tell(Event::Phase { name: "covering" });
            }
        }
        Ok(Found {
            invariant: self.terms.and(self.excluder.invariant.iter().copied()),
            split: self.split.clone(),
            covered: std::mem::take(&mut self.covered),
        })
    }

    /// A state that satisfies the invariant and in which the clause is not yet proved, as a run
    /// without steps.
    fn uncovered(&mut self, clause: usize, run: &Run<'_>) -> Result<Option<Trace>, Stop> {
        let terms = self.terms;
        let mut question = self.excluder.invariant.clone();
        question.extend(self.told_apart(clause).into_iter().map(|p| terms.not(p)));
        let ways = self.covered[clause].ways.iter();
        let steps = ways.filter(|w| w.step.is_some());
        question.extend(steps.map(|w| terms.not(w.formula)));
        match self.states.check(&question, &run.budget)? {
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(model) => {
                let all = |symbols: &[Symbol]| -> Vec<Value> {
                    let value = |&s| model.completed(terms, s, Stage::Now);
                    symbols.iter().map(value).collect()
                };
                let state = State {
                    location: self.system.entry,
                    values: all(&self.system.variables),
                };
                Ok(Some(Trace {
                    rigid: all(&self.system.rigid),
                    states: vec![state],
                    ..Trace::default()
                }))
            }
        }
    }

    /// The state formulas of a clause whose truth values the cells determine.
    fn told_apart(&self, clause: usize) -> Vec<Term> {
        let parts = self.parts_of(clause).into_iter();
        let told = parts.filter(|p| self.split.contains(p));
        told.filter_map(|p| self.shape.state(p)).collect()
    }

    fn parts_of(&self, clause: usize) -> Vec<usize> {
        let Clause { states, goal } = &self.shape.clauses[clause];
        let goal = goal.map(|(_, goal)| goal);
        states.iter().copied().chain(goal).collect()
    }

    /// Covers a state: by a short run, by splitting cells, by excluding it from the invariant, or
    /// by a longer run.
    fn cover(&mut self, clause: usize, state: &Trace, run: &mut Run<'_>) -> Result<(), Stop> {
        let few = FEW_STEPS.min(self.config.steps);
        if self.reach(clause, state, 1..=few, run)? {
            return Ok(());
        }
        let value = |symbol, stage| value_in(self.system, state, 0, symbol, stage);
        let holds = |&part: &usize| {
            let formula = self.shape.state(part);
            formula.is_some_and(|f| evaluate(self.terms, f, &value) == Ok(Value::Bool(true)))
        };
        let mut parts = self.parts_of(clause).into_iter();
        if let Some(part) = parts.find(holds)
            && self.split.len() < MOST_SPLITS
        {
            self.split.push(part);
            return Ok(());
        }
        let cube = self.excluder.cube(&value);
        if self.excluder.exclude(cube, run)?
            || self.reach(clause, state, few + 1..=self.config.steps, run)?
        {
            return Ok(());
        }
        Err(Stop::incomplete(format!(
            "there is a state that may be reachable, with no known run of {} steps to the goal",
            self.config.steps
        )))
    }

    /// Looks for a run from the state to a covered state, and covers all states from which the
    /// commands of the run lead there.
    fn reach(
        &mut self,
        clause: usize,
        state: &Trace,
        lengths: std::ops::RangeInclusive<usize>,
        run: &Run<'_>,
    ) -> Result<bool, Stop> {
        let terms = self.terms;
        if self.covered[clause].ways.is_empty() {
            return Ok(false);
        }
        let symbols = self.system.variables.iter().zip(&state.states[0].values);
        let mut here: Vec<Term> = symbols
            .map(|(&v, value)| (terms.var_at(v, Stage::At(0)), value))
            .map(|(v, value)| terms.eq(v, value.to_term(terms)))
            .collect();
        let rigid = self.system.rigid.iter().zip(&state.rigid);
        here.extend(rigid.map(|(&v, value)| terms.eq(terms.var(v), value.to_term(terms))));
        let known = here.len();
        for length in lengths {
            self.unroll(length)?;
            here.truncate(known);
            here.extend(&self.switches[..length]);
            let mut found = None;
            // Among the ways that can be reached in this many steps, one of the lowest rank covers
            // the most.
            let mut below = u64::MAX;
            while let Some(trace) = self.run_into(clause, below, &here, length, run)? {
                let (way, rank) = self.end_of(clause, &trace)?;
                found = Some((trace, way));
                below = rank;
            }
            if let Some((trace, way)) = found {
                self.add_ways(clause, &trace, way)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn unroll(&mut self, length: usize) -> Result<(), EngineError> {
        let terms = self.terms;
        while self.switches.len() < length {
            let step = self.unroller.step(step_number(self.switches.len()));
            let switch = terms.var(terms.fresh("step", Sort::Bool, SymbolKind::Rigid));
            self.steps.assert(terms.implies(switch, step))?;
            self.switches.push(switch);
        }
        Ok(())
    }

    /// A run of this length from a state into a way below a rank.
    fn run_into(
        &mut self,
        clause: usize,
        below: u64,
        here: &[Term],
        length: usize,
        run: &Run<'_>,
    ) -> Result<Option<Trace>, Stop> {
        let length = step_number(length);
        let ways = self.covered[clause].ways.iter();
        let low = ways.filter(|w| w.rank < below).map(|w| w.formula);
        let ends = self.unroller.at(self.terms.or(low), length);
        let question: Vec<Term> = here.iter().copied().chain([ends]).collect();
        match self.steps.check(&question, &run.budget)? {
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(model) => Ok(Some(self.unroller.trace(model, length)?)),
        }
    }

    /// The way of the lowest rank that contains the last state of a run, and its rank.
    fn end_of(&self, clause: usize, trace: &Trace) -> Result<(usize, u64), Stop> {
        let last = trace.steps.len();
        let value = |symbol, stage| value_in(self.system, trace, last, symbol, stage);
        let inside = |w: &Way| evaluate(self.terms, w.formula, &value) == Ok(Value::Bool(true));
        let ways = self.covered[clause].ways.iter().enumerate();
        let ends = ways.filter(|(_, w)| inside(w)).map(|(k, w)| (w.rank, k));
        let lowest = ends.min().map(|(rank, way)| (way, rank));
        lowest.ok_or_else(|| Stop::bug("a run does not end where it should"))
    }

    /// Covers all states from which the steps of a run lead into a way.
    fn add_ways(&mut self, clause: usize, trace: &Trace, mut into: usize) -> Result<(), Stop> {
        for k in (0..trace.steps.len()).rev() {
            let way = self.way_into(clause, into, &trace.steps[k], &trace.states[k + 1])?;
            let ways = &mut self.covered[clause].ways;
            if ways.len() >= self.config.ways {
                let why = format!("{} preconditions are not enough", self.config.ways);
                return Err(Stop::incomplete(why));
            }
            into = ways.len();
            ways.push(way);
        }
        Ok(())
    }

    /// The states from which a step leads into a way, if it chooses the same values as in the run.
    fn way_into(
        &self,
        clause: usize,
        into: usize,
        step: &Step,
        after: &State,
    ) -> Result<Way, Stop> {
        let (terms, system) = (self.terms, self.system);
        let edge = &system.edges[step.command];
        if edge.loose {
            return Err(Stop::incomplete("a step allows more than the source does"));
        }
        let command = &edge.command;
        let target = &self.covered[clause].ways[into];
        let inputs = command.inputs.iter().copied().zip(&step.inputs);
        let mut values: Vec<(Symbol, Term)> = inputs.map(|(s, v)| (s, v.to_term(terms))).collect();
        let mut now = Substitution::default();
        now.extend(values.iter().map(|&(s, v)| (terms.var(s), v)));
        let mut next = Substitution::default();
        for (&variable, there) in system.variables.iter().zip(&after.values) {
            let assigned = command.update_of(variable);
            let value = assigned.map(|v| terms.substitute(v, &now));
            let value = value.unwrap_or_else(|| {
                let equal = equal_to(terms, command, variable);
                let equal = equal.map(|t| terms.substitute(t, &now));
                let chosen = equal.unwrap_or_else(|| there.to_term(terms));
                values.push((variable, chosen));
                chosen
            });
            next.insert(terms.next(variable), value);
        }
        let conditions = command.guards.iter().chain(&command.relations);
        let conditions = conditions.map(|&c| terms.substitute(c, &now));
        let arrives = system.restrict.iter().copied().chain([target.formula]);
        let arrives = arrives.map(|f| terms.prime(f));
        let all = conditions
            .chain(arrives)
            .map(|c| terms.substitute(c, &next));
        Ok(Way {
            formula: terms.and(all.collect::<Vec<_>>()),
            rank: target.rank + 1,
            step: Some((step.command, values, into)),
        })
    }
}

/// The term to which a relation equates the next value of a variable, over the state before the
/// step.
fn equal_to(terms: &Terms, command: &Command, variable: Symbol) -> Option<Term> {
    let next = terms.next(variable);
    let before = |t: Term| terms.free_vars(t).iter().all(|v| v.1 != Stage::Next);
    let parts = command.relations.iter().flat_map(|&r| terms.conjuncts(r));
    let mut parts = parts.filter_map(|part| match *terms.node(part) {
        Node::Eq(a, b) if a == next && before(b) => Some(b),
        Node::Eq(a, b) if b == next && before(a) => Some(a),
        _ => None,
    });
    parts.next()
}

/// The value of a variable or a constant in a state of a run.
fn value_in(
    system: &Model,
    trace: &Trace,
    state: usize,
    symbol: Symbol,
    stage: Stage,
) -> Option<Value> {
    let place = |list: &[Symbol]| list.iter().position(|&s| s == symbol);
    match place(&system.variables) {
        Some(k) if stage == Stage::Now => Some(trace.states[state].values[k].clone()),
        Some(_) => None,
        None => place(&system.rigid).map(|k| trace.rigid[k].clone()),
    }
}
