//! Lemmas: from obligations that lemmas exclude to formulas that exclude more.

use super::Order;
use super::search::{Obligation, Search};
use super::steps::{Bodies, Derived, about, said};
use sectile_engine::{Run, Stop};
use sectile_solver::{Interpolation, Undecided};
use sectile_terms::{Node, Term, Terms};

/// Interpolants of more conjuncts are not taken.
const MOST_CONJUNCTS: usize = 4;

impl Search<'_> {
    /// Learns lemmas that exclude an obligation, of which these assumptions were needed; guesses what
    /// else may be excluded.
    ///
    /// The needed literals make one lemma, an interpolant between the rules and the literals others. The
    /// second kind is tried only where the first does not hold for the next height.
    pub fn learn(
        &mut self,
        obligation: &Obligation,
        core: &[Term],
        run: &Run<'_>,
    ) -> Result<Vec<Obligation>, Stop> {
        let Obligation {
            predicate: head,
            cube,
            height,
            ..
        } = obligation;
        let needed: Vec<Term> = cube.iter().copied().filter(|c| core.contains(c)).collect();
        let mut guesses = Vec::new();
        let first = match self.config.order {
            Order::Literals => false,
            Order::Interpolants => true,
            Order::Alternating => !self.bound.is_multiple_of(2),
        };
        for by_interpolants in [first, !first] {
            let cubes = match by_interpolants {
                true => self.interpolated(*head, &needed, core, *height, run)?,
                false => vec![needed.clone()],
            };
            let mut lasts = !cubes.is_empty();
            for cube in cubes {
                let cube = self.weakened(*head, cube, *height, run)?;
                if self.config.guidance {
                    self.sums.note(self.rules.terms, *head, &cube);
                }
                lasts &= self.add_lemma(*head, cube.clone(), *height, run)?;
                if self.config.guidance && obligation.gas.is_none() {
                    guesses.extend(self.guess(*head, &cube, *height, run)?);
                }
            }
            if lasts {
                break;
            }
        }
        Ok(guesses)
    }

    /// Adds a lemma, for the greatest height up to the bound at which it holds; tells whether it holds for
    /// the next height, too.
    pub fn add_lemma(
        &mut self,
        head: usize,
        cube: Vec<Term>,
        height: usize,
        run: &Run<'_>,
    ) -> Result<bool, Stop> {
        let (rules, steps) = (self.rules, &mut self.steps);
        let summaries = &mut self.summaries;
        if !summaries.add_lemma(rules, steps, head, cube.clone(), height)? {
            return Ok(true);
        }
        let place = self.summaries.lemmas.len() - 1;
        for level in height + 1..=self.bound.max(height + 1) {
            let bodies = Bodies::Allowed { height: level };
            match self.ask(head, &cube, bodies, run)? {
                Derived::Never(_) => self.summaries.raise(place, level),
                Derived::By(..) => {
                    let grown = self.summaries.grown(level - 1);
                    self.summaries.lemmas[place].stuck_at = Some(grown);
                    break;
                }
            }
        }
        Ok(self.summaries.lemmas[place].level > height)
    }

    /// Leaves out literals of a cube while it is excluded, by induction where that helps.
    fn weakened(
        &mut self,
        head: usize,
        cube: Vec<Term>,
        height: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Term>, Stop> {
        let mut cube = cube;
        for literal in cube.clone() {
            if !cube.contains(&literal) {
                continue;
            }
            run.budget.poll()?;
            let less: Vec<Term> = cube.iter().copied().filter(|&l| l != literal).collect();
            let answer = self
                .steps
                .ask_inductively(&self.summaries, head, &less, height, run)?;
            if let Derived::Never(core) = answer {
                cube = less.into_iter().filter(|l| core.contains(l)).collect();
            }
        }
        Ok(cube)
    }

    /// What an interpolant between the rules and a cube excludes.
    fn interpolated(
        &mut self,
        head: usize,
        cube: &[Term],
        core: &[Term],
        height: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Vec<Term>>, Stop> {
        let terms = self.rules.terms;
        if cube.is_empty() || cube.iter().all(|&l| is_boolean(terms, l)) {
            return Ok(Vec::new());
        }
        let mut derived = Vec::new();
        for rule in self.steps.rules_of(head) {
            if height == 0 && !rule.body.is_empty() {
                continue;
            }
            let mut parts = vec![said(self.rules, rule)];
            for application in &rule.body {
                let below = height.saturating_sub(1);
                let lemmas = self.summaries.lemmas_at(application.predicate, below);
                let used = lemmas.filter(|l| core.contains(&l.flag));
                parts.extend(used.map(|l| about(self.rules, application, l.formula)));
            }
            derived.push(terms.and(parts));
        }
        let blocks = [terms.or(derived), terms.and(cube.iter().copied())];
        let between = match self.interpolator.sequence(&blocks, &run.budget)? {
            Interpolation::Unsat(list) => list.first().copied(),
            Interpolation::Unknown(why @ Undecided::Exhausted(_)) => return Err(why.into()),
            Interpolation::Unknown(_) | Interpolation::Sat(_) => None,
        };
        let parts = between.map_or_else(Vec::new, |t| terms.conjuncts(t));
        if parts.len() > MOST_CONJUNCTS {
            return Ok(Vec::new());
        }
        let opposite = |t: Term| -> Vec<Term> {
            let alternatives = terms.disjuncts(t).into_iter();
            alternatives.map(|d| terms.not(d)).collect()
        };
        Ok(parts.into_iter().map(opposite).collect())
    }
}

/// Whether a literal is a variable or its opposite.
fn is_boolean(terms: &Terms, literal: Term) -> bool {
    let (atom, _) = terms.strip_not(literal);
    matches!(terms.node(atom), Node::Var(..))
}
