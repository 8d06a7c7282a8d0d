//! Elaborates the actions of guarded commands.

use super::assignments::{Assignment, Assignments, Merged};
use super::ast::{Action, Choose, ForAll, all_actions};
use super::compose::Part;
use super::symbols::outside;
use crate::elaborate::{Bounds, Choice, Elaborated, Elaborator, MOST_BINDERS, free_name};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Binder, Expr, ExprKind, Name};
use sectile_base::{Diagnostics, Span};
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// The types of the values chosen by `any v : type`, by the position of the name.
pub(super) type ChosenTypes = BTreeMap<Span, (Sort, Bounds)>;

/// A command under construction, for one choice of its indices.
pub(super) struct Drafting<'p, 'e> {
    pub terms: &'e Terms,
    pub elaborator: Elaborator<'e>,
    /// `P[1].` inside of a process, otherwise empty.
    pub prefix: &'p str,
    pub part: Part,
    pub warnings: Diagnostics,
    assignments: Assignments,
    /// The conditions of the branches around the current action.
    path: Vec<Term>,
}

impl<'p, 'e> Drafting<'p, 'e> {
    /// A command without effect.
    pub fn new(
        terms: &'e Terms,
        elaborator: Elaborator<'e>,
        prefix: &'p str,
        part: Part,
    ) -> Drafting<'p, 'e> {
        Drafting {
            terms,
            elaborator,
            prefix,
            part,
            warnings: Diagnostics::new(),
            assignments: Assignments::default(),
            path: Vec::new(),
        }
    }

    /// Elaborates guard and actions. Returns whether the command can happen, as far as this had to
    /// be determined.
    pub fn guarded(
        &mut self,
        guard: &Expr,
        actions: &[Action],
        types: &ChosenTypes,
    ) -> Elaborated<bool> {
        let terms = self.terms;
        let guard = self.elaborator.formula(guard);
        if let Ok(guard) = guard {
            self.part.guards.extend(terms.conjuncts(guard));
        }
        let done = self.block(actions, types);
        self.warn_unused(actions);
        guard?;
        done?;
        let assignments = std::mem::take(&mut self.assignments);
        match assignments.merge(terms, &self.part.guards) {
            Ok(Merged::Updates(updates)) => self.part.assigned = updates,
            Ok(Merged::Never) => return Ok(false),
            Err(mistakes) => {
                for mistake in mistakes.iter() {
                    self.elaborator.report(mistake.clone());
                }
                return Err(Reported);
            }
        }
        Ok(true)
    }

    /// A list of actions. Values that one of them chooses are visible in all of them, whatever the
    /// order.
    fn block(&mut self, actions: &[Action], types: &ChosenTypes) -> Elaborated<()> {
        let outer = self.elaborator.bound();
        let mut failed = false;
        let mut chosen: Vec<Option<(Vec<Choice>, Symbol)>> = Vec::new();
        for action in actions {
            let choice = match action {
                Action::Any(target, choose) => self.choose_for(target, choose).map(Some),
                Action::Choose(choose, _) => {
                    let (sort, bounds) = &types[&choose.name.span];
                    let symbol = self.choose(&choose.name, *sort, bounds.clone());
                    symbol.map(|symbol| {
                        self.keep_bounds(symbol, bounds);
                        None
                    })
                }
                _ => Ok(None),
            };
            failed |= choice.is_err();
            chosen.push(choice.unwrap_or(None));
        }
        for (action, choice) in actions.iter().zip(chosen) {
            failed |= self.action(action, choice, types).is_err();
        }
        self.elaborator.forget(outer);
        if failed { Err(Reported) } else { Ok(()) }
    }

    fn action(
        &mut self,
        action: &Action,
        chosen: Option<(Vec<Choice>, Symbol)>,
        types: &ChosenTypes,
    ) -> Elaborated<()> {
        match action {
            Action::Skip => Ok(()),
            Action::Assign(target, value) => self.assign_whole(target, value),
            Action::Send(channel, message) => self.send(channel, message),
            Action::Receive(channel, target) => self.receive(channel, target.as_ref()),
            Action::Havoc(target) => {
                let parts = match self.elaborator.fields(target) {
                    Some(_) => self.elaborator.variables(target),
                    None => vec![target.clone()],
                };
                for target in &parts {
                    let choices = self.elaborator.target(target)?;
                    let input = self.havoc_input(&choices, target)?;
                    self.assign(&choices, self.terms.var(input), target);
                }
                Ok(())
            }
            Action::Any(target, choose) => {
                let condition = self.condition(choose);
                if let Some((choices, input)) = chosen {
                    self.assign(&choices, self.terms.var(input), target);
                }
                condition
            }
            Action::Choose(choose, _) => self.condition(choose),
            Action::ForAll(all) => {
                if all.binders.len() > MOST_BINDERS {
                    let message = format!("more than {MOST_BINDERS} indices at a time");
                    let help = "split the `forall`";
                    return Err(self.elaborator.error("size", all.span, message, help));
                }
                self.for_all(&all.binders, all, types)
            }
            Action::If(branches, otherwise) => self.conditional(branches, otherwise, types),
        }
    }

