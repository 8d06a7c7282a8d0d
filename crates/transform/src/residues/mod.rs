//! Eliminates remainders and quotients by constants, for engines whose sets of numbers are
//! described by linear constraints: by cases if there are few quotients, otherwise with the
//! remainders of variables as Booleans.

mod back;
mod bounded;
mod conditions;
mod quotients;
mod tracked;

use self::back::DropResidues;
use self::bounded::{Bounds, by_cases};
use self::conditions::Conditions;
use self::quotients::Numbers;
use self::tracked::tracked;
use crate::ctl::map_leaves;
use crate::pass::{Applied, Exactness, Pass};
use sectile_base::Int;
use sectile_model::{Command, Ctl, Model, PropertyKind, Task, Update};
use sectile_terms::{Node, Sort, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// Maximum number of Booleans: each may double the control.
const MOST: usize = 32;

/// Eliminates `a mod k` and `a div k`: for every variable `x` whose remainder matters there is a
/// Boolean `x mod k = j` for every `j`, assigned together with `x`. If ranges leave few quotients,
/// these are distinguished by comparisons instead.
///
/// The new system has the same states and steps as the old one: the Booleans are functions of the
/// old variables. If a variable may start with any number, the Booleans are not known in the first
/// state, and engines may explore states in which they are wrong: runs through these are lost in
/// the back-translation. Infinite runs are seldom found again, so for CTL such a variable is
/// replaced by its quotient (`quotients`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Residues;

/// A variable with the Booleans of its remainders, which come after the variables of the system.
#[derive(Clone, Debug)]
pub(super) struct Residue {
    /// The variable.
    pub variable: Symbol,
    /// One for every remainder: as many as the modulus.
    pub bits: Vec<Symbol>,
    /// Its quotient, if that replaces the variable.
    pub quotient: Option<Symbol>,
}

impl Residue {
    fn declare(terms: &Terms, variable: Symbol, modulus: usize) -> Residue {
        let name = terms.name(variable);
        let bit = |j: usize| {
            let name = format!("{name} mod {modulus} = {j}");
            let known = terms.declare(&name, Sort::Bool, SymbolKind::State);
            known.unwrap_or_else(|_| terms.fresh(&name, Sort::Bool, SymbolKind::State))
        };
        Residue {
            variable,
            bits: (0..modulus).map(bit).collect(),
            quotient: None,
        }
    }

    /// The same with the variable replaced by its quotient.
    fn by_quotient(self, terms: &Terms) -> Residue {
        let name = format!("{} div {}", terms.name(self.variable), self.bits.len());
        let known = terms.declare(&name, Sort::Int, SymbolKind::State);
        let quotient = known.unwrap_or_else(|_| terms.fresh(&name, Sort::Int, SymbolKind::State));
        Residue {
            quotient: Some(quotient),
            ..self
        }
    }
}

impl Pass for Residues {
    fn name(&self) -> &'static str {
        "residues"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let Task {
            terms,
            model,
            property,
        } = *task;
        if !model.is_system() || !model.is_linear() {
            return Err("it takes systems".to_string());
        }
        let divisions = divisions(terms, &formulas(terms, model, &property.kind));
        if divisions.is_empty() {
            return Err("there are no remainders".to_string());
        }
        let mut bounds = Bounds::new(terms, model);
        let few = divisions.iter();
        let few = few.filter_map(|&d| Some((d, bounds.quotients(d)?)));
        let few: BTreeMap<Term, (i64, i64)> = few.collect();
        let moduli = tracked(terms, model, &divisions, &few, &bounds)?;
        if moduli.values().sum::<usize>() > MOST {
            return Err("there are too many remainders".to_string());
        }
        let declare = |(&x, &k): (&Symbol, &usize)| Residue::declare(terms, x, k);
        let known = |x: Symbol| is_known_initially(terms, model, x);
        let is_exact = moduli.keys().all(|&x| known(x));
        let by_quotients = !is_exact && matches!(property.kind, PropertyKind::Ctl(_));
        let residues = moduli.iter().map(declare);
        let residues: Vec<Residue> = match by_quotients {
            true => residues.map(|r| r.by_quotient(terms)).collect(),
            false => residues.collect(),
        };
        let mut conditions = Conditions::new(terms, &residues, &bounds);
        let mut without = Substitution::default();
        for &division in &divisions {
            let replaced = match (few.get(&division), terms.node(division)) {
                (Some(&quotients), Node::Mod(a, _) | Node::Div(a, _)) => {
                    let a = terms.substitute(*a, &without);
                    by_cases(terms, division, a, quotients)?
                }
                _ => conditions.without(division, &without)?,
            };
            without.insert(division, replaced);
        }
        let encoding = Encoding {
            terms,
            without,
            conditions,
            numbers: Numbers::new(terms, &residues),
        };
        let kind = encoding.property(&property.kind);
        let made = encoding.model(model, &residues)?;
        let back = DropResidues {
            variables: model.variables.clone(),
            residues,
        };
        let exactness = match is_exact || by_quotients {
            true => Exactness::Exact,
            false => Exactness::AllowsMore,
        };
        Ok(Applied::new(made, property.with(kind), back).within(exactness))
    }
}

/// Whether a variable starts with a fixed number. Otherwise the Booleans of its remainders may
/// start with wrong values.
fn is_known_initially(terms: &Terms, model: &Model, variable: Symbol) -> bool {
    let parts = model.init.iter().flat_map(|&t| terms.conjuncts(t));
    parts.into_iter().any(|t| match *terms.node(t) {
        Node::Zero(sum) => {
            let linear = terms.linear(sum);
            matches!(linear.monomials(), [(x, _)] if *x == terms.var(variable))
        }
        _ => false,
    })
}

