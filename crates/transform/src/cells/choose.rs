//! The choice of cells: elements at indices that occur in the model.
//!
//! Constant indices and those of assertions come first, then those of loops. Indices of an array
//! are also relevant to the arrays it is assigned to or compared with: these get cells at the same
//! indices, after their own.

use super::equations::{Groups, Leaves, index_sorts, is_array};
use super::witness::Changing;
use super::{Cell, Cells, Place};
use sectile_model::{Command, LocationId, Model, Property, PropertyKind};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum size of an index term.
const LARGEST_INDEX: u64 = 40;

/// Maximum number of pairs of arrays that are compared as a whole.
const MOST_EQUATIONS: usize = 6;

/// Priority of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Asked,
    Constant,
    Assertion,
    /// An index of the model with a witness substituted.
    Witness,
    Loop,
    Other,
    /// An index that is used with a related array.
    Related,
}

/// Terms of the model, with the priority of their indices.
struct Passage {
    rank: Rank,
    /// The source location of the steps they belong to.
    from: Option<LocationId>,
    terms: Vec<Term>,
}

/// The arrays of a model: array variables and constants.
pub(super) fn arrays(terms: &Terms, model: &Model) -> Vec<Symbol> {
    let all = model.variables.iter().chain(&model.rigid).copied();
    all.filter(|&s| is_array(terms, s)).collect()
}

/// The cells in order of priority.
pub(super) fn cells(
    terms: &Terms,
    model: &Model,
    property: &Property,
    wanted: &Cells,
) -> Vec<Cell> {
    let arrays = arrays(terms, model);
    let mut search = Search {
        terms,
        witnesses: &wanted.witnesses,
        changing: Changing::new(terms, model),
        groups: Groups::default(),
        leaves: Leaves::default(),
        found: Vec::new(),
        equations: BTreeSet::new(),
    };
    for passage in passages(terms, model, property) {
        search.visit(&passage);
    }
    for command in model.commands() {
        search.relate(command);
    }
    let mut places: Vec<(Rank, Place)> = Vec::new();
    let asked = wanted.first.iter().cloned();
    places.extend(asked.map(|place| (Rank::Asked, place)));
    let remembered = remembered(terms, model, property);
    for &array in arrays.iter().filter(|a| remembered.contains(a)) {
        let mut own = search.places_of(array);
        if wanted.is_lean {
            own.retain(|(_, place)| search.is_fixed(place));
        }
        places.extend(own);
    }
    places.sort_by_key(|p| p.0);
    let mut maker = Maker {
        terms,
        used: model
            .variables
            .iter()
            .chain(&model.rigid)
            .copied()
            .collect(),
        arrays: arrays.into_iter().collect(),
        cells: Vec::new(),
        values: Substitution::default(),
        most: wanted.most,
    };
    for (_, place) in places {
        maker.add(&place);
    }
    let is_remembered = |t: &Term| {
        let both = terms.free_vars(*t);
        both.iter().all(|v| remembered.contains(&v.0))
    };
    let equations = search.equations.into_iter().filter(is_remembered);
    for equation in equations.take(MOST_EQUATIONS) {
        maker.add_equation(equation);
    }
    maker.cells
}

/// The arrays whose elements matter in a successor state: those that are used there.
///
/// At the entry of a graph without incoming edges nothing is known, so nothing is lost.
fn remembered(terms: &Terms, model: &Model, property: &Property) -> BTreeSet<Symbol> {
    let graph = model;
    if graph.is_system() {
        return arrays(terms, model).into_iter().collect();
    }
    let is_entered = |l| graph.edges_to(l).next().is_some();
    let later = graph.edges.iter().filter(|e| is_entered(e.from));
    let mut used: Vec<Term> = later.flat_map(|e| e.command.conjuncts(terms)).collect();
    used.extend(graph.init.iter().chain(&graph.restrict));
    used.extend(asserted(terms, property));
    let used = terms.free_vars_of(&used);
    let now = used.iter().filter(|v| v.1 == Stage::Now);
    now.map(|v| v.0).collect()
}

