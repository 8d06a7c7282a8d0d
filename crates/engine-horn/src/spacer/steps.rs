//! Queries about one step: whether some rule derives arguments of a predicate from the lemmas or
//! facts about its body.

use super::summary::{Fact, Lemma, Summaries};
use crate::rule::{Rule, Rules};
use sectile_engine::{Run, Stop};
use sectile_model::horn::Application;
use sectile_solver::{Answer, Assignment, Solver};
use sectile_terms::{Sort, Stage, Substitution, Symbol, SymbolKind, Term, Terms, Value};
use std::cmp::Reverse;

/// The approximation of the predicates in the body of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bodies {
    /// Lemmas, for trees up to a height.
    Allowed { height: usize },
    /// Facts.
    Given,
    /// In the body of this rule for the predicate: facts for this many predicates, then lemmas.
    Mixed {
        rule: usize,
        given: usize,
        height: usize,
    },
}

/// The answer to a query.
pub(super) enum Derived {
    /// This rule for the predicate derives it, under these values of its variables.
    By(usize, Assignment),
    /// No rule does. These assumptions were needed: literals of the cube, and flags of lemmas.
    Never(Vec<Term>),
}

/// The rules of one predicate.
struct Deriver<'r> {
    /// Has the facts asserted.
    by_facts: Box<dyn Solver + 'r>,
    /// Has the lemmas asserted, and also facts for rules with several predicates in the body. A
    /// separate solver keeps its conclusions from lemmas, which most queries share.
    by_lemmas: Box<dyn Solver + 'r>,
    rules: Vec<Choice>,
    /// Allows rules with a body.
    deep: Term,
    /// The predicates in the bodies of the rules.
    below: Vec<usize>,
}

/// A rule in a query.
struct Choice {
    rule: usize,
    flag: Symbol,
    body: Vec<Position>,
}

/// A position in the body of a rule.
struct Position {
    /// One of the facts derives it.
    given: Term,
    /// A fact that is not known yet derives it.
    open: Term,
}

/// The solvers for the rules of all predicates; `false` is the last predicate.
pub(super) struct Steps<'r> {
    rules: Rules<'r>,
    derivers: Vec<Deriver<'r>>,
    /// Number of queries.
    pub asked: u64,
}

fn flag(terms: &Terms, hint: &str) -> Term {
    terms.var(terms.fresh(hint, Sort::Bool, SymbolKind::Input))
}

/// A formula over the parameters of a predicate, instantiated for the arguments of an application.
pub(super) fn about(rules: Rules<'_>, application: &Application, formula: Term) -> Term {
    let parameters = &rules.clauses.predicates[application.predicate].parameters;
    let pairs = parameters.iter().zip(&application.arguments);
    let map: Substitution = pairs.map(|(&p, &a)| (rules.terms.var(p), a)).collect();
    rules.terms.substitute(formula, &map)
}

/// The formula of a rule over its variables and the parameters of its head.
pub(super) fn said(rules: Rules<'_>, rule: &Rule) -> Term {
    let terms = rules.terms;
    let head = rule.head.iter();
    let head = head.flat_map(|h| {
        let parameters = &rules.clauses.predicates[h.predicate].parameters;
        parameters.iter().zip(&h.arguments)
    });
    let equal = head.map(|(&p, &a)| terms.eq(terms.var(p), a));
    terms.and(equal.chain(rule.constraint.iter().copied()))
}

