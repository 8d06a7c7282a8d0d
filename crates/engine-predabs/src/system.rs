//! Abstract systems and their reachable states.

use crate::alpha::Alpha;
use crate::prover::{Prover, Stop};
use crate::transition::{Abstractor, Transition};
use sectile_domains::bdd::{Bdd, Manager, Tuple};
use sectile_model::TransitionSystem;
use sectile_terms::{Term, Terms};

/// An abstract system: the least one for its abstraction relation, where it is complete.
///
/// Paper: [BeGrLa, Sect. 4.3]: `(A, alpha(theta), alpha(rho))`, one transition for each command.
pub struct AbstractSystem {
    /// The abstraction relation.
    pub alpha: Alpha,
    /// Owns the sets.
    pub manager: Manager,
    /// The abstract initial states.
    pub initial: Bdd,
    /// The abstract transitions, in the order of the commands.
    pub transitions: Vec<Transition>,
    /// Encodings of abstract states.
    pub valid: Bdd,
}

/// The states reached, in layers by the number of steps.
#[derive(Clone, Debug)]
pub struct Reach {
    /// New states of each step.
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

impl AbstractSystem {
    /// Abstracts a system.
    ///
    /// `within` is the property relative to which the abstraction has to be right
    /// [BeGrLa, Def. 10]; `true` for all states.
    pub fn new<'t>(
        terms: &'t Terms,
        system: &'t TransitionSystem,
        alpha: Alpha,
        within: Term,
        prover: &mut Prover<'t>,
    ) -> Result<AbstractSystem, Stop> {
        let mut manager = Manager::new();
        let valid = alpha.space().valid(&mut manager, false);
        let mut abstractor = Abstractor {
            terms,
            system,
            alpha: &alpha,
            within,
            prover,
            manager: &mut manager,
        };
        let initial = abstractor.image(system.init_formula(terms))?;
        let commands = system.commands.iter();
        let transitions: Result<Vec<Transition>, Stop> =
            commands.map(|c| abstractor.transition(c)).collect();
        let transitions = transitions?;
        let initial = manager.and(initial, valid);
        Ok(AbstractSystem {
            alpha,
            manager,
            initial,
            transitions,
            valid,
        })
    }

    /// The successors of a set under one transition.
    pub fn post(&mut self, set: Bdd, transition: usize) -> Bdd {
        let relation = self.transitions[transition].relation;
        let image = self.alpha.space().image(&mut self.manager, set, relation);
        self.manager.and(image, self.valid)
    }

    /// The reachable states, until a layer meets `bad`.
    pub fn reach(&mut self, bad: Bdd, prover: &Prover<'_>) -> Result<Reach, Stop> {
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
                let image = self.post(last, transition);
                new = self.manager.or(new, image);
            }
            new = self.manager.minus(new, reach.all);
            if new == Bdd::FALSE {
                return Ok(reach);
            }
            reach.all = self.manager.or(reach.all, new);
            reach.layers.push(new);
        }
    }

    /// A shortest path to `bad`, if the last layer meets it.
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
        let found = self.alpha.space().tuples(&mut self.manager, set, 1);
        found.into_iter().next()
    }

    /// The states of a set, at most `most`.
    pub fn states(&mut self, set: Bdd, most: usize) -> Vec<Tuple> {
        self.alpha.space().tuples(&mut self.manager, set, most)
    }

    /// A set as a formula over concrete states.
    pub fn concrete(&mut self, terms: &Terms, set: Bdd) -> Term {
        self.alpha.concrete(terms, &mut self.manager, set)
    }

    /// The abstract states of a state formula, exactly if its atoms are values.
    pub fn exact(&mut self, terms: &Terms, formula: Term) -> Option<Bdd> {
        let set = self.alpha.exact(terms, &mut self.manager, formula)?;
        Some(self.manager.and(set, self.valid))
    }
}

/// Whether an abstract system is an abstraction of a system, relative to a property.
///
/// Paper: [BeGrLa, Def. 10]. The abstraction relation is a function, so the first condition is met.
/// The text says what is wrong.
pub fn is_abstraction<'t>(
    terms: &'t Terms,
    system: &'t TransitionSystem,
    abstracted: &mut AbstractSystem,
    property: Term,
    prover: &mut Prover<'t>,
) -> Result<Result<(), String>, Stop> {
    let init = system.init_formula(terms);
    if !prover.implies(init, property)? {
        return Ok(Err("an initial state is outside the property".to_string()));
    }
    let initial = abstracted.initial;
    let initial = abstracted.concrete(terms, initial);
    if !prover.implies(init, initial)? {
        return Ok(Err("an initial state has no abstract one".to_string()));
    }
    for (k, command) in system.commands.iter().enumerate() {
        let relation = abstracted.transitions[k].relation;
        let claim = abstracted.concrete(terms, relation);
        let step = terms.and2(property, system.step_formula(terms, command));
        if !prover.implies(step, claim)? {
            return Ok(Err(format!(
                "a step of {} has no abstract one",
                command.name
            )));
        }
    }
    Ok(Ok(()))
}
