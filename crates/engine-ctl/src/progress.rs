//! Eventualities by decreasing numbers: rankings of strongly connected parts.
//!
//! Layers of cells stop at the first cycle of cells. Among the remaining cells, those whose steps
//! all stay or lead to labelled cells form strongly connected parts, which are ranked in reverse
//! topological order.

use crate::cells::{CellGraph, Edge, turned_sources};
use crate::label::{Label, Labelling, Row, earlier};
use crate::rank::Transition;
use crate::rank::lexicographic::{Ranked, Ranker, Ranking};
use sectile_base::Exhausted;
use sectile_base::digraph::Digraph;
use sectile_domains::domain::Domain;
use sectile_domains::guarded::program::Program;
use sectile_domains::linear::Numbers;

/// Maximum number of steps of a ranked part.
const MOST_STEPS: usize = 100_000;

/// Maximum number of steps of a part that is cut for lack of a ranking.
const MOST_CUT_STEPS: usize = 150;

/// Number of states up to which a part is not ranked.
const FEW_STATES: i64 = 200;

/// A part of a formula (by its position among those labelled together) in a cell.
type Node = (usize, usize);

/// A strongly connected part without a ranking.
pub struct Unranked {
    /// The cells of its nodes.
    pub cells: Vec<usize>,
    /// Its steps, between nodes.
    pub transitions: Vec<Transition>,
}

/// A part of a formula in the cells where it is still unknown.
struct Open<'o> {
    nodes: Vec<Node>,
    /// The position of a node, if it is open.
    places: Vec<Vec<Option<usize>>>,
    moves: &'o [Vec<usize>],
    /// For every node, edges of which one is possible in every state.
    edges: Vec<Vec<usize>>,
}

