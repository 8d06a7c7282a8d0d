//! Arrays, by axioms on demand.
//!
//! An element of an array is a variable to the other theories, and an equality of arrays a formula.
//! A model of these is checked against the axioms of arrays; violated instances become clauses, and
//! the search continues. If none is violated, the arrays are built from their elements.
//!
//! Paper: [StBaDiLe01] has the axioms; that arrays connected by updates share their elements outside
//! the places that occur is what [ChHo15] calls weak equivalence.
//!
//! These instances are enough: an element of an update or of a conditional is reduced to elements
//! of its arguments, so that only *base* arrays are left: variables, and elements that are arrays
//! themselves. Two elements of a base array at equal indices are equal. Equal arrays have equal
//! elements at all indices that occur in their *component*, the arrays connected by updates, chosen
//! branches and true equalities; everywhere else the arrays of a component share one element.

use super::{Refinement, Theory, is_encoded, value};
use crate::context::{BOTH, NEGATIVE, NativeSolver};
use crate::proof_log::Origin;
use crate::sat::{DecisionProcedure, Guard, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_proof::{Lemma, Rule, array_axioms};
use sectile_terms::{
    ArrayId, ArrayValue, Node, Sort, Stage, Symbol, Term, Terms, Valuation, Value, evaluate,
};
use std::collections::BTreeMap;

/// An axiom about the first term at two indices, which may be the same.
type Instance = [Term; 3];

/// The array terms that occur in formulas, and the axioms that were added.
#[derive(Default)]
pub(crate) struct Arrays {
    /// All terms in the lists below.
    known: FxHashSet<Term>,
    /// Arrays, parts first.
    arrays: Vec<Term>,
    /// Elements of arrays, of any sort.
    elements: Vec<Term>,
    /// Equalities of arrays.
    equalities: Vec<Term>,
    /// Formulas inside of other terms, new since the last model: the values of those terms depend
    /// on them, so they have to be decided.
    formulas: Vec<Term>,
    /// Whether some arrays are indices of others.
    are_places: bool,
    /// Instances of axioms that are already clauses.
    said: FxHashSet<Instance>,
    /// In the last model: the values of the base arrays.
    values: FxHashMap<Term, Value>,
    /// Why the last model could not be completed.
    incomplete: Option<&'static str>,
}

/// Why arrays cannot be built from a model of the other theories.
enum Obstacle {
    /// It violates axioms.
    Broken(Vec<Instance>),
    /// For another reason.
    Unknown(&'static str),
}

impl DecisionProcedure for Arrays {
    fn begin_check(&mut self) {
        self.incomplete = None;
    }
}

impl Theory for Arrays {
    const RULES: &'static [Rule] = &[Rule::Element];

    fn is_encoded(solver: &NativeSolver<'_>, t: Term) -> bool {
        solver.sat.theory.arrays.known.contains(&t)
    }

    /// The core does not represent arrays.
    fn encode(solver: &mut NativeSolver<'_>, t: Term) {
        if let Node::Eq(..) = solver.terms.node(t) {
            let lit = solver.formula_literal(t);
            solver.set_literal(t, lit);
        }
    }

    /// Records arrays, elements, and equalities of arrays. Applications of functions are not
    /// elements.
    fn observe(&mut self, terms: &Terms, t: Term) {
        let is_array = |t: Term| matches!(terms.sort(t), Sort::Array(_));
        let is_choice = matches!(terms.node(t), Node::Ite(..)) && terms.sort(t) != Sort::Bool;
        if is_choice || is_array(t) || matches!(terms.node(t), Node::Select(..)) {
            let is_formula = |&c: &Term| terms.sort(c) == Sort::Bool;
            terms.for_each_argument(t, |c| self.formulas.extend(Some(c).filter(is_formula)));
        }
        let list = match terms.node(t) {
            Node::Select(..) if terms.application(t).is_none() => Some(&mut self.elements),
            Node::Eq(a, _) if is_array(*a) => Some(&mut self.equalities),
            _ => None,
        };
        if (list.is_none() && !is_array(t)) || !self.known.insert(t) {
            return;
        }
        if let Some(list) = list {
            list.push(t);
        }
        if is_array(t) {
            self.arrays.push(t);
            let index = terms.sort(t).array_parts(terms).map(|parts| parts.0);
            self.are_places |= matches!(index, Some(Sort::Array(_)));
        }
    }

    fn refine(solver: &mut NativeSolver<'_>) -> Refinement {
        solver.refine_arrays()
    }

    fn value(solver: &NativeSolver<'_>, t: Term) -> Option<Value> {
        let theory = &solver.sat.theory;
        match *solver.terms.node(t) {
            Node::Var(symbol, _) if solver.terms.is_function(symbol) => {
                theory.functions.table(symbol).cloned()
            }
            _ => theory.arrays.values.get(&t).cloned(),
        }
    }

    fn incomplete(&self) -> Option<&'static str> {
        self.incomplete
    }

    /// Array axioms mix terms from both sides of a cut.
    fn no_interpolants(&self) -> Option<&'static str> {
        (!self.known.is_empty()).then_some("interpolants of formulas over arrays")
    }
}

