//! Inspection of a model for likely mistakes: no initial states, commands that never happen, steps
//! that vanish at the end of a range, vacuous properties. It asks a few quick queries, once per
//! model; a query that is not answered at once is not repeated.

mod beginning;
mod blocked;

use sectile_base::{Budget, Span, Turns};
use sectile_model::{Command, Ctl, Model, Module, Property, PropertyKind};
use sectile_solver::{Answer, Backend, Solver, Unsupported};
use sectile_terms::{NativePrinter, Node, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Counted work for each of the inspection's parts, on the clock of computations that take turns:
/// the same questions are answered on every machine.
const WORK: Duration = Duration::from_millis(40);

/// Why a claim after an impassable point is vacuous.
const UNREACHED: &str = "no run gets there";

/// A likely mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oddity {
    /// Its kind, in one word.
    pub code: &'static str,
    /// Its position.
    pub span: Option<Span>,
    /// Its description, in one sentence.
    pub message: String,
    /// Advice.
    pub help: Option<&'static str>,
}

impl Oddity {
    fn new(code: &'static str, span: Option<Span>, message: impl Into<String>) -> Oddity {
        Oddity {
            code,
            span,
            message: message.into(),
            help: None,
        }
    }
}

/// The inspection of a model.
pub struct Inspection<'t> {
    module: &'t Module,
    terms: &'t Terms,
    backend: &'t dyn Backend,
    /// Has the ranges and assumptions asserted.
    solver: Box<dyn Solver + 't>,
    budget: Budget,
    /// Whether there are no initial states.
    is_empty: bool,
    /// The edges of a program that no run gets past.
    cut: BTreeSet<usize>,
}

/// A budget of counted work.
fn counted() -> Budget {
    let turns = Turns::new(|| {});
    turns.grant(u64::MAX);
    Budget::paced(&turns).with_time(WORK)
}

