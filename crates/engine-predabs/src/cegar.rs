//! The loop: abstract, search, analyse the counterexample, refine.

use crate::alpha::{Alpha, Kind};
use crate::config::{Config, Source};
use crate::prover::{Prover, Stop};
use crate::refine::{Analysis, Needed, Question};
use crate::system::{AbstractPath, AbstractSystem};
use crate::transformers::Transformers;
use sectile_domains::bdd::Bdd;
use sectile_engine::{Event, Interest, Run};
use sectile_model::{Certificate, ReasonCode, Unknown, Verdict};
use sectile_solver::Undecided;
use sectile_terms::{NativePrinter, Stage, Term};

/// So many rounds use preconditions before interpolants are tried.
const PRECONDITION_ROUNDS: u64 = 4;

/// The state of the loop.
pub struct Cegar<'q, 't> {
    question: &'q Question<'t>,
    config: Config,
    prover: Prover<'t>,
    transformers: Transformers<'t>,
    /// Predicates in the order of their discovery.
    pub predicates: Vec<Term>,
    /// Refinements so far.
    pub rounds: u64,
}

impl<'q, 't> Cegar<'q, 't> {
    /// Prepares the loop.
    pub fn new(
        question: &'q Question<'t>,
        config: Config,
        run: &Run<'_>,
    ) -> Result<Cegar<'q, 't>, Stop> {
        Ok(Cegar {
            question,
            config,
            prover: Prover::new(question.terms, run.backend, &run.budget)?,
            transformers: Transformers::new(
                question.terms,
                question.system,
                run.backend,
                &run.budget,
            ),
            predicates: Vec::new(),
            rounds: 0,
        })
    }

    /// Prover calls so far.
    pub fn calls(&self) -> u64 {
        self.prover.calls()
    }

    /// Decides the question.
    pub fn decide(&mut self, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        self.first_predicates(run)?;
        let (terms, concrete) = (self.question.terms, self.question.system);
        let alpha = self.alpha();
        let everything = terms.tt();
        let mut system =
            AbstractSystem::lazy(terms, concrete, alpha, everything, &mut self.prover)?;
        loop {
            run.budget.check()?;
            let bad = self.bad(&mut system)?;
            let reach = system.reach(bad, &mut self.prover)?;
            let states = system.alpha.space().count(&system.manager, reach.all);
            run.tell(Event::Abstraction {
                step: self.rounds + 1,
                nodes: states as usize,
                edges: system.transitions.len(),
                predicates: self.predicates.len(),
            });
            let Some(path) = system.path(&reach, bad) else {
                let invariant = system.concrete(terms, reach.all);
                return Ok(Verdict::Holds(Certificate::Invariant(invariant)));
            };
            self.tell_path(&system, &path, run);
            match self.question.analyse(&path, run.backend, &run.budget)? {
                Analysis::Real(trace) => {
                    run.tell(Event::PathConcretized {
                        steps: trace.steps.len(),
                    });
                    return Ok(Verdict::Violated(Certificate::Trace(trace)));
                }
                Analysis::Spurious(needed) => {
                    if self.config.rounds > 0 && self.rounds >= self.config.rounds {
                        return Ok(Verdict::Unknown(self.given_up()));
                    }
                    self.rounds += 1;
                    if !self.refine(&system, &path, &needed, run)? {
                        let why = "no new predicate excludes the abstract counterexample";
                        return Err(Stop::Undecided(Undecided::Incomplete(why.to_string())));
                    }
                    for (k, &p) in self.predicates.iter().enumerate() {
                        system.add_predicate(&format!("a{}", k + 1), p);
                    }
                    system.refine(&mut self.prover)?;
                }
            }
        }
    }

    fn alpha(&self) -> Alpha {
        let terms = self.question.terms;
        let mut alpha = Alpha::new();
        // Copies come first: predicates are added later without moving anything.
        alpha.add_copies(terms, self.question.system);
        for (k, &p) in self.predicates.iter().enumerate() {
            alpha.add_predicate(terms, &format!("a{}", k + 1), p);
        }
        alpha
    }

    fn bad(&mut self, system: &mut AbstractSystem<'t>) -> Result<Bdd, Stop> {
        system
            .exact(self.question.terms, self.question.bad)
            .ok_or_else(|| {
                let why = "the property has a part that is no predicate";
                Stop::Undecided(Undecided::Incomplete(why.to_string()))
            })
    }