    /// Elaborates `target := value`, where both may be records.
    pub fn assign_whole(&mut self, target: &Expr, value: &Expr) -> Elaborated<()> {
        let Some(fields) = self.elaborator.fields(target) else {
            return self.assign_value(target, value);
        };
        self.elaborator.check_record(value, &fields)?;
        for field in &fields {
            let part = self.elaborator.part(target, field)?;
            let value = self.elaborator.part(value, field)?;
            self.assign_value(&part, &value)?;
        }
        Ok(())
    }

    /// Elaborates `target := value` for a single variable.
    pub fn assign_value(&mut self, target: &Expr, value: &Expr) -> Elaborated<()> {
        let choices = self.elaborator.target(target)?;
        let Some(first) = choices.first() else {
            return Err(Reported);
        };
        let sort = self.terms.symbol_sort(first.symbol);
        let term = self.elaborator.expect(value, sort)?;
        self.warn_outside(&choices, term, value.span);
        self.assign(&choices, term, target);
        Ok(())
    }

    /// The same under a condition.
    pub fn assign_under(&mut self, condition: Term, target: &Expr, value: &Expr) -> Elaborated<()> {
        self.path.push(condition);
        let result = self.assign_value(target, value);
        self.path.pop();
        result
    }

    /// The actions for every choice of the remaining indices.
    fn for_all(&mut self, binders: &[Binder], all: &ForAll, types: &ChosenTypes) -> Elaborated<()> {
        let Some((binder, rest)) = binders.split_first() else {
            return match &all.condition {
                Some(condition) => self.under(condition, &all.actions, types).map(|_| ()),
                None => self.block(&all.actions, types),
            };
        };
        let range = self.elaborator.index_range(&binder.low, &binder.high)?;
        self.elaborator.charge(range.count(), all.span)?;
        for value in range.low..=range.high {
            let outer = self.elaborator.bound();
            self.elaborator.bind_index(&binder.name.text, value);
            let result = self.for_all(rest, all, types);
            self.elaborator.forget(outer);
            // The instances differ only in numbers: reporting the first error suffices.
            result?;
        }
        Ok(())
    }

    fn conditional(
        &mut self,
        branches: &[(Expr, Vec<Action>)],
        otherwise: &[Action],
        types: &ChosenTypes,
    ) -> Elaborated<()> {
        let outer = self.path.len();
        let mut result = Ok(());
        for (condition, actions) in branches {
            match self.under(condition, actions, types) {
                // The remaining branches are never taken, and are not elaborated.
                Ok(taken) if taken == self.terms.tt() => {
                    self.path.truncate(outer);
                    return result;
                }
                Ok(taken) if taken == self.terms.ff() => {}
                Ok(taken) => self.path.push(self.terms.not(taken)),
                Err(Reported) => result = Err(Reported),
            }
        }
        let last = self.block(otherwise, types);
        self.path.truncate(outer);
        result.and(last)
    }

    /// Elaborates actions under a condition; returns the condition. If it is constant and false,
    /// the actions are not elaborated.
    fn under(
        &mut self,
        condition: &Expr,
        actions: &[Action],
        types: &ChosenTypes,
    ) -> Elaborated<Term> {
        let term = self.elaborator.formula(condition)?;
        match self.terms.as_bool(term) {
            Some(false) => {}
            Some(true) => self.block(actions, types)?,
            None => {
                self.path.push(term);
                let result = self.block(actions, types);
                self.path.pop();
                result?;
            }
        }
        Ok(term)
    }

    fn condition(&mut self, choose: &Choose) -> Elaborated<()> {
        let Some(condition) = &choose.condition else {
            return Ok(());
        };
        let term = self.elaborator.formula(condition)?;
        self.require(term);
        Ok(())
    }

    /// Adds a condition to the guard: it must hold if the current action happens.
    pub fn require(&mut self, condition: Term) {
        let path = self.terms.and(self.path.iter().copied());
        let guard = self.terms.implies(path, condition);
        self.part.guards.extend(self.terms.conjuncts(guard));
    }

    /// The input for `target := any v`, of the type of the target.
    fn choose_for(&mut self, target: &Expr, choose: &Choose) -> Elaborated<(Vec<Choice>, Symbol)> {
        let choices = self.elaborator.target(target)?;
        let first = choices.first().ok_or(Reported)?;
        let sort = self.terms.symbol_sort(first.symbol);
        let bounds = match choices.len() {
            1 => self.elaborator.names.bounds(first.symbol),
            _ => Bounds::default(),
        };
        let symbol = self.choose(&choose.name, sort, bounds.clone())?;
        self.keep_bounds_under_path(symbol, &bounds);
        Ok((choices, symbol))
    }

