//! Deadlock freedom as an invariant.
//!
//! `AG EX true` says that some step is possible in every reachable state. If chosen values do not
//! affect whether a step is possible, that is a formula about the state: engines without CTL can
//! prove it. An inductive invariant comes back as one cell whose steps all lead into it again.

use crate::pass::{Applied, BackTranslate, Lost, Pass, unexpected};
use sectile_model::{
    Cell, CellClaim, Certificate, Choice, Command, Ctl, CtlProof, Initial, LocationId, Model,
    NormalCtl, NormalPart, PropertyKind, Successors, Task,
};
use sectile_terms::{Substitution, Symbol, Term, Terms, Value};

/// Turns `AG EX true` into an invariant.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadlock;

impl Deadlock {
    /// The states in which some step is possible, with choices for each command.
    fn possible(self, task: &Task<'_>) -> Result<(Term, Vec<Choice>), String> {
        let (terms, model) = (task.terms, task.model);
        let PropertyKind::Ctl(Ctl::Ag(inner)) = &task.property.kind else {
            return Err("the formula is not AG EX true".to_string());
        };
        let step = match &**inner {
            Ctl::Ex(after) => after.state_formula(terms, model.entry),
            _ => None,
        };
        if step != Some(terms.tt()) || !model.is_system() {
            return Err("the formula is not AG EX true of a system".to_string());
        }
        let (mut possible, mut choices) = (Vec::new(), Vec::new());
        for (number, edge) in model.edges.iter().enumerate() {
            let (guard, values) = taken(terms, model, &edge.command)?;
            possible.push(guard);
            choices.push(Choice {
                command: number,
                values,
                target: 0,
            });
        }
        Ok((terms.or(possible), choices))
    }
}

/// The states in which a command is possible, with values for everything it leaves open.
fn taken(
    terms: &Terms,
    model: &Model,
    command: &Command,
) -> Result<(Term, Vec<(Symbol, Term)>), String> {
    if !command.relations.is_empty() {
        return Err("a step is given by a relation".to_string());
    }
    let free = command.unassigned(&model.variables);
    let mut next = Substitution::default();
    next.extend(
        command
            .updates
            .iter()
            .map(|u| (terms.var(u.symbol), u.value)),
    );
    // An unassigned variable may keep its value.
    let mut bounded = Vec::new();
    for &r in &model.restrict {
        let variables = terms.free_vars(r);
        let open = variables.iter().filter(|v| free.contains(&v.0)).count();
        match open {
            0 => bounded.push(terms.substitute(r, &next)),
            _ if open == variables.len() => {}
            _ => return Err("a value that a step leaves open is bounded by others".to_string()),
        }
    }
    let guard = terms.and(command.guards.iter().copied().chain(bounded));
    let decides = |(s, _): &(Symbol, _)| command.inputs.contains(s);
    if terms.free_vars(guard).iter().any(decides) {
        return Err("a value that a step chooses decides whether it is possible".to_string());
    }
    let some = |&s: &Symbol| {
        (
            s,
            Value::some_of(terms, terms.symbol_sort(s)).to_term(terms),
        )
    };
    let chosen = command.inputs.iter().map(some);
    let kept = free.iter().map(|&v| (v, terms.var(v)));
    Ok((guard, chosen.chain(kept).collect()))
}

impl Pass for Deadlock {
    fn name(&self) -> &'static str {
        "deadlock"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (possible, choices) = self.possible(task)?;
        let normal =
            NormalCtl::of_property_at(task.terms, &task.property.kind, true, task.model.entry);
        let back = OneCell {
            formula: normal.ok_or("the formula has no normal form")?,
            choices,
        };
        let property = task.property.with(PropertyKind::Invariant(possible));
        Ok(Applied::new(task.model.clone(), property, back))
    }
}

struct OneCell {
    formula: NormalCtl,
    choices: Vec<Choice>,
}

impl BackTranslate for OneCell {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let invariants = match certificate {
            // A run to a state without steps is maximal.
            Certificate::Trace(_) => return Ok(certificate.clone()),
            Certificate::Invariants(i) if i.is_inductive() => i,
            other => return Err(unexpected(other)),
        };
        let invariant = invariants.at.first().copied().flatten();
        let invariant = invariant.ok_or_else(|| unexpected(certificate))?;
        let again = |command| Successors {
            command,
            cells: vec![0],
        };
        let cell = Cell {
            location: LocationId(0),
            formula: invariant,
            successors: (0..self.choices.len()).map(again).collect(),
            choices: self.choices.clone(),
        };
        let claims = self.formula.parts.iter().map(|part| {
            let choices = match part {
                NormalPart::State(p) if *p != terms.tt() => return Vec::new(),
                NormalPart::Next(..) => (0..self.choices.len()).collect(),
                _ => Vec::new(),
            };
            vec![CellClaim {
                cell: 0,
                rank: 0,
                measures: Vec::new(),
                choices,
            }]
        });
        Ok(Certificate::Ctl(Box::new(CtlProof {
            claims: claims.collect(),
            cells: vec![cell],
            renamings: Vec::new(),
            images: Vec::new(),
            initial: Initial::All(vec![0]),
        })))
    }
}
