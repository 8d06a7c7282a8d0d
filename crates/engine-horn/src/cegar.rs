//! The refinement loop: abstract facts, a tree that derives `false`, and new predicates from it.

use crate::Decision;
use crate::config::{Config, Method};
use crate::eliminate::{Eliminated, eliminate, give_meanings};
use crate::image::Images;
use crate::picture::Places;
use crate::rule::{Rule, Rules, rules};
use crate::search::{FactSearch, Outcome};
use crate::tree::{Examined, Tree};
use sectile_engine::{Event, Interest, Run, Stop};
use sectile_model::HornClauses;
use sectile_model::horn::{Application, Derivation, Interpretation};
use sectile_solver::{Interpolator, Undecided};
use sectile_terms::{NativePrinter, Node, Substitution, Term, Terms};

/// Decides whether `false` follows from the clauses by one of the given queries.
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
    let rules = Rules {
        terms,
        clauses,
        list: &rules,
    };
    let mut patience = config.restart.max(1);
    for turn in 0.. {
        let method = &config.methods[turn % config.methods.len()];
        let mut attempt = Attempt::new(rules, method, run)?;
        match attempt.refine(patience, run)? {
            Some(Found::Derived(derivation)) => return Ok(Decision::Derived(derivation)),
            Some(Found::Closed(mut meanings)) => {
                complete(terms, clauses, &gone, &mut meanings, config, run)?;
                return Ok(Decision::Satisfiable(meanings));
            }
            None => {}
        }
        // Every method gets the same number of refinements before any gets more.
        if (turn + 1) % config.methods.len() == 0 {
            patience = patience.saturating_mul(2);
        }
    }
    Err(Stop::bug("numbers have an end"))
}

/// Computes the meanings of resolved predicates, by the first method that succeeds.
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
        let mut interpolator = method.interpolation().interpolator(terms, run.backend)?;
        let interpolator = interpolator.as_mut();
        last = give_meanings(terms, clauses, gone, meanings, interpolator, &run.budget);
        match &last {
            Err(Stop::Undecided(Undecided::Incomplete(_))) => {}
            _ => return last,
        }
    }
    last
}

enum Found {
    Derived(Derivation),
    Closed(Interpretation),
}

/// One run of the loop with one interpolation method.
struct Attempt<'r> {
    rules: Rules<'r>,
    abstraction: Vec<Vec<Term>>,
    images: Images<'r>,
    interpolator: Box<dyn Interpolator + 'r>,
    places: Places,
}

