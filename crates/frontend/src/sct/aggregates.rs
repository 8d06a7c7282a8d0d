//! Replaces records and channels by plain variables.
//!
//! `var m : msg` declares the variables `m.kind` and `m.from`; `chan c : 2 of msg` declares `c.len`
//! and `c.slot0.kind`, `c.slot0.from`, `c.slot1.kind`, ... Empty slots have a fixed value, so that
//! states with the same messages are identical. An unbounded channel becomes `c.head`, `c.tail` and an
//! array `c.queue` for every field.

use super::ast::{ChannelItem, Declarator, Item, Symbols, SymbolsKind};
use super::read::Reader;
use crate::elaborate::{Aggregate, Channel, Elaborated, queue, slot};
use crate::messages::{Report as _, Reported};
use crate::syntax::{Expr, ExprKind, Name, NumberKind, TypeItem};
use sectile_base::{Rat, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The maximum capacity of a bounded channel.
const LONGEST: i64 = 1000;

/// The variables of a type: their paths after the dot, and their types.
type Leaves = Vec<(String, TypeItem)>;

impl Reader<'_> {
    /// The declarations with records and channels replaced by plain variables.
    pub(super) fn plain_variables(&mut self, items: Vec<Item>) -> Vec<Item> {
        let mut first_values = BTreeMap::new();
        for item in &items {
            match item {
                Item::Type(name, sort) => {
                    self.types.insert(name.text.clone(), sort.clone());
                }
                Item::Enumeration(name, values) => {
                    first_values.extend(values.first().map(|v| (name.text.clone(), v.clone())));
                }
                _ => {}
            }
        }
        self.refuse_cycles(&items);
        let mut found = Vec::new();
        self.plain_items(items, &first_values, &mut found);
        found
    }

    /// Reports types that contain themselves.
    fn refuse_cycles(&mut self, items: &[Item]) {
        for item in items {
            let Item::Type(name, sort) = item else {
                continue;
            };
            let mut seen = BTreeSet::new();
            let mut open = vec![sort];
            let mut cyclic = false;
            while let Some(sort) = open.pop() {
                match sort {
                    TypeItem::Named(inner) => {
                        cyclic |= inner.text == name.text;
                        if seen.insert(inner.text.clone()) {
                            open.extend(self.types.get(&inner.text));
                        }
                    }
                    TypeItem::Record(fields, _) => open.extend(fields.iter().map(|(_, s)| s)),
                    TypeItem::Array(index, element, _) => open.extend([&**index, &**element]),
                    _ => {}
                }
            }
            if cyclic {
                let message = format!("the type `{}` contains itself", name.text);
                self.error("cycle", name.span, message, "");
                self.types.remove(&name.text);
            }
        }
    }

    fn plain_items(
        &mut self,
        items: Vec<Item>,
        first_values: &BTreeMap<Arc<str>, Name>,
        found: &mut Vec<Item>,
    ) {
        for item in items {
            match item {
                Item::Symbols(symbols) if self.is_record(&symbols.sort) => {
                    // Errors are in the diagnostics.
                    let _ = self.record(&symbols, found);
                }
                Item::Channel(channel) => {
                    let _ = self.channel(&channel, first_values, found);
                }
                Item::Process(mut process) => {
                    let inner = std::mem::take(&mut process.items);
                    // Processes do not nest, so recursion is only one level deep.
                    self.plain_items(inner, first_values, &mut process.items);
                    found.push(Item::Process(process));
                }
                other => found.push(other),
            }
        }
    }

    /// The type that a name refers to. There are no cycles.
    fn resolved(&self, sort: &TypeItem) -> TypeItem {
        let mut sort = sort;
        while let TypeItem::Named(name) = sort
            && let Some(meant) = self.types.get(&name.text)
        {
            sort = meant;
        }
        sort.clone()
    }

    fn is_record(&self, sort: &TypeItem) -> bool {
        matches!(self.resolved(sort), TypeItem::Record(..))
    }

    /// The variables of a type, in the order of its fields.
    fn leaves(&mut self, sort: &TypeItem) -> Elaborated<Leaves> {
        let mut found = Vec::new();
        let mut open = vec![(String::new(), sort.clone())];
        while let Some((path, sort)) = open.pop() {
            let TypeItem::Record(fields, span) = self.resolved(&sort) else {
                found.push((path, sort));
                continue;
            };
            let count = fields.len() as u64;
            self.expansion.charge(count, span, &mut self.diagnostics)?;
            for (k, (name, _)) in fields.iter().enumerate() {
                if fields[..k].iter().any(|(n, _)| n.text == name.text) {
                    let message = format!("the field `{}` is declared twice", name.text);
                    return Err(self.error("duplicate", name.span, message, ""));
                }
            }
            let inner = fields.into_iter().rev();
            open.extend(inner.map(|(name, sort)| (behind(&path, &name.text), sort)));
        }
        Ok(found)
    }

    fn record(&mut self, symbols: &Symbols, found: &mut Vec<Item>) -> Elaborated<()> {
        let leaves = self.leaves(&symbols.sort)?;
        let fields: Vec<Arc<str>> = leaves.iter().map(|(path, _)| Arc::from(&**path)).collect();
        if let Some(initial) = &symbols.initial {
            self.elaborator(None).check_record(initial, &fields)?;
        }
        for declarator in &symbols.declarators {
            found.push(Item::Aggregates(records(&declarator.name.text, &leaves)));
            for (path, sort) in &leaves {
                let initial = symbols.initial.as_ref();
                let initial = initial.map(|e| self.elaborator(None).part(e, path));
                found.push(variable(
                    declarator,
                    path,
                    symbols.kind,
                    sort.clone(),
                    initial.transpose()?,
                ));
            }
        }
        self.names.aggregates = true;
        Ok(())
    }

    fn channel(
        &mut self,
        item: &ChannelItem,
        first_values: &BTreeMap<Arc<str>, Name>,
        found: &mut Vec<Item>,
    ) -> Elaborated<()> {
        let Some(capacity) = &item.capacity else {
            return self.unbounded(item, first_values, found);
        };
        let span = capacity.span;
        let capacity = self
            .elaborator(None)
            .constant(capacity, "the length of a channel")?;
        let Some(capacity) = capacity.to_i64().filter(|k| (1..=LONGEST).contains(k)) else {
            let message = format!("a channel holds 1 to {LONGEST} messages, not {capacity}");
            return Err(self.error("range", span, message, ""));
        };
        let leaves = self.leaves(&item.holds)?;
        let held = self.held(item, &leaves, first_values, span)?;
        for declarator in &item.declarators {
            let name = &declarator.name.text;
            let channel = Channel {
                capacity: Some(capacity),
                held: held.clone(),
                ranges: Vec::new(),
            };
            let mut aggregates = vec![(name.clone(), Arc::new(Aggregate::Channel(channel)))];
            let ends = (number(0, span), number(capacity, span));
            let length = TypeItem::Range(ends.0.clone(), ends.1);
            let kind = SymbolsKind::Variable;
            let mut variables = vec![variable(declarator, "len", kind, length, Some(ends.0))];
            for place in 0..capacity {
                if leaves.iter().all(|(path, _)| !path.is_empty()) {
                    aggregates.extend(records(&behind(name, &slot(place, "")), &leaves));
                }
                for ((path, sort), (_, value)) in leaves.iter().zip(&held) {
                    let (path, value) = (slot(place, path), Some(value.clone()));
                    variables.push(variable(declarator, &path, kind, sort.clone(), value));
                }
            }
            let count = variables.len() as u64;
            self.expansion.charge(count, span, &mut self.diagnostics)?;
            found.push(Item::Aggregates(aggregates));
            found.extend(variables);
        }
        self.names.aggregates = true;
        Ok(())
    }

    /// The variables of a message, with their values in an empty slot.
    fn held(
        &mut self,
        item: &ChannelItem,
        leaves: &Leaves,
        first_values: &BTreeMap<Arc<str>, Name>,
        span: Span,
    ) -> Elaborated<Vec<(Arc<str>, Expr)>> {
        let mut held = Vec::new();
        for (path, sort) in leaves {
            let value = self.empty(sort, first_values, span)?;
            let own = item.declarators.iter().flat_map(|d| &d.indices);
            let mut own = own.map(|b| &b.name.text);
            if let Some(name) = own.find(|n| value.free_names().iter().any(|m| m.text == **n)) {
                let message = format!("the type of the messages depends on `{name}`");
                return Err(self.error("type", value.span, message, ""));
            }
            held.push((Arc::from(&**path), value));
        }
        Ok(held)
    }

    /// An unbounded channel: arrays of messages, with the positions of the oldest message and of
    /// the next one.
    fn unbounded(
        &mut self,
        item: &ChannelItem,
        first_values: &BTreeMap<Arc<str>, Name>,
        found: &mut Vec<Item>,
    ) -> Elaborated<()> {
        let span = item.declarators[0].name.span;
        let leaves = self.leaves(&item.holds)?;
        let held = self.held(item, &leaves, first_values, span)?;
        let kind = SymbolsKind::Variable;
        for declarator in &item.declarators {
            let range = |sort: &TypeItem| match self.resolved(sort) {
                TypeItem::Range(low, high) => (Some(low), Some(high)),
                TypeItem::Nat => (Some(number(0, span)), None),
                _ => (None, None),
            };
            let channel = Channel {
                capacity: None,
                held: held.clone(),
                ranges: leaves.iter().map(|(_, sort)| range(sort)).collect(),
            };
            let channel = Arc::new(Aggregate::Channel(channel));
            found.push(Item::Aggregates(vec![(
                declarator.name.text.clone(),
                channel,
            )]));
            for end in ["head", "tail"] {
                let zero = Some(number(0, span));
                found.push(variable(declarator, end, kind, TypeItem::Nat, zero));
            }
            for ((path, sort), (_, empty)) in leaves.iter().zip(&held) {
                let element = match self.resolved(sort) {
                    TypeItem::Range(..) | TypeItem::Nat => TypeItem::Int,
                    _ => sort.clone(),
                };
                let (index, element) = (Box::new(TypeItem::Int), Box::new(element));
                let nothing = ExprKind::Filled(index.clone(), Box::new(empty.clone()));
                let nothing = Some(Expr::at(span, nothing));
                let sort = TypeItem::Array(index, element, span);
                found.push(variable(declarator, &queue(path), kind, sort, nothing));
            }
        }
        self.names.aggregates = true;
        Ok(())
    }

    /// The value of an empty slot.
    fn empty(
        &mut self,
        sort: &TypeItem,
        first_values: &BTreeMap<Arc<str>, Name>,
        span: Span,
    ) -> Elaborated<Expr> {
        let kind = match self.resolved(sort) {
            TypeItem::Bool => ExprKind::Bool(false),
            TypeItem::Int | TypeItem::Nat | TypeItem::Real => return Ok(number(0, span)),
            TypeItem::Range(low, _) => return Ok(low),
            TypeItem::Values(values) => ExprKind::Name(values.first().ok_or(Reported)?.clone()),
            TypeItem::Named(name) => match first_values.get(&name.text) {
                Some(value) => ExprKind::Name(value.clone()),
                // The unknown type of the variable is reported elsewhere.
                None => return Ok(number(0, span)),
            },
            TypeItem::Array(_, _, span) | TypeItem::Record(_, span) => {
                let message = "a channel cannot hold arrays";
                return Err(self.error("type", span, message, ""));
            }
        };
        Ok(Expr::at(span, kind))
    }
}

