//! Proofs that waiting processes are served, for every number of processes.
//!
//! The search has three stages: clauses, including existential ones such as "some process holds the
//! current ticket" (`s <= v and v < t => exists i: P[i].ticket = v`, for any number `v`); the
//! region, made of the locations that a process reaches while it waits; and lexicographically
//! decreasing ranks: differences of numbers, and counters of the processes at a location.

use super::candidates::{Candidate, range};
use super::existing::{Existing, integers, tickets};
use super::family::{Counter, EveryProof, WaitingProof};
use super::search::{Inductive, Large};
use super::words::Words;
use super::{FEW, Found, MOST_PROCESSES, Search, WIDTH, certify};
use sectile_base::Source;
use sectile_certify::Outcome;
use sectile_certify::every::{ProofObligation, obligations, responses};
use sectile_model::{Command, PropertyKind};
use sectile_solver::{Solver, SolverError};
use sectile_terms::{Sort, Substitution, Term};
use std::collections::BTreeSet;

/// Names for an arbitrary number.
const NAMES: [&str; 3] = ["v", "any", "number"];

impl Search<'_> {
    /// Searches for a proof, or for the smallest size at which a process waits for ever.
    pub(super) fn served(&self) -> Result<Found, String> {
        if let Some(proof) = self.waiting()?
            && let Ok(qualified) = self.family.qualified(&proof)
            && let Outcome::Accepted { obligations } =
                certify(self.family, &proof, self.backend, self.budget)?
        {
            return Ok(Found::Proved {
                proof,
                obligations,
                size: qualified.size(),
            });
        }
        let why = "no numbers were found that decrease until a waiting process is served";
        self.violation(self.first.max(FEW), why)
    }

    fn waiting(&self) -> Result<Option<EveryProof>, String> {
        let stub = self.stub();
        let small = Large::new(self.family, &stub, WIDTH, self.backend, self.budget)?;
        let words = Words::of(&small.read.loaded, &small.qualified, &[]);
        let range = range(&self.family.size, &small.qualified);
        let terms = &small.read.loaded.terms;
        let Some(name) = NAMES.iter().find(|n| terms.symbol(n).is_none()) else {
            return Ok(None);
        };
        let existing = tickets(&words, name, &range);
        let mut stub = EveryProof {
            counters: counters(&words, &range),
            numbers: vec![(*name).to_string()],
            waiting: Some(WaitingProof {
                range,
                region: "true".to_string(),
                ..WaitingProof::default()
            }),
            ..stub
        };
        if let (Some(first), Some(waiting)) = (existing.first(), &mut stub.waiting) {
            // The instance must be large enough for a proof with one of them.
            stub.clauses.push(first.text.clone());
            let value = ((*name).to_string(), first.value.clone());
            waiting.values.push(value);
        }
        if self.family.qualified(&stub).map_or(i64::MAX, |q| q.size()) > MOST_PROCESSES {
            return Ok(None);
        }
        let large = Large::new(self.family, &stub, WIDTH, self.backend, self.budget)?;
        let mut list = large.candidates(self.property, false);
        let more = existing.iter().map(|e| e.text.clone());
        list.extend(more.map(|text| Candidate::new(0, false, text)));
        let mut solver = self.solver(&large)?;
        let found = large.inductive(&list, solver.as_mut(), self.budget);
        let Some(inductive) = found.map_err(|e| e.to_string())? else {
            return Ok(None);
        };
        let mut solver = self.solver(&large)?;
        let looking = Looking {
            search: self,
            large: &large,
            words: &words,
            inductive: &inductive,
            stub: &stub,
        };
        looking.any(&existing, solver.as_mut())
    }
}

/// Counters of the processes at each location.
fn counters(words: &Words, range: &str) -> Vec<Counter> {
    let each = words.main.iter().map(|condition| {
        let named = condition.text.rsplit(' ').next().unwrap_or("");
        Counter {
            name: format!("at_{named}"),
            text: format!("count i in {range}: {}", condition.text.replace('@', "i")),
            witnesses: 0,
        }
    });
    each.collect()
}

struct Looking<'l, 's> {
    search: &'l Search<'s>,
    large: &'l Large<'l>,
    words: &'l Words,
    inductive: &'l Inductive,
    stub: &'l EveryProof,
}

type Asked<T> = Result<T, SolverError>;

