//! Shared numbers that count processes: `numC3` is the number of planes on C3.
//!
//! If every step from one location to another changes a number by the same amount wherever it
//! happens, locations have a *potential*, and the number is the sum of the potentials of all
//! processes. That is an equation between the number and counters.

use super::family::Counter;
use super::search::Large;
use super::words::Words;
use sectile_model::{Command, Model};
use sectile_terms::{Node, Sort, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers are changed by at most so much, and start with at most so much.
const LARGEST: i64 = 9;

/// An equation between a shared number and counters.
pub struct Equation {
    pub counters: Vec<Counter>,
    pub clause: String,
}

/// The equations of the shared numbers that a property mentions.
pub fn equations(large: &Large<'_>, property: Term, size: &str) -> Vec<Equation> {
    let loaded = &large.read.loaded;
    let (terms, model) = (&loaded.terms, &loaded.reading.module.model);
    let words = Words::of(loaded, &large.qualified, &[]);
    let low = large.qualified.low;
    let placed = |text: &str| text.replace('@', &low.to_string());
    let Some(field) = words.main.first().map(|c| placed(&c.field)) else {
        return Vec::new();
    };
    let Some(location) = terms.symbol(&field) else {
        return Vec::new();
    };
    let texts = words.main.iter().map(|c| large.formula(&placed(&c.text)));
    let Some(at) = texts.collect::<Option<Vec<Term>>>() else {
        return Vec::new();
    };
    let graph = Graph {
        terms,
        model,
        location,
        at,
        low,
    };
    let high = match large.qualified.shift {
        0 => size.to_string(),
        shift => format!("{size} + ({shift})"),
    };
    let mentioned: BTreeSet<Symbol> = terms.free_vars(property).into_iter().map(|v| v.0).collect();
    let numbers = words.shared_numbers.iter().filter(|n| n.sort == Sort::Int);
    let numbers = numbers.filter_map(|n| Some((n.text.clone(), terms.symbol(&n.text)?)));
    let mut found = Vec::new();
    for (name, symbol) in numbers.filter(|(_, s)| mentioned.contains(s)) {
        let Some((start, potentials)) = graph.potentials(symbol) else {
            continue;
        };
        let mut clause = format!("{name} = {start}");
        let mut counters = Vec::new();
        for (value, potential) in potentials.into_iter().filter(|p| p.1 != 0) {
            let text = &words.main[value].text;
            let named = text.rsplit(' ').next().unwrap_or("");
            let counter = format!("at_{named}");
            clause += &format!(" + ({potential}) * {counter}");
            counters.push(Counter {
                name: counter,
                text: format!("count i in {low}..{high}: {}", text.replace('@', "i")),
                witnesses: 1,
            });
        }
        found.push(Equation { counters, clause });
    }
    found
}

struct Graph<'g> {
    terms: &'g Terms,
    model: &'g Model,
    /// The location of the first process.
    location: Symbol,
    /// That it has its values, one by one.
    at: Vec<Term>,
    low: i64,
}

impl Graph<'_> {
    fn parts(&self, formulas: &[Term]) -> Vec<Term> {
        let parts = formulas.iter().flat_map(|f| self.terms.conjuncts(*f));
        parts.collect()
    }

    /// The value that a formula says the location has.
    fn value_in(&self, formulas: &[Term]) -> Option<usize> {
        self.at.iter().position(|a| formulas.contains(a))
    }

    /// The value that a command gives the location.
    fn value_after(&self, command: &Command, before: usize) -> Option<usize> {
        let value = command.update_of(self.location)?;
        if value == self.terms.var(self.location) {
            return Some(before);
        }
        let is = |at: &Term| match *self.terms.node(*at) {
            Node::Eq(a, b) => a == value || b == value,
            _ => false,
        };
        self.at.iter().position(is)
    }

    fn number(&self, value: i64) -> Term {
        self.terms.number(value.into(), Sort::Int)
    }

    /// The value of the number at the start, and the potentials of the locations.
    fn potentials(&self, symbol: Symbol) -> Option<(i64, BTreeMap<usize, i64>)> {
        let terms = self.terms;
        let variable = terms.var(symbol);
        let mut values = -LARGEST..=LARGEST;
        let init = self.parts(&self.model.init);
        let starts = |v: &i64| init.contains(&terms.eq(variable, self.number(*v)));
        let start = values.find(starts)?;
        let mut edges = Vec::new();
        for command in self.model.commands() {
            let change = command.update_of(symbol)?;
            let own = |f: &sectile_model::Field| f.process.map(|p| p.1) == Some(self.low);
            if !command.parts.iter().any(own) {
                let others = command.parts.iter().all(|f| f.process.is_some());
                if change != variable && !others {
                    return None;
                }
                continue;
            }
            let before = self.value_in(&self.parts(&command.guards));
            let mut changes = -LARGEST..=LARGEST;
            let by = changes.find(|d| terms.add(variable, self.number(*d)) == change)?;
            match before {
                Some(before) => edges.push((before, self.value_after(command, before)?, by)),
                None if by == 0
                    && command.update_of(self.location) == Some(terms.var(self.location)) => {}
                None => return None,
            }
        }
        let first = self.value_in(&init)?;
        let mut found = BTreeMap::from([(first, 0)]);
        let mut grows = true;
        while grows {
            grows = false;
            for &(from, to, by) in &edges {
                let Some(&here) = found.get(&from) else {
                    continue;
                };
                match found.get(&to) {
                    Some(&there) if there != here + by => return None,
                    Some(_) => {}
                    None => {
                        found.insert(to, here + by);
                        grows = true;
                    }
                }
            }
        }
        Some((start, found))
    }
}
