//! From statements to locations and edges: one edge for each statement, calls inlined.
//!
//! Every procedure has one set of variables, however often it is called: without recursion, at most
//! one activation of it exists at a time. Its locations are copied for each call.

use super::ast::{Arm, Block, Expr, Item, Name, Role, Statement, StatementKind, Target, While};
use super::draft::{Action, Draft, Point};
use super::elaborate::{Context, Elaborated, Elaborator, OldMeaning};
use super::program::{Entry, Key, Program, Scope};
use super::quantifiers::{Assumption, Side};
use crate::elaborate::updated;
use crate::messages::{Report, Reported, did_you_mean};
use sectile_base::{Diagnostic, Span};
use sectile_terms::{Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of edges.
const MOST_EDGES: usize = 200_000;

/// Turns procedures into locations and edges.
pub struct Lowering<'l, 'e, 'f, 's> {
    pub(super) elaborator: &'l mut Elaborator<'e, 'f>,
    pub(super) program: &'e Program<'f>,
    pub(super) terms: &'e Terms,
    pub(super) draft: Draft<'s>,
    pub(super) jobs: Vec<Job>,
    /// The treatment of calls of recursive procedures.
    pub(super) calls: Calls,
}

/// The treatment of calls of recursive procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// By their contracts, which may allow more than they do.
    ByContract,
    /// By summaries: what follows from their bodies.
    BySummary,
}

/// A body that is still to be inserted between two locations.
pub(super) struct Job {
    pub(super) procedure: usize,
    pub(super) from: Point,
    pub(super) to: Point,
}

/// The body that is being lowered.
struct Frame<'f> {
    procedure: usize,
    labels: BTreeMap<&'f str, Point>,
    exit: Point,
    /// The targets of `break`: the labels of a statement, whether it is a loop, and the location
    /// after it.
    enclosing: Vec<(Vec<Arc<str>>, bool, Point)>,
}

impl Report for Lowering<'_, '_, '_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.elaborator.report(diagnostic)
    }
}

impl<'l, 'e, 'f, 's> Lowering<'l, 'e, 'f, 's> {
    /// Nothing lowered yet.
    pub fn new(elaborator: &'l mut Elaborator<'e, 'f>, draft: Draft<'s>, calls: Calls) -> Self {
        Lowering {
            program: elaborator.program,
            terms: elaborator.terms,
            elaborator,
            draft,
            jobs: Vec::new(),
            calls,
        }
    }

    /// Lowers all entries and the procedures they call; returns the start and the graph.
    pub fn run(mut self) -> (Point, Draft<'s>) {
        let start = self.draft.place();
        self.draft.several = self.program.entries.len() > 1;
        if self.calls == Calls::BySummary {
            self.units();
        }
        for &entry in &self.program.entries {
            let unit = self.draft.units.get(&entry.procedure);
            match unit {
                // Contracts that only matter for calls are not checked if calls use summaries.
                _ if self.calls == Calls::BySummary && entry.modular => {}
                Some(&(unit, _)) => self.entry_of_unit(start, entry.procedure, unit),
                None => self.entry(start, entry),
            }
            while let Some(job) = self.jobs.pop() {
                if self.draft.size() > MOST_EDGES {
                    self.too_large(job.procedure);
                    return (start, self.draft);
                }
                self.body(&job);
            }
        }
        (start, self.draft)
    }

    /// The procedures with summaries, each by itself.
    fn units(&mut self) {
        for (p, routine) in self.program.procedures.iter().enumerate() {
            if routine.is_summarised() {
                let places = (self.draft.place(), self.draft.place());
                self.draft.units.insert(p, places);
                self.unit(p, places);
            }
        }
    }

    /// A procedure with a summary: entered with any arguments that it is called with.
    fn unit(&mut self, p: usize, (entry, exit): (Point, Point)) {
        let routine = &self.program.procedures[p];
        let span = routine.declared.name.span;
        let olds = routine.olds.union(&routine.changes).copied().collect();
        let action = Action {
            assigned: self.old_values(p, &olds, Key::Old, span),
            fresh: Some(p),
            ..Action::default()
        };
        let name = format!("procedure {}", routine.declared.name.text);
        let next = self.step(entry, name, span, action);
        let here = self.own_conditions(p, next);
        self.draft.stand(exit, self.end_of(p));
        let last = self.body_behind(p, here);
        self.draft.jump(last, exit);
    }