/// The nesting depth of an array: 1 if neither its elements nor its indices are arrays. Arrays are
/// built in order of depth.
fn depth(terms: &Terms, array: Term) -> usize {
    let mut deepest = 0;
    let mut open: BTreeMap<ArrayId, usize> = BTreeMap::new();
    if let Sort::Array(id) = terms.sort(array) {
        open.insert(id, 1);
    }
    // The parts of a sort were declared before it, so the last open one is complete.
    while let Some((id, depth)) = open.pop_last() {
        deepest = deepest.max(depth);
        let (index, element) = terms.array_parts(id);
        for part in [index, element] {
            if let Sort::Array(part) = part {
                let known = open.entry(part).or_default();
                *known = (*known).max(depth + 1);
            }
        }
    }
    deepest
}

/// Arrays that are built from their elements.
fn is_base(terms: &Terms, array: Term) -> bool {
    matches!(
        terms.node(array),
        Node::Var(..) | Node::Select(..) | Node::Difference(..)
    )
}

/// A model of the other theories, with the arrays that were built so far.
pub(super) struct Candidate<'a, 't> {
    solver: &'a NativeSolver<'t>,
    built: FxHashMap<Term, Value>,
}

impl Valuation for Candidate<'_, '_> {
    fn value(&self, symbol: Symbol, stage: Stage) -> Option<Value> {
        let terms = self.terms();
        let variable = terms.var_at(symbol, stage);
        self.leaf(variable)
    }

    /// A variable of another theory has the value that the theory gave it.
    fn known(&self, t: Term) -> Option<Value> {
        let terms = self.terms();
        let is_leaf = match terms.node(t) {
            Node::Select(..) | Node::Difference(..) => true,
            Node::Eq(a, _) => matches!(terms.sort(*a), Sort::Array(_)),
            _ => false,
        };
        match is_leaf && is_encoded(self.solver, t) {
            true => self.leaf(t),
            false => None,
        }
    }
}

impl<'a, 't> Candidate<'a, 't> {
    /// The model of the other theories with the arrays that were built last.
    pub fn with_arrays(solver: &'a NativeSolver<'t>) -> Candidate<'a, 't> {
        let built = solver.sat.theory.arrays.values.clone();
        Candidate { solver, built }
    }