impl Looking<'_, '_> {
    /// A proof with one of the existential clauses, or with none.
    fn any(
        &self,
        existing: &[Existing],
        solver: &mut dyn Solver,
    ) -> Result<Option<EveryProof>, String> {
        let survivors = &self.inductive.survivors;
        let known = |e: &&Existing| {
            let mut texts = survivors.iter().filter_map(|&t| self.inductive.text(t));
            texts.any(|t| t == e.text)
        };
        let with = existing.iter().filter(known).map(Some);
        for existing in with.chain([None]) {
            let found = self.proof(existing, solver).map_err(|e| e.to_string())?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn proof(
        &self,
        existing: Option<&Existing>,
        solver: &mut dyn Solver,
    ) -> Asked<Option<EveryProof>> {
        let loaded = &self.large.read.loaded;
        let (terms, model) = (&loaded.terms, self.large.model());
        let Some((index, pair)) = self.first_pair() else {
            return Ok(None);
        };
        let survivors = &self.inductive.survivors;
        let used = survivors.iter().copied().filter(|&t| {
            let text = self.inductive.text(t);
            existing.is_some_and(|e| text == Some(e.text.as_str()))
        });
        let used: Vec<Term> = used.collect();
        let mut known = vec![model.restrict_formula(terms)];
        if let (Some(existing), Some(&number)) = (existing, self.large.read.numbers.first()) {
            let Some(value) = self.number(&existing.value) else {
                return Ok(None);
            };
            let values = Substitution::from_iter([(terms.var(number), value)]);
            known.extend(used.iter().map(|&t| terms.substitute(t, &values)));
        }
        let all: Vec<Term> = known.iter().chain(survivors).copied().collect();
        let Some((region, region_term)) = self.region(&all, index, pair, solver)? else {
            return Ok(None);
        };
        let waits: Vec<Term> = { all.iter().copied() }
            .chain([region_term, terms.not(pair.1)])
            .collect();
        let Some(ranks) = self.ranks(&waits, index, pair.1, solver)? else {
            return Ok(None);
        };
        let rank_terms: Vec<Term> = ranks.iter().map(|r| r.1).collect();
        let due = obligations(terms, model, pair, region_term, &rank_terms);
        let question = |d: ProofObligation| {
            let open = [terms.not(d.conclusion)];
            terms.and(known.iter().copied().chain(d.premises).chain(open))
        };
        let questions: Vec<Term> = due.into_iter().map(question).collect();
        for &question in &questions {
            let asked: Vec<Term> = survivors.iter().copied().chain([question]).collect();
            if !solver.check(&asked, self.search.budget)?.is_unsat() {
                return Ok(None);
            }
        }
        let budget = self.search.budget;
        let clauses = { self.large }.cores(self.inductive, &used, questions, solver, budget)?;
        let clauses = clauses.into_iter().filter_map(|c| self.inductive.text(c));
        let mut clauses: Vec<String> = clauses.map(str::to_string).collect();
        clauses.dedup();
        let ranks: Vec<String> = ranks.into_iter().map(|r| r.0).collect();
        let counters = self.stub.counters.iter();
        let counters = counters.filter(|c| ranks.contains(&c.name)).cloned();
        let named = |e: &Existing| (self.stub.numbers[0].clone(), e.value.clone());
        Ok(Some(EveryProof {
            clauses,
            counters: counters.collect(),
            numbers: { existing.iter() }.map(|e| named(e).0).collect(),
            waiting: Some(WaitingProof {
                region,
                ranks,
                values: existing.iter().map(|e| named(e)).collect(),
                ..self.stub.waiting.clone().unwrap_or_default()
            }),
            ..self.search.stub()
        }))
    }

    /// The first process of the property, and its conditions for waiting and being served.
    fn first_pair(&self) -> Option<(i64, (Term, Term))> {
        let (family, property) = (self.search.family, self.search.property);
        let loaded = &self.large.read.loaded;
        let index = family.indices(loaded, property).ok()?.next()?;
        let PropertyKind::Ctl(formula) = &loaded.reading.module.property(property)?.kind else {
            return None;
        };
        let pairs = responses(&loaded.terms, formula)?;
        Some((index, *pairs.first()?))
    }

    fn number(&self, text: &str) -> Option<Term> {
        let loaded = &self.large.read.loaded;
        let source = Source::new("number", text);
        let read = loaded
            .reading
            .scope
            .number(&loaded.terms, Sort::Int, &source);
        Some(loaded.terms.substitute(read.ok()?, self.large.counts()))
    }

    fn is_possible(
        &self,
        formulas: &[Term],
        more: &[Term],
        solver: &mut dyn Solver,
    ) -> Asked<bool> {
        let all: Vec<Term> = formulas.iter().chain(more).copied().collect();
        Ok(!solver.check(&all, self.search.budget)?.is_unsat())
    }

    /// The locations that a process reaches while it waits.
    fn region(
        &self,
        known: &[Term],
        index: i64,
        (from, to): (Term, Term),
        solver: &mut dyn Solver,
    ) -> Asked<Option<(String, Term)>> {
        let terms = &self.large.read.loaded.terms;
        let main = self.words.main.iter();
        let at = main.map(|c| self.large.formula(&c.text.replace('@', &index.to_string())));
        let Some(at) = at.collect::<Option<Vec<Term>>>() else {
            return Ok(None);
        };
        let not_yet = terms.not(to);
        let mut inside = BTreeSet::new();
        for (place, &here) in at.iter().enumerate() {
            if self.is_possible(known, &[from, not_yet, here], solver)? {
                inside.insert(place);
            }
        }
        loop {
            let region = terms.or(inside.iter().map(|&k| at[k]));
            let mut more = BTreeSet::new();
            for (place, &there) in at.iter().enumerate().filter(|(k, _)| !inside.contains(k)) {
                for command in self.large.model().commands() {
                    let step = self.large.model().step_formula(terms, command);
                    let asked = [
                        not_yet,
                        region,
                        step,
                        terms.prime(not_yet),
                        terms.prime(there),
                    ];
                    if self.is_possible(known, &asked, solver)? {
                        more.insert(place);
                        break;
                    }
                }
            }
            if more.is_empty() {
                let texts = inside.iter().map(|&k| self.words.main[k].text.clone());
                let texts: Vec<String> = texts.map(|t| t.replace('@', "i")).collect();
                return Ok(match inside.len() == at.len() {
                    true => Some(("true".to_string(), terms.tt())),
                    false => Some((texts.join(" or "), region)),
                });
            }
            inside.extend(more);
        }
    }

    /// Ranks of which one decreases with every step of a process that keeps waiting.
    fn ranks(
        &self,
        waits: &[Term],
        index: i64,
        to: Term,
        solver: &mut dyn Solver,
    ) -> Asked<Option<Vec<(String, Term)>>> {
        let terms = &self.large.read.loaded.terms;
        let zero = terms.number(0.into(), Sort::Int);
        let mut guesses = Vec::new();
        for text in self.numbers() {
            let single = format!("sum i in {index}..{index}: ({text})");
            let Some(term) = self.number(&single) else {
                continue;
            };
            if !self.is_possible(waits, &[terms.lt(term, zero)], solver)? {
                guesses.push((text, term));
            }
        }
        let goes_on = |c: &Command| {
            let step = self.large.model().step_formula(terms, c);
            terms.and2(step, terms.not(terms.prime(to)))
        };
        let mut steps: Vec<Term> = self.large.model().commands().map(goes_on).collect();
        let mut found: Vec<(String, Term)> = Vec::new();
        while !steps.is_empty() {
            let mut next = None;
            for (text, term) in &guesses {
                let after = terms.prime(*term);
                let grows = terms.gt(after, *term);
                let stays = terms.ge(after, *term);
                let (mut fits, mut left) = (true, Vec::new());
                for &step in &steps {
                    fits &= !self.is_possible(waits, &[step, grows], solver)?;
                    if !fits {
                        break;
                    }
                    if self.is_possible(waits, &[step, stays], solver)? {
                        left.push(step);
                    }
                }
                if fits && left.len() < steps.len() {
                    next = Some((text.clone(), *term, left));
                    break;
                }
            }
            let Some((text, term, left)) = next else {
                return Ok(None);
            };
            guesses.retain(|g| g.0 != text);
            found.push((text, term));
            steps = left;
        }
        Ok(Some(found))
    }

    /// Possible ranks: differences between numbers of the process and shared ones, and counters.
    fn numbers(&self) -> Vec<String> {
        let shared = integers(&self.words.shared_numbers);
        let own = integers(&self.words.local_numbers).map(|n| n.replace('@', "i"));
        let mut found: Vec<String> = Vec::new();
        for one in own {
            for other in shared.clone() {
                found.push(format!("{one} - {other}"));
                found.push(format!("{other} - {one}"));
            }
            found.push(one);
        }
        for one in shared.clone() {
            let others = shared.clone().filter(|o| *o != one);
            found.extend(others.map(|other| format!("{one} - {other}")));
            found.push(one.to_string());
        }
        found.extend(self.stub.counters.iter().map(|c| c.name.clone()));
        found
    }
}
