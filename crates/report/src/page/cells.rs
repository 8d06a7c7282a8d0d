//! Cells of states and the claims about them: the evidence for CTL formulas.

use crate::Status;
use crate::evidence::cell_conjuncts;
use sectile_base::Rat;
use sectile_model::{
    Certificate, CtlProof, Initial, LocationId, NormalCtl, NormalPart, PropertyKind, Task,
};
use sectile_terms::{Node, Sort, Symbol, Term};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// More cells are counted, not shown.
const MOST: usize = 400;

/// Cells, the steps between them, and for each part of the formula where it is claimed.
pub(crate) fn cells_json(
    task: &Task<'_>,
    status: Status,
    certificate: &Certificate,
) -> Option<Value> {
    let Certificate::Ctl(proof) = certificate else {
        return None;
    };
    let shown = proof.cells.len().min(MOST);
    let numbers = numbers(task);
    let cells = proof.cells[..shown].iter().map(|cell| {
        let next: BTreeSet<(usize, &str)> = { cell.successors.iter() }
            .flat_map(|s| s.cells.iter().map(move |&c| (c, s.command)))
            .filter(|(c, _)| *c < shown)
            .map(|(c, e)| (c, task.model.command(e).map_or("", |c| c.name.as_str())))
            .collect();
        json!({
            "says": cell_conjuncts(task, cell),
            "next": next,
            "bounds": bounds(task, cell.formula, &numbers),
        })
    });
    let initial = match &proof.initial {
        Initial::All(list) => list.clone(),
        Initial::One(_, _, cell) => vec![*cell],
    };
    let names = numbers.keys().map(|&s| task.terms.name(s));
    Some(json!({
        "count": proof.cells.len() + proof.images.len(),
        "cells": cells.collect::<Vec<_>>(),
        "initial": initial,
        "numbers": names.collect::<Vec<_>>(),
        "parts": parts(task, status, proof, shown),
    }))
}

/// The parts of the formula that are not plain conditions, with the cells where they are claimed
/// and their ranks.
fn parts(task: &Task<'_>, status: Status, proof: &CtlProof, shown: usize) -> Vec<Value> {
    let positive = status == Status::Holds;
    let kind: &PropertyKind = &task.property.kind;
    let normal = NormalCtl::of_property_at(task.terms, kind, positive, LocationId(0));
    let texts = normal.map(|n| texts(task, &n)).unwrap_or_default();
    let parts = proof.claims.iter().enumerate().map(|(k, claims)| {
        let list = claims.iter().filter(|c| c.cell < shown);
        let list: Vec<_> = list.map(|c| (c.cell, c.rank)).collect();
        let (text, temporal) = texts.get(k).cloned().unwrap_or_default();
        json!({ "text": text, "temporal": temporal, "cells": list })
    });
    parts.collect()
}

/// Every part as text, and whether it speaks of the future.
fn texts(task: &Task<'_>, normal: &NormalCtl) -> Vec<(String, bool)> {
    let is_state = |part: &NormalPart| matches!(part, NormalPart::State(_));
    let words = normal.words(task.terms).into_iter();
    let parts = normal.parts.iter();
    words.zip(parts.map(|p| !is_state(p))).collect()
}

/// The numeric variables and constants, with their positions among the axes.
fn numbers(task: &Task<'_>) -> BTreeMap<Symbol, usize> {
    let symbols = task.model.variables.iter().chain(&task.model.rigid);
    let is_number = |s: &&Symbol| matches!(task.terms.symbol_sort(**s), Sort::Int | Sort::Real);
    let list: BTreeSet<Symbol> = symbols.filter(is_number).copied().collect();
    list.into_iter().enumerate().map(|(k, s)| (s, k)).collect()
}

/// The linear conditions of a cell: `sum + constant <= 0`, `< 0` or `= 0`; other conditions are
/// left out, so that what is drawn may be larger than the cell.
fn bounds(task: &Task<'_>, formula: Term, axes: &BTreeMap<Symbol, usize>) -> Vec<Value> {
    let terms = task.terms;
    let list = terms.conjuncts(formula).into_iter().filter_map(|t| {
        // An integer that is not at most 0 is at least 1.
        let gap = |a: Term| f64::from(u8::from(terms.sort(a) == Sort::Int));
        let (side, sign, more, op) = match *terms.node(t) {
            Node::NonPos(a) => (a, 1, 0.0, "<="),
            Node::Neg(a) => (a, 1, 0.0, "<"),
            Node::Zero(a) => (a, 1, 0.0, "="),
            Node::Not(inner) => match *terms.node(inner) {
                Node::NonPos(a) => (a, -1, gap(a), "<="),
                Node::Neg(a) => (a, -1, 0.0, "<="),
                _ => return None,
            },
            _ => return None,
        };
        let linear = terms.linear(side);
        let mut sum = Vec::new();
        for (term, factor) in linear.monomials() {
            let Node::Var(symbol, _) = *terms.node(*term) else {
                return None;
            };
            sum.push((*axes.get(&symbol)?, decimal(factor) * f64::from(sign)));
        }
        let constant = decimal(linear.constant()) * f64::from(sign) + more;
        Some(json!([op, constant, sum]))
    });
    list.collect()
}

/// Near enough for a drawing.
fn decimal(number: &Rat) -> f64 {
    let text = number.to_string();
    match text.split_once('/') {
        Some((n, d)) => n.parse::<f64>().unwrap_or(0.0) / d.parse::<f64>().unwrap_or(1.0),
        None => text.parse().unwrap_or(0.0),
    }
}
