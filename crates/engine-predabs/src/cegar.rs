//! The refinement loop: abstract, search, analyse the counterexample, refine.

use crate::alpha::{Alpha, Kind};
use crate::candidates::Spurious;
use crate::config::{Backwards, Config};
use crate::method::{Method, Recipe};
use crate::picture::Drawing;
use crate::prover::Prover;
use crate::refine::{Analysis, BackwardSets, Question};
use crate::system::{AbstractPath, AbstractSystem};
use crate::transformers::Transformers;
use sectile_base::Budget;
use sectile_domains::bdd::{Bdd, Manager};
use sectile_engine::{Event, Interest, Run, Stop};
use sectile_model::{Certificate, ReasonCode, Unknown, Verdict};
use sectile_solver::Backend;
use sectile_terms::{NativePrinter, Stage, Term};

/// Atoms of weakest preconditions become initial predicates as long as there are no more predicates
/// than this.
const FEW_PREDICATES: usize = 12;

/// The state of the loop.
pub struct Cegar<'q, 't> {
    pub(crate) question: &'q Question<'t>,
    pub(crate) config: Config,
    pub(crate) prover: Prover<'t>,
    pub(crate) transformers: Transformers<'t>,
    /// Predicates in order of discovery.
    pub predicates: Vec<Term>,
    /// Number of refinements so far.
    pub rounds: u64,
    drawing: Drawing,
}

impl<'q, 't> Cegar<'q, 't> {
    /// Prepares the loop.
    pub fn new(
        question: &'q Question<'t>,
        config: Config,
        backend: &'t dyn Backend,
        budget: &Budget,
    ) -> Result<Cegar<'q, 't>, Stop> {
        let terms = question.terms;
        Ok(Cegar {
            question,
            config,
            prover: Prover::new(terms, backend, budget)?,
            transformers: Transformers::new(terms, question.system, backend, budget),
            predicates: Vec::new(),
            rounds: 0,
            drawing: Drawing::default(),
        })
    }

