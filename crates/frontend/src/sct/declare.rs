//! Processes declarations: parameters, enumerations, definitions, processes.
//!
//! All of this happens before formulas are elaborated, so that declarations may come in any order.

use super::ast::{ChannelItem, ConditionKind, Item, Parameter, ProcessItem, Symbols, SymbolsKind};
use super::read::Reader;
use super::symbols::outside;
use crate::elaborate::{
    Aggregate, Definition, Elaborated, Entity, IndexRange, Instance, Member, Process, TEMPORAL,
    count_elements, enumeration,
};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Binder, Expr, Name};
use crate::{ReadOptions, parameters};
use sectile_base::{Int, Span};
use sectile_terms::{EnumId, Sort};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Reader<'_> {
    /// Declares all names.
    pub(super) fn declare_all(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Enumeration(name, values) = item
                && let Ok(id) = self.values(&name.text, values)
            {
                self.names.declare(&name.text, Entity::Type(id));
            }
        }
        for item in items {
            match item {
                Item::Definition(name, parameters, body) => {
                    let definition = Entity::Definition(define(name, parameters, body));
                    self.names.declare(&name.text, definition);
                }
                Item::Aggregates(list) => {
                    for (name, aggregate) in list {
                        let aggregate = Entity::Aggregate(aggregate.clone());
                        self.names.declare(name, aggregate);
                    }
                }
                _ => {}
            }
        }
        if self.diagnostics.has_errors() {
            return;
        }
        let processes = self.processes(items);
        // Variables first: the order of terms determines that `x <= N` is printed in this form.
        for kind in [SymbolsKind::Variable, SymbolsKind::Constant] {
            self.symbols(items, kind, &processes);
        }
        for item in items {
            if let Item::Function(function) = item {
                // Its errors have been reported.
                let _ = self.function(function);
            }
        }
        self.check_values();
    }

    /// Records the global names and reports duplicates.
    pub(super) fn claim_names(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Parameter(Parameter { name, .. })
                | Item::Enumeration(name, _)
                | Item::Type(name, _)
                | Item::Definition(name, ..)
                | Item::Process(ProcessItem { name, .. }) => self.claim(name),
                Item::Channel(channel) => {
                    channel.declarators.iter().for_each(|d| self.claim(&d.name));
                }
                Item::Symbols(symbols) => {
                    symbols.declarators.iter().for_each(|d| self.claim(&d.name));
                }
                Item::Function(function) => self.claim(&function.name),
                _ => {}
            }
        }
        for item in items {
            if let Item::Process(process) = item {
                self.claim_members(process);
            }
        }
    }

    fn claim(&mut self, name: &Name) {
        if let Some(&earlier) = self.places.get(&name.text) {
            self.taken(name, earlier, "is declared twice");
            return;
        }
        self.places.insert(name.text.clone(), name.span);
    }

    fn taken(&mut self, name: &Name, earlier: Span, what: &str) {
        let message = format!("`{}` {what}", name.text);
        let line = self.source.position(earlier.start).line;
        let help = format!("the other one is on line {line}");
        self.error("duplicate", name.span, message, help);
    }

    /// Checks the names inside of a process, which must differ from each other and from global
    /// ones.
    fn claim_members(&mut self, process: &ProcessItem) {
        let mut seen: BTreeMap<Arc<str>, Span> = BTreeMap::new();
        let names = process.items.iter().flat_map(|item| match item {
            Item::Definition(name, ..) => vec![name],
            Item::Symbols(Symbols { declarators, .. })
            | Item::Channel(ChannelItem { declarators, .. }) => {
                declarators.iter().map(|d| &d.name).collect()
            }
            _ => Vec::new(),
        });
        let indices = process.indices.iter().map(|b| &b.name);
        for name in indices.chain(names) {
            let earlier = seen.insert(name.text.clone(), name.span);
            if let Some(earlier) = earlier {
                self.taken(name, earlier, "is declared twice");
            } else if let Some(&outside) = self.places.get(&name.text) {
                self.taken(name, outside, "is declared outside of the process as well");
            }
        }
        for item in &process.items {
            let (span, what) = match item {
                Item::Parameter(parameter) => (parameter.name.span, "a parameter"),
                Item::Enumeration(name, _) => (name.span, "an enumeration"),
                Item::Type(name, _) => (name.span, "a named type"),
                Item::Function(function) => (function.name.span, "a function"),
                Item::Property(property) => (property.name.span, "a property"),
                Item::Synchronous(span) => (*span, "`compose synchronous`"),
                Item::Condition(ConditionKind::Assume, _, span) => (*span, "`assume`"),
                Item::Symbols(s) if s.kind == SymbolsKind::Constant => {
                    (s.declarators[0].name.span, "a constant")
                }
                _ => continue,
            };
            let message = format!("{what} cannot stand inside of a process");
            let help = "put it after the `}` of the process";
            self.error("syntax", span, message, help);
        }
    }

    /// Computes the values of the parameters: those of the user, or the defaults.
    pub(super) fn parameters(&mut self, items: &[Item], options: &ReadOptions) {
        let declared = items.iter().filter_map(|item| match item {
            Item::Parameter(parameter) => Some(parameter),
            _ => None,
        });
        let items: Vec<&Parameter> = declared.collect();
        let declared: Vec<(&Name, &Expr)> = items.iter().map(|p| (&p.name, &p.default)).collect();
        let known: Vec<&str> = declared.iter().map(|(name, _)| &*name.text).collect();
        let given = parameters::given(&known, options, &mut self.diagnostics);
        let mut done: BTreeMap<Arc<str>, Int> = BTreeMap::new();
        // Parameters may depend on each other: repeat as long as one more becomes known.
        let mut open: Vec<(&Name, &Expr)> = declared.clone();
        while !open.is_empty() {
            let before = open.len();
            open.retain(|(name, expr)| {
                let value = match given.get(&*name.text) {
                    Some(value) => Ok(value.clone()),
                    None => {
                        let waits = |n: &&Name| {
                            declared.iter().any(|d| d.0.text == n.text)
                                && !done.contains_key(&n.text)
                        };
                        if expr.free_names().iter().any(waits) {
                            return true;
                        }
                        self.parameter_value(expr, &done)
                    }
                };
                let value = value.unwrap_or(Int::ZERO);
                self.names
                    .declare(&name.text, Entity::Parameter(value.clone()));
                done.insert(name.text.clone(), value);
                false
            });
            if open.len() == before {
                let (name, _) = open[0];
                let message = format!("the parameter `{}` depends on itself", name.text);
                self.error("cycle", name.span, message, "");
                break;
            }
        }
        for parameter in items {
            self.check_range(parameter, given.get(&*parameter.name.text), &done);
        }
        let value = |name: &Name| done.get(&name.text).cloned().unwrap_or(Int::ZERO);
        let values = declared
            .iter()
            .map(|(name, _)| (name.text.to_string(), value(name)));
        self.parameters = values.collect();
    }

    /// Reports a parameter whose value lies outside of its range.
    fn check_range(
        &mut self,
        parameter: &Parameter,
        given: Option<&Int>,
        done: &BTreeMap<Arc<str>, Int>,
    ) {
        let (Some((low, high)), Some(value)) = (&parameter.range, done.get(&parameter.name.text))
        else {
            return;
        };
        for end in [low, high] {
            if self.parameter_value(end, done).is_err() {
                return;
            }
        }
        let Ok(bounds) = self.elaborator(None).bounds_of_type(low, high) else {
            return;
        };
        let number = self.terms.number(value.into(), Sort::Int);
        let Some(outside) = outside(self.terms, number, &bounds) else {
            return;
        };
        let name = &parameter.name.text;
        let (span, message) = match given {
            Some(value) => {
                let message = format!("`-D {name}={value}`: {outside}");
                (low.span.to(high.span), message)
            }
            None => (parameter.default.span, format!("the default {outside}")),
        };
        self.error("parameter", span, message, "");
    }

    /// The default of a parameter, an expression of numbers and the parameters that are known.
    fn parameter_value(&mut self, expr: &Expr, done: &BTreeMap<Arc<str>, Int>) -> Elaborated<Int> {
        for name in expr.free_names() {
            if self.places.contains_key(&name.text) && !done.contains_key(&name.text) {
                let message = format!("`{}` is not a parameter", name.text);
                let help = "the value of a parameter is made of numbers and other parameters";
                return Err(self.error("constant", name.span, message, help));
            }
        }
        let mut elaborator = self.elaborator(None);
        elaborator.constant(expr, "the value of a parameter")
    }

    /// The enumeration with these values.
    pub(super) fn values(&mut self, hint: &str, values: &[Name]) -> Elaborated<EnumId> {
        let mut seen = BTreeSet::new();
        let before = self.errors();
        for value in values {
            if !seen.insert(&value.text) {
                let message = format!("the value `{}` is listed twice", value.text);
                self.error("duplicate", value.span, message, "");
            }
            // Values are printed by their names, but these names are operators in `ctl` properties.
            if TEMPORAL[..6].contains(&&*value.text) {
                let message = format!("`{}` cannot be a value of an enumeration", value.text);
                let help = "it is an operator of `ctl` properties";
                self.error("name", value.span, message, help);
            }
        }
        if self.errors() > before {
            return Err(Reported);
        }
        let list: Vec<String> = values.iter().map(|v| v.text.to_string()).collect();
        let id = enumeration(self.terms, hint, &list);
        self.names.declare_variants(self.terms, id);
        Ok(id)
    }

    /// Reports names that are also values of enumerations: they share one namespace.
    fn check_values(&mut self) {
        let mut clashes = self.places.clone();
        clashes.retain(|name, _| !self.names.variants(name).is_empty());
        for (name, span) in clashes {
            let message = format!("`{name}` is also a value of an enumeration");
            self.error("duplicate", span, message, "give one of them another name");
        }
    }

    /// Declares the processes with their indices and definitions; returns their positions.
    fn processes(&mut self, items: &[Item]) -> Vec<usize> {
        let mut positions = Vec::new();
        for item in items {
            let Item::Process(process) = item else {
                continue;
            };
            let ranges = self.ranges(&process.indices, None).unwrap_or_default();
            if let [range] = ranges[..] {
                self.model.families.list.push(sectile_model::Family {
                    name: process.name.text.to_string(),
                    range: (range.low, range.high),
                });
            }
            let members = process.items.iter().flat_map(|inner| match inner {
                Item::Definition(name, parameters, body) => {
                    let definition = define(name, parameters, body);
                    vec![(name.text.clone(), Member::Definition(definition))]
                }
                Item::Aggregates(list) => {
                    let member = |a: &Arc<Aggregate>| Member::Aggregate(a.clone());
                    list.iter().map(|(n, a)| (n.clone(), member(a))).collect()
                }
                _ => Vec::new(),
            });
            let members = members.collect();
            let indices = process.indices.iter().map(|b| b.name.text.clone());
            let indices = indices.collect();
            let position = self.names.processes.len();
            let name = process.name.text.clone();
            self.names.declare(&name, Entity::Process(position));
            self.names.processes.push(Process {
                name,
                indices,
                ranges,
                members,
            });
            positions.push(position);
        }
        positions
    }

    /// The ranges of indices, which must be constant.
    pub(super) fn ranges(
        &mut self,
        binders: &[Binder],
        instance: Option<&Instance>,
    ) -> Elaborated<Vec<IndexRange>> {
        let mut ranges = Vec::new();
        for binder in binders {
            let mut elaborator = self.elaborator(instance);
            ranges.push(elaborator.index_range(&binder.low, &binder.high)?);
        }
        if let Some(first) = binders.first() {
            let count = count_elements(&ranges);
            let span = first.name.span;
            self.expansion.charge(count, span, &mut self.diagnostics)?;
        }
        Ok(ranges)
    }

    /// Checks definitions without parameters even if they are not used.
    pub(super) fn check_definitions(&mut self) {
        let entities = self.names.entities.values();
        let definitions = entities.filter_map(|entity| match entity {
            Entity::Definition(d) => Some(d.clone()),
            _ => None,
        });
        self.check_each(definitions.collect(), None);
    }

    /// The same for the definitions of a process, in one of its instances.
    pub(super) fn check_member_definitions(&mut self, instance: &Instance) {
        let members = self.names.processes[instance.process].members.values();
        let definitions = members.filter_map(|member| match member {
            Member::Definition(d) => Some(d.clone()),
            Member::Family(_) | Member::Aggregate(_) => None,
        });
        self.check_each(definitions.collect(), Some(instance));
    }

    fn check_each(&mut self, definitions: Vec<Arc<Definition>>, instance: Option<&Instance>) {
        for definition in definitions.iter().filter(|d| d.parameters.is_empty()) {
            self.elaborator(instance).check_definition(definition);
        }
    }
}

fn define(name: &Name, parameters: &[Name], body: &Expr) -> Arc<Definition> {
    Arc::new(Definition {
        name: name.clone(),
        parameters: parameters.to_vec(),
        body: body.clone(),
    })
}
