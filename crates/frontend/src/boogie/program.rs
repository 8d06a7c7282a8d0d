//! Name resolution, the choice of checked procedures, and the treatment of calls.

use super::ast::{
    Body, Clause, Constant, Expr, File, Function, Implementation, Name, Procedure, Role, Statement,
    StatementKind, Type, Variable, for_each_name,
};
use super::quantifiers::quantified_functions;
use crate::messages::Report as _;
use crate::syntax::{ExprKind, NumberKind};
use sectile_base::digraph::Digraph;
use sectile_base::{Diagnostics, Rat, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The procedure that is the whole program if it exists.
const START: &str = "ULTIMATE.start";

/// The declarations of a file by their names.
pub struct Program<'f> {
    pub file: &'f File,
    types: BTreeMap<&'f str, usize>,
    constants: BTreeMap<&'f str, usize>,
    globals: BTreeMap<&'f str, usize>,
    functions: BTreeMap<&'f str, usize>,
    /// Which functions have quantifiers in their bodies.
    pub quantified: Vec<bool>,
    /// Integers that occur as indices of maps or as arguments of functions.
    pub indices: Vec<Rat>,
    /// Likely values of factors and divisors.
    pub samples: Vec<Rat>,
    pub procedures: Vec<Routine<'f>>,
    by_name: BTreeMap<&'f str, usize>,
    /// The procedures that are checked on their own.
    pub entries: Vec<Entry>,
}

/// A procedure with its body.
pub struct Routine<'f> {
    /// Its declaration, with the contract.
    pub declared: &'f Procedure,
    /// Its parameters, results and variables, in this order, with the names of the body.
    pub variables: Vec<&'f Variable>,
    /// The same by their names in the body.
    local: BTreeMap<&'f str, usize>,
    /// The parameters and results by their names in the declaration.
    formal: BTreeMap<&'f str, usize>,
    pub body: Option<&'f Body>,
    /// Whether it calls itself, directly or not: calls of it are not inlined.
    pub recursive: bool,
    /// Whether it is called from what is checked.
    pub called: bool,
    /// Whether its body is analysed, as an entry or inlined.
    pub used: bool,
    /// The global variables that it may change, directly or by calls.
    pub changes: BTreeSet<usize>,
    /// The global variables whose value before a call is needed.
    pub olds: BTreeSet<usize>,
    /// Its own variables that its body assigns.
    assigned: BTreeSet<usize>,
}

/// A procedure that is checked on its own.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub procedure: usize,
    /// Whether it is checked only because callers rely on its contract: its start state need not be
    /// one in which it is called.
    pub modular: bool,
}

/// A variable or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Constant(usize),
    /// A function without a body.
    Function(usize),
    Global(usize),
    /// A parameter, result or variable of a procedure.
    Local(usize, usize),
    /// The value of a global variable at the entry of the procedure.
    Old(usize, usize),
    /// A parameter or result in a call that is replaced by the contract. It differs from that of
    /// the body: a procedure that calls itself has both at the same time.
    Passed(usize, usize),
    /// The value of a global variable at such a call.
    PassedOld(usize, usize),
}

/// The scope of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Outside of procedures.
    File,
    /// In the body of a procedure.
    Body(usize),
    /// In the contract of a procedure whose body is analysed.
    Contract(usize),
    /// In the contract of a procedure, at a call that it replaces.
    Call(usize),
}

