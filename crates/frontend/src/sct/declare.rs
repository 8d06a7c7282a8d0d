//! What the declarations declare: parameters, types, definitions, processes, variables.
//!
//! Everything here happens before any formula is looked at, so that declarations may come in any
//! order.

use super::ast::{ConditionKind, Item, ProcessItem, Symbols, SymbolsKind, TypeItem};
use super::read::{Reader, split_conjuncts};
use crate::ReadOptions;
use crate::elaborate::{
    Bounds, Definition, Elaborated, Entity, Family, IndexRange, Instance, Member, Process, closest,
    count_elements, each_choice, element_name, enumeration,
};
use crate::syntax::{Binder, Expr, Name, Reported};
use sectile_base::{Diagnostic, Int, Rat, Span};
use sectile_terms::{EnumId, Sort, Symbol, SymbolKind, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Reader<'_> {
    /// Makes all names known.
    pub(super) fn declare_all(&mut self, items: &[Item], options: &ReadOptions) {
        self.claim_names(items);
        self.parameters(items, options);
        for item in items {
            if let Item::Enumeration(name, values) = item
                && let Ok(id) = self.values(&name.text, values)
            {
                self.names.declare(&name.text, Entity::Type(id));
            }
        }
        for item in items {
            if let Item::Definition(name, parameters, body) = item {
                let definition = define(name, parameters, body);
                self.names
                    .declare(&name.text, Entity::Definition(definition));
            }
        }
        if self.diagnostics.has_errors() {
            return;
        }
        let processes = self.processes(items);
        // Variables first: the order of terms decides that `x <= N` is printed that way round.
        for kind in [SymbolsKind::Variable, SymbolsKind::Constant] {
            self.symbols(items, kind, &processes);
        }
        self.check_values();
    }

    /// Takes the global names and complains about those that are taken.
    fn claim_names(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Parameter(name, _)
                | Item::Enumeration(name, _)
                | Item::Definition(name, ..) => self.claim(name),
                Item::Process(process) => {
                    self.claim(&process.name);
                }
                Item::Symbols(symbols) => {
                    symbols.declarators.iter().for_each(|d| self.claim(&d.name));
                }
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
        let diagnostic = Diagnostic::error("duplicate", name.span, message);
        let line = self.source.position(earlier.start).line;
        let help = format!("the other one is in line {line}");
        self.error(diagnostic.help(help));
    }

    /// The names inside of a process: different from each other and from the global ones.
    fn claim_members(&mut self, process: &ProcessItem) {
        let mut seen: BTreeMap<Arc<str>, Span> = BTreeMap::new();
        let names = process.items.iter().flat_map(|item| match item {
            Item::Definition(name, ..) => vec![name],
            Item::Symbols(symbols) => symbols.declarators.iter().map(|d| &d.name).collect(),
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
                Item::Parameter(name, _) => (name.span, "a parameter"),
                Item::Enumeration(name, _) => (name.span, "an enumeration"),
                Item::Property(property) => (property.name.span, "a property"),
                Item::Synchronous(span) => (*span, "`compose synchronous`"),
                Item::Condition(ConditionKind::Assume, _, span) => (*span, "`assume`"),
                Item::Symbols(s) if s.kind == SymbolsKind::Constant => {
                    (s.declarators[0].name.span, "a constant")
                }
                _ => continue,
            };
            let message = format!("{what} cannot stand inside of a process");
            let diagnostic = Diagnostic::error("syntax", span, message);
            self.error(diagnostic.help("put it behind the `}` of the process"));
        }
    }

    /// The values of the parameters: those of the user, or the defaults.
    fn parameters(&mut self, items: &[Item], options: &ReadOptions) {
        let declared: Vec<(&Name, &Expr)> = items
            .iter()
            .filter_map(|item| match item {
                Item::Parameter(name, value) => Some((name, value)),
                _ => None,
            })
            .collect();
        let given = self.given_parameters(&declared, options);
        let mut done: BTreeMap<Arc<str>, Int> = BTreeMap::new();
        // Parameters may be defined by others: rounds, as long as one more becomes known.
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
                self.error(Diagnostic::error("cycle", name.span, message));
                break;
            }
        }
        let value = |name: &Name| done.get(&name.text).cloned().unwrap_or(Int::ZERO);
        self.parameters = declared
            .iter()
            .map(|(name, _)| (name.text.to_string(), value(name)))
            .collect();
    }

    /// The default of a parameter, made of numbers and the parameters that are done.
    fn parameter_value(&mut self, expr: &Expr, done: &BTreeMap<Arc<str>, Int>) -> Elaborated<Int> {
        for name in expr.free_names() {
            if self.places.contains_key(&name.text) && !done.contains_key(&name.text) {
                let message = format!("`{}` is not a parameter", name.text);
                let diagnostic = Diagnostic::error("constant", name.span, message);
                let help = "the value of a parameter is made of numbers and other parameters";
                return Err(self.error(diagnostic.help(help)));
            }
        }
        let mut elaborator = self.elaborator(None);
        elaborator.constant(expr, "the value of a parameter")
    }

    /// What the user gave by `-D`, as far as it makes sense.
    fn given_parameters(
        &mut self,
        declared: &[(&Name, &Expr)],
        options: &ReadOptions,
    ) -> BTreeMap<String, Int> {
        let mut given = BTreeMap::new();
        for (name, text) in &options.parameters {
            if !declared.iter().any(|(d, _)| *d.text == **name) {
                self.unknown_parameter(name, declared);
                continue;
            }
            match text.trim().parse::<Int>() {
                Ok(value) => {
                    given.insert(name.clone(), value);
                }
                Err(_) => {
                    let message = format!("`-D {name}={text}`: the value is not an integer");
                    let diagnostic = Diagnostic::error("parameter", Span::default(), message);
                    self.error(diagnostic.help(format!("write a number, as in `-D {name}=4`")));
                }
            }
        }
        given
    }

    fn unknown_parameter(&mut self, name: &str, declared: &[(&Name, &Expr)]) {
        let message = format!("`-D {name}`: the file declares no parameter `{name}`");
        let diagnostic = Diagnostic::error("parameter", Span::default(), message);
        let known: Vec<&str> = declared.iter().map(|(d, _)| &*d.text).collect();
        let help = match (closest(name, known.iter().copied()), known.is_empty()) {
            (_, true) => "it declares no parameters at all".to_string(),
            (Some(close), _) => {
                format!(
                    "did you mean `{close}`? The parameters are {}",
                    known.join(", ")
                )
            }
            _ => format!("the parameters are {}", known.join(", ")),
        };
        self.error(diagnostic.help(help));
    }

    /// The enumeration with these values.
    fn values(&mut self, hint: &str, values: &[Name]) -> Elaborated<EnumId> {
        let mut seen = BTreeSet::new();
        let before = self.errors();
        for value in values {
            if !seen.insert(&value.text) {
                let message = format!("the value `{}` is listed twice", value.text);
                self.error(Diagnostic::error("duplicate", value.span, message));
            }
            // Values are printed by their names, and these are operators in `ctl` properties.
            if ["AX", "EX", "AF", "EF", "AG", "EG"].contains(&&*value.text) {
                let message = format!("`{}` cannot be a value of an enumeration", value.text);
                let diagnostic = Diagnostic::error("name", value.span, message);
                self.error(diagnostic.help("it is an operator of `ctl` properties"));
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

    /// Values of enumerations and other names share one space.
    fn check_values(&mut self) {
        let clashes: Vec<(Arc<str>, Span)> = self
            .places
            .iter()
            .filter(|(name, _)| !self.names.variants(name).is_empty())
            .map(|(name, span)| (name.clone(), *span))
            .collect();
        for (name, span) in clashes {
            let message = format!("`{name}` is also a value of an enumeration");
            let diagnostic = Diagnostic::error("duplicate", span, message);
            self.error(diagnostic.help("give one of them another name"));
        }
    }

    /// Declares the processes with their indices and definitions, and gives their positions.
    fn processes(&mut self, items: &[Item]) -> Vec<usize> {
        let mut positions = Vec::new();
        for item in items {
            let Item::Process(process) = item else {
                continue;
            };
            let ranges = self.ranges(&process.indices, None).unwrap_or_default();
            let members = process.items.iter().filter_map(|inner| match inner {
                Item::Definition(name, parameters, body) => {
                    let definition = define(name, parameters, body);
                    Some((name.text.clone(), Member::Definition(definition)))
                }
                _ => None,
            });
            let members = members.collect();
            let indices = process.indices.iter().map(|b| b.name.text.clone());
            let indices = indices.collect();
            positions.push(self.names.declare_process(Process {
                name: process.name.text.clone(),
                indices,
                ranges,
                members,
            }));
        }
        positions
    }

    /// The ranges of indices; each may depend on those before it only by constants.
    pub(super) fn ranges(
        &mut self,
        binders: &[Binder],
        instance: Option<&Instance>,
    ) -> Elaborated<Vec<IndexRange>> {
        let mut ranges = Vec::new();
        for binder in binders {
            let range = self
                .elaborator(instance)
                .index_range(&binder.low, &binder.high);
            ranges.push(range?);
        }
        if let Some(first) = binders.first() {
            let count = count_elements(&ranges);
            let span = first.name.span;
            self.expansion.charge(count, span, &mut self.diagnostics)?;
        }
        Ok(ranges)
    }

    /// Declares the constants, or the variables and clocks, in the order of the text.
    fn symbols(&mut self, items: &[Item], kind: SymbolsKind, processes: &[usize]) {
        let wanted =
            |s: &Symbols| (s.kind == SymbolsKind::Constant) == (kind == SymbolsKind::Constant);
        let mut processes = processes.iter();
        for item in items {
            match item {
                Item::Symbols(symbols) if wanted(symbols) => {
                    for k in 0..symbols.declarators.len() {
                        self.global_family(symbols, k);
                    }
                }
                Item::Process(process) => {
                    let position = *processes.next().expect("every process has its position");
                    if kind == SymbolsKind::Variable {
                        self.members(process, position);
                    }
                }
                _ => {}
            }
        }
    }

    fn global_family(&mut self, symbols: &Symbols, k: usize) {
        let declarator = &symbols.declarators[k];
        let Ok(ranges) = self.ranges(&declarator.indices, None) else {
            return;
        };
        let Ok(list) = self.elements(symbols, k, &ranges, None) else {
            return;
        };
        let family = Family {
            ranges,
            symbols: list,
        };
        let name = &declarator.name.text;
        self.names.declare(name, Entity::Family(family));
    }

    /// The variables of a process, one instance after the other.
    fn members(&mut self, item: &ProcessItem, process: usize) {
        let outer = self.names.process(process).ranges.clone();
        let declared: Vec<(&Symbols, usize)> = item
            .items
            .iter()
            .filter_map(|inner| match inner {
                Item::Symbols(symbols) => Some(symbols),
                _ => None,
            })
            .flat_map(|symbols| (0..symbols.declarators.len()).map(move |k| (symbols, k)))
            .collect();
        let own: Elaborated<Vec<Vec<IndexRange>>> = declared
            .iter()
            .map(|(symbols, k)| self.ranges(&symbols.declarators[*k].indices, None))
            .collect();
        let Ok(own) = own else {
            return;
        };
        let mut lists: Vec<Vec<Symbol>> = vec![Vec::new(); declared.len()];
        for indices in each_choice(&outer) {
            let instance = Instance { process, indices };
            for (position, (symbols, k)) in declared.iter().enumerate() {
                let ranges = &own[position];
                match self.elements(symbols, *k, ranges, Some(&instance)) {
                    Ok(list) => lists[position].extend(list),
                    Err(Reported) => return,
                }
            }
        }
        for ((list, (symbols, k)), own) in lists.into_iter().zip(declared).zip(own) {
            let family = Family {
                ranges: outer.iter().copied().chain(own).collect(),
                symbols: list,
            };
            let name = &symbols.declarators[k].name.text;
            self.names
                .declare_member(process, name, Member::Family(family));
        }
    }

    /// Declares all elements of one declared name, for one instance of a process.
    fn elements(
        &mut self,
        symbols: &Symbols,
        k: usize,
        ranges: &[IndexRange],
        instance: Option<&Instance>,
    ) -> Elaborated<Vec<Symbol>> {
        let declarator = &symbols.declarators[k];
        let prefix = self.prefix(instance);
        let mut list = Vec::new();
        for choice in each_choice(ranges) {
            let own = element_name(&declarator.name.text, &choice);
            let bound = declarator.indices.iter().zip(&choice);
            let bound: Vec<_> = bound.map(|(b, v)| (b.name.text.clone(), *v)).collect();
            let hint = type_hint(&declarator.name.text);
            let (sort, bounds) = self.sort(&symbols.sort, &hint, instance, &bound)?;
            let full = format!("{prefix}{own}");
            list.push(self.declare_symbol(&full, sort, bounds, symbols.kind, &declarator.name)?);
        }
        Ok(list)
    }

    /// `P[1].` inside of an instance, nothing outside.
    pub(super) fn prefix(&self, instance: Option<&Instance>) -> String {
        instance.map_or_else(String::new, |i| {
            let process = self.names.process(i.process);
            format!("{}.", element_name(&process.name, &i.indices))
        })
    }

    fn declare_symbol(
        &mut self,
        full: &str,
        sort: Sort,
        bounds: Bounds,
        kind: SymbolsKind,
        at: &Name,
    ) -> Elaborated<Symbol> {
        if self.names.element(full).is_some() {
            let message = format!("there are two variables called `{full}`");
            return Err(self.error(Diagnostic::error("duplicate", at.span, message)));
        }
        let symbol_kind = match kind {
            SymbolsKind::Constant => SymbolKind::Rigid,
            SymbolsKind::Variable | SymbolsKind::Clock => SymbolKind::State,
        };
        let Ok(symbol) = self.terms.declare(full, sort, symbol_kind) else {
            let message = format!("`{full}` has another type in a text that was read before");
            return Err(self.error(Diagnostic::error("duplicate", at.span, message)));
        };
        // Made now, so that the order of terms is the order of declarations whatever comes first
        // in formulas.
        self.terms.var(symbol);
        self.terms.next(symbol);
        self.names.declare_element(self.terms, symbol, bounds);
        match kind {
            SymbolsKind::Constant => self.rigid.push(symbol),
            SymbolsKind::Variable => self.variables.push(symbol),
            SymbolsKind::Clock => {
                self.variables.push(symbol);
                self.clocks.push(symbol);
            }
        }
        Ok(symbol)
    }

    /// The sort and the range of a type.
    pub(super) fn sort(
        &mut self,
        item: &TypeItem,
        hint: &str,
        instance: Option<&Instance>,
        bound: &[(Arc<str>, i64)],
    ) -> Elaborated<(Sort, Bounds)> {
        let free = Bounds::default();
        Ok(match item {
            TypeItem::Bool => (Sort::Bool, free),
            TypeItem::Int => (Sort::Int, free),
            TypeItem::Real => (Sort::Real, free),
            TypeItem::Nat => (
                Sort::Int,
                Bounds {
                    low: Some(Int::ZERO),
                    high: None,
                },
            ),
            TypeItem::Range(low, high) => (Sort::Int, self.bounds(low, high, instance, bound)?),
            TypeItem::Values(values) => (Sort::Enum(self.values(hint, values)?), free),
            TypeItem::Named(name) => match self.names.entity(&name.text) {
                Some(Entity::Type(id)) => (Sort::Enum(*id), free),
                _ => return Err(self.unknown_type(name)),
            },
        })
    }

    fn bounds(
        &mut self,
        low: &Expr,
        high: &Expr,
        instance: Option<&Instance>,
        bound: &[(Arc<str>, i64)],
    ) -> Elaborated<Bounds> {
        let mut elaborator = self.elaborator(instance);
        for (name, value) in bound {
            elaborator.bind_index(name, *value);
        }
        let first = elaborator.constant(low, "the bound of a range");
        let last = elaborator.constant(high, "the bound of a range");
        let (first, last) = (first?, last?);
        if first > last {
            let message = format!("the range {first}..{last} is empty");
            let span = low.span.to(high.span);
            return Err(self.error(Diagnostic::error("range", span, message)));
        }
        Ok(Bounds {
            low: Some(first),
            high: Some(last),
        })
    }

    fn unknown_type(&mut self, name: &Name) -> Reported {
        let message = format!("there is no type `{}`", name.text);
        let diagnostic = Diagnostic::error("name", name.span, message);
        let types = self.names.entities().filter_map(|(n, e)| match e {
            Entity::Type(_) => Some(&**n),
            _ => None,
        });
        let simple = ["bool", "int", "nat", "real"].into_iter();
        let help = match closest(&name.text, simple.chain(types)) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "types are `bool`, `int`, `nat`, `real`, `lo..hi`, `{a, b}` and the names of \
                     enumerations"
                .to_string(),
        };
        self.error(diagnostic.help(help))
    }

    /// The initial values and ranges of declared variables, as conditions.
    pub(super) fn initial_values(&mut self, symbols: &Symbols, instance: Option<&Instance>) {
        for declarator in &symbols.declarators {
            let Ok(ranges) = self.quiet_ranges(&declarator.indices) else {
                return;
            };
            for choice in each_choice(&ranges) {
                let prefix = self.prefix(instance);
                let own = element_name(&declarator.name.text, &choice);
                let Some(symbol) = self.names.element(&format!("{prefix}{own}")) else {
                    return;
                };
                self.restrict_to_bounds(symbol);
                if symbols.kind == SymbolsKind::Clock {
                    let zero = self.terms.number(Rat::ZERO, Sort::Real);
                    self.init.push(self.terms.eq(self.terms.var(symbol), zero));
                }
                let Some(initial) = &symbols.initial else {
                    continue;
                };
                let indices = declarator.indices.iter().zip(&choice);
                if self
                    .initial_value(symbol, initial, indices, instance)
                    .is_err()
                {
                    return;
                }
            }
        }
    }

    /// Ranges that were computed, and counted, before.
    fn quiet_ranges(&mut self, binders: &[Binder]) -> Elaborated<Vec<IndexRange>> {
        let each = |b: &Binder| self.elaborator(None).index_range(&b.low, &b.high);
        binders.iter().map(each).collect()
    }

    fn restrict_to_bounds(&mut self, symbol: Symbol) {
        let terms = self.terms;
        let bounds = self.names.bounds(symbol);
        let value = terms.var(symbol);
        let number = |i: Int| terms.number(Rat::from(i), Sort::Int);
        if let Some(low) = bounds.low {
            self.restrict.push(terms.ge(value, number(low)));
        }
        if let Some(high) = bounds.high {
            self.restrict.push(terms.le(value, number(high)));
        }
    }

    fn initial_value<'b>(
        &mut self,
        symbol: Symbol,
        initial: &Expr,
        indices: impl Iterator<Item = (&'b Binder, &'b i64)>,
        instance: Option<&Instance>,
    ) -> Elaborated<()> {
        let terms = self.terms;
        let bounds = self.names.bounds(symbol);
        let mut elaborator = self.elaborator(instance);
        for (binder, value) in indices {
            elaborator.bind_index(&binder.name.text, *value);
        }
        let value = elaborator.expect(initial, terms.symbol_sort(symbol))?;
        if let Some(outside) = outside(terms, value, &bounds) {
            let message = format!("the initial value {outside}");
            return Err(self.error(Diagnostic::error("range", initial.span, message)));
        }
        let equation = terms.eq(terms.var(symbol), value);
        split_conjuncts(terms, equation, &mut self.init);
        Ok(())
    }

    /// Looks at definitions without parameters even if nobody uses them.
    pub(super) fn check_definitions(&mut self) {
        let definitions: Vec<Arc<Definition>> = self
            .names
            .entities()
            .filter_map(|(_, entity)| match entity {
                Entity::Definition(d) if d.parameters.is_empty() => Some(d.clone()),
                _ => None,
            })
            .collect();
        for definition in definitions {
            self.elaborator(None).check_definition(&definition);
        }
    }

    /// The same for the definitions of a process, in one of its instances.
    pub(super) fn check_member_definitions(&mut self, instance: &Instance) {
        let members = self.names.process(instance.process).members.values();
        let definitions: Vec<Arc<Definition>> = members
            .filter_map(|member| match member {
                Member::Definition(d) if d.parameters.is_empty() => Some(d.clone()),
                _ => None,
            })
            .collect();
        for definition in definitions {
            self.elaborator(Some(instance))
                .check_definition(&definition);
        }
    }
}

/// Says that a constant lies outside of a range, if it does.
pub(super) fn outside(
    terms: &Terms,
    value: sectile_terms::Term,
    bounds: &Bounds,
) -> Option<String> {
    let number = terms.as_number(value)?.to_int()?;
    let low = bounds.low.as_ref().is_some_and(|low| number < *low);
    let high = bounds.high.as_ref().is_some_and(|high| number > *high);
    let text = |end: &Option<Int>| end.as_ref().map_or(String::new(), Int::to_string);
    let range = match (&bounds.low, &bounds.high) {
        (Some(low), None) => format!("values from {low}"),
        _ => format!("{}..{}", text(&bounds.low), text(&bounds.high)),
    };
    (low || high).then(|| format!("{number} lies outside of {range}"))
}

fn define(name: &Name, parameters: &[Name], body: &Expr) -> Arc<Definition> {
    Arc::new(Definition {
        name: name.clone(),
        parameters: parameters.to_vec(),
        body: body.clone(),
    })
}

/// The name of an enumeration on the spot: that of its variable, written like a type.
fn type_hint(variable: &str) -> String {
    let mut letters = variable.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}
