//! Evidence about the abstract system as evidence about the concrete one.

use crate::alpha::Abstraction;
use crate::queries::Queries;
use crate::witness::witness;
use sectile_engine::Stop;
use sectile_model::{
    Cell, Certificate, Choice, CtlProof, Model, NormalCtl, NormalPart, Paths, PropertyKind,
};
use sectile_terms::{Stage, Substitution, Term};
use std::collections::BTreeSet;

/// Turns cells of abstract states into cells of concrete ones.
pub struct Concretiser<'c, 't> {
    /// The abstraction.
    pub alpha: &'c Abstraction<'t>,
    /// The concrete system.
    pub system: &'c Model,
    /// The concrete property.
    pub property: &'c PropertyKind,
}

impl<'t> Concretiser<'_, 't> {
    /// What proves the concrete property, if the abstract evidence is of a kind that carries over.
    ///
    /// Every Boolean variable is replaced by its predicate. A concrete step has an abstract one,
    /// so what is closed under steps stays so. What has to happen needs more: an abstract step may
    /// be possible where no concrete one is.
    pub fn certificate(
        &self,
        certificate: &Certificate,
        queries: &mut Queries<'t>,
    ) -> Result<Option<Certificate>, Stop> {
        match certificate {
            Certificate::Invariants(proof) if proof.is_inductive() => {
                let concrete = proof.at.iter().map(|i| i.map(|i| self.alpha.concrete(i)));
                Ok(Some(Certificate::cut_points(concrete.collect())))
            }
            // Predicates need not be as symmetric as what they are about.
            Certificate::Ctl(proof) if !proof.images.is_empty() => Ok(None),
            Certificate::Ctl(proof) => {
                let proof = self.proof(proof, queries)?;
                Ok(proof.map(|p| Certificate::Ctl(Box::new(p))))
            }
            _ => Ok(None),
        }
    }

    fn proof(&self, proof: &CtlProof, queries: &mut Queries<'t>) -> Result<Option<CtlProof>, Stop> {
        let terms = self.alpha.terms;
        let Some(formula) = NormalCtl::of_property(terms, self.property, true) else {
            return Ok(None);
        };
        let meanings = self.alpha.meanings();
        let cell = |c: &Cell| Cell {
            location: c.location,
            formula: terms.substitute(c.formula, &meanings),
            successors: c.successors.clone(),
            choices: Vec::new(),
        };
        let mut result = CtlProof {
            cells: proof.cells.iter().map(cell).collect(),
            renamings: Vec::new(),
            images: Vec::new(),
            claims: proof.claims.clone(),
            initial: proof.initial.clone(),
        };
        let mut moving: BTreeSet<usize> = BTreeSet::new();
        for (part, list) in result.claims.iter_mut().enumerate() {
            for claim in list {
                let moves = match formula.parts[part] {
                    NormalPart::Until(Paths::All, _, g) => {
                        !proof.claims[g].iter().any(|c| c.cell == claim.cell)
                    }
                    _ => false,
                };
                claim.choices.clear();
                if moves && moving.insert(claim.cell) {
                    queries.budget.check()?;
                    let Some(choices) = self.choices(proof, &result.cells, claim.cell, queries)?
                    else {
                        return Ok(None);
                    };
                    result.cells[claim.cell].choices = choices;
                }
                if moves {
                    let count = result.cells[claim.cell].choices.len();
                    claim.choices = (0..count).collect();
                }
            }
        }
        Ok(Some(result))
    }

    /// Steps one of which is possible in every concrete state of a cell, if there are such.
    fn choices(
        &self,
        proof: &CtlProof,
        cells: &[Cell],
        cell: usize,
        queries: &mut Queries<'t>,
    ) -> Result<Option<Vec<Choice>>, Stop> {
        let terms = self.alpha.terms;
        let mut here = self.system.restrict.clone();
        here.push(cells[cell].formula);
        let named = &proof.cells[cell].choices;
        for choice in named {
            let Some((choice, condition)) = self.step(cells, choice.command, choice.target) else {
                continue;
            };
            if queries.implies(&here, condition)? {
                return Ok(Some(vec![choice]));
            }
        }
        let listed = proof.cells[cell].successors.iter();
        let steps = listed.flat_map(|s| s.cells.iter().map(|&target| (s.command, target)));
        let all: Vec<(Choice, Term)> = steps
            .filter_map(|(command, target)| self.step(cells, command, target))
            .collect();
        let possible = terms.or(all.iter().map(|(_, condition)| *condition));
        let enough = queries.implies(&here, possible)?;
        Ok(enough.then(|| all.into_iter().map(|(choice, _)| choice).collect()))
    }

    /// A step into a cell, and when it is possible.
    fn step(&self, cells: &[Cell], command: usize, target: usize) -> Option<(Choice, Term)> {
        let terms = self.alpha.terms;
        let concrete = &self.system.edges[command].command;
        let values = witness(terms, self.system, concrete)?;
        let mut inputs = Substitution::default();
        let mut next = Substitution::default();
        for &(symbol, value) in &values {
            match concrete.inputs.contains(&symbol) {
                true => inputs.insert(terms.var(symbol), value),
                false => next.insert(terms.next(symbol), value),
            };
        }
        for update in &concrete.updates {
            let value = terms.substitute(update.value, &inputs);
            next.insert(terms.next(update.symbol), value);
        }
        let conditions = concrete.guards.iter().chain(&concrete.relations);
        let conditions = conditions.map(|&c| terms.substitute(c, &inputs));
        let after = self.system.restrict.iter().map(|&r| terms.prime(r));
        let inside = terms.prime(cells[target].formula);
        let all = conditions.chain(after).chain([inside]);
        let condition = terms.and(all.map(|t| terms.substitute(t, &next)));
        let determined = terms.free_vars(condition).iter().all(|s| s.1 == Stage::Now);
        let choice = Choice {
            command,
            values,
            target,
        };
        determined.then_some((choice, condition))
    }
}
