//! Obligations: arguments that must not be derivable up to a height, unless `false` is.

use super::Config;
use super::concretise::Sums;
use super::derive::derivation;
use super::guide::{GAS, Guide};
use super::project::projected;
use super::steps::{Bodies, Derived, Steps, about};
use super::summary::{Fact, Summaries};
use crate::rule::Rules;
use sectile_engine::{Run, Stop};
use sectile_model::horn::{Derivation, Interpretation};
use sectile_solver::{Assignment, Interpolator};
use sectile_terms::{EvalError, Node, Sort, Term, Terms, Value, evaluate};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The result of the search.
pub(super) enum Found {
    /// Meanings of the predicates that make all rules true.
    Closed(Interpretation),
    /// A derivation of `false`.
    Derived(Derivation),
}

/// Arguments from which `false` follows, to be derived by trees up to a height or excluded.
#[derive(Clone)]
pub(super) struct Obligation {
    pub predicate: usize,
    pub cube: Vec<Term>,
    pub height: usize,
    /// The index of its gas in [`Search::gas`], if it comes from a conjecture.
    pub gas: Option<usize>,
}

/// The next action for an obligation.
enum Next {
    /// It is met: this fact is derived.
    Fact(Fact),
    /// Another obligation comes first.
    Before(Obligation),
    /// It is excluded by a lemma; the obligations are conjectures.
    Nothing(Vec<Obligation>),
}

pub(super) struct Search<'r> {
    pub rules: Rules<'r>,
    pub steps: Steps<'r>,
    pub summaries: Summaries,
    pub interpolator: Box<dyn Interpolator + 'r>,
    /// The height of the trees in question.
    pub bound: usize,
    pub guide: Guide,
    pub sums: Sums,
    /// For each conjecture, the number of obligations that may still be handled: its gas.
    gas: Vec<u32>,
    pub config: Config,
    handled: u64,
}

/// The open obligations: those with the smallest height first, then the oldest.
#[derive(Default)]
struct Queue {
    list: Vec<Obligation>,
    open: BinaryHeap<Reverse<(usize, usize)>>,
}

impl Queue {
    fn push(&mut self, obligation: Obligation) {
        self.open
            .push(Reverse((obligation.height, self.list.len())));
        self.list.push(obligation);
    }

    fn pop(&mut self) -> Option<Obligation> {
        let Reverse((_, next)) = self.open.pop()?;
        Some(self.list[next].clone())
    }
}

