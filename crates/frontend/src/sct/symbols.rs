//! Declares variables, constants and clocks with their types and conditions.

use super::ast::{Declarator, FunctionItem, Item, ProcessItem, Symbols, SymbolsKind};
use super::parse::TYPES_HELP;
use super::read::Reader;
use crate::elaborate::{
    Bounds, Elaborated, Entity, Family, IndexRange, Instance, Member, each_choice, element_name,
};
use crate::messages::{Report as _, Reported, did_you_mean};
use crate::syntax::{Binder, Expr, Name, TypeItem};
use sectile_base::{Int, Rat};
use sectile_model::Field;
use sectile_terms::{Sort, Symbol, SymbolKind, Term, Terms};
use std::sync::Arc;

impl Reader<'_> {
    /// Declares the constants, or the variables and clocks, in the order of the text.
    pub(super) fn symbols(&mut self, items: &[Item], kind: SymbolsKind, processes: &[usize]) {
        let wanted =
            |s: &Symbols| (s.kind == SymbolsKind::Constant) == (kind == SymbolsKind::Constant);
        let mut processes = processes.iter();
        for item in items {
            match item {
                Item::Symbols(symbols) if wanted(symbols) => {
                    for declarator in &symbols.declarators {
                        self.global_family(symbols, declarator);
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

    fn global_family(&mut self, symbols: &Symbols, declarator: &Declarator) {
        if let Ok(ranges) = self.ranges(&declarator.indices, None)
            && let Ok(symbols) = self.elements(symbols, declarator, &ranges, None)
        {
            let family = Entity::Family(Family { ranges, symbols });
            self.names.declare(&declarator.name.text, family);
        }
    }

    /// Declares the variables of a process, one instance after the other.
    fn members(&mut self, item: &ProcessItem, process: usize) {
        let outer = self.names.processes[process].ranges.clone();
        let mut declared = Vec::new();
        for inner in &item.items {
            let Item::Symbols(symbols) = inner else {
                continue;
            };
            for declarator in &symbols.declarators {
                let Ok(own) = self.ranges(&declarator.indices, None) else {
                    return;
                };
                declared.push((symbols, declarator, own, Vec::new()));
            }
        }
        for indices in each_choice(&outer) {
            let instance = Instance { process, indices };
            for (symbols, declarator, own, list) in &mut declared {
                match self.elements(symbols, declarator, own, Some(&instance)) {
                    Ok(more) => list.extend(more),
                    Err(Reported) => return,
                }
            }
        }
        for (_, declarator, own, symbols) in declared {
            let ranges = outer.iter().copied().chain(own).collect();
            let members = &mut self.names.processes[process].members;
            let family = Member::Family(Family { ranges, symbols });
            members.insert(declarator.name.text.clone(), family);
        }
    }

    /// Declares all elements of a declared name, for one instance of a process.
    fn elements(
        &mut self,
        symbols: &Symbols,
        declarator: &Declarator,
        ranges: &[IndexRange],
        instance: Option<&Instance>,
    ) -> Elaborated<Vec<Symbol>> {
        let prefix = self.prefix(instance);
        let mut list = Vec::new();
        for choice in each_choice(ranges) {
            let own = declarator.element(&choice);
            let bound = declarator.indices.iter().zip(&choice);
            let bound: Vec<_> = bound.map(|(b, v)| (b.name.text.clone(), *v)).collect();
            let hint = type_hint(&declarator.name.text);
            let (sort, bounds) = self.sort(&symbols.sort, &hint, instance, &bound)?;
            let full = format!("{prefix}{own}");
            let symbol =
                self.declare_symbol(&full, sort, bounds, symbols.kind, &declarator.name)?;
            let field = self.field(instance, &declarator.name.text, &choice);
            if field.indices().next().is_some() {
                self.model.families.fields.insert(symbol, field);
            }
            list.push(symbol);
        }
        Ok(list)
    }

    /// `P[1].` inside of an instance, otherwise empty.
    pub(super) fn prefix(&self, instance: Option<&Instance>) -> String {
        instance.map_or_else(String::new, |i| {
            let process = &self.names.processes[i.process];
            format!("{}.", element_name(&process.name, &i.indices))
        })
    }

    /// Describes a name with indices as a field of a family.
    pub(super) fn field(&self, instance: Option<&Instance>, name: &str, own: &[i64]) -> Field {
        let process = instance.and_then(|i| {
            let process = &self.names.processes[i.process];
            let mut list = self.model.families.list.iter();
            let family = list.position(|f| *f.name == *process.name)?;
            Some((family, *i.indices.first()?))
        });
        let prefix = match process {
            Some(_) => String::new(),
            None => self.prefix(instance),
        };
        Field {
            process,
            name: prefix + name,
            elements: own.to_vec(),
        }
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
            return Err(self.error("duplicate", at.span, message, ""));
        }
        let symbol_kind = match kind {
            SymbolsKind::Constant => SymbolKind::Rigid,
            SymbolsKind::Variable | SymbolsKind::Clock => SymbolKind::State,
        };
        let Ok(symbol) = self.terms.declare(full, sort, symbol_kind) else {
            let message = format!("`{full}` has another type in a text that was read before");
            return Err(self.error("duplicate", at.span, message, ""));
        };
        // Created now, so that the order of terms is the order of declarations, not of uses in
        // formulas.
        self.terms.var(symbol);
        self.terms.next(symbol);
        self.names.declare_element(self.terms, symbol, bounds);
        match kind {
            SymbolsKind::Constant => self.model.rigid.push(symbol),
            SymbolsKind::Variable => self.model.variables.push(symbol),
            SymbolsKind::Clock => {
                self.model.variables.push(symbol);
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
            TypeItem::Nat => (Sort::Int, Bounds::natural()),
            TypeItem::Range(low, high) => {
                let mut elaborator = self.elaborator(instance);
                for (name, value) in bound {
                    elaborator.bind_index(name, *value);
                }
                (Sort::Int, elaborator.bounds_of_type(low, high)?)
            }
            TypeItem::Values(values) => (Sort::Enum(self.values(hint, values)?), free),
            TypeItem::Named(name) if self.types.contains_key(&name.text) => {
                let sort = self.types[&name.text].clone();
                return self.sort(&sort, hint, instance, bound);
            }
            TypeItem::Record(_, span) => {
                let message = "a record cannot stand here";
                let help = "variables, fields and messages may be records";
                return Err(self.error("type", *span, message, help));
            }
            TypeItem::Named(name) => match self.names.entities.get(&*name.text) {
                Some(Entity::Type(id)) => (Sort::Enum(*id), free),
                _ => return Err(self.unknown_type(name)),
            },
            TypeItem::Array(index, element, span) => {
                let (index, low) = self.sort(index, hint, instance, bound)?;
                let (element, high) = self.sort(element, hint, instance, bound)?;
                if low != free || high != free {
                    let message = "the indices and elements of an array have no range";
                    let help = "use `int`, and a condition where a range matters";
                    return Err(self.error("range", *span, message, help));
                }
                (self.terms.array_sort(index, element), free)
            }
        })
    }

    /// Declares an uninterpreted function.
    pub(super) fn function(&mut self, item: &FunctionItem) -> Elaborated<()> {
        let mut sorts = Vec::new();
        for of in item.arguments.iter().chain([&item.result]) {
            let (sort, bounds) = self.sort(of, &item.name.text, None, &[])?;
            if bounds != Bounds::default() {
                let message = "the arguments and results of a function have no range";
                let help = "use `int`, and `assume` or a condition where a range matters";
                return Err(self.error("range", item.span, message, help));
            }
            sorts.push(sort);
        }
        let Some((result, arguments)) = sorts.split_last() else {
            return Ok(());
        };
        let name = &item.name.text;
        let Ok(symbol) = self.terms.declare_function(name, arguments, *result) else {
            let message = format!("`{name}` has another type in a text that was read before");
            return Err(self.error("duplicate", item.name.span, message, ""));
        };
        self.model.rigid.push(symbol);
        self.names.declare(name, Entity::Function(symbol));
        Ok(())
    }

    fn unknown_type(&mut self, name: &Name) -> Reported {
        let message = format!("there is no type `{}`", name.text);
        let types = self.names.entities.iter();
        let types = types
            .filter(|(_, e)| matches!(e, Entity::Type(_)))
            .map(|(n, _)| &**n)
            .chain(self.types.keys().map(|n| &**n));
        let simple = ["bool", "int", "nat", "real"].into_iter();
        let help = did_you_mean(&name.text, simple.chain(types), TYPES_HELP);
        self.error("name", name.span, message, help)
    }

    /// Adds the initial values and ranges of declared variables as conditions.
    pub(super) fn initial_values(&mut self, symbols: &Symbols, instance: Option<&Instance>) {
        for declarator in &symbols.declarators {
            let name = &declarator.name.text;
            let family = match instance {
                Some(instance) => match self.names.processes[instance.process].members.get(name) {
                    Some(Member::Family(family)) => family.clone(),
                    _ => return,
                },
                None => match self.names.entities.get(name) {
                    Some(Entity::Family(family)) => family.clone(),
                    _ => return,
                },
            };
            let outer = instance.map_or(&[][..], |i| &i.indices);
            for choice in each_choice(&family.ranges[outer.len()..]) {
                let Some(symbol) = family.element(&[outer, &choice].concat()) else {
                    return;
                };
                let value = self.terms.var(symbol);
                let bounds = self.names.bounds(symbol);
                let conditions = bounds.conditions(self.terms, value);
                self.model.restrict.extend(conditions);
                if symbols.kind == SymbolsKind::Clock {
                    let zero = self.terms.number(Rat::ZERO, Sort::Real);
                    self.model.init.push(self.terms.eq(value, zero));
                }
                let indices = declarator.indices.iter().zip(&choice);
                if let Some(initial) = &symbols.initial
                    && self
                        .initial_value(symbol, initial, indices, instance)
                        .is_err()
                {
                    return;
                }
            }
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
            return Err(self.error("range", initial.span, message, ""));
        }
        let equation = terms.eq(terms.var(symbol), value);
        self.model.init.extend(terms.conjuncts(equation));
        Ok(())
    }
}

/// A message if a constant lies outside of a range.
pub(super) fn outside(terms: &Terms, value: Term, bounds: &Bounds) -> Option<String> {
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

/// The name for an anonymous enumeration: that of its variable, capitalised like a type.
fn type_hint(variable: &str) -> String {
    let field = variable.rsplit('.').next().unwrap_or(variable);
    let mut letters = field.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}
