//! Frames: over-approximations of the states within a number of steps, with relative queries.

use crate::predicates::{Cube, Predicates};
use sectile_engine::symmetry::Symmetry;
use sectile_engine::{EngineError, Run, SafetyQuestion, Stop, Unroller};
use sectile_solver::{Answer, ModelView, Solver};
use sectile_terms::{Sort, SymbolKind, Term, Terms};

/// A cube that is not reachable, with its images.
pub struct Lemma {
    /// The cube that was blocked, followed by its images.
    pub cubes: Vec<Cube>,
    /// The conjunction of the negated cubes.
    pub clause: Term,
    /// The last frame to which the lemma belongs.
    pub level: usize,
}

/// The frames of a system.
///
/// Paper: [Bradley11, Sect. 3]. A lemma is stored in the last frame to which it belongs, and holds
/// in all earlier frames, too.
pub struct Frames<'t> {
    terms: &'t Terms,
    solver: Box<dyn Solver + 't>,
    symmetry: Option<Symmetry<'t>>,
    init: Term,
    /// The literal that activates the transition relation.
    steps: Term,
    /// The literals that activate the lemmas of each frame.
    switches: Vec<Term>,
    /// The lemmas, in the order in which they were found.
    pub lemmas: Vec<Lemma>,
    /// Inductive formulas, which hold in all frames.
    pub known: Vec<Term>,
    queries: u64,
}

/// Maximum number of images of a cube; if there are more, the symmetry is not used.
const MOST_IMAGES: usize = 120;