impl<'f> Program<'f> {
    /// Collects the declarations of a file. Names that are declared twice are reported.
    pub fn new(file: &'f File, wrong: &mut Diagnostics) -> Program<'f> {
        let mut program = Program {
            file,
            types: table(file.types.iter().map(|t| &t.name), "type", wrong),
            constants: table(file.constants.iter().map(|c| &c.name), "constant", wrong),
            globals: table(file.globals.iter().map(|g| &g.name), "variable", wrong),
            functions: table(file.functions.iter().map(|f| &f.name), "function", wrong),
            by_name: table(file.procedures.iter().map(|p| &p.name), "procedure", wrong),
            quantified: Vec::new(),
            indices: indices(file),
            samples: samples(file),
            procedures: Vec::new(),
            entries: Vec::new(),
        };
        program.quantified = quantified_functions(&program);
        for Constant { name, .. } in &file.constants {
            if program.globals.contains_key(&*name.text) {
                let message = format!("`{}` is both a constant and a variable", name.text);
                wrong.error("duplicate", name.span, message, "");
            }
        }
        program.routines(wrong);
        if !wrong.has_errors() {
            program.choose_entries(wrong);
        }
        program
    }

    /// Joins procedures with their implementations.
    fn routines(&mut self, diagnostics: &mut Diagnostics) {
        let file = self.file;
        let mut bodies: Vec<Vec<usize>> = vec![Vec::new(); file.procedures.len()];
        for (i, implementation) in file.implementations.iter().enumerate() {
            let name = &implementation.name;
            match self.by_name.get(&*name.text) {
                Some(&p) => bodies[p].push(i),
                None => {
                    let message = format!("there is no procedure `{}` to implement", name.text);
                    let help = format!("declare it: `procedure {}(...);`", name.text);
                    diagnostics.error("unknown", name.span, message, help);
                }
            }
        }
        for (declared, list) in file.procedures.iter().zip(bodies) {
            let second = match (&declared.body, &list[..]) {
                (Some(_), [i, ..]) | (None, [_, i, ..]) => Some(*i),
                _ => None,
            };
            if let Some(i) = second {
                let name = &file.implementations[i].name;
                let message = format!("a second implementation of `{}`", name.text);
                let help = "only one implementation of a procedure is supported";
                diagnostics.error("unsupported", name.span, message, help);
            }
            let implementation = list.first().map(|&i| &file.implementations[i]);
            self.procedures
                .push(Routine::new(declared, implementation, diagnostics));
        }
    }

    /// The program is `ULTIMATE.start`, or every procedure with a body on its own.
    fn choose_entries(&mut self, diagnostics: &mut Diagnostics) {
        let has_body = |p: &usize| self.procedures[*p].body.is_some();
        let start = self.procedure(START).filter(has_body);
        let all = 0..self.procedures.len();
        let entries: Vec<usize> = match start {
            Some(p) => vec![p],
            None => all.clone().filter(has_body).collect(),
        };
        match self.file.procedures.last() {
            None => {
                let help = "a program is at least one procedure";
                diagnostics.error("empty", Span::default(), "there is no program", help);
            }
            Some(last) if entries.is_empty() => {
                let message = "no procedure has a body: there is nothing to check";
                diagnostics.warning("empty", last.name.span, message);
            }
            _ => {}
        }
        let calls = self.calls(&entries);
        let relied = |&p: &usize| self.procedures[p].called && self.procedures[p].recursive;
        let modular = all.filter(|p| start.is_some() && relied(p) && !entries.contains(p));
        let entry = |modular| move |procedure| Entry { procedure, modular };
        let modular = modular.map(entry(true));
        let own = entries.iter().copied().map(entry(false));
        self.entries = own.chain(modular).collect();
        self.effects();
        self.spread_changes(&calls);
    }

    /// Follows calls from the entries: determines called and recursive procedures.
    fn calls(&mut self, entries: &[usize]) -> Digraph {
        let callees = |p: usize| -> Vec<usize> {
            let mut found = Vec::new();
            if let Some(body) = self.procedures[p].body {
                body.block.for_each_statement(&mut |s| {
                    if let StatementKind::Call(call) = &s.kind
                        && let Some(&callee) = self.by_name.get(&*call.callee.text)
                    {
                        found.push(callee);
                    }
                });
            }
            found
        };
        let all: Vec<Vec<usize>> = (0..self.procedures.len()).map(callees).collect();
        let graph = Digraph::from_successors(all.len(), |p| all[p].iter().copied());
        let reachable = graph.reachable_from(entries.iter().copied());
        for component in graph.strongly_connected_components() {
            let recursive = component.len() > 1 || all[component[0]].contains(&component[0]);
            for p in component {
                self.procedures[p].recursive = recursive;
            }
        }
        for p in (0..all.len()).filter(|&p| reachable[p]) {
            self.procedures[p].used = true;
            for &callee in &all[p] {
                self.procedures[callee].called = true;
            }
        }
        graph
    }

    /// The global variables that every procedure may change, and whose old values it needs.
    fn effects(&mut self) {
        for p in 0..self.procedures.len() {
            let routine = &self.procedures[p];
            let modifies = routine.declared.modifies.iter();
            let modifies = modifies.filter_map(|n| self.globals.get(&*n.text).copied());
            let mut changes: BTreeSet<usize> = modifies.collect();
            let mut olds: BTreeSet<usize> = BTreeSet::new();
            let mut assigned: BTreeSet<usize> = BTreeSet::new();
            let mut look = |e: &Expr, scope: Scope| {
                for_each_name(e, false, &mut |name, in_old| {
                    if in_old && let Some(Key::Global(g)) = self.lookup(scope, name) {
                        olds.insert(g);
                    }
                });
            };
            for clause in &routine.declared.clauses {
                look(&clause.condition, Scope::Contract(p));
            }
            if let Some(body) = routine.body {
                body.block.for_each_statement(&mut |s| {
                    for e in s.expressions() {
                        look(e, Scope::Body(p));
                    }
                    for name in s.assigned() {
                        match self.lookup(Scope::Body(p), &name.text) {
                            Some(Key::Global(g)) => _ = changes.insert(g),
                            Some(Key::Local(_, i)) => _ = assigned.insert(i),
                            _ => {}
                        }
                    }
                });
            }
            self.procedures[p].changes = changes;
            self.procedures[p].olds = olds;
            self.procedures[p].assigned = assigned;
        }
    }

    /// Callers change what their callees change; components come after those that they call.
    fn spread_changes(&mut self, calls: &Digraph) {
        for component in calls.strongly_connected_components() {
            let mut changes: BTreeSet<usize> = BTreeSet::new();
            for &p in &component {
                changes.extend(&self.procedures[p].changes);
                for callee in calls.successors(p) {
                    changes.extend(&self.procedures[callee].changes);
                }
            }
            for &p in &component {
                self.procedures[p].changes.clone_from(&changes);
            }
        }
    }

    /// The procedure with this name.
    pub fn procedure(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<(usize, &'f Function)> {
        let i = self.functions.get(name).copied()?;
        Some((i, &self.file.functions[i]))
    }

    /// The variable or constant of a name.
    pub fn lookup(&self, scope: Scope, name: &str) -> Option<Key> {
        let key: fn(usize, usize) -> Key = match scope {
            Scope::Call(_) => Key::Passed,
            _ => Key::Local,
        };
        let own = self.own_names(scope);
        let local = own.and_then(|(p, table)| Some(key(p, *table.get(name)?)));
        let global = || self.globals.get(name).map(|&g| Key::Global(g));
        let constant = || self.constants.get(name).map(|&c| Key::Constant(c));
        local.or_else(global).or_else(constant)
    }

    /// The procedure of a scope with its local names.
    fn own_names(&self, scope: Scope) -> Option<(usize, &BTreeMap<&'f str, usize>)> {
        match scope {
            Scope::File => None,
            Scope::Body(p) => Some((p, &self.procedures[p].local)),
            Scope::Contract(p) | Scope::Call(p) => Some((p, &self.procedures[p].formal)),
        }
    }

    /// The names visible to `lookup`.
    pub fn names(&self, scope: Scope) -> Vec<&'f str> {
        let own = self.own_names(scope).map(|(_, table)| table);
        let tables = own.into_iter().chain([&self.globals, &self.constants]);
        tables.flat_map(|table| table.keys().copied()).collect()
    }

    /// The declared name and type of a variable or constant, or of the result of a function.
    pub fn declared(&self, key: Key) -> (&'f Name, &'f Type) {
        let variable = |v: &'f Variable| (&v.name, &v.of);
        match key {
            Key::Constant(c) => {
                let constant = &self.file.constants[c];
                (&constant.name, &constant.of)
            }
            Key::Function(f) => {
                let function = &self.file.functions[f];
                (&function.name, &function.result)
            }
            Key::Global(g) | Key::Old(_, g) | Key::PassedOld(_, g) => {
                variable(&self.file.globals[g])
            }
            Key::Local(p, i) | Key::Passed(p, i) => variable(self.procedures[p].variables[i]),
        }
    }

    /// Whether an analysed part may change a variable.
    pub fn changes(&self, key: Key) -> bool {
        match key {
            Key::Constant(_) | Key::Function(_) => false,
            Key::Old(..) | Key::Passed(..) | Key::PassedOld(..) => true,
            Key::Global(g) => {
                let used = |r: &Routine<'_>| (r.used || r.called) && r.changes.contains(&g);
                self.procedures.iter().any(used)
            }
            Key::Local(p, i) => {
                let routine = &self.procedures[p];
                // Every call of a recursive procedure has its own variables, and what is passed to
                // it should be known only where it is relevant.
                (routine.called && !routine.by_contract())
                    || self.procedures.iter().any(Routine::is_summarised)
                    || routine.assigned.contains(&i)
            }
        }
    }

    /// The type with this name, by its position in the file.
    pub fn type_declaration(&self, name: &str) -> Option<usize> {
        self.types.get(name).copied()
    }
}

impl<'f> Routine<'f> {
    fn new(
        declared: &'f Procedure,
        implementation: Option<&'f Implementation>,
        diagnostics: &mut Diagnostics,
    ) -> Routine<'f> {
        let formals = declared.parameters.iter().chain(&declared.results);
        let mut variables: Vec<&Variable> = formals.clone().collect();
        let mut body = declared.body.as_ref();
        if let Some(Implementation {
            name,
            parameters,
            results,
            body: own,
        }) = implementation
        {
            let counts = (declared.parameters.len(), declared.results.len());
            if (parameters.len(), results.len()) == counts {
                variables = parameters.iter().chain(results).collect();
            } else {
                let message = format!("`{}` is declared with other parameters", name.text);
                diagnostics.error("arity", name.span, message, "");
            }
            body = Some(own);
        }
        let formal = table(formals.map(|v| &v.name), "parameter", diagnostics);
        variables.extend(body.iter().flat_map(|b| &b.locals));
        let local = table(variables.iter().map(|v| &v.name), "variable", diagnostics);
        Routine {
            declared,
            variables,
            local,
            formal,
            body,
            recursive: false,
            called: false,
            used: false,
            changes: BTreeSet::new(),
            olds: BTreeSet::new(),
            assigned: BTreeSet::new(),
        }
    }

