//! Elimination of arrays from terms: reads are pushed inwards until they reach an array variable.
//!
//! The value of such a read is the cell with that index, if there is one. Any other index may equal
//! that of a cell or of an earlier read: it is compared with all of them, and if it differs from
//! all, the value is a new input. So equal indices have equal values, and nothing else is required.

use super::Cell;
use sectile_terms::{Node, Sort, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// A subgoal of the elimination.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    /// A term of a sort other than arrays, without arrays.
    Plain(Term),
    /// The element of an array at indices without arrays, one for each dimension.
    Element(Term, Vec<Term>),
}

/// The element of an array variable at some indices.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub path: Vec<Term>,
    pub value: Term,
}

/// A read whose index has no cell.
#[derive(Clone, Debug)]
pub(super) struct Invented {
    pub array: Term,
    pub path: Vec<Term>,
}

/// Eliminates arrays from the terms of one step, or of one state.
pub(super) struct Eliminator<'t> {
    terms: &'t Terms,
    done: BTreeMap<Goal, Term>,
    /// The known reads of each array variable.
    reads: BTreeMap<Term, Vec<Read>>,
    /// The replacements of equations between arrays.
    equations: BTreeMap<Term, Term>,
    /// The new inputs.
    pub inputs: Vec<Symbol>,
    /// The reads for which the inputs were made.
    pub invented: Vec<Invented>,
}

