//! Backward analysis of counterexamples through their abstract states, as printed in the paper.

use crate::accelerate::star;
use crate::candidates::{Candidate, Spurious, smaller};
use crate::cegar::Cegar;
use crate::decompose::Segment;
use crate::prover::Prover;
use crate::refine::{BackwardSets, Question};
use crate::system::AbstractPath;
use crate::transformers::Transformers;
use sectile_engine::Stop;
use sectile_terms::Term;

/// The result of the printed analysis.
#[derive(Clone, Debug)]
pub enum CouAnal {
    /// A run passes the abstract states, up to exactness of preconditions.
    Real,
    /// No run does.
    Spurious {
        /// The set `Y = X_i` that has no predecessors, and its position `i`.
        last: (usize, Term),
        /// All sets, from the end of the path to its beginning.
        back: BackwardSets,
    },
}

impl<'t> Question<'t> {
    /// Whether some run passes the states `cells` along the commands of a path: `X_n = Q_n`,
    /// `X_(i-1) = PRE(X_i) and Q_(i-1)`.
    ///
    /// Paper: [BeGrLa, Fig. 9, Lemma 5], and with `loops` [BeGrLa, Fig. 11], with the indices that
    /// its text requires: a loop is left at its first position, and initial states come last.
    pub fn couanal(
        &self,
        path: &AbstractPath,
        cells: &[Term],
        loops: &[Segment],
        prover: &mut Prover<'t>,
        transformers: &mut Transformers<'t>,
    ) -> Result<CouAnal, Stop> {
        let terms = self.terms;
        let guards = self.all_guards(path);
        let domain = self.system.restrict_formula(terms);
        let mut position = path.commands.len();
        let mut set = cells[position];
        let mut back = BackwardSets {
            sets: vec![(position, set)],
            loops: Vec::new(),
        };
        while position > 0 {
            let last = (position, set);
            let part = loops.iter().find(|s| s.end == position);
            let closed = match part {
                Some(part) => {
                    let body = self.body(path, &guards, position - part.body, position);
                    star(terms, transformers, &body, set)?.map(|closed| (part, closed))
                }
                None => None,
            };
            let before = match closed {
                Some((part, closed)) => {
                    back.loops.push((position - part.body, position));
                    position = part.first;
                    closed
                }
                None => {
                    position -= 1;
                    self.before(path, &guards, position, set, transformers)?
                }
            };
            set = terms.simplify(terms.and2(before, cells[position]));
            back.sets.push((position, set));
            if !prover.satisfiable(terms.and2(domain, set))? {
                return Ok(CouAnal::Spurious { last, back });
            }
        }
        let start = terms.and2(self.system.init_formula(terms), set);
        Ok(match prover.satisfiable(start)? {
            true => CouAnal::Real,
            false => CouAnal::Spurious {
                last: (0, set),
                back,
            },
        })
    }
}

impl<'t> Cegar<'_, 't> {
    /// The predicates from the analysis in the paper; `None` if a run may pass through the abstract
    /// states of the path, or if there is no new predicate.
    pub(crate) fn through_states(
        &mut self,
        spurious: Spurious<'_, 't>,
    ) -> Result<Option<Candidate>, Stop> {
        let (system, path) = (spurious.system, spurious.path);
        let terms = self.question.terms;
        let cells = path.states.iter().map(|s| system.alpha.meaning(terms, s));
        let cells: Vec<Term> = cells.collect();
        let mut best = None;
        if self.config.acceleration {
            let same_place = |a: usize, b: usize| spurious.control(a) == spurious.control(b);
            let guards = self.question.all_guards(path);
            for loops in self.question.decompositions(path, &guards, &same_place) {
                best = smaller(best, self.printed(path, &cells, &loops, "accelerated")?);
            }
        }
        match best {
            None => self.printed(path, &cells, &[], "precondition"),
            best => Ok(best),
        }
    }

    fn printed(
        &mut self,
        path: &AbstractPath,
        cells: &[Term],
        loops: &[Segment],
        source: &'static str,
    ) -> Result<Option<Candidate>, Stop> {
        let (prover, transformers) = (&mut self.prover, &mut self.transformers);
        let found = self
            .question
            .couanal(path, cells, loops, prover, transformers)?;
        let CouAnal::Spurious { last, back } = found else {
            return Ok(None);
        };
        if !loops.is_empty() && back.loops.is_empty() {
            return Ok(None);
        }
        let candidate = self.candidate(vec![last], back.loops.clone(), source);
        Ok(candidate.map(|mut c| {
            c.back = back;
            c
        }))
    }
}
