//! The refinement loop: abstract facts, a tree that derives `false`, new predicates from it.

use crate::Decision;
use crate::config::{Config, Method};
use crate::eliminate::{Eliminated, eliminate, give_meanings};
use crate::image::Images;
use crate::rule::{Rule, rules};
use crate::search::{Outcome, Search};
use crate::seeds::seeds;
use crate::tree::{Examined, Tree};
use sectile_engine::{Event, Interest, Run, Stop};
use sectile_model::HornClauses;
use sectile_model::horn::{Derivation, Interpretation};
use sectile_solver::{Interpolator, Undecided};
use sectile_terms::{NativePrinter, Term, Terms};

/// Decides whether `false` follows from the clauses by one of the queries.
pub(crate) fn decide(
    terms: &Terms,
    clauses: &HornClauses,
    queries: &[usize],
    config: &Config,
    run: &mut Run<'_>,
) -> Result<Decision, Stop> {
    run.tell(Event::Phase { name: "rules" });
    let mut rules = rules(terms, clauses, queries);
    let gone = match config.eliminate {
        true => eliminate(terms, clauses, &mut rules, &run.budget),
        false => Vec::new(),
    };
    run.count("rules", rules.len() as u64);
    run.tell(Event::Phase { name: "refine" });
    let mut patience = config.restart.max(1);
    for turn in 0.. {
        let method = &config.methods[turn % config.methods.len()];
        let mut attempt = Attempt::new(terms, clauses, &rules, method, run)?;
        match attempt.refine(patience, run)? {
            Some(Found::Derived(derivation)) => return Ok(Decision::Derived(derivation)),
            Some(Found::Closed(mut meanings)) => {
                complete(terms, clauses, &gone, &mut meanings, config, run)?;
                return Ok(Decision::Satisfiable(meanings));
            }
            None => {}
        }
        // Every method gets the same patience before any gets more.
        if (turn + 1) % config.methods.len() == 0 {
            patience = patience.saturating_mul(2);
        }
    }
    Err(Stop::bug("numbers have an end"))
}

/// Gives the predicates that were resolved away their meanings, by the first method that can.
fn complete(
    terms: &Terms,
    clauses: &HornClauses,
    gone: &[Eliminated],
    meanings: &mut [Term],
    config: &Config,
    run: &Run<'_>,
) -> Result<(), Stop> {
    let mut last = Ok(());
    for method in &config.methods {
        let mut interpolator = interpolator(terms, &method.name, run)?;
        let interpolator = interpolator.as_mut();
        last = give_meanings(terms, clauses, gone, meanings, interpolator, &run.budget);
        match &last {
            Err(Stop::Undecided(Undecided::Incomplete(_))) => {}
            _ => return last,
        }
    }
    last
}

/// The named way of interpolation where the solver has it, and otherwise what it has.
fn interpolator<'r>(
    terms: &'r Terms,
    method: &str,
    run: &Run<'_>,
) -> Result<Box<dyn Interpolator + 'r>, Stop> {
    match run.backend.interpolator_by(terms, Some(method)) {
        Ok(interpolator) => Ok(interpolator),
        Err(_) => Ok(run.backend.interpolator(terms)?),
    }
}

enum Found {
    Derived(Derivation),
    Closed(Interpretation),
}

/// One run of the loop with one way of interpolating.
struct Attempt<'r> {
    terms: &'r Terms,
    clauses: &'r HornClauses,
    rules: &'r [Rule],
    abstraction: Vec<Vec<Term>>,
    images: Images<'r>,
    interpolator: Box<dyn Interpolator + 'r>,
}

