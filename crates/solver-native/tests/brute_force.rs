//! Random formulas over small boxes, compared with the enumeration of all assignments.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

use crate::common;

use common::{Generator, Logic};
use sectile_base::{Budget, Int};
use sectile_solver::{Answer, Solver};
use sectile_solver_native::NativeSolver;
use sectile_terms::{Sort, Stage, Symbol, Term, Terms, Value, evaluate};
use std::collections::BTreeMap;

const LOW: i64 = -2;
const HIGH: i64 = 2;

fn domain(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (LOW..=HIGH).map(|k| Value::Int(Int::from(k))).collect(),
        Sort::Enum(id) => (0..3).map(|k| Value::Enum(id, k)).collect(),
        _ => unreachable!(),
    }
}

fn has_model(g: &Generator, formula: Term) -> bool {
    let domains: Vec<(Symbol, Vec<Value>)> = g.symbols.iter().map(|s| (s.0, domain(s.1))).collect();
    let mut index = vec![0; domains.len()];
    loop {
        let values: BTreeMap<Symbol, Value> = domains
            .iter()
            .zip(&index)
            .map(|((symbol, list), &i)| (*symbol, list[i].clone()))
            .collect();
        let lookup = |symbol: Symbol, _: Stage| values.get(&symbol).cloned();
        if evaluate(g.terms, formula, &lookup).unwrap() == Value::Bool(true) {
            return true;
        }
        let mut k = 0;
        loop {
            if k == index.len() {
                return false;
            }
            index[k] += 1;
            if index[k] < domains[k].1.len() {
                break;
            }
            index[k] = 0;
            k += 1;
        }
    }
}

#[test]
fn boxes_agree_with_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    let mut seed = 0;
    while sat + unsat < 1200 {
        seed += 1;
        let terms = Terms::new();
        let mut g = Generator::new(&terms, seed);
        if g.logic != Logic::Int {
            continue;
        }
        let size: usize = g.symbols.iter().map(|s| domain(s.1).len()).product();
        if size > 3000 {
            continue;
        }
        let mut box_parts = Vec::new();
        for &(symbol, sort) in &g.symbols {
            if sort == Sort::Int {
                let x = terms.var_at(symbol, Stage::Now);
                box_parts.push(terms.le(terms.int(LOW), x));
                box_parts.push(terms.le(x, terms.int(HIGH)));
            }
        }
        let mut solver = NativeSolver::new(&terms);
        solver.assert(terms.and(box_parts)).unwrap();
        for _ in 0..4 {
            let parts: Vec<Term> = (0..2 + g.rng.below(3)).map(|_| g.boolean(2).term).collect();
            let formula = terms.and(parts);
            let expected = has_model(&g, formula);
            match solver.check(&[formula], &Budget::unlimited()).unwrap() {
                Answer::Sat(model) => {
                    assert!(expected, "seed {seed}");
                    assert_eq!(
                        model.eval(&terms, formula),
                        Ok(Value::Bool(true)),
                        "seed {seed}"
                    );
                    sat += 1;
                }
                Answer::Unsat(_) => {
                    assert!(!expected, "seed {seed}");
                    unsat += 1;
                }
                Answer::Unknown(why) => panic!("seed {seed}: {why:?}"),
            }
        }
    }
    assert!(sat > 200 && unsat > 200, "{sat} {unsat}");
}