impl<D: Domain> Labelling<'_, D> {
    /// Labels cells from which rankings lead to labelled cells.
    pub fn ranked(
        &mut self,
        rows: &mut [Row],
        arguments: &[(usize, usize)],
        moves: &[Vec<usize>],
        rank: u64,
    ) -> Result<(), Exhausted> {
        if self.program.numeric.is_empty() {
            return Ok(());
        }
        let open = self.open(rows, arguments, moves)?;
        let mut rank = rank;
        let graph = Digraph::from_successors(open.nodes.len(), |n| self.inner(&open, n));
        for component in graph.strongly_connected_components() {
            self.budget.poll()?;
            let leaves = |&n: &usize| {
                let (p, c) = open.nodes[n];
                let edges = self.graph.edges[c].iter();
                edges
                    .filter(|e| !is_inside(&open, &component, p, e))
                    .any(|e| rows[moves[p][e.turn]][e.target].is_none())
            };
            if component.iter().any(leaves) {
                continue;
            }
            let Some(ranking) = self.ranking(&open, &component)? else {
                continue;
            };
            rank += 1;
            for (&n, measures) in component.iter().zip(ranking) {
                let (p, c) = open.nodes[n];
                rows[p][c] = Some(Label {
                    rank,
                    measures,
                    edges: open.edges[n].clone(),
                });
            }
        }
        Ok(())
    }

    /// The unlabelled nodes in which a step is always possible and all steps lead to such nodes or
    /// to labelled ones.
    fn open<'o>(
        &self,
        rows: &[Row],
        arguments: &[(usize, usize)],
        moves: &'o [Vec<usize>],
    ) -> Result<Open<'o>, Exhausted> {
        let cells = self.graph.cells.len();
        let mut inside: Vec<Vec<Option<Vec<usize>>>> = vec![vec![None; cells]; rows.len()];
        for (p, &(first, _)) in arguments.iter().enumerate() {
            for c in 0..cells {
                self.budget.poll()?;
                let cell = &self.graph.cells[c];
                let able = rows[p][c].is_none()
                    && self.labels[first][c].is_some()
                    && !cell.open
                    && !cell.stuck;
                if able {
                    inside[p][c] = self.some_next(c, |_| true);
                }
            }
        }
        let before = self.predecessors();
        let every = (0..rows.len()).flat_map(|p| (0..cells).map(move |c| (p, c)));
        let mut work: Vec<Node> = every.filter(|&(p, c)| inside[p][c].is_some()).collect();
        while let Some((p, c)) = work.pop() {
            self.budget.poll()?;
            let stays = self.all_next(c, |e| {
                let q = moves[p][e.turn];
                rows[q][e.target].is_some() || inside[q][e.target].is_some()
            });
            if inside[p][c].is_some() && !stays {
                inside[p][c] = None;
                let affected = earlier(&[(p, c)], &before, moves);
                work.extend(
                    affected
                        .into_iter()
                        .filter(|&(q, b)| inside[q][b].is_some()),
                );
            }
        }
        let mut open = Open {
            nodes: Vec::new(),
            places: vec![vec![None; cells]; rows.len()],
            moves,
            edges: Vec::new(),
        };
        for (p, row) in inside.into_iter().enumerate() {
            for (c, edges) in row.into_iter().enumerate() {
                if let Some(edges) = edges {
                    open.places[p][c] = Some(open.nodes.len());
                    open.nodes.push((p, c));
                    open.edges.push(edges);
                }
            }
        }
        Ok(open)
    }

    /// The open successors of a node.
    fn inner(&self, open: &Open<'_>, node: usize) -> Vec<usize> {
        let (p, c) = open.nodes[node];
        let edges = self.graph.edges[c].iter();
        edges
            .filter_map(|e| open.places[open.moves[p][e.turn]][e.target])
            .collect()
    }

    /// Whether a part with more than one node, or with a step, has few states in total.
    fn has_few_states(&self, open: &Open<'_>, component: &[usize]) -> bool {
        let loops = component.iter().any(|&n| self.inner(open, n).contains(&n));
        if self.program.numbers == Numbers::Reals || (component.len() == 1 && !loops) {
            return false;
        }
        let sets = component
            .iter()
            .map(|&n| &self.graph.cells[open.nodes[n].1].set);
        let counts = sets.map(|set| points(&**set));
        let sum = counts.reduce(|a, b| Some(a? + b?)).flatten();
        sum.is_some_and(|count| count <= FEW_STATES)
    }

    /// A ranking of a strongly connected part; a part without steps needs none.
    fn ranking(
        &mut self,
        open: &Open<'_>,
        component: &[usize],
    ) -> Result<Option<Ranking>, Exhausted> {
        if self.has_few_states(open, component) {
            // Cutting the cells terminates, and is more informative than a ranking.
            return Ok(None);
        }
        let place = |n: usize| component.binary_search(&n).ok();
        let mut transitions = Vec::new();
        for (from, &n) in component.iter().enumerate() {
            let (p, c) = open.nodes[n];
            for edge in &self.graph.edges[c] {
                let target = open.places[open.moves[p][edge.turn]][edge.target];
                let Some(to) = target.and_then(place) else {
                    continue;
                };
                self.budget.poll_for(D::EFFORT)?;
                let steps = self.graph.transition(self.program, c, edge, (from, to));
                transitions.extend(steps);
            }
            if transitions.len() > MOST_STEPS {
                return Ok(None);
            }
        }
        let ranker = Ranker {
            nodes: component.len(),
            variables: self.program.numeric.len(),
            numbers: self.program.numbers,
            transitions: &transitions,
            budget: self.budget,
        };
        match ranker.ranking()? {
            Ranked::All(ranking) => Ok(Some(ranking)),
            Ranked::Left(_) if transitions.len() > MOST_CUT_STEPS => Ok(None),
            Ranked::Left(left) => {
                let left = left.into_iter().map(|t| transitions[t].clone());
                self.unranked.push(Unranked {
                    cells: component.iter().map(|&n| open.nodes[n].1).collect(),
                    transitions: left.collect(),
                });
                Ok(None)
            }
        }
    }
}

impl<D: Domain> CellGraph<'_, D> {
    /// The steps of an edge as constraints; none if there are none after all.
    pub fn transition(
        &self,
        program: &Program<'_, D>,
        cell: usize,
        edge: &Edge<D>,
        (from, to): (usize, usize),
    ) -> Option<Transition> {
        let case = &program.cases[edge.case];
        let turn = self.symmetry.turn(edge.turn);
        let sources = turned_sources(&turn, edge.turn, &case.sources);
        let guarded = case.guarded(&self.cells[cell].set)?;
        let target = &self.cells[edge.target].set;
        let steps = target.preimage(&guarded, &sources)?;
        Some(Transition {
            from,
            to,
            constraints: steps.constraints(),
            points: steps.variables(),
            next: turned_sources(&turn, edge.turn, &case.values).into_owned(),
        })
    }
}

/// An upper bound of the number of points of a set of integers, if its bounds show that it is
/// small.
fn points<D: Domain>(set: &D) -> Option<i64> {
    let mut count: i64 = 1;
    for v in 0..set.variables() {
        let (high, low) = (set.upper(Some(v), None), set.upper(None, Some(v)));
        let width = high.plus(&low).value()?.to_i64()?;
        count = count.checked_mul(width + 1)?;
        if count > FEW_STATES {
            return None;
        }
    }
    Some(count)
}

/// Whether an edge leads to a node of the component.
fn is_inside<D>(open: &Open<'_>, component: &[usize], part: usize, edge: &Edge<D>) -> bool {
    let target = open.places[open.moves[part][edge.turn]][edge.target];
    target.is_some_and(|n| component.binary_search(&n).is_ok())
}
