//! Prints a module as a flat file: without parameters, processes and families.
//!
//! Names such as `P[1].pc` are in backquotes. Reading the text again gives the same system and
//! properties. Header comments are not part of a module and are left out.

use super::parse::DIALECT;
use crate::elaborate::{TEMPORAL, free_name};
use crate::syntax::Language;
use sectile_model::{Command, Ctl, Model, Module, Property, PropertyKind};
use sectile_terms::{
    EnumId, NativePrinter, Node, Sort, Symbol, SymbolKind, Term, Terms, display_sort,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The maximum length of lines, if they can be broken.
const WIDTH: usize = 100;

/// The flat text of a module whose model is a transition system.
///
/// Program graphs cannot be written in this language; they must be encoded as systems first. For
/// such a module, only a comment that says so is printed.
pub fn print_module(terms: &Terms, module: &Module) -> String {
    let system = &module.model;
    if !system.is_system() {
        return "// a program graph must be encoded as a transition system first\n".to_string();
    }
    let printer = Printer::new(terms, system);
    let mut out = String::new();
    printer.declarations(system, &mut out);
    for command in system.commands() {
        out.push('\n');
        printer.command(command, system, &mut out);
    }
    if !module.properties.is_empty() {
        out.push('\n');
    }
    // Properties about models with monitors do not apply to this model.
    let monitored = |p: &&Property| {
        module
            .model
            .monitored
            .iter()
            .any(|(name, _)| *name == p.name)
    };
    for property in module.properties.iter().filter(|p| !monitored(p)) {
        printer.property(property, &mut out);
    }
    out
}

/// A CTL formula in the syntax of `ctl` properties.
pub fn print_ctl(terms: &Terms, formula: &Ctl) -> String {
    let rename = |symbol: Symbol| Some(quote(terms.name(symbol)));
    let printer = NativePrinter::renaming(terms, &rename);
    temporal(terms, &printer, formula)
}

/// Whether a text is valid as a name without backquotes.
fn is_plain(text: &str) -> bool {
    Language::from(DIALECT).is_name(text) && !TEMPORAL.contains(&text)
}

/// A name as it must be written, in backquotes if it needs them.
fn quote(name: &str) -> String {
    if is_plain(name) {
        return name.to_string();
    }
    // Names from other languages may contain characters that are not allowed here.
    let harmless = name.replace(['`', '\n', '\r'], "_");
    format!("`{harmless}`")
}

/// The enumerations in a sort.
fn enumerations(terms: &Terms, sort: Sort) -> Vec<EnumId> {
    let mut found = Vec::new();
    let mut work = vec![sort];
    while let Some(next) = work.pop() {
        match next {
            Sort::Enum(id) => found.push(id),
            Sort::Array(id) => {
                let (index, element) = terms.array_parts(id);
                work.extend([element, index]);
            }
            _ => {}
        }
    }
    found
}

struct Printer<'t> {
    terms: &'t Terms,
    /// Names of variables, constants and values, which must not be reused.
    taken: BTreeSet<String>,
    types: BTreeMap<EnumId, String>,
}

/// The names of a command's inputs, and the inputs that are chosen for a variable.
#[derive(Default)]
struct Inputs {
    names: BTreeMap<Symbol, String>,
    targets: BTreeMap<Symbol, Symbol>,
    havoc: BTreeSet<Symbol>,
}

