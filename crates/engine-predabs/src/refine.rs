//! Analysis of abstract counterexamples: real runs, or predicates that exclude spurious ones.

use crate::accelerate::{is_translation, star};
use crate::decompose::{Commands, Segment};
use crate::system::AbstractPath;
use crate::transformers::Transformers;
use sectile_base::Budget;
use sectile_engine::{Stop, Unroller, step_number as step};
use sectile_model::{Command, Model, Trace};
use sectile_solver::{Answer, Backend, Interpolation};
use sectile_terms::{Term, Terms};
use std::collections::BTreeSet;

/// The result of analysing a path.
pub enum Analysis {
    /// A concrete run.
    Real(Trace),
    /// No run takes these commands; these guards and initial conditions are sufficient to show it.
    Spurious(Needed),
}

/// For every step of a path, guards that together exclude every run along the path.
pub type Needed = Vec<Vec<Term>>;

/// The sets of a backward analysis of a path.
#[derive(Clone, Debug, Default)]
pub struct BackwardSets {
    /// Sets with their positions, from the end of the path to its beginning.
    pub sets: Vec<(usize, Term)>,
    /// The accelerated parts of the path, by their positions.
    pub loops: Vec<(usize, usize)>,
}

/// The safety question for paths.
pub struct Question<'t> {
    /// The store.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'t Model,
    /// The states it must not reach.
    pub bad: Term,
}

