//! One disjunct of the error, as the first error.

use crate::abstraction::{Arc, NodeId, Role};
use crate::discrete::Discrete;
use crate::parts::Question;
use crate::relation::{RelationId, Relations};
use crate::rounds::Outcome;
use crate::search::{Background, Counters, Search};
use indexmap::IndexSet;
use sectile_engine::{Run, Stop};
use sectile_model::Trace;
use sectile_terms::{Symbol, Term};
use std::collections::BTreeSet;

/// One disjunct of the error.
pub struct Part<'q, 't> {
    /// What is asked.
    pub question: &'q Question<'q, 't>,
    /// The disjunct.
    pub error: Term,
    /// The choice of an initial state.
    pub start: RelationId,
    /// The commands, in the order in which paths prefer them.
    pub order: Vec<RelationId>,
    /// How many refinements it may use.
    pub most: u64,
}

/// How a part ends.
pub enum Ended {
    /// The disjunct is never the first error: these formulas show it.
    Excluded(Vec<Term>),
    /// A run reaches it.
    Reached(Trace),
    /// It needs more refinements than it was allowed.
    Paused,
}

impl<'t> Part<'_, 't> {
    /// Refines until the disjunct is excluded or reached, or enough was tried.
    pub fn run(
        &self,
        relations: &mut Relations<'t>,
        background: &Background,
        discrete: &Discrete,
        counters: &mut Counters,
        predicates: &mut IndexSet<Term>,
        run: &mut Run<'_>,
    ) -> Result<Ended, Stop> {
        let terms = self.question.terms;
        let config = self.question.config;
        let mut search = Search::new(relations, config, background.clone(), counters, run)?;
        search.prescribed = self.question.predicates.to_vec();
        search.discrete = discrete.clone();
        let start = search.graph.add_node(
            vec![],
            Role {
                initial: true,
                error: false,
                start: true,
            },
        );
        let label = terms.conjuncts(self.error);
        let error = search.graph.add_node(
            label,
            Role {
                initial: false,
                error: true,
                start: false,
            },
        );
        let inner = search.graph.add_node(vec![], Role::INNER);
        self.connect(&mut search, start, &[inner], error);
        let touched = BTreeSet::from([start, error, inner]);
        search.slice(&touched, run)?;
        if search.graph.error_path().is_some_and(|p| p.len() > 2) {
            self.split_up_front(&mut search, start, inner, error);
        }
        let outcome = search.refine(self.most, run)?;
        predicates.extend(search.vocabulary.iter().copied());
        Ok(match outcome {
            Outcome::Paused => Ended::Paused,
            Outcome::Empty => {
                if search.counters.bypassed > 0 {
                    return Ok(Ended::Excluded(vec![search.disjunction()?]));
                }
                let clauses = search.clauses(run)?;
                search.tell_diagram(self.start, &self.order, run)?;
                Ended::Excluded(clauses)
            }
            Outcome::ErrorPath(path) => {
                let system = self.question.system;
                Ended::Reached(search.concretize(&path, system, self.error, run)?)
            }
        })
    }

    /// Every relation on every edge; the slice decides.
    fn connect(&self, search: &mut Search<'_, 't>, start: NodeId, inner: &[NodeId], error: NodeId) {
        search.graph.add_arc(start, error, Arc::open(self.start));
        for &m in inner {
            search.graph.add_arc(start, m, Arc::open(self.start));
            for &relation in &self.order {
                search.graph.add_arc(m, error, Arc::open(relation));
                for &n in inner {
                    search.graph.add_arc(m, n, Arc::open(relation));
                }
            }
        }
    }

    /// Replaces the inner node by one for every combination of values of the control variables
    /// that the error mentions, if there are not too many.
    fn split_up_front(
        &self,
        search: &mut Search<'_, 't>,
        start: NodeId,
        inner: NodeId,
        error: NodeId,
    ) {
        let terms = self.question.terms;
        let mut labels: Vec<Vec<Term>> = vec![Vec::new()];
        for (symbol, domain) in self.control_variables(&search.discrete) {
            let var = terms.var(symbol);
            let product = labels.len() * domain.len();
            if product as u64 > self.question.config.up_front {
                continue;
            }
            let mut longer = Vec::with_capacity(product);
            for label in &labels {
                for value in &domain {
                    let mut label = label.clone();
                    label.push(terms.eq(var, *value));
                    longer.push(label);
                }
            }
            labels = longer;
        }
        if labels.len() < 2 {
            return;
        }
        search.graph.remove_node(inner);
        for label in &labels {
            search
                .vocabulary
                .extend(label.iter().map(|&p| terms.strip_not(p).0));
        }
        let nodes: Vec<NodeId> = labels
            .into_iter()
            .map(|label| search.graph.add_node(label, Role::INNER))
            .collect();
        self.connect(search, start, &nodes, error);
    }

    /// The variables of the error with a small domain, and their values.
    fn control_variables(&self, discrete: &Discrete) -> Vec<(Symbol, Vec<Term>)> {
        let terms = self.question.terms;
        let vars = terms.free_vars(self.error);
        let with_domain = vars.iter().filter_map(|v| {
            let domain = discrete.domain(v.0)?.iter();
            Some((v.0, domain.map(|value| value.to_term(terms)).collect()))
        });
        with_domain.collect()
    }
}
