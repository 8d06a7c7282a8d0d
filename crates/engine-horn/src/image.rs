//! Abstract images: the predicates that hold in the head of a rule for given facts.
//!
//! Answers are cached in a form that is useful for other facts too: an implication with the
//! premises it needs, and a counterexample as a point.

use crate::rule::Rules;
use rustc_hash::FxHashMap;
use sectile_base::Budget;
use sectile_engine::{Run, Stop};
use sectile_model::horn::applied;
use sectile_solver::{Answer, Assignment, Solver, Undecided};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of cached points of a rule.
const MOST_POINTS: usize = 60;

/// Number of points examined in one unit of work. A condition whose value at a point is not yet
/// known costs another unit.
const LOOKS_OF_A_UNIT: u64 = 16;

/// The rules, with cached answers about them.
pub(crate) struct Images<'r> {
    rules: Rules<'r>,
    known: Vec<Known<'r>>,
    /// Number of queries.
    pub asked: u64,
}

struct Known<'r> {
    solver: Box<dyn Solver + 'r>,
    variables: Vec<(Symbol, Stage)>,
    /// For a conclusion, the sets of premises that each imply it.
    lemmas: BTreeMap<Term, Vec<BTreeSet<Term>>>,
    /// Points that satisfy the constraint.
    points: Vec<Point>,
}

/// A point with the known values of conditions there, because the same conditions are queried again
/// and again.
struct Point {
    values: Assignment,
    truths: FxHashMap<Term, Option<bool>>,
}

impl Point {
    /// Whether a condition has this truth value. Counts it in `new` if its value was not yet known.
    fn is(&mut self, terms: &Terms, condition: Term, wanted: bool, new: &mut u64) -> bool {
        let truth = self.truths.entry(condition).or_insert_with(|| {
            *new += 1;
            evaluate(terms, condition, &self.values).ok()?.as_bool()
        });
        *truth == Some(wanted)
    }
}

impl<'r> Images<'r> {
    pub fn new(rules: Rules<'r>, run: &Run<'_>) -> Result<Images<'r>, Stop> {
        let terms = rules.terms;
        let mut known = Vec::new();
        for rule in rules.list {
            let mut solver = run.backend.solver(terms)?;
            solver.assert(rule.constraint_formula(terms))?;
            let variables = rule.variables(terms);
            known.push(Known {
                solver,
                variables: variables.into_iter().map(|v| (v, Stage::Now)).collect(),
                lemmas: BTreeMap::new(),
                points: Vec::new(),
            });
        }
        Ok(Images {
            rules,
            known,
            asked: 0,
        })
    }

    /// The predicates of facts as conditions on the variables of a rule.
    fn premises(&self, rule: usize, body: &[&[Term]]) -> BTreeSet<Term> {
        let Rules {
            terms,
            clauses,
            list,
        } = self.rules;
        let mut found = BTreeSet::new();
        for (application, cube) in list[rule].body.iter().zip(body) {
            let parameters = &clauses.predicates[application.predicate].parameters;
            let pairs = parameters.iter().zip(&application.arguments);
            let map: Substitution = pairs.map(|(&p, &a)| (terms.var(p), a)).collect();
            for &predicate in *cube {
                found.extend(terms.conjuncts(terms.substitute(predicate, &map)));
            }
        }
        found
    }

    /// The predicates that hold in the head; `None` if the rule does not apply.
    ///
    /// If the solver gives up, a predicate counts as false, and a rule as applicable.
    pub fn image(
        &mut self,
        rule: usize,
        body: &[&[Term]],
        candidates: &[Term],
        budget: &Budget,
    ) -> Result<Option<Vec<Term>>, Stop> {
        let premises = self.premises(rule, body);
        let Rules {
            terms,
            clauses,
            list,
        } = self.rules;
        if self.implied(rule, &premises, terms.ff(), budget)? {
            return Ok(None);
        }
        let mut holding = Vec::new();
        if let Some(head) = &list[rule].head {
            for &candidate in candidates {
                let mut meanings = vec![terms.tt(); clauses.predicates.len()];
                meanings[head.predicate] = candidate;
                let there = applied(terms, clauses, &meanings, head);
                if self.implied(rule, &premises, there, budget)? {
                    holding.push(candidate);
                }
            }
        }
        Ok(Some(holding))
    }

    /// Whether premises and constraint imply a conclusion.
    fn implied(
        &mut self,
        rule: usize,
        premises: &BTreeSet<Term>,
        conclusion: Term,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let terms = self.rules.terms;
        if conclusion == terms.tt() || premises.contains(&conclusion) {
            return Ok(true);
        }
        let known = &mut self.known[rule];
        for goal in [conclusion, terms.ff()] {
            let lemmas = known.lemmas.get(&goal).into_iter().flatten();
            if lemmas.into_iter().any(|core| core.is_subset(premises)) {
                return Ok(true);
            }
        }
        let (mut looked, mut new) = (0, 0);
        let refuted = known.points.iter_mut().rev().any(|point| {
            looked += 1;
            point.is(terms, conclusion, false, &mut new)
                && premises.iter().all(|&p| point.is(terms, p, true, &mut new))
        });
        budget.poll_for(new + looked / LOOKS_OF_A_UNIT)?;
        if refuted {
            return Ok(false);
        }
        self.asked += 1;
        let negated = terms.not(conclusion);
        let mut assumptions: Vec<Term> = premises.iter().copied().collect();
        assumptions.push(negated);
        match known.solver.check(&assumptions, budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                let goal = match core.contains(&negated) {
                    true => conclusion,
                    false => terms.ff(),
                };
                let core = core.into_iter().filter(|t| premises.contains(t)).collect();
                known.lemmas.entry(goal).or_default().push(core);
                Ok(true)
            }
            Answer::Sat(model) => {
                let values = model.snapshot(terms, &known.variables);
                if known.points.len() == MOST_POINTS {
                    known.points.remove(0);
                }
                known.points.push(Point {
                    values,
                    truths: FxHashMap::default(),
                });
                Ok(false)
            }
            Answer::Unknown(Undecided::Exhausted(why)) => Err(why.into()),
            Answer::Unknown(Undecided::Incomplete(_)) => Ok(false),
        }
    }
}
