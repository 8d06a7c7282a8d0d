//! The search for one disjunct of the error as the first error.

use crate::abstraction::{Arc, Role, error_path};
use crate::question::Question;
use crate::relation::{RelationId, Relations};
use crate::rounds::Outcome;
use crate::search::{Background, Counters, Search};
use indexmap::IndexSet;
use sectile_engine::{Discrete, NodeId, Run, Stop};
use sectile_model::Trace;
use sectile_terms::{Term, Value};
use std::collections::BTreeSet;

/// One disjunct of the error.
pub struct Disjunct<'q, 't> {
    /// The question.
    pub question: &'q Question<'q, 't>,
    /// The disjunct.
    pub error: Term,
    /// The relation that chooses an initial state.
    pub start: RelationId,
    /// The commands in order of preference on paths.
    pub order: Vec<RelationId>,
    /// Maximum number of refinements.
    pub most: u64,
}

/// The end of the loop of a disjunct.
pub enum Ended {
    /// The disjunct is never the first error, with formulas that prove it.
    Excluded(Vec<Term>),
    /// A run reaches it.
    Reached(Trace),
    /// The limit of refinements was reached.
    Paused,
}

impl<'t> Disjunct<'_, 't> {
    /// Refines until the disjunct is excluded or reached, or the limit is reached.
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
        let start = search.graph.add_node(vec![], Role::START.into());
        let label = terms.conjuncts(self.error);
        let error = search
            .graph
            .add_node(label, Role::of_states(false, true).into());
        let inner = search.graph.add_node(vec![], Role::INNER.into());
        self.connect(&mut search, start, &[inner], error);
        let touched = BTreeSet::from([start, error, inner]);
        search.slice(&touched, run)?;
        if error_path(&search.graph).is_some_and(|p| p.len() > 2) {
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

    /// Adds every relation to every edge; slicing removes the impossible ones.
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

    /// Splits the inner node by the values of the control variables in the error: one node for each
    /// combination, unless there are too many.
    fn split_up_front(
        &self,
        search: &mut Search<'_, 't>,
        start: NodeId,
        inner: NodeId,
        error: NodeId,
    ) {
        let terms = self.question.terms;
        let mut labels: Vec<Vec<Term>> = vec![Vec::new()];
        for (symbol, _) in terms.free_vars(self.error) {
            // Control variables are the discrete ones with few values.
            let domain = search.discrete.domain(symbol).unwrap_or_default();
            let product = labels.len() * domain.len();
            if domain.is_empty() || product as u64 > self.question.config.up_front {
                continue;
            }
            let equal = |value: &Value| terms.eq(terms.var(symbol), value.to_term(terms));
            let equations: Vec<Term> = domain.iter().map(equal).collect();
            let longer = labels
                .iter()
                .flat_map(|l| equations.iter().map(|&e| [&l[..], &[e]].concat()));
            labels = longer.collect();
        }
        if labels.len() < 2 {
            return;
        }
        search.graph.remove_node(inner);
        let predicates = labels.iter().flatten();
        search
            .vocabulary
            .extend(predicates.map(|&p| terms.strip_not(p).0));
        let nodes: Vec<NodeId> = labels
            .into_iter()
            .map(|label| search.graph.add_node(label, Role::INNER.into()))
            .collect();
        self.connect(search, start, &nodes, error);
    }
}