/// The state formula of a property, if it has one.
fn asserted(terms: &Terms, property: &Property) -> Option<Term> {
    match &property.kind {
        PropertyKind::Invariant(p) | PropertyKind::Error(p) | PropertyKind::AtLocation(_, p) => {
            Some(*p)
        }
        PropertyKind::Ctl(formula) => formula.as_invariant(terms),
        PropertyKind::Unreachable(_) => None,
    }
}

fn passages(terms: &Terms, model: &Model, property: &Property) -> Vec<Passage> {
    let mut list = Vec::new();
    let mut push = |rank, from, terms| list.push(Passage { rank, from, terms });
    let asserted = asserted(terms, property).into_iter();
    push(Rank::Assertion, None, asserted.collect());
    push(Rank::Assertion, None, model.init.to_vec());
    push(Rank::Other, None, model.restrict.to_vec());
    let heads = model.loop_heads();
    for edge in &model.edges {
        let into_error = match &property.kind {
            PropertyKind::Unreachable(errors) => errors.contains(&edge.to),
            _ => false,
        };
        let rank = match () {
            () if into_error => Rank::Assertion,
            () if heads.contains(&edge.from) => Rank::Loop,
            () => Rank::Other,
        };
        push(rank, Some(edge.from), edge.command.conjuncts(terms));
    }
    list
}

/// Collects the indices of a model.
struct Search<'t> {
    terms: &'t Terms,
    witnesses: &'t [Symbol],
    changing: Changing,
    groups: Groups,
    leaves: Leaves,
    /// Array variables with lists of indices, which may be incomplete.
    found: Vec<(Rank, Term, Vec<Term>)>,
    /// Equations between two array variables.
    equations: BTreeSet<Term>,
}