    /// Declares a chosen value.
    pub fn choose(&mut self, name: &Name, sort: Sort, bounds: Bounds) -> Elaborated<Symbol> {
        if self.elaborator.is_known(&name.text) {
            let message = format!("the name `{}` is taken", name.text);
            let help = "a chosen value needs a name that means nothing else here";
            return Err(self.elaborator.error("duplicate", name.span, message, help));
        }
        let symbol = self.input(&name.text, sort);
        self.elaborator.bind_chosen(&name.text, symbol, bounds);
        Ok(symbol)
    }

    /// Adds guards that keep a value of a range type within its range, for a value that is assigned
    /// to no variable.
    pub fn keep_bounds(&mut self, symbol: Symbol, bounds: &Bounds) {
        let conditions = bounds.conditions(self.terms, self.terms.var(symbol));
        self.part.guards.extend(conditions);
    }

    /// A value that is assigned only under a condition is kept within its range when it is not
    /// assigned, too: otherwise there would be infinitely many steps with the same effect.
    fn keep_bounds_under_path(&mut self, symbol: Symbol, bounds: &Bounds) {
        if !self.path.is_empty() {
            self.keep_bounds(symbol, bounds);
        }
    }

    fn havoc_input(&mut self, choices: &[Choice], target: &Expr) -> Elaborated<Symbol> {
        let first = choices.first().ok_or(Reported)?;
        let sort = self.terms.symbol_sort(first.symbol);
        let full = self.terms.name(first.symbol);
        let hint = match (choices.len(), &target.kind) {
            (1, _) => full.strip_prefix(self.prefix).unwrap_or(full),
            (_, ExprKind::Reference(r)) => &r.base.text,
            _ => full,
        };
        // Only unconditional choices for a variable are printed as `havoc`, with the name of the
        // variable.
        let names = self.elaborator.names;
        let hint = match self.path.is_empty() {
            true => hint.to_string(),
            false => free_name(hint, "_", |name| names.element(name).is_none()),
        };
        let input = self.input(&hint, sort);
        if choices.len() == 1 {
            let bounds = names.bounds(first.symbol);
            self.keep_bounds_under_path(input, &bounds);
        }
        Ok(input)
    }

    /// An input with this name, with a number appended if the name is taken.
    fn input(&mut self, hint: &str, sort: Sort) -> Symbol {
        let (names, inputs) = (self.elaborator.names, &mut self.part.inputs);
        free_name(&format!("{}.{hint}", self.part.name), ".", |name| {
            let declared = || self.terms.declare(name, sort, SymbolKind::Input).ok();
            let symbol = names.element(name).map_or_else(declared, |_| None);
            let symbol = symbol.filter(|s| !inputs.contains(s));
            inputs.extend(symbol);
            symbol.is_some()
        });
        inputs[inputs.len() - 1]
    }

    /// Records an assignment to the element that the state selects.
    fn assign(&mut self, choices: &[Choice], value: Term, target: &Expr) {
        for choice in choices {
            let conditions = self.path.iter().copied().chain(choice.condition);
            let condition = self.terms.and(conditions);
            let assignment = Assignment {
                condition: (condition != self.terms.tt()).then_some(condition),
                value,
                span: target.span,
                indexed: matches!(target.kind, ExprKind::Reference(_)),
            };
            self.assignments.add(choice.symbol, assignment);
        }
    }

    fn warn_outside(&mut self, choices: &[Choice], value: Term, span: Span) {
        if !self.path.is_empty() {
            return;
        }
        for choice in choices {
            let bounds = self.elaborator.names.bounds(choice.symbol);
            if let Some(outside) = outside(self.terms, value, &bounds) {
                let message = format!("this step never happens: {outside}");
                self.warnings.warning("range", span, message);
                return;
            }
        }
    }

    /// Warns about unused chosen values, and about conditions that do not mention theirs.
    fn warn_unused(&mut self, actions: &[Action]) {
        let actions = all_actions(actions);
        for action in &actions {
            let (choose, help) = match action {
                Action::Any(_, choose) if choose.condition.is_some() => {
                    (choose, "its condition does not mention it")
                }
                Action::Choose(choose, _) => (choose, "nothing in the command mentions it"),
                _ => continue,
            };
            let name = &choose.name;
            let mentions = |e: &Expr| e.free_names().iter().any(|n| n.text == name.text);
            let mut mentioned = actions.iter().flat_map(|a| a.expressions());
            if !mentioned.any(mentions) {
                let message = format!("the chosen value `{}` is not used: {help}", name.text);
                self.warnings.warning("unused", name.span, message);
            }
        }
    }
}