/// The record with this name, and the records inside of it.
fn records(name: &str, leaves: &Leaves) -> Vec<(Arc<str>, Arc<Aggregate>)> {
    let mut inside: BTreeMap<String, Vec<Arc<str>>> = BTreeMap::new();
    for (path, _) in leaves {
        inside
            .entry(name.to_string())
            .or_default()
            .push(Arc::from(&**path));
        for (dot, _) in path.match_indices('.') {
            let fields = inside.entry(behind(name, &path[..dot])).or_default();
            fields.push(Arc::from(&path[dot + 1..]));
        }
    }
    let records = inside.into_iter();
    let records = records.map(|(name, fields)| (name, Arc::new(Aggregate::Record(fields))));
    records
        .map(|(name, record)| (Arc::from(name), record))
        .collect()
}

/// The declaration of one variable of a record or channel.
fn variable(
    of: &Declarator,
    path: &str,
    kind: SymbolsKind,
    sort: TypeItem,
    initial: Option<Expr>,
) -> Item {
    let name = Name {
        text: Arc::from(behind(&of.name.text, path)),
        ..of.name.clone()
    };
    let declarator = Declarator { name, ..of.clone() };
    Item::Symbols(Symbols {
        kind,
        declarators: vec![declarator],
        sort,
        initial,
    })
}

/// The names joined by a dot, unless the first is empty.
fn behind(first: &str, second: &str) -> String {
    match first.is_empty() {
        true => second.to_string(),
        false => format!("{first}.{second}"),
    }
}

fn number(value: i64, span: Span) -> Expr {
    let kind = ExprKind::Number(Rat::from(value), NumberKind::Integer);
    Expr::at(span, kind)
}
