//! Concrete runs, chosen at random or by hand.

use crate::compiled::{Compiled, MoveId, Omission};
use crate::domain::Domain;
use crate::error::{ExploreError, Interrupt};
use crate::machine::Machine;
use crate::values::{Choosing, Sampling};
use crate::word::Word;
use sectile_base::{Budget, Exhausted, Rat, Rng};
use sectile_model::{Model, State, Step, Trace};
use sectile_terms::{Node, Sort, Symbol, Term, Terms, Value, evaluate};
use std::ops::ControlFlow;

/// The distance from bounds and current values within which numbers are tried.
const WINDOW: i64 = 4;

/// The number of values that are tried for a command before the search for a step gives up.
const MOST_VALUES: u64 = 100_000;

/// The number of steps of a command that are examined for one that satisfies a condition.
const MOST_LOOKED_AT: usize = 10_000;

/// Options of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationOptions {
    /// Number of steps.
    pub steps: usize,
    /// The seed of random choices: equal seeds give equal runs.
    pub seed: u64,
    /// Numbers outside of the domain are avoided, if one is given.
    pub domain: Option<Domain>,
}

/// A concrete run, and why it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The run; without states if no initial state was found.
    pub trace: Trace,
    /// Why it ends.
    pub end: RunEnd,
}

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It has the requested length.
    Complete,
    /// No step is possible (no initial state exists, if the run is empty).
    Deadlock,
    /// No step was found among the values that were tried; there may be one.
    NotFound,
    /// The budget was used up.
    Exhausted(Exhausted),
}

/// One possible next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The command or edge; `None` for an initial state.
    pub command: Option<usize>,
    /// The values of its inputs.
    pub inputs: Vec<Value>,
    /// The values of the symbolic constants.
    pub rigid: Vec<Value>,
    /// The state to which it leads.
    pub state: State,
}

/// The possible next steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The steps that were found, by command, each successor once.
    pub list: Vec<Choice>,
    /// Whether these are all.
    pub complete: bool,
}

/// A run by random choices.
pub fn simulate(
    terms: &Terms,
    model: &Model,
    options: &SimulationOptions,
    budget: &Budget,
) -> Result<Run, ExploreError> {
    let mut simulator = Simulator::new(terms, model, options.domain.clone(), budget)?;
    simulator.random_run(options.steps, options.seed, budget)
}

fn no_run() -> Trace {
    Trace {
        rigid: Vec::new(),
        states: Vec::new(),
        steps: Vec::new(),
        back_to: None,
    }
}

/// A run that is extended choice by choice.
pub struct Simulator {
    compiled: Compiled,
    machine: Machine,
    domain: Option<Domain>,
    /// The packed states of the run.
    rows: Vec<Vec<u64>>,
    trace: Trace,
    offered: Vec<(Choice, Vec<u64>)>,
    /// Additional values to try.
    hints: Vec<(Sort, Word)>,
}

impl Simulator {
    /// A run that has not started: its first choice is an initial state.
    pub fn new(
        terms: &Terms,
        model: &Model,
        domain: Option<Domain>,
        budget: &Budget,
    ) -> Result<Simulator, ExploreError> {
        let (compiled, machine) = Compiled::new(terms, model, budget)?;
        Ok(Simulator {
            compiled,
            machine,
            domain,
            rows: Vec::new(),
            trace: no_run(),
            offered: Vec::new(),
            hints: Vec::new(),
        })
    }

    /// A run by random choices, from the start.
    pub fn random_run(
        &mut self,
        steps: usize,
        seed: u64,
        budget: &Budget,
    ) -> Result<Run, ExploreError> {
        self.rows.clear();
        self.offered.clear();
        self.trace = no_run();
        let mut rng = Rng::new(seed);
        let mut end = RunEnd::Complete;
        // The first choice is the initial state.
        for _ in 0..=steps {
            end = match self.choose_randomly(&mut rng, budget) {
                Ok(end) => end,
                Err(Interrupt::Exhausted(reason)) => RunEnd::Exhausted(reason),
                Err(Interrupt::Error(error)) => return Err(error),
            };
            if end != RunEnd::Complete {
                break;
            }
        }
        let trace = std::mem::replace(&mut self.trace, no_run());
        Ok(Run { trace, end })
    }

