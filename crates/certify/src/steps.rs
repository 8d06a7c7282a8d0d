//! Proves facts about steps between cells: where all of them lead, and which are possible.

use crate::Obligation;
use crate::checker::{Checked, Checker, Stop};
use crate::ctl_bounds;
use crate::states::States;
use sectile_model::{Cell, Choice, Command, CtlProof, Edge, LocationId, Model};
use sectile_terms::{Node, Stage, Substitution, Symbol, Term, Terms};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The steps of the cells of a proof.
///
/// Cells that are single states need no solver. For others, facts about discrete variables are
/// substituted before a query: most commands are impossible in most cells for such reasons alone.
pub struct Steps<'s> {
    terms: &'s Terms,
    variables: &'s [Symbol],
    restrict: &'s [Term],
    edges: &'s [Edge],
    proof: &'s CtlProof,
    /// The formulas of the images of cells, which are numbered after the cells.
    images: &'s [Term],
    /// For every command, values of discrete variables that its guard requires.
    required: Vec<Vec<(Term, Term)>>,
    known: RefCell<ctl_bounds::Known>,
    pub states: States<'s>,
    closed: BTreeSet<usize>,
    possible: BTreeSet<(usize, Vec<usize>)>,
}

/// Values of discrete variables that a guard requires directly.
fn required(terms: &Terms, command: &Command) -> Vec<(Term, Term)> {
    let parts = command.guards.iter().flat_map(|&g| terms.conjuncts(g));
    parts.filter_map(|part| choice(terms, part)).collect()
}

/// The variable and its value, if a formula equates a variable of enumeration type with a constant.
fn choice(terms: &Terms, part: Term) -> Option<(Term, Term)> {
    match *terms.node(part) {
        Node::Eq(a, b)
            if matches!(terms.node(a), Node::Var(..))
                && matches!(terms.node(b), Node::Variant(..)) =>
        {
            Some((a, b))
        }
        _ => None,
    }
}

