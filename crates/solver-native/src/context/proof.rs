//! Translation of the proof log to a refutation over terms.

use super::NativeSolver;
use crate::refutation::{Exporter, ProofAtom, Refutation};
use crate::sat::Lit;
use rustc_hash::FxHashMap;
use sectile_terms::Term;

/// Numbers the atoms and variables of a refutation in order of occurrence.
struct TermNamer<'a, 't> {
    solver: &'a NativeSolver<'t>,
    refutation: Refutation,
    atoms: FxHashMap<u32, u32>,
    variables: FxHashMap<Term, u32>,
}

impl TermNamer<'_, '_> {
    fn describe(&mut self, lit: Lit) -> Option<ProofAtom> {
        let list = &mut self.refutation.variables;
        let mut number = |t: Term| {
            *self.variables.entry(t).or_insert_with(|| {
                list.push(t);
                list.len() as u32 - 1
            })
        };
        let atom = self.solver.sat.theory.proof_atom(lit.var(), &mut number);
        let formula = self.solver.formulas.get(lit.var().index());
        atom.or_else(|| formula.copied().flatten().map(ProofAtom::Formula))
    }

    /// The number of the atom of a literal; literals that only steer the search have none.
    fn atom(&mut self, lit: Lit) -> Option<u32> {
        if let Some(&number) = self.atoms.get(&lit.var().0) {
            return Some(number);
        }
        let atom = self.describe(lit)?;
        let number = self.refutation.atoms.len() as u32;
        self.refutation.atoms.push(atom);
        self.atoms.insert(lit.var().0, number);
        Some(number)
    }
}

impl NativeSolver<'_> {
    /// The refutation behind the last answer; none if it was not `unsat` or proofs are off.
    ///
    /// Must be called before any further operation on the solver.
    pub fn refutation(&self) -> Option<Refutation> {
        let log = self.sat.log.as_ref().filter(|_| self.refuted)?;
        let core = self.core_positions().into_iter();
        let assumptions: Vec<(u32, Lit)> = core.map(|i| (i as u32, self.assumed[i].1)).collect();
        let mut namer = TermNamer {
            solver: self,
            refutation: Refutation::default(),
            atoms: FxHashMap::default(),
            variables: FxHashMap::default(),
        };
        let steps =
            Exporter::new(log, |lit| namer.atom(lit)).export(self.sat.final_step, &assumptions);
        let mut refutation = namer.refutation;
        refutation.steps = steps;
        Some(refutation)
    }
}
