//! Checks renamings of variables that map a system to itself, and determines the claims they carry
//! over.
//!
//! A bijection of variables maps states to states and formulas to formulas. If it maps every
//! command to a command, and the restrictions to themselves, it maps paths to paths: the commands
//! are finitely many relations, so the mapping reaches all of them. Then a formula holds in a state
//! exactly if its image holds in the image of the state. There are no conditions on the initial
//! states, nor on the property as a whole: only parts of the formula whose image is again a part
//! carry over.
//!
//! This needs no proof, only comparison: formulas are compared up to the order of the arguments of
//! conjunctions and disjunctions. Other differences are refused.

use sectile_model::{Command, CtlProof, Model, NormalCtl, PartKeys, Renaming, Task};
use sectile_terms::{Node, Rewriter, Symbol, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The renamings of a proof, checked.
pub struct Renamings {
    /// For every renaming and every part of the formula, the parts that it maps to this part.
    pub origins: Vec<Vec<Vec<usize>>>,
    /// The formulas of the images of cells.
    pub formulas: Vec<Term>,
    maps: Vec<Map>,
}

impl Renamings {
    /// Checks all renamings and images of a proof; the error describes what is wrong.
    pub fn new(
        task: &Task<'_>,
        formula: &NormalCtl,
        proof: &CtlProof,
    ) -> Result<Renamings, String> {
        let mut found = Renamings {
            origins: Vec::new(),
            formulas: Vec::new(),
            maps: Vec::new(),
        };
        if proof.renamings.is_empty() && proof.images.is_empty() {
            return Ok(found);
        }
        let system = task.model;
        if !system.is_system() {
            return Err("only the variables of systems can be renamed".to_string());
        }
        let shapes: BTreeSet<Unordered> = commands(task.terms, system, None)?;
        let mut keys = PartKeys::default();
        let plain = keys.of(formula, |p| image(task.terms, None, p));
        for (k, renaming) in proof.renamings.iter().enumerate() {
            let map = bijection(task.terms, system, renaming)
                .map_err(|why| format!("renaming {k}: {why}"))?;
            keeps(task.terms, system, &map, &shapes)
                .map_err(|why| format!("renaming {k}: {why}"))?;
            let image = keys.of(formula, |p| image(task.terms, Some(&map), p));
            let origins = plain.iter().map(|key| {
                let parts = 0..image.len();
                parts.filter(|&q| image[q] == *key).collect()
            });
            found.origins.push(origins.collect());
            found.maps.push(map);
        }
        for image in &proof.images {
            let cell = proof.cells.get(image.cell);
            let (Some(cell), Some(map)) = (cell, found.maps.get(image.renaming)) else {
                return Err(
                    "an image refers to a cell or a renaming that does not exist".to_string(),
                );
            };
            found.formulas.push(map.apply(task.terms, cell.formula));
        }
        Ok(found)
    }

    /// A term with its variables renamed.
    pub fn renamed(&self, terms: &Terms, renaming: usize, term: Term) -> Term {
        self.maps[renaming].apply(terms, term)
    }
}

/// A bijection of symbols.
struct Map(BTreeMap<Symbol, Symbol>);

impl Map {
    fn symbol(&self, symbol: Symbol) -> Symbol {
        self.0.get(&symbol).copied().unwrap_or(symbol)
    }

    fn apply(&self, terms: &Terms, formula: Term) -> Term {
        let mut rewriter = Rewriter::new(terms, |t: Term| match *terms.node(t) {
            Node::Var(symbol, stage) => Some(terms.var_at(self.symbol(symbol), stage)),
            _ => None,
        });
        rewriter.apply(formula)
    }
}

/// The image of a formula (or the formula itself), up to the order of arguments.
fn image(terms: &Terms, map: Option<&Map>, formula: Term) -> Term {
    let renamed = map.map_or(formula, |m| m.apply(terms, formula));
    ordered(terms, renamed)
}

/// The renaming as a bijection of the variables, the constants and the inputs, each by itself.
fn bijection(terms: &Terms, system: &Model, renaming: &Renaming) -> Result<Map, String> {
    let inputs = system.commands().flat_map(|c| &c.inputs);
    let inputs: Vec<Symbol> = inputs.copied().collect();
    let kind = |s: Symbol| {
        let kinds = [&system.variables, &system.rigid, &inputs];
        kinds.iter().position(|list| list.contains(&s))
    };
    let mut map = BTreeMap::new();
    for &(from, to) in &renaming.pairs {
        if kind(from).is_none() || kind(from) != kind(to) {
            let names = (terms.name(from), terms.name(to));
            return Err(format!("`{}` cannot become `{}`", names.0, names.1));
        }
        if terms.symbol_sort(from) != terms.symbol_sort(to) {
            return Err(format!("`{}` changes its type", terms.name(from)));
        }
        if map.insert(from, to).is_some() {
            return Err(format!("`{}` is renamed twice", terms.name(from)));
        }
    }
    let targets: BTreeSet<Symbol> = map.values().copied().collect();
    match targets.len() == map.len() && targets.iter().all(|t| map.contains_key(t)) {
        true => Ok(Map(map)),
        false => Err("a renaming must permute the symbols that it renames".to_string()),
    }
}

/// The conjuncts of a command, independent of order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Unordered {
    inputs: BTreeSet<Symbol>,
    conditions: BTreeSet<Term>,
    updates: BTreeMap<Symbol, Term>,
}

