//! Back-translation of evidence with remainders as Booleans to the system with divisions.

use super::Residue;
use super::quotients::joined;
use crate::pass::{BackTranslate, Lost, unexpected};
use sectile_base::{Int, Rat};
use sectile_model::{Certificate, Choice, CtlProof, Initial, State, Trace};
use sectile_terms::{Sort, Substitution, Symbol, Terms, Value};

/// The way back: the Booleans become remainders again.
pub(super) struct DropResidues {
    /// The variables of the system; the Booleans come after them.
    pub variables: Vec<Symbol>,
    pub residues: Vec<Residue>,
}

impl BackTranslate for DropResidues {
    fn certificate(&self, terms: &Terms, certificate: &Certificate) -> Result<Certificate, Lost> {
        let map = self.meaning(terms);
        Ok(match certificate {
            Certificate::Invariants(proof) => {
                let at = proof.at.iter();
                let at = at.map(|t| t.map(|t| terms.substitute(t, &map)));
                proof.with(at.collect())
            }
            Certificate::Ctl(proof) => Certificate::Ctl(Box::new(self.cells(terms, proof, &map)?)),
            Certificate::Trace(trace) => Certificate::Trace(Trace {
                states: trace
                    .states
                    .iter()
                    .map(|s| self.state(s))
                    .collect::<Result<_, _>>()?,
                ..trace.clone()
            }),
            other => return Err(unexpected(other)),
        })
    }
}

impl DropResidues {
    /// The meaning of the Booleans.
    fn meaning(&self, terms: &Terms) -> Substitution {
        let mut map = Substitution::default();
        for residue in &self.residues {
            let k = Int::from(residue.bits.len() as i64);
            let variable = terms.var(residue.variable);
            if let Some(quotient) = residue.quotient {
                map.insert(terms.var(quotient), terms.div(variable, &k));
            }
            let remainder = terms.modulo(variable, &k);
            for (j, &bit) in residue.bits.iter().enumerate() {
                let j = terms.number(Rat::from(Int::from(j as i64)), Sort::Int);
                map.insert(terms.var(bit), terms.eq(remainder, j));
            }
        }
        map
    }

    fn is_bit(&self, symbol: Symbol) -> bool {
        self.residues.iter().any(|r| r.bits.contains(&symbol))
    }

    fn cells(&self, terms: &Terms, proof: &CtlProof, map: &Substitution) -> Result<CtlProof, Lost> {
        if !proof.images.is_empty() {
            return Err(Lost("cells are given by renamings of the system".into()));
        }
        let mut told = proof.clone();
        for cell in &mut told.cells {
            cell.formula = terms.substitute(cell.formula, map);
            for Choice { values, .. } in &mut cell.choices {
                values.retain(|(symbol, _)| !self.is_bit(*symbol));
                for (_, value) in values {
                    *value = terms.substitute(*value, map);
                }
            }
        }
        for claim in told.claims.iter_mut().flatten() {
            for measure in &mut claim.measures {
                *measure = terms.substitute(*measure, map);
            }
        }
        if let Initial::One(_, state, _) = &mut told.initial {
            *state = self.state(state)?;
        }
        Ok(told)
    }

    /// The state without the Booleans, if their values are right.
    fn state(&self, state: &State) -> Result<State, Lost> {
        let wrong = || Lost("a number does not have the remainder it should have".into());
        let own = self.variables.len();
        let mut told = state.clone();
        told.values.truncate(own);
        let mut bits = state.values.iter().skip(own);
        for r in &self.residues {
            let mut own = bits.by_ref().take(r.bits.len()).enumerate();
            let set = own.by_ref().find(|(_, v)| **v == Value::Bool(true));
            let another = own.any(|(_, v)| *v == Value::Bool(true));
            let remainder = set.map(|(j, _)| j).filter(|_| !another).ok_or_else(wrong)?;
            let place = self.variables.iter().position(|x| *x == r.variable);
            let value = place.and_then(|at| told.values.get_mut(at));
            let Some(Value::Int(number)) = value else {
                return Err(wrong());
            };
            let k = r.bits.len();
            if r.quotient.is_some() {
                *number = joined(number, remainder, k);
            } else if number.rem_euclid(&Int::from(k as i64)).to_usize() != Some(remainder) {
                return Err(wrong());
            }
        }
        Ok(told)
    }
}