impl<'t> Printer<'t> {
    fn new(terms: &'t Terms, system: &Model) -> Printer<'t> {
        let symbols = system.rigid.iter().chain(&system.variables);
        let inputs = system.commands().flat_map(|c| &c.inputs);
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut used: Vec<EnumId> = Vec::new();
        for &symbol in symbols.chain(inputs) {
            if terms.symbol_kind(symbol) != SymbolKind::Input {
                taken.insert(terms.name(symbol).to_string());
            }
            for id in enumerations(terms, terms.symbol_sort(symbol)) {
                if !used.contains(&id) {
                    used.push(id);
                    taken.extend(terms.enum_info(id).variants.iter().cloned());
                }
            }
        }
        let mut printer = Printer {
            terms,
            taken,
            types: BTreeMap::new(),
        };
        for id in used {
            let wanted = &terms.enum_info(id).name;
            let hint = if is_plain(wanted) { wanted } else { "Type" };
            let name = printer.free_name(hint, &BTreeSet::new());
            printer.taken.insert(name.clone());
            printer.types.insert(id, name);
        }
        printer
    }

    /// The hint, or a variation of it, that is neither taken nor among `others`.
    fn free_name(&self, hint: &str, others: &BTreeSet<String>) -> String {
        free_name(hint, "_", |name| {
            !self.taken.contains(name) && !others.contains(name)
        })
    }

    fn sort(&self, sort: Sort) -> String {
        match sort {
            Sort::Enum(id) => self.types[&id].clone(),
            sort => display_sort(self.terms, sort),
        }
    }

    fn name(&self, symbol: Symbol) -> String {
        quote(self.terms.name(symbol))
    }

    fn term(&self, term: Term) -> String {
        self.term_with(term, &BTreeMap::new())
    }

    fn term_with(&self, term: Term, inputs: &BTreeMap<Symbol, String>) -> String {
        let rename = |symbol: Symbol| {
            let input = inputs.get(&symbol).map(|name| quote(name));
            Some(input.unwrap_or_else(|| self.name(symbol)))
        };
        NativePrinter::renaming(self.terms, &rename).print(term)
    }

    /// A term as an operand of a conjunction.
    fn conjunct(&self, term: Term, inputs: &BTreeMap<Symbol, String>) -> String {
        let text = self.term_with(term, inputs);
        match binds_loosely(self.terms, term) {
            true => format!("({text})"),
            false => text,
        }
    }

    fn conjuncts(&self, list: &[Term], inputs: &BTreeMap<Symbol, String>) -> Vec<String> {
        list.iter().map(|t| self.conjunct(*t, inputs)).collect()
    }

    fn declarations(&self, system: &Model, out: &mut String) {
        for (id, name) in &self.types {
            let values = self.terms.enum_info(*id).variants.iter();
            let values: Vec<String> = values.map(|v| quote(v)).collect();
            let (name, values) = (quote(name), values.join(", "));
            line(out, format!("enum {name} = {{{values}}}"));
        }
        for (word, list) in [("const", &system.rigid), ("var", &system.variables)] {
            if !list.is_empty() && !out.is_empty() {
                out.push('\n');
            }
            for &symbol in list {
                line(out, self.declaration(word, symbol));
            }
        }
        if !system.init.is_empty() {
            out.push('\n');
        }
        for &condition in &system.init {
            line(out, format!("init {}", self.term(condition)));
        }
        if !system.restrict.is_empty() {
            out.push('\n');
        }
        for &condition in &system.restrict {
            let rigid = |s: Symbol| self.terms.symbol_kind(s) == SymbolKind::Rigid;
            let word = match self.terms.free_vars(condition).iter().all(|v| rigid(v.0)) {
                true => "assume",
                false => "restrict",
            };
            line(out, format!("{word} {}", self.term(condition)));
        }
    }

    fn declaration(&self, word: &str, symbol: Symbol) -> String {
        let (arguments, result) = self.terms.signature(symbol);
        let name = self.name(symbol);
        if arguments.is_empty() {
            return format!("{word} {name} : {}", self.sort(result));
        }
        let arguments: Vec<String> = arguments.iter().map(|&s| self.sort(s)).collect();
        let arguments = arguments.join(", ");
        match result {
            Sort::Bool => format!("predicate {name}({arguments})"),
            _ => format!("function {name}({arguments}) : {}", self.sort(result)),
        }
    }

    fn command(&self, command: &Command, system: &Model, out: &mut String) {
        let total = command.unassigned(&system.variables).is_empty();
        if total && command.relations.is_empty() {
            self.guarded(command, out);
        } else {
            self.relation(command, out);
        }
    }

    fn guarded(&self, command: &Command, out: &mut String) {
        let inputs = self.inputs(command);
        let is_input = |s: &Symbol| command.inputs.contains(s);
        let mentions = |t: &Term| self.terms.free_vars(*t).iter().any(|(s, _)| is_input(s));
        // Conditions from the first one about chosen values on are written after `where`.
        let guards = &command.guards;
        let first = guards.iter().position(mentions).unwrap_or(guards.len());
        let (before, behind) = guards.split_at(first);
        let behind = self.conjuncts(behind, &inputs.names);
        let mut actions = self.choices(command, &inputs, &behind);
        for update in &command.updates {
            let chosen = inputs.targets.values().any(|s| *s == update.symbol);
            if chosen || update.value == self.terms.var(update.symbol) {
                continue;
            }
            let value = self.term_with(update.value, &inputs.names);
            actions.push(format!("{} := {value}", self.name(update.symbol)));
        }
        if actions.is_empty() {
            actions.push("skip".to_string());
        }
        let mut guard = self.conjuncts(before, &inputs.names);
        if guard.is_empty() {
            guard.push("true".to_string());
        }
        let head = format!("{}:", quote(&command.name));
        let one = format!("{head} {} --> {}", guard.join(" and "), actions.join(", "));
        if one.chars().count() <= WIDTH {
            line(out, one);
            return;
        }
        broken(out, &format!("{head} "), &guard, "and ");
        broken(out, "    --> ", &actions, ", ");
    }

    /// The actions that choose values; `conditions` follow the last one that can have them.
    fn choices(&self, command: &Command, inputs: &Inputs, conditions: &[String]) -> Vec<String> {
        let can = |i: &&Symbol| !inputs.havoc.contains(i);
        let last = command.inputs.iter().rfind(can);
        let mut actions = Vec::new();
        for input in &command.inputs {
            let name = quote(&inputs.names[input]);
            let target = inputs.targets.get(input).map(|t| self.name(*t));
            let mut action = match target {
                Some(target) if inputs.havoc.contains(input) => format!("havoc {target}"),
                Some(target) => format!("{target} := any {name}"),
                None => {
                    let sort = self.sort(self.terms.symbol_sort(*input));
                    format!("any {name} : {sort}")
                }
            };
            if last == Some(input) && !conditions.is_empty() {
                let length: usize = conditions.iter().map(|c| c.chars().count() + 5).sum();
                let between = match length + action.chars().count() + 8 > WIDTH {
                    true => "\n            and ",
                    false => " and ",
                };
                let _ = write!(action, " where {}", conditions.join(between));
            }
            actions.push(action);
        }
        actions
    }

    /// The names of the inputs in the text: their own names without that of the command.
    fn inputs(&self, command: &Command) -> Inputs {
        let terms = self.terms;
        let mut inputs = Inputs::default();
        let mut used: BTreeSet<String> = BTreeSet::new();
        let prefix = format!("{}.", command.name);
        for &input in &command.inputs {
            let value = terms.var(input);
            let full = terms.name(input);
            let short = full.strip_prefix(&prefix).unwrap_or(full);
            let target = command.updates.iter().find(|u| u.value == value);
            if let Some(update) = target {
                inputs.targets.insert(input, update.symbol);
                let uses = command.updates.iter();
                let uses = uses.filter(|u| mentions(terms, u.value, input)).count();
                let guarded = command.guards.iter().any(|g| mentions(terms, *g, input));
                if uses == 1 && !guarded && terms.name(update.symbol) == short {
                    inputs.havoc.insert(input);
                }
            }
            let name = self.free_name(short, &used);
            used.insert(name.clone());
            inputs.names.insert(input, name);
        }
        inputs
    }

    fn relation(&self, command: &Command, out: &mut String) {
        let inputs = self.inputs(command).names;
        let mut head = format!("relation {}", quote(&command.name));
        for (k, input) in command.inputs.iter().enumerate() {
            let word = if k == 0 { " any" } else { "," };
            let sort = self.sort(self.terms.symbol_sort(*input));
            let _ = write!(head, "{word} {} : {sort}", quote(&inputs[input]));
        }
        let mut parts = self.conjuncts(&command.guards, &inputs);
        for update in &command.updates {
            parts.push(self.equation(update.symbol, update.value, &inputs));
        }
        parts.extend(self.conjuncts(&command.relations, &inputs));
        if parts.is_empty() {
            parts.push("true".to_string());
        }
        broken_if_long(out, &format!("{head}: "), &parts);
    }

    /// `x' = e` as a conjunct.
    fn equation(&self, symbol: Symbol, value: Term, inputs: &BTreeMap<Symbol, String>) -> String {
        let name = self.name(symbol);
        match self.terms.as_bool(value) {
            Some(true) => format!("{name}'"),
            Some(false) => format!("not {name}'"),
            None if self.terms.sort(value) == Sort::Bool => {
                format!("({name}' <=> {})", self.conjunct(value, inputs))
            }
            None => format!("{name}' = {}", self.conjunct(value, inputs)),
        }
    }

    fn property(&self, property: &Property, out: &mut String) {
        let name = quote(&property.name);
        let (word, term) = match &property.kind {
            PropertyKind::Invariant(term) => ("invariant", *term),
            PropertyKind::Error(term) => ("error", *term),
            PropertyKind::Ctl(formula) => {
                let text = print_ctl(self.terms, formula);
                line(out, format!("ctl {name}: {text}"));
                return;
            }
            // These refer to locations, which a system does not have.
            PropertyKind::Unreachable(_) | PropertyKind::AtLocation(..) => return,
        };
        let conjuncts = self.terms.conjuncts(term);
        let head = format!("{word} {name}: ");
        if conjuncts.len() < 2 {
            line(out, format!("{head}{}", self.term(term)));
            return;
        }
        let texts = self.conjuncts(&conjuncts, &BTreeMap::new());
        broken_if_long(out, &head, &texts);
    }
}

fn line(out: &mut String, text: String) {
    out.push_str(&text);
    out.push('\n');
}

/// Writes the conjuncts on one line if they fit, otherwise one per line.
fn broken_if_long(out: &mut String, head: &str, parts: &[String]) {
    let one = format!("{head}{}", parts.join(" and "));
    if one.chars().count() <= WIDTH {
        line(out, one);
        return;
    }
    broken(out, head, parts, "and ");
}

/// Writes one part per line, with the separator before each (a comma after it).
fn broken(out: &mut String, head: &str, parts: &[String], separator: &str) {
    for (k, part) in parts.iter().enumerate() {
        let last = k + 1 == parts.len();
        let comma = if separator == ", " && !last { "," } else { "" };
        let front = match (k, separator) {
            (0, _) => head,
            (_, ", ") => "        ",
            _ => "    and ",
        };
        line(out, format!("{front}{part}{comma}"));
    }
}

fn mentions(terms: &Terms, term: Term, symbol: Symbol) -> bool {
    terms.free_vars(term).iter().any(|(s, _)| *s == symbol)
}

/// Whether a term needs parentheses among the operands of `and` and `not`.
fn binds_loosely(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::And(_) | Node::Or(_) | Node::Ite(..) => true,
        Node::Eq(a, _) => terms.sort(*a) == Sort::Bool,
        _ => false,
    }
}