/// The conjuncts of the commands, or of their images.
fn commands(
    terms: &Terms,
    system: &Model,
    map: Option<&Map>,
) -> Result<BTreeSet<Unordered>, String> {
    system.commands().map(|c| shape(terms, c, map)).collect()
}

fn shape(terms: &Terms, command: &Command, map: Option<&Map>) -> Result<Unordered, String> {
    let symbol = |s: Symbol| map.map_or(s, |m| m.symbol(s));
    let conditions = command.guards.iter().chain(&command.relations);
    let conditions = conditions.flat_map(|&c| terms.conjuncts(c));
    let mut updates = BTreeMap::new();
    for update in &command.updates {
        let value = image(terms, map, update.value);
        if updates.insert(symbol(update.symbol), value).is_some() {
            return Err(format!("`{}` assigns a variable twice", command.name));
        }
    }
    Ok(Unordered {
        inputs: command.inputs.iter().map(|&i| symbol(i)).collect(),
        conditions: conditions.map(|c| image(terms, map, c)).collect(),
        updates,
    })
}

/// Checks that every command is mapped to a command, and the restrictions to themselves.
fn keeps(
    terms: &Terms,
    system: &Model,
    map: &Map,
    shapes: &BTreeSet<Unordered>,
) -> Result<(), String> {
    for command in system.commands() {
        if !shapes.contains(&shape(terms, command, Some(map))?) {
            return Err(format!("`{}` does not become a command", command.name));
        }
    }
    let restrict = |map: Option<&Map>| -> BTreeSet<Term> {
        let parts = system.restrict.iter().flat_map(|&r| terms.conjuncts(r));
        parts.map(|r| image(terms, map, r)).collect()
    };
    match restrict(None) == restrict(Some(map)) {
        true => Ok(()),
        false => Err("the renaming changes the restrictions".to_string()),
    }
}

/// The same formula with the arguments of conjunctions and disjunctions in a fixed order.
fn ordered(terms: &Terms, formula: Term) -> Term {
    let mut done: BTreeMap<Term, Term> = BTreeMap::new();
    for t in terms.post_order(&[formula]) {
        let new = match terms.node(t) {
            node @ (Node::And(list) | Node::Or(list)) => {
                let mut parts: Vec<Term> = list.iter().map(|c| done[c]).collect();
                parts.sort_unstable();
                match node {
                    Node::And(_) => terms.and(parts),
                    _ => terms.or(parts),
                }
            }
            _ => terms.rebuild(t, |c| done[&c]),
        };
        done.insert(t, new);
    }
    done[&formula]
}
