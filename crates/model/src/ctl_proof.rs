//! Evidence for CTL formulas: cells of states, and which formula holds in which cell.

use crate::model::LocationId;
use crate::trace::State;
use sectile_terms::{Symbol, Term, Terms, Value};

/// Sets of states with the steps between them, and claims about sub-formulas.
///
/// For the verdict `holds` the claims are about the parts of the property in normal form, and the
/// initial states lie in cells where the whole is claimed. For `violated` they are about the parts
/// of its negation, and one initial state lies in such a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CtlProof {
    /// The cells; they may overlap and need not contain all states.
    pub cells: Vec<Cell>,
    /// Exchanges of variables that keep the system as it is.
    pub renamings: Vec<Renaming>,
    /// Further cells, counted behind the others: those that renamings make of them.
    pub images: Vec<Image>,
    /// For every part of the normal form, the cells in which it is claimed to hold.
    pub claims: Vec<Vec<CellClaim>>,
    /// Where the initial states are.
    pub initial: Initial,
}

impl CtlProof {
    /// The states in which the whole formula is claimed to hold, if all of them are written down.
    pub fn states_of_the_whole(&self, terms: &Terms) -> Option<Term> {
        let whole = self.claims.last().filter(|_| self.images.is_empty())?;
        Some(terms.or(whole.iter().map(|claim| self.cells[claim.cell].formula)))
    }
}

/// A bijection of variables, of symbolic constants and of inputs, each by itself, that maps every
/// command to a command; what is not named stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// What is replaced, and by what.
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

/// Where the initial states are.
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
    /// Where the commands lead: no command leads anywhere else. A command that is not listed is
    /// possible in no state of the cell. Commands are named by the indices of their edges.
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
    /// Where it leads.
    pub target: usize,
}

/// A formula holds in a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellClaim {
    /// The cell.
    pub cell: usize,
    /// For what has to happen: at least the ranks of the cells that come next.
    pub rank: u64,
    /// Sums that decide between cells of the same rank, the first one first: a step lets one of
    /// them fall by one or more, from a value that is not negative, and none before it grow.
    pub measures: Vec<Term>,
    /// The choices of the cell, one of which is possible in every state of it.
    pub choices: Vec<usize>,
}