    /// Inserts the body of a procedure after a location, and checks its postconditions.
    pub(super) fn body_behind(&mut self, procedure: usize, from: Point) -> Point {
        let to = self.draft.place();
        self.jobs.push(Job {
            procedure,
            from,
            to,
        });
        self.ensured(procedure, to)
    }

    pub(super) fn edge(
        &mut self,
        way: (Point, Point),
        name: impl Into<String>,
        span: Span,
        action: Action,
    ) {
        self.draft.edge(way, name, span, action, self.terms);
    }

    /// An edge to a new location.
    pub(super) fn step(
        &mut self,
        here: Point,
        name: impl Into<String>,
        span: Span,
        action: Action,
    ) -> Point {
        let next = self.draft.place();
        self.edge((here, next), name, span, action);
        next
    }

    /// A procedure with a summary that is checked on its own: it is called with all arguments that
    /// its contract allows.
    fn entry_of_unit(&mut self, start: Point, p: usize, unit: Point) {
        let routine = &self.program.procedures[p];
        let span = routine.declared.name.span;
        let name = format!("check procedure {}", routine.declared.name.text);
        let next = self.step(start, name, span, Action::default());
        let here = self.global_conditions(next);
        let here = self.assume_required(p, here);
        self.draft.jump(here, unit);
    }

    /// Assumes what a procedure requires.
    fn assume_required(&mut self, p: usize, mut here: Point) -> Point {
        let at = Context::new(Scope::Contract(p), OldMeaning::Same);
        for clause in self.program.procedures[p].clauses(Role::Requires) {
            let text = format!("assume {}", self.draft.text(clause.condition.span));
            here = self.assume_as(&clause.condition, text, clause.span, here, at);
        }
        here
    }

    fn too_large(&mut self, procedure: usize) {
        let name = &self.program.procedures[procedure].declared.name;
        let message =
            format!("with all calls inlined the program has more than {MOST_EDGES} steps");
        let help = "a procedure that is declared without a body is understood by its contract";
        self.error("size", name.span, message, help);
    }

    /// A procedure that is checked on its own: its contract is assumed at the start and checked
    /// at the end.
    fn entry(&mut self, start: Point, entry: Entry) {
        let p = entry.procedure;
        let routine = &self.program.procedures[p];
        let span = routine.declared.name.span;
        let mut here = start;
        let olds = self.old_values(p, &routine.olds, Key::Old, span);
        if self.draft.several || !olds.is_empty() {
            let name = format!("procedure {}", routine.declared.name.text);
            let action = Action {
                assigned: olds,
                approximate: entry.modular,
                ..Action::default()
            };
            here = self.step(here, name, span, action);
        }
        here = self.global_conditions(here);
        here = self.own_conditions(p, here);
        here = self.assume_required(p, here);
        let end = self.draft.place();
        self.draft.stand(end, self.end_of(p));
        let last = self.body_behind(p, here);
        self.draft.jump(last, end);
    }

    fn end_of(&self, procedure: usize) -> Span {
        let routine = &self.program.procedures[procedure];
        routine.body.map_or(routine.declared.name.span, |b| b.end)
    }

    /// Assumes the conditions of all global variables.
    fn global_conditions(&mut self, mut here: Point) -> Point {
        for global in &self.program.file.globals {
            if let Some(condition) = &global.condition {
                here = self.where_assumed(condition, here, Scope::File);
            }
        }
        here
    }

    /// Assumes the conditions of the variables of a procedure.
    pub(super) fn own_conditions(&mut self, p: usize, mut here: Point) -> Point {
        for (condition, scope) in self.program.procedures[p].conditions(p) {
            here = self.where_assumed(condition, here, scope);
        }
        here
    }

    pub(super) fn where_assumed(&mut self, condition: &Expr, here: Point, scope: Scope) -> Point {
        let at = Context::new(scope, OldMeaning::Same);
        let text = format!("where {}", self.draft.text(condition.span));
        self.assume_as(condition, text, condition.span, here, at)
    }

    pub(super) fn assume_as(
        &mut self,
        condition: &Expr,
        text: String,
        span: Span,
        here: Point,
        at: Context<'_>,
    ) -> Point {
        let next = self.draft.place();
        if let Ok(assumed) = self.elaborator.assumption(condition, Side::HOLDS, at) {
            self.assume((here, next), text, span, assumed);
        }
        next
    }