impl<'t> Frames<'t> {
    /// Starts with one frame: the initial states.
    pub fn new(
        terms: &'t Terms,
        asked: &SafetyQuestion<'_>,
        symmetry: Option<Symmetry<'t>>,
        run: &Run<'_>,
    ) -> Result<Frames<'t>, EngineError> {
        let system = asked.system;
        let unroller = Unroller::new(terms, system);
        let mut frames = Frames {
            terms,
            solver: run.backend.solver(terms)?,
            symmetry,
            init: system.init_formula(terms),
            steps: terms.tt(),
            switches: Vec::new(),
            lemmas: Vec::new(),
            known: Vec::new(),
            queries: 0,
        };
        frames.solver.assert(system.restrict_formula(terms))?;
        frames.steps = frames.switch("steps", unroller.transition())?;
        let init = frames.switch("start", frames.init)?;
        frames.switches.push(init);
        Ok(frames)
    }

    /// A new literal that implies the formula.
    fn switch(&mut self, name: &str, formula: Term) -> Result<Term, EngineError> {
        let terms = self.terms;
        let switch = terms.var(terms.fresh(name, Sort::Bool, SymbolKind::Rigid));
        self.solver.assert(terms.implies(switch, formula))?;
        Ok(switch)
    }

    /// Adds formulas that are inductive together.
    ///
    /// A lemma includes its images, so the known formulas must hold for the images as well: images
    /// of inductive formulas are inductive.
    pub fn know(&mut self, formulas: Vec<Term>) -> Result<(), EngineError> {
        let formulas = match &self.symmetry {
            Some(symmetry) => symmetry.closure(&formulas).unwrap_or_default(),
            None => formulas,
        };
        for &formula in &formulas {
            self.solver.assert(formula)?;
        }
        self.known.extend(formulas);
        Ok(())
    }

    /// The number of the last frame.
    pub fn last(&self) -> usize {
        self.switches.len() - 1
    }

    /// The number of queries.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// Adds a frame of all states.
    pub fn grow(&mut self) {
        let terms = self.terms;
        let switch = terms.fresh("frame", Sort::Bool, SymbolKind::Rigid);
        self.switches.push(terms.var(switch));
    }

    /// The literals that activate a frame: for its own lemmas and those of all later frames.
    fn frame(&self, level: usize) -> Vec<Term> {
        match level {
            0 => vec![self.switches[0]],
            _ => self.switches[level..].to_vec(),
        }
    }

    fn ask<'s>(&'s mut self, question: &[Term], run: &Run<'_>) -> Result<Answer<'s>, Stop> {
        self.queries += 1;
        match self.solver.check(question, &run.budget)? {
            Answer::Unknown(why) => Err(why.into()),
            answer => Ok(answer),
        }
    }

    /// A state of a frame that satisfies the formula.
    pub fn state<R>(
        &mut self,
        level: usize,
        formula: Term,
        run: &Run<'_>,
        read: impl FnOnce(&dyn ModelView) -> R,
    ) -> Result<Option<R>, Stop> {
        let mut question = self.frame(level);
        question.push(formula);
        Ok(match self.ask(&question, run)? {
            Answer::Sat(model) => Some(read(model)),
            _ => None,
        })
    }

    /// Literals of the cube that no initial state satisfies together; `None` if an initial state
    /// is in the cube.
    pub fn outside_start(&mut self, cube: &Cube, run: &Run<'_>) -> Result<Option<Cube>, Stop> {
        let mut question = self.frame(0);
        question.extend(cube);
        Ok(match self.ask(&question, run)? {
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                Some(cube.iter().copied().filter(|l| core.contains(l)).collect())
            }
            _ => None,
        })
    }

    /// Whether no step leads from a state of the frame into the cube if neither the cube nor its
    /// images hold before. Returns the literals that suffice for this, or the result of `read` on
    /// the step.
    ///
    /// Paper: [Bradley11, Sect. 3]: induction relative to the frame.
    pub fn blocked<R>(
        &mut self,
        level: usize,
        cube: &Cube,
        run: &Run<'_>,
        read: impl FnOnce(&dyn ModelView) -> R,
    ) -> Result<Result<Cube, R>, Stop> {
        let mut question = self.frame(level);
        question.push(self.steps);
        if level > 0 {
            question.push(self.orbit(cube).1);
        }
        let after: Vec<Term> = cube.iter().map(|&l| self.terms.prime(l)).collect();
        question.extend(&after);
        Ok(match self.ask(&question, run)? {
            Answer::Sat(model) => Err(read(model)),
            Answer::Unsat(refutation) => {
                let core = refutation.core();
                let needed = cube.iter().zip(&after).filter(|(_, a)| core.contains(a));
                Ok(needed.map(|(&l, _)| l).collect())
            }
            Answer::Unknown(why) => return Err(why.into()),
        })
    }

    /// Whether a lemma holds after every step from a frame.
    pub fn is_kept(&mut self, level: usize, lemma: usize, run: &Run<'_>) -> Result<bool, Stop> {
        let mut question = self.frame(level);
        question.push(self.steps);
        let lemma = &self.lemmas[lemma];
        match self.symmetry {
            // A cube and its images are symmetric, so one query suffices.
            Some(_) => question.extend(lemma.cubes[0].iter().map(|&l| self.terms.prime(l))),
            None => question.push(self.terms.prime(self.terms.not(lemma.clause))),
        }
        Ok(self.ask(&question, run)?.is_unsat())
    }

    /// The images of a cube, and the formula that none of them holds.
    fn orbit(&mut self, cube: &Cube) -> (Vec<Cube>, Term) {
        let terms = self.terms;
        let alone = |cube: &Cube| {
            (
                vec![cube.clone()],
                terms.not(terms.and(cube.iter().copied())),
            )
        };
        let Some(symmetry) = &self.symmetry else {
            return alone(cube);
        };
        let whole = terms.and(cube.iter().copied());
        match symmetry.closure_within(&[whole], MOST_IMAGES) {
            Some(images) => {
                let clauses = images.iter().map(|&i| terms.not(i));
                let clause = terms.and(clauses);
                let mut cubes = vec![cube.clone()];
                cubes.extend(images.iter().map(|&i| terms.conjuncts(i)));
                (cubes, clause)
            }
            None => {
                // From now on, frames may not be symmetric.
                self.symmetry = None;
                alone(cube)
            }
        }
    }

    /// Adds the images of predicates under the symmetry.
    pub fn close(&self, predicates: &mut Predicates<'_>) {
        if let Some(symmetry) = &self.symmetry {
            predicates.close(symmetry);
        }
    }

    /// Whether a lemma of a frame already excludes the cube.
    pub fn knows(&self, level: usize, cube: &Cube) -> bool {
        let inside = |c: &Cube| c.iter().all(|l| cube.contains(l));
        let mut lemmas = self.lemmas.iter().filter(|l| l.level >= level);
        lemmas.any(|l| l.cubes.iter().any(inside))
    }

    /// Adds a lemma to all frames up to this one.
    pub fn add(&mut self, level: usize, cube: &Cube) -> Result<(), EngineError> {
        let (cubes, clause) = self.orbit(cube);
        self.lemmas.retain(|l| {
            let weaker = |c: &Cube| cube.iter().all(|l| c.contains(l));
            l.level > level || !l.cubes.iter().take(1).any(weaker)
        });
        let switched = self.terms.implies(self.switches[level], clause);
        self.solver.assert(switched)?;
        self.lemmas.push(Lemma {
            cubes,
            clause,
            level,
        });
        Ok(())
    }

    /// Moves a lemma to the next frame.
    pub fn lift(&mut self, lemma: usize) -> Result<(), EngineError> {
        let level = self.lemmas[lemma].level + 1;
        let switched = self
            .terms
            .implies(self.switches[level], self.lemmas[lemma].clause);
        self.solver.assert(switched)?;
        self.lemmas[lemma].level = level;
        Ok(())
    }
}
