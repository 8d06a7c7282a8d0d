//! Pictures of the abstract facts: a fact is a node, and edges come from its premises.

use crate::rule::Rules;
use crate::search::{Fact, FactSearch, Outcome};
use sectile_engine::{Event, Interest, Picture, PictureEdge, PictureNode, Run};
use sectile_terms::{NativePrinter, Term};
use std::collections::BTreeMap;

/// Maximum number of facts in a picture.
const MOST: usize = 1_500;

/// The number of the node for `false`.
const FALSE: usize = 0;

/// Stable numbers of facts for all pictures of a run.
#[derive(Default)]
pub(crate) struct Places {
    known: BTreeMap<(usize, Vec<Term>), usize>,
}

impl Places {
    fn of(&mut self, fact: &Fact) -> usize {
        let next = self.known.len() + 1;
        let key = (fact.predicate, fact.cube.clone());
        *self.known.entry(key).or_insert(next)
    }

    /// Shows the facts, and the derivation of `false` if there is one.
    pub fn tell(
        &mut self,
        step: u64,
        rules: Rules<'_>,
        search: &FactSearch<'_>,
        outcome: &Outcome,
        run: &mut Run<'_>,
    ) {
        if !run.wants(Interest::Pictures) || search.facts.len() > MOST {
            return;
        }
        let printer = NativePrinter::new(rules.terms);
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        for fact in &search.facts {
            let id = self.of(fact);
            let name = format!("at {}", rules.clauses.predicates[fact.predicate].name);
            let label = fact.cube.iter().map(|&t| printer.print(t));
            nodes.push(PictureNode {
                id,
                label: std::iter::once(name).chain(label).collect(),
                initial: fact.premises.is_empty(),
                error: false,
                labelled: false,
                removed: None,
            });
            let from = fact.premises.iter().map(|&p| &search.facts[p]);
            let relation = rules.name_of(fact.rule);
            edges.extend(self.edges(from, id, &relation));
        }
        if let Outcome::Reached { rule, premises } = outcome
            && !premises.is_empty()
        {
            nodes.push(PictureNode {
                id: FALSE,
                label: vec!["false".to_string()],
                initial: false,
                error: true,
                labelled: false,
                removed: None,
            });
            let from = premises.iter().map(|&p| &search.facts[p]);
            edges.extend(self.edges(from, FALSE, &rules.name_of(*rule)));
        }
        let title = match outcome {
            Outcome::Closed => "false does not follow",
            Outcome::Reached { .. } => "false follows from abstract facts",
        };
        run.tell(Event::Picture(Box::new(Picture {
            step,
            title: title.to_string(),
            nodes,
            edges,
        })));
    }

    fn edges<'f>(
        &mut self,
        from: impl Iterator<Item = &'f Fact>,
        to: usize,
        relation: &str,
    ) -> Vec<PictureEdge> {
        let edge = |fact: &Fact| PictureEdge {
            from: self.of(fact),
            to,
            relation: relation.to_string(),
            removed: None,
        };
        from.map(edge).collect()
    }
}
