//! Steps between cells: where all of them lead, and which are possible.

use crate::Obligation;
use crate::Refusal;
use crate::ctl_bounds;
use crate::invariant::{Checked, Checker, Stop};
use sectile_model::{Choice, Command, CtlProof, TransitionSystem};
use sectile_terms::{Node, Stage, Substitution, Term, Terms};
use std::collections::BTreeSet;

/// What is known about the steps of the cells of a proof.
///
/// Facts about discrete variables are put into formulas before a solver is asked: most commands
/// are impossible in most cells for such reasons alone.
pub struct Steps<'s> {
    terms: &'s Terms,
    system: &'s TransitionSystem,
    proof: &'s CtlProof,
    /// For every command, values of discrete variables that its guard requires.
    required: Vec<Vec<(Term, Term)>>,
    closed: BTreeSet<usize>,
    possible: BTreeSet<(usize, Vec<usize>)>,
}

/// Values of discrete variables that a guard requires outright.
fn required(terms: &Terms, command: &Command) -> Vec<(Term, Term)> {
    let parts = command.guards.iter().flat_map(|&g| terms.conjuncts(g));
    let equation = |part: Term| match *terms.node(part) {
        Node::Eq(a, b)
            if matches!(terms.node(a), Node::Var(..))
                && matches!(terms.node(b), Node::Variant(..)) =>
        {
            Some((a, b))
        }
        _ => None,
    };
    parts.filter_map(equation).collect()
}