    /// The number of its parameters, which are the first of its variables.
    pub fn parameters(&self) -> usize {
        self.declared.parameters.len()
    }

    /// The number of its results, which follow the parameters.
    pub fn results(&self) -> usize {
        self.declared.results.len()
    }

    /// Whether it has a summary of its own if calls are not replaced by contracts.
    pub fn is_summarised(&self) -> bool {
        self.recursive && self.used && self.body.is_some()
    }

    /// Whether its body assigns one of its parameters, which then differs from the argument.
    pub fn assigns_parameters(&self) -> bool {
        self.assigned.iter().any(|&i| i < self.parameters())
    }

    /// Whether calls of it are replaced by its contract.
    pub fn by_contract(&self) -> bool {
        self.body.is_none() || self.recursive
    }

    /// One side of the contract.
    pub fn clauses(&self, role: Role) -> impl Iterator<Item = &'f Clause> {
        self.declared.clauses.iter().filter(move |c| c.role == role)
    }

    /// The `where` conditions of its variables, each with its scope.
    pub fn conditions(&self, procedure: usize) -> Vec<(&'f Expr, Scope)> {
        let declared = self.declared;
        let formals = declared.parameters.iter().chain(&declared.results);
        let formals = formals.map(|v| (v, Scope::Contract(procedure)));
        let locals = self.body.iter().flat_map(|b| &b.locals);
        let all = formals.chain(locals.map(|v| (v, Scope::Body(procedure))));
        all.filter_map(|(v, scope)| Some((v.condition.as_ref()?, scope)))
            .collect()
    }
}

