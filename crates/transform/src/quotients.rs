//! Replaces quotients by constants with numbers that a step chooses, for engines whose sets of
//! numbers are described by linear constraints.

use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use crate::residues::{divisions, of_property};
use sectile_base::{Int, Rat};
use sectile_model::{Certificate, Command, Task};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeSet;

/// Eliminates `a div k` and `a mod k` from steps: the step chooses the quotient `q`, with `k q <= a
/// < k q + k`.
///
/// The new system has the same states and steps as the old one, because there is exactly one such
/// number. But engines do not see the remainders of numbers, as they do with `Residues`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quotients;

impl Pass for Quotients {
    fn name(&self) -> &'static str {
        "quotients"
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
        let of_property = of_property(terms, &property.kind);
        let about_states = [&model.init[..], &model.restrict, &of_property].concat();
        if !divisions(terms, &about_states).is_empty() {
            return Err("a condition on states has a remainder".to_string());
        }
        let mut made = model.clone();
        let mut chosen = BTreeSet::new();
        for edge in &mut made.edges {
            chosen.extend(choose(terms, &mut edge.command)?);
        }
        if chosen.is_empty() {
            return Err("there are no remainders".to_string());
        }
        let inputs = model.edges.iter().map(|e| e.command.inputs.len()).collect();
        let back = DropChosen { inputs, chosen };
        Ok(Applied::new(made, property.clone(), back))
    }
}

/// Lets a command choose its quotients; returns the chosen numbers.
fn choose(terms: &Terms, command: &mut Command) -> Result<Vec<Symbol>, String> {
    let formulas = command.guards.iter().chain(&command.relations).copied();
    let values = command.updates.iter().map(|u| u.value);
    let all: Vec<Term> = formulas.chain(values).collect();
    let (mut map, mut chosen) = (Substitution::default(), Vec::new());
    let mut bounds = Vec::new();
    for division in divisions(terms, &all) {
        let (Node::Mod(a, k) | Node::Div(a, k)) = terms.node(division) else {
            continue;
        };
        let is_later = |v: &(Symbol, Stage)| v.1 == Stage::Next;
        if terms.free_vars(*a).iter().any(is_later) {
            return Err("a step takes the remainder of a next value".to_string());
        }
        let number = terms.substitute(*a, &map);
        let name = format!("{} quotient {}", command.name, chosen.len());
        let quotient = terms.fresh(&name, Sort::Int, SymbolKind::Input);
        chosen.push(quotient);
        let multiple = terms.scale(terms.var(quotient), &Rat::from(k));
        let rest = terms.sub(number, multiple);
        let most = terms.number(Rat::from(k - &Int::ONE), Sort::Int);
        bounds.push(terms.le(terms.int(0), rest));
        bounds.push(terms.le(rest, most));
        let value = match terms.node(division) {
            Node::Mod(..) => rest,
            _ => terms.var(quotient),
        };
        map.insert(division, value);
    }
    for t in command.guards.iter_mut().chain(&mut command.relations) {
        *t = terms.substitute(*t, &map);
    }
    for update in &mut command.updates {
        update.value = terms.substitute(update.value, &map);
    }
    command.guards.extend(bounds);
    command.inputs.extend(&chosen);
    Ok(chosen)
}

/// The way back: steps without the quotients, whose values are determined.
struct DropChosen {
    /// The number of inputs of each command before the pass.
    inputs: Vec<usize>,
    /// The numbers that the pass added to them.
    chosen: BTreeSet<Symbol>,
}

impl BackTranslate for DropChosen {
    fn certificate(&self, _: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let mut told = certificate.clone();
        match &mut told {
            Certificate::Invariants(_) => {}
            Certificate::Ctl(proof) => {
                let choices = proof.cells.iter_mut().flat_map(|c| &mut c.choices);
                for choice in choices {
                    choice.values.retain(|(s, _)| !self.chosen.contains(s));
                }
            }
            Certificate::Trace(trace) => {
                for step in &mut trace.steps {
                    step.inputs.truncate(self.inputs[step.command]);
                }
            }
            other => return Err(unexpected(other)),
        }
        Ok(told)
    }
}
