//! Abstract transitions as guarded assignments over abstract variables.

use super::picture::Picture;
use sectile_domains::bdd::Bdd;
use sectile_engine_predabs::{Effect, Kind, bdd2f};
use sectile_terms::{NativePrinter, Sort, Substitution, Symbol, SymbolKind, Term};
use std::collections::BTreeMap;

/// A transition as text.
pub struct TransitionWords {
    /// The condition under which it is enabled.
    pub guard: String,
    /// The variables that it changes, with their next values.
    pub effects: Vec<(String, String)>,
    /// The variables for which substitution did not suffice.
    pub open: Vec<String>,
}

impl Picture<'_> {
    /// A transition as text.
    pub fn transition(&mut self, k: usize) -> TransitionWords {
        let variables = self.abstracted.alpha.variables().to_vec();
        let transition = self.abstracted.transitions[k].clone();
        let mut effects = Vec::new();
        for (i, effect) in transition.effects.iter().enumerate() {
            let v = &variables[i];
            let value = match *effect {
                Effect::Keep => continue,
                Effect::Value(value) => v.labels[value].clone(),
                Effect::Copy(other) => variables[other].name.clone(),
                Effect::Opposite(other) => format!("not {}", variables[other].name),
                Effect::Open => self.cases(k, i),
            };
            effects.push((v.name.clone(), value));
        }
        let open = transition.open.iter();
        TransitionWords {
            guard: self.guard(k),
            effects,
            open: open.map(|&v| variables[v].name.clone()).collect(),
        }
    }

    /// The states in which a transition is enabled.
    fn domain(&mut self, relation: Bdd) -> Bdd {
        let system = &mut self.abstracted;
        let after = system.alpha.space().valid(&mut system.manager, true);
        let related = system.manager.and(relation, after);
        let domain = system.manager.exists(related, &|level| level % 2 == 1);
        system.manager.and(domain, system.valid)
    }

    /// The guard over abstract variables: exact conjuncts as they were written, the rest as a
    /// formula for the states in which the relation has a successor.
    fn guard(&mut self, k: usize) -> String {
        let exact = self.exact_guard(k);
        let transition = &self.abstracted.transitions[k];
        let (guard, relation) = (transition.guard, transition.relation);
        let domain = self.domain(relation);
        let system = &mut self.abstracted;
        let care = system.manager.and(guard, self.consistent);
        let inside = system.manager.and(domain, care);
        let further = match inside == care {
            true => Bdd::TRUE,
            false => system.manager.simplified_within(domain, care),
        };
        let further = self.formula(further);
        match (exact.as_str(), further.as_str()) {
            (_, "true") => exact,
            ("true", _) => further,
            _ => format!("{exact} and {further}"),
        }
    }

    /// The conjuncts of the concrete guard that are abstract formulas, with predicates replaced by
    /// their names.
    fn exact_guard(&mut self, k: usize) -> String {
        let terms = &self.loaded.terms;
        let variables = self.abstracted.alpha.variables().to_vec();
        let mut names: BTreeMap<Symbol, String> = BTreeMap::new();
        let mut map = Substitution::default();
        for variable in variables.iter().filter(|v| v.kind == Kind::Predicate) {
            let symbol = terms.fresh(&variable.name, Sort::Bool, SymbolKind::Input);
            names.insert(symbol, variable.name.clone());
            map.insert(variable.meanings[1], terms.var(symbol));
            map.insert(variable.meanings[0], terms.not(terms.var(symbol)));
        }
        let rename = |symbol: Symbol| names.get(&symbol).cloned();
        let printer = NativePrinter::renaming(terms, &rename);
        let guards = self.subject.system.edges[k].command.guards.iter();
        let conjuncts: Vec<Term> = guards.flat_map(|&g| terms.conjuncts(g)).collect();
        let exact = conjuncts
            .into_iter()
            .filter(|&g| self.abstracted.exact(terms, g).is_some())
            .map(|g| terms.substitute(g, &map));
        let exact: Vec<Term> = exact.collect();
        // The values of case distinctions have names that cannot be written as terms.
        if variables
            .iter()
            .any(|v| matches!(v.kind, Kind::Data | Kind::Relation))
        {
            let guard = self.abstracted.transitions[k].guard;
            return self.formula(guard);
        }
        printer.print(terms.and(exact))
    }

    /// A set of abstract states as a formula.
    pub fn formula(&mut self, set: Bdd) -> String {
        let alpha = &self.abstracted.alpha;
        let text = bdd2f(alpha, &mut self.abstracted.manager, set).text(alpha);
        match text.contains("=>") && !text.starts_with('(') {
            true => format!("({text})"),
            false => text,
        }
    }

    /// The next value of a variable by cases; `?` if several values are possible.
    fn cases(&mut self, k: usize, variable: usize) -> String {
        let relation = self.abstracted.transitions[k].relation;
        let domain = self.domain(relation);
        let size = self.abstracted.alpha.space().size(variable);
        let mut may = Vec::new();
        for value in 0..size {
            let system = &mut self.abstracted;
            let space = system.alpha.space();
            let is = space.value(&mut system.manager, variable, value, true);
            let part = system.manager.and(relation, is);
            may.push(self.domain(part));
        }
        let mut text = String::new();
        let mut left = self.abstracted.manager.and(domain, self.consistent);
        for value in (0..size).rev() {
            let m = &mut self.abstracted.manager;
            let mut only = m.and(may[value], left);
            for (other, &set) in may.iter().enumerate() {
                if other != value {
                    only = m.minus(only, set);
                }
            }
            if only == Bdd::FALSE {
                continue;
            }
            let condition = m.simplified_within(only, left);
            left = m.minus(left, only);
            let label = self.abstracted.alpha.variables()[variable].labels[value].clone();
            if left == Bdd::FALSE {
                return text + &label;
            }
            let condition = self.formula(condition);
            text.push_str(&format!("if {condition} then {label} else "));
        }
        text + "?"
    }
}