impl<'t> Question<'t> {
    fn command(&self, path: &AbstractPath, k: usize) -> &'t Command {
        &self.system.edges[path.commands[k]].command
    }

    /// The effect of a step without its guards.
    fn effect(&self, command: &Command) -> Term {
        let terms = self.terms;
        let equations = command.updates.iter();
        let equations = equations.map(|u| terms.eq(terms.next(u.symbol), u.value));
        let relations = command.relations.iter().copied();
        let after = terms.prime(self.system.restrict_formula(terms));
        terms.and(equations.chain(relations).chain([after]))
    }

    /// Whether some run takes the commands of a path to a bad state.
    ///
    /// Paper: [BeGrLa, Lemma 5], decided by one query. All runs along the commands count, whether
    /// or not they pass through the abstract states of the path.
    pub fn analyse(
        &self,
        path: &AbstractPath,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> Result<Analysis, Stop> {
        let terms = self.terms;
        let length = path.commands.len();
        let mut solver = backend.solver(terms)?;
        solver.assert(terms.at_step(self.system.init_formula(terms), 0))?;
        solver.assert(terms.at_step(self.bad, step(length)))?;
        let mut guards: Vec<(usize, Term, Term)> = Vec::new();
        for k in 0..length {
            let command = self.command(path, k);
            solver.assert(terms.at_step(self.effect(command), step(k)))?;
            let conjuncts = command.guards.iter().flat_map(|&g| terms.conjuncts(g));
            guards.extend(conjuncts.map(|g| (k, g, terms.at_step(g, step(k)))));
        }
        let assumptions: Vec<Term> = guards.iter().map(|g| g.2).collect();
        let core: BTreeSet<Term> = match solver.check(&assumptions, budget)? {
            Answer::Sat(model) => {
                let unroller = Unroller::new(terms, self.system);
                let trace = unroller.trace(model, step(length)).map_err(Stop::Error)?;
                return Ok(Analysis::Real(trace));
            }
            Answer::Unsat(refutation) => refutation.core().into_iter().collect(),
            Answer::Unknown(why) => return Err(why.into()),
        };
        // Fewer guards give fewer predicates: each guard is dropped if the rest suffices.
        let mut needed: Vec<Term> = core.into_iter().collect();
        let mut kept = 0;
        while kept < needed.len() {
            let mut fewer = needed.clone();
            fewer.remove(kept);
            match solver.check(&fewer, budget)? {
                Answer::Unsat(r) => {
                    let smaller = r.core();
                    needed = fewer.into_iter().filter(|t| smaller.contains(t)).collect();
                    kept = kept.min(needed.len());
                }
                _ => kept += 1,
            }
        }
        let mut result = vec![Vec::new(); length];
        for (k, guard, staged) in guards {
            if needed.contains(&staged) {
                result[k].push(guard);
            }
        }
        Ok(Analysis::Spurious(result))
    }

    /// All guards of a path.
    pub fn all_guards(&self, path: &AbstractPath) -> Needed {
        let guards = (0..path.commands.len()).map(|k| {
            let guards = self.command(path, k).guards.iter();
            guards.flat_map(|&g| self.terms.conjuncts(g)).collect()
        });
        guards.collect()
    }

    /// The atoms of the guards along a path.
    pub fn guards(&self, path: &AbstractPath) -> Vec<(usize, Term)> {
        let guards = (0..path.commands.len()).map(|k| {
            let command = self.command(path, k);
            (k, self.terms.and(command.guards.iter().copied()))
        });
        guards.collect()
    }

    /// All choices of parts of a path that can be accelerated and do not overlap.
    pub fn decompositions(
        &self,
        path: &AbstractPath,
        needed: &Needed,
        same_place: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Vec<Segment>> {
        let commands = Commands {
            commands: &path.commands,
            same_place,
            is_loop: &|first, end| is_translation(self.terms, &self.body(path, needed, first, end)),
        };
        commands.decompositions()
    }

    pub(crate) fn body<'n>(
        &self,
        path: &AbstractPath,
        needed: &'n Needed,
        first: usize,
        end: usize,
    ) -> Vec<(&'t Command, &'n [Term])> {
        let step = |k: usize| (self.command(path, k), &needed[k][..]);
        (first..end).map(step).collect()
    }

    /// The sets from which the rest of the path leads to a bad state, from the end on. The loops
    /// are given from the last on; one that cannot be accelerated is taken once.
    ///
    /// Paper: [BeGrLa, Fig. 9], and with `loops` [BeGrLa, Fig. 11]. Differs: atoms of all sets are
    /// used, not only of the first one without a predecessor, so that the path is really excluded.
    pub fn backward_sets(
        &self,
        path: &AbstractPath,
        needed: &Needed,
        loops: &[Segment],
        transformers: &mut Transformers<'t>,
    ) -> Result<BackwardSets, Stop> {
        let mut position = path.commands.len();
        let mut set = self.bad;
        let mut back = BackwardSets {
            sets: vec![(position, set)],
            loops: Vec::new(),
        };
        while position > 0 {
            if let Some(part) = loops.iter().find(|s| s.end == position) {
                let round = position - part.body;
                let body = self.body(path, needed, round, position);
                if let Some(closed) = star(self.terms, transformers, &body, set)? {
                    back.loops.push((round, position));
                    back.sets.push((position, closed));
                    let mut inner = closed;
                    for k in (round + 1..position).rev() {
                        inner = self.before(path, needed, k, inner, transformers)?;
                        back.sets.push((k, inner));
                    }
                    // Further rounds of the same loop are already in the set.
                    set = closed;
                    position = part.first;
                    back.sets.push((position, set));
                    continue;
                }
            }
            position -= 1;
            set = self.before(path, needed, position, set, transformers)?;
            back.sets.push((position, set));
        }
        Ok(back)
    }

    pub(crate) fn before(
        &self,
        path: &AbstractPath,
        needed: &Needed,
        k: usize,
        set: Term,
        transformers: &mut Transformers<'t>,
    ) -> Result<Term, Stop> {
        let command = self.command(path, k);
        let before = transformers.pre_with(command, &needed[k], set)?;
        Ok(self.terms.simplify(before.formula))
    }

    /// Interpolants at every state of the path.
    pub fn interpolants(
        &self,
        path: &AbstractPath,
        backend: &dyn Backend,
        budget: &Budget,
    ) -> Result<Vec<(usize, Term)>, Stop> {
        let terms = self.terms;
        let length = path.commands.len();
        let mut blocks = vec![terms.at_step(self.system.init_formula(terms), 0)];
        for k in 0..length {
            let command = self.command(path, k);
            let whole = terms.and2(command.formula(terms), self.effect(command));
            blocks.push(terms.at_step(whole, step(k)));
        }
        blocks.push(terms.at_step(self.bad, step(length)));
        let mut interpolator = backend.interpolator(terms)?;
        match interpolator.sequence(&blocks, budget)? {
            Interpolation::Unsat(cuts) => {
                let now = |(k, t)| (k, terms.from_step(t, step(k)));
                Ok(cuts.into_iter().enumerate().map(now).collect())
            }
            Interpolation::Sat(_) => Err(Stop::incomplete(
                "the interpolator finds a spurious path feasible",
            )),
            Interpolation::Unknown(why) => Err(why.into()),
        }
    }
}
