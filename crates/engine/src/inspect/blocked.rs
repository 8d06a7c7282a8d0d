//! Steps that do not exist because they would leave the range of a variable.
//!
//! Only reachable states matter: induction excludes some, short runs confirm others.

use super::{Inspection, Oddity, counted};
use crate::houdini::Guess;
use crate::unroll::Unroller;
use sectile_base::Span;
use sectile_model::{Command, LocationId, Model};
use sectile_solver::Answer;
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Value};
use std::collections::BTreeMap;

/// Maximum length of runs.
const LONGEST_RUN: u32 = 12;

/// A command that would take a variable out of its range.
pub(super) struct Suspect {
    span: Span,
    name: String,
    variable: Symbol,
    /// The states in which it would; may mention inputs of the command.
    states: Term,
    /// Number of steps after which a run reaches such a state.
    reached: Option<u32>,
}

impl Inspection<'_> {
    /// The conditions that give a single number a range.
    pub(super) fn ranges(&self, model: &Model) -> Vec<(Symbol, Term)> {
        let single = |&t: &Term| {
            let atom = matches!(self.terms.node(t), Node::NonPos(_));
            let variables = self.terms.free_vars(t);
            let changing = variables.iter().map(|v| v.0);
            let mut changing = changing.filter(|s| model.variables.contains(s));
            let first = changing.next()?;
            let is_range = atom && changing.next().is_none();
            (is_range && self.terms.symbol_sort(first) == Sort::Int).then_some((first, t))
        };
        let all = model.restrict.iter().flat_map(|&r| self.terms.conjuncts(r));
        all.filter_map(|t| single(&t)).collect()
    }

    /// The variables whose ranges a command would leave although its guard holds, if that is
    /// possible from states within the ranges.
    pub(super) fn leaving(&mut self, command: &Command, ranges: &[(Symbol, Term)]) -> Vec<Suspect> {
        let terms = self.terms;
        let guard = terms.and(command.guards.iter().copied());
        let mut suspects = Vec::new();
        for &(variable, range) in ranges {
            let value = command.update_of(variable);
            let Some(value) = value.filter(|&v| v != terms.var(variable)) else {
                continue;
            };
            // A choice outside the range is no step, but there may be other choices. For a value
            // read from an array, a short query cannot show that only values within the range were
            // written.
            let used = terms.free_vars(value);
            let reads_array = |t: &Term| matches!(terms.node(*t), Node::Select(..));
            let from_array = terms.post_order(&[value]).iter().any(reads_array);
            if !from_array && used.iter().all(|v| !command.inputs.contains(&v.0)) {
                let new = Substitution::from_iter([(terms.var(variable), value)]);
                let outside = terms.not(terms.substitute(range, &new));
                suspects.push(Suspect {
                    span: command.span,
                    name: command.name.clone(),
                    variable,
                    states: terms.and([guard, outside]),
                    reached: None,
                });
            }
        }
        if !self.is_possible(terms.or(suspects.iter().map(|s| s.states))) {
            return Vec::new();
        }
        suspects.retain(|s| self.is_possible(s.states));
        suspects
    }

    fn is_possible(&mut self, states: Term) -> bool {
        self.ask(states) == Some(true)
    }

    /// One finding for every command of the source that is blocked in reachable states, or may be.
    pub(super) fn blocked(&mut self, model: &Model, suspects: Vec<Suspect>) -> Vec<Oddity> {
        let mut suspects = self.not_excluded(model, suspects);
        // If the solver gives up, the findings so far are reported.
        let _ = self.find_runs(model, &mut suspects);
        let mut commands: BTreeMap<Span, Suspect> = BTreeMap::new();
        for suspect in suspects {
            match commands.get(&suspect.span) {
                Some(known) if known.reached.is_some() || suspect.reached.is_none() => {}
                _ => drop(commands.insert(suspect.span, suspect)),
            }
        }
        let told = commands.into_values().map(|s| self.tell(&s));
        told.collect()
    }

    /// Those that no inductive invariant excludes. The candidates are that nothing is blocked, and
    /// the claims of the properties. If the solver gives up, all remain.
    fn not_excluded(&mut self, model: &Model, suspects: Vec<Suspect>) -> Vec<Suspect> {
        let facts = match suspects.is_empty() {
            true => Vec::new(),
            false => self.inductive(model, &suspects).unwrap_or_default(),
        };
        let known = self.terms.and(facts);
        let mut left = suspects;
        left.retain(|s| !self.is_false(self.terms.and([s.states, known])));
        left
    }

    fn inductive(&self, model: &Model, suspects: &[Suspect]) -> Option<Vec<Term>> {
        let terms = self.terms;
        let claimed = self.module.properties.iter();
        let claimed = claimed.filter_map(|p| p.kind.safe_at(terms, LocationId(0)));
        // A condition on an input is not a claim about a state.
        let is_state = |&t: &Term| {
            let used = terms.free_vars(t);
            used.iter()
                .all(|(s, _)| terms.symbol_kind(*s) != SymbolKind::Input)
        };
        let guesses = suspects.iter().map(|s| terms.not(s.states)).chain(claimed);
        let guesses = guesses.filter(is_state).map(Guess::alone).collect();
        let unroller = Unroller::new(terms, model);
        let mut solver = self.backend.solver(terms).ok()?;
        let part = unroller.inductive_part(guesses, solver.as_mut(), &self.budget);
        part.ok()?
    }

    /// Searches for short runs that reach the suspects.
    fn find_runs(&self, model: &Model, suspects: &mut [Suspect]) -> Option<()> {
        let terms = self.terms;
        let budget = counted();
        let unroller = Unroller::new(terms, model);
        let mut solver = self.backend.solver(terms).ok()?;
        solver.assert(unroller.start()).ok()?;
        for length in 0..=LONGEST_RUN {
            loop {
                let open = suspects.iter_mut().filter(|s| s.reached.is_none());
                let open = open.map(|s| (unroller.at(s.states, length), s));
                let mut open: Vec<(Term, &mut Suspect)> = open.collect();
                let some = terms.or(open.iter().map(|o| o.0));
                let Answer::Sat(found) = solver.check(&[some], &budget).ok()? else {
                    break;
                };
                let holds = |t: Term| found.eval(terms, t) == Ok(Value::Bool(true));
                open.retain(|o| holds(o.0));
                // Otherwise a model that satisfies none of them would be found again and again.
                open.first()?;
                for (_, suspect) in open {
                    suspect.reached = Some(length);
                }
            }
            solver.assert(unroller.step(length)).ok()?;
        }
        Some(())
    }

    fn tell(&self, suspect: &Suspect) -> Oddity {
        let when = match suspect.reached {
            Some(0) => ": an initial state is like that".to_string(),
            Some(1) => ": one step leads there".to_string(),
            Some(steps) => format!(": {steps} steps lead there"),
            None => ", if a run ever gets there".to_string(),
        };
        let message = format!(
            "`{}` does not happen where it would take `{}` out of its range{when}",
            suspect.name,
            self.terms.name(suspect.variable)
        );
        Oddity {
            help: Some("a guard that says so shows that this is meant"),
            ..Oddity::new("blocked", Some(suspect.span), message)
        }
    }
}