/// Calls `f` on all expressions in bodies.
fn for_each_expression(file: &File, f: &mut dyn FnMut(&Expr)) {
    let bodies = file.procedures.iter().filter_map(|p| p.body.as_ref());
    for body in bodies.chain(file.implementations.iter().map(|i| &i.body)) {
        let each = &mut |s: &Statement| s.expressions().into_iter().for_each(&mut *f);
        body.block.for_each_statement(each);
    }
}

/// Some of the integers that occur as indices of maps or as arguments of functions.
fn indices(file: &File) -> Vec<Rat> {
    let mut found = Vec::new();
    for_each_expression(file, &mut |e| numbers(e, true, &mut found));
    found
}

/// Small integers, and some of those that occur in the program.
fn samples(file: &File) -> Vec<Rat> {
    const MOST_SAMPLES: usize = 10;
    fn literals(expr: &Expr, found: &mut Vec<Rat>) {
        if let ExprKind::Number(value, _) = &expr.kind
            && found.len() < MOST_SAMPLES
            && value.is_int()
            && !found.contains(value)
        {
            found.push(value.clone());
        }
        expr.for_each_part(&mut |part| literals(part, found));
    }
    let mut found: Vec<Rat> = [0, 1, 2, -1].map(Rat::from).to_vec();
    for_each_expression(file, &mut |e| literals(e, &mut found));
    found
}

/// The integers inside of an expression that are indices; `place` says whether the expression
/// itself is one.
fn numbers(expr: &Expr, place: bool, found: &mut Vec<Rat>) {
    const MOST_NUMBERS: usize = 8;
    match &expr.kind {
        ExprKind::Number(value, NumberKind::Integer) if place => {
            if found.len() < MOST_NUMBERS && !found.contains(value) {
                found.push(value.clone());
            }
        }
        ExprKind::Indexed(map, accesses) => {
            numbers(map, false, found);
            for access in accesses {
                access.indices.iter().for_each(|e| numbers(e, true, found));
                access.value.iter().for_each(|e| numbers(e, false, found));
            }
        }
        ExprKind::Call(call) => call.arguments.iter().for_each(|e| numbers(e, true, found)),
        _ => expr.for_each_part(&mut |part| numbers(part, false, found)),
    }
}

/// A table of names. Names that are declared twice are reported.
fn table<'f>(
    names: impl Iterator<Item = &'f Name>,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<&'f str, usize> {
    let mut found = BTreeMap::new();
    for (i, name) in names.enumerate() {
        let text: &str = &name.text;
        // Parameters of functions may have no name.
        if !text.is_empty() && found.insert(text, i).is_some() {
            let message = format!("a second {what} `{text}`");
            let help = "every name is declared once";
            diagnostics.error("duplicate", name.span, message, help);
        }
    }
    found
}
