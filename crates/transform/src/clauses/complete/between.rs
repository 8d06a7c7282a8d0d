//! An inductive invariant for every location, from a weaker certificate.
//!
//! Between cut points, an interpolant separates the states that reach a location from those that
//! lead on to a state excluded at a cut point. A k-inductive invariant becomes inductive by
//! requiring that it also holds for the next k - 1 steps.

use super::arrays::{self, Detail};
use super::{forward, separated};
use sectile_base::Budget;
use sectile_model::horn::applied;
use sectile_model::{Edge, HornClauses, Invariants, LocationId, Model};
use sectile_solver::{Backend, Projection};
use sectile_terms::{Sort, Stage, Symbol, SymbolKind, Term, Terms};
use std::collections::BTreeMap;

/// An invariant for every location.
pub(super) struct Complete {
    pub invariants: Vec<Term>,
    /// Whether they must be inductive if the certificate was correct.
    pub exact: bool,
}

/// Completes a certificate that a property of a graph holds.
pub(super) fn invariants(
    terms: &Terms,
    graph: &Model,
    proof: &Invariants,
    backend: &dyn Backend,
    budget: &Budget,
) -> Result<Complete, String> {
    let completer = Completer {
        terms,
        graph,
        backend,
        budget,
    };
    match proof.at_all() {
        Some(invariants) if proof.is_inductive() => Ok(Complete {
            invariants,
            exact: true,
        }),
        Some(invariants) => {
            let closed = forward::closed(&completer, &invariants, proof.depth);
            closed.or_else(|_| completer.looking_ahead(&invariants, proof.depth))
        }
        None => completer
            .between(&proof.at)
            .or_else(|why| completer.backwards(&proof.at).map_err(|_| why)),
    }
}

/// The strongest meaning of a predicate, given the meanings of the predicates in its clauses.
pub(super) fn strongest(
    terms: &Terms,
    horn: &HornClauses,
    predicate: usize,
    known: &[Term],
    backend: &dyn Backend,
    detail: Detail,
    budget: &Budget,
) -> Result<Projection, String> {
    let parameters = &horn.predicates[predicate].parameters;
    let mut all = Projection {
        formula: terms.ff(),
        exact: true,
    };
    for clause in &horn.clauses {
        let head = clause.head.as_ref().filter(|h| h.predicate == predicate);
        let Some(head) = head else { continue };
        let body = clause.body.iter().map(|a| applied(terms, horn, known, a));
        let arguments = parameters.iter().zip(&head.arguments);
        let arguments = arguments.map(|(&p, &a)| terms.eq(terms.var(p), a));
        let constraint = clause.constraint.iter().copied();
        let formula = terms.and(body.chain(arguments).chain(constraint));
        let occurring = terms.free_vars(formula);
        let gone = clause.variables.iter().map(|&v| (v, Stage::Now));
        let gone = gone.filter(|v| occurring.contains(v));
        let gone: Vec<(Symbol, Stage)> = gone.collect();
        let projection = match has_arrays(terms, formula) {
            false => projected(terms, backend, formula, &gone, budget)?,
            true => Projection {
                formula: arrays::consequence(terms, backend, detail, formula, &gone, budget)?,
                exact: false,
            },
        };
        all.formula = terms.or2(all.formula, projection.formula);
        all.exact &= projection.exact;
    }
    Ok(all)
}

pub(super) struct Completer<'c> {
    pub terms: &'c Terms,
    pub graph: &'c Model,
    pub backend: &'c dyn Backend,
    pub budget: &'c Budget,
}

/// Copies of the variables: before a location, at it, at the end; others are intermediate.
const BEFORE: u32 = 0;
pub(super) const HERE: u32 = 1;
const END: u32 = 2;
const BETWEEN: u32 = 3;
/// The first copy for other runs.
pub(super) const NEXT: u32 = 3;

