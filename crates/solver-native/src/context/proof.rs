//! From the proof log to a refutation over terms.

use super::NativeSolver;
use crate::refutation::{Exporter, Meaning, Namer, ProofAtom, Refutation};
use crate::sat::Lit;
use crate::simplex::ArithVar;
use rustc_hash::FxHashMap;
use sectile_base::Int;
use sectile_terms::Term;

/// Numbers the atoms and variables that a refutation mentions, in the order it does.
struct TermNamer<'a, 't> {
    solver: &'a NativeSolver<'t>,
    refutation: Refutation,
    atoms: FxHashMap<u32, u32>,
    variables: FxHashMap<ArithVar, u32>,
}

impl TermNamer<'_, '_> {
    fn variable(&mut self, v: ArithVar) -> u32 {
        let term = self.solver.variable_terms[v.index()];
        let term = term.expect("structural variables have terms");
        let list = &mut self.refutation.variables;
        *self.variables.entry(v).or_insert_with(|| {
            list.push(term);
            list.len() as u32 - 1
        })
    }

    fn describe(&mut self, lit: Lit) -> Option<ProofAtom> {
        let solver = self.solver;
        if let Some(view) = solver.sat.theory.atom_view(lit.var()) {
            let sum: Vec<(ArithVar, Int)> = match view.definition {
                Some(definition) => definition.to_vec(),
                None => vec![(view.form, Int::ONE)],
            };
            return Some(ProofAtom::Bound {
                sum: sum
                    .into_iter()
                    .map(|(v, c)| (self.variable(v), c))
                    .collect(),
                bound: view.upper.real.clone(),
                strict: view.upper.delta.is_negative(),
                integral: solver.sat.theory.is_int(view.form),
            });
        }
        let formula = solver.formulas.get(lit.var().index()).copied().flatten();
        formula.map(ProofAtom::Formula)
    }
}

impl Namer for TermNamer<'_, '_> {
    fn meaning(&mut self, lit: Lit) -> Meaning {
        if let Some(&atom) = self.atoms.get(&lit.var().0) {
            return Meaning::Atom(atom);
        }
        match self.describe(lit) {
            None => Meaning::Steering,
            Some(atom) => {
                let number = self.refutation.atoms.len() as u32;
                self.refutation.atoms.push(atom);
                self.atoms.insert(lit.var().0, number);
                Meaning::Atom(number)
            }
        }
    }
}

impl NativeSolver<'_> {
    /// Keeps cuts to variables that one block knows, where `span` tells for the term of a variable
    /// the first and the last block that does.
    pub(crate) fn keep_cuts_local(&mut self, mut span: impl FnMut(Term) -> (u32, u32)) {
        let spans = self.variable_terms.iter();
        let spans = spans.map(|t| t.map_or((0, u32::MAX), &mut span)).collect();
        self.sat.theory.lia_mut().keep_cuts_local(spans);
    }

    /// The refutation behind the last answer, or nothing if it was not `unsat` or proofs are off.
    ///
    /// Must be called before anything else is asked of the solver.
    pub fn refutation(&self) -> Option<Refutation> {
        let log = self.sat.log().filter(|_| self.refuted)?;
        let core = self.sat.core();
        let mut assumptions: Vec<(u32, Lit)> = Vec::new();
        for (i, (_, lit)) in self.assumed.iter().enumerate() {
            if core.contains(lit) && assumptions.iter().all(|(_, l)| l != lit) {
                assumptions.push((i as u32, *lit));
            }
        }
        let mut namer = TermNamer {
            solver: self,
            refutation: Refutation::default(),
            atoms: FxHashMap::default(),
            variables: FxHashMap::default(),
        };
        let steps = Exporter::new(log, &mut namer).export(self.sat.final_step(), &assumptions);
        let mut refutation = namer.refutation;
        refutation.steps = steps;
        Some(refutation)
    }
}