impl<'s> Steps<'s> {
    /// No facts are proved yet.
    pub fn new(
        terms: &'s Terms,
        model: &'s Model,
        proof: &'s CtlProof,
        images: &'s [Term],
        states: States<'s>,
    ) -> Steps<'s> {
        Steps {
            terms,
            variables: &model.variables,
            restrict: &model.restrict,
            required: model.commands().map(|c| required(terms, c)).collect(),
            edges: &model.edges,
            proof,
            images,
            known: RefCell::default(),
            states,
            closed: BTreeSet::new(),
            possible: BTreeSet::new(),
        }
    }

    /// The location and the formula of a cell, or of an image.
    pub fn target(&self, cell: usize) -> (LocationId, Term) {
        match self.proof.cells.get(cell) {
            Some(cell) => (cell.location, cell.formula),
            None => (LocationId(0), self.images[cell - self.proof.cells.len()]),
        }
    }

    /// The values of variables that the conjuncts of a cell fix directly.
    fn fixed(&self, cell: usize) -> Substitution {
        let terms = self.terms;
        let mut values = Substitution::default();
        for part in terms.conjuncts(self.proof.cells[cell].formula) {
            match *terms.node(part) {
                Node::Var(..) => values.insert(part, terms.tt()),
                Node::Not(a) if matches!(terms.node(a), Node::Var(..)) => {
                    values.insert(a, terms.ff())
                }
                _ => choice(terms, part).and_then(|(a, b)| values.insert(a, b)),
            };
        }
        values
    }

    /// Proves that premises imply a conclusion, by bounds or else by the solver.
    fn show(
        &self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        premises: &[Term],
        conclusion: Term,
    ) -> Checked {
        let known = &mut self.known.borrow_mut();
        match ctl_bounds::implies(self.terms, known, premises, conclusion) {
            true => checker.shown += 1,
            false => checker.implies(obligation, premises, conclusion)?,
        }
        Ok(())
    }

    fn restriction(&self) -> Term {
        self.terms.and(self.restrict.iter().copied())
    }

    /// Proves that a formula holds in a cell.
    pub fn implies(
        &mut self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        cell: usize,
        formula: Term,
    ) -> Checked {
        if self.states.holds(cell, formula) {
            checker.shown += 1;
            return Ok(());
        }
        let formula = self.terms.substitute(formula, &self.fixed(cell));
        let restrict = self.restriction();
        let premises = [self.proof.cells[cell].formula, restrict];
        self.show(checker, obligation, &premises, formula)
    }

    /// Proves that the commands lead from a cell only to its listed successors.
    pub fn closed(&mut self, checker: &mut Checker<'_>, cell: usize) -> Checked {
        if !self.closed.insert(cell) {
            return Ok(());
        }
        let location = self.proof.cells[cell].location;
        let leaving = (0..self.edges.len()).filter(|&e| self.edges[e].from == location);
        let mut open: Vec<usize> = leaving.collect();
        let all = open.len();
        open.retain(|&e| !self.states.leads_inside(cell, e));
        checker.shown += all - open.len();
        if open.is_empty() {
            return Ok(());
        }
        let fixed = self.fixed(cell);
        for index in open {
            // Most commands are impossible because of a single discrete variable.
            let differs = |(variable, value): &(Term, Term)| {
                let here = fixed.get(variable);
                here.is_some_and(|v| v != value && matches!(self.terms.node(*v), Node::Variant(..)))
            };
            if self.required[index].iter().any(differs) {
                continue;
            }
            self.closed_under(checker, cell, &fixed, index)?;
        }
        Ok(())
    }

    fn closed_under(
        &self,
        checker: &mut Checker<'_>,
        cell: usize,
        fixed: &Substitution,
        index: usize,
    ) -> Checked {
        let terms = self.terms;
        let Edge { command, to, .. } = &self.edges[index];
        let moved = self.moved(command, fixed);
        let after = |t: Term| terms.substitute(t, &moved);
        let Some(premises) = self.step_premises(cell, command, fixed, &moved) else {
            return Ok(());
        };
        let listed = self.proof.cells[cell].successors.iter();
        let targets = listed.filter(|s| s.command == index).flat_map(|s| &s.cells);
        let targets = targets.map(|&c| self.target(c));
        let reached = targets.filter(|(location, _)| location == to);
        let inside = reached.map(|(_, formula)| after(formula));
        let obligation = Obligation::CellStep {
            cell,
            command: command.name.clone(),
        };
        self.show(checker, obligation, &premises, terms.or(inside))
    }

    /// The premises about a step of a command from a cell; nothing if a guard is false directly.
    fn step_premises(
        &self,
        cell: usize,
        command: &Command,
        fixed: &Substitution,
        moved: &Substitution,
    ) -> Option<Vec<Term>> {
        let terms = self.terms;
        let guards = command.guards.iter();
        let guards: Vec<Term> = guards.map(|&g| terms.substitute(g, fixed)).collect();
        if guards.contains(&terms.ff()) {
            return None;
        }
        let restrict = self.restrict.iter();
        let mut premises = vec![self.proof.cells[cell].formula];
        premises.extend(restrict.clone().copied());
        premises.extend(guards);
        premises.extend(self.related(command, fixed));
        premises.extend(restrict.map(|&r| terms.substitute(r, moved)));
        premises.retain(|&p| p != terms.tt());
        Some(premises)
    }

    /// Proves a formula about the states before and after all steps of a command from a cell into
    /// another one.
    pub fn always(
        &self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        (cell, index, target): (usize, usize, usize),
        formula: Term,
    ) -> Checked {
        let terms = self.terms;
        let Edge { command, to, .. } = &self.edges[index];
        let (location, inside) = self.target(target);
        if location != *to {
            return Ok(());
        }
        let fixed = self.fixed(cell);
        let moved = self.moved(command, &fixed);
        let Some(mut premises) = self.step_premises(cell, command, &fixed, &moved) else {
            return Ok(());
        };
        premises.push(terms.substitute(inside, &moved));
        let next = self.variables.iter();
        let next = next.map(|&v| (terms.next(v), moved[&terms.var(v)]));
        let formula = terms.substitute(formula, &next.collect());
        self.show(checker, obligation, &premises, formula)
    }

    /// For every variable, its value after a command, or its next value if it is not assigned.
    ///
    /// As a substitution, this turns a formula about the state after the step into one about the
    /// state before it.
    fn moved(&self, command: &Command, fixed: &Substitution) -> Substitution {
        let terms = self.terms;
        let mut moved = fixed.clone();
        for &variable in self.variables {
            moved.insert(terms.var(variable), terms.next(variable));
        }
        for update in &command.updates {
            // Most variables are kept, or get a constant.
            let value = match terms.node(update.value) {
                Node::Var(..) => fixed.get(&update.value).copied().unwrap_or(update.value),
                Node::Variant(..) | Node::Number(_) | Node::Bool(_) => update.value,
                _ => terms.substitute(update.value, fixed),
            };
            moved.insert(terms.var(update.symbol), value);
        }
        moved
    }

    /// The conditions of a command on the states before and after it, apart from assignments.
    fn related(&self, command: &Command, fixed: &Substitution) -> Vec<Term> {
        let terms = self.terms;
        let mut next = Substitution::default();
        if !command.relations.is_empty() {
            let updates = command.updates.iter();
            next.extend(updates.map(|u| (terms.next(u.symbol), u.value)));
        }
        let after = |&r: &Term| terms.substitute(terms.substitute(r, &next), fixed);
        command.relations.iter().map(after).collect()
    }

    /// Proves that in every state of a cell one of these choices is possible.
    pub fn possible(
        &mut self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        cell: usize,
        choices: &[usize],
    ) -> Checked {
        if !self.possible.insert((cell, choices.to_vec())) {
            return Ok(());
        }
        let here = &self.proof.cells[cell];
        let mut chosen = choices.iter().map(|&k| &here.choices[k]);
        if chosen.any(|choice| self.states.is_possible(cell, choice)) {
            checker.shown += 1;
            return Ok(());
        }
        let nothing = vec![None; choices.len()];
        self.possible_and(checker, obligation, cell, choices, &nothing)
    }

    /// Proves that in every state of a cell one of these choices is possible and satisfies the
    /// formula about the states before and after it, if there is one.
    pub fn possible_and(
        &self,
        checker: &mut Checker<'_>,
        obligation: Obligation,
        cell: usize,
        choices: &[usize],
        also: &[Option<Term>],
    ) -> Checked {
        let here = &self.proof.cells[cell];
        let fixed = self.fixed(cell);
        let mut cases = Vec::new();
        for (&choice, &also) in choices.iter().zip(also) {
            let condition = self.condition(here, &here.choices[choice], also);
            let condition = condition.map_err(|why| Stop::refused(obligation.clone(), why))?;
            cases.push(self.terms.substitute(condition, &fixed));
        }
        let premises = [here.formula, self.restriction()];
        self.show(checker, obligation, &premises, self.terms.or(cases))
    }

    /// The condition under which a choice is a step into its target and satisfies a formula about
    /// the step.
    fn condition(&self, here: &Cell, choice: &Choice, also: Option<Term>) -> Result<Term, String> {
        let terms = self.terms;
        let edge = &self.edges[choice.command];
        let command = &edge.command;
        let (location, target) = self.target(choice.target);
        if edge.from != here.location || edge.to != location {
            let name = &command.name;
            return Err(format!("`{name}` does not lead from this cell to that one"));
        }
        if edge.loose {
            let name = &command.name;
            return Err(format!("`{name}` allows more than the source does"));
        }
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
        for &variable in self.variables {
            let value = match command.update_of(variable) {
                Some(value) => terms.substitute(value, &inputs),
                None => given(variable)?,
            };
            next.insert(terms.next(variable), value);
        }
        let target = terms.prime(target);
        let restrict = self.restrict.iter().map(|&r| terms.prime(r));
        let guards = command.guards.iter().chain(&command.relations).copied();
        let conditions = guards.map(|g| terms.substitute(g, &inputs));
        let after = conditions.chain(restrict).chain([target]).chain(also);
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
