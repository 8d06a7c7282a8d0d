//! One loop for every disjunct of the error, and one certificate from all of them.
//!
//! Paper: [BrDrFiWe07, Def. 2] starts one loop with one error node. Here the error is split
//! instead: for every disjunct `e` of the error one loop shows that `e` is never the *first* error.
//! All other disjuncts are then false in all inner nodes, whatever the results of their own loops:
//! a run into an error has a first error state, which satisfies some disjunct, and no state before
//! it satisfies any. In one graph the proofs of all disjuncts would multiply.

use crate::disjunct::{Disjunct, Ended};
use crate::question::{Progress, Question};
use crate::reduce::Reduction;
use crate::relation::{RelationId, Relations};
use crate::search::Background;
use crate::seeds::Seeds;
use crate::symmetry::{Orbit, Symmetry, canonical};
use crate::transfer;
use indexmap::IndexSet;
use sectile_engine::Discrete;
use sectile_engine::{Event, Run, Stop};
use sectile_model::{Certificate, Verdict};
use sectile_terms::{NativePrinter, Term};

/// Number of refinements of one part after which lemmas are searched for.
const SEED_AFTER: u64 = 120;

/// Data shared by the loops of all disjuncts.
pub struct FirstErrors<'q, 't> {
    question: &'q Question<'q, 't>,
    errors: Vec<Term>,
    progress: &'q mut Progress,
    relations: Relations<'t>,
    start: RelationId,
    commands: Vec<RelationId>,
    symmetry: Symmetry<'t>,
    discrete: Discrete,
    background: Background,
    /// Known facts before the first error.
    invariant: IndexSet<Term>,
    predicates: IndexSet<Term>,
    /// Maximum number of refinements of a part.
    most: u64,
}

impl<'q, 't> FirstErrors<'q, 't> {
    /// Prepares relations, symmetries and the background.
    pub fn new(
        question: &'q Question<'q, 't>,
        errors: Vec<Term>,
        progress: &'q mut Progress,
    ) -> FirstErrors<'q, 't> {
        let (terms, system) = (question.terms, question.system);
        let mut relations = Relations::new(terms, system);
        let init = system.init.iter();
        let init: Vec<Term> = init.flat_map(|&i| terms.conjuncts(i)).collect();
        let start = relations.initial(&init);
        let commands = question.enter_commands(&mut relations);
        let no_error = errors.iter().map(|&e| canonical(terms, terms.not(e)));
        let background = Background {
            all: question.restrictions(),
            inner: no_error.collect(),
        };
        let symmetry = match question.config.symmetry {
            true => Symmetry::of(terms, system, &errors),
            false => Symmetry::none(terms),
        };
        let most = match question.config.seeds {
            true => SEED_AFTER,
            false => u64::MAX,
        };
        progress.parts = errors.len();
        FirstErrors {
            question,
            errors,
            progress,
            relations,
            start,
            commands,
            symmetry,
            discrete: Discrete::of(terms, system, question.bad),
            invariant: background.inner.iter().copied().collect(),
            background,
            predicates: IndexSet::new(),
            most,
        }
    }

    /// Excludes one disjunct after the other; symmetric disjuncts are excluded together.
    pub fn decide(mut self, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        self.transfer(run)?;
        let mut todo: Vec<Orbit> = self.symmetry.orbits(&self.errors);
        todo.reverse();
        while let Some(orbit) = todo.pop() {
            match self.part(orbit.representative, run)? {
                Ended::Reached(trace) => {
                    return Ok(Verdict::Violated(Certificate::Trace(trace)));
                }
                Ended::Paused => {
                    self.find_lemmas(run)?;
                    todo.push(orbit);
                }
                Ended::Excluded(clauses) => {
                    self.progress.done += 1;
                    todo.extend(self.exclude_images(&clauses, orbit));
                    self.invariant.extend(clauses);
                }
            }
            run.count("predicates", self.predicates.len() as u64);
        }
        Ok(Verdict::Holds(Certificate::invariant(
            self.certificate(run)?,
        )))
    }

