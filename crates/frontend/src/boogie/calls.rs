//! Calls: inlined, or understood by a contract.

use super::ast::{Call, Clause, Expr, Role};
use super::draft::{Action, Place};
use super::elaborate::{Elaborated, OldMeaning, Place as At};
use super::lower::{Calls, Job, Lowering};
use super::parser::Reported;
use super::program::{Key, Scope};
use crate::elaborate::closest;
use sectile_base::{Diagnostic, Span};
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

impl<'f> Lowering<'_, '_, 'f, '_> {
    /// The assignments that keep the old values of global variables.
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

    /// Assumes the condition of one variable.
    pub(super) fn condition_of(&mut self, key: Key, here: Place) -> Place {
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

    /// The condition of a parameter or result, which its declaration has.
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
        here: Place,
        next: Place,
    ) -> Elaborated<()> {
        let callee = self.callee(call, span)?;
        let routine = &self.program.procedures[callee];
        let by_contract = routine.by_contract();
        let text = self.draft.text(span);
        // The results go to the caller's variables in the end.
        let returned = self.returned(caller, callee, call)?;
        let mut assigned = self.arguments(caller, callee, call)?;
        let old = if by_contract {
            Key::PassedOld
        } else {
            Key::Old
        };
        assigned.extend(self.old_values(callee, &routine.olds, old, span));
        let results: Vec<Key> = match by_contract {
            true => self.passed_results(callee),
            false => Vec::new(),
        };
        let results = results.into_iter();
        let action = Action {
            assigned,
            havoc: results
                .filter_map(|key| self.elaborator.symbol(key, span).ok())
                .collect(),
            fresh: (!by_contract).then_some(callee),
            ..Action::default()
        };
        let entered = self.draft.place();
        self.draft
            .edge((here, entered), text.clone(), span, action, self.terms);
        let ready = self.required(callee, entered, &text, span);
        let summarised = self.calls == Calls::BySummary && routine.is_summarised();
        let behind = match (summarised, by_contract) {
            (true, _) => self.summarised(callee, ready, &text, span),
            (false, true) => self.by_contract(callee, ready, &text, span),
            (false, false) => self.inlined(callee, ready),
        };
        if returned.is_empty() {
            self.draft.jump(behind, next);
            return Ok(());
        }
        let action = Action {
            assigned: returned,
            ..Action::default()
        };
        let name = format!("return from {}", call.callee.text);
        self.draft
            .edge((behind, next), name, span, action, self.terms);
        Ok(())
    }

    /// A parameter or result of a procedure that is called.
    fn formal(&self, callee: usize, i: usize) -> Key {
        match self.program.procedures[callee].by_contract() {
            true => Key::Passed(callee, i),
            false => Key::Local(callee, i),
        }
    }

    /// The results of a call by contract that can be used.
    fn passed_results(&self, callee: usize) -> Vec<Key> {
        let routine = &self.program.procedures[callee];
        let results = routine.parameters()..self.formals(callee);
        let keys = results.map(|i| Key::Passed(callee, i));
        keys.filter(|&k| self.elaborator.sort_of(k).is_ok())
            .collect()
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
            let mistake = if self.terms.symbol_sort(result) != self.terms.symbol_sort(symbol) {
                Some(("type", "has another type than the result"))
            } else if found.iter().any(|(s, _)| *s == symbol) {
                Some(("assignment", "is assigned twice at once"))
            } else {
                None
            };
            if let Some((code, what)) = mistake {
                let message = format!("`{}` {what}", name.text);
                return Err(self
                    .elaborator
                    .error(Diagnostic::error(code, name.span, message)));
            }
            found.push((symbol, self.terms.var(result)));
        }
        Ok(found)
    }

    fn callee(&mut self, call: &Call, span: Span) -> Elaborated<usize> {
        let name = &call.callee;
        let Some(callee) = self.program.procedure(&name.text) else {
            let message = format!("there is no procedure `{}`", name.text);
            let mut diagnostic = Diagnostic::error("unknown", name.span, message);
            let known = self.program.procedures.iter();
            let known = known.map(|r| &*r.declared.name.text);
            if let Some(close) = closest(&name.text, known) {
                diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            }
            return Err(self.elaborator.error(diagnostic));
        };
        let routine = &self.program.procedures[callee];
        let counts = [
            (
                routine.parameters(),
                call.arguments.len(),
                "parameters",
                "arguments",
            ),
            (
                routine.results(),
                call.targets.len(),
                "results",
                "variables for them",
            ),
        ];
        for (declared, given, what, which) in counts {
            if declared != given {
                let message = format!(
                    "`{}` has {declared} {what}, and there are {given} {which}",
                    name.text
                );
                return Err(self
                    .elaborator
                    .error(Diagnostic::error("arity", span, message)));
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
        let mut found = Vec::new();
        let mut result = Ok(());
        for (i, argument) in call.arguments.iter().enumerate() {
            let parameter = self
                .elaborator
                .symbol(self.formal(callee, i), argument.span);
            let pair = parameter.and_then(|parameter| {
                let sort = self.terms.symbol_sort(parameter);
                let value = self.elaborator.expect(argument, sort, At::body(caller))?;
                Ok((parameter, value))
            });
            match pair {
                Ok(pair) => found.push(pair),
                Err(Reported) => result = Err(Reported),
            }
        }
        result.map(|()| found)
    }

    /// Checks, or assumes if it is free, what a procedure requires.
    fn required(&mut self, callee: usize, mut here: Place, text: &str, span: Span) -> Place {
        let routine = &self.program.procedures[callee];
        let scope = match routine.by_contract() {
            true => Scope::Call(callee),
            false => Scope::Contract(callee),
        };
        let at = At::new(scope, OldMeaning::Same);
        for clause in routine.clauses(Role::Requires) {
            here = self.clause(clause, "requires", Some((text, span)), here, at);
        }
        here
    }

    /// Checks, or assumes if it is free, what a procedure ensures.
    pub(super) fn ensured(
        &mut self,
        callee: usize,
        mut here: Place,
        call: Option<(&str, Span)>,
    ) -> Place {
        let at = At::new(Scope::Contract(callee), OldMeaning::Entry);
        for clause in self.program.procedures[callee].clauses(Role::Ensures) {
            here = self.clause(clause, "ensures", call, here, at);
        }
        here
    }

    fn clause(
        &mut self,
        clause: &Clause,
        word: &str,
        call: Option<(&str, Span)>,
        here: Place,
        at: At<'_>,
    ) -> Place {
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

    fn inlined(&mut self, callee: usize, here: Place) -> Place {
        let here = self.own_conditions(callee, here);
        let behind = self.draft.place();
        self.jobs.push(Job {
            procedure: callee,
            from: here,
            to: behind,
        });
        self.ensured(callee, behind, None)
    }

    /// What a procedure with a summary does: what it may change gets the values that follow from
    /// its body, and so do its results.
    fn summarised(&mut self, callee: usize, here: Place, text: &str, span: Span) -> Place {
        let routine = &self.program.procedures[callee];
        let globals = routine.changes.iter().map(|&g| Key::Global(g));
        let globals = globals.filter(|&k| self.elaborator.sort_of(k).is_ok());
        let mut keys: Vec<Key> = globals.collect();
        keys.extend(self.passed_results(callee));
        let symbols = keys.into_iter();
        let action = Action {
            havoc: symbols
                .filter_map(|key| self.elaborator.symbol(key, span).ok())
                .collect(),
            summary: Some(callee),
            ..Action::default()
        };
        let next = self.draft.place();
        self.draft
            .edge((here, next), text, span, action, self.terms);
        next
    }

    /// Forgets what the procedure may change and assumes what it ensures. The results are
    /// forgotten already.
    fn by_contract(&mut self, callee: usize, here: Place, text: &str, span: Span) -> Place {
        let routine = &self.program.procedures[callee];
        let mut action = Action {
            approximate: routine.body.is_some(),
            ..Action::default()
        };
        let mut keys = Vec::new();
        for &g in &routine.changes {
            let key = Key::Global(g);
            // What cannot be used need not be forgotten either: its uses are refused.
            if self.elaborator.sort_of(key).is_ok()
                && let Ok(symbol) = self.elaborator.symbol(key, span)
            {
                action.havoc.push(symbol);
                keys.push(key);
            }
        }
        keys.extend(self.passed_results(callee));
        let mut here = here;
        if action.approximate || !action.havoc.is_empty() {
            let next = self.draft.place();
            let name = format!("{text}, by its contract");
            self.draft
                .edge((here, next), name, span, action, self.terms);
            here = next;
        }
        for key in keys {
            here = self.condition_of(key, here);
        }
        let at = At::new(Scope::Call(callee), OldMeaning::Entry);
        for clause in routine.clauses(Role::Ensures) {
            let name = format!("{text}: {}", self.draft.text(clause.span));
            here = self.assume_as(&clause.condition, name, span, here, at);
        }
        here
    }
}