impl Completer<'_> {
    /// Computes the invariants of locations between cut points, one after the other.
    fn between(&self, given: &[Option<Term>]) -> Result<Complete, String> {
        let mut known = given.to_vec();
        let order = self.graph.order_inside(|l| known[l.0].is_none());
        let order = order.ok_or("a cycle has no invariant")?;
        for (i, &location) in order.iter().enumerate() {
            let arriving = self.arriving(location, &known);
            let leading_on = self.leading_on(&order[i..], &known);
            let found = separated(
                self.terms,
                self.backend,
                [arriving, leading_on],
                self.budget,
            )?;
            let found = found.ok_or("the invariants of cut points are not inductive")?;
            let here = self.terms.from_step(found, HERE);
            known[location.0] = Some(self.terms.simplify(here));
        }
        Ok(Complete {
            invariants: known.into_iter().flatten().collect(),
            exact: true,
        })
    }

    /// The same with weakest preconditions, if interpolants are not available.
    fn backwards(&self, given: &[Option<Term>]) -> Result<Complete, String> {
        let mut known = given.to_vec();
        let order = self.graph.order_inside(|l| known[l.0].is_none());
        let order = order.ok_or("a cycle has no invariant")?;
        for &location in order.iter().rev() {
            let mut parts = Vec::new();
            for e in self.graph.edges_from(location) {
                let edge = &self.graph.edges[e];
                let after = known[edge.to.0].ok_or("an invariant is missing")?;
                parts.push(self.before(edge, after)?);
            }
            known[location.0] = Some(self.terms.and(parts));
        }
        Ok(Complete {
            invariants: known.into_iter().flatten().collect(),
            exact: false,
        })
    }

    /// The states that arrive at a location whose predecessors are known.
    pub fn arriving(&self, location: LocationId, known: &[Option<Term>]) -> Term {
        let terms = self.terms;
        let entering = self.graph.edges_to(location);
        let mut ways: Vec<Term> = entering
            .filter_map(|e| {
                let edge = &self.graph.edges[e];
                let before = terms.at_step(known[edge.from.0]?, BEFORE);
                Some(terms.and2(before, self.step(edge, BEFORE, HERE)))
            })
            .collect();
        if self.graph.entry == location {
            ways.push(terms.at_step(self.graph.init_formula(terms), HERE));
        }
        terms.or(ways)
    }

    /// A path from the first of some locations, through the others, that violates an invariant.
    fn leading_on(&self, order: &[LocationId], known: &[Option<Term>]) -> Term {
        let terms = self.terms;
        let mut passed: BTreeMap<LocationId, (u32, Term)> = BTreeMap::new();
        passed.insert(order[0], (HERE, terms.tt()));
        let mut parts = Vec::new();
        for &location in order {
            let Some(&(copy, here)) = passed.get(&location) else {
                continue;
            };
            let mut ways = Vec::new();
            for e in self.graph.edges_from(location) {
                let edge = &self.graph.edges[e];
                ways.push(match known[edge.to.0] {
                    Some(invariant) => {
                        let outside = terms.at_step(terms.not(invariant), END);
                        terms.and2(self.step(edge, copy, END), outside)
                    }
                    None => {
                        let fresh = BETWEEN + u32::try_from(passed.len()).unwrap_or(u32::MAX / 2);
                        let (to, flag) = *passed.entry(edge.to).or_insert_with(|| {
                            let name = "complete.passed";
                            let flag = terms.fresh(name, Sort::Bool, SymbolKind::Rigid);
                            (fresh, terms.var(flag))
                        });
                        terms.and2(flag, self.step(edge, copy, to))
                    }
                });
            }
            parts.push(terms.implies(here, terms.or(ways)));
        }
        terms.and(parts)
    }

    /// The step along an edge from one copy of the variables to another.
    pub fn step(&self, edge: &Edge, from: u32, to: u32) -> Term {
        let step = self.graph.step_formula(self.terms, &edge.command);
        self.terms.restage(step, |_, stage| match stage {
            Stage::Now => Stage::At(from),
            Stage::Next => Stage::At(to),
            other => other,
        })
    }

    /// The states from which the formulas hold for `depth` steps.
    ///
    /// They are inductive even if the certificate only excludes runs without repeated states: a
    /// state with exactly one step more to a violation has a shortest such run, and shortest runs
    /// do not repeat states.
    fn looking_ahead(&self, formulas: &[Term], depth: u32) -> Result<Complete, String> {
        let mut current = formulas.to_vec();
        for _ in 1..depth {
            let mut next = formulas.to_vec();
            for edge in &self.graph.edges {
                let before = self.before(edge, current[edge.to.0])?;
                let known = &mut next[edge.from.0];
                *known = self.terms.and2(*known, before);
            }
            current = next;
        }
        Ok(Complete {
            invariants: current,
            exact: false,
        })
    }

    /// The states from which an edge leads only into the formula.
    fn before(&self, edge: &Edge, after: Term) -> Result<Term, String> {
        let terms = self.terms;
        let command = &edge.command;
        let plain = command.weakest_precondition(terms, after);
        if let (true, Some(before)) = (self.graph.restrict.is_empty(), plain) {
            return Ok(before);
        }
        let step = self.graph.step_formula(terms, &edge.command);
        let outside = terms.prime(terms.not(after));
        let mut gone: Vec<(Symbol, Stage)> = Vec::new();
        gone.extend(self.graph.variables.iter().map(|&v| (v, Stage::Next)));
        gone.extend(command.inputs.iter().map(|&v| (v, Stage::Now)));
        let formula = terms.and2(step, outside);
        let projection = projected(terms, self.backend, formula, &gone, self.budget)?;
        Ok(terms.not(projection.formula))
    }
}

fn has_arrays(terms: &Terms, formula: Term) -> bool {
    let mut all = terms.post_order(&[formula]).into_iter();
    all.any(|t| matches!(terms.sort(t), Sort::Array(_)))
}

pub(super) fn projected(
    terms: &Terms,
    backend: &dyn Backend,
    formula: Term,
    gone: &[(Symbol, Stage)],
    budget: &Budget,
) -> Result<Projection, String> {
    let eliminator = backend.eliminator(terms);
    let mut eliminator = eliminator.map_err(|e| e.to_string())?;
    let projection = eliminator.project(formula, gone, budget);
    let projection = projection.map_err(|e| e.to_string())?;
    projection.map_err(|why| format!("elimination: {why:?}"))
}