    /// Adds the atoms of a formula that are no predicates yet; how many there were.
    fn add_atoms(&mut self, formula: Term, source: &'static str, run: &mut Run<'_>) -> usize {
        let terms = self.question.terms;
        let alpha = self.alpha();
        let mut new = 0;
        for atom in terms.atoms(formula) {
            let variables = terms.free_vars(atom);
            let about_states = variables.iter().all(|v| {
                v.1 == Stage::Now
                    && (self.question.system.variables.contains(&v.0)
                        || self.question.system.rigid.contains(&v.0))
            });
            if !about_states || alpha.knows(terms, atom) || self.predicates.contains(&atom) {
                continue;
            }
            // Values of copied variables are there already, also where two are compared.
            let copied = |s| {
                let mut copies = alpha.variables().iter();
                copies.any(|v| v.kind == Kind::Copy(s))
            };
            if variables.iter().all(|v| copied(v.0)) {
                continue;
            }
            self.predicates.push(atom);
            new += 1;
            run.tell(Event::PredicateBorn {
                predicate: NativePrinter::new(terms).print(atom),
                source,
            });
        }
        new
    }

    /// The predicates of the user, of the property, and of weakest preconditions.
    ///
    /// Paper: [BeGrLa, Sect. 5.3, "Initial abstraction relation"].
    fn first_predicates(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let terms = self.question.terms;
        for &predicate in run.predicates {
            self.add_atoms(predicate, "prescribed", run);
        }
        let bad = self.question.bad;
        self.add_atoms(bad, "property", run);
        let mut sets = vec![bad];
        for _ in 0..self.config.depth {
            let mut earlier = Vec::new();
            for &set in &sets {
                for command in &self.question.system.commands {
                    let before = self.transformers.pre(command, set)?;
                    let formula = terms.simplify(before.formula);
                    self.add_atoms(formula, "precondition", run);
                    earlier.push(formula);
                }
            }
            sets = vec![terms.or(earlier)];
        }
        Ok(())
    }

    /// Adds predicates that exclude the path; false if there are none.
    fn refine(
        &mut self,
        system: &AbstractSystem<'t>,
        path: &AbstractPath,
        needed: &Needed,
        run: &mut Run<'_>,
    ) -> Result<bool, Stop> {
        let question = self.question;
        let plain = match self.config.source {
            Source::Preconditions => true,
            Source::Interpolants => false,
            Source::Both => self.rounds <= PRECONDITION_ROUNDS,
        };
        if plain {
            for accelerate in [true, false] {
                if accelerate && !self.config.acceleration {
                    continue;
                }
                let control = |k: usize| -> Vec<usize> {
                    let variables = system.alpha.variables().iter().zip(&path.states[k]);
                    let copies = variables.filter(|(v, _)| matches!(v.kind, Kind::Copy(_)));
                    copies.map(|(_, &value)| value).collect()
                };
                let loops = |first: usize, end: usize| accelerate && control(first) == control(end);
                let sets = question.backward_sets(path, needed, &loops, &mut self.transformers)?;
                let start = sets[sets.len() - 1].1;
                let init = question.system.init_formula(question.terms);
                // With loops the sets are larger: they may reach back to an initial state.
                if accelerate && self.prover.satisfiable(question.terms.and2(init, start))? {
                    continue;
                }
                if self.use_sets(&sets, "precondition", path, run) {
                    return Ok(true);
                }
            }
        }
        let cuts = question.interpolants(path, run.backend, &run.budget)?;
        Ok(self.use_sets(&cuts, "interpolant", path, run))
    }

    fn use_sets(
        &mut self,
        sets: &[(usize, Term)],
        source: &'static str,
        path: &AbstractPath,
        run: &mut Run<'_>,
    ) -> bool {
        if run.wants(Interest::Steps) {
            let printer = NativePrinter::new(self.question.terms);
            let texts = sets.iter().map(|(k, t)| (*k, printer.print(*t)));
            let interpolants = texts.collect();
            run.tell(Event::PathRefuted {
                first: 0,
                last: path.commands.len(),
                interpolants,
            });
        }
        let mut new = 0;
        for (_, set) in sets {
            new += self.add_atoms(*set, source, run);
        }
        new > 0
    }

    fn tell_path(&self, system: &AbstractSystem<'t>, path: &AbstractPath, run: &mut Run<'_>) {
        if !run.wants(Interest::Steps) {
            return;
        }
        let name = |k: &usize| system.transitions[*k].name.clone();
        run.tell(Event::PathFound {
            nodes: (0..path.states.len()).collect(),
            relations: path.commands.iter().map(name).collect(),
        });
    }

    /// The predicates found, in the words of the model.
    pub fn words(&self) -> Vec<String> {
        let printer = NativePrinter::new(self.question.terms);
        self.predicates.iter().map(|&p| printer.print(p)).collect()
    }

    fn given_up(&self) -> Unknown {
        let reached = format!(
            "after {} refinements the predicates are {}",
            self.rounds,
            self.words().join("; ")
        );
        Unknown::new(ReasonCode::Bounded, reached)
            .hint("--set acceleration=true, or a larger --set rounds=N")
    }
}