/// A temporal formula; recursion is bounded by the nesting of the text from which it was read.
fn temporal(terms: &Terms, printer: &NativePrinter<'_>, formula: &Ctl) -> String {
    let inner = |f: &Ctl| temporal(terms, printer, f);
    let operand = |f: &Ctl| {
        let text = temporal(terms, printer, f);
        let bare = match f {
            Ctl::State(term) => !binds_loosely(terms, *term),
            Ctl::And(..) | Ctl::Or(..) => false,
            _ => true,
        };
        if bare { text } else { format!("({text})") }
    };
    match formula {
        Ctl::State(term) => printer.print(*term),
        Ctl::At(location) => format!("{location:?}"),
        Ctl::Not(f) => format!("not {}", operand(f)),
        Ctl::And(a, b) => format!("{} and {}", operand(a), operand(b)),
        Ctl::Or(a, b) => format!("{} or {}", operand(a), operand(b)),
        Ctl::Ex(f) | Ctl::Ax(f) | Ctl::Ef(f) | Ctl::Af(f) | Ctl::Eg(f) | Ctl::Ag(f) => {
            format!("{}({})", formula.operator().unwrap_or_default(), inner(f))
        }
        Ctl::Eu(a, b) => format!("E[{} U {}]", inner(a), inner(b)),
        Ctl::Au(a, b) => format!("A[{} U {}]", inner(a), inner(b)),
        Ctl::Ew(a, b) => format!("E[{} W {}]", inner(a), inner(b)),
        Ctl::Aw(a, b) => format!("A[{} W {}]", inner(a), inner(b)),
    }
}
