//! From a property to refinement loops.

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

/// More disjuncts than this are checked in one loop: each loop has a price of its own.
const MANY_DISJUNCTS: usize = 4096;

/// A system and the states it must not reach.
pub struct Question<'q, 't> {
    /// The store of all formulas.
    pub terms: &'t Terms,
    /// The system.
    pub system: &'q Model,
    /// The error.
    pub bad: Term,
    /// How to work.
    pub config: &'q Config,
    /// Predicates that the user gave.
    pub predicates: &'q [Term],
    /// Candidates for lemmas, to be instantiated for all processes.
    pub lemmas: &'q [Term],
}

/// What is known when a loop ends early.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Disjuncts of the error that are excluded.
    pub done: usize,
    /// All disjuncts.
    pub parts: usize,
    /// Counts.
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

    /// The commands in the order in which paths shall prefer them.
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

    /// Enters all commands, and idling if it belongs to the system.
    pub fn enter_commands(&self, relations: &mut Relations<'_>) -> Vec<RelationId> {
        let commands = self.system.commands().enumerate();
        let mut ids: Vec<RelationId> = commands.map(|(i, c)| relations.command(i, c)).collect();
        if self.config.idle {
            ids.push(relations.idle());
        }
        ids
    }

    /// What holds in every state by definition.
    pub fn restrictions(&self) -> Vec<Term> {
        let all = self.system.restrict.iter();
        all.flat_map(|&r| self.terms.conjuncts(r)).collect()
    }
}