/// All formulas and terms of a task.
fn formulas(terms: &Terms, model: &Model, kind: &PropertyKind) -> Vec<Term> {
    let mut all = [&model.init[..], &model.restrict].concat();
    for command in model.commands() {
        all.extend(command.guards.iter().chain(&command.relations));
        all.extend(command.updates.iter().map(|u| u.value));
    }
    all.extend(of_property(terms, kind));
    all
}

/// The state formulas of a property.
pub(crate) fn of_property(terms: &Terms, kind: &PropertyKind) -> Vec<Term> {
    match kind {
        PropertyKind::Invariant(p) | PropertyKind::Error(p) | PropertyKind::AtLocation(_, p) => {
            vec![*p]
        }
        PropertyKind::Unreachable(_) => Vec::new(),
        PropertyKind::Ctl(formula) => {
            let mut all = Vec::new();
            map_leaves(terms, formula, &mut |leaf| {
                if let Ctl::State(p) = leaf {
                    all.push(*p);
                }
                leaf.clone()
            });
            all
        }
    }
}

/// The remainders and quotients in some formulas, inner ones first.
pub(crate) fn divisions(terms: &Terms, formulas: &[Term]) -> Vec<Term> {
    let all = terms.post_order(formulas).into_iter();
    let is_division = |t: &Term| matches!(terms.node(*t), Node::Mod(..) | Node::Div(..));
    all.filter(is_division).collect()
}

/// The divisor of a remainder or of a quotient as a small number.
pub(super) fn small(divisor: &Int) -> Result<usize, String> {
    let small = divisor.to_usize().filter(|&k| k <= MOST);
    small.ok_or_else(|| format!("the divisor {divisor} is too large"))
}

/// The replacement of divisions.
struct Encoding<'e> {
    terms: &'e Terms,
    without: Substitution,
    conditions: Conditions<'e>,
    numbers: Numbers,
}

impl Encoding<'_> {
    fn term(&self, t: Term) -> Term {
        let t = self.terms.substitute(t, &self.without);
        self.numbers.told(self.terms, t)
    }

    fn property(&self, kind: &PropertyKind) -> PropertyKind {
        match kind {
            PropertyKind::Invariant(p) => PropertyKind::Invariant(self.term(*p)),
            PropertyKind::Error(p) => PropertyKind::Error(self.term(*p)),
            PropertyKind::AtLocation(l, p) => PropertyKind::AtLocation(*l, self.term(*p)),
            PropertyKind::Unreachable(_) => kind.clone(),
            PropertyKind::Ctl(formula) => {
                PropertyKind::Ctl(map_leaves(self.terms, formula, &mut |leaf| match leaf {
                    Ctl::State(p) => Ctl::State(self.term(*p)),
                    other => other.clone(),
                }))
            }
        }
    }

    fn model(mut self, model: &Model, residues: &[Residue]) -> Result<Model, String> {
        let mut made = model.clone();
        let bits = residues.iter().flat_map(|r| r.bits.iter().copied());
        self.numbers.replace(&mut made.variables);
        made.variables.extend(bits);
        made.init = model.init.iter().map(|&t| self.term(t)).collect();
        made.restrict = model.restrict.iter().map(|&t| self.term(t)).collect();
        made.init.extend(residues.iter().map(|r| self.one_of(r)));
        for part in model.init.iter().flat_map(|&t| self.terms.conjuncts(t)) {
            let part = self.terms.substitute(part, &self.without);
            made.init.extend(self.conditions.of_equation(part));
        }
        for edge in &mut made.edges {
            self.command(&mut edge.command, residues)?;
        }
        Ok(made)
    }

    /// The variable has exactly one remainder.
    fn one_of(&self, residue: &Residue) -> Term {
        let terms = self.terms;
        let only = |j: usize| {
            let bits = residue.bits.iter().enumerate();
            terms.and(bits.map(|(i, &bit)| match i == j {
                true => terms.var(bit),
                false => terms.not(terms.var(bit)),
            }))
        };
        terms.or((0..residue.bits.len()).map(only))
    }

    fn command(&mut self, command: &mut Command, residues: &[Residue]) -> Result<(), String> {
        let terms = self.terms;
        for t in command.guards.iter_mut().chain(&mut command.relations) {
            *t = self.term(*t);
        }
        for update in &mut command.updates {
            update.value = terms.substitute(update.value, &self.without);
        }
        let mut remainders = Vec::new();
        for residue in residues {
            let k = residue.bits.len();
            let place = command.updates.iter_mut();
            let mut place = place.filter(|u| u.symbol == residue.variable);
            // Checked when the variable was chosen.
            let update = place
                .next()
                .ok_or("a value is chosen whose remainder matters")?;
            let after = self.conditions.of(update.value, k)?;
            let bits = residue.bits.iter().zip(after);
            remainders.extend(bits.map(|(&symbol, value)| Update { symbol, value }));
            if let Some(quotient) = residue.quotient {
                update.symbol = quotient;
                update.value = self.conditions.quotient(update.value, k)?;
            }
        }
        command.updates.extend(remainders);
        for update in &mut command.updates {
            update.value = self.numbers.told(terms, update.value);
        }
        Ok(())
    }
}
