//! Programs with contradictory assumptions at the beginning.

use super::{Inspection, Oddity};
use crate::path::step_number;
use sectile_model::{LocationId, Model, PropertyKind};
use sectile_terms::Term;
use std::collections::BTreeSet;

/// Maximum number of steps to examine.
const LONGEST: usize = 200;

impl Inspection<'_> {
    /// The steps at the beginning of a program that no run gets past.
    ///
    /// Each edge from the entry is followed as long as there is only one next edge; an edge to an
    /// error does not count as a branch.
    pub(super) fn beginnings(&mut self, model: &Model) -> Vec<Oddity> {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); model.locations.len()];
        for (i, edge) in model.edges.iter().enumerate() {
            if !self.is_error(edge.to) {
                next[edge.from.0].push(i);
            }
        }
        let mut found = Vec::new();
        for &first in &next[model.entry.0] {
            let way = only_way(model, &next, first);
            if let Some(last) = self.impassable(model, &way)
                && !self.is_claim(model, model.edges[last].from)
            {
                self.cut.insert(last);
                let command = &model.edges[last].command;
                let message = format!(
                    "no run gets past `{}`: the assumptions contradict each other",
                    command.name
                );
                found.push(Oddity::new("contradiction", Some(command.span), message));
            }
        }
        found
    }

    fn is_error(&self, location: LocationId) -> bool {
        let mut kinds = self.module.properties.iter().map(|p| &p.kind);
        kinds.any(|k| matches!(k, PropertyKind::Unreachable(list) if list.contains(&location)))
    }

    /// Whether a location has an edge to an error: then runs end there because a claim fails.
    fn is_claim(&self, model: &Model, location: LocationId) -> bool {
        let mut edges = model.edges_from(location);
        edges.any(|e| self.is_error(model.edges[e].to))
    }

    /// The first step of a path that cannot be taken after those before it.
    fn impassable(&mut self, model: &Model, way: &[usize]) -> Option<usize> {
        let terms = self.terms;
        let step = |(k, &e): (usize, &usize)| {
            let formula = model.step_formula(terms, &model.edges[e].command);
            terms.at_step(formula, step_number(k))
        };
        let steps: Vec<Term> = way.iter().enumerate().map(step).collect();
        let init = terms.at_step(model.init_formula(terms), 0);
        let up_to = |n: usize| terms.and([&[init], &steps[..n]].concat());
        if !self.is_false(up_to(steps.len())) {
            return None;
        }
        let (mut possible, mut impossible) = (0, steps.len());
        while impossible - possible > 1 {
            let middle = possible.midpoint(impossible);
            match self.is_false(up_to(middle)) {
                true => impossible = middle,
                false => possible = middle,
            }
        }
        way.get(impossible - 1).copied()
    }

    /// Whether all paths to the locations pass an impassable step.
    pub(super) fn is_cut_off(&self, locations: &[LocationId]) -> bool {
        let model = &self.module.model;
        let reached = |cut: &BTreeSet<usize>| {
            let mut next: Vec<Vec<LocationId>> = vec![Vec::new(); model.locations.len()];
            for (i, edge) in model.edges.iter().enumerate() {
                if !cut.contains(&i) {
                    next[edge.from.0].push(edge.to);
                }
            }
            let mut seen = BTreeSet::from([model.entry]);
            let mut stack = vec![model.entry];
            while let Some(here) = stack.pop() {
                stack.extend(next[here.0].iter().filter(|l| seen.insert(**l)));
            }
            locations.iter().any(|l| seen.contains(l))
        };
        !self.cut.is_empty() && !reached(&self.cut) && reached(&BTreeSet::new())
    }
}

/// The steps from this one on, as long as there is only one next step.
fn only_way(model: &Model, next: &[Vec<usize>], first: usize) -> Vec<usize> {
    let mut way = vec![first];
    let mut seen = BTreeSet::from([model.edges[first].from]);
    let mut here = model.edges[first].to;
    while let [only] = next[here.0][..]
        && seen.insert(here)
        && way.len() < LONGEST
    {
        way.push(only);
        here = model.edges[only].to;
    }
    way
}
