//! Evidence for CTL formulas: cells of states, and claims that a formula holds in a cell.

use crate::model::LocationId;
use crate::trace::State;
use sectile_terms::{Symbol, Term, Terms, Value};

/// Cells with the steps between them, and claims about sub-formulas.
///
/// For the verdict `holds` the claims are about the parts of the property in normal form, and the
/// initial states lie in cells where the whole is claimed. For `violated` they are about the parts
/// of its negation, and one initial state lies in such a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CtlProof {
    /// The cells; they may overlap and need not contain all states.
    pub cells: Vec<Cell>,
    /// Renamings of variables that map the system to itself.
    pub renamings: Vec<Renaming>,
    /// Further cells, numbered after the others: images of cells under renamings.
    pub images: Vec<Image>,
    /// For every part of the normal form, the cells in which it is claimed to hold.
    pub claims: Vec<Vec<CellClaim>>,
    /// Where the initial states are.
    pub initial: Initial,
}

impl CtlProof {
    /// The states in which the whole formula is claimed to hold, if they are given explicitly.
    pub fn states_of_the_whole(&self, terms: &Terms) -> Option<Term> {
        let whole = self.claims.last().filter(|_| self.images.is_empty())?;
        Some(terms.or(whole.iter().map(|claim| self.cells[claim.cell].formula)))
    }
}

/// A bijection of variables, of symbolic constants and of inputs, each by itself, that maps every
/// command to a command; symbols that are not listed are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// Pairs of a symbol and its replacement.
    pub pairs: Vec<(Symbol, Symbol)>,
}

/// The states of a cell with their variables renamed: the renamed parts of the formula hold there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The cell.
    pub cell: usize,
    /// The position of the renaming.
    pub renaming: usize,
}

/// The position of the initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// All of them are in these cells.
    All(Vec<usize>),
    /// This one is in this cell: the values of the symbolic constants, the state, the cell.
    One(Vec<Value>, State, usize),
}

/// A set of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The location of all its states.
    pub location: LocationId,
    /// The states.
    pub formula: Term,
    /// The successors of the cell under every command. A command that is not listed is impossible
    /// in all states of the cell. Commands are named by the indices of their edges.
    pub successors: Vec<Successors>,
    /// Steps that are possible in some states of the cell.
    pub choices: Vec<Choice>,
}

/// All cells to which a command leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successors {
    /// The command.
    pub command: usize,
    /// The cells.
    pub cells: Vec<usize>,
}

/// A step into a cell, with the values that are chosen in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The command.
    pub command: usize,
    /// Values of its inputs, and next values of the variables it does not assign, as terms over
    /// the current state.
    pub values: Vec<(Symbol, Term)>,
    /// The target.
    pub target: usize,
}

/// The claim that a formula holds in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellClaim {
    /// The cell.
    pub cell: usize,
    /// For eventualities: a number that is at least the ranks of the successor cells.
    pub rank: u64,
    /// Measures that decide between cells of the same rank, in lexicographic order: a step
    /// decreases one of them by one or more, from a value that is not negative, and increases none
    /// before it.
    pub measures: Vec<Term>,
    /// The choices of the cell, one of which is possible in each of its states.
    pub choices: Vec<usize>,
}
