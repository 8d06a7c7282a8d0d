//! What a file probably does not mean: no initial states, commands that never happen, steps that
//! vanish at the end of a range, properties that say nothing. A few quick questions to the solver,
//! once a file; what is not answered at once is not asked again.

use crate::load::Loaded;
use sectile_base::{Budget, Diagnostic, Span};
use sectile_model::{Command, Ctl, Expectation, Expected, Model, Property, PropertyKind};
use sectile_report::{Status, Warning};
use sectile_solver::{Answer, Solver as _};
use sectile_solver_native::NativeSolver;
use sectile_terms::{NativePrinter, Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;
use std::time::Duration;

/// Time for all questions about one file. Programs that were built for debugging are slower.
const TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 100 });

/// Asks about a file.
pub(crate) struct Inspection<'t> {
    loaded: &'t Loaded,
    terms: &'t Terms,
    /// Knows the ranges and assumptions.
    solver: NativeSolver<'t>,
    budget: Budget,
    /// Whether there are no initial states.
    is_empty: bool,
}

impl<'t> Inspection<'t> {
    /// An inspection of a file; `terms` is a copy of its store.
    pub fn new(loaded: &'t Loaded, terms: &'t Terms) -> Inspection<'t> {
        Inspection {
            loaded,
            terms,
            solver: NativeSolver::new(terms),
            budget: Budget::unlimited().with_time(TIME),
            is_empty: false,
        }
    }

    /// Warnings about the model. Horn clauses are no model of anything that starts.
    pub fn model(&mut self) -> Vec<Warning> {
        let model = &self.loaded.reading.module.model;
        let restrict = model.restrict_formula(self.terms);
        if self.loaded.frontend.asks_for_satisfiability() || self.solver.assert(restrict).is_err() {
            return Vec::new();
        }
        let mut found = self.emptiness(model);
        if found.is_empty() && model.is_system() {
            let mut commands: BTreeMap<Span, Vec<&Command>> = BTreeMap::new();
            for command in model.commands() {
                commands.entry(command.span).or_default().push(command);
            }
            let ranges = self.ranges(model);
            for (span, instances) in commands {
                let found_here = self.command(span, &instances, &ranges);
                found.extend(found_here.map(|d| Warning::at(&d, &self.loaded.source)));
            }
        }
        found
    }

    /// Whether there are no states, or none to begin with.
    fn emptiness(&mut self, model: &Model) -> Vec<Warning> {
        let tt = self.terms.tt();
        let init = self.terms.and(model.init.iter().copied());
        if self.is_false(tt) {
            self.is_empty = true;
            let message = match self.assumptions_are_false(model) {
                true => "the assumptions contradict each other: there is no state",
                false => "the restrictions contradict each other: there is no state",
            };
            return vec![Warning::new("contradiction", message)];
        }
        if self.is_false(init) {
            self.is_empty = true;
            let message = "there are no initial states: whatever is claimed of all runs holds";
            return vec![Warning::new("empty", message)];
        }
        Vec::new()
    }

    /// Whether what is said of constants alone is a contradiction.
    fn assumptions_are_false(&self, model: &Model) -> bool {
        let is_rigid = |&t: &Term| {
            let all = self.terms.free_vars(t);
            all.iter()
                .all(|(s, _)| self.terms.symbol_kind(*s) == SymbolKind::Rigid)
        };
        let mut solver = NativeSolver::new(self.terms);
        let assumptions = model.restrict.iter().copied().filter(is_rigid);
        let assumptions = self.terms.and(assumptions);
        let answer = solver.check(&[assumptions], &self.budget);
        matches!(answer, Ok(Answer::Unsat(_)))
    }

    /// Whether a formula is true in no state within the ranges. False if that is not clear at once.
    fn is_false(&mut self, formula: Term) -> bool {
        let answer = self.ask(formula);
        answer == Some(false)
    }

    /// Whether some state within the ranges satisfies a formula, if that is clear at once.
    fn ask(&mut self, formula: Term) -> Option<bool> {
        self.budget.check().ok()?;
        match self.solver.check(&[formula], &self.budget) {
            Ok(Answer::Sat(_)) => Some(true),
            Ok(Answer::Unsat(_)) => Some(false),
            Ok(Answer::Unknown(_)) | Err(_) => None,
        }
    }

    /// The conditions that give a single number a range.
    fn ranges(&self, model: &Model) -> Vec<(Symbol, Term)> {
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

    /// What is odd about a command of the source, which may have many instances.
    fn command(
        &mut self,
        span: Span,
        instances: &[&Command],
        ranges: &[(Symbol, Term)],
    ) -> Option<Diagnostic> {
        if instances.iter().all(|c| self.never_happens(c)) {
            let name = &instances.first()?.name;
            let message =
                format!("`{name}` never happens: no state within the ranges allows the step");
            return Some(Diagnostic::warning("never", span, message));
        }
        instances.iter().find_map(|c| {
            let variable = self.blocked_by(c, ranges)?;
            let message = format!(
                "`{}` does not happen where it would take `{}` out of its range",
                c.name,
                self.terms.name(variable)
            );
            let help = "a guard that says so shows that this is meant";
            Some(Diagnostic::warning("blocked", span, message).help(help))
        })
    }

    /// Whether the guard of a command cannot be true. What parameters switch off is meant so.
    fn never_happens(&mut self, command: &Command) -> bool {
        let terms = self.terms;
        let step = match command.relations.is_empty() {
            true => terms.and(command.guards.iter().copied()),
            false => {
                let model = &self.loaded.reading.module.model;
                model.step_formula(terms, command)
            }
        };
        let switched = !self.loaded.reading.module.parameters.is_empty();
        (step != terms.ff() || !switched) && self.is_false(step)
    }

    /// A variable whose range the command would leave although its guard holds.
    fn blocked_by(&mut self, command: &Command, ranges: &[(Symbol, Term)]) -> Option<Symbol> {
        let terms = self.terms;
        let guard = terms.and(command.guards.iter().copied());
        let mut leaves = Vec::new();
        for &(symbol, range) in ranges {
            let value = command.update_of(symbol);
            let Some(value) = value.filter(|&v| v != terms.var(symbol)) else {
                continue;
            };
            // A choice that leaves the range is no choice, but there may be others.
            let used = terms.free_vars(value);
            if used.iter().all(|v| !command.inputs.contains(&v.0)) {
                let new = Substitution::from_iter([(terms.var(symbol), value)]);
                let outside = terms.not(terms.substitute(range, &new));
                leaves.push((symbol, terms.and([guard, outside])));
            }
        }
        let some = terms.or(leaves.iter().map(|l| l.1));
        if self.ask(some) != Some(true) {
            return None;
        }
        let mut each = leaves.into_iter();
        each.find_map(|(symbol, outside)| (self.ask(outside) == Some(true)).then_some(symbol))
    }

    /// Warnings about a property with this verdict.
    pub fn property(&mut self, property: &Property, status: Status) -> Vec<Warning> {
        let mut found = Vec::new();
        if status == Status::Holds {
            let why = match self.is_empty {
                true => Some("there are no initial states".to_string()),
                false => self.vacuous(&property.kind),
            };
            let name = &property.name;
            found.extend(why.map(|why| {
                let message = format!("`{name}` holds without saying anything: {why}");
                let diagnostic = Diagnostic::warning("vacuous", property.span, message);
                Warning::at(&diagnostic, &self.loaded.source)
            }));
        }
        let contradicted = expectation(self.loaded, property).filter(|e| match e.expected {
            Expected::Holds => status == Status::Violated,
            Expected::Violated(_) => status == Status::Holds,
        });
        found.extend(contradicted.map(|e| {
            let expected = match e.expected {
                Expected::Holds => Status::Holds,
                Expected::Violated(_) => Status::Violated,
            };
            let message = format!(
                "the file expects `{}` to be: {}; the verdict is: {}",
                property.name,
                expected.word(),
                status.word()
            );
            Warning::new("expectation", message)
        }));
        found
    }

    /// Why a property holds whatever the commands do, if it is about something that never is.
    fn vacuous(&mut self, kind: &PropertyKind) -> Option<String> {
        let terms = self.terms;
        match kind {
            PropertyKind::Invariant(formula) | PropertyKind::AtLocation(_, formula) => {
                self.vacuous_formula(*formula)
            }
            PropertyKind::Error(error) => {
                let never = self.is_false(*error);
                never.then(|| self.never(*error))
            }
            PropertyKind::Unreachable(_) => None,
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

/// What a header expects of a property with the parameters in use. Where a parameter was given that
/// the header does not name, it may be about another value.
fn expectation<'l>(loaded: &'l Loaded, property: &Property) -> Option<&'l Expectation> {
    let module = &loaded.reading.module;
    let used = |name: &str| module.parameters.iter().find(|(n, _)| n == name);
    let fits = |e: &&Expectation| {
        let named = |name: &str| e.parameters.iter().any(|(n, _)| n == name);
        let given = loaded.parameters.iter();
        e.property == property.name
            && given.clone().all(|(name, _)| named(name))
            && e.parameters
                .iter()
                .all(|(name, value)| used(name).is_some_and(|(_, v)| v == value))
    };
    module.expectations.iter().find(fits)
}
