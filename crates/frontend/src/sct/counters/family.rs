//! Families of processes and their local states.

use super::super::ast::{Item, ProcessItem, SymbolsKind};
use super::Counted;
use super::code::Code;
use crate::elaborate::combinations;
use crate::syntax::{Binder, Expr, ExprKind, Name, TypeItem};
use sectile_base::{Diagnostic, Source, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The maximum number of local states of a family.
const MOST_STATES: usize = 256;

pub(super) const NO_CHANNELS: &str = "channels are not counted";

/// The error for something that cannot be translated.
pub(super) fn refused(span: Span, reason: impl Into<String>) -> Diagnostic {
    Diagnostic::error("counters", span, reason)
}

/// A local variable with its values.
pub(super) struct Local {
    pub name: String,
    pub values: Vec<Code>,
    pub initial: Option<Code>,
}

/// A family of identical processes.
pub(super) struct Family<'f> {
    pub item: &'f ProcessItem,
    pub locals: Vec<Local>,
    /// The values of all local variables, one row for every local state.
    states: Vec<Vec<usize>>,
    /// The number of its first local state: the states of all families are numbered consecutively.
    first: usize,
    /// The index range as written, without blanks.
    pub range: (String, String),
    /// The number of processes, as an expression.
    pub size: String,
}

/// All families of processes.
pub(super) struct Families<'f> {
    /// The families, in the order of the source.
    pub list: Vec<Family<'f>>,
    /// The names of the counters, one for every local state of every family.
    pub counters: Vec<String>,
}

/// A text without blanks, for comparisons.
pub(super) fn squeezed(source: &Source, span: Span) -> String {
    let range = span.start as usize..span.end as usize;
    let text = source.text().get(range).unwrap_or("");
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The ends of a range as written, without blanks.
pub(super) fn range(source: &Source, binder: &Binder) -> (String, String) {
    let ends = (binder.low.span, binder.high.span);
    (squeezed(source, ends.0), squeezed(source, ends.1))
}

impl<'f> Families<'f> {
    /// Finds the families of a model.
    pub fn find(source: &Source, items: &'f [Item]) -> Result<Families<'f>, Diagnostic> {
        let mut taken = taken(items);
        let mut found = Families {
            list: Vec::new(),
            counters: Vec::new(),
        };
        for item in items {
            if let Item::Process(process) = item {
                let first = found.counters.len();
                let family = Family::new(source, items, process, first)?;
                found.counters.extend(names(&family, &mut taken));
                found.list.push(family);
            }
        }
        if found.list.is_empty() {
            let why = "there is no family of processes such as `process P[i : 1..n]`";
            return Err(refused(Span::default(), why));
        }
        Ok(found)
    }

    /// The number of the family of a local state.
    pub fn number_of(&self, state: usize) -> usize {
        self.list.partition_point(|f| f.first <= state) - 1
    }

    /// The family of a local state.
    pub fn of(&self, state: usize) -> &Family<'f> {
        &self.list[self.number_of(state)]
    }

    /// The names on which the index ranges depend.
    pub fn sizes(&self) -> Vec<String> {
        self.list.iter().flat_map(Family::sizes).collect()
    }

    /// For every counter, the number of its family and the values of the local variables.
    pub fn meanings(&self) -> Vec<Counted> {
        let states = self.counters.iter().enumerate();
        let meaning = |(state, name): (usize, &String)| Counted {
            counter: name.clone(),
            family: self.number_of(state),
            values: self.of(state).meaning(state),
        };
        states.map(meaning).collect()
    }
}

impl<'f> Family<'f> {
    fn new(
        source: &Source,
        items: &[Item],
        item: &'f ProcessItem,
        first: usize,
    ) -> Result<Family<'f>, Diagnostic> {
        let [index] = &item.indices[..] else {
            let why = "the family needs exactly one index";
            return Err(refused(item.name.span, why));
        };
        let range = range(source, index);
        let size = match (range.0.as_str(), range.1.strip_suffix("-1")) {
            ("0", Some(n)) => n.to_string(),
            ("1", _) => range.1.clone(),
            _ => format!("({} - ({}) + 1)", range.1, range.0),
        };
        let locals = locals(items, item)?;
        let states = product(&locals, item)?;
        Ok(Family {
            item,
            locals,
            states,
            first,
            range,
            size,
        })
    }

    /// Its local states.
    pub fn states(&self) -> Range<usize> {
        self.first..self.first + self.states.len()
    }

    /// The value of a local variable in a local state.
    pub fn value(&self, state: usize, local: usize) -> Code {
        self.locals[local].values[self.states[state - self.first][local]].clone()
    }

    /// The local state after assigning a local variable.
    pub fn changed(&self, state: usize, local: usize, value: usize) -> usize {
        let mut row = self.states[state - self.first].clone();
        row[local] = value;
        let place = self.states.iter().position(|s| *s == row);
        self.first + place.expect("all combinations of values are states")
    }

    /// The names on which the index range depends.
    pub fn sizes(&self) -> Vec<String> {
        let ends = self.item.indices.iter().flat_map(|i| [&i.low, &i.high]);
        let names = ends.flat_map(Expr::free_names);
        names.map(|n| n.text.to_string()).collect()
    }

    /// The values of the local variables in a local state.
    fn meaning(&self, state: usize) -> Vec<(String, String)> {
        let value = |(local, &v): (&Local, &usize)| {
            let text = match &local.values[v] {
                // Without parentheses.
                Code::Int(k) => k.to_string(),
                other => other.text(),
            };
            (local.name.clone(), text)
        };
        let row = &self.states[state - self.first];
        self.locals.iter().zip(row).map(value).collect()
    }

    pub fn local(&self, name: &str) -> Option<usize> {
        self.locals.iter().position(|l| l.name == name)
    }
}