impl<'s> Steps<'s> {
    /// Nothing is shown yet.
    pub fn new(terms: &'s Terms, system: &'s TransitionSystem, proof: &'s CtlProof) -> Steps<'s> {
        Steps {
            terms,
            system,
            proof,
            required: system.commands.iter().map(|c| required(terms, c)).collect(),
            closed: BTreeSet::new(),
            possible: BTreeSet::new(),
        }
    }

    /// The values of variables that the conjuncts of a cell fix outright.
    fn fixed(&self, cell: usize) -> Substitution {
        let terms = self.terms;
        let mut values = Substitution::default();
        for part in terms.conjuncts(self.proof.cells[cell].formula) {
            match *terms.node(part) {
                Node::Var(..) => values.insert(part, terms.tt()),
                Node::Not(a) if matches!(terms.node(a), Node::Var(..)) => {
                    values.insert(a, terms.ff())
                }
                Node::Eq(a, b)
                    if matches!(terms.node(a), Node::Var(..))
                        && matches!(terms.node(b), Node::Variant(..)) =>
                {
                    values.insert(a, b)
                }
                _ => None,
            };
        }
        values
    }

    /// Shows that premises imply a conclusion; the solver is asked where bounds do not tell.
    fn show(
        &self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        premises: &[Term],
        conclusion: Term,
    ) -> Checked {
        match ctl_bounds::implies(self.terms, premises, conclusion) {
            true => checker.shown(),
            false => checker.implies(obligation, premises, conclusion),
        }
    }

    /// Shows that a formula holds in a cell.
    pub fn implies(
        &self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        cell: usize,
        formula: Term,
    ) -> Checked {
        let formula = self.terms.substitute(formula, &self.fixed(cell));
        let restrict = self.system.restrict_formula(self.terms);
        let premises = [self.proof.cells[cell].formula, restrict];
        self.show(checker, obligation, &premises, formula)
    }

    /// Shows that the commands lead from a cell where it says, and nowhere else.
    pub fn closed(&mut self, checker: &mut Checker<'_>, cell: usize) -> Checked {
        if !self.closed.insert(cell) {
            return Ok(Ok(()));
        }
        let fixed = self.fixed(cell);
        for (index, command) in self.system.commands.iter().enumerate() {
            // Most commands are impossible because of a single discrete variable.
            let differs = |(variable, value): &(Term, Term)| {
                let here = fixed.get(variable);
                here.is_some_and(|v| v != value && matches!(self.terms.node(*v), Node::Variant(..)))
            };
            if self.required[index].iter().any(differs) {
                continue;
            }
            if let Err(stop) = self.closed_under(checker, cell, &fixed, index, command)? {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(()))
    }

    fn closed_under(
        &self,
        checker: &mut Checker<'_>,
        cell: usize,
        fixed: &Substitution,
        index: usize,
        command: &Command,
    ) -> Checked {
        let terms = self.terms;
        let guards: Vec<Term> = command
            .guards
            .iter()
            .map(|&g| terms.substitute(g, fixed))
            .collect();
        if guards.contains(&terms.ff()) {
            return Ok(Ok(()));
        }
        let mut next = Substitution::default();
        for update in &command.updates {
            let value = terms.substitute(update.value, fixed);
            next.insert(terms.next(update.symbol), value);
        }
        let after = |t: Term| terms.substitute(terms.substitute(t, &next), fixed);
        let restrict = self.system.restrict.iter();
        let mut premises = vec![self.proof.cells[cell].formula];
        premises.extend(restrict.clone().copied());
        premises.extend(guards);
        premises.extend(command.relations.iter().map(|&r| after(r)));
        premises.extend(restrict.map(|&r| after(terms.prime(r))));
        premises.retain(|&p| p != terms.tt());
        let listed = self.proof.cells[cell].successors.iter();
        let targets = listed.filter(|s| s.command == index).flat_map(|s| &s.cells);
        let inside = targets.map(|&c| after(terms.prime(self.proof.cells[c].formula)));
        let obligation = Obligation::CellStep {
            cell,
            command: command.name.clone(),
        };
        self.show(checker, obligation, &premises, terms.or(inside))
    }

    /// Shows that in every state of a cell one of these choices is possible.
    pub fn possible(
        &mut self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        cell: usize,
        choices: &[usize],
    ) -> Checked {
        if !self.possible.insert((cell, choices.to_vec())) {
            return Ok(Ok(()));
        }
        let fixed = self.fixed(cell);
        let mut cases = Vec::new();
        for &choice in choices {
            match self.condition(&self.proof.cells[cell].choices[choice]) {
                Ok(condition) => cases.push(self.terms.substitute(condition, &fixed)),
                Err(because) => {
                    return Ok(Err(Stop::Refused(Refusal {
                        obligation,
                        because,
                    })));
                }
            }
        }
        let restrict = self.system.restrict_formula(self.terms);
        let premises = [self.proof.cells[cell].formula, restrict];
        self.show(checker, obligation, &premises, self.terms.or(cases))
    }

    /// When a choice is a step into its target.
    fn condition(&self, choice: &Choice) -> Result<Term, String> {
        let terms = self.terms;
        let command = &self.system.commands[choice.command];
        let given = |symbol| {
            let found = choice.values.iter().find(|(s, _)| *s == symbol);
            found.map(|(_, t)| *t).ok_or_else(|| {
                let name = terms.name(symbol);
                format!("no value is chosen for `{name}` in `{}`", command.name)
            })
        };
        let sorted = |(symbol, value): &(_, Term)| terms.symbol_sort(*symbol) == terms.sort(*value);
        if !choice.values.iter().all(sorted) {
            return Err(format!(
                "a value chosen in `{}` has the wrong type",
                command.name
            ));
        }
        let mut inputs = Substitution::default();
        for &input in &command.inputs {
            inputs.insert(terms.var(input), given(input)?);
        }
        let mut next = Substitution::default();
        for &variable in &self.system.variables {
            let value = match command.update_of(variable) {
                Some(value) => terms.substitute(value, &inputs),
                None => given(variable)?,
            };
            next.insert(terms.next(variable), value);
        }
        let target = terms.prime(self.proof.cells[choice.target].formula);
        let restrict = self.system.restrict.iter().map(|&r| terms.prime(r));
        let guards = command.guards.iter().chain(&command.relations).copied();
        let conditions = guards.map(|g| terms.substitute(g, &inputs));
        let after = conditions.chain(restrict).chain([target]);
        let all: Vec<Term> = after.map(|t| terms.substitute(t, &next)).collect();
        let free = terms.free_vars_of(&all);
        match free.iter().all(|(_, stage)| *stage == Stage::Now) {
            true => Ok(terms.and(all)),
            false => Err(format!(
                "`{}` is not determined by what is chosen",
                command.name
            )),
        }
    }
}