    /// Runs the loop of one disjunct.
    fn part(&mut self, index: usize, run: &mut Run<'_>) -> Result<Ended, Stop> {
        let error = self.errors[index];
        if self.errors.len() > 1 {
            run.tell(Event::Part {
                index: index + 1,
                of: self.errors.len(),
                name: NativePrinter::new(self.question.terms).print(error),
            });
        }
        let question = self.question;
        let disjunct = Disjunct {
            question,
            error,
            start: self.start,
            order: question.preferred(error, &self.relations, &self.commands),
            most: self.most,
        };
        disjunct.run(
            &mut self.relations,
            &self.background,
            &self.discrete,
            &mut self.progress.counters,
            &mut self.predicates,
            run,
        )
    }

    /// Images of the formulas that exclude a disjunct exclude its images, if the symmetry can map
    /// them; the other images have to be excluded on their own.
    fn exclude_images(&mut self, clauses: &[Term], orbit: Orbit) -> Vec<Orbit> {
        let mut left = Vec::new();
        for (representative, word) in orbit.images {
            let image = clauses.iter().map(|&c| self.symmetry.image(&word, c));
            match image.collect::<Option<Vec<Term>>>() {
                Some(image) => {
                    self.invariant.extend(image);
                    self.progress.done += 1;
                }
                None => left.push(Orbit {
                    representative,
                    images: Vec::new(),
                }),
            }
        }
        left
    }

    /// Searches for lemmas, once.
    fn find_lemmas(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        self.most = u64::MAX;
        run.tell(Event::Phase { name: "lemmas" });
        let seeds = Seeds {
            terms: self.question.terms,
            system: self.question.system,
            symmetry: &self.symmetry,
            discrete: &self.discrete,
            background: self.background.before_error(),
        };
        let lemmas = seeds.find(&mut self.relations, &self.commands, run)?;
        self.learn(lemmas, "seed", run);
        Ok(())
    }

    /// Tries the lemmas of a smaller instance as candidates.
    fn transfer(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        if self.question.lemmas.is_empty() {
            return Ok(());
        }
        let (terms, system) = (self.question.terms, self.question.system);
        let candidates = transfer::instances(terms, system, self.question.lemmas);
        // If values are exchanged with processes, only the symmetry can compute the images.
        let closed = self.symmetry.closure(&candidates).unwrap_or(candidates);
        let background = self.background.before_error();
        let (relations, commands) = (&mut self.relations, &self.commands);
        let lemmas = transfer::survivors(system, &background, closed, relations, commands, run)?;
        self.learn(lemmas, "transfer", run);
        Ok(())
    }

    /// Adds lemmas to the background.
    fn learn(&mut self, lemmas: Vec<Term>, source: &'static str, run: &mut Run<'_>) {
        run.count("lemmas", lemmas.len() as u64);
        run.proved(self.question.terms, &lemmas, source);
        run.adopted(self.question.terms, &lemmas);
        self.background.all.extend(&lemmas);
        self.invariant.extend(lemmas);
    }

    /// The part of the known facts that the property needs.
    fn certificate(mut self, run: &Run<'_>) -> Result<Term, Stop> {
        let terms = self.question.terms;
        let found = self.invariant.into_iter().map(|c| canonical(terms, c));
        let found: Vec<Term> = found.collect();
        let none = Symmetry::none(terms);
        // Images of an inductive invariant are inductive, and so is their conjunction.
        let (invariant, symmetry) = match self.symmetry.closure(&found) {
            Some(closed) => (closed, &self.symmetry),
            None => (found, &none),
        };
        let reduction = Reduction {
            terms,
            restrict: &self.question.restrictions(),
            invariant,
            goals: &self.background.inner,
            symmetry,
        };
        let invariant = reduction.sufficient(&mut self.relations, &self.commands, run)?;
        Ok(terms.and(invariant))
    }
}