impl Search<'_> {
    fn visit(&mut self, passage: &Passage) {
        let terms = self.terms;
        self.leaves.visit(terms, &passage.terms);
        for t in terms.post_order(&passage.terms) {
            match *terms.node(t) {
                Node::Select(array, index) | Node::Store(array, index, _) => {
                    self.note(passage, array, index);
                }
                Node::Eq(a, b) if matches!(terms.sort(a), Sort::Array(_)) => {
                    self.join(&[a, b]);
                    self.note_equation(a, b);
                }
                _ => {}
            }
        }
    }

    /// Records an index into an array, which may be one of several variables.
    fn note(&mut self, passage: &Passage, array: Term, index: Term) {
        let leaves: Vec<_> = self.leaves.of(array).cloned().collect();
        for (leaf, mut path) in leaves {
            path.push(index);
            let path: Option<Vec<Term>> = path.iter().map(|&i| usable(self.terms, i)).collect();
            let Some(path) = path else {
                continue;
            };
            let is_constant = |&i: &Term| self.terms.free_vars(i).is_empty();
            let rank = match path.iter().all(is_constant) {
                true => Rank::Constant,
                false => passage.rank,
            };
            let leaf = self.terms.unprime(leaf);
            let foreseen = self.foreseen(passage.from, &path);
            self.found.push((rank, leaf, path));
            let foreseen = foreseen.into_iter();
            self.found
                .extend(foreseen.map(|path| (Rank::Witness, leaf, path)));
        }
    }

    /// The same indices with a witness in place of a changing variable.
    fn foreseen(&self, from: Option<LocationId>, path: &[Term]) -> Vec<Vec<Term>> {
        let terms = self.terms;
        let mut list = Vec::new();
        let variables = |&i: &Term| self.changing.variables(terms, from, i);
        for variable in path.iter().flat_map(variables) {
            let sort = terms.symbol_sort(variable);
            let fits = |w: &&Symbol| terms.symbol_sort(**w) == sort;
            for &witness in self.witnesses.iter().filter(fits) {
                let map = Substitution::from_iter([(terms.var(variable), terms.var(witness))]);
                list.push(path.iter().map(|&i| terms.substitute(i, &map)).collect());
            }
        }
        list
    }

    /// Whether the indices of a place are known not to change.
    fn is_fixed(&self, place: &Place) -> bool {
        let vars = self.terms.free_vars_of(&place.path);
        vars.iter().any(|v| self.witnesses.contains(&v.0))
            || !vars.iter().any(|v| self.changing.anywhere.contains(&v.0))
    }

    /// Records a comparison of two arrays, if both are variables.
    fn note_equation(&mut self, a: Term, b: Term) {
        let terms = self.terms;
        let is_variable = |t: Term| match terms.node(t) {
            Node::Var(symbol, _) => terms.symbol_kind(*symbol) != SymbolKind::Input,
            _ => false,
        };
        if is_variable(a) && is_variable(b) {
            let equation = terms.eq(terms.unprime(a), terms.unprime(b));
            if terms.as_bool(equation).is_none() {
                self.equations.insert(equation);
            }
        }
    }

    /// Relates an assigned array to the arrays in its new value.
    fn relate(&mut self, command: &Command) {
        let updates = command.updates.iter();
        for update in updates.filter(|u| is_array(self.terms, u.symbol)) {
            let assigned = self.terms.var(update.symbol);
            self.leaves.visit(self.terms, &[assigned]);
            // Elements that come from another array also relate the two.
            let inside = self.terms.post_order(&[update.value]);
            let is_variable = |t: &Term| {
                matches!(self.terms.node(*t), Node::Var(..))
                    && matches!(self.terms.sort(*t), Sort::Array(_))
            };
            let mut list: Vec<Term> = inside.into_iter().filter(is_variable).collect();
            list.push(assigned);
            self.join(&list);
        }
    }

    fn join(&mut self, arrays: &[Term]) {
        let leaves = arrays.iter().flat_map(|&a| self.leaves.of(a));
        let leaves: Vec<Term> = leaves.map(|l| self.terms.unprime(l.0)).collect();
        self.groups.join(leaves.into_iter());
    }

    /// The places of an array with their priorities.
    fn places_of(&self, array: Symbol) -> Vec<(Rank, Place)> {
        let terms = self.terms;
        let variable = terms.var(array);
        let sorts = index_sorts(terms, terms.sort(variable));
        let mut places = Vec::new();
        for (rank, other, path) in &self.found {
            let rank = match *other {
                same if same == variable => *rank,
                other if self.groups.are_joined(other, variable) => Rank::Related,
                _ => continue,
            };
            for path in self.completed(variable, path, &sorts) {
                places.push((rank, Place { array, path }));
            }
        }
        places
    }

    /// The list of indices, extended by further ones if an element is an array.
    fn completed(&self, variable: Term, path: &[Term], sorts: &[Sort]) -> Vec<Vec<Term>> {
        let fits = |path: &[Term]| {
            let pairs = path.iter().zip(sorts);
            path.len() == sorts.len() && { pairs }.all(|(&t, &s)| self.terms.sort(t) == s)
        };
        if path.len() >= sorts.len() {
            return if fits(path) {
                vec![path.to_vec()]
            } else {
                Vec::new()
            };
        }
        let others = self.found.iter().filter(|f| f.2.len() == sorts.len());
        let related = others.filter(|f| self.groups.are_joined(f.1, variable));
        let longer = related.map(|f| [path, &f.2[path.len()..]].concat());
        longer.filter(|p| fits(p)).collect()
    }
}

/// The index as a term about one state, if possible: without inputs and array updates.
fn usable(terms: &Terms, index: Term) -> Option<Term> {
    let mut stages = BTreeSet::new();
    for t in terms.post_order(&[index]) {
        match terms.node(t) {
            Node::Var(symbol, stage) => match terms.symbol_kind(*symbol) {
                SymbolKind::Input | SymbolKind::Bound => return None,
                SymbolKind::Rigid => {}
                SymbolKind::State => {
                    stages.insert(*stage);
                }
            },
            Node::Select(..) => {}
            _ if matches!(terms.sort(t), Sort::Array(_)) => return None,
            _ => {}
        }
    }
    if stages.len() > 1 || terms.written_size(index) > LARGEST_INDEX {
        return None;
    }
    match stages.first() {
        Some(Stage::At(_)) => None,
        _ => Some(terms.unprime(index)),
    }
}

