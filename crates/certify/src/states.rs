//! Cells that are single states: their claims are proved by evaluation.
//!
//! Such a cell is a conjunction that gives every variable and every symbolic constant one value.
//! All its steps are found by trying every value that a command leaves open, which must be finitely
//! many. The functions here return whether something was proved. If not, for whatever reason, the
//! solver decides, and only the solver refuses.

use crate::plan::{Function, Move, Plan, Scope};
use crate::values::{Code, Values};
use rustc_hash::FxHashMap;
use sectile_model::{Choice, CtlProof, LocationId, Model};
use sectile_terms::{Node, Sort, Stage, Symbol, Term, Terms, Value};
use std::collections::BTreeSet;

/// Maximum number of values tried for the steps of one command from one state.
const MOST_STEPS: usize = 1 << 16;

/// Maximum number of values tried for the initial states.
const MOST_INITIAL_STATES: usize = 1 << 22;

/// The states of the single-state cells, and the model in a form for evaluation.
pub struct States<'s> {
    model: &'s Model,
    proof: &'s CtlProof,
    values: Values<'s>,
    /// The positions of variables and symbolic constants: a state is a list of their values.
    scope: Scope,
    /// The states of cells; none for cells that are not single states.
    rows: Vec<Option<Box<[Code]>>>,
    /// The plans of the commands that can be evaluated.
    plans: Vec<Option<Plan>>,
    restrict: Option<Vec<Function>>,
    /// Whether the states of cells satisfy `restrict`, memoised.
    allowed: FxHashMap<usize, bool>,
    formulas: FxHashMap<Term, Option<Function>>,
}

impl<'s> States<'s> {
    /// Reads the cells.
    pub fn new(terms: &'s Terms, model: &'s Model, proof: &'s CtlProof) -> States<'s> {
        let mut values = Values::new(terms);
        let scope = Scope::of_states(model);
        let mut reader = Reader {
            terms,
            scope: &scope,
            known: FxHashMap::default(),
        };
        let cells = proof.cells.iter();
        let rows: Vec<_> = cells.map(|c| reader.row(&mut values, c.formula)).collect();
        let mut states = States {
            model,
            proof,
            values,
            scope,
            plans: Vec::new(),
            restrict: None,
            allowed: FxHashMap::default(),
            formulas: FxHashMap::default(),
            rows,
        };
        if states.rows.iter().any(Option::is_some) {
            states.compile();
        }
        states
    }

    fn compile(&mut self) {
        let (model, values, scope) = (self.model, &mut self.values, &self.scope);
        let commands = model.commands();
        self.plans = commands
            .map(|c| Plan::of_command(values, model, scope, c))
            .collect();
        let restrict = model.restrict.iter();
        self.restrict = restrict
            .map(|&r| Function::new(values.terms, scope, r))
            .collect();
    }

    /// Whether a cell is a single state; then its formula is only about variables of the model.
    pub fn is_single(&self, cell: usize) -> bool {
        self.rows[cell].is_some()
    }

    /// Whether evaluation proves that a formula holds in a cell.
    pub fn holds(&mut self, cell: usize, formula: Term) -> bool {
        let Some(row) = &self.rows[cell] else {
            return false;
        };
        let (values, scope) = (&mut self.values, &self.scope);
        let function = self.formulas.entry(formula);
        let function = function.or_insert_with(|| Function::new(values.terms, scope, formula));
        let function = function.as_mut();
        function.is_some_and(|f| f.holds(values, row) == Some(true))
    }

    /// Whether evaluation proves that all initial states are in these cells.
    pub fn start_in(&mut self, cells: &[usize]) -> bool {
        let entry = self.model.entry;
        let there = cells.iter().filter(|c| self.is_at(**c, entry));
        let rows = there.filter_map(|&c| self.rows[c].as_deref());
        let rows: BTreeSet<&[Code]> = rows.collect();
        let plan = Plan::of_initial_states(&mut self.values, self.model, &self.scope);
        let Some(mut plan) = plan.filter(|_| !rows.is_empty()) else {
            return false;
        };
        let mut frame = vec![Code::default(); self.scope.width()];
        let mut known = |_: &mut Values<'_>, row: &[Code]| rows.contains(row).then_some(());
        let (values, mut left) = (&mut self.values, MOST_INITIAL_STATES);
        plan.each(values, 0, &mut frame, &mut left, &mut known)
            .is_some()
    }

    /// Whether a cell, possibly an image, is a single state at a location.
    fn is_at(&self, cell: usize, location: LocationId) -> bool {
        let cell = self.proof.cells.get(cell);
        cell.is_some_and(|c| c.location == location)
    }

    /// Whether evaluation proves that a command leads from a cell only into its listed successors.
    pub fn leads_inside(&mut self, cell: usize, command: usize) -> bool {
        self.all_steps(cell, command).is_some()
    }

    fn all_steps(&mut self, cell: usize, command: usize) -> Option<()> {
        let row = self.rows[cell].as_deref()?;
        let to = self.model.edges[command].to;
        let listed = self.proof.cells[cell].successors.iter();
        let targets = listed
            .filter(|s| s.command == command)
            .flat_map(|s| &s.cells);
        let targets = targets.filter(|c| self.is_at(**c, to));
        let targets = targets.filter_map(|&c| self.rows[c].as_deref());
        let targets: Vec<&[Code]> = targets.collect();
        let plan = self.plans[command].as_mut()?;
        let restrict = self.restrict.as_mut()?;
        let variables = self.model.variables.len();
        let mut inside = |values: &mut Values<'_>, frame: &[Code]| {
            let after = after(frame, row, variables);
            if targets.contains(&&after[..]) {
                return Some(());
            }
            // A step into a state that violates `restrict` does not exist.
            (!all_hold(values, restrict, &after)?).then_some(())
        };
        let mut frame = plan.frame(row);
        let mut left = MOST_STEPS;
        plan.each(&mut self.values, 0, &mut frame, &mut left, &mut inside)
    }

