//! Replaces arrays by variables for some of their elements, called cells.
//!
//! `choose` picks cells: an array and an index over the state, such as `a[i]`. Each becomes a
//! variable, and the arrays are removed. A step between two states of cells is possible if it is
//! one between arrays with such cells. This is computed without a solver: `eliminate` pushes reads
//! into updates until only elements of array variables are left, `equations` expresses equations of
//! arrays by elements, `step` builds a command, and `back` translates invariants of cells to
//! arrays.
//!
//! `witness` anticipates the indices that a violation reads: cells there represent all elements.
//! `guess` proposes candidate facts about cells, and `facts` proves them. `refine` is the loop: it
//! decides the task with cells, confirms violations on the arrays (`replay`), and adds cells after
//! a spurious one.
//!
//! The new model allows everything that the old one does and, because cells do not determine the
//! arrays, more: its invariants are valid, but its runs may be spurious.

mod back;
mod choose;
mod eliminate;
mod equations;
mod facts;
mod guess;
mod refine;
mod replay;
mod step;
mod witness;

pub use refine::{Decide, decide_on_cells};

use crate::pass::{Applied, Exactness, Pass};
use equations::{has_plain_indices, is_array, mentions_arrays};
use sectile_model::{Edge, Location, LocationId, Model, Property, PropertyKind, Task};
use sectile_terms::{Node, Stage, Substitution, Symbol, Term, Terms};
use step::{Steps, implied_conditions, is_about_states, state_condition};

/// An element of an array: the array and its indices, one for each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The array variable.
    pub array: Symbol,
    /// The indices, in terms of the state.
    pub path: Vec<Term>,
}

/// A place with a variable of its own, or the equality of two arrays with a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The array variable, or one of the two.
    pub array: Symbol,
    /// The new variable.
    pub symbol: Symbol,
    /// Its meaning over the old model.
    pub meaning: Term,
    /// The indices over the new model, one for each dimension: elements in them are cells as well.
    /// None for equalities.
    pub path: Vec<Term>,
}

impl Cell {
    /// Whether it is an equality of two arrays.
    fn is_equation(&self) -> bool {
        self.path.is_empty()
    }
}

/// Replaces the arrays of a model by variables for some of their elements.
///
/// Models without arrays are refused, and so are arrays whose indices are arrays. Runs of the new
/// model are not translated back: whether the old one has a run with the same commands is a
/// question for a solver.
///
/// Paper: [MoGo16]. Differs: the cells are chosen, not arbitrary ones, and their indices change
/// with the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// Maximum number of cells.
    pub most: usize,
    /// Places with priority over all others.
    pub first: Vec<Place>,
    /// Constants that stand for any index: cells there represent all elements.
    pub witnesses: Vec<Symbol>,
    /// Whether places with a changing index become cells only on request.
    pub is_lean: bool,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            most: 40,
            first: Vec::new(),
            witnesses: Vec::new(),
            is_lean: false,
        }
    }
}

/// A model with cells.
pub struct CellModel {
    /// The new task, with the back-translation of proofs.
    pub applied: Applied,
    /// The cells.
    pub cells: Vec<Cell>,
    /// For each edge, the places in the state before it that it reads and that are not cells.
    pub missing: Vec<Vec<Place>>,
}

/// Whether a model has arrays other than the tables of uninterpreted functions.
pub fn has_arrays(terms: &Terms, model: &Model) -> bool {
    let is_plain = |s: &Symbol| {
        let (arguments, result) = terms.signature(*s);
        let mut parts = arguments.iter().chain([&result]);
        terms.is_function(*s) && parts.all(|sort| sort.array_parts(terms).is_none())
    };
    !choose::arrays(terms, model).iter().all(is_plain)
}

/// Whether a model has uninterpreted functions.
pub fn has_functions(terms: &Terms, model: &Model) -> bool {
    model.rigid.iter().any(|&s| terms.is_function(s))
}

impl Pass for Cells {
    fn name(&self) -> &'static str {
        "cells"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        Ok(self.replace(task)?.applied)
    }
}

impl Cells {
    /// Applies the pass, and returns its cells.
    pub fn replace(&self, task: &Task<'_>) -> Result<CellModel, String> {
        let (terms, model, property) = (task.terms, task.model, task.property);
        refuse(terms, model)?;
        let cells = choose::cells(terms, model, property, self);
        let property = property.with(plain_property(terms, &cells, &property.kind)?);
        let maker = Maker::new(terms, model, cells);
        let (model, missing) = maker.model(model, &property);
        let back = back::Elements::new(terms, &maker.cells);
        Ok(CellModel {
            applied: Applied::new(model, property, back).within(Exactness::AllowsMore),
            cells: maker.cells,
            missing,
        })
    }
}

impl CellModel {
    /// A formula about the old states expressed by the cells, if possible.
    pub fn formula(&self, terms: &Terms, formula: Term) -> Option<Term> {
        state_condition(terms, &self.cells, formula)
    }
}

/// Refuses models to which the pass does not apply.
fn refuse(terms: &Terms, model: &Model) -> Result<(), String> {
    if choose::arrays(terms, model).is_empty() {
        return Err("the model has no arrays".to_string());
    }
    let mut all: Vec<Term> = model.init.iter().chain(&model.restrict).copied().collect();
    all.extend(model.commands().flat_map(|c| c.conjuncts(terms)));
    let plain = |t: &Term| match terms.node(*t) {
        Node::Difference(..) => false,
        _ => has_plain_indices(terms, terms.sort(*t)),
    };
    match terms.post_order(&all).iter().all(plain) {
        true => Ok(()),
        false => Err("an array is the index of another one".to_string()),
    }
}