    /// Decides the question.
    pub fn decide(&mut self, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        self.first_predicates(run)?;
        let terms = self.question.terms;
        let mut system = self.abstracted()?;
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
            let step = self.rounds + 1;
            self.drawing.tell(step, &mut system, &reach, bad, run);
            let Some(path) = system.path(&reach, bad) else {
                run.tell(Event::Phase {
                    name: "no error is among them: what they have in common is an invariant",
                });
                let invariant = system.concrete(terms, reach.all);
                return Ok(Verdict::Holds(Certificate::invariant(invariant)));
            };
            self.tell_path(&system, &path, run);
            if self.config.backward == Backwards::States && !self.is_used_up() {
                let spurious = Spurious {
                    system: &system,
                    path: &path,
                    needed: &Vec::new(),
                };
                if let Some(chosen) = self.through_states(spurious)? {
                    self.rounds += 1;
                    self.take(chosen, &path, run)?;
                    self.refined(&mut system)?;
                    continue;
                }
            }
            match self.question.analyse(&path, run.backend, &run.budget)? {
                Analysis::Real(trace) => {
                    run.tell(Event::PathConcretized {
                        steps: trace.steps.len(),
                    });
                    return Ok(Verdict::Violated(Certificate::Trace(trace)));
                }
                Analysis::Spurious(needed) => {
                    if self.is_used_up() {
                        return Ok(Verdict::Unknown(self.given_up()));
                    }
                    self.rounds += 1;
                    let spurious = Spurious {
                        system: &system,
                        path: &path,
                        needed: &needed,
                    };
                    if !self.refine(spurious, run)? {
                        let why = "no new predicate excludes the abstract counterexample";
                        return Err(Stop::incomplete(why));
                    }
                    self.refined(&mut system)?;
                }
            }
        }
    }

    /// Whether the limit of refinements is reached.
    fn is_used_up(&self) -> bool {
        self.config.rounds > 0 && self.rounds >= self.config.rounds
    }

    fn alpha(&self) -> Alpha {
        let terms = self.question.terms;
        let mut alpha = Alpha::new();
        // Copies come first: predicates are added later without shifting positions.
        alpha.add_copies(terms, self.question.system);
        for (k, &p) in self.predicates.iter().enumerate() {
            alpha.add_predicate(terms, &format!("a{}", k + 1), p);
        }
        alpha
    }

    /// The abstract system for the present predicates.
    fn abstracted(&mut self) -> Result<AbstractSystem<'t>, Stop> {
        let (terms, system) = (self.question.terms, self.question.system);
        let (alpha, all) = (self.alpha(), terms.tt());
        if self.config.method == Method::Auto {
            return AbstractSystem::lazy(terms, system, alpha, all, &mut self.prover);
        }
        let recipe = Recipe::new(self.config.method.clone());
        AbstractSystem::by(&recipe, terms, system, alpha, all, &mut self.prover)
    }

    /// The same with new predicates added: earlier results are kept if the method can.
    fn refined(&mut self, system: &mut AbstractSystem<'t>) -> Result<(), Stop> {
        if self.config.method != Method::Auto {
            *system = self.abstracted()?;
            return Ok(());
        }
        for (k, &p) in self.predicates.iter().enumerate() {
            system.add_predicate(&format!("a{}", k + 1), p);
        }
        system.refine(&mut self.prover)
    }

    fn bad(&mut self, system: &mut AbstractSystem<'t>) -> Result<Bdd, Stop> {
        let exact = system.exact(self.question.terms, self.question.bad);
        exact.ok_or_else(|| Stop::incomplete("the property has a part that is no predicate"))
    }

    /// The new atoms of formulas.
    pub(crate) fn new_atoms(&self, formulas: &[Term]) -> Vec<Term> {
        let terms = self.question.terms;
        let alpha = self.alpha();
        let mut new: Vec<Term> = Vec::new();
        for atom in formulas.iter().flat_map(|&f| terms.atoms(f)) {
            let variables = terms.free_vars(atom);
            let about_states = variables.iter().all(|v| {
                v.1 == Stage::Now
                    && (self.question.system.variables.contains(&v.0)
                        || self.question.system.rigid.contains(&v.0))
            });
            if !about_states || alpha.knows(terms, atom) || new.contains(&atom) {
                continue;
            }
            // Conditions on copied variables are already there.
            let is_copied = |s| {
                let mut copies = alpha.variables().iter();
                copies.any(|v| v.kind == Kind::Copy(s))
            };
            let mut scratch = Manager::new();
            if variables.iter().all(|v| is_copied(v.0))
                && alpha.exact(terms, &mut scratch, atom).is_some()
            {
                continue;
            }
            new.push(atom);
        }
        new
    }

    pub(crate) fn add(&mut self, atoms: &[Term], source: &'static str, run: &mut Run<'_>) {
        for &atom in atoms {
            self.predicates.push(atom);
            run.born(self.question.terms, atom, source);
        }
    }

    /// Adds the new atoms of a formula.
    fn add_atoms(&mut self, formula: Term, source: &'static str, run: &mut Run<'_>) {
        let new = self.new_atoms(&[formula]);
        self.add(&new, source, run);
    }

    /// The initial predicates: those of the user, of the property, and of weakest preconditions.
    ///
    /// Paper: [BeGrLa, Sect. 5.3, "Initial abstraction relation"].
    fn first_predicates(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let terms = self.question.terms;
        for &predicate in run.predicates {
            self.add_atoms(predicate, "prescribed", run);
        }
        let bad = self.question.bad;
        self.add_atoms(bad, "property", run);
        let mut atoms: Vec<Term> = Vec::new();
        let mut set = bad;
        for _ in 0..self.config.depth.unwrap_or(1) {
            let known = atoms.len();
            for command in self.question.system.commands() {
                let before = self.transformers.pre(command, set)?;
                atoms.push(terms.simplify(before.formula));
            }
            set = terms.or(atoms[known..].iter().copied());
        }
        let new = self.new_atoms(&atoms);
        if self.config.depth.is_some() || self.predicates.len() + new.len() <= FEW_PREDICATES {
            self.add(&new, "initial precondition", run);
        }
        Ok(())
    }

    /// Reports the sets, and where the backward analysis ends.
    pub(crate) fn tell_refutation(
        &self,
        back: &BackwardSets,
        source: &'static str,
        path: &AbstractPath,
        run: &mut Run<'_>,
    ) -> Result<(), Stop> {
        let terms = self.question.terms;
        let printer = NativePrinter::new(terms);
        let texts = back.sets.iter().map(|(k, t)| (*k, printer.print(*t)));
        run.tell(Event::PathRefuted {
            first: 0,
            last: path.commands.len(),
            interpolants: texts.collect(),
        });
        if matches!(source, "precondition" | "accelerated") {
            // A separate prover, so that observers do not affect the counters.
            let mut prover = Prover::new(terms, run.backend, &run.budget)?;
            let domain = self.question.system.restrict_formula(terms);
            let mut position = None;
            for &(k, set) in &back.sets {
                if !prover.satisfiable(terms.and2(domain, set))? {
                    position = Some(k);
                    break;
                }
            }
            let loops = back.loops.clone();
            run.tell(Event::PathEmptied { position, loops });
        }
        Ok(())
    }

    fn tell_path(&self, system: &AbstractSystem<'t>, path: &AbstractPath, run: &mut Run<'_>) {
        if !run.wants(Interest::Steps) {
            return;
        }
        let name = |k: &usize| system.transitions[*k].name.clone();
        run.tell(Event::PathFound {
            nodes: self.drawing.path(path),
            relations: path.commands.iter().map(name).collect(),
        });
        let printer = NativePrinter::new(self.question.terms);
        let variables = system.alpha.variables();
        let text = |state: &Vec<usize>| {
            let parts = variables.iter().zip(state);
            let parts = parts.map(|(v, &k)| printer.print(v.meanings[k]));
            parts.collect::<Vec<_>>().join(", ")
        };
        let states = path.states.iter().map(text).collect();
        let terms = self.question.terms;
        let steps = path.commands.iter().map(name).collect::<Vec<_>>();
        let formula = format!(
            "{} -> [{}] {}",
            printer.print(self.question.system.init_formula(terms)),
            steps.join("; "),
            printer.print(terms.not(self.question.bad))
        );
        run.tell(Event::PathStates { states, formula });
    }

    /// The partial result, in the words of the model.
    pub fn reached(&self) -> String {
        let printer = NativePrinter::new(self.question.terms);
        let words = self.predicates.iter().map(|&p| printer.print(p));
        let words = words.collect::<Vec<_>>().join("; ");
        let rounds = self.rounds;
        format!("after {rounds} refinements the predicates are {words}")
    }

    fn given_up(&self) -> Unknown {
        Unknown::new(ReasonCode::Bounded, self.reached())
            .hint("--set acceleration=true --set rounds=N")
    }
}