    fn terms(&self) -> &'t Terms {
        self.solver.terms
    }

    /// The value of a variable of another theory, or of a base array.
    fn leaf(&self, t: Term) -> Option<Value> {
        match self.terms().sort(t) {
            Sort::Array(_) => self.built.get(&t).cloned(),
            sort => value(self.solver, t).or_else(|| Some(Value::some_of(self.terms(), sort))),
        }
    }

    fn arrays(&self) -> &Arrays {
        &self.solver.sat.theory.arrays
    }

    /// The value of a term, unless it mentions elements or arrays without a value yet.
    pub fn of(&self, t: Term) -> Option<Value> {
        evaluate(self.terms(), t, self).ok()
    }

    fn is_true(&self, t: Term) -> bool {
        self.of(t) == Some(Value::Bool(true))
    }

    /// Whether an equality of arrays has to be false if it is not true. If formulas use it only
    /// positively, it may hold as well. But arrays that are indices must not be equal by accident.
    fn is_denied(&self, equality: Term) -> bool {
        let asked = self.solver.emitted.get(equality.index()) & NEGATIVE != 0;
        (asked || self.arrays().are_places)
            && value(self.solver, equality) != Some(Value::Bool(true))
    }

    /// Whether the model violates an axiom instance about the subject that is not yet a clause.
    fn breaks(&self, instance: Instance) -> bool {
        if self.arrays().said.contains(&instance) {
            return false;
        }
        let [subject, j, k] = instance;
        let axioms = array_axioms(self.terms(), subject, j, k);
        let holds = |axiom: &Vec<Term>| axiom.iter().any(|&t| self.is_true(t));
        !axioms.iter().all(holds)
    }

    /// Axioms about arrays of one depth that the model violates, or cannot evaluate.
    fn broken(&self, level: usize) -> Vec<Instance> {
        let mut broken = Vec::new();
        self.look_at_elements(level, &mut broken);
        self.look_at_equalities(level, &mut broken);
        broken
    }

    /// The elements of arrays of one depth: array and index.
    fn elements(&self, level: usize) -> impl Iterator<Item = (Term, Term)> {
        let terms = self.terms();
        let elements = self.arrays().elements.iter();
        elements.filter_map(move |&element| match *terms.node(element) {
            Node::Select(array, j) if depth(terms, array) == level => Some((array, j)),
            _ => None,
        })
    }

    /// The equalities of arrays of one depth, with their sides.
    fn equalities(&self, level: usize) -> impl Iterator<Item = (Term, Term, Term)> {
        let terms = self.terms();
        let equalities = self.arrays().equalities.iter();
        equalities.filter_map(move |&equality| match *terms.node(equality) {
            Node::Eq(a, b) if depth(terms, a) == level => Some((equality, a, b)),
            _ => None,
        })
    }

    /// Arrays of one depth.
    fn at_depth(&self, level: usize) -> impl Iterator<Item = Term> {
        let terms = self.terms();
        let arrays = self.arrays().arrays.iter().copied();
        arrays.filter(move |&array| depth(terms, array) == level)
    }

    fn look_at_elements(&self, level: usize, broken: &mut Vec<Instance>) {
        let terms = self.terms();
        let mut first: FxHashMap<(Term, Value), Term> = FxHashMap::default();
        for (array, j) in self.elements(level) {
            if !is_base(terms, array) {
                let instance = [array, j, j];
                if self.breaks(instance) {
                    broken.push(instance);
                }
            } else if let Some(place) = self.of(j) {
                let known = *first.entry((array, place)).or_insert(j);
                let instance = [array, known, j];
                if known != j && self.breaks(instance) {
                    broken.push(instance);
                }
            }
        }
    }

    fn look_at_equalities(&self, level: usize, broken: &mut Vec<Instance>) {
        let terms = self.terms();
        let mut components = None;
        for (equality, a, b) in self.equalities(level) {
            if self.is_true(equality) {
                let components = components.get_or_insert_with(|| self.components(level));
                for &j in components.indices_of(a) {
                    let instance = [equality, j, j];
                    if self.breaks(instance) {
                        broken.push(instance);
                    }
                }
            } else if self.is_denied(equality) {
                // An index at which the arrays differ. Each such index adds elements, which may be
                // arrays again; true equalities do not need one.
                let place = terms.differing_index(a, b);
                let instance = [equality, place, place];
                if !self.arrays().said.contains(&instance) {
                    broken.push(instance);
                }
            }
        }
    }

    /// The arrays of one depth, as far as they are connected.
    fn components(&self, level: usize) -> Components {
        let mut components = Components::default();
        for array in self.at_depth(level) {
            match *self.terms().node(array) {
                Node::Store(a, i, _) => {
                    components.connect(array, a);
                    components.indices.push((array, i));
                }
                Node::Ite(c, a, b) => {
                    components.connect(array, if self.is_true(c) { a } else { b });
                }
                _ => {}
            }
        }
        for (_, a, b) in self.equalities(level).filter(|e| self.is_true(e.0)) {
            components.connect(a, b);
        }
        components.indices.extend(self.elements(level));
        components.collect();
        components
    }

    /// The element of each component, by its root, at indices that do not occur. Fails with axioms
    /// if two constant arrays in one component require different ones.
    fn usual_elements(
        &self,
        level: usize,
        components: &mut Components,
    ) -> Result<FxHashMap<Term, Value>, Obstacle> {
        let mut usual: FxHashMap<Term, Value> = FxHashMap::default();
        for array in self.at_depth(level) {
            if let Node::Filled(_, v) = *self.terms().node(array) {
                let value = self.of(v);
                let value = value.ok_or(Obstacle::Unknown("a value is not known"))?;
                let root = components.root(array);
                if *usual.entry(root).or_insert_with(|| value.clone()) != value {
                    let axioms = self.elsewhere(array, components)?;
                    if !axioms.is_empty() {
                        return Err(Obstacle::Broken(axioms));
                    }
                }
            }
        }
        Ok(usual)
    }

    /// Axioms about the equalities of a component at an index that does not occur in it, or at all
    /// indices if there are few.
    fn elsewhere(
        &self,
        array: Term,
        components: &mut Components,
    ) -> Result<Vec<Instance>, Obstacle> {
        let terms = self.terms();
        let Some((index, _)) = terms.sort(array).array_parts(terms) else {
            return Ok(Vec::new());
        };
        let nth = |k: u32| index.nth_value(terms, k);
        let places: Vec<Value> = if let Some(count) = index.cardinality(terms) {
            (0..count).filter_map(nth).collect()
        } else if let Sort::Array(_) = index {
            let why = "constant arrays over arrays are related by updates";
            return Err(Obstacle::Unknown(why));
        } else {
            let taken = components.indices_of(array).iter();
            let taken: FxHashSet<Value> = taken.filter_map(|&j| self.of(j)).collect();
            let mut values = (0..).map_while(nth);
            values.find(|v| !taken.contains(v)).into_iter().collect()
        };
        let places: Vec<Term> = places.iter().map(|v| v.to_term(terms)).collect();
        let root = components.root(array);
        let mut axioms = Vec::new();
        for &equality in &self.arrays().equalities {
            if let Node::Eq(a, _) = *terms.node(equality)
                && components.root(a) == root
                && self.is_true(equality)
            {
                axioms.extend(places.iter().map(|&j| [equality, j, j]));
            }
        }
        axioms.retain(|i| !self.arrays().said.contains(i));
        Ok(axioms)
    }

    /// Builds the base arrays of one depth.
    fn build(&mut self, level: usize) -> Result<(), Obstacle> {
        let terms = self.terms();
        let mut components = self.components(level);
        let usual = self.usual_elements(level, &mut components)?;
        let mut arrays: FxHashMap<Term, ArrayValue> = FxHashMap::default();
        for array in self.at_depth(level) {
            if let Sort::Array(id) = terms.sort(array)
                && is_base(terms, array)
            {
                let known = usual.get(&components.root(array)).cloned();
                let element = terms.array_parts(id).1;
                let value = known.unwrap_or_else(|| Value::some_of(terms, element));
                arrays.insert(array, ArrayValue::filled(id, value));
            }
        }
        for &element in &self.arrays().elements {
            if let Node::Select(array, j) = *terms.node(element)
                && let Some(value) = arrays.remove(&array)
            {
                let known = self.of(j).zip(self.of(element));
                let (place, content) = known.ok_or(Obstacle::Unknown("an index has no value"))?;
                arrays.insert(array, value.with(terms, place, content));
            }
        }
        let values = arrays.into_iter();
        self.built
            .extend(values.map(|(t, a)| (t, Value::Array(Box::new(a)))));
        Ok(())
    }
}