    /// An edge on which a condition is assumed.
    fn assume(
        &mut self,
        (here, next): (Point, Point),
        text: String,
        span: Span,
        assumed: Assumption,
    ) {
        let mut here = here;
        if !assumed.chosen.is_empty() {
            let action = Action {
                havoc: assumed.chosen,
                ..Action::default()
            };
            here = self.step(here, format!("witnesses of {text}"), span, action);
        }
        let action = Action {
            condition: Some(assumed.term),
            approximate: assumed.weaker,
            ..Action::default()
        };
        self.edge((here, next), text, span, action);
    }

    fn test(&mut self, way: (Point, Point), name: String, span: Span, condition: Term) {
        let action = Action {
            condition: Some(condition),
            ..Action::default()
        };
        self.edge(way, name, span, action);
    }

    /// Checks a condition: if it fails the program goes to the error location of `claim`;
    /// afterwards it holds.
    pub(super) fn checked(
        &mut self,
        condition: &Expr,
        (word, claim): (&str, Span),
        (text, span): (String, Span),
        here: Point,
        at: Context<'_>,
    ) -> Point {
        let next = self.draft.place();
        let error = self.draft.error(word, claim);
        // The run ends where the condition fails, so a witness of the failure may be a constant.
        // After the check, the condition is known to hold for this witness, too.
        let fails = self.elaborator.assumption(condition, Side::FAILS_ONCE, at);
        let holds = self.elaborator.assumption(condition, Side::HOLDS, at);
        if let (Ok(fails), Ok(holds)) = (fails, holds) {
            self.assume((here, next), text.clone(), span, holds);
            self.assume((here, error), format!("{text} fails"), span, fails);
        }
        next
    }

    /// Inserts a body between two locations.
    fn body(&mut self, job: &Job) {
        let Some(body) = self.program.procedures[job.procedure].body else {
            self.draft.jump(job.from, job.to);
            return;
        };
        let mut frame = Frame {
            procedure: job.procedure,
            labels: BTreeMap::new(),
            exit: job.to,
            enclosing: Vec::new(),
        };
        self.draft.stand(job.to, body.end);
        self.labels(&body.block, &mut frame.labels);
        self.sequence(&mut frame, &body.block, job.from, job.to);
    }

