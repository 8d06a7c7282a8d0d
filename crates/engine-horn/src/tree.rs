//! Derivation trees: formulas, instances and interpolants.

use crate::rule::Rules;
use crate::search::Fact;
use sectile_base::Budget;
use sectile_engine::{Event, Run, Stop};
use sectile_model::horn::{Derivation, Instance};
use sectile_solver::{Answer, Interpolation, Interpolator, ModelView};
use sectile_terms::{Stage, Symbol, Term, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum size of trees.
const LARGEST_TREE: usize = 3_000;

/// A tree of rules, parents before children; the root is a query.
pub(crate) struct Tree<'r> {
    rules: Rules<'r>,
    nodes: Vec<TreeNode>,
}

/// A rule in a tree.
struct TreeNode {
    rule: usize,
    /// For each predicate of the body, the node that derives it.
    children: Vec<usize>,
}

/// The result of examining a tree.
pub(crate) enum Examined {
    /// It derives `false`.
    Feasible(Derivation),
    /// It does not; the nodes needed to show that.
    Infeasible(Vec<bool>),
}

impl<'r> Tree<'r> {
    /// The tree of a query over facts; facts that are used twice are copied.
    pub fn new(
        rules: Rules<'r>,
        facts: &[Fact],
        query: usize,
        premises: &[usize],
    ) -> Option<Tree<'r>> {
        let leaf = |rule: usize| TreeNode {
            rule,
            children: Vec::new(),
        };
        let mut nodes = vec![leaf(query)];
        let mut open: Vec<(usize, &[usize])> = vec![(0, premises)];
        while let Some((parent, premises)) = open.pop() {
            for &fact in premises {
                let child = nodes.len();
                if child == LARGEST_TREE {
                    return None;
                }
                nodes[parent].children.push(child);
                nodes.push(leaf(facts[fact].rule));
                open.push((child, &facts[fact].premises));
            }
        }
        Some(Tree { rules, nodes })
    }

    /// The same with one node for each fact, however often it is used. It may derive `false` if the
    /// tree is too large, but if it does not, nothing follows.
    pub fn sharing(rules: Rules<'r>, facts: &[Fact], query: usize, premises: &[usize]) -> Tree<'r> {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = premises.to_vec();
        while let Some(fact) = open.pop() {
            if used.insert(fact) {
                open.extend(&facts[fact].premises);
            }
        }
        // Facts are derived from earlier ones, so the latest are next to the root.
        let order: Vec<usize> = used.into_iter().rev().collect();
        let places = order.iter().enumerate().map(|(i, &f)| (f, i + 1));
        let places: BTreeMap<usize, usize> = places.collect();
        let node = |rule: usize, premises: &[usize]| TreeNode {
            rule,
            children: premises.iter().map(|f| places[f]).collect(),
        };
        let mut nodes = vec![node(query, premises)];
        let used = order.iter().map(|&f| &facts[f]);
        nodes.extend(used.map(|f| node(f.rule, &f.premises)));
        Tree { rules, nodes }
    }

    /// The stage of the variables of a node.
    fn inner(node: usize) -> Stage {
        Stage::At(u32::try_from(2 * node).unwrap_or(u32::MAX))
    }

    /// The stage of the parameters of the predicate that a node derives.
    fn outer(node: usize) -> Stage {
        Stage::At(u32::try_from(2 * node + 1).unwrap_or(u32::MAX))
    }

    fn at(&self, t: Term, node: usize) -> Term {
        self.rules.terms.restage(t, |_, _| Self::inner(node))
    }

    /// The formula of a node: its constraint, with the parameters of its children and its own.
    fn formula(&self, node: usize) -> Term {
        let Rules {
            terms,
            clauses,
            list,
        } = self.rules;
        let TreeNode { rule, children } = &self.nodes[node];
        let rule = &list[*rule];
        let mut parts: Vec<Term> = Vec::new();
        let links = rule.body.iter().zip(children).map(|(a, &c)| (a, c));
        for (application, from) in links.chain(rule.head.iter().map(|h| (h, node))) {
            let parameters = &clauses.predicates[application.predicate].parameters;
            for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
                let passed = terms.var_at(parameter, Self::outer(from));
                parts.push(terms.eq(passed, self.at(argument, node)));
            }
        }
        parts.extend(rule.constraint.iter().map(|&t| self.at(t, node)));
        terms.and(parts)
    }

    pub fn formulas(&self) -> Vec<Term> {
        (0..self.nodes.len()).map(|n| self.formula(n)).collect()
    }

    /// Decides whether values exist that make the tree a derivation.
    pub fn examine(&self, formulas: &[Term], run: &mut Run<'_>) -> Result<Examined, Stop> {
        let mut solver = run.backend.solver(self.rules.terms)?;
        match solver.check(formulas, &run.budget)? {
            Answer::Sat(model) => {
                let derivation = self.derivation(model);
                let lost = || Stop::bug("a derivation has a variable without a value");
                let derivation = derivation.ok_or_else(lost)?;
                let steps = derivation.instances.len();
                run.tell(Event::PathConcretized { steps });
                Ok(Examined::Feasible(derivation))
            }
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                let needed = formulas.iter().map(|f| core.contains(f));
                Ok(Examined::Infeasible(needed.collect()))
            }
            Answer::Unknown(why) => Err(why.into()),
        }
    }

    fn derivation(&self, model: &dyn ModelView) -> Option<Derivation> {
        let Rules { terms, list, .. } = self.rules;
        let mut instances: Vec<Instance> = Vec::new();
        let mut place: Vec<usize> = vec![0; self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate().rev() {
            let value = |symbol: Symbol| -> Option<Value> {
                let known = model.value(symbol, Self::inner(n));
                known.or_else(|| Some(Value::some_of(terms, terms.symbol_sort(symbol))))
            };
            let premises: Vec<usize> = node.children.iter().map(|&c| place[c]).collect();
            let rule = &list[node.rule];
            place[n] = rule.instances(terms, &value, &premises, &mut instances)?;
        }
        Some(Derivation { instances })
    }

    /// For every node but the root, a formula over the parameters of its head.
    ///
    /// The formulas of the children and the node imply that of the node, and the children of the
    /// root contradict it. Children are processed before their parents, and a finished subtree is
    /// represented by its formula.
    pub fn interpolants(
        &self,
        formulas: &[Term],
        needed: &[bool],
        interpolator: &mut dyn Interpolator,
        budget: &Budget,
    ) -> Result<Vec<Term>, Stop> {
        let terms = self.rules.terms;
        let count = self.nodes.len();
        let own: Vec<Term> = (0..count)
            .map(|n| if needed[n] { formulas[n] } else { terms.tt() })
            .collect();
        let now = |t: Term| terms.restage(t, |_, _| Stage::Now);
        if self.nodes.iter().all(|n| n.children.len() <= 1) {
            let found = sequence(&own, interpolator, budget)?;
            return Ok([terms.ff()].into_iter().chain(found).map(now).collect());
        }
        // The formula for each node in the rest of the tree; `None` inside a finished subtree.
        let mut standing: Vec<Option<Term>> = own.iter().copied().map(Some).collect();
        let mut found = vec![terms.tt(); count];
        for n in (1..count).rev() {
            let children = &self.nodes[n].children;
            let below = children.iter().map(|&c| found[c]);
            let inside = terms.and(below.chain([own[n]]));
            for &c in children {
                standing[c] = None;
            }
            standing[n] = None;
            let outside = terms.and(standing.iter().copied().flatten());
            if terms.as_bool(inside).is_some() {
                found[n] = inside;
            } else {
                // The sequence goes from the root to the leaf.
                let between = sequence(&[outside, inside], interpolator, budget)?;
                found[n] = between.first().copied().unwrap_or(terms.tt());
            }
            standing[n] = Some(found[n]);
        }
        Ok(found.into_iter().map(now).collect())
    }

    /// The predicate of a node's head.
    pub fn derives(&self, node: usize) -> Option<usize> {
        let head = self.rules.list[self.nodes[node].rule].head.as_ref();
        head.map(|h| h.predicate)
    }

    /// The height of the tree.
    pub fn depth(&self) -> u64 {
        let mut depths = vec![1u64; self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            for &child in &node.children {
                depths[child] = depths[n] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

/// The interpolants of a chain of formulas, each of which is the premise of the previous one.
fn sequence(
    chain: &[Term],
    interpolator: &mut dyn Interpolator,
    budget: &Budget,
) -> Result<Vec<Term>, Stop> {
    let blocks: Vec<Term> = chain.iter().rev().copied().collect();
    match interpolator.sequence(&blocks, budget)? {
        Interpolation::Unsat(mut list) => {
            list.reverse();
            Ok(list)
        }
        Interpolation::Sat(_) => Err(Stop::incomplete(
            "solver and interpolator disagree about a derivation",
        )),
        Interpolation::Unknown(why) => Err(why.into()),
    }
}