impl<'r> Attempt<'r> {
    fn new(
        terms: &'r Terms,
        clauses: &'r HornClauses,
        rules: &'r [Rule],
        method: &Method,
        run: &Run<'_>,
    ) -> Result<Attempt<'r>, Stop> {
        let abstraction = match method.atoms {
            true => seeds(terms, clauses, rules),
            false => vec![Vec::new(); clauses.predicates.len()],
        };
        Ok(Attempt {
            terms,
            clauses,
            rules,
            abstraction,
            images: Images::new(terms, clauses, rules, run)?,
            interpolator: interpolator(terms, &method.name, run)?,
        })
    }

    /// Refines until there is an answer, or so often.
    fn refine(&mut self, patience: u64, run: &mut Run<'_>) -> Result<Option<Found>, Stop> {
        for step in 1..=patience {
            let mut search = Search::new(self.rules, self.clauses.predicates.len());
            let outcome = search.run(&mut self.images, &self.abstraction, &run.budget)?;
            self.tell_size(step, &search, run);
            let Outcome::Reached { rule, premises } = outcome else {
                return Ok(Some(Found::Closed(self.meanings(&search))));
            };
            let tree = Tree::new(
                self.terms,
                self.clauses,
                self.rules,
                &search.facts,
                rule,
                &premises,
            );
            let Some(tree) = tree else {
                let derivation = self.shared_derivation(&search, rule, &premises, run)?;
                return Ok(Some(Found::Derived(derivation)));
            };
            run.count("tree_depth", tree.depth());
            let formulas = tree.formulas();
            let mut solver = run.backend.solver(self.terms)?;
            let needed = match tree.examine(&formulas, solver.as_mut(), &run.budget)? {
                Examined::Feasible(derivation) => {
                    let steps = derivation.instances.len();
                    run.tell(Event::PathConcretized { steps });
                    return Ok(Some(Found::Derived(derivation)));
                }
                Examined::Infeasible(needed) => needed,
            };
            let interpolants =
                tree.interpolants(&formulas, &needed, self.interpolator.as_mut(), &run.budget);
            let interpolants = match interpolants {
                Err(Stop::Undecided(Undecided::Incomplete(_))) => return Ok(None),
                other => other?,
            };
            if !self.learn(&tree, &interpolants, run) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// The derivation in which every fact has one instance, where the tree is too large.
    fn shared_derivation(
        &self,
        search: &Search<'_>,
        rule: usize,
        premises: &[usize],
        run: &mut Run<'_>,
    ) -> Result<Derivation, Stop> {
        let (terms, facts) = (self.terms, &search.facts);
        let tree = Tree::sharing(terms, self.clauses, self.rules, facts, rule, premises);
        let mut solver = run.backend.solver(terms)?;
        match tree.examine(&tree.formulas(), solver.as_mut(), &run.budget)? {
            Examined::Feasible(derivation) => {
                let steps = derivation.instances.len();
                run.tell(Event::PathConcretized { steps });
                Ok(derivation)
            }
            Examined::Infeasible(_) => {
                let why = "the derivations to be looked at are too large".to_string();
                Err(Stop::incomplete(why))
            }
        }
    }

    /// The meaning of the predicates that the facts are.
    fn meanings(&self, search: &Search<'_>) -> Interpretation {
        let mut cubes: Vec<Vec<Term>> = vec![Vec::new(); self.clauses.predicates.len()];
        for fact in search.live() {
            cubes[fact.predicate].push(self.terms.and(fact.cube.iter().copied()));
        }
        let meanings = cubes.into_iter().map(|list| self.terms.or(list));
        meanings.collect()
    }

    /// Adds the parts of the interpolants to the abstraction; tells whether any is new.
    fn learn(&mut self, tree: &Tree<'_>, interpolants: &[Term], run: &mut Run<'_>) -> bool {
        let mut any = false;
        for (n, &interpolant) in interpolants.iter().enumerate().skip(1) {
            let Some(predicate) = tree.derives(n) else {
                continue;
            };
            for part in self.terms.conjuncts(interpolant) {
                let known = &mut self.abstraction[predicate];
                if known.contains(&part) {
                    continue;
                }
                known.push(part);
                any = true;
                if run.wants(Interest::Steps) {
                    let name = &self.clauses.predicates[predicate].name;
                    let text = NativePrinter::new(self.terms).print(part);
                    run.tell(Event::PredicateBorn {
                        predicate: format!("{name}: {text}"),
                        source: "interpolant",
                    });
                }
            }
        }
        any
    }

    fn tell_size(&self, step: u64, search: &Search<'_>, run: &mut Run<'_>) {
        let predicates: usize = self.abstraction.iter().map(Vec::len).sum();
        run.count("refinements", step - 1);
        run.count("predicates", predicates as u64);
        run.count("questions", self.images.asked);
        run.tell(Event::Abstraction {
            step,
            nodes: search.live().count(),
            edges: self.rules.len(),
            predicates,
        });
    }
}