impl<'r> Attempt<'r> {
    fn new(rules: Rules<'r>, method: &Method, run: &Run<'_>) -> Result<Attempt<'r>, Stop> {
        let Rules {
            terms,
            clauses,
            list,
        } = rules;
        let abstraction = match method.atoms {
            true => seeds(terms, clauses, list),
            false => vec![Vec::new(); clauses.predicates.len()],
        };
        Ok(Attempt {
            rules,
            abstraction,
            images: Images::new(rules, run)?,
            interpolator: method.interpolation().interpolator(terms, run.backend)?,
            places: Places::default(),
        })
    }

    /// Refines until there is an answer, up to `patience` times.
    fn refine(&mut self, patience: u64, run: &mut Run<'_>) -> Result<Option<Found>, Stop> {
        for step in 1..=patience {
            let mut search = FactSearch::new(self.rules.list, self.rules.clauses.predicates.len());
            let outcome = search.run(&mut self.images, &self.abstraction, &run.budget)?;
            self.tell_size(step, &search, &outcome, run);
            self.places.tell(step, self.rules, &search, &outcome, run);
            let Outcome::Reached { rule, premises } = outcome else {
                return Ok(Some(Found::Closed(self.meanings(&search))));
            };
            let facts = &search.facts;
            let Some(tree) = Tree::new(self.rules, facts, rule, &premises) else {
                // If the tree is too large, the derivation with one instance per fact.
                let tree = Tree::sharing(self.rules, facts, rule, &premises);
                return match tree.examine(&tree.formulas(), run)? {
                    Examined::Feasible(derivation) => Ok(Some(Found::Derived(derivation))),
                    Examined::Infeasible(_) => {
                        Err(Stop::incomplete("the derivations to examine are too large"))
                    }
                };
            };
            run.count("tree_depth", tree.depth());
            let formulas = tree.formulas();
            let needed = match tree.examine(&formulas, run)? {
                Examined::Feasible(derivation) => return Ok(Some(Found::Derived(derivation))),
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

    /// The meanings of the predicates given by the facts.
    fn meanings(&self, search: &FactSearch<'_>) -> Interpretation {
        let Rules { terms, clauses, .. } = self.rules;
        let mut cubes: Vec<Vec<Term>> = vec![Vec::new(); clauses.predicates.len()];
        for fact in search.live() {
            cubes[fact.predicate].push(terms.and(fact.cube.iter().copied()));
        }
        let meanings = cubes.into_iter().map(|list| terms.or(list));
        meanings.collect()
    }

    /// Adds the conjuncts of the interpolants to the abstraction; returns whether any is new.
    fn learn(&mut self, tree: &Tree<'_>, interpolants: &[Term], run: &mut Run<'_>) -> bool {
        let Rules { terms, clauses, .. } = self.rules;
        let mut any = false;
        for (n, &interpolant) in interpolants.iter().enumerate().skip(1) {
            let Some(predicate) = tree.derives(n) else {
                continue;
            };
            for part in terms.conjuncts(interpolant) {
                let known = &mut self.abstraction[predicate];
                if known.contains(&part) {
                    continue;
                }
                known.push(part);
                any = true;
                if run.wants(Interest::Steps) {
                    let name = &clauses.predicates[predicate].name;
                    let text = NativePrinter::new(terms).print(part);
                    run.tell(Event::PredicateBorn {
                        predicate: format!("{name}: {text}"),
                        source: "interpolant",
                    });
                }
            }
        }
        any
    }

    fn tell_size(&self, step: u64, search: &FactSearch<'_>, outcome: &Outcome, run: &mut Run<'_>) {
        let predicates: usize = self.abstraction.iter().map(Vec::len).sum();
        run.count("refinements", step - 1);
        run.count("predicates", predicates as u64);
        run.count("questions", self.images.asked);
        // `false` counts as a further node.
        let last: &[usize] = match outcome {
            Outcome::Reached { premises, .. } => premises,
            Outcome::Closed => &[],
        };
        let uses = search.facts.iter().map(|f| f.premises.len());
        run.tell(Event::Abstraction {
            step,
            nodes: search.facts.len() + usize::from(!last.is_empty()),
            edges: uses.sum::<usize>() + last.len(),
            predicates,
        });
    }
}

/// Maximum number of initial conditions per predicate.
const MOST_SEEDS: usize = 12;

/// For each predicate, conditions on its parameters in rules, and their negations.
fn seeds(terms: &Terms, clauses: &HornClauses, rules: &[Rule]) -> Vec<Vec<Term>> {
    let mut found: Vec<Vec<Term>> = vec![Vec::new(); clauses.predicates.len()];
    for rule in rules {
        let atoms = terms.atoms(rule.constraint_formula(terms));
        for application in rule.body.iter().chain(&rule.head) {
            let map = parameters(terms, clauses, application);
            let known = &mut found[application.predicate];
            for &atom in &atoms {
                let vars = terms.free_vars(atom);
                let mut vars = vars.iter().map(|v| terms.var_at(v.0, v.1));
                let about = !terms.free_vars(atom).is_empty() && vars.all(|v| map.contains_key(&v));
                let here = terms.substitute(atom, &map);
                let opposite = terms.not(here);
                let is_new = !known.contains(&here) && !known.contains(&opposite);
                if about && is_new && known.len() < 2 * MOST_SEEDS && terms.as_bool(here).is_none()
                {
                    known.extend([here, opposite]);
                }
            }
        }
    }
    found
}

/// The parameters whose arguments are these variables.
fn parameters(terms: &Terms, clauses: &HornClauses, application: &Application) -> Substitution {
    let mut map = Substitution::default();
    let parameters = &clauses.predicates[application.predicate].parameters;
    for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
        if let Node::Var(..) = terms.node(argument) {
            map.entry(argument).or_insert(terms.var(parameter));
        }
    }
    map
}