impl<'r> Steps<'r> {
    pub fn new(rules: Rules<'r>, run: &Run<'_>) -> Result<Steps<'r>, Stop> {
        let count = rules.clauses.predicates.len();
        let mut derivers = Vec::new();
        for head in 0..=count {
            let all = rules.list.iter().enumerate();
            let derives = |r: &Rule| r.head.as_ref().map_or(count, |h| h.predicate) == head;
            let own = all.filter(|(_, r)| derives(r)).map(|(i, _)| i).collect();
            derivers.push(Deriver::new(rules, own, run)?);
        }
        Ok(Steps {
            rules,
            derivers,
            asked: 0,
        })
    }

    /// The index in the list of all rules of one of the rules for a predicate.
    pub fn rule(&self, head: usize, choice: usize) -> usize {
        self.derivers[head].rules[choice].rule
    }

    /// The rules for a predicate.
    pub fn rules_of(&self, head: usize) -> impl Iterator<Item = &'r Rule> {
        let list = self.rules.list;
        self.derivers[head].rules.iter().map(|c| &list[c.rule])
    }

    /// Whether a predicate occurs in the body of a rule for itself.
    pub fn is_recursive(&self, head: usize) -> bool {
        self.derivers[head].below.contains(&head)
    }

    /// Adds a lemma to all rules that use its predicate.
    pub fn tell_lemma(&mut self, lemma: &Lemma) -> Result<(), Stop> {
        let terms = self.rules.terms;
        for (head, choice, position) in self.uses(lemma.predicate) {
            let deriver = &mut self.derivers[head];
            let choice = &deriver.rules[choice];
            let rule = &self.rules.list[choice.rule];
            let here = about(self.rules, &rule.body[position], lemma.formula);
            // Facts hold for trees of any height, so a lemma for some height does not apply to
            // them.
            let mut used = vec![terms.var(choice.flag), lemma.flag];
            if rule.body.len() > 1 {
                used.push(terms.not(choice.body[position].given));
            }
            let used = terms.and(used);
            deriver.by_lemmas.assert(terms.implies(used, here))?;
        }
        Ok(())
    }

    /// Adds a fact to all rules that use its predicate.
    pub fn tell_fact(&mut self, fact: &Fact) -> Result<(), Stop> {
        let terms = self.rules.terms;
        for (head, choice, position) in self.uses(fact.predicate) {
            let deriver = &mut self.derivers[head];
            let choice = &mut deriver.rules[choice];
            let rule = &self.rules.list[choice.rule];
            let here = about(self.rules, &rule.body[position], fact.formula);
            let (taken, open) = (flag(terms, "fact"), flag(terms, "open"));
            let position = &mut choice.body[position];
            let known = std::mem::replace(&mut position.open, open);
            let told = terms.implies(taken, here);
            let more = terms.implies(known, terms.or2(taken, open));
            let told = [told, more];
            told.iter().try_for_each(|&t| deriver.by_facts.assert(t))?;
            if rule.body.len() > 1 {
                told.iter().try_for_each(|&t| deriver.by_lemmas.assert(t))?;
            }
        }
        Ok(())
    }

    /// The uses of a predicate in bodies: head, rule of that head, position.
    fn uses(&self, predicate: usize) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (head, deriver) in self.derivers.iter().enumerate() {
            for (c, choice) in deriver.rules.iter().enumerate() {
                let body = self.rules.list[choice.rule].body.iter().enumerate();
                let own = body.filter(|(_, a)| a.predicate == predicate);
                found.extend(own.map(|(position, _)| (head, c, position)));
            }
        }
        found
    }

    /// Whether some arguments in a cube are derivable.
    pub fn ask(
        &mut self,
        summaries: &Summaries,
        head: usize,
        cube: &[Term],
        bodies: Bodies,
        run: &Run<'_>,
    ) -> Result<Derived, Stop> {
        self.asked += 1;
        let terms = self.rules.terms;
        let deriver = &mut self.derivers[head];
        // Assumptions shared by many queries come first.
        let mut assumptions = deriver.assumed(terms, summaries, bodies);
        assumptions.extend(cube);
        let solver = match bodies {
            Bodies::Given => &mut deriver.by_facts,
            _ => &mut deriver.by_lemmas,
        };
        match solver.check(&assumptions, &run.budget)? {
            Answer::Unknown(why) => Err(why.into()),
            Answer::Unsat(refutation) => Ok(Derived::Never(refutation.core())),
            Answer::Sat(model) => {
                let holds =
                    |c: &Choice| model.completed(terms, c.flag, Stage::Now) == Value::Bool(true);
                let chosen = match bodies {
                    Bodies::Mixed { rule, .. } => Some(rule),
                    _ => deriver.rules.iter().position(holds),
                };
                let chosen = chosen.ok_or_else(|| Stop::bug("no rule derives what is derived"))?;
                let rule = &self.rules.list[deriver.rules[chosen].rule];
                let variables = rule.variables(terms);
                let variables: Vec<_> = variables.iter().map(|&v| (v, Stage::Now)).collect();
                Ok(Derived::By(chosen, model.snapshot(terms, &variables)))
            }
        }
    }

    /// Whether some arguments in a cube are derivable up to a height if none in the cube are
    /// before.
    pub fn ask_inductively(
        &mut self,
        summaries: &Summaries,
        head: usize,
        cube: &[Term],
        height: usize,
        run: &Run<'_>,
    ) -> Result<Derived, Stop> {
        let bodies = Bodies::Allowed { height };
        if height == 0 || !self.is_recursive(head) {
            return self.ask(summaries, head, cube, bodies, run);
        }
        let terms = self.rules.terms;
        let formula = terms.not(terms.and(cube.iter().copied()));
        let deriver = &mut self.derivers[head];
        let solver = &mut deriver.by_lemmas;
        solver.push();
        for choice in &deriver.rules {
            let body = self.rules.list[choice.rule].body.iter();
            for here in body.filter(|a| a.predicate == head) {
                let here = about(self.rules, here, formula);
                let told = terms.implies(terms.var(choice.flag), here);
                solver.assert(told)?;
            }
        }
        let answer = self.ask(summaries, head, cube, bodies, run);
        self.derivers[head].by_lemmas.pop();
        answer
    }
}