/// The property expressed by the cells, which must be exact.
fn plain_property(
    terms: &Terms,
    cells: &[Cell],
    kind: &PropertyKind,
) -> Result<PropertyKind, String> {
    let plain = |p: Term| {
        let told = state_condition(terms, cells, p);
        told.ok_or("the property is about more of the arrays than a few elements")
    };
    Ok(match kind {
        PropertyKind::Invariant(p) => PropertyKind::Invariant(plain(*p)?),
        PropertyKind::Error(p) => PropertyKind::Error(plain(*p)?),
        PropertyKind::AtLocation(l, p) => PropertyKind::AtLocation(*l, plain(*p)?),
        PropertyKind::Unreachable(list) => PropertyKind::Unreachable(list.clone()),
        PropertyKind::Ctl(formula) => match formula.as_invariant(terms) {
            Some(p) => PropertyKind::Invariant(plain(p)?),
            None => {
                let reason =
                    "cells allow more steps than there are, which says nothing about branching";
                return Err(reason.to_string());
            }
        },
    })
}

/// Builds the new model.
struct Maker<'t> {
    terms: &'t Terms,
    cells: Vec<Cell>,
    /// Variables that are not arrays.
    plain: Vec<Symbol>,
    rigid: Vec<Symbol>,
    init: Vec<Term>,
    restrict: Vec<Term>,
    about_arrays: Vec<Term>,
}

impl<'t> Maker<'t> {
    fn new(terms: &'t Terms, model: &Model, cells: Vec<Cell>) -> Maker<'t> {
        let (init, restrict) = (&model.init, &model.restrict);
        let plain = |list: &[Symbol]| -> Vec<Symbol> {
            let list = list.iter().copied();
            list.filter(|&s| !is_array(terms, s)).collect()
        };
        let (about_arrays, restrict): (Vec<Term>, Vec<Term>) = restrict
            .iter()
            .partition(|&&r| mentions_arrays(terms, &[r]));
        let start = init.iter().chain(&about_arrays);
        let start = start.flat_map(|&c| terms.conjuncts(c));
        let mut init: Vec<Term> = start
            .flat_map(|c| implied_conditions(terms, &cells, c))
            .collect();
        for list in choose::by_array(&cells).into_values() {
            init.extend(step::congruence(terms, &cells, &list));
        }
        if cells.iter().any(Cell::is_equation) {
            init.extend(implied_conditions(terms, &cells, terms.tt()));
        }
        Maker {
            terms,
            plain: plain(&model.variables),
            rigid: plain(&model.rigid),
            init,
            restrict,
            about_arrays,
            cells,
        }
    }

    fn model(&self, model: &Model, property: &Property) -> (Model, Vec<Vec<Place>>) {
        let mut variables = self.plain.clone();
        variables.extend(self.cells.iter().map(|c| c.symbol));
        let mut missing = Vec::new();
        let edges = model.edges.iter().map(|edge| {
            let is_last = is_final(model, property, edge.to);
            let step = self.step(edge, is_last, &mut missing);
            Edge {
                premises: step.premises,
                ..Edge::new(edge.from, edge.to, step.command)
            }
        });
        let model = Model {
            variables,
            rigid: self.rigid.clone(),
            init: self.init.clone(),
            restrict: self.restrict.clone(),
            edges: edges.collect(),
            locations: model.locations.iter().map(without_variables).collect(),
            entry: model.entry,
            ..model.without_edges()
        };
        (model, missing)
    }

    fn step(&self, edge: &Edge, is_last: bool, missing: &mut Vec<Vec<Place>>) -> step::Step {
        let steps = Steps {
            terms: self.terms,
            plain: &self.plain,
            cells: &self.cells,
            restrict: &self.about_arrays,
        };
        let step = steps.step(edge, is_last);
        let places = step.invented.iter().filter_map(|i| self.place(i));
        missing.push(places.collect());
        step
    }

    /// The place in the state before a step that a read refers to, if there is one.
    fn place(&self, invented: &eliminate::Invented) -> Option<Place> {
        let terms = self.terms;
        let Node::Var(array, Stage::Now) = *terms.node(invented.array) else {
            return None;
        };
        let path = invented.path.iter();
        let is_told = is_about_states(terms, invented.array) && { path.clone() }
            .all(|&i| is_about_states(terms, i));
        let meanings = self.cells.iter().map(|c| (terms.var(c.symbol), c.meaning));
        let meanings: Substitution = meanings.collect();
        is_told.then(|| Place {
            array,
            path: path.map(|&i| terms.substitute(i, &meanings)).collect(),
        })
    }
}

/// The same location; its relevant variables are not known for cells.
fn without_variables(location: &Location) -> Location {
    Location {
        variables: None,
        ..location.clone()
    }
}

/// Whether a location has no claims about states and no outgoing edges.
fn is_final(graph: &Model, property: &Property, location: LocationId) -> bool {
    matches!(property.kind, PropertyKind::Unreachable(_))
        && graph.edges_from(location).next().is_none()
}
