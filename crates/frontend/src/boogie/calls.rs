//! Lowers calls: they are inlined, or replaced by a contract or a summary.

use super::ast::{Call, Clause, Expr, Role};
use super::draft::{Action, Point};
use super::elaborate::{Context, Elaborated, OldMeaning};
use super::lower::{Calls, Lowering};
use super::program::{Key, Scope};
use crate::messages::{Report as _, all, did_you_mean};
use sectile_base::Span;
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

impl<'f> Lowering<'_, '_, 'f, '_> {
    /// The supported variables among these, with their symbols. Unsupported ones need no havoc,
    /// because every use of them is refused.
    fn usable(&mut self, keys: impl Iterator<Item = Key>, span: Span) -> Vec<(Key, Symbol)> {
        let usable = keys.filter_map(|key| {
            self.elaborator.sort_of(key).ok()?;
            Some((key, self.elaborator.symbol(key, span).ok()?))
        });
        usable.collect()
    }

    /// The assignments that save the old values of global variables.
    pub(super) fn old_values(
        &mut self,
        p: usize,
        globals: &BTreeSet<usize>,
        key: fn(usize, usize) -> Key,
        span: Span,
    ) -> Vec<(Symbol, Term)> {
        let mut found = Vec::new();
        for &g in globals {
            let global = Key::Global(g);
            if !self.program.changes(global) || self.elaborator.sort_of(global).is_err() {
                continue;
            }
            let old = self.elaborator.symbol(key(p, g), span);
            let now = self.elaborator.symbol(global, span);
            if let (Ok(old), Ok(now)) = (old, now) {
                found.push((old, self.terms.var(now)));
            }
        }
        found
    }

    /// Assumes the `where` condition of one variable.
    pub(super) fn condition_of(&mut self, key: Key, here: Point) -> Point {
        let (condition, scope) = match key {
            Key::Global(g) => (self.program.file.globals[g].condition.as_ref(), Scope::File),
            Key::Local(p, i) if i >= self.formals(p) => {
                let variable = self.program.procedures[p].variables[i];
                (variable.condition.as_ref(), Scope::Body(p))
            }
            Key::Local(p, i) => (self.formal_condition(p, i), Scope::Contract(p)),
            Key::Passed(p, i) => (self.formal_condition(p, i), Scope::Call(p)),
            _ => (None, Scope::File),
        };
        match condition {
            Some(condition) => self.where_assumed(condition, here, scope),
            None => here,
        }
    }

    fn formals(&self, p: usize) -> usize {
        let routine = &self.program.procedures[p];
        routine.parameters() + routine.results()
    }

    /// The `where` condition of a parameter or result, from its declaration.
    fn formal_condition(&self, p: usize, i: usize) -> Option<&'f Expr> {
        let declared = self.program.procedures[p].declared;
        let mut all = declared.parameters.iter().chain(&declared.results);
        all.nth(i).and_then(|v| v.condition.as_ref())
    }

    pub(super) fn call(
        &mut self,
        caller: usize,
        call: &Call,
        span: Span,
        here: Point,
        next: Point,
    ) -> Elaborated<()> {
        let callee = self.callee(call, span)?;
        let routine = &self.program.procedures[callee];
        let by_contract = routine.by_contract();
        let text = self.draft.text(span);
        // The results are assigned to the caller's variables at the end.
        let returned = self.returned(caller, callee, call)?;
        let mut action = Action::assign(self.arguments(caller, callee, call)?);
        let old = match by_contract {
            true => Key::PassedOld,
            false => Key::Old,
        };
        let olds = self.old_values(callee, &routine.olds, old, span);
        action.assigned.extend(olds);
        match by_contract {
            true => {
                let results = self.usable(self.passed_results(callee), span);
                action.havoc = results.into_iter().map(|(_, s)| s).collect();
            }
            false => action.fresh = Some(callee),
        }
        let entered = self.step(here, text.clone(), span, action);
        let ready = self.required(callee, entered, &text, span);
        let summarised = self.calls == Calls::BySummary && routine.is_summarised();
        let behind = match (summarised, by_contract) {
            (true, _) => self.summarised(callee, ready, &text, span),
            (false, true) => self.by_contract(callee, ready, &text, span),
            (false, false) => {
                let inside = self.own_conditions(callee, ready);
                self.body_behind(callee, inside)
            }
        };
        if returned.is_empty() {
            self.draft.jump(behind, next);
            return Ok(());
        }
        let name = format!("return from {}", call.callee.text);
        self.edge((behind, next), name, span, Action::assign(returned));
        Ok(())
    }

    /// A parameter or result of the called procedure.
    fn formal(&self, callee: usize, i: usize) -> Key {
        match self.program.procedures[callee].by_contract() {
            true => Key::Passed(callee, i),
            false => Key::Local(callee, i),
        }
    }

    /// The results of a call by contract.
    fn passed_results(&self, callee: usize) -> impl Iterator<Item = Key> + use<> {
        let results = self.program.procedures[callee].parameters()..self.formals(callee);
        results.map(move |i| Key::Passed(callee, i))
    }

    /// The assignments of the results to the variables of the caller.
    fn returned(
        &mut self,
        caller: usize,
        callee: usize,
        call: &Call,
    ) -> Elaborated<Vec<(Symbol, Term)>> {
        let mut found: Vec<(Symbol, Term)> = Vec::new();
        for (i, name) in call.targets.iter().enumerate() {
            let symbol = self.target(caller, name)?;
            let result = self.formal(callee, self.program.procedures[callee].parameters() + i);
            let result = self.elaborator.symbol(result, name.span)?;
            let (code, mistake) =
                if self.terms.symbol_sort(result) != self.terms.symbol_sort(symbol) {
                    ("type", "has another type than the result")
                } else if found.iter().any(|(s, _)| *s == symbol) {
                    ("assignment", "is assigned twice at once")
                } else {
                    found.push((symbol, self.terms.var(result)));
                    continue;
                };
            let message = format!("`{}` {mistake}", name.text);
            return Err(self.error(code, name.span, message, ""));
        }
        Ok(found)
    }

    fn callee(&mut self, call: &Call, span: Span) -> Elaborated<usize> {
        let name = &call.callee;
        let Some(callee) = self.program.procedure(&name.text) else {
            let message = format!("there is no procedure `{}`", name.text);
            let known = self.program.procedures.iter();
            let known = known.map(|r| &*r.declared.name.text);
            let help = did_you_mean(&name.text, known, "");
            return Err(self.error("unknown", name.span, message, help));
        };
        let routine = &self.program.procedures[callee];
        let (arguments, targets) = (call.arguments.len(), call.targets.len());
        let counts = [
            (routine.parameters(), "parameters", arguments, "arguments"),
            (routine.results(), "results", targets, "variables for them"),
        ];
        for (declared, what, given, which) in counts {
            if declared != given {
                let name = &name.text;
                let message =
                    format!("`{name}` has {declared} {what}, and there are {given} {which}");
                return Err(self.error("arity", span, message, ""));
            }
        }
        Ok(callee)
    }

    fn arguments(
        &mut self,
        caller: usize,
        callee: usize,
        call: &Call,
    ) -> Elaborated<Vec<(Symbol, Term)>> {
        all(call.arguments.iter().enumerate().map(|(i, argument)| {
            let formal = self.formal(callee, i);
            let parameter = self.elaborator.symbol(formal, argument.span)?;
            let sort = self.terms.symbol_sort(parameter);
            let value = self
                .elaborator
                .expect(argument, sort, Context::body(caller))?;
            Ok((parameter, value))
        }))
    }

    /// Checks the preconditions of a procedure. Callers need not establish free ones; these are
    /// assumed if the body is analysed.
    fn required(&mut self, callee: usize, mut here: Point, text: &str, span: Span) -> Point {
        let routine = &self.program.procedures[callee];
        let scope = match routine.by_contract() {
            true => Scope::Call(callee),
            false => Scope::Contract(callee),
        };
        let at = Context::new(scope, OldMeaning::Same);
        let summarised = self.calls == Calls::BySummary && routine.is_summarised();
        let by_body = summarised || !routine.by_contract();
        for clause in checked_first(routine.clauses(Role::Requires)) {
            if by_body || !clause.free {
                here = self.clause(clause, "requires", Some((text, span)), here, at);
            }
        }
        here
    }

    /// Checks the postconditions of a procedure, and assumes the free ones after that.
    pub(super) fn ensured(&mut self, callee: usize, mut here: Point) -> Point {
        let at = Context::new(Scope::Contract(callee), OldMeaning::Entry);
        let clauses = self.program.procedures[callee].clauses(Role::Ensures);
        for clause in checked_first(clauses) {
            here = self.clause(clause, "ensures", None, here, at);
        }
        here
    }

    pub(super) fn clause(
        &mut self,
        clause: &Clause,
        word: &str,
        call: Option<(&str, Span)>,
        here: Point,
        at: Context<'_>,
    ) -> Point {
        let text = self.draft.text(clause.span);
        if clause.free {
            return self.assume_as(&clause.condition, text, clause.span, here, at);
        }
        let edge = match call {
            Some((call, span)) => (format!("{call}: {text}"), span),
            None => (text, clause.span),
        };
        self.checked(&clause.condition, (word, clause.span), edge, here, at)
    }

    /// The supported variables that a procedure may change.
    fn changed(&mut self, callee: usize, span: Span) -> Vec<(Key, Symbol)> {
        let changes = &self.program.procedures[callee].changes;
        self.usable(changes.iter().map(|&g| Key::Global(g)), span)
    }

    /// A call by summary: the modified variables and the results get values that follow from the
    /// body.
    fn summarised(&mut self, callee: usize, here: Point, text: &str, span: Span) -> Point {
        let mut changed = self.changed(callee, span);
        changed.extend(self.usable(self.passed_results(callee), span));
        let action = Action {
            havoc: changed.into_iter().map(|(_, symbol)| symbol).collect(),
            summary: Some(callee),
            ..Action::default()
        };
        self.step(here, text, span, action)
    }

    /// A call by contract: havocs the modified variables and assumes the postconditions. The
    /// results have already been havocked.
    fn by_contract(&mut self, callee: usize, mut here: Point, text: &str, span: Span) -> Point {
        let routine = &self.program.procedures[callee];
        let changed = self.changed(callee, span);
        let action = Action {
            havoc: changed.iter().map(|(_, symbol)| *symbol).collect(),
            approximate: routine.body.is_some(),
            ..Action::default()
        };
        if action.approximate || !action.havoc.is_empty() {
            here = self.step(here, format!("{text}, by its contract"), span, action);
        }
        let results = self.usable(self.passed_results(callee), span);
        for (key, _) in changed.into_iter().chain(results) {
            here = self.condition_of(key, here);
        }
        let at = Context::new(Scope::Call(callee), OldMeaning::Entry);
        for clause in routine.clauses(Role::Ensures) {
            let name = format!("{text}: {}", self.draft.text(clause.span));
            here = self.assume_as(&clause.condition, name, span, here, at);
        }
        here
    }
}

/// The checked clauses, then the free ones, so that no check depends on a free assumption.
fn checked_first<'f>(clauses: impl Iterator<Item = &'f Clause>) -> Vec<&'f Clause> {
    let (free, mut all): (Vec<&Clause>, Vec<&Clause>) = clauses.partition(|c| c.free);
    all.extend(free);
    all
}
