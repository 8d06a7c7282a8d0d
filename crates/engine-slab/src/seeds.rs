//! Seeds: lemmas that are guessed and proved before the abstraction is refined further.
//!
//! Some proofs need facts about every two processes, and splitting finds them one state at a time.
//! The candidate facts are: for two control variables and two numbers, *when control has these
//! values, the first number is less than, equal to or greater than the second*, with any subset of
//! the three relations. Concrete runs show which of them can be true; then facts are weakened, as
//! long as a step from states with all facts leads to a state without one of them (Houdini). The
//! rest holds in every reachable state up to and including the first error.
//!
//! Symmetry keeps this small: facts about one pair of processes are checked, and those about all
//! others are their images.

use crate::relation::{RelationId, Relations};
use crate::symmetry::Symmetry;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use sectile_base::Rat;
use sectile_engine::Discrete;
use sectile_engine::{Run, Stop, connected};
use sectile_explicit::Simulator;
use sectile_model::Model;
use sectile_solver::{Answer, scoped};
use sectile_terms::{Sort, Stage, Symbol, Term, Terms, Value, evaluate};
use std::collections::{BTreeMap, BTreeSet};

/// Number and length of random runs that suggest facts.
const WALKS: u64 = 30;
const STEPS: usize = 40;

/// Maximum number of pairs of numbers.
const MANY_PAIRS: usize = 120;

/// Maximum number of control states.
const MANY_ROWS: usize = 600;

/// Maximum number of queries.
const MOST_QUESTIONS: u64 = 20_000;

/// The possible signs of a difference, as a set.
type Signs = u8;
const LESS: Signs = 1;
const EQUAL: Signs = 2;
const GREATER: Signs = 4;
const ANY: Signs = 7;

/// A fact: the view, the values of its control variables, the pair of numbers.
type FactId = (usize, usize, Option<usize>);

/// The facts about numbers for all values of one or two control variables.
struct View {
    control: Vec<Symbol>,
    domains: Vec<Vec<Value>>,
    pairs: Vec<(Term, Term)>,
    /// For every combination of values, the signs of all pairs; `None` if it never occurred.
    rows: Vec<Option<Vec<Signs>>>,
}

/// The input of the search for lemmas.
pub struct Seeds<'q, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'q Model,
    /// Its symmetries.
    pub symmetry: &'q Symmetry<'t>,
    /// Its discrete variables.
    pub discrete: &'q Discrete,
    /// Known facts before the first error.
    pub background: Vec<Term>,
}