impl<'r> Deriver<'r> {
    fn new(rules: Rules<'r>, own: Vec<usize>, run: &Run<'_>) -> Result<Deriver<'r>, Stop> {
        let terms = rules.terms;
        let (mut by_facts, mut by_lemmas) =
            (run.backend.solver(terms)?, run.backend.solver(terms)?);
        let mut both = |t: Term| {
            by_facts.assert(t)?;
            by_lemmas.assert(t)
        };
        let deep = flag(terms, "deep");
        let mut choices = Vec::new();
        let mut below = Vec::new();
        for number in own {
            let rule = &rules.list[number];
            let choice = terms.fresh("rule", Sort::Bool, SymbolKind::Input);
            let chosen = terms.var(choice);
            both(terms.implies(chosen, said(rules, rule)))?;
            if !rule.body.is_empty() {
                both(terms.implies(chosen, deep))?;
            }
            let mut body = Vec::new();
            for application in &rule.body {
                let position = Position {
                    given: flag(terms, "given"),
                    open: flag(terms, "open"),
                };
                let used = terms.and2(chosen, position.given);
                both(terms.implies(used, position.open))?;
                body.push(position);
                if !below.contains(&application.predicate) {
                    below.push(application.predicate);
                }
            }
            choices.push(Choice {
                rule: number,
                flag: choice,
                body,
            });
        }
        both(terms.or(choices.iter().map(|c| terms.var(c.flag))))?;
        Ok(Deriver {
            by_facts,
            by_lemmas,
            rules: choices,
            deep,
            below,
        })
    }

    /// The assumptions of a query about bodies.
    fn assumed(&self, terms: &Terms, summaries: &Summaries, bodies: Bodies) -> Vec<Term> {
        let allowed = |height: usize| match height.checked_sub(1) {
            None => vec![terms.not(self.deep)],
            Some(before) => {
                let lemmas = summaries.lemmas.iter();
                let known = |l: &&Lemma| l.level >= before && self.below.contains(&l.predicate);
                let mut lemmas: Vec<&Lemma> = lemmas.filter(known).collect();
                lemmas.sort_by_key(|l| (Reverse(l.level), l.flag));
                lemmas.into_iter().map(|l| l.flag).collect()
            }
        };
        let by_facts = |p: &Position| [p.given, terms.not(p.open)];
        let by_lemmas = |p: &Position| terms.not(p.given);
        match bodies {
            Bodies::Allowed { height } => {
                let several = self.rules.iter().filter(|c| c.body.len() > 1);
                let positions = several.flat_map(|c| &c.body).map(by_lemmas);
                positions.chain(allowed(height)).collect()
            }
            Bodies::Given => {
                let positions = self.rules.iter().flat_map(|c| &c.body);
                positions.flat_map(by_facts).collect()
            }
            Bodies::Mixed {
                rule,
                given,
                height,
            } => {
                let choice = &self.rules[rule];
                let mut list = allowed(height);
                list.push(terms.var(choice.flag));
                list.extend(choice.body.iter().take(given).flat_map(by_facts));
                list.extend(choice.body.iter().skip(given).map(by_lemmas));
                list
            }
        }
    }
}
