//! The main loop of PDR: proof obligations, generalisation, propagation of lemmas.

use crate::Config;
use crate::adopt::adopted;
use crate::frames::Frames;
use crate::picture;
use crate::predicates::{Cube, Predicates};
use crate::refine::{Chain, Refiner};
use sectile_domains::facts::place_invariants;
use sectile_engine::symmetry::Symmetry;
use sectile_engine::{EngineError, Guess, Proof, Run, SafetyQuestion, Stop, Unroller};
use sectile_model::{Certificate, Invariants, Trace, Verdict};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Stage, Substitution, Symbol, Term, Terms, Value, evaluate};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Decides whether a bad state is reachable.
pub fn decide(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Verdict, EngineError> {
    let errors = terms.disjuncts(asked.bad);
    let symmetry = || Symmetry::of(terms, asked.system, &errors).or_turn(asked.system, &errors);
    let symmetry = config.symmetry.then(symmetry).filter(|s| !s.is_none());
    let mut predicates = Predicates::new(terms, asked, run.predicates);
    if let Some(symmetry) = &symmetry {
        predicates.close(symmetry);
    }
    let sums = sums(terms, asked, run)?;
    let mut search = Search {
        terms,
        asked,
        config,
        predicates,
        frames: Frames::new(terms, asked, symmetry, run)?,
        lifter: run.backend.solver(terms)?,
        obligations: Vec::new(),
        queue: BinaryHeap::new(),
        refiner: Refiner::new(terms, asked),
    };
    search.lifter.assert(asked.system.restrict_formula(terms))?;
    for &sum in &sums {
        search.lifter.assert(sum)?;
    }
    search.frames.know(sums)?;
    let decided = search.run(run);
    decided.or_else(|stop| {
        let reached = format!("no violation has {} steps or fewer", search.frames.last());
        stop.verdict(reached)
    })
}

/// Maximum number of sums with images.
const MOST_SUMS: usize = 24;

/// Sums that no step changes: they are invariant, so all frames contain them.
fn sums(
    terms: &Terms,
    asked: &SafetyQuestion<'_>,
    run: &Run<'_>,
) -> Result<Vec<Term>, EngineError> {
    let sums = place_invariants(terms, asked.system);
    if sums.is_empty() || sums.len() > MOST_SUMS {
        return Ok(Vec::new());
    }
    let unroller = Unroller::new(terms, asked.system);
    let guesses = sums.into_iter().map(Guess::alone).collect();
    let mut solver = run.backend.solver(terms)?;
    let budget = run.share(8, Some(LONGEST));
    let proved = unroller.inductive_part(guesses, solver.as_mut(), &budget)?;
    Ok(proved.unwrap_or_default())
}

/// A cube that leads to a bad state and is to be blocked.
struct Obligation {
    cube: Cube,
    /// The obligation that its states reach in one step.
    next: Option<usize>,
    /// The number of steps to a bad state.
    depth: usize,
}

struct Search<'t, 'q> {
    terms: &'t Terms,
    asked: &'q SafetyQuestion<'t>,
    config: &'q Config,
    predicates: Predicates<'t>,
    frames: Frames<'t>,
    /// A solver with only the conditions on all states.
    lifter: Box<dyn Solver + 't>,
    obligations: Vec<Obligation>,
    /// Frames and obligations; those of the lowest frame come first.
    queue: BinaryHeap<Reverse<(usize, usize, usize)>>,
    refiner: Refiner<'t>,
}

impl Search<'_, '_> {
    fn run(&mut self, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        loop {
            while let Some(bad) = self.bad_state(run)? {
                let level = self.frames.last();
                self.oblige(level, bad, None);
                if let Some(trace) = self.block_all(run)? {
                    return Ok(Verdict::Violated(Certificate::Trace(trace)));
                }
            }
            let last = self.frames.last() as u64;
            run.refuted(last);
            self.tell(run);
            picture::tell(self.terms, &self.frames, self.predicates.len(), run);
            let known = adopted(self.terms, self.asked, run)?;
            self.frames.know(known)?;
            self.frames.grow();
            if let Some(level) = self.propagate(run)? {
                return self.proof(level, run);
            }
        }
    }

    fn tell(&self, run: &mut Run<'_>) {
        run.count("frames", self.frames.last() as u64);
        run.count("lemmas", self.frames.lemmas.len() as u64);
        run.count("predicates", self.predicates.len() as u64);
        run.count("queries", self.frames.queries());
    }

    /// The cube of a bad state of the last frame.
    fn bad_state(&mut self, run: &Run<'_>) -> Result<Option<Cube>, Stop> {
        let (last, bad) = (self.frames.last(), self.asked.bad);
        let predicates = &self.predicates;
        let found = self
            .frames
            .state(last, bad, run, |model| predicates.cube(model))?;
        found.map(|cube| self.shortened(cube, bad, run)).transpose()
    }

    fn oblige(&mut self, level: usize, cube: Cube, next: Option<usize>) {
        let depth = next.map_or(0, |n| self.obligations[n].depth + 1);
        let number = self.obligations.len();
        self.obligations.push(Obligation { cube, next, depth });
        self.queue.push(Reverse((level, depth, number)));
    }

    /// Blocks all obligations, or finds a run.
    ///
    /// Paper: [EeMiBr11, Sect. 4]: obligations by frame, and again in the next frame once they are
    /// blocked.
    fn block_all(&mut self, run: &mut Run<'_>) -> Result<Option<Trace>, Stop> {
        while let Some(Reverse((level, depth, number))) = self.queue.pop() {
            let cube = self.obligations[number].cube.clone();
            if self.frames.knows(level, &cube) {
                continue;
            }
            let outside = self.frames.outside_start(&cube, run)?;
            let (true, Some(outside)) = (level > 0, outside) else {
                match self.chain(number, run)? {
                    Some(trace) => return Ok(Some(trace)),
                    // New predicates change the cubes, so the frame is examined again.
                    None => {
                        self.queue.clear();
                        self.obligations.clear();
                        return Ok(None);
                    }
                }
            };
            let predicates = &self.predicates;
            let system = self.asked.system;
            let terms = self.terms;
            let blocked = self.frames.blocked(level - 1, &cube, run, |model| {
                let before = predicates.cube(model);
                (before, taken(terms, system, model))
            })?;
            match blocked {
                Ok(core) => {
                    let lemma = self.generalised(level, &cube, core, outside, run)?;
                    let mut level = level;
                    while level < self.frames.last()
                        && self.frames.blocked(level, &lemma, run, |_| ())?.is_ok()
                    {
                        level += 1;
                    }
                    self.frames.add(level, &lemma)?;
                    if level < self.frames.last() {
                        self.queue.push(Reverse((level + 1, depth, number)));
                    }
                }
                Err((before, step)) => {
                    let before = self.lifted(before, step, &cube, run)?;
                    self.queue.push(Reverse((level, depth, number)));
                    self.oblige(level - 1, before, Some(number));
                }
            }
        }
        self.obligations.clear();
        Ok(None)
    }

    /// The literals of a cube that are enough to block it: those that the refutations use, without
    /// the literals that can be dropped one by one while the cube stays blocked.
    ///
    /// Paper: [Bradley11, Sect. 3], inductive generalisation.
    fn generalised(
        &mut self,
        level: usize,
        cube: &Cube,
        core: Cube,
        outside: Cube,
        run: &Run<'_>,
    ) -> Result<Cube, Stop> {
        let needed = |l: &Term| core.contains(l) || outside.contains(l);
        let mut kept: Cube = cube.iter().copied().filter(needed).collect();
        let mut place = kept.len();
        while place > 0 && kept.len() > 1 {
            place -= 1;
            let mut fewer = kept.clone();
            fewer.remove(place);
            let Some(outside) = self.frames.outside_start(&fewer, run)? else {
                continue;
            };
            if let Ok(core) = self.frames.blocked(level - 1, &fewer, run, |_| ())? {
                let needed = |l: &Term| core.contains(l) || outside.contains(l);
                fewer.retain(needed);
                place = place.min(fewer.len());
                kept = fewer;
            }
        }
        Ok(kept)
    }

    /// The literals of a cube that imply a formula; the whole cube if it does not imply it.
    fn shortened(&mut self, cube: Cube, formula: Term, run: &Run<'_>) -> Result<Cube, Stop> {
        if !self.config.lift {
            return Ok(cube);
        }
        let mut question = cube.clone();
        question.push(self.terms.not(formula));
        Ok(match self.lifter.check(&question, &run.budget)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                cube.iter().copied().filter(|l| core.contains(l)).collect()
            }
            _ => cube,
        })
    }

    /// The literals of a cube that are enough for the step into another cube.
    fn lifted(
        &mut self,
        before: Cube,
        step: Option<Taken>,
        after: &Cube,
        run: &Run<'_>,
    ) -> Result<Cube, Stop> {
        let Some(taken) = step else {
            return Ok(before);
        };
        let (terms, system) = (self.terms, self.asked.system);
        let command = &system.edges[taken.command].command;
        let next = |&v: &Symbol| {
            let value = command.update_of(v);
            let value = value.or_else(|| {
                let chosen = taken.next.iter().find(|(s, _)| *s == v)?;
                Some(chosen.1.to_term(terms))
            })?;
            Some((terms.var(v), value))
        };
        let mut values = Substitution::default();
        values.extend(system.variables.iter().filter_map(next));
        let inputs: Vec<(Term, Term)> = taken
            .inputs
            .iter()
            .map(|(s, v)| (terms.var(*s), v.to_term(terms)))
            .collect();
        let mut chosen = Substitution::default();
        chosen.extend(inputs);
        let arrives = terms.and(after.iter().chain(&system.restrict).copied());
        let arrives = terms.substitute(arrives, &values);
        let allowed = terms.and(command.guards.iter().copied());
        let leads = terms.substitute(terms.and2(allowed, arrives), &chosen);
        self.shortened(before, leads, run)
    }

    /// Searches for a run along the chain of obligations that starts with this one.
    fn chain(&mut self, first: usize, run: &mut Run<'_>) -> Result<Option<Trace>, Stop> {
        let mut chain = Vec::new();
        let mut at = Some(first);
        while let Some(number) = at {
            chain.push(self.obligations[number].cube.clone());
            at = self.obligations[number].next;
        }
        let predicates = &self.predicates;
        let found = self
            .refiner
            .look(&chain, |new| predicates.are_new(new), run)?;
        match found {
            Chain::Run(trace) => Ok(Some(trace)),
            Chain::Spurious(formulas) => {
                let before = self.predicates.len();
                self.predicates.add(&formulas);
                self.frames.close(&mut self.predicates);
                for atom in self.predicates.atoms().skip(before).collect::<Vec<_>>() {
                    run.born(self.terms, atom, "chain");
                }
                Ok(None)
            }
        }
    }

    /// Pushes lemmas to later frames; returns a frame that is closed under steps, if there is one.
    ///
    /// Paper: [Bradley11, Sect. 3]: propagation.
    fn propagate(&mut self, run: &Run<'_>) -> Result<Option<usize>, Stop> {
        for level in 1..self.frames.last() {
            let mut all_kept = true;
            for lemma in 0..self.frames.lemmas.len() {
                if self.frames.lemmas[lemma].level != level {
                    continue;
                }
                match self.frames.is_kept(level, lemma, run)? {
                    true => self.frames.lift(lemma)?,
                    false => all_kept = false,
                }
            }
            if all_kept {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// The proof from the lemmas after a closed frame. They are inductive together; lemmas that are
    /// not needed are removed.
    fn proof(&mut self, level: usize, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        self.tell(run);
        let terms = self.terms;
        let lemmas = self.frames.lemmas.iter().filter(|l| l.level > level);
        let clauses = lemmas.flat_map(|l| terms.conjuncts(l.clause));
        let mut conditions: Vec<Term> = clauses.collect();
        conditions.extend(&self.frames.known);
        conditions.push(terms.not(self.asked.bad));
        let system = self.asked.system;
        let unroller = Unroller::new(terms, system);
        let proof = Proof {
            terms,
            conditions: vec![conditions.clone()],
            bad: vec![self.asked.bad],
            steps: vec![(0, 0, unroller.transition())],
        };
        let mut solver = run.backend.solver(terms)?;
        solver.assert(system.restrict_formula(terms))?;
        let needed = proof.needed_within(LONGEST, solver.as_mut(), &run.budget)?;
        let needed = needed.map_or(conditions, |mut lists| lists.remove(0));
        let invariant = terms.and(needed);
        Ok(Verdict::Holds(Certificate::Invariants(Invariants {
            at: vec![Some(invariant)],
            depth: 1,
            simple_paths: false,
        })))
    }
}

/// The maximum time spent on shortening a proof.
const LONGEST: Duration = Duration::from_millis(800);

/// The command of a step, with its choices.
struct Taken {
    command: usize,
    inputs: Vec<(Symbol, Value)>,
    next: Vec<(Symbol, Value)>,
}

/// The command of the step in a model; none if its choices are constrained by relations.
fn taken(terms: &Terms, system: &sectile_model::Model, model: &dyn ModelView) -> Option<Taken> {
    let value = |symbol, stage| Some(model.completed(terms, symbol, stage));
    let command = system
        .commands()
        .position(|c| evaluate(terms, c.formula(terms), &value) == Ok(Value::Bool(true)))?;
    let chosen = &system.edges[command].command;
    if !chosen.relations.is_empty() {
        return None;
    }
    let at = |symbols: &[Symbol], stage: Stage| {
        let pairs = symbols
            .iter()
            .map(|&s| (s, model.completed(terms, s, stage)));
        pairs.collect::<Vec<_>>()
    };
    let free = chosen.unassigned(&system.variables);
    Some(Taken {
        command,
        inputs: at(&chosen.inputs, Stage::Now),
        next: at(&free, Stage::Next),
    })
}