/// Components: arrays that share their elements except at finitely many indices, with these
/// indices.
#[derive(Default)]
struct Components {
    parent: FxHashMap<Term, Term>,
    indices: Vec<(Term, Term)>,
    by_root: FxHashMap<Term, Vec<Term>>,
}

impl Components {
    fn root(&mut self, t: Term) -> Term {
        let mut root = t;
        while let Some(&next) = self.parent.get(&root) {
            root = next;
        }
        let mut at = t;
        while let Some(&next) = self.parent.get(&at) {
            self.parent.insert(at, root);
            at = next;
            if at == root {
                break;
            }
        }
        root
    }

    fn connect(&mut self, a: Term, b: Term) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    fn collect(&mut self) {
        for (array, index) in std::mem::take(&mut self.indices) {
            let root = self.root(array);
            let list = self.by_root.entry(root).or_default();
            if !list.contains(&index) {
                list.push(index);
            }
        }
    }

    fn indices_of(&mut self, array: Term) -> &[Term] {
        let root = self.root(array);
        self.by_root.get(&root).map_or(&[], Vec::as_slice)
    }
}

impl NativeSolver<'_> {
    /// Checks the model of the other theories against the axioms of arrays.
    fn refine_arrays(&mut self) -> Refinement {
        if self.ask_for_formulas() {
            return Refinement::Refined;
        }
        let all = self.sat.theory.arrays.arrays.iter();
        let deepest = all.map(|&a| depth(self.terms, a)).max().unwrap_or(0);
        let mut candidate = Candidate {
            solver: self,
            built: FxHashMap::default(),
        };
        for level in 1..=deepest {
            let broken = candidate.broken(level);
            let result = if broken.is_empty() {
                candidate.build(level)
            } else {
                Err(Obstacle::Broken(broken))
            };
            match result {
                Ok(()) => {}
                Err(Obstacle::Broken(axioms)) => {
                    axioms.into_iter().for_each(|i| self.say(i));
                    return Refinement::Refined;
                }
                Err(Obstacle::Unknown(why)) => {
                    self.sat.theory.arrays.incomplete = Some(why);
                    return Refinement::Unknown;
                }
            }
        }
        self.sat.theory.arrays.values = candidate.built;
        Refinement::Model
    }

    /// Requests decisions on the formulas inside of other terms. Returns whether there are new
    /// ones: a new clause invalidates the model.
    fn ask_for_formulas(&mut self) -> bool {
        let mut formulas = std::mem::take(&mut self.sat.theory.arrays.formulas);
        formulas.retain(|&t| self.emitted.get(self.terms.strip_not(t).0.index()) != BOTH);
        formulas.iter().for_each(|&t| self.require(t, BOTH));
        !formulas.is_empty()
    }

    /// Adds the axioms about a subject at two indices.
    fn say(&mut self, instance: Instance) {
        if !self.sat.theory.arrays.said.insert(instance) {
            return;
        }
        let [subject, j, k] = instance;
        for axiom in array_axioms(self.terms, subject, j, k) {
            if axiom.iter().any(|&t| t == self.terms.tt()) {
                continue;
            }
            let literals = axiom.iter().map(|&t| self.axiom_literal(t, subject));
            let clause: Vec<Lit> = literals.collect();
            // Consequences of an equality matter only if the equality is true.
            let guard = match self.terms.strip_not(axiom[0]) == (subject, true) {
                true => Guard::When(!clause[0]),
                false => Guard::Always,
            };
            let lemma = Lemma::with_terms(Rule::Element, instance);
            self.sat.add_clause(&clause, guard, Origin::Lemma(lemma));
            for lit in clause {
                self.assert_interest(lit);
            }
        }
    }

    /// The literal of a formula in an axiom about the subject. If an equality may be false there,
    /// this does not require it to be.
    fn axiom_literal(&mut self, t: Term, subject: Term) -> Lit {
        if self.terms.strip_not(t) != (subject, true) {
            return self.asserted_literal(t);
        }
        self.encode(subject);
        !self.literal(subject)
    }
}