impl<'t> Inspection<'t> {
    /// The inspection of a model; `terms` should be a copy of its store, because queries add terms.
    pub fn new(
        module: &'t Module,
        terms: &'t Terms,
        backend: &'t dyn Backend,
    ) -> Result<Inspection<'t>, Unsupported> {
        Ok(Inspection {
            module,
            terms,
            backend,
            solver: backend.solver(terms)?,
            budget: counted(),
            is_empty: false,
            cut: BTreeSet::new(),
        })
    }

    /// Likely mistakes in the model.
    pub fn model(&mut self) -> Vec<Oddity> {
        let model = &self.module.model;
        if self
            .solver
            .assert(model.restrict_formula(self.terms))
            .is_err()
        {
            return Vec::new();
        }
        let mut found: Vec<Oddity> = self.emptiness(model).into_iter().collect();
        match model.is_system() {
            _ if !found.is_empty() => {}
            true => found.extend(self.commands(model)),
            false if model.is_clauses() => {}
            false => found.extend(self.beginnings(model)),
        }
        found
    }

    /// Whether there are no states, or no initial ones.
    fn emptiness(&mut self, model: &Model) -> Option<Oddity> {
        let tt = self.terms.tt();
        let init = self.terms.and(model.init.iter().copied());
        let (code, message) = if self.is_false(tt) {
            let message = match self.assumptions_are_false(model) {
                true => "the assumptions contradict each other: there is no state",
                false => "the restrictions contradict each other: there is no state",
            };
            ("contradiction", message)
        } else if self.is_false(init) {
            let message = "there are no initial states: every claim about all runs holds vacuously";
            ("empty", message)
        } else {
            return None;
        };
        self.is_empty = true;
        Some(Oddity::new(code, None, message))
    }

    /// Whether the assumptions about constants contradict each other.
    fn assumptions_are_false(&self, model: &Model) -> bool {
        let is_rigid = |&t: &Term| {
            let all = self.terms.free_vars(t);
            all.iter()
                .all(|(s, _)| self.terms.symbol_kind(*s) == SymbolKind::Rigid)
        };
        let Ok(mut solver) = self.backend.solver(self.terms) else {
            return false;
        };
        let assumptions = model.restrict.iter().copied().filter(is_rigid);
        let assumptions = self.terms.and(assumptions);
        let answer = solver.check(&[assumptions], &self.budget);
        matches!(answer, Ok(Answer::Unsat(_)))
    }

    /// Whether a formula is false in all states within the ranges; false if the solver gives up.
    fn is_false(&mut self, formula: Term) -> bool {
        self.ask(formula) == Some(false)
    }

    /// Whether some state within the ranges satisfies a formula, if the solver answers quickly.
    fn ask(&mut self, formula: Term) -> Option<bool> {
        self.budget.check().ok()?;
        match self.solver.check(&[formula], &self.budget) {
            Ok(Answer::Sat(_)) => Some(true),
            Ok(Answer::Unsat(_)) => Some(false),
            Ok(Answer::Unknown(_)) | Err(_) => None,
        }
    }

    /// Likely mistakes in commands of the source, each of which may have many instances.
    fn commands(&mut self, model: &Model) -> Vec<Oddity> {
        let mut commands: BTreeMap<Span, Vec<&Command>> = BTreeMap::new();
        for command in model.commands() {
            commands.entry(command.span).or_default().push(command);
        }
        let mut found = Vec::new();
        let mut suspects = Vec::new();
        let ranges = self.ranges(model);
        for (span, instances) in commands {
            match instances[..] {
                [first, ..] if instances.iter().all(|c| self.never_happens(c)) => {
                    let message = format!(
                        "`{}` never happens: no state within the ranges allows the step",
                        first.name
                    );
                    found.push(Oddity::new("never", Some(span), message));
                }
                _ => {
                    let of = |c: &&Command| self.leaving(c, &ranges);
                    suspects.extend(instances.iter().flat_map(of));
                }
            }
        }
        self.budget = counted();
        found.extend(self.blocked(model, suspects));
        self.budget = counted();
        found.sort_by_key(|o| o.span);
        found
    }

    /// Whether the guard of a command is unsatisfiable. A command that parameters switch off does
    /// not count.
    fn never_happens(&mut self, command: &Command) -> bool {
        let terms = self.terms;
        let step = match command.relations.is_empty() {
            true => terms.and(command.guards.iter().copied()),
            false => self.module.model.step_formula(terms, command),
        };
        let switched = !self.module.parameters.is_empty();
        (step != terms.ff() || !switched) && self.is_false(step)
    }

    /// A likely mistake in a property that holds.
    pub fn holding(&mut self, property: &Property) -> Option<Oddity> {
        let why = match self.is_empty {
            true => "there are no initial states".to_string(),
            false => self.vacuous(&property.kind)?,
        };
        let message = format!("`{}` holds vacuously: {why}", property.name);
        Some(Oddity::new("vacuous", Some(property.span), message))
    }

    /// Why a property holds vacuously, whatever the commands do.
    fn vacuous(&mut self, kind: &PropertyKind) -> Option<String> {
        let terms = self.terms;
        match kind {
            PropertyKind::Invariant(formula) => self.vacuous_formula(*formula),
            PropertyKind::AtLocation(place, formula) => match self.is_cut_off(&[*place]) {
                true => Some(UNREACHED.to_string()),
                false => self.vacuous_formula(*formula),
            },
            PropertyKind::Error(error) => {
                let never = self.is_false(*error);
                never.then(|| self.never(*error))
            }
            PropertyKind::Unreachable(list) => {
                let cut_off = self.is_cut_off(list);
                cut_off.then(|| UNREACHED.to_string())
            }
            PropertyKind::Ctl(formula) => match (formula.as_invariant(terms), formula) {
                (Some(invariant), _) => self.vacuous_formula(invariant),
                (None, Ctl::Ag(inner)) => self.vacuous_ctl(inner),
                (None, _) => None,
            },
        }
    }

    /// Every part of the formula is an implication whose premise is never true.
    fn vacuous_formula(&mut self, formula: Term) -> Option<String> {
        let mut premise = None;
        for part in self.terms.conjuncts(formula) {
            let alternatives = match self.terms.node(part) {
                Node::Or(list) => list.to_vec(),
                _ => return None,
            };
            let negated = alternatives.into_iter().map(|a| self.terms.not(a));
            let negated: Vec<Term> = negated.collect();
            premise = negated.into_iter().find(|&a| self.is_false(a));
            premise?;
        }
        premise.map(|p| self.never(p))
    }

    /// The same for `AG (p => ...)`.
    fn vacuous_ctl(&mut self, inner: &Ctl) -> Option<String> {
        let Ctl::Or(a, b) = inner else {
            return None;
        };
        let sides = [a, b].into_iter().filter_map(|side| match &**side {
            Ctl::State(t) => Some(self.terms.not(*t)),
            Ctl::Not(negated) => match **negated {
                Ctl::State(t) => Some(t),
                _ => None,
            },
            _ => None,
        });
        let mut premises = sides.collect::<Vec<Term>>().into_iter();
        let premise = premises.find(|&p| self.is_false(p));
        premise.map(|p| self.never(p))
    }

    fn never(&self, formula: Term) -> String {
        let text = NativePrinter::new(self.terms).print(formula);
        format!("`{text}` is never true within the ranges")
    }
}