impl<'t> Eliminator<'t> {
    /// Starts with the cells in the state before the step.
    pub fn new(terms: &'t Terms, cells: &[Cell]) -> Eliminator<'t> {
        let mut reads: BTreeMap<Term, Vec<Read>> = BTreeMap::new();
        for cell in cells.iter().filter(|c| !c.is_equation()) {
            reads.entry(terms.var(cell.array)).or_default().push(Read {
                path: cell.path.clone(),
                value: terms.var(cell.symbol),
            });
        }
        Eliminator {
            terms,
            done: BTreeMap::new(),
            reads,
            equations: BTreeMap::new(),
            inputs: Vec::new(),
            invented: Vec::new(),
        }
    }

    /// Replaces an equation between arrays from now on.
    pub fn replace_equation(&mut self, equation: Term, by: Term) {
        self.equations.insert(equation, by);
    }

    /// The reads of an array variable so far.
    pub fn reads_of(&self, array: Term) -> &[Read] {
        self.reads.get(&array).map_or(&[], Vec::as_slice)
    }

    /// A new input.
    pub fn input(&mut self, hint: &str, sort: Sort) -> Term {
        let symbol = self.terms.fresh(hint, sort, SymbolKind::Input);
        self.inputs.push(symbol);
        self.terms.var(symbol)
    }

    /// The term without arrays.
    pub fn plain(&mut self, t: Term) -> Term {
        self.resolve(Goal::Plain(t))
    }

    /// The element of an array at indices without arrays.
    pub fn element(&mut self, array: Term, path: &[Term]) -> Term {
        self.resolve(Goal::Element(array, path.to_vec()))
    }

    fn resolve(&mut self, goal: Goal) -> Term {
        let mut stack = vec![goal.clone()];
        while let Some(top) = stack.last() {
            if self.done.contains_key(top) {
                stack.pop();
                continue;
            }
            let top = top.clone();
            match self.step(&top) {
                Ok(value) => {
                    self.done.insert(top, value);
                    stack.pop();
                }
                Err(missing) => stack.extend(missing),
            }
        }
        self.done[&goal]
    }

    /// The result of a goal, or the goals that have to be solved first.
    fn step(&mut self, goal: &Goal) -> Result<Term, Vec<Goal>> {
        match goal {
            Goal::Plain(t) => self.step_plain(*t),
            Goal::Element(array, path) => self.step_element(*array, path),
        }
    }

    fn known(&self, goal: Goal) -> Result<Term, Vec<Goal>> {
        self.done.get(&goal).copied().ok_or_else(|| vec![goal])
    }

    fn step_plain(&self, t: Term) -> Result<Term, Vec<Goal>> {
        let terms = self.terms;
        if let Some(&other) = self.equations.get(&t) {
            return Ok(other);
        }
        if let Node::Select(array, index) = *terms.node(t) {
            let index = self.known(Goal::Plain(index))?;
            return self.known(Goal::Element(array, vec![index]));
        }
        let mut missing = Vec::new();
        terms.node(t).for_each_child(|c| {
            let goal = Goal::Plain(c);
            if !self.done.contains_key(&goal) {
                missing.push(goal);
            }
        });
        if !missing.is_empty() {
            missing.reverse();
            return Err(missing);
        }
        Ok(terms.rebuild(t, |c| self.done[&Goal::Plain(c)]))
    }

    fn step_element(&mut self, array: Term, path: &[Term]) -> Result<Term, Vec<Goal>> {
        let terms = self.terms;
        match *terms.node(array) {
            Node::Store(inner, index, value) => {
                let index = self.known(Goal::Plain(index))?;
                let here = terms.eq(index, path[0]);
                let (new, old) = (inside(value, path), Goal::Element(inner, path.to_vec()));
                match terms.as_bool(here) {
                    Some(true) => self.known(new),
                    Some(false) => self.known(old),
                    None => Ok(terms.ite(here, self.known(new)?, self.known(old)?)),
                }
            }
            Node::Filled(_, value) => self.known(inside(value, path)),
            Node::Ite(condition, a, b) => {
                let condition = self.known(Goal::Plain(condition))?;
                let [a, b] = [a, b].map(|branch| Goal::Element(branch, path.to_vec()));
                match terms.as_bool(condition) {
                    Some(true) => self.known(a),
                    Some(false) => self.known(b),
                    None => Ok(terms.ite(condition, self.known(a)?, self.known(b)?)),
                }
            }
            Node::Select(outer, index) => {
                let index = self.known(Goal::Plain(index))?;
                let mut longer = vec![index];
                longer.extend(path);
                self.known(Goal::Element(outer, longer))
            }
            _ => Ok(self.read(array, path)),
        }
    }

    /// The element of an array variable.
    ///
    /// Paper: [BrGeVe01]: nested conditionals over the earlier reads instead of a new value with
    /// side conditions, so that unused reads leave no trace.
    fn read(&mut self, array: Term, path: &[Term]) -> Term {
        let terms = self.terms;
        let mut meets = Vec::new();
        for read in self.reads_of(array) {
            let pairs = read.path.iter().zip(path);
            let same = terms.and(pairs.map(|(&a, &b)| terms.eq(a, b)));
            match terms.as_bool(same) {
                Some(true) => return read.value,
                Some(false) => {}
                None => meets.push((same, read.value)),
            }
        }
        let (name, sort) = self.element_of(array, path.len());
        let mut value = self.input(&name, sort);
        for (same, known) in meets.into_iter().rev() {
            value = terms.ite(same, known, value);
        }
        let path = path.to_vec();
        self.invented.push(Invented {
            array,
            path: path.clone(),
        });
        self.reads
            .entry(array)
            .or_default()
            .push(Read { path, value });
        value
    }

    /// The name of an array variable, and the sort of its elements after this many indices.
    fn element_of(&self, array: Term, dimensions: usize) -> (String, Sort) {
        let name = match self.terms.node(array) {
            Node::Var(symbol, _) => self.terms.name(*symbol).to_string(),
            _ => "element".to_string(),
        };
        let mut sort = self.terms.sort(array);
        for _ in 0..dimensions {
            if let Sort::Array(id) = sort {
                sort = self.terms.array_parts(id).1;
            }
        }
        (name, sort)
    }
}

/// An element of an array of arrays is an array: the remaining indices are read from it.
fn inside(value: Term, path: &[Term]) -> Goal {
    match path {
        [_] => Goal::Plain(value),
        [_, rest @ ..] => Goal::Element(value, rest.to_vec()),
        [] => unreachable!("elements are read at one index at least"),
    }
}