    /// Creates the locations of all labels of a body.
    fn labels(&mut self, block: &'f Block, found: &mut BTreeMap<&'f str, Point>) {
        let mut add = |items: &'f [Item]| {
            for item in items {
                let Item::Label(name) = item else { continue };
                let place = self.draft.labelled(name);
                if found.insert(&name.text, place).is_some() {
                    let message = format!("the label `{}` is used twice", name.text);
                    self.error("duplicate", name.span, message, "");
                }
            }
        };
        add(&block.items);
        block.for_each_statement(&mut |s| s.blocks().into_iter().for_each(|b| add(&b.items)));
    }

    /// Statements one after the other. Recursion is bounded by the parser's limit on nesting.
    fn sequence(&mut self, frame: &mut Frame<'f>, block: &'f Block, from: Point, to: Point) {
        let mut here = from;
        let mut labels: Vec<Arc<str>> = Vec::new();
        for item in &block.items {
            match item {
                Item::Label(name) => {
                    let place = frame.labels[&*name.text];
                    self.draft.jump(here, place);
                    here = place;
                    labels.push(name.text.clone());
                }
                Item::Statement(statement) => {
                    let next = self.draft.place();
                    self.draft.stand(here, statement.span);
                    let labels = std::mem::take(&mut labels);
                    self.statement(frame, statement, labels, here, next);
                    here = next;
                }
            }
        }
        self.draft.jump(here, to);
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'f>,
        statement: &'f Statement,
        labels: Vec<Arc<str>>,
        here: Point,
        next: Point,
    ) {
        let span = statement.span;
        let at = Context::body(frame.procedure);
        match &statement.kind {
            StatementKind::Assert(condition) => {
                let text = self.draft.text(span);
                let behind = self.checked(condition, ("assert", span), (text, span), here, at);
                self.draft.jump(behind, next);
            }
            StatementKind::Assume(condition) => {
                let text = self.draft.text(span);
                let behind = self.assume_as(condition, text, span, here, at);
                self.draft.jump(behind, next);
            }
            StatementKind::Havoc(names) => {
                let behind = self.havoc(frame.procedure, names, span, here);
                self.draft.jump(behind, next);
            }
            StatementKind::Assign(targets, values) => {
                if let Ok(assigned) = self.assignment(frame.procedure, targets, values, span) {
                    let text = self.draft.text(span);
                    self.edge((here, next), text, span, Action::assign(assigned));
                }
            }
            StatementKind::Call(call) => {
                let _ = self.call(frame.procedure, call, span, here, next);
            }
            StatementKind::If(arms, otherwise) => {
                frame.enclosing.push((labels, false, next));
                self.conditional(frame, arms, otherwise.as_ref(), here, next);
                frame.enclosing.pop();
            }
            StatementKind::While(inner) => {
                frame.enclosing.push((labels, true, next));
                self.repetition(frame, inner, span, here, next);
                frame.enclosing.pop();
            }
            StatementKind::Goto(names) => self.goto(frame, names, span, here),
            StatementKind::Break(label) => {
                if let Ok(behind) = self.broken(frame, label.as_ref(), span) {
                    self.draft.jump(here, behind);
                }
            }
            StatementKind::Return => self.draft.jump(here, frame.exit),
            StatementKind::Unsupported(construct) => {
                self.elaborator.unsupported(construct, span);
            }
        }
    }

    fn conditional(
        &mut self,
        frame: &mut Frame<'f>,
        arms: &'f [Arm<Block>],
        otherwise: Option<&'f Block>,
        mut here: Point,
        next: Point,
    ) {
        let at = Context::body(frame.procedure);
        for arm in arms {
            let inside = self.draft.place();
            let other = self.draft.place();
            let free = ("if (*): then", "if (*): else");
            let ways = (here, inside, other);
            self.choice(arm.condition.as_ref(), free, arm.span, ways, at);
            self.sequence(frame, &arm.body, inside, next);
            here = other;
        }
        match otherwise {
            Some(block) => self.sequence(frame, block, here, next),
            None => self.draft.jump(here, next),
        }
    }

    /// The two edges of a condition; `free` are their names if the choice is free.
    fn choice(
        &mut self,
        condition: Option<&Expr>,
        free: (&str, &str),
        span: Span,
        (here, yes, no): (Point, Point, Point),
        at: Context<'_>,
    ) {
        let Some(condition) = condition else {
            let any = self.terms.tt();
            self.test((here, yes), free.0.to_string(), span, any);
            self.test((here, no), free.1.to_string(), span, any);
            return;
        };
        let holds = self.elaborator.assumption(condition, Side::HOLDS, at);
        let fails = self.elaborator.assumption(condition, Side::FAILS, at);
        if let (Ok(holds), Ok(fails)) = (holds, fails) {
            let text = self.draft.text(condition.span);
            let bare = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
            // `(a) || (b)` is not a condition in parentheses.
            let bare = bare.filter(|t| !t.contains(['(', ')'])).unwrap_or(&text);
            self.assume((here, yes), format!("assume {bare}"), span, holds);
            self.assume((here, no), format!("assume !({bare})"), span, fails);
        }
    }

    fn repetition(
        &mut self,
        frame: &mut Frame<'f>,
        inner: &'f While,
        span: Span,
        head: Point,
        next: Point,
    ) {
        let at = Context::body(frame.procedure);
        // The head is a location of its own: preceding statements must not be repeated.
        let mut here = head;
        for invariant in &inner.invariants {
            here = self.clause(invariant, "invariant", None, here, at);
        }
        let inside = self.draft.place();
        let free = ("while (*): enter", "while (*): leave");
        let ways = (here, inside, next);
        self.choice(inner.condition.as_ref(), free, span, ways, at);
        self.sequence(frame, &inner.body, inside, head);
    }

    fn goto(&mut self, frame: &Frame<'f>, names: &[Name], span: Span, here: Point) {
        let mut targets = Vec::new();
        for name in names {
            match frame.labels.get(&*name.text) {
                Some(&place) => targets.push((name, place)),
                None => self.unknown_label(frame, name),
            }
        }
        if let [(_, place)] = targets[..] {
            self.draft.jump(here, place);
            return;
        }
        for (name, place) in targets {
            let any = self.terms.tt();
            self.test((here, place), format!("goto {}", name.text), span, any);
        }
    }

    fn unknown_label(&mut self, frame: &Frame<'f>, name: &Name) {
        let message = format!("there is no label `{}` in this procedure", name.text);
        let help = did_you_mean(&name.text, frame.labels.keys().copied(), "");
        self.error("unknown", name.span, message, help);
    }

    /// The location after the statement that `break` leaves.
    fn broken(&mut self, frame: &Frame<'f>, label: Option<&Name>, span: Span) -> Elaborated<Point> {
        let mut outwards = frame.enclosing.iter().rev();
        let found = match label {
            None => outwards.find(|(_, is_loop, _)| *is_loop),
            Some(name) => outwards.find(|(labels, ..)| labels.contains(&name.text)),
        };
        if let Some((.., behind)) = found {
            return Ok(*behind);
        }
        let message = match label {
            None => "`break` outside of a loop".to_string(),
            Some(name) => format!("no statement around this is labelled `{}`", name.text),
        };
        Err(self.error("break", span, message, ""))
    }

    /// A variable that may be assigned.
    pub(super) fn target(&mut self, procedure: usize, name: &Name) -> Elaborated<Symbol> {
        let key = self.assignable(procedure, name)?;
        let symbol = self.elaborator.symbol(key, name.span)?;
        debug_assert_eq!(self.terms.symbol_kind(symbol), SymbolKind::State);
        Ok(symbol)
    }

    fn assignable(&mut self, procedure: usize, name: &Name) -> Elaborated<Key> {
        let scope = Scope::Body(procedure);
        let key = self.elaborator.key(&name.text, name.span, scope)?;
        if let Key::Constant(_) = key {
            let message = format!("`{}` is a constant", name.text);
            return Err(self.error(
                "assignment",
                name.span,
                message,
                "only variables can be assigned",
            ));
        }
        let declared = self.program.procedures[procedure].declared;
        let listed = |n: &Name| n.text == name.text;
        if matches!(key, Key::Global(_)) && !declared.modifies.iter().any(listed) {
            let (text, owner) = (&name.text, &declared.name.text);
            let message =
                format!("`{text}` is assigned, and `modifies` of `{owner}` does not list it");
            self.elaborator
                .diagnostics
                .warning("modifies", name.span, message);
        }
        Ok(key)
    }

    fn havoc(&mut self, procedure: usize, names: &[Name], span: Span, here: Point) -> Point {
        let mut action = Action::default();
        let mut keys = Vec::new();
        for name in names {
            let Ok(key) = self.assignable(procedure, name) else {
                continue;
            };
            // Unusable variables need not be forgotten: their uses are refused.
            if let Err(Some(_)) = self.elaborator.sort_of(key) {
                continue;
            }
            if let Ok(symbol) = self.target(procedure, name) {
                action.havoc.push(symbol);
                keys.push(key);
            }
        }
        let text = self.draft.text(span);
        let mut next = self.step(here, text, span, action);
        for key in keys {
            next = self.condition_of(key, next);
        }
        next
    }

    fn assignment(
        &mut self,
        procedure: usize,
        targets: &[Target],
        values: &[Expr],
        span: Span,
    ) -> Elaborated<Vec<(Symbol, Term)>> {
        if targets.len() != values.len() {
            let message = format!("{} variables, and {} values", targets.len(), values.len());
            let help = "every variable on the left gets one value on the right";
            return Err(self.error("arity", span, message, help));
        }
        let mut assigned: Vec<(Symbol, Term)> = Vec::new();
        let mut result = Ok(());
        for (target, value) in targets.iter().zip(values) {
            match self.assigned(procedure, target, value) {
                Ok((symbol, _)) if assigned.iter().any(|(s, _)| *s == symbol) => {
                    let message = format!("`{}` is assigned twice at once", target.name.text);
                    result = Err(self.error("assignment", target.name.span, message, ""));
                }
                Ok(pair) => assigned.push(pair),
                Err(reported) => result = Err(reported),
            }
        }
        result.map(|()| assigned)
    }

    fn assigned(
        &mut self,
        procedure: usize,
        target: &Target,
        value: &Expr,
    ) -> Elaborated<(Symbol, Term)> {
        let symbol = self.target(procedure, &target.name)?;
        let at = Context::body(procedure);
        let whole = self.terms.symbol_sort(symbol);
        let elaborator = &mut *self.elaborator;
        let (indices, sort) = elaborator.places(whole, &target.indices, target.span, at)?;
        let value = self.elaborator.expect(value, sort, at)?;
        if indices.is_empty() {
            return Ok((symbol, value));
        }
        let map = self.terms.var(symbol);
        Ok((symbol, updated(self.terms, map, &indices, value)))
    }
}
