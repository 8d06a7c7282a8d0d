//! Simplification of Horn clauses: fewer arguments, and fewer predicates in their bodies.
//!
//! | step | where |
//! |---|---|
//! | arguments that are constant, equal to others, or irrelevant | `reduce`, `reduction.rs` |
//! | arguments that one constant satisfies everywhere | `slice.rs` |
//! | predicates that are true for all arguments | `total.rs` |
//! | inlining of predicates into the clauses that use them | `inline.rs`, `derived.rs` |
//! | the order of these steps | `steps.rs` |
//! | clauses with several predicates in their bodies | `unfold.rs` |
//! | back-translation of certificates | `back.rs` |
//! | dropping premises for engines that ignore them | `linear.rs` |

mod back;
mod complete;
mod derived;
mod inline;
mod linear;
mod reduce;
mod reduction;
mod slice;
mod steps;
mod total;
mod unfold;

pub use complete::{Detail, Filling};
pub use linear::Linear;

use crate::pass::{Applied, Pass};
use back::{ClauseOrigin, NodePremise, Origin};
use derived::Derived;
use sectile_model::horn::Clause;
use sectile_model::{ClauseView, LocationId, Model, PropertyKind, Task, model_of_clauses};
use sectile_terms::{Substitution, Terms};

/// Simplifies a model of Horn clauses: drops arguments that are irrelevant, constant or equal to
/// others, and unfolds non-recursive predicates in premises. Linear clauses become a program;
/// premises of recursive predicates stay.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clauses;

impl Pass for Clauses {
    fn name(&self) -> &'static str {
        "clauses"
    }

    fn made(&self, task: &Task<'_>) -> Result<Applied, String> {
        let (terms, model) = (task.terms, task.model);
        if !model.is_clauses() || !model.rigid.is_empty() || !model.restrict.is_empty() {
            return Err("the model is not a set of clauses".to_string());
        }
        let view = ClauseView::new(terms, model, task.property.errors()?);
        let origin = reduced(terms, model, view);
        let error = LocationId(origin.model.locations.len() - 1);
        let property = task.property.with(PropertyKind::Unreachable(vec![error]));
        Ok(Applied::new(origin.model.clone(), property, origin))
    }
}

fn reduced(terms: &Terms, read: &Model, view: ClauseView) -> Origin {
    let clauses = &view.clauses;
    let mut cycles = inline::Cycles::new(clauses);
    let steps = steps::all(terms, clauses, &mut cycles);
    let numbers = steps::positions(&steps, clauses.clauses.len());
    let last = steps.last();
    let simple = last.map_or_else(|| clauses.clone(), |s| s.after().clone());
    let linearised = unfold::linearise(terms, &simple, &mut cycles);
    let made: Vec<Clause> = linearised
        .clauses
        .iter()
        .map(|u| u.clause.clone())
        .collect();
    let name = |k: usize| {
        let clause = numbers[linearised.clauses[k].nodes[0].clause];
        let edge = view.edges[clause].and_then(|e| read.command(e));
        edge.map_or("query".to_string(), |c| c.name.clone())
    };
    let (mut model, edges) = model_of_clauses(terms, &simple, &made, &name);
    // Edges with a false guard are dropped.
    let possible = |e: &sectile_model::Edge| !e.command.guards.contains(&terms.ff());
    let all = linearised.clauses.iter().zip(&edges);
    let kept = all.filter(|(_, e)| possible(&e.edge));
    let origins = kept.map(|(unfolded, e)| edge_origin(terms, unfolded, &e.values, e.first));
    let origins = origins.collect();
    model.edges.retain(possible);
    Origin {
        view,
        steps,
        simple,
        model,
        edges: origins,
        unfolded: linearised.replaced,
    }
}

/// The original clauses of an edge, premises first, with values in terms of the edge. The edge
/// starts at the leaf `first` of the clause.
fn edge_origin(
    terms: &Terms,
    unfolded: &Derived,
    values: &[sectile_terms::Term],
    first: usize,
) -> Vec<ClauseOrigin> {
    let pairs = unfolded.clause.variables.iter().zip(values);
    let map: Substitution = pairs.map(|(&v, &t)| (terms.var(v), t)).collect();
    let state = |node: usize, place: usize| {
        let mut leaves = unfolded.leaves.iter();
        let leaf = leaves.position(|l| *l == (node, place)).unwrap_or(first);
        match leaf {
            leaf if leaf == first => 0,
            leaf if leaf < first => leaf + 1,
            leaf => leaf,
        }
    };
    // Nodes that prove premises come later in the list, so it is reversed.
    let last = unfolded.nodes.len() - 1;
    let nodes = unfolded.nodes.iter().enumerate().rev().map(|(n, node)| {
        let premises = node.premises.iter().enumerate();
        let premise = |(place, p): (usize, &Option<usize>)| match p {
            Some(other) => NodePremise::Node(last - other),
            None => NodePremise::State(state(n, place)),
        };
        ClauseOrigin {
            clause: node.clause,
            values: { node.values.iter() }
                .map(|&t| terms.substitute(t, &map))
                .collect(),
            premises: premises.map(premise).collect(),
        }
    });
    nodes.collect()
}