    /// The run so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The possible next steps, at most `limit` for every command.
    ///
    /// Numbers with infinitely many possible values are tried only near their bounds and current
    /// values; the answer tells whether steps may be missing.
    pub fn options(&mut self, limit: usize, budget: &Budget) -> Result<Choices, ExploreError> {
        self.offered.clear();
        let mut complete = true;
        let moves = self.possible_moves();
        for m in moves {
            let mut found = Vec::new();
            let mut left_out = false;
            let outcome = self.enumerate(m, None, budget, |row, inputs| {
                if found.iter().any(|(r, _)| r == row) {
                    return ControlFlow::Continue(());
                }
                left_out = found.len() >= limit;
                if left_out {
                    return ControlFlow::Break(());
                }
                found.push((row.to_vec(), inputs));
                ControlFlow::Continue(())
            });
            complete &= !left_out && is_complete(outcome)?;
            for (row, inputs) in found {
                let choice = self.choice(m, &row, inputs);
                self.offered.push((choice, row));
            }
        }
        Ok(Choices {
            list: self.offered.iter().map(|(c, _)| c.clone()).collect(),
            complete,
        })
    }

    /// The possible next steps to states that satisfy a condition. Values that the condition
    /// mentions are tried in addition.
    pub fn options_where(
        &mut self,
        terms: &Terms,
        condition: Term,
        limit: usize,
        budget: &Budget,
    ) -> Result<Choices, ExploreError> {
        let numbers = &mut self.machine.numbers;
        let named = named_values(terms, condition).into_iter();
        self.hints = named
            .map(|v| (v.sort(), numbers.word_of(terms, &v)))
            .collect();
        let found = self.options(MOST_LOOKED_AT, budget);
        self.hints.clear();
        let complete = found?.complete;
        let layout = &self.compiled.layout;
        self.offered.retain(|(choice, _)| {
            let value = |symbol: Symbol, _| {
                let at = layout.position(symbol)?;
                let own = layout.variables.len();
                let found = match at < own {
                    true => choice.state.values.get(at),
                    false => choice.rigid.get(at - own),
                };
                found.cloned()
            };
            evaluate(terms, condition, &value) == Ok(Value::Bool(true))
        });
        let complete = complete && self.offered.len() <= limit;
        self.offered.truncate(limit);
        Ok(Choices {
            list: self.offered.iter().map(|(c, _)| c.clone()).collect(),
            complete,
        })
    }

    /// Takes one of the choices that were last offered; false if there is no such choice.
    pub fn choose(&mut self, index: usize) -> bool {
        if index >= self.offered.len() {
            return false;
        }
        let (choice, row) = self.offered.swap_remove(index);
        self.take(choice, row);
        true
    }

    /// Undoes the last choice; false if there is none.
    pub fn back(&mut self) -> bool {
        self.offered.clear();
        self.trace.steps.pop();
        self.rows.pop();
        self.trace.states.pop().is_some()
    }

    /// Takes a random choice. `Complete` means that there was one.
    fn choose_randomly(&mut self, rng: &mut Rng, budget: &Budget) -> Result<RunEnd, Interrupt> {
        // In a run without alternatives, nothing else checks the limits.
        budget.poll()?;
        let mut moves = self.possible_moves();
        rng.shuffle(&mut moves);
        let mut complete = true;
        for m in moves {
            let mut found = None;
            let outcome = self.enumerate(m, Some(&mut *rng), budget, |row, inputs| {
                found = Some((row.to_vec(), inputs));
                ControlFlow::Break(())
            });
            if let Some((row, inputs)) = found {
                let choice = self.choice(m, &row, inputs);
                self.take(choice, row);
                return Ok(RunEnd::Complete);
            }
            complete &= is_complete(outcome)?;
            budget.poll()?;
        }
        Ok(if complete {
            RunEnd::Deadlock
        } else {
            RunEnd::NotFound
        })
    }