    /// Whether evaluation proves that a choice is a step from a cell into its target.
    pub fn is_possible(&mut self, cell: usize, choice: &Choice) -> bool {
        self.one_step(cell, choice).is_some()
    }

    fn one_step(&mut self, cell: usize, choice: &Choice) -> Option<()> {
        let edge = &self.model.edges[choice.command];
        let placed = self.is_at(cell, edge.from) && self.is_at(choice.target, edge.to);
        let terms = self.values.terms;
        let allowed = self.is_allowed(choice.target)?;
        let row = self.rows[cell].as_deref()?;
        let target = self.rows[choice.target].as_deref()?;
        let (values, scope) = (&mut self.values, &self.scope);
        let plan = self.plans[choice.command].as_mut()?;
        let mut frame = plan.frame(row);
        for level in 0..=plan.moves.len() {
            if !all_hold(values, &mut plan.conditions[level], &frame)? {
                return None;
            }
            match plan.moves.get_mut(level) {
                None => {}
                Some(Move::Assign(updates)) => values.assign(updates, &mut frame)?,
                Some(Move::Choose { symbol, slot, .. }) => {
                    let given = choice.values.iter().find(|(s, _)| s == symbol)?;
                    let value = Function::new(terms, scope, given.1)?.value(values, row)?;
                    let sort = values.value(value).sort();
                    (sort == terms.symbol_sort(*symbol)).then_some(())?;
                    frame[*slot] = value;
                }
            }
        }
        let reached = after(&frame, row, self.model.variables.len());
        (placed && !edge.loose && allowed && reached[..] == *target).then_some(())
    }

    /// Whether the state of a cell satisfies `restrict`.
    fn is_allowed(&mut self, cell: usize) -> Option<bool> {
        if let Some(&known) = self.allowed.get(&cell) {
            return Some(known);
        }
        let row = self.rows.get(cell)?.as_deref()?;
        let allowed = all_hold(&mut self.values, self.restrict.as_mut()?, row)?;
        self.allowed.insert(cell, allowed);
        Some(allowed)
    }
}

/// The state after a step: next values of the variables, and the same constants.
fn after(frame: &[Code], row: &[Code], variables: usize) -> Vec<Code> {
    let next = frame[row.len()..].iter().take(variables);
    next.chain(&row[variables..]).copied().collect()
}

/// Whether all formulas hold.
fn all_hold(values: &mut Values<'_>, list: &mut [Function], frame: &[Code]) -> Option<bool> {
    for function in list {
        if !function.holds(values, frame)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Reads states, with memoised equations, which occur in many of them.
struct Reader<'r> {
    terms: &'r Terms,
    scope: &'r Scope,
    known: FxHashMap<Term, Option<(usize, Code)>>,
}

impl Reader<'_> {
    /// The state of a formula that gives every variable and every constant one value.
    fn row(&mut self, values: &mut Values<'_>, formula: Term) -> Option<Box<[Code]>> {
        let mut row: Vec<Option<Code>> = vec![None; self.scope.width()];
        for part in self.terms.conjuncts(formula) {
            let (slot, value) = self.equation(values, part)?;
            if row[slot].replace(value).is_some() {
                return None;
            }
        }
        row.into_iter().collect()
    }

    fn equation(&mut self, values: &mut Values<'_>, part: Term) -> Option<(usize, Code)> {
        let (terms, scope) = (self.terms, self.scope);
        let read = || {
            let (symbol, value) = equation(terms, part)?;
            Some((scope.slot(symbol, Stage::Now)?, values.code(value)))
        };
        *self.known.entry(part).or_insert_with(read)
    }
}

/// The variable and its value, if a literal is such an equation.
pub(crate) fn equation(terms: &Terms, literal: Term) -> Option<(Symbol, Value)> {
    let variable = |t: Term| match *terms.node(t) {
        Node::Var(symbol, Stage::Now) => Some(symbol),
        _ => None,
    };
    match *terms.node(literal) {
        Node::Var(..) => Some((variable(literal)?, Value::Bool(true))),
        Node::Not(a) => Some((variable(a)?, Value::Bool(false))),
        Node::Eq(a, b) => Some((variable(a)?, Value::from_term(terms, b)?)),
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            let [(monomial, factor)] = linear.monomials() else {
                return None;
            };
            // Solves `factor * variable + constant = 0`.
            let number = -(linear.constant() / factor);
            let value = match terms.sort(*monomial) {
                Sort::Int if number.is_int() => Value::Int(number.numer()),
                Sort::Real => Value::Real(number),
                _ => return None,
            };
            Some((variable(*monomial)?, value))
        }
        _ => None,
    }
}
