//! The safety question, and its refinement loops.

use crate::config::{Config, Order};
use crate::first_error::FirstErrors;
use crate::relation::{RelationId, Relations};
use crate::search::Counters;
use sectile_engine::shape::disjuncts;
use sectile_engine::{Run, Stop};
use sectile_model::{Model, Verdict};
use sectile_terms::{Symbol, Term, Terms};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Maximum number of disjuncts with a loop each: more are checked in one loop.
const MANY_DISJUNCTS: usize = 4096;

/// A system and the states it must not reach.
pub struct Question<'q, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'q Model,
    /// The bad states.
    pub bad: Term,
    /// The options.
    pub config: &'q Config,
    /// Predicates that the user gave.
    pub predicates: &'q [Term],
    /// Candidates for lemmas, to be instantiated for all processes.
    pub lemmas: &'q [Term],
}

/// The progress when a loop ends early.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Number of excluded disjuncts of the error.
    pub done: usize,
    /// Number of all disjuncts.
    pub parts: usize,
    /// The counters.
    pub counters: Counters,
}

impl Question<'_, '_> {
    /// Decides the question.
    pub fn decide(&self, progress: &mut Progress, run: &mut Run<'_>) -> Result<Verdict, Stop> {
        let mut errors = disjuncts(self.terms, self.bad);
        if !self.config.decompose || errors.len() > MANY_DISJUNCTS {
            errors = vec![self.bad];
        }
        if self.config.four_nodes || !self.config.guide.0.is_empty() {
            self.as_in_the_paper(progress, run)
        } else {
            FirstErrors::new(self, errors, progress).decide(run)
        }
    }

    /// The commands in the order in which paths prefer them.
    pub fn preferred(
        &self,
        error: Term,
        relations: &Relations<'_>,
        commands: &[RelationId],
    ) -> Vec<RelationId> {
        let mut order = commands.to_vec();
        match self.config.order {
            Order::Model => {}
            Order::Reverse => order.reverse(),
            Order::Name => order.sort_by_key(|&r| &relations.get(r).command.name),
            Order::Relevance => {
                let vars = self.terms.free_vars(error);
                let mentioned: BTreeSet<Symbol> = vars.iter().map(|v| v.0).collect();
                order.sort_by_key(|&r| {
                    let changed = |v: &&Symbol| relations.get(r).changes(self.terms, **v);
                    Reverse(mentioned.iter().filter(changed).count())
                });
            }
        }
        order
    }

    /// Enters all commands, and the idling transition if configured.
    pub fn enter_commands(&self, relations: &mut Relations<'_>) -> Vec<RelationId> {
        let commands = self.system.commands().enumerate();
        let mut ids: Vec<RelationId> = commands.map(|(i, c)| relations.command(i, c)).collect();
        if self.config.idle {
            ids.push(relations.idle());
        }
        ids
    }

    /// The conditions that hold in every state by definition.
    pub fn restrictions(&self) -> Vec<Term> {
        let all = self.system.restrict.iter();
        all.flat_map(|&r| self.terms.conjuncts(r)).collect()
    }
}