    /// The moves from the last state; `None` stands for the choice of an initial state.
    fn possible_moves(&mut self) -> Vec<Option<MoveId>> {
        match self.rows.last() {
            None => vec![None],
            Some(row) => {
                let location = self.compiled.load(&mut self.machine, row);
                let moves = self.compiled.moves_from(location).iter();
                moves.copied().map(Some).collect()
            }
        }
    }

    fn enumerate(
        &mut self,
        m: Option<MoveId>,
        rng: Option<&mut Rng>,
        budget: &Budget,
        mut found: impl FnMut(&[u64], Vec<Value>) -> ControlFlow<()>,
    ) -> Result<Omission, Interrupt> {
        let mut choosing = Choosing::Some(Sampling {
            domain: self.domain.as_ref(),
            hints: &self.hints,
            window: WINDOW,
            rng,
        });
        let budget = budget.clone().with_steps(MOST_VALUES);
        let compiled = &self.compiled;
        let machine = &mut self.machine;
        let Some(id) = m else {
            return compiled.initial_states(machine, &mut choosing, &budget, |row, _| {
                found(row, Vec::new())
            });
        };
        if let Some(row) = self.rows.last() {
            compiled.load(machine, row);
        }
        let mut row = vec![0; compiled.codec.width];
        compiled.successors(
            id,
            machine,
            &mut choosing,
            &budget,
            &mut row,
            |row, machine| found(row, compiled.input_values(id, machine)),
        )
    }

    fn choice(&self, m: Option<MoveId>, row: &[u64], inputs: Vec<Value>) -> Choice {
        Choice {
            command: m,
            inputs,
            rigid: self.compiled.rigid(&self.machine.numbers, row),
            state: self.compiled.state(&self.machine.numbers, row),
        }
    }

    fn take(&mut self, choice: Choice, row: Vec<u64>) {
        self.offered.clear();
        self.trace.rigid = choice.rigid;
        if let Some(command) = choice.command {
            self.trace.steps.push(Step::new(command, choice.inputs));
        }
        self.trace.states.push(choice.state);
        self.rows.push(row);
    }
}

/// The constants with which a condition compares something, and the neighbouring numbers.
fn named_values(terms: &Terms, condition: Term) -> Vec<Value> {
    let mut found = Vec::new();
    for t in terms.post_order(&[condition]) {
        match terms.node(t) {
            Node::Zero(sum) | Node::NonPos(sum) | Node::Neg(sum) => {
                let linear = terms.linear(*sum);
                let ends = linear.monomials().iter();
                for end in ends.map(|(_, c)| &-linear.constant() / c) {
                    let near = [Rat::MINUS_ONE, Rat::ZERO, Rat::ONE];
                    let near = near.iter().map(|d| &end + d);
                    found.extend(near.map(|n| match terms.sort(*sum) {
                        Sort::Int => Value::Int(n.floor()),
                        _ => Value::Real(n),
                    }));
                }
            }
            Node::Filled(..) | Node::Store(..) => found.extend(Value::from_term(terms, t)),
            _ => {}
        }
    }
    found
}

/// Whether an enumeration was complete; an exhausted budget is not an error here.
fn is_complete(outcome: Result<Omission, Interrupt>) -> Result<bool, ExploreError> {
    match outcome {
        Ok(Omission { cut, clipped }) => Ok(!cut && !clipped),
        Err(Interrupt::Exhausted(_)) => Ok(false),
        Err(Interrupt::Error(error)) => Err(error),
    }
}