impl<'r> Search<'r> {
    pub fn new(
        rules: Rules<'r>,
        interpolator: Box<dyn Interpolator + 'r>,
        config: &Config,
        run: &Run<'_>,
    ) -> Result<Search<'r>, Stop> {
        Ok(Search {
            rules,
            steps: Steps::new(rules, run)?,
            summaries: Summaries::default(),
            interpolator,
            bound: 0,
            guide: Guide::default(),
            sums: Sums::default(),
            gas: Vec::new(),
            config: config.clone(),
            handled: 0,
        })
    }

    /// The index of `false` among the predicates.
    fn goal(&self) -> usize {
        self.rules.clauses.predicates.len()
    }

    pub fn decide(&mut self, run: &mut Run<'_>) -> Result<Found, Stop> {
        loop {
            run.count("bound", self.bound as u64);
            if let Some(root) = self.reach(run)? {
                let facts = &self.summaries.facts;
                return derivation(self.rules, facts, root, run).map(Found::Derived);
            }
            self.tell_size(run);
            if let Some(level) = self.push(run)? {
                return self.meanings(level, run).map(Found::Closed);
            }
            self.bound += 1;
        }
    }

    fn tell_size(&self, run: &mut Run<'_>) {
        run.count("obligations", self.handled);
        run.count("questions", self.steps.asked);
        run.count("lemmas", self.summaries.lemmas.len() as u64);
        run.count("facts", self.summaries.facts.len() as u64);
    }

    /// Searches for a tree up to the bound that derives `false`; returns its fact.
    ///
    /// Paper: [KomuravelliGurfinkelChaki14, Fig. 4].
    fn reach(&mut self, run: &mut Run<'_>) -> Result<Option<usize>, Stop> {
        let goal = self.goal();
        let mut queue = Queue::default();
        queue.push(Obligation {
            predicate: goal,
            cube: Vec::new(),
            height: self.bound,
            gas: None,
        });
        while let Some(obligation) = queue.pop() {
            run.budget.poll()?;
            self.handled += 1;
            if self.handled.is_multiple_of(64) {
                self.tell_size(run);
            }
            if !self.may_spend(&obligation) {
                continue;
            }
            match self.next(&obligation, run)? {
                Next::Fact(fact) => {
                    let is_goal = fact.predicate == goal;
                    let place = self.summaries.add_fact(&mut self.steps, fact)?;
                    if is_goal {
                        return Ok(Some(place));
                    }
                }
                Next::Before(other) => {
                    queue.push(obligation);
                    queue.push(other);
                }
                Next::Nothing(guesses) => {
                    guesses.into_iter().for_each(|g| queue.push(g));
                    // Higher derivations may still meet it, and lemmas for greater heights are more
                    // useful.
                    if obligation.height < self.bound {
                        let height = obligation.height + 1;
                        queue.push(Obligation {
                            height,
                            ..obligation
                        });
                    }
                }
            }
        }
        Ok(None)
    }

    /// The next action for an obligation. If lemmas exclude it, a further lemma is learned from
    /// that.
    fn next(&mut self, obligation: &Obligation, run: &Run<'_>) -> Result<Next, Stop> {
        let Obligation {
            predicate: head,
            cube,
            height,
            ..
        } = obligation;
        if self.summaries.excludes(*head, cube, *height) {
            return Ok(Next::Nothing(Vec::new()));
        }
        let by_facts = self.ask(*head, cube, Bodies::Given, run)?;
        if let Derived::By(choice, values) = by_facts {
            return Ok(Next::Fact(self.fact(*head, choice, values, run)?));
        }
        let bodies = Bodies::Allowed { height: *height };
        match self.ask(*head, cube, bodies, run)? {
            Derived::Never(core) => self.learn(obligation, &core, run).map(Next::Nothing),
            Derived::By(choice, values) => self.before(obligation, choice, values, run),
        }
    }

    /// Whether an obligation may be handled: conjectures have limited gas.
    fn may_spend(&mut self, obligation: &Obligation) -> bool {
        let Some(left) = obligation.gas.and_then(|g| self.gas.get_mut(g)) else {
            return true;
        };
        let may = *left > 0;
        *left = left.saturating_sub(1);
        may
    }

    /// Gas for a new conjecture.
    pub fn new_gas(&mut self) -> usize {
        self.gas.push(GAS);
        self.gas.len() - 1
    }

    pub fn ask(
        &mut self,
        head: usize,
        cube: &[Term],
        bodies: Bodies,
        run: &Run<'_>,
    ) -> Result<Derived, Stop> {
        self.steps.ask(&self.summaries, head, cube, bodies, run)
    }

    /// The known facts that derive the first predicates of a rule's body under values.
    fn premises(&self, rule: usize, count: usize, values: &Assignment) -> Result<Vec<usize>, Stop> {
        let Rules { terms, list, .. } = self.rules;
        let mut found = Vec::new();
        for application in list[rule].body.iter().take(count) {
            let facts = self.summaries.facts.iter().enumerate();
            let mut own = facts.filter(|(_, f)| f.predicate == application.predicate);
            let holds = |f: &Fact| {
                let here = about(self.rules, application, f.formula);
                evaluate(terms, here, values) == Ok(Value::Bool(true))
            };
            let fact = own.find(|(_, f)| holds(f)).map(|(i, _)| i);
            found.push(fact.ok_or_else(|| Stop::bug("no fact gives what facts give"))?);
        }
        Ok(found)
    }

    /// The formulas of facts for the first predicates of a rule's body.
    fn given(&self, rule: usize, premises: &[usize]) -> Vec<Term> {
        let pairs = self.rules.list[rule].body.iter().zip(premises);
        let said = pairs.map(|(a, &f)| about(self.rules, a, self.summaries.facts[f].formula));
        said.collect()
    }

    /// The fact that a rule derives from facts.
    fn fact(
        &self,
        head: usize,
        choice: usize,
        values: Assignment,
        run: &Run<'_>,
    ) -> Result<Fact, Stop> {
        let number = self.steps.rule(head, choice);
        let rule = &self.rules.list[number];
        let premises = self.premises(number, rule.body.len(), &values)?;
        let terms = self.rules.terms;
        let formula = match &rule.head {
            None => terms.tt(),
            Some(derived) => {
                let parts = rule.constraint.iter().copied();
                let parts = parts.chain(self.given(number, &premises));
                terms.and(projected(self.rules, parts, derived, &values, run)?)
            }
        };
        Ok(Fact {
            predicate: head,
            formula,
            rule: number,
            premises,
            witness: values,
        })
    }

    /// The obligation that comes first if lemmas do not exclude this one: the first predicate in
    /// the body of the rule that facts do not derive.
    fn before(
        &mut self,
        obligation: &Obligation,
        choice: usize,
        values: Assignment,
        run: &Run<'_>,
    ) -> Result<Next, Stop> {
        let Obligation {
            predicate: head,
            cube,
            height,
            ..
        } = obligation;
        let number = self.steps.rule(*head, choice);
        let rule = &self.rules.list[number];
        let (mut given, mut values) = (0, values);
        // Facts for the whole body were tried before.
        while given + 1 < rule.body.len() {
            let bodies = Bodies::Mixed {
                rule: choice,
                given: given + 1,
                height: *height,
            };
            match self.ask(*head, cube, bodies, run)? {
                Derived::By(_, others) => values = others,
                Derived::Never(_) => break,
            }
            given += 1;
        }
        let (Some(goal), Some(below)) = (rule.body.get(given), height.checked_sub(1)) else {
            return Ok(Next::Fact(self.fact(*head, choice, values, run)?));
        };
        let terms = self.rules.terms;
        let mut parts = rule.constraint.clone();
        if let Some(derived) = &rule.head {
            parts.extend(cube.iter().map(|&c| about(self.rules, derived, c)));
        }
        let premises = self.premises(number, given, &values)?;
        parts.extend(self.given(number, &premises));
        for other in &rule.body[given + 1..] {
            let lemmas = self.summaries.lemmas_at(other.predicate, below);
            parts.extend(lemmas.map(|l| about(self.rules, other, l.formula)));
        }
        let cube = projected(self.rules, parts, goal, &values, run)?;
        let cube = self.concretised(split(terms, &cube), goal, &values)?;
        Ok(Next::Before(Obligation {
            predicate: goal.predicate,
            cube,
            height: below,
            gas: obligation.gas,
        }))
    }

    /// Pushes lemmas to greater heights. If all of one height can be pushed, those above it hold
    /// for all trees.
    fn push(&mut self, run: &Run<'_>) -> Result<Option<usize>, Stop> {
        for level in 0..=self.bound {
            let mut all = true;
            for i in 0..self.summaries.lemmas.len() {
                let lemma = &self.summaries.lemmas[i];
                if lemma.level != level {
                    continue;
                }
                let grown = Some(self.summaries.grown(level));
                if lemma.stuck_at == grown {
                    all = false;
                    continue;
                }
                run.budget.poll()?;
                let (head, cube) = (lemma.predicate, lemma.cube.clone());
                let bodies = Bodies::Allowed { height: level + 1 };
                match self.ask(head, &cube, bodies, run)? {
                    Derived::Never(_) => self.summaries.raise(i, level + 1),
                    Derived::By(..) => {
                        self.summaries.lemmas[i].stuck_at = grown;
                        all = false;
                    }
                }
            }
            if all {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// The meanings given by the lemmas above a level, restricted to those needed to exclude
    /// `false`.
    fn meanings(&mut self, level: usize, run: &Run<'_>) -> Result<Interpretation, Stop> {
        let goal = self.goal();
        let lemmas = self.summaries.lemmas.iter().enumerate();
        let above = lemmas.filter(|(_, l)| l.level > level);
        let above: Vec<usize> = above.map(|(i, _)| i).collect();
        let is_goal = |&i: &usize| self.summaries.lemmas[i].predicate == goal;
        let mut needed: Vec<usize> = above.iter().copied().filter(is_goal).collect();
        let mut next = 0;
        while let Some(&i) = needed.get(next) {
            next += 1;
            let (head, cube) = {
                let lemma = &self.summaries.lemmas[i];
                (lemma.predicate, lemma.cube.clone())
            };
            let bodies = Bodies::Allowed { height: level + 2 };
            let Derived::Never(core) = self.ask(head, &cube, bodies, run)? else {
                return Err(Stop::bug("a lemma that was pushed cannot be"));
            };
            let used = above.iter().copied();
            let used = used.filter(|&u| core.contains(&self.summaries.lemmas[u].flag));
            let new: Vec<usize> = used.filter(|u| !needed.contains(u)).collect();
            needed.extend(new);
        }
        let terms = self.rules.terms;
        let mut meanings = vec![Vec::new(); goal];
        for &i in &needed {
            let lemma = &self.summaries.lemmas[i];
            if lemma.predicate < goal {
                meanings[lemma.predicate].push(lemma.formula);
            }
        }
        Ok(meanings.into_iter().map(|list| terms.and(list)).collect())
    }
}

/// The same conjunction with equations split into two bounds.
pub(super) fn split(terms: &Terms, cube: &[Term]) -> Vec<Term> {
    let mut parts = Vec::new();
    for &literal in cube {
        match *terms.node(literal) {
            Node::Zero(sum) if matches!(terms.sort(sum), Sort::Int | Sort::Real) => {
                parts.push(terms.non_pos(sum));
                parts.push(terms.non_pos(terms.neg(sum)));
            }
            _ => parts.push(literal),
        }
    }
    parts.sort();
    parts.dedup();
    parts
}

/// If all variables of a rule have values, its terms have values.
pub(super) fn no_value(error: EvalError) -> Stop {
    Stop::bug(format!("a term of a rule has no value: {error:?}"))
}
