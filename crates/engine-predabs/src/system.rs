//! Abstract systems and their reachable states.

use crate::alpha::Alpha;
use crate::method::{Method, Recipe};
use crate::prover::Prover;
use crate::transition::{Abstractor, Effect, Transition};
use sectile_domains::bdd::{Bdd, Manager, Tuple};
use sectile_engine::Stop;
use sectile_model::Model;
use sectile_terms::{Term, Terms};
use std::collections::BTreeMap;

/// An abstract system: the least one for its abstraction relation, if it is complete.
///
/// Paper: [BeGrLa, Sect. 4.3]: `(A, alpha(theta), alpha(rho))`, one transition for each command.
pub struct AbstractSystem<'t> {
    terms: &'t Terms,
    system: &'t Model,
    within: Term,
    /// The abstraction relation.
    pub alpha: Alpha,
    /// The manager of the sets.
    pub manager: Manager,
    /// The abstract initial states.
    pub initial: Bdd,
    /// The abstract transitions, in the order of the commands.
    pub transitions: Vec<Transition>,
    /// All valid encodings of abstract states.
    pub valid: Bdd,
    /// Possible initial values of groups of variables, by their positions.
    groups: BTreeMap<Vec<usize>, Option<Bdd>>,
}

/// The reached states, in layers by the number of steps.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The new states of each step.
    pub layers: Vec<Bdd>,
    /// All of them.
    pub all: Bdd,
}

/// A path of the abstract system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractPath {
    /// The states.
    pub states: Vec<Tuple>,
    /// The commands between them.
    pub commands: Vec<usize>,
}