impl<'t> Seeds<'_, 't> {
    /// Finds lemmas, closed under symmetry; none if there are too many candidates or the limit is
    /// reached.
    pub fn find(
        &self,
        relations: &mut Relations<'t>,
        commands: &[RelationId],
        run: &Run<'_>,
    ) -> Result<Vec<Term>, Stop> {
        let mut views = self.views();
        if views.is_empty() {
            return Ok(Vec::new());
        }
        self.walk(&mut views, run)?;
        let symbols: Vec<Symbol> = relations.state_symbols().collect();
        if !self.add_initial(&mut views, &symbols, run)? {
            return Ok(Vec::new());
        }
        let mut solver = run.backend.solver(self.terms)?;
        let mut asked = 0;
        while asked < MOST_QUESTIONS {
            let Some(lemmas) = self.closed(&views) else {
                break;
            };
            // Checks for every command and fact whether the command can falsify it, and weakens.
            let weakened = scoped(solver.as_mut(), |solver| -> Result<bool, Stop> {
                for &formula in self.background.iter().chain(&lemmas) {
                    solver.assert(formula)?;
                }
                let facts = self.facts(&views);
                let mut weakened = false;
                for &command in commands {
                    for &(id, fact) in &facts {
                        let before = relations.precondition(command, fact);
                        if before == fact || before == self.terms.tt() || !is_claimed(&views, id) {
                            continue;
                        }
                        run.budget.check()?;
                        asked += 1;
                        let mut question = relations.get(command).conditions.clone();
                        question.push(self.terms.not(before));
                        match solver.check(&question, &run.budget)? {
                            Answer::Unsat(_) => {}
                            Answer::Unknown(why) => return Err(why.into()),
                            Answer::Sat(model) => {
                                let next = &relations.get(command).next;
                                let value = |s: Symbol| {
                                    let var = self.terms.var(s);
                                    let after = next.get(&var).copied().unwrap_or(var);
                                    Some((s, model.eval(self.terms, after).ok()?))
                                };
                                let after = symbols.iter().filter_map(|&s| value(s)).collect();
                                weakened |= self.add_state(&mut views, &after);
                            }
                        }
                    }
                }
                Ok(weakened)
            });
            if !weakened? {
                return Ok(lemmas);
            }
        }
        Ok(Vec::new())
    }

    /// One view for every control variable and every pair of them, up to symmetry.
    fn views(&self) -> Vec<View> {
        let control: Vec<Symbol> = self
            .system
            .variables
            .iter()
            .copied()
            .filter(|&v| self.discrete.domain(v).is_some_and(|d| d.len() <= 32))
            .collect();
        let mut keys: Vec<(Term, Vec<Symbol>)> = Vec::new();
        for (i, &u) in control.iter().enumerate() {
            keys.push((self.key(&[u]), vec![u]));
            for &v in &control[i + 1..] {
                keys.push((self.key(&[u, v]), vec![u, v]));
            }
        }
        let terms: Vec<Term> = keys.iter().map(|k| k.0).collect();
        let orbits = self.symmetry.orbits(&terms);
        let mut views = Vec::new();
        let mut rows = 0;
        for orbit in orbits {
            let view = self.view(keys[orbit.representative].1.clone());
            rows += view.rows.len();
            if view.pairs.len() > MANY_PAIRS || rows > MANY_ROWS {
                return Vec::new();
            }
            views.push(view);
        }
        views
    }

    /// A canonical formula for a set of control variables: each has its first value.
    fn key(&self, control: &[Symbol]) -> Term {
        let first = control.iter().filter_map(|&v| {
            let value = self.discrete.domain(v)?.first()?;
            Some(self.terms.eq(self.terms.var(v), value.to_term(self.terms)))
        });
        self.terms.and(first)
    }

    fn view(&self, control: Vec<Symbol>) -> View {
        let domain = |v: &Symbol| self.discrete.domain(*v).unwrap_or_default().to_vec();
        let domains: Vec<Vec<Value>> = control.iter().map(domain).collect();
        let rows = domains.iter().map(Vec::len).product();
        View {
            pairs: self.pairs(&control),
            control,
            domains,
            rows: vec![None; rows],
        }
    }

    /// The pairs of numbers that are shared or belong to the owners of the control variables.
    fn pairs(&self, control: &[Symbol]) -> Vec<(Term, Term)> {
        let terms = self.terms;
        let index = |v: &Symbol| self.system.families.index(*v);
        let owners: BTreeSet<i64> = control.iter().filter_map(index).collect();
        let families = families(terms, self.system);
        let family = |t: Term| {
            let first = terms.free_vars(t).iter().next().map(|v| v.0);
            first.map(|symbol| families.get(&symbol).copied())
        };
        let mut pairs = Vec::new();
        for sort in [Sort::Int, Sort::Real] {
            let symbols = self.system.variables.iter().chain(&self.system.rigid);
            let pool: Vec<Term> = symbols
                .filter(|&&v| terms.symbol_sort(v) == sort && !self.discrete.contains(v))
                .filter(|v| index(v).is_none_or(|o| owners.contains(&o)))
                .map(|&v| terms.var(v))
                .collect();
            for (i, &x) in pool.iter().enumerate() {
                let related = pool[i + 1..].iter().filter(|&&y| family(x) == family(y));
                pairs.extend(related.map(|&y| (x, y)));
                // Facts about one process concern single numbers; facts about two compare them.
                if control.len() == 1 {
                    pairs.push((x, terms.number(Rat::ZERO, sort)));
                    pairs.push((x, terms.number(Rat::ONE, sort)));
                }
            }
        }
        pairs
    }

    /// Random runs; the facts are weakened for each of their states.
    fn walk(&self, views: &mut [View], run: &Run<'_>) -> Result<(), Stop> {
        let model = self.system;
        // If a model cannot be simulated, only a head start is lost.
        let Ok(mut simulator) = Simulator::new(self.terms, model, None, &run.budget) else {
            return Ok(());
        };
        for walk in 0..WALKS {
            run.budget.check()?;
            let seed = run.seed.wrapping_add(walk);
            let Ok(found) = simulator.random_run(STEPS, seed, &run.budget) else {
                return Ok(());
            };
            let rigid = self.system.rigid.iter().copied().zip(found.trace.rigid);
            let rigid: BTreeMap<Symbol, Value> = rigid.collect();
            for state in found.trace.states {
                let values = self.system.variables.iter().copied().zip(state.values);
                let mut values: BTreeMap<Symbol, Value> = values.collect();
                values.extend(rigid.clone());
                self.add_state(views, &values);
            }
        }
        Ok(())
    }

    /// Weakens the facts so that all initial states satisfy them; false if the solver gives up.
    fn add_initial(
        &self,
        views: &mut [View],
        symbols: &[Symbol],
        run: &Run<'_>,
    ) -> Result<bool, Stop> {
        let mut solver = run.backend.solver(self.terms)?;
        solver.assert(self.system.init_formula(self.terms))?;
        loop {
            let facts = self.facts(views);
            let formula = self.terms.and(facts.iter().map(|f| f.1));
            match solver.check(&[self.terms.not(formula)], &run.budget)? {
                Answer::Unsat(_) => return Ok(true),
                Answer::Unknown(_) => return Ok(false),
                Answer::Sat(model) => {
                    let values = symbols.iter().filter_map(|&s| {
                        Some((s, model.eval(self.terms, self.terms.var(s)).ok()?))
                    });
                    let values = values.collect();
                    if !self.add_state(views, &values) {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Weakens the facts so that a state satisfies them; returns whether any changed.
    fn add_state(&self, views: &mut [View], values: &BTreeMap<Symbol, Value>) -> bool {
        let terms = self.terms;
        let of = |symbol: Symbol, _: Stage| values.get(&symbol).cloned();
        let number = |t: Term| evaluate(terms, t, &of).ok()?.as_rat();
        let mut changed = false;
        for view in views {
            let Some(row) = view.row(values) else {
                continue;
            };
            let count = view.pairs.len();
            let signs = view.rows[row].get_or_insert_with(|| {
                changed = true;
                vec![0; count]
            });
            for (sign, (x, y)) in signs.iter_mut().zip(&view.pairs) {
                let now = match (number(*x), number(*y)) {
                    (Some(x), Some(y)) => match x.cmp(&y) {
                        std::cmp::Ordering::Less => LESS,
                        std::cmp::Ordering::Equal => EQUAL,
                        std::cmp::Ordering::Greater => GREATER,
                    },
                    _ => ANY,
                };
                changed |= *sign | now != *sign;
                *sign |= now;
            }
        }
        changed
    }

    /// All current facts.
    fn facts(&self, views: &[View]) -> Vec<(FactId, Term)> {
        let terms = self.terms;
        let mut facts = Vec::new();
        for (v, view) in views.iter().enumerate() {
            for (r, row) in view.rows.iter().enumerate() {
                let here = terms.not(terms.and(view.condition(terms, r)));
                match row {
                    None => facts.push(((v, r, None), here)),
                    Some(signs) => {
                        let telling = signs.iter().enumerate().filter(|(_, s)| **s != ANY);
                        facts.extend(telling.map(|(p, &s)| {
                            let (x, y) = view.pairs[p];
                            ((v, r, Some(p)), terms.or2(here, relation(terms, x, y, s)))
                        }));
                    }
                }
            }
        }
        facts
    }

    fn closed(&self, views: &[View]) -> Option<Vec<Term>> {
        let facts: IndexSet<Term> = self.facts(views).into_iter().map(|f| f.1).collect();
        let facts: Vec<Term> = facts.into_iter().collect();
        self.symmetry.closure(&facts)
    }
}

/// Whether a fact has not been dropped.
fn is_claimed(views: &[View], (view, row, pair): FactId) -> bool {
    match (pair, &views[view].rows[row]) {
        (None, row) => row.is_none(),
        (Some(p), Some(signs)) => signs[p] != ANY,
        (Some(_), None) => false,
    }
}

impl View {
    /// The row of a state.
    fn row(&self, values: &BTreeMap<Symbol, Value>) -> Option<usize> {
        let mut row = 0;
        for (v, domain) in self.control.iter().zip(&self.domains) {
            let value = values.get(v)?;
            row = row * domain.len() + domain.iter().position(|d| d == value)?;
        }
        Some(row)
    }

    /// The equations of the control variables with the values of a row.
    fn condition(&self, terms: &Terms, mut row: usize) -> Vec<Term> {
        let mut list = Vec::new();
        for (v, domain) in self.control.iter().zip(&self.domains).rev() {
            let value = &domain[row % domain.len()];
            row /= domain.len();
            list.push(terms.eq(terms.var(*v), value.to_term(terms)));
        }
        list.reverse();
        list
    }
}

/// Groups numbers that the model compares with each other or computes from each other.
fn families(terms: &Terms, system: &Model) -> FxHashMap<Symbol, usize> {
    let symbols = |t: Term, with: Option<Symbol>| -> Vec<Symbol> {
        let vars = terms.free_vars(t);
        vars.iter().map(|v| v.0).chain(with).collect()
    };
    let all = system.variables.iter().chain(&system.rigid);
    let mut lists: Vec<Vec<Symbol>> = all.map(|&s| vec![s]).collect();
    let guards = system
        .commands()
        .flat_map(|c| c.guards.iter().chain(&c.relations));
    for &formula in system.init.iter().chain(&system.restrict).chain(guards) {
        lists.extend(terms.atoms(formula).into_iter().map(|a| symbols(a, None)));
    }
    for update in system.commands().flat_map(|c| &c.updates) {
        lists.push(symbols(update.value, Some(update.symbol)));
    }
    let groups = connected(&lists);
    let members = lists.iter().zip(groups);
    members
        .flat_map(|(list, group)| list.iter().map(move |&s| (s, group)))
        .collect()
}

/// The formula that the difference of two numbers has one of the signs.
fn relation(terms: &Terms, x: Term, y: Term, signs: Signs) -> Term {
    match signs {
        LESS => terms.lt(x, y),
        EQUAL => terms.eq(x, y),
        GREATER => terms.gt(x, y),
        s if s == LESS | EQUAL => terms.le(x, y),
        s if s == EQUAL | GREATER => terms.ge(x, y),
        s if s == LESS | GREATER => terms.neq(x, y),
        _ => terms.ff(),
    }
}
