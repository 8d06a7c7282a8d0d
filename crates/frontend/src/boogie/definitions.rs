//! Axioms that define a function for all arguments become the body of the function.

use super::ast::{Bound, Expr, File, Function, Type, TypeKind, Variable, for_each_name};
use crate::syntax::{Call, Comparison, Connective, ExprKind, Unbounded};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The functions of a file by name.
type Ids = BTreeMap<Arc<str>, usize>;

/// Gives every function without a body the one that an axiom `(forall x : int :: f(x) == e)` states.
/// The first such axiom of a function is used, unless `e` needs the function itself. All others
/// remain axioms.
/// axioms.
pub fn from_axioms(file: &mut File) {
    let functions = file.functions.iter().enumerate().rev();
    let ids: Ids = functions.map(|(i, f)| (f.name.text.clone(), i)).collect();
    for axiom in std::mem::take(&mut file.axioms) {
        match defined(file, &ids, &axiom) {
            Some((id, parameters, body)) => {
                let function = &mut file.functions[id];
                function.parameters = parameters;
                function.body = Some(body);
            }
            None => file.axioms.push(axiom),
        }
    }
}

/// The function that an axiom defines, its parameters and its body.
fn defined(file: &File, ids: &Ids, axiom: &Expr) -> Option<(usize, Vec<Variable>, Expr)> {
    let ExprKind::Unbounded(quantified) = &axiom.kind else {
        return None;
    };
    let (left, right) = match &quantified.body.kind {
        ExprKind::Compared(left, rest) => match &rest[..] {
            [(Comparison::Equal, right)] => (&**left, right),
            _ => return None,
        },
        ExprKind::Connected(Connective::Iff, sides) => match &sides[..] {
            [left, right] => (left, right),
            _ => return None,
        },
        _ => return None,
    };
    let sides = [(left, right), (right, left)];
    sides.into_iter().find_map(|(head, body)| {
        let ExprKind::Call(call) = &head.kind else {
            return None;
        };
        let id = *ids.get(&call.name.text)?;
        let parameters = parameters(&file.functions[id], call, quantified)?;
        (!needs(file, ids, body, id)).then(|| (id, parameters, body.clone()))
    })
}

/// The parameters of a function with the names of its arguments, if these are the variables of the
/// quantifier, each of them once.
fn parameters(function: &Function, call: &Call, quantified: &Unbounded) -> Option<Vec<Variable>> {
    let open = function.body.is_none() && !function.foreign && quantified.universal;
    let counts = [call.arguments.len(), function.parameters.len()];
    if !open || counts != [quantified.bound.len(); 2] {
        return None;
    }
    let mut names = BTreeSet::new();
    let pairs = call.arguments.iter().zip(&function.parameters);
    let found = pairs.map(|(argument, parameter)| {
        let ExprKind::Name(name) = &argument.kind else {
            return None;
        };
        let is = |b: &&Bound| b.name.text == name.text;
        let bound = quantified.bound.iter().find(is)?;
        (names.insert(&name.text) && same(&bound.of, &parameter.of)).then(|| Variable {
            name: bound.name.clone(),
            of: parameter.of.clone(),
            condition: None,
        })
    });
    found.collect()
}

/// Whether two types are written alike.
fn same(a: &Type, b: &Type) -> bool {
    match (&a.kind, &b.kind) {
        (TypeKind::Bool, TypeKind::Bool)
        | (TypeKind::Int, TypeKind::Int)
        | (TypeKind::Real, TypeKind::Real) => true,
        (TypeKind::Named(a), TypeKind::Named(b)) => a == b,
        (TypeKind::Map(a, x), TypeKind::Map(b, y)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)) && same(x, y)
        }
        _ => false,
    }
}

/// Whether an expression uses a function, directly or in the bodies of others.
fn needs(file: &File, ids: &Ids, expr: &Expr, function: usize) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![expr];
    while let Some(next) = work.pop() {
        for_each_name(next, false, &mut |name, _| {
            if let Some(&used) = ids.get(name)
                && seen.insert(used)
            {
                work.extend(&file.functions[used].body);
            }
        });
    }
    seen.contains(&function)
}