impl<'t> AbstractSystem<'t> {
    /// Abstracts a system.
    ///
    /// `within` is the property relative to which the abstraction has to be sound [BeGrLa, Def.
    /// 10]; `true` for all states.
    pub fn new(
        terms: &'t Terms,
        system: &'t Model,
        alpha: Alpha,
        within: Term,
        prover: &mut Prover<'t>,
    ) -> Result<AbstractSystem<'t>, Stop> {
        let mut made = AbstractSystem::lazy(terms, system, alpha, within, prover)?;
        made.complete(prover)?;
        Ok(made)
    }

    /// The same, with transitions computed on demand.
    pub fn lazy(
        terms: &'t Terms,
        system: &'t Model,
        alpha: Alpha,
        within: Term,
        prover: &mut Prover<'t>,
    ) -> Result<AbstractSystem<'t>, Stop> {
        let mut made = AbstractSystem::empty(terms, system, alpha, within).on(prover);
        made.refine(prover)?;
        Ok(made)
    }

    /// Abstracts a system by a method of the paper. If values overlap, models do not find all
    /// abstract steps: elimination is used instead.
    pub fn by(
        recipe: &Recipe,
        terms: &'t Terms,
        system: &'t Model,
        alpha: Alpha,
        within: Term,
        prover: &mut Prover<'t>,
    ) -> Result<AbstractSystem<'t>, Stop> {
        let is_function = alpha.relations().is_empty();
        let method = match &recipe.method {
            Method::Auto if is_function => {
                return AbstractSystem::new(terms, system, alpha, within, prover);
            }
            Method::Auto | Method::Models if !is_function => &Method::Elimination,
            method => method,
        };
        let mut made = AbstractSystem::empty(terms, system, alpha, within).on(prover);
        let valid = made.valid;
        let mut abstractor = made.abstractor(prover);
        let consistent = match recipe.dependences {
            true => abstractor.consistent()?,
            false => valid,
        };
        let (initial, transitions) = match method {
            Method::Literals => abstractor.by_literals(recipe, consistent)?,
            method => {
                let all: Vec<usize> = (0..abstractor.alpha.space().len()).collect();
                let init = system.init_formula(terms);
                let initial = abstractor.eliminate(init, &all, &[], consistent, recipe.sets)?;
                let commands = system.commands();
                let transitions = commands.map(|c| match method {
                    Method::Models => abstractor.by_models(c),
                    Method::Substitution => abstractor.by_substitution_first(c, recipe, consistent),
                    _ => abstractor.by_elimination(c, recipe, consistent),
                });
                (initial, transitions.collect::<Result<_, _>>()?)
            }
        };
        made.initial = initial;
        made.transitions = transitions;
        Ok(made)
    }

    /// The system of two states of an auxiliary invariant `q`: one where it holds, which is initial
    /// and is never left, and one where it does not, with arbitrary steps.
    ///
    /// Paper: [BeGrLa, Fig. 7], the system `S_Q`. It simulates the concrete one if `q` is inductive.
    pub fn two_states(terms: &'t Terms, system: &'t Model, q: Term) -> AbstractSystem<'t> {
        let mut alpha = Alpha::new();
        let tells = alpha.add_predicate(terms, "Q", q);
        let mut made = AbstractSystem::empty(terms, system, alpha, terms.tt());
        let (space, m) = (made.alpha.space(), &mut made.manager);
        let (holds, after) = match tells {
            true => (space.value(m, 0, 1, false), space.value(m, 0, 1, true)),
            // A constant has only one case.
            false => (m.constant(terms.as_bool(q) != Some(false)), Bdd::TRUE),
        };
        let relation = made.manager.implies(holds, after);
        made.initial = holds;
        let variables: Vec<usize> = (0..made.alpha.space().len()).collect();
        made.transitions = system
            .commands()
            .map(|command| Transition {
                name: command.name.clone(),
                guard: Bdd::TRUE,
                exact_guard: false,
                effects: vec![Effect::Open; variables.len()],
                open: variables.clone(),
                relation,
                complete: false,
                fixed: relation,
                blocks: Vec::new(),
            })
            .collect();
        made
    }

    /// Counts the work on diagrams on the budget of a prover.
    fn on(mut self, prover: &Prover<'t>) -> AbstractSystem<'t> {
        self.manager = self.manager.on(prover.budget());
        self
    }

    fn empty(
        terms: &'t Terms,
        system: &'t Model,
        alpha: Alpha,
        within: Term,
    ) -> AbstractSystem<'t> {
        let mut manager = Manager::new();
        let valid = alpha.space().valid(&mut manager, false);
        AbstractSystem {
            terms,
            system,
            within,
            alpha,
            manager,
            initial: Bdd::FALSE,
            transitions: Vec::new(),
            valid,
            groups: BTreeMap::new(),
        }
    }

    fn abstractor<'a>(&'a mut self, prover: &'a mut Prover<'t>) -> Abstractor<'a, 't> {
        Abstractor {
            terms: self.terms,
            system: self.system,
            alpha: &self.alpha,
            within: self.within,
            prover,
            manager: &mut self.manager,
        }
    }

    /// Computes the initial states, and the transitions as far as substitution determines them,
    /// also after predicates were added. Results for unchanged blocks and groups of variables are
    /// kept; the others are computed again, only from reached states.
    ///
    /// Paper: [BeGrLa, Sect. 4.1]: only transitions from or to states that were split.
    pub fn refine(&mut self, prover: &mut Prover<'t>) -> Result<(), Stop> {
        self.valid = self.alpha.space().valid(&mut self.manager, false);
        let mut groups = std::mem::take(&mut self.groups);
        let old = std::mem::take(&mut self.transitions);
        let (terms, system) = (self.terms, self.system);
        let init = system.init_formula(terms);
        let mut abstractor = self.abstractor(prover);
        let mut initial = Bdd::TRUE;
        for group in abstractor.groups(init) {
            let found = match groups.get(&group) {
                Some(&known) => known,
                None => abstractor.enumerate(init, &group, &[])?,
            };
            groups.insert(group, found);
            if let Some(found) = found {
                initial = abstractor.manager.and(initial, found);
            }
        }
        let mut transitions = Vec::new();
        for (k, command) in system.commands().enumerate() {
            let mut transition = abstractor.prepare(command)?;
            if let Some(old) = old.get(k) {
                for block in &mut transition.blocks {
                    block.reuse(&old.blocks);
                }
                transition.complete = old.complete;
                transition.assemble(abstractor.manager);
            }
            transitions.push(transition);
        }
        self.transitions = transitions;
        self.groups = groups;
        self.initial = self.manager.and(initial, self.valid);
        Ok(())
    }

    /// Adds a predicate at the end; false if it is already there. [`AbstractSystem::refine`] must
    /// follow before any other operation.
    pub fn add_predicate(&mut self, name: &str, predicate: Term) -> bool {
        self.alpha.add_predicate(self.terms, name, predicate)
    }

    /// Computes all transitions from all states.
    fn complete(&mut self, prover: &mut Prover<'t>) -> Result<(), Stop> {
        let valid = self.valid;
        for k in 0..self.transitions.len() {
            self.explore(k, valid, prover)?;
            let mut transition = self.transitions[k].clone();
            self.abstractor(prover).recognise(&mut transition);
            self.transitions[k] = transition;
        }
        Ok(())
    }

    fn explore(&mut self, k: usize, set: Bdd, prover: &mut Prover<'t>) -> Result<(), Stop> {
        if self.transitions[k].blocks.is_empty() {
            return Ok(());
        }
        let mut transition = self.transitions[k].clone();
        let new = self.abstractor(prover).explore(&mut transition, set)?;
        if new {
            self.transitions[k] = transition;
        }
        Ok(())
    }

    /// The abstract states that are not excluded by pairs of values.
    pub fn consistent(&mut self, prover: &mut Prover<'t>) -> Result<Bdd, Stop> {
        self.abstractor(prover).consistent()
    }

    /// The concrete system.
    pub fn system(&self) -> &'t Model {
        self.system
    }

    /// The store.
    pub fn terms(&self) -> &'t Terms {
        self.terms
    }

    /// The successors of a set under one transition.
    pub fn post(&mut self, set: Bdd, transition: usize) -> Bdd {
        let relation = self.transitions[transition].relation;
        let image = self.alpha.space().image(&mut self.manager, set, relation);
        self.manager.and(image, self.valid)
    }

    /// The reachable states, until a layer intersects `bad`.
    pub fn reach(&mut self, bad: Bdd, prover: &mut Prover<'t>) -> Result<Reach, Stop> {
        let mut reach = Reach {
            layers: vec![self.initial],
            all: self.initial,
        };
        loop {
            prover.budget().check()?;
            let last = reach.layers[reach.layers.len() - 1];
            if self.manager.and(last, bad) != Bdd::FALSE {
                return Ok(reach);
            }
            let mut new = Bdd::FALSE;
            for transition in 0..self.transitions.len() {
                self.explore(transition, last, prover)?;
                let image = self.post(last, transition);
                new = self.manager.or(new, image);
                prover.budget().check()?;
            }
            new = self.manager.minus(new, reach.all);
            if new == Bdd::FALSE {
                return Ok(reach);
            }
            reach.all = self.manager.or(reach.all, new);
            reach.layers.push(new);
        }
    }

    /// A shortest path to `bad`, if the last layer intersects it.
    pub fn path(&mut self, reach: &Reach, bad: Bdd) -> Option<AbstractPath> {
        let last = *reach.layers.last()?;
        let hit = self.manager.and(last, bad);
        let mut state = self.some(hit)?;
        let mut path = AbstractPath {
            states: vec![state.clone()],
            commands: Vec::new(),
        };
        for layer in reach.layers[..reach.layers.len() - 1].iter().rev() {
            let target = self.alpha.space().tuple(&mut self.manager, &state, false);
            let found = (0..self.transitions.len()).find_map(|k| {
                let relation = self.transitions[k].relation;
                let space = self.alpha.space();
                let before = space.preimage(&mut self.manager, target, relation);
                let before = self.manager.and(before, *layer);
                self.some(before).map(|s| (k, s))
            });
            let (command, before) = found?;
            state = before;
            path.commands.push(command);
            path.states.push(state.clone());
        }
        path.states.reverse();
        path.commands.reverse();
        Some(path)
    }

    fn some(&mut self, set: Bdd) -> Option<Tuple> {
        self.states(set, 1).pop()
    }

    /// The states of a set, at most `most`.
    pub fn states(&mut self, set: Bdd, most: usize) -> Vec<Tuple> {
        self.alpha.space().tuples(&mut self.manager, set, most)
    }

    /// A set as a formula over concrete states.
    pub fn concrete(&mut self, terms: &Terms, set: Bdd) -> Term {
        self.alpha.concrete(terms, &mut self.manager, set)
    }

    /// The abstract states of a state formula, if all its atoms are meanings of values.
    pub fn exact(&mut self, terms: &Terms, formula: Term) -> Option<Bdd> {
        let set = self.alpha.exact(terms, &mut self.manager, formula)?;
        Some(self.manager.and(set, self.valid))
    }
}