fn locals(items: &[Item], item: &ProcessItem) -> Result<Vec<Local>, Diagnostic> {
    let mut locals = Vec::new();
    for inner in &item.items {
        if let Item::Channel(channel) = inner {
            return Err(refused(channel.declarators[0].name.span, NO_CHANNELS));
        }
        let Item::Symbols(symbols) = inner else {
            continue;
        };
        for declarator in &symbols.declarators {
            let span = declarator.name.span;
            let name = declarator.name.text.to_string();
            if symbols.kind != SymbolsKind::Variable {
                let why = format!("`{name}` is a clock: time is not counted");
                return Err(refused(span, why));
            }
            if !declarator.indices.is_empty() {
                return Err(refused(span, format!("`{name}` is a local array")));
            }
            let values = values(items, &symbols.sort).ok_or_else(|| {
                let why = format!("the local variable `{name}` does not have finitely many values");
                refused(span, why).help("counters count the processes with each local value")
            })?;
            locals.push(Local {
                name,
                values,
                initial: None,
            });
        }
    }
    if locals.is_empty() {
        let why = "the processes have no local variables";
        return Err(refused(item.name.span, why));
    }
    Ok(locals)
}

/// The values of a type, if it is finite.
fn values(items: &[Item], sort: &TypeItem) -> Option<Vec<Code>> {
    let value = |n: &Name| Code::Value(n.text.to_string());
    let named = |names: &[Name]| names.iter().map(value).collect();
    match sort {
        TypeItem::Bool => Some(vec![Code::Bool(false), Code::Bool(true)]),
        TypeItem::Values(names) => Some(named(names)),
        TypeItem::Named(name) => items.iter().find_map(|item| match item {
            Item::Enumeration(n, names) if n.text == name.text => Some(named(names)),
            _ => None,
        }),
        TypeItem::Range(low, high) => {
            let (low, high) = (literal(low)?, literal(high)?);
            (high - low < 64).then(|| (low..=high).map(Code::Int).collect())
        }
        TypeItem::Int
        | TypeItem::Nat
        | TypeItem::Real
        | TypeItem::Array(..)
        | TypeItem::Record(..) => None,
    }
}

/// The value of an integer literal.
pub(super) fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(value, _) if value.is_int() => value.to_string().parse().ok(),
        ExprKind::Negate(inner) => literal(inner).map(|k| -k),
        _ => None,
    }
}

fn product(locals: &[Local], item: &ProcessItem) -> Result<Vec<Vec<usize>>, Diagnostic> {
    let sizes = locals.iter().map(|l| l.values.len());
    if sizes.clone().fold(1, usize::saturating_mul) > MOST_STATES {
        let why = format!("the processes have more than {MOST_STATES} local states");
        return Err(refused(item.name.span, why));
    }
    Ok(combinations(sizes.map(|size| 0..size)))
}

/// All names used in the model.
fn taken(items: &[Item]) -> BTreeSet<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for item in items {
        match item {
            Item::Parameter(parameter) => {
                taken.insert(parameter.name.text.to_string());
            }
            Item::Definition(name, ..) => {
                taken.insert(name.text.to_string());
            }
            Item::Enumeration(name, values) => {
                taken.extend(values.iter().chain([name]).map(|v| v.text.to_string()));
            }
            Item::Symbols(s) => {
                taken.extend(s.declarators.iter().map(|d| d.name.text.to_string()));
            }
            _ => {}
        }
    }
    taken
}

/// Unused names for the counters of a family.
fn names(family: &Family<'_>, taken: &mut BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for row in &family.states {
        let words = family
            .locals
            .iter()
            .zip(row)
            .map(|(local, &v)| match &local.values[v] {
                Code::Bool(true) => local.name.clone(),
                Code::Bool(false) => format!("not_{}", local.name),
                Code::Int(k) => format!("{}{}", local.name, k.to_string().replace('-', "m")),
                other => other.text(),
            });
        let prefix = &family.item.name.text;
        let mut name = format!("{prefix}_{}", words.collect::<Vec<_>>().join("_"));
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        found.push(name);
    }
    found
}

/// The meanings of names in an expression.
pub(super) type Bindings = BTreeMap<String, Binding>;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A process, by its position among the named ones.
    Process(usize),
    /// A value.
    Code(Code),
}
