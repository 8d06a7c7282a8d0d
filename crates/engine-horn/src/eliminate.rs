//! Elimination of predicates by resolution, and recovery of their meanings.
//!
//! A predicate that does not depend on itself can be replaced by the bodies of its rules. The
//! remaining predicates are those of loops and of recursion. The meaning of an eliminated one lies
//! between its rules and its uses: it is an interpolant.

use crate::rule::Rule;
use sectile_base::Budget;
use sectile_engine::Stop;
use sectile_model::HornClauses;
use sectile_model::horn::{Application, applied};
use sectile_solver::{Interpolation, Interpolator};
use sectile_terms::{Stage, Term, Terms};

/// Maximum size of a rule made by resolution.
const LARGEST_RULE: usize = 4_000;

/// An eliminated predicate, with the rules in which it occurred.
pub(crate) struct Eliminated {
    predicate: usize,
    defining: Vec<Rule>,
    using: Vec<Rule>,
}

/// Eliminates predicates as long as there are no more rules than before and none is too large.
pub(crate) fn eliminate(
    terms: &Terms,
    clauses: &HornClauses,
    rules: &mut Vec<Rule>,
    budget: &Budget,
) -> Vec<Eliminated> {
    let mut gone = Vec::new();
    let mut left: Vec<usize> = (0..clauses.predicates.len()).collect();
    while budget.check().is_ok() {
        let tallies = tallies(rules, clauses.predicates.len());
        let costs = left.iter().filter_map(|&p| Some((tallies[p].cost()?, p)));
        let Some((_, predicate)) = costs.min() else {
            break;
        };
        left.retain(|&p| p != predicate);
        gone.push(resolve_away(terms, rules, predicate));
    }
    gone
}

fn defines(rule: &Rule, predicate: usize) -> bool {
    rule.head.as_ref().is_some_and(|h| h.predicate == predicate)
}

fn uses(rule: &Rule, predicate: usize) -> usize {
    let body = rule.body.iter();
    body.filter(|a| a.predicate == predicate).count()
}

/// Statistics of a predicate that may be eliminated.
#[derive(Clone, Copy, Default)]
struct Tally {
    derived: isize,
    used: isize,
    largest_derived: usize,
    largest_used: usize,
    /// It depends on itself, or a rule uses it twice.
    stays: bool,
}

impl Tally {
    /// The increase in the number of rules without the predicate, if it can be eliminated at all.
    fn cost(&self) -> Option<isize> {
        let trivial = self.derived == 0 || self.used == 0;
        let more = self.derived * self.used - (self.derived + self.used);
        let fits = self.largest_derived + self.largest_used <= LARGEST_RULE && more <= 0;
        (!self.stays && (trivial || fits)).then_some(more)
    }
}

fn tallies(rules: &[Rule], predicates: usize) -> Vec<Tally> {
    let mut found = vec![Tally::default(); predicates];
    for rule in rules {
        for application in &rule.body {
            let p = application.predicate;
            let tally = &mut found[p];
            tally.used += 1;
            tally.largest_used = tally.largest_used.max(rule.size);
            tally.stays |= uses(rule, p) > 1 || defines(rule, p);
        }
        if let Some(head) = &rule.head {
            let tally = &mut found[head.predicate];
            tally.derived += 1;
            tally.largest_derived = tally.largest_derived.max(rule.size);
        }
    }
    found
}

fn resolve_away(terms: &Terms, rules: &mut Vec<Rule>, predicate: usize) -> Eliminated {
    let (defining, rest): (Vec<Rule>, Vec<Rule>) =
        rules.drain(..).partition(|r| defines(r, predicate));
    let mut using = Vec::new();
    for rule in rest {
        let Some(position) = rule.body.iter().position(|a| a.predicate == predicate) else {
            rules.push(rule);
            continue;
        };
        for definition in &defining {
            let joined = rule.resolved(terms, position, definition);
            if !joined.is_void(terms) {
                rules.push(joined);
            }
        }
        using.push(rule);
    }
    Eliminated {
        predicate,
        defining,
        using,
    }
}

/// Computes the meanings of eliminated predicates, the last one first.
pub(crate) fn give_meanings(
    terms: &Terms,
    clauses: &HornClauses,
    gone: &[Eliminated],
    meanings: &mut [Term],
    interpolator: &mut dyn Interpolator,
    budget: &Budget,
) -> Result<(), Stop> {
    for eliminated in gone.iter().rev() {
        let meaning = meaning(terms, clauses, eliminated, meanings, interpolator, budget)?;
        meanings[eliminated.predicate] = meaning;
    }
    Ok(())
}

fn meaning(
    terms: &Terms,
    clauses: &HornClauses,
    eliminated: &Eliminated,
    meanings: &[Term],
    interpolator: &mut dyn Interpolator,
    budget: &Budget,
) -> Result<Term, Stop> {
    if eliminated.using.is_empty() {
        return Ok(terms.tt());
    }
    let predicate = eliminated.predicate;
    let means = |a: &Application| applied(terms, clauses, meanings, a);
    // The variables of the two sides have different stages; the parameters are current variables.
    let side = |rule: &Rule, at: u32, here: &Application| {
        let staged = |t: Term| terms.restage(t, |_, _| Stage::At(at));
        let body = rule.body.iter().filter(|a| a.predicate != predicate);
        let head = rule.head.iter().filter(|a| a.predicate != predicate);
        let parts = body.map(means).chain(head.map(|h| terms.not(means(h))));
        let parts = parts.chain(rule.constraint.iter().copied()).map(staged);
        let parameters = &clauses.predicates[predicate].parameters;
        let pairs = parameters.iter().zip(&here.arguments);
        let equations = pairs.map(|(&p, &a)| terms.eq(terms.var(p), staged(a)));
        terms.and(parts.chain(equations))
    };
    let before = eliminated.defining.iter();
    let before = before.filter_map(|r| Some(side(r, 0, r.head.as_ref()?)));
    let after = eliminated.using.iter().filter_map(|r| {
        let here = r.body.iter().find(|a| a.predicate == predicate)?;
        Some(side(r, 1, here))
    });
    let blocks = [terms.or(before), terms.or(after)];
    match interpolator.sequence(&blocks, budget)? {
        Interpolation::Unsat(list) => Ok(list.first().copied().unwrap_or(terms.tt())),
        Interpolation::Sat(_) => Err(Stop::bug("a predicate has no meaning between its rules")),
        Interpolation::Unknown(why) => Err(why.into()),
    }
}
