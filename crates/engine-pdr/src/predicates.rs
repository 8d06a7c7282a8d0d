//! The literals of cubes: values of variables with few values, and predicates.

use indexmap::{IndexMap, IndexSet};
use sectile_engine::symmetry::Symmetry;
use sectile_engine::{Discrete, SafetyQuestion};
use sectile_solver::ModelView;
use sectile_terms::{Stage, Symbol, Term, Terms, Value};

/// Maximum number of predicates including images; beyond it, images are left out.
const MOST_PREDICATES: usize = 400;

/// A conjunction of literals over the state.
pub type Cube = Vec<Term>;

/// The literals of cubes.
pub struct Predicates<'t> {
    terms: &'t Terms,
    /// Variables that are abstracted by their values, with the values that the model distinguishes.
    valued: IndexMap<Symbol, Vec<Value>>,
    /// Predicates: atoms that may hold or not.
    atoms: IndexSet<Term>,
}

impl<'t> Predicates<'t> {
    /// The variables with few values, and the atoms of the initial condition and of the bad states.
    ///
    /// Paper: [CiGrMoTo14, Sect. 4]: the initial predicates are those of the property and of the
    /// initial condition.
    pub fn new(terms: &'t Terms, asked: &SafetyQuestion<'_>, given: &[Term]) -> Predicates<'t> {
        let discrete = Discrete::of(terms, asked.system, asked.bad);
        let variables = asked.system.variables.iter().copied();
        let valued = variables.filter_map(|v| Some((v, discrete.values(v)?)));
        let mut predicates = Predicates {
            terms,
            valued: valued.collect(),
            atoms: IndexSet::new(),
        };
        predicates.add(given);
        predicates.add(&asked.system.init);
        predicates.add(&[asked.bad]);
        predicates
    }

    /// Adds the atoms of formulas over the state; returns the number of new ones.
    pub fn add(&mut self, formulas: &[Term]) -> usize {
        let before = self.atoms.len();
        for &formula in formulas {
            for atom in self.terms.atoms(formula) {
                if !self.is_told(atom) {
                    self.atoms.insert(atom);
                }
            }
        }
        self.atoms.len() - before
    }

    /// Whether these formulas have new predicates.
    pub fn are_new(&self, formulas: &[Term]) -> bool {
        let atoms = formulas.iter().flat_map(|&f| self.terms.atoms(f));
        let mut new = atoms.filter(|&a| !self.is_told(a) && !self.atoms.contains(&a));
        new.next().is_some()
    }

    /// Adds the images of all predicates.
    pub fn close(&mut self, symmetry: &Symmetry<'_>) {
        let all: Vec<Term> = self.atoms.iter().copied().collect();
        let images = symmetry.closure_within(&all, MOST_PREDICATES);
        self.add(&images.unwrap_or_default());
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// The predicates.
    pub fn atoms(&self) -> impl Iterator<Item = Term> + '_ {
        self.atoms.iter().copied()
    }

    /// Whether the values of variables with few values determine the atom.
    fn is_told(&self, atom: Term) -> bool {
        let variables = self.terms.free_vars(atom);
        variables.iter().all(|(v, _)| self.valued.contains_key(v))
    }

    /// The cube of a state.
    pub fn cube(&self, model: &dyn ModelView) -> Cube {
        let terms = self.terms;
        let value = |(&v, values): (&Symbol, &Vec<Value>)| -> Cube {
            let value = model.completed(terms, v, Stage::Now);
            let is = |value: &Value| match value {
                Value::Bool(true) => terms.var(v),
                Value::Bool(false) => terms.not(terms.var(v)),
                other => terms.eq(terms.var(v), other.to_term(terms)),
            };
            match values.contains(&value) {
                true => vec![is(&value)],
                false => values.iter().map(|other| terms.not(is(other))).collect(),
            }
        };
        let truth = |&atom: &Term| match model.eval(terms, atom) {
            Ok(Value::Bool(true)) => Some(atom),
            Ok(Value::Bool(false)) => Some(terms.not(atom)),
            _ => None,
        };
        let values = self.valued.iter().flat_map(value);
        values.chain(self.atoms.iter().filter_map(truth)).collect()
    }
}