/// Makes cells of places, each after those that its index needs.
struct Maker<'t> {
    terms: &'t Terms,
    used: BTreeSet<Symbol>,
    arrays: BTreeSet<Symbol>,
    cells: Vec<Cell>,
    /// The cells as replacements for elements.
    values: Substitution,
    most: usize,
}

impl Maker<'_> {
    fn add(&mut self, place: &Place) {
        let terms = self.terms;
        let meaning = element(terms, place);
        let mut needed: Vec<(Term, Place)> = Vec::new();
        for t in terms.post_order(&place.path) {
            if matches!(terms.node(t), Node::Select(..)) && !matches!(terms.sort(t), Sort::Array(_))
            {
                match place_of(terms, t) {
                    Some(inner) => needed.push((t, inner)),
                    None => return,
                }
            }
        }
        needed.push((meaning, place.clone()));
        needed.retain(|n| !self.values.contains_key(&n.0));
        if self.cells.len() + needed.len() > self.most {
            return;
        }
        if needed.iter().all(|n| self.arrays.contains(&n.1.array)) {
            needed
                .into_iter()
                .for_each(|(t, place)| self.make(t, place));
        }
    }

    fn make(&mut self, meaning: Term, place: Place) {
        let terms = self.terms;
        let path = place.path.iter();
        let path = path.map(|&i| terms.substitute(i, &self.values)).collect();
        let symbol = self.variable(meaning);
        self.values.insert(meaning, terms.var(symbol));
        self.cells.push(Cell {
            array: place.array,
            symbol,
            meaning,
            path,
        });
    }

    fn add_equation(&mut self, equation: Term) {
        let both = self.terms.free_vars(equation);
        let Some(&(array, _)) = both.first() else {
            return;
        };
        let symbol = self.variable(equation);
        self.cells.push(Cell {
            array,
            symbol,
            meaning: equation,
            path: Vec::new(),
        });
    }

    /// A variable with a readable name. Repeated calls give the same one.
    fn variable(&mut self, meaning: Term) -> Symbol {
        let terms = self.terms;
        let name = sectile_terms::NativePrinter::new(terms).print(meaning);
        let name = name.replace('`', "");
        let declared = terms.declare(&name, terms.sort(meaning), SymbolKind::State);
        let symbol = match declared {
            Ok(symbol) if !self.used.contains(&symbol) => symbol,
            _ => terms.fresh(&name, terms.sort(meaning), SymbolKind::State),
        };
        self.used.insert(symbol);
        symbol
    }
}

/// The element at a place.
fn element(terms: &Terms, place: &Place) -> Term {
    let array = terms.var(place.array);
    let path = place.path.iter();
    path.fold(array, |array, &index| terms.select(array, index))
}

/// The place of an element, if its array is a variable.
fn place_of(terms: &Terms, element: Term) -> Option<Place> {
    let mut path = Vec::new();
    let mut t = element;
    loop {
        match *terms.node(t) {
            Node::Select(array, index) => {
                path.push(index);
                t = array;
            }
            Node::Var(array, _) => {
                path.reverse();
                return Some(Place { array, path });
            }
            _ => return None,
        }
    }
}

/// The cells of one array, by their positions.
pub(super) fn by_array(cells: &[Cell]) -> BTreeMap<Symbol, Vec<usize>> {
    let mut groups: BTreeMap<Symbol, Vec<usize>> = BTreeMap::new();
    for (k, cell) in cells.iter().enumerate().filter(|c| !c.1.is_equation()) {
        groups.entry(cell.array).or_default().push(k);
    }
    groups
}
